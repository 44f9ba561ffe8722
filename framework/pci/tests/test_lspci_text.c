/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of lspci -vv as users copy it, facts that it lacks, and contradictions. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "framework/pci/tests/build.h"
#include "framework/util/cleanup.h"

#define PORT(buses)                                                                                          \
	"00:01.0 PCI bridge [0604]: Intel Corporation Root Port [8086:2030] (rev 07) (prog-if 00)\n"         \
	"\tControl: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV-\n"                                              \
	"\tStatus: Cap+ 66MHz- UDF-\n" buses "\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n" \
	"\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n\t\t\tExtTag+ RBE+\n"                               \
	"\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n\t\t\tRlxdOrd+ ExtTag+ PhantFunc-\n"        \
	"\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"                                                 \
	"\t\tLnkCap:\tPort #2, Speed 16GT/s, Width x8, ASPM L1\n\t\tLnkCtl:\tASPM Disabled; RCB 128 bytes, " \
	"Disabled-\n"                                                                                        \
	"\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)\n"                                     \
	"\t\tSltCap:\tAttnBtn- PwrCtrl- HotPlug+ Surprise-\n"                                                \
	"\t\tSltCtl:\tEnable: AttnBtn-\n\t\t\tControl: AttnInd Off, PwrInd Off\n"                            \
	"\tCapabilities: [100 v1] Advanced Error Reporting\n"                                                \
	"\t\tUESta:\tDLP- SDES- TLP- MalfTLP+ ECRC-\n\t\tAERCap:\tFirst Error Pointer: 12, ECRCGenCap-\n"    \
	"\t\tHeaderLog: 60000080 010000ff 00000001 20000000\n"                                               \
	"\tKernel driver in use: pcieport\n\n"
#define BUSES "\tBus: primary=00, secondary=01, subordinate=0a, sec-latency=0\n"

static struct pv_pci_machine *read_text(const char *text, struct pv_error *e)
{
	char path[] = "/tmp/dump-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	fputs(text, f);
	fclose(f);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, e);
	unlink(path);
	return m;
}

static uint32_t exp_of(const struct pv_pci_machine *m, uint32_t off, unsigned bytes)
{
	return pv_pci_exp(&m->funcs[0], off, bytes);
}

Test(pci_lspci_text, has_every_field_that_is_printed)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m = read_text(PORT(BUSES), &e);

	cr_assert(m, "%s", e.text);
	cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_VENDOR_ID, 4), 0x20308086);
	cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_CLASS + 1, 2), 0x0604);
	cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_COMMAND, 2), PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_PRIMARY_BUS, 4), 0x000a0100);
	cr_expect_eq(m->funcs[0].pcie, 0x40);
	cr_expect(m->funcs[0].is_bridge);
	cr_expect_eq(exp_of(m, PCI_EXP_FLAGS, 2), 2 | PCI_EXP_TYPE_ROOT_PORT << 4 | PCI_EXP_FLAGS_SLOT);
	cr_expect_eq(exp_of(m, PCI_EXP_DEVCAP, 4), 2 | PCI_EXP_DEVCAP_EXT_TAG);
	cr_expect_eq(exp_of(m, PCI_EXP_DEVCTL, 2), 0x2000 | PCI_EXP_DEVCTL_EXT_TAG | 1 << 5 | PCI_EXP_DEVCTL_RELAX);
	cr_expect_eq(exp_of(m, PCI_EXP_LNKCAP, 4), 0x84);
	cr_expect_eq(exp_of(m, PCI_EXP_LNKCTL, 2), PCI_EXP_LNKCTL_RCB);
	cr_expect_eq(exp_of(m, PCI_EXP_LNKSTA, 2), 0x43);
	cr_expect_eq(exp_of(m, PCI_EXP_SLTCAP, 4), PCI_EXP_SLTCAP_HPC);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x100, 2), PCI_EXT_CAP_ID_AER);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x100 + PCI_AER_UNCOR_STATUS, 4), PCI_AER_UNCOR_MALFORMED_TLP);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x100 + PCI_AER_CAP, 4), 0x12);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x100 + PCI_AER_HEADER_LOG, 4), 0x60000080);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x100 + PCI_AER_HEADER_LOG + 12, 4), 0x20000000);
	cr_expect_str_eq(m->funcs[0].note->driver, "pcieport");
	cr_expect_str_eq(m->funcs[0].note->label, "PCI bridge: Intel Corporation Root Port");
	cr_expect_null(m->funcs[0].note->lacks);
	pv_pci_machine_free(m);
}

/* Every type that lspci names, and its value in the register. */
static const struct {
	const char *name;
	unsigned flags;
} types[] = {
	{"(v2) Endpoint, MSI 00", 2},
	{"(v1) Legacy Endpoint, MSI 00", 1 | PCI_EXP_TYPE_LEG_END << 4},
	{"Root Port (Slot-), MSI 00", 1 | PCI_EXP_TYPE_ROOT_PORT << 4},
	{"(v2) Upstream Port, MSI 00", 2 | PCI_EXP_TYPE_UPSTREAM << 4},
	{"(v2) Downstream Port (Slot+), MSI 00", 2 | PCI_EXP_TYPE_DOWNSTREAM << 4 | PCI_EXP_FLAGS_SLOT},
	{"(v2) PCI-Express to PCI/PCI-X Bridge, MSI 00", 2 | PCI_EXP_TYPE_PCI_BRIDGE << 4},
	{"(v2) PCI/PCI-X to PCI-Express Bridge (Slot-), MSI 00", 2 | PCI_EXP_TYPE_PCIE_BRIDGE << 4},
	{"(v2) Root Complex Integrated Endpoint, IntMsgNum 0", 2 | PCI_EXP_TYPE_RC_END << 4},
	{"(v2) Root Complex Event Collector, IntMsgNum 0", 2 | PCI_EXP_TYPE_RC_EC << 4},
	{"(v2) Unknown type 14, MSI 00", 2 | 14 << 4},
};

#define SIZES "\t\tDevCap:\tMaxPayload 512 bytes\n\t\tDevCtl:\tMaxPayload 128 bytes, MaxReadReq 4096 bytes\n"

Test(pci_lspci_text, knows_every_type_that_lspci_names)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct pv_error e = {0};
		_autofree_ char *text = NULL;
		struct pv_pci_machine *m;

		cr_assert_gt(asprintf(&text, "00:01.0 x\n\tCapabilities: [a0] Express %s\n" SIZES "\n", types[i].name),
			     0);
		m = read_text(text, &e);
		cr_assert(m, "%s: %s", types[i].name, e.text);
		cr_expect_eq(m->funcs[0].pcie, 0xa0, "%s", types[i].name);
		cr_expect_eq(exp_of(m, PCI_EXP_FLAGS, 2), types[i].flags, "%s: %#x", types[i].name,
			     exp_of(m, PCI_EXP_FLAGS, 2));
		cr_expect_eq(exp_of(m, PCI_EXP_DEVCTL, 2), 0x5000, "%s", types[i].name);
		pv_pci_machine_free(m);
	}
}

#define FIRST_LINES "00:01.0 PCI bridge: x\n\tControl: Mem+ BusMaster+\n\tStatus: Cap+ 66MHz-\n"
#define EXPRESS	    "\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n"
#define DEVCAP	    "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n"

/* Text without the sizes must give a reason; "": it has them, or the function has none. */
static const struct {
	const char *text, *lacks;
} parts[] = {
	{FIRST_LINES "\tCapabilities: <access denied>\n\n", "<access denied>"},
	{FIRST_LINES EXPRESS DEVCAP, "its MPS is not in the text"},
	{FIRST_LINES EXPRESS DEVCAP "\t\tDevCtl:\tCorrErr-\n", "its MPS is not in the text"},
	{FIRST_LINES EXPRESS DEVCAP "\t\tDevCtl:\tMaxPayload 256 by", "its MPS is not in the text"},
	{FIRST_LINES EXPRESS DEVCAP "\t\tDevCtl:\tMaxPayload 300 bytes, MaxReadReq 512 bytes\n\n", "its MPS is not"},
	{FIRST_LINES EXPRESS "\n", "its MPS is not in the text"},
	{FIRST_LINES, "its capabilities are not in the text, which is cut off"},
	{FIRST_LINES "\n", "its capabilities are not in the text, which is cut off"},
	{FIRST_LINES "\tCapabilities: [50] Power Management version 3\n", "which is cut off"},
	{FIRST_LINES "\tCapabilities: [50] Power Management version 3\n\n", ""},
	{FIRST_LINES "\tCapabilities: [50] Power Management version 3\n\tKernel driver in use: x\n", ""},
	{FIRST_LINES "\tCapabilities: [50] Power Management version 3\n00:02.0 y\n", ""},
	{"00:01.0 x\n\tStatus: Cap- 66MHz-\n", ""},
	{FIRST_LINES EXPRESS SIZES, ""},
};

Test(pci_lspci_text, names_what_it_does_not_have)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct pv_error e = {0};
		struct pv_pci_machine *m = read_text(parts[i].text, &e);
		const char *lacks;

		cr_assert(m, "%zu: %s", i, e.text);
		lacks = m->funcs[0].note->lacks ? m->funcs[0].note->lacks : "";
		cr_expect(*parts[i].lacks ? strstr(lacks, parts[i].lacks) != NULL : !*lacks, "%zu: %s", i, lacks);
		cr_expect_eq(m->funcs[0].unreadable, *lacks != '\0', "%zu", i);
		pv_pci_machine_free(m);
	}
}

Test(pci_lspci_text, a_listing_adds_ids_and_two_moments_are_refused)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m =
		read_text(FIRST_LINES EXPRESS SIZES "\n00:01.0 PCI bridge [0604]: x [1234:5678]\n", &e);

	cr_assert(m, "%s", e.text);
	cr_expect_eq(m->n, 1);
	cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_VENDOR_ID, 4), 0x56781234);
	cr_expect_eq(exp_of(m, PCI_EXP_DEVCTL, 2), 0x5000);
	cr_expect_not(m->funcs[0].note->no_ids);
	pv_pci_machine_free(m);
	m = read_text("00:01.0 PCI bridge: x Device 5679\n\n00:01.0 PCI bridge [0604]: x Device [1234:5679]\n"
		      "\tStatus: Cap+\n" EXPRESS SIZES,
		      &e);
	cr_assert(m, "%s", e.text);
	pv_pci_machine_free(m);
	m = read_text(FIRST_LINES EXPRESS SIZES "\n" FIRST_LINES EXPRESS DEVCAP
						"\t\tDevCtl:\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n",
		      &e);
	cr_expect_null(m);
	cr_expect_eq(e.code, -EBADMSG);
	cr_expect(strstr(e.text, "is there twice, with different sizes, bus numbers or names"), "%s", e.text);
}

/* Without -nn, some ids are recognised by their names: those on which a policy depends. */
Test(pci_lspci_text, names_stand_for_ids_that_decide)
{
	static const struct {
		const char *label;
		uint32_t ids;
	} rows[] = {
		{"PCI bridge: Red Hat, Inc. QEMU PCIe Root port", 0x000c1b36},
		{"Ethernet controller: Red Hat, Inc. Virtio network device", 0x00001af4},
		{"SATA controller: ASMedia Technology Inc. ASM1062 Serial ATA Controller (rev 02)", 0x06121b21},
		{"PCI bridge: Loongson Technology LLC Device 7a39", 0x7a390014},
		{"PCI bridge: Somebody else", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_error e = {0};
		_autofree_ char *text = NULL;
		struct pv_pci_machine *m;

		cr_assert_gt(asprintf(&text, "00:01.0 %s\n" EXPRESS SIZES "\n", rows[i].label), 0);
		m = read_text(text, &e);
		cr_assert(m, "%s", e.text);
		cr_expect_eq(pv_pci_get(&m->funcs[0], PCI_VENDOR_ID, 4), rows[i].ids, "%s: %#x", rows[i].label,
			     pv_pci_get(&m->funcs[0], PCI_VENDOR_ID, 4));
		cr_expect(m->funcs[0].note->no_ids);
		pv_pci_machine_free(m);
	}
}

/* A capability ends at 256 bytes: registers beyond belong to nothing. */
Test(pci_lspci_text, a_capability_ends_where_its_space_does)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m = read_text("00:01.0 x\n\tCapabilities: [ec] Express (v2) Endpoint, MSI 00\n" SIZES
					     "\t\tDevCtl2: 10BitTagReq+\n"
					     "\tCapabilities: [100 v1] Advanced Error Reporting\n\n",
					     &e);

	cr_assert(m, "%s", e.text);
	cr_expect_eq(m->funcs[0].pcie, 0xec);
	cr_expect_eq(pv_pci_get(&m->funcs[0], 0x114, 4), 0);
	pv_pci_machine_free(m);
}

/* With impossible offsets and sizes, nothing may be written outside of the function's bytes. */
Test(pci_lspci_text, impossible_values_are_not_taken)
{
	static const char *const rows[] = {
		"\tCapabilities: [fc] Express (v2) Endpoint, MSI 00\n" SIZES,
		"\tCapabilities: [0] Express (v2) Endpoint, MSI 00\n" SIZES,
		"\tCapabilities: [-40] Express (v2) Endpoint, MSI 00\n" SIZES,
		"\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n" SIZES "\tCapabilities: [ffc v1] Advanced Error "
		"Reporting\n\t\tUESta:\tMalfTLP+\n\t\tHeaderLog: 0 1 2 3\n",
		"\tCapabilities: [ffffffffffffffff v1] Advanced Error Reporting\n\t\tUESta:\tMalfTLP+\n",
		"\tBus: primary=100, secondary=01, subordinate=01\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_error e = {0};
		_autofree_ char *text = NULL;
		struct pv_pci_machine *m;

		cr_assert_gt(asprintf(&text, "00:01.0 x\n\tControl: Mem+ BusMaster+\n%s\n", rows[i]), 0);
		m = read_text(text, &e);
		cr_assert(m, "%zu: %s", i, e.text);
		cr_expect(m->funcs[0].pcie == 0 || m->funcs[0].pcie == 0x40, "%zu: %#x", i, m->funcs[0].pcie);
		pv_pci_machine_free(m);
	}
}

Test(pci_lspci_text, has_memory_regions_with_their_sizes)
{
	static const char text[] =
		"65:00.0 Ethernet controller: Intel Corporation X710\n"
		"\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n\tInterrupt: pin A routed to IRQ 16\n"
		"\tRegion 0: Memory at 2000800000 (64-bit, prefetchable) [size=8M]\n"
		"\tRegion 2: I/O ports at e000 [size=32]\n"
		"\tRegion 3: Memory at fe400000 (32-bit, non-prefetchable) [virtual]\n\t\t[size=512]\n"
		"\tRegion 4: Memory at fe500000 (32-bit, non-prefetchable) [disabled] [size=4K]\n"
		"\tRegion 5: Memory at <unassigned> (32-bit, non-prefetchable) [size=4K]\n"
		"\tRegion 6: Memory at fe600000 (32-bit, non-prefetchable) [size=4K]\n"
		"\tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n"
		"\tCapabilities: [160 v1] Single Root I/O Virtualization (SR-IOV)\n"
		"\t\tRegion 0: Memory at 0000002100000000 (64-bit, prefetchable)\n"
		"\t\tRegion 1: Memory at fe700000 (32-bit, prefetchable) [size=4294967296T]\n\n";
	static const struct pv_pci_region want[PV_PCI_REGIONS] = {
		[0] = {0x2000800000, 8 << 20}, [3] = {0xfe400000, 512}};
	struct pv_error e = {0};
	struct pv_pci_machine *m = read_text(text, &e);

	cr_assert(m && m->funcs[0].note, "%s", e.text);
	for (unsigned i = 0; i < PV_PCI_REGIONS; i++) {
		const struct pv_pci_region *got = &m->funcs[0].note->regions[i];

		cr_expect(got->size == want[i].size && (!got->size || got->address == want[i].address),
			  "region %u: %llx, size %llu", i, (unsigned long long)got->address,
			  (unsigned long long)got->size);
	}
	pv_pci_machine_free(m);
}

/* One file of two moments, or of two machines: nothing in it can be trusted. */
static const char *const contradictions[] = {
	FIRST_LINES EXPRESS SIZES "\n00:01.0 PCI bridge: y\n",
	FIRST_LINES "\tCapabilities: <access denied>\n\n00:01.0 PCI bridge: y\n\tStatus: Cap+\n" EXPRESS SIZES,
	"00:01.0 PCI bridge: x [1234:5678]\n\tStatus: Cap+\n" EXPRESS SIZES "\n00:01.0 PCI bridge: x [1234:5679]\n",
	PORT(BUSES) PORT("\tBus: primary=00, secondary=02, subordinate=0a, sec-latency=0\n"),
};

Test(pci_lspci_text, contradictions_are_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(contradictions); i++) {
		struct pv_error e = {0};

		cr_expect_null(read_text(contradictions[i], &e), "%zu", i);
		cr_expect(strstr(e.text, "is there twice, with different sizes, bus numbers or names"), "%zu: %s", i,
			  e.text);
	}
}

/* Bytes of a bridge with MPSS 512, MPS `mps` and MRRS 4096. */
static struct pv_pci_machine *read_bytes_and_text(unsigned mps, unsigned secondary, bool bytes_first,
						  struct pv_error *e)
{
	uint8_t space[64 + 16] = {[0] = 1, [PCI_STATUS] = PCI_STATUS_CAP_LIST, [PCI_HEADER_TYPE] = 1, [0x34] = 0x40};
	char bytes[2048] = "00:01.0 PCI bridge: x\n", both[4096];
	static const char text[] =
		FIRST_LINES "\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n"
			    "\tCapabilities: [40] Express (v2) Root Port (Slot-), MSI 00\n" SIZES "\n";

	space[PCI_SECONDARY_BUS] = space[PCI_SUBORDINATE_BUS] = (uint8_t)secondary;
	build_put(space, 0x40, 4, 0x00420010);
	build_put(space, 0x40 + PCI_EXP_DEVCAP, 4, 0x8022);
	build_put(space, 0x40 + PCI_EXP_DEVCTL, 2, 0x5110 | build_field((int)mps) << PCI_EXP_DEVCTL_MPS_SHIFT);
	for (unsigned i = 0; i < 256; i++) {
		if (i % 16 == 0)
			sprintf(bytes + strlen(bytes), "%02x:", i);
		sprintf(bytes + strlen(bytes), " %02x%s", i < sizeof(space) ? space[i] : 0, i % 16 == 15 ? "\n" : "");
	}
	snprintf(both, sizeof(both), "%s\n%s", bytes_first ? bytes : text, bytes_first ? text : bytes);
	return read_text(both, e);
}

Test(pci_lspci_text, bytes_that_contradict_the_text_are_refused)
{
	for (unsigned first = 0; first < 2; first++) {
		struct pv_error e = {0};
		struct pv_pci_machine *m = read_bytes_and_text(128, 1, first, &e);

		cr_assert(m, "%s", e.text);
		pv_pci_machine_free(m);
		cr_expect_null(read_bytes_and_text(256, 1, first, &e));
		cr_expect(strstr(e.text, "is there twice, with different sizes"), "%s", e.text);
		cr_expect_null(read_bytes_and_text(128, 2, first, &e));
	}
}

Test(pci_lspci_text, headings_with_the_ports_above_are_refused)
{
	static const char *const paths[] = {"00:01.0/00.0", "00:01.0/01:00.0", "0000:00:01.0/01:00.0/02:00.0"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_autofree_ char *text = NULL;
		struct pv_error e = {0};

		cr_assert(asprintf(&text, PORT(BUSES) "%s Ethernet controller: x\n" EXPRESS SIZES, paths[i]) > 0);
		cr_expect_null(read_text(text, &e), "%s", paths[i]);
		cr_expect(strstr(e.text, "expected lspci without -P"), "%s: %s", paths[i], e.text);
	}
}
