/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace stat`: prints the statistics of a trace, in numbers and plots. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat_report.h"
#include "framework/cli/trace.h"
#include "framework/cli/trace_machine.h"
#include "framework/cli/trace_shares.h"
#include "framework/trace/output.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

struct options {
	const char *where, *format, *html, *range, *tick_hz, *rate, *machine;
	struct pv_cli_reading reading;
	struct pv_trace_options how; /* parsed from `reading` */
	double hz, bytes_per_s;	     /* parsed from tick_hz and rate */
	struct pv_stat_machine dump; /* contents of `machine` */
	unsigned jobs, top, mps, mrrs, per_requester;
	bool no_match, no_ranges, own_scale;
};

_Static_assert((int)PV_STAT_JOBS >= (int)PV_OUTPUT_JOBS_MAX, "--jobs is checked against the latter");

static const struct pv_option options[] = {
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR", "only records that EXPR selects"},
	{"format", 'f', PV_OPTION_TEXT, offsetof(struct options, format), "FORMAT", "text (default) or json",
	 PV_CLI_VALUES("text", "json")},
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "PAGE",
	 "also write a page with plots; -: to standard output,\ninstead of the text"},
	{"per-requester", 0, PV_OPTION_NUMBER, offsetof(struct options, per_requester), "N",
	 "add a plot for each of the N requesters with the most\npayload (at most 16) to the page"},
	{"own-scale", 0, PV_OPTION_FLAG, offsetof(struct options, own_scale), NULL,
	 "with --per-requester: each plot has a scale of its own"},
	PV_CLI_READING(struct options, reading),
	{"tick-hz", 0, PV_OPTION_TEXT, offsetof(struct options, tick_hz), "HZ",
	 "ticks per second, if you know them (1e9), or the\ndescription of the board (.xml): also times in\nseconds "
	 "and rates in bytes per second"},
	{"rate", 0, PV_OPTION_TEXT, offsetof(struct options, rate), "BYTES/S",
	 "the payload per second of what is counted, as you\nmeasured it (12.3GB/s): gives ticks per second"},
	{"machine", 'm', PV_OPTION_TEXT, offsetof(struct options, machine), "DUMP", PV_CLI_MACHINE_HELP},
	{"jobs", 'j', PV_OPTION_NUMBER, offsetof(struct options, jobs), "N",
	 "threads (default 1); the result is the same"},
	{"top", 'n', PV_OPTION_NUMBER, offsetof(struct options, top), "N",
	 "requesters and ranges to list (default 10,\nat most 64)"},
	{"mps", 0, PV_OPTION_NUMBER, offsetof(struct options, mps), "BYTES", "count payloads above this size"},
	{"mrrs", 0, PV_OPTION_NUMBER, offsetof(struct options, mrrs), "BYTES", "count reads above this size"},
	{"range", 0, PV_OPTION_TEXT, offsetof(struct options, range), "SIZE",
	 "size of address ranges: 4KiB, 2MiB (default),\n1GiB, or another power of two"},
	{"no-match", 0, PV_OPTION_FLAG, offsetof(struct options, no_match), NULL,
	 "do not match completions with requests"},
	{"no-ranges", 0, PV_OPTION_FLAG, offsetof(struct options, no_ranges), NULL, "do not count by address"},
	{0},
};

/* Parses a size of 1 << *shift bytes. False: it is no power of two, or less than 4 bytes. */
static bool range_shift(const char *text, unsigned *shift)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	char *end;
	unsigned long long v = strtoull(text, &end, 0);

	if (!v || (v & (v - 1)) || v > 1ull << 20)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		*shift = (unsigned)__builtin_ctzll(v) + units[i].shift;
		return *shift >= 2;
	}
	return false;
}

struct page {
	const struct pv_stat *stat;
	const struct pv_stat_report *report;
};

static void put_page(const void *ctx, FILE *f)
{
	const struct page *p = ctx;

	pv_stat_html(p->stat, p->report, f);
}

static int report(const struct pv_stat *s, const struct pv_stat_report *r, const struct options *o)
{
	if (!strcmp(o->format, "json") && !pv_cli_is_stdout(o->html))
		pv_stat_json(s, r, stdout);
	else if (!pv_cli_is_stdout(o->html))
		pv_stat_text(s, r, stdout);
	return o->html ? pv_cli_write_page(o->html, put_page, &(struct page){s, r}) : PV_EXIT_PASSED;
}

static int report_shares(const struct pv_stat *s, struct pv_stat_report *r, const struct options *o, const char *path)
{
	_cleanup_(pv_cli_shares_drop) struct pv_cli_shares shares = {.n = 0};
	const struct pv_cli_shares_of of = {path, o->where, &o->how, o->jobs, o->per_requester};
	struct pv_error e = {0};

	if (pv_cli_shares_find(&shares, &of, s, &e))
		return pv_cli_error("--per-requester: %s", e.text);
	r->shares = shares.share;
	r->n_shares = shares.n;
	r->own_scale = o->own_scale;
	return report(s, r, o);
}

/* ---- the command ---- */

/* Computes the ticks per second from the rate of the payload. */
static void take_rate(const struct pv_stat *s, double bytes_per_s, struct pv_stat_report *r, char how[PV_STAT_HOW_TEXT])
{
	r->tick_hz = pv_stat_hz_of_rate(s, bytes_per_s, how);
	r->tick_how = how;
}

static int stat_trace(const char *path, const struct options *o, const struct pv_stat_options *so)
{
	struct pv_stat_report r = {.where = pv_where_is_all(so->where) ? NULL : o->where,
				   .top = o->top,
				   .mps = o->mps,
				   .mrrs = o->mrrs,
				   .tick_hz = o->hz};
	char how[PV_STAT_HOW_TEXT];
	struct pv_cli_trace t;
	struct pv_error e = {0};
	int status = pv_cli_trace_open(&t, path, &o->how), closed;

	if (status)
		return status;
	r.name = t.name;
	r.machine = o->machine ? &o->dump : NULL;
	r.tick_how = pv_cli_trace_tick_how(o->tick_hz, how, sizeof(how));
	struct pv_stat *s = pv_stat_run(t.reader, so, &e);
	if (s && o->rate)
		take_rate(s, o->bytes_per_s, &r, how);
	if (s)
		status = report_shares(s, &r, o, path);
	pv_stat_free(s);
	closed = pv_cli_trace_close(&t, s ? 0 : e.code);
	return status ? status : closed;
}

/* Checks the options of the page. 0, or the exit status. */
static int check_page(const struct options *o)
{
	if (o->per_requester > PV_CLI_SHARES)
		return pv_cli_error("--per-requester: expected at most %d, got %u", PV_CLI_SHARES, o->per_requester);
	if (o->per_requester && !o->html)
		return pv_cli_error("--per-requester: expected --html with it: the plots are on the page");
	if (o->own_scale && !o->per_requester)
		return pv_cli_error("--own-scale: expected --per-requester with it");
	return 0;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.format = "text", .jobs = 1};
	struct pv_stat_options so = {0};
	struct pv_where where;
	struct pv_error e = {0};
	const char *path;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (strcmp(o.format, "text") && strcmp(o.format, "json"))
		return pv_cli_error("--format: expected text or json, got '%s'", o.format);
	if (o.range && !range_shift(o.range, &so.region_shift))
		return pv_cli_error("--range: expected a power of two as 4KiB, 2MiB or 1GiB, got '%s'", o.range);
	status = pv_cli_trace_seconds(o.tick_hz, o.rate, &o.hz, &o.bytes_per_s);
	if (status)
		return status;
	if (pv_where_compile(&where, o.where, &e))
		return pv_cli_error("%s", e.text);
	status = pv_cli_trace_reading(&o.reading, &o.how);
	if (!status)
		status = pv_cli_trace_jobs(&o.jobs);
	if (status)
		return status;
	status = check_page(&o);
	if (status)
		return status;
	so.where = &where;
	so.jobs = o.jobs;
	so.no_match = o.no_match;
	so.no_regions = o.no_ranges;
	so.by_requester = o.per_requester;
	path = pv_cli_trace_path(self, argc, argv, first);
	if (path && o.html && pv_cli_trace_is_input(path, o.html))
		return pv_cli_error("--html: '%s' is the input", PV_SHOW(o.html));
	if (o.html && pv_file_check_writable(o.html, &e))
		return pv_cli_error("--html: %s", e.text);
	if (!path)
		return PV_EXIT_USAGE;
	if (o.machine && pv_cli_machine_read(&o.dump, o.machine, &e))
		return pv_cli_error("--machine: %s", e.text);
	so.bars = o.dump.bars;
	so.n_bars = o.dump.n_bars;
	status = stat_trace(path, &o, &so);
	pv_cli_machine_drop(&o.dump);
	return status;
}

const struct pv_command pv_trace_stat = {
	.name = "trace stat",
	.args = "FILE|-",
	.help = "statistics: kinds, bytes, requesters, sizes, latency, bandwidth",
	.text = "Times are in ticks of the trace, whose unit is undocumented, as is what they\n"
		"count: see --time. 4DW records keep 11 bits: they do not show a pause of 2048\n"
		"ticks or more.",
	.options = options,
	.run = run,
};
