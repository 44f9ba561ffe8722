/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults, hot-plug, VFs, links and interrupts: what right hardware may do to a driver. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/session.h"

static int do_fault(struct pv_session *s, const struct pv_args *a)
{
	pv_bdf bdf;

	if (!pv_has(s->t->workload, fault))
		return pv_session_unsupported(s, "faults");
	if (pv_session_bdf(s, pv_arg_text(a, "device"), &bdf))
		return -1;
	int err = s->t->workload->ops->fault(s->t->workload, (enum pv_fault)pv_arg_choice(a, "kind"), bdf,
					     pv_arg_number(a, "value"));
	return err ? pv_session_plan_error(s, "fault %s on %s: the target refuses it: %s", pv_arg_text(a, "kind"),
					   pv_arg_text(a, "device"), pv_errno_name(err))
		   : 0;
}

static int do_irq_latency(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->workload, irq_latency))
		return pv_session_unsupported(s, "choice of the interrupt latency");
	uint64_t ns = pv_arg_time_ns(a);
	int err = s->t->workload->ops->irq_latency(s->t->workload, ns);
	if (err == -EOPNOTSUPP)
		return pv_session_unsupported(s, "choice of the interrupt latency");
	return err ? pv_session_plan_error(s, "interrupts cannot wait %" PRIu64 " ns: %s", ns, pv_errno_name(err)) : 0;
}

static int do_link_state(struct pv_session *s, const struct pv_args *a)
{
	pv_bdf bdf;

	if (!pv_has(s->t->workload, link_state))
		return pv_session_unsupported(s, "control of link states");
	if (pv_session_bdf(s, pv_arg_text(a, "port"), &bdf))
		return -1;
	uint64_t ns = pv_arg_time_ns(a);
	int err = s->t->workload->ops->link_state(s->t->workload, bdf,
						  (enum pv_wire_ltssm)(PV_LTSSM_L0 + pv_arg_choice(a, "state")), ns);
	if (err)
		return pv_session_plan_error(s, "link below %s: the target refuses %s: %s", pv_arg_text(a, "port"),
					     pv_arg_text(a, "state"), pv_errno_name(err));
	return 0;
}

/* Errors at the receiver of a port: faults of the target, with their own names in plans. */
static int do_link_event(struct pv_session *s, const struct pv_args *a)
{
	uint64_t lane = pv_arg_number(a, "lane"), count = pv_arg_number(a, "count");
	pv_bdf bdf;

	if (!pv_has(s->t->workload, phy_event))
		return pv_session_unsupported(s, "events below the data link layer");
	if (pv_session_bdf(s, pv_arg_text(a, "port"), &bdf))
		return -1;
	if (lane > UINT8_MAX || count > PV_PHY_COUNT_MAX)
		return pv_session_plan_error(s, "expected a lane of the link and a count up to %u", PV_PHY_COUNT_MAX);
	const struct pv_phy_event event = {
		.what = (unsigned)pv_arg_choice(a, "event") + PV_PHY_EBUF_OVERFLOW,
		.lane = (unsigned)lane,
		.count = (unsigned)count,
	};
	int err = s->t->workload->ops->phy_event(s->t->workload, bdf, &event);
	return err ? pv_session_plan_error(s, "%s on lane %" PRIu64 " of the link below %s: the target refuses it: %s",
					   pv_arg_text(a, "event"), lane, pv_arg_text(a, "port"), pv_errno_name(err))
		   : 0;
}

/* ---- hot-plug ---- */

enum notify { NOTIFY_NO, NOTIFY_YES, NOTIFY_PCIEHP, NOTIFY_RESCAN };

/* The port above a function; NULL: it is on a root bus. */
static const struct pv_topo_node *port_of(const struct pv_session *s, const struct pv_topo_node *node)
{
	return node->parent < 0 ? NULL : &s->t->topology->nodes[node->parent];
}

/* Resolves NOTIFY_YES: pciehp notices if it serves the port; otherwise somebody must request a rescan. */
static enum notify who_notices(const struct pv_topo_node *port, enum notify notify)
{
	bool served = port && port->hotplug && port->slot && port->role == PV_ROLE_PORT;

	if (notify != NOTIFY_YES)
		return notify;
	return served ? NOTIFY_PCIEHP : NOTIFY_RESCAN;
}

/* Reports new functions to the driver, and notes them for check-mps. */
static int tell(struct pv_session *s, enum pv_mps_arrival how, pv_bdf slot)
{
	struct pv_mps_event e;
	int err = pv_hotplug_history_prepare(&s->history, s->t, how, slot, &e);

	if (err)
		return err;
	err = how == PV_MPS_AT_HOTPLUG ? s->t->driver->ops->slot_event(s->t->driver, slot)
				       : s->t->driver->ops->rescan(s->t->driver);
	if (!err)
		return pv_hotplug_history_add(&s->history, &e);
	free((void *)e.images);
	return err;
}

static int plug_and_tell(struct pv_session *s, const struct pv_topo_node *node, enum notify notify)
{
	const struct pv_topo_node *port = port_of(s, node);
	int err = s->t->workload->ops->plug(s->t->workload, node);

	if (!err)
		err = pv_hotplug_history_plugged(&s->history, s->t);
	if (err)
		return err;
	switch (who_notices(port, notify)) {
	case NOTIFY_PCIEHP:
		return port ? tell(s, PV_MPS_AT_HOTPLUG, port->bdf) : -ENODEV;
	case NOTIFY_RESCAN:
		return tell(s, PV_MPS_AT_RESCAN, 0);
	default:
		return 0;
	}
}

static int plug(struct pv_session *s, const char *device, enum notify notify)
{
	const struct pv_topo_node *node = pv_session_node(s, device);

	if (!node)
		return -1;
	if (!pv_has(s->t->workload, plug) || !pv_has(s->t->driver, slot_event))
		return pv_session_unsupported(s, "hot-plug");
	return pv_session_expect(s, plug_and_tell(s, node, notify), NULL, "plugging %s", device) < 0;
}

static int unplug(struct pv_session *s, const char *device, enum notify notify)
{
	pv_bdf bdf;

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	if (!pv_has(s->t->workload, unplug))
		return pv_session_unsupported(s, "hot-plug");
	int err = s->t->workload->ops->unplug(s->t->workload, bdf);
	if (!err && notify != NOTIFY_NO)
		err = s->t->driver->ops->gone(s->t->driver, bdf);
	if (!err)
		err = pv_hotplug_history_gone(&s->history, s->t, bdf, false);
	s->history.lost |= notify == NOTIFY_NO;
	return pv_session_expect(s, err, NULL, "unplugging %s", device) < 0;
}

static int do_remove(struct pv_session *s, const char *device, enum notify notify)
{
	pv_bdf bdf;

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	if (!pv_has(s->t->driver, remove))
		return pv_session_unsupported(s, "removal of functions");
	int err = s->t->driver->ops->remove(s->t->driver, bdf);
	if (!err)
		err = pv_hotplug_history_gone(&s->history, s->t, bdf, true);
	return pv_session_expect(s, err, NULL, "removing %s", device) < 0;
}

static int do_rescan(struct pv_session *s, const char *device, enum notify notify)
{
	if (!pv_has(s->t->driver, rescan))
		return pv_session_unsupported(s, "rescan");
	return pv_session_expect(s, tell(s, PV_MPS_AT_RESCAN, 0), NULL, "rescanning") < 0;
}

static int do_hotplug(struct pv_session *s, const struct pv_args *a)
{
	static int (*const action[])(struct pv_session *, const char *, enum notify) = {plug, unplug, do_remove,
											do_rescan};
	const char *device = pv_arg_text(a, "device");
	int i = pv_arg_choice(a, "action");

	if (!device && action[i] != do_rescan)
		return pv_session_plan_error(s, "device: expected a function to %s, got nothing",
					     pv_arg_text(a, "action"));
	return action[i](s, device, (enum notify)pv_arg_choice(a, "notify"));
}

/* ---- virtual functions ---- */

static int do_vfs(struct pv_session *s, const struct pv_args *a)
{
	unsigned count = (unsigned)pv_arg_number(a, "count");
	const char *device = pv_arg_text(a, "device");
	pv_bdf bdf;

	if (!pv_has(s->t->driver, set_vfs))
		return pv_session_unsupported(s, "control of virtual functions");
	if (pv_session_bdf(s, device, &bdf))
		return -1;
	int err = s->t->driver->ops->set_vfs(s->t->driver, bdf, count);
	return pv_session_expect(s, err, NULL, "setting the number of VFs of %s to %u", device, count) < 0;
}

const struct pv_step_def pv_steps_fault[] = {
	{"fault", do_fault, 0},
	{"irq-latency", do_irq_latency, 0},
	{"link-state", do_link_state, 0},
	{"link-event", do_link_event, 0},
	{"hotplug", do_hotplug, PV_STEP_DRIVER},
	{"vfs", do_vfs, PV_STEP_DRIVER},
	{NULL},
};
