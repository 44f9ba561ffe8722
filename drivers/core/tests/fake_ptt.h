/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hand-made PTT for the tests of the core: registers as variables, every access recorded, and data that is
 * put into the DMA buffers when the test says so. Records of 16 bytes begin with their running number.
 */
#ifndef PV_TESTS_FAKE_PTT_H
#define PV_TESTS_FAKE_PTT_H

#include <string.h>

#include "drivers/core/ptt.h"

enum {
	FAKE_BUFFER = 256, /* bytes */
	FAKE_RECORD = 16,
	FAKE_RECORDS = FAKE_BUFFER / FAKE_RECORD,
	FAKE_AREA = 4 * FAKE_BUFFER,
	FAKE_LOG = 256,
	FAKE_COMMITS = 4096,
	FAKE_TAKEN = 1 << 16,
};

struct fake_access {
	bool is_write;
	uint32_t reg, value;
};

struct fake_commit {
	uint32_t first, records; /* in fake.taken */
	uint32_t flags;
};

struct fake {
	struct pv_ptt ptt;
	uint64_t now_ns;
	/* registers */
	uint32_t ctrl, int_stat, int_mask, tune_ctrl, tune_data, addr_size, addr[2 * PTT_DMA_BUFFERS];
	unsigned current;
	uint32_t written; /* in the current buffer */
	/* faults and delays */
	uint64_t tune_busy_until_ns, not_idle_until_ns, reset_until_ns;
	bool tune_stuck, lose_msi, gone;
	uint32_t full_shows; /* 1: a full buffer stays the current one until the next record */
	/* what happens at each access of a register; NULL: nothing */
	void (*hook)(struct fake *fake, bool is_write, uint32_t reg);
	void *hook_ctx;
	unsigned hook_left;
	/* observations */
	struct fake_access log[FAKE_LOG];
	unsigned log_count;
	/* data */
	uint8_t buffer[PTT_DMA_BUFFERS][FAKE_BUFFER];
	uint32_t produced; /* records */
	uint8_t area[FAKE_AREA];
	size_t area_bytes;
	bool no_area;
	bool area_out;	      /* begun and not committed yet */
	unsigned begun_twice; /* areas that were begun while one was out */
	int refuse;	      /* what the consumer answers */
	uint32_t taken[FAKE_TAKEN];
	unsigned taken_count;
	struct fake_commit commit[FAKE_COMMITS];
	unsigned commit_count;
	unsigned interrupts;
};

static inline void fake_record(struct fake *fake)
{
	uint8_t *at;

	if (fake->written == FAKE_BUFFER) {
		fake->current = (fake->current + 1) % PTT_DMA_BUFFERS;
		fake->written = 0;
	}
	at = fake->buffer[fake->current] + fake->written;
	memset(at, 0x5a, FAKE_RECORD);
	memcpy(at, &fake->produced, sizeof(fake->produced));
	fake->produced++;
	fake->written += FAKE_RECORD;
	if (fake->written < FAKE_BUFFER)
		return;

	fake->int_stat |= 1u << fake->current;
	if (!fake->full_shows) {
		fake->current = (fake->current + 1) % PTT_DMA_BUFFERS;
		fake->written = 0;
	}
	if (!(fake->int_mask & PTT_TRACE_INT_MASK_ALL) && !fake->lose_msi) {
		fake->interrupts++;
		pv_ptt_interrupt(&fake->ptt);
	}
}

/* Lets the device trace this number of records; it traces nothing if it is off. */
static inline void fake_trace(struct fake *fake, unsigned records)
{
	while (records-- && fake->ctrl & PTT_TRACE_CTRL_EN)
		fake_record(fake);
}

static inline void fake_hook(struct fake *fake, bool is_write, uint32_t reg)
{
	fake->now_ns += 100;
	if (fake->hook)
		fake->hook(fake, is_write, reg);
}

static inline void fake_note(struct fake *fake, bool is_write, uint32_t reg, uint32_t value)
{
	if (fake->log_count < FAKE_LOG)
		fake->log[fake->log_count++] = (struct fake_access){is_write, reg, value};
}

static inline uint32_t fake_register(const struct fake *fake, uint32_t reg)
{
	switch (reg) {
	case PTT_TUNING_DATA:
		return fake->tune_data;
	case PTT_TUNING_INT_STAT:
		return fake->tune_stuck || fake->now_ns < fake->tune_busy_until_ns;
	case PTT_TRACE_STS:
		return fake->now_ns < fake->not_idle_until_ns ? 0 : PTT_TRACE_STS_IDLE;
	case PTT_TRACE_INT_STAT:
		return fake->int_stat;
	case PTT_TRACE_WR_STS:
		if (fake->now_ns < fake->reset_until_ns)
			return 0x10000040;
		return fake->current << PTT_TRACE_WR_STS_BUFFER_SHIFT | fake->written;
	default:
		return 0;
	}
}

static inline uint32_t fake_read(void *ctx, uint32_t reg)
{
	struct fake *fake = ctx;
	uint32_t value;

	fake_hook(fake, false, reg);
	value = fake->gone ? 0xffffffff : fake_register(fake, reg);
	fake_note(fake, false, reg, value);
	return value;
}

static inline void fake_write(void *ctx, uint32_t reg, uint32_t value)
{
	struct fake *fake = ctx;

	fake_hook(fake, true, reg);
	fake_note(fake, true, reg, value);
	if (reg == PTT_TRACE_CTRL) {
		fake->ctrl = value;
		if (value & PTT_TRACE_CTRL_RST)
			fake->current = fake->written = 0;
	} else if (reg == PTT_TRACE_INT_STAT) {
		fake->int_stat &= ~value;
	} else if (reg == PTT_TRACE_INT_MASK) {
		fake->int_mask = value;
	} else if (reg == PTT_TRACE_ADDR_SIZE) {
		fake->addr_size = value;
	} else if (reg >= PTT_TRACE_ADDR_BASE_LO(0) && reg <= PTT_TRACE_ADDR_BASE_HI(3)) {
		fake->addr[(reg - PTT_TRACE_ADDR_BASE_LO(0)) / 4] = value;
	} else if (reg == PTT_TUNING_CTRL) {
		fake->tune_ctrl = value;
	} else if (reg == PTT_TUNING_DATA && value != PTT_TUNING_DATA_READ) {
		fake->tune_data = value > PTT_TUNE_LEVEL_MAX ? PTT_TUNE_LEVEL_MAX : value;
	}
}

static inline uint64_t fake_now(void *ctx)
{
	return ((struct fake *)ctx)->now_ns;
}

static inline void fake_delay(void *ctx, uint64_t ns)
{
	((struct fake *)ctx)->now_ns += ns;
}

static inline uint8_t *fake_begin(void *ctx, size_t *room)
{
	struct fake *fake = ctx;

	fake->begun_twice += fake->area_out;
	fake->area_out = !fake->no_area;
	*room = fake->no_area ? 0 : fake->area_bytes;
	return fake->no_area ? NULL : fake->area;
}

static inline int fake_commit(void *ctx, size_t bytes, uint32_t flags)
{
	struct fake *fake = ctx;
	size_t at;

	fake->area_out = false;
	if (!bytes && !flags)
		return 0;
	if (fake->commit_count < FAKE_COMMITS)
		fake->commit[fake->commit_count++] =
			(struct fake_commit){fake->taken_count, (uint32_t)(bytes / FAKE_RECORD), flags};
	for (at = 0; at + FAKE_RECORD <= bytes && fake->taken_count < FAKE_TAKEN; at += FAKE_RECORD)
		memcpy(&fake->taken[fake->taken_count++], fake->area + at, sizeof(uint32_t));
	return fake->refuse;
}

static inline void fake_init(struct fake *fake)
{
	unsigned i;

	memset(fake, 0, sizeof(*fake));
	fake->int_mask = PTT_TRACE_INT_MASK_ALL;
	fake->area_bytes = FAKE_AREA;
	fake->ptt.io = (struct pv_mmio){.ctx = fake, .read32 = fake_read, .write32 = fake_write};
	fake->ptt.clock = (struct pv_clock){fake, fake_now, fake_delay};
	fake->ptt.aux = (struct pv_ptt_aux){fake, fake_begin, fake_commit};
	fake->ptt.buffer_bytes = FAKE_BUFFER;
	for (i = 0; i < PTT_DMA_BUFFERS; i++)
		fake->ptt.buffer[i] = (struct pv_ptt_dma){fake->buffer[i], 0x1234500000000ull + i * FAKE_BUFFER};
}

/* Posted, inbound, 4DW, Root Port 00:10.0. */
static inline int fake_start(struct fake *fake)
{
	static const struct pv_ptt_params params = {PTT_FILTER_IS_PORT | 1, PTT_DIR_IN, PTT_TYPE_POSTED, 0};

	return pv_ptt_start(&fake->ptt, &params);
}

/* All records from `first` on came, in order, each once. */
static inline bool fake_took(const struct fake *fake, uint32_t first, unsigned count)
{
	unsigned i;

	if (fake->taken_count != count)
		return false;
	for (i = 0; i < count; i++)
		if (fake->taken[i] != first + i)
			return false;
	return true;
}

static inline bool fake_flagged(const struct fake *fake)
{
	unsigned i;

	for (i = 0; i < fake->commit_count; i++)
		if (fake->commit[i].flags & PV_PTT_AUX_TRUNCATED)
			return true;
	return false;
}

/*
 * Checks that the flags are honest. Record numbers are consecutive inside a commit. A gap between two commits is
 * flagged in one of the two, and a gap at the end in the last commit.
 */
static inline bool fake_honest(const struct fake *fake)
{
	uint32_t expected = 0;
	bool flagged = false;
	unsigned i, n;

	for (i = 0; i < fake->commit_count; i++) {
		const struct fake_commit *commit = &fake->commit[i];

		flagged |= commit->flags & PV_PTT_AUX_TRUNCATED;
		for (n = 0; n < commit->records; n++) {
			uint32_t number = fake->taken[commit->first + n];

			if (number != expected && (n || number < expected || !flagged))
				return false;
			expected = number + 1;
		}
		if (commit->records)
			flagged = commit->flags & PV_PTT_AUX_TRUNCATED;
	}
	return expected == fake->produced || flagged;
}

#endif
