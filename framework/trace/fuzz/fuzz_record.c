/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace payload: every record of either format is decoded and printed in all ways, into
 * buffers of the exact size and into one that is too small. What is JSON must be JSON.
 */
#include <json-c/json.h>

#include "framework/trace/record.h"
#include "framework/util/fuzz/fuzz.h"

typedef int print_fn(const struct pv_record *r, char *buf, size_t size);

static char *printed(const struct pv_record *r, print_fn *fn)
{
	int n = fn(r, NULL, 0);
	char *buf = n < 0 ? NULL : malloc((size_t)n + 1);

	fuzz_check(buf);
	if (n)
		fuzz_check(fn(r, buf, (size_t)n) == n && strlen(buf) == (size_t)n - 1);
	fuzz_check(fn(r, buf, (size_t)n + 1) == n && strlen(buf) == (size_t)n);
	return buf;
}

static void check_json(const struct pv_record *r)
{
	char *text = printed(r, pv_record_json);
	struct json_object *o = json_tokener_parse(text), *kind = json_object_object_get(o, "kind");

	fuzz_check(json_object_is_type(o, json_type_object));
	fuzz_check(json_object_get_uint64(json_object_object_get(o, "offset")) == r->offset);
	fuzz_check(!strcmp(json_object_get_string(kind), pv_tlp_kinds[r->tlp.kind].name));
	json_object_put(o);
	free(text);
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
		int bad = pv_record_decode(f, data + at, at, &r);

		free(printed(&r, pv_record_dump));
		if (bad)
			continue;
		fuzz_check(r.tlp.length_dw <= 1024 && r.tlp.tag < 1024 && r.tlp.kind < PV_TLP_KINDS);
		check_fields(&r);
		check_json(&r);
		free(printed(&r, pv_record_text));
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
