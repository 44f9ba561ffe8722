/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps check: mismatches that can cause Malformed TLPs. */
#include "framework/cli/mps.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"

enum { CLEAN = 0, MISMATCHED = 1, UNKNOWN = 2, UNJUDGED_MAX = 8 };

struct options {
	struct pv_cli_mps source;
	bool peers;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_JSON(struct options),
	{"peer2peer", 'p', PV_OPTION_FLAG, offsetof(struct options, peers), NULL,
	 "also check writes between devices below one Root Port"},
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

static void print_text(const struct pv_mismatches *found, const struct pv_pci_machine *m)
{
	pv_text_check(found, stdout);
	if (found->n)
		printf("%zu mismatch%s\n", found->n, found->n == 1 ? "" : "es");
	else if (!found->n_unjudged)
		printf("%zu functions: no mismatch\n", m->n);
	else
		pv_cli_error("%zu functions: no mismatch among those that can be judged; %zu cannot", m->n,
			     found->n_unjudged);
}

/* The same for many functions of a dump with few bytes: the first ones are enough. */
static void tell_unjudged(const struct pv_mismatches *found)
{
	for (size_t i = 0; i < found->n_unjudged && i < UNJUDGED_MAX; i++)
		pv_cli_error("cannot judge %s: %s", found->unjudged[i].func->name, found->unjudged[i].why);
	if (found->n_unjudged > UNJUDGED_MAX)
		pv_cli_error("cannot judge %zu more", found->n_unjudged - UNJUDGED_MAX);
}

/* A mismatch that was found is one, whatever else could not be judged. */
static int check(const struct options *o)
{
	int status = UNKNOWN;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);
	struct pv_mismatches found;

	if (!m)
		return UNKNOWN;
	if (pv_check(m, o->peers, &found)) {
		pv_cli_error("no memory");
	} else {
		status = found.n ? MISMATCHED : found.n_unjudged ? UNKNOWN : CLEAN;
		if (!o->source.json)
			print_text(&found, m);
		else if (pv_cli_mps_print(pv_json_check(&found)))
			status = UNKNOWN;
		tell_unjudged(&found);
	}
	pv_cli_mps_few_bytes(&o->source, m);
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int status;

	return pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status) ? check(&o) : status;
}

const struct pv_command pv_mps_check_command = {
	.name = "mps check",
	.args = "[DUMP]",
	.help = "mismatches that can cause Malformed TLPs",
	.text = "Follows the TLPs that each device can send, and the completions of its reads, to\n"
		"the Root Port and back. Each mismatch names the sender, the function for which\n"
		"the TLP is too long, and the path between them. Exit status: 0 no mismatch,\n"
		"1 mismatches, 2 could not tell: a part of a machine, a device in a guest.",
	.options = options,
	.run = run,
};
