/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One case in its own process: it starts the agent in its own process group with pipes for its standard streams, sends
 * the case, and reads until the agent ends. No function waits: the runner calls when a stream is ready, the child has
 * changed state, or time has passed.
 */
#ifndef PV_RUN_WORKER_H
#define PV_RUN_WORKER_H

#include <limits.h>
#include <poll.h>
#include <signal.h>

#include "framework/run/case_folder.h"
#include "framework/run/journal.h"
#include "framework/run/transcript.h"
#include "framework/util/clock.h"

enum pv_worker_state {
	PV_WORKER_IDLE, /* free for a case */
	PV_WORKER_RUNS,
	PV_WORKER_ASKED,  /* SIGTERM was sent: it may clean up */
	PV_WORKER_KILLED, /* SIGKILL was sent */
	PV_WORKER_GONE,	  /* it has ended and was reaped; the outcome is valid */
};

enum { PV_WORKER_FDS = 3 };

struct pv_worker {
	const struct pv_job *job;
	size_t index;	  /* of the job */
	unsigned attempt; /* number of the attempt at the job, from 0 */
	enum pv_worker_state state;
	pid_t pid;
	int in, out, err; /* our ends; -1: closed */
	int line[2];	  /* descriptors of opt->line that the agent has; -1: none */
	char *message;	  /* the rest of the case message, still to be sent */
	size_t message_size, message_sent;
	struct pv_lines lines;
	struct pv_transcript transcript;
	struct pv_end end;
	struct pv_outcome outcome;
	struct pv_outcome grave; /* the first problem that no known failure of other checks covers; no type: none */
	bool kernel_spoke;	 /* a problem was a message of the kernel: its taint follows from it */
	json_object *deviations, *steps; /* of the case */
	json_object *rules;		 /* events of broken rules; NULL: none */
	json_object *figures;		 /* findings of its checks as text; NULL: none yet */
	int64_t sim_ns;			 /* how long it took by the target's clock */
	uint64_t begun_ms, deadline_ms, elapsed_ms;
	uint64_t memory_ms; /* time of the next check of its memory */
	struct pv_case_folder folder;
};

struct pv_worker_env {
	const struct pv_run_options *opt;
	struct pv_journal *journal;
	const char *folder; /* of the run, absolute */
	char *spare;	    /* the path of an empty folder of a case that has ended; PATH_MAX bytes; "": none */
	uint64_t begun_ms;  /* of the run */
	sigset_t mask;	    /* the signal mask at the runner's start, for the child */
};

const char *pv_runner_agent(const struct pv_run_options *opt);

/* Makes a worker IDLE that has never been used: it has no descriptors. */
void pv_worker_init(struct pv_worker *w);

/* Starts the case. If that fails, the worker is GONE immediately, with an outcome that says why. */
void pv_worker_start(struct pv_worker *w, const struct pv_worker_env *env, const struct pv_job *job, size_t index);
/*
 * Journals what a worker that is GONE came to: a verdict, or an attempt after which its case is to be run again
 * (--retry-errors). Returns true if it is. `ending`: the run begins nothing more, so that this is the verdict.
 */
bool pv_worker_conclude(struct pv_worker *w, const struct pv_worker_env *env, bool ending);
/* Starts the case of a worker that is GONE again. */
void pv_worker_retry(struct pv_worker *w, const struct pv_worker_env *env);

/* Sets the descriptors and events to poll for; unused entries have fd -1. */
void pv_worker_poll(const struct pv_worker *w, struct pollfd fds[PV_WORKER_FDS]);
void pv_worker_ready(struct pv_worker *w, const struct pv_worker_env *env, const struct pollfd fds[PV_WORKER_FDS]);

/* Checks whether the child has ended; if so, reads the rest of its output and makes the worker GONE. */
void pv_worker_reap(struct pv_worker *w, const struct pv_worker_env *env);

/* Acts on the deadline and on the limit of memory. Returns when to call again, UINT64_MAX: never. */
uint64_t pv_worker_tick(struct pv_worker *w, const struct pv_worker_env *env, uint64_t now_ms);

/* Excludes the time between the two from the case's time limit: the runner was not running then. */
void pv_worker_shift(struct pv_worker *w, uint64_t from_ms, uint64_t to_ms);

/* Asks the child to end; `now`: kills it. `why` becomes its message. */
void pv_worker_stop(struct pv_worker *w, const struct pv_worker_env *env, const char *why, bool now);

/* Returns to IDLE: closes and frees everything. */
void pv_worker_clear(struct pv_worker *w);

#endif
