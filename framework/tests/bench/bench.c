/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval-bench PCIEVAL COUNT [trace | mps | PLAN...]: measures the models with COUNT TLPs a row, and with plans the
 * program PCIEVAL itself; or the trace tools or mps alone. `pcieval bench` starts it. Each figure stands beside its
 * goal. Figures are of one machine and one moment: compare the ratios of one run, not runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "fixtures/models/model.h"
#include "framework/oracle/ledger.h"
#include "framework/tests/bench/bench.h"
#include "framework/util/cleanup.h"
#include "framework/util/spawn.h"

#define PTT_BDF	 PCI_BDF(0, 1, 0)
#define PORT_BDF PCI_BDF(0, 0x10, 0)
#define NIC_BDF	 PCI_BDF(1, 0, 0)

#define DMA_BASE  0x100000000ull
#define DMA_BYTES (4u << 20)

/* One machine to measure: what it is made of, and what it observes. */
struct bench {
	struct pv_model *model;
	struct pv_ledger *ledger;
	uint8_t *dma;
	void *blocks[4096];
	unsigned n_blocks;
	uint64_t traced_buffers;
};

enum { WITH_DWC = 1, WITH_PTT = 2, WITH_LEDGER = 4 };

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *bench_alloc(void *ctx, size_t bytes)
{
	struct bench *b = ctx;

	if (b->n_blocks == ARRAY_SIZE(b->blocks))
		return NULL;
	void *p = calloc(1, bytes);
	if (p)
		b->blocks[b->n_blocks++] = p;
	return p;
}

static void *bench_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	struct bench *b = ctx;
	uint64_t end = PTT_DMA_BUFFERS * (uint64_t)DMA_BYTES;

	if (addr < DMA_BASE || addr - DMA_BASE > end || bytes > end - (addr - DMA_BASE))
		return NULL;
	return b->dma + (addr - DMA_BASE);
}

static void bench_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	(void)bdf, (void)vector;
	((struct bench *)ctx)->traced_buffers++;
}

static void bench_wire(void *ctx, const struct pv_wire *w)
{
	pv_ledger_add(((struct bench *)ctx)->ledger, w);
}

static uint32_t find_ras_des(struct pv_model *m)
{
	uint32_t off = PCI_EXT_CAP_START;

	for (int i = 0; off && i < 64; i++) {
		uint32_t h = (uint32_t)pv_model_cfg_read(m, PORT_BDF, off, 4);

		if (PCI_EXT_CAP_ID(h) == PCI_EXT_CAP_ID_VSEC &&
		    (pv_model_cfg_read(m, PORT_BDF, off + PCI_VSEC_HEADER, 4) & 0xffff) == DWC_VSEC_ID)
			return off;
		off = PCI_EXT_CAP_NEXT(h);
	}
	return 0;
}

static void start_dwc(struct pv_model *m)
{
	uint32_t cap = find_ras_des(m);
	uint32_t select = 0x7u << DWC_EVENT_GROUP_SHIFT | 0x0bu << DWC_EVENT_NUMBER_SHIFT;

	pv_model_cfg_write(m, PORT_BDF, cap + DWC_EVENT_CNT_CTL, 4, DWC_EVENT_CLEAR_ALL);
	pv_model_cfg_write(m, PORT_BDF, cap + DWC_EVENT_CNT_CTL, 4,
			   select | DWC_EVENT_SELECTED_ON << DWC_EVENT_ENABLE_SHIFT);
	pv_model_cfg_write(m, PORT_BDF, cap + DWC_TIME_BASED_CTL, 4, 0x21u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
}

static void ptt_write(struct pv_model *m, uint32_t off, uint32_t value)
{
	pv_model_mmio_write(m, PTT_BDF, PTT_BAR, off, 4, value);
}

static void start_ptt(struct pv_model *m)
{
	pv_model_cfg_write(m, PTT_BDF, PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ptt_write(m, PTT_TRACE_ADDR_SIZE, DMA_BYTES);
	for (unsigned i = 0; i < PTT_DMA_BUFFERS; i++) {
		uint64_t addr = DMA_BASE + i * (uint64_t)DMA_BYTES;

		ptt_write(m, PTT_TRACE_ADDR_BASE_LO(i), (uint32_t)addr);
		ptt_write(m, PTT_TRACE_ADDR_BASE_HI(i), (uint32_t)(addr >> 32));
	}
	ptt_write(m, PTT_TRACE_INT_MASK, PTT_TRACE_INT_MASK_ALL);
	ptt_write(m, PTT_TRACE_CTRL,
		  1u << PTT_TRACE_CTRL_TARGET_SEL_SHIFT | PTT_TRACE_CTRL_DATA_FORMAT |
			  PTT_TYPE_POSTED << PTT_TRACE_CTRL_TYPE_SEL_SHIFT |
			  PTT_DIR_B << PTT_TRACE_CTRL_RXTX_SEL_SHIFT | PTT_TRACE_CTRL_EN);
}

/* A figure without its work is worth nothing. */
static bool traced(struct pv_model *m)
{
	return pv_model_mmio_read(m, PTT_BDF, PTT_BAR, PTT_TRACE_WR_STS, 4) ||
	       pv_model_mmio_read(m, PTT_BDF, PTT_BAR, PTT_TRACE_INT_STAT, 4);
}

static int bench_machine(struct bench *b, unsigned with)
{
	struct pv_model_env env = {.ctx = b, .alloc = bench_alloc, .dma_map = bench_dma_map, .msi = bench_msi};

	if (with & WITH_LEDGER)
		env.wire = bench_wire;
	b->model = pv_model_new(&env, 1);
	if (!b->model)
		return -ENOMEM;
	struct pv_node_conf ptt = {
		.kind = PV_NODE_PTT, .bdf = PTT_BDF, .parent = -1, .range_lower = PORT_BDF, .range_upper = PORT_BDF};
	struct pv_node_conf port = {.kind = PV_NODE_ROOT_PORT,
				    .bdf = PORT_BDF,
				    .parent = -1,
				    .secondary = 1,
				    .subordinate = 1,
				    .vendor = DWC_VENDOR_ALIBABA,
				    .mpss = 2,
				    .mps = 1,
				    .mrrs = 2,
				    .mrrs_max = 5,
				    .speed = 5,
				    .width = 16,
				    .rcb = 64,
				    .ras_des = true};
	struct pv_node_conf nic = {
		.kind = PV_NODE_ENDPOINT, .bdf = NIC_BDF, .mpss = 2, .mps = 1, .mrrs = 2, .mrrs_max = 5};
	int r = pv_model_add(b->model, &ptt);
	if (r >= 0)
		r = nic.parent = pv_model_add(b->model, &port);
	if (r >= 0)
		r = pv_model_add(b->model, &nic);
	if (r >= 0)
		r = pv_model_start(b->model);
	return r;
}

static void bench_free(struct bench *b)
{
	for (unsigned i = 0; i < b->n_blocks; i++)
		free(b->blocks[i]);
	free(b->dma);
	pv_ledger_free(b->ledger);
}

/* Saturated posted writes of 64 bytes over a Gen5 x16 link; TLPs per second of processor time, or a negative errno. */
static double bench_tlps(uint64_t count, unsigned with)
{
	struct bench b = {.dma = malloc(PTT_DMA_BUFFERS * (size_t)DMA_BYTES)};
	double rate = -ENOMEM;
	struct pv_wire_file head = {.magic = PV_WIRE_MAGIC,
				    .record_bytes = sizeof(struct pv_wire),
				    .ptt_tick_ps = PV_MODEL_PTT_TICK_PS,
				    .dwc_cycle_ps = PV_MODEL_DWC_CYCLE_PS,
				    .cpmu_cycle_ps = PV_MODEL_CPMU_CYCLE_PS};

	if (with & WITH_LEDGER)
		b.ledger = pv_ledger_new(NULL, 16u << 20, &head);
	if (!b.dma || ((with & WITH_LEDGER) && !b.ledger) || bench_machine(&b, with) < 0)
		goto out;
	memset(b.dma, 0, PTT_DMA_BUFFERS * (size_t)DMA_BYTES);
	if (with & WITH_DWC)
		start_dwc(b.model);
	if (with & WITH_PTT)
		start_ptt(b.model);

	struct pv_traffic_conf t = {.origin = PV_ORIGIN_DEVICE,
				    .from = NIC_BDF,
				    .to = PV_TO_MEMORY,
				    .requester = 0xffff,
				    .size_min = 64,
				    .size_max = 64,
				    .count = count,
				    .first_be = -1,
				    .last_be = -1,
				    .seed = 1};
	t.weight[PV_T_MWR64] = 1;
	double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
	int id = pv_model_traffic(b.model, &t);
	while (id >= 0 && !pv_model_traffic_idle(b.model))
		pv_model_run(b.model, pv_model_now_ps(b.model) + PV_PS_PER_MS);
	double spent = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
	rate = id < 0 ? id : (double)count / spent;
	if ((with & WITH_PTT) && !traced(b.model))
		rate = -EIO;
out:
	bench_free(&b);
	return rate;
}

static int bench_models(uint64_t count)
{
	static const struct {
		const char *what;
		unsigned with;
		double goal;
	} rows[] = {
		{"link alone", 0, 0},
		{"link + DWC counters", WITH_DWC, 0},
		{"link + DWC counters + PTT 8DW trace", WITH_DWC | WITH_PTT, 10e6},
		{"the same + wire ledger to a file", WITH_DWC | WITH_PTT | WITH_LEDGER, 0},
	};

	printf("%llu posted writes of 64 bytes, Gen5 x16, per second of processor time\n", (unsigned long long)count);
	double base = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double r = bench_tlps(count, rows[i].with);

		if (r < 0) {
			fprintf(stderr, "pcieval bench: %s: %s\n", rows[i].what, strerror((int)-r));
			return PV_EXIT_UNJUDGED;
		}
		if (!i)
			base = r;
		printf("  %-38s %7.2f M TLPs/s  %5.2f x", rows[i].what, r / 1e6, r / base);
		if (rows[i].goal > 0)
			printf("  (goal %.0f M: %s)", rows[i].goal / 1e6, r >= rows[i].goal ? "met" : "MISSED");
		putchar('\n');
		fflush(stdout);
	}
	return PV_EXIT_PASSED;
}

/* Runs `program` with `argv` and discards its output; seconds of wall time, or -1. */
static double time_command(const char *program, char *const argv[], int *status)
{
	double start = seconds(CLOCK_MONOTONIC);
	_autoclose_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid = pv_spawn(
		&(struct pv_spawn){.path = program, .argv = (const char *const *)argv, .streams = {null, null, null}});

	if (pid < 0)
		return -1;
	*status = pv_spawn_wait(pid);
	return seconds(CLOCK_MONOTONIC) - start;
}

/* `head` arguments, then the plans: the best of `times` runs against its goal. */
static int bench_command(const char *pcieval, const char *what, const char *const *head, int argc, char **plans,
			 int times, double goal_s)
{
	char *argv[64 + 1024];
	int n = 0;

	for (; head[n]; n++)
		argv[n] = (char *)head[n];
	for (int i = 0; i < argc && n < (int)ARRAY_SIZE(argv) - 1; i++)
		argv[n++] = plans[i];
	argv[n] = NULL;
	double best = -1;
	int status = 0;
	for (int i = 0; i < times; i++) {
		double s = time_command(pcieval, argv, &status);

		if (s < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "pcieval bench: %s: exit status %d; run it by hand to see why\n", what,
				WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
			return PV_EXIT_UNJUDGED;
		}
		if (best < 0 || s < best)
			best = s;
	}
	printf("  %-38s %8.3f s (goal %.2f s: %s)\n", what, best, goal_s, best < goal_s ? "met" : "MISSED");
	return PV_EXIT_PASSED;
}

static int bench_plans(const char *pcieval, int argc, char **plans)
{
	char folder[] = "/tmp/pcieval-bench-XXXXXX";

	if (!mkdtemp(folder)) {
		fprintf(stderr, "pcieval bench: making a folder for results: %s\n", strerror(errno));
		return PV_EXIT_UNJUDGED;
	}
	_autofree_ char *results = NULL;
	if (asprintf(&results, "%s/run", folder) < 0)
		return PV_EXIT_UNJUDGED;
	printf("%d plans\n", argc);
	const char *list[] = {"pcieval", "list", NULL};
	const char *run[] = {"pcieval", "run", "-j", "2", "--results", results, NULL};
	int r = bench_command(pcieval, "list", list, argc, plans, 5, 0.05);
	if (!r)
		r = bench_command(pcieval, "run -j 2", run, argc, plans, 1, 10);
	const char *rm[] = {"rm", "-rf", folder, NULL};
	pid_t pid = pv_spawn(&(struct pv_spawn){.argv = rm, .streams = {-1, -1, -1}});
	if (pid > 0)
		pv_spawn_wait(pid);
	return r;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (!count) {
		fputs("usage: pcieval-bench PCIEVAL COUNT [trace | mps | PLAN...]\n", stderr);
		return PV_EXIT_USAGE;
	}
	int status, rest = argc - 3;
	if (rest && !strcmp(argv[3], "trace"))
		status = bench_trace();
	else if (rest && !strcmp(argv[3], "mps"))
		status = bench_mps();
	else if (!(status = bench_models(count)) && rest)
		status = bench_plans(argv[1], rest, argv + 3);
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "pcieval bench: standard output: %s\n", strerror(errno));
	return status ? status : PV_EXIT_UNJUDGED;
}
