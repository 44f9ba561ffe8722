/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stimuli of the hardware from outside: traffic, link states, faults, plug and unplug. */
#ifndef PV_TARGET_WORKLOAD_H
#define PV_TARGET_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/regs/traffic.h"

struct pv_topo_node;

struct pv_workload {
	const struct pv_workload_ops *ops;
};

/* Each returns 0 or -errno unless it says otherwise. */
struct pv_workload_ops {
	int (*traffic)(struct pv_workload *w, const struct pv_traffic_conf *s); /* id of the stream, >= 0 */
	int (*cxl_traffic)(struct pv_workload *w, const struct pv_cxl_traffic_conf *s);
	int (*traffic_stop)(struct pv_workload *w, int stream);
	int (*traffic_stats)(struct pv_workload *w, int stream, struct pv_traffic_stats *out);
	bool (*idle)(struct pv_workload
			     *w); /* returns true if no stream has anything left to send and nothing is in flight */
	/* The link below `port` spends `ns` in a state, then returns to L0. */
	int (*link_state)(struct pv_workload *w, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns);
	int (*fault)(struct pv_workload *w, enum pv_fault f, pv_bdf bdf, uint64_t arg);
	int (*phy_event)(struct pv_workload *w, pv_bdf port, const struct pv_phy_event *e);
	/* Sets how long an interrupt waits for its handler: a slow consumer. NULL: the machine decides. */
	int (*irq_latency)(struct pv_workload *w, uint64_t ns);
	int (*plug)(struct pv_workload *w, const struct pv_topo_node *node); /* without notification */
	/* Surprise removal of the whole device of this function, without notification. */
	int (*unplug)(struct pv_workload *w, pv_bdf bdf);
};

#endif
