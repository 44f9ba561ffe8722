/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks, measures of a stretch of the wire ledger, and what they must be. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/agent/checks.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

static int do_mark(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_name(s, &s->marks, pv_arg_text(a, "id"));

	if (!m)
		return -1;
	pv_window_outer_begin(s, &m->win);
	pv_window_inner_begin(s, &m->win);
	return 0;
}

/* From the mark (or the start of the ledger) until now. Nothing moves in between, so both windows are equal. */
static int window_since(struct pv_session *s, const char *mark, struct pv_window *w)
{
	*w = (struct pv_window){0};
	if (mark) {
		struct pv_named *m = pv_session_named(s, s->marks, "mark", mark);

		if (!m)
			return -1;
		*w = m->win;
	}
	pv_window_inner_end(s, w);
	pv_window_outer_end(s, w);
	return 0;
}

static unsigned classes_of(const char *list)
{
	static const char *const names[] = {"p", "np", "cpl"};
	unsigned mask = 0;

	for (unsigned i = 0; list && i < 3; i++)
		if (pv_word_in(list, names[i]))
			mask |= 1u << i;
	return mask;
}

static int run_measure(struct pv_session *s, const struct pv_window *w, const struct pv_measure_spec *spec, double *out)
{
	static const char *const of[] = {
		[PV_MEASURE_SHARE] = "TLPs",
		[PV_MEASURE_BURST] = "TLPs",
		[PV_MEASURE_MEAN_PAYLOAD] = "TLPs with payload",
		[PV_MEASURE_MAX_PAYLOAD] = "TLPs with payload",
		[PV_MEASURE_MAX_READ] = "memory reads",
		[PV_MEASURE_OFF_BOUNDARY] = "completions with data",
		[PV_MEASURE_OUT_OF_ORDER] = "posted requests, and others that must not pass them",
	};
	int err = pv_oracle_measure(s->t->truth->ops->ledger(s->t->truth), w, spec, out);

	if (err == -ENODATA)
		pv_session_plan_error(s, "expected %s, got none: the measure proves nothing", of[spec->what]);
	else if (err == -EXDEV)
		pv_session_plan_error(s,
				      "expected the same TLPs on both links: traffic was under way, or went elsewhere");
	else if (err)
		pv_session_plan_error(s, "cannot be measured: %s", pv_errno_name(err));
	return err;
}

/* Fills the port of the link before, which only an order has. */
static int take_via(struct pv_session *s, const struct pv_args *a, struct pv_measure_spec *spec)
{
	bool wanted = spec->what == PV_MEASURE_OUT_OF_ORDER;

	if (pv_arg_has(a, "via") != wanted)
		return pv_session_plan_error(s, "via: expected it with what=\"out-of-order\" and nothing else");
	return wanted ? pv_session_bdf(s, pv_arg_text(a, "via"), &spec->via) : 0;
}

static int do_measure(struct pv_session *s, const struct pv_args *a)
{
	struct pv_window w;
	struct pv_measure_spec spec = {
		.what = (enum pv_measure)pv_arg_choice(a, "what"),
		.dir = pv_arg_choice(a, "dir") ? PV_WIRE_OUT : PV_WIRE_IN,
		.classes = classes_of(pv_arg_text(a, "class")),
	};
	double value;
	char text[160];
	const struct pv_topo_node *port = pv_session_node(s, pv_arg_text(a, "port"));

	if (!port)
		return -1;
	const struct pv_link_rate link = pv_link_rate_of(port->speed, port->width);
	spec.port = port->bdf;
	/* Functions complete at 128 bytes, a Root Complex as its ports say (PCIe 5.0 2.3.1.1, 7.5.3.7). */
	spec.boundary = spec.dir == PV_WIRE_IN ? 128 : port->rcb ? port->rcb : 64;
	spec.link_bytes_per_s = pv_link_bytes_per_s(&link);
	int of_one = pv_session_requester(s, a, &spec.requester);
	spec.of_requester = of_one > 0;
	if (of_one < 0 || take_via(s, a, &spec) || window_since(s, pv_arg_text(a, "since"), &w) ||
	    run_measure(s, &w, &spec, &value))
		return -1;
	struct pv_named *m = pv_session_name(s, &s->measures, pv_arg_text(a, "id"));
	if (!m)
		return -1;
	m->value = value;
	snprintf(m->what, sizeof(m->what), "%s at %s %s", pv_arg_text(a, "what"), port->name, pv_arg_text(a, "dir"));
	snprintf(text, sizeof(text), "measure %s: %s = %.9g", m->id, pv_arg_text(a, "what"), value);
	pv_emit_log(s->emit, "info", text);
	return 0;
}

static int do_check_measure(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_named(s, s->measures, "measure", pv_arg_text(a, "id"));

	if (!m)
		return -1;
	/* Time may pass a little differently in another run. */
	pv_session_learn(s, "min", "%.9f", m->value - fabs(m->value) / 100);
	pv_session_learn(s, "max", "%.9f", m->value + fabs(m->value) / 100);
	bool exact = pv_arg_has(a, "equals");
	double min = exact ? pv_arg_real(a, "equals") : pv_arg_has(a, "min") ? pv_arg_real(a, "min") : -INFINITY;
	double max = exact ? min : pv_arg_has(a, "max") ? pv_arg_real(a, "max") : INFINITY;
	char want[80];
	if (exact)
		snprintf(want, sizeof(want), "%.9g", min);
	else if (isinf(max))
		snprintf(want, sizeof(want), "%.9g or more", min);
	else if (isinf(min))
		snprintf(want, sizeof(want), "%.9g or less", max);
	else
		snprintf(want, sizeof(want), "%.9g to %.9g", min, max);
	return pv_session_judge(s, m->value >= min && m->value <= max, NULL, "measure %s: expected %s, got %.9g: %s",
				m->id, want, m->value, m->what);
}

/* ---- check-order ---- */

/* A counter or a measure. */
static int value_of(struct pv_session *s, const char *id, double *out)
{
	for (struct pv_named *m = s->measures; m; m = m->next)
		if (!strcmp(m->id, id)) {
			*out = m->value;
			return 0;
		}
	struct pv_counter *c = pv_check_counter_ran(s, id);
	if (!c)
		return -1;
	*out = (double)c->value;
	return 0;
}

enum { INCREASING, DECREASING, EQUAL, NONDECREASING };

/* Refuses what would be ignored, and what makes 0 equal to anything. */
static int check_by(struct pv_session *s, int relation, double by)
{
	if (relation == NONDECREASING && by != 0)
		return pv_session_plan_error(s, "by: expected it only without relation=\"nondecreasing\", got %g", by);
	if (relation == EQUAL && by >= 1)
		return pv_session_plan_error(s, "by: expected less than 1 with relation=\"equal\", got %g", by);
	return 0;
}

/* A value compared with itself is always equal. */
static int check_distinct(struct pv_session *s, const char *list)
{
	char id[PV_ID_MAX];

	while (pv_word_next(&list, id, sizeof(id)))
		if (pv_word_in(list, id))
			return pv_session_plan_error(s, "ids: expected each value once, got \"%s\" again", id);
	return 0;
}

/* Least relative step between neighbours counts, for "equal" the largest that is allowed. */
static bool in_order(int relation, double a, double b, double by)
{
	double step = fabs(a) > 0 ? (b - a) / fabs(a) : b - a;

	switch (relation) {
	case INCREASING:
		return b > a && step >= by;
	case DECREASING:
		return b < a && -step >= by;
	case EQUAL:
		return fabs(step) <= by;
	default:
		return b >= a;
	}
}

static int do_check_order(struct pv_session *s, const struct pv_args *a)
{
	const char *list = pv_arg_text(a, "ids");
	char id[PV_ID_MAX], text[512] = "";
	double last = 0, value, by = pv_arg_real(a, "by");
	size_t n = 0, len = 0;
	int relation = pv_arg_choice(a, "relation");
	bool ok = true, any = false;

	if (check_by(s, relation, by) || check_distinct(s, list))
		return -1;
	while (pv_word_next(&list, id, sizeof(id))) {
		if (value_of(s, id, &value))
			return -1;
		ok &= !n++ || in_order(relation, last, value, by);
		any |= value != 0;
		last = value;
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s=%.6g", id, value);
	}
	if (n < 2)
		return pv_session_plan_error(s, "ids: expected two or more, got \"%s\"", pv_arg_text(a, "ids"));
	if (ok && !any)
		return pv_session_plan_error(s, "expected a value other than 0, got%s: the check proves nothing", text);
	return pv_session_judge(s, ok, NULL, "expected %s by %g, got%s", pv_arg_text(a, "relation"), by, text);
}

/* ---- check-throughput ---- */

/* MPS of the port and MRRS of the function below it, as they stand now. */
static void sizes_now(struct pv_session *s, const struct pv_topo_node *port, unsigned *mps, unsigned *mrrs)
{
	_autofree_ struct pv_cfg_image *list = NULL;
	size_t n = 0;

	*mps = port->mps;
	*mrrs = port->mrrs;
	if (!pv_has(s->t->truth, cfg_images) || s->t->truth->ops->cfg_images(s->t->truth, &list, &n))
		return;
	const struct pv_cfg_image *below =
		pv_image_at(list, n, PCI_IN_DOMAIN(PCI_DOMAIN(port->bdf), PCI_BDF(port->secondary, 0, 0)));
	pv_image_sizes(pv_image_at(list, n, port->bdf), mps, NULL);
	pv_image_sizes(below, NULL, mrrs);
}

/* Writes of which a share has the shorter headers of 3 DW. */
static double ceiling_write(const struct pv_link_rate *link, unsigned size, unsigned mps, double short_writes)
{
	double with_4dw = pv_ceiling_write(link, size, mps, true, 0);

	if (with_4dw <= 0)
		return 0;
	return 1 / (short_writes / pv_ceiling_write(link, size, mps, false, 0) + (1 - short_writes) / with_4dw);
}

/*
 * The bandwidth counts whole DWs, and so does the ceiling. From one DW on, a read puts as much into its completions as
 * into its request, whatever the header.
 */
static double ceiling(struct pv_session *s, const struct pv_args *a, const struct pv_topo_node *port,
		      double short_writes)
{
	const struct pv_link_rate link = pv_link_rate_of(port->speed, port->width);
	unsigned size = ((unsigned)pv_arg_number(a, "size") + 3) & ~3u, mps, mrrs;

	sizes_now(s, port, &mps, &mrrs);
	if (pv_arg_has(a, "mps"))
		mps = (unsigned)pv_arg_number(a, "mps");
	if (pv_arg_has(a, "mrrs"))
		mrrs = (unsigned)pv_arg_number(a, "mrrs");
	return pv_arg_choice(a, "op") ? ceiling_write(&link, size, mps, short_writes)
				      : pv_ceiling_read(&link, size, mps, mrrs, port->rcb, true);
}

/* Of floating-point arithmetic only: the bandwidth itself never exceeds what the link carries. */
#define ROUNDING (1 + 1e-12)

static int do_check_throughput(struct pv_session *s, const struct pv_args *a)
{
	const struct pv_topo_node *port = pv_session_node(s, pv_arg_text(a, "port"));
	struct pv_window w;
	double got, short_writes;

	if (!port || window_since(s, pv_arg_text(a, "since"), &w))
		return -1;
	struct pv_measure_spec spec = {
		.what = PV_MEASURE_BANDWIDTH,
		.port = port->bdf,
		.dir = pv_arg_choice(a, "dir") ? PV_WIRE_OUT : PV_WIRE_IN,
		.classes = pv_arg_choice(a, "op") ? PV_CLASS_POSTED : PV_CLASS_COMPLETION,
	};
	if (run_measure(s, &w, &spec, &got))
		return -1;
	spec.what = PV_MEASURE_SHORT_WRITES;
	if (run_measure(s, &w, &spec, &short_writes))
		return -1;
	double max = ceiling(s, a, port, short_writes), share = max > 0 ? got / max : 0;
	double least = pv_arg_real(a, "min-share"), most = pv_arg_real(a, "max-share");
	return pv_session_judge(s, share >= least && share <= most * ROUNDING, NULL,
				"%s at %s: expected %g to %g of the ceiling of %.0f MB/s, got %.6f of it (%.0f MB/s)",
				pv_arg_text(a, "op"), port->name, least, most, max / 1e6, share, got / 1e6);
}

const struct pv_step_def pv_steps_measure[] = {
	{"mark", do_mark, PV_STEP_LEDGER},
	{"measure", do_measure, PV_STEP_LEDGER},
	{"check-measure", do_check_measure, PV_STEP_CHECK},
	{"check-order", do_check_order, PV_STEP_CHECK},
	{"check-throughput", do_check_throughput, PV_STEP_CHECK | PV_STEP_LEDGER},
	{NULL},
};
