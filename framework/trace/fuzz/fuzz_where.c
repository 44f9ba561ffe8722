/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as an expression; what compiles is run over records of both formats. The same text twice gives the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t records[][8] = {
	{0xffffffff, 0x91312345, 0x20000010, 0x01002aff, 0x4, 0x00001040, 0, 1000},
	{0xffffffff, 0, 0x0a000000, 0x00802004, 0x01002a00, 0, 0, 1100},
	{0xffffffff, 0, 0x44000001, 0x0100000f, 0x02000010, 0, 0, 1200},
	{0xffffffff, 0, 0x34000000, 0x01000019, 0, 0, 0, 1300},
	{0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pv_trace_stream stream;
	char *text = malloc(size + 1);
	struct pv_where w, again;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (pv_where_compile(&w, text, NULL) != pv_where_compile(&again, text, NULL) || w.n_ops != again.n_ops ||
	    w.n_ops > PV_WHERE_OPS || w.n_ranges > PV_WHERE_RANGES)
		abort();
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		struct pv_trace_record r = {.stream = &stream};

		for (int f = PV_RECORD_4DW; f <= PV_RECORD_8DW; f++) {
			pv_record_decode((enum pv_record_format)f, records[i], 0, &r.record);
			if (pv_where_match(&w, &r) != pv_where_match(&again, &r))
				abort();
		}
	}
	free(text);
	return 0;
}
