/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about a machine that configuration space lacks: its PMUs, with their names in the kernel and their functions
 * ("PMU hisi_ptt0_1": "at 0000:75:00.1, ports 0000:75:10.0 0000:75:11.0" in environment.json).
 */
#ifndef PV_BOARD_FACTS_H
#define PV_BOARD_FACTS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "drivers/regs/pcie.h"

enum { PV_FACTS_NAME = 48 };
#define PV_FACTS_POLICY "MPS policy built in" /* "perf (boot/config-6.12.0)": the kernel's, without an argument */

#define PV_FACTS_UNKNOWN "environment" /* "not readable: WHY": there are no other facts */

/* Returns a fact of an environment, which may be NULL; "": none. */
const char *pv_facts_said(json_object *environment, const char *name);
/*
 * Finds the PMU of a function with a name that begins with `prefix`; of a CXL memory device, PMU number `cpmu`. Writes
 * its name. False: no such PMU is known.
 */
bool pv_facts_pmu(json_object *environment, pv_bdf at, const char *prefix, unsigned cpmu, char name[PV_FACTS_NAME]);
/* Returns true if a list of a PMU ("ports", "events") contains the word. */
bool pv_facts_has(json_object *environment, const char *pmu, const char *list, const char *word);

#endif
