/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates the folder of a matrix of runs, and finds the runs in it. */
#include "framework/run/matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

static json_object *list_object(const struct pv_matrix_run *runs, size_t n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json_object *run = json_object_new_object();

		pv_json_given(run, "folder", runs[i].name);
		pv_json_given(run, "target", runs[i].target);
		pv_json_given(run, "kernel", runs[i].kernel);
		pv_json_given(run, "driver", runs[i].driver);
		json_object_array_add(list, run);
	}
	json_object_object_add(o, "runs", list);
	return o;
}

/* A folder with a list of runs is not empty, so that its claim is not needed any more. */
int pv_matrix_create(const char *path, const struct pv_matrix_run *runs, size_t n, char **out, struct pv_error *e)
{
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder = {.claim = -1};
	char journal[PATH_MAX];
	int err = path ? pv_folder_claim(path, &folder, e) : pv_folder_claim_default(&folder, e);

	if (!err)
		err = pv_run_folder_write(folder.path, PV_MATRIX_FILE, list_object(runs, n), e);
	if (err)
		return err;
	if (snprintf(journal, sizeof(journal), "%s/" PV_JOURNAL_FILE, folder.path) < (int)sizeof(journal))
		unlink(journal);
	*out = steal(&folder.path);
	return 0;
}

void pv_matrix_folders_free(char **folders)
{
	for (char **f = folders; f && *f; f++)
		free(*f);
	free(folders);
}

/* Returns the path of a run; the caller frees it. NULL: it has not begun, or its name is none that we gave. */
static char *folder_of(const char *matrix, json_object *run)
{
	const char *name = pv_field_string(run, "folder");
	_autofree_ char *path = NULL, *settings = NULL;

	if (!*name || *name == '.' || strchr(name, '/') || asprintf(&path, "%s/%s", matrix, name) < 0)
		return NULL;
	if (asprintf(&settings, "%s/" PV_SETTINGS_FILE, path) < 0 || access(settings, F_OK))
		return NULL;
	return steal(&path);
}

char **pv_matrix_folders(const char *path, struct pv_error *e)
{
	json_object *o = pv_run_folder_read(path, PV_MATRIX_FILE, e);
	json_object *list = o ? json_object_object_get(o, "runs") : NULL;
	char **folders = o ? calloc(PV_MATRIX_RUNS + 1, sizeof(*folders)) : NULL;
	size_t count = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (o && !folders)
		pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0, n = 0; folders && i < count && n < PV_MATRIX_RUNS; i++)
		if ((folders[n] = folder_of(path, json_object_array_get_idx(list, i))))
			n++;
	json_object_put(o);
	return folders;
}
