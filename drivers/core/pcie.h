/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration space as the driver core walks it (PCIe 5.0 chapter 7): capabilities, extended
 * capabilities, VSECs and DVSECs. Every walk is bounded: a looping or broken list ends as "not found".
 */
#ifndef PV_CORE_PCIE_H
#define PV_CORE_PCIE_H

#include "drivers/core/hw.h"

uint8_t pv_cfg_read8(const struct pv_cfg *cfg, uint32_t off);
uint16_t pv_cfg_read16(const struct pv_cfg *cfg, uint32_t off);
uint32_t pv_cfg_read32(const struct pv_cfg *cfg, uint32_t off);
void pv_cfg_write16(const struct pv_cfg *cfg, uint32_t off, uint16_t value);
void pv_cfg_write32(const struct pv_cfg *cfg, uint32_t off, uint32_t value);

/* Returns true if a function answers at this BDF. */
bool pv_pcie_present(const struct pv_cfg *cfg);

/* Offset of the first capability `id` (PCI_CAP_ID_*), 0: none. */
uint32_t pv_pcie_find_cap(const struct pv_cfg *cfg, uint8_t id);

/* Offset of the next extended capability `id` after the one at `after` (0: from the start), 0: none. */
uint32_t pv_pcie_next_ext_cap(const struct pv_cfg *cfg, uint32_t after, uint16_t id);

/*
 * Offset of the Vendor-Specific Extended Capability `vsec_id` (meaningful only under the function's own
 * vendor id, which must be `vendor`), 0: none. *revision and *bytes (NULL: not wanted) from its header.
 */
uint32_t pv_pcie_find_vsec(const struct pv_cfg *cfg, uint16_t vendor, uint16_t vsec_id, unsigned *revision,
			   unsigned *bytes);

/* Offset of the Designated VSEC `dvsec_id` of `vendor`, 0: none. *bytes (NULL: not wanted): its length. */
uint32_t pv_pcie_find_dvsec(const struct pv_cfg *cfg, uint16_t vendor, uint16_t dvsec_id, unsigned *bytes);

#endif
