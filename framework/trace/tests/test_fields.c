/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The named fields of records, and the line that reports quote.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/trace/record.h"

static struct pv_record read_only(void)
{
	static const uint32_t dw[4] = {0x40200fff, 0x0080100f, 0x400, 0x10148};
	struct pv_record r;

	cr_assert_eq(pv_record_decode(PV_RECORD_4DW, dw, 0, &r), 0);
	return r;
}

static struct pv_record write_8dw(uint64_t offset)
{
	static const uint32_t dw[8] = {0xffffffff, 0, 0x60000001, 0x01001e0f, 4, 0x02810040, 0, 0x4c033};
	struct pv_record r;

	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, dw, offset, &r), 0);
	return r;
}

Test(fields, line_for_people)
{
	struct pv_record r = write_8dw(0);
	char buf[256];

	pv_record_text(&r, buf, sizeof(buf));
	cr_assert_str_eq(buf, "MWr64 01:00.0 tag 0x1e 0x402810040 be f/0 1 DW time 0x4c033");
}

Test(fields, line_for_each_shape_of_header)
{
	static const struct {
		uint32_t dw[8];
		const char *text;
	} cases[] = {
		{{~0u, 0x91300005, 0x20000004, 0x010000ff, 0, 0x2000, 0, 1},
		 "MRd64 01:00.0 tag 0x00 0x2000 be f/f 4 DW pasid 0x00005 exe pmr time 0x1"},
		{{~0u, 0, 0x4a800010, 0x00800040, 0x0101077c, 0, 0, 2},
		 "CplD 01:00.1 tag 0x207 from 00:10.0 status 0 bytes 64 lower 0x7c 16 DW time 0x2"},
		{{~0u, 0, 0x04000001, 0x0000090f, 0x01000010, 0, 0, 3},
		 "CfgRd0 00:00.0 tag 0x09 to 01:00.0 reg 0x010 1 DW time 0x3"},
		{{~0u, 0, 0x34000000, 0x01000020, 0, 0, 0, 4}, "Msg 01:00.0 tag 0x00 code 0x20 routing 4 time 0x4"},
		{{~0u, 0, 0x59000001, 0, 0, 0, 0, 5}, "undefined Fmt 0x2 Type 0x19 time 0x5"},
	};
	struct pv_record r;
	char buf[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_assert_eq(pv_record_decode(PV_RECORD_8DW, cases[i].dw, 0, &r), 0);
		pv_record_text(&r, buf, sizeof(buf));
		cr_expect_str_eq(buf, cases[i].text);
	}
}

static const char *names_of(const struct pv_record *r)
{
	static char all[512];
	struct pv_record_field f[PV_RECORD_FIELDS_MAX];
	size_t n = pv_record_fields(r, f);

	*all = '\0';
	for (size_t i = 0; i < n; i++) {
		strcat(all, f[i].name);
		strcat(all, " ");
	}
	return all;
}

Test(fields, of_a_completion)
{
	static const uint32_t dw[8] = {~0u, 0, 0x4a800010, 0x00801040, 0x0101077c, 0, 0, 2};
	struct pv_record_field f[PV_RECORD_FIELDS_MAX];
	struct pv_record r;
	char text[24];

	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, dw, 64, &r), 0);
	cr_assert_str_eq(names_of(&r),
			 "fmt type tc attr at th td ep length_dw requester tag completer status bcm byte_count "
			 "lower_address time ");
	pv_record_fields(&r, f);
	cr_assert_str_eq(pv_record_field_text(&f[9], text, sizeof(text)), "01:00.1");
	cr_assert_str_eq(pv_record_field_text(&f[10], text, sizeof(text)), "0x207");
	cr_assert_str_eq(pv_record_field_text(&f[14], text, sizeof(text)), "64");
}

Test(fields, that_mean_nothing_are_left_out)
{
	struct pv_record r = read_only();

	cr_assert_str_eq(names_of(&r), "fmt type so th length_dw requester tag first_be last_be address time ");
}

/* A buffer that is too small is not overrun, and the length is that of the whole line. */
Test(fields, line_is_cut_as_snprintf_does)
{
	struct pv_record r = write_8dw(0);
	char big[256], small[32];
	int n = pv_record_text(&r, big, sizeof(big));

	memset(small, 'x', sizeof(small));
	cr_assert_eq(pv_record_text(&r, small, 20), n);
	cr_assert_eq(strlen(small), 19);
	cr_assert_eq(small[20], 'x');
	cr_assert_eq(pv_record_text(&r, NULL, 0), n);
}
