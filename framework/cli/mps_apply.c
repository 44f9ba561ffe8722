/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps apply: writes the sizes of a policy to this machine. */
#include "framework/cli/mps.h"
#include "framework/cli/mps_live.h"
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
		pv_cli_live_warn(live.pci.machine);
		if (pv_policy_plan(live.pci.machine, policy, NULL, 0, &plan))
			pv_cli_error("no memory");
		else
			status = pv_cli_live_write(&live, &o->place, &plan, o->policy);
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
