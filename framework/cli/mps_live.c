/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens and closes the running machine for apply, set and restore, and writes the sizes of a plan. */
#include "framework/cli/mps_live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cli/mps.h"
#include "framework/mps/remark.h"

static void say(void *ctx, const char *text)
{
	pv_cli_error("%s", text);
}

bool pv_cli_live_is_dry(const struct pv_cli_place *place)
{
	return place->dry_run || !place->yes;
}

static char *journal_path(const struct pv_cli_place *place)
{
	char *path = NULL;
	int n = place->journal ? asprintf(&path, "%s", place->journal)
		: place->sysfs ? asprintf(&path, "%s/mps.journal", place->sysfs)
			       : asprintf(&path, "/var/lib/pcieval/mps.journal");

	return n < 0 ? NULL : path;
}

int pv_cli_live_open(struct pv_cli_live *live, const struct pv_cli_place *place)
{
	struct pv_error e = {0};

	*live = (struct pv_cli_live){.undo.journal.fd = -1};
	live->journal = journal_path(place);
	live->pci.access =
		live->journal ? pv_pci_open(PV_PCI_SYSFS, place->sysfs, !pv_cli_live_is_dry(place), &e) : NULL;
	live->pci.machine = live->pci.access ? pv_pci_machine_read(live->pci.access, &e) : NULL;
	if (!live->pci.machine) {
		pv_cli_error("%s", *e.text ? e.text : "no memory");
		pv_cli_live_close(live);
		return pv_cli_mps_status(e.code);
	}
	live->apply = (struct pv_apply){
		.machine = live->pci.machine,
		.bus = pv_pci_live_bus(&live->pci),
		.undo = &live->undo,
		.live = place->live,
		.say = say,
	};
	return 0;
}

int pv_cli_live_journal(struct pv_cli_live *live)
{
	struct pv_error e = {0};

	if (!pv_undo_open(&live->undo, live->journal, &e))
		return 0;
	pv_cli_error("%s", e.text);
	return e.code == -EBUSY || e.code == -EBADMSG ? PV_EXIT_FAILED : pv_cli_mps_status(e.code);
}

void pv_cli_live_close(struct pv_cli_live *live)
{
	pv_undo_close(&live->undo);
	pv_pci_machine_free(live->pci.machine);
	pv_pci_close(live->pci.access);
	free(live->journal);
}

void pv_cli_live_hold_signals(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* ---- writing ---- */

/* Collects the functions that the plan changes. Returns their number. */
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

void pv_cli_live_print(const struct pv_policy_plan *plan)
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
		if (pv_apply_stops(settings, n, &m->funcs[i])) {
			printf("%s %s", between, m->funcs[i].name);
			between = "\n                  ";
		}
	if (*between == '\n')
		putchar('\n');
}

void pv_cli_live_warn(const struct pv_pci_machine *m)
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
	printf("%zu function%s written; 'pcieval mps restore' puts back what was before\n", n, n == 1 ? "" : "s");
	return PV_EXIT_PASSED;
}

/* Linux first disables read completion coalescing (quirk_intel_mc_errata()); here only sizes are written. */
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

/* Collects the functions that cannot be judged and that the settings concern. Returns true for no memory. */
static bool keep_concerned(const struct pv_mismatches *after, const struct pv_setting *settings, size_t n,
			   struct pv_mismatches *concerned)
{
	concerned->unjudged = calloc(after->n_unjudged + 1, sizeof(*concerned->unjudged));
	for (size_t i = 0; concerned->unjudged && i < after->n_unjudged; i++)
		if (pv_apply_concerns(settings, n, after->unjudged[i].func))
			concerned->unjudged[concerned->n_unjudged++] = after->unjudged[i];
	return !concerned->unjudged;
}

int pv_cli_live_judge(const struct pv_what_if *w, const char *mend, bool force)
{
	struct pv_setting *settings = calloc(w->plan.n + 1, sizeof(*settings));
	size_t n = settings ? collect(&w->plan, settings) : 0;
	struct pv_mismatches concerned = {0};
	int status = PV_EXIT_PASSED;

	if (!settings || keep_concerned(&w->after, settings, n, &concerned)) {
		pv_cli_error("no memory");
		status = PV_EXIT_UNJUDGED;
	} else if (pv_cli_mps_unjudged(&concerned) && !force) {
		status = PV_EXIT_UNJUDGED;
	}
	if (w->fresh.n && !force) {
		pv_cli_error("%zu mismatch%s would be new: nothing was written; %s, or give --force", w->fresh.n,
			     w->fresh.n == 1 ? "" : "es", mend);
		status = PV_EXIT_FAILED;
	} else if (concerned.n_unjudged && !force) {
		pv_cli_error("nothing was written; --force writes");
	}
	pv_mismatches_free(&concerned);
	free(settings);
	return status;
}

int pv_cli_live_write(struct pv_cli_live *live, const struct pv_cli_place *place, const struct pv_policy_plan *plan,
		      const char *policy)
{
	struct pv_setting *settings = calloc(plan->n + 1, sizeof(*settings));
	size_t n = settings ? collect(plan, settings) : 0;
	int status = PV_EXIT_PASSED;

	if (!settings) {
		pv_cli_error("no memory");
		return PV_EXIT_UNJUDGED;
	}
	if (n && !place->live)
		print_stopped(live->pci.machine, settings, n);
	if (is_erratum(live->pci.machine, plan))
		status = PV_EXIT_FAILED;
	else if (!n)
		printf("%zu function%s: nothing to change%s%s\n", plan->n, plan->n == 1 ? "" : "s",
		       policy ? " for " : "", policy ? policy : "");
	else if (pv_cli_live_is_dry(place))
		printf("%zu function%s would be written; nothing was, --yes writes\n", n, n == 1 ? "" : "s");
	else
		status = write_settings(live, settings, n);
	free(settings);
	return status;
}
