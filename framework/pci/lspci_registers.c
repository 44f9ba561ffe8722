/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers that `lspci -vv` prints, as one table: label, offset, and fields with their names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/pci/lspci_internal.h"
#include "framework/util/cleanup.h"

enum { FIELDS_MAX = 9 };

/* ---- fields ---- */

enum kind {
	FLAG,	 /* "ExtTag+" */
	DECIMAL, /* "stride: 2", "Width x8" */
	HEX,	 /* "secondary=0a" */
	SIZE,	 /* "MaxPayload 256 bytes": log2 of the size over 128 */
	PHANTOM, /* "PhantFunc 3": log2 of the number, plus 1 */
	SPEED,	 /* "Speed 8GT/s" */
	RCB,	 /* "RCB 64 bytes" */
	WORDS,	 /* four words of eight digits */
};

struct field {
	const char *name;
	enum kind kind;
	unsigned shift, bits;
	bool optional;
};

enum base { HEADER, EXPRESS, AER, SRIOV };

static const struct reg {
	const char *label;
	enum base base;
	unsigned offset, bytes;
	struct field fields[FIELDS_MAX];
} regs[] = {
	[PV_LSPCI_COMMAND] = {"Control:", HEADER, PCI_COMMAND, 2, {{"Mem", FLAG, 1, 1}, {"BusMaster", FLAG, 2, 1}}},
	[PV_LSPCI_STATUS] = {"Status:", HEADER, PCI_STATUS, 2, {{"Cap", FLAG, 4, 1}}},
	[PV_LSPCI_BUS] = {"Bus:",
			  HEADER,
			  PCI_PRIMARY_BUS,
			  3,
			  {{"primary", HEX, 0, 8}, {"secondary", HEX, 8, 8}, {"subordinate", HEX, 16, 8}}},
	[PV_LSPCI_DEVCAP] = {"DevCap:",
			     EXPRESS,
			     PCI_EXP_DEVCAP,
			     4,
			     {{"MaxPayload", SIZE, 0, 3},
			      {"PhantFunc", PHANTOM, 3, 2, true},
			      {"ExtTag", FLAG, 5, 1, true}}},
	[PV_LSPCI_DEVCTL] = {"DevCtl:",
			     EXPRESS,
			     PCI_EXP_DEVCTL,
			     2,
			     {{"MaxPayload", SIZE, PCI_EXP_DEVCTL_MPS_SHIFT, 3},
			      {"MaxReadReq", SIZE, PCI_EXP_DEVCTL_MRRS_SHIFT, 3},
			      {"RlxdOrd", FLAG, 4, 1, true},
			      {"ExtTag", FLAG, 8, 1, true},
			      {"PhantFunc", FLAG, 9, 1, true},
			      {"NoSnoop", FLAG, 11, 1, true}}},
	[PV_LSPCI_LNKCAP] = {"LnkCap:",
			     EXPRESS,
			     PCI_EXP_LNKCAP,
			     4,
			     {{"Speed", SPEED, 0, 4}, {"Width", DECIMAL, PCI_EXP_LNKCAP_WIDTH_SHIFT, 6}}},
	[PV_LSPCI_LNKCTL] = {"LnkCtl:", EXPRESS, PCI_EXP_LNKCTL, 2, {{"RCB", RCB, 3, 1}}},
	[PV_LSPCI_LNKSTA] = {"LnkSta:",
			     EXPRESS,
			     PCI_EXP_LNKSTA,
			     2,
			     {{"Speed", SPEED, 0, 4}, {"Width", DECIMAL, PCI_EXP_LNKSTA_WIDTH_SHIFT, 6}}},
	[PV_LSPCI_SLTCAP] = {"SltCap:", EXPRESS, PCI_EXP_SLTCAP, 4, {{"HotPlug", FLAG, 6, 1}}},
	[PV_LSPCI_DEVCAP2] = {"DevCap2:",
			      EXPRESS,
			      PCI_EXP_DEVCAP2,
			      4,
			      {{"10BitTagComp", FLAG, 16, 1}, {"10BitTagReq", FLAG, 17, 1}}},
	[PV_LSPCI_DEVCTL2] = {"DevCtl2:", EXPRESS, PCI_EXP_DEVCTL2, 2, {{"10BitTagReq", FLAG, 12, 1}}},
	[PV_LSPCI_UESTA] = {"UESta:",
			    AER,
			    PCI_AER_UNCOR_STATUS,
			    4,
			    {{"MalfTLP", FLAG, 18, 1},
			     {"TLP", FLAG, 12, 1, true},
			     {"CmpltTO", FLAG, 14, 1, true},
			     {"CmpltAbrt", FLAG, 15, 1, true},
			     {"UnxCmplt", FLAG, 16, 1, true},
			     {"RxOF", FLAG, 17, 1, true},
			     {"UnsupReq", FLAG, 20, 1, true}}},
	[PV_LSPCI_AERCAP] = {"AERCap:", AER, PCI_AER_CAP, 4, {{"First Error Pointer", HEX, 0, 5}}},
	[PV_LSPCI_HEADER_LOG] = {"HeaderLog:", AER, PCI_AER_HEADER_LOG, 16, {{"", WORDS, 0, 32}}},
	[PV_LSPCI_IOVCTL] = {"IOVCtl:", SRIOV, PCI_SRIOV_CTRL, 2, {{"Enable", FLAG, 0, 1}}},
	[PV_LSPCI_NUM_VFS] = {"Initial VFs:", SRIOV, PCI_SRIOV_NUM_VF, 2, {{"Number of VFs", DECIMAL, 0, 16}}},
	[PV_LSPCI_VF_OFFSET] =
		{"VF offset:", SRIOV, PCI_SRIOV_VF_OFFSET, 4, {{"", DECIMAL, 0, 16}, {"stride", DECIMAL, 16, 16}}},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the text after a field's name. NULL: the register's text lacks it. */
static const char *after_name(const char *text, const char *name, enum kind kind)
{
	size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += n ? n : 1) {
		char next = at[n];

		if (n && at > text && (is_word(at[-1]) || at[-1] == '-'))
			continue;
		if (kind == FLAG ? next == '+' || next == '-' : !n || !is_word(next))
			return at + n;
		if (!n)
			break;
	}
	return NULL;
}

static bool take_number(const char *at, int radix, unsigned max, unsigned *value)
{
	char *end;
	unsigned long n;

	at += strspn(at, " \t=:#x");
	if (radix == 16 ? !isxdigit((unsigned char)*at) : !isdigit((unsigned char)*at))
		return false;
	n = strtoul(at, &end, radix);
	*value = (unsigned)n;
	return n <= max && !is_word(*end);
}

static bool take_power(const char *at, unsigned unit, unsigned add, unsigned max, unsigned *value)
{
	unsigned n;

	if (!take_number(at, 10, 1u << 20, &n))
		return false;
	for (*value = 0; *value <= max; (*value)++)
		if (n + add == unit << *value)
			return true;
	return false;
}

static bool take_speed(const char *at, unsigned *value)
{
	static const char *const speeds[] = {"unknown", "2.5", "5", "8", "16", "32", "64"};

	at += strspn(at, " \t");
	for (*value = 0; *value < ARRAY_SIZE(speeds); (*value)++) {
		size_t n = strlen(speeds[*value]);

		/* pciutils 2.2 prints "Gb/s". */
		if (!strncmp(at, speeds[*value], n) &&
		    (!*value || !strncmp(at + n, "GT/s", 4) || !strncmp(at + n, "Gb/s", 4)))
			return true;
	}
	return false;
}

static bool take_field(const char *text, const struct field *f, unsigned *value)
{
	const char *at = after_name(text, f->name, f->kind);
	unsigned max = (1u << f->bits) - 1;

	if (!at)
		return false;
	switch (f->kind) {
	case FLAG:
		*value = *at == '+';
		return true;
	case SIZE:
		return take_power(at, 128, 0, max, value);
	case PHANTOM:
		return take_power(at, 1, 1, max, value);
	case SPEED:
		return take_speed(at, value);
	case RCB:
		return take_power(at, 64, 0, max, value);
	default:
		return take_number(at, f->kind == HEX ? 16 : 10, max, value);
	}
}

void pv_lspci_put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static bool take_words(const char *text, uint8_t value[16])
{
	for (unsigned i = 0; i < 4; i++) {
		char *end;
		unsigned long word = strtoul(text, &end, 16);

		text += strspn(text, " \t");
		if (end - text != 8)
			return false;
		pv_lspci_put(value + 4 * i, word, 4);
		text = end;
	}
	return true;
}

void pv_lspci_take_register(struct pv_lspci *f, enum pv_lspci_reg reg, const char *text)
{
	uint64_t all = 0;

	if (f->seen & 1u << reg)
		return;
	if (regs[reg].fields[0].kind == WORDS) {
		f->seen |= (uint32_t)take_words(text, f->value[reg]) << reg;
		return;
	}
	for (const struct field *field = regs[reg].fields; field->name; field++) {
		unsigned value = 0;

		if (take_field(text, field, &value))
			all |= (uint64_t)value << field->shift;
		else if (!field->optional)
			return;
	}
	pv_lspci_put(f->value[reg], all, sizeof(all));
	f->seen |= 1u << reg;
}

/* Lines of pciutils 2.2 with the label of another register. */
static const struct {
	const char *begins;
	size_t label;
	enum pv_lspci_reg reg;
} old_lines[] = {
	{"Device: Supported:", 18, PV_LSPCI_DEVCAP}, {"Device: RlxdOrd", 7, PV_LSPCI_DEVCTL},
	{"Device: MaxPayload", 7, PV_LSPCI_DEVCTL},  {"Link: Supported", 15, PV_LSPCI_LNKCAP},
	{"Link: ASPM", 5, PV_LSPCI_LNKCTL},	     {"Link: Speed", 5, PV_LSPCI_LNKSTA},
	{"Slot: AtnBtn", 5, PV_LSPCI_SLTCAP},
};

static int find_old_line(const char *at, size_t n, size_t *label)
{
	for (size_t i = 0; i < ARRAY_SIZE(old_lines); i++)
		if (n >= strlen(old_lines[i].begins) && !memcmp(at, old_lines[i].begins, strlen(old_lines[i].begins))) {
			*label = old_lines[i].label;
			return (int)old_lines[i].reg;
		}
	return -1;
}

int pv_lspci_find_register(const char *at, size_t n, size_t *label)
{
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		*label = strlen(regs[i].label);
		if (n >= *label && !memcmp(at, regs[i].label, *label))
			return (int)i;
	}
	return find_old_line(at, n, label);
}

bool pv_lspci_has(const struct pv_lspci *f, enum pv_lspci_reg reg)
{
	return f->seen & 1u << reg;
}

void pv_lspci_put_registers(const struct pv_lspci *f, uint8_t space[PV_LSPCI_SPACE_BYTES])
{
	const unsigned at[] = {[HEADER] = 0, [EXPRESS] = f->express, [AER] = f->aer, [SRIOV] = f->sriov};

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		unsigned first = at[regs[i].base] + regs[i].offset;

		if (!pv_lspci_has(f, (enum pv_lspci_reg)i) || (regs[i].base != HEADER && !at[regs[i].base]))
			continue;
		/* A short capability at the end of the space has no further registers. */
		if (regs[i].base == EXPRESS && first + regs[i].bytes > 256)
			continue;
		memcpy(space + first, f->value[i], regs[i].bytes);
	}
}
