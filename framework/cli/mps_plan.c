/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps plan: what a policy would set. */
#include <stdlib.h>

#include "framework/cli/mps.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"

struct options {
	struct pv_cli_mps source;
	const char *policy, *initial;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_POLICY(struct options),
	{"initial", 'i', PV_OPTION_TEXT, offsetof(struct options, initial), "FILE",
	 "what firmware left: a dump, or the output of\n'mps show --json'; default: the present values"},
	PV_CLI_MPS_JSON(struct options),
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

static void print_text(const struct options *o, enum pv_mps_policy policy, const struct pv_policy_plan *plan)
{
	bool mrrs = false;

	pv_text_plan(plan, stdout);
	for (size_t i = 0; i < plan->n; i++)
		mrrs = mrrs || (policy != PV_MPS_PERFORMANCE && plan->list[i].mrrs_by_firmware);
	printf("\n%zu of %zu functions change under %s\n", plan->changes, plan->n, pv_mps_policy_word(policy));
	if (plan->by_firmware)
		printf("~ %zu: %s keeps or passes on what firmware left. A machine that has booted may\n"
		       "  show other values; give the firmware's by --initial.\n",
		       plan->by_firmware, pv_mps_policy_word(policy));
	if (mrrs)
		printf("MRRS: %s leaves it alone; drivers may have changed what firmware left.\n",
		       pv_mps_policy_word(policy));
}

static int plan_machine(const struct options *o, struct pv_pci_machine *m, enum pv_mps_policy policy)
{
	struct pv_initial *initial = NULL;
	struct pv_policy_plan plan;
	struct pv_error e = {0};
	size_t n = 0;
	int status = PV_EXIT_PASSED;

	if (o->initial && pv_initial_read(m, o->initial, &initial, &n, &e)) {
		free(initial);
		pv_cli_error("--initial: %s", e.text);
		return pv_cli_mps_status(e.code);
	}
	if (pv_policy_plan(m, policy, initial, n, &plan)) {
		pv_cli_error("no memory");
		status = PV_EXIT_UNJUDGED;
	} else if (o->source.json) {
		status = pv_cli_mps_print(pv_json_plan(&plan));
	} else {
		print_text(o, policy, &plan);
	}
	pv_policy_plan_free(&plan);
	free(initial);
	return status;
}

/* With functions unread the engine would see another machine. */
static int plan(const struct options *o, enum pv_mps_policy policy)
{
	int status = PV_EXIT_UNJUDGED;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);

	if (m && !pv_cli_mps_few_bytes(&o->source, m))
		status = plan_machine(o, m, policy);
	pv_pci_machine_free(m);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int status;
	enum pv_mps_policy policy;

	if (!pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status))
		return status;
	status = pv_cli_mps_policy(self, o.policy, &policy);
	return status ? status : plan(&o, policy);
}

const struct pv_command pv_mps_plan_command = {
	.name = "mps plan",
	.args = "[DUMP]",
	.help = "what Linux would set under a policy, and what it gains",
	.text = "Computed by the engine of the reference driver on a copy: nothing is written.\n"
		"'*' marks values that change, '~' values that depend on firmware. Throughput is\n"
		"the maximum for 4096-byte transfers over the slowest link up to the Root Port.",
	.options = options,
	.run = run,
};
