/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The delay of MSIs. */
#include "framework/target/msi_delay.h"

void pv_msi_delay_set(struct pv_msi_delay *d, uint64_t now_ps, uint64_t latency_ps)
{
	d->latency_ps = latency_ps;
	for (size_t i = 0; i < d->n; i++)
		if (d->msi[i].due_ps > now_ps + latency_ps)
			d->msi[i].due_ps = now_ps + latency_ps;
}

void pv_msi_delay_add(struct pv_msi_delay *d, uint64_t now_ps, pv_bdf bdf, unsigned vector)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->msi[i].bdf == bdf && d->msi[i].vector == vector)
			return;
	if (d->n == PV_MSI_DELAY_MAX)
		d->lost++;
	else
		d->msi[d->n++] = (struct pv_delayed_msi){now_ps + d->latency_ps, bdf, vector};
}

/* Returns PV_MSI_DELAY_MAX if none is waiting. */
static size_t earliest(const struct pv_msi_delay *d)
{
	size_t first = PV_MSI_DELAY_MAX;

	for (size_t i = 0; i < d->n; i++)
		if (first == PV_MSI_DELAY_MAX || d->msi[i].due_ps < d->msi[first].due_ps)
			first = i;
	return first;
}

uint64_t pv_msi_delay_next_ps(const struct pv_msi_delay *d)
{
	size_t i = earliest(d);

	return i == PV_MSI_DELAY_MAX ? UINT64_MAX : d->msi[i].due_ps;
}

bool pv_msi_delay_take(struct pv_msi_delay *d, uint64_t now_ps, struct pv_delayed_msi *out)
{
	size_t i = earliest(d);

	if (i == PV_MSI_DELAY_MAX || d->msi[i].due_ps > now_ps)
		return false;
	*out = d->msi[i];
	d->msi[i] = d->msi[--d->n];
	return true;
}

void pv_msi_delay_drop(struct pv_msi_delay *d, pv_bdf bdf)
{
	for (size_t i = d->n; i-- > 0;)
		if (d->msi[i].bdf == bdf)
			d->msi[i] = d->msi[--d->n];
}
