/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for programs: arrays of objects. */
#ifndef PV_MPS_JSON_H
#define PV_MPS_JSON_H

#include <json-c/json.h>

#include "framework/mps/cure.h"
#include "framework/mps/peers.h"
#include "framework/mps/remark.h"
#include "framework/mps/whatif.h"

/*
 * Members: bdf, parent, type, ids, class, name, driver, mpss, mps, mrrs, link, link_max, mismatch, remarks, uplink (a
 * budget). `shown` selects functions; NULL: all. Returns NULL without memory.
 */
json_object *pv_json_show(const struct pv_pci_machine *m, const struct pv_mismatches *found,
			  const struct pv_remarks *remarks, const bool *shown);
/*
 * Members: bdf, parent, type, mpss, mps, mrrs, new_mps, new_mrrs, mps_depends_on_firmware, mrrs_depends_on_firmware,
 * throughput, remaining mismatches; with `peers` (NULL: none) also peers: to, at, payload, limit, root_complex, split.
 */
json_object *pv_json_plan(const struct pv_policy_plan *plan, const struct pv_mismatches *left,
			  const struct pv_peer_list *peers);
/* Members: bdf to mrrs as in plan; policies: for each policy an object of mps, mrrs and mismatch. */
json_object *pv_json_all(const struct pv_cures *cures);
/* Members: changes (as in plan); mismatches, new, mended (as in check; mended ones have no cures). */
json_object *pv_json_what_if(const struct pv_what_if *w);
/* Members: kind, from, to, requester, payload, limit, way, cure (null without `cures`), symptom, evidence. */
json_object *pv_json_check(const struct pv_mismatches *found, const struct pv_cures *cures);

/*
 * Reads the firmware's sizes: the output of show --json, or a dump of the same machine. The caller frees *out; *n is
 * the number of functions of m whose sizes it has, each once. 0 or -errno.
 */
int pv_initial_read(const struct pv_pci_machine *m, const char *path, struct pv_initial **out, size_t *n,
		    struct pv_error *e);

#endif
