/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills the table of kind_lut.h once, from the table of kinds. */
#include "framework/analysis/kind_lut.h"

#include <pthread.h>

struct pv_kind_lut_kind pv_kind_lut_table[256];

static bool is_read(enum pv_tlp_kind k)
{
	return k == PV_TLP_MRD32 || k == PV_TLP_MRD64 || k == PV_TLP_MRDLK32 || k == PV_TLP_MRDLK64 ||
	       k == PV_TLP_IORD || k == PV_TLP_CFGRD0 || k == PV_TLP_CFGRD1;
}

static uint8_t marked_flow(enum pv_tlp_kind k)
{
	return k >= PV_TLP_MRD32 && k <= PV_TLP_MRDLK64 ? 1 : k == PV_TLP_MWR32 || k == PV_TLP_MWR64 ? 0 : 2;
}

static void fill(void)
{
	for (unsigned code = 0; code < 256; code++) {
		enum pv_tlp_kind kind = pv_tlp_kind(code >> 5, code & 0x1f);
		const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];

		pv_kind_lut_table[code] = (struct pv_kind_lut_kind){
			.kind = (uint8_t)kind,
			.cls = (uint8_t)k->cls,
			.has_data = k->has_data,
			.has_length = k->has_data || k->cls == PV_CLASS_NONPOSTED,
			.has_address = k->has_address,
			.four_dw = k->four_dw,
			.is_read = is_read(kind),
			.requester_word = kind == PV_TLP_UNDEFINED ? 0
					  : k->is_completion	   ? 2
								   : 1,
			.marked_flow = marked_flow(kind),
		};
	}
}

void pv_kind_lut_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill);
}
