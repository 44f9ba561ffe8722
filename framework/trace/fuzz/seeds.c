/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the seeds of the corpus (corpus-trace_raw, corpus-trace_perfdata): hand-made traces, good and damaged.
 * Run by hand when the formats change: fuzz_trace_seeds FOLDER-RAW FOLDER-PERFDATA
 */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"

static struct hand h;
static struct perf_file f;

static void save(const char *folder, const char *name, const void *p, size_t n)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "wb");
	if (!out || fwrite(p, 1, n, out) != n || fclose(out)) {
		perror(path);
		exit(1);
	}
}

/* Of the magic, one byte stays: it says the byte order. See fuzz_trace.c. */
static void save_perf(const char *folder, const char *name)
{
	pf_end(&f);
	f.bytes[7] = f.big_endian;
	save(folder, name, f.bytes + 7, f.n - 7);
}

static void records(void (*add)(struct hand *, uint32_t), unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		add(&h, i);
}

static void raw(const char *folder)
{
	records(hand_8dw, 8);
	save(folder, "8dw", h.bytes, h.n);
	hand_cut(&h, 70, 13);
	save(folder, "8dw-hole", h.bytes, h.n);
	h.bytes[160] = 7;
	save(folder, "8dw-hole-mark", h.bytes, h.n);
	h.n = 0;
	records(hand_4dw, 24);
	save(folder, "4dw", h.bytes, h.n);
	hand_cut(&h, 170, 9);
	save(folder, "4dw-hole", h.bytes, h.n);
	h.n += 100;
	save(folder, "4dw-hole-zeros", h.bytes, h.n);
	h.n = 0;
	records(hand_4dw, 12);
	records(hand_8dw, 4);
	records(hand_4dw, 12);
	hand_noise(&h, 64);
	save(folder, "mixed-noise", h.bytes, h.n);
}

static void ordinary(bool big_endian, bool pipe)
{
	f.big_endian = big_endian;
	f.pipe = pipe;
	pf_begin_one(&f, 0x80001ull | 2ull << 20 | 4ull << 24 | 1ull << 32);
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 1);
	pf_aux(&f, 0, 128, 9, 100);
	h.n = 0;
	records(hand_8dw, 4);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_lost(&f, 3);
	pf_auxtrace(&f, h.bytes, h.n, 160, 0);
}

static void perfdata(const char *folder)
{
	static struct perf_file inner;
	uint8_t packed[1024];
	size_t n;

	ordinary(false, false);
	save_perf(folder, "file");
	ordinary(true, false);
	save_perf(folder, "file-big-endian");
	ordinary(false, true);
	save_perf(folder, "pipe");
	pf_lost(&inner, 9);
	n = ZSTD_compress(packed, sizeof(packed), inner.bytes, inner.n, 1);
	pf_head(&f, 81, 8 + n);
	pf_bytes(&f, packed, n);
	save_perf(folder, "pipe-compressed");
	ordinary(false, false);
	pf_auxtrace_head(&f, 1ull << 40, 320, 1, 1);
	records(hand_8dw, 2);
	pf_bytes(&f, h.bytes, h.n);
	save_perf(folder, "file-size-lies");
	f.pipe = false;
	pf_begin_one(&f, 0);
	pf_info(&f, 6, PF_PMU, 1);
	pf_auxtrace(&f, h.bytes, 64, 0, 0);
	save_perf(folder, "file-pattern");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	raw(argv[1]);
	perfdata(argv[2]);
	return 0;
}
