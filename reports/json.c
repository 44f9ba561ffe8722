/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole result model as one JSON object, for scripts, a comparison of two runs, and a table of several. Text is
 * valid UTF-8, numbers have a point.
 */
#include <json-c/json.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "reports/compare.h"
#include "reports/groups.h"
#include "reports/run_table.h"
#include "reports/statements.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

/* ---- pieces of both ---- */

static void add_seconds(json_object *o, double seconds)
{
	char text[32];

	json_object_object_add(o, "seconds", json_object_new_double_s(seconds, pv_seconds_text(seconds, text)));
}

static void add_counts(json_object *o, const size_t count[PV_VERDICTS])
{
	for (int v = 0; v < PV_VERDICTS; v++)
		pv_json_uint(o, pv_verdict_name(v), count[v]);
}

/* Takes the object. */
static int write_object(const char *path, json_object *o, struct pv_error *e)
{
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	int err = pv_report_write(path, text, text ? strlen(text) : 0, e);

	json_object_put(o);
	return err;
}

/* ---- a run ---- */

static void add_list(json_object *o, const char *key, char *const *strings)
{
	json_object *list = json_object_new_array();

	for (; strings && *strings; strings++) {
		_autofree_ char *clean = pv_text_clean(*strings);

		json_object_array_add(list, clean ? json_object_new_string(clean) : NULL);
	}
	json_object_object_add(o, key, list);
}

static json_object *attempts_array(const struct pv_case_result *c)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < c->n_attempts; i++) {
		const struct pv_attempt *a = &c->attempts[i];
		json_object *o = json_object_new_object();

		pv_text_add(o, "verdict", "error");
		pv_text_add(o, "type", a->type);
		pv_text_add(o, "message", a->message);
		pv_text_add(o, "log", a->log);
		add_list(o, "artefacts", a->artefacts);
		add_seconds(o, a->seconds);
		json_object_array_add(list, o);
	}
	return list;
}

/* The statements that a failed case rests on. */
static json_object *rests_array(const struct pv_case_result *c)
{
	const struct pv_statement *rests[PV_RESTS_MAX];
	size_t n = pv_case_rests(c, rests);
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_new_object();

		pv_text_add(o, "id", rests[i]->id);
		pv_text_add(o, "known", pv_known_name(rests[i]->how));
		pv_text_add(o, "source", rests[i]->source);
		pv_text_add(o, "text", rests[i]->text);
		json_object_array_add(list, o);
	}
	return list;
}

/* The rules of use that the driver broke. */
static json_object *rules_array(const struct pv_case_result *c)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < c->n_rules; i++) {
		json_object *o = json_object_new_object();

		pv_text_add(o, "rule", c->rules[i].rule);
		pv_json_uint(o, "count", c->rules[i].count);
		pv_text_add(o, "message", c->rules[i].message);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *case_object(const struct pv_run_result *r, const struct pv_case_result *c)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "plan", c->plan);
	pv_text_add(o, "case", c->name);
	if (c->formerly && *c->formerly)
		add_list(o, "formerly", c->formerly);
	pv_text_add(o, "file", c->file);
	pv_json_int(o, "line", c->line);
	pv_text_add(o, "verdict", pv_verdict_name(c->verdict));
	pv_text_add(o, "type", c->type);
	pv_text_add(o, "message", c->message);
	pv_text_add(o, "text", c->text);
	if (c->where)
		pv_text_add(o, "where", c->where);
	pv_text_add(o, "log", c->log);
	add_list(o, "verifies", c->verifies);
	if (c->roles && *c->roles)
		add_list(o, "roles", c->roles);
	if (c->verdict == PV_FAIL)
		json_object_object_add(o, "rests", rests_array(c));
	if (c->n_rules)
		json_object_object_add(o, "rules", rules_array(c));
	add_list(o, "artefacts", c->artefacts);
	pv_json_uint(o, "seed", c->seed);
	add_seconds(o, c->seconds);
	pv_json_int(o, "checks", c->checks);
	pv_json_int(o, "sim_ns", c->sim_ns);
	if (c->round)
		pv_json_int(o, "round", c->round);
	if (c->n_attempts)
		json_object_object_add(o, "attempts", attempts_array(c));
	_autofree_ char *again = pv_rerun_command(r, c);
	pv_text_add(o, "again", again);
	return o;
}

static json_object *properties_object(char *const *p)
{
	json_object *o = json_object_new_object();

	for (; p && p[0] && p[1]; p += 2)
		pv_text_add(o, p[0], p[1]);
	return o;
}

static json_object *totals_object(const struct pv_run_result *r)
{
	json_object *o = json_object_new_object();

	add_counts(o, r->count);
	pv_json_uint(o, "flaky", r->flaky);
	return o;
}

/* Adds the number of runs of each case, if any case ran more than once. */
static void add_repeats(json_object *o, const struct pv_run_result *r)
{
	_cleanup_(pv_groups_free) struct pv_groups repeats = {0};

	pv_groups_of_repeats(&repeats, r);
	if (!repeats.n)
		return;
	json_object *list = json_object_new_array();
	for (size_t i = 0; i < repeats.n; i++) {
		const struct pv_group *g = &repeats.groups[i];
		const struct pv_case_result *c = &r->cases[g->members[0].index];
		json_object *one = json_object_new_object();

		pv_text_add(one, "plan", c->plan);
		pv_text_add(one, "case", c->name);
		pv_json_uint(one, "runs", g->n);
		add_counts(one, g->count);
		json_object_array_add(list, one);
	}
	json_object_object_add(o, "repeats", list);
}

static json_object *run_object(const struct pv_run_result *r)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "target", r->target);
	pv_text_add(o, "board", r->board);
	pv_text_add(o, "driver", r->driver);
	pv_text_add(o, "command", r->command);
	pv_text_add(o, "hostname", r->hostname);
	pv_text_add(o, "version", r->version);
	pv_text_add(o, "folder", r->folder);
	pv_json_int(o, "started", r->started);
	add_seconds(o, r->seconds);
	pv_json_bool(o, "interrupted", r->interrupted);
	pv_json_bool(o, "running", r->running);
	if (r->why)
		pv_json_string(o, "why", r->why);
	json_object_object_add(o, "properties", properties_object(r->properties));
	if (r->environment)
		json_object_object_add(o, "environment", properties_object(r->environment));
	json_object_object_add(o, "totals", totals_object(r));
	json_object *cases = json_object_new_array();
	for (size_t i = 0; i < r->n_cases; i++)
		json_object_array_add(cases, case_object(r, &r->cases[i]));
	json_object_object_add(o, "cases", cases);
	add_repeats(o, r);
	return o;
}

int pv_json_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	return write_object(path, run_object(r), e);
}

/* ---- a comparison ---- */

static json_object *compared_object(const struct pv_run_result *r)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "folder", r->folder);
	pv_text_add(o, "target", r->target);
	pv_text_add(o, "board", r->board);
	pv_text_add(o, "driver", r->driver);
	pv_text_add(o, "defects", pv_run_property(r, "defects"));
	pv_text_add(o, "version", r->version);
	pv_text_add(o, "revision", pv_run_property(r, "revision"));
	add_counts(o, r->count);
	return o;
}

/* Returns a case of one run; NULL: the run lacks it. */
static json_object *side_object(const struct pv_case_result *c)
{
	if (!c)
		return NULL;
	json_object *side = json_object_new_object();

	pv_text_add(side, "verdict", pv_verdict_name(c->verdict));
	pv_text_add(side, "type", c->type);
	pv_text_add(side, "message", c->message);
	add_seconds(side, c->seconds);
	pv_json_int(side, "checks", c->checks);
	pv_json_int(side, "sim_ns", c->sim_ns);
	return side;
}

static void add_side(json_object *o, const char *key, const struct pv_case_result *c)
{
	if (c)
		json_object_object_add(o, key, side_object(c));
}

static json_object *change_object(const struct pv_change *c)
{
	const struct pv_case_result *shown = c->after ? c->after : c->before;
	json_object *o = json_object_new_object();

	pv_text_add(o, "plan", shown->plan);
	pv_text_add(o, "case", shown->name);
	if (shown->round)
		pv_json_int(o, "round", shown->round);
	pv_text_add(o, "text", c->text);
	add_side(o, "before", c->before);
	add_side(o, "after", c->after);
	return o;
}

static void add_fact(void *list, const char *name, const char *before, const char *after)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "name", name);
	pv_text_add(o, "before", before);
	pv_text_add(o, "after", after);
	json_object_array_add(list, o);
}

static json_object *renamed_list(const struct pv_renamed *renamed, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_new_object();

		pv_text_add(o, "plan", renamed[i].plan);
		pv_text_add(o, "before", renamed[i].before);
		pv_text_add(o, "after", renamed[i].after);
		if (*renamed[i].runs)
			pv_text_add(o, "runs", renamed[i].runs);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *comparison_object(const struct pv_comparison *c)
{
	json_object *o = json_object_new_object(), *lists[PV_CHANGE_KINDS];

	pv_text_add(o, "verdict", pv_comparison_word(c));
	pv_json_bool(o, "regression", pv_comparison_regressed(c));
	json_object_object_add(o, "before", compared_object(c->before));
	json_object_object_add(o, "after", compared_object(c->after));
	json_object *facts = json_object_new_array();
	pv_comparison_facts(c, add_fact, facts);
	json_object_object_add(o, "environment", facts);
	json_object_object_add(o, "renamed", renamed_list(c->renamed, c->n_renamed));
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		json_object_object_add(o, pv_change_looks[k].name, lists[k] = json_object_new_array());
	for (size_t i = 0; i < c->n; i++)
		json_object_array_add(lists[c->changes[i].kind], change_object(&c->changes[i]));
	return o;
}

int pv_comparison_write_json(const struct pv_comparison *c, const char *path, struct pv_error *e)
{
	return write_object(path, comparison_object(c), e);
}

/* ---- a table of runs ---- */

static void add_column(json_object *o, const struct pv_run_table *t, size_t i)
{
	const struct pv_comparison *c = &t->against_first[i];
	const char name[] = {(char)('a' + i), 0};

	pv_text_add(o, "column", name);
	pv_text_add(o, "kernel", pv_run_kernel(t->runs[i]));
	pv_text_add(o, "error", pv_run_table_lost(t, i));
	if (!pv_run_table_compares(t, i))
		return;
	json_object *changes = json_object_new_object();
	pv_text_add(changes, "verdict", pv_comparison_word(c));
	pv_json_bool(changes, "regression", pv_comparison_regressed(c));
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		pv_json_uint(changes, pv_change_looks[k].name, c->count[k]);
	json_object_object_add(o, "against_first", changes);
}

/* If the run lacks the round, the number of the one that was compared is added. */
static json_object *cell_object(const struct pv_table_row *row, size_t i)
{
	json_object *o = side_object(row->compared[i]);

	if (row->compared[i] != row->cells[i])
		pv_json_uint(o, "other_round", pv_case_round(row->compared[i]));
	return o;
}

static json_object *row_object(const struct pv_run_table *t, const struct pv_table_row *row)
{
	json_object *o = json_object_new_object(), *cells = json_object_new_array();
	const struct pv_case_result *shown = NULL;

	for (size_t i = 0; i < t->n_runs; i++) {
		shown = shown ? shown : row->cells[i];
		json_object_array_add(cells, cell_object(row, i));
	}
	pv_text_add(o, "plan", shown->plan);
	pv_text_add(o, "case", shown->name);
	if (shown->round)
		pv_json_int(o, "round", shown->round);
	pv_text_add(o, "runs", pv_row_looks[row->kind].name);
	json_object_object_add(o, "cells", cells);
	return o;
}

static json_object *table_object(const struct pv_run_table *t, bool all)
{
	json_object *o = json_object_new_object(), *runs = json_object_new_array(), *rows = json_object_new_array();

	pv_text_add(o, "verdict", pv_run_table_word(t));
	pv_json_bool(o, "regression", pv_run_table_regressed(t));
	pv_json_uint(o, "cases", t->n);
	for (int k = 0; k < PV_ROW_KINDS; k++)
		pv_json_uint(o, pv_row_looks[k].name, t->count[k]);
	for (size_t i = 0; i < t->n_runs; i++) {
		json_object *run = compared_object(t->runs[i]);

		add_column(run, t, i);
		json_object_array_add(runs, run);
	}
	for (size_t i = 0; i < t->n; i++)
		if (all || t->rows[i].kind == PV_ROW_differ)
			json_object_array_add(rows, row_object(t, &t->rows[i]));
	json_object_object_add(o, "runs", runs);
	json_object_object_add(o, "renamed", renamed_list(t->renamed, t->n_renamed));
	json_object_object_add(o, "rows", rows);
	return o;
}

int pv_run_table_write_json(const struct pv_run_table *t, bool all, const char *path, struct pv_error *e)
{
	return write_object(path, table_object(t, all), e);
}
