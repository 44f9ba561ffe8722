/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inner loop of the statistics. One counter per requester, kind and Length serves all tables: kinds, bytes, sizes,
 * requesters and devices. A table indexed by one byte of the header gives the properties of a kind. So the loop has
 * only two branches: its end, and one for new requesters, which is rarely taken.
 */
#include "framework/analysis/stat_count.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match.h"

#define PACK_TLP    ((uint64_t)1 << 40)
#define PACK_DW	    (PACK_TLP - 1)
#define PACK_MAX    ((1u << 24) - 1) /* records after which a packed word could overflow */
#define NO_BODY	    (1u << 16)
#define SLOTS_BYTES ((PV_STAT_DEVICES + 1) * sizeof(struct pv_stat_slot))
#define STRETCH	    512 /* number of requesters tested for zero at once */
/* A word holds three sums, each of the lengths of up to WEIGHED_MAX records. */
#define WEIGHT_BITS 21
#define WEIGHT_MASK (((uint64_t)1 << WEIGHT_BITS) - 1)
#define WEIGHED_MAX 2047
_Static_assert(WEIGHED_MAX *(uint64_t)1024 <= WEIGHT_MASK, "the sums of a word do not meet");

/* Properties of a kind for the loop, indexed by code; made from pv_kind_lut_table. Two fit into a cache line. */
struct step {
	uint64_t weight; /* selects the sum that gets the length: posted payload, completion payload, or read request */
	uint32_t kind;	 /* kind * PV_STAT_LENGTHS: the kind's first counter in sizes[] */
	uint32_t data_mask; /* all ones if the kind has payload */
	uint32_t requester; /* byte offset of the Requester ID in the header */
	uint32_t requester_mask, requester_else;
};
static struct step steps[256];
static bool has_length[PV_TLP_KINDS];
static pthread_once_t steps_once = PTHREAD_ONCE_INIT;

static void fill_steps(void)
{
	pv_kind_lut_init();
	for (unsigned i = 0; i < 256; i++) {
		const struct pv_kind_lut_kind *k = &pv_kind_lut_table[i];
		bool posted = k->has_data && k->cls == PV_CLASS_POSTED,
		     cpl = k->has_data && k->cls == PV_CLASS_COMPLETION;

		has_length[k->kind] = k->has_length;
		steps[i] = (struct step){
			.weight = posted       ? 1
				  : cpl	       ? (uint64_t)1 << WEIGHT_BITS
				  : k->is_read ? (uint64_t)1 << 2 * WEIGHT_BITS
					       : 0,
			.kind = k->kind * PV_STAT_LENGTHS,
			.data_mask = k->has_data ? UINT32_MAX : 0,
			.requester = 4u * (k->requester_word ? k->requester_word : 1) + 2,
			.requester_mask = k->requester_word ? 0xffff : 0,
			.requester_else = k->requester_word ? 0 : NO_BODY,
		};
	}
}

struct pv_stat_counts *pv_stat_counts_new(void)
{
	struct pv_stat_counts *c = calloc(1, sizeof(*c));

	pthread_once(&steps_once, fill_steps);
	if (!c)
		return NULL;
	/* Not calloc(), which clears them all if it has used memory to give: few are written. */
	c->slots = mmap(NULL, SLOTS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->slots == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->slot_of[NO_BODY] = &c->slots[PV_STAT_DEVICES];
	return c;
}

void pv_stat_counts_free(struct pv_stat_counts *c)
{
	if (c)
		munmap(c->slots, SLOTS_BYTES);
	free(c);
}

/* ---- adding up the counters ---- */

_Static_assert(PV_FLOW_WRITES == 0 && PV_FLOW_READS == 1 && PV_MARKED_FLOWS == 3, "the flows that have marks");

/* Adds counters to the marks of a device. */
static void add_marks(struct pv_stat_device *d, const struct pv_stat_marks *m)
{
	for (unsigned flow = 0; flow < PV_MARKED_FLOWS - 1; flow++) {
		uint64_t *to = d->flow[flow].marks, all = 0;

		for (unsigned i = 0; i < 256; i++) {
			all += m->places[flow][i];
			to[PV_MARK_OFF_64] += i & 15 ? m->places[flow][i] : 0;
			to[PV_MARK_PART_LINE] += i ? m->places[flow][i] : 0;
		}
		to[PV_MARK_PARTIAL] += m->rare[flow][PV_MARK_PARTIAL];
		/* rare[] counts addresses at a 4 KiB boundary. */
		to[PV_MARK_OFF_4K] += all - m->rare[flow][PV_MARK_OFF_4K];
		to[PV_MARK_CROSS_4K] += m->rare[flow][PV_MARK_CROSS_4K];
		to[PV_MARK_RELAXED] += m->rare[flow][PV_MARK_RELAXED];
	}
}

/* Adds a slot to the sums, and to the device of its requester; d NULL: it has none. */
static void add_slot(struct pv_stat_counts *c, struct pv_stat_slot *slot, struct pv_stat_device *d)
{
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		uint32_t *n = slot->sizes + k * PV_STAT_LENGTHS;

		if (pv_all_zero(n, PV_STAT_LENGTHS * sizeof(*n)))
			continue;
		c->has_kind[k] = true;
		for (unsigned l = 0; l < PV_STAT_LENGTHS; l++) {
			c->sizes[k][has_length[k] ? l : 0] += n[l];
			if (n[l] && d)
				pv_stat_device_add(d, (enum pv_tlp_kind)k, l ? l : PV_STAT_LENGTHS, n[l]);
		}
		memset(n, 0, PV_STAT_LENGTHS * sizeof(*n));
	}
	if (d)
		add_marks(d, &slot->marks);
	memset(&slot->marks, 0, sizeof(slot->marks));
}

/* Adds the packed sums to `to`, and clears them. */
static void unpack(struct pv_stat_counts *c, struct pv_stat_requester *to)
{
	for (size_t first = 0; c->has_packed && first < 1 << 16; first += STRETCH) {
		if (pv_all_zero(c->packed + first, STRETCH * sizeof(*c->packed)))
			continue;
		for (size_t i = first; i < first + STRETCH; i++) {
			to[i].tlps += c->packed[i] >> 40;
			to[i].dw += c->packed[i] & PACK_DW;
			c->packed[i] = 0;
		}
	}
	c->has_packed = false;
}

/* Adds up all pending counters, those of requesters without a slot to `rest`, and clears them. */
static void add_up(struct pv_stat_counts *c, struct pv_stat_requester *rest)
{
	for (unsigned i = 0; i < c->devices.n; i++)
		add_slot(c, &c->slots[i], &c->devices.of[i]);
	add_slot(c, &c->slots[PV_STAT_DEVICES], NULL);
	unpack(c, rest);
	c->pending = 0;
}

/* ---- the loop ---- */

static void add_bin(struct pv_timeline *t, unsigned bin, uint64_t tlps, uint64_t weighed)
{
	t->sum[bin][PV_TIMELINE_TLPS] += tlps;
	t->sum[bin][PV_TIMELINE_POSTED_DW] += weighed & WEIGHT_MASK;
	t->sum[bin][PV_TIMELINE_CPL_DW] += weighed >> WEIGHT_BITS & WEIGHT_MASK;
	t->sum[bin][PV_TIMELINE_READ_DW] += weighed >> 2 * WEIGHT_BITS;
}

static inline uint32_t le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return le16toh(v);
}

/* Gives a new requester a slot: its own, or, if all are taken, the shared last slot. */
static __attribute__((noinline, cold)) struct pv_stat_slot *new_slot(struct pv_stat_counts *c, uint16_t requester,
								     uint64_t dw)
{
	if (!pv_stat_devices_get(&c->devices, requester)) {
		c->packed[requester] += PACK_TLP | dw;
		c->has_packed = true;
		return &c->slots[PV_STAT_DEVICES];
	}
	c->slot_of[requester] = &c->slots[c->devices.n - 1];
	return c->slot_of[requester];
}

static inline __attribute__((always_inline)) struct pv_stat_slot *slot_of(struct pv_stat_counts *c, uint32_t requester,
									  uint64_t dw)
{
	struct pv_stat_slot *slot = c->slot_of[requester];

	return __builtin_expect(!!slot, 1) ? slot : new_slot(c, (uint16_t)requester, dw);
}

/* Counts one header. Returns its Length in the position of the kind's sum. */
static inline __attribute__((always_inline)) uint64_t count_one(struct pv_stat_counts *c, bool is_8dw, const uint8_t *h)
{
	uint32_t d = pv_le32(h), length = is_8dw ? d : d >> 11;
	const struct step *s = &steps[is_8dw ? d >> 24 : d >> 25];
	uint64_t dw = ((length - 1) & 0x3ff) + 1;
	uint32_t requester = (le16(h + s->requester) & s->requester_mask) | s->requester_else;

	slot_of(c, requester, dw & s->data_mask)->sizes[s->kind + (length & 0x3ff)]++;
	return s->weight * dw;
}

/* Returns the index of the first of time[from..n) that is at or after `end`. */
static size_t find_time(const uint64_t *time, size_t from, size_t n, uint64_t end)
{
	while (from < n) {
		size_t middle = from + (n - from) / 2;

		if (time[middle] < end)
			from = middle + 1;
		else
			n = middle;
	}
	return n;
}

static inline __attribute__((always_inline)) void count(struct pv_stat_counts *c, bool is_8dw, const uint8_t *p,
							size_t n, const uint64_t *time)
{
	const unsigned size = is_8dw ? 32 : 16, header = is_8dw ? 8 : 0;

	if (n)
		pv_timeline_bin(&c->timeline, time[n - 1]); /* the last time sets the length of the bins */
	for (size_t i = 0, end; i < n; i = end) {
		unsigned bin = pv_timeline_bin(&c->timeline, time[i]);
		uint64_t weighed = 0;

		end = find_time(time, i, n - i < WEIGHED_MAX ? n : i + WEIGHED_MAX,
				pv_timeline_bin_end(&c->timeline, bin));
#pragma GCC unroll 2
		for (size_t j = i; j < end; j++)
			weighed += count_one(c, is_8dw, p + j * size + header);
		add_bin(&c->timeline, bin, end - i, weighed);
	}
}

void pv_stat_count(struct pv_stat_counts *c, enum pv_record_format f, const uint8_t *data, size_t n,
		   const uint64_t *time)
{
	c->records[f] += n;
	c->pending += n;
	if (c->pending > PACK_MAX) {
		add_up(c, c->requesters);
		c->unpacked = true;
		c->pending = n;
	}
	if (f == PV_RECORD_8DW)
		count(c, true, data, n, time);
	else
		count(c, false, data, n, time);
}

/* ---- sums ---- */

static void add_requesters(const struct pv_stat_counts *c, struct pv_stat_requester *to)
{
	for (unsigned i = 0; i < c->devices.n; i++) {
		const struct pv_stat_device *d = &c->devices.of[i];

		to[d->requester].tlps += d->tlps;
		to[d->requester].dw += pv_stat_device_payload(d) / 4;
	}
	for (size_t i = 0; c->unpacked && i < 1 << 16; i++) {
		to[i].tlps += c->requesters[i].tlps;
		to[i].dw += c->requesters[i].dw;
	}
}

void pv_stat_counts_into(struct pv_stat_counts *c, uint64_t sizes[32][PV_STAT_LENGTHS],
			 struct pv_stat_requester *requesters, struct pv_timeline *timeline,
			 struct pv_stat_devices *devices)
{
	add_up(c, requesters);
	for (unsigned k = 0; k < PV_TLP_KINDS; k++)
		for (unsigned l = 0; c->has_kind[k] && l < PV_STAT_LENGTHS; l++)
			sizes[k][l] += c->sizes[k][l];
	add_requesters(c, requesters);
	pv_stat_devices_merge(devices, &c->devices);
	pv_timeline_merge(timeline, &c->timeline);
}
