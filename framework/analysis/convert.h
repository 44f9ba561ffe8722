/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace in another shape: raw payload, perf.data as upstream perf reads it, or PCAP for packet
 * tools. One table of writers; the trace is read once, in constant memory.
 */
#ifndef PV_ANALYSIS_CONVERT_H
#define PV_ANALYSIS_CONVERT_H

#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

/* What a raw payload does not say, for perf.data. */
struct pv_convert_event {
	const char *pmu;   /* NULL: "hisi_ptt0_0" */
	uint32_t pmu_type; /* 0: 8 */
	bool has_config;   /* else made from the records: their format, all types */
	uint64_t config;
};

struct pv_convert_options {
	const struct pv_where *where; /* NULL: all records */
	struct pv_convert_event event;
	/* The input, raw payload, lost data behind these offsets, which rise. */
	const uint64_t *truncated;
	size_t n_truncated;
};

/* A stretch of good records of one stream and format. */
struct pv_convert_run {
	const struct pv_trace_stream *stream;
	enum pv_record_format format;
	const uint8_t *data;
	size_t n;
	uint64_t offset;      /* of the first in its stream's payload */
	const uint64_t *time; /* of each, unwrapped; one after another from the first of its stream */
};

struct pv_converter {
	const char *name; /* "perf.data" */
	const char *help;
	/* Returns the state, NULL: no memory. Writes nothing yet. */
	void *(*open)(int fd, const struct pv_convert_options *o);
	int (*begin)(void *state);
	int (*run)(void *state, const struct pv_convert_run *r);
	/*
	 * Something was lost behind the runs so far; with flags 0, a stretch with flags begins. Also of streams
	 * without runs, and of none. NULL: the format cannot say it.
	 */
	int (*mark)(void *state, const struct pv_trace_mark *m);
	int (*end)(void *state);
	void (*close)(void *state);
};
extern const struct pv_converter pv_convert_raw, pv_convert_perfdata, pv_convert_pcap;
/* The table, ended by NULL; by name: NULL, there is none. */
extern const struct pv_converter *const pv_converters[];
const struct pv_converter *pv_converter_by_name(const char *name);

/* Reads the trace to its end and writes to fd. 0 (*records: how many were written), or -errno with *e filled. */
int pv_trace_convert(struct pv_trace *t, const struct pv_converter *c, int fd, const struct pv_convert_options *o,
		     uint64_t *records, struct pv_error *e);

/* ---- PCAP ---- */
#define PV_PCAP_LINKTYPE     147 /* LINKTYPE_USER0 */
#define PV_PCAP_PSEUDO_BYTES 16
#define PV_PCAP_VERSION	     1
#define PV_PCAP_FLAG_PREFIX  1 /* a prefix DW is before the TLP header */

#endif
