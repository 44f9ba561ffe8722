/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history as text for terminals. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "framework/history/report.h"
#include "framework/util/cleanup.h"
#include "reports/xmltext.h"

const char *pv_history_date(int64_t started, char out[PV_HISTORY_DATE])
{
	time_t t = started;
	struct tm tm;

	if (!started || !gmtime_r(&t, &tm) || !strftime(out, PV_HISTORY_DATE, "%Y-%m-%d %H:%M", &tm))
		strcpy(out, "-");
	return out;
}

/* ---- runs ---- */

struct printer {
	FILE *out;
	size_t n;
	const char *case_name; /* for trend */
};

static void put_tested(const struct pv_history_run *run, FILE *out)
{
	const char *defects = pv_history_planted(run);

	pv_text_printf(out, "%s, %s", run->target, run->driver);
	if (*run->kernel)
		pv_text_printf(out, ", kernel %s", run->kernel);
	if (*run->revision)
		pv_text_printf(out, ", %s", run->revision);
	if (*defects)
		pv_text_printf(out, ", planted defects: %s", defects);
}

static int put_run(void *ctx, const struct pv_history_run *run)
{
	struct printer *p = ctx;
	char date[PV_HISTORY_DATE], seconds[32];

	if (!p->n++)
		fprintf(p->out, "%-16s %6s %5s %5s %5s %11s  tested, run\n", "run", "pass", "fail", "error", "skip",
			"time");
	fprintf(p->out, "%-16s %6" PRId64 " %5" PRId64 " %5" PRId64 " %5" PRId64 " %9s s  ",
		pv_history_date(run->started, date), run->count[PV_PASS], run->count[PV_FAIL], run->count[PV_ERROR],
		run->count[PV_SKIP], pv_seconds_text(run->seconds, seconds));
	put_tested(run, p->out);
	pv_text_printf(p->out, "  %s", run->folder);
	fputs(run->interrupted ? " (interrupted)\n" : "\n", p->out);
	return 0;
}

/* ---- cases ---- */

static int put_case(void *ctx, const struct pv_history_case *c)
{
	struct printer *p = ctx;
	char since[PV_HISTORY_DATE], pass[PV_HISTORY_DATE], first[PV_HISTORY_DATE];

	if (!p->n++)
		fprintf(p->out, "\n%-5s %-16s %-16s %-16s %6s %7s  case\n", "now", "fails since", "last pass",
			"first failure", "flaky", "results");
	fprintf(p->out, "%-5s %-16s %-16s %-16s %5.1f%% %7" PRId64 "  ", pv_verdict_name(c->last),
		pv_history_date(c->since, since), pv_history_date(c->last_pass, pass),
		pv_history_date(c->first_bad, first), 100 * pv_history_flaky_rate(c), c->results);
	pv_text_printf(p->out, "%s/%s\n", c->plan, c->name);
	if (!c->since || !*c->message)
		return 0;
	pv_text_printf(p->out, "      %s\n", c->message);
	return 0;
}

int pv_history_put_show(struct pv_history *h, size_t most, const struct pv_history_filter *filter, FILE *out,
			struct pv_error *e)
{
	struct printer runs = {.out = out}, cases = {.out = out};
	int err = pv_history_runs(h, most, put_run, &runs, e);

	if (!err)
		err = pv_history_cases(h, filter, put_case, &cases, e);
	if (!err && !cases.n)
		fprintf(out, "\n%s\n",
			filter->glob ? "no such case"
				     : "each result is a pass or a skip; a case that never ran has none");
	return err;
}

static int put_flaky(void *ctx, const struct pv_history_case *c)
{
	struct printer *p = ctx;

	if (!p->n++)
		fprintf(p->out, "%6s %7s %7s %7s  case, results (P, F, E, S; the newest at the right)\n", "flaky",
			"changes", "retries", "results");
	fprintf(p->out, "%5.1f%% %7" PRId64 " %7" PRId64 " %7" PRId64 "  ", 100 * pv_history_flaky_rate(c), c->changes,
		c->retried, c->results);
	pv_text_printf(p->out, "%s/%s", c->plan, c->name);
	fprintf(p->out, "\n%32s%s\n", "", c->strip);
	return 0;
}

int pv_history_put_flaky(struct pv_history *h, const char *glob, size_t *n, FILE *out, struct pv_error *e)
{
	const struct pv_history_filter filter = {.glob = glob, .flaky = true};
	struct printer p = {.out = out};
	int err = pv_history_cases(h, &filter, put_flaky, &p, e);

	*n = p.n;
	return err;
}

/* ---- trends ---- */

struct trend {
	struct pv_history *h;
	FILE *out;
	size_t n;
	struct pv_error *e;
};

static int put_result(void *ctx, const struct pv_history_result *r)
{
	FILE *out = ctx;
	char date[PV_HISTORY_DATE], seconds[32];

	fprintf(out, "%-16s %-5s %9s s", pv_history_date(r->run->started, date), pv_verdict_name(r->verdict),
		pv_seconds_text(r->seconds, seconds));
	if (r->rate > 0)
		fprintf(out, " %9.0f MB/s", r->rate / 1e6);
	else
		fprintf(out, " %14s", "");
	fputs("  ", out);
	put_tested(r->run, out);
	fputc('\n', out);
	return 0;
}

static int put_case_trend(void *ctx, const struct pv_history_case *c)
{
	struct trend *t = ctx;

	fputs(t->n++ ? "\n" : "", t->out);
	pv_text_printf(t->out, "%s/%s\n", c->plan, c->name);
	return pv_history_results(t->h, c->id, put_result, t->out, t->e);
}

int pv_history_put_trend(struct pv_history *h, const char *glob, size_t *n, FILE *out, struct pv_error *e)
{
	const struct pv_history_filter filter = {.glob = glob};
	struct trend t = {.h = h, .out = out, .e = e};
	struct printer p = {.out = out};
	int err = glob ? pv_history_cases(h, &filter, put_case_trend, &t, e) : pv_history_runs(h, 0, put_run, &p, e);

	*n = glob ? t.n : p.n;
	return err;
}
