/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HiSilicon PTT as the driver core programs it (docs/hardware-notes.md section 1): tuning, the check of a
 * trace's parameters, filter lists, and the trace itself with its four DMA buffers. The caller owns all
 * memory. Not reentrant, except for pv_ptt_interrupt(), which may be called at any register access or delay.
 */
#ifndef PV_CORE_PTT_H
#define PV_CORE_PTT_H

#include "drivers/core/hw.h"
#include "drivers/regs/ptt.h"

/* As PERF_AUX_FLAG_TRUNCATED: data is missing before or after (never within) the bytes of this commit. */
#define PV_PTT_AUX_TRUNCATED 0x01u

/* A function that may be named in a filter. */
struct pv_ptt_filter {
	pv_bdf bdf;
	bool is_port;
};

/* The functions on the PTT's core: Root Ports, and everything below them, all in one domain. Sorted by BDF. */
struct pv_ptt_filters {
	struct pv_ptt_filter *entry; /* the caller's array ... */
	size_t max;		     /* ... and its size */
	size_t count;
};

/* -EEXIST: already there; -ENOSPC: the array is full. */
int pv_ptt_filter_add(struct pv_ptt_filters *list, pv_bdf bdf, bool is_port);
int pv_ptt_filter_remove(struct pv_ptt_filters *list, pv_bdf bdf); /* -ENOENT */
/* The 20-bit value of the ABI that selects this function alone. */
uint32_t pv_ptt_filter_value(const struct pv_ptt_filter *filter);

/* Fields of perf's config word. */
struct pv_ptt_params {
	uint32_t filter;    /* 20 bits */
	uint32_t direction; /* PTT_DIR_* */
	uint32_t type;	    /* PTT_TYPE_* */
	uint32_t format;    /* 0 = 4DW, 1 = 8DW */
};

/* Splits config and checks it against the lists: 0 or -EINVAL. */
int pv_ptt_params_check(const struct pv_ptt_filters *list, uint64_t config, struct pv_ptt_params *params);
/* TRACE_CTRL for these parameters, without EN. */
uint32_t pv_ptt_params_ctrl(const struct pv_ptt_params *params);

struct pv_ptt_dma {
	uint8_t *cpu;
	uint64_t dma;
};

/*
 * The consumer's methods. begin returns an area to copy into and its size; NULL: none now (data that come meanwhile are
 * lost, which is flagged). commit: the first `bytes` of it are valid; it returns non-zero if the consumer could not
 * take all.
 */
struct pv_ptt_aux {
	void *ctx;
	uint8_t *(*begin)(void *ctx, size_t *room);
	int (*commit)(void *ctx, size_t bytes, uint32_t flags);
};

struct pv_ptt {
	/* filled by the caller */
	struct pv_mmio io;
	struct pv_clock clock;
	struct pv_ptt_dma buffer[PTT_DMA_BUFFERS];
	uint32_t buffer_bytes; /* a multiple of 32, at most PTT_TRACE_WR_STS_WRITE_MASK */
	struct pv_ptt_aux aux;
	/* private; zero at first */
	uint8_t *area;
	size_t room, used;
	uint32_t wr_sts; /* the position seen last */
	unsigned next;	 /* index of the buffer to be handed over next */
	bool started;
	bool lost; /* the next commit must say that data is missing */
	bool draining, again;
	/* statistics */
	unsigned overruns;
	unsigned buffers; /* handed over whole */
};

/*
 * Reads or sets a tune event (PTT_TUNE_*). -ETIMEDOUT: the device was still busy after 1 s. When set, the hardware
 * turns a level above 2 into 2; -EINVAL: it does not fit into the register.
 */
int pv_ptt_tune_get(struct pv_ptt *ptt, uint32_t event, uint32_t *level);
int pv_ptt_tune_set(struct pv_ptt *ptt, uint32_t event, uint32_t level);

/* Quiets a device of unknown state: trace off, interrupts masked. */
void pv_ptt_quiet(struct pv_ptt *ptt);

/*
 * Leaves a quiet, idle device as after a reset: no status bit is set, the addresses of its buffers are cleared.
 */
void pv_ptt_rest(struct pv_ptt *ptt);

/* Returns true if the trace engine is idle, or becomes idle within 100 us: it no longer writes to any buffer. */
bool pv_ptt_is_idle(struct pv_ptt *ptt);

/* On errors nothing runs: -EBUSY: not idle; -ETIMEDOUT: its reset does not end; -ENOSPC: no AUX area that takes a
 * buffer. */
int pv_ptt_start(struct pv_ptt *ptt, const struct pv_ptt_params *params);
/* Hands over finished buffers in order. Returns true if there were any. */
bool pv_ptt_interrupt(struct pv_ptt *ptt);
/*
 * Ends the trace, hands over the rest, commits. -EBUSY: the device did not become idle (flagged); it may still write to
 * its buffers, which must stay allocated until pv_ptt_is_idle(), or until it is no longer a bus master.
 */
int pv_ptt_stop(struct pv_ptt *ptt);

#endif
