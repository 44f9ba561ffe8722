/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookup of files that come with pcieval: in a file's parent folders, closest first, then the working directory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/share.h"

static char top[64];

static void set_up(void)
{
	snprintf(top, sizeof(top), "/tmp/pcieval-share-XXXXXX");
	cr_assert(mkdtemp(top));
	cr_assert_eq(chdir(top), 0);
	cr_assert_eq(
		system("mkdir -p tree/fixtures tree/a/b/fixtures tree/a/c && : >tree/a/b/plan && : >tree/fixtures/x"),
		0);
}

static void tear_down(void)
{
	cr_expect_eq(system("cd / && rm -rf \"$OLDPWD\""), 0);
}

TestSuite(share, .init = set_up, .fini = tear_down);

/* Returns the path found from `from`, relative to the folder of this test; "": nothing found. */
static const char *found(const char *from, const char *name)
{
	static char text[256];
	_autofree_ char *path = pv_share_find(from, name);

	snprintf(text, sizeof(text), "%s", path ? path + strlen(top) : "");
	return text;
}

Test(share, is_looked_for_from_a_file_upwards)
{
	cr_expect_str_eq(found("tree/a/b/plan", "fixtures"), "/tree/a/b/fixtures");
	cr_expect_str_eq(found("tree/a/b/plan", "fixtures/x"), "/tree/fixtures/x", "the closest one has no x");
	cr_expect_str_eq(found("tree/a/c/none", "fixtures"), "/tree/fixtures", "the file is not there");
	cr_expect_str_eq(found("nowhere/none", "fixtures"), "");
	cr_expect_str_eq(found(NULL, "fixtures"), "");
	cr_assert_eq(symlink("../b/plan", "tree/a/c/link"), 0);
	cr_assert_eq(chdir("tree/a/c"), 0);
	cr_expect_str_eq(found("link", "fixtures"), "/tree/a/b/fixtures", "from where the file really is");
	cr_expect_str_eq(found("none", "fixtures"), "/tree/fixtures");
	cr_assert_eq(chdir(top), 0);
}

Test(share, else_it_is_that_of_the_working_directory)
{
	cr_assert_eq(mkdir("fixtures", 0700), 0);
	cr_expect_str_eq(found("/nowhere/none", "fixtures"), "/fixtures");
	cr_expect_str_eq(found(NULL, "fixtures"), "/fixtures");
}

Test(share, nothing_here_is_where_pcieval_is_installed)
{
	cr_expect_not(pv_share_is_installed(top));
	cr_expect_not(pv_share_is_installed("nowhere"));
}

Test(share, programs_of_pcieval_are_beside_this_one)
{
	_autofree_ char *self = realpath("/proc/self/exe", NULL), *name = strdup(strrchr(self, '/') + 1);
	_autofree_ char *found_self = pv_share_program(name), *none = pv_share_program("no-such-program");

	cr_expect_str_eq(found_self, self);
	cr_expect_null(none);
}

Test(share, a_program_that_is_missing_is_said_with_the_places)
{
	_autofree_ char *self = realpath("/proc/self/exe", NULL), *places = NULL;
	struct pv_error e;

	cr_expect_eq(pv_share_no_program("pcieval-agent", &e), -ENOENT);
	cr_assert_gt(asprintf(&places,
			      "expected pcieval-agent beside %s, in framework/far or ../libexec/pcieval from there, "
			      "or in /",
			      self),
		     0);
	cr_expect(strstr(e.text, places) == e.text, "%s", e.text);
}
