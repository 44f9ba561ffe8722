/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, file and pipe mode: walks the records of the data section and begins a piece of payload at each
 * AUXTRACE record of a PTT. Every size is checked against what is there before it is believed.
 */
#include "framework/trace/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

/* PERF_RECORD_AUX flags */
#define AUX_TRUNCATED 1u
#define AUX_PARTIAL   4u
#define AUX_COLLISION 8u

bool pv_perfdata_magic(const uint8_t *p, size_t n)
{
	return n >= 8 && (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8));
}

int pv_perfdata_open(struct pv_trace *t, struct pv_error *e)
{
	t->perf = calloc(1, sizeof(*t->perf));
	if (!t->perf)
		return -ENOMEM;
	/* The magic is a number: PERFILE2 in memory is what a little-endian machine writes. */
	t->perf->big_endian = pv_source_data(&t->in)[0] == '2';
	return pv_perf_read_header(t, e);
}

void pv_perfdata_close(struct pv_perfdata *p)
{
	pv_perf_unpack_free(p->unpack);
	free(p->events);
	free(p->ids);
	free(p->pmus);
	free(p);
}

static void problem(struct pv_trace *t, const struct pv_perf_record *r, uint64_t bytes, const char *what)
{
	pv_reader_problem(t, NULL, 0, r->file_offset, bytes, "%s", what);
}

/* ---- kernel records ---- */

static int on_lost(struct pv_trace *t, const struct pv_perf_record *r)
{
	if (r->n < 24)
		return problem(t, r, r->n, "LOST record is too short"), 0;
	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf lost %" PRIu64 " events here",
			  pv_perf64(t->perf, r->bytes + 16));
	return 0;
}

static int on_lost_samples(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t lost = r->n < 16 ? 0 : pv_perf64(t->perf, r->bytes + 8);

	if (lost)
		pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf lost %" PRIu64 " samples here", lost);
	return 0;
}

/* What the flags say is wrong with the stretch of AUX data that the record announces. */
static int on_aux(struct pv_trace *t, const struct pv_perf_record *r)
{
	static const struct {
		uint64_t flag;
		const char *what;
	} flags[] = {
		{AUX_TRUNCATED, "trace flagged truncated: records were lost behind AUX offset"},
		{AUX_PARTIAL, "trace flagged partial: there are gaps before AUX offset"},
		{AUX_COLLISION, "trace flagged collision: something was lost before AUX offset"},
	};
	struct pv_reader_stream *s;
	uint64_t end;

	if (r->n < 32)
		return problem(t, r, r->n, "AUX record is too short"), 0;
	s = pv_perf_stream_of(t, r);
	end = pv_perf64(t->perf, r->bytes + 8) + pv_perf64(t->perf, r->bytes + 16);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (pv_perf64(t->perf, r->bytes + 24) & flags[i].flag)
			pv_reader_problem(t, s, end, r->file_offset, 0, "%s %" PRIu64, flags[i].what, end);
	return 0;
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

static void check_continuity(struct pv_trace *t, struct pv_reader_stream *s, uint64_t offset, uint64_t size,
			     uint64_t file_offset)
{
	if (s->aux_end && offset > s->aux_end)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, offset - s->aux_end,
				  "AUX data from %" PRIu64 " to %" PRIu64 " is missing", s->aux_end, offset);
	s->aux_end = offset + size < offset ? UINT64_MAX : offset + size;
}

/* Is this payload what we know? Else it is reported and passed over. */
static bool is_known(struct pv_trace *t, struct pv_reader_stream *s, uint64_t size, uint64_t file_offset)
{
	const struct pv_perf_info *info = pv_perf_info_of(t->perf, s);

	if (!info && !t->perf->said_no_info)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, 0,
				  "AUX data without AUXTRACE_INFO before it: taken for a PTT's");
	t->perf->said_no_info |= !info;
	if (!info || (info->kind == PERF_AUXTRACE_HISI_PTT && !info->pattern))
		return true;
	if (info->kind == PERF_AUXTRACE_HISI_PTT)
		pv_reader_problem(t, s, s->pub.bytes, file_offset, size,
				  "PTT data pattern %" PRIu64 " is not known (0 is): not decoded", info->pattern);
	else
		pv_reader_problem(t, s, s->pub.bytes, file_offset, size,
				  "AUX data of type %u is not a PTT's (6): not decoded", info->kind);
	return false;
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
	pv_source_take(&t->in, r->n);
	if (!s) {
		if (!p->said_streams)
			problem(t, r, claimed, "more AUX buffers than can be told apart: not decoded");
		p->said_streams = true;
		return pv_source_skip(&t->in, claimed);
	}
	size = bounded(t, s, claimed, r->file_offset);
	check_continuity(t, s, offset, size, r->file_offset);
	if (!is_known(t, s, size, r->file_offset))
		return pv_source_skip(&t->in, size);
	pv_reader_begin(t, s, size);
	return 1;
}

static int on_auxtrace_error(struct pv_trace *t, const struct pv_perf_record *r)
{
	enum { MESSAGE = 48, MESSAGE_MAX = 64 };
	int n = r->n <= MESSAGE ? 0 : r->n - MESSAGE < MESSAGE_MAX ? (int)(r->n - MESSAGE) : MESSAGE_MAX;

	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf noted an error: %.*s", n,
			  n ? (const char *)r->bytes + MESSAGE : "");
	return 0;
}

/* Its data follows the record, as a payload does. */
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

static uint64_t data_left(const struct pv_trace *t)
{
	return t->in.pos < t->perf->data_end ? t->perf->data_end - t->in.pos : 0;
}

/* Could a record begin here? */
static bool is_header(const struct pv_perfdata *p, const uint8_t *b)
{
	uint32_t type = pv_perf32(p, b), size = pv_perf16(p, b + 6);

	return type && type < PERF_TYPES && size >= PERF_HEADER_BYTES &&
	       (type != PERF_AUXTRACE || size == PERF_AUXTRACE_BYTES);
}

/* Two records in a row, or an AUXTRACE whose reserved word is 0: more than chance. n bytes are there. */
static bool is_convincing(const struct pv_perfdata *p, const uint8_t *b, size_t n)
{
	size_t size = pv_perf16(p, b + 6);

	if (!is_header(p, b) || size % 8 || size > n)
		return false;
	if (pv_perf32(p, b) == PERF_AUXTRACE)
		return !pv_perf32(p, b + 44);
	return size == n ||
	       (n - size >= PERF_HEADER_BYTES && is_header(p, b + size) && !(pv_perf16(p, b + size + 6) % 8));
}

/* Goes on to the next place where records seem to be. */
static int resync(struct pv_trace *t, const char *what)
{
	uint64_t from = t->in.pos, step = 1;
	int r = 0;

	do {
		if (step > data_left(t))
			step = data_left(t);
		pv_source_take(&t->in, (size_t)step);
		r = pv_source_need(&t->in, UINT16_MAX + PERF_HEADER_BYTES);
		size_t n = pv_source_avail(&t->in) < data_left(t) ? pv_source_avail(&t->in) : (size_t)data_left(t);

		if (n < PERF_HEADER_BYTES) {
			pv_source_take(&t->in, n);
			break;
		}
		if (is_convincing(t->perf, pv_source_data(&t->in), n))
			break;
		step = 1;
	} while (!r);
	pv_reader_problem(t, NULL, 0, from, t->in.pos - from, "%s", what);
	return r;
}

/* 1: one whole record is in the buffer, of *n bytes; 0: passed over damage; -ENODATA: the end; -errno. */
static int one_record(struct pv_trace *t, size_t *n)
{
	int r = pv_source_need(&t->in, PERF_HEADER_BYTES);
	size_t have = pv_source_avail(&t->in);

	if (r || !have || !data_left(t))
		return r ? r : -ENODATA;
	if (have < PERF_HEADER_BYTES || data_left(t) < PERF_HEADER_BYTES)
		return resync(t, "perf.data ends within a record's header");
	if (!is_header(t->perf, pv_source_data(&t->in)))
		return resync(t, "no perf record here");
	*n = pv_perf16(t->perf, pv_source_data(&t->in) + 6);
	r = pv_source_need(&t->in, *n);
	if (r)
		return r;
	if (pv_source_avail(&t->in) < *n || data_left(t) < *n)
		return resync(t, "perf.data ends within a record");
	return 1;
}

static int at_end(struct pv_trace *t)
{
	if (!t->perf->any && !t->perf->said_end)
		pv_reader_problem(t, NULL, 0, t->in.pos, 0, "there is no AUX data in this perf.data");
	t->perf->said_end = true;
	return 0;
}

int pv_perfdata_next(struct pv_trace *t)
{
	struct pv_perf_record rec = {0};
	int r;

	for (;;) {
		r = one_record(t, &rec.n);
		if (r < 0)
			return r == -ENODATA ? at_end(t) : r;
		if (!r)
			continue;
		rec.bytes = pv_source_data(&t->in);
		rec.file_offset = t->in.pos;
		r = pv_perf_handle(t, &rec);
		if (r)
			return r;
		/* Those that data follows have taken themselves. */
		if (t->in.pos == rec.file_offset)
			pv_source_take(&t->in, rec.n);
	}
}
