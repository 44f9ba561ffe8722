/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps check: finds mismatches that can cause Malformed TLPs. */
#include "framework/cli/mps.h"
#include "framework/mps/html.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"
#include "framework/util/file.h"

enum { CLEAN = 0, MISMATCHED = 1, UNKNOWN = 2 };

struct options {
	struct pv_cli_mps source;
	const char *html;
	bool peers;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_JSON(struct options),
	{"peer2peer", 'p', PV_OPTION_FLAG, offsetof(struct options, peers), NULL,
	 "also check writes between devices below one Root Port"},
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "PAGE",
	 "also write a page with the tree as a picture, and what\neach policy sets; -: to standard output, instead"},
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

/* Mismatches with their cures, and remarks. */
struct answer {
	struct pv_mismatches found;
	struct pv_cures cures;
	struct pv_remarks remarks;
};

static bool find_all(struct pv_pci_machine *m, bool peers, struct answer *a)
{
	*a = (struct answer){0};
	return !pv_check(m, peers, &a->found) && !pv_cures_find(m, peers, &a->cures) &&
	       !pv_remarks_find(m, &a->found, &a->remarks);
}

static void free_all(struct answer *a)
{
	pv_mismatches_free(&a->found);
	pv_cures_free(&a->cures);
	pv_remarks_free(&a->remarks);
}

static void print_text(const struct answer *a, const struct pv_pci_machine *m)
{
	const struct pv_mismatches *found = &a->found;

	pv_text_check(found, &a->cures, stdout);
	/* If some functions could not be judged, "no mismatch" is no answer, so it must not go to standard output. */
	pv_text_remarks(&a->remarks, found->n || !found->n_unjudged ? stdout : stderr);
	if (found->n)
		printf("%zu mismatch%s\n", found->n, found->n == 1 ? "" : "es");
	else if (!found->n_unjudged)
		printf("%zu function%s: no mismatch\n", m->n, m->n == 1 ? "" : "s");
	else
		pv_cli_error("%zu function%s: no mismatch among those that can be judged; %zu cannot", m->n,
			     m->n == 1 ? "" : "s", found->n_unjudged);
}

static void put_page(const void *page, FILE *f)
{
	pv_mps_html(page, f);
}

static int write_page(const struct options *o, struct pv_pci_machine *m, const struct answer *a)
{
	const char *name = o->source.dump ? o->source.dump : "This machine";
	struct pv_cures others = {0}; /* with peer-to-peer writes if the answer is without, and vice versa */
	const struct pv_cures *plain = o->peers ? &others : &a->cures, *peers = o->peers ? &a->cures : &others;
	int status = PV_EXIT_UNJUDGED;

	if (pv_cures_find(m, !o->peers, &others))
		pv_cli_error("no memory");
	else
		status = pv_cli_write_page(o->html, put_page,
					   &(struct pv_mps_page){name, m, &a->found, plain, peers, &a->remarks});
	pv_cures_free(&others);
	return status;
}

/* A mismatch decides the exit status, even if other functions could not be judged. */
static int check(const struct options *o)
{
	int status = UNKNOWN;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);
	struct answer a;

	if (!m)
		return UNKNOWN;
	if (!find_all(m, o->peers, &a)) {
		pv_cli_error("no memory");
	} else {
		status = a.found.n ? MISMATCHED : a.found.n_unjudged ? UNKNOWN : CLEAN;
		if (!o->source.json && !pv_cli_is_stdout(o->html))
			print_text(&a, m);
		else if (o->source.json && pv_cli_mps_print(pv_json_check(&a.found, &a.cures)))
			status = UNKNOWN;
		if (o->html && write_page(o, m, &a))
			status = UNKNOWN;
		pv_cli_mps_unjudged(&a.found);
	}
	pv_cli_mps_few_bytes(&o->source, m);
	free_all(&a);
	pv_pci_machine_free(m);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct pv_error e = {0};
	int status;

	if (!pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status))
		return status;
	if (o.source.json && pv_cli_is_stdout(o.html))
		return pv_cli_error("mps check: --json and a page, both on standard output: expected one of them");
	if (o.html && pv_file_check_writable(o.html, &e))
		return pv_cli_error("--html: %s", e.text);
	return check(&o);
}

const struct pv_command pv_mps_check_command = {
	.name = "mps check",
	.args = "[DUMP]",
	.help = "mismatches that can cause Malformed TLPs",
	.text = "Follows the TLPs that each device can send, and the completions of its reads, to\n"
		"the Root Port and back. Each mismatch names the sender, the function for which\n"
		"the TLP is too long, the path between them, what it breaks, and which policy\n"
		"mends it. Exit status: 0 no mismatch, 1 mismatches, 2 could not tell: a part of\n"
		"a machine, a device in a guest.",
	.options = options,
	.run = run,
};
