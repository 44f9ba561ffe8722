/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data whose sizes lie: each is reported with its place, in file and pipe mode and either byte order, and
 * costs neither memory nor time. (A loop that a size sets going ends in the timeout.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"
#include "framework/trace/trace.h"

#define CONFIG_8DW (0x80001ull | 2ull << 20 | 4ull << 24 | 1ull << 32)

/* Where perf_file_header has what. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_FEATURES = 72 };

static struct perf_file f;
static struct hand h;
static uint64_t value;
static size_t place; /* offset of the field with a false value */

/* ---- what lies ---- */

static void patch32(size_t at, uint32_t v)
{
	size_t n = f.n;

	f.n = at;
	pf_u32(&f, v);
	f.n = n;
}

static void begin(void)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	h.n = 0;
	for (unsigned i = 0; i < 10; i++)
		hand_8dw(&h, i);
}

static void good(void)
{
	begin();
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
}

static void header_field(size_t at)
{
	good();
	place = at;
	pf_patch64(&f, at, value);
}

static void header_size(void)
{
	header_field(AT_SIZE);
}

static void attr_size(void)
{
	header_field(AT_ATTR_SIZE);
	place = AT_ATTR_SIZE;
}

static void attrs_offset(void)
{
	header_field(AT_ATTRS);
}

static void attrs_bytes(void)
{
	header_field(AT_ATTRS + 8);
	place = AT_ATTRS;
}

static void data_offset(void)
{
	header_field(AT_DATA);
}

static void data_bytes(void)
{
	header_field(AT_DATA + 8);
}

static void ids(size_t at)
{
	good();
	place = PF_FILE_HEADER + 8 + PF_ATTR_SIZE;
	pf_patch64(&f, place + at, value);
}

static void ids_offset(void)
{
	ids(0);
}

static void ids_bytes(void)
{
	ids(8);
}

/* The features' sections are behind the data: that of the PMUs' names, and its content. */
static void features(uint64_t offset, uint64_t bytes, bool absolute)
{
	good();
	pf_patch64(&f, AT_FEATURES, 1u << 16);
	place = f.n;
	pf_u64(&f, absolute ? offset : f.n + 16);
	pf_u64(&f, bytes);
	pf_u32(&f, 1);
	pf_u32(&f, PF_PMU);
	pf_u32(&f, 16);
	pf_bytes(&f, "hisi_ptt0_2\0\0\0\0\0", 16);
}

static void feature_offset(void)
{
	features(value, 28, true);
}

static void feature_bytes(void)
{
	features(0, value, false);
}

static void feature_place(void)
{
	good();
	pf_patch64(&f, AT_FEATURES, UINT64_MAX);
	place = f.n + (size_t)16 * 16;
}

static void auxtrace_size(void)
{
	begin();
	place = f.n;
	pf_auxtrace_head(&f, value, 0, 0, 0);
	pf_bytes(&f, h.bytes, h.n);
	pf_end(&f);
}

static void auxtrace_offset(void)
{
	begin();
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	place = f.n;
	pf_auxtrace(&f, h.bytes, h.n, value, 0);
	pf_end(&f);
}

/* A record with this size in its header, among good ones. */
static void record(uint32_t type, size_t bytes, size_t field, unsigned field_bytes)
{
	begin();
	place = f.n;
	pf_head(&f, type, bytes);
	memset(f.bytes + f.n, 0, bytes - 8);
	f.n += bytes - 8;
	if (field_bytes == 8)
		pf_patch64(&f, place + field, value);
	else if (field_bytes == 4)
		patch32(place + field, (uint32_t)value);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
}

static void attr_record(void)
{
	record(64, 8 + PF_ATTR_SIZE, 8 + 4, 4);
}

static void id_index_count(void)
{
	record(69, 16 + 32, 8, 8);
}

static void compressed2_size(void)
{
	record(83, 32, 8, 8);
}

static void short_aux(void)
{
	record(11, 24, 0, 0);
}

static void short_lost(void)
{
	record(2, 16, 0, 0);
}

static void short_info(void)
{
	record(70, 8, 0, 0);
}

static void short_auxtrace(void)
{
	record(71, 40, 0, 0);
}

static void record_size(void)
{
	begin();
	place = f.n;
	pf_head(&f, 9, (size_t)value);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
}

/* ---- what is said ---- */

struct said {
	char what[4][160];
	uint64_t places[4], records;
	size_t n;
};

static void note(void *ctx, const struct pv_trace_problem *p)
{
	struct said *s = ctx;

	if (s->n < 4) {
		snprintf(s->what[s->n], sizeof(s->what[0]), "%s", p->what);
		s->places[s->n] = p->file_offset;
	}
	s->n++;
}

/* Through memory, a seekable input. Refused: the reason is what[0]. */
static struct said read_all(void)
{
	struct said s = {.n = 0};
	struct pv_trace_options o = {.problem = note, .ctx = &s};
	struct pv_error e = {0};
	struct pv_trace_record r;
	FILE *file = tmpfile();
	struct pv_trace *t;

	cr_assert(file && fwrite(f.bytes, 1, f.n, file) == f.n && !fflush(file) && !fseek(file, 0, SEEK_SET));
	t = pv_trace_open_fd(dup(fileno(file)), "hostile", &o, &e);
	fclose(file);
	if (!t) {
		snprintf(s.what[0], sizeof(s.what[0]), "%.150s", e.text);
		s.places[0] = place;
		s.n = 1;
		return s;
	}
	while (pv_trace_next(t, &r) > 0)
		s.records++;
	pv_trace_close(t);
	return s;
}

static bool says(const struct said *s, const char *what)
{
	for (size_t i = 0; i < s->n && i < 4; i++)
		if (strstr(s->what[i], what) && s->places[i] == place)
			return true;
	return false;
}

enum { FILES = 1, PIPES = 2, BOTH = 3 };

static const struct row {
	const char *name;
	void (*make)(void);
	unsigned modes;
	const char *says;
	uint64_t values[6]; /* ended by 0 */
	uint64_t records;   /* minimum number of records that are still read */
} rows[] = {
	{"header", header_size, BOTH, "header of", {1, 105, 1ull << 32, 1ull << 40, UINT64_MAX}},
	{"attr size", attr_size, FILES, "event attributes of", {1, 79, 5000, 1ull << 32, UINT64_MAX}, 10},
	{"attrs offset",
	 attrs_offset,
	 FILES,
	 "are not in the file",
	 {1ull << 32, 1ull << 40, UINT64_MAX, 1ull << 63},
	 10},
	{"attrs bytes", attrs_bytes, FILES, "are not in the file", {1ull << 32, 1ull << 40, UINT64_MAX}, 10},
	{"ids offset", ids_offset, FILES, "are not in the file", {1ull << 32, 1ull << 40, UINT64_MAX, 1ull << 63}, 10},
	{"ids bytes", ids_bytes, FILES, "are not in the file", {1ull << 32, 1ull << 40, UINT64_MAX}, 10},
	{"data offset", data_offset, FILES, "which cannot be", {1, 1ull << 32, 1ull << 40, UINT64_MAX}},
	{"data bytes", data_bytes, FILES, "behind the file", {1ull << 32, 1ull << 40, 1ull << 63}, 10},
	{"data bytes", data_bytes, FILES, "cannot be", {UINT64_MAX}, 10},
	{"feature offset", feature_offset, FILES, "names", {1ull << 32, 1ull << 40, UINT64_MAX}, 10},
	{"feature bytes", feature_bytes, FILES, "names", {1000, 1ull << 32, 1ull << 40, UINT64_MAX}, 10},
	{"feature place", feature_place, FILES, "ends before the place of the PMUs' names", {1}, 10},
	{"AUXTRACE size",
	 auxtrace_size,
	 BOTH,
	 "can be there",
	 {321, 1ull << 32, 1ull << 40, 1ull << 63, UINT64_MAX},
	 10},
	{"AUXTRACE offset", auxtrace_offset, BOTH, "is missing", {1ull << 32, 1ull << 40, 1ull << 63, UINT64_MAX}, 20},
	{"HEADER_ATTR", attr_record, BOTH, "of a wrong size", {1, 63, 129, 1ull << 31, UINT32_MAX}, 10},
	{"ID_INDEX", id_index_count, BOTH, "ID_INDEX of a wrong size", {2, 1ull << 32, 1ull << 59, UINT64_MAX}, 10},
	{"COMPRESSED2", compressed2_size, BOTH, "size of its data", {17, 1ull << 32, 1ull << 63, UINT64_MAX}, 10},
	{"AUX", short_aux, BOTH, "too short", {1}, 10},
	{"LOST", short_lost, BOTH, "too short", {1}, 10},
	{"AUXTRACE_INFO", short_info, BOTH, "too short", {1}, 10},
	{"AUXTRACE", short_auxtrace, BOTH, "no perf record here", {1}, 10},
	{"record size", record_size, BOTH, "no perf record here", {1, 7}, 10},
};

static void try_row(const struct row *row)
{
	for (size_t i = 0; i < 6 && row->values[i]; i++) {
		value = row->values[i];
		row->make();
		struct said s = read_all();

		cr_expect(says(&s, row->says), "%s of %llu, %s, %s endian: expected '%s' at %zu, got '%s' at %llu",
			  row->name, (unsigned long long)value, f.pipe ? "pipe" : "file",
			  f.big_endian ? "big" : "little", row->says, place, s.what[0],
			  (unsigned long long)s.places[0]);
		cr_expect_geq(s.records, row->records, "%s of %llu", row->name, (unsigned long long)value);
	}
}

Test(hostile, sizes_are_reported_with_their_place, .timeout = 60)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		f.pipe = mode & 1;
		f.big_endian = mode & 2;
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (rows[i].modes & (f.pipe ? PIPES : FILES))
				try_row(&rows[i]);
	}
}

/* ---- what costs ---- */

static long memory_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Each of many events points to all ids of the file. */
Test(hostile, many_events_with_the_same_many_ids_cost_little, .timeout = 30)
{
	enum { EVENTS = 600, IDS = 15000 };
	size_t ids;

	good();
	ids = f.n;
	for (unsigned i = 0; i < IDS; i++)
		pf_u64(&f, i);
	pf_patch64(&f, AT_ATTRS, f.n);
	pf_patch64(&f, AT_ATTRS + 8, EVENTS * (PF_ATTR_SIZE + 16));
	for (unsigned i = 0; i < EVENTS; i++) {
		pf_attr(&f, PF_PMU, CONFIG_8DW);
		pf_u64(&f, ids);
		pf_u64(&f, 8 * IDS);
	}
	struct said s = read_all();

	cr_expect_eq(s.records, 10);
	cr_expect(strstr(s.what[0], "more than 65536 event ids") != NULL, "%s", s.what[0]);
}

/* An AUX buffer for each AUXTRACE record, each after an ID_INDEX that changes its owner. */
Test(hostile, many_buffers_cost_little, .timeout = 30)
{
	enum { BUFFERS = 2500 };
	long before = memory_kib();

	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		pf_head(&f, 69, 16 + 32);
		pf_u64(&f, 1);
		for (unsigned k = 0; k < 4; k++)
			pf_u64(&f, k ? i + 1 : i);
		pf_auxtrace_head(&f, 0, 0, i, i);
	}
	pf_end(&f);
	struct said s = read_all();

	cr_expect_eq(s.records, 0);
	cr_expect_lt(memory_kib() - before, 64 * 1024);
}

Test(hostile, records_that_unpack_to_very_many_are_given_up, .timeout = 30)
{
	enum { PLAIN = 64 << 20 };
	uint8_t *plain = calloc(1, PLAIN), packed[16384];
	size_t n;

	begin();
	for (size_t i = 0; i < PLAIN; i += 8)
		memcpy(plain + i, "\x44\0\0\0\0\0\x08\0", 8); /* FINISHED_ROUND */
	n = ZSTD_compress(packed, sizeof(packed), plain, PLAIN, 19);
	free(plain);
	cr_assert_eq(ZSTD_isError(n), 0);
	pf_head(&f, 81, 8 + n);
	pf_bytes(&f, packed, n);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct said s = read_all();

	cr_expect_eq(s.records, 10);
	cr_expect(strstr(s.what[0], "thousandfold") != NULL, "%s", s.what[0]);
}
