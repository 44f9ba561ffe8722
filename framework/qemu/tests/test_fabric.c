/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The models' end of the fabric against a device that a thread plays: accesses, time, interrupts, calls, and nonsense.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/qemu/fabric.h"
#include "framework/util/fdpass.h"

#define PORT PCI_BDF(0, 8, 0)
#define NIC  PCI_BDF(1, 0, 0)

struct bench {
	struct pv_fabric_peer fabric;
	struct pv_model_env env;
	int device;  /* the device's end */
	uint64_t ns; /* the guest's clock */
	void (*play)(struct bench *b);
	void *memory[256];
	size_t blocks;
};

static uint16_t nic_device; /* 0: as the model has it */

static void *env_alloc(void *ctx, size_t bytes)
{
	struct bench *b = ctx;

	cr_assert_lt(b->blocks, 256);
	return b->memory[b->blocks++] = calloc(1, bytes);
}

static void *env_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_fabric_dma_map(&((struct bench *)ctx)->fabric, bdf, addr, bytes);
}

static void env_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_fabric_msi(&((struct bench *)ctx)->fabric, bdf, vector);
}

static void build(struct bench *b)
{
	struct pv_node_conf port = {.kind = PV_NODE_ROOT_PORT,
				    .bdf = PORT,
				    .parent = -1,
				    .secondary = 1,
				    .subordinate = 1,
				    .mpss = 2,
				    .mrrs_max = 5,
				    .speed = 3,
				    .width = 8,
				    .rcb = 64};
	struct pv_node_conf nic = {.kind = PV_NODE_ENDPOINT,
				   .bdf = NIC,
				   .device = nic_device,
				   .mpss = 2,
				   .mrrs_max = 5,
				   .speed = 3,
				   .width = 8};

	memset(b, 0, sizeof(*b));
	b->env = (struct pv_model_env){.ctx = b, .alloc = env_alloc, .dma_map = env_dma_map, .msi = env_msi};
	struct pv_model *m = pv_model_new(&b->env, 1);
	nic.parent = pv_model_add(m, &port);
	cr_assert_geq(nic.parent, 0);
	cr_assert_geq(pv_model_add(m, &nic), 0);
	cr_assert_eq(pv_model_start(m), 0);
	cr_assert_eq(pv_fabric_open(&b->fabric, m, 1 << 20, 1 << 16, &b->device), 0);
	b->fabric.hello = (struct pv_fabric_hello){
		.version = PV_FABRIC_VERSION, .bridges = 1, .bridge = {{.bus_last = 255, .numa_node = -1}}};
}

static void take_down(struct bench *b)
{
	pv_fabric_close(&b->fabric);
	while (b->blocks)
		free(b->memory[--b->blocks]);
}

/* ---- the device ---- */

static void tell(struct bench *b, const struct pv_fabric_ask *a)
{
	cr_assert_eq(send(b->device, a, sizeof(*a), 0), sizeof(*a));
}

static struct pv_fabric_answer ask(struct bench *b, struct pv_fabric_ask a)
{
	struct pv_fabric_answer answer;

	tell(b, &a);
	cr_assert_eq(recv(b->device, &answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
	return answer;
}

static uint64_t read_config(struct bench *b, pv_bdf bdf, uint32_t off, uint32_t bytes, uint64_t ns)
{
	return ask(b,
		   (struct pv_fabric_ask){PV_FABRIC_READ, bytes, PV_FABRIC_ECAM + ((uint64_t)bdf << 12) + off, 0, ns})
		.value;
}

static void *play(void *arg)
{
	struct bench *b = arg;

	b->play(b);
	close(b->device);
	return NULL;
}

static int64_t converse(struct bench *b, void (*fn)(struct bench *), const char *request, char *reply, size_t room)
{
	pthread_t thread;

	b->play = fn;
	cr_assert_eq(pthread_create(&thread, NULL, play, b), 0);
	int64_t n = pv_fabric_exchange(&b->fabric, NULL, 0, reply, room);
	if (n >= 0 && request)
		n = pv_fabric_exchange(&b->fabric, request, strlen(request), reply, room);
	if (b->fabric.waiting)
		shutdown(b->fabric.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	return n;
}

static void say(struct bench *b, const char *text)
{
	memcpy(b->fabric.window.at, text, strlen(text));
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_CALL, .value = strlen(text), .now_ns = b->ns});
}

/* ---- accesses ---- */

static void reads_config(struct bench *b)
{
	char text[64];
	unsigned vendor = (unsigned)read_config(b, NIC, PCI_VENDOR_ID, 2, 0);
	unsigned nobody = (unsigned)read_config(b, PCI_BDF(1, 5, 0), PCI_VENDOR_ID, 2, 0);
	unsigned odd = (unsigned)read_config(b, NIC, 1, 2, 0) & 0xffff;

	snprintf(text, sizeof(text), "%04x %04x %04x", vendor, nobody, odd);
	say(b, text);
}

Test(fabric, config_space)
{
	struct bench b;
	char reply[64] = "", expected[64];

	build(&b);
	snprintf(expected, sizeof(expected), "%04x ffff ffff",
		 (unsigned)pv_model_cfg_read(b.fabric.model, NIC, PCI_VENDOR_ID, 2));
	cr_assert_gt(converse(&b, reads_config, NULL, reply, sizeof(reply) - 1), 0);
	cr_assert_str_eq(reply, expected);
	cr_assert_eq(b.fabric.asks, 4);
	take_down(&b);
}

static void writes_config(struct bench *b)
{
	ask(b, (struct pv_fabric_ask){PV_FABRIC_WRITE, 1, PV_FABRIC_ECAM + (NIC << 12) + 0x3c, 0x5a, 0});
	say(b, read_config(b, NIC, 0x3c, 1, 0) == 0x5a ? "kept" : "lost");
}

Test(fabric, writes)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	cr_assert_eq(converse(&b, writes_config, NULL, reply, sizeof(reply) - 1), 4);
	cr_assert_str_eq(reply, "kept");
	take_down(&b);
}

static void loses_power(struct bench *b)
{
	ask(b, (struct pv_fabric_ask){PV_FABRIC_WRITE, 1, PV_FABRIC_ECAM + (NIC << 12) + 0x3c, 0x5a, 0});
	ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_POWER});
	say(b, read_config(b, NIC, 0x3c, 1, 0) == 0x5a ? "kept" : "lost");
}

Test(fabric, power)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	cr_assert_eq(converse(&b, loses_power, NULL, reply, sizeof(reply) - 1), 4);
	cr_assert_str_eq(reply, "lost");
	take_down(&b);
}

/* ---- messages ---- */

static void echoes(struct bench *b)
{
	struct pv_fabric_answer answer;

	say(b, "hello");
	cr_assert_eq(recv(b->device, &answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
	char text[64] = "";
	memcpy(text, b->fabric.window.at, answer.value);
	strcat(text, "!");
	say(b, text);
}

Test(fabric, calls)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	cr_assert_eq(converse(&b, echoes, "ping", reply, sizeof(reply) - 1), 5);
	cr_assert_str_eq(reply, "ping!");
	take_down(&b);
}

static void ends(struct bench *b)
{
}

static void asks_nonsense(struct bench *b)
{
	tell(b, &(struct pv_fabric_ask){.op = 77});
}

static void calls_too_long(struct bench *b)
{
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_CALL, .value = UINT64_MAX});
}

static void other_version(struct bench *b)
{
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_HELLO, .value = PV_FABRIC_VERSION + 1});
}

static void half_an_ask(struct bench *b)
{
	cr_assert_eq(send(b->device, "half", 4, 0), 4);
}

static void long_reply(struct bench *b)
{
	say(b, "more than there is room for");
}

Test(fabric, what_makes_no_sense)
{
	static const struct {
		void (*play)(struct bench *);
		int err;
	} cases[] = {
		{ends, -ECONNRESET},	  {asks_nonsense, -EPROTO},   {calls_too_long, -EPROTO},
		{other_version, -EPROTO}, {half_an_ask, -ECONNRESET}, {long_reply, -EMSGSIZE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b;
		char reply[8];

		build(&b);
		cr_expect_eq(converse(&b, cases[i].play, NULL, reply, sizeof(reply)), cases[i].err, "case %zu", i);
		take_down(&b);
	}
}

static bool no(void *ctx)
{
	++*(int *)ctx;
	return false;
}

Test(fabric, nobody_says_anything)
{
	struct bench b;
	char reply[8];
	int asked = 0;

	build(&b);
	b.fabric.guest_runs = no;
	b.fabric.ctx = &asked;
	cr_assert_eq(pv_fabric_exchange(&b.fabric, NULL, 0, reply, sizeof(reply)), -ETIMEDOUT);
	cr_assert_eq(asked, 1);
	close(b.device);
	take_down(&b);
}

static void start_traffic(struct bench *b)
{
	struct pv_traffic_conf conf = {.origin = PV_ORIGIN_DEVICE,
				       .from = NIC,
				       .to = PV_TO_MEMORY,
				       .requester = 0xffff,
				       .size_min = 64,
				       .size_max = 64,
				       .count = 2000,
				       .first_be = -1,
				       .last_be = -1};
	conf.weight[PV_T_MWR64] = 1;
	cr_assert_geq(pv_model_traffic(b->fabric.model, &conf), 0);
}

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

Test(fabric, saves_a_machine_that_waits)
{
	cr_expect_eq(save(1, false), 0);
	cr_expect_eq(saving.first.stop, PV_FABRIC_SAVE);
	cr_expect_eq(saving.first.value, PV_MAILBOX_AGAIN);
	cr_expect_eq(saving.first.wake_ns, UINT64_MAX);
	cr_expect_eq(saving.last.stop, PV_FABRIC_END);
}

Test(fabric, hears_that_it_was_not_saved)
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

Test(fabric, replays_to_where_the_guest_was)
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

Test(fabric, notices_other_models)
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

Test(fabric, a_log_with_dma_is_broken)
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
Test(fabric, takes_a_machine_back)
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

Test(fabric, cannot_go_back_without_room)
{
	struct bench b;

	build(&b);
	cr_expect_eq(go_back(&b, sizeof(struct pv_fabric_refill) + 5, memfd_create("console", MFD_CLOEXEC)), -EMSGSIZE);
	take_down(&b);
}

/* ---- time ---- */

/* Asks to be woken are kept until the traffic is through; the models' clock is the guest's. */
static void ticks(struct bench *b)
{
	uint64_t ns = 1000;
	unsigned n = 0;
	struct pv_fabric_answer a = ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .now_ns = ns});

	for (; a.wake_ns != UINT64_MAX && n < 10000; n++) {
		cr_assert_gt(a.wake_ns, ns);
		b->ns = ns = a.wake_ns;
		a = ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .now_ns = ns});
	}
	say(b, n > 1 && n < 10000 ? "done" : "never");
}

Test(fabric, runs_traffic_to_its_end)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	uint64_t begin = pv_model_now_ps(b.fabric.model);
	start_traffic(&b);
	cr_assert_eq(converse(&b, ticks, NULL, reply, sizeof(reply) - 1), 4);
	cr_assert_str_eq(reply, "done");
	cr_assert(pv_model_traffic_idle(b.fabric.model));
	cr_assert_leq(pv_model_now_ps(b.fabric.model) - begin, b.fabric.guest_ns * 1000);
	take_down(&b);
}

static uint64_t after_reads, after_wait;

static void waits_after_reads(struct bench *b)
{
	for (unsigned i = 0; i < 100; i++)
		read_config(b, NIC, PCI_VENDOR_ID, 2, 1000);
	after_reads = pv_model_now_ps(b->fabric.model);
	ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .now_ns = 1500});
	after_wait = pv_model_now_ps(b->fabric.model);
	say(b, "done");
}

/* Reads of a device take time on the links, but none of the guest's clock. */
Test(fabric, time_passes_after_accesses_that_took_some)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	uint64_t begin = pv_model_now_ps(b.fabric.model);
	b.ns = 1500;
	cr_assert_eq(converse(&b, waits_after_reads, NULL, reply, sizeof(reply) - 1), 4);
	cr_assert_gt(after_reads, begin + 1500000, "the reads took no time");
	cr_expect_eq(after_wait, after_reads + 500000);
	take_down(&b);
}

static uint64_t wakes[3];

static void tick_thrice(struct bench *b)
{
	static const uint64_t at[] = {1000, 49999, 50000};

	for (size_t i = 0; i < 3; i++)
		wakes[i] = ask(b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .now_ns = b->ns = at[i]}).wake_ns;
	say(b, "done");
}

/* The NIC has no MSI enabled, so an MSI is lost, and counted when it becomes due. */
Test(fabric, an_msi_waits_as_long_as_it_is_to)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	b.fabric.delay.latency_ps = 50000000;
	pv_fabric_msi(&b.fabric, NIC, 0);
	cr_assert_eq(b.fabric.msis_lost, 0);
	cr_assert_eq(converse(&b, tick_thrice, NULL, reply, sizeof(reply) - 1), 4);
	cr_expect_eq(wakes[0], 50000);
	cr_expect_eq(wakes[1], 59999, "not more often than each tick, got %" PRIu64, wakes[1]);
	cr_expect_eq(wakes[2], UINT64_MAX);
	cr_expect_eq(b.fabric.msis_lost, 1);
	take_down(&b);
}

/* ---- DMA ---- */

Test(fabric, dma_is_guest_ram_and_nothing_else)
{
	struct bench b;

	build(&b);
	struct pv_fabric_peer *f = &b.fabric;
	cr_assert_eq(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM, 1), f->ram.at);
	cr_assert_eq(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM + f->ram.bytes - 64, 64), f->ram.at + f->ram.bytes - 64);
	cr_assert_null(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM + f->ram.bytes - 63, 64));
	cr_assert_null(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM + f->ram.bytes, 1));
	cr_assert_null(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM - 1, 1));
	cr_assert_null(pv_fabric_dma_map(f, 0, UINT64_MAX, 64));
	cr_assert_null(pv_fabric_dma_map(f, 0, PV_FABRIC_RAM, SIZE_MAX));
	close(b.device);
	take_down(&b);
}

/* Maps with an IOMMU whose answer is sent in advance. Returns the question to it. */
static struct pv_fabric_dma map_by(struct bench *b, struct pv_fabric_ask answered, uint64_t addr, size_t bytes,
				   void **at)
{
	struct pv_fabric_answer question;
	struct pv_fabric_dma dma;

	tell(b, &answered);
	*at = pv_fabric_dma_map(&b->fabric, NIC, addr, bytes);
	cr_assert_eq(recv(b->device, &question, sizeof(question), MSG_WAITALL), sizeof(question));
	cr_expect_eq(question.stop, PV_FABRIC_TRANSLATE);
	cr_assert_eq(recv(b->device, &dma, sizeof(dma), MSG_WAITALL), sizeof(dma));
	return dma;
}

Test(fabric, dma_behind_an_iommu_is_where_that_says)
{
	struct bench b;
	void *at;

	build(&b);
	struct pv_fabric_peer *f = &b.fabric;
	f->hello.iommu = 1;
	f->hello.bridge[0].msi_base = 0x4000;
	struct pv_fabric_dma dma =
		map_by(&b, (struct pv_fabric_ask){.op = PV_FABRIC_TRANSLATED, .addr = PV_FABRIC_RAM + 0x2000}, 0x1234,
		       0x40, &at);
	cr_expect_eq(at, f->ram.at + 0x2000);
	cr_expect_eq(dma.addr, 0x1234);
	cr_expect_eq(dma.bytes, 0x40);
	cr_expect_eq(dma.device_id, 0x4000 + PCI_RID(NIC));
	map_by(&b, (struct pv_fabric_ask){.op = PV_FABRIC_TRANSLATED, .addr = PV_FABRIC_NOWHERE}, PV_FABRIC_RAM, 1,
	       &at);
	cr_expect_null(at, "a write that it forbids");
	map_by(&b, (struct pv_fabric_ask){.op = PV_FABRIC_TICK, .addr = PV_FABRIC_RAM}, PV_FABRIC_RAM, 1, &at);
	cr_expect_null(at, "an answer to something else");
	close(b.device);
	cr_expect_null(pv_fabric_dma_map(f, NIC, PV_FABRIC_RAM, 1), "QEMU is gone");
	take_down(&b);
}
