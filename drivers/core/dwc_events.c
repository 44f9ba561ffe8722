/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event tables of the DesignWare PCIe PMU (RAS D.E.S.): time-based analysis groups 0 and 1, lane event groups 6 and 7
 * by name, groups 0 to 5 and what has no name by number. Payload is counted in 16-byte units, which the ABI shows as
 * bytes.
 */
#include "drivers/core/dwc_events.h"

#include "drivers/regs/dwc.h"

enum { T = PV_DWC_TIME_BASED, L = PV_DWC_LANE };

const struct pv_dwc_named_event pv_dwc_events[] = {
	{"one_cycle", T, 0x00, 1},
	{"TX_L0S", T, 0x01, 1},
	{"RX_L0S", T, 0x02, 1},
	{"L0", T, 0x03, 1},
	{"L1", T, 0x04, 1},
	{"L1_1", T, 0x05, 1},
	{"L1_2", T, 0x06, 1},
	{"CFG_RCVRY", T, 0x07, 1},
	{"L1_AUX", T, 0x08, 1},
	{"TX_RX_L0S", T, 0x09, 1},

	{"Tx_PCIe_TLP_Data_Payload", T, 0x20, 16},
	{"Rx_PCIe_TLP_Data_Payload", T, 0x21, 16},
	{"Tx_CCIX_TLP_Data_Payload", T, 0x22, 16},
	{"Rx_CCIX_TLP_Data_Payload", T, 0x23, 16},

	{"tx_ack_dllp", L, 0x600, 1},
	{"tx_update_fc_dllp", L, 0x601, 1},
	{"rx_ack_dllp", L, 0x602, 1},
	{"rx_update_fc_dllp", L, 0x603, 1},
	{"rx_nulified_tlp", L, 0x604, 1},
	{"tx_nulified_tlp", L, 0x605, 1},
	{"rx_duplicate_tl", L, 0x606, 1},

	{"tx_memory_write", L, 0x700, 1},
	{"tx_memory_read", L, 0x701, 1},
	{"tx_configuration_write", L, 0x702, 1},
	{"tx_configuration_read", L, 0x703, 1},
	{"tx_io_write", L, 0x704, 1},
	{"tx_io_read", L, 0x705, 1},
	{"tx_completion_without_data", L, 0x706, 1},
	{"tx_completion_with_data", L, 0x707, 1},
	{"tx_message_tlp", L, 0x708, 1},
	{"tx_atomic", L, 0x709, 1},
	{"tx_tlp_with_prefix", L, 0x70a, 1},
	{"rx_memory_write", L, 0x70b, 1},
	{"rx_memory_read", L, 0x70c, 1},
	{"rx_io_write", L, 0x70f, 1},
	{"rx_io_read", L, 0x710, 1},
	{"rx_completion_without_data", L, 0x711, 1},
	{"rx_completion_with_data", L, 0x712, 1},
	{"rx_message_tlp", L, 0x713, 1},
	{"rx_atomic", L, 0x714, 1},
	{"rx_tlp_with_prefix", L, 0x715, 1},
	{"tx_ccix_tlp", L, 0x716, 1},
	{"rx_ccix_tlp", L, 0x717, 1},
};

const size_t pv_dwc_events_count = sizeof(pv_dwc_events) / sizeof(pv_dwc_events[0]);

/* Events without a name: of each group, a bit for each number. */
static const uint32_t unnamed[] = {
	[DWC_GROUP_LANE_ERROR] = 0x07ff, /* 0x00 to 0x0a */
	[DWC_GROUP_L1_ERROR] = 0x37e0,	 /* 0x05 to 0x0a, 0x0c, 0x0d */
	[DWC_GROUP_L2_ERROR] = 0x00ff,	 /* 0x00 to 0x07 */
	[DWC_GROUP_L3_ERROR] = 0x003f,	 /* 0x00 to 0x05 */
	[DWC_GROUP_SKP] = 0x0003,	 /* 0x00, 0x01 */
	[DWC_GROUP_LINK_STATE] = 0x3fff, /* 0x00 to 0x0d */
	[DWC_GROUP_TLP] = 0x3006000,	 /* 0x0d, 0x0e, 0x18, 0x19 */
};

static const struct pv_dwc_named_event *find_named(unsigned type, unsigned eventid)
{
	size_t i;

	for (i = 0; i < pv_dwc_events_count; i++)
		if (pv_dwc_events[i].type == type && pv_dwc_events[i].eventid == eventid)
			return &pv_dwc_events[i];
	return NULL;
}

static bool is_unnamed(unsigned group, unsigned number)
{
	return group < sizeof(unnamed) / sizeof(unnamed[0]) && number < 32 && unnamed[group] >> number & 1;
}

bool pv_dwc_event_exists(unsigned type, unsigned eventid)
{
	return find_named(type, eventid) || (type == PV_DWC_LANE && is_unnamed(eventid >> 8, eventid & 0xff));
}

uint8_t pv_dwc_event_scale(unsigned type, unsigned eventid)
{
	const struct pv_dwc_named_event *e = find_named(type, eventid);

	return e ? e->scale : 1;
}
