/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps apply: writes what a policy would set. */
#include <stdio.h>
#include <stdlib.h>

#include "framework/cli/mps.h"
#include "framework/cli/mps_live.h"
#include "framework/mps/remark.h"
#include "framework/util/hint.h"

struct options {
	struct pv_cli_place place;
	const char *policy;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_POLICY(struct options),
	PV_CLI_LIVE_OPTIONS(struct options),
	{0},
};

/* The functions that the plan changes. Returns how many. */
static size_t collect(const struct pv_policy_plan *plan, struct pv_setting *settings)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];

		if (p->mps != p->new_mps || p->mrrs != p->new_mrrs)
			settings[n++] = (struct pv_setting){p->func, p->new_mps, p->new_mrrs};
	}
	return n;
}

static void print_change(const char *what, int was, int becomes)
{
	if (was == becomes)
		printf("  %s %d", what, was);
	else
		printf("  %s %d -> %d", what, was, becomes);
}

static void print_settings(const struct pv_policy_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];

		if (p->mps == p->new_mps && p->mrrs == p->new_mrrs)
			continue;
		fputs(p->func->name, stdout);
		print_change("MPS", p->mps, p->new_mps);
		print_change("MRRS", p->mrrs, p->new_mrrs);
		putchar('\n');
	}
}

static void print_stopped(const struct pv_pci_machine *m, const struct pv_setting *settings, size_t n)
{
	const char *between = "stopped meanwhile:";

	for (size_t i = 0; i < m->n; i++)
		if (pv_apply_stops(m, settings, n, &m->funcs[i])) {
			printf("%s %s", between, m->funcs[i].name);
			between = "\n                  ";
		}
	if (*between == '\n')
		putchar('\n');
}

/* Functions that do not answer keep what they have. */
static void warn_of_gone(const struct pv_pci_machine *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->funcs[i].gone)
			pv_cli_error("warning: %s does not answer and is skipped; check again when it is awake",
				     m->funcs[i].name);
}

static int write_settings(struct pv_cli_live *live, const struct pv_setting *settings, size_t n)
{
	struct pv_error e = {0};
	int err, status = pv_cli_live_journal(live);

	if (status)
		return status;
	if (live->apply.live)
		pv_cli_error("warning: --live: TLPs that are on their way while sizes change may be malformed");
	pv_cli_live_hold_signals(true);
	err = pv_apply(&live->apply, settings, n, &e);
	pv_cli_live_hold_signals(false);
	if (err) {
		pv_cli_error("%s", e.text);
		return PV_EXIT_FAILED;
	}
	printf("%zu functions written; 'pcieval mps restore' puts back what was before\n", n);
	return PV_EXIT_PASSED;
}

static int apply_plan(struct pv_cli_live *live, const struct options *o, const struct pv_policy_plan *plan)
{
	struct pv_setting *settings = calloc(plan->n + 1, sizeof(*settings));
	size_t n = settings ? collect(plan, settings) : 0;
	int status = PV_EXIT_PASSED;

	if (!settings) {
		pv_cli_error("no memory");
		return PV_EXIT_UNJUDGED;
	}
	print_settings(plan);
	if (n && !o->place.live)
		print_stopped(live->pci.machine, settings, n);
	if (!n)
		printf("%zu functions: nothing to change for %s\n", plan->n, o->policy);
	else if (pv_cli_live_is_dry(&o->place))
		printf("%zu functions would be written; nothing was, --yes writes\n", n);
	else
		status = write_settings(live, settings, n);
	free(settings);
	return status;
}

/* Linux switches read completion coalescing off first (quirk_intel_mc_errata()); here nothing but sizes is written. */
static bool is_erratum(const struct pv_pci_machine *m, const struct pv_policy_plan *plan)
{
	const struct pv_pci_func *f = pv_coalescing_erratum(m);
	bool raises = false;

	for (size_t i = 0; f && i < plan->n; i++)
		raises = raises || (plan->list[i].new_mps > plan->list[i].mps && plan->list[i].new_mps > 128);
	if (raises)
		pv_cli_error("%s: with read completion coalescing on (bit 10 of 0x48) an MPS of 256 is an erratum of "
			     "Intel 5000; boot with pci=pcie_bus_safe or perf, which switch it off",
			     f->name);
	return raises;
}

static int apply(const struct options *o, enum pv_mps_policy policy)
{
	struct pv_cli_live live;
	struct pv_policy_plan plan;
	struct pv_cli_mps source = {.sysfs = o->place.sysfs};
	int status = pv_cli_live_open(&live, &o->place);

	if (status)
		return status;
	status = PV_EXIT_UNJUDGED;
	if (!pv_cli_mps_few_bytes(&source, live.pci.machine)) {
		warn_of_gone(live.pci.machine);
		if (pv_policy_plan(live.pci.machine, policy, NULL, 0, &plan))
			pv_cli_error("no memory");
		else if (is_erratum(live.pci.machine, &plan))
			status = PV_EXIT_FAILED;
		else
			status = apply_plan(&live, o, &plan);
		pv_policy_plan_free(&plan);
	}
	pv_cli_live_close(&live);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;
	enum pv_mps_policy policy;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc > first)
		return pv_cli_error("%s: expected no argument, got '%s': a dump cannot be written to", self->name,
				    PV_SHOW(argv[first]));
	status = pv_cli_mps_policy(self, o.policy, &policy);
	return status ? status : apply(&o, policy);
}

const struct pv_command pv_mps_apply_command = {
	.name = "mps apply",
	.args = "",
	.help = "write what Linux would set under a policy (as root)",
	.text = "Devices on the affected links are stopped first (Bus Master off, Transactions\n"
		"Pending clear), then all sizes are written and read back, and the devices\n"
		"continue. The old values are in a journal; they are restored immediately after a\n"
		"failure, and by 'mps restore' after a crash. Without --yes it is a dry run. Exit\n"
		"status: 0 done, 1 not done, 2 usage, 3 could not tell.",
	.options = options,
	.run = run,
};
