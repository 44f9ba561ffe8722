/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations of tests on printed text. */
#ifndef PV_UTIL_TESTS_TEXT_H
#define PV_UTIL_TESTS_TEXT_H

#include <criterion/criterion.h>
#include <string.h>

#define expect_text(text, what) cr_expect(strstr((text), (what)), "expected '%s' in:\n%s", (what), (text))

/* How often a part is in a text. */
static inline size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

#endif
