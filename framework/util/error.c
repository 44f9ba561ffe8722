/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error objects and errno names. */
#include "framework/util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/utf8.h"

int pv_error(struct pv_error *e, int code, const char *fmt, ...)
{
	if (!e)
		return code;
	va_list ap;
	va_start(ap, fmt);
	e->code = code;
	pv_utf8_vprint(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

int pv_error_context(struct pv_error *e, const char *fmt, ...)
{
	if (!e)
		return 0;
	char was[sizeof(e->text)];
	memcpy(was, e->text, sizeof(was));
	va_list ap;
	va_start(ap, fmt);
	int n = pv_utf8_vprint(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(e->text))
		pv_utf8_print(e->text + n, sizeof(e->text) - (size_t)n, "%s", was);
	return e->code;
}

/* glibc's strerrorname_np() knows them all, but has no reverse. */
const char *pv_errno_name(int err)
{
	static _Thread_local char number[16];
	if (err < 0)
		err = -err;
	const char *name = err ? strerrorname_np(err) : "0";
	if (name)
		return name;
	snprintf(number, sizeof(number), "%d", err);
	return number;
}

int pv_errno_by_name(const char *name)
{
	for (int err = 0; err < 134; err++) {
		const char *n = strerrorname_np(err);

		if (n && !strcmp(n, name))
			return err;
	}
	return -1;
}
