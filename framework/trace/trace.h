/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads PTT traces of any size in constant memory: raw payload or perf.data, from a file or a pipe.
 * Damage is skipped and reported; good records are returned one by one or in whole runs.
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

#include "drivers/regs/ptt.h"
#include "framework/trace/record.h"
#include "framework/util/error.h"

struct pv_trace;

/*
 * The quantity that Time counts. No published document states it; the data may show it (time_kind.h). UNKNOWN: nothing
 * is computed from Time.
 */
enum pv_trace_time { PV_TRACE_TIME_UNKNOWN, PV_TRACE_TIME_CLOCK, PV_TRACE_TIME_DISTANCE };
const char *pv_trace_time_name(enum pv_trace_time t); /* "unknown", "clock", "distance" */
/* Returns the number of a name; -EINVAL. */
int pv_trace_time_by_name(const char *name);

enum pv_trace_direction { PV_TRACE_UNKNOWN, PV_TRACE_INBOUND, PV_TRACE_OUTBOUND };

/*
 * One source of records: a raw file, or one AUX buffer (PMU and CPU) of a perf.data. Valid until the reader is closed.
 */
struct pv_trace_stream {
	unsigned index;		      /* 0.. in order of appearance */
	enum pv_record_format format; /* format of its last run of good records; UNKNOWN: none so far */
	enum pv_trace_time time;      /* meaning of Time, the same for all streams of a trace */
	bool time_is_given;	      /* `time` comes from the options, not from the data */
	uint8_t pattern;	      /* data pattern: 0 or 1 (record.h) */
	bool has_config;	      /* perf.data: the event was found; the members up to `config` are valid */
	unsigned direction, type;     /* PTT_DIR_*, PTT_TYPE_* */
	uint32_t filter;	      /* 20 bits, as in the ABI */
	enum pv_record_format asked;  /* the format requested by the event */
	uint64_t config;
	uint32_t pmu_type;     /* 0: not known */
	char pmu[32];	       /* "hisi_ptt0_2"; empty: not known */
	int64_t cpu, tid, idx; /* those of its AUX buffer; -1: none */
	uint64_t bytes;	       /* payload seen so far, good or not */
	uint64_t aux_shift;    /* perf.data: AUX area offset minus payload offset, in the current piece */
};

/* Direction of every record of a stream, from the session's parameters; UNKNOWN if both are traced. */
enum pv_trace_direction pv_trace_stream_direction(const struct pv_trace_stream *s, enum pv_record_format f);
const char *pv_trace_direction_name(enum pv_trace_direction d); /* "inbound", "outbound"; NULL: unknown */

/*
 * A piece of payload, in place. With all = false, `records` consecutive good records of one format; pv_record_decode()
 * cannot fail on them. With all = true, all bytes, unchecked.
 */
struct pv_trace_block {
	const struct pv_trace_stream *stream;
	enum pv_record_format format;
	const uint8_t *data; /* valid until the next call with the same reader */
	size_t bytes, records;
	uint64_t offset;      /* of data in the stream's payload */
	uint64_t file_offset; /* of data in the input; pipe: bytes since its start */
	/* The piece of payload that contains it: one AUXTRACE record, or the whole raw file. */
	uint64_t piece;	       /* index, 0.. */
	uint64_t piece_offset; /* of data in its piece */
	uint64_t piece_bytes;  /* UINT64_MAX: unknown (a raw payload from a pipe) */
	bool head;	       /* the first block of its piece */
	bool joined;	       /* its record begins in the previous piece, where file_offset points */
	bool after_hole;       /* records may be missing before it, in this stream */
};

/* A problem with the input. */
struct pv_trace_problem {
	const struct pv_trace_stream *stream; /* NULL: not in a payload */
	uint64_t offset;		      /* in the stream's payload */
	uint64_t file_offset;
	uint64_t bytes;	  /* unusable or missing bytes; 0: does not apply */
	const char *what; /* "bad record mark", ...: one line, valid during the callback */
};

struct pv_trace_options {
	void (*problem)(void *ctx, const struct pv_trace_problem *p); /* NULL: only counted */
	void *ctx;
	/* Blocks hold all payload, unchecked; format is detected at the start of the piece. Not for pv_trace_next(). */
	bool all;
	enum pv_trace_time time; /* UNKNOWN: detected */
	bool no_time;		 /* not detected: it stays unknown */
	int pattern;		 /* 1 more than the data pattern; 0: as the input says, which is 0 of a raw payload */
	bool sized;		 /* copy a raw payload from a pipe to a temporary file, so that piece_bytes is known */
};

/*
 * Opens a trace; "-" is standard input. Returns NULL with *e filled: the errno of open or read, or -EBADMSG for a
 * broken perf.data header. The options are copied; NULL: the defaults. A reader is for one thread at a time; readers
 * share no state.
 */
struct pv_trace *pv_trace_open(const char *path, const struct pv_trace_options *o, struct pv_error *e);
/* The same for an open file, pipe or socket, which is closed with the reader; `name` is for messages. */
struct pv_trace *pv_trace_open_fd(int fd, const char *name, const struct pv_trace_options *o, struct pv_error *e);
/* The same for a raw payload or perf.data in memory, which the caller owns. */
struct pv_trace *pv_trace_open_memory(const void *data, size_t n, const struct pv_trace_options *o);
void pv_trace_close(struct pv_trace *t);

/* Returns true for a perf.data, false for a raw payload. */
bool pv_trace_is_perfdata(const struct pv_trace *t);
/* Streams found so far. */
size_t pv_trace_streams(const struct pv_trace *t);
const struct pv_trace_stream *pv_trace_stream(const struct pv_trace *t, size_t i);
/* Sets what Time counts, as the option does, before the first record is read. UNKNOWN: no times. */
void pv_trace_set_time(struct pv_trace *t, enum pv_trace_time time);
/* Problems found so far. */
uint64_t pv_trace_problems(const struct pv_trace *t);

/* Losses recorded in a perf.data, for tools that pass them on. Each is also reported as a problem. */
enum pv_trace_mark_kind { PV_TRACE_AUX_FLAGS, PV_TRACE_LOST, PV_TRACE_LOST_SAMPLES };
struct pv_trace_mark {
	enum pv_trace_mark_kind kind;
	const struct pv_trace_stream *stream; /* AUX_FLAGS; NULL: unknown */
	uint64_t from, to, flags;	      /* AUX_FLAGS: range of AUX offsets, and its PERF_AUX_FLAG_* */
	uint64_t lost;			      /* the others: number of records */
};
/* Registers a callback for marks. It may run before the data that the mark refers to. */
void pv_trace_on_mark(struct pv_trace *t, void (*mark)(void *ctx, const struct pv_trace_mark *m), void *ctx);

/* 1: *b is the next block (at most 256 KiB); 0: the end; negative errno: the input cannot be read further. */
int pv_trace_next_block(struct pv_trace *t, struct pv_trace_block *b);

/*
 * The time of a stream's records as a count that never decreases: a clock (11 or 32 bits) unwrapped, distances added up
 * from 0 at the first record. Unknown: always 0. A clock's pause of a whole wrap or more goes undetected; a distance at
 * full scale is a lower bound, and so is every later sum, as after a hole. The unit is a tick of the PTT, whose length
 * and epoch are undocumented.
 */
struct pv_trace_clock {
	uint64_t now;
	bool started;
	bool at_least; /* distances */
};

static inline uint64_t pv_trace_clock_at(struct pv_trace_clock *c, enum pv_trace_time is, enum pv_record_format f,
					 uint32_t raw)
{
	uint32_t most = f == PV_RECORD_8DW ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;

	if (is == PV_TRACE_TIME_CLOCK) {
		c->now = c->started ? c->now + ((raw - c->now) & most) : raw;
	} else if (is == PV_TRACE_TIME_DISTANCE && c->started) {
		c->now += raw;
		c->at_least |= raw == most;
	}
	c->started = true;
	return c->now;
}

/* Before the first record of a block. */
static inline void pv_trace_clock_enter(struct pv_trace_clock *c, const struct pv_trace_block *b)
{
	c->at_least |= b->after_hole && c->started && b->stream->time == PV_TRACE_TIME_DISTANCE;
}

/* An array with an element for each stream of a trace, which grows when streams appear. */
struct pv_per_stream {
	size_t size; /* of an element: set it; the rest begins as 0 */
	void *of;    /* the elements; free() it */
	size_t n;
};

/* The element of a stream, all zero when it is new; until the next call. NULL: no memory. */
void *pv_per_stream(struct pv_per_stream *p, unsigned index);

/* The raw time of a good record in a block. */
static inline uint32_t pv_trace_raw_time(enum pv_record_format f, const uint8_t *record)
{
	const uint8_t *p = f == PV_RECORD_8DW ? record + 28 : record;
	uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return f == PV_RECORD_8DW ? word : word & PTT_RECORD_4DW_TIME_MASK;
}

struct pv_trace_record {
	struct pv_record record; /* offset: in the stream's payload */
	const struct pv_trace_stream *stream;
	enum pv_trace_direction direction;
	uint64_t time;	      /* per stream, in ticks: struct pv_trace_clock; 0: stream->time is unknown */
	bool time_at_least;   /* it may be more */
	uint64_t file_offset; /* of its first byte in the input */
};

/*
 * 1: *r is a copy of the next good record (its stream is valid until the reader is closed); 0: the end; negative errno
 * as pv_trace_next_block(). Do not mix the two functions.
 */
int pv_trace_next(struct pv_trace *t, struct pv_trace_record *r);

/* Decodes a good record of a block: pv_record_decode(), and what the data pattern adds. */
static inline void pv_trace_decode_record(const struct pv_trace_stream *s, enum pv_record_format f, const uint8_t *data,
					  uint64_t offset, struct pv_record *out)
{
	pv_record_decode(f, data, offset, out);
	if (__builtin_expect(s->pattern, 0))
		pv_record_read_extra(out);
}

#endif
