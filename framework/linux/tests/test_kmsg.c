/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the kernel's log: which are lines of ours. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/linux/kmsg.h"

static const char *parse(const char *record)
{
	static char copy[512];

	snprintf(copy, sizeof(copy), "%s", record);
	return pv_kmsg_parse(copy);
}

Test(kmsg, warnings_and_worse_of_our_drivers)
{
	cr_expect_str_eq(parse("4,100,2000,-;hisi_ptt 0000:75:00.1: busy\n SUBSYSTEM=pci\n DEVICE=+pci:0000:75:00.1\n"),
			 "hisi_ptt 0000:75:00.1: busy");
	cr_expect_str_eq(parse("3,100,2000,-;cxl_pmu_mem0.0: no\n"), "cxl_pmu_mem0.0: no");
	cr_expect_str_eq(parse("0,1,2,c;xhci_hcd 0000:00:14.0: dead"), "xhci_hcd 0000:00:14.0: dead");
}

Test(kmsg, what_is_not_ours)
{
	cr_expect_null(parse("5,100,2000,-;hisi_ptt 0000:75:00.1: a notice\n"));
	cr_expect_null(parse("6,100,2000,-;hisi_ptt 0000:75:00.1: information\n"));
	cr_expect_null(parse("4,100,2000,-;usb 1-1: device descriptor read/64\n"));
	cr_expect_null(parse("12,100,2000,-;hisi_ptt, says a program\n"), "facility 1");
	cr_expect_null(parse("4,100,2000,-;time is 00:00:10.0 now\n"), "no domain");
}

Test(kmsg, what_is_no_record)
{
	cr_expect_null(parse(""));
	cr_expect_null(parse("hisi_ptt"));
	cr_expect_null(parse("4 hisi_ptt"));
	cr_expect_null(parse(";hisi_ptt"));
	cr_expect_null(parse(",;hisi_ptt"));
	cr_expect_str_eq(parse("4,;hisi_ptt"), "hisi_ptt");
}

/* The device gives one record for each read: so does a socket of this kind. */
static int device(struct pv_kmsg *k)
{
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	*k = (struct pv_kmsg){.fd = ends[0]};
	return ends[1];
}

static void record(int fd, const char *text)
{
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

Test(kmsg, lines_are_kept_and_new_ones_read)
{
	struct pv_kmsg k;
	int fd = device(&k);

	record(fd, "4,1,1,-;hisi_ptt: one\n");
	record(fd, "6,2,1,-;hisi_ptt: not this\n");
	record(fd, "3,3,1,-;hisi_ptt: two\n");
	cr_expect_str_eq(pv_kmsg_line(&k, 1), "hisi_ptt: two");
	cr_expect_str_eq(pv_kmsg_line(&k, 0), "hisi_ptt: one");
	cr_expect_null(pv_kmsg_line(&k, 2));
	record(fd, "3,4,1,-;hisi_ptt: three\n");
	cr_expect_str_eq(pv_kmsg_line(&k, 2), "hisi_ptt: three");
	pv_kmsg_close(&k);
	close(fd);
}

/* In the place of the log, containers have what says nothing. */
Test(kmsg, what_is_no_log_is_told)
{
	char folder[] = "/tmp/pcieval-kmsg.XXXXXX", fifo[64];
	struct pv_kmsg_news news;
	struct pv_kmsg k;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(fifo, sizeof(fifo), "%s/kmsg", folder);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	const char *const paths[] = {"/dev/null", fifo};
	for (unsigned i = 0; i < 2; i++) {
		pv_kmsg_open(&k, paths[i]);
		cr_expect_eq(k.fd, -ENODEV, "%s", paths[i]);
		cr_expect(strstr(pv_kmsg_line(&k, 0), ": No such device"), "%s", pv_kmsg_line(&k, 0));
		pv_kmsg_close(&k);
		pv_kmsg_news_open(&news, paths[i]);
		cr_expect_eq(news.fd, -ENODEV, "%s", paths[i]);
		pv_kmsg_news_close(&news);
	}
	unlink(fifo);
	rmdir(folder);
}

Test(kmsg, there_is_an_end_to_what_is_kept)
{
	struct pv_kmsg k;
	int fd = device(&k);
	size_t n = 0;

	for (unsigned i = 0; i < PV_KMSG_LINES_MAX + 10; i++) {
		record(fd, "4,1,1,-;hisi_ptt: again\n");
		pv_kmsg_line(&k, 0);
	}
	while (pv_kmsg_line(&k, n))
		n++;
	cr_expect_eq(n, PV_KMSG_LINES_MAX);
	cr_expect_str_eq(pv_kmsg_line(&k, n - 1), "pcieval: more warnings than it keeps");
	pv_kmsg_close(&k);
	close(fd);
}

/* ---- news ---- */

static int news_device(struct pv_kmsg_news *k)
{
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	*k = (struct pv_kmsg_news){.fd = ends[0]};
	return ends[1];
}

Test(kmsg, news_are_a_file_that_grows)
{
	static const char first[] = "[    1.500000] usb 1-1: hello\n", second[] = "[   12.000002] Call trace:\n";
	struct pv_kmsg_news k;
	int fd = news_device(&k);
	char text[256] = "";

	record(fd, "6,1,1500000,-;usb 1-1: hello\n SUBSYSTEM=usb\n");
	record(fd, "14,2,1,-;a program\n");
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), (int64_t)strlen(first));
	cr_expect_str_eq(text, first);
	cr_expect_eq(pv_kmsg_news_read(&k, strlen(first), text, sizeof(text)), 0);
	record(fd, "4,3,12000002,-;Call trace:\n");
	memset(text, 0, sizeof(text));
	cr_expect_eq(pv_kmsg_news_read(&k, strlen(first), text, sizeof(text)), (int64_t)strlen(second));
	cr_expect_str_eq(text, second);
	memset(text, 0, sizeof(text));
	cr_expect_eq(pv_kmsg_news_read(&k, 3, text, 4), 4);
	cr_expect_str_eq(text, "  1.");
	cr_expect_eq(pv_kmsg_news_read(&k, UINT64_MAX, text, 4), 0);
	pv_kmsg_news_close(&k);
	close(fd);
}

Test(kmsg, news_that_are_no_records)
{
	struct pv_kmsg_news k;
	int fd = news_device(&k);
	char text[64];

	record(fd, "hello");
	record(fd, ";");
	record(fd, "6;no time");
	record(fd, "-1,1,1,-;a priority that is none");
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), 0);
	pv_kmsg_news_close(&k);
	close(fd);
}

Test(kmsg, there_is_an_end_to_news)
{
	static char last[64], big[4096];
	struct pv_kmsg_news k;
	int fd = news_device(&k);

	memset(big, 'x', sizeof(big) - 1);
	memcpy(big, "6,1,1,-;", 8);
	for (unsigned i = 0; i < PV_KMSG_NEWS_MAX / 4000 + 10; i++) {
		record(fd, big);
		pv_kmsg_news_read(&k, UINT64_MAX, last, 1);
	}
	cr_expect_leq(k.n, PV_KMSG_NEWS_MAX + 64);
	pv_kmsg_news_read(&k, k.n - 37, last, sizeof(last) - 1);
	cr_expect_str_eq(last, "pcieval: more messages than it keeps\n");
	pv_kmsg_news_close(&k);
	close(fd);
}

Test(kmsg, news_begin_with_the_end)
{
	char path[] = "/dev/shm/pv-kmsg-XXXXXX", text[64];
	int fd = mkstemp(path);
	struct pv_kmsg_news k;

	record(fd, "6,1,1,-;old\n");
	pv_kmsg_news_open(&k, path);
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), 0);
	pv_kmsg_news_close(&k);
	close(fd);
	unlink(path);
}

Test(kmsg, news_that_cannot_be_read)
{
	struct pv_kmsg_news k;
	char text[64];

	pv_kmsg_news_open(&k, "/nonexistent/kmsg");
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), -ENOENT);
	pv_kmsg_news_close(&k);
}

/* A folder can be opened, and not be read. */
Test(kmsg, news_that_can_be_opened_and_not_be_read)
{
	struct pv_kmsg_news k;
	char text[64];

	pv_kmsg_news_open(&k, "/dev");
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), -EISDIR);
	cr_expect_eq(pv_kmsg_news_read(&k, 0, text, sizeof(text)), -EISDIR, "and remains so");
	pv_kmsg_news_close(&k);
}

static void expect_one_line(const char *path, const char *line)
{
	struct pv_kmsg k;

	pv_kmsg_open(&k, path);
	cr_expect_str_eq(pv_kmsg_line(&k, 0), line);
	cr_expect_null(pv_kmsg_line(&k, 1));
	pv_kmsg_close(&k);
}

Test(kmsg, a_log_that_cannot_be_read_is_a_line)
{
	expect_one_line("/nonexistent/kmsg",
			"pcieval: reading the kernel's log: /nonexistent/kmsg: No such file or directory");
	expect_one_line("/dev", "pcieval: reading the kernel's log: /dev/kmsg: Is a directory");
}
