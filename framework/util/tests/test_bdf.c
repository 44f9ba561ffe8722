/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <errno.h>

#include "framework/util/bdf.h"

Test(bdf, text_and_name_differ_in_domain_0)
{
	cr_expect_str_eq(pv_bdf_text(0x0080).s, "00:10.0");
	cr_expect_str_eq(pv_bdf_name(0x0080).s, "0000:00:10.0");
	cr_expect_str_eq(pv_bdf_text(0x10080).s, "0001:00:10.0");
	cr_expect_str_eq(pv_bdf_name(0x10080).s, "0001:00:10.0");
	cr_expect_str_eq(pv_bdf_text(0xffffffff).s, "ffff:ff:1f.7");
}

Test(bdf, text_is_read_whole)
{
	static const struct {
		const char *text;
		pv_bdf bdf;
	} good[] = {{"0000:00:10.0", 0x80},
		    {"ff:1f.7", 0xffff},
		    {"0001:00:10.0", 0x10080},
		    {"ffff:ff:1f.7", 0xffffffff},
		    {"aB:0c.3", 0xab63}};
	static const char *const bad[] = {"",	     "00:10",	"00:10.0x", "10000:00:10.0", "00:10.9",	 "00:20.0",
					  "zz:10.0", " 0:10.0", "0:10.0",   "nic0",	     "00:10.0 ", "000:00:10.0"};
	pv_bdf bdf;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_expect_eq(pv_bdf_parse(good[i].text, &bdf), 0, "%s", good[i].text);
		cr_expect_eq(bdf, good[i].bdf, "%s: got %x", good[i].text, bdf);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(pv_bdf_parse(bad[i], &bdf), -EINVAL, "\"%s\"", bad[i]);
}

Test(bdf, a_name_may_be_followed_by_other_text)
{
	pv_bdf bdf = 0;

	cr_expect_eq(pv_bdf_scan("0002:75:00.1: probe failed", &bdf), 12);
	cr_expect_eq(bdf, 0x27501);
	cr_expect_eq(pv_bdf_scan("75:00.1", &bdf), 0);
	cr_expect_eq(pv_bdf_scan("0002:75:00.8", &bdf), 0);
}

Test(bdf, names_of_dwc_pmus_hold_the_root_port)
{
	static const char *const bad[] = {"", "dwc_rootport_", "dwc_rootport_x", "dwc_rootport_10/", "hisi_ptt0_0"};
	pv_bdf bdf = 0;

	cr_expect_eq(pv_bdf_of_dwc_pmu("dwc_rootport_3018", &bdf), 0);
	cr_expect_str_eq(pv_bdf_name(bdf).s, "0000:30:03.0");
	cr_expect_eq(pv_bdf_of_dwc_pmu("dwc_rootport_10080", &bdf), 0);
	cr_expect_str_eq(pv_bdf_name(bdf).s, "0001:00:10.0");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_neq(pv_bdf_of_dwc_pmu(bad[i], &bdf), 0, "%s", bad[i]);
}
