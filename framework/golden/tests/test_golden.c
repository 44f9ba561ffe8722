/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The golden store: reading back what was written, damaged files, and differences record by record. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/golden/golden.h"
#include "framework/trace/record.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

static char folder[] = "/tmp/pcieval-golden-XXXXXX";
static const struct pv_golden_source source = {"plan", "case", "reference", "model", 7};

static void setup(void)
{
	cr_assert(mkdtemp(folder));
}

static void teardown(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

TestSuite(golden, .init = setup, .fini = teardown);

#define RECORDS 8

/* Fills posted writes of 8DW, with different tags and addresses. */
static void fill(uint32_t r[RECORDS][8])
{
	for (uint32_t i = 0; i < RECORDS; i++)
		memcpy(r[i],
		       (uint32_t[8]){0xffffffff, 0, 0x60000001, 0x0100000f | i << 8, 4, 0x1000 + 64 * i, 0, 100 + i},
		       32);
}

static void path_of(char *buf, size_t size, const char *file)
{
	snprintf(buf, size, "%s/%s", folder, file);
}

/* ---- store ---- */

Test(golden, a_trace_comes_back_as_it_was)
{
	uint32_t r[RECORDS][8];
	struct pv_error e = {0};
	void *data;
	size_t len;

	fill(r);
	cr_assert_eq(pv_golden_put_trace(folder, "t", &source, r, sizeof(r), &e), 0, "%s", e.text);
	cr_assert_eq(pv_golden_get_trace(folder, "t", &data, &len, &e), 0, "%s", e.text);
	cr_expect_eq(len, sizeof(r));
	cr_expect_arr_eq(data, r, sizeof(r));
	free(data);
}

Test(golden, the_same_trace_gives_the_same_files)
{
	uint32_t r[RECORDS][8];
	char a[64], b[64], cmd[320];

	fill(r);
	cr_assert_eq(pv_golden_put_trace(folder, "a", &source, r, sizeof(r), NULL), 0);
	cr_assert_eq(pv_golden_put_trace(folder, "b", &source, r, sizeof(r), NULL), 0);
	path_of(a, sizeof(a), "a");
	path_of(b, sizeof(b), "b");
	snprintf(cmd, sizeof(cmd), "cmp -s %s.json %s.json && cmp -s %s.trace.zst %s.trace.zst", a, b, a, b);
	cr_expect_eq(system(cmd), 0);
}

Test(golden, a_damaged_trace_is_refused)
{
	uint32_t r[RECORDS][8];
	struct pv_error e = {0};
	void *data;
	size_t len;
	char path[64];

	fill(r);
	cr_assert_eq(pv_golden_put_trace(folder, "t", &source, r, sizeof(r), NULL), 0);
	path_of(path, sizeof(path), "t.trace.zst");
	cr_assert_eq(truncate(path, 20), 0);
	cr_expect_eq(pv_golden_get_trace(folder, "t", &data, &len, &e), -EBADMSG);
	cr_expect(strstr(e.text, "t.trace.zst"), "%s", e.text);
}

Test(golden, a_trace_with_the_provenance_of_another_is_refused)
{
	uint32_t r[RECORDS][8];
	void *data;
	size_t len;
	char from[64], to[64];

	fill(r);
	cr_assert_eq(pv_golden_put_trace(folder, "t", &source, r, sizeof(r), NULL), 0);
	cr_assert_eq(pv_golden_put_trace(folder, "u", &source, r, 32, NULL), 0);
	path_of(from, sizeof(from), "u.json");
	path_of(to, sizeof(to), "t.json");
	cr_assert_eq(rename(from, to), 0);
	cr_expect_eq(pv_golden_get_trace(folder, "t", &data, &len, NULL), -EBADMSG);
}

Test(golden, a_golden_of_another_version_is_refused)
{
	uint32_t r[RECORDS][8];
	struct pv_error e = {0};
	void *data;
	size_t len;
	char path[64], cmd[160];

	fill(r);
	cr_assert_eq(pv_golden_put_trace(folder, "t", &source, r, sizeof(r), NULL), 0);
	path_of(path, sizeof(path), "t.json");
	snprintf(cmd, sizeof(cmd), "sed -i 's/\"format\": *1/\"format\": 2/' %s", path);
	cr_assert_eq(system(cmd), 0);
	cr_expect_eq(pv_golden_get_trace(folder, "t", &data, &len, &e), -EBADMSG);
	cr_expect(strstr(e.text, "\"format\": expected 1, got 2"), "%s", e.text);
}

Test(golden, names_cannot_leave_the_folder)
{
	static const char *const bad[] = {"", "..", ".x", "a/b", "a b", "../t", "a\nb"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(pv_golden_put_trace(folder, bad[i], &source, "x", 1, NULL), -EINVAL, "\"%s\"", bad[i]);
	}
	cr_expect_eq(pv_golden_put_trace(folder, "plan.case_level-2_.t", &source, "x", 1, NULL), 0);
}

Test(golden, counters_of_a_case_share_a_file)
{
	uint64_t a = 0, b = 0;

	cr_assert_eq(pv_golden_put_counter(folder, "c", &source, "a", 1, NULL), 0);
	cr_assert_eq(pv_golden_put_counter(folder, "c", &source, "b", UINT64_MAX, NULL), 0);
	cr_expect_eq(pv_golden_get_counter(folder, "c", "a", &a, NULL), 0);
	cr_expect_eq(pv_golden_get_counter(folder, "c", "b", &b, NULL), 0);
	cr_expect_eq(a, 1);
	cr_expect_eq(b, UINT64_MAX);
	cr_expect_eq(pv_golden_get_counter(folder, "c", "none", &a, NULL), -ENOENT);
}

Test(golden, a_counter_is_a_count)
{
	static const char *const bad[] = {"\"many\"", "\"1\"", "-1", "1.5", "1e", "null", "true"};
	char path[256];
	uint64_t value = 7;

	path_of(path, sizeof(path), "c.counters.json");
	cr_assert_eq(pv_golden_put_counter(folder, "c", &source, "b", 1, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		FILE *f = fopen(path, "w");

		fprintf(f, "{\"format\": %d, \"counters\": {\"a\": %s, \"b\": 1}}", PV_GOLDEN_FORMAT, bad[i]);
		fclose(f);
		cr_expect_eq(pv_golden_get_counter(folder, "c", "a", &value, NULL), -EBADMSG, "%s", bad[i]);
		cr_expect_eq(pv_golden_get_counter(folder, "c", "b", &value, NULL), -EBADMSG, "%s", bad[i]);
		cr_expect_eq(value, 7);
	}
}

Test(golden, accepting_moves_trace_and_provenance)
{
	uint32_t r[RECORDS][8];
	char staging[64], cmd[96];
	void *data;
	size_t len;

	fill(r);
	snprintf(staging, sizeof(staging), "%s-staging", folder);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s", staging);
	cr_assert_eq(system(cmd), 0);
	cr_assert_eq(pv_golden_put_trace(staging, "t", &source, r, sizeof(r), NULL), 0);
	cr_expect_eq(pv_golden_accept(staging, folder, "t", "trace", NULL), 0);
	cr_expect_eq(pv_golden_get_trace(folder, "t", &data, &len, NULL), 0);
	free(data);
	snprintf(cmd, sizeof(cmd), "rm -r %s", staging);
	cr_expect_eq(system(cmd), 0);
}

static bool has_counter(const char *name, const char *counter, uint64_t expected)
{
	uint64_t value;

	return !pv_golden_get_counter(folder, name, counter, &value, NULL) && value == expected;
}

/* Returns the text of NAME.counters.json; the caller frees it. */
static char *text_of(const char *name)
{
	char path[128];
	char *text = NULL;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s.counters.json", folder, name);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, NULL), 0);
	return text;
}

Test(golden, accepting_a_part_keeps_the_counters_of_other_cases)
{
	static const struct pv_golden_source later = {"plan", "second", "reference", "model", 8};
	struct pv_error e = {0};
	char staging[64];

	snprintf(staging, sizeof(staging), "%s-staging", folder);
	cr_assert_eq(mkdir(staging, 0777), 0);
	cr_assert_eq(pv_golden_put_counter(folder, "c", &source, "kept", 1, NULL), 0);
	cr_assert_eq(pv_golden_put_baseline(folder, "c", &source, "kept-rate", 50, 0.5, NULL), 0);
	cr_assert_eq(pv_golden_put_baseline(folder, "c", &source, "rate", 100, 0.5, NULL), 0);
	cr_assert_eq(pv_golden_put_baseline(folder, "c", &source, "exact", 10, 0.5, NULL), 0);
	cr_assert_eq(pv_golden_put_baseline(staging, "c", &later, "rate", 130, 0.1, NULL), 0);
	cr_assert_eq(pv_golden_put_counter(staging, "c", &later, "exact", 11, NULL), 0);
	cr_assert_eq(pv_golden_put_counter(staging, "c", &later, "more", 2, NULL), 0);
	cr_assert_eq(pv_golden_accept_part(staging, folder, "c", "counters", &e), 0, "%s", e.text);
	cr_expect(has_counter("c", "kept", 1));
	cr_expect(has_counter("c", "kept-rate", 50));
	cr_expect(has_counter("c", "rate", 130));
	cr_expect(has_counter("c", "exact", 11));
	cr_expect(has_counter("c", "more", 2));
	cr_expect_eq(pv_golden_tolerance(folder, "c", "kept-rate"), 0.5);
	cr_expect_eq(pv_golden_tolerance(folder, "c", "rate"), 0.1);
	cr_expect_eq(pv_golden_tolerance(folder, "c", "exact"), 0);
	_autofree_ char *text = text_of("c");
	cr_expect(strstr(text, "\"second\""), "%s", text);
	cr_expect_eq(pv_golden_accept(staging, folder, "c", "counters", &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_get_counter(folder, "c", "kept", &(uint64_t){0}, NULL), -ENOENT);
	pv_remove_all(staging);
}

Test(golden, accepting_a_part_makes_what_is_not_there_and_repairs_what_is_damaged)
{
	struct pv_error e = {0};
	uint32_t r[RECORDS][8];
	char staging[64], path[64];
	_autofree_ void *data = NULL;
	size_t len;

	fill(r);
	snprintf(staging, sizeof(staging), "%s-staging", folder);
	cr_assert_eq(mkdir(staging, 0777), 0);
	cr_assert_eq(pv_golden_put_trace(staging, "t", &source, r, sizeof(r), NULL), 0);
	cr_assert_eq(pv_golden_put_counter(staging, "c", &source, "a", 1, NULL), 0);
	cr_assert_eq(pv_golden_accept_part(staging, folder, "t", "trace", &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_get_trace(folder, "t", &data, &len, NULL), 0);
	cr_assert_eq(pv_golden_accept_part(staging, folder, "c", "counters", &e), 0, "%s", e.text);
	cr_expect(has_counter("c", "a", 1));
	path_of(path, sizeof(path), "c.counters.json");
	cr_assert_eq(pv_file_write(path, "{", 1, NULL), 0);
	cr_assert_eq(pv_golden_accept_part(staging, folder, "c", "counters", &e), 0, "%s", e.text);
	cr_expect(has_counter("c", "a", 1));
	cr_assert_eq(pv_golden_accept_part(staging, folder, "c", "counters", &e), 0, "%s", e.text);
	_autofree_ char *text = text_of("c");
	cr_expect_null(strstr(text, "tolerances"));
	cr_expect_eq(pv_golden_accept_part(staging, folder, "../c", "counters", &e), -EINVAL);
	pv_remove_all(staging);
}

/* ---- staging ---- */

static const struct pv_golden_source others = {"plan", "other", "reference", "model", 7};

Test(golden, cases_that_record_the_same_share_a_golden)
{
	uint32_t r[RECORDS][8];
	struct pv_error e = {0};

	fill(r);
	cr_expect_eq(pv_golden_stage_trace(folder, "t", &source, r, sizeof(r), &e), 0, "%s", e.text);
	r[0][7]++; /* Time */
	cr_expect_eq(pv_golden_stage_trace(folder, "t", &others, r, sizeof(r), &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_counter(folder, "c", &source, "a", 1, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_counter(folder, "c", &others, "a", 1, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_counter(folder, "c", &others, "b", 2, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_counter(folder, "d", &others, "a", 3, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_baseline(folder, "b", &source, "a", 100, 0.1, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_stage_baseline(folder, "b", &source, "a", 109, 0.1, &e), 0, "%s", e.text);
}

Test(golden, cases_that_record_different_contents_do_not)
{
	uint32_t r[RECORDS][8];
	struct pv_error e = {0};
	uint64_t value = 0;

	fill(r);
	cr_assert_eq(pv_golden_stage_trace(folder, "t", &source, r, sizeof(r), NULL), 0);
	cr_expect_eq(pv_golden_stage_trace(folder, "t", &others, r, sizeof(r) - 32, &e), -EEXIST);
	cr_expect_str_eq(e.text, "cases plan/case and plan/other record different contents as golden t: give each a "
				 "name of its own");
	cr_assert_eq(pv_golden_stage_counter(folder, "c", &source, "a", 1, NULL), 0);
	cr_assert_eq(pv_golden_stage_counter(folder, "c", &others, "b", 2, NULL), 0);
	cr_expect_eq(pv_golden_stage_counter(folder, "c", &source, "b", 3, &e), -EEXIST);
	cr_expect(strstr(e.text, "cases plan/other and plan/case record different contents as golden c/b"), "%s",
		  e.text);
	cr_expect_eq(pv_golden_get_counter(folder, "c", "b", &value, NULL), 0);
	cr_expect_eq(value, 2);
	cr_expect_eq(pv_golden_stage_counter(folder, "c", &source, "a", 2, &e), -EEXIST);
	cr_expect(strstr(e.text, "case plan/case records golden c/a twice, with different contents"), "%s", e.text);
	cr_assert_eq(pv_golden_stage_baseline(folder, "b", &source, "a", 100, 0.1, NULL), 0);
	cr_expect_eq(pv_golden_stage_baseline(folder, "b", &source, "a", 111, 0.1, NULL), -EEXIST);
}

/* Eight cases record a counter each, and the same one: without the lock some get lost, or several are first. */
Test(golden, cases_record_at_the_same_time)
{
	char counter[] = "a";
	int clashes = 0, status;
	uint64_t value;

	for (; *counter < 'i'; ++*counter) {
		pid_t pid = fork();

		if (pid)
			continue;
		for (int i = 0; i < 20; i++) {
			char name[16];

			snprintf(name, sizeof(name), "c%d", i);
			if (pv_golden_stage_counter(folder, name, &source, counter, 1, NULL))
				_exit(2);
		}
		_exit(pv_golden_stage_counter(folder, "c", &source, "one", (uint64_t)*counter, NULL) == -EEXIST);
	}
	for (int i = 0; i < 8; i++) {
		cr_assert_gt(wait(&status), 0);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) < 2);
		clashes += WEXITSTATUS(status);
	}
	cr_expect_eq(clashes, 7);
	for (int i = 0; i < 20; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%d", i);
		for (*counter = 'a'; *counter < 'i'; ++*counter)
			cr_expect_eq(pv_golden_get_counter(folder, name, counter, &value, NULL), 0, "%s %s", name,
				     counter);
	}
}

Test(golden, a_staging_folder_that_is_not_there_is_an_error)
{
	struct pv_error e = {0};

	cr_expect_eq(pv_golden_stage_counter("/nonexistent", "c", &source, "a", 1, &e), -ENOENT);
	cr_expect_str_eq(e.text, "/nonexistent/cases.list: cannot be locked: No such file or directory");
}

/* ---- compare ---- */

static char told[4096];

static void tell(void *ctx, const char *line)
{
	strncat(told, line, sizeof(told) - strlen(told) - 2);
	strcat(told, "\n");
}

static struct pv_golden_diff compare(const void *want, size_t n, const void *got, size_t m)
{
	struct pv_golden_diff d;

	told[0] = 0;
	pv_golden_compare(want, n, got, m, 20, &d, tell, NULL);
	return d;
}

Test(golden, equal_traces_have_no_difference)
{
	uint32_t r[RECORDS][8];

	fill(r);
	struct pv_golden_diff d = compare(r, sizeof(r), r, sizeof(r));
	cr_expect(pv_golden_same(&d));
	cr_expect_eq(d.records_want, RECORDS);
	cr_expect_str_eq(told, "");
}

Test(golden, a_changed_field_is_named)
{
	uint32_t a[RECORDS][8], b[RECORDS][8];

	fill(a);
	fill(b);
	b[3][5] = 0x2000;
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.changed, 1);
	cr_expect_eq(d.missing + d.extra, 0);
	cr_expect_str_eq(told, "record 3: address: golden 0x4000010c0, now 0x400002000\n");
}

Test(golden, the_rest_of_a_changed_trace_is_compared)
{
	uint32_t a[RECORDS][8], b[RECORDS][8];

	fill(a);
	fill(b);
	b[1][5] = 0x2000;
	b[6][5] = 0x3000;
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.changed, 2);
	cr_expect_eq(d.missing + d.extra, 0);
}

Test(golden, time_is_left_out_but_nothing_beside_it)
{
	uint32_t a[RECORDS][8], b[RECORDS][8];

	fill(a);
	fill(b);
	for (size_t i = 0; i < RECORDS; i++)
		b[i][7] += 5000 * (uint32_t)i;
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect(pv_golden_same(&d), "%s", told);
	b[6][6] = 1;
	d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.changed, 1);
	cr_expect_str_eq(told, "record 6: DW6: golden 0x00000000, now 0x00000001\n");
}

Test(golden, in_a_4dw_record_time_ends_where_length_begins)
{
	static const uint32_t a[4] = {0x00200bff, 0x0100000f, 0x1000, 0}, b[4] = {0x00200800, 0x0100000f, 0x1000, 0},
			      c[4] = {0x002013ff, 0x0100000f, 0x1000, 0};
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));

	cr_expect(pv_golden_same(&d), "%s", told);
	d = compare(a, sizeof(a), c, sizeof(c));
	cr_expect_eq(d.changed, 1);
	cr_expect(strstr(told, "length"), "%s", told);
}

Test(golden, a_missing_record_is_one_difference)
{
	uint32_t a[RECORDS][8], b[RECORDS][8];

	fill(a);
	fill(b);
	memmove(b[2], b[3], (RECORDS - 3) * 32);
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b) - 32);
	cr_expect_eq(d.missing, 1);
	cr_expect_eq(d.changed + d.extra, 0, "%s", told);
	cr_expect(strstr(told, "record 2: missing: MWr64"), "%s", told);
}

/* The list is longer than a line of the report. */
Test(golden, ten_records_that_are_missing_are_told_with_their_places)
{
	enum { ALL = 40, FIRST = 20, LOST = 10 };
	uint32_t a[ALL][8], b[ALL - LOST][8];
	char line[64];

	for (uint32_t i = 0; i < ALL; i++)
		memcpy(a[i], (uint32_t[8]){~0u, 0, 0x60000010, 0x010000ff, 1, 64 * i, 0, i}, 32);
	memcpy(b, a, FIRST * 32);
	memcpy(b[FIRST], a[FIRST + LOST], (ALL - FIRST - LOST) * 32);
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.records_want, ALL);
	cr_expect_eq(d.records_got, ALL - LOST);
	cr_expect_eq(d.missing, LOST);
	cr_expect_eq(d.changed + d.extra, 0, "%s", told);
	for (unsigned i = 0; i < ALL; i++) {
		snprintf(line, sizeof(line), "record %u: missing: MWr64", i);
		cr_expect_eq(!!strstr(told, line), i >= FIRST && i < FIRST + LOST, "record %u: %s", i, told);
	}
	d = compare(b, sizeof(b), a, sizeof(a));
	cr_expect_eq(d.extra, LOST);
	cr_expect_eq(d.changed + d.missing, 0, "%s", told);
	cr_expect(strstr(told, "record 29: extra: MWr64"), "%s", told);
	cr_expect_null(strstr(told, "record 30: "), "%s", told);
	pv_golden_compare(a, sizeof(a), b, sizeof(b), 4, &d, tell, NULL);
	cr_expect(strstr(told, "... and 6 lines more\n"), "%s", told);
}

Test(golden, a_doubled_record_is_one_difference)
{
	uint32_t a[RECORDS][8], b[RECORDS + 1][8];

	fill(a);
	fill(b);
	memmove(b[5], b[4], (RECORDS - 4) * 32);
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.extra, 1);
	cr_expect_eq(d.changed + d.missing, 0, "%s", told);
}

static void swap_records(uint32_t r[RECORDS][8], size_t i, size_t j)
{
	uint32_t t[8];

	memcpy(t, r[i], sizeof(t));
	memcpy(r[i], r[j], sizeof(t));
	memcpy(r[j], t, sizeof(t));
}

Test(golden, the_same_records_in_another_order_are_told_as_that)
{
	uint32_t a[RECORDS][8], b[RECORDS][8];

	fill(a);
	fill(b);
	swap_records(b, 2, 3);
	swap_records(b, 6, 7);
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_eq(d.changed, 4);
	cr_expect_eq(d.missing + d.extra, 0);
	cr_expect(!strncmp(told, "same records in another order: first at record 2\nrecord 2: golden: MWr64, ", 73),
		  "%s", told);
	b[7][5] = 0x2000;
	d = compare(a, sizeof(a), b, sizeof(b));
	cr_expect_not(strstr(told, "another order"), "%s", told);
	cr_expect_not(pv_golden_same(&d));
}

Test(golden, a_torn_tail_is_a_difference)
{
	uint32_t r[RECORDS][8];

	fill(r);
	struct pv_golden_diff d = compare(r, sizeof(r), r, sizeof(r) - 8);
	cr_expect_not(pv_golden_same(&d));
}

Test(golden, bytes_behind_the_last_record_are_a_difference)
{
	uint32_t a[RECORDS][8], b[RECORDS + 1][8] = {0};

	fill(a);
	fill(b);
	struct pv_golden_diff d = compare(a, sizeof(a), b, sizeof(a) + 8);
	cr_expect_eq(d.changed, 1);
	cr_expect_eq(d.missing + d.extra, 0);
	cr_expect(strstr(told, "tail after the last whole record: golden 0 bytes, now 8 bytes"), "%s", told);
}

Test(golden, each_byte_is_compared_where_the_format_is_unknown)
{
	struct pv_golden_diff d = compare("hello", 5, "hellO", 5);

	cr_expect_eq(d.changed, 1);
	cr_expect_eq(d.records_want, 5);
	cr_expect(strstr(told, "byte 4: golden 0x6f, now 0x4f"), "%s", told);
}

Test(golden, nothing_against_something_is_a_difference)
{
	uint32_t r[RECORDS][8];

	fill(r);
	struct pv_golden_diff d = compare(NULL, 0, r, sizeof(r));
	cr_expect_eq(d.extra, RECORDS);
	d = compare(r, sizeof(r), NULL, 0);
	cr_expect_eq(d.missing, RECORDS);
}

/* ---- baselines ---- */

Test(golden, a_baseline_has_a_tolerance)
{
	static const struct pv_golden_source src = {"plan", "case", "system", "local", 1};
	struct pv_error e = {0};
	uint64_t value;

	cr_assert_eq(pv_golden_put_baseline(folder, "b.p.c", &src, "rate", 1000, 0.05, &e), 0, "%s", e.text);
	cr_assert_eq(pv_golden_put_counter(folder, "b.p.c", &src, "count", 7, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_get_counter(folder, "b.p.c", "rate", &value, &e), 0, "%s", e.text);
	cr_expect_eq(value, 1000);
	cr_expect_eq(pv_golden_tolerance(folder, "b.p.c", "rate"), 0.05);
	cr_expect_eq(pv_golden_tolerance(folder, "b.p.c", "count"), 0);
	cr_assert_eq(pv_golden_put_baseline(folder, "b.p.c", &src, "rough", 1000, 1, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_tolerance(folder, "b.p.c", "rough"), 1, "all of it is the most");
	cr_assert_eq(pv_golden_put_baseline(folder, "b.p.c", &src, "wild", 1000, 1.01, &e), 0, "%s", e.text);
	cr_expect_eq(pv_golden_tolerance(folder, "b.p.c", "wild"), 0, "more is a mistake");
	cr_expect_eq(pv_golden_tolerance(folder, "none", "rate"), 0);
	cr_expect_eq(pv_golden_tolerance(folder, "../x", "rate"), 0);
}

Test(golden, near_a_baseline_is_on_either_side)
{
	cr_expect(pv_golden_is_near(1000, 1050, 0.05));
	cr_expect(pv_golden_is_near(1000, 950, 0.05));
	cr_expect_not(pv_golden_is_near(1000, 1051, 0.05));
	cr_expect_not(pv_golden_is_near(1000, 949, 0.05));
	cr_expect(pv_golden_is_near(1000, 1000, 0));
	cr_expect_not(pv_golden_is_near(1000, 1001, 0));
	cr_expect(pv_golden_is_near(UINT64_MAX, UINT64_MAX, 0));
	cr_expect_not(pv_golden_is_near(0, 1, 1));
}

/* ---- the golden of the decoder: the excerpt that the PTT's document prints ---- */

Test(golden, the_documented_8dw_excerpt_decodes_to_its_fields)
{
	static const uint32_t times[] = {0x4c033, 2};
	struct pv_error e = {0};
	void *data;
	size_t len;

	cr_assert_eq(pv_golden_get_trace(GOLDEN_FOLDER, "seed-8dw-excerpt", &data, &len, &e), 0, "%s", e.text);
	cr_assert_eq(len, 64);
	cr_expect_eq(pv_record_detect(data, len), PV_RECORD_8DW);
	for (size_t i = 0; i < 2; i++) {
		struct pv_record r;

		cr_assert_eq(pv_record_decode(PV_RECORD_8DW, (char *)data + 32 * i, 32 * i, &r), 0);
		cr_expect_eq(r.prefix, 0);
		cr_expect_not(r.has_pasid);
		cr_expect_eq(r.time, times[i]);
		cr_expect_eq(r.tlp.kind, PV_TLP_MWR64);
		cr_expect_eq(r.tlp.length_dw, 1);
		cr_expect_eq(r.tlp.requester, 0x0100);
		cr_expect_eq(r.tlp.tag, 0x1e);
		cr_expect_eq(r.tlp.first_be, 0xf);
		cr_expect_eq(r.tlp.last_be, 0);
		cr_expect_eq(r.tlp.address, 0x402810040);
	}
	free(data);
}
