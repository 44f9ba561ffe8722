/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of a run: a live line on a terminal, a line per case otherwise. */
#ifndef PV_RUN_PROGRESS_H
#define PV_RUN_PROGRESS_H

#include "framework/run/transcript.h"

enum { PV_PROGRESS_RUNNING = 256 };

struct pv_progress {
	FILE *out; /* NULL: nothing is shown */
	bool live, colour, verbose, quiet;
	size_t total, done, count[PV_VERDICTS];
	const struct pv_job *running[PV_PROGRESS_RUNNING];
	uint64_t begun_ms, drawn_ms;
	int width;	/* of the terminal */
	bool on_screen; /* a live line is there and must be cleared before anything else */
};

void pv_progress_begin(struct pv_progress *p, const struct pv_run_options *opt, size_t total, uint64_t now_ms);
void pv_progress_start(struct pv_progress *p, const struct pv_job *job);
void pv_progress_end(struct pv_progress *p, const struct pv_job *job, const struct pv_outcome *o, uint64_t ms);
/* Redraws the live line when it is due. Returns when to call again; UINT64_MAX: never. */
uint64_t pv_progress_tick(struct pv_progress *p, uint64_t now_ms);
void pv_progress_resize(struct pv_progress *p);
/* The attempt ended with an error and is retried. */
void pv_progress_retry(struct pv_progress *p, const struct pv_job *job, const struct pv_outcome *o, uint64_t ms);
void pv_progress_note(struct pv_progress *p, const char *text);
void pv_progress_finish(struct pv_progress *p);

#endif
