/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pcieval watch`: shows counters over time, from the output of `perf stat -I`: a file, a pipe, or perf started on a
 * machine.
 */
#include "framework/counters/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "framework/board/connect.h"
#include "framework/board/perf.h"
#include "framework/cli/commands.h"
#include "framework/counters/choose.h"
#include "framework/mps/predict.h"
#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

enum { LINE_BYTES = PV_PERF_LINE_BYTES, INTERVAL_MS = 1000, INTERVAL_MS_MIN = 100 };

struct options {
	const char *target, *root, *machine, *html;
	const char **events, **pmus;
	unsigned interval, duration, cycle;
	bool quiet;
};

static const struct pv_option options[] = {
	{"target", 't', PV_OPTION_TEXT, offsetof(struct options, target), "TARGET",
	 "start perf on this machine (local), or on one that\nssh reaches (ssh:HOST)", PV_CLI_VALUES("local")},
	{"pmu", 'p', PV_OPTION_LIST, offsetof(struct options, pmus), "GLOB",
	 "count events of these PMUs (default: payload of Root\nPorts, opcodes of CXL memory devices)"},
	{"event", 'e', PV_OPTION_LIST, offsetof(struct options, events), "EVENT", "count this, as perf -e takes it"},
	{"interval", 'I', PV_OPTION_NUMBER, offsetof(struct options, interval), "MS",
	 "length of an interval of perf (default: 1000)"},
	{"duration", 'd', PV_OPTION_NUMBER, offsetof(struct options, duration), "S",
	 "end perf after S seconds (default: at ctrl-C)"},
	{"root", 0, PV_OPTION_TEXT, offsetof(struct options, root), "DIR", "folder that contains /sys of the machine"},
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

/* Returns the throughput limit of the link below the Root Port of a DWC PMU. */
static double ceiling(void *machine, const char *pmu)
{
	const struct pv_pci_func *port = NULL;
	pv_bdf bdf;

	if (machine && !pv_bdf_of_dwc_pmu(pmu, &bdf))
		port = pv_pci_find_name(machine, pv_bdf_name(bdf).s);
	return port ? pv_predict_port(port) : 0;
}

/* ---- output ---- */

/* A watch, and the state of its output. */
struct view {
	const struct options *o;
	struct pv_pci_machine *machine; /* NULL: the ceilings are unknown */
	struct pv_watch watch;
	unsigned lines; /* lines of the previous interval, on a terminal */
};

static bool is_quiet(const struct options *o)
{
	return o->quiet || pv_cli_is_stdout(o->html);
}

/* Prints the lines of the last interval; on a terminal they replace those of the previous one. */
static void put_interval(struct view *v)
{
	const struct pv_watch *w = &v->watch;
	unsigned columns = pv_cli_columns(), lines = 0;

	if (columns && v->lines)
		printf("\033[%uA", v->lines);
	for (size_t i = 0; i < w->n; i++) {
		if (!pv_watch_is_first(w, i))
			continue;
		pv_watch_put_now(w, i, ceiling(v->machine, w->series[i]->pmu), columns, stdout);
		puts(columns ? "\033[K" : "");
		lines++;
	}
	v->lines = lines;
	fflush(stdout);
}

static void put_page(const void *ctx, FILE *f)
{
	const struct view *v = ctx;

	pv_watch_html(&v->watch, ceiling, v->machine, f);
}

static bool has_counted(const struct pv_watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->series[i]->intervals)
			return true;
	return false;
}

static int put_summary(const struct view *v, const char *name)
{
	const struct pv_watch *w = &v->watch;
	const char *html = v->o->html;

	if (!w->intervals)
		return pv_cli_error("%s: expected lines of 'perf stat -I 1000 -x,', got none%s", name,
				    w->foreign ? " among its lines" : "");
	if (!is_quiet(v->o))
		putchar('\n');
	if (!pv_cli_is_stdout(html))
		pv_watch_put_summary(w, ceiling, v->machine, stdout);
	if (w->foreign && !pv_cli_is_stdout(html))
		printf("left out: %llu line%s not of perf stat -I -x\n", (unsigned long long)w->foreign,
		       w->foreign == 1 ? " that is" : "s that are");
	int status = html ? pv_cli_write_page(html, put_page, v) : PV_EXIT_PASSED;
	if (status || has_counted(w))
		return status;
	pv_cli_error("%s: nothing was counted: perf wrote <not supported> or <not counted> for every event", name);
	return PV_EXIT_SKIPPED;
}

static int take_line(void *ctx, const char *line)
{
	struct view *v = ctx;
	int r = pv_watch_add(&v->watch, line);

	if (r > 0 && !is_quiet(v->o))
		put_interval(v);
	return r;
}

/* Ends the output after the last line. `name`: name of the input. Returns the exit status. */
static int end_view(struct view *v, const char *name)
{
	if (pv_watch_end(&v->watch) && !is_quiet(v->o))
		put_interval(v);
	return put_summary(v, name);
}

static int too_many(const char *name, int err)
{
	return pv_cli_error("%s: %s", name, err == -E2BIG ? "more than 1024 different events" : strerror(-err));
}

/* ---- a file ---- */

/* Reads a line without its newline; a line longer than any of perf's becomes "?". False: the end, or an error. */
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

static int watch_stream(struct view *v, FILE *f, const char *name)
{
	char line[LINE_BYTES];
	int r = 0;

	while (r >= 0 && read_line(f, line))
		r = take_line(v, line);
	if (r < 0)
		return too_many(name, r);
	if (!ferror(f))
		return end_view(v, name);
	pv_cli_error("%s: reading it: %s", name, strerror(errno));
	return PV_EXIT_UNJUDGED;
}

/* Ctrl-C ends perf, which shares the terminal: its last output is read, and the summary printed. */
static void on_interrupt(int signal)
{
	(void)signal;
}

static int watch_file(struct view *v, const char *path)
{
	_autofclose_ FILE *f = NULL;

	if (strcmp(path, "-")) {
		f = fopen(path, "re");
		return f ? watch_stream(v, f, path) : pv_cli_error("%s: %s", path, strerror(errno));
	}
	sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt, .sa_flags = SA_RESTART | (int)SA_RESETHAND},
		  NULL);
	return watch_stream(v, stdin, "standard input");
}

/* ---- a machine ---- */

/* Blocks the signals that end a watch. Returns a descriptor that becomes readable on such a signal; -1: error. */
static int hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Joins the given events. The caller frees the result; NULL: no memory. */
static char *join_events(const char **events)
{
	char *all = strdup("");

	for (; all && *events; events++) {
		_autofree_ char *before = all;

		if (asprintf(&all, "%s%s%s", before, *before ? "," : "", *events) < 0)
			all = NULL;
	}
	return all;
}

static int add_choice(void *choice, const char *line)
{
	return pv_choice_add(choice, line);
}

static int leave_out(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
	return 0;
}

/* Stops perf when our own output is closed. */
static int take_live(void *ctx, const char *line)
{
	int r = take_line(ctx, line);

	return r >= 0 && ferror(stdout) ? -EPIPE : r;
}

/*
 * Lists the events and the links of the machine. *events: argument of perf -e, freed by the caller. 0 or -errno with
 * *e.
 */
static int ask_machine(struct view *v, struct pv_perf *p, char **events, struct pv_error *e)
{
	struct pv_choice choice = {.pmus = v->o->pmus};
	_autoclose_ int fd = memfd_create("machine", MFD_CLOEXEC);
	_autofclose_ FILE *dump = fd < 0 ? NULL : fdopen(dup(fd), "w");
	struct pv_error none = {0};
	char path[40];

	if (!dump)
		return pv_error(e, -errno, "no place for a dump: %s", strerror(errno));
	int err = pv_perf_list(p, v->o->events ? leave_out : add_choice, &choice, dump, e);
	if (err == -E2BIG)
		pv_error(e, err, "--target %s: more than %u events: --pmu GLOB chooses PMUs", p->target, PV_CHOICE_MAX);
	fflush(dump);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* The ceilings are optional: without root's rights, or without bridges, none is known. */
	if (!err && !v->machine)
		v->machine = pv_pci_machine_open(PV_PCI_DUMP, path, &none);
	*events = v->o->events ? join_events(v->o->events) : choice.events ? strdup(choice.events) : NULL;
	pv_choice_free(&choice);
	if (err || *events)
		return err;
	return pv_error(e, -ENODEV,
			"--target %s: expected events of %s, got none; --event EVENT counts any that perf list shows",
			p->target, v->o->pmus ? "the PMUs of --pmu" : "PMUs dwc_rootport_* or cxl_pmu_*");
}

static int run_perf(struct view *v, struct pv_perf *p, struct pv_error *e)
{
	const struct options *o = v->o;
	unsigned ms = o->interval ? o->interval : INTERVAL_MS;
	uint64_t all_ms = 1000ull * o->duration;
	_autofree_ char *events = NULL;
	_autoclose_ int stop = hold_signals();
	int err = pv_perf_open(p, o->target, o->root, e);

	if (!err)
		err = ask_machine(v, p, &events, e);
	const struct pv_perf_order order = {
		.events = events, .interval_ms = ms, .intervals = (unsigned)((all_ms + ms - 1) / ms), .stop = stop};
	return err ? err : pv_perf_run(p, &order, take_live, v, e);
}

/* Watches a machine. After a failure, shows the counts up to it. */
static int watch_machine(struct view *v)
{
	struct pv_error e = {0};
	struct pv_perf p;
	int err = run_perf(v, &p, &e);

	pv_perf_close(&p);
	if (err == -EPIPE)
		return PV_EXIT_UNJUDGED; /* main() reports it */
	if (err && !*e.text)
		return too_many(v->o->target, err);
	if (!err)
		return end_view(v, v->o->target);
	if (v->watch.n)
		end_view(v, v->o->target);
	pv_cli_error("%s", e.text);
	return err == -EINVAL ? PV_EXIT_USAGE : PV_EXIT_UNJUDGED;
}

/* ---- the command ---- */

static int check_machine(const struct options *o, struct pv_error *e)
{
	if (strcmp(o->target, "local") && strncmp(o->target, "ssh:", 4))
		return pv_error(e, -EINVAL, "--target: expected local or ssh:HOST, got '%s'", PV_SHOW(o->target));
	if (o->interval && o->interval < INTERVAL_MS_MIN)
		return pv_error(e, -EINVAL, "--interval: expected %u ms or more, got %u", INTERVAL_MS_MIN, o->interval);
	if (o->events && o->pmus)
		return pv_error(e, -EINVAL, "expected --event or --pmu, got both");
	for (const char **event = o->events; event && *event; event++)
		if (!**event || strchr(*event, '\n'))
			return pv_error(e, -EINVAL, "--event: expected an event of perf, got '%s'", PV_SHOW(*event));
	if (o->root && strchr(o->root, '\n'))
		return pv_error(e, -EINVAL, "--root: expected a folder, got '%s'", PV_SHOW(o->root));
	return 0;
}

static int check_options(const struct options *o, int n_files, struct pv_error *e)
{
	bool of_perf = o->events || o->pmus || o->interval || o->duration || o->root;
	int err = 0;

	if (of_perf && !o->target)
		err = pv_error(e, -EINVAL,
			       "--pmu, --event, --interval, --duration, --root: expected --target, got none");
	else if (n_files > !o->target)
		err = pv_error(e, -EINVAL, "watch: expected %s, got %d", o->target ? "no FILE" : "one FILE", n_files);
	else if (o->target)
		err = check_machine(o, e);
	if (!err && o->html && pv_file_check_writable(o->html, e))
		err = pv_error_context(e, "--html: ");
	return err;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct view v = {.o = &o};
	struct pv_error e = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	v.watch.cycle_ps = o.cycle;
	int err = check_options(&o, argc - first, &e);
	if (!err && o.machine) {
		v.machine = pv_pci_machine_open(PV_PCI_DUMP, o.machine, &e);
		err = v.machine ? 0 : pv_error_context(&e, "--machine: ");
	}
	if (err)
		status = pv_cli_error("%s", e.text);
	else
		status = o.target ? watch_machine(&v) : watch_file(&v, first < argc ? argv[first] : "-");
	pv_watch_free(&v.watch);
	pv_pci_machine_free(v.machine);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_watch = {
	.name = "watch",
	.args = "[FILE]",
	.help = "counters over time, from perf stat -I",
	.text = "FILE has what 'perf stat -I 1000 -x, -e EVENTS' writes (default: standard\ninput). "
		"With --target, perf is started, on this machine or another:\n\n"
		"  pcieval watch --target ssh:BOARD --duration 60 --html counters.html",
	.options = options,
	.run = run,
};
