/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssh connections from a socket of the host to the guest's second serial port, one after the other. ci/guest.d/relay.c is
 * the other end, and says how: frames with a u16 of their length, little-endian; an empty one ends the connection.
 */
#ifndef PV_STANDIN_CARRIER_H
#define PV_STANDIN_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PV_CARRIER_FRAME 4096u
#define PV_CARRIER_ROOM	 65536u

struct pv_carrier_buffer {
	uint8_t data[PV_CARRIER_ROOM];
	size_t n;
};

struct pv_carrier {
	int client; /* -1: none */
	int serial;
	bool told_end, heard_end; /* of this connection; both true: there is none */
	struct pv_carrier_buffer to_guest, to_client, raw;
};

void pv_carrier_init(struct pv_carrier *c, int serial);
/* Is there no connection, so that the next may come? */
bool pv_carrier_is_free(const struct pv_carrier *c);
/* Begins one; the descriptor is taken over. */
void pv_carrier_begin(struct pv_carrier *c, int client);
/* For poll(2): what it waits for, 0 for nothing. */
short pv_carrier_wants_client(const struct pv_carrier *c);
short pv_carrier_wants_serial(const struct pv_carrier *c);
/* Moves what there is. False: the serial port is closed, or says what makes no sense. */
bool pv_carrier_move(struct pv_carrier *c, short client_revents, short serial_revents);

#endif
