/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps show: the tree with its sizes. */
#include "framework/cli/mps.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"

struct options {
	struct pv_cli_mps source;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_JSON(struct options),
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

static int show(const struct options *o)
{
	int status = PV_EXIT_PASSED;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);
	struct pv_mismatches found;
	struct pv_remarks remarks = {0};

	if (!m)
		return status;
	if (pv_check(m, false, &found) || pv_remarks_find(m, &found, &remarks)) {
		pv_cli_error("no memory");
		status = PV_EXIT_UNJUDGED;
	} else if (o->source.json) {
		status = pv_cli_mps_print(pv_json_show(m, &found, &remarks));
	} else {
		pv_text_show(m, &found, stdout);
		if (found.n)
			printf("\n! %zu mismatch%s; see 'pcieval mps check'\n", found.n, found.n == 1 ? "" : "es");
	}
	if (pv_cli_mps_few_bytes(&o->source, m))
		status = PV_EXIT_UNJUDGED;
	pv_mismatches_free(&found);
	pv_remarks_free(&remarks);
	pv_pci_machine_free(m);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int status;

	return pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status) ? show(&o) : status;
}

const struct pv_command pv_mps_show_command = {
	.name = "mps show",
	.args = "[DUMP]",
	.help = "the tree with types, sizes and links",
	.text = "Sizes are in bytes; links are shown with their current and maximum speed and\n"
		"width. '!' marks functions with a mismatch. Exit status 3: some functions could\n"
		"not be read.",
	.options = options,
	.run = run,
};
