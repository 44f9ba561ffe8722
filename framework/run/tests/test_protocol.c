/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner's end of the protocol, line by line. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/run/protocol.h"
#include "framework/util/utf8.h"

static void expect_utf8(const char *s)
{
	unsigned code;

	for (size_t n; *s; s += n) {
		n = pv_utf8_decode(s, &code);
		cr_assert(n, "not UTF-8 from here: %s", s);
	}
}

/* A bad line is reported with its start, which is cut between characters if too long. */
Test(protocol, a_bad_line_is_quoted_in_whole_characters)
{
	for (size_t lead = 0; lead < 4; lead++) {
		char line[512] = "abc";
		enum pv_event_kind kind;
		json_object *o;
		struct pv_error e = {0};

		memset(line + lead, 0xff, 300);
		cr_assert_eq(pv_event_parse(line, strlen(line), &kind, &o, &e), -EPROTO);
		expect_utf8(e.text);
		cr_assert(strstr(e.text, "'..."), "%s", e.text);
	}
}
