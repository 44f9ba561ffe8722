/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AUX data from the far side: whole commits in order, with messages of any size, and with clients that refuse data. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/protocol.h"
#include "framework/far/tests/fake.h"

static struct fake fake;
static struct pv_far_client *client;
static struct pv_driver *d;
static struct pv_machine *m;
static struct pv_perf_event *ev;
static struct pv_driver_ops few;

/* The consumer. */
static struct {
	uint64_t at;
	size_t calls, lens[64];
	uint32_t flags[64];
	size_t refuse_from, refuse_to; /* calls that are refused */
	size_t refusals;
	bool wrong;
} got;

static int consume(void *ctx, const void *data, size_t len, uint32_t flags)
{
	const uint8_t *bytes = data;

	if (got.calls + got.refusals >= got.refuse_from && got.calls + got.refusals < got.refuse_to) {
		got.refusals++;
		return -ENOSPC;
	}
	for (size_t i = 0; i < len; i++)
		got.wrong |= bytes[i] != fake_byte(got.at + i);
	got.at += len;
	got.lens[got.calls] = len;
	got.flags[got.calls++] = flags;
	return 0;
}

static void start(size_t aux_max)
{
	struct pv_error e = {0};

	memset(&got, 0, sizeof(got));
	fake.server = pv_far_server_new(
		&(struct pv_far_tables){&fake.driver, &fake.machine, &fake.shell, "Fake 1.0", aux_max});
	cr_assert_eq(pv_far_connect(&client, fake_exchange, &fake, &e), 0, "%s", e.text);
	d = pv_far_driver(client);
	m = pv_far_machine(client);
	cr_assert_eq(d->ops->event_open(d, "p0", &(struct pv_perf_attr){.aux = true}, NULL, consume, NULL, &ev), 0);
}

static void setup(void)
{
	fake_init(&fake);
	start(1 << 20);
}

static void teardown(void)
{
	pv_far_close(client);
	pv_far_server_free(fake.server);
	cr_expect_not(got.wrong, "data are not what was committed");
	cr_expect_eq(fake.open, 0);
}

TestSuite(far_aux, .init = setup, .fini = teardown);

Test(far_aux, commits_come_while_time_passes)
{
	fake_commit(&fake, 100, 0);
	fake_commit(&fake, 0, PV_PERF_AUX_COLLISION);
	fake_commit(&fake, 7, PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(d->ops->event_enable(d, ev), 0);
	cr_expect_eq(got.calls, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_assert_eq(got.calls, 3);
	cr_expect_eq(got.lens[0], 100);
	cr_expect_eq(got.flags[0], 0);
	cr_expect_eq(got.lens[1], 0);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_COLLISION);
	cr_expect_eq(got.flags[2], PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(got.at, 107);
}

Test(far_aux, disable_brings_the_last_of_it)
{
	fake_commit(&fake, 100, 0);
	cr_expect_eq(d->ops->event_disable(d, ev), 0);
	cr_expect_eq(got.at, 100);
}

Test(far_aux, data_come_also_with_an_error)
{
	fake_commit(&fake, 100, 0);
	fake.result = -EIO;
	cr_expect_eq(d->ops->event_disable(d, ev), -EIO);
	cr_expect_eq(got.at, 100);
}

Test(far_aux, commits_larger_than_a_message_stay_one_commit)
{
	fake.room = PV_FAR_MESSAGE_MIN;
	fake_commit(&fake, 10, 0);
	fake_commit(&fake, 50000, PV_PERF_AUX_PARTIAL);
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_assert_eq(got.calls, 3);
	cr_expect_eq(got.lens[1], 50000);
	cr_expect_eq(got.flags[1], PV_PERF_AUX_PARTIAL);
	cr_expect_eq(got.at, 50020);
	cr_expect_gt(fake.asked, 12);
}

Test(far_aux, more_than_the_far_side_keeps_is_fetched_in_turns)
{
	pv_far_close(client);
	pv_far_server_free(fake.server);
	start(1000);
	for (int i = 0; i < 20; i++)
		fake_commit(&fake, 300, 0);
	cr_expect_eq(d->ops->event_disable(d, ev), 0);
	cr_expect_eq(got.calls, 20);
	cr_expect_eq(got.at, 6000);
}

Test(far_aux, one_commit_may_be_larger_than_what_the_far_side_keeps)
{
	pv_far_close(client);
	pv_far_server_free(fake.server);
	start(1000);
	fake_commit(&fake, 5000, 0);
	fake_commit(&fake, 1, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.at, 5001);
}

/* ---- refusal ---- */

Test(far_aux, what_is_refused_holds_the_event_and_comes_again)
{
	got.refuse_from = 1;
	got.refuse_to = 3;
	fake_commit(&fake, 10, 0);
	fake_commit(&fake, 20, 0);
	fake_commit(&fake, 30, PV_PERF_AUX_TRUNCATED);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.at, 10);
	cr_expect(fake.held, "what follows stays in the area");
	fake_commit(&fake, 40, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.at, 10, "refused again");
	cr_expect(fake.held);
	cr_expect_eq(fake.next, 3);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_not(fake.held);
	cr_expect_eq(got.at, 100);
	cr_expect_eq(got.calls, 4);
	cr_expect_eq(got.flags[2], PV_PERF_AUX_TRUNCATED);
}

Test(far_aux, a_consumer_can_hold_its_event)
{
	cr_expect_eq(d->ops->event_hold(d, ev, true), 0);
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.calls, 0);
	cr_expect_eq(fake.next, 0, "nothing left the area");
	cr_expect_eq(d->ops->event_hold(d, ev, false), 0);
	cr_expect_eq(got.at, 10);
}

Test(far_aux, who_holds_takes_what_is_asked_for)
{
	cr_expect_eq(d->ops->event_hold(d, ev, true), 0);
	fake_commit(&fake, 10, 0);
	cr_expect_eq(d->ops->event_take(d, ev, 1ull << 40), 0);
	cr_expect_str_eq(fake.said, "event_take 1099511627776");
	cr_expect_eq(got.at, 10);
	cr_expect(fake.held);
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.at, 10);
}

Test(far_aux, what_was_refused_stays_while_the_consumer_holds)
{
	got.refuse_to = 1;
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(d->ops->event_hold(d, ev, true), 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.calls, 0);
	cr_expect(fake.held, "the client does not let go what its user holds");
	cr_expect_eq(d->ops->event_hold(d, ev, false), 0);
	cr_expect_eq(got.at, 10);
	cr_expect_not(fake.held);
}

Test(far_aux, closing_drops_what_was_refused)
{
	got.refuse_to = 1;
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	d->ops->event_close(d, ev);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.calls, 0);
}

static void start_without_hold(void)
{
	pv_far_close(client);
	pv_far_server_free(fake.server);
	few = fake_driver_ops;
	few.event_hold = NULL;
	fake.driver.ops = &few;
	start(1 << 20);
}

/* The consumer has had no time since it has room again. */
Test(far_aux, closing_says_that_data_were_lost)
{
	start_without_hold();
	got.refuse_to = 1;
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	got.at = 10;
	d->ops->event_close(d, ev);
	cr_assert_eq(got.calls, 1);
	cr_expect_eq(got.lens[0], 0);
	cr_expect_eq(got.flags[0], PV_PERF_AUX_TRUNCATED);
}

Test(far_aux, a_driver_that_cannot_hold_says_that_data_were_lost)
{
	start_without_hold();
	got.refuse_to = 1;
	fake_commit(&fake, 10, 0);
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_expect_eq(got.calls, 0);
	got.at = 10;
	cr_expect_eq(m->ops->wait(m, 10), 0);
	cr_assert_eq(got.calls, 1);
	cr_expect_eq(got.lens[0], 0);
	cr_expect_eq(got.flags[0], PV_PERF_AUX_TRUNCATED);
}

/* ---- hostile answers ---- */

static void spoil_open_commit(uint8_t *answer, size_t *n)
{
	/* A piece of event 1 that continues forever. */
	static const uint8_t piece[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 'd', 'a', 't', 'a'};

	answer[PV_FAR_ANSWER_PIECES] = 1;
	answer[16] = 0;
	memcpy(answer + *n, piece, sizeof(piece));
	*n += sizeof(piece);
}

Test(far_aux, a_commit_that_never_ends_is_not_handed_over)
{
	fake.spoil = spoil_open_commit;
	for (int i = 0; i < 100; i++)
		cr_assert_eq(m->ops->wait(m, 1), 0);
	cr_expect_eq(got.calls, 0);
	fake.spoil = NULL;
}
