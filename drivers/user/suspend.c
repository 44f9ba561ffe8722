/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suspend of the system as the PCI core does it (Documentation/power/pci.rst): it saves the header and the standard
 * capabilities of each function, puts it into D3hot and back into D0, and restores them. Other registers are the
 * business of drivers.
 */
#include <stdlib.h>

#include "drivers/core/pcie.h"
#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

#define D3HOT_NS      10000000	/* PCIe 5.0 5.9: after each change of state */
#define VF_ENABLE_NS  100000000 /* PCIe 5.0 9.3.3.3.1 */
#define HEADER_FIRST  PCI_BAR(0)
#define HEADER_END    0x40
#define HEADER_WORDS  ((HEADER_END - HEADER_FIRST) / 2)
#define SECONDARY_STS 0x1e /* of bridges: writing it back would clear errors */

enum { MSI_FLAGS = 5 };

/* Words of standard capabilities that software sets. MSI is enabled last, and not restored if it was not enabled. */
static const struct {
	uint8_t cap, reg;
} words[] = {
	{PCI_CAP_ID_MSI, PCI_MSI_ADDRESS_LO}, {PCI_CAP_ID_MSI, PCI_MSI_ADDRESS_LO + 2},
	{PCI_CAP_ID_MSI, PCI_MSI_ADDRESS_HI}, {PCI_CAP_ID_MSI, PCI_MSI_ADDRESS_HI + 2},
	{PCI_CAP_ID_MSI, PCI_MSI_DATA_64},    [MSI_FLAGS] = {PCI_CAP_ID_MSI, PCI_MSI_FLAGS},
	{PCI_CAP_ID_EXP, PCI_EXP_DEVCTL},     {PCI_CAP_ID_EXP, PCI_EXP_LNKCTL},
	{PCI_CAP_ID_EXP, PCI_EXP_SLTCTL},     {PCI_CAP_ID_EXP, PCI_EXP_DEVCTL2},
	{PCI_CAP_ID_EXP, PCI_EXP_LNKCTL2},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

struct saved {
	struct pv_func *func;
	uint32_t sriov;
	uint16_t command, vfs, sriov_ctrl;
	uint16_t header[HEADER_WORDS], word[WORDS];
};

/* Registers that version 1 of the capability may lack are at its end: another capability may follow it. */
static bool has_express_register(const struct pv_cfg *cfg, uint32_t cap, uint8_t reg)
{
	uint16_t flags = pv_cfg_read16(cfg, cap + PCI_EXP_FLAGS);
	unsigned type = (flags & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;

	if ((flags & PCI_EXP_FLAGS_VERS) > 1 || reg == PCI_EXP_DEVCTL)
		return true;
	if (reg == PCI_EXP_LNKCTL)
		return type != PCI_EXP_TYPE_RC_END && type != PCI_EXP_TYPE_RC_EC;
	return reg == PCI_EXP_SLTCTL && flags & PCI_EXP_FLAGS_SLOT;
}

/* Without 64-bit addresses, the data are where the upper half would be, and end the capability. */
static bool has_msi_register(const struct pv_cfg *cfg, uint32_t cap, uint8_t reg)
{
	return reg <= PCI_MSI_ADDRESS_HI || pv_cfg_read16(cfg, cap + PCI_MSI_FLAGS) & PCI_MSI_FLAGS_64BIT;
}

/* Returns the offset of a word; 0: the function lacks it. */
static uint32_t place_of(const struct pv_cfg *cfg, unsigned word)
{
	uint8_t reg = words[word].reg;
	uint32_t cap = pv_pcie_find_cap(cfg, words[word].cap);
	bool there = cap && (words[word].cap == PCI_CAP_ID_EXP ? has_express_register(cfg, cap, reg)
							       : has_msi_register(cfg, cap, reg));

	return there ? cap + reg : 0;
}

static void save(struct saved *s, struct pv_func *func)
{
	const struct pv_cfg *cfg = &func->cfg;

	s->func = func;
	s->command = pv_cfg_read16(cfg, PCI_COMMAND);
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		s->header[i] = pv_cfg_read16(cfg, HEADER_FIRST + 2 * i);
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t at = place_of(cfg, i);

		s->word[i] = at ? pv_cfg_read16(cfg, at) : 0;
	}
	s->sriov = func->is_vf ? 0 : pv_pcie_next_ext_cap(cfg, 0, PCI_EXT_CAP_ID_SRIOV);
	if (!s->sriov)
		return;
	s->vfs = pv_cfg_read16(cfg, s->sriov + PCI_SRIOV_NUM_VF);
	s->sriov_ctrl = pv_cfg_read16(cfg, s->sriov + PCI_SRIOV_CTRL);
}

static void restore(const struct saved *s, const struct pv_bus *bus)
{
	const struct pv_cfg *cfg = &s->func->cfg;
	bool bridge = (pv_cfg_read16(cfg, PCI_HEADER_TYPE) & 0x7f) == PCI_HEADER_TYPE_BRIDGE;

	for (unsigned i = 0; i < HEADER_WORDS; i++)
		if (!bridge || HEADER_FIRST + 2 * i != SECONDARY_STS)
			pv_cfg_write16(cfg, HEADER_FIRST + 2 * i, s->header[i]);
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t at = place_of(cfg, i);

		if (at && (words[i].cap != PCI_CAP_ID_MSI || s->word[MSI_FLAGS] & PCI_MSI_FLAGS_ENABLE))
			pv_cfg_write16(cfg, at, s->word[i]);
	}
	pv_cfg_write16(cfg, PCI_COMMAND, s->command);
	if (!(s->sriov_ctrl & PCI_SRIOV_CTRL_VFE))
		return;
	/* They are still there, and NumVFs must not be written (PCIe 5.0 9.3.3.7); sriov_restore_state() does the same.
	 */
	if (pv_cfg_read16(cfg, s->sriov + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE)
		return;
	pv_cfg_write16(cfg, s->sriov + PCI_SRIOV_NUM_VF, s->vfs);
	pv_cfg_write16(cfg, s->sriov + PCI_SRIOV_CTRL, s->sriov_ctrl);
	bus->delay_ns(bus->ctx, VF_ENABLE_NS);
}

static void set_state(struct pv_func *func, uint16_t state, const struct pv_bus *bus)
{
	uint32_t cap = pv_pcie_find_cap(&func->cfg, PCI_CAP_ID_PM);

	if (!cap)
		return;
	pv_cfg_write16(&func->cfg, cap + PCI_PM_CTRL, state);
	bus->delay_ns(bus->ctx, D3HOT_NS);
}

/* Functions below a bridge sleep before it and wake after it. */
int pv_sys_suspend(struct pv_sys *sys, void (*asleep)(void *ctx), void *ctx)
{
	size_t n = 0, i = 0;
	struct pv_func *func;

	for (func = sys->funcs; func; func = func->next)
		n++;
	struct saved *all = calloc(n ? n : 1, sizeof(*all));
	if (!all)
		return -PV_ENOMEM;
	for (func = sys->funcs; func; func = func->next)
		save(&all[i++], func);
	while (i-- > 0)
		set_state(all[i].func, PCI_PM_D3HOT, sys->bus);
	if (asleep)
		asleep(ctx);
	for (i = 0; i < n; i++) {
		set_state(all[i].func, 0, sys->bus);
		restore(&all[i], sys->bus);
	}
	free(all);
	return 0;
}
