/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPMU events under the CXL vendor id (CXL 3.0 table 13-5 and the opcode tables of chapter 3 that it
 * refers to): in the message groups the bit number is the opcode.
 */
#include "drivers/core/cpmu_events.h"

enum {
	CLOCK_TICKS = 0x0000,
	D2H_REQ = 0x0010,
	D2H_RSP = 0x0011,
	H2D_REQ = 0x0012,
	H2D_RSP = 0x0013,
	CACHEDATA = 0x0014,
	M2S_REQ = 0x0020,
	M2S_RWD = 0x0021,
	M2S_BIRSP = 0x0022,
	S2M_BISNP = 0x0023,
	S2M_NDR = 0x0024,
	S2M_DRS = 0x0025,
	DDR = 0x8000,
};

const struct pv_cpmu_named_event pv_cpmu_events[] = {
	{"clock_ticks", CLOCK_TICKS, 0},

	{"d2h_req_rdcurr", D2H_REQ, 1},
	{"d2h_req_rdown", D2H_REQ, 2},
	{"d2h_req_rdshared", D2H_REQ, 3},
	{"d2h_req_rdany", D2H_REQ, 4},
	{"d2h_req_rdownnodata", D2H_REQ, 5},
	{"d2h_req_itomwr", D2H_REQ, 6},
	{"d2h_req_wrcurr", D2H_REQ, 7},
	{"d2h_req_clflush", D2H_REQ, 8},
	{"d2h_req_cleanevict", D2H_REQ, 9},
	{"d2h_req_dirtyevict", D2H_REQ, 10},
	{"d2h_req_cleanevictnodata", D2H_REQ, 11},
	{"d2h_req_wowrinv", D2H_REQ, 12},
	{"d2h_req_wowrinvf", D2H_REQ, 13},
	{"d2h_req_wrinv", D2H_REQ, 14},
	{"d2h_req_cacheflushed", D2H_REQ, 16},

	{"d2h_rsp_rspshitse", D2H_RSP, 1},
	{"d2h_rsp_rspihiti", D2H_RSP, 4},
	{"d2h_rsp_rspihitse", D2H_RSP, 5},
	{"d2h_rsp_rspvhitv", D2H_RSP, 6},
	{"d2h_rsp_rspsfwdm", D2H_RSP, 7},
	{"d2h_rsp_rspifwdm", D2H_RSP, 15},
	{"d2h_rsp_rspvfwdv", D2H_RSP, 22},

	{"h2d_req_snpdata", H2D_REQ, 1},
	{"h2d_req_snpinv", H2D_REQ, 2},
	{"h2d_req_snpcur", H2D_REQ, 3},

	{"h2d_rsp_writepull", H2D_RSP, 1},
	{"h2d_rsp_go", H2D_RSP, 4},
	{"h2d_rsp_gowritepull", H2D_RSP, 5},
	{"h2d_rsp_extcmp", H2D_RSP, 6},
	{"h2d_rsp_gowritepulldrop", H2D_RSP, 8},
	{"h2d_rsp_fastgowritepull", H2D_RSP, 13},
	{"h2d_rsp_goerrwritepull", H2D_RSP, 15},

	{"cachedata_d2h_data", CACHEDATA, 0},
	{"cachedata_h2d_data", CACHEDATA, 1},

	{"m2s_req_meminv", M2S_REQ, 0},
	{"m2s_req_memrd", M2S_REQ, 1},
	{"m2s_req_memrddata", M2S_REQ, 2},
	{"m2s_req_memrdfwd", M2S_REQ, 3},
	{"m2s_req_memwrfwd", M2S_REQ, 4},
	{"m2s_req_memspecrd", M2S_REQ, 8},
	{"m2s_req_meminvnt", M2S_REQ, 9},
	{"m2s_req_memcleanevict", M2S_REQ, 10},

	{"m2s_rwd_memwr", M2S_RWD, 1},
	{"m2s_rwd_memwrptl", M2S_RWD, 2},
	{"m2s_rwd_biconflict", M2S_RWD, 4},

	{"m2s_birsp_i", M2S_BIRSP, 0},
	{"m2s_birsp_s", M2S_BIRSP, 1},
	{"m2s_birsp_e", M2S_BIRSP, 2},
	{"m2s_birsp_iblk", M2S_BIRSP, 4},
	{"m2s_birsp_sblk", M2S_BIRSP, 5},
	{"m2s_birsp_eblk", M2S_BIRSP, 6},

	{"s2m_bisnp_cur", S2M_BISNP, 0},
	{"s2m_bisnp_data", S2M_BISNP, 1},
	{"s2m_bisnp_inv", S2M_BISNP, 2},
	{"s2m_bisnp_curblk", S2M_BISNP, 4},
	{"s2m_bisnp_datblk", S2M_BISNP, 5},
	{"s2m_bisnp_invblk", S2M_BISNP, 6},

	{"s2m_ndr_cmp", S2M_NDR, 0},
	{"s2m_ndr_cmps", S2M_NDR, 1},
	{"s2m_ndr_cmpe", S2M_NDR, 2},
	{"s2m_ndr_biconflictack", S2M_NDR, 4},

	{"s2m_drs_memdata", S2M_DRS, 0},
	{"s2m_drs_memdatanxm", S2M_DRS, 1},

	{"ddr_act", DDR, 0},
	{"ddr_pre", DDR, 1},
	{"ddr_casrd", DDR, 2},
	{"ddr_caswr", DDR, 3},
	{"ddr_refresh", DDR, 4},
	{"ddr_selfrefreshent", DDR, 5},
	{"ddr_rfm", DDR, 6},
};

const size_t pv_cpmu_events_count = sizeof(pv_cpmu_events) / sizeof(pv_cpmu_events[0]);
