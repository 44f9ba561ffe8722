/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline for each requester: see timelines.h. */
#include "framework/analysis/timelines.h"

#include <stdlib.h>

#include "framework/analysis/kind_lut.h"

/* Returns the timeline of a requester, and adds it if needed. NULL: no room. */
static struct pv_timeline *timeline_of(struct pv_timelines *t, uint16_t requester)
{
	if (t->place[requester])
		return t->of[t->place[requester] - 1];
	if (t->n < PV_TIMELINES)
		t->of[t->n] = calloc(1, sizeof(*t->of[t->n]));
	if (t->n == PV_TIMELINES || !t->of[t->n]) {
		t->too_many = true;
		return NULL;
	}
	t->place[requester] = (uint8_t)++t->n;
	return t->of[t->n - 1];
}

static void count_one(struct pv_timelines *t, const struct pv_words *w, uint64_t time)
{
	const struct pv_kind_lut_kind *k = &pv_kind_lut_table[w->code];
	bool is_posted = k->has_data && k->cls == PV_CLASS_POSTED,
	     is_cpl = k->has_data && k->cls == PV_CLASS_COMPLETION;
	struct pv_timeline *of = NULL;

	if (k->requester_word)
		of = timeline_of(t, (uint16_t)((k->requester_word == 2 ? w->dw2 : w->dw1) >> 16));
	if (!of)
		return;
	uint64_t *sum = of->sum[pv_timeline_bin(of, time)];
	sum[PV_TIMELINE_TLPS]++;
	sum[PV_TIMELINE_POSTED_DW] += is_posted ? w->length : 0;
	sum[PV_TIMELINE_CPL_DW] += is_cpl ? w->length : 0;
	sum[PV_TIMELINE_READ_DW] += k->is_read ? w->length : 0;
}

void pv_timelines_count(struct pv_timelines *t, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time)
{
	for (size_t i = 0; i < n && !t->too_many; i++) {
		struct pv_words w = pv_words(f == PV_RECORD_8DW, data + i * pv_record_bytes(f));

		count_one(t, &w, time[i]);
	}
}

void pv_timelines_merge(struct pv_timelines *t, struct pv_timelines *from)
{
	t->too_many |= from->too_many;
	for (unsigned id = 0; id < 1 << 16 && !t->too_many; id++) {
		struct pv_timeline *to = from->place[id] ? timeline_of(t, (uint16_t)id) : NULL;

		if (to)
			pv_timeline_merge(to, from->of[from->place[id] - 1]);
	}
}

const struct pv_timeline *pv_timelines_find(const struct pv_timelines *t, uint16_t requester)
{
	return t->place[requester] ? t->of[t->place[requester] - 1] : NULL;
}

void pv_timelines_free(struct pv_timelines *t)
{
	for (unsigned i = 0; t && i < t->n; i++)
		free(t->of[i]);
	free(t);
}
