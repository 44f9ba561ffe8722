/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of another kind are no traces; rare but valid traces are none of these. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/trace/filetype.h"
#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/traffic.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

static uint8_t bytes[PV_FOREIGN_AHEAD];

static size_t load(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	cr_assert(f != NULL, "%s", path);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	return n;
}

static void expect_kind(const char *what, size_t n, const char *kind)
{
	const char *got = pv_filetype(bytes, n);

	cr_expect(got && !strcmp(got, kind), "%s: expected %s, got %s", what, kind, got ? got : "a payload");
}

static size_t text(const char *s)
{
	memcpy(bytes, s, strlen(s));
	return strlen(s);
}

/* ---- text ---- */

Test(foreign, sources_and_documents_are_text)
{
	static const char *const files[] = {"docs/trace.md",
					    "README.md",
					    "docs/hardware-notes.md",
					    "docs/run.svg",
					    "meson.build",
					    "framework/trace/reader.c",
					    "framework/analysis/stat.css",
					    "drivers/regs/ptt.h",
					    "framework/schema/types.def",
					    "ci/mutants",
					    "ci/mutants.txt"};
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", SOURCES, files[i]);
		expect_kind(files[i], load(path), "text");
	}
}

Test(foreign, every_part_of_a_text_is_text)
{
	size_t n = load(SOURCES "/docs/trace.md");

	cr_assert_gt(n, 4096);
	for (size_t len = 16; len < 2048; len += 13) {
		const char *got = pv_filetype(bytes + len, len);

		cr_expect(got != NULL, "%zu bytes", len);
	}
}

Test(foreign, texts_of_other_alphabets_and_with_a_few_odd_bytes_are_text)
{
	expect_kind("accounts", text("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin\n"), "text");
	expect_kind("UTF-8",
		    text("\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 "
			 "\xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80\n"),
		    "text");
	expect_kind("Latin-1", text("Die Firma hat ein neues B\xfcro, sieben Stockwerke hoch, gleich am Fluss.\n"),
		    "text");
	expect_kind("form feeds", text("\f\n\t1. A section\r\n\v\f\n\t2. Another\r\n"), "text");
}

/* ---- formats ---- */

Test(foreign, programs_archives_and_pictures_are_named)
{
	size_t n = load("/proc/self/exe");

	expect_kind("this test", n, "an ELF file");
	n = load(SOURCES "/docs/report.png");
	expect_kind("report.png", n, "a PNG picture");
	for (size_t i = 0; i < n; i++) /* other bytes as good as noise */
		bytes[i] ^= 0x55;
	memcpy(bytes, "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
	expect_kind("gzip", n, "compressed (gzip)");
	memcpy(bytes, "PK\3\4", 4);
	expect_kind("zip", n, "an archive (zip)");
}

/* A long magic number is enough, whatever follows. */
Test(foreign, a_program_of_regular_words_is_a_program)
{
	struct hand h = {.n = 0};

	for (uint32_t i = 0; i < 1000; i++)
		hand_4dw(&h, i);
	memcpy(h.bytes,
	       "\x7f"
	       "ELF\2\1\1",
	       7);
	memcpy(bytes, h.bytes, h.n);
	expect_kind("words", h.n, "an ELF file");
}

/* A read of 2 DW, at a time and with a length that make it the magic of gzip. */
Test(foreign, records_that_begin_with_a_short_magic_are_records)
{
	struct hand h = {.n = 0};

	for (uint32_t i = 0; i < 20; i++) {
		hand_le32(&h, i ? 2u << 11 | (i * 77 & 0x7ff) : 0x00088b1f);
		hand_le32(&h, 0x010000ff | i << 8);
		hand_le32(&h, 0x80000000 + 64 * i);
		hand_le32(&h, 0);
	}
	h.bytes[2] = 0x08; /* Length: 1 DW is in the way of two byte enables */
	cr_expect(pv_filetype(h.bytes, h.n) == NULL, "%s", pv_filetype(h.bytes, h.n));
}

/* ---- what is no file of another kind ---- */

Test(foreign, zeros_ones_and_noise_are_damage)
{
	struct traffic_random r = {1};

	memset(bytes, 0, sizeof(bytes));
	cr_expect(pv_filetype(bytes, sizeof(bytes)) == NULL);
	memset(bytes, 0xff, sizeof(bytes));
	cr_expect(pv_filetype(bytes, sizeof(bytes)) == NULL);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)traffic_random(&r);
	cr_expect(pv_filetype(bytes, sizeof(bytes)) == NULL);
	cr_expect(pv_filetype(bytes, 0) == NULL);
}

/* Any traffic, however little, and with any damage. */
Test(foreign, traces_are_never_refused, .timeout = 120)
{
	struct traffic t = traffic_new(1 << 17);
	struct traffic_random r = {4711};

	for (unsigned p = 0; traffic_profile_name(p); p++)
		for (unsigned d = 0; d < 32; d++) {
			const char *damage = traffic_damage_name(d % 16);
			size_t size = d < 16 ? 16 : 32;

			t.n = t.records = 0;
			traffic_make(&t, p, size, damage ? 800 : 1 + traffic_below(&r, 40), traffic_random(&r));
			if (damage)
				traffic_damage(&t, d % 16, traffic_below(&r, (uint32_t)t.n - 3100), &r);
			cr_expect(pv_filetype(t.bytes, t.n < PV_FOREIGN_AHEAD ? t.n : PV_FOREIGN_AHEAD) == NULL,
				  "%s, %s, %zuDW: %s", traffic_profile_name(p), damage ? damage : "undamaged", size / 4,
				  pv_filetype(t.bytes, t.n));
		}
	traffic_free(&t);
}

/* Vendor messages of function 41:04.0 that carry text: but for the time all bytes are printable. */
Test(foreign, records_of_text_are_records)
{
	struct traffic_random r = {7};
	struct hand h = {.n = 0};

	for (uint32_t i = 0; i < 1000; i++) {
		hand_le32(&h, 0x66200000 | (traffic_random(&r) & 0x7ff)); /* Msg, local: printable but for the time */
		hand_le32(&h, 0x4120417e);
		hand_le32(&h, 0x41204142 + (i % 10));
		hand_le32(&h, 0x6f6c6c65 + (i % 7));
	}
	cr_expect(pv_filetype(h.bytes, h.n) == NULL, "%s", pv_filetype(h.bytes, h.n));
}

/* ---- the reader ---- */

Test(foreign, reader_refuses_text_and_says_what_it_expected)
{
	struct pv_error e = {0};

	cr_expect(pv_trace_open(SOURCES "/docs/mps.md", NULL, &e) == NULL);
	cr_expect_eq(e.code, -EBADMSG);
	cr_expect(strstr(e.text,
			 "mps.md: not a PTT trace: expected a perf.data or raw payload of PTT records, got text") !=
			  NULL,
		  "%s", e.text);
	cr_expect(pv_trace_open_memory("a text of some length\n", 22, NULL) == NULL);
}

Test(foreign, who_wants_all_bytes_gets_them)
{
	struct pv_trace *t = pv_trace_open(SOURCES "/docs/mps.md", &(struct pv_trace_options){.all = true}, NULL);
	struct pv_trace_block b;

	cr_assert(t != NULL);
	cr_expect_eq(pv_trace_next_block(t, &b), 1);
	pv_trace_close(t);
}
