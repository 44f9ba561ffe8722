/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT: hand-over of finished DMA buffers to the AUX area, and the proof that what is handed over is whole.
 *
 * The device fills buffers 0,1,2,3,0,... and never waits. It shows the current buffer and the bytes in it
 * (TRACE_WR_STS), and for each buffer whether it became full since its bit was last cleared (TRACE_INT_STAT). Let
 * `next` be the oldest buffer not handed over. As long as nothing was lost,
 *
 * 	the pending buffers are a run of 0..3 beginning at `next`, and the current buffer is the one behind it.
 *
 * Anything else means that the device came round. Four pending buffers mean the same: the device is in the oldest of
 * them, or at its start after any number of rounds, and the two cannot be told apart. A buffer's bit is cleared before
 * the copy, and the position is read again after the copy. If the device came round meanwhile, the bit is set again or
 * the device is in that very buffer. Torn buffers are not handed over, and the commit that precedes the gap is flagged.
 * The driver goes on from the newest run of whole buffers.
 */
#include "drivers/core/ptt_drain.h"

enum {
	LOOKS_MAX = 4,	 /* attempts to see a position that stands still for three reads */
	ROUNDS_MAX = 16, /* buffers and recoveries for one interrupt: an endless flood must not hold the CPU */
};

/* The device's position, from registers that belong together. */
struct position {
	uint32_t pending; /* bit n: buffer n is full */
	unsigned buffer;  /* the current one */
	uint32_t write;	  /* bytes in it */
};

static unsigned after(unsigned buffer, unsigned n)
{
	return (buffer + n) % PTT_DMA_BUFFERS;
}

static unsigned before(unsigned buffer, unsigned n)
{
	return (buffer + PTT_DMA_BUFFERS - n) % PTT_DMA_BUFFERS;
}

static bool is_pending(const struct position *pos, unsigned buffer)
{
	return pos->pending >> buffer & 1;
}

static unsigned buffer_of(uint32_t wr_sts)
{
	return (wr_sts & PTT_TRACE_WR_STS_BUFFER_MASK) >> PTT_TRACE_WR_STS_BUFFER_SHIFT;
}

static uint32_t read_wr_sts(const struct pv_ptt *ptt)
{
	return ptt->io.read32(ptt->io.ctx, PTT_TRACE_WR_STS);
}

/*
 * INT_STAT belongs to a position that is the same before and after it was read; the position before is the one
 * seen last (ptt->wr_sts), which saves an access for each buffer. False: the device is gone, or its position
 * makes no sense, or does not stand still.
 */
static bool look(struct pv_ptt *ptt, struct position *pos)
{
	unsigned tries;

	for (tries = 0; tries < LOOKS_MAX; tries++) {
		uint32_t before_it = ptt->wr_sts;
		uint32_t stat = ptt->io.read32(ptt->io.ctx, PTT_TRACE_INT_STAT);

		ptt->wr_sts = read_wr_sts(ptt);
		if (stat == 0xffffffff || ptt->wr_sts == 0xffffffff)
			return false;
		if (buffer_of(before_it) != buffer_of(ptt->wr_sts))
			continue;
		pos->pending = stat & PTT_TRACE_INT_STAT_MASK;
		pos->buffer = buffer_of(ptt->wr_sts);
		pos->write = ptt->wr_sts & PTT_TRACE_WR_STS_WRITE_MASK;
		/*
		 * Full, but not left yet: the same as at the start of the next one, if it is said to be full, or was
		 * taken last. Any other became full after INT_STAT was read, and is still to be taken.
		 */
		if (pos->write == ptt->buffer_bytes &&
		    (is_pending(pos, pos->buffer) || pos->buffer == before(ptt->next, 1))) {
			pos->buffer = after(pos->buffer, 1);
			pos->write = 0;
		}
		return pos->write <= ptt->buffer_bytes;
	}
	return false;
}

/* The pending buffers are a run from `next` on, and the device is right behind it. */
static bool in_step(const struct position *pos, unsigned next)
{
	uint32_t run = 0;
	unsigned n = 0;

	while (n < PTT_DMA_BUFFERS && is_pending(pos, after(next, n)))
		run |= 1u << after(next, n++);
	return n < PTT_DMA_BUFFERS && run == pos->pending && pos->buffer == after(next, n);
}

static void begin_area(struct pv_ptt *ptt)
{
	ptt->used = 0;
	ptt->room = 0;
	ptt->area = ptt->aux.begin(ptt->aux.ctx, &ptt->room);
	if (!ptt->area)
		ptt->room = 0;
}

static void commit_area(struct pv_ptt *ptt)
{
	uint32_t flags = ptt->lost ? PV_PTT_AUX_TRUNCATED : 0;

	if (!ptt->area)
		return;
	/* A consumer that could not take it all makes the next commit a flagged one. */
	ptt->lost = ptt->aux.commit(ptt->aux.ctx, ptt->used, flags) != 0;
	ptt->area = NULL;
	ptt->used = 0;
	ptt->room = 0;
}

/* Where `bytes` can go, NULL: nowhere. */
static uint8_t *area_for(struct pv_ptt *ptt, size_t bytes)
{
	if (ptt->room - ptt->used < bytes) {
		commit_area(ptt);
		begin_area(ptt);
	}
	return ptt->room - ptt->used < bytes ? NULL : ptt->area + ptt->used;
}

/* The gap is here: everything before it is committed with the flag, what follows goes to a new area. */
static void mark_gap(struct pv_ptt *ptt)
{
	ptt->overruns++;
	ptt->lost = true;
	commit_area(ptt);
	begin_area(ptt);
}

/* Goes on from the newest run of full buffers, which the device has left last and will reach last. */
static void recover(struct pv_ptt *ptt, const struct position *pos)
{
	uint32_t good = 0;
	unsigned n = 0;

	mark_gap(ptt);
	while (n < PTT_DMA_BUFFERS - 1 && is_pending(pos, before(pos->buffer, n + 1)))
		good |= 1u << before(pos->buffer, ++n);
	ptt->next = before(pos->buffer, n);
	if (pos->pending & ~good)
		ptt->io.write32(ptt->io.ctx, PTT_TRACE_INT_STAT, pos->pending & ~good);
}

/* The buffer was copied: it counts if the device left it alone until now. False: no position to go on from. */
static bool settle(struct pv_ptt *ptt, struct position *pos, unsigned taken, size_t bytes)
{
	if (!look(ptt, pos)) {
		mark_gap(ptt);
		return false;
	}
	if (in_step(pos, ptt->next)) {
		if (pos->buffer == taken) {
			mark_gap(ptt);
		} else {
			ptt->used += bytes;
			ptt->buffers++;
		}
	}
	return true;
}

/* Hands over the oldest finished buffer; *pos is where the device is after that. */
static bool take(struct pv_ptt *ptt, struct position *pos)
{
	unsigned taken = ptt->next;
	size_t bytes = ptt->buffer_bytes;
	uint8_t *to = area_for(ptt, bytes);
	bool ok;

	ptt->io.write32(ptt->io.ctx, PTT_TRACE_INT_STAT, 1u << taken);
	ptt->next = after(taken, 1);
	if (!to) {
		ptt->lost = true;
		return look(ptt, pos);
	}
	__builtin_memcpy(to, ptt->buffer[taken].cpu, bytes);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* the copy is over before the position is looked at */
	ok = settle(ptt, pos, taken, bytes);
	/* Full: the consumer shall have it now. */
	if (ptt->room - ptt->used < bytes) {
		commit_area(ptt);
		begin_area(ptt);
	}
	return ok;
}

/* Returns how many steps were needed. */
static unsigned drain_all(struct pv_ptt *ptt, unsigned rounds_max)
{
	struct position pos;
	unsigned rounds = 0;
	bool ok;

	ptt->wr_sts = read_wr_sts(ptt);
	ok = look(ptt, &pos);
	while (ok && rounds < rounds_max) {
		if (!in_step(&pos, ptt->next)) {
			recover(ptt, &pos);
			ok = look(ptt, &pos);
		} else if (pos.pending) {
			ok = take(ptt, &pos);
		} else {
			break;
		}
		rounds++;
	}
	return rounds;
}

int pv_ptt_drain_begin(struct pv_ptt *ptt)
{
	ptt->lost = false;
	ptt->next = 0;
	ptt->overruns = 0;
	ptt->buffers = 0;
	begin_area(ptt);
	if (ptt->room >= ptt->buffer_bytes)
		return 0;
	commit_area(ptt);
	return -PV_ENOSPC;
}

bool pv_ptt_drain(struct pv_ptt *ptt)
{
	unsigned rounds = 0;

	/* An interrupt inside an interrupt, or inside the stop: whoever is at it looks once more. */
	if (ptt->draining) {
		ptt->again = true;
		return true;
	}
	ptt->draining = true;
	do {
		ptt->again = false;
		rounds += drain_all(ptt, ROUNDS_MAX - rounds);
	} while (ptt->again && rounds < ROUNDS_MAX);
	ptt->draining = false;
	return rounds != 0;
}

void pv_ptt_drain_rest(struct pv_ptt *ptt)
{
	struct position pos;
	uint8_t *to;

	if (!look(ptt, &pos) || pos.pending || pos.buffer != ptt->next) {
		ptt->lost = true;
		return;
	}
	if (!pos.write)
		return;
	to = area_for(ptt, pos.write);
	if (!to) {
		ptt->lost = true;
		return;
	}
	__builtin_memcpy(to, ptt->buffer[pos.buffer].cpu, pos.write);
	ptt->used += pos.write;
}

void pv_ptt_drain_end(struct pv_ptt *ptt)
{
	if (!ptt->area)
		begin_area(ptt);
	commit_area(ptt);
	if (!ptt->lost)
		return;
	/* The last commit was refused: report at least that to the consumer. */
	begin_area(ptt);
	commit_area(ptt);
	ptt->lost = false;
}
