/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and closing what apply and restore write to. */
#include "framework/cli/mps_live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cli/mps.h"

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
