/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace payload: every record of either format is decoded and printed in all ways. JSON output must
 * parse, and a line must be one line.
 */
#include <json-c/json.h>

#include "framework/trace/format.h"
#include "framework/util/fuzz/fuzz.h"

/* The line that reports quote: into a buffer of the exact size, and into one that is too small. */
static void check_line(const struct pv_record *r)
{
	int n = pv_record_text(r, NULL, 0);
	char *buf = n < 0 ? NULL : malloc((size_t)n + 1);

	fuzz_check(buf);
	fuzz_check(n && pv_record_text(r, buf, (size_t)n) == n && strlen(buf) == (size_t)n - 1);
	fuzz_check(pv_record_text(r, buf, (size_t)n + 1) == n && strlen(buf) == (size_t)n);
	free(buf);
}

static void check_json(const struct pv_record *r, const char *text)
{
	struct json_object *o = json_tokener_parse(text), *kind = json_object_object_get(o, "kind");

	fuzz_check(json_object_is_type(o, json_type_object));
	fuzz_check(json_object_get_uint64(json_object_object_get(o, "offset")) == r->offset);
	fuzz_check(!strcmp(json_object_get_string(kind), pv_tlp_kinds[r->tlp.kind].name));
	json_object_put(o);
}

/* The output of decode and dump, each in a buffer of PV_FORMAT_MAX bytes. */
static void check_formats(const struct pv_record *r)
{
	struct pv_trace_record t = {.record = *r, .time = r->time};
	char *buf = malloc(PV_FORMAT_MAX);

	fuzz_check(buf);
	for (const struct pv_format *f = pv_formats; f->name; f++) {
		char *end = f->record(buf, &t);

		fuzz_check(end > buf && end < buf + PV_FORMAT_MAX && end[-1] == '\n');
		end[-1] = '\0';
		fuzz_check(!strchr(buf, '\n'));
		if (!strcmp(f->name, "jsonl"))
			check_json(r, buf);
	}
	fuzz_check(pv_dump_record(buf, r->format, (const uint8_t *)r->dw, (uint32_t)r->offset, true) <
		   buf + PV_FORMAT_MAX);
	free(buf);
}

static void check_fields(const struct pv_record *r)
{
	struct pv_record_field fields[PV_RECORD_FIELDS_MAX];
	size_t n = pv_record_fields(r, fields);
	char text[24];

	fuzz_check(n <= PV_RECORD_FIELDS_MAX);
	for (size_t i = 0; i < n; i++)
		fuzz_check(*fields[i].name && *pv_record_field_text(&fields[i], text, sizeof(text)));
}

static void decode_all(enum pv_record_format f, const uint8_t *data, size_t size)
{
	size_t step = pv_record_bytes(f);
	struct pv_record r;

	for (size_t at = 0; at + step <= size; at += step) {
		if (pv_record_decode(f, data + at, at, &r))
			continue;
		fuzz_check(r.tlp.length_dw <= 1024 && r.tlp.tag < 1024 && r.tlp.kind < PV_TLP_KINDS);
		check_fields(&r);
		check_formats(&r);
		check_line(&r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pv_record_format f = pv_record_detect(data, size);

	fuzz_check(f == PV_RECORD_UNKNOWN || size >= pv_record_bytes(f));
	decode_all(PV_RECORD_4DW, data, size);
	decode_all(PV_RECORD_8DW, data, size);
	return 0;
}
