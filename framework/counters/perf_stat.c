/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the fields of a line: end of the interval, [CPU or socket, [number of CPUs]], count, unit, event, run time,
 * share.
 */
#include "framework/counters/perf_stat.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 12 };

#define MOST_COUNTED 1e20 /* above all 64-bit counts */
#define MOST_SECONDS 1e9  /* 31 years */

struct field {
	const char *s;
	size_t n;
};

/* Parses digits with at most one point: perf writes no exponents. Returns the end; NULL: no number, or above `most`. */
static const char *parse_decimal(const char *s, double most, double *out)
{
	size_t n = strspn(s, "0123456789");
	char *end;

	if (!n)
		return NULL;
	if (s[n] == '.')
		n += 1 + strspn(s + n + 1, "0123456789");
	*out = strtod(s, &end);
	return end == s + n && *out <= most ? end : NULL;
}

/* Parses all of a field as a number. */
static bool is_number(struct field f, double *out)
{
	return f.n && parse_decimal(f.s, MOST_COUNTED, out) == f.s + f.n;
}

static bool is_count(struct field f, struct pv_perf_stat *out)
{
	static const char not_counted[] = "<not counted>", not_supported[] = "<not supported>";

	out->supported = f.n != sizeof(not_supported) - 1 || memcmp(f.s, not_supported, f.n);
	if (!out->supported || (f.n == sizeof(not_counted) - 1 && !memcmp(f.s, not_counted, f.n))) {
		out->counted = false;
		out->value = 0;
		return true;
	}
	out->counted = true;
	return is_number(f, &out->value);
}

/* Splits at `separator`, except between the slashes of an event. Returns the number of fields. */
static size_t split(const char *s, char separator, struct field out[FIELDS])
{
	bool in_event = false;
	size_t n = 0;

	for (const char *begin = s; n < FIELDS; s++) {
		if (*s == '/')
			in_event = !in_event;
		if (*s && (*s != separator || in_event))
			continue;
		out[n++] = (struct field){begin, (size_t)(s - begin)};
		begin = s + 1;
		if (!*s)
			break;
	}
	return n;
}

/* Copies a name. perf's names have no control characters, which would affect a terminal. */
static bool copy(char *to, size_t size, const char *s, size_t n)
{
	if (n >= size)
		return false;
	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)s[i]))
			return false;
	memcpy(to, s, n);
	to[n] = '\0';
	return true;
}

/* Parses "PMU/EVENT/MODIFIERS"; "EVENT [PMU]", perf's form of an event that several PMUs have; or "EVENT". */
static bool parse_event(struct field f, struct pv_perf_stat *out)
{
	const char *slash = memchr(f.s, '/', f.n), *bracket = memchr(f.s, '[', f.n);
	const char *end = f.s + f.n;

	if (slash) {
		const char *second = memchr(slash + 1, '/', (size_t)(end - slash - 1));

		return second && copy(out->pmu, sizeof(out->pmu), f.s, (size_t)(slash - f.s)) &&
		       copy(out->event, sizeof(out->event), slash + 1, (size_t)(second - slash - 1));
	}
	if (bracket && bracket - f.s > 1 && bracket[-1] == ' ' && end[-1] == ']')
		return copy(out->pmu, sizeof(out->pmu), bracket + 1, (size_t)(end - bracket - 2)) &&
		       copy(out->event, sizeof(out->event), f.s, (size_t)(bracket - f.s - 1));
	out->pmu[0] = '\0';
	return copy(out->event, sizeof(out->event), f.s, f.n);
}

/* Parses a unit: perf's units are words, such as msec and Joules. */
static bool parse_unit(struct field f, struct pv_perf_stat *out)
{
	for (size_t i = 0; i < f.n; i++)
		if (!isalnum((unsigned char)f.s[i]))
			return false;
	return copy(out->unit, sizeof(out->unit), f.s, f.n);
}

/* The event is the field with a count and a unit before it, and a run time and a share after it. */
static int parse_fields(const struct field *f, size_t n, struct pv_perf_stat *out)
{
	double number;

	for (size_t i = 2; i + 2 < n; i++)
		if (f[i].n && !is_number(f[i], &number) && is_count(f[i - 2], out) && is_number(f[i + 1], &number) &&
		    is_number(f[i + 2], &out->running))
			return parse_unit(f[i - 1], out) && parse_event(f[i], out) ? 0 : -EBADMSG;
	return -EBADMSG;
}

int pv_perf_stat_parse(const char *line, struct pv_perf_stat *out)
{
	struct field fields[FIELDS];
	const char *end;

	line += strspn(line, " \t");
	if (!*line || *line == '#' || !strncmp(line, "summary", strlen("summary")))
		return -ENOENT;
	if (!isdigit((unsigned char)*line))
		return -EBADMSG;
	end = parse_decimal(line, MOST_SECONDS, &out->end_s);
	if (!end)
		return -EBADMSG;
	out->end_s = round(out->end_s * 1e9) / 1e9; /* perf writes nanoseconds */
	/* A separator cannot be part of a number or a name. */
	if (!*end || isalnum((unsigned char)*end) || strchr(".-/_", *end))
		return -EBADMSG;
	return parse_fields(fields, split(end + 1, *end, fields), out);
}
