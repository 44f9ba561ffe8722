/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The models' end of the fabric (fixtures/qemu/fabric.h): serves accesses that QEMU's device forwards for the guest,
 * keeps the models' time in step with the guest's clock, and carries messages to the far-side program in the guest.
 * The guest runs only during an exchange.
 */
#ifndef PV_QEMU_FABRIC_H
#define PV_QEMU_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fixtures/models/model.h"
#include "fixtures/qemu/fabric.h"
#include "framework/qemu/mmio_log.h"
#include "framework/qemu/snapshot_file.h"
#include "framework/target/msi_delay.h"
#include "framework/util/error.h"

/* Memory that QEMU and this process have mapped. */
struct pv_shared {
	int fd;
	uint8_t *at;
	size_t bytes;
};

struct pv_fabric_peer {
	struct pv_model *model;	      /* NULL: nothing is behind the host bridges */
	struct pv_shared ram, window; /* the guest's */
	int fd;			      /* the socket; -1: closed */
	struct pv_fabric_hello hello; /* what the guest's host bridges are */

	bool waiting;			/* the far side waits for the answer to its call */
	uint64_t guest_ns;		/* the guest's clock when it asked last */
	uint64_t ahead_ps;		/* models' time - guest's clock */
	struct pv_fabric_answer answer; /* being made */
	struct pv_msi_delay delay;	/* of MSIs; the owner sets `latency_ps` */
	uint64_t asks, msis_lost;
	struct pv_fabric_ask asked; /* the last one */

	/* Set by the owner: */
	uint64_t tick_ns;	       /* maximum time between two asks, by the guest's clock; 0: none */
	struct pv_mmio_log *log;       /* NULL: accesses are not logged */
	bool (*guest_runs)(void *ctx); /* called while nothing arrives; false ends the wait. NULL: wait on */
	void *ctx;
};

/* Allocates zeroed guest RAM and the window; *device_fd is the other end of the socket, for QEMU. 0 or -errno. */
int pv_fabric_open(struct pv_fabric_peer *f, struct pv_model *model, size_t ram_bytes, size_t window_bytes,
		   int *device_fd);
/* Takes over the descriptors of another fabric, whose far side waits for an answer; closes them on failure. */
struct pv_fabric_fds {
	int socket, ram, window;
};
int pv_fabric_adopt(struct pv_fabric_peer *f, struct pv_model *model, const struct pv_fabric_fds *fds);
/* Closes the socket, which makes QEMU exit, and frees. */
void pv_fabric_close(struct pv_fabric_peer *f);

/*
 * Hooks of struct pv_model_env. DMA goes to guest RAM, through QEMU's IOMMU if the hello says so; NULL also if the
 * IOMMU maps the range to several places. An MSI goes to the guest with the next answer.
 */
void *pv_fabric_dma_map(struct pv_fabric_peer *f, pv_bdf bdf, uint64_t addr, size_t bytes);
void pv_fabric_msi(struct pv_fabric_peer *f, pv_bdf bdf, unsigned vector);

/*
 * Sends `request` to the far side and receives its reply; the guest runs until then. The first call receives the far
 * side's hello: n = 0. Returns the length of the reply; -EMSGSIZE: it does not fit; -ECONNRESET: QEMU has exited;
 * -EPROTO: QEMU sent an invalid request; -ETIMEDOUT: guest_runs() returned false.
 */
int64_t pv_fabric_exchange(struct pv_fabric_peer *f, const void *request, size_t n, void *reply, size_t room);

/*
 * For an owner with an event loop of its own, and a guest whose far-side program does not call: receives one ask, and
 * answers it. The guest does not run in between. 0; -ECONNRESET: QEMU has ended; -EPROTO.
 */
int pv_fabric_take(struct pv_fabric_peer *f, struct pv_fabric_ask *a);
int pv_fabric_answer(struct pv_fabric_peer *f, const struct pv_fabric_ask *a);

/*
 * While the far side waits for an answer: makes it repeat its message, as after a restore. Ends the log. 0 or -errno.
 */
int pv_fabric_again(struct pv_fabric_peer *f);

/*
 * While the far side waits for an answer: saves the machine to the file given to QEMU, and ends QEMU. A machine
 * restored from it begins by repeating the far side's message. Ends the log. 0; -EIO: QEMU could not write the file;
 * otherwise as pv_fabric_exchange().
 */
int pv_fabric_save(struct pv_fabric_peer *f);

/*
 * While the far side waits for an answer: rewinds the machine to a snapshot, where the far side repeats its message,
 * received as after pv_fabric_open(). The guest's console is `console_fd` from then on. 0 or -errno, as above.
 */
int pv_fabric_rewind(struct pv_fabric_peer *f, const struct pv_snapshot_file *saved, int console_fd);

/*
 * Replays a log to the models of a fabric that is not open. Models, clock and MSIs are then where the log ends. Returns
 * false if an answer differed; the models are then in no defined state.
 */
bool pv_fabric_replay(struct pv_fabric_peer *f, const struct pv_mmio_access *at, size_t n);

/* Copies clock and MSIs from another fabric of the same models, open or not. */
void pv_fabric_continue(struct pv_fabric_peer *f, const struct pv_fabric_peer *from);

#endif
