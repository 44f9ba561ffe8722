/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appended bytes in memory, then in a file. */
#include "framework/util/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

int pv_unlinked_file(void)
{
	const char *dir = getenv("TMPDIR");
	_autofree_ char *name = NULL;

	if (asprintf(&name, "%s/pcieval-XXXXXX", dir && *dir ? dir : "/tmp") < 0) {
		name = NULL;
		return -ENOMEM;
	}
	int fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

/* Written, not stored through a mapping: a full disk is then an error, not a SIGBUS. */
static int write_at(int fd, const unsigned char *data, size_t len, size_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		len -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

static int to_file(struct pv_spill *s)
{
	int fd = pv_unlinked_file();

	if (fd < 0)
		return fd;
	int err = write_at(fd, s->mem, s->len, 0);
	if (err) {
		close(fd);
		return err;
	}
	s->fd = fd;
	free(s->mem);
	s->mem = NULL;
	s->room = 0;
	return 0;
}

static int to_memory(struct pv_spill *s, const void *data, size_t len)
{
	if (s->len + len > s->room) {
		size_t room = s->room ? s->room : 4096;

		while (room < s->len + len)
			room *= 2;
		unsigned char *mem = realloc(s->mem, room);
		if (!mem)
			return -ENOMEM;
		s->mem = mem;
		s->room = room;
	}
	memcpy(s->mem + s->len, data, len);
	return 0;
}

int pv_spill_append(struct pv_spill *s, const void *data, size_t len)
{
	int err = 0;

	if (!len)
		return 0;
	if (len > SIZE_MAX / 2 - s->len)
		return -EFBIG;
	if (s->fd < 0 && s->len + len > s->limit)
		err = to_file(s);
	if (!err)
		err = s->fd < 0 ? to_memory(s, data, len) : write_at(s->fd, data, len, s->len);
	if (!err)
		s->len += len;
	return err;
}

const unsigned char *pv_spill_data(struct pv_spill *s)
{
	if (s->fd < 0 || !s->len)
		return s->mem;
	if (s->map_len == s->len)
		return s->map;
	if (s->map)
		munmap(s->map, s->map_len);
	void *map = mmap(NULL, s->len, PROT_READ, MAP_SHARED, s->fd, 0);
	s->map = map == MAP_FAILED ? NULL : map;
	s->map_len = s->map ? s->len : 0;
	return s->map;
}

void pv_spill_free(struct pv_spill *s)
{
	if (s->map)
		munmap(s->map, s->map_len);
	if (s->fd >= 0)
		close(s->fd);
	free(s->mem);
	*s = PV_SPILL_INIT(s->limit);
}
