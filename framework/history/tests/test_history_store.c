/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a history: files that are none, damage, several processes, a full disk. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "framework/history/tests/runs.h"
#include "framework/util/cleanup.h"

TestSuite(history, .init = begin, .fini = end);

/* ---- files that are no history ---- */

static void write_at(off_t offset, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY);

	cr_assert_eq(pwrite(fd, bytes, n, offset), (ssize_t)n);
	close(fd);
}

/* Opening the file must fail with `code` and a message that contains `text`, for reading and for writing. */
static void expect_refused(int code, const char *text)
{
	for (int create = 0; create < 2; create++) {
		struct pv_history other;
		int err = pv_history_open(&other, path, create, &e);

		cr_expect_eq(err, code, "create %d: got %d: %s", create, err, e.text);
		cr_expect(strstr(e.text, text), "expected '%s', got '%s'", text, e.text);
		pv_history_close(&other);
	}
}

Test(history, a_text_is_none)
{
	pv_history_close(&h);
	cr_assert_eq(truncate(path, 0), 0);
	write_at(0,
		 "once upon a time there was a file of more than a hundred bytes, which began like no database that "
		 "ever was seen",
		 110);
	expect_refused(-EINVAL, "it is no history of runs");
}

Test(history, another_database_is_none)
{
	cr_assert_eq(sqlite3_exec(h.db, "PRAGMA application_id = 7", NULL, NULL, NULL), SQLITE_OK);
	expect_refused(-EINVAL, "it is no history of runs; `pcieval history add` makes one");
}

Test(history, a_later_version_is_refused)
{
	cr_assert_eq(sqlite3_exec(h.db, "PRAGMA user_version = 2", NULL, NULL, NULL), SQLITE_OK);
	expect_refused(-EINVAL, "expected a history of version 1, got 2");
}

Test(history, damage_is_found_before_anything_is_said)
{
	char rubbish[64];

	memset(rubbish, 0x5a, sizeof(rubbish));
	for (int i = 0; i < 40; i++) {
		struct pv_run_result *r = run_of(i);

		for (int k = 0; k < 20; k++) {
			char name[16];

			snprintf(name, sizeof(name), "c%d", k);
			result_add(r, "p", name, PV_PASS);
		}
		add(r);
	}
	pv_history_close(&h);
	off_t size = lseek(open(path, O_RDONLY), 0, SEEK_END);
	for (off_t at = 8192; at + (off_t)sizeof(rubbish) < size; at += 4096)
		write_at(at, rubbish, sizeof(rubbish));
	expect_refused(-EINVAL, "it is damaged");
}

Test(history, a_file_that_is_cut_is_damaged)
{
	add_days("PFPFPFPF");
	pv_history_close(&h);
	cr_assert_eq(truncate(path, 8192 + 100), 0);
	expect_refused(-EINVAL, "it is damaged");
}

Test(history, a_file_that_is_not_there_is_made_only_to_add)
{
	struct pv_history other;

	unlink(path);
	cr_expect_eq(pv_history_open(&other, path, false, &e), -ENOENT, "%s", e.text);
	pv_history_close(&other);
	cr_expect(access(path, F_OK));
	cr_expect_eq(pv_history_open(&other, path, true, &e), 0);
	pv_history_close(&other);
	cr_expect_not(access(path, F_OK));
}

/* ---- files that were not made to the end ---- */

/* Makes the file anew, with these statements in it. */
static void begin_file(const char *sql)
{
	sqlite3 *db;

	pv_history_close(&h);
	unlink(path);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* Earlier versions wrote these one by one, and could be killed after any. */
Test(history, what_is_missing_in_a_file_is_made)
{
	static const char *const begun[] = {"", "PRAGMA application_id = 1885554038",
					    "PRAGMA application_id = 1885554038; PRAGMA user_version = 1",
					    "PRAGMA application_id = 1885554038; PRAGMA user_version = 1;"
					    "CREATE TABLE test(id INTEGER PRIMARY KEY, plan TEXT NOT NULL, name TEXT "
					    "NOT NULL, UNIQUE(plan, name))"};

	for (size_t i = 0; i < ARRAY_SIZE(begun); i++) {
		begin_file(begun[i]);
		cr_expect_eq(pv_history_open(&h, path, false, &e), -EINVAL);
		cr_expect(strstr(e.text, "it is no history of runs; `pcieval history add` makes one"), "%s", e.text);
		pv_history_close(&h);
		cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%zu: %s", i, e.text);
		add_days("PF");
		cr_expect_eq(only_case().results, 2);
	}
	begin_file("PRAGMA application_id = 1885554038; PRAGMA user_version = 2");
	expect_refused(-EINVAL, "expected a history of version 1, got 2");
}

static void limit_files(rlim_t bytes, struct rlimit *old)
{
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, old);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, old->rlim_max});
}

Test(history, a_file_for_which_there_is_no_room_is_not_half_made)
{
	struct rlimit old;

	begin_file("");
	limit_files(10000, &old);
	cr_expect_eq(pv_history_open(&h, path, true, &e), -EIO, "%s", e.text);
	setrlimit(RLIMIT_FSIZE, &old);
	pv_history_close(&h);
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_size, 0);
}

/* Each process makes the file unless another was faster, and adds a run. */
Test(history, several_processes_make_one_file)
{
	enum { PROCESSES = 8 };
	int status, ready[2];

	for (int round = 0; round < 5; round++) {
		begin_file("");
		cr_assert_eq(pipe(ready), 0);
		for (int i = 0; i < PROCESSES; i++) {
			if (fork())
				continue;
			close(ready[1]);
			(void)!read(ready[0], &status, 1);
			struct pv_run_result *r = run_of(i);
			bool known;
			int err = pv_history_open(&h, path, true, &e);
			_exit(err || pv_history_add(&h, r, &known, &e));
		}
		close(ready[0]);
		close(ready[1]);
		for (int i = 0; i < PROCESSES; i++)
			cr_expect(wait(&status) > 0 && !status, "%d", status);
		cr_assert_eq(pv_history_open(&h, path, false, &e), 0, "%s", e.text);
		cr_expect_eq(n_runs(0), PROCESSES);
	}
}

/* ---- several processes, and a full disk ---- */

Test(history, a_second_writer_waits_and_is_told)
{
	struct pv_history other;
	struct pv_run_result *r = run_of(0);
	bool known;

	cr_assert_eq(pv_history_open(&other, path, true, &e), 0);
	sqlite3_busy_timeout(other.db, 10);
	cr_assert_eq(sqlite3_exec(h.db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	cr_expect_eq(pv_history_add(&other, r, &known, &e), -EBUSY);
	cr_expect(strstr(e.text, "another process is writing to it"), "got '%s'", e.text);
	sqlite3_exec(h.db, "COMMIT", NULL, NULL, NULL);
	cr_expect_eq(pv_history_add(&other, r, &known, &e), 0, "%s", e.text);
	pv_history_close(&other);
	pv_run_result_free(r);
}

/* Writes into the file, begins a transaction that is too large for memory, and is killed. */
static void be_killed(void)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) ||
	    sqlite3_exec(db,
			 "PRAGMA cache_size = 1; BEGIN; DELETE FROM result; CREATE TABLE more (data);"
			 "INSERT INTO more VALUES (zeroblob(1000000)); INSERT INTO more SELECT * FROM more;",
			 NULL, NULL, NULL))
		_exit(1);
	kill(getpid(), SIGKILL);
}

/* Leaves a history of one result, and the journal of a killed writer. */
static void leave_journal(char journal[80])
{
	int status;
	pid_t child;

	add_days("P");
	pv_history_close(&h);
	snprintf(journal, 80, "%s-journal", path);
	child = fork();
	if (!child)
		be_killed();
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status) && !access(journal, F_OK));
}

Test(history, a_reader_undoes_what_a_killed_writer_has_begun)
{
	char journal[80];

	leave_journal(journal);
	cr_assert_eq(pv_history_open(&h, path, false, &e), 0, "%s", e.text);
	cr_expect_eq(only_case().results, 1);
	cr_expect_eq(access(journal, F_OK), -1);
}

Test(history, a_reader_undoes_nothing_behind_a_link_of_another_user)
{
	char journal[80], theirs[80];

	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	leave_journal(journal);
	snprintf(theirs, sizeof(theirs), "%s-theirs", path);
	cr_assert_eq(symlink(path, theirs) || lchown(theirs, 1234, 1234), 0);
	cr_expect_eq(pv_history_open(&h, theirs, false, &e), -EACCES, "%s", e.text);
	cr_expect_eq(access(journal, F_OK), 0);
	cr_expect_eq(unlink(theirs) || unlink(journal), 0);
}

Test(history, a_run_for_which_there_is_no_room_is_not_half_there)
{
	struct pv_run_result *r = run_of(9);
	struct rlimit old;
	bool known;

	add_days("P");
	for (int i = 0; i < 2000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "case-%d", i);
		result_add(r, "p", name, PV_PASS);
	}
	limit_files(40000, &old);
	int err = pv_history_add(&h, r, &known, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	cr_expect_eq(err, -EIO, "got %d: %s", err, e.text);
	cr_expect_eq(n_runs(0), 1);
	cr_expect_eq(only_case().results, 1);
	cr_expect_eq(pv_history_add(&h, r, &known, &e), 0, "then there is: %s", e.text);
	pv_run_result_free(r);
}
