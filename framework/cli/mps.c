/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval mps`: dispatches to its subcommands; and their shared functions. */
#include "framework/cli/mps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/mps/facts.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

static const struct pv_command *const mps_commands[] = {
	&pv_mps_show_command, &pv_mps_plan_command,  &pv_mps_check_command,   &pv_mps_diff_command,
	&pv_mps_set_command,  &pv_mps_apply_command, &pv_mps_restore_command, NULL,
};

/* ---- shared ---- */

/* Takes the only argument, which is optional. 0, or the exit status. */
static int take_dump(const struct pv_command *self, struct pv_cli_mps *o, int argc, char **argv, int first)
{
	if (argc - first > 1)
		return pv_cli_error("%s: expected at most one DUMP, got %d; see 'pcieval %s --help'", self->name,
				    argc - first, self->name);
	o->dump = argc > first ? argv[first] : NULL;
	if (o->dump && o->sysfs)
		return pv_cli_error("%s: a DUMP and --sysfs: expected one of them", self->name);
	return 0;
}

bool pv_cli_mps_parse(const struct pv_command *self, int argc, char **argv, void *into, struct pv_cli_mps *source,
		      int *status)
{
	int first;

	if (!pv_cli_parse(self, argc, argv, into, &first, status))
		return false;
	*status = take_dump(self, source, argc, argv, first);
	return !*status;
}

int pv_cli_mps_status(int code)
{
	return code == -ENOMEM || code == -EIO ? PV_EXIT_UNJUDGED : PV_EXIT_USAGE;
}

struct pv_pci_machine *pv_cli_mps_read(const struct pv_cli_mps *o, int *status)
{
	struct pv_error e = {0};
	struct pv_pci_machine *m = o->dump ? pv_pci_machine_open(PV_PCI_DUMP, o->dump, &e)
					   : pv_pci_machine_open(PV_PCI_SYSFS, o->sysfs, &e);

	if (m && !m->n) {
		pv_pci_machine_free(m);
		m = NULL;
		pv_error(&e, -ENODEV, "%s: no PCI functions there", o->sysfs ? o->sysfs : "/sys/bus/pci");
	}
	if (m)
		return m;
	pv_cli_error("%s", e.text);
	*status = pv_cli_mps_status(e.code);
	return NULL;
}

/* Returns the reason why sizes of a function are unknown, and the remedy. NULL: they are known. */
static const char *why_few(const struct pv_cli_mps *o, const struct pv_pci_func *f)
{
	if (!pv_has_few_bytes(f))
		return NULL;
	if (f->note && f->note->lacks)
		return "no MPS and MRRS in the text; take it whole and as root: lspci -vv";
	if (!f->known && o->dump)
		return "only a heading, without registers; take it whole and as root: lspci -vv or lspci -xxxx";
	return o->dump ? "less than 256 bytes of configuration space, so without MPS and MRRS; take the dump as root: "
			 "lspci -xxxx"
		       : "less than 256 bytes of configuration space, so without MPS and MRRS; run this as root";
}

bool pv_cli_mps_few_bytes(const struct pv_cli_mps *o, const struct pv_pci_machine *m)
{
	const char *file = o->dump ? pv_file_name(o->dump) : "", *colon = o->dump ? ": " : "", *why = NULL;
	size_t few = 0;

	/* The first reason stands for all. */
	for (size_t i = 0; i < m->n; i++) {
		why = why ? why : why_few(o, &m->funcs[i]);
		few += pv_has_few_bytes(&m->funcs[i]);
	}
	if (few)
		pv_cli_error("%s%s%zu of %zu functions: %s", file, colon, few, m->n, why);
	return few > 0;
}

enum { UNJUDGED_MAX = 8 };

bool pv_cli_mps_unjudged(const struct pv_mismatches *found)
{
	for (size_t i = 0; i < found->n_unjudged && i < UNJUDGED_MAX; i++)
		pv_cli_error("cannot judge %s: %s", found->unjudged[i].func->name, found->unjudged[i].why);
	if (found->n_unjudged > UNJUDGED_MAX)
		pv_cli_error("cannot judge %zu more", found->n_unjudged - UNJUDGED_MAX);
	return found->n_unjudged > 0;
}

int pv_cli_mps_print(json_object *all)
{
	const char *text =
		all ? json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)
		    : NULL;

	if (text)
		puts(text);
	json_object_put(all);
	return text ? PV_EXIT_PASSED : (pv_cli_error("no memory"), PV_EXIT_UNJUDGED);
}

#define X(id, word) word,
const char *const pv_cli_mps_policies[] = {PV_MPS_POLICIES(X) NULL};
#undef X

int pv_cli_mps_policy(const struct pv_command *self, const char *name, enum pv_mps_policy *policy)
{
	if (!name)
		return pv_cli_error("%s: expected --policy " PV_CLI_MPS_POLICIES, self->name);
	int known = pv_type_index(&pv_types[PV_TYPE_POLICY], name);

	if (known >= 0)
		return *policy = (enum pv_mps_policy)known, 0;
	return pv_cli_error("--policy: expected " PV_CLI_MPS_POLICIES ", got '%s'%s", PV_SHOW(name),
			    pv_did_you_mean(name, pv_candidate_of_array, pv_cli_mps_policies).s);
}

bool pv_cli_mps_is_function(const char *text)
{
	struct pv_pci_place place;

	return pv_pci_parse_name(text, &place);
}

int pv_cli_mps_round_trip(const char *text, double *ns)
{
	char *unit;

	if (!text)
		return 0;
	*ns = strtod(text, &unit);
	if (!strcmp(unit, "us"))
		*ns *= 1000;
	else if (strcmp(unit, "ns") != 0)
		*ns = 0;
	if (*ns >= 1 && *ns <= 1e9)
		return 0;
	return pv_cli_error("--round-trip: expected a time from 1ns to 1000000us, got '%s'", PV_SHOW(text));
}

/* ---- the command ---- */

static int run(const struct pv_command *self, int argc, char **argv)
{
	return pv_cli_subcommand(self, argc, argv);
}

const struct pv_command pv_command_mps = {
	.name = "mps",
	.args = "COMMAND [DUMP]",
	.help = "MPS and MRRS of a machine: show, check, plan, apply",
	.text = "Of this machine, or of a DUMP: the output of 'lspci -vv' or 'lspci -xxxx', run\n"
		"as root on any machine, also where it stands in a mail (-: standard input).\n"
		"Only set, apply and restore write, and only with --yes.",
	.commands = mps_commands,
	.run = run,
};
