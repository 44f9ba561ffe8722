/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner's end of the protocol: lines of an agent, and the message to it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/agent/session.h"
#include "framework/run/protocol.h"
#include "framework/run/run.h"
#include "framework/run/tests/run_fixture.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

static void expect_utf8(const char *s)
{
	unsigned code;

	for (size_t n; *s; s += n) {
		n = pv_utf8_decode(s, &code);
		cr_assert(n, "not UTF-8 from here: %s", s);
	}
}

/* A bad line is reported with its start, which is cut between characters if too long. */
Test(protocol, a_bad_line_is_quoted_in_whole_characters)
{
	for (size_t lead = 0; lead < 4; lead++) {
		char line[512] = "abc";
		enum pv_event_kind kind;
		json_object *o;
		struct pv_error e = {0};

		memset(line + lead, 0xff, 300);
		cr_assert_eq(pv_event_parse(line, strlen(line), &kind, &o, &e), -EPROTO);
		expect_utf8(e.text);
		cr_assert(strstr(e.text, "'..."), "%s", e.text);
	}
}

/* ---- long texts ---- */

/* Has a session report a failure with the text, as the output of perf p, and returns what the runner reads of it. */
static json_object *reported(char *text)
{
	struct pv_perf_run perf = {.id = "p", .said = text};
	struct pv_emit emit = {.out = tmpfile()};
	struct pv_session s = {.emit = &emit, .perfs = &perf};
	struct pv_lines lines = {0};
	struct pv_error e = {0};
	enum pv_event_kind kind;
	json_object *event;
	ssize_t n = 1;
	size_t length;
	char *line;

	cr_assert_not_null(emit.out);
	pv_session_problem(&s, PV_EMIT_FAIL, "check", text, "it fails");
	rewind(emit.out);
	while (!(line = pv_lines_next(&lines, &length)) && n > 0)
		n = pv_lines_read(&lines, fileno(emit.out));
	cr_assert(n > 0, "expected a line, got %zd", n);
	cr_assert_eq(pv_event_parse(line, length, &kind, &event, &e), 0, "%s", e.text);
	cr_expect_eq(kind, PV_EV_PROBLEM);
	fclose(emit.out);
	pv_lines_free(&lines);
	return event;
}

#define LONG (4u << 20)
#define MORE "\n[cut: the text is longer than 256 KiB; all of it is in perf-p.txt]"

/* Nothing that perf prints, in any of these characters, makes the runner lose a failure. */
Test(protocol, a_failure_with_a_long_text_arrives_with_its_first_part)
{
	static const char *const characters[] = {"a", "\1", "\"", "\\", "\xff", "\u00e9", "\u20ac", "\U0001f600"};
	char *text = calloc(1, LONG + 1);

	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
		size_t one = strlen(characters[i]);

		for (size_t at = 0; at < LONG; at++)
			text[at] = at ? characters[i][(at - 1) % one] : 'x';
		json_object *event = reported(text);
		const char *got = pv_json_text(event, "text"), *end = strchr(got, '[');
		cr_expect(!strncmp(got, "it fails\nx", strlen("it fails\nx")), "%zu", i);
		cr_expect(end > got + (200u << 10) && !strcmp(end - 1, MORE), "%zu: %.100s", i, got);
		cr_expect(*characters[i] == '\xff' || !strstr(got, "\ufffd"), "%zu: cut in a character", i);
		expect_utf8(got);
		json_object_put(event);
	}
	free(text);
}

Test(protocol, the_longest_text_is_whole)
{
	char *text = calloc(1, PV_PROBLEM_TEXT_MAX + 2);

	memset(text, 'a', PV_PROBLEM_TEXT_MAX);
	json_object *event = reported(text);
	cr_expect_str_eq(pv_json_text(event, "text") + strlen("it fails\n"), text);
	json_object_put(event);
	text[PV_PROBLEM_TEXT_MAX] = 'a';
	event = reported(text);
	cr_expect(strstr(pv_json_text(event, "text"), "a" MORE));
	json_object_put(event);
	free(text);
}

/* ---- the case message ---- */

static json_object *of_plan(const struct pv_job *job)
{
	return json_tokener_parse(job->source);
}

static const struct pv_job tune = {
	.plan = "ptt",
	.name = "tune@rp=00:01.0",
	.file = "ptt.xml",
	.line = 7,
	.timeout_s = 8,
	.seed = UINT64_MAX,
	.formerly = (const char *const[]){"tuning", NULL},
	.source = "{\"steps\": [{\"open\": {}}]}",
};

static void expect_message(const struct pv_run_options *opt, const struct pv_job *j, const char *expected)
{
	char *line = pv_case_message(opt, j, (const int[]){3, 4}, "run/cases/0001");
	json_object *o = json_tokener_parse(line), *as = json_tokener_parse(expected);

	cr_assert(line && o && as);
	cr_expect_eq(strchr(line, '\n'), line + strlen(line) - 1, "%s", line);
	cr_expect(json_object_equal(o, as), "%s", line);
	json_object_put(o);
	json_object_put(as);
	free(line);
}

#define CASE(name)                                                                              \
	"{\"op\": \"case\", \"plan\": \"ptt\", \"case\": \"" name "\", \"file\": \"ptt.xml\", " \
	"\"folder\": \"run/cases/0001\", \"line\": 7, \"seed\": 18446744073709551615, \"timeout_s\": 8, "

Test(protocol, a_case_message_has_the_options_of_the_run)
{
	json_object *guest = json_tokener_parse("{\"kernel\": \"fast\"}"),
		    *far = json_tokener_parse("{\"host\": \"board7\"}");

	expect_message(
		&(struct pv_run_options){.case_json = of_plan,
					 .target = "qemu",
					 .board = "board7",
					 .driver = "kernel",
					 .defects = (const char *const[]){"deaf", "late", NULL},
					 .guest = guest,
					 .vm_pool = "pool",
					 .far = far,
					 .golden_folder = "goldens",
					 .golden_mode = "record",
					 .golden_staging = "staging",
					 .keep = true,
					 .max_artefact_bytes = 9},
		&tune,
		CASE("tune@rp=00:01.0") "\"steps\": [{\"open\": {}}], \"formerly\": [\"tuning@rp=00:01.0\"], "
					"\"target\": \"qemu\", "
					"\"board\": \"board7\", \"driver\": \"kernel\", \"defects\": [\"deaf\", "
					"\"late\"], "
					"\"guest\": {\"kernel\": \"fast\"}, \"environment\": "
					"\"run/cases/0001/../../environment.json\", "
					"\"keeper\": \"pool\", \"far\": {\"host\": \"board7\", \"streams\": [3, 4]}, "
					"\"golden\": {\"folder\": \"goldens\", \"mode\": \"record\", \"staging\": "
					"\"staging\"}, "
					"\"keep\": true, \"max_artefact_bytes\": 9}");
	cr_expect_eq(json_object_object_length(far), 1, "the next case has other streams");
	json_object_put(guest);
	json_object_put(far);
}

Test(protocol, a_case_message_without_options_has_the_case)
{
	const struct pv_run_options opt = {.case_json = of_plan, .golden_folder = "goldens"};
	struct pv_job bound = tune;

	bound.name = "tune";
	bound.formerly = NULL;
	bound.bound = json_tokener_parse("{\"steps\": []}");
	expect_message(&(struct pv_run_options){0}, &bound, CASE("tune") "\"steps\": [], \"defects\": []}");
	expect_message(&opt, &bound,
		       CASE("tune") "\"steps\": [], \"defects\": [], "
				    "\"golden\": {\"folder\": \"goldens\", \"mode\": \"check\"}}");
	cr_expect_eq(json_object_object_length(bound.bound), 1, "the plan's object has changed");
	json_object_put(bound.bound);
}

static json_object *topology_and_steps(const struct pv_job *job)
{
	return json_tokener_parse("{\"topology\":{\"nodes\":[]},\"steps\":[{\"kind\":\"boot\"}]}");
}

Test(message, has_the_plans_part_and_the_runs_part)
{
	static const char *const defects[] = {"ptt-drop-record", NULL};
	struct fixture *f = fixture_new("message");

	f->opt.case_json = topology_and_steps;
	f->opt.defects = defects;
	f->opt.golden_folder = "fixtures/golden";
	const struct pv_case_result *c = fixture_one(f);
	cr_assert_not_null(c->artefacts[0], "%s", c->message);
	char *text = fixture_read(c->artefacts[0]);
	json_object *o = json_tokener_parse(text);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "op")), "case");
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "plan")), "plan");
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "target")), "model");
	cr_expect_eq(json_object_get_int(json_object_object_get(o, "seed")), 7);
	cr_expect_eq(json_object_array_length(json_object_object_get(o, "steps")), 1);
	cr_expect_eq(json_object_array_length(json_object_object_get(o, "defects")), 1);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(json_object_object_get(o, "golden"), "mode")),
			 "check");
	cr_expect_eq(json_object_get_string(json_object_object_get(o, "folder"))[0], '/');
	json_object_put(o);
	free(text);
	fixture_free(f);
}
