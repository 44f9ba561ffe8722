/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs each combination of kernels, drivers and targets into a subfolder of the results, then prints their table. */
#include "framework/cli/run_matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/matrix.h"
#include "framework/util/cleanup.h"
#include "reports/run_table.h"
#include "reports/terminal.h"

/* The reports of each run, in its folder. */
static const struct {
	enum pv_report report;
	const char *file;
} own_reports[] = {{PV_REPORT_html, "report.html"}, {PV_REPORT_junit, "junit.xml"}, {PV_REPORT_json, "report.json"}};

struct matrix {
	const struct pv_command *self;
	const struct pv_cli_run *options;
	struct pv_matrix_run runs[PV_MATRIX_RUNS];
	size_t n;
	char *folder;
	struct pv_run_result *results[PV_MATRIX_RUNS]; /* of each run that has ended or is lost */
	const char *names[PV_MATRIX_RUNS];	       /* of their folders */
	size_t n_results, n_ran;		       /* n_ran: those that are not lost */
	int status;				       /* the worst so far */
};

static void matrix_free(struct matrix *m)
{
	for (size_t i = 0; i < m->n_results; i++)
		pv_run_result_free(m->results[i]);
	free(m->folder);
}

/* ---- combinations ---- */

static const char *first(const char *const *values)
{
	return values ? values[0] : NULL;
}

void pv_cli_run_take_first(struct pv_cli_run *o)
{
	o->selection.target = first(o->targets);
	o->guest.kernel = first(o->kernels);
	o->run.driver = first(o->drivers);
}

static struct pv_matrix_values values_of(const struct pv_cli_run *o)
{
	return (struct pv_matrix_values){o->targets, o->kernels, o->drivers};
}

bool pv_cli_run_is_matrix(const struct pv_cli_run *o)
{
	const struct pv_matrix_values v = values_of(o);

	return pv_matrix_is_several(&v);
}

/* ---- before the first run ---- */

static struct pv_cli_run options_of(const struct matrix *m, const struct pv_matrix_run *run)
{
	struct pv_cli_run o = *m->options;

	o.selection.target = run->target;
	o.guest.kernel = run->kernel;
	o.run.driver = run->driver;
	return o;
}

/* Reports of one run would have to choose a run; a table goes nowhere beside others. */
static int check_reports(const struct matrix *m, struct pv_error *e)
{
	for (size_t i = 0; i < PV_REPORTS; i++) {
		const char *path = m->options->reporting.paths[i];

		if (path && i != PV_REPORT_junit && i != PV_REPORT_html && i != PV_REPORT_json)
			return pv_error(e, -EINVAL,
					"%s: expected one kernel, driver and target; `pcieval report` makes it from "
					"the folder of each run",
					pv_report_writers[i].option);
		if (path && !strcmp(path, "-"))
			return pv_error(e, -EINVAL, "%s: expected a file, as the runs print on standard output",
					pv_report_writers[i].option);
	}
	return pv_reporting_check(&m->options->reporting, e);
}

/* A mistake in the last combination is told before the first one runs. */
static int check_all(struct matrix *m, struct pv_error *e)
{
	int err = m->options->shard_text ? pv_error(e, -EINVAL,
						    "--shard: expected one kernel, driver and target: `pcieval merge` "
						    "makes one run of the shards")
					 : check_reports(m, e);

	for (size_t i = 0; !err && i < m->n; i++) {
		struct pv_cli_run o = options_of(m, &m->runs[i]);

		err = pv_cli_run_check(m->self, &o, e);
		pv_board_close(&o.board);
		if (err)
			pv_error_context(e, "%s: ", m->runs[i].name);
	}
	return err;
}

/* ---- the runs ---- */

/* A failure outweighs what could not be judged, and that a run of skips alone. */
static int worse(int a, int b)
{
	static const int order[] = {PV_EXIT_FAILED, PV_EXIT_UNJUDGED, PV_EXIT_USAGE, PV_EXIT_SKIPPED};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return PV_EXIT_PASSED;
}

/* Returns true if a report could not be written, which has been reported. */
static bool write_own_reports(const struct pv_run_result *r)
{
	char files[ARRAY_SIZE(own_reports)][PATH_MAX];
	struct pv_reporting reporting = {0};

	for (size_t i = 0; i < ARRAY_SIZE(own_reports); i++) {
		snprintf(files[i], sizeof(files[i]), "%s/%s", r->folder, own_reports[i].file);
		reporting.paths[own_reports[i].report] = files[i];
	}
	return pv_reporting_write(&reporting, r) != pv_run_exit(r);
}

/* Returns the result of a run that is not there. */
static struct pv_run_result *lost(const struct matrix *m, size_t i, const char *folder, const char *why)
{
	struct pv_cli_run o = options_of(m, &m->runs[i]);

	pv_cli_run_complete(&o);
	const struct pv_matrix_run run = {.target = o.run.target, .kernel = o.guest.kernel, .driver = o.run.driver};
	return pv_matrix_lost_run(&run, o.run.board, folder, why);
}

/* Loads the result of run i; one that has not begun has no folder, and is lost for the reason `why`. NULL: no memory.
 */
static struct pv_run_result *load_result(struct matrix *m, size_t i, const char *why)
{
	_autofree_ char *folder = NULL;
	struct pv_run_result *r;
	struct pv_error e = {0};

	if (asprintf(&folder, "%s/%s", m->folder, m->runs[i].name) < 0)
		return NULL;
	if (access(folder, F_OK))
		return lost(m, i, folder, why);
	if (!pv_run_load(folder, &r, &e))
		return r;
	pv_cli_error("run: %s", e.text);
	m->status = worse(m->status, PV_EXIT_UNJUDGED);
	return lost(m, i, folder, e.text);
}

static void add_result(struct matrix *m, size_t i, const char *why)
{
	struct pv_run_result *r = load_result(m, i, why);

	if (!r)
		pv_cli_error("run: %s: no memory", m->runs[i].name);
	if (!r || (r->n_cases && write_own_reports(r)))
		m->status = worse(m->status, PV_EXIT_UNJUDGED);
	if (!r)
		return;
	m->names[m->n_results] = m->runs[i].name;
	m->results[m->n_results++] = r;
	m->n_ran += r->n_cases > 0;
}

/* Returns true if it was interrupted: then the others do not begin. */
static bool run_one(struct matrix *m, size_t i, const char *const *paths, size_t n_paths, pv_cli_run_fn *run)
{
	struct pv_cli_run o = options_of(m, &m->runs[i]);
	char folder[PATH_MAX];

	memset(&o.reporting, 0, sizeof(o.reporting));
	if (m->folder) {
		snprintf(folder, sizeof(folder), "%s/%s", m->folder, m->runs[i].name);
		o.results = folder;
	}
	printf("%s== %s, %zu of %zu\n", i ? "\n" : "", m->runs[i].name, i + 1, m->n);
	fflush(stdout);
	m->status = worse(m->status, run(m->self, &o, paths, n_paths));
	pv_board_close(&o.board);
	if (m->folder)
		add_result(m, i, "it could not begin, for the reason that was printed");
	return o.ended_early;
}

/* Runs all of them. After an interrupted one the others are lost. */
static void run_all(struct matrix *m, const char *const *paths, size_t n_paths, pv_cli_run_fn *run)
{
	size_t i = 0;

	while (i < m->n && !run_one(m, i, paths, n_paths, run))
		i++;
	for (i++; i < m->n && m->folder; i++)
		add_result(m, i, "it has not begun: an earlier run was interrupted");
}

/* ---- the table ---- */

static int write_reports(const struct matrix *m, const struct pv_run_table *t, const char *page, struct pv_error *e)
{
	const char *const *paths = m->options->reporting.paths;
	const struct pv_run_result *const *results = (const struct pv_run_result *const *)m->results;
	int err = pv_run_table_write_html(t, false, page, e);

	if (!err && paths[PV_REPORT_html])
		err = pv_run_table_write_html(t, false, paths[PV_REPORT_html], e);
	if (!err && paths[PV_REPORT_json])
		err = pv_run_table_write_json(t, true, paths[PV_REPORT_json], e);
	if (!err && paths[PV_REPORT_junit])
		err = pv_junit_write_runs(results, m->names, m->n_results, paths[PV_REPORT_junit], e);
	return err;
}

static void report(struct matrix *m)
{
	_cleanup_(pv_run_table_free) struct pv_run_table t = {0};
	struct pv_error e = {0};
	char page[PATH_MAX];
	int err = pv_run_table_make((const struct pv_run_result *const *)m->results, m->n_results, 2, &t);

	snprintf(page, sizeof(page), "%s/report.html", m->folder);
	if (err) {
		pv_error(&e, err, "no memory");
	} else {
		fputs("\n== what differs\n", stdout);
		pv_run_table_print(&t, false, pv_terminal_colour(m->options->colour, STDOUT_FILENO), pv_cli_columns(),
				   stdout);
		printf("results: %s\n", m->folder);
		err = write_reports(m, &t, page, &e);
	}
	if (err)
		pv_cli_error("run: %s", e.text);
	if (err || pv_cli_flush())
		m->status = worse(m->status, PV_EXIT_UNJUDGED);
}

int pv_cli_run_matrix(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths, size_t n_paths,
		      pv_cli_run_fn *run)
{
	_cleanup_(matrix_free) struct matrix m = {.self = self, .options = o};
	const struct pv_matrix_values values = values_of(o);
	struct pv_error e = {0};
	int err = pv_matrix_combine(&values, m.runs, &m.n, &e);

	if (!err)
		err = check_all(&m, &e);
	/* Standard input is read once. */
	if (!err && !pv_cli_selection_read(&o->selection))
		return PV_EXIT_USAGE;
	if (!err && !o->dry_run && !o->list_tags)
		err = pv_matrix_create(o->results, m.runs, m.n, &m.folder, &e);
	if (err)
		return pv_cli_error("run: %s", e.text);
	run_all(&m, paths, n_paths, run);
	if (m.n_ran)
		report(&m);
	/* Some of it was run. */
	return m.status == PV_EXIT_USAGE && m.n_ran ? PV_EXIT_UNJUDGED : m.status;
}
