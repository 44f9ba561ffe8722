/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the text of `lspci -vv` back to registers. A register begins with its label ("DevCtl:") and continues until
 * the next label, on any number of lines, as mails wrap them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/pci/lspci_internal.h"
#include "framework/util/cleanup.h"

enum { LABEL_NONE = -1, LABEL_HEADING = PV_LSPCI_REGS, LABEL_CAPABILITY, LABEL_DRIVER, LABEL_REGION };
enum { HEADER_CARDBUS = 2, VERSION_1 = 1u << 16 };

/* ---- capabilities ---- */

static const struct {
	const char *name;
	unsigned type;
	bool slot; /* "(Slot+)" follows */
} port_types[] = {
	{"Root Complex Integrated Endpoint", PCI_EXP_TYPE_RC_END, false},
	{"Root Complex Event Collector", PCI_EXP_TYPE_RC_EC, false},
	{"Legacy Endpoint", PCI_EXP_TYPE_LEG_END, false},
	{"Endpoint", PCI_EXP_TYPE_ENDPOINT, false},
	{"Root Port", PCI_EXP_TYPE_ROOT_PORT, true},
	{"Upstream Port", PCI_EXP_TYPE_UPSTREAM, false},
	{"Downstream Port", PCI_EXP_TYPE_DOWNSTREAM, true},
	{"PCI-Express to PCI/PCI-X Bridge", PCI_EXP_TYPE_PCI_BRIDGE, false},
	{"PCI/PCI-X Bridge", PCI_EXP_TYPE_PCI_BRIDGE, false}, /* pciutils 2.2 */
	{"PCI/PCI-X to PCI-Express Bridge", PCI_EXP_TYPE_PCIE_BRIDGE, true},
};

static bool take_type(const char *text, unsigned *flags)
{
	static const char unknown[] = "Unknown type ", unnamed[] = "Unknown type IRQ";
	unsigned long value;

	for (size_t i = 0; i < ARRAY_SIZE(port_types); i++)
		if (!strncmp(text, port_types[i].name, strlen(port_types[i].name))) {
			*flags |= port_types[i].type << PCI_EXP_FLAGS_TYPE_SHIFT;
			*flags |= strstr(text, "(Slot+)") ? PCI_EXP_FLAGS_SLOT : 0;
			return !port_types[i].slot || strstr(text, "(Slot");
		}
	if (!strncmp(text, unnamed, strlen(unnamed))) {
		/* pciutils 2.2 named types 0, 1 and 4 to 7. pv_lspci_space() recognises bridges of another type. */
		*flags |= PCI_EXP_TYPE_RC_END << PCI_EXP_FLAGS_TYPE_SHIFT;
		return true;
	}
	value = strncmp(text, unknown, strlen(unknown)) ? 16 : strtoul(text + strlen(unknown), NULL, 10);
	if (value > 15)
		return false;
	*flags |= (unsigned)value << PCI_EXP_FLAGS_TYPE_SHIFT;
	return true;
}

/* Parses "#10 [0041]": pciutils 2.1 prints PCI Express as its capability number and flags. */
static bool take_number_10(const char *text, unsigned *flags)
{
	char *end;
	unsigned long value = strncmp(text, "#10 [", 5) ? 0 : strtoul(text + 5, &end, 16);

	if (!value || value > 0xffff || *end != ']')
		return false;
	*flags = (unsigned)value;
	return true;
}

/* Parses "Express (v2) Root Port (Slot+), MSI 00"; pciutils 2.2: "Express Root Port (Slot+) IRQ 0". */
static bool take_flags(const char *text, unsigned *flags)
{
	static const char express[] = "Express ";

	*flags = 1;
	if (take_number_10(text, flags))
		return true;
	if (strncmp(text, express, strlen(express)) != 0)
		return false;
	text += strlen(express);
	if (!strncmp(text, "(v", 2) && isdigit((unsigned char)text[2])) {
		*flags = (unsigned)text[2] - '0';
		text = strchr(text, ')') ? strchr(text, ')') + 1 : text;
		text += strspn(text, " ");
	}
	return take_type(text, flags);
}

static void take_express(struct pv_lspci *f, unsigned offset, const char *text)
{
	unsigned flags;

	if (f->express || offset < 0x40 || offset + PCI_EXP_LNKSTA + 2 > 256 || !take_flags(text, &flags))
		return;
	f->express = (uint16_t)offset;
	f->flags = (uint16_t)flags;
	f->is_old = !strncmp(text, "#10", 3);
	f->has_no_type = strstr(text, "Unknown type IRQ");
}
static void take_extended(struct pv_lspci *f, unsigned offset, const char *text)
{
	const struct {
		const char *name;
		uint16_t *at;
	} known[] = {{"Advanced Error Reporting", &f->aer},
		     {"Alternative Routing-ID Interpretation", &f->ari},
		     {"Single Root I/O Virtualization", &f->sriov}};

	if (offset % 4 || offset > PCI_CFG_BYTES - PCI_AER_BYTES)
		return;
	if (!f->first_ext)
		f->first_ext = (uint16_t)offset;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(text, known[i].name, strlen(known[i].name)) && !*known[i].at)
			*known[i].at = (uint16_t)offset;
}

/* Parses " [100 v1] Advanced Error Reporting". */
static void take_capability(struct pv_lspci *f, const char *text)
{
	char *end;
	unsigned long offset;

	text += strspn(text, " ");
	if (!strncmp(text, "<access denied>", 15)) {
		f->denied = true;
		return;
	}
	offset = *text == '[' ? strtoul(text + 1, &end, 16) : 0;
	if (!offset || offset >= PCI_CFG_BYTES || !(text = strchr(end, ']')))
		return;
	text++;
	text += strspn(text, " ");
	f->caps++;
	if (offset >= PCI_EXT_CAP_START)
		take_extended(f, (unsigned)offset, text);
	else
		take_express(f, (unsigned)offset, text);
}

/* ---- headings ---- */

static bool is_hex(const char *at, unsigned digits)
{
	for (unsigned i = 0; i < digits; i++)
		if (!isxdigit((unsigned char)at[i]))
			return false;
	return true;
}

/* Copies the name, without "[0604]", "[8086:29c0]" and the text from " (rev" on. */
static void take_label(struct pv_lspci *f, const char *text)
{
	size_t n = 0;

	for (const char *at = text; *at && n + 1 < sizeof(f->note.label); at++) {
		if (!strncmp(at, " (rev ", 6) || !strncmp(at, " (prog-if", 9))
			break;
		if (*at == ' ' && at[1] == '[' && is_hex(at + 2, 4) &&
		    (at[6] == ']' || (at[6] == ':' && is_hex(at + 7, 4) && at[11] == ']'))) {
			at += at[6] == ']' ? 6 : 11;
			continue;
		}
		f->note.label[n++] = *at >= ' ' && *at < 0x7f ? *at : '?';
	}
	f->note.label[n] = '\0';
}

static void take_ids(struct pv_lspci *f, const char *text)
{
	f->vendor = (uint16_t)strtoul(text, NULL, 16);
	f->device = (uint16_t)strtoul(text + 5, NULL, 16);
	f->has_ids = true;
}

/* Parses "PCI bridge [0604]: Intel ... [8086:29c0] (rev 02)", or with -n: "0604: 8086:29c0 (rev 02)". */
static void take_heading(struct pv_lspci *f, const char *text)
{
	text += strspn(text, " ");
	take_label(f, text);
	if (is_hex(text, 4) && !strncmp(text + 4, ": ", 2) && is_hex(text + 6, 4) && text[10] == ':' &&
	    is_hex(text + 11, 4)) {
		f->class = (uint16_t)strtoul(text, NULL, 16);
		f->has_class = true;
		take_ids(f, text + 6);
		*f->note.label = '\0';
		return;
	}
	for (const char *at = text; (at = strchr(at, '[')); at++) {
		if (!is_hex(at + 1, 4))
			continue;
		if (at[5] == ':' && is_hex(at + 6, 4) && at[10] == ']')
			take_ids(f, at + 1);
		else if (at[5] == ']' && at[6] == ':' && !f->has_class) {
			f->class = (uint16_t)strtoul(at + 1, NULL, 16);
			f->has_class = true;
		}
	}
}

static void take_driver(struct pv_lspci *f, const char *text)
{
	size_t n = 0;

	text += strspn(text, " ");
	for (; *text && n + 1 < sizeof(f->note.driver) && (isalnum((unsigned char)*text) || strchr("-_", *text));
	     text++)
		f->note.driver[n++] = *text;
	f->note.driver[n] = '\0';
	f->whole = true;
}

/* Parses "64K]": 0 if this is no size. */
static uint64_t take_size(const char *text)
{
	static const char units[] = "KMGT";
	char *end;
	unsigned long long n = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	const char *unit = n && *end && *end != ']' ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (!n || n > UINT64_MAX >> shift || end[unit ? 1 : 0] != ']')
		return 0;
	return n << shift;
}

/* Parses "0: Memory at fe400000 (64-bit, non-prefetchable) [size=64K]"; I/O ports and disabled memory are left out. */
static void take_region(struct pv_lspci *f, const char *text)
{
	static const char memory[] = ": Memory at ";
	const char *size = strstr(text, "[size=");
	unsigned long long address;
	unsigned number;
	char *end;

	text += strspn(text, " ");
	number = (unsigned)(*text - '0');
	if (!*text || number >= PV_PCI_REGIONS || strncmp(text + 1, memory, strlen(memory)) != 0 || !size ||
	    strstr(text, "[disabled]") || f->note.regions[number].size)
		return;
	text += 1 + strlen(memory);
	address = isxdigit((unsigned char)*text) ? strtoull(text, &end, 16) : 0;
	if (address && *end == ' ' && take_size(size + strlen("[size=")))
		f->note.regions[number] = (struct pv_pci_region){address, take_size(size + strlen("[size="))};
}

/* ---- lines ---- */

static void flush(struct pv_lspci_reader *r)
{
	r->text[r->n] = '\0';
	r->n = 0;
	if (r->label == LABEL_HEADING)
		take_heading(&r->func, r->text);
	else if (r->label == LABEL_CAPABILITY)
		take_capability(&r->func, r->text);
	else if (r->label == LABEL_DRIVER)
		take_driver(&r->func, r->text);
	else if (r->label == LABEL_REGION)
		take_region(&r->func, r->text);
	else if (r->label != LABEL_NONE)
		pv_lspci_take_register(&r->func, (enum pv_lspci_reg)r->label, r->text);
	r->label = LABEL_NONE;
}

/* Appends text of a register. Text longer than any register's is ignored. */
static void append(struct pv_lspci_reader *r, const char *at, size_t n)
{
	if (n + 2 > sizeof(r->text) - r->n)
		return;
	r->text[r->n++] = ' ';
	memcpy(r->text + r->n, at, n);
	r->n += n;
}

static bool begins_with(const char *at, size_t n, const char *text)
{
	return n >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* Returns true if the line begins a register or capability. *skip is the length of its label. */
static bool take_line_label(const char *at, size_t n, int *label, size_t *skip)
{
	static const char capability[] = "Capabilities:", driver[] = "Kernel driver in use:", region[] = "Region ";
	const char *space = memchr(at, ' ', n), *tab = memchr(at, '\t', n);
	size_t word = (size_t)((space ? space : at + n) - at);

	if (tab && (size_t)(tab - at) < word)
		word = (size_t)(tab - at);
	*label = pv_lspci_find_register(at, n, skip);
	if (*label >= 0)
		return true;
	*label = begins_with(at, n, capability) ? LABEL_CAPABILITY
		 : begins_with(at, n, driver)	? LABEL_DRIVER
		 : begins_with(at, n, region)	? LABEL_REGION
						: LABEL_NONE;
	*skip = *label == LABEL_CAPABILITY ? strlen(capability)
		: *label == LABEL_DRIVER   ? strlen(driver)
		: *label == LABEL_REGION   ? strlen(region)
					   : 0;
	return *label != LABEL_NONE || (word && at[word - 1] == ':') || begins_with(at, n, "Kernel ") ||
	       begins_with(at, n, "!!!");
}

void pv_lspci_begin(struct pv_lspci_reader *r, struct pv_pci_place place, const char *rest, size_t n)
{
	*r = (struct pv_lspci_reader){.func.note.place = place, .label = LABEL_HEADING};
	append(r, rest, n);
}

void pv_lspci_line(struct pv_lspci_reader *r, const char *line, size_t n)
{
	size_t skip = 0;
	int label;

	for (; n && strchr("> \t|", *line); n--)
		line++;
	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	if (!n) {
		flush(r);
		r->func.whole = r->func.whole || r->func.has_details;
		r->ended = true;
	}
	if (r->ended || memchr(line, '\0', n))
		return;
	if (take_line_label(line, n, &label, &skip)) {
		/* In pciutils 2.2 two lines are one register. */
		if (label != r->label || !begins_with(line, n, "Device: MaxPayload"))
			flush(r);
		r->label = label;
		r->func.has_details = r->func.has_details || label != LABEL_NONE || begins_with(line, n, "Flags:");
		r->func.gone = r->func.gone || begins_with(line, n, "!!! Unknown header type 7f");
	}
	if (r->label != LABEL_NONE)
		append(r, line + skip, n - skip);
}

void pv_lspci_end(struct pv_lspci_reader *r)
{
	flush(r);
	r->func.has_details = r->func.has_details || r->func.gone;
}

/* Ranks the text of a function by its details: plain lspci prints only a heading. */
static int richness(const struct pv_lspci *f)
{
	return 2 * __builtin_popcount(f->seen) + f->has_details;
}

/* Adds facts that only one of the texts has: ids (-nn), the driver (-k). */
static void add_names(struct pv_lspci *into, const struct pv_lspci *more)
{
	if (!into->has_ids && more->has_ids) {
		into->vendor = more->vendor;
		into->device = more->device;
		into->has_ids = true;
	}
	if (!into->has_class && more->has_class) {
		into->class = more->class;
		into->has_class = true;
	}
	if (!*into->note.label)
		memcpy(into->note.label, more->note.label, sizeof(more->note.label));
	if (!*into->note.driver)
		memcpy(into->note.driver, more->note.driver, sizeof(more->note.driver));
	for (unsigned i = 0; i < PV_PCI_REGIONS; i++)
		if (!into->note.regions[i].size)
			into->note.regions[i] = more->note.regions[i];
	if (!into->header_bytes) {
		into->header_bytes = more->header_bytes;
		memcpy(into->header, more->header, sizeof(more->header));
	}
}

/* Returns whether the heading has a name; "00:1d.0 -" has none. */
static bool has_name(const struct pv_lspci *f)
{
	return strstr(f->note.label, ": ");
}

/*
 * Returns whether both texts are of one device. Ids decide; names, which another pci.ids may give, only without them.
 * "Device 1234", which has no name, is "Device [8086:1234]" with -nn.
 */
static bool is_same_device(const struct pv_lspci *a, const struct pv_lspci *b)
{
	size_t n = strlen(a->note.label), m = strlen(b->note.label);

	if (a->has_ids && b->has_ids)
		return a->vendor == b->vendor && a->device == b->device;
	return !has_name(a) || !has_name(b) || !strncmp(a->note.label, b->note.label, n < m ? n : m);
}

/* Sizes, and the numbers of a bridge's buses: those that decide on mismatches. */
static bool has_same_sizes(const struct pv_lspci *a, const struct pv_lspci *b)
{
	static const struct {
		enum pv_lspci_reg reg;
		uint8_t mask[4];
	} same[] = {
		{PV_LSPCI_BUS, {0xff, 0xff, 0xff}},
		{PV_LSPCI_DEVCAP, {PCI_EXP_DEVCAP_MPSS}},
		{PV_LSPCI_DEVCTL, {PCI_EXP_DEVCTL_MPS, PCI_EXP_DEVCTL_MRRS >> 8}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		for (size_t k = 0; a->seen & b->seen & 1u << same[i].reg && k < sizeof(same[i].mask); k++)
			if ((a->value[same[i].reg][k] ^ b->value[same[i].reg][k]) & same[i].mask[k])
				return false;
	return true;
}

void pv_lspci_take_bytes(struct pv_lspci *f, const uint8_t *space, unsigned exp)
{
	const struct {
		enum pv_lspci_reg reg;
		unsigned at, bytes;
		bool there;
	} regs[] = {
		{PV_LSPCI_BUS, PCI_PRIMARY_BUS, 3,
		 (space[PCI_HEADER_TYPE] & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE},
		{PV_LSPCI_DEVCAP, exp + PCI_EXP_DEVCAP, 4, exp},
		{PV_LSPCI_DEVCTL, exp + PCI_EXP_DEVCTL, 2, exp},
	};

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		if (!regs[i].there)
			continue;
		memcpy(f->value[regs[i].reg], space + regs[i].at, regs[i].bytes);
		f->seen |= 1u << regs[i].reg;
	}
}

bool pv_lspci_merge(struct pv_lspci *into, const struct pv_lspci *more)
{
	struct pv_lspci less = richness(more) < richness(into) ? *more : *into;

	if (!is_same_device(into, more) || !has_same_sizes(into, more))
		return false;
	less.is_last = into->is_last && more->is_last;
	if (richness(more) >= richness(into))
		*into = *more;
	into->is_last = less.is_last;
	add_names(into, &less);
	return true;
}

/* ---- configuration space ---- */

/* Names that lspci prints for ids on which sizes depend (pci.ids), for text without ids. "": any other device. */
static const struct {
	const char *vendor_name, *device_name;
	uint16_t vendor, device;
} names[] = {
	{"Red Hat, Inc.", "QEMU PCIe Root port", 0x1b36, 0x000c},
	{"Red Hat, Inc.", "Virtio", 0x1af4, 0},
	{"Red Hat, Inc.", "", 0x1b36, 0},
	{"VMware", "PCI Express Root Port", 0x15ad, 0x07a0},
	{"VMware", "", 0x15ad, 0},
	{"Solarflare Communications", "SFC4000 rev A net", 0x1924, 0x0703},
	{"Solarflare Communications", "SFC4000 rev A iSCSI", 0x1924, 0x6703},
	{"Solarflare Communications", "SFC4000 rev B", 0x1924, 0x0710},
	{"ASMedia Technology Inc.", "ASM1062 Serial ATA Controller", 0x1b21, 0x0612},
	{"Hint Corp", "HB6 Universal PCI-PCI bridge", 0x3388, 0x0020},
	{"Loongson Technology LLC", "PCI-to-PCI Bridge", 0x0014, 0x7a09},
	{"Loongson Technology LLC", "Device ", 0x0014, 0},
	{"Intel Corporation", "5000X Chipset Memory Controller Hub", 0x8086, 0x25c0},
	{"Intel Corporation", "5000Z Chipset Memory Controller Hub", 0x8086, 0x25d0},
	{"Intel Corporation", "5000V Chipset Memory Controller Hub", 0x8086, 0x25d4},
	{"Intel Corporation", "5000P Chipset Memory Controller Hub", 0x8086, 0x25d8},
	{"Intel Corporation", "5100 Chipset Memory Controller Hub", 0x8086, 0x65c0},
};

/* Parses "Device 7a39", which lspci prints for a device without a name. */
static uint16_t device_number(const char *name)
{
	name += strncmp(name, "Unknown d", 9) ? 0 : 8; /* pciutils 2.2 */
	return !strncasecmp(name, "Device ", 7) ? (uint16_t)strtoul(name + 7, NULL, 16) : 0;
}

static void name_ids(struct pv_lspci *f)
{
	const char *vendor = strstr(f->note.label, ": "), *device;

	for (size_t i = 0; vendor && !f->has_ids && i < ARRAY_SIZE(names); i++) {
		if (strncmp(vendor + 2, names[i].vendor_name, strlen(names[i].vendor_name)) != 0)
			continue;
		device = vendor + 2 + strlen(names[i].vendor_name);
		device += *device == ' ';
		if (strncmp(device, names[i].device_name, strlen(names[i].device_name)) != 0)
			continue;
		f->vendor = names[i].vendor;
		f->device = names[i].device ? names[i].device : device_number(device);
		return;
	}
}

/* Returns the reason why the sizes are unknown. NULL: they are known, or the function has none. */
static const char *what_lacks(const struct pv_lspci *f)
{
	bool caps = pv_lspci_has(f, PV_LSPCI_STATUS) && f->value[PV_LSPCI_STATUS][0] & PCI_STATUS_CAP_LIST;

	if (f->denied)
		return "its capabilities are not in the text: <access denied>; run lspci as root";
	if (f->is_old)
		return "its MPS is not in the text, which is of an lspci before PCI Express: take lspci -xxx";
	if (f->express && (!pv_lspci_has(f, PV_LSPCI_DEVCAP) || !pv_lspci_has(f, PV_LSPCI_DEVCTL)))
		return "its MPS is not in the text, which is cut off or of 'lspci -v': take lspci -vv";
	if (f->express || f->gone)
		return NULL;
	if ((caps && !f->caps) || (!f->whole && (caps || !pv_lspci_has(f, PV_LSPCI_STATUS))))
		return "its capabilities are not in the text, which is cut off";
	return NULL;
}

/* Chains the known extended capabilities, after the one at the start of extended space. */
static void put_extended(const struct pv_lspci *f, uint8_t *space)
{
	const struct {
		unsigned id, at;
	} known[] = {{PCI_EXT_CAP_ID_AER, f->aer}, {PCI_EXT_CAP_ID_ARI, f->ari}, {PCI_EXT_CAP_ID_SRIOV, f->sriov}};
	unsigned next = 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!known[i].at || known[i].at == PCI_EXT_CAP_START)
			continue;
		pv_lspci_put(space + known[i].at, known[i].id | VERSION_1 | next << 20, 4);
		next = known[i].at;
	}
	pv_lspci_put(space + PCI_EXT_CAP_START, PCI_EXT_CAP_ID_VSEC | VERSION_1 | next << 20, 4);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].at == PCI_EXT_CAP_START)
			pv_lspci_put(space + PCI_EXT_CAP_START, known[i].id | VERSION_1 | next << 20, 4);
}

static bool is_cardbus(const struct pv_lspci *f)
{
	return f->has_class ? f->class == 0x0607 : !strncmp(f->note.label, "CardBus bridge", 14);
}

static bool is_port(const struct pv_lspci *f)
{
	unsigned type = (f->flags & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;

	return f->express && type >= PCI_EXP_TYPE_ROOT_PORT && type <= PCI_EXP_TYPE_PCIE_BRIDGE;
}

static void put_header(const struct pv_lspci *f, uint8_t *space)
{
	pv_lspci_put(space + PCI_VENDOR_ID, f->vendor, 2);
	pv_lspci_put(space + PCI_DEVICE_ID, f->device, 2);
	pv_lspci_put(space + PCI_CLASS + 1, f->class, 2);
	if (pv_lspci_has(f, PV_LSPCI_BUS) || is_port(f))
		space[PCI_HEADER_TYPE] = is_cardbus(f) ? HEADER_CARDBUS : PCI_HEADER_TYPE_BRIDGE;
	memcpy(space, f->header, f->header_bytes);
	if (f->express) {
		space[PCI_STATUS] |= PCI_STATUS_CAP_LIST;
		space[PCI_CAPABILITIES] = (uint8_t)f->express;
		space[f->express] = PCI_CAP_ID_EXP;
		pv_lspci_put(space + f->express + PCI_EXP_FLAGS, f->flags, 2);
	}
}

unsigned pv_lspci_space(struct pv_lspci *f, uint8_t space[PV_LSPCI_SPACE_BYTES])
{
	name_ids(f);
	/* pciutils 2.2 has no name for these types; type 8 is the only bridge among them. */
	if (f->has_no_type && pv_lspci_has(f, PV_LSPCI_BUS))
		f->flags = (uint16_t)((f->flags & ~PCI_EXP_FLAGS_TYPE) | PCI_EXP_TYPE_PCIE_BRIDGE
										 << PCI_EXP_FLAGS_TYPE_SHIFT);
	memset(space, f->gone ? 0xff : 0, PV_LSPCI_SPACE_BYTES);
	f->note.from_text = true;
	f->note.no_ids = !f->has_ids && !f->header_bytes;
	f->note.lacks = what_lacks(f);
	f->note.is_cut = f->is_last && f->express && !f->whole;
	f->note.no_slot = f->flags & PCI_EXP_FLAGS_SLOT && !pv_lspci_has(f, PV_LSPCI_SLTCAP);
	if (f->gone)
		return 256;
	pv_lspci_put_registers(f, space);
	put_header(f, space);
	if (f->first_ext)
		put_extended(f, space);
	return f->first_ext ? PV_LSPCI_SPACE_BYTES : 256;
}
