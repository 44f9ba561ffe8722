/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the descriptions of events in a perf.data: header, attributes, ids, PMU names, AUXTRACE_INFO. Finds the event
 * of an AUX buffer from these.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/perfdata.h"

/* struct perf_file_header and struct perf_event_attr: offsets. */
enum {
	FILE_SIZE = 8,
	FILE_ATTR_SIZE = 16,
	FILE_ATTRS = 24,
	FILE_DATA = 40,
	FILE_FLAGS = 72,
	FILE_HEADER_BYTES = 104,
	FILE_HEADER_OLD_BYTES = 72, /* without the flags */
	PIPE_HEADER_BYTES = 16,
	ATTR_TYPE = 0,
	ATTR_SIZE = 4,
	ATTR_CONFIG = 8,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_FLAGS = 40,
	ATTR_BYTES_MIN = 64, /* PERF_ATTR_SIZE_VER0 */
	ATTR_BYTES_MAX = 4096,
	INFO_BYTES = 24, /* of the AUXTRACE_INFO of a PTT, at least */
};

#define SAMPLE_ID	  (1u << 6)
#define SAMPLE_CPU	  (1u << 7)
#define SAMPLE_STREAM_ID  (1u << 9)
#define SAMPLE_IDENTIFIER (1u << 16)

/* ---- a table that grows ---- */

/* Makes room for one more entry of `size` bytes; NULL: no memory, or there are max entries. */
static void *grow(void *table, size_t *n, size_t size, size_t max)
{
	char *array;

	if (*n == max)
		return NULL;
	memcpy(&array, table, sizeof(array)); /* a pointer to any type */
	if (!(*n & (*n - 1))) {		      /* at powers of two */
		array = realloc(array, (*n ? 2 * *n : 1) * size);
		if (!array)
			return NULL;
		memcpy(table, &array, sizeof(array));
	}
	memset(array + *n * size, 0, size);
	return array + (*n)++ * size;
}

/* ---- ids ---- */

static int compare_ids(const void *a, const void *b)
{
	const struct pv_perf_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct pv_perf_id *find_id(struct pv_perfdata *p, uint64_t id)
{
	struct pv_perf_id key = {.id = id}, **found = tfind(&key, &p->id_tree, compare_ids);

	return found ? *found : NULL;
}

/* Returns the id's entry, a new one if necessary; NULL: no more room. */
static struct pv_perf_id *get_id(struct pv_perfdata *p, uint64_t id)
{
	struct pv_perf_id *found = find_id(p, id), **more;

	if (found)
		return found;
	more = grow(&p->ids, &p->n_ids, sizeof(*more), PERF_IDS_MAX);
	if (!more)
		return NULL;
	*more = malloc(sizeof(**more));
	if (!*more || !tsearch(*more, &p->id_tree, compare_ids)) {
		free(*more);
		p->n_ids--;
		return NULL;
	}
	**more = (struct pv_perf_id){id, UINT32_MAX, -1, -1};
	return *more;
}

static void keep_node(void *node)
{
}

void pv_perf_events_free(struct pv_perfdata *p)
{
	tdestroy(p->id_tree, keep_node);
	tdestroy(p->stream_tree, keep_node);
	for (size_t i = 0; i < p->n_ids; i++)
		free(p->ids[i]);
	free(p->ids);
	free(p->events);
	free(p->pmus);
}

/* ---- PMUs: which events are a PTT's ---- */

static const char *pmu_name(const struct pv_perfdata *p, uint32_t type)
{
	for (size_t i = 0; i < p->n_pmus; i++)
		if (p->pmus[i].type == type)
			return p->pmus[i].name;
	return "";
}

static bool is_ptt_type(const struct pv_perfdata *p, uint32_t type)
{
	for (size_t i = 0; i < p->n_infos; i++)
		if (p->infos[i].kind == PERF_AUXTRACE_HISI_PTT && p->infos[i].pmu_type == type)
			return true;
	return !strncmp(pmu_name(p, type), "hisi_ptt", 8);
}

/* Stores a new fact about a type. */
static void mark_events(struct pv_perfdata *p, uint32_t type)
{
	bool is_ptt = is_ptt_type(p, type);

	p->changes++;
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].pmu_type == type)
			p->events[i].is_ptt = is_ptt;
}

/* ---- attributes ---- */

/* The flag is bit 18 of a bit field, which C numbers from the other end on big-endian machines. */
static bool sample_id_all(const struct pv_perfdata *p, const uint8_t *attr)
{
	return attr[ATTR_FLAGS + 2] >> (p->big_endian ? 5 : 2) & 1;
}

static void too_many(struct pv_trace *t, uint64_t file_offset, const char *what, unsigned max)
{
	if (!t->perf->said_many)
		pv_reader_problem(t, NULL, 0, file_offset, 0, "more than %u %s: the rest is not known", max, what);
	t->perf->said_many = true;
}

/* The index of the new event, or UINT32_MAX. */
static uint32_t add_event(struct pv_trace *t, const uint8_t *attr, uint64_t file_offset)
{
	struct pv_perfdata *p = t->perf;
	struct pv_perfdata_attr *e = grow(&p->events, &p->n_events, sizeof(*e), PERF_EVENTS_MAX);

	if (!e)
		return too_many(t, file_offset, "events", PERF_EVENTS_MAX), UINT32_MAX;
	e->pmu_type = pv_perf32(p, attr + ATTR_TYPE);
	e->config = pv_perf64(p, attr + ATTR_CONFIG);
	e->sample_type = pv_perf64(p, attr + ATTR_SAMPLE_TYPE);
	e->sample_id_all = sample_id_all(p, attr);
	e->is_ptt = is_ptt_type(p, e->pmu_type);
	p->changes++;
	return (uint32_t)(p->n_events - 1);
}

/* Counts ids read, not ids kept: all events of a file can point to the same ids. */
static bool add_event_id(struct pv_trace *t, uint64_t id, uint32_t event, uint64_t file_offset)
{
	struct pv_perf_id *i = t->perf->ids_taken++ < PERF_IDS_MAX ? get_id(t->perf, id) : NULL;

	if (i)
		i->event = event;
	else
		too_many(t, file_offset, "event ids", PERF_IDS_MAX);
	return i;
}

int pv_perf_attr(struct pv_trace *t, const struct pv_perf_record *r)
{
	struct pv_perfdata *p = t->perf;
	const uint8_t *attr = r->bytes + PERF_HEADER_BYTES;
	size_t room = r->n - PERF_HEADER_BYTES, size;
	uint32_t event;

	size = room < ATTR_BYTES_MIN ? 0 : pv_perf32(p, attr + ATTR_SIZE);
	if (size < ATTR_BYTES_MIN || size > room) {
		pv_reader_problem(t, NULL, 0, r->file_offset, r->n, "event attributes of a wrong size");
		return 0;
	}
	event = add_event(t, attr, r->file_offset);
	for (size_t at = size; room - at >= 8 && add_event_id(t, pv_perf64(p, attr + at), event, r->file_offset);)
		at += 8;
	return 0;
}

/* ---- the file's header ---- */

/* Bytes at a place: of a file anywhere, of a pipe only from what is in the buffer at its begin. */
static int bytes_at(struct pv_trace *t, uint64_t offset, void *out, size_t n)
{
	size_t have = pv_source_avail(&t->in);

	if (t->in.seekable)
		return pv_source_peek_at(&t->in, offset, out, n);
	if (t->in.pos || offset > have || n > have - offset)
		return -EBADMSG;
	memcpy(out, pv_source_data(&t->in) + offset, n);
	return 0;
}

/* `at` is the position of the statement in the file. */
static void read_ids(struct pv_trace *t, uint64_t offset, uint64_t size, uint32_t event, uint64_t at)
{
	uint8_t id[8];

	for (uint64_t i = 0; i < size / 8; i++) {
		if (offset + 8 * i < offset || bytes_at(t, offset + 8 * i, id, sizeof(id))) {
			pv_reader_problem(t, NULL, 0, at, 0,
					  "the ids of an event, %" PRIu64 " bytes at %" PRIu64 ", are not in the file",
					  size, offset);
			return;
		}
		if (!add_event_id(t, pv_perf64(t->perf, id), event, at))
			return;
	}
}

static void read_attrs(struct pv_trace *t, uint64_t offset, uint64_t size, uint64_t attr_size)
{
	struct pv_perfdata *p = t->perf;
	uint8_t attr[ATTR_BYTES_MAX];

	if (attr_size < ATTR_BYTES_MIN + 16 || attr_size > sizeof(attr)) {
		pv_reader_problem(t, NULL, 0, FILE_ATTR_SIZE, 0, "event attributes of %" PRIu64 " bytes: not read",
				  attr_size);
		return;
	}
	for (uint64_t i = 0; i < size / attr_size && i <= PERF_EVENTS_MAX; i++) {
		uint64_t at = offset + i * attr_size;

		if (at < offset || bytes_at(t, at, attr, (size_t)attr_size)) {
			pv_reader_problem(t, NULL, 0, FILE_ATTRS, 0,
					  "event attributes, %" PRIu64 " bytes at %" PRIu64 ", are not in the file",
					  size, offset);
			return;
		}
		uint32_t event = add_event(t, attr, at);

		read_ids(t, pv_perf64(p, attr + attr_size - 16), pv_perf64(p, attr + attr_size - 8), event,
			 at + attr_size - 16);
	}
}

/* nr u32; then type u32, length u32, name padded to that length. */
static void read_pmus(struct pv_perfdata *p, const uint8_t *b, size_t n)
{
	uint32_t nr = n < 4 ? 0 : pv_perf32(p, b);

	for (size_t at = 4; nr-- && n >= at && n - at >= 8;) {
		uint32_t type = pv_perf32(p, b + at), len = pv_perf32(p, b + at + 4);
		struct pv_perf_pmu *pmu;

		at += 8;
		if (len > n - at || !(pmu = grow(&p->pmus, &p->n_pmus, sizeof(*pmu), PERF_PMUS_MAX)))
			return;
		pmu->type = type;
		memcpy(pmu->name, b + at, len < sizeof(pmu->name) ? len : sizeof(pmu->name) - 1);
		mark_events(p, type);
		at += len;
	}
}

/* After the data, one section for each bit of the flags, in their order. Only the PMUs' names are read. */
static void read_features(struct pv_trace *t, const uint8_t *header, uint64_t at)
{
	struct pv_perfdata *p = t->perf;
	uint64_t flags = pv_perf64(p, header + FILE_FLAGS), bit = (uint64_t)1 << PERF_FEATURE_PMU_MAPPINGS;
	uint8_t section[16], *data;
	uint64_t offset, size;

	if (!(flags & bit) || !t->in.seekable)
		return;
	at += sizeof(section) * (uint64_t)__builtin_popcountll(flags & (bit - 1));
	if (bytes_at(t, at, section, sizeof(section))) {
		pv_reader_problem(t, NULL, 0, at, sizeof(section), "the file ends before the place of the PMUs' names");
		return;
	}
	offset = pv_perf64(p, section);
	size = pv_perf64(p, section + 8);
	data = size > PV_SOURCE_MAX ? NULL : malloc(size + 1);
	if (data && !bytes_at(t, offset, data, (size_t)size))
		read_pmus(p, data, (size_t)size);
	else
		pv_reader_problem(t, NULL, 0, at, 0,
				  "the PMUs' names, %" PRIu64 " bytes at %" PRIu64 ", are not in the file, or too long",
				  size, offset);
	free(data);
}

int pv_perf_feature(struct pv_trace *t, const struct pv_perf_record *r)
{
	if (r->n >= 16 && pv_perf64(t->perf, r->bytes + 8) == PERF_FEATURE_PMU_MAPPINGS)
		read_pmus(t->perf, r->bytes + 16, r->n - 16);
	return 0;
}

static int read_file_header(struct pv_trace *t, uint64_t size, struct pv_error *e)
{
	struct pv_perfdata *p = t->perf;
	uint8_t h[FILE_HEADER_BYTES] = {0};
	uint64_t data, bytes;
	int r;

	if (size != FILE_HEADER_BYTES && size != FILE_HEADER_OLD_BYTES)
		return pv_error(e, -EBADMSG, "perf.data: header of %" PRIu64 " bytes; expected 104, or 16 of a pipe",
				size);
	if (pv_source_avail(&t->in) < size)
		return pv_error(e, -EBADMSG, "perf.data: ends within its header");
	memcpy(h, pv_source_data(&t->in), (size_t)size);
	data = pv_perf64(p, h + FILE_DATA);
	bytes = pv_perf64(p, h + FILE_DATA + 8);
	if (data < size || data > t->in.bytes)
		return pv_error(e, -EBADMSG, "perf.data: its data begins at %" PRIu64 ", which cannot be", data);
	if (!t->in.seekable && data <= PV_SOURCE_MAX && (r = pv_source_need(&t->in, (size_t)data)))
		return r;
	read_attrs(t, pv_perf64(p, h + FILE_ATTRS), pv_perf64(p, h + FILE_ATTRS + 8), pv_perf64(p, h + FILE_ATTR_SIZE));
	p->data_end = bytes && data + bytes > data ? data + bytes : UINT64_MAX;
	if (!bytes)
		pv_reader_problem(t, NULL, 0, FILE_DATA + 8, 0, "no size of the data: the recording was not finished");
	else if (p->data_end == UINT64_MAX)
		pv_reader_problem(t, NULL, 0, FILE_DATA + 8, 0, "data of %" PRIu64 " bytes cannot be", bytes);
	else if (p->data_end > t->in.bytes && t->in.bytes != UINT64_MAX)
		pv_reader_problem(t, NULL, 0, FILE_DATA + 8, p->data_end - t->in.bytes,
				  "the data ends behind the file");
	else
		read_features(t, h, p->data_end);
	return pv_source_skip(&t->in, data);
}

int pv_perf_read_header(struct pv_trace *t, struct pv_error *e)
{
	int r = pv_source_need(&t->in, FILE_HEADER_BYTES);
	uint64_t size;

	if (r)
		return r;
	if (pv_source_avail(&t->in) < PIPE_HEADER_BYTES)
		return pv_error(e, -EBADMSG, "perf.data: ends within its header");
	size = pv_perf64(t->perf, pv_source_data(&t->in) + FILE_SIZE);
	if (size != PIPE_HEADER_BYTES)
		return read_file_header(t, size, e);
	t->perf->data_end = UINT64_MAX;
	pv_source_take(&t->in, PIPE_HEADER_BYTES);
	return 0;
}

/* ---- records with facts ---- */

/* nr u64; then id, idx, cpu, tid of each. (What follows concerns guests.) */
int pv_perf_id_index(struct pv_trace *t, const struct pv_perf_record *r)
{
	struct pv_perfdata *p = t->perf;
	uint64_t nr = r->n < 16 ? 0 : pv_perf64(p, r->bytes + 8);
	const uint8_t *b = r->bytes + 16;

	if (r->n < 16 || nr > (r->n - 16) / 32) {
		pv_reader_problem(t, NULL, 0, r->file_offset, r->n, "ID_INDEX of a wrong size");
		return 0;
	}
	for (; nr--; b += 32) {
		struct pv_perf_id *i = get_id(p, pv_perf64(p, b));

		if (!i)
			continue;
		p->changes++;
		i->idx = (int64_t)pv_perf64(p, b + 8);
		i->cpu = (int64_t)pv_perf64(p, b + 16);
	}
	return 0;
}

int pv_perf_auxtrace_info(struct pv_trace *t, const struct pv_perf_record *r)
{
	struct pv_perfdata *p = t->perf;
	struct pv_perf_info info = {0};

	if (r->n < 16 || p->n_infos == PERF_INFOS_MAX) {
		pv_reader_problem(t, NULL, 0, r->file_offset, r->n, "AUXTRACE_INFO is too short, or one too many");
		return 0;
	}
	info.kind = pv_perf32(p, r->bytes + 8);
	if (info.kind == PERF_AUXTRACE_HISI_PTT && r->n < INFO_BYTES)
		pv_reader_problem(t, NULL, 0, r->file_offset, 0,
				  "AUXTRACE_INFO is cut: %zu bytes, expected %d: which PMU is traced is not known",
				  r->n, INFO_BYTES);
	info.pmu_type = r->n < INFO_BYTES ? UINT32_MAX : (uint32_t)pv_perf64(p, r->bytes + 16);
	if (r->n >= 32)
		info.version = pv_perf64(p, r->bytes + 24);
	p->infos[p->n_infos++] = info;
	mark_events(p, info.pmu_type);
	return 0;
}

/* ---- the event of a stream ---- */

/* By the ids that share the AUX buffer's index and CPU; else the only PTT event. */
static const struct pv_perfdata_attr *event_of(const struct pv_perfdata *p, const struct pv_trace_stream *s)
{
	const struct pv_perfdata_attr *only = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_ids; i++) {
		const struct pv_perf_id *id = p->ids[i];

		if (id->event < p->n_events && id->idx == s->idx && (id->cpu == s->cpu || id->cpu < 0) &&
		    p->events[id->event].is_ptt)
			return &p->events[id->event];
	}
	for (size_t i = 0; i < p->n_events; i++) {
		if (!p->events[i].is_ptt)
			continue;
		only = &p->events[i];
		n++;
	}
	return n == 1 ? only : NULL;
}

static void describe(struct pv_trace_stream *s, const struct pv_perfdata_attr *e, const char *pmu)
{
	s->has_config = true;
	s->config = e->config;
	s->filter = PTT_CONFIG_FILTER(e->config);
	s->direction = PTT_CONFIG_DIRECTION(e->config);
	s->type = PTT_CONFIG_TYPE(e->config);
	s->asked = PTT_CONFIG_FORMAT(e->config) == PTT_CONFIG_FORMAT_8DW ? PV_RECORD_8DW : PV_RECORD_4DW;
	s->pmu_type = e->pmu_type;
	memcpy(s->pmu, pmu, strnlen(pmu, sizeof(s->pmu) - 1));
}

static int compare_buffers(const void *a, const void *b)
{
	const struct pv_trace_stream *x = &((const struct pv_reader_stream *)a)->pub;
	const struct pv_trace_stream *y = &((const struct pv_reader_stream *)b)->pub;

	return x->idx != y->idx ? (x->idx > y->idx) - (x->idx < y->idx) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int compare_streams(const void *a, const void *b)
{
	const struct pv_trace_stream *x = &((const struct pv_reader_stream *)a)->pub;
	const struct pv_trace_stream *y = &((const struct pv_reader_stream *)b)->pub;
	int buffers = compare_buffers(a, b);

	return buffers ? buffers : (x->tid > y->tid) - (x->tid < y->tid);
}

static struct pv_reader_stream *new_stream(struct pv_trace *t, const struct pv_reader_stream *key)
{
	struct pv_reader_stream *s = pv_reader_stream_new(t);

	if (!s)
		return NULL;
	s->pub.idx = key->pub.idx;
	s->pub.cpu = key->pub.cpu;
	s->pub.tid = key->pub.tid;
	return tsearch(s, &t->perf->stream_tree, compare_streams) ? s : NULL;
}

struct pv_reader_stream *pv_perf_stream(struct pv_trace *t, uint32_t idx, uint32_t cpu, uint32_t tid)
{
	struct pv_reader_stream key = {.pub = {.idx = idx, .cpu = (int32_t)cpu, .tid = (int32_t)tid}};
	struct pv_reader_stream **found = tfind(&key, &t->perf->stream_tree, compare_streams);
	struct pv_reader_stream *s = found ? *found : new_stream(t, &key);
	const struct pv_perfdata_attr *e;

	if (!s || s->pub.has_config || s->changes == t->perf->changes || s->lookups == PERF_LOOKUPS_MAX)
		return s;
	s->changes = t->perf->changes;
	s->lookups++;
	e = event_of(t->perf, &s->pub);
	if (e)
		describe(&s->pub, e, pmu_name(t->perf, e->pmu_type));
	return s;
}

const struct pv_perf_info *pv_perf_info_of(const struct pv_perfdata *p, const struct pv_reader_stream *s)
{
	for (size_t i = 0; i < p->n_infos; i++)
		if (s->pub.has_config && p->infos[i].pmu_type == s->pub.pmu_type)
			return &p->infos[i];
	return p->n_infos ? &p->infos[p->n_infos - 1] : NULL;
}

/* The id of a sample_id: last with IDENTIFIER; else before STREAM_ID and CPU, which are last (perf_event.h). */
static uint64_t sample_id(const struct pv_perfdata *p, const struct pv_perf_record *r, size_t fixed)
{
	const struct pv_perfdata_attr *e = p->n_events ? &p->events[0] : NULL;
	size_t back = 8;

	if (!e || !e->sample_id_all)
		return 0;
	if (!(e->sample_type & SAMPLE_IDENTIFIER)) {
		if (!(e->sample_type & SAMPLE_ID))
			return 0;
		back += (e->sample_type & SAMPLE_CPU ? 8 : 0) + (e->sample_type & SAMPLE_STREAM_ID ? 8 : 0);
	}
	return r->n >= fixed + back ? pv_perf64(p, r->bytes + r->n - back) : 0;
}

struct pv_reader_stream *pv_perf_stream_of(struct pv_trace *t, const struct pv_perf_record *r, struct pv_perf_aux *f)
{
	uint64_t wanted = sample_id(t->perf, r, 32);
	const struct pv_perf_id *id = wanted ? find_id(t->perf, wanted) : NULL;
	struct pv_reader_stream key = {0}, **found;

	if (!id || id->idx < 0)
		return t->n_streams == 1 ? t->streams[0] : NULL;
	f->idx = id->idx;
	f->cpu = id->cpu;
	key.pub.idx = id->idx;
	key.pub.cpu = id->cpu;
	found = tfind(&key, &t->perf->stream_tree, compare_buffers);
	return found ? *found : NULL;
}
