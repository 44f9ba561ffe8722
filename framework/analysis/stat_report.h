/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as text of 80 columns, as JSON, and as one HTML page with plots that needs no network. */
#ifndef PV_ANALYSIS_STAT_REPORT_H
#define PV_ANALYSIS_STAT_REPORT_H

#include <stdio.h>

#include "framework/analysis/stat.h"
#include "framework/analysis/stat_machine.h"

/* The timeline of one requester, for its plot. */
struct pv_stat_share {
	uint16_t requester;
	const struct pv_timeline *timeline;
};

struct pv_stat_report {
	const char *name;		       /* name of the trace */
	const char *where;		       /* the --where expression; NULL: none */
	unsigned top;			       /* number of requesters and ranges to list; 0: 10 */
	unsigned mps, mrrs;		       /* bytes, for comparison; 0: not given */
	double tick_hz;			       /* ticks per second; 0: unknown, then times are shown in ticks */
	const char *tick_how;		       /* source of tick_hz; NULL: "as given by --tick-hz" */
	const struct pv_stat_machine *machine; /* NULL: no dump was given */
	/* HTML page only: plots of single requesters, all on one scale, or each on its own. */
	const struct pv_stat_share *shares;
	size_t n_shares;
	bool own_scale;
};

void pv_stat_text(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_json(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);

/* Number of requesters and ranges to list: the option's value, at most PV_STAT_TOP_MAX. */
enum { PV_STAT_TOP = 10, PV_STAT_TOP_MAX = 64 };
static inline unsigned pv_stat_top(const struct pv_stat_report *r)
{
	return !r->top ? PV_STAT_TOP : r->top > PV_STAT_TOP_MAX ? PV_STAT_TOP_MAX : r->top;
}
/* Returns part / whole in percent; 0 if whole is 0. */
static inline double pv_stat_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}
/* Describes the meaning of Time and its source in one line. Returns buf. */
#define PV_STAT_TIME_TEXT 160
const char *pv_stat_time_text(const struct pv_stat *s, char *buf, size_t size);
/* Formats a time, for example "1.26 ms", from ticks and their frequency. Returns buf. */
const char *pv_stat_seconds_text(double ticks, double tick_hz, char buf[16]);
/* Formats a rate, for example "4.13 GB/s", decimal. Returns buf. */
const char *pv_stat_rate_text(double bytes_per_s, char buf[16]);
/* Returns the source of the tick's length: "as given by --tick-hz". */
static inline const char *pv_stat_tick_how(const struct pv_stat_report *r)
{
	return r->tick_how ? r->tick_how : "as given by --tick-hz";
}
/* Formats "1e+09 ticks a second, as given by --tick-hz"; "" if the length of a tick is unknown. Returns buf. */
#define PV_STAT_TICK_TEXT 192
const char *pv_stat_tick_text(const struct pv_stat *s, const struct pv_stat_report *r, char buf[PV_STAT_TICK_TEXT]);
/*
 * Computes the ticks per second from the known rate of all payload, and describes this in `how`. 0: there is no payload
 * or no time.
 */
#define PV_STAT_HOW_TEXT 128
double pv_stat_hz_of_rate(const struct pv_stat *s, double bytes_per_s, char how[PV_STAT_HOW_TEXT]);
/* Returns the mean rate of `bytes` over the span of the trace, per second; -1: the span in seconds is unknown. */
double pv_stat_per_second(const struct pv_stat *s, const struct pv_stat_report *r, uint64_t bytes);
/* Payload of posted requests and of completions in the whole trace, in bytes. */
struct pv_stat_payload {
	uint64_t posted, completions;
};
struct pv_stat_payload pv_stat_payload(const struct pv_stat *s);
/* Formats a size, for example "12.3 MB", decimal, at most 8 characters. Returns buf. */
const char *pv_stat_bytes_text(uint64_t bytes, char buf[16]);
/* Formats 1 << shift: "4 KiB", "2 MiB". Returns buf. */
const char *pv_stat_range_text(unsigned shift, char buf[16]);
static inline const char *pv_stat_bdf_text(uint16_t id, char buf[16])
{
	snprintf(buf, 16, "%02x:%02x.%x", id >> 8, id >> 3 & 0x1f, id & 7);
	return buf;
}

#endif
