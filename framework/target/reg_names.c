/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers for the register log: tables of ranges, made from drivers/regs/. Capabilities: cfg_names.c. */
#include <stdio.h>

#include "drivers/regs/cpmu.h"
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
	if (kind == PV_NODE_CXL_MEM && space == 0)
		return pv_reg_lookup(cpmu_regs, ARRAY_SIZE(cpmu_regs), off & 0xffff, buf, size);
	return "";
}
