/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting and ending a guest. A guest boots, or continues from a base snapshot, or from a topology snapshot
 * (snapshot.h): start_guest() decides.
 */
#include "framework/qemu/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/qemu/snapshot.h"
#include "framework/target/console.h"
#include "framework/util/cleanup.h"

#define WINDOW_BYTES (4u << 20)
#define SILENCES_MAX 10 /* of 200 ms each, after an oops */

/* Configuration and snapshots of a guest that is being started. */
struct start {
	struct pv_qemu_target *q;
	struct pv_vm_conf conf;

	struct pv_snapshot_inputs in;
	char *base_key;
	struct pv_snapshot_file base;
	char *pool_key; /* of idle QEMUs that can be rewound to this base: one made again may differ */

	char *topology_key; /* NULL: topology snapshots are not used */
	enum pv_snapshot_topology found;
	struct pv_snapshot_file topology; /* if found */
	struct pv_mmio_log log;		  /* of a guest that is to be saved */

	bool replayed;		      /* the models are in the state of the topology snapshot, with ... */
	struct pv_fabric_peer models; /* ... clock and MSIs of this fabric */
};

/* ---- the far-side program ---- */

/*
 * Fills *e with what was being done, the reason, and the end of the console, which explains most failures. Returns err.
 */
static int boot_failed(struct pv_qemu_target *q, int err, const char *what, struct pv_error *e)
{
	pv_vm_runs(&q->vm, q->ended, sizeof(q->ended));
	_autofree_ char *text = pv_vm_console_end(&q->vm, q->console_read, 300);
	const char *tail = text ? text : "";
	return pv_error(e, err, "boot: %s: %s%s%s; the console, %s, ends with: %s", what, strerror(-err),
			*q->ended ? "; " : "", q->ended, q->console, *tail ? tail : "nothing");
}

/* Called while the guest is silent. After an oops, the far-side program may be dead. */
static bool guest_runs(void *ctx)
{
	struct pv_qemu_target *q = ctx;

	return pv_vm_runs(&q->vm, q->ended, sizeof(q->ended)) &&
	       (++q->silences < SILENCES_MAX || pv_vm_trouble(&q->vm, q->console_read) < PV_TROUBLE_OOPS);
}

/* A pv_far_exchange_fn: the guest runs until it has answered, has exited, or its kernel has died. */
static int64_t exchange(void *ctx, const void *request, size_t n, void *answer, size_t room)
{
	struct pv_qemu_target *q = ctx;

	q->silences = 0;
	int64_t got = pv_fabric_exchange(&q->fabric, request, n, answer, room);
	if (got == -ECONNRESET)
		pv_vm_await_end(&q->vm, q->ended, sizeof(q->ended));
	return got;
}

/*
 * Receives the first message and connects. A restored far-side program first repeats the message that it was saved
 * with.
 */
static int greet(struct pv_qemu_target *q, bool restored, struct pv_error *e)
{
	static char hello[WINDOW_BYTES];

	q->console_read = q->vm.console_begins;
	int64_t n = exchange(q, NULL, 0, hello, sizeof(hello));

	if (n < 0 || (n && !restored))
		return boot_failed(q, n < 0 ? (int)n : -EPROTO, "waiting for the far-side program", e);
	return pv_far_connect(&q->far, exchange, q, e);
}

/* Makes the far-side program repeat its first message from here on, as in a restored guest. */
static int ring_again(struct pv_qemu_target *q, struct pv_error *e)
{
	pv_far_close(q->far);
	q->far = NULL;
	int err = pv_fabric_again(&q->fabric);
	return err ? boot_failed(q, err, "going on", e) : greet(q, true, e);
}

/* ---- QEMU ---- */

/* The ports of the models send no PME: a port that Linux suspended while its slot was empty could not wake up. */
#define KERNEL_ARGUMENTS "console=ttyAMA0 quiet loglevel=5 panic=-1 no_console_suspend pcie_port_pm="
/*
 * Leak detectors are off unless requested: kmemleak records a stack trace for each allocation, and DMA-API debugging
 * takes 16384 locks whenever a function loses its driver. Each is a third of a case with the PTT, on a kernel that has
 * them.
 */
#define NO_LEAKS	 " kmemleak=off dma_debug=off"
/*
 * The reference driver needs a kernel without the drivers that it replaces. A function of VFIO stays in D0, as with
 * them.
 */
#define REFERENCE_ARGUMENTS \
	"pcieval.modules=none vfio.enable_unsafe_noiommu_mode=1 vfio_pci.disable_idle_d3=1 hugepages=64 "

/* The reference driver sets MPS and MRRS itself: its kernel leaves those of the firmware. */
static int make_append(const struct pv_qemu_target *q, enum pv_mps_policy policy, char **append)
{
	const char *of_driver = q->guest.reference ? REFERENCE_ARGUMENTS : "";
	enum pv_mps_policy of_kernel = q->guest.reference ? PV_MPS_TUNE_OFF : policy;
	bool named = of_kernel != PV_MPS_DEFAULT;

	return asprintf(append, KERNEL_ARGUMENTS "%s%s%s %s%s %s%s", q->hw.topo->port_pm ? "force" : "off",
			q->hw.topo->threadirqs ? " threadirqs" : "", q->guest.leaks ? "" : NO_LEAKS,
			named ? "pci=pcie_bus_" : "", named ? pv_mps_policy_word(of_kernel) : "", of_driver,
			q->guest.append) < 0
		       ? -ENOMEM
		       : 0;
}

/* The caller frees conf->append. */
static int make_conf(const struct pv_qemu_target *q, enum pv_mps_policy policy, struct pv_vm_conf *conf)
{
	char *append;

	if (make_append(q, policy, &append))
		return -ENOMEM;
	*conf = (struct pv_vm_conf){
		.qemu = q->guest.qemu,
		.kernel = q->guest.kernel,
		.append = append,
		.console = q->console,
		.ram_bytes = q->guest.ram_bytes,
		.window_bytes = WINDOW_BYTES,
		.cpus = q->hw.topo->cpus > 1 ? q->hw.topo->cpus : q->guest.cpus,
		.numa_nodes = q->hw.topo->numa_nodes,
		.iommu = q->hw.topo->iommu,
		.real_time = q->guest.real_time,
		.seed = json_object_get_uint64(json_object_object_get(q->msg, "seed")),
	};
	/* With several CPUs, one may still access the hardware of the last guest while QEMU rewinds. */
	if (conf->cpus <= 1 && !conf->real_time)
		conf->pool = q->guest.pool;
	memcpy(conf->archive, q->guest.archive, sizeof(conf->archive));
	return 0;
}

/* Sets up a fabric after it was opened: host bridges, delay of MSIs, log, and the state of the models. */
static void set_up_fabric(struct start *s)
{
	struct pv_qemu_target *q = s->q;

	q->ended[0] = 0;
	q->fabric.hello = q->bridges;
	q->fabric.guest_runs = guest_runs;
	q->fabric.ctx = q;
	q->fabric.delay.latency_ps = q->irq_latency_ps;
	if (s->replayed)
		pv_fabric_continue(&q->fabric, &s->models);
	if (s->conf.save_fd)
		q->fabric.log = &s->log;
}

/* Starts a QEMU that boots or, with conf.snapshot, restores. */
static int start_vm(struct start *s, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;
	int err = pv_vm_start(&q->vm, &s->conf, &q->fabric, q->hw.model, e);

	set_up_fabric(s);
	return err ? err : greet(q, s->conf.snapshot, e);
}

/* Takes an idle QEMU from the pool and rewinds it to conf.snapshot. -ENOENT: there is none; -errno. */
static int take_vm(struct start *s)
{
	struct pv_qemu_target *q = s->q;
	struct pv_fabric_fds fds;

	if (!pv_vm_take(&q->vm, &s->conf, s->pool_key, &fds))
		return -ENOENT;
	int err = pv_fabric_adopt(&q->fabric, q->hw.model, &fds);
	set_up_fabric(s);
	return err ? err : pv_fabric_rewind(&q->fabric, s->conf.snapshot, q->vm.console_fd);
}

/* Lines of the console. */
#define OF_THIS	    "; from here on it is the guest of this case"
#define SAVED	    "pcieval: saved here" OF_THIS
#define SAVED_READY "pcieval: saved here, ready with topology and modules" OF_THIS
#define IN_EARLIER  ", in a QEMU of an earlier one\n"

/* Restores a snapshot. A guest that is to be saved needs a QEMU that was started for this. */
static int restore(struct start *s, const struct pv_snapshot_file *from, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;

	s->conf.snapshot = from;
	s->conf.note = from->base ? SAVED_READY IN_EARLIER : SAVED IN_EARLIER;
	int err = s->conf.save_fd ? -ENOENT : take_vm(s);
	if (!err)
		err = greet(q, true, e);
	if (err) {
		pv_qemu_end_guest(q);
		s->conf.note = from->base ? SAVED_READY "\n" : SAVED "\n";
		err = start_vm(s, e);
	}
	s->conf.snapshot = NULL;
	s->conf.note = NULL;
	q->key = err || s->conf.save_fd ? NULL : strdup(s->pool_key);
	return err;
}

/* A guest that waits for an answer can be rewound, in any state. */
static bool can_be_put(const struct pv_qemu_target *q)
{
	return q->key && q->fabric.waiting && q->far && !pv_far_failure(q->far)->code;
}

void pv_qemu_end_guest(struct pv_qemu_target *q)
{
	if (can_be_put(q))
		pv_vm_put(&q->vm, q->key, &q->fabric);
	free(q->key);
	q->key = NULL;
	pv_far_close(q->far);
	q->far = NULL;
	q->base.driver = NULL;
	q->base.shell = NULL;
	pv_fabric_close(&q->fabric);
	pv_vm_end(&q->vm);
}

/* ---- the topology snapshot ---- */

/* With several CPUs, the log depends on the host. After a step that touched the hardware, cases differ. */
static bool can_share_topology(const struct start *s)
{
	return s->conf.cpus <= 1 && !s->conf.real_time && s->q->boots == 1 && !s->q->hw.touched;
}

static void find_topology(struct start *s)
{
	s->found = pv_snapshot_topology_find(s->in.folder, s->topology_key, &s->topology);
	s->topology.base = &s->base;
}

static void stop_saving(struct start *s)
{
	if (s->conf.save_fd)
		close(s->conf.save_fd);
	s->conf.save_fd = 0;
}

/* Ends the guest and starts over without a topology snapshot, with models that are reset. */
static int discard_topology(struct start *s, struct pv_error *e)
{
	pv_qemu_end_guest(s->q);
	stop_saving(s);
	pv_snapshot_drop(s->in.folder, s->topology_key);
	s->found = PV_SNAPSHOT_NEVER;
	s->replayed = false;
	free(s->topology_key);
	s->topology_key = NULL;
	pv_model_reset(s->q->hw.model);
	int err = pv_hw_booting(&s->q->hw);
	return err ? pv_error(e, err, "boot: memory for the hardware: %s", strerror(-err)) : 0;
}

/* Replays the log to the models and restores. -ESTALE: the models answered differently; -errno. */
static int restore_topology(struct start *s, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;
	const struct pv_mmio_access *at;
	size_t n;

	q->fabric = (struct pv_fabric_peer){.model = q->hw.model, .fd = -1, .ram.fd = -1, .window.fd = -1};
	q->fabric.ahead_ps = pv_model_now_ps(q->hw.model);
	set_up_fabric(s);
	if (!pv_snapshot_topology_log(&s->topology, &at, &n) || !pv_fabric_replay(&q->fabric, at, n))
		return -ESTALE;
	s->models = q->fabric;
	s->replayed = true;
	return restore(s, &s->topology, e);
}

/* Returns true if the guest may be saved. Otherwise no later guest of the topology is asked again. */
static bool can_save_topology(struct start *s)
{
	if (!s->log.broken && pv_vm_trouble(&s->q->vm, s->q->console_read) == PV_TROUBLE_NONE)
		return true;
	pv_snapshot_topology_refuse(s->in.folder, s->topology_key,
				    "its kernel complains, or its hardware has written to memory");
	return false;
}

/* Saves the guest, which ends it, and restores it. */
static int save_topology(struct start *s, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;
	int err = pv_fabric_save(&q->fabric);

	if (err)
		return pv_error(e, err, "saving a machine: %s", strerror(-err));
	s->models = q->fabric;
	err = pv_snapshot_topology_save(s->in.folder, s->topology_key,
					&(struct pv_snapshot_guest){
						.state_fd = s->conf.save_fd,
						.console_fd = q->vm.console_fd,
						.ram_fd = q->fabric.ram.fd,
						.ram_bytes = q->fabric.ram.bytes,
						.base = &s->base,
						.log = &s->log,
					},
					e);
	pv_qemu_end_guest(q);
	stop_saving(s);
	if (err)
		return err;
	find_topology(s);
	if (s->found != PV_SNAPSHOT_FOUND)
		return -EIO;
	s->replayed = true;
	return restore(s, &s->topology, e);
}

/* ---- the base snapshot ---- */

/* Not for topologies with an IOMMU: restoring one is untested. */
static bool can_use_snapshots(const struct pv_qemu_target *q)
{
	return q->guest.snapshots && q->hw.topo->iommu == PV_IOMMU_NONE;
}

/* Opens the base snapshot, after making it if necessary, and the topology snapshot if there is one. */
static int open_snapshots(struct start *s, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;

	s->in = (struct pv_snapshot_inputs){q->guest.snapshots, &s->conf, &q->bridges};
	s->base_key = pv_snapshot_base_key(&s->in);
	int err = s->base_key ? pv_snapshot_base_get(&s->in, s->base_key, &s->base, e)
			      : pv_error(e, -ENOMEM, "saved machine: no memory");
	s->found = PV_SNAPSHOT_NEVER;
	if (!err && asprintf(&s->pool_key, "%016" PRIx64 " %s", s->base.sum, s->base_key) < 0) {
		s->pool_key = NULL;
		err = pv_error(e, -ENOMEM, "saved machine: no memory");
	}
	if (err || !can_share_topology(s))
		return err;
	s->topology_key = pv_snapshot_topology_key(s->base_key, s->base.sum, q->msg, q->irq_latency_ps);
	if (s->topology_key)
		find_topology(s);
	return 0;
}

/* Returns true unless what failed is a lack of this machine's, such as a full disk: others use the base, too. */
static bool speaks_against_base(int err)
{
	static const int lacks[] = {-ENOSPC, -EDQUOT, -ENOMEM, -EMFILE, -ENFILE, -EAGAIN, -EACCES, -EROFS};

	for (size_t i = 0; i < ARRAY_SIZE(lacks); i++)
		if (err == lacks[i])
			return false;
	return err;
}

/*
 * The guest of a topology that was seen before gets a file to be saved to. A base snapshot that does not work is
 * removed.
 */
static int restore_base(struct start *s, struct pv_error *e)
{
	int state = s->found == PV_SNAPSHOT_SEEN ? memfd_create("pcieval-state", MFD_CLOEXEC) : -1;

	s->conf.save_fd = state > 0 ? state : 0;
	int err = restore(s, &s->base, e);
	if (speaks_against_base(err))
		pv_snapshot_drop(s->in.folder, s->base_key);
	return err;
}

/*
 * Gives the restored guest its topology and modules, and saves it if it is to be. -EAGAIN: saving failed, restore
 * again.
 */
static int continue_from_base(struct start *s, struct pv_error *e)
{
	struct pv_qemu_target *q = s->q;
	int err = pv_snapshot_base_continue(q->far, &q->bridges, e);

	if (err == -ECONNRESET)
		return boot_failed(q, err, "setting up the guest", e);
	if (err || !s->topology_key)
		return err;
	if (!s->conf.save_fd || !can_save_topology(s))
		return ring_again(q, e);
	if (!save_topology(s, e))
		return 0;
	err = discard_topology(s, e);
	return err ? err : -EAGAIN;
}

/* ---- the decision ---- */

static int cold_boot(struct start *s, const char *why, struct pv_error *e)
{
	_autofree_ char *note = NULL;

	pv_qemu_end_guest(s->q);
	stop_saving(s);
	if (*why && asprintf(&note, "pcieval: booted, not gone on from a saved machine: %s\n", why) < 0)
		note = NULL;
	s->conf.note = note;
	return start_vm(s, e);
}

/*
 * Cold boot: if there is no base snapshot. Topology snapshot: if there is one, and the models answer as its log says.
 * Base snapshot: otherwise. A snapshot that fails is no error: the next slower way is taken.
 */
static int start_guest(struct start *s, struct pv_error *e)
{
	struct pv_error why = {0};

	if (!can_use_snapshots(s->q) || open_snapshots(s, &why))
		return cold_boot(s, why.text, e);
	if (s->found == PV_SNAPSHOT_FOUND) {
		if (!restore_topology(s, &why))
			return 0;
		int err = discard_topology(s, e);
		if (err)
			return err;
	}
	while (!restore_base(s, &why)) {
		int err = continue_from_base(s, e);

		if (err != -EAGAIN)
			return err;
	}
	return cold_boot(s, why.text, e);
}

static void keep_first(void *ctx, enum pv_kernel_trouble t, const char *report, size_t n)
{
	struct pv_error *e = ctx;
	size_t line = strcspn(report, "\r\n");

	if (t == PV_TROUBLE_GUEST && !e->code)
		pv_error(e, -EIO, "boot: %.*s", (int)(line < n ? line : n), report);
}

/* In a guest without memory or one of its modules, no driver can be judged. */
static int check_guest(const struct pv_qemu_target *q, struct pv_error *e)
{
	e->code = 0;
	pv_vm_troubles(&q->vm, q->console_read, keep_first, e);
	return e->code;
}

static void free_start(struct start *s)
{
	stop_saving(s);
	if (s->topology.at)
		pv_snapshot_file_close(&s->topology);
	if (s->base.at)
		pv_snapshot_file_close(&s->base);
	pv_mmio_log_free(&s->log);
	free(s->topology_key);
	free(s->base_key);
	free(s->pool_key);
	free((char *)s->conf.append);
}

int pv_qemu_boot(struct pv_qemu_target *q, enum pv_mps_policy policy, struct pv_error *e)
{
	struct start s = {.q = q};
	int err = make_conf(q, policy, &s.conf);

	if (err)
		return pv_error(e, err, "boot: no memory");
	err = start_guest(&s, e);
	q->fabric.log = NULL;
	free_start(&s);
	if (!err)
		err = check_guest(q, e);
	return !err && q->guest.reference ? pv_far_reference(q->far, policy, NULL, 0, e) : err;
}
