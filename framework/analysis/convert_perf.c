/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data as upstream perf reads it (tools/perf/Documentation/perf.data-file-format.txt): AUXTRACE_INFO, an ID_INDEX
 * for each AUX buffer, and an AUX and an AUXTRACE record for each piece of its data. A file has the events and the
 * names of PMUs at its end, where all are known; a pipe has them as records before the first data.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/analysis/convert.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define PIECE	     (1u << 20)
#define BUFFERS_MAX  4096
#define HEADER_BYTES 104
#define ATTR_BYTES   128 /* PERF_ATTR_SIZE_VER7 */
#define ID_BYTES     32	 /* size of the sample id that sample_id_all appends to a record */
#define DEFAULT_TYPE 8
#define NAME_BYTES   64

enum {
	LOST = 2,
	AUX = 11,
	LOST_SAMPLES = 13,
	HEADER_ATTR = 64,
	ID_INDEX = 69,
	AUXTRACE_INFO = 70,
	AUXTRACE = 71,
	HEADER_FEATURE = 80,
	HISI_PTT = 6,
	FEATURE_PMU_MAPPINGS = 16,
};

/* sample_type: IP (perf script requires it), TID, TIME, CPU, IDENTIFIER; attr flags: disabled, sample_id_all */
#define SAMPLE_TYPE (1u | 1u << 1 | 1u << 2 | 1u << 7 | 1u << 16)
#define ATTR_FLAGS  ((uint64_t)1 | (uint64_t)1 << 18)

#define CONFIG_TYPES  ((uint64_t)PTT_TYPES_ALL << PTT_CONFIG_TYPE_SHIFT)
#define CONFIG_8DW    ((uint64_t)PTT_CONFIG_FORMAT_8DW << PTT_CONFIG_FORMAT_SHIFT)
#define CONFIG_8DW_IN ((uint64_t)PTT_DIR_B << PTT_CONFIG_DIRECTION_SHIFT) /* direction 0 is reserved with 8DW */
#define CONFIG_PORTS  ((uint64_t)PTT_FILTER_IS_PORT | 1)

/* An AUX buffer. Its id is its index in buffers[] plus 1. */
struct buffer {
	const struct pv_trace_stream *stream;
	const char *pmu;
	bool has_event; /* the event comes from the input */
	uint32_t pmu_type, idx, cpu, tid;
	uint64_t config, aux_offset;
};

struct perf {
	int fd;
	bool is_pipe;
	struct pv_convert_event event;
	struct buffer buffers[BUFFERS_MAX];
	unsigned n, current;
	uint64_t at;	/* bytes written */
	size_t n_piece; /* bytes in piece[], of the current buffer */
	uint8_t piece[PIECE];
};

/* Returns true if the output cannot be rewritten at its start: it is no regular file, or not empty. */
static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode) || lseek(fd, 0, SEEK_CUR) != 0 || fcntl(fd, F_GETFL) & O_APPEND;
}

static void *perf_open(int fd, const struct pv_convert_options *o)
{
	struct perf *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	p->is_pipe = is_pipe(fd);
	p->event = o->event;
	if (!p->event.pmu)
		p->event.pmu = "hisi_ptt0_0";
	if (!p->event.pmu_type)
		p->event.pmu_type = DEFAULT_TYPE;
	return p;
}

/* ---- little-endian words in a buffer that is large enough ---- */

struct out {
	uint8_t bytes[256];
	size_t n;
};

static void put32(struct out *o, uint32_t v)
{
	memcpy(o->bytes + o->n, &(uint32_t){htole32(v)}, 4);
	o->n += 4;
}

static void put64(struct out *o, uint64_t v)
{
	put32(o, (uint32_t)v);
	put32(o, (uint32_t)(v >> 32));
}

static void put_record(struct out *o, uint32_t type, uint16_t bytes)
{
	put32(o, type);
	put32(o, (uint32_t)bytes << 16);
}

static int flush(struct perf *p, const void *data, size_t n)
{
	int r = pv_write_all(p->fd, data, n);

	p->at += n;
	return r;
}

/* Writes text in a field of `bytes`, padded with zeros. */
static void put_text(struct out *o, const char *text, size_t bytes)
{
	memset(o->bytes + o->n, 0, bytes);
	memcpy(o->bytes + o->n, text, strnlen(text, bytes - 1));
	o->n += bytes;
}

/* Writes the sample id of a buffer: pid and tid (none), time, CPU, id. */
static void put_id(struct out *o, const struct perf *p, unsigned buffer)
{
	put64(o, UINT64_MAX);
	put64(o, 0);
	put64(o, p->buffers[buffer].cpu);
	put64(o, buffer + 1);
}

/* ---- events and PMUs ---- */

static void put_attr(struct out *o, const struct buffer *b)
{
	size_t end = o->n + ATTR_BYTES;

	memset(o->bytes + o->n, 0, ATTR_BYTES);
	put32(o, b->pmu_type);
	put32(o, ATTR_BYTES);
	put64(o, b->config);
	put64(o, 1); /* sample_period */
	put64(o, SAMPLE_TYPE);
	put64(o, 0); /* read_format */
	put64(o, ATTR_FLAGS);
	o->n = end;
}

static void put_pmu(struct out *o, const struct buffer *b)
{
	put32(o, b->pmu_type);
	put32(o, NAME_BYTES);
	put_text(o, b->pmu, NAME_BYTES);
}

/* The second private word is the data pattern, as the reader expects it (perfdata.c). */
static int write_info(struct perf *p, const struct buffer *b)
{
	unsigned pattern = b->stream ? b->stream->pattern : 0;
	struct out o = {.n = 0};

	put_record(&o, AUXTRACE_INFO, pattern ? 32 : 24);
	put32(&o, HISI_PTT);
	put32(&o, 0);
	put64(&o, b->pmu_type);
	if (pattern)
		put64(&o, pattern);
	return flush(p, o.bytes, o.n);
}

static int write_id_index(struct perf *p, unsigned buffer)
{
	const struct buffer *b = &p->buffers[buffer];
	struct out o = {.n = 0};

	put_record(&o, ID_INDEX, 16 + 32);
	put64(&o, 1);
	put64(&o, buffer + 1);
	put64(&o, b->idx);
	put64(&o, (uint64_t)(int64_t)(int32_t)b->cpu);
	put64(&o, (uint64_t)(int64_t)(int32_t)b->tid);
	return flush(p, o.bytes, o.n);
}

/* Pipe mode: writes the event and the PMU of one buffer. */
static int write_event(struct perf *p, unsigned buffer)
{
	struct out o = {.n = 0};

	put_record(&o, HEADER_ATTR, 8 + ATTR_BYTES + 8);
	put_attr(&o, &p->buffers[buffer]);
	put64(&o, buffer + 1);
	put_record(&o, HEADER_FEATURE, 8 + 8 + 4 + 8 + NAME_BYTES + 4);
	put64(&o, FEATURE_PMU_MAPPINGS);
	put32(&o, 1);
	put_pmu(&o, &p->buffers[buffer]);
	put32(&o, 0);
	return flush(p, o.bytes, o.n);
}

/* ---- buffers ---- */

static uint64_t config_of(const struct perf *p, const struct pv_trace_stream *s, enum pv_record_format f)
{
	if (p->event.has_config)
		return p->event.config;
	if (s && s->has_config)
		return s->config;
	return CONFIG_PORTS | CONFIG_TYPES | (f == PV_RECORD_8DW ? CONFIG_8DW | CONFIG_8DW_IN : 0);
}

static void name_event(const struct perf *p, struct buffer *b, enum pv_record_format f)
{
	const struct pv_trace_stream *s = b->stream;

	b->pmu = s && s->pmu[0] ? s->pmu : p->event.pmu;
	b->pmu_type = s && s->pmu_type ? s->pmu_type : p->event.pmu_type;
	b->config = config_of(p, s, f);
	b->has_event = s && s->has_config;
}

/* Returns true if no earlier buffer belongs to the same PMU. */
static bool is_first_of_pmu(const struct perf *p, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (p->buffers[k].pmu_type == p->buffers[i].pmu_type)
			return false;
	return true;
}

static int add_buffer(struct perf *p, const struct pv_trace_stream *s, enum pv_record_format f)
{
	struct buffer *b = &p->buffers[p->n];
	bool is_perfdata = s && s->idx >= 0;
	int r;

	if (p->n == BUFFERS_MAX)
		return -E2BIG;
	*b = (struct buffer){
		.stream = s,
		.idx = is_perfdata ? (uint32_t)s->idx : p->n,
		.cpu = is_perfdata ? (uint32_t)s->cpu : 0,
		.tid = is_perfdata ? (uint32_t)s->tid : UINT32_MAX,
	};
	name_event(p, b, f);
	r = p->is_pipe ? write_event(p, p->n) : 0;
	if (!r && is_first_of_pmu(p, p->n))
		r = write_info(p, b);
	if (!r)
		r = write_id_index(p, p->n);
	p->current = p->n++;
	return r;
}

/* Writes the piece of the current buffer as AUX and AUXTRACE records, with these flags. */
static int write_piece(struct perf *p, uint64_t flags)
{
	struct buffer *b = &p->buffers[p->current];
	struct out o = {.n = 0};
	int r;

	if (!p->n_piece && !flags)
		return 0;
	put_record(&o, AUX, 8 + 24 + ID_BYTES);
	put64(&o, b->aux_offset);
	put64(&o, p->n_piece);
	put64(&o, flags);
	put_id(&o, p, p->current);
	if (p->n_piece) {
		put_record(&o, AUXTRACE, 48);
		put64(&o, p->n_piece);
		put64(&o, b->aux_offset);
		put64(&o, 0);
		put32(&o, b->idx);
		put32(&o, b->tid);
		put32(&o, b->cpu);
		put32(&o, 0);
	}
	r = flush(p, o.bytes, o.n);
	if (!r)
		r = flush(p, p->piece, p->n_piece);
	b->aux_offset += p->n_piece;
	p->n_piece = 0;
	return r;
}

/*
 * Updates the event of a buffer: a damaged input may name it after the first data. A file can still follow, as it names
 * events at its end.
 */
static int learn_event(struct perf *p, struct buffer *b, enum pv_record_format f)
{
	uint32_t type = b->pmu_type;

	if (p->is_pipe || !b->stream || b->has_event == b->stream->has_config)
		return 0;
	name_event(p, b, f);
	return b->pmu_type == type ? 0 : write_info(p, b);
}

/* Makes the stream's buffer the current one. */
static int find_buffer(struct perf *p, const struct pv_trace_stream *s, enum pv_record_format f)
{
	unsigned i = 0;
	int r;

	if (p->n && p->buffers[p->current].stream == s)
		return learn_event(p, &p->buffers[p->current], f);
	while (i < p->n && p->buffers[i].stream != s)
		i++;
	r = write_piece(p, 0);
	if (r || i == p->n)
		return r ? r : add_buffer(p, s, f);
	p->current = i;
	return learn_event(p, &p->buffers[i], f);
}

/* ---- the writer's methods ---- */

static int perf_begin(void *state)
{
	struct perf *p = state;
	struct out o = {.n = 0};

	memset(o.bytes, 0, sizeof(o.bytes));
	memcpy(o.bytes, "PERFILE2", 8);
	o.n = 8;
	put64(&o, 16);
	return flush(p, o.bytes, p->is_pipe ? 16 : HEADER_BYTES);
}

static int perf_run(void *state, const struct pv_convert_run *r)
{
	struct perf *p = state;
	size_t size = pv_record_bytes(r->format), left = r->n * size;
	const uint8_t *data = r->data;
	int err = find_buffer(p, r->stream, r->format);

	while (!err && left) {
		size_t n = PIECE - p->n_piece < left ? PIECE - p->n_piece : left;

		memcpy(p->piece + p->n_piece, data, n);
		p->n_piece += n;
		data += n;
		left -= n;
		if (p->n_piece == PIECE)
			err = write_piece(p, 0);
	}
	return err;
}

static int write_lost(struct perf *p, const struct pv_trace_mark *m)
{
	bool is_samples = m->kind == PV_TRACE_LOST_SAMPLES;
	struct out o = {.n = 0};
	int r = write_piece(p, 0);

	put_record(&o, is_samples ? LOST_SAMPLES : LOST, (uint16_t)(8 + (is_samples ? 8 : 16) + ID_BYTES));
	if (!is_samples)
		put64(&o, p->current + 1);
	put64(&o, m->lost);
	put_id(&o, p, p->current);
	return r ? r : flush(p, o.bytes, o.n);
}

/* A mark without a stream goes to the current buffer; if there is none, to a new one without data. */
static int perf_mark(void *state, const struct pv_trace_mark *m)
{
	struct perf *p = state;
	bool is_here = p->n && p->buffers[p->current].stream == m->stream;
	int r = 0;

	if (m->kind == PV_TRACE_AUX_FLAGS && !m->flags)
		return is_here ? write_piece(p, 0) : 0;
	if (m->stream || !p->n)
		r = find_buffer(p, m->stream, m->stream ? m->stream->format : PV_RECORD_UNKNOWN);
	if (r)
		return r;
	return m->kind == PV_TRACE_AUX_FLAGS ? write_piece(p, m->flags) : write_lost(p, m);
}

/* ---- the end of a file ---- */

static bool is_same_event(const struct buffer *a, const struct buffer *b)
{
	return a->pmu_type == b->pmu_type && a->config == b->config;
}

static bool is_first_of_event(const struct perf *p, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (is_same_event(&p->buffers[k], &p->buffers[i]))
			return false;
	return true;
}

/*
 * Writes the only feature section, HEADER_PMU_MAPPINGS: the section's position and size, then type and name of each
 * PMU.
 */
static int write_pmus(struct perf *p)
{
	struct out o = {.n = 0};
	uint32_t n = 0;
	int r;

	for (unsigned i = 0; i < p->n; i++)
		n += is_first_of_pmu(p, i);
	put64(&o, p->at + 16);
	put64(&o, 4 + n * (uint64_t)(8 + NAME_BYTES));
	put32(&o, n);
	r = flush(p, o.bytes, o.n);
	for (unsigned i = 0; !r && i < p->n; i++) {
		if (!is_first_of_pmu(p, i))
			continue;
		o.n = 0;
		put_pmu(&o, &p->buffers[i]);
		r = flush(p, o.bytes, o.n);
	}
	return r;
}

/* Writes the ids of all buffers with the same event as buffer `first`. */
static int write_ids(struct perf *p, unsigned first, uint64_t *n)
{
	struct out o;
	int r = 0;

	*n = 0;
	for (unsigned i = first; !r && i < p->n; i++) {
		if (!is_same_event(&p->buffers[first], &p->buffers[i]))
			continue;
		o.n = 0;
		put64(&o, i + 1);
		r = flush(p, o.bytes, o.n);
		++*n;
	}
	return r;
}

/* Writes the ids of all events, then the events, each with the position of its ids. *attrs: position of the events. */
static int write_events(struct perf *p, uint64_t *attrs, uint64_t *bytes)
{
	_autofree_ struct out *events = calloc(p->n + 1, sizeof(*events));
	unsigned n = 0;
	int r = events ? 0 : -ENOMEM;

	for (unsigned i = 0; !r && i < p->n; i++) {
		struct out *o = &events[n];
		uint64_t at = p->at, ids;

		if (!is_first_of_event(p, i))
			continue;
		n++;
		put_attr(o, &p->buffers[i]);
		put64(o, at);
		r = write_ids(p, i, &ids);
		put64(o, 8 * ids);
	}
	*attrs = p->at;
	*bytes = n * (uint64_t)(ATTR_BYTES + 16);
	for (unsigned i = 0; !r && i < n; i++)
		r = flush(p, events[i].bytes, events[i].n);
	return r;
}

static int write_header(struct perf *p, uint64_t data_end, uint64_t attrs, uint64_t attrs_bytes)
{
	struct out o = {.n = 0};

	memset(o.bytes, 0, sizeof(o.bytes));
	memcpy(o.bytes, "PERFILE2", 8);
	o.n = 8;
	put64(&o, HEADER_BYTES);
	put64(&o, ATTR_BYTES + 16);
	put64(&o, attrs);
	put64(&o, attrs_bytes);
	put64(&o, HEADER_BYTES);
	put64(&o, data_end - HEADER_BYTES);
	put64(&o, 0); /* event types: obsolete */
	put64(&o, 0);
	put64(&o, (uint64_t)1 << FEATURE_PMU_MAPPINGS);
	if (lseek(p->fd, 0, SEEK_SET) < 0)
		return -errno;
	return pv_write_all(p->fd, o.bytes, HEADER_BYTES);
}

static int perf_end(void *state)
{
	struct perf *p = state;
	uint64_t data_end, attrs = 0, bytes = 0;
	/* perf rejects a file without an event. */
	int r = p->n ? write_piece(p, 0) : add_buffer(p, NULL, PV_RECORD_UNKNOWN);

	if (r || p->is_pipe)
		return r;
	data_end = p->at;
	r = write_pmus(p);
	if (!r)
		r = write_events(p, &attrs, &bytes);
	return r ? r : write_header(p, data_end, attrs, bytes);
}

const struct pv_converter pv_convert_perfdata = {
	.name = "perf.data",
	.help = "for perf report -D and perf script -D",
	.open = perf_open,
	.begin = perf_begin,
	.run = perf_run,
	.mark = perf_mark,
	.end = perf_end,
	.close = free,
};
