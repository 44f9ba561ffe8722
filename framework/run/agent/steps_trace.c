/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT traces: start, stop, and their checks. A check judges by what the plan asked for, never by what the
 * driver made of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/agent/checks.h"
#include "framework/run/agent/session.h"
#include "framework/util/cleanup.h"

#define TRACE_MEM_BYTES (32u << 20) /* what a trace may keep in memory; the rest goes to a file */

/* ---- taking AUX data ---- */

static int note_commit(struct pv_trace *t, size_t len, uint32_t flags)
{
	if (t->commits == t->commit_room) {
		size_t room = t->commit_room ? 2 * t->commit_room : 64;
		struct pv_trace_commit *c = reallocarray(t->commit, room, sizeof(*c));
		if (!c)
			return -ENOMEM;
		t->commit = c;
		t->commit_room = room;
	}
	t->commit[t->commits++] = (struct pv_trace_commit){len, flags};
	return 0;
}

static int take_aux(void *ctx, const void *data, size_t len, uint32_t flags)
{
	struct pv_trace *t = ctx;
	t->flags |= flags;
	int err = pv_spill_append(&t->data, data, len);
	if (!err)
		err = note_commit(t, len, flags);
	if (err)
		t->error = err;
	return err;
}

/* ---- start and stop ---- */

/* The terms as a user gives them to perf. */
static int resolve(struct pv_session *s, const struct pv_args *a, struct pv_event_config *c, struct pv_error *e)
{
	static const char *const terms[] = {"filter", "direction", "type", "format"};
	char text[256] = "";
	size_t len = 0;
	*c = (struct pv_event_config){{pv_arg_number(a, "config")}};
	if (pv_arg_has(a, "config"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (pv_arg_has(a, terms[i]))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=0x%" PRIx64, len ? "," : "",
						terms[i], pv_arg_number(a, terms[i]));
	return len ? pv_event_resolve(s->t, pv_arg_text(a, "pmu"), text, c, e) : 0;
}

/* What the plan means, packed as hardware.md has it: filter 0-19, direction 20-23, type 24-31, format 32-35. */
static uint64_t intent(const struct pv_args *a)
{
	if (pv_arg_has(a, "config"))
		return pv_arg_number(a, "config");
	return (pv_arg_number(a, "filter") & 0xfffff) | (pv_arg_number(a, "direction") & 0xf) << 20 |
	       (pv_arg_number(a, "type") & 0xff) << 24 | (pv_arg_number(a, "format") & 0xf) << 32;
}

static struct pv_trace *new_trace(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = calloc(1, sizeof(*t));
	if (!t) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return NULL;
	}
	t->data = PV_SPILL_INIT(TRACE_MEM_BYTES);
	pv_session_drop_trace(s, pv_arg_text(a, "id"));
	snprintf(t->id, sizeof(t->id), "%s", pv_arg_text(a, "id"));
	snprintf(t->pmu, sizeof(t->pmu), "%s", pv_arg_text(a, "pmu"));
	t->config.word[0] = intent(a);
	t->next = s->traces;
	s->traces = t;
	return t;
}

static int set_buffer(struct pv_session *s, const struct pv_args *a)
{
	if (!s->t->ops->ptt_buffer)
		return pv_arg_has(a, "buffer") ? pv_session_unsupported(s, "choice of the PTT's buffer size") : 0;
	int err = s->t->ops->ptt_buffer(s->t, pv_arg_number(a, "buffer"));
	/* Busy: another session has them; opening this one will be refused, and that is for the plan to judge. */
	return err && err != -EBUSY ? pv_session_plan_error(s, "buffer: the driver refuses %s: %s",
							    pv_arg_text(a, "buffer"), pv_errno_name(err))
				    : 0;
}

static int open_trace(struct pv_session *s, const struct pv_args *a, struct pv_trace *t, struct pv_error *e)
{
	struct pv_event_config c;
	int err = resolve(s, a, &c, e);
	if (err)
		return err;
	const struct pv_event_attr attr = {
		.config = c.word[0],
		.config1 = c.word[1],
		.config2 = c.word[2],
		.per_task = pv_arg_yes(a, "per-task"),
		.sampling = pv_arg_yes(a, "sampling"),
		.aux = true,
		.aux_bytes = pv_arg_number(a, "aux"),
		.aux_overwrite = pv_arg_yes(a, "snapshot"),
	};
	return s->t->ops->event_open(s->t, t->pmu, &attr, NULL, take_aux, t, &t->event);
}

static int do_trace_start(struct pv_session *s, const struct pv_args *a)
{
	struct pv_error e = {0};
	struct pv_trace *t = new_trace(s, a);
	if (!t || set_buffer(s, a))
		return -1;
	int err = open_trace(s, a, t, &e);
	pv_window_outer_begin(s, &t->win);
	if (!err)
		err = s->t->ops->event_enable(s->t, t->event);
	pv_window_inner_begin(s, &t->win);
	int end = pv_session_expect(s, err, e.text, "trace %s on %s", t->id, t->pmu);
	if (end)
		pv_session_drop_trace(s, t->id);
	return end < 0;
}

static int do_trace_stop(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = pv_session_trace(s, pv_arg_text(a, "id"));
	if (!t)
		return -1;
	if (!t->event)
		return pv_session_plan_error(s, "trace %s: expected it to run, got one that is stopped", t->id);
	pv_window_inner_end(s, &t->win);
	int err = s->t->ops->event_disable(s->t, t->event);
	pv_window_outer_end(s, &t->win);
	s->t->ops->event_close(s->t, steal(&t->event));
	if (!t->error && t->data.len && !pv_spill_data(&t->data))
		t->error = -ENOMEM;
	if (t->error) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "trace %s: keeping its data: %s", t->id,
				   pv_errno_name(t->error));
		return -1;
	}
	return pv_session_expect(s, err, NULL, "stopping trace %s", t->id) < 0;
}

/* ---- checks ---- */

static struct pv_trace *stopped(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = pv_session_trace(s, pv_arg_text(a, "id"));
	if (!t || !t->event)
		return t;
	pv_session_plan_error(s, "trace %s: expected it to be stopped first", t->id);
	return NULL;
}

/* The PTT whose name is that of the PMU. */
static const struct pv_topo_node *ptt_of(struct pv_session *s, const char *pmu)
{
	unsigned sicl, core;
	if (!s->t->topology || sscanf(pmu, "hisi_ptt%u_%u", &sicl, &core) != 2)
		return NULL;
	for (size_t i = 0; i < s->t->topology->n; i++) {
		const struct pv_topo_node *node = &s->t->topology->nodes[i];
		if (node->conf.kind == PV_NODE_PTT && node->conf.sicl == sicl && node->conf.core == core)
			return node;
	}
	return NULL;
}

static int spec_of(struct pv_session *s, const struct pv_trace *t, struct pv_trace_spec *spec)
{
	const struct pv_topo_node *ptt = ptt_of(s, t->pmu);
	uint64_t c = t->config.word[0];
	if (!ptt)
		return pv_session_plan_error(s, "expected a PTT of the topology behind %s, got none", t->pmu);
	*spec = (struct pv_trace_spec){
		.filter = c & 0xfffff,
		.direction = c >> 20 & 0xf,
		.type = c >> 24 & 0xff,
		.format_8dw = (c >> 32 & 0xf) == 1,
		.range_lower = ptt->conf.range_lower,
		.range_upper = ptt->conf.range_upper,
	};
	return 0;
}

static int compare_with_gaps(struct pv_session *s, struct pv_trace *t, const uint64_t *gap, size_t gaps,
			     struct pv_trace_diff *d)
{
	const struct pv_trace_data data = {pv_spill_data(&t->data), t->data.len, false, gap, gaps};
	struct pv_trace_spec spec;
	*d = (struct pv_trace_diff){0};
	int err = spec_of(s, t, &spec);
	if (err)
		return err;
	err = pv_oracle_check_trace(s->t->ops->ledger(s->t), &t->win, &spec, &data, d);
	if (err)
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", d->first, "trace %s could not be compared: %s",
				   t->id, pv_errno_name(err));
	return err;
}

static int compare(struct pv_session *s, struct pv_trace *t, struct pv_trace_diff *d)
{
	return compare_with_gaps(s, t, NULL, 0, d);
}

/* What was handed over before the first commit that is marked. */
static size_t claimed(const struct pv_trace *t)
{
	size_t len = 0;
	for (size_t i = 0; i < t->commits && !t->commit[i].flags; i++)
		len += t->commit[i].len;
	return len;
}

static int judge_flags(struct pv_session *s, const struct pv_args *a, struct pv_trace *t)
{
	bool want = pv_arg_choice(a, "expect-flags") == 0, got = t->flags & PV_AUX_TRUNCATED;
	struct pv_trace_diff d;
	if (want == got)
		return 0;
	if (compare(s, t, &d))
		return -1;
	pv_session_judge(s, false, d.first,
			 "trace %s: expected %s, got %s after %zu bytes: of %" PRIu64 " records on the wire %" PRIu64
			 " are missing, %" PRIu64 " are extra, %" PRIu64 " differ%s%s",
			 t->id, want ? "truncated" : "no truncated flag", got ? "truncated" : "no flag", claimed(t),
			 d.expected, d.missing, d.extra, d.differing, d.first[0] ? ": " : "", d.first);
	return 1;
}

static int against_oracle(struct pv_session *s, const struct pv_args *a, struct pv_trace *t)
{
	struct pv_trace_diff d;
	uint64_t least = pv_arg_number(a, "records-min");
	if (compare(s, t, &d))
		return -1;
	if (d.expected < least)
		return pv_session_plan_error(s,
					     "trace %s: expected at least %" PRIu64 " records on the wire, got %" PRIu64
					     ": the case proves nothing",
					     t->id, least, d.expected) < 0;
	bool ok = !d.missing && !d.extra && !d.differing;
	return pv_session_judge(s, ok, d.first,
				"trace %s: expected %" PRIu64 " records, got %" PRIu64 " (%" PRIu64 " missing, %" PRIu64
				" extra, %" PRIu64 " differing)%s%s",
				t->id, d.expected, d.got, d.missing, d.extra, d.differing, ok ? "" : ": ",
				ok ? "" : d.first);
}

static int record_golden(struct pv_session *s, struct pv_trace *t, const char *name)
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

static int against_golden(struct pv_session *s, const struct pv_args *a, struct pv_trace *t)
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

static int do_check_trace(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = stopped(s, a);
	if (!t)
		return -1;
	if (judge_flags(s, a, t))
		return 0;
	return pv_arg_choice(a, "against") ? against_golden(s, a, t) : against_oracle(s, a, t);
}

/* A marked commit says that records are missing before it or behind it: both its ends. All else is claimed to be whole. */
static uint64_t *told_gaps(const struct pv_trace *t, size_t *n)
{
	uint64_t at = 0, *gap = calloc(2 * t->commits + 1, sizeof(*gap));
	*n = 0;
	for (size_t i = 0; gap && i < t->commits; i++) {
		if (t->commit[i].flags)
			gap[(*n)++] = at;
		at += t->commit[i].len;
		if (t->commit[i].flags)
			gap[(*n)++] = at;
	}
	return gap;
}

static int do_check_overrun(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = stopped(s, a);
	struct pv_trace_diff d;
	size_t gaps;
	_autofree_ uint64_t *gap = t ? told_gaps(t, &gaps) : NULL;
	if (!gap || compare_with_gaps(s, t, gap, gaps, &d))
		return -1;
	pv_session_judge(s, t->flags & PV_AUX_TRUNCATED, NULL,
			 "trace %s: expected truncated (%" PRIu64 " records were on the wire, %" PRIu64
			 " are there), got %s",
			 t->id, d.expected, d.got, t->flags & PV_AUX_TRUNCATED ? "truncated" : "no flag");
	if (!d.missing)
		return pv_session_plan_error(s, "trace %s: expected an overrun, got all %" PRIu64 " records", t->id,
					     d.expected) < 0;
	uint64_t untold = d.missing - d.told;
	return pv_session_judge(s, !untold && !d.extra && !d.differing, d.first,
				"trace %s: expected records to be missing at the %zu marked commits only (%" PRIu64
				"), got %" PRIu64 " missing elsewhere, %" PRIu64 " extra, %" PRIu64 " differing%s%s",
				t->id, gaps / 2, d.told, untold, d.extra, d.differing, d.first[0] ? ": " : "", d.first);
}

static int do_check_empty(struct pv_session *s, const struct pv_args *a)
{
	struct pv_trace *t = stopped(s, a);
	if (!t)
		return -1;
	return pv_session_judge(s, !t->data.len && !(t->flags & PV_AUX_TRUNCATED), NULL,
				"trace %s: expected no data, got %zu bytes%s", t->id, t->data.len,
				t->flags & PV_AUX_TRUNCATED ? ", truncated" : "");
}

#define ID                                                                \
	{                                                                 \
		"id", PV_ARG_TEXT, "name of the trace in this case", true \
	}

const struct pv_step_def pv_steps_trace[] = {
	{"trace-start", do_trace_start, PV_STEP_DRIVER, "Opens and starts a PTT trace.",
	 PV_ARGS(ID, {"pmu", PV_ARG_TEXT, "hisi_ptt<sicl>_<core>", true},
		 {"filter", PV_ARG_NUMBER, "Root Port mask with bit 19, or Requester ID"},
		 {"type", PV_ARG_NUMBER, "1 posted, 2 non-posted, 4 completion"},
		 {"direction", PV_ARG_NUMBER, "0 to 3"}, {"format", PV_ARG_NUMBER, "0 4DW, 1 8DW"},
		 {"config", PV_ARG_NUMBER, "all of them as one number"},
		 {"aux", PV_ARG_NUMBER, "bytes of the AUX area", .def = "0"},
		 {"buffer", PV_ARG_NUMBER, "bytes of each of the four DMA buffers; 0: 4 MiB", .def = "0"},
		 {"per-task", PV_ARG_YESNO, "for one task", .def = "no"},
		 {"sampling", PV_ARG_YESNO, "with a sample period", .def = "no"},
		 {"snapshot", PV_ARG_YESNO, "AUX area in overwrite mode", .def = "no"}, PV_ARG_EXPECT)},
	{"trace-stop", do_trace_stop, PV_STEP_DRIVER, "Stops and closes a trace; what it gave is kept.",
	 PV_ARGS(ID, PV_ARG_EXPECT)},
	{"check-trace", do_check_trace, PV_STEP_CHECK | PV_STEP_LEDGER,
	 "The trace is what was on the wire, or its golden.",
	 PV_ARGS(ID, {"against", PV_ARG_CHOICE, "the truth or a golden", .def = "oracle", .choices = "oracle|golden"},
		 {"name", PV_ARG_TEXT, "of the golden; default plan.case.id"},
		 {"records-min", PV_ARG_NUMBER, "records that there must be", .def = "1"},
		 {"expect-flags", PV_ARG_CHOICE, "of the AUX data", .def = "none", .choices = "truncated|none"})},
	{"check-trace-overrun", do_check_overrun, PV_STEP_CHECK | PV_STEP_LEDGER,
	 "The trace is marked truncated, and right but for what is missing at the marks.", PV_ARGS(ID)},
	{"check-empty-trace", do_check_empty, PV_STEP_CHECK, "The trace holds nothing.", PV_ARGS(ID)},
	{NULL},
};
