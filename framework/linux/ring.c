/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and AUX data of a perf buffer. */
#include "framework/linux/ring.h"

#include <errno.h>
#include <string.h>

#define HELD 1

/* The bodies of the records that matter, behind struct perf_event_header. */
struct aux_body {
	uint64_t offset, size, flags;
};

struct lost_body {
	uint64_t id, lost;
};

struct record {
	struct perf_event_header header;
	union {
		struct aux_body aux;
		struct lost_body lost;
	};
};

/* The kernel writes data before it advances a head, and reads a tail before it overwrites data. */
static uint64_t load(const __u64 *head)
{
	return __atomic_load_n(head, __ATOMIC_ACQUIRE);
}

static void store(__u64 *tail, uint64_t value)
{
	__atomic_store_n(tail, value, __ATOMIC_RELEASE);
}

/* Copies from position `at` of the data area, a ring buffer. */
static void copy(const struct pv_ring *r, uint64_t at, void *to, uint64_t n)
{
	uint64_t begin = at & (r->data_bytes - 1), first = r->data_bytes - begin;

	first = first < n ? first : n;
	memcpy(to, r->data + begin, first);
	memcpy((uint8_t *)to + first, r->data, n - first);
}

/* Reads the record at data_tail. 0, -EAGAIN: there is none, -EIO. */
static int peek(const struct pv_ring *r, struct record *out)
{
	uint64_t tail = r->page->data_tail, filled = load(&r->page->data_head) - tail, n;

	if (!filled)
		return -EAGAIN;
	if (filled > r->data_bytes || filled < sizeof(out->header))
		return -EIO;
	*out = (struct record){0};
	copy(r, tail, &out->header, sizeof(out->header));
	if (out->header.size < sizeof(out->header) || out->header.size > filled)
		return -EIO;
	n = out->header.size < sizeof(*out) ? out->header.size : sizeof(*out);
	copy(r, tail, out, n);
	return 0;
}

static void pass(struct pv_ring *r, const struct record *rec)
{
	store(&r->page->data_tail, r->page->data_tail + rec->header.size);
}

/* ---- handing over ---- */

/* Calls the consumer, with pending flags. */
static int hand(struct pv_ring *r, const uint8_t *data, uint64_t n, uint32_t flags, pv_perf_aux_fn fn, void *ctx)
{
	if (fn && fn(ctx, data, n, flags | r->pending))
		return HELD;
	r->pending = 0;
	return 0;
}

/* Returns how much of [taken, end) can be delivered in one piece: up to the end of the area, and to the limit. */
static uint64_t next_piece(const struct pv_ring *r, uint64_t end)
{
	uint64_t n = end - r->taken, room = r->aux_bytes - r->taken % r->aux_bytes;

	n = n < room ? n : room;
	return r->limited && n > r->left ? r->left : n;
}

/* Delivers [taken, end), at most the whole area. */
static int hand_up_to(struct pv_ring *r, uint64_t end, uint32_t flags, pv_perf_aux_fn fn, void *ctx)
{
	while (r->taken < end) {
		uint64_t n = next_piece(r, end);
		bool last = r->taken + n == end;

		if (!n || hand(r, r->aux + r->taken % r->aux_bytes, n, last ? flags : 0, fn, ctx))
			return HELD;
		r->taken += n;
		r->left -= r->limited ? n : 0;
		if (!r->overwrite)
			store(&r->page->aux_tail, r->taken);
	}
	return 0;
}

/* ---- records ---- */

/*
 * The record becomes visible before aux_head covers its data. A gap before it was skipped by the driver
 * (perf_aux_output_skip()), or its record was lost; whether the gap contains data is unknown.
 */
static int take_aux(struct pv_ring *r, const struct aux_body *aux, pv_perf_aux_fn fn, void *ctx)
{
	uint64_t head = load(&r->page->aux_head), end = aux->offset + aux->size, tail = r->page->aux_tail;

	if (end < aux->offset || aux->size > r->aux_bytes || (aux->offset < tail && !r->begun))
		return -EIO;
	if (end > head)
		return HELD;
	if (head - tail > r->aux_bytes)
		return -EIO;
	if (!aux->size)
		return hand(r, NULL, 0, (uint32_t)aux->flags, fn, ctx);
	r->taken = r->taken > aux->offset ? r->taken : aux->offset;
	r->begun = hand_up_to(r, end, (uint32_t)aux->flags, fn, ctx) == HELD;
	return r->begun ? HELD : 0;
}

static int take_record(struct pv_ring *r, const struct record *rec, pv_perf_aux_fn fn, void *ctx)
{
	int err;

	switch (rec->header.type) {
	case PERF_RECORD_AUX:
		err = r->overwrite ? 0 : take_aux(r, &rec->aux, fn, ctx);
		r->records.aux += !err;
		return err;
	case PERF_RECORD_LOST:
		r->records.lost++;
		r->records.lost_records += rec->lost.lost;
		r->pending |= PV_PERF_AUX_LOST | PV_PERF_AUX_TRUNCATED;
		return 0;
	case PERF_RECORD_ITRACE_START:
		r->records.itrace_start++;
		return 0;
	default:
		r->records.other++;
		return 0;
	}
}

int pv_ring_take(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx)
{
	struct record rec;
	int err;

	while (!(err = peek(r, &rec))) {
		err = take_record(r, &rec, fn, ctx);
		if (err)
			return err;
		pass(r, &rec);
	}
	return err == -EAGAIN ? 0 : err;
}

static int finish_overwrite(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx)
{
	uint64_t head = load(&r->page->aux_head);

	r->taken = head > r->aux_bytes && r->taken < head - r->aux_bytes ? head - r->aux_bytes : r->taken;
	return hand_up_to(r, head, PV_PERF_AUX_OVERWRITE, fn, ctx);
}

int pv_ring_finish(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx)
{
	int err = pv_ring_take(r, fn, ctx);
	uint64_t head = load(&r->page->aux_head);

	if (err)
		return err;
	if (r->overwrite)
		return finish_overwrite(r, fn, ctx);
	if (head <= r->taken)
		return r->pending ? hand(r, NULL, 0, 0, fn, ctx) : 0;
	err = hand(r, NULL, 0, PV_PERF_AUX_LOST | PV_PERF_AUX_TRUNCATED, fn, ctx);
	if (err)
		return err;
	r->taken = head;
	store(&r->page->aux_tail, head);
	return 0;
}
