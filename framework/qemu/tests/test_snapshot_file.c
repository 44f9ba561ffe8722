/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a snapshot: what was written is read again; nothing is read from a file that is damaged. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/qemu/snapshot_file.h"

#define PAGE 4096u
#define RAM  (64 * PAGE)
#define KEY  "qemu /usr/bin/qemu\nkernel Image\n"

static char path[64];
static int ram_fd;
static uint8_t *ram;

static void set_up(void)
{
	strcpy(path, "/tmp/pcieval-snapshot-XXXXXX");
	close(mkstemp(path));
	ram_fd = memfd_create("ram", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(ram_fd, RAM), 0);
	ram = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_SHARED, ram_fd, 0);
	cr_assert_neq(ram, MAP_FAILED);
	/* The first page, two that follow each other, one that was written and is zero again, the last. */
	memset(ram, 0x11, PAGE);
	memset(ram + 7 * PAGE, 0x22, PAGE + 100);
	ram[20 * PAGE] = 1;
	ram[20 * PAGE] = 0;
	ram[RAM - 1] = 0x33;
}

static void tear_down(void)
{
	munmap(ram, RAM);
	close(ram_fd);
	unlink(path);
}

TestSuite(snapshot_file, .init = set_up, .fini = tear_down, .timeout = 60);

static void write_it(const char *state)
{
	const struct pv_snapshot_parts p = {KEY, state, strlen(state), "it says hello", 13, ram_fd, RAM};
	struct pv_error e = {0};

	cr_assert_eq(pv_snapshot_file_write(path, &p, &e), 0, "%s", e.text);
}

static int open_it(struct pv_snapshot_file *s, const char *key)
{
	return pv_snapshot_file_open(s, open(path, O_RDONLY | O_CLOEXEC), key);
}

/* Opens it and fills RAM with it. */
static int use_it(void)
{
	struct pv_snapshot_file s;
	int err = open_it(&s, KEY), fd = memfd_create("used", MFD_CLOEXEC);

	cr_assert_eq(ftruncate(fd, RAM), 0);
	if (!err)
		err = pv_snapshot_file_fill(&s, fd);
	close(fd);
	pv_snapshot_file_close(&s);
	return err;
}

Test(snapshot_file, gives_back_what_was_written)
{
	struct pv_snapshot_file s;

	write_it("a state of 21 letters");
	cr_assert_eq(open_it(&s, KEY), 0);
	cr_expect_eq(s.console_bytes, 13);
	cr_expect_eq(memcmp(s.console, "it says hello", 13), 0);
	cr_expect_eq(s.state_bytes, 21);
	cr_expect_eq(memcmp(s.at + s.state_at, "a state of 21 letters", 21), 0);
	cr_expect_eq(s.ram_bytes, RAM);
	pv_snapshot_file_close(&s);
}

/* Writes to RAM, including holes. Restoring reports the ranges that differ, and restores them. */
Test(snapshot_file, restores_ram_and_tells_what_differed)
{
	struct pv_snapshot_file s;
	struct pv_fabric_range r[4];
	size_t n;

	write_it("state");
	cr_assert_eq(open_it(&s, KEY), 0);
	uint8_t *was = malloc(RAM);
	memcpy(was, ram, RAM);
	cr_assert_eq(pv_snapshot_file_restore(&s, ram_fd, ram, r, 4, &n), 0);
	cr_expect_eq(n, 0);
	ram[PAGE - 1] = 0;
	ram[7 * PAGE] = 0x21;
	ram[8 * PAGE + 1000] = 1;
	ram[40 * PAGE] = 1;
	memset(ram + RAM - PAGE, 0, PAGE);
	cr_assert_eq(pv_snapshot_file_restore(&s, ram_fd, ram, r, 4, &n), 0);
	cr_expect_eq(memcmp(ram, was, RAM), 0);
	const struct pv_fabric_range want[] = {{0, PAGE}, {7 * PAGE, 2 * PAGE}, {40 * PAGE, PAGE}, {RAM - PAGE, PAGE}};
	cr_assert_eq(n, 4);
	for (size_t i = 0; i < n; i++)
		cr_expect(r[i].at == want[i].at && r[i].bytes == want[i].bytes, "%zu: 0x%lx + 0x%lx", i, r[i].at,
			  r[i].bytes);
	ram[0] = ram[50 * PAGE] = 1;
	cr_expect_eq(pv_snapshot_file_restore(&s, ram_fd, ram, r, 1, &n), -ENOSPC);
	pv_snapshot_file_close(&s);
	free(was);
}

Test(snapshot_file, fills_ram_as_it_was)
{
	struct pv_snapshot_file s;
	struct stat st;
	int fd = memfd_create("again", MFD_CLOEXEC);

	cr_assert_eq(ftruncate(fd, RAM), 0);
	write_it("state");
	cr_assert_eq(open_it(&s, KEY), 0);
	cr_expect_eq(pv_snapshot_file_fill(&s, fd), 0);
	uint8_t *got = mmap(NULL, RAM, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(got, MAP_FAILED);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_expect_eq(st.st_blocks * 512, 4 * PAGE, "pages that are zero are not copied");
	cr_expect_eq(memcmp(got, ram, RAM), 0);
	munmap(got, RAM);
	close(fd);
	pv_snapshot_file_close(&s);
}

/* KASAN's shadow is half of a debug kernel's RAM. */
Test(snapshot_file, pages_of_one_byte_are_not_in_the_file)
{
	struct stat st;

	write_it("state");
	stat(path, &st);
	memset(ram + 30 * PAGE, 0xff, 20 * PAGE);
	memset(ram + 50 * PAGE, 0xf8, 10 * PAGE);
	write_it("state");
	off_t before = st.st_size;
	stat(path, &st);
	cr_expect_eq(st.st_size, before);

	struct pv_snapshot_file s;
	int fd = memfd_create("again", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, RAM), 0);
	cr_assert_eq(open_it(&s, KEY), 0);
	cr_expect_eq(pv_snapshot_file_fill(&s, fd), 0);
	uint8_t *got = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_expect_eq(memcmp(got, ram, RAM), 0);
	struct pv_fabric_range range[2];
	size_t n;
	got[35 * PAGE] = got[55 * PAGE] = 1;
	cr_expect_eq(pv_snapshot_file_restore(&s, fd, got, range, 2, &n), 0);
	cr_expect_eq(n, 2);
	cr_expect_eq(memcmp(got, ram, RAM), 0);
	munmap(got, RAM);
	close(fd);
	pv_snapshot_file_close(&s);
}

/* ---- one that lies on another ---- */

static struct pv_snapshot_file base, top;

/* Against the base, one page is zero, one differs, and one is new where there was a hole. */
static void write_on_base(void)
{
	char other[sizeof(path) + 4];
	struct pv_error e = {0};

	write_it("base");
	cr_assert_eq(open_it(&base, KEY), 0);
	memset(ram, 0, PAGE);
	memset(ram + 8 * PAGE, 0x44, PAGE);
	memset(ram + 40 * PAGE, 0x55, PAGE);
	const struct pv_snapshot_parts p = {KEY,	   "top", 3, "", 0, ram_fd, RAM, .base = &base, .log = "asked",
					    .log_bytes = 5};
	snprintf(other, sizeof(other), "%s.top", path);
	cr_assert_eq(pv_snapshot_file_write(other, &p, &e), 0, "%s", e.text);
	cr_assert_eq(pv_snapshot_file_open(&top, open(other, O_RDONLY | O_CLOEXEC), KEY), 0);
	unlink(other);
	top.base = &base;
}

static void close_both(void)
{
	pv_snapshot_file_close(&top);
	pv_snapshot_file_close(&base);
}

Test(snapshot_file, what_lies_on_another_has_the_pages_that_differ)
{
	write_on_base();
	cr_expect_eq(top.log_bytes, 5);
	cr_expect_eq(memcmp(top.log, "asked", 5), 0);
	cr_expect_lt(top.bytes, 5 * PAGE, "three pages and a head");
	cr_expect_neq(top.sum, base.sum);
	int fd = memfd_create("again", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, RAM), 0);
	cr_expect_eq(pv_snapshot_file_fill(&top, fd), 0);
	uint8_t *got = mmap(NULL, RAM, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(got, MAP_FAILED);
	cr_expect_eq(memcmp(got, ram, RAM), 0);
	munmap(got, RAM);
	close(fd);
	close_both();
}

/* RAM was filled with the base, and written to since. */
Test(snapshot_file, what_lies_on_another_restores_what_was_filled_with_that)
{
	struct pv_fabric_range r[8];
	size_t n;

	write_on_base();
	int fd = memfd_create("again", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, RAM), 0);
	cr_assert_eq(pv_snapshot_file_fill(&base, fd), 0);
	uint8_t *got = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert_neq(got, MAP_FAILED);
	got[50 * PAGE] = 1;
	cr_assert_eq(pv_snapshot_file_restore(&top, fd, got, r, 8, &n), 0);
	cr_expect_eq(memcmp(got, ram, RAM), 0);
	const uint64_t want[] = {0, 8 * PAGE, 40 * PAGE, 50 * PAGE};
	cr_assert_eq(n, 4);
	for (size_t i = 0; i < n; i++)
		cr_expect(r[i].at == want[i] && r[i].bytes == PAGE, "%zu: 0x%lx + 0x%lx", i, r[i].at, r[i].bytes);
	/* And back to the base alone, as for a guest of another topology. */
	cr_assert_eq(pv_snapshot_file_restore(&base, fd, got, r, 8, &n), 0);
	cr_expect_eq(got[0], 0x11);
	cr_expect_eq(got[8 * PAGE], 0x22);
	cr_expect_eq(got[40 * PAGE], 0);
	munmap(got, RAM);
	close(fd);
	close_both();
}

Test(snapshot_file, does_not_make_pages_of_ram_by_looking)
{
	struct stat before, after;

	fstat(ram_fd, &before);
	write_it("state");
	fstat(ram_fd, &after);
	cr_expect_eq(before.st_blocks, after.st_blocks);
}

Test(snapshot_file, is_not_what_another_key_made)
{
	struct pv_snapshot_file s;

	write_it("state");
	cr_expect_eq(open_it(&s, KEY "more\n"), -EBADMSG);
	cr_expect_eq(open_it(&s, "qemu /usr/bin/qemX\nkernel Image\n"), -EBADMSG);
	cr_expect_null(s.at);
}

Test(snapshot_file, can_be_none)
{
	const struct pv_snapshot_parts p = {.key = KEY, .console = "why", .console_bytes = 3};
	struct pv_error e = {0};
	struct pv_snapshot_file s;

	cr_assert_eq(pv_snapshot_file_write(path, &p, &e), 0, "%s", e.text);
	cr_assert_eq(open_it(&s, KEY), 0);
	cr_expect_eq(s.state_bytes, 0);
	cr_expect_eq(memcmp(s.console, "why", 3), 0);
	pv_snapshot_file_close(&s);
}

/* Truncates the file by one byte, and to all multiples of 97 bytes. */
Test(snapshot_file, notices_that_it_was_cut)
{
	struct stat st;
	struct pv_snapshot_file s;

	write_it("state");
	stat(path, &st);
	for (off_t n = st.st_size - 1; n >= 0; n = n == st.st_size - 1 ? n / 97 * 97 : n - 97) {
		cr_assert_eq(truncate(path, n), 0);
		cr_assert_eq(open_it(&s, KEY), -EBADMSG, "%jd of %jd bytes", (intmax_t)n, (intmax_t)st.st_size);
	}
}

/* Changes each 13th byte of the file. */
Test(snapshot_file, notices_each_byte_that_changed)
{
	struct stat st;
	uint8_t was, is;

	write_it("state");
	stat(path, &st);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	for (off_t at = 0; at < st.st_size; at += at < 512 ? 1 : 13) {
		cr_assert_eq(pread(fd, &was, 1, at), 1);
		is = was ^ 0x80;
		cr_assert_eq(pwrite(fd, &is, 1, at), 1);
		cr_assert_eq(use_it(), -EBADMSG, "byte %jd", (intmax_t)at);
		cr_assert_eq(pwrite(fd, &was, 1, at), 1);
	}
	cr_expect_eq(use_it(), 0, "and is good when it is as it was");
	close(fd);
}

/* After a power loss, file systems return zeros for blocks that were not written. */
Test(snapshot_file, notices_blocks_that_are_zero)
{
	write_it("state");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(pwrite(fd, (uint8_t[PAGE]){0}, PAGE, PAGE), PAGE);
	close(fd);
	cr_expect_eq(use_it(), -EBADMSG);
}

/* The same for a restore: a damaged page of the snapshot or its base does not get into RAM. */
Test(snapshot_file, copies_no_damaged_page)
{
	struct pv_snapshot_file s;
	struct pv_fabric_range range[4];
	struct stat st;
	size_t n;

	write_it("state");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	stat(path, &st);
	cr_assert_eq(pwrite(fd, "x", 1, st.st_size - 100), 1);
	close(fd);
	cr_assert_eq(open_it(&s, KEY), 0);
	uint8_t *was = malloc(PAGE), *last = ram + RAM - PAGE;
	memcpy(was, last, PAGE);
	last[5] = 1;
	cr_expect_eq(pv_snapshot_file_restore(&s, ram_fd, ram, range, 4, &n), -EBADMSG);
	struct pv_snapshot_file upper = {.fd = -1, .ram_bytes = RAM, .base = &s};
	cr_expect_eq(pv_snapshot_file_restore(&upper, ram_fd, ram, range, 4, &n), -EBADMSG);
	last[5] = 0;
	cr_expect_eq(memcmp(last, was, PAGE), 0, "untouched");
	free(was);
	pv_snapshot_file_close(&s);
}

Test(snapshot_file, says_what_it_cannot_write)
{
	const struct pv_snapshot_parts p = {.key = KEY};
	struct pv_error e = {0};

	cr_expect_eq(pv_snapshot_file_write("/dev/full", &p, &e), -ENOSPC);
	cr_expect(strstr(e.text, "/dev/full"), "got '%s'", e.text);
}
