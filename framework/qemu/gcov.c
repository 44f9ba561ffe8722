/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies gcov's files out of a guest. */
#include "framework/qemu/gcov.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

#define COUNTS_MAX (1u << 20)  /* bytes; those of a driver are some KiB */
#define NOTES_MAX  (16u << 20) /* bytes */

/* ---- the objects ---- */

static const char *text(json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key));
}

/* Returns the place of an object in the list, or its end. */
static size_t place_of(json_object *list, const char *object)
{
	size_t i = 0, n = json_object_array_length(list);

	while (i < n && strcmp(text(json_object_array_get_idx(list, i), "object"), object))
		i++;
	return i;
}

static int add_object(json_object *list, const char *folder, const char *object, const char *counts)
{
	_autofree_ char *notes = NULL;
	_autojson_ json_object *o = json_object_new_object();

	if (asprintf(&notes, "%s/gcov/%s.gcno", folder, object) < 0 || !pv_json_string(o, "object", object) ||
	    !pv_json_string(o, "counts", counts) || !pv_json_string(o, "notes", notes))
		return -ENOMEM;
	return json_object_array_put_idx(list, place_of(list, object), json_object_get(o)) ? -ENOMEM : 0;
}

int pv_gcov_add_objects(const char *folder, json_object *out)
{
	_autofree_ char *path = NULL;
	char object[64], counts[PATH_MAX], format[32];

	if (asprintf(&path, "%s/gcov/files", folder) < 0)
		return -ENOMEM;
	_autofclose_ FILE *f = fopen(path, "re");
	if (!f)
		return -errno;
	snprintf(format, sizeof(format), "%%63s %%%d[^\n]", PATH_MAX - 1);
	int err = -EBADMSG;
	for (int n; (n = fscanf(f, format, object, counts)) != EOF;) {
		err = n == 2 ? add_object(out, folder, object, counts) : -EBADMSG;
		if (err)
			break;
	}
	return err;
}

/* ---- a case ---- */

/* Copies a file, unless an earlier case of the run has done that. */
static int copy_once(const char *from, const char *to, struct pv_error *e)
{
	_autofree_ char *data = NULL;
	size_t n;

	if (!access(to, R_OK))
		return 0;
	int err = pv_file_read(from, NOTES_MAX, &data, &n, e);
	return err ? err : pv_file_write(to, data, n, e);
}

/* Copies the notes of an object, and its source if that is beside them. */
static int copy_notes(json_object *o, const char *top, struct pv_error *e)
{
	_autofree_ char *to = NULL, *source = NULL, *copy = NULL;
	const char *notes = text(o, "notes"), *object = text(o, "object");

	if (asprintf(&to, "%s/%s.gcno", top, object) < 0 || asprintf(&copy, "%s/%s.c", top, object) < 0 ||
	    asprintf(&source, "%.*s.c", (int)(strlen(notes) - strlen(".gcno")), notes) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	int err = copy_once(notes, to, e);
	return err || access(source, F_OK) ? err : copy_once(source, copy, e);
}

static int save_object(json_object *o, struct pv_shell *shell, const char *top, const char *folder, struct pv_error *e)
{
	_autofree_ char *to = NULL, *counts = NULL;
	size_t n;

	if (asprintf(&to, "%s/%s.gcda", folder, text(o, "object")) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	int err = pv_shell_read_file(shell, text(o, "counts"), 0, COUNTS_MAX, &counts, &n);
	if (err == -ENOENT)
		return 0;
	if (err)
		return pv_error(e, err, "reading %s in the guest: %s", text(o, "counts"), strerror(-err));
	err = pv_mkdir_all(folder, 0777);
	if (err)
		return pv_error(e, err, "making %s: %s", folder, strerror(-err));
	err = copy_notes(o, top, e);
	return err ? err : pv_file_write(to, counts, n, e);
}

int pv_gcov_save(json_object *objects, struct pv_shell *shell, const char *folder, unsigned boot, struct pv_error *e)
{
	_autofree_ char *top = NULL, *to = NULL;
	const char *name = strrchr(folder, '/');
	int err = 0;

	if (!name || asprintf(&top, "%s/../../gcov", folder) < 0 || asprintf(&to, "%s%s+%u", top, name, boot) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < json_object_array_length(objects) && !err; i++)
		err = save_object(json_object_array_get_idx(objects, i), shell, top, to, e);
	return err ? pv_error_context(e, "saving the driver's line coverage: ") : 0;
}
