/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, read and written past the driver, and the AER status. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/agent/registers.h"

struct place {
	pv_bdf bdf;
	int bar; /* -1: configuration space */
	uint32_t off;
	unsigned bytes;
};

static int place_of(struct pv_session *s, const struct pv_args *a, struct place *p)
{
	if (pv_session_bdf(s, pv_arg_text(a, "device"), &p->bdf))
		return -1;
	p->bar = pv_arg_choice(a, "space") - 1;
	p->off = (uint32_t)pv_arg_number(a, "offset");
	p->bytes = (unsigned)pv_arg_number(a, "bytes");
	bool wide = p->bytes == 8 && p->bar < 0;
	if (wide || !p->bytes || p->bytes & (p->bytes - 1) || p->off % p->bytes)
		return pv_session_plan_error(
			s, "expected 1, 2, 4 or (BARs) 8 bytes at an aligned offset, got %u at 0x%x", p->bytes, p->off);
	return 0;
}

static int do_reg_read(struct pv_session *s, const struct pv_args *a)
{
	struct place p;
	uint64_t got, mask = pv_arg_has(a, "mask") ? pv_arg_number(a, "mask") : UINT64_MAX;

	if (place_of(s, a, &p))
		return -1;
	int err = s->t->machine->ops->reg_read(s->t->machine, p.bdf, p.bar, p.off, p.bytes, &got);
	if (err == -ECONNRESET)
		return pv_session_lost(s, NULL, "reading a register");
	if (err)
		return pv_session_plan_error(s, "register could not be read: %s", pv_errno_name(err));
	pv_session_learn(s, "equals", "0x%" PRIx64, got & mask);
	uint64_t want = pv_arg_number(a, "equals");
	return pv_session_judge(s, (got & mask) == want, NULL,
				"%s %s + 0x%x: expected 0x%" PRIx64 ", got 0x%" PRIx64 " (0x%" PRIx64
				" without the mask)",
				pv_arg_text(a, "device"), pv_arg_text(a, "space"), p.off, want, got & mask, got);
}

static int do_reg_write(struct pv_session *s, const struct pv_args *a)
{
	struct place p;

	if (place_of(s, a, &p))
		return -1;
	if (!pv_has(s->t->machine, reg_write))
		return pv_session_unsupported(s, "way to write registers");
	int err = s->t->machine->ops->reg_write(s->t->machine, p.bdf, p.bar, p.off, p.bytes, pv_arg_number(a, "value"));
	if (err == -ECONNRESET)
		return pv_session_lost(s, NULL, "writing a register");
	if (err == -EPERM)
		return pv_session_unsupported(s, "right to write this register: it could not be put back");
	return err ? pv_session_plan_error(s, "register could not be written: %s", pv_errno_name(err)) : 0;
}

static int do_check_aer(struct pv_session *s, const struct pv_args *a)
{
	pv_bdf bdf;
	uint64_t status;
	const char *device = pv_arg_text(a, "device");
	unsigned bit = (unsigned)pv_arg_number(a, "bit");

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	uint32_t aer = pv_registers_ext_cap(s, bdf, PCI_EXT_CAP_ID_AER);
	if (!aer || s->t->machine->ops->reg_read(s->t->machine, bdf, -1, aer + PCI_AER_UNCOR_STATUS, 4, &status))
		return pv_session_plan_error(s, "device: expected a function with AER, got %s", device);
	bool got = status >> bit & 1;
	pv_session_learn(s, "set", "%s", got ? "yes" : "no");
	bool want = pv_arg_yes(a, "set");
	return pv_session_judge(s, want == got, NULL,
				"AER uncorrectable status of %s: expected bit %u %s, got 0x%08" PRIx64, device, bit,
				want ? "set" : "clear", status);
}

const struct pv_step_def pv_steps_register[] = {
	{"reg-read", do_reg_read, PV_STEP_CHECK},
	{"reg-write", do_reg_write, 0},
	{"check-aer", do_check_aer, PV_STEP_CHECK},
	{NULL},
};
