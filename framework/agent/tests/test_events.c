/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's event syntax, resolved through format/ and events/ files. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/agent/event_attr.h"
#include "framework/agent/events.h"
#include "framework/agent/tests/fake.h"

static struct pv_fake fake;

static int resolve(const char *text, struct pv_event_config *c)
{
	struct pv_error e = {0};
	int err = pv_event_resolve(pv_fake_target(&fake), "fake", text, c, &e);

	cr_expect((err != 0) == (e.text[0] != 0), "an error has a text: %s", e.text);
	return err;
}

Test(events, a_name_stands_for_its_terms)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("rdcurr", &c), 0);
	cr_expect_eq(c.word[0], 0x1e98001000000002ull);
}

Test(events, terms_go_to_their_words_and_bits)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("rdcurr,threshold=2,edge=1", &c), 0);
	cr_expect_eq(c.word[1], 0x20002);
	cr_assert_eq(resolve("rdcurr,edge", &c), 0);
	cr_expect_eq(c.word[1], 0x20000);
}

Test(events, what_is_said_besides_a_name_has_the_last_word)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("mask=0x8,rdcurr", &c), 0);
	cr_expect_eq(c.word[0], 0x1e98001000000008ull);
}

Test(events, a_name_that_the_driver_has_changed_stands_for_the_same)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("rx_nulified_tlp,lane=4", &c), 0);
	cr_expect_eq(c.word[0], 0x410604);
	cr_expect_eq(resolve("rx_duplicate_tl,lane=4", &c), -EINVAL, "neither name is there");
}

Test(events, a_parameter_must_be_given)
{
	struct pv_event_config c;

	cr_expect_eq(resolve("tx_ack", &c), -EINVAL);
	cr_assert_eq(resolve("tx_ack,lane=4", &c), 0);
	cr_expect_eq(c.word[0], 0x410600);
}

Test(events, raw_terms_need_no_name)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("eventid=0x700,type=0x1,lane=15", &c), 0);
	cr_expect_eq(c.word[0], 0xf10700);
}

/* perf's own terms: no PMU has format files for them, and they are the whole word. */
Test(events, whole_words_need_no_format_file)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("config=0x1e98001000000002,config1=0x20002,config2=0xffffffffffffffff", &c), 0);
	cr_expect_eq(c.word[0], 0x1e98001000000002ull);
	cr_expect_eq(c.word[1], 0x20002);
	cr_expect_eq(c.word[2], UINT64_MAX);
	cr_assert_eq(resolve("whole,threshold=3", &c), 0);
	cr_expect_eq(c.word[0], 0x1e98000000000001ull);
	cr_expect_eq(c.word[1], 3);
	cr_expect_eq(resolve("config3=1", &c), -EINVAL, "there is no such word");
	cr_expect_eq(resolve("config=0x10000000000000000", &c), -EINVAL, "65 bits");
}

Test(events, a_field_in_two_pieces_is_filled_from_below)
{
	struct pv_event_config c;

	cr_assert_eq(resolve("split=0x5a", &c), 0);
	cr_expect_eq(c.word[2], 0x50a);
}

Test(events, wrong_terms_are_refused)
{
	static const char *const bad[] = {"",	     "nothing",	     "lane=256", "edge=2", "lane=",  "lane=x",
					  "lane=-1", "rdcurr,,edge", "=5",	 "broken", "rdcurr,"};
	struct pv_event_config c;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(resolve(bad[i], &c), -EINVAL, "\"%s\"", bad[i]);
}

Test(events, a_missing_pmu_is_enodev)
{
	struct pv_event_config c;
	struct pv_error e = {0};

	cr_expect_eq(pv_event_resolve(pv_fake_target(&fake), "none", "lane=1", &c, &e), -ENODEV);
}

Test(events, formats_that_are_none_are_refused)
{
	static const char *const bad[] = {"",		"config",    "config:",	   "config3:0-7",
					  "config:7-0", "config:64", "config:0-7x"};
	struct pv_event_config c = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(pv_event_pack(bad[i], 0, &c), -EINVAL, "\"%s\"", bad[i]);
}

Test(events, a_term_is_read_as_it_is_packed)
{
	static const char *const formats[] = {"config:0-19", "config1:0-7,20", "config2:3", "config:0-63",
					      "config1:32-47,0-15"};
	struct pv_event_config c = {{0xfedcba9876543210ull, 0x123456789abcdef0ull, 8}};
	uint64_t value;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct pv_event_config again = c;

		cr_assert_eq(pv_event_unpack(formats[i], &c, &value), 0);
		cr_expect_eq(pv_event_pack(formats[i], ~value & 1, &again), 0);
		cr_expect_neq(memcmp(&again, &c, sizeof(c)), 0, "%s", formats[i]);
		cr_expect_eq(pv_event_pack(formats[i], value, &again), 0);
		cr_expect_arr_eq(&again, &c, sizeof(c), "%s", formats[i]);
	}
	cr_assert_eq(pv_event_unpack("config1:0-7,20", &c, &value), 0);
	cr_expect_eq(value, 0x1f0, "%#lx", value);
	cr_expect_eq(pv_event_unpack("config:64", &c, &value), -EINVAL);
}

/* Opens an event with a bit that is refused. Returns what the error says. */
static const char *refused_term(int list_error)
{
	static struct pv_error e;
	const struct pv_perf_attr attr = {.config = 0x1};
	struct pv_fake refusing = {.refused = 0x1, .list_error = list_error};
	const struct pv_args step = {.decl = pv_schema_step("trace-open")};
	struct pv_session s = {.t = pv_fake_target(&refusing), .step = &step};
	struct pv_perf_event *event;

	e = (struct pv_error){0};
	cr_expect_eq(pv_event_attr_open(&s, "fake", &attr, NULL, NULL, NULL, &event, &e), -EINVAL);
	return e.text;
}

Test(events, a_refused_term_is_named_or_the_reason_why_it_is_not_known)
{
	cr_expect_str_eq(refused_term(0), "it opens with mask=0x0 instead of 0x1, or with eventid=0x0 instead of 0x1");
	cr_expect_str_eq(refused_term(-EIO), "it opens with bits of config=0x0 instead of 0x1 (format: EIO)");
	cr_expect_str_eq(refused_term(-ENOENT), "it opens with bits of config=0x0 instead of 0x1",
			 "a PMU without formats");
}
