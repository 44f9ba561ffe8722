/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of chosen records: see where_output.h. */
#include "framework/trace/where_output.h"

char *pv_output_chosen(const void *ctx, const struct pv_output_job *job, char *out)
{
	const struct pv_chosen_output *c = ctx;
	const struct pv_trace_block *b = &job->block;
	struct pv_trace_clock clock = job->clock;
	size_t step = pv_record_bytes(b->format);
	struct pv_trace_record r = {.stream = b->stream, .direction = pv_trace_stream_direction(b->stream, b->format)};

	for (size_t at = 0; at < b->bytes; at += step) {
		pv_record_decode(b->format, b->data + at, b->offset + at, &r.record);
		r.time = pv_trace_clock_at(&clock, b->format, r.record.time);
		r.file_offset = b->file_offset + at;
		if (!pv_where_match(c->where, &r))
			continue;
		out = c->format ? c->format->record(out, &r)
				: pv_dump_record(out, b->format, b->data + at, (uint32_t)(b->piece_offset + at), false);
	}
	return out;
}
