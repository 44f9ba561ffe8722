/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers for the register log: tables of ranges, made from drivers/regs/. Capabilities: cfg_names.c. */
#include <stdio.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/cxl.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"

#define CAPS_FIRST 0x40 /* what stands from here on the lists of capabilities tell */

static const struct pv_reg_range ptt_regs[] = {
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

static const struct pv_reg_range config_regs[] = {
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

/* In a block of the CPMU; where it stands in BAR 0 is the device's affair, so the low bits are shown. */
static const struct pv_reg_range cpmu_regs[] = {
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
static const struct pv_reg_range cxl_regs[] = {
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

const char *pv_reg_lookup(const struct pv_reg_range *r, size_t n, uint32_t off, char *buf, size_t size)
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

const char *pv_reg_name(enum pv_node_kind kind, uint8_t space, uint32_t off, const uint8_t *cfg, char *buf, size_t size)
{
	if (space > 5 && off >= CAPS_FIRST)
		return cfg ? pv_cap_reg_name(cfg, off, buf, size) : "";
	if (space > 5)
		return pv_reg_lookup(config_regs, ARRAY_SIZE(config_regs), off, buf, size);
	if (kind == PV_NODE_PTT && space == PTT_BAR)
		return pv_reg_lookup(ptt_regs, ARRAY_SIZE(ptt_regs), off, buf, size);
	if (kind == PV_NODE_CXL_MEM && space == 0 && off < CXL_FIRST_CPMU)
		return pv_reg_lookup(cxl_regs, ARRAY_SIZE(cxl_regs), off, buf, size);
	if (kind == PV_NODE_CXL_MEM && space == 0)
		return pv_reg_lookup(cpmu_regs, ARRAY_SIZE(cpmu_regs), off & 0xffff, buf, size);
	return "";
}
