/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of a plan as places of a board: words in texts, topologies, and what cannot be rewritten. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/translate.h"

static json_object *devices(void)
{
	return json_tokener_parse(
		"[{\"plan\":\"00:10.0\",\"is\":\"0000:3a:01.0\",\"secondary\":59,\"subordinate\":60},"
		"{\"plan\":\"01:00.0\",\"is\":\"0001:3b:00.0\"},{\"plan\":\"0002:00:00.0\",\"is\":\"00:10.0\"}]");
}

static void expect_text(const char *text, const char *expected)
{
	json_object *list = devices();
	char *got = pv_board_translate_text(text, list);

	cr_expect_str_eq(got, expected);
	free(got);
	json_object_put(list);
}

Test(translate, functions)
{
	expect_text("00:10.0", "3a:01.0");
	expect_text("0000:00:10.0", "0000:3a:01.0");
	expect_text("01:00.0 00:10.0", "0001:3b:00.0 3a:01.0");
	expect_text("0002:00:00.0", "0000:00:10.0");
}

Test(translate, functions_in_expressions)
{
	expect_text("00:10\\.0.*8192", "3a:01\\.0.*8192");
	expect_text("0000:01:00\\.0: probe", "0001:3b:00\\.0: probe");
}

Test(translate, pmus)
{
	expect_text("dwc_rootport_80", "dwc_rootport_3a08");
	expect_text("dwc_rootport_80 dwc_rootport_20000", "dwc_rootport_3a08 dwc_rootport_80");
}

Test(translate, what_only_looks_like_it)
{
	expect_text("", "");
	expect_text("00:10.01", "00:10.01");
	expect_text("100:10.0", "100:10.0");
	expect_text("0003:00:10.0", "0003:00:10.0");
	expect_text("dwc_rootport_800", "dwc_rootport_800");
	expect_text("my_dwc_rootport_80", "my_dwc_rootport_80");
	expect_text("hisi_ptt0_0/filter=0x80/", "hisi_ptt0_0/filter=0x80/");
}

/* ---- messages ---- */

#define PORT  "{\"kind\":\"root-port\",\"bdf\":\"00:10.0\",\"secondary\":1,\"subordinate\":1}"
#define NIC   "{\"kind\":\"endpoint\",\"bdf\":\"01:00.0\",\"secondary\":0}"
#define OTHER "{\"kind\":\"endpoint\",\"bdf\":\"00:11.0\"}"

static int translate(const char *nodes, json_object **msg, struct pv_error *e)
{
	json_object *list = devices();
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"topology\":{\"nodes\":[%s]},\"steps\":[{\"kind\":\"counter-open\",\"attrs\":{\"id\":\"c\",\"pmu\":"
		 "\"dwc_rootport_80\",\"n\":3}},{\"kind\":\"boot\"}]}",
		 nodes);
	*msg = json_tokener_parse(text);
	*e = (struct pv_error){0};
	int err = pv_board_translate(*msg, list, e);
	json_object_put(list);
	return err;
}

Test(translate, a_topology_and_its_steps)
{
	struct pv_error e;
	json_object *msg;

	cr_assert_eq(translate(PORT "," NIC "," OTHER, &msg, &e), 0, "%s", e.text);
	cr_expect_str_eq(json_object_to_json_string_ext(msg, JSON_C_TO_STRING_PLAIN),
			 "{\"topology\":{\"nodes\":[{\"kind\":\"root-port\",\"bdf\":\"3a:01.0\",\"secondary\":59,"
			 "\"subordinate\":60},"
			 "{\"kind\":\"endpoint\",\"bdf\":\"0001:3b:00.0\",\"secondary\":0},{\"kind\":\"endpoint\","
			 "\"bdf\":\"00:11.0\"}]},"
			 "\"steps\":[{\"kind\":\"counter-open\",\"attrs\":{\"id\":\"c\",\"pmu\":\"dwc_rootport_3a08\","
			 "\"n\":3}},{\"kind\":"
			 "\"boot\"}]}");
	json_object_put(msg);
}

static void expect_refused(const char *nodes, const char *says)
{
	struct pv_error e;
	json_object *msg;

	cr_expect_eq(translate(nodes, &msg, &e), -EOPNOTSUPP, "%s", nodes);
	cr_expect(strstr(e.text, says), "%s", e.text);
	json_object_put(msg);
}

Test(translate, what_cannot_be_rewritten)
{
	expect_refused(PORT ",{\"kind\":\"ptt\",\"bdf\":\"00:08.0\"}", "its filters are numbers made of places");
	expect_refused("{\"kind\":\"cxl-mem\",\"bdf\":\"01:00.0\"}", "the kernel numbers memory devices");
}

Test(translate, a_ptt_whose_functions_stand_where_they_should)
{
	struct pv_error e;
	json_object *msg;

	cr_expect_eq(translate("{\"kind\":\"ptt\",\"bdf\":\"00:08.0\"}," OTHER, &msg, &e), 0, "%s", e.text);
	json_object_put(msg);
}

Test(translate, lists_that_are_none)
{
	static const char *const lists[] = {"{}",
					    "3",
					    "[3]",
					    "[{}]",
					    "[{\"plan\":\"00:10.0\"}]",
					    "[{\"plan\":\"00:10.0\",\"is\":\"x\"}]",
					    "[{\"plan\":\"00:20.0\",\"is\":\"00:10.0\"}]"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		json_object *list = json_tokener_parse(lists[i]), *msg = json_object_new_object();
		struct pv_error e = {0};

		cr_expect_eq(pv_board_translate(msg, list, &e), -EINVAL, "%s", lists[i]);
		cr_expect(strstr(e.text, "\"devices\": expected"), "%s", e.text);
		cr_expect_null(pv_board_translate_text("x", list));
		json_object_put(list);
		json_object_put(msg);
	}
}

Test(translate, without_a_list_all_stays)
{
	struct pv_error e;

	cr_expect_eq(pv_board_translate(NULL, NULL, &e), 0);
}
