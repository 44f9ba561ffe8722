/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use: finds the functions with rules, passes accesses to them, and stores broken rules. */
#include "framework/oracle/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/rules_internal.h"
#include "framework/util/cleanup.h"

enum { RULES_MAX = 32, FUNCTIONS_MAX = 512, CAPS_MAX = 48, EXT_CAPS_MAX = 96 };

struct pv_rules {
	struct pv_rule_machine machine;
	struct pv_rule_function *function[FUNCTIONS_MAX]; /* by BDF, in a table with open addressing */
	struct pv_rule_break broken[RULES_MAX];
	size_t n_broken;
	uint64_t accesses;
};

static const struct pv_rule_device *const devices[] = {&pv_rule_ptt, &pv_rule_cxl, &pv_rule_dwc, &pv_rule_sriov};

struct pv_rules *pv_rules_new(const struct pv_rule_machine *machine)
{
	struct pv_rules *r = calloc(1, sizeof(*r));

	if (r)
		r->machine = *machine;
	return r;
}

void pv_rules_restart(struct pv_rules *r)
{
	for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
		if (r->function[i])
			free(r->function[i]->enabled);
		free(r->function[i]);
		r->function[i] = NULL;
	}
}

void pv_rules_free(struct pv_rules *r)
{
	if (r)
		pv_rules_restart(r);
	free(r);
}

/* ---- what devices ask ---- */

uint64_t pv_rule_peek(const struct pv_rules *r, const struct pv_rule_function *f, int bar, uint32_t off, unsigned bytes)
{
	return r->machine.peek(r->machine.ctx, f->bdf, bar, off, bytes);
}

uint64_t pv_rule_merged(const struct pv_rule_access *a, uint32_t off, unsigned bytes, uint64_t old)
{
	for (unsigned i = 0; i < a->bytes; i++) {
		uint32_t at = a->off + i;

		if (at < off || at - off >= bytes)
			continue;
		unsigned shift = 8 * (at - off);
		old = (old & ~(0xffull << shift)) | (a->value >> 8 * i & 0xff) << shift;
	}
	return old;
}

bool pv_rule_hits(const struct pv_rule_access *a, int bar, uint32_t off, uint32_t bytes)
{
	return a->bar == bar && a->off < off + bytes && off < a->off + a->bytes;
}

static uint32_t config(const struct pv_rules *r, const struct pv_rule_function *f, uint32_t off)
{
	return (uint32_t)pv_rule_peek(r, f, PV_RULE_CONFIG, off, 4);
}

uint32_t pv_rule_cap(const struct pv_rules *r, const struct pv_rule_function *f, uint8_t id)
{
	uint32_t pos = config(r, f, PCI_CAPABILITIES) & 0xfc;

	for (unsigned hops = 0; pos >= 0x40 && hops < CAPS_MAX; hops++) {
		uint32_t head = config(r, f, pos);

		if ((head & 0xff) == id)
			return pos;
		pos = head >> 8 & 0xfc;
	}
	return 0;
}

/* An extended capability, by its id and, if it is a vendor's, by the vendor and its id. */
struct wanted {
	uint16_t cap, vendor, id;
};

static bool is_wanted(const struct pv_rules *r, const struct pv_rule_function *f, uint32_t pos, const struct wanted *w)
{
	uint32_t head = config(r, f, pos + PCI_VSEC_HEADER);

	if (PCI_EXT_CAP_ID(config(r, f, pos)) != w->cap)
		return false;
	switch (w->cap) {
	case PCI_EXT_CAP_ID_DVSEC:
		return (head & 0xffff) == w->vendor && (config(r, f, pos + PCI_DVSEC_HEADER2) & 0xffff) == w->id;
	case PCI_EXT_CAP_ID_VSEC:
		return (head & 0xffff) == w->id && (f->id & 0xffff) == w->vendor;
	default:
		return true;
	}
}

static uint32_t find_ext_cap(const struct pv_rules *r, const struct pv_rule_function *f, const struct wanted *w)
{
	uint32_t pos = PCI_EXT_CAP_START;

	for (unsigned hops = 0; pos >= PCI_EXT_CAP_START && hops < EXT_CAPS_MAX; hops++) {
		if (is_wanted(r, f, pos, w))
			return pos;
		pos = PCI_EXT_CAP_NEXT(config(r, f, pos));
	}
	return 0;
}

uint32_t pv_rule_ext_cap(const struct pv_rules *r, const struct pv_rule_function *f, uint16_t id)
{
	return find_ext_cap(r, f, &(struct wanted){.cap = id});
}

uint32_t pv_rule_vsec(const struct pv_rules *r, const struct pv_rule_function *f, bool dvsec, uint16_t vendor,
		      uint16_t id)
{
	return find_ext_cap(r, f, &(struct wanted){dvsec ? PCI_EXT_CAP_ID_DVSEC : PCI_EXT_CAP_ID_VSEC, vendor, id});
}

void pv_rule_broken(struct pv_rules *r, const struct pv_rule_access *a, const char *rule, const char *fmt, ...)
{
	struct pv_rule_break *b = r->broken;
	va_list ap;

	while (b < r->broken + r->n_broken && strcmp(b->rule, rule))
		b++;
	if (b == r->broken + RULES_MAX)
		return;
	if (b == r->broken + r->n_broken) {
		r->n_broken++;
		b->rule = rule;
		b->access = *a;
		va_start(ap, fmt);
		vsnprintf(b->text, sizeof(b->text), fmt, ap);
		va_end(ap);
	}
	b->count++;
}

size_t pv_rules_broken(const struct pv_rules *r, const struct pv_rule_break **out)
{
	*out = r->broken;
	return r->n_broken;
}

uint64_t pv_rules_accesses(const struct pv_rules *r)
{
	return r->accesses;
}

/* ---- functions ---- */

static void identify(struct pv_rules *r, struct pv_rule_function *f, pv_bdf bdf, uint32_t id)
{
	free(f->enabled);
	*f = (struct pv_rule_function){.bdf = bdf, .id = id, .mailbox = {.bar = -1}};
	for (size_t i = 0; i < ARRAY_SIZE(devices) && !f->device; i++)
		if (devices[i]->find(r, f))
			f->device = devices[i];
}

/* Returns the slot of a function's entry, which may be empty; NULL: the table is full. */
static struct pv_rule_function **slot_of(struct pv_rules *r, pv_bdf bdf)
{
	for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
		struct pv_rule_function **slot = &r->function[(bdf * 31u + i) % FUNCTIONS_MAX];

		if (!*slot || (*slot)->bdf == bdf)
			return slot;
	}
	return NULL;
}

/*
 * Returns the function that is written to, identified anew if another one stands in its place. NULL: it has no rules.
 */
static struct pv_rule_function *function_of(struct pv_rules *r, pv_bdf bdf)
{
	struct pv_rule_function **slot = slot_of(r, bdf), at = {.bdf = bdf};
	uint32_t id = config(r, &at, PCI_VENDOR_ID);

	if (!slot || id == UINT32_MAX)
		return NULL;
	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		return NULL;
	if ((*slot)->id != id)
		identify(r, *slot, bdf, id);
	return (*slot)->device ? *slot : NULL;
}

void pv_rules_access(struct pv_rules *r, const struct pv_rule_access *a)
{
	struct pv_rule_function **slot = a->write ? NULL : slot_of(r, a->bdf), *f;

	r->accesses++;
	/* Only a driver that has written to a function can break a rule by reading. */
	f = a->write ? function_of(r, a->bdf) : slot ? *slot : NULL;
	if (f && f->device)
		f->device->access(r, f, a);
}
