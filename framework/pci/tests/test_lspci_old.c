/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wording of pciutils 2.1 and 2.2, encoded mails, and two listings in one file. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "framework/pci/mail.h"
#include "framework/pci/split.h"
#include "framework/pci/tests/build.h"
#include "framework/util/cleanup.h"

#define OLD(type)                                                                                            \
	"00:01.0 PCI bridge: Intel Corporation Unknown device 29c1\n"                                        \
	"\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n\tStatus: Cap+ 66MHz- UDF-\n"                           \
	"%s\tCapabilities: [a0] Express " type " IRQ 0\n"                                                    \
	"\t\tDevice: Supported: MaxPayload 256 bytes, PhantFunc 0, ExtTag+\n\t\tDevice: Latency L0s <64ns\n" \
	"\t\tDevice: Errors: Correctable- Non-Fatal-\n\t\tDevice: RlxdOrd+ ExtTag+ PhantFunc- AuxPwr-\n"     \
	"\t\tDevice: MaxPayload 128 bytes, MaxReadReq 512 bytes\n"                                           \
	"\t\tLink: Supported Speed 2.5Gb/s, Width x16, ASPM L0s L1, Port 2\n\t\tLink: Latency L0s <256ns\n"  \
	"\t\tLink: ASPM Disabled RCB 128 bytes CommClk+ ExtSynch-\n\t\tLink: Speed 2.5Gb/s, Width x8\n"      \
	"\t\tSlot: AtnBtn- PwrCtrl- MRL- AtnInd- PwrInd- HotPlug+ Surpise-\n\t\tSlot: Number 0\n"            \
	"\t\tSlot: Enabled AtnBtn- PwrFlt-\n\t\tRoot: Correctable- Non-Fatal-\n\n"
#define BUSES "\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n"

static struct pv_pci_machine *read_text(const char *text)
{
	char path[] = "/tmp/dump-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct pv_error e = {0};

	fputs(text, f);
	fclose(f);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	unlink(path);
	cr_assert(m, "%s: %s", e.text, text);
	return m;
}

static struct pv_pci_machine *read_old(const char *format, const char *buses)
{
	_autofree_ char *text = NULL;

	cr_assert_gt(asprintf(&text, format, buses), 0);
	return read_text(text);
}

Test(pci_lspci_old, lines_of_2_2_are_the_same_registers)
{
	struct pv_pci_machine *m = read_old(OLD("Root Port (Slot+)"), BUSES);
	const struct pv_pci_func *f = m->funcs;

	cr_expect_eq(f->pcie, 0xa0);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_FLAGS, 2), 1 | PCI_EXP_TYPE_ROOT_PORT << 4 | PCI_EXP_FLAGS_SLOT);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_DEVCAP, 4), 1 | PCI_EXP_DEVCAP_EXT_TAG);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_DEVCTL, 2), 0x2000 | PCI_EXP_DEVCTL_EXT_TAG | PCI_EXP_DEVCTL_RELAX);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_LNKCAP, 4), 0x101);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_LNKCTL, 2), PCI_EXP_LNKCTL_RCB);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_LNKSTA, 2), 0x81);
	cr_expect_eq(pv_pci_exp(f, PCI_EXP_SLTCAP, 4), PCI_EXP_SLTCAP_HPC);
	cr_expect_null(f->note->lacks);
	pv_pci_machine_free(m);
}

static const struct {
	const char *format, *buses;
	unsigned type;
} types[] = {
	{OLD("Endpoint"), "", PCI_EXP_TYPE_ENDPOINT},
	{OLD("Legacy Endpoint"), "", PCI_EXP_TYPE_LEG_END},
	{OLD("Upstream Port"), BUSES, PCI_EXP_TYPE_UPSTREAM},
	{OLD("Downstream Port (Slot+)"), BUSES, PCI_EXP_TYPE_DOWNSTREAM},
	{OLD("PCI/PCI-X Bridge"), BUSES, PCI_EXP_TYPE_PCI_BRIDGE},
	/* It has no name for the others: a bridge from PCI, and Root Complex Integrated Endpoints. */
	{OLD("Unknown type"), BUSES, PCI_EXP_TYPE_PCIE_BRIDGE},
	{OLD("Unknown type"), "", PCI_EXP_TYPE_RC_END},
};

Test(pci_lspci_old, types_of_2_2)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct pv_pci_machine *m = read_old(types[i].format, types[i].buses);
		unsigned flags = pv_pci_exp(m->funcs, PCI_EXP_FLAGS, 2);

		cr_expect_eq((flags & PCI_EXP_FLAGS_TYPE) >> 4, types[i].type, "%zu: %#x", i, flags);
		cr_expect_null(m->funcs->note->lacks);
		pv_pci_machine_free(m);
	}
}

Test(pci_lspci_old, what_2_1_does_not_print_is_named)
{
	struct pv_pci_machine *m = read_text("0000:00:01.0 PCI bridge: Intel Corp.: Unknown device 2581\n"
					     "\tControl: I/O+ Mem+ BusMaster+\n\tStatus: Cap+ 66Mhz- UDF-\n" BUSES
					     "\tCapabilities: [a0] #10 [0141]\n\n");

	cr_assert(m->funcs->note->lacks);
	cr_expect(strstr(m->funcs->note->lacks, "an lspci before PCI Express"), "%s", m->funcs->note->lacks);
	pv_pci_machine_free(m);
}

/* ---- transports ---- */

static void expect_decoded(const char *text, const char *expected)
{
	size_t n;
	_autofree_ char *got = pv_mail_decode(text, strlen(text), &n);

	cr_expect(n == strlen(expected) && !memcmp(got, expected, n), "%s: %.*s", text, (int)n, got);
}

Test(pci_lspci_old, quoted_printable_is_decoded_where_lspci_shows_it)
{
	expect_decoded("Bus: primary=3D00, secondary=3D20", "Bus: primary=00, secondary=20");
	expect_decoded("size=3D4K\nMaxPay=\nload 128=\r\n bytes=20\nend=20", "size=4K\nMaxPayload 128 bytes \nend ");
	/* The listing is not encoded: bus 20 is not a blank. */
	expect_decoded("DEVSEL=3Dfast\nsecondary=20, subordinate=20", "DEVSEL=fast\nsecondary=20, subordinate ");
	expect_decoded("secondary=20, subordinate=20\n=3D=\n", "secondary=20, subordinate=20\n=3D=\n");
	expect_decoded("\xc2\xa0\xc2\xa0"
		       "DevCap:\xc2\xa0MaxPayload",
		       "  DevCap: MaxPayload");
	cr_expect_not(pv_mail_is("primary=00", 10));
	cr_expect(pv_mail_is("a\xc2\xa0", 3));
}

/* ---- two listings ---- */

#define ONE "00:01.0 x\n\tControl: Mem+\n00:02.0 y\n\tControl: Mem+\n\n"

static const struct {
	const char *first, *second; /* NULL: refused */
	const char *says;
} splits[] = {
	{ONE, ONE, NULL},
	{"00:01.0 x\n00:02.0 y\n" ONE "00:01.0 x\n00:02.0 y\n", ONE, NULL},
	{"> 00:01.0 x\n> 00: 86 80\n", "> 00:01.0 x\n> 00: 86 80\n", NULL},
	/* The second listing lacks the first function. */
	{ONE, "00:02.0 y\n\tControl: Mem+\n00:03.0 z\n\tControl: Mem+\n", NULL},
	{"00:02.0 y\n\tControl: Mem+\n00:01.0 x\n\tControl: Mem+\n", "00:01.0 x\n\tControl: Mem-\n", NULL},
	{ONE, NULL, "one listing: expected two in one file, or two files"},
	{"00:01.0 x\n00:01.0 x\n\tControl: Mem+\n\tSltCtl: x\n\t\tControl: AttnInd Off\n", NULL, "one listing"},
	/* lspci -k before lspci -vv is one listing. */
	{"00:01.0 x\n\tKernel driver in use: p\n" ONE, NULL, "one listing"},
	{ONE ONE ONE, NULL, "more than two listings in one file"},
	{"", NULL, "one listing"},
};

Test(pci_lspci_old, two_listings_are_split_where_a_function_has_its_registers_again)
{
	for (size_t i = 0; i < ARRAY_SIZE(splits); i++) {
		const char *second = splits[i].second ? splits[i].second : "";
		_autofree_ char *text = NULL;
		struct pv_error e = {0};
		size_t at;

		cr_assert_geq(asprintf(&text, "%s%s", splits[i].first, second), 0);
		int err = pv_pci_dump_split("two", text, strlen(text), &at, &e);
		cr_expect_eq(err, splits[i].second ? 0 : -EBADMSG, "%zu: %s", i, e.text);
		if (splits[i].second)
			cr_expect_eq(at, strlen(splits[i].first), "%zu: %zu", i, at);
		else
			cr_expect(strstr(e.text, splits[i].says), "%zu: %s", i, e.text);
	}
}
