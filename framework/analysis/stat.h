/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a trace in constant memory: kinds, bytes, requesters, sizes, address ranges, bandwidth over
 * time, and requests matched with their completions. Each record costs a few table look-ups. The result does not depend
 * on the number of threads.
 */
#ifndef PV_ANALYSIS_STAT_H
#define PV_ANALYSIS_STAT_H

#include "framework/analysis/match.h"
#include "framework/analysis/stat_bars.h"
#include "framework/analysis/stat_count.h"
#include "framework/analysis/timeline.h"
#include "framework/analysis/timelines.h"
#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

#define PV_STAT_JOBS 32

struct pv_stat_options {
	const struct pv_where *where;	/* NULL: all records */
	unsigned jobs;			/* number of threads, at most PV_STAT_JOBS; 0: 1 */
	bool no_match;			/* do not match requests with completions */
	bool no_regions;		/* do not count address ranges */
	unsigned region_shift;		/* address ranges have 1 << region_shift bytes; 0: 2 MiB */
	bool by_requester;		/* also make a timeline for each requester */
	const struct pv_stat_bar *bars; /* n_bars BARs, from pv_stat_bars_sort(); NULL: none */
	size_t n_bars;
};

struct pv_stat {
	uint64_t records[3];	 /* by enum pv_record_format */
	uint64_t bytes;		 /* size of all records */
	uint64_t left_out;	 /* records excluded by --where */
	uint64_t span;		 /* ticks from first to last record, of the longest stream */
	enum pv_trace_time time; /* UNKNOWN: span, latencies and the timeline are 0 and mean nothing */
	bool time_is_given;
	bool time_at_least;  /* span includes distances at full scale or after holes: the real time may be longer */
	uint64_t full_scale; /* number of distances at full scale, without the first one of each stream */
	bool long_tags;	     /* some tags have more than 10 bits; they are not matched */
	uint64_t problems, streams;
	uint64_t sizes[32][PV_STAT_LENGTHS]; /* TLPs by enum pv_tlp_kind and Length; 0: kinds without Length */
	struct pv_stat_requester requesters[1 << 16];
	struct pv_stat_devices devices;
	struct pv_timeline timeline;
	struct pv_timelines *timelines; /* by_requester only; NULL: none */
	bool has_match, has_regions;
	struct pv_match_sums match;
	struct pv_addr_histogram regions; /* sorted by size */
	bool has_bars;			  /* BARs were given */
	struct pv_stat_bars bars;	  /* those with requests, most bytes written first */
};

/* Reads the whole trace. NULL: error, see *e. Free with pv_stat_free(). */
struct pv_stat *pv_stat_run(struct pv_trace *t, const struct pv_stat_options *o, struct pv_error *e);
void pv_stat_free(struct pv_stat *s);

/* ---- derived figures ---- */
struct pv_stat_kind {
	uint64_t tlps, payload_bytes;
	uint64_t asked_bytes; /* bytes requested by reads: 4 * Length */
	unsigned max_bytes;   /* the largest Length, in bytes */
};
struct pv_stat_kind pv_stat_kind(const struct pv_stat *s, enum pv_tlp_kind k);
/* Returns the wire bytes of all defined TLPs: header, payload and framing, without prefixes, digests and DLLPs. */
uint64_t pv_stat_wire_bytes(const struct pv_stat *s);
/* Returns true if relaxed ordering is known for all records: they are 8DW, and addresses were counted. */
bool pv_stat_knows_relaxed(const struct pv_stat *s);
/* Returns true if requests were matched by their tags: no tag has more than 10 bits. */
bool pv_stat_knows_tags(const struct pv_stat *s);
/*
 * Returns the mean number of open requests of a device, from its answered ones: sum of latencies / span; -1: unknown.
 */
double pv_stat_mean_open(const struct pv_stat *s, const struct pv_stat_device *d);
/*
 * Returns the number of different tags in non-posted requests of a device: the upper limit of open requests; 0:
 * unknown.
 */
unsigned pv_stat_tags_used(const struct pv_stat *s, const struct pv_stat_device *d);
/*
 * Returns the largest number of open requests of a device at once; 0: unknown, or it has none. A request is open until
 * its last completion; without one in the trace, until its tag is used again, a hole, or the end.
 */
unsigned pv_stat_most_open(const struct pv_stat *s, const struct pv_stat_device *d);
/* Size classes of up to 4, 8, ... 4096 bytes, for requests with data, completions with data, and memory reads. */
enum pv_stat_what { PV_STAT_WRITES, PV_STAT_COMPLETIONS, PV_STAT_READS };
#define PV_STAT_SIZES 11
void pv_stat_sizes(const struct pv_stat *s, enum pv_stat_what what, uint64_t out[PV_STAT_SIZES]);
/* Return the largest size in bytes, and the number of TLPs above `limit` bytes. */
unsigned pv_stat_largest(const struct pv_stat *s, enum pv_stat_what what);
uint64_t pv_stat_above(const struct pv_stat *s, enum pv_stat_what what, unsigned limit);
/* Lists the n requesters with the most payload, then most TLPs. Returns the number of all requesters. */
size_t pv_stat_top_requesters(const struct pv_stat *s, uint16_t *out, size_t n);

#endif
