/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the perf.data reader (tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/
 * perf_event.h of Linux 6.12): perfdata.c walks the records and has the payload, perfsync.c finds them, perfevents.c
 * knows the events, perfzstd.c unpacks.
 */
#ifndef PV_TRACE_PERFDATA_H
#define PV_TRACE_PERFDATA_H

#include "framework/trace/reader.h"

enum {
	PERF_LOST = 2,
	PERF_AUX = 11,
	PERF_LOST_SAMPLES = 13,
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_TRACING_DATA = 66,
	PERF_ID_INDEX = 69,
	PERF_AUXTRACE_INFO = 70,
	PERF_AUXTRACE = 71,
	PERF_AUXTRACE_ERROR = 72,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
	PERF_TYPES = 256, /* above all existing ones: larger numbers are damage */
};

enum {
	PERF_HEADER_BYTES = 8, /* type u32, misc u16, size u16 */
	PERF_AUXTRACE_BYTES = 48,
	PERF_FEATURE_PMU_MAPPINGS = 16,
	PERF_AUXTRACE_HISI_PTT = 6,
	PERF_ALIGNMENT = 8,    /* of AUXTRACE records, with zeros */
	PERF_EARLY_MAX = 1024, /* AUX records before the data of their buffer */
};

/* Limits on memory that a file can make the reader keep. */
enum { PERF_EVENTS_MAX = 4096, PERF_IDS_MAX = 65536, PERF_PMUS_MAX = 1024, PERF_INFOS_MAX = 64 };
/* Maximum lookups of a stream's event: its name precedes its data or follows shortly. */
enum { PERF_LOOKUPS_MAX = 16 };

struct pv_perfdata_attr {
	uint32_t pmu_type;
	uint64_t config, sample_type;
	bool sample_id_all, is_ptt;
};

struct pv_perf_id {
	uint64_t id;
	uint32_t event;	  /* index; UINT32_MAX: not known */
	int64_t idx, cpu; /* from ID_INDEX; idx -1: none */
};

struct pv_perf_pmu {
	uint32_t type;
	char name[32];
};

/* One AUXTRACE_INFO. */
struct pv_perf_info {
	uint32_t kind, pmu_type;
	uint64_t version; /* the second private word; 0: there is none */
};

/* An AUX record: a range of AUX offsets; idx and cpu of its buffer, -1: not known. */
struct pv_perf_aux {
	int64_t idx, cpu;
	uint64_t from, to, flags, file_offset;
};

struct pv_perf_unpack;

struct pv_perfdata {
	bool big_endian;
	uint64_t data_end; /* UINT64_MAX: where the input ends */
	struct pv_perfdata_attr *events;
	struct pv_perf_id **ids;
	struct pv_perf_pmu *pmus;
	size_t n_events, n_ids, n_pmus, n_infos;
	struct pv_perf_info infos[PERF_INFOS_MAX];
	void *id_tree, *stream_tree;		  /* search.h: entries of ids, and the reader's streams by AUX buffer */
	uint64_t ids_taken, changes;		  /* changes of the facts that identify a stream's event */
	struct pv_perf_aux early[PERF_EARLY_MAX]; /* whose stream has not appeared yet */
	size_t n_early;
	uint64_t losses;      /* after which no data are contiguous */
	size_t ended_streams; /* at the end: number of streams whose kept bytes were read */
	struct pv_perf_unpack *unpack;
	bool any; /* AUXTRACE record */
	bool said_end, said_early, said_no_info, said_streams, said_unpack, said_many;
};

/* Numbers in the file's byte order. */
static inline uint16_t pv_perf16(const struct pv_perfdata *p, const uint8_t *b)
{
	return (uint16_t)(p->big_endian ? b[0] << 8 | b[1] : b[1] << 8 | b[0]);
}

static inline uint32_t pv_perf32(const struct pv_perfdata *p, const uint8_t *b)
{
	uint32_t first = pv_perf16(p, b), second = pv_perf16(p, b + 2);

	return p->big_endian ? first << 16 | second : second << 16 | first;
}

static inline uint64_t pv_perf64(const struct pv_perfdata *p, const uint8_t *b)
{
	uint64_t first = pv_perf32(p, b), second = pv_perf32(p, b + 4);

	return p->big_endian ? first << 32 | second : second << 32 | first;
}

/* One record of the data section, whole and of n bytes, header included. */
struct pv_perf_record {
	const uint8_t *bytes;
	size_t n;
	uint64_t file_offset;
	bool unpacked; /* from a COMPRESSED record: nothing follows it in the file */
	bool headless; /* an AUXTRACE record: its header does not say so, all else does */
};
typedef int pv_perf_handler(struct pv_trace *t, const struct pv_perf_record *r); /* 1: a piece was begun */

/* Calls the handler of its type, if there is one. */
int pv_perf_handle(struct pv_trace *t, const struct pv_perf_record *r);

/*
 * perfsync.c. 1: *r is the next whole record, in the buffer; 0: passed over damage; -ENODATA: the end; -errno.
 */
int pv_perf_sync(struct pv_trace *t, struct pv_perf_record *r);

/* perfevents.c */
int pv_perf_read_header(struct pv_trace *t, struct pv_error *e);
pv_perf_handler pv_perf_attr, pv_perf_id_index, pv_perf_auxtrace_info, pv_perf_feature;
void pv_perf_events_free(struct pv_perfdata *p);
/* Returns the stream of an AUXTRACE record, with the known facts of its event; NULL: too many streams. */
struct pv_reader_stream *pv_perf_stream(struct pv_trace *t, uint32_t idx, uint32_t cpu, uint32_t tid);
/*
 * Finds the stream that an AUX record belongs to; NULL: not known, or (f->idx, f->cpu) has not appeared yet.
 */
struct pv_reader_stream *pv_perf_stream_of(struct pv_trace *t, const struct pv_perf_record *r, struct pv_perf_aux *f);
/* Returns the AUXTRACE_INFO of a stream; NULL: there was none. */
const struct pv_perf_info *pv_perf_info_of(const struct pv_perfdata *p, const struct pv_reader_stream *s);

/* perfzstd.c */
pv_perf_handler pv_perf_compressed;
void pv_perf_unpack_free(struct pv_perf_unpack *u);

#endif
