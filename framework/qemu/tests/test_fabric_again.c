/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that is saved, runs the same once more, or goes back to where it was. */
#include "framework/qemu/tests/fabric_fixture.h"

/* ---- saving ---- */

struct saving {
	uint64_t saved; /* what the device tells */
	bool calls;	/* it calls instead */
	struct pv_fabric_answer first, last;
};
static struct saving saving;

static void saves(struct bench *b)
{
	say(b, "answer");
	cr_assert_eq(recv(b->device, &saving.first, sizeof(saving.first), MSG_WAITALL), sizeof(saving.first));
	/* Requests begun by the guest continue until it stops. */
	cr_assert_eq(read_config(b, NIC, PCI_VENDOR_ID, 2, 0), UINT64_MAX, "there is no hardware yet");
	if (saving.calls)
		return say(b, "again");
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_SAVED, .value = saving.saved});
	recv(b->device, &saving.last, sizeof(saving.last), MSG_WAITALL);
}

static int save(uint64_t saved, bool calls)
{
	struct bench b = {0};
	pthread_t thread;
	char reply[8];

	saving = (struct saving){.saved = saved, .calls = calls};
	cr_assert_eq(pv_fabric_open(&b.fabric, NULL, 1 << 20, 1 << 16, &b.device), 0);
	b.play = saves;
	cr_assert_eq(pthread_create(&thread, NULL, play, &b), 0);
	cr_assert_eq(pv_fabric_exchange(&b.fabric, NULL, 0, reply, sizeof(reply)), 6);
	int err = pv_fabric_save(&b.fabric);
	shutdown(b.fabric.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	take_down(&b);
	return err;
}

Test(fabric_again, saves_a_machine_that_waits)
{
	cr_expect_eq(save(1, false), 0);
	cr_expect_eq(saving.first.stop, PV_FABRIC_SAVE);
	cr_expect_eq(saving.first.value, PV_MAILBOX_AGAIN);
	cr_expect_eq(saving.first.wake_ns, UINT64_MAX);
	cr_expect_eq(saving.last.stop, PV_FABRIC_END);
}

Test(fabric_again, hears_that_it_was_not_saved)
{
	cr_expect_eq(save(0, false), -EIO);
	cr_expect_eq(save(1, true), -EPROTO);
}

/* ---- the same once more ---- */

/* Enumerates, as a kernel would: reads, a write that is seen afterwards, time. */
static void enumerates(struct bench *b)
{
	struct pv_fabric_answer again;

	for (uint32_t off = 0; off < 64; off += 4)
		read_config(b, NIC, off, 4, b->ns += 1000);
	ask(b, (struct pv_fabric_ask){PV_FABRIC_WRITE, 2, PV_FABRIC_ECAM + ((uint64_t)NIC << 12) + PCI_COMMAND,
				      PCI_COMMAND_MASTER, b->ns += 1000});
	read_config(b, NIC, PCI_COMMAND, 2, b->ns += 1000);
	ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .now_ns = b->ns += 5000});
	say(b, "ready");
	cr_assert_eq(recv(b->device, &again, sizeof(again), MSG_WAITALL), sizeof(again));
	cr_expect_eq(again.value, PV_MAILBOX_AGAIN);
	cr_expect_eq(again.stop, PV_FABRIC_GO_ON);
	cr_expect_eq(again.wake_ns, UINT64_MAX);
}

/* Logs a guest's requests. Its last message is repeated. */
static void log_guest(struct pv_mmio_log *r)
{
	struct bench b;
	pthread_t thread;
	char reply[8];

	build(&b);
	b.fabric.log = r;
	b.play = enumerates;
	cr_assert_eq(pthread_create(&thread, NULL, play, &b), 0);
	cr_assert_eq(pv_fabric_exchange(&b.fabric, NULL, 0, reply, sizeof(reply)), 5);
	cr_expect_eq(pv_fabric_again(&b.fabric), 0);
	cr_expect_null(b.fabric.log);
	pthread_join(thread, NULL);
	take_down(&b);
	cr_assert_eq(r->n, 16 + 4);
	cr_assert(!r->broken);
}

static bool replays(const struct pv_mmio_log *r, void (*change)(struct bench *b), struct bench *b)
{
	build(b);
	if (change)
		change(b);
	return pv_fabric_replay(&b->fabric, r->at, r->n);
}

Test(fabric_again, replays_to_where_the_guest_was)
{
	struct pv_mmio_log r = {0};
	struct bench b;

	log_guest(&r);
	cr_assert(replays(&r, NULL, &b));
	cr_expect_eq(pv_model_cfg_read(b.fabric.model, NIC, PCI_COMMAND, 2), PCI_COMMAND_MASTER);
	cr_expect_eq(b.fabric.guest_ns, 18000 + 5000);
	cr_expect_null(b.fabric.log);
	struct pv_fabric_peer next = {.model = b.fabric.model};
	pv_fabric_continue(&next, &b.fabric);
	cr_expect_eq(next.guest_ns, b.fabric.guest_ns);
	cr_expect_eq(next.ahead_ps, b.fabric.ahead_ps);
	take_down(&b);
	pv_mmio_log_free(&r);
}

/* State of the models that the guest has not read, and state that it would notice. */
static void has_another_control(struct bench *b)
{
	pv_model_cfg_write(b->fabric.model, PORT, PCI_COMMAND, 2, PCI_COMMAND_MASTER);
}

static void has_msi_waiting(struct bench *b)
{
	b->fabric.delay.latency_ps = PV_PS_PER_MS;
	pv_msi_delay_add(&b->fabric.delay, pv_model_now_ps(b->fabric.model), NIC, 0);
}

Test(fabric_again, notices_other_models)
{
	struct pv_mmio_log r = {0};
	struct bench b;

	log_guest(&r);
	nic_device = 0x1234;
	cr_expect(!replays(&r, NULL, &b), "the guest has read it");
	nic_device = 0;
	take_down(&b);
	cr_expect(replays(&r, has_another_control, &b), "the guest has not read it");
	take_down(&b);
	cr_expect(!replays(&r, has_msi_waiting, &b), "the guest would be woken for it");
	take_down(&b);
	pv_mmio_log_free(&r);
}

Test(fabric_again, a_log_with_dma_is_broken)
{
	struct pv_mmio_log r = {0};
	struct bench b;

	build(&b);
	b.fabric.log = &r;
	cr_expect_not_null(env_dma_map(&b, 0, PV_FABRIC_RAM, 64));
	cr_expect(r.broken);
	take_down(&b);
	pv_mmio_log_free(&r);
}

/* ---- going back ---- */

#define LATE_NS 3000000000 /* the clock of the guest that was there before */

static struct {
	struct pv_fabric_answer first, last;
	char byte;
	int console; /* what it is sent as such */
} back;

static void goes_back(struct bench *b)
{
	int fds[PV_FDPASS_MAX];
	size_t n;

	say(b, "answer");
	cr_assert_eq(recv(b->device, &back.first, sizeof(back.first), MSG_WAITALL), sizeof(back.first));
	cr_assert_eq(pv_fdpass_receive(b->device, &back.byte, 1, fds, &n, 0), 1);
	back.console = n == 1 ? fds[0] : -1;
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_REFILL, .now_ns = LATE_NS});
	recv(b->device, &back.last, sizeof(back.last), MSG_WAITALL);
}

/* RAM has two pages, of which the guest has written to the second one. */
static int go_back(struct bench *b, uint64_t window_bytes, int console)
{
	const char key[] = "key", state[] = "state";
	char path[] = "/tmp/pcieval-back-XXXXXX", reply[8];
	struct pv_error e = {0};
	struct pv_snapshot_file saved;
	pthread_t thread;

	close(mkstemp(path));
	memset(b->fabric.ram.at, 1, 8192);
	const struct pv_snapshot_parts parts = {key, state, 5, "", 0, b->fabric.ram.fd, b->fabric.ram.bytes};
	cr_assert_eq(pv_snapshot_file_write(path, &parts, &e), 0, "%s", e.text);
	cr_assert_eq(pv_snapshot_file_open(&saved, open(path, O_RDONLY | O_CLOEXEC), key), 0);
	unlink(path);
	b->fabric.ram.at[5000] = 2;
	b->play = goes_back;
	cr_assert_eq(pthread_create(&thread, NULL, play, b), 0);
	cr_assert_eq(pv_fabric_exchange(&b->fabric, NULL, 0, reply, sizeof(reply)), 6);
	size_t mapped = b->fabric.window.bytes;
	b->fabric.window.bytes = window_bytes;
	int err = pv_fabric_rewind(&b->fabric, &saved, console);
	b->fabric.window.bytes = mapped;
	if (err)
		shutdown(b->fabric.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	pv_snapshot_file_close(&saved);
	return err;
}

/* The clock of the last guest does not affect the hardware of the new case, even under load. */
Test(fabric_again, takes_a_machine_back)
{
	struct bench b;
	const struct pv_fabric_refill *r;
	struct stat console, sent;
	int fd = memfd_create("console", MFD_CLOEXEC);

	build(&b);
	start_traffic(&b);
	uint64_t now = pv_model_now_ps(b.fabric.model);
	cr_assert_eq(go_back(&b, 1 << 16, fd), 0);
	cr_expect_eq(back.first.stop, PV_FABRIC_REWIND);
	cr_expect_eq(back.first.value, PV_MAILBOX_AGAIN);
	cr_expect_eq(back.first.wake_ns, UINT64_MAX);
	cr_expect_eq(back.last.wake_ns, UINT64_MAX);
	cr_expect_eq(pv_model_now_ps(b.fabric.model), now);
	cr_expect_eq(fstat(fd, &console), 0);
	cr_expect_eq(fstat(back.console, &sent), 0);
	cr_expect_eq(console.st_ino, sent.st_ino);
	cr_expect_eq(b.fabric.ram.at[5000], 1);
	r = (const struct pv_fabric_refill *)b.fabric.window.at;
	cr_assert_eq(back.last.value, sizeof(*r) + sizeof(r->range[0]) + 5);
	cr_expect_eq(r->ranges, 1);
	cr_expect(r->range[0].at == PV_FABRIC_RAM + 4096 && r->range[0].bytes == 4096);
	cr_expect_eq(memcmp(&r->range[1], "state", 5), 0);
	take_down(&b);
}

Test(fabric_again, cannot_go_back_without_room)
{
	struct bench b;

	build(&b);
	cr_expect_eq(go_back(&b, sizeof(struct pv_fabric_refill) + 5, memfd_create("console", MFD_CLOEXEC)), -EMSGSIZE);
	take_down(&b);
}
