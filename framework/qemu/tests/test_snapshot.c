/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topology snapshots: of which guest they are saved, and for which cases they are found. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/qemu/snapshot.h"
#include "framework/util/cache.h"

#define PAGE 4096u

static char folder[32];
static struct pv_snapshot_file saved;

static void set_up(void)
{
	strcpy(folder, "/tmp/pcieval-snapshot-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void tear_down(void)
{
	pv_cache_prune(folder, 0, 0);
	rmdir(folder);
}

TestSuite(snapshot, .init = set_up, .fini = tear_down, .timeout = 60);

static int save(const char *key)
{
	struct pv_mmio_access access[2] = {{.value = 7}, {.value = 8}};
	const struct pv_mmio_log log = {.at = access, .n = 2};
	struct pv_snapshot_guest g = {.ram_bytes = PAGE, .log = &log};
	struct pv_error e = {0};

	g.state_fd = memfd_create("state", MFD_CLOEXEC);
	g.console_fd = memfd_create("console", MFD_CLOEXEC);
	g.ram_fd = memfd_create("ram", MFD_CLOEXEC);
	cr_assert_eq(write(g.state_fd, "state", 5), 5);
	cr_assert_eq(ftruncate(g.ram_fd, PAGE), 0);
	int err = pv_snapshot_topology_save(folder, key, &g, &e);
	close(g.state_fd);
	close(g.console_fd);
	close(g.ram_fd);
	return err;
}

Test(snapshot, the_second_one_is_to_be_saved)
{
	const struct pv_mmio_access *at;
	size_t n;

	cr_expect_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_NEW);
	cr_expect_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_SEEN);
	cr_expect_eq(pv_snapshot_topology_find(folder, "b", &saved), PV_SNAPSHOT_NEW, "of another topology");
	cr_assert_eq(save("a"), 0);
	cr_assert_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_FOUND);
	cr_assert(pv_snapshot_topology_log(&saved, &at, &n));
	cr_expect(n == 2 && at[0].value == 7 && at[1].value == 8);
	pv_snapshot_file_close(&saved);
	pv_snapshot_drop(folder, "a");
	cr_expect_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_NEW);
}

Test(snapshot, what_cannot_be_saved_is_not_tried_again)
{
	cr_assert_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_NEW);
	pv_snapshot_topology_refuse(folder, "a", "why");
	cr_expect_eq(pv_snapshot_topology_find(folder, "a", &saved), PV_SNAPSHOT_NEVER);
	cr_expect_eq(pv_snapshot_topology_find("/proc/none", "a", &saved), PV_SNAPSHOT_NEVER,
		     "nor where nothing can be kept");
}

Test(snapshot, a_log_is_whole_or_none)
{
	const struct pv_mmio_access *at, access[2] = {0};
	struct pv_snapshot_file s = {.log = access};
	size_t n;

	cr_expect_not(pv_snapshot_topology_log(&s, &at, &n));
	s.log_bytes = sizeof(access[0]) + 1;
	cr_expect_not(pv_snapshot_topology_log(&s, &at, &n));
	s.log_bytes = sizeof(access);
	cr_expect(pv_snapshot_topology_log(&s, &at, &n));
	cr_expect_eq(n, 2);
}

static char *key_of(const char *base, uint64_t sum, const char *msg, uint64_t irq_latency_ps)
{
	json_object *o = json_tokener_parse(msg);
	char *key = pv_snapshot_topology_key(base, sum, o, irq_latency_ps);

	json_object_put(o);
	return key;
}

/* The last entry equals the first. */
Test(snapshot, whose_it_is)
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
