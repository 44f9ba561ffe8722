/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden traces and counters: reviewed results of a case that later runs must reproduce. A trace is NAME.trace.zst with
 * its provenance in NAME.json; counters and their provenance are in NAME.counters.json. Files are replaced atomically.
 * They contain no dates and host names, so that the same run gives the same bytes.
 */
#ifndef PV_GOLDEN_GOLDEN_H
#define PV_GOLDEN_GOLDEN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

#define PV_GOLDEN_FORMAT 1 /* version of the file format */

/* Provenance of a golden. */
struct pv_golden_source {
	const char *plan, *case_name, *driver, *target;
	uint64_t seed;
};

/* ---- store ---- */
/* Names of goldens: letters, digits, '.', '-', '_', not starting with '.'; at most 100 bytes. Others are -EINVAL. */
int pv_golden_put_trace(const char *folder, const char *name, const struct pv_golden_source *src, const void *data,
			size_t len, struct pv_error *e);
/* Allocates *data. -ENOENT: no such golden; -EBADMSG: damaged, or another version. */
int pv_golden_get_trace(const char *folder, const char *name, void **data, size_t *len, struct pv_error *e);
/* Adds or replaces one counter of NAME.counters.json. */
int pv_golden_put_counter(const char *folder, const char *name, const struct pv_golden_source *src, const char *counter,
			  uint64_t value, struct pv_error *e);
int pv_golden_get_counter(const char *folder, const char *name, const char *counter, uint64_t *value,
			  struct pv_error *e);
/*
 * Adds or replaces a baseline: a counter with a tolerance, as a share, for later values. The throughput of a board
 * varies from run to run.
 */
int pv_golden_put_baseline(const char *folder, const char *name, const struct pv_golden_source *src,
			   const char *measure, uint64_t value, double tolerance, struct pv_error *e);
/* Returns the tolerance of a counter; 0: later values must be equal. */
double pv_golden_tolerance(const char *folder, const char *name, const char *counter);
/* Returns true if `now` differs from `golden` by at most the tolerance. */
bool pv_golden_is_near(uint64_t golden, uint64_t now, double tolerance);

/*
 * The same for a staging folder, in which the cases of a run record at the same time. -EEXIST: another case, or another
 * check of this one, has recorded other contents under this name; *e names both. The same contents are fine.
 */
int pv_golden_stage_trace(const char *folder, const char *name, const struct pv_golden_source *src, const void *data,
			  size_t len, struct pv_error *e);
int pv_golden_stage_counter(const char *folder, const char *name, const struct pv_golden_source *src,
			    const char *counter, uint64_t value, struct pv_error *e);
int pv_golden_stage_baseline(const char *folder, const char *name, const struct pv_golden_source *src,
			     const char *measure, uint64_t value, double tolerance, struct pv_error *e);

/* Returns the counters of NAME.counters.json as an object {name: value}. The caller puts it. */
int pv_golden_get_counters(const char *folder, const char *name, json_object **out, struct pv_error *e);

/* ---- compare ---- */
struct pv_golden_diff {
	uint64_t records_want, records_got, missing, extra, changed;
};
/* Receives one line of a difference ("record 17: address: golden 0x100, now 0x140"). */
typedef void (*pv_golden_line_fn)(void *ctx, const char *line);
/*
 * Compares record by record and field by field. Reports at most `max_lines` lines, then the number of lines left out.
 * Payload that is not a trace is compared byte by byte. Time is ignored: the oracle checks it. The same records in
 * another order are reported as such; each one out of place counts as changed. The traces are equal if missing, extra
 * and changed are all 0.
 */
void pv_golden_compare(const void *want, size_t want_len, const void *got, size_t got_len, unsigned max_lines,
		       struct pv_golden_diff *diff, pv_golden_line_fn fn, void *ctx);
bool pv_golden_same(const struct pv_golden_diff *diff);

/* ---- folders ---- */
/* Calls fn(ctx, name, kind) for the goldens of a folder, sorted; kind is "trace" or "counters". 0 or -errno. */
int pv_golden_list(const char *folder, void (*fn)(void *ctx, const char *name, const char *kind), void *ctx);
/* Moves all files of the golden from `staging` to `folder`: first makes synced copies, then renames them. */
int pv_golden_accept(const char *staging, const char *folder, const char *name, const char *kind, struct pv_error *e);
/*
 * The same after a run of some cases: counters and tolerances that it did not record stay, since other cases may keep
 * theirs under the same name.
 */
int pv_golden_accept_part(const char *staging, const char *folder, const char *name, const char *kind,
			  struct pv_error *e);

#endif
