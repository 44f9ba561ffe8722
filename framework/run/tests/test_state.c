/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a run, and results made from them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/run/journal.h"
#include "framework/run/tests/run_fixture.h"
#include "framework/util/utf8.h"
#include "reports/terminal.h"

static bool exists(const struct fixture *f, const char *name)
{
	char path[256];

	fixture_path(f, name, path);
	return !access(path, F_OK);
}

static int remove_journal(const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/" PV_JOURNAL_FILE, folder);
	return unlink(path);
}

/* ---- the folder ---- */

Test(folder, of_a_passed_case_goes_and_of_a_failed_one_stays)
{
	struct fixture *f = fixture_new("pass fail");

	fixture_run(f);
	cr_expect_not(exists(f, "cases/0000-plan-pass"));
	cr_expect(exists(f, "cases/0001-plan-fail/ledger.txt"));
	fixture_free(f);
}

Test(folder, of_a_passed_case_can_be_kept)
{
	struct fixture *f = fixture_new("pass");

	f->opt.keep = true;
	fixture_run(f);
	cr_expect(exists(f, "cases/0000-plan-pass"));
	fixture_free(f);
}

Test(folder, each_run_has_an_id)
{
	struct fixture *f = fixture_new("pass"), *g = fixture_new("pass");

	fixture_run(f);
	fixture_run(g);
	cr_expect_eq(strlen(f->result->id), 32, "got '%s'", f->result->id);
	cr_expect_eq(strspn(f->result->id, "0123456789abcdef"), 32);
	cr_expect_str_neq(f->result->id, g->result->id);
	fixture_free(f);
	fixture_free(g);
}

Test(folder, the_machine_is_in_the_result)
{
	struct fixture *f = fixture_new("pass");

	f->opt.environment = json_tokener_parse("{\"kernel\": \"6.12.0\", \"taint\": \"0\"}");
	fixture_one(f);
	cr_assert_not_null(f->result->environment);
	cr_expect_str_eq(pv_run_fact(f->result, "kernel"), "6.12.0");
	cr_expect_str_eq(pv_run_fact(f->result, "taint"), "0");
	cr_expect_null(pv_run_fact(f->result, "BIOS"));
	cr_expect(exists(f, "environment.json"));
	json_object_put(f->opt.environment);
	fixture_free(f);
}

static void expect_drivers(const char *guest, const char *drivers, const char *line)
{
	struct fixture *f = fixture_new("pass");
	char tested[256];

	f->opt.guest = json_tokener_parse(guest);
	fixture_one(f);
	cr_expect_str_eq(pv_run_property(f->result, "drivers"), drivers);
	pv_run_tested(f->result, tested, sizeof(tested));
	cr_expect(strstr(tested, line), "%s", tested);
	json_object_put(f->opt.guest);
	fixture_free(f);
}

Test(folder, other_drivers_than_the_kernels_are_in_the_result)
{
	expect_drivers("{\"fixed\": true}", "fixed", ", drivers fixed");
	expect_drivers("{\"drivers\": \"a.c 0123abcd\"}", "a.c 0123abcd", ", drivers a.c 0123abcd");
	expect_drivers("{\"fixed\": true, \"drivers\": \"a.c 1\"}", "fixed and a.c 1", ", drivers fixed and a.c 1");
}

Test(folder, a_real_machine_whose_kernel_was_tainted_before_is_told_once)
{
	static const char *const rows[][3] = {
		{"ssh:board7", "4609 P W O", ", tainted before the run: W"},
		{"local", "640 D W", ", tainted before the run: DW"},
		{"local", "4097 P O", ""},
		{"qemu", "512 W", ""},
	};
	char tested[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *environment[] = {(char *)"taint", (char *)rows[i][1], NULL};
		struct pv_run_result r = {
			.target = (char *)rows[i][0], .driver = (char *)"system", .environment = environment};

		pv_run_tested(&r, tested, sizeof(tested));
		cr_expect(strstr(tested, ", driver system") != NULL);
		cr_expect_str_eq(strstr(tested, ", driver system") + strlen(", driver system"), rows[i][2]);
	}
}

Test(folder, without_a_machine_there_is_no_environment)
{
	struct fixture *f = fixture_new("pass");

	fixture_one(f);
	cr_expect_null(f->result->environment);
	cr_expect_not(exists(f, "environment.json"));
	fixture_free(f);
}

Test(folder, artefacts_are_those_on_disk)
{
	struct fixture *f = fixture_new("fail");
	const struct pv_case_result *c = fixture_one(f);
	char path[256];

	fixture_path(f, "cases/0000-plan-fail/ledger.txt", path);
	cr_assert_not_null(c->artefacts[0]);
	cr_expect_str_eq(c->artefacts[0], path);
	cr_expect_null(c->artefacts[1]);
	fixture_free(f);
}

/* An empty folder is handed on from case to case. */
Test(folder, of_a_case_is_empty_when_it_begins)
{
	struct fixture *f = fixture_new("pass litter fail pass[2]");
	char path[256];

	f->opt.workers = 1;
	cr_assert_eq(fixture_run(f), 0);
	const struct pv_case_result *c = fixture_case(f, "fail");
	fixture_path(f, "cases/0002-plan-fail/ledger.txt", path);
	cr_assert_not_null(c->artefacts[0]);
	cr_expect_str_eq(c->artefacts[0], path);
	cr_expect_null(c->artefacts[1], "got '%s'", c->artefacts[1]);
	cr_expect_not(exists(f, "cases/0000-plan-pass"));
	cr_expect_not(exists(f, "cases/0001-plan-litter"));
	cr_expect_not(exists(f, "cases/0003-plan-pass_2_"));
	fixture_free(f);
}

Test(folder, large_artefacts_make_way_for_a_note)
{
	struct fixture *f = fixture_new("big");

	f->opt.max_artefact_bytes = 65536;
	const struct pv_case_result *c = fixture_one(f);
	cr_expect_null(c->artefacts[0]);
	cr_expect(strstr(c->log, "artefact ledger.bin removed: 100000 bytes"), "got '%s'", c->log);
	fixture_free(f);
}

/* It says why the case failed, and which artefacts were removed. */
Test(folder, the_log_is_no_artefact_that_is_too_large)
{
	struct fixture *f = fixture_new("noisy-fail");

	f->opt.max_artefact_bytes = 65536;
	const struct pv_case_result *c = fixture_one(f);
	cr_assert_not_null(c->log, "the log was removed");
	cr_expect_geq(strlen(c->log), 256 << 10);
	cr_expect_null(strstr(c->log, "removed"));
	fixture_free(f);
}

/* A folder with a large file and a secret, to which the cases link. */
static void make_place(const struct fixture *f, char place[256])
{
	char command[1024];

	snprintf(place, 256, "%s/place", f->scratch);
	setenv("LINKS_TO", place, 1);
	snprintf(command, sizeof(command),
		 "mkdir %s && cd %s && head -c 100000 /dev/zero >large.bin && echo hush >secret.txt", place, place);
	cr_assert_eq(system(command), 0);
}

static bool is_whole(const char *place)
{
	char command[512];

	snprintf(command, sizeof(command), "cd %s && test $(stat -c %%s large.bin) = 100000 && test -e secret.txt",
		 place);
	return !system(command);
}

Test(folder, links_in_it_are_neither_followed_nor_artefacts)
{
	struct fixture *f = fixture_new("links");
	char place[256];

	make_place(f, place);
	f->opt.max_artefact_bytes = 65536;
	const struct pv_case_result *c = fixture_one(f);
	cr_expect_null(c->artefacts[0], "got '%s'", c->artefacts[0]);
	cr_expect(!c->log || !strstr(c->log, "hush"), "got '%s'", c->log);
	cr_expect(exists(f, "cases/0000-plan-links/link.bin"), "what is small itself is not removed");
	cr_expect(is_whole(place));
	fixture_free(f);
}

Test(folder, that_goes_leaves_what_it_links_to)
{
	struct fixture *f = fixture_new("links-pass");
	char place[256];

	make_place(f, place);
	cr_expect_eq(fixture_one(f)->verdict, PV_PASS);
	cr_expect_not(exists(f, "cases/0000-plan-links-pass"));
	cr_expect(is_whole(place));
	fixture_free(f);
}

Test(folder, the_log_has_stderr_and_log_events)
{
	struct fixture *f = fixture_new("log");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect(strstr(c->log, "info: tuning\n"), "got '%s'", c->log);
	cr_expect(strstr(c->log, "raw line\n"), "got '%s'", c->log);
	fixture_free(f);
}

Test(folder, the_log_is_bounded)
{
	struct fixture *f = fixture_new("noisy-fail");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_lt(strlen(c->log), 300000);
	cr_expect(strstr(c->log, "[cut: the log is longer than 256 KiB]"));
	fixture_free(f);
}

Test(folder, must_be_new_or_empty)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder folder;

	cr_assert_eq(fixture_run(f), 0);
	cr_expect_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &folder, &f->error), -ENOTEMPTY);
	cr_expect(strstr(f->error.text, "expected a new or empty folder"), "got '%s'", f->error.text);
	cr_expect_null(folder.path);
	cr_expect_eq(folder.claim, -1);
	fixture_free(f);
}

Test(folder, cannot_be_a_file)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder folder;

	close(open(f->folder, O_CREAT | O_WRONLY, 0666));
	cr_expect_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &folder, &f->error), -ENOTDIR);
	cr_expect(strstr(f->error.text, "it is not a folder"), "got '%s'", f->error.text);
	fixture_free(f);
}

/* Two runs into one folder mixed their identities, and one was green for cases that the other had not run. */
Test(folder, is_of_one_run_at_a_time)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder first, second;

	cr_assert_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &first, &f->error), 0, "%s", f->error.text);
	cr_expect_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &second, &f->error), -ENOTEMPTY);
	pv_run_folder_free(&first);
	fixture_free(f);
}

/* Between the claim and the settings there is nothing to be seen but the journal. */
Test(folder, is_claimed_before_anything_is_written)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder second;

	cr_assert_eq(mkdir(f->folder, 0777), 0);
	int claim = pv_journal_claim(f->folder);
	cr_assert_geq(claim, 0);
	cr_expect_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &second, &f->error), -EBUSY);
	cr_expect(strstr(f->error.text, "another pcieval is running in it"), "got '%s'", f->error.text);
	cr_expect_not(exists(f, "settings.json"));
	close(claim);
	cr_expect_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &second, &f->error), 0,
		     "the holder is gone: %s", f->error.text);
	pv_run_folder_free(&second);
	fixture_free(f);
}

Test(folder, that_holds_other_things_gets_no_journal)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder folder;

	cr_expect_eq(pv_folder_create(f->scratch, &f->opt, f->jobs, f->n, &folder, &f->error), 0);
	pv_run_folder_free(&folder);
	cr_assert_eq(remove_journal(f->scratch), 0);
	cr_expect_eq(pv_folder_create(f->scratch, &f->opt, f->jobs, f->n, &folder, &f->error), -ENOTEMPTY);
	cr_expect_neq(remove_journal(f->scratch), 0, "a journal was made in a folder that is not a run's");
	fixture_free(f);
}

Test(folder, has_a_default_and_a_link_to_the_latest)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder first, second;
	char link[64] = {0};

	cr_assert_eq(chdir(f->scratch), 0);
	cr_assert_eq(pv_folder_create(NULL, &f->opt, f->jobs, f->n, &first, &f->error), 0, "%s", f->error.text);
	cr_assert_eq(pv_folder_create(NULL, &f->opt, f->jobs, f->n, &second, &f->error), 0, "%s", f->error.text);
	cr_expect_str_neq(first.path, second.path);
	cr_assert_gt(readlink("pcieval-results/latest", link, sizeof(link) - 1), 0);
	cr_expect_str_eq(link, second.path + strlen("pcieval-results/"));
	pv_run_folder_free(&first);
	pv_run_folder_free(&second);
	fixture_free(f);
}

Test(folder, a_name_is_a_file_name_whatever_the_case_is_called)
{
	const struct pv_job job = {.plan = "../a b", .name = "x[p=../../etc/passwd,q=\x1b]"};
	char name[PV_CASE_FOLDER_NAME];

	pv_case_folder_name(&job, 12, name);
	cr_expect_str_eq(name, "0012-___a_b-x_p=______etc_passwd,q=__");
}

/* ---- results ---- */

Test(results, the_text_begins_with_the_message_and_has_all_problems)
{
	struct fixture *f = fixture_new("fail");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_str_eq(c->message, "expected 4 records, got 3");
	cr_expect_str_eq(c->text, "expected 4 records, got 3\n"
				  "record 3 is missing\nall of it\n"
				  "fail (check), scenarios/plan.xml:20: second\n");
	fixture_free(f);
}

Test(results, the_place_is_said_once)
{
	struct fixture *f = fixture_new("placed");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_str_eq(c->text, "scenarios/plan.xml:20: check-trace: expected 4 records, got 3\n"
				  "record 3 is missing\n"
				  "fail (check): scenarios/plan.xml:21: check-empty-trace: second\n");
	fixture_free(f);
}

Test(results, have_the_rules_that_the_driver_broke_in_a_case_that_passed)
{
	struct fixture *f = fixture_new("rules");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_eq(c->verdict, PV_PASS);
	cr_assert_eq(c->n_rules, 2);
	cr_expect_str_eq(c->rules[0].rule, "CP-9");
	cr_expect_eq(c->rules[0].count, 3);
	cr_expect_str_eq(c->rules[0].message, "counter 1 is enabled with threshold 0");
	cr_expect_str_eq(c->rules[1].rule, "PT-2");
	fixture_free(f);
}

/* Other readers of JSON refuse what is not. */
Test(results, are_utf8_whatever_an_agent_says)
{
	struct fixture *f = fixture_new("accents");
	char path[256];
	unsigned code;

	fixture_one(f);
	fixture_path(f, "journal.jsonl", path);
	char *journal = fixture_read(path);
	for (size_t at = 0, n; journal[at]; at += n) {
		n = pv_utf8_decode(journal + at, &code);
		cr_assert(n, "byte %zu: %.40s", at, journal + at);
	}
	cr_expect_not_null(strstr(journal, "\"caf\xef\xbf\xbd\""), "got '%s'", journal);
	cr_expect_not_null(strstr(journal, "\xc3\xa9\"]"), "no figure that ends with a character: '%s'", journal);
	free(journal);
	fixture_free(f);
}

Test(results, a_megabyte_of_text_arrives)
{
	struct fixture *f = fixture_new("long-text");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_gt(strlen(c->text), 1000000);
	fixture_free(f);
}

/* In C a string ends there: the rest of the failure was not told. */
Test(results, a_zero_character_is_shown)
{
	struct fixture *f = fixture_new("zero-char");
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_str_eq(c->message, "expected a#x00b, got c");
	cr_expect_str_eq(c->text, "expected a#x00b, got c\nmore#x00\n");
	fixture_free(f);
}

Test(results, a_megabyte_is_cut_on_the_terminal_and_says_where_it_is_whole)
{
	struct fixture *f = fixture_new("long-message long-text");
	const struct pv_terminal_style style = {0};
	char *shown = NULL, where[256];
	size_t n;

	fixture_run(f);
	FILE *out = open_memstream(&shown, &n);
	pv_terminal_summary(f->result, &style, out);
	fclose(out);
	cr_expect_lt(n, 8000, "got %zu bytes", n);
	cr_expect_lt(strlen(f->shown), 4000, "got %zu bytes", strlen(f->shown));
	snprintf(where, sizeof(where), "... (cut: 1000 of 1000000 bytes; the rest is in %s/journal.jsonl)", f->folder);
	cr_expect(strstr(shown, where), "got '%s'", shown);
	cr_expect(strstr(f->shown, "(cut: 1000 of 2047 bytes"), "got '%s'", f->shown);
	cr_expect(strstr(fixture_case(f, "long-message")->message, "mmm..."), "a cut message says so");
	free(shown);
	fixture_free(f);
}

/* Claimed, and not a case to be seen. */
Test(results, of_a_run_before_its_case_list_say_so)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_result *r = NULL;

	cr_assert_eq(mkdir(f->folder, 0777), 0);
	int claim = pv_journal_claim(f->folder);
	cr_expect_eq(pv_run_load(f->folder, &r, &f->error), -ENODATA);
	cr_expect(strstr(f->error.text, "a run is about to begin here"), "got '%s'", f->error.text);
	close(claim);
	cr_expect_eq(pv_run_load(f->folder, &r, &f->error), -ENODATA);
	cr_expect(strstr(f->error.text, "ended before its list of cases was written: no case was run"), "got '%s'",
		  f->error.text);
	fixture_free(f);
}

/* The command that repeats the only case, "pass", has these options. */
static void expect_again(const struct fixture *f, const char *options)
{
	char *again = pv_rerun_command(f->result, &f->result->cases[0]), *expected;

	cr_assert_geq(asprintf(&expected,
			       "pcieval run --target model --driver reference %s--agent %s --name plan/pass "
			       "scenarios/plan.xml",
			       options, f->opt.agent),
		      0);
	cr_expect_str_eq(again, expected);
	free(again);
	free(expected);
}

Test(results, have_what_was_asked_for)
{
	static const char *const defects[] = {"dwc-wrong-lane", NULL}, *const verifies[] = {"DW-LN-01", "DW-LN-02",
											    NULL};
	struct fixture *f = fixture_new("pass");

	f->opt.defects = defects;
	static const char *const guest[] = {"kernel", "debug", "modules", NULL, "append", "a b", "real-time", "", NULL};
	f->opt.seed = "99";
	f->opt.guest_options = guest;
	f->opt.timeout_scale = 2.5;
	f->opt.max_memory_bytes = 3 << 20;
	f->opt.max_memory_given = true;
	f->opt.known_failures = "known failures.json";
	f->jobs[0].verifies = verifies;
	const struct pv_case_result *c = fixture_one(f);
	cr_expect_str_eq(f->result->target, "model");
	cr_expect_str_eq(f->result->board, "embedded");
	cr_expect_str_eq(f->result->driver, "reference");
	cr_expect_str_eq(f->result->folder, f->folder);
	cr_expect_str_eq(c->verifies[1], "DW-LN-02");
	cr_expect_eq(c->seed, 7);
	expect_again(f, "--seed 99 --kernel debug --append 'a b' --real-time --defect dwc-wrong-lane "
			"--timeout-scale 2.5 --max-memory 3M --known-failures 'known failures.json' ");
	fixture_free(f);
}

Test(results, have_nothing_that_was_not_asked_for)
{
	struct fixture *f = fixture_new("pass");

	f->opt.max_memory_bytes = 3 << 20;
	fixture_one(f);
	expect_again(f, "");
	fixture_free(f);
}

Test(results, need_a_run_folder)
{
	struct pv_run_result *r = NULL;
	struct pv_error e = {0};

	cr_expect_eq(pv_run_load("/nonexistent", &r, &e), -ENOENT);
	cr_expect(strstr(e.text, "/nonexistent is not the folder of a run"), "got '%s'", e.text);
	cr_expect_null(r);
}

/* ---- what a run that goes on is told ---- */

static void ask_much(struct pv_run_options *o)
{
	static const char *const defects[] = {"dwc-wrong-lane", NULL}, *const guest[] = {"kernel", "debug", NULL};

	o->seed = "99";
	o->defects = defects;
	o->guest_options = guest;
	o->golden_folder = "my/goldens";
	o->golden_given = true;
	o->timeout_scale = 2.5;
	o->max_artefact_bytes = 1 << 20;
	o->max_memory_bytes = 1 << 30;
	o->max_memory_given = true;
	o->known_failures = "known.json";
	o->max_fail = 3;
	o->retry_errors = 2;
	o->repeat = 1;
	o->shuffle = "12";
	o->keep = true;
}

static void expect_tested(const struct pv_run_options *o)
{
	cr_expect_str_eq(o->target, "model");
	cr_expect_str_eq(o->board, "embedded");
	cr_expect_str_eq(o->driver, "reference");
	cr_expect_str_eq(o->seed, "99");
	cr_expect_str_eq(o->defects[0], "dwc-wrong-lane");
	cr_expect_str_eq(o->guest_options[1], "debug");
	cr_expect_str_eq(o->golden_folder, "my/goldens");
	cr_expect(o->golden_given);
	cr_expect(strstr(o->agent, "/scripted"));
	cr_expect_float_eq(o->timeout_scale, 2.5, 1e-9);
	cr_expect_eq(o->max_artefact_bytes, 1 << 20);
	cr_expect_eq(o->max_memory_bytes, 1 << 30);
	cr_expect(o->max_memory_given);
	cr_expect_str_eq(o->known_failures, "known.json");
}

Test(settings, of_a_run_that_goes_on_are_those_it_began_with)
{
	struct fixture *f = fixture_new("pass");
	struct pv_interrupted run = {0};
	struct pv_run_options o = {0};

	ask_much(&f->opt);
	fixture_run(f);
	cr_assert_eq(pv_interrupted_load(f->folder, &run, &o, &f->error), 0, "%s", f->error.text);
	expect_tested(&o);
	cr_expect_eq(o.max_fail, 3);
	cr_expect_eq(o.retry_errors, 2);
	cr_expect_eq(o.repeat, 1);
	cr_expect_str_eq(o.shuffle, "12");
	cr_expect(o.keep);
	pv_interrupted_free(&run);
	fixture_free(f);
}

/* A run that goes on has the user's known failures; a rerun reads their file again. */
Test(settings, known_failures_of_an_earlier_run_expire)
{
	struct fixture *f = fixture_new("pass");
	struct pv_interrupted goes_on = {0}, again = {.anew = true};
	struct pv_run_options o = {0};

	f->opt.deviations = json_tokener_parse("[{\"own\":true,\"expires\":\"2020-01-31\"}]");
	fixture_run(f);
	cr_assert_eq(pv_interrupted_load(f->folder, &goes_on, &o, &f->error), 0, "%s", f->error.text);
	cr_assert_eq(json_object_array_length(o.deviations), 1);
	cr_expect_not_null(json_object_object_get(json_object_array_get_idx(o.deviations, 0), "expired"));
	pv_interrupted_free(&goes_on);
	cr_assert_eq(pv_interrupted_load(f->folder, &again, &o, &f->error), 0, "%s", f->error.text);
	cr_expect_eq(json_object_array_length(o.deviations), 0);
	pv_interrupted_free(&again);
	json_object_put(f->opt.deviations);
	fixture_free(f);
}

/* A rerun tests the same. Its repetitions, order and limits are given anew. */
Test(settings, of_cases_that_run_once_more_are_what_was_tested)
{
	struct fixture *f = fixture_new("fail");
	struct pv_interrupted run = {.anew = true};
	struct pv_run_options o = {.max_fail = 7};

	ask_much(&f->opt);
	fixture_run(f);
	cr_assert_eq(pv_interrupted_load(f->folder, &run, &o, &f->error), 0, "%s", f->error.text);
	expect_tested(&o);
	cr_expect_eq(o.max_fail, 7);
	cr_expect_not(o.keep);
	cr_expect_null(o.shuffle);
	pv_interrupted_free(&run);
	fixture_free(f);
}
