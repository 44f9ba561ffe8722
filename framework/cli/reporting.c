/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for reports, made from the table of writers. */
#include "framework/cli/reporting.h"

#include <errno.h>
#include <string.h>

#include "framework/util/file.h"
#include "framework/util/hint.h"

/* Nothing is lost on /dev/null. Elsewhere, one spelling is one place even if it is a pipe. */
static bool is_same(const char *a, const char *b)
{
	return strcmp(a, b) ? pv_file_is_same(a, b) : strcmp(a, "/dev/null") != 0;
}

/* Refuses two reports in one place: the second would replace the first, or they would be mixed on standard output. */
static int check_different(const struct pv_reporting *r, struct pv_error *e)
{
	for (size_t i = 0; i < PV_REPORTS; i++)
		for (size_t k = 0; k < i; k++)
			if (r->paths[i] && r->paths[k] && is_same(r->paths[i], r->paths[k]))
				return pv_error(e, -EINVAL, "%s: expected a place of its own, got '%s', where %s goes",
						pv_report_writers[i].option, PV_SHOW(r->paths[i]),
						pv_report_writers[k].option);
	return 0;
}

int pv_reporting_check(const struct pv_reporting *r, struct pv_error *e)
{
	for (size_t i = 0; i < PV_REPORTS; i++) {
		int err = r->paths[i] ? pv_file_check_writable(r->paths[i], e) : 0;

		if (err)
			return pv_error_context(e, "%s: ", pv_report_writers[i].option);
	}
	return check_different(r, e);
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
	/* Also if all cases were skipped: --allow-skip turns that into success. */
	return lost && (status == PV_EXIT_PASSED || status == PV_EXIT_SKIPPED) ? PV_EXIT_UNJUDGED : status;
}
