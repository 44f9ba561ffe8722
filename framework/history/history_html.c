/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history as one HTML page, which needs no network. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat_plot.h"
#include "framework/history/report.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

extern const char pv_stat_css[], pv_stat_css_sha256[];

/* Limits of the page. Plots have a point for each of the last runs. */
enum { RUNS_SHOWN = 30, RUNS_DRAWN = 1000, CASES_SHOWN = 100, RATES_DRAWN = 12 };

struct page {
	struct pv_history *h;
	struct pv_error *e;
	FILE *f;
	double *bad, *seconds; /* for each of the last RUNS_DRAWN runs without planted defects */
	unsigned n_runs, n_planted, n_unrecorded;
	size_t n_cases, n_rates;
};

/* ---- plots ---- */

static void put_plot(struct page *p, const char *title, const char *unit, bool counts, const char *cls, double *y,
		     unsigned n)
{
	struct pv_axis axis = {.spans = {{0, n, 0}}, .n = 1, .length = n, .bin_ticks = 1, .counts = true};
	struct pv_plot plot = {.f = p->f, .x_max = n, .counts = counts};

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++)
		plot.y_max = fmax(plot.y_max, y[i]);
	fprintf(p->f, "<h2>%s</h2>\n", title);
	pv_plot_begin(&plot, title, unit);
	pv_axis_area(&plot, &axis, cls, NULL, y);
	pv_axis_end(&plot, &axis, "runs, the oldest first");
}

static int take_run(void *ctx, const struct pv_history_run *run)
{
	struct page *p = ctx;

	if (*run->defects) {
		p->n_planted++;
		return 0;
	}
	p->n_unrecorded += run->unrecorded;
	p->bad[p->n_runs] = (double)(run->count[PV_FAIL] + run->count[PV_ERROR]);
	p->seconds[p->n_runs++] = run->seconds;
	return 0;
}

/* ---- tables ---- */

static void put_count(const struct pv_history_run *run, int v, FILE *f)
{
	bool bad = v == PV_FAIL || v == PV_ERROR;

	pv_html_td(pv_verdict_name(v), bad && run->count[v] ? "bad" : NULL, f);
	fprintf(f, "%" PRId64 "</td>", run->count[v]);
}

static void put_driver(const struct pv_history_run *run, FILE *f)
{
	pv_html_td("driver", NULL, f);
	pv_html_put(run->driver, f);
	const char *defects = pv_history_planted(run);
	if (*defects) {
		fputs("<span class=\"dim\">planted defects: ", f);
		pv_html_put(defects, f);
		fputs("</span>", f);
	}
	fputs("</td>", f);
}

static int put_run(void *ctx, const struct pv_history_run *run)
{
	struct page *p = ctx;
	char date[PV_HISTORY_DATE], seconds[32];

	fprintf(p->f, "<tr><td>%s</td>", pv_history_date(run->started, date));
	for (int v = 0; v < PV_VERDICTS; v++)
		put_count(run, v, p->f);
	pv_html_cell("seconds", pv_seconds_text(run->seconds, seconds), p->f);
	pv_html_cell("target", run->target, p->f);
	put_driver(run, p->f);
	pv_html_cell("kernel", run->kernel, p->f);
	pv_html_cell("revision", run->revision, p->f);
	fputs("</tr>\n", p->f);
	return 0;
}

/* Writes the date only, as there is no room for the time of day. */
static void put_day(const char *head, int64_t started, FILE *f)
{
	char date[PV_HISTORY_DATE];

	pv_history_date(started, date);
	date[strcspn(date, " ")] = '\0';
	pv_html_cell(head, date, f);
}

/* Uses two table rows, as a name may be as long as the page is wide. */
static int put_case(void *ctx, const struct pv_history_case *c)
{
	struct page *p = ctx;

	if (p->n_cases++ >= CASES_SHOWN)
		return 0;
	fputs("<tr><td class=\"name\" colspan=\"6\">", p->f);
	pv_html_put(c->plan, p->f);
	fputc('/', p->f);
	pv_html_put(c->name, p->f);
	fputs("</td></tr>\n<tr>", p->f);
	pv_html_td("now", c->since ? "bad" : NULL, p->f);
	fprintf(p->f, "%s</td>", pv_verdict_name(c->last));
	put_day("fails since", c->since, p->f);
	put_day("last pass", c->last_pass, p->f);
	put_day("first failure", c->first_bad, p->f);
	pv_html_td("flaky", NULL, p->f);
	fprintf(p->f, "%.1f%%</td>", 100 * pv_history_flaky_rate(c));
	pv_html_td("results", NULL, p->f);
	fprintf(p->f, "<code>%s</code></td></tr>\n", c->strip);
	return 0;
}

static void begin_table(const char *title, const char *const *heads, FILE *f)
{
	fprintf(f, "<h2>%s</h2>\n<div class=\"tables\"><div>", title);
	pv_html_table(heads, f);
}

static void end_table(FILE *f)
{
	fputs("</table></div></div>\n", f);
}

static int put_cases(struct page *p)
{
	static const char *const heads[] = {"now",   "fails since", "last pass", "first failure",
					    "flaky", "results",	    NULL};
	const struct pv_history_filter bad = {.bad = true};

	begin_table("Cases that did not always pass", heads, p->f);
	int err = pv_history_cases(p->h, &bad, put_case, p, p->e);
	end_table(p->f);
	if (!p->n_cases)
		fputs("<p>Each result is a pass or a skip; a case that never ran has none.</p>\n", p->f);
	if (p->n_cases > CASES_SHOWN)
		fprintf(p->f, "<p>%zu more: <code>pcieval history show</code> lists them.</p>\n",
			p->n_cases - CASES_SHOWN);
	fputs("<p class=\"dim\">Results: P pass, F fail, E error, S skip, the newest at the right. Flaky: results that "
	      "came "
	      "by a retry, or differ from the one before although what was tested is the same.</p>\n",
	      p->f);
	return err;
}

/* ---- rates ---- */

struct rates {
	double y[RUNS_DRAWN], low, high;
	unsigned n;
};

static int take_rate(void *ctx, const struct pv_history_result *r)
{
	struct rates *t = ctx;

	if (!(r->rate > 0) || *r->run->defects)
		return 0;
	if (t->n == RUNS_DRAWN)
		memmove(t->y, t->y + 1, (size_t)--t->n * sizeof(*t->y));
	t->y[t->n++] = r->rate;
	t->low = t->low > 0 ? fmin(t->low, r->rate) : r->rate;
	t->high = fmax(t->high, r->rate);
	return 0;
}

/* Skips a case with a constant rate, which shows nothing. */
static int put_rate(void *ctx, const struct pv_history_case *c)
{
	struct page *p = ctx;
	_autofree_ struct rates *t = calloc(1, sizeof(*t));
	_autofree_ char *title = NULL;
	size_t size;

	if (p->n_rates >= RATES_DRAWN)
		return 0;
	int err = t ? pv_history_results(p->h, c->id, take_rate, t, p->e) : pv_error(p->e, -ENOMEM, "no memory");
	if (err || t->n < 2 || t->high - t->low <= 0.01 * t->high)
		return err;
	FILE *f = open_memstream(&title, &size);
	if (!f)
		return pv_error(p->e, -ENOMEM, "no memory");
	fputs("Rate of ", f);
	pv_html_put(c->plan, f);
	fputc('/', f);
	pv_html_put(c->name, f);
	if (fclose(f))
		return pv_error(p->e, -ENOMEM, "no memory");
	p->n_rates++;
	put_plot(p, title, "B/s", false, "a", t->y, t->n);
	return 0;
}

/* ---- the page ---- */

static int put_runs(struct page *p)
{
	static const char *const heads[] = {"run",    "pass",	"fail",	  "error",    "skip", "seconds",
					    "target", "driver", "kernel", "revision", NULL};

	begin_table("Last runs", heads, p->f);
	int err = pv_history_runs(p->h, RUNS_SHOWN, put_run, p, p->e);
	end_table(p->f);
	return err;
}

static int put_body(struct page *p)
{
	const struct pv_history_filter any = {0};
	int err = pv_history_runs(p->h, RUNS_DRAWN, take_run, p, p->e);

	if (err)
		return err;
	fprintf(p->f, "<h1>History of runs</h1>\n<p class=\"dim\">the last %u run%s%s", p->n_runs,
		p->n_runs == 1 ? "" : "s", p->n_planted ? " without planted defects" : "");
	if (p->n_unrecorded)
		fprintf(p->f, ", planted defects of %u not recorded", p->n_unrecorded);
	fputs("; times in UTC</p>\n", p->f);
	put_plot(p, "Failures and errors", "cases", true, "b", p->bad, p->n_runs);
	err = put_cases(p);
	if (!err)
		put_plot(p, "Duration", "seconds", false, "a", p->seconds, p->n_runs);
	if (!err)
		err = pv_history_cases(p->h, &any, put_rate, p, p->e);
	return err ? err : put_runs(p);
}

int pv_history_put_page(struct pv_history *h, FILE *out, struct pv_error *e)
{
	_autofree_ double *bad = calloc(RUNS_DRAWN, sizeof(*bad)), *seconds = calloc(RUNS_DRAWN, sizeof(*seconds));
	struct page p = {.h = h, .e = e, .f = out, .bad = bad, .seconds = seconds};

	if (!bad || !seconds)
		return pv_error(e, -ENOMEM, "no memory");
	pv_html_begin("History of runs", &PV_HTML_CODE(pv_stat_css), NULL, out);
	int err = put_body(&p);
	pv_html_end(NULL, out);
	return err;
}
