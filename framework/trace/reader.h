/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the trace reader: open.c (the kind of input), reader.c (blocks and records) and perfdata.c
 * (the place of payload).
 */
#ifndef PV_TRACE_READER_H
#define PV_TRACE_READER_H

#include "drivers/regs/ptt.h"
#include "framework/trace/resync.h"
#include "framework/trace/source.h"
#include "framework/trace/trace.h"

#define PV_TRACE_STREAMS_MAX 4096

struct pv_perfdata;

enum { PV_READER_HOLES_MAX = 64 }; /* further ones are joined with the last one */

/* Somewhere in this range of AUX offsets, both included, the data are not contiguous. */
struct pv_reader_hole {
	uint64_t from, to;
};

/* 8DW records whose reserved word is not 0, close together: reported as one problem. */
struct pv_reader_reserved {
	uint64_t at, file_at, last; /* offsets of the first one in payload and file; offset of the last one */
	uint64_t records;	    /* 0: none */
	uint32_t word;		    /* reserved word of the first one */
};

/* A stream, and how far the reader is in it. */
struct pv_reader_stream {
	struct pv_trace_stream pub;
	struct pv_resync footing;
	struct pv_trace_clock clock;
	uint64_t bad_at, bad_file_at; /* where the damage began that `footing` counts */
	struct pv_reader_reserved reserved;
	/* perf.data: the end of the last piece, if it ends within a record that the next piece may continue */
	uint8_t kept[PTT_RECORD_8DW_BYTES];
	size_t n_kept;
	uint64_t kept_file_at, kept_losses;
	struct pv_reader_hole holes[PV_READER_HOLES_MAX]; /* those that are not passed, in no order */
	size_t n_holes;
	uint64_t aux_end;   /* offset in the AUX area behind the last piece */
	uint64_t announced; /* the same of the AUX records */
	uint64_t changes;   /* state of the facts at the last lookup of its event */
	unsigned lookups;
	uint64_t unplaced; /* number of the reader's, when its last block was handed out */
	bool said_version;
};

struct pv_trace {
	struct pv_source in;
	struct pv_trace_options opt;
	struct pv_perfdata *perf; /* NULL: raw payload */
	struct pv_reader_stream **streams;
	size_t n_streams;
	uint64_t problems;
	uint64_t placed; /* those of them whose place is in `holes` of their stream */

	/* The piece that is being read. */
	struct pv_reader_stream *stream; /* NULL: none */
	uint64_t pieces, piece_offset, piece_bytes, left;
	bool head;			    /* no block of it was returned yet */
	bool any;			    /* block, ever */
	bool keeps;			    /* a record that its end cuts is kept for the next */
	uint64_t back, back_file_at;	    /* its first bytes were kept from another place */
	enum pv_record_format piece_format; /* option `all`: by its first word */

	/* The meaning of Time is found in the data: the data ahead, or, in a pipe, the first block. */
	bool looks_ahead, time_is_settled, time_is_given;

	void (*mark)(void *ctx, const struct pv_trace_mark *m);
	void *mark_ctx;

	/* pv_trace_next() */
	struct pv_trace_block block;
	size_t block_at;
};

/* A new stream; NULL: no memory, or too many. */
struct pv_reader_stream *pv_reader_stream_new(struct pv_trace *t);
/* Begins a piece of `bytes` payload (UINT64_MAX: to the end) at the source's place, behind what the stream kept. */
void pv_reader_begin(struct pv_trace *t, struct pv_reader_stream *s, uint64_t bytes);
/* Begins a piece of only the bytes that the stream kept: no data continue them. */
void pv_reader_begin_kept(struct pv_trace *t, struct pv_reader_stream *s);
/* Notes a hole; every record that it may touch becomes the first of a block, with after_hole. */
void pv_reader_add_hole(struct pv_reader_stream *s, struct pv_reader_hole hole);
/* The flags of PERF_RECORD_AUX that name a loss, and what to report; the end of the record's range follows. */
struct pv_reader_aux_flag {
	uint64_t flag;
	const char *what;
};
extern const struct pv_reader_aux_flag pv_reader_aux_flags[3];
/* Returns where the data of an AUX record with flags have a hole: TRUNCATED at the end of its range, else anywhere. */
struct pv_reader_hole pv_reader_aux_hole(uint64_t flags, uint64_t from, uint64_t to);
/* Counts and reports. `s` may be NULL. */
void pv_reader_problem(struct pv_trace *t, const struct pv_reader_stream *s, uint64_t offset, uint64_t file_offset,
		       uint64_t bytes, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Sets what Time of all streams counts from now on. */
void pv_reader_settle_time(struct pv_trace *t, enum pv_trace_time time, bool is_given);
/* Returns true if it must still be found in the data. */
static inline bool pv_reader_asks_for_time(const struct pv_trace *t)
{
	return !t->looks_ahead && !t->time_is_settled && !t->opt.all;
}

/* perf.data: returns true if the bytes are the begin of one. */
bool pv_perfdata_magic(const uint8_t *p, size_t n);
/* Returns the file in a folder that perf wrote; for anything else, fd itself. -errno: *e says why, and fd is closed. */
int pv_perfdata_enter(int fd, const char *name, struct pv_error *e);
int pv_perfdata_open(struct pv_trace *t, struct pv_error *e);
void pv_perfdata_close(struct pv_perfdata *p);
/* 1: a piece was begun; 0: the end; -errno. */
int pv_perfdata_next(struct pv_trace *t);

#endif
