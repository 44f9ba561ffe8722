/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that two AUXTRACE records of a perf.data share: joined where the second goes on with the first. */
#include "framework/trace/tests/seen.h"

/* A payload of 20 records, cut after `cut` bytes as perf does it: the first part padded with zeros to 8 bytes. */
struct cut {
	size_t cut, lost; /* bytes lost between the two */
	uint64_t flags;	  /* flags of an AUX record between them that ends with the first part */
	bool before;	  /* that AUX record is before both */
	uint64_t events;  /* LOST between them */
	uint32_t idx;	  /* of the second part */
	bool is_4dw;
};

static void cut_in_two(const struct cut *c)
{
	uint64_t config = c->is_4dw ? CONFIG_4DW : CONFIG_8DW;
	size_t padded = (c->cut + 7) / 8 * 8;

	pf_begin(&f, 2, (const uint32_t[]){PF_PMU, PF_PMU}, (const uint64_t[]){config, config});
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 2);
	h.n = 0;
	for (unsigned i = 0; i < 20; i++)
		(c->is_4dw ? hand_4dw : hand_8dw)(&h, i);
	if (c->flags && c->before)
		pf_aux(&f, 0, c->cut, c->flags, 100);
	pf_auxtrace_head(&f, padded, 0, 0, 0);
	pf_bytes(&f, h.bytes, c->cut);
	pf_bytes(&f, "\0\0\0\0\0\0\0", padded - c->cut);
	if (c->flags && !c->before)
		pf_aux(&f, 0, c->cut, c->flags, 100);
	if (c->events)
		pf_lost(&f, c->events);
	pf_auxtrace(&f, h.bytes + c->cut + c->lost, h.n - c->cut - c->lost, c->cut + c->lost, c->idx);
	pf_end(&f);
}

static struct seen read_cut(struct cut c)
{
	cut_in_two(&c);
	return read_all(&f);
}

Test(perfdata, a_record_over_two_auxtrace_records_is_joined)
{
	for (unsigned big = 0; big < 2; big++)
		for (unsigned is_4dw = 0; is_4dw < 2; is_4dw++)
			for (size_t cut = 1; cut < 20 * (is_4dw ? 16 : 32); cut++) {
				/* Padded to a whole record: its last word cannot be told from zeros in time. */
				bool looks_whole = cut % (is_4dw ? 16 : 32) > (is_4dw ? 8 : 24);

				f.big_endian = big;
				struct seen s = read_cut((struct cut){.cut = cut, .is_4dw = is_4dw});

				if (looks_whole) {
					cr_expect_geq(s.records, 18);
					cr_expect(strstr(s.what[0], "AUX offset goes back") != NULL, "%zu: %s", cut,
						  s.what[0]);
					continue;
				}
				cr_expect_eq(s.records, 20, "cut after %zu", cut);
				cr_expect_eq(s.problems, 0, "cut after %zu: %s", cut, s.what[0]);
			}
}

Test(perfdata, a_record_over_many_auxtrace_records_is_joined)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 20);
	for (size_t at = 0; at < h.n; at += 8)
		pf_auxtrace(&f, h.bytes + at, 8, at, 0);
	pf_end(&f);
	struct seen s = read_piped(&f);

	cr_expect_eq(s.records, 20);
	cr_expect_eq(s.problems, 0, "%s", s.what[0]);
	cr_expect_eq(s.stream[0].bytes, 640);
}

Test(perfdata, a_joined_record_keeps_its_places)
{
	struct pv_trace_record r;
	struct pv_trace *t;
	size_t first, second;

	cut_in_two(&(struct cut){.cut = 80});
	second = f.n - (640 - 80);
	first = second - 48 - 80;
	t = pv_trace_open_memory(f.bytes, f.n, NULL);
	for (unsigned i = 0; pv_trace_next(t, &r) > 0; i++) {
		cr_expect_eq(r.record.offset, 32 * i);
		cr_expect_eq(r.record.time, 1000 + i);
		cr_expect_eq(r.file_offset, i < 3 ? first + 32 * i : second + 32 * i - 80, "record %u", i);
	}
	pv_trace_close(t);
}

Test(perfdata, a_cut_record_is_not_joined_with_what_does_not_go_on_with_it)
{
	static const struct {
		struct cut cut;
		const char *says;
	} rows[] = {
		{{.cut = 80, .lost = 32}, "is missing"},
		{{.cut = 80, .flags = 1}, "truncated"},
		{{.cut = 80, .flags = 1, .before = true}, "truncated"},
		{{.cut = 80, .flags = 4}, "partial"},
		{{.cut = 80, .flags = 8, .before = true}, "collision"},
		{{.cut = 80, .events = 3}, "perf lost 3 events"},
		{{.cut = 80, .idx = 1}, "truncated record"},
		{{.cut = 40, .is_4dw = true, .flags = 1}, "truncated"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct seen s = read_cut(rows[i].cut);
		bool said = false, cut = false;

		for (size_t k = 0; k < s.problems && k < 8; k++) {
			said |= strstr(s.what[k], rows[i].says) != NULL;
			cut |= !strcmp(s.what[k], "truncated record");
		}
		cr_expect(said, "row %zu: %s", i, s.what[0]);
		cr_expect(cut, "row %zu: %s", i, s.what[0]);
		/* The cut record, and with a hole what is in it; whatever else is there is read. */
		cr_expect_geq(s.records, 18, "row %zu", i);
		cr_expect_leq(s.records, 19, "row %zu", i);
	}
}

/* Twelve bytes of a fourth record, and an offset that says that four of them are padding, which they are not. */
Test(perfdata, padding_that_is_not_zeros_is_data)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 20);
	pf_auxtrace(&f, h.bytes, 3 * 32 + 12, 0, 0);
	pf_auxtrace(&f, h.bytes + 3 * 32 + 8, h.n - 3 * 32 - 8, 3 * 32 + 8, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_str_eq(s.what[0], "truncated record");
	cr_expect_str_eq(s.what[1], "AUX offset goes back from 108 to 104");
	cr_expect_eq(s.records, 19);
}

Test(perfdata, a_record_that_the_end_cuts_is_reported)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n - 8, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 9);
	cr_expect_eq(s.problems, 1);
	cr_expect_str_eq(s.what[0], "truncated record");
}
