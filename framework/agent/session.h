/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a case has going: its target, the traces, counters, streams, marks and measures that its steps
 * name, and the verdict so far.
 */
#ifndef PV_AGENT_SESSION_H
#define PV_AGENT_SESSION_H

#include "framework/agent/documented.h"
#include "framework/agent/emit.h"
#include "framework/agent/events.h"
#include "framework/agent/history.h"
#include "framework/agent/step.h"
#include "framework/golden/golden.h"
#include "framework/target/target.h"
#include "framework/util/spill.h"

#define PV_ID_MAX 64

/* Has the target this table, and the table this member? */
#define pv_has(table, member) ((table) && (table)->ops->member)

struct pv_trace_commit {
	size_t len;
	uint32_t flags;
};

/* One stretch from a start to a stop; it begins where the one before it ended. */
struct pv_trace_window {
	struct pv_window win;
	size_t end;	    /* bytes of data at its end ... */
	size_t commits_end; /* ... and commits */
};

struct pv_session_trace {
	struct pv_session_trace *next;
	char id[PV_ID_MAX], pmu[64];
	struct pv_perf_event *event;   /* NULL: closed */
	struct pv_event_config config; /* as the plan meant it */
	bool running;
	struct pv_trace_window *window; /* one for each start; the last is open while it runs */
	size_t windows;
	struct pv_spill data;
	struct pv_trace_commit *commit;
	size_t commits, commit_room;
	size_t unread; /* bytes since the last read step */
	size_t area;   /* bytes that may be unread before a commit is refused; SIZE_MAX: read as they come */
	int error;     /* -errno: AUX data could not be kept */
};

struct pv_counter {
	struct pv_counter *next;
	char id[PV_ID_MAX], pmu[64], what[160]; /* what: as perf would be told it, for people */
	struct pv_perf_event *event;		/* NULL: closed */
	struct pv_counter *leader;		/* NULL: stands alone, or leads */
	int64_t parent;	    /* place of the function that the PMU belonged to when it was opened; -1: not known */
	uint64_t config[3]; /* what the driver was given */
	struct pv_documented documented; /* what the plan's event is by the documents */
	bool running, read;
	bool starting;	       /* by the start that is under way */
	uint64_t value;	       /* last read */
	struct pv_window *win; /* one for each start; the last is open while it runs */
	size_t windows;
};

struct pv_named { /* a stream, a mark or a measure */
	struct pv_named *next;
	char id[PV_ID_MAX];
	int stream;
	char what[96];	      /* measure: for people */
	struct pv_window win; /* mark: its begin */
	double value;	      /* measure */
};

/* A perf of the system under test. */
struct pv_perf_run {
	struct pv_perf_run *next;
	char id[PV_ID_MAX];
	char *said; /* standard output, or standard error when that is empty */
	int status; /* of waitpid(2) */
	bool runs;
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
	bool booted;
	enum pv_boot_policy policy; /* of the last boot */

	struct pv_session_trace *traces;
	struct pv_counter *counters;
	struct pv_named *streams, *marks, *measures;
	struct pv_perf_run *perfs;
	struct pv_history history; /* since the last boot */

	enum pv_emit_verdict verdict;
	unsigned checks; /* checks and expectations that were evaluated */
};

/* ---- verdicts ---- */
/* Tells a problem and makes the verdict at least as bad. `text` NULL: the message is everything. */
void pv_session_problem(struct pv_session *s, enum pv_emit_verdict v, const char *type, const char *text,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A check that was evaluated: tells it passed or failed; always returns 0, the case goes on. */
int pv_session_judge(struct pv_session *s, bool ok, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The plan is wrong (unknown id, a device that is not there): an error of type "plan"; returns -EINVAL. */
int pv_session_plan_error(struct pv_session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Compares the outcome of an action with its `expect`. Returns 0: success, go on; 1: the expected error came, the
 * step is done; -1: a problem was told, the case ends. `what`: what was being done; `why`: more, or NULL.
 */
int pv_session_expect(struct pv_session *s, int err, const char *why, const char *what, ...)
	__attribute__((format(printf, 4, 5)));
/* Skips the case: the target has no such thing. Returns -EOPNOTSUPP. */
int pv_session_unsupported(struct pv_session *s, const char *what);

/* ---- lookups: each tells a plan error itself ---- */
int pv_session_bdf(struct pv_session *s, const char *name, pv_bdf *bdf);
const struct pv_topo_node *pv_session_node(struct pv_session *s, const char *name);
struct pv_session_trace *pv_session_trace(struct pv_session *s, const char *id);
struct pv_counter *pv_session_counter(struct pv_session *s, const char *id);
struct pv_named *pv_session_named(struct pv_session *s, struct pv_named *list, const char *what, const char *id);
/* Finds or makes; NULL only without memory (told). */
struct pv_named *pv_session_name(struct pv_session *s, struct pv_named **list, const char *id);
void pv_session_drop_trace(struct pv_session *s, const char *id);

/* ---- windows ---- */
void pv_window_outer_begin(struct pv_session *s, struct pv_window *w);
void pv_window_inner_begin(struct pv_session *s, struct pv_window *w);
void pv_window_inner_end(struct pv_session *s, struct pv_window *w);
void pv_window_outer_end(struct pv_session *s, struct pv_window *w);

/* ---- running ---- */
/* The whole case; emits everything up to "done". */
void pv_session_run(struct pv_session *s, json_object *msg, struct pv_emit *emit);
/* What is judged whatever the case is about, once its steps are done: the ledger, stray DMA, that something was judged. */
void pv_session_judge_case(struct pv_session *s);
/* Saves what there is, from another thread than the one that runs the case, which stands still (postmortem.h). */
void pv_session_rescue(struct pv_session *s);
int pv_session_boot(struct pv_session *s, enum pv_boot_policy policy);
struct pv_golden_source pv_session_source(const struct pv_session *s);
/* Where goldens are: "folder", "staging" or "mode" of the message's "golden"; NULL: not said. */
const char *pv_session_golden(const struct pv_session *s, const char *key);

#endif
