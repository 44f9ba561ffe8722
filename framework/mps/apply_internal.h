/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps of writing settings, shared by apply and restore. */
#ifndef PV_MPS_APPLY_INTERNAL_H
#define PV_MPS_APPLY_INTERNAL_H

#include "framework/mps/apply.h"

/* One for each function that is touched. */
struct pv_apply_job {
	const struct pv_pci_func *func;
	const struct pv_setting *setting; /* NULL: it is stopped only */
	bool stops;
	bool was_on;  /* Bus Master, as it shall be in the end */
	bool stopped; /* we switched it off */
	bool written;
	uint16_t was; /* DevCtl before it was written */
};

struct pv_apply_work {
	const struct pv_apply *apply;
	struct pv_apply_job *jobs;
	size_t n;
	bool stuck; /* something could not be put back */
	struct pv_error *e;
};

/* Stops devices, writes, restarts them; restores old values after a failure. The caller frees w->jobs. */
int pv_apply_run(struct pv_apply_work *w, const struct pv_setting *settings, size_t n);
/* Returns false if the function was on and is not again. */
bool pv_apply_go_on(const struct pv_apply_work *w, const struct pv_apply_job *job);
int pv_apply_fail_no_answer(const struct pv_apply_work *w, const struct pv_pci_func *f);
void pv_apply_say(const struct pv_apply_work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
