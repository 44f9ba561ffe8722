/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text lines of show and check. */
#include "framework/mps/text.h"

#include <stdlib.h>
#include <string.h>

#include "framework/mps/budget.h"
#include "framework/mps/facts.h"
#include "framework/mps/text_internal.h"
#include "framework/util/cleanup.h"

enum { TREE_COLUMNS = 27, DEPTH_MAX = 6, SIZE_TEXT = 12 };

/* ---- the tree ---- */

struct tree {
	const struct pv_pci_machine *machine;
	const struct pv_mismatches *found;
	const bool *shown; /* by index of the machine's functions; NULL: all */
	FILE *f;
	char rails[2 * DEPTH_MAX + 4]; /* " | " of the levels above */
};

struct size_text {
	char s[SIZE_TEXT];
};

static struct size_text size_text(const struct pv_pci_func *f, int bytes)
{
	struct size_text t = {"-"};

	if (pv_has_sizes(f))
		snprintf(t.s, sizeof(t.s), "%d", bytes);
	return t;
}

/* Prints device and function, and the buses below: "01.0-[02-04]". */
static void print_place(const struct tree *t, const struct pv_pci_func *f, char *out, size_t n)
{
	unsigned first = pv_pci_get(f, PCI_SECONDARY_BUS, 1), last = pv_pci_get(f, PCI_SUBORDINATE_BUS, 1);
	/* VFs may be on another bus than their siblings. */
	bool other_bus = f->parent && PCI_BUS(f->bdf) != pv_pci_get(f->parent, PCI_SECONDARY_BUS, 1);
	int len = snprintf(out, n, "%.*s", other_bus ? 7 : 4, f->name + strlen(f->name) - (other_bus ? 7 : 4));

	if (f->is_bridge && last > first)
		snprintf(out + len, n - (size_t)len, "-[%02x-%02x]", first, last);
	else if (f->is_bridge && first)
		snprintf(out + len, n - (size_t)len, "-[%02x]", first);
}

static void print_func(const struct tree *t, const struct pv_pci_func *f, bool last)
{
	struct pv_link_text now = pv_link_text(pv_link_now(f)), most = pv_link_text(pv_link_most(f));
	char place[32], left[64];
	bool has = pv_has_sizes(f);

	print_place(t, f, place, sizeof(place));
	snprintf(left, sizeof(left), "%s%s%s", t->rails, last ? "\\-" : "+-", place);
	fprintf(t->f, "%-*s %-11s %5s %5s%c%5s", TREE_COLUMNS, left, pv_func_type(f)->name,
		size_text(f, has ? pv_mpss_of(f) : 0).s, size_text(f, has ? pv_mps_of(f) : 0).s,
		pv_is_mismatched(t->found, f) ? '!' : ' ', size_text(f, has ? pv_mrrs_of(f) : 0).s);
	if (pv_link_most(f).width)
		fprintf(t->f, " %-11s %s", now.s, most.s);
	fputc('\n', t->f);
}

/* Returns the function itself or its next sibling that is shown. */
static const struct pv_pci_func *next_shown(const struct tree *t, const struct pv_pci_func *f)
{
	while (f && t->shown && !t->shown[f - t->machine->funcs])
		f = f->sibling;
	return f;
}

static bool same_bus(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	return a && b && a->bdf >> 8 == b->bdf >> 8;
}

/* Prints a level of the tree. Levels deeper than DEPTH_MAX are not indented further. */
static void print_level(struct tree *t, const struct pv_pci_func *first, unsigned depth)
{
	const struct pv_pci_func *f, *before = NULL, *next;
	size_t len = strlen(t->rails);

	for (f = next_shown(t, first); f; before = f, f = next) {
		next = next_shown(t, f->sibling);
		bool last = !next || (!f->parent && !same_bus(f, next));

		if (!f->parent && !same_bus(f, before))
			fprintf(t->f, "-[%.*s]\n", (int)strlen(f->name) - 5, f->name);
		print_func(t, f, last);
		if (depth < DEPTH_MAX)
			strcat(t->rails, last ? "  " : "| ");
		print_level(t, f->child, depth + 1);
		t->rails[len] = '\0';
	}
}

void pv_text_show(const struct pv_pci_machine *m, const struct pv_mismatches *found, const bool *shown, FILE *f)
{
	struct tree t = {m, found, shown, f, " "};

	fprintf(f, "%-*s %-11s %5s %5s %5s %-11s %s\n", TREE_COLUMNS, "function", "type", "MPSS", "MPS", "MRRS", "link",
		"at most");
	print_level(&t, pv_pci_first_root(m), 0);
}

/*
 * Prints "8086:1572 Ethernet controller: Intel Corporation Ethernet Controller X710 (i40e)"; unknown parts are left
 * out.
 */
static void print_name(struct pv_pci_names *names, const struct pv_pci_func *func, const char *indent, FILE *f)
{
	struct pv_pci_title t = pv_pci_title_of(names, func);
	char head[PV_PCI_NAME_BYTES + 8];
	_autofree_ char *words = NULL;

	if (!*t.ids && !*t.name && !*t.driver)
		return;
	snprintf(head, sizeof(head), "%s%s", indent, func->name);
	if (asprintf(&words, "%s%s%s%s%s%s", t.ids, *t.ids && *t.name ? " " : "", t.name, *t.driver ? " (" : "",
		     t.driver, *t.driver ? ")" : "") > 0)
		pv_put_wrapped(f, head, words, INDENT);
}

void pv_text_names(const struct pv_pci_machine *m, const bool *shown, FILE *f)
{
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; i < m->n; i++)
		if (!shown || shown[i])
			print_name(names, &m->funcs[i], "", f);
	pv_pci_names_close(names);
}

/* ---- mismatches ---- */

static void print_answer(const struct pv_mismatch *mismatch, const struct pv_cures *cures, FILE *f)
{
	_autofree_ char *cure = pv_cure_text(cures, mismatch), *symptom = pv_symptom_text(mismatch), *both = NULL;
	struct pv_evidence evidence = pv_evidence_of(mismatch);

	if (*evidence.text)
		pv_put_wrapped(f, "  evidence:", evidence.text, INDENT);
	if (cure && symptom && asprintf(&both, "%s; until then %s", cure, symptom) > 0)
		pv_put_wrapped(f, "  cure:", both, INDENT);
}

static void print_mismatch(const struct pv_mismatch *m, FILE *f)
{
	static const char *const happens[] = {
		[PV_MISMATCH_WRITE] = "writes up to",
		[PV_MISMATCH_COMPLETION] = "completes with up to",
		[PV_MISMATCH_PEER] = "writes to a peer up to",
	};
	_autofree_ char *way = pv_mismatch_way(m), *words = NULL;

	if (asprintf(&words, "%s %d bytes, %s takes %d: Malformed TLP", happens[m->kind], m->payload, m->to->name,
		     m->most) > 0)
		pv_put_wrapped(f, m->from->name, words, INDENT);
	if (m->kind != PV_MISMATCH_WRITE)
		fprintf(f, "  %s %s\n", m->kind == PV_MISMATCH_PEER ? "the peer:" : "to reads of", m->requester->name);
	fprintf(f, "  way: %s\n", way ? way : "");
}

static void print_ends(const struct pv_mismatch *m, struct pv_pci_names *names, FILE *f)
{
	print_name(names, m->from, "  ", f);
	print_name(names, m->to, "  ", f);
	if (m->requester != m->from && m->requester != m->to)
		print_name(names, m->requester, "  ", f);
}

void pv_text_check(const struct pv_mismatches *found, const struct pv_cures *cures, FILE *f)
{
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; i < found->n; i++) {
		print_mismatch(&found->list[i], f);
		if (cures)
			print_answer(&found->list[i], cures, f);
		print_ends(&found->list[i], names, f);
	}
	pv_pci_names_close(names);
}

void pv_text_remarks(const struct pv_remarks *remarks, FILE *f)
{
	for (size_t i = 0; i < remarks->n; i++) {
		char head[PV_PCI_NAME_BYTES + 4];

		snprintf(head, sizeof(head), "%s:", remarks->list[i].func->name);
		pv_put_wrapped(f, head, remarks->list[i].text, INDENT);
	}
}

size_t pv_text_budgets(const struct pv_pci_machine *m, FILE *f)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct pv_budget b;

		if (!pv_budget_find(&m->funcs[i], &b))
			continue;
		if (!n++)
			fprintf(f, "%-12s %7s %7s %7s %10s %7s %10s %7s\n", "uplink", "devices", "link", "below",
				"writes", "alone", "reads", "alone");
		fprintf(f, "%-12s %7zu %7.2f %7.2f%c %9.2f %7.2f %10.2f %7.2f\n", m->funcs[i].name, b.devices,
			b.link / 1e9, b.below / 1e9, pv_budget_is_short(&b) ? '!' : ' ', b.together.write / 1e9,
			b.alone.write / 1e9, b.together.read / 1e9, b.alone.read / 1e9);
	}
	return n;
}
