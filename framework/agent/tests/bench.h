/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session on the fake target, in which single steps are run on a state that the test has made. A script is one line,
 * "STEP name=value;name=value | STEP ..."; steps that begin with a dot make the state, and are listed in bench_state.c.
 */
#ifndef PV_AGENT_TESTS_BENCH_H
#define PV_AGENT_TESTS_BENCH_H

#include "framework/agent/session.h"
#include "framework/agent/tests/fake.h"

struct pv_bench {
	struct pv_session s; /* first: a step finds the bench by it */
	struct pv_fake fake;
	struct pv_emit emit;
	struct pv_topology *topology;
	char golden[32]; /* folder of goldens */
	char case_name[64];
	const char *where; /* the script is written */
	char *events;
	size_t size;
};

/* Outcome of a script. */
struct pv_bench_result {
	enum pv_emit_verdict verdict;
	unsigned checks;
	char says[2048]; /* the messages of all problems, and of broken rules */
};

/* Runs a script in a new session, until a step ends it. A script that is not understood fails the test. */
struct pv_bench_result pv_bench_run(const char *script);
/* The same, with `where` (file and line) in the message. */
struct pv_bench_result pv_bench_run_at(const char *where, const char *script);

/* The steps that make a state (bench_state.c), ended by kind NULL. */
struct pv_bench_state {
	struct pv_step_def step;
	struct pv_element_decl decl;
};
extern const struct pv_bench_state pv_bench_states[];

#endif
