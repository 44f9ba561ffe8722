/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply and restore on a tree of files, through libpci, with a bus in between that counts, kills and injects faults. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "framework/mps/apply.h"
#include "framework/mps/facts.h"
#include "framework/pci/tests/build.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum { FUNCS = 8 };

static const struct build_func machine[FUNCS + 1] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 128, 512, 1, 4, false},
	{"0000:00:02.0", PCI_EXP_TYPE_ROOT_PORT, 128, 128, 512, 5, 5, false},
	{"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 512, 128, 512, 2, 4, false},
	{"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 128, 512, 3, 3, false},
	{"0000:02:01.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 128, 512, 4, 4, false},
	{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 128, 512, 0, 0, false},
	{"0000:04:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 128, 4096, 0, 0, false},
	{"0000:05:00.0", PCI_EXP_TYPE_ENDPOINT, 128, 128, 128, 0, 0, false},
	{0},
};

/* The open tree, with the bus in between. */
struct bench {
	struct pv_pci_live pci;
	struct pv_bus real;
	struct pv_undo undo;
	struct pv_apply apply;
	struct pv_error e;
	unsigned writes;
	/* faults */
	unsigned kill_at;	/* the process dies at this write, from 1 */
	bool kill_after;	/* ... after the write instead of before */
	const char *odd;	/* the function with a fault: */
	unsigned gone_after;	/* it reads all ones after this number of writes to the machine, plus 1; 0: never */
	bool pending;		/* its Transactions Pending stays set */
	unsigned pending_reads; /* or stays set for this number of reads */
	bool stubborn;		/* it ignores writes to Device Control */
	bool always_master;	/* its Bus Master Enable cannot be cleared */
	uint64_t now_ns;
	/* observations */
	bool forwards_at_all_times; /* no bridge lost its Bus Master */
	bool wrote_while_on;	    /* sizes were written with a device on, or with transactions pending */
	bool wrote_reset;	    /* bit 15 of Device Control was written */
	char said[512];
};

static char tree[] = "/tmp/apply-XXXXXX", journal[64];

static const struct pv_pci_func *func_of(const struct bench *b, pv_bdf bdf)
{
	return pv_pci_find(b->pci.machine, bdf);
}

static bool is_odd(const struct bench *b, pv_bdf bdf)
{
	return b->odd && !strcmp(func_of(b, bdf)->name, b->odd);
}

static uint32_t bench_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct bench *b = ctx;
	uint32_t value = b->real.cfg_read(b->real.ctx, bdf, off, bytes);

	if (!is_odd(b, bdf))
		return value;
	if (b->gone_after && b->writes + 1 >= b->gone_after)
		return 0xffffffffu >> (32 - 8 * bytes);
	if (off == BUILD_EXP + PCI_EXP_DEVSTA && (b->pending || b->pending_reads)) {
		b->pending_reads -= b->pending_reads > 0;
		return value | PCI_EXP_DEVSTA_TRPND;
	}
	return value;
}

/* Returns true if every device below 00:01.0 is off. */
static bool all_off(const struct bench *b)
{
	static const char *const devices[] = {"03:00.0", "04:00.0"};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		const struct pv_pci_func *f = pv_pci_find_name(b->pci.machine, devices[i]);

		if (f && b->real.cfg_read(b->real.ctx, f->bdf, PCI_COMMAND, 2) & PCI_COMMAND_MASTER)
			return false;
	}
	return true;
}

static void watch(struct bench *b, const struct pv_pci_func *f, uint32_t off, uint32_t value)
{
	if (off == PCI_COMMAND && f->is_bridge)
		b->forwards_at_all_times = false;
	if (off == BUILD_EXP + PCI_EXP_DEVCTL && (!all_off(b) || b->pending_reads))
		b->wrote_while_on = true;
	if (off == BUILD_EXP + PCI_EXP_DEVCTL && value & PCI_EXP_DEVCTL_BCR_FLR)
		b->wrote_reset = true;
}

static void bench_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct bench *b = ctx;

	b->writes++;
	if (b->kill_at == b->writes && !b->kill_after)
		raise(SIGKILL);
	watch(b, func_of(b, bdf), off, value);
	if (is_odd(b, bdf) && b->stubborn && off == BUILD_EXP + PCI_EXP_DEVCTL)
		return;
	if (is_odd(b, bdf) && b->always_master && off == PCI_COMMAND)
		value |= PCI_COMMAND_MASTER;
	b->real.cfg_write(b->real.ctx, bdf, off, bytes, value);
	if (b->kill_at == b->writes)
		raise(SIGKILL);
}

static uint64_t bench_now(void *ctx)
{
	return ((struct bench *)ctx)->now_ns;
}

static void bench_delay(void *ctx, uint64_t ns)
{
	((struct bench *)ctx)->now_ns += ns;
}

static void bench_say(void *ctx, const char *text)
{
	struct bench *b = ctx;

	snprintf(b->said + strlen(b->said), sizeof(b->said) - strlen(b->said), "%s\n", text);
}

static void bench_open(struct bench *b)
{
	*b = (struct bench){.forwards_at_all_times = true};
	b->pci.access = pv_pci_open(PV_PCI_SYSFS, tree, true, &b->e);
	cr_assert(b->pci.access, "%s", b->e.text);
	b->pci.machine = pv_pci_machine_read(b->pci.access, &b->e);
	b->real = pv_pci_live_bus(&b->pci);
	cr_assert_eq(pv_undo_open(&b->undo, journal, &b->e), 0, "%s", b->e.text);
	b->apply = (struct pv_apply){
		.machine = b->pci.machine, .bus = b->real, .undo = &b->undo, .ctx = b, .say = bench_say};
	b->apply.bus.ctx = b;
	b->apply.bus.cfg_read = bench_read;
	b->apply.bus.cfg_write = bench_write;
	b->apply.bus.now_ns = bench_now;
	b->apply.bus.delay_ns = bench_delay;
}

static void bench_close(struct bench *b)
{
	pv_undo_close(&b->undo);
	pv_pci_machine_free(b->pci.machine);
	pv_pci_close(b->pci.access);
}

/* Applies a policy. 0 or -errno. */
static int apply_policy(struct bench *b, enum pv_mps_policy policy)
{
	struct pv_policy_plan plan;
	struct pv_setting settings[FUNCS];
	size_t n = 0;
	int err;

	cr_assert_eq(pv_policy_plan(b->pci.machine, policy, NULL, 0, &plan), 0);
	for (size_t i = 0; i < plan.n; i++)
		if (plan.list[i].mps != plan.list[i].new_mps || plan.list[i].mrrs != plan.list[i].new_mrrs)
			settings[n++] =
				(struct pv_setting){plan.list[i].func, plan.list[i].new_mps, plan.list[i].new_mrrs};
	pv_policy_plan_free(&plan);
	err = pv_apply(&b->apply, settings, n, &b->e);
	return err;
}

static void expect_sizes(const char *name, int mps, int mrrs)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_SYSFS, tree, &e);
	const struct pv_pci_func *f = pv_pci_find_name(m, name);

	cr_expect(pv_mps_of(f) == mps && pv_mrrs_of(f) == mrrs, "%s: expected %d and %d, got %d and %d", name, mps,
		  mrrs, pv_mps_of(f), pv_mrrs_of(f));
	pv_pci_machine_free(m);
}

/* Returns true if every byte of every function is unchanged. */
static bool is_untouched(void)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_SYSFS, tree, &e);
	bool same = true;

	for (size_t i = 0; i < FUNCS; i++) {
		uint8_t space[256];

		build_space(&machine[i], space);
		if (memcmp(space, m->funcs[i].space, sizeof(space))) {
			cr_log_error("%s is not as it was", machine[i].name);
			same = false;
		}
	}
	pv_pci_machine_free(m);
	return same;
}

static void set_up(void)
{
	cr_assert(mkdtemp(tree));
	snprintf(journal, sizeof(journal), "%s/mps.journal", tree);
	build_tree(machine, tree);
}

static void tear_down(void)
{
	pv_remove_all(tree);
}

TestSuite(mps_apply, .init = set_up, .fini = tear_down, .timeout = 240);

/* ---- writes ---- */

Test(mps_apply, writes_what_was_planned_while_devices_are_stopped)
{
	struct bench b;

	bench_open(&b);
	b.odd = "0000:03:00.0";
	b.pending_reads = 5;
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0, "%s", b.e.text);
	cr_expect_not(b.wrote_while_on);
	cr_expect(b.forwards_at_all_times);
	cr_expect_eq(b.pending_reads, 0);
	bench_close(&b);
	expect_sizes("00:01.0", 512, 512);
	expect_sizes("03:00.0", 512, 512);
	expect_sizes("04:00.0", 256, 256);
	expect_sizes("05:00.0", 128, 128);
	bench_open(&b);
	for (size_t i = 0; i < FUNCS; i++)
		cr_expect(pv_pci_get(&b.pci.machine->funcs[i], PCI_COMMAND, 2) & PCI_COMMAND_MASTER, "%s is on again",
			  machine[i].name);
	bench_close(&b);
}

Test(mps_apply, restore_leads_back_to_before_the_first_of_several)
{
	struct bench b;

	bench_open(&b);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0);
	bench_close(&b);
	bench_open(&b);
	cr_assert_eq(apply_policy(&b, PV_MPS_SAFE), 0);
	bench_close(&b);
	expect_sizes("03:00.0", 256, 512);
	bench_open(&b);
	b.wrote_while_on = false;
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), 0, "%s", b.e.text);
	cr_expect_not(b.wrote_while_on, "restore stops devices, too");
	bench_close(&b);
	cr_expect(is_untouched());
	cr_expect_eq(access(journal, F_OK), -1);
	bench_open(&b);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), -ENOENT);
	bench_close(&b);
}

/* 03:00.0 keeps running while the MRRS of 04:00.0, below the same Root Port, changes; an MPS stops both. */
Test(mps_apply, an_mrrs_alone_stops_its_own_function_only)
{
	struct bench b;
	struct pv_setting one;

	bench_open(&b);
	one = (struct pv_setting){pv_pci_find_name(b.pci.machine, "04:00.0"), 128, 512};
	cr_expect(pv_apply_stops(&one, 1, one.func));
	cr_expect_not(pv_apply_stops(&one, 1, pv_pci_find_name(b.pci.machine, "03:00.0")));
	cr_expect_eq(pv_apply(&b.apply, &one, 1, &b.e), 0, "%s", b.e.text);
	one.mps = 256;
	cr_expect(pv_apply_stops(&one, 1, pv_pci_find_name(b.pci.machine, "03:00.0")));
	cr_expect_not(pv_apply_stops(&one, 1, pv_pci_find_name(b.pci.machine, "05:00.0")));
	bench_close(&b);
	expect_sizes("04:00.0", 128, 512);
}

Test(mps_apply, live_stops_nobody)
{
	struct bench b;

	bench_open(&b);
	b.apply.live = true;
	b.odd = "0000:03:00.0";
	b.pending = true;
	cr_expect_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0, "%s", b.e.text);
	cr_expect_eq(b.writes, 7, "%u: a write for each function that changes, and no other", b.writes);
	bench_close(&b);
}

/* Bit 15 would start a Function Level Reset, if a faulty device reads it as 1. */
Test(mps_apply, never_starts_a_reset)
{
	struct bench b;
	pv_bdf bdf;

	bench_open(&b);
	bdf = pv_pci_find_name(b.pci.machine, "03:00.0")->bdf;
	b.real.cfg_write(b.real.ctx, bdf, BUILD_EXP + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_BCR_FLR | 0x2000);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0);
	cr_expect_not(b.wrote_reset);
	bench_close(&b);
}

/* ---- faults ---- */

static const struct {
	const char *what, *odd;
	unsigned gone_after;
	bool pending, stubborn, always_master;
	int err;
	const char *says;
} failures[] = {
	{"a device that never comes to rest", "0000:04:00.0", 0, true, false, false, -ETIMEDOUT,
	 "0000:04:00.0: Transactions Pending is still set after 1000 ms"},
	{"a port that keeps its sizes", "0000:02:01.0", 0, false, true, false, -EREMOTEIO,
	 "0000:02:01.0: Device Control: expected 0x2040, it holds 0x2000"},
	{"a device that cannot be stopped", "0000:03:00.0", 0, false, false, true, -EREMOTEIO,
	 "0000:03:00.0: Bus Master Enable stays set"},
	{"one that is gone before anything is written", "0000:04:00.0", 1, false, false, false, -ENODEV,
	 "0000:04:00.0: reads all ones"},
};

Test(mps_apply, a_failure_leaves_all_as_it_was)
{
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		struct bench b;

		bench_open(&b);
		b.odd = failures[i].odd;
		b.gone_after = failures[i].gone_after;
		b.pending = failures[i].pending;
		b.stubborn = failures[i].stubborn;
		b.always_master = failures[i].always_master;
		cr_expect_eq(apply_policy(&b, PV_MPS_PERFORMANCE), failures[i].err, "%s", failures[i].what);
		cr_expect(strstr(b.e.text, failures[i].says), "%s: %s", failures[i].what, b.e.text);
		cr_expect(!failures[i].gone_after || !b.writes, "%s: %u writes", failures[i].what, b.writes);
		bench_close(&b);
		cr_expect(is_untouched(), "%s", failures[i].what);
		cr_expect_eq(access(journal, F_OK), -1, "%s", failures[i].what);
	}
}

Test(mps_apply, what_vanishes_in_the_middle_stays_in_the_journal)
{
	struct bench b;

	bench_open(&b);
	b.odd = "0000:04:00.0";
	b.gone_after = 2 + 7 + 1; /* after two stops and seven writes of sizes, its own the last */
	cr_expect_eq(apply_policy(&b, PV_MPS_PERFORMANCE), -EIO, "%s", b.e.text);
	cr_expect(
		strstr(b.e.text, "not everything is restored, see 'pcieval mps restore': 0000:04:00.0: reads all ones"),
		"%s", b.e.text);
	cr_expect(strstr(b.said, "0000:04:00.0: its sizes could not be put back"), "%s", b.said);
	bench_close(&b);
	/* No apply starts on top of an interrupted one. When the function is back, restore succeeds. */
	bench_open(&b);
	cr_expect_eq(apply_policy(&b, PV_MPS_SAFE), -EBUSY);
	cr_expect(strstr(b.e.text, "first 'pcieval mps restore'"), "%s", b.e.text);
	cr_expect_eq(b.writes, 0);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), 0, "%s", b.e.text);
	bench_close(&b);
	cr_expect(is_untouched());
}

Test(mps_apply, vfs_and_functions_that_were_replaced_are_refused)
{
	struct bench b;
	struct pv_setting setting;

	bench_open(&b);
	setting = (struct pv_setting){pv_pci_find_name(b.pci.machine, "03:00.0"), 256, 256};
	((struct pv_pci_func *)setting.func)->is_vf = true;
	cr_expect_eq(pv_apply(&b.apply, &setting, 1, &b.e), -EINVAL);
	((struct pv_pci_func *)setting.func)->is_vf = false;
	b.real.cfg_write(b.real.ctx, setting.func->bdf, PCI_DEVICE_ID, 2, 0x1234);
	cr_expect_eq(pv_apply(&b.apply, &setting, 1, &b.e), -ENODEV);
	cr_expect(strstr(b.e.text, "another function than a moment ago"), "%s", b.e.text);
	cr_expect_eq(b.writes, 0);
	bench_close(&b);
}

Test(mps_apply, restore_passes_over_what_has_left_the_machine)
{
	struct bench b;
	char path[96];

	bench_open(&b);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0);
	bench_close(&b);
	snprintf(path, sizeof(path), "%s/devices/0000:04:00.0", tree);
	pv_remove_all(path);
	bench_open(&b);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), 0, "%s", b.e.text);
	cr_expect(strstr(b.said, "0000:04:00.0 1b36:000c has left the machine"), "%s", b.said);
	bench_close(&b);
	expect_sizes("03:00.0", 128, 512);
}

/* A device that its driver has switched off in the meantime stays off. */
Test(mps_apply, restore_switches_nobody_on_whom_apply_left_on)
{
	struct bench b;
	pv_bdf bdf;

	bench_open(&b);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0);
	bdf = pv_pci_find_name(b.pci.machine, "03:00.0")->bdf;
	b.real.cfg_write(b.real.ctx, bdf, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	bench_close(&b);
	bench_open(&b);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), 0, "%s", b.e.text);
	cr_expect_eq(b.real.cfg_read(b.real.ctx, bdf, PCI_COMMAND, 2), PCI_COMMAND_MEMORY);
	bench_close(&b);
}

/* ---- kill -9 ---- */

/* Runs apply or restore in a child process that dies at write `at`. Returns false if it had fewer writes. */
static bool kill_at(unsigned at, bool after, bool restoring)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct bench b;

		bench_open(&b);
		b.kill_at = at;
		b.kill_after = after;
		if (restoring)
			pv_apply_restore(&b.apply, &b.e);
		else
			apply_policy(&b, PV_MPS_PERFORMANCE);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0, "0x%x", status);
	return WIFSIGNALED(status);
}

static void restore_now(const char *when, unsigned at)
{
	struct bench b;

	bench_open(&b);
	int err = b.undo.n ? pv_apply_restore(&b.apply, &b.e) : 0;

	cr_expect_eq(err, 0, "%s %u: %s", when, at, b.e.text);
	bench_close(&b);
	unlink(journal);
	cr_expect(is_untouched(), "%s %u", when, at);
}

Test(mps_apply, restores_after_a_kill_at_every_write_of_apply)
{
	unsigned kills = 0;

	for (int after = 0; after < 2; after++) {
		for (unsigned at = 1; kill_at(at, after, false); at++, kills++)
			restore_now(after ? "after write" : "before write", at);
		restore_now("not killed", 0);
	}
	cr_expect_eq(kills, 22, "%u", kills);
}

Test(mps_apply, restores_after_a_kill_at_every_write_of_restore)
{
	unsigned kills = 0;

	for (int after = 0; after < 2; after++)
		for (unsigned at = 1, more = 1; more; at++) {
			kill_at(8, after, false);
			more = kill_at(at, after, true);
			kills += more;
			restore_now(after ? "after write" : "before write", at);
		}
	cr_expect_geq(kills, 14, "%u", kills);
}

/* The line of a field is on disk before the field is written: after a torn line, the field is unchanged. */
Test(mps_apply, a_line_that_was_being_written_is_as_if_it_was_not)
{
	/* Each of the first nine writes has a line: two stops, seven sizes. */
	for (unsigned at = 1; at <= 9; at++) {
		struct stat st;

		cr_assert(kill_at(at, false, false));
		cr_assert_eq(stat(journal, &st), 0);
		cr_assert_eq(truncate(journal, st.st_size - 1 - at), 0);
		restore_now("torn at", at);
	}
}

/* Puts another text for the first occurrence of one of the same length. */
static void damage(const char *line, const char *with)
{
	_autofree_ char *text = NULL;
	struct pv_error e = {0};
	size_t n;

	cr_assert_eq(pv_file_read(journal, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	char *at = strstr(text, line);
	cr_assert_not_null(at, "%s in %s", line, text);
	memcpy(at, with, strlen(with));
	cr_assert_eq(pv_file_write(journal, text, n, &e), 0, "%s", e.text);
}

Test(mps_apply, a_damaged_line_keeps_no_other_from_being_restored)
{
	struct bench b;

	bench_open(&b);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0, "%s", b.e.text);
	bench_close(&b);
	damage("done\n", "dune\n");
	bench_open(&b);
	cr_expect_eq(apply_policy(&b, PV_MPS_SAFE), -EBUSY);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), -EBADMSG);
	cr_expect(strstr(b.e.text, "what the other lines say is restored: ") == b.e.text, "%s", b.e.text);
	cr_expect(strstr(b.e.text, "mps.journal:11: expected a line of pcieval mps, got another one (1 in all)"), "%s",
		  b.e.text);
	bench_close(&b);
	cr_expect(is_untouched());
	bench_open(&b);
	cr_expect_not(b.undo.under_way);
	cr_expect_eq(apply_policy(&b, PV_MPS_SAFE), -EBADMSG);
	cr_expect(strstr(b.e.text, "nothing was written: ") == b.e.text, "%s", b.e.text);
	cr_expect(is_untouched());
	bench_close(&b);
}

/* After a reboot, firmware and Linux have set all sizes anew. */
Test(mps_apply, a_journal_of_an_earlier_boot_is_forgotten)
{
	static const char old[] =
		"boot 00000000-0000-0000-0000-000000000000\n0000:03:00.0 1b36:000c devctl 0x70e0 0x5020\n";
	struct bench b;

	cr_assert_eq(pv_file_write(journal, old, strlen(old), NULL), 0);
	bench_open(&b);
	cr_expect(b.undo.stale && !b.undo.n && !b.undo.under_way);
	cr_assert_eq(apply_policy(&b, PV_MPS_PERFORMANCE), 0, "%s", b.e.text);
	bench_close(&b);
	bench_open(&b);
	cr_expect(!b.undo.stale && b.undo.n);
	cr_expect_eq(pv_apply_restore(&b.apply, &b.e), 0, "%s", b.e.text);
	bench_close(&b);
	cr_expect(is_untouched());
}

Test(mps_apply, two_at_once_are_refused_and_so_is_another_file)
{
	struct bench b;
	struct pv_undo other;
	struct pv_error e = {0};

	bench_open(&b);
	cr_expect_eq(pv_undo_open(&other, journal, &e), -EBUSY);
	bench_close(&b);
	cr_assert_eq(pv_file_write(journal, "0000:03:00.0 1b36:000c devctl 0xffff 0x8000\n", 44, &e), 0);
	cr_expect_eq(pv_undo_open(&other, journal, &e), -EBADMSG);
	cr_expect(strstr(e.text, "mps.journal:1: expected the boot ID"), "%s", e.text);
}
