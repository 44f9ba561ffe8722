/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the targets whose input is a trace: its records, all at once, and files made of it opened again. */
#ifndef PV_TRACE_FUZZ_WALK_H
#define PV_TRACE_FUZZ_WALK_H

#include "framework/trace/trace.h"
#include "framework/util/fuzz/fuzz.h"

struct walk {
	struct pv_trace *trace; /* the streams are its own */
	struct pv_trace_record *records;
	size_t n;
};

static inline void walk_end(struct walk *w)
{
	pv_trace_close(w->trace);
	free(w->records);
}

/* Takes the reader. */
static inline struct walk walk_reader(struct pv_trace *t)
{
	struct walk w = {.trace = t};
	struct pv_trace_record r;

	while (pv_trace_next(t, &r) > 0) {
		if (!(w.n & (w.n - 1))) {
			w.records = realloc(w.records, (w.n ? 2 * w.n : 1) * sizeof(r));
			fuzz_check(w.records);
		}
		w.records[w.n++] = r;
	}
	return w;
}

/* trace NULL: not the begin of a trace (a perf.data header that is none). */
static inline struct walk walk_memory(const uint8_t *data, size_t size)
{
	struct pv_trace *t = pv_trace_open_memory(data, size, NULL);

	return t ? walk_reader(t) : (struct walk){0};
}

static inline struct walk walk_fd(int fd)
{
	struct pv_trace *t = pv_trace_open_fd(fd, "fuzz", NULL, NULL);

	return t ? walk_reader(t) : (struct walk){0};
}

/* The words as recorded. */
static inline bool walk_same_words(const struct pv_record *a, const struct pv_record *b)
{
	return a->format == b->format && !memcmp(a->dw, b->dw, sizeof(a->dw));
}

#endif
