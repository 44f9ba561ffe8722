/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a machine of files in folder "machine", for tests of real machines: a PTT with its PMU, and a Root Port. */
#ifndef PV_CLI_TESTS_MACHINE_H
#define PV_CLI_TESTS_MACHINE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/cli/tests/program/program.h"
#include "framework/pci/tests/build.h"
#include "framework/util/file.h"

static const struct build_func functions[] = {
	{"0000:00:08.0", PCI_EXP_TYPE_RC_END, 512, 128, 512, 0, 0, false},
	{"0000:00:10.0", PCI_EXP_TYPE_ROOT_PORT, 512, 128, 512, 1, 1, false},
	{0},
};

static inline void make_machine(void)
{
	const uint16_t ids[] = {PTT_VENDOR_ID, PTT_DEVICE_ID};

	cr_assert_eq(pv_mkdir_all("machine/sys/bus/pci", 0777), 0);
	build_tree(functions, "machine/sys/bus/pci");
	int fd = open("machine/sys/bus/pci/devices/0000:00:08.0/config", O_WRONLY);
	cr_assert_eq(pwrite(fd, ids, sizeof(ids), PCI_VENDOR_ID), sizeof(ids));
	close(fd);
	cr_assert_eq(program_script("cd machine/sys && pmu=devices/pci0000:00/0000:00:08.0/hisi_ptt0_0 &&"
				    "mkdir -p $pmu/tune bus/event_source/devices && echo 33 >$pmu/type &&"
				    "echo 1 >$pmu/tune/qos_tx_p && ln -s ../../../$pmu bus/event_source/devices"),
		     0, "%s", output);
	cr_assert_eq(program_script("mkdir machine/proc && echo CONFIG_PCI=y | gzip >machine/proc/config.gz"), 0, "%s",
		     output);
}

#endif
