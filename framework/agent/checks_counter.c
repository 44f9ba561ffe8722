/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks counts against the truth. The event is decoded from a counter's config words by the format of
 * docs/hardware-notes.md, here and not in the driver.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/agent/checks.h"
#include "framework/util/cleanup.h"

void pv_check_golden_clean(char *name)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

	for (char *p = name; *p; p++)
		if (!strchr(ok, *p))
			*p = '_';
}

void pv_check_golden_name(struct pv_session *s, const struct pv_args *a, const char *id, char *buf, size_t size)
{
	const char *name = pv_arg_text(a, "name");

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%s.%s%s%s", s->plan, s->case_name, id ? "." : "", id ? id : "");
	pv_check_golden_clean(buf);
}

int pv_check_golden_refused(struct pv_session *s, int err, const struct pv_error *e)
{
	pv_session_problem(s, PV_EMIT_ERROR, err == -EEXIST ? "plan" : "infrastructure", NULL, "%s", e->text);
	return -1;
}

/* ---- the expected count ---- */

static uint64_t term(const struct pv_counter *c, const char *name)
{
	return pv_event_doc_term(c->pmu, name, c->config);
}

int pv_check_cpmu_event(const struct pv_counter *c, struct pv_cpmu_query *e)
{
	unsigned mem, instance;

	if (sscanf(c->pmu, "cxl_pmu_mem%u.%u", &mem, &instance) != 2)
		return -ENOENT;
	if (c->parent < 0)
		return -ENODEV;
	*e = (struct pv_cpmu_query){
		.device = (pv_bdf)c->parent,
		.mask = (uint32_t)term(c, "mask"),
		.gid = (uint16_t)term(c, "gid"),
		.vid = (uint16_t)term(c, "vid"),
		.threshold = (unsigned)term(c, "threshold"),
		.invert = term(c, "invert"),
		.edge = term(c, "edge"),
		.hdm_enable = term(c, "hdm_filter_en"),
		.hdm = (uint16_t)term(c, "hdm"),
		.crb_enable = term(c, "crb_filter_en"),
		.crb = (uint32_t)term(c, "crb"),
	};
	return 0;
}

int pv_check_dwc_event(const struct pv_counter *c, struct pv_dwc_query *e)
{
	unsigned port;
	int end = 0;

	if (sscanf(c->pmu, "dwc_rootport_%8x%n", &port, &end) != 1 || c->pmu[end])
		return -ENOENT;
	*e = (struct pv_dwc_query){
		.root_port = port,
		.eventid = (uint16_t)term(c, "eventid"),
		.lane_event = term(c, "type") == 1,
		.lane = (unsigned)term(c, "lane"),
	};
	return 0;
}

int pv_check_counter_truth(struct pv_session *s, const struct pv_counter *c, const struct pv_window *w,
			   struct pv_bounds *b)
{
	struct pv_cpmu_query cpmu;
	struct pv_dwc_query dwc;
	struct pv_ledger *l = s->t->truth->ops->ledger(s->t->truth);
	int err = pv_check_cpmu_event(c, &cpmu);

	if (err != -ENOENT)
		return err ? err : pv_oracle_cpmu(l, w, &cpmu, b);
	if (!pv_check_dwc_event(c, &dwc))
		return pv_oracle_dwc(l, w, &dwc, b);
	return -ENOENT;
}

void pv_check_counter_unknown(struct pv_session *s, const struct pv_counter *c, int err)
{
	bool plan = err == -ENOENT || err == -EINVAL || err == -EDOM;

	pv_session_problem(s, PV_EMIT_ERROR, plan ? "plan" : "infrastructure", NULL,
			   "counter %s on %s, config 0x%" PRIx64 ": what is right is not known: %s", c->id, c->pmu,
			   c->config[0], err == -EDOM ? "the specification leaves it undefined" : pv_errno_name(err));
}

/* A counter that was started several times counts in each of its windows. */
static int truth(struct pv_session *s, const struct pv_counter *c, struct pv_bounds *sum)
{
	*sum = (struct pv_bounds){0};
	for (size_t i = 0; i < c->windows; i++) {
		struct pv_bounds b;
		int err = pv_check_counter_truth(s, c, &c->win[i], &b);

		if (err) {
			pv_check_counter_unknown(s, c, err);
			return err;
		}
		sum->min += b.min;
		sum->max += b.max;
	}
	return 0;
}

/* ---- judging ---- */

static int judge(struct pv_session *s, const struct pv_args *a, const struct pv_counter *c, struct pv_bounds b,
		 const char *whence)
{
	double tolerance = pv_arg_real(a, "tolerance");
	char text[256];

	if (b.min < pv_arg_number(a, "min-value"))
		return pv_session_plan_error(s,
					     "counter %s: expected at least %" PRIu64 " from the %s, got %" PRIu64
					     ": the check proves nothing",
					     c->id, pv_arg_number(a, "min-value"), whence, b.min) < 0;
	double min = (double)b.min * (1 - tolerance), max = (double)b.max * (1 + tolerance);
	bool ok = tolerance > 0 ? (double)c->value >= min && (double)c->value <= max
				: c->value >= b.min && c->value <= b.max;
	snprintf(text, sizeof(text),
		 "pmu %s\nconfig 0x%016" PRIx64 "\nconfig1 0x%016" PRIx64 "\nconfig2 0x%016" PRIx64 "\nwindows %zu",
		 c->pmu, c->config[0], c->config[1], c->config[2], c->windows);
	if (b.min == b.max && !(tolerance > 0))
		return pv_session_judge(s, ok, text, "counter %s: expected %" PRIu64 " (%s), got %" PRIu64 ": %s",
					c->id, b.min, whence, c->value, c->what);
	if (!(tolerance > 0)) /* a double cannot hold all digits */
		return pv_session_judge(s, ok, text,
					"counter %s: expected %" PRIu64 " to %" PRIu64 " (%s), got %" PRIu64 ": %s",
					c->id, b.min, b.max, whence, c->value, c->what);
	return pv_session_judge(s, ok, text, "counter %s: expected %.0f to %.0f (%s), got %" PRIu64 ": %s", c->id, min,
				max, whence, c->value, c->what);
}

static int record_golden(struct pv_session *s, const struct pv_args *a, const struct pv_counter *c, const char *name)
{
	struct pv_error e = {0};
	double tolerance = pv_arg_real(a, "tolerance");
	struct pv_golden_source src = pv_session_source(s);
	const char *staging = pv_session_golden(s, "staging"), *folder = staging ? staging : ".";
	int err = tolerance > 0 ? pv_golden_stage_baseline(folder, name, &src, c->id, c->value, tolerance, &e)
				: pv_golden_stage_counter(folder, name, &src, c->id, c->value, &e);

	return err ? pv_check_golden_refused(s, err, &e)
		   : pv_session_judge(s, true, NULL, "counter %s: recorded in golden %s", c->id, name);
}

static int against_golden(struct pv_session *s, const struct pv_args *a, const struct pv_counter *c)
{
	char name[256];
	struct pv_error e = {0};
	uint64_t value;

	pv_check_golden_name(s, a, NULL, name, sizeof(name));
	const char *mode = pv_session_golden(s, "mode"), *folder = pv_session_golden(s, "folder");
	if (mode && !strcmp(mode, "record"))
		return record_golden(s, a, c, name);
	if (!pv_golden_get_counter(folder ? folder : "fixtures/golden", name, c->id, &value, &e))
		return judge(s, a, c, (struct pv_bounds){value, value}, "golden");
	pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "%s; make it with `pcieval golden regen`", e.text);
	return 0;
}

static int against_value(struct pv_session *s, const struct pv_args *a, const struct pv_counter *c)
{
	struct pv_bounds b = {0, UINT64_MAX};

	if (!pv_arg_has(a, "equals") && !pv_arg_has(a, "min") && !pv_arg_has(a, "max"))
		return pv_session_plan_error(s, "expected equals, min or max, got none of them");
	if (pv_arg_has(a, "equals"))
		b.min = b.max = pv_arg_number(a, "equals");
	if (pv_arg_has(a, "min"))
		b.min = pv_arg_number(a, "min");
	if (pv_arg_has(a, "max"))
		b.max = pv_arg_number(a, "max");
	bool ok = c->value >= b.min && c->value <= b.max;
	if (b.min == b.max)
		return pv_session_judge(s, ok, NULL, "counter %s: expected %" PRIu64 ", got %" PRIu64 ": %s", c->id,
					b.min, c->value, c->what);
	if (b.max == UINT64_MAX)
		return pv_session_judge(s, ok, NULL, "counter %s: expected at least %" PRIu64 ", got %" PRIu64 ": %s",
					c->id, b.min, c->value, c->what);
	return pv_session_judge(s, ok, NULL, "counter %s: expected %" PRIu64 " to %" PRIu64 ", got %" PRIu64 ": %s",
				c->id, b.min, b.max, c->value, c->what);
}

bool pv_check_counter_documented(struct pv_session *s, const struct pv_counter *c)
{
	static const char *const words[] = {"config", "config1", "config2"};
	const struct pv_event_doc *d = &c->documented;
	const struct pv_event_config want = pv_event_doc_apply(d, c->config);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (want.word[i] == c->config[i])
			continue;
		pv_session_judge(s, false, NULL,
				 "counter %s: %s: expected %s 0x%016" PRIx64 " (documented), got 0x%016" PRIx64
				 " by the driver's %s%s%sformat/",
				 c->id, c->what, words[i], want.word[i], c->config[i], *d->name ? "events/" : "",
				 d->name, *d->name ? " and " : "");
		return false;
	}
	return true;
}

struct pv_counter *pv_check_counter_ran(struct pv_session *s, const char *id)
{
	struct pv_counter *c = pv_session_counter(s, id);

	if (c && !(c->read && c->windows)) {
		pv_session_plan_error(s, "counter %s: expected it to have been started and read", id);
		return NULL;
	}
	return c && pv_check_counter_documented(s, c) ? c : NULL;
}

enum { ORACLE, GOLDEN, VALUE };

/* Refuses attributes that would be ignored silently: equals= with the oracle looks like a check but checks nothing. */
static int check_attributes(struct pv_session *s, const struct pv_args *a, int against)
{
	static const struct {
		const char *name;
		bool with; /* else without */
		int reference;
	} only[] = {
		{"equals", true, VALUE},     {"min", true, VALUE},	  {"max", true, VALUE},
		{"tolerance", false, VALUE}, {"min-value", false, VALUE}, {"name", true, GOLDEN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(only); i++)
		if (pv_arg_has(a, only[i].name) && (against == only[i].reference) != only[i].with)
			return pv_session_plan_error(s, "%s: expected it only %s against=\"%s\"", only[i].name,
						     only[i].with ? "with" : "without",
						     only[i].reference == VALUE ? "value" : "golden");
	return 0;
}

static int do_check_counter(struct pv_session *s, const struct pv_args *a)
{
	struct pv_bounds b;
	int against = pv_arg_choice(a, "against");

	if (check_attributes(s, a, against))
		return -1;
	/* The value may also belong to an event that never ran. */
	struct pv_counter *c = against == VALUE ? pv_session_counter(s, pv_arg_text(a, "id")) : NULL;
	if (!c || !c->read)
		c = pv_check_counter_ran(s, pv_arg_text(a, "id"));
	if (!c || !pv_check_counter_documented(s, c))
		return -1;
	switch (against) {
	case GOLDEN:
		return against_golden(s, a, c);
	case VALUE:
		return against_value(s, a, c);
	}
	if (!pv_has(s->t->truth, ledger))
		return pv_session_unsupported(s, "wire ledger");
	return truth(s, c, &b) ? -1 : judge(s, a, c, b, "wire");
}

static int do_check_share(struct pv_session *s, const struct pv_args *a)
{
	const char *list = pv_arg_text(a, "ids");
	char first[PV_ID_MAX], second[PV_ID_MAX], more[PV_ID_MAX];

	if (!pv_word_next(&list, first, sizeof(first)) || !pv_word_next(&list, second, sizeof(second)) ||
	    pv_word_next(&list, more, sizeof(more)) || !strcmp(first, second))
		return pv_session_plan_error(s, "ids: expected two counters, got \"%s\"", pv_arg_text(a, "ids"));
	struct pv_counter *c = pv_check_counter_ran(s, first), *of = c ? pv_check_counter_ran(s, second) : NULL;
	if (!of)
		return -1;
	double min = pv_arg_real(a, "min"), max = pv_arg_real(a, "max");
	double share = of->value ? (double)c->value / (double)of->value : -1;
	return pv_session_judge(s, of->value && share >= min && share <= max, NULL,
				"%s / %s: expected %g to %g, got %g (%" PRIu64 " / %" PRIu64 ")", first, second, min,
				max, share, c->value, of->value);
}

/* The states that aux_clk counts, and those whose numbers differ between cores, have no known length of a cycle. */
static bool counts_core_clk(const struct pv_counter *c)
{
	struct pv_dwc_query e;

	return !pv_check_dwc_event(c, &e) && !e.lane_event && e.eventid >= 1 && e.eventid <= 7 && e.eventid != 5 &&
	       e.eventid != 6;
}

/* Report 0x00 of the same core. */
static bool is_cycle_of(const struct pv_counter *cycle, const struct pv_counter *c)
{
	struct pv_dwc_query e;

	return !pv_check_dwc_event(cycle, &e) && !e.lane_event && !e.eventid && !strcmp(cycle->pmu, c->pmu);
}

static double windows_ps(const struct pv_counter *c)
{
	double ps = 0;

	for (size_t i = 0; i < c->windows; i++)
		ps += (double)(c->win[i].inner_end_ps - c->win[i].inner_begin_ps);
	return ps;
}

static int do_check_residency(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = pv_check_counter_ran(s, pv_arg_text(a, "id"));
	struct pv_counter *cycle = c ? pv_check_counter_ran(s, pv_arg_text(a, "cycle")) : NULL;

	if (!cycle)
		return -1;
	if (!counts_core_clk(c))
		return pv_session_plan_error(s, "counter %s: expected a link state that core_clk counts, got %s", c->id,
					     c->what);
	if (!is_cycle_of(cycle, c))
		return pv_session_plan_error(s, "counter %s: expected one_cycle of %s, got %s", cycle->id, c->pmu,
					     cycle->what);
	double min = pv_arg_real(a, "min"), max = pv_arg_real(a, "max"), of = windows_ps(c);
	if (!(of > 0))
		return pv_session_unsupported(s, "the length of a counter's window");
	double cycle_ps = (double)cycle->value / (double)cycle->windows; /* every window reported it once */
	double share = (double)c->value * cycle_ps / of;
	return pv_session_judge(s, cycle_ps > 0 && share >= min && share <= max, NULL,
				"residency of %s: expected %g to %g, got %g (%" PRIu64 " cycles of %g ps in %.0f ns)",
				c->what, min, max, share, c->value, cycle_ps, of / 1000);
}

/* poll(2) knows more bits; those that perf sets have names. */
static void revents_text(uint32_t revents, char out[32])
{
	static const struct {
		uint32_t bit;
		const char *name;
	} bits[] = {{POLLIN, "in"}, {POLLERR, "err"}, {POLLHUP, "hup"}};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (revents & bits[i].bit)
			n += (size_t)snprintf(out + n, 32 - n, "%s%s", n ? "+" : "", bits[i].name);
	if (!n)
		snprintf(out, 32, revents ? "0x%" PRIx32 : "none", revents);
}

static int expect_open(struct pv_session *s, const struct pv_counter *c)
{
	return c->event ? 0
			: pv_session_plan_error(s, "counter %s: expected an open one, got one that is closed", c->id);
}

static int do_check_poll(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = pv_session_counter(s, pv_arg_text(a, "id"));
	const char *want = pv_arg_text(a, "equals");
	uint32_t revents = 0;
	char got[32];

	if (!pv_has(s->t->driver, event_poll))
		return pv_session_unsupported(s, "files of events");
	if (!c || expect_open(s, c))
		return -1;
	int err = s->t->driver->ops->event_poll(s->t->driver, c->event, &revents);
	if (err)
		return pv_session_expect(s, err, NULL, "polling counter %s on %s", c->id, c->pmu);
	revents_text(revents, got);
	return pv_session_judge(s, !strcmp(got, want), NULL, "poll(2) of counter %s: expected %s, got %s: %s", c->id,
				want, got, c->what);
}

/* Returns the share of its enabled time in which a counter had a hardware counter. */
static int do_check_running(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = pv_check_counter_ran(s, pv_arg_text(a, "id"));
	uint64_t enabled = 0, running = 0;

	if (!pv_has(s->t->driver, event_times))
		return pv_session_unsupported(s, "times of events");
	if (!c || expect_open(s, c))
		return -1;
	int err = s->t->driver->ops->event_times(s->t->driver, c->event, &enabled, &running);
	double share = enabled ? (double)running / (double)enabled : -1, min = pv_arg_real(a, "min");
	return pv_session_judge(s, !err && share >= min && share <= pv_arg_real(a, "max"), NULL,
				"counter %s: expected it to run for %g to %g of the time, got %g (%" PRIu64
				" of %" PRIu64 " ns): %s",
				c->id, min, pv_arg_real(a, "max"), share, running, enabled, c->what);
}

const struct pv_step_def pv_checks_counter[] = {
	{"check-counter", do_check_counter, PV_STEP_CHECK},
	{"check-running", do_check_running, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-poll", do_check_poll, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-share", do_check_share, PV_STEP_CHECK},
	{"check-residency", do_check_residency, PV_STEP_CHECK},
	{NULL},
};
