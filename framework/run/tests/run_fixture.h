/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of cases by name with the scripted agent, in a folder of its own that goes with the test. */
#ifndef PV_RUN_TESTS_RUN_FIXTURE_H
#define PV_RUN_TESTS_RUN_FIXTURE_H

#include "framework/run/run.h"

enum { MAX_CASES = 128 };

struct fixture {
	char scratch[64]; /* removed by fixture_free() */
	char folder[128]; /* of the run */
	struct pv_run_options opt;
	struct pv_job jobs[MAX_CASES];
	size_t n;
	char *shown; /* what the run printed */
	struct pv_run_result *result;
	struct pv_error error;
};

/* `names`: cases separated by spaces, see agents/scripted. */
struct fixture *fixture_new(const char *names);
void fixture_free(struct fixture *f);

/* Makes the folder, runs, loads. Returns the result of pv_run(). */
int fixture_run(struct fixture *f);
/* Runs it in a child process, which can be killed. Returns the child's pid. */
int fixture_run_in_child(struct fixture *f);
void fixture_load(struct fixture *f);

const struct pv_case_result *fixture_case(const struct fixture *f, const char *name);

/* Runs one case alone and gives its result. */
const struct pv_case_result *fixture_one(struct fixture *f);

bool fixture_wait_for_file(const char *path);
bool fixture_process_gone(int pid);
char *fixture_read(const char *path);
void fixture_path(const struct fixture *f, const char *name, char out[256]);

#endif
