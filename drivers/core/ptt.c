/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT: tuning, start and stop of a trace, and the hand-over of finished buffers (docs/hardware-notes.md section 1).
 */
#include "drivers/core/ptt.h"

/* ---- finished buffers go to the AUX area ---- */

/*
 * Hand-over of finished DMA buffers to the AUX area, and the proof that each is whole.
 *
 * The device fills buffers 0,1,2,3,0,... and never waits. It shows the current buffer and the bytes in it
 * (TRACE_WR_STS), and for each buffer whether it became full since its bit was last cleared (TRACE_INT_STAT). Let
 * `next` be the oldest buffer not handed over. As long as nothing was lost,
 *
 * 	the pending buffers are a run of 0..3 beginning at `next`, and the current buffer is the one behind it.
 *
 * Anything else means that the device overran the driver. Four pending buffers mean the same: the device is in the
 * oldest of them, or at its start after any number of rounds, which look alike. A buffer's bit is cleared before the
 * copy, and the position is read again after the copy. If the device overran the driver meanwhile, the bit is set again
 * or the device is in this buffer. Torn buffers are not handed over, and the commit before the gap is flagged. The
 * driver continues with the newest run of whole buffers.
 */

enum {
	LOOKS_MAX = 4,	 /* attempts to get the same position from three reads */
	ROUNDS_MAX = 16, /* buffers and recoveries per interrupt: a flood must not occupy the CPU forever */
};

/* The device's position, from consistent registers. */
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
 * INT_STAT is consistent with the position if this is equal before and after it was read; the position before is the
 * last one seen (ptt->wr_sts), which saves an access per buffer. False: the device is gone, or its position is invalid
 * or keeps changing.
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
		 * A full buffer that the device has not left equals the start of the next one if INT_STAT says that it
		 * is full, or if it was taken last. Any other one became full after INT_STAT was read, and is still to
		 * be taken.
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

/* Returns true if the pending buffers are a run from `next` on, and the device is right behind it. */
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
	/* If the consumer could not take everything, the next commit is flagged. */
	ptt->lost = ptt->aux.commit(ptt->aux.ctx, ptt->used, flags) != 0;
	ptt->area = NULL;
	ptt->used = 0;
	ptt->room = 0;
}

/* Returns room for `bytes`; NULL: none. */
static uint8_t *area_for(struct pv_ptt *ptt, size_t bytes)
{
	if (ptt->room - ptt->used < bytes) {
		commit_area(ptt);
		begin_area(ptt);
	}
	return ptt->room - ptt->used < bytes ? NULL : ptt->area + ptt->used;
}

/* The gap is here: everything before it is committed with the flag, and later data go to a new area. */
static void mark_gap(struct pv_ptt *ptt)
{
	ptt->overruns++;
	ptt->lost = true;
	commit_area(ptt);
	begin_area(ptt);
}

/* Continues with the newest run of full buffers, which the device left last and will reach last. */
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

/* Checks a buffer after its copy: it is whole if the device has not written to it since. False: the position is
 * unknown. */
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
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* finish the copy before reading the position */
	ok = settle(ptt, pos, taken, bytes);
	/* Full: hand it to the consumer now. */
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

/* Takes the first AUX area and begins at buffer 0. -ENOSPC: none that holds a buffer. */
static int drain_begin(struct pv_ptt *ptt)
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

/* Hands over every finished buffer that is proven whole. True: the device had something pending. */
static bool drain_finished(struct pv_ptt *ptt)
{
	unsigned rounds = 0;

	/* A nested interrupt, or one during the stop: the outer call checks again. */
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

/* The device is idle and drained: hands over what is in the current buffer. */
static void drain_rest(struct pv_ptt *ptt)
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

/* Commits the rest, flagged if something was lost. */
static void drain_end(struct pv_ptt *ptt)
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

/* ---- waiting ---- */

#define US 1000u

/* A register to wait for. `polls` ends the wait even if the clock stands still. */
struct wait {
	uint32_t reg, mask;
	uint32_t timeout_us, poll_us, polls;
};

static const struct wait tune_done = {PTT_TUNING_INT_STAT, PTT_TUNING_INT_STAT_BUSY, 1000000, 100, 10000};
static const struct wait trace_idle = {PTT_TRACE_STS, PTT_TRACE_STS_IDLE, 100, 1, 100};
static const struct wait reset_done = {PTT_TRACE_WR_STS, 0xffffffff, 10, 1, 10};

static bool wait_for(struct pv_ptt *ptt, const struct wait *w, uint32_t value)
{
	const struct pv_clock *clock = &ptt->clock;
	uint64_t begin = clock->now_ns(clock->ctx);
	uint32_t polls = 0;

	for (;;) {
		/* Read before the register, so that the last read of the register is never before the deadline. */
		bool late = clock->now_ns(clock->ctx) - begin >= (uint64_t)w->timeout_us * US || polls >= w->polls;
		uint32_t now = ptt->io.read32(ptt->io.ctx, w->reg);

		if (now != 0xffffffff && (now & w->mask) == value)
			return true;
		if (late)
			return false;
		clock->delay_ns(clock->ctx, w->poll_us * US);
		polls++;
	}
}

static void write(struct pv_ptt *ptt, uint32_t reg, uint32_t value)
{
	ptt->io.write32(ptt->io.ctx, reg, value);
}

/* Selects the event and starts one operation. Does not disturb a device that is busy with an earlier one. */
static int tune(struct pv_ptt *ptt, uint32_t event, uint32_t data)
{
	if (!wait_for(ptt, &tune_done, 0))
		return -PV_ETIMEDOUT;
	write(ptt, PTT_TUNING_CTRL, event);
	write(ptt, PTT_TUNING_DATA, data);
	return wait_for(ptt, &tune_done, 0) ? 0 : -PV_ETIMEDOUT;
}

int pv_ptt_tune_get(struct pv_ptt *ptt, uint32_t event, uint32_t *level)
{
	int err = tune(ptt, event, PTT_TUNING_DATA_READ);

	if (err)
		return err;
	*level = ptt->io.read32(ptt->io.ctx, PTT_TUNING_DATA) & PTT_TUNING_DATA_VAL_MASK;
	return 0;
}

int pv_ptt_tune_set(struct pv_ptt *ptt, uint32_t event, uint32_t level)
{
	/* Truncated to the field, it would be another level. */
	if (level > PTT_TUNING_DATA_VAL_MASK)
		return -PV_EINVAL;
	return tune(ptt, event, level);
}

void pv_ptt_quiet(struct pv_ptt *ptt)
{
	write(ptt, PTT_TRACE_CTRL, 0);
	write(ptt, PTT_TRACE_INT_MASK, PTT_TRACE_INT_MASK_ALL);
}

void pv_ptt_rest(struct pv_ptt *ptt)
{
	unsigned i;

	write(ptt, PTT_TRACE_INT_STAT, PTT_TRACE_INT_STAT_MASK);
	write(ptt, PTT_TRACE_ADDR_SIZE, 0);
	for (i = 0; i < PTT_DMA_BUFFERS; i++) {
		write(ptt, PTT_TRACE_ADDR_BASE_LO(i), 0);
		write(ptt, PTT_TRACE_ADDR_BASE_HI(i), 0);
	}
}

bool pv_ptt_is_idle(struct pv_ptt *ptt)
{
	return wait_for(ptt, &trace_idle, PTT_TRACE_STS_IDLE);
}

static void program_buffers(struct pv_ptt *ptt)
{
	unsigned i;

	write(ptt, PTT_TRACE_ADDR_SIZE, ptt->buffer_bytes);
	for (i = 0; i < PTT_DMA_BUFFERS; i++) {
		write(ptt, PTT_TRACE_ADDR_BASE_LO(i), (uint32_t)ptt->buffer[i].dma);
		write(ptt, PTT_TRACE_ADDR_BASE_HI(i), (uint32_t)(ptt->buffer[i].dma >> 32));
	}
}

static bool reset(struct pv_ptt *ptt)
{
	bool done;

	write(ptt, PTT_TRACE_CTRL, PTT_TRACE_CTRL_RST);
	done = wait_for(ptt, &reset_done, 0);
	write(ptt, PTT_TRACE_CTRL, 0);
	return done;
}

static int prepare(struct pv_ptt *ptt)
{
	if (!pv_ptt_is_idle(ptt))
		return -PV_EBUSY;
	program_buffers(ptt);
	/* A device stuck in reset could write to unexpected addresses. */
	if (!reset(ptt))
		return -PV_ETIMEDOUT;
	write(ptt, PTT_TRACE_INT_STAT, PTT_TRACE_INT_STAT_MASK);
	return 0;
}

int pv_ptt_start(struct pv_ptt *ptt, const struct pv_ptt_params *params)
{
	int err;

	if (ptt->started)
		return -PV_EBUSY;
	err = drain_begin(ptt);
	if (err)
		return err;
	err = prepare(ptt);
	if (err) {
		drain_end(ptt);
		return err;
	}

	ptt->started = true; /* the first interrupt may come with the write of EN */
	write(ptt, PTT_TRACE_INT_MASK, 0);
	write(ptt, PTT_TRACE_CTRL, pv_ptt_params_ctrl(params) | PTT_TRACE_CTRL_EN);
	return 0;
}

bool pv_ptt_interrupt(struct pv_ptt *ptt)
{
	return ptt->started && drain_finished(ptt);
}

int pv_ptt_stop(struct pv_ptt *ptt)
{
	bool idle;

	if (!ptt->started)
		return 0;

	pv_ptt_quiet(ptt);
	idle = pv_ptt_is_idle(ptt);
	drain_finished(ptt);
	if (idle)
		drain_rest(ptt);
	else
		ptt->lost = true; /* data that a device still writes cannot be told from data that it has written */
	ptt->started = false;
	drain_end(ptt);
	return idle ? 0 : -PV_EBUSY;
}
