/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The models' end of the fabric. */
#include "framework/qemu/fabric.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/util/fdpass.h"

#define TICK_NS	   10000 /* how often the models run while there is traffic */
#define SILENCE_MS 200	 /* how often guest_runs() is called */

/* ---- memory ---- */

static int map(struct pv_shared *s)
{
	struct stat st;

	if (fstat(s->fd, &st) || st.st_size <= 0)
		return -EINVAL;
	s->at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->at == MAP_FAILED) {
		s->at = NULL;
		return -errno;
	}
	s->bytes = (size_t)st.st_size;
	return 0;
}

static int share(struct pv_shared *s, const char *name, size_t bytes)
{
	s->fd = memfd_create(name, MFD_CLOEXEC);
	return s->fd < 0 || ftruncate(s->fd, (off_t)bytes) ? -errno : map(s);
}

static void unshare_memory(struct pv_shared *s)
{
	if (s->at)
		munmap(s->at, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct pv_shared){.fd = -1};
}

/* ---- interrupts ---- */

/* Computes the device ID of a function in the ITS, see struct pv_fabric_bridge. */
static bool device_id(const struct pv_fabric_peer *f, pv_bdf bdf, uint32_t *id)
{
	for (uint32_t i = 0; i < f->hello.bridges; i++) {
		const struct pv_fabric_bridge *b = &f->hello.bridge[i];
		unsigned bus = PCI_BUS(bdf);

		if (PCI_DOMAIN(bdf) != b->domain || bus < b->bus_first || bus > b->bus_last)
			continue;
		*id = pv_fabric_device_id(b, (uint16_t)PCI_RID(bdf));
		return true;
	}
	return false;
}

/* Puts the MSI into the answer, if software has not masked it in the meantime; it may have moved it. */
static void send_msi(struct pv_fabric_peer *f, pv_bdf bdf, unsigned vector)
{
	struct pv_fabric_msi *m = &f->answer.msi[f->answer.msis];
	uint64_t addr;
	uint32_t data;

	if (!device_id(f, bdf, &m->device_id) || pv_model_msi_address(f->model, bdf, vector, &addr, &data)) {
		f->msis_lost++;
		return;
	}
	m->addr = addr;
	m->data = data;
	f->answer.msis++;
}

/* An MSI that finds the answer full waits for the next one. */
void pv_fabric_msi(struct pv_fabric_peer *f, pv_bdf bdf, unsigned vector)
{
	if (f->delay.latency_ps || f->answer.msis == PV_FABRIC_MSIS)
		pv_msi_delay_add(&f->delay, pv_model_now_ps(f->model), bdf, vector);
	else
		send_msi(f, bdf, vector);
}

/* ---- time ---- */

static uint64_t models_ps(const struct pv_fabric_peer *f)
{
	return f->guest_ns * PV_PS_PER_NS + f->ahead_ps;
}

static void send_due(struct pv_fabric_peer *f)
{
	struct pv_delayed_msi due;

	while (f->answer.msis < PV_FABRIC_MSIS && pv_msi_delay_take(&f->delay, models_ps(f), &due))
		send_msi(f, due.bdf, due.vector);
}

/* Runs the models up to the guest's clock. If `yield`, stops at an MSI so that the guest can handle it first. */
static void catch_up(struct pv_fabric_peer *f, bool yield)
{
	uint64_t until = models_ps(f);

	while (f->model && pv_model_now_ps(f->model) < until && pv_model_run(f->model, until))
		if ((yield && f->answer.msis) || f->answer.msis == PV_FABRIC_MSIS)
			return;
}

/*
 * An access may take time on the links, which the guest's clock does not count. The models' time goes on from its end:
 * else it would stand still until the guest's clock has come there, and so would what the guest waits for.
 */
static void stall(struct pv_fabric_peer *f)
{
	uint64_t now = f->model ? pv_model_now_ps(f->model) : 0, guest = models_ps(f);

	if (now > guest)
		f->ahead_ps += now - guest;
}

/* Returns when the models must run next: at their next event, at most once per tick, or when an MSI becomes due. */
static uint64_t models_wake(const struct pv_fabric_peer *f)
{
	uint64_t next = f->model ? pv_model_next_ps(f->model) : UINT64_MAX, soon = f->guest_ns + TICK_NS, due;
	uint64_t delayed = pv_msi_delay_next_ps(&f->delay);

	if (delayed < next)
		next = delayed;
	if (next == UINT64_MAX)
		return UINT64_MAX;
	if (f->answer.msis)
		return f->guest_ns + 1000; /* the models are behind: the guest handles the interrupt first */
	due = next <= f->ahead_ps ? 0 : (next - f->ahead_ps + PV_PS_PER_NS - 1) / PV_PS_PER_NS;
	return due > soon ? due : soon;
}

static uint64_t next_wake(const struct pv_fabric_peer *f)
{
	uint64_t wake = models_wake(f), latest = f->tick_ns ? f->guest_ns + f->tick_ns : UINT64_MAX;

	return wake < latest ? wake : latest;
}

/* ---- accesses ---- */

static bool valid_access(const struct pv_fabric_ask *a)
{
	return (a->bytes == 1 || a->bytes == 2 || a->bytes == 4 || a->bytes == 8) && a->addr % a->bytes == 0;
}

/* Finds the function whose configuration space is at an address. Returns false if it is in no ECAM of the guest. */
static bool is_cfg(const struct pv_fabric_peer *f, uint64_t addr, pv_bdf *bdf)
{
	if (addr < PV_FABRIC_ECAM || addr >= pv_fabric_ecam(PV_FABRIC_DOMAINS))
		return false;
	uint64_t ecam = (addr - PV_FABRIC_ECAM) / PV_FABRIC_ECAM_BYTES;
	for (uint32_t i = 0; i < f->hello.bridges; i++)
		if (f->hello.bridge[i].ecam == ecam) {
			*bdf = PCI_IN_DOMAIN(f->hello.bridge[i].domain, addr >> 12 & 0xffff);
			return true;
		}
	return false;
}

static uint64_t read_at(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	pv_bdf bdf;

	if (!f->model)
		return UINT64_MAX;
	if (is_cfg(f, a->addr, &bdf))
		return pv_model_cfg_read(f->model, bdf, a->addr & 0xfff, a->bytes);
	return pv_model_mem_read(f->model, a->addr, a->bytes);
}

static void write_at(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	pv_bdf bdf;

	if (!f->model)
		return;
	if (is_cfg(f, a->addr, &bdf))
		pv_model_cfg_write(f->model, bdf, a->addr & 0xfff, a->bytes, a->value);
	else
		pv_model_mem_write(f->model, a->addr, a->bytes, a->value);
}

/* ---- messages ---- */

static int send_all(int fd, const void *data, size_t n)
{
	ssize_t done;

	do
		done = send(fd, data, n, MSG_NOSIGNAL);
	while (done < 0 && errno == EINTR);
	return done == (ssize_t)n ? 0 : -ECONNRESET;
}

static int send_prepared(struct pv_fabric_peer *f)
{
	int err = send_all(f->fd, &f->answer, sizeof(f->answer));

	f->answer = (struct pv_fabric_answer){0};
	return err;
}

/* Completes the answer to the last ask. */
static void complete(struct pv_fabric_peer *f)
{
	f->answer.wake_ns = next_wake(f);
	if (!f->log)
		return;
	const struct pv_mmio_access asked = pv_mmio_access_of(&f->asked, &f->answer);
	pv_mmio_log_add(f->log, &asked);
}

static int send_answer(struct pv_fabric_peer *f)
{
	complete(f);
	return send_prepared(f);
}

static int take_ask(struct pv_fabric_peer *f, struct pv_fabric_ask *a)
{
	for (;;) {
		struct pollfd p = {f->fd, POLLIN, 0};
		int n = poll(&p, 1, SILENCE_MS);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			break;
		if (f->guest_runs && !f->guest_runs(f->ctx))
			return -ETIMEDOUT;
	}
	ssize_t n = recv(f->fd, a, sizeof(*a), MSG_WAITALL);
	return n == sizeof(*a) ? 0 : -ECONNRESET;
}

/* ---- DMA ---- */

/*
 * Asks QEMU where its IOMMU maps a write, while QEMU waits for an answer. Returns PV_FABRIC_NOWHERE if it must not be
 * written, or QEMU has ended, which the answer will show.
 */
static uint64_t translate(struct pv_fabric_peer *f, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	const struct pv_fabric_answer question = {.stop = PV_FABRIC_TRANSLATE};
	struct pv_fabric_dma dma = {.addr = addr, .bytes = bytes};
	struct pv_fabric_ask to = {0};

	if (!device_id(f, bdf, &dma.device_id) || send_all(f->fd, &question, sizeof(question)) ||
	    send_all(f->fd, &dma, sizeof(dma)) || take_ask(f, &to) || to.op != PV_FABRIC_TRANSLATED)
		return PV_FABRIC_NOWHERE;
	return to.addr;
}

void *pv_fabric_dma_map(struct pv_fabric_peer *f, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	if (f->log)
		f->log->broken = true;
	if (f->hello.iommu)
		addr = translate(f, bdf, addr, bytes);
	uint64_t off = addr - PV_FABRIC_RAM;
	return addr >= PV_FABRIC_RAM && off < f->ram.bytes && bytes <= f->ram.bytes - off ? f->ram.at + off : NULL;
}

/* ---- the guest's requests ---- */

static int say_hello(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	if (a->value != PV_FABRIC_VERSION)
		return -EPROTO;
	return send_all(f->fd, &f->hello, sizeof(f->hello));
}

static int execute(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	switch (a->op) {
	case PV_FABRIC_READ:
		f->answer.value = valid_access(a) ? read_at(f, a) : UINT64_MAX;
		return 0;
	case PV_FABRIC_WRITE:
		if (valid_access(a))
			write_at(f, a);
		return 0;
	case PV_FABRIC_POWER:
		if (f->model)
			pv_model_power_cycle(f->model);
		return 0;
	case PV_FABRIC_RESET:
	case PV_FABRIC_TICK:
	case PV_FABRIC_CALL:
		return 0;
	default:
		return -EPROTO;
	}
}

/* Runs the models up to the time of a request and executes it. The answer is completed later. */
static int perform(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	f->asked = *a;
	f->guest_ns = a->now_ns;
	catch_up(f, a->op == PV_FABRIC_TICK);
	send_due(f);
	int err = execute(f, a);

	stall(f);
	return err;
}

/* Answers one request of the device, but not a call of the far side: *called is set instead. */
static int serve(struct pv_fabric_peer *f, const struct pv_fabric_ask *a, bool *called)
{
	if (a->op == PV_FABRIC_HELLO)
		return say_hello(f, a);
	int err = perform(f, a);
	*called = !err && a->op == PV_FABRIC_CALL;
	if (*called)
		return a->value <= f->window.bytes ? 0 : -EPROTO;
	return err ? err : send_answer(f);
}

int pv_fabric_take(struct pv_fabric_peer *f, struct pv_fabric_ask *a)
{
	return take_ask(f, a);
}

int pv_fabric_answer(struct pv_fabric_peer *f, const struct pv_fabric_ask *a)
{
	bool called = false;
	int err = serve(f, a, &called);

	return err ? err : called ? -EPROTO : 0;
}

/* Lets the guest run until the far side calls. Returns the length of its message or -errno. */
static int64_t run_guest(struct pv_fabric_peer *f)
{
	struct pv_fabric_ask ask = {0};
	bool called = false;

	while (!called) {
		int err = take_ask(f, &ask);

		if (!err)
			err = serve(f, &ask, &called);
		if (err)
			return err;
		f->asks++;
	}
	f->waiting = true;
	return (int64_t)ask.value;
}

int64_t pv_fabric_exchange(struct pv_fabric_peer *f, const void *request, size_t n, void *reply, size_t room)
{
	if (n > f->window.bytes)
		return -EMSGSIZE;
	if (f->waiting) {
		memcpy(f->window.at, request, n);
		f->answer.value = n;
		f->waiting = false;
		int err = send_answer(f);
		if (err)
			return err;
	}
	int64_t got = run_guest(f);
	if (got < 0)
		return got;
	if ((size_t)got > room)
		return -EMSGSIZE;
	memcpy(reply, f->window.at, (size_t)got);
	return got;
}

/* Serves until QEMU asks `op`, which must come before a call. 0 or -errno. */
static int serve_until(struct pv_fabric_peer *f, enum pv_fabric_op op, struct pv_fabric_ask *ask)
{
	bool called = false;

	for (;;) {
		int err = take_ask(f, ask);

		if (err || ask->op == op)
			return err;
		err = serve(f, ask, &called);
		if (err || called)
			return err ? err : -EPROTO;
	}
}

/*
 * A restored machine does not remember when the device must wake it. So that a guest that continues at once behaves the
 * same, nothing wakes it until it rings again. MSIs that are due go with this answer.
 */
static int send_again(struct pv_fabric_peer *f, enum pv_fabric_stop stop)
{
	complete(f);
	f->log = NULL;
	f->waiting = false;
	f->answer.value = PV_MAILBOX_AGAIN;
	f->answer.stop = stop;
	f->answer.wake_ns = UINT64_MAX;
	return send_prepared(f);
}

int pv_fabric_again(struct pv_fabric_peer *f)
{
	return send_again(f, PV_FABRIC_GO_ON);
}

int pv_fabric_save(struct pv_fabric_peer *f)
{
	struct pv_fabric_ask ask = {0};
	int err = send_again(f, PV_FABRIC_SAVE);
	if (!err)
		err = serve_until(f, PV_FABRIC_SAVED, &ask);
	if (err)
		return err;
	f->answer.stop = PV_FABRIC_END;
	err = send_answer(f);
	return err ? err : ask.value == 1 ? 0 : -EIO;
}

/*
 * Restores RAM, and writes the changed ranges and the state into the window. Returns their number of bytes or -errno.
 */
static int64_t refill(struct pv_fabric_peer *f, const struct pv_snapshot_file *saved)
{
	struct pv_fabric_refill *r = (struct pv_fabric_refill *)f->window.at;
	size_t fixed = sizeof(*r) + saved->state_bytes, n;

	if (f->window.bytes < fixed + sizeof(r->range[0]))
		return -EMSGSIZE;
	int err = pv_snapshot_file_restore(saved, f->ram.fd, f->ram.at, r->range,
					   (f->window.bytes - fixed) / sizeof(r->range[0]), &n);
	if (err)
		return err;
	r->ranges = n;
	for (size_t i = 0; i < n; i++)
		r->range[i].at += PV_FABRIC_RAM;
	memcpy(&r->range[n], saved->at + saved->state_at, saved->state_bytes);
	return (int64_t)(fixed + n * sizeof(r->range[0]));
}

int pv_fabric_rewind(struct pv_fabric_peer *f, const struct pv_snapshot_file *saved, int console_fd)
{
	struct pv_fabric_ask ask = {0};

	/* The clock is still that of the last guest: nothing must wake by it. */
	f->answer =
		(struct pv_fabric_answer){.value = PV_MAILBOX_AGAIN, .stop = PV_FABRIC_REWIND, .wake_ns = UINT64_MAX};
	f->waiting = false;
	int err = send_prepared(f);
	if (!err)
		err = pv_fdpass_send(f->fd, "", 1, &console_fd, 1, 0);
	if (!err)
		err = serve_until(f, PV_FABRIC_REFILL, &ask);
	int64_t n = err ? err : refill(f, saved);
	if (n < 0)
		return (int)n;
	f->answer = (struct pv_fabric_answer){.value = (uint64_t)n, .wake_ns = UINT64_MAX};
	return send_prepared(f);
}

bool pv_fabric_replay(struct pv_fabric_peer *f, const struct pv_mmio_access *at, size_t n)
{
	struct pv_mmio_log now = {0};

	f->log = &now;
	for (size_t i = 0; i < n && !now.broken; i++) {
		now.n = 0;
		now.broken = perform(f, &at[i].ask) != 0 || now.broken;
		complete(f);
		now.broken |= !now.n || !pv_mmio_access_same(&now.at[0], &at[i]);
		f->answer = (struct pv_fabric_answer){0};
	}
	f->log = NULL;
	bool same = !now.broken;
	pv_mmio_log_free(&now);
	return same;
}

void pv_fabric_continue(struct pv_fabric_peer *f, const struct pv_fabric_peer *from)
{
	f->guest_ns = from->guest_ns;
	f->ahead_ps = from->ahead_ps;
	f->delay = from->delay;
	f->msis_lost = from->msis_lost;
}

int pv_fabric_open(struct pv_fabric_peer *f, struct pv_model *model, size_t ram_bytes, size_t window_bytes,
		   int *device_fd)
{
	int pair[2];

	*f = (struct pv_fabric_peer){.model = model, .ram.fd = -1, .window.fd = -1, .fd = -1};
	int err = share(&f->ram, "pcieval-ram", ram_bytes);
	if (!err)
		err = share(&f->window, "pcieval-window", window_bytes);
	if (!err && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		err = -errno;
	if (err) {
		pv_fabric_close(f);
		return err;
	}
	f->fd = pair[0];
	*device_fd = pair[1];
	f->ahead_ps = model ? pv_model_now_ps(model) : 0;
	return 0;
}

int pv_fabric_adopt(struct pv_fabric_peer *f, struct pv_model *model, const struct pv_fabric_fds *fds)
{
	*f = (struct pv_fabric_peer){.model = model, .ram.fd = fds->ram, .window.fd = fds->window, .fd = fds->socket};
	int err = map(&f->ram);
	if (!err)
		err = map(&f->window);
	if (err) {
		pv_fabric_close(f);
		return err;
	}
	f->waiting = true;
	f->ahead_ps = model ? pv_model_now_ps(model) : 0;
	return 0;
}

void pv_fabric_close(struct pv_fabric_peer *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	unshare_memory(&f->ram);
	unshare_memory(&f->window);
}
