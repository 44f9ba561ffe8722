/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bus over a model: DMA memory, and interrupts that wait, that can be held off, and that never nest. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/model_bus.h"

#define PTT 0x0008 /* 00:01.0 */

static struct pv_model_bus bus;
static struct pv_model *model;
static void *blocks[4096];
static size_t n_blocks;

static void *env_alloc(void *ctx, size_t bytes)
{
	return n_blocks < 4096 ? blocks[n_blocks++] = calloc(1, bytes) : NULL;
}

static void *env_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_model_bus_dma_map(&bus, addr, bytes);
}

static void env_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_model_bus_msi(&bus, bdf, vector);
}

static void setup(void)
{
	static const struct pv_model_env env = {.alloc = env_alloc, .dma_map = env_map, .msi = env_msi};
	const struct pv_node_conf ptt = {
		.kind = PV_NODE_PTT, .bdf = PTT, .parent = -1, .mrrs_max = 5, .speed = 3, .width = 8};

	pv_model_bus_init(&bus);
	model = pv_model_new(&env, 1);
	cr_assert(model);
	bus.model = model;
	cr_assert_geq(pv_model_add(model, &ptt), 0);
	cr_assert_eq(pv_model_start(model), 0);
}

static void teardown(void)
{
	pv_model_bus_fini(&bus);
	while (n_blocks)
		free(blocks[--n_blocks]);
}

TestSuite(bus, .init = setup, .fini = teardown);

/* ---- DMA memory ---- */

Test(bus, dma_memory_is_zeroed_and_found_by_its_address)
{
	uint64_t dma;
	unsigned char *cpu = bus.bus.dma_alloc(&bus, PTT, 8192, &dma);

	cr_assert(cpu);
	cr_expect_eq(cpu[0] | cpu[8191], 0);
	cr_expect_eq(pv_model_bus_dma_map(&bus, dma + 100, 32), cpu + 100);
	bus.bus.dma_free(&bus, PTT, cpu, 8192, dma);
}

Test(bus, dma_past_the_end_finds_nothing)
{
	uint64_t a, b;
	void *x = bus.bus.dma_alloc(&bus, PTT, 4096, &a), *y = bus.bus.dma_alloc(&bus, PTT, 4096, &b);

	cr_assert(x && y);
	cr_expect_null(pv_model_bus_dma_map(&bus, a + 4090, 32));
	cr_expect_null(pv_model_bus_dma_map(&bus, a + 4096, 1));
	cr_expect_null(pv_model_bus_dma_map(&bus, a - 1, 1));
	cr_expect_null(pv_model_bus_dma_map(&bus, UINT64_MAX, 32));
	cr_expect_geq(b, a + 8192, "blocks must not touch");
}

Test(bus, dma_blocks_differ_in_both_halves_of_their_address)
{
	uint64_t dma[2];
	void *cpu[2];

	for (int i = 0; i < 2; i++)
		cpu[i] = bus.bus.dma_alloc(&bus, PTT, 4096, &dma[i]);
	cr_expect(dma[0] >> 32 && dma[1] >> 32 && dma[0] >> 32 != dma[1] >> 32);
	cr_expect((uint32_t)dma[0] != (uint32_t)dma[1]);
	for (int i = 0; i < 2; i++)
		bus.bus.dma_free(&bus, PTT, cpu[i], 4096, dma[i]);
}

Test(bus, dma_memory_is_never_where_registers_are)
{
	for (int i = 0; i < 300; i++) {
		uint64_t dma;
		void *cpu = bus.bus.dma_alloc(&bus, PTT, 128 << 20, &dma);

		cr_assert(cpu);
		cr_expect(dma + (128 << 20) <= 0x8000000000ull || dma >= 0x10000000000ull, "0x%llx",
			  (unsigned long long)dma);
		bus.bus.dma_free(&bus, PTT, cpu, 128 << 20, dma);
	}
}

Test(bus, dma_memory_ends)
{
	uint64_t dma;

	cr_expect_null(bus.bus.dma_alloc(&bus, PTT, 0, &dma));
	for (unsigned i = 0; i < PV_BUS_DMA_BLOCKS; i++)
		cr_assert_not_null(bus.bus.dma_alloc(&bus, PTT, 4096, &dma));
	cr_expect_null(bus.bus.dma_alloc(&bus, PTT, 4096, &dma));
}

Test(bus, freed_dma_memory_is_gone)
{
	uint64_t dma;
	void *cpu = bus.bus.dma_alloc(&bus, PTT, 4096, &dma);

	cr_assert(pv_model_bus_dma_map(&bus, dma, 32));
	bus.bus.dma_free(&bus, PTT, cpu, 4096, dma);
	cr_expect_null(pv_model_bus_dma_map(&bus, dma, 32));
}

/* ---- interrupts ---- */

static struct {
	unsigned calls, depth, deepest, vector, again; /* again: raised as often by the handler itself */
	uint64_t at_ns, busy_ns;
} seen;

static void handler(void *arg, unsigned vector)
{
	seen.calls++;
	seen.vector = vector;
	seen.at_ns = bus.bus.now_ns(&bus);
	if (++seen.depth > seen.deepest)
		seen.deepest = seen.depth;
	if (seen.calls <= seen.again)
		pv_model_bus_msi(&bus, PTT, 0);
	if (seen.busy_ns)
		bus.bus.delay_ns(&bus, seen.busy_ns);
	seen.depth--;
}

static void listen(void)
{
	memset(&seen, 0, sizeof(seen));
	cr_assert_eq(bus.bus.irq_set(&bus, PTT, 1, handler, NULL), 0);
}

Test(bus, an_interrupt_comes_after_its_latency)
{
	listen();
	uint64_t now = bus.bus.now_ns(&bus);
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 1999);
	cr_expect_eq(seen.calls, 0);
	bus.bus.delay_ns(&bus, 10000);
	cr_expect_eq(seen.calls, 1);
	cr_expect_eq(seen.at_ns, now + 2000);
}

Test(bus, an_interrupt_that_is_held_off_comes_when_it_may)
{
	listen();
	bus.bus.irq_save(&bus);
	bus.bus.irq_save(&bus);
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 50000);
	bus.bus.irq_restore(&bus);
	cr_expect_eq(seen.calls, 0, "the outer irq_save() still holds");
	bus.bus.irq_restore(&bus);
	cr_expect_eq(seen.calls, 1);
}

Test(bus, interrupts_do_not_nest)
{
	listen();
	seen.busy_ns = 20000;
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 2000); /* the handler runs, for 20 us */
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 100000);
	cr_expect_eq(seen.calls, 2);
	cr_expect_eq(seen.deepest, 1);
}

Test(bus, a_program_goes_on_although_interrupts_come_faster_than_they_are_handled)
{
	listen();
	seen.busy_ns = 20000;
	seen.again = 1000;
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 2000);
	cr_expect_eq(seen.calls, 64);
	bus.bus.cfg_read(&bus, PTT, 0, 2);
	cr_expect_eq(seen.calls, 128);
}

Test(bus, a_message_that_is_pending_is_not_noted_twice)
{
	listen();
	pv_model_bus_msi(&bus, PTT, 0);
	pv_model_bus_msi(&bus, PTT, 0);
	bus.bus.delay_ns(&bus, 100000);
	cr_expect_eq(seen.calls, 1);
}

Test(bus, nobody_is_called_who_does_not_listen_any_more)
{
	listen();
	pv_model_bus_msi(&bus, PTT, 0);
	cr_assert_eq(bus.bus.irq_set(&bus, PTT, 0, NULL, NULL), 0);
	bus.bus.delay_ns(&bus, 100000);
	cr_expect_eq(seen.calls, 0);
}

Test(bus, a_vector_that_was_not_asked_for_is_lost)
{
	listen();
	pv_model_bus_msi(&bus, PTT, 5);
	bus.bus.delay_ns(&bus, 100000);
	cr_expect_eq(seen.calls, 0);
	cr_expect_eq(bus.lost, 1);
}

Test(bus, a_quicker_consumer_takes_what_waits)
{
	listen();
	pv_model_bus_latency(&bus, 500 * PV_PS_PER_US);
	pv_model_bus_msi(&bus, PTT, 0);
	pv_model_bus_latency(&bus, 1 * PV_PS_PER_US);
	bus.bus.delay_ns(&bus, 1000);
	cr_expect_eq(seen.calls, 1);
}

Test(bus, a_function_without_msi_cannot_interrupt)
{
	cr_expect_lt(bus.bus.irq_set(&bus, 0x0500, 1, handler, NULL), 0);
	cr_expect_lt(bus.bus.irq_set(&bus, PTT, 33, handler, NULL), 0);
}

Test(bus, time_passes_exactly)
{
	uint64_t now = bus.bus.now_ns(&bus);

	bus.bus.delay_ns(&bus, 12345);
	cr_expect_eq(bus.bus.now_ns(&bus), now + 12345);
}

/* ---- BARs ---- */

Test(bus, only_what_is_there_can_be_mapped)
{
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 2, 0, 0x2000), 0);
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 2, 0x1000, 0x1000), 0);
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 2, 0x1000, 0x1001), -EINVAL);
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 2, 0xffffffff, 0x1000), -EINVAL);
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 4, 0, 0x1000), -ENODEV);
	cr_expect_eq(bus.bus.bar_map(&bus, PTT, 6, 0, 0x1000), -ENODEV);
	cr_expect_eq(bus.bus.bar_map(&bus, 0x0500, 2, 0, 0x1000), -ENODEV);
}

/* ---- accounting ---- */

static char told[4][256];
static unsigned n_told;

static void note_told(void *ctx, const char *kind, const char *text)
{
	cr_assert_lt(n_told, 4u);
	snprintf(told[n_told++], sizeof(told[0]), "%s: %s", kind, text);
}

static void account(unsigned lines)
{
	n_told = 0;
	pv_model_bus_account(&bus, note_told, NULL);
	cr_assert_eq(n_told, lines, "expected %u lines, got %u, the first \"%s\"", lines, n_told, told[0]);
}

Test(bus, who_holds_nothing_is_told_nothing)
{
	uint64_t dma;
	void *cpu = bus.bus.dma_alloc(&bus, PTT, 4096, &dma);

	bus.bus.bar_map(&bus, PTT, 2, 0, 0x2000);
	bus.bus.mmio_read(&bus, PTT, 2, 0x1ffc, 4);
	listen();
	bus.bus.irq_set(&bus, PTT, 0, NULL, NULL);
	bus.bus.bar_unmap(&bus, PTT, 2, 0, 0x2000);
	bus.bus.dma_free(&bus, PTT, cpu, 4096, dma);
	account(0);
}

Test(bus, memory_that_was_not_given_back_is_told_by_function)
{
	uint64_t dma;

	for (unsigned i = 0; i < 3; i++)
		bus.bus.dma_alloc(&bus, PTT, 4096, &dma);
	bus.bus.dma_alloc(&bus, 0x0100, 8192, &dma);
	account(2);
	cr_expect_str_eq(told[0],
			 "leak: the driver, shut down, still holds DMA memory of 00:01.0: 3 blocks, 12288 bytes");
	cr_expect_str_eq(told[1],
			 "leak: the driver, shut down, still holds DMA memory of 01:00.0: 1 block, 8192 bytes");
}

Test(bus, handlers_and_mappings_that_stay_are_told)
{
	listen();
	bus.bus.bar_map(&bus, PTT, 2, 0x1000, 0x800);
	bus.bus.irq_save(&bus);
	account(3);
	cr_expect_str_eq(told[0],
			 "leak: the driver, shut down, still has an interrupt handler for 00:01.0: 1 MSI vector");
	cr_expect_str_eq(told[1],
			 "leak: the driver, shut down, still has BAR 2 of 00:01.0 mapped: 0x800 bytes at 0x1000");
	cr_expect_str_eq(told[2], "leak: the driver, shut down, still holds interrupts off");
}

Test(bus, registers_that_are_not_mapped_do_not_answer_and_are_told)
{
	bus.bus.bar_map(&bus, PTT, 2, 0, 0x800);
	bus.bus.mmio_write(&bus, PTT, 2, 0x7fc, 4, 0);
	cr_expect_eq(bus.bus.mmio_read(&bus, PTT, 2, 0x7fc, 8), UINT64_MAX);
	bus.bus.mmio_write(&bus, PTT, 2, 0x800, 4, 0);
	bus.bus.bar_unmap(&bus, PTT, 2, 0, 0x800);
	bus.bus.mmio_write(&bus, PTT, 2, 0, 4, 0);
	account(1);
	cr_expect_str_eq(told[0],
			 "mmio: registers: expected no access but to what is mapped, got 3, the first to BAR 2 of "
			 "00:01.0 at 0x7fc");
}
