/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte counts of fio 3.33, dd of coreutils 9.1 and of busybox, iperf3 3.12 and perftest 4.5, from shortened outputs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "framework/board/commands.h"
#include "framework/schema/schema.h"

static void expect(const char *counts, const char *out, const char *err, uint64_t bytes)
{
	uint64_t got;

	cr_expect_eq(pv_counts_read(counts, out, err, &got), 0, "%s", counts);
	cr_expect_eq(got, bytes, "%s: expected %llu, got %llu", counts, (unsigned long long)bytes,
		     (unsigned long long)got);
}

static void refuse(const char *counts, const char *out, const char *err)
{
	uint64_t got;

	cr_expect_eq(pv_counts_read(counts, out, err, &got), -EBADMSG, "%s: %s%s", counts, out, err);
}

Test(counts, fio)
{
	static const char two[] =
		"fio: a warning\n{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"a\",\"read\":{\"io_bytes\":"
		"1048576,\"io_kbytes\":1024},\"write\":{\"io_bytes\":5}},{\"jobname\":\"b\",\"read\":{\"io_bytes\":"
		"8590000000},\"write\":{\"io_bytes\":7}}]}\n";

	expect("fio-read", two, "", 8591048576);
	expect("fio-write", two, "", 12);
	refuse("fio-read", "{\"jobs\":[]}", "");
	refuse("fio-read", "{\"jobs\":[{\"read\":{}}]}", "");
	refuse("fio-read", "{\"jobs\":[{\"read\":{\"io_bytes\":-1}}]}", "");
	refuse("fio-read", "{\"jobs\":[{\"read\":{\"io_bytes\":\"many\"}}]}", "");
	refuse("fio-read", "{\"jobs\":[{\"read\":{\"io_bytes\":99999999999999999999}}]}", "");
	refuse("fio-read", "{\"jobs\":3}", "");
	refuse("fio-read", "{\"jobs\":[", "");
	refuse("fio-read", "", "");
}

Test(counts, dd)
{
	expect("dd", "", "4+0 records in\n4+0 records out\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.001 s, 4.1 GB/s\n",
	       4194304);
	expect("dd", "", "4+0 records in\n4+0 records out\n4194304 bytes (4.0MB) copied, 0.001 seconds, 4.1GB/s\n",
	       4194304);
	expect("dd", "", "100 bytes copied, 1 s\r4194304 bytes (4.2 MB, 4.0 MiB) copied, 2 s\n200 bytes copied, 3 s",
	       200);
	refuse("dd", "4194304 bytes copied", "");
	refuse("dd", "", "-1 bytes copied\n");
	refuse("dd", "", "99999999999999999999 bytes copied\n");
	refuse("dd", "", "dd: failed to open 'x': No such file or directory\n");
	refuse("dd", "", "");
}

Test(counts, iperf3)
{
	static const char both[] = "{\"start\":{},\"end\":{\"sum_sent\":{\"bytes\":2000,\"seconds\":1},\"sum_"
				   "received\":{\"bytes\":1999}}}";

	expect("iperf3-sent", both, "", 2000);
	expect("iperf3-received", both, "", 1999);
	refuse("iperf3-sent", "{\"start\":{},\"error\":\"unable to connect to server\"}", "");
}

Test(counts, ib_write_bw)
{
	static const char head[] = " RDMA_Write BW Test\n Dual-port : OFF\n 12345 67890\n"
				   " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
	char text[512];

	snprintf(text, sizeof(text), "%s 65536      5000             11000.10            10999.99\t\t   0.17\n-----\n",
		 head);
	expect("ib_write_bw", text, "", 65536ull * 5000);
	snprintf(text, sizeof(text), "%s 2 1000 1 1 1\n 4 1000 1 1 1\n", head);
	expect("ib_write_bw", text, "", 6000);
	refuse("ib_write_bw", head, "");
	refuse("ib_write_bw", " 65536 5000 1 1\n", "");
	snprintf(text, sizeof(text), "%s 18446744073709551615 2 1 1\n", head);
	refuse("ib_write_bw", text, "");
}

Test(counts, of_no_program)
{
	uint64_t got;

	cr_expect_eq(pv_counts_read("cat", "1", "1", &got), -ENOENT);
}

/* ---- the run of a program ---- */

static uint32_t given_ms;
static int ends_with;
static bool cut[2]; /* standard output, standard error */

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	given_ms = timeout_ms;
	snprintf(out->text, out->room, "out");
	snprintf(err->text, err->room, "100 bytes copied\n");
	out->cut = cut[0];
	err->cut = cut[1];
	return ends_with;
}

/* Runs dd with this timeout. */
static int run_dd(int timeout_s, struct pv_command_result *result, struct pv_error *e)
{
	static const struct pv_shell_ops ops = {.run = run};
	struct pv_shell shell = {.ops = &ops};
	struct pv_board_commands c;
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"exec\":true,\"workloads\":[{\"from\":\"cpu\",\"to\":\"01:00.0\",\"command\":[\"dd\"],\"counts\":"
		 "\"dd\",\"timeout_s\":%d}]}",
		 timeout_s);
	json_object *far = json_tokener_parse(text);
	pv_board_commands_init(&c, far, UINT32_MAX);
	c.shell = &shell;
	int err = c.base.ops->run(&c.base, PV_COMMAND_CPU, PCI_BDF(1, 0, 0), result, e);
	json_object_put(far);
	return err;
}

static void expect_ms(int timeout_s, uint32_t ms)
{
	struct pv_command_result result;
	struct pv_error e = {0};

	ends_with = -ENOENT;
	run_dd(timeout_s, &result, &e);
	cr_expect_eq(given_ms, ms, "%d s: got %u ms", timeout_s, given_ms);
}

Test(counts, a_program_has_the_time_that_the_schema_allows)
{
	expect_ms(1, 1000);
	expect_ms(86400, 86400000);
	expect_ms(PV_SECONDS_MAX, 1000u * PV_SECONDS_MAX);
	expect_ms(PV_SECONDS_MAX + 1, 60000);
	expect_ms(0, 60000);
}

/* The count of dd is its last one, and that of ib_write_bw a sum: the part that was dropped may change both. */
Test(counts, an_output_that_was_cut_is_not_counted)
{
	struct pv_command_result result;
	struct pv_error e = {0};

	cr_assert_eq(run_dd(1, &result, &e), 0, "%s", e.text);
	cr_expect_eq(result.bytes, 100);
	for (int i = 0; i < 2; i++) {
		cut[i] = true;
		cr_expect_eq(run_dd(1, &result, &e), -EFBIG);
		cr_expect_str_eq(e.text, "dd: expected less than 1048576 bytes of output, got more");
		cut[i] = false;
	}
}
