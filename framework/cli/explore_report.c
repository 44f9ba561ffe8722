/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes findings as plans and runs these once more under the runner, whose message is printed. */
#include "framework/cli/explore_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "framework/cli/reporting.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

enum { PATH_SIZE = 512 };

static double rate(const struct pv_explore_session *s)
{
	return s->elapsed > 0 ? (double)s->done / s->elapsed : 0;
}

void pv_cli_explore_progress(void *findings, const struct pv_explore_session *s)
{
	char states[40] = "";

	(void)findings;
	if (s->wish.corpus)
		snprintf(states, sizeof(states), ", %zu states", s->states.n);
	fprintf(stderr, "\r\033[K%" PRIu64 " cases, %.0f per second%s, %zu found, %.0f s", s->done, rate(s), states,
		s->n_findings, s->elapsed);
	fflush(stderr);
}

/* ---- plans ---- */

static void plan_path(const struct pv_cli_findings *f, size_t i, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/finding-%zu.xml", f->o->results, i + 1);
}

/* The step and its message, without the place in the plan for which it was drawn. */
static const char *message_of(const char *message)
{
	const char *space = strchr(message, ' ');

	return strncmp(message, "case:", 5) || !space ? message : space + 1;
}

static int write_finding(const struct pv_cli_findings *f, const struct pv_explore_session *s, size_t i,
			 struct pv_error *e)
{
	const struct pv_explore_finding *found = &s->findings[i];
	char path[PATH_SIZE], name[32], text[1400];

	pv_utf8_print(text, sizeof(text), "Found by pcieval explore, seed %" PRIu64 ", case %" PRIu64 ": %s",
		      s->wish.seed, found->index, message_of(found->v.message));
	pv_json_string(found->c, "description", text);
	snprintf(name, sizeof(name), "finding-%zu", i + 1);
	plan_path(f, i, path);
	return pv_cli_explore_write(path, name, found->c, e);
}

static int write_findings(const struct pv_cli_findings *f, const struct pv_explore_session *s, struct pv_error *e)
{
	int err = mkdir(f->o->results, 0777) ? pv_error(e, -errno, "%s: %s", f->o->results, strerror(errno)) : 0;

	for (size_t i = 0; !err && i < s->n_findings; i++)
		err = write_finding(f, s, i, e);
	return err;
}

/* ---- running them again ---- */

static int confirm(const struct pv_cli_findings *f, size_t n, struct pv_run_result **out, struct pv_error *e)
{
	char(*paths)[PATH_SIZE] = calloc(n, sizeof(*paths)), folder[PATH_SIZE];
	const char **list = calloc(n, sizeof(*list));
	int err = paths && list ? 0 : pv_error(e, -ENOMEM, "no memory");

	for (size_t i = 0; !err && i < n; i++) {
		plan_path(f, i, paths[i]);
		list[i] = paths[i];
	}
	snprintf(folder, sizeof(folder), "%s/run", f->o->results);
	if (!err)
		err = pv_cli_explore_confirm(f->o, list, n, folder, out, e);
	free(paths);
	free(list);
	return err;
}

/* ---- reports ---- */

/* Cases of another target than the models that showed nothing, or not all; "": none. */
static const char *skips_of(const struct pv_explore_session *s, char *buf, size_t size)
{
	size_t len = 0;

	*buf = 0;
	if (s->known)
		len = (size_t)snprintf(buf, size, "%" PRIu64 " ended with a known failure%s", s->known,
				       s->skipped ? "; " : "");
	if (s->skipped)
		snprintf(buf + len, size - len, "%" PRIu64 " skipped, the first: %s", s->skipped, message_of(s->skip));
	return buf;
}

static const char *const words[] = {"ptt", "cpmu", "dwc", "mps", "abi", "registers"};

static void put_message(const struct pv_explore_session *s, const char *broken, char *message, size_t size)
{
	char skips[1200];
	size_t len = (size_t)snprintf(message, size, "%" PRIu64 " case%s, %zu finding%s", s->done,
				      s->done == 1 ? "" : "s", s->n_findings, s->n_findings == 1 ? "" : "s");

	if (s->wish.corpus)
		len += (size_t)snprintf(message + len, size - len, ", %zu states reached", s->states.n);
	if (*skips_of(s, skips, sizeof(skips)))
		len += (size_t)snprintf(message + len, size - len, "; %s", skips);
	if (broken)
		pv_utf8_print(message + len, size - len, "; broken off: %s", broken);
}

/* Makes the session itself a case of the result. It passes if it came to its end, judged cases, and found nothing. */
static bool fill_session(struct pv_case_result *c, const struct pv_explore_session *s, const char *broken)
{
	enum pv_verdict verdict = s->n_findings		 ? PV_FAIL
				  : broken		 ? PV_ERROR
				  : s->skipped < s->done ? PV_PASS
							 : PV_SKIP;
	static const char *const types[PV_VERDICTS] = {
		[PV_PASS] = "", [PV_FAIL] = "check", [PV_ERROR] = "incomplete", [PV_SKIP] = ""};
	char name[80] = "", message[2800];
	size_t len = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (s->wish.subjects & 1u << i)
			len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s", len ? "-" : "", words[i]);
	put_message(s, broken, message, sizeof(message));
	*c = (struct pv_case_result){.plan = strdup("explore"),
				     .name = strdup(name),
				     .file = strdup("explore"),
				     .verdict = verdict,
				     .type = strdup(types[verdict]),
				     .message = strdup(verdict == PV_PASS ? "" : message),
				     .text = strdup(s->n_findings ? message : ""),
				     .log = strdup(message),
				     .verifies = calloc(1, sizeof(char *)),
				     .artefacts = calloc(1, sizeof(char *)),
				     .seed = s->wish.seed,
				     .seconds = s->elapsed,
				     .checks = (int64_t)s->done};
	return c->plan && c->name && c->file && c->type && c->message && c->text && c->log && c->verifies &&
	       c->artefacts;
}

static struct pv_run_result *empty_result(const struct pv_cli_explore *o, const struct pv_explore_session *s)
{
	struct pv_run_result *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct pv_run_result){.target = strdup(o->run.run.target),
				    .board = strdup(o->run.run.board),
				    .driver = strdup(o->run.run.driver),
				    .command = strdup("pcieval explore"),
				    .hostname = strdup("localhost"),
				    .version = strdup(PCIEVAL_VERSION),
				    .folder = strdup(o->results),
				    .properties = calloc(1, sizeof(char *)),
				    .environment = calloc(1, sizeof(char *)),
				    .started = (int64_t)time(NULL) - (int64_t)s->elapsed,
				    .seconds = s->elapsed};
	return r;
}

/* Adds the session to the result of its findings. */
static bool add_session(struct pv_run_result *r, const struct pv_explore_session *s, const char *broken)
{
	struct pv_case_result *cases = realloc(r->cases, (r->n_cases + 1) * sizeof(*cases));

	if (!cases)
		return false;
	r->cases = cases;
	if (!fill_session(&cases[r->n_cases], s, broken))
		return false;
	r->n_cases++;
	pv_run_count(r);
	return true;
}

/* ---- what is printed ---- */

/* `c`: the finding's plan was run again; NULL: it was not. */
static void print_finding(const struct pv_cli_findings *f, const struct pv_explore_session *s, size_t i,
			  const struct pv_case_result *c)
{
	const struct pv_explore_finding *found = &s->findings[i];
	size_t steps = json_object_array_length(json_object_object_get(found->c, "steps"));
	char path[PATH_SIZE];
	bool again = c && pv_case_is_bad(c);

	plan_path(f, i, path);
	fprintf(f->out, "%s\n  %s\n  %zu step%s, from case %" PRIu64 " of %zu; failed so in %" PRIu64 " case%s%s\n",
		path, again ? message_of(c->message) : message_of(found->v.message), steps, steps == 1 ? "" : "s",
		found->index, found->steps, found->times, found->times == 1 ? "" : "s",
		again ? ""
		: !c  ? "; it was not run again"
		      : "; it passed when it was run again");
}

static void print_summary(const struct pv_cli_findings *f, const struct pv_explore_session *s)
{
	char skips[1200];

	if (*skips_of(s, skips, sizeof(skips)))
		fprintf(f->out, "of the cases, %s\n", skips);
	if (s->wish.corpus)
		fprintf(f->out, "%zu states reached, %zu case%s added to %s\n", s->states.n, f->kept,
			f->kept == 1 ? "" : "s", f->o->corpus[0]);
	fprintf(f->out,
		"seed %" PRIu64 ": %" PRIu64 " cases with %" PRIu64 " steps in %.1f s (%.0f cases per second), %zu "
		"finding%s\n",
		s->wish.seed, s->done, s->steps, s->elapsed, rate(s), s->n_findings, s->n_findings == 1 ? "" : "s");
}

int pv_cli_explore_report(struct pv_cli_findings *f, const struct pv_explore_session *s, const char *broken)
{
	struct pv_error e = {0};
	struct pv_run_result *r = NULL;
	int lost = s->n_findings ? write_findings(f, s, &e) : 0;

	if (lost || (s->n_findings && confirm(f, s->n_findings, &r, &e)))
		pv_cli_error("explore: %s", e.text);
	for (size_t i = 0; i < s->n_findings; i++)
		print_finding(f, s, i, r && i < r->n_cases ? &r->cases[i] : NULL);
	if (!f->o->run.run.quiet)
		print_summary(f, s);
	r = r ? r : empty_result(f->o, s);
	int status = PV_EXIT_UNJUDGED;
	if (r && add_session(r, s, *e.text ? e.text : broken))
		status = (int)pv_reporting_write(&f->o->run.reporting, r);
	else
		pv_cli_error("explore: no memory");
	pv_run_result_free(r);
	return pv_cli_flush() || lost ? PV_EXIT_UNJUDGED : status;
}
