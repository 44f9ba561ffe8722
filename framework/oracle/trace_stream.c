/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records that a trace must hold, in order and with a look-ahead: from the ledger, as they are asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_walk.h"

int pv_walk_open(struct pv_walk_stream *s, uint64_t ledger_first)
{
	s->reader = pv_ledger_read(s->l, ledger_first, s->win->outer_last);
	s->ledger_next = ledger_first;
	s->first = s->n = 0;
	s->tick = UINT64_MAX;
	s->error = 0;
	return s->reader ? 0 : -ENOMEM;
}

int pv_walk_open_at(struct pv_walk_stream *s, const struct pv_walk_expect *e)
{
	int r = pv_walk_open(s, e->ledger_index);

	s->tick = e->before;
	return r;
}

void pv_walk_close(struct pv_walk_stream *s)
{
	pv_ledger_close(s->reader);
	s->reader = NULL;
}

static enum pv_walk_place place_of(const struct pv_window *win, uint64_t index)
{
	return index < win->inner_first ? PV_WALK_BEFORE : index < win->inner_last ? PV_WALK_OWED : PV_WALK_AFTER;
}

static uint32_t word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t most_time(const struct pv_trace_spec *s)
{
	return s->format_8dw ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;
}

/* A distance that does not fit is all ones: at least so much. */
static void put_distance(const struct pv_trace_spec *s, uint64_t distance, uint8_t *record)
{
	uint8_t *at = record + (s->format_8dw ? 28 : 0);
	uint32_t most = most_time(s), value = distance < most ? (uint32_t)distance : most;

	value |= word(at) & ~most;
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void expect(struct pv_walk_stream *s, struct pv_walk_expect *e, const struct pv_wire *w, uint64_t index)
{
	const struct pv_wire_file *head = pv_ledger_head(s->l);
	uint64_t tick = w->time_ps / head->ptt_tick_ps;

	pv_oracle_record(s->spec, head, w, e->bytes);
	if (s->spec->time_is_distance)
		put_distance(s->spec, tick - s->tick, e->bytes);
	e->before = s->tick;
	e->place = place_of(s->win, index);
	e->ledger_index = index;
	s->tick = tick;
}

static bool pull(struct pv_walk_stream *s)
{
	struct pv_walk_expect *e = &s->ring[(s->first + s->n) % PV_WALK_RING];
	const struct pv_wire *w;

	while ((w = pv_ledger_next(s->reader))) {
		uint64_t index = s->ledger_next++;

		if (!pv_oracle_traced(s->spec, w))
			continue;
		expect(s, e, w, index);
		s->n++;
		return true;
	}
	s->error = pv_ledger_reader_error(s->reader);
	return false;
}

const struct pv_walk_expect *pv_walk_ahead(struct pv_walk_stream *s, unsigned k)
{
	while (s->n <= k)
		if (!pull(s))
			return NULL;
	return &s->ring[(s->first + k) % PV_WALK_RING];
}

void pv_walk_skip(struct pv_walk_stream *s, uint64_t n)
{
	for (; n && pv_walk_ahead(s, 0); n--) {
		s->first = (s->first + 1) % PV_WALK_RING;
		s->n--;
	}
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A distance counts from a record that may be nowhere: at the start of a trace, and where the driver reports a loss, it
 * is not judged.
 */
static bool is_time_judged(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	uint64_t offset = (uint64_t)(got - w->trace);

	if (w->ignore_time)
		return false;
	if (!w->e.spec->time_is_distance)
		return true;
	return expected->before != UINT64_MAX && offset &&
	       !(w->gaps && bsearch(&offset, w->gap, w->gaps, sizeof(*w->gap), compare_offsets));
}

/*
 * A distance may be cut to whole ticks as a whole, or be that of two ticks: one less is as good. Nothing published
 * says which.
 */
bool pv_walk_same_time(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	const size_t at = w->size == PTT_RECORD_8DW_BYTES ? 28 : 0;
	const uint32_t most = most_time(w->e.spec), want = word(expected->bytes + at) & most,
		       is = word(got + at) & most;

	if (want == is || !is_time_judged(w, expected, got))
		return true;
	return w->e.spec->time_is_distance && want && is == want - 1;
}

/* 4DW: DW0 without SO, which is not judged. */
bool pv_walk_same(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	const uint8_t *want = expected->bytes;
	bool same = w->size == PTT_RECORD_8DW_BYTES
			    ? !memcmp(want, got, 28)
			    : !memcmp(want + 4, got + 4, 12) &&
				      !((word(want) ^ word(got)) & ~(PTT_RECORD_4DW_SO | PTT_RECORD_4DW_TIME_MASK));

	return same && pv_walk_same_time(w, expected, got);
}
