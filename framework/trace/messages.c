/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of message codes (PCIe 5.0 2.2.8, tables 2-20 to 2-30, and 10.2 for address translation) and of completion
 * status (table 2-37).
 */
#include <stddef.h>

#include "framework/trace/format.h"

static const char *const names[256] = {
	[0x00] = "Unlock",
	[0x01] = "Invalidate_Request",
	[0x02] = "Invalidate_Completion",
	[0x04] = "Page_Request",
	[0x05] = "PRG_Response",
	[0x10] = "LTR",
	[0x12] = "OBFF",
	[0x14] = "PM_Active_State_Nak",
	[0x18] = "PM_PME",
	[0x19] = "PME_Turn_Off",
	[0x1b] = "PME_TO_Ack",
	[0x20] = "Assert_INTA",
	[0x21] = "Assert_INTB",
	[0x22] = "Assert_INTC",
	[0x23] = "Assert_INTD",
	[0x24] = "Deassert_INTA",
	[0x25] = "Deassert_INTB",
	[0x26] = "Deassert_INTC",
	[0x27] = "Deassert_INTD",
	[0x30] = "ERR_COR",
	[0x31] = "ERR_NONFATAL",
	[0x33] = "ERR_FATAL",
	[0x40] = "Attention_Indicator_Off",
	[0x41] = "Attention_Indicator_On",
	[0x43] = "Attention_Indicator_Blink",
	[0x44] = "Power_Indicator_Off",
	[0x45] = "Power_Indicator_On",
	[0x47] = "Power_Indicator_Blink",
	[0x48] = "Attention_Button_Pressed",
	[0x50] = "Set_Slot_Power_Limit",
	[0x52] = "PTM_Request",
	[0x53] = "PTM_Response",
	[0x7e] = "Vendor_Defined_Type_0",
	[0x7f] = "Vendor_Defined_Type_1",
};

const char *pv_message_name(uint8_t code)
{
	return names[code];
}

const char *pv_status_name(unsigned status)
{
	static const char *const statuses[8] = {"SC", "UR", "CRS", "3", "CA", "5", "6", "7"};

	return statuses[status & 7];
}
