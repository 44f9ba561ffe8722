/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the driver table: perf_event_attr, the buffers of AUX events, reading. */
#include "framework/linux/events.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

#define DATA_PAGES	  64u /* for records, about as much as perf uses */
#define AUX_BYTES_DEFAULT (16u << 20)
#define SAMPLE_PERIOD	  4000u

/* ---- the buffers ---- */

static void unmap(struct pv_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (r->aux)
		munmap(r->aux, r->aux_bytes);
	if (r->page)
		munmap(r->page, page + r->data_bytes);
	*r = (struct pv_ring){0};
}

static void *map_of(int fd, uint64_t offset, uint64_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

/* Maps a page and the records, then the AUX area; a read-only AUX area means overwrite mode. */
static int map(struct pv_ring *r, int fd, const struct pv_perf_attr *attr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int err;

	*r = (struct pv_ring){.data_bytes = DATA_PAGES * page, .overwrite = attr->aux_overwrite};
	r->page = map_of(fd, 0, page + r->data_bytes, PROT_READ | PROT_WRITE);
	if (!r->page)
		return -errno;
	r->data = (uint8_t *)r->page + page;
	r->aux_bytes = attr->aux_bytes ? attr->aux_bytes : AUX_BYTES_DEFAULT;
	r->page->aux_offset = page + r->data_bytes;
	r->page->aux_size = r->aux_bytes;
	r->aux = map_of(fd, r->page->aux_offset, r->aux_bytes, PROT_READ | (r->overwrite ? 0 : PROT_WRITE));
	if (r->aux)
		return 0;
	err = -errno;
	unmap(r);
	return err;
}

/* ---- opening and closing ---- */

/* Members are opened enabled, as by perf, and start with their leader. */
static struct perf_event_attr kernel_attr(uint32_t type, const struct pv_perf_attr *a, bool member)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.sample_period = a->sampling ? SAMPLE_PERIOD : 0,
		.sample_type = a->sampling ? PERF_SAMPLE_IP | PERF_SAMPLE_TID : 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = !member,
		.pinned = a->pinned,
		.exclude_user = a->exclude >> PV_PERF_EXCLUDE_USER & 1,
		.exclude_kernel = a->exclude >> PV_PERF_EXCLUDE_KERNEL & 1,
		.exclude_hv = a->exclude >> PV_PERF_EXCLUDE_HV & 1,
		.exclude_idle = a->exclude >> PV_PERF_EXCLUDE_IDLE & 1,
		.exclude_host = a->exclude >> PV_PERF_EXCLUDE_HOST & 1,
		.exclude_guest = a->exclude >> PV_PERF_EXCLUDE_GUEST & 1,
	};
}

/* The word before sig_data. The headers of Debian 12 have no name for it. */
static void set_aux_action(struct perf_event_attr *kernel, uint32_t action)
{
	memcpy((uint8_t *)kernel + offsetof(struct perf_event_attr, sig_data) - sizeof(action), &action,
	       sizeof(action));
}

static void drop(struct pv_perf_event *ev)
{
	unmap(&ev->ring);
	pv_evsel_close(&ev->evsel);
	free(ev);
}

/*
 * Like perf, chooses a CPU of the PMU's cpumask unless the attributes name one, or CPU 0 if there is no mask. An event
 * for a task is on any CPU.
 */
static void choose_cpu(struct pv_linux *l, const char *pmu, const struct pv_perf_attr *attr, char *cpus, size_t size)
{
	if (attr->on_cpu)
		snprintf(cpus, size, "%" PRIu32, attr->cpu);
	else if (pv_sysfs_read(PV_LINUX_PATH(l, "sys/bus/event_source/devices/%s/cpumask", pmu), cpus, size) < 0)
		snprintf(cpus, size, "0");
}

static int open_evsel(struct pv_linux *l, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, struct pv_perf_event *ev)
{
	struct pv_evsel_place place = {.leader = leader ? &leader->evsel : NULL, .task = attr->per_task};
	struct perf_event_attr kernel;
	char cpus[256];
	uint32_t type;

	if (!*pmu || strchr(pmu, '/') ||
	    pv_sysfs_read_number(PV_LINUX_PATH(l, "sys/bus/event_source/devices/%s/type", pmu), &type))
		return -ENODEV;
	choose_cpu(l, pmu, attr, cpus, sizeof(cpus));
	place.cpus = attr->per_task && !attr->on_cpu ? NULL : cpus;
	kernel = kernel_attr(attr->type ? attr->type : type, attr, leader != NULL);
	set_aux_action(&kernel, attr->aux_action);
	return pv_evsel_open(&ev->evsel, &kernel, &place);
}

int pv_linux_event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
			struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out)
{
	struct pv_linux *l = pv_linux_of_driver(d);
	struct pv_perf_event *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return -ENOMEM;
	ev->evsel.fd = -1;
	ev->aux = aux;
	ev->aux_ctx = aux_ctx;
	err = open_evsel(l, pmu, attr, leader, ev);
	if (!err && attr->aux)
		err = map(&ev->ring, ev->evsel.fd, attr);
	if (err) {
		drop(ev);
		return err;
	}
	ev->next = l->events;
	l->events = ev;
	*out = ev;
	return 0;
}

void pv_linux_event_close(struct pv_driver *d, struct pv_perf_event *ev)
{
	struct pv_perf_event **at = &pv_linux_of_driver(d)->events;

	while (*at && *at != ev)
		at = &(*at)->next;
	/* Stops a running trace first: unmapping would lose the data that the device still holds. */
	if (ev->ring.page && !ev->stopped)
		pv_linux_event_disable(d, ev);
	if (*at)
		*at = ev->next;
	drop(ev);
}

/* ---- working ---- */

void pv_linux_event_take(struct pv_perf_event *ev)
{
	int err;

	if (!ev->ring.page || ev->held || ev->error)
		return;
	err = ev->stopped ? pv_ring_finish(&ev->ring, ev->aux, ev->aux_ctx)
			  : pv_ring_take(&ev->ring, ev->aux, ev->aux_ctx);
	ev->error = err < 0 ? err : 0;
}

int pv_linux_event_enable(struct pv_driver *d, struct pv_perf_event *ev)
{
	ev->stopped = false;
	return pv_evsel_enable(&ev->evsel);
}

int pv_linux_event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	int err = pv_evsel_disable(&ev->evsel);

	ev->stopped = !err;
	pv_linux_event_take(ev);
	return err ? err : ev->error;
}

int pv_linux_event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	int err = pv_evsel_read(&ev->evsel, &ev->last);

	ev->was_read = !err;
	if (!err)
		*value = ev->last.value;
	return err;
}

int pv_linux_event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns)
{
	if (!ev->was_read)
		return -ENODATA;
	*enabled_ns = ev->last.enabled_ns;
	*running_ns = ev->last.running_ns;
	return 0;
}

int pv_linux_event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents)
{
	struct pollfd file = {.fd = ev->evsel.fd, .events = POLLIN};

	if (poll(&file, 1, 0) < 0)
		return -errno;
	*revents = (uint16_t)file.revents;
	return 0;
}

int pv_linux_event_mmap(struct pv_driver *d, struct pv_perf_event *ev)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = map_of(ev->evsel.fd, 0, page, PROT_READ);

	return !at || munmap(at, page) ? -errno : 0;
}

int pv_linux_event_hold(struct pv_driver *d, struct pv_perf_event *ev, bool hold)
{
	if (!ev->ring.page)
		return -EINVAL;
	ev->held = hold;
	pv_linux_event_take(ev);
	return ev->error;
}

int pv_linux_event_take_bytes(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes)
{
	bool held = ev->held;

	if (!ev->ring.page)
		return -EINVAL;
	ev->held = false;
	ev->ring.limited = true;
	ev->ring.left = bytes;
	pv_linux_event_take(ev);
	ev->ring.limited = false;
	ev->held = held;
	return ev->error;
}

int pv_linux_event_records(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out)
{
	if (!ev->ring.page)
		return -EINVAL;
	*out = ev->ring.records;
	return 0;
}
