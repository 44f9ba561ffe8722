/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Board descriptions: valid ones and their values, invalid ones and their messages. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/board/description.h"

static char folder[] = "/tmp/pv-description-XXXXXX", path[64];

static void setup(void)
{
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/b.xml", folder);
}

static void teardown(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(description, .init = setup, .fini = teardown);

static int read_text(const char *text, struct pv_board_description *d, struct pv_error *e)
{
	FILE *f = fopen(path, "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
	return pv_board_read(path, d, e);
}

Test(description, what_it_says)
{
	struct pv_board_description d;
	struct pv_error e = {0};
	char tap[128];

	cr_assert_eq(read_text("<board name=\"rack4-a\"/>", &d, &e), 0, "%s", e.text);
	cr_expect_str_eq(d.name, "rack4-a");
	cr_expect_null(d.tap);
	cr_expect_not(d.writes);
	cr_expect_not(pv_board_vouches(&d, PCI_BDF(1, 0, 0)));
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"><tap socket=\"/run/tap\"/></board>", &d, &e), 0, "%s", e.text);
	cr_expect_str_eq(d.tap, "/run/tap");
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"><writes/><tap socket=\"tap\"/></board>", &d, &e), 0, "%s", e.text);
	cr_expect(d.writes);
	snprintf(tap, sizeof(tap), "%s/tap", folder);
	cr_expect_str_eq(d.tap, tap, "beside the description");
	pv_board_description_free(&d);
}

Test(description, commands_of_the_lab)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(read_text("<board name=\"b\"/>", &d, &e), 0, "%s", e.text);
	cr_expect(!d.power.cycle && !d.power.on && !d.power.off && !d.console);
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"><power cycle=\"pdu 7 cycle\"/><console command=\"tio 7\"/></board>",
			       &d, &e),
		     0, "%s", e.text);
	cr_expect_str_eq(d.power.cycle, "pdu 7 cycle");
	cr_expect_str_eq(d.console, "tio 7");
	cr_expect(d.power.after_s == 30 && d.power.boot_s == 300);
	pv_board_description_free(&d);
	cr_assert_eq(
		read_text("<board name=\"b\"><power on=\"a\" off=\"b\" after-s=\"1\" boot-s=\"2\"/></board>", &d, &e),
		0, "%s", e.text);
	cr_expect_str_eq(d.power.on, "a");
	cr_expect_str_eq(d.power.off, "b");
	cr_expect(d.power.after_s == 1 && d.power.boot_s == 2);
	pv_board_description_free(&d);
}

Test(description, a_place_of_labgrid_has_commands)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(read_text("<board name=\"b\"><labgrid place=\"rack4/a\"/></board>", &d, &e), 0, "%s", e.text);
	cr_expect_str_eq(d.acquire, "labgrid-client -p rack4/a acquire");
	cr_expect_str_eq(d.release, "labgrid-client -p rack4/a release");
	cr_expect_str_eq(d.show, "labgrid-client -p rack4/a show");
	cr_expect_str_eq(d.off, "labgrid-client -p rack4/a power off");
	cr_expect_str_eq(d.power.cycle, "labgrid-client -p rack4/a power cycle");
	cr_expect_str_eq(d.console, "exec script -qefc 'labgrid-client -p rack4/a console --loop' /dev/null");
	pv_board_description_free(&d);
	cr_assert_eq(
		read_text("<board name=\"b\"><labgrid place=\"a\" coordinator=\"lab:20408\" boot-s=\"9\"/></board>", &d,
			  &e),
		0, "%s", e.text);
	cr_expect_str_eq(d.acquire, "labgrid-client -x lab:20408 -p a acquire");
	cr_expect_eq(d.power.boot_s, 9);
	pv_board_description_free(&d);
}

/* The path is relative to the folder of the description. */
Test(description, a_place_with_a_strategy_is_booted_by_it)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(
		read_text("<board name=\"b\"><labgrid place=\"a\" coordinator=\"lab:20408\" config=\"/lab/a.yaml\" "
			  "state=\"shell\"/></board>",
			  &d, &e),
		0, "%s", e.text);
	cr_expect_str_eq(d.power.cycle, "labgrid-client -x lab:20408 -c '/lab/a.yaml' -p a -s shell power on");
	cr_expect_str_eq(d.power.state, "shell");
	cr_expect_str_eq(d.acquire, "labgrid-client -x lab:20408 -p a acquire");
	pv_board_description_free(&d);
	cr_assert_eq(
		read_text("<board name=\"b\"><labgrid place=\"a\" config=\"a.yaml\" state=\"shell\"/></board>", &d, &e),
		0, "%s", e.text);
	cr_expect(strstr(d.power.cycle, "labgrid-client -c '/") && strstr(d.power.cycle, "/a.yaml' -p a -s shell"),
		  "%s", d.power.cycle);
	pv_board_description_free(&d);
}

Test(description, commands_that_are_not_enough)
{
	static const char *const bad[][2] = {
		{"<power/>", "<power>: expected cycle, or on and off"},
		{"<power on=\"a\"/>", "<power>: expected cycle, or on and off"},
		{"<power cycle=\"a\" off=\"b\"/>", "<power>: expected cycle, or on and off"},
		{"<power cycle=\"a\"/><power cycle=\"b\"/>", "expected one <power>, got 2"},
		{"<power cycle=\" \"/>", "a command line of sh(1)"},
		{"<power cycle=\"a\" after-s=\"0\"/>", "seconds, 1 to 99999"},
		{"<labgrid/>", "place"},
		{"<labgrid place=\"a\" state=\"shell\"/>", "expected config and state together"},
		{"<labgrid place=\"a\" config=\"x.yaml\"/>", "expected config and state together"},
		{"<labgrid place=\"a\" config=\"a'b\" state=\"shell\"/>", "the path without an apostrophe"},
		{"<labgrid place=\"a\" config=\"a\" state=\"a;b\"/>", "a name or address"},
		{"<labgrid place=\"a;b\"/>", "a name or address"},
		{"<labgrid place=\"a\"/><power cycle=\"b\"/>", "expected neither <power> nor <console> beside it"},
		{"<console command=\"b\"/><labgrid place=\"a\"/>", "expected neither <power> nor <console> beside it"},
		{"<console/>", "command"},
		{"<console command=\"a\"/><console command=\"b\"/>", "expected one <console>, got 2"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pv_board_description d;
		struct pv_error e = {0};
		char text[256];

		snprintf(text, sizeof(text), "<board name=\"b\">%s</board>", bad[i][0]);
		cr_expect_neq(read_text(text, &d, &e), 0, "%s", text);
		cr_expect(strstr(e.text, bad[i][1]), "%s: %s", text, e.text);
		pv_board_description_free(&d);
	}
}

Test(description, what_it_vouches_for)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(
		read_text("<board name=\"b\"><vouch function=\"0a:1f.7\"/><vouch function=\"0001:00:10.0\"/></board>",
			  &d, &e),
		0, "%s", e.text);
	cr_expect(pv_board_vouches(&d, PCI_BDF(10, 31, 7)));
	cr_expect(pv_board_vouches(&d, PCI_IN_DOMAIN(1, PCI_BDF(0, 16, 0))));
	cr_expect_not(pv_board_vouches(&d, PCI_BDF(0, 16, 0)));
	cr_expect_not(pv_board_vouches(NULL, PCI_BDF(0, 16, 0)));
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"><vouch function=\"all\"/></board>", &d, &e), 0, "%s", e.text);
	cr_expect(pv_board_vouches(&d, PCI_BDF(0, 16, 0)));
	pv_board_description_free(&d);
}

Test(description, which_function_is_which)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(
		read_text("<board name=\"b\"><device plan=\"00:10.0\" is=\"0001:3a:00.0\"/><device plan=\"01:00.1\" "
			  "is=\"3b:00.1\"/></board>",
			  &d, &e),
		0, "%s", e.text);
	cr_assert_eq(d.n_devices, 2);
	cr_expect_eq(d.devices[0].plan, PCI_BDF(0, 16, 0));
	cr_expect_eq(d.devices[0].is, PCI_IN_DOMAIN(1, PCI_BDF(0x3a, 0, 0)));
	cr_expect_eq(d.devices[1].plan, PCI_BDF(1, 0, 1));
	cr_expect_eq(d.devices[1].is, PCI_BDF(0x3b, 0, 1));
	pv_board_description_free(&d);
}

Test(description, the_tick_of_its_ptts)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(read_text("<board name=\"b\" ptt-tick-hz=\"250000000\"/>", &d, &e), 0, "%s", e.text);
	cr_expect_eq(d.ptt_tick_hz, 250e6);
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"/>", &d, &e), 0, "%s", e.text);
	cr_expect_eq(d.ptt_tick_hz, 0);
	pv_board_description_free(&d);
	cr_expect_eq(read_text("<board name=\"b\" ptt-tick-hz=\"0\"/>", &d, &e), -EINVAL);
	pv_board_description_free(&d);
}

Test(description, workloads_and_tolerances)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_assert_eq(read_text("<board name=\"b\"><tolerance counts=\"0.015\"/><workload from=\"cpu\" to=\"01:00.0\" "
			       "counts=\"dd\"><word>dd</word><word>if=a b</word></workload><workload from=\"01:00.0\" "
			       "to=\"memory\" counts=\"fio-read\" timeout-s=\"7\"><word>fio</word></workload></board>",
			       &d, &e),
		     0, "%s", e.text);
	cr_expect_float_eq(d.tolerance, 0.015, 1e-12);
	cr_assert_eq(d.n_workloads, 2);
	cr_expect_str_eq(d.workloads[0].from, "cpu");
	cr_expect_str_eq(d.workloads[0].to, "01:00.0");
	cr_expect_str_eq(d.workloads[0].counts, "dd");
	cr_expect_str_eq(d.workloads[0].words[1], "if=a b");
	cr_expect_null(d.workloads[0].words[2]);
	cr_expect_eq(d.workloads[0].timeout_s, 60);
	cr_expect_eq(d.workloads[1].timeout_s, 7);
	pv_board_description_free(&d);
	cr_assert_eq(read_text("<board name=\"b\"><tolerance counts=\"0.999999\"/></board>", &d, &e), 0, "%s", e.text);
	cr_expect_float_eq(d.tolerance, 0.999999, 1e-12);
	pv_board_description_free(&d);
}

Test(description, what_is_wrong_is_told)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "b.xml"},
		{"<board", "b.xml:1"},
		{"<plan name=\"p\"/>", "board"},
		{"<board/>", "name"},
		{"<board name=\"a b\"/>", "a name: letters, digits"},
		{"<board name=\"b\" colour=\"red\"/>", "colour"},
		{"<board name=\"b\">\n<trap socket=\"x\"/></board>", "b.xml:2"},
		{"<board name=\"b\"><tap/></board>", "socket"},
		{"<board name=\"b\"><tap socket=\"\"/></board>", "a path on this machine"},
		{"<board name=\"b\"><tap socket=\"x\"/><tap socket=\"y\"/></board>", "expected one <tap>, got 2"},
		{"<board name=\"b\"><vouch function=\"00:20.0\"/></board>", "a function as bb:dd.f"},
		{"<board name=\"b\"><device plan=\"00:10.0\"/></board>", "is"},
		{"<board name=\"b\"><device plan=\"all\" is=\"00:10.0\"/></board>", "a function as bb:dd.f"},
		{"<board name=\"b\">\n<device plan=\"00:10.0\" is=\"3a:00.0\"/>\n<device plan=\"0000:00:10.0\" "
		 "is=\"3b:00.0\"/></board>",
		 "b.xml:3: <device>: expected each function once, got plan=\"0000:00:10.0\" again"},
		{"<board name=\"b\"><device plan=\"00:10.0\" is=\"3a:00.0\"/><device plan=\"00:11.0\" "
		 "is=\"3a:00.0\"/></board>",
		 "got is=\"3a:00.0\" again"},
		{"<board name=\"b\"><tolerance counts=\"1\"/></board>", "a share of 0 or more and less than 1"},
		{"<board name=\"b\"><tolerance counts=\"0\"/><tolerance counts=\"0.1\"/></board>",
		 "one <tolerance>, got 2"},
		{"<board name=\"b\"><workload from=\"cpu\" to=\"01:00.0\" counts=\"dd\"/></board>",
		 "expected 1 to 60 <word>, got 0"},
		{"<board name=\"b\"><workload from=\"cpu\" to=\"01:00.0\" "
		 "counts=\"cat\"><word>x</word></workload></board>",
		 "counts"},
		{"<board name=\"b\"><workload from=\"cpu\" to=\"memory\" "
		 "counts=\"dd\"><word>x</word></workload></board>",
		 "expected a function at one end"},
		{"<board name=\"b\"><workload from=\"cpu\" to=\"01:00.0\" "
		 "counts=\"dd\"><word>x</word></workload>\n<workload "
		 "from=\"cpu\" to=\"01:00.0\" counts=\"dd\"><word>x</word></workload></board>",
		 "b.xml:2: <workload>: expected one from cpu to 01:00.0, got another"},
		{"<board name=\"b\"><workload from=\"cpu\" to=\"01:00.0\" counts=\"dd\" "
		 "timeout-s=\"0\"><word>x</word></workload>"
		 "</board>",
		 "seconds, 1 to 99999"},
		{"<!DOCTYPE board [<!ENTITY x SYSTEM \"/etc/passwd\">]><board name=\"b\">&x;</board>", "DOCTYPE"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pv_board_description d;
		struct pv_error e = {0};

		cr_expect_lt(read_text(rows[i].text, &d, &e), 0, "%s", rows[i].text);
		cr_expect(strstr(e.text, rows[i].says), "%s: %s", rows[i].text, e.text);
		pv_board_description_free(&d);
	}
}

Test(description, one_that_is_not_there)
{
	struct pv_board_description d;
	struct pv_error e = {0};

	cr_expect_lt(pv_board_read("/nowhere/b.xml", &d, &e), 0);
	cr_expect(strstr(e.text, "/nowhere/b.xml"), "%s", e.text);
	pv_board_description_free(&d);
}
