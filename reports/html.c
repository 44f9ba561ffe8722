/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as one HTML page, for readers of CI artefacts and nightly lab runs. The page needs no network, and is complete
 * without script and style, as some CI systems serve it without them. Failures come first.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/html.h"
#include "reports/html_page.h"
#include "reports/statements.h"
#include "reports/writers.h"

/* Limits texts and logs: browsers fail to open much larger pages. */
enum { ROOM_BYTES = 16 << 20 };

extern const char pv_report_css[], pv_report_css_sha256[], pv_report_js[], pv_report_js_sha256[];

/* ---- the verdict ---- */

static const struct {
	enum pv_verdict look;
	const char *word;
} outcomes[] = {
	[PV_EXIT_PASSED] = {PV_PASS, "PASSED"},
	[PV_EXIT_FAILED] = {PV_FAIL, "FAILED"},
	[PV_EXIT_UNJUDGED] = {PV_ERROR, "NOT JUDGED"},
	[PV_EXIT_SKIPPED] = {PV_SKIP, "SKIPPED"},
};

static void begin(struct pv_page *p)
{
	const struct pv_run_result *r = p->run;
	_autofree_ char *title = NULL;

	if (asprintf(&title, "%s: pcieval on %s, %s", outcomes[pv_run_exit(r)].word, r->target, r->board) < 0) {
		title = NULL;
		p->failed = true;
	}
	pv_html_begin(title ? title : "pcieval", &PV_HTML_CODE(pv_report_css), &PV_HTML_CODE(pv_report_js), p->f);
}

static void put_totals(struct pv_page *p)
{
	const struct pv_run_result *r = p->run;
	enum pv_exit outcome = pv_run_exit(r);
	const char *why = r->why ? r->why : r->interrupted ? "interrupted" : NULL;

	fprintf(p->f, "<h1><span class=\"v %s\">%s</span> %zu case%s in ", pv_verdict_name(outcomes[outcome].look),
		outcomes[outcome].word, r->n_cases, r->n_cases == 1 ? "" : "s");
	pv_page_duration(p, r->seconds);
	fputs("</h1>\n", p->f);
	if (r->running)
		fputs("<p class=\"bad\">The run was still running when this was made: what has no verdict yet is an "
		      "error here.</p>\n",
		      p->f);
	if (r->damaged)
		fprintf(p->f,
			"<p class=\"bad\">%zu damaged line%s of the journal %s skipped: their content is lost."
			"</p>\n",
			r->damaged, r->damaged == 1 ? "" : "s", r->damaged == 1 ? "was" : "were");
	if (why) {
		fputs("<p class=\"bad\">The run ended before its time: ", p->f);
		pv_page_line(p, why);
		fputs("</p>\n", p->f);
	}
	fputs("<ul class=\"totals\">", p->f);
	for (int v = 0; v < PV_VERDICTS; v++)
		fprintf(p->f, "<li class=\"%s\"><b>%zu</b> %s</li>", r->count[v] ? pv_verdict_name(v) : "none",
			r->count[v], pv_verdict_counted(v, r->count[v]));
	if (r->flaky)
		fprintf(p->f, "<li class=\"skip\"><b>%zu</b> flaky</li>", r->flaky);
	fputs("</ul>\n", p->f);
	pv_page_bar(p, r->count);
}

/* ---- tested properties ---- */

static void put_fact(struct pv_page *p, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fputs("<dt>", p->f);
	pv_page_line(p, name);
	fputs("</dt><dd>", p->f);
	pv_page_line(p, value);
	fputs("</dd>\n", p->f);
}

/* Without a seed for the run, shows the seed of the plans. */
static void put_seed(struct pv_page *p)
{
	const struct pv_run_result *r = p->run;
	char text[32];
	bool same = true;

	for (char **q = r->properties; q && q[0] && q[1]; q += 2)
		if (!strcmp(q[0], "seed"))
			return;
	for (size_t i = 1; i < r->n_cases; i++)
		same &= r->cases[i].seed == r->cases[0].seed;
	if (!r->n_cases)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)r->cases[0].seed);
	put_fact(p, "seed", same ? text : "of the plans, several");
}

static void put_environment(struct pv_page *p)
{
	if (!p->run->environment)
		return;
	fputs("<details id=\"environment\"><summary>environment of the machine</summary>\n<dl>\n", p->f);
	for (char **q = p->run->environment; q[0] && q[1]; q += 2)
		put_fact(p, q[0], q[1]);
	fputs("</dl></details>\n", p->f);
}

static void put_facts(struct pv_page *p)
{
	const struct pv_run_result *r = p->run;
	char when[64];

	fputs("<section id=\"run\"><h2>What was tested</h2>\n<dl>\n", p->f);
	put_fact(p, "target", r->target);
	put_fact(p, "board", r->board);
	put_fact(p, "driver", r->driver);
	if (pv_run_fact(r, "kernel"))
		put_fact(p, "kernel under test", pv_run_fact(r, "kernel"));
	put_fact(p, "started", pv_page_started(r, when));
	put_fact(p, "host", r->hostname);
	put_seed(p);
	for (char **q = r->properties; q && q[0] && q[1]; q += 2)
		put_fact(p, q[0], q[1]);
	put_fact(p, "pcieval", r->version);
	put_fact(p, "results", r->folder);
	fputs("</dl>\n", p->f);
	put_environment(p);
	if (r->command && *r->command) {
		fputs("<details><summary>command</summary><p><code>", p->f);
		pv_page_line(p, r->command);
		fputs("</code></p></details>\n", p->f);
	}
	fputs("</section>\n", p->f);
}

static void put_plans(struct pv_page *p)
{
	fputs("<section id=\"plans\"><h2>Plans</h2>\n<div class=\"wide\"><table>\n<tr><th scope=\"col\">plan</th>",
	      p->f);
	pv_page_counts_head(p);
	fputs("<th class=\"share\"></th><th scope=\"col\" class=\"n\">time</th></tr>\n", p->f);
	for (size_t i = 0; i < p->plans.n; i++) {
		const struct pv_group *g = &p->plans.groups[i];

		fprintf(p->f, "<tr><th scope=\"row\"><a href=\"#p%zu\">", i);
		pv_page_line(p, g->key);
		fputs("</a></th>", p->f);
		pv_page_counts(p, g->count);
		fputs("<td class=\"share\">", p->f);
		pv_page_bar(p, g->count);
		fputs("</td><td class=\"n\">", p->f);
		pv_page_duration(p, g->seconds);
		fputs("</td></tr>\n", p->f);
	}
	fputs("</table></div></section>\n", p->f);
}

/* ---- navigation ---- */

/* The filter needs script, so it is hidden without. */
static void put_filter(struct pv_page *p)
{
	fputs("<div id=\"filter\" role=\"search\" hidden=\"hidden\"><input type=\"search\" aria-label=\"filter by "
	      "text\" "
	      "placeholder=\"filter: words of plan, case, message, requirement\"/>\n",
	      p->f);
	for (int v = 0; v < PV_VERDICTS; v++)
		fprintf(p->f, "<label><input type=\"checkbox\" value=\"%s\" checked=\"checked\"/> %s</label>\n",
			pv_verdict_name(v), pv_verdict_name(v));
	fputs("<output></output></div>\n", p->f);
}

/* ---- the sections ---- */

static size_t count_flaky(const struct pv_page *p)
{
	return p->run->flaky;
}

static size_t count_repeats(const struct pv_page *p)
{
	return p->repeats.n;
}

static size_t count_rules(const struct pv_page *p)
{
	return p->rules.n;
}

static size_t count_skips(const struct pv_page *p)
{
	return p->skips.n_members;
}

static size_t count_requirements(const struct pv_page *p)
{
	return p->proofs.n;
}

static size_t count_cases(const struct pv_page *p)
{
	return p->run->n_cases;
}

static const struct {
	const char *id, *title;
	size_t (*count)(const struct pv_page *p);
	void (*put)(struct pv_page *p);
} sections[] = {
	{"bad", "Failures and errors", pv_page_bad_count, pv_page_bad},
	{"known", "Known failures and unexpected passes", pv_page_deviations_count, pv_page_deviations},
	{"flaky", "Flaky: passed when run again", count_flaky, pv_page_flaky},
	{"repeats", "Repeated cases", count_repeats, pv_page_repeats},
	{"rules", "Rules of use that the driver broke", count_rules, pv_page_rules},
	{"skips", "Skipped, by reason", count_skips, pv_page_skips},
	{"slowest", "Slowest cases", pv_page_slowest_count, pv_page_slowest},
	{"requirements", "Requirements", count_requirements, pv_page_requirements},
	{"all", "All cases", count_cases, pv_page_all},
};

static void put_contents(struct pv_page *p)
{
	fputs("<nav aria-label=\"sections\"><ul>", p->f);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (sections[i].count(p))
			fprintf(p->f, "<li><a href=\"#%s\">%s</a></li>", sections[i].id, sections[i].title);
	fputs("</ul></nav>\n", p->f);
}

static void put_sections(struct pv_page *p)
{
	fputs("<main>\n", p->f);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		size_t n = sections[i].count(p);

		if (!n)
			continue;
		fprintf(p->f, "<section id=\"%s\"><h2>%s (%zu)</h2>\n<div class=\"wide\">\n", sections[i].id,
			sections[i].title, n);
		sections[i].put(p);
		fputs("</div></section>\n", p->f);
	}
	fputs("</main>\n", p->f);
}

static void put_header(struct pv_page *p)
{
	fputs("<header>\n", p->f);
	put_totals(p);
	put_contents(p);
	fputs("<div class=\"columns\">\n", p->f);
	put_facts(p);
	put_plans(p);
	fputs("</div>\n</header>\n", p->f);
	put_filter(p);
}

/* ---- the page ---- */

static void sort_case(struct pv_page *p, size_t i)
{
	const struct pv_case_result *c = &p->run->cases[i];
	const char *message = c->message ? c->message : "";

	if (c->verdict == PV_ERROR && !pv_page_is_told(c))
		pv_groups_add(&p->unrun, message, i);
	if (c->verdict == PV_SKIP && !pv_page_is_told(c))
		pv_groups_add(&p->skips, pv_case_reason(c), i);
	for (char **v = c->verifies; v && *v; v++)
		pv_groups_add(&p->proofs, *v, i);
}

static void sort_cases(struct pv_page *p)
{
	for (size_t i = 0; i < p->run->n_cases; i++)
		sort_case(p, i);
	pv_groups_of_alike(&p->alike, p->run);
	pv_groups_of_plans(&p->plans, p->run);
	pv_groups_make(&p->unrun, p->run, PV_GROUPS_BY_SIZE);
	pv_groups_make(&p->skips, p->run, PV_GROUPS_BY_SIZE);
	pv_groups_make(&p->proofs, p->run, PV_GROUPS_BY_KEY);
	pv_rules_group(p->run, &p->rules);
	pv_groups_of_repeats(&p->repeats, p->run);
	p->failed = p->repeats.failed || p->alike.failed || p->plans.failed || p->unrun.failed || p->skips.failed ||
		    p->proofs.failed || p->rules.failed;
}

static void put_page(struct pv_page *p, const void *unused)
{
	begin(p);
	put_header(p);
	put_sections(p);
	pv_html_end(&PV_HTML_CODE(pv_report_js), p->f);
}

static void page_free(struct pv_page *p)
{
	pv_groups_free(&p->plans);
	pv_groups_free(&p->alike);
	pv_groups_free(&p->unrun);
	pv_groups_free(&p->skips);
	pv_groups_free(&p->proofs);
	pv_groups_free(&p->rules);
	pv_groups_free(&p->repeats);
}

/* ---- path from the page to the run folder ---- */

static char *real_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	_autofree_ char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");

	return folder ? realpath(folder, NULL) : NULL;
}

/* Returns the path from one absolute folder to another: "", or ending with '/'. NULL: no memory. */
static char *way(const char *from, const char *to)
{
	size_t same = 0, n;

	for (size_t i = 0;; i++) {
		bool ends = (!from[i] || from[i] == '/') && (!to[i] || to[i] == '/');

		if (ends)
			same = i;
		if (!from[i] || from[i] != to[i])
			break;
	}
	char *text = NULL;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	for (const char *s = from + same; *s; s++)
		if (*s == '/' && s[1])
			fputs("../", f);
	if (to[same] && to[same + 1])
		fprintf(f, "%s/", to + same + 1);
	return fclose(f) ? NULL : text;
}

/* Returns the URL of the run folder, relative to the page. NULL: one of them does not exist. The caller frees it. */
static char *folder_from_page(const char *page, const char *folder)
{
	_autofree_ char *from = real_folder_of(page), *to = folder ? realpath(folder, NULL) : NULL;

	return from && to ? way(from, to) : NULL;
}

int pv_html_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	_autofree_ char *folder = folder_from_page(path, r->folder);
	struct pv_page p = {.run = r, .folder = folder, .room = ROOM_BYTES};

	sort_cases(&p);
	int err = pv_page_write(&p, put_page, NULL, path, e);
	page_free(&p);
	return err;
}
