/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace: statistics on one and on two threads (which must agree), comparison with itself and
 * with its second half, and conversion to every format.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/trace/convert.h"
#include "framework/trace/diff.h"
#include "framework/trace/stat_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pv_trace *opened(const uint8_t *data, size_t size)
{
	struct pv_trace *t = pv_trace_open_memory(data, size, NULL);

	if (!t)
		abort();
	return t;
}

static struct pv_stat *stat_of(const uint8_t *data, size_t size, unsigned jobs)
{
	struct pv_trace *t = opened(data, size);
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){.jobs = jobs}, NULL);

	pv_trace_close(t);
	return s;
}

static void print(const struct pv_stat *s)
{
	struct pv_stat_report r = {.name = "fuzz"};
	FILE *f = fopen("/dev/null", "w");

	if (!f)
		abort();
	pv_stat_text(s, &r, f);
	pv_stat_json(s, &r, f);
	pv_stat_html(s, &r, f);
	fclose(f);
}

static uint64_t different(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	struct pv_trace *ta = opened(a, na), *tb = opened(b, nb);
	struct pv_diff_sums s = {0};

	pv_trace_diff(ta, tb, &(struct pv_diff_options){.mask = na & 31}, &s, NULL);
	if (s.a != s.same + s.changed + s.only_a || s.b != s.same + s.changed + s.only_b)
		abort();
	pv_trace_close(ta);
	pv_trace_close(tb);
	return s.changed + s.only_a + s.only_b;
}

static void convert(const uint8_t *data, size_t size, const struct pv_converter *c)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct pv_trace *t = opened(data, size);
	uint64_t n;

	pv_trace_convert(t, c, fd, &(struct pv_convert_options){0}, &n, NULL);
	pv_trace_close(t);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_trace *t = pv_trace_open_memory(data, size, NULL);
	struct pv_stat *one, *two;

	if (!t)
		return 0; /* a perf.data header that is none */
	pv_trace_close(t);
	one = stat_of(data, size, 1);
	two = stat_of(data, size, 2);
	if (!one != !two || (one && (memcmp(&one->match, &two->match, sizeof(one->match)) ||
				     memcmp(one->sizes, two->sizes, sizeof(one->sizes)))))
		abort();
	if (one)
		print(one);
	pv_stat_free(one);
	pv_stat_free(two);
	if (different(data, size, data, size))
		abort();
	t = pv_trace_open_memory(data + size / 2, size - size / 2, NULL);
	pv_trace_close(t ? t : opened(data, size));
	if (t)
		different(data, size, data + size / 2, size - size / 2);
	for (const struct pv_converter *const *c = pv_converters; *c; c++)
		convert(data, size, *c);
	return 0;
}
