/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suspends the system of the user-space driver: the order of callbacks, and the state after resume. */
#include <criterion/criterion.h>

#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

#define PORT	0x0080
#define CARD	0x0100
#define PM	0xc0
#define MSI	0xd0
#define STICKY	0x1e /* of a bridge: Secondary Status */
#define WRITTEN 0x5a5a

static const struct pv_pmu_kind *const kinds[] = {NULL};
static struct fake_machine machine;
static struct pv_sys *sys;
static char order[256]; /* who changed its state: "0100- " to D3hot, "0100+ " to D0 */
static uint32_t last_written[FAKE_FUNCS];
static bool keeps_vfs; /* VF Enable is not lost */
static bool written[FAKE_FUNCS][PCI_CFG_BYTES];

static bool in_d3hot(const struct fake_func *f)
{
	return (f->cfg[PM + PCI_PM_CTRL] & PCI_PM_CTRL_STATE) == PCI_PM_D3HOT;
}

/* From D3hot to D0 all that software has set is gone. */
static void lose(struct fake_func *f)
{
	memset(f->cfg + PCI_COMMAND, 0, 2);
	memset(f->cfg + PCI_BAR(0), 0, PCI_CAPABILITIES - PCI_BAR(0));
	memset(f->cfg + FAKE_PCIE_CAP + PCI_EXP_DEVCTL, 0, 2);
	f->cfg[MSI + PCI_MSI_FLAGS] &= PCI_MSI_FLAGS_64BIT; /* capability bits only */
	memset(f->cfg + MSI + PCI_MSI_ADDRESS_LO, 0, 10);
	if (!keeps_vfs)
		memset(f->cfg + PCI_EXT_CAP_START + PCI_SRIOV_CTRL, 0, 2);
}

static void cfg_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct fake_func *f = fake_func(ctx, bdf);
	bool slept = f && in_d3hot(f);

	if (bdf == PORT && off == STICKY)
		value = WRITTEN;
	fake_cfg_write(ctx, bdf, off, bytes, value);
	if (!f)
		return;
	last_written[f - machine.func] = off;
	written[f - machine.func][off] = true;
	if (slept != in_d3hot(f))
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%04x%c ", bdf, slept ? '+' : '-');
	if (slept && !in_d3hot(f))
		lose(f);
}

static struct fake_func *with_power(pv_bdf bdf)
{
	struct fake_func *f = fake_func(&machine, bdf);

	f->cfg[FAKE_PCIE_CAP + 1] = PM;
	f->cfg[PM] = PCI_CAP_ID_PM;
	f->cfg[PM + 1] = MSI;
	f->cfg[MSI] = PCI_CAP_ID_MSI;
	fake_put16(f, MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_64BIT | PCI_MSI_FLAGS_ENABLE);
	fake_put16(f, MSI + PCI_MSI_ADDRESS_LO + 2, 0xfee0);
	fake_put16(f, MSI + PCI_MSI_DATA_64, 0x41);
	fake_put16(f, PCI_COMMAND, PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY);
	fake_put16(f, PCI_BAR(0) + 2, 0x8010);
	return f;
}

static void setup(void)
{
	fake_core(&machine);
	machine.bus.cfg_write = cfg_write;
	with_power(PORT);
	with_power(CARD);
	order[0] = 0;
	keeps_vfs = false;
	sys = pv_sys_boot_kinds(&machine.bus, PV_MPS_TUNE_OFF, kinds);
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
}

TestSuite(user_suspend, .init = setup, .fini = teardown);

static void note_sleep(void *ctx)
{
	strcat(order, "asleep ");
}

Test(user_suspend, cards_sleep_before_their_port_and_wake_after_it)
{
	cr_assert_eq(pv_sys_suspend(sys, note_sleep, NULL), 0);
	cr_expect_str_eq(order, "0100- 0080- asleep 0080+ 0100+ ");
}

Test(user_suspend, each_change_of_state_is_given_its_time)
{
	uint64_t before = machine.now_ns;

	cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
	cr_expect_geq(machine.now_ns - before, 4 * 10000000);
}

Test(user_suspend, what_the_pci_core_saves_is_there_again)
{
	uint8_t before[256];

	memcpy(before, fake_func(&machine, CARD)->cfg, sizeof(before));
	cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
	for (unsigned i = 0; i < sizeof(before); i++)
		cr_expect_eq(fake_func(&machine, CARD)->cfg[i], before[i], "byte 0x%x", i);
	cr_expect_eq(last_written[fake_func(&machine, CARD) - machine.func], PCI_COMMAND,
		     "it decodes and masters when all else is in place");
}

Test(user_suspend, errors_below_a_bridge_are_not_cleared)
{
	cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
	cr_expect_eq(fake_func(&machine, PORT)->cfg[STICKY], 0);
	cr_expect_eq(fake_func(&machine, PORT)->cfg[PCI_SECONDARY_BUS], 1);
	cr_expect_eq(fake_func(&machine, CARD)->cfg[PCI_BAR(0) + 3], 0x80);
}

static bool was_written(pv_bdf bdf, uint32_t first, uint32_t end)
{
	const bool *of = written[fake_func(&machine, bdf) - machine.func];
	bool any = false;

	for (; first < end; first++)
		any |= of[first];
	return any;
}

/* The capabilities are short: what is behind them may be a status whose bits a write clears. */
Test(user_suspend, what_is_behind_a_capability_is_not_written)
{
	static const struct {
		unsigned flags, last, end; /* of the PCI Express capability */
	} caps[] = {
		{PCI_EXP_TYPE_RC_END << PCI_EXP_FLAGS_TYPE_SHIFT | 1, PCI_EXP_DEVCTL, 0x0c},
		{PCI_EXP_TYPE_ENDPOINT << PCI_EXP_FLAGS_TYPE_SHIFT | 1, PCI_EXP_LNKCTL, 0x14},
		{PCI_EXP_TYPE_ROOT_PORT << PCI_EXP_FLAGS_TYPE_SHIFT | 1, PCI_EXP_LNKCTL, 0x14},
		{PCI_EXP_TYPE_ROOT_PORT << PCI_EXP_FLAGS_TYPE_SHIFT | PCI_EXP_FLAGS_SLOT | 1, PCI_EXP_SLTCTL, 0x24},
		{PCI_EXP_TYPE_ENDPOINT << PCI_EXP_FLAGS_TYPE_SHIFT | 2, PCI_EXP_LNKCTL2, 0x3c},
	};

	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct fake_func *f = with_power(CARD);
		uint32_t last = FAKE_PCIE_CAP + caps[i].last;

		memset(written, 0, sizeof(written));
		fake_put16(f, FAKE_PCIE_CAP + PCI_EXP_FLAGS, (uint16_t)caps[i].flags);
		fake_put16(f, MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_ENABLE);
		cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
		cr_expect(was_written(CARD, last, last + 1), "%zu", i);
		cr_expect_not(was_written(CARD, FAKE_PCIE_CAP + caps[i].end, PM), "%zu", i);
		cr_expect(was_written(CARD, MSI + PCI_MSI_ADDRESS_HI, MSI + PCI_MSI_ADDRESS_HI + 1));
		cr_expect_not(was_written(CARD, MSI + PCI_MSI_ADDRESS_HI + 2, MSI + 0x18));
	}
}

Test(user_suspend, virtual_functions_are_enabled_again)
{
	struct fake_func *f = fake_func(&machine, CARD);
	const uint32_t head = PCI_EXT_CAP_ID_SRIOV | 1u << 16;

	memcpy(f->cfg + PCI_EXT_CAP_START, &head, sizeof(head));
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF, 3);
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
	cr_expect_eq(last_written[f - machine.func], PCI_EXT_CAP_START + PCI_SRIOV_CTRL);
	cr_expect_eq(f->cfg[PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF], 3);
	cr_expect_eq(f->cfg[PCI_EXT_CAP_START + PCI_SRIOV_CTRL], PCI_SRIOV_CTRL_VFE);
}

/* PCIe 5.0 9.3.3.7: NumVFs must not be written then. */
Test(user_suspend, virtual_functions_that_are_still_enabled_are_left_alone)
{
	struct fake_func *f = fake_func(&machine, CARD);
	const uint32_t head = PCI_EXT_CAP_ID_SRIOV | 1u << 16;

	keeps_vfs = true;
	memcpy(f->cfg + PCI_EXT_CAP_START, &head, sizeof(head));
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF, 3);
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	cr_assert_eq(pv_sys_suspend(sys, NULL, NULL), 0);
	cr_expect_not(written[f - machine.func][PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF]);
}
