/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: ${name} in values, and the combinations of a matrix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/params.h"

/* ---- substitution ---- */

static const char *candidate_binding(const void *scope, size_t i)
{
	const struct pv_scope *s = scope;

	return i < s->n ? s->bindings[i].name : NULL;
}

static const struct pv_binding *find(const struct pv_scope *s, const char *name, size_t len)
{
	for (unsigned i = s->n; i-- > 0;)
		if (!strncmp(s->bindings[i].name, name, len) && !s->bindings[i].name[len])
			return &s->bindings[i];
	return NULL;
}

static const struct pv_binding *lookup(const struct pv_scope *s, const char *name, size_t len, const struct pv_xml *x,
				       const char *attr, struct pv_problems *p)
{
	const struct pv_binding *b = find(s, name, len);
	char word[64];

	if (b && b->param)
		b->param->used = true;
	if (b || !p)
		return b;
	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), name);
	pv_problem(p, x->file, x->line, s->where, "<%s> %s: there is no parameter '%s'%s", x->name, attr, PV_SHOW(word),
		   pv_did_you_mean(word, candidate_binding, s).s);
	return NULL;
}

bool pv_substitute(const struct pv_scope *s, const char *text, const struct pv_xml *x, const char *attr,
		   struct pv_arena *a, struct pv_problems *p, const char **out)
{
	char value[PV_VALUE_MAX_BYTES];
	size_t n = 0;

	*out = text;
	if (!strstr(text, "${"))
		return true;
	for (const char *open; (open = strstr(text, "${"));) {
		const char *close = strchr(open, '}');

		if (!close) {
			if (p)
				pv_problem(p, x->file, x->line, s->where, "<%s> %s: '${' without '}' in '%s'", x->name,
					   attr, PV_SHOW(text));
			return false;
		}
		const struct pv_binding *b = lookup(s, open + 2, (size_t)(close - open - 2), x, attr, p);
		if (!b)
			return false;
		size_t before = (size_t)(open - text), len = strlen(b->value);
		if (before + len >= sizeof(value) - n)
			goto too_long;
		memcpy(value + n, text, before);
		memcpy(value + n + before, b->value, len);
		n += before + len;
		text = close + 1;
	}
	if (strlen(text) >= sizeof(value) - n)
		goto too_long;
	strcpy(value + n, text);
	*out = pv_arena_strdup(a, value);
	if (!*out && p)
		pv_problem_memory(p);
	return *out;
too_long:
	if (p)
		pv_problem(p, x->file, x->line, s->where, "<%s> %s: longer than %u bytes after substitution", x->name,
			   attr, PV_VALUE_MAX_BYTES - 1);
	return false;
}

/* ---- matrices ---- */

const char *const *pv_words(struct pv_arena *a, const char *text)
{
	size_t n = 0;
	char *copy = pv_arena_strdup(a, text ? text : ""), *rest = NULL;
	const char **out = pv_arena_array(a, strlen(text ? text : "") / 2 + 2, sizeof(*out));

	if (!copy || !out)
		return NULL;
	for (char *w = strtok_r(copy, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest))
		out[n++] = w;
	return out;
}

static char *trim(char *s)
{
	s += strspn(s, " \t\r\n");
	for (size_t n = strlen(s); n && strchr(" \t\r\n", s[n - 1]);)
		s[--n] = '\0';
	return s;
}

/* Splits at each separator, and keeps empty values. Without a separator: splits into words. */
static const char *const *split(struct pv_arena *a, const char *text, const char *separator)
{
	if (!separator)
		return pv_words(a, text);
	size_t n = 0;
	char *rest = pv_arena_strdup(a, text);
	const char **out = pv_arena_array(a, strlen(text) + 2, sizeof(*out));
	if (!rest || !out)
		return NULL;
	while (rest)
		out[n++] = trim(strsep(&rest, separator));
	return out;
}

static unsigned count(const char *const *words)
{
	unsigned n = 0;

	while (words[n])
		n++;
	return n;
}

static bool has_column(const struct pv_matrix *m, const char *name)
{
	for (const struct pv_plan_axis *a = m->axes; a; a = a->next)
		for (unsigned i = 0; i < a->n_columns; i++)
			if (!strcmp(a->columns[i].name, name))
				return true;
	return false;
}

static struct pv_plan_axis *axis_new(struct pv_matrix *m, const struct pv_xml *x, const char *const *names,
				     struct pv_arena *a, struct pv_problems *p)
{
	struct pv_plan_axis *axis = pv_arena_alloc(a, sizeof(*axis));
	unsigned n = names ? count(names) : 0;

	if (!axis || !names || !(axis->columns = pv_arena_array(a, n, sizeof(*axis->columns)))) {
		pv_problem_memory(p);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++) {
		bool again = has_column(m, names[i]);

		for (unsigned j = 0; j < i; j++)
			again |= !strcmp(names[i], names[j]);
		if (again)
			pv_problem(p, x->file, x->line, NULL, "<%s>: the matrix already has the parameter '%s'",
				   x->name, PV_SHOW(names[i]));
		axis->columns[i] = (struct pv_param){.name = names[i], .at = x};
	}
	axis->n_columns = n;
	return axis;
}

static void axis_add(struct pv_matrix *m, struct pv_plan_axis *axis, const struct pv_xml *x, struct pv_problems *p)
{
	struct pv_plan_axis **end = &m->axes;

	if (!axis->n_rows)
		pv_problem(p, x->file, x->line, NULL, "<%s>: there are no values, expected at least one", x->name);
	while (*end)
		end = &(*end)->next;
	*end = axis;
	m->n_columns += axis->n_columns;
}

/* Joins "name=value" of the columns that are in `key`; NULL: of all. */
static const char *join(const struct pv_plan_axis *axis, unsigned row, const char *const *key, struct pv_arena *a)
{
	const char *text = "";

	for (unsigned i = 0; i < axis->n_columns && text; i++) {
		const char *name = axis->columns[i].name, *value = axis->cells[row * axis->n_columns + i];
		const char *const *k = key;

		while (k && *k && strcmp(*k, name))
			k++;
		if (!k || *k)
			text = pv_arena_printf(a, "%s%s%s=%s", text, *text ? "," : "", name, value);
	}
	return text;
}

/*
 * Names a row. x: its <row>, NULL for a value of a <param>; key: the columns that name it, NULL for all; separator: of
 * its former names. False: no memory.
 */
static bool name_row(struct pv_plan_axis *axis, unsigned row, const struct pv_xml *x, const char *const *key,
		     const char *separator, struct pv_arena *a)
{
	struct pv_row_name *n = &axis->names[row];
	const char *name = x ? pv_xml_get(x, "name") : NULL;

	n->line = x ? x->line : 0;
	n->all = join(axis, row, NULL, a);
	n->shown = name ? name : key ? join(axis, row, key, a) : n->all;
	const char *former = x ? pv_xml_get(x, "formerly") : NULL;
	n->former = split(a, former, former ? separator : NULL);
	return n->all && n->shown && n->former;
}

/* Reports rows that have the same name. */
static void check_names(const struct pv_plan_axis *axis, const struct pv_xml *x, struct pv_problems *p)
{
	for (unsigned i = 1; i < axis->n_rows && i < PV_PLAN_MAX_CASES; i++)
		for (unsigned k = 0; k < i; k++) {
			if (strcmp(axis->names[i].shown, axis->names[k].shown))
				continue;
			pv_problem(p, x->file, axis->names[i].line, NULL,
				   "<row>: '%s' already stands for the row on line %d in the names of cases; expected "
				   "a name, or a key that tells the rows apart",
				   PV_SHOW(axis->names[i].shown), axis->names[k].line);
			break;
		}
}

static const char *candidate_column(const void *axis, size_t i)
{
	const struct pv_plan_axis *a = axis;

	return i < a->n_columns ? a->columns[i].name : NULL;
}

static bool is_column(const struct pv_plan_axis *axis, const char *name)
{
	for (unsigned i = 0; i < axis->n_columns; i++)
		if (!strcmp(axis->columns[i].name, name))
			return true;
	return false;
}

/* Returns the columns that name a row; NULL: all. */
static const char *const *read_key(const struct pv_plan_axis *axis, const struct pv_xml *x, struct pv_arena *a,
				   struct pv_problems *p)
{
	const char *const *key = pv_xml_get(x, "key") ? pv_words(a, pv_xml_get(x, "key")) : NULL;

	for (const char *const *k = key; k && *k; k++)
		if (!is_column(axis, *k))
			pv_problem(p, x->file, x->line, NULL, "<rows> key: there is no column '%s'%s", PV_SHOW(*k),
				   pv_did_you_mean(*k, candidate_column, axis).s);
	return key;
}

/* Names the values of a <param>. The value `unnamed` has no name. */
static bool name_values(struct pv_plan_axis *axis, const struct pv_xml *x, struct pv_arena *a, struct pv_problems *p)
{
	const char *unnamed = pv_xml_get(x, "unnamed");
	bool found = false;

	for (unsigned i = 0; i < axis->n_rows; i++) {
		if (!name_row(axis, i, NULL, NULL, NULL, a))
			return false;
		if (!unnamed || strcmp(axis->cells[i], unnamed))
			continue;
		axis->names[i].shown = "";
		found = true;
	}
	if (unnamed && !found)
		pv_problem(p, x->file, x->line, NULL, "<param> unnamed: '%s' is none of the values", PV_SHOW(unnamed));
	return true;
}

static void read_param(struct pv_matrix *m, const struct pv_xml *x, const struct pv_scope *fixed, struct pv_arena *a,
		       struct pv_problems *p)
{
	const char *values;

	if (!pv_substitute(fixed, pv_xml_get(x, "values"), x, "values", a, p, &values))
		return;

	const char *const *cells = split(a, values, pv_xml_get(x, "separator"));
	struct pv_plan_axis *axis = axis_new(m, x, pv_words(a, pv_xml_get(x, "name")), a, p);
	if (!axis)
		return;
	axis->n_rows = cells ? count(cells) : 0;
	axis->cells = (const char **)cells;
	axis->names = pv_arena_array(a, axis->n_rows + 1, sizeof(*axis->names));
	if (!cells || !axis->names || !name_values(axis, x, a, p)) {
		pv_problem_memory(p);
		return;
	}
	axis_add(m, axis, x, p);
}

/* Adds a row with its name. False: no memory. */
static bool read_row(struct pv_plan_axis *axis, const struct pv_xml *x, const struct pv_xml *row,
		     const char *const *key, struct pv_arena *a, struct pv_problems *p)
{
	const char *separator = pv_xml_get(x, "separator");
	const char *const *cells = split(a, row->text, separator);
	unsigned n = cells ? count(cells) : 0;

	if (!cells)
		return false;
	if (n != axis->n_columns) {
		pv_problem(p, row->file, row->line, NULL, "<row> has %u values, expected %u: %s", n, axis->n_columns,
			   PV_SHOW(pv_xml_get(x, "names")));
		return true;
	}
	memcpy(&axis->cells[axis->n_rows * n], cells, n * sizeof(*cells));
	return name_row(axis, axis->n_rows++, row, key, separator, a);
}

static void read_rows(struct pv_matrix *m, const struct pv_xml *x, struct pv_arena *a, struct pv_problems *p)
{
	struct pv_plan_axis *axis = axis_new(m, x, pv_words(a, pv_xml_get(x, "names")), a, p);
	size_t rows = 0;

	if (!axis)
		return;
	pv_xml_foreach_named (r, x, "row")
		rows++;
	const char *const *key = read_key(axis, x, a, p);
	axis->cells = pv_arena_array(a, rows * axis->n_columns + 1, sizeof(*axis->cells));
	axis->names = pv_arena_array(a, rows + 1, sizeof(*axis->names));
	bool good = axis->cells && axis->names;
	pv_xml_foreach_named (r, x, "row")
		good = good && read_row(axis, x, r, key, a, p);
	if (!good) {
		pv_problem_memory(p);
		return;
	}
	check_names(axis, x, p);
	axis_add(m, axis, x, p);
}

static void read_exclude(struct pv_matrix *m, const struct pv_xml *x, struct pv_arena *a, struct pv_problems *p)
{
	struct pv_plan_exclude *e = pv_arena_alloc(a, sizeof(*e));
	const char *const *terms = pv_words(a, pv_xml_get(x, "when"));
	unsigned n = terms ? count(terms) : 0;

	if (!e || !terms || !(e->names = pv_arena_array(a, n, sizeof(*e->names))) ||
	    !(e->values = pv_arena_array(a, n, sizeof(*e->values)))) {
		pv_problem_memory(p);
		return;
	}
	for (; e->n < n; e->n++) {
		char *equals = strchr(terms[e->n], '='); /* the schema requires one */

		*equals = '\0';
		e->names[e->n] = terms[e->n];
		e->values[e->n] = equals + 1;
		if (!has_column(m, terms[e->n]))
			pv_problem(p, x->file, x->line, NULL, "<exclude>: the matrix has no parameter '%s'",
				   PV_SHOW(terms[e->n]));
	}
	e->at = x;
	e->next = m->excludes;
	m->excludes = e;
}

void pv_matrix_read(struct pv_matrix *m, const struct pv_xml *x, const struct pv_scope *fixed, struct pv_arena *a,
		    struct pv_problems *p)
{
	pv_xml_foreach (c, x) {
		if (!strcmp(c->name, "param"))
			read_param(m, c, fixed, a, p);
		else if (!strcmp(c->name, "rows"))
			read_rows(m, c, a, p);
	}
	pv_xml_foreach_named (c, x, "exclude")
		read_exclude(m, c, a, p);
}

uint64_t pv_matrix_count(const struct pv_matrix *m)
{
	uint64_t n = 1;

	for (const struct pv_plan_axis *a = m->axes; a; a = a->next)
		if (__builtin_mul_overflow(n, a->n_rows, &n))
			return UINT64_MAX;
	return n;
}

static const char *value_of(const struct pv_binding *b, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(b[i].name, name))
			return b[i].value;
	return "";
}

static bool excluded(struct pv_plan_exclude *e, const struct pv_binding *b, unsigned n)
{
	for (unsigned i = 0; i < e->n; i++)
		if (strcmp(value_of(b, n, e->names[i]), e->values[i]))
			return false;
	e->used = true;
	return true;
}

/* The last axis varies fastest, like nested loops in the order of the file. */
bool pv_matrix_combination(struct pv_matrix *m, uint64_t k, struct pv_binding *out)
{
	uint64_t rest = pv_matrix_count(m);
	unsigned n = 0;

	for (struct pv_plan_axis *a = m->axes; a; a = a->next) {
		rest /= a->n_rows;
		uint64_t row = k / rest % a->n_rows;
		for (unsigned i = 0; i < a->n_columns; i++)
			out[n++] = (struct pv_binding){&a->columns[i], a->columns[i].name,
						       a->cells[row * a->n_columns + i]};
	}
	bool out_of_it = false;
	for (struct pv_plan_exclude *e = m->excludes; e; e = e->next)
		out_of_it |= excluded(e, out, n);
	return !out_of_it;
}
