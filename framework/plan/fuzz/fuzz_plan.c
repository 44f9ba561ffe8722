/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: any bytes as a plan. What loads is also turned into JSON. Build with clang:
 * CC=clang meson setup build-fuzz -Dtests=disabled -Db_sanitize=address,undefined -Db_lundef=false \
 *   -Dc_args=-fsanitize=fuzzer-no-link
 * ninja -C build-fuzz framework/plan/fuzz/fuzz_plan
 * build-fuzz/framework/plan/fuzz/fuzz_plan -max_len=8192 CORPUS framework/plan/tests/good framework/plan/tests/bad
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *ctx, const struct pv_error *e)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pv_plan_options opt = {.max_cases = 200};
	struct pv_plans *plans = NULL;
	char path[64];
	int fd = memfd_create("plan", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const char *file = path;
	if (!pv_plans_load(&file, 1, &opt, ignore, NULL, &plans))
		for (size_t i = 0; i < plans->n_cases; i++)
			if (!pv_case_json(plans->cases[i]))
				abort(); /* what was accepted must be complete */
	pv_plans_free(plans);
	close(fd);
	return 0;
}
