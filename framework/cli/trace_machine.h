/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dump of a machine, which gives the names and sizes of functions in a trace: `--machine DUMP`. */
#ifndef PV_CLI_TRACE_MACHINE_H
#define PV_CLI_TRACE_MACHINE_H

#include "framework/analysis/stat_machine.h"
#include "framework/util/error.h"

#define PV_CLI_MACHINE_HELP \
	"names, MPS, MRRS and links of the devices: what\n'lspci -vv' or 'lspci -xxxx' prints, run as root"

/* Reads the dump. 0 or -errno with *e filled. */
int pv_cli_machine_read(struct pv_stat_machine *m, const char *path, struct pv_error *e);
void pv_cli_machine_drop(struct pv_stat_machine *m);

#endif
