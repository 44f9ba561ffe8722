/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire ledgers: a bounded tail in memory, what came before it in a file, and readers that stream over
 * both. A file is hostile until its head and size agree.
 */
#include "framework/oracle/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/spill.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ledger files are little endian and are read and written as they are"
#endif
_Static_assert(sizeof(struct pv_wire) == 64, "the ledger format has no holes");
_Static_assert(sizeof(struct pv_wire_file) == 32, "the ledger format has no holes");

#define FIRST_BYTES  (256u << 10) /* of the tail on the heap */
#define HUGE_BYTES   (2u << 20)	  /* of a huge page */
#define READ_RECORDS 512

struct pv_ledger {
	struct pv_wire_file head;
	char *path;
	int fd;	   /* -1: nothing spilled yet */
	int error; /* sticks */
	bool read_only;
	uint64_t spilled; /* records in the file; the tail follows them */
	struct pv_wire *tail;
	size_t tail_n, tail_room, tail_size; /* records in it, that fit as it is now, that may be in it */
	void *mapped;			     /* the tail is inside; NULL: it is on the heap */
	size_t mapped_bytes;
};

struct pv_ledger_reader {
	struct pv_ledger *l;
	bool owns_ledger;
	int error;
	uint64_t next, last;
	uint64_t buf_first;
	size_t buf_n;
	struct pv_wire *buf; /* READ_RECORDS of the file; NULL until one of them is read */
};

static off_t record_offset(uint64_t n)
{
	return (off_t)(sizeof(struct pv_wire_file) + n * sizeof(struct pv_wire));
}

/* ---- plain I/O that finishes what it starts ---- */

static int write_at(int fd, const void *data, size_t len, off_t at)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENOSPC;
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_at(int fd, void *data, size_t len, off_t at)
{
	char *p = data;

	while (len) {
		ssize_t n = pread(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EBADMSG; /* shorter than its head says: cut while it was read */
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* ---- writing ---- */

struct pv_ledger *pv_ledger_new(const char *path, size_t mem_bytes, const struct pv_wire_file *head)
{
	struct pv_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->fd = -1;
	l->head = *head;
	memcpy(l->head.magic, PV_WIRE_MAGIC, sizeof(l->head.magic));
	l->head.record_bytes = sizeof(struct pv_wire);
	l->head.records = 0;
	l->tail_size = mem_bytes / sizeof(struct pv_wire);
	if (!l->tail_size)
		l->tail_size = 1;
	if (path && !(l->path = strdup(path))) {
		free(l);
		return NULL;
	}
	return l;
}

static int open_spill(struct pv_ledger *l)
{
	int fd = l->path ? open(l->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : pv_unlinked_file();

	if (fd < 0)
		return l->path ? -errno : fd;
	l->fd = fd;
	return 0;
}

/* Moves the tail to the file. The head is written last, so that the file never claims more than it holds. */
static int spill(struct pv_ledger *l)
{
	struct pv_wire_file head = l->head;
	int r = l->fd < 0 ? open_spill(l) : 0;

	if (!r)
		r = write_at(l->fd, l->tail, l->tail_n * sizeof(*l->tail), record_offset(l->spilled));
	head.records = l->spilled + l->tail_n;
	if (!r)
		r = write_at(l->fd, &head, sizeof(head), 0);
	if (r)
		return r;
	l->spilled += l->tail_n;
	l->tail_n = 0;
	return 0;
}

/* Moves the tail to huge pages, if the kernel has some: faults of small pages cost more than the records. */
static int map_tail(struct pv_ledger *l)
{
	size_t bytes = l->tail_size * sizeof(*l->tail);
	char *p;

	l->mapped_bytes = bytes + HUGE_BYTES;
	p = mmap(NULL, l->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	l->mapped = p;
	p += -(uintptr_t)p % HUGE_BYTES;
	madvise(p, bytes, MADV_HUGEPAGE);
	memcpy(p, l->tail, l->tail_n * sizeof(*l->tail));
	free(l->tail);
	l->tail = (struct pv_wire *)p;
	l->tail_room = l->tail_size;
	return 0;
}

/* Makes room for a record. Most tails are short. */
static int make_room(struct pv_ledger *l)
{
	size_t first = FIRST_BYTES / sizeof(*l->tail);

	if (l->tail)
		return l->tail_room < l->tail_size ? map_tail(l) : spill(l);
	l->tail_room = first < l->tail_size ? first : l->tail_size;
	l->tail = malloc(l->tail_room * sizeof(*l->tail));
	return l->tail ? 0 : -ENOMEM;
}

void pv_ledger_add(struct pv_ledger *l, const struct pv_wire *w)
{
	if (l->error)
		return;
	if (l->read_only)
		l->error = -EROFS;
	else if (l->tail_n == l->tail_room)
		l->error = make_room(l);
	if (l->error)
		return;
	l->tail[l->tail_n++] = *w;
	l->head.records++;
}

void pv_ledger_clear(struct pv_ledger *l)
{
	if (l->path && l->fd >= 0)
		unlink(l->path);
	pv_closep(&l->fd);
	l->fd = -1;
	l->error = 0;
	l->head.records = l->spilled = l->tail_n = 0;
}

int pv_ledger_error(const struct pv_ledger *l)
{
	return l->error;
}

uint64_t pv_ledger_records(const struct pv_ledger *l)
{
	return l->head.records;
}

const struct pv_wire_file *pv_ledger_head(const struct pv_ledger *l)
{
	return &l->head;
}

static int copy_records(struct pv_ledger *l, int fd)
{
	struct pv_wire block[READ_RECORDS];
	uint64_t n, done = 0;
	int r = 0;

	for (; !r && done < l->spilled; done += n) {
		n = l->spilled - done < READ_RECORDS ? l->spilled - done : READ_RECORDS;
		r = read_at(l->fd, block, n * sizeof(*block), record_offset(done));
		if (!r)
			r = write_at(fd, block, n * sizeof(*block), record_offset(done));
	}
	return r ? r : write_at(fd, l->tail, l->tail_n * sizeof(*l->tail), record_offset(l->spilled));
}

int pv_ledger_save(struct pv_ledger *l, const char *path)
{
	struct pv_wire_file head = l->head;
	_autofree_ char *aside = NULL;
	_autoclose_ int fd = -1;
	int r;

	if (l->error)
		return l->error;
	if (asprintf(&aside, "%s.XXXXXX", path) < 0) {
		aside = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(aside, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	head.records = l->spilled + l->tail_n; /* also of one whose writer was stopped in the middle of a record */
	r = copy_records(l, fd);
	if (!r)
		r = write_at(fd, &head, sizeof(head), 0);
	if (!r && (fchmod(fd, 0644) || fsync(fd) || rename(aside, path)))
		r = -errno;
	if (r)
		unlink(aside);
	return r;
}

void pv_ledger_free(struct pv_ledger *l)
{
	if (!l)
		return;
	if (l->path && l->fd >= 0 && l->tail_n && !l->error)
		spill(l);
	pv_closep(&l->fd);
	if (l->mapped)
		munmap(l->mapped, l->mapped_bytes);
	else
		free(l->tail);
	free(l->path);
	free(l);
}

/* ---- files ---- */

/* Everything that the rest relies on: the format, the size, and clocks that can be divided by. */
static int check_head(const struct pv_wire_file *h, off_t size)
{
	uint64_t body = (uint64_t)size - sizeof(*h);

	if (memcmp(h->magic, PV_WIRE_MAGIC, sizeof(h->magic)) || h->record_bytes != sizeof(struct pv_wire))
		return -EBADMSG;
	if (body % sizeof(struct pv_wire) || h->records != body / sizeof(struct pv_wire))
		return -EBADMSG;
	if (!h->ptt_tick_ps || !h->dwc_cycle_ps || !h->cpmu_cycle_ps)
		return -EBADMSG;
	return 0;
}

static int open_checked(const char *path, struct pv_wire_file *head)
{
	/* O_NONBLOCK: a FIFO under this name must not hold us up. */
	_autoclose_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(*head))
		return -EBADMSG;
	r = read_at(fd, head, sizeof(*head), 0);
	if (!r)
		r = check_head(head, st.st_size);
	if (r)
		return r;
	r = fd;
	fd = -1;
	return r;
}

int pv_ledger_load(const char *path, struct pv_ledger **out)
{
	struct pv_wire_file head;
	struct pv_ledger *l;
	int fd = open_checked(path, &head);

	*out = NULL;
	if (fd < 0)
		return fd;
	l = calloc(1, sizeof(*l));
	if (!l) {
		close(fd);
		return -ENOMEM;
	}
	l->head = head;
	l->fd = fd;
	l->spilled = head.records;
	l->read_only = true;
	*out = l;
	return 0;
}

/* ---- reading ---- */

struct pv_ledger_reader *pv_ledger_read(struct pv_ledger *l, uint64_t first, uint64_t last)
{
	struct pv_ledger_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->l = l;
	r->last = last < l->head.records ? last : l->head.records;
	r->next = first < r->last ? first : r->last;
	return r;
}

int pv_ledger_open(const char *path, struct pv_ledger_reader **out)
{
	struct pv_ledger *l;
	int r = pv_ledger_load(path, &l);

	*out = NULL;
	if (r)
		return r;
	*out = pv_ledger_read(l, 0, UINT64_MAX);
	if (!*out) {
		pv_ledger_free(l);
		return -ENOMEM;
	}
	(*out)->owns_ledger = true;
	return 0;
}

/* Reads the next records of the file into the buffer. */
static int fill(struct pv_ledger_reader *r)
{
	uint64_t end = r->last < r->l->spilled ? r->last : r->l->spilled;

	if (!r->buf)
		r->buf = malloc(READ_RECORDS * sizeof(*r->buf));
	if (!r->buf)
		return -ENOMEM;
	r->buf_first = r->next;
	r->buf_n = end - r->next < READ_RECORDS ? end - r->next : READ_RECORDS;
	return read_at(r->l->fd, r->buf, r->buf_n * sizeof(*r->buf), record_offset(r->next));
}

const struct pv_wire *pv_ledger_next(struct pv_ledger_reader *r)
{
	if (r->error || r->next >= r->last)
		return NULL;
	/* The tail may move to the file between two calls: where a record is, is asked each time. */
	if (r->next >= r->l->spilled)
		return &r->l->tail[r->next++ - r->l->spilled];
	if (r->next >= r->buf_first + r->buf_n || r->next < r->buf_first)
		r->error = fill(r);
	return r->error ? NULL : &r->buf[r->next++ - r->buf_first];
}

int pv_ledger_reader_error(const struct pv_ledger_reader *r)
{
	return r->error ? r->error : r->l->error;
}

void pv_ledger_close(struct pv_ledger_reader *r)
{
	if (!r)
		return;
	if (r->owns_ledger)
		pv_ledger_free(r->l);
	free(r->buf);
	free(r);
}
