/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPS and MRRS: the interfaces, and the check of a whole machine against the policy it was booted with. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/agent/checks.h"
#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

static int set_size(struct pv_session *s, const struct pv_args *a, bool mrrs)
{
	pv_bdf bdf;
	int64_t bytes = pv_arg_signed(a, "bytes");
	const char *device = pv_arg_text(a, "device");

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	if (bytes < INT32_MIN || bytes > INT32_MAX)
		return pv_session_plan_error(s, "bytes: expected an int, got %" PRId64, bytes);
	int err = pv_has(s->t->driver, set_size) ? s->t->driver->ops->set_size(s->t->driver, bdf, mrrs, (int)bytes)
						 : -EOPNOTSUPP;
	if (err == -EOPNOTSUPP)
		return pv_session_unsupported(s, mrrs ? "way to set MRRS" : "way to set MPS");
	return pv_session_expect(s, err, NULL, "setting %s of %s to %" PRId64, mrrs ? "MRRS" : "MPS", device, bytes) <
	       0;
}

static int get_size(struct pv_session *s, const struct pv_args *a, bool mrrs)
{
	pv_bdf bdf;
	const char *device = pv_arg_text(a, "device"), *what = mrrs ? "MRRS" : "MPS";

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	int got = s->t->driver->ops->get_size(s->t->driver, bdf, mrrs);
	int end = pv_session_expect(s, got < 0 ? got : 0, NULL, "reading %s of %s", what, device);
	if (end || !pv_arg_has(a, "equals"))
		return end < 0;
	pv_session_learn(s, "equals", "%d", got);
	int64_t want = pv_arg_signed(a, "equals");
	return pv_session_judge(s, want == got, NULL, "%s of %s: expected %" PRId64 ", got %d", what, device, want,
				got);
}

static int do_mps_set(struct pv_session *s, const struct pv_args *a)
{
	return set_size(s, a, false);
}

static int do_mrrs_set(struct pv_session *s, const struct pv_args *a)
{
	return set_size(s, a, true);
}

static int do_mps_get(struct pv_session *s, const struct pv_args *a)
{
	return get_size(s, a, false);
}

static int do_mrrs_get(struct pv_session *s, const struct pv_args *a)
{
	return get_size(s, a, true);
}

/* ---- check-mps ---- */

static uint16_t word(const struct pv_cfg_image *i, unsigned off)
{
	return off + 1 < sizeof(i->data) ? (uint16_t)(i->data[off] | i->data[off + 1] << 8) : 0xffff;
}

/* DevCtl of an image; false: no PCI Express capability. */
static bool devctl(const struct pv_cfg_image *i, uint16_t *out)
{
	unsigned pos = word(i, PCI_STATUS) & PCI_STATUS_CAP_LIST ? i->data[PCI_CAPABILITIES] & 0xfc : 0;

	for (unsigned hops = 0; pos >= 0x40 && hops < 48; hops++) {
		if (i->data[pos] == PCI_CAP_ID_EXP) {
			*out = word(i, pos + PCI_EXP_DEVCTL);
			return true;
		}
		pos = i->data[pos + 1] & 0xfc;
	}
	return false;
}

void pv_image_sizes(const struct pv_cfg_image *i, unsigned *mps, unsigned *mrrs)
{
	uint16_t ctl;

	if (!i || !devctl(i, &ctl))
		return;
	if (mps)
		*mps = PCI_EXP_SIZE_BYTES((ctl & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT);
	if (mrrs)
		*mrrs = PCI_EXP_SIZE_BYTES((ctl & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT);
}

const struct pv_cfg_image *pv_image_at(const struct pv_cfg_image *list, size_t n, pv_bdf bdf)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].bdf == bdf)
			return &list[i];
	return NULL;
}

/* Compares one function with its expected sizes; describes differences in `f`. */
static bool same(struct pv_session *s, const struct pv_mps_expect *want, const struct pv_cfg_image *after, FILE *f)
{
	unsigned mps = 0, mrrs = 0;
	const struct pv_topo_node *node = pv_topology_by_bdf(s->t->topology, want->bdf);
	const char *name = node ? node->name : "?";

	if (!after) {
		fprintf(f, "%s (%s): expected it to be there, got nothing\n", name, pv_bdf_text(want->bdf).s);
		return false;
	}
	pv_image_sizes(after, &mps, &mrrs);
	if (!want->mps)
		return true;
	if (mps == want->mps && (!want->mrrs || mrrs == want->mrrs))
		return true;
	fprintf(f, "%s (%s): expected MPS %u MRRS %u, got MPS %u MRRS %u\n", name, pv_bdf_text(want->bdf).s, want->mps,
		want->mrrs, mps, mrrs);
	return false;
}

/* The functions as they are, and as they must be. */
struct machine {
	struct pv_cfg_image *now;
	struct pv_mps_expect *want;
	size_t n_now, n_want;
};

static void machine_free(struct machine *m)
{
	free(m->now);
	free(m->want);
}

static bool wanted(const struct machine *m, pv_bdf bdf)
{
	for (size_t i = 0; i < m->n_want; i++)
		if (m->want[i].bdf == bdf)
			return true;
	return false;
}

/* Counts unexpected functions, except those that the driver was not notified of. */
static size_t count_extra(struct pv_session *s, const struct machine *m, FILE *f)
{
	size_t extra = 0;

	for (size_t i = 0; i < m->n_now; i++) {
		if (wanted(m, m->now[i].bdf) || pv_hotplug_history_is_untold(&s->history, m->now[i].bdf))
			continue;
		fprintf(f, "%s: expected nothing there, got a function\n", pv_bdf_text(m->now[i].bdf).s);
		extra++;
	}
	return extra;
}

static int machine_get(struct pv_session *s, struct machine *m, enum pv_mps_policy policy)
{
	int err = s->t->truth->ops->cfg_images(s->t->truth, &m->now, &m->n_now);

	return err ? err : pv_hotplug_history_want(&s->history, s->t, policy, &m->want, &m->n_want);
}

static int check_mps(struct pv_session *s, const struct pv_args *a)
{
	__attribute__((cleanup(machine_free))) struct machine m = {0};
	_autofree_ char *text = NULL;
	size_t size, wrong = 0, judged = 0;
	if (!pv_has(s->t->truth, reset_images) || !pv_has(s->t->truth, cfg_images))
		return pv_session_unsupported(s, "images of configuration space out of reset");
	int policy = pv_arg_has(a, "policy") ? pv_arg_choice(a, "policy") : (int)s->policy;
	int err = machine_get(s, &m, (enum pv_mps_policy)policy);
	if (err == -ENODATA)
		return pv_session_plan_error(
			s, "what is right is not known here: expected whole devices to leave, and the "
			   "driver to be told, but only a part was taken away, or something of a "
			   "root bus, or an unplug had notify=\"no\"");
	FILE *f = err ? NULL : open_memstream(&text, &size);
	if (!f) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "the machine could not be judged: %s",
				   pv_errno_name(err ? err : -ENOMEM));
		return -1;
	}
	for (size_t i = 0; i < m.n_want; i++) {
		judged += m.want[i].mps != 0;
		wrong += !same(s, &m.want[i], pv_image_at(m.now, m.n_now, m.want[i].bdf), f);
	}
	wrong += count_extra(s, &m, f);
	fclose(f);
	if (!judged)
		return pv_session_plan_error(s, "expected functions with an MPS in the topology, got none");
	return pv_session_judge(s, !wrong, text,
				"expected MPS and MRRS of policy on %zu functions, got %zu wrong%s%.*s", judged, wrong,
				wrong ? ": " : "", (int)strcspn(text, "\n"), text);
}

const struct pv_step_def pv_steps_mps[] = {
	{"mps-set", do_mps_set, PV_STEP_DRIVER},
	{"mps-get", do_mps_get, PV_STEP_DRIVER},
	{"mrrs-set", do_mrrs_set, PV_STEP_DRIVER},
	{"mrrs-get", do_mrrs_get, PV_STEP_DRIVER},
	{"check-mps", check_mps, PV_STEP_DRIVER | PV_STEP_CHECK},
	{NULL},
};
