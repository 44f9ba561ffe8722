/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bus of the reference driver on a tree of files that looks like /sys: functions, configuration space, BARs, drivers. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/linux/bus.h"
#include "framework/util/file.h"

#define FUNC PCI_BDF(1, 0, 0)

static char root[] = "/dev/shm/pv-bus-XXXXXX";
static struct pv_linux *l;
static struct pv_linux_bus *b;
static const struct pv_bus *bus;

static void put(const char *path, const void *data, size_t n)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%.*s", root, (int)(strrchr(path, '/') - path), path);
	cr_assert_eq(pv_mkdir_all(full, 0755), 0);
	snprintf(full, sizeof(full), "%s/%s", root, path);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	cr_assert_eq(write(fd, data, n), (ssize_t)n);
	close(fd);
}

static const char *content(const char *path)
{
	static char text[64];
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	int fd = open(full, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

/* A function with 4 KiB of configuration space and a BAR 2 of 8 KiB. */
static void add(const char *name)
{
	static const uint8_t space[8192] = {0x36, 0x1b, 0x93, 0x0d};
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/config", name);
	put(path, space, 4096);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/resource2", name);
	put(path, space, 8192);
}

static void bind(void)
{
	char full[512];

	put("sys/bus/pci/drivers/cxl_pci/unbind", "", 0);
	put("sys/bus/pci/drivers/cxl_pci/bind", "", 0);
	snprintf(full, sizeof(full), "%s/sys/bus/pci/devices/0000:01:00.0/driver", root);
	cr_assert_eq(symlink("../../drivers/cxl_pci", full), 0);
}

static void setup(void)
{
	struct pv_error e = {0};

	cr_assert_not_null(mkdtemp(root));
	add("0000:01:00.0");
	add("0002:05:1f.7");
	put("sys/bus/pci/devices/0000:01:00.0/other", "", 0);
	bind();
	cr_assert_eq(pv_linux_open(&l, root, &e), 0, "%s", e.text);
	cr_assert_eq(pv_linux_bus_open(&b, l, &e), 0, "%s", e.text);
	bus = pv_linux_bus_of(b);
}

static void teardown(void)
{
	pv_linux_bus_close(b);
	pv_linux_close(l);
	pv_remove_all(root);
}

TestSuite(bus, .init = setup, .fini = teardown);

Test(bus, domains_are_those_of_functions)
{
	cr_assert_eq(bus->n_domains, 2);
	cr_expect_eq(bus->domains[0], 0);
	cr_expect_eq(bus->domains[1], 2);
}

Test(bus, configuration_space_is_read_and_written)
{
	cr_expect_eq(bus->cfg_read(bus->ctx, FUNC, 0, 4), 0x0d931b36);
	bus->cfg_write(bus->ctx, FUNC, 0x44, 4, 0x11223344);
	bus->cfg_write(bus->ctx, FUNC, 0x44, 2, 0xbeef);
	cr_expect_eq(bus->cfg_read(bus->ctx, FUNC, 0x44, 4), 0x1122beef);
	cr_expect_eq(bus->cfg_read(bus->ctx, FUNC, 0x45, 1), 0xbe);
}

Test(bus, an_empty_place_reads_all_ones)
{
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_BDF(1, 0, 1), 0, 2), 0xffff);
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_BDF(1, 0, 1), 0, 4), 0xffffffff);
	cr_expect_eq(bus->cfg_read(bus->ctx, FUNC, 4096, 1), 0xff, "past the end");
}

Test(bus, functions_come_and_go_when_it_is_refreshed)
{
	char full[512];

	add("0001:00:00.0");
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_IN_DOMAIN(1, 0), 0, 2), 0xffff);
	cr_assert_eq(pv_linux_bus_refresh(b), 0);
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_IN_DOMAIN(1, 0), 0, 2), 0x1b36);
	cr_expect_eq(bus->n_domains, 3);

	snprintf(full, sizeof(full), "%s/sys/bus/pci/devices/0001:00:00.0", root);
	pv_remove_all(full);
	cr_assert_eq(pv_linux_bus_refresh(b), 0);
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_IN_DOMAIN(1, 0), 0, 2), 0xffff);
	cr_expect_eq(bus->n_domains, 2);
}

Test(bus, a_bar_is_mapped_and_its_function_taken_and_given_back)
{
	cr_expect_eq(bus->bar_map(bus->ctx, FUNC, 0, 0, 16), -ENODEV);
	cr_expect_eq(bus->bar_map(bus->ctx, FUNC, 2, 8192 - 8, 16), -EINVAL);
	cr_assert_eq(bus->bar_map(bus->ctx, FUNC, 2, 0x1010, 16), 0);
	cr_expect_str_eq(content("sys/bus/pci/drivers/cxl_pci/unbind"), "0000:01:00.0");

	bus->mmio_write(bus->ctx, FUNC, 2, 0x1018, 8, 0x1122334455667788);
	cr_expect_eq(bus->mmio_read(bus->ctx, FUNC, 2, 0x101c, 4), 0x11223344);
	cr_expect_eq(bus->mmio_read(bus->ctx, FUNC, 2, 0x101c, 8), UINT64_MAX, "past what is mapped");
	bus->bar_unmap(bus->ctx, FUNC, 2, 0x1010, 16);
	cr_expect_eq(bus->mmio_read(bus->ctx, FUNC, 2, 0x1018, 8), UINT64_MAX, "not mapped any more");

	pv_linux_bus_close(b);
	b = NULL;
	cr_expect_str_eq(content("sys/bus/pci/drivers/cxl_pci/bind"), "0000:01:00.0");
}

static unsigned calls;

static void count(void *arg, unsigned vector)
{
	calls++;
}

Test(bus, without_vfio_handlers_are_polled_and_there_is_no_dma)
{
	uint64_t dma;

	cr_assert_eq(bus->irq_set(bus->ctx, FUNC, 1, count, NULL), 0);
	cr_expect_null(bus->dma_alloc(bus->ctx, FUNC, 4096, &dma));
	cr_assert_eq(pv_linux_bus_wait(b, 5000000), 0);
	cr_expect_geq(calls, 1);
	calls = 0;
	bus->irq_save(bus->ctx);
	cr_assert_eq(pv_linux_bus_wait(b, 5000000), 0);
	cr_expect_eq(calls, 0, "interrupts are off");
	bus->irq_restore(bus->ctx);
	cr_expect_eq(calls, 1);
	cr_assert_eq(bus->irq_set(bus->ctx, FUNC, 0, NULL, NULL), 0);
	calls = 0;
	cr_assert_eq(pv_linux_bus_wait(b, 3000000), 0);
	cr_expect_eq(calls, 0, "switched off");
}
