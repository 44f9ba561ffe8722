/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of a whole trace, by one thread or several. */
#include "framework/trace/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

/* Payload of a job: little, so that its text stays in the cache, but more if it is handed to a thread, which takes
 * time. */
enum { JOB_BYTES = 8192, SHARED_JOB_BYTES = 131072 };
#define TEXT_BYTES(payload) (((payload) / PTT_RECORD_4DW_BYTES + 1) * PV_FORMAT_MAX)

/* ---- what is made ---- */

char *pv_output_first(const struct pv_format *f, const struct pv_output_job *job, char *out)
{
	return job->first && f->first ? f->first(out, job->block.stream) : out;
}

static char *one_record(const void *ctx, const struct pv_output_job *job, const struct pv_trace_record *r, size_t at,
			char *out)
{
	return ((const struct pv_format *)ctx)->record(out, r);
}

char *pv_output_records(const void *ctx, const struct pv_output_job *job, char *out)
{
	return pv_output_each(ctx, job, pv_output_first(ctx, job, out), one_record);
}

char *pv_output_dump(const void *ctx, const struct pv_output_job *job, char *out)
{
	const struct pv_trace_block *b = &job->block;
	size_t step = pv_record_bytes(b->format);

	if (b->head)
		out = pv_dump_head(out, b->piece_bytes - b->piece_bytes % step, b->stream->pattern);
	for (size_t at = 0; b->bytes - at >= step; at += step)
		out = pv_dump_record(out, b->format, b->data + at, (uint32_t)(b->piece_offset + at), ctx);
	return out;
}

/* ---- cutting blocks into jobs ---- */

struct cutter {
	struct pv_trace *t;
	struct pv_trace_block block; /* what is left of it */
	struct pv_per_stream clocks; /* struct pv_trace_clock */
	size_t job_bytes;	     /* payload of a job */
	bool began;
};

static void run_clock(struct pv_trace_clock *clock, const struct pv_trace_block *b)
{
	const enum pv_trace_time is = b->stream->time;
	const enum pv_record_format format = b->format;
	struct pv_trace_clock c = *clock;

	for (size_t at = 0; at < b->bytes && b->records && is; at += pv_record_bytes(format))
		pv_trace_clock_at(&c, is, format, pv_trace_raw_time(format, b->data + at));
	*clock = c;
}

/* 1: *job is the next; its data is the reader's. 0: the end. */
static int cut(struct cutter *c, struct pv_output_job *job)
{
	struct pv_trace_block *b = &c->block;
	struct pv_trace_clock *clock;
	bool fresh = !b->bytes;
	int r = fresh ? pv_trace_next_block(c->t, b) : 1;

	if (r <= 0)
		return r;
	clock = pv_per_stream(&c->clocks, b->stream->index);
	if (!clock)
		return -ENOMEM;
	if (fresh)
		pv_trace_clock_enter(clock, b);
	*job = (struct pv_output_job){*b, *clock, !c->began};
	c->began = true;
	if (b->bytes > c->job_bytes)
		job->block.bytes = c->job_bytes;
	if (b->records)
		job->block.records = job->block.bytes / pv_record_bytes(b->format);
	run_clock(clock, &job->block);
	b->head = false;
	b->data += job->block.bytes;
	b->bytes -= job->block.bytes;
	b->records -= job->block.records;
	b->offset += job->block.bytes;
	b->file_offset += job->block.bytes;
	b->piece_offset += job->block.bytes;
	return 1;
}

/* ---- one thread ---- */

static int output_alone(struct cutter *c, pv_output_fn *fn, const void *ctx, int fd)
{
	_autofree_ char *text = malloc(TEXT_BYTES(JOB_BYTES));
	struct pv_output_job job;
	int r;

	if (!text)
		return -ENOMEM;
	while ((r = cut(c, &job)) > 0) {
		r = pv_write_all(fd, text, (size_t)(fn(ctx, &job, text) - text));
		if (r)
			return r;
	}
	return r;
}

/* ---- several ---- */

struct slot {
	struct pv_output_job job;
	struct pv_trace_stream stream; /* as it was at the block: an event behind it can change it */
	uint8_t data[SHARED_JOB_BYTES];
	char text[TEXT_BYTES(SHARED_JOB_BYTES)];
	size_t n;
	bool done;
};

/* Slots are filled, taken and written in turn; the counts say how many were, ever. */
struct crew {
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	pv_output_fn *fn;
	const void *ctx;
	struct slot *slots;
	size_t n_slots;
	uint64_t filled, taken, written;
	bool quit;
};

static void work(struct crew *c, struct slot *s)
{
	pthread_mutex_unlock(&c->lock);
	s->n = (size_t)(c->fn(c->ctx, &s->job, s->text) - s->text);
	pthread_mutex_lock(&c->lock);
	s->done = true;
	pthread_cond_signal(&c->done);
}

static void *worker(void *arg)
{
	struct crew *c = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->quit || c->taken < c->filled) {
		if (c->taken < c->filled)
			work(c, &c->slots[c->taken++ % c->n_slots]);
		else
			pthread_cond_wait(&c->more, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* 1: a slot was filled; 0: the end; -errno. */
static int fill_slot(struct cutter *cutter, struct crew *c)
{
	struct slot *s = &c->slots[c->filled % c->n_slots];
	int r = cut(cutter, &s->job);

	if (r <= 0)
		return r;
	s->stream = *s->job.block.stream;
	s->job.block.stream = &s->stream;
	memcpy(s->data, s->job.block.data, s->job.block.bytes);
	s->job.block.data = s->data;
	s->done = false;
	pthread_mutex_lock(&c->lock);
	c->filled++;
	pthread_cond_signal(&c->more);
	pthread_mutex_unlock(&c->lock);
	return 1;
}

static int write_slot(struct crew *c, int fd)
{
	struct slot *s = &c->slots[c->written++ % c->n_slots];

	pthread_mutex_lock(&c->lock);
	while (!s->done)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return pv_write_all(fd, s->text, s->n);
}

static int drive(struct cutter *cutter, struct crew *c, int fd)
{
	int more = 1, r = 0;

	while (!r && (more > 0 || c->written < c->filled)) {
		while (more > 0 && c->filled - c->written < c->n_slots)
			more = fill_slot(cutter, c);
		if (c->written < c->filled)
			r = write_slot(c, fd);
	}
	return r ? r : more;
}

static int output_together(struct cutter *cutter, pv_output_fn *fn, const void *ctx, unsigned jobs, int fd)
{
	struct crew c = {.fn = fn, .ctx = ctx, .n_slots = (size_t)jobs + 4};
	pthread_t threads[PV_OUTPUT_JOBS_MAX];
	unsigned n = 0;
	int r = 0;

	c.slots = malloc(c.n_slots * sizeof(*c.slots));
	if (!c.slots)
		return -ENOMEM;
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.more, NULL);
	pthread_cond_init(&c.done, NULL);
	while (n < jobs && !pthread_create(&threads[n], NULL, worker, &c))
		n++;
	r = n ? drive(cutter, &c, fd) : -EAGAIN;
	pthread_mutex_lock(&c.lock);
	c.quit = true;
	pthread_cond_broadcast(&c.more);
	pthread_mutex_unlock(&c.lock);
	while (n)
		pthread_join(threads[--n], NULL);
	free(c.slots);
	return r;
}

int pv_trace_output(struct pv_trace *t, pv_output_fn *fn, const void *ctx, unsigned jobs, int fd)
{
	struct cutter c = {.t = t,
			   .clocks = {sizeof(struct pv_trace_clock)},
			   .job_bytes = jobs > 1 ? SHARED_JOB_BYTES : JOB_BYTES};
	int r;

	if (jobs > PV_OUTPUT_JOBS_MAX)
		jobs = PV_OUTPUT_JOBS_MAX;
	r = jobs > 1 ? output_together(&c, fn, ctx, jobs, fd) : output_alone(&c, fn, ctx, fd);
	free(c.clocks.of);
	return r;
}
