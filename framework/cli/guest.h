/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the options of a run to the guest that its cases run in: finds, or has built, QEMU, kernel and initramfs. */
#ifndef PV_CLI_GUEST_H
#define PV_CLI_GUEST_H

#include <json-c/json.h>
#include <stdbool.h>

#include "framework/util/error.h"

struct pv_cli_guest {
	const char *kernel;  /* fast, debug, debian:SERIES, ..., or an Image; NULL: fast */
	const char *modules; /* folder with modules, loaded instead of those of the kernel that have the same name */
	const char *append;  /* for the kernel's command line */
	bool real_time;
	bool leaks;	 /* kmemleak looks for lost memory after each case */
	bool fresh_boot; /* never from a saved machine */
	bool perf;	 /* some case runs the guest's perf */
};

/*
 * Runs ci/qemu and ci/guest of the tree that holds the first plan; what they say of their progress goes to standard
 * error. The caller puts *out (docs/protocol.md, "guest"). 0, or -errno with what is missing.
 */
int pv_cli_guest_json(const struct pv_cli_guest *guest, const char *const *plans, size_t n, json_object **out,
		      struct pv_error *e);

#endif
