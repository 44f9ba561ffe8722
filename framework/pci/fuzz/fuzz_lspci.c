/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads any bytes as the text of lspci in a mail, or in a file of several listings. An accepted text must give the same
 * result when it is encoded as quoted-printable. Written twice, it must be two listings, of which the second begins at
 * a function. Decoding must not make text longer, and must not change text without signs of a mail. The first bytes are
 * also registers: the wording of pciutils 2.2 must give the same configuration space as today's.
 */
#include "framework/util/fuzz/fuzz.h"

#include <stdbool.h>

#include "framework/pci/dump_internal.h"
#include "framework/pci/fuzz/copy.h"
#include "framework/pci/mail.h"
#include "framework/pci/split.h"

enum { LINE_MAX_BYTES = 60 };

static void check_same(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t n, m;
	char *left = copy_of(a, n_a, &n), *right = copy_of(b, n_b, &m);

	fuzz_check(left && right && n == m && !memcmp(left, right, n));
	free(left);
	free(right);
}

/* ---- mails ---- */

static void check_decoding(const char *text, size_t size)
{
	size_t n;
	char *decoded = pv_mail_decode(text, size, &n);

	fuzz_check(decoded && n <= size);
	fuzz_check(pv_mail_is(text, size) || (n == size && !memcmp(decoded, text, n)));
	free(decoded);
}

/* Encodes like a mailer, in lines of 60 bytes. The line before it belongs to an unknown function. */
static void check_encoded(const char *text, size_t size)
{
	char *encoded;
	size_t n, column = 0;
	FILE *f = open_memstream(&encoded, &n);

	fuzz_check(f);
	fputs("latency=3D0\n", f);
	for (size_t i = 0; i < size; i++) {
		bool ends = text[i] == '\n' || text[i] == '\r';

		if (!ends && column >= LINE_MAX_BYTES) {
			fputs("=\n", f);
			column = 0;
		}
		if (text[i] == '=')
			fputs("=3D", f);
		else
			fputc(text[i], f);
		column = ends ? 0 : column + 1;
	}
	fclose(f);
	check_same(text, size, encoded, n);
	free(encoded);
}

/* ---- two listings ---- */

static bool is_split(const char *text, size_t size, size_t *second)
{
	struct pv_error e = {0};
	int err = pv_pci_dump_split("input", text, size, second, &e);

	fuzz_check((err < 0) == (*e.text != '\0') && (err || *second < size));
	return !err;
}

/* A line may contain bytes of 0. */
static bool is_heading(const char *at, const char *end)
{
	struct pv_dump_place place;
	size_t quote, rest;
	const char *line_end = memchr(at, '\n', (size_t)(end - at));

	return pv_dump_heading(at, (size_t)((line_end ? line_end : end) - at), &place, &quote, &rest);
}

static void check_split(const char *text, size_t size)
{
	size_t second, first, n = 2 * size + 1;
	char *twice = malloc(n);

	fuzz_check(twice);
	memcpy(twice, text, size);
	twice[size] = '\n';
	memcpy(twice + size + 1, text, size);
	if (is_split(twice, n, &second))
		fuzz_check(is_heading(twice + second, twice + n));
	/* With one listing written twice, the second begins at the copy or later. */
	if (is_split(twice, n, &second) && !is_split(text, size, &first))
		fuzz_check(second > size);
	free(twice);
}

/* ---- the wording of pciutils 2.2 ---- */

static const struct {
	const char *old, *now;
	bool bridge;
} types[] = {
	{"Endpoint", "Endpoint", false},
	{"Legacy Endpoint", "Legacy Endpoint", false},
	{"Root Port (Slot+)", "Root Port (Slot+)", true},
	{"Root Port (Slot-)", "Root Port (Slot-)", true},
	{"Upstream Port", "Upstream Port", true},
	{"Downstream Port (Slot+)", "Downstream Port (Slot+)", true},
	{"PCI/PCI-X Bridge", "PCI-Express to PCI/PCI-X Bridge", true},
	{"Unknown type", "Root Complex Integrated Endpoint", false},
	{"Unknown type", "PCI/PCI-X to PCI-Express Bridge (Slot-)", true},
};

struct registers {
	unsigned type, mpss, mps, mrrs, width, now, rcb;
	char ext, enabled, relaxed, snoop, hotplug;
	const char *speed;
};

static struct registers take_registers(const uint8_t data[8])
{
	static const char signs[] = "-+";

	return (struct registers){
		.type = data[0] % (sizeof(types) / sizeof(*types)),
		.mpss = 128u << data[1] % 6,
		.mps = 128u << data[2] % 6,
		.mrrs = 128u << data[3] % 6,
		.width = data[4] % 33,
		.now = data[5] % 33,
		.rcb = data[6] & 1 ? 128 : 64,
		.ext = signs[data[7] & 1],
		.enabled = signs[data[7] >> 1 & 1],
		.relaxed = signs[data[7] >> 2 & 1],
		.snoop = signs[data[7] >> 3 & 1],
		.hotplug = signs[data[7] >> 4 & 1],
		.speed = data[7] & 0x20 ? "5G" : "2.5G",
	};
}

static void print_head(const struct registers *r, FILE *f)
{
	fputs("00:01.0 Example\n\tControl: I/O+ Mem+ BusMaster+\n\tStatus: Cap+ 66MHz-\n", f);
	if (types[r->type].bridge)
		fputs("\tBus: primary=00, secondary=01, subordinate=02, sec-latency=0\n", f);
}

static void print_old(const struct registers *r, FILE *f)
{
	print_head(r, f);
	fprintf(f, "\tCapabilities: [a0] Express %s IRQ 0\n", types[r->type].old);
	fprintf(f, "\t\tDevice: Supported: MaxPayload %u bytes, PhantFunc 0, ExtTag%c\n\t\tDevice: Latency L0s <64ns\n",
		r->mpss, r->ext);
	fprintf(f, "\t\tDevice: RlxdOrd%c ExtTag%c PhantFunc- AuxPwr- NoSnoop%c\n", r->relaxed, r->enabled, r->snoop);
	fprintf(f, "\t\tDevice: MaxPayload %u bytes, MaxReadReq %u bytes\n", r->mps, r->mrrs);
	fprintf(f, "\t\tLink: Supported Speed %sb/s, Width x%u, ASPM L0s, Port 2\n", r->speed, r->width);
	fprintf(f, "\t\tLink: ASPM Disabled RCB %u bytes CommClk+ ExtSynch-\n", r->rcb);
	fprintf(f, "\t\tLink: Speed %sb/s, Width x%u\n", r->speed, r->now);
	fprintf(f, "\t\tSlot: AtnBtn- PwrCtrl- MRL- AtnInd- PwrInd- HotPlug%c Surpise-\n\n", r->hotplug);
}

static void print_new(const struct registers *r, FILE *f)
{
	print_head(r, f);
	fprintf(f, "\tCapabilities: [a0] Express (v1) %s, MSI 00\n", types[r->type].now);
	fprintf(f, "\t\tDevCap:\tMaxPayload %u bytes, PhantFunc 0, Latency L0s <64ns\n\t\t\tExtTag%c RBE+\n", r->mpss,
		r->ext);
	fprintf(f, "\t\tDevCtl:\tCorrErr-\n\t\t\tRlxdOrd%c ExtTag%c PhantFunc- AuxPwr- NoSnoop%c\n", r->relaxed,
		r->enabled, r->snoop);
	fprintf(f, "\t\t\tMaxPayload %u bytes, MaxReadReq %u bytes\n", r->mps, r->mrrs);
	fprintf(f, "\t\tLnkCap:\tPort #2, Speed %sT/s, Width x%u, ASPM L0s\n", r->speed, r->width);
	fprintf(f, "\t\tLnkCtl:\tASPM Disabled; RCB %u bytes, Disabled-\n", r->rcb);
	fprintf(f, "\t\tLnkSta:\tSpeed %sT/s, Width x%u\n", r->speed, r->now);
	fprintf(f, "\t\tSltCap:\tAttnBtn- PwrCtrl- MRL- AttnInd- PwrInd- HotPlug%c Surprise-\n\n", r->hotplug);
}

static void check_wording(const uint8_t data[8])
{
	struct registers r = take_registers(data);
	char *old, *now;
	size_t n, m;
	FILE *f = open_memstream(&old, &n);

	fuzz_check(f);
	print_old(&r, f);
	fclose(f);
	f = open_memstream(&now, &m);
	fuzz_check(f);
	print_new(&r, f);
	fclose(f);
	check_same(old, n, now, m);
	free(old);
	free(now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	char *text = fuzz_text(data, size), *copy;
	size_t n;

	check_decoding(text, size);
	check_split(text, size);
	copy = copy_of(text, size, &n);
	if (copy && !pv_mail_is(text, size) && (size < 3 || memcmp(text, byte_order_mark, 3) != 0))
		check_encoded(text, size);
	if (size >= 8)
		check_wording(data);
	free(copy);
	free(text);
	return 0;
}
