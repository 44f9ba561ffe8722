/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any lines as output of perf stat: rates must not be negative, a mean must be between the extremes, and lines
 * must fit. Also feeds them as lines about events: the chosen events must be valid for perf -e, and their number right.
 */
#include <math.h>

#include "framework/counters/choose.h"
#include "framework/counters/watch.h"
#include "framework/util/fuzz/fuzz.h"

enum { COLUMNS = 80 };

static double ceiling(void *ctx, const char *pmu)
{
	return 1e9;
}

static void check_series(const struct pv_series *s, const struct pv_watch *w)
{
	double mean = pv_series_mean(s), slack = 1e-6 * fabs(s->max);

	fuzz_check(isnan(s->now) || s->now >= 0);
	fuzz_check(s->intervals <= w->intervals && s->n_points <= PV_WATCH_POINTS);
	fuzz_check(!s->intervals || (s->min <= s->max && mean >= s->min - slack && mean <= s->max + slack));
	fuzz_check(s->counted_s <= s->printed_s * (1 + 1e-9) && s->printed_s <= w->seconds * (1 + 1e-9));
	for (unsigned i = 0; i < s->n_points; i++)
		fuzz_check(s->points[i].end_s >= s->points[i].begin_s);
}

static void check_texts(const struct pv_watch *w)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; f && i < w->n; i++) {
		long before = ftell(f);

		pv_watch_put_now(w, i, ceiling(NULL, ""), COLUMNS, f);
		fuzz_check(ftell(f) - before <= COLUMNS);
	}
	if (f) {
		pv_watch_put_summary(w, ceiling, NULL, f);
		pv_watch_html(w, ceiling, NULL, f);
		fclose(f);
	}
	free(text);
}

/* Checks "PMU/TERMS/,PMU/TERMS/". */
static void check_choice(const struct pv_choice *c)
{
	size_t slashes = 0;

	for (const char *at = c->events; at && *at; at++) {
		fuzz_check(*at > ' ' && *at < 127 && !strchr("{}'\"\\", *at));
		slashes += *at == '/';
	}
	fuzz_check(slashes == 2 * c->n && c->n <= PV_CHOICE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *rest = text;
	const char *const any[] = {"*", NULL};
	struct pv_choice choice = {.pmus = any};
	struct pv_watch w = {0};
	int r = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	for (char *line; r >= 0 && (line = strsep(&rest, "\n"));) {
		pv_choice_add(&choice, line);
		r = pv_watch_add(&w, line);
	}
	check_choice(&choice);
	pv_choice_free(&choice);
	pv_watch_end(&w);
	for (size_t i = 0; i < w.n; i++)
		check_series(w.series[i], &w);
	check_texts(&w);
	pv_watch_free(&w);
	free(text);
	return 0;
}
