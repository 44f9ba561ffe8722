/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task's file fail-nth says which of its next allocations fails; failslab and fail_page_alloc say which count: those
 * of a probe, or of a module's init. One of the two at a time: the slab allocator's own pages are different ones in
 * each probe, and would shift the numbers of the others, so that some would never fail.
 */
#include "framework/qemu/failing_probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"

#define FAIL_NTH   "/proc/thread-self/fail-nth"
#define PROBES_MAX 500

/* Names that bind the device of a PMU to its driver in sysfs. */
struct binding {
	char driver[64], device[48], module[32];
	struct pv_machine *loader; /* loads the module instead, unless NULL */
};

static int write_number(struct pv_shell *shell, const char *path, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	return pv_shell_write_text(shell, path, text);
}

static int binding_of(const char *pmu, pv_bdf parent, struct binding *b)
{
	if (!strncmp(pmu, "hisi_ptt", 8)) {
		*b = (struct binding){"/sys/bus/pci/drivers/hisi_ptt", "", "hisi_ptt"};
		snprintf(b->device, sizeof(b->device), "%s", pv_bdf_name(parent).s);
		return 0;
	}
	if (!strncmp(pmu, "dwc_rootport_", 13)) {
		*b = (struct binding){"/sys/bus/platform/drivers/dwc_pcie_pmu", "", "dwc_pcie_pmu"};
		snprintf(b->device, sizeof(b->device), "dwc_pcie_pmu.%u", parent);
		return 0;
	}
	if (!strncmp(pmu, "cxl_pmu_mem", 11)) {
		*b = (struct binding){"/sys/bus/cxl/drivers/cxl_pmu", "", "cxl_pmu"};
		snprintf(b->device, sizeof(b->device), "%s", pmu + strlen("cxl_"));
		return 0;
	}
	return -ENODEV;
}

/* Binds or unbinds the device, or loads or unloads the module. */
static int bind(struct pv_shell *shell, const struct binding *b, bool bound)
{
	char path[80];

	if (b->loader)
		return b->loader->ops->module(b->loader, b->module, bound);
	snprintf(path, sizeof(path), "%s/%s", b->driver, bound ? "bind" : "unbind");
	return pv_shell_write_text(shell, path, b->device);
}

/* The addresses of a function of the kernel; both are 0 if it has no such function. */
struct range {
	uint64_t start, end;
};

static struct range range_of(struct pv_shell *shell, const char *function)
{
	const char *const argv[] = {"/bin/busybox", "grep", "-wA1", function, "/proc/kallsyms", NULL};
	char text[512] = "", none[64];
	struct pv_shell_output out = {text, sizeof(text)}, err = {none, sizeof(none)};
	struct range r = {0};
	int status;

	if (shell->ops->run(shell, argv, 10000, &status, &out, &err) ||
	    sscanf(text, "%" SCNx64 " %*c %*s %" SCNx64, &r.start, &r.end) != 2)
		return (struct range){0};
	return r;
}

/* The two kinds of allocations that can fail. */
static const char *const kinds[] = {"/sys/kernel/debug/failslab", "/sys/kernel/debug/fail_page_alloc"};

static int set(struct pv_shell *shell, const char *kind, const char *file, uint64_t value)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/%s", kind, file);
	return write_number(shell, path, value);
}

/* Has allocations of this kind fail, and no others, where a function of `in` is on the stack. NULL: none fail. */
static int choose_kind(struct pv_shell *shell, const char *kind, struct range in)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !err; i++) {
		err = set(shell, kinds[i], "require-start", kinds[i] == kind ? in.start : 0);
		if (!err)
			err = set(shell, kinds[i], "require-end", kinds[i] == kind ? in.end : 0);
	}
	return err;
}

/*
 * Sets what holds for all probes. register_irq_proc() is left out: it ignores that a file of /proc/irq cannot be made,
 * and the kernel warns when the interrupt is freed, whatever the driver does. -ENOTSUP: there is no fault injection.
 */
static int prepare(struct pv_shell *shell)
{
	struct range without = range_of(shell, "register_irq_proc");
	const struct {
		const char *file;
		uint64_t value;
	} all[] = {
		{"reject-start", without.start}, {"reject-end", without.end}, {"ignore-gfp-wait", 0}, {"verbose", 0}};
	int err = choose_kind(shell, NULL, (struct range){0});

	for (size_t i = 0; i < 2 * ARRAY_SIZE(all) && !err; i++)
		err = set(shell, kinds[i % 2], all[i / 2].file, all[i / 2].value);
	if (!err)
		err = set(shell, "/sys/kernel/debug/fail_page_alloc", "min-order", 0);
	if (!err)
		err = write_number(shell, FAIL_NTH, 0);
	return err == -ENOENT ? -ENOTSUP : err;
}

/* 0: the allocation failed. 1: the task did not get that far. -errno. */
static int rest_of_fail_nth(struct pv_shell *shell)
{
	char text[16];
	int64_t n = pv_shell_read_text(shell, FAIL_NTH, text, sizeof(text));

	return n < 0 ? (int)n : strtoul(text, NULL, 10) > 0;
}

/* Probes once; the n-th allocation fails. *probed: its result. Returns rest_of_fail_nth(). */
static int probe(struct pv_shell *shell, const struct binding *b, unsigned n, int *probed)
{
	bind(shell, b, false);
	int err = write_number(shell, FAIL_NTH, n);
	if (err)
		return err;
	*probed = bind(shell, b, true);
	int rest = rest_of_fail_nth(shell);
	err = write_number(shell, FAIL_NTH, 0);
	return rest < 0 || !err ? rest : err;
}

/* Probes until nothing fails. Returns the result of the last probe, or -errno. */
static int probe_all(struct pv_shell *shell, const struct binding *b, unsigned *failed, unsigned *refused)
{
	for (unsigned n = 1; n <= PROBES_MAX; n++) {
		int probed = 0, rest = probe(shell, b, n, &probed);

		if (rest)
			return rest < 0 ? rest : probed;
		++*failed;
		*refused += probed < 0;
	}
	return -E2BIG;
}

int pv_failing_probes(struct pv_shell *shell, const char *pmu, pv_bdf parent, struct pv_machine *loader,
		      unsigned *failed, unsigned *refused)
{
	struct binding b;
	int err = binding_of(pmu, parent, &b);

	*failed = *refused = 0;
	if (err)
		return err;
	b.loader = loader;
	/* Not the driver itself: a probe that ends with `return devm_add_action()` has left the stack. */
	struct range in = range_of(shell, loader ? "do_one_initcall" : "really_probe");
	err = in.end ? prepare(shell) : -ENODEV;
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !err; i++) {
		err = choose_kind(shell, kinds[i], in);
		if (!err)
			err = probe_all(shell, &b, failed, refused);
	}
	/* The driver is left bound, as it was. */
	if (err && !write_number(shell, FAIL_NTH, 0))
		bind(shell, &b, true);
	return err;
}
