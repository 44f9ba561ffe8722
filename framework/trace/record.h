/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT trace records, 4DW and 8DW (docs/hardware-notes.md): finding them in a payload, and their fields.
 */
#ifndef PV_TRACE_RECORD_H
#define PV_TRACE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "framework/trace/tlp.h"

enum pv_record_format { PV_RECORD_UNKNOWN, PV_RECORD_4DW, PV_RECORD_8DW };

static inline size_t pv_record_bytes(enum pv_record_format f)
{
	return f == PV_RECORD_8DW ? 32 : f == PV_RECORD_4DW ? 16 : 0;
}

struct pv_record {
	enum pv_record_format format;
	uint64_t offset;		/* in the payload */
	uint32_t dw[8];			/* as numbers; 4DW: the first four */
	uint32_t time;			/* raw: 32 bits (8DW) or 11 (4DW) */
	uint32_t prefix;		/* 8DW */
	bool     has_pasid, pasid_exe, pasid_pmr;
	uint32_t pasid;
	struct pv_tlp tlp;		/* 4DW: tc, td, ep, at and prefix are absent; attr holds relaxed ordering (SO) only */
};

/* Format of a payload, from its first bytes. UNKNOWN: too short, or all zero. */
enum pv_record_format pv_record_detect(const void *data, size_t len);
/* Decodes one record at `data` (pv_record_bytes() bytes). 0, or -EBADMSG: the fixed bits are not right. */
int pv_record_decode(enum pv_record_format f, const void *data, uint64_t offset, struct pv_record *out);
/* Text of one record, as `perf report -D` prints it but with right 4DW fields; returns its length. */
int pv_record_dump(const struct pv_record *r, char *buf, size_t size);

#endif
