/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which lines of C source decide something. gcc counts each branch at the line of the driver where it is written or
 * where a macro is used, and does not tell which: test_bit() and WARN_ON() have branches that no line of a driver
 * decides.
 */
#ifndef PV_RUN_CONDITIONS_H
#define PV_RUN_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sets decides[i] for line i + 1 if it belongs to a statement that the source itself makes branch: one with `if`,
 * `for`, `while`, `switch`, `?`, `&&`, `||`, or a macro whose name has "for_each". All branches of other lines are made
 * by macros. Lines of preprocessor directives decide nothing. Lines from `n` on are left out.
 */
void pv_conditions(const char *text, bool *decides, size_t n);

#endif
