/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace report`: prints the findings of a trace, for readers in a hurry. */
#include <stdio.h>
#include <string.h>

#include "framework/analysis/report.h"
#include "framework/cli/trace.h"
#include "framework/cli/trace_machine.h"
#include "framework/cli/trace_shares.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

enum { PLOTS = 6 }; /* maximum number of plots of single devices */

struct options {
	const char *where, *html, *tick_hz, *rate, *machine;
	struct pv_cli_reading reading;
	struct pv_trace_options how; /* parsed from `reading` */
	double hz, bytes_per_s;	     /* parsed from tick_hz and rate */
	struct pv_stat_machine dump; /* contents of `machine` */
	unsigned jobs, top;
};

static const struct pv_option options[] = {
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "PAGE",
	 "write a page with plots and tables instead of text; -:\nto standard output"},
	{"machine", 'm', PV_OPTION_TEXT, offsetof(struct options, machine), "DUMP", PV_CLI_MACHINE_HELP},
	{"tick-hz", 0, PV_OPTION_TEXT, offsetof(struct options, tick_hz), "HZ",
	 "ticks per second, if you know them (1e9), or the\ndescription of the board (.xml): rates in bytes "
	 "per\nsecond, and their share of the links"},
	{"rate", 0, PV_OPTION_TEXT, offsetof(struct options, rate), "BYTES/S",
	 "the payload per second of what is counted, as you\nmeasured it (12.3GB/s): gives ticks per second"},
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR", "only records that EXPR selects"},
	PV_CLI_READING(struct options, reading),
	{"jobs", 'j', PV_OPTION_NUMBER, offsetof(struct options, jobs), "N",
	 "threads (default 1); the result is the same"},
	{"top", 'n', PV_OPTION_NUMBER, offsetof(struct options, top), "N", "devices to list (default 10, at most 64)"},
	{0},
};

struct page {
	const struct pv_stat *stat;
	const struct pv_stat_report *report;
};

static void put_page(const void *ctx, FILE *f)
{
	const struct page *p = ctx;

	pv_report_html(p->stat, p->report, f);
}

/* Writes the page, with plots of single devices unless there are too many. */
static int write_page(const struct pv_stat *s, struct pv_stat_report *r, const char *path, const struct options *o)
{
	_cleanup_(pv_cli_shares_drop) struct pv_cli_shares shares = {.n = 0};
	const struct pv_cli_shares_of of = {path, o->where, &o->how, o->jobs, PLOTS};
	struct pv_error e = {0};

	if (s->timelines && !s->timelines->too_many && pv_cli_shares_find(&shares, &of, s, &e))
		return pv_cli_error("%s", e.text);
	r->shares = shares.share;
	r->n_shares = shares.n;
	r->own_scale = true;
	return pv_cli_write_page(o->html, put_page, &(struct page){s, r});
}

static int report(struct pv_cli_trace *t, const char *path, const struct options *o, const struct pv_where *where,
		  struct pv_error *e)
{
	const struct pv_stat_options so = {.where = where,
					   .jobs = o->jobs,
					   .by_requester = o->html,
					   .bars = o->dump.bars,
					   .n_bars = o->dump.n_bars};
	struct pv_stat_report r = {.name = t->name,
				   .where = pv_where_is_all(where) ? NULL : o->where,
				   .top = o->top,
				   .tick_hz = o->hz,
				   .machine = o->machine ? &o->dump : NULL};
	struct pv_stat *s = pv_stat_run(t->reader, &so, e);
	char how[PV_STAT_HOW_TEXT];
	int status = PV_EXIT_PASSED;

	if (!s)
		return status;
	r.tick_how = pv_cli_trace_tick_how(o->tick_hz, how, sizeof(how));
	if (o->rate) {
		r.tick_hz = pv_stat_hz_of_rate(s, o->bytes_per_s, how);
		r.tick_how = how;
	}
	if (o->html)
		status = write_page(s, &r, path, o);
	else
		pv_report_text(s, &r, stdout);
	pv_stat_free(s);
	return status;
}

static int report_trace(const char *path, const struct options *o, const struct pv_where *where)
{
	struct pv_cli_trace t;
	struct pv_error e = {0};
	int status = pv_cli_trace_open(&t, path, &o->how), closed;

	if (status)
		return status;
	status = report(&t, path, o, where, &e);
	closed = pv_cli_trace_close(&t, e.code);
	return status ? status : closed;
}

/* Checks and parses the options. 0, or the exit status after a report. */
static int check_options(struct options *o, const char *path, struct pv_where *where)
{
	struct pv_error e = {0};
	int status = pv_cli_trace_seconds(o->tick_hz, o->rate, &o->hz, &o->bytes_per_s);

	if (!status)
		status = pv_cli_trace_reading(&o->reading, &o->how);
	if (!status)
		status = pv_cli_trace_jobs(&o->jobs);
	if (status)
		return status;
	if (pv_where_compile(where, o->where, &e))
		return pv_cli_error("%s", e.text);
	if (o->html && pv_cli_trace_is_input(path, o->html))
		return pv_cli_error("--html: '%s' is the input", PV_SHOW(o->html));
	if (o->html && pv_file_check_writable(o->html, &e))
		return pv_cli_error("--html: %s", e.text);
	if (o->machine && pv_cli_machine_read(&o->dump, o->machine, &e))
		return pv_cli_error("--machine: %s", e.text);
	return 0;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.jobs = 1};
	struct pv_where where;
	const char *path;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	path = pv_cli_trace_path(self, argc, argv, first);
	status = path ? check_options(&o, path, &where) : PV_EXIT_USAGE;
	if (!status)
		status = report_trace(path, &o, &where);
	pv_cli_machine_drop(&o.dump);
	return status;
}

const struct pv_command pv_trace_report = {
	.name = "trace report",
	.args = "FILE|-",
	.help = "findings in words, for people who decide; as a page with plots",
	.text = "The rules, their thresholds and their reasons are in docs/trace.md. A rule whose\n"
		"figure is not known is listed as not judged: --machine, --tick-hz and --rate add\n"
		"to what is known.",
	.options = options,
	.run = run,
};
