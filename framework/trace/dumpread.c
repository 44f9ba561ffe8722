/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a dump to records: see dumpread.h. Constant memory: the payload goes to a temporary file. */
#include "framework/trace/dumpread.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/trace/header_check.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum {
	LINE_MAX_BYTES = 1024, /* longer lines do not belong to a dump */
	WORDS_8DW = 6,	       /* Prefix, Header DW0 to DW3, Time: the mark and the reserved word are not printed */
	WORDS_4DW = 4,
	UNDECIDED = 256, /* records that are kept until the byte order is known */
	OUT = 1 << 15,
};

/* The words of a record, numbers if each has its most significant byte first. */
struct words {
	enum pv_record_format format;
	unsigned n;
	uint32_t w[WORDS_8DW];
};

/* A row of AUXTRACE records of one buffer that continue each other, as perf prints their heads. */
struct row {
	uint64_t idx, from, to; /* the buffer; AUX offsets */
	uint64_t at;		/* of its first record in the payload */
};

struct dumpread {
	struct pv_trace *t;
	int fd;
	uint64_t line, at; /* number of the line, from 1, and its offset in the text */
	struct words record;
	struct words kept[UNDECIDED];
	size_t n_kept;
	bool is_decided, as_in_memory;
	uint8_t out[OUT];
	size_t n_out;
	uint64_t payload; /* bytes of the records so far */
	struct row row;
	uint64_t announced;		      /* end of the data that AUX records announce */
	bool has_from, has_row, said_buffers; /* row.from by an AUX record, if one is before the first row */
};

/* ---- one line ---- */

struct line {
	uint32_t word;
	const char *label;
};

/* Skips quotation marks of mail, and colours of a terminal. */
static const char *skip_quotes(const char *s)
{
	while (*s == '>' || *s == '|' || *s == ' ' || *s == '\t' || *s == 27) {
		if (*s++ != 27)
			continue;
		while (*s && !isalpha((unsigned char)*s))
			s++;
		s += *s != 0;
	}
	return s;
}

static const char *skip_hex(const char *s, unsigned digits, uint32_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < digits; i++, s++) {
		if (!isxdigit((unsigned char)*s))
			return NULL;
		*value = *value << 4 |
			 (uint32_t)(isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10);
	}
	return s;
}

/* ".  0000001c: 00 01 20 08     Header DW1". 1: such a line; 0: another; -1: it has not four bytes. */
static int parse(const char *text, struct line *out)
{
	const char *s = skip_quotes(text);
	uint32_t v;
	unsigned n = 0;

	if (*s++ != '.')
		return 0;
	s = skip_hex(skip_quotes(s), 8, &v);
	if (!s || *s++ != ':')
		return 0;
	out->word = 0;
	for (const char *next; (next = skip_hex(skip_quotes(s), 2, &v)) && (*next == ' ' || !*next); s = next, n++)
		out->word = out->word << 8 | v;
	out->label = skip_quotes(s);
	return n == 4 ? 1 : -1;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool begins_record(const struct line *l)
{
	return begins(l->label, "Prefix") || begins(l->label, "Format ");
}

/* ---- records ---- */

static int flush(struct dumpread *d)
{
	int r = pv_write_all(d->fd, d->out, d->n_out);

	d->n_out = 0;
	return r;
}

static void put_le32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Writes the record as it lies in memory; returns its size. */
static size_t build(const struct words *r, bool as_in_memory, uint8_t out[PTT_RECORD_8DW_BYTES])
{
	uint32_t w[WORDS_8DW];

	for (unsigned i = 0; i < WORDS_8DW; i++)
		w[i] = as_in_memory ? __builtin_bswap32(r->w[i]) : r->w[i];
	if (r->format == PV_RECORD_4DW) {
		for (unsigned i = 0; i < WORDS_4DW; i++)
			put_le32(out + 4 * i, w[i]);
		return PTT_RECORD_4DW_BYTES;
	}
	put_le32(out, PTT_RECORD_8DW_DW0);
	for (unsigned i = 0; i < WORDS_8DW - 1; i++)
		put_le32(out + 4 + 4 * i, w[i]);
	put_le32(out + 24, 0);
	put_le32(out + 28, w[WORDS_8DW - 1]);
	return PTT_RECORD_8DW_BYTES;
}

/* Returns true if the header keeps the rules. Those of 4DW records serve both formats: they check what both have. */
static bool is_regular(const struct words *r, bool as_in_memory)
{
	uint8_t bytes[PTT_RECORD_8DW_BYTES];
	uint32_t h;

	build(r, as_in_memory, bytes);
	if (r->format == PV_RECORD_4DW)
		return pv_regular_4dw(bytes);
	h = pv_dw(bytes, 2);
	if (h >> 31 || !pv_prefix_8dw(bytes))
		return false;
	put_le32(bytes + 8, h << 1 >> 25 << 25 | (h >> 16 & 1) << 22 | (h & 0x3ff) << 11);
	return pv_regular_4dw(bytes + 8);
}

static int put(struct dumpread *d, const struct words *r)
{
	int err = d->n_out > OUT - PTT_RECORD_8DW_BYTES ? flush(d) : 0;

	d->n_out += build(r, d->as_in_memory, d->out + d->n_out);
	return err;
}

/* Returns the byte order in which more headers keep the rules; if equal, that of today's perf. */
static int decide(struct dumpread *d)
{
	size_t today = 0, memory = 0;
	int r = 0;

	for (size_t i = 0; i < d->n_kept; i++) {
		today += is_regular(&d->kept[i], false);
		memory += is_regular(&d->kept[i], true);
	}
	d->is_decided = true;
	d->as_in_memory = memory > today;
	for (size_t i = 0; !r && i < d->n_kept; i++)
		r = put(d, &d->kept[i]);
	return r;
}

static int end_record(struct dumpread *d)
{
	struct words r = d->record;

	d->record.n = 0;
	d->payload += pv_record_bytes(r.format);
	if (d->is_decided)
		return put(d, &r);
	d->kept[d->n_kept++] = r;
	return d->n_kept == UNDECIDED ? decide(d) : 0;
}

/* ---- lines ---- */

__attribute__((format(printf, 2, 3))) static void complain(struct dumpread *d, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pv_reader_problem(d->t, NULL, 0, d->at, 0, "line %" PRIu64 ": %s", d->line, text);
}

/* Records may be missing before the next one. */
static void hole_here(struct dumpread *d)
{
	pv_reader_add_hole(d->t->streams[0], (struct pv_reader_hole){d->payload, d->payload});
}

/* Returns true if this is the label of the record's next word. Newer perf prints the fields of a word in its place. */
static bool is_next(const struct words *r, const struct line *l)
{
	char name[16];

	if (r->format == PV_RECORD_8DW && r->n == WORDS_8DW - 1)
		return begins(l->label, "Time");
	snprintf(name, sizeof(name), "Header DW%u", r->format == PV_RECORD_8DW ? r->n - 1 : r->n);
	if (begins(l->label, "Header DW"))
		return begins(l->label, name);
	return !begins(l->label, "Time") && !begins(l->label, "Prefix") &&
	       !(r->format == PV_RECORD_4DW && begins(l->label, "Format "));
}

static void drop_record(struct dumpread *d, const char *got)
{
	if (!d->record.n)
		return;
	complain(d, "a record of a dump ends after %u of its words: got '%.32s'", d->record.n, got);
	hole_here(d);
	d->record.n = 0;
}

static int take_word(struct dumpread *d, const struct line *l)
{
	struct words *r = &d->record;

	if (r->n && !is_next(r, l))
		drop_record(d, l->label);
	if (!r->n && !begins_record(l)) {
		complain(d, "expected the first word of a record, 'Prefix' or 'Format', got '%.32s'", l->label);
		hole_here(d);
		return 0;
	}
	if (!r->n)
		r->format = begins(l->label, "Prefix") ? PV_RECORD_8DW : PV_RECORD_4DW;
	r->w[r->n++] = l->word;
	return r->n == (r->format == PV_RECORD_8DW ? WORDS_8DW : WORDS_4DW) ? end_record(d) : 0;
}

/* ---- what perf prints between dumps (util/event.c, machine.c and auxtrace.c of perf 6.12) ---- */

/* Finds the number behind `name`. Returns false if there is none. */
static bool find_number(const char *text, const char *name, uint64_t *value)
{
	const char *at = strstr(text, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	*value = strtoull(at, &end, 0);
	return isdigit((unsigned char)*at) && end != at;
}

/* "PERF_RECORD_AUXTRACE size: 0x400000  offset: 0x400000  ref: 0x1c  idx: 0  tid: -1  cpu: 0" */
static void take_auxtrace(struct dumpread *d, const char *text)
{
	const struct row before = d->row;
	uint64_t size, offset, idx = 0;

	if (!find_number(text, " size: ", &size) || !find_number(text, " offset: ", &offset))
		return;
	(void)find_number(text, " idx: ", &idx);
	d->row = (struct row){idx, offset, offset + size, d->payload};
	if (!d->has_row) {
		d->has_row = true;
	} else if (idx == before.idx && offset == before.to) {
		d->row.from = before.from;
		d->row.at = before.at;
	} else {
		hole_here(d);
		if (idx == before.idx)
			complain(d, "AUX data from %" PRIu64 " to %" PRIu64 " %s", before.to, offset,
				 offset > before.to ? "is missing" : "is here again");
		else if (!d->said_buffers)
			complain(d, "data of AUX buffer %" PRIu64 " behind those of %" PRIu64 ": read as one stream",
				 idx, before.idx);
		d->said_buffers |= idx != before.idx;
	}
}

/* "PERF_RECORD_AUX offset: 0 size: 0x400000 flags: 0x1 [T]": perf sorts these by time, so the data may come first. */
static void take_aux(struct dumpread *d, const char *text)
{
	uint64_t from, size, flags, before = d->t->problems;
	const struct row *r = &d->row;
	struct pv_reader_hole hole;

	if (!find_number(text, " offset: ", &from) || !find_number(text, " size: ", &size) ||
	    !find_number(text, " flags: ", &flags))
		return;
	if (!d->has_row && !d->has_from)
		d->row.from = from;
	d->has_from = true;
	d->announced = from + size > d->announced ? from + size : d->announced;
	for (size_t i = 0; i < ARRAY_SIZE(pv_reader_aux_flags); i++)
		if (flags & pv_reader_aux_flags[i].flag)
			complain(d, "%s %" PRIu64, pv_reader_aux_flags[i].what, from + size);
	if (before == d->t->problems)
		return;
	hole = pv_reader_aux_hole(flags, from, from + size);
	if (hole.from < r->from || hole.to < hole.from)
		hole_here(d);
	else
		pv_reader_add_hole(d->t->streams[0],
				   (struct pv_reader_hole){hole.from - r->from + r->at, hole.to - r->from + r->at});
}

/* "PERF_RECORD_LOST: id:5: lost:7", "PERF_RECORD_LOST_SAMPLES: id:5: lost samples :7" */
static void take_lost(struct dumpread *d, const char *text)
{
	bool is_samples = begins(text, "PERF_RECORD_LOST_SAMPLES");
	uint64_t lost;

	if (!find_number(text, is_samples ? ": lost samples :" : ": lost:", &lost) || !lost)
		return;
	complain(d, "perf lost %" PRIu64 " %s here", lost, is_samples ? "samples" : "events");
	hole_here(d);
}

static void take_other(struct dumpread *d, const char *text)
{
	const char *event = strstr(text, "PERF_RECORD_");

	if (!event)
		return;
	if (begins(event, "PERF_RECORD_AUXTRACE size: "))
		take_auxtrace(d, event);
	else if (begins(event, "PERF_RECORD_AUX offset: "))
		take_aux(d, event);
	else if (begins(event, "PERF_RECORD_LOST"))
		take_lost(d, event);
}

static int take_line(struct dumpread *d, char *text)
{
	struct line l;
	int what = parse(text, &l);

	if (what > 0)
		return take_word(d, &l);
	if (what < 0 && (begins_record(&l) || begins(l.label, "Header DW") || begins(l.label, "Time"))) {
		complain(d, "expected four bytes of two hexadecimal digits");
		hole_here(d);
		d->record.n = 0;
	}
	if (strstr(text, "HISI PTT data: size ") && strstr(text, "bytes, pattern 1") && !d->t->opt.pattern)
		d->t->opt.pattern = 2;
	take_other(d, text);
	return 0;
}

/*
 * Reads the next line of the source into `text`, truncated to its size. Returns the line's length with its end; 0 at
 * the end of the source.
 */
static ssize_t next_line(struct pv_source *s, char text[LINE_MAX_BYTES])
{
	size_t all = 0, kept = 0;
	bool ended = false;

	while (!ended) {
		int r = pv_source_need(s, 1);
		const uint8_t *p = pv_source_data(s), *newline;
		size_t n = pv_source_avail(s), fits;

		if (r)
			return r;
		if (!n)
			break;
		newline = memchr(p, '\n', n);
		n = newline ? (size_t)(newline - p) + 1 : n;
		fits = n - (newline != NULL) < LINE_MAX_BYTES - 1 - kept ? n - (newline != NULL)
									 : LINE_MAX_BYTES - 1 - kept;
		memcpy(text + kept, p, fits);
		kept += fits;
		all += n;
		ended = newline;
		pv_source_take(s, n);
	}
	text[kept] = '\0';
	return (ssize_t)all;
}

static void end_text(struct dumpread *d)
{
	drop_record(d, "the end of the text");
	if (d->has_row && !d->said_buffers && d->announced > d->row.to)
		complain(d, "AUX data from %" PRIu64 " to %" PRIu64 " is missing", d->row.to, d->announced);
}

static int read_lines(struct dumpread *d)
{
	char text[LINE_MAX_BYTES];
	ssize_t n;
	int r = 0;

	while (!r && (n = next_line(&d->t->in, text)) != 0) {
		if (n < 0)
			return (int)n;
		d->line++;
		r = take_line(d, text);
		d->at += (uint64_t)n;
	}
	if (!r)
		end_text(d);
	if (!r && !d->is_decided)
		r = decide(d);
	return r ? r : flush(d);
}

int pv_dumpread_load(struct pv_trace *t)
{
	_autofree_ struct dumpread *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	d->t = t;
	d->fd = pv_source_temporary();
	if (d->fd < 0)
		return d->fd;
	r = read_lines(d);
	t->placed = t->problems; /* each has its hole */
	if (!r)
		return pv_source_replace(&t->in, d->fd);
	close(d->fd);
	return r;
}

bool pv_dumpread_is_dump(const uint8_t *p, size_t n)
{
	char text[LINE_MAX_BYTES];
	struct line l;

	if (memchr(p, 0, n))
		return false;
	for (const uint8_t *end = p + n, *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		newline = newline ? newline : end;
		if ((size_t)(newline - p) >= sizeof(text))
			continue;
		memcpy(text, p, (size_t)(newline - p));
		text[newline - p] = '\0';
		if (parse(text, &l) > 0 && begins_record(&l))
			return true;
	}
	return false;
}
