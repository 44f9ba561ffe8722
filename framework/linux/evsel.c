/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events through libperf. */
#include "framework/linux/evsel.h"

#include <errno.h>
#include <fcntl.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- the descriptor ---- */

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

/* ---- opening ---- */

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

int pv_evsel_open(struct pv_evsel *e, struct perf_event_attr *attr, const struct pv_evsel_place *place)
{
	struct perf_thread_map *threads = perf_thread_map__new_dummy(); /* of pid -1: everything on the CPU */
	struct perf_cpu_map *cpus = place->cpus ? first_cpu(place->cpus) : any_cpu();
	int err;

	if (threads && place->task)
		perf_thread_map__set_pid(threads, 0, 0);
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

void pv_evsel_close(struct pv_evsel *e)
{
	if (!e->evsel)
		return;
	perf_evsel__close(e->evsel);
	perf_evsel__delete(e->evsel);
	*e = (struct pv_evsel){.fd = -1};
}

/* ---- working ---- */

int pv_evsel_enable(struct pv_evsel *e)
{
	return ioctl(e->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

int pv_evsel_disable(struct pv_evsel *e)
{
	return perf_evsel__disable(e->evsel) ? -errno : 0;
}

int pv_evsel_read(struct pv_evsel *e, struct pv_evsel_value *out)
{
	struct perf_counts_values counts;
	int err;

	errno = ENODATA; /* at end of file libperf returns -errno, which read(2) has not set */
	err = perf_evsel__read(e->evsel, 0, 0, &counts);
	if (err)
		return err;
	*out = (struct pv_evsel_value){counts.val, counts.ena, counts.run};
	return 0;
}
