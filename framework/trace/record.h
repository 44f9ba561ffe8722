/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT trace records, 4DW and 8DW (layout: docs/hardware-notes.md section 1): detects the format, decodes fields.
 */
#ifndef PV_TRACE_RECORD_H
#define PV_TRACE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "framework/trace/tlp.h"

/* Reads an unsigned member of 1, 2, 4 or 8 bytes, for tables of fields. */
static inline uint64_t pv_member(const void *of, size_t offset, size_t bytes)
{
	const void *p = (const char *)of + offset;

	switch (bytes) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	default:
		return *(const uint64_t *)p;
	}
}

enum pv_record_format { PV_RECORD_UNKNOWN, PV_RECORD_4DW, PV_RECORD_8DW };

static inline size_t pv_record_bytes(enum pv_record_format f)
{
	return f == PV_RECORD_8DW ? 32 : f == PV_RECORD_4DW ? 16 : 0;
}

struct pv_record {
	enum pv_record_format format;
	uint64_t offset; /* in the payload */
	uint32_t dw[8];	 /* in host byte order; 4DW: the first four; 8DW: dw[6] is reserved, usually 0 */
	uint32_t time;	 /* raw: 32 bits (8DW) or 11 (4DW) */
	uint32_t prefix; /* 8DW */
	bool has_pasid, pasid_exe, pasid_pmr;
	uint32_t pasid;
	bool so;	/* 4DW: bit 21 */
	bool has_extra; /* data pattern 1: what it puts into reserved bits of DW2 and DW3 */
	struct pv_record_extra {
		uint8_t segment;	   /* of the requester; of completions and configuration: of the destination */
		uint8_t completer_segment; /* completions */
		bool dsv;		   /* completions, configuration: the destination segment is valid */
		bool t, tv;
		bool has_fm, fm;	  /* short addresses */
		bool is_short;		  /* short addresses, but of I/O: the following */
		uint8_t st_high, hv, ama; /* steering tag [15:8] */
		bool av;
	} extra;
	struct pv_tlp tlp; /* 4DW: tc, td, ep, at and prefix are absent; attr holds relaxed ordering (SO) only */
};

/*
 * Messages routed by address or by ID (PCIe 5.0 table 2-20) carry their destination where other requests carry an
 * address. In other messages these words have no meaning.
 */
enum { PV_ROUTED_BY_ADDRESS = 1, PV_ROUTED_BY_ID = 2 };
static inline const uint32_t *pv_record_header(const struct pv_record *r)
{
	return r->format == PV_RECORD_8DW ? r->dw + 2 : r->dw;
}
static inline uint64_t pv_record_routed_address(const struct pv_record *r)
{
	const uint32_t *header = pv_record_header(r);

	return (uint64_t)header[2] << 32 | (header[3] & ~3u);
}
static inline uint16_t pv_record_routed_id(const struct pv_record *r)
{
	return (uint16_t)(pv_record_header(r)[2] >> 16);
}

/* Detects the format of a payload from its first bytes. UNKNOWN: too short, or all zero. */
enum pv_record_format pv_record_detect(const void *data, size_t len);
/* Decodes the record at `data` (pv_record_bytes() bytes). 0, or -EBADMSG: the fixed bits are wrong. */
int pv_record_decode(enum pv_record_format f, const void *data, uint64_t offset, struct pv_record *out);

/*
 * Reads a decoded record as one of data pattern 1: newer hardware puts more into reserved bits of the header. The tag
 * has 14 bits then, and a 64-bit address 48.
 */
void pv_record_read_extra(struct pv_record *r);
#define PV_RECORD_EXTRA_ADDRESS 0xffffffffffffull /* the bits of a 64-bit address that are left */

/*
 * One named field of a record, for differences. Names are those of `trace decode --format jsonl`. Fields that the
 * kind does not have are left out.
 */
struct pv_record_field {
	const char *name; /* "type", "requester", "address", ... */
	uint64_t value;
	bool is_bdf;	/* print as bb:dd.f */
	bool is_number; /* print in decimal */
};
#define PV_RECORD_FIELDS_MAX 32
/* Fills out[] (PV_RECORD_FIELDS_MAX) in the order of the header; returns how many. */
size_t pv_record_fields(const struct pv_record *r, struct pv_record_field *out);
/* Formats a field's value: "0x10", "01:00.0" or "4". Returns buf. */
const char *pv_record_field_text(const struct pv_record_field *f, char *buf, size_t size);
/* One line for people: "MWr64 01:00.0 tag 0x1e 0x402810040 1 DW". Returns its length, as snprintf does. */
int pv_record_text(const struct pv_record *r, char *buf, size_t size);

#endif
