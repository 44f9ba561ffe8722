/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event attributes common to traces and counters. */
#include "framework/agent/event_attr.h"

#include <errno.h>
#include <string.h>

#include "framework/agent/events.h"
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

/* ---- bits that are refused ---- */

static const char *const words[] = {"config", "config1", "config2"};

/* A bit of an event's configuration, and its term in the PMU's format. */
struct bit {
	struct pv_session *s;
	const char *pmu;
	unsigned word, at;
	char term[64]; /* or the reason why it cannot be read; "": none */
};

static void note_term(void *ctx, const char *name)
{
	struct bit *b = ctx;
	struct pv_driver *d = b->s->t->driver;
	struct pv_event_config c = {0};
	char path[160], format[128] = "";

	snprintf(path, sizeof(path), "format/%s", name);
	if (d->ops->attr_read(d, b->pmu, path, format, sizeof(format) - 1) < 0)
		return;
	format[strcspn(format, "\n")] = 0;
	/* All bits of the term, in and out of range. */
	pv_event_pack(format, UINT64_MAX, &c);
	if (c.word[b->word] >> b->at & 1)
		snprintf(b->term, sizeof(b->term), "%s", name);
}

static void tell_bit(struct bit *b, struct pv_error *e)
{
	struct pv_driver *d = b->s->t->driver;
	size_t len = *e->text ? strlen(e->text) : 0;
	int err = d->ops->attr_list(d, b->pmu, "format", note_term, b);

	/* A PMU may have no formats. */
	if (err && err != -ENOENT)
		snprintf(b->term, sizeof(b->term), "format: %s", pv_errno_name(err));
	snprintf(e->text + len, sizeof(e->text) - len, "%s bit %u of %s%s%s%s", len ? ", or" : "it opens without",
		 b->at, words[b->word], *b->term ? " (" : "", b->term, *b->term ? ")" : "");
}

int pv_event_attr_open(struct pv_session *s, const char *pmu, const struct pv_perf_attr *attr,
		       struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out,
		       struct pv_error *e)
{
	struct pv_driver *d = s->t->driver;
	int err = d->ops->event_open(d, pmu, attr, leader, aux, aux_ctx, out);

	if (err != -EINVAL || pv_arg_errno(s->step, "expect") == EINVAL)
		return err;
	for (unsigned i = 0; i < ARRAY_SIZE(words) * 64; i++) {
		struct pv_perf_attr without = *attr;
		uint64_t *const word[] = {&without.config, &without.config1, &without.config2};
		struct bit b = {.s = s, .pmu = pmu, .word = i / 64, .at = i % 64};
		struct pv_perf_event *event;

		if (!(*word[b.word] >> b.at & 1))
			continue;
		*word[b.word] &= ~(1ull << b.at);
		if (d->ops->event_open(d, pmu, &without, leader, aux, aux_ctx, &event))
			continue;
		d->ops->event_close(d, event);
		tell_bit(&b, e);
	}
	return err;
}
