/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The far side: answers requests by calling a driver, a machine and a shell. */
#ifndef PV_FAR_SERVER_H
#define PV_FAR_SERVER_H

#include "framework/far/protocol.h"
#include "framework/far/tables.h"

struct pv_far_server;

/* NULL: no memory. The tables must outlive the server. */
struct pv_far_server *pv_far_server_new(const struct pv_far_tables *tables);
/* Closes the events that are open. */
void pv_far_server_free(struct pv_far_server *s);

/*
 * Answers a request. `room` is the largest message that the transport takes in either direction, at least
 * PV_FAR_MESSAGE_MIN: the hello tells it to the client. Returns the length of the answer. Malformed requests are
 * answered with -EBADMSG, unknown ops with -EOPNOTSUPP.
 */
size_t pv_far_serve(struct pv_far_server *s, const void *request, size_t n, void *answer, size_t room);

#endif
