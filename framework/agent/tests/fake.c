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
	{"events/rx_nullified_tlp", "eventid=0x604,type=0x1,lane=?"},
	{"events/tx_ack", "eventid=0x600,type=0x1,lane=?"},
	{"events/broken", "no_such_term=1"},
	{"tune/level", "1\n"},
};

#define FAKE(table, member) ((struct pv_fake *)((char *)(table)-offsetof(struct pv_fake, member)))

/* ---- the driver ---- */

static int boot(struct pv_machine *m, enum pv_mps_policy policy, struct pv_error *e)
{
	return 0;
}

static int probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why)
{
	*why = FAKE(d, driver)->why;
	return FAKE(d, driver)->error;
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

static int pmu_parent(struct pv_driver *d, const char *pmu, pv_bdf *bdf)
{
	*bdf = !strncmp(pmu, "hisi_ptt", 8) ? 0x0008 : !strncmp(pmu, "dwc_rootport_", 13) ? 0x0080 : 0x0200;
	return strcmp(pmu, "none") ? 0 : -ENODEV;
}

static const char *pmu_name(struct pv_driver *d, size_t n)
{
	return nth_word(FAKE(d, driver)->pmus, n);
}

static const char *log_line(struct pv_driver *d, size_t n)
{
	return nth_word(FAKE(d, driver)->log, n);
}

static int read_file(const struct pv_fake *f, const char *pmu, const char *path, char *buf, size_t size)
{
	for (size_t i = 0; i < f->files; i++)
		if (!strcmp(f->file_of[i].pmu, pmu) && !strcmp(f->file_of[i].path, path))
			return f->file_of[i].error ?: snprintf(buf, size, "%s\n", f->file_of[i].text);
	return -ENOENT;
}

static int attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	if (FAKE(d, driver)->error)
		return FAKE(d, driver)->error;
	if (FAKE(d, driver)->files)
		return read_file(FAKE(d, driver), pmu, path, buf, size);
	if (!strncmp(pmu, "dwc_rootport_", strlen("dwc_rootport_"))) /* without files: config= is known to perf */
		return -ENOENT;
	if (strcmp(pmu, "fake"))
		return -ENODEV;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(files[i].path, path))
			return snprintf(buf, size, "%s", files[i].text);
	return -ENOENT;
}

static int attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	return FAKE(d, driver)->error;
}

static int attr_list(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *), void *ctx)
{
	size_t n = strlen(dir);

	if (FAKE(d, driver)->list_error)
		return FAKE(d, driver)->list_error;
	for (size_t i = 0; !FAKE(d, driver)->files && i < sizeof(files) / sizeof(files[0]); i++)
		if (!strncmp(files[i].path, dir, n) && files[i].path[n] == '/')
			fn(ctx, files[i].path + n + 1);
	for (size_t i = 0; i < FAKE(d, driver)->files; i++) {
		const struct pv_fake_file *file = &FAKE(d, driver)->file_of[i];

		if (!strcmp(file->pmu, pmu) && !strncmp(file->path, dir, n) && file->path[n] == '/')
			fn(ctx, file->path + n + 1);
	}
	return FAKE(d, driver)->error;
}

static int event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, pv_perf_aux_fn aux, void *ctx, struct pv_perf_event **out)
{
	struct pv_fake *f = FAKE(d, driver);

	f->opened = *attr;
	if (f->open_error || f->error)
		return f->open_error ? f->open_error : f->error;
	if (attr->config & f->refused)
		return -EINVAL;
	f->open_events++;
	f->is_ptt = aux;
	f->aux = aux;
	f->aux_ctx = ctx;
	*out = (struct pv_perf_event *)f;
	return 0;
}

/* Lets a message pass, as during a call. Returns what the call returns. */
static int pass(struct pv_fake *f)
{
	for (unsigned i = 0; i < f->during; i++)
		pv_ledger_add(f->ledger, &f->meanwhile[!f->is_ptt]);
	return f->error;
}

static int event_switch(struct pv_driver *d, struct pv_perf_event *ev)
{
	return pass(FAKE(d, driver));
}

static int event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	*value = FAKE(d, driver)->count;
	return FAKE(d, driver)->error;
}

static void event_close(struct pv_driver *d, struct pv_perf_event *ev)
{
	FAKE(d, driver)->open_events--;
}

static int get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs)
{
	return FAKE(d, driver)->error ? FAKE(d, driver)->error : FAKE(d, driver)->bytes[mrrs];
}

static int set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes)
{
	return FAKE(d, driver)->error;
}

/* ---- the machine ---- */

static uint64_t now_ps(struct pv_machine *m)
{
	if (FAKE(m, machine)->clock_ps)
		return FAKE(m, machine)->clock_ps;
	return FAKE(m, machine)->ledger ? 1000000 + 10000 * pv_ledger_records(FAKE(m, machine)->ledger) : 0;
}

static int reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_fake *f = FAKE(m, machine);

	*value = 0;
	for (size_t i = 0; i < f->regs; i++)
		if (f->reg[i].bdf == bdf && f->reg[i].bar == bar && f->reg[i].off == off && f->reg[i].bytes == bytes) {
			*value = f->reg[i].value;
			f->reg[i].value += f->reg[i].grows;
		}
	return f->gone ? -ECONNRESET : 0;
}

static int reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	return FAKE(m, machine)->error;
}

static int copy_images(const struct pv_cfg_image *from, size_t n, struct pv_cfg_image **out, size_t *out_n)
{
	*out = calloc(n + 1, sizeof(**out));
	if (*out && n)
		memcpy(*out, from, n * sizeof(**out));
	*out_n = n;
	return *out ? 0 : -ENOMEM;
}

static int cfg_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	return copy_images(FAKE(t, truth)->after, FAKE(t, truth)->n_after, out, n);
}

static int reset_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	return copy_images(FAKE(t, truth)->before, FAKE(t, truth)->n_before, out, n);
}

static int traffic(struct pv_workload *w, const struct pv_traffic_conf *conf)
{
	return FAKE(w, workload)->error;
}

static int cxl_traffic(struct pv_workload *w, const struct pv_cxl_traffic_conf *conf)
{
	return FAKE(w, workload)->error;
}

static int traffic_stop(struct pv_workload *w, int stream)
{
	return FAKE(w, workload)->error;
}

/* No stream gets on. */
static int traffic_stats(struct pv_workload *w, int stream, struct pv_traffic_stats *out)
{
	return FAKE(w, workload)->error;
}

static bool idle(struct pv_workload *w)
{
	const struct pv_fake *f = FAKE(w, workload);

	return !f->error && !f->gone;
}

static int plug(struct pv_workload *w, const struct pv_topo_node *node)
{
	return FAKE(w, workload)->error;
}

static int unplug(struct pv_workload *w, pv_bdf bdf)
{
	return FAKE(w, workload)->error;
}

static int slot_event(struct pv_driver *d, pv_bdf port)
{
	return FAKE(d, driver)->error;
}

static int rescan(struct pv_driver *d)
{
	return FAKE(d, driver)->error;
}

static int remove_function(struct pv_driver *d, pv_bdf bdf)
{
	return FAKE(d, driver)->error;
}

static int set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n)
{
	return FAKE(d, driver)->error;
}

static struct pv_ledger *ledger(struct pv_truth *t)
{
	return FAKE(t, truth)->ledger;
}

static struct pv_dma_lost dma_lost(struct pv_truth *t)
{
	return FAKE(t, truth)->dma_lost;
}

static const struct pv_rules *broken_rules(struct pv_truth *t)
{
	return FAKE(t, truth)->rules;
}

static void shut_down(struct pv_machine *m, pv_report_fn told, void *ctx)
{
	if (FAKE(m, machine)->holds)
		told(ctx, "leak", "something is still held");
}

static int gone(struct pv_driver *d, pv_bdf bdf)
{
	return FAKE(d, driver)->error;
}

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	const struct pv_fake *f = FAKE(m, machine);

	return f->gone ? -ECONNRESET : f->error;
}

static int cpu_online(struct pv_machine *m, unsigned cpu, bool online)
{
	return pass(FAKE(m, machine));
}

static int suspend(struct pv_machine *m, bool power_lost)
{
	return FAKE(m, machine)->error;
}

static int runtime_pm(struct pv_machine *m, pv_bdf bdf, bool allowed)
{
	return FAKE(m, machine)->error;
}

static int module(struct pv_machine *m, const char *name, bool load)
{
	return FAKE(m, machine)->error;
}

/* The driver's log, and those of the test. */
static int file_read(struct pv_machine *m, const char *path, char *buf, size_t size)
{
	if (FAKE(m, machine)->files)
		return read_file(FAKE(m, machine), "", path, buf, size);
	return strcmp(path, "/log") ? -ENOENT : snprintf(buf, size, "begin\n%s\nend\n", FAKE(m, machine)->log);
}

/* The count stands for the number of threads; the interrupt is movable if it has any. */
static int interrupt(struct pv_machine *m, const char *name, struct pv_interrupt *out)
{
	const struct pv_fake *f = FAKE(m, machine);

	*out = (struct pv_interrupt){.number = 24, .movable = f->count, .threads = (unsigned)f->count};
	return strcmp(name, "fake") ? -ENOENT : f->error;
}

/* Every program prints the same text; a background program has printed nothing yet. */
static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	const struct pv_fake *f = FAKE(s, shell);
	bool starts = !strcmp(argv[0], "sh") && strchr(argv[2], '&') && strstr(argv[2], "/dev/null");
	struct pv_shell_output *to = f->complains ? err : out;

	*status = starts ? 0 : f->exits << 8;
	out->text[0] = err->text[0] = 0;
	to->len = (size_t)snprintf(to->text, to->room, "%s", starts ? "" : f->said);
	to->cut = f->cut && !starts;
	return f->error;
}

static int run_command(struct pv_commands *c, pv_bdf from, pv_bdf to, struct pv_command_result *out, struct pv_error *e)
{
	struct pv_fake *f = FAKE(c, commands);

	snprintf(f->moved_by, sizeof(f->moved_by), "%x>%x", from, to);
	*out = (struct pv_command_result){f->moved, 0.5};
	return f->error ? pv_error(e, f->error, "the command was refused, from %s", f->moved_by) : 0;
}

/* The count stands for the running time in percent of the enabled time. */
static int event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns)
{
	*enabled_ns = 100;
	*running_ns = FAKE(d, driver)->count;
	return 0;
}

/* The count stands for the bits. */
static int event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents)
{
	*revents = (uint32_t)FAKE(d, driver)->count;
	return 0;
}

static int event_mmap(struct pv_driver *d, struct pv_perf_event *ev)
{
	return FAKE(d, driver)->error;
}

static int probe_fail_nth(struct pv_machine *m, const char *pmu, bool load, unsigned *failed, unsigned *refused)
{
	*failed = (unsigned)FAKE(m, machine)->count;
	*refused = 1;
	return FAKE(m, machine)->error;
}

static const struct pv_machine_ops machine_ops = {.boot = boot,
						  .shutdown = shut_down,
						  .reg_read = reg_read,
						  .reg_write = reg_write,
						  .wait = wait_ns,
						  .cpu_online = cpu_online,
						  .suspend = suspend,
						  .runtime_pm = runtime_pm,
						  .module = module,
						  .probe_fail_nth = probe_fail_nth,
						  .file_read = file_read,
						  .interrupt = interrupt,
						  .now_ps = now_ps};

static int64_t shell_file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	const struct pv_fake *f = FAKE(s, shell);
	size_t left = offset < f->file_bytes ? f->file_bytes - offset : 0, n = left < room ? left : room;

	if (!f->file)
		return -ENOENT;
	memcpy(buf, (const char *)f->file + offset, n);
	return (int64_t)n;
}

static const struct pv_commands_ops commands_ops = {.run = run_command};
static const struct pv_shell_ops shell_ops = {.run = run, .file_read = shell_file_read};

static const struct pv_driver_ops driver_ops = {
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
	.event_times = event_times,
	.event_poll = event_poll,
	.event_mmap = event_mmap,
	.event_close = event_close,
	.get_size = get_size,
	.set_size = set_size,
	.slot_event = slot_event,
	.gone = gone,
	.rescan = rescan,
	.remove = remove_function,
	.set_vfs = set_vfs,
	.log_line = log_line,
};

static const struct pv_workload_ops workload_ops = {
	.traffic = traffic,
	.cxl_traffic = cxl_traffic,
	.traffic_stop = traffic_stop,
	.traffic_stats = traffic_stats,
	.idle = idle,
	.plug = plug,
	.unplug = unplug,
};

static const struct pv_truth_ops truth_ops = {.ledger = ledger,
					      .cfg_images = cfg_images,
					      .reset_images = reset_images,
					      .dma_lost = dma_lost,
					      .rules = broken_rules};

static const struct pv_target_ops fake_ops = {.name = "fake"};

struct pv_target *pv_fake_target(struct pv_fake *f)
{
	f->machine.ops = &machine_ops;
	f->driver.ops = &driver_ops;
	f->workload.ops = &workload_ops;
	f->truth.ops = &truth_ops;
	f->shell.ops = &shell_ops;
	f->commands.ops = &commands_ops;
	f->base.commands = &f->commands;
	f->base.ops = &fake_ops;
	f->base.machine = &f->machine;
	f->base.driver = &f->driver;
	f->base.workload = &f->workload;
	f->base.truth = &f->truth;
	f->base.shell = &f->shell;
	return &f->base;
}
