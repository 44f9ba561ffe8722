/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps diff: compares two dumps, of two machines or of one at different times. */
#include <stdio.h>
#include <string.h>

#include "framework/cli/mps.h"
#include "framework/mps/facts.h"
#include "framework/util/json.h"

enum { SAME = 0, DIFFERENT = 1, UNKNOWN = 2 };

struct options {
	struct pv_cli_mps source;
};

static const struct pv_option options[] = {
	{"json", 'j', PV_OPTION_FLAG, offsetof(struct options, source.json), NULL,
	 "a JSON array of objects: bdf, what, before, after"},
	{0},
};

/* The output of differences, and their number. */
struct diff {
	json_object *all; /* NULL: text */
	size_t n;
};

static void tell(struct diff *d, const struct pv_pci_func *f, const char *what, const char *before, const char *after)
{
	d->n++;
	if (!d->all) {
		printf("%s %s: %s -> %s\n", f->name, what, before, after);
		return;
	}
	json_object *o = json_object_new_object();

	json_object_object_add(o, "bdf", json_object_new_string(f->name));
	json_object_object_add(o, "what", json_object_new_string(what));
	json_object_object_add(o, "before", json_object_new_string(before));
	json_object_object_add(o, "after", json_object_new_string(after));
	json_object_array_add(d->all, o);
}

static void compare_texts(struct diff *d, const struct pv_pci_func *f, const char *what, const char *before,
			  const char *after)
{
	if (strcmp(before, after) != 0)
		tell(d, f, what, before, after);
}

static void compare_sizes(struct diff *d, const struct pv_pci_func *f, const char *what, int before, int after)
{
	char was[12], is[12];

	snprintf(was, sizeof(was), "%d", before);
	snprintf(is, sizeof(is), "%d", after);
	compare_texts(d, f, what, was, is);
}

static void compare_functions(struct diff *d, const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	if (!pv_has_few_bytes(a) && !pv_has_few_bytes(b))
		compare_texts(d, a, "type", pv_func_type(a)->name, pv_func_type(b)->name);
	compare_texts(d, a, "below", a->parent ? a->parent->name : "a root bus",
		      b->parent ? b->parent->name : "a root bus");
	if (!pv_has_sizes(a) || !pv_has_sizes(b))
		return;
	compare_sizes(d, a, "MPSS", pv_mpss_of(a), pv_mpss_of(b));
	compare_sizes(d, a, "MPS", pv_mps_of(a), pv_mps_of(b));
	compare_sizes(d, a, "MRRS", pv_mrrs_of(a), pv_mrrs_of(b));
	compare_sizes(d, a, "tags", (int)pv_tags_of(a), (int)pv_tags_of(b));
	compare_texts(d, a, "link", pv_link_text(pv_link_now(a)).s, pv_link_text(pv_link_now(b)).s);
	compare_texts(d, a, "link at most", pv_link_text(pv_link_most(a)).s, pv_link_text(pv_link_most(b)).s);
}

static void compare_machines(struct diff *d, const struct pv_pci_machine *a, const struct pv_pci_machine *b)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct pv_pci_func *other = pv_pci_find_name(b, a->funcs[i].name);

		if (other)
			compare_functions(d, &a->funcs[i], other);
		else
			tell(d, &a->funcs[i], "function", "there", "gone");
	}
	for (size_t i = 0; i < b->n; i++)
		if (!pv_pci_find_name(a, b->funcs[i].name))
			tell(d, &b->funcs[i], "function", "not there", "new");
}

/* Missing bytes, or truncated text, can hide differences. */
static int compare(const struct options *o, struct pv_cli_mps sources[2], const struct pv_pci_machine *a,
		   const struct pv_pci_machine *b)
{
	struct diff d = {.all = o->source.json ? json_object_new_array() : NULL};
	bool few = pv_cli_mps_few_bytes(&sources[0], a);

	few = pv_cli_mps_few_bytes(&sources[1], b) || few;
	compare_machines(&d, a, b);
	if (o->source.json && pv_cli_mps_print(d.all))
		return UNKNOWN;
	if (!o->source.json && !d.n && !few)
		printf("%zu function%s: no difference\n", a->n, a->n == 1 ? "" : "s");
	return d.n ? DIFFERENT : few ? UNKNOWN : SAME;
}

/* Compares two files, or the two listings in one file: then the second path is NULL. */
static int diff(const struct options *o, char **paths)
{
	const char *after = paths[1] ? paths[1] : paths[0];
	struct pv_cli_mps sources[] = {{.dump = paths[0]}, {.dump = after}};
	struct pv_error e = {0};
	struct pv_pci_machine *a = pv_pci_machine_open(paths[1] ? PV_PCI_DUMP : PV_PCI_FIRST, paths[0], &e);
	struct pv_pci_machine *b = a ? pv_pci_machine_open(paths[1] ? PV_PCI_DUMP : PV_PCI_SECOND, after, &e) : NULL;
	int status = UNKNOWN;

	if (b)
		status = compare(o, sources, a, b);
	else
		pv_cli_error("%s", e.text);
	pv_pci_machine_free(a);
	pv_pci_machine_free(b);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first != 1 && argc - first != 2)
		return pv_cli_error("%s: expected two dumps, or one file with two, got %d; see 'pcieval %s --help'",
				    self->name, argc - first, self->name);
	if (argc - first == 1 && !strcmp(argv[first], "-"))
		return pv_cli_error("%s: two listings on standard input: expected a file", self->name);
	return diff(&o, argv + first);
}

const struct pv_command pv_mps_diff_command = {
	.name = "mps diff",
	.args = "BEFORE [AFTER]",
	.help = "what differs between two dumps or moments",
	.text = "Compares functions by place: which are new or gone, and type, sizes, tags and\n"
		"links of the others. Text and bytes of one machine compare as equal. One file may\n"
		"have both listings, one after the other. Exit status: 0 no difference,\n"
		"1 differences, 2 could not tell.",
	.options = options,
	.run = run,
};
