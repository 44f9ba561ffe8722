/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --where: a recursive-descent compiler with bounded depth, and the machine that runs its programs. Every
 * comparison becomes a set of ranges (or, for fields with names, a mask of values); && and || become
 * forward jumps over one truth value, so a program needs no stack and always ends.
 */
#include "framework/analysis/where.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/hint.h"

enum { OP_IN, OP_NOT_IN, OP_NAMED, OP_NOT_NAMED, OP_FALSE_IF_ZERO, OP_NOT, OP_JUMP_FALSE, OP_JUMP_TRUE };

/* ---- the machine ---- */

static bool in_ranges(const struct pv_where_range *r, unsigned n, uint64_t v)
{
	for (unsigned i = 0; i < n; i++)
		if (v - r[i].lo <= r[i].hi - r[i].lo)
			return true;
	return false;
}

static bool is_named(const struct pv_where_range *mask, uint64_t v)
{
	return v < PV_WHERE_NAMES && (v < 64 ? mask->lo : mask->hi) >> (v & 63) & 1;
}

static bool run_test(const struct pv_where *w, const struct pv_where_op *op, const struct pv_trace_record *r,
		     unsigned when)
{
	const struct pv_where_field *f = &pv_where_fields[op->field];
	uint64_t v;

	if (!(f->when & when))
		return false;
	v = pv_where_value(f, r);
	switch (op->code) {
	case OP_IN:
		return in_ranges(&w->ranges[op->arg], op->n, v);
	case OP_NOT_IN:
		return !in_ranges(&w->ranges[op->arg], op->n, v);
	case OP_NAMED:
		return is_named(&w->ranges[op->arg], v);
	case OP_NOT_NAMED:
		return !is_named(&w->ranges[op->arg], v);
	default:
		return v;
	}
}

bool pv_where_match(const struct pv_where *w, const struct pv_trace_record *r)
{
	unsigned when;
	bool is = true;

	if (pv_where_is_all(w))
		return true;
	when = pv_where_when(r);
	for (unsigned pc = 0; pc < w->n_ops;) {
		const struct pv_where_op *op = &w->ops[pc++];

		if (op->code == OP_NOT)
			is = !is;
		else if (op->code < OP_NOT)
			is = run_test(w, op, r, when);
		else if (is == (op->code == OP_JUMP_TRUE))
			pc = op->arg;
	}
	return is;
}

/* ---- the compiler ---- */

struct parser {
	struct pv_where *w;
	const char *text, *at;
	unsigned depth;
	struct pv_error *e;
};

__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, const char *where, const char *fmt, ...)
{
	int before = where - p->text > 60 ? 60 : (int)(where - p->text);
	char what[900];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (!before)
		return pv_error(p->e, -EINVAL, "--where, character 1: %s", what);
	return pv_error(p->e, -EINVAL, "--where, character %zu: %s; before it: '%.*s'", (size_t)(where - p->text) + 1,
			what, before, where - before);
}

static void skip_space(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_space(p);
	if (strncmp(p->at, token, n))
		return false;
	p->at += n;
	return true;
}

/* Returns the length of the text to quote in a message: up to the next white space, at most 40. */
static int shown(const char *s)
{
	size_t n = strcspn(s, " \t\n");

	return n > 40 ? 40 : (int)n;
}

static int emit(struct parser *p, unsigned code, unsigned field, unsigned arg, unsigned n)
{
	if (p->w->n_ops == PV_WHERE_OPS)
		return fail(p, p->at, "the expression is too long (at most %u tests and operators)", PV_WHERE_OPS);
	p->w->ops[p->w->n_ops++] = (struct pv_where_op){(uint8_t)code, (uint8_t)field, (uint16_t)arg, (uint16_t)n};
	return 0;
}

static int add_range(struct parser *p, uint64_t lo, uint64_t hi)
{
	if (p->w->n_ranges == PV_WHERE_RANGES)
		return fail(p, p->at, "too many values (at most %u)", PV_WHERE_RANGES);
	p->w->ranges[p->w->n_ranges++] = (struct pv_where_range){lo, hi};
	return 0;
}

/* ---- values ---- */

static int digit(char c, unsigned base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : isalpha((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;

	return v < (int)base ? v : -1;
}

static bool digits(const char **s, unsigned base, uint64_t max, uint64_t *v)
{
	const char *start = *s;

	for (*v = 0; digit(**s, base) >= 0; ++*s) {
		unsigned d = (unsigned)digit(**s, base);

		if (*v > (max - d) / base)
			return false;
		*v = *v * base + d;
	}
	return *s != start;
}

static int parse_number(struct parser *p, uint64_t *v)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	const char *start = p->at;
	bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');

	p->at += hex ? 2 : 0;
	if (!digits(&p->at, hex ? 16 : 10, UINT64_MAX, v))
		return fail(p, start, "expected a number below 2^64, got '%.*s'", shown(start), start);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strncmp(p->at, units[i].suffix, 3))
			continue;
		if (*v > UINT64_MAX >> units[i].shift)
			return fail(p, start, "the number is above 2^64: '%.*s'", shown(start), start);
		*v <<= units[i].shift;
		p->at += 3;
		break;
	}
	if (isalnum((unsigned char)*p->at) || *p->at == '_')
		return fail(p, start, "expected a number, got '%.*s'", shown(start), start);
	return 0;
}

/* Parses "bb:dd.f", "bb:dd.*", "bb:*", or the 16-bit number. */
static int parse_bdf(struct parser *p, struct pv_where_range *r)
{
	const char *start = p->at;
	uint64_t bus, device;

	if (!digits(&p->at, 16, 0xff, &bus) || *p->at != ':') {
		p->at = start;
		if (parse_number(p, &r->lo) || r->lo > 0xffff || *p->at == ':')
			return fail(p, start, "expected a function as bb:dd.f, bb:dd.* or bb:*, got '%.*s'",
				    shown(start), start);
		r->hi = r->lo;
		return 0;
	}
	p->at++;
	if (*p->at == '*') {
		p->at++;
		*r = (struct pv_where_range){bus << 8, bus << 8 | 0xff};
		return 0;
	}
	if (!digits(&p->at, 16, 0x1f, &device) || *p->at != '.')
		return fail(p, start, "expected a function as bb:dd.f, got '%.*s'", shown(start), start);
	p->at++;
	r->lo = bus << 8 | device << 3;
	r->hi = r->lo + 7;
	if (*p->at == '*') {
		p->at++;
		return 0;
	}
	if (!(*p->at >= '0' && *p->at <= '7') || isalnum((unsigned char)p->at[1]))
		return fail(p, start, "expected a function as bb:dd.f (f 0 to 7), got '%.*s'", shown(start), start);
	r->lo = r->hi = r->lo + (unsigned)(*p->at++ - '0');
	return 0;
}

static int parse_value(struct parser *p, const struct pv_where_field *f, struct pv_where_range *r)
{
	int err;

	skip_space(p);
	if (f->type == PV_WHERE_BDF)
		return parse_bdf(p, r);
	err = parse_number(p, &r->lo);
	r->hi = r->lo;
	return err;
}

/* Parses a value or LO..HI. */
static int parse_range(struct parser *p, const struct pv_where_field *f)
{
	struct pv_where_range r, end;
	const char *start;
	int err;

	skip_space(p);
	start = p->at;
	err = parse_value(p, f, &r);
	if (err)
		return err;
	if (!strncmp(p->at, "..", 2)) {
		p->at += 2;
		err = parse_value(p, f, &end);
		if (err)
			return err;
		r.hi = end.hi;
	}
	if (r.lo > r.hi)
		return fail(p, start, "the range ends before it begins: '%.*s'", shown(start), start);
	return add_range(p, r.lo, r.hi);
}

/* Matches a shell pattern with * and ?, ignoring case. Time: length of text times length of pattern; no recursion. */
static bool glob(const char *pattern, const char *end, const char *s)
{
	const char *star = NULL, *again = NULL;

	while (*s) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			again = s;
		} else if (pattern < end &&
			   (*pattern == '?' || tolower((unsigned char)*pattern) == tolower((unsigned char)*s))) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++again;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

/* Returns the i-th name of a field's values; NULL: no more. For pv_did_you_mean(). */
static const char *candidate_name(const void *field, size_t i)
{
	const struct pv_where_field *f = field;

	for (unsigned v = 0; v < PV_WHERE_NAMES; v++)
		if (f->of(v) && !i--)
			return f->of(v);
	return NULL;
}

static const char *candidate_field(const void *ctx, size_t i)
{
	return pv_where_fields[i].name;
}

/* Fails for an unknown word: "...; did you mean 'kind'? There are: kind class ..." */
static int fail_unknown(struct parser *p, const char *at, size_t n, const struct pv_where_field *values)
{
	const char *(*next)(const void *ctx, size_t i) = values ? candidate_name : candidate_field, *c;
	char word[41], all[700] = "";
	size_t len = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(n > 40 ? 40 : n), at);
	for (size_t i = 0; (c = next(values, i)) && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, " %s", c);
	struct pv_hint hint = pv_did_you_mean(word, next, values);
	return fail(p, at, values ? "no %s is named '%s'%s%s:%s" : "there is no %s '%s'%s%s:%s",
		    values ? values->name : "field", word, hint.s, *hint.s ? " There are" : "; there are", all);
}

static int parse_name(struct parser *p, const struct pv_where_field *f, struct pv_where_range *mask)
{
	const char *start, *end;
	bool quoted, found = false;

	skip_space(p);
	quoted = *p->at == '"' || *p->at == '\'';
	start = p->at + quoted;
	for (end = start; isalnum((unsigned char)*end) || (*end && strchr("*?_", *end)); end++)
		;
	if (end == start || (quoted && *end != start[-1]))
		return fail(p, p->at, "expected a name of %s, got '%.*s'", f->name, shown(p->at), p->at);
	for (unsigned v = 0; v < PV_WHERE_NAMES; v++) {
		if (!f->of(v) || !glob(start, end, f->of(v)))
			continue;
		*(v < 64 ? &mask->lo : &mask->hi) |= 1ull << (v & 63);
		found = true;
	}
	if (!found)
		return fail_unknown(p, start, (size_t)(end - start), f);
	p->at = end + quoted;
	return 0;
}

/* ---- tests ---- */

/* Parses one value, or with `many` also (a, b, c). */
static int parse_set(struct parser *p, const struct pv_where_field *f, bool many, struct pv_where_range *mask)
{
	bool list = many && take(p, "(");
	int err;

	do {
		err = f->type == PV_WHERE_NAME ? parse_name(p, f, mask) : parse_range(p, f);
		if (err)
			return err;
	} while (list && take(p, ","));
	if (list && !take(p, ")"))
		return fail(p, p->at, "expected ',' or ')', got '%.*s'", shown(p->at), p->at);
	return 0;
}

static int parse_equality(struct parser *p, const struct pv_where_field *f, bool many, bool negate)
{
	unsigned first = p->w->n_ranges;
	bool named = f->type == PV_WHERE_NAME;
	struct pv_where_range mask = {0};
	int err = parse_set(p, f, many, &mask);

	if (!err && named)
		err = add_range(p, mask.lo, mask.hi);
	if (err)
		return err;
	return emit(p, named ? (negate ? OP_NOT_NAMED : OP_NAMED) : (negate ? OP_NOT_IN : OP_IN),
		    (unsigned)(f - pv_where_fields), first, p->w->n_ranges - first);
}

/* Parses an order: a < b means a in 0..b-1, and so on. */
static int parse_order(struct parser *p, const struct pv_where_field *f, const char *op)
{
	unsigned first = p->w->n_ranges;
	struct pv_where_range v;
	bool less = *op == '<', strict = !op[1];
	int err;

	if (f->type == PV_WHERE_NAME)
		return fail(p, p->at, "the values of %s are names and have no order; use == != in", f->name);
	err = parse_value(p, f, &v);
	if (err)
		return err;
	if (less && !(strict && !v.lo))
		err = add_range(p, 0, strict ? v.lo - 1 : v.hi);
	else if (!less && !(strict && v.hi == UINT64_MAX))
		err = add_range(p, strict ? v.hi + 1 : v.lo, UINT64_MAX);
	return err ? err : emit(p, OP_IN, (unsigned)(f - pv_where_fields), first, p->w->n_ranges - first);
}

static const struct pv_where_field *find_field(const char *name, size_t n)
{
	static const struct {
		const char *alias, *name;
	} aliases[] = {{"length", "length_dw"}};

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strlen(aliases[i].alias) == n && !strncmp(aliases[i].alias, name, n))
			return find_field(aliases[i].name, strlen(aliases[i].name));
	for (const struct pv_where_field *f = pv_where_fields; f->name; f++)
		if (strlen(f->name) == n && !strncmp(f->name, name, n))
			return f;
	return NULL;
}

static bool take_word(struct parser *p, const char *word)
{
	const char *start = p->at;

	if (take(p, word) && !isalnum((unsigned char)*p->at) && *p->at != '_')
		return true;
	p->at = start;
	return false;
}

static int parse_test(struct parser *p)
{
	static const char *const orders[] = {"<=", ">=", "<", ">"};
	const struct pv_where_field *f;
	const char *name;
	size_t n;

	skip_space(p);
	name = p->at;
	for (n = 0; isalnum((unsigned char)name[n]) || name[n] == '_'; n++)
		;
	if (!n)
		return fail(p, name, *name ? "expected a field, got '%.*s'" : "expected a field, got the end%.*s",
			    shown(name), name);
	f = find_field(name, n);
	if (!f)
		return fail_unknown(p, name, n, NULL);
	p->at = name + n;
	if (take(p, "=="))
		return parse_equality(p, f, false, false);
	if (take(p, "!="))
		return parse_equality(p, f, false, true);
	if (take_word(p, "in"))
		return parse_equality(p, f, true, false);
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (take(p, orders[i]))
			return parse_order(p, f, orders[i]);
	skip_space(p);
	if (*p->at == '=')
		return fail(p, p->at, "equality is '=='");
	if (f->type == PV_WHERE_FLAG)
		return emit(p, OP_FALSE_IF_ZERO, (unsigned)(f - pv_where_fields), 0, 0);
	return fail(p, p->at, "expected an operator (== != < <= > >= in) after %s, got '%.*s'", f->name, shown(p->at),
		    p->at);
}

/* ---- ! ( ) && || ---- */

static int parse_or(struct parser *p);

static int parse_unary(struct parser *p)
{
	const char *start = p->at;
	bool negate = take(p, "!");
	int err;

	if (!negate && !take(p, "("))
		return parse_test(p);
	if (++p->depth > PV_WHERE_DEPTH)
		return fail(p, start, "more than %u parentheses within each other", PV_WHERE_DEPTH);
	err = negate ? parse_unary(p) : parse_or(p);
	p->depth--;
	if (err)
		return err;
	if (negate)
		return emit(p, OP_NOT, 0, 0, 0);
	return take(p, ")") ? 0 : fail(p, p->at, "expected ')', got '%.*s'", shown(p->at), p->at);
}

/* Parses a && b && c: after each part but the last, a jump to the end if the truth value is decided. */
static int parse_chain(struct parser *p, const char *op, unsigned jump, int (*part)(struct parser *p))
{
	unsigned jumps[PV_WHERE_OPS], n = 0;
	int err = part(p);

	while (!err && take(p, op)) {
		jumps[n++] = p->w->n_ops;
		err = emit(p, jump, 0, 0, 0);
		if (!err)
			err = part(p);
	}
	for (unsigned i = 0; !err && i < n; i++)
		p->w->ops[jumps[i]].arg = (uint16_t)p->w->n_ops;
	return err;
}

static int parse_and(struct parser *p)
{
	return parse_chain(p, "&&", OP_JUMP_FALSE, parse_unary);
}

static int parse_or(struct parser *p)
{
	return parse_chain(p, "||", OP_JUMP_TRUE, parse_and);
}

int pv_where_compile(struct pv_where *w, const char *text, struct pv_error *e)
{
	struct parser p = {.w = w, .text = text, .at = text, .e = e};
	int err;

	w->n_ops = w->n_ranges = 0;
	if (!text)
		return 0;
	skip_space(&p);
	if (!*p.at)
		return 0;
	err = parse_or(&p);
	skip_space(&p);
	if (!err && *p.at)
		err = fail(&p, p.at, "expected && or ||, got '%.*s'", shown(p.at), p.at);
	if (err)
		w->n_ops = 0;
	return err;
}
