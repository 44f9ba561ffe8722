/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers for the register log: tables of ranges, made from drivers/regs/. */
#include <stdbool.h>
#include <stdio.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/cxl.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"

#define CAPS_FIRST 0x40 /* from here on the lists of capabilities decide */

struct range {
	uint32_t first, stride, count; /* count 1: a single register */
	const char *name;
};

/* Returns the name of the register at `off`, in `buf` if it is computed; "": none of them. */
static const char *lookup(const struct range *r, size_t n, uint32_t off, char *buf, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		if (off < r[i].first)
			continue;
		uint32_t index = r[i].stride ? (off - r[i].first) / r[i].stride : 0;
		if (r[i].count == 1 && off == r[i].first)
			return r[i].name;
		if (r[i].count == 1 || index >= r[i].count || (off - r[i].first) % r[i].stride)
			continue;
		snprintf(buf, size, "%s %u", r[i].name, index);
		return buf;
	}
	return "";
}

static const struct range ptt_regs[] = {
	{PTT_TUNING_CTRL, 0, 1, "TUNING_CTRL"},
	{PTT_TUNING_DATA, 0, 1, "TUNING_DATA"},
	{PTT_TRACE_ADDR_SIZE, 0, 1, "TRACE_ADDR_SIZE"},
	{PTT_TRACE_ADDR_BASE_LO(0), 8, PTT_DMA_BUFFERS, "TRACE_ADDR_BASE_LO"},
	{PTT_TRACE_ADDR_BASE_HI(0), 8, PTT_DMA_BUFFERS, "TRACE_ADDR_BASE_HI"},
	{PTT_TRACE_CTRL, 0, 1, "TRACE_CTRL"},
	{PTT_TRACE_INT_STAT, 0, 1, "TRACE_INT_STAT"},
	{PTT_TRACE_INT_MASK, 0, 1, "TRACE_INT_MASK"},
	{PTT_TUNING_INT_STAT, 0, 1, "TUNING_INT_STAT"},
	{PTT_TRACE_WR_STS, 0, 1, "TRACE_WR_STS"},
	{PTT_TRACE_STS, 0, 1, "TRACE_STS"},
	{PTT_DEVICE_RANGE, 0, 1, "DEVICE_RANGE"},
	{PTT_LOCATION, 0, 1, "LOCATION"},
};

static const struct range config_regs[] = {
	{PCI_VENDOR_ID, 0, 1, "PCI_VENDOR_ID"},
	{PCI_DEVICE_ID, 0, 1, "PCI_DEVICE_ID"},
	{PCI_COMMAND, 0, 1, "PCI_COMMAND"},
	{PCI_STATUS, 0, 1, "PCI_STATUS"},
	{PCI_REVISION, 0, 1, "PCI_REVISION"},
	{PCI_CLASS, 0, 1, "PCI_CLASS"},
	{PCI_HEADER_TYPE, 0, 1, "PCI_HEADER_TYPE"},
	{PCI_BAR(0), 4, 2, "PCI_BAR"},
	{PCI_PRIMARY_BUS, 0, 1, "PCI_PRIMARY_BUS/BAR2"},
	{PCI_SECONDARY_BUS, 0, 1, "PCI_SECONDARY_BUS"},
	{PCI_SUBORDINATE_BUS, 0, 1, "PCI_SUBORDINATE_BUS"},
	{PCI_CAPABILITIES, 0, 1, "PCI_CAPABILITIES"},
};

/* In a block of the CPMU; the device chooses its place in BAR 0, so the name has the low bits. */
static const struct range cpmu_regs[] = {
	{CPMU_CAP, 0, 1, "CAP"},
	{CPMU_OVERFLOW, 0, 1, "OVERFLOW"},
	{CPMU_FREEZE, 0, 1, "FREEZE"},
	{CPMU_EVENT_CAP(0), 8, CPMU_EVENT_CAPS_MAX, "EVENT_CAP"},
	{CPMU_COUNTER_CFG(0), 8, CPMU_COUNTERS_MAX, "COUNTER_CFG"},
	{CPMU_FILTER_CFG(0, 0), 4, 8 * CPMU_COUNTERS_MAX, "FILTER_CFG"},
	{CPMU_COUNTER(0), 8, CPMU_COUNTERS_MAX, "COUNTER"},
};

/* In BAR 0 of a CXL memory device, before the CPMUs: component registers, then those of the device. */
#define CXL_BLOCK_BYTES	 0x10000u
#define CXL_FIRST_CPMU	 (2 * CXL_BLOCK_BYTES)
#define CXL_DEVICE(reg)	 (CXL_BLOCK_BYTES + (reg))
#define CXL_MAILBOX(reg) CXL_DEVICE(0x100 + (reg))
#define CXL_RAS(reg)	 (CXL_CACHEMEM + 0x080 + (reg))
#define CXL_HDM(reg)	 (CXL_CACHEMEM + 0x100 + (reg))
static const struct range cxl_regs[] = {
	{CXL_CACHEMEM, 0, 1, "CXL_CAP_HEADER"},
	{CXL_CACHEMEM + CXL_CAP_POINTER(0), 4, 2, "CXL_CAP_POINTER"},
	{CXL_RAS(CXL_RAS_UNCOR_STATUS), 0, 1, "CXL_RAS_UNCOR_STATUS"},
	{CXL_RAS(CXL_RAS_UNCOR_MASK), 0, 1, "CXL_RAS_UNCOR_MASK"},
	{CXL_RAS(CXL_RAS_UNCOR_SEVERITY), 0, 1, "CXL_RAS_UNCOR_SEVERITY"},
	{CXL_RAS(CXL_RAS_COR_STATUS), 0, 1, "CXL_RAS_COR_STATUS"},
	{CXL_RAS(CXL_RAS_COR_MASK), 0, 1, "CXL_RAS_COR_MASK"},
	{CXL_HDM(CXL_HDM_CAP), 0, 1, "CXL_HDM_CAP"},
	{CXL_HDM(CXL_HDM_CTRL), 0, 1, "CXL_HDM_CTRL"},
	{CXL_HDM(CXL_HDM_BASE_LO(0)), 32, 8, "CXL_HDM_BASE_LO"},
	{CXL_HDM(CXL_HDM_BASE_HI(0)), 32, 8, "CXL_HDM_BASE_HI"},
	{CXL_HDM(CXL_HDM_SIZE_LO(0)), 32, 8, "CXL_HDM_SIZE_LO"},
	{CXL_HDM(CXL_HDM_SIZE_HI(0)), 32, 8, "CXL_HDM_SIZE_HI"},
	{CXL_HDM(CXL_HDM_DECODER_CTRL(0)), 32, 8, "CXL_HDM_DECODER_CTRL"},
	{CXL_DEVICE(CXL_DEV_CAPS), 0, 1, "CXL_DEV_CAPS"},
	{CXL_DEVICE(CXL_DEV_CAP(0)), 16, 3, "CXL_DEV_CAP"},
	{CXL_DEVICE(0x80), 0, 1, "CXL_EVENT_STATUS"},
	{CXL_DEVICE(0x88), 0, 1, "CXL_MEMDEV_STATUS"},
	{CXL_MAILBOX(CXL_MB_CAPS), 0, 1, "CXL_MB_CAPS"},
	{CXL_MAILBOX(CXL_MB_CTRL), 0, 1, "CXL_MB_CTRL"},
	{CXL_MAILBOX(CXL_MB_COMMAND), 0, 1, "CXL_MB_COMMAND"},
	{CXL_MAILBOX(CXL_MB_STATUS), 0, 1, "CXL_MB_STATUS"},
	{CXL_MAILBOX(CXL_MB_BACKGROUND), 0, 1, "CXL_MB_BACKGROUND"},
	{CXL_MAILBOX(CXL_MB_PAYLOAD), 8, 64, "CXL_MB_PAYLOAD"},
};

/*
 * ---- capabilities ----
 *
 * A function chooses the places of its capabilities: both lists of configuration space are walked (PCIe 5.0 7.5.1.1.11
 * and 7.6.3) to find the one at an offset.
 */

enum { FIRST_CAP = 0x40, CAPS_MAX = (PCI_EXT_CAP_START - FIRST_CAP) / 4, EXT_CAPS_MAX = PCI_CFG_BYTES / 8 };

#define ONE(reg)                \
	{                       \
		reg, 0, 1, #reg \
	}
#define HEAD(cap)                      \
	{                              \
		0, 0, 1, cap " header" \
	}

static const struct range msi_regs[] = {
	HEAD("PCI_MSI"), ONE(PCI_MSI_FLAGS), ONE(PCI_MSI_ADDRESS_LO), ONE(PCI_MSI_ADDRESS_HI), ONE(PCI_MSI_DATA_64),
};

static const struct range exp_regs[] = {
	HEAD("PCI_EXP"),     ONE(PCI_EXP_FLAGS),   ONE(PCI_EXP_DEVCAP),	 ONE(PCI_EXP_DEVCTL),  ONE(PCI_EXP_DEVSTA),
	ONE(PCI_EXP_LNKCAP), ONE(PCI_EXP_LNKCTL),  ONE(PCI_EXP_LNKSTA),	 ONE(PCI_EXP_SLTCAP),  ONE(PCI_EXP_SLTCTL),
	ONE(PCI_EXP_SLTSTA), ONE(PCI_EXP_DEVCAP2), ONE(PCI_EXP_DEVCTL2), ONE(PCI_EXP_LNKCAP2), ONE(PCI_EXP_LNKCTL2),
};

static const struct range aer_regs[] = {
	HEAD("PCI_AER"),	   ONE(PCI_AER_UNCOR_STATUS),
	ONE(PCI_AER_UNCOR_MASK),   ONE(PCI_AER_UNCOR_SEVERITY),
	ONE(PCI_AER_COR_STATUS),   ONE(PCI_AER_COR_MASK),
	ONE(PCI_AER_CAP),	   {PCI_AER_HEADER_LOG, 4, 4, "PCI_AER_HEADER_LOG"},
	ONE(PCI_AER_ROOT_COMMAND), ONE(PCI_AER_ROOT_STATUS),
	ONE(PCI_AER_ERROR_SOURCE),
};

static const struct range sriov_regs[] = {
	HEAD("PCI_SRIOV"),     ONE(PCI_SRIOV_CTRL),	 ONE(PCI_SRIOV_INITIAL_VF), ONE(PCI_SRIOV_TOTAL_VF),
	ONE(PCI_SRIOV_NUM_VF), ONE(PCI_SRIOV_VF_OFFSET), ONE(PCI_SRIOV_VF_STRIDE),  ONE(PCI_SRIOV_VF_DEVICE_ID),
	ONE(PCI_SRIOV_PAGES),  ONE(PCI_SRIOV_PAGE_SIZE),
};

static const struct range dwc_regs[] = {
	HEAD("PCI_VSEC"),	 ONE(PCI_VSEC_HEADER),	      ONE(DWC_EVENT_CNT_CTL),	   ONE(DWC_EVENT_CNT_DATA),
	ONE(DWC_TIME_BASED_CTL), ONE(DWC_TIME_BASED_DATA_LO), ONE(DWC_TIME_BASED_DATA_HI),
};

static const struct range vsec_regs[] = {HEAD("PCI_VSEC"), ONE(PCI_VSEC_HEADER)};

static const struct range dvsec_regs[] = {
	HEAD("PCI_DVSEC"),
	ONE(PCI_DVSEC_HEADER1),
	ONE(PCI_DVSEC_HEADER2),
};

static const struct range locator_regs[] = {
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

/* The first match counts. */
static const struct known_cap {
	bool extended;
	uint16_t id;
	bool (*is)(const uint8_t *cfg, uint32_t cap); /* NULL: the id is sufficient */
	const struct range *regs;
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

/* Returns the capability that `off` belongs to: the last of its list that begins there or before. 0: none. */
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

/* Returns the name of a register of a capability: "PCI_EXP_DEVCTL". "": `off` is in none that is known. */
static const char *capability_reg_name(const uint8_t *cfg, uint32_t off, char *buf, size_t size)
{
	bool extended = off >= PCI_EXT_CAP_START;
	uint32_t cap = cap_of(cfg, off), id = get(cfg, cap, extended ? 2 : 1);

	for (size_t i = 0; cap && i < ARRAY_SIZE(known); i++)
		if (known[i].extended == extended && known[i].id == id && (!known[i].is || known[i].is(cfg, cap)))
			return lookup(known[i].regs, known[i].n, off - cap, buf, size);
	return "";
}

/* ---- all ---- */

const char *pv_reg_name(enum pv_node_kind kind, uint8_t space, uint32_t off, const uint8_t *cfg, char *buf, size_t size)
{
	if (space > 5 && off >= CAPS_FIRST)
		return cfg ? capability_reg_name(cfg, off, buf, size) : "";
	if (space > 5)
		return lookup(config_regs, ARRAY_SIZE(config_regs), off, buf, size);
	if (kind == PV_NODE_PTT && space == PTT_BAR)
		return lookup(ptt_regs, ARRAY_SIZE(ptt_regs), off, buf, size);
	if (kind == PV_NODE_CXL_MEM && space == 0 && off < CXL_FIRST_CPMU)
		return lookup(cxl_regs, ARRAY_SIZE(cxl_regs), off, buf, size);
	if (kind == PV_NODE_CXL_MEM && space == 0)
		return lookup(cpmu_regs, ARRAY_SIZE(cpmu_regs), off & 0xffff, buf, size);
	return "";
}
