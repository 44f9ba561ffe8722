/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data as damage leaves it. */
#include "framework/trace/tests/seen.h"

Test(perfdata_damage, sizes_that_lie_yield_what_is_there)
{
	static const uint64_t lies[] = {1ull << 32, 1ull << 40, UINT64_MAX, 1ull << 63, 321, 352};

	for (unsigned i = 0; i < 6; i++) {
		pf_begin_one(&f, CONFIG_8DW);
		pf_info(&f, 6, PF_PMU, -1);
		payload_8dw(0, 10);
		pf_auxtrace_head(&f, lies[i], 0, 0, 0);
		pf_bytes(&f, h.bytes, h.n);
		pf_end(&f);
		struct seen s = read_all(&f), piped = read_piped(&f);

		cr_expect_eq(s.records, 10);
		cr_expect_eq(piped.records, 10);
		cr_expect_geq(s.problems, 1);
	}
}

Test(perfdata_damage, a_size_that_is_too_small_costs_what_it_hides)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace_head(&f, 64, 0, 0, 0);
	pf_bytes(&f, h.bytes, h.n);
	pf_auxtrace(&f, h.bytes, h.n, 320, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 12);
	cr_expect_geq(s.problems, 1);
}

Test(perfdata_damage, a_file_cut_anywhere_is_read_up_to_there)
{
	ordinary();
	size_t whole = f.n;

	for (size_t n = PF_FILE_HEADER; n < whole; n += 13) {
		f.n = n;
		struct pv_trace_options o = {0};
		struct pv_trace *t = pv_trace_open_memory(f.bytes, f.n, &o);
		struct pv_trace_record r;

		if (!t)
			continue;
		while (pv_trace_next(t, &r) > 0)
			;
		cr_expect_geq(pv_trace_problems(t), 1, "cut at %zu", n);
		pv_trace_close(t);
	}
}

/* ---- bad headers ---- */

enum { EVENT_BYTES = 72 };

/* A side-band event whose content could be taken for anything but a header. */
static size_t event(uint32_t type)
{
	size_t at = f.n;

	pf_head(&f, type, EVENT_BYTES);
	for (unsigned i = 8; i < EVENT_BYTES; i += 8)
		pf_u64(&f, 0x0102030405060708u + i);
	return at;
}

/* Three AUXTRACE records of 10 PTT records each, with events between them. Places: events 0 to 3, AUXTRACE 4 to 6. */
static void with_events(size_t places[7])
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	for (unsigned i = 0; i < 4; i++) {
		places[i] = event(3 + i);
		payload_8dw(10 * i, 10);
		places[4 + i % 3] = i < 3 ? f.n : places[4];
		if (i < 3)
			pf_auxtrace(&f, h.bytes, h.n, 320 * i, 0);
	}
	pf_end(&f);
}

/* The header at a place becomes this type and size. */
static void break_header(size_t at, uint32_t type, size_t size)
{
	size_t n = f.n;

	f.n = at;
	pf_head(&f, type, size);
	f.n = n;
}

static void expect_bad_header(const char *what, size_t at, uint64_t records)
{
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, records, "%s", what);
	cr_expect_eq(s.problems, 1, "%s: %s; %s", what, s.what[0], s.what[1]);
	cr_expect_eq(s.file_at[0], at, "%s: %s", what, s.what[0]);
}

Test(perfdata_damage, one_bad_header_of_an_event_costs_no_records)
{
	static const struct {
		uint32_t type;
		size_t size;
	} bad[] = {{0, EVENT_BYTES},  {0xdeadbeef, EVENT_BYTES}, {3, 0},   {3, 4},	{3, 8},
		   {3, 64},	      {3, EVENT_BYTES + 8},	 {3, 456}, {3, 0xfff8}, {71, 48},
		   {71, EVENT_BYTES}, {0xffffffff, 0xffff}};
	size_t places[7];

	for (f.pipe = false;; f.pipe = true) {
		for (unsigned place = 0; place < 3; place++)
			for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
				with_events(places);
				break_header(places[place], bad[i].type, bad[i].size);
				struct seen s = read_all(&f);

				cr_expect_eq(s.records, 30, "type %u size %zu of event %u: %s", bad[i].type,
					     bad[i].size, place, s.what[0]);
				cr_expect_geq(s.problems, 1);
				cr_expect_eq(s.streams, 1, "type %u size %zu of event %u is no AUX buffer", bad[i].type,
					     bad[i].size, place);
			}
		if (f.pipe)
			break;
	}
}

Test(perfdata_damage, a_bad_header_is_reported_with_its_place)
{
	size_t places[7];

	with_events(places);
	break_header(places[1], 0xdeadbeef, EVENT_BYTES);
	expect_bad_header("type", places[1], 30);
	with_events(places);
	break_header(places[1], 3, 0xfff8);
	expect_bad_header("size", places[1], 30);
}

/* All but its header says what it is. */
Test(perfdata_damage, an_auxtrace_record_with_a_bad_header_is_read)
{
	size_t places[7];

	for (unsigned i = 4; i < 7; i++) {
		with_events(places);
		break_header(places[i], 0xdeadbeef, 48);
		expect_bad_header("type", places[i], 30);
		with_events(places);
		break_header(places[i], 71, 56);
		expect_bad_header("size", places[i], 30);
		with_events(places);
		break_header(places[i], 72, 48);
		expect_bad_header("another type", places[i], 30);
	}
}

Test(perfdata_damage, what_is_in_good_records_is_not_taken_for_records)
{
	size_t places[7];

	with_events(places);
	for (unsigned i = 0; i < 4; i++) { /* headers, two in a row, in all events */
		break_header(places[i] + 8, 3, 24);
		break_header(places[i] + 32, 3, 24);
	}
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 30);
	cr_expect_eq(s.problems, 0, "%s", s.what[0]);
}

/* ---- what is missing ---- */

Test(perfdata_damage, a_cut_auxtrace_info_is_reported)
{
	for (size_t size = 8; size < 24; size += 8) {
		pf_begin_one(&f, CONFIG_8DW);
		pf_head(&f, 70, size);
		if (size == 16)
			pf_u64(&f, 6);
		payload_8dw(0, 10);
		pf_auxtrace(&f, h.bytes, h.n, 0, 0);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect_eq(s.records, 10);
		cr_expect_geq(s.problems, 1);
		cr_expect(strstr(s.what[0],
				 size == 8 ? "AUXTRACE_INFO is too short" : "AUXTRACE_INFO is cut: 16 bytes") != NULL,
			  "%s", s.what[0]);
	}
}

Test(perfdata_damage, a_trace_without_records_is_a_problem)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_auxtrace(&f, h.bytes, 0, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 0);
	cr_expect_eq(s.problems, 1);
	cr_expect(strstr(s.what[0], "no records in this trace") != NULL, "%s", s.what[0]);
}

Test(perfdata_damage, a_recording_that_was_not_finished)
{
	ordinary();
	pf_patch64(&f, 48, 0);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 100);
	cr_expect_eq(s.problems, 1);
}

Test(perfdata_damage, compressed_records_that_are_not)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_head(&f, 81, 32);
	pf_bytes(&f, "this is not a zstd frame", 24);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 10);
	cr_expect_eq(s.problems, 1);
}

Test(perfdata_damage, a_header_that_cannot_be_is_refused_with_a_reason)
{
	struct pv_trace_options o = {0};

	ordinary();
	pf_patch64(&f, 8, 105);
	cr_expect(pv_trace_open_memory(f.bytes, f.n, &o) == NULL);
	ordinary();
	pf_patch64(&f, 40, 1ull << 40);
	cr_expect(pv_trace_open_memory(f.bytes, f.n, &o) == NULL);
}
