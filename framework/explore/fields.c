/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of control and status registers that make a state; addresses, counts and reserved bits do not. */
#include "framework/explore/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"
#include "framework/util/hash.h"

#define DWC_OPERATION (DWC_EVENT_CLEAR_MASK | DWC_EVENT_ENABLE_MASK | DWC_EVENT_STATUS)
#define CFG_SWITCHES  (CPMU_CFG_ENABLE | CPMU_CFG_INT_ON_OVERFLOW | CPMU_CFG_FREEZE_ON_OVERFLOW)

/* Names as in framework/target/reg_names.h, without an index. `order`: of those, what else tells accesses in a row
 * apart. */
static const struct known {
	const char *name;
	uint64_t mask, order;
} known[] = {
	{"TRACE_CTRL",
	 PTT_TRACE_CTRL_EN | PTT_TRACE_CTRL_RST | PTT_TRACE_CTRL_RXTX_SEL_MASK | PTT_TRACE_CTRL_TYPE_SEL_MASK |
		 PTT_TRACE_CTRL_DATA_FORMAT | PTT_TRACE_CTRL_FILTER_MODE,
	 PTT_TRACE_CTRL_EN | PTT_TRACE_CTRL_RST},
	{"TRACE_INT_STAT", PTT_TRACE_INT_STAT_MASK, PTT_TRACE_INT_STAT_MASK},
	{"TRACE_INT_MASK", PTT_TRACE_INT_MASK_ALL, 1},
	{"TRACE_WR_STS", PTT_TRACE_WR_STS_BUFFER_MASK, PTT_TRACE_WR_STS_BUFFER_MASK},
	{"TRACE_STS", PTT_TRACE_STS_IDLE, PTT_TRACE_STS_IDLE},
	{"TUNING_CTRL", 0xffffff, 0},
	{"TUNING_INT_STAT", PTT_TUNING_INT_STAT_BUSY, PTT_TUNING_INT_STAT_BUSY},
	{"COUNTER_CFG", CPMU_CFG_TYPE_MASK | CFG_SWITCHES | CPMU_CFG_EDGE | CPMU_CFG_INVERT, CFG_SWITCHES},
	{"DWC_EVENT_CNT_CTL", DWC_OPERATION | DWC_EVENT_GROUP_MASK, DWC_OPERATION},
	{"DWC_TIME_BASED_CTL", DWC_TIME_START | DWC_TIME_DURATION_MASK | DWC_TIME_REPORT_MASK, DWC_TIME_START},
	{"PCI_COMMAND", PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, PCI_COMMAND_MASTER},
	{"PCI_EXP_DEVCTL", PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS, 0},
	{"PCI_EXP_SLTSTA", 0xffff, 0xffff},
	{"PCI_SRIOV_CTRL", 0xffff, 0xffff},
	{"PCI_SRIOV_NUM_VF", 0xffff, 0},
	{"PCI_AER_UNCOR_STATUS", 0xffffffff, 0},
	{"PCI_AER_COR_STATUS", 0xffffffff, 0},
	{"CXL_MB_CTRL", 0xff, 0xff},
	{"CXL_MB_COMMAND", 0xffff, 0xffff},
	{"CXL_MB_STATUS", 0xffffffff, 0},
	{"CXL_EVENT_STATUS", 0xff, 0},
};

static const struct known *find_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

/* "COUNTER_CFG 3" is COUNTER_CFG. */
static void cut_index(char *name)
{
	char *space = strrchr(name, ' ');

	if (space && space[1] >= '0' && space[1] <= '9')
		*space = 0;
}

void pv_reg_fields_of(const struct pv_hw *hw, struct pv_hw_config *config, const struct pv_reg_access *a,
		      struct pv_reg_fields *out)
{
	const struct pv_topo_node *node = pv_topology_by_bdf(hw->topo, a->bdf);
	const uint8_t *cfg = a->space > 5 ? pv_hw_config(hw, config, a->bdf) : NULL;
	char buf[64];
	const char *name = node ? pv_reg_name(node->conf.kind, a->space, a->offset, cfg, buf, sizeof(buf)) : "";

	if (*name)
		snprintf(out->name, sizeof(out->name), "%s", name);
	else
		snprintf(out->name, sizeof(out->name), "%s 0x%" PRIx32, a->space > 5 ? "config" : "bar", a->offset);
	cut_index(out->name);
	out->hash = pv_hash_text(out->name);
	const struct known *k = find_known(out->name);
	out->mask = k ? k->mask : 0;
	out->order = k ? k->name : NULL;
	out->order_mask = k ? k->order : 0;
}

uint64_t pv_reg_fields_value(const struct pv_reg_fields *r, const struct pv_reg_access *a)
{
	uint64_t ones = a->bytes < 8 ? (1ull << 8 * a->bytes) - 1 : UINT64_MAX;

	if (r->mask && a->value != ones)
		return a->value & r->mask;
	return a->value == ones ? UINT64_MAX : !!a->value;
}
