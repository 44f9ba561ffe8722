/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, file mode, as upstream perf reads it (tools/perf/Documentation/perf.data-file-format.txt): the
 * header, AUXTRACE_INFO, an AUX and an AUXTRACE record for each piece, the PMU's name, and at the end the events
 * with their configs, which are known only then.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/trace/convert.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define PIECE	     (1u << 20)
#define EVENTS_MAX   256
#define HEADER_BYTES 104
#define ATTR_BYTES   128 /* PERF_ATTR_SIZE_VER7 */
#define DEFAULT_TYPE 8
#define NAME_BYTES   64

enum { AUX = 11, AUXTRACE_INFO = 70, AUXTRACE = 71, HISI_PTT = 6, FEATURE_PMU_MAPPINGS = 16 };

/* sample_type: IP (perf script insists), TID, TIME, CPU, IDENTIFIER; attr flags: disabled, sample_id_all */
#define SAMPLE_TYPE (1u | 1u << 1 | 1u << 2 | 1u << 7 | 1u << 16)
#define ATTR_FLAGS  ((uint64_t)1 | (uint64_t)1 << 18)

/* config: filter 0-19, direction 20-23, type 24-31, format 32-35 */
#define CONFIG_TYPES  (7ull << 24)
#define CONFIG_8DW    (1ull << 32)
#define CONFIG_8DW_IN (2ull << 20) /* direction 0 is reserved with 8DW */
#define CONFIG_PORTS  0x80001ull

struct event {
	const struct pv_trace_stream *stream;
	enum pv_record_format format;
	uint32_t pmu_type;
	uint64_t aux_offset;
};

struct perf {
	int fd;
	struct pv_convert_event event;
	struct event events[EVENTS_MAX];
	unsigned n_events, current;
	uint64_t at; /* bytes written */
	size_t n;    /* of the piece */
	uint8_t piece[PIECE];
};

static void *perf_open(int fd, const struct pv_convert_options *o)
{
	struct perf *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	p->event = o->event;
	if (!p->event.pmu)
		p->event.pmu = "hisi_ptt0_0";
	if (!p->event.pmu_type)
		p->event.pmu_type = DEFAULT_TYPE;
	return p;
}

/* ---- little-endian words in a buffer that is large enough ---- */

struct out {
	uint8_t bytes[512];
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

/* ---- records ---- */

static int perf_begin(void *state)
{
	struct out o = {.n = 0};

	memset(o.bytes, 0, sizeof(o.bytes));
	return flush(state, o.bytes, HEADER_BYTES);
}

static int put_info(struct perf *p, const struct event *e)
{
	struct out o = {.n = 0};

	put_record(&o, AUXTRACE_INFO, 24);
	put32(&o, HISI_PTT);
	put32(&o, 0);
	put64(&o, e->pmu_type);
	return flush(p, o.bytes, o.n);
}

static int flush_piece(struct perf *p)
{
	struct event *e = &p->events[p->current];
	struct out o = {.n = 0};
	uint32_t cpu;
	int r;

	if (!p->n)
		return 0;
	cpu = e->stream->cpu < 0 ? 0 : (uint32_t)e->stream->cpu;
	put_record(&o, AUX, 8 + 24 + 32);
	put64(&o, e->aux_offset);
	put64(&o, p->n);
	put64(&o, 0);
	put64(&o, UINT64_MAX); /* pid, tid: none */
	put64(&o, 0);	       /* time */
	put64(&o, cpu);
	put64(&o, p->current + 1); /* id */
	put_record(&o, AUXTRACE, 48);
	put64(&o, p->n);
	put64(&o, e->aux_offset);
	put64(&o, 0);
	put32(&o, p->current); /* idx */
	put32(&o, UINT32_MAX); /* tid */
	put32(&o, cpu);
	put32(&o, 0);
	r = flush(p, o.bytes, o.n);
	if (!r)
		r = flush(p, p->piece, p->n);
	e->aux_offset += p->n;
	p->n = 0;
	return r;
}

/* Makes the stream's event the current one. */
static int find_event(struct perf *p, const struct pv_convert_run *r)
{
	unsigned i = 0;
	int err;

	while (i < p->n_events && p->events[i].stream != r->stream)
		i++;
	if (i == p->current && i < p->n_events)
		return 0;
	if (i == EVENTS_MAX)
		return -E2BIG;
	err = flush_piece(p);
	p->current = i;
	if (err || i < p->n_events)
		return err;
	p->events[p->n_events++] = (struct event){
		.stream = r->stream,
		.format = r->format,
		.pmu_type = r->stream->pmu_type ? r->stream->pmu_type : p->event.pmu_type,
	};
	return i ? 0 : put_info(p, &p->events[0]);
}

static int perf_run(void *state, const struct pv_convert_run *r)
{
	struct perf *p = state;
	size_t size = pv_record_bytes(r->format), left = r->n * size;
	const uint8_t *data = r->data;
	int err = find_event(p, r);

	while (!err && left) {
		size_t n = PIECE - p->n < left ? PIECE - p->n : left;

		memcpy(p->piece + p->n, data, n);
		p->n += n;
		data += n;
		left -= n;
		if (p->n == PIECE)
			err = flush_piece(p);
	}
	return err;
}

/* ---- the end ---- */

static uint64_t config_of(const struct perf *p, const struct event *e)
{
	if (p->event.has_config)
		return p->event.config;
	if (e->stream->has_config)
		return e->stream->config;
	return CONFIG_PORTS | CONFIG_TYPES | (e->format == PV_RECORD_8DW ? CONFIG_8DW | CONFIG_8DW_IN : 0);
}

static void put_name(struct out *o, const char *name)
{
	put32(o, NAME_BYTES);
	memset(o->bytes + o->n, 0, NAME_BYTES);
	memcpy(o->bytes + o->n, name, strnlen(name, NAME_BYTES - 1));
	o->n += NAME_BYTES;
}

/* Each PMU once, in the order of its first event. */
static bool is_first_of_pmu(const struct perf *p, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (p->events[k].pmu_type == p->events[i].pmu_type)
			return false;
	return true;
}

/* The one feature: its place, and behind it what type is which PMU. */
static int put_pmus(struct perf *p)
{
	struct out o = {.n = 0};
	uint32_t n = 0;
	int r;

	for (unsigned i = 0; i < p->n_events; i++)
		n += is_first_of_pmu(p, i);
	put64(&o, p->at + 16);
	put64(&o, 4 + n * (uint64_t)(8 + NAME_BYTES));
	put32(&o, n);
	r = flush(p, o.bytes, o.n);
	for (unsigned i = 0; !r && i < p->n_events; i++) {
		const struct event *e = &p->events[i];

		if (!is_first_of_pmu(p, i))
			continue;
		o.n = 0;
		put32(&o, e->pmu_type);
		put_name(&o, e->stream->pmu[0] ? e->stream->pmu : p->event.pmu);
		r = flush(p, o.bytes, o.n);
	}
	return r;
}

/* The events, each with the place of its id; then the ids. */
static int put_events(struct perf *p)
{
	uint64_t ids = p->at + p->n_events * (uint64_t)(ATTR_BYTES + 16);
	struct out o;
	int r = 0;

	for (unsigned i = 0; !r && i < p->n_events; i++) {
		o = (struct out){.n = 0};
		put32(&o, p->events[i].pmu_type);
		put32(&o, ATTR_BYTES);
		put64(&o, config_of(p, &p->events[i]));
		put64(&o, 1); /* sample_period */
		put64(&o, SAMPLE_TYPE);
		put64(&o, 0); /* read_format */
		put64(&o, ATTR_FLAGS);
		o.n = ATTR_BYTES;
		put64(&o, ids + 8 * i);
		put64(&o, 8);
		r = flush(p, o.bytes, o.n);
	}
	for (unsigned i = 0; !r && i < p->n_events; i++) {
		o.n = 0;
		put64(&o, i + 1);
		r = flush(p, o.bytes, o.n);
	}
	return r;
}

static int put_header(struct perf *p, uint64_t data_end, uint64_t attrs)
{
	struct out o = {.n = 0};

	memset(o.bytes, 0, sizeof(o.bytes));
	memcpy(o.bytes, "PERFILE2", 8);
	o.n = 8;
	put64(&o, HEADER_BYTES);
	put64(&o, ATTR_BYTES + 16);
	put64(&o, attrs);
	put64(&o, p->n_events * (uint64_t)(ATTR_BYTES + 16));
	put64(&o, HEADER_BYTES);
	put64(&o, data_end - HEADER_BYTES);
	put64(&o, 0); /* event types: of old */
	put64(&o, 0);
	put64(&o, (uint64_t)1 << FEATURE_PMU_MAPPINGS);
	if (lseek(p->fd, 0, SEEK_SET) < 0)
		return -errno;
	return pv_write_all(p->fd, o.bytes, HEADER_BYTES);
}

static int perf_end(void *state)
{
	struct perf *p = state;
	uint64_t data_end, attrs;
	int r = flush_piece(p);

	data_end = p->at;
	if (!r)
		r = put_pmus(p);
	attrs = p->at;
	if (!r)
		r = put_events(p);
	return r ? r : put_header(p, data_end, attrs);
}

const struct pv_converter pv_convert_perfdata = {
	.name = "perf.data",
	.help = "for perf report -D and perf script -D",
	.needs_file = true,
	.open = perf_open,
	.begin = perf_begin,
	.run = perf_run,
	.end = perf_end,
	.close = free,
};
