/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what Time counts by its rises and falls: see time_kind.h. */
#include "framework/trace/time_kind.h"

#include <errno.h>
#include <string.h>

#include "framework/trace/header_check.h"
#include "framework/util/cleanup.h"

enum {
	FEW_8DW = 8,	  /* fewer pairs are no evidence */
	FEW_4DW = 32,	  /* the same, if values are used, too */
	FEW_SPREAD = 128, /* the same, to judge the spread of values */
	EIGHTH = 256,	  /* of the values of 4DW */
	RARELY = 8,	  /* a dense clock falls at most once in this many rises */
	BALANCE = 4,	  /* rises and falls of distances differ at most by this factor */
};

static const char *const names[] = {
	[PV_TRACE_TIME_UNKNOWN] = "unknown", [PV_TRACE_TIME_CLOCK] = "clock", [PV_TRACE_TIME_DISTANCE] = "distance"};

const char *pv_trace_time_name(enum pv_trace_time t)
{
	return names[t];
}

int pv_trace_time_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -EINVAL;
}

void pv_time_learn(struct pv_time_evidence *e, enum pv_record_format f, const uint8_t *data, size_t records)
{
	uint32_t before = 0;

	for (size_t i = 0; i < records; i++) {
		uint32_t raw = pv_trace_raw_time(f, data + i * pv_record_bytes(f));

		e->up += i && raw > before;
		e->down += i && raw < before;
		e->low += raw < EIGHTH;
		e->high += raw / EIGHTH == 7;
		e->full += raw == PTT_RECORD_4DW_TIME_MASK;
		before = raw;
	}
	e->records += records;
}

static bool is_balanced(const struct pv_time_evidence *e)
{
	return e->down * BALANCE >= e->up && e->up * BALANCE >= e->down;
}

/* Three quarters of the values are small, or at full scale, where a clock hardly ever is. */
static bool is_near_zero(const struct pv_time_evidence *e)
{
	return (e->low + e->full) * 4 >= e->records * 3;
}

/*
 * If the records of a clock are sparse, each eighth of the range has an eighth of the values.
 */
static bool is_spread(const struct pv_time_evidence *e)
{
	return e->records > FEW_SPREAD && e->low * 16 >= e->records && e->low * 4 <= e->records &&
	       e->high * 16 >= e->records && e->high * 4 <= e->records && e->full * 64 <= e->records;
}

static enum pv_trace_time time_of_4dw(const struct pv_time_evidence *e)
{
	if (e->up + e->down < FEW_4DW)
		return PV_TRACE_TIME_UNKNOWN;
	if (e->down * RARELY <= e->up || is_spread(e))
		return PV_TRACE_TIME_CLOCK;
	return is_balanced(e) && is_near_zero(e) ? PV_TRACE_TIME_DISTANCE : PV_TRACE_TIME_UNKNOWN;
}

static enum pv_trace_time time_of_8dw(const struct pv_time_evidence *e)
{
	if (e->up + e->down < FEW_8DW)
		return PV_TRACE_TIME_UNKNOWN;
	if (e->down * RARELY <= e->up)
		return PV_TRACE_TIME_CLOCK;
	return is_balanced(e) ? PV_TRACE_TIME_DISTANCE : PV_TRACE_TIME_UNKNOWN;
}

static enum pv_trace_time time_of(const struct pv_time_evidence *e, enum pv_record_format f)
{
	return f == PV_RECORD_8DW ? time_of_8dw(e) : time_of_4dw(e);
}

enum pv_trace_time pv_time_of_both(const struct pv_time_evidence e[3])
{
	enum pv_trace_time short_time = time_of(&e[PV_RECORD_4DW], PV_RECORD_4DW);
	enum pv_trace_time long_time = time_of(&e[PV_RECORD_8DW], PV_RECORD_8DW);

	if (!short_time || !long_time)
		return short_time ? short_time : long_time;
	return short_time == long_time ? long_time : PV_TRACE_TIME_UNKNOWN;
}
