/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the server. */
#ifndef PV_FAR_SERVER_INTERNAL_H
#define PV_FAR_SERVER_INTERNAL_H

#include "framework/far/bytes.h"
#include "framework/far/protocol.h"
#include "framework/far/tables.h"

/* An event that a client has opened. */
struct pv_far_event {
	uint32_t id;
	struct pv_perf_event *event;
	struct pv_far_server *server;
	struct pv_far_event *next;
};

/* AUX data as they were committed; `sent` bytes of them are with the client. */
struct pv_far_commit {
	struct pv_far_commit *next;
	uint32_t id, flags;
	size_t len, sent;
	uint8_t data[];
};

struct pv_far_server {
	struct pv_far_tables t;
	struct pv_far_tables
		own; /* the tables of pv_far_server_new(); `t` differs while the reference driver is in use */
	struct pv_far_event *events;
	size_t n_events;
	uint32_t last_id;
	struct pv_far_commit *first, **end; /* commits that wait for the client */
	size_t waiting;			    /* size of their data in bytes */
	bool refused;			    /* the driver has refused data */
	size_t room, client_room;	    /* the largest message of the transport, and of the client */
};

/*
 * A handler reads the arguments of its op, executes it, and writes the results. Returns 0, or -errno, which discards
 * the results. pv_get_done() detects bad requests before anything is done.
 */
typedef int (*pv_far_handler)(struct pv_far_server *s, struct pv_get *g, struct pv_put *p);

/* serve_driver.c, serve_events.c, serve_shell.c: handlers by op; NULL for those of others. */
extern const pv_far_handler pv_far_driver_handlers[PV_FAR_OPS];
extern const pv_far_handler pv_far_event_handlers[PV_FAR_OPS];
extern const pv_far_handler pv_far_shell_handlers[PV_FAR_OPS];

/* serve_events.c */
void pv_far_close_events(struct pv_far_server *s);
/* Writes as many pieces as fit and returns their number. */
uint32_t pv_far_aux_put(struct pv_far_server *s, struct pv_put *p);
bool pv_far_aux_has_more(const struct pv_far_server *s);

#endif
