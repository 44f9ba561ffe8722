/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the registers of capabilities. Where a capability stands is the function's affair: both lists of the
 * configuration space are walked (PCIe 5.0 7.5.1.1.11 and 7.6.3), and what stands at the place that is asked for
 * decides.
 */
#include <stdbool.h>
#include <stdio.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"

enum { FIRST_CAP = 0x40, CAPS_MAX = (PCI_EXT_CAP_START - FIRST_CAP) / 4, EXT_CAPS_MAX = PCI_CFG_BYTES / 8 };

#define ONE(reg)                \
	{                       \
		reg, 0, 1, #reg \
	}
#define HEAD(cap)                      \
	{                              \
		0, 0, 1, cap " header" \
	}

static const struct pv_reg_range msi_regs[] = {
	HEAD("PCI_MSI"), ONE(PCI_MSI_FLAGS), ONE(PCI_MSI_ADDRESS_LO), ONE(PCI_MSI_ADDRESS_HI), ONE(PCI_MSI_DATA_64),
};

static const struct pv_reg_range exp_regs[] = {
	HEAD("PCI_EXP"),     ONE(PCI_EXP_FLAGS),   ONE(PCI_EXP_DEVCAP),	 ONE(PCI_EXP_DEVCTL),  ONE(PCI_EXP_DEVSTA),
	ONE(PCI_EXP_LNKCAP), ONE(PCI_EXP_LNKCTL),  ONE(PCI_EXP_LNKSTA),	 ONE(PCI_EXP_SLTCAP),  ONE(PCI_EXP_SLTCTL),
	ONE(PCI_EXP_SLTSTA), ONE(PCI_EXP_DEVCAP2), ONE(PCI_EXP_DEVCTL2), ONE(PCI_EXP_LNKCAP2), ONE(PCI_EXP_LNKCTL2),
};

static const struct pv_reg_range aer_regs[] = {
	HEAD("PCI_AER"),	   ONE(PCI_AER_UNCOR_STATUS),
	ONE(PCI_AER_UNCOR_MASK),   ONE(PCI_AER_UNCOR_SEVERITY),
	ONE(PCI_AER_COR_STATUS),   ONE(PCI_AER_COR_MASK),
	ONE(PCI_AER_CAP),	   {PCI_AER_HEADER_LOG, 4, 4, "PCI_AER_HEADER_LOG"},
	ONE(PCI_AER_ROOT_COMMAND), ONE(PCI_AER_ROOT_STATUS),
	ONE(PCI_AER_ERROR_SOURCE),
};

static const struct pv_reg_range sriov_regs[] = {
	HEAD("PCI_SRIOV"),     ONE(PCI_SRIOV_CTRL),	 ONE(PCI_SRIOV_INITIAL_VF), ONE(PCI_SRIOV_TOTAL_VF),
	ONE(PCI_SRIOV_NUM_VF), ONE(PCI_SRIOV_VF_OFFSET), ONE(PCI_SRIOV_VF_STRIDE),  ONE(PCI_SRIOV_VF_DEVICE_ID),
	ONE(PCI_SRIOV_PAGES),  ONE(PCI_SRIOV_PAGE_SIZE),
};

static const struct pv_reg_range dwc_regs[] = {
	HEAD("PCI_VSEC"),	 ONE(PCI_VSEC_HEADER),	      ONE(DWC_EVENT_CNT_CTL),	   ONE(DWC_EVENT_CNT_DATA),
	ONE(DWC_TIME_BASED_CTL), ONE(DWC_TIME_BASED_DATA_LO), ONE(DWC_TIME_BASED_DATA_HI),
};

static const struct pv_reg_range vsec_regs[] = {HEAD("PCI_VSEC"), ONE(PCI_VSEC_HEADER)};

static const struct pv_reg_range dvsec_regs[] = {
	HEAD("PCI_DVSEC"),
	ONE(PCI_DVSEC_HEADER1),
	ONE(PCI_DVSEC_HEADER2),
};

static const struct pv_reg_range locator_regs[] = {
	HEAD("PCI_DVSEC"),
	ONE(PCI_DVSEC_HEADER1),
	ONE(PCI_DVSEC_HEADER2),
	{CXL_REG_LOCATOR_FIRST, CXL_REG_LOCATOR_ENTRY_BYTES, 32, "CXL_REG_LOCATOR low"},
	{CXL_REG_LOCATOR_FIRST + 4, CXL_REG_LOCATOR_ENTRY_BYTES, 32, "CXL_REG_LOCATOR high"},
};

static uint32_t get(const uint8_t *cfg, uint32_t off, unsigned bytes)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < bytes && off + i < PCI_CFG_BYTES; i++)
		v |= (uint32_t)cfg[off + i] << 8 * i;
	return v;
}

static bool is_dwc(const uint8_t *cfg, uint32_t cap)
{
	return (get(cfg, cap + PCI_VSEC_HEADER, 4) & 0xfffff) == (DWC_VSEC_ID | DWC_VSEC_REV << 16);
}

static bool is_locator(const uint8_t *cfg, uint32_t cap)
{
	return get(cfg, cap + PCI_DVSEC_HEADER1, 2) == CXL_DVSEC_VENDOR_ID &&
	       get(cfg, cap + PCI_DVSEC_HEADER2, 2) == CXL_DVSEC_REG_LOCATOR_ID;
}

#define REGS(table) table, ARRAY_SIZE(table)

/* The first that fits. */
static const struct known_cap {
	bool extended;
	uint16_t id;
	bool (*is)(const uint8_t *cfg, uint32_t cap); /* NULL: the id says it all */
	const struct pv_reg_range *regs;
	size_t n;
} known[] = {
	{false, PCI_CAP_ID_MSI, NULL, REGS(msi_regs)},
	{false, PCI_CAP_ID_EXP, NULL, REGS(exp_regs)},
	{true, PCI_EXT_CAP_ID_AER, NULL, REGS(aer_regs)},
	{true, PCI_EXT_CAP_ID_SRIOV, NULL, REGS(sriov_regs)},
	{true, PCI_EXT_CAP_ID_VSEC, is_dwc, REGS(dwc_regs)},
	{true, PCI_EXT_CAP_ID_VSEC, NULL, REGS(vsec_regs)},
	{true, PCI_EXT_CAP_ID_DVSEC, is_locator, REGS(locator_regs)},
	{true, PCI_EXT_CAP_ID_DVSEC, NULL, REGS(dvsec_regs)},
};

/* The capability that `off` belongs to: the last of its list that begins there or before. 0: none. */
static uint32_t cap_of(const uint8_t *cfg, uint32_t off)
{
	bool extended = off >= PCI_EXT_CAP_START;
	uint32_t best = 0, at = extended ? PCI_EXT_CAP_START : get(cfg, PCI_CAPABILITIES, 1) & 0xfc;

	if (!extended && !(get(cfg, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST))
		return 0;
	for (unsigned hops = extended ? EXT_CAPS_MAX : CAPS_MAX; hops && at >= FIRST_CAP; hops--) {
		if (at <= off && at > best)
			best = at;
		at = extended ? PCI_EXT_CAP_NEXT(get(cfg, at, 4)) : get(cfg, at + 1, 1) & 0xfc;
	}
	return best;
}

const char *pv_cap_reg_name(const uint8_t *cfg, uint32_t off, char *buf, size_t size)
{
	bool extended = off >= PCI_EXT_CAP_START;
	uint32_t cap = cap_of(cfg, off), id = get(cfg, cap, extended ? 2 : 1);

	for (size_t i = 0; cap && i < ARRAY_SIZE(known); i++)
		if (known[i].extended == extended && known[i].id == id && (!known[i].is || known[i].is(cfg, cap)))
			return pv_reg_lookup(known[i].regs, known[i].n, off - cap, buf, size);
	return "";
}
