/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, file and pipe mode: walks the records of the data section. Every size is checked against what is
 * there before it is believed.
 */
#include "framework/trace/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

bool pv_perfdata_magic(const uint8_t *p, size_t n)
{
	return n >= 8 && (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8));
}

/*
 * `perf record --kcore` makes a folder, whose only perf.data is `data` (perf.data-directory-format.txt, version 0).
 * With --threads there are data.0, data.1 ... too; perf refuses that with AUX area tracing.
 */
int pv_perfdata_enter(int fd, const char *name, struct pv_error *e)
{
	struct stat st;
	int data;

	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return fd;
	_autoclose_ int folder = fd;

	if (!faccessat(folder, "data.0", F_OK, 0))
		return pv_error(
			e, -EBADMSG,
			"%s: a folder of perf record --threads (data.0 is there), which perf does not make with "
			"AUX area tracing: expected no trace in it; record without --threads",
			name);
	data = openat(folder, "data", O_RDONLY | O_CLOEXEC);
	if (data >= 0)
		return data;
	if (errno != ENOENT)
		return pv_error(e, -errno, "%s/data: %s", name, strerror(errno));
	return pv_error(e, -EISDIR, "%s: Is a directory: expected a file, or a folder of perf with the file 'data'",
			name);
}

int pv_perfdata_open(struct pv_trace *t, struct pv_error *e)
{
	t->perf = calloc(1, sizeof(*t->perf));
	if (!t->perf)
		return -ENOMEM;
	/* The magic is a number: PERFILE2 in memory is what a little-endian machine writes. */
	t->perf->big_endian = pv_source_data(&t->in)[0] == '2';
	return pv_perf_read_header(t, e);
}

void pv_perfdata_close(struct pv_perfdata *p)
{
	pv_perf_unpack_free(p->unpack);
	pv_perf_events_free(p);
	free(p);
}

/* ---- records ---- */

static int on_auxtrace_error(struct pv_trace *t, const struct pv_perf_record *r)
{
	enum { MESSAGE = 48, MESSAGE_MAX = 64 };
	int n = r->n <= MESSAGE ? 0 : r->n - MESSAGE < MESSAGE_MAX ? (int)(r->n - MESSAGE) : MESSAGE_MAX;

	pv_reader_problem(t, NULL, 0, r->file_offset, 0, "perf noted an error: %.*s", n,
			  n ? (const char *)r->bytes + MESSAGE : "");
	return 0;
}

/* Its data follows the record, as a payload does. */
static int on_tracing_data(struct pv_trace *t, const struct pv_perf_record *r)
{
	uint64_t size = r->n < 12 ? 0 : ((uint64_t)pv_perf32(t->perf, r->bytes + 8) + 7) & ~(uint64_t)7;

	if (r->unpacked)
		return 0;
	pv_source_take(&t->in, r->n);
	return pv_source_skip(&t->in, size);
}

int pv_perf_handle(struct pv_trace *t, const struct pv_perf_record *r)
{
	static pv_perf_handler *const handlers[PERF_TYPES] = {
		[PERF_LOST] = pv_perf_lost,
		[PERF_AUX] = pv_perf_aux,
		[PERF_LOST_SAMPLES] = pv_perf_lost_samples,
		[PERF_HEADER_ATTR] = pv_perf_attr,
		[PERF_HEADER_TRACING_DATA] = on_tracing_data,
		[PERF_ID_INDEX] = pv_perf_id_index,
		[PERF_AUXTRACE_INFO] = pv_perf_auxtrace_info,
		[PERF_AUXTRACE] = pv_perf_auxtrace,
		[PERF_AUXTRACE_ERROR] = on_auxtrace_error,
		[PERF_HEADER_FEATURE] = pv_perf_feature,
		[PERF_COMPRESSED] = pv_perf_compressed,
		[PERF_COMPRESSED2] = pv_perf_compressed,
	};
	uint32_t type = pv_perf32(t->perf, r->bytes);

	return type < PERF_TYPES && handlers[type] ? handlers[type](t, r) : 0;
}

/* ---- the walk ---- */

int pv_perfdata_next(struct pv_trace *t)
{
	struct pv_perf_record rec = {0};
	int r;

	for (;;) {
		r = pv_perf_sync(t, &rec);
		if (r < 0)
			return r == -ENODATA ? pv_perf_auxtrace_end(t) : r;
		if (!r)
			continue;
		r = rec.headless ? pv_perf_auxtrace(t, &rec) : pv_perf_handle(t, &rec);
		if (r)
			return r;
		/* Handlers of records with data behind them have consumed the record themselves. */
		if (t->in.pos == rec.file_offset)
			pv_source_take(&t->in, rec.n);
	}
}
