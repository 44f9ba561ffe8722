/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between a tap and its user, over a stream socket: frames (framework/far/frames.h) with a request and its
 * operand, or an answer and its data. Both ends run on one machine and are built from this file, so structs are sent as
 * they are in memory.
 */
#ifndef PV_TAP_PROTOCOL_H
#define PV_TAP_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#define PV_TAP_MAGIC	   0x31706174u /* "tap1" */
#define PV_TAP_OPERAND_MAX 4096u
#define PV_TAP_RECORDS_MAX 4096u /* ledger records of one answer */
#define PV_TAP_ANSWER_MAX  (64u << 20)

enum pv_tap_op {
	PV_TAP_HELLO = 1,    /* arg[0]: PV_TAP_MAGIC, arg[1]: sizeof(struct pv_traffic_conf); gives struct pv_wire_file.
				The ledger begins    anew; its first records, if the tap knows, say what ports are like */
	PV_TAP_TRAFFIC,	     /* operand: struct pv_traffic_conf; the result is the stream */
	PV_TAP_CXL_TRAFFIC,  /* operand: struct pv_cxl_traffic_conf; the result is the stream; -EOPNOTSUPP: too dense to
				be endless */
	PV_TAP_TRAFFIC_STOP, /* arg[0]: stream */
	PV_TAP_STATS,	     /* arg[0]: stream; gives struct pv_traffic_stats */
	PV_TAP_IDLE,	     /* the result is 1 or 0 */
	PV_TAP_LINK_STATE,   /* arg: port, state, ns */
	PV_TAP_PHY_EVENT,    /* arg[0]: port; operand: struct pv_phy_event */
	PV_TAP_RECORDS,	     /* arg[0]: the first; gives at most PV_TAP_RECORDS_MAX struct pv_wire; none: that is all */
	PV_TAP_CFG_IMAGES,   /* gives struct pv_cfg_image, as many as there are */
	PV_TAP_RESET_IMAGES, /* the same */
	PV_TAP_DMA_LOST,     /* gives struct pv_dma_lost */
	PV_TAP_NOW,	     /* gives u64 ps */
	PV_TAP_OPS
};

struct pv_tap_ask {
	uint32_t op, reserved;
	uint64_t arg[3];
	uint8_t operand[PV_TAP_OPERAND_MAX]; /* as long as the op's */
};

struct pv_tap_answer {
	int32_t result; /* 0, what the op says, or -errno, without data */
	uint32_t reserved;
	_Alignas(max_align_t) uint8_t data[];
};

#endif
