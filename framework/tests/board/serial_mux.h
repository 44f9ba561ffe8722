/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssh connections from a socket of the host to the guest's second serial port, one after the other. ci/guest.d/relay.c
 * is the other end, and says how: frames with a u16 of their length, little-endian; an empty one ends the connection.
 */
#ifndef PV_TESTS_CARRIER_H
#define PV_TESTS_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PV_SERIAL_MUX_FRAME 4096u
#define PV_SERIAL_MUX_ROOM  65536u

struct pv_serial_mux_buffer {
	uint8_t data[PV_SERIAL_MUX_ROOM];
	size_t n;
};

struct pv_serial_mux {
	int client; /* -1: none */
	int serial;
	bool told_end, heard_end; /* of this connection; both true: there is none */
	struct pv_serial_mux_buffer to_guest, to_client, raw;
};

void pv_serial_mux_init(struct pv_serial_mux *c, int serial);
/* Is there no connection, so that the next may come? */
bool pv_serial_mux_is_free(const struct pv_serial_mux *c);
/* Begins one; the descriptor is taken over. */
void pv_serial_mux_begin(struct pv_serial_mux *c, int client);
/* For poll(2): what it waits for, 0 for nothing. */
short pv_serial_mux_wants_client(const struct pv_serial_mux *c);
short pv_serial_mux_wants_serial(const struct pv_serial_mux *c);
/* Moves what there is. False: the serial port is closed, or says what makes no sense. */
bool pv_serial_mux_move(struct pv_serial_mux *c, short client_revents, short serial_revents);

#endif
