/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pcieval trace convert`: writes a trace as raw payload, perf.data, pcapng, PCAP, JSON for Perfetto or perf script's
 * text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/analysis/convert.h"
#include "framework/analysis/stat_finding.h"
#include "framework/cli/trace.h"
#include "framework/cli/trace_machine.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

struct options {
	const char *to, *output, *where, *tick_hz, *machine, *pmu, *config, *truncated;
	struct pv_stat_machine dump; /* contents of `machine` */
	struct pv_cli_reading reading;
	struct pv_trace_options how; /* parsed from `reading` */
	unsigned pmu_type;
};

static const struct pv_option options[] = {
	{"to", 't', PV_OPTION_TEXT, offsetof(struct options, to), "FORMAT",
	 "perf.data: for perf report -D and perf script -D;\nraw: the records alone; pcapng, pcap: for Wireshark,\n"
	 "with docs/ptt.lua; perfetto: JSON for\nui.perfetto.dev; perf-script: for flame graph tools\n"
	 "(default: by the name of OUTPUT)",
	 PV_CLI_VALUES("perf.data", "raw", "pcapng", "pcap", "perfetto", "perf-script")},
	{"output", 'o', PV_OPTION_TEXT, offsetof(struct options, output), "OUTPUT",
	 "output file (required); - is standard output"},
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR", "only records that EXPR selects"},
	PV_CLI_READING(struct options, reading),
	{"tick-hz", 0, PV_OPTION_TEXT, offsetof(struct options, tick_hz), "HZ",
	 "ticks per second, if you know them (1e9); default:\na tick counts as a nanosecond"},
	{"machine", 'm', PV_OPTION_TEXT, offsetof(struct options, machine), "DUMP",
	 "pcapng, perfetto: names of the requesters; pcapng:\nalso marks TLPs above MPS or MRRS. What 'lspci -vv' "
	 "or\n'lspci -xxxx' prints, run as root"},
	{"pmu", 0, PV_OPTION_TEXT, offsetof(struct options, pmu), "NAME",
	 "perf.data from raw payload: the PMU\n(default hisi_ptt0_0)"},
	{"pmu-type", 0, PV_OPTION_NUMBER, offsetof(struct options, pmu_type), "N", "its type number (default 8)"},
	{"config", 0, PV_OPTION_TEXT, offsetof(struct options, config), "HEX",
	 "the event's config (default: that of the input, or\nmade from the records' format)"},
	{"truncated", 0, PV_OPTION_TEXT, offsetof(struct options, truncated), "OFFSET,...",
	 "perf.data from raw payload: byte offsets at which to\nflag it truncated, as in the run's log"},
	{0},
};

static const struct {
	const char *suffix, *name;
} suffixes[] = {{".pcapng", "pcapng"}, {".pcap", "pcap"}, {".data", "perf.data"},
		{".raw", "raw"},       {".bin", "raw"},	  {".json", "perfetto"}};

static const struct pv_converter *choose(const struct options *o)
{
	const char *dot = strrchr(o->output, '.');
	const struct pv_converter *c;

	if (o->to) {
		c = pv_converter_by_name(o->to);
		if (!c)
			pv_cli_error("--to: expected perf.data, raw, pcapng, pcap, perfetto or perf-script, got '%s'",
				     o->to);
		return c;
	}
	for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(dot, suffixes[i].suffix))
			return pv_converter_by_name(suffixes[i].name);
	pv_cli_error("trace convert: what to write is not told by the name of the output; give --to");
	return NULL;
}

/* ---- findings ---- */

/* Returns the findings, one per line; NULL: none. */
static char *list_findings(const struct pv_stat *s, const struct pv_convert_options *co)
{
	const struct pv_stat_report r = {.machine = co->machine, .tick_hz = (double)co->tick_hz};
	_autofree_ struct pv_stat_finding *found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*found));
	size_t n = found && !s->devices.too_many ? pv_stat_find(s, &r, found) : 0, size;
	char *text = NULL;
	FILE *list = n ? open_memstream(&text, &size) : NULL;

	for (size_t i = 0; list && i < n; i++)
		fprintf(list, "%s%s.", i ? "\n" : "", found[i].text);
	if (list)
		fclose(list);
	return text;
}

/* Reads the input once more to find the findings. NULL: there are none, or it is no file. */
static char *find(const char *path, const struct options *o, const struct pv_convert_options *co)
{
	const struct pv_stat_options so = {.where = co->where, .jobs = 1};
	struct pv_error e;
	struct pv_trace *t = pv_cli_trace_is_file(path) ? pv_trace_open(path, &o->how, &e) : NULL;
	struct pv_stat *s = t ? pv_stat_run(t, &so, &e) : NULL;
	char *text = s ? list_findings(s, co) : NULL;

	pv_stat_free(s);
	pv_trace_close(t);
	return text;
}

/* ---- the command ---- */

/* Converts to `out`. Keeps the old output if the input cannot be read, or is damaged and has no records. */
static int convert_into(struct pv_new_file *out, struct pv_cli_trace *t, const struct pv_converter *c,
			const struct pv_convert_options *co, struct pv_error *e)
{
	uint64_t records;
	int r = pv_trace_convert(t->reader, c, out->fd, co, &records, e);

	if (r || (!records && pv_trace_problems(t->reader)))
		return r;
	return pv_new_file_keep(out, e);
}

static int convert(const char *path, const struct options *o, const struct pv_converter *c,
		   const struct pv_convert_options *co)
{
	_cleanup_(pv_new_file_drop) struct pv_new_file out = {.fd = -1};
	struct pv_cli_trace t;
	struct pv_error e = {0};
	int status = pv_cli_trace_open(&t, path, &o->how), r;

	if (status)
		return status;
	if (co->n_truncated && pv_trace_is_perfdata(t.reader)) {
		pv_cli_trace_close(&t, 0);
		return pv_cli_error("--truncated: '%s' is a perf.data, which records this itself", PV_SHOW(path));
	}
	if (pv_new_file_open(&out, o->output, &e)) {
		pv_cli_trace_close(&t, 0);
		return pv_cli_error("--output: %s", e.text);
	}
	r = convert_into(&out, &t, c, co, &e);
	if (r)
		pv_cli_error("%s", e.text);
	return pv_cli_trace_close(&t, r);
}

/*
 * Parses comma-separated numbers of 64 bits in ascending order, `most` at most. Returns their number; -1: the text is
 * something else.
 */
static ssize_t read_numbers(const char *text, int base, uint64_t *out, size_t most)
{
	ssize_t n = 0;

	for (const char *at = text; at; n++) {
		char *end;

		errno = 0;
		if ((size_t)n == most || !isxdigit((unsigned char)*at))
			return -1;
		out[n] = strtoull(at, &end, base);
		if (errno || end == at || (*end && *end != ',') || (n && out[n] < out[n - 1]))
			return -1;
		at = *end ? end + 1 : NULL;
	}
	return n;
}

/* Parses the numbers in options, and reads the dump. `truncated` has room for PV_CONVERT_MARKS_MAX. 0, or the exit
 * status. */
static int read_options(struct options *o, struct pv_convert_options *co, uint64_t *truncated)
{
	ssize_t n = read_numbers(o->truncated, 10, truncated, PV_CONVERT_MARKS_MAX);
	struct pv_error e = {0};
	double hz = 0;

	if (o->tick_hz && pv_cli_trace_hz(o->tick_hz, &hz))
		return PV_EXIT_USAGE;
	if (read_numbers(o->config, 16, &co->event.config, 1) < 0)
		return pv_cli_error("--config: expected a hexadecimal number, got '%s'", PV_SHOW(o->config));
	if (n < 0)
		return pv_cli_error("--truncated: expected a number of bytes, or up to %d in ascending order, got '%s'",
				    PV_CONVERT_MARKS_MAX, PV_SHOW(o->truncated));
	if (o->machine && pv_cli_machine_read(&o->dump, o->machine, &e))
		return pv_cli_error("--machine: %s", e.text);
	co->tick_hz = (uint64_t)(hz + 0.5);
	if ((double)co->tick_hz != hz)
		return pv_cli_error("--tick-hz: expected a whole number of ticks per second, got '%s'",
				    PV_SHOW(o->tick_hz));
	co->truncated = truncated;
	co->n_truncated = (size_t)n;
	co->machine = o->machine ? &o->dump : NULL;
	return 0;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	uint64_t truncated[PV_CONVERT_MARKS_MAX];
	const struct pv_converter *c;
	struct pv_where where;
	struct pv_error e = {0};
	const char *path;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	path = pv_cli_trace_path(self, argc, argv, first);
	if (!path)
		return PV_EXIT_USAGE;
	if (!o.output)
		return pv_cli_error("--output: expected a file, or - for standard output");
	if (strcmp(o.output, "-") && pv_cli_trace_is_input(path, o.output))
		return pv_cli_error("--output: '%s' is the input", PV_SHOW(o.output));
	c = choose(&o);
	if (!c || pv_cli_trace_reading(&o.reading, &o.how))
		return PV_EXIT_USAGE;
	if (pv_where_compile(&where, o.where, &e))
		return pv_cli_error("%s", e.text);
	struct pv_convert_options co = {
		.where = &where, .event = {o.pmu, o.pmu_type, o.config, 0}, .name = path, .how = o.where};
	status = read_options(&o, &co, truncated);
	if (status)
		return status;
	_autofree_ char *findings = c == &pv_convert_pcapng ? find(path, &o, &co) : NULL;
	co.findings = findings;
	status = convert(path, &o, c, &co);
	pv_cli_machine_drop(&o.dump);
	return status;
}

const struct pv_command pv_trace_convert_command = {
	.name = "trace convert",
	.args = "-o OUTPUT FILE|-",
	.help = "write perf.data, raw payload, pcapng, PCAP, Perfetto, perf script",
	.text = "Input is perf.data or raw payload; damage is left out. OUTPUT is replaced only\n"
		"once it is complete.",
	.options = options,
	.run = run,
};
