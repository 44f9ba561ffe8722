/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PTT's PMU: tune files, filter lists that follow hot-plug, and one trace at a time into AUX areas.
 * The register work is in drivers/core/ptt*.c.
 */
#include "drivers/core/ptt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"
#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

#define PORTS_DIR      "root_port_filters"
#define REQUESTERS_DIR "requester_filters"

enum {
	AUX_BYTES_DEFAULT = 16 << 20,
	BUFFER_BYTES_MIN = 4 << 10,
	BUFFER_BYTES_MAX = 128 << 20,
	FILTER_NAME_MAX = 16,
};

#define AUX_BYTES_MAX (UINT64_C(1) << 36)

struct ptt {
	struct pv_ptt core;
	struct pv_pmu *pmu;
	struct pv_bar bar;
	pv_bdf lower, upper; /* the first and the last Root Port served */
	uint16_t command;    /* as it was found */
	bool master;	     /* Bus Master is on */
	struct pv_ptt_filters filters;
	struct pv_event *session;
	uint8_t *area; /* AUX, refilled after each commit */
	size_t area_bytes;
};

static bool match(const struct pv_func *func)
{
	return func->vendor == PTT_VENDOR_ID && func->device == PTT_DEVICE_ID;
}

/* Filter lists */

static const struct pv_func *root_port_of(const struct pv_func *func)
{
	const struct pv_func *up, *port = NULL;

	for (up = func; up; up = up->parent)
		if (up->pcie && up->type == PCI_EXP_TYPE_ROOT_PORT)
			port = up;
	return port;
}

static int grow_filters(struct pv_ptt_filters *list)
{
	size_t max = list->max ? 2 * list->max : 16;
	struct pv_ptt_filter *grown;

	if (list->count < list->max)
		return 0;
	grown = realloc(list->entry, max * sizeof(*grown));
	if (!grown)
		return -PV_ENOMEM;
	list->entry = grown;
	list->max = max;
	return 0;
}

/* The core's Root Ports can be port filters, every other function below them a requester filter. */
static void func_added(struct pv_pmu *pmu, const struct pv_func *func)
{
	struct ptt *ptt = pmu->priv;
	const struct pv_func *port = root_port_of(func);

	if (!port || port->bdf < ptt->lower || port->bdf > ptt->upper)
		return;
	if (grow_filters(&ptt->filters))
		pv_sys_log(pmu->sys, 3, "%s: no memory for a filter", pmu->name);
	else
		pv_ptt_filter_add(&ptt->filters, func->bdf, func == port);
}

static void func_removed(struct pv_pmu *pmu, const struct pv_func *func)
{
	struct ptt *ptt = pmu->priv;

	pv_ptt_filter_remove(&ptt->filters, func->bdf);
}

static int is_port_dir(const char *dir)
{
	if (!strcmp(dir, PORTS_DIR))
		return 1;
	return strcmp(dir, REQUESTERS_DIR) ? -PV_ENOENT : 0;
}

static void filter_name(const struct pv_ptt_filter *filter, char name[FILTER_NAME_MAX])
{
	snprintf(name, FILTER_NAME_MAX, PCI_BDF_FMT, PCI_BDF_ARGS(filter->bdf));
}

static int dyn_list(struct pv_pmu *pmu, const char *dir, pv_name_fn fn, void *ctx)
{
	const struct pv_ptt_filters *list = &((struct ptt *)pmu->priv)->filters;
	int ports = is_port_dir(dir);
	char name[FILTER_NAME_MAX];
	size_t i;

	if (ports < 0)
		return ports;
	for (i = 0; i < list->count; i++)
		if (list->entry[i].is_port == ports) {
			filter_name(&list->entry[i], name);
			fn(ctx, name);
		}
	return 0;
}

static int dyn_show(struct pv_pmu *pmu, const char *dir, const char *file, char *buf, size_t size)
{
	const struct pv_ptt_filters *list = &((struct ptt *)pmu->priv)->filters;
	int ports = is_port_dir(dir);
	char name[FILTER_NAME_MAX];
	size_t i;

	if (ports < 0)
		return ports;
	for (i = 0; i < list->count; i++) {
		filter_name(&list->entry[i], name);
		if (list->entry[i].is_port == ports && !strcmp(name, file))
			return pv_attr_printf(buf, size, "0x%05x", pv_ptt_filter_value(&list->entry[i]));
	}
	return -PV_ENOENT;
}

/* Tune */

static int tune_show(struct pv_pmu *pmu, const struct pv_attr *a, char *buf, size_t size)
{
	struct ptt *ptt = pmu->priv;
	uint32_t level;
	int err = pv_ptt_tune_get(&ptt->core, (uint32_t)a->arg, &level);

	return err ? err : pv_attr_printf(buf, size, "%u", level);
}

static int tune_store(struct pv_pmu *pmu, const struct pv_attr *a, const char *text)
{
	struct ptt *ptt = pmu->priv;
	uint16_t level;
	int err = pv_attr_parse_u16(text, &level);

	return err ? err : pv_ptt_tune_set(&ptt->core, (uint32_t)a->arg, level);
}

#define TUNE(file, event)                                                                         \
	{                                                                                         \
		.dir = "tune", .name = file, .show = tune_show, .store = tune_store, .arg = event \
	}

static const struct pv_attr attrs[] = {
	{.dir = "format", .name = "filter", .text = "config:0-19"},
	{.dir = "format", .name = "direction", .text = "config:20-23"},
	{.dir = "format", .name = "type", .text = "config:24-31"},
	{.dir = "format", .name = "format", .text = "config:32-35"},
	{.dir = PORTS_DIR, .name = "multiselect", .text = "1"},
	{.dir = REQUESTERS_DIR, .name = "multiselect", .text = "0"},
	TUNE("qos_tx_cpl", PTT_TUNE_QOS_TX_CPL),
	TUNE("qos_tx_np", PTT_TUNE_QOS_TX_NP),
	TUNE("qos_tx_p", PTT_TUNE_QOS_TX_P),
	TUNE("rx_alloc_buf_level", PTT_TUNE_RX_ALLOC_BUF_LEVEL),
	TUNE("tx_alloc_buf_level", PTT_TUNE_TX_ALLOC_BUF_LEVEL),
	{.name = NULL},
};

/*
 * DMA buffers: kept from one trace to the next, allocated again if the size changes. A device that did not become idle
 * may still write to them, however long ago its trace was stopped. They are freed only when it is idle, gone, or no
 * longer a bus master.
 */

static void set_command(struct ptt *ptt, uint16_t command)
{
	const struct pv_cfg *cfg = &ptt->pmu->func->cfg;

	pv_cfg_write16(cfg, PCI_COMMAND, command);
	/* The completion of a read does not pass the device's writes (PCIe 5.0 2.4.1): they have arrived. */
	pv_cfg_read16(cfg, PCI_COMMAND);
	ptt->master = command & PCI_COMMAND_MASTER;
}

/* A device that is still busy with buffers of an earlier user, such as a crashed kernel, must not access memory. */
static int enable_dma(struct ptt *ptt)
{
	if (ptt->master)
		return 0;
	if (!pv_ptt_is_idle(&ptt->core))
		return -PV_EBUSY;
	set_command(ptt, ptt->command | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	return 0;
}

static void free_buffers(struct ptt *ptt)
{
	const struct pv_bus *bus = ptt->pmu->bus;
	unsigned i;

	for (i = 0; i < PTT_DMA_BUFFERS; i++) {
		struct pv_ptt_dma *buffer = &ptt->core.buffer[i];

		if (buffer->cpu)
			bus->dma_free(bus->ctx, ptt->pmu->func->bdf, buffer->cpu, ptt->core.buffer_bytes, buffer->dma);
		buffer->cpu = NULL;
	}
	ptt->core.buffer_bytes = 0;
}

static int make_buffers(struct ptt *ptt, uint32_t bytes)
{
	const struct pv_bus *bus = ptt->pmu->bus;
	unsigned i;

	if (ptt->core.buffer_bytes == bytes)
		return 0;
	if (ptt->core.buffer_bytes && !pv_ptt_is_idle(&ptt->core))
		return -PV_EBUSY;
	free_buffers(ptt);
	ptt->core.buffer_bytes = bytes;
	for (i = 0; i < PTT_DMA_BUFFERS; i++) {
		struct pv_ptt_dma *buffer = &ptt->core.buffer[i];

		buffer->cpu = bus->dma_alloc(bus->ctx, ptt->pmu->func->bdf, bytes, &buffer->dma);
		if (!buffer->cpu) {
			free_buffers(ptt);
			return -PV_ENOMEM;
		}
	}
	return 0;
}

int pv_sys_set_ptt_buffer_bytes(struct pv_sys *sys, uint32_t bytes)
{
	const struct pv_pmu *pmu;

	if (bytes < BUFFER_BYTES_MIN || bytes > BUFFER_BYTES_MAX || bytes % PTT_RECORD_8DW_BYTES)
		return -PV_EINVAL;
	for (pmu = sys->pmus; pmu; pmu = pmu->next)
		if (pmu->kind == &pv_pmu_ptt && ((struct ptt *)pmu->priv)->session)
			return -PV_EBUSY;
	sys->ptt_buffer_bytes = bytes;
	return 0;
}

/* AUX */

static uint8_t *aux_begin(void *ctx, size_t *room)
{
	struct ptt *ptt = ctx;

	*room = ptt->area_bytes;
	return ptt->area;
}

static int aux_commit(void *ctx, size_t bytes, uint32_t flags)
{
	const struct ptt *ptt = ctx;
	const struct pv_event *ev = ptt->session;

	if (!bytes && !flags)
		return 0;
	return ev->aux(ev->aux_ctx, ptt->area, bytes, flags);
}

/* Checks the AUX area, as setup_aux() does at mmap(): every problem is -ENOMEM. */
static int check_aux(const struct pv_event_attr *attr, uint32_t buffer_bytes, size_t *bytes)
{
	uint64_t least = (uint64_t)PTT_DMA_BUFFERS * buffer_bytes;
	uint64_t wanted = attr->aux_bytes;

	if (!wanted)
		wanted = least > AUX_BYTES_DEFAULT ? least : AUX_BYTES_DEFAULT;
	if (attr->aux_overwrite || wanted < least || wanted > AUX_BYTES_MAX)
		return -PV_ENOMEM;
	*bytes = (size_t)wanted;
	return 0;
}

/* Reserves address space only. Pages are allocated as they are written: areas are large, most traces are small. */
static int make_area(struct ptt *ptt, size_t bytes)
{
	void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		return -PV_ENOMEM;
	ptt->area = area;
	ptt->area_bytes = bytes;
	return 0;
}

static void free_area(struct ptt *ptt)
{
	if (ptt->area)
		munmap(ptt->area, ptt->area_bytes);
	ptt->area = NULL;
	ptt->area_bytes = 0;
}

/* Events */

static int event_init(struct pv_event *ev)
{
	struct ptt *ptt = ev->pmu->priv;
	struct pv_ptt_params params;
	uint32_t buffer_bytes = ev->pmu->sys->ptt_buffer_bytes;
	size_t aux_bytes = 0;
	int err;

	if (ev->attr.type != ev->pmu->type)
		return -PV_ENOENT;
	/* attr.sampling is ignored: perf record sets a period on each event, which a trace does not use. */
	if (ev->attr.per_task)
		return -PV_EOPNOTSUPP;
	err = pv_ptt_params_check(&ptt->filters, ev->attr.config, &params);
	if (err)
		return err;
	if (ptt->session)
		return -PV_EBUSY;
	/* Without an AUX area the event can be opened, as under Linux, but not started. */
	if (!ev->attr.aux || !ev->aux) {
		ptt->session = ev;
		return 0;
	}
	err = check_aux(&ev->attr, buffer_bytes, &aux_bytes);
	if (!err)
		err = make_buffers(ptt, buffer_bytes);
	if (!err)
		err = make_area(ptt, aux_bytes);
	if (!err)
		ptt->session = ev;
	return err;
}

static void event_exit(struct pv_event *ev)
{
	struct ptt *ptt = ev->pmu->priv;

	free_area(ptt);
	ptt->session = NULL;
}

static int start(struct pv_event *ev)
{
	struct ptt *ptt = ev->pmu->priv;
	struct pv_ptt_params params;
	int err;

	if (!ptt->area)
		return -PV_EINVAL;
	/* Check again: a function may have been removed since the event was opened. */
	err = pv_ptt_params_check(&ptt->filters, ev->attr.config, &params);
	if (err)
		return err;
	err = enable_dma(ptt);
	if (!err)
		err = pv_ptt_start(&ptt->core, &params);
	if (err)
		pv_sys_log(ev->pmu->sys, 3, "%s: trace not started, error %d: the device is %s", ev->pmu->name, err,
			   err == -PV_EBUSY	  ? "busy"
			   : err == -PV_ETIMEDOUT ? "still in reset"
						  : "not usable");
	return err;
}

static void stop(struct pv_event *ev)
{
	struct ptt *ptt = ev->pmu->priv;

	if (pv_ptt_stop(&ptt->core))
		pv_sys_log(ev->pmu->sys, 3,
			   "%s: the device did not become idle: the end of the trace is lost and its buffers are kept",
			   ev->pmu->name);
	if (ptt->core.overruns)
		pv_sys_log(ev->pmu->sys, 4, "%s: trace overrun, data was lost %u times", ev->pmu->name,
			   ptt->core.overruns);
}

static void irq(struct pv_pmu *pmu)
{
	struct ptt *ptt = pmu->priv;

	pv_ptt_interrupt(&ptt->core);
}

/* Device */

/*
 * Quiets the device before its buffers are freed, and restores its Command register. A device that is not idle could
 * still write to the buffers, so it stays without Bus Master.
 */
static void silence(struct ptt *ptt)
{
	uint16_t command = ptt->command;

	pv_ptt_quiet(&ptt->core);
	if (pv_ptt_is_idle(&ptt->core)) {
		pv_ptt_rest(&ptt->core);
	} else if (ptt->core.buffer_bytes) {
		pv_sys_log(ptt->pmu->sys, 3, "%s: the device is not idle and stays without Bus Master", ptt->pmu->name);
		command &= ~PCI_COMMAND_MASTER;
	}
	set_command(ptt, command);
}

static void restore(struct ptt *ptt)
{
	if (!ptt->pmu->func->gone)
		silence(ptt);
	pv_bar_unmap(&ptt->bar);
	free_buffers(ptt);
	free(ptt->filters.entry);
	free(ptt);
}

static int map_registers(struct ptt *ptt)
{
	int err;

	ptt->bar = (struct pv_bar){ptt->pmu->bus, ptt->pmu->func->bdf, PTT_BAR, 0, PTT_BAR_SIZE};
	err = pv_bar_map(&ptt->bar);
	if (err)
		return pv_pmu_why(ptt->pmu, err, "BAR %d is not there or shorter than %d bytes", PTT_BAR, PTT_BAR_SIZE);
	ptt->core.io = pv_bar_mmio(&ptt->bar);
	return 0;
}

static int identify(struct ptt *ptt)
{
	struct pv_pmu *pmu = ptt->pmu;
	struct pv_mmio *io = &ptt->core.io;
	uint32_t range = io->read32(io->ctx, PTT_DEVICE_RANGE);
	uint32_t location = io->read32(io->ctx, PTT_LOCATION);

	/* The register has no domain: the ports are in the device's. */
	ptt->lower = PCI_IN_DOMAIN(PCI_DOMAIN(pmu->func->bdf), range & PTT_DEVICE_RANGE_LOWER_MASK);
	ptt->upper = PCI_IN_DOMAIN(PCI_DOMAIN(pmu->func->bdf), range >> PTT_DEVICE_RANGE_UPPER_SHIFT);
	if (range == 0xffffffff && location == 0xffffffff)
		return pv_pmu_why(pmu, -PV_ENODEV, "the registers in BAR %d do not answer", PTT_BAR);
	if (ptt->lower > ptt->upper)
		return pv_pmu_why(pmu, -PV_EINVAL, "DEVICE_RANGE 0x%08x: its last Root Port is before its first",
				  range);
	snprintf(pmu->name, sizeof(pmu->name), "hisi_ptt%u_%u", location >> PTT_LOCATION_SICL_SHIFT,
		 location & PTT_LOCATION_CORE_MASK);
	return 0;
}

static int probe(struct pv_pmu *pmu)
{
	const struct pv_func *func, *self = pmu->func;
	struct ptt *ptt;
	int err;

	/* The DMA bypasses the IOMMU: an address from a translating domain would hit unrelated memory. */
	if (pmu->bus->iommu_translates && pmu->bus->iommu_translates(pmu->bus->ctx, self->bdf))
		return pv_pmu_why(pmu, -PV_EOPNOTSUPP,
				  "the IOMMU translates the DMA of this device, which needs direct mappings; use an "
				  "identity (passthrough) domain");
	ptt = calloc(1, sizeof(*ptt));
	if (!ptt)
		return pv_pmu_why(pmu, -PV_ENOMEM, "no memory");
	pmu->priv = ptt;
	ptt->pmu = pmu;
	err = map_registers(ptt);
	if (err) {
		free(ptt);
		return err;
	}
	ptt->core.clock = pv_sys_clock(pmu->sys);
	ptt->core.aux = (struct pv_ptt_aux){ptt, aux_begin, aux_commit};
	ptt->command = pv_cfg_read16(&self->cfg, PCI_COMMAND);
	set_command(ptt, (ptt->command | PCI_COMMAND_MEMORY) & ~PCI_COMMAND_MASTER);

	err = identify(ptt);
	if (err) {
		restore(ptt);
		return err;
	}
	pv_ptt_quiet(&ptt->core);
	if (enable_dma(ptt))
		pv_sys_log(pmu->sys, 4, "%s: the device is busy with an earlier trace, no Bus Master until it is idle",
			   pmu->name);
	pmu->vector = PTT_MSI_VECTOR;
	for (func = pv_sys_funcs(pmu->sys); func; func = func->next)
		func_added(pmu, func);
	return 0;
}

static void remove_pmu(struct pv_pmu *pmu)
{
	restore(pmu->priv);
}

const struct pv_pmu_kind pv_pmu_ptt = {
	.name = "hisi_ptt",
	.any_cpu = true,
	.match = match,
	.probe = probe,
	.remove = remove_pmu,
	.attrs = attrs,
	.dyn_list = dyn_list,
	.dyn_show = dyn_show,
	.event_init = event_init,
	.event_exit = event_exit,
	.start = start,
	.stop = stop,
	.irq = irq,
	.func_added = func_added,
	.func_removed = func_removed,
};
