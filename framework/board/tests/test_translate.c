/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves BDFs of a plan to those of a board: values by their types, topologies, steps, and parts that cannot be moved.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/translate.h"
#include "framework/util/json.h"

static struct pv_board_places places;

static void set_places(void)
{
	places = (struct pv_board_places){
		.place = {{{PCI_BDF(0, 0x10, 0), PCI_BDF(0x3a, 1, 0)}, true, 59, 60},
			  {.device = {PCI_BDF(1, 0, 0), PCI_IN_DOMAIN(1, PCI_BDF(0x3b, 0, 0))}},
			  {.device = {PCI_IN_DOMAIN(2, PCI_BDF(0, 0, 0)), PCI_BDF(0, 0x10, 0)}}},
		.n = 3,
		.pmu = {{"hisi_ptt0_0", "hisi_ptt2_3"},
			{"cxl_pmu_mem0", "cxl_pmu_mem1"},
			{"cxl_pmu_mem1", "cxl_pmu_mem0"}},
		.n_pmus = 3};
}

TestSuite(translate, .init = set_places);

/* ---- values ---- */

static void expect_value(enum pv_type_holds holds, const char *text, const char *expected)
{
	char *got = pv_board_move_text(&places, holds, text);

	cr_expect_str_eq(got, expected);
	free(got);
}

Test(translate, functions)
{
	expect_value(PV_HOLDS_BDF, "00:10.0", "3a:01.0");
	expect_value(PV_HOLDS_BDF, "0000:00:10.0", "0000:3a:01.0");
	expect_value(PV_HOLDS_TEXT, "01:00.0 00:10.0", "0001:3b:00.0 3a:01.0");
	expect_value(PV_HOLDS_BDF, "0002:00:00.0", "0000:00:10.0");
	expect_value(PV_HOLDS_TEXT, "/sys/bus/pci/devices/0000:00:10.0/class",
		     "/sys/bus/pci/devices/0000:3a:01.0/class");
}

Test(translate, functions_in_expressions)
{
	expect_value(PV_HOLDS_REGEX, "00:10\\.0.*8192", "3a:01\\.0.*8192");
	expect_value(PV_HOLDS_REGEX, "0000:01:00\\.0: probe", "0001:3b:00\\.0: probe");
	expect_value(PV_HOLDS_REGEX, "00:10.0|01:00\\.0", "3a:01.0|0001:3b:00\\.0");
}

Test(translate, pmus)
{
	expect_value(PV_HOLDS_PMU, "dwc_rootport_80", "dwc_rootport_3a08");
	expect_value(PV_HOLDS_TEXT, "dwc_rootport_80 dwc_rootport_20000", "dwc_rootport_3a08 dwc_rootport_80");
	expect_value(PV_HOLDS_PMU, "hisi_ptt0_0", "hisi_ptt2_3");
	expect_value(PV_HOLDS_PMU, "cxl_pmu_mem0.0 cxl_pmu_mem1.2", "cxl_pmu_mem1.0 cxl_pmu_mem0.2");
	expect_value(PV_HOLDS_REGEX, "hisi_ptt0_0: cxl_pmu_mem1\\.0", "hisi_ptt2_3: cxl_pmu_mem0\\.0");
	expect_value(PV_HOLDS_TEXT, "hisi_ptt0_01 xhisi_ptt0_0 cxl_pmu_mem10.0",
		     "hisi_ptt0_01 xhisi_ptt0_0 cxl_pmu_mem10.0");
	expect_value(PV_HOLDS_BDF, "hisi_ptt0_0", "hisi_ptt0_0");
}

Test(translate, only_what_the_type_holds)
{
	expect_value(PV_HOLDS_BDF, "dwc_rootport_80", "dwc_rootport_80");
	expect_value(PV_HOLDS_PMU, "00:10.0", "00:10.0");
	expect_value(PV_HOLDS_TEXT, "00:10\\.0", "00:10\\.0");
}

Test(translate, what_only_looks_like_it)
{
	expect_value(PV_HOLDS_REGEX, "", "");
	expect_value(PV_HOLDS_REGEX, "00:10", "00:10");
	expect_value(PV_HOLDS_REGEX, "00:10.", "00:10.");
	expect_value(PV_HOLDS_REGEX, "00:10\\", "00:10\\");
	expect_value(PV_HOLDS_REGEX, "00:10.01", "00:10.01");
	expect_value(PV_HOLDS_REGEX, "100:10.0", "100:10.0");
	expect_value(PV_HOLDS_REGEX, "0003:00:10.0", "0003:00:10.0");
	expect_value(PV_HOLDS_REGEX, "dwc_rootport_", "dwc_rootport_");
	expect_value(PV_HOLDS_REGEX, "dwc_rootport_080", "dwc_rootport_080");
	expect_value(PV_HOLDS_REGEX, "dwc_rootport_800", "dwc_rootport_800");
	expect_value(PV_HOLDS_REGEX, "my_dwc_rootport_80", "my_dwc_rootport_80");
	expect_value(PV_HOLDS_REGEX, "hisi_ptt0_1/filter=0x80/", "hisi_ptt0_1/filter=0x80/");
}

/* ---- topologies ---- */

#define NODE(kind, name, bdf, more) "{\"kind\":\"" kind "\",\"name\":\"" name "\",\"bdf\":\"" bdf "\"" more "}"
#define PORT			    NODE("root-port", "rp0", "00:10.0", ",\"secondary\":1,\"subordinate\":1")
#define NIC			    NODE("endpoint", "nic0", "01:00.0", ",\"parent\":0")
#define OTHER			    NODE("endpoint", "other", "00:11.0", "")
#define PTT			    NODE("ptt", "ptt0", "00:08.0", "")

static int move(const char *nodes, struct pv_topology **t, struct pv_error *e)
{
	char text[1024];

	snprintf(text, sizeof(text), "{\"nodes\":[%s]}", nodes);
	json_object *o = json_tokener_parse(text);
	*e = (struct pv_error){0};
	cr_assert_eq(pv_topology_parse(o, t, e), 0, "%s", e->text);
	json_object_put(o);
	return pv_board_move(&places, *t, e);
}

Test(translate, a_topology)
{
	struct pv_error e;
	struct pv_topology *t;

	cr_assert_eq(move(PORT "," NIC "," OTHER, &t, &e), 0, "%s", e.text);
	cr_expect_eq(t->nodes[0].bdf, PCI_BDF(0x3a, 1, 0));
	cr_expect_eq(t->nodes[0].conf.bdf, t->nodes[0].bdf);
	cr_expect_eq(t->nodes[0].secondary, 59);
	cr_expect_eq(t->nodes[0].subordinate, 60);
	cr_expect_eq(t->nodes[1].bdf, PCI_IN_DOMAIN(1, PCI_BDF(0x3b, 0, 0)));
	cr_expect_eq(t->nodes[1].secondary, 0);
	cr_expect_eq(t->nodes[1].parent, 0);
	cr_expect_eq(t->nodes[2].bdf, PCI_BDF(0, 0x11, 0));
	cr_expect_eq(t->n_buses, 3);
	cr_expect_eq(t->buses[2], PCI_IN_DOMAIN(1, PCI_BDF(0x3b, 0, 0)));
	cr_expect_eq(pv_topology_node(t, "3a:01.0"), &t->nodes[0]);
	pv_topology_free(t);
}

static void expect_refused(const char *nodes, const char *says)
{
	struct pv_error e;
	struct pv_topology *t;

	cr_expect_eq(move(nodes, &t, &e), -EOPNOTSUPP, "%s", nodes);
	cr_expect(strstr(e.text, says), "%s", e.text);
	pv_topology_free(t);
}

Test(translate, what_cannot_be_moved)
{
	expect_refused(PORT "," PTT, "its filters are numbers made of places");
	expect_refused(NODE("cxl-mem", "mem0", "01:00.0", ""), "the kernel numbers memory devices");
}

Test(translate, a_ptt_whose_functions_stand_where_they_should)
{
	struct pv_error e;
	struct pv_topology *t;

	cr_expect_eq(move(PTT "," OTHER, &t, &e), 0, "%s", e.text);
	pv_topology_free(t);
}

/* ---- steps ---- */

Test(translate, attributes_of_steps_by_their_types)
{
	json_object *steps = json_tokener_parse(
		"[{\"kind\":\"counter-open\",\"attrs\":{\"id\":\"dwc_rootport_80\",\"pmu\":\"dwc_rootport_80\",\"n\":3}"
		"},"
		"{\"kind\":\"check-log\",\"attrs\":{\"matches\":\"00:10\\\\.0: \"}},"
		"{\"kind\":\"probe\",\"attrs\":{\"device\":\"01:00.0\",\"instance\":3}},"
		"{\"kind\":\"00:10.0\",\"attrs\":{\"device\":\"00:10.0\"}},{\"kind\":\"boot\"},{\"attrs\":{}},3]");
	struct pv_error e;

	cr_assert_eq(pv_board_move_steps(&places, steps, &e), 0, "%s", e.text);
	cr_expect_str_eq(
		pv_json_line(steps),
		"[{\"kind\":\"counter-open\",\"attrs\":{\"id\":\"dwc_rootport_80\",\"pmu\":\"dwc_rootport_3a08\",\"n\":"
		"3}},"
		"{\"kind\":\"check-log\",\"attrs\":{\"matches\":\"3a:01\\\\.0: \"}},"
		"{\"kind\":\"probe\",\"attrs\":{\"device\":\"0001:3b:00.0\",\"instance\":3}},"
		"{\"kind\":\"00:10.0\",\"attrs\":{\"device\":\"00:10.0\"}},{\"kind\":\"boot\"},{\"attrs\":{}},3]");
	json_object_put(steps);
	cr_expect_eq(pv_board_move_steps(&places, NULL, &e), 0);
}

Test(translate, without_places_all_stays)
{
	places.n = 0;
	expect_value(PV_HOLDS_REGEX, "00:10.0", "00:10.0");
}
