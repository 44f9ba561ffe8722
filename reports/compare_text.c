/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of two runs for a person at a terminal, and as JSON. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"
#include "reports/compare.h"
#include "reports/terminal.h"
#include "reports/xmltext.h"

/* ---- text ---- */

static void print_clean(FILE *out, const char *text)
{
	_autofree_ char *line = pv_text_line(text);

	fputs(line ? line : "?", out);
}

static void print_run(FILE *out, const char *which, const struct pv_run_result *r)
{
	fprintf(out, "%-7s ", which);
	print_clean(out, r->folder);
	fprintf(out, ": %s, %s, driver %s, version %s", r->target, r->board, r->driver, r->version);
	const char *revision = pv_run_property(r, "revision");
	fprintf(out, "%s%s%s; %zu passed, %zu failed, %zu errors, %zu skipped\n", revision ? " (" : "",
		revision ? revision : "", revision ? ")" : "", r->count[PV_PASS], r->count[PV_FAIL], r->count[PV_ERROR],
		r->count[PV_SKIP]);
}

static void print_change(FILE *out, const struct pv_change *c, bool colour)
{
	const struct pv_case_result *shown = c->after ? c->after : c->before;

	fprintf(out, "  %s%s%s", pv_verdict_colour(shown->verdict, colour), pv_verdict_word(shown->verdict),
		pv_colour_off(colour));
	fputc(' ', out);
	print_clean(out, shown->plan);
	fputc('/', out);
	print_clean(out, shown->name);
	if (shown->round > 1)
		fprintf(out, " #%u", shown->round);
	if (c->before && c->after && c->before->verdict != c->after->verdict)
		fprintf(out, " (before: %s)", pv_verdict_name(c->before->verdict));
	const char *text = c->text ? c->text : shown->verdict != PV_PASS ? shown->message : NULL;
	if (text && *text) {
		fputs("\n      ", out);
		print_clean(out, text);
	}
	fputc('\n', out);
}

struct facts {
	FILE *out;
	size_t n;
};

static void print_fact(void *ctx, const char *name, const char *before, const char *after)
{
	struct facts *f = ctx;

	fputs(f->n++ ? "  " : "\nThe machine is different\n  ", f->out);
	print_clean(f->out, name);
	fputs(": ", f->out);
	print_clean(f->out, before ? before : "unknown");
	fputs(" before, ", f->out);
	print_clean(f->out, after ? after : "unknown");
	fputs(" now\n", f->out);
}

static void print_totals(const struct pv_comparison *c, FILE *out)
{
	const char *comma = ": ";

	fprintf(out, "\n%s", pv_comparison_word(c));
	for (int k = 0; k < PV_CHANGE_KINDS; k++) {
		if (!c->count[k])
			continue;
		fprintf(out, "%s%zu %s", comma, c->count[k], pv_change_looks[k].title);
		comma = "; ";
	}
	fputc('\n', out);
}

void pv_comparison_print(const struct pv_comparison *c, bool colour, FILE *out)
{
	print_run(out, "before", c->before);
	print_run(out, "after", c->after);
	for (size_t i = 0; i < c->n; i++) {
		if (!i || c->changes[i].kind != c->changes[i - 1].kind)
			fprintf(out, "\n%s (%zu)\n", pv_change_looks[c->changes[i].kind].title,
				c->count[c->changes[i].kind]);
		print_change(out, &c->changes[i], colour);
	}
	pv_comparison_facts(c, print_fact, &(struct facts){.out = out});
	print_totals(c, out);
}

/* ---- JSON ---- */

static json_object *run_object(const struct pv_run_result *r)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "folder", r->folder);
	pv_text_add(o, "target", r->target);
	pv_text_add(o, "board", r->board);
	pv_text_add(o, "driver", r->driver);
	pv_text_add(o, "version", r->version);
	pv_text_add(o, "revision", pv_run_property(r, "revision"));
	for (int v = 0; v < PV_VERDICTS; v++)
		pv_json_uint(o, pv_verdict_name(v), r->count[v]);
	return o;
}

static void add_side(json_object *o, const char *key, const struct pv_case_result *c)
{
	if (!c)
		return;
	json_object *side = json_object_new_object();
	char seconds[32];
	pv_text_add(side, "verdict", pv_verdict_name(c->verdict));
	pv_text_add(side, "type", c->type);
	pv_text_add(side, "message", c->message);
	json_object_object_add(side, "seconds",
			       json_object_new_double_s(c->seconds, pv_seconds_text(c->seconds, seconds)));
	pv_json_int(side, "checks", c->checks);
	pv_json_int(side, "sim_ns", c->sim_ns);
	json_object_object_add(o, key, side);
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

static json_object *comparison_object(const struct pv_comparison *c)
{
	json_object *o = json_object_new_object(), *lists[PV_CHANGE_KINDS];

	pv_json_bool(o, "regression", pv_comparison_regressed(c));
	json_object_object_add(o, "before", run_object(c->before));
	json_object_object_add(o, "after", run_object(c->after));
	json_object *facts = json_object_new_array();
	pv_comparison_facts(c, add_fact, facts);
	json_object_object_add(o, "environment", facts);
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		json_object_object_add(o, pv_change_looks[k].name, lists[k] = json_object_new_array());
	for (size_t i = 0; i < c->n; i++)
		json_object_array_add(lists[c->changes[i].kind], change_object(&c->changes[i]));
	return o;
}

int pv_comparison_write_json(const struct pv_comparison *c, const char *path, struct pv_error *e)
{
	json_object *o = comparison_object(c);
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	int err = text ? pv_file_write(path, text, strlen(text), e)
		       : pv_error(e, -ENOMEM, "%s: not written: out of memory", path);

	json_object_put(o);
	return err;
}
