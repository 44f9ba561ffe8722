/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Board descriptions: facts that cannot be read from a board (framework/schema/board.c, docs/lab.md). */
#ifndef PV_BOARD_DESCRIPTION_H
#define PV_BOARD_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "drivers/regs/pcie.h"
#include "framework/util/error.h"

enum { PV_BOARD_DEVICES_MAX = 256, PV_BOARD_WORDS_MAX = 60 };

/* The plan's function at `plan` is the board's function at `is`. */
struct pv_board_device {
	pv_bdf plan, is;
};

/* A command that moves data. Its ends are BDFs or the words "cpu", "memory". */
struct pv_board_workload {
	char *from, *to, *counts;
	char **words; /* terminated by NULL */
	unsigned timeout_s;
};

/* Power commands of the lab; NULL: none. `on` and `off` are both set or both NULL. */
struct pv_board_power {
	char *cycle, *on, *off;
	unsigned after_s; /* time for a board to return by itself, in seconds */
	unsigned boot_s;  /* time for a board to return after a power cycle, in seconds */
	/*
	 * The state into which `cycle` brings the board, by a strategy of labgrid: it needs the console, and may take
	 * boot_s; NULL: without a strategy.
	 */
	char *state;
};

struct pv_board_description {
	char *name;	    /* for reports */
	double ptt_tick_hz; /* 0: unknown */
	char *tap;	    /* absolute path of a socket; NULL: no tap */
	struct pv_board_device *devices;
	size_t n_devices;
	struct pv_board_workload *workloads;
	size_t n_workloads;
	double tolerance; /* tolerance between counters and workloads, as a share */
	pv_bdf *vouched;
	size_t n_vouched;
	bool vouches_for_all;
	struct pv_board_power power;
	char *console; /* a command that prints the console; NULL: none */
	/* Commands of labgrid for the place; power and console then use labgrid, too. NULL: without labgrid. */
	char *acquire, *release, *show, *off;
	bool writes; /* cases may change state that can be restored */
};

/* Reads and checks a file. 0, or -errno with the first problem in *e; free it either way. */
int pv_board_read(const char *path, struct pv_board_description *out, struct pv_error *e);
/* Only checks a file, and reports all problems of the schema. */
int pv_board_validate(const char *path, void (*report)(void *ctx, const struct pv_error *problem), void *ctx);
/* Returns true if the file is XML with the root <board>, valid or not. */
bool pv_board_is_description(const char *path);
/* Returns true if the lab vouches for those properties of a function that cannot be read. `d` NULL: false. */
bool pv_board_vouches(const struct pv_board_description *d, pv_bdf bdf);
void pv_board_description_free(struct pv_board_description *d);

#endif
