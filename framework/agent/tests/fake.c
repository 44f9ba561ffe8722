/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake target. */
#include "framework/agent/tests/fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/args.h"

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

static struct pv_fake *fake(struct pv_target *t)
{
	return (struct pv_fake *)t;
}

/* ---- the driver ---- */

static int boot(struct pv_target *t, enum pv_mps_policy policy, struct pv_error *e)
{
	return 0;
}

static int probe_status(struct pv_target *t, pv_bdf bdf, unsigned n, const char **why)
{
	*why = fake(t)->why;
	return fake(t)->error;
}

/* The n-th word; valid until the next call. */
static const char *nth_word(const char *list, size_t n)
{
	static char word[64];
	bool found;
	do
		found = pv_word_next(&list, word, sizeof(word));
	while (found && n--);
	return found ? word : NULL;
}

static int pmu_parent(struct pv_target *t, const char *pmu, pv_bdf *bdf)
{
	*bdf = 0x0200;
	return 0;
}

static const char *pmu_name(struct pv_target *t, size_t n)
{
	return fake(t)->many ? (n < fake(t)->many ? "pmu" : NULL) : nth_word(fake(t)->pmus, n);
}

static const char *log_line(struct pv_target *t, size_t n)
{
	return nth_word(fake(t)->log, n);
}

static int attr_read(struct pv_target *t, const char *pmu, const char *path, char *buf, size_t size)
{
	if (fake(t)->error)
		return fake(t)->error;
	if (strcmp(pmu, "fake"))
		return -ENODEV;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(files[i].path, path))
			return snprintf(buf, size, "%s", files[i].text);
	return -ENOENT;
}

static int attr_write(struct pv_target *t, const char *pmu, const char *path, const char *text)
{
	return fake(t)->error;
}

static int attr_list(struct pv_target *t, const char *pmu, const char *dir, void (*fn)(void *, const char *), void *ctx)
{
	size_t n = strlen(dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strncmp(files[i].path, dir, n) && files[i].path[n] == '/')
			fn(ctx, files[i].path + n + 1);
	return fake(t)->error;
}

static int event_open(struct pv_target *t, const char *pmu, const struct pv_event_attr *attr, struct pv_event *leader,
		      pv_aux_fn aux, void *ctx, struct pv_event **out)
{
	struct pv_fake *f = fake(t);
	f->opened = *attr;
	if (f->open_error || f->error)
		return f->open_error ? f->open_error : f->error;
	f->open_events++;
	f->is_ptt = aux;
	f->aux = aux;
	f->aux_ctx = ctx;
	*out = (struct pv_event *)f;
	return 0;
}

static int event_switch(struct pv_target *t, struct pv_event *ev)
{
	struct pv_fake *f = fake(t);
	for (unsigned i = 0; i < f->during; i++)
		pv_ledger_add(f->ledger, &f->meanwhile[!f->is_ptt]);
	return fake(t)->error;
}

static int event_read(struct pv_target *t, struct pv_event *ev, uint64_t *value)
{
	*value = fake(t)->count;
	return fake(t)->error;
}

static void event_close(struct pv_target *t, struct pv_event *ev)
{
	fake(t)->open_events--;
}

static int get_size(struct pv_target *t, pv_bdf bdf, bool mrrs)
{
	return fake(t)->error ? fake(t)->error : fake(t)->bytes[mrrs];
}

static int set_size(struct pv_target *t, pv_bdf bdf, bool mrrs, int bytes)
{
	return fake(t)->error;
}

/* ---- the machine ---- */

static uint64_t now_ps(struct pv_target *t)
{
	return fake(t)->ledger ? 1000000 + 10000 * pv_ledger_records(fake(t)->ledger) : 0;
}

static int reg_read(struct pv_target *t, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	const struct pv_fake *f = fake(t);
	*value = 0;
	for (size_t i = 0; i < f->regs; i++)
		if (f->reg[i].bdf == bdf && f->reg[i].bar == bar && f->reg[i].off == off && f->reg[i].bytes == bytes)
			*value = f->reg[i].value;
	return 0;
}

static int copy_images(const struct pv_cfg_image *from, size_t n, struct pv_cfg_image **out, size_t *out_n)
{
	*out = calloc(n + 1, sizeof(**out));
	if (*out && n)
		memcpy(*out, from, n * sizeof(**out));
	*out_n = n;
	return *out ? 0 : -ENOMEM;
}

static int cfg_images(struct pv_target *t, struct pv_cfg_image **out, size_t *n)
{
	return copy_images(fake(t)->after, fake(t)->n_after, out, n);
}

static int reset_images(struct pv_target *t, struct pv_cfg_image **out, size_t *n)
{
	return copy_images(fake(t)->before, fake(t)->n_before, out, n);
}

static int traffic(struct pv_target *t, const struct pv_traffic_conf *conf)
{
	return fake(t)->error;
}

static int cxl_traffic(struct pv_target *t, const struct pv_cxl_traffic_conf *conf)
{
	return fake(t)->error;
}

static int traffic_stop(struct pv_target *t, int stream)
{
	return fake(t)->error;
}

static int drain(struct pv_target *t, uint64_t max_ns)
{
	return fake(t)->error;
}

static int plug(struct pv_target *t, const struct pv_node_conf *conf)
{
	return fake(t)->error;
}

static int unplug(struct pv_target *t, pv_bdf bdf, bool notify)
{
	return fake(t)->error;
}

static int slot_event(struct pv_target *t, pv_bdf port)
{
	return fake(t)->error;
}

static int rescan(struct pv_target *t)
{
	return fake(t)->error;
}

static int remove_function(struct pv_target *t, pv_bdf bdf)
{
	return fake(t)->error;
}

static struct pv_ledger *ledger(struct pv_target *t)
{
	return fake(t)->ledger;
}

static struct pv_dma_lost dma_lost(struct pv_target *t)
{
	return fake(t)->dma_lost;
}

static void shut_down(struct pv_target *t, pv_told_fn told, void *ctx)
{
	if (fake(t)->holds)
		told(ctx, "leak", "something is still held");
}

const struct pv_target_ops pv_fake_ops = {
	.name = "fake",
	.boot = boot,
	.cfg_images = cfg_images,
	.reset_images = reset_images,
	.reg_read = reg_read,
	.now_ps = now_ps,
	.probe_status = probe_status,
	.pmu_name = pmu_name,
	.pmu_parent = pmu_parent,
	.attr_read = attr_read,
	.attr_write = attr_write,
	.attr_list = attr_list,
	.event_open = event_open,
	.event_enable = event_switch,
	.event_disable = event_switch,
	.event_read = event_read,
	.event_close = event_close,
	.get_size = get_size,
	.set_size = set_size,
	.log_line = log_line,
	.traffic = traffic,
	.cxl_traffic = cxl_traffic,
	.traffic_stop = traffic_stop,
	.drain = drain,
	.unplug = unplug,
	.plug = plug,
	.slot_event = slot_event,
	.rescan = rescan,
	.remove = remove_function,
	.ledger = ledger,
	.dma_lost = dma_lost,
	.shutdown = shut_down,
};
