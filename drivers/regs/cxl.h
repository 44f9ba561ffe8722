/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CXL memory device apart from its CPMUs: its DVSECs (CXL 3.1 section 8.1), component registers (8.2.4), device
 * registers with the primary mailbox (8.2.8), and the mailbox commands (8.2.9). Offsets and fields only.
 */
#ifndef PV_REGS_CXL_H
#define PV_REGS_CXL_H

/* Designated vendor-specific capabilities, under the vendor id of drivers/regs/cpmu.h. */
#define CXL_DVSEC_DEVICE_ID		0
#define CXL_DVSEC_DEVICE_REV		3
#define CXL_DVSEC_DEVICE_BYTES		0x3c
#define CXL_DVSEC_DEVICE_CAP		0x0a
#define   CXL_DEVICE_CAP_IO		0x0002
#define   CXL_DEVICE_CAP_MEM		0x0004
#define   CXL_DEVICE_CAP_MEM_HWINIT	0x0008
#define   CXL_DEVICE_CAP_HDM_COUNT(n)	((n) << 4)	/* [5:4] ranges */
#define CXL_DVSEC_DEVICE_CTRL		0x0c
#define   CXL_DEVICE_CTRL_IO		0x0002
#define   CXL_DEVICE_CTRL_MEM		0x0004
#define CXL_DVSEC_DEVICE_STATUS2	0x12
#define CXL_DVSEC_DEVICE_LOCK		0x14
#define   CXL_DEVICE_LOCK		0x0001
#define CXL_DVSEC_RANGE_SIZE_HI(n)	(0x18 + 0x10 * (n))
#define CXL_DVSEC_RANGE_SIZE_LO(n)	(0x1c + 0x10 * (n))
#define   CXL_RANGE_INFO_VALID		0x00000001u
#define   CXL_RANGE_ACTIVE		0x00000002u
#define   CXL_RANGE_MEDIA_CDAT		(2u << 2)
#define   CXL_RANGE_CLASS_CDAT		(2u << 5)
#define   CXL_RANGE_LO_MASK		0xf0000000u
#define CXL_DVSEC_RANGE_BASE_HI(n)	(0x20 + 0x10 * (n))
#define CXL_DVSEC_RANGE_BASE_LO(n)	(0x24 + 0x10 * (n))

#define CXL_DVSEC_GPF_DEVICE_ID		5
#define CXL_DVSEC_GPF_DEVICE_BYTES	0x10
#define CXL_GPF_PHASE2_DURATION		0x0a	/* base [3:0], scale [11:8]: 0 is 1 us, each more ten times as long */
#define CXL_GPF_PHASE2_POWER		0x0c	/* mW */

#define CXL_DVSEC_FLEXBUS_ID		7
#define CXL_DVSEC_FLEXBUS_REV		2
#define CXL_DVSEC_FLEXBUS_BYTES		0x20
#define CXL_FLEXBUS_CAP			0x0a
#define   CXL_FLEXBUS_IO		0x0002
#define   CXL_FLEXBUS_MEM		0x0004
#define   CXL_FLEXBUS_68B_VH		0x0020
#define CXL_FLEXBUS_CTRL		0x0c
#define CXL_FLEXBUS_STATUS		0x0e

#define PCI_DSN_LO			4	/* of the Device Serial Number capability, PCIe 5.0 7.9.3 */
#define PCI_DSN_HI			8

/* Component registers: the CXL.cache and CXL.mem part begins here in its block. */
#define CXL_CACHEMEM			0x1000
/* Id 1 [15:0], version [19:16], cache and mem version [23:20], entries [31:24]. */
#define CXL_CAP_HEADER			0x000
#define CXL_CAP_POINTER(n)		(0x004 + 4 * (n))	/* id [15:0], version [19:16], offset [31:20] */
#define CXL_CAP_ID_HEADER		1u
#define CXL_CAP_ID_RAS			2u
#define CXL_CAP_ID_HDM			5u
/* From the start of the RAS capability. */
#define CXL_RAS_UNCOR_STATUS		0x00
#define   CXL_RAS_UNCOR_ALL		0x0001cfffu
#define CXL_RAS_UNCOR_MASK		0x04
#define CXL_RAS_UNCOR_SEVERITY		0x08
#define CXL_RAS_COR_STATUS		0x0c
#define   CXL_RAS_COR_ALL		0x0000007fu
#define CXL_RAS_COR_MASK		0x10
#define CXL_RAS_CONTROL			0x14
#define CXL_RAS_HEADER_LOG		0x18	/* 64 bytes */
#define CXL_RAS_BYTES			0x58
/* From the start of the HDM Decoder capability. */
#define CXL_HDM_CAP			0x00
#define   CXL_HDM_CAP_COUNT_MASK	0x0000000fu	/* 0: 1 decoder, n up to 8: 2 n */
#define   CXL_HDM_CAP_A11TO8		0x00000100u
#define   CXL_HDM_CAP_A14TO12		0x00000200u
#define CXL_HDM_CTRL			0x04
#define   CXL_HDM_CTRL_POISON		0x00000001u
#define   CXL_HDM_CTRL_ENABLE		0x00000002u
#define CXL_HDM_BASE_LO(n)		(0x10 + 0x20 * (n))
#define CXL_HDM_BASE_HI(n)		(0x14 + 0x20 * (n))
#define CXL_HDM_SIZE_LO(n)		(0x18 + 0x20 * (n))
#define CXL_HDM_SIZE_HI(n)		(0x1c + 0x20 * (n))
#define CXL_HDM_DECODER_CTRL(n)		(0x20 + 0x20 * (n))
#define   CXL_HDM_IG_MASK		0x0000000fu
#define   CXL_HDM_IW_SHIFT		4
#define   CXL_HDM_IW_MASK		0x000000f0u
#define   CXL_HDM_LOCK			0x00000100u
#define   CXL_HDM_COMMIT		0x00000200u
#define   CXL_HDM_COMMITTED		0x00000400u
#define   CXL_HDM_NOT_COMMITTED		0x00000800u
#define   CXL_HDM_HOST_ONLY		0x00001000u
#define CXL_HDM_SKIP_LO(n)		(0x24 + 0x20 * (n))
#define CXL_HDM_SKIP_HI(n)		(0x28 + 0x20 * (n))

/* Device registers: the array of capabilities begins the block. */
#define CXL_DEV_CAPS			0x00	/* (64) id 0 [15:0], version [23:16], type [27:24], entries [47:32] */
#define   CXL_DEV_CAP_ID_MASK		0xffff /* also of each capability; 0: the array (CXL 3.0 8.2.8.1) */
#define   CXL_DEV_CAPS_TYPE_MEMORY	(1ull << 24)
#define   CXL_DEV_CAPS_ENTRIES(caps)	((unsigned)((caps) >> 32 & 0xffff))
#define CXL_DEV_CAP(n)			(0x10 + 0x10 * (n))	/* id [15:0], version [23:16]; +4: offset, +8: length */
#define CXL_DEV_CAP_ID_STATUS		0x0001u
#define CXL_DEV_CAP_ID_MAILBOX		0x0002u
#define CXL_DEV_CAP_ID_MEMDEV		0x4000u
#define CXL_EVENT_STATUS		0x00	/* (64) of the device status: bit n is event log n */
#define CXL_MEMDEV_STATUS		0x00	/* (64) */
#define   CXL_MEMDEV_FATAL		0x01ull
#define   CXL_MEMDEV_FW_HALT		0x02ull
#define   CXL_MEMDEV_MEDIA_READY	(1ull << 2)	/* media status [3:2] */
#define   CXL_MEMDEV_MEDIA_MASK		(3ull << 2)
#define   CXL_MEMDEV_MAILBOX_READY	0x10ull

/* From the start of the mailbox. */
#define CXL_MB_CAPS			0x00	/* log2 of payload size [4:0], message number [10:7], type [22:19] */
#define   CXL_MB_CAPS_DOORBELL_INT	0x00000020u
#define   CXL_MB_CAPS_BACKGROUND_INT	0x00000040u
#define   CXL_MB_CAPS_TYPE_MEMORY	(1u << 19)
#define CXL_MB_CTRL			0x04
#define   CXL_MB_DOORBELL		0x00000001u
#define   CXL_MB_DOORBELL_INT		0x00000002u
#define   CXL_MB_BACKGROUND_INT		0x00000004u
#define CXL_MB_COMMAND			0x08	/* (64) opcode [15:0], payload length [36:16] */
#define   CXL_MB_LENGTH_SHIFT		16
#define   CXL_MB_LENGTH_MASK		(0x1fffffull << 16)
#define CXL_MB_STATUS			0x10	/* (64) background operation 0, return code [47:32], vendor [63:48] */
#define   CXL_MB_RETURN_SHIFT		32
#define CXL_MB_BACKGROUND		0x18	/* (64) opcode [15:0], percentage [22:16], return code [47:32] */
#define CXL_MB_PAYLOAD			0x20

/* Opcodes. */
#define CXL_OP_GET_EVENTS		0x0100
#define CXL_OP_CLEAR_EVENTS		0x0101
#define CXL_OP_GET_EVENT_POLICY		0x0102
#define CXL_OP_SET_EVENT_POLICY		0x0103
#define CXL_OP_GET_TIMESTAMP		0x0300
#define CXL_OP_SET_TIMESTAMP		0x0301
#define CXL_OP_GET_SUPPORTED_LOGS	0x0400
#define CXL_OP_GET_LOG			0x0401
#define CXL_OP_IDENTIFY			0x4000
#define CXL_OP_GET_PARTITIONS		0x4100
#define CXL_OP_GET_HEALTH		0x4200
#define CXL_OP_GET_ALERTS		0x4201
#define CXL_OP_SET_ALERTS		0x4202

/* Return codes (CXL 3.1 8.2.8.4.5.1): those that a command here can have. */
#define CXL_RC_SUCCESS			0x00
#define CXL_RC_INVALID_INPUT		0x02
#define CXL_RC_UNSUPPORTED		0x03
#define CXL_RC_INVALID_HANDLE		0x0e
#define CXL_RC_INVALID_LENGTH		0x16
#define CXL_RC_INVALID_LOG		0x17

/* Command effects. */
#define CXL_EFFECT_CONFIG		0x0002	/* immediate configuration change */
#define CXL_EFFECT_POLICY		0x0008
#define CXL_EFFECT_LOG			0x0010

/* Payloads. Capacities are in units of this many bytes. */
#define CXL_CAPACITY_UNIT		0x10000000ull
#define CXL_UUID_BYTES			16
#define CXL_LOGS_FIRST			8	/* Get Supported Logs: entries of a UUID and a 32-bit size */
#define CXL_LOGS_ENTRY_BYTES		20
#define CXL_GET_LOG_OFFSET		0x10
#define CXL_GET_LOG_LENGTH		0x14
#define CXL_GET_LOG_BYTES		0x18
#define CXL_CEL_ENTRY_BYTES		4	/* opcode, effects */
#define CXL_IDENTIFY_TOTAL		0x10
#define CXL_IDENTIFY_VOLATILE		0x18
#define CXL_IDENTIFY_PERSISTENT		0x20
#define CXL_IDENTIFY_ALIGNMENT		0x28
#define CXL_IDENTIFY_EVENT_LOG(n)	(0x30 + 2 * (n))
#define CXL_IDENTIFY_DC_EVENT_LOG	0x43	/* size of the Dynamic Capacity event log, since CXL 3.0 */
#define CXL_IDENTIFY_BYTES		0x45
#define CXL_PARTITION_VOLATILE		0x00
#define CXL_PARTITION_BYTES		0x20
#define CXL_HEALTH_TEMPERATURE		0x04
#define CXL_HEALTH_BYTES		0x12
#define CXL_ALERTS_PROGRAMMABLE		0x01	/* mask */
#define CXL_ALERTS_LIFE_WARNING		0x03
#define CXL_ALERTS_WARNING(n)		(0x08 + 2 * (n))	/* over and under temperature, corrected errors */
#define CXL_ALERTS_BYTES		0x10
#define CXL_SET_ALERTS_VALID		0x00	/* mask of the actions that are set */
#define CXL_SET_ALERTS_ENABLE		0x01
#define CXL_SET_ALERTS_LIFE		0x02
#define CXL_SET_ALERTS_WARNING(n)	(0x04 + 2 * (n))
#define CXL_SET_ALERTS_BYTES		0x0c

/* Events: logs, and how one interrupts. */
#define CXL_EVENT_LOGS			4	/* information, warning, failure, fatal */
#define CXL_EVENT_INT_MASK		0x03
#define CXL_EVENT_INT_NONE		0x00
#define CXL_EVENT_INT_MSI		0x01
#define CXL_EVENT_INT_MESSAGE_SHIFT	4
#define CXL_EVENTS_OVERFLOW		0x01	/* flags of Get Event Records */
#define CXL_EVENTS_MORE			0x02
#define CXL_EVENTS_LOST			0x02	/* how many (16) */
#define CXL_EVENTS_LOST_FIRST		0x04	/* timestamps (64) */
#define CXL_EVENTS_LOST_LAST		0x0c
#define CXL_EVENTS_COUNT		0x14
#define CXL_EVENTS_FIRST		0x20
#define CXL_EVENT_BYTES			0x80
#define CXL_EVENT_LENGTH		0x10
#define CXL_EVENT_FLAGS			0x11	/* severity [1:0] */
#define CXL_EVENT_HANDLE		0x14
#define CXL_EVENT_TIMESTAMP		0x18
#define CXL_EVENT_MEDIA_ADDRESS		0x30	/* of a General Media record */
#define CXL_CLEAR_LOG			0x00
#define CXL_CLEAR_FLAGS			0x01
#define   CXL_CLEAR_ALL			0x01
#define CXL_CLEAR_COUNT			0x02
#define CXL_CLEAR_FIRST			0x06	/* 16-bit handles */

#endif
