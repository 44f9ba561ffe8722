/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of report writers: command-line options and help are made from it. */
#include "reports/writers.h"

const struct pv_report_writer pv_report_writers[] = {
	{"junit", "--junit", "JUnit XML, for Jenkins, GitLab and GitHub", pv_junit_write},
	{"json", "--json", "everything as one JSON object", pv_json_write},
	{"ktap", "--ktap", "KTAP, as the kernel's own tests write it", pv_ktap_write},
	{0},
};
