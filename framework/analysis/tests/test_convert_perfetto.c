/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON for Perfetto: each TLP is an instant of its requester, and each request that is answered in the trace is a
 * slice.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/analysis/convert.h"
#include "framework/trace/tests/hand.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

enum { MRD64 = 0x20000000, MWR64 = 0x60000000, CPL = 0x0a000000, CPLD = 0x4a000000, UR = 1 << 13 };

static struct hand h;
static const struct pv_stat_machine *machine; /* NULL: none */

static void record(uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t time)
{
	const uint32_t dw[8] = {0xffffffff, 0, dw0, dw1, dw2, 0x1000, 0, time};

	for (unsigned i = 0; i < 8; i++)
		hand_le32(&h, dw[i]);
}

static void request(uint32_t kind, unsigned requester, unsigned tag, unsigned length, uint32_t time)
{
	record(kind | length, requester << 16 | tag << 8 | 0xff, 0, time);
}

static void completion(uint32_t kind, unsigned requester, unsigned tag, unsigned length, unsigned byte_count,
		       uint32_t time)
{
	record((kind & ~(uint32_t)UR) | length, (kind & UR) | (byte_count & 0xfff), requester << 16 | tag << 8, time);
}

static int convert(enum pv_trace_time time, char **out, struct pv_error *e)
{
	int fd = memfd_create("converted", 0);
	const struct pv_trace_options how = {.time = time, .no_time = true};
	struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, &how);
	struct pv_convert_options o = {0};
	struct pv_where all;
	uint64_t records;

	cr_assert_eq(pv_where_compile(&all, NULL, NULL), 0);
	o.where = &all;
	o.machine = machine;
	int err = pv_trace_convert(t, &pv_convert_perfetto, fd, &o, &records, e);
	pv_trace_close(t);
	off_t n = lseek(fd, 0, SEEK_END);
	*out = calloc(1, (size_t)n + 1);
	cr_assert_eq(pread(fd, *out, (size_t)n, 0), n);
	close(fd);
	return err;
}

static json_object *events(enum pv_trace_time time, json_object **whole)
{
	_autofree_ char *text = NULL;
	struct pv_error e = {0};

	cr_assert_eq(convert(time, &text, &e), 0, "%s", e.text);
	*whole = json_tokener_parse(text);
	cr_assert_not_null(*whole, "no JSON: %s", text);
	return json_object_object_get(*whole, "traceEvents");
}

/* Compares the events, one per line: "b 1.000 MRd64", "M 01:00.0". */
static void expect_events(enum pv_trace_time time, const char *want)
{
	_autojson_ json_object *whole = NULL;
	json_object *all = events(time, &whole);
	char got[4096] = "";
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *e = json_object_array_get_idx(all, i), *args = json_object_object_get(e, "args");
		const char *phase = json_object_get_string(json_object_object_get(e, "ph"));

		cr_assert_eq(json_object_get_int64(json_object_object_get(e, "pid")),
			     json_object_get_int64(json_object_object_get(e, "tid")));
		if (*phase == 'M')
			n += (size_t)snprintf(got + n, sizeof(got) - n, "M %s\n",
					      json_object_get_string(json_object_object_get(args, "name")));
		else
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s %.3f %s\n", phase,
					      json_object_get_double(json_object_object_get(e, "ts")),
					      json_object_get_string(json_object_object_get(e, "name")));
	}
	cr_expect_str_eq(got, want);
}

Test(perfetto, processes_have_the_names_of_the_machine)
{
	static struct pv_stat_function functions[] = {{.requester = 0x100, .name = "NIC: a\\b \"c\" \xc3\xa9\n"}};

	machine = &(struct pv_stat_machine){"lspci.txt", functions, 1};
	request(MWR64, 0x100, 0, 8, 1000);
	request(MWR64, 0x200, 0, 8, 1001);
	expect_events(PV_TRACE_TIME_CLOCK, "M 01:00.0 NIC: a?b ?c? ???\n"
					   "i 1.000 MWr64\n"
					   "M 02:00.0\n"
					   "i 1.001 MWr64\n");
	machine = NULL;
}

Test(perfetto, a_request_is_a_slice_up_to_its_last_completion)
{
	request(MRD64, 0x100, 1, 32, 1000);
	request(MWR64, 0x100, 0, 8, 1001);
	completion(CPLD, 0x100, 1, 16, 128, 1500);
	completion(CPLD, 0x100, 1, 16, 64, 1623);
	expect_events(PV_TRACE_TIME_CLOCK, "M 01:00.0\n"
					   "i 1.000 MRd64\n"
					   "i 1.001 MWr64\n"
					   "i 1.500 CplD\n"
					   "i 1.623 CplD\n"
					   "b 1.000 MRd64\n"
					   "e 1.623 MRd64\n");
}

Test(perfetto, requests_meet_completions_of_their_requester_and_tag)
{
	request(MRD64, 0x100, 1, 1, 100);
	request(MRD64, 0x200, 1, 1, 200);
	request(MRD64, 0x100, 2, 1, 300);
	completion(CPLD, 0x100, 2, 1, 4, 400);
	completion(CPLD, 0x200, 1, 1, 4, 500);
	completion(CPLD, 0x200, 1, 1, 4, 600); /* the request is already complete */
	completion(CPLD, 0x300, 1, 1, 4, 700); /* a completion without a request */
	completion(CPLD, 0x100, 1, 1, 4, 800);
	expect_events(PV_TRACE_TIME_CLOCK, "M 01:00.0\n"
					   "i 0.100 MRd64\n"
					   "M 02:00.0\n"
					   "i 0.200 MRd64\n"
					   "i 0.300 MRd64\n"
					   "i 0.400 CplD\n"
					   "b 0.300 MRd64\n"
					   "e 0.400 MRd64\n"
					   "i 0.500 CplD\n"
					   "b 0.200 MRd64\n"
					   "e 0.500 MRd64\n"
					   "i 0.600 CplD\n"
					   "M 03:00.0\n"
					   "i 0.700 CplD\n"
					   "i 0.800 CplD\n"
					   "b 0.100 MRd64\n"
					   "e 0.800 MRd64\n");
}

Test(perfetto, an_error_ends_a_request)
{
	request(MRD64, 0x100, 1, 32, 100);
	completion(CPL | UR, 0x100, 1, 0, 128, 200);
	expect_events(PV_TRACE_TIME_CLOCK, "M 01:00.0\n"
					   "i 0.100 MRd64\n"
					   "i 0.200 Cpl\n"
					   "b 0.100 MRd64\n"
					   "e 0.200 MRd64\n");
}

Test(perfetto, distances_add_up)
{
	request(MWR64, 0x100, 0, 8, 1500);
	request(MWR64, 0x100, 0, 8, 700);
	request(MWR64, 0x100, 0, 8, 800);
	expect_events(PV_TRACE_TIME_DISTANCE, "M 01:00.0\ni 0.000 MWr64\ni 0.700 MWr64\ni 1.500 MWr64\n");
}

Test(perfetto, arguments_are_fields_of_decode)
{
	_autojson_ json_object *whole = NULL;
	request(MWR64, 0x100, 7, 8, 1);
	completion(CPLD, 0x100, 7, 1, 4, 2);
	json_object *all = events(PV_TRACE_TIME_CLOCK, &whole);
	cr_assert_eq(json_object_array_length(all), 3);
	json_object *write = json_object_object_get(json_object_array_get_idx(all, 1), "args");
	json_object *back = json_object_object_get(json_object_array_get_idx(all, 2), "args");
	cr_expect_str_eq(json_object_get_string(json_object_object_get(write, "address")), "0x1000");
	cr_expect_eq(json_object_get_int(json_object_object_get(write, "length_dw")), 8);
	cr_expect_eq(json_object_get_int(json_object_object_get(write, "tag")), 7);
	cr_expect_eq(json_object_get_int(json_object_object_get(back, "byte_count")), 4);
	cr_expect_eq(json_object_get_int(json_object_object_get(back, "offset")), 32);
}

Test(perfetto, unknown_time_is_refused)
{
	_autofree_ char *text = NULL;
	struct pv_error e = {0};

	request(MWR64, 0x100, 0, 8, 5);
	cr_assert_eq(convert(PV_TRACE_TIME_UNKNOWN, &text, &e), -ENODATA);
	cr_expect_str_eq(e.text, "writing perfetto: what Time counts is unknown; say --time clock or --time distance");
}
