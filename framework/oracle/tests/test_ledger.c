/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledgers: what goes in comes out, in memory and spilled; a full disk sticks; hostile files are refused.
 */
#include "framework/oracle/ledger.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct pv_wire_file head = {.ptt_tick_ps = 1000, .dwc_cycle_ps = 2000, .cpmu_cycle_ps = 4000};
static char folder[] = "ledger-test-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/x.ledger", folder);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(ledger, .init = set_up, .fini = tear_down);

static void add_some(struct pv_ledger *l, uint64_t n)
{
	uint64_t base = pv_ledger_records(l);

	for (uint64_t i = 0; i < n; i++)
		pv_ledger_add(l, &(struct pv_wire){.time_ps = base + i, .what = PV_WIRE_TLP, .hdr = {(uint32_t)i}});
}

/* Counts the records that come, each of which must have the number of its place as time. */
static uint64_t count_in_order(struct pv_ledger_reader *r, uint64_t first)
{
	const struct pv_wire *w;
	uint64_t n = 0;

	while ((w = pv_ledger_next(r)))
		cr_assert_eq(w->time_ps, first + n++);
	return n;
}

static uint64_t count_ledger(struct pv_ledger *l, uint64_t first, uint64_t last)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, first, last);
	uint64_t n = count_in_order(r, first);

	pv_ledger_close(r);
	return n;
}

Test(ledger, keeps_records_in_memory)
{
	struct pv_ledger *l = pv_ledger_new(path, 1 << 20, &head);

	add_some(l, 15000);
	cr_assert_eq(pv_ledger_records(l), 15000);
	cr_assert_eq(count_ledger(l, 0, UINT64_MAX), 15000);
	cr_assert_eq(access(path, F_OK), -1); /* nothing spilled */
	pv_ledger_free(l);
}

Test(ledger, spills_to_an_unlinked_file)
{
	struct pv_ledger *l = pv_ledger_new(NULL, 64 * 10, &head);

	add_some(l, 5003);
	cr_assert_eq(pv_ledger_error(l), 0);
	cr_assert_eq(count_ledger(l, 0, UINT64_MAX), 5003);
	pv_ledger_free(l);
}

Test(ledger, reads_any_stretch_across_the_spill)
{
	struct pv_ledger *l = pv_ledger_new(NULL, 64 * 1000, &head);

	add_some(l, 2500);
	cr_assert_eq(count_ledger(l, 1999, 2001), 2);
	cr_assert_eq(count_ledger(l, 0, 1), 1);
	cr_assert_eq(count_ledger(l, 2499, 9999), 1);
	cr_assert_eq(count_ledger(l, 2500, 9999), 0);
	cr_assert_eq(count_ledger(l, 10, 5), 0);
	pv_ledger_free(l);
}

Test(ledger, reader_survives_a_spill_between_two_records)
{
	struct pv_ledger *l = pv_ledger_new(NULL, 64 * 1024, &head);
	struct pv_ledger_reader *r;

	add_some(l, 1000);
	r = pv_ledger_read(l, 0, 1000);
	cr_assert_eq(pv_ledger_next(r)->time_ps, 0);
	add_some(l, 5000);
	cr_assert_eq(count_in_order(r, 1), 999);
	cr_assert_eq(pv_ledger_reader_error(r), 0);
	pv_ledger_close(r);
	pv_ledger_free(l);
}

/* The tail moves while it grows. */
Test(ledger, reader_survives_a_tail_that_grows_between_two_records)
{
	struct pv_ledger *l = pv_ledger_new(path, 1 << 20, &head);
	struct pv_ledger_reader *r;

	add_some(l, 5000);
	r = pv_ledger_read(l, 0, 5000);
	cr_assert_eq(pv_ledger_next(r)->time_ps, 0);
	add_some(l, 10000);
	cr_assert_eq(count_in_order(r, 1), 4999);
	cr_assert_eq(access(path, F_OK), -1); /* nothing spilled */
	pv_ledger_close(r);
	pv_ledger_free(l);
}

Test(ledger, path_is_a_complete_file_in_the_end)
{
	struct pv_ledger *l = pv_ledger_new(path, 64 * 7, &head);
	struct pv_ledger_reader *r;

	add_some(l, 100);
	pv_ledger_free(l);
	cr_assert_eq(pv_ledger_open(path, &r), 0);
	cr_assert_eq(count_in_order(r, 0), 100);
	pv_ledger_close(r);
}

Test(ledger, save_and_load_give_the_same)
{
	struct pv_ledger *l = pv_ledger_new(NULL, 64 * 600, &head), *back;

	add_some(l, 1500);
	cr_assert_eq(pv_ledger_save(l, path), 0);
	pv_ledger_free(l);
	cr_assert_eq(pv_ledger_load(path, &back), 0);
	cr_assert_eq(pv_ledger_head(back)->cpmu_cycle_ps, 4000);
	cr_assert_eq(count_ledger(back, 0, UINT64_MAX), 1500);
	pv_ledger_add(back, &(struct pv_wire){0});
	cr_assert_eq(pv_ledger_error(back), -EROFS);
	pv_ledger_free(back);
}

Test(ledger, save_leaves_nothing_behind_when_it_fails)
{
	struct pv_ledger *l = pv_ledger_new(NULL, 1 << 16, &head);

	add_some(l, 3);
	cr_assert_eq(pv_ledger_save(l, "no-such-folder/x"), -ENOENT);
	pv_ledger_free(l);
}

Test(ledger, full_disk_sticks_and_what_was_kept_is_readable)
{
	struct rlimit limit = {.rlim_cur = 64 * 100, .rlim_max = 64 * 100};
	struct pv_ledger *l = pv_ledger_new(path, 64 * 16, &head);

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	add_some(l, 1000);
	cr_assert_eq(pv_ledger_error(l), -EFBIG);
	cr_assert_lt(pv_ledger_records(l), 1000);
	cr_assert_eq(count_ledger(l, 0, UINT64_MAX), pv_ledger_records(l));
	cr_assert_eq(pv_ledger_save(l, path), -EFBIG);
	pv_ledger_free(l);
}

Test(ledger, cleared_it_is_as_new)
{
	struct pv_ledger *l = pv_ledger_new(path, 100 * sizeof(struct pv_wire), &head);

	add_some(l, 5000);
	cr_assert_eq(access(path, F_OK), 0, "it has spilled");
	pv_ledger_clear(l);
	cr_expect_eq(pv_ledger_records(l), 0);
	cr_expect_eq(count_ledger(l, 0, UINT64_MAX), 0);
	cr_expect_neq(access(path, F_OK), 0, "its room on the disk is free");
	add_some(l, 500);
	cr_expect_eq(count_ledger(l, 0, UINT64_MAX), 500);
	pv_ledger_free(l);
	cr_expect_eq(access(path, F_OK), 0);
}

Test(ledger, real_full_device_is_enospc)
{
	struct pv_ledger *l = pv_ledger_new("/dev/full", 64, &head);

	add_some(l, 10);
	cr_assert_eq(pv_ledger_error(l), -ENOSPC);
	pv_ledger_free(l);
}

/* ---- hostile files ---- */

static void write_file(const struct pv_wire_file *h, size_t head_bytes, size_t body_bytes)
{
	FILE *f = fopen(path, "w");
	static const char zeroes[4096];

	cr_assert(f != NULL);
	fwrite(h, head_bytes, 1, f);
	fwrite(zeroes, body_bytes, 1, f);
	fclose(f);
}

static struct pv_wire_file good_head(uint64_t records)
{
	return (struct pv_wire_file){PV_WIRE_MAGIC, 64, 1000, 2000, 4000, records};
}

static int open_result(void)
{
	struct pv_ledger_reader *r = NULL;
	int e = pv_ledger_open(path, &r);

	cr_assert_eq(r == NULL, e != 0);
	pv_ledger_close(r);
	return e;
}

Test(ledger, good_file_is_opened)
{
	struct pv_wire_file h = good_head(2);

	write_file(&h, sizeof(h), 128);
	cr_assert_eq(open_result(), 0);
}

Test(ledger, hostile_heads_are_refused)
{
	struct pv_wire_file bad[] = {good_head(2), good_head(2),	  good_head(3),
				     good_head(1), good_head(UINT64_MAX), good_head(1ull << 58 | 2),
				     good_head(2), good_head(2),	  good_head(2)};

	bad[0].magic[6] = '1';
	bad[1].record_bytes = 0;
	bad[6].ptt_tick_ps = 0;
	bad[7].dwc_cycle_ps = 0;
	bad[8].cpmu_cycle_ps = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		write_file(&bad[i], sizeof(bad[i]), 128);
		cr_expect_eq(open_result(), -EBADMSG, "head %zu", i);
	}
}

Test(ledger, files_cut_anywhere_are_refused)
{
	struct pv_wire_file h = good_head(1);

	write_file(&h, 0, 1);
	cr_expect_eq(open_result(), -EBADMSG);
	write_file(&h, sizeof(h) - 1, 0);
	cr_expect_eq(open_result(), -EBADMSG);
	write_file(&h, sizeof(h), 63);
	cr_expect_eq(open_result(), -EBADMSG);
	write_file(&h, sizeof(h), 65);
	cr_expect_eq(open_result(), -EBADMSG);
}

Test(ledger, what_is_no_file_is_refused)
{
	struct pv_ledger_reader *r;

	cr_assert_eq(pv_ledger_open("no-such-ledger", &r), -ENOENT);
	cr_assert_eq(pv_ledger_open(folder, &r), -EBADMSG);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(pv_ledger_open(path, &r), -EBADMSG);
}

Test(ledger, file_cut_while_it_is_read_is_an_error_and_no_end)
{
	struct pv_ledger *l = pv_ledger_new(path, 64, &head);
	struct pv_ledger_reader *r;

	add_some(l, 2000);
	pv_ledger_free(l);
	cr_assert_eq(pv_ledger_open(path, &r), 0);
	cr_assert_eq(truncate(path, 6400), 0);
	while (pv_ledger_next(r))
		;
	cr_assert_eq(pv_ledger_reader_error(r), -EBADMSG);
	pv_ledger_close(r);
}
