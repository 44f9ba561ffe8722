/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series of counts: parses them line by line, and makes intervals and points. */
#include "framework/counters/watch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SERIES_MAX = 1024 };

/* ---- series ---- */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/*
 * Time-based events of a DWC PMU (docs/hardware-notes.md F-D16, F-D18). L1_1, L1_2 and L1_AUX count cycles of another
 * clock.
 */
static const struct {
	const char *name;
	unsigned id;
	enum pv_quantity quantity;
} time_events[] = {
	{"one_cycle", 0x00, PV_QUANTITY_CYCLE},
	{"TX_L0S", 0x01, PV_QUANTITY_RESIDENCY},
	{"RX_L0S", 0x02, PV_QUANTITY_RESIDENCY},
	{"L0", 0x03, PV_QUANTITY_RESIDENCY},
	{"L1", 0x04, PV_QUANTITY_RESIDENCY},
	{"CFG_RCVRY", 0x07, PV_QUANTITY_RESIDENCY},
	{"Tx_PCIe_TLP_Data_Payload", 0x20, PV_QUANTITY_BYTES},
	{"Rx_PCIe_TLP_Data_Payload", 0x21, PV_QUANTITY_BYTES},
	{"Tx_CCIX_TLP_Data_Payload", 0x22, PV_QUANTITY_BYTES},
	{"Rx_CCIX_TLP_Data_Payload", 0x23, PV_QUANTITY_BYTES},
};

/* Returns the number in "eventid=0x21,type=0x0", which perf needs if it finds no event by name; -1: none. */
static int number_of(const char *event)
{
	unsigned id, type;
	int end = 0;

	return sscanf(event, "eventid=%i,type=%i%n", (int *)&id, (int *)&type, &end) == 2 && !event[end] && !type
		       ? (int)id
		       : -1;
}

/* Sets the kind and the name of the event: Linux 7.3 has lower-case names. */
static void recognise(struct pv_series *s)
{
	if (!begins(s->pmu, "dwc_rootport_"))
		return;
	for (size_t i = 0; i < sizeof(time_events) / sizeof(*time_events); i++)
		if (!strcasecmp(s->event, time_events[i].name) || number_of(s->event) == (int)time_events[i].id) {
			s->quantity = time_events[i].quantity;
			s->name = time_events[i].name;
		}
}

static struct pv_series *new_series(const struct pv_perf_stat *line)
{
	struct pv_series *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	strcpy(s->pmu, line->pmu);
	strcpy(s->event, line->event);
	strcpy(s->unit, line->unit);
	s->name = s->event;
	s->now = NAN;
	recognise(s);
	return s;
}

static int find_or_add(struct pv_watch *w, const struct pv_perf_stat *line, struct pv_series **out)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->series[i]->event, line->event) && !strcmp(w->series[i]->pmu, line->pmu)) {
			*out = w->series[i];
			return 0;
		}
	if (w->n == SERIES_MAX)
		return -E2BIG;
	if (!w->series)
		w->series = calloc(SERIES_MAX, sizeof(struct pv_series *));
	*out = w->series ? new_series(line) : NULL;
	if (!*out)
		return -ENOMEM;
	w->series[w->n++] = *out;
	return 0;
}

static void merge_points(struct pv_series *s)
{
	for (unsigned i = 0; i < s->n_points / 2; i++) {
		struct pv_point a = s->points[2 * i], b = s->points[2 * i + 1];
		double a_s = isnan(a.value) ? 0 : a.end_s - a.begin_s, b_s = isnan(b.value) ? 0 : b.end_s - b.begin_s;
		double sum = (a_s > 0 ? a.value * a_s : 0) + (b_s > 0 ? b.value * b_s : 0);

		s->points[i] = (struct pv_point){a.begin_s, b.end_s, a_s + b_s > 0 ? sum / (a_s + b_s) : NAN};
	}
	s->n_points /= 2;
	s->merged++;
}

/* Adds an interval to the last point, or begins a point. */
static void add_point(struct pv_series *s, const struct pv_watch *w)
{
	double length = w->end_s - w->begin_s;
	uint64_t in_point = w->intervals & ((1ull << s->merged) - 1);
	struct pv_point *last = s->n_points ? &s->points[s->n_points - 1] : NULL;

	if (in_point && last) {
		double before = last->end_s - last->begin_s;

		if (isnan(last->value))
			last->value = s->now;
		else if (!isnan(s->now))
			last->value = (last->value * before + s->now * length) / (before + length);
		last->end_s = w->seconds + length;
		return;
	}
	if (s->n_points == PV_WATCH_POINTS)
		merge_points(s);
	s->points[s->n_points++] = (struct pv_point){w->seconds, w->seconds + length, s->now};
}

/* ---- intervals ---- */

/*
 * Returns the length of a cycle in ps. It is not a count: perf prints it for the first interval, and then 0. If perf
 * multiplexes events, it adds one length per turn, and the sum means nothing.
 */
static double length_of_cycle(const struct pv_series *s)
{
	return s->running < 99.5 || !s->count ? s->max : s->count;
}

static void end_series(struct pv_series *s, const struct pv_watch *w)
{
	double length = w->end_s - w->begin_s;

	s->now = NAN;
	if (s->seen)
		s->printed_s += length;
	if (s->seen && s->counted) {
		s->now = s->quantity == PV_QUANTITY_CYCLE ? length_of_cycle(s) : s->count / length;
		s->min = s->intervals ? fmin(s->min, s->now) : s->now;
		s->max = s->intervals ? fmax(s->max, s->now) : s->now;
		s->sum += s->now * length;
		s->seconds += length;
		s->intervals++;
		s->counted_s += length * fmin(s->running, 100) / 100;
	}
	add_point(s, w);
	s->seen = s->counted = false;
	s->count = 0;
}

bool pv_watch_end(struct pv_watch *w)
{
	if (w->end_s <= w->begin_s)
		return false;
	for (size_t i = 0; i < w->n; i++)
		end_series(w->series[i], w);
	w->seconds += w->end_s - w->begin_s;
	w->intervals++;
	w->begin_s = w->ended_s = w->end_s;
	return true;
}

/* Adds a count: counts of one event on several CPUs or sockets belong together. */
static void add_count(struct pv_series *s, const struct pv_perf_stat *line)
{
	s->running = s->seen && s->counted ? fmin(s->running, line->running) : line->running;
	s->count += line->value;
	s->seen = true;
	s->counted |= line->counted;
	s->supported |= line->supported;
}

int pv_watch_add(struct pv_watch *w, const char *text)
{
	struct pv_perf_stat line;
	struct pv_series *s = NULL;
	int err = pv_perf_stat_parse(text, &line);

	if (err) {
		w->foreign += err == -EBADMSG;
		return 0;
	}
	/* If the time goes back, another perf stat has begun at 0. */
	bool ended = line.end_s != w->end_s && pv_watch_end(w);
	if (line.end_s < w->end_s)
		w->begin_s = 0;
	w->end_s = line.end_s;
	err = find_or_add(w, &line, &s);
	if (err)
		return err;
	add_count(s, &line);
	return ended;
}

void pv_watch_free(struct pv_watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->series[i]);
	free(w->series);
	*w = (struct pv_watch){0};
}

double pv_series_mean(const struct pv_series *s)
{
	return s->seconds > 0 ? s->sum / s->seconds : NAN;
}

bool pv_watch_is_first(const struct pv_watch *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(w->series[k]->pmu, w->series[i]->pmu))
			return false;
	return true;
}
