/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest of a run, from its options: finds or builds QEMU, kernel and initramfs. */
#ifndef PV_QEMU_GUEST_PARTS_H
#define PV_QEMU_GUEST_PARTS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "framework/util/error.h"

struct pv_guest_options {
	const char *kernel;  /* fast, debug, debian:SERIES, ..., or an Image; NULL: fast */
	const char *modules; /* folder with modules that replace the kernel's modules of the same name */
	const char *source;  /* file.c or folder with a Makefile: compiled for the kernel, and used like modules */
	const char *append;  /* for the kernel's command line */
	bool real_time;
	bool leaks;	 /* run kmemleak after each case */
	bool fresh_boot; /* never use a saved machine */
	bool perf;	 /* a case runs the guest's perf */
	bool gcov;	 /* save line coverage of the drivers under test after each case */
	bool module;	 /* a case needs the kernel module of the far side */
};

/*
 * Runs ci/qemu and ci/guest, whose folder is `ci`; their progress goes to standard error. The caller puts *out
 * (docs/protocol.md, "guest"). 0, or -errno with *e naming what is missing; -ENOEXEC: the source under test, of
 * `source` or of a kernel source:TREE, does not compile.
 */
int pv_guest_find_parts(const struct pv_guest_options *guest, const char *ci, json_object **out, struct pv_error *e);

#endif
