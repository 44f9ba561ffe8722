/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the records of the data section. A header is accepted if another one follows at the end of its record.
 * Otherwise the next record is searched for, so that a bad header only costs its own record.
 */
#include <errno.h>
#include <string.h>

#include "framework/trace/perfdata.h"

/* struct perf_record_auxtrace: offsets. */
enum { AUXTRACE_SIZE = 8, AUXTRACE_RESERVED = 44 };

static uint64_t data_left(const struct pv_trace *t)
{
	return t->in.pos < t->perf->data_end ? t->perf->data_end - t->in.pos : 0;
}

/* Bytes of the data section that are in the buffer. */
static size_t bytes_here(const struct pv_trace *t)
{
	size_t have = pv_source_avail(&t->in);

	return have < data_left(t) ? have : (size_t)data_left(t);
}

/* Returns true if a record could begin here. */
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
		return !pv_perf32(p, b + AUXTRACE_RESERVED);
	return size == n ||
	       (n - size >= PERF_HEADER_BYTES && is_header(p, b + size) && !(pv_perf16(p, b + size + 6) % 8));
}

/* ---- damage ---- */

/* Advances to the next place where records seem to begin. */
static int resync(struct pv_trace *t, const char *what)
{
	uint64_t from = t->in.pos, step = 1;
	int r = 0;

	do {
		if (step > data_left(t))
			step = data_left(t);
		pv_source_take(&t->in, (size_t)step);
		r = pv_source_need(&t->in, UINT16_MAX + PERF_HEADER_BYTES);
		size_t n = bytes_here(t);

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

/* Reads the header at a place, if possible without moving. */
static bool peek(struct pv_trace *t, uint64_t at, uint8_t header[PERF_HEADER_BYTES])
{
	size_t ahead = (size_t)(at - t->in.pos);

	if (t->in.seekable)
		return !pv_source_peek_at(&t->in, at, header, PERF_HEADER_BYTES);
	if (at - t->in.pos > bytes_here(t) || bytes_here(t) - ahead < PERF_HEADER_BYTES)
		return false;
	memcpy(header, pv_source_data(&t->in) + ahead, PERF_HEADER_BYTES);
	return true;
}

/*
 * Returns true if this looks like an AUXTRACE record without its header: its size leads to the next record or the end.
 */
static bool is_headless_auxtrace(struct pv_trace *t)
{
	const struct pv_perfdata *p = t->perf;
	const uint8_t *b = pv_source_data(&t->in);
	uint64_t end = t->in.bytes < p->data_end ? t->in.bytes : p->data_end, size, next;
	uint8_t header[PERF_HEADER_BYTES];

	if (bytes_here(t) < PERF_AUXTRACE_BYTES || pv_perf32(p, b + AUXTRACE_RESERVED))
		return false;
	size = pv_perf64(p, b + AUXTRACE_SIZE);
	next = t->in.pos + PERF_AUXTRACE_BYTES + size;
	if (!size || next < size || next > end)
		return false;
	return next == end || (peek(t, next, header) && is_header(p, header));
}

static int take_headless(struct pv_trace *t, struct pv_perf_record *r)
{
	r->headless = true;
	r->n = PERF_AUXTRACE_BYTES;
	pv_reader_problem(t, NULL, 0, t->in.pos, 0, "damaged header of an AUXTRACE record: read by its size of data");
	return 1;
}

/* ---- records ---- */

/* Some are followed by data: their size does not lead to the next record. */
static bool has_data_behind(const struct pv_perfdata *p, const uint8_t *b)
{
	return pv_perf32(p, b) == PERF_AUXTRACE || pv_perf32(p, b) == PERF_HEADER_TRACING_DATA;
}

/* An AUXTRACE record whose reserved word is not 0 is something else. */
static bool has_reserved_bits(const struct pv_trace *t)
{
	const uint8_t *b = pv_source_data(&t->in);

	return pv_perf32(t->perf, b) == PERF_AUXTRACE && pv_perf32(t->perf, b + AUXTRACE_RESERVED);
}

/* Returns true if this record of n bytes is followed by another record or by the end. */
static bool is_followed(struct pv_trace *t, size_t n)
{
	const uint8_t *b = pv_source_data(&t->in);

	return has_data_behind(t->perf, b) || bytes_here(t) - n < PERF_HEADER_BYTES || is_header(t->perf, b + n);
}

/* Returns true if the n bytes that this record claims contain other records. */
static bool hides_records(struct pv_trace *t, size_t n)
{
	const uint8_t *b = pv_source_data(&t->in);

	for (size_t at = PERF_HEADER_BYTES; at < n; at++)
		if (bytes_here(t) - at >= PERF_HEADER_BYTES && is_convincing(t->perf, b + at, bytes_here(t) - at))
			return true;
	return false;
}

/* Skips bytes that are no header, unless an AUXTRACE record with a damaged header is here. */
static int pass_over(struct pv_trace *t, struct pv_perf_record *r, const char *what)
{
	int err = pv_source_need(&t->in, PERF_AUXTRACE_BYTES);

	if (err)
		return err;
	return is_headless_auxtrace(t) ? take_headless(t, r) : resync(t, what);
}

/* No record follows it: its header is bad, or the next one. */
static int doubt(struct pv_trace *t, struct pv_perf_record *r)
{
	int err = pv_source_need(&t->in, UINT16_MAX + PERF_AUXTRACE_BYTES);

	if (err)
		return err;
	if (is_headless_auxtrace(t))
		return take_headless(t, r);
	return hides_records(t, r->n) ? resync(t, "no perf record ends where this one says it does") : 1;
}

static int whole_record(struct pv_trace *t, struct pv_perf_record *r)
{
	const uint8_t *b = pv_source_data(&t->in);
	int err;

	r->n = pv_perf16(t->perf, b + 6);
	err = pv_source_need(&t->in, r->n + (has_data_behind(t->perf, b) ? 0 : PERF_HEADER_BYTES));
	if (err)
		return err;
	if (bytes_here(t) < r->n)
		return pass_over(t, r, "perf.data ends within a record");
	if (has_reserved_bits(t))
		return resync(t, "no perf record here");
	return is_followed(t, r->n) ? 1 : doubt(t, r);
}

int pv_perf_sync(struct pv_trace *t, struct pv_perf_record *r)
{
	int found = pv_source_need(&t->in, PERF_HEADER_BYTES);

	if (found || !bytes_here(t))
		return found ? found : -ENODATA;
	*r = (struct pv_perf_record){.file_offset = t->in.pos};
	if (bytes_here(t) < PERF_HEADER_BYTES)
		return resync(t, "perf.data ends within a record's header");
	found = is_header(t->perf, pv_source_data(&t->in)) ? whole_record(t, r)
							   : pass_over(t, r, "no perf record here");
	r->bytes = pv_source_data(&t->in);
	return found;
}
