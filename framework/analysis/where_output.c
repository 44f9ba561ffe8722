/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text output of selected records: see where_output.h. */
#include "framework/analysis/where_output.h"

static char *one_chosen(const void *ctx, const struct pv_output_job *job, const struct pv_trace_record *r, size_t at,
			char *out)
{
	const struct pv_chosen_output *c = ctx;
	const struct pv_trace_block *b = &job->block;

	if (!pv_where_match(c->where, r))
		return out;
	return c->format ? c->format->record(out, r)
			 : pv_dump_record(out, b->format, b->data + at, (uint32_t)(b->piece_offset + at), false);
}

char *pv_output_chosen(const void *ctx, const struct pv_output_job *job, char *out)
{
	const struct pv_chosen_output *c = ctx;

	return pv_output_each(ctx, job, c->format ? pv_output_first(c->format, job, out) : out, one_chosen);
}
