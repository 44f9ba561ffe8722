/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets time pass and delivers AUX data as they arrive. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>

#include "framework/linux/events.h"
#include "framework/linux/linux.h"

#define FDS_MAX	 64u
#define NS_PER_S 1000000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Descriptors of the events with AUX areas to read. Those beyond FDS_MAX are read at the end. */
static nfds_t gather(struct pv_linux *l, struct pollfd *fds)
{
	nfds_t n = 0;

	for (struct pv_perf_event *ev = l->events; ev && n < FDS_MAX; ev = ev->next)
		if (ev->ring.page && !ev->held && !ev->error)
			fds[n++] = (struct pollfd){.fd = ev->evsel.fd, .events = POLLIN};
	return n;
}

/* An event whose task or device is gone is always ready: stop polling it. */
static void drop_ended(struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			fds[i].fd = -1;
}

static int take_all(struct pv_linux *l)
{
	int err = 0;

	for (struct pv_perf_event *ev = l->events; ev; ev = ev->next) {
		pv_linux_event_take(ev);
		err = ev->error ? ev->error : err;
	}
	return err;
}

bool pv_linux_is_abandoned(const struct pv_linux *l)
{
	struct pollfd fd = {.fd = l->asker, .events = POLLIN};

	return l->asker >= 0 && poll(&fd, 1, 0) > 0;
}

int pv_linux_wait(struct pv_linux *l, uint64_t ns)
{
	struct pollfd fds[FDS_MAX + 1];
	uint64_t now = now_ns(), end;

	nfds_t n = gather(l, fds);

	fds[n] = (struct pollfd){.fd = l->asker, .events = POLLIN};
	if (ns > INT64_MAX - now)
		return -EOVERFLOW;
	for (end = now + ns; now < end; now = now_ns()) {
		struct timespec left = {(time_t)((end - now) / NS_PER_S), (long)((end - now) % NS_PER_S)};

		if (ppoll(fds, n + 1, &left, NULL) < 0 && errno != EINTR)
			return -errno;
		if (fds[n].revents)
			return -EPIPE;
		drop_ended(fds, n);
		take_all(l);
	}
	return take_all(l);
}
