/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder contains NAME; NAME.lock, locked while NAME is made or removed; NAME.part while it is being made. The lock
 * ends with the process: if it was killed, the next one starts over.
 */
#include "framework/util/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"

#define DAY_S 86400

struct path {
	char s[PATH_MAX];
};

static struct path path_of(const char *folder, const char *name, const char *suffix)
{
	struct path p;

	if (snprintf(p.s, sizeof(p.s), "%s/%s%s", folder, name, suffix) >= (int)sizeof(p.s))
		p.s[0] = 0; /* makes every use of it fail */
	return p;
}

/* ---- the lock ---- */

/*
 * Returns a descriptor or -errno (-EWOULDBLOCK if requested by `how`). Between open() and flock() the previous holder
 * may remove the file; the lock is then taken again.
 */
static int lock(const char *folder, const char *name, int how)
{
	struct path p = path_of(folder, name, ".lock");

	for (;;) {
		struct stat open_one, named;
		int fd = open(p.s, O_RDWR | O_CREAT | O_CLOEXEC, 0666), err;

		if (fd < 0)
			return -errno;
		while ((err = flock(fd, LOCK_EX | how) ? errno : 0) == EINTR)
			;
		if (!err && !fstat(fd, &open_one) && !stat(p.s, &named) && open_one.st_ino == named.st_ino)
			return fd;
		close(fd);
		if (err)
			return -err;
	}
}

/* ---- getting ---- */

static bool use(const char *folder, const char *name, const struct pv_cache_user *u)
{
	int fd = open(path_of(folder, name, "").s, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	futimens(fd, NULL);
	return u->use(u->ctx, fd);
}

static int make(const char *folder, const char *name, const struct pv_cache_user *u, struct pv_error *e)
{
	struct path part = path_of(folder, name, ".part"), whole = path_of(folder, name, "");
	int err = u->make(u->ctx, part.s, e);

	if (!err && rename(part.s, whole.s))
		err = pv_error(e, -errno, "naming %s: %s", whole.s, strerror(errno));
	if (err)
		unlink(part.s);
	return err;
}

static int make_and_use(const char *folder, const char *name, const struct pv_cache_user *u, struct pv_error *e)
{
	int err = make(folder, name, u, e);

	if (err)
		return err;
	pv_cache_prune(folder, PV_CACHE_BYTES, PV_CACHE_DAYS);
	return use(folder, name, u) ? 0 : pv_error(e, -EIO, "%s/%s, just made, cannot be used", folder, name);
}

void pv_cache_name(const char *key, char name[PV_CACHE_NAME])
{
	snprintf(name, PV_CACHE_NAME, "%016" PRIx64, pv_hash_text(key));
}

int pv_cache_get(const char *folder, const char *name, const struct pv_cache_user *user, struct pv_error *e)
{
	if (use(folder, name, user))
		return 0;
	int err = pv_mkdir_all(folder, 0777);
	if (err)
		return pv_error(e, err, "making %s: %s", folder, strerror(-err));
	_autoclose_ int locked = lock(folder, name, 0);
	if (locked < 0)
		return pv_error(e, locked, "locking %s/%s: %s", folder, name, strerror(-locked));
	/* The previous holder of the lock may have made it. */
	return use(folder, name, user) ? 0 : make_and_use(folder, name, user, e);
}

/* ---- removing ---- */

void pv_cache_drop(const char *folder, const char *name)
{
	_autoclose_ int locked = lock(folder, name, LOCK_NB);

	if (locked < 0)
		return;
	unlink(path_of(folder, name, ".part").s);
	unlink(path_of(folder, name, "").s);
	unlink(path_of(folder, name, ".lock").s);
}

struct file {
	char name[64];
	time_t used;
	uint64_t bytes;
};

static int later_first(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return x->used != y->used ? (x->used < y->used ? 1 : -1) : strcmp(x->name, y->name);
}

/* Fills *f from an entry. Returns false for a lock or part whose file has an entry of its own. */
static bool is_file(const struct dirent *d, struct file *f, int folder_fd)
{
	struct stat st;
	size_t n = strcspn(d->d_name, ".");

	if (!n || n >= sizeof(f->name) || fstatat(folder_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return false;
	snprintf(f->name, sizeof(f->name), "%.*s", (int)n, d->d_name);
	f->used = st.st_mtime;
	f->bytes = (uint64_t)st.st_size;
	return !d->d_name[n] || fstatat(folder_fd, f->name, &st, AT_SYMLINK_NOFOLLOW);
}

static size_t list(const char *folder, struct file **out)
{
	DIR *dir = opendir(folder);
	size_t n = 0, room = 0;
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (n == room) {
			struct file *more = reallocarray(*out, room + 64, sizeof(*more));

			if (!more)
				break;
			*out = more;
			room += 64;
		}
		n += is_file(d, &(*out)[n], dirfd(dir));
	}
	if (dir)
		closedir(dir);
	return n;
}

void pv_cache_prune(const char *folder, uint64_t bytes, unsigned days)
{
	_autofree_ struct file *file = NULL;
	size_t n = list(folder, &file);
	time_t oldest = time(NULL) - (time_t)days * DAY_S;

	if (n)
		qsort(file, n, sizeof(*file), later_first);
	uint64_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		kept += file[i].bytes;
		if (kept > bytes || file[i].used < oldest)
			pv_cache_drop(folder, file[i].name);
	}
}
