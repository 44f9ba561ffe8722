/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines that are ready: seen once, saved the second time, or never; and whose they are. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/qemu/ready.h"
#include "framework/util/cache.h"

#define PAGE 4096u

static char folder[32];
static struct pv_snapshot_file saved;

static void set_up(void)
{
	strcpy(folder, "/tmp/pcieval-ready-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void tear_down(void)
{
	pv_cache_prune(folder, 0, 0);
	rmdir(folder);
}

TestSuite(ready, .init = set_up, .fini = tear_down, .timeout = 60);

static int save(const char *key, const char *state, size_t record_bytes)
{
	static const struct pv_mmio_access asked[2] = {{.value = 7}, {.value = 8}};
	int ram_fd = memfd_create("ram", MFD_CLOEXEC);
	struct pv_error e = {0};

	cr_assert_eq(ftruncate(ram_fd, PAGE), 0);
	const struct pv_snapshot_parts p = {
		key, state, strlen(state), "why", 3, ram_fd, PAGE, .log = asked, .log_bytes = record_bytes};
	int err = pv_ready_save(folder, &p, &e);
	close(ram_fd);
	return err;
}

Test(ready, the_second_one_is_to_be_saved)
{
	const struct pv_mmio_access *at;
	size_t n;

	cr_expect_eq(pv_ready_find(folder, "a", &saved), PV_READY_NEW);
	cr_expect_eq(pv_ready_find(folder, "a", &saved), PV_READY_SEEN);
	cr_expect_eq(pv_ready_find(folder, "b", &saved), PV_READY_NEW, "of another topology");
	cr_assert_eq(save("a", "state", 2 * sizeof(struct pv_mmio_access)), 0);
	cr_assert_eq(pv_ready_find(folder, "a", &saved), PV_READY_SAVED);
	cr_assert(pv_ready_record(&saved, &at, &n));
	cr_expect(n == 2 && at[0].value == 7 && at[1].value == 8);
	pv_snapshot_file_close(&saved);
	pv_ready_drop(folder, "a");
	cr_expect_eq(pv_ready_find(folder, "a", &saved), PV_READY_NEW);
}

Test(ready, what_cannot_be_saved_is_not_tried_again)
{
	cr_assert_eq(pv_ready_find(folder, "a", &saved), PV_READY_NEW);
	cr_assert_eq(save("a", "", 0), 0);
	cr_expect_eq(pv_ready_find(folder, "a", &saved), PV_READY_NEVER);
	cr_expect_eq(pv_ready_find("/proc/none", "a", &saved), PV_READY_NEVER, "nor where nothing can be kept");
}

Test(ready, a_record_is_whole_or_none)
{
	const struct pv_mmio_access *at;
	size_t n;

	for (size_t bytes = 0; bytes <= sizeof(struct pv_mmio_access) + 1; bytes += sizeof(struct pv_mmio_access) + 1) {
		cr_assert_eq(save("a", "state", bytes), 0);
		cr_assert_eq(pv_ready_find(folder, "a", &saved), PV_READY_SAVED);
		cr_expect(!pv_ready_record(&saved, &at, &n), "%zu", bytes);
		pv_snapshot_file_close(&saved);
	}
}

static char *key_of(const char *base, uint64_t sum, const char *msg, uint64_t irq_latency_ps)
{
	json_object *o = json_tokener_parse(msg);
	char *key = pv_ready_key(base, sum, o, irq_latency_ps);

	json_object_put(o);
	return key;
}

/* The last is the first again. */
Test(ready, whose_it_is)
{
	static const struct {
		const char *base;
		uint64_t sum;
		const char *msg;
		uint64_t irq_latency_ps;
	} of[] = {
		{"k", 1, "{\"topology\": 1, \"seed\": 1, \"steps\": 1}"},
		{"l", 1, "{\"topology\": 1, \"seed\": 1}"},
		{"k", 2, "{\"topology\": 1, \"seed\": 1}"},
		{"k", 1, "{\"topology\": 2, \"seed\": 1}"},
		{"k", 1, "{\"topology\": 1, \"seed\": 2}"},
		{"k", 1, "{\"topology\": 1, \"seed\": 1, \"defects\": [\"x\"]}"},
		{"k", 1, "{\"topology\": 1, \"seed\": 1}", 1000},
		{"k", 1, "{\"topology\": 1, \"seed\": 1, \"steps\": 2}"},
	};
	char *first = key_of(of[0].base, of[0].sum, of[0].msg, of[0].irq_latency_ps);

	for (size_t i = 1; i < sizeof(of) / sizeof(of[0]); i++) {
		char *key = key_of(of[i].base, of[i].sum, of[i].msg, of[i].irq_latency_ps);

		cr_expect_eq(!strcmp(key, first), i == sizeof(of) / sizeof(of[0]) - 1, "%zu", i);
		free(key);
	}
	free(first);
}
