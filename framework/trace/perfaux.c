/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AUX area data of a perf.data: the AUX records that say how it is, the AUXTRACE records that hold it, and how one
 * AUXTRACE record goes on where the last of its buffer ended.
 */
#include <inttypes.h>
#include <string.h>

#include "framework/trace/perfdata.h"
#include "framework/util/cleanup.h"

/* PERF_RECORD_AUX flags */
#define AUX_TRUNCATED 1u
#define AUX_PARTIAL   4u
#define AUX_COLLISION 8u

static void problem(struct pv_trace *t, const struct pv_perf_record *r, uint64_t bytes, const char *what)
{
	pv_reader_problem(t, NULL, 0, r->file_offset, bytes, "%s", what);
}

static void mark(struct pv_trace *t, struct pv_trace_mark m)
{
	if (t->mark)
		t->mark(t->mark_ctx, &m);
}

/* ---- losses ---- */

int pv_perf_lost(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t lost;

	if (r->n < 24)
		return problem(t, r, r->n, "LOST record is too short"), 0;
	lost = pv_perf64(t->perf, r->bytes + 16);
	t->perf->losses++;
	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf lost %" PRIu64 " events here", lost);
	mark(t, (struct pv_trace_mark){.kind = PV_TRACE_LOST, .lost = lost});
	return 0;
}

int pv_perf_lost_samples(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t lost = r->n < 16 ? 0 : pv_perf64(t->perf, r->bytes + 8);

	if (!lost)
		return 0;
	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf lost %" PRIu64 " samples here", lost);
	mark(t, (struct pv_trace_mark){.kind = PV_TRACE_LOST_SAMPLES, .lost = lost});
	return 0;
}

/* ---- AUX: what is wrong with the stretch of AUX data that the record announces ---- */

/* Says it, and keeps where the data does not go on as if nothing had been. `s` may be NULL. */
static void flagged(struct pv_trace *t, struct pv_reader_stream *s, const struct pv_perf_flagged *f)
{
	static const struct {
		uint64_t flag;
		const char *what;
	} flags[] = {
		{AUX_TRUNCATED, "trace flagged truncated: records were lost behind AUX offset"},
		{AUX_PARTIAL, "trace flagged partial: there are gaps before AUX offset"},
		{AUX_COLLISION, "trace flagged collision: something was lost before AUX offset"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (f->flags & flags[i].flag)
			pv_reader_problem(t, s, s ? f->to - s->pub.aux_shift : 0, f->file_offset, 0, "%s %" PRIu64,
					  flags[i].what, f->to);
	mark(t, (struct pv_trace_mark){.kind = PV_TRACE_AUX_FLAGS,
				       .stream = s ? &s->pub : NULL,
				       .from = f->from,
				       .to = f->to,
				       .flags = f->flags});
	if (!s)
		t->perf->losses++;
	else if (f->flags & (AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION))
		s->cut = (struct pv_reader_cut){f->flags & (AUX_PARTIAL | AUX_COLLISION) ? f->from + 1 : f->to, f->to};
}

int pv_perf_aux(struct pv_trace *t, const struct pv_perf_record *r)
{
	struct pv_perfdata *p = t->perf;
	struct pv_perf_flagged f = {.idx = -1, .cpu = -1, .file_offset = r->file_offset};
	struct pv_reader_stream *s;

	if (r->n < 32)
		return problem(t, r, r->n, "AUX record is too short"), 0;
	f.flags = pv_perf64(p, r->bytes + 24);
	if (!f.flags)
		return 0;
	f.from = pv_perf64(p, r->bytes + 8);
	f.to = f.from + pv_perf64(p, r->bytes + 16);
	s = pv_perf_stream_of(t, r, &f);
	/* perf writes the first AUX record of a buffer before its first data. */
	if (!s && p->n_early < PERF_EARLY_MAX)
		p->early[p->n_early++] = f;
	else
		flagged(t, s, &f);
	return 0;
}

/* Applies marks that came before their stream. s NULL: no more streams will come. */
static void tell_early(struct pv_trace *t, struct pv_reader_stream *s)
{
	struct pv_perfdata *p = t->perf;
	size_t kept = 0;

	for (size_t i = 0; i < p->n_early; i++) {
		const struct pv_perf_flagged *f = &p->early[i];

		if (!s || f->idx < 0 || (f->idx == s->pub.idx && f->cpu == s->pub.cpu))
			flagged(t, s, f);
		else
			p->early[kept++] = *f;
	}
	p->n_early = kept;
}

/* ---- AUXTRACE ---- */

/* As many bytes of payload as can be there. */
static uint64_t bounded(struct pv_trace *t, const struct pv_reader_stream *s, uint64_t size, uint64_t file_offset)
{
	uint64_t end = t->in.bytes < t->perf->data_end ? t->in.bytes : t->perf->data_end;
	uint64_t room = t->in.pos < end ? end - t->in.pos : 0;

	if (end == UINT64_MAX || size <= room)
		return size;
	pv_reader_problem(t, s, s->pub.bytes, file_offset, size - room,
			  "AUXTRACE record claims %" PRIu64 " bytes, %" PRIu64 " can be there", size, room);
	return room;
}

/*
 * Does this data go on where the last record of the buffer was cut? perf pads each AUXTRACE record with zeros to
 * 8 bytes, which the next one's offset does not count: they are dropped.
 */
static bool goes_on(const struct pv_perfdata *p, struct pv_reader_stream *s, uint64_t offset)
{
	uint64_t pad = s->aux_end - offset;

	if (offset >= s->cut.from && offset <= s->cut.to && s->cut.to)
		return false;
	if (s->kept_losses != p->losses || pad >= PERF_ALIGNMENT || pad > s->n_kept)
		return false;
	for (uint64_t i = 0; i < pad; i++)
		if (s->kept[s->n_kept - 1 - i])
			return false;
	s->n_kept -= (size_t)pad;
	s->aux_end = offset;
	return true;
}

static void check_continuity(struct pv_trace *t, struct pv_reader_stream *s, uint64_t offset, uint64_t size,
			     uint64_t file_offset)
{
	if (s->aux_end && offset > s->aux_end)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, offset - s->aux_end,
				  "AUX data from %" PRIu64 " to %" PRIu64 " is missing", s->aux_end, offset);
	if (offset < s->aux_end)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, 0,
				  "AUX offset goes back from %" PRIu64 " to %" PRIu64, s->aux_end, offset);
	s->aux_end = offset + size < offset ? UINT64_MAX : offset + size;
	s->pub.aux_shift = offset - s->n_kept - s->pub.bytes;
}

/*
 * The second private word of AUXTRACE_INFO. Two proposals for perf fill it: one with the pattern of the data (0, 1),
 * one with the version of its decoder, 2, which says nothing of the data.
 */
static void take_version(struct pv_trace *t, struct pv_reader_stream *s, uint64_t version, uint64_t file_offset)
{
	s->pub.pattern = version == 1;
	if (version <= 2 || s->said_version)
		return;
	s->said_version = true;
	pv_reader_problem(t, s, s->pub.bytes, file_offset, 0,
			  "AUXTRACE_INFO names data pattern or decoder version %" PRIu64
			  ", which is not known: read as pattern 0",
			  version);
}

/* Is this payload a PTT's? Else it is reported and passed over. */
static bool is_known(struct pv_trace *t, struct pv_reader_stream *s, uint64_t size, uint64_t file_offset)
{
	const struct pv_perf_info *info = pv_perf_info_of(t->perf, s);

	if (!info && !t->perf->said_no_info)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, 0,
				  "AUX data without AUXTRACE_INFO before it: taken for a PTT's");
	t->perf->said_no_info |= !info;
	if (info && info->kind != PERF_AUXTRACE_HISI_PTT) {
		pv_reader_problem(t, s, s->pub.bytes, file_offset, size,
				  "AUX data of type %u is not a PTT's (6): not decoded", info->kind);
		return false;
	}
	if (info && !t->opt.pattern && !t->opt.all)
		take_version(t, s, info->version, file_offset);
	return true;
}

int pv_perf_auxtrace(struct pv_trace *t, const struct pv_perf_record *r)
{
	struct pv_perfdata *p = t->perf;
	const uint8_t *b = r->bytes;
	struct pv_reader_stream *s;
	uint64_t size, claimed, offset;

	if (r->n < PERF_AUXTRACE_BYTES || r->unpacked)
		return problem(t, r, r->n, "AUXTRACE record is too short, or compressed"), 0;
	p->any = true;
	claimed = pv_perf64(p, b + 8);
	offset = pv_perf64(p, b + 16);
	s = pv_perf_stream(t, pv_perf32(p, b + 32), pv_perf32(p, b + 40), pv_perf32(p, b + 36));
	if (!s) {
		if (!p->said_streams)
			problem(t, r, claimed, "more AUX buffers than can be told apart: not decoded");
		p->said_streams = true;
		pv_source_take(&t->in, r->n);
		return pv_source_skip(&t->in, claimed);
	}
	/* A record that is not continued comes first; then this one is met again. */
	if (s->n_kept && !goes_on(p, s, offset))
		return pv_reader_begin_kept(t, s), 1;
	tell_early(t, s);
	pv_source_take(&t->in, r->n);
	size = bounded(t, s, claimed, r->file_offset);
	check_continuity(t, s, offset, size, r->file_offset);
	if (!is_known(t, s, size, r->file_offset))
		return pv_source_skip(&t->in, size);
	s->kept_losses = p->losses;
	pv_reader_begin(t, s, size);
	return 1;
}

int pv_perf_auxtrace_end(struct pv_trace *t)
{
	struct pv_perfdata *p = t->perf;

	tell_early(t, NULL);
	for (; p->ended_streams < t->n_streams; p->ended_streams++)
		if (t->streams[p->ended_streams]->n_kept)
			return pv_reader_begin_kept(t, t->streams[p->ended_streams]), 1;
	if (!p->any && !p->said_end)
		pv_reader_problem(t, NULL, 0, t->in.pos, 0, "there is no AUX data in this perf.data");
	p->said_end = true;
	return 0;
}
