/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of a real machine: pcieval-far on a tree of files like /sys, and shell scripts as far sides that send
 * garbage, hang or die.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/board.h"
#include "framework/board/child.h"
#include "framework/util/file.h"

#define TOPOLOGY                                                                                                   \
	"\"topology\":{\"nodes\":[{\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:08.0\",\"sicl\":0,\"core\":1}," \
	"{\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"00:10.0\"},{\"kind\":\"cxl-mem\",\"name\":\"mem1\","    \
	"\"bdf\":\"00:11.0\"}]}"

static char root[] = "/dev/shm/pv-board-XXXXXX";
static struct pv_target *t;
static struct pv_error e;
static struct pv_child far;
static char case_folder[512];
static const char *built_in = "\"default (proc/config.gz)\""; /* the kernel's MPS policy without an argument */

/* ---- the tree ---- */

static void put(const char *path, const char *text)
{
	char full[512], folder[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(full, '/') - full), full);
	cr_assert_eq(pv_mkdir_all(folder, 0755), 0);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void add_pmu(const char *function, const char *name, const char *type)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/%s/type", function, name);
	put(path, type);
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", root);
	cr_assert_eq(pv_mkdir_all(path, 0755), 0);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/%s/%s", function, name);
	cr_assert_eq(symlink(target, path), 0);
}

static void add_ptt(const char *name)
{
	char path[256];

	add_pmu("0000:00:08.0", name, "33\n");
	snprintf(path, sizeof(path), "sys/devices/pci0000:00/0000:00:08.0/%s/tune/qos_tx_p", name);
	put(path, "1\n");
}

static void setup(void)
{
	cr_assert_not_null(mkdtemp(root));
	put("sys/bus/pci/devices/none", "");
	t = NULL;
	e = (struct pv_error){0};
	far = (struct pv_child){.in = -1, .out = -1};
}

static void teardown(void)
{
	if (t)
		t->ops->close(t);
	pv_child_stop(&far, 1000);
	pv_remove_all(root);
}

TestSuite(board, .init = setup, .fini = teardown, .timeout = 60);

/* ---- the target ---- */

static int open_on(const char *streams, const char *timeout_s)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"timeout_s\":%s,\"folder\":\"%s\",\"far\":{\"streams\":%s,\"mps_policy\":%s}," TOPOLOGY "}",
		 timeout_s, case_folder, streams, built_in);
	json_object *msg = json_tokener_parse(text);
	cr_assert_not_null(msg, "%s", text);
	int err = pv_target_local.open(&t, msg, &e);
	json_object_put(msg);
	return err;
}

static int open_with(const char *const *command, const char *timeout_s)
{
	char streams[32];

	pv_child_end(&far, 1000);
	cr_assert_eq(pv_child_start(&far, command, PV_CHILD_OWN_GROUP, -1, &e), 0, "%s", e.text);
	snprintf(streams, sizeof(streams), "[%d,%d]", far.out, far.in);
	return open_on(streams, timeout_s);
}

static int boot_with(const char *const *command, const char *timeout_s)
{
	cr_assert_eq(open_with(command, timeout_s), 0, "%s", e.text);
	return t->machine->ops->boot(t->machine, PV_MPS_DEFAULT, &e);
}

static int open_far(const char *option)
{
	const char *const command[] = {PCIEVAL_FAR, option, "--root", root, NULL};

	return open_with(command, "60");
}

static int boot_far(const char *option)
{
	int err = open_far(option);

	return err ? err : t->machine->ops->boot(t->machine, PV_MPS_DEFAULT, &e);
}

Test(board, attributes_are_read)
{
	char text[64];

	add_ptt("hisi_ptt0_1");
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
	cr_expect_eq(t->driver->ops->attr_read(t->driver, "hisi_ptt0_1", "tune/qos_tx_p", text, sizeof(text)), 1);
	cr_expect_str_eq(text, "1");
	cr_expect_null(t->workload);
	cr_expect_null(t->truth);
	cr_expect_str_eq(t->topology->nodes[0].name, "ptt0");
}

Test(board, what_changes_the_machine_is_not_there)
{
	add_ptt("hisi_ptt0_1");
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
	cr_expect_null(t->driver->ops->attr_write);
	cr_expect_null(t->driver->ops->set_size);
	cr_expect_null(t->driver->ops->remove);
	cr_expect_null(t->driver->ops->rescan);
	cr_expect_null(t->machine->ops->reg_write);
	cr_expect_null(t->machine->ops->module);
	cr_expect_null(t->machine->ops->cpu_online);
	cr_expect_not_null(t->driver->ops->attr_read);
	cr_expect_not_null(t->driver->ops->event_open);
}

Test(board, a_ptt_of_another_place)
{
	add_ptt("hisi_ptt2_1");
	cr_expect_eq(boot_far("--read-only"), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, "ptt0: expected a PTT of SICL 0, core 1, got that of hisi_ptt2_1");
}

/* The kernel probed 00:11.0 first. */
Test(board, memory_devices_have_the_numbers_of_the_plan)
{
	char text[64];
	pv_bdf parent = 0;

	add_pmu("0000:00:11.0", "cxl_pmu_mem0.0", "33\n");
	add_pmu("0000:00:10.0", "cxl_pmu_mem1.0", "34\n");
	add_pmu("0000:00:10.0", "cxl_pmu_mem1.1", "35\n");
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
	cr_expect_str_eq(t->driver->ops->pmu_name(t->driver, 0), "cxl_pmu_mem1.0");
	cr_expect_str_eq(t->driver->ops->pmu_name(t->driver, 1), "cxl_pmu_mem0.0");
	cr_expect_str_eq(t->driver->ops->pmu_name(t->driver, 2), "cxl_pmu_mem0.1");
	cr_expect_eq(t->driver->ops->pmu_parent(t->driver, "cxl_pmu_mem0.1", &parent), 0);
	cr_expect_eq(parent, PCI_BDF(0, 0x10, 0));
	cr_expect_eq(t->driver->ops->attr_read(t->driver, "cxl_pmu_mem1.0", "type", text, sizeof(text)), 2);
	cr_expect_str_eq(text, "33");
	cr_expect_eq(t->driver->ops->attr_read(t->driver, "cxl_pmu_mem1.1", "type", text, sizeof(text)), -ENODEV);
}

Test(board, more_cxl_pmus_than_it_can_number)
{
	char name[32];

	for (unsigned i = 0; i < 65; i++) {
		snprintf(name, sizeof(name), "cxl_pmu_mem1.%u", i);
		add_pmu("0000:00:10.0", name, "33\n");
	}
	cr_expect_eq(boot_far("--read-only"), -E2BIG);
	cr_expect_str_eq(e.text, "expected at most 64 CXL PMUs of the plan's memory devices, got more");
}

Test(board, a_ptt_without_a_pmu_is_for_the_case_to_judge)
{
	cr_expect_eq(boot_far("--read-only"), 0, "%s", e.text);
}

Test(board, another_policy_than_that_of_the_machine)
{
	cr_assert_eq(open_far("--read-only"), 0, "%s", e.text);
	cr_expect_eq(t->machine->ops->boot(t->machine, PV_MPS_PEER2PEER, &e), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, "expected a machine booted with MPS policy peer2peer, got default");
}

/* This machine's command line must not say pci=pcie_bus_*. */
Test(board, a_policy_that_is_configured_or_unknown)
{
	built_in = "\"perf (proc/config.gz)\"";
	cr_expect_eq(boot_far("--read-only"), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, "expected a machine booted with MPS policy default, got perf");
	t->ops->close(t);
	built_in = "null";
	cr_expect_eq(boot_far("--read-only"), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, PV_BOARD_POLICY_UNKNOWN);
}

Test(board, a_machine_in_use_is_not_rebooted)
{
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
	cr_expect_eq(t->machine->ops->boot(t->machine, PV_MPS_DEFAULT, &e), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, "a machine in use is not rebooted");
}

Test(board, files_and_time_before_boot)
{
	const char *const command[] = {PCIEVAL_FAR, "--read-only", NULL};
	char text[256];

	cr_assert_eq(open_with(command, "60"), 0);
	cr_expect_eq(t->machine->ops->wait(t->machine, 1000), 0);
	cr_expect_gt(t->machine->ops->file_read(t->machine, "/proc/sys/kernel/ostype", text, sizeof(text)), 0);
	cr_expect_str_eq(text, "Linux\n");
	cr_expect_eq(t->machine->ops->file_read(t->machine, "/none", text, sizeof(text)), -ENOENT);
}

/* ---- the kernel log of the case ---- */

static char told_text[256];

static void keep_told(void *ctx, const char *kind, const char *text)
{
	snprintf(told_text, sizeof(told_text), "%s: %s", kind, text);
}

static void log_record(const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/dev/kmsg", root);
	int fd = open(path, O_WRONLY | O_APPEND);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void boot_with_log(void)
{
	put("dev/kmsg", "4,1,1,-;WARNING: CPU: 0 PID: 7 at hisi_ptt.c, of an earlier case\n");
	told_text[0] = 0;
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
}

Test(board, a_warning_during_the_case_is_told)
{
	boot_with_log();
	log_record("4,2,1,-;WARNING: CPU: 0 PID: 7 at drivers/hwtracing/ptt/hisi_ptt.c:1\n");
	t->machine->ops->shutdown(t->machine, keep_told, NULL);
	cr_expect_str_eq(told_text, "kernel: WARNING: CPU: 0 PID: 7 at drivers/hwtracing/ptt/hisi_ptt.c:1\n");
}

Test(board, what_was_logged_before_is_of_others)
{
	put("dev/kmsg", "");
	cr_assert_eq(open_far("--read-only"), 0, "%s", e.text);
	cr_expect_eq(t->machine->ops->wait(t->machine, 1), 0, "the far side runs");
	log_record("4,1,1,-;WARNING: CPU: 0 PID: 7 at hisi_ptt.c, of an earlier case\n");
	cr_assert_eq(t->machine->ops->boot(t->machine, PV_MPS_DEFAULT, &e), 0, "%s", e.text);
	told_text[0] = 0;
	t->machine->ops->shutdown(t->machine, keep_told, NULL);
	cr_expect_str_eq(told_text, "");
}

Test(board, the_log_is_an_artefact)
{
	const char *const command[] = {PCIEVAL_FAR, "--read-only", "--root", root, NULL};
	char path[640];

	snprintf(case_folder, sizeof(case_folder), "%s/case", root);
	cr_assert_eq(pv_mkdir_all(case_folder, 0755), 0);
	put("dev/kmsg", "");
	cr_assert_eq(boot_with(command, "60"), 0, "%s", e.text);
	log_record("6,2,2000001,-;usb 1-1: hello\n");
	t->machine->ops->shutdown(t->machine, keep_told, NULL);
	char *got = NULL;
	size_t n;
	snprintf(path, sizeof(path), "%s/kernel.log", case_folder);
	cr_assert_eq(pv_file_read(path, 4096, &got, &n, &e), 0, "%s", e.text);
	cr_expect_str_eq(got, "[    2.000001] usb 1-1: hello\n");
	free(got);
}

/* A file of a process stands in for the log: it can be read until the process has ended. */
Test(board, a_log_that_becomes_unreadable_during_the_case_is_told)
{
	char path[256], file[64];
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "%s/dev", root);
	cr_assert_eq(pv_mkdir_all(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/dev/kmsg", root);
	snprintf(file, sizeof(file), "/proc/%d/oom_score_adj", (int)child);
	cr_assert_eq(symlink(file, path), 0);
	int err = boot_far("--read-only");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert_eq(err, 0, "%s", e.text);
	told_text[0] = 0;
	t->machine->ops->shutdown(t->machine, keep_told, NULL);
	cr_expect_str_eq(told_text, "guest: looking for kernel reports: expected to read /dev/kmsg, as when the case "
				    "began, got ESRCH");
}

/* The environment of the run says so, once. */
Test(board, a_log_that_was_never_readable_is_not_told)
{
	told_text[0] = 0;
	cr_assert_eq(boot_far("--read-only"), 0, "%s", e.text);
	t->machine->ops->shutdown(t->machine, keep_told, NULL);
	cr_expect_str_eq(told_text, "");
}

/* ---- bad far sides ---- */

static void expect_refused(const char *script, const char *says)
{
	const char *const command[] = {"sh", "-c", script, NULL};

	cr_expect_neq(boot_with(command, "2"), 0, "%s", script);
	cr_expect(strstr(e.text, says), "%s: expected \"%s\", got \"%s\"", script, says, e.text);
	cr_expect_null(t->driver, "%s", script);
	cr_expect_eq(t->machine->ops->wait(t->machine, 1), -ECONNRESET, "%s: it is not asked again", script);
	t->ops->close(t);
	t = NULL;
}

Test(board, a_far_side_that_is_none)
{
	signal(SIGPIPE, SIG_IGN);
	expect_refused("exit 3", "no answer: Broken pipe");
	expect_refused("kill -9 $$", "no answer: Broken pipe");
	expect_refused("head -c 4 >/dev/null; echo Welcome to board 7", "does a login script");
	expect_refused("head -c 4 >/dev/null; printf '\\4\\0\\0\\0abcd'", "a shorter one");
	expect_refused("head -c 4 >/dev/null; printf '\\0\\0\\0\\0'", "a shorter one");
	expect_refused("head -c 4 >/dev/null; printf '\\377\\377\\377\\377'", "no message");
	expect_refused("head -c 4 >/dev/null; printf '\\100\\0\\0\\0ab'", "no answer: Broken pipe");
}

Test(board, a_far_side_that_hangs)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	expect_refused("exec sleep 1000", "no answer: Connection timed out");
	clock_gettime(CLOCK_MONOTONIC, &end);
	cr_expect_leq(end.tv_sec - begin.tv_sec, 30, "three quarters of the case's 2 s, on a busy machine");
	pv_child_stop(&far, 1000);
}

static bool told_dead;

static void note_told(void *ctx, const char *kind, const char *text)
{
	told_dead = !strcmp(kind, "guest") && strstr(text, "no answer: ");
}

/* The far side dies at its second request. */
Test(board, a_far_side_that_dies_in_the_middle)
{
	const char *const command[] = {"sh", "-c", "dd bs=1 count=50 2>&- | " PCIEVAL_FAR " --read-only", NULL};

	cr_expect_neq(boot_with(command, "10"), 0);
	cr_expect(strstr(e.text, "no answer: "), "%s", e.text);
	t->machine->ops->shutdown(t->machine, note_told, NULL);
	cr_expect(told_dead);
}

Test(board, streams_that_are_none)
{
	static const char *const streams[] = {"[]", "{}", "3", "null", "[3]", "[0,1]", "[900,901]", "[\"3\",4,5]"};

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		cr_expect_eq(open_on(streams[i], "5"), -EINVAL, "%s", streams[i]);
		cr_expect(strstr(e.text, "\"far\": \"streams\": expected two open descriptors, got "), "%s", e.text);
	}
}

/* ---- the child ---- */

/* ssh sets O_NONBLOCK on its standard error; in CI our standard output goes into the same pipe. */
Test(board, a_child_cannot_make_our_output_non_blocking)
{
	const char *const argv[] = {
		"python3", "-c", "import fcntl, os; fcntl.fcntl(2, fcntl.F_SETFL, os.O_NONBLOCK); os.write(2, b'said')",
		NULL};
	struct pv_child c;
	char said[8] = "";
	int out[2], ours = dup(STDERR_FILENO);

	cr_assert_eq(pipe(out), 0);
	dup2(out[1], STDERR_FILENO);
	int err = pv_child_start(&c, argv, PV_CHILD_OWN_GROUP, -1, &e);
	int status = err ? 0 : pv_child_end(&c, 30000);
	dup2(ours, STDERR_FILENO);
	cr_assert_eq(err, 0, "%s", e.text);
	cr_expect_eq(status, 0);
	cr_expect_eq(fcntl(out[1], F_GETFL) & O_NONBLOCK, 0);
	cr_expect_eq(read(out[0], said, sizeof(said)), 4);
	cr_expect_str_eq(said, "said");
	close(ours);
	close(out[0]);
	close(out[1]);
}

/* When the child has ended, all output is copied, including earlier output of its own child. */
Test(board, what_a_child_says_has_no_control_characters)
{
	const char *const argv[] = {
		"sh", "-c",
		"printf 'a\\tb\\033]0;x\\007\\177\\r\\n\\303\\244' >&2; sh -c 'sleep 0.2; echo c >&2' & exit 3", NULL};
	struct pv_child c;
	char said[64] = "";
	int out[2], ours = dup(STDERR_FILENO);

	cr_assert_eq(pipe(out), 0);
	dup2(out[1], STDERR_FILENO);
	int err = pv_child_start(&c, argv, PV_CHILD_OWN_GROUP, -1, &e);
	int status = err ? 0 : pv_child_end(&c, 30000);
	dup2(ours, STDERR_FILENO);
	close(out[1]);
	cr_assert_eq(err, 0, "%s", e.text);
	cr_expect_eq(status, 3 << 8);
	for (ssize_t n = 0, got; (got = read(out[0], said + n, sizeof(said) - 1 - (size_t)n)) > 0;)
		n += got;
	cr_expect_str_eq(said, "a\tb\\x1b]0;x\\x07\\x7f\n\303\244c\n");
	close(ours);
	close(out[0]);
}

/* A second child with the first one's standard input would hide the end of that input. */
Test(board, children_do_not_keep_each_other)
{
	const char *const argv[] = {"cat", NULL};
	struct pv_child a, b;

	cr_assert_eq(pv_child_start(&a, argv, PV_CHILD_OWN_GROUP, -1, &e), 0, "%s", e.text);
	cr_assert_eq(pv_child_start(&b, argv, PV_CHILD_OWN_GROUP, -1, &e), 0, "%s", e.text);
	cr_expect_eq(pv_child_end(&a, 5000), 0, "it was killed");
	cr_expect_eq(pv_child_end(&b, 5000), 0, "it was killed");
}

Test(board, a_child_ends_with_whoever_started_it)
{
	int out[2];
	char byte;

	cr_assert_eq(pipe(out), 0);
	pid_t pid = fork();
	if (!pid) {
		const char *const argv[] = {"sh", "-c", "echo x >&2; exec sleep 20", NULL};
		struct pv_child c;

		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		close(out[1]);
		if (!pv_child_start(&c, argv, PV_CHILD_OWN_GROUP, -1, &e))
			pause();
		_exit(1);
	}
	close(out[1]);
	cr_assert_eq(read(out[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* The pipe ends when its last process, sleep, closes it. */
	struct pollfd fd = {.fd = out[0]};
	cr_expect_eq(poll(&fd, 1, 10000), 1, "the child is still there");
	close(out[0]);
}
