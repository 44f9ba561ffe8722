/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The revision and the compiler of this program, for reports. */
#ifndef PV_RUN_BUILD_H
#define PV_RUN_BUILD_H

extern const char
	pv_build_revision[]; /* "41fee77d01c2", with "-dirty" if files were changed; "unknown": built from a tarball */
extern const char pv_build_compiler[]; /* "gcc 12.2.0, release, sanitizers: none" */

#endif
