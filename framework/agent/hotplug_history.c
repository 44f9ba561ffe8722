/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices that were plugged and unplugged, for check-mps. A device is unplugged as a whole. The oracle cannot
 * remove a single function: if the driver removes a device function by function, the last one is the event.
 */
#include "framework/agent/hotplug_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

static struct pv_place_seen *find(const struct pv_hotplug_history *h, pv_bdf bdf)
{
	for (size_t i = 0; i < h->n_seen; i++)
		if (h->seen[i].bdf == bdf)
			return &h->seen[i];
	return NULL;
}

static bool is_known(const struct pv_hotplug_history *h, pv_bdf bdf)
{
	const struct pv_place_seen *s = find(h, bdf);

	return s && s->known;
}

bool pv_hotplug_history_is_untold(const struct pv_hotplug_history *h, pv_bdf bdf)
{
	const struct pv_place_seen *s = find(h, bdf);

	return s && s->untold;
}

static int put(struct pv_hotplug_history *h, const struct pv_place_seen *now)
{
	struct pv_place_seen *s = find(h, now->bdf);

	if (!s) {
		struct pv_place_seen *grown = realloc(h->seen, (h->n_seen + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		h->seen = grown;
		s = &grown[h->n_seen++];
	}
	*s = *now;
	return 0;
}

void pv_hotplug_history_clear(struct pv_hotplug_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free((void *)h->event[i].images);
	free(h->event);
	free(h->seen);
	*h = (struct pv_hotplug_history){0};
}

/* Returns the bridge with this BDF; NULL: none. */
static const struct pv_topo_node *port_at(const struct pv_target *t, pv_bdf bdf)
{
	const struct pv_topo_node *node = t->topology ? pv_topology_by_bdf(t->topology, bdf) : NULL;

	return node && node->secondary ? node : NULL;
}

static bool is_below(const struct pv_topo_node *port, pv_bdf bdf)
{
	return PCI_DOMAIN(bdf) == PCI_DOMAIN(port->bdf) && PCI_BUS(bdf) >= port->secondary &&
	       PCI_BUS(bdf) <= port->subordinate;
}

/* At first the driver knows the machine as it was at boot. */
static int start(struct pv_hotplug_history *h, struct pv_target *t)
{
	_autofree_ struct pv_cfg_image *images = NULL;
	size_t n = 0;
	int err = h->started ? 0 : t->truth->ops->reset_images(t->truth, &images, &n);

	for (size_t i = 0; i < n && !err; i++)
		err = put(h, &(struct pv_place_seen){images[i].bdf, .known = true});
	h->started = !err;
	return err;
}

static bool is_told(const struct pv_target *t)
{
	return t->truth && t->truth->ops->reset_images && t->truth->ops->cfg_images;
}

int pv_hotplug_history_plugged(struct pv_hotplug_history *h, struct pv_target *t)
{
	_autofree_ struct pv_cfg_image *now = NULL;
	size_t n = 0;
	int err = is_told(t) ? start(h, t) : 0;

	if (!err && is_told(t))
		err = t->truth->ops->cfg_images(t->truth, &now, &n);
	for (size_t i = 0; i < n && !err; i++)
		if (!is_known(h, now[i].bdf))
			err = put(h, &(struct pv_place_seen){now[i].bdf, .untold = true});
	return err;
}

int pv_hotplug_history_prepare(const struct pv_hotplug_history *h, struct pv_target *t, enum pv_mps_arrival how,
			       pv_bdf slot, struct pv_mps_event *out)
{
	const struct pv_topo_node *port = how == PV_MPS_AT_HOTPLUG ? port_at(t, slot) : NULL;
	struct pv_cfg_image *now = NULL;
	size_t n = 0, kept = 0;

	*out = (struct pv_mps_event){.how = how, .slot = slot};
	int err = is_told(t) ? t->truth->ops->cfg_images(t->truth, &now, &n) : 0;
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (pv_hotplug_history_is_untold(h, now[i].bdf) && (!port || is_below(port, now[i].bdf)))
			now[kept++] = now[i];
	out->images = now;
	out->n = kept;
	return 0;
}

static int append(struct pv_hotplug_history *h, const struct pv_mps_event *e)
{
	struct pv_mps_event *grown = realloc(h->event, (h->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	h->event = grown;
	h->event[h->n++] = *e;
	return 0;
}

int pv_hotplug_history_add(struct pv_hotplug_history *h, const struct pv_mps_event *e)
{
	int err = e->n ? 0 : -ENOENT;

	for (size_t i = 0; i < e->n && !err; i++)
		err = put(h, &(struct pv_place_seen){e->images[i].bdf, .known = true});
	if (!err)
		err = append(h, e);
	if (err)
		free((void *)e->images);
	return err == -ENOENT ? 0 : err;
}

/* Removing a physical function removes its VFs, and unplugging a slot removes the whole device. */
static bool goes_with(const struct pv_target *t, const struct pv_topo_node *n, const struct pv_topo_node *node,
		      bool still_there)
{
	if (!still_there)
		return pv_topology_below(t->topology, n, node);
	return n == node || (node->secondary && is_below(node, n->bdf)) ||
	       (n->vf && !node->vf && n->parent == node->parent);
}

/* Removes `node` and the functions that depend on it. */
static void forget(struct pv_hotplug_history *h, struct pv_target *t, const struct pv_topo_node *node, bool still_there)
{
	for (size_t i = 0; i < t->topology->n; i++) {
		const struct pv_topo_node *n = &t->topology->nodes[i];
		struct pv_place_seen *seen = find(h, n->bdf);

		if (!goes_with(t, n, node, still_there) || !seen || !(seen->known || seen->untold))
			continue;
		*seen = (struct pv_place_seen){n->bdf, .untold = still_there};
	}
}

static bool is_empty(const struct pv_hotplug_history *h, const struct pv_topo_node *port)
{
	for (size_t i = 0; i < h->n_seen; i++)
		if (h->seen[i].known && is_below(port, h->seen[i].bdf))
			return false;
	return true;
}

int pv_hotplug_history_gone(struct pv_hotplug_history *h, struct pv_target *t, pv_bdf bdf, bool still_there)
{
	const struct pv_topo_node *node = t->topology ? pv_topology_by_bdf(t->topology, bdf) : NULL;
	int err = is_told(t) ? start(h, t) : 0;

	if (err || !is_told(t))
		return err;
	if (!node || node->parent < 0) {
		h->lost = true;
		return 0;
	}
	const struct pv_topo_node *port = &t->topology->nodes[node->parent];
	forget(h, t, node, still_there);
	h->lost |= h->torn && h->torn_slot != port->bdf;
	h->torn = !is_empty(h, port);
	h->torn_slot = port->bdf;
	return h->torn ? 0 : append(h, &(struct pv_mps_event){.how = PV_MPS_UNPLUG, .slot = port->bdf});
}

int pv_hotplug_history_want(const struct pv_hotplug_history *h, struct pv_target *t, enum pv_mps_policy policy,
			    struct pv_mps_expect **want, size_t *n)
{
	_autofree_ struct pv_cfg_image *boot = NULL;
	size_t n_boot = 0, room = 1;

	if (h->lost || h->torn)
		return -ENODATA;
	int err = t->truth->ops->reset_images(t->truth, &boot, &n_boot);
	if (err)
		return err;
	_autofree_ struct pv_mps_event *events = calloc(h->n + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	events[0] = (struct pv_mps_event){.how = PV_MPS_AT_BOOT, .images = boot, .n = n_boot};
	for (size_t i = 0; i < h->n; i++)
		events[i + 1] = h->event[i];
	for (size_t i = 0; i <= h->n; i++)
		room += events[i].n;
	_autofree_ struct pv_mps_expect *out = calloc(room, sizeof(*out));
	if (!out)
		return -ENOMEM;
	err = pv_oracle_mps_events(policy, events, h->n + 1, out, n);
	*want = steal(&out);
	return err;
}
