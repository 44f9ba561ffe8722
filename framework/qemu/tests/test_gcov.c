/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line coverage out of a guest, with a shell that provides its files. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/qemu/gcov.h"
#include "framework/util/file.h"
#include "framework/util/json.h"
#include "framework/util/tests/text.h"

#define COUNTS "/sys/kernel/debug/gcov/build/drivers/perf"

/* The guest's file of dwc_pcie_pmu; it has none of cxl_pmu. */
static struct {
	size_t bytes;
	int err;
} guest;

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	if (strcmp(path, COUNTS "/dwc_pcie_pmu.gcda") != 0)
		return -ENOENT;
	if (guest.err)
		return guest.err;
	size_t n = offset < guest.bytes ? guest.bytes - offset : 0;
	n = n < room ? n : room;
	n = n < 4096 ? n : 4096; /* a message of the far side */
	for (size_t i = 0; i < n; i++)
		((char *)buf)[i] = (char)(offset + i);
	return (int64_t)n;
}

static const struct pv_shell_ops shell_ops = {.file_read = file_read};
static struct pv_shell shell = {&shell_ops};

static char folder[] = "/tmp/test-gcov-XXXXXX";
static json_object *objects;
static struct pv_error e;

static const char *in(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	cr_assert_eq(pv_file_write(in(name), text, strlen(text), &e), 0, "%s", e.text);
}

/* A kernel's folder, and the run with one case. */
static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	cr_assert_eq(pv_mkdir_all(in("kernel/gcov"), 0777), 0);
	cr_assert_eq(pv_mkdir_all(in("run/cases/0003-a"), 0777), 0);
	write_file("kernel/gcov/dwc_pcie_pmu.gcno", "notes");
	write_file("kernel/gcov/cxl_pmu.gcno", "notes");
	write_file("kernel/gcov/files", "cxl_pmu " COUNTS "/cxl_pmu.gcda\ndwc_pcie_pmu " COUNTS "/dwc_pcie_pmu.gcda\n");
	objects = json_object_new_array();
	cr_assert_eq(pv_gcov_add_objects(in("kernel"), objects), 0);
	guest.bytes = 10000;
}

static void tear_down(void)
{
	json_object_put(objects);
	pv_remove_all(folder);
}

TestSuite(gcov, .init = set_up, .fini = tear_down);

static int save(unsigned boot)
{
	return pv_gcov_save(objects, &shell, in("run/cases/0003-a"), boot, &e);
}

/* The size of a file; -1: there is none. */
static long size_of(const char *name)
{
	_autofree_ char *data = NULL;
	size_t n;

	return pv_file_read(in(name), 1 << 20, &data, &n, &e) ? -1 : (long)n;
}

Test(gcov, counts_of_each_boot_are_saved_with_the_notes)
{
	cr_assert_eq(save(1), 0, "%s", e.text);
	guest.bytes = 20;
	cr_assert_eq(save(2), 0, "%s", e.text);
	cr_expect_eq(size_of("run/gcov/0003-a+1/dwc_pcie_pmu.gcda"), 10000);
	cr_expect_eq(size_of("run/gcov/0003-a+2/dwc_pcie_pmu.gcda"), 20);
	cr_expect_eq(size_of("run/gcov/dwc_pcie_pmu.gcno"), 5);
	cr_expect_eq(size_of("run/gcov/0003-a+1/cxl_pmu.gcda"), -1, "a driver that was not loaded");
}

Test(gcov, a_source_beside_the_notes_is_saved)
{
	write_file("kernel/gcov/dwc_pcie_pmu.c", "source");
	cr_assert_eq(save(1), 0, "%s", e.text);
	write_file("kernel/gcov/dwc_pcie_pmu.c", "changed since");
	cr_assert_eq(save(2), 0, "%s", e.text);
	cr_expect_eq(size_of("run/gcov/dwc_pcie_pmu.c"), 6);
	cr_expect_eq(size_of("run/gcov/cxl_pmu.c"), -1);
}

Test(gcov, counts_are_read_in_order)
{
	_autofree_ char *data = NULL;
	size_t n;

	cr_assert_eq(save(1), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(in("run/gcov/0003-a+1/dwc_pcie_pmu.gcda"), 1 << 20, &data, &n, &e), 0);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(data[i], (char)i);
}

Test(gcov, counts_that_cannot_be_read_are_an_error)
{
	guest.err = -EIO;
	cr_expect_eq(save(1), -EIO);
	expect_text(e.text, "saving the driver's line coverage: reading " COUNTS "/dwc_pcie_pmu.gcda in the guest");
	guest.err = 0;
	guest.bytes = 2 << 20;
	cr_expect_eq(save(1), -EFBIG);
	cr_expect_eq(size_of("run/gcov/0003-a+1/dwc_pcie_pmu.gcda"), -1);
}

Test(gcov, a_driver_of_the_users_replaces_the_kernels)
{
	cr_assert_eq(pv_mkdir_all(in("source/gcov"), 0777), 0);
	write_file("source/gcov/files", "dwc_pcie_pmu " COUNTS "/mine.gcda\n");
	cr_assert_eq(pv_gcov_add_objects(in("source"), objects), 0);
	cr_assert_eq(json_object_array_length(objects), 2);
	expect_text(json_object_to_json_string(objects), "mine.gcda");
	cr_expect_not(strstr(json_object_to_json_string(objects), "dwc_pcie_pmu.gcda"));
}

Test(gcov, a_folder_without_objects_is_an_error)
{
	json_object *none = json_object_new_array();

	cr_expect_eq(pv_gcov_add_objects(in("absent"), none), -ENOENT);
	cr_assert_eq(pv_mkdir_all(in("empty/gcov"), 0777), 0);
	write_file("empty/gcov/files", "");
	cr_expect_eq(pv_gcov_add_objects(in("empty"), none), -EBADMSG);
	write_file("empty/gcov/files", "dwc_pcie_pmu\n");
	cr_expect_eq(pv_gcov_add_objects(in("empty"), none), -EBADMSG);
	json_object_put(none);
}
