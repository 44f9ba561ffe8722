/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests environment.c on a tree of files that looks like /sys and /proc, and on an incomplete one. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/linux/linux.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

static char root[] = "/dev/shm/pv-environment-XXXXXX";

static void put(const char *path, const void *data, size_t n)
{
	char full[512], folder[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(full, '/') - full), full);
	cr_assert_eq(pv_mkdir_all(folder, 0755), 0);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	cr_assert_eq(write(fd, data, n), (ssize_t)n);
	close(fd);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void link_to(const char *path, const char *target)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	cr_assert_eq(symlink(target, full), 0);
}

static void attr(const char *function, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", function, name);
	put_text(path, text);
}

/* An endpoint: MPS 256 of 512, MRRS 4096. */
static void add_function(void)
{
	uint8_t space[256] = {[0x34] = 0x40, [0x40] = 0x10, [0x44] = 0x02, [0x48] = 0x20, [0x49] = 0x50};

	attr("0000:01:00.0", "class", "0x010802\n");
	attr("0000:01:00.0", "vendor", "0x144d\n");
	attr("0000:01:00.0", "device", "0xa80a\n");
	attr("0000:01:00.0", "max_link_speed", "16.0 GT/s PCIe\n");
	attr("0000:01:00.0", "max_link_width", "4\n");
	attr("0000:01:00.0", "current_link_speed", "8.0 GT/s PCIe\n");
	attr("0000:01:00.0", "current_link_width", "2\n");
	attr("0000:01:00.0", "numa_node", "1\n");
	put("sys/bus/pci/devices/0000:01:00.0/config", space, sizeof(space));
}

static void setup(void)
{
	cr_assert_not_null(mkdtemp(root));
	put_text("sys/bus/pci/devices/none", "");
}

static void teardown(void)
{
	pv_remove_all(root);
}

TestSuite(environment, .init = setup, .fini = teardown, .timeout = 60);

/* Returns the whole output; it is valid until the next call. */
static const char *said(void)
{
	static char *text;
	size_t n;
	struct pv_linux *l;
	struct pv_error e;

	free(text);
	FILE *f = open_memstream(&text, &n);
	cr_assert_eq(pv_linux_open(&l, root, &e), 0);
	cr_expect_eq(pv_linux_environment(l, f), 0);
	fclose(f);
	pv_linux_close(l);
	return text;
}

static void expect_line(const char *line)
{
	const char *text = said();

	cr_expect(strstr(text, line), "expected\n%sgot\n%s", line, text);
}

Test(environment, the_kernel)
{
	put_text("proc/sys/kernel/osrelease", "6.12.0\n");
	put_text("proc/cmdline", "root=/dev/sda\tpci=pcie_bus_perf\n");
	put_text("proc/sys/kernel/tainted", "12289\n");
	expect_line("kernel\t6.12.0\n");
	expect_line("command line\troot=/dev/sda pci=pcie_bus_perf\n");
	expect_line("taint\t12289 P O E\n");
}

#define HEAD "#\n# Linux/arm64 6.12.0 Kernel Configuration\n#\n"

/* The policy without an argument: the choice of drivers/pci/Kconfig. */
Test(environment, the_mps_policy_that_is_built_in)
{
	static const char *const choices[][2] = {
		{"CONFIG_PCI=y\nCONFIG_PCIE_BUS_PERFORMANCE=y\n", "perf"},
		{"CONFIG_PCI=y\n# CONFIG_PCIE_BUS_PERFORMANCE is not set\nCONFIG_PCIE_BUS_SAFE=y\n", "safe"},
		{"CONFIG_PCI=y\nCONFIG_PCIE_BUS_TUNE_OFF=y\n", "tune_off"},
		{"CONFIG_PCI=y\nCONFIG_PCIE_BUS_PEER2PEER=y", "peer2peer"},
		{"CONFIG_PCI=y\nCONFIG_PCIE_BUS_DEFAULT=y\n", "default"},
		{"CONFIG_PCI=y\n", "default"}, /* of a kernel without the choice */
	};

	put_text("proc/sys/kernel/osrelease", "6.12.0\n");
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		char config[256], line[128];

		snprintf(config, sizeof(config), HEAD "%s", choices[i][0]);
		put_text("boot/config-6.12.0", config);
		snprintf(line, sizeof(line), "MPS policy built in\t%s (boot/config-6.12.0)\n", choices[i][1]);
		expect_line(line);
	}
}

/* /boot may have the configuration of another kernel with the same release. */
Test(environment, the_running_kernels_own_configuration_comes_first)
{
	char command[256];

	put_text("proc/sys/kernel/osrelease", "6.12.0\n");
	put_text("lib/modules/6.12.0/config", HEAD "CONFIG_PCI=y\nCONFIG_PCIE_BUS_SAFE=y\n");
	expect_line("MPS policy built in\tsafe (lib/modules/6.12.0/config)\n");
	put_text("boot/config-6.12.0", HEAD "CONFIG_PCI=y\nCONFIG_PCIE_BUS_PEER2PEER=y\n");
	expect_line("MPS policy built in\tpeer2peer (boot/config-6.12.0)\n");
	snprintf(command, sizeof(command),
		 "printf 'CONFIG_PCI=y\\nCONFIG_PCIE_BUS_PERFORMANCE=y\\n' | gzip >%s/proc/config.gz", root);
	cr_assert_eq(system(command), 0);
	expect_line("MPS policy built in\tperf (proc/config.gz)\n");
	put_text("proc/config.gz", "not gzip");
	expect_line("MPS policy built in\tpeer2peer (boot/config-6.12.0)\n");
}

Test(environment, no_configuration_no_policy)
{
	put_text("proc/sys/kernel/osrelease", "6.12.0\n");
	cr_expect_null(strstr(said(), "MPS policy"));
	put_text("boot/config-6.11.0", HEAD "CONFIG_PCI=y\n");
	put_text("boot/config-6.12.0", "# CONFIG_PCI=y\nNOT_CONFIG_PCI=y\nCONFIG_PCI=yes\n");
	cr_expect_null(strstr(said(), "MPS policy"), "not the configuration of a kernel with PCI");
}

Test(environment, firmware_where_it_is_known)
{
	cr_expect_null(strstr(said(), "firmware"));
	put_text("sys/class/dmi/id/bios_vendor", "ACME\n");
	put_text("sys/class/dmi/id/bios_date", "01/02/2026\n");
	expect_line("firmware\tACME 01/02/2026\n");
	put("sys/firmware/devicetree/base/model", "Board 7", sizeof("Board 7"));
	expect_line("system\tBoard 7");
}

Test(environment, governors)
{
	expect_line("CPU governor\tnone: no cpufreq\n");
	put_text("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
	put_text("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
	expect_line("CPU governor\tperformance (from policy0 on)\n");
	put_text("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "powersave\n");
	expect_line("CPU governor\tperformance (from policy0 on), powersave (from policy2 on)\n");
}

Test(environment, nodes)
{
	put_text("sys/devices/system/node/node0/cpulist", "0-3\n");
	put_text("sys/devices/system/node/node1/cpulist", "\n");
	put_text("sys/devices/system/node/possible", "0-1\n");
	expect_line("NUMA node0\tCPUs 0-3\n");
	expect_line("NUMA node1\tno CPUs\n");
	cr_expect_null(strstr(said(), "possible"));
}

Test(environment, modules)
{
	put_text("sys/module/hisi_ptt/initstate", "live\n");
	put_text("sys/module/hisi_ptt/srcversion", "1234ABCD\n");
	put_text("sys/module/cxl_core/parameters/x", "1\n");
	expect_line("module hisi_ptt\tloaded, srcversion 1234ABCD\n");
	expect_line("module cxl_core\tbuilt in\n");
	cr_expect_null(strstr(said(), "cxl_pmu"));
}

Test(environment, the_module_of_a_bound_driver)
{
	add_function();
	put_text("sys/bus/pci/drivers/nvme/x", "");
	put_text("sys/module/nvme/initstate", "live\n");
	put_text("sys/module/nvme/version", "1.0\n");
	link_to("sys/bus/pci/drivers/nvme/module", "../../../../module/nvme");
	link_to("sys/bus/pci/devices/0000:01:00.0/driver", "../../drivers/nvme");
	expect_line("module nvme\tloaded, version 1.0\n");
	expect_line(", driver nvme, NUMA node 1\n");
}

Test(environment, a_function)
{
	add_function();
	expect_line("pci 0000:01:00.0\tclass 0x010802, ids 0x144d 0xa80a, link 8.0 GT/s x2 of at most 16.0 GT/s x4, "
		    "MPS 256 of 512, MRRS 4096, NUMA node 1\n");
	attr("0000:01:00.0", "current_link_speed", "Unknown\n");
	expect_line("link down of at most 16.0 GT/s x4");
	put_text("sys/bus/pci/devices/0000:01:00.0/iommu_group/type", "DMA-FQ\n");
	expect_line(", NUMA node 1, IOMMU DMA-FQ\n");
}

Test(environment, a_function_below_another)
{
	put_text("sys/devices/pci0000:00/0000:00:01.0/0000:02:00.0/class", "0x020000\n");
	link_to("sys/bus/pci/devices/0000:02:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:02:00.0");
	expect_line("pci 0000:02:00.0\tbelow 0000:00:01.0, class 0x020000");
}

Test(environment, what_cannot_be_read_is_said)
{
	static const uint8_t begin[64];

	add_function();
	put("sys/bus/pci/devices/0000:01:00.0/config", begin, sizeof(begin));
	expect_line("kernel log\tnot readable: what the kernel logs during a case does not fail it\n");
	expect_line("not readable\t0000:01:00.0 (EPERM)\n");
	put_text("proc/cmdline/is", "a folder");
	expect_line("not readable\tproc/cmdline (EISDIR), 0000:01:00.0 (EPERM)\n");
	put_text("dev/kmsg/is", "a folder");
	expect_line("kernel log\tnot readable: what the kernel logs during a case does not fail it\n");
}

static void add_pmu(const char *name, const char *type)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/devices/pci0000:75/0000:75:00.1/%s/type", name);
	put_text(path, type);
	snprintf(target, sizeof(target), "../../../devices/pci0000:75/0000:75:00.1/%s", name);
	put_text("sys/bus/event_source/devices/none", "");
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s", name);
	link_to(path, target);
}

Test(environment, pmus_with_what_their_drivers_show)
{
	add_pmu("hisi_ptt2_1", "10\n");
	add_pmu("cxl_pmu_mem3.0", "11\n");
	add_pmu("cpu", "4\n");
	put_text("sys/devices/pci0000:75/0000:75:00.1/hisi_ptt2_1/root_port_filters/0000:75:03.0", "");
	put_text("sys/devices/pci0000:75/0000:75:00.1/hisi_ptt2_1/root_port_filters/multiselect", "");
	put_text("sys/devices/pci0000:75/0000:75:00.1/cxl_pmu_mem3.0/events/clock_ticks", "");
	put_text("sys/devices/pci0000:75/0000:75:00.1/cxl_pmu_mem3.0/events/clock_ticks.unit", "");
	expect_line("PMU hisi_ptt2_1\tat 0000:75:00.1, ports 0000:75:03.0\n");
	expect_line("PMU cxl_pmu_mem3.0\tat 0000:75:00.1, events clock_ticks\n");
	cr_expect_null(strstr(said(), "PMU cpu"));
}

Test(environment, a_readable_log_is_no_news)
{
	put_text("dev/kmsg", "");
	cr_expect_null(strstr(said(), "kernel log"));
}

Test(environment, many_that_cannot_be_read)
{
	char name[32];

	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "0000:0%x:00.0", i);
		attr(name, "class", "0x020000\n");
	}
	expect_line("0000:07:00.0 (ENODEV) and 4 more\n");
}

/* No fact is worth a read past the end of a capability list that leads in a circle. */
Test(environment, a_capability_list_without_end)
{
	uint8_t space[256] = {[0x34] = 0x40, [0x40] = 0x01, [0x41] = 0x40};

	put("sys/bus/pci/devices/0000:01:00.0/config", space, sizeof(space));
	expect_line("pci 0000:01:00.0\t\n");
	space[0x34] = 0xfc;
	space[0xfc] = 0x10;
	put("sys/bus/pci/devices/0000:01:00.0/config", space, sizeof(space));
	cr_expect_null(strstr(said(), "MPS"));
}
