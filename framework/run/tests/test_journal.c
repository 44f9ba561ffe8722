/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal of a run: cut, damaged, or with what cannot be. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/run/journal.h"
#include "framework/run/tests/run_fixture.h"
#include "framework/util/file.h"
#include "reports/terminal.h"
#include "reports/writers.h"

static void put(const char *path, const char *text, size_t n)
{
	struct pv_error e;

	cr_assert_eq(pv_file_write(path, text, n, &e), 0, "%s", e.text);
}

/* A link of another user in a folder like /tmp, to a folder of ours. */
Test(journal, is_not_claimed_where_others_want_it)
{
	char folder[] = "/tmp/pcieval-journal-XXXXXX", ours[64], theirs[64], path[96];

	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	cr_assert(mkdtemp(folder));
	snprintf(ours, sizeof(ours), "%s/ours", folder);
	snprintf(theirs, sizeof(theirs), "%s/theirs", folder);
	cr_assert_eq(chmod(folder, 01777) || mkdir(ours, 0777) || symlink("ours", theirs) || lchown(theirs, 1234, 1234),
		     0);
	cr_expect_eq(pv_journal_claim(theirs), -EPERM);
	snprintf(path, sizeof(path), "%s/" PV_JOURNAL_FILE, ours);
	cr_expect_neq(access(path, F_OK), 0);
	int fd = pv_journal_claim(ours);
	cr_expect_geq(fd, 0);
	close(fd);
	pv_remove_all(folder);
}

/* A journal that is cut off at any byte loses no case and improves no verdict. */
Test(journal, may_end_at_any_byte)
{
	struct fixture *f = fixture_new("pass fail crash");

	f->opt.workers = 1;
	fixture_run(f);
	char path[256];
	fixture_path(f, PV_JOURNAL_FILE, path);
	char *whole = fixture_read(path);
	size_t n = strlen(whole), judged = 0;
	for (size_t cut = 0; cut <= n; cut++) {
		put(path, whole, cut);
		fixture_load(f);
		const size_t *count = f->result->count;
		cr_assert_eq(f->result->n_cases, 3);
		cr_assert_eq(f->result->damaged, 0, "%zu bytes", cut);
		cr_assert_eq(count[PV_PASS] + count[PV_FAIL] + count[PV_ERROR], 3);
		cr_assert(fixture_case(f, "fail")->verdict != PV_PASS && fixture_case(f, "crash")->verdict == PV_ERROR);
		cr_assert_geq(count[PV_PASS] + count[PV_FAIL], judged, "a longer journal judged fewer cases");
		judged = count[PV_PASS] + count[PV_FAIL];
	}
	cr_expect_eq(judged, 2);
	cr_expect_not(f->result->interrupted);
	free(whole);
	fixture_free(f);
}

Test(journal, what_makes_no_sense_in_it_changes_nothing)
{
	static const char nonsense[] = "not json\n[]\n{}\n{\"ev\":\"verdict\",\"case\":99,\"verdict\":\"pass\"}\n"
				       "{\"ev\":\"verdict\",\"case\":-1,\"verdict\":\"pass\"}\n"
				       "{\"ev\":\"verdict\",\"verdict\":\"pass\"}\n"
				       "{\"ev\":\"verdict\",\"case\":0,\"verdict\":\"splendid\"}\n"
				       "{\"ev\":\"verdict\",\"case\":0,\"verdict\":\"pass\"} {}\n"
				       "{\"ev\":7,\"case\":\"x\"}\n{\"ev\":\"step\",\"case\":0,\"n\":\"x\"}\n";
	struct fixture *f = fixture_new("pass");

	fixture_run(f);
	char path[256];
	fixture_path(f, PV_JOURNAL_FILE, path);
	put(path, nonsense, sizeof(nonsense) - 1);
	fixture_load(f);
	cr_expect_eq(f->result->cases[0].verdict, PV_ERROR);
	cr_expect_str_eq(f->result->cases[0].type, "not-run");
	cr_expect_eq(f->result->damaged, 9, "got %zu", f->result->damaged);
	fixture_free(f);
}

static void append(const struct fixture *f, const char *lines)
{
	char path[256];

	fixture_path(f, PV_JOURNAL_FILE, path);
	int fd = open(path, O_WRONLY | O_APPEND);
	cr_assert_eq(write(fd, lines, strlen(lines)), (ssize_t)strlen(lines));
	close(fd);
}

/* A failure does not become a pass by what somebody writes behind it. */
Test(journal, a_second_verdict_of_a_case_is_damage)
{
	struct fixture *f = fixture_new("fail pass");

	fixture_run(f);
	append(f, "{\"ev\":\"verdict\",\"case\":0,\"verdict\":\"pass\"}\n"
		  "{\"ev\":\"attempt\",\"case\":1,\"verdict\":\"error\",\"type\":\"crash\"}\n");
	fixture_load(f);
	cr_expect_eq(f->result->cases[0].verdict, PV_FAIL);
	cr_expect_str_eq(f->result->cases[0].message, "expected 4 records, got 3");
	cr_expect_eq(f->result->cases[1].n_attempts, 0);
	cr_expect_eq(f->result->count[PV_PASS], 1);
	cr_expect_eq(f->result->count[PV_FAIL], 1);
	cr_expect_eq(f->result->damaged, 2, "got %zu", f->result->damaged);
	fixture_free(f);
}

/* As --resume --again has it: what counts is the last time that the case began, and nothing of the time before. */
Test(journal, a_case_that_began_again_has_nothing_of_the_time_before)
{
	struct fixture *f = fixture_new("rules fail");

	fixture_run(f);
	append(f, "{\"ev\":\"resume\"}\n{\"ev\":\"start\",\"case\":0}\n"
		  "{\"ev\":\"verdict\",\"case\":0,\"verdict\":\"pass\",\"figures\":[\"rate 2\"],"
		  "\"rules\":[{\"rule\":\"CP-1\",\"message\":\"m\",\"count\":7}]}\n"
		  "{\"ev\":\"start\",\"case\":1}\n{\"ev\":\"end\"}\n");
	fixture_load(f);
	const struct pv_case_result *c = &f->result->cases[0];
	cr_expect_eq(c->verdict, PV_PASS);
	cr_assert_eq(c->n_rules, 1, "got %zu", (size_t)c->n_rules);
	cr_expect_str_eq(c->rules[0].rule, "CP-1");
	cr_assert_not_null(c->figures);
	cr_expect_str_eq(c->figures[0], "rate 2");
	cr_expect_eq(f->result->cases[1].verdict, PV_ERROR);
	cr_expect_str_eq(f->result->cases[1].type, "incomplete");
	cr_expect_null(strstr(f->result->cases[1].text, "second"), "got '%s'", f->result->cases[1].text);
	cr_expect_eq(f->result->damaged, 0);
	fixture_free(f);
}

Test(journal, damage_is_told)
{
	const struct pv_terminal_style style = {0};
	struct fixture *f = fixture_new("pass");
	char *shown = NULL, *junit = NULL, to[256];
	size_t n;

	fixture_run(f);
	cr_expect_eq(f->result->damaged, 0);
	append(f, "\x01\x02garbage\n{\"ev\":\"verdict\",\"case\":0,\n");
	fixture_load(f);
	cr_expect_eq(f->result->damaged, 2);
	FILE *out = open_memstream(&shown, &n);
	pv_terminal_summary(f->result, &style, out);
	fclose(out);
	cr_expect(strstr(shown, "2 damaged lines of the journal were skipped"), "got '%s'", shown);
	fixture_path(f, "r.xml", to);
	cr_expect_eq(pv_junit_write(f->result, to, &f->error), 0);
	junit = fixture_read(to);
	cr_expect(strstr(junit, "name=\"journal lines passed over\" value=\"2\""), "got '%s'", junit);
	free(shown);
	free(junit);
	fixture_free(f);
}

Test(journal, a_write_that_fails_is_remembered)
{
	struct pv_journal j = {.fd = open("/dev/full", O_WRONLY)};

	pv_journal_add(&j, "start", 0, json_object_new_object());
	cr_expect_eq(j.err, -ENOSPC);
	cr_expect_eq(pv_journal_close(&j), -ENOSPC);
}

static bool take_nothing(void *ctx, json_object *o)
{
	return false;
}

Test(journal, the_length_of_a_line_is_limited)
{
	struct fixture *f = fixture_new("pass");
	struct pv_error e = {0};
	char path[256];
	size_t damaged = 0;

	fixture_run(f);
	fixture_path(f, PV_JOURNAL_FILE, path);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink("/dev/zero", path), 0);
	*strrchr(path, '/') = '\0';
	cr_expect_eq(pv_journal_read(path, take_nothing, NULL, &damaged, &e), -EFBIG);
	cr_expect(strstr(e.text, PV_JOURNAL_FILE ": cannot be read: File too large"), "got '%s'", e.text);
	fixture_free(f);
}
