/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval watch`: counters over time, from what `perf stat -I` writes, live or from a file. */
#include "framework/counters/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/mps/predict.h"
#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

enum { LINE_BYTES = 4096 };

struct options {
	const char *machine, *html;
	unsigned cycle;
	bool quiet;
};

static const struct pv_option options[] = {
	{"machine", 'm', PV_OPTION_TEXT, offsetof(struct options, machine), "DUMP",
	 "the machine's links, which limit throughput: what\n'lspci -vv' or 'lspci -xxxx' prints, run as root"},
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "PAGE",
	 "also write a page with plots; -: to standard output,\ninstead of the text"},
	{"cycle", 0, PV_OPTION_NUMBER, offsetof(struct options, cycle), "PS",
	 "length of a cycle of core_clk, for time in link\nstates: the first count of one_cycle, counted alone"},
	{"quiet", 'q', PV_OPTION_FLAG, offsetof(struct options, quiet), NULL, "print the summary only"},
	{0},
};

/* ---- ceilings ---- */

/* The most that the link below the Root Port of a DWC PMU carries. */
static double ceiling(void *machine, const char *pmu)
{
	const struct pv_pci_func *port = NULL;
	pv_bdf bdf;

	if (machine && !pv_bdf_of_dwc_pmu(pmu, &bdf))
		port = pv_pci_find_name(machine, pv_bdf_name(bdf).s);
	return port ? pv_predict_port(port) : 0;
}

/* ---- output ---- */

static bool is_quiet(const struct options *o)
{
	return o->quiet || pv_cli_is_stdout(o->html);
}

/* Prints the lines of the last interval; on a terminal, in place of those of the interval before. */
static void put_interval(const struct pv_watch *w, struct pv_pci_machine *m, unsigned *lines_before)
{
	unsigned columns = pv_cli_columns(), lines = 0;

	if (columns && *lines_before)
		printf("\033[%uA", *lines_before);
	for (size_t i = 0; i < w->n; i++) {
		if (!pv_watch_is_first(w, i))
			continue;
		pv_watch_put_now(w, i, ceiling(m, w->series[i]->pmu), columns, stdout);
		puts(columns ? "\033[K" : "");
		lines++;
	}
	*lines_before = lines;
	fflush(stdout);
}

struct page {
	const struct pv_watch *watch;
	struct pv_pci_machine *machine;
};

static void put_page(const void *ctx, FILE *f)
{
	const struct page *p = ctx;

	pv_watch_html(p->watch, ceiling, p->machine, f);
}

static int put_summary(const struct pv_watch *w, struct pv_pci_machine *m, const char *name, const struct options *o)
{
	if (!w->intervals)
		return pv_cli_error("%s: expected lines of 'perf stat -I 1000 -x,', got none%s", name,
				    w->foreign ? " among its lines" : "");
	if (!is_quiet(o))
		putchar('\n');
	if (!pv_cli_is_stdout(o->html))
		pv_watch_put_summary(w, ceiling, m, stdout);
	if (w->foreign && !pv_cli_is_stdout(o->html))
		printf("left out: %llu lines that are not of perf stat -I -x\n", (unsigned long long)w->foreign);
	return o->html ? pv_cli_write_page(o->html, put_page, &(struct page){w, m}) : PV_EXIT_PASSED;
}

/* ---- input ---- */

/* Reads a line without its newline; a longer one than any of perf's becomes "?". False: the end, or an error. */
static bool read_line(FILE *f, char line[LINE_BYTES])
{
	if (!fgets(line, LINE_BYTES, f))
		return false;
	size_t n = strlen(line);
	if (n && line[n - 1] == '\n') {
		line[n - 1] = '\0';
	} else if (!feof(f)) {
		for (int c = 0; c != '\n' && c != EOF;)
			c = getc(f);
		strcpy(line, "?");
	}
	return true;
}

static int watch(FILE *f, const char *name, struct pv_pci_machine *m, const struct options *o)
{
	struct pv_watch w = {.cycle_ps = o->cycle};
	char line[LINE_BYTES];
	unsigned lines = 0;
	int r = 0;

	while (r >= 0 && read_line(f, line)) {
		r = pv_watch_add(&w, line);
		if (r > 0 && !is_quiet(o))
			put_interval(&w, m, &lines);
	}
	if (r < 0) {
		r = pv_cli_error("%s: %s", name, r == -E2BIG ? "more than 1024 different events" : strerror(-r));
	} else if (ferror(f)) {
		pv_cli_error("%s: reading it: %s", name, strerror(errno));
		r = PV_EXIT_UNJUDGED;
	} else {
		if (pv_watch_end(&w) && !is_quiet(o))
			put_interval(&w, m, &lines);
		r = put_summary(&w, m, name, o);
	}
	pv_watch_free(&w);
	return r;
}

/* Ctrl-C ends perf, which shares the terminal: what it still writes is read, and the summary printed. */
static void on_interrupt(int signal)
{
	(void)signal;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct pv_error e = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first > 1)
		return pv_cli_error("watch: expected one FILE, got %d", argc - first);
	if (o.html && pv_file_check_writable(o.html, &e))
		return pv_cli_error("--html: %s", e.text);
	const char *path = first < argc ? argv[first] : "-";
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	struct pv_pci_machine *m = o.machine ? pv_pci_machine_open(PV_PCI_DUMP, o.machine, &e) : NULL;
	if (o.machine && !m)
		return pv_cli_error("--machine: %s", e.text);
	FILE *f = is_stdin ? stdin : fopen(path, "re");
	if (!f) {
		status = pv_cli_error("%s: %s", path, strerror(errno));
	} else {
		if (is_stdin)
			sigaction(SIGINT,
				  &(struct sigaction){.sa_handler = on_interrupt,
						      .sa_flags = SA_RESTART | (int)SA_RESETHAND},
				  NULL);
		status = watch(f, name, m, &o);
	}
	if (f && !is_stdin)
		fclose(f);
	pv_pci_machine_free(m);
	return status;
}

const struct pv_command pv_command_watch = {
	.name = "watch",
	.args = "[FILE]",
	.help = "counters over time, from perf stat -I",
	.text = "FILE has what 'perf stat -I 1000 -x, -e EVENTS' writes (default: standard\ninput). "
		"Live, on this machine or another:\n\n"
		"  ssh BOARD perf stat -I 1000 -x, -a -e EVENTS 2>&1 | pcieval watch",
	.options = options,
	.run = run,
};
