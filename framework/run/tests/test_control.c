/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The course of a run: parallel cases, interruption, --fail-fast, timeouts and what is left behind. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/run/tests/run_fixture.h"
#include "framework/run/worker.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void expect_verdict(const struct fixture *f, const char *name, enum pv_verdict v, const char *type)
{
	const struct pv_case_result *c = fixture_case(f, name);

	cr_expect_eq(c->verdict, v, "%s: got %s (%s)", name, pv_verdict_name(c->verdict), c->message);
	cr_expect_str_eq(c->type, type, "%s: got type %s (%s)", name, c->type, c->message);
}

/* ---- many ---- */

Test(control, cases_do_not_disturb_each_other)
{
	struct fixture *f =
		fixture_new("pass[1] crash[1] garbage[1] pass[2] fail[1] abort[1] pass[3] status[1] pass[4]");

	f->opt.workers = 4;
	cr_assert_eq(fixture_run(f), 0);
	cr_expect_eq(f->result->count[PV_PASS], 4);
	cr_expect_eq(f->result->count[PV_FAIL], 1);
	cr_expect_eq(f->result->count[PV_ERROR], 4);
	expect_verdict(f, "crash[1]", PV_ERROR, "crash");
	expect_verdict(f, "fail[1]", PV_FAIL, "check");
	fixture_free(f);
}

Test(control, four_workers_run_four_cases_at_a_time)
{
	struct fixture *f = fixture_new("slow[1] slow[2] slow[3] slow[4] slow[5] slow[6] slow[7] slow[8]");

	f->opt.workers = 4;
	double begun = now();
	cr_assert_eq(fixture_run(f), 0);
	double took = now() - begun;
	cr_expect_eq(f->result->count[PV_PASS], 8);
	cr_expect_lt(took, 1.2, "8 cases of 0.2 s on 4 workers: expected about 0.4 s, got %.3f s", took);
	fixture_free(f);
}

Test(control, results_are_in_the_order_of_the_plan)
{
	struct fixture *f = fixture_new("slow[1] pass[1] slow[2] pass[2]");

	f->opt.workers = 4;
	fixture_run(f);
	cr_expect_str_eq(f->result->cases[0].name, "slow[1]");
	cr_expect_str_eq(f->result->cases[3].name, "pass[2]");
	fixture_free(f);
}

Test(control, a_skipped_case_has_no_process)
{
	struct fixture *f = fixture_new("crash pass");

	f->jobs[0].skip = "needs a board";
	cr_assert_eq(fixture_run(f), 0);
	expect_verdict(f, "crash", PV_SKIP, "plan");
	cr_expect_str_eq(fixture_case(f, "crash")->message, "needs a board");
	fixture_free(f);
}

Test(control, fail_fast_skips_the_rest_and_says_why)
{
	struct fixture *f = fixture_new("pass[1] fail pass[2] pass[3]");

	f->opt.workers = 1;
	f->opt.fail_fast = true;
	cr_assert_eq(fixture_run(f), 0);
	expect_verdict(f, "pass[1]", PV_PASS, "");
	expect_verdict(f, "pass[2]", PV_SKIP, "fail-fast");
	cr_expect_str_eq(fixture_case(f, "pass[3]")->message, "not run: --fail-fast after plan/fail");
	cr_expect_eq(pv_run_exit(f->result), PV_EXIT_FAILED);
	fixture_free(f);
}

Test(control, an_error_after_a_failure_is_a_failure_and_not_run_again)
{
	static const char *const names[] = {"fail-crash", "fail-garbage", "fail-hang", "fail-end"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct fixture *f = fixture_new(names[i]);

		f->opt.retry_errors = 2;
		const struct pv_case_result *c = fixture_one(f);
		expect_verdict(f, names[i], PV_FAIL, "check");
		cr_expect_eq(c->n_attempts, 0, "%s: %zu attempts before it", names[i], c->n_attempts);
		fixture_free(f);
	}
}

Test(control, a_kernel_that_becomes_tainted_ends_the_run_if_told_so)
{
	for (unsigned abort = 0; abort < 2; abort++) {
		struct fixture *f = fixture_new("fail taints pass[1] pass[2]");

		f->opt.workers = 1;
		f->opt.abort_on_taint = abort;
		cr_assert_eq(fixture_run(f), 0);
		expect_verdict(f, "taints", PV_FAIL, "check");
		expect_verdict(f, "pass[1]", abort ? PV_SKIP : PV_PASS, abort ? "fail-fast" : "");
		if (abort)
			cr_expect_str_eq(fixture_case(f, "pass[2]")->message,
					 "not run: --abort-on-taint after plan/taints");
		fixture_free(f);
	}
}

/* The last two cases are of another plan than those before. */
static struct fixture *with_health_check(const char *cases, size_t n)
{
	struct fixture *f = fixture_new(cases);

	f->opt.workers = 1;
	f->opt.health_check = true;
	f->jobs[n - 1].plan = f->jobs[n - 2].plan = "other";
	cr_assert_eq(fixture_run(f), 0);
	return f;
}

Test(control, a_failed_health_check_ends_the_run)
{
	struct fixture *f = with_health_check("pass[1] fail pass[2] pass[3] pass[4]", 5);

	expect_verdict(f, "pass[1]", PV_PASS, "");
	expect_verdict(f, "pass[2]", PV_SKIP, "fail-fast");
	cr_expect_str_eq(fixture_case(f, "pass[4]")->message, "not run: --health-check after plan/fail");
	cr_expect_eq(pv_run_exit(f->result), PV_EXIT_FAILED);
	fixture_free(f);
}

Test(control, a_health_check_that_looked_at_nothing_ends_the_run)
{
	struct fixture *f = fixture_new("crash pass[1] pass[2]");

	f->opt.workers = 1;
	f->opt.health_check = true;
	f->jobs[0].skip = "needs a board";
	f->jobs[1].plan = f->jobs[2].plan = "other";
	cr_assert_eq(fixture_run(f), 0);
	expect_verdict(f, "pass[1]", PV_SKIP, "fail-fast");
	cr_expect_str_eq(fixture_case(f, "pass[2]")->message, "not run: --health-check after plan/crash");
	fixture_free(f);
}

Test(control, after_a_good_health_check_failures_do_not_end_the_run)
{
	struct fixture *f = with_health_check("pass[1] pass[2] fail pass[3]", 4);

	expect_verdict(f, "pass[2]", PV_PASS, "");
	expect_verdict(f, "pass[3]", PV_PASS, "");
	fixture_free(f);
}

/* ---- known deviations ---- */

static json_object *with_deviation(const struct pv_job *job)
{
	return json_tokener_parse("{\"deviations\":[{\"driver\":\"other\",\"id\":\"X-1\"},"
				  "{\"driver\":\"reference\",\"id\":\"BUG-7\",\"reason\":\"fixed in 6.9\"}]}");
}

Test(deviation, a_known_failure_is_a_skip)
{
	struct fixture *f = fixture_new("fail");

	f->opt.case_json = with_deviation;
	const struct pv_case_result *c = fixture_one(f);
	expect_verdict(f, "fail", PV_SKIP, "known-failure");
	cr_expect_str_eq(c->message, "known failure: BUG-7 (fixed in 6.9)");
	cr_expect(strstr(c->text, "expected 4 records, got 3"), "the failure itself is in the text");
	fixture_free(f);
}

Test(deviation, a_pass_in_spite_of_it_is_a_failure)
{
	struct fixture *f = fixture_new("pass");

	f->opt.case_json = with_deviation;
	fixture_one(f);
	expect_verdict(f, "pass", PV_FAIL, "unexpected-pass");
	fixture_free(f);
}

Test(deviation, does_not_cover_a_crash)
{
	struct fixture *f = fixture_new("crash");

	f->opt.case_json = with_deviation;
	fixture_one(f);
	expect_verdict(f, "crash", PV_ERROR, "crash");
	fixture_free(f);
}

Test(deviation, a_known_failure_hides_no_error_after_it)
{
	struct fixture *f = fixture_new("fail-crash");

	f->opt.case_json = with_deviation;
	fixture_one(f);
	expect_verdict(f, "fail-crash", PV_ERROR, "crash");
	fixture_free(f);
}

/* Each entry of the case says what it covers. */
static json_object *with_narrow_deviations(const struct pv_job *job)
{
	return json_tokener_parse(!strcmp(job->name, "warns[2]")
					  ? "{\"deviations\":[{\"driver\":\"reference\",\"id\":\"BUG-7\",\"says\":"
					    "\"expected 4 records\"},"
					    "{\"driver\":\"reference\",\"id\":\"BUG-8\",\"says\":\"refcount\"}]}"
					  : "{\"deviations\":[{\"driver\":\"reference\",\"id\":\"BUG-7\",\"says\":"
					    "\"expected 4 records\"}]}");
}

Test(deviation, a_known_failure_hides_nothing_that_the_kernel_says)
{
	struct fixture *f = fixture_new("fail warns[1] warns[2] taints");

	f->opt.case_json = with_narrow_deviations;
	fixture_run(f);
	expect_verdict(f, "fail", PV_SKIP, "known-failure");
	expect_verdict(f, "warns[1]", PV_FAIL, "kernel");
	cr_expect_str_eq(fixture_case(f, "warns[1]")->message, "WARNING: CPU: 0 PID: 1 at lib/refcount.c:28");
	expect_verdict(f, "warns[2]", PV_SKIP, "known-failure");
	expect_verdict(f, "taints", PV_FAIL, "taint");
	fixture_free(f);
}

Test(deviation, is_of_one_driver_only)
{
	struct fixture *f = fixture_new("fail");

	f->opt.case_json = with_deviation;
	f->opt.driver = "kernel";
	fixture_one(f);
	expect_verdict(f, "fail", PV_FAIL, "check");
	fixture_free(f);
}

/* ---- time ---- */

Test(timeout, lets_the_agent_clean_up)
{
	struct fixture *f = fixture_new("tidy");

	f->opt.timeout_scale = 0.2;
	const struct pv_case_result *c = fixture_one(f);
	expect_verdict(f, "tidy", PV_ERROR, "timeout");
	cr_expect(c->log && strstr(c->log, "tidied"), "got log '%s'", c->log);
	fixture_free(f);
}

Test(timeout, kills_what_ignores_sigterm)
{
	struct fixture *f = fixture_new("stubborn");

	f->opt.timeout_scale = 0.2;
	double begun = now();
	fixture_one(f);
	expect_verdict(f, "stubborn", PV_ERROR, "timeout");
	cr_expect_gt(now() - begun, 0.45, "SIGKILL came before the grace was over");
	cr_expect_lt(now() - begun, 2.0);
	fixture_free(f);
}

Test(timeout, takes_the_children_of_the_agent_along)
{
	struct fixture *f = fixture_new("children");

	f->opt.timeout_scale = 0.3;
	const struct pv_case_result *c = fixture_one(f);
	cr_assert(c->artefacts[0] && strstr(c->artefacts[0], "/pid"));
	char *pid = fixture_read(c->artefacts[0]);
	cr_expect(fixture_process_gone(atoi(pid)), "process %s is still there", pid);
	free(pid);
	fixture_free(f);
}

Test(timeout, what_an_agent_leaves_running_is_ended_with_it)
{
	struct fixture *f = fixture_new("orphans");
	char file[128];

	snprintf(file, sizeof(file), "%s/orphan", f->scratch);
	setenv("ORPHAN_PID_FILE", file, 1);
	double begun = now();
	fixture_one(f);
	expect_verdict(f, "orphans", PV_PASS, "");
	cr_expect_lt(now() - begun, 5.0, "the run waited for the orphan");
	char *pid = fixture_read(file);
	cr_expect(fixture_process_gone(atoi(pid)), "process %s is still there", pid);
	free(pid);
	fixture_free(f);
}

/* ---- memory ---- */

Test(memory, that_a_case_takes_is_bounded, .timeout = 60)
{
	struct fixture *f = fixture_new("hungry pass");

	f->opt.max_memory_bytes = 64 << 20;
	cr_assert_eq(fixture_run(f), 0);
	expect_verdict(f, "hungry", PV_ERROR, "memory");
	expect_verdict(f, "pass", PV_PASS, "");
	const char *message = fixture_case(f, "hungry")->message;
	cr_expect(strstr(message, " MiB of memory, more than the limit of 64 MiB: stopped in step 4 (wait, line 9)"),
		  "got '%s'", message);
	fixture_free(f);
}

/* ---- interruption ---- */

/* Tests that run in the background inherit an ignored SIGINT, and a run would then ignore it, too. */
static void hear_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

TestSuite(interruption, .init = hear_signals);

static void at_gate(const struct fixture *f, char out[256])
{
	fixture_path(f, "cases/0001-plan-gate/at-gate", out);
}

static bool wait_for_step(const struct fixture *f)
{
	char path[256];
	bool heard = false;

	fixture_path(f, "journal.jsonl", path);
	cr_assert(fixture_wait_for_file(path), "the run did not begin");
	for (int i = 0; i < 1000 && !heard; i++) {
		char *journal = fixture_read(path);

		heard = strstr(journal, "\"kind\":\"wait\"");
		free(journal);
		usleep(heard ? 0 : 10000);
	}
	return heard;
}

/* A run that has passed one case and is in the second, in a process of its own. */
static int run_to_the_gate(struct fixture *f)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/open", f->scratch);
	setenv("GATE", file, 1);
	f->opt.workers = 1;
	int pid = fixture_run_in_child(f);
	at_gate(f, file);
	cr_assert(fixture_wait_for_file(file), "the case did not begin");
	cr_assert(wait_for_step(f), "the runner did not hear of it");
	return pid;
}

static void open_gate(const struct fixture *f)
{
	char gate[256];

	snprintf(gate, sizeof(gate), "%s/open", f->scratch);
	fclose(fopen(gate, "w"));
}

Test(interruption, leaves_a_result_of_what_was_done)
{
	struct fixture *f = fixture_new("pass gate pass[2]");
	int status, pid = run_to_the_gate(f);

	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the journal was not completed");
	fixture_load(f);
	expect_verdict(f, "pass", PV_PASS, "");
	expect_verdict(f, "gate", PV_ERROR, "incomplete");
	cr_expect_str_eq(fixture_case(f, "gate")->message, "interrupted by SIGINT, in step 3 (wait, line 17)");
	expect_verdict(f, "pass[2]", PV_ERROR, "not-run");
	cr_expect_str_eq(fixture_case(f, "pass[2]")->message, "not run: interrupted by SIGINT");
	cr_expect(f->result->interrupted);
	cr_expect_eq(pv_run_exit(f->result), PV_EXIT_UNJUDGED);
	fixture_free(f);
}

/* An interrupted case is not at fault, and the user wants the run to end. */
Test(interruption, is_no_error_to_be_tried_again)
{
	struct fixture *f = fixture_new("pass gate pass[2]");

	f->opt.retry_errors = 2;
	int pid = run_to_the_gate(f);
	kill(pid, SIGINT);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "gate", PV_ERROR, "incomplete");
	cr_expect_str_eq(fixture_case(f, "gate")->message, "interrupted by SIGINT, in step 3 (wait, line 17)");
	cr_expect_eq(fixture_case(f, "gate")->n_attempts, 0);
	cr_expect(fixture_case(f, "gate")->interrupted);
	fixture_free(f);
}

/* Its time was up before that, and there is no further attempt to reach one. */
Test(interruption, leaves_the_verdict_of_a_case_that_was_to_be_tried_again, .timeout = 60)
{
	struct fixture *f = fixture_new("stubborn");

	f->opt.retry_errors = 1;
	f->opt.grace_ms = 2000;
	int pid = fixture_run_in_child(f);
	cr_assert(wait_for_step(f), "the runner did not hear of the case");
	usleep(1800000);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "stubborn", PV_ERROR, "timeout");
	cr_expect_eq(fixture_case(f, "stubborn")->n_attempts, 0);
	cr_expect_not(fixture_case(f, "stubborn")->interrupted);
	cr_expect(f->result->interrupted);
	fixture_free(f);
}

Test(interruption, is_not_what_a_run_that_goes_on_has)
{
	struct fixture *f = fixture_new("pass gate pass[2]");
	int pid = run_to_the_gate(f);

	fixture_load(f);
	cr_expect(f->result->running);
	cr_expect_not(f->result->interrupted);
	cr_expect_str_eq(fixture_case(f, "gate")->message, "the run goes on: this case was in step 3 (wait, line 17)");
	cr_expect_str_eq(fixture_case(f, "pass[2]")->message, "not run yet: the run goes on");
	open_gate(f);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	cr_expect_not(f->result->running);
	expect_verdict(f, "gate", PV_PASS, "");
	fixture_free(f);
}

Test(interruption, works_by_sigterm_too)
{
	struct fixture *f = fixture_new("pass gate");
	int pid = run_to_the_gate(f);

	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	cr_expect_str_eq(fixture_case(f, "gate")->message, "interrupted by SIGTERM, in step 3 (wait, line 17)");
	fixture_free(f);
}

Test(interruption, of_a_run_under_nohup_is_not_by_sighup)
{
	struct fixture *f = fixture_new("pass gate");

	signal(SIGHUP, SIG_IGN);
	int pid = run_to_the_gate(f);
	kill(pid, SIGHUP);
	open_gate(f);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "gate", PV_PASS, "");
	cr_expect_not(f->result->interrupted);
	fixture_free(f);
}

/* Some supervisors start their children so. */
Test(interruption, is_not_needed_where_the_ends_of_children_are_ignored, .timeout = 20)
{
	struct fixture *f = fixture_new("pass crash");

	signal(SIGCHLD, SIG_IGN);
	cr_assert_eq(fixture_run(f), 0);
	expect_verdict(f, "pass", PV_PASS, "");
	expect_verdict(f, "crash", PV_ERROR, "crash");
	fixture_free(f);
}

Test(interruption, twice_does_not_wait)
{
	struct fixture *f = fixture_new("pass stubborn");

	f->jobs[1].timeout_s = 60;
	f->opt.workers = 1;
	f->opt.grace_ms = 60000;
	int pid = fixture_run_in_child(f);
	char folder[256];
	fixture_path(f, "cases/0001-plan-stubborn", folder);
	cr_assert(fixture_wait_for_file(folder));
	double begun = now();
	usleep(50000);
	kill(pid, SIGINT);
	usleep(50000);
	kill(pid, SIGINT);
	waitpid(pid, NULL, 0);
	cr_expect_lt(now() - begun, 5.0);
	fixture_load(f);
	expect_verdict(f, "stubborn", PV_ERROR, "incomplete");
	fixture_free(f);
}

/* The time in which the runner was stopped was the case's: what had long been said was not heard. */
Test(interruption, by_sigstop_is_not_the_time_of_the_case, .timeout = 60)
{
	struct fixture *f = fixture_new("pass gate pass[2]");

	f->jobs[1].timeout_s = 2;
	int pid = run_to_the_gate(f);
	kill(pid, SIGSTOP);
	usleep(3000000);
	kill(pid, SIGCONT);
	usleep(300000);
	open_gate(f);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "gate", PV_PASS, "");
	cr_expect_lt(fixture_case(f, "gate")->seconds, 2.5);
	expect_verdict(f, "pass[2]", PV_PASS, "");
	fixture_free(f);
}

Test(interruption, by_sigstop_does_not_end_the_timeout, .timeout = 60)
{
	struct fixture *f = fixture_new("pass gate");

	f->jobs[1].timeout_s = 2;
	int pid = run_to_the_gate(f);
	kill(pid, SIGSTOP);
	usleep(500000);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "gate", PV_ERROR, "timeout");
	fixture_free(f);
}

/* The clock of such a case began in the future, and its length was that of an age. */
Test(interruption, of_the_runner_costs_a_case_no_more_than_it_lost)
{
	struct pv_worker before = {.state = PV_WORKER_RUNS, .begun_ms = 1000, .deadline_ms = 6000};
	struct pv_worker within = {.state = PV_WORKER_RUNS, .begun_ms = 2400, .deadline_ms = 7400};

	pv_worker_shift(&before, 2000, 2500);
	pv_worker_shift(&within, 2000, 2500);
	cr_expect_eq(before.begun_ms, 1500);
	cr_expect_eq(before.deadline_ms, 6500);
	cr_expect_eq(within.begun_ms, 2500);
	cr_expect_eq(within.deadline_ms, 7500);
}

Test(interruption, by_sigkill_leaves_a_loadable_folder)
{
	struct fixture *f = fixture_new("pass gate pass[2]");
	int pid = run_to_the_gate(f);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fixture_load(f);
	expect_verdict(f, "pass", PV_PASS, "");
	expect_verdict(f, "gate", PV_ERROR, "incomplete");
	cr_expect_str_eq(fixture_case(f, "gate")->message,
			 "the run ended while this case was in step 3 (wait, line 17)");
	expect_verdict(f, "pass[2]", PV_ERROR, "not-run");
	cr_expect(f->result->interrupted);
	fixture_free(f);
}

/* ---- few descriptors ---- */

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void leave_files(unsigned n)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = open_files() + n;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* The runner span for ever on poll(EINVAL), deaf to all signals. */
Test(descriptors, that_are_too_few_make_fewer_workers, .timeout = 60)
{
	struct fixture *f = fixture_new("pass[1] pass[2] pass[3] pass[4] pass[5] pass[6] pass[7] pass[8] pass[9]");

	f->opt.workers = 9;
	leave_files(22);
	cr_assert_eq(fixture_run(f), 0, "%s", f->error.text);
	cr_expect_eq(f->result->count[PV_PASS], 9);
	cr_expect(strstr(f->shown, "2 cases at a time, not 9: there may be no more open files (ulimit -n)"), "got '%s'",
		  f->shown);
	fixture_free(f);
}

Test(descriptors, that_are_too_few_for_a_case_end_the_run, .timeout = 60)
{
	struct fixture *f = fixture_new("pass");

	leave_files(8);
	cr_expect_eq(fixture_run(f), -EMFILE);
	cr_expect(strstr(f->error.text, "raise `ulimit -n`"), "got '%s'", f->error.text);
	fixture_free(f);
}

Test(descriptors, poll_that_fails_ends_the_run, .timeout = 60)
{
	struct fixture *f = fixture_new("pass gate");
	int status, pid = run_to_the_gate(f);

	cr_assert_eq(prlimit(pid, RLIMIT_NOFILE, &(struct rlimit){3, 3}, NULL), 0);
	kill(pid, SIGWINCH);
	waitpid(pid, &status, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "got %x", status);
	fixture_load(f);
	expect_verdict(f, "gate", PV_ERROR, "incomplete");
	cr_expect(strstr(fixture_case(f, "gate")->message, "the cases cannot be waited for: poll: Invalid argument"),
		  "got '%s'", fixture_case(f, "gate")->message);
	fixture_free(f);
}

/* A program may run cases more than once: the second run's journal had the number of stdin, and the run closed it. */
Test(descriptors, of_the_standard_streams_stay_open)
{
	struct fixture *f = fixture_new("pass");
	struct stat before, after;

	cr_assert(!fstat(STDIN_FILENO, &before));
	cr_expect(!fixture_run(f), "%s", f->error.text);
	cr_assert(!fstat(STDIN_FILENO, &after), "stdin is closed");
	cr_expect(before.st_dev == after.st_dev && before.st_ino == after.st_ino, "stdin is another file");
	fixture_free(f);
}

/* ---- a full disk ---- */

/* The limit on file sizes stands in for a disk that is full: settings and cases fit, the journal does not. */
Test(full_disk, ends_the_run_and_says_so)
{
	struct fixture *f = fixture_new("long-text[1] long-text[2] long-text[3] pass");

	f->opt.workers = 1;
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){1500000, RLIM_INFINITY});
	int err = fixture_run(f);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	cr_expect_eq(err, -EFBIG);
	cr_expect(strstr(f->error.text, "the results cannot be written"), "got '%s'", f->error.text);
	expect_verdict(f, "long-text[1]", PV_FAIL, "check");
	expect_verdict(f, "long-text[2]", PV_ERROR, "incomplete");
	expect_verdict(f, "pass", PV_ERROR, "not-run");
	fixture_free(f);
}

Test(full_disk, leaves_a_case_without_a_folder_its_verdict)
{
	struct fixture *f = fixture_new("pass");
	struct pv_run_folder folder;
	char path[256];

	f->opt.retry_errors = 1;
	cr_assert_eq(pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &folder, &f->error), 0);
	fixture_path(f, "cases/0000-plan-pass", path);
	cr_assert_eq(mkdir(path, 0777), 0);
	cr_expect_eq(pv_run(&folder, &f->opt, f->jobs, f->n, &f->error), -EEXIST);
	pv_run_folder_free(&folder);
	fixture_load(f);
	expect_verdict(f, "pass", PV_ERROR, "infrastructure");
	cr_expect_eq(fixture_case(f, "pass")->n_attempts, 0);
	fixture_free(f);
}
