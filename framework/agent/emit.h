/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the agent: one JSON object per line, flushed, so that a crash loses none. */
#ifndef PV_AGENT_EMIT_H
#define PV_AGENT_EMIT_H

#include <stdint.h>
#include <stdio.h>

enum pv_emit_verdict { PV_EMIT_PASS, PV_EMIT_SKIP, PV_EMIT_ERROR, PV_EMIT_FAIL }; /* the worse, the higher */

struct pv_emit {
	FILE *out; /* NULL: events go nowhere */
};

extern const char *const pv_emit_verdicts[];

void pv_emit_hello(struct pv_emit *m, const char *target, const char *driver);
void pv_emit_step(struct pv_emit *m, unsigned n, const char *kind, int line);
void pv_emit_log(struct pv_emit *m, const char *level, const char *text);
void pv_emit_problem(struct pv_emit *m, unsigned n, enum pv_emit_verdict v, const char *type, const char *message,
		     const char *text);
void pv_emit_check(struct pv_emit *m, unsigned n, const char *kind, const char *message);
/* A broken rule of use: how often, and details of the first time. */
void pv_emit_rule(struct pv_emit *m, const char *rule, uint64_t count, const char *message);
void pv_emit_artefact(struct pv_emit *m, const char *path);
void pv_emit_done(struct pv_emit *m, enum pv_emit_verdict v, unsigned checks, uint64_t sim_ns);

#endif
