/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed attributes of steps. */
#include "framework/agent/args.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

/* ---- parsing of values ---- */

static const struct {
	const char *text;
	uint64_t factor;
} suffixes[] = {
	{"", 1},     {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30},
	{"K", 1000}, {"M", 1000000},	  {"G", 1000000000},
};

int pv_number_parse(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	uint64_t v = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	if (errno || end == text)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(end, suffixes[i].text))
			return __builtin_mul_overflow(v, suffixes[i].factor, out) ? -EINVAL : 0;
	return -EINVAL;
}

static int signed_parse(const char *text, int64_t *out)
{
	uint64_t v;
	bool minus = text[0] == '-';

	if (pv_number_parse(text + minus, &v) || v > INT64_MAX)
		return -EINVAL;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return 0;
}

static int real_parse(const char *text, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || !isfinite(v))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strcmp(end, suffixes[i].text))
			continue;
		*out = v * (double)suffixes[i].factor;
		return 0;
	}
	return -EINVAL;
}

static int errno_parse(const char *text)
{
	return !strcmp(text, "0") ? 0 : pv_errno_by_name(text);
}

static int choice_index(const char *choices, const char *text)
{
	size_t n = strlen(text);

	choices += choices[0] == '|';
	for (int i = 0;; i++) {
		size_t m = strcspn(choices, "|");

		if (m == n && !strncmp(choices, text, n))
			return i;
		if (!choices[m])
			return -1;
		choices += m + 1;
	}
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

static bool regex_ok(const char *text)
{
	regex_t re;

	if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB))
		return false;
	regfree(&re);
	return true;
}

static int check_number(const struct pv_args *a, const struct pv_arg_def *d, const char *text, struct pv_error *e)
{
	char expected[80];
	uint64_t v;

	if (!pv_number_parse(text, &v) && (!d->max || v <= d->max))
		return 0;
	if (d->max)
		snprintf(expected, sizeof(expected), "a number up to %llu (0x%llx)", (unsigned long long)d->max,
			 (unsigned long long)d->max);
	else
		snprintf(expected, sizeof(expected), "a number (decimal, 0x, suffix KiB MiB GiB K M G)");
	return mismatch(a, d->name, expected, text, e);
}

static int check_value(const struct pv_args *a, const struct pv_arg_def *d, const char *text, struct pv_error *e)
{
	int64_t i;
	double r;

	switch (d->type) {
	case PV_ARG_NUMBER:
		return check_number(a, d, text, e);
	case PV_ARG_SIGNED:
		return signed_parse(text, &i) ? mismatch(a, d->name, "a whole number", text, e) : 0;
	case PV_ARG_REAL:
		return real_parse(text, &r) ? mismatch(a, d->name, "a number", text, e) : 0;
	case PV_ARG_YESNO:
		return strcmp(text, "yes") && strcmp(text, "no") ? mismatch(a, d->name, "yes or no", text, e) : 0;
	case PV_ARG_ERRNO:
		return errno_parse(text) < 0 ? mismatch(a, d->name, "an errno name like EINVAL, or 0", text, e) : 0;
	case PV_ARG_REGEX:
		return regex_ok(text) ? 0 : mismatch(a, d->name, "an extended regular expression", text, e);
	case PV_ARG_CHOICE:
		return choice_index(d->choices, text) < 0 ? mismatch(a, d->name, d->choices, text, e) : 0;
	case PV_ARG_TEXT:
	case PV_ARG_DEVICE:
		return 0;
	}
	return -EINVAL;
}

static const struct pv_arg_def *def_of(const struct pv_args *a, const char *name)
{
	for (const struct pv_arg_def *d = a->defs; d->name; d++)
		if (!strcmp(d->name, name))
			return d;
	return NULL;
}

int pv_args_check(const struct pv_args *a, struct pv_error *e)
{
	json_object_object_foreach(a->obj, name, value)
	{
		const struct pv_arg_def *d = def_of(a, name);
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
	for (const struct pv_arg_def *d = a->defs; d->name; d++)
		if (d->required && !pv_arg_has(a, d->name))
			return pv_error(e, -EINVAL, "%s:%d: %s: attribute %s: expected a value, got nothing", a->file,
					a->line, a->kind, d->name);
	return 0;
}

/* ---- getters ---- */

bool pv_arg_has(const struct pv_args *a, const char *name)
{
	return json_object_object_get_ex(a->obj, name, NULL);
}

const char *pv_arg_text(const struct pv_args *a, const char *name)
{
	json_object *v;
	const struct pv_arg_def *d = def_of(a, name);

	assert(d); /* a step asks only for what its table has */
	return json_object_object_get_ex(a->obj, name, &v) ? json_object_get_string(v) : d->def;
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

	return s && !signed_parse(s, &v) ? v : 0;
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

	return s ? choice_index(def_of(a, name)->choices, s) : -1;
}

uint64_t pv_arg_time_ns(const struct pv_args *a)
{
	return pv_arg_number(a, "ns") + pv_arg_number(a, "us") * 1000 + pv_arg_number(a, "ms") * 1000000;
}

bool pv_arg_matches(const struct pv_args *a, const char *name, const char *text)
{
	const char *pattern = pv_arg_text(a, name);
	regex_t re;

	if (!pattern)
		return true;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	bool yes = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return yes;
}
