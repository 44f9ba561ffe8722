/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs gcov(1) on the counts of each case and adds up its JSON. Most cases leave the same counts in the drivers that
 * they do not use, so equal files are read once.
 */
#include "framework/run/driver_lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"
#include "framework/util/json.h"
#include "framework/util/spawn.h"

#define GCOV		"aarch64-linux-gnu-gcov"
#define COUNTS_MAX	(1u << 20)  /* bytes of a .gcda */
#define SAID_MAX	(64u << 20) /* bytes of gcov's output */
#define LINE_MAX_NUMBER 1000000

struct place {
	uint32_t file; /* index */
	unsigned line; /* number */
};

/* Counts that were read, and the lines that they reach. */
struct known {
	uint64_t hash;
	struct place *places;
	size_t n;
};

struct reading {
	struct pv_driver_lines *lines;
	const char *folder; /* PATH/gcov */
	char scratch[64];   /* folder where gcov finds notes and counts under one name */
	struct known *known;
	size_t n_known;
	uint32_t kase; /* the case that is read */
	struct pv_error *e;
};

/* ---- files and lines ---- */

static int no_memory(struct reading *r)
{
	return pv_error(r->e, -ENOMEM, "no memory");
}

/* Makes room for one more element. NULL: no memory. */
static void *grown(void *list, size_t n, size_t bytes)
{
	return n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * bytes);
}

/* Returns where the text of a source file is: "OBJECT.c" of the run if there is one. NULL: no memory. */
static char *text_of(const struct reading *r, const char *path, const char *folder, const char *object)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(object);
	char *text;

	if (!strncmp(name, object, n) && !strcmp(name + n, ".c")) {
		if (asprintf(&text, "%s/%s", r->folder, name) < 0)
			return NULL;
		if (!access(text, R_OK))
			return text;
		free(text);
	}
	if (*path == '/')
		return strdup(path);
	return asprintf(&text, "%s/%s", folder, path) < 0 ? NULL : text;
}

/* Returns the file with this path, a new one if necessary. NULL: no memory. */
static struct pv_source_file *file_of(struct reading *r, const char *path, const char *folder, const char *object)
{
	struct pv_driver_lines *l = r->lines;

	for (size_t i = 0; i < l->n_files; i++)
		if (!strcmp(l->files[i].path, path))
			return &l->files[i];
	struct pv_source_file *files = grown(l->files, l->n_files, sizeof(*files));
	if (!files)
		return NULL;
	l->files = files;
	struct pv_source_file *f = &files[l->n_files];
	*f = (struct pv_source_file){.path = strdup(path), .text = text_of(r, path, folder, object)};
	l->n_files++;
	return f->path && f->text ? f : NULL;
}

/* Returns the line with this number, a new one if necessary; lines stay in order. NULL: no memory. */
static struct pv_driver_line *line_of(struct pv_source_file *f, unsigned number, const char *function)
{
	size_t at = f->n_lines;

	while (at && f->lines[at - 1].number >= number)
		at--;
	if (at < f->n_lines && f->lines[at].number == number)
		return &f->lines[at];
	struct pv_driver_line *lines = grown(f->lines, f->n_lines, sizeof(*lines));
	if (!lines)
		return NULL;
	f->lines = lines;
	memmove(&lines[at + 1], &lines[at], (f->n_lines - at) * sizeof(*lines));
	lines[at] = (struct pv_driver_line){.number = number, .function = strdup(function)};
	f->n_lines++;
	return lines[at].function ? &lines[at] : NULL;
}

static bool mark_case(struct pv_driver_line *line, uint32_t kase)
{
	if (line->n_cases && line->cases[line->n_cases - 1] == kase)
		return true;
	uint32_t *cases = grown(line->cases, line->n_cases, sizeof(*cases));
	if (!cases)
		return false;
	line->cases = cases;
	cases[line->n_cases++] = kase;
	return true;
}

/* ---- gcov's JSON ---- */

static bool take_branches(struct pv_driver_line *line, json_object *branches)
{
	size_t n = json_object_is_type(branches, json_type_array) ? json_object_array_length(branches) : 0;

	if (n > line->n_branches) {
		unsigned char *taken = realloc(line->taken, n);

		if (!taken)
			return false;
		memset(taken + line->n_branches, 0, n - line->n_branches);
		line->taken = taken;
		line->n_branches = n;
	}
	for (size_t i = 0; i < n; i++) {
		json_object *b = json_object_array_get_idx(branches, i);

		line->taken[i] |= json_object_get_int64(json_object_object_get(b, "count")) > 0;
	}
	return true;
}

/* Adds a line of gcov's; `k` remembers it if the case reaches it. */
static int take_line(struct reading *r, struct pv_source_file *f, json_object *o, struct known *k)
{
	int64_t number = json_object_get_int64(json_object_object_get(o, "line_number"));
	bool reached = json_object_get_int64(json_object_object_get(o, "count")) > 0;

	if (number < 1 || number > LINE_MAX_NUMBER)
		return pv_error(r->e, -EBADMSG, "gcov: expected a line number, got %lld", (long long)number);
	struct pv_driver_line *line = line_of(f, (unsigned)number, pv_json_text(o, "function_name"));
	if (!line || !take_branches(line, json_object_object_get(o, "branches")) ||
	    (reached && !mark_case(line, r->kase)))
		return no_memory(r);
	if (!reached)
		return 0;
	struct place *places = grown(k->places, k->n, sizeof(*places));
	if (!places)
		return no_memory(r);
	k->places = places;
	places[k->n++] = (struct place){(uint32_t)(f - r->lines->files), (unsigned)number};
	return 0;
}

static bool is_source(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && !strcmp(path + n - 2, ".c");
}

static int take_file(struct reading *r, json_object *o, const char *folder, const char *object, struct known *k)
{
	json_object *lines = json_object_object_get(o, "lines");
	const char *path = pv_json_text(o, "file");
	size_t n = json_object_is_type(lines, json_type_array) ? json_object_array_length(lines) : 0;
	int err = 0;

	if (!is_source(path))
		return 0;
	struct pv_source_file *f = file_of(r, path, folder, object);
	if (!f)
		return no_memory(r);
	for (size_t i = 0; i < n && !err; i++)
		err = take_line(r, f, json_object_array_get_idx(lines, i), k);
	return err;
}

/* gcov succeeds, without files, if it cannot read its input. */
static int take_report(struct reading *r, const char *said, const char *object, const char *counts, struct known *k)
{
	_autojson_ json_object *o = pv_json_parse(said, strlen(said), NULL);
	json_object *files = json_object_object_get(o, "files");
	size_t n = json_object_is_type(files, json_type_array) ? json_object_array_length(files) : 0;
	int err = 0;

	if (!n)
		return pv_error(r->e, -EBADMSG,
				"%s: gcov reports no lines; set GCOV to the gcov of the compiler that the driver was "
				"compiled with",
				counts);
	for (size_t i = 0; i < n && !err; i++)
		err = take_file(r, json_object_array_get_idx(files, i), pv_json_text(o, "current_working_directory"),
				object, k);
	return err;
}

/* ---- running gcov ---- */

static int run_gcov(struct reading *r, const char *object, const char *counts, struct known *k)
{
	const char *gcov = getenv("GCOV");
	_autofree_ char *notes = NULL, *link = NULL, *data = NULL;
	char why[64];
	int status;

	gcov = gcov && *gcov ? gcov : GCOV;
	if (asprintf(&notes, "%s/%s.gcno", r->folder, object) < 0 ||
	    asprintf(&link, "%s/%s.gcno", r->scratch, object) < 0 ||
	    asprintf(&data, "%s/%s.gcda", r->scratch, object) < 0)
		return no_memory(r);
	unlink(link);
	unlink(data);
	if (symlink(notes, link) || symlink(counts, data))
		return pv_error(r->e, -errno, "making a link in %s: %s", r->scratch, strerror(errno));
	const char *const argv[] = {gcov, "-j", "-t", "-b", data, NULL};
	const struct pv_spawn spawn = {.argv = argv, .streams = {-1, -1, -1}, .end_signal = SIGKILL};
	_autofree_ char *said = pv_spawn_output(&spawn, SAID_MAX, &status);
	if (!said || status)
		return pv_error(r->e, WEXITSTATUS(status) == PV_SPAWN_FAILED ? -ENOENT : -EBADMSG,
				"%s: running %s: %s; ci/setup guest installs it, and GCOV names another", counts, gcov,
				pv_spawn_status(status, why, sizeof(why)));
	return take_report(r, said, object, counts, k);
}

/* ---- cases ---- */

/* Marks the lines of counts that are known. */
static int mark_known(struct reading *r, const struct known *k)
{
	for (size_t i = 0; i < k->n; i++) {
		struct pv_source_file *f = &r->lines->files[k->places[i].file];
		struct pv_driver_line *line = line_of(f, k->places[i].line, "");

		if (!line || !mark_case(line, r->kase))
			return no_memory(r);
	}
	return 0;
}

static int read_counts(struct reading *r, const char *path, const char *object)
{
	_autofree_ char *data = NULL;
	size_t n;
	int err = pv_file_read(path, COUNTS_MAX, &data, &n, r->e);

	if (err)
		return err;
	uint64_t hash = pv_hash_more(pv_hash_text(object), data, n);
	for (size_t i = 0; i < r->n_known; i++)
		if (r->known[i].hash == hash)
			return mark_known(r, &r->known[i]);
	struct known *known = grown(r->known, r->n_known, sizeof(*known));
	if (!known)
		return no_memory(r);
	r->known = known;
	known[r->n_known] = (struct known){.hash = hash};
	return run_gcov(r, object, path, &known[r->n_known++]);
}

/* Reads the OBJECT.gcda of a boot. */
static int read_boot(struct reading *r, const char *name)
{
	struct dirent **entry = NULL;
	_autofree_ char *folder = NULL;
	int err = 0,
	    n = asprintf(&folder, "%s/%s", r->folder, name) < 0 ? -1 : scandir(folder, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *dot = strrchr(entry[i]->d_name, '.');
		_autofree_ char *path = NULL;

		if (!err && dot && !strcmp(dot, ".gcda")) {
			err = asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0 ? no_memory(r) : 0;
			*dot = 0;
			err = err ? err : read_counts(r, path, entry[i]->d_name);
		}
		free(entry[i]);
	}
	free(entry);
	return err;
}

/* "0012-ptt-tune-set+1" is of case 12. */
static int read_cases(struct reading *r, const struct pv_run_result *run, size_t first)
{
	struct dirent **entry = NULL;
	int err = 0, n = scandir(r->folder, &entry, NULL, versionsort);
	size_t found = 0;

	for (int i = 0; i < n; i++) {
		char *end;
		unsigned long k = strtoul(entry[i]->d_name, &end, 10);

		if (!err && *end == '-' && end > entry[i]->d_name && k < run->n_cases) {
			r->kase = (uint32_t)(first + k);
			err = read_boot(r, entry[i]->d_name);
			found++;
		}
		free(entry[i]);
	}
	free(entry);
	if (!err && !found)
		err = pv_error(r->e, -ENOENT,
			       "%s: expected line coverage of a driver, got none: run with --target qemu "
			       "--driver-coverage",
			       run->folder);
	return err;
}

static int add_names(struct pv_driver_lines *l, const struct pv_run_result *run)
{
	char **cases = realloc(l->cases, (l->n_cases + run->n_cases + 1) * sizeof(*cases));

	if (!cases)
		return -ENOMEM;
	l->cases = cases;
	for (size_t i = 0; i < run->n_cases; i++)
		if (asprintf(&cases[l->n_cases++], "%s/%s", run->cases[i].plan, run->cases[i].name) < 0)
			return cases[l->n_cases - 1] = NULL, -ENOMEM;
	return 0;
}

int pv_driver_lines_add_run(struct pv_driver_lines *l, const struct pv_run_result *run, struct pv_error *e)
{
	struct reading r = {.lines = l, .scratch = "/tmp/pcieval-gcov-XXXXXX", .e = e};
	_autofree_ char *folder = NULL, *real = realpath(run->folder, NULL);
	size_t first = l->n_cases;

	if (!real || asprintf(&folder, "%s/gcov", real) < 0 || add_names(l, run))
		return no_memory(&r);
	if (!mkdtemp(r.scratch))
		return pv_error(e, -errno, "making %s: %s", r.scratch, strerror(errno));
	r.folder = folder;
	int err = read_cases(&r, run, first);
	pv_remove_all(r.scratch);
	for (size_t i = 0; i < r.n_known; i++)
		free(r.known[i].places);
	free(r.known);
	return err;
}

void pv_driver_lines_free(struct pv_driver_lines *l)
{
	for (size_t i = 0; i < l->n_files; i++) {
		struct pv_source_file *f = &l->files[i];

		for (size_t k = 0; k < f->n_lines; k++) {
			free(f->lines[k].function);
			free(f->lines[k].cases);
			free(f->lines[k].taken);
		}
		free(f->lines);
		free(f->path);
		free(f->text);
	}
	free(l->files);
	for (size_t i = 0; i < l->n_cases; i++)
		free(l->cases[i]);
	free(l->cases);
}
