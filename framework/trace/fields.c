/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The named fields of a record, for differences, and the line of text that reports quote. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "framework/trace/record.h"
#include "framework/util/cleanup.h"

/* Text that grows in a caller's buffer. Its length counts on past the end, as with snprintf. */
struct text {
	char *buf;
	size_t size, len;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	bool room = t->len < t->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? t->buf + t->len : NULL, room ? t->size - t->len : 0, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
}

/* When a field is valid: a mask of the record's properties. */
enum {
	WHEN_ALWAYS = 1,
	WHEN_4DW = 4,
	WHEN_PREFIX = 8,
	WHEN_PASID = 16,
	WHEN_DEFINED = 32,
	WHEN_LENGTH = 64,
	WHEN_BYTE_ENABLES = 128,
	WHEN_ADDRESS = 256,
	WHEN_CONFIG = 512,
	WHEN_MESSAGE = 1024,
	WHEN_COMPLETION = 2048,
	WHEN_DEFINED_8DW = 4096,
};

static unsigned record_when(const struct pv_record *r)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[r->tlp.kind];
	bool defined = r->tlp.kind != PV_TLP_UNDEFINED, is_8dw = r->format == PV_RECORD_8DW;
	bool has_be = defined && !k->is_completion && !k->is_message;

	return WHEN_ALWAYS | (is_8dw ? 0 : WHEN_4DW) | (r->prefix ? WHEN_PREFIX : 0) | (r->has_pasid ? WHEN_PASID : 0) |
	       (defined ? WHEN_DEFINED : 0) | (r->tlp.length_dw ? WHEN_LENGTH : 0) | (has_be ? WHEN_BYTE_ENABLES : 0) |
	       (k->has_address ? WHEN_ADDRESS : 0) | (k->is_config ? WHEN_CONFIG : 0) |
	       (k->is_message ? WHEN_MESSAGE : 0) | (k->is_completion ? WHEN_COMPLETION : 0) |
	       (defined && is_8dw ? WHEN_DEFINED_8DW : 0);
}

static const struct field {
	const char *name;
	uint16_t offset, bytes;
	unsigned when;
	bool is_bdf, is_number;
} fields[] = {
#define R(m) offsetof(struct pv_record, m), sizeof(((struct pv_record *)0)->m)
	{"prefix", R(prefix), WHEN_PREFIX},
	{"pasid", R(pasid), WHEN_PASID},
	{"pasid_exe", R(pasid_exe), WHEN_PASID},
	{"pasid_pmr", R(pasid_pmr), WHEN_PASID},
	{"fmt", R(tlp.fmt), WHEN_ALWAYS},
	{"type", R(tlp.type), WHEN_ALWAYS},
	{"tc", R(tlp.tc), WHEN_DEFINED_8DW},
	{"attr", R(tlp.attr), WHEN_DEFINED_8DW},
	{"so", R(so), WHEN_4DW},
	{"at", R(tlp.at), WHEN_DEFINED_8DW},
	{"th", R(tlp.th), WHEN_DEFINED},
	{"td", R(tlp.td), WHEN_DEFINED_8DW},
	{"ep", R(tlp.ep), WHEN_DEFINED_8DW},
	{"length_dw", R(tlp.length_dw), WHEN_LENGTH, .is_number = true},
	{"requester", R(tlp.requester), WHEN_DEFINED, .is_bdf = true},
	{"tag", R(tlp.tag), WHEN_DEFINED},
	{"first_be", R(tlp.first_be), WHEN_BYTE_ENABLES},
	{"last_be", R(tlp.last_be), WHEN_BYTE_ENABLES},
	{"address", R(tlp.address), WHEN_ADDRESS},
	{"destination", R(tlp.completer), WHEN_CONFIG, .is_bdf = true},
	{"register", R(tlp.reg), WHEN_CONFIG},
	{"message_code", R(tlp.message_code), WHEN_MESSAGE},
	{"routing", R(tlp.routing), WHEN_MESSAGE},
	{"completer", R(tlp.completer), WHEN_COMPLETION, .is_bdf = true},
	{"status", R(tlp.status), WHEN_COMPLETION},
	{"bcm", R(tlp.bcm), WHEN_COMPLETION},
	{"byte_count", R(tlp.byte_count), WHEN_COMPLETION, .is_number = true},
	{"lower_address", R(tlp.lower_address), WHEN_COMPLETION},
	{"time", R(time), WHEN_ALWAYS},
#undef R
};
_Static_assert(ARRAY_SIZE(fields) <= PV_RECORD_FIELDS_MAX, "callers hold PV_RECORD_FIELDS_MAX fields");

size_t pv_record_fields(const struct pv_record *r, struct pv_record_field *out)
{
	unsigned when = record_when(r);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];

		if (!(f->when & when))
			continue;
		out[n++] =
			(struct pv_record_field){f->name, pv_member(r, f->offset, f->bytes), f->is_bdf, f->is_number};
	}
	return n;
}

const char *pv_record_field_text(const struct pv_record_field *f, char *buf, size_t size)
{
	unsigned v = (unsigned)f->value;

	if (f->is_bdf)
		snprintf(buf, size, "%02x:%02x.%x", v >> 8 & 0xff, v >> 3 & 0x1f, v & 7);
	else
		snprintf(buf, size, f->is_number ? "%" PRIu64 : "0x%02" PRIx64, f->value);
	return buf;
}

/* Fields that the one-line text prints only where they apply. */
static void put_details(struct text *t, const struct pv_record *r, const struct pv_tlp_kind_info *k)
{
	const struct pv_tlp *p = &r->tlp;

	if (k->has_address)
		put(t, " 0x%" PRIx64 " be %x/%x", p->address, p->first_be, p->last_be);
	if (k->is_config)
		put(t, " to %02x:%02x.%x reg 0x%03x", p->completer >> 8, p->completer >> 3 & 0x1f, p->completer & 7,
		    p->reg);
	if (k->is_message)
		put(t, " code 0x%02x routing %u", p->message_code, p->routing);
	if (k->is_completion)
		put(t, " from %02x:%02x.%x status %u bytes %u lower 0x%02x", p->completer >> 8,
		    p->completer >> 3 & 0x1f, p->completer & 7, p->status, p->byte_count, p->lower_address);
	if (p->length_dw)
		put(t, " %u DW", p->length_dw);
	if (r->has_pasid)
		put(t, " pasid 0x%05x%s%s", r->pasid, r->pasid_exe ? " exe" : "", r->pasid_pmr ? " pmr" : "");
}

int pv_record_text(const struct pv_record *r, char *buf, size_t size)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[r->tlp.kind];
	struct text t = {buf, size, 0};
	uint16_t id = r->tlp.requester;

	if (size)
		*buf = '\0';
	put(&t, "%s", k->name);
	if (r->tlp.kind == PV_TLP_UNDEFINED)
		put(&t, " Fmt 0x%x Type 0x%02x", r->tlp.fmt, r->tlp.type);
	else
		put(&t, " %02x:%02x.%x tag 0x%02x", id >> 8, id >> 3 & 0x1f, id & 7, r->tlp.tag);
	put_details(&t, r, k);
	put(&t, " time 0x%x", r->time);
	return (int)t.len;
}
