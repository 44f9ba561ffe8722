/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver, a machine and a shell that do nothing. */
#include "framework/far/tests/fake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pv_perf_event {
	pv_perf_aux_fn aux;
	void *ctx;
	struct pv_perf_event *next;
};

#define OF(p, member) ((struct fake *)((char *)(p)-offsetof(struct fake, member)))

static int said(struct fake *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int said(struct fake *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->said, sizeof(f->said), fmt, ap);
	va_end(ap);
	return f->result;
}

/* ---- AUX data ---- */

void fake_commit(struct fake *f, size_t len, uint32_t flags)
{
	if (f->commits < FAKE_COMMITS)
		f->commit[f->commits++] = (struct fake_commit){len, flags};
}

static void hand_over(struct fake *f)
{
	while (f->next < f->commits && f->events && f->events->aux && !f->held) {
		const struct fake_commit *c = &f->commit[f->next];
		uint8_t *bytes = malloc(c->len + 1);
		int refused = !bytes;

		for (size_t i = 0; i < c->len && bytes; i++)
			bytes[i] = fake_byte(f->at + i);
		if (!refused)
			refused = f->events->aux(f->events->ctx, bytes, c->len, c->flags);
		free(bytes);
		if (refused)
			return;
		f->at += c->len;
		f->next++;
	}
}

/* ---- driver ---- */

static int probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why)
{
	*why = OF(d, driver)->result ? "it is broken" : NULL;
	return said(OF(d, driver), "probe_status %x %u", bdf, n);
}

static const char *pmu_name(struct pv_driver *d, size_t n)
{
	static const char *const names[] = {"p0", "p1"};

	said(OF(d, driver), "pmu_name %zu", n);
	return n < 2 ? names[n] : NULL;
}

static const char *log_line(struct pv_driver *d, size_t n)
{
	said(OF(d, driver), "log_line %zu", n);
	return n == 0 ? "a warning" : NULL;
}

static int pmu_parent(struct pv_driver *d, const char *pmu, pv_bdf *bdf)
{
	*bdf = 0x10302;
	return said(OF(d, driver), "pmu_parent %s", pmu);
}

static int attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	int err = said(OF(d, driver), "attr_read %s %s %zu", pmu, path, size);

	return err ? err : size < 6 ? -ENOSPC : snprintf(buf, size, "value");
}

static int attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	return said(OF(d, driver), "attr_write %s %s \"%s\"", pmu, path, text);
}

static int attr_list(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *), void *ctx)
{
	int err = said(OF(d, driver), "attr_list %s \"%s\"", pmu, dir);

	if (err)
		return err;
	fn(ctx, "a");
	fn(ctx, "b");
	return 0;
}

static int event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *a, struct pv_perf_event *leader,
		      pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out)
{
	struct fake *f = OF(d, driver);
	int err = said(f,
		       "event_open %s %" PRIx64 " %" PRIx64 " %" PRIx64 " type %" PRIu32 " cpu %d %" PRIu32
		       " task %d sampling %d pinned %d exclude %x aux %d %" PRIu64 " %d action %x leader %d",
		       pmu, a->config, a->config1, a->config2, a->type, a->on_cpu, a->cpu, a->per_task, a->sampling,
		       a->pinned, a->exclude, a->aux, a->aux_bytes, a->aux_overwrite, a->aux_action, leader != NULL);
	struct pv_perf_event *ev = err ? NULL : calloc(1, sizeof(*ev));

	if (!ev)
		return err ? err : -ENOMEM;
	*ev = (struct pv_perf_event){aux, aux_ctx, f->events};
	f->events = ev;
	f->open++;
	*out = ev;
	return 0;
}

static void event_close(struct pv_driver *d, struct pv_perf_event *ev)
{
	struct fake *f = OF(d, driver);
	struct pv_perf_event **at = &f->events;

	said(f, "event_close");
	while (*at != ev)
		at = &(*at)->next;
	*at = ev->next;
	f->open--;
	free(ev);
}

static int event_enable(struct pv_driver *d, struct pv_perf_event *ev)
{
	return said(OF(d, driver), "event_enable");
}

static int event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	hand_over(OF(d, driver));
	return said(OF(d, driver), "event_disable");
}

static int event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	*value = 0xfedcba9876543210;
	return said(OF(d, driver), "event_read");
}

static int event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns)
{
	*enabled_ns = 1ull << 40;
	*running_ns = 7;
	return said(OF(d, driver), "event_times");
}

static int event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents)
{
	*revents = 0x80000018;
	return said(OF(d, driver), "event_poll");
}

static int event_mmap(struct pv_driver *d, struct pv_perf_event *ev)
{
	return said(OF(d, driver), "event_mmap");
}

static int event_hold(struct pv_driver *d, struct pv_perf_event *ev, bool hold)
{
	OF(d, driver)->held = hold;
	hand_over(OF(d, driver));
	return said(OF(d, driver), "event_hold %d", hold);
}

static int event_take(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes)
{
	struct fake *f = OF(d, driver);
	bool held = f->held;

	f->held = false;
	hand_over(f);
	f->held = held;
	return said(f, "event_take %" PRIu64, bytes);
}

static int event_records(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out)
{
	*out = (struct pv_perf_records){.aux = 1, .itrace_start = 2, .lost = 3, .other = 4, .lost_records = 5};
	return said(OF(d, driver), "event_records");
}

static int get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs)
{
	int err = said(OF(d, driver), "get_size %x %d", bdf, mrrs);

	return err ? err : 512;
}

static int set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes)
{
	return said(OF(d, driver), "set_size %x %d %d", bdf, mrrs, bytes);
}

static int slot_event(struct pv_driver *d, pv_bdf port)
{
	return said(OF(d, driver), "slot_event %x", port);
}

static int gone(struct pv_driver *d, pv_bdf bdf)
{
	return said(OF(d, driver), "gone %x", bdf);
}

static int rescan(struct pv_driver *d)
{
	return said(OF(d, driver), "rescan");
}

static int remove_function(struct pv_driver *d, pv_bdf bdf)
{
	return said(OF(d, driver), "remove %x", bdf);
}

static int set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n)
{
	return said(OF(d, driver), "set_vfs %x %u", pf, n);
}

static int ptt_buffer(struct pv_driver *d, uint64_t bytes)
{
	return said(OF(d, driver), "ptt_buffer %" PRIu64, bytes);
}

const struct pv_driver_ops fake_driver_ops = {
	.probe_status = probe_status,
	.pmu_name = pmu_name,
	.pmu_parent = pmu_parent,
	.attr_read = attr_read,
	.attr_write = attr_write,
	.attr_list = attr_list,
	.event_open = event_open,
	.event_enable = event_enable,
	.event_disable = event_disable,
	.event_read = event_read,
	.event_close = event_close,
	.event_times = event_times,
	.event_poll = event_poll,
	.event_mmap = event_mmap,
	.event_hold = event_hold,
	.event_take = event_take,
	.event_records = event_records,
	.get_size = get_size,
	.set_size = set_size,
	.slot_event = slot_event,
	.gone = gone,
	.rescan = rescan,
	.remove = remove_function,
	.set_vfs = set_vfs,
	.log_line = log_line,
	.ptt_buffer = ptt_buffer,
};

/* ---- machine ---- */

static int reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	*value = 0x8086;
	return said(OF(m, machine), "reg_read %x %d %x %u", bdf, bar, off, bytes);
}

static int reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	return said(OF(m, machine), "reg_write %x %d %x %u %" PRIx64, bdf, bar, off, bytes, value);
}

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	hand_over(OF(m, machine));
	return said(OF(m, machine), "wait %" PRIu64, ns);
}

static uint64_t now_ps(struct pv_machine *m)
{
	said(OF(m, machine), "now");
	return 123456789012345;
}

const struct pv_machine_ops fake_machine_ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.wait = wait_ns,
	.now_ps = now_ps,
};

/* ---- shell ---- */

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	int n = 0;

	while (argv[n])
		n++;
	*status = 0x300;
	out->len = (size_t)snprintf(out->text, out->room, "%s", argv[n - 1]);
	out->cut = out->len >= out->room;
	out->len = out->cut ? out->room - 1 : out->len;
	err->len = (size_t)snprintf(err->text, err->room, "!");
	err->len = err->len >= err->room ? err->room - 1 : err->len;
	return said(OF(s, shell), "run %s %d %u", argv[0], n, timeout_ms);
}

/* A file of 100 bytes. */
static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	int err = said(OF(s, shell), "file_read %s %" PRIu64 " %zu", path, offset, room);
	size_t n = offset < 100 ? 100 - (size_t)offset : 0;

	n = n < room ? n : room;
	memset(buf, 'x', n);
	return err ? err : (int64_t)n;
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	return said(OF(s, shell), "file_write %s \"%.*s\" %d", path, (int)len, (const char *)data, create);
}

static int module_load(struct pv_shell *s, const char *path, const char *parameters)
{
	return said(OF(s, shell), "module_load %s \"%s\"", path, parameters);
}

static int module_unload(struct pv_shell *s, const char *name)
{
	return said(OF(s, shell), "module_unload %s", name);
}

const struct pv_shell_ops fake_shell_ops = {
	.run = run,
	.file_read = file_read,
	.file_write = file_write,
	.module_load = module_load,
	.module_unload = module_unload,
};

/* ---- the exchange ---- */

int64_t fake_exchange(void *ctx, const void *request, size_t n, void *answer, size_t room)
{
	struct fake *f = ctx;
	size_t len;

	if (f->asked++ >= f->fails_at)
		return f->failing;
	memcpy(f->request, request, n < sizeof(f->request) ? n : sizeof(f->request));
	f->request_len = n;
	if (f->spoil_request)
		f->spoil_request(request, n);
	len = pv_far_serve(f->server, request, n, answer, room < f->room ? room : f->room);
	if (f->spoil)
		f->spoil(answer, &len);
	return (int64_t)len;
}

void fake_init(struct fake *f)
{
	*f = (struct fake){
		.driver.ops = &fake_driver_ops,
		.machine.ops = &fake_machine_ops,
		.shell.ops = &fake_shell_ops,
		.room = SIZE_MAX,
		.fails_at = UINT32_MAX,
	};
}
