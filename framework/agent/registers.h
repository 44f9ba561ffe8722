/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of functions, read past their drivers: configuration space with its capabilities, and BARs. */
#ifndef PV_AGENT_REGISTERS_H
#define PV_AGENT_REGISTERS_H

#include "framework/agent/session.h"
#include "framework/oracle/oracle.h"

/* Reads a register; bar -1: configuration space. 0, or -1: reported, and the case ends. */
int pv_registers_read(struct pv_session *s, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value);

/* Returns the offset of a capability, or of an extended one; 0: none. */
uint32_t pv_registers_cap(struct pv_session *s, pv_bdf bdf, unsigned id);
uint32_t pv_registers_ext_cap(struct pv_session *s, pv_bdf bdf, unsigned id);
/* The same for a Vendor-Specific Extended Capability with this ID and revision, and for a DVSEC of this vendor. */
uint32_t pv_registers_vsec(struct pv_session *s, pv_bdf bdf, unsigned id, unsigned revision);
uint32_t pv_registers_dvsec(struct pv_session *s, pv_bdf bdf, unsigned vendor, unsigned id);

/* The registers of a CPMU. */
struct pv_cpmu_registers {
	pv_bdf bdf;
	int bar;
	uint32_t off;
};

/* Finds the n-th CPMU through the Register Locator (CXL 3.1 8.1.9). 0, or -1: reported. */
int pv_registers_cpmu(struct pv_session *s, pv_bdf bdf, unsigned n, struct pv_cpmu_registers *b);
/* Reads a register of 64 bits. 0, or -1: reported. */
int pv_registers_cpmu_read(struct pv_session *s, const struct pv_cpmu_registers *b, uint32_t off, uint64_t *value);

/* Reads Link Status of a port (PCIe 5.0 7.5.3.8). 0, or -1: reported. */
int pv_registers_link(struct pv_session *s, pv_bdf port, struct pv_link_rate *link);

#endif
