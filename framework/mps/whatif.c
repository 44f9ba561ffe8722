/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets the wanted sizes in the copy of the machine, and checks it before and after. */
#include "framework/mps/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"

/* ---- valid sizes of a function ---- */

static int refuse_function(const struct pv_pci_machine *m, const struct pv_wanted *wanted, struct pv_error *e)
{
	const struct pv_pci_func *f = wanted->func, *first = pv_pci_find(m, PCI_FIRST_ON_BUS(f->bdf));

	if (f->gone)
		return pv_error(e, -EINVAL, "%s: it does not answer", f->name);
	if (f->is_vf)
		return pv_error(e, -EINVAL, "%s: a VF has the sizes of its PF%s%s", f->name, f->pf ? ", " : "",
				f->pf ? f->pf->name : "");
	if (!f->pcie)
		return pv_error(e, -EINVAL, "%s: its MPS and MRRS are not known, or it has none", f->name);
	if (wanted->mps && f->is_ari && first && first != f)
		return pv_error(e, -EINVAL, "%s: function 0 decides the MPS of an ARI device: set that of %s", f->name,
				first->name);
	if (wanted->mps && f->is_ari_orphan)
		return pv_error(e, -EINVAL,
				"%s: function 0 decides the MPS of an ARI device, and is not in the dump or cannot be "
				"read",
				f->name);
	return 0;
}

static int refuse_sizes(const struct pv_wanted *wanted, const struct pv_planned *p, struct pv_error *e)
{
	if (wanted->mps > p->mpss)
		return pv_error(e, -EINVAL, "%s: MPS %d is above its MPSS, %d", p->func->name, wanted->mps, p->mpss);
	if (p->fixed_mrrs && wanted->mrrs > p->mrrs)
		return pv_error(e, -EINVAL, "%s: its host bridge takes no MRRS larger than firmware's, %d",
				p->func->name, p->mrrs);
	return 0;
}

static int take_wanted(const struct pv_pci_machine *m, const struct pv_wanted *wanted,
		       const struct pv_policy_plan *plan, struct pv_error *e)
{
	int err = refuse_function(m, wanted, e);
	struct pv_planned *p = err ? NULL : pv_policy_plan_of(plan, wanted->func);

	if (!err)
		err = refuse_sizes(wanted, p, e);
	if (err)
		return err;
	p->new_mps = wanted->mps ? wanted->mps : p->new_mps;
	p->new_mrrs = wanted->mrrs ? wanted->mrrs : p->new_mrrs;
	return 0;
}

/* ---- before and after ---- */

/* Copies the mismatches of `list` that `other` does not have, which `has` finds out. */
static int without(const struct pv_mismatches *list, const struct pv_mismatches *other,
		   bool (*has)(const struct pv_mismatches *, const struct pv_mismatch *), struct pv_mismatches *out)
{
	out->list = calloc(list->n + 1, sizeof(*out->list));
	if (!out->list)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++)
		if (!has(other, &list->list[i]))
			out->list[out->n++] = list->list[i];
	return 0;
}

static bool has_remark(const struct pv_remarks *remarks, const struct pv_remark *one)
{
	for (size_t i = 0; i < remarks->n; i++)
		if (remarks->list[i].func == one->func && !strcmp(remarks->list[i].text, one->text))
			return true;
	return false;
}

static void keep_new_remarks(struct pv_remarks *remarks, const struct pv_remarks *before)
{
	size_t kept = 0;

	for (size_t i = 0; i < remarks->n; i++)
		if (!has_remark(before, &remarks->list[i]))
			remarks->list[kept++] = remarks->list[i];
	remarks->n = kept;
}

/* Checks the copy with the wanted sizes in it. 0 or -ENOMEM. */
static int check_wanted(struct pv_pci_machine *m, bool peers, struct pv_what_if *w)
{
	int err = pv_check(m, peers, &w->after);

	if (!err)
		err = pv_cures_find(m, peers, &w->cures);
	/* Sizes do not cause error logs: with the mismatches of before, a log has the same remark as before. */
	return err ? err : pv_remarks_find(m, &w->before, &w->remarks);
}

static int compare(struct pv_pci_machine *m, bool peers, struct pv_what_if *w)
{
	struct pv_remarks before = {0};
	int err = pv_check(m, peers, &w->before);

	if (!err)
		err = pv_remarks_find(m, &w->before, &before);
	pv_policy_plan_put(m, &w->plan, true);
	if (!err)
		err = check_wanted(m, peers, w);
	pv_policy_plan_put(m, &w->plan, false);
	if (!err)
		err = without(&w->after, &w->before, pv_mismatches_have, &w->fresh);
	if (!err)
		err = without(&w->before, &w->after, pv_mismatches_may_have, &w->mended);
	if (!err)
		keep_new_remarks(&w->remarks, &before);
	pv_remarks_free(&before);
	return err;
}

int pv_what_if(struct pv_pci_machine *m, const struct pv_wanted *wanted, size_t n, bool peers, struct pv_what_if *w,
	       struct pv_error *e)
{
	*w = (struct pv_what_if){0};
	if (pv_policy_plan_present(m, &w->plan))
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < n; i++) {
		int err = take_wanted(m, &wanted[i], &w->plan, e);

		if (err)
			return err;
	}
	pv_policy_plan_judge(&w->plan);
	return compare(m, peers, w) ? pv_error(e, -ENOMEM, "no memory") : 0;
}

int pv_what_if_policy(struct pv_pci_machine *m, enum pv_mps_policy policy, struct pv_what_if *w, struct pv_error *e)
{
	*w = (struct pv_what_if){0};
	if (pv_policy_plan(m, policy, NULL, 0, &w->plan) || compare(m, false, w))
		return pv_error(e, -ENOMEM, "no memory");
	return 0;
}

void pv_what_if_free(struct pv_what_if *w)
{
	pv_policy_plan_free(&w->plan);
	pv_mismatches_free(&w->before);
	pv_mismatches_free(&w->after);
	pv_mismatches_free(&w->fresh);
	pv_mismatches_free(&w->mended);
	pv_cures_free(&w->cures);
	pv_remarks_free(&w->remarks);
}

bool pv_planned_changes(const struct pv_planned *p)
{
	return p->mps != p->new_mps || p->mrrs != p->new_mrrs || p->now.write != p->then.write ||
	       p->now.read != p->then.read;
}
