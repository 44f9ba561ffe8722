/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache: a file is made once by any number of processes, made again if it is damaged, and removed when it is old.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/cache.h"
#include "framework/util/file.h"

static char folder[64];

static void set_up(void)
{
	strcpy(folder, "/tmp/pcieval-cache-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void tear_down(void)
{
	pv_remove_all(folder);
}

TestSuite(cache, .init = set_up, .fini = tear_down, .timeout = 60);

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* ---- a user whose files say "whole" ---- */

struct user {
	unsigned made, used;
	int fails; /* what make() returns */
	void (*during)(const char *path);
};

static bool use(void *ctx, int fd)
{
	char text[8] = "";
	bool good = read(fd, text, sizeof(text) - 1) == 5 && !strcmp(text, "whole");

	((struct user *)ctx)->used += good;
	close(fd);
	return good;
}

static int make(void *ctx, const char *path, struct pv_error *e)
{
	struct user *u = ctx;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	u->made++;
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "who", 3), 3);
	if (u->during)
		u->during(path);
	cr_assert_eq(write(fd, "le", 2), 2);
	close(fd);
	return u->fails ? pv_error(e, u->fails, "no") : 0;
}

static int get(struct user *u, const char *name)
{
	struct pv_error e = {0};

	return pv_cache_get(folder, name, &(struct pv_cache_user){u, use, make}, &e);
}

static void put_file(const char *name, const char *text, int days_ago)
{
	const struct timespec then = {time(NULL) - days_ago * 86400, 0}, times[2] = {then, then};
	struct pv_error e = {0};

	cr_assert_eq(pv_file_write(in_folder(name), text, strlen(text), &e), 0, "%s", e.text);
	cr_assert_eq(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static bool there(const char *name)
{
	return !access(in_folder(name), F_OK);
}

/* ---- getting ---- */

Test(cache, makes_a_file_once)
{
	struct user u = {0};

	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(u.made, 1);
	cr_expect_eq(u.used, 2);
	cr_expect(!there("one.part"));
}

Test(cache, makes_its_folder)
{
	struct user u = {0};

	strcat(folder, "/deeper/still");
	cr_expect_eq(get(&u, "one"), 0);
	*strstr(folder, "/deeper") = 0;
}

Test(cache, makes_what_is_damaged_anew)
{
	struct user u = {0};

	put_file("one", "who", 0);
	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(u.made, 1);
	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(u.made, 1);
}

Test(cache, leaves_nothing_of_what_could_not_be_made)
{
	struct user u = {.fails = -EIO};

	cr_expect_eq(get(&u, "one"), -EIO);
	cr_expect(!there("one"));
	cr_expect(!there("one.part"));
	u.fails = 0;
	cr_expect_eq(get(&u, "one"), 0);
}

Test(cache, says_what_folder_it_cannot_make)
{
	struct user u = {0};
	struct pv_error e = {0};

	put_file("file", "", 0);
	strcat(folder, "/file/in");
	cr_expect_lt(pv_cache_get(folder, "one", &(struct pv_cache_user){&u, use, make}, &e), 0);
	cr_expect(strstr(e.text, "/file/in"), "got '%s'", e.text);
	*strstr(folder, "/file") = 0;
}

/* ---- several at a time ---- */

static void slowly(const char *path)
{
	usleep(100000);
}

Test(cache, lets_one_of_several_make_it)
{
	pid_t child[4];
	int status, made = 0;

	for (size_t i = 0; i < 4; i++) {
		child[i] = fork();
		if (!child[i]) {
			struct user u = {.during = slowly};

			_exit(get(&u, "one") || u.used != 1 ? 99 : (int)u.made);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "status 0x%x", status);
		made += WEXITSTATUS(status);
	}
	cr_expect_eq(made, 1);
}

static void die(const char *path)
{
	kill(getpid(), SIGKILL);
}

Test(cache, is_not_spoilt_by_a_maker_that_was_killed)
{
	int status;
	struct user u = {0};
	pid_t child = fork();

	if (!child) {
		struct user victim = {.during = die};

		get(&victim, "one");
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFSIGNALED(status));
	cr_expect(!there("one"));
	cr_expect(there("one.part"), "it was killed in the middle");
	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(u.made, 1);
	cr_expect(!there("one.part"));
}

/* ---- keeping ---- */

Test(cache, drops_what_was_used_long_ago)
{
	struct user u = {0};

	put_file("old", "whole", 31);
	put_file("young", "whole", 29);
	put_file("left.part", "who", 31);
	cr_expect_eq(get(&u, "new"), 0);
	cr_expect(!there("old"));
	cr_expect(!there("left.part"));
	cr_expect(there("young"));
	cr_expect(there("new"));
}

Test(cache, keeps_what_is_used)
{
	struct user u = {0};

	put_file("old", "whole", 31);
	cr_expect_eq(get(&u, "old"), 0);
	cr_expect_eq(get(&u, "new"), 0);
	cr_expect(there("old"));
}

Test(cache, keeps_so_many_bytes)
{
	put_file("a", "whole", 3);
	put_file("b", "whole", 1);
	put_file("c", "whole", 2);
	pv_cache_prune(folder, 2 * strlen("whole"), 30);
	cr_expect(!there("a"));
	cr_expect(there("b"));
	cr_expect(there("c"));
}

Test(cache, removes_old_files_however_many_they_are)
{
	char name[16];

	for (unsigned i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		put_file(name, "whole", i % 2 ? 31 : 1);
	}
	pv_cache_prune(folder, UINT64_MAX, 30);
	for (unsigned i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		cr_expect_eq(there(name), i % 2 == 0, "%s", name);
	}
}

Test(cache, leaves_alone_what_another_is_making)
{
	put_file("busy", "whole", 31);
	put_file("busy.lock", "", 31);
	int fd = open(in_folder("busy.lock"), O_RDWR);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	pv_cache_prune(folder, 2 * strlen("whole"), 30);
	cr_expect(there("busy"));
	close(fd);
	pv_cache_prune(folder, 2 * strlen("whole"), 30);
	cr_expect(!there("busy"));
	cr_expect(!there("busy.lock"));
}

Test(cache, forgets_what_is_no_good)
{
	struct user u = {0};

	cr_expect_eq(get(&u, "one"), 0);
	pv_cache_drop(folder, "one");
	cr_expect(!there("one"));
	cr_expect(!there("one.lock"));
	cr_expect_eq(get(&u, "one"), 0);
	cr_expect_eq(u.made, 2);
}
