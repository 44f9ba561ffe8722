/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the kernel's software PMU, which every machine has: through the same code as those of hardware. Skipped
 * where perf_event_open(2) is forbidden.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/linux/linux.h"
#include "framework/util/file.h"

#define CPU_CLOCK	 0
#define TASK_CLOCK	 1
#define CONTEXT_SWITCHES 3
#define MS		 1000000u

static struct pv_linux *l;
static struct pv_driver *d;
static struct pv_machine *m;

static void teardown(void)
{
	pv_linux_close(l);
}

static void setup(void)
{
	struct pv_perf_event *ev;
	struct pv_error e = {0};
	int err;

	cr_assert_eq(pv_linux_open(&l, "", &e), 0, "%s", e.text);
	d = pv_linux_driver(l);
	m = pv_linux_machine(l);
	err = d->ops->event_open(d, "software", &(struct pv_perf_attr){.config = CPU_CLOCK}, NULL, NULL, NULL, &ev);
	if (err == -EACCES || err == -EPERM || err == -ENOSYS || err == -ENODEV) {
		teardown();
		cr_skip_test("no perf_event_open(2) here");
	}
	cr_assert_eq(err, 0, "%s", strerror(-err));
	d->ops->event_close(d, ev);
}

TestSuite(linux_events, .init = setup, .fini = teardown);

static struct pv_perf_event *open_event(const struct pv_perf_attr *attr, struct pv_perf_event *leader)
{
	struct pv_perf_event *ev = NULL;
	int err = d->ops->event_open(d, "software", attr, leader, NULL, NULL, &ev);

	cr_assert_eq(err, 0, "%s", strerror(-err));
	return ev;
}

static uint64_t value_of(struct pv_perf_event *ev)
{
	uint64_t value = UINT64_MAX;

	cr_assert_eq(d->ops->event_read(d, ev, &value), 0);
	return value;
}

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

Test(linux_events, nothing_counts_before_it_is_enabled)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);

	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(ev), 0);
	cr_expect_eq(d->ops->event_enable(d, ev), 0);
	m->ops->wait(m, 10 * MS);
	cr_expect_geq(value_of(ev), 10 * MS);
	cr_expect_eq(d->ops->event_disable(d, ev), 0);
	uint64_t stopped = value_of(ev);
	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(ev), stopped);
	d->ops->event_close(d, ev);
}

/* Nothing is mapped that could have room or data: as Linux has it, the other side has hung up. */
Test(linux_events, a_counter_can_be_polled)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	uint32_t revents = 0;

	cr_expect_eq(d->ops->event_poll(d, ev, &revents), 0);
	cr_expect_eq(revents, POLLHUP);
	d->ops->event_close(d, ev);
}

static bool is_mapped(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	cr_assert_not_null(f);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, "[perf_event]");
	fclose(f);
	return found;
}

Test(linux_events, a_counter_can_be_mapped)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);

	cr_expect_eq(d->ops->event_mmap(d, ev), 0);
	cr_expect_not(is_mapped());
	d->ops->event_close(d, ev);
}

Test(linux_events, times_come_with_the_value)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	uint64_t enabled = 0, running = 0, value;

	cr_expect_eq(d->ops->event_times(d, ev, &enabled, &running), -ENODATA, "it was never read");
	d->ops->event_enable(d, ev);
	m->ops->wait(m, 5 * MS);
	d->ops->event_disable(d, ev);
	value = value_of(ev);
	cr_expect_eq(d->ops->event_times(d, ev, &enabled, &running), 0);
	cr_expect_geq(enabled, 5 * MS);
	cr_expect_eq(running, enabled, "one event is not multiplexed");
	cr_expect_leq(value, enabled + MS, "the value is in ns, as the times are");
	d->ops->event_close(d, ev);
}

Test(linux_events, a_group_starts_and_stops_with_its_leader)
{
	struct pv_perf_event *leader = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	struct pv_perf_event *member = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, leader);
	uint64_t a, b;

	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(member), 0, "the leader does not run");
	d->ops->event_enable(d, leader);
	m->ops->wait(m, 5 * MS);
	d->ops->event_disable(d, leader);
	a = value_of(leader);
	b = value_of(member);
	cr_expect_geq(b, 5 * MS);
	cr_expect_lt(a > b ? a - b : b - a, 2 * MS, "they count together: %llu, %llu", (unsigned long long)a,
		     (unsigned long long)b);
	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(member), b);
	d->ops->event_close(d, leader);
	d->ops->event_close(d, member);
}

/* One counts nanoseconds, the other goes up by one: neither can be taken for the other. */
Test(linux_events, each_member_of_a_group_has_its_own_count)
{
	struct pv_perf_event *leader = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK, .per_task = true}, NULL);
	struct pv_perf_event *member =
		open_event(&(struct pv_perf_attr){.config = CONTEXT_SWITCHES, .per_task = true}, leader);

	d->ops->event_enable(d, leader);
	for (unsigned i = 0; i < 5; i++)
		m->ops->wait(m, MS);
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
	d->ops->event_disable(d, leader);
	cr_expect_gt(value_of(leader), MS);
	cr_expect_geq(value_of(member), 5);
	cr_expect_lt(value_of(member), 100000);
	cr_expect_gt(value_of(leader), MS, "reading the member changes nothing");
	d->ops->event_close(d, member);
	d->ops->event_close(d, leader);
}

Test(linux_events, a_member_that_was_stopped_alone_starts_with_its_leader)
{
	struct pv_perf_event *leader = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	struct pv_perf_event *member = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, leader);
	uint64_t before;

	d->ops->event_enable(d, leader);
	d->ops->event_disable(d, member);
	before = value_of(member);
	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(member), before);
	d->ops->event_enable(d, leader);
	m->ops->wait(m, 2 * MS);
	cr_expect_geq(value_of(member), before + 2 * MS);
	d->ops->event_close(d, leader);
	d->ops->event_close(d, member);
}

Test(linux_events, a_member_starts_without_its_leader)
{
	struct pv_perf_event *leader = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	struct pv_perf_event *member = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, leader);

	d->ops->event_enable(d, member);
	m->ops->wait(m, 2 * MS);
	cr_expect_eq(value_of(leader), 0u);
	d->ops->event_close(d, member);
	d->ops->event_close(d, leader);
}

Test(linux_events, a_member_of_a_member_is_refused_by_the_kernel)
{
	struct pv_perf_event *leader = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	struct pv_perf_event *member = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, leader), *third = NULL;

	cr_expect_eq(d->ops->event_open(d, "software", &(struct pv_perf_attr){.config = CPU_CLOCK}, member, NULL, NULL,
					&third),
		     -EINVAL);
	third = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, leader);
	d->ops->event_close(d, third);
	d->ops->event_close(d, member);
	d->ops->event_close(d, leader);
}

/* An event of this thread on the first CPU alone would stand still from here on. */
static void leave_first_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (long i = 1; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		CPU_SET((int)i, &set);
	if (CPU_COUNT(&set))
		cr_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Task clock runs for the thread alone: it stands still while the thread sleeps. */
Test(linux_events, a_task_is_this_one)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = TASK_CLOCK, .per_task = true}, NULL);
	uint64_t slept;

	leave_first_cpu();
	d->ops->event_enable(d, ev);
	m->ops->wait(m, 50 * MS);
	slept = value_of(ev);
	cr_expect_lt(slept, 40 * MS);
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
	cr_expect_gt(value_of(ev), slept + 2 * MS);
	d->ops->event_close(d, ev);
}

static int open_error(const struct pv_perf_attr *attr)
{
	struct pv_perf_event *ev;
	int err = d->ops->event_open(d, "software", attr, NULL, NULL, NULL, &ev);

	if (!err)
		d->ops->event_close(d, ev);
	return err;
}

Test(linux_events, cpu_and_type_are_those_that_are_asked_for)
{
	cr_expect_eq(open_error(&(struct pv_perf_attr){.config = CPU_CLOCK, .on_cpu = true}), 0);
	cr_expect_eq(open_error(&(struct pv_perf_attr){.config = CPU_CLOCK, .on_cpu = true, .cpu = 1 << 20}), -EINVAL);
	cr_expect_eq(open_error(&(struct pv_perf_attr){.config = CPU_CLOCK, .type = 0x7ffffff0}), -ENOENT);
}

/* A CPU counts nothing if everything is excluded. */
Test(linux_events, exclude_bits_reach_the_kernel)
{
	const struct pv_perf_attr all = {.config = CONTEXT_SWITCHES, .per_task = true},
				  none = {.config = CONTEXT_SWITCHES,
					  .per_task = true,
					  .exclude = 1u << PV_PERF_EXCLUDE_KERNEL};
	struct pv_perf_event *a = open_event(&all, NULL), *b = open_event(&none, NULL);

	d->ops->event_enable(d, a);
	d->ops->event_enable(d, b);
	m->ops->wait(m, 5 * MS);
	cr_expect_geq(value_of(a), 1);
	cr_expect_eq(value_of(b), 0, "switches happen in the kernel");
	d->ops->event_close(d, a);
	d->ops->event_close(d, b);
}

Test(linux_events, what_the_kernel_refuses)
{
	struct pv_perf_event *ev = NULL;

	cr_expect_eq(d->ops->event_open(d, "none", &(struct pv_perf_attr){0}, NULL, NULL, NULL, &ev), -ENODEV);
	cr_expect_eq(d->ops->event_open(d, "software", &(struct pv_perf_attr){.config = 4711}, NULL, NULL, NULL, &ev),
		     -ENOENT);
	cr_expect_null(ev);
}

/* The software PMU has no AUX area: the data pages are mapped, then mmap(2) of the area fails. */
Test(linux_events, an_aux_area_that_cannot_be_mapped_leaves_nothing_behind)
{
	struct pv_perf_event *ev = NULL;
	unsigned before = open_descriptors();
	int err = d->ops->event_open(d, "software", &(struct pv_perf_attr){.aux = true, .aux_bytes = 1 << 16}, NULL,
				     NULL, NULL, &ev);

	cr_expect_lt(err, 0);
	cr_expect_neq(err, -EBADF);
	cr_expect_null(ev);
	cr_expect_eq(open_descriptors(), before);
}

Test(linux_events, descriptors_are_closed_and_not_inherited)
{
	unsigned before = open_descriptors();
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	int events = 0;

	cr_expect_eq(open_descriptors(), before + 1);
	for (int fd = 0; fd < 256; fd++) {
		char path[32], target[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) < 0 || strcmp(target, "anon_inode:[perf_event]"))
			continue;
		events++;
		cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	cr_expect_eq(events, 1);
	d->ops->event_close(d, ev);
	cr_expect_eq(open_descriptors(), before);
}

Test(linux_events, events_without_an_area_have_no_records)
{
	struct pv_perf_event *ev = open_event(&(struct pv_perf_attr){.config = CPU_CLOCK}, NULL);
	struct pv_perf_records r;

	cr_expect_eq(d->ops->event_records(d, ev, &r), -EINVAL);
	cr_expect_eq(d->ops->event_hold(d, ev, true), -EINVAL);
	d->ops->event_close(d, ev);
}

/* ---- the shell ---- */

static char out_text[4096], err_text[16];

static int run(const char *const *argv, uint32_t timeout_ms, int *status, struct pv_shell_output *out,
	       struct pv_shell_output *err)
{
	struct pv_shell *s = pv_linux_shell(l);

	*out = (struct pv_shell_output){.text = out_text, .room = sizeof(out_text)};
	*err = (struct pv_shell_output){.text = err_text, .room = sizeof(err_text)};
	return s->ops->run(s, argv, timeout_ms, status, out, err);
}

TestSuite(linux_shell, .init = setup, .fini = teardown);

Test(linux_shell, output_and_status)
{
	const char *const argv[] = {"sh", "-c", "printf 'one\\0two'; echo no >&2; exit 3", NULL};
	struct pv_shell_output out, err;
	int status;

	cr_expect_eq(run(argv, 10000, &status, &out, &err), 0);
	cr_expect_eq(status, 0x300);
	cr_expect_eq(out.len, 7);
	cr_expect_eq(memcmp(out_text, "one\0two", 8), 0);
	cr_expect_str_eq(err_text, "no\n");
	cr_expect_not(out.cut || err.cut);
}

Test(linux_shell, more_output_than_there_is_room_for)
{
	const char *const argv[] = {"sh", "-c", "seq 1000; seq 100000 >&2", NULL};
	struct pv_shell_output out, err;
	int status;

	cr_expect_eq(run(argv, 10000, &status, &out, &err), 0);
	cr_expect_eq(out.len, 3893);
	cr_expect_not(out.cut);
	cr_expect(err.cut);
	cr_expect_eq(err.len, 15);
	cr_expect_str_eq(err_text, "1\n2\n3\n4\n5\n6\n7\n8");
}

Test(linux_shell, a_program_that_takes_too_long_is_killed_with_its_children)
{
	const char *const argv[] = {"sh", "-c", "echo begun; sleep 60 & sleep 60", NULL};
	struct pv_shell_output out, err;
	int status;

	cr_expect_eq(run(argv, 300, &status, &out, &err), -ETIMEDOUT);
	cr_expect_str_eq(out_text, "begun\n");
}

Test(linux_shell, a_program_that_is_not_there)
{
	const char *const argv[] = {"no-such-program", NULL};
	struct pv_shell_output out, err;
	int status;

	cr_expect_eq(run(argv, 10000, &status, &out, &err), 0);
	cr_expect_eq(status, 127 << 8);
	cr_expect_eq(strncmp(err_text, "no-such-program", 15), 0);
	cr_expect(err.cut);
}

/* Below another root, since all programs of this one's are ended. */
Test(linux_shell, temporary_files_do_not_outlive_the_programs)
{
	const char *const argv[] = {"sh", "-c", "cd \"$TMPDIR\" && pwd && mkdir -p a/b && echo >a/b/c", NULL};
	char root[] = "/dev/shm/pv-root-XXXXXX", path[64];
	struct pv_shell_output out, err;
	struct pv_error e;
	int status;

	cr_assert_not_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/sys/bus", root);
	cr_assert_eq(pv_mkdir_all(path, 0777), 0);
	pv_linux_close(l);
	cr_assert_eq(pv_linux_open(&l, root, &e), 0, "%s", e.text);
	cr_assert_eq(run(argv, 10000, &status, &out, &err), 0);
	cr_assert_eq(status, 0, "%s", err_text);
	out_text[strcspn(out_text, "\n")] = 0;
	cr_expect_eq(access(out_text, F_OK), 0);
	cr_expect_eq(pv_linux_end_programs(l, &e), 0, "%s", e.text);
	cr_expect_neq(access(out_text, F_OK), 0, "%s is still there", out_text);
	cr_expect_eq(pv_linux_end_programs(l, &e), 0, "again: %s", e.text);
	pv_remove_all(root);
}

Test(linux_shell, files)
{
	struct pv_shell *s = pv_linux_shell(l);
	char path[] = "/dev/shm/pv-file-XXXXXX", buf[16];

	close(mkstemp(path));
	cr_expect_eq(s->ops->file_write(s, path, "0123456789", 10, false), 0);
	cr_expect_eq(s->ops->file_read(s, path, 4, buf, 3), 3);
	cr_expect_eq(memcmp(buf, "456", 3), 0);
	cr_expect_eq(s->ops->file_read(s, path, 4, buf, sizeof(buf)), 6);
	cr_expect_eq(s->ops->file_read(s, path, 10, buf, sizeof(buf)), 0);
	unlink(path);
	cr_expect_eq(s->ops->file_read(s, path, 0, buf, 1), -ENOENT);
	cr_expect_eq(s->ops->file_write(s, path, "x", 1, false), -ENOENT);
	cr_expect_eq(s->ops->file_write(s, path, "x", 1, true), 0);
	unlink(path);
}

Test(linux_shell, modules_that_are_not_there)
{
	struct pv_shell *s = pv_linux_shell(l);

	cr_expect_eq(s->ops->module_load(s, "/nonexistent.ko", ""), -ENOENT);
	cr_expect_lt(s->ops->module_unload(s, "no_such_module"), 0);
}
