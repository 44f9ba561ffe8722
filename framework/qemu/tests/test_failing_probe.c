/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes with failing allocations, on a shell that has a driver's files and its allocations. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/qemu/failing_probe.h"

static struct {
	unsigned slabs, pages; /* allocations that a probe makes */
	unsigned tolerated;    /* the number of the allocation that the driver does without; 0: none */
	int broken;	       /* the error of a probe in which nothing fails */
	bool filter, failslab, loaded, bound, no_fail_nth;
	unsigned fail_nth, probes;
	const char *symbols;
	char device[64], driver[96], set[2048];
} sys;

static unsigned failed, refused;

static void fresh(void)
{
	memset(&sys, 0, sizeof(sys));
	sys.slabs = 5;
	sys.pages = 2;
	sys.filter = sys.failslab = sys.loaded = sys.bound = true;
	sys.symbols = "ffff80007a0e0000 t really_probe\nffff80007a0e4000 t next\n";
}

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	cr_assert_str_eq(path, "/proc/thread-self/fail-nth");
	return snprintf(buf, room, "%u\n", sys.fail_nth);
}

/* Allocations of this kind count if the end of the function that makes them was set last. */
static unsigned counted(const char *end, unsigned n)
{
	const char *last = NULL;

	for (const char *at = sys.set; (at = strstr(at, end)); at++)
		last = at + strlen(end);
	return last && strncmp(last, "0x0\n", 4) != 0 ? n : 0;
}

static int probe(void)
{
	unsigned all =
		counted("/failslab/require-end=", sys.slabs) + counted("/fail_page_alloc/require-end=", sys.pages);

	sys.probes++;
	for (unsigned n = 1; n <= all; n++)
		if (sys.fail_nth && !--sys.fail_nth)
			return n == sys.tolerated ? 0 : -ENOMEM;
	return sys.broken;
}

static int bind_or_unbind(const char *path, const char *device)
{
	const char *file = strrchr(path, '/');
	int err;

	if (!sys.loaded)
		return -ENOENT;
	snprintf(sys.driver, sizeof(sys.driver), "%.*s", (int)(file - path), path);
	snprintf(sys.device, sizeof(sys.device), "%s", device);
	if (!strcmp(file, "/unbind")) {
		err = sys.bound ? 0 : -ENODEV;
		sys.bound = false;
		return err;
	}
	cr_expect_not(sys.bound, "each probe begins unbound");
	err = probe();
	sys.bound = !err;
	return err;
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	char text[64];
	size_t n = strlen(sys.set);

	snprintf(text, sizeof(text), "%.*s", (int)len, (const char *)data);
	if (!strncmp(path, "/sys/bus/", 9))
		return bind_or_unbind(path, text);
	if (!strcmp(path, "/proc/thread-self/fail-nth")) {
		if (sys.no_fail_nth)
			return -ENOENT;
		sys.fail_nth = (unsigned)strtoul(text, NULL, 0);
		return 0;
	}
	if (!sys.failslab || (!sys.filter && strstr(path, "require")))
		return -ENOENT;
	snprintf(sys.set + n, sizeof(sys.set) - n, "%s=%s\n", path, text);
	return 0;
}

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	cr_expect_str_eq(argv[4], "/proc/kallsyms");
	const char *line = sys.symbols ? strstr(sys.symbols, argv[3]) : NULL;
	if (line)
		snprintf(out->text, out->room, "%s", line - strlen("ffff80008006e1a0 T "));
	return 0;
}

static const struct pv_shell_ops ops = {.run = run, .file_read = file_read, .file_write = file_write};
static struct pv_shell shell = {&ops};

static int probes_of(const char *pmu)
{
	return pv_failing_probes(&shell, pmu, 0x80, NULL, &failed, &refused);
}

Test(failing_probe, each_allocation_fails_once_and_the_driver_stays_bound)
{
	fresh();
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), 0));
	cr_expect(eq(u32, failed, 7));
	cr_expect(eq(u32, refused, 7));
	cr_expect(eq(u32, sys.probes, 9), "each kind of allocation by itself, and then none");
	cr_expect(eq(u32, sys.fail_nth, 0), "nothing fails afterwards");
	cr_expect(sys.bound);
}

Test(failing_probe, a_driver_may_do_without_an_allocation)
{
	fresh();
	sys.tolerated = 3;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), 0));
	cr_expect(eq(u32, failed, 7));
	cr_expect(eq(u32, refused, 6));
}

Test(failing_probe, a_probe_that_fails_by_itself)
{
	fresh();
	sys.broken = -EBUSY;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -EBUSY));
	cr_expect(eq(u32, failed, 5));
}

Test(failing_probe, only_allocations_of_a_probe_fail)
{
	fresh();
	probes_of("dwc_rootport_80");
	for (int i = 0; i < 2; i++) {
		const char *of = i ? "fail_page_alloc" : "failslab";
		char line[128];

		snprintf(line, sizeof(line), "/sys/kernel/debug/%s/require-start=0xffff80007a0e0000\n", of);
		cr_expect_not_null(strstr(sys.set, line), "%s", sys.set);
		snprintf(line, sizeof(line), "/sys/kernel/debug/%s/require-end=0xffff80007a0e4000\n", of);
		cr_expect_not_null(strstr(sys.set, line), "%s", sys.set);
		snprintf(line, sizeof(line), "/sys/kernel/debug/%s/ignore-gfp-wait=0x0\n", of);
		cr_expect_not_null(strstr(sys.set, line), "%s", sys.set);
		snprintf(line, sizeof(line), "/sys/kernel/debug/%s/verbose=0x0\n", of);
		cr_expect_not_null(strstr(sys.set, line), "%s", sys.set);
	}
	cr_expect_not_null(strstr(sys.set, "/sys/kernel/debug/fail_page_alloc/min-order=0x0\n"), "%s", sys.set);
}

Test(failing_probe, files_of_interrupts_are_always_made)
{
	fresh();
	sys.symbols = "ffff80007a0e0000 t really_probe\nffff80007a0e4000 t next\n"
		      "ffff80008006e1a0 T register_irq_proc\nffff80008006e300 T unregister_irq_proc\n";
	probes_of("hisi_ptt0_0");
	cr_expect_not_null(strstr(sys.set, "failslab/reject-start=0xffff80008006e1a0\n"), "%s", sys.set);
	cr_expect_not_null(strstr(sys.set, "fail_page_alloc/reject-end=0xffff80008006e300\n"), "%s", sys.set);
	fresh();
	probes_of("hisi_ptt0_0");
	cr_expect_not_null(strstr(sys.set, "failslab/reject-end=0x0\n"), "%s", sys.set);
}

static int module(struct pv_machine *m, const char *name, bool load)
{
	cr_expect_str_eq(name, "dwc_pcie_pmu");
	return bind_or_unbind(load ? "module/bind" : "module/unbind", name);
}

Test(failing_probe, allocations_of_a_module_that_is_loaded)
{
	static const struct pv_machine_ops machine_ops = {.module = module};
	struct pv_machine machine = {&machine_ops};

	fresh();
	sys.symbols = "ffff80008006e1a0 T register_irq_proc\nffff80008006e300 T other\n"
		      "ffff80008006f1a0 T do_one_initcall\nffff80008006f300 t next\n";
	cr_expect(eq(int, pv_failing_probes(&shell, "dwc_rootport_80", 0x80, &machine, &failed, &refused), 0));
	cr_expect(eq(u32, failed, 7));
	cr_expect_str_eq(sys.driver, "module");
	cr_expect_not_null(strstr(sys.set, "failslab/require-start=0xffff80008006f1a0\n"), "%s", sys.set);
	cr_expect_not_null(strstr(sys.set, "failslab/require-end=0xffff80008006f300\n"), "%s", sys.set);
}

Test(failing_probe, device_and_driver_of_each_pmu)
{
	fresh();
	probes_of("hisi_ptt0_0");
	cr_expect_str_eq(sys.driver, "/sys/bus/pci/drivers/hisi_ptt");
	cr_expect_str_eq(sys.device, "0000:00:10.0");
	probes_of("dwc_rootport_80");
	cr_expect_str_eq(sys.driver, "/sys/bus/platform/drivers/dwc_pcie_pmu");
	cr_expect_str_eq(sys.device, "dwc_pcie_pmu.128");
	probes_of("cxl_pmu_mem0.1");
	cr_expect_str_eq(sys.driver, "/sys/bus/cxl/drivers/cxl_pmu");
	cr_expect_str_eq(sys.device, "pmu_mem0.1");
	cr_expect(eq(int, probes_of("arm_cspmu_0"), -ENODEV));
}

Test(failing_probe, kernels_without_fault_injection_or_module)
{
	fresh();
	sys.filter = false;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -ENOTSUP), "without the filter, others' allocations would fail");
	fresh();
	sys.failslab = false;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -ENOTSUP));
	fresh();
	sys.loaded = false;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -ENOENT));
	cr_expect(eq(u32, sys.probes, 0));
	fresh();
	sys.symbols = NULL;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -ENODEV), "every allocation would fail");
	cr_expect(eq(u32, sys.probes, 0));
	fresh();
	sys.no_fail_nth = true;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -ENOTSUP));
	cr_expect(sys.bound, "it is left as it was");
}

Test(failing_probe, a_driver_that_allocates_without_end)
{
	fresh();
	sys.slabs = 100000;
	cr_expect(eq(int, probes_of("hisi_ptt0_0"), -E2BIG));
	cr_expect(sys.bound, "it is left as it was");
	cr_expect(eq(u32, sys.fail_nth, 0), "nothing fails afterwards");
}
