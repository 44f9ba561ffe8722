/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLP headers to fields: one table of kinds (PCIe 5.0 table 2-3) and one reader for each header shape
 * (2.2.7 to 2.2.9). No state, no allocation.
 */
#include "framework/trace/tlp.h"

#include <stddef.h>

/* Header DW0: byte 0 of the header is bits [31:24] (PCIe 5.0 figure 2-5). */
#define DW0_FMT(d)    ((d) >> 29)
#define DW0_TYPE(d)   ((d) >> 24 & 0x1f)
#define DW0_T9	      (1u << 23)
#define DW0_TC(d)     ((d) >> 20 & 7)
#define DW0_T8	      (1u << 19)
#define DW0_IDO	      (1u << 18)
#define DW0_TH	      (1u << 16)
#define DW0_TD	      (1u << 15)
#define DW0_EP	      (1u << 14)
#define DW0_RO_NS(d)  ((d) >> 12 & 3)
#define DW0_AT(d)     ((d) >> 10 & 3)
#define DW0_LENGTH(d) ((d)&0x3ff)

#define DW1_REQUESTER(d) ((d) >> 16)
#define DW1_TAG(d)	 ((d) >> 8 & 0xff)
#define DW1_LAST_BE(d)	 ((d) >> 4 & 0xf)
#define DW1_FIRST_BE(d)	 ((d)&0xf)
#define DW1_MESSAGE(d)	 ((d)&0xff)

/* Completions, 2.2.9 */
#define CPL1_COMPLETER(d) ((d) >> 16)
#define CPL1_STATUS(d)	  ((d) >> 13 & 7)
#define CPL1_BCM	  (1u << 12)
#define CPL1_BYTES(d)	  ((d)&0xfff)
#define CPL2_REQUESTER(d) ((d) >> 16)
#define CPL2_TAG(d)	  ((d) >> 8 & 0xff)
#define CPL2_LOWER(d)	  ((d)&0x7f)

/* Configuration requests, 2.2.7.1.2: extended register number [11:8], register number [7:2] */
#define CFG2_TARGET(d) ((d) >> 16)
#define CFG2_REG(d)    ((d)&0xffc)

#define FMT_DATA 2
#define FMT_4DW	 1

#define NAME(n) .name = n, .name_bytes = sizeof(n) - 1
#define MEMORY(n, c, data, four)                                                          \
	{                                                                                 \
		NAME(n), .cls = c, .has_data = data, .four_dw = four, .has_address = true \
	}
#define ATOMIC(n, four)                                                                                     \
	{                                                                                                   \
		NAME(n), .cls = PV_CLASS_NONPOSTED, .has_data = true, .four_dw = four, .has_address = true, \
			 .is_atomic = true                                                                  \
	}
#define CONFIG(n, data)                                                                 \
	{                                                                               \
		NAME(n), .cls = PV_CLASS_NONPOSTED, .has_data = data, .is_config = true \
	}
#define COMPLETION(n, data)                                                                  \
	{                                                                                    \
		NAME(n), .cls = PV_CLASS_COMPLETION, .has_data = data, .is_completion = true \
	}
#define MESSAGE(n, data)                                                                               \
	{                                                                                              \
		NAME(n), .cls = PV_CLASS_POSTED, .has_data = data, .four_dw = true, .is_message = true \
	}

/* clang-format off */
const struct pv_tlp_kind_info pv_tlp_kinds[PV_TLP_KINDS] = {
	[PV_TLP_UNDEFINED]  = {NAME("undefined"), .cls = PV_CLASS_NONE},
	[PV_TLP_MRD32]      = MEMORY("MRd32", PV_CLASS_NONPOSTED, false, false),
	[PV_TLP_MRD64]      = MEMORY("MRd64", PV_CLASS_NONPOSTED, false, true),
	[PV_TLP_MRDLK32]    = MEMORY("MRdLk32", PV_CLASS_NONPOSTED, false, false),
	[PV_TLP_MRDLK64]    = MEMORY("MRdLk64", PV_CLASS_NONPOSTED, false, true),
	[PV_TLP_MWR32]      = MEMORY("MWr32", PV_CLASS_POSTED, true, false),
	[PV_TLP_MWR64]      = MEMORY("MWr64", PV_CLASS_POSTED, true, true),
	[PV_TLP_IORD]       = MEMORY("IORd", PV_CLASS_NONPOSTED, false, false),
	[PV_TLP_IOWR]       = MEMORY("IOWr", PV_CLASS_NONPOSTED, true, false),
	[PV_TLP_CFGRD0]     = CONFIG("CfgRd0", false),
	[PV_TLP_CFGRD1]     = CONFIG("CfgRd1", false),
	[PV_TLP_CFGWR0]     = CONFIG("CfgWr0", true),
	[PV_TLP_CFGWR1]     = CONFIG("CfgWr1", true),
	[PV_TLP_MSG]        = MESSAGE("Msg", false),
	[PV_TLP_MSGD]       = MESSAGE("MsgD", true),
	[PV_TLP_CPL]        = COMPLETION("Cpl", false),
	[PV_TLP_CPLD]       = COMPLETION("CplD", true),
	[PV_TLP_CPLLK]      = COMPLETION("CplLk", false),
	[PV_TLP_CPLDLK]     = COMPLETION("CplDLk", true),
	[PV_TLP_FETCHADD32] = ATOMIC("FetchAdd32", false),
	[PV_TLP_FETCHADD64] = ATOMIC("FetchAdd64", true),
	[PV_TLP_SWAP32]     = ATOMIC("Swap32", false),
	[PV_TLP_SWAP64]     = ATOMIC("Swap64", true),
	[PV_TLP_CAS32]      = ATOMIC("CAS32", false),
	[PV_TLP_CAS64]      = ATOMIC("CAS64", true),
	[PV_TLP_DMWR32]     = MEMORY("DMWr32", PV_CLASS_NONPOSTED, true, false),
	[PV_TLP_DMWR64]     = MEMORY("DMWr64", PV_CLASS_NONPOSTED, true, true),
};

/*
 * PCIe 5.0 table 2-3, indexed by Fmt[1:0] and Type, and the Deferrable Memory Write of PCIe 6.0: with data, in the
 * place of the deprecated TCfgWr (Type 1_1011b). All other encodings are undefined: prefixes (Fmt 100b), TCfgRd,
 * reserved.
 */
static const uint8_t kind_table[4][32] = {
	[0] = {
		[0x00] = PV_TLP_MRD32, [0x01] = PV_TLP_MRDLK32, [0x02] = PV_TLP_IORD,
		[0x04] = PV_TLP_CFGRD0, [0x05] = PV_TLP_CFGRD1, [0x0a] = PV_TLP_CPL, [0x0b] = PV_TLP_CPLLK,
	},
	[FMT_4DW] = {
		[0x00] = PV_TLP_MRD64, [0x01] = PV_TLP_MRDLK64, [0x10 ... 0x17] = PV_TLP_MSG,
	},
	[FMT_DATA] = {
		[0x00] = PV_TLP_MWR32, [0x02] = PV_TLP_IOWR, [0x04] = PV_TLP_CFGWR0, [0x05] = PV_TLP_CFGWR1,
		[0x0a] = PV_TLP_CPLD, [0x0b] = PV_TLP_CPLDLK,
		[0x0c] = PV_TLP_FETCHADD32, [0x0d] = PV_TLP_SWAP32, [0x0e] = PV_TLP_CAS32,
		[0x1b] = PV_TLP_DMWR32,
	},
	[FMT_DATA | FMT_4DW] = {
		[0x00] = PV_TLP_MWR64, [0x10 ... 0x17] = PV_TLP_MSGD,
		[0x0c] = PV_TLP_FETCHADD64, [0x0d] = PV_TLP_SWAP64, [0x0e] = PV_TLP_CAS64,
		[0x1b] = PV_TLP_DMWR64,
	},
};
/* clang-format on */

enum pv_tlp_kind pv_tlp_kind(unsigned fmt, unsigned type)
{
	return fmt < 4 && type < 32 ? kind_table[fmt][type] : PV_TLP_UNDEFINED;
}

static void decode_common(uint32_t dw0, const struct pv_tlp_kind_info *info, struct pv_tlp *out)
{
	out->tc = DW0_TC(dw0);
	out->attr = (dw0 & DW0_IDO ? 4 : 0) | DW0_RO_NS(dw0);
	out->at = DW0_AT(dw0);
	out->th = dw0 & DW0_TH;
	out->td = dw0 & DW0_TD;
	out->ep = dw0 & DW0_EP;
	out->tag = (dw0 & DW0_T9 ? 0x200 : 0) | (dw0 & DW0_T8 ? 0x100 : 0);
	/* Length is reserved in messages and completions without data (2.2.8, 2.2.9); 0 means 1024 elsewhere. */
	if (info->has_data || (!info->is_message && !info->is_completion))
		out->length_dw = DW0_LENGTH(dw0) ? DW0_LENGTH(dw0) : 1024;
}

static void decode_request(const uint32_t hdr[4], struct pv_tlp *out)
{
	out->requester = DW1_REQUESTER(hdr[1]);
	out->tag |= DW1_TAG(hdr[1]);
	out->first_be = DW1_FIRST_BE(hdr[1]);
	out->last_be = DW1_LAST_BE(hdr[1]);
}

static void decode_message(const uint32_t hdr[4], struct pv_tlp *out)
{
	out->requester = DW1_REQUESTER(hdr[1]);
	out->tag |= DW1_TAG(hdr[1]);
	out->message_code = DW1_MESSAGE(hdr[1]);
	out->routing = out->type & 7;
}

static void decode_completion(const uint32_t hdr[4], struct pv_tlp *out)
{
	out->completer = CPL1_COMPLETER(hdr[1]);
	out->status = CPL1_STATUS(hdr[1]);
	out->bcm = hdr[1] & CPL1_BCM;
	out->byte_count = CPL1_BYTES(hdr[1]) ? CPL1_BYTES(hdr[1]) : 4096;
	out->requester = CPL2_REQUESTER(hdr[2]);
	out->tag |= CPL2_TAG(hdr[2]);
	out->lower_address = CPL2_LOWER(hdr[2]);
}

void pv_tlp_decode(const uint32_t hdr[4], struct pv_tlp *out)
{
	const struct pv_tlp_kind_info *info;

	*out = (struct pv_tlp){.fmt = DW0_FMT(hdr[0]), .type = DW0_TYPE(hdr[0])};
	out->kind = pv_tlp_kind(out->fmt, out->type);
	if (out->kind == PV_TLP_UNDEFINED)
		return;
	info = &pv_tlp_kinds[out->kind];
	decode_common(hdr[0], info, out);
	if (info->is_completion) {
		decode_completion(hdr, out);
		return;
	}
	if (info->is_message) {
		decode_message(hdr, out);
		return;
	}
	decode_request(hdr, out);
	if (info->is_config) {
		out->completer = CFG2_TARGET(hdr[2]);
		out->reg = CFG2_REG(hdr[2]);
	} else if (info->four_dw) {
		out->address = (uint64_t)hdr[2] << 32 | (hdr[3] & ~3u);
	} else {
		out->address = hdr[2] & ~3u;
	}
}

unsigned pv_tlp_wire_bytes(const struct pv_tlp *tlp, unsigned prefixes)
{
	unsigned link = 8; /* framing, sequence number, LCRC: 2 + 2 + 4 or 4 + 4 */
	unsigned header = tlp->fmt & FMT_4DW ? 16 : 12;
	unsigned payload = tlp->fmt & FMT_DATA ? 4u * tlp->length_dw : 0;

	return link + 4 * prefixes + header + payload + (tlp->td ? 4 : 0);
}

/* ---- names of codes ---- */

/* PCIe 5.0 2.2.8, tables 2-20 to 2-30, and 10.2 for address translation. */
static const char *const message_names[256] = {
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
	return message_names[code];
}

const char *pv_status_name(unsigned status)
{
	static const char *const statuses[8] = {"SC", "UR", "CRS", "3", "CA", "5", "6", "7"};

	return statuses[status & 7];
}
