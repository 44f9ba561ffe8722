/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches a case that is rehearsed on the models: between steps it reads what was added to the register log, the wire
 * ledger and the driver's log, and looks at counters and traces. Reading has no side effect.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/session.h"
#include "framework/explore/element.h"
#include "framework/explore/explore.h"
#include "framework/explore/fields.h"
#include "framework/explore/states.h"
#include "framework/schema/schema.h"
#include "framework/target/hw.h"
#include "framework/util/hash.h"

enum { REGS = 1024, LAST_MAX = 64, NAME_SIZE = 200 };

/* A register that was accessed: what it is called, and which of its bits are told apart. */
struct reg {
	bool used;
	uint64_t key;
	struct pv_reg_fields fields;
};

/* The last state of a function, a port or an object of the plan, with a name. */
struct last {
	uint64_t what, state, value;
	const char *name; /* of a constant */
	char how;	  /* behind the name */
};

struct pv_observer {
	struct pv_states *known;
	json_object *fresh;
	size_t steps;	  /* seen so far */
	uint64_t noted;	  /* register accesses ... */
	uint64_t records; /* records of the wire ... */
	size_t lines;	  /* lines of the driver's log ... */
	struct pv_hw_config config;
	struct reg reg[REGS];
	struct last last[LAST_MAX];
	unsigned n_last;
};

struct pv_observer *pv_observer_new(struct pv_states *known)
{
	struct pv_observer *w = calloc(1, sizeof(*w));

	if (w)
		w->known = known;
	return w;
}

json_object *pv_observer_end(struct pv_observer *w)
{
	json_object *fresh = w ? w->fresh : NULL;

	free(w);
	return fresh;
}

/* ---- one state ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;

	return h ^ h >> 32;
}

static void tell(struct pv_observer *w, uint64_t state, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void tell(struct pv_observer *w, uint64_t state, const char *fmt, ...)
{
	char name[NAME_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (!w->fresh)
		w->fresh = json_object_new_object();
	pv_json_uint(w->fresh, name, state);
}

/* Returns true if the caller has to name it. */
static bool is_fresh(struct pv_observer *w, uint64_t state)
{
	return pv_states_add(w->known, state);
}

/* Writes "TRACE_STS R 0x1", or "counter-open refused". */
static const char *text_of(const struct last *l, char out[64])
{
	if (l->how == 'R' || l->how == 'W' || l->how == 'S')
		snprintf(out, 64, "%s %c 0x%" PRIx64, l->name, l->how, l->value);
	else
		snprintf(out, 64, "%s%s", l->name, l->how == 'E' ? " refused" : "");
	return out;
}

/* Notes what comes now, and tells it with what came before, if that is another. */
static void note_order(struct pv_observer *w, const struct last *now)
{
	struct last *last = NULL;
	char text[2][64];

	for (unsigned i = 0; i < w->n_last && !last; i++)
		last = w->last[i].what == now->what ? &w->last[i] : NULL;
	if (!last && w->n_last == LAST_MAX)
		return;
	if (!last)
		w->last[w->n_last++] = *now;
	else if (last->state != now->state && is_fresh(w, mix(last->state, now->state)))
		tell(w, mix(last->state, now->state), "%s after %s", text_of(now, text[0]), text_of(last, text[1]));
	if (last)
		*last = *now;
}

/* ---- registers ---- */

static const struct pv_reg_fields *reg_of(struct pv_observer *w, struct pv_hw *hw, const struct pv_reg_access *a)
{
	uint64_t key = (uint64_t)a->bdf << 40 | (uint64_t)a->space << 32 | a->offset;
	struct reg *r = &w->reg[mix(key, 0) % REGS];

	if (!r->used || r->key != key) {
		*r = (struct reg){.used = true, .key = key};
		pv_reg_fields_of(hw, &w->config, a, &r->fields);
	}
	return &r->fields;
}

static void note_access(struct pv_observer *w, struct pv_hw *hw, const struct pv_reg_access *a)
{
	const struct pv_reg_fields *r = reg_of(w, hw, a);
	uint64_t value = pv_reg_fields_value(r, a);
	char how = a->write ? 'W' : 'R';
	uint64_t state = mix(mix(r->hash, value), (uint64_t)how);

	if (is_fresh(w, state))
		tell(w, state, "%s %c 0x%" PRIx64, r->name, how, value);
	if (!r->order)
		return;
	value &= r->order_mask;
	note_order(w,
		   &(struct last){a->bdf, mix(mix(r->hash, value), 256u + (unsigned char)how), value, r->order, how});
}

static void look_at_registers(struct pv_observer *w, struct pv_hw *hw)
{
	uint64_t first = pv_reg_ring_first(&hw->regs);

	for (uint64_t i = w->noted > first ? w->noted : first; i < hw->regs.noted; i++)
		note_access(w, hw, pv_reg_ring_at(&hw->regs, i));
	w->noted = hw->regs.noted;
}

/* ---- the wire ---- */

static void note_record(struct pv_observer *w, const struct pv_wire *r)
{
	bool is_tlp = r->what == PV_WIRE_TLP;
	uint32_t kind = is_tlp ? r->hdr[0] >> 24 : r->hdr[0];
	uint32_t more = r->what == PV_WIRE_CXL || r->what == PV_WIRE_VENDOR ? r->hdr[1] : 0;

	if (r->what == PV_WIRE_MARK || r->what == PV_WIRE_RAS_DES)
		return;
	uint64_t state = mix(mix((uint64_t)r->what << 32 | kind, more), (uint64_t)r->dir << 8 | r->flags);
	if (is_fresh(w, state))
		tell(w, state, "wire %u kind 0x%" PRIx32 " 0x%" PRIx32 " %s flags 0x%x", r->what, kind, more,
		     r->dir == PV_WIRE_IN ? "in" : "out", r->flags);
	if (r->what == PV_WIRE_LTSSM)
		note_order(w, &(struct last){1ull << 32 | r->port, state, kind, "link", 'S'});
}

static void look_at_wire(struct pv_observer *w, struct pv_hw *hw)
{
	uint64_t n = pv_ledger_records(hw->ledger);
	const struct pv_wire *r;

	if (n == w->records)
		return;
	/* Fewer than before: it was cleared. */
	struct pv_ledger_reader *reader = pv_ledger_read(hw->ledger, n < w->records ? 0 : w->records, n);
	while (reader && (r = pv_ledger_next(reader)))
		note_record(w, r);
	if (reader)
		pv_ledger_close(reader);
	w->records = n;
}

/* ---- calls ---- */

/* The beginning of a PMU's name: its driver. */
static const char *driver_of(const char *pmu)
{
	return !strncmp(pmu, "hisi", 4)	 ? "ptt"
	       : !strncmp(pmu, "cxl", 3) ? "cpmu"
	       : !strncmp(pmu, "dwc", 3) ? "dwc"
					 : "";
}

static const char *pmu_of(struct pv_session *s, const char *id)
{
	for (const struct pv_counter *c = s->counters; id && c; c = c->next)
		if (!strcmp(c->id, id))
			return c->pmu;
	for (const struct pv_session_trace *t = s->traces; id && t; t = t->next)
		if (!strcmp(t->id, id))
			return t->pmu;
	return "";
}

static void note_step(struct pv_observer *w, struct pv_session *s, json_object *x)
{
	const char *id = pv_element_get(x, "id"), *pmu = pv_element_get(x, "pmu"), *kind = pv_element_kind(x);
	const char *expect = pv_element_get(x, "expect"), *driver = driver_of(pmu ? pmu : pmu_of(s, id));
	uint64_t state = mix(mix(pv_hash_text(kind), pv_hash_text(expect ? expect : "")), pv_hash_text(driver));

	if (is_fresh(w, state))
		tell(w, state, "%s%s%s: %s", kind, *driver ? " " : "", driver, expect ? expect : "success");
	const struct pv_element_decl *decl = pv_schema_step(kind);
	if (id && decl)
		note_order(w, &(struct last){pv_hash_text(id), mix(state, 1), 0, decl->name, expect ? 'E' : ' '});
}

static void look_at_steps(struct pv_observer *w, struct pv_session *s, json_object *steps)
{
	size_t n = json_object_array_length(steps);

	n = s->n < n ? s->n : n;
	for (size_t i = w->steps; i < n; i++)
		note_step(w, s, json_object_array_get_idx(steps, i));
	w->steps = n;
}

static void look_at_log(struct pv_observer *w, struct pv_session *s)
{
	struct pv_explore_verdict v = {.type = "log"};
	char words[PV_SIGNATURE_SIZE];
	const char *line;

	while (s->booted && (line = s->t->driver->ops->log_line(s->t->driver, w->lines))) {
		snprintf(v.message, sizeof(v.message), "%s", line);
		uint64_t state = pv_hash_text(pv_explore_signature(&v, words));

		w->lines++;
		if (is_fresh(w, state))
			tell(w, state, "%s", words);
	}
}

/* ---- counters and traces ---- */

/* 0, 1, 2 and 3 are themselves; then one for each two bits. */
static unsigned size_class(uint64_t n)
{
	return n < 4 ? (unsigned)n : 4 + (unsigned)(63 - __builtin_clzll(n)) / 2;
}

/* An event by its terms, without their values but that of the first. */
static uint64_t terms_of(const char *what, char out[NAME_SIZE / 2])
{
	const char *event = strchr(what, '/');
	size_t len = 0;
	bool value = false;

	for (event = event ? event + 1 : what; *event && *event != '/' && len < NAME_SIZE / 2 - 1; event++) {
		if (*event == ',')
			value = false;
		if (!value)
			out[len++] = *event;
		if (*event == '=')
			value = true;
	}
	out[len] = 0;
	return pv_hash_text(out);
}

static void note_counter(struct pv_observer *w, const struct pv_counter *c)
{
	char terms[NAME_SIZE / 2];
	unsigned size = size_class(c->value);
	uint64_t state = mix(terms_of(c->what, terms), pv_hash_text(driver_of(c->pmu)));

	state = mix(state, size | (c->windows > 1) << 8 | c->running << 9 | !!c->leader << 10);
	if (is_fresh(w, state))
		tell(w, state, "%s %s%s%s%s, value of size %u", driver_of(c->pmu), terms, c->running ? " runs" : "",
		     c->windows > 1 ? " again" : "", c->leader ? " in a group" : "", size);
}

static void note_trace(struct pv_observer *w, const struct pv_session_trace *t)
{
	uint32_t flags = t->commits ? t->commit[t->commits - 1].flags : 0;
	uint64_t state = mix(mix(t->running | !t->event << 1 | size_class(t->windows) << 4 | (uint64_t)flags << 16,
				 size_class(t->commits)),
			     0x7472616365);

	if (is_fresh(w, state))
		tell(w, state, "trace%s%s, window %zu, commits of size %u, flags 0x%" PRIx32, t->running ? " runs" : "",
		     t->event ? "" : " closed", t->windows, size_class(t->commits), flags);
}

/* How many events of a driver are open and run at a time. */
static void note_number(struct pv_observer *w, struct pv_session *s, const char *driver)
{
	unsigned open = 0, running = 0;

	for (const struct pv_counter *c = s->counters; c; c = c->next)
		if (c->event && !strcmp(driver_of(c->pmu), driver)) {
			open++;
			running += c->running;
		}
	uint64_t state = mix(mix(open, running), pv_hash_text(driver));
	if (open && is_fresh(w, state))
		tell(w, state, "%s: %u counters open, %u run", driver, open, running);
}

static void look_at_events(struct pv_observer *w, struct pv_session *s)
{
	for (const struct pv_counter *c = s->counters; c; c = c->next)
		note_counter(w, c);
	for (const struct pv_session_trace *t = s->traces; t; t = t->next)
		note_trace(w, t);
	note_number(w, s, "cpmu");
	note_number(w, s, "dwc");
}

void pv_observer_look(struct pv_observer *w, struct pv_session *s, json_object *steps)
{
	if (!w || !s->t || !s->t->truth)
		return;
	struct pv_hw *hw = pv_hw_of_truth(s->t->truth);
	look_at_registers(w, hw);
	look_at_wire(w, hw);
	look_at_steps(w, s, steps);
	look_at_log(w, s);
	look_at_events(w, s);
}
