/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names the runs of a matrix, creates its folder, and loads the runs in it. */
#include "framework/run/matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/run/merge_parts.h"
#include "framework/run/protocol.h"
#include "framework/run/shard.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"

/* ---- combinations ---- */

static bool are_different(const char *const *values)
{
	for (size_t i = 1; values && values[0] && values[i]; i++)
		if (strcmp(values[i], values[0]))
			return true;
	return false;
}

bool pv_matrix_is_several(const struct pv_matrix_values *v)
{
	return are_different(v->targets) || are_different(v->kernels) || are_different(v->drivers);
}

static bool is_repeated(const char *const *values, size_t i)
{
	for (size_t k = 0; values && k < i; k++)
		if (!strcmp(values[k], values[i]))
			return true;
	return false;
}

const char *pv_matrix_repeated(const struct pv_matrix_values *v, const char **option)
{
	const struct {
		const char *option, *const *values;
	} lists[] = {{"target", v->targets}, {"kernel", v->kernels}, {"driver", v->drivers}};

	for (size_t k = 0; k < ARRAY_SIZE(lists); k++)
		for (size_t i = 0; lists[k].values && lists[k].values[i]; i++)
			if (is_repeated(lists[k].values, i)) {
				*option = lists[k].option;
				return lists[k].values[i];
			}
	return NULL;
}

/* Appends a value to a name, with characters of file names only. */
static void add_to_name(char *name, const char *value)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-";
	const size_t most = PV_MATRIX_NAME - sizeof("-26"); /* room for a number */
	size_t n = strlen(name);

	if (n && n < most)
		name[n++] = '_';
	for (; *value && n < most; value++)
		if (strchr(plain, *value) && (n || *value != '.'))
			name[n++] = *value;
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	name[n] = 0;
}

/* Names a run by what the runs differ in; runs of one name get numbers. `before`: n runs that have names. */
static void set_name(const struct pv_matrix_values *v, struct pv_matrix_run *run, const struct pv_matrix_run *before,
		     size_t n)
{
	unsigned twins = 1;

	if (are_different(v->targets))
		add_to_name(run->name, run->target);
	if (are_different(v->kernels))
		add_to_name(run->name, run->kernel);
	if (are_different(v->drivers))
		add_to_name(run->name, run->driver);
	size_t length = strlen(run->name);
	for (size_t i = 0; i < n; i++) {
		const char *name = before[i].name;

		twins += !strncmp(name, run->name, length) && (!name[length] || name[length] == '~');
	}
	if (twins > 1)
		snprintf(run->name + length, sizeof(run->name) - length, "~%u", twins);
}

/* A list that was not given has one value, which is NULL. */
static bool has_value(const char *const *values, size_t i)
{
	return values ? values[i] != NULL : !i;
}

static const char *value_of(const char *const *values, size_t i)
{
	return values ? values[i] : NULL;
}

int pv_matrix_combine(const struct pv_matrix_values *v, struct pv_matrix_run runs[PV_MATRIX_RUNS], size_t *n,
		      struct pv_error *e)
{
	*n = 0;
	for (size_t t = 0; has_value(v->targets, t); t++)
		for (size_t k = 0; has_value(v->kernels, k); k++)
			for (size_t d = 0; has_value(v->drivers, d); d++) {
				if (is_repeated(v->targets, t) || is_repeated(v->kernels, k) ||
				    is_repeated(v->drivers, d))
					continue;
				if (*n == PV_MATRIX_RUNS)
					return pv_error(e, -E2BIG,
							"expected at most %d combinations of kernels, drivers and "
							"targets",
							PV_MATRIX_RUNS);
				runs[*n] = (struct pv_matrix_run){.target = value_of(v->targets, t),
								  .kernel = value_of(v->kernels, k),
								  .driver = value_of(v->drivers, d)};
				set_name(v, &runs[*n], runs, *n);
				++*n;
			}
	return 0;
}

/* ---- the folder ---- */

static json_object *list_object(const struct pv_matrix_run *runs, size_t n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json_object *run = json_object_new_object();

		pv_json_given(run, "folder", runs[i].name);
		pv_json_given(run, "target", runs[i].target);
		pv_json_given(run, "kernel", runs[i].kernel);
		pv_json_given(run, "driver", runs[i].driver);
		if (runs[i].shards)
			pv_json_uint(run, "shards", runs[i].shards);
		json_object_array_add(list, run);
	}
	json_object_object_add(o, "runs", list);
	return o;
}

int pv_matrix_write(const char *folder, const struct pv_matrix_run *runs, size_t n, struct pv_error *e)
{
	return pv_run_folder_write(folder, PV_MATRIX_FILE, list_object(runs, n), e);
}

/* A folder with a list of runs is not empty, so that its claim is not needed any more. */
int pv_matrix_create(const char *path, const struct pv_matrix_run *runs, size_t n, char **out, struct pv_error *e)
{
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder = {.claim = -1};
	char journal[PATH_MAX];
	int err = path ? pv_folder_claim(path, &folder, e) : pv_folder_claim_default(&folder, e);

	if (!err)
		err = pv_matrix_write(folder.path, runs, n, e);
	if (err)
		return err;
	if (snprintf(journal, sizeof(journal), "%s/" PV_JOURNAL_FILE, folder.path) < (int)sizeof(journal))
		unlink(journal);
	*out = steal(&folder.path);
	return 0;
}

/* ---- a run whose shards are not merged ---- */

static void folders_free(char ***folders)
{
	for (char **f = *folders; f && *f; f++)
		free(*f);
	free(*folders);
}

/* Returns the paths of the folders of n shards; NULL: no memory. */
static char **shard_folders(const char *folder, unsigned n)
{
	char **folders = calloc(n + 1, sizeof(*folders));

	for (unsigned i = 0; folders && i < n; i++)
		if (asprintf(&folders[i], "%s/shards/%u", folder, i + 1) < 0) {
			folders[i] = NULL;
			folders_free(&folders);
			return NULL;
		}
	return folders;
}

/* Sets *e to the reason why the n shards of `folder` are not merged. */
static void find_reason(const char *folder, unsigned n, struct pv_error *e)
{
	_cleanup_(pv_merge_parts_free) struct pv_merge_parts parts = {0};
	_cleanup_(folders_free) char **shards = shard_folders(folder, n);

	for (unsigned i = 0; shards && i < n; i++)
		if (access(shards[i], F_OK)) {
			pv_error(e, -ENOENT, "shard %u/%u has not begun", i + 1, n);
			return;
		}
	if (!shards)
		pv_error(e, -ENOMEM, "no memory");
	else if (!pv_merge_parts_read(&parts, (const char *const *)shards, n, e))
		pv_error(e, -ENOENT, "the shards are not merged; `sh %s/merge.sh` merges them", folder);
}

struct pv_run_result *pv_matrix_lost_run(const struct pv_matrix_run *run, const char *board, const char *folder,
					 const char *why)
{
	const char *kernel = run->kernel && *run->kernel ? run->kernel : NULL;
	struct pv_run_result *r = calloc(1, sizeof(*r));
	char **properties = r ? calloc(2 + 1, sizeof(*properties)) : NULL;

	if (!properties) {
		free(r);
		return NULL;
	}
	r->properties = properties;
	const struct {
		char **to;
		const char *text;
	} texts[] = {{&r->target, run->target ? run->target : ""},
		     {&r->driver, run->driver ? run->driver : ""},
		     {&r->folder, folder},
		     {&r->why, why},
		     {&r->board, board},
		     {&r->command, ""},
		     {&r->hostname, ""},
		     {&r->version, ""},
		     {&r->rerun, ""},
		     {&properties[0], kernel ? "guest kernel" : NULL},
		     {&properties[1], kernel}};
	bool whole = true;
	for (size_t i = 0; whole && i < ARRAY_SIZE(texts); i++)
		whole = !texts[i].text || (*texts[i].to = strdup(texts[i].text));
	if (whole)
		return r;
	pv_run_result_free(r);
	return NULL;
}

/* Makes the result of a run of matrix.json that is not there. 0 or *e. */
static int lose(json_object *run, const char *folder, const char *why, struct pv_run_result **out, struct pv_error *e)
{
	const struct pv_matrix_run lost = {.target = pv_json_text(run, "target"),
					   .kernel = pv_json_text(run, "kernel"),
					   .driver = pv_json_text(run, "driver")};

	*out = pv_matrix_lost_run(&lost, "", folder, why);
	return *out ? 0 : pv_error(e, -ENOMEM, "no memory");
}

/* Loads the run that was merged in a folder. */
static int load_merged(json_object *run, const char *folder, struct pv_run_result **out, struct pv_error *e)
{
	int64_t n = pv_field_int(run, "shards");
	_autofree_ char *all = NULL;
	struct pv_error why = {0};

	if (asprintf(&all, "%s/all", folder) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	if (n < 1 || n > PV_SHARDS_MAX)
		pv_error(&why, -EINVAL, "expected 1 to %d shards, got %lld", PV_SHARDS_MAX, (long long)n);
	else if (access(all, F_OK))
		find_reason(folder, (unsigned)n, &why);
	else if (!pv_run_load(all, out, &why))
		return 0;
	return lose(run, all, why.text, out, e);
}

/* ---- loading ---- */

static int load_run(const char *matrix, json_object *run, struct pv_run_result **out, struct pv_error *e)
{
	const char *name = pv_json_text(run, "folder");
	_autofree_ char *path = NULL, *settings = NULL;

	if (!*name || *name == '.' || strchr(name, '/'))
		return pv_error(e, -EINVAL, "%s/" PV_MATRIX_FILE ": expected the name of a folder, got '%s'", matrix,
				PV_SHOW(name));
	if (asprintf(&path, "%s/%s", matrix, name) < 0 || asprintf(&settings, "%s/" PV_SETTINGS_FILE, path) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	if (json_object_object_get(run, "shards"))
		return load_merged(run, path, out, e);
	return access(settings, F_OK) ? lose(run, path, "it has not begun", out, e) : pv_run_load(path, out, e);
}

int pv_matrix_load(const char *path, struct pv_run_result **runs, size_t max, size_t *n, struct pv_error *e)
{
	json_object *o = pv_run_folder_read(path, PV_MATRIX_FILE, e);
	json_object *list = o ? json_object_object_get(o, "runs") : NULL;
	size_t count = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	int err = o ? 0 : e->code;

	*n = 0;
	for (size_t i = 0; !err && i < count; i++) {
		if (*n == max) {
			err = pv_error(e, -E2BIG, "%s/" PV_MATRIX_FILE ": more than %zu runs", path, max);
			break;
		}
		err = load_run(path, json_object_array_get_idx(list, i), &runs[*n], e);
		*n += !err;
	}
	json_object_put(o);
	return err;
}
