/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes XML without a library: the values are BDFs, names of PMUs and numbers, which need no escapes. */
#include "framework/board/draft.h"

#include <ctype.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/cpmu.h"
#include "drivers/regs/ptt.h"
#include "framework/board/facts.h"
#include "framework/board/match.h"

#define CLASS_NVME    0x010802
#define CLASS_NETWORK 0x02 /* base class */

static uint32_t class_of(const struct pv_pci_func *f)
{
	return pv_pci_get(f, PCI_CLASS - 1, 4) >> 8;
}

static bool is_root_port(const struct pv_pci_func *f)
{
	return f->pcie && (pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT ==
				  PCI_EXP_TYPE_ROOT_PORT;
}

/* Returns the kind of a function for plans; NULL: plans have no such kind. */
static const char *kind_of(const struct pv_pci_func *f)
{
	if (f->gone || f->unreadable)
		return NULL;
	if (pv_pci_get(f, PCI_VENDOR_ID, 2) == PTT_VENDOR_ID && pv_pci_get(f, PCI_DEVICE_ID, 2) == PTT_DEVICE_ID)
		return "PTT";
	if (class_of(f) == CXL_MEM_CLASS)
		return "CXL memory device";
	if (is_root_port(f))
		return "Root Port";
	if (class_of(f) == CLASS_NVME)
		return "NVMe drive";
	return class_of(f) >> 16 == CLASS_NETWORK ? "network card" : NULL;
}

/* An XML comment must not contain "--", but names in a machine may. */
static void put_text(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc(isalnum((unsigned char)*text) || strchr(" .,:_/", *text) ||
				      (*text == '-' && isalnum((unsigned char)text[1]))
			      ? *text
			      : '?',
		      f);
}

static void put_fact(const struct pv_board *b, const char *name, FILE *f)
{
	const char *said = pv_facts_said(b->environment, name);

	put_text(f, *said ? said : "unknown");
}

static void put_link(const struct pv_pci_func *f, FILE *out)
{
	static const char *const speeds[] = {"?", "2.5", "5", "8", "16", "32", "64"};
	uint32_t cap = pv_pci_exp(f, PCI_EXP_LNKCAP, 4), status = pv_pci_exp(f, PCI_EXP_LNKSTA, 2);
	unsigned speed = status & PCI_EXP_LNKSTA_SPEED;

	if (f->pcie && cap & PCI_EXP_LNKCAP_WIDTH)
		fprintf(out, ", %s GT/s x%u of at most x%u", speeds[speed < 7 ? speed : 0],
			PCI_EXP_LNKSTA_LANES(status), PCI_EXP_LNKCAP_LANES(cap));
}

static void put_pmus(const struct pv_board *b, const struct pv_pci_func *f, FILE *out)
{
	static const char *const prefixes[] = {"hisi_ptt", "dwc_rootport_", "cxl_pmu_mem"};
	char name[PV_FACTS_NAME], key[PV_FACTS_NAME + 8];

	for (size_t i = 0; i < 3 && pv_board_has_place(f); i++)
		for (unsigned n = 0; n < 64 && pv_facts_pmu(b->environment, pv_board_place_of(f), prefixes[i], n, name);
		     n++) {
			snprintf(key, sizeof(key), "PMU %s", name);
			const char *more = strchr(pv_facts_said(b->environment, key), ',');

			fputs("\n\t     ", out);
			put_text(out, name);
			put_text(out, more ? more : "");
		}
}

static void put_function(const struct pv_board *b, const struct pv_pci_func *f, FILE *out)
{
	const char *kind = kind_of(f);

	if (!kind)
		return;
	fprintf(out, "\t     %s %s, ids %04x:%04x", f->name, kind, pv_pci_get(f, PCI_VENDOR_ID, 2),
		pv_pci_get(f, PCI_DEVICE_ID, 2));
	put_link(f, out);
	if (f->parent)
		fprintf(out, ", below %s", f->parent->name);
	put_pmus(b, f, out);
	fputc('\n', out);
}

/* ---- proposals ---- */

static void put_drive(const struct pv_pci_func *f, FILE *out)
{
	fprintf(out,
		"\t<!-- Reads, which change nothing. Put the drive's own device in the place of /dev/nvme0n1:\n"
		"\t<workload from=\"%s\" to=\"memory\" counts=\"fio-read\">\n"
		"\t\t<word>fio</word><word>&#45;&#45;name=read</word><word>&#45;&#45;filename=/dev/nvme0n1</word>\n"
		"\t\t<word>&#45;&#45;rw=read</word><word>&#45;&#45;bs=128k</word><word>&#45;&#45;size=8G</word>\n"
		"\t\t<word>&#45;&#45;direct=1</word><word>&#45;&#45;ioengine=libaio</word>\n"
		"\t\t<word>&#45;&#45;iodepth=32</word><word>&#45;&#45;output-format=json</word>\n"
		"\t</workload> -->\n",
		f->name);
}

static void put_card(const struct pv_pci_func *f, FILE *out)
{
	fprintf(out,
		"\t<!-- Needs `iperf3 -s` on another machine, here 192.0.2.1, that is reached through this card:\n"
		"\t<workload from=\"%s\" to=\"memory\" counts=\"iperf3-received\">\n"
		"\t\t<word>iperf3</word><word>-c</word><word>192.0.2.1</word><word>-R</word><word>-J</word>\n"
		"\t</workload> -->\n",
		f->name);
}

static void put_proposal(const struct pv_pci_func *f, FILE *out)
{
	if (f->gone || f->unreadable || f->is_vf)
		return;
	if (class_of(f) == CLASS_NVME)
		put_drive(f, out);
	else if (class_of(f) >> 16 == CLASS_NETWORK)
		put_card(f, out);
}

/* Lists payload that is not file data: queues of a drive, headers of a network. */
static void put_rest(FILE *f)
{
	fputs("\t<tolerance counts=\"0.01\"/>\n"
	      "\t<!-- What the lab decides, or knows:\n"
	      "\t<writes/>                         cases may write what can be restored\n"
	      "\t<tap socket=\"/run/tap\"/>          an exerciser and analyser on the links\n"
	      "\t<vouch function=\"all\"/>           functions have what only registers show: clocks (core_clk 1000 "
	      "ps,\n"
	      "\t                                  aux_clk 40000 ps), counters of CPMUs and their widths, and so on\n"
	      "\t<device plan=\"00:10.0\" is=\"...\"/> this function plays that role; the rest is found -->\n",
	      f);
}

void pv_board_draft(struct pv_board *b, const char *name, FILE *f)
{
	const struct pv_pci_machine *m = b->machine;

	fputs("<!-- SPDX-License-Identifier: CC0-1.0 -->\n<!-- Kernel ", f);
	put_fact(b, "kernel", f);
	fputs(", CPUs ", f);
	put_fact(b, "CPUs", f);
	fprintf(f, " -->\n<board name=\"%s\">\n\t<!-- Functions that plans are about:\n", name);
	for (size_t i = 0; i < m->n; i++)
		put_function(b, &m->funcs[i], f);
	fputs("\t     -->\n", f);
	for (size_t i = 0; i < m->n; i++)
		put_proposal(&m->funcs[i], f);
	put_rest(f);
	fputs("</board>\n", f);
}
