/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies each policy to the copy of the machine, and checks the result: a cure is reported only if it works. */
#include "framework/mps/cure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"
#include "framework/mps/peers.h"
#include "framework/util/cleanup.h"

int pv_plan_left(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool peers, struct pv_mismatches *left)
{
	int err;

	pv_policy_plan_put(m, plan, true);
	err = pv_check(m, peers, left);
	pv_policy_plan_put(m, plan, false);
	return err;
}

int pv_cures_find(struct pv_pci_machine *m, bool peers, struct pv_cures *cures)
{
	return pv_cures_find_from(m, peers, false, NULL, 0, cures);
}

int pv_cures_find_from(struct pv_pci_machine *m, bool peers, bool raises_root_ports, const struct pv_initial *initial,
		       size_t n_initial, struct pv_cures *cures)
{
	*cures = (struct pv_cures){.guessed[PV_MPS_SAFE] = pv_lacks_slot(m)};
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		if (pv_policy_plan_next(m, (enum pv_mps_policy)p, raises_root_ports, initial, n_initial,
					&cures->plans[p]) ||
		    pv_plan_left(m, &cures->plans[p], peers, &cures->left[p]) ||
		    pv_peers_count_across(m, &cures->plans[p], &cures->across[p]))
			return -ENOMEM;
	return 0;
}

void pv_cures_free(struct pv_cures *cures)
{
	for (int p = 0; p < PV_MPS_POLICIES_N; p++) {
		pv_policy_plan_free(&cures->plans[p]);
		pv_mismatches_free(&cures->left[p]);
	}
}

/* ---- changes by a policy ---- */

static void print_change(const struct pv_policy_plan *plan, const struct pv_pci_func *func, FILE *f, bool *any)
{
	const struct pv_planned *p = pv_policy_plan_of(plan, func);

	if (!p || p->new_mps == p->mps)
		return;
	fprintf(f, "%s%s %s to %d", *any ? " and " : "", p->new_mps < p->mps ? "lower" : "raise", func->name,
		p->new_mps);
	*any = true;
}

/* Returns the changes at both ends of the mismatch. "": neither changes. NULL: no memory. */
static char *changes_of(const struct pv_policy_plan *plan, const struct pv_mismatch *mismatch)
{
	const struct pv_planned *requester = pv_policy_plan_of(plan, mismatch->requester);
	char *text = NULL;
	bool any = false;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	print_change(plan, mismatch->from, f, &any);
	print_change(plan, mismatch->to, f, &any);
	if (mismatch->kind == PV_MISMATCH_COMPLETION && requester && requester->new_mrrs != requester->mrrs)
		fprintf(f, "%sset MRRS of %s to %d", any ? " and " : "", mismatch->requester->name,
			requester->new_mrrs);
	return fclose(f) ? NULL : text;
}

/* Prints the policies from `first` on that make the same changes: "as default and safe do". */
static void print_policies(char *const changes[PV_MPS_POLICIES_N], int first, FILE *f)
{
	int all = 0, n = 0;

	for (int p = first; p < PV_MPS_POLICIES_N; p++)
		all += changes[p] && !strcmp(changes[p], changes[first]);
	fprintf(f, "%s, as", changes[first]);
	for (int p = first; p < PV_MPS_POLICIES_N; p++) {
		if (!changes[p] || strcmp(changes[p], changes[first]) != 0)
			continue;
		fprintf(f, "%s %s", !n ? "" : n + 1 < all ? "," : " and", pv_mps_policy_word((enum pv_mps_policy)p));
		n++;
	}
	fputs(all == 1 ? " does" : " do", f);
}

char *pv_cure_text(const struct pv_cures *cures, const struct pv_mismatch *mismatch)
{
	char *changes[PV_MPS_POLICIES_N] = {0}, *text = NULL;
	bool any = false;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (int p = 0; f && p < PV_MPS_POLICIES_N; p++)
		if (!cures->guessed[p] && !pv_mismatches_may_have(&cures->left[p], mismatch))
			changes[p] = changes_of(&cures->plans[p], mismatch);
	for (int p = 0; f && p < PV_MPS_POLICIES_N; p++) {
		bool is_first = changes[p] && *changes[p];

		for (int k = 0; is_first && k < p; k++)
			is_first = !changes[k] || strcmp(changes[k], changes[p]) != 0;
		if (!is_first)
			continue;
		fputs(any ? "; or " : "", f);
		print_policies(changes, p, f);
		any = true;
	}
	if (f && !any)
		fprintf(f, "lower %s to %d; no policy of Linux does", mismatch->from->name, mismatch->most);
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		free(changes[p]);
	return f && !fclose(f) ? text : NULL;
}

char *pv_symptom_text(const struct pv_mismatch *mismatch)
{
	char *text = NULL;
	/* A Malformed TLP is discarded (PCIe 5.0 2.3): a write is lost, and a requester waits for its completion. */
	int n = mismatch->kind == PV_MISMATCH_COMPLETION
			? asprintf(&text, "reads of %s of more than %d bytes never complete", mismatch->requester->name,
				   mismatch->most)
			: asprintf(&text, "writes of %s of more than %d bytes are lost%s%s", mismatch->from->name,
				   mismatch->most, mismatch->kind == PV_MISMATCH_PEER ? " on the way to " : "",
				   mismatch->kind == PV_MISMATCH_PEER ? mismatch->requester->name : "");

	return n < 0 ? NULL : text;
}
