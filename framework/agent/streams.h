/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by TLP and CXL streams. */
#ifndef PV_AGENT_STREAMS_H
#define PV_AGENT_STREAMS_H

#include "framework/agent/session.h"

#define PV_STREAM_MAX_NS 60000000000ull /* limit of foreground traffic, simulated time */

uint64_t pv_stream_seed(const struct pv_session *s, const struct pv_args *a);
/* `stream`: id or -errno. Waits for the end of foreground traffic, or keeps the stream; `count` 0: endless. */
int pv_stream_started(struct pv_session *s, const struct pv_args *a, int stream, uint64_t count);
/* Attribute "requester": a number or a function; 0xffff: absent. */
int pv_stream_requester(struct pv_session *s, const struct pv_args *a, uint16_t *out);

/* Advances time until all traffic is done. 0, -ETIMEDOUT after `max_ns`, or -errno. */
int pv_stream_drain(struct pv_session *s, uint64_t max_ns);

int pv_do_cxl_traffic(struct pv_session *s, const struct pv_args *a);

#endif
