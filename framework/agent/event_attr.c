/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event attributes common to traces and counters. */
#include "framework/agent/event_attr.h"

#include <errno.h>
#include <string.h>

#include "framework/agent/event_refused.h"
#include "framework/util/cleanup.h"

static const char *const excludes[] = {
	[PV_PERF_EXCLUDE_USER] = "user", [PV_PERF_EXCLUDE_KERNEL] = "kernel", [PV_PERF_EXCLUDE_HV] = "hv",
	[PV_PERF_EXCLUDE_IDLE] = "idle", [PV_PERF_EXCLUDE_HOST] = "host",     [PV_PERF_EXCLUDE_GUEST] = "guest",
};

/* The words of `exclude` as bits. */
static int exclude_mask(struct pv_session *s, const struct pv_args *a, uint32_t *mask)
{
	const char *list = pv_arg_text(a, "exclude");
	char word[16];

	*mask = 0;
	while (list && pv_word_next(&list, word, sizeof(word))) {
		size_t i = 0;

		while (i < ARRAY_SIZE(excludes) && strcmp(word, excludes[i]))
			i++;
		if (i == ARRAY_SIZE(excludes))
			return pv_session_plan_error(
				s, "exclude: expected some of user, kernel, hv, idle, host, guest, got \"%s\"", word);
		*mask |= 1u << i;
	}
	return 0;
}

/* In the order of PV_OPENING_ARGS. */
static const uint32_t aux_actions[] = {0, PV_PERF_AUX_START_PAUSED, PV_PERF_AUX_PAUSE, PV_PERF_AUX_RESUME};

int pv_event_attr_fill(struct pv_session *s, const struct pv_args *a, struct pv_perf_attr *attr)
{
	attr->per_task = pv_arg_yes(a, "per-task");
	attr->sampling = pv_arg_yes(a, "sampling");
	attr->on_cpu = pv_arg_has(a, "cpu");
	attr->cpu = (uint32_t)pv_arg_number(a, "cpu");
	attr->aux_action = aux_actions[pv_arg_choice(a, "aux-action")];
	return exclude_mask(s, a, &attr->exclude);
}

int pv_event_attr_open(struct pv_session *s, const char *pmu, const struct pv_perf_attr *attr,
		       struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out,
		       struct pv_error *e)
{
	struct pv_driver *d = s->t->driver;
	int err = d->ops->event_open(d, pmu, attr, leader, aux, aux_ctx, out);

	if (err == -EINVAL && pv_arg_errno(s->step, "expect") != EINVAL)
		pv_event_refused(d, pmu, attr, leader, aux, aux_ctx, e);
	return err;
}
