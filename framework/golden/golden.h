/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden traces and counters: what a case gave once, looked at by a person, and must give again. A trace is
 * NAME.trace.zst with its provenance in NAME.json; counters are NAME.counters.json with theirs inside. Each file is
 * written aside and renamed; no dates and no host names, so that the same run gives the same bytes.
 */
#ifndef PV_GOLDEN_GOLDEN_H
#define PV_GOLDEN_GOLDEN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

#define PV_GOLDEN_FORMAT 1 /* version of the files */

/* Where a golden comes from. */
struct pv_golden_source {
	const char *plan, *case_name, *driver, *target;
	uint64_t seed;
};

/* ---- store ---- */
/* Letters, digits, '.', '-', '_', not starting with '.'; at most 100. */
bool pv_golden_name_ok(const char *name);
int pv_golden_put_trace(const char *folder, const char *name, const struct pv_golden_source *src, const void *data,
			size_t len, struct pv_error *e);
/* *data is malloc'd. -ENOENT: no such golden; -EBADMSG: it is damaged or of another version. */
int pv_golden_get_trace(const char *folder, const char *name, void **data, size_t *len, struct pv_error *e);
/* Adds or replaces one counter of NAME.counters.json. */
int pv_golden_put_counter(const char *folder, const char *name, const struct pv_golden_source *src, const char *counter,
			  uint64_t value, struct pv_error *e);
int pv_golden_get_counter(const char *folder, const char *name, const char *counter, uint64_t *value,
			  struct pv_error *e);
/* The counters of NAME.counters.json as an object {name: value}, to be put by the caller. */
int pv_golden_get_counters(const char *folder, const char *name, json_object **out, struct pv_error *e);

/* ---- compare ---- */
struct pv_golden_diff {
	uint64_t records_want, records_got, missing, extra, changed;
};
/* One line of a difference ("record 17: address: golden 0x100, now 0x140"). */
typedef void (*pv_golden_line_fn)(void *ctx, const char *line);
/*
 * Record by record and field by field; at most `max_lines` lines are told, then how many follow. A payload
 * that is no trace is compared byte by byte. Time is left out: the oracle judges it. The same records in another order
 * are told as that, and each that is not at its place counts as changed. Equal: all of missing, extra and changed are 0.
 */
void pv_golden_compare(const void *want, size_t want_len, const void *got, size_t got_len, unsigned max_lines,
		       struct pv_golden_diff *diff, pv_golden_line_fn fn, void *ctx);
bool pv_golden_same(const struct pv_golden_diff *diff);

/* ---- folders ---- */
/* Names of the goldens of a folder, sorted: calls fn(ctx, name, kind) with kind "trace" or "counters". 0 or -errno. */
int pv_golden_list(const char *folder, void (*fn)(void *ctx, const char *name, const char *kind), void *ctx);
/* Every file of the golden moves from `staging` to `folder`; all are copied aside first, then renamed. */
int pv_golden_accept(const char *staging, const char *folder, const char *name, const char *kind, struct pv_error *e);

#endif
