/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client and server: every call arrives as it was made, and comes back as it was answered. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/protocol.h"
#include "framework/far/tests/fake.h"

static struct fake fake;
static struct pv_far_client *client;
static struct pv_driver *d;
static struct pv_machine *m;
static struct pv_shell *sh;
static struct pv_driver_ops few; /* of a driver that lacks something */
static bool read_only;

static void connect(void)
{
	struct pv_error e = {0};

	fake.server = pv_far_server_new(
		&(struct pv_far_tables){&fake.driver, &fake.machine, &fake.shell, "Fake 1.0", 1 << 20, read_only});
	cr_assert_eq(pv_far_connect(&client, fake_exchange, &fake, &e), 0, "%s", e.text);
	d = pv_far_driver(client);
	m = pv_far_machine(client);
	sh = pv_far_shell(client);
}

/* Each request of these tests comes cut short, and with a byte too much, before it comes as it is. */
static void spoil_request(const uint8_t *request, size_t n)
{
	uint8_t answer[PV_FAR_MESSAGE_MIN], spoilt[sizeof(fake.request) + 1] = {0};
	char said[sizeof(fake.said)];

	if (n > sizeof(fake.request))
		return;
	memcpy(spoilt, request, n);
	strcpy(said, fake.said);
	for (size_t len = 0; len <= n + 1; len++) {
		if (len == n)
			continue;
		cr_assert_eq(pv_far_serve(fake.server, spoilt, len, answer, sizeof(answer)), PV_FAR_ANSWER_HEAD);
		cr_expect_eq((int8_t)answer[8], -EBADMSG, "op %u of %zu bytes, %zu of them", request[0], n, len);
		cr_expect_str_eq(fake.said, said, "op %u of %zu bytes, %zu of them", request[0], n, len);
	}
}

static void setup(void)
{
	fake_init(&fake);
	fake.spoil_request = spoil_request;
	connect();
}

static void teardown(void)
{
	pv_far_close(client);
	pv_far_server_free(fake.server);
	cr_expect_eq(fake.open, 0, "events are left open");
}

TestSuite(far, .init = setup, .fini = teardown);

#define expect_said(text) cr_expect_str_eq(fake.said, text, "expected \"%s\", got \"%s\"", text, fake.said)

/* ---- calls ---- */

Test(far, the_system_says_what_it_is)
{
	cr_expect_str_eq(pv_far_system(client), "Fake 1.0");
}

Test(far, a_probe_status_comes_with_its_reason)
{
	const char *why = NULL;

	cr_expect_eq(d->ops->probe_status(d, 0x10010, 3, &why), 0);
	expect_said("probe_status 10010 3");
	cr_expect_str_empty(why);
	fake.result = -ENODEV;
	cr_expect_eq(d->ops->probe_status(d, 0x10010, 3, &why), -ENODEV);
	cr_expect_str_eq(why, "it is broken");
}

Test(far, lists_end)
{
	cr_expect_str_eq(d->ops->pmu_name(d, 1), "p1");
	expect_said("pmu_name 1");
	cr_expect_null(d->ops->pmu_name(d, 2));
	cr_expect_str_eq(d->ops->log_line(d, 0), "a warning");
	cr_expect_null(d->ops->log_line(d, 1));
}

Test(far, parents_have_their_domain)
{
	pv_bdf bdf = 0;

	cr_expect_eq(d->ops->pmu_parent(d, "p0", &bdf), 0);
	cr_expect_eq(bdf, 0x10302);
	expect_said("pmu_parent p0");
}

Test(far, attributes_are_read_and_written)
{
	char buf[16];

	cr_expect_eq(d->ops->attr_read(d, "p0", "format/filter", buf, sizeof(buf)), 5);
	cr_expect_str_eq(buf, "value");
	expect_said("attr_read p0 format/filter 16");
	cr_expect_eq(d->ops->attr_read(d, "p0", "format/filter", buf, 5), -ENOSPC);
	cr_expect_eq(d->ops->attr_write(d, "p0", "tune/x", "1\n"), 0);
	expect_said("attr_write p0 tune/x \"1\n\"");
	fake.result = -EACCES;
	cr_expect_eq(d->ops->attr_write(d, "p0", "tune/x", ""), -EACCES);
	expect_said("attr_write p0 tune/x \"\"");
}

static void join(void *text, const char *name)
{
	strcat(strcat(text, name), ",");
}

Test(far, folders_are_listed)
{
	char names[32] = "";

	cr_expect_eq(d->ops->attr_list(d, "p0", "", join, names), 0);
	cr_expect_str_eq(names, "a,b,");
	fake.result = -ENOENT;
	cr_expect_eq(d->ops->attr_list(d, "p0", "none", join, names), -ENOENT);
	cr_expect_str_eq(names, "a,b,");
}

Test(far, sizes_and_hot_plug)
{
	cr_expect_eq(d->ops->get_size(d, 0x20100, true), 512);
	expect_said("get_size 20100 1");
	cr_expect_eq(d->ops->set_size(d, 0x20100, false, -3), 0);
	expect_said("set_size 20100 0 -3");
	cr_expect_eq(d->ops->slot_event(d, 5), 0);
	expect_said("slot_event 5");
	cr_expect_eq(d->ops->gone(d, 6), 0);
	expect_said("gone 6");
	cr_expect_eq(d->ops->remove(d, 7), 0);
	expect_said("remove 7");
	cr_expect_eq(d->ops->rescan(d), 0);
	expect_said("rescan");
	cr_expect_eq(d->ops->set_vfs(d, 8, 300), 0);
	expect_said("set_vfs 8 300");
	cr_expect_eq(d->ops->ptt_buffer(d, 1ull << 33), 0);
	expect_said("ptt_buffer 8589934592");
	fake.result = -EBUSY;
	cr_expect_eq(d->ops->get_size(d, 1, false), -EBUSY);
	cr_expect_eq(d->ops->rescan(d), -EBUSY);
}

Test(far, the_machine)
{
	uint64_t value = 0;

	cr_expect_eq(m->ops->reg_read(m, 0x100, -1, 0x10, 4, &value), 0);
	cr_expect_eq(value, 0x8086);
	expect_said("reg_read 100 -1 10 4");
	cr_expect_eq(m->ops->reg_write(m, 0x100, 2, 0x8, 8, 0xffffffffffffffff), 0);
	expect_said("reg_write 100 2 8 8 ffffffffffffffff");
	cr_expect_eq(m->ops->wait(m, UINT64_MAX), 0);
	expect_said("wait 18446744073709551615");
	cr_expect_eq(m->ops->now_ps(m), 123456789012345);
	fake.spoil_request = NULL;
	cr_expect_eq(m->ops->reg_read(m, 0x100, 6, 0, 4, &value), -EBADMSG, "there are six BARs");
	cr_expect_eq(m->ops->reg_read(m, 0x100, 0, 0, 3, &value), -EBADMSG);
	cr_expect_null(m->ops->boot);
}

/* ---- events ---- */

static const struct pv_perf_attr odd_attr = {.config = 0x123456789abcdef0,
					     .config1 = 1,
					     .config2 = 2,
					     .type = 0xfedcba98,
					     .sampling = true,
					     .exclude = 0x2a,
					     .aux_bytes = 77};

static struct pv_perf_event *open_event(const struct pv_perf_attr *attr, struct pv_perf_event *leader,
					pv_perf_aux_fn fn)
{
	struct pv_perf_event *ev = NULL;

	cr_assert_eq(d->ops->event_open(d, "p0", attr, leader, fn, NULL, &ev), 0);
	return ev;
}

Test(far, an_event_from_open_to_close)
{
	struct pv_perf_event *leader = open_event(&odd_attr, NULL, NULL), *ev;
	uint64_t value, enabled, running;
	uint32_t revents;

	expect_said("event_open p0 123456789abcdef0 1 2 type 4275878552 cpu 0 0 task 0 sampling 1 pinned 0 exclude 2a "
		    "aux 0 77 "
		    "0 action 0 leader 0");
	ev = open_event(&(struct pv_perf_attr){.per_task = true,
					       .pinned = true,
					       .on_cpu = true,
					       .cpu = 0x10203,
					       .aux_overwrite = true,
					       .aux_action = 5},
			leader, NULL);
	expect_said("event_open p0 0 0 0 type 0 cpu 1 66051 task 1 sampling 0 pinned 1 exclude 0 aux 0 0 1 action 5 "
		    "leader 1");
	cr_expect_eq(d->ops->event_enable(d, ev), 0);
	expect_said("event_enable");
	cr_expect_eq(d->ops->event_read(d, ev, &value), 0);
	cr_expect_eq(value, 0xfedcba9876543210);
	cr_expect_eq(d->ops->event_times(d, ev, &enabled, &running), 0);
	cr_expect_eq(enabled, 1ull << 40);
	cr_expect_eq(running, 7);
	cr_expect_eq(d->ops->event_poll(d, ev, &revents), 0);
	cr_expect_eq(revents, 0x80000018);
	cr_expect_eq(d->ops->event_mmap(d, ev), 0);
	expect_said("event_mmap");
	fake.result = -EBUSY;
	cr_expect_eq(d->ops->event_disable(d, ev), -EBUSY);
	cr_expect_eq(d->ops->event_read(d, ev, &value), -EBUSY);
	d->ops->event_close(d, leader);
	cr_expect_eq(fake.open, 1);
	d->ops->event_close(d, ev);
	cr_expect_eq(fake.open, 0);
}

Test(far, records_are_counted)
{
	struct pv_perf_event *ev = open_event(&odd_attr, NULL, NULL);
	struct pv_perf_records r;

	cr_expect_eq(d->ops->event_records(d, ev, &r), 0);
	cr_expect(r.aux == 1 && r.itrace_start == 2 && r.lost == 3 && r.other == 4 && r.lost_records == 5);
}

Test(far, an_event_that_is_refused)
{
	struct pv_perf_event *ev = NULL;

	fake.result = -EINVAL;
	cr_expect_eq(d->ops->event_open(d, "p0", &odd_attr, NULL, NULL, NULL, &ev), -EINVAL);
	cr_expect_null(ev);
}

Test(far, events_of_a_client_that_went_away_are_closed_by_the_next_hello)
{
	struct pv_far_client *other;
	struct pv_error e;

	open_event(&odd_attr, NULL, NULL);
	open_event(&odd_attr, NULL, NULL);
	cr_expect_eq(fake.open, 2);
	cr_assert_eq(pv_far_connect(&other, fake_exchange, &fake, &e), 0);
	cr_expect_eq(fake.open, 0);
	pv_far_close(other);
}

Test(far, no_more_events_than_there_is_room_for)
{
	struct pv_perf_event *ev;

	for (unsigned i = 0; i < PV_FAR_EVENTS_MAX; i++)
		open_event(&odd_attr, NULL, NULL);
	cr_expect_eq(d->ops->event_open(d, "p0", &odd_attr, NULL, NULL, NULL, &ev), -EMFILE);
}

/* ---- what one side lacks ---- */

static void few_setup(void)
{
	fake_init(&fake);
	few = fake_driver_ops;
	few.event_hold = NULL;
	few.ptt_buffer = NULL;
	fake.driver.ops = &few;
	connect();
}

TestSuite(few, .init = few_setup, .fini = teardown);

Test(few, members_that_the_far_side_lacks_are_null)
{
	cr_expect_null(d->ops->ptt_buffer);
	cr_expect_null(d->ops->event_hold);
	cr_expect_not_null(d->ops->event_times);
	cr_expect_not_null(m->ops->now_ps);
}

Test(few, a_read_only_far_side_lacks_what_changes_the_machine)
{
	static const uint8_t op[] = {PV_FAR_ATTR_WRITE,	   PV_FAR_SET_SIZE, PV_FAR_RESCAN,     PV_FAR_REMOVE,
				     PV_FAR_REG_WRITE,	   PV_FAR_RUN,	    PV_FAR_FILE_WRITE, PV_FAR_MODULE_LOAD,
				     PV_FAR_MODULE_UNLOAD, PV_FAR_SET_VFS};
	uint8_t request[64] = {0}, answer[PV_FAR_MESSAGE_MIN];

	teardown();
	read_only = true;
	connect();
	cr_expect_null(d->ops->attr_write);
	cr_expect_null(d->ops->set_size);
	cr_expect_null(m->ops->reg_write);
	cr_expect_null(sh->ops->run);
	cr_expect_not_null(sh->ops->file_read);
	for (size_t i = 0; i < sizeof(op); i++) {
		request[0] = op[i];
		cr_assert_eq(pv_far_serve(fake.server, request, sizeof(request), answer, sizeof(answer)),
			     PV_FAR_ANSWER_HEAD);
		cr_expect_eq((int8_t)answer[8], -EOPNOTSUPP, "op %u, whoever asks for it", op[i]);
	}
}

Test(few, an_op_without_its_member_is_refused)
{
	const uint8_t request[] = {PV_FAR_PTT_BUFFER, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	uint8_t answer[PV_FAR_MESSAGE_MIN];

	cr_assert_eq(pv_far_serve(fake.server, request, sizeof(request), answer, sizeof(answer)), PV_FAR_ANSWER_HEAD);
	cr_expect_eq((int8_t)answer[8], -EOPNOTSUPP);
}

Test(few, a_driver_without_its_main_members_is_no_driver)
{
	struct pv_far_client *other;
	struct pv_error e;

	few.event_open = NULL;
	cr_expect_eq(pv_far_connect(&other, fake_exchange, &fake, &e), -ECONNRESET);
	cr_expect(strstr(e.text, "lacks op"), "%s", e.text);
}

/* ---- the shell ---- */

Test(far, a_program_is_run)
{
	const char *const argv[] = {"perf", "stat", "-e", "x y", NULL};
	char out_text[3], err_text[16];
	struct pv_shell_output out = {.text = out_text, .room = 3}, err = {.text = err_text, .room = 16};
	int status;

	cr_expect_eq(sh->ops->run(sh, argv, 5000, &status, &out, &err), 0);
	expect_said("run perf 4 5000");
	cr_expect_eq(status, 0x300);
	cr_expect_str_eq(out_text, "x ");
	cr_expect(out.cut && !err.cut);
	cr_expect_str_eq(err_text, "!");
	fake.result = -ETIMEDOUT;
	cr_expect_eq(sh->ops->run(sh, argv, 5000, &status, &out, &err), -ETIMEDOUT);
	cr_expect_str_eq(err_text, "!", "what it had written comes as well");
}

Test(far, a_file_longer_than_a_message)
{
	char buf[200];

	cr_expect_eq(sh->ops->file_read(sh, "/sys/x", 0, buf, sizeof(buf)), 100);
	expect_said("file_read /sys/x 100 100");
	cr_expect_eq(sh->ops->file_read(sh, "/sys/x", 90, buf, 4), 4);
	expect_said("file_read /sys/x 90 4");
	fake.result = -EACCES;
	cr_expect_eq(sh->ops->file_read(sh, "/sys/x", 0, buf, sizeof(buf)), -EACCES);
}

Test(far, files_and_modules)
{
	cr_expect_eq(sh->ops->file_write(sh, "/sys/x", "1\n", 2, false), 0);
	expect_said("file_write /sys/x \"1\n\" 0");
	cr_expect_eq(sh->ops->module_load(sh, "/m.ko", "a=1"), 0);
	expect_said("module_load /m.ko \"a=1\"");
	cr_expect_eq(sh->ops->module_unload(sh, "m"), 0);
	expect_said("module_unload m");
}

Test(far, a_request_longer_than_a_message)
{
	void *much = calloc(1, PV_FAR_MESSAGE_MAX);

	cr_expect_eq(sh->ops->file_write(sh, "/x", much, PV_FAR_MESSAGE_MAX, true), -EMSGSIZE);
	cr_expect_eq(pv_far_failure(client)->code, 0, "nothing was sent");
	cr_expect_eq(sh->ops->module_unload(sh, "m"), 0);
	free(much);
}

Test(far, messages_are_no_longer_than_the_transport_takes)
{
	const char *const argv[] = {"perf", "a long argument, which is what the program prints", NULL};
	static char out_text[8192], err_text[8192], much[PV_FAR_MESSAGE_MIN];
	struct pv_shell_output out = {.text = out_text, .room = 8192}, err = {.text = err_text, .room = 8192};
	int status;

	teardown();
	fake_init(&fake);
	fake.room = PV_FAR_MESSAGE_MIN;
	connect();
	cr_expect_eq(sh->ops->file_write(sh, "/x", much, sizeof(much), true), -EMSGSIZE);
	cr_expect_eq(sh->ops->file_write(sh, "/x", much, sizeof(much) - 100, true), 0);
	cr_expect_eq(sh->ops->run(sh, argv, 5000, &status, &out, &err), 0);
	cr_expect_str_eq(out_text, argv[1]);
	cr_expect_not(out.cut);
}

/* ---- a far side that is dead or mad ---- */

static void spoil_sequence(uint8_t *answer, size_t *n)
{
	answer[4]++;
}

static void spoil_op(uint8_t *answer, size_t *n)
{
	answer[0]++;
}

static void spoil_result(uint8_t *answer, size_t *n)
{
	answer[8] = 1;
}

static void spoil_length(uint8_t *answer, size_t *n)
{
	(*n)--;
}

static void spoil_more(uint8_t *answer, size_t *n)
{
	answer[(*n)++] = 0;
}

static void spoil_head(uint8_t *answer, size_t *n)
{
	*n = 5;
}

static void spoil_piece(uint8_t *answer, size_t *n)
{
	/* One piece, of event 99. */
	answer[12] = 1;
	memcpy(answer + *n, (const uint8_t[13]){99}, 13);
	*n += 13;
}

Test(far, an_answer_that_is_wrong_ends_it)
{
	static void (*const spoils[])(uint8_t *, size_t *) = {spoil_sequence, spoil_op,	  spoil_result, spoil_length,
							      spoil_more,     spoil_head, spoil_piece};

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		pv_bdf bdf;

		fake.spoil = spoils[i];
		cr_expect_eq(d->ops->pmu_parent(d, "p0", &bdf), -ECONNRESET, "spoil %zu", i);
		cr_expect_eq(pv_far_failure(client)->code, -ECONNRESET);
		cr_expect(strstr(pv_far_failure(client)->text, "the far side (Fake 1.0): "), "%s",
			  pv_far_failure(client)->text);
		fake.spoil = NULL;
		teardown();
		setup();
	}
}

Test(far, a_dead_far_side_stays_dead)
{
	struct pv_perf_event *ev = open_event(&odd_attr, NULL, NULL);
	const char *why;
	uint64_t value;
	unsigned asked;

	fake.fails_at = fake.asked;
	fake.failing = -ETIMEDOUT;
	cr_expect_eq(d->ops->event_read(d, ev, &value), -ECONNRESET);
	cr_expect(strstr(pv_far_failure(client)->text, "no answer"), "%s", pv_far_failure(client)->text);
	asked = fake.asked;
	cr_expect_eq(d->ops->event_enable(d, ev), -ECONNRESET);
	cr_expect_eq(m->ops->wait(m, 5), -ECONNRESET);
	cr_expect_eq(m->ops->now_ps(m), 0);
	cr_expect_null(d->ops->pmu_name(d, 0));
	cr_expect_eq(d->ops->probe_status(d, 0, 0, &why), -ECONNRESET);
	cr_expect_str_eq(why, pv_far_failure(client)->text);
	cr_expect_eq(fake.asked, asked, "it is not asked any more");
}

Test(far, the_hello_names_what_is_wrong)
{
	struct pv_far_client *other;
	struct pv_error e;

	fake.fails_at = fake.asked;
	fake.failing = -EPIPE;
	cr_expect_eq(pv_far_connect(&other, fake_exchange, &fake, &e), -ECONNRESET);
	cr_expect(strstr(e.text, "not greeted yet"), "%s", e.text);
	fake.fails_at = UINT32_MAX;
	fake.spoil = spoil_length;
	cr_expect_eq(pv_far_connect(&other, fake_exchange, &fake, &e), -ECONNRESET);
	cr_expect(strstr(e.text, "hello"), "%s", e.text);
}

static void spoil_version(uint8_t *answer, size_t *n)
{
	answer[PV_FAR_ANSWER_HEAD + 4] = 77;
}

static void spoil_magic(uint8_t *answer, size_t *n)
{
	answer[PV_FAR_ANSWER_HEAD] ^= 1;
}

Test(far, another_version_is_told)
{
	struct pv_far_client *other;
	struct pv_error e;

	fake.spoil = spoil_version;
	cr_expect_eq(pv_far_connect(&other, fake_exchange, &fake, &e), -ECONNRESET);
	cr_expect(strstr(e.text, "expected version 4 of the protocol, got 77"), "%s", e.text);
	fake.spoil = spoil_magic;
	cr_expect_eq(pv_far_connect(&other, fake_exchange, &fake, &e), -ECONNRESET);
	cr_expect(strstr(e.text, "is it pcieval-far?"), "%s", e.text);
}

Test(far, a_register_is_in_one_of_six_bars_or_in_configuration_space)
{
	for (int bar = -2; bar < 8; bar++) {
		uint32_t request[6] = {PV_FAR_REG_READ, 1, 0x100, (uint32_t)bar, 0, 4};
		uint8_t answer[PV_FAR_MESSAGE_MIN];

		pv_far_serve(fake.server, (const uint8_t *)request, sizeof(request), answer, sizeof(answer));
		cr_expect_eq((int8_t)answer[8], bar < -1 || bar > 5 ? -EBADMSG : 0, "BAR %d", bar);
	}
}

Test(far, unknown_ops_are_refused)
{
	static const uint32_t ops[] = {0, PV_FAR_OPS, UINT32_MAX};
	uint8_t answer[PV_FAR_MESSAGE_MIN];

	for (size_t i = 0; i < 3; i++) {
		uint32_t request[2] = {ops[i], 1};

		pv_far_serve(fake.server, request, sizeof(request), answer, sizeof(answer));
		cr_expect_eq((int8_t)answer[8], -EOPNOTSUPP, "op %u", ops[i]);
	}
}

/* ---- the reference driver ---- */

static struct pv_driver other;
static bool is_ended;

static pv_bdf given[2]; /* the first functions that it was given */

static int boot_other(void *ctx, enum pv_mps_policy policy, const pv_bdf *functions, size_t n,
		      struct pv_driver **driver, struct pv_machine **machine, struct pv_error *e)
{
	for (size_t i = 0; i < n && i < 2; i++)
		given[i] = functions[i];
	if (policy == PV_MPS_SAFE)
		return pv_error(e, -ENOMEM, "no room");
	few = fake_driver_ops;
	few.event_hold = NULL;
	other.ops = &few;
	*driver = &other;
	return 0;
}

static void end_other(void *ctx)
{
	is_ended = true;
}

enum { READS = 1, UNDOES = 2, UNBINDS = 4 };

static void serve_other(unsigned how)
{
	struct pv_error e = {0};

	pv_far_close(client);
	pv_far_server_free(fake.server);
	fake.server = pv_far_server_new(&(struct pv_far_tables){.driver = &fake.driver,
								.machine = &fake.machine,
								.shell = &fake.shell,
								.system = "Fake 1.0",
								.aux_max = 1 << 20,
								.read_only = how & READS,
								.undoes = how & UNDOES,
								.unbinds = how & UNBINDS,
								.reference = {NULL, boot_other, end_other}});
	cr_assert_eq(pv_far_connect(&client, fake_exchange, &fake, &e), 0, "%s", e.text);
	d = pv_far_driver(client);
}

Test(far, the_reference_driver_replaces_the_other_until_the_next_client)
{
	struct pv_error e = {0};

	serve_other(0);
	cr_assert_not_null(d->ops->event_hold);
	cr_assert_eq(pv_far_reference(client, PV_MPS_DEFAULT, NULL, 0, &e), 0, "%s", e.text);
	cr_expect_null(d->ops->event_hold, "it has none");
	pv_far_close(client);
	cr_expect(!is_ended);
	cr_assert_eq(pv_far_connect(&client, fake_exchange, &fake, &e), 0, "%s", e.text);
	cr_expect(is_ended);
	cr_expect_not_null(pv_far_driver(client)->ops->event_hold);
}

Test(far, a_reference_driver_that_does_not_start_says_why)
{
	struct pv_error e = {0};

	serve_other(0);
	cr_expect_eq(pv_far_reference(client, PV_MPS_SAFE, NULL, 0, &e), -ENOMEM);
	cr_expect(strstr(e.text, "no room"), "%s", e.text);
	cr_expect_not_null(d->ops->event_hold, "the driver is the same");
}

Test(far, a_read_only_far_side_has_no_reference_driver)
{
	struct pv_error e = {0};

	fake.spoil_request = NULL; /* what is refused anyway is not read */
	serve_other(READS);
	cr_expect_eq(pv_far_reference(client, PV_MPS_DEFAULT, NULL, 0, &e), -EOPNOTSUPP);
	cr_expect(strstr(e.text, "may take no functions"), "%s", e.text);
	serve_other(READS | UNDOES);
	cr_expect_eq(pv_far_reference(client, PV_MPS_DEFAULT, NULL, 0, &e), -EOPNOTSUPP, "nobody has consented");
	serve_other(READS | UNBINDS);
	cr_expect_eq(pv_far_reference(client, PV_MPS_DEFAULT, NULL, 0, &e), -EOPNOTSUPP, "nobody puts it back");
}

/* Sizes are set in configuration space, which is put back; what the kernel's driver sets is not. */
Test(far, a_far_side_that_may_take_functions_is_given_them)
{
	const pv_bdf functions[] = {PCI_BDF(0, 16, 0), PCI_BDF(1, 0, 0)};
	struct pv_error e = {0};

	serve_other(READS | UNDOES | UNBINDS);
	cr_expect_null(d->ops->set_size);
	cr_expect_null(d->ops->rescan);
	cr_assert_eq(pv_far_reference(client, PV_MPS_DEFAULT, functions, 2, &e), 0, "%s", e.text);
	cr_expect_eq(given[0], functions[0]);
	cr_expect_eq(given[1], functions[1]);
	cr_expect_not_null(d->ops->set_size);
	cr_expect_null(d->ops->rescan);
}
