/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link arithmetic (docs/hardware-notes.md section 5): what a link carries after encoding, and the most
 * payload that reads and writes of a size can get out of it, DLLPs left out.
 */
#include "framework/oracle/oracle.h"

#include "framework/util/cleanup.h"

#define LINK_BYTES    8 /* framing, sequence number, LCRC */
#define PREFIX_BYTES  4
#define FLITS_FROM_MT 64000

static unsigned request_bytes(bool addr64)
{
	return LINK_BYTES + (addr64 ? 16 : 12);
}

static unsigned pieces(unsigned size, unsigned limit)
{
	return size / limit + (size % limit != 0);
}

struct pv_link_rate pv_link_rate_of(unsigned speed, unsigned width)
{
	static const unsigned mt[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};

	if (speed >= ARRAY_SIZE(mt) || !mt[speed])
		return (struct pv_link_rate){0};
	return (struct pv_link_rate){mt[speed], width, mt[speed] >= FLITS_FROM_MT};
}

double pv_link_bytes_per_s(const struct pv_link_rate *l)
{
	/* 8b/10b at 2.5 and 5 GT/s, 128b/130b above */
	double code = l->speed_mt <= 5000 ? 8.0 / 10 : 128.0 / 130;

	return l->speed_mt * 1e6 * code * l->width / 8;
}

double pv_ceiling_write(const struct pv_link_rate *l, unsigned size, unsigned mps, bool addr64, unsigned prefixes)
{
	double wire;

	if (!size || !mps)
		return 0;
	wire = (double)pieces(size, mps) * (request_bytes(addr64) + PREFIX_BYTES * prefixes) + size;
	return pv_link_bytes_per_s(l) * size / wire;
}

/* Bytes of the completions to one read: 3DW headers, cut at the read completion boundary and at MPS. */
static double completion_bytes(unsigned size, unsigned mps, unsigned rcb)
{
	unsigned cut = rcb && rcb <= mps ? mps - mps % rcb : mps;

	return (double)pieces(size, cut) * (LINK_BYTES + 12) + size;
}

double pv_ceiling_read(const struct pv_link_rate *l, unsigned size, unsigned mps, unsigned mrrs, unsigned rcb,
		       bool addr64)
{
	double up, down;

	if (!size || !mps || !mrrs)
		return 0;
	up = (double)pieces(size, mrrs) * request_bytes(addr64);
	down = (double)(size / mrrs) * completion_bytes(mrrs, mps, rcb) + completion_bytes(size % mrrs, mps, rcb);
	return pv_link_bytes_per_s(l) * size / (up > down ? up : down);
}
