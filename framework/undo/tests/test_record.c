/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of undo journals, read and written. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/undo/record.h"

TestSuite(record, .timeout = 60);

/* A journal in memory. */
static struct pv_undolog open_one(void)
{
	struct pv_undolog j = {.path = "undo", .fd = memfd_create("undo", 0)};

	cr_assert_geq(j.fd, 0);
	return j;
}

static const char *const lines[] = {
	"boot 3c5d",
	"boot ",
	"attr hisi_ptt0_0 tune/qos_tx_p 1",
	"attr hisi_ptt0_0 tune/qos_tx_p ",
	"attr hisi_ptt0_0 tune/qos_tx_p 1\r",
	"reg 0000:01:00.0 1234:5678 0x88 2 0x2810",
	"reference 0000:00:10.0 0001:01:00.0",
	"bind pci 0000:01:00.0 -",
	"file sys/bus/pci/devices/0000:01:00.0/reset_method flr bus",
	"bar 0000:01:00.0 1234:5678 2 0x800 8 0xffffffffffffffff",
	"tune hisi_ptt0_2 tune/qos_tx_p 1",
	"idle",
	"10000:01:00.0 1b36:000c devctl 0x70e0 0x2020",
	"0000:01:00.0 1b36:000c command 0x0004 0x0000",
	"done",
};

Test(record, every_kind_is_written_as_it_was_read)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pv_undolog j = open_one();
		struct pv_undo_record r;
		char text[128], written[128] = "";

		strcpy(text, lines[i]);
		cr_assert(pv_undo_parse(text, &r), "%s", lines[i]);
		cr_assert_eq(pv_undo_append(&j, &r, NULL), 0);
		cr_assert_gt(pread(j.fd, written, sizeof(written) - 1, 0), 0);
		cr_expect_eq(written[strlen(written) - 1], '\n');
		written[strlen(written) - 1] = 0;
		cr_expect_str_eq(written, lines[i]);
		close(j.fd);
	}
}

Test(record, lines_of_no_kind)
{
	static const char *const bad[] = {
		"",
		"attr",
		"attr ptt tune",
		"attr  tune 1",
		"idle now",
		"other 1",
		"reg 0000:01:00.0 1234:5678 0x88 3 0x0",
		"reg 0000:01:00.0 1234:5678 0x88 2",
		"reg 0000:01:00 1234:5678 0x88 2 0x0",
		"reg 0000:01:00.0 1234:5678 0x88 2 0x0 1",
		"reg 0000:01:00.0 1234:5678 -1 2 0x0",
		"reg 0000:01:00.0 12345678 0x88 2 0x0",
		"bar 0000:01:00.0 1234:5678 6 0x0 4 0x0",
		"bar 0000:01:00.0 1234:5678 0 0x0 2 0x0",
		"bind pci 0000:01:00.0",
		"file etc/passwd x",
		"file sys/../etc/passwd x",
		"reference 0000:01:00.0 card",
		"reference ",
		"0000:01:00.0 1b36:000c devctl 0xffff 0x2020",
		"0000:01:00.0 1b36:000c devctl 0x70e0 0x8000",
		"0000:01:00.0 1b36:000c command 0x0006 0x0004",
		"0000:01:00.0 1b36:000c lnkctl 0x0004 0x0004",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pv_undo_record r;
		char text[128];

		strcpy(text, bad[i]);
		cr_expect(!pv_undo_parse(text, &r), "%s", bad[i]);
	}
}

Test(record, what_has_no_place_in_a_line_is_refused)
{
	struct pv_undolog j = open_one();
	struct pv_error e;

	cr_expect_eq(pv_undo_append(&j,
				    &(struct pv_undo_record){
					    .kind = PV_UNDO_ATTR, .device = "ptt", .path = "tune", .text = "1\n2"},
				    &e),
		     -EPERM);
	cr_expect_eq(pv_undo_append(&j,
				    &(struct pv_undo_record){
					    .kind = PV_UNDO_ATTR, .device = "p tt", .path = "tune", .text = "1"},
				    &e),
		     -EPERM);
	cr_expect_eq(lseek(j.fd, 0, SEEK_END), 0, "nothing was written");
	close(j.fd);
}

static int add(void *ctx, const struct pv_undo_record *r, const char *line)
{
	strcat(strcat(strcat(ctx, r ? "" : "?"), line), ";");
	return r && r->kind == PV_UNDO_DONE ? -ECANCELED : 0;
}

Test(record, lines_in_their_order_and_backwards)
{
	char all[64] = "", back[64] = "", some[64] = "", bad[64] = "";

	cr_expect_eq(pv_undo_each("idle\nboot 1\nboot 2\n", false, add, all), 0);
	cr_expect_str_eq(all, "idle;boot 1;boot 2;");
	cr_expect_eq(pv_undo_each("idle\nboot 1\nboot 2\n", true, add, back), 0);
	cr_expect_str_eq(back, "boot 2;boot 1;idle;");
	cr_expect_eq(pv_undo_each("idle\ndone\nboot 2\n", false, add, some), -ECANCELED);
	cr_expect_str_eq(some, "idle;done;");
	cr_expect_eq(pv_undo_each("idle\nother 2\nboot 1\n", true, add, bad), 0);
	cr_expect_str_eq(bad, "boot 1;?other 2;idle;");
	cr_expect_eq(pv_undo_each("", true, add, bad), 0);
}
