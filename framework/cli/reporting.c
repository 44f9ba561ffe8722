/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report options, made from the table of writers. */
#include "framework/cli/reporting.h"

#include "framework/util/file.h"

int pv_reporting_check(const struct pv_reporting *r, struct pv_error *e)
{
	for (size_t i = 0; i < PV_REPORTS; i++) {
		int err = r->paths[i] ? pv_file_check_writable(r->paths[i], e) : 0;
		if (err)
			return pv_error_context(e, "%s: ", pv_report_writers[i].option);
	}
	return 0;
}

bool pv_reporting_on_stdout(const struct pv_reporting *r)
{
	for (size_t i = 0; i < PV_REPORTS; i++)
		if (r->paths[i] && r->paths[i][0] == '-' && !r->paths[i][1])
			return true;
	return false;
}

enum pv_exit pv_reporting_write(const struct pv_reporting *r, const struct pv_run_result *run)
{
	enum pv_exit status = pv_run_exit(run);
	bool lost = pv_cli_flush();
	for (size_t i = 0; i < PV_REPORTS; i++) {
		struct pv_error e = {0};
		if (!r->paths[i] || !pv_report_writers[i].write(run, r->paths[i], &e))
			continue;
		pv_cli_error("%s: %s; `pcieval report` makes it again from %s", pv_report_writers[i].option, e.text,
			     run->folder);
		lost = true;
	}
	return lost && status == PV_EXIT_PASSED ? PV_EXIT_UNJUDGED : status;
}
