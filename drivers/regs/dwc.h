/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synopsys DesignWare PCIe RAS D.E.S. Vendor-Specific Extended Capability: event counters and
 * time-based analysis. Offsets are from the start of the capability. Offsets and fields only.
 */
#ifndef PV_REGS_DWC_H
#define PV_REGS_DWC_H

#define DWC_VSEC_ID			0x02
#define DWC_VSEC_REV			4
#define DWC_VSEC_BYTES			0x100
#define DWC_VENDOR_ALIBABA		0x1ded
#define DWC_VENDOR_QCOM			0x17cb
#define DWC_VENDOR_AMPERE		0x1def
#define DWC_VENDOR_ROCKCHIP		0x1d87
#define DWC_VENDOR_SAMSUNG		0x144d
#define DWC_VENDOR_20FA			0x20fa
#define DWC_VENDOR_0720			0x0720

#define DWC_EVENT_CNT_CTL		0x08
#define   DWC_EVENT_CLEAR_MASK		0x00000003u
#define   DWC_EVENT_CLEAR_SELECTED	1u
#define   DWC_EVENT_CLEAR_ALL		3u
#define   DWC_EVENT_ENABLE_SHIFT	2	/* [4:2] */
#define   DWC_EVENT_ENABLE_MASK		0x0000001cu
#define   DWC_EVENT_SELECTED_OFF	1u
#define   DWC_EVENT_SELECTED_ON		3u
#define   DWC_EVENT_ALL_OFF		5u
#define   DWC_EVENT_ALL_ON		7u
#define   DWC_EVENT_STATUS		(1u << 7)	/* RO: the selected counter is enabled */
#define   DWC_EVENT_LANE_SHIFT		8	/* [11:8] */
#define   DWC_EVENT_LANE_MASK		0x00000f00u
#define   DWC_EVENT_NUMBER_SHIFT	16	/* [23:16] */
#define   DWC_EVENT_NUMBER_MASK		0x00ff0000u
#define   DWC_EVENT_GROUP_SHIFT		24	/* [27:24] */
#define   DWC_EVENT_GROUP_MASK		0x0f000000u
/* Groups of events. */
#define   DWC_GROUP_LANE_ERROR		0	/* layer 1, per lane */
#define   DWC_GROUP_L1_ERROR		1
#define   DWC_GROUP_L2_ERROR		2
#define   DWC_GROUP_L3_ERROR		3
#define   DWC_GROUP_SKP			4	/* per lane */
#define   DWC_GROUP_LINK_STATE		5
#define   DWC_GROUP_DLLP		6
#define   DWC_GROUP_TLP			7
#define DWC_EVENT_CNT_DATA		0x0c	/* count of the selected event and lane: 4, 8 or 32 bits */
#define DWC_TIME_BASED_CTL		0x10
#define   DWC_TIME_START		(1u << 0)
#define   DWC_TIME_DURATION_SHIFT	8	/* [15:8] */
#define   DWC_TIME_DURATION_MASK	0x0000ff00u
#define   DWC_TIME_DURATION_MANUAL	0x00u
#define   DWC_TIME_DURATION_1MS		0x01u
#define   DWC_TIME_DURATION_10MS	0x02u
#define   DWC_TIME_DURATION_100MS	0x03u
#define   DWC_TIME_DURATION_1S		0x04u
#define   DWC_TIME_DURATION_2S		0x05u
#define   DWC_TIME_DURATION_4S		0x06u
#define   DWC_TIME_DURATION_4US		0xffu
#define   DWC_TIME_REPORT_SHIFT		24	/* [31:24] */
#define   DWC_TIME_REPORT_MASK		0xff000000u
#define DWC_TIME_BASED_DATA_LO		0x14
#define DWC_TIME_BASED_DATA_HI		0x18

#endif
