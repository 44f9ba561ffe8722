/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells other kinds of files from raw payload. Words of text pass as headers of undefined TLPs that resemble each
 * other, so resync.c would find hundreds of records in a licence text. Evidence against a payload: all bytes are text,
 * the magic number of a known format, and records that are few and all odd.
 */
#include "framework/trace/filetype.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/header_check.h"
#include "framework/trace/resync.h"
#include "framework/util/cleanup.h"

/* ---- text ---- */

enum {
	/* Evidence in tenths of a bit. 97 of 256 values are text; hardly one byte in a hundred of a text is not. */
	TEXT = 14,
	NO_TEXT = -240,	   /* even a record of printable numbers has 11 bits of time, which are 8% of other bytes */
	ZERO = -640,	   /* text has no such byte, and records nearly always have some */
	ENOUGH_TEXT = 160, /* more than the evidence of any single record */
	TEXT_AHEAD = 16384,
};

/* Bytes of the UTF-8 sequence here, 1 for ASCII text; 0: neither. A sequence that the end cuts counts as text. */
static size_t text_bytes(const uint8_t *p, size_t n)
{
	size_t bytes = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	if (p[0] < 0x80)
		return (p[0] >= ' ' && p[0] < 0x7f) || (p[0] >= '\t' && p[0] <= '\r');
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < bytes && i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return bytes < n ? bytes : n;
}

static bool is_text(const uint8_t *p, size_t n)
{
	long evidence = 0;

	n = n < TEXT_AHEAD ? n : TEXT_AHEAD;
	for (size_t i = 0; i < n && evidence + TEXT * (long)(n - i) >= ENOUGH_TEXT;) {
		size_t bytes = text_bytes(p + i, n - i);

		evidence += bytes ? TEXT * (long)bytes : p[i] ? NO_TEXT : ZERO;
		i += bytes ? bytes : 1;
	}
	return evidence >= ENOUGH_TEXT;
}

/* ---- known formats ---- */

#define MAGIC(b, n)                                         \
	{                                                   \
		.bytes = b, .len = sizeof(b) - 1, .name = n \
	}

static const struct magic {
	const char *bytes;
	size_t len;
	const char *name;
} magics[] = {
	MAGIC("\x7f"
	      "ELF\1\1\1",
	      "an ELF file"), /* 32 and 64 bits, either byte order */
	MAGIC("\x7f"
	      "ELF\2\1\1",
	      "an ELF file"),
	MAGIC("\x7f"
	      "ELF\1\2\1",
	      "an ELF file"),
	MAGIC("\x7f"
	      "ELF\2\2\1",
	      "an ELF file"),
	MAGIC("\x89PNG\r\n\x1a\n", "a PNG picture"),
	MAGIC("\xfd"
	      "7zXZ\0",
	      "compressed (xz)"),
	MAGIC("!<arch>\n", "an archive (ar)"),
	MAGIC("SQLite format 3", "an SQLite database"),
	MAGIC("%PDF-", "a PDF document"),
	/* Short ones, which may also be the first word of a record. */
	MAGIC("\x1f\x8b\x08", "compressed (gzip)"),
	MAGIC("BZh", "compressed (bzip2)"),
	MAGIC("\x28\xb5\x2f\xfd", "compressed (zstd)"),
	MAGIC("PK\3\4", "an archive (zip)"),
	MAGIC("\xd4\xc3\xb2\xa1", "a packet capture (pcap)"),
	MAGIC("\x4d\x3c\xb2\xa1", "a packet capture (pcap)"),
	MAGIC("\x0a\x0d\x0d\x0a", "a packet capture (pcapng)"),
};

enum { LONG_MAGIC = 5 };

static const struct magic *magic_of(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (n >= magics[i].len && !memcmp(p, magics[i].bytes, magics[i].len))
			return &magics[i];
	return NULL;
}

/* ---- records ---- */

struct finds {
	size_t bytes, records, regular; /* records of 8DW are regular: they carry a mark */
};

static void count_run(struct finds *f, const uint8_t *p, const struct pv_resync_step *s)
{
	size_t size = pv_record_bytes(s->format);

	f->bytes += s->bytes;
	f->records += s->bytes / size;
	for (size_t at = 0; at < s->bytes; at += size)
		f->regular += s->format == PV_RECORD_8DW || pv_regular_4dw(p + at);
}

static struct finds find_records(const uint8_t *p, size_t n)
{
	_autofree_ struct pv_resync *footing = calloc(1, sizeof(*footing));
	struct finds f = {0};

	for (size_t at = 0; footing && at < n;) {
		struct pv_resync_step s = pv_resync_next(footing, p + at, n - at, true);

		if (s.what == PV_RESYNC_RUN) {
			count_run(&f, p + at, &s);
			footing->bad_bytes = 0;
		}
		at += s.bytes;
	}
	return f;
}

/* Returns true if most records, from the first on, are valid: then no further check is needed. */
static bool is_plain(const uint8_t *p, size_t n)
{
	size_t good = 0;

	for (size_t at = 0; n - at >= PTT_RECORD_4DW_BYTES; at += PTT_RECORD_4DW_BYTES)
		good += pv_good_8dw(p + at) || pv_regular_4dw(p + at);
	return good * PTT_RECORD_4DW_BYTES * 8 >= n * 3; /* of 8DW every second place has the mark */
}

/* Less than half of it are records. */
static bool is_sparse(const struct finds *f, size_t n)
{
	return f->bytes < n / 2;
}

/* Traces with only odd records have one piece. */
static bool is_odd(const struct finds *f, size_t n)
{
	return is_sparse(f, n) && f->records && f->regular < f->records / 8;
}

enum { TAR_MAGIC_AT = 257 };

const char *pv_filetype(const uint8_t *p, size_t n)
{
	const struct magic *m = magic_of(p, n);
	struct finds f;

	if (n >= TAR_MAGIC_AT + 5 && !memcmp(p + TAR_MAGIC_AT, "ustar", 5))
		return "an archive (tar)";

	if (m && m->len >= LONG_MAGIC)
		return m->name;
	if (is_text(p, n))
		return "text";
	if (is_plain(p, n))
		return NULL;
	f = find_records(p, n);
	if (m && is_sparse(&f, n))
		return m->name;
	return is_odd(&f, n) ? "bytes of which the few that could be records are all odd" : NULL;
}
