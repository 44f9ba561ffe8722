/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result model: names, totals, exit status, and shared functions of writers. */
#include "reports/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

static const char *const verdict_names[PV_VERDICTS] = {
	[PV_PASS] = "pass", [PV_FAIL] = "fail", [PV_ERROR] = "error", [PV_SKIP] = "skip"};

const char *pv_verdict_name(enum pv_verdict v)
{
	return (unsigned)v < PV_VERDICTS ? verdict_names[v] : "?";
}

const char *pv_verdict_counted(enum pv_verdict v, size_t n)
{
	static const char *const words[PV_VERDICTS] = {
		[PV_PASS] = "passed", [PV_FAIL] = "failed", [PV_ERROR] = "errors", [PV_SKIP] = "skipped"};

	return v == PV_ERROR && n == 1 ? "error" : words[v];
}

const char *pv_run_totals(const struct pv_run_result *r, char out[PV_TOTALS_MAX])
{
	size_t n = 0;

	for (int v = 0; v < PV_VERDICTS; v++)
		n += (size_t)snprintf(out + n, PV_TOTALS_MAX - n, "%s%zu %s", v ? ", " : "", r->count[v],
				      pv_verdict_counted(v, r->count[v]));
	return out;
}

int pv_verdict_by_name(const char *name)
{
	for (int v = 0; v < PV_VERDICTS; v++)
		if (!strcmp(name, verdict_names[v]))
			return v;
	return -1;
}

void pv_run_count(struct pv_run_result *r)
{
	memset(r->count, 0, sizeof(r->count));
	r->flaky = 0;
	for (size_t i = 0; i < r->n_cases; i++) {
		r->count[r->cases[i].verdict]++;
		r->flaky += pv_case_is_flaky(&r->cases[i]);
	}
}

bool pv_case_is_flaky(const struct pv_case_result *c)
{
	return c->verdict == PV_PASS && c->n_attempts;
}

static const char *find_value(char **pairs, const char *name)
{
	for (char **p = pairs; p && p[0] && p[1]; p += 2)
		if (!strcmp(p[0], name))
			return p[1];
	return NULL;
}

const char *pv_run_property(const struct pv_run_result *r, const char *name)
{
	return find_value(r->properties, name);
}

const char *pv_run_fact(const struct pv_run_result *r, const char *name)
{
	return find_value(r->environment, name);
}

/* If the guest does not report its kernel, it is the one that the run gave it. */
const char *pv_run_kernel(const struct pv_run_result *r)
{
	const char *told = pv_run_fact(r, "kernel");

	return told ? told : pv_run_property(r, "guest kernel");
}

static bool is_any_judged(const struct pv_run_result *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		if (pv_case_is_judged(&r->cases[i]))
			return true;
	return false;
}

/*
 * Returns false for a run that was killed or could not write its results: even if all cases in it passed, it lacks
 * what came after them. A run has a reason if the user ended it.
 */
static bool is_complete(const struct pv_run_result *r)
{
	return !r->running && r->interrupted == !!r->why;
}

enum pv_exit pv_run_exit(const struct pv_run_result *r)
{
	if (r->count[PV_FAIL])
		return PV_EXIT_FAILED;
	if (r->count[PV_ERROR] || !r->n_cases || !is_complete(r))
		return PV_EXIT_UNJUDGED;
	return is_any_judged(r) ? PV_EXIT_PASSED : PV_EXIT_SKIPPED;
}

bool pv_case_is_bad(const struct pv_case_result *c)
{
	return c->verdict == PV_FAIL || (c->verdict == PV_ERROR && !(c->type && !strcmp(c->type, "not-run")));
}

bool pv_case_is_known_failure(const struct pv_case_result *c)
{
	return c->verdict == PV_SKIP && c->type && !strcmp(c->type, "known-failure");
}

size_t pv_run_known_failures(const struct pv_run_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		n += pv_case_is_known_failure(&r->cases[i]);
	return n;
}

bool pv_case_is_judged(const struct pv_case_result *c)
{
	return c->verdict == PV_PASS || c->verdict == PV_FAIL || pv_case_is_known_failure(c);
}

/* pcieval begins the message with "FILE:LINE: STEP: ". */
const char *pv_case_reason(const struct pv_case_result *c)
{
	const char *text = c->message && *c->message ? c->message : "no reason", *step;
	size_t n = strlen(c->file);

	if (strncmp(text, c->file, n) != 0 || text[n] != ':')
		return text;
	step = strstr(text + n, ": ");
	step = step ? strstr(step + 2, ": ") : NULL;
	return step ? step + 2 : text;
}

/* Returns the letters of the taint that means a bug and that the kernel of a real machine had before the run. */
static const char *tainted_before(const struct pv_run_result *r, char letters[32])
{
	const char *taint = pv_run_fact(r, "taint");
	bool real = r->target && (!strcmp(r->target, "local") || !strncmp(r->target, "ssh:", 4));
	size_t n = 0;

	for (const char *c = real && taint ? taint : ""; *c && n < 30; c++)
		if (strchr("FRMBDWL", *c))
			letters[n++] = *c;
	letters[n] = 0;
	return letters;
}

const char *pv_run_tested(const struct pv_run_result *r, char *buf, size_t size)
{
	const char *kernel = pv_run_kernel(r), *drivers = pv_run_property(r, "drivers");
	const char *defects = pv_run_property(r, "defects");
	char letters[32];
	const char *before = tainted_before(r, letters);

	snprintf(buf, size, "target %s, driver %s%s%s%s%s%s%s%s%s", r->target, r->driver, kernel ? ", kernel " : "",
		 kernel ? kernel : "", drivers ? ", drivers " : "", drivers ? drivers : "",
		 *before ? ", tainted before the run: " : "", before, defects ? ", planted defects: " : "",
		 defects ? defects : "");
	return buf;
}

char *pv_case_full_name(const struct pv_case_result *c)
{
	char round[16] = "", *text;

	if (c->round > 1)
		snprintf(round, sizeof(round), " #%u", c->round);
	return asprintf(&text, "%s/%s%s", c->plan, c->name, round) < 0 ? NULL : text;
}

const char *pv_seconds_text(double seconds, char out[32])
{
	const double most = 1e12;

	if (!(seconds > 0))
		seconds = 0;
	long long ms = llround((seconds < most ? seconds : most) * 1000);
	snprintf(out, 32, "%lld.%03lld", ms / 1000, ms % 1000);
	return out;
}

void pv_shell_word(FILE *f, const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, f);
		return;
	}
	fputc('\'', f);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", f);
		else
			fputc(*s, f);
	fputc('\'', f);
}

size_t pv_case_base_length(const char *name)
{
	const char *parameters = strrchr(name, ']');

	return (size_t)(strchrnul(parameters ? parameters : name, '@') - name);
}

char *pv_rerun_command(const struct pv_run_result *r, const struct pv_case_result *c)
{
	if (!r->rerun || !*r->rerun)
		return NULL;
	char *name = NULL, *text = NULL;
	size_t n, base = pv_case_base_length(c->name);
	if (asprintf(&name, "%s/%.*s", c->plan, (int)base, c->name) < 0)
		return NULL;
	FILE *f = open_memstream(&text, &n);
	if (f) {
		fputs(r->rerun, f);
		if (c->name[base]) {
			fputs(" --bind ", f);
			pv_shell_word(f, c->name + base + 1);
		}
		fputs(" --name ", f);
		pv_shell_word(f, name);
		fputc(' ', f);
		pv_shell_word(f, c->file);
		fclose(f);
	}
	free(name);
	return text;
}

/* Frees a NULL-terminated array and its strings. */
static void strings_free(char **strings)
{
	for (char **s = strings; s && *s; s++)
		free(*s);
	free(strings);
}

static void attempt_free(struct pv_attempt *a)
{
	free(a->type);
	free(a->message);
	free(a->log);
	strings_free(a->artefacts);
}

void pv_case_result_forget(struct pv_case_result *c)
{
	strings_free(c->figures);
	c->figures = NULL;
	for (size_t i = 0; i < c->n_rules; i++) {
		free(c->rules[i].rule);
		free(c->rules[i].message);
	}
	free(c->rules);
	c->rules = NULL;
	c->n_rules = 0;
}

void pv_case_result_free(struct pv_case_result *c)
{
	pv_case_result_forget(c);
	free(c->plan);
	free(c->name);
	free(c->file);
	free(c->type);
	free(c->message);
	free(c->text);
	free(c->where);
	free(c->log);
	strings_free(c->formerly);
	free(c->was);
	strings_free(c->verifies);
	strings_free(c->roles);
	strings_free(c->artefacts);
	for (size_t i = 0; i < c->n_attempts; i++)
		attempt_free(&c->attempts[i]);
	free(c->attempts);
}

void pv_run_result_free(struct pv_run_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_cases; i++)
		pv_case_result_free(&r->cases[i]);
	free(r->cases);
	free(r->target);
	free(r->board);
	free(r->driver);
	free(r->command);
	free(r->hostname);
	free(r->version);
	free(r->folder);
	free(r->id);
	free(r->rerun);
	free(r->why);
	free(r->known);
	strings_free(r->properties);
	strings_free(r->environment);
	free(r);
}

/* ---- the slowest cases ---- */

static int slower_first(const void *a, const void *b)
{
	const struct pv_case_result *x = *(const struct pv_case_result *const *)a;
	const struct pv_case_result *y = *(const struct pv_case_result *const *)b;

	int order = (x->seconds < y->seconds) - (x->seconds > y->seconds);

	return order ? order : (x > y) - (x < y);
}

const struct pv_case_result **pv_run_slowest(const struct pv_run_result *r)
{
	const struct pv_case_result **sorted = calloc(r->n_cases + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < r->n_cases; i++)
		sorted[i] = &r->cases[i];
	if (sorted)
		qsort(sorted, r->n_cases, sizeof(*sorted), slower_first);
	return sorted;
}
