/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the folder of a run: the first line is settings.json, the second cases.json, the rest the journal. From
 * what loads, all reports are made, and must be what they claim: XML, JSON, KTAP and a page with as many cases and
 * verdicts as there are, and a summary that cannot steer a terminal.
 */
#include <json-c/json.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "framework/run/folder.h"
#include "framework/util/fuzz/folder.h"
#include "reports/terminal.h"
#include "reports/writers.h"

/* ---- JUnit ---- */

static size_t attribute(xmlNode *n, const char *name)
{
	xmlChar *v = xmlGetProp(n, (const xmlChar *)name);
	size_t value;

	fuzz_check(v);
	value = strtoul((const char *)v, NULL, 10);
	xmlFree(v);
	return value;
}

static size_t children(const xmlNode *n, const char *name)
{
	size_t found = 0;

	for (const xmlNode *c = n->children; c; c = c->next)
		found += c->type == XML_ELEMENT_NODE && !strcmp((const char *)c->name, name);
	return found;
}

static void check_junit(const char *text, size_t size, const struct pv_run_result *r)
{
	xmlDoc *doc = xmlReadMemory(text, (int)size, "junit", NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	size_t cases = 0, verdicts[PV_VERDICTS] = {0};
	xmlNode *root;

	fuzz_check(doc && (root = xmlDocGetRootElement(doc)));
	for (xmlNode *suite = root->children; suite; suite = suite->next) {
		if (suite->type != XML_ELEMENT_NODE)
			continue;
		fuzz_check(attribute(suite, "tests") == children(suite, "testcase"));
		cases += attribute(suite, "tests");
		verdicts[PV_FAIL] += attribute(suite, "failures");
		verdicts[PV_ERROR] += attribute(suite, "errors");
		verdicts[PV_SKIP] += attribute(suite, "skipped");
	}
	fuzz_check(cases == r->n_cases);
	for (int v = PV_FAIL; v < PV_VERDICTS; v++)
		fuzz_check(verdicts[v] == r->count[v]);
	xmlFreeDoc(doc);
}

/* ---- HTML ---- */

static size_t count(xmlXPathContext *ctx, const char *xpath)
{
	xmlXPathObject *o = xmlXPathEvalExpression((const xmlChar *)xpath, ctx);
	size_t n;

	fuzz_check(o && o->type == XPATH_NUMBER);
	n = (size_t)o->floatval;
	xmlXPathFreeObject(o);
	return n;
}

/* Text of a case must not become an element. */
static void check_html(const char *text, size_t size, const struct pv_run_result *r)
{
	xmlDoc *doc = xmlReadMemory(text, (int)size, "page", NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	xmlXPathContext *ctx = xmlXPathNewContext(doc);
	size_t all = 0;

	fuzz_check(doc && ctx);
	for (int v = 0; v < PV_VERDICTS; v++) {
		char xpath[64];

		snprintf(xpath, sizeof(xpath), "count(//tr[@data-v = '%s'])", pv_verdict_name(v));
		fuzz_check(count(ctx, xpath) == r->count[v]);
		all += r->count[v];
	}
	fuzz_check(count(ctx, "count(//details[@class = 'plan']//tr)") ==
		   all + count(ctx, "count(//table[@class = 'cases'])"));
	fuzz_check(count(ctx, "count(//script)") == 1 && count(ctx, "count(//style)") == 2);
	fuzz_check(!count(ctx, "count(//@*[starts-with(name(), 'on')])") &&
		   !count(ctx, "count(//a[contains(@href, ':')])"));
	xmlXPathFreeContext(ctx);
	xmlFreeDoc(doc);
}

/* ---- the others ---- */

static void check_json(const char *text, size_t size, const struct pv_run_result *r)
{
	json_object *o = json_tokener_parse(text), *cases = json_object_object_get(o, "cases");

	fuzz_check(json_object_is_type(o, json_type_object) && json_object_is_type(cases, json_type_array));
	fuzz_check(json_object_array_length(cases) == r->n_cases);
	json_object_put(o);
}

static void check_kcidb(const char *text, size_t size, const struct pv_run_result *r)
{
	json_object *o = json_tokener_parse(text), *tests = json_object_object_get(o, "tests");

	fuzz_check(json_object_is_type(tests, json_type_array) && json_object_array_length(tests) == r->n_cases);
	for (size_t i = 0; i < r->n_cases; i++) {
		json_object *path = json_object_object_get(json_object_array_get_idx(tests, i), "path");
		const char *at = json_object_get_string(path);

		/* Parts of letters, digits, _ and -, none of them empty. */
		fuzz_check(at && !strncmp(at, "pcieval.", 8) && !strstr(at, "..") && at[strlen(at) - 1] != '.');
		fuzz_check(strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
			   strlen(at));
	}
	json_object_put(o);
}

/* Results of one depth, numbered from 1 to what the plan line before them says. */
struct depth {
	size_t planned, seen, all;
};

static void check_ktap_line(const char *line, struct depth *d)
{
	size_t n = !strncmp(line, "ok ", 3) ? 3 : !strncmp(line, "not ok ", 7) ? 7 : 0;

	if (!strncmp(line, "1..", 3)) {
		fuzz_check(d->seen == d->planned);
		*d = (struct depth){strtoul(line + 3, NULL, 10), 0, d->all};
	} else if (n) {
		fuzz_check(strtoul(line + n, NULL, 10) == ++d->seen);
		d->all++;
	} else {
		fuzz_check(*line == '#' || !strncmp(line, "KTAP version 1\n", 15));
	}
}

static void check_ktap(const char *text, size_t size, const struct pv_run_result *r)
{
	struct depth plans = {0}, cases = {0};

	fuzz_check(strlen(text) == size);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		bool deep = !strncmp(line, "    ", 4);

		check_ktap_line(line + (deep ? 4 : 0), deep ? &cases : &plans);
	}
	fuzz_check(plans.seen == plans.planned && cases.seen == cases.planned && cases.all == r->n_cases);
}

static void check_terminal(const struct pv_run_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fuzz_check(f);
	pv_terminal_summary(r, &(struct pv_terminal_style){.verbose = true}, f);
	fuzz_check(!fclose(f) && strlen(text) == size);
	for (const char *c = text; *c; c++)
		fuzz_check((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
	free(text);
}

static void check_counts(const struct pv_run_result *r)
{
	size_t count[PV_VERDICTS] = {0};

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];

		count[c->verdict]++;
		fuzz_check(c->plan && c->name && c->file && c->type && c->message && c->verifies);
		free(pv_rerun_command(r, c));
	}
	fuzz_check(!memcmp(count, r->count, sizeof(count)));
	fuzz_check((pv_run_exit(r) == PV_EXIT_PASSED) <= (!count[PV_FAIL] && !count[PV_ERROR] && r->n_cases));
}

static void check_reports(const struct pv_run_result *r)
{
	static void (*const checks[PV_REPORTS])(const char *, size_t,
						const struct pv_run_result *) = {[PV_REPORT_junit] = check_junit,
										 [PV_REPORT_html] = check_html,
										 [PV_REPORT_json] = check_json,
										 [PV_REPORT_kcidb] = check_kcidb,
										 [PV_REPORT_ktap] = check_ktap};

	for (size_t i = 0; pv_report_writers[i].name; i++) {
		char path[64], *text;
		size_t n;

		fuzz_check(!pv_report_writers[i].write(r, fuzz_folder_file("report", path), NULL));
		text = fuzz_folder_get("report", &n);
		if (checks[i])
			checks[i](text, n, r);
		free(text);
	}
}

static void ignore(void *ctx, const char *fmt, ...)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_run_result *r = NULL;
	struct pv_error e = {0};
	const uint8_t *line;
	size_t n;

	xmlSetGenericErrorFunc(NULL, ignore);
	line = fuzz_line(&data, &size, &n);
	fuzz_folder_put(PV_SETTINGS_FILE, line, n);
	line = fuzz_line(&data, &size, &n);
	fuzz_folder_put(PV_CASES_FILE, line, n);
	fuzz_folder_put(PV_JOURNAL_FILE, data, size);
	if (pv_run_load(fuzz_folder(), &r, &e)) {
		fuzz_check(*e.text && e.code);
		return 0;
	}
	check_counts(r);
	check_reports(r);
	check_terminal(r);
	pv_run_result_free(r);
	return 0;
}
