/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as records of /dev/kmsg; a line that begins with a space belongs to the record before it. Warnings
 * are texts of the kernel's records of level 4 or worse, in order; those that name a driver under test are among them.
 * News are the texts of all of the kernel's records that have a time, whether they are read in pieces or at once.
 */
#include <sys/socket.h>

#include "framework/linux/kmsg.h"
#include "framework/util/fuzz/fuzz.h"

#define RECORDS_MAX 200
#define RECORD_MAX  8192

struct records {
	char *text[RECORDS_MAX];
	size_t n;
};

/* ---- records ---- */

static size_t length_of(const char *at, size_t n)
{
	size_t len = 0;

	while (len < n && (at[len] != '\n' || (len + 1 < n && at[len + 1] == ' ')))
		len++;
	return len < RECORD_MAX ? len : RECORD_MAX;
}

static void split(const char *at, size_t n, struct records *r)
{
	while (n && r->n < RECORDS_MAX) {
		size_t len = length_of(at, n);

		if (len)
			r->text[r->n++] = fuzz_text((const uint8_t *)at, len);
		len += len < n;
		at += len;
		n -= len;
	}
}

/* Returns the end of the device for the reader; each read(2) gives it one record. The caller closes. */
static int device_of(const struct records *r)
{
	int ends[2], room = 1 << 20;

	fuzz_check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	for (size_t i = 0; i < r->n; i++)
		if (*r->text[i])
			fuzz_check(write(ends[1], r->text[i], strlen(r->text[i])) == (ssize_t)strlen(r->text[i]));
	shutdown(ends[1], SHUT_WR);
	close(ends[1]);
	return ends[0];
}

/* ---- warnings ---- */

/* Returns true if the line is the text of a record that may be a warning. */
static bool is_warning(const char *record, const char *line)
{
	const char *text = strchr(record, ';');
	unsigned long priority;
	char comma;

	return text && sscanf(record, "%lu%c", &priority, &comma) == 2 && comma == ',' && priority <= 4 &&
	       strcspn(text + 1, "\n") == strlen(line) && !strncmp(text + 1, line, strlen(line));
}

/* Returns true if the record is a warning of the PTT's driver, as the kernel writes it. */
static bool must_be_told(const char *record)
{
	const char *text = strchr(record, ';');

	return text && record[0] >= '0' && record[0] <= '4' && record[1] == ',' && !strncmp(text + 1, "hisi_ptt", 8);
}

static void check_warnings(const struct records *r)
{
	struct pv_kmsg k = {.fd = device_of(r)};
	const char *line = pv_kmsg_line(&k, 0);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		bool told = line && is_warning(r->text[i], line);

		fuzz_check(told || !must_be_told(r->text[i]));
		if (told)
			line = pv_kmsg_line(&k, ++n);
	}
	fuzz_check(!line);
	pv_kmsg_close(&k);
}

/* ---- news ---- */

static char *news_of(const struct records *r, size_t piece)
{
	struct pv_kmsg_news k = {.fd = device_of(r)};
	char *text = malloc(PV_KMSG_NEWS_MAX + 1);
	size_t n = 0;

	fuzz_check(text);
	for (int64_t got; n < PV_KMSG_NEWS_MAX; n += (size_t)got) {
		size_t room = PV_KMSG_NEWS_MAX - n;

		got = pv_kmsg_news_read(&k, n, text + n, piece < room ? piece : room);
		fuzz_check(got >= 0);
		if (!got)
			break;
	}
	text[n] = '\0';
	pv_kmsg_news_close(&k);
	return text;
}

/* Returns the text behind "[   12.345678] ". */
static const char *text_in(const char *line)
{
	size_t whole, part;

	fuzz_check(*line++ == '[');
	line += strspn(line, " ");
	whole = strspn(line, "0123456789");
	fuzz_check(whole && line[whole] == '.');
	part = strspn(line + whole + 1, "0123456789");
	fuzz_check(part == 6 && !strncmp(line + whole + 7, "] ", 2));
	return line + whole + 9;
}

/* Returns true if the record has a level of the kernel, a time and a text. */
static bool is_news(const char *record)
{
	unsigned long long priority, us;

	return strchr(record, ';') && sscanf(record, "%llu,%*u,%llu", &priority, &us) == 2 && priority <= 7;
}

static void check_news(const struct records *r)
{
	char *all = news_of(r, SIZE_MAX), *pieces = news_of(r, 7), *at = all;

	fuzz_check(!strcmp(all, pieces));
	for (size_t i = 0; i < r->n; i++) {
		if (!is_news(r->text[i]))
			continue;
		const char *text = strchr(r->text[i], ';') + 1, *news = text_in(at);
		fuzz_check(strcspn(news, "\n") == strcspn(text, "\n") && !strncmp(news, text, strcspn(text, "\n")));
		at = strchr(at, '\n') + 1;
	}
	fuzz_check(!*at);
	free(pieces);
	free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records r = {0};

	split((const char *)data, size, &r);
	check_warnings(&r);
	check_news(&r);
	for (size_t i = 0; i < r.n; i++)
		free(r.text[i]);
	return 0;
}
