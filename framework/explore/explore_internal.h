/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that draw a case. */
#ifndef PV_EXPLORE_INTERNAL_H
#define PV_EXPLORE_INTERNAL_H

#include "framework/agent/session.h"
#include "framework/explore/chance.h"
#include "framework/explore/element.h"
#include "framework/explore/explore.h"
#include "framework/explore/states.h"

/*
 * A theme of a case, which its counters and its traffic share: to count a rare event is worth something only if it is
 * sent as well.
 */
enum pv_theme { PV_THEME_NONE, PV_THEME_PREFIXES, PV_THEME_DAMAGE, PV_THEME_STATES, PV_THEME_LANES, PV_THEMES };

/* A case while it is drawn. */
struct pv_drawing {
	struct pv_draw d;
	unsigned subjects; /* of this case, 1 << enum pv_explore_subject */
	unsigned wanted;   /* steps to draw before the case is ended */
	unsigned draws;	   /* so far */
	unsigned ending;   /* how far its end is */
	bool model;	   /* the target is the models: whatever they say can be expected */
	unsigned names;	   /* given so far */
	struct pv_session *s;
	json_object *steps;
	/* Ids below this number are of events whose device lost its power: what they show means nothing. */
	unsigned lost;
	enum pv_theme theme;
	bool had_long;		       /* steps that take as long as all others together */
	bool moved;		       /* the last steps took functions away, or brought some */
	char gone[16][64];	       /* PMUs that are gone ... */
	unsigned n_gone;	       /* ... and how many */
	json_object *c;		       /* the case */
	json_object *base, *script;    /* a case of the corpus, and steps that come first (vary.h); NULL: none */
	size_t fed;		       /* steps of the script so far */
	bool raw;		       /* nothing but the script */
	unsigned tail;		       /* steps to draw behind the script */
	struct pv_observer *observer;  /* or NULL */
	size_t before, given, streams; /* steps before the last ones and with them, and those that run traffic */
	bool spoiled;		       /* a step was taken out, but its traffic goes on */
	void (*noted)(json_object *c); /* or NULL */
};

static inline bool pv_drawing_of(const struct pv_drawing *g, enum pv_explore_subject s)
{
	return g->subjects & 1u << s;
}

/*
 * Whether a step for hot-plug moves what can be moved under a kernel. No PMU with an open event goes: what Linux 6.12
 * does with such an event depends on freed memory, and it may hang when the PMU is back.
 */
bool pv_draw_may_move(struct pv_drawing *g, json_object *x);
/* Whether perf would not count this member of a group, since its leader is stopped. */
bool pv_draw_waits_for_leader(const struct pv_counter *c);
/*
 * Whether the case has a step of this kind (NULL: of any), whose attribute `attr` has this value (NULL: whatever its
 * attributes are).
 */
bool pv_draw_had_step(const struct pv_drawing *g, const char *kind, const char *attr, const char *value);
/*
 * Whether a step has put the link below this port into a state. Time under a kernel is not that of the rehearsal: the
 * link may still be in this state, and takes no other.
 */
bool pv_draw_had_link_state(const struct pv_drawing *g, const char *port);

/* Appends such a step; false: this link of a kernel had a state. */
bool pv_draw_link_state(struct pv_drawing *g, const struct pv_topo_node *port, const char *state);
void pv_draw_link_event(struct pv_drawing *g, const struct pv_topo_node *port, const char *event, unsigned lane);
/* Whether a counter is so narrow that it overflows twice if a busy link delays its interrupt. */
bool pv_draw_has_narrow(const struct pv_drawing *g);
/*
 * Returns the channel whose messages a group of events counts, as plans name it; NULL: none. Group 0x14 has data of
 * both directions; `d2h`: those of the device.
 */
const char *pv_draw_channel_of(unsigned gid, bool d2h);
/* Gives a stream a count, if it has none, and a seed, and runs it in the background or not. */
void pv_draw_finish_traffic(struct pv_drawing *g, json_object *x);

/* Draws a machine that has what the subjects need; `model`: for the models. NULL: no memory. */
json_object *pv_draw_topology(struct pv_draw *d, unsigned subjects, bool model);

/* Appends a step. */
#define pv_draw_step(g, kind) pv_element_append((g)->steps, kind)

/* A case needs events that run, and traffic for them: its end has something to judge then. */
enum pv_need {
	PV_NEED_NOTHING,
	PV_NEED_OPEN,	 /* no counter and no trace is open */
	PV_NEED_START,	 /* none of them runs */
	PV_NEED_TRAFFIC, /* one that runs has seen no traffic yet */
};
enum pv_need pv_draw_need(const struct pv_drawing *g);

/* An action: draws one or more steps, or returns false if the state of the case has no place for it. */
struct pv_action {
	unsigned subjects; /* 1 << enum pv_explore_subject */
	unsigned weight;
	bool (*draw)(struct pv_drawing *g);
	enum pv_need serves;
};
extern const struct pv_action pv_actions_counter[], pv_actions_aimed[], pv_actions_trace[], pv_actions_traffic[],
	pv_actions_machine[], pv_actions_sizes[], pv_actions_registers[],
	pv_actions_abi[]; /* each ends with draw NULL */

/*
 * Under a kernel, perf enables a trace without an error if its driver cannot start it: takes back that the last step
 * fails, if it is such a start. Call when it has run.
 */
void pv_draw_failed_start(struct pv_drawing *g);
/*
 * perf opens and starts a counter for which none is free, and counts with each for a part of the time: under a kernel,
 * takes out those of the last steps that the reference driver has refused for that. Groups of a CPMU stay, if none of
 * its counters is open but those of the group: its driver has to refuse what it can never count.
 */
void pv_draw_forget_refused(struct pv_drawing *g);
/* Steps that end what is open, and check it (draw_end.c). Returns false when nothing is left. */
bool pv_draw_end(struct pv_drawing *g);

/* ---- choices from the state of the case; NULL: there is none ---- */

/* Whether an event is judged, by its id and its PMU. */
bool pv_draw_is_judged(const struct pv_drawing *g, const char *id, const char *pmu);
/* The same of a counter that was read. No document says what the length of a cycle is for several windows. */
bool pv_draw_counter_is_judged(const struct pv_drawing *g, const struct pv_counter *c);
/* A counter that runs; NULL: none does. */
const struct pv_counter *pv_draw_running(struct pv_drawing *g);
/* Call after functions were taken away. */
void pv_draw_note_gone(struct pv_drawing *g);

/* A function that is there, for which `fits` holds (NULL: any). */
const struct pv_topo_node *pv_draw_node(struct pv_drawing *g, bool (*fits)(const struct pv_topo_node *node));
/* The same, rather one that is preferred, if there are some. */
typedef bool pv_draw_prefer_fn(const struct pv_drawing *g, const struct pv_topo_node *node, const void *ctx);
const struct pv_topo_node *pv_draw_preferred(struct pv_drawing *g, bool (*fits)(const struct pv_topo_node *node),
					     pv_draw_prefer_fn *prefers, const void *ctx);
/* The Root Port above a function, or the function itself if it is on a root bus. */
const struct pv_topo_node *pv_draw_root_of(const struct pv_drawing *g, const struct pv_topo_node *node);
bool pv_node_is_port(const struct pv_topo_node *node);
bool pv_node_is_sender(const struct pv_topo_node *node);
bool pv_node_is_mem(const struct pv_topo_node *node);
bool pv_node_is_ptt(const struct pv_topo_node *node);
bool pv_node_is_vf(const struct pv_topo_node *node);
bool pv_node_is_spare(const struct pv_topo_node *node);
/* A PMU whose name begins so; "": any. Valid until the next call. */
const char *pv_draw_pmu(struct pv_drawing *g, const char *prefix);
/* An entry of a folder of a PMU, in `buf`. Returns false if there is none. */
bool pv_draw_entry(struct pv_drawing *g, const char *pmu, const char *dir, char *buf, size_t size);

#endif
