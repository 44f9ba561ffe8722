/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent from the outside: a case message in, events out, on the model target. Messages here are small machines of
 * one PTT, one Root Port and one endpoint, or of one CXL memory device.
 */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/agent.h"
#include "framework/agent/step.h"
#include "framework/util/utf8.h"

#define TOPOLOGY                                                                                                \
	"{\"iommu\":\"identity\",\"nodes\":["                                                                   \
	"{\"id\":0,\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:01.0\",\"parent\":-1,\"sicl\":0,\"core\":0," \
	"\"range_lower\":\"00:10.0\",\"range_upper\":\"00:10.0\"},"                                             \
	"{\"id\":1,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"  \
	"\"subordinate\":1,\"vendor\":7661,\"ras_des\":true,\"speed\":\"8\",\"width\":8},"                      \
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":1}]}"

#define CXL_TOPOLOGY                                                                                           \
	"{\"iommu\":\"identity\",\"nodes\":["                                                                  \
	"{\"id\":0,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1," \
	"\"subordinate\":1},"                                                                                  \
	"{\"id\":1,\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"01:00.0\",\"parent\":0,\"cpmus\":["        \
	"{\"counters\":2,\"width\":48,\"writable_when_frozen\":true,\"freeze\":true,\"interrupt\":true,"       \
	"\"event_caps\":[{\"vid\":7832,\"gid\":16,\"events\":98302}],\"counter\":[{\"type\":2},{\"type\":2}]}]}]}"

#define THREE_FUNCTIONS                                                                                         \
	"{\"iommu\":\"identity\",\"nodes\":["                                                                   \
	"{\"id\":0,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"  \
	"\"subordinate\":1},"                                                                                   \
	"{\"id\":1,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0},"                  \
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"nic0.1\",\"bdf\":\"01:00.1\",\"parent\":0},"                \
	"{\"id\":3,\"kind\":\"root-port\",\"name\":\"rp1\",\"bdf\":\"00:11.0\",\"parent\":-1,\"secondary\":2,"  \
	"\"subordinate\":2},"                                                                                   \
	"{\"id\":4,\"kind\":\"endpoint\",\"name\":\"ssd0\",\"bdf\":\"02:00.0\",\"parent\":3},"                  \
	"{\"id\":5,\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:01.0\",\"parent\":-1,\"sicl\":0,\"core\":0," \
	"\"range_lower\":\"00:10.0\",\"range_upper\":\"00:11.0\"}]}"

#define MESSAGE(steps) MESSAGE_ON(TOPOLOGY, steps)
#define MESSAGE_ON(topology, steps)                                                                           \
	"{\"op\":\"case\",\"plan\":\"p\",\"case\":\"c\",\"file\":\"p.xml\",\"line\":1,\"seed\":1,\"target\":" \
	"\"model\","                                                                                          \
	"\"driver\":\"reference\",\"topology\":" topology ",\"steps\":[" steps "]}\n"

#define STEP(kind, attrs) "{\"kind\":\"" kind "\",\"line\":7,\"attrs\":{" attrs "}}"

static char *events; /* of the last serve() */

static void serve(const char *message)
{
	size_t size;

	free(events);
	events = NULL;
	FILE *in = *message ? fmemopen((void *)message, strlen(message), "r") : fopen("/dev/null", "r");
	FILE *out = open_memstream(&events, &size);
	cr_assert(in && out);
	cr_assert_eq(pv_agent_serve(in, out), 0);
	fclose(in);
	fclose(out);
}

/* A member of the n-th event of a kind, as text; "" when there is none. */
static const char *event(const char *ev, unsigned n, const char *key)
{
	static char value[2048];

	value[0] = 0;
	for (char *line = events; *line; line += strcspn(line, "\n") + 1) {
		char one[8192];

		snprintf(one, sizeof(one), "%.*s", (int)strcspn(line, "\n"), line);
		json_object *o = json_tokener_parse(one);
		cr_assert(o, "not JSON: %s", one);
		bool match = !strcmp(json_object_get_string(json_object_object_get(o, "ev")), ev) && !n--;
		if (match)
			snprintf(value, sizeof(value), "%s", json_object_get_string(json_object_object_get(o, key)));
		json_object_put(o);
		if (match)
			break;
	}
	return value;
}

static void expect_verdict(const char *verdict, const char *message_part)
{
	cr_expect_str_eq(event("done", 0, "verdict"), verdict, "%s", events);
	if (message_part)
		cr_expect(strstr(event("problem", 0, "message"), message_part), "expected \"%s\" in\n%s", message_part,
			  events);
}

static void forget(void)
{
	free(events);
	events = NULL;
}

TestSuite(agent, .fini = forget);

/* ---- messages ---- */

Test(agent, a_closed_stdin_is_a_clear_error)
{
	serve("");
	expect_verdict("error", "expected a line on standard input");
}

Test(agent, what_is_not_json_is_a_clear_error)
{
	serve("{\"op\":\"case\",\n");
	expect_verdict("error", "expected JSON, got a mistake at byte");
}

Test(agent, another_op_is_a_clear_error)
{
	serve("{\"op\":\"dance\"}\n");
	expect_verdict("error", "\"op\"");
	serve("[1,2]\n");
	expect_verdict("error", "\"op\"");
}

Test(agent, steps_must_be_a_list)
{
	serve("{\"op\":\"case\"}\n");
	expect_verdict("error", "\"steps\"");
}

Test(agent, an_unknown_target_is_named)
{
	serve("{\"op\":\"case\",\"target\":\"toaster\",\"steps\":[" STEP("wait", "\"us\":\"1\"") "]}\n");
	expect_verdict("error", "toaster");
}

Test(agent, an_unknown_defect_is_named)
{
	serve("{\"op\":\"case\",\"defects\":[\"no-such\"],\"steps\":[" STEP("wait", "\"us\":\"1\"") "]}\n");
	expect_verdict("error", "no-such");
}

Test(agent, a_wrong_topology_names_the_function)
{
	serve("{\"op\":\"case\",\"topology\":{\"nodes\":[{\"id\":0,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"1:"
	      "2\"}]},"
	      "\"steps\":[" STEP("wait", "\"us\":\"1\"") "]}\n");
	expect_verdict("error", "nic0");
}

/* ---- steps ---- */

Test(agent, an_unknown_step_is_found_before_anything_runs)
{
	serve(MESSAGE(STEP("wait", "\"us\":\"1\"") "," STEP("fly", "")));
	expect_verdict("error", "p.xml:7");
	cr_expect_str_eq(event("step", 0, "kind"), "");
}

Test(agent, a_wrong_attribute_is_found_before_anything_runs)
{
	serve(MESSAGE(STEP("wait", "\"us\":\"1\"") "," STEP("wait", "\"us\":\"soon\"")));
	expect_verdict("error", "attribute us");
	cr_expect_str_eq(event("step", 0, "kind"), "");
}

Test(agent, a_case_without_a_check_proves_nothing)
{
	serve(MESSAGE(STEP("wait", "\"us\":\"1\"")));
	expect_verdict("error", "proves nothing");
}

#define STEP_FOR(driver, attrs) \
	"{\"kind\":\"tune-read\",\"driver\":\"" driver "\",\"line\":7,\"attrs\":{\"pmu\":\"hisi_ptt0_0\"," attrs "}}"

Test(agent, steps_for_another_driver_are_passed_over)
{
	serve(MESSAGE(STEP_FOR("kernel", "\"event\":\"qos_tx_p\",\"equals\":\"9\"") "," STEP_FOR(
		"reference", "\"event\":\"qos_tx_p\",\"equals\":\"1\"")));
	expect_verdict("pass", NULL);
	cr_expect_str_eq(event("done", 0, "checks"), "1");
	serve(MESSAGE(STEP_FOR("kernel", "\"event\":\"qos_tx_p\",\"equals\":\"9\"")));
	expect_verdict("error", "proves nothing");
}

Test(agent, a_board_runs_the_steps_for_the_drivers_of_the_kernel)
{
	cr_expect(pv_step_is_for("kernel", "system"));
	cr_expect(pv_step_is_for("kernel", "kernel"));
	cr_expect(pv_step_is_for("reference", "reference"));
	cr_expect(pv_step_is_for(NULL, "system"));
	cr_expect_not(pv_step_is_for("reference", "system"));
	cr_expect_not(pv_step_is_for("reference", "kernel"));
	cr_expect_not(pv_step_is_for("kernel", "reference"));
}

Test(agent, a_check_that_holds_passes)
{
	serve(MESSAGE(STEP("tune-write", "\"pmu\":\"hisi_ptt0_0\",\"event\":\"qos_tx_p\",\"value\":\"2\"") "," STEP(
		"tune-read", "\"pmu\":\"hisi_ptt0_0\",\"event\":\"qos_tx_p\",\"equals\":\"2\"")));
	expect_verdict("pass", NULL);
	cr_expect_str_eq(event("done", 0, "checks"), "1");
}

Test(agent, a_failed_check_says_expected_and_got_and_does_not_end_the_case)
{
	serve(MESSAGE(STEP("tune-read", "\"pmu\":\"hisi_ptt0_0\",\"event\":\"qos_tx_p\",\"equals\":\"9\"") "," STEP(
		"wait", "\"us\":\"1\"")));
	expect_verdict("fail", "p.xml:7: tune-read: hisi_ptt0_0/tune/qos_tx_p: expected \"9\", got \"1\"");
	cr_expect_str_eq(event("step", 1, "kind"), "wait");
}

/* A message has a bound, and the events are read by others. */
Test(agent, what_is_too_long_for_a_message_ends_with_a_character)
{
	char accents[1401], *message;
	unsigned code;

	for (size_t i = 0; i < sizeof(accents) - 1; i++)
		accents[i] = "\xc3\xa9"[i % 2];
	accents[sizeof(accents) - 1] = 0;
	for (int shift = 0; shift < 2; shift++) {
		cr_assert_geq(
			asprintf(&message,
				 MESSAGE(STEP("tune-read",
					      "\"pmu\":\"hisi_ptt0_0\",\"event\":\"qos_tx_p\","
					      "\"equals\":\"%.*s%s\"") "," STEP("attr-read", "\"pmu\":\"hisi_ptt0_0\","
											     "\"path\":\"%.*s%s\"")),
				 shift, "a", accents, shift, "a", accents),
			0);
		serve(message);
		free(message);
		for (size_t at = 0, n; events[at]; at += n) {
			n = pv_utf8_decode(events + at, &code);
			cr_assert(n && code != 0xfffd, "byte %zu: %.40s", at, events + at);
		}
	}
	expect_verdict("fail", NULL);
}

Test(agent, an_unexpected_errno_fails_and_ends_the_case)
{
	serve(MESSAGE(
		STEP("tune-read", "\"pmu\":\"hisi_ptt9_9\",\"event\":\"qos_tx_p\"") "," STEP("wait", "\"us\":\"1\"")));
	expect_verdict("fail", "expected success, got ENODEV");
	cr_expect_str_eq(event("problem", 0, "type"), "errno");
	cr_expect_str_eq(event("step", 1, "kind"), "");
}

#define START(filter)                                                                         \
	STEP("trace-start", "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"" filter "\"," \
			    "\"type\":\"1\",\"direction\":\"2\",\"format\":\"1\"")
#define ALL_SEND      SEND_FROM("nic0", "10") "," SEND_FROM("nic0.1", "3") "," SEND_FROM("ssd0", "5")
#define STOP	      STEP("trace-stop", "\"id\":\"t\"") "," STEP("check-trace", "\"id\":\"t\"")
#define NAMED(filter) MESSAGE_ON(THREE_FUNCTIONS, START(filter) "," ALL_SEND "," STOP)
#define SEND_FROM(from, count) \
	STEP("traffic", "\"from\":\"" from "\",\"to\":\"memory\",\"kind\":\"mwr64\",\"count\":\"" count "\"")

Test(agent, a_filter_may_be_names)
{
	static const struct {
		const char *message, *says;
	} cases[] = {
		{NAMED("nic0"), "expected 10 records, got 10"},	   {NAMED("nic0.1"), "expected 3 records, got 3"},
		{NAMED("rp0"), "expected 13 records, got 13"},	   {NAMED("rp1"), "expected 5 records, got 5"},
		{NAMED("rp0 rp1"), "expected 18 records, got 18"}, {NAMED("0x101"), "expected 3 records, got 3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		serve(cases[i].message);
		expect_verdict("pass", NULL);
		cr_expect(strstr(event("check", 0, "message"), cases[i].says), "%zu: %s", i, events);
	}
	serve(NAMED("rp0 nic0"));
	expect_verdict("error", "filter: expected Root Ports or one other function, got nic0 beside others");
	serve(NAMED("nic0 rp0"));
	expect_verdict("error", "filter: expected Root Ports or one other function, got rp0 beside another");
	serve(NAMED("nic7"));
	expect_verdict("error", "nic7");
	serve(NAMED("0x1x"));
	expect_verdict(
		"error",
		"filter: expected names of functions, or a number below 2^64: decimal, or hexadecimal after 0x, got");
}

#define TWO_PTTS                                                                                                \
	"{\"iommu\":\"identity\",\"nodes\":["                                                                   \
	"{\"id\":0,\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:01.0\",\"parent\":-1,\"sicl\":0,\"core\":0," \
	"\"range_lower\":\"00:10.0\",\"range_upper\":\"00:10.0\"},"                                             \
	"{\"id\":1,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"  \
	"\"subordinate\":1},"                                                                                   \
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":1},"                  \
	"{\"id\":3,\"kind\":\"ptt\",\"name\":\"ptt1\",\"bdf\":\"00:02.0\",\"parent\":-1,\"sicl\":0,\"core\":1," \
	"\"range_lower\":\"00:13.0\",\"range_upper\":\"00:13.0\"},"                                             \
	"{\"id\":4,\"kind\":\"root-port\",\"name\":\"rp3\",\"bdf\":\"00:13.0\",\"parent\":-1,\"secondary\":2,"  \
	"\"subordinate\":2},"                                                                                   \
	"{\"id\":5,\"kind\":\"endpoint\",\"name\":\"nic1\",\"bdf\":\"02:00.0\",\"parent\":4}]}"
#define OPEN(attrs) MESSAGE_ON(TWO_PTTS, STEP("trace-open", "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\"," attrs))
#define TERMS(filter, type, direction, format) \
	"\"filter\":\"" filter "\",\"type\":\"" type "\",\"direction\":\"" direction "\",\"format\":\"" format "\""

Test(agent, terms_that_a_driver_refuses_are_named)
{
	static const char *const cases[][2] = {
		{OPEN("\"config\":\"0x101280003\""), "filter=0x80001 instead of 0x80003"},
		{OPEN("\"config\":\"0x103180001\""), "type=0x2 instead of 0x3"},
		{OPEN("\"config\":\"0x107180001\""), "type=0x1 instead of 0x7"},
		{OPEN("\"config\":\"0x100180001\""), "type=0x1 instead of 0x0"},
		{OPEN("\"config\":\"0xffff00000000\""),
		 "filter=0x80001 instead of 0x0 and format=0x0 instead of 0xf and type=0x1 instead of 0x0"},
		{OPEN(TERMS("rp0", "0x1f", "1", "0")), "type=0x1 instead of 0x1f"},
		{OPEN(TERMS("rp0", "3", "9", "1")), "direction=0x1 instead of 0x9 and type=0x1 instead of 0x3"},
		{OPEN(TERMS("rp0", "9", "9", "3")),
		 "direction=0x1 instead of 0x9 and format=0x1 instead of 0x3 and type=0x1 instead of 0x9"},
		{OPEN(TERMS("rp0", "1", "0", "1")), "direction=0x1 instead of 0x0, or with format=0x0 instead of 0x1"},
		{OPEN(TERMS("nic1", "1", "1", "1")), "filter=0x80001 instead of 0x200"},
		{OPEN(TERMS("rp3", "1", "1", "1")), "filter=0x80001 instead of 0x80040"},
	};
	char says[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		serve(cases[i][0]);
		snprintf(says, sizeof(says), "expected success, got EINVAL (it opens with %s)", cases[i][1]);
		expect_verdict("fail", says);
	}
	serve(OPEN(TERMS("rp3", "1", "1", "1") ",\"expect\":\"ENODEV\""));
	expect_verdict("fail", "expected ENODEV, got EINVAL (it opens");
}

Test(agent, an_expected_errno_is_a_check)
{
	serve(MESSAGE(STEP("mps-set", "\"device\":\"nic0\",\"bytes\":\"100\",\"expect\":\"EINVAL\"")));
	expect_verdict("pass", NULL);
	serve(MESSAGE(STEP("mps-set", "\"device\":\"nic0\",\"bytes\":\"128\",\"expect\":\"EINVAL\"")));
	expect_verdict("fail", "expected EINVAL, got success");
}

Test(agent, an_unknown_device_is_an_error_of_the_plan)
{
	serve(MESSAGE(STEP("mps-get", "\"device\":\"nic7\",\"equals\":\"128\"")));
	expect_verdict("error", "nic7");
	cr_expect_str_eq(event("problem", 0, "type"), "plan");
}

Test(agent, a_trace_is_judged_against_the_wire)
{
	serve(MESSAGE(STEP(
		"trace-start",
		"\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"0x80001\",\"type\":\"1\","
		"\"direction\":\"2\",\"format\":\"1\"") "," STEP("traffic",
								 "\"from\":\"nic0\",\"to\":\"memory\",\"kind\":"
								 "\"mwr64\",\"count\":\"10\"") "," STEP("trace-"
													"stop",
													"\"id\":"
													"\"t\"") "," STEP("check-trace",
															  "\"id\":\"t\"")));
	expect_verdict("pass", NULL);
	cr_expect(strstr(event("check", 0, "message"), "expected 10 records, got 10"), "%s", events);
}

Test(agent, a_check_against_nothing_is_an_error_not_a_pass)
{
	serve(MESSAGE(STEP("trace-start",
			   "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"0x80001\",\"type\":\"1\","
			   "\"direction\":\"2\",\"format\":\"1\"") "," STEP("trace-stop",
									    "\"id\":\"t\"") "," STEP("check-trace",
												     "\"id\":\"t\"")));
	expect_verdict("error", "proves nothing");
}

/* Two TLPs of 4DW may be any number of rounds of the clock apart. */
Test(agent, a_rate_that_cannot_be_judged_is_told)
{
	static const char steps[] = MESSAGE(STEP(
		"trace-start",
		"\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"rp0\",\"type\":\"1\","
		"\"direction\":\"%s\",\"format\":\"%s\"") "," STEP("traffic",
								   "\"from\":\"nic0\",\"to\":\"memory\",\"kind\":"
								   "\"mwr64\",\"count\":\"10\"") "," STEP("trace-stop",
													  "\"id\":"
													  "\"t\"") "," STEP("check-trace-link",
															    "\"id\":\"t\",\"port\":\"rp0\""));
	char message[4096];

	snprintf(message, sizeof(message), steps, "0", "0");
	serve(message);
	expect_verdict("pass", NULL);
	cr_expect_str_eq(event("log", 0, "text"), "a 4DW trace has a clock of 11 bits, which goes round: the rate of "
						  "the trace is not judged");
	snprintf(message, sizeof(message), steps, "2", "1");
	serve(message);
	expect_verdict("pass", NULL);
	cr_expect_str_eq(event("log", 0, "text"), "", "%s", events);
}

Test(agent, rules_of_use_are_those_of_a_driver_that_runs)
{
	serve(MESSAGE(STEP("check-rules", "")));
	expect_verdict("pass", NULL);
	cr_expect_str_eq(event("check", 0, "message"), "no rule of use was broken", "%s", events);
}

Test(agent, a_trace_that_is_left_running_is_closed)
{
	serve(MESSAGE(STEP("trace-start", "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"0x80001\",\"type\":"
					  "\"1\"") "," STEP("mps-get", "\"device\":\"nic0\",\"equals\":\"128\"")));
	expect_verdict("pass", NULL);
}

Test(agent, the_same_message_gives_the_same_events)
{
	static const char message[] = MESSAGE(
		STEP("traffic",
		     "\"from\":\"nic0\",\"to\":\"memory\",\"kind\":\"mwr64\",\"size\":\"4..512\",\"count\":\"500\","
		     "\"random\":\"yes\"") "," STEP("measure",
						    "\"id\":\"m\",\"what\":\"wire-bytes\",\"port\":\"rp0\",\"dir\":"
						    "\"in\"") "," STEP("check-measure", "\"id\":\"m\",\"min\":\"1\""));

	serve(message);
	char *first = strdup(events);
	serve(message);
	cr_expect_str_eq(first, events);
	expect_verdict("pass", NULL);
	free(first);
}

Test(agent, a_planted_defect_is_found)
{
	static char message[4096];

	snprintf(
		message, sizeof(message), "%s",
		MESSAGE(STEP("traffic", "\"from\":\"nic0\",\"to\":\"memory\",\"kind\":\"mwr64\",\"count\":\"1\"") "," STEP(
			"mps-set",
			"\"device\":\"nic0\",\"bytes\":\"256\"") "," STEP("mps-get",
									  "\"device\":\"nic0\",\"equals\":\"256\"")));
	serve(message);
	expect_verdict("pass", NULL);
	char *op = strstr(message, "\"plan\"");
	cr_assert(op);
	static const char defect[] = "\"defects\":[\"mps-field-off\"],";
	memmove(op + strlen(defect), op, strlen(op) + 1);
	memcpy(op, defect, strlen(defect));
	serve(message);
	expect_verdict("fail", "expected 256, got 128");
}

/* ---- CXL ---- */

#define COUNT(check, ...)                                                                                              \
	MESSAGE_ON(                                                                                                    \
		CXL_TOPOLOGY,                                                                                          \
		STEP("counter-open", "\"id\":\"c\",\"pmu\":\"cxl_pmu_mem0.0\",\"event\":\"d2h_req_rdcurr\"") "," STEP( \
			"counter-start", "\"id\":\"c\"") "," __VA_ARGS__                                               \
							 "," STEP("counter-stop", "\"id\":\"c\"") "," STEP(            \
								 "check-counter", "\"id\":\"c\"," check))
#define SEND(attrs) STEP("cxl-traffic", "\"device\":\"mem0\",\"channel\":\"D2H Req\"," attrs)

Test(agent, traffic_is_waited_for_by_its_own_end_beside_endless_traffic)
{
	serve(COUNT("\"against\":\"value\",\"equals\":\"1234\"",
		    SEND("\"opcodes\":\"2\",\"count\":\"0\",\"background\":\"yes\"") "," SEND(
			    "\"opcodes\":\"1\",\"count\":\"1234\"")));
	expect_verdict("pass", NULL);
}

Test(agent, a_counter_does_not_outlive_a_reboot)
{
	serve(COUNT("\"against\":\"value\",\"equals\":\"1\"", STEP("boot", "")));
	expect_verdict("error", "which is closed");
}

Test(agent, a_value_beside_the_oracle_is_refused_not_passed_over)
{
	serve(COUNT("\"equals\":\"6\"", SEND("\"opcodes\":\"1\",\"count\":\"5\"")));
	expect_verdict("error", "equals: expected it only with against=\"value\"");
	serve(COUNT("\"against\":\"value\",\"equals\":\"6\",\"tolerance\":\"0.5\"",
		    SEND("\"opcodes\":\"1\",\"count\":\"5\"")));
	expect_verdict("error", "tolerance: expected it only without against=\"value\"");
}

Test(agent, a_count_that_is_not_there_says_what_was_wanted)
{
	serve(COUNT("\"against\":\"value\",\"min\":\"6\"", SEND("\"opcodes\":\"1\",\"count\":\"5\"")));
	expect_verdict("fail", "counter c: expected at least 6, got 5: cxl_pmu_mem0.0/d2h_req_rdcurr/");
}

Test(agent, messages_that_do_not_exist_are_named)
{
	serve(COUNT("\"against\":\"oracle\"", SEND("\"opcodes\":\"1 15\",\"count\":\"5\"")));
	expect_verdict("error", "opcodes: expected those of D2H Req (1 2 3 4 5 6 7 8 9 10 11 12 13 14 16), got 15");
}

Test(agent, cxl_traffic_in_a_cycle_has_one_message_of_an_opcode)
{
	serve(COUNT("\"against\":\"oracle\"", SEND("\"opcodes\":\"1 2\",\"count\":\"6\",\"per-cycle\":\"3\"")));
	expect_verdict("error", "per-cycle: expected at most 2, one message of each opcode in a cycle, got 3");
}

Test(agent, cxl_traffic_needs_a_cxl_device)
{
	serve(MESSAGE_ON(CXL_TOPOLOGY,
			 STEP("cxl-traffic", "\"device\":\"rp0\",\"channel\":\"D2H Req\",\"count\":\"1\"")));
	expect_verdict("error", "device: expected a CXL memory device, got rp0, which is none");
}

Test(agent, a_stream_that_runs_keeps_its_name)
{
	serve(COUNT("\"against\":\"oracle\"", SEND("\"id\":\"x\",\"count\":\"0\",\"background\":\"yes\"") "," SEND(
						      "\"id\":\"x\",\"count\":\"0\",\"background\":\"yes\"")));
	expect_verdict("error", "id: expected a new name, got \"x\", which may still run");
}

/* ---- functions that come later ---- */

#define SLOT_TOPOLOGY                                                                                          \
	"{\"iommu\":\"identity\",\"nodes\":["                                                                  \
	"{\"id\":0,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1," \
	"\"subordinate\":1,\"mpss\":512,\"hotplug\":true},"                                                    \
	"{\"id\":1,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0,\"mpss\":256},"    \
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"card0\",\"bdf\":\"01:00.0\",\"parent\":0,\"mpss\":128,"    \
	"\"mrrs\":4096,\"spare\":true},"                                                                       \
	"{\"id\":3,\"kind\":\"endpoint\",\"name\":\"card1\",\"bdf\":\"01:00.1\",\"parent\":0,\"mpss\":128,"    \
	"\"spare\":true}]}"
#define PERFORMANCE  STEP("boot", "\"policy\":\"performance\"")
#define UNPLUG(name) STEP("hotplug", "\"action\":\"unplug\",\"device\":\"" name "\"")
#define REMOVE(name) STEP("hotplug", "\"action\":\"remove\",\"device\":\"" name "\"")
#define PLUG(how)    STEP("hotplug", "\"action\":\"plug\",\"device\":\"card0\",\"notify\":\"" how "\"")
#define RESCAN	     STEP("hotplug", "\"action\":\"rescan\"")
#define CHECK	     STEP("check-mps", "")
#define MRRS(bytes)  STEP("mrrs-get", "\"device\":\"card0\",\"equals\":\"" bytes "\"")
#define SPOILED(what) \
	STEP("reg-write", "\"device\":\"" what "\",\"offset\":\"0x48\",\"bytes\":\"2\",\"value\":\"0x5000\"")
#define SLOT(steps) MESSAGE_ON(SLOT_TOPOLOGY, PERFORMANCE "," UNPLUG("01:00.0") "," steps)

Test(agent, what_pciehp_finds_is_judged_by_both_steps)
{
	serve(SLOT(PLUG("yes") "," MRRS("128") "," CHECK));
	expect_verdict("pass", NULL);
	serve(SLOT(PLUG("pciehp") "," CHECK "," SPOILED("01:00.0") "," CHECK));
	expect_verdict("fail", "(01:00.0): expected MPS 128 MRRS 128, got MPS 128 MRRS 4096");
	serve(SLOT(PLUG("pciehp") "," SPOILED("01:00.1") "," CHECK));
	expect_verdict("fail", "(01:00.1): expected MPS 128 MRRS 128, got MPS 128 MRRS 4096");
}

Test(agent, what_a_rescan_finds_is_judged_by_the_first_step)
{
	serve(SLOT(PLUG("rescan") "," MRRS("4096") "," CHECK));
	expect_verdict("pass", NULL);
	serve(SLOT(PLUG("no") "," CHECK "," RESCAN "," MRRS("4096") "," CHECK));
	expect_verdict("pass", NULL);
	serve(SLOT(PLUG("rescan") "," SPOILED("01:00.1") "," CHECK));
	expect_verdict("fail", "(01:00.1): expected MPS 128 MRRS 512, got MPS 128 MRRS 4096");
}

Test(agent, what_was_taken_away_is_not_expected_any_more)
{
	serve(SLOT(CHECK "," PLUG("pciehp") "," UNPLUG("01:00.0") "," CHECK));
	expect_verdict("pass", NULL);
	serve(SLOT(CHECK "," PLUG("pciehp") "," UNPLUG("01:00.1") "," CHECK));
	expect_verdict("pass", NULL);
	serve(SLOT(PLUG("pciehp") "," UNPLUG("01:00.0") "," UNPLUG("01:00.1")));
	expect_verdict("fail", "unplugging 01:00.1: expected success, got ENODEV");
	serve(SLOT(PLUG("pciehp") "," REMOVE("01:00.0") "," CHECK));
	expect_verdict("error", "only a part was taken away");
	serve(SLOT(PLUG("pciehp") "," REMOVE("01:00.0") "," REMOVE("01:00.1") "," CHECK));
	expect_verdict("pass", NULL);
	serve(MESSAGE_ON(SLOT_TOPOLOGY, PERFORMANCE "," UNPLUG("00:10.0") "," CHECK));
	expect_verdict("error", "something of a root bus");
	serve(MESSAGE_ON(SLOT_TOPOLOGY, PERFORMANCE
			 "," STEP("hotplug", "\"action\":\"unplug\",\"device\":\"nic0\",\"notify\":\"no\"") "," CHECK));
	expect_verdict("error", "an unplug had notify=");
}

Test(agent, what_the_driver_removed_and_found_again_is_judged)
{
	static const char removed[] =
		"{\"kind\":\"hotplug\",\"line\":7,\"attrs\":{\"action\":\"remove\",\"device\":\"nic0\"}}";
	char message[4096];

	snprintf(message, sizeof(message), MESSAGE_ON(SLOT_TOPOLOGY, PERFORMANCE ",%s," CHECK "," RESCAN "," CHECK),
		 removed);
	serve(message);
	expect_verdict("pass", NULL);
	snprintf(message, sizeof(message),
		 MESSAGE_ON(SLOT_TOPOLOGY, PERFORMANCE ",%s," RESCAN "," SPOILED("01:00.0") "," CHECK), removed);
	serve(message);
	expect_verdict("fail", "expected MPS 256 MRRS 256, got MPS 128 MRRS 4096");
}

Test(agent, a_reboot_begins_anew)
{
	serve(SLOT(PLUG("pciehp") "," STEP("boot", "\"policy\":\"safe\"") "," MRRS("4096") "," CHECK));
	expect_verdict("pass", NULL);
}
