/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/agent/registers.h"

#include <errno.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/pcie.h"

#define CAPS_MAX     48	 /* that fit into 192 bytes */
#define EXT_CAPS_MAX 480 /* that fit into 3840 bytes */

int pv_registers_read(struct pv_session *s, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	int err = s->t->machine->ops->reg_read(s->t->machine, bdf, bar, off, bytes, value);

	if (err == -ECONNRESET)
		return pv_session_lost(s, NULL, "reading a register");
	return err ? pv_session_plan_error(s, "register 0x%x of %s could not be read: %s", off, pv_bdf_text(bdf).s,
					   pv_errno_name(err))
		   : 0;
}

/* Reads configuration space; all ones: it could not be read. */
static uint32_t config(struct pv_session *s, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	uint64_t value;

	return s->t->machine->ops->reg_read(s->t->machine, bdf, -1, off, bytes, &value) ? UINT32_MAX : (uint32_t)value;
}

uint32_t pv_registers_cap(struct pv_session *s, pv_bdf bdf, unsigned id)
{
	uint32_t at = config(s, bdf, PCI_CAPABILITIES, 1) & 0xfc;

	for (unsigned n = 0; at >= PCI_CAPABILITIES && n < CAPS_MAX; n++) {
		uint32_t head = config(s, bdf, at, 2);

		if (head > UINT16_MAX)
			return 0;
		if ((head & 0xff) == id)
			return at;
		at = head >> 8 & 0xfc;
	}
	return 0;
}

/* Returns the next extended capability with the ID from `at` on. */
static uint32_t next_ext_cap(struct pv_session *s, pv_bdf bdf, uint32_t at, unsigned id)
{
	for (unsigned n = 0; at >= PCI_EXT_CAP_START && n < EXT_CAPS_MAX; n++) {
		uint32_t head = config(s, bdf, at, 4);

		if (!head || head == UINT32_MAX)
			return 0;
		if (PCI_EXT_CAP_ID(head) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(head);
	}
	return 0;
}

uint32_t pv_registers_ext_cap(struct pv_session *s, pv_bdf bdf, unsigned id)
{
	return next_ext_cap(s, bdf, PCI_EXT_CAP_START, id);
}

static bool is_vsec(struct pv_session *s, pv_bdf bdf, uint32_t at, unsigned id, unsigned revision)
{
	uint32_t head = config(s, bdf, at + PCI_VSEC_HEADER, 4);

	return (head & 0xffff) == id && (head >> 16 & 0xf) == revision;
}

static bool is_dvsec(struct pv_session *s, pv_bdf bdf, uint32_t at, unsigned vendor, unsigned id)
{
	return (config(s, bdf, at + PCI_DVSEC_HEADER1, 4) & 0xffff) == vendor &&
	       (config(s, bdf, at + PCI_DVSEC_HEADER2, 2) & 0xffff) == id;
}

/* Walks the capabilities of one kind until one matches; a loop of them ends. */
static uint32_t find(struct pv_session *s, pv_bdf bdf, unsigned kind,
		     bool (*matches)(struct pv_session *, pv_bdf, uint32_t, unsigned, unsigned), unsigned a, unsigned b)
{
	uint32_t at = next_ext_cap(s, bdf, PCI_EXT_CAP_START, kind);

	for (unsigned n = 0; at && n < EXT_CAPS_MAX && !matches(s, bdf, at, a, b); n++)
		at = next_ext_cap(s, bdf, PCI_EXT_CAP_NEXT(config(s, bdf, at, 4)), kind);
	return at && matches(s, bdf, at, a, b) ? at : 0;
}

uint32_t pv_registers_vsec(struct pv_session *s, pv_bdf bdf, unsigned id, unsigned revision)
{
	return find(s, bdf, PCI_EXT_CAP_ID_VSEC, is_vsec, id, revision);
}

uint32_t pv_registers_dvsec(struct pv_session *s, pv_bdf bdf, unsigned vendor, unsigned id)
{
	return find(s, bdf, PCI_EXT_CAP_ID_DVSEC, is_dvsec, vendor, id);
}

/* Returns true if Link Status 2, which version 1 of the capability lacks, says Flit Mode. */
static bool has_flits(struct pv_session *s, pv_bdf port, uint32_t cap)
{
	uint32_t flags = config(s, port, cap + PCI_EXP_FLAGS, 2), status;

	if (flags > UINT16_MAX || (flags & PCI_EXP_FLAGS_VERS) < 2)
		return false;
	status = config(s, port, cap + PCI_EXP_LNKSTA2, 2);
	return status <= UINT16_MAX && status & PCI_EXP_LNKSTA2_FLIT;
}

int pv_registers_link(struct pv_session *s, pv_bdf port, struct pv_link_rate *link)
{
	uint32_t cap = pv_registers_cap(s, port, PCI_CAP_ID_EXP);
	uint64_t status;

	if (!cap)
		return pv_session_plan_error(s, "expected a port with a PCI Express capability, got %s",
					     pv_bdf_text(port).s);
	if (pv_registers_read(s, port, -1, cap + PCI_EXP_LNKSTA, 2, &status))
		return -1;
	*link = pv_link_rate_of(status & PCI_EXP_LNKSTA_SPEED, PCI_EXP_LNKSTA_LANES(status));
	link->flits |= has_flits(s, port, cap);
	return link->speed_mt && link->width
		       ? 0
		       : pv_session_plan_error(s, "expected a known speed and width in Link Status of %s, got 0x%04x",
					       pv_bdf_text(port).s, (unsigned)status);
}

int pv_registers_cpmu_read(struct pv_session *s, const struct pv_cpmu_registers *b, uint32_t off, uint64_t *value)
{
	return pv_registers_read(s, b->bdf, b->bar, b->off + off, 8, value);
}

int pv_registers_cpmu(struct pv_session *s, pv_bdf bdf, unsigned n, struct pv_cpmu_registers *b)
{
	uint32_t cap = pv_registers_dvsec(s, bdf, CXL_DVSEC_VENDOR_ID, CXL_DVSEC_REG_LOCATOR_ID);
	uint64_t head = 0, low;

	if (cap && pv_registers_read(s, bdf, -1, cap + PCI_DVSEC_HEADER1, 4, &head))
		return -1;
	for (uint32_t at = CXL_REG_LOCATOR_FIRST; cap && at + CXL_REG_LOCATOR_ENTRY_BYTES <= PCI_DVSEC_LENGTH(head);
	     at += CXL_REG_LOCATOR_ENTRY_BYTES) {
		if (pv_registers_read(s, bdf, -1, cap + at, 4, &low))
			return -1;
		if ((low & CXL_REG_LOCATOR_ID_MASK) >> CXL_REG_LOCATOR_ID_SHIFT != CXL_REG_BLOCK_CPMU || n--)
			continue;
		*b = (struct pv_cpmu_registers){bdf, (int)(low & CXL_REG_LOCATOR_BIR_MASK),
						(uint32_t)low & CXL_REG_LOCATOR_OFF_LO_MASK};
		return 0;
	}
	return pv_session_plan_error(s, "expected a CPMU of this number in the Register Locator of %s, got none",
				     pv_bdf_text(bdf).s);
}
