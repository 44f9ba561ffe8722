/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular traffic: many places agree with a piece of a trace, and records are missing where that explains all of it. */
#include "drivers/regs/ptt.h"
#include "framework/oracle/tests/make.h"

#define N    400
#define SIZE 16

static struct pv_trace_spec spec = {.filter = PTT_FILTER_IS_PORT | 1,
				    .type = 7,
				    .direction = PTT_DIR_B,
				    .range_lower = RP0,
				    .range_upper = RP1,
				    .time_is_distance = true};
static struct pv_ledger *ledger;
static struct pv_window window;
static struct pv_trace_diff diff;
static uint8_t whole_trace[N * SIZE], trace[N * SIZE];
static size_t records; /* of the trace */
static unsigned tags = 1;

/* Writes, equal but for their tags; `distance` says how many ticks each is behind the one before. */
static void make(uint32_t (*distance)(uint64_t n))
{
	uint64_t ps = 5000000;

	ledger = make_ledger();
	for (uint64_t i = 0; i < N; i++) {
		struct pv_wire w = make_write(i % tags);
		uint32_t v;

		ps += 1000 * distance(i);
		w.time_ps = ps;
		pv_ledger_add(ledger, &w);
		pv_oracle_record(&spec, &test_head, &w, whole_trace + i * SIZE);
		memcpy(&v, whole_trace + i * SIZE, 4);
		v = (v & ~0x7ffu) | distance(i);
		memcpy(whole_trace + i * SIZE, &v, 4);
	}
	window = whole(ledger);
	records = 0;
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(place, .fini = tear_down);

static uint32_t always_13(uint64_t n)
{
	(void)n;
	return 13;
}

/* Bursts of ten, with pauses of two kinds. */
static uint32_t bursts(uint64_t n)
{
	return n % 10 ? 13 : n % 20 ? 0x390 : 0x584;
}

/* Pauses, each of another length. */
static uint32_t uneven(uint64_t n)
{
	return n % 10 ? 13 : 100 + (uint32_t)n;
}

static uint32_t last_late(uint64_t n)
{
	return n == N - 1 ? 700 : 13;
}

/* Appends records [from, to) of the whole trace. */
static void have(uint64_t from, uint64_t to)
{
	memcpy(trace + records * SIZE, whole_trace + from * SIZE, (to - from) * SIZE);
	records += to - from;
}

/* Checks a trace with marked pieces; `marked` are the two ends of each piece, in records. */
static void check(const uint64_t *marked, size_t n)
{
	uint64_t gap[64];

	for (size_t i = 0; i < n; i++)
		gap[i] = marked[i] * SIZE;
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec,
					   &(struct pv_trace_data){trace, records * SIZE, false, gap, n, true}, &diff),
		     0);
}

static void assert_explained(uint64_t missing)
{
	cr_expect_eq(diff.missing, missing);
	cr_expect_eq(diff.told, missing);
	cr_expect_eq(diff.expected, N);
	cr_expect_eq(diff.extra + diff.differing + diff.idle, 0);
	cr_expect_eq(strlen(diff.first), 0, "%s", diff.first);
}

static bool is_explained(void)
{
	return diff.missing == diff.told && !diff.extra && !diff.differing && !diff.idle;
}

Test(place, records_lost_at_a_mark_before_all_others_are_not_looked_for_at_the_end)
{
	make(always_13);
	have(128, N);
	check((const uint64_t[]){0, 0}, 2);
	assert_explained(128);
}

Test(place, a_pause_tells_which_of_the_places_is_right)
{
	make(bursts);
	have(0, 5);
	have(16, N);
	check((const uint64_t[]){5, 5}, 2);
	assert_explained(11);
}

Test(place, a_piece_is_marked_for_what_is_missing_behind_it)
{
	make(uneven);
	have(0, 100);
	have(150, N);
	check((const uint64_t[]){50, 100}, 2);
	assert_explained(50);
}

Test(place, each_mark_has_its_loss)
{
	make(always_13);
	have(0, 100);
	have(102, N);
	check((const uint64_t[]){0, 0, 100, 100}, 4);
	assert_explained(2);
	records = 0;
	have(0, 100);
	have(101, N);
	check((const uint64_t[]){0, 0, 100, 100}, 4);
	cr_expect(!is_explained(), "one record cannot be missing at two marks");
}

Test(place, two_pieces_may_be_marked_for_one_loss)
{
	make(always_13);
	have(0, 100);
	have(101, N);
	check((const uint64_t[]){50, 100, 100, 150}, 4);
	assert_explained(1);
}

Test(place, marks_without_a_loss_are_idle)
{
	make(always_13);
	have(0, N);
	check((const uint64_t[]){50, 100}, 2);
	cr_expect_eq(diff.missing, 0);
	cr_expect_eq(diff.idle, 1);
}

Test(place, a_loss_at_the_end_is_not_explained_by_a_mark_elsewhere)
{
	make(last_late);
	have(0, N - 1);
	check((const uint64_t[]){0, 0}, 2);
	cr_expect(!is_explained());
	cr_expect_eq(diff.missing, 1);
	cr_expect_eq(diff.told, 0);
	check((const uint64_t[]){N - 1, N - 1}, 2);
	assert_explained(1);
}

Test(place, a_record_lost_within_a_piece_is_not_explained)
{
	make(bursts);
	have(20, 35);
	have(36, N);
	check((const uint64_t[]){0, 0}, 2);
	cr_expect(!is_explained());
}

/* A trace with a fault elsewhere: its pieces are placed one by one, by as many records as can be compared. */
Test(place, one_wrong_record_hides_no_place)
{
	tags = 8;
	make(uneven);
	have(0, 3);
	have(100, N);
	trace[300 * SIZE - 97 * SIZE + 8] ^= 1;
	check((const uint64_t[]){3, 3}, 2);
	cr_expect_eq(diff.told, 97);
	cr_expect_eq(diff.missing, 97);
	cr_expect_eq(diff.differing, 1);
}

Test(place, one_wrong_record_makes_no_mark_idle)
{
	tags = 8;
	make(uneven);
	have(0, 103);
	have(200, N);
	trace[30 * SIZE + 8] ^= 1;
	check((const uint64_t[]){53, 103}, 2);
	cr_expect_eq(diff.differing, 1);
	cr_expect_eq(diff.idle, 0, "records are missing behind it");
	check((const uint64_t[]){53, 103, 103, 153}, 4);
	cr_expect_eq(diff.idle, 0, "records are missing between both");
	check((const uint64_t[]){53, 103, 253, 260}, 4);
	cr_expect_eq(diff.idle, 1);
}

Test(place, what_need_not_be_there_is_not_missing)
{
	make(always_13);
	window.inner_first = 20;
	window.inner_last = N - 20;
	have(15, N);
	check((const uint64_t[]){0, 0}, 2);
	cr_expect_eq(diff.told, 0);
	cr_expect_eq(diff.idle, 1, "the trace may begin and end there, and has no room elsewhere");
	records = 0;
	have(21, N - 10);
	check(NULL, 0);
	cr_expect(is_explained(), "in regular traffic another place is as good");
}

/* Some commits are marked, and some of what is missing lies at a mark: it is explained, whatever it is. */
Test(place, losses_at_marks_are_always_explained)
{
	static uint32_t (*const kinds[])(uint64_t n) = {always_13, bursts, last_late};

	srand(1);
	for (int round = 0; round < 300; round++) {
		uint64_t marked[64], at = 0, missing = 0;
		size_t n = 0;

		make(kinds[round % 3]);
		while (at < N && n < 60) {
			uint64_t size = (uint64_t)rand() % 60, lost = 1 + (uint64_t)rand() % 50;
			bool is_before = rand() % 2;

			size = size < N - at ? size : N - at;
			if (rand() % 2) {
				have(at, at + size);
				at += size;
				continue;
			}
			lost = lost < N - at ? lost : N - at;
			size = size < N - at - lost ? size : N - at - lost;
			marked[n++] = records;
			have(is_before ? at + lost : at, (is_before ? at + lost : at) + size);
			marked[n++] = records;
			at += lost + size;
			missing += lost;
		}
		have(at, N);
		check(marked, n);
		cr_expect_eq(diff.missing, missing, "round %d", round);
		cr_expect(is_explained(), "round %d: %s", round, diff.first);
		pv_ledger_free(ledger);
	}
	ledger = make_ledger();
}
