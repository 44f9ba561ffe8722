/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole-file writing by temporary file, fsync and rename; reading with a limit; folders. */
#include "framework/util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/hash.h"

#define LINKS_MAX 40u /* as the kernel */

int pv_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

static int folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path)
		      : snprintf(out, size, ".");

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* ---- links and folders of others ---- */

/* Of another user, in a world-writable folder that is not theirs. */
static bool is_foreign(const char *name)
{
	char folder[PATH_MAX];
	struct stat st, around;

	if (lstat(name, &st) || folder_of(name, folder, sizeof(folder)) || stat(folder, &around))
		return false;
	return around.st_mode & S_IWOTH && st.st_uid != geteuid() && st.st_uid != around.st_uid;
}

/* Moves the first component of `left` to the end of `done`. Returns the length of `done` without that component. */
static int take_component(char *left, char *done, size_t size, size_t *before)
{
	size_t slashes = strspn(left, "/"), n = strcspn(left + slashes, "/"), at = strlen(done);

	if (at + n + 2 > size)
		return -ENAMETOOLONG;
	if (slashes && (!at || done[at - 1] != '/'))
		done[at++] = '/';
	memcpy(done + at, left + slashes, n);
	done[at + n] = 0;
	memmove(left, left + slashes + n, strlen(left + slashes + n) + 1);
	*before = at;
	return 0;
}

/* Puts the text of the link `done` before the rest of the path. */
static int take_link(char *left, char *done, size_t size, size_t before)
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlink(done, text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	text[n] = 0;
	done[*text == '/' ? 0 : before] = 0;
	snprintf(rest, sizeof(rest), "%s", left);
	return (size_t)snprintf(left, size, "%s%s", text, rest) < size ? 0 : -ENAMETOOLONG;
}

/*
 * Follows all symbolic links, as the kernel does with fs.protected_symlinks, which realpath(3) ignores: -EPERM for a
 * link of another user in a world-writable folder. A path that does not exist is followed as far as it does. `done` has
 * PATH_MAX bytes.
 */
static int follow(const char *path, char *done)
{
	char left[PATH_MAX];
	struct stat st;
	int err = (size_t)snprintf(left, sizeof(left), "%s", path) < sizeof(left) ? 0 : -ENAMETOOLONG;

	*done = 0;
	for (unsigned links = 0; !err && *left;) {
		size_t before;

		err = take_component(left, done, PATH_MAX, &before);
		if (err || lstat(done, &st) || !S_ISLNK(st.st_mode))
			continue;
		if (is_foreign(done))
			return -EPERM;
		/* The text of /proc/self/fd/1 is no path. */
		if (!*left && !stat(done, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			break;
		err = links++ < LINKS_MAX ? take_link(left, done, sizeof(left), before) : -ELOOP;
	}
	return err;
}

bool pv_path_is_foreign(const char *path)
{
	char name[PATH_MAX], done[PATH_MAX];
	int n = snprintf(name, sizeof(name), "%s", path);

	while (n > 1 && n < PATH_MAX && name[n - 1] == '/')
		name[--n] = 0;
	return is_foreign(name) || follow(path, done) == -EPERM;
}

static int final_path(const char *path, char **out)
{
	char done[PATH_MAX];
	int err = follow(path, done);

	*out = err ? NULL : strdup(done);
	return err || *out ? err : -ENOMEM;
}

static int unwritable(struct pv_error *e, const char *path, int err)
{
	return pv_error(e, err, "%s: cannot be written: %s", path,
			err == -EPERM && pv_path_is_foreign(path) ? PV_FOREIGN_LINK : strerror(-err));
}

/* ---- beside it ---- */

/* A temporary file in the folder of `path`, so that rename(2) stays on one file system. */
static int temporary_beside(const char *path, char *name, size_t size)
{
	char folder[PATH_MAX];
	int err = folder_of(path, folder, sizeof(folder));

	if (err)
		return err;
	int n = snprintf(name, size, "%s/.pcieval-XXXXXX", folder);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	int fd = mkostemp(name, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int pv_sync_folder(const char *path)
{
	char folder[PATH_MAX];
	int err = folder_of(path, folder, sizeof(folder));

	if (err)
		return err;
	_autoclose_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* ---- a file that is written in pieces ---- */

static bool has_proc(void)
{
	return !access("/proc/self/fd", X_OK);
}

/*
 * Unnamed if the file system supports that: nothing is left behind, however the program ends. Otherwise with a
 * temporary name, which only a signal leaves behind.
 */
static int open_aside(struct pv_new_file *f)
{
	char folder[PATH_MAX];
	int err = folder_of(f->path, folder, sizeof(folder));

	if (err)
		return err;
	f->fd = has_proc() ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
	if (f->fd >= 0)
		return 0;
	f->aside = malloc(PATH_MAX);
	if (!f->aside)
		return -ENOMEM;
	f->fd = temporary_beside(f->path, f->aside, PATH_MAX);
	return f->fd < 0 ? f->fd : 0;
}

/* The mode of the file that it replaces, or of any new file. */
static int set_mode(const struct pv_new_file *f)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(f->fd, stat(f->path, &st) ? 0666 & ~mask : st.st_mode & 07777) ? -errno : 0;
}

/* Gives an unnamed file a free name. */
static int give_name(struct pv_new_file *f)
{
	char folder[PATH_MAX], self[64];
	int err = folder_of(f->path, folder, sizeof(folder));

	if (f->aside || err)
		return err;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	for (unsigned i = 0; i < 1000; i++) {
		if (asprintf(&f->aside, "%s/.pcieval-%ld-%u", folder, (long)getpid(), i) < 0) {
			f->aside = NULL;
			return -ENOMEM;
		}
		if (!linkat(AT_FDCWD, self, AT_FDCWD, f->aside, AT_SYMLINK_FOLLOW))
			return 0;
		err = -errno;
		free(steal(&f->aside));
		if (err != -EEXIST)
			break;
	}
	return err;
}

static int open_new(struct pv_new_file *f, const char *path)
{
	struct stat st;

	int err = *path ? final_path(path, &f->path) : -ENOENT;

	if (err)
		return err;
	bool exists = !stat(f->path, &st), in_place = exists && !S_ISREG(st.st_mode);
	if (!strcmp(path, "-"))
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	else if (in_place)
		f->fd = open(f->path, O_WRONLY | O_CLOEXEC); /* a folder: EISDIR */
	else if (!exists || !access(f->path, W_OK)) {
		f->whole = true;
		return open_aside(f);
	}
	return f->fd < 0 ? -errno : 0;
}

int pv_new_file_open(struct pv_new_file *f, const char *path, struct pv_error *e)
{
	*f = (struct pv_new_file){.fd = -1};
	int err = open_new(f, path);
	if (!err)
		return 0;
	pv_new_file_drop(f);
	return unwritable(e, path, err);
}

static int put_in_place(struct pv_new_file *f)
{
	int err = set_mode(f);

	if (!err && fsync(f->fd))
		err = -errno;
	if (!err)
		err = give_name(f);
	if (!err && rename(f->aside, f->path))
		err = -errno;
	if (err)
		return err;
	free(steal(&f->aside));
	pv_sync_folder(f->path);
	return 0;
}

int pv_new_file_keep(struct pv_new_file *f, struct pv_error *e)
{
	int err = f->whole ? put_in_place(f) : 0;
	int fd = f->fd;

	f->fd = -1;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		pv_error(e, err, "%s: cannot be written: %s", f->path, strerror(-err));
	pv_new_file_drop(f);
	return err;
}

void pv_new_file_drop(struct pv_new_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->aside)
		unlink(f->aside);
	free(f->aside);
	free(f->path);
	*f = (struct pv_new_file){.fd = -1};
}

/* ---- whole files ---- */

int pv_file_write(const char *path, const void *data, size_t n, struct pv_error *e)
{
	_cleanup_(pv_new_file_drop) struct pv_new_file f;
	int err = pv_new_file_open(&f, path, e);

	if (err)
		return err;
	err = pv_write_all(f.fd, data, n);
	return err ? pv_error(e, err, "%s: cannot be written: %s", path, strerror(-err)) : pv_new_file_keep(&f, e);
}

static int try_temporary(const char *path)
{
	char name[PATH_MAX];
	int fd = temporary_beside(path, name, sizeof(name));

	if (fd < 0)
		return fd;
	close(fd);
	unlink(name);
	return 0;
}

int pv_file_check_writable(const char *path, struct pv_error *e)
{
	struct stat st;
	_autofree_ char *real = NULL;
	int err = *path ? final_path(path, &real) : -ENOENT;

	if (err || !strcmp(path, "-"))
		;
	else if (stat(real, &st))
		err = errno == ENOENT ? try_temporary(real) : -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (access(real, W_OK))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = try_temporary(real);
	return err ? unwritable(e, path, err) : 0;
}

/* Finds the folder and the name of the regular file that `path` leads to; false: it leads to something else. */
static bool find_place(const char *path, struct stat *folder, char name[PATH_MAX])
{
	char parent[PATH_MAX];
	struct stat st;
	_autofree_ char *real = NULL;

	if (final_path(path, &real) || (!stat(real, &st) && !S_ISREG(st.st_mode)) ||
	    folder_of(real, parent, sizeof(parent)) || stat(parent, folder))
		return false;
	const char *slash = strrchr(real, '/');
	snprintf(name, PATH_MAX, "%s", slash ? slash + 1 : real);
	return true;
}

bool pv_file_is_same(const char *a, const char *b)
{
	char name_a[PATH_MAX], name_b[PATH_MAX];
	struct stat at_a, at_b;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	return find_place(a, &at_a, name_a) && find_place(b, &at_b, name_b) && at_a.st_dev == at_b.st_dev &&
	       at_a.st_ino == at_b.st_ino && !strcmp(name_a, name_b);
}

static int read_limited(FILE *f, size_t max, char **out, size_t *n)
{
	_autofree_ char *buf = NULL;
	size_t used = 0, size = 0;

	for (;;) {
		if (used + 1 >= size) {
			size = size ? size * 2 : 65536;
			char *more = realloc(buf, size);
			if (!more)
				return -ENOMEM;
			buf = more;
		}
		size_t got = fread(buf + used, 1, size - used - 1, f);
		used += got;
		if (used > max)
			return -EFBIG;
		if (!got)
			break;
	}
	if (ferror(f))
		return errno ? -errno : -EIO;
	buf[used] = 0;
	*out = steal(&buf);
	*n = used;
	return 0;
}

const char *pv_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

int pv_file_open(const char *path)
{
	/* A socket cannot be opened as /dev/stdin. */
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? -errno : fd;
}

int pv_file_read(const char *path, size_t max, char **out, size_t *n, struct pv_error *e)
{
	int fd = pv_file_open(path);
	_autofclose_ FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int err = fd < 0 ? fd : f ? read_limited(f, max, out, n) : -errno;

	return err ? pv_error(e, err, "%s: cannot be read: %s", pv_file_name(path), strerror(-err)) : 0;
}

/* Words instead of bytes, for speed. The last one may be filled up with zeros, so the size is one more word. */
int pv_file_hash(const char *path, uint64_t *hash)
{
	uint64_t words[8192];
	_autofclose_ FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	for (size_t n; memset(words, 0, sizeof(words)), (n = fread(words, 1, sizeof(words), f)) > 0;)
		for (size_t i = 0; i < n; i += sizeof(*words))
			*hash = pv_hash_word(*hash, words[i / sizeof(*words)]);
	*hash = pv_hash_word(*hash, (uint64_t)st.st_size);
	return ferror(f) ? -EIO : 0;
}

int pv_mkdir_all(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strlen(path);

	if (!len || len >= sizeof(part))
		return len ? -ENAMETOOLONG : -ENOENT;
	if (pv_path_is_foreign(path))
		return -EPERM;
	for (size_t i = 1; i <= len; i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, mode) && errno != EEXIST)
			return -errno;
	}
	struct stat st;
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int pv_folder_check_empty(const char *path, const char *except)
{
	DIR *d = opendir(path);
	struct dirent *entry;

	if (!d)
		return -errno;
	do {
		errno = 0;
		entry = readdir(d);
	} while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
			   (except && !strcmp(entry->d_name, except))));
	int err = entry ? -ENOTEMPTY : -errno;
	closedir(d);
	return err;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int pv_remove_all(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
		return -errno;
	return 0;
}
