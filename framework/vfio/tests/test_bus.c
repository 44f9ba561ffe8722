/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bus of the reference driver on a tree of files that looks like /sys: functions, configuration space, BARs,
 * drivers.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/ptt.h"
#include "framework/util/file.h"
#include "framework/vfio/bus.h"
#include "framework/vfio/bus_internal.h"
#include "framework/vfio/reference.h"
#include "framework/vfio/restore.h"

#define FUNC PCI_BDF(1, 0, 0)

static char root[] = "/dev/shm/pv-bus-XXXXXX";
static struct pv_linux *l;
static struct pv_vfio_bus *b;
static const struct pv_bus *bus;

static unsigned writes_left = UINT_MAX; /* writes to the Command register that succeed */

/* Instead of libc's. */
ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	if (at == PCI_COMMAND && writes_left != UINT_MAX && !writes_left--) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, buf, n, at);
}

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
	cr_assert_eq(pv_vfio_bus_open(&b, l, NULL, 0, &e), 0, "%s", e.text);
	bus = pv_vfio_bus_of(b);
}

static void teardown(void)
{
	pv_vfio_bus_close(b);
	pv_linux_close(l);
	pv_remove_all(root);
}

TestSuite(bus, .init = setup, .fini = teardown);

Test(bus, buses_are_those_of_functions)
{
	cr_assert_eq(bus->n_buses, 2);
	cr_expect_eq(bus->buses[0], PCI_BDF(1, 0, 0));
	cr_expect_eq(bus->buses[1], PCI_IN_DOMAIN(2, PCI_BDF(5, 0, 0)));
}

Test(bus, cpus_near_a_function_are_those_that_the_kernel_names)
{
	static const char few[] = "c\n", many[] = "00000001,00000002,80000003\n";
	char most[64 * 9];

	cr_expect_eq(bus->local_cpus(bus->ctx, FUNC), 0, "there is no such file");
	put("sys/bus/pci/devices/0000:01:00.0/local_cpus", few, sizeof(few) - 1);
	cr_expect_eq(bus->local_cpus(bus->ctx, FUNC), 0xc);
	put("sys/bus/pci/devices/0000:01:00.0/local_cpus", many, sizeof(many) - 1);
	cr_expect_eq(bus->local_cpus(bus->ctx, FUNC), 0x280000003, "64 of them");
	/* A kernel for 2048 CPUs. */
	for (size_t i = 0; i < 63; i++)
		memcpy(most + 9 * i, "00000000,", 9);
	memcpy(most + 9 * 63, "0000000c\n", 9);
	put("sys/bus/pci/devices/0000:01:00.0/local_cpus", most, sizeof(most));
	cr_expect_eq(bus->local_cpus(bus->ctx, FUNC), 0xc);
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
	cr_assert_eq(pv_vfio_bus_refresh(b), 0);
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_IN_DOMAIN(1, 0), 0, 2), 0x1b36);
	cr_expect_eq(bus->n_buses, 3);

	snprintf(full, sizeof(full), "%s/sys/bus/pci/devices/0001:00:00.0", root);
	pv_remove_all(full);
	cr_assert_eq(pv_vfio_bus_refresh(b), 0);
	cr_expect_eq(bus->cfg_read(bus->ctx, PCI_IN_DOMAIN(1, 0), 0, 2), 0xffff);
	cr_expect_eq(bus->n_buses, 2);
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

	pv_vfio_bus_close(b);
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
	cr_assert_eq(pv_vfio_bus_wait(b, 5000000), 0);
	cr_expect_geq(calls, 1);
	calls = 0;
	bus->irq_save(bus->ctx);
	cr_assert_eq(pv_vfio_bus_wait(b, 5000000), 0);
	cr_expect_eq(calls, 0, "interrupts are off");
	bus->irq_restore(bus->ctx);
	cr_expect_eq(calls, 1);
	cr_assert_eq(bus->irq_set(bus->ctx, FUNC, 0, NULL, NULL), 0);
	calls = 0;
	cr_assert_eq(pv_vfio_bus_wait(b, 3000000), 0);
	cr_expect_eq(calls, 0, "switched off");
}

static uint32_t vectors_seen;

static void note_vector(void *arg, unsigned vector)
{
	vectors_seen |= 1u << vector;
}

Test(bus, there_are_32_vectors)
{
	cr_assert_eq(bus->irq_set(bus->ctx, FUNC, 32, note_vector, NULL), 0);
	cr_assert_eq(pv_vfio_bus_wait(b, 5000000), 0);
	cr_expect_eq(vectors_seen, 0xffffffff, "0x%08x", vectors_seen);
	cr_expect_eq(bus->irq_set(bus->ctx, FUNC, 33, note_vector, NULL), -ENOSPC);
}

static void put_u32(const char *path, uint32_t off, uint32_t value)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	int fd = open(full, O_WRONLY);
	cr_assert_eq(pwrite(fd, &value, 4, off), 4);
	close(fd);
}

/* A DVSEC of this length at 0x150, of a function that vfio-pci is there for. */
static void take_with_dvsec(uint32_t bytes)
{
	put("sys/bus/pci/drivers/vfio-pci/bind", "", 0);
	put_u32("sys/bus/pci/devices/0000:01:00.0/config", 0x100, 0x15010003);
	put_u32("sys/bus/pci/devices/0000:01:00.0/config", 0x150, 0x00010023);
	put_u32("sys/bus/pci/devices/0000:01:00.0/config", 0x154, bytes << 20 | 0x1e98);
	cr_assert_eq(bus->bar_map(bus->ctx, FUNC, 2, 0x1010, 16), 0);
}

Test(bus, vfio_gets_no_function_whose_capability_is_longer_than_its_map)
{
	take_with_dvsec(0x1000 - 0x150 + 1);
	cr_expect_str_eq(content("sys/bus/pci/drivers/cxl_pci/unbind"), "0000:01:00.0", "taken all the same");
	cr_expect_str_eq(content("sys/bus/pci/drivers/vfio-pci/bind"), "");
}

Test(bus, vfio_gets_a_function_whose_capability_ends_where_its_map_does)
{
	take_with_dvsec(0x1000 - 0x150);
	cr_expect_str_eq(content("sys/bus/pci/drivers/vfio-pci/bind"), "0000:01:00.0");
}

/* ---- where what is changed is put back ---- */

#define PTT	"0002:05:1e.0"
#define PTT_BDF PCI_IN_DOMAIN(2, PCI_BDF(5, 30, 0))

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static uint32_t get_u32(const char *path, uint32_t off)
{
	uint32_t value = 0;
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	int fd = open(full, O_RDONLY);
	cr_assert_eq(pread(fd, &value, 4, off), 4);
	close(fd);
	return value;
}

/* Does what the kernel does after a write to unbind. */
static void drop_link(const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/sys/bus/pci/devices/%s/driver", root, name);
	cr_assert_eq(unlink(full), 0);
}

static bool is_there(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	return !access(full, F_OK);
}

/* A bus of these functions, all of whose changes are noted. */
static void open_noted(const pv_bdf *functions, size_t n)
{
	struct pv_error e = {0};

	pv_vfio_bus_close(b);
	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_vfio_bus_open(&b, l, functions, n, &e), 0, "%s", e.text);
	bus = pv_vfio_bus_of(b);
}

Test(bus, with_a_list_there_is_nothing_else)
{
	const pv_bdf one = FUNC;
	struct pv_error e = {0};

	add(PTT);
	pv_vfio_bus_close(b);
	cr_assert_eq(pv_vfio_bus_open(&b, l, &one, 1, &e), 0);
	bus = pv_vfio_bus_of(b);
	cr_expect_eq(bus->cfg_read(bus->ctx, FUNC, 0, 2), 0x1b36);
	cr_expect_eq(bus->cfg_read(bus->ctx, PTT_BDF, 0, 2), 0xffff);
	bus->cfg_write(bus->ctx, PTT_BDF, 0x44, 4, 1);
	cr_expect_eq(get_u32("sys/bus/pci/devices/" PTT "/config", 0x44), 0);
	cr_expect_eq(bus->bar_map(bus->ctx, PTT_BDF, 2, 0, 16), -ENODEV);
	cr_expect_eq(bus->n_buses, 1);
}

Test(bus, what_is_changed_is_noted_first_and_put_back)
{
	const pv_bdf one = FUNC;
	struct pv_error e = {0};

	put_text("sys/bus/pci/drivers/vfio-pci/bind", "");
	put_text("sys/bus/pci/drivers/vfio-pci/unbind", "");
	put_text("sys/bus/pci/devices/0000:01:00.0/driver_override", "(null)\n");
	put_text("sys/bus/pci/devices/0000:01:00.0/reset_method", "flr bus\n");
	put_text("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "N\n");
	open_noted(&one, 1);
	cr_assert_eq(bus->bar_map(bus->ctx, FUNC, 2, 0x1010, 16), 0);
	drop_link("0000:01:00.0");
	bus->cfg_write(bus->ctx, FUNC, 0x44, 4, 0x11223344);
	bus->cfg_write(bus->ctx, FUNC, 0x44, 2, 1);
	bus->mmio_write(bus->ctx, FUNC, 2, 0x1018, 8, 7);
	bus->mmio_write(bus->ctx, FUNC, 2, 0x1018, 8, 8);
	bus->mmio_write(bus->ctx, FUNC, 2, 0x101c, 4, 9);

	char text[1024] = "", full[512];
	snprintf(full, sizeof(full), "%s/run/pcieval/undo", root);
	int fd = open(full, O_RDONLY);
	cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	cr_expect_str_eq(strchr(text, '\n') + 1, "reg 0000:01:00.0 1b36:0d93 0x4 2 0x0\n"
						 "bind pci 0000:01:00.0 cxl_pci\n"
						 "file sys/module/vfio/parameters/enable_unsafe_noiommu_mode N\n"
						 "file sys/bus/pci/devices/0000:01:00.0/reset_method flr bus\n"
						 "file sys/bus/pci/devices/0000:01:00.0/driver_override (null)\n"
						 "reg 0000:01:00.0 1b36:0d93 0x44 4 0x0\n"
						 "bar 0000:01:00.0 1b36:0d93 2 0x1018 8 0x0\n");

	pv_vfio_bus_close(b);
	b = NULL;
	cr_expect_str_eq(content("sys/bus/pci/drivers/cxl_pci/bind"), "", "not yet");
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
	cr_expect_str_eq(content("sys/bus/pci/drivers/cxl_pci/bind"), "0000:01:00.0");
	cr_expect_eq(*content("sys/bus/pci/devices/0000:01:00.0/driver_override"), '\n');
	cr_expect_str_eq(content("sys/bus/pci/devices/0000:01:00.0/reset_method"), "flr bus\n");
	cr_expect_str_eq(content("sys/module/vfio/parameters/enable_unsafe_noiommu_mode"), "N\n");
	cr_expect_eq(get_u32("sys/bus/pci/devices/0000:01:00.0/config", 0x44), 0);
	cr_expect_eq(get_u32("sys/bus/pci/devices/0000:01:00.0/config", 4), 0, "memory decoding was off");
	cr_expect_eq(get_u32("sys/bus/pci/devices/0000:01:00.0/resource2", 0x1018), 0);
	cr_expect(!is_there("run/pcieval/undo"));
}

Test(bus, what_was_in_a_card_that_is_gone_is_not_put_into_another)
{
	static const char config[] = "sys/bus/pci/devices/0000:01:00.0/config";
	const pv_bdf one = FUNC;
	struct pv_error e = {0};

	open_noted(&one, 1);
	bus->cfg_write(bus->ctx, FUNC, 0x44, 4, 0x11223344);
	pv_vfio_bus_close(b);
	b = NULL;
	put_u32(config, 0, 0x0d941b36);
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
	cr_expect_eq(get_u32(config, 0x44), 0x11223344);
}

Test(bus, one_at_a_time_is_at_work)
{
	struct pv_linux *other;
	struct pv_error e = {0};

	cr_assert_eq(pv_linux_lock(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_linux_open(&other, root, &e), 0, "%s", e.text);
	cr_expect_eq(pv_linux_lock(other, &e), -EBUSY);
	cr_expect(strstr(e.text, "another pcieval is at work on it"), "%s", e.text);
	pv_linux_close(other);
}

/* The rights are those of files, below another root. */
Test(bus, a_driver_that_was_killed_is_followed_by_one_that_puts_its_function_at_rest)
{
	static const char config[] = "sys/bus/pci/devices/" PTT "/config",
			  bar[] = "sys/bus/pci/devices/" PTT "/resource2";
	const pv_bdf ptt = PTT_BDF;
	struct pv_vfio_reference *r;
	struct pv_error e = {0};

	add(PTT);
	put_u32(config, PCI_COMMAND, PCI_STATUS_CAP_LIST << 16);
	put_u32(config, PCI_CAPABILITIES, 0x40);
	put_u32(config, 0x40, PCI_CAP_ID_EXP);
	put_u32(config, 0x40 + PCI_EXP_DEVCTL, 0x211f);
	put_u32(config, 0, PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16);
	put_u32(bar, PTT_TRACE_STS, PTT_TRACE_STS_IDLE);
	put_u32(bar, PTT_TRACE_CTRL, 4);
	put_u32(bar, PTT_TRACE_ADDR_SIZE, 0x1000);
	put_u32(bar, PTT_TUNING_CTRL, 0x77);
	pv_vfio_bus_close(b);
	b = NULL;
	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_expect_eq(pv_vfio_reference_boot(&r, l, PV_MPS_TUNE_OFF, NULL, 0, &e), -EINVAL, "all of the machine");
	cr_assert_eq(pv_vfio_reference_boot(&r, l, PV_MPS_TUNE_OFF, &ptt, 1, &e), 0, "%s", e.text);
	cr_expect_eq(get_u32(bar, PTT_TRACE_INT_MASK), PTT_TRACE_INT_MASK_ALL, "it has begun");
	cr_expect_eq(get_u32(config, PCI_COMMAND) & PCI_COMMAND_MEMORY, PCI_COMMAND_MEMORY);
	/* Another driver comes and goes, it traces, and is heard of no more. */
	put_u32(config, 0x40 + PCI_EXP_DEVCTL, 0x2110);
	put_u32(bar, PTT_TRACE_CTRL, PTT_TRACE_CTRL_EN);

	cr_assert_eq(pv_restore_all(l, &e), 0, "%s", e.text);
	cr_expect_eq(get_u32(bar, PTT_TRACE_CTRL), 4);
	cr_expect_eq(get_u32(config, 0x40 + PCI_EXP_DEVCTL), 0x211f, "error reporting");
	cr_expect_eq(get_u32(bar, PTT_TRACE_ADDR_SIZE), 0x1000, "what only the second has changed, too");
	cr_expect_eq(get_u32(bar, PTT_TRACE_INT_MASK), 0);
	cr_expect_eq(get_u32(bar, PTT_TRACE_INT_STAT), PTT_TRACE_INT_STAT_MASK, "cleared by the second, and left so");
	cr_expect_eq(get_u32(bar, PTT_TUNING_CTRL), 0x77);
	cr_expect_eq(get_u32(config, PCI_COMMAND), PCI_STATUS_CAP_LIST << 16);
	pv_vfio_reference_end(r);
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
}

/* A CXL device of the function with a CPMU: one counter of 13 bits, which counts clock ticks. */
static void put_cpmu(void)
{
	static const char config[] = "sys/bus/pci/devices/0000:01:00.0/config",
			  bar[] = "sys/bus/pci/devices/0000:01:00.0/resource2";

	put_u32(config, PCI_REVISION, 0x05021000);
	put_u32(config, 0x100, 0x00010023);
	put_u32(config, 0x104, 0x14 << 20 | 0x1e98);
	put_u32(config, 0x108, CXL_DVSEC_REG_LOCATOR_ID);
	put_u32(config, 0x100 + CXL_REG_LOCATOR_FIRST, CXL_REG_BLOCK_CPMU << CXL_REG_LOCATOR_ID_SHIFT | 2);
	put_u32(bar, CPMU_CAP, 13 << CPMU_CAP_WIDTH_SHIFT);
	put_u32(bar, CPMU_CAP + 4,
		(CPMU_CAP_WRITABLE_WHEN_FROZEN | CPMU_CAP_FREEZE | CPMU_CAP_INTERRUPT |
		 1ull << CPMU_CAP_VERSION_SHIFT) >>
			32);
	put_u32(bar, CPMU_EVENT_CAP(0), 1);
	put_u32(bar, CPMU_EVENT_CAP(0) + 4, 0x1e980000);
	put_u32(bar, CPMU_COUNTER_CFG(0), CPMU_CFG_TYPE_CONFIGURABLE);
}

/*
 * The counter overflows before the driver reads an attribute. Returns what has been counted. OVERFLOW is memory here,
 * and stays set when the driver clears it.
 */
static uint64_t count_overflow(struct pv_driver *d, const char *pmu)
{
	static const char bar[] = "sys/bus/pci/devices/0000:01:00.0/resource2";
	const struct pv_perf_attr ticks = {.config = 0x1e98000000000001};
	struct pv_perf_event *c;
	uint64_t value = 0;
	char text[64];

	cr_assert_eq(d->ops->event_open(d, pmu, &ticks, NULL, NULL, NULL, &c), 0);
	cr_assert_eq(d->ops->event_enable(d, c), 0);
	put_u32(bar, CPMU_OVERFLOW, 1);
	usleep(2000); /* MSIs are polled every millisecond */
	cr_assert_geq(d->ops->attr_read(d, pmu, "cpumask", text, sizeof(text)), 0);
	put_u32(bar, CPMU_OVERFLOW, 0);
	cr_assert_eq(d->ops->event_read(d, c, &value), 0);
	d->ops->event_close(d, c);
	return value;
}

Test(bus, reading_attributes_keeps_no_interrupt_from_its_handler)
{
	const pv_bdf one = FUNC;
	struct pv_vfio_reference *r;
	struct pv_error e = {0};

	put_cpmu();
	pv_vfio_bus_close(b);
	b = NULL;
	cr_assert_eq(pv_vfio_reference_boot(&r, l, PV_MPS_TUNE_OFF, &one, 1, &e), 0, "%s", e.text);
	struct pv_driver *d = pv_vfio_reference_driver(r);
	const char *pmu = d->ops->pmu_name(d, 0);
	cr_assert_not_null(pmu);
	cr_expect_geq(count_overflow(d, pmu), 1 << 13);
	pv_vfio_reference_end(r);
}

/* The function decodes no memory. */
Test(bus, memory_decoding_that_cannot_be_put_back_is_an_error_and_in_the_journal)
{
	static const char config[] = "sys/bus/pci/devices/0000:01:00.0/config",
			  bar[] = "sys/bus/pci/devices/0000:01:00.0/resource2";
	const struct pv_undo_record r = {
		.kind = PV_UNDO_BAR, .bdf = FUNC, .ids = 0x0d931b36, .bar = 2, .off = 0x10, .bytes = 4, .was = 5};
	struct pv_error e = {0};

	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_linux_note(l, &r), 0);
	writes_left = 1;
	cr_expect_eq(pv_restore_all(l, &e), -EIO);
	cr_expect(strstr(e.text, "putting back 'bar 0000:01:00.0 1b36:0d93 2 0x10 4 0x5': EIO"), "%s", e.text);
	cr_expect_eq(get_u32(bar, 0x10), 5);
	cr_expect_eq(get_u32(config, PCI_COMMAND), PCI_COMMAND_MEMORY);
	writes_left = UINT_MAX;
	cr_expect_eq(pv_restore_all(l, &e), 0, "%s", e.text);
	cr_expect_eq(get_u32(config, PCI_COMMAND), 0);
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
}

/* A PTT that stays busy; its driver has come to its end, and has left a tune value. */
Test(bus, a_tune_value_that_cannot_be_put_back_keeps_nothing_else_from_it)
{
	static const char config[] = "sys/bus/pci/devices/" PTT "/config",
			  bar[] = "sys/bus/pci/devices/" PTT "/resource2";
	const struct pv_undo_record
		reg = {.kind = PV_UNDO_REG, .bdf = FUNC, .ids = 0x0d931b36, .off = 0x3c, .bytes = 1, .was = 0x55},
		reference = {.kind = PV_UNDO_REFERENCE, .text = PTT},
		tune = {.kind = PV_UNDO_TUNE, .device = "hisi_ptt0_0", .path = "tune/qos_tx_cpl", .text = "0"},
		idle = {.kind = PV_UNDO_IDLE};
	struct pv_error e = {0};

	add(PTT);
	put_u32(config, 0, PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16);
	put_u32(bar, PTT_TRACE_STS, PTT_TRACE_STS_IDLE);
	put_u32(bar, PTT_TUNING_INT_STAT, PTT_TUNING_INT_STAT_BUSY);
	pv_vfio_bus_close(b);
	b = NULL;
	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_assert(!pv_linux_note(l, &reg) && !pv_linux_note(l, &reference) && !pv_linux_note(l, &tune) &&
		  !pv_linux_note(l, &idle));
	cr_expect_lt(pv_restore_all(l, &e), 0);
	cr_expect(strstr(e.text, "putting back tune values: "), "%s", e.text);
	cr_expect_eq(get_u32("sys/bus/pci/devices/0000:01:00.0/config", 0x3c) & 0xff, 0x55);
	put_u32(bar, PTT_TUNING_INT_STAT, 0);
	cr_expect_eq(pv_restore_all(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
}

Test(bus, a_journal_with_a_nul_byte_is_kept)
{
	struct pv_error e = {0};

	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	FILE *f = fopen(pv_linux_undolog(l)->path, "a");
	cr_assert(f && fwrite("\0\n", 1, 2, f) == 2);
	fclose(f);
	cr_expect_eq(pv_restore_all(l, &e), -EBADMSG);
	cr_expect(strstr(e.text, "got a NUL byte"), "%s", e.text);
}

static void move_function(bool away)
{
	char here[128], there[128];

	snprintf(here, sizeof(here), "%s/sys/bus/pci/devices/0000:01:00.0", root);
	snprintf(there, sizeof(there), "%s/away", root);
	cr_assert_eq(away ? rename(here, there) : rename(there, here), 0);
}

static void *come_back(void *arg)
{
	usleep(20000);
	move_function(false);
	return NULL;
}

/* Takes the function, which then leaves its place. */
static void take_and_lose(void)
{
	struct pv_error e = {0};

	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_vfio_bus_take(b, pv_vfio_bus_func(b, FUNC)), 0);
	move_function(true);
}

Test(bus, a_card_that_goes_and_comes_is_waited_for)
{
	char full[128];
	pthread_t thread;

	put_text("sys/bus/pci/slots/3/address", "0000:02:00\n");
	put_text("sys/bus/pci/slots/7/address", "0000:01:00\n");
	take_and_lose();
	cr_assert_eq(pthread_create(&thread, NULL, come_back, NULL), 0);
	pv_vfio_bus_close(b);
	b = NULL;
	snprintf(full, sizeof(full), "%s/sys/bus/pci/devices/0000:01:00.0", root);
	cr_expect_eq(access(full, F_OK), 0, "it is there again");
	pthread_join(thread, NULL);
}

Test(bus, a_function_that_is_in_no_slot_is_not_waited_for, .timeout = 4)
{
	put_text("sys/bus/pci/slots/3/address", "0000:02:00\n");
	take_and_lose();
	pv_vfio_bus_close(b);
	b = NULL;
	move_function(false);
}

Test(bus, counters_of_a_port_are_taken_from_their_driver)
{
	const pv_bdf one = FUNC;
	struct pv_vfio_reference *r;
	struct pv_error e = {0};
	char full[512];

	put_text("sys/bus/platform/drivers/dwc_pcie_pmu/unbind", "");
	put_text("sys/bus/platform/drivers/dwc_pcie_pmu/bind", "");
	put_text("sys/bus/platform/devices/dwc_pcie_pmu.256/uevent", "");
	snprintf(full, sizeof(full), "%s/sys/bus/platform/devices/dwc_pcie_pmu.256/driver", root);
	cr_assert_eq(symlink("../../drivers/dwc_pcie_pmu", full), 0);
	cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
	cr_assert_eq(pv_vfio_reference_boot(&r, l, PV_MPS_TUNE_OFF, &one, 1, &e), 0, "%s", e.text);
	cr_expect_str_eq(content("sys/bus/platform/drivers/dwc_pcie_pmu/unbind"), "dwc_pcie_pmu.256");
	cr_assert_eq(unlink(full), 0);
	pv_vfio_reference_end(r);
	cr_assert_eq(pv_restore_end(l, &e), 0, "%s", e.text);
	cr_expect_str_eq(content("sys/bus/platform/drivers/dwc_pcie_pmu/bind"), "dwc_pcie_pmu.256");
}

/* The undo refuses lines that pcieval never writes. */
Test(bus, a_line_that_nobody_wrote_is_an_error)
{
	static const char *const lines[] = {"bar 0000:01:00.0 1b36:0d93 7 0x0 4 0x0", "file /etc/passwd x",
					    "file sys/../etc/passwd x", "bind pci 0000:01:00.0", "idle now"};
	struct pv_error e = {0};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[128];

		cr_assert_eq(pv_restore_begin(l, &e), 0, "%s", e.text);
		snprintf(line, sizeof(line), "echo '%s' >>%s/run/pcieval/undo", lines[i], root);
		cr_assert_eq(system(line), 0);
		cr_expect_eq(pv_restore_end(l, &e), -EBADMSG, "%s: %s", lines[i], e.text);
		snprintf(line, sizeof(line), "%s/run/pcieval/undo", root);
		cr_assert_eq(unlink(line), 0);
	}
}
