/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The models' end of the fabric against a device that a thread plays: accesses, time, interrupts, calls, and nonsense.
 */
#include "framework/qemu/tests/fabric_fixture.h"

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

/* The NIC has no MSI enabled: what is sent is lost. */
Test(fabric, an_msi_without_room_waits_for_the_next_answer)
{
	struct bench b;
	char reply[64] = "";

	build(&b);
	b.fabric.answer.msis = PV_FABRIC_MSIS;
	pv_fabric_msi(&b.fabric, NIC, 0);
	cr_expect_eq(b.fabric.msis_lost, 0);
	cr_expect_eq(b.fabric.delay.n, 1);
	b.fabric.answer.msis = 0;
	cr_assert_eq(converse(&b, tick_thrice, NULL, reply, sizeof(reply) - 1), 4);
	cr_expect_eq(b.fabric.msis_lost, 1);
	cr_expect_eq(b.fabric.delay.n, 0);
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
