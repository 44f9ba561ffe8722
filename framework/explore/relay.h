/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings what a session finds to its workers, which were forked before. */
#ifndef PV_EXPLORE_RELAY_H
#define PV_EXPLORE_RELAY_H

#include "framework/explore/corpus.h"

struct pv_relay;

/* Call before the workers are forked. NULL: no memory. */
struct pv_relay *pv_relay_new(void);
void pv_relay_free(struct pv_relay *r);

/* In the session: adds an entry; errors stick. */
void pv_relay_put(struct pv_relay *r, const struct pv_corpus_entry *x);
/* All cases before number `index` were taken. */
void pv_relay_advance(struct pv_relay *r, uint64_t index);

/* In a worker: waits for what case number `index` may be made of, and adds it. */
void pv_relay_fetch(struct pv_relay *r, uint64_t index, struct pv_corpus *k);

#endif
