/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written at once or in pieces: whole or not at all, however the program ends. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"

static char scratch[64];

static void set_up(void)
{
	strcpy(scratch, "/tmp/pcieval-file-XXXXXX");
	cr_assert_not_null(mkdtemp(scratch));
	cr_assert_eq(chdir(scratch), 0);
}

static void tear_down(void)
{
	cr_assert_eq(chdir("/"), 0);
	pv_remove_all(scratch);
}

TestSuite(file, .init = set_up, .fini = tear_down);
TestSuite(new_file, .init = set_up, .fini = tear_down);

static void put(const char *path, const char *text)
{
	struct pv_error e;

	cr_assert_eq(pv_file_write(path, text, strlen(text), &e), 0, "%s", e.text);
}

static void expect_content(const char *path, const char *expected)
{
	char *text = NULL;
	size_t n;
	struct pv_error e;

	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	cr_expect_str_eq(text, expected);
	free(text);
}

static int entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	cr_assert_not_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* A file whose new content is begun. */
static struct pv_new_file begun(const char *path)
{
	struct pv_new_file f;
	struct pv_error e;

	cr_assert_eq(pv_new_file_open(&f, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_write_all(f.fd, "new", 3), 0);
	return f;
}

Test(file, replace_what_was_there)
{
	put("report.xml", "a longer first content");
	put("report.xml", "second");
	expect_content("report.xml", "second");
	cr_expect_eq(entries(), 1, "a temporary file was left behind");
}

Test(file, a_write_that_fails_leaves_the_old_content)
{
	char text[8192];
	struct pv_error e = {0};

	put("report.xml", "old");
	memset(text, 'x', sizeof(text));
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
	int err = pv_file_write("report.xml", text, sizeof(text), &e);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	cr_expect_eq(err, -EFBIG);
	cr_expect(strstr(e.text, "report.xml: cannot be written"), "got '%s'", e.text);
	expect_content("report.xml", "old");
	cr_expect_eq(entries(), 1, "a temporary file was left behind");
}

Test(file, a_full_device_is_an_error)
{
	struct pv_error e = {0};

	cr_expect_eq(pv_file_write("/dev/full", "x", 1, &e), -ENOSPC);
	struct stat st;
	stat("/dev/full", &st);
	cr_expect(S_ISCHR(st.st_mode), "the device was replaced by a file");
}

Test(file, a_link_stays_a_link)
{
	struct stat st;

	put("real.xml", "old");
	cr_assert_eq(symlink("real.xml", "link.xml"), 0);
	put("link.xml", "new");
	expect_content("real.xml", "new");
	cr_assert_eq(lstat("link.xml", &st), 0);
	cr_expect(S_ISLNK(st.st_mode));
}

Test(file, links_may_follow_one_another_but_not_in_a_circle)
{
	struct pv_error e = {0};

	cr_assert_eq(mkdir("a", 0777) || symlink("b", "c.xml") || symlink("a/d.xml", "b") ||
			     symlink("../real.xml", "a/d.xml") || symlink("f.xml", "g.xml") ||
			     symlink("g.xml", "f.xml"),
		     0);
	put("c.xml", "new"); /* what it leads to is not there yet */
	expect_content("real.xml", "new");
	cr_expect_eq(pv_file_write("f.xml", "x", 1, &e), -ELOOP);
	cr_expect_str_eq(e.text, "f.xml: cannot be written: Too many levels of symbolic links");
	cr_expect_eq(symlink("/dev/full", "full"), 0);
	cr_expect_eq(pv_file_write("full", "x", 1, &e), -ENOSPC);
}

/* Another user's links, in a folder as /tmp is: each leads to a file of ours. */
Test(file, foreign_links_are_not_followed)
{
	struct pv_error e = {0};

	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	put("ours.xml", "old");
	cr_assert_eq(mkdir("shared", 0777) || chmod("shared", 01777) || symlink("../ours.xml", "shared/a.xml") ||
			     symlink("../new.xml", "shared/b.xml") || symlink("shared/a.xml", "c.xml") ||
			     symlink("../ours.xml", "shared/d.xml") || lchown("shared/a.xml", 1234, 1234) ||
			     lchown("shared/b.xml", 1234, 1234),
		     0);
	cr_expect_eq(pv_file_write("shared/a.xml", "x", 1, &e), -EPERM);
	cr_expect_str_eq(e.text, "shared/a.xml: cannot be written: it is, or lies behind, a link of another user's "
				 "in a folder that everybody may write to");
	cr_expect_eq(pv_file_check_writable("shared/a.xml", &e), -EPERM);
	cr_expect_eq(pv_file_write("shared/b.xml", "x", 1, &e), -EPERM);
	cr_expect_eq(pv_file_write("c.xml", "x", 1, &e), -EPERM, "a link of ours to one of theirs");
	cr_expect_neq(access("new.xml", F_OK), 0);
	expect_content("ours.xml", "old");
	put("shared/d.xml", "new"); /* a link of ours */
	expect_content("ours.xml", "new");
	cr_assert_eq(lchown("shared", 1234, 1234), 0);
	put("shared/a.xml", "theirs"); /* in a folder of theirs, where they are trusted */
	cr_assert_eq(lchown("shared", 0, 0) || chmod("shared", 0755), 0);
	put("shared/a.xml", "alone"); /* in a folder where nobody else can write */
	expect_content("ours.xml", "alone");
}

/* Also on the way to a file or a folder, and behind a link of ours. */
Test(file, foreign_links_to_folders_are_not_followed)
{
	struct pv_error e = {0};

	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	cr_assert_eq(mkdir("ours", 0777) || mkdir("shared", 0777) || chmod("shared", 01777) ||
			     symlink("../ours", "shared/a") || lchown("shared/a", 1234, 1234) ||
			     symlink("shared/a", "b") || symlink("b/deep", "c") || symlink("../ours", "shared/d"),
		     0);
	static const char *const theirs[] = {"shared/a", "shared/a/", "shared//a/x", "shared/../shared/a/x",
					     "b/x",	 "b/x/y",     "c",	     "./c/y"};
	for (size_t i = 0; i < ARRAY_SIZE(theirs); i++) {
		cr_expect(pv_path_is_foreign(theirs[i]), "%s", theirs[i]);
		cr_expect_eq(pv_mkdir_all(theirs[i], 0777), -EPERM, "%s", theirs[i]);
	}
	cr_expect_eq(pv_file_write("shared/a/x", "x", 1, &e), -EPERM);
	cr_expect(strstr(e.text, "shared/a/x: cannot be written: it is, or lies behind, a link of another user's"),
		  "%s", e.text);
	cr_expect_eq(pv_file_check_writable("b/x", &e), -EPERM);
	cr_expect_eq(entries(), 4, "something was made");
	cr_expect_not(pv_path_is_foreign("shared/d/x"));
	cr_expect_eq(pv_mkdir_all("shared/d/x/y", 0777), 0);
	put("shared/d/x/y/z", "z");
	expect_content("ours/x/y/z", "z");
}

Test(file, a_folder_is_empty_without_entries)
{
	static const char *const ways[] = {"d", "d/", "d/.", "link", "link/"};

	cr_assert_eq(mkdir("d", 0777) || symlink("d", "link"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		cr_expect_eq(pv_folder_check_empty(ways[i], NULL), 0, "%s", ways[i]);
	put("d/.hidden", "");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		cr_expect_eq(pv_folder_check_empty(ways[i], NULL), -ENOTEMPTY, "%s", ways[i]);
	cr_expect_eq(pv_folder_check_empty("d", ".hidden"), 0);
	cr_expect_eq(pv_folder_check_empty("none", NULL), -ENOENT);
	cr_expect_eq(pv_folder_check_empty("d/.hidden", NULL), -ENOTDIR);
}

/* As the kernel: 40 links, links to links, to "..", with slashes at both ends, and those that go round. */
Test(file, links_of_ours_are_followed)
{
	char name[32], to[32];
	struct pv_error e = {0};

	cr_assert_eq(mkdir("a", 0777) || mkdir("a/b", 0777) || symlink("a/b/", "to_b") ||
			     symlink("../../a//b/..", "a/b/up") || symlink("round", "round"),
		     0);
	put("to_b/up/b/file", "x");
	expect_content("a/b/file", "x");
	put("to_b/../file", "y");
	expect_content("a/file", "y");
	cr_expect_eq(pv_file_write("round/file", "x", 1, &e), -ELOOP);
	for (int i = 0; i < 41; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		snprintf(to, sizeof(to), i ? "l%d" : "file", i - 1);
		cr_assert_eq(symlink(to, name), 0);
	}
	put("l39", "far");
	expect_content("file", "far");
	cr_expect_eq(pv_file_write("l40", "x", 1, &e), -ELOOP);
}

Test(file, unwritable_paths_are_found_before)
{
	struct pv_error e = {0};

	cr_expect_eq(pv_file_check_writable(scratch, &e), -EISDIR);
	cr_expect_eq(pv_file_check_writable("absent/report.xml", &e), -ENOENT);
	put("file", "");
	cr_expect_eq(pv_file_check_writable("file/report.xml", &e), -ENOTDIR);
	cr_expect_eq(pv_file_check_writable("report.xml", &e), 0);
	cr_expect_eq(entries(), 1, "the question left a file behind");
}

Test(file, one_place_is_one_by_any_path)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{"new", "new", true},
		{"new", "./new", true},
		{"new", "other", false},
		{"new", "dir/../new", true},
		{"new", "dir/new", false},
		{"dir/new", "to-dir/new", true},
		{"file", "to-file", true},
		{"file", "hard-link", false},
		{"to-nothing", "nothing", true},
		{"file", "absent/file", false},
		{"-", "-", true},
		{"-", "./-", false},
		{"pipe", "./pipe", false},
		{"/dev/null", "null", false},
	};
	char absolute[128];

	put("file", "");
	cr_assert(!mkdir("dir", 0777) && !mkfifo("pipe", 0666) && !link("file", "hard-link"));
	cr_assert(!symlink("dir", "to-dir") && !symlink("file", "to-file") && !symlink("nothing", "to-nothing") &&
		  !symlink("/dev/null", "null"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(pv_file_is_same(rows[i].a, rows[i].b), rows[i].same, "%s, %s", rows[i].a, rows[i].b);
		cr_expect_eq(pv_file_is_same(rows[i].b, rows[i].a), rows[i].same, "%s, %s", rows[i].b, rows[i].a);
	}
	snprintf(absolute, sizeof(absolute), "%s/new", scratch);
	cr_expect(pv_file_is_same(absolute, "new"));
}

Test(new_file, it_is_there_when_it_is_kept_and_not_before)
{
	struct pv_new_file f = begun("a");
	struct pv_error e = {0};
	struct stat st;

	cr_expect_neq(stat("a", &st), 0, "there before it was complete");
	cr_expect_eq(pv_new_file_keep(&f, &e), 0, "%s", e.text);
	expect_content("a", "new");
	cr_expect_eq(entries(), 1, "a temporary file was left behind");
}

Test(new_file, the_old_content_stays_until_then)
{
	put("a", "old");
	struct pv_new_file f = begun("a");
	expect_content("a", "old");
	cr_expect_eq(pv_new_file_keep(&f, NULL), 0);
	expect_content("a", "new");
}

Test(new_file, dropped_nothing_has_happened)
{
	put("a", "old");
	struct pv_new_file f = begun("a"), g = begun("b");
	pv_new_file_drop(&f);
	pv_new_file_drop(&g);
	expect_content("a", "old");
	cr_expect_eq(entries(), 1);
}

/* O_TMPFILE, which file systems for tests have, leaves nothing that would have to be removed. */
Test(new_file, a_killed_program_leaves_nothing)
{
	int status;

	put("a", "old");
	pid_t pid = fork();
	if (!pid) {
		begun("a");
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status));
	expect_content("a", "old");
	cr_expect_eq(entries(), 1);
}

Test(new_file, permissions_stay_as_they_were)
{
	struct stat st;

	put("a", "old");
	cr_assert_eq(chmod("a", 0640), 0);
	put("a", "new");
	cr_assert_eq(stat("a", &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0640, "got %o", st.st_mode & 07777);
	umask(027);
	put("b", "new");
	cr_assert_eq(stat("b", &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0640, "got %o", st.st_mode & 07777);
}

Test(new_file, a_place_that_cannot_be_is_told_at_once)
{
	struct pv_new_file f;
	struct pv_error e;

	put("file", "");
	cr_expect_eq(pv_new_file_open(&f, ".", &e), -EISDIR);
	cr_expect_eq(pv_new_file_open(&f, "absent/a", &e), -ENOENT);
	cr_expect_eq(pv_new_file_open(&f, "file/a", &e), -ENOTDIR);
	cr_expect_eq(pv_new_file_open(&f, "", &e), -ENOENT);
	cr_expect_eq(entries(), 1);
}

/* ---- reading ---- */

/* A program that starts others may give them a socket, which cannot be opened by its name in /dev. */
Test(file, standard_input_is_read_whatever_it_is)
{
	char *text = NULL;
	size_t n = 0;
	int ends[2];
	struct pv_error e = {0};

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	cr_assert_eq(write(ends[1], "a\0b", 3), 3);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	cr_assert_eq(pv_file_read("-", 3, &text, &n, &e), 0, "%s", e.text);
	cr_expect(n == 3 && !memcmp(text, "a\0b", 4));
	free(text);
	close(STDIN_FILENO);
	cr_expect_eq(pv_file_read("-", 3, &text, &n, &e), -EBADF);
	cr_expect_str_eq(e.text, "standard input: cannot be read: Bad file descriptor");
}

Test(file, what_is_too_large_is_not_read)
{
	char *text = NULL;
	size_t n = 0;
	struct pv_error e = {0};

	put("file", "12345");
	expect_content("file", "12345");
	cr_expect_eq(pv_file_read("file", 5, &text, &n, &e), 0);
	free(text);
	cr_expect_eq(pv_file_read("file", 4, &text, &n, &e), -EFBIG);
}

/* ---- hashes ---- */

static uint64_t hash_of(const char *path)
{
	uint64_t hash = PV_HASH_OF_NOTHING;

	cr_expect_eq(pv_file_hash(path, &hash), 0, "%s", path);
	return hash;
}

Test(file, the_hash_of_a_file_is_that_of_all_its_bytes)
{
	static char long_text[300001];
	uint64_t hash = 1;

	memset(long_text, 'x', sizeof(long_text) - 1);
	put("a", long_text);
	put("same", long_text);
	cr_expect_eq(hash_of("a"), hash_of("same"));
	for (size_t at = 0; at < sizeof(long_text) - 1; at += 33333) {
		long_text[at] = 'y';
		put("b", long_text);
		cr_expect_neq(hash_of("a"), hash_of("b"), "byte %zu", at);
		long_text[at] = 'x';
	}
	put("short", "1234567");
	cr_assert_eq(pv_file_write("zero", "1234567", 8, NULL), 0);
	cr_expect_neq(hash_of("short"), hash_of("zero"));
	cr_expect_eq(pv_file_hash("absent", &hash), -ENOENT);
	cr_expect_eq(pv_file_hash("/dev/zero", &hash), -EINVAL);
	cr_expect_eq(hash, 1, "left alone");
}
