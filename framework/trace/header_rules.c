/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for headers that take more than masks (PCIe 5.0 2.2.4 to 2.2.9). Noise keeps these and those of
 * header_check.h in one case of 56.
 */
#include "framework/trace/header_check.h"

#define LENGTH(dw0) (((((dw0) >> 11) - 1) & 0x3ff) + 1)

/* Requests do not cross 4 KiB (2.2.7), and what fits a short address is not sent with a long one (2.2.4.1). */
static bool is_memory_regular(const struct pv_tlp_kind_info *k, const uint8_t *p)
{
	uint32_t low = pv_dw(p, k->four_dw ? 3 : 2) & 0xffc, length = LENGTH(pv_dw(p, 0));

	if (k->is_atomic && (length > 8 || length & (length - 1)))
		return false;
	return low + 4 * length <= 4096 && (!k->four_dw || pv_dw(p, 2));
}

/* The byte count is at least what this completion holds, and only success has data (2.2.9). */
static bool is_completion_regular(const struct pv_tlp_kind_info *k, const uint8_t *p)
{
	uint32_t bytes = ((pv_dw(p, 1) - 1) & 0xfff) + 1;

	return !k->has_data || (4 * LENGTH(pv_dw(p, 0)) <= bytes + 6 && !(pv_dw(p, 1) >> 13 & 7));
}

/* Each message has its routing; those of vendors any that is for single messages (2.2.8). */
static bool is_message_regular(unsigned routing, uint8_t code)
{
	enum { ROOT = 1, BY_ID = 1 + 2, BROADCAST = 1 + 3, LOCAL = 1 + 4, GATHERED = 1 + 5 };
	static const uint8_t routings[] = {
		[0x00] = BROADCAST,	 [0x01] = BY_ID,     [0x02] = BY_ID,	      [0x04] = ROOT,
		[0x05] = BY_ID,		 [0x10] = LOCAL,     [0x12] = LOCAL,	      [0x14] = LOCAL,
		[0x18] = ROOT,		 [0x19] = BROADCAST, [0x1b] = GATHERED,	      [0x20 ... 0x27] = LOCAL,
		[0x30 ... 0x31] = ROOT,	 [0x33] = ROOT,	     [0x40 ... 0x48] = LOCAL, [0x50] = LOCAL,
		[0x52 ... 0x53] = LOCAL,
	};

	if (code == 0x7e || code == 0x7f)
		return routing < 5;
	return code < sizeof(routings) && routings[code] == 1 + routing;
}

/* TH is for requests to memory, and Length is reserved where there is no data (2.2.8, 2.2.9). */
bool pv_regular_4dw(const uint8_t *p)
{
	uint32_t dw0 = pv_dw(p, 0);
	enum pv_tlp_kind kind = pv_tlp_kind(dw0 >> 30, dw0 >> 25 & 0x1f);
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];

	if (!pv_strict_4dw(p))
		return false;
	if (k->has_address && kind != PV_TLP_IORD && kind != PV_TLP_IOWR)
		return is_memory_regular(k, p);
	if (dw0 & PV_TH_4DW || ((k->is_message || k->is_completion) && !k->has_data && dw0 >> 11 & 0x3ff))
		return false;
	if (k->is_message)
		return is_message_regular(dw0 >> 25 & 7, (uint8_t)pv_dw(p, 1));
	return k->is_completion ? is_completion_regular(k, p) : LENGTH(dw0) == 1;
}
