/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timelines of single requesters: see trace_shares.h. */
#include "framework/cli/trace_shares.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/cli/trace.h"
#include "framework/util/cleanup.h"

/* Reads the trace once more, only the records of one requester. Its problems were reported before. NULL: see *e. */
static struct pv_stat *stat_of(const struct pv_cli_shares_of *of, uint16_t requester, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	char bdf[16];
	struct pv_where where;
	const struct pv_stat_options so = {.where = &where, .jobs = of->jobs, .no_match = true, .no_regions = true};
	struct pv_trace *t = NULL;
	struct pv_stat *s = NULL;

	pv_stat_bdf_text(requester, bdf);
	if (asprintf(&text, "%s%s%srequester == %s", of->where ? "(" : "", of->where ? of->where : "",
		     of->where ? ") && " : "", bdf) < 0)
		pv_error(e, -ENOMEM, "no memory");
	else if (!pv_where_compile(&where, text, e) && (t = pv_trace_open(of->path, of->how, e)))
		s = pv_stat_run(t, &so, e);
	pv_trace_close(t);
	return s;
}

static int add_again(struct pv_cli_shares *out, const struct pv_cli_shares_of *of, uint16_t requester,
		     struct pv_error *e)
{
	struct pv_stat *s = stat_of(of, requester, e);

	if (!s)
		return e->code;
	out->again[out->n] = s;
	out->share[out->n++] = (struct pv_stat_share){requester, &s->timeline};
	return 0;
}

int pv_cli_shares_find(struct pv_cli_shares *out, const struct pv_cli_shares_of *of, const struct pv_stat *all,
		       struct pv_error *e)
{
	uint16_t ids[PV_CLI_SHARES];
	size_t n = pv_stat_top_requesters(all, ids, of->n);
	bool again = all->timelines && all->timelines->too_many;
	int r = 0;

	if (again && !pv_cli_trace_is_file(of->path))
		return pv_error(e, -E2BIG, "more than %d requesters: expected a file, which can be read again",
				PV_TIMELINES);
	while (!r && out->n < n && out->n < of->n) {
		uint16_t id = ids[out->n];

		if (again)
			r = add_again(out, of, id, e);
		else
			out->share[out->n++] = (struct pv_stat_share){id, pv_timelines_find(all->timelines, id)};
	}
	return r;
}

void pv_cli_shares_drop(struct pv_cli_shares *s)
{
	for (size_t i = 0; i < s->n; i++)
		pv_stat_free(s->again[i]);
}
