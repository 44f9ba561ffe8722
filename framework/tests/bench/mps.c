/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval bench mps`: reading, planning and checking a machine of 2,000 functions, in processor time. */

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "framework/mps/check.h"
#include "framework/mps/plan.h"
#include "framework/tests/bench/bench.h"
#include "framework/util/cleanup.h"

enum { DOMAINS = 16, ROOT_PORTS = 25, BYTES = 256, EXP = 0x40 };

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the machine ---- */

/* One function of 256 bytes; `first` to `last` are the buses below it, 0: it is no bridge. */
static void print_func(FILE *f, unsigned domain, pv_bdf bdf, unsigned type, unsigned first, unsigned last)
{
	uint8_t space[BYTES] = {
		[PCI_VENDOR_ID] = 0x36,
		0x1b,
		0x0c,
		[PCI_STATUS] = PCI_STATUS_CAP_LIST,
		[PCI_HEADER_TYPE] = first ? PCI_HEADER_TYPE_BRIDGE : PCI_HEADER_MULTI_FUNCTION,
		[PCI_SECONDARY_BUS] = (uint8_t)first,
		(uint8_t)last,
		[PCI_CAPABILITIES] = EXP,
		[EXP] = PCI_CAP_ID_EXP,
		0,
		(uint8_t)(type << PCI_EXP_FLAGS_TYPE_SHIFT | 2),
		[EXP + PCI_EXP_DEVCAP] = 2,
		[EXP + PCI_EXP_DEVCTL + 1] = 0x20,
		[EXP + PCI_EXP_LNKCAP] = 0x84,
		[EXP + PCI_EXP_LNKSTA] = 0x84,
	};

	fprintf(f, "%04x:%02x:%02x.%x Example\n", domain, PCI_BUS(bdf), PCI_SLOT(bdf), PCI_FUNC(bdf));
	for (unsigned i = 0; i < BYTES; i++) {
		if (i % 16 == 0)
			fprintf(f, "%02x:", i);
		fprintf(f, " %02x%s", space[i], i % 16 == 15 ? "\n" : "");
	}
}

/* Below each Root Port a switch of one Downstream Port, and a device of two functions. */
static void print_machine(FILE *f)
{
	for (unsigned domain = 0; domain < DOMAINS; domain++)
		for (unsigned port = 0; port < ROOT_PORTS; port++) {
			unsigned bus = 1 + 3 * port;

			print_func(f, domain, PCI_BDF(0, port, 0), PCI_EXP_TYPE_ROOT_PORT, bus, bus + 2);
			print_func(f, domain, PCI_BDF(bus, 0, 0), PCI_EXP_TYPE_UPSTREAM, bus + 1, bus + 2);
			print_func(f, domain, PCI_BDF(bus + 1, 0, 0), PCI_EXP_TYPE_DOWNSTREAM, bus + 2, bus + 2);
			print_func(f, domain, PCI_BDF(bus + 2, 0, 0), PCI_EXP_TYPE_ENDPOINT, 0, 0);
			print_func(f, domain, PCI_BDF(bus + 2, 0, 1), PCI_EXP_TYPE_ENDPOINT, 0, 0);
		}
}

static struct pv_pci_machine *read_machine(void)
{
	_autoclose_ int fd = memfd_create("machine", MFD_CLOEXEC);
	_autofclose_ FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	struct pv_error e = {0};
	struct pv_pci_machine *m;
	char path[40];

	if (!f)
		return NULL;
	print_machine(f);
	fflush(f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	if (!m)
		fprintf(stderr, "pcieval bench: %s\n", e.text);
	return m;
}

/* ---- rows ---- */

static int plan_perf(struct pv_pci_machine *m)
{
	struct pv_policy_plan plan;
	int err = pv_policy_plan(m, PV_MPS_PERFORMANCE, NULL, 0, &plan);

	pv_policy_plan_free(&plan);
	return err;
}

static int check_peers(struct pv_pci_machine *m)
{
	struct pv_mismatches found;
	int err = pv_check(m, true, &found);

	pv_mismatches_free(&found);
	return err;
}

static const struct {
	const char *what;
	int (*run)(struct pv_pci_machine *m);
	double goal_s; /* 0: none */
} rows[] = {
	{"plan --policy perf", plan_perf, 0.1},
	{"check --peer2peer", check_peers, 0},
};

int bench_mps(void)
{
	double start = processor_seconds();
	struct pv_pci_machine *m = read_machine();
	int err = m ? 0 : -1;

	if (m)
		printf("a machine of %zu functions, in processor time\n  %-38s %8.3f s\n", m->n,
		       "making and reading the dump", processor_seconds() - start);
	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++) {
		double s = processor_seconds();

		err = rows[i].run(m);
		s = processor_seconds() - s;
		printf("  %-38s %8.3f s", rows[i].what, s);
		if (rows[i].goal_s > 0)
			printf(" (goal %.2f s: %s)", rows[i].goal_s, s < rows[i].goal_s ? "met" : "MISSED");
		putchar('\n');
	}
	pv_pci_machine_free(m);
	return err ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
}
