/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the driver table: perf_event_attr, the buffers of AUX events, reading. */
#include "framework/linux/events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

/* ---- one event through libperf ---- */

/*
 * The public interface of libperf lacks the descriptor of an event, for mmap(2) and poll(2), and group leaders other
 * than the first event of a list.
 */

/* The CPUs or the thread that an event counts on. */
struct place {
	const char *cpus;	       /* a list such as the PMU's cpumask, whose first CPU is used; NULL: any CPU */
	bool task;		       /* for the calling thread; else for the whole CPU */
	const struct pv_evsel *leader; /* NULL: none */
};

/* By POSIX, every new descriptor is the lowest free number. */
static int next_descriptor(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return fd;
}

/* Checks that it is an event, and sets close-on-exec. */
static int check_descriptor(int fd)
{
	char link[32], target[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, target, sizeof(target) - 1) < 0)
		return -errno;
	if (strcmp(target, "anon_inode:[perf_event]"))
		return -EBADF;
	return fcntl(fd, F_SETFD, FD_CLOEXEC) ? -errno : 0;
}

/* libperf makes an event a group member of the first one in its list. */
static int open_as_member(struct pv_evsel *e, struct perf_evsel *leader, struct perf_cpu_map *cpus,
			  struct perf_thread_map *threads)
{
	struct perf_evlist *list = perf_evlist__new();
	int err;

	if (!list)
		return -ENOMEM;
	perf_evlist__add(list, leader);
	perf_evlist__add(list, e->evsel);
	perf_evlist__set_leader(list);
	err = perf_evsel__open(e->evsel, cpus, threads);
	perf_evlist__remove(list, e->evsel);
	perf_evlist__remove(list, leader);
	perf_evlist__delete(list);
	return err;
}

static int open_on(struct pv_evsel *e, const struct pv_evsel *leader, struct perf_cpu_map *cpus,
		   struct perf_thread_map *threads)
{
	int err;

	if (!cpus || !threads)
		return -ENOMEM;
	e->fd = next_descriptor();
	if (e->fd < 0)
		return e->fd;
	err = leader ? open_as_member(e, leader->evsel, cpus, threads) : perf_evsel__open(e->evsel, cpus, threads);
	if (err)
		return err;
	err = check_descriptor(e->fd);
	if (err)
		perf_evsel__close(e->evsel);
	return err;
}

static struct perf_cpu_map *first_cpu(const char *cpumask)
{
	struct perf_cpu_map *all = perf_cpu_map__new(cpumask);
	char first[16];

	if (!all)
		return NULL;
	snprintf(first, sizeof(first), "%d", perf_cpu_map__cpu(all, 0).cpu);
	perf_cpu_map__put(all);
	return perf_cpu_map__new(first);
}

/* Linux 6.8 has renamed it; each libperf has one of them. */
struct perf_cpu_map *perf_cpu_map__new_any_cpu(void) __attribute__((weak));
struct perf_cpu_map *perf_cpu_map__dummy_new(void) __attribute__((weak));

static struct perf_cpu_map *any_cpu(void)
{
	return perf_cpu_map__new_any_cpu ? perf_cpu_map__new_any_cpu() : perf_cpu_map__dummy_new();
}

/* Return 0 or -errno. No other thread may open descriptors at the same time. */
static int evsel_open(struct pv_evsel *e, struct perf_event_attr *attr, const struct place *place)
{
	struct perf_thread_map *threads = perf_thread_map__new_dummy(); /* of pid -1: everything on the CPU */
	struct perf_cpu_map *cpus = place->cpus ? first_cpu(place->cpus) : any_cpu();
	int err;

	if (threads && place->task)
		perf_thread_map__set_pid(threads, 0, 0);
	e->member = place->leader;
	e->evsel = perf_evsel__new(attr);
	err = e->evsel ? open_on(e, place->leader, cpus, threads) : -ENOMEM;
	if (err) {
		perf_evsel__delete(e->evsel);
		*e = (struct pv_evsel){.fd = -1};
	}
	perf_cpu_map__put(cpus);
	perf_thread_map__put(threads);
	return err;
}

static void evsel_close(struct pv_evsel *e)
{
	if (!e->evsel)
		return;
	perf_evsel__close(e->evsel);
	perf_evsel__delete(e->evsel);
	*e = (struct pv_evsel){.fd = -1};
}

/*
 * Includes the group of a leader: a member that was disabled separately would otherwise stay disabled. The flag on a
 * member would enable its leader as well.
 */
static int evsel_enable(struct pv_evsel *e)
{
	return ioctl(e->fd, PERF_EVENT_IOC_ENABLE, e->member ? 0 : PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

static int evsel_disable(struct pv_evsel *e)
{
	return perf_evsel__disable(e->evsel) ? -errno : 0;
}

/* -ENODATA: the kernel returns none, for example because the event is in error state. */
static int evsel_read(struct pv_evsel *e, struct pv_evsel_value *out)
{
	struct perf_counts_values counts;
	int err;

	errno = ENODATA; /* at end of file libperf returns -errno, but read(2) has not set errno */
	err = perf_evsel__read(e->evsel, 0, 0, &counts);
	if (err)
		return err;
	*out = (struct pv_evsel_value){counts.val, counts.ena, counts.run};
	return 0;
}

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
	evsel_close(&ev->evsel);
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
	struct place place = {.leader = leader ? &leader->evsel : NULL, .task = attr->per_task};
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
	return evsel_open(&ev->evsel, &kernel, &place);
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

/* Delivers available data, unless the event is held. */
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
	return evsel_enable(&ev->evsel);
}

int pv_linux_event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	int err = evsel_disable(&ev->evsel);

	ev->stopped = !err;
	pv_linux_event_take(ev);
	return err ? err : ev->error;
}

int pv_linux_event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	int err = evsel_read(&ev->evsel, &ev->last);

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
