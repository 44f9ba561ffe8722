/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appended bytes come back as one piece, in memory or from the file; a full disk is an error that loses nothing. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "framework/util/spill.h"

static void append_numbers(struct pv_spill *s, unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		cr_assert_eq(pv_spill_append(s, &i, sizeof(i)), 0, "number %u", i);
}

static unsigned wrong_numbers(struct pv_spill *s, unsigned count)
{
	const unsigned char *data = pv_spill_data(s);
	unsigned wrong = 0;

	for (unsigned i = 0; i < count; i++)
		wrong += memcmp(data + i * sizeof(i), &i, sizeof(i)) != 0;
	return wrong;
}

Test(spill, stays_in_memory_up_to_the_limit)
{
	struct pv_spill s = PV_SPILL_INIT(4000);

	append_numbers(&s, 0, 1000);
	cr_assert_eq(s.fd, -1);
	cr_assert_eq(s.len, 4000);
	cr_assert_eq(wrong_numbers(&s, 1000), 0);
	pv_spill_free(&s);
}

Test(spill, goes_to_a_file_beyond_it)
{
	struct pv_spill s = PV_SPILL_INIT(4000);

	append_numbers(&s, 0, 1001);
	cr_assert_geq(s.fd, 0);
	cr_assert_null(s.mem, "all bytes must lie in one place");
	cr_assert_eq(wrong_numbers(&s, 1001), 0);
	pv_spill_free(&s);
}

Test(spill, can_be_read_between_appends)
{
	struct pv_spill s = PV_SPILL_INIT(100);

	append_numbers(&s, 0, 5000);
	cr_assert_eq(wrong_numbers(&s, 5000), 0);
	append_numbers(&s, 5000, 5000);
	cr_assert_eq(wrong_numbers(&s, 10000), 0);
	pv_spill_free(&s);
}

Test(spill, nothing_is_nothing)
{
	struct pv_spill s = PV_SPILL_INIT(100);

	cr_assert_eq(pv_spill_append(&s, "", 0), 0);
	cr_assert_eq(s.len, 0);
	cr_assert_null(pv_spill_data(&s));
	pv_spill_free(&s);
}

Test(spill, a_full_disk_is_an_error_and_keeps_what_was_there)
{
	struct pv_spill s = PV_SPILL_INIT(100);

	signal(SIGXFSZ, SIG_IGN);
	append_numbers(&s, 0, 1024);
	struct rlimit small = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	int err = pv_spill_append(&s, "more", 4);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	cr_assert_eq(err, -EFBIG, "got %d", err);
	cr_assert_eq(s.len, 4096);
	cr_assert_eq(wrong_numbers(&s, 1024), 0);
	pv_spill_free(&s);
}

/* ---- what is given back ---- */

static unsigned mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	cr_assert_not_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "/pcieval-") != NULL;
	fclose(f);
	return n;
}

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	char target[512];
	unsigned n = 0;

	cr_assert_not_null(dir);
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		ssize_t len = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);

		target[len < 0 ? 0 : len] = 0;
		n += strstr(target, "/pcieval-") != NULL;
	}
	closedir(dir);
	return n;
}

Test(spill, has_one_mapping_and_one_file_and_gives_both_back)
{
	struct pv_spill s = PV_SPILL_INIT(100);

	append_numbers(&s, 0, 5000);
	cr_assert_eq(wrong_numbers(&s, 5000), 0);
	append_numbers(&s, 5000, 5000);
	cr_assert_eq(wrong_numbers(&s, 10000), 0);
	cr_expect_eq(mappings(), 1, "the earlier one is gone");
	cr_expect_eq(open_files(), 1);
	pv_spill_free(&s);
	cr_expect_eq(mappings(), 0);
	cr_expect_eq(open_files(), 0);
}

Test(spill, a_disk_that_is_full_at_the_move_leaves_no_file_open)
{
	struct pv_spill s = PV_SPILL_INIT(4000);

	signal(SIGXFSZ, SIG_IGN);
	append_numbers(&s, 0, 1000);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){2000, RLIM_INFINITY}), 0);
	int err = pv_spill_append(&s, "more", 4);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	cr_expect_eq(err, -EFBIG, "got %d", err);
	cr_expect_eq(open_files(), 0);
	cr_expect_eq(s.len, 4000);
	cr_expect_eq(wrong_numbers(&s, 1000), 0);
	pv_spill_free(&s);
}
