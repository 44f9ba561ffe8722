/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of two digits at once, and decimal numbers. */
#include "framework/trace/put.h"

/* clang-format off */
#define HEX_ROW(r) r "0" r "1" r "2" r "3" r "4" r "5" r "6" r "7" r "8" r "9" r "a" r "b" r "c" r "d" r "e" r "f"
#define DECIMAL_ROW(r) r "0" r "1" r "2" r "3" r "4" r "5" r "6" r "7" r "8" r "9"

const char pv_put_hex[512] =
	HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4") HEX_ROW("5") HEX_ROW("6") HEX_ROW("7")
	HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b") HEX_ROW("c") HEX_ROW("d") HEX_ROW("e") HEX_ROW("f");
const char pv_put_decimal[200] =
	DECIMAL_ROW("0") DECIMAL_ROW("1") DECIMAL_ROW("2") DECIMAL_ROW("3") DECIMAL_ROW("4")
	DECIMAL_ROW("5") DECIMAL_ROW("6") DECIMAL_ROW("7") DECIMAL_ROW("8") DECIMAL_ROW("9");
/* clang-format on */

char *pv_put_unsigned(char *at, uint64_t v)
{
	enum { DIGITS = 20 };
	char text[2 * DIGITS]; /* so that DIGITS can be copied from anywhere in the first half */
	char *p = text + DIGITS;

	for (; v >= 10; v /= 100) {
		p -= 2;
		memcpy(p, pv_put_decimal + 2 * (v % 100), 2);
	}
	/* v < 10 is either a leading digit, or 0 behind the last pair. */
	if (v || p == text + DIGITS)
		*--p = (char)('0' + v);
	memcpy(at, p, DIGITS);
	return at + (text + DIGITS - p);
}
