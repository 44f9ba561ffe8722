/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval bench mps`: reading, planning and checking machines of thousands of functions, in processor time. */

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "framework/mps/check.h"
#include "framework/mps/plan.h"
#include "framework/tests/bench/bench.h"
#include "framework/util/cleanup.h"

enum { DOMAINS = 16, ROOT_PORTS = 25, BYTES = 256, EXP = 0x40, TEXT_MACHINES = 2 };

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

/* The same function as the text of lspci -vv, with the lines that are passed over, too. */
static void print_text(FILE *f, unsigned domain, pv_bdf bdf, unsigned type, unsigned first, unsigned last)
{
	static const char *const types[] = {[PCI_EXP_TYPE_ENDPOINT] = "Endpoint",
					    [PCI_EXP_TYPE_ROOT_PORT] = "Root Port (Slot-)",
					    [PCI_EXP_TYPE_UPSTREAM] = "Upstream Port",
					    [PCI_EXP_TYPE_DOWNSTREAM] = "Downstream Port (Slot-)"};

	fprintf(f, "%04x:%02x:%02x.%x PCI bridge: Red Hat, Inc. Example (rev 02) (prog-if 00 [Normal decode])\n",
		domain, PCI_BUS(bdf), PCI_SLOT(bdf), PCI_FUNC(bdf));
	fputs("\tControl: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- DisINTx-\n"
	      "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- INTx-\n"
	      "\tLatency: 0, Cache Line Size: 64 bytes\n\tInterrupt: pin A routed to IRQ 24\n",
	      f);
	if (first)
		fprintf(f, "\tBus: primary=00, secondary=%02x, subordinate=%02x, sec-latency=0\n", first, last);
	fputs("\tMemory behind bridge: 90000000-91ffffff [size=32M] [32-bit]\n"
	      "\tCapabilities: [80] Power Management version 3\n"
	      "\t\tFlags: PMEClk- DSI- D1- D2- AuxCurrent=0mA PME(D0+,D1-,D2-,D3hot+,D3cold+)\n"
	      "\t\tStatus: D0 NoSoftRst+ PME-Enable- DSel=0 DScale=0 PME-\n",
	      f);
	fprintf(f, "\tCapabilities: [40] Express (v2) %s, MSI 00\n", types[type]);
	fputs("\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n\t\t\tExtTag+ RBE+\n"
	      "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- "
	      "NoSnoop+\n\t\t\tMaxPayload 128 bytes, MaxReadReq 512 bytes\n"
	      "\t\tDevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-\n"
	      "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x8, ASPM L1, Exit Latency L1 <16us\n"
	      "\t\t\tClockPM- Surprise- LLActRep- BwNot- ASPMOptComp+\n"
	      "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, Disabled- CommClk+\n\t\t\tExtSynch- ClockPM- AutWidDis-\n"
	      "\t\tLnkSta:\tSpeed 16GT/s, Width x8\n\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
	      "\t\tDevCap2: Completion Timeout: Range ABC, TimeoutDis+ NROPrPrP- LTR+\n"
	      "\t\t\t 10BitTagComp- 10BitTagReq- OBFF Not Supported, ExtFmt- EETLPPrefix-\n"
	      "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis- LTR- 10BitTagReq- OBFF Disabled\n"
	      "\t\tLnkCap2: Supported Link Speeds: 2.5-16GT/s, Crosslink- Retimer- 2Retimers- DRS-\n"
	      "\t\tLnkCtl2: Target Link Speed: 16GT/s, EnterCompliance- SpeedDis-\n"
	      "\tKernel driver in use: pcieport\n\n",
	      f);
}

typedef void print_fn(FILE *f, unsigned domain, pv_bdf bdf, unsigned type, unsigned first, unsigned last);

/* Below each Root Port a switch of one Downstream Port, and a device of two functions. */
static void print_machine(FILE *f, print_fn *print, unsigned domains)
{
	for (unsigned domain = 0; domain < domains; domain++)
		for (unsigned port = 0; port < ROOT_PORTS; port++) {
			unsigned bus = 1 + 3 * port;

			print(f, domain, PCI_BDF(0, port, 0), PCI_EXP_TYPE_ROOT_PORT, bus, bus + 2);
			print(f, domain, PCI_BDF(bus, 0, 0), PCI_EXP_TYPE_UPSTREAM, bus + 1, bus + 2);
			print(f, domain, PCI_BDF(bus + 1, 0, 0), PCI_EXP_TYPE_DOWNSTREAM, bus + 2, bus + 2);
			print(f, domain, PCI_BDF(bus + 2, 0, 0), PCI_EXP_TYPE_ENDPOINT, 0, 0);
			print(f, domain, PCI_BDF(bus + 2, 0, 1), PCI_EXP_TYPE_ENDPOINT, 0, 0);
		}
}

static struct pv_pci_machine *read_machine(print_fn *print, unsigned domains)
{
	_autoclose_ int fd = memfd_create("machine", MFD_CLOEXEC);
	_autofclose_ FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	struct pv_error e = {0};
	struct pv_pci_machine *m;
	char path[40];

	if (!f)
		return NULL;
	print_machine(f, print, domains);
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

static void print_row(const char *what, double s, double goal_s)
{
	printf("  %-38s %8.3f s", what, s);
	if (goal_s > 0)
		printf(" (goal %.2f s: %s)", goal_s, s < goal_s ? "met" : "MISSED");
	putchar('\n');
}

/* The text of a larger machine, as people mail it: made, read and checked. */
static int bench_text(void)
{
	double start = processor_seconds();
	struct pv_pci_machine *m = read_machine(print_text, TEXT_MACHINES * DOMAINS);
	int err = m ? check_peers(m) : -1;

	if (m)
		printf("the text of %zu functions\n", m->n);
	if (!err)
		print_row("making, reading and check --peer2peer", processor_seconds() - start, 0.3);
	pv_pci_machine_free(m);
	return err;
}

int bench_mps(void)
{
	double start = processor_seconds();
	struct pv_pci_machine *m = read_machine(print_func, DOMAINS);
	int err = m ? 0 : -1;

	if (m)
		printf("a machine of %zu functions, in processor time\n  %-38s %8.3f s\n", m->n,
		       "making and reading the dump", processor_seconds() - start);
	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++) {
		double s = processor_seconds();

		err = rows[i].run(m);
		print_row(rows[i].what, processor_seconds() - s, rows[i].goal_s);
	}
	pv_pci_machine_free(m);
	if (!err)
		err = bench_text();
	return err ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
}
