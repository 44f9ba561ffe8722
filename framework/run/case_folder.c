/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of a case and its log. The beginning of the log is kept, since the first error is in it.
 */
#include "framework/run/case_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/util/file.h"

enum { LOG_READ_MAX = 1 << 20, ARTEFACTS_MAX = 1000 };

static void fail(struct pv_case_folder *f, int err)
{
	if (!f->err)
		f->err = err;
}

/* ---- making it ---- */

static int open_log(struct pv_case_folder *f)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" PV_LOG_FILE, f->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	f->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	return f->log < 0 ? -errno : 0;
}

static int make(struct pv_case_folder *f, const char *run, const struct pv_job *job, size_t index, bool anew,
		char *spare)
{
	char name[PV_CASE_FOLDER_NAME];

	pv_case_folder_name(job, index, name);
	if (snprintf(f->path, sizeof(f->path), "%s/" PV_CASES_FOLDER "/%s", run, name) >= (int)sizeof(f->path))
		return -ENAMETOOLONG;
	int err = anew ? pv_remove_all(f->path) : 0;
	if (err)
		return err;
	bool renamed = *spare && !rename(spare, f->path);
	if (renamed)
		*spare = 0;
	return renamed || !mkdir(f->path, 0777) ? 0 : -errno;
}

int pv_case_folder_make(struct pv_case_folder *f, const char *run, const struct pv_job *job, size_t index, bool anew,
			char spare[PATH_MAX])
{
	*f = (struct pv_case_folder){.log = -1};
	f->err = make(f, run, job, index, anew, spare);
	return f->err;
}

/* ---- the log ---- */

static void write_raw(struct pv_case_folder *f, const char *text, size_t n)
{
	int err = n && *f->path && f->log < 0 ? open_log(f) : 0;

	if (!err && n && f->log >= 0)
		err = pv_write_all(f->log, text, n);
	if (err)
		fail(f, err);
	if (n)
		f->partial = text[n - 1] != '\n';
}

void pv_case_folder_log(struct pv_case_folder *f, const char *text, size_t n)
{
	static const char cut[] = "\n[cut: the log is longer than 256 KiB]\n";
	size_t room = PV_CASELOG_MAX - f->bytes;
	size_t fits = n < room ? n : room;

	write_raw(f, text, fits);
	f->bytes += fits;
	if (n > room && !f->cut) {
		f->cut = true;
		write_raw(f, cut, sizeof(cut) - 1);
	}
}

void pv_case_folder_log_line(struct pv_case_folder *f, const char *level, const char *text)
{
	char *line = NULL;
	int n = asprintf(&line, "%s%s%s%s\n", f->partial ? "\n" : "", level, *level ? ": " : "", text);

	if (n < 0)
		return;
	pv_case_folder_log(f, line, (size_t)n);
	free(line);
}

/* ---- its end ---- */

/* The log is bounded as it is written, and takes the notes about the others. */
void pv_case_folder_trim(struct pv_case_folder *f, uint64_t most)
{
	DIR *d = most ? opendir(f->path) : NULL;

	if (!d)
		return;
	for (struct dirent *entry; (entry = readdir(d));) {
		struct stat st;
		char text[512];

		if (!strcmp(entry->d_name, PV_LOG_FILE) || fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || (uint64_t)st.st_size <= most || unlinkat(dirfd(d), entry->d_name, 0))
			continue;
		snprintf(text, sizeof(text), "artefact %s removed: %llu bytes, more than the limit of %llu",
			 entry->d_name, (unsigned long long)st.st_size, (unsigned long long)most);
		pv_case_folder_log_line(f, "runner", text);
	}
	closedir(d);
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n == 2; /* itself and its parent */
}

void pv_case_folder_close(struct pv_case_folder *f, bool keep, bool passed, char spare[PATH_MAX])
{
	char path[PATH_MAX + sizeof(PV_LOG_FILE) + 1];
	bool logged = f->log >= 0;

	if (logged && close(f->log))
		fail(f, -errno);
	f->log = -1;
	if (keep || !*f->path || (f->bytes && !passed))
		return;
	snprintf(path, sizeof(path), "%s/" PV_LOG_FILE, f->path);
	if (logged)
		unlink(path);
	if (spare && !*spare && is_empty(f->path))
		memcpy(spare, f->path, sizeof(f->path));
	else if (rmdir(f->path) && passed)
		pv_remove_all(f->path);
}

void pv_case_folder_put_aside(struct pv_case_folder *f, unsigned attempt)
{
	char aside[PATH_MAX];
	bool there = pv_attempt_folder(f->path, attempt, aside) && !pv_remove_all(aside);

	if (there && rename(f->path, aside) && errno != ENOENT)
		fail(f, -errno);
}

/* ---- its contents ---- */

static int is_artefact(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, PV_LOG_FILE);
}

/* The files count, not the agent's statements about them. */
static char **list_files(const char *folder)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_artefact, alphasort);
	char **out = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*out));
	size_t used = 0;

	for (int i = 0; i < n; i++) {
		struct stat st;
		char *path = NULL;
		bool kept = out && used < ARTEFACTS_MAX && asprintf(&path, "%s/%s", folder, entries[i]->d_name) >= 0;

		if (kept && !lstat(path, &st) && S_ISREG(st.st_mode))
			out[used++] = path;
		else if (kept)
			free(path);
		free(entries[i]);
	}
	free(entries);
	return out;
}

void pv_case_folder_load(const char *path, char ***artefacts, char **text)
{
	char log[PATH_MAX];
	struct pv_error ignored;
	struct stat st;
	size_t n;

	*artefacts = list_files(path);
	if (snprintf(log, sizeof(log), "%s/" PV_LOG_FILE, path) < (int)sizeof(log) && !lstat(log, &st) &&
	    S_ISREG(st.st_mode))
		pv_file_read(log, LOG_READ_MAX, text, &n, &ignored);
}
