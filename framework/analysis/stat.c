/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a trace. Each thread takes a piece of the trace under a lock (with its times, which depend on all
 * earlier records), adds it to its own sums without the lock, and joins requests that cross its borders, in order.
 */
#include "framework/analysis/stat.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"
#include "framework/util/cleanup.h"

#define DEFAULT_SHIFT	21
#define STREAMS_MATCHED 16

/* The clock of a stream, and its requests. */
struct stream_clock {
	struct pv_trace_clock clock;
	uint64_t origin;
	struct pv_match *match;
};

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t turn_came;
	struct pv_trace *trace;
	const struct pv_stat_options *opt;
	struct pv_trace_block block; /* the part of the current block that is not taken yet */
	uint64_t taken, turn;	     /* number of pieces taken; number of the piece to join next */
	struct pv_per_stream clocks; /* struct stream_clock */
	unsigned n_matched;
	struct pv_match_sums joined;
	struct pv_latencies joined_latencies;
	struct pv_timeline joined_time;
	uint64_t span, full_scale;
	bool at_least;
	int error;
	bool end;
};

struct worker {
	struct shared *s;
	struct pv_stat_counts *counts;
	struct pv_match_chunk *piece;
	struct pv_match_sums match;
	struct pv_latencies latencies;
	struct pv_addr_histogram *regions;
	struct pv_timelines *timelines;
	struct pv_stat_bars bars;
	uint64_t left_out;
	bool long_tags, copies;
	uint8_t *copy;
	uint64_t time[PV_MATCH_PIECE];
	pthread_t thread;
};

struct piece {
	uint64_t number;
	enum pv_record_format format;
	struct pv_trace_stream stream; /* as it was at the block: an event behind it can change it */
	const uint8_t *data;
	size_t n;
	uint64_t offset;
	struct stream_clock *clock; /* use with the lock held only */
	uint64_t origin;
	size_t exact; /* number of its first records whose time is not a lower bound */
	struct pv_match *match;
	bool after_hole; /* records may be missing before it, so a tag may have been reused there */
	bool long_tags;	 /* some tags have more than 10 bits */
};

/* ---- taking a piece ---- */

static struct pv_match *match_of(struct shared *s, struct stream_clock *c)
{
	if (!c->match && !s->opt->no_match && s->n_matched < STREAMS_MATCHED) {
		c->match = pv_match_new();
		s->n_matched += !!c->match;
		if (c->match)
			pv_match_latencies(c->match, &s->joined_latencies);
	}
	return c->match;
}

/* Unwraps the times of n records, like pv_trace_clock_at(), in a loop without branches. */
static inline __attribute__((always_inline)) void fill_times(struct stream_clock *c, bool is_8dw, const uint8_t *p,
							     size_t n, uint64_t *time)
{
	const uint32_t mask = is_8dw ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;
	uint64_t now = c->clock.now - c->origin;
	uint32_t before = (uint32_t)c->clock.now;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint32_t raw = is_8dw ? pv_le32(p + 32 * i + 28) : pv_le32(p + 16 * i);

		now += (raw - before) & mask;
		time[i] = now;
		before = raw;
	}
	c->clock.now = now + c->origin;
}

/* Adds up the distances of n records. Returns the number of distances at full scale. */
static inline __attribute__((always_inline)) uint64_t add_distances(uint64_t now, bool is_8dw, const uint8_t *p,
								    size_t n, uint64_t *time)
{
	const uint32_t mask = is_8dw ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;
	uint64_t full = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t raw = (is_8dw ? pv_le32(p + 32 * i + 28) : pv_le32(p + 16 * i)) & mask;

		now += raw;
		time[i] = now;
		full += raw == mask;
	}
	return full;
}

/* Returns the index of the first record from `first` on whose distance is at full scale; n: there is none. */
static size_t first_at_full_scale(const struct piece *p, size_t first)
{
	const uint32_t most = p->format == PV_RECORD_8DW ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;
	size_t i = first;

	while (i < p->n && pv_trace_raw_time(p->format, p->data + i * pv_record_bytes(p->format)) != most)
		i++;
	return i;
}

/* The first distance of a stream is ignored: it counts from a TLP outside the trace. */
static void fill_distances(struct shared *s, struct stream_clock *c, struct piece *p, uint64_t *time)
{
	size_t size = pv_record_bytes(p->format), first = !c->clock.started;
	const uint8_t *data = p->data + first * size;
	uint64_t full;

	time[0] = 0;
	if (p->format == PV_RECORD_8DW)
		full = add_distances(c->clock.now, true, data, p->n - first, time + first);
	else
		full = add_distances(c->clock.now, false, data, p->n - first, time + first);
	c->clock.started = true;
	p->exact = c->clock.at_least ? 0 : full ? first_at_full_scale(p, first) : p->n;
	c->clock.at_least |= full;
	c->clock.now = time[p->n - 1];
	s->full_scale += full;
}

static void fill_clock(struct stream_clock *c, const struct piece *p, uint64_t *time)
{
	if (!c->clock.started)
		c->origin = pv_trace_clock_at(&c->clock, PV_TRACE_TIME_CLOCK, p->format,
					      pv_trace_raw_time(p->format, p->data));
	if (p->format == PV_RECORD_8DW)
		fill_times(c, true, p->data, p->n, time);
	else
		fill_times(c, false, p->data, p->n, time);
}

/* Marks the time of a hole as lost. `before`: time of the last record before it. */
static void mark_hole(struct shared *s, const struct piece *p, uint64_t before, uint64_t after)
{
	if (p->stream.time)
		pv_timeline_lost(&s->joined_time, before, after);
}

static void take_times(struct shared *s, struct piece *p, const struct pv_trace_block *b, uint64_t *time)
{
	struct stream_clock *c = p->clock;
	uint64_t before = c->clock.now - c->origin;
	bool is_hole = p->after_hole && c->clock.started;

	if (p->after_hole)
		pv_trace_clock_enter(&c->clock, b);
	switch (p->stream.time) {
	case PV_TRACE_TIME_CLOCK:
		fill_clock(c, p, time);
		break;
	case PV_TRACE_TIME_DISTANCE:
		fill_distances(s, c, p, time);
		break;
	default:
		memset(time, 0, p->n * sizeof(*time));
	}
	if (is_hole)
		mark_hole(s, p, before, time[0]);
	if (time[p->n - 1] > s->span)
		s->span = time[p->n - 1];
	s->at_least |= c->clock.at_least;
}

static bool next_block(struct shared *s)
{
	int r = s->end ? 0 : pv_trace_next_block(s->trace, &s->block);

	if (r > 0)
		return true;
	s->end = true;
	s->error = s->error ? s->error : r;
	return false;
}

/* Takes the next piece, with its times in w->time. Returns false at the end. Call with the lock held. */
static bool take_piece(struct worker *w, struct piece *p)
{
	struct shared *s = w->s;
	struct pv_trace_block *b = &s->block;
	size_t size;

	while (!b->records)
		if (!next_block(s))
			return false;
	size = pv_record_bytes(b->format);
	*p = (struct piece){.number = s->taken,
			    .format = b->format,
			    .stream = *b->stream,
			    .data = b->data,
			    .n = b->records < PV_MATCH_PIECE ? b->records : PV_MATCH_PIECE,
			    .offset = b->offset};
	p->clock = pv_per_stream(&s->clocks, b->stream->index);
	if (!p->clock) {
		s->end = true;
		s->error = -ENOMEM;
		b->records = 0;
		return false;
	}
	s->taken++;
	p->match = match_of(s, p->clock);
	p->after_hole = b->after_hole;
	p->exact = p->n;
	take_times(s, p, b, w->time);
	b->after_hole = false;
	p->origin = p->clock->origin;
	if (w->copies || p->stream.pattern) {
		memcpy(w->copy, p->data, p->n * size);
		p->data = w->copy;
	}
	b->data += p->n * size;
	b->offset += p->n * size;
	b->records -= p->n;
	return true;
}

/* ---- working on a piece ---- */

/* Moves the selected records, and their times, to the front. */
static void choose(struct worker *w, struct piece *p)
{
	struct pv_trace_record r = {.stream = &p->stream,
				    .direction = pv_trace_stream_direction(&p->stream, p->format)};
	size_t size = pv_record_bytes(p->format), kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		pv_trace_decode_record(&p->stream, p->format, p->data + i * size, p->offset + i * size, &r.record);
		r.time = w->time[i] + p->origin;
		r.time_at_least = i >= p->exact;
		if (!pv_where_match(w->s->opt->where, &r))
			continue;
		if (kept != i)
			memcpy(w->copy + kept * size, w->copy + i * size, size);
		w->time[kept++] = w->time[i];
	}
	w->left_out += p->n - kept;
	p->n = kept;
}

/*
 * Converts headers of data pattern 1 to pattern 0, in the copy, as the sums expect. Tags of more than 10 bits are not
 * matched: a piece that contains one counts as a hole.
 */
static void make_plain(struct worker *w, struct piece *p)
{
	size_t size = pv_record_bytes(p->format), header = p->format == PV_RECORD_8DW ? 8 : 0;
	struct pv_record r;

	for (size_t i = 0; i < p->n; i++) {
		uint8_t *at = w->copy + i * size;

		pv_trace_decode_record(&p->stream, p->format, at, 0, &r);
		p->long_tags |= r.tlp.tag >= 1024;
		if (r.has_extra && pv_tlp_kinds[r.tlp.kind].has_address && pv_tlp_kinds[r.tlp.kind].four_dw)
			memset(at + header + 10, 0, 2); /* DW2 [31:16] */
	}
}

static void work_on(struct worker *w, struct piece *p)
{
	if (__builtin_expect(p->stream.pattern, 0))
		make_plain(w, p);
	pv_stat_count(w->counts, p->format, p->data, p->n, w->time);
	if (w->regions)
		pv_stat_count_addresses(w->counts, w->regions, p->format, p->data, p->n);
	if (w->timelines)
		pv_timelines_count(w->timelines, p->format, p->data, p->n, w->time);
	pv_stat_bars_count(&w->bars, p->format, p->data, p->n);
	w->long_tags |= p->long_tags;
	if (p->match && !p->long_tags)
		pv_match_chunk_run(w->piece, p->format, p->data, p->n, w->time, &w->match, &w->counts->timeline);
}

/*
 * Joins a piece. Waits for its turn: pieces are joined in the order in which they were taken. Call with the lock held.
 */
static void join_piece(struct worker *w, const struct piece *p)
{
	struct shared *s = w->s;

	while (s->turn != p->number)
		pthread_cond_wait(&s->turn_came, &s->lock);
	if (p->match && (p->after_hole || p->long_tags))
		pv_match_end(p->match, &s->joined);
	if (p->match && !p->long_tags)
		pv_match_join(p->match, w->piece, &s->joined, &s->joined_time);
	s->turn++;
	pthread_cond_broadcast(&s->turn_came);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->s;
	struct piece p;

	pthread_mutex_lock(&s->lock);
	while (take_piece(w, &p)) {
		pthread_mutex_unlock(&s->lock);
		if (!pv_where_is_all(s->opt->where))
			choose(w, &p);
		work_on(w, &p);
		pthread_mutex_lock(&s->lock);
		join_piece(w, &p);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- workers ---- */

static void worker_free(struct worker *w)
{
	if (!w)
		return;
	pv_stat_counts_free(w->counts);
	pv_match_chunk_free(w->piece);
	free(w->regions);
	pv_timelines_free(w->timelines);
	pv_stat_bars_free(&w->bars);
	free(w->copy);
	free(w);
}

static struct worker *worker_new(struct shared *s, bool copies)
{
	const struct pv_stat_options *o = s->opt;
	struct worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s = s;
	w->counts = pv_stat_counts_new();
	w->piece = pv_match_chunk_new();
	w->regions = o->no_regions ? NULL : calloc(1, sizeof(*w->regions));
	w->timelines = o->by_requester ? calloc(1, sizeof(*w->timelines)) : NULL;
	w->copies = copies;
	w->copy = malloc(PV_MATCH_PIECE * 32); /* pages get memory only when they are written */
	if (!w->counts || !w->piece || (!o->no_regions && !w->regions) || (o->by_requester && !w->timelines) ||
	    !w->copy || pv_stat_bars_init(&w->bars, o->bars, o->n_bars)) {
		worker_free(w);
		return NULL;
	}
	pv_match_chunk_latencies(w->piece, &w->latencies);
	if (w->regions)
		pv_addr_histogram_init(w->regions, o->region_shift ? o->region_shift : DEFAULT_SHIFT);
	return w;
}

static void add_up(struct pv_stat *st, struct worker *w)
{
	for (unsigned f = 0; f < 3; f++) {
		st->records[f] += w->counts->records[f];
		st->bytes += w->counts->records[f] * pv_record_bytes((enum pv_record_format)f);
	}
	pv_stat_counts_into(w->counts, st->sizes, st->requesters, &st->timeline, &st->devices);
	st->left_out += w->left_out;
	st->long_tags |= w->long_tags;
	pv_match_sums_merge(&st->match, &w->match);
	pv_stat_devices_latencies(&st->devices, &w->latencies);
	if (w->regions)
		pv_addr_histogram_merge(&st->regions, w->regions);
	if (w->timelines)
		pv_timelines_merge(st->timelines, w->timelines);
	pv_stat_bars_merge(&st->bars, &w->bars);
}

static void finish(struct pv_stat *st, struct shared *s)
{
	struct stream_clock *clocks = s->clocks.of;

	st->problems = pv_trace_problems(s->trace);
	st->streams = pv_trace_streams(s->trace);
	st->has_match = !s->opt->no_match;
	st->has_regions = !s->opt->no_regions;
	st->span = s->span;
	st->full_scale = s->full_scale;
	st->time_at_least = s->at_least;
	if (st->streams) {
		st->time = pv_trace_stream(s->trace, 0)->time;
		st->time_is_given = pv_trace_stream(s->trace, 0)->time_is_given;
	}
	for (size_t i = 0; i < s->clocks.n; i++)
		if (clocks[i].match)
			pv_match_end(clocks[i].match, &s->joined);
	pv_match_sums_merge(&st->match, &s->joined);
	pv_stat_devices_latencies(&st->devices, &s->joined_latencies);
	pv_timeline_merge(&st->timeline, &s->joined_time);
	pv_addr_histogram_sort(&st->regions);
	pv_stat_bars_rank(&st->bars);
	pv_stat_devices_sort(&st->devices);
}

/* The first worker is this thread. If no more threads can be created, fewer workers do the work. */
static int run_workers(struct shared *s, struct pv_stat *st, unsigned jobs)
{
	struct worker *w[PV_STAT_JOBS] = {NULL};
	bool copies = jobs > 1 || !pv_where_is_all(s->opt->where);
	unsigned n = 1;

	w[0] = worker_new(s, copies);
	if (!w[0])
		return -ENOMEM;
	for (; n < jobs && (w[n] = worker_new(s, copies)); n++)
		if (pthread_create(&w[n]->thread, NULL, work, w[n]))
			break;
	work(w[0]);
	for (unsigned i = 1; i < n; i++)
		pthread_join(w[i]->thread, NULL);
	st->timelines = w[0]->timelines;
	w[0]->timelines = NULL;
	for (unsigned i = 0; i < PV_STAT_JOBS; i++) {
		if (w[i])
			add_up(st, w[i]);
		worker_free(w[i]);
	}
	return s->error;
}

struct pv_stat *pv_stat_run(struct pv_trace *t, const struct pv_stat_options *o, struct pv_error *e)
{
	struct shared s = {.lock = PTHREAD_MUTEX_INITIALIZER,
			   .turn_came = PTHREAD_COND_INITIALIZER,
			   .trace = t,
			   .opt = o,
			   .clocks = {sizeof(struct stream_clock)}};
	struct pv_stat *st = calloc(1, sizeof(*st));
	unsigned jobs = !o->jobs ? 1 : o->jobs > PV_STAT_JOBS ? PV_STAT_JOBS : o->jobs;
	int r = -ENOMEM;

	pv_kind_lut_init();
	if (st) {
		pv_addr_histogram_init(&st->regions, o->region_shift ? o->region_shift : DEFAULT_SHIFT);
		st->has_bars = o->n_bars;
		r = pv_stat_bars_init(&st->bars, o->bars, o->n_bars);
	}
	if (!r)
		r = run_workers(&s, st, jobs);
	if (!r)
		finish(st, &s);
	for (size_t i = 0; i < s.clocks.n; i++)
		pv_match_free(((struct stream_clock *)s.clocks.of)[i].match);
	free(s.clocks.of);
	if (!r)
		return st;
	pv_error(e, r, "reading the trace: %s", strerror(-r));
	pv_stat_free(st);
	return NULL;
}

void pv_stat_free(struct pv_stat *s)
{
	if (!s)
		return;
	pv_timelines_free(s->timelines);
	pv_stat_bars_free(&s->bars);
	free(s);
}
