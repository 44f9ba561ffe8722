/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces: the input, and a copy changed as the last four bytes say (a stretch removed or inserted, a bit
 * changed). A trace must have no difference with itself. Records that are not reported must be in both traces, in the
 * same order. Sums must agree with each other and with the reports.
 */
#include "framework/analysis/diff.h"
#include "framework/trace/fuzz/walk.h"

struct told {
	const struct walk *a, *b;
	unsigned mask;
	uint8_t *in_a, *in_b; /* by record number: 1 if reported as a difference */
	uint64_t sums[4], place;
};

static void tell_one(const struct walk *w, uint8_t *told, const struct pv_diff_record *r)
{
	const struct pv_record *record;

	fuzz_check(r->number < w->n && !told[r->number]);
	record = &w->records[r->number].record;
	told[r->number] = 1;
	fuzz_check(r->format == record->format && r->offset == record->offset);
	for (size_t i = 0; i < pv_record_bytes(r->format); i++)
		fuzz_check(r->bytes[i] == (uint8_t)(record->dw[i / 4] >> 8 * (i % 4)));
}

static void tell(void *ctx, enum pv_diff_what what, uint64_t place, const struct pv_diff_record *a,
		 const struct pv_diff_record *b)
{
	struct told *t = ctx;

	fuzz_check(!a == (what == PV_DIFF_ONLY_B) && !b == (what == PV_DIFF_ONLY_A) &&
		   (place == t->place || place == t->place + 1));
	t->place = place;
	t->sums[what]++;
	if (what == PV_DIFF_MOVED || what == PV_DIFF_CHANGED)
		fuzz_check(t->a->records[a->number].record.tlp.kind == t->b->records[b->number].record.tlp.kind);
	if (what == PV_DIFF_MOVED && !t->mask)
		fuzz_check(walk_same_words(&t->a->records[a->number].record, &t->b->records[b->number].record));
	if (a)
		tell_one(t->a, t->in_a, a);
	if (b)
		tell_one(t->b, t->in_b, b);
}

static size_t next_same(const struct walk *w, const uint8_t *told, size_t i)
{
	while (i < w->n && told[i])
		i++;
	return i;
}

/* Other data patterns have longer tags and shorter addresses. */
static bool have_one_pattern(const struct pv_trace_record *x, const struct pv_trace_record *y)
{
	return x->stream->pattern == y->stream->pattern;
}

/* The records that were not reported must be equal, pairwise and in order. */
static void check_rest(const struct told *t, unsigned mask)
{
	size_t i = next_same(t->a, t->in_a, 0), k = next_same(t->b, t->in_b, 0);

	for (; i < t->a->n && k < t->b->n; i = next_same(t->a, t->in_a, i + 1), k = next_same(t->b, t->in_b, k + 1)) {
		const struct pv_record *x = &t->a->records[i].record, *y = &t->b->records[k].record;
		bool alike = have_one_pattern(&t->a->records[i], &t->b->records[k]);

		fuzz_check(x->format == y->format && x->tlp.kind == y->tlp.kind &&
			   x->tlp.length_dw == y->tlp.length_dw);
		fuzz_check(mask & PV_DIFF_TIME || x->time == y->time);
		fuzz_check(mask & PV_DIFF_TAG || !alike || x->tlp.tag == y->tlp.tag);
		fuzz_check(mask & PV_DIFF_ADDRESS || !alike || x->tlp.address == y->tlp.address);
		fuzz_check(mask & PV_DIFF_REQUESTER || x->tlp.requester == y->tlp.requester);
		fuzz_check(mask & PV_DIFF_PREFIX || x->prefix == y->prefix);
		fuzz_check(mask || walk_same_words(x, y));
	}
	fuzz_check(i == t->a->n && k == t->b->n);
}

static struct pv_diff_sums diff(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, unsigned mask, struct told *t)
{
	struct pv_trace *ta = pv_trace_open_memory(a, na, NULL), *tb = pv_trace_open_memory(b, nb, NULL);
	struct pv_diff_options o = {.mask = mask, .difference = t ? tell : NULL, .ctx = t};
	struct pv_diff_sums s;

	fuzz_check(ta && tb && !pv_trace_diff(ta, tb, &o, &s, NULL));
	pv_trace_close(ta);
	pv_trace_close(tb);
	return s;
}

static void check_two(const struct walk *a, const uint8_t *data, size_t size, const uint8_t *other, size_t n,
		      unsigned mask)
{
	struct walk b = walk_memory(other, n);
	struct told t = {.a = a, .b = &b, .mask = mask, .in_a = calloc(a->n + 1, 1), .in_b = calloc(b.n + 1, 1)};
	struct pv_diff_sums s;

	fuzz_check(t.in_a && t.in_b);
	if (b.trace) {
		s = diff(data, size, other, n, mask, &t);
		fuzz_check(s.a == a->n && s.b == b.n && s.places == t.place);
		fuzz_check(s.changed == t.sums[PV_DIFF_CHANGED] && s.moved == t.sums[PV_DIFF_MOVED]);
		fuzz_check(s.only_a == t.sums[PV_DIFF_ONLY_A] && s.only_b == t.sums[PV_DIFF_ONLY_B]);
		fuzz_check(s.a == s.same + s.changed + s.moved + s.only_a &&
			   s.b == s.same + s.changed + s.moved + s.only_b);
		check_rest(&t, mask);
	}
	free(t.in_a);
	free(t.in_b);
	walk_end(&b);
}

/*
 * Changes a copy of the input: how[0] and how[1] are the position of a stretch, how[2] its length, how[3] the kind of
 * change.
 */
static uint8_t *changed(const uint8_t *data, size_t size, const uint8_t how[4], size_t *n)
{
	size_t at = size ? (how[0] | how[1] << 8) % size : 0, stretch = size - at < how[2] ? size - at : how[2];
	bool taken_out = how[3] & 32;
	uint8_t *other = malloc(size + stretch + 1);

	fuzz_check(other);
	memcpy(other, data, size);
	*n = taken_out ? size - stretch : size + stretch;
	if (taken_out)
		memmove(other + at, data + at + stretch, size - at - stretch);
	else
		memmove(other + at + stretch, data + at, size - at);
	if (*n && how[3] & 64)
		other[at % *n] ^= (uint8_t)(1 << (how[3] & 7));
	return other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_diff_sums s;
	struct walk a;
	uint8_t *other;
	size_t n;

	if (size < 4)
		return 0;
	size -= 4;
	a = walk_memory(data, size);
	if (!a.trace)
		return 0;
	s = diff(data, size, data, size, 0, NULL);
	fuzz_check(s.same == a.n && !s.changed && !s.moved && !s.only_a && !s.only_b && !s.places);
	other = changed(data, size, data + size, &n);
	check_two(&a, data, size, other, n, data[size + 3] & 31);
	free(other);
	walk_end(&a);
	return 0;
}
