/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that others wrote. */
#include "framework/util/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/util/file.h"
#include "framework/util/utf8.h"

#define DEPTH_MAX 64

json_object *pv_json_parse(const char *text, size_t n, struct pv_error *e)
{
	bool fits = n < INT_MAX;
	json_tokener *tok = fits ? json_tokener_new_ex(DEPTH_MAX) : NULL;

	if (!tok) {
		pv_error(e, fits ? -ENOMEM : -EFBIG, "%zu bytes of JSON: %s", n, fits ? "no memory" : "too many");
		return NULL;
	}
	/* With the 0 byte, which ends a number or a word. */
	_autojson_ json_object *o = json_tokener_parse_ex(tok, text, (int)n + 1);
	enum json_tokener_error err = json_tokener_get_error(tok);
	size_t end = json_tokener_get_parse_end(tok); /* and of blanks behind it */

	json_tokener_free(tok);
	end = end > n ? n : end;
	if (o && end == n)
		return steal(&o);
	if (err != json_tokener_success)
		pv_error(e, -EINVAL, "expected JSON, got a mistake at byte %zu: %s", end, json_tokener_error_desc(err));
	else if (end < n)
		pv_error(e, -EINVAL, "expected one JSON value, got more behind it, at byte %zu", end);
	else
		pv_error(e, -EINVAL, "expected a JSON value, got null");
	return NULL;
}

int pv_json_read(const char *path, size_t max, enum json_type type, json_object **out, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	struct pv_error why = {0};
	size_t n;
	int err = pv_file_read(path, max, &text, &n, e);

	if (err)
		return err;
	_autojson_ json_object *o = pv_json_parse(text, n, &why);
	if (!o)
		return pv_error(e, why.code, "%s: %s", pv_file_name(path), why.text);
	if (!json_object_is_type(o, type))
		return pv_error(e, -EINVAL, "%s: expected JSON of type %s, got type %s", pv_file_name(path),
				json_type_to_name(type), json_type_to_name(json_object_get_type(o)));
	*out = steal(&o);
	return 0;
}

/* Returns the length of the character at s, a string with 0 bytes in it; 0: there is none that a text may have. */
static size_t character(const char *s)
{
	unsigned code;

	return *s ? pv_utf8_decode(s, &code) : 0;
}

static bool is_text(const char *s, size_t n)
{
	size_t length = 1;

	for (size_t i = 0; i < n && length; i += length)
		length = character(s + i);
	return length;
}

static void clean(json_object *value)
{
	const char *s = json_object_get_string(value);
	size_t n = (size_t)json_object_get_string_len(value), size;
	_autofree_ char *text = NULL;
	FILE *f = is_text(s, n) ? NULL : open_memstream(&text, &size);

	if (!f)
		return;
	for (size_t i = 0; i < n; i++) {
		size_t length = character(s + i);

		if (length)
			fwrite(s + i, 1, length, f);
		else
			fputs(s[i] ? "\xef\xbf\xbd" : "#x00", f);
		i += length ? length - 1 : 0;
	}
	if (!fclose(f))
		json_object_set_string(value, text);
}

void pv_json_clean(json_object *o)
{
	json_object_object_foreach(o, key, value)
	{
		(void)key;
		if (json_object_is_type(value, json_type_string))
			clean(value);
	}
}
