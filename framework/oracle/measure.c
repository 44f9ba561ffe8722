/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures of a stretch of the ledger: counts, bytes, bandwidth, shares and bursts of the TLPs of one
 * direction of one link.
 */
#include <errno.h>

#include "framework/oracle/count.h"
#include "framework/oracle/measure_internal.h"
#include "framework/oracle/oracle.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

#define SMALLEST_RCB 64u
/* Times are whole picoseconds: what begins this much after the end of the one before is still back to back. */
#define GAP_SLACK    0.01
#define GAP_SLACK_PS 2

struct sums {
	uint64_t tlps, data_tlps, data_bytes, wire_bytes, all_wire_bytes;
	uint64_t first_ps, last_ps, last_data;
	uint64_t max_payload, reads, max_read, completions, off_boundary;
	uint64_t short_writes, last_short; /* with a header of 3 DW; 1: the last TLP is one */
	uint64_t bursts;
	/* the wire */
	double ps_per_byte;
	bool any, burst_has;
	uint64_t wire_ps, wire_len; /* begin and length of the last TLP on the wire */
};

static bool selected(const struct pv_measure_spec *s, const struct pv_tlp *tlp)
{
	unsigned cls = pv_tlp_kinds[tlp->kind].cls;

	if (s->classes && !(s->classes & cls))
		return false;
	return !s->of_requester || tlp->requester == s->requester;
}

static bool is_read(const struct pv_tlp *tlp)
{
	const uint32_t reads = 1u << PV_TLP_MRD32 | 1u << PV_TLP_MRD64 | 1u << PV_TLP_MRDLK32 | 1u << PV_TLP_MRDLK64;

	return reads >> tlp->kind & 1;
}

/* A burst ends where the wire falls idle; it counts if a selected TLP is in it. */
static void note_wire(struct sums *t, const struct pv_wire *w, bool counts)
{
	double busy_ps = (double)t->wire_len * t->ps_per_byte;

	if (t->any && (double)(w->time_ps - t->wire_ps) > busy_ps * (1 + GAP_SLACK) + GAP_SLACK_PS)
		t->burst_has = false;
	if (counts && !t->burst_has) {
		t->bursts++;
		t->burst_has = true;
	}
	t->any = true;
	t->wire_ps = w->time_ps;
	t->wire_len = w->wire_bytes;
}

static bool completes_read(const struct pv_tlp *tlp)
{
	return tlp->kind == PV_TLP_CPLD || tlp->kind == PV_TLP_CPLDLK;
}

/* All completions of a memory read but the last end at an RCB boundary (PCIe 5.0 2.3.1.1). */
static bool breaks_off(const struct pv_tlp *tlp, unsigned boundary)
{
	unsigned end = (tlp->lower_address & ~3u) + 4u * tlp->length_dw;
	bool last = tlp->byte_count <= end - tlp->lower_address;

	return completes_read(tlp) && !last && end % boundary;
}

static void note_good(struct sums *t, const struct pv_measure_spec *s, const struct pv_wire *w,
		      const struct pv_tlp *tlp)
{
	t->reads += is_read(tlp);
	t->completions += completes_read(tlp);
	t->off_boundary += breaks_off(tlp, s->boundary ? s->boundary : SMALLEST_RCB);
	if (!t->tlps++)
		t->first_ps = w->time_ps;
	t->last_ps = w->time_ps;
	t->last_data = w->data_bytes;
	t->last_short = tlp->kind == PV_TLP_MWR32;
	t->short_writes += t->last_short;
	t->data_bytes += w->data_bytes;
	t->data_tlps += w->data_bytes != 0;
	if (w->data_bytes > t->max_payload)
		t->max_payload = w->data_bytes;
	if (is_read(tlp) && 4u * tlp->length_dw > t->max_read)
		t->max_read = 4u * tlp->length_dw;
}

static void note(struct sums *t, const struct pv_measure_spec *s, const struct pv_wire *w)
{
	bool good = w->what == PV_WIRE_TLP && !(w->flags & PV_WIRE_F_DISCARDED);
	struct pv_tlp tlp;
	bool counts = false;

	if (w->what == PV_WIRE_TLP) {
		pv_tlp_decode(w->hdr, &tlp);
		t->all_wire_bytes += w->wire_bytes;
		counts = selected(s, &tlp);
		t->wire_bytes += counts ? w->wire_bytes : 0;
	}
	note_wire(t, w, counts && good);
	if (counts && good)
		note_good(t, s, w, &tlp);
}

static bool on_wire(const struct pv_measure_spec *s, const struct pv_wire *w)
{
	return (w->what == PV_WIRE_TLP || w->what == PV_WIRE_DLLP) && w->port == s->port && w->dir == s->dir &&
	       !(w->flags & PV_WIRE_F_ABORTED);
}

/* The least time a byte took, from one start to the next: the link's rate if any two were back to back. */
static int find_rate(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s,
		     double *ps_per_byte)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->inner_first, win->inner_last);
	uint64_t before_ps = 0, before_len = 0;
	const struct pv_wire *w;
	int error;

	if (!r)
		return -ENOMEM;
	*ps_per_byte = 0;
	while ((w = pv_ledger_next(r))) {
		if (!on_wire(s, w))
			continue;
		if (before_len && w->time_ps > before_ps) {
			double rate = (double)(w->time_ps - before_ps) / (double)before_len;

			if (*ps_per_byte == 0 || rate < *ps_per_byte)
				*ps_per_byte = rate;
		}
		before_ps = w->time_ps;
		before_len = w->wire_bytes;
	}
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

static int take_sums(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s, struct sums *t)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->inner_first, win->inner_last);
	const struct pv_wire *w;
	int error;

	if (!r)
		return -ENOMEM;
	while ((w = pv_ledger_next(r)))
		if (on_wire(s, w))
			note(t, s, w);
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

static int ratio(uint64_t a, uint64_t b, double *out)
{
	*out = b ? (double)a / (double)b : 0;
	return b ? 0 : -ENODATA;
}

/* Of nothing, any bound would hold. */
static int of_some(uint64_t value, uint64_t n, double *out)
{
	*out = (double)value;
	return n ? 0 : -ENODATA;
}

/* Times are truncated to whole picoseconds, so the real duration is less than 1 ps longer. */
static double bandwidth(const struct sums *t)
{
	if (t->tlps < 2)
		return 0;
	return (double)(t->data_bytes - t->last_data) * 1e12 / (double)(t->last_ps - t->first_ps + 1);
}

/* The share among the TLPs whose payload is in the bandwidth: all but the last one. */
static double short_writes(const struct sums *t)
{
	return t->tlps < 2 ? 0 : (double)(t->short_writes - t->last_short) / (double)(t->tlps - 1);
}

static int result(const struct sums *t, enum pv_measure what, double *out)
{
	switch (what) {
	case PV_MEASURE_TLPS:
		*out = (double)t->tlps;
		return 0;
	case PV_MEASURE_DATA_BYTES:
		*out = (double)t->data_bytes;
		return 0;
	case PV_MEASURE_WIRE_BYTES:
		*out = (double)t->wire_bytes;
		return 0;
	case PV_MEASURE_BANDWIDTH:
		*out = bandwidth(t);
		return 0;
	case PV_MEASURE_SHARE:
		return ratio(t->wire_bytes, t->all_wire_bytes, out);
	case PV_MEASURE_BURST:
		return ratio(t->tlps, t->bursts, out);
	case PV_MEASURE_BURSTS:
		*out = (double)t->bursts;
		return 0;
	case PV_MEASURE_MEAN_PAYLOAD:
		return ratio(t->data_bytes, t->data_tlps, out);
	case PV_MEASURE_MAX_PAYLOAD:
		return of_some(t->max_payload, t->data_tlps, out);
	case PV_MEASURE_MAX_READ:
		return of_some(t->max_read, t->reads, out);
	case PV_MEASURE_OFF_BOUNDARY:
		return of_some(t->off_boundary, t->completions, out);
	case PV_MEASURE_SHORT_WRITES:
		*out = short_writes(t);
		return 0;
	case PV_MEASURE_OUT_OF_ORDER:
		break;
	}
	return -EINVAL;
}

int pv_oracle_measure(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s, double *out)
{
	struct sums t = {0};
	int r = pv_count_check(l, win);

	if (!r && s->what == PV_MEASURE_OUT_OF_ORDER)
		return pv_measure_order(l, win, s, out);
	if (!r && s->link_bytes_per_s > 0)
		t.ps_per_byte = 1e12 / s->link_bytes_per_s;
	else if (!r)
		r = find_rate(l, win, s, &t.ps_per_byte);
	if (!r)
		r = take_sums(l, win, s, &t);
	return r ? r : result(&t, s->what, out);
}
