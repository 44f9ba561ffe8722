/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, file and pipe mode: walks the records of the data section. Every size is checked against the available
 * bytes. AUX records describe the AUX area, AUXTRACE records hold its data; each continues the previous one of its
 * buffer.
 */
#include "framework/trace/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

bool pv_perfdata_magic(const uint8_t *p, size_t n)
{
	return n >= 8 && (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8));
}

/*
 * `perf record --kcore` makes a folder, whose only perf.data is `data` (perf.data-directory-format.txt, version 0).
 * With --threads there are data.0, data.1 ... too; perf refuses that with AUX area tracing.
 */
int pv_perfdata_enter(int fd, const char *name, struct pv_error *e)
{
	struct stat st;
	int data;

	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return fd;
	_autoclose_ int folder = fd;

	if (!faccessat(folder, "data.0", F_OK, 0))
		return pv_error(
			e, -EBADMSG,
			"%s: a folder of perf record --threads (data.0 is there), which perf does not make with "
			"AUX area tracing: expected no trace in it; record without --threads",
			name);
	data = openat(folder, "data", O_RDONLY | O_CLOEXEC);
	if (data >= 0)
		return data;
	if (errno != ENOENT)
		return pv_error(e, -errno, "%s/data: %s", name, strerror(errno));
	return pv_error(e, -EISDIR, "%s: Is a directory: expected a file, or a folder of perf with the file 'data'",
			name);
}

int pv_perfdata_open(struct pv_trace *t, struct pv_error *e)
{
	t->perf = calloc(1, sizeof(*t->perf));
	if (!t->perf)
		return -ENOMEM;
	/* The magic is a number: a little-endian machine writes it as PERFILE2. */
	t->perf->big_endian = pv_source_data(&t->in)[0] == '2';
	return pv_perf_read_header(t, e);
}

void pv_perfdata_close(struct pv_perfdata *p)
{
	pv_perf_unpack_free(p->unpack);
	pv_perf_events_free(p);
	free(p);
}

/* ---- the AUX area ---- */

#define AUX_OVERWRITE 2u /* flag of PERF_RECORD_AUX: a snapshot; the data of earlier ones are not in the file */

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

static int on_lost(struct pv_trace *t, const struct pv_perf_record *r)
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

static int on_lost_samples(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t lost = r->n < 16 ? 0 : pv_perf64(t->perf, r->bytes + 8);

	if (!lost)
		return 0;
	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf lost %" PRIu64 " samples here", lost);
	mark(t, (struct pv_trace_mark){.kind = PV_TRACE_LOST_SAMPLES, .lost = lost});
	return 0;
}

/* ---- AUX: losses in the AUX data that the record announces ---- */

/* If the data with the hole were read before, or the stream is a guess, the next data of all streams come after one. */
static void note_hole(struct pv_trace *t, struct pv_reader_stream *s, const struct pv_perf_aux *f, uint64_t reports)
{
	if (!reports || f->to < f->from || f->to < s->pub.bytes + s->pub.aux_shift)
		return;
	pv_reader_add_hole(s, pv_reader_aux_hole(f->flags, f->from, f->to));
	if (f->idx >= 0)
		t->placed += reports;
}

/* Reports the flags of an AUX record. `s` may be NULL. */
static void flagged(struct pv_trace *t, struct pv_reader_stream *s, const struct pv_perf_aux *f)
{
	const struct pv_reader_aux_flag *flags = pv_reader_aux_flags;
	uint64_t before = t->problems;

	for (size_t i = 0; i < ARRAY_SIZE(pv_reader_aux_flags); i++)
		if (f->flags & flags[i].flag)
			pv_reader_problem(t, s, s ? f->to - s->pub.aux_shift : 0, f->file_offset, 0, "%s %" PRIu64,
					  flags[i].what, f->to);
	mark(t, (struct pv_trace_mark){.kind = PV_TRACE_AUX_FLAGS,
				       .stream = s ? &s->pub : NULL,
				       .from = f->from,
				       .to = f->to,
				       .flags = f->flags});
	if (s)
		note_hole(t, s, f, t->problems - before);
	else
		t->perf->losses++;
}

/* Takes what an AUX record says. `s` NULL: the file has no data of its buffer. */
static void take_aux(struct pv_trace *t, struct pv_reader_stream *s, const struct pv_perf_aux *f)
{
	if (f->flags)
		flagged(t, s, f);
	if (f->idx < 0 || f->flags & AUX_OVERWRITE)
		return;
	if (!s)
		pv_reader_problem(t, NULL, 0, f->file_offset, f->to,
				  "AUX data of buffer %" PRId64 ", up to AUX offset %" PRIu64 ", is missing", f->idx,
				  f->to);
	else if (f->to > s->announced)
		s->announced = f->to;
}

/*
 * Keeps it until data of its buffer come: perf writes the first AUX record of a buffer before its first data. Of those
 * without flags the last one says what all say.
 */
static void keep_early(struct pv_trace *t, const struct pv_perf_aux *f)
{
	struct pv_perfdata *p = t->perf;

	for (size_t i = 0; !f->flags && i < p->n_early; i++) {
		struct pv_perf_aux *e = &p->early[i];

		if (e->flags || e->idx != f->idx || e->cpu != f->cpu)
			continue;
		e->to = f->to > e->to ? f->to : e->to;
		return;
	}
	if (p->n_early < PERF_EARLY_MAX) {
		p->early[p->n_early++] = *f;
		return;
	}
	if (f->flags)
		flagged(t, NULL, f);
	if (!p->said_early)
		pv_reader_problem(t, NULL, 0, f->file_offset, 0,
				  "more than %d AUX records before their data: what these announce is not looked for",
				  PERF_EARLY_MAX);
	p->said_early = true;
}

static int on_aux(struct pv_trace *t, const struct pv_perf_record *r)
{
	const struct pv_perfdata *p = t->perf;
	struct pv_perf_aux f = {.idx = -1, .cpu = -1, .file_offset = r->file_offset};
	struct pv_reader_stream *s;

	if (r->n < 32)
		return problem(t, r, r->n, "AUX record is too short"), 0;
	f.flags = pv_perf64(p, r->bytes + 24);
	f.from = pv_perf64(p, r->bytes + 8);
	f.to = f.from + pv_perf64(p, r->bytes + 16);
	s = pv_perf_stream_of(t, r, &f);
	if (s)
		take_aux(t, s, &f);
	else
		keep_early(t, &f);
	return 0;
}

/* Applies marks that preceded their stream. s NULL: no more streams will follow. */
static void tell_early(struct pv_trace *t, struct pv_reader_stream *s)
{
	struct pv_perfdata *p = t->perf;
	size_t kept = 0;

	for (size_t i = 0; i < p->n_early; i++) {
		const struct pv_perf_aux *f = &p->early[i];

		if (!s || f->idx < 0 || (f->idx == s->pub.idx && f->cpu == s->pub.cpu))
			take_aux(t, s, f);
		else
			p->early[kept++] = *f;
	}
	p->n_early = kept;
}

/* ---- AUXTRACE ---- */

/* Returns the bytes of payload that the file can hold. */
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
 * Returns true if the data continue where the last record of the buffer was cut. perf pads each AUXTRACE record with
 * zeros to 8 bytes, which the next offset does not count: they are dropped.
 */
static bool goes_on(const struct pv_perfdata *p, struct pv_reader_stream *s, uint64_t offset)
{
	uint64_t pad = s->aux_end - offset;

	for (size_t i = 0; i < s->n_holes; i++)
		if (offset >= s->holes[i].from && offset <= s->holes[i].to)
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

/* The data of the stream end before AUX offset `to`. */
static void report_missing(struct pv_trace *t, const struct pv_reader_stream *s, uint64_t to, uint64_t file_offset)
{
	pv_reader_problem(t, s, s->pub.bytes, file_offset, to - s->aux_end,
			  "AUX data from %" PRIu64 " to %" PRIu64 " is missing", s->aux_end, to);
}

static void check_continuity(struct pv_trace *t, struct pv_reader_stream *s, uint64_t offset, uint64_t size,
			     uint64_t file_offset)
{
	if (s->aux_end && offset > s->aux_end)
		report_missing(t, s, offset, file_offset);
	if (offset < s->aux_end)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, 0,
				  "AUX offset goes back from %" PRIu64 " to %" PRIu64, s->aux_end, offset);
	s->aux_end = offset + size < offset ? UINT64_MAX : offset + size;
	s->pub.aux_shift = offset - s->n_kept - s->pub.bytes;
}

/*
 * The second private word of AUXTRACE_INFO. Two proposals for perf use it: one for the pattern of the data (0, 1), one
 * for the version of its decoder, 2, which is independent of the data.
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

/* Returns true if the payload is a PTT's. Otherwise it is reported and skipped. */
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

static int on_auxtrace(struct pv_trace *t, const struct pv_perf_record *r)
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
	/* A record that is not continued comes first; then this one is read again. */
	if (s->n_kept && !goes_on(p, s, offset))
		return pv_reader_begin_kept(t, s), 1;
	tell_early(t, s);
	pv_source_take(&t->in, r->n);
	size = bounded(t, s, claimed, r->file_offset);
	check_continuity(t, s, offset, claimed, r->file_offset);
	if (!is_known(t, s, size, r->file_offset))
		return pv_source_skip(&t->in, size);
	s->kept_losses = p->losses;
	pv_reader_begin(t, s, size);
	return 1;
}

/* 1: a record that was cut at the end remains to be read; 0: the end. */
static int end_auxtrace(struct pv_trace *t)
{
	struct pv_perfdata *p = t->perf;

	tell_early(t, NULL);
	for (; p->ended_streams < t->n_streams; p->ended_streams++) {
		struct pv_reader_stream *s = t->streams[p->ended_streams];

		if (s->n_kept)
			return pv_reader_begin_kept(t, s), 1;
		if (s->announced > s->aux_end)
			report_missing(t, s, s->announced, t->in.pos);
	}
	if (!p->any && !p->said_end)
		pv_reader_problem(t, NULL, 0, t->in.pos, 0, "there is no AUX data in this perf.data");
	p->said_end = true;
	return 0;
}

/* ---- records ---- */

static int on_auxtrace_error(struct pv_trace *t, const struct pv_perf_record *r)
{
	enum { MESSAGE = 48, MESSAGE_MAX = 64 };
	int n = r->n <= MESSAGE ? 0 : r->n - MESSAGE < MESSAGE_MAX ? (int)(r->n - MESSAGE) : MESSAGE_MAX;

	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf noted an error: %.*s", n,
			  n ? (const char *)r->bytes + MESSAGE : "");
	return 0;
}

/* The data of this record follows it, like a payload. */
static int on_tracing_data(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t size = r->n < 12 ? 0 : ((uint64_t)pv_perf32(t->perf, r->bytes + 8) + 7) & ~(uint64_t)7;

	if (r->unpacked)
		return 0;
	pv_source_take(&t->in, r->n);
	return pv_source_skip(&t->in, size);
}

int pv_perf_handle(struct pv_trace *t, const struct pv_perf_record *r)
{
	static pv_perf_handler *const handlers[PERF_TYPES] = {
		[PERF_LOST] = on_lost,
		[PERF_AUX] = on_aux,
		[PERF_LOST_SAMPLES] = on_lost_samples,
		[PERF_HEADER_ATTR] = pv_perf_attr,
		[PERF_HEADER_TRACING_DATA] = on_tracing_data,
		[PERF_ID_INDEX] = pv_perf_id_index,
		[PERF_AUXTRACE_INFO] = pv_perf_auxtrace_info,
		[PERF_AUXTRACE] = on_auxtrace,
		[PERF_AUXTRACE_ERROR] = on_auxtrace_error,
		[PERF_HEADER_FEATURE] = pv_perf_feature,
		[PERF_COMPRESSED] = pv_perf_compressed,
		[PERF_COMPRESSED2] = pv_perf_compressed,
	};
	uint32_t type = pv_perf32(t->perf, r->bytes);

	return type < PERF_TYPES && handlers[type] ? handlers[type](t, r) : 0;
}

/* ---- the walk ---- */

int pv_perfdata_next(struct pv_trace *t)
{
	struct pv_perf_record rec = {0};
	int r;

	for (;;) {
		r = pv_perf_sync(t, &rec);
		if (r < 0)
			return r == -ENODATA ? end_auxtrace(t) : r;
		if (!r)
			continue;
		r = rec.headless ? on_auxtrace(t, &rec) : pv_perf_handle(t, &rec);
		if (r)
			return r;
		/* Handlers of records with data behind them have consumed the record themselves. */
		if (t->in.pos == rec.file_offset)
			pv_source_take(&t->in, rec.n);
	}
}
