/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop over requests with an address: counts their address ranges, and the marks of memory requests. */
#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match.h"
#include "framework/analysis/stat_count.h"

/*
 * Returns true if a byte of the first or last DW is disabled. A read with TH has a steering tag instead of byte
 * enables.
 */
static bool is_partial(const struct pv_words *w)
{
	return (w->dw1 & 0xff) != (w->length == 1 ? 0xf : 0xff) && !(w->th && pv_kind_lut_table[w->code].is_read);
}

/* Decodes the record again, so that the caller can keep its words in registers. */
static __attribute__((noinline)) void mark_rare(struct pv_stat_marks *m, bool is_8dw, const uint8_t *record)
{
	struct pv_words w = pv_words(is_8dw, record);
	const struct pv_kind_lut_kind *k = &pv_kind_lut_table[w.code];
	unsigned at = (k->four_dw ? w.dw3 : w.dw2) & 0xffc;
	uint32_t *rare = m->rare[k->marked_flow];

	rare[PV_MARK_PARTIAL] += is_partial(&w);
	rare[PV_MARK_CROSS_4K] += at + 4 * w.length > 4096;
	rare[PV_MARK_OFF_4K] += !at;
	rare[PV_MARK_RELAXED] += is_8dw && w.relaxed;
}

/* Marks that are rare, or at least predictable, share one branch. */
static inline __attribute__((always_inline)) void mark(struct pv_stat_marks *m, bool is_8dw, const uint8_t *record,
						       const struct pv_words *w, unsigned at)
{
	bool is_partial = (w->dw1 & 0xff) != (w->length == 1 ? 0xf : 0xff), is_relaxed = is_8dw && w->relaxed;

	m->places[pv_kind_lut_table[w->code].marked_flow][(at >> 2 & 15) | (w->length & 15) << 4]++;
	if (__builtin_expect(is_partial | !at | is_relaxed | (at + 4 * w->length > 4096), 0))
		mark_rare(m, is_8dw, record);
}

/*
 * Lists the records with an address first: whether the next record has one is unpredictable, and a mispredicted branch
 * costs more than the list. All requests with an address write or ask for Length DW.
 */
static inline __attribute__((always_inline)) void addresses(struct pv_stat_counts *c, struct pv_addr_histogram *r,
							    bool is_8dw, const uint8_t *p, size_t n)
{
	const size_t size = is_8dw ? 32 : 16, header = is_8dw ? 8 : 0;
	uint16_t list[PV_MATCH_PIECE];
	size_t listed = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t d = pv_le32(p + i * size + header);

		list[listed] = (uint16_t)i;
		listed += pv_kind_lut_table[is_8dw ? d >> 24 : d >> 25].has_address;
	}
	for (size_t i = 0; i < listed; i++) {
		const uint8_t *record = p + list[i] * size;
		struct pv_words w = pv_words(is_8dw, record);
		const struct pv_kind_lut_kind *k = &pv_kind_lut_table[w.code];
		uint64_t address = k->four_dw ? (uint64_t)w.dw2 << 32 | (w.dw3 & ~3u) : w.dw2 & ~3u;
		struct pv_stat_slot *slot = c->slot_of[w.dw1 >> 16];

		pv_addr_histogram_add(r, address, w.length);
		if (__builtin_expect(!!slot, 1))
			mark(&slot->marks, is_8dw, record, &w, address & 0xffc);
	}
}

void pv_stat_count_addresses(struct pv_stat_counts *c, struct pv_addr_histogram *r, enum pv_record_format f,
			     const uint8_t *data, size_t n)
{
	if (f == PV_RECORD_8DW)
		addresses(c, r, true, data, n);
	else
		addresses(c, r, false, data, n);
}
