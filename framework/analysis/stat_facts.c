/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts derived from the statistics: sums by kind and by size, the largest requesters. */
#include "framework/analysis/kind_lut.h"
#include "framework/analysis/stat.h"

#define STRETCH 512 /* number of requesters tested for zero at once */

static unsigned length_of(unsigned index)
{
	return index ? index : PV_STAT_LENGTHS;
}

static bool is_memory_read(enum pv_tlp_kind k)
{
	return k >= PV_TLP_MRD32 && k <= PV_TLP_MRDLK64;
}

static bool is_read(enum pv_tlp_kind k)
{
	return is_memory_read(k) || k == PV_TLP_IORD || k == PV_TLP_CFGRD0 || k == PV_TLP_CFGRD1;
}

struct pv_stat_kind pv_stat_kind(const struct pv_stat *s, enum pv_tlp_kind kind)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];
	struct pv_stat_kind out = {0};

	if (pv_all_zero(s->sizes[kind], sizeof(s->sizes[kind])))
		return out;
	for (unsigned l = 0; l < PV_STAT_LENGTHS; l++) {
		uint64_t n = s->sizes[kind][l], bytes = 4ull * length_of(l);

		out.tlps += n;
		out.payload_bytes += k->has_data ? n * bytes : 0;
		out.asked_bytes += is_read(kind) ? n * bytes : 0;
		if (n && bytes > out.max_bytes && (k->has_data || k->cls == PV_CLASS_NONPOSTED))
			out.max_bytes = (unsigned)bytes;
	}
	return out;
}

uint64_t pv_stat_wire_bytes(const struct pv_stat *s)
{
	uint64_t bytes = 0;

	for (unsigned k = 1; k < PV_TLP_KINDS; k++) {
		const struct pv_tlp header = {
			.fmt = (uint8_t)(pv_tlp_kinds[k].has_data << 1 | pv_tlp_kinds[k].four_dw)};
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		bytes += v.tlps * pv_tlp_wire_bytes(&header, 0) + v.payload_bytes;
	}
	return bytes;
}

bool pv_stat_knows_relaxed(const struct pv_stat *s)
{
	return s->has_regions && !s->records[PV_RECORD_4DW];
}

bool pv_stat_knows_tags(const struct pv_stat *s)
{
	return s->has_match && !s->long_tags;
}

double pv_stat_mean_open(const struct pv_stat *s, const struct pv_stat_device *d)
{
	if (!pv_stat_knows_tags(s) || !s->time || !s->span || !d->latency.answered)
		return -1;
	return (double)d->latency.sum / (double)s->span;
}

unsigned pv_stat_tags_used(const struct pv_stat *s, const struct pv_stat_device *d)
{
	return pv_stat_knows_tags(s) ? pv_latency_tags(&d->latency) : 0;
}

unsigned pv_stat_most_open(const struct pv_stat *s, const struct pv_stat_device *d)
{
	return pv_stat_knows_tags(s) ? d->latency.most_open : 0;
}

/*
 * The three groups: requests with data and completions with data, which MPS limits, and memory reads, which MRRS
 * limits.
 */
static bool belongs(enum pv_stat_what what, enum pv_tlp_kind kind)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];

	switch (what) {
	case PV_STAT_WRITES:
		return k->has_data && !k->is_completion;
	case PV_STAT_COMPLETIONS:
		return k->has_data && k->is_completion;
	default:
		return is_memory_read(kind);
	}
}

/* Counts the TLPs of each Length. */
static void count_lengths(const struct pv_stat *s, enum pv_stat_what what, uint64_t out[PV_STAT_LENGTHS])
{
	memset(out, 0, PV_STAT_LENGTHS * sizeof(*out));
	for (unsigned k = 1; k < PV_TLP_KINDS; k++) {
		if (!belongs(what, (enum pv_tlp_kind)k) || pv_all_zero(s->sizes[k], sizeof(s->sizes[k])))
			continue;
		for (unsigned l = 0; l < PV_STAT_LENGTHS; l++)
			out[l] += s->sizes[k][l];
	}
}

void pv_stat_sizes(const struct pv_stat *s, enum pv_stat_what what, uint64_t out[PV_STAT_SIZES])
{
	uint64_t lengths[PV_STAT_LENGTHS];

	count_lengths(s, what, lengths);
	for (unsigned i = 0; i < PV_STAT_SIZES; i++)
		out[i] = 0;
	for (unsigned l = 0; l < PV_STAT_LENGTHS; l++) {
		unsigned bucket = 0;

		while (1u << bucket < length_of(l))
			bucket++;
		out[bucket] += lengths[l];
	}
}

unsigned pv_stat_largest(const struct pv_stat *s, enum pv_stat_what what)
{
	uint64_t lengths[PV_STAT_LENGTHS];
	unsigned largest = 0;

	count_lengths(s, what, lengths);
	for (unsigned l = 0; l < PV_STAT_LENGTHS; l++)
		if (4 * length_of(l) > largest && lengths[l])
			largest = 4 * length_of(l);
	return largest;
}

uint64_t pv_stat_above(const struct pv_stat *s, enum pv_stat_what what, unsigned limit)
{
	uint64_t lengths[PV_STAT_LENGTHS], n = 0;

	count_lengths(s, what, lengths);
	for (unsigned l = 0; l < PV_STAT_LENGTHS; l++)
		if (4 * length_of(l) > limit)
			n += lengths[l];
	return n;
}

static bool larger(const struct pv_stat *s, uint16_t a, uint16_t b)
{
	const struct pv_stat_requester *x = &s->requesters[a], *y = &s->requesters[b];

	return x->dw != y->dw ? x->dw > y->dw : x->tlps > y->tlps;
}

size_t pv_stat_top_requesters(const struct pv_stat *s, uint16_t *out, size_t n)
{
	size_t all = 0, kept = 0;

	for (unsigned id = 0; id < 1 << 16; id++) {
		size_t at;

		if (!(id % STRETCH) && pv_all_zero(&s->requesters[id], STRETCH * sizeof(s->requesters[id]))) {
			id += STRETCH - 1;
			continue;
		}
		if (!s->requesters[id].tlps)
			continue;
		all++;
		for (at = kept; at && larger(s, (uint16_t)id, out[at - 1]); at--)
			if (at < n)
				out[at] = out[at - 1];
		if (at < n) {
			out[at] = (uint16_t)id;
			kept += kept < n;
		}
	}
	return all;
}
