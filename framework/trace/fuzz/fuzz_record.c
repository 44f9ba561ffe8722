/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace payload: every record of either format is decoded and printed in all ways, into
 * buffers of the exact size and into one that is too small.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int print_fn(const struct pv_record *r, char *buf, size_t size);

static void print(const struct pv_record *r, print_fn *fn)
{
	int n = fn(r, NULL, 0);
	char *buf;

	if (n < 0 || !(buf = malloc((size_t)n + 1)))
		abort();
	if (fn(r, buf, (size_t)n + 1) != n || strlen(buf) != (size_t)n)
		abort();
	if (n && (fn(r, buf, (size_t)n) != n || strlen(buf) != (size_t)n - 1))
		abort();
	free(buf);
}

static void decode_all(enum pv_record_format f, const uint8_t *data, size_t size)
{
	struct pv_record_field fields[PV_RECORD_FIELDS_MAX];
	size_t step = pv_record_bytes(f);
	struct pv_record r;

	for (size_t at = 0; at + step <= size; at += step) {
		int bad = pv_record_decode(f, data + at, at, &r);

		print(&r, pv_record_dump);
		if (bad)
			continue;
		if (pv_record_fields(&r, fields) > PV_RECORD_FIELDS_MAX)
			abort();
		print(&r, pv_record_text);
		print(&r, pv_record_json);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pv_record_format f = pv_record_detect(data, size);

	if (f != PV_RECORD_UNKNOWN && size < pv_record_bytes(f))
		abort();
	decode_all(PV_RECORD_4DW, data, size);
	decode_all(PV_RECORD_8DW, data, size);
	return 0;
}
