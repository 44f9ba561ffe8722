/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as the output of a workload command: a byte that selects the program, standard output and, after a 0
 * byte, standard error. A number parsed from text must be part of that text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/commands.h"
#include "framework/util/fuzz/fuzz.h"

static const char *const programs[] = {"fio-read", "fio-write", "dd", "iperf3-sent", "iperf3-received", "ib_write_bw"};

static void check(const char *program, const char *out, const char *err)
{
	uint64_t bytes, again;
	char text[32];

	if (pv_counts_read(program, out, err, &bytes))
		return;
	fuzz_check(!pv_counts_read(program, out, err, &again) && again == bytes);
	snprintf(text, sizeof(text), "%" PRIu64 " bytes", bytes);
	fuzz_check(strcmp(program, "dd") || strstr(err, text));
	fuzz_check(strcmp(program, "ib_write_bw") || strstr(out, "#bytes"));
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	fuzz_check(strncmp(program, "iperf3", 6) || strstr(out, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 2);

	if (!text || !size) {
		free(text);
		return 0;
	}
	memcpy(text, data + 1, size - 1);
	check(programs[data[0] % (sizeof(programs) / sizeof(programs[0]))], text, text + strlen(text) + 1);
	free(text);
	return 0;
}
