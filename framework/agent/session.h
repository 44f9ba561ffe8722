/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a running case: its target, the traces, counters, streams, marks and measures named by its steps,
 * and the verdict so far.
 */
#ifndef PV_AGENT_SESSION_H
#define PV_AGENT_SESSION_H

#include "framework/agent/emit.h"
#include "framework/agent/events.h"
#include "framework/agent/hotplug_history.h"
#include "framework/agent/step.h"
#include "framework/golden/golden.h"
#include "framework/target/target.h"
#include "framework/util/spill.h"

#define PV_ID_MAX 64

/* True if the target has this table, and the table this member. */
#define pv_has(table, member) ((table) && (table)->ops->member)

struct pv_trace_commit {
	size_t len;
	uint32_t flags;
};

/* From a start to the stop; begins where the previous window ended. */
struct pv_trace_window {
	struct pv_window win;
	size_t end;	    /* its end in bytes of data ... */
	size_t commits_end; /* ... and in commits */
};

struct pv_session_trace {
	struct pv_session_trace *next;
	char id[PV_ID_MAX], pmu[64];
	struct pv_perf_event *event;   /* NULL: closed */
	struct pv_event_config config; /* as requested by the plan */
	bool running;
	struct pv_trace_window *window; /* one per start; the last is open while the trace runs */
	size_t windows;
	struct pv_spill data;
	struct pv_trace_commit *commit;
	size_t commits, commit_room;
	size_t unread; /* bytes since the last read step */
	size_t area;   /* unread bytes at which a commit is refused; SIZE_MAX: data is read as it comes */
	int error;     /* -errno: AUX data could not be stored */
};

struct pv_counter {
	struct pv_counter *next;
	char id[PV_ID_MAX], pmu[64], what[160]; /* what: the event in perf's syntax, for messages */
	struct pv_perf_event *event;		/* NULL: closed */
	struct pv_counter *leader;		/* NULL: a leader, or without a group */
	int64_t parent;				/* place of the PMU's function when it was opened; -1: unknown */
	uint64_t config[3];			/* as given to the driver */
	struct pv_event_doc documented;		/* documented meaning of the event */
	bool running, read;
	bool starting;	       /* a start of it is in progress */
	uint64_t value;	       /* as last read */
	struct pv_window *win; /* one per start; the last is open while it runs */
	size_t windows;
};

struct pv_named { /* a stream, a mark or a measure */
	struct pv_named *next;
	char id[PV_ID_MAX];
	int stream;
	char what[96];	      /* measure: for messages */
	struct pv_window win; /* mark: its begin */
	double value;	      /* measure */
};

#define PV_PERF_FILE "perf-%s.txt" /* the artefact with all that a perf said, by its id */

/* A perf of the system under test. */
struct pv_perf_run {
	struct pv_perf_run *next;
	char id[PV_ID_MAX];
	char *said; /* standard output, or standard error when that is empty */
	int status; /* of waitpid(2) */
	bool runs;
	bool has_intervals;    /* a perf stat that prints the counts of each interval */
	struct pv_window win;  /* the outer one: from before its start to after its end */
	char trace[PV_ID_MAX]; /* the trace that becomes of its perf.data; "": none */
	char folder[256];      /* of its perf.data, on the system under test */
};

/*
 * A rehearsal makes a case while it runs: next() adds its next step. Outcomes become the expectations of steps. A step
 * that proves to be a mistake of the plan, or that the target cannot do, is taken out again.
 */
struct pv_rehearsal {
	/* Called before each step; appends to `steps`, or ends the case by appending nothing. */
	void (*next)(void *ctx, struct pv_session *s, json_object *steps); /* NULL: the steps are given */
	/* Called for each problem of the case; may be NULL. */
	void (*problem)(void *ctx, enum pv_emit_verdict v, const char *type, const char *message);
	bool learn; /* false: expectations are judged as in any run, and no step is taken out */
	void *ctx;
};

struct pv_session {
	struct pv_target *t;
	struct pv_emit *emit;
	json_object *msg; /* the case message */
	const char *plan, *case_name, *driver, *target, *folder;
	uint64_t seed;

	unsigned n; /* number of the step that runs */
	const struct pv_args *step;
	const struct pv_step_def *def;
	const struct pv_rehearsal *rehearsal; /* NULL: the case is given */
	bool learned;			      /* in a rehearsal: the outcome of this step, once */
	bool booted;
	bool lost;		   /* the machine does not answer any more: the target will tell why */
	enum pv_mps_policy policy; /* of the last boot */

	struct pv_session_trace *traces;
	struct pv_counter *counters;
	struct pv_named *streams, *marks, *measures;
	struct pv_perf_run *perfs;
	struct pv_hotplug_history history; /* since the last boot */

	enum pv_emit_verdict verdict;
	bool has_shell;	 /* at its end its machine had one */
	unsigned checks; /* checks and expectations evaluated so far */
};

/* ---- verdicts ---- */
#define PV_PROBLEM_TEXT_MAX (256u << 10) /* in JSON it may be six times as long, and an event has at most 2 MiB */

/*
 * Reports a problem and makes the verdict at least as bad. `text` NULL: there is no more than the message. Of a longer
 * text the first PV_PROBLEM_TEXT_MAX bytes are reported.
 */
void pv_session_problem(struct pv_session *s, enum pv_emit_verdict v, const char *type, const char *text,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Reports a check as passed or failed. Always returns 0: the case continues. */
int pv_session_judge(struct pv_session *s, bool ok, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Reports a mistake in the plan (unknown id, absent device) as an error of type "plan". Returns -EINVAL. */
int pv_session_plan_error(struct pv_session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Reports that the machine is not there any more (-ECONNRESET), which no driver says. Always returns -1: the case ends.
 */
int pv_session_lost(struct pv_session *s, const char *why, const char *what, ...) __attribute__((format(printf, 3, 4)));
/*
 * Compares the outcome of an action with its `expect`. Returns 0: success, continue; 1: the expected error came, the
 * step is done; -1: a problem was reported, the case ends. `what`: the action; `why`: details, or NULL.
 */
int pv_session_expect(struct pv_session *s, int err, const char *why, const char *what, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * In a rehearsal that learns: makes what came the value of an attribute, if the step has it. Call before the
 * comparison.
 */
void pv_session_learn(struct pv_session *s, const char *attr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Skips the case because the target lacks something. Returns -EOPNOTSUPP. */
int pv_session_unsupported(struct pv_session *s, const char *what);

/* ---- the driver ---- */
/*
 * Returns in *names the files of a folder of a PMU, a blank after each; the caller frees. 0, or -errno: *names is NULL.
 */
int pv_session_attr_list(struct pv_session *s, const char *pmu, const char *dir, char **names);

/* ---- lookups: each reports a plan error itself ---- */
int pv_session_bdf(struct pv_session *s, const char *name, pv_bdf *bdf);
/* Attribute "requester": a number or a function. 1; 0: the step has none, *out stays; negative: a plan error. */
int pv_session_requester(struct pv_session *s, const struct pv_args *a, uint16_t *out);
const struct pv_topo_node *pv_session_node(struct pv_session *s, const char *name);
struct pv_session_trace *pv_session_trace(struct pv_session *s, const char *id);
struct pv_counter *pv_session_counter(struct pv_session *s, const char *id);
struct pv_named *pv_session_named(struct pv_session *s, struct pv_named *list, const char *what, const char *id);
/* Finds or creates; NULL only if there is no memory, which is reported. */
struct pv_named *pv_session_name(struct pv_session *s, struct pv_named **list, const char *id);
void pv_session_drop_trace(struct pv_session *s, const char *id);

/* ---- windows ---- */
void pv_window_outer_begin(struct pv_session *s, struct pv_window *w);
void pv_window_inner_begin(struct pv_session *s, struct pv_window *w);
void pv_window_inner_end(struct pv_session *s, struct pv_window *w);
void pv_window_outer_end(struct pv_session *s, struct pv_window *w);
/*
 * perf stops what runs on a CPU while it opens, starts, stops or closes another event there, or takes the CPU off line
 * (docs/hardware-notes.md, F-L19). end: adds the pause to the windows of all counters that were running before and
 * still are. Other drivers do not pause. 0 or -ENOMEM.
 */
void pv_pause_begin(struct pv_session *s, struct pv_pause *p);
int pv_pause_end(struct pv_session *s, struct pv_pause *p);
void pv_counter_delete(struct pv_counter *c);

/* ---- running ---- */
/* Runs the whole case and emits all events up to "done". */
void pv_session_run(struct pv_session *s, json_object *msg, struct pv_emit *emit);
/* Same for a case whose steps are made while it runs: afterwards `msg` has them. */
void pv_session_rehearse(struct pv_session *s, json_object *msg, struct pv_emit *emit, const struct pv_rehearsal *r);
/* Checks common to all cases, after their steps: the ledger, stray DMA, and that something was judged. */
void pv_session_judge_case(struct pv_session *s);
/* Stops the streams that may be running, of a case that ends before its own steps do. Streams that have ended stay so.
 */
void pv_session_stop_streams(struct pv_session *s);
/* Saves traces and state from another thread while the case's thread is stopped (postmortem.h). */
void pv_session_rescue(struct pv_session *s);
int pv_session_boot(struct pv_session *s, enum pv_mps_policy policy);
struct pv_golden_source pv_session_source(const struct pv_session *s);
/* Member "folder", "staging" or "mode" of the message's "golden"; NULL: absent. */
const char *pv_session_golden(const struct pv_session *s, const char *key);

#endif
