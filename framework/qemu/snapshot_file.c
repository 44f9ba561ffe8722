/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a snapshot: head, key, console, state, MMIO log, runs of pages, the sum of each page in the file; from
 * the next whole page on, the pages. A page of one repeated byte, such as those of KASAN's shadow, is not in the file.
 */
#include "framework/qemu/snapshot_file.h"

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
#define MAGIC	     0x33646576617376ull /* "vsaved3" */
#define SUM_MULTIPLY 0x9e3779b97f4a7c15ull

struct head {
	uint64_t magic, sum; /* of all that follows, up to the pages */
	uint64_t key_bytes, console_bytes, state_bytes, log_bytes, runs, pages, ram_bytes, reserved[3];
};
_Static_assert(sizeof(struct head) % (LANES * sizeof(uint64_t)) == 0, "a whole number of lanes, as each part has");

#define CONTENTS (-1)

/* Pages that follow each other in RAM. */
struct pv_snapshot_run {
	uint64_t page;
	uint32_t pages;
	int32_t fill; /* value of all their bytes; CONTENTS: they are in the file */
};

/* ---- the sum ---- */

struct sum {
	uint64_t lane[LANES];
};

/*
 * Detects truncated files and lost blocks, not malice. Four lanes for speed. The sum of the head is checked at each
 * start, that of a page when it is copied.
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

static uint64_t sum_of_page(const uint8_t *page)
{
	struct sum sum = {0};

	sum_add(&sum, page, PAGE);
	return sum_end(&sum);
}

/* ---- pages in order ---- */

static const uint8_t *pages_of(const struct pv_snapshot_file *s)
{
	size_t at = (size_t)((const uint8_t *)(s->page_sum + s->pages) - s->at);

	return s->at + ((at + PAGE - 1) & ~(size_t)(PAGE - 1));
}

/* Returns true if the page is not from this file, or as it was written. */
static bool is_whole(const struct pv_snapshot_file *s, const uint8_t *page)
{
	const uint8_t *first = pages_of(s);

	return page < first || page >= s->at + s->bytes ||
	       s->page_sum[(size_t)(page - first) / PAGE] == sum_of_page(page);
}

/* Position in the saved pages, in the order of RAM. */
struct walk {
	const struct pv_snapshot_file *s; /* NULL: no pages */
	size_t run;
	uint64_t page;	      /* number of the next page in the run */
	const uint8_t *saved; /* contents of the next page in the file */
	int32_t fill;	      /* value of the bytes of `filled` */
	uint8_t filled[PAGE];
};

static struct walk walk_of(const struct pv_snapshot_file *s)
{
	return (struct walk){.s = s, .saved = s ? pages_of(s) : NULL};
}

/* Returns the contents of the page at this position. */
static const uint8_t *page_here(struct walk *w)
{
	int32_t fill = w->s->run[w->run].fill;

	if (fill == CONTENTS)
		return w->saved;
	if (fill != w->fill)
		memset(w->filled, fill, PAGE);
	w->fill = fill;
	return w->filled;
}

static void go_past_page(struct walk *w)
{
	const struct pv_snapshot_run *r = &w->s->run[w->run];

	if (r->fill == CONTENTS)
		w->saved += PAGE;
	if (++w->page == r->pages) {
		w->page = 0;
		w->run++;
	}
}

/*
 * Returns the contents of a saved page, valid until the next call; NULL: not saved. Pages must be asked for in order.
 */
static const uint8_t *page_was(struct walk *w, uint64_t page)
{
	while (w->s && w->run < w->s->runs) {
		uint64_t here = w->s->run[w->run].page + w->page;

		if (here > page)
			return NULL;
		const uint8_t *was = here == page ? page_here(w) : NULL;
		go_past_page(w);
		if (was)
			return was;
	}
	return NULL;
}

/* ---- writing ---- */

struct runs {
	struct pv_snapshot_run *run;
	size_t n, room;
	uint64_t pages; /* with contents in the file */
};

static int add_page(struct runs *r, uint64_t page, int32_t fill)
{
	struct pv_snapshot_run *last = r->n ? &r->run[r->n - 1] : NULL;

	r->pages += fill == CONTENTS;
	if (last && last->page + last->pages == page && last->fill == fill && last->pages < UINT32_MAX) {
		last->pages++;
		return 0;
	}
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct pv_snapshot_run *run = reallocarray(r->run, room, sizeof(*run));

		if (!run)
			return -ENOMEM;
		r->run = run;
		r->room = room;
	}
	r->run[r->n++] = (struct pv_snapshot_run){page, 1, fill};
	return 0;
}

static const uint8_t zero_page[PAGE];

static int32_t fill_of(const uint8_t *page)
{
	return memcmp(page, page + 1, PAGE - 1) ? CONTENTS : page[0];
}

/* Finds the pages that differ from those of the base. Reads only pages that are allocated in the memfd. */
static int find_runs(struct runs *r, const struct pv_snapshot_parts *p, const uint8_t *ram)
{
	struct walk base = walk_of(p->base);
	off_t at = 0, end;
	int fd = p->ram_fd;

	while ((at = lseek(fd, at, SEEK_DATA)) >= 0 && (size_t)at < p->ram_bytes) {
		end = lseek(fd, at, SEEK_HOLE);
		for (; at < end; at += PAGE) {
			const uint8_t *was = page_was(&base, (uint64_t)at / PAGE);
			bool same = !memcmp(ram + at, was ? was : zero_page, PAGE);
			int err = same ? 0 : add_page(r, (uint64_t)at / PAGE, fill_of(ram + at));

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

/* Pads to a whole number of lanes: the sum of the parts is then that of the file. */
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

/* The caller frees the sums. NULL: no memory. */
static uint64_t *sum_pages(const struct runs *r, const uint8_t *ram)
{
	uint64_t *sum = malloc(r->pages * sizeof(*sum) + 1), *next = sum;

	for (size_t i = 0; sum && i < r->n; i++)
		for (uint64_t n = 0; r->run[i].fill == CONTENTS && n < r->run[i].pages; n++)
			*next++ = sum_of_page(ram + (r->run[i].page + n) * PAGE);
	return sum;
}

static void put_pages(struct writer *w, const struct runs *r, const uint8_t *ram)
{
	for (size_t i = 0; i < r->n && !w->err; i++)
		if (r->run[i].fill == CONTENTS)
			w->err = pv_write_all(w->fd, ram + r->run[i].page * PAGE, r->run[i].pages * (size_t)PAGE);
}

static int write_all(int fd, const struct pv_snapshot_parts *p, const struct runs *r, const uint8_t *ram)
{
	_autofree_ uint64_t *page_sum = sum_pages(r, ram);
	struct head h = {
		.magic = MAGIC,
		.key_bytes = strlen(p->key),
		.console_bytes = p->console_bytes,
		.state_bytes = p->state_bytes,
		.log_bytes = p->log_bytes,
		.runs = r->n,
		.pages = r->pages,
		.ram_bytes = p->ram_bytes,
	};
	struct writer w = {.fd = fd};

	w.err = page_sum ? pv_write_all(fd, &h, sizeof(h)) : -ENOMEM;
	if (w.err)
		return w.err;
	sum_add(&w.sum, &h.key_bytes, sizeof(h) - offsetof(struct head, key_bytes));
	w.at = sizeof(h);
	put_part(&w, p->key, h.key_bytes);
	put_part(&w, p->console, p->console_bytes);
	put_part(&w, p->state, p->state_bytes);
	put_part(&w, p->log, p->log_bytes);
	put_part(&w, r->run, r->n * sizeof(*r->run));
	put_part(&w, page_sum, r->pages * sizeof(*page_sum));
	pad(&w, PAGE);
	put_pages(&w, r, ram);
	h.sum = sum_end(&w.sum);
	if (!w.err && pwrite(fd, &h, sizeof(h), 0) != sizeof(h))
		w.err = errno ? -errno : -EIO;
	return w.err;
}

static int write_machine(int fd, const struct pv_snapshot_parts *p)
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

int pv_snapshot_file_write(const char *path, const struct pv_snapshot_parts *parts, struct pv_error *e)
{
	_autoclose_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = fd < 0 ? -errno : write_machine(fd, parts);

	return err ? pv_error(e, err, "saving the machine: writing %s: %s", path, strerror(-err)) : 0;
}

/* ---- reading ---- */

/* Returns the next n bytes of the file; NULL if there are fewer. */
static const void *take(const struct pv_snapshot_file *s, size_t *at, uint64_t n)
{
	const void *part = s->at + *at;

	if (n > s->bytes || padded(n) > s->bytes - *at)
		return NULL;
	*at += padded(n);
	return part;
}

static bool runs_fit(const struct pv_snapshot_file *s, uint64_t pages)
{
	uint64_t sum = 0, limit = s->ram_bytes / PAGE;

	for (size_t i = 0; i < s->runs; i++) {
		const struct pv_snapshot_run *r = &s->run[i];

		if (!r->pages || r->page > limit || r->pages > limit - r->page)
			return false;
		sum += r->fill == CONTENTS ? r->pages : 0;
	}
	return sum == pages;
}

static uint64_t sum_of_head(const struct pv_snapshot_file *s)
{
	struct sum sum = {0};
	size_t before = offsetof(struct head, key_bytes);

	sum_add(&sum, s->at + before, sizeof(struct head) - before);
	sum_add(&sum, s->at + sizeof(struct head), (size_t)(pages_of(s) - s->at) - sizeof(struct head));
	return sum_end(&sum);
}

static bool find_parts(struct pv_snapshot_file *s, const char *key)
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
	s->log = take(s, &at, h->log_bytes);
	s->log_bytes = h->log_bytes;
	if (!s->log)
		return false;
	s->run = take(s, &at, h->runs * sizeof(*s->run));
	if (!s->run || h->pages > s->bytes / PAGE)
		return false;
	s->pages = h->pages;
	s->page_sum = take(s, &at, h->pages * sizeof(*s->page_sum));
	at = (at + PAGE - 1) & ~(size_t)(PAGE - 1);
	return s->page_sum && s->bytes == at + h->pages * PAGE && runs_fit(s, h->pages) && h->sum == sum_of_head(s);
}

int pv_snapshot_file_open(struct pv_snapshot_file *s, int fd, const char *key)
{
	struct stat st;

	*s = (struct pv_snapshot_file){.fd = fd};
	if (fstat(fd, &st) || !st.st_size)
		goto bad;
	s->bytes = (size_t)st.st_size;
	s->at = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (s->at == MAP_FAILED)
		s->at = NULL;
	if (s->at && find_parts(s, key))
		return 0;
bad:
	pv_snapshot_file_close(s);
	return -EBADMSG;
}

static int fill_page(struct walk *w, int ram_fd)
{
	off_t at = (off_t)((w->s->run[w->run].page + w->page) * PAGE);
	const uint8_t *page = page_here(w);

	if (!is_whole(w->s, page))
		return -EBADMSG;
	ssize_t n = pwrite(ram_fd, page, PAGE, at);
	go_past_page(w);
	return n == PAGE ? 0 : n < 0 ? -errno : -EIO;
}

int pv_snapshot_file_fill(const struct pv_snapshot_file *s, int ram_fd)
{
	struct walk w = walk_of(s);
	int err = s->base ? pv_snapshot_file_fill(s->base, ram_fd) : 0;

	while (!err && w.run < s->runs)
		err = fill_page(&w, ram_fd);
	return err;
}

/* ---- restoring ---- */

struct restoring {
	struct walk this, base;
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
	const uint8_t *below = page_was(&w->base, page), *was = page_was(&w->this, page);
	uint8_t *is = w->ram + page * PAGE;

	if (!was)
		was = below ? below : zero_page;
	if (!memcmp(is, was, PAGE))
		return 0;
	if (!is_whole(w->this.s, was) || (w->base.s && !is_whole(w->base.s, was)))
		return -EBADMSG;
	memcpy(is, was, PAGE);
	return note_range(w, page * PAGE);
}

/* RAM that was filled with the base has holes where only this snapshot has pages. Reading closes them. */
static void close_holes(const struct pv_snapshot_file *s, const uint8_t *ram)
{
	for (size_t i = 0; s->base && i < s->runs; i++)
		for (uint64_t n = 0; n < s->run[i].pages; n++)
			(void)*(const volatile uint8_t *)(ram + (s->run[i].page + n) * PAGE);
}

/* Pages of RAM that were not written since it was filled are holes, and zero: SEEK_DATA skips them. */
int pv_snapshot_file_restore(const struct pv_snapshot_file *s, int ram_fd, uint8_t *ram, struct pv_fabric_range *out,
			     size_t room, size_t *n)
{
	struct restoring w = {walk_of(s), walk_of(s->base), ram, out, room, 0};
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

void pv_snapshot_file_close(struct pv_snapshot_file *s)
{
	if (s->at)
		munmap((void *)s->at, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct pv_snapshot_file){.fd = -1};
}
