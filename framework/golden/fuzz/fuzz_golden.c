/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses any bytes as the files of a golden: the first line is the provenance of a trace, the second a file of counters,
 * the rest the packed trace. A file that was read and written again must read the same. The rest is also compared as
 * payload: a trace must equal itself, and the sums of a difference must agree.
 */
#include "framework/golden/golden.h"
#include "framework/util/fuzz/folder.h"

static const struct pv_golden_source source = {"plan", "case", "driver", "target", 1};

struct lines {
	unsigned n;
};

static void count_line(void *ctx, const char *line)
{
	fuzz_check(*line && !strchr(line, '\n'));
	((struct lines *)ctx)->n++;
}

static struct pv_golden_diff compare(const void *a, size_t na, const void *b, size_t nb)
{
	struct pv_golden_diff d;
	struct lines lines = {0};

	pv_golden_compare(a, na, b, nb, 7, &d, count_line, &lines);
	fuzz_check(lines.n <= 8 && (pv_golden_same(&d) || lines.n));
	fuzz_check(d.missing <= d.records_want && d.records_want - d.missing == d.records_got - d.extra);
	return d;
}

static void check_compare(const uint8_t *data, size_t size)
{
	struct pv_golden_diff d = compare(data, size, data, size);

	fuzz_check(pv_golden_same(&d));
	if (!size)
		return;
	/* A copy without a stretch, and the two halves. */
	compare(data, size, data, size - 1 - data[0] % size);
	compare(data, size / 2, data + size / 2, size - size / 2);
}

/* An accepted provenance has the length of the trace. */
static void check_source(size_t n)
{
	size_t size;
	char *text = fuzz_folder_get("fuzz.json", &size);
	json_object *o = json_tokener_parse(text);

	fuzz_check(json_object_get_uint64(json_object_object_get(o, "bytes")) == n);
	json_object_put(o);
	free(text);
}

static void check_trace(void)
{
	struct pv_error e = {0};
	struct pv_golden_diff d;
	void *data, *again;
	size_t n, n_again;

	if (pv_golden_get_trace(fuzz_folder(), "fuzz", &data, &n, &e)) {
		fuzz_check(*e.text && e.code);
		return;
	}
	check_source(n);
	fuzz_check(!pv_golden_put_trace(fuzz_folder(), "again", &source, data, n, NULL));
	fuzz_check(!pv_golden_get_trace(fuzz_folder(), "again", &again, &n_again, NULL));
	fuzz_check(n == n_again && !memcmp(data, again, n));
	d = compare(data, n, again, n);
	fuzz_check(pv_golden_same(&d));
	free(data);
	free(again);
}

static void check_counters(void)
{
	struct pv_error e = {0};
	json_object *all;
	uint64_t value;

	if (pv_golden_get_counters(fuzz_folder(), "fuzz", &all, &e)) {
		fuzz_check(*e.text && e.code);
	} else {
		json_object_object_foreach(all, name, v)
		{
			fuzz_check(json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= 0);
			fuzz_check(!pv_golden_get_counter(fuzz_folder(), "fuzz", name, &value, NULL));
		}
		json_object_put(all);
	}
	fuzz_check(!pv_golden_put_counter(fuzz_folder(), "fuzz", &source, "c", UINT64_MAX - 1, NULL));
	fuzz_check(!pv_golden_get_counter(fuzz_folder(), "fuzz", "c", &value, NULL) && value == UINT64_MAX - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line;
	size_t n;

	line = fuzz_line(&data, &size, &n);
	fuzz_folder_put("fuzz.json", line, n);
	line = fuzz_line(&data, &size, &n);
	fuzz_folder_put("fuzz.counters.json", line, n);
	fuzz_folder_put("fuzz.trace.zst", data, size);
	check_trace();
	check_counters();
	check_compare(data, size);
	return 0;
}
