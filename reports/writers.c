/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of report writers, in the order of enum pv_report, and their shared last step. */
#include "reports/writers.h"

#include <errno.h>

#include "framework/util/file.h"

const struct pv_report_writer pv_report_writers[] = {
#define X(name, help) {#name, "--" #name, help, pv_##name##_write},
	PV_REPORT_WRITERS(X)
#undef X
		{0},
};

int pv_report_write(const char *path, const char *text, size_t n, struct pv_error *e)
{
	return text ? pv_file_write(path, text, n, e) : pv_error(e, -ENOMEM, "%s: not written: out of memory", path);
}
