/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers of the driver's attributes, sizes, hot-plug and log, and of the machine. */
#include <errno.h>

#include "framework/far/server_internal.h"

#define DRIVER	(s->t.driver)
#define MACHINE (s->t.machine)

/* ---- probing and PMUs ---- */

static int probe_status(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf bdf = pv_get_u32(g);
	uint32_t n = pv_get_u32(g);
	const char *why = NULL;

	if (!pv_get_done(g))
		return -EBADMSG;
	/* The reason goes with an error: both are what the op gives. */
	pv_put_i32(p, DRIVER->ops->probe_status(DRIVER, bdf, n, &why));
	pv_put_string(p, why ? why : "");
	return 0;
}

/* An entry of a list: u8 1 and the string, or u8 0 beyond the last. */
static int put_entry(struct pv_put *p, const char *entry)
{
	pv_put_u8(p, entry != NULL);
	if (entry)
		pv_put_string(p, entry);
	return 0;
}

static int pmu_name(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t n = pv_get_u32(g);

	return pv_get_done(g) ? put_entry(p, DRIVER->ops->pmu_name(DRIVER, n)) : -EBADMSG;
}

static int log_line(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t n = pv_get_u32(g);

	return pv_get_done(g) ? put_entry(p, DRIVER->ops->log_line(DRIVER, n)) : -EBADMSG;
}

static int pmu_parent(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char pmu[PV_FAR_NAME_MAX];
	pv_bdf bdf = 0;
	int err;

	pv_get_string(g, pmu, sizeof(pmu));
	if (!pv_get_done(g))
		return -EBADMSG;
	err = DRIVER->ops->pmu_parent(DRIVER, pmu, &bdf);
	pv_put_u32(p, bdf);
	return err;
}

/* ---- attributes ---- */

static int attr_read(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char pmu[PV_FAR_NAME_MAX], path[PV_FAR_PATH_MAX], text[PV_FAR_TEXT_MAX];
	uint32_t size;
	int n;

	pv_get_string(g, pmu, sizeof(pmu));
	pv_get_string(g, path, sizeof(path));
	size = pv_get_u32(g);
	if (!pv_get_done(g) || !size)
		return -EBADMSG;
	n = DRIVER->ops->attr_read(DRIVER, pmu, path, text, size < sizeof(text) ? size : sizeof(text));
	if (n < 0)
		return n;
	pv_put_bytes(p, text, (size_t)n);
	return 0;
}

static int attr_write(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char pmu[PV_FAR_NAME_MAX], path[PV_FAR_PATH_MAX], text[PV_FAR_TEXT_MAX];

	pv_get_string(g, pmu, sizeof(pmu));
	pv_get_string(g, path, sizeof(path));
	pv_get_string(g, text, sizeof(text));
	return pv_get_done(g) ? DRIVER->ops->attr_write(DRIVER, pmu, path, text) : -EBADMSG;
}

struct entries {
	struct pv_put *p;
	uint32_t n;
};

static void add_entry(void *ctx, const char *name)
{
	struct entries *e = ctx;

	pv_put_string(e->p, name);
	e->n++;
}

static int attr_list(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char pmu[PV_FAR_NAME_MAX], path[PV_FAR_PATH_MAX];
	struct entries e = {p, 0};
	size_t count = p->len;
	int err;

	pv_get_string(g, pmu, sizeof(pmu));
	pv_get_string(g, path, sizeof(path));
	if (!pv_get_done(g))
		return -EBADMSG;
	pv_put_u32(p, 0);
	err = DRIVER->ops->attr_list(DRIVER, pmu, path, add_entry, &e);
	pv_put_u32_at(p, count, e.n);
	return err;
}

/* ---- sizes and hot-plug ---- */

static int get_size(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf bdf = pv_get_u32(g);
	bool mrrs = pv_get_bool(g);
	int bytes;

	if (!pv_get_done(g))
		return -EBADMSG;
	bytes = DRIVER->ops->get_size(DRIVER, bdf, mrrs);
	pv_put_i32(p, bytes);
	return bytes < 0 ? bytes : 0;
}

static int set_size(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf bdf = pv_get_u32(g);
	bool mrrs = pv_get_bool(g);
	int32_t bytes = pv_get_i32(g);

	return pv_get_done(g) ? DRIVER->ops->set_size(DRIVER, bdf, mrrs, bytes) : -EBADMSG;
}

static int slot_event(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf port = pv_get_u32(g);

	return pv_get_done(g) ? DRIVER->ops->slot_event(DRIVER, port) : -EBADMSG;
}

static int gone(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf bdf = pv_get_u32(g);

	return pv_get_done(g) ? DRIVER->ops->gone(DRIVER, bdf) : -EBADMSG;
}

static int rescan(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	return pv_get_done(g) ? DRIVER->ops->rescan(DRIVER) : -EBADMSG;
}

static int remove_function(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf bdf = pv_get_u32(g);

	return pv_get_done(g) ? DRIVER->ops->remove(DRIVER, bdf) : -EBADMSG;
}

static int set_vfs(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	pv_bdf pf = pv_get_u32(g);
	uint32_t n = pv_get_u32(g);

	return pv_get_done(g) ? DRIVER->ops->set_vfs(DRIVER, pf, n) : -EBADMSG;
}

static int ptt_buffer(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint64_t bytes = pv_get_u64(g);

	return pv_get_done(g) ? DRIVER->ops->ptt_buffer(DRIVER, bytes) : -EBADMSG;
}

/* ---- machine ---- */

struct reg {
	pv_bdf bdf;
	int bar;
	uint32_t off, bytes;
};

static struct reg get_reg(struct pv_get *g)
{
	struct reg r = {.bdf = pv_get_u32(g)};

	r.bar = pv_get_i32(g);
	r.off = pv_get_u32(g);
	r.bytes = pv_get_u32(g);
	g->bad |= r.bar < -1 || r.bar > 5 || (r.bytes != 1 && r.bytes != 2 && r.bytes != 4 && r.bytes != 8);
	return r;
}

static int reg_read(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct reg r = get_reg(g);
	uint64_t value = 0;
	int err;

	if (!pv_get_done(g))
		return -EBADMSG;
	err = MACHINE->ops->reg_read(MACHINE, r.bdf, r.bar, r.off, r.bytes, &value);
	pv_put_u64(p, value);
	return err;
}

static int reg_write(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct reg r = get_reg(g);
	uint64_t value = pv_get_u64(g);

	return pv_get_done(g) ? MACHINE->ops->reg_write(MACHINE, r.bdf, r.bar, r.off, r.bytes, value) : -EBADMSG;
}

static int wait_ns(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint64_t ns = pv_get_u64(g);

	return pv_get_done(g) ? MACHINE->ops->wait(MACHINE, ns) : -EBADMSG;
}

static int now(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	if (!pv_get_done(g))
		return -EBADMSG;
	pv_put_u64(p, MACHINE->ops->now_ps(MACHINE));
	return 0;
}

const pv_far_handler pv_far_driver_handlers[PV_FAR_OPS] = {
	[PV_FAR_PROBE_STATUS] = probe_status,
	[PV_FAR_PMU_NAME] = pmu_name,
	[PV_FAR_PMU_PARENT] = pmu_parent,
	[PV_FAR_ATTR_READ] = attr_read,
	[PV_FAR_ATTR_WRITE] = attr_write,
	[PV_FAR_ATTR_LIST] = attr_list,
	[PV_FAR_GET_SIZE] = get_size,
	[PV_FAR_SET_SIZE] = set_size,
	[PV_FAR_SLOT_EVENT] = slot_event,
	[PV_FAR_GONE] = gone,
	[PV_FAR_RESCAN] = rescan,
	[PV_FAR_REMOVE] = remove_function,
	[PV_FAR_SET_VFS] = set_vfs,
	[PV_FAR_LOG_LINE] = log_line,
	[PV_FAR_PTT_BUFFER] = ptt_buffer,
	[PV_FAR_REG_READ] = reg_read,
	[PV_FAR_REG_WRITE] = reg_write,
	[PV_FAR_WAIT] = wait_ns,
	[PV_FAR_NOW] = now,
};
