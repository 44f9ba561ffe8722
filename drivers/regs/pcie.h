/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI and PCI Express configuration space (PCIe 5.0 chapter 7): the offsets and fields that pcieval
 * uses. Offsets and fields only.
 */
#ifndef PV_REGS_PCIE_H
#define PV_REGS_PCIE_H

#include <stdint.h>

/*
 * A function's place in the machine: domain << 16 | bus << 8 | device << 3 | function. The lower half is what TLPs
 * carry (PCIe 5.0 2.2.6.2): they know no domains, and bus numbers begin anew in each.
 */
typedef uint32_t pv_bdf;

#define PCI_BDF(bus, dev, fn)		((uint16_t)((bus) << 8 | ((dev) & 0x1f) << 3 | ((fn) & 7)))
#define PCI_BUS(bdf)			((unsigned)(bdf) >> 8 & 0xff)
#define PCI_SLOT(bdf)			((unsigned)(bdf) >> 3 & 0x1f)
#define PCI_FUNC(bdf)			((unsigned)(bdf) & 7)
#define PCI_DOMAIN(bdf)			((uint32_t)(bdf) >> 16)
#define PCI_IN_DOMAIN(domain, rid)	((pv_bdf)(domain) << 16 | (uint16_t)(rid))
#define PCI_RID(bdf)			((uint16_t)(bdf))	/* as in TLPs: without its domain */
#define PCI_FIRST_ON_BUS(bdf)		((pv_bdf)(bdf) & ~0xffu)	/* device 0, function 0 of its bus */
/* For printf(): a function as Linux writes it. */
#define PCI_BDF_FMT			"%04x:%02x:%02x.%x"
#define PCI_BDF_ARGS(bdf)		PCI_DOMAIN(bdf), PCI_BUS(bdf), PCI_SLOT(bdf), PCI_FUNC(bdf)
#define PCI_CFG_BYTES			4096

#define PCI_VENDOR_ID			0x00
#define PCI_DEVICE_ID			0x02
#define PCI_COMMAND			0x04
#define   PCI_COMMAND_IO		0x0001
#define   PCI_COMMAND_MEMORY		0x0002
#define   PCI_COMMAND_MASTER		0x0004
#define   PCI_COMMAND_PARITY		0x0040
#define   PCI_COMMAND_SERR		0x0100
#define   PCI_COMMAND_INTX_OFF		0x0400
#define PCI_STATUS			0x06
#define   PCI_STATUS_CAP_LIST		0x0010
#define PCI_REVISION			0x08
#define PCI_CLASS			0x09	/* 24 bits */
#define PCI_CACHE_LINE			0x0c
#define PCI_HEADER_TYPE			0x0e
#define   PCI_HEADER_TYPE_MASK		0x7f
#define   PCI_HEADER_TYPE_BRIDGE	0x01
#define   PCI_HEADER_MULTI_FUNCTION	0x80
#define PCI_BAR(n)			(0x10 + 4 * (n))
#define PCI_SUBSYSTEM_VENDOR_ID		0x2c	/* header type 0 */
#define PCI_SUBSYSTEM_ID		0x2e
#define   PCI_BAR_IO			0x01
#define   PCI_BAR_64			0x04
#define   PCI_BAR_PREF			0x08
#define   PCI_BAR_FLAGS			0x0fu	/* of memory BARs; the address is above */
#define PCI_PRIMARY_BUS			0x18
#define PCI_SECONDARY_BUS		0x19
#define PCI_SUBORDINATE_BUS		0x1a
#define PCI_IO_BASE			0x1c
#define PCI_IO_LIMIT			0x1d
#define   PCI_IO_WINDOW_MASK		0xf0	/* I/O windows: address [15:12] in bits [7:4] */
#define PCI_MEMORY_BASE			0x20
#define PCI_MEMORY_LIMIT		0x22
#define   PCI_WINDOW_MASK		0xfff0	/* memory windows: address [31:20] in bits [15:4] */
#define PCI_PREF_BASE			0x24
#define PCI_PREF_LIMIT			0x26
#define   PCI_PREF_64			0x0001
#define PCI_PREF_BASE_HI		0x28
#define PCI_PREF_LIMIT_HI		0x2c
#define PCI_CAPABILITIES		0x34
#define PCI_INTERRUPT_LINE		0x3c
#define PCI_INTERRUPT_PIN		0x3d
#define PCI_BRIDGE_CONTROL		0x3e
#define   PCI_BRIDGE_CONTROL_PARITY	0x0001
#define   PCI_BRIDGE_CONTROL_SERR	0x0002	/* error messages are forwarded */
#define   PCI_BRIDGE_CONTROL_BUS_RESET	0x0040

#define PCI_CAP_ID_PM			0x01
#define PCI_CAP_ID_MSI			0x05
#define PCI_CAP_ID_EXP			0x10
#define   PCI_PM_PMC			2
#define     PCI_PM_CAP_VERSION_3	0x0003	/* PCI PM 1.2 */
#define     PCI_PM_CAP_PME_D0		0x0800	/* PME_Support: sends or forwards PME messages in D0, in D3hot */
#define     PCI_PM_CAP_PME_D3HOT	0x4000
#define   PCI_PM_CTRL			4
#define     PCI_PM_CTRL_STATE		0x0003
#define     PCI_PM_D3HOT		0x0003
#define     PCI_PM_CTRL_NO_SOFT_RESET	0x0008
#define     PCI_PM_CTRL_PME_ENABLE	0x0100
#define   PCI_MSI_FLAGS			2
#define     PCI_MSI_FLAGS_ENABLE	0x0001
#define     PCI_MSI_FLAGS_QMASK		0x000e	/* vectors offered, log2 */
#define     PCI_MSI_FLAGS_QSIZE		0x0070	/* vectors granted, log2 */
#define     PCI_MSI_FLAGS_64BIT		0x0080
#define   PCI_MSI_ADDRESS_LO		4
#define   PCI_MSI_ADDRESS_HI		8
#define   PCI_MSI_DATA_64		12

/* PCI Express capability (7.5.3): offsets from its start. */
#define PCI_EXP_FLAGS			2
#define   PCI_EXP_FLAGS_VERS		0x000f
#define   PCI_EXP_FLAGS_TYPE_SHIFT	4	/* [7:4] */
#define   PCI_EXP_FLAGS_TYPE		0x00f0
#define   PCI_EXP_FLAGS_SLOT		0x0100
#define PCI_EXP_TYPE_ENDPOINT		0
#define PCI_EXP_TYPE_LEG_END		1
#define PCI_EXP_TYPE_ROOT_PORT		4
#define PCI_EXP_TYPE_UPSTREAM		5
#define PCI_EXP_TYPE_DOWNSTREAM		6
#define PCI_EXP_TYPE_PCI_BRIDGE		7	/* PCIe to PCI */
#define PCI_EXP_TYPE_PCIE_BRIDGE	8	/* PCI to PCIe */
#define PCI_EXP_TYPE_RC_END		9
#define PCI_EXP_TYPE_RC_EC		10
#define PCI_EXP_DEVCAP			4
#define   PCI_EXP_DEVCAP_MPSS		0x00000007u
#define   PCI_EXP_DEVCAP_EXT_TAG	0x00000020u
#define   PCI_EXP_DEVCAP_RBER		0x00008000u	/* role-based error reporting */
#define   PCI_EXP_DEVCAP_FLR		0x10000000u
#define PCI_EXP_DEVCTL			8
#define   PCI_EXP_DEVCTL_CERE		0x0001	/* report correctable, non-fatal, fatal errors ... */
#define   PCI_EXP_DEVCTL_NFERE		0x0002
#define   PCI_EXP_DEVCTL_FERE		0x0004
#define   PCI_EXP_DEVCTL_URRE		0x0008	/* ... and Unsupported Requests */
#define   PCI_EXP_DEVCTL_RELAX		0x0010
#define   PCI_EXP_DEVCTL_MPS_SHIFT	5
#define   PCI_EXP_DEVCTL_MPS		0x00e0
#define   PCI_EXP_DEVCTL_EXT_TAG	0x0100
#define   PCI_EXP_DEVCTL_NOSNOOP	0x0800
#define   PCI_EXP_DEVCTL_MRRS_SHIFT	12
#define   PCI_EXP_DEVCTL_MRRS		0x7000
#define   PCI_EXP_DEVCTL_BCR_FLR	0x8000	/* writing 1: Function Level Reset; bridges to PCI: retry enable */
#define PCI_EXP_DEVSTA			10
#define   PCI_EXP_DEVSTA_COR		0x0001	/* detected; W1C as the next ones */
#define   PCI_EXP_DEVSTA_NONFATAL	0x0002
#define   PCI_EXP_DEVSTA_FATAL		0x0004
#define   PCI_EXP_DEVSTA_UR		0x0008
#define   PCI_EXP_DEVSTA_TRPND		0x0020	/* Transactions Pending */
#define PCI_EXP_LNKCAP			12
#define   PCI_EXP_LNKCAP_SPEED		0x0000000fu
#define   PCI_EXP_LNKCAP_WIDTH_SHIFT	4
#define   PCI_EXP_LNKCAP_WIDTH		0x000003f0u
#define   PCI_EXP_LNKCAP_LANES(cap)	(((cap) & PCI_EXP_LNKCAP_WIDTH) >> PCI_EXP_LNKCAP_WIDTH_SHIFT)
#define   PCI_EXP_LNKCAP_DLLLARC	0x00100000u	/* tells when the link is active */
#define PCI_EXP_LNKCTL			16
#define   PCI_EXP_LNKCTL_ASPMC		0x0003
#define   PCI_EXP_LNKCTL_RCB		0x0008	/* 1 = 128 bytes */
#define   PCI_EXP_LNKCTL_LD		0x0010	/* link disable */
#define   PCI_EXP_LNKCTL_CCC		0x0040	/* common clock configuration */
#define PCI_EXP_LNKSTA			18
#define   PCI_EXP_LNKSTA_SPEED		0x000f
#define   PCI_EXP_LNKSTA_WIDTH_SHIFT	4
#define   PCI_EXP_LNKSTA_WIDTH		0x03f0
#define   PCI_EXP_LNKSTA_LANES(status)	(((status) & PCI_EXP_LNKSTA_WIDTH) >> PCI_EXP_LNKSTA_WIDTH_SHIFT)
#define   PCI_EXP_LNKSTA_DLLLA		0x2000	/* data link layer link active */
#define PCI_EXP_SLTCAP			20
#define   PCI_EXP_SLTCAP_ABP		0x00000001u	/* attention button */
#define   PCI_EXP_SLTCAP_PCP		0x00000002u	/* power controller */
#define   PCI_EXP_SLTCAP_AIP		0x00000008u	/* attention indicator */
#define   PCI_EXP_SLTCAP_PIP		0x00000010u	/* power indicator */
#define   PCI_EXP_SLTCAP_HPS		0x00000020u	/* hot-plug surprise */
#define   PCI_EXP_SLTCAP_HPC		0x00000040u
#define   PCI_EXP_SLTCAP_NCCS		0x00040000u	/* no Command Completed support */
#define   PCI_EXP_SLTCAP_PSN_SHIFT	19		/* physical slot number, 13 bits */
#define PCI_EXP_SLTCTL			24	/* enables of the events of Slot Status, and what commands do */
#define   PCI_EXP_SLTCTL_ABPE		0x0001
#define   PCI_EXP_SLTCTL_PFDE		0x0002
#define   PCI_EXP_SLTCTL_PDCE		0x0008
#define   PCI_EXP_SLTCTL_CCIE		0x0010
#define   PCI_EXP_SLTCTL_HPIE		0x0020	/* hot-plug interrupt enable */
#define   PCI_EXP_SLTCTL_AIC		0x00c0	/* attention indicator: 1 on, 2 blinks, 3 off */
#define   PCI_EXP_SLTCTL_PIC		0x0300	/* power indicator */
#define   PCI_EXP_SLTCTL_PCC		0x0400	/* power controller: 1 = off */
#define   PCI_EXP_SLTCTL_DLLSCE		0x1000
#define PCI_EXP_SLTSTA			26
#define   PCI_EXP_SLTSTA_ABP		0x0001	/* attention button pressed, W1C as all events */
#define   PCI_EXP_SLTSTA_PFD		0x0002	/* power fault detected */
#define   PCI_EXP_SLTSTA_PDC		0x0008	/* presence detect changed */
#define   PCI_EXP_SLTSTA_CC		0x0010	/* command completed */
#define   PCI_EXP_SLTSTA_PDS		0x0040	/* presence detect state */
#define   PCI_EXP_SLTSTA_DLLSC		0x0100	/* data link layer state changed */
#define PCI_EXP_DEVCAP2			36
#define   PCI_EXP_DEVCAP2_ARI		0x00000020u	/* forwards to functions above 7 */
#define   PCI_EXP_DEVCAP2_ATOMIC_32	0x00000080u	/* completes AtomicOps of 32 bits, of 64 */
#define   PCI_EXP_DEVCAP2_ATOMIC_64	0x00000100u
#define   PCI_EXP_DEVCAP2_10BIT_TAG_COMP 0x00010000u
#define   PCI_EXP_DEVCAP2_10BIT_TAG_REQ	0x00020000u
#define PCI_EXP_DEVCTL2			40
#define   PCI_EXP_DEVCTL2_ARI		0x0020
#define   PCI_EXP_DEVCTL2_ATOMIC_REQ	0x0040	/* AtomicOp Requester Enable */
#define   PCI_EXP_DEVCTL2_10BIT_TAG_REQ	0x1000
#define PCI_EXP_LNKCAP2			44
#define   PCI_EXP_LNKCAP2_SPEEDS(max)	((2u << (max)) - 2)	/* [7:1]: bit n is speed n of Link Capabilities */
#define PCI_EXP_LNKCTL2			48
#define   PCI_EXP_LNKCTL2_TLS		0x000f	/* target link speed */
#define PCI_EXP_LNKSTA2			50
#define   PCI_EXP_LNKSTA2_FLIT		0x0400	/* Flit Mode Status (PCIe 6.0 7.5.3.20) */
#define PCI_EXP_CAP_BYTES		60

/* Extended capabilities. */
#define PCI_EXT_CAP_START		0x100
#define PCI_EXT_CAP_ID(h)		((h) & 0xffff)
#define PCI_EXT_CAP_VER(h)		((h) >> 16 & 0xf)
#define PCI_EXT_CAP_ID_AND_VER		0x000fffffu
#define PCI_EXT_CAP_NEXT_SHIFT		20
#define PCI_EXT_CAP_NEXT(h)		((h) >> 20 & 0xffc)
#define PCI_EXT_CAP_ID_AER		0x0001
#define PCI_EXT_CAP_ID_DSN		0x0003	/* Device Serial Number */
#define PCI_EXT_CAP_ID_VSEC		0x000b
#define PCI_EXT_CAP_ID_ARI		0x000e
#define PCI_EXT_CAP_ID_SRIOV		0x0010
#define PCI_EXT_CAP_ID_DVSEC		0x0023
#define PCI_ARI_CAP			0x04	/* 16 bits */
#define   PCI_ARI_CAP_NFN(cap)		((cap) >> 8 & 0xff)	/* next function number, 0: the last */
#define PCI_AER_UNCOR_STATUS		0x04	/* W1C */
#define   PCI_AER_UNCOR_POISONED_TLP	(1u << 12)
#define   PCI_AER_UNCOR_MALFORMED_TLP	(1u << 18)
#define   PCI_AER_UNCOR_COMPLETION_TIMEOUT (1u << 14)
#define   PCI_AER_UNCOR_UNSUPPORTED_REQUEST (1u << 20)
#define   PCI_AER_UNCOR_INTERNAL	(1u << 22)	/* masked out of reset */
#define   PCI_AER_UNCOR_POISON_BLOCKED	(1u << 26)	/* at the egress of a port; masked out of reset */
#define PCI_AER_UNCOR_MASK		0x08
#define PCI_AER_UNCOR_SEVERITY		0x0c	/* 1 = fatal */
#define PCI_AER_COR_STATUS		0x10
#define   PCI_AER_COR_RECEIVER		(1u << 0)
#define   PCI_AER_COR_BAD_TLP		(1u << 6)
#define   PCI_AER_COR_BAD_DLLP		(1u << 7)
#define   PCI_AER_COR_ADVISORY		(1u << 13)	/* advisory non-fatal; masked out of reset */
#define   PCI_AER_COR_INTERNAL		(1u << 14)	/* masked out of reset */
#define   PCI_AER_COR_LOG_OVERFLOW	(1u << 15)	/* of the header log; masked out of reset */
#define PCI_AER_COR_MASK		0x14
#define PCI_AER_CAP			0x18
#define   PCI_AER_CAP_FEP		0x0000001fu	/* first error pointer: bit of the uncorrectable status */
#define PCI_AER_HEADER_LOG		0x1c
#define PCI_AER_ROOT_COMMAND		0x2c	/* Root Ports: which messages interrupt */
#define   PCI_AER_ROOT_CMD_COR		0x0001
#define   PCI_AER_ROOT_CMD_NONFATAL	0x0002
#define   PCI_AER_ROOT_CMD_FATAL	0x0004
#define PCI_AER_ROOT_STATUS		0x30	/* W1C */
#define   PCI_AER_ROOT_STS_COR		0x00000001u	/* ERR_COR received */
#define   PCI_AER_ROOT_STS_MULTI_COR	0x00000002u
#define   PCI_AER_ROOT_STS_UNCOR	0x00000004u
#define   PCI_AER_ROOT_STS_MULTI_UNCOR	0x00000008u
#define   PCI_AER_ROOT_STS_FIRST_FATAL	0x00000010u
#define   PCI_AER_ROOT_STS_NONFATAL	0x00000020u
#define   PCI_AER_ROOT_STS_FATAL	0x00000040u
#define   PCI_AER_ROOT_STS_ALL		0x0000007fu
#define   PCI_AER_ROOT_STS_MESSAGE	0xf8000000u	/* message number of the interrupt */
#define   PCI_AER_ROOT_STS_MESSAGE_SHIFT 27
#define PCI_AER_ERROR_SOURCE		0x34	/* who sent ERR_COR [15:0], ERR_NONFATAL or ERR_FATAL [31:16] */
#define PCI_AER_BYTES			0x48
#define PCI_VSEC_HEADER			4	/* id [15:0], revision [19:16], length [31:20] */
/* SR-IOV (9.3.3): offsets from its start. */
#define PCI_SRIOV_CAP			0x04
#define   PCI_SRIOV_CAP_ARI_KEPT	0x00000002u /* ARI Capable Hierarchy Preserved */
#define   PCI_SRIOV_CAP_VF_10BIT_TAG	0x00000004u /* VF 10-Bit Tag Requester Supported */
#define PCI_SRIOV_CTRL			0x08
#define   PCI_SRIOV_CTRL_VFE		0x0001	/* VF Enable */
#define   PCI_SRIOV_CTRL_MSE		0x0008	/* VF Memory Space Enable */
#define   PCI_SRIOV_CTRL_ARI		0x0010	/* ARI Capable Hierarchy */
#define   PCI_SRIOV_CTRL_VF_10BIT_TAG	0x0020	/* VF 10-Bit Tag Requester Enable */
#define PCI_SRIOV_INITIAL_VF		0x0c
#define PCI_SRIOV_TOTAL_VF		0x0e
#define PCI_SRIOV_NUM_VF		0x10
#define PCI_SRIOV_FUNC_LINK		0x12	/* Function Dependency Link */
#define PCI_SRIOV_VF_OFFSET		0x14	/* of the first, from the PF's Requester ID */
#define PCI_SRIOV_VF_STRIDE		0x16
#define PCI_SRIOV_VF_DEVICE_ID		0x1a
#define PCI_SRIOV_PAGES			0x1c
#define PCI_SRIOV_PAGE_SIZE		0x20
#define PCI_DVSEC_HEADER1		4	/* vendor [15:0], revision [19:16], length [31:20] */
#define   PCI_DVSEC_LENGTH(h)		((h) >> 20 & 0xfff)
#define PCI_DVSEC_HEADER2		8	/* id [15:0] */

/* A size of 128 << n bytes, as MPS and MRRS fields hold it. */
#define PCI_EXP_SIZE_BYTES(field)	(128u << (field))
#define PCI_EXP_SIZE_FIELD_MAX		5	/* 4096 bytes; 6 and 7 are reserved */

#endif
