/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model target as a whole: boots and reboots, images of configuration space, hot-plug, artefacts. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "framework/target/model.h"
#include "framework/target/reg_names.h"
#include "framework/util/file.h"

static const char message[] =
	"{\"seed\":1,\"topology\":{\"nodes\":["
	"{\"id\":0,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"
	"\"subordinate\":1,"
	"\"mpss\":512,\"hotplug\":true},"
	"{\"id\":1,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0,\"mpss\":256},"
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"nic1\",\"bdf\":\"01:00.0\",\"parent\":0,\"mpss\":256,\"spare\":"
	"true},"
	"{\"id\":3,\"kind\":\"endpoint\",\"name\":\"nic1.1\",\"bdf\":\"01:00.1\",\"parent\":0,\"mpss\":256,\"spare\":"
	"true}]}}";

static struct pv_target *t;

static void setup(void)
{
	struct pv_error e = {0};
	json_object *msg = json_tokener_parse(message);

	cr_assert_eq(pv_target_model.open(&t, msg, &e), 0, "%s", e.text);
	json_object_put(msg);
}

static void teardown(void)
{
	t->ops->close(t);
}

TestSuite(model_target, .init = setup, .fini = teardown);

#define RP0 0x0080
#define NIC 0x0100

static void boot(enum pv_mps_policy policy)
{
	struct pv_error e = {0};

	cr_assert_eq(t->machine->ops->boot(t->machine, policy, &e), 0, "%s", e.text);
}

/* Returns true if the machine has the function, according to its configuration space. */
static bool present(pv_bdf bdf)
{
	uint64_t id = 0;

	t->machine->ops->reg_read(t->machine, bdf, -1, 0, 4, &id);
	return id != 0xffffffffu;
}

Test(model_target, the_machine_is_there_before_the_driver)
{
	cr_expect(present(RP0));
	cr_expect(present(NIC));
	cr_expect_not(present(0x0101), "a spare is not there at start");
}

Test(model_target, a_wait_past_the_end_of_the_clock_is_refused)
{
	const uint64_t far = UINT64_MAX / 1000; /* in picoseconds it would come round to nearly nothing */
	const uint64_t start = t->machine->ops->now_ps(t->machine);

	cr_assert_eq(t->machine->ops->wait(t->machine, 5), 0);
	cr_assert_eq(t->machine->ops->now_ps(t->machine), start + 5000);
	cr_expect_eq(t->machine->ops->wait(t->machine, far), -EOVERFLOW);
	cr_expect_eq(t->workload->ops->irq_latency(t->workload, far), -EOVERFLOW);
	cr_expect_eq(t->machine->ops->wait(t->machine, UINT64_MAX), -EOVERFLOW);
	cr_expect_eq(t->workload->ops->link_state(t->workload, RP0, PV_LTSSM_L1, UINT64_MAX), -EOVERFLOW);
	cr_expect_eq(t->machine->ops->now_ps(t->machine), start + 5000, "no time has passed");
}

Test(model_target, a_reboot_starts_from_reset_again)
{
	struct pv_cfg_image *first, *again;
	size_t n, m;

	boot(PV_MPS_PERFORMANCE);
	cr_expect_eq(t->driver->ops->get_size(t->driver, NIC, false), 256);
	cr_assert_eq(t->truth->ops->reset_images(t->truth, &first, &n), 0);
	boot(PV_MPS_TUNE_OFF);
	cr_expect_eq(t->driver->ops->get_size(t->driver, NIC, false), 128);
	cr_assert_eq(t->truth->ops->reset_images(t->truth, &again, &m), 0);
	cr_assert_eq(n, m);
	for (size_t i = 0; i < n; i++)
		cr_expect_arr_eq(first[i].data, again[i].data, sizeof(first[i].data), "function %04x", first[i].bdf);
	free(first);
	free(again);
}

Test(model_target, a_function_can_be_unplugged_and_another_plugged)
{
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(t->workload->ops->unplug(t->workload, NIC), 0);
	cr_expect_eq(t->driver->ops->gone(t->driver, NIC), 0);
	cr_expect_not(present(NIC));
	cr_expect_lt(t->workload->ops->unplug(t->workload, NIC), 0, "it is gone");
	cr_expect_eq(t->workload->ops->plug(t->workload, pv_topology_node(t->topology, "nic1")), 0);
	cr_expect_eq(t->driver->ops->get_size(t->driver, 0x0101, false), -ENODEV, "nobody told the driver");
	cr_expect_eq(t->driver->ops->slot_event(t->driver, 0x0080), 0);
	cr_expect_eq(t->driver->ops->slot_event(t->driver, 0x1234), -ENODEV);
	cr_expect(present(NIC));
	cr_expect(present(0x0101), "functions of a device come together");
	cr_expect_gt(t->driver->ops->get_size(t->driver, 0x0101, false), 0, "the driver was told");
}

Test(model_target, what_was_unplugged_can_come_back)
{
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(t->workload->ops->unplug(t->workload, NIC), 0);
	cr_expect_eq(t->driver->ops->gone(t->driver, NIC), 0);
	cr_expect_eq(t->workload->ops->plug(t->workload, pv_topology_node(t->topology, "nic0")), 0);
	cr_expect(present(NIC));
}

Test(model_target, time_passes_for_long_waits_as_well)
{
	boot(PV_MPS_DEFAULT);
	uint64_t now = t->machine->ops->now_ps(t->machine);
	cr_expect_eq(t->machine->ops->wait(t->machine, 500000000), 0);
	cr_expect_geq(t->machine->ops->now_ps(t->machine), now + 500 * PV_PS_PER_MS);
}

static void ignore(void *ctx, const char *path)
{
}

static unsigned noted;

static void note(void *ctx, const char *path)
{
	struct stat st;

	noted++;
	cr_expect_eq(stat(path, &st), 0);
	cr_expect_gt(st.st_size, 0);
	unlink(path);
}

Test(model_target, artefacts_are_the_ledger_and_the_registers)
{
	char folder[] = "/tmp/pcieval-target-XXXXXX";

	cr_assert(mkdtemp(folder));
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(t->truth->ops->save(t->truth, folder, note, NULL), 0);
	cr_expect_eq(noted, 2);
	rmdir(folder);
}

Test(model_target, registers_have_names)
{
	char buf[64];

	cr_expect_str_eq(pv_reg_name(PV_NODE_PTT, 2, 0x850, NULL, buf, sizeof(buf)), "TRACE_CTRL");
	cr_expect_str_eq(pv_reg_name(PV_NODE_PTT, 2, 0x81c, NULL, buf, sizeof(buf)), "TRACE_ADDR_BASE_HI 1");
	cr_expect_str_eq(pv_reg_name(PV_NODE_PTT, 2, 0x854, NULL, buf, sizeof(buf)), "");
	cr_expect_str_eq(pv_reg_name(PV_NODE_CXL_MEM, 0, 0x1130, NULL, buf, sizeof(buf)), "CXL_HDM_BASE_LO 1");
	cr_expect_str_eq(pv_reg_name(PV_NODE_CXL_MEM, 0, 0x10104, NULL, buf, sizeof(buf)), "CXL_MB_CTRL");
	cr_expect_str_eq(pv_reg_name(PV_NODE_CXL_MEM, 0, 0x10318, NULL, buf, sizeof(buf)), "CXL_MB_PAYLOAD 63");
	cr_expect_str_eq(pv_reg_name(PV_NODE_CXL_MEM, 0, 0x10320, NULL, buf, sizeof(buf)), "");
	cr_expect_str_eq(pv_reg_name(PV_NODE_CXL_MEM, 0, 0x20208, NULL, buf, sizeof(buf)), "COUNTER_CFG 1");
	cr_expect_str_eq(pv_reg_name(PV_NODE_ENDPOINT, 0xff, 4, NULL, buf, sizeof(buf)), "PCI_COMMAND");
}

static const char *config_name(const uint8_t *cfg, uint32_t off)
{
	static char buf[64];

	return pv_reg_name(PV_NODE_ENDPOINT, 0xff, off, cfg, buf, sizeof(buf));
}

Test(model_target, registers_of_capabilities_have_names_wherever_they_stand)
{
	static uint8_t cfg[4096] = {
		[PCI_STATUS] = PCI_STATUS_CAP_LIST,
		[PCI_CAPABILITIES] = 0x80, /* Express, then MSI before it */
		[0x80] = PCI_CAP_ID_EXP,
		[0x81] = 0x50,
		[0x50] = PCI_CAP_ID_MSI,
		[0x100] = PCI_EXT_CAP_ID_AER,
		[0x103] = 0x20 /* next: 0x200 */,
		[0x200] = PCI_EXT_CAP_ID_VSEC,
		[0x203] = 0x30 /* next: 0x300 */,
		[0x204] = DWC_VSEC_ID,
		[0x206] = DWC_VSEC_REV,
		[0x300] = PCI_EXT_CAP_ID_DVSEC,
		[0x304] = 0x98,
		[0x305] = 0x1e,
		[0x308] = CXL_DVSEC_REG_LOCATOR_ID,
	};

	cr_expect_str_eq(config_name(cfg, 0x80), "PCI_EXP header");
	cr_expect_str_eq(config_name(cfg, 0x88), "PCI_EXP_DEVCTL");
	cr_expect_str_eq(config_name(cfg, 0x84), "PCI_EXP_DEVCAP");
	cr_expect_str_eq(config_name(cfg, 0x52), "PCI_MSI_FLAGS");
	cr_expect_str_eq(config_name(cfg, 0x104), "PCI_AER_UNCOR_STATUS");
	cr_expect_str_eq(config_name(cfg, 0x120), "PCI_AER_HEADER_LOG 1");
	cr_expect_str_eq(config_name(cfg, 0x208), "DWC_EVENT_CNT_CTL");
	cr_expect_str_eq(config_name(cfg, 0x218), "DWC_TIME_BASED_DATA_HI");
	cr_expect_str_eq(config_name(cfg, 0x318), "CXL_REG_LOCATOR high 1");
	cr_expect_str_eq(config_name(cfg, 0x89), "", "in the middle of one");
	cr_expect_str_eq(config_name(cfg, 0x48), "", "before all capabilities");
	cr_expect_str_eq(config_name(NULL, 0x88), "");
	cfg[0x206] = DWC_VSEC_REV + 1;
	cr_expect_str_eq(config_name(cfg, 0x208), "", "another VSEC, whose registers are not known");
	cr_expect_str_eq(config_name(cfg, 0x204), "PCI_VSEC_HEADER");
	cfg[PCI_STATUS] = 0;
	cr_expect_str_eq(config_name(cfg, 0x88), "");
}

Test(model_target, lists_of_capabilities_that_make_no_sense_end)
{
	static uint8_t cfg[4096];

	memset(cfg, 0xff, sizeof(cfg));
	cr_expect_str_eq(config_name(cfg, 0xfff), "");
	cr_expect_str_eq(config_name(cfg, 0xff), "");
	memset(cfg, 0, sizeof(cfg));
	cfg[PCI_STATUS] = PCI_STATUS_CAP_LIST;
	cfg[PCI_CAPABILITIES] = 0x40;
	cfg[0x41] = 0x40;
	cfg[0x103] = 0x10; /* itself */
	cr_expect_str_eq(config_name(cfg, 0x60), "");
	cr_expect_str_eq(config_name(cfg, 0x160), "");
}

/* The log grows, then forgets the oldest. */
Test(model_target, the_register_log_keeps_the_newest)
{
	const struct pv_reg_ring *r = &((struct pv_model_target *)t)->hw.regs;
	uint64_t value;

	boot(PV_MPS_DEFAULT);
	uint64_t begin = r->noted;
	for (unsigned i = 0; i < 70000; i++) {
		cr_assert_eq(t->machine->ops->reg_read(t->machine, RP0, -1, i % 61 * 4, 4, &value), 0);
		if (i != 5000 && i != 69999)
			continue;
		cr_expect_eq(pv_reg_ring_first(r), i == 5000 ? 0 : r->noted - PV_REG_RING);
		for (uint64_t k = pv_reg_ring_first(r) > begin ? pv_reg_ring_first(r) : begin; k < r->noted; k++)
			cr_assert_eq(pv_reg_ring_at(r, k)->offset, (k - begin) % 61 * 4);
	}
	cr_expect_eq(r->noted, begin + 70000);
}

/* The log of a real boot: every register that the driver accesses has a name. */
Test(model_target, the_register_log_names_all_that_the_driver_does)
{
	char folder[] = "/tmp/pcieval-target-XXXXXX", path[64], line[256], name[64] = "";
	unsigned lines = 0, devctl = 0;

	cr_assert(mkdtemp(folder));
	boot(PV_MPS_PERFORMANCE);
	cr_assert_eq(t->truth->ops->save(t->truth, folder, ignore, NULL), 0);
	snprintf(path, sizeof(path), "%s/registers.txt", folder);
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || !strstr(line, "00:10.0") || strstr(line, "0xffff\n"))
			continue;
		lines++;
		cr_expect_eq(sscanf(line, "%*s %*s config %*s %*s %63[A-Z0-9_/]", name), 1, "no name in: %s", line);
		devctl += !strcmp(name, "PCI_EXP_DEVCTL");
	}
	fclose(f);
	cr_expect_gt(lines, 10);
	cr_expect_geq(devctl, 2);
	pv_remove_all(folder);
}
