/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps restore: restores everything that apply has changed. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "framework/cli/mps.h"
#include "framework/cli/mps_live.h"
#include "framework/util/hint.h"

struct options {
	struct pv_cli_place place;
};

static const struct pv_option options[] = {
	PV_CLI_LIVE_OPTIONS(struct options),
	{0},
};

static int print_entries(const struct pv_undo *undo)
{
	struct pv_error e = {0};

	for (size_t i = 0; i < undo->n; i++) {
		const struct pv_undo_record *entry = &undo->list[i];

		if (entry->kind == PV_UNDO_DEVCTL)
			printf("%s  MPS %u  MRRS %u\n", entry->name,
			       PCI_EXP_SIZE_BYTES(((unsigned)entry->was & PCI_EXP_DEVCTL_MPS) >>
						  PCI_EXP_DEVCTL_MPS_SHIFT),
			       PCI_EXP_SIZE_BYTES(((unsigned)entry->was & PCI_EXP_DEVCTL_MRRS) >>
						  PCI_EXP_DEVCTL_MRRS_SHIFT));
	}
	printf("%sto be restored; nothing was written, use --yes\n",
	       undo->under_way ? "an apply ended in the middle; " : "");
	if (!pv_undo_damage(undo, &e))
		return PV_EXIT_PASSED;
	pv_cli_error("%s", e.text);
	return PV_EXIT_FAILED;
}

static int put_back(struct pv_cli_live *live)
{
	struct pv_error e = {0};
	int err;

	pv_cli_live_hold_signals(true);
	err = pv_apply_restore(&live->apply, &e);
	pv_cli_live_hold_signals(false);
	if (err) {
		pv_cli_error("%s", e.text);
		return PV_EXIT_FAILED;
	}
	puts("all old values are restored");
	return PV_EXIT_PASSED;
}

static int restore(const struct options *o)
{
	struct pv_cli_live live;
	int status = pv_cli_live_open(&live, &o->place);

	if (status)
		return status;
	if (access(live.journal, F_OK)) {
		printf("%s: no journal, nothing to restore\n", live.journal);
	} else {
		status = pv_cli_live_journal(&live);
		if (!status && live.undo.stale)
			puts("the machine has booted since, which has set all sizes anew: nothing to restore");
		else if (!status && !live.undo.n && !live.undo.damaged)
			puts("the journal is empty, nothing to restore");
		else if (!status && pv_cli_live_is_dry(&o->place))
			status = print_entries(&live.undo);
		else if (!status)
			status = put_back(&live);
	}
	pv_cli_live_close(&live);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc > first)
		return pv_cli_error("%s: expected no argument, got '%s'", self->name, PV_SHOW(argv[first]));
	return restore(&o);
}

const struct pv_command pv_mps_restore_command = {
	.name = "mps restore",
	.args = "",
	.help = "restore what apply has changed (as root)",
	.text = "From the journal, after one or more runs of apply, even if killed. It can be\n"
		"repeated until it succeeds; then the journal is removed. Functions that have\n"
		"left the machine are skipped. Without --yes it is a dry run.",
	.options = options,
	.run = run,
};
