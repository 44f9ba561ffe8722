/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffered input of the trace readers. */
#include "framework/trace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/file.h"

enum { READ_BYTES = 256 << 10 }; /* at once: they stay in the cache until they are used */

/* Reserves n bytes, plus headroom for bytes that are pushed back. */
static int make_buffer(struct pv_source *s, size_t n)
{
	s->size = PV_SOURCE_UNREAD + n;
	s->buf = malloc(s->size);
	s->at = s->len = PV_SOURCE_UNREAD;
	return s->buf ? 0 : -ENOMEM;
}

int pv_source_open(struct pv_source *s, int fd)
{
	struct stat st;

	*s = (struct pv_source){.fd = fd, .bytes = UINT64_MAX};
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	off_t here = lseek(fd, 0, SEEK_CUR);
	s->seekable = S_ISREG(st.st_mode) && here == 0;
	if (s->seekable)
		s->bytes = (uint64_t)st.st_size;
	return make_buffer(s, 2 * PV_SOURCE_MAX);
}

int pv_source_open_memory(struct pv_source *s, const void *data, size_t n)
{
	*s = (struct pv_source){.fd = -1, .memory = data, .seekable = true, .bytes = n};
	return make_buffer(s, n < 2 * PV_SOURCE_MAX ? n : 2 * PV_SOURCE_MAX);
}

void pv_source_close(struct pv_source *s)
{
	free(s->buf);
	if (s->fd >= 0)
		close(s->fd);
}

static ssize_t read_memory(struct pv_source *s, uint8_t *to, size_t most)
{
	uint64_t left = s->bytes - s->memory_at;
	size_t n = left < most ? (size_t)left : most;

	if (n)
		memcpy(to, s->memory + s->memory_at, n);
	s->memory_at += n;
	return (ssize_t)n;
}

static int fill(struct pv_source *s)
{
	uint8_t *to = s->buf + s->len;
	size_t room = s->size - s->len < READ_BYTES ? s->size - s->len : READ_BYTES;
	ssize_t n;

	if (s->err)
		return s->err;
	n = s->fd < 0 ? read_memory(s, to, room) : read(s->fd, to, room);
	if (n < 0)
		return errno == EINTR ? 0 : (s->err = -errno);
	s->len += (size_t)n;
	s->ended = n == 0;
	return 0;
}

int pv_source_need(struct pv_source *s, size_t n)
{
	int r = 0;

	if (n <= pv_source_avail(s) || s->ended)
		return 0;
	memmove(s->buf + PV_SOURCE_UNREAD, s->buf + s->at, s->len - s->at);
	s->len = PV_SOURCE_UNREAD + s->len - s->at;
	s->at = PV_SOURCE_UNREAD;
	while (!r && pv_source_avail(s) < n && !s->ended)
		r = fill(s);
	return r;
}

static int drop(struct pv_source *s)
{
	int r = pv_source_need(s, 1);

	return r ? r : pv_source_avail(s) ? 1 : 0;
}

static int seek(struct pv_source *s, uint64_t to)
{
	if (s->fd >= 0 && lseek(s->fd, (off_t)to, SEEK_SET) < 0)
		return -errno;
	s->memory_at = s->pos = to;
	s->at = s->len = PV_SOURCE_UNREAD;
	s->ended = false;
	s->err = 0;
	return 0;
}

int pv_source_skip(struct pv_source *s, uint64_t n)
{
	size_t have = pv_source_avail(s);
	int r;

	if (n > have && s->seekable)
		return seek(s, s->pos + n < s->pos || s->pos + n > s->bytes ? s->bytes : s->pos + n);
	while (n && (r = drop(s)) > 0) {
		have = pv_source_avail(s);
		pv_source_take(s, n < have ? (size_t)n : have);
		n -= n < have ? n : have;
	}
	return n ? r : 0;
}

void pv_source_unread(struct pv_source *s, const void *bytes, size_t n)
{
	s->at -= n;
	s->pos -= n;
	memcpy(s->buf + s->at, bytes, n);
}

int pv_source_peek_at(struct pv_source *s, uint64_t offset, void *out, size_t n)
{
	if (!s->seekable)
		return -ESPIPE;
	if (offset > s->bytes || n > s->bytes - offset)
		return -EBADMSG;
	if (s->fd < 0) {
		memcpy(out, s->memory + offset, n);
		return 0;
	}
	for (size_t got = 0; got < n;) {
		ssize_t k = pread(s->fd, (char *)out + got, n - got, (off_t)(offset + got));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k < 0 ? -errno : -EBADMSG;
		got += (size_t)k;
	}
	return 0;
}

int pv_source_temporary(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int copy_rest(struct pv_source *s, int to)
{
	int r = 0;

	while (!r && pv_source_avail(s)) {
		r = pv_write_all(to, pv_source_data(s), pv_source_avail(s));
		s->at = s->len;
		if (!r)
			r = pv_source_need(s, 1);
	}
	return r;
}

int pv_source_replace(struct pv_source *s, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || lseek(fd, 0, SEEK_SET)) {
		int r = -errno;

		close(fd);
		return r;
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = fd;
	s->at = s->len = PV_SOURCE_UNREAD;
	s->pos = 0;
	s->ended = false;
	s->seekable = true;
	s->bytes = (uint64_t)st.st_size;
	return 0;
}

int pv_source_spool(struct pv_source *s)
{
	int fd = pv_source_temporary();
	int r = fd < 0 ? fd : copy_rest(s, fd);

	if (fd < 0)
		return r;
	if (!r)
		return pv_source_replace(s, fd);
	close(fd);
	return r;
}
