/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine model of the MPS and MRRS oracle. mps_config.c reads functions from their configuration space,
 * mps_tree.c arranges them by bus number, mps.c applies the policy.
 */
#ifndef PV_ORACLE_MPS_H
#define PV_ORACLE_MPS_H

#include "framework/oracle/oracle.h"

#define PV_TREE_BUSES 256

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

/* The functions of one PCI domain. */
struct pv_tree {
	enum pv_mps_policy policy;
	unsigned domain;
	struct pv_mps_node
		*f; /* n of them, in the order of their arrival, room for all events; not present: other domains */
	size_t n;
	int *by_rid;			    /* 65536 indices, -1: no function */
	int above[PV_TREE_BUSES];	    /* the bridge whose secondary bus it is, -1: none */
	bool no_larger_mrrs[PV_TREE_BUSES]; /* by root bus: set by a port of its host bridge */
	bool seen[PV_TREE_BUSES];	    /* visited: wrong bus numbers must not cause loops */
};

/* mps_config.c */
void pv_mps_node_read(const struct pv_cfg_image *c, struct pv_mps_node *f);
/* Sets what depends on the bridge above (NULL: none): the corrected port type, and whether it can have a slot. */
void pv_mps_node_place(struct pv_mps_node *f, const struct pv_mps_node *bridge);
bool pv_mps_node_heads_link(const struct pv_mps_node *f); /* a port that faces down, or a bridge towards PCIe */
unsigned pv_mps_node_mps(const struct pv_mps_node *f);	  /* bytes */
unsigned pv_mps_node_mrrs(const struct pv_mps_node *f);
/* Write one field. Sizes that Linux refuses to write are ignored. */
void pv_mps_node_set_mps(struct pv_mps_node *f, unsigned bytes);
void pv_mps_node_set_mrrs_to_mps(struct pv_mps_node *f, bool no_larger);

/* mps_tree.c */
/* Adds the functions of its domain, as not yet found. -EINVAL: two with one BDF. */
int pv_tree_add(struct pv_tree *m, const struct pv_cfg_image *images, size_t n);
void pv_tree_remove_all(struct pv_tree *m);
void pv_tree_remove_below(struct pv_tree *m, const struct pv_mps_node *bridge);
struct pv_mps_node *pv_tree_at(struct pv_tree *m, unsigned rid); /* NULL: no function; the domain is ignored */
struct pv_mps_node *pv_tree_bridge_above(struct pv_tree *m, const struct pv_mps_node *f);
uint8_t pv_tree_root_bus(struct pv_tree *m, const struct pv_mps_node *f); /* of its host bridge */
/* Returns true if Linux probes this place for a function. */
bool pv_tree_is_looked_for(struct pv_tree *m, const struct pv_mps_node *f);
bool pv_tree_has_bus(struct pv_tree *m, const struct pv_mps_node *f); /* is a bridge with a bus below it */
/*
 * Calls fn for the functions of a bus in ascending order, then recursively below those of its bridges that Linux knows.
 * Visits each bus once.
 */
typedef void pv_tree_visit(struct pv_tree *m, struct pv_mps_node *f, unsigned *value);
void pv_tree_walk(struct pv_tree *m, unsigned bus, pv_tree_visit *fn, unsigned *value);

#endif
