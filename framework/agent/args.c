/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed attributes of steps. */
#include "framework/agent/args.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/ere.h"

/* ---- parsing of values ---- */

/* "0.05", "1.5G" */
static int real_parse(const char *text, double *out)
{
	char *end;
	uint64_t factor = 1;
	char one[4] = "1";
	double v = strtod(text, &end);

	if (end == text || !isfinite(v) || strlen(end) > 1)
		return -EINVAL;
	if (pv_number_parse(strcat(one, end), &factor))
		return -EINVAL;
	*out = v * (double)factor;
	return 0;
}

static int errno_parse(const char *text)
{
	return !strcmp(text, "0") ? 0 : pv_errno_by_name(text);
}

bool pv_word_next(const char **list, char *buf, size_t size)
{
	const char *s = *list + strspn(*list, " \t\n,");
	size_t n = strcspn(s, " \t\n,");

	*list = s + n;
	if (!n)
		return false;
	snprintf(buf, size, "%.*s", (int)n, s);
	return true;
}

bool pv_word_in(const char *list, const char *word)
{
	char one[256];

	while (pv_word_next(&list, one, sizeof(one)))
		if (!strcmp(one, word))
			return true;
	return false;
}

/* ---- checking ---- */

static int mismatch(const struct pv_args *a, const char *name, const char *expected, const char *got,
		    struct pv_error *e)
{
	return pv_error(e, -EINVAL, "%s:%d: %s: attribute %s: expected %s, got \"%s\"", a->file, a->line, a->kind, name,
			expected, got);
}

static int check_value(const struct pv_args *a, const struct pv_attr_decl *d, const char *text, struct pv_error *e)
{
	char expected[480];

	if (pv_attr_accepts(d, text))
		return 0;
	pv_attr_expected(d, expected, sizeof(expected));
	return mismatch(a, d->name, expected, text, e);
}

static bool is_given(const void *a, const char *attr)
{
	return pv_arg_has(a, attr);
}

static int check_rules(const struct pv_args *a, struct pv_error *e)
{
	char why[160];

	for (const struct pv_rule_decl *r = a->decl->rules; r && r->rule; r++)
		if (!pv_rule_holds(r, is_given, a, why, sizeof(why)))
			return pv_error(e, -EINVAL, "%s:%d: %s: expected %s", a->file, a->line, a->kind, why);
	return 0;
}

int pv_args_check(const struct pv_args *a, struct pv_error *e)
{
	json_object_object_foreach(a->obj, name, value)
	{
		const struct pv_attr_decl *d = pv_schema_attr(a->decl, name);

		if (!d)
			return pv_error(e, -EINVAL,
					"%s:%d: %s: attribute %s: expected one that this step has, got \"%s\"", a->file,
					a->line, a->kind, name, json_object_get_string(value));
		if (!json_object_is_type(value, json_type_string))
			return mismatch(a, name, "text", json_object_to_json_string(value), e);
		int err = check_value(a, d, json_object_get_string(value), e);
		if (err)
			return err;
	}
	pv_attr_foreach (d, a->decl)
		if (d->required && !pv_arg_has(a, d->name))
			return pv_error(e, -EINVAL, "%s:%d: %s: attribute %s: expected a value, got nothing", a->file,
					a->line, a->kind, d->name);
	return check_rules(a, e);
}

/* ---- getters ---- */

bool pv_arg_has(const struct pv_args *a, const char *name)
{
	return json_object_object_get_ex(a->obj, name, NULL);
}

const char *pv_arg_text(const struct pv_args *a, const char *name)
{
	json_object *v;
	const struct pv_attr_decl *d = pv_schema_attr(a->decl, name);

	assert(d); /* a step only asks for attributes in its table */
	return json_object_object_get_ex(a->obj, name, &v) ? json_object_get_string(v) : d->value;
}

uint64_t pv_arg_number(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);
	uint64_t v = 0;

	return s && !pv_number_parse(s, &v) ? v : 0;
}

int64_t pv_arg_signed(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);
	int64_t v = 0;

	return s && !pv_integer_parse(s, &v) ? v : 0;
}

double pv_arg_real(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);
	double v = 0;

	return s && !real_parse(s, &v) ? v : 0;
}

bool pv_arg_yes(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);

	return s && !strcmp(s, "yes");
}

int pv_arg_errno(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);

	return s ? errno_parse(s) : 0;
}

int pv_arg_choice(const struct pv_args *a, const char *name)
{
	const char *s = pv_arg_text(a, name);

	return s ? pv_type_index(pv_schema_attr(a->decl, name)->type, s) : -1;
}

uint64_t pv_arg_time_ns(const struct pv_args *a)
{
	return pv_arg_number(a, "ns") + pv_arg_number(a, "us") * 1000 + pv_arg_number(a, "ms") * 1000000;
}

bool pv_arg_matches(const struct pv_args *a, const char *name, const char *text)
{
	const char *pattern = pv_arg_text(a, name);

	return !pattern || pv_ere_matches(pattern, text);
}
