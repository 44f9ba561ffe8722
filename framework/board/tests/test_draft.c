/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The draft of a board's description. */
#include "framework/board/draft.h"

#include <stdlib.h>
#include <string.h>

#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

static char *draft_of(const char *dump, const char *environment)
{
	struct pv_board b = {.machine = read_dump(dump), .environment = json_tokener_parse(environment)};
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	cr_assert(b.environment && f);
	pv_board_draft(&b, "rack-1", f);
	fclose(f);
	pv_pci_machine_free(b.machine);
	json_object_put(b.environment);
	return text;
}

Test(draft, has_functions_with_links_and_pmus_and_proposes_workloads)
{
	static const char *const parts[] = {
		"<!-- Kernel 6.12.90 ?-x, CPUs 128 -->\n<board name=\"rack-1\">\n",
		"\t     0000:00:01.0 Root Port, ids 1b36:000c, 16 GT/s x8 of at most x8\n"
		"\t     dwc_rootport_8, lanes 8\n",
		"\t     0000:01:00.0 network card, ids 1b36:000c, 16 GT/s x8 of at most x8, below 0000:00:01.0\n",
		"\t     0000:04:00.0 NVMe drive, ids 1b36:000c, 8 GT/s x4 of at most x4, below 0000:03:00.0\n\t     "
		"hisi_ptt0_2\n",
		"\t<workload from=\"0000:01:00.0\" to=\"memory\" counts=\"iperf3-received\">\n",
		"\t<workload from=\"0000:04:00.0\" to=\"memory\" counts=\"fio-read\">\n",
	};
	_autofree_ char *text = draft_of("perf-booted", "{\"kernel\": \"6.12.90 --x\", \"CPUs\": \"128\","
							"\"PMU dwc_rootport_8\": \"at 0000:00:01.0, lanes 8\","
							"\"PMU hisi_ptt0_2\": \"at 0000:04:00.0\"}");

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		cr_expect(strstr(text, parts[i]), "expected '%s' in\n%s", parts[i], text);
	cr_expect_null(strstr(text, "0000:02:00.0 "), "a switch port is of no kind of plans");
}
