/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one agent, and the verdict that follows from them and from the way the agent ended. An event out of
 * order is an error, never a pass.
 */
#ifndef PV_RUN_TRANSCRIPT_H
#define PV_RUN_TRANSCRIPT_H

#include "framework/run/protocol.h"

enum { PV_MESSAGE_MAX = 2048, PV_TYPE_MAX = 40 };

struct pv_outcome {
	enum pv_verdict verdict;
	char type[PV_TYPE_MAX];	      /* as struct pv_case_result; "" for a pass */
	char message[PV_MESSAGE_MAX]; /* one line */
};

struct pv_transcript {
	bool hello, done;
	int step, step_line; /* the step it is in; step -1: before the first */
	char step_kind[PV_TYPE_MAX];
	json_object *steps;	 /* of the case message, for texts; not owned; NULL: unknown */
	enum pv_verdict verdict; /* of done */
	int64_t checks;		 /* of done */
	bool tainted;		 /* a problem was the kernel's taint */
	size_t n_problems, problem_bytes, n_steps;
	struct pv_outcome first[PV_VERDICTS]; /* the first problem of each verdict; no type: there was none */
};

/* Why an agent ended. */
enum pv_end_cause {
	PV_END_EXIT,	  /* by itself */
	PV_END_TIMEOUT,	  /* its time was up */
	PV_END_LINGER,	  /* it did not exit after its verdict */
	PV_END_MEMORY,	  /* it took too much memory */
	PV_END_PROTOCOL,  /* it violated the protocol */
	PV_END_STOPPED,	  /* the run was interrupted */
	PV_END_UNSTARTED, /* it could not be started */
};

struct pv_end {
	enum pv_end_cause cause;
	int signal, status; /* how the process ended: signal 0: exit status */
	unsigned limit_ms;  /* TIMEOUT, LINGER */
	char detail[1024];  /* MEMORY, PROTOCOL, STOPPED, UNSTARTED: details */
};

void pv_transcript_begin(struct pv_transcript *t);

/* Takes the next event. -EPROTO with the reason: it is not allowed here. */
int pv_transcript_add(struct pv_transcript *t, enum pv_event_kind kind, json_object *event, struct pv_error *e);

/* Verdict of a case. */
void pv_transcript_judge(const struct pv_transcript *t, const struct pv_end *end, struct pv_outcome *out);

void pv_outcome_set(struct pv_outcome *out, enum pv_verdict verdict, const char *type, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
