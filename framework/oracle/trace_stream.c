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

/* 4DW: DW0 without SO, which is not judged, and optionally without Time, bits [10:0]. */
static bool same_dw0(const struct pv_walk *w, const uint8_t *expected, const uint8_t *got)
{
	uint32_t differ = 0;

	for (unsigned i = 0; i < 4; i++)
		differ |= (uint32_t)(expected[i] ^ got[i]) << 8 * i;
	return !(differ & ~(PTT_RECORD_4DW_SO | (w->ignore_time ? 0x7ffu : 0)));
}

bool pv_walk_same(const struct pv_walk *w, const uint8_t *expected, const uint8_t *got)
{
	if (w->size == PTT_RECORD_8DW_BYTES)
		return !memcmp(expected, got, w->ignore_time ? 28 : 32);
	return !memcmp(expected + 4, got + 4, 12) && same_dw0(w, expected, got);
}
