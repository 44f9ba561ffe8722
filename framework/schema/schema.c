/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookups in the tables, and values against types. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/mps.h"
#include "drivers/regs/topology.h"
#include "drivers/regs/traffic.h"
#include "framework/schema/schema_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/ere.h"
#include "framework/util/error.h"

static bool is_weighted_kind(const char *value);

static bool is_errno(const char *value)
{
	return !strcmp(value, "0") || pv_errno_by_name(value) >= 0;
}

static bool is_regex(const char *value)
{
	regex_t re;

	if (pv_ere_compile(&re, value))
		return false;
	regfree(&re);
	return true;
}

static bool is_integer(const char *value)
{
	int64_t v;

	return !pv_integer_parse(value, &v);
}

/* A value that begins with a digit is a number. */
static bool is_filter(const char *value)
{
	uint64_t v;

	return !isdigit((unsigned char)*value) || !pv_number_parse(value, &v);
}

/* Members of struct pv_type, for types.def. */
#define PARAMETERS    .parameters = true
#define PATTERN(text) .form = PV_TYPE_FORM_PATTERN, .pattern = text
#define ENUM(...)                                                  \
	.form = PV_TYPE_FORM_ENUM, .values = (const char *const[]) \
	{                                                          \
		__VA_ARGS__, NULL                                  \
	}
#define WORD(id, word) word,
#define ENUM_OF(words)                                             \
	.form = PV_TYPE_FORM_ENUM, .values = (const char *const[]) \
	{                                                          \
		words(WORD) NULL                                   \
	}
#define LIST(id) .form = PV_TYPE_FORM_LIST, .item = TYPE(id)

struct pv_type pv_types[PV_TYPES] = {
#define X(id, ...) [PV_TYPE_##id] = {__VA_ARGS__},
#include "framework/schema/types.def"
#undef X
};

const struct pv_schema pv_plan_schema = {
	.lists = (const struct pv_element_decl *const[]){pv_elements_plan, pv_elements_topology, pv_elements_steps,
							 pv_elements_checks, NULL},
};
const struct pv_schema pv_board_schema = {
	.lists = (const struct pv_element_decl *const[]){pv_elements_board, NULL},
};

/* "mwr64:3" */
static bool is_weighted_kind(const char *value)
{
	const char *const *kinds = pv_types[PV_TYPE_TLP_KIND].values;
	size_t n = strcspn(value, ":");

	while (*kinds && (strlen(*kinds) != n || strncmp(*kinds, value, n)))
		kinds++;
	return *kinds;
}

/* ---- lookups ---- */

const struct pv_element_decl *pv_schema_nth(const struct pv_schema *s, unsigned i)
{
	for (const struct pv_element_decl *const *list = s->lists; *list; list++)
		for (const struct pv_element_decl *e = *list; e->name; e++)
			if (!i--)
				return e;
	return NULL;
}

const struct pv_attr_decl *pv_element_nth_attr(const struct pv_element_decl *e, unsigned i)
{
	for (const struct pv_attr_decl *const *list = e->attrs; *list; list++)
		for (const struct pv_attr_decl *a = *list; a->name; a++)
			if (!i--)
				return a;
	return NULL;
}

/* Names are compared often, and most differ in their first character. */
static bool is_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

static const struct pv_element_decl *find(const struct pv_element_decl *list, const char *within, const char *name)
{
	for (const struct pv_element_decl *e = list; e->name; e++)
		if (is_same(e->name, name) && !e->within == !within && (!within || is_same(e->within, within)))
			return e;
	return NULL;
}

const struct pv_element_decl *pv_schema_element(const struct pv_schema *s, const char *within, const char *name)
{
	const struct pv_element_decl *e = NULL;

	for (const struct pv_element_decl *const *list = s->lists; *list && !e; list++)
		e = find(*list, within, name);
	return e;
}

const struct pv_element_decl *pv_schema_step(const char *name)
{
	const struct pv_element_decl *e = find(pv_elements_steps, NULL, name);

	return e ? e : find(pv_elements_checks, NULL, name);
}

static bool is_in(const struct pv_element_decl *list, const struct pv_element_decl *e)
{
	while (list->name && list != e)
		list++;
	return list->name;
}

bool pv_element_is_step(const struct pv_element_decl *e)
{
	return is_in(pv_elements_steps, e) || is_in(pv_elements_checks, e);
}

const struct pv_attr_decl *pv_schema_attr(const struct pv_element_decl *e, const char *name)
{
	for (const struct pv_attr_decl *const *list = e->attrs; *list; list++)
		for (const struct pv_attr_decl *a = *list; a->name; a++)
			if (is_same(a->name, name))
				return a;
	return NULL;
}

static const struct pv_element_decl *child(const struct pv_schema *s, const struct pv_element_decl *e, const char *name)
{
	const struct pv_element_decl *own = pv_schema_element(s, e->name, name);

	return own ? own : pv_schema_element(s, NULL, name);
}

/* Returns the i-th word of a list, without an end of its own; NULL: there are no more. */
static const char *nth_word(const char *list, unsigned i, size_t *n)
{
	for (; list && *list; list += *n, list += strspn(list, " ")) {
		*n = strcspn(list, " ");
		if (!i--)
			return list;
	}
	return NULL;
}

const struct pv_element_decl *pv_schema_child(const struct pv_schema *s, const struct pv_element_decl *e,
					      const char *name)
{
	const char *word;
	size_t n;

	for (unsigned i = 0; (word = nth_word(e->children, i, &n)); i++)
		if (*word == *name && strlen(name) == n && !strncmp(word, name, n))
			return child(s, e, name);
	return e->steps ? pv_schema_step(name) : NULL;
}

/* The elements that it names come first, then the steps. */
const struct pv_element_decl *pv_schema_nth_child(const struct pv_schema *s, const struct pv_element_decl *e,
						  unsigned i)
{
	const struct pv_schema steps = {
		.lists = (const struct pv_element_decl *const[]){pv_elements_steps, pv_elements_checks, NULL}};
	unsigned named = 0;
	char name[32];
	size_t n;
	const char *word = nth_word(e->children, i, &n);

	if (word) {
		snprintf(name, sizeof(name), "%.*s", (int)n, word);
		return child(s, e, name);
	}
	while (nth_word(e->children, named, &n))
		named++;
	return e->steps ? pv_schema_nth(&steps, i - named) : NULL;
}

static bool element_uses(const struct pv_element_decl *e, const struct pv_type *t)
{
	if (e->text == t)
		return true;
	pv_attr_foreach (a, e)
		if (a->type == t || a->type->item == t)
			return true;
	return false;
}

bool pv_schema_uses(const struct pv_schema *s, const struct pv_type *t)
{
	pv_element_foreach (e, s)
		if (element_uses(e, t))
			return true;
	return false;
}

/* ---- values ---- */

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

int pv_integer_parse(const char *text, int64_t *out)
{
	uint64_t v;
	bool minus = text[0] == '-';

	if (pv_number_parse(text + minus, &v) || v > INT64_MAX)
		return -EINVAL;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return 0;
}

static bool compile(struct pv_type *t)
{
	_autofree_ char *anchored = NULL;

	if (!t->compiled)
		t->compiled = asprintf(&anchored, "^(%s)$", t->pattern) >= 0 &&
			      !regcomp(&t->regex, anchored, REG_EXTENDED | REG_NOSUB);
	return t->compiled;
}

void pv_types_compile(void)
{
	for (struct pv_type *t = pv_types; t < pv_types + PV_TYPES; t++)
		if (t->form == PV_TYPE_FORM_PATTERN)
			compile(t);
}

static bool matches(struct pv_type *t, const char *value)
{
	return compile(t) && !regexec(&t->regex, value, 0, NULL, 0);
}

static bool accepts_list(struct pv_type *t, const char *value)
{
	_autofree_ char *copy = strdup(value);
	char *rest = NULL;
	unsigned n = 0;

	if (!copy)
		return false;
	for (char *w = strtok_r(copy, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest), n++)
		if (!pv_type_accepts(t->item, w))
			return false;
	return n > 0;
}

int pv_type_index(const struct pv_type *t, const char *value)
{
	if (t->synonym[0] && !strcmp(value, t->synonym[0]))
		value = t->synonym[1];
	for (int i = 0; t->values[i]; i++)
		if (!strcmp(t->values[i], value))
			return i;
	return -1;
}

static bool has_form(struct pv_type *t, const char *value)
{
	switch (t->form) {
	case PV_TYPE_FORM_ANY:
		return true;
	case PV_TYPE_FORM_PATTERN:
		return matches(t, value);
	case PV_TYPE_FORM_LIST:
		return accepts_list(t, value);
	case PV_TYPE_FORM_ENUM:
		return pv_type_index(t, value) >= 0;
	}
	return false;
}

static bool is_between(const char *value, uint64_t min, uint64_t max)
{
	uint64_t v;

	return !max || (!pv_number_parse(value, &v) && v >= min && v <= max);
}

bool pv_type_accepts(struct pv_type *t, const char *value)
{
	return has_form(t, value) && is_between(value, 0, t->max) && (!t->valid || t->valid(value));
}

bool pv_attr_accepts(const struct pv_attr_decl *a, const char *value)
{
	return pv_type_accepts(a->type, value) && is_between(value, a->min, a->max);
}

/* Values are listed as "tune_off, default or safe", and left out at the end where there are too many. */
void pv_attr_expected(const struct pv_attr_decl *a, char *out, size_t size)
{
	const struct pv_type *choice = a->type->form == PV_TYPE_FORM_LIST ? a->type->item : a->type;
	size_t n = 0;

	if (a->max)
		snprintf(out, size, "%ju to %ju", (uintmax_t)a->min, (uintmax_t)a->max);
	else
		n = (size_t)snprintf(out, size, "%s", a->type->doc);
	for (const char *const *v = choice->values; !a->max && v && *v && n + 48 < size; v++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", v == choice->values ? ": " : v[1] ? ", " : " or ", *v);
}

/* ---- rules between attributes ---- */

bool pv_rule_holds(const struct pv_rule_decl *r, bool (*has)(const void *ctx, const char *attr), const void *ctx,
		   char *why, size_t size)
{
	static const char *const say[] = {[PV_RULE_ONE_OF] = "exactly one",
					  [PV_RULE_SOME_OF] = "at least one",
					  [PV_RULE_NOT_BOTH] = "at most one"};
	unsigned n = 0;

	for (const char *const *a = r->attrs; *a; a++)
		n += has(ctx, *a);
	if (n == 1 || (n == 0 && r->rule == PV_RULE_NOT_BOTH) || (n > 1 && r->rule == PV_RULE_SOME_OF))
		return true;
	size_t len = (size_t)snprintf(why, size, "%s of the attributes", say[r->rule]);
	for (const char *const *a = r->attrs; *a; a++)
		len += (size_t)snprintf(why + len, size - len, " %s", *a);
	snprintf(why + len, size - len, ", got %u", n);
	return false;
}
