/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a running Linux on a tree of files that looks like its /sys: PMUs, attributes, configuration space,
 * BARs, hot-plug. Events are in test_events.c.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/linux/linux.h"
#include "framework/linux/undo.h"
#include "framework/util/file.h"

static char root[] = "/dev/shm/pv-linux-XXXXXX";
static struct pv_linux *l;
static struct pv_driver *d;
static struct pv_machine *m;

/* ---- the tree ---- */

static void make_folder(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	cr_assert_eq(pv_mkdir_all(full, 0755), 0);
}

static void put(const char *path, const void *data, size_t n)
{
	char full[512], folder[512];
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	make_folder(folder);
	snprintf(full, sizeof(full), "%s/%s", root, path);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	cr_assert_eq(write(fd, data, n), (ssize_t)n);
	close(fd);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

/* Returns the current content of a file. */
static const char *content(const char *path)
{
	static char text[256];
	char full[512];
	int fd;
	ssize_t n;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	fd = open(full, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n] = '\0';
	return text;
}

/* A link in /sys/bus to a folder in /sys/devices, relative as the kernel makes them. */
static void link_to(const char *path, const char *device)
{
	char full[512], target[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(target, sizeof(target), "../../../devices/%s", device);
	*strrchr(full, '/') = '\0';
	cr_assert_eq(pv_mkdir_all(full, 0755), 0);
	full[strlen(full)] = '/';
	cr_assert_eq(symlink(target, full), 0);
}

/* A PMU in the folder of its parent. */
static void add_pmu(const char *parent, const char *name, const char *type)
{
	char path[512];

	snprintf(path, sizeof(path), "sys/devices/%s%s/type", parent, name);
	put_text(path, type);
	snprintf(path, sizeof(path), "%s%s", parent, name);
	char bus[512];
	snprintf(bus, sizeof(bus), "sys/bus/event_source/devices/%s", name);
	link_to(bus, path);
}

static const char *const port = "pci0000:00/0000:00:10.0/", *const ptt = "pci0000:00/0000:00:08.0/",
			 *const cxl = "pci0001:80/0001:80:00.0/0001:81:00.0/";

static void add_function(const char *path, const char *name)
{
	char bus[512], device[512];

	snprintf(device, sizeof(device), "sys/devices/%s", path);
	make_folder(device);
	snprintf(bus, sizeof(bus), "sys/bus/pci/devices/%s", name);
	snprintf(device, sizeof(device), "%.*s", (int)strlen(path) - 1, path);
	link_to(bus, device);
}

static void link_driver(const char *device, const char *driver)
{
	char full[512], target[512];

	snprintf(full, sizeof(full), "%s/sys/devices/%s/driver", root, device);
	snprintf(target, sizeof(target), "%s/sys/bus/pci_express/drivers/%s", root, driver);
	cr_assert_eq(symlink(target, full), 0);
}

static void setup(void)
{
	struct pv_error e = {0};

	strcpy(strrchr(root, '-'), "-XXXXXX");
	cr_assert(mkdtemp(root));
	add_function(ptt, "0000:00:08.0");
	add_function(port, "0000:00:10.0");
	add_function(cxl, "0001:81:00.0");
	add_pmu(ptt, "hisi_ptt0_0", "10\n");
	add_pmu("platform/dwc_pcie_pmu.128/", "dwc_rootport_80", "9\n");
	add_pmu("pci0001:80/0001:80:00.0/0001:81:00.0/pmu_mem0.1/", "cxl_pmu_mem0.1", "8\n");
	add_pmu("", "cxl_pmu_mem7.0", "100\n");
	add_pmu("", "software", "1\n");
	link_to("sys/bus/cxl/devices/mem7", "pci0001:80/0001:80:00.0/0001:81:00.0/mem7");
	make_folder("sys/devices/pci0001:80/0001:80:00.0/0001:81:00.0/mem7");
	put_text("sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/format/filter", "config:0-19\n");
	put_text("sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/format/direction", "config:20-23\n");
	put_text("sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/tune/qos_tx_cpl", "1\n");
	put_text("sys/bus/pci/rescan", "");
	put_text("dev/kmsg", "");
	cr_assert_eq(pv_linux_open(&l, root, &e), 0, "%s", e.text);
	d = pv_linux_driver(l);
	m = pv_linux_machine(l);
}

static void teardown(void)
{
	pv_linux_close(l);
	pv_remove_all(root);
}

TestSuite(linux_sys, .init = setup, .fini = teardown);

/* ---- PMUs ---- */

Test(linux_sys, pmus_of_ours_in_the_order_of_their_types)
{
	static const char *const expected[] = {"cxl_pmu_mem0.1", "dwc_rootport_80", "hisi_ptt0_0", "cxl_pmu_mem7.0"};

	for (size_t i = 0; i < 4; i++)
		cr_expect_str_eq(d->ops->pmu_name(d, i), expected[i]);
	cr_expect_null(d->ops->pmu_name(d, 4));
}

Test(linux_sys, pmus_of_a_large_machine)
{
	char name[32], type[16];
	size_t n = 0;

	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "cxl_pmu_mem%u.0", 1000 + i);
		snprintf(type, sizeof(type), "%u\n", 200 + i);
		add_pmu("", name, type);
	}
	while (d->ops->pmu_name(d, n))
		n++;
	cr_expect_eq(n, 304);
	cr_expect_str_eq(d->ops->pmu_name(d, 303), "cxl_pmu_mem1299.0");
}

Test(linux_sys, parents)
{
	static const struct {
		const char *pmu;
		pv_bdf bdf;
	} expected[] = {
		{"hisi_ptt0_0", 0x40},	     /* by its folder */
		{"cxl_pmu_mem0.1", 0x18100}, /* by the folder of its parent, which is no function */
		{"dwc_rootport_80", 0x80},   /* by its name */
		{"cxl_pmu_mem7.0", 0x18100}, /* by the memory device that its name says */
	};
	pv_bdf bdf;

	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(d->ops->pmu_parent(d, expected[i].pmu, &bdf), 0);
		cr_expect_eq(bdf, expected[i].bdf, "%s: got %x", expected[i].pmu, bdf);
	}
	cr_expect_eq(d->ops->pmu_parent(d, "software", &bdf), -ENODEV);
	cr_expect_eq(d->ops->pmu_parent(d, "none", &bdf), -ENODEV);
	cr_expect_eq(d->ops->pmu_parent(d, "dwc_rootport_80x", &bdf), -ENODEV);
	cr_expect_eq(d->ops->pmu_parent(d, "../devices/hisi_ptt0_0", &bdf), -ENODEV);
}

/* ---- attributes ---- */

Test(linux_sys, attributes_are_read_without_their_newline)
{
	char buf[32];

	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format/filter", buf, sizeof(buf)), 11);
	cr_expect_str_eq(buf, "config:0-19");
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format/filter", buf, 12), 11);
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format/filter", buf, 11), -ENOSPC);
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format/none", buf, sizeof(buf)), -ENOENT);
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format", buf, sizeof(buf)), -EISDIR);
	cr_expect_eq(d->ops->attr_read(d, "none", "format/filter", buf, sizeof(buf)), -ENODEV);
}

Test(linux_sys, attributes_are_written_as_they_are)
{
	static const char path[] = "sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/tune/qos_tx_cpl";

	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/qos_tx_cpl", "2"), 0);
	cr_expect_str_eq(content(path), "2\n", "one byte of two was written over");
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/qos_tx_cpl", ""), 0);
	cr_expect_str_eq(content(path), "\n\n", "nothing is written as echo writes it");
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/none", "2"), -ENOENT);
	cr_expect_eq(d->ops->attr_write(d, "none", "tune/none", "2"), -ENODEV);
}

Test(linux_sys, paths_stay_in_the_folder_of_the_pmu)
{
	char buf[32];

	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "../../../../bus/pci/rescan", buf, sizeof(buf)), -ENOENT);
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "format/..", buf, sizeof(buf)), -ENOENT);
	cr_expect_eq(d->ops->attr_read(d, "hisi_ptt0_0", "/etc/passwd", buf, sizeof(buf)), -ENOENT);
	cr_expect_eq(d->ops->attr_read(d, "..", "type", buf, sizeof(buf)), -ENODEV);
	cr_expect_eq(d->ops->attr_read(d, "", "type", buf, sizeof(buf)), -ENODEV);
}

static void join(void *text, const char *name)
{
	strcat(strcat(text, name), ",");
}

Test(linux_sys, folders_are_listed_sorted)
{
	char names[128] = "";

	cr_expect_eq(d->ops->attr_list(d, "hisi_ptt0_0", "format", join, names), 0);
	cr_expect_str_eq(names, "direction,filter,");
	*names = '\0';
	cr_expect_eq(d->ops->attr_list(d, "hisi_ptt0_0", "", join, names), 0);
	cr_expect_str_eq(names, "format,tune,type,");
	cr_expect_eq(d->ops->attr_list(d, "hisi_ptt0_0", "none", join, names), -ENOENT);
}

/* ---- probing ---- */

Test(linux_sys, a_device_with_its_pmu_was_probed)
{
	const char *why;

	cr_expect_eq(d->ops->probe_status(d, 0x40, 0, &why), 0);
	cr_expect_eq(d->ops->probe_status(d, 0x80, 0, &why), 0);
	cr_expect_eq(d->ops->probe_status(d, 0x18100, 1, &why), 0, "instance 1 of a CXL device");
	cr_expect_eq(d->ops->probe_status(d, 0x18100, 2, &why), -ENOENT);
	cr_expect_eq(d->ops->probe_status(d, 0x40, 1, &why), -ENOENT);
}

Test(linux_sys, a_device_that_nobody_took)
{
	const char *why;

	add_function("pci0000:00/0000:00:18.0/", "0000:00:18.0");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -ENOENT);
	cr_expect_str_eq(why, "no driver is bound, and the kernel's log says nothing");
	cr_expect_eq(d->ops->probe_status(d, 0xc8, 0, &why), -ENOENT);
	cr_expect_str_eq(why, "no device 0000:00:19.0");
	make_folder("sys/bus/pci/drivers/x_driver");
	make_folder("sys/devices/pci0000:00/0000:00:18.0/driver");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -ENODEV);
	cr_expect(strstr(why, "driver is bound, but there is no PMU"), "%s", why);
}

#define AER_RECORD "4,7,9,-;pcieport 0000:00:18.0: AER: Multiple Corrected error received\n"

Test(linux_sys, the_driver_of_a_port_is_not_that_of_its_pmu)
{
	const char *why;

	add_function("pci0000:00/0000:00:18.0/", "0000:00:18.0");
	make_folder("sys/bus/pci_express/drivers/pcieport");
	put_text("dev/kmsg", AER_RECORD);
	link_driver("pci0000:00/0000:00:18.0", "pcieport");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -ENOENT, "%s", why);
	put_text("dev/kmsg", AER_RECORD "3,8,9,-;pcieport 0000:00:18.0: Error -22 registering PMU @c0\n");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -ENODEV);
	cr_expect_str_eq(why, "pcieport 0000:00:18.0: Error -22 registering PMU @c0");
}

Test(linux_sys, the_log_tells_why_a_device_was_refused)
{
	const char *why;

	add_function("pci0000:00/0000:00:18.0/", "0000:00:18.0");
	put_text("dev/kmsg", "4,7,9,-;hisi_ptt 0000:00:18.0: probe with driver hisi_ptt failed with error -12\n");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -ENOMEM);
	cr_expect_str_eq(why, "hisi_ptt 0000:00:18.0: probe with driver hisi_ptt failed with error -12");
	cr_expect_str_eq(d->ops->log_line(d, 0), why);
	cr_expect_null(d->ops->log_line(d, 1));
}

/* EPROBE_DEFER is one that only the kernel knows. */
Test(linux_sys, a_probe_fails_with_any_error_of_the_kernel)
{
	const char *why;

	add_function("pci0000:00/0000:00:18.0/", "0000:00:18.0");
	put_text("dev/kmsg", "4,7,9,-;hisi_ptt 0000:00:18.0: probe with driver hisi_ptt failed with error -517\n");
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -517);
}

/* The log gets a record more, which is read at once: each read of /dev/kmsg is one. */
static void log_record(const char *record)
{
	static char all[1024];

	strcat(strcat(all, record), "\n");
	put_text("dev/kmsg", all);
	d->ops->log_line(d, 0);
}

#define FAILED "hisi_ptt 0000:00:18.0: probe with driver hisi_ptt failed with error -95"
#define REASON "hisi_ptt 0000:00:18.0: requires direct DMA mappings"

/* The reason excludes messages about other devices and those before an older failure. */
Test(linux_sys, a_driver_says_its_reason_before_the_kernel_says_the_error)
{
	const char *why;

	add_function("pci0000:00/0000:00:18.0/", "0000:00:18.0");
	log_record("3,6,9,-;" REASON);
	log_record("3,7,9,-;hisi_ptt 0000:00:19.0: another");
	log_record("4,8,9,-;" FAILED);
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -EOPNOTSUPP);
	cr_expect_str_eq(why, REASON "; " FAILED);
	log_record("4,9,9,-;" FAILED);
	cr_expect_eq(d->ops->probe_status(d, 0xc0, 0, &why), -EOPNOTSUPP);
	cr_expect_str_eq(why, FAILED);
}

Test(linux_sys, instances_of_a_cxl_device_are_told_apart)
{
	static const char cpmu[] = "pci0001:80/0001:80:00.0/0001:81:00.0/pmu_mem7.2";
	char folder[128];
	const char *why;

	snprintf(folder, sizeof(folder), "sys/devices/%s", cpmu);
	make_folder(folder);
	link_to("sys/bus/cxl/devices/pmu_mem7.2", cpmu);
	make_folder("sys/bus/pci_express/drivers/cxl_pci");
	link_driver("pci0001:80/0001:80:00.0/0001:81:00.0", "cxl_pci");
	cr_expect_eq(d->ops->probe_status(d, 0x18100, 3, &why), -ENOENT);
	cr_expect_str_eq(why, "cxl_pci is bound, and has found no CPMU 3");
	cr_expect_eq(d->ops->probe_status(d, 0x18100, 2, &why), -ENODEV);
	cr_expect_str_eq(why, "cxl_pmu has not taken it, and the kernel's log says nothing");
	put_text("dev/kmsg", "3,8,9,-;cxl_pmu pmu_mem7.2: Counters not writable while frozen\n");
	cr_expect_eq(d->ops->probe_status(d, 0x18100, 2, &why), -ENODEV);
	cr_expect_str_eq(why, "cxl_pmu pmu_mem7.2: Counters not writable while frozen");
}

/* Of several lines, or behind a space, it could not be noted, and so not be put back. */
Test(linux_sys, what_cannot_be_put_back_is_not_written)
{
	const char *lines = "sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/tune/lines",
		   *space = "sys/devices/pci0000:00/0000:00:08.0/hisi_ptt0_0/tune/a b";
	struct pv_error e = {0};

	put_text(lines, "1\n2\n");
	put_text(space, "1\n");
	cr_assert_eq(pv_linux_undo_open(l, &e), 0, "%s", e.text);
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/lines", "3"), -EPERM);
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/a b", "3"), -EPERM);
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/qos_tx_cpl", "2"), 0);
	pv_undolog_close(pv_linux_undolog(l));
	cr_expect_eq(d->ops->attr_write(d, "hisi_ptt0_0", "tune/lines", "3"), 0, "nothing is noted now");
}

/* ---- configuration space and BARs ---- */

static uint8_t config[256];

static void put_config(void)
{
	memset(config, 0, sizeof(config));
	config[0] = 0xe5;
	config[1] = 0x19;
	config[PCI_CAPABILITIES] = 0x40;
	config[0x40] = PCI_CAP_ID_MSI;
	config[0x41] = 0x61; /* the lowest bits are reserved */
	config[0x60] = PCI_CAP_ID_EXP;
	config[0x60 + PCI_EXP_DEVCTL] = 1 << PCI_EXP_DEVCTL_MPS_SHIFT;
	config[0x60 + PCI_EXP_DEVCTL + 1] = 5 << (PCI_EXP_DEVCTL_MRRS_SHIFT - 8);
	put("sys/devices/pci0000:00/0000:00:08.0/config", config, sizeof(config));
}

Test(linux_sys, sizes_are_read_from_configuration_space)
{
	put_config();
	cr_expect_eq(d->ops->get_size(d, 0x40, false), 256);
	cr_expect_eq(d->ops->get_size(d, 0x40, true), 4096);
	cr_expect_eq(d->ops->set_size(d, 0x40, true, 128), -EOPNOTSUPP);
	cr_expect_eq(d->ops->get_size(d, 0xc8, true), -ENODEV);
}

/* Through the kernel module, which is there or is not. */
Test(linux_sys, sizes_are_set_by_the_kernel_module)
{
	make_folder("sys/module/pcieval/parameters");
	cr_expect_eq(d->ops->set_size(d, 0x17501, true, 128), -EOPNOTSUPP, "the module has no such parameter");
	put_text("sys/module/pcieval/parameters/mps", "");
	put_text("sys/module/pcieval/parameters/mrrs", "");
	cr_expect_eq(d->ops->set_size(d, 0x17501, true, 4096), 0);
	cr_expect_str_eq(content("sys/module/pcieval/parameters/mrrs"), "0001:75:00.1 4096");
	cr_expect_str_eq(content("sys/module/pcieval/parameters/mps"), "");
	cr_expect_eq(d->ops->set_size(d, 0x40, false, -1), 0);
	cr_expect_str_eq(content("sys/module/pcieval/parameters/mps"), "0000:00:08.0 -1");
}

Test(linux_sys, capabilities_are_behind_the_header)
{
	put_config();
	config[PCI_CAPABILITIES] = 0x20;
	config[0x20] = PCI_CAP_ID_EXP;
	put("sys/devices/pci0000:00/0000:00:08.0/config", config, sizeof(config));
	cr_expect_eq(d->ops->get_size(d, 0x40, false), -ENOENT);
	put("sys/devices/pci0000:00/0000:00:08.0/config", config, 64);
	cr_expect_eq(d->ops->get_size(d, 0x40, false), -EPERM, "as users other than root");
}

Test(linux_sys, capabilities_that_go_round)
{
	put_config();
	config[0x61] = config[0x41] = 0x40;
	config[0x60] = 0;
	put("sys/devices/pci0000:00/0000:00:08.0/config", config, sizeof(config));
	cr_expect_eq(d->ops->get_size(d, 0x40, false), -ENOENT);
}

Test(linux_sys, configuration_space)
{
	uint64_t value;

	put_config();
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 0, 2, &value), 0);
	cr_expect_eq(value, 0x19e5);
	cr_expect_eq(m->ops->reg_write(m, 0x40, -1, 4, 4, 0x11223344), 0);
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 4, 4, &value), 0);
	cr_expect_eq(value, 0x11223344);
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 5, 1, &value), 0);
	cr_expect_eq(value, 0x33);
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 1, 2, &value), -EINVAL, "not aligned");
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 0, 3, &value), -EINVAL);
	cr_expect_eq(m->ops->reg_read(m, 0x40, -1, 256, 4, &value), -EINVAL, "past the end");
	cr_expect_eq(m->ops->reg_read(m, 0xc8, -1, 0, 4, &value), -ENODEV);
}

Test(linux_sys, bars)
{
	static const uint8_t bar[4096] = {[8] = 0x78, [9] = 0x56, [10] = 0x34, [11] = 0x12, [4095] = 0xff};
	uint64_t value;

	put_config();
	put("sys/devices/pci0000:00/0000:00:08.0/resource2", bar, sizeof(bar));
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 8, 4, &value), 0);
	cr_expect_eq(value, 0x12345678);
	cr_expect_eq(m->ops->reg_write(m, 0x40, 2, 16, 8, 0x8877665544332211), 0);
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 20, 2, &value), 0);
	cr_expect_eq(value, 0x6655);
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 4095, 1, &value), 0);
	cr_expect_eq(value, 0xff);
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 4096, 1, &value), -EINVAL);
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 4092, 8, &value), -EINVAL);
	cr_expect_eq(m->ops->reg_read(m, 0x40, 0, 0, 4, &value), -ENODEV, "no such BAR");
	cr_expect_eq(m->ops->reg_read(m, 0x40, 6, 0, 4, &value), -EINVAL);
}

/* As on a kernel with 64 KiB pages: its file maps the page that contains it. */
Test(linux_sys, a_bar_that_begins_within_a_page)
{
	static const uint8_t page[4096] = {[0] = 0x11, [0x40] = 0x22};
	uint64_t value;

	put_config();
	config[PCI_BAR(2)] = 0x40 | PCI_BAR_64;
	put("sys/devices/pci0000:00/0000:00:08.0/config", config, sizeof(config));
	put("sys/devices/pci0000:00/0000:00:08.0/resource2", page, sizeof(page));
	cr_expect_eq(m->ops->reg_read(m, 0x40, 2, 0, 1, &value), 0);
	cr_expect_eq(value, 0x22);
	cr_expect_eq(m->ops->reg_write(m, 0x40, 2, 1, 1, 0x33), 0);
	cr_expect_eq(content("sys/devices/pci0000:00/0000:00:08.0/resource2")[0x41], 0x33);
}

/* ---- hot-plug and time ---- */

Test(linux_sys, rescan_and_remove_are_written)
{
	put_text("sys/devices/pci0000:00/0000:00:08.0/remove", "");
	cr_expect_eq(d->ops->rescan(d), 0);
	cr_expect_str_eq(content("sys/bus/pci/rescan"), "1");
	cr_expect_eq(d->ops->remove(d, 0x40), 0);
	cr_expect_str_eq(content("sys/devices/pci0000:00/0000:00:08.0/remove"), "1");
	cr_expect_eq(d->ops->remove(d, 0xc8), -ENODEV);
}

Test(linux_sys, a_slot_that_is_filled)
{
	cr_expect_eq(d->ops->slot_event(d, 0xc8), -ENODEV, "no such port");
	make_folder("sys/devices/pci0000:00/0000:00:10.0/0000:00:10.0:pcie004");
	cr_expect_eq(d->ops->slot_event(d, 0x80), -ENODEV, "a service of the port is not what is in its slot");
	make_folder("sys/devices/pci0000:00/0000:00:10.0/0000:01:00.0");
	cr_expect_eq(d->ops->slot_event(d, 0x80), 0);
	cr_expect_eq(d->ops->gone(d, 0x100), 0);
}

Test(linux_sys, the_number_of_vfs_is_written)
{
	cr_expect_eq(d->ops->set_vfs(d, 0x40, 2), -ENOENT, "no physical function, or one without a driver");
	put_text("sys/devices/pci0000:00/0000:00:08.0/sriov_numvfs", "");
	cr_expect_eq(d->ops->set_vfs(d, 0x40, 16), 0);
	cr_expect_str_eq(content("sys/devices/pci0000:00/0000:00:08.0/sriov_numvfs"), "16");
	cr_expect_eq(d->ops->set_vfs(d, 0xc8, 1), -ENODEV);
}

Test(linux_sys, a_device_is_gone_with_its_last_function)
{
	int fds[2];

	make_folder("sys/bus/pci/devices/0000:01:01.1");
	cr_expect_eq(d->ops->gone(d, 0x200), 0, "another bus");
	cr_expect_eq(d->ops->gone(d, 0xc8), 0, "a root bus has no slot");
	cr_assert_eq(pipe(fds), 0);
	pv_linux_serve(l, fds[0]);
	close(fds[1]);
	cr_expect_eq(d->ops->gone(d, 0x100), -EPIPE, "it waited until nobody asked any more");
	close(fds[0]);
}

Test(linux_sys, a_wait_past_the_end_of_the_clock)
{
	cr_expect_eq(m->ops->wait(m, 0), 0);
	cr_expect_eq(m->ops->wait(m, 1000), 0);
	cr_expect_eq(m->ops->wait(m, UINT64_MAX), -EOVERFLOW);
	cr_expect_eq(m->ops->wait(m, INT64_MAX), -EOVERFLOW);
}

/* A wait ends when the client hangs up: the undo comes after it, and the next far side waits for the undo. */
Test(linux_sys, a_wait_that_nobody_waits_for)
{
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	pv_linux_serve(l, fds[0]);
	cr_expect_eq(m->ops->wait(m, 1000), 0);
	close(fds[1]);
	cr_expect_eq(m->ops->wait(m, 2000000000), -EPIPE);
	close(fds[0]);
}

Test(linux_sys, a_system_without_sysfs)
{
	struct pv_linux *other;
	struct pv_error e = {0};

	cr_expect_eq(pv_linux_open(&other, "/nonexistent", &e), -ENOENT);
	cr_expect(strstr(e.text, "is sysfs mounted?"), "%s", e.text);
}
