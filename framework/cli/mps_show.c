/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps show: prints the tree with its sizes, or one device and the bridges above it. */
#include <stdio.h>
#include <stdlib.h>

#include "framework/cli/mps.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"
#include "framework/util/hint.h"

struct options {
	struct pv_cli_mps source;
	const char *func; /* the given function; NULL: all */
};

static const struct pv_option options[] = {
	PV_CLI_MPS_JSON(struct options),
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

/* A machine, its mismatches and remarks, and the selected functions. */
struct view {
	struct pv_pci_machine *machine;
	struct pv_mismatches found;
	struct pv_remarks remarks;
	bool *shown; /* NULL: all */
};

static bool is_below(const struct pv_pci_func *f, const struct pv_pci_func *top)
{
	while (f && f != top)
		f = f->parent;
	return f;
}

/*
 * Selects a function, the others of its device, the bridges above it and all functions below it. 0, or the exit status
 * after a report.
 */
static int select_functions(struct view *v, const char *name)
{
	const struct pv_pci_machine *m = v->machine;
	const struct pv_pci_func *func = name ? pv_pci_find_name(m, name) : NULL;

	if (!name)
		return 0;
	if (!func)
		return pv_cli_error("%s: no such function; 'pcieval mps show' lists them", PV_SHOW(name));
	v->shown = calloc(m->n + 1, sizeof(*v->shown));
	if (!v->shown)
		return pv_cli_error("no memory"), PV_EXIT_UNJUDGED;
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		v->shown[i] = is_below(f, func) || is_below(func, f) ||
			      (f->parent == func->parent && f->bdf >> 3 == func->bdf >> 3);
	}
	return 0;
}

/* Prints remarks only if a device was given: check prints those of all devices. */
static void print_remarks(const struct view *v)
{
	for (size_t i = 0; v->shown && i < v->remarks.n; i++)
		if (v->shown[v->remarks.list[i].func - v->machine->funcs])
			pv_text_remarks(&(struct pv_remarks){&v->remarks.list[i], 1}, stdout);
}

static void print_text(const struct view *v)
{
	pv_text_show(v->machine, &v->found, v->shown, stdout);
	putchar('\n');
	pv_text_names(v->machine, v->shown, stdout);
	print_remarks(v);
	if (v->found.n)
		printf("\n! %zu mismatch%s; see 'pcieval mps check'\n", v->found.n, v->found.n == 1 ? "" : "es");
	if (v->found.n_unjudged)
		printf("\n%zu function%s cannot be judged; see 'pcieval mps check'\n", v->found.n_unjudged,
		       v->found.n_unjudged == 1 ? "" : "s");
}

static int print_view(const struct options *o, struct view *v)
{
	int status;

	if (pv_check(v->machine, false, &v->found) || pv_remarks_find(v->machine, &v->found, &v->remarks)) {
		pv_cli_error("no memory");
		return PV_EXIT_UNJUDGED;
	}
	status = select_functions(v, o->func);
	if (status)
		return status;
	if (o->source.json)
		return pv_cli_mps_print(pv_json_show(v->machine, &v->found, &v->remarks, v->shown));
	print_text(v);
	return PV_EXIT_PASSED;
}

static int show(const struct options *o)
{
	int status = PV_EXIT_PASSED;
	struct view v = {.machine = pv_cli_mps_read(&o->source, &status)};

	if (!v.machine)
		return status;
	status = print_view(o, &v);
	if (status != PV_EXIT_USAGE && pv_cli_mps_few_bytes(&o->source, v.machine))
		status = PV_EXIT_UNJUDGED;
	free(v.shown);
	pv_mismatches_free(&v.found);
	pv_remarks_free(&v.remarks);
	pv_pci_machine_free(v.machine);
	return status;
}

/* Removes the function from the arguments. */
static void take_function(struct options *o, int *argc, char **argv)
{
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		if (!o->func && pv_cli_mps_is_function(argv[i]))
			o->func = argv[i];
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int status;

	take_function(&o, &argc, argv);
	return pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status) ? show(&o) : status;
}

const struct pv_command pv_mps_show_command = {
	.name = "mps show",
	.args = "[FUNCTION] [DUMP]",
	.help = "the tree with types, sizes, links and names",
	.text = "Sizes are in bytes; links are shown with their current and maximum speed and\n"
		"width. '!' marks functions with a mismatch. With a FUNCTION like 65:00.0: its\n"
		"device, the way to it and what is below, with remarks. Exit status 3: some\n"
		"functions could not be read.",
	.options = options,
	.run = run,
};
