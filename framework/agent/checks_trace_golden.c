/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces against goldens, and the making of goldens. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/checks.h"
#include "framework/util/cleanup.h"

static int record_golden(struct pv_session *s, struct pv_session_trace *t, const char *name)
{
	struct pv_error e = {0};
	struct pv_golden_source src = pv_session_source(s);
	const char *staging = pv_session_golden(s, "staging");

	if (!staging)
		return pv_session_plan_error(s, "golden: expected a staging folder, got none");
	if (pv_golden_put_trace(staging, name, &src, pv_spill_data(&t->data), t->data.len, &e)) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "%s", e.text);
		return -1;
	}
	return pv_session_judge(s, true, NULL, "trace %s: recorded as golden %s", t->id, name);
}

static void add_line(void *ctx, const char *line)
{
	fprintf(ctx, "%s\n", line);
}

int pv_check_trace_golden(struct pv_session *s, const struct pv_args *a, struct pv_session_trace *t)
{
	char name[256];
	struct pv_error e = {0};
	struct pv_golden_diff d;
	_autofree_ void *want = NULL;
	_autofree_ char *lines = NULL;
	size_t len, size;

	pv_check_golden_name(s, a, t->id, name, sizeof(name));
	const char *mode = pv_session_golden(s, "mode"), *folder = pv_session_golden(s, "folder");
	if (mode && !strcmp(mode, "record"))
		return record_golden(s, t, name);
	if (pv_golden_get_trace(folder ? folder : "fixtures/golden", name, &want, &len, &e)) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "%s; make it with `pcieval golden regen`",
				   e.text);
		return 0;
	}
	FILE *f = open_memstream(&lines, &size);
	if (!f)
		return -ENOMEM;
	pv_golden_compare(want, len, pv_spill_data(&t->data), t->data.len, 50, &d, add_line, f);
	fclose(f);
	char first[160] = "";
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(lines, "\n"), lines);
	bool ok = pv_golden_same(&d) && d.records_got >= pv_arg_number(a, "records-min");
	return pv_session_judge(s, ok, lines,
				"trace %s: expected the %" PRIu64 " records of golden %s, got %" PRIu64 " (%" PRIu64
				" missing, %" PRIu64 " extra, %" PRIu64 " changed)%s%s",
				t->id, d.records_want, name, d.records_got, d.missing, d.extra, d.changed,
				ok ? "" : ": ", ok ? "" : first);
}
