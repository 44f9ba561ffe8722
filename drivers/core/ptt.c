/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT: tuning, and start and stop of a trace (docs/hardware-notes.md section 1). How finished buffers are
 * handed over is in ptt_drain.c.
 */
#include "drivers/core/ptt.h"
#include "drivers/core/ptt_drain.h"

#define US 1000u

/* One register to wait for. A clock that stands still must not hang the driver: `polls` ends it too. */
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
		/* Looked at before the register, so that the last look is never before the time is up. */
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

/* Selects the event and has the device do one thing. A device that is busy with an earlier one is not disturbed. */
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
	/* Cut to the field it would be another level. */
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
	err = pv_ptt_drain_begin(ptt);
	if (err)
		return err;
	err = prepare(ptt);
	if (err) {
		pv_ptt_drain_end(ptt);
		return err;
	}

	ptt->started = true; /* the first interrupt may come with the write of EN */
	write(ptt, PTT_TRACE_INT_MASK, 0);
	write(ptt, PTT_TRACE_CTRL, pv_ptt_params_ctrl(params) | PTT_TRACE_CTRL_EN);
	return 0;
}

bool pv_ptt_interrupt(struct pv_ptt *ptt)
{
	return ptt->started && pv_ptt_drain(ptt);
}

int pv_ptt_stop(struct pv_ptt *ptt)
{
	bool idle;

	if (!ptt->started)
		return 0;

	pv_ptt_quiet(ptt);
	idle = pv_ptt_is_idle(ptt);
	pv_ptt_drain(ptt);
	if (idle)
		pv_ptt_drain_rest(ptt);
	else
		ptt->lost = true; /* what a device still writes cannot be told from what it has written */
	ptt->started = false;
	pv_ptt_drain_end(ptt);
	return idle ? 0 : -PV_EBUSY;
}
