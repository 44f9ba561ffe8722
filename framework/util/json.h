/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON that others wrote; builds JSON and detects failed allocations. Functions that add a value return whether
 * they did, and release a value that they could not add. A NULL object refuses everything.
 */
#ifndef PV_UTIL_JSON_H
#define PV_UTIL_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "framework/util/cleanup.h"
#include "framework/util/error.h"

static inline void pv_json_putp(json_object **o)
{
	json_object_put(*o);
}
#define _autojson_ _cleanup_(pv_json_putp)

/*
 * Parses n bytes, with a 0 byte behind them, as one JSON value and nothing else; json-c alone takes whatever follows
 * it. At most 64 levels deep. NULL: *e (may be NULL) says where and why; -EINVAL, -EFBIG or -ENOMEM.
 */
json_object *pv_json_parse(const char *text, size_t n, struct pv_error *e);

/*
 * Reads the file, of at most max bytes, as one JSON value of the type; "-" is standard input. The caller
 * releases *out. Errors: those of pv_file_read() and pv_json_parse(); -EINVAL if the value has another type.
 */
int pv_json_read(const char *path, size_t max, enum json_type type, json_object **out, struct pv_error *e);

/* Returns a string that is a member of an object; "": it is missing, or no string. */
static inline const char *pv_json_text(json_object *o, const char *key)
{
	json_object *value = json_object_object_get(o, key);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

/* Returns true for an integer of at least 0. json-c makes a number of other values, too: 3 of "3x" and 3.9, 0 of -1. */
static inline bool pv_json_is_count(json_object *value)
{
	return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0;
}

/*
 * Makes the strings of an object texts: shows U+0000, which would end one in C, as "#x00", as reports do with other
 * control characters, and bytes that are not UTF-8, which other readers of JSON refuse, as U+FFFD.
 */
void pv_json_clean(json_object *o);

static inline json_object *pv_json_put(json_object *o)
{
	json_object_put(o);
	return NULL;
}

static inline bool pv_json_add(json_object *o, const char *key, json_object *value)
{
	if (o && value && !json_object_object_add(o, key, value))
		return true;
	json_object_put(value);
	return false;
}

static inline bool pv_json_append(json_object *array, json_object *value)
{
	if (array && value && !json_object_array_add(array, value))
		return true;
	json_object_put(value);
	return false;
}

static inline bool pv_json_int(json_object *o, const char *key, int64_t value)
{
	return pv_json_add(o, key, json_object_new_int64(value));
}

static inline bool pv_json_uint(json_object *o, const char *key, uint64_t value)
{
	return pv_json_add(o, key, json_object_new_uint64(value));
}

static inline bool pv_json_bool(json_object *o, const char *key, bool value)
{
	return pv_json_add(o, key, json_object_new_boolean(value));
}

static inline bool pv_json_string(json_object *o, const char *key, const char *value)
{
	return pv_json_add(o, key, json_object_new_string(value));
}

/* Leaves out a text that is not given. */
static inline bool pv_json_given(json_object *o, const char *key, const char *value)
{
	return !value || pv_json_string(o, key, value);
}

/* Returns the object's text in one line, which the object owns; NULL: no memory. */
static inline const char *pv_json_line(json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* Returns an array of the strings, up to NULL. NULL stands for no strings. */
static inline json_object *pv_json_strings(const char *const *strings)
{
	json_object *list = json_object_new_array();

	for (; strings && *strings; strings++)
		pv_json_append(list, json_object_new_string(*strings));
	return list;
}

#endif
