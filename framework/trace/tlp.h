/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes TLP headers (PCIe 5.0 section 2.2) into fields. No dependencies: the oracle and the trace tools use
 * it to read headers; the models have their own code to write them.
 */
#ifndef PV_TRACE_TLP_H
#define PV_TRACE_TLP_H

#include <stdbool.h>
#include <stdint.h>

enum pv_tlp_kind {
	PV_TLP_UNDEFINED,
	PV_TLP_MRD32,
	PV_TLP_MRD64,
	PV_TLP_MRDLK32,
	PV_TLP_MRDLK64,
	PV_TLP_MWR32,
	PV_TLP_MWR64,
	PV_TLP_IORD,
	PV_TLP_IOWR,
	PV_TLP_CFGRD0,
	PV_TLP_CFGRD1,
	PV_TLP_CFGWR0,
	PV_TLP_CFGWR1,
	PV_TLP_MSG,
	PV_TLP_MSGD,
	PV_TLP_CPL,
	PV_TLP_CPLD,
	PV_TLP_CPLLK,
	PV_TLP_CPLDLK,
	PV_TLP_FETCHADD32,
	PV_TLP_FETCHADD64,
	PV_TLP_SWAP32,
	PV_TLP_SWAP64,
	PV_TLP_CAS32,
	PV_TLP_CAS64,
	PV_TLP_DMWR32,
	PV_TLP_DMWR64,
	PV_TLP_KINDS
};

enum pv_tlp_class { PV_CLASS_NONE = 0, PV_CLASS_POSTED = 1, PV_CLASS_NONPOSTED = 2, PV_CLASS_COMPLETION = 4 };

/* A decoded header. Fields that its kind does not have are 0. */
struct pv_tlp {
	enum pv_tlp_kind kind;
	uint8_t fmt, type;    /* as in header DW0 [31:29], [28:24] */
	uint8_t tc, attr, at; /* attr: 4 IDO + 2 RO + 1 NS */
	bool th, td, ep;
	uint16_t length_dw; /* 1..1024 */
	uint16_t requester; /* also of completions */
	uint16_t tag;	    /* 10 bits: T9 T8 and the 8 of the header; data pattern 1: 14 */
	uint8_t first_be, last_be;
	uint64_t address;   /* memory, I/O, atomics: byte address, DW aligned */
	uint16_t completer; /* completions: the completer; configuration: the target function */
	uint8_t status;	    /* completions: 0 SC 1 UR 2 CRS 4 CA */
	bool bcm;
	uint16_t byte_count;   /* completions: 1..4096 */
	uint8_t lower_address; /* completions: 7 bits */
	uint16_t reg;	       /* configuration: 10-bit register number times 4 */
	uint8_t message_code, routing;
};

/* Properties of a kind. */
struct pv_tlp_kind_info {
	char name[12]; /* "MRd32", "CplD", ...; "undefined" */
	uint8_t name_bytes;
	enum pv_tlp_class cls;
	bool has_data, four_dw, is_completion, has_address, is_config, is_message, is_atomic;
};
extern const struct pv_tlp_kind_info pv_tlp_kinds[PV_TLP_KINDS];

/* Kind from Fmt (3 bits) and Type (5 bits). PV_TLP_UNDEFINED if neither PCIe 5.0 nor 6.0 (DMWr) defines it. */
enum pv_tlp_kind pv_tlp_kind(unsigned fmt, unsigned type);
/* Decodes header DW0..DW3 (hdr[3] is ignored for 3DW headers). Never fails: an undefined kind has fmt and type only. */
void pv_tlp_decode(const uint32_t hdr[4], struct pv_tlp *out);
/* Bytes on the wire for a TLP: framing, sequence number, LCRC 8, header, prefixes, payload, ECRC (hardware.md 5). */
unsigned pv_tlp_wire_bytes(const struct pv_tlp *tlp, unsigned prefixes);

/* Name of a message code (PCIe 5.0 table 2-22 and following): "ERR_COR"; NULL: not defined. */
const char *pv_message_name(uint8_t code);
/* Name of a completion status, 3 bits: "UR"; the number where PCIe 5.0 has none. */
const char *pv_status_name(unsigned status);

#endif
