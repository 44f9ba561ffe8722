/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the client. */
#ifndef PV_FAR_CLIENT_INTERNAL_H
#define PV_FAR_CLIENT_INTERNAL_H

#include "framework/far/bytes.h"
#include "framework/far/names.h"
#include "framework/far/protocol.h"
#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

/* A commit of AUX data that is incomplete, or that the consumer refused. */
struct pv_far_stash {
	struct pv_far_stash *next;
	uint32_t flags;
	size_t len, room;
	uint8_t *data;
};

/* An event that is open at the far side. */
struct pv_perf_event {
	uint32_t id;
	pv_perf_aux_fn aux;
	void *aux_ctx;
	struct pv_far_stash coming;	     /* pieces so far */
	struct pv_far_stash *refused, **end; /* whole commits, oldest first */
	size_t refused_bytes;
	bool held;	/* at the far side, because data were refused */
	bool held_here; /* by event_hold() */
	bool lost;	/* a commit was lost, because the far side cannot hold */
	struct pv_perf_event *next;
};

struct pv_far_client {
	struct pv_driver driver;
	struct pv_machine machine;
	struct pv_shell shell;
	struct pv_driver_ops driver_ops;
	struct pv_machine_ops machine_ops;
	struct pv_shell_ops shell_ops;

	pv_far_exchange_fn exchange;
	void *ctx;
	uint32_t sequence;
	size_t far_max; /* largest request that the far side takes */
	struct pv_put request;
	struct pv_get answer;
	uint32_t pieces; /* at the end of the answer */
	bool more;
	uint8_t *request_buf, *answer_buf;
	struct pv_error failure;

	char system[256];
	struct pv_far_names names; /* of PMUs; all NULL: the same on both sides */
	struct pv_perf_event *events;
	/* Results of calls, valid until the next call. */
	char why[PV_FAR_TEXT_MAX], name[PV_FAR_TEXT_MAX], line[PV_FAR_TEXT_MAX];
};

struct pv_far_client *pv_far_of_driver(struct pv_driver *d);
struct pv_far_client *pv_far_of_machine(struct pv_machine *m);
struct pv_far_client *pv_far_of_shell(struct pv_shell *s);

/*
 * A call: begin, put the arguments into c->request, ask, get the results from c->answer if ask() returned 0, end. end()
 * takes the result of ask(), and hands over AUX data. Both return 0 or -errno.
 */
struct pv_put *pv_far_begin(struct pv_far_client *c, enum pv_far_op op);
int pv_far_ask(struct pv_far_client *c);
int pv_far_end(struct pv_far_client *c, int result);
/* For calls without arguments: ask and end. */
int pv_far_call(struct pv_far_client *c);

/* Marks the far side as dead. Returns -ECONNRESET. */
int pv_far_die(struct pv_far_client *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* call_aux.c */

/* Reads the pieces of an answer. */
int pv_far_take_pieces(struct pv_far_client *c);
/* If the driver cannot hold: flags the loss of refused data as soon as the consumer accepts a commit. */
void pv_far_tell_lost(struct pv_perf_event *ev);
/* Before time passes: offers refused data again, and releases events that have room on the far side. */
int pv_far_offer(struct pv_far_client *c);
/* Afterwards: requests data that did not fit into the answer, and holds events whose consumers refused. */
int pv_far_settle(struct pv_far_client *c, int result);
void pv_far_forget_aux(struct pv_perf_event *ev);

extern const struct pv_driver_ops pv_far_driver_ops;
extern const struct pv_machine_ops pv_far_machine_ops;
extern const struct pv_shell_ops pv_far_shell_ops;

#endif
