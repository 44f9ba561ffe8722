/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps apply: writes the sizes of a policy to this machine. */
#include "framework/cli/mps.h"
#include "framework/cli/mps_live.h"
#include "framework/util/hint.h"

struct options {
	struct pv_cli_place place;
	const char *policy;
	bool force;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_POLICY(struct options),
	PV_CLI_LIVE_FORCE(struct options),
	PV_CLI_LIVE_OPTIONS(struct options),
	{0},
};

static int judge_and_write(struct pv_cli_live *live, const struct options *o, const struct pv_what_if *w)
{
	int status;

	pv_cli_live_print(&w->plan);
	status = pv_cli_live_judge(w, "'pcieval mps plan' lists them", o->force);
	return status ? status : pv_cli_live_write(live, &o->place, &w->plan, o->policy);
}

static int apply(const struct options *o, enum pv_mps_policy policy)
{
	struct pv_cli_live live;
	struct pv_what_if w;
	struct pv_error e = {0};
	struct pv_cli_mps source = {.sysfs = o->place.sysfs};
	int status = pv_cli_live_open(&live, &o->place);

	if (status)
		return status;
	status = PV_EXIT_UNJUDGED;
	if (!pv_cli_mps_few_bytes(&source, live.pci.machine)) {
		pv_cli_live_warn(live.pci.machine);
		if (pv_what_if_policy(live.pci.machine, policy, &w, &e))
			pv_cli_error("%s", e.text);
		else
			status = judge_and_write(&live, o, &w);
		pv_what_if_free(&w);
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
		"failure, and by 'mps restore' after a crash. Without --yes it is a dry run. It\n"
		"refuses mismatches that would be new, and to change links with functions that\n"
		"cannot be judged. Exit status: 0 done, 1 not done, 2 usage, 3 could not tell.",
	.options = options,
	.run = run,
};
