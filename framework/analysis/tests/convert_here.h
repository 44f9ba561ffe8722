/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts short traces of 8DW records in memory. */
#ifndef PV_ANALYSIS_TESTS_CONVERT_HERE_H
#define PV_ANALYSIS_TESTS_CONVERT_HERE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/analysis/convert.h"

enum { MRD64 = 0x20000000, MWR64 = 0x60000000, CPL = 0x0a000000, CPLD = 0x4a000000, UR = 1 };

struct here {
	uint32_t dw[4096][8];
	size_t n; /* number of records */
};

static inline void here_record(struct here *h, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3, uint32_t time)
{
	const uint32_t dw[8] = {~0u, 0, dw0, dw1, dw2, dw3, 0, time};

	for (unsigned i = 0; i < 8; i++)
		h->dw[h->n][i] = dw[i];
	h->n++;
}

static inline void here_request(struct here *h, uint32_t kind, unsigned requester, unsigned length, uint32_t address,
				uint32_t time)
{
	here_record(h, kind | (length & 0x3ff), requester << 16 | (length == 1 ? 0xf : 0xff), 0x12, address, time);
}

static inline void here_completion(struct here *h, uint32_t kind, unsigned requester, unsigned status, uint32_t time)
{
	here_record(h, kind, 0x00800000 | status << 13 | 4, requester << 16, 0, time);
}

/* Returns the output of a writer, terminated by a 0; Time is a clock. */
static inline char *here_convert(const struct here *h, const char *to, const struct pv_convert_options *o, size_t *n)
{
	const struct pv_trace_options how = {.time = PV_TRACE_TIME_CLOCK};
	struct pv_trace *t = pv_trace_open_memory(h->dw, h->n * 32, &how);
	int fd = memfd_create("converted", 0);
	struct pv_error e = {0};
	uint64_t records;
	char *out;

	cr_assert_eq(pv_trace_convert(t, pv_converter_by_name(to), fd, o, &records, &e), 0, "%s", e.text);
	pv_trace_close(t);
	*n = (size_t)lseek(fd, 0, SEEK_END);
	out = calloc(1, *n + 1);
	cr_assert_eq(pread(fd, out, *n, 0), (ssize_t)*n);
	close(fd);
	return out;
}

#endif
