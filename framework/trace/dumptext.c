/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump of `perf report -D`: each word of a record on a line of fixed width, so that a line is a template in
 * which digits are replaced.
 */
#include "framework/trace/format.h"
#include "framework/trace/put.h"

/* perf pads the four bytes of a word to a row of fourteen: three columns for each of the ten that lack. */
#define BLANKS "                              "
#define LINE   ".  00000000: 00 00 00 00 " BLANKS "  "

enum { LINE_BYTES = sizeof(LINE) - 1, OFFSET_AT = 3, WORD_AT = 13 };

/* Today's perf prints the most significant byte of a word first, older ones its bytes as they lie in memory. */
static inline __attribute__((always_inline)) char *put_word(char *at, uint32_t offset, const uint8_t *bytes,
							    bool as_in_memory)
{
	memcpy(at, LINE, LINE_BYTES);
	pv_put_x32(at + OFFSET_AT, offset);
	for (unsigned i = 0; i < 4; i++)
		pv_put_x8(at + WORD_AT + 3 * i, bytes[as_in_memory ? i : 3 - i]);
	return at + LINE_BYTES;
}

static inline __attribute__((always_inline)) char *dump_8dw(char *at, const uint8_t *p, uint32_t offset, bool old)
{
	at = pv_put_text(put_word(at, offset + 4, p + 4, old), "Prefix\n");
	at = pv_put_text(put_word(at, offset + 8, p + 8, old), "Header DW0\n");
	at = pv_put_text(put_word(at, offset + 12, p + 12, old), "Header DW1\n");
	at = pv_put_text(put_word(at, offset + 16, p + 16, old), "Header DW2\n");
	at = pv_put_text(put_word(at, offset + 20, p + 20, old), "Header DW3\n");
	return pv_put_text(put_word(at, offset + 28, p + 28, old), "Time\n");
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

	at = put_word(at, offset, p, old);
	at = pv_put_digit(pv_put_text(at, "Format "), d >> w->format & 3);
	at = pv_put_x(pv_put_text(at, " Type "), d >> w->type & 0x1f);
	at = pv_put_digit(pv_put_text(at, " T9 "), d >> w->t9 & 1);
	at = pv_put_digit(pv_put_text(at, " T8 "), d >> w->t8 & 1);
	at = pv_put_digit(pv_put_text(at, " TH "), d >> w->th & 1);
	at = pv_put_digit(pv_put_text(at, " SO "), d >> w->so & 1);
	at = pv_put_x(pv_put_text(at, " Length "), d >> 11 & 0x3ff);
	at = pv_put_x(pv_put_text(at, " Time "), d >> w->time & 0x7ff);
	*at++ = '\n';
	at = pv_put_text(put_word(at, offset + 4, p + 4, old), "Header DW1\n");
	at = pv_put_text(put_word(at, offset + 8, p + 8, old), "Header DW2\n");
	return pv_put_text(put_word(at, offset + 12, p + 12, old), "Header DW3\n");
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
