/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace comparison (trace_check.c) with the stream of expected records (trace.c) and the description of the first
 * difference (trace_diff.c). Private to framework/oracle.
 */
#ifndef PV_ORACLE_TRACE_INTERNAL_H
#define PV_ORACLE_TRACE_INTERNAL_H

#include "framework/oracle/oracle.h"
#include "framework/util/align.h"

#define PV_WALK_LOOK PV_ALIGN_LOOK
#define PV_WALK_RUN  PV_ALIGN_RUN
#define PV_WALK_RING 128 /* power of two, at least LOOK + RUN */

/* Position of an expected record: only records of the inner window are mandatory. */
enum pv_walk_place { PV_WALK_BEFORE, PV_WALK_OWED, PV_WALK_AFTER };

struct pv_walk_expect {
	uint8_t bytes[32];
	uint64_t before; /* tick of the record before, UINT64_MAX: unknown; with Time as distance */
	enum pv_walk_place place;
	uint64_t ledger_index;
};

struct pv_walk_stream {
	struct pv_ledger *l;
	const struct pv_window *win;
	const struct pv_trace_spec *spec;
	struct pv_ledger_reader *reader;
	uint64_t ledger_next; /* number of the next ledger record */
	uint64_t tick;	      /* time of the last record; UINT64_MAX: none */
	struct pv_walk_expect ring[PV_WALK_RING];
	unsigned first, n; /* first entry and number of entries in the ring */
	int error;
};

struct pv_walk {
	struct pv_walk_stream e; /* expected */
	const uint8_t *trace;
	uint64_t got, j; /* records in the trace; the current one */
	size_t size;	 /* size of a record in bytes */
	bool ignore_time;
	bool started;			  /* a record has agreed or been counted */
	unsigned run, agreed;		  /* consecutive records: needed to be in step; agreed so far */
	int64_t near_credit, scan_credit; /* comparisons that may still be spent on resynchronisation */
	uint64_t no_scan_before;	  /* record of the trace before which a scan is futile */
	const uint64_t *gap;		  /* offsets where records may be missing ... */
	size_t gaps, gap_next;		  /* ... and the next one ahead */
	bool pairs;			  /* they are the ends of marked pieces */
	uint64_t *told;			  /* how many are missing, at each; of equal offsets at the first */
	struct pv_trace_diff *diff;
};

/* In the steps of the alignment, x counts expected records and y traced ones. */

/* The k-th expected record from here (k < PV_WALK_RING), NULL past the end. */
const struct pv_walk_expect *pv_walk_ahead(struct pv_walk_stream *s, unsigned k);
/* Begins at a record of the ledger. -ENOMEM. */
int pv_walk_open(struct pv_walk_stream *s, uint64_t ledger_first);
void pv_walk_close(struct pv_walk_stream *s);
void pv_walk_skip(struct pv_walk_stream *s, uint64_t n);
/* Begins at a record that another stream has in its look-ahead, with what precedes it. */
int pv_walk_open_at(struct pv_walk_stream *s, const struct pv_walk_expect *e);
bool pv_walk_same(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got);
/* Returns true if Time of these two is as it must be, or cannot be judged. */
bool pv_walk_same_time(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got);

static inline const uint8_t *pv_walk_traced(const struct pv_walk *w, uint64_t k)
{
	return k < w->got - w->j ? w->trace + (w->j + k) * w->size : NULL;
}

/*
 * trace_place.c: places the pieces between gaps so that all of them agree, nothing is missing elsewhere and no piece is
 * marked for nothing. True: *diff and `told` say so. False: there are no such places, or too many to try; *diff stands.
 */
bool pv_walk_place(struct pv_walk *w);

/* trace_diff.c: writes diff->first from the state before the step is taken. */
void pv_walk_describe(struct pv_walk *w, const struct pv_align_step *step);
void pv_walk_describe_leftover(struct pv_walk *w, size_t bytes);
/* Appends to diff->first where one-to-one comparison began, if it did. */
void pv_walk_describe_unsearched(struct pv_walk *w);

#endif
