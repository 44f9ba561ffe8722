/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COMPRESSED records of perf.data (perf record -z): one zstd stream over all of them, whose content is records
 * again. A record may begin in one and end in the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "framework/trace/perfdata.h"

/* zstd keeps a window of its output. It is bounded here, as a file may ask for 2 GiB; perf uses at most 8 MiB. */
#define WINDOW_LOG_MAX 24
/* perf's records shrink to about a fifth; larger factors are refused, as they only cost time. */
#define GROWTH_MAX     1000

struct pv_perf_unpack {
	ZSTD_DStream *zstd;
	uint64_t packed, unpacked; /* bytes so far */
	size_t n;
	uint8_t buf[2 * (UINT16_MAX + 1)]; /* an incomplete record, and room for another */
};

void pv_perf_unpack_free(struct pv_perf_unpack *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->zstd);
	free(u);
}

static struct pv_perf_unpack *unpack_new(void)
{
	struct pv_perf_unpack *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->zstd = ZSTD_createDStream();
	if (u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return u;
	pv_perf_unpack_free(u);
	return NULL;
}

/* Gives up on compressed data: later data depend on earlier ones. */
static int broken(struct pv_trace *t, const struct pv_perf_record *r, const char *why)
{
	if (!t->perf->said_unpack)
		pv_reader_problem(t, NULL, 0, r->file_offset, r->n, "compressed records cannot be unpacked: %s", why);
	t->perf->said_unpack = true;
	return 0;
}

/* Handles the complete records. -EBADMSG: the data are no record. */
static int walk(struct pv_trace *t, const struct pv_perf_record *outer)
{
	struct pv_perf_unpack *u = t->perf->unpack;
	size_t at = 0;

	while (u->n - at >= PERF_HEADER_BYTES) {
		uint32_t type = pv_perf32(t->perf, u->buf + at);
		size_t size = pv_perf16(t->perf, u->buf + at + 6);

		if (size < PERF_HEADER_BYTES || type == PERF_COMPRESSED || type == PERF_COMPRESSED2)
			return -EBADMSG;
		if (size > u->n - at)
			break;
		pv_perf_handle(t, &(struct pv_perf_record){u->buf + at, size, outer->file_offset, true});
		at += size;
	}
	memmove(u->buf, u->buf + at, u->n - at);
	u->n -= at;
	return 0;
}

int pv_perf_compressed(struct pv_trace *t, const struct pv_perf_record *r)
{
	bool second = pv_perf32(t->perf, r->bytes) == PERF_COMPRESSED2;
	ZSTD_inBuffer in = {r->bytes + PERF_HEADER_BYTES, r->n - PERF_HEADER_BYTES, 0};

	/*
	 * COMPRESSED2 (struct perf_record_compressed2; perf of Linux 6.16 and later): a u64 with the size of the data
	 * comes first, for the record is padded to 8 bytes. In 6.16 header.size overflows at 64 KiB: such a record is
	 * damage.
	 */
	if (second) {
		if (r->n < 16 || pv_perf64(t->perf, r->bytes + 8) > r->n - 16)
			return broken(t, r, "the size of its data is wrong");
		in = (ZSTD_inBuffer){r->bytes + 16, (size_t)pv_perf64(t->perf, r->bytes + 8), 0};
	}
	if (!t->perf->unpack && !(t->perf->unpack = unpack_new()))
		return -ENOMEM;
	if (t->perf->said_unpack)
		return 0;
	t->perf->unpack->packed += r->n;
	for (bool full = true; in.pos < in.size || full;) {
		struct pv_perf_unpack *u = t->perf->unpack;
		ZSTD_outBuffer out = {u->buf, sizeof(u->buf), u->n};
		size_t ret = ZSTD_decompressStream(u->zstd, &out, &in);

		if (ZSTD_isError(ret))
			return broken(t, r, ZSTD_getErrorName(ret));
		full = out.pos == out.size;
		if (out.pos == u->n && !full && in.pos < in.size)
			return broken(t, r, "no progress");
		u->unpacked += out.pos - u->n;
		if (u->unpacked / GROWTH_MAX > u->packed)
			return broken(t, r, "they grow more than a thousandfold");
		u->n = out.pos;
		if (walk(t, r))
			return broken(t, r, "no records in it");
	}
	return 0;
}
