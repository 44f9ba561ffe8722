/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines with several PCI domains: the scan, and names that contain BDFs. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

#define D(domain, rid) PCI_IN_DOMAIN(domain, rid)

static const pv_bdf both[] = {0, D(0x1f, 0)};
static struct fake_machine machine;
static struct pv_sys *sys;

/* The machine of fake_core() in domain 0; in domain 1f a PTT, a slot and a card at the same places. */
static void setup(void)
{
	fake_core(&machine);
	machine.bus.buses = both;
	machine.bus.n_buses = 2;
	fake_add_bridge(&machine, D(0x1f, PCI_BDF(0, 0x10, 0)), PCI_EXP_TYPE_ROOT_PORT, 1, 1);
	fake_add(&machine, D(0x1f, PCI_BDF(1, 0, 0)), PCI_EXP_TYPE_ENDPOINT);
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
	sys = NULL;
}

TestSuite(user_domains, .init = setup, .fini = teardown);

static const char *order(void)
{
	static char text[512];
	const struct pv_func *func;

	text[0] = '\0';
	for (func = pv_sys_funcs(sys); func; func = func->next)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%04x ", func->bdf);
	return text;
}

static void note_name(void *ctx, const char *name)
{
	strcat(strcat(ctx, name), " ");
}

Test(user_domains, each_is_scanned_in_turn)
{
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	cr_assert_str_eq(order(), "0008 0080 0100 0101 0088 0200 0300 0400 0090 0098 0600 1f0080 1f0100 ");
}

Test(user_domains, domain_that_nobody_names_is_not_scanned)
{
	machine.bus.n_buses = 1;
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	cr_assert_not(strstr(order(), "1f0080"));
}

Test(user_domains, domain_0_need_not_be_there)
{
	machine.bus.buses = &both[1];
	machine.bus.n_buses = 1;
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	cr_assert_str_eq(order(), "1f0080 1f0100 ");
}

Test(user_domains, ptt_serves_ports_of_its_own)
{
	char names[512] = "";

	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	cr_assert_eq(pv_sys_attr_list(sys, "hisi_ptt3_1", "root_port_filters", note_name, names), 0);
	cr_expect_str_eq(names, "0000:00:10.0 0000:00:11.0 0000:00:12.0 multiselect ");
	names[0] = '\0';
	cr_assert_eq(pv_sys_attr_list(sys, "hisi_ptt3_1", "requester_filters", note_name, names), 0);
	cr_expect_not(strstr(names, "001f:"), "%s", names);
}

Test(user_domains, sizes_are_those_of_the_function_that_is_named)
{
	sys = pv_sys_boot(&machine.bus, PV_MPS_TUNE_OFF);
	cr_assert_eq(pv_sys_set_mps(sys, D(0x1f, PCI_BDF(1, 0, 0)), 512), 0);
	cr_expect_eq(pv_sys_get_mps(sys, D(0x1f, PCI_BDF(1, 0, 0))), 512);
	cr_expect_eq(pv_sys_get_mps(sys, PCI_BDF(1, 0, 0)), 128);
	cr_expect_eq(pv_sys_get_mps(sys, D(2, PCI_BDF(1, 0, 0))), -PV_ENODEV);
}

Test(user_domains, log_names_the_domain)
{
	const char *line;
	bool found = false;
	size_t i;

	fake_func(&machine, D(0x1f, PCI_BDF(0, 0x10, 0)))->cfg[PCI_SECONDARY_BUS] = 5;
	fake_func(&machine, D(0x1f, PCI_BDF(0, 0x10, 0)))->cfg[PCI_SUBORDINATE_BUS] = 3;
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	for (i = 0; (line = pv_sys_log_line(sys, i)); i++)
		found |= !strncmp(line, "001f:00:10.0: bus numbers 5-3 cannot be right", 45);
	cr_expect(found);
}
