/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a trace against what its link allows, without knowing what was on it: devices below the port send and are
 * answered, Time does not run backwards, and no stretch of TLPs is faster than the link.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/agent/checks.h"
#include "framework/agent/registers.h"
#include "framework/agent/traces.h"
#include "framework/util/cleanup.h"

/* A record of the stretch: the sums since the window's first record. */
struct sum {
	uint64_t ticks, bytes; /* up to and with this TLP */
};

/* One window of a trace, and the link that it was taken from. */
struct carried {
	struct pv_session *s;
	struct pv_session_trace *t;
	unsigned direction;
	bool is_8dw;
	bool time_is_distance;		 /* Time counts from the record before, and is no clock */
	unsigned secondary, subordinate; /* of the port */
	struct pv_link_rate link;
	double bytes_per_tick; /* in the directions of the trace; 0: the rate is not judged */
	size_t stretch;	       /* TLPs in a stretch */
	struct sum *sum;       /* of the last `stretch` records, a ring */
	size_t n;	       /* records since the sums began */
	size_t records;	       /* of the window */
	uint32_t time;	       /* of the record before */
};

/* A 4DW trace of completions A or B has TLPs of both directions (docs/hardware-notes.md). */
static bool has_both(const struct carried *c)
{
	return !c->is_8dw && c->direction >= PTT_DIR_B;
}

/* ---- who sends, who is answered ---- */

/* The function below the port: it sends what comes in, and what goes out answers it. */
static bool device_of(const struct carried *c, const struct pv_tlp *tlp, uint16_t *rid)
{
	enum pv_tlp_class class = pv_tlp_kinds[tlp->kind].cls;
	bool out = c->direction == PTT_DIR_OUT;

	*rid = class == PV_CLASS_COMPLETION && !out ? tlp->completer : tlp->requester;
	return !has_both(c) && class != PV_CLASS_NONE && (!out || class == PV_CLASS_COMPLETION);
}

static bool judge_sender(struct carried *c, const struct pv_record *r)
{
	uint16_t rid;
	char text[160] = "";

	if (!device_of(c, &r->tlp, &rid) || (PCI_BUS(rid) >= c->secondary && PCI_BUS(rid) <= c->subordinate))
		return true;
	pv_record_text(r, text, sizeof(text));
	pv_session_judge(c->s, false, text,
			 "trace %s: expected functions of buses %02x to %02x below the port, got %s in record %zu: %s",
			 c->t->id, c->secondary, c->subordinate, pv_bdf_text(rid).s, c->records, text);
	return false;
}

/* ---- time ---- */

/*
 * A clock of 32 bits goes round unseen. A step of half a turn or more may be a silence of any length, unless it is a
 * small step back: a silence that ends so near below a whole turn is taken for one, and one of little more than a turn
 * for a short one.
 */
#define HALF_A_TURN 0x80000000u
#define STEP_BACK   0x1000000u

/* Ticks from the record before. False: unknown, as full scale means "at least", and a clock may have gone round. */
static bool ticks_of(const struct carried *c, const struct pv_record *r, uint64_t *ticks)
{
	uint32_t full = c->is_8dw ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;

	*ticks = c->time_is_distance ? r->time : (uint32_t)(r->time - c->time);
	return c->time_is_distance ? r->time != full : *ticks < HALF_A_TURN;
}

static bool judge_order(struct carried *c, const struct pv_record *r)
{
	uint32_t back = c->time - r->time;

	if (c->time_is_distance || !c->is_8dw || !c->records || !back || back >= STEP_BACK)
		return true;
	pv_session_judge(c->s, false, NULL,
			 "trace %s: expected Time to run forward, got 0x%08x after 0x%08x in record %zu", c->t->id,
			 r->time, c->time, c->records);
	return false;
}

/* ---- the rate ---- */

/* The sums of the nth record from the end, from 1. */
static struct sum *sum_of(const struct carried *c, size_t nth)
{
	return &c->sum[(c->n - nth) % c->stretch];
}

/*
 * Judges the TLPs between the first and the last of the window's newest n: Time may be that of their first or of their
 * last symbol, and is cut to whole ticks: a clock once in a stretch, distances each.
 */
static bool judge_rate(struct carried *c, size_t n, double tolerance)
{
	const struct sum *first = sum_of(c, n), *before = sum_of(c, 2), *last = sum_of(c, 1);
	double bytes = (double)(before->bytes - first->bytes);
	uint64_t cut = c->time_is_distance ? n - 1 : 1;
	double most = (double)(last->ticks - first->ticks + cut) * c->bytes_per_tick * (1 + tolerance);

	if (bytes <= most)
		return true;
	pv_session_judge(c->s, false, NULL,
			 "trace %s: expected at most %.0f bytes in %" PRIu64
			 " ticks of a link of x%u at %.1f GT/s, got %.0f in the %zu TLPs between records %zu and %zu",
			 c->t->id, most, last->ticks - first->ticks, c->link.width, c->link.speed_mt / 1e3, bytes,
			 n - 2, c->records - n, c->records - 1);
	return false;
}

/* Adds a record to the sums; they begin again at a gap of unknown length. */
static void add(struct carried *c, const struct pv_record *r)
{
	uint64_t ticks;
	bool known = ticks_of(c, r, &ticks);
	struct sum *before = c->n ? sum_of(c, 1) : NULL, sum = {0};

	if (!known || !before)
		c->n = 0;
	else
		sum = (struct sum){before->ticks + ticks, before->bytes + pv_tlp_wire_bytes(&r->tlp, r->prefix != 0)};
	c->sum[c->n++ % c->stretch] = sum;
	c->time = r->time;
	c->records++;
}

/* Judges the newest stretch, or at the end of a window (`all`) what is shorter. */
static bool judge_stretch(struct carried *c, double tolerance, bool all)
{
	size_t n = c->n < c->stretch ? c->n : c->stretch;

	if (!(c->bytes_per_tick > 0) || n < 3 || (!all && n < c->stretch))
		return true;
	return judge_rate(c, n, tolerance);
}

/* ---- the check ---- */

/* Judges one window; false: it failed, judged. */
static bool judge_window(struct carried *c, size_t window, double tolerance)
{
	struct pv_trace_slice slice = pv_trace_slice(c->t, window);
	struct pv_record r;

	c->n = c->records = 0;
	for (size_t at = slice.begin, size; at < slice.end; at += size) {
		size = pv_check_trace_record(c->s, c->t, at, &r);
		if (!size || !judge_sender(c, &r) || !judge_order(c, &r))
			return false;
		add(c, &r);
		if (!judge_stretch(c, tolerance, false))
			return false;
	}
	return judge_stretch(c, tolerance, true);
}

/* A clock of 11 bits goes round every 2048 ticks, and nothing tells how often it does between two records. */
static void set_up_rate(struct pv_session *s, struct carried *c)
{
	const char *why = c->link.flits			       ? "the link is in Flit Mode"
			  : !c->is_8dw && !c->time_is_distance ? "a 4DW trace has a clock of 11 bits, which goes round"
			  : !(s->t->ptt_tick_hz > 0)	       ? "the length of a tick is unknown"
							       : NULL;
	char text[128];

	if (!why) {
		c->bytes_per_tick = pv_link_bytes_per_s(&c->link) / s->t->ptt_tick_hz * (has_both(c) ? 2 : 1);
		return;
	}
	snprintf(text, sizeof(text), "%s: the rate of the trace is not judged", why);
	pv_emit_log(s->emit, "info", text);
}

static int set_up(struct pv_session *s, const struct pv_args *a, struct carried *c)
{
	const struct pv_topo_node *port = pv_session_node(s, pv_arg_text(a, "port"));
	uint64_t secondary, subordinate;

	const struct pv_topo_node *ptt = pv_check_trace_ptt(s, c->t->pmu);
	if (!port || !ptt)
		return -1;
	c->direction = pv_trace_term(c->t, "direction");
	c->is_8dw = pv_trace_term(c->t, "format") == 1;
	c->time_is_distance =
		pv_arg_has(a, "time") ? pv_arg_choice(a, "time") == PV_PTT_TIME_DISTANCE : ptt->time_is_distance;
	if ((pv_trace_term(c->t, "filter") & (PTT_FILTER_IS_PORT | PTT_FILTER_VALUE_MASK)) !=
	    (PTT_FILTER_IS_PORT | PTT_FILTER_PORT_BIT(port->bdf)))
		return pv_session_plan_error(s, "trace %s: expected one with the filter of %s alone", c->t->id,
					     port->name);
	if (pv_registers_read(s, port->bdf, -1, PCI_SECONDARY_BUS, 1, &secondary) ||
	    pv_registers_read(s, port->bdf, -1, PCI_SUBORDINATE_BUS, 1, &subordinate) ||
	    pv_registers_link(s, port->bdf, &c->link))
		return -1;
	c->secondary = (unsigned)secondary;
	c->subordinate = (unsigned)subordinate;
	set_up_rate(s, c);
	return 0;
}

static int do_check_trace_link(struct pv_session *s, const struct pv_args *a)
{
	struct carried c = {.s = s, .t = pv_check_trace_stopped(s, a), .stretch = pv_arg_number(a, "stretch")};
	size_t least = pv_arg_number(a, "records-min");

	if (!c.t || set_up(s, a, &c))
		return -1;
	if (!pv_check_trace_whole(s, c.t))
		return 0;
	_autofree_ struct sum *sum = c.sum = calloc(c.stretch, sizeof(*sum));
	if (!sum)
		return -1;
	for (size_t i = 0; i < c.t->windows; i++) {
		if (!judge_window(&c, i, pv_arg_real(a, "tolerance")))
			return 0;
		if (c.records < least)
			return pv_session_plan_error(
				s, "trace %s: expected at least %zu records, got %zu: the check proves nothing",
				c.t->id, least, c.records);
	}
	return pv_session_judge(s, true, NULL, "trace %s: its link allows what it has", c.t->id);
}

const struct pv_step_def pv_checks_link[] = {
	{"check-trace-link", do_check_trace_link, PV_STEP_CHECK},
	{NULL},
};
