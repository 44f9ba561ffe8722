/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of the bus, and the time in which they arrive. MSIs of functions that VFIO has arrive through eventfds.
 * Where there is no VFIO, handlers, which look for themselves whether there is something to do, are called every
 * millisecond. Nothing is nested: there is one thread, and handlers run while time passes and when interrupts are let
 * in again.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "framework/vfio/bus.h"
#include "framework/vfio/bus_internal.h"

#define NS_PER_S 1000000000ull
#define POLL_NS	 1000000ull
#define SPIN_NS	 1000000ull
#define FDS_MAX	 64u

static bool is_polled(const struct pv_vfio_func *f)
{
	return f->line.fn && f->vfio.device < 0;
}

/* True if this MSI arrived since it was asked last. */
static bool arrived(const struct pv_vfio_func *f, unsigned vector)
{
	uint64_t n;

	return read(f->vfio.event[vector], &n, sizeof(n)) == (ssize_t)sizeof(n);
}

/* Calls the handlers of MSIs that have arrived, and, if that is due, those that are polled. */
static void deliver(struct pv_vfio_bus *b, bool polled)
{
	b->in_irq = true;
	for (size_t i = 0; i < b->n; i++) {
		const struct pv_vfio_func *f = &b->func[i];

		for (unsigned v = 0; f->line.fn && v < f->line.vectors; v++)
			if (is_polled(f) ? polled : arrived(f, v))
				f->line.fn(f->line.arg, v);
	}
	b->in_irq = false;
}

static void deliver_due(struct pv_vfio_bus *b)
{
	uint64_t now = pv_vfio_bus_now_ns(b);
	bool polled = now - b->polled_ns >= POLL_NS;

	if (b->irq_off || b->in_irq)
		return;
	if (polled)
		b->polled_ns = now;
	deliver(b, polled);
}

/* Descriptors that become readable with an MSI. Those beyond FDS_MAX are looked at every millisecond. */
static nfds_t gather(const struct pv_vfio_bus *b, struct pollfd *fds, bool *polls)
{
	nfds_t n = 0;

	*polls = false;
	for (size_t i = 0; i < b->n; i++) {
		const struct pv_vfio_func *f = &b->func[i];

		*polls |= is_polled(f);
		for (unsigned v = 0; f->line.fn && !is_polled(f) && v < f->line.vectors; v++) {
			*polls |= n == FDS_MAX;
			if (n < FDS_MAX)
				fds[n++] = (struct pollfd){.fd = f->vfio.event[v], .events = POLLIN};
		}
	}
	return n;
}

/*
 * Waking up takes longer than a narrow counter takes to wrap: looks for MSIs all the time, at first. Returns the time.
 */
static uint64_t spin(struct pv_vfio_bus *b, uint64_t now, uint64_t end)
{
	uint64_t until = end - now > SPIN_NS ? now + SPIN_NS : end;

	while (now < until) {
		deliver_due(b);
		now = pv_vfio_bus_now_ns(b);
	}
	return now;
}

int pv_vfio_bus_wait(struct pv_vfio_bus *b, uint64_t ns)
{
	struct pollfd fds[FDS_MAX];
	uint64_t now = pv_vfio_bus_now_ns(b), end = now + ns;
	bool polls;
	nfds_t n = gather(b, fds, &polls);

	if (end < now)
		return -EOVERFLOW;
	/* An MSI that may not be delivered yet would be ready all the time. */
	if (b->irq_off || b->in_irq)
		n = 0;
	deliver_due(b);
	for (now = n ? spin(b, now, end) : now; now < end; now = pv_vfio_bus_now_ns(b)) {
		uint64_t step = polls && end - now > POLL_NS ? POLL_NS : end - now;
		const struct timespec left = {(time_t)(step / NS_PER_S), (long)(step % NS_PER_S)};

		if (ppoll(fds, n, &left, NULL) < 0 && errno != EINTR)
			return -errno;
		deliver_due(b);
	}
	return 0;
}

void pv_vfio_bus_delay_ns(void *bus, uint64_t ns)
{
	pv_vfio_bus_wait(bus, ns);
}

static int irq_on(struct pv_vfio_func *f, unsigned vectors)
{
	int err = f->vfio.device >= 0 ? pv_vfio_device_irq_on(f, vectors) : 0;

	if (err)
		pv_vfio_device_irq_off(f);
	return err;
}

int pv_vfio_bus_irq_set(void *bus, pv_bdf bdf, unsigned vectors, void (*fn)(void *, unsigned), void *arg)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);

	if (f && f->line.fn && f->vfio.device >= 0)
		pv_vfio_device_irq_off(f);
	if (f)
		f->line = (struct pv_vfio_line){0};
	if (!fn)
		return 0;
	if (!f || !vectors || vectors > PV_BUS_VECTORS)
		return f ? -ENOSPC : -ENODEV;
	int err = irq_on(f, vectors);
	if (!err)
		f->line = (struct pv_vfio_line){vectors, fn, arg};
	return err;
}

void pv_vfio_bus_irq_save(void *bus)
{
	((struct pv_vfio_bus *)bus)->irq_off++;
}

void pv_vfio_bus_irq_restore(void *bus)
{
	struct pv_vfio_bus *b = bus;

	if (b->irq_off && !--b->irq_off)
		deliver_due(b);
}
