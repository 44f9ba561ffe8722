/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSIs that wait. */
#include "framework/target/msi_delay.h"

void pv_held_latency(struct pv_held *h, uint64_t now_ps, uint64_t latency_ps)
{
	h->latency_ps = latency_ps;
	for (size_t i = 0; i < h->n; i++)
		if (h->msi[i].due_ps > now_ps + latency_ps)
			h->msi[i].due_ps = now_ps + latency_ps;
}

bool pv_held_add(struct pv_held *h, uint64_t now_ps, pv_bdf bdf, unsigned vector)
{
	if (!h->latency_ps)
		return false;
	for (size_t i = 0; i < h->n; i++)
		if (h->msi[i].bdf == bdf && h->msi[i].vector == vector)
			return true;
	if (h->n == PV_HELD_MAX)
		h->lost++;
	else
		h->msi[h->n++] = (struct pv_held_msi){now_ps + h->latency_ps, bdf, vector};
	return true;
}

/* PV_HELD_MAX: none waits. */
static size_t earliest(const struct pv_held *h)
{
	size_t first = PV_HELD_MAX;

	for (size_t i = 0; i < h->n; i++)
		if (first == PV_HELD_MAX || h->msi[i].due_ps < h->msi[first].due_ps)
			first = i;
	return first;
}

uint64_t pv_held_next_ps(const struct pv_held *h)
{
	size_t i = earliest(h);

	return i == PV_HELD_MAX ? UINT64_MAX : h->msi[i].due_ps;
}

bool pv_held_take(struct pv_held *h, uint64_t now_ps, struct pv_held_msi *out)
{
	size_t i = earliest(h);

	if (i == PV_HELD_MAX || h->msi[i].due_ps > now_ps)
		return false;
	*out = h->msi[i];
	h->msi[i] = h->msi[--h->n];
	return true;
}
