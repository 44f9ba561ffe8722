/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of perf script: a sample for each record, in the form that flame graph tools read. */
#include <stdio.h>
#include <string.h>

#include "framework/analysis/tests/convert_here.h"
#include "framework/util/cleanup.h"
#include "framework/util/ere.h"

enum { NIC = 0x100, DISK = 0x208 };

Test(perfscript, a_sample_for_each_record)
{
	static const char expected[] = "01:00.0 65792/65792 [000] 0.000000010: 56 tlp:\n"
				       "\t      1200001000 up to 32 B ([ptt])\n"
				       "\t               0 MWr64 ([ptt])\n"
				       "\t               0 posted ([ptt])\n"
				       "\n"
				       "02:01.0 66056/66056 [000] 1.000000020: 24 tlp:\n"
				       "\t      1200002000 up to 4 KiB ([ptt])\n"
				       "\t               0 MRd64 ([ptt])\n"
				       "\t               0 non-posted ([ptt])\n"
				       "\n"
				       "02:01.0 66056/66056 [000] 1.000000030: 20 tlp:\n"
				       "\t               0 no data ([ptt])\n"
				       "\t               0 Cpl ([ptt])\n"
				       "\t               0 completion ([ptt])\n"
				       "\n"
				       "undefined 65536/65536 [000] 1.000000040: 24 tlp:\n"
				       "\t               0 undefined ([ptt])\n"
				       "\n";
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	size_t n;

	here_request(h, MWR64, NIC, 8, 0x1000, 10);
	here_request(h, MRD64, DISK, 1024, 0x2000, 1000000020);
	here_completion(h, CPL, DISK, UR, 1000000030);
	here_record(h, 0x3f000000, 0, 0, 0, 1000000040);
	_autofree_ char *text = here_convert(h, "perf-script", &(struct pv_convert_options){.tick_hz = 0}, &n);
	cr_expect_str_eq(text, expected, "%s", text);
}

/* Tools parse two kinds of lines: "comm pid/tid [cpu] time: period event:", and "address symbol (module)". */
Test(perfscript, lines_are_those_of_samples)
{
	_autofree_ struct here *h = calloc(1, sizeof(*h));
	regex_t head, frame;
	char *rest, *line;
	unsigned heads = 0, frames = 0;
	size_t n;

	for (uint32_t i = 0; i < 4000; i++)
		here_request(h, i % 2 ? MWR64 : MRD64, NIC + i % 5, 1 + i % 1024, 4096 * i, i << 20);
	_autofree_ char *text = here_convert(h, "perf-script", &(struct pv_convert_options){.tick_hz = 250000000}, &n);
	cr_assert_eq(pv_ere_compile(&head, "^[^ ]+ [0-9]+/[0-9]+ \\[[0-9]+\\] [0-9]+\\.[0-9]{9}: [0-9]+ [^ ]+:$"), 0);
	cr_assert_eq(pv_ere_compile(&frame, "^\t *[0-9a-f]+ [^(]+ \\([^ ]*\\)$"), 0);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool is_head = !regexec(&head, line, 0, NULL, 0), is_frame = !regexec(&frame, line, 0, NULL, 0);

		heads += is_head;
		frames += is_frame;
		cr_expect(is_head || is_frame, "%s", line);
	}
	cr_expect_eq(heads, 4000);
	cr_expect_eq(frames, 12000);
	regfree(&head);
	regfree(&frame);
}
