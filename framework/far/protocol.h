/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol of client and server; docs/far.md describes every message. The client sends one request at a time, the
 * server answers it.
 */
#ifndef PV_FAR_PROTOCOL_H
#define PV_FAR_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#define PV_FAR_MAGIC   0x72616676u /* "vfar" */
#define PV_FAR_VERSION 4u

/* Limits of a message and of what is in it. */
#ifndef PV_FAR_MESSAGE_MAX /* smaller in the fuzzer, which creates many clients */
#define PV_FAR_MESSAGE_MAX   (16u << 20)
#define PV_FAR_FUNCTIONS_MAX 4096u /* maximum number of functions for the reference driver */
#endif
#define PV_FAR_MESSAGE_MIN 4096u /* what every side takes */
#define PV_FAR_NAME_MAX	   256u	 /* of a PMU, with its 0 byte */
#define PV_FAR_PATH_MAX	   512u
#define PV_FAR_TEXT_MAX	   8192u /* of an attribute or a log line */
#define PV_FAR_EVENTS_MAX  1024u
#define PV_FAR_COMMIT_MAX  (1u << 30) /* one commit of AUX data */
#define PV_FAR_OUTPUT_MAX  (4u << 20) /* standard output or error of a program */

/* The first number of a request and of its answer. */
enum pv_far_op {
	PV_FAR_HELLO = 1,
	PV_FAR_AUX_MORE, /* the AUX data that did not fit into the last answer */

	/* struct pv_driver_ops */
	PV_FAR_PROBE_STATUS,
	PV_FAR_PMU_NAME,
	PV_FAR_PMU_PARENT,
	PV_FAR_ATTR_READ,
	PV_FAR_ATTR_WRITE,
	PV_FAR_ATTR_LIST,
	PV_FAR_EVENT_OPEN,
	PV_FAR_EVENT_ENABLE,
	PV_FAR_EVENT_DISABLE,
	PV_FAR_EVENT_READ,
	PV_FAR_EVENT_CLOSE,
	PV_FAR_EVENT_TIMES,
	PV_FAR_EVENT_HOLD,
	PV_FAR_EVENT_RECORDS,
	PV_FAR_GET_SIZE,
	PV_FAR_SET_SIZE,
	PV_FAR_SLOT_EVENT,
	PV_FAR_GONE,
	PV_FAR_RESCAN,
	PV_FAR_REMOVE,
	PV_FAR_LOG_LINE,
	PV_FAR_PTT_BUFFER,

	/* struct pv_machine_ops */
	PV_FAR_REG_READ,
	PV_FAR_REG_WRITE,
	PV_FAR_WAIT,
	PV_FAR_NOW,

	/* struct pv_shell_ops */
	PV_FAR_RUN,
	PV_FAR_FILE_READ,
	PV_FAR_FILE_WRITE,
	PV_FAR_MODULE_LOAD,
	PV_FAR_MODULE_UNLOAD,

	PV_FAR_EVENT_TAKE, /* of struct pv_driver_ops */
	PV_FAR_REFERENCE,  /* from now on the driver is the reference driver */
	PV_FAR_SET_VFS,	   /* of struct pv_driver_ops */
	PV_FAR_EVENT_POLL, /* the same */
	PV_FAR_EVENT_MMAP, /* the same */
	PV_FAR_OPS
};

/*
 * A request: u32 op, u32 sequence, then what the op takes. An answer: u32 op, u32 sequence, i32 result (0 or -errno),
 * u32 number of AUX pieces, u8 1 if there are more for PV_FAR_AUX_MORE; what the op gives, when the result is 0; the
 * pieces.
 */
#define PV_FAR_ANSWER_PIECES 12u /* where their number is */
#define PV_FAR_ANSWER_HEAD   17u

/* A piece of AUX data: u32 event, u32 flags, u8 1 if the commit goes on in the next piece of this event, bytes. */
#define PV_FAR_PIECE_HEAD 13u

/* Sends a request of n bytes and receives an answer of at most `room` bytes. Returns its length or -errno. */
typedef int64_t (*pv_far_exchange_fn)(void *ctx, const void *request, size_t n, void *answer, size_t room);

#endif
