/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the checks and steps of several files share. */
#ifndef PV_AGENT_CHECKS_H
#define PV_AGENT_CHECKS_H

#include "framework/agent/session.h"
#include "framework/trace/record.h"

/* Reports broken rules of use to the runner, at the end of a case. */
void pv_rules_tell(struct pv_session *s);

/*
 * A plan means the documented event and terms: if the driver's files give others, no count of them is right. False:
 * judged so.
 */
bool pv_check_counter_documented(struct pv_session *s, const struct pv_counter *c);

/* Returns a counter that was read, and counts what is documented. NULL: reported. */
struct pv_counter *pv_check_counter_read(struct pv_session *s, const char *id);
/* The same for one that was started and read: the value of any other says nothing. */
struct pv_counter *pv_check_counter_ran(struct pv_session *s, const char *id);

/* Decodes the event of a counter from its config words. -ENOENT: the PMU is another; -ENODEV: its function is unknown.
 */
int pv_check_cpmu_event(const struct pv_counter *c, struct pv_cpmu_query *e);
int pv_check_dwc_event(const struct pv_counter *c, struct pv_dwc_query *e);
/* Computes what a counter must count in a window of the ledger. 0; -errno: unknown, which the second one reports. */
int pv_check_counter_truth(struct pv_session *s, const struct pv_counter *c, const struct pv_window *w,
			   struct pv_bounds *b);
void pv_check_counter_unknown(struct pv_session *s, const struct pv_counter *c, int err);
/* Returns the function of a PMU; -1: unknown. */
int64_t pv_counter_parent(struct pv_session *s, const char *pmu);
/* Reads a counter; the window of one that runs ends here until it is read again. 0 or -errno. */
int pv_counter_read(struct pv_session *s, struct pv_counter *c);

/*
 * Returns the trace of a check, which must have run and be stopped. A boot ends traces, too, so this is the last place
 * that checks whether all data were stored. NULL: reported.
 */
struct pv_session_trace *pv_check_trace_stopped(struct pv_session *s, const struct pv_args *a);
/* Finds the PTT of the topology behind a PMU. NULL: reported. */
const struct pv_topo_node *pv_check_trace_ptt(struct pv_session *s, const char *pmu);
/* Judges that no commit of the trace has flags, so that nothing is missing. */
bool pv_check_trace_whole(struct pv_session *s, const struct pv_session_trace *t);
/* Decodes the record at an offset of the trace's data. Returns its bytes; 0: there is none, judged. */
size_t pv_check_trace_record(struct pv_session *s, struct pv_session_trace *t, size_t at, struct pv_record *r);

/* Replaces characters that names of goldens must not contain. */
void pv_check_golden_clean(char *name);
/* Name of the golden of a check: attribute "name", or plan.case[.id], cleaned. */
void pv_check_golden_name(struct pv_session *s, const struct pv_args *a, const char *id, char *buf, size_t size);
/* Reports a golden that was not recorded: one that another case has recorded otherwise is the plan's fault. -1. */
int pv_check_golden_refused(struct pv_session *s, int err, const struct pv_error *e);

/* Configuration images: the image of a function (NULL: absent); its MPS and MRRS in bytes, unchanged if it has none. */
const struct pv_cfg_image *pv_image_at(const struct pv_cfg_image *list, size_t n, pv_bdf bdf);
void pv_image_sizes(const struct pv_cfg_image *i, unsigned *mps, unsigned *mrrs);

#endif
