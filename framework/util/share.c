/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking upwards from a file, here, and beside the program. */
#include "framework/util/share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

/* `path` is cut to each of its folders in turn, from the inside out. */
static char *find_above(char *path, const char *name)
{
	char *slash, *found = NULL;

	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (asprintf(&found, "%s/%s", path, name) < 0)
			return NULL;
		if (!access(found, F_OK))
			return found;
		free(found);
	}
	return NULL;
}

/* The real path of a file; of its folder, and its name, if it is not there. */
static char *absolute(const char *file)
{
	char *there = realpath(file, NULL);

	if (there)
		return there;
	const char *slash = strrchr(file, '/');
	_autofree_ char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
	_autofree_ char *real = folder ? realpath(folder, NULL) : NULL;
	char *path;

	return !real || asprintf(&path, "%s/%s", real, slash ? slash + 1 : file) < 0 ? NULL : path;
}

/* The real path of `folder`/`name`, where `folder` is relative to that of this program; NULL: not there. */
static char *find_beside(const char *folder, const char *name)
{
	_autofree_ char *self = realpath("/proc/self/exe", NULL), *path = NULL;
	char *slash = self ? strrchr(self, '/') : NULL;

	if (!slash || asprintf(&path, "%.*s/%s/%s", (int)(slash - self), self, folder, name) < 0)
		return NULL;
	return realpath(path, NULL);
}

static char *find_installed(const char *name)
{
	return find_beside("../share/pcieval", name);
}

char *pv_share_program(const char *name)
{
	static const char *const folders[] = {".", "framework/far", "../libexec/pcieval"};
	_autofree_ char *installed = NULL;
	char *found = NULL;

	for (size_t i = 0; !found && i < ARRAY_SIZE(folders); i++)
		found = find_beside(folders[i], name);
	if (!found && asprintf(&installed, "%s/%s", PCIEVAL_LIBEXEC, name) >= 0)
		found = realpath(installed, NULL);
	return found;
}

int pv_share_no_program(const char *name, struct pv_error *e)
{
	_autofree_ char *self = realpath("/proc/self/exe", NULL);

	return pv_error(
		e, -ENOENT,
		"expected %s beside %s, in framework/far or ../libexec/pcieval from there, or in %s, got none: copy "
		"it together with pcieval",
		name, self ? self : "pcieval", PCIEVAL_LIBEXEC);
}

char *pv_share_find(const char *from, const char *name)
{
	_autofree_ char *path = from ? absolute(from) : NULL;
	char *found = path ? find_above(path, name) : NULL;

	if (!found)
		found = realpath(name, NULL);
	return found ? found : find_installed(name);
}

bool pv_share_is_installed(const char *path)
{
	_autofree_ char *share = find_installed("."), *real = realpath(path, NULL);
	size_t n = share ? strlen(share) : 0;

	return n && real && !strncmp(real, share, n) && (real[n] == '/' || !real[n]);
}
