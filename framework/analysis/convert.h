/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a trace to raw payload, perf.data for upstream perf, pcapng and PCAP for packet tools, JSON for Perfetto, or
 * the text of perf script. One table of writers; the trace is read once, in constant memory.
 */
#ifndef PV_ANALYSIS_CONVERT_H
#define PV_ANALYSIS_CONVERT_H

#include "framework/analysis/stat_machine.h"
#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

/* The perf event of a stream: raw payload does not contain it, perf.data needs it. */
struct pv_convert_event {
	const char *pmu;   /* NULL: "hisi_ptt0_0" */
	uint32_t pmu_type; /* 0: 8 */
	bool has_config;   /* false: config is derived from the record format, with all types */
	uint64_t config;
};

enum { PV_CONVERT_MARKS_MAX = 4096 }; /* losses that wait for their place in the output */

struct pv_convert_options {
	const struct pv_where *where; /* NULL: all records */
	struct pv_convert_event event;
	/* Raw payload: ascending offsets at which the input lost data, at most PV_CONVERT_MARKS_MAX. */
	const uint64_t *truncated;
	size_t n_truncated;
	uint64_t tick_hz; /* ticks per second; 0: unknown, then a tick counts as a nanosecond */
	/* pcapng: name of the input, and the --where expression, for the file's comment; NULL: none. */
	const char *name, *how;
	/* pcapng: findings about the whole trace, one sentence per line; NULL: none. */
	const char *findings;
	const struct pv_stat_machine *machine; /* pcapng, perfetto: names the requesters; NULL: no dump is given */
};

/* Consecutive good records of one stream and format. */
struct pv_convert_run {
	const struct pv_trace_stream *stream;
	enum pv_record_format format;
	const uint8_t *data;
	size_t n;
	uint64_t offset;      /* offset of the first record in its stream's payload, in bytes */
	const uint64_t *time; /* ticks of each record since the first one of the stream, unwrapped */
};

struct pv_converter {
	const char *name; /* "perf.data" */
	const char *help;
	bool needs_time; /* cannot write records whose Time is unknown */
	/* Returns the state; NULL: no memory. Does not write yet. */
	void *(*open)(int fd, const struct pv_convert_options *o);
	int (*begin)(void *state);
	int (*run)(void *state, const struct pv_convert_run *r);
	/*
	 * Marks a loss of records after the runs so far, or, with flags 0, the begin of a range whose flags follow. The
	 * stream may have no runs, or be NULL. NULL: the format cannot express losses.
	 */
	int (*mark)(void *state, const struct pv_trace_mark *m);
	/*
	 * Marks a gap: `bytes` of the input are lost or left out. NULL: the loop calls mark() with a range flagged as
	 * partial instead.
	 */
	int (*gap)(void *state, uint64_t bytes);
	int (*end)(void *state);
	void (*close)(void *state);
};
extern const struct pv_converter pv_convert_raw, pv_convert_perfdata, pv_convert_pcapng, pv_convert_pcap,
	pv_convert_perfetto, pv_convert_perfscript;
/* All formats, NULL-terminated. The lookup returns NULL for an unknown name. */
extern const struct pv_converter *const pv_converters[];
const struct pv_converter *pv_converter_by_name(const char *name);

/* Converts the whole trace to fd. 0 (*records: number of records written), or -errno with *e filled. */
int pv_trace_convert(struct pv_trace *t, const struct pv_converter *c, int fd, const struct pv_convert_options *o,
		     uint64_t *records, struct pv_error *e);

/* ---- PCAP and pcapng ---- */
#define PV_PCAP_LINKTYPE     147 /* LINKTYPE_USER0 */
#define PV_PCAP_PSEUDO_BYTES 16
#define PV_PCAP_VERSION	     1
#define PV_PCAP_FLAG_PREFIX  1 /* a prefix DW precedes the TLP header */
#define PV_PCAP_TIME_SHIFT   1 /* flags [2:1]: enum pv_trace_time; unknown: the packet's time is 0 */

#endif
