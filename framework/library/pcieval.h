/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libpcieval: reading PTT traces, raw payload and perf.data, from a file or a pipe of any size in constant memory.
 * Damage is skipped and reported. docs/libpcieval.md has an example.
 *
 * The library prints nothing, never ends the process, and keeps no state but in readers. A reader is for one thread at
 * a time. Functions that return int return a negative errno on failure. This interface does not change within a soname.
 */
#ifndef PCIEVAL_H
#define PCIEVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A reader. */
struct pcieval_trace;

enum pcieval_kind {
	PCIEVAL_UNDEFINED, /* not defined by PCIe: only fmt and type mean something */
	PCIEVAL_MRD32,
	PCIEVAL_MRD64,
	PCIEVAL_MRDLK32,
	PCIEVAL_MRDLK64,
	PCIEVAL_MWR32,
	PCIEVAL_MWR64,
	PCIEVAL_IORD,
	PCIEVAL_IOWR,
	PCIEVAL_CFGRD0,
	PCIEVAL_CFGRD1,
	PCIEVAL_CFGWR0,
	PCIEVAL_CFGWR1,
	PCIEVAL_MSG,
	PCIEVAL_MSGD,
	PCIEVAL_CPL,
	PCIEVAL_CPLD,
	PCIEVAL_CPLLK,
	PCIEVAL_CPLDLK,
	PCIEVAL_FETCHADD32,
	PCIEVAL_FETCHADD64,
	PCIEVAL_SWAP32,
	PCIEVAL_SWAP64,
	PCIEVAL_CAS32,
	PCIEVAL_CAS64,
	PCIEVAL_DMWR32, /* deferrable writes of PCIe 6.0 */
	PCIEVAL_DMWR64
};

/* Known where the event's parameters tell it. */
enum pcieval_direction { PCIEVAL_UNKNOWN, PCIEVAL_INBOUND, PCIEVAL_OUTBOUND };

/* Bits of struct pcieval_record.flags. */
enum pcieval_flag {
	PCIEVAL_TH = 1 << 0,
	PCIEVAL_TD = 1 << 1, /* 8DW */
	PCIEVAL_EP = 1 << 2, /* 8DW */
	PCIEVAL_BCM = 1 << 3,
	PCIEVAL_SO = 1 << 4,	/* 4DW */
	PCIEVAL_PASID = 1 << 5, /* 8DW: there is a PASID prefix */
	PCIEVAL_PASID_EXE = 1 << 6,
	PCIEVAL_PASID_PMR = 1 << 7,
	PCIEVAL_TIME_AT_LEAST = 1 << 8 /* `time` may be more: a distance at full scale, or a hole, is before it */
};

/*
 * Unit of the recorded time, which no published document states. The reader detects it where the data tell. Where they
 * do not, `time` is 0.
 */
enum pcieval_time { PCIEVAL_TIME_UNKNOWN, PCIEVAL_TIME_CLOCK, PCIEVAL_TIME_DISTANCE };

/* One record. Fields that its kind or format does not have are 0. Functions are bus << 8 | device << 3 | function. */
struct pcieval_record {
	uint64_t offset;      /* in the payload of its stream, in bytes */
	uint64_t file_offset; /* in the input */
	uint64_t time;	  /* ticks: a clock counted on where it wraps, or distances added up; each stream has its own */
	uint64_t address; /* memory, I/O, atomics */
	uint32_t dw[8];	  /* the record as it stands, as numbers; 4DW: the first four */
	uint32_t stream;  /* perf.data: which AUX buffer, from 0 in order of appearance */
	uint32_t prefix;  /* 8DW */
	uint32_t pasid;	  /* with PCIEVAL_PASID */
	uint32_t flags;	  /* enum pcieval_flag */
	uint16_t requester;
	uint16_t completer;  /* completions: who answers; configuration: the target */
	uint16_t tag;	     /* 10 bits */
	uint16_t length_dw;  /* 1 to 1024 */
	uint16_t byte_count; /* completions: 1 to 4096 */
	uint16_t reg;	     /* configuration: register, extended number included */
	uint8_t format;	     /* 4 or 8 DW */
	uint8_t kind;	     /* enum pcieval_kind */
	uint8_t direction;   /* enum pcieval_direction */
	uint8_t fmt, type;
	uint8_t tc, attr, at; /* 8DW; attr: 4 IDO + 2 RO + 1 NS */
	uint8_t first_be, last_be;
	uint8_t status;	       /* completions: 0 SC, 1 UR, 2 CRS, 4 CA */
	uint8_t lower_address; /* completions */
	uint8_t message_code, routing;
	uint8_t time_is;      /* enum pcieval_time */
	uint8_t reserved[21]; /* 0 */
};

/* Something wrong with the input. */
struct pcieval_problem {
	uint64_t offset;      /* in the payload of the stream */
	uint64_t file_offset; /* in the input */
	uint64_t bytes;	      /* unusable or missing; 0: does not apply */
	const char *what;     /* one line, until the callback returns */
	int64_t stream;	      /* -1: not in a payload */
};
typedef void pcieval_problem_fn(void *ctx, const struct pcieval_problem *problem);

/* An error, with a message for people. */
struct pcieval_error {
	int code; /* negative errno; -EBADMSG: not a PTT trace */
	char text[1024];
};

/* "0.1.0" */
const char *pcieval_version(void);

/*
 * Opens a trace; "-" is standard input. `problem` is called for damage, also within pcieval_trace_open() itself; it may
 * be NULL, as may `error`. Returns NULL on failure. The caller closes the reader.
 */
struct pcieval_trace *pcieval_trace_open(const char *path, pcieval_problem_fn *problem, void *ctx,
					 struct pcieval_error *error);
/* The same for n bytes in memory, which must stay until the reader is closed. */
struct pcieval_trace *pcieval_trace_open_memory(const void *data, size_t n, pcieval_problem_fn *problem, void *ctx,
						struct pcieval_error *error);
/* NULL does nothing. */
void pcieval_trace_close(struct pcieval_trace *trace);

/*
 * Only records for which `expression` is true are read from now on, such as "kind == MWr* && requester == 01:00.0";
 * docs/trace.md has the language. NULL: all. 0, or -EINVAL with the place in *error, and the choice stays as it was.
 */
int pcieval_trace_where(struct pcieval_trace *trace, const char *expression, struct pcieval_error *error);

/*
 * Sets what the recorded time counts (enum pcieval_time), for a caller who knows it, before the first record is read.
 * UNKNOWN: no times. 0, or -EINVAL.
 */
int pcieval_trace_time(struct pcieval_trace *trace, unsigned time);

/* Reads the next record. 1: *record is filled; 0: the end; negative errno: the input cannot be read further. */
int pcieval_trace_next(struct pcieval_trace *trace, struct pcieval_record *record);

/*
 * Formats the record that was read last as a line, without its end, in "text", "jsonl" or "csv". Returns its length;
 * the line is cut to size - 1 bytes and ends with a 0 byte. -EINVAL: no such format; -ENODATA: none was read.
 */
int pcieval_trace_line(const struct pcieval_trace *trace, const char *format, char *line, size_t size);

/* How many problems were found so far. */
uint64_t pcieval_trace_problems(const struct pcieval_trace *trace);

/* "MRd32", "CplD", ...; NULL: there is no such kind. */
const char *pcieval_kind_name(unsigned kind);

/*
 * Statistics of a trace by device, that is, by requester, and what they mean in words: those of `pcieval trace stat`,
 * in constant memory. docs/trace.md explains each figure.
 */
struct pcieval_stat;

/* A figure that the trace does not tell: by Time, by the format of records, or without matching. */
#define PCIEVAL_NOT_KNOWN ((uint64_t)-1)

/* One way of a device. Wire bytes are header, payload and framing. */
struct pcieval_flow {
	uint64_t tlps;
	uint64_t bytes; /* payload; of reads: what they ask for */
	uint64_t wire_bytes;
	uint64_t largest_bytes;
	uint64_t sizes[11]; /* TLPs of 4 to 7 bytes, of 8 to 15, ..., of 4096 */
	/* TLPs, of writes and reads; of others PCIEVAL_NOT_KNOWN: */
	uint64_t partial_enables;  /* some byte of the first or last DW is not enabled */
	uint64_t off_64;	   /* begin within 64 bytes */
	uint64_t part_of_64;	   /* begin or end within 64 bytes */
	uint64_t off_4096;	   /* begin within 4096 bytes */
	uint64_t cross_4096;	   /* cross such a border */
	uint64_t relaxed_ordering; /* not known of 4DW */
	uint64_t reserved[8];	   /* 0 */
};

struct pcieval_device {
	struct pcieval_flow writes, reads, completions, other;
	uint64_t tlps;
	uint64_t wire_bytes;				/* in both directions */
	uint64_t answered;				/* requests with their last completion */
	uint64_t latency_min, latency_max, latency_sum; /* ticks, of these; none: PCIEVAL_NOT_KNOWN */
	double mean_open;				/* of these, at once; -1: not known */
	uint16_t requester;
	uint16_t tags_used;	/* different ones of its requests: no more were open at once; 0: not known */
	uint16_t reserved16[2]; /* 0 */
	/*
	 * Most requests that were open at once, and those without their last completion, which count as open until
	 * their tag is used again, a hole, or the end. PCIEVAL_NOT_KNOWN
	 */
	uint64_t most_open, unanswered;
	uint64_t reserved[13]; /* 0 */
};

/* Facts of a function that the caller knows from its configuration space. 0 and "": not known. */
struct pcieval_function {
	char bdf[20];	/* "0000:65:00.0", as it stands in findings */
	char name[192]; /* "Ethernet controller: ...": findings begin with what is before the colon */
	char link[32];	/* "16GT/s x8" */
	uint32_t mps, mrrs;
	uint32_t tags;	  /* requests that it may have in flight */
	uint32_t relaxed; /* 1: Enable Relaxed Ordering is set */
	uint32_t is_host; /* 1: its requests go to devices */
	/* Payload in bytes per second at most. */
	double write_ceiling, read_ceiling;
	uint64_t reserved[16]; /* 0 */
};

/* Texts live as long as the program. */
struct pcieval_rule {
	const char *name;
	double threshold; /* a value at or above it is a finding */
	const char *unit;
	const char *figure;
	const char *why;
	const char *document;
};

struct pcieval_finding {
	struct pcieval_rule rule;
	double value;
	uint16_t requester;
	char text[254]; /* one sentence without a full stop */
};

/*
 * Tells a memory BAR (0 to 5) of a function: requests to its addresses are counted. It is told before the records are
 * counted. BARs that overlap are not counted. 0, -EINVAL: there is no such BAR; -EBUSY: records were read; or -ENOMEM.
 */
int pcieval_trace_bar(struct pcieval_trace *trace, uint16_t function, unsigned bar, uint64_t address, uint64_t size);

/*
 * Counts all records that pcieval_trace_where() chooses, before any was read, with up to 32 threads; the result does
 * not depend on their number. NULL on failure; -EBUSY: records were read. The caller frees it; the reader may be
 * closed.
 */
struct pcieval_stat *pcieval_stat_run(struct pcieval_trace *trace, unsigned threads, struct pcieval_error *error);
/* NULL does nothing. */
void pcieval_stat_free(struct pcieval_stat *stat);

/* The time from the first record to the last of the longest stream; PCIEVAL_NOT_KNOWN without times. */
uint64_t pcieval_stat_ticks(const struct pcieval_stat *stat);
/* The number of devices; -E2BIG: there are more than 64 requesters, which have no figures then. */
int pcieval_stat_devices(const struct pcieval_stat *stat);
/* Fills *device, the one with the most payload being 0. 0, or -EINVAL: there is no device of that number. */
int pcieval_stat_device(const struct pcieval_stat *stat, unsigned i, struct pcieval_device *device);
/* A quantile, 0 to 1, of the latencies of a device in ticks, exact to an eighth; PCIEVAL_NOT_KNOWN: it has none. */
uint64_t pcieval_stat_latency(const struct pcieval_stat *stat, unsigned i, double quantile);

/* Memory requests to a BAR, of processors and other devices. */
struct pcieval_bar {
	uint64_t address, size;
	uint64_t writes, write_bytes, largest_write; /* payload */
	uint64_t reads, asked_bytes, largest_read;   /* what reads ask for */
	uint64_t others;			     /* atomics and deferrable writes */
	uint16_t function;
	uint16_t number;
	uint16_t reserved16[2]; /* 0 */
	uint64_t reserved[8];	/* 0 */
};
/* The number of BARs that have requests, of those told before counting. */
unsigned pcieval_stat_bars(const struct pcieval_stat *stat);
/* Fills *bar, the one with the most bytes written being 0. 0, or -EINVAL: there is no BAR of that number. */
int pcieval_stat_bar(const struct pcieval_stat *stat, unsigned i, struct pcieval_bar *bar);

/* A stretch of time. All have the same length. */
struct pcieval_bin {
	uint64_t tlps;
	uint64_t posted_bytes, completion_bytes; /* payload */
	uint64_t asked_bytes;			 /* what reads ask for */
	double open;				 /* mean number of open requests, of those that were answered */
	uint64_t records_missing;		 /* 1: damage or a loss is in it, so the figures are too low */
	uint64_t reserved[8];			 /* 0 */
};
/*
 * The number of bins, at most 512: the first begins at the first record of each stream. *ticks, which may be NULL, is
 * their length. 0: the trace has no times.
 */
unsigned pcieval_stat_bins(const struct pcieval_stat *stat, uint64_t *ticks);
/* Fills *bin. 0, or -EINVAL: there is no bin of that number. */
int pcieval_stat_bin(const struct pcieval_stat *stat, unsigned i, struct pcieval_bin *bin);

/* Tells what is known about a function. 0, or -ENOMEM. The last word stands. */
int pcieval_stat_set_function(struct pcieval_stat *stat, uint16_t requester, const struct pcieval_function *function);
/* Tells the ticks of a second. 0, or -EINVAL: none, or no number. */
int pcieval_stat_set_tick(struct pcieval_stat *stat, double ticks_per_second);
/* Tells the payload per second that was counted, and returns the ticks of a second; 0: the trace has no times, or no
 * payload. */
double pcieval_stat_set_rate(struct pcieval_stat *stat, double bytes_per_second);
/* `bytes` in the whole time per second; -1: not known. */
double pcieval_stat_per_second(const struct pcieval_stat *stat, uint64_t bytes);

/* The number of findings with what has been told so far; the devices with the most payload come first. -ENOMEM. */
int pcieval_stat_findings(struct pcieval_stat *stat);
/* Fills *finding. 0, or -EINVAL: there is no finding of that number, or pcieval_stat_findings() was not called. */
int pcieval_stat_finding(const struct pcieval_stat *stat, unsigned i, struct pcieval_finding *finding);
/* Fills *rule. 1: it was judged with what has been told so far; 0: it was not; -EINVAL: there is no rule of that
 * number. */
int pcieval_stat_rule(const struct pcieval_stat *stat, unsigned i, struct pcieval_rule *rule);

#ifdef __cplusplus
}
#endif

#endif
