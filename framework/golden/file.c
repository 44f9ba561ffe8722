/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in two halves, for goldens that are more than one file. */
#include "framework/golden/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

static int failed(struct pv_error *e, const char *doing, const char *path, int err)
{
	return pv_error(e, -err, "%s: %s: %s", path, doing, strerror(err));
}

int pv_golden_write_aside(const char *path, const void *data, size_t len, struct pv_error *e)
{
	_autofree_ char *aside = NULL;

	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	return pv_file_write(aside, data, len, e);
}

int pv_golden_rename_aside(const char *path, struct pv_error *e)
{
	_autofree_ char *aside = NULL;

	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	return rename(aside, path) ? failed(e, "cannot be put in place", path, errno) : 0;
}
