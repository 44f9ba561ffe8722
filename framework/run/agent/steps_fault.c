/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults, hot-plug, links and interrupts: what right hardware may do to a driver. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "framework/run/agent/session.h"

static int do_fault(struct pv_session *s, const struct pv_args *a)
{
	uint16_t bdf;
	if (!s->t->ops->fault)
		return pv_session_unsupported(s, "faults");
	if (pv_session_bdf(s, pv_arg_text(a, "device"), &bdf))
		return -1;
	int err = s->t->ops->fault(s->t, (enum pv_fault)pv_arg_choice(a, "kind"), bdf, pv_arg_number(a, "value"));
	return err ? pv_session_plan_error(s, "fault %s on %s: the target refuses it: %s", pv_arg_text(a, "kind"),
					   pv_arg_text(a, "device"), pv_errno_name(err))
		   : 0;
}

static int do_irq_latency(struct pv_session *s, const struct pv_args *a)
{
	if (!s->t->ops->irq_latency)
		return pv_session_unsupported(s, "choice of the interrupt latency");
	uint64_t ns = pv_arg_time_ns(a);
	int err = s->t->ops->irq_latency(s->t, ns);
	return err ? pv_session_plan_error(s, "interrupts cannot wait %" PRIu64 " ns: %s", ns, pv_errno_name(err)) : 0;
}

static int do_link_state(struct pv_session *s, const struct pv_args *a)
{
	uint16_t bdf;
	if (!s->t->ops->link_state)
		return pv_session_unsupported(s, "control of link states");
	if (pv_session_bdf(s, pv_arg_text(a, "port"), &bdf))
		return -1;
	uint64_t ns = pv_arg_time_ns(a);
	int err = s->t->ops->link_state(s->t, bdf, (enum pv_wire_ltssm)(PV_LTSSM_L0 + pv_arg_choice(a, "state")), ns);
	if (err)
		return pv_session_plan_error(s, "link below %s: the target refuses %s: %s", pv_arg_text(a, "port"),
					     pv_arg_text(a, "state"), pv_errno_name(err));
	return 0;
}

/* ---- hot-plug ---- */

static int plug(struct pv_session *s, const char *device, bool notify)
{
	const struct pv_topo_node *node = pv_session_node(s, device);
	if (!node)
		return -1;
	if (!s->t->ops->plug)
		return pv_session_unsupported(s, "hot-plug");
	return pv_session_expect(s, s->t->ops->plug(s->t, &node->conf, notify), NULL, "plugging %s", device) < 0;
}

static int unplug(struct pv_session *s, const char *device, bool notify)
{
	uint16_t bdf;
	if (pv_session_bdf(s, device, &bdf))
		return -1;
	if (!s->t->ops->unplug)
		return pv_session_unsupported(s, "hot-plug");
	return pv_session_expect(s, s->t->ops->unplug(s->t, bdf, notify), NULL, "unplugging %s", device) < 0;
}

static int do_remove(struct pv_session *s, const char *device, bool notify)
{
	uint16_t bdf;
	if (pv_session_bdf(s, device, &bdf))
		return -1;
	return pv_session_expect(s, s->t->ops->remove(s->t, bdf), NULL, "removing %s", device) < 0;
}

static int do_rescan(struct pv_session *s, const char *device, bool notify)
{
	return pv_session_expect(s, s->t->ops->rescan(s->t), NULL, "rescanning") < 0;
}

static int do_hotplug(struct pv_session *s, const struct pv_args *a)
{
	static int (*const action[])(struct pv_session *, const char *, bool) = {plug, unplug, do_remove, do_rescan};
	const char *device = pv_arg_text(a, "device");
	int i = pv_arg_choice(a, "action");
	if (!device && action[i] != do_rescan)
		return pv_session_plan_error(s, "device: expected a function to %s, got nothing",
					     pv_arg_text(a, "action"));
	return action[i](s, device, pv_arg_yes(a, "notify"));
}

const struct pv_step_def pv_steps_fault[] = {
	{"fault", do_fault, 0, "Makes hardware do what right hardware may do.",
	 PV_ARGS({"kind", PV_ARG_CHOICE, "what (docs/plan-reference.md)", true,
		  .choices = "tune-busy|trace-busy|reset-stuck|lost-msi|mrrs-max|mps-stuck|lane-count|trace-endless"},
		 {"device", PV_ARG_DEVICE, "the function", true},
		 {"value", PV_ARG_NUMBER, "1 on, 0 off; lost-msi: how many; mrrs-max: the field; lane-count: the count",
		  .def = "1"})},
	{"irq-latency", do_irq_latency, 0, "How long an interrupt waits for its handler: the slow consumer.",
	 PV_ARGS(PV_ARG_TIME)},
	{"link-state", do_link_state, 0, "The link below a port spends a time in a state; the case goes on meanwhile.",
	 PV_ARGS({"port", PV_ARG_DEVICE, "the port", true},
		 {"state", PV_ARG_CHOICE, "LTSSM state", true,
		  .choices = "L0|TX_L0S|RX_L0S|TX_RX_L0S|L1|L1_1|L1_2|CFG_RCVRY|L1_AUX"},
		 PV_ARG_TIME)},
	{"hotplug", do_hotplug, PV_STEP_DRIVER, "Functions come and go; remove and rescan are the driver's side alone.",
	 PV_ARGS({"action", PV_ARG_CHOICE, "what", true, .choices = "plug|unplug|remove|rescan"},
		 {"device", PV_ARG_DEVICE, "the function (rescan: none)"},
		 {"notify", PV_ARG_YESNO, "tell the driver", .def = "yes"}, PV_ARG_EXPECT)},
	{NULL},
};
