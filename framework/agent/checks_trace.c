/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares traces with the truth: each window separately, by the parameters of the plan, not by those that the driver
 * set.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/checks.h"
#include "framework/agent/traces.h"
#include "framework/util/cleanup.h"

struct pv_session_trace *pv_check_trace_stopped(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_session_trace(s, pv_arg_text(a, "id"));

	if (!t || (!t->running && t->windows))
		return t && !pv_trace_check_kept(s, t) ? t : NULL;
	pv_session_plan_error(s,
			      t->running ? "trace %s: expected it to be stopped first"
					 : "trace %s: expected it to have run, it was only opened",
			      t->id);
	return NULL;
}

const struct pv_topo_node *pv_check_trace_ptt(struct pv_session *s, const char *pmu)
{
	const struct pv_topo_node *ptt = s->t->topology ? pv_topology_ptt(s->t->topology, pmu) : NULL;

	if (!ptt)
		pv_session_plan_error(s, "expected a PTT of the topology behind %s, got none", pmu);
	return ptt;
}

/* Returns the buses of the PTT's domain that are below bridges. */
static void mark_buses_below(const struct pv_topology *t, const struct pv_topo_node *ptt, struct pv_trace_spec *spec)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct pv_topo_node *n = &t->nodes[i];

		if (!n->secondary || PCI_DOMAIN(n->bdf) != PCI_DOMAIN(ptt->bdf))
			continue;
		for (unsigned bus = n->secondary; bus <= n->subordinate; bus++)
			spec->below[bus / 8] |= (uint8_t)(1u << bus % 8);
	}
}

static int spec_of(struct pv_session *s, const struct pv_session_trace *t, struct pv_trace_spec *spec)
{
	const struct pv_topo_node *ptt = pv_check_trace_ptt(s, t->pmu);

	if (!ptt)
		return -EINVAL;
	*spec = (struct pv_trace_spec){
		.filter = pv_trace_term(t, "filter"),
		.direction = (uint8_t)pv_trace_term(t, "direction"),
		.type = (uint8_t)pv_trace_term(t, "type"),
		.format_8dw = pv_trace_term(t, "format") == 1,
		.time_is_distance = ptt->time_is_distance,
		.range_lower = ptt->range_lower,
		.range_upper = ptt->range_upper,
	};
	mark_buses_below(s->t->topology, ptt, spec);
	return 0;
}

/* One window of a trace to be judged. */
struct judged {
	struct pv_session *s;
	struct pv_session_trace *t;
	size_t n;
	struct pv_trace_slice slice;
	char name[PV_ID_MAX + 32]; /* for messages: the window's number if there are several */
};

static struct judged judged(struct pv_session *s, struct pv_session_trace *t, size_t n)
{
	struct judged j = {.s = s, .t = t, .n = n, .slice = pv_trace_slice(t, n)};

	snprintf(j.name, sizeof(j.name), "%s", t->id);
	if (t->windows > 1)
		snprintf(j.name, sizeof(j.name), "%s, window %zu", t->id, n + 1);
	return j;
}

/* The gaps come in pairs, the ends of marked commits. */
static int compare(struct judged *j, const uint64_t *gap, size_t gaps, struct pv_trace_diff *d)
{
	const unsigned char *bytes = pv_spill_data(&j->t->data);
	const struct pv_trace_data data = {
		.bytes = bytes ? bytes + j->slice.begin : NULL,
		.len = j->slice.end - j->slice.begin,
		.gap = gap,
		.gaps = gaps,
		.pairs = true,
	};
	struct pv_trace_spec spec;

	*d = (struct pv_trace_diff){0};
	int err = spec_of(j->s, j->t, &spec);
	if (err)
		return err;
	err = pv_oracle_check_trace(j->s->t->truth->ops->ledger(j->s->t->truth), &j->t->window[j->n].win, &spec, &data,
				    d);
	if (err)
		pv_session_problem(j->s, PV_EMIT_ERROR, "infrastructure", d->first,
				   "trace %s could not be compared: %s", j->name, pv_errno_name(err));
	return err;
}

/* Bytes delivered before the first commit with flags. */
static size_t claimed(const struct judged *j)
{
	size_t len = 0;

	for (size_t i = j->slice.commits_begin; i < j->slice.commits_end && !j->t->commit[i].flags; i++)
		len += j->t->commit[i].len;
	return len;
}

/* Flags that a PTT driver has no reason to set: PARTIAL (gaps in its copy), COLLISION (another source's data). */
static bool has_other_flags(struct judged *j)
{
	uint32_t flags = j->slice.flags & (PV_PERF_AUX_PARTIAL | PV_PERF_AUX_COLLISION);

	if (flags)
		pv_session_judge(j->s, false, NULL, "trace %s: expected no flag but truncated, got%s%s", j->name,
				 flags & PV_PERF_AUX_PARTIAL ? " partial" : "",
				 flags & PV_PERF_AUX_COLLISION ? " collision" : "");
	return flags;
}

static int judge_flags(struct judged *j, const struct pv_args *a)
{
	if (has_other_flags(j))
		return 1;
	bool want = pv_arg_choice(a, "expect-flags") == 0, got = j->slice.flags & PV_PERF_AUX_TRUNCATED;
	struct pv_trace_diff d;

	if (want == got)
		return 0;
	if (compare(j, NULL, 0, &d))
		return -1;
	pv_session_judge(j->s, false, d.first,
			 "trace %s: expected %s, got %s after %zu bytes: of %" PRIu64 " records on the wire %" PRIu64
			 " are missing, %" PRIu64 " are extra, %" PRIu64 " differ%s%s",
			 j->name, want ? "truncated" : "no truncated flag", got ? "truncated" : "no flag", claimed(j),
			 d.expected, d.missing, d.extra, d.differing, d.first[0] ? ": " : "", d.first);
	return 1;
}

static int against_oracle(struct judged *j, const struct pv_args *a)
{
	struct pv_trace_diff d;
	uint64_t least = pv_arg_number(a, "records-min");

	if (compare(j, NULL, 0, &d))
		return -1;
	if (d.expected < least)
		return pv_session_plan_error(j->s,
					     "trace %s: expected at least %" PRIu64 " records on the wire, got %" PRIu64
					     ": the case proves nothing",
					     j->name, least, d.expected) < 0;
	bool ok = !d.missing && !d.extra && !d.differing;
	return pv_session_judge(j->s, ok, d.first,
				"trace %s: expected %" PRIu64 " records, got %" PRIu64 " (%" PRIu64 " missing, %" PRIu64
				" extra, %" PRIu64 " differing)%s%s",
				j->name, d.expected, d.got, d.missing, d.extra, d.differing, ok ? "" : ": ",
				ok ? "" : d.first);
}

/* ---- goldens ---- */

static int record_golden(struct pv_session *s, struct pv_session_trace *t, const char *name)
{
	struct pv_error e = {0};
	struct pv_golden_source src = pv_session_source(s);
	const char *staging = pv_session_golden(s, "staging");

	if (!staging)
		return pv_session_plan_error(s, "golden: expected a staging folder, got none");
	int err = pv_golden_stage_trace(staging, name, &src, pv_spill_data(&t->data), t->data.len, &e);
	if (err)
		return pv_check_golden_refused(s, err, &e);
	return pv_session_judge(s, true, NULL, "trace %s: recorded as golden %s", t->id, name);
}

static void add_line(void *ctx, const char *line)
{
	fprintf(ctx, "%s\n", line);
}

static int against_golden(struct pv_session *s, const struct pv_args *a, struct pv_session_trace *t)
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

/* ---- the checks ---- */

static int do_check_trace(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_check_trace_stopped(s, a);
	int end = t ? 0 : -1;

	if (pv_arg_has(a, "name") && !pv_arg_choice(a, "against"))
		return pv_session_plan_error(s, "name: expected it only with against=\"golden\"");
	for (size_t i = 0; t && i < t->windows && !end; i++) {
		struct judged j = judged(s, t, i);

		if (judge_flags(&j, a))
			return 0;
		if (!pv_arg_choice(a, "against"))
			end = against_oracle(&j, a);
	}
	return t && pv_arg_choice(a, "against") ? against_golden(s, a, t) : end;
}

/*
 * A marked commit claims that records are missing before or after it: both its ends are marked. Everything else claims
 * to be whole.
 */
static uint64_t *told_gaps(const struct judged *j, size_t *n)
{
	uint64_t at = 0, *gap = calloc(2 * j->t->commits + 1, sizeof(*gap));

	*n = 0;
	for (size_t i = j->slice.commits_begin; gap && i < j->slice.commits_end; i++) {
		if (j->t->commit[i].flags)
			gap[(*n)++] = at;
		at += j->t->commit[i].len;
		if (j->t->commit[i].flags)
			gap[(*n)++] = at;
	}
	return gap;
}

static int judge_marks(struct judged *j, size_t gaps, const struct pv_trace_diff *d)
{
	uint64_t untold = d->missing - d->told;

	pv_session_judge(j->s, !d->idle, NULL,
			 "trace %s: expected records to be missing at each of the %zu marked commits, got %" PRIu64
			 " with none",
			 j->name, gaps / 2, d->idle);
	return pv_session_judge(j->s, !untold && !d->extra && !d->differing, d->first,
				"trace %s: expected records to be missing at the %zu marked commits only (%" PRIu64
				"), got %" PRIu64 " missing elsewhere, %" PRIu64 " extra, %" PRIu64 " differing%s%s",
				j->name, gaps / 2, d->told, untold, d->extra, d->differing, d->first[0] ? ": " : "",
				d->first);
}

static int judge_overrun(struct judged *j, const struct pv_args *a)
{
	size_t gaps;
	struct pv_trace_diff d;
	uint64_t least = pv_arg_number(a, "records-min");
	_autofree_ uint64_t *gap = told_gaps(j, &gaps);

	if (!gap || compare(j, gap, gaps, &d))
		return -1;
	bool marked = j->slice.flags & PV_PERF_AUX_TRUNCATED;
	pv_session_judge(j->s, marked, NULL,
			 "trace %s: expected truncated (%" PRIu64 " records were on the wire, %" PRIu64
			 " are there), got %s",
			 j->name, d.expected, d.got, marked ? "truncated" : "no flag");
	if (!d.missing)
		return pv_session_plan_error(j->s, "trace %s: expected an overrun, got all %" PRIu64 " records",
					     j->name, d.expected) < 0;
	pv_session_judge(j->s, d.got >= least, NULL,
			 "trace %s: expected at least %" PRIu64 " records before or after what was lost, got %" PRIu64,
			 j->name, least, d.got);
	return judge_marks(j, gaps, &d);
}

static int do_check_trace_overrun(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_check_trace_stopped(s, a);
	int end = t ? 0 : -1;

	for (size_t i = 0; t && i < t->windows && !end; i++) {
		struct judged j = judged(s, t, i);

		end = judge_overrun(&j, a);
	}
	return end;
}

static int do_check_empty_trace(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_check_trace_stopped(s, a);
	bool truncated = false;

	if (!t)
		return -1;
	for (size_t i = 0; i < t->commits; i++)
		truncated |= t->commit[i].flags & PV_PERF_AUX_TRUNCATED;
	return pv_session_judge(s, !t->data.len && !truncated, NULL, "trace %s: expected no data, got %zu bytes%s",
				t->id, t->data.len, truncated ? ", truncated" : "");
}

bool pv_check_trace_whole(struct pv_session *s, const struct pv_session_trace *t)
{
	for (size_t i = 0; i < t->commits; i++)
		if (t->commit[i].flags) {
			pv_session_judge(s, false, NULL,
					 "trace %s: expected no flags, got 0x%x: what is missing was not counted",
					 t->id, t->commit[i].flags);
			return false;
		}
	return true;
}

size_t pv_check_trace_record(struct pv_session *s, struct pv_session_trace *t, size_t at, struct pv_record *r)
{
	enum pv_record_format format = pv_trace_term(t, "format") == 1 ? PV_RECORD_8DW : PV_RECORD_4DW;
	size_t size = pv_record_bytes(format);
	const unsigned char *data = pv_spill_data(&t->data);

	if (data && t->data.len - at >= size && !pv_record_decode(format, data + at, at, r))
		return size;
	pv_session_judge(s, false, NULL, "trace %s: expected records of %zu bytes, got none at 0x%zx", t->id, size, at);
	return 0;
}

/* Adds the payload bytes of the whole trace. False: it is not whole, or has no records; judged. */
static bool add_payload(struct pv_session *s, struct pv_session_trace *t, uint64_t *bytes)
{
	struct pv_record r;

	if (!pv_check_trace_whole(s, t))
		return false;
	for (size_t at = 0, size; at < t->data.len; at += size) {
		size = pv_check_trace_record(s, t, at, &r);
		if (!size)
			return false;
		*bytes += pv_tlp_kinds[r.tlp.kind].has_data ? 4ull * r.tlp.length_dw : 0;
	}
	return true;
}

static int do_check_trace_payload(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_check_trace_stopped(s, a);
	struct pv_counter *c = t ? pv_check_counter_read(s, pv_arg_text(a, "counter")) : NULL;
	uint64_t payload = 0, unit = pv_arg_number(a, "unit");

	if (!c)
		return -1;
	if (!add_payload(s, t, &payload))
		return 0;
	if (!payload)
		return pv_session_plan_error(s, "trace %s: expected TLPs with payload: the check proves nothing",
					     t->id);
	double counted = (double)c->value * (double)unit, tolerance = pv_arg_real(a, "tolerance");
	double min = (double)payload * (1 - tolerance), max = (double)payload * (1 + tolerance);
	return pv_session_judge(s, counted >= min && counted <= max, NULL,
				"trace %s: expected its payload, %" PRIu64 " bytes, in counter %s, got %" PRIu64
				" of %" PRIu64 " bytes: %s",
				t->id, payload, c->id, c->value, unit, c->what);
}

const struct pv_step_def pv_checks_trace[] = {
	{"check-trace", do_check_trace, PV_STEP_CHECK | PV_STEP_LEDGER},
	{"check-trace-overrun", do_check_trace_overrun, PV_STEP_CHECK | PV_STEP_LEDGER},
	{"check-empty-trace", do_check_empty_trace, PV_STEP_CHECK},
	{"check-trace-payload", do_check_trace_payload, PV_STEP_CHECK},
	{NULL},
};
