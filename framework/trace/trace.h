/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading PTT traces: raw payload and perf.data, from a file or a pipe, of any size in constant memory.
 * Damage is stepped over and reported; what is good is handed out, record by record or in whole runs.
 *
 *	struct pv_trace *t = pv_trace_open(path, &options, &error);
 *	struct pv_trace_record r;
 *	while ((ret = pv_trace_next(t, &r)) > 0)
 *		...
 *	problems = pv_trace_problems(t);
 *	pv_trace_close(t);
 */
#ifndef PV_TRACE_TRACE_H
#define PV_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/trace/record.h"
#include "framework/util/error.h"

struct pv_trace;

enum pv_trace_direction { PV_TRACE_UNKNOWN, PV_TRACE_INBOUND, PV_TRACE_OUTBOUND };

/* One source of records: a raw file, or one AUX buffer (PMU and CPU) of a perf.data. Lives as long as the reader. */
struct pv_trace_stream {
	unsigned index;		      /* 0.. in order of appearance */
	enum pv_record_format format; /* of its last run of good records; UNKNOWN: none yet */
	bool has_config;	      /* perf.data: the event was found, and the members down to `config` are known */
	unsigned direction, type;     /* PTT_DIR_*, PTT_TYPE_* */
	uint32_t filter;	      /* 20 bits, as the ABI has it */
	enum pv_record_format asked;  /* the format that the event asked for */
	uint64_t config;
	uint32_t pmu_type;     /* 0: not known */
	char pmu[32];	       /* "hisi_ptt0_2"; empty: not known */
	int64_t cpu, tid, idx; /* of its AUX buffer; -1: none */
	uint64_t bytes;	       /* payload seen so far, good or not */
	uint64_t aux_shift; /* perf.data: from an offset in the payload to that in the AUX area, of the present piece */
};

/* What the session's parameters say about every record of a stream; UNKNOWN where both directions are traced. */
enum pv_trace_direction pv_trace_stream_direction(const struct pv_trace_stream *s, enum pv_record_format f);
const char *pv_trace_direction_name(enum pv_trace_direction d); /* "inbound", "outbound"; NULL: unknown */

/*
 * A piece of payload, in place. With all = false, `records` good records of one format, one behind the other
 * (decode them with pv_record_decode(), which cannot fail on them). With all = true, all bytes as they are.
 */
struct pv_trace_block {
	const struct pv_trace_stream *stream;
	enum pv_record_format format;
	const uint8_t *data; /* until the next call with the same reader */
	size_t bytes, records;
	uint64_t offset;      /* of data in the stream's payload */
	uint64_t file_offset; /* of data in the input; for a pipe, bytes since its begin */
	/* The piece of payload that this is from: one AUXTRACE record, or all of a raw file. */
	uint64_t piece;	       /* 0.. : changes from piece to piece */
	uint64_t piece_offset; /* of data in its piece */
	uint64_t piece_bytes;  /* UINT64_MAX: not known (a raw payload from a pipe) */
	bool head;	       /* the first block of its piece */
	bool joined;	       /* its record begins in the piece before; file_offset is there */
};

/* Something wrong with the input. */
struct pv_trace_problem {
	const struct pv_trace_stream *stream; /* NULL: not in a payload */
	uint64_t offset;		      /* in the stream's payload */
	uint64_t file_offset;
	uint64_t bytes;	  /* how many are unusable or missing; 0: not a matter of bytes */
	const char *what; /* "bad record mark", ...: one line, until the callback returns */
};

struct pv_trace_options {
	void (*problem)(void *ctx, const struct pv_trace_problem *p); /* NULL: only counted */
	void *ctx;
	/* Blocks hold all payload, unchecked; format is what the piece begins with. Not for pv_trace_next(). */
	bool all;
	bool sized; /* copy a raw payload from a pipe to a temporary file: piece_bytes is known */
};

/*
 * "-" is standard input. NULL: *e says why, with the negative errno of opening or reading, or -EBADMSG: the header of
 * a perf.data that is none. The options are copied; NULL: the defaults. A reader is for one thread at a time; several
 * readers have nothing in common.
 */
struct pv_trace *pv_trace_open(const char *path, const struct pv_trace_options *o, struct pv_error *e);
/* The same of an open file, pipe or socket, which is closed with the reader; `name` is for messages. */
struct pv_trace *pv_trace_open_fd(int fd, const char *name, const struct pv_trace_options *o, struct pv_error *e);
/* A raw payload or perf.data in memory, which stays the caller's. */
struct pv_trace *pv_trace_open_memory(const void *data, size_t n, const struct pv_trace_options *o);
void pv_trace_close(struct pv_trace *t);

/* Is the input a perf.data (or a raw payload)? Known after open. */
bool pv_trace_is_perfdata(const struct pv_trace *t);
/* Streams found so far. */
size_t pv_trace_streams(const struct pv_trace *t);
const struct pv_trace_stream *pv_trace_stream(const struct pv_trace *t, size_t i);
/* Problems found so far. */
uint64_t pv_trace_problems(const struct pv_trace *t);

/* What a perf.data itself says was lost, for those who pass it on; each is a problem too. */
enum pv_trace_mark_kind { PV_TRACE_AUX_FLAGS, PV_TRACE_LOST, PV_TRACE_LOST_SAMPLES };
struct pv_trace_mark {
	enum pv_trace_mark_kind kind;
	const struct pv_trace_stream *stream; /* AUX_FLAGS; NULL: whose is not known */
	uint64_t from, to, flags;	      /* AUX_FLAGS: stretch of AUX offsets, and PERF_AUX_FLAG_* of it */
	uint64_t lost;			      /* the others: how many */
};
/* Has `mark` called when the reader meets one, which may be before the data that it is about. */
void pv_trace_on_mark(struct pv_trace *t, void (*mark)(void *ctx, const struct pv_trace_mark *m), void *ctx);

/* 1: *b is the next block (256 KiB at most); 0: the end; negative errno: the input cannot be read on. */
int pv_trace_next_block(struct pv_trace *t, struct pv_trace_block *b);

/*
 * Time of a stream as a count that never goes back: the raw one (11 or 32 bits) wraps, and a pause of a whole wrap or
 * more is not seen. The unit is a tick of the PTT, whose length and epoch the hardware does not document.
 */
struct pv_trace_clock {
	uint64_t now;
	bool started;
};

static inline uint64_t pv_trace_clock_at(struct pv_trace_clock *c, enum pv_record_format f, uint32_t raw)
{
	uint64_t wrap = f == PV_RECORD_8DW ? (uint64_t)1 << 32 : 1 << 11;

	c->now = c->started ? c->now + ((raw - c->now) & (wrap - 1)) : raw;
	c->started = true;
	return c->now;
}

/* The raw time of a good record in a block. */
uint32_t pv_trace_raw_time(enum pv_record_format f, const uint8_t *record);

struct pv_trace_record {
	struct pv_record record; /* offset: in the stream's payload */
	const struct pv_trace_stream *stream;
	enum pv_trace_direction direction;
	uint64_t time;	      /* unwrapped, for each stream alone; in ticks */
	uint64_t file_offset; /* of its first byte in the input */
};

/*
 * 1: *r is the next good record, a copy that stays (its stream lives as long as the reader); 0: the end; negative errno
 * as pv_trace_next_block(). Do not mix the two.
 */
int pv_trace_next(struct pv_trace *t, struct pv_trace_record *r);

#endif
