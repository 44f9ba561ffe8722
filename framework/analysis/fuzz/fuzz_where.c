/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles any text as an expression. If it compiles, it must select the same records, of many kinds, as a naive
 * evaluator that parses the text anew for each record; otherwise it must have a message. The evaluator parses tokens on
 * the fly and knows only the table of fields.
 */
#include <ctype.h>
#include <strings.h>

#include "framework/analysis/where.h"
#include "framework/util/fuzz/fuzz.h"

static const uint32_t records[][8] = {
	{0xffffffff, 0x91312345, 0x20000010, 0x01002aff, 0x4, 0x00001040, 0, 1000},
	{0xffffffff, 0, 0x0a000000, 0x00802004, 0x01002a00, 0, 0, 1100},
	{0xffffffff, 0, 0x4a000010, 0x00800040, 0x01002a00, 0, 0, 1150},
	{0xffffffff, 0, 0x44000001, 0x0100000f, 0x02000010, 0, 0, 1200},
	{0xffffffff, 0, 0x34000000, 0x01000019, 0, 0, 0, 1300},
	{0xffffffff, 0x80000000, 0x60753020, 0x0108ffff, 0x1, 0x00100000, 0, 0x7fffffff},
	{0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff},
	{0xc0008064, 0x010000ff, 1, 64},
	{0x94000064, 0x00804004, 0x01002a00, 0},
};
static const struct pv_trace_stream stream;

/* ---- the evaluator: precedence climbing over the text; -1: it cannot judge ---- */

struct naive {
	const char *at;
	const struct pv_trace_record *r;
};

static void space(struct naive *n)
{
	n->at += strspn(n->at, " \t\n");
}

static bool token(struct naive *n, const char *t)
{
	space(n);
	if (strncmp(n->at, t, strlen(t)))
		return false;
	n->at += strlen(t);
	return true;
}

static uint64_t number(struct naive *n)
{
	static const char units[][4] = {"KiB", "MiB", "GiB", "TiB"};
	char *end;
	bool hex = n->at[0] == '0' && (n->at[1] | 0x20) == 'x';
	uint64_t v = strtoull(n->at, &end, hex ? 16 : 10);

	n->at = end;
	for (unsigned i = 0; i < 4; i++)
		if (token(n, units[i]))
			return v << 10 * (i + 1);
	return v;
}

/* Parses one function or a range of functions: the first and the last. */
static void functions(struct naive *n, uint64_t *lo, uint64_t *hi)
{
	size_t digits = strspn(n->at, "0123456789abcdefABCDEF");
	unsigned bus, device = 0, function = 0;

	if (n->at[digits] != ':') {
		*lo = *hi = number(n);
		return;
	}
	bus = (unsigned)strtoul(n->at, NULL, 16);
	n->at += digits + 1;
	if (*n->at == '*') {
		n->at++;
		*lo = bus * 256;
		*hi = *lo + 255;
		return;
	}
	device = (unsigned)strtoul(n->at, (char **)&n->at, 16);
	n->at++;
	*hi = 7;
	if (*n->at != '*')
		*hi = function = (unsigned)(*n->at - '0');
	n->at++;
	*lo = bus * 256 + device * 8 + function;
	*hi += bus * 256 + device * 8;
}

static void value(struct naive *n, const struct pv_where_field *f, uint64_t *lo, uint64_t *hi)
{
	space(n);
	if (f->type == PV_WHERE_BDF) {
		functions(n, lo, hi);
		return;
	}
	*lo = *hi = number(n);
}

static bool pattern(const char *p, size_t n, const char *s)
{
	/* ** is the same as *; names are short, so the recursion ends soon. */
	while (n > 1 && p[0] == '*' && p[1] == '*') {
		p++;
		n--;
	}
	if (!n)
		return !*s;
	if (*p == '*')
		return pattern(p + 1, n - 1, s) || (*s && pattern(p, n, s + 1));
	return *s && (*p == '?' || !strncasecmp(p, s, 1)) && pattern(p + 1, n - 1, s + 1);
}

/* Returns true if the record's value equals the next value, or lies in the next range. */
static bool one(struct naive *n, const struct pv_where_field *f, uint64_t v)
{
	uint64_t lo, hi, ignored;

	if (f->type == PV_WHERE_NAME) {
		space(n);
		bool quoted = *n->at == '"' || *n->at == '\'';
		const char *p = n->at += quoted;

		while (isalnum((unsigned char)*n->at) || *n->at == '*' || *n->at == '?' || *n->at == '_')
			n->at++;
		const char *name = v < 64 ? f->of((unsigned)v) : NULL;
		size_t length = (size_t)(n->at - p);

		n->at += quoted;
		return name && pattern(p, length, name);
	}
	value(n, f, &lo, &hi);
	if (!strncmp(n->at, "..", 2)) {
		n->at += 2;
		value(n, f, &ignored, &hi);
	}
	return v >= lo && v <= hi;
}

/* Parses a field name; `length_dw` has an alias. */
static const struct pv_where_field *field(struct naive *n)
{
	const struct pv_where_field *f = pv_where_fields;
	const char *name;
	size_t length;

	space(n);
	for (length = 0; isalnum((unsigned char)n->at[length]) || n->at[length] == '_'; length++)
		;
	name = length == 6 && !strncmp(n->at, "length", 6) ? "length_dw" : n->at;
	n->at += length;
	length = name == n->at - length ? length : strlen(name);
	while (strlen(f->name) != length || strncmp(f->name, name, length))
		f++;
	return f;
}

/* Parses the operand of `in`: a value, or a list of values in parentheses. */
static bool one_of(struct naive *n, const struct pv_where_field *f, uint64_t v)
{
	bool is = false;

	if (!token(n, "("))
		return one(n, f, v);
	do
		is |= one(n, f, v);
	while (token(n, ","));
	token(n, ")");
	return is;
}

static bool in_order(struct naive *n, const struct pv_where_field *f, uint64_t v)
{
	bool less = *n->at++ == '<', equal = *n->at == '=';
	uint64_t lo, hi;

	n->at += equal;
	value(n, f, &lo, &hi);
	return less ? (equal ? v <= hi : v < lo) : (equal ? v >= lo : v > hi);
}

/* Evaluates the whole text without short circuits, so that all of it is parsed. */
static bool test_one(struct naive *n)
{
	const struct pv_where_field *f = field(n);
	bool held = f->when & pv_where_when(n->r);
	uint64_t v = held ? pv_where_value(f, n->r) : 0;

	if (token(n, "=="))
		return one(n, f, v) & held;
	if (token(n, "!="))
		return !one(n, f, v) & held;
	space(n);
	if (!strncmp(n->at, "in", 2) && !isalnum((unsigned char)n->at[2]) && n->at[2] != '_') {
		n->at += 2;
		return one_of(n, f, v) & held;
	}
	if (*n->at == '<' || *n->at == '>')
		return in_order(n, f, v) & held;
	return held && v;
}

static bool either(struct naive *n);

static bool unary(struct naive *n)
{
	bool is;

	if (token(n, "!"))
		return !unary(n);
	if (!token(n, "("))
		return test_one(n);
	is = either(n);
	token(n, ")");
	return is;
}

static bool both(struct naive *n)
{
	bool is = unary(n);

	while (token(n, "&&"))
		is &= unary(n);
	return is;
}

static bool either(struct naive *n)
{
	bool is = both(n);

	while (token(n, "||"))
		is |= both(n);
	return is;
}

/* ---- */

static void check_record(const struct pv_where *w, const char *text, const struct pv_trace_record *r)
{
	struct naive n = {text, r};

	fuzz_check(pv_where_match(w, r) == (w->n_ops ? either(&n) : true));
}

static void check_records(const struct pv_where *w, const char *text)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		struct pv_trace_record r = {.stream = &stream, .direction = (enum pv_trace_direction)(i % 3)};
		bool is_8dw = records[i][0] == UINT32_MAX;

		fuzz_check(!pv_record_decode(is_8dw ? PV_RECORD_8DW : PV_RECORD_4DW, records[i], 64 * i, &r.record));
		r.time = r.record.time + (i << 32);
		check_record(w, text, &r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct pv_error e = {0};
	struct pv_where w;
	int err = pv_where_compile(&w, text, &e);

	fuzz_check(w.n_ops <= PV_WHERE_OPS && w.n_ranges <= PV_WHERE_RANGES);
	if (err)
		fuzz_check(*e.text && e.code == err && !w.n_ops);
	else
		check_records(&w, text);
	free(text);
	return 0;
}
