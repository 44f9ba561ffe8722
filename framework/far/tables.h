/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables that a far side serves. */
#ifndef PV_FAR_TABLES_H
#define PV_FAR_TABLES_H

#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

/* The reference driver, which a client may request instead of the tables' driver. */
struct pv_far_reference {
	void *ctx;
	/* Boots it on these functions, n 0: on all. 0 or -errno. Until end() the driver and the machine are these. */
	int (*boot)(void *ctx, enum pv_mps_policy policy, const pv_bdf *functions, size_t n, struct pv_driver **driver,
		    struct pv_machine **machine, struct pv_error *e);
	void (*end)(void *ctx); /* with no event open */
};

struct pv_far_tables {
	struct pv_driver *driver;
	struct pv_machine *machine; /* NULL: none */
	struct pv_shell *shell;	    /* NULL: none */
	const char *system;	    /* description of this system, one line */
	size_t aux_max;		    /* limit of AUX data that wait for the client, in bytes; more are refused */
	bool read_only;		    /* ops that change the machine are missing ... */
	bool undoes;		    /* ... except those that the tables undo */
	bool executes;		    /* ... and except running programs */
	bool unbinds;		    /* with `undoes`: the reference driver may take functions from the kernel's */
	struct pv_far_reference reference; /* boot NULL: there is none */
};

#endif
