/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of the MPS and MRRS oracle: mps_config.c reads it from its configuration space, mps.c applies the policy.
 */
#ifndef PV_ORACLE_MPS_INTERNAL_H
#define PV_ORACLE_MPS_INTERNAL_H

#include "framework/oracle/oracle.h"

/* A function with its sizes. */
struct pv_mps_node {
	pv_bdf bdf;
	bool present, found;	      /* found: Linux knows it */
	bool pcie, vf, bridge, multi; /* multi: multi-function bit */
	bool hotplug;		      /* Linux: is_hotplug_bridge */
	bool no_larger_mrrs;	      /* its host bridge does not tolerate a larger MRRS (Linux: no_inc_mrrs) */
	uint8_t type;		      /* PCI_EXP_TYPE_*, as corrected by Linux */
	uint8_t secondary;	      /* bridges; 0: not configured */
	unsigned mpss;		      /* bytes; 8192 and 16384 are the reserved codes */
	unsigned mrrs_max;	      /* bytes */
	uint16_t flags;		      /* PCI Express Capabilities register */
	uint32_t slot;		      /* Slot Capabilities register */
	uint16_t devctl, fixed;	      /* Device Control, and its read-only bits */
	bool forwards_ari;	      /* ARI Forwarding Supported */
	bool ari;		      /* has an ARI capability */
	uint8_t ari_next;	      /* function number, 0: the last */
	uint16_t vf_first, vf_stride, vf_count;
};

void pv_mps_node_read(const struct pv_cfg_image *c, struct pv_mps_node *f);
/* Sets what depends on the bridge above (NULL: none): the corrected port type, and whether it can have a slot. */
void pv_mps_node_place(struct pv_mps_node *f, const struct pv_mps_node *bridge);
bool pv_mps_node_heads_link(const struct pv_mps_node *f); /* a port that faces down, or a bridge towards PCIe */
unsigned pv_mps_node_mps(const struct pv_mps_node *f);	  /* bytes */
unsigned pv_mps_node_mrrs(const struct pv_mps_node *f);
/* Write one field. Sizes that Linux refuses to write are ignored. */
void pv_mps_node_set_mps(struct pv_mps_node *f, unsigned bytes);
void pv_mps_node_set_mrrs_to_mps(struct pv_mps_node *f, bool no_larger);

#endif
