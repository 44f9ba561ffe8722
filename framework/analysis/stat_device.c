/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of single devices: see stat_device.h. */
#include "framework/analysis/stat_device.h"

#include <stdlib.h>

const char *const pv_stat_flow_names[PV_FLOWS] = {
	[PV_FLOW_WRITES] = "writes",
	[PV_FLOW_READS] = "reads",
	[PV_FLOW_COMPLETIONS] = "completions",
	[PV_FLOW_OTHER] = "other",
};

const char *const pv_stat_mark_names[PV_MARKS] = {
	[PV_MARK_PARTIAL] = "partial_enables", [PV_MARK_OFF_64] = "off_64",
	[PV_MARK_PART_LINE] = "part_of_64",    [PV_MARK_OFF_4K] = "off_4096",
	[PV_MARK_CROSS_4K] = "cross_4096",     [PV_MARK_RELAXED] = "relaxed_ordering",
};

enum pv_stat_flow_kind pv_stat_flow_of(enum pv_tlp_kind k)
{
	switch (k) {
	case PV_TLP_MWR32:
	case PV_TLP_MWR64:
		return PV_FLOW_WRITES;
	case PV_TLP_MRD32:
	case PV_TLP_MRD64:
	case PV_TLP_MRDLK32:
	case PV_TLP_MRDLK64:
		return PV_FLOW_READS;
	case PV_TLP_CPLD:
	case PV_TLP_CPLDLK:
		return PV_FLOW_COMPLETIONS;
	default:
		return PV_FLOW_OTHER;
	}
}

static unsigned octave_of(unsigned bytes)
{
	return 29 - (unsigned)__builtin_clz(bytes | 4);
}

double pv_stat_flow_mean(const struct pv_stat_flow *f)
{
	return f->tlps ? (double)f->bytes / (double)f->tlps : 0;
}

double pv_stat_flow_efficiency(const struct pv_stat_flow *f)
{
	return f->wire_bytes ? (double)f->bytes / (double)f->wire_bytes : 0;
}

uint64_t pv_stat_flow_below(const struct pv_stat_flow *f, unsigned bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < octave_of(bytes); i++)
		n += f->sizes[i];
	return n;
}

uint64_t pv_stat_device_payload(const struct pv_stat_device *d)
{
	return d->flow[PV_FLOW_WRITES].bytes + d->flow[PV_FLOW_COMPLETIONS].bytes + d->flow[PV_FLOW_OTHER].bytes;
}

uint64_t pv_stat_device_wire_bytes(const struct pv_stat_device *d)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < PV_FLOWS; i++)
		bytes += d->flow[i].wire_bytes;
	return bytes;
}

void pv_stat_device_add(struct pv_stat_device *d, enum pv_tlp_kind kind, unsigned length_dw, uint64_t n)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];
	const struct pv_tlp header = {.fmt = (uint8_t)(k->has_data << 1 | k->four_dw),
				      .length_dw = (uint16_t)length_dw};
	struct pv_stat_flow *f = &d->flow[pv_stat_flow_of(kind)];
	bool has_size = k->has_data || f == &d->flow[PV_FLOW_READS];
	unsigned bytes = has_size ? 4 * length_dw : 0;

	d->tlps += n;
	d->requests += k->cls == PV_CLASS_NONPOSTED ? n : 0;
	f->tlps += n;
	f->bytes += n * bytes;
	f->wire_bytes += n * pv_tlp_wire_bytes(&header, 0);
	if (bytes > f->largest)
		f->largest = bytes;
	if (has_size)
		f->sizes[octave_of(bytes)] += n;
}

static void merge_flow(struct pv_stat_flow *f, const struct pv_stat_flow *from)
{
	f->tlps += from->tlps;
	f->bytes += from->bytes;
	f->wire_bytes += from->wire_bytes;
	f->largest = f->largest > from->largest ? f->largest : from->largest;
	for (unsigned i = 0; i < PV_STAT_OCTAVES; i++)
		f->sizes[i] += from->sizes[i];
	for (unsigned i = 0; i < PV_MARKS; i++)
		f->marks[i] += from->marks[i];
}

void pv_stat_device_merge(struct pv_stat_device *d, const struct pv_stat_device *from)
{
	d->tlps += from->tlps;
	d->requests += from->requests;
	for (unsigned i = 0; i < PV_FLOWS; i++)
		merge_flow(&d->flow[i], &from->flow[i]);
	pv_latency_merge(&d->latency, &from->latency);
}

struct pv_stat_device *pv_stat_devices_get(struct pv_stat_devices *d, uint16_t requester)
{
	for (unsigned i = 0; i < d->n; i++)
		if (d->of[i].requester == requester)
			return &d->of[i];
	if (d->n == PV_STAT_DEVICES) {
		d->too_many = true;
		return NULL;
	}
	d->of[d->n].requester = requester;
	return &d->of[d->n++];
}

void pv_stat_devices_merge(struct pv_stat_devices *d, const struct pv_stat_devices *from)
{
	d->too_many |= from->too_many;
	for (unsigned i = 0; i < from->n; i++) {
		struct pv_stat_device *to = pv_stat_devices_get(d, from->of[i].requester);

		if (to)
			pv_stat_device_merge(to, &from->of[i]);
	}
}

void pv_stat_devices_latencies(struct pv_stat_devices *d, const struct pv_latencies *from)
{
	d->too_many |= from->too_many;
	for (unsigned i = 1; i <= from->n; i++) {
		struct pv_stat_device *to = pv_stat_devices_get(d, from->requester[i]);

		if (to)
			pv_latency_merge(&to->latency, &from->of[i]);
	}
}

static int by_size(const void *a, const void *b)
{
	const struct pv_stat_device *x = a, *y = b;

	if (pv_stat_device_payload(x) != pv_stat_device_payload(y))
		return pv_stat_device_payload(x) < pv_stat_device_payload(y) ? 1 : -1;
	if (x->tlps != y->tlps)
		return x->tlps < y->tlps ? 1 : -1;
	return (x->requester > y->requester) - (x->requester < y->requester);
}

void pv_stat_devices_sort(struct pv_stat_devices *d)
{
	if (d->too_many)
		d->n = 0;
	qsort(d->of, d->n, sizeof(d->of[0]), by_size);
}
