/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a saved machine: head, key, console, state, record, runs of pages, and from the next whole page on their contents. */
#include "framework/qemu/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define PAGE	     4096u
#define LANES	     4
#define MAGIC	     0x32646576617376ull /* "vsaved2" */
#define SUM_MULTIPLY 0x9e3779b97f4a7c15ull

struct head {
	uint64_t magic, sum; /* of all that follows */
	uint64_t key_bytes, console_bytes, state_bytes, record_bytes, runs, pages, ram_bytes, reserved[3];
};
_Static_assert(sizeof(struct head) % (LANES * sizeof(uint64_t)) == 0, "a whole number of lanes, as each part has");

/* Pages that follow each other in RAM. */
struct pv_saved_run {
	uint64_t page, pages;
};

/* ---- the sum ---- */

struct sum {
	uint64_t lane[LANES];
};

/*
 * Protects against truncated files and lost blocks, not against malice. Four lanes for speed: the sum is computed at
 * each start.
 */
static void sum_add(struct sum *s, const void *data, size_t n)
{
	const uint8_t *at = data;
	uint64_t word[LANES] = {0};

	for (; n; at += sizeof(word)) {
		size_t now = n < sizeof(word) ? n : sizeof(word);

		if (now < sizeof(word))
			memset(word, 0, sizeof(word));
		memcpy(word, at, now);
		for (size_t i = 0; i < LANES; i++) {
			s->lane[i] = (s->lane[i] ^ word[i]) * SUM_MULTIPLY;
			s->lane[i] ^= s->lane[i] >> 29;
		}
		n -= now;
	}
}

static uint64_t sum_end(const struct sum *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < LANES; i++)
		sum = (sum ^ s->lane[i]) * SUM_MULTIPLY + i;
	return sum;
}

/* ---- pages in order ---- */

static const uint8_t *pages_of(const struct pv_saved *s)
{
	size_t at = (size_t)((const uint8_t *)(s->run + s->runs) - s->at);

	return s->at + ((at + PAGE - 1) & ~(size_t)(PAGE - 1));
}

/* On the way through the saved pages, in the order of RAM. */
struct walk {
	const struct pv_saved *s; /* NULL: nothing is saved */
	size_t run;
	uint64_t page;	      /* of the run, the next one */
	const uint8_t *saved; /* its contents */
};

static struct walk walk_of(const struct pv_saved *s)
{
	return (struct walk){.s = s, .saved = s ? pages_of(s) : NULL};
}

/* What a page was, NULL if it is not saved; the walk goes on with the pages after it. */
static const uint8_t *page_was(struct walk *w, uint64_t page)
{
	while (w->s && w->run < w->s->runs) {
		const struct pv_saved_run *r = &w->s->run[w->run];

		if (r->page + w->page > page)
			return NULL;
		const uint8_t *was = w->saved;
		bool is_it = r->page + w->page == page;
		w->saved += PAGE;
		if (++w->page == r->pages) {
			w->page = 0;
			w->run++;
		}
		if (is_it)
			return was;
	}
	return NULL;
}

/* ---- writing ---- */

struct runs {
	struct pv_saved_run *run;
	size_t n, room;
	uint64_t pages;
};

static int add_page(struct runs *r, uint64_t page)
{
	struct pv_saved_run *last = r->n ? &r->run[r->n - 1] : NULL;

	r->pages++;
	if (last && last->page + last->pages == page) {
		last->pages++;
		return 0;
	}
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct pv_saved_run *run = reallocarray(r->run, room, sizeof(*run));

		if (!run)
			return -ENOMEM;
		r->run = run;
		r->room = room;
	}
	r->run[r->n++] = (struct pv_saved_run){page, 1};
	return 0;
}

static const uint8_t zero_page[PAGE];

/* Finds the pages that differ from those under them among the ones allocated in the memfd, without allocating others. */
static int find_runs(struct runs *r, const struct pv_saved_parts *p, const uint8_t *ram)
{
	struct walk under = walk_of(p->under);
	off_t at = 0, end;
	int fd = p->ram_fd;

	while ((at = lseek(fd, at, SEEK_DATA)) >= 0 && (size_t)at < p->ram_bytes) {
		end = lseek(fd, at, SEEK_HOLE);
		for (; at < end; at += PAGE) {
			const uint8_t *was = page_was(&under, (uint64_t)at / PAGE);
			bool same = !memcmp(ram + at, was ? was : zero_page, PAGE);
			int err = same ? 0 : add_page(r, (uint64_t)at / PAGE);

			if (err)
				return err;
		}
	}
	return at >= 0 || errno == ENXIO ? 0 : -errno;
}

struct writer {
	int fd;
	struct sum sum;
	size_t at;
	int err;
};

static void put(struct writer *w, const void *data, size_t n)
{
	if (!w->err && n)
		w->err = pv_write_all(w->fd, data, n);
	sum_add(&w->sum, data, n);
	w->at += n;
}

/* Each part has a whole number of lanes, so that the sum of the parts is that of the file. */
static void pad(struct writer *w, size_t to)
{
	if (w->at % to)
		put(w, zero_page, to - w->at % to);
}

static size_t padded(size_t n)
{
	return (n + LANES * sizeof(uint64_t) - 1) & ~(LANES * sizeof(uint64_t) - 1);
}

static void put_part(struct writer *w, const void *data, size_t n)
{
	size_t whole = n & ~(LANES * sizeof(uint64_t) - 1);
	uint8_t rest[LANES * sizeof(uint64_t)] = {0};

	put(w, data, whole);
	if (n == whole)
		return;
	memcpy(rest, (const uint8_t *)data + whole, n - whole);
	put(w, rest, sizeof(rest));
}

static int write_all(int fd, const struct pv_saved_parts *p, const struct runs *r, const uint8_t *ram)
{
	struct head h = {
		.magic = MAGIC,
		.key_bytes = strlen(p->key),
		.console_bytes = p->console_bytes,
		.state_bytes = p->state_bytes,
		.record_bytes = p->record_bytes,
		.runs = r->n,
		.pages = r->pages,
		.ram_bytes = p->ram_bytes,
	};
	struct writer w = {.fd = fd};

	w.err = pv_write_all(fd, &h, sizeof(h));
	sum_add(&w.sum, &h.key_bytes, sizeof(h) - offsetof(struct head, key_bytes));
	w.at = sizeof(h);
	put_part(&w, p->key, h.key_bytes);
	put_part(&w, p->console, p->console_bytes);
	put_part(&w, p->state, p->state_bytes);
	put_part(&w, p->record, p->record_bytes);
	put_part(&w, r->run, r->n * sizeof(*r->run));
	pad(&w, PAGE);
	for (size_t i = 0; i < r->n; i++)
		put(&w, ram + r->run[i].page * PAGE, r->run[i].pages * PAGE);
	h.sum = sum_end(&w.sum);
	if (!w.err && pwrite(fd, &h, sizeof(h), 0) != sizeof(h))
		w.err = errno ? -errno : -EIO;
	return w.err;
}

static int write_machine(int fd, const struct pv_saved_parts *p)
{
	struct runs r = {0};

	if (!p->state_bytes)
		return write_all(fd, p, &r, NULL);
	void *ram = mmap(NULL, p->ram_bytes, PROT_READ, MAP_SHARED, p->ram_fd, 0);
	if (ram == MAP_FAILED)
		return -errno;
	int err = find_runs(&r, p, ram);
	if (!err)
		err = write_all(fd, p, &r, ram);
	free(r.run);
	munmap(ram, p->ram_bytes);
	return err;
}

int pv_saved_write(const char *path, const struct pv_saved_parts *parts, struct pv_error *e)
{
	_autoclose_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = fd < 0 ? -errno : write_machine(fd, parts);

	return err ? pv_error(e, err, "saving the machine: writing %s: %s", path, strerror(-err)) : 0;
}

/* ---- reading ---- */

/* Returns the next n bytes of the file; NULL if there are fewer. */
static const void *take(const struct pv_saved *s, size_t *at, uint64_t n)
{
	const void *part = s->at + *at;

	if (n > s->bytes || padded(n) > s->bytes - *at)
		return NULL;
	*at += padded(n);
	return part;
}

static bool runs_fit(const struct pv_saved *s, uint64_t pages)
{
	uint64_t sum = 0, limit = s->ram_bytes / PAGE;

	for (size_t i = 0; i < s->runs; i++) {
		const struct pv_saved_run *r = &s->run[i];

		if (r->page > limit || r->pages > limit - r->page)
			return false;
		sum += r->pages;
	}
	return sum == pages;
}

static uint64_t sum_of(const struct pv_saved *s)
{
	struct sum sum = {0};

	sum_add(&sum, s->at + offsetof(struct head, key_bytes), sizeof(struct head) - offsetof(struct head, key_bytes));
	sum_add(&sum, s->at + sizeof(struct head), s->bytes - sizeof(struct head));
	return sum_end(&sum);
}

static bool find_parts(struct pv_saved *s, const char *key)
{
	const struct head *h = (const struct head *)s->at;
	size_t at = sizeof(*h);

	if (s->bytes < sizeof(*h) || h->magic != MAGIC)
		return false;
	const char *made_from = take(s, &at, h->key_bytes);
	if (!made_from || h->key_bytes != strlen(key) || memcmp(made_from, key, h->key_bytes))
		return false;
	s->console = take(s, &at, h->console_bytes);
	s->console_bytes = h->console_bytes;
	s->state_at = at;
	s->state_bytes = h->state_bytes;
	s->ram_bytes = h->ram_bytes;
	s->runs = h->runs;
	s->sum = h->sum;
	if (!s->console || !take(s, &at, h->state_bytes) || h->runs > s->bytes)
		return false;
	s->record = take(s, &at, h->record_bytes);
	s->record_bytes = h->record_bytes;
	if (!s->record)
		return false;
	s->run = take(s, &at, h->runs * sizeof(*s->run));
	at = (at + PAGE - 1) & ~(size_t)(PAGE - 1);
	return s->run && h->pages <= s->bytes / PAGE && s->bytes == at + h->pages * PAGE && runs_fit(s, h->pages) &&
	       h->sum == sum_of(s);
}

int pv_saved_open(struct pv_saved *s, int fd, const char *key)
{
	struct stat st;

	*s = (struct pv_saved){.fd = fd};
	if (fstat(fd, &st) || !st.st_size)
		goto bad;
	s->bytes = (size_t)st.st_size;
	s->at = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (s->at == MAP_FAILED)
		s->at = NULL;
	if (s->at && find_parts(s, key))
		return 0;
bad:
	pv_saved_close(s);
	return -EBADMSG;
}

int pv_saved_fill(const struct pv_saved *s, int ram_fd)
{
	const uint8_t *from = pages_of(s);
	int err = s->under ? pv_saved_fill(s->under, ram_fd) : 0;

	if (err)
		return err;
	for (size_t i = 0; i < s->runs; i++) {
		size_t n = s->run[i].pages * PAGE;

		for (size_t done = 0; done < n;) {
			ssize_t now = pwrite(ram_fd, from + done, n - done, (off_t)(s->run[i].page * PAGE + done));

			if (now <= 0)
				return now < 0 ? -errno : -EIO;
			done += (size_t)now;
		}
		from += n;
	}
	return 0;
}

/* ---- going back ---- */

struct restoring {
	struct walk saved, under;
	uint8_t *ram;
	struct pv_fabric_range *out;
	size_t room, n;
};

static int note_range(struct restoring *w, uint64_t at)
{
	struct pv_fabric_range *last = w->n ? &w->out[w->n - 1] : NULL;

	if (last && last->at + last->bytes == at) {
		last->bytes += PAGE;
		return 0;
	}
	if (w->n == w->room)
		return -ENOSPC;
	w->out[w->n++] = (struct pv_fabric_range){at, PAGE};
	return 0;
}

static int restore_page(struct restoring *w, uint64_t page)
{
	const uint8_t *under = page_was(&w->under, page), *was = page_was(&w->saved, page);
	uint8_t *is = w->ram + page * PAGE;

	if (!was)
		was = under ? under : zero_page;
	if (!memcmp(is, was, PAGE))
		return 0;
	memcpy(is, was, PAGE);
	return note_range(w, page * PAGE);
}

/* What was filled with the machine under this one has holes where only this one has pages: to read there closes them. */
static void close_holes(const struct pv_saved *s, const uint8_t *ram)
{
	for (size_t i = 0; s->under && i < s->runs; i++)
		for (uint64_t n = 0; n < s->run[i].pages; n++)
			(void)*(const volatile uint8_t *)(ram + (s->run[i].page + n) * PAGE);
}

/* Pages of RAM that nobody has written to since it was filled are holes, and zero. */
int pv_saved_restore(const struct pv_saved *s, int ram_fd, uint8_t *ram, struct pv_fabric_range *out, size_t room,
		     size_t *n)
{
	struct restoring w = {walk_of(s), walk_of(s->under), ram, out, room, 0};
	off_t at = 0, end, bytes = (off_t)s->ram_bytes;
	int err = 0;

	close_holes(s, ram);
	while (!err && at < bytes && (at = lseek(ram_fd, at, SEEK_DATA)) >= 0 && at < bytes) {
		end = lseek(ram_fd, at, SEEK_HOLE);
		if (end < 0 || end > bytes)
			return end < 0 ? -errno : -EINVAL;
		for (; !err && at < end; at += PAGE)
			err = restore_page(&w, (uint64_t)at / PAGE);
	}
	*n = w.n;
	return err ? err : at < 0 && errno != ENXIO ? -errno : 0;
}

void pv_saved_close(struct pv_saved *s)
{
	if (s->at)
		munmap((void *)s->at, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct pv_saved){.fd = -1};
}
