/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CXL Performance Monitoring Unit (CPMU), CXL 3.0 section 8.2.7, and the Register Locator DVSEC
 * (section 8.1.9) that leads to it. Offsets and fields only.
 */
#ifndef PV_REGS_CPMU_H
#define PV_REGS_CPMU_H

/* Register Locator DVSEC. */
#define CXL_DVSEC_VENDOR_ID		0x1e98
#define CXL_DVSEC_REG_LOCATOR_ID	8
#define CXL_REG_LOCATOR_FIRST		0x0c	/* first entry, from the start of the capability */
#define CXL_REG_LOCATOR_ENTRY_BYTES	8
#define CXL_REG_LOCATOR_BIR_MASK	0x00000007u
#define CXL_REG_LOCATOR_ID_MASK		0x0000ff00u
#define CXL_REG_LOCATOR_ID_SHIFT	8
#define CXL_REG_LOCATOR_OFF_LO_MASK	0xffff0000u	/* bits [31:16] of the offset; the second dword holds [63:32] */
#define CXL_REG_BLOCK_COMPONENT		1
#define CXL_REG_BLOCK_MEMDEV		3
#define CXL_REG_BLOCK_CPMU		4
#define CXL_MEM_CLASS			0x050210

#define CPMU_BLOCK_BYTES		0xe00
#define CPMU_COUNTERS_MAX		64
#define CPMU_EVENT_CAPS_MAX		32
#define CPMU_FILTERS_MAX		2	/* the defined ones */

#define CPMU_CAP			0x000
#define   CPMU_CAP_COUNTERS_MASK	0x3full	/* counters - 1 */
#define   CPMU_CAP_WIDTH_SHIFT		8
#define   CPMU_CAP_WIDTH_MASK		0xff00ull
#define   CPMU_CAP_EVENT_CAPS_SHIFT	20	/* [24:20] event-capability registers - 1 */
#define   CPMU_CAP_EVENT_CAPS_MASK	(0x1full << 20)
#define   CPMU_CAP_FILTERS_SHIFT	32
#define   CPMU_CAP_FILTERS_MASK		(0xffull << 32)
#define   CPMU_CAP_FILTER_HDM		(1ull << 32)
#define   CPMU_CAP_FILTER_CRB		(1ull << 33)	/* channel, rank, bank */
#define   CPMU_CAP_MSI_SHIFT		44
#define   CPMU_CAP_MSI_MASK		(0xfull << 44)
#define   CPMU_CAP_WRITABLE_WHEN_FROZEN	(1ull << 48)
#define   CPMU_CAP_FREEZE		(1ull << 49)
#define   CPMU_CAP_INTERRUPT		(1ull << 50)
#define   CPMU_CAP_VERSION_SHIFT	60
#define CPMU_OVERFLOW			0x010	/* one bit per counter, W1C */
#define CPMU_FREEZE			0x018	/* one bit per counter, 1 = frozen */
#define CPMU_EVENT_CAP(n)		(0x100 + 8 * (n))
#define   CPMU_EVENT_CAP_EVENTS_MASK	0xffffffffull
#define   CPMU_EVENT_CAP_GID_SHIFT	32
#define   CPMU_EVENT_CAP_GID_MASK	(0xffffull << 32)
#define   CPMU_EVENT_CAP_VID_SHIFT	48
#define   CPMU_EVENT_CAP_VID_MASK	(0xffffull << 48)
#define CPMU_COUNTER_CFG(n)		(0x200 + 8 * (n))
#define   CPMU_CFG_TYPE_MASK		0x3ull
#define   CPMU_CFG_TYPE_FREE_RUNNING	0ull
#define   CPMU_CFG_TYPE_FIXED		1ull
#define   CPMU_CFG_TYPE_CONFIGURABLE	2ull
#define   CPMU_CFG_ENABLE		(1ull << 8)
#define   CPMU_CFG_INT_ON_OVERFLOW	(1ull << 9)
#define   CPMU_CFG_FREEZE_ON_OVERFLOW	(1ull << 10)
#define   CPMU_CFG_EDGE			(1ull << 11)
#define   CPMU_CFG_INVERT		(1ull << 12)
#define   CPMU_CFG_THRESHOLD_SHIFT	16
#define   CPMU_CFG_THRESHOLD_MASK	(0xffull << 16)
#define   CPMU_CFG_EVENTS_SHIFT		24
#define   CPMU_CFG_EVENTS_MASK		(0xffffffffull << 24)
#define   CPMU_CFG_GROUP_SHIFT		59	/* index into EVENT_CAP */
#define   CPMU_CFG_GROUP_MASK		(0x1full << 59)
#define CPMU_FILTER_CFG(n, f)		(0x400 + 32 * (n) + 4 * (f))
#define   CPMU_FILTER_NONE		0xffffffffu
#define   CPMU_FILTER_HDM		0
#define   CPMU_FILTER_CRB		1
#define CPMU_COUNTER(n)			(0xc00 + 8 * (n))

#endif
