/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a guest, as scripts that stand in for ci/qemu and ci/guest find them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/qemu/guest_parts.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

static char ci[] = "/tmp/pcieval-parts-XXXXXX";
static struct pv_guest_options options;
static json_object *guest;
static struct pv_error e;

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", ci, name);
	return path;
}

static void put_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(path_of(name), "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f) && !chmod(path_of(name), mode));
}

static void setup(void)
{
	cr_assert(mkdtemp(ci));
	cr_assert_eq(unsetenv("PCIEVAL_QEMU"), 0);
	cr_assert_eq(setenv("PCIEVAL_CACHE", "/cache", 1), 0);
	put_file("qemu", "#!/bin/sh\necho /opt/qemu\n", 0755);
	/* Folders are named for what was asked for. Nobody has a "none". */
	put_file(
		"guest",
		"#!/bin/sh\ncd ${0%/*}\n[ $1 != none ] || exit 1\n"
		"mkdir -p made/$1\n[ $1 != fast ] || echo 6.12.1 built >made/$1/release\n"
		"case $1 in gcov*) mkdir -p made/$1/gcov; echo cxl_pmu /gcov/cxl_pmu.gcda >made/$1/gcov/files ;; esac\n"
		"[ $1 != modules ] || echo ${2} >made/$1/release\necho $PWD/made/$1\n",
		0755);
}

static void teardown(void)
{
	json_object_put(guest);
	pv_remove_all(ci);
}

TestSuite(guest_parts, .init = setup, .fini = teardown);

/* Paths are as seen from the folder of the scripts. */
static void expect_member(const char *key, const char *expected)
{
	char got[1024] = "", prefix[64];
	const char *text = pv_json_line(json_object_object_get(guest, key));
	size_t n = (size_t)snprintf(prefix, sizeof(prefix), "%s/", ci);

	for (const char *at = text; *at && strlen(got) + 2 < sizeof(got);)
		if (!strncmp(at, prefix, n))
			at += n;
		else
			strncat(got, at++, 1);
	cr_expect_str_eq(got, expected, "%s: got %s", key, text);
}

Test(guest_parts, line_coverage_takes_drivers_that_are_compiled_for_it)
{
	options.gcov = true;
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("kernel", "\"made/gcov/Image\"");
	expect_member("gcov", "[{\"object\":\"cxl_pmu\",\"counts\":\"/gcov/cxl_pmu.gcda\","
			      "\"notes\":\"made/gcov/gcov/cxl_pmu.gcno\"}]");
	json_object_put(guest);
	options.kernel = "fast:newest";
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("kernel", "\"made/gcov:newest/Image\"");
	json_object_put(guest);
	options.kernel = "fast+fixed";
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("kernel", "\"made/gcov+fixed/Image\"");
}

Test(guest_parts, line_coverage_of_other_kernels_is_refused)
{
	options.gcov = true;
	options.kernel = "debug";
	cr_expect_eq(pv_guest_find_parts(&options, ci, &guest, &e), -EINVAL);
	cr_expect(
		strstr(e.text,
		       "--driver-coverage: expected --kernel fast, fast:SERIES or one of them with +fixed, got debug"),
		"%s", e.text);
	options.kernel = "fastest";
	cr_expect_eq(pv_guest_find_parts(&options, ci, &guest, &e), -EINVAL);
	options = (struct pv_guest_options){.gcov = true, .modules = "6.12.1"};
	cr_expect_eq(pv_guest_find_parts(&options, ci, &guest, &e), -EINVAL);
	cr_expect(strstr(e.text, "expected no --modules"), "%s", e.text);
}

Test(guest_parts, those_of_a_kernel)
{
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("qemu", "\"/opt/qemu\"");
	expect_member("kernel", "\"made/fast/Image\"");
	expect_member("release", "\"6.12.1\"");
	expect_member("saved", "\"/cache/saved\"");
	expect_member("archives", "[\"made/base/base.cpio\",\"made/fast/modules.cpio\",\"made/far/far.cpio\"]");
	cr_expect_null(json_object_object_get(guest, "perf"));
}

Test(guest_parts, a_kernel_with_fixed_drivers_says_so)
{
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	cr_expect_null(json_object_object_get(guest, "fixed"));
	json_object_put(guest);
	options.kernel = "debug:newest+fixed";
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("kernel", "\"made/debug:newest+fixed/Image\"");
	expect_member("fixed", "true");
	json_object_put(guest);
	options.kernel = "fast+fixedly";
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	cr_expect_null(json_object_object_get(guest, "fixed"));
}

static void find_drivers(const char *modules, const char *contents)
{
	options.modules = modules;
	put_file("modules.cpio", contents, 0644);
	json_object_put(guest);
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
}

Test(guest_parts, drivers_of_the_user_are_named_by_their_contents)
{
	put_file("guest",
		 "#!/bin/sh\ncd ${0%/*}\nmkdir -p made/$1\n[ $1 != modules ] || cp modules.cpio made/$1\n"
		 "echo $PWD/made/$1\n",
		 0755);
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	cr_expect_null(json_object_object_get(guest, "drivers"));
	find_drivers("/home/me/mine", "one");
	_autofree_ char *one = strdup(pv_json_text(guest, "drivers"));
	cr_expect(!strncmp(one, "mine ", 5) && strlen(one) == 5 + 8, "%s", one);
	find_drivers("mine//", "one");
	cr_expect_str_eq(pv_json_text(guest, "drivers"), one, "wherever they are");
	find_drivers("/home/me/mine", "two");
	cr_expect_str_neq(pv_json_text(guest, "drivers"), one);
}

Test(guest_parts, those_that_cases_and_options_ask_for)
{
	options = (struct pv_guest_options){.modules = "6.12.1",
					    .perf = true,
					    .module = true,
					    .fresh_boot = true,
					    .leaks = true,
					    .append = "quiet"};
	cr_assert_eq(pv_guest_find_parts(&options, ci, &guest, &e), 0, "%s", e.text);
	expect_member("perf", "\"made/perf/perf.cpio\"");
	expect_member("module", "\"made/module/module.cpio\"");
	expect_member("append", "\"quiet\"");
	expect_member("leaks", "true");
	expect_member("archives", "[\"made/base/base.cpio\",\"made/fast/modules.cpio\",\"made/modules/modules.cpio\","
				  "\"made/far/far.cpio\"]");
	cr_expect_null(json_object_object_get(guest, "saved"));
}

static void expect_refused(int err, const char *says)
{
	e = (struct pv_error){0};
	cr_expect_eq(pv_guest_find_parts(&options, ci, &guest, &e), err, "%s", e.text);
	cr_expect(strstr(e.text, says), "%s", e.text);
}

Test(guest_parts, what_is_missing_or_does_not_fit_is_told)
{
	options.kernel = "none";
	expect_refused(-ENOENT, "--target qemu: no kernel; `");
	put_file("vmlinux",
		 "\x7f"
		 "ELF",
		 0644);
	options.kernel = path_of("vmlinux");
	expect_refused(-EINVAL, "got an ELF file, such as vmlinux");
	options.kernel = NULL;
	options.modules = "5.10";
	expect_refused(-EINVAL, "expected modules of kernel 6.12.1, got some of 5.10");
	put_file("qemu", "#!/bin/sh\nexit 1\n", 0755);
	expect_refused(-ENOENT, "--target qemu: no QEMU; `");
	cr_assert_eq(setenv("PCIEVAL_QEMU", "/nonexistent", 1), 0);
	expect_refused(-ENOENT, "PCIEVAL_QEMU=/nonexistent: expected a program");
}
