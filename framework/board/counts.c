/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of fio, dd, iperf3 and ib_write_bw. The program may be any that is installed on the board, so its
 * output may be any text.
 */
#include "framework/board/counts.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

/* ---- JSON ---- */

/* Finds the JSON, which may follow warnings. NULL: none. */
static json_object *parse(const char *text)
{
	const char *begin = strchr(text, '{');

	return begin ? json_tokener_parse(begin) : NULL;
}

/* json-c turns larger numbers into INT64_MAX. */
static int add(json_object *number, uint64_t *bytes)
{
	int64_t n = json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : -1;

	if (n < 0 || n == INT64_MAX || *bytes > UINT64_MAX / 2)
		return -EBADMSG;
	*bytes += (uint64_t)n;
	return 0;
}

/* --output-format=json: all jobs together. */
static int fio(const char *out, const char *direction, uint64_t *bytes)
{
	json_object *o = parse(out), *jobs = json_object_object_get(o, "jobs");
	size_t n = json_object_is_type(jobs, json_type_array) ? json_object_array_length(jobs) : 0;
	int err = n ? 0 : -EBADMSG;

	for (size_t i = 0; !err && i < n; i++) {
		json_object *job = json_object_array_get_idx(jobs, i);

		err = add(json_object_object_get(json_object_object_get(job, direction), "io_bytes"), bytes);
	}
	json_object_put(o);
	return err;
}

static int read_fio_read(const char *out, const char *err, uint64_t *bytes)
{
	return fio(out, "read", bytes);
}

static int read_fio_write(const char *out, const char *err, uint64_t *bytes)
{
	return fio(out, "write", bytes);
}

/* -J: the sums of both ends. */
static int iperf3(const char *out, const char *sum, uint64_t *bytes)
{
	json_object *o = parse(out);
	int err = add(json_object_object_get(json_object_object_get(json_object_object_get(o, "end"), sum), "bytes"),
		      bytes);

	json_object_put(o);
	return err;
}

static int read_iperf3_sent(const char *out, const char *err, uint64_t *bytes)
{
	return iperf3(out, "sum_sent", bytes);
}

static int read_iperf3_received(const char *out, const char *err, uint64_t *bytes)
{
	return iperf3(out, "sum_received", bytes);
}

/* ---- text ---- */

static const char *next_line(const char *line)
{
	const char *nl = strchr(line, '\n');

	return nl && nl[1] ? nl + 1 : NULL;
}

/* Parses a decimal number after blanks, and advances *text past it. */
static bool take_number(const char **text, uint64_t *out)
{
	const char *digits = *text + strspn(*text, " \t");
	char *end;

	errno = 0;
	*out = strtoull(digits, &end, 10);
	*text = end;
	return isdigit((unsigned char)*digits) && !errno;
}

/*
 * The last line: "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.1 s". busybox prints it without MiB, if it was built to.
 */
static int read_dd(const char *out, const char *err, uint64_t *bytes)
{
	int found = -EBADMSG;

	for (const char *line = err; line; line = next_line(line)) {
		const char *text = line;
		uint64_t n;

		if (!take_number(&text, &n) || strncmp(text, " bytes", strlen(" bytes")))
			continue;
		*bytes = n;
		found = 0;
	}
	return found;
}

/* " #bytes #iterations BW peak ...", then a line of numbers for each size. */
static int read_ib_write_bw(const char *out, const char *err, uint64_t *bytes)
{
	bool in_table = false, found = false;

	for (const char *line = out; line; line = next_line(line)) {
		uint64_t size, iterations, product;
		const char *text = line + strspn(line, " ");

		in_table |= !strncmp(text, "#bytes", strlen("#bytes"));
		if (!in_table || !take_number(&text, &size) || !take_number(&text, &iterations))
			continue;
		if (__builtin_mul_overflow(size, iterations, &product) ||
		    __builtin_add_overflow(*bytes, product, bytes))
			return -EBADMSG;
		found = true;
	}
	return found ? 0 : -EBADMSG;
}

static const struct {
	const char *counts;
	int (*read)(const char *out, const char *err, uint64_t *bytes);
} readers[] = {
	{"fio-read", read_fio_read},
	{"fio-write", read_fio_write},
	{"dd", read_dd},
	{"iperf3-sent", read_iperf3_sent},
	{"iperf3-received", read_iperf3_received},
	{"ib_write_bw", read_ib_write_bw},
};

int pv_counts_read(const char *counts, const char *out, const char *err, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (!strcmp(readers[i].counts, counts))
			return readers[i].read(out, err, bytes);
	return -ENOENT;
}
