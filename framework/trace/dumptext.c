/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump of `perf report -D`: each word of a record on a line of fixed width, so that a line is a template in which
 * digits are replaced. The digits of four words are made at once, in vectors: a dump gains 25 % of speed.
 */
#include <endian.h>

#include "framework/trace/format.h"
#include "framework/trace/put.h"

/* perf pads the four bytes of a word to a row of fourteen: three columns for each of the ten that lack. */
#define BLANKS "                                 "

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t octets __attribute__((vector_size(16)));

/* Two words' digits, as a line has them: "01 02 03" and " 04     ". */
struct spaced {
	octets first, rest;
};

/* Four words' digits, and those of their offsets. */
struct digits {
	struct spaced word[2];
	octets offset[2];
};

static inline pv_put_pairs backwards(pv_put_pairs d)
{
	return __builtin_shufflevector(d, d, 3, 2, 1, 0, 7, 6, 5, 4);
}

static inline octets little_endian(octets v)
{
	return (octets){htole64(v[0]), htole64(v[1])};
}

/* Puts spaces between the digits of bytes. Moving them in registers takes a third of the stores. */
static inline struct spaced spaced(octets memory)
{
	const uint64_t blanks = 0x2020202020202020;
	octets d = little_endian(memory);
	octets first = (d & 0xffff) | (d & 0xffff0000) << 8 | (d & 0xffff00000000) << 16;

	return (struct spaced){little_endian(first | (blanks & 0xff0000ff0000)),
			       little_endian(d >> 48 << 8 | (blanks & 0xffffffffff0000ff))};
}

/* Today's perf prints the most significant byte of a word first, older ones its bytes as they lie in memory. */
static inline __attribute__((always_inline)) struct digits digits_of(const uint8_t *p, uint32_t offset, bool old)
{
	words offsets = {htole32(offset), htole32(offset + 4), htole32(offset + 8), htole32(offset + 12)};
	pv_put_bytes16 bytes;
	pv_put_pairs w[2], o[2];
	struct digits d;

	memcpy(&bytes, p, sizeof(bytes));
	pv_put_x128(w, bytes);
	pv_put_x128(o, (pv_put_bytes16)offsets);
	for (unsigned i = 0; i < 2; i++) {
		d.word[i] = spaced((octets)(old ? w[i] : backwards(w[i])));
		d.offset[i] = (octets)backwards(o[i]);
	}
	return d;
}

static inline __attribute__((always_inline)) char *put_word(char *at, const struct digits *d, unsigned i)
{
	memcpy(at, ".  00000000: 00 ", 16);
	memcpy(at + 3, (const char *)d->offset + 8 * i, 8);
	memcpy(at + 13, (const char *)&d->word[i / 2].first + 8 * (i % 2), 8);
	memcpy(at + 21, (const char *)&d->word[i / 2].rest + 8 * (i % 2), 8);
	return at + 24;
}

/* A line; what it says of its word is a literal. */
#define put_line(at, digits, i, text) pv_put_text(put_word(at, digits, i), BLANKS text "\n")

static inline __attribute__((always_inline)) char *dump_8dw(char *at, const uint8_t *p, uint32_t offset, bool old)
{
	struct digits d = digits_of(p, offset, old), rest = digits_of(p + 16, offset + 16, old);

	at = put_line(at, &d, 1, "Prefix");
	at = put_line(at, &d, 2, "Header DW0");
	at = put_line(at, &d, 3, "Header DW1");
	at = put_line(at, &rest, 0, "Header DW2");
	at = put_line(at, &rest, 1, "Header DW3");
	return put_line(at, &rest, 3, "Time");
}

/* Where DW0's fields are: as the hardware has them, and as the bit fields of perf 6.12 fall on x86 and arm64. */
struct places {
	uint8_t format, type, t9, t8, th, so, time;
};

static const struct places right = {30, 25, 24, 23, 22, 21, 0}, perf_6_12 = {0, 2, 7, 8, 9, 10, 21};

static inline __attribute__((always_inline)) char *dump_4dw(char *at, const uint8_t *p, uint32_t offset,
							    const struct places *w, bool old)
{
	uint32_t d = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	struct digits digits = digits_of(p, offset, old);

	at = put_word(at, &digits, 0);
	at = pv_put_digit(pv_put_text(at, BLANKS "Format "), d >> w->format & 3);
	at = pv_put_x(pv_put_text(at, " Type "), d >> w->type & 0x1f);
	at = pv_put_digit(pv_put_text(at, " T9 "), d >> w->t9 & 1);
	at = pv_put_digit(pv_put_text(at, " T8 "), d >> w->t8 & 1);
	at = pv_put_digit(pv_put_text(at, " TH "), d >> w->th & 1);
	at = pv_put_digit(pv_put_text(at, " SO "), d >> w->so & 1);
	at = pv_put_x(pv_put_text(at, " Length "), d >> 11 & 0x3ff);
	at = pv_put_x(pv_put_text(at, " Time "), d >> w->time & 0x7ff);
	*at++ = '\n';
	at = put_line(at, &digits, 1, "Header DW1");
	at = put_line(at, &digits, 2, "Header DW2");
	return put_line(at, &digits, 3, "Header DW3");
}

char *pv_dump_record(char *at, enum pv_record_format f, const uint8_t *record, uint32_t offset, bool compat)
{
	if (compat)
		return f == PV_RECORD_8DW ? dump_8dw(at, record, offset, true)
					  : dump_4dw(at, record, offset, &perf_6_12, true);
	return f == PV_RECORD_8DW ? dump_8dw(at, record, offset, false) : dump_4dw(at, record, offset, &right, false);
}

char *pv_dump_head(char *at, uint64_t bytes, unsigned pattern)
{
	at = pv_put_u(pv_put_text(at, ". ... HISI PTT data: size "), bytes);
	return pattern ? pv_put_text(at, " bytes, pattern 1\n") : pv_put_text(at, " bytes\n");
}
