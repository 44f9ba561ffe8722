/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target for tests of the agent alone: one PMU with fixed attribute files, a counter that counts what the test
 * says, and nothing behind it.
 */
#ifndef PV_AGENT_TESTS_FAKE_H
#define PV_AGENT_TESTS_FAKE_H

#include "framework/target/target.h"

struct pv_fake {
	struct pv_target base;
	int open_error;		     /* what event_open returns */
	uint64_t count;		     /* what event_read gives */
	struct pv_event_attr opened; /* what was opened last */
	unsigned open_events;
};

extern const struct pv_target_ops pv_fake_ops;

#endif
