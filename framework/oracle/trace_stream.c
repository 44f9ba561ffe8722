/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records that a trace must hold, in order and with a look-ahead: from the ledger, as they are asked for. */
#include <errno.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_walk.h"

int pv_walk_open(struct pv_walk_stream *s, uint64_t ledger_first)
{
	s->reader = pv_ledger_read(s->l, ledger_first, s->win->outer_last);
	s->ledger_next = ledger_first;
	s->first = s->n = 0;
	s->error = 0;
	return s->reader ? 0 : -ENOMEM;
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

static bool pull(struct pv_walk_stream *s)
{
	struct pv_walk_expect *e = &s->ring[(s->first + s->n) % PV_WALK_RING];
	const struct pv_wire *w;

	while ((w = pv_ledger_next(s->reader))) {
		uint64_t index = s->ledger_next++;

		if (!pv_oracle_traced(s->spec, w))
			continue;
		pv_oracle_record(s->spec, pv_ledger_head(s->l), w, e->bytes);
		e->place = place_of(s->win, index);
		e->ledger_index = index;
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

bool pv_walk_same(const struct pv_walk *w, const uint8_t *expected, const uint8_t *got)
{
	if (!w->ignore_time)
		return !memcmp(expected, got, w->size);
	if (w->size == PTT_RECORD_8DW_BYTES)
		return !memcmp(expected, got, 28);
	/* 4DW: Time is bits [10:0] of the first, little-endian word */
	return !((expected[1] ^ got[1]) & 0xf8) && !memcmp(expected + 2, got + 2, 14);
}
