/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The consumer's side of perf buffers, on buffers written by hand as the kernel writes them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/linux/ring.h"

#define DATA 256u
#define AUX  1024u

static struct perf_event_mmap_page page;
static uint8_t data[DATA], aux[AUX];
static struct pv_ring ring;

/* Data that the consumer received. */
static struct {
	uint8_t bytes[8 * AUX];
	size_t len, calls;
	uint32_t flags[64], all;
	size_t lens[64];
	size_t refuse_after; /* calls */
} got;

static int consume(void *ctx, const void *from, size_t len, uint32_t flags)
{
	if (got.calls >= got.refuse_after)
		return -ENOSPC;
	if (len)
		memcpy(got.bytes + got.len, from, len);
	got.len += len;
	got.lens[got.calls] = len;
	got.flags[got.calls++] = flags;
	got.all |= flags;
	return 0;
}

static void setup(void)
{
	page = (struct perf_event_mmap_page){0};
	memset(&got, 0, sizeof(got));
	got.refuse_after = SIZE_MAX;
	memset(data, 0xee, sizeof(data));
	memset(aux, 0xee, sizeof(aux));
	ring = (struct pv_ring){.page = &page, .data = data, .data_bytes = DATA, .aux = aux, .aux_bytes = AUX};
}

TestSuite(ring, .init = setup);

/* ---- the kernel's side ---- */

static void put(const void *record, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[(page.data_head + i) % DATA] = ((const uint8_t *)record)[i];
	page.data_head += n;
}

static void record_aux(uint64_t offset, uint64_t size, uint64_t flags)
{
	const struct {
		struct perf_event_header head;
		uint64_t offset, size, flags;
	} r = {{PERF_RECORD_AUX, 0, sizeof(r)}, offset, size, flags};

	put(&r, sizeof(r));
}

static void record_lost(uint64_t n)
{
	const struct {
		struct perf_event_header head;
		uint64_t id, lost;
	} r = {{PERF_RECORD_LOST, 0, sizeof(r)}, 1, n};

	put(&r, sizeof(r));
}

static void record_plain(uint32_t type)
{
	const struct {
		struct perf_event_header head;
		uint32_t pid, tid;
	} r = {{type, 0, sizeof(r)}, 1, 2};

	put(&r, sizeof(r));
}

/* The byte at position `at` since the begin of all. */
static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at * 7 + at / AUX);
}

static void write_aux(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		aux[(page.aux_head + i) % AUX] = byte_at(page.aux_head + i);
	page.aux_head += n;
}

static void commit(uint64_t n, uint64_t flags)
{
	uint64_t at = page.aux_head;

	write_aux(n);
	record_aux(at, n, flags);
}

static void expect_bytes(uint64_t from, size_t n)
{
	cr_expect_eq(got.len, n, "expected %zu bytes, got %zu", n, got.len);
	for (size_t i = 0; i < n && i < got.len; i++)
		cr_assert_eq(got.bytes[i], byte_at(from + i), "byte %zu", i);
}

/* ---- data ---- */

Test(ring, pieces_of_commits)
{
	commit(100, PERF_AUX_FLAG_TRUNCATED);
	commit(50, 0);
	ring.limited = true;
	ring.left = 60;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 1);
	expect_bytes(0, 60);
	cr_expect_eq(got.flags[0], 0, "the flags are those of the end");
	cr_expect_eq(page.aux_tail, 60);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 1);
	expect_bytes(0, 60);
	ring.left = 41;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 1);
	expect_bytes(0, 101);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_TRUNCATED);
	ring.limited = false;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	expect_bytes(0, 150);
	cr_expect_eq(page.aux_tail, 150);
}

Test(ring, an_empty_buffer_gives_nothing)
{
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 0);
}

Test(ring, commits_are_handed_over_as_they_were_made)
{
	commit(100, 0);
	commit(28, PERF_AUX_FLAG_TRUNCATED);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 2);
	cr_expect_eq(got.lens[0], 100);
	cr_expect_eq(got.flags[0], 0);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_TRUNCATED);
	expect_bytes(0, 128);
	cr_expect_eq(page.aux_tail, 128);
	cr_expect_eq(page.data_tail, page.data_head);
	cr_expect_eq(ring.records.aux, 2);
}

Test(ring, flags_of_the_kernel_are_those_of_the_table)
{
	cr_expect_eq(PERF_AUX_FLAG_TRUNCATED, PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(PERF_AUX_FLAG_OVERWRITE, PV_PERF_AUX_OVERWRITE);
	cr_expect_eq(PERF_AUX_FLAG_PARTIAL, PV_PERF_AUX_PARTIAL);
	cr_expect_eq(PERF_AUX_FLAG_COLLISION, PV_PERF_AUX_COLLISION);
}

Test(ring, a_commit_without_data_tells_its_flags)
{
	commit(0, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 1);
	cr_expect_eq(got.flags[0], PV_PERF_AUX_TRUNCATED | PV_PERF_AUX_COLLISION);
}

Test(ring, data_wrap_around_the_end_of_the_area)
{
	commit(1000, 0);
	pv_ring_take(&ring, consume, NULL);
	got.len = got.calls = 0;
	commit(100, PERF_AUX_FLAG_PARTIAL);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	expect_bytes(1000, 100);
	cr_expect_eq(got.calls, 2);
	cr_expect_eq(got.flags[0], 0, "the flags go with the last piece");
	cr_expect_eq(got.flags[1], PV_PERF_AUX_PARTIAL);
	cr_expect_eq(page.aux_tail, 1100);
}

Test(ring, the_whole_area_can_be_one_commit)
{
	commit(AUX, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 1);
	expect_bytes(0, AUX);
}

Test(ring, records_wrap_around_the_end_of_their_area)
{
	/* 32 bytes each, and 16 to begin with: every eighth is cut in two. */
	record_plain(PERF_RECORD_ITRACE_START);
	for (uint64_t i = 0; i < 40; i++) {
		commit(10 + i % 3, 0);
		cr_assert_eq(pv_ring_take(&ring, consume, NULL), 0);
		cr_assert_eq(got.calls, i + 1);
		cr_assert_eq(got.lens[i], 10 + i % 3);
	}
	expect_bytes(0, 439);
}

Test(ring, never_a_byte_beyond_aux_head)
{
	write_aux(64);
	record_aux(0, 65, 0); /* the kernel writes the record first, then aux_head */
	pv_ring_take(&ring, consume, NULL);
	cr_expect_eq(got.calls, 0);
	cr_expect_eq(page.data_tail, 0, "the record stays");
	write_aux(1);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	expect_bytes(0, 65);
}

/* ---- the tail ---- */

Test(ring, refused_data_stay_in_the_area)
{
	commit(100, 0);
	commit(50, PERF_AUX_FLAG_TRUNCATED);
	got.refuse_after = 1;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 1);
	cr_expect_eq(page.aux_tail, 100);
	cr_expect_eq(page.data_tail, 32);
	got.refuse_after = SIZE_MAX;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	expect_bytes(0, 150);
	cr_expect_eq(got.all, PV_PERF_AUX_TRUNCATED);
}

Test(ring, a_second_piece_that_is_refused_is_offered_alone)
{
	commit(1000, 0);
	pv_ring_take(&ring, consume, NULL);
	got.len = got.calls = 0;
	got.refuse_after = 1;
	commit(100, PERF_AUX_FLAG_PARTIAL);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 1);
	cr_expect_eq(page.aux_tail, AUX);
	got.refuse_after = SIZE_MAX;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	expect_bytes(1000, 100);
}

Test(ring, what_the_driver_skips_is_not_handed_over)
{
	commit(10, 0);
	write_aux(6); /* perf_aux_output_skip() */
	commit(20, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.len, 30);
	cr_expect_eq(got.bytes[10], byte_at(16));
	cr_expect_eq(page.aux_tail, 36);
	cr_expect_eq(got.all, 0);
}

/* ---- losses and other records ---- */

/* The kernel never writes over what was not read. */
Test(ring, more_records_than_there_is_room_for_are_an_error)
{
	for (unsigned i = 0; i < DATA / 32 + 1; i++)
		commit(4, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
	cr_expect_eq(got.calls, 0);
}

Test(ring, lost_records_are_told_with_the_next_data)
{
	commit(10, 0);
	write_aux(20);
	record_lost(3);
	commit(5, 0);
	commit(5, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.flags[0], 0);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_LOST | PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(got.flags[2], 0);
	cr_expect_eq(got.len, 20, "nobody can say what was in the gap");
	cr_expect_eq(ring.records.lost, 1);
	cr_expect_eq(ring.records.lost_records, 3);
}

Test(ring, a_loss_at_the_end_is_told_by_finish)
{
	commit(10, 0);
	record_lost(1);
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 2);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_LOST | PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 2, "once");
}

Test(ring, data_whose_record_never_came_are_a_loss)
{
	commit(10, 0);
	write_aux(30);
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	cr_expect_eq(got.len, 10);
	cr_expect_eq(got.all, PV_PERF_AUX_LOST | PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(page.aux_tail, 40, "the area is free again");
}

Test(ring, other_records_are_counted)
{
	record_plain(PERF_RECORD_ITRACE_START);
	record_plain(PERF_RECORD_EXIT);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(ring.records.itrace_start, 1);
	cr_expect_eq(ring.records.other, 1);
	cr_expect_eq(got.calls, 0);
	cr_expect_eq(page.data_tail, page.data_head);
}

/* ---- overwrite mode ---- */

Test(ring, a_snapshot_is_the_newest_data)
{
	ring.overwrite = true;
	write_aux(3 * AUX + 100);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), 0);
	cr_expect_eq(got.calls, 0, "not while it runs");
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	expect_bytes(2 * AUX + 100, AUX);
	cr_expect_eq(got.all, PV_PERF_AUX_OVERWRITE);
	cr_expect_eq(page.aux_tail, 0, "the page of a read-only area is not written");
}

Test(ring, a_snapshot_of_less_than_the_area_begins_at_its_begin)
{
	ring.overwrite = true;
	write_aux(100);
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	expect_bytes(0, 100);
	cr_expect_eq(pv_ring_finish(&ring, consume, NULL), 0);
	cr_expect_eq(got.len, 100, "not twice");
}

/* ---- what no kernel may write ---- */

Test(ring, a_record_longer_than_what_is_there)
{
	commit(10, 0);
	((struct perf_event_header *)data)->size = 40;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
	cr_expect_eq(got.calls, 0);
}

Test(ring, a_record_of_no_length)
{
	commit(10, 0);
	((struct perf_event_header *)data)->size = 0;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
}

Test(ring, more_records_than_there_is_room_for)
{
	page.data_head = DATA + 32;
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
}

Test(ring, data_that_were_freed_before)
{
	commit(10, 0);
	pv_ring_take(&ring, consume, NULL);
	record_aux(0, 10, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
}

Test(ring, a_commit_larger_than_the_area)
{
	page.aux_head = 4 * AUX;
	record_aux(0, AUX + 1, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
	cr_expect_eq(got.calls, 0);
}

Test(ring, an_area_filled_twice)
{
	page.aux_head = 2 * AUX;
	record_aux(0, 10, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO, "the writer did not respect aux_tail");
}

Test(ring, an_end_that_is_no_number)
{
	record_aux(UINT64_MAX - 4, 10, 0);
	cr_expect_eq(pv_ring_take(&ring, consume, NULL), -EIO);
}
