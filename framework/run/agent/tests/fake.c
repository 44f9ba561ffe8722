/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake target. */
#include "framework/run/agent/tests/fake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *path, *text;
} files[] = {
	{"format/mask", "config:0-31"},
	{"format/gid", "config:32-47"},
	{"format/vid", "config:48-63"},
	{"format/threshold", "config1:0-15"},
	{"format/edge", "config1:17"},
	{"format/eventid", "config:0-15"},
	{"format/type", "config:16-19"},
	{"format/lane", "config:20-27"},
	{"format/split", "config2:0-3,8-11"},
	{"events/rdcurr", "vid=0x1e98,gid=0x10,mask=0x2"},
	{"events/whole", "config=0x1e98000000000001"},
	{"events/tx_ack", "eventid=0x600,type=0x1,lane=?"},
	{"events/broken", "no_such_term=1"},
	{"tune/level", "1\n"},
};

static int attr_read(struct pv_target *t, const char *pmu, const char *path, char *buf, size_t size)
{
	if (strcmp(pmu, "fake"))
		return -ENODEV;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(files[i].path, path))
			return snprintf(buf, size, "%s", files[i].text);
	return -ENOENT;
}

static int event_open(struct pv_target *t, const char *pmu, const struct pv_event_attr *attr, struct pv_event *leader,
		      pv_aux_fn aux, void *ctx, struct pv_event **out)
{
	struct pv_fake *f = (struct pv_fake *)t;
	f->opened = *attr;
	if (f->open_error)
		return f->open_error;
	f->open_events++;
	*out = (struct pv_event *)f;
	return 0;
}

static int event_nothing(struct pv_target *t, struct pv_event *ev)
{
	return 0;
}

static int event_read(struct pv_target *t, struct pv_event *ev, uint64_t *value)
{
	*value = ((struct pv_fake *)t)->count;
	return 0;
}

static void event_close(struct pv_target *t, struct pv_event *ev)
{
	((struct pv_fake *)t)->open_events--;
}

static int boot(struct pv_target *t, enum pv_mps_policy policy, struct pv_error *e)
{
	return 0;
}

const struct pv_target_ops pv_fake_ops = {
	.name = "fake",
	.boot = boot,
	.attr_read = attr_read,
	.event_open = event_open,
	.event_enable = event_nothing,
	.event_disable = event_nothing,
	.event_read = event_read,
	.event_close = event_close,
};
