/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as text for people (80 columns), as JSON, and as one HTML page with plots that needs no network. */
#ifndef PV_ANALYSIS_STAT_REPORT_H
#define PV_ANALYSIS_STAT_REPORT_H

#include <stdio.h>

#include "framework/analysis/stat.h"
#include "framework/analysis/stat_machine.h"

/* The timeline of one requester. */
struct pv_stat_share {
	uint16_t requester;
	const struct pv_timeline *timeline;
};

struct pv_stat_report {
	const char *name;		       /* of the trace */
	const char *where;		       /* the expression; NULL: none */
	unsigned top;			       /* requesters and ranges to list; 0: 10 */
	unsigned mps, mrrs;		       /* bytes to compare with; 0: not given */
	double tick_hz;			       /* ticks per second, as the user knows them; 0: times stay in ticks */
	const char *tick_how;		       /* how tick_hz is known; NULL: as given by --tick-hz */
	const struct pv_stat_machine *machine; /* NULL: no dump is given */
	/* The page only: plots of single requesters, all to one scale, or each to its own. */
	const struct pv_stat_share *shares;
	size_t n_shares;
	bool own_scale;
};

void pv_stat_text(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_json(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);

/* Requesters and ranges to list: as asked for, up to PV_STAT_TOP_MAX. */
enum { PV_STAT_TOP = 10, PV_STAT_TOP_MAX = 64 };
static inline unsigned pv_stat_top(const struct pv_stat_report *r)
{
	return !r->top ? PV_STAT_TOP : r->top > PV_STAT_TOP_MAX ? PV_STAT_TOP_MAX : r->top;
}
/* A part of a whole in percent; 0 of nothing is 0. */
static inline double pv_stat_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}
/* Describes in one line what Time counts and how this is known; returns buf. */
#define PV_STAT_TIME_TEXT 160
const char *pv_stat_time_text(const struct pv_stat *s, char *buf, size_t size);
/* "1.26 ms": a time in ticks, of which a second has tick_hz; returns buf. */
const char *pv_stat_seconds_text(double ticks, double tick_hz, char buf[16]);
/* "4.13 GB/s", decimal; returns buf. */
const char *pv_stat_rate_text(double bytes_per_s, char buf[16]);
/* How the length of a tick is known: "as given by --tick-hz". */
static inline const char *pv_stat_tick_how(const struct pv_stat_report *r)
{
	return r->tick_how ? r->tick_how : "as given by --tick-hz";
}
/* "1e+09 ticks a second, as given by --tick-hz"; "" where no tick was asked for. Returns buf. */
#define PV_STAT_TICK_TEXT 192
const char *pv_stat_tick_text(const struct pv_stat *s, const struct pv_stat_report *r, char buf[PV_STAT_TICK_TEXT]);
/*
 * The ticks of a second if the payload that was counted has this rate, and in `how` how that is known; 0: there is no
 * payload or no time.
 */
#define PV_STAT_HOW_TEXT 128
double pv_stat_hz_of_rate(const struct pv_stat *s, double bytes_per_s, char how[PV_STAT_HOW_TEXT]);
/* Bytes of the whole time per second; -1: it is not known how long that is. */
double pv_stat_per_second(const struct pv_stat *s, const struct pv_stat_report *r, uint64_t bytes);
/* Payload bytes of posted requests and of completions over the whole time. */
struct pv_stat_payload {
	uint64_t posted, completions;
};
struct pv_stat_payload pv_stat_payload(const struct pv_stat *s);
/* "12.3 MB", decimal, at most 8 characters; returns buf. */
const char *pv_stat_bytes_text(uint64_t bytes, char buf[16]);
/* "4 KiB", "2 MiB": 1 << shift; returns buf. */
const char *pv_stat_range_text(unsigned shift, char buf[16]);
static inline const char *pv_stat_bdf_text(uint16_t id, char buf[16])
{
	snprintf(buf, 16, "%02x:%02x.%x", id >> 8, id >> 3 & 0x1f, id & 7);
	return buf;
}

#endif
