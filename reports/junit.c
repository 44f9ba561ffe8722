/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JUnit XML for the strictest reader: the schema of the Jenkins xUnit plugin. A tree is built with libxml2 from text
 * that pv_text_clean() has cleaned, then written in one piece.
 */
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "framework/util/cleanup.h"
#include "reports/groups.h"
#include "reports/statements.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

struct junit {
	const struct pv_run_result *run;
	const char *tested; /* of several runs: its tested properties, for names of suites; NULL: one run */
	size_t *twins;	    /* for each case: number of earlier ones with its class and name */
	bool failed;	    /* memory ran out */
};

static const xmlChar *X(const char *s)
{
	return (const xmlChar *)s;
}

static xmlNode *element(struct junit *j, xmlNode *parent, const char *name)
{
	xmlNode *node = parent ? xmlNewChild(parent, NULL, X(name), NULL) : NULL;

	if (!node)
		j->failed = true;
	return node;
}

static void attribute(struct junit *j, xmlNode *node, const char *name, const char *value)
{
	_autofree_ char *line = pv_text_line(value);

	if (!node || !line || !xmlNewProp(node, X(name), X(line)))
		j->failed = true;
}

static void attribute_number(struct junit *j, xmlNode *node, const char *name, size_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", value);
	attribute(j, node, name, text);
}

static void attribute_seconds(struct junit *j, xmlNode *node, double seconds)
{
	char text[32];

	attribute(j, node, "time", pv_seconds_text(seconds, text));
}

/* Adds long text as a text node: xmlNewChild() would search a content argument for entities. */
static void content(struct junit *j, xmlNode *node, const char *text)
{
	_autofree_ char *clean = pv_text_clean(text);

	if (!node || !clean || !xmlAddChild(node, xmlNewText(X(clean))))
		j->failed = true;
}

static void property(struct junit *j, xmlNode *properties, const char *name, const char *value)
{
	xmlNode *node = element(j, properties, "property");

	attribute(j, node, "name", name);
	attribute(j, node, "value", value);
}

/* Dots separate the parts of a class name, so a part must not contain dots, nor the colons of a BDF. */
static void class_part(char *out, size_t size, const char *part)
{
	size_t n = 0;

	for (; *part && n + 1 < size; part++) {
		bool ok = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", *part);

		out[n++] = ok ? *part : '_';
	}
	if (!n)
		out[n++] = '_';
	out[n] = 0;
}

enum { PART = 200, CLASS = 4 * PART };

static void class_name(const struct junit *j, const char *plan, char out[CLASS])
{
	char target[PART], board[PART], tested[PART], name[PART];

	class_part(target, sizeof(target), j->run->target);
	class_part(board, sizeof(board), j->run->board);
	class_part(tested, sizeof(tested), j->tested ? j->tested : "");
	class_part(name, sizeof(name), plan);
	snprintf(out, CLASS, "%s.%s.%s%s%s", target, board, j->tested ? tested : "", j->tested ? "." : "", name);
}

/* ---- one case ---- */

/* The element for each verdict; a passed case has none. */
static const char *const verdict_elements[PV_VERDICTS] = {
	[PV_FAIL] = "failure", [PV_ERROR] = "error", [PV_SKIP] = "skipped"};

static void add_verdict(struct junit *j, xmlNode *node, const struct pv_case_result *c)
{
	const char *name = verdict_elements[c->verdict];

	if (!name)
		return;
	const char *message = c->message && *c->message ? c->message : "no message";
	xmlNode *verdict = element(j, node, name);
	attribute(j, verdict, "type", c->type ? c->type : pv_verdict_name(c->verdict));
	attribute(j, verdict, "message", message);
	content(j, verdict, c->text && *c->text ? c->text : message);
}

/*
 * Adds earlier attempts like surefire does: flakyError if the case passed at last, otherwise rerunError beside its
 * verdict. The last attempt counts, so a reader that knows neither sees pcieval's verdict.
 */
static void add_attempts(struct junit *j, xmlNode *node, const struct pv_case_result *c)
{
	for (size_t i = 0; i < c->n_attempts; i++) {
		const struct pv_attempt *a = &c->attempts[i];
		const char *message = a->message && *a->message ? a->message : "no message";
		xmlNode *attempt = element(j, node, pv_case_is_flaky(c) ? "flakyError" : "rerunError");

		attribute(j, attempt, "message", message);
		attribute(j, attempt, "type", a->type ? a->type : "error");
		content(j, element(j, attempt, "stackTrace"), message);
		if (a->log && *a->log)
			content(j, element(j, attempt, "system-err"), a->log);
	}
}

static void print_strings(FILE *f, const char *label, char *const *strings)
{
	fputs(label, f);
	for (; strings && *strings; strings++)
		fprintf(f, " %s", *strings);
	fputc('\n', f);
}

/* Prints the names by which a reader may know the case, each with the function that it ran on. */
static void print_former_names(FILE *f, const struct pv_case_result *c)
{
	for (char **name = c->formerly; name && *name; name++)
		fprintf(f, "formerly: %s%s\n", *name, c->name + pv_case_base_length(c->name));
}

/* Returns the facts that the schema has no attribute for. Attachments come last, where readers look for them. */
static char *case_output(const struct pv_run_result *r, const struct pv_case_result *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	_autofree_ char *again = pv_rerun_command(r, c);
	fprintf(f, "plan: %s:%d\n", c->file, c->line);
	if (c->verifies && *c->verifies)
		print_strings(f, "verifies:", c->verifies);
	if (c->roles && *c->roles)
		print_strings(f, "roles:", c->roles);
	print_former_names(f, c);
	pv_rests_print(c, "", PV_RESTS_MAX, f);
	for (size_t i = 0; i < c->n_rules; i++)
		fprintf(f, "rule %s broken: %llu, first %s\n", c->rules[i].rule, (unsigned long long)c->rules[i].count,
			c->rules[i].message);
	fprintf(f, "seed: %llu\ndriver: %s\n", (unsigned long long)c->seed, r->driver);
	if (again)
		fprintf(f, "again: %s\n", again);
	for (char **a = c->artefacts; a && *a; a++)
		fprintf(f, "[[ATTACHMENT|%s]]\n", *a);
	for (size_t i = 0; i < c->n_attempts; i++)
		for (char **a = c->attempts[i].artefacts; a && *a; a++)
			fprintf(f, "[[ATTACHMENT|%s]]\n", *a);
	fclose(f);
	return text;
}

static void add_case(struct junit *j, xmlNode *suite, const struct pv_case_result *c)
{
	char class[CLASS];

	class_name(j, c->plan, class);
	size_t twin = j->twins[c - j->run->cases];
	_autofree_ char *numbered = NULL;
	if (twin && asprintf(&numbered, "%s #%zu", c->name, twin + 1) < 0)
		numbered = NULL;

	xmlNode *node = element(j, suite, "testcase");
	attribute(j, node, "name", numbered ? numbered : c->name);
	attribute(j, node, "classname", class);
	attribute_seconds(j, node, c->seconds);
	add_verdict(j, node, c);
	add_attempts(j, node, c);
	_autofree_ char *out = case_output(j->run, c);
	content(j, element(j, node, "system-out"), out);
	if (c->log && *c->log)
		content(j, element(j, node, "system-err"), c->log);
}

/* ---- one suite per plan ---- */

static void add_totals(struct junit *j, xmlNode *node, const size_t count[PV_VERDICTS], double seconds)
{
	size_t tests = 0;

	for (int v = 0; v < PV_VERDICTS; v++)
		tests += count[v];
	attribute_number(j, node, "tests", tests);
	attribute_number(j, node, "failures", count[PV_FAIL]);
	attribute_number(j, node, "errors", count[PV_ERROR]);
	attribute_seconds(j, node, seconds);
}

/* "machine." distinguishes these facts from those of the host: both have a kernel. */
static void environment_property(struct junit *j, xmlNode *properties, const char *name, const char *value)
{
	_autofree_ char *full = NULL;

	if (asprintf(&full, "machine.%s", name) < 0)
		full = NULL;
	if (full)
		property(j, properties, full, value);
	else
		j->failed = true;
}

static void add_properties(struct junit *j, xmlNode *suite)
{
	const struct pv_run_result *r = j->run;
	xmlNode *properties = element(j, suite, "properties");

	property(j, properties, "target", r->target);
	property(j, properties, "board", r->board);
	property(j, properties, "driver", r->driver);
	property(j, properties, "version", r->version);
	property(j, properties, "command", r->command);
	for (char **p = r->properties; p && p[0] && p[1]; p += 2)
		property(j, properties, p[0], p[1]);
	for (char **p = r->environment; p && p[0] && p[1]; p += 2)
		environment_property(j, properties, p[0], p[1]);
}

static const char *timestamp(int64_t seconds, char out[32])
{
	struct tm tm;
	time_t t = seconds;

	if (!gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(out, 32, "1970-01-01T00:00:00");
	return out;
}

static void add_suite(struct junit *j, xmlNode *root, const struct pv_group *plan, size_t id)
{
	const struct pv_run_result *r = j->run;
	char class[CLASS], when[32];

	class_name(j, plan->key, class);

	xmlNode *suite = element(j, root, "testsuite");
	attribute(j, suite, "name", class);
	add_totals(j, suite, plan->count, plan->seconds);
	attribute_number(j, suite, "skipped", plan->count[PV_SKIP]);
	attribute(j, suite, "timestamp", timestamp(r->started, when));
	attribute(j, suite, "hostname", r->hostname);
	attribute_number(j, suite, "id", id);
	add_properties(j, suite);
	for (size_t i = 0; i < plan->n; i++)
		add_case(j, suite, &r->cases[plan->members[i].index]);
}

/* Adds a suite for each plan. Returns the number of the next suite. */
static size_t add_suites(struct junit *j, xmlNode *root, size_t id)
{
	_cleanup_(pv_groups_free) struct pv_groups plans = {0};

	pv_groups_of_plans(&plans, j->run);
	j->failed |= plans.failed;
	for (size_t i = 0; i < plans.n; i++)
		add_suite(j, root, &plans.groups[i], id + i);
	return id + plans.n;
}

/* ---- duplicate names ---- */

static int by_class_and_name(const void *a, const void *b)
{
	const struct pv_case_result *x = *(const struct pv_case_result *const *)a;
	const struct pv_case_result *y = *(const struct pv_case_result *const *)b;
	char class_x[PART], class_y[PART];

	class_part(class_x, sizeof(class_x), x->plan);
	class_part(class_y, sizeof(class_y), y->plan);
	int order = strcmp(class_x, class_y);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

static bool same_key(const struct pv_case_result *x, const struct pv_case_result *y)
{
	char class_x[PART], class_y[PART];

	class_part(class_x, sizeof(class_x), x->plan);
	class_part(class_y, sizeof(class_y), y->plan);
	return !strcmp(class_x, class_y) && !strcmp(x->name, y->name);
}

/* Readers identify a case by class and name, and would merge two with the same ones (from two plans with one name). */
static bool number_twins(struct junit *j)
{
	const struct pv_run_result *r = j->run;
	_autofree_ const struct pv_case_result **sorted = calloc(r->n_cases + 1, sizeof(*sorted));

	j->twins = calloc(r->n_cases + 1, sizeof(*j->twins));
	if (!sorted || !j->twins)
		return false;
	for (size_t i = 0; i < r->n_cases; i++)
		sorted[i] = &r->cases[i];
	qsort(sorted, r->n_cases, sizeof(*sorted), by_class_and_name);
	for (size_t i = 1; i < r->n_cases; i++)
		if (same_key(sorted[i - 1], sorted[i]))
			j->twins[sorted[i] - r->cases] = j->twins[sorted[i - 1] - r->cases] + 1;
	return true;
}

/* ---- the document ---- */

/* Readers show no error of a run without a case. */
static bool is_lost(const struct pv_run_result *r)
{
	return !r->n_cases && r->why;
}

/* Makes the case of a lost run, which says why it is lost. */
static struct pv_case_result case_of_lost(const struct pv_run_result *r)
{
	static char plan[] = "run", name[] = "begin", type[] = "not-run";

	return (struct pv_case_result){
		.plan = plan, .name = name, .file = plan, .verdict = PV_ERROR, .type = type, .message = r->why};
}

static void add_sums(struct junit *j, xmlNode *root, const struct pv_run_result *const *runs, size_t n)
{
	size_t count[PV_VERDICTS] = {0};
	double seconds = 0;

	for (size_t i = 0; i < n; i++) {
		for (int v = 0; v < PV_VERDICTS; v++)
			count[v] += runs[i]->count[v];
		count[PV_ERROR] += is_lost(runs[i]);
		seconds += runs[i]->seconds;
	}
	add_totals(j, root, count, seconds);
}

static void add_run(struct junit *j, xmlNode *root, const struct pv_run_result *r, size_t *id)
{
	struct pv_case_result lost = case_of_lost(r);
	struct pv_run_result run = *r;

	if (is_lost(r)) {
		run.cases = &lost;
		run.n_cases = 1;
	}
	j->run = &run;
	if (number_twins(j))
		*id = add_suites(j, root, *id);
	else
		j->failed = true;
	free(j->twins);
	j->twins = NULL;
}

/* Builds the document. `tested`: NULL for one run. */
static xmlDoc *build(struct junit *j, const struct pv_run_result *const *runs, const char *const *tested, size_t n)
{
	xmlDoc *doc = xmlNewDoc(X("1.0"));
	xmlNode *root = doc ? xmlNewDocNode(doc, NULL, X("testsuites"), NULL) : NULL;
	size_t id = 0;

	if (!root) {
		j->failed = true;
		return doc;
	}
	xmlDocSetRootElement(doc, root);
	attribute(j, root, "name", "pcieval");
	add_sums(j, root, runs, n);
	for (size_t i = 0; i < n; i++) {
		j->tested = tested ? tested[i] : NULL;
		add_run(j, root, runs[i], &id);
	}
	return doc;
}

int pv_junit_write_runs(const struct pv_run_result *const *runs, const char *const *tested, size_t n, const char *path,
			struct pv_error *e)
{
	struct junit j = {0};
	xmlChar *text = NULL;
	int length = 0;
	xmlDoc *doc = build(&j, runs, tested, n);

	if (doc && !j.failed)
		xmlDocDumpFormatMemoryEnc(doc, &text, &length, "UTF-8", 1);
	xmlFreeDoc(doc);
	int err = pv_report_write(path, (const char *)text, (size_t)length, e);
	xmlFree(text);
	return err;
}

int pv_junit_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	return pv_junit_write_runs(&r, NULL, 1, path, e);
}
