/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder against TLP headers whose meaning others have published (fixtures/published/tlp_headers.jsonl): what
 * they say of a header, the JSON line of a record with that header must say, too.
 */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/trace/format.h"
#include "framework/trace/tests/hand.h"
#include "framework/util/cleanup.h"

enum { PUBLISHED_MIN = 18 }; /* lines of the file: that it was read */

static void hand_record_8dw(struct hand *h, const uint32_t header[4])
{
	hand_le32(h, 0xffffffff);
	hand_le32(h, 0);
	for (unsigned i = 0; i < 4; i++)
		hand_le32(h, header[i]);
	hand_le32(h, 0);
	hand_le32(h, 1);
}

/* The fields of DW0 in a 4DW record: Fmt, Type, T9, T8, TH, one attribute bit, Length. */
static void hand_record_4dw(struct hand *h, const uint32_t header[4])
{
	uint32_t d = header[0];

	hand_le32(h, (d >> 29 & 3) << 30 | (d >> 24 & 0x1f) << 25 | (d >> 23 & 1) << 24 | (d >> 19 & 1) << 23 |
			     (d >> 16 & 1) << 22 | (d >> 13 & 1) << 21 | (d & 0x3ff) << 11 | 1);
	for (unsigned i = 1; i < 4; i++)
		hand_le32(h, header[i]);
}

static struct json_object *decoded(const struct hand *h)
{
	struct pv_trace *t = pv_trace_open_memory(h->bytes, h->n, NULL);
	struct pv_trace_record r;
	char line[PV_FORMAT_MAX];

	cr_assert_eq(pv_trace_next(t, &r), 1);
	*pv_format_by_name("jsonl")->record(line, &r) = '\0';
	pv_trace_close(t);
	return json_tokener_parse(line);
}

static bool kept_in_4dw(const char *name)
{
	static const char *const lost[] = {"tc", "attr", "td", "ep", "at"};

	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		if (!strcmp(name, lost[i]))
			return false;
	return true;
}

/* Compares the line of this record with the published values. Fields not held by 4DW must be absent. */
static void expect_said(const struct hand *h, bool is_4dw, struct json_object *published)
{
	struct json_object *line = decoded(h), *value;

	cr_assert(line != NULL);
	json_object_object_foreach(json_object_object_get(published, "is"), name, expected)
	{
		bool said = json_object_object_get_ex(line, name, &value);

		if (is_4dw && !kept_in_4dw(name))
			cr_expect_not(said, "%s is in the line of a 4DW record", name);
		else
			cr_expect(said && json_object_equal(value, expected), "%s: %s is %s in\n%s",
				  json_object_get_string(published), name,
				  said ? json_object_to_json_string(value) : "missing",
				  json_object_to_json_string(line));
	}
	json_object_put(line);
}

static void check(struct json_object *published)
{
	struct hand h = {.n = 0};
	uint32_t w[4];

	cr_assert_eq(sscanf(json_object_get_string(json_object_object_get(published, "header")), "%x %x %x %x", &w[0],
			    &w[1], &w[2], &w[3]),
		     4);
	hand_record_8dw(&h, w);
	expect_said(&h, false, published);
	h.n = 0;
	hand_record_4dw(&h, w);
	expect_said(&h, true, published);
}

Test(published, headers_mean_what_others_say)
{
	_autofclose_ FILE *f = fopen(PUBLISHED, "r");
	char line[1024];
	unsigned n = 0;

	cr_assert(f != NULL, "%s", PUBLISHED);
	for (; fgets(line, sizeof(line), f); n++) {
		struct json_object *published = json_tokener_parse(line);

		cr_assert(published != NULL, "%s", line);
		check(published);
		json_object_put(published);
	}
	cr_assert_geq(n, PUBLISHED_MIN);
}
