/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HiSilicon PCIe Tune and Trace (PTT): register map of BAR 2 and event codes.
 * Offsets and fields only; docs/hardware-notes.md section 1 describes their behaviour. The layout of the trace
 * records (4DW and 8DW) is in the same section; framework/trace/record.h decodes them.
 */
#ifndef PV_REGS_PTT_H
#define PV_REGS_PTT_H

#define PTT_VENDOR_ID			0x19e5
#define PTT_DEVICE_ID			0xa12e
#define PTT_BAR				2
#define PTT_BAR_SIZE			0x2000
#define PTT_MSI_VECTOR			0
#define PTT_DMA_BUFFERS			4

#define PTT_TUNING_CTRL			0x0000	/* CODE [15:0], SUB [23:16] */
#define PTT_TUNING_DATA			0x0004	/* VAL [15:0] */
#define   PTT_TUNING_DATA_READ		0xffffffffu	/* starts a read; anything else a write */
#define   PTT_TUNING_DATA_VAL_MASK	0x0000ffffu
#define PTT_TRACE_ADDR_SIZE		0x0800	/* bytes in each DMA buffer */
#define PTT_TRACE_ADDR_BASE_LO(n)	(0x0810 + 8 * (n))
#define PTT_TRACE_ADDR_BASE_HI(n)	(0x0814 + 8 * (n))
#define PTT_TRACE_CTRL			0x0850
#define   PTT_TRACE_CTRL_EN		(1u << 0)
#define   PTT_TRACE_CTRL_RST		(1u << 1)
#define   PTT_TRACE_CTRL_RXTX_SEL_SHIFT	2	/* [3:2] direction */
#define   PTT_TRACE_CTRL_RXTX_SEL_MASK	0x0000000cu
#define   PTT_TRACE_CTRL_TYPE_SEL_SHIFT	4	/* [7:4] type mask */
#define   PTT_TRACE_CTRL_TYPE_SEL_MASK	0x000000f0u
#define   PTT_TRACE_CTRL_DATA_FORMAT	(1u << 14)	/* 1 = 8DW */
#define   PTT_TRACE_CTRL_FILTER_MODE	(1u << 15)	/* 1 = Requester, 0 = Root Port mask */
#define   PTT_TRACE_CTRL_TARGET_SEL_SHIFT 16	/* [31:16] filter value */
#define   PTT_TRACE_CTRL_TARGET_SEL_MASK 0xffff0000u
#define PTT_TRACE_INT_STAT		0x0890	/* [3:0] buffer n is full, W1C */
#define   PTT_TRACE_INT_STAT_MASK	0x0000000fu
#define PTT_TRACE_INT_MASK		0x0894	/* [3:0] 1 = masked */
#define   PTT_TRACE_INT_MASK_ALL	0x0000000fu
#define PTT_TUNING_INT_STAT		0x0898
#define   PTT_TUNING_INT_STAT_BUSY	(1u << 0)
#define PTT_TRACE_WR_STS		0x08a0
#define   PTT_TRACE_WR_STS_WRITE_MASK	0x0fffffffu	/* bytes written in the current buffer */
#define   PTT_TRACE_WR_STS_BUFFER_SHIFT	28	/* [29:28] current buffer */
#define   PTT_TRACE_WR_STS_BUFFER_MASK	0x30000000u
#define PTT_TRACE_STS			0x08b0
#define   PTT_TRACE_STS_IDLE		(1u << 0)
#define PTT_DEVICE_RANGE		0x0fe0
#define   PTT_DEVICE_RANGE_LOWER_MASK	0x0000ffffu
#define   PTT_DEVICE_RANGE_UPPER_SHIFT	16
#define PTT_LOCATION			0x0fe8
#define   PTT_LOCATION_CORE_MASK	0x0000ffffu
#define   PTT_LOCATION_SICL_SHIFT	16

/* Tune events: the value written to TUNING_CTRL. */
#define PTT_TUNE_QOS_TX_CPL		(4u | 3u << 16)
#define PTT_TUNE_QOS_TX_NP		(4u | 4u << 16)
#define PTT_TUNE_QOS_TX_P		(4u | 5u << 16)
#define PTT_TUNE_RX_ALLOC_BUF_LEVEL	(5u | 6u << 16)
#define PTT_TUNE_TX_ALLOC_BUF_LEVEL	(5u | 7u << 16)
#define PTT_TUNE_LEVEL_MAX		2u

/* The filter value of the ABI (20 bits). */
#define PTT_FILTER_IS_PORT		(1u << 19)
#define PTT_FILTER_VALUE_MASK		0x0000ffffu
#define PTT_FILTER_RESERVED_MASK	0x00070000u
/* The bit of a Root Port among those of its core: the function number does not enter it. */
#define PTT_FILTER_PORT_BIT(bdf)	(1u << (PCI_SLOT(bdf) & 7) * 2)

/* The type mask. */
#define PTT_TYPE_POSTED			1u
#define PTT_TYPE_NONPOSTED		2u
#define PTT_TYPE_COMPLETION		4u
#define PTT_TYPES_ALL			7u

/* The direction values (see the table in docs/hardware-notes.md). */
#define PTT_DIR_IN			0u	/* 4DW only: inbound P, NP, CPL */
#define PTT_DIR_OUT			1u	/* outbound P, NP, CPL */
#define PTT_DIR_B			2u	/* inbound P, NP, CPL B (4DW: and outbound) */
#define PTT_DIR_A			3u	/* inbound CPL A (4DW: and outbound) */

#define PTT_RECORD_4DW_BYTES		16
#define   PTT_RECORD_4DW_TIME_MASK	0x000007ffu	/* of DW0; as a distance, all ones means at least as much */
#define   PTT_RECORD_4DW_SO		(1u << 21)	/* of DW0 */
#define PTT_RECORD_8DW_BYTES		32
#define PTT_RECORD_8DW_DW0		0xffffffffu	/* [31:11] the mark, [10:0] 0x7ff */
#define   PTT_RECORD_8DW_MARK_MASK	0xfffff800u
#define   PTT_RECORD_8DW_TIME_MASK	0xffffffffu

/* The config word of perf (F-P44): filter, direction, mask of types, format. */
#define PTT_CONFIG_FILTER_MASK		0xfffffu
#define PTT_CONFIG_DIRECTION_SHIFT	20
#define PTT_CONFIG_DIRECTION_MASK	0xfu
#define PTT_CONFIG_TYPE_SHIFT		24
#define PTT_CONFIG_TYPE_MASK		0xffu
#define PTT_CONFIG_FORMAT_SHIFT		32
#define PTT_CONFIG_FORMAT_MASK		0xfu
#define PTT_CONFIG_FILTER(config)	((uint32_t)((config) & PTT_CONFIG_FILTER_MASK))
#define PTT_CONFIG_DIRECTION(config)	((uint32_t)((config) >> PTT_CONFIG_DIRECTION_SHIFT & PTT_CONFIG_DIRECTION_MASK))
#define PTT_CONFIG_TYPE(config)		((uint32_t)((config) >> PTT_CONFIG_TYPE_SHIFT & PTT_CONFIG_TYPE_MASK))
#define PTT_CONFIG_FORMAT(config)	((uint32_t)((config) >> PTT_CONFIG_FORMAT_SHIFT & PTT_CONFIG_FORMAT_MASK))
#define   PTT_CONFIG_FORMAT_4DW		0u
#define   PTT_CONFIG_FORMAT_8DW		1u

#endif
