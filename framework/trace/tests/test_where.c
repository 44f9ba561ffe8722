/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --where: each kind of field, each operator, absent fields, precedence, and mistakes with their place. */
#include "framework/trace/where.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* A memory read of 16 DW by 01:00.0, tag 0x2a, address 0x4_0000_1040, with a PASID prefix. */
static const uint32_t read_8dw[8] = {0xffffffff, 0x91312345, 0x20000010, 0x01002aff, 0x4, 0x00001040, 0, 1000};
/* Its completion from 00:10.0, status UR. */
static const uint32_t cpl_8dw[8] = {0xffffffff, 0, 0x0a000000, 0x00802004, 0x01002a00, 0, 0, 1100};
/* Published 4DW record: MRd64 of 00:10.0, 1 DW, tag 0x10. */
static const uint32_t read_4dw[4] = {0x40200fff, 0x0080100f, 0x00000400, 0x00010148};

static const struct pv_trace_stream stream = {.index = 0};

static struct pv_trace_record record(const uint32_t *dw, size_t n)
{
	struct pv_trace_record r = {.stream = &stream, .direction = n == 8 ? PV_TRACE_INBOUND : PV_TRACE_UNKNOWN};

	cr_assert_eq(pv_record_decode(n == 8 ? PV_RECORD_8DW : PV_RECORD_4DW, dw, 64, &r.record), 0);
	r.time = 0x100000000ull + r.record.time;
	return r;
}

static bool is(const char *text, const struct pv_trace_record *r)
{
	struct pv_error e = {0};
	struct pv_where w;

	cr_assert_eq(pv_where_compile(&w, text, &e), 0, "%s: %s", text, e.text);
	return pv_where_match(&w, r);
}

struct line {
	const char *text;
	bool read, cpl;
};

static const struct line lines[] = {
	{"", true, true},
	{"kind == MRd64", true, false},
	{"kind == mrd*", true, false},
	{"kind == *l*", false, true},
	{"kind == \"Cpl\"", false, true},
	{"kind != MRd??", false, true},
	{"kind in (MWr*, Cpl, CplD)", false, true},
	{"class == np", true, false},
	{"class in (p, cpl)", false, true},
	{"format == 8dw", true, true},
	{"direction == inbound", true, true},
	{"requester == 01:00.0", true, true},
	{"requester == 01:00.1", false, false},
	{"requester == 01:*", true, true},
	{"requester == 01:00.*", true, true},
	{"requester in 00:1f.0..01:00.0", true, true},
	{"requester == 0x100", true, true},
	{"completer == 00:10.0", false, true},
	{"completer != 00:10.0", false, false}, /* the read has none */
	{"!(completer == 00:10.0)", true, false},
	{"address in 0x400001000..0x400001fff", true, false},
	{"address == 0x400001040", true, false},
	{"address >= 16GiB", true, false},
	{"address < 0x400001040", false, false},
	{"address <= 0x400001040", true, false},
	{"address > 0x400001040", false, false},
	{"length_dw == 16", true, false},
	{"length in (1, 8..16)", true, false},
	{"length < 0", false, false},
	{"tag == 42", true, true},
	{"time > 0x1000003ff", false, true},
	{"time_raw == 1000", true, false},
	{"offset == 64", true, true},
	{"status == UR", false, true},
	{"status != SC", false, true},
	{"byte_count == 4", false, true},
	{"pasid == 0x12345", true, false},
	{"pasid_exe", true, false},
	{"!pasid_exe", false, true},
	{"pasid_pmr && pasid_exe", true, false},
	{"tc == 0", true, true},
	{"kind == MRd64 || kind == Cpl && tag == 1", true, false},
	{"(kind == MRd64 || kind == Cpl) && tag == 1", false, false},
	{"kind == Cpl && tag == 1 || tag == 42", true, true},
	{"!!(tag == 42)", true, true},
	{"first_be == 0xf&&last_be==15", true, false},
	{"prefix != 0", true, false},
	{"stream == 0", true, true},
};

Test(where, expressions_choose_records)
{
	struct pv_trace_record read = record(read_8dw, 8), cpl = record(cpl_8dw, 8);

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		cr_assert_eq(is(lines[i].text, &read), lines[i].read, "the read, '%s'", lines[i].text);
		cr_assert_eq(is(lines[i].text, &cpl), lines[i].cpl, "the completion, '%s'", lines[i].text);
	}
}

Test(where, what_a_4dw_record_does_not_keep_is_absent)
{
	static const char *const absent[] = {"tc == 0",
					     "tc != 0",
					     "td",
					     "ep",
					     "at == 0",
					     "prefix == 0",
					     "pasid == 0",
					     "direction == inbound",
					     "completer == 00:00.0"};
	struct pv_trace_record r = record(read_4dw, 4);

	cr_assert(is("kind == MRd64 && requester == 00:10.0 && tag == 0x10 && address == 0x40000010148 && ro", &r));
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		cr_assert_not(is(absent[i], &r), "%s", absent[i]);
}

static const struct {
	const char *text, *says;
} mistakes[] = {
	{"knd == MRd", "character 1: there is no field 'knd'"},
	{"kind == MRx*", "character 9: no kind is named 'MRx*'; there are: undefined MRd32"},
	{"kind < MRd", "character 7: the values of kind are names"},
	{"kind", "character 5: expected an operator"},
	{"kind = MRd64", "character 6: equality is '=='"},
	{"kind == ", "character 9: expected a name of kind"},
	{"requester == 01:20.0", "character 14: expected a function as bb:dd.f"},
	{"requester == 01:00.8", "f 0 to 7"},
	{"requester == 100:00.0", "character 14: expected a function"},
	{"requester == 0x10000", "character 14: expected a function"},
	{"address == 0x1ffff0000ffff0000f", "expected a number below 2^64"},
	{"address == 99999999TiB", "above 2^64"},
	{"address == 12ab", "expected a number, got '12ab'"},
	{"address in 5..4", "character 12: the range ends before it begins"},
	{"tag in (1, 2", "expected ',' or ')'"},
	{"(tag == 1", "expected ')'"},
	{"tag == 1 tag == 2", "character 10: expected && or ||"},
	{"tag == 1 &&", "expected a field, got the end"},
	{"&& tag == 1", "character 1: expected a field, got '&&'"},
	{"kind == 'MRd64", "expected a name"},
};

Test(where, mistakes_are_told_with_their_place)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct pv_error e = {0};
		struct pv_where w;

		cr_assert_neq(pv_where_compile(&w, mistakes[i].text, &e), 0, "%s", mistakes[i].text);
		cr_assert_neq(strstr(e.text, mistakes[i].says), NULL, "'%s': expected '%s', got '%s'", mistakes[i].text,
			      mistakes[i].says, e.text);
	}
}

/* `n` times `part`, in one string. */
static const char *repeat(const char *part, size_t n)
{
	static char text[1 << 16];
	size_t len = strlen(part);

	cr_assert_lt(n * len, sizeof(text));
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, part, len);
	text[n * len] = '\0';
	return text;
}

Test(where, depth_and_length_are_bounded)
{
	struct pv_error e = {0};
	struct pv_where w;

	cr_assert_neq(pv_where_compile(&w, repeat("(", 40000), &e), 0);
	cr_assert_neq(strstr(e.text, "more than 32 parentheses"), NULL, "%s", e.text);
	cr_assert_neq(pv_where_compile(&w, repeat("!", 40000), &e), 0);
	cr_assert_neq(strstr(e.text, "more than 32 parentheses"), NULL, "%s", e.text);
	cr_assert_neq(pv_where_compile(&w, repeat("tag == 1 || ", 1000), &e), 0);
	cr_assert_neq(strstr(e.text, "too long"), NULL, "%s", e.text);
}

Test(where, a_failed_program_chooses_all_and_null_too)
{
	struct pv_trace_record r = record(read_8dw, 8);
	struct pv_where w;

	cr_assert_neq(pv_where_compile(&w, "tag == 1 tag", NULL), 0);
	cr_assert(pv_where_is_all(&w));
	cr_assert(pv_where_match(NULL, &r));
}
