/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes perf.data for tests, from the format's description alone (tools/perf/Documentation/
 * perf.data-file-format.txt of Linux): nothing of it is shared with the reader under test.
 */
#ifndef PV_TRACE_TESTS_PERFFILE_H
#define PV_TRACE_TESTS_PERFFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PF_PMU = 9, PF_ATTR_SIZE = 128, PF_FILE_HEADER = 104 };

struct perf_file {
	uint8_t bytes[1 << 20];
	size_t n, data;
	bool big_endian, pipe;
};

static inline void pf_put(struct perf_file *f, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[f->n++] = (uint8_t)(v >> 8 * (f->big_endian ? bytes - 1 - i : i));
}

static inline void pf_u16(struct perf_file *f, uint16_t v)
{
	pf_put(f, v, 2);
}

static inline void pf_u32(struct perf_file *f, uint32_t v)
{
	pf_put(f, v, 4);
}

static inline void pf_u64(struct perf_file *f, uint64_t v)
{
	pf_put(f, v, 8);
}

static inline void pf_bytes(struct perf_file *f, const void *p, size_t n)
{
	memcpy(f->bytes + f->n, p, n);
	f->n += n;
}

static inline void pf_patch64(struct perf_file *f, size_t at, uint64_t v)
{
	size_t n = f->n;

	f->n = at;
	pf_u64(f, v);
	f->n = n;
}

static inline void pf_head(struct perf_file *f, uint32_t type, size_t size)
{
	pf_u32(f, type);
	pf_u16(f, 0);
	pf_u16(f, (uint16_t)size);
}

/* An event of a PTT PMU: IDENTIFIER, ID, TIME and CPU in its samples, sample_id_all. */
static inline void pf_attr(struct perf_file *f, uint32_t pmu, uint64_t config)
{
	size_t end = f->n + PF_ATTR_SIZE;

	pf_u32(f, pmu);
	pf_u32(f, PF_ATTR_SIZE);
	pf_u64(f, config);
	pf_u64(f, 1);
	pf_u64(f, 1u << 16 | 1u << 2 | 1u << 7 | 1u << 1);
	pf_u64(f, 4);
	/* Bit field: sample_id_all is the 19th bit, counted from the end that the machine counts from. */
	pf_u64(f, f->big_endian ? (uint64_t)1 << (63 - 18) : (uint64_t)1 << 18);
	memset(f->bytes + f->n, 0, end - f->n);
	f->n = end;
}

/* Events 0.. with ids 100.. and these PMUs and configs. */
static inline void pf_begin(struct perf_file *f, unsigned events, const uint32_t *pmus, const uint64_t *configs)
{
	size_t ids = PF_FILE_HEADER, attrs = ids + 8 * events;

	f->n = 0;
	pf_u64(f, 0x32454c4946524550);
	if (f->pipe) {
		pf_u64(f, 16);
		for (unsigned i = 0; i < events; i++) {
			pf_head(f, 64, 8 + PF_ATTR_SIZE + 8);
			pf_attr(f, pmus[i], configs[i]);
			pf_u64(f, 100 + i);
		}
		return;
	}
	f->data = attrs + events * (PF_ATTR_SIZE + 16);
	pf_u64(f, PF_FILE_HEADER);
	pf_u64(f, PF_ATTR_SIZE + 16);
	pf_u64(f, attrs);
	pf_u64(f, events * (PF_ATTR_SIZE + 16));
	pf_u64(f, f->data);
	for (unsigned i = 0; i < 7; i++)
		pf_u64(f, 0); /* size of the data, event types, flags */
	for (unsigned i = 0; i < events; i++)
		pf_u64(f, 100 + i);
	for (unsigned i = 0; i < events; i++) {
		pf_attr(f, pmus[i], configs[i]);
		pf_u64(f, ids + 8 * i);
		pf_u64(f, 8);
	}
}

/* The usual: one event of PMU 9. */
static inline void pf_begin_one(struct perf_file *f, uint64_t config)
{
	pf_begin(f, 1, (const uint32_t[]){PF_PMU}, &config);
}

static inline void pf_end(struct perf_file *f)
{
	if (!f->pipe)
		pf_patch64(f, 48, f->n - f->data);
}

/* AUXTRACE_INFO of a PTT; pattern < 0: none. */
static inline void pf_info(struct perf_file *f, uint32_t kind, uint64_t pmu, int64_t pattern)
{
	pf_head(f, 70, pattern < 0 ? 24 : 32);
	pf_u32(f, kind);
	pf_u32(f, 0);
	pf_u64(f, pmu);
	if (pattern >= 0)
		pf_u64(f, (uint64_t)pattern);
}

/* AUXTRACE, without its payload. */
static inline void pf_auxtrace_head(struct perf_file *f, uint64_t size, uint64_t offset, uint32_t idx, uint32_t cpu)
{
	pf_head(f, 71, 48);
	pf_u64(f, size);
	pf_u64(f, offset);
	pf_u64(f, 12345);
	pf_u32(f, idx);
	pf_u32(f, UINT32_MAX);
	pf_u32(f, cpu);
	pf_u32(f, 0);
}

static inline void pf_auxtrace(struct perf_file *f, const void *payload, size_t n, uint64_t offset, uint32_t idx)
{
	pf_auxtrace_head(f, n, offset, idx, idx);
	pf_bytes(f, payload, n);
}

/* AUX, with the sample id of event `id`. */
static inline void pf_aux(struct perf_file *f, uint64_t offset, uint64_t size, uint64_t flags, uint64_t id)
{
	pf_head(f, 11, 8 + 24 + 32);
	pf_u64(f, offset);
	pf_u64(f, size);
	pf_u64(f, flags);
	pf_u64(f, 0); /* pid, tid */
	pf_u64(f, 0); /* time */
	pf_u64(f, 0); /* cpu */
	pf_u64(f, id);
}

/* ID_INDEX of events 100..: event i has AUX buffer i, on CPU i. */
static inline void pf_id_index(struct perf_file *f, unsigned events)
{
	pf_head(f, 69, 16 + 32 * events);
	pf_u64(f, events);
	for (unsigned i = 0; i < events; i++) {
		pf_u64(f, 100 + i);
		pf_u64(f, i);
		pf_u64(f, i);
		pf_u64(f, UINT64_MAX);
	}
}

static inline void pf_lost(struct perf_file *f, uint64_t lost)
{
	pf_head(f, 2, 24);
	pf_u64(f, 100);
	pf_u64(f, lost);
}

#endif
