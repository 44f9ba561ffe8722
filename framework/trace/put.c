/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: two hexadecimal digits, and three decimal ones. */
#include "framework/trace/put.h"

/* clang-format off */
#define HEX_ROW(r) r "0" r "1" r "2" r "3" r "4" r "5" r "6" r "7" r "8" r "9" r "a" r "b" r "c" r "d" r "e" r "f"

const char pv_put_hex[512] =
	HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4") HEX_ROW("5") HEX_ROW("6") HEX_ROW("7")
	HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b") HEX_ROW("c") HEX_ROW("d") HEX_ROW("e") HEX_ROW("f");

#define DIGIT(n, unit) ('0' + ((n) / (unit)) % 10)
#define ONE(n)     {{DIGIT(n, 1)}, 1, {'0', '0', DIGIT(n, 1)}}
#define TWO(n)     {{DIGIT(n, 10), DIGIT(n, 1)}, 2, {'0', DIGIT(n, 10), DIGIT(n, 1)}}
#define THREE(n)   {{DIGIT(n, 100), DIGIT(n, 10), DIGIT(n, 1)}, 3, {DIGIT(n, 100), DIGIT(n, 10), DIGIT(n, 1)}}
#define TEN(x, n)  x(n), x(n + 1), x(n + 2), x(n + 3), x(n + 4), x(n + 5), x(n + 6), x(n + 7), x(n + 8), x(n + 9)
#define HUNDRED(n) TEN(THREE, n), TEN(THREE, n + 10), TEN(THREE, n + 20), TEN(THREE, n + 30), TEN(THREE, n + 40), \
	TEN(THREE, n + 50), TEN(THREE, n + 60), TEN(THREE, n + 70), TEN(THREE, n + 80), TEN(THREE, n + 90)

const struct pv_put_number pv_put_numbers[1000] = {
	TEN(ONE, 0), TEN(TWO, 10), TEN(TWO, 20), TEN(TWO, 30), TEN(TWO, 40), TEN(TWO, 50), TEN(TWO, 60), TEN(TWO, 70),
	TEN(TWO, 80), TEN(TWO, 90), HUNDRED(100), HUNDRED(200), HUNDRED(300), HUNDRED(400), HUNDRED(500), HUNDRED(600),
	HUNDRED(700), HUNDRED(800), HUNDRED(900),
};
/* clang-format on */

static inline char *put_padded(char *at, uint32_t v)
{
	memcpy(at, pv_put_numbers[v].padded, 3);
	return at + 3;
}

/*
 * Text goes to its final place at once: with a copy from a buffer, JSON Lines took a third longer. Up to nine digits,
 * no division waits for another.
 */
char *pv_put_unsigned(char *at, uint64_t v)
{
	uint32_t low = (uint32_t)(v % 1000000000);

	if (v < 1000000)
		return put_padded(pv_put_u(at, low / 1000), low % 1000);
	at = v < 1000000000 ? pv_put_u(at, low / 1000000) : put_padded(pv_put_u(at, v / 1000000000), low / 1000000);
	return put_padded(put_padded(at, low / 1000 % 1000), low % 1000);
}
