/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces record by record and field by field. After missing or extra records it resynchronises at the
 * nearest equal record, so that one lost record is one difference and not a thousand. It detects the same records in
 * another order.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/golden/golden.h"
#include "framework/trace/record.h"
#include "framework/util/cleanup.h"

#define LOOK_AHEAD 64 /* maximum number of missing or extra records at one place */

/* clang-format off: one to a line */
/* Fields of a record that are compared by name. */
#define FIELDS(X)                             \
	X(prefix, "prefix")                   \
	X(tlp.fmt, "fmt")                     \
	X(tlp.type, "type")                   \
	X(tlp.tc, "tc")                       \
	X(tlp.attr, "attr")                   \
	X(tlp.at, "at")                       \
	X(tlp.th, "th")                       \
	X(tlp.td, "td")                       \
	X(tlp.ep, "ep")                       \
	X(tlp.length_dw, "length")            \
	X(tlp.requester, "requester")         \
	X(tlp.tag, "tag")                     \
	X(tlp.first_be, "first BE")           \
	X(tlp.last_be, "last BE")             \
	X(tlp.address, "address")             \
	X(tlp.completer, "completer")         \
	X(tlp.status, "status")               \
	X(tlp.bcm, "BCM")                     \
	X(tlp.byte_count, "byte count")       \
	X(tlp.lower_address, "lower address") \
	X(tlp.reg, "register")                \
	X(tlp.message_code, "message code")   \
	X(tlp.routing, "routing")
/* clang-format on */

struct comparison {
	const unsigned char *want, *got;
	size_t n_want, n_got, record;
	enum pv_record_format format;
	struct pv_golden_diff *diff;
	unsigned lines, max_lines;
	pv_golden_line_fn fn;
	void *ctx;
};

__attribute__((format(printf, 2, 3))) static void tell(struct comparison *c, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (c->lines++ >= c->max_lines || !c->fn)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	c->fn(c->ctx, line);
}

static const unsigned char *want_at(const struct comparison *c, size_t i)
{
	return c->want + i * c->record;
}

static const unsigned char *got_at(const struct comparison *c, size_t i)
{
	return c->got + i * c->record;
}

static bool equal(const struct comparison *c, size_t i, size_t j)
{
	return i < c->n_want && j < c->n_got && !memcmp(want_at(c, i), got_at(c, j), c->record);
}

static void tell_record(struct comparison *c, const char *how, const void *data, size_t i)
{
	struct pv_record r;

	if (c->format == PV_RECORD_UNKNOWN)
		return tell(c, "byte %zu: %s: 0x%02x", i, how, *(const unsigned char *)data);
	if (pv_record_decode(c->format, data, i * c->record, &r))
		return tell(c, "record %zu: %s: not a valid record", i, how);
	tell(c, "record %zu: %s: %s, requester 0x%04x, tag 0x%x, address 0x%" PRIx64, i, how,
	     pv_tlp_kinds[r.tlp.kind].name, r.tlp.requester, r.tlp.tag, r.tlp.address);
}

static uint32_t dw_at(const unsigned char *record, size_t d)
{
	const unsigned char *p = record + 4 * d;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void tell_fields(struct comparison *c, size_t i, size_t j)
{
	struct pv_record a, b;

	if (c->format == PV_RECORD_UNKNOWN)
		return tell(c, "byte %zu: golden 0x%02x, now 0x%02x", i, c->want[i], c->got[j]);
	int bad_a = pv_record_decode(c->format, want_at(c, i), i * c->record, &a);
	int bad_b = pv_record_decode(c->format, got_at(c, j), j * c->record, &b);
	unsigned named = 0;
	/* Undecodable records are reported DW by DW. */
	bool whole = !bad_a && !bad_b;
#define X(field, name)                                                                                      \
	if (whole && a.field != b.field) {                                                                  \
		tell(c, "record %zu: %s: golden 0x%" PRIx64 ", now 0x%" PRIx64, i, name, (uint64_t)a.field, \
		     (uint64_t)b.field);                                                                    \
		named++;                                                                                    \
	}
	FIELDS(X)
#undef X
	for (size_t d = 0; !named && d < c->record / 4; d++)
		if (dw_at(want_at(c, i), d) != dw_at(got_at(c, j), d))
			tell(c, "record %zu: DW%zu: golden 0x%08x, now 0x%08x", i, d, dw_at(want_at(c, i), d),
			     dw_at(got_at(c, j), d));
}

/* Returns the number of records to skip on one side so that both agree again; 0: none within reach. */
static size_t resync(const struct comparison *c, size_t i, size_t j, bool skip_want)
{
	for (size_t k = 1; k <= LOOK_AHEAD; k++)
		if (skip_want ? equal(c, i + k, j) : equal(c, i, j + k))
			return k;
	return 0;
}

static void compare_records(struct comparison *c)
{
	size_t i = 0, j = 0;

	while (i < c->n_want && j < c->n_got) {
		if (equal(c, i, j)) {
			i++, j++;
			continue;
		}
		size_t lost = resync(c, i, j, true), more = resync(c, i, j, false);
		bool changed = equal(c, i + 1, j + 1) || (!lost && !more);
		if (changed) {
			c->diff->changed++;
			tell_fields(c, i++, j++);
		} else if (lost && (!more || lost <= more)) {
			for (c->diff->missing += lost; lost--; i++)
				tell_record(c, "missing", want_at(c, i), i);
		} else {
			for (c->diff->extra += more; more--; j++)
				tell_record(c, "extra", got_at(c, j), j);
		}
	}
	for (c->diff->missing += c->n_want - i; i < c->n_want; i++)
		tell_record(c, "missing", want_at(c, i), i);
	for (c->diff->extra += c->n_got - j; j < c->n_got; j++)
		tell_record(c, "extra", got_at(c, j), j);
}

/* ---- the same records in another order ---- */

static int by_bytes(const void *a, const void *b, void *record)
{
	return memcmp(a, b, *(const size_t *)record);
}

static unsigned char *sorted(const struct comparison *c, const unsigned char *data, size_t n)
{
	size_t record = c->record;
	unsigned char *copy = malloc(n * record + 1);

	if (!copy)
		return NULL;
	memcpy(copy, data, n * record);
	qsort_r(copy, n, record, by_bytes, &record);
	return copy;
}

static bool is_reordered(const struct comparison *c)
{
	if (c->format == PV_RECORD_UNKNOWN || c->n_want != c->n_got || !memcmp(c->want, c->got, c->n_want * c->record))
		return false;
	_autofree_ unsigned char *a = sorted(c, c->want, c->n_want), *b = sorted(c, c->got, c->n_got);
	return a && b && !memcmp(a, b, c->n_want * c->record);
}

static void tell_order(struct comparison *c)
{
	size_t first = 0;

	while (equal(c, first, first))
		first++;
	tell(c, "same records in another order: first at record %zu", first);
	tell_record(c, "golden", want_at(c, first), first);
	tell_record(c, "now", got_at(c, first), first);
	for (size_t i = first; i < c->n_want; i++)
		c->diff->changed += !equal(c, i, i);
}

static void compare_tails(struct comparison *c, size_t want_len, size_t got_len)
{
	size_t a = want_len - c->n_want * c->record, b = got_len - c->n_got * c->record;

	if (a == b && !memcmp(want_at(c, c->n_want), got_at(c, c->n_got), a))
		return;
	c->diff->changed++;
	tell(c, "tail after the last whole record: golden %zu bytes, now %zu bytes or others", a, b);
}

/*
 * Returns a copy with Time 0 in every record. The unit and epoch of Time are undocumented, and it depends on the
 * driver's start: goldens with Time would change without a reason.
 */
static unsigned char *without_time(const unsigned char *data, size_t len, enum pv_record_format f)
{
	size_t record = pv_record_bytes(f);
	unsigned char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, data, len);
	for (size_t off = 0; record && off + record <= len; off += record) {
		if (f == PV_RECORD_8DW) {
			memset(copy + off + 28, 0, 4);
			continue;
		}
		copy[off] = 0; /* Time is [10:0] of DW0 */
		copy[off + 1] &= 0xf8;
	}
	return copy;
}

void pv_golden_compare(const void *want, size_t want_len, const void *got, size_t got_len, unsigned max_lines,
		       struct pv_golden_diff *diff, pv_golden_line_fn fn, void *ctx)
{
	enum pv_record_format a = pv_record_detect(want, want_len), b = pv_record_detect(got, got_len);
	struct comparison c = {.diff = diff, .max_lines = max_lines, .fn = fn, .ctx = ctx};

	c.format = a != PV_RECORD_UNKNOWN ? a : b;
	c.record = pv_record_bytes(c.format) ? pv_record_bytes(c.format) : 1;
	_autofree_ unsigned char *x = without_time(want, want_len, c.format);
	_autofree_ unsigned char *y = without_time(got, got_len, c.format);
	*diff = (struct pv_golden_diff){.records_want = want_len / c.record, .records_got = got_len / c.record};
	if (!x || !y) {
		diff->changed = 1; /* the traces cannot be compared, so they are not equal */
		return tell(&c, "no memory to compare");
	}
	c.want = x;
	c.got = y;
	c.n_want = diff->records_want;
	c.n_got = diff->records_got;
	if (a != b && want_len && got_len)
		tell(&c, "format: golden %zuDW, now %zuDW", pv_record_bytes(a) / 4, pv_record_bytes(b) / 4);
	if (is_reordered(&c))
		tell_order(&c);
	else
		compare_records(&c);
	compare_tails(&c, want_len, got_len);
	if (c.lines > max_lines && fn) {
		char line[64];

		snprintf(line, sizeof(line), "... and %u lines more", c.lines - max_lines);
		fn(ctx, line);
	}
}

bool pv_golden_same(const struct pv_golden_diff *d)
{
	return !d->missing && !d->extra && !d->changed;
}
