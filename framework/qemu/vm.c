/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU process of a guest. */
#include "framework/qemu/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/qemu/vm_pool.h"
#include "framework/util/cleanup.h"
#include "framework/util/fdpass.h"
#include "framework/util/file.h"

#define ARGS_MAX       64
#define CONSOLE_BYTES  (1u << 20) /* that are looked at together */
#define TRANSLATED_MIB "256"	  /* buffer for translated code; QEMU empties it when it is full */

/* ---- CPU pinning ---- */

/* The abstract name of a socket claims a CPU; it goes with its last descriptor. */
static int claim_cpu(int cpu)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "pcieval-processor-%u-%d", (unsigned)geteuid(), cpu);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 &&
	    bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int confine_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

int pv_vm_pin_cpu(void)
{
	cpu_set_t allowed;
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	/* Begins with the CPU that this process runs on. */
	for (int i = 0; i < CPU_SETSIZE; i++) {
		int cpu = (here + i) % CPU_SETSIZE;
		int fd = CPU_ISSET(cpu, &allowed) ? claim_cpu(cpu) : -1;

		if (fd < 0)
			continue;
		if (!confine_to(cpu))
			return fd;
		close(fd);
	}
	return -1;
}

/* ---- initramfs ---- */

static int append_file(int to, const char *path)
{
	_autoclose_ int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (from < 0 || fstat(from, &st))
		return -errno;
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = sendfile(to, from, NULL, (size_t)left);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left -= n;
	}
	/* Archives follow each other at a multiple of 4 bytes. */
	off_t end = lseek(to, 0, SEEK_CUR);
	return end < 0 || ftruncate(to, (end + 3) & ~(off_t)3) || lseek(to, 0, SEEK_END) < 0 ? -errno : 0;
}

/* Concatenates the archives, which the kernel unpacks in order. Returns a descriptor of an unnamed file, or -errno. */
static int join_archives(const char *const *archive, struct pv_error *e)
{
	_autoclose_ int fd = memfd_create("pcieval-initramfs", MFD_CLOEXEC);

	if (fd < 0)
		return pv_error(e, -errno, "initramfs: no memory");
	for (; *archive; archive++) {
		int err = append_file(fd, *archive);

		if (err)
			return pv_error(e, err, "initramfs: reading %s: %s", *archive, strerror(-err));
	}
	int joined = fd;
	fd = -1;
	return joined;
}

/* ---- command line ---- */

/* QEMU's descriptors. */
enum {
	FD_NULL,
	FD_CONSOLE, /* its standard output */
	FD_STDERR,  /* its standard error */
	FD_DEVICE,  /* its end of the fabric */
	FD_RAM,
	FD_WINDOW,
	FD_INITRD,
	FD_SNAPSHOT,
	FD_SAVE,
	FD_SERIAL,
	FDS
};

struct args {
	char *arg[ARGS_MAX + 1];
	size_t n;
	bool failed;
};

static void add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (a->n == ARGS_MAX || vasprintf(&a->arg[a->n], fmt, ap) < 0)
		a->failed = true;
	else
		a->arg[++a->n] = NULL;
	va_end(ap);
}

static void option(struct args *a, const char *name, const char *value)
{
	add(a, "%s", name);
	add(a, "%s", value);
}

static void add_memory(struct args *a, const char *id, int fd, size_t bytes)
{
	add(a, "-object");
	add(a, "memory-backend-file,id=%s,mem-path=/proc/self/fd/%d,size=%zu,share=on", id, fd, bytes);
}

static void add_node(struct args *a, unsigned node, const struct pv_vm_conf *c)
{
	add(a, "-numa");
	add(a, "node,nodeid=%u,memdev=ram%u,cpus=%u-%u", node, node, pv_numa_first_cpu(node, c->numa_nodes, c->cpus),
	    pv_numa_first_cpu(node + 1, c->numa_nodes, c->cpus) - 1);
}

/* One file of RAM, and a piece of it for each NUMA node, in whole MiB. */
static void add_ram(struct args *a, const struct pv_vm_conf *c, size_t bytes)
{
	size_t each = c->numa_nodes ? bytes / c->numa_nodes >> 20 << 20 : 0;

	if (!each)
		add_memory(a, "ram", FD_RAM, bytes);
	for (unsigned i = 0; each && i < c->numa_nodes; i++) {
		add(a, "-object");
		add(a, "memory-backend-file,id=ram%u,mem-path=/proc/self/fd/%d,offset=%zu,size=%zu,share=on", i, FD_RAM,
		    i * each, i + 1 < c->numa_nodes ? each : bytes - i * each);
		add_node(a, i, c);
	}
}

/*
 * Time stops while QEMU waits, so that equal seeds give equal runs on one CPU; several CPUs are not synchronised to the
 * nanosecond.
 */
static void add_time(struct args *a, const struct pv_vm_conf *c)
{
	add(a, "-smp");
	add(a, "%u,sockets=%u", c->cpus, c->cpus);
	if (c->real_time)
		return;
	option(a, "-icount", "shift=0,sleep=off");
	option(a, "-rtc", "base=2026-01-01,clock=vm");
	add(a, "-seed");
	add(a, "%" PRIu32, c->snapshot ? 1 : (uint32_t)(c->seed ^ c->seed >> 32));
}

/*
 * On the PCI bus that the fabric takes over. Linux asks an SMMUv3 for an identity domain for a PTT, but not this IOMMU.
 */
static void add_virtio_iommu(struct args *a)
{
	option(a, "-global", "virtio-mmio.force-legacy=false");
	option(a, "-global", "virtio-mmio.ioeventfd=off");
	option(a, "-device", "virtio-iommu-device,primary-bus=pcie.0,granule=4k");
}

static void add_machine(struct args *a, const struct pv_vm_conf *c, const struct pv_fabric_peer *f)
{
	add(a, "%s", c->qemu);
	add(a, "-nodefaults");
	add(a, "-no-user-config");
	add(a, "-machine");
	add(a, "virt,gic-version=3%s%s", c->numa_nodes ? "" : ",memory-backend=ram",
	    c->iommu == PV_IOMMU_IDENTITY ? ",iommu=smmuv3" : "");
	option(a, "-cpu", "cortex-a72");
	option(a, "-accel", "tcg,tb-size=" TRANSLATED_MIB);
	add(a, "-m");
	add(a, "%zuM", f->ram.bytes >> 20);
	add_ram(a, c, f->ram.bytes);
	add_memory(a, "window", FD_WINDOW, f->window.bytes);
	if (c->iommu == PV_IOMMU_TRANSLATES)
		add_virtio_iommu(a);
	add(a, "-device");
	if (c->save_fd)
		add(a, "pcieval-fabric,fd=%d,window=window,save=/proc/self/fd/%d", FD_DEVICE, FD_SAVE);
	else
		add(a, "pcieval-fabric,fd=%d,window=window", FD_DEVICE);
}

static void add_kernel(struct args *a, const struct pv_vm_conf *c)
{
	option(a, "-kernel", c->kernel);
	add(a, "-initrd");
	add(a, "/proc/self/fd/%d", FD_INITRD);
	option(a, "-append", c->append);
}

/* The same program saves and restores: the description of the state, for other versions of QEMU, is left out. */
static void add_incoming(struct args *a, const struct pv_snapshot_file *s)
{
	option(a, "-machine", "suppress-vmdesc=on");
	option(a, "-global", "migration.send-configuration=off");
	add(a, "-incoming");
	add(a, "file:/proc/self/fd/%d,offset=%zu", FD_SNAPSHOT, s->state_at);
}

static void add_second_serial(struct args *a)
{
	add(a, "-chardev");
	add(a, "socket,id=second,fd=%d", FD_SERIAL);
	option(a, "-serial", "chardev:second");
}

/* The console is standard output, which can be exchanged while QEMU runs. */
static int make_args(struct args *a, const struct pv_vm_conf *c, const struct pv_fabric_peer *f)
{
	add_machine(a, c, f);
	add_time(a, c);
	option(a, "-nic", "none");
	option(a, "-display", "none");
	option(a, "-chardev", "stdio,id=console,signal=off");
	option(a, "-serial", "chardev:console");
	if (c->serial_fd)
		add_second_serial(a);
	add(a, "-no-reboot");
	if (c->snapshot)
		add_incoming(a, c->snapshot);
	else
		add_kernel(a, c);
	return a->failed ? -ENOMEM : 0;
}

static void free_args(struct args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->arg[i]);
}

/* ---- the process ---- */

static int start_with(struct pv_vm *vm, char *const *argv, const int *fds, size_t n)
{
	if (vm->pool >= 0)
		return pv_vm_pool_start(vm->pool, argv, fds, n);
	vm->pid = pv_vm_pool_spawn((const char *const *)argv, fds, n);
	return vm->pid < 0 ? (int)vm->pid : 0;
}

/* Without a pool, QEMU is a child of this process. */
static int start(struct pv_vm *vm, const struct pv_vm_conf *conf, const struct pv_fabric_peer *f, const int fds[FDS],
		 struct pv_error *e)
{
	struct args a = {0};
	int err = make_args(&a, conf, f);

	vm->pool = conf->pool ? pv_vm_pool_connect(conf->pool) : -1;
	if (!err)
		err = start_with(vm, a.arg, fds, FDS);
	free_args(&a);
	vm->runs = !err;
	if (!err)
		return 0;
	vm->pid = 0;
	return pv_error(e, err, "starting %s: %s", conf->qemu, strerror(-err));
}

/* Writes the console output of the snapshot, then the note. 0 or -errno. */
static int begin_console(struct pv_vm *vm, const struct pv_vm_conf *c)
{
	vm->console_fd = open(c->console, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	int err = vm->console_fd < 0 ? -errno : 0;
	if (!err && c->snapshot)
		err = pv_write_all(vm->console_fd, c->snapshot->console, c->snapshot->console_bytes);
	if (!err && c->note)
		err = pv_write_all(vm->console_fd, c->note, strlen(c->note));
	if (!err)
		vm->console_begins = (size_t)lseek(vm->console_fd, 0, SEEK_CUR);
	return err;
}

static int open_fabric(struct pv_fabric_peer *fabric, const struct pv_vm_conf *conf, struct pv_model *model,
		       int *device_fd, struct pv_error *e)
{
	int err = pv_fabric_open(fabric, model, conf->ram_bytes, conf->window_bytes, device_fd);

	if (err)
		return pv_error(e, err, "boot: memory for the guest: %s", strerror(-err));
	err = conf->snapshot ? pv_snapshot_file_fill(conf->snapshot, fabric->ram.fd) : 0;
	return err ? pv_error(e, err, "boot: filling the guest's memory: %s", strerror(-err)) : 0;
}

int pv_vm_start(struct pv_vm *vm, const struct pv_vm_conf *conf, struct pv_fabric_peer *fabric, struct pv_model *model,
		struct pv_error *e)
{
	_autoclose_ int device = -1;
	_autoclose_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	*vm = PV_VM_NONE;
	int err = open_fabric(fabric, conf, model, &device, e);
	if (err)
		return err;
	err = begin_console(vm, conf);
	if (err)
		return pv_error(e, err, "the guest's console, %s: %s", conf->console, strerror(-err));
	vm->stderr_fd = memfd_create("pcieval-stderr", MFD_CLOEXEC);
	_autoclose_ int initrd = conf->snapshot ? -1 : join_archives(conf->archive, e);
	if (initrd < 0 && !conf->snapshot)
		return initrd;
	const int fds[FDS] = {
		[FD_NULL] = null,
		[FD_CONSOLE] = vm->console_fd,
		[FD_STDERR] = vm->stderr_fd,
		[FD_DEVICE] = device,
		[FD_RAM] = fabric->ram.fd,
		[FD_WINDOW] = fabric->window.fd,
		[FD_INITRD] = initrd,
		[FD_SNAPSHOT] = conf->snapshot ? conf->snapshot->fd : -1,
		[FD_SAVE] = conf->save_fd ? conf->save_fd : -1,
		[FD_SERIAL] = conf->serial_fd ? conf->serial_fd : -1,
	};
	return start(vm, conf, fabric, fds, e);
}

/* ---- the console ---- */

/* Returns the bytes of the console from there on. */
static size_t console_bytes(const struct pv_vm *vm, size_t from)
{
	struct stat st;

	return !fstat(vm->console_fd, &st) && (size_t)st.st_size > from ? (size_t)st.st_size - from : 0;
}

/* QEMU blocks SIGXFSZ while a guest runs: what it cannot write is dropped. */
bool pv_vm_console_is_full(const struct pv_vm *vm)
{
	return console_bytes(vm, 0) >= (size_t)PV_VM_FILE_MIB << 20;
}

/* Returns at most `most` bytes of the console, and a 0. The caller frees; NULL: no memory. */
static char *read_console(const struct pv_vm *vm, size_t from, size_t most, size_t *n)
{
	size_t have = console_bytes(vm, from);

	have = have < most ? have : most;
	char *text = malloc(have + 1);
	ssize_t got = text ? pread(vm->console_fd, text, have, (off_t)from) : -1;
	*n = got > 0 ? (size_t)got : 0;
	if (text)
		text[*n] = 0;
	return text;
}

char *pv_vm_console_end(const struct pv_vm *vm, size_t from, size_t most)
{
	size_t have = console_bytes(vm, from), n;

	return read_console(vm, from + (have > most ? have - most : 0), most, &n);
}

/* Returns the beginning of the line before the one that `at` is in. */
static const char *line_before(const char *from, const char *at)
{
	for (unsigned newlines = 0; at > from; at--)
		if (at[-1] == '\n' && newlines++)
			break;
	return at;
}

/*
 * Tells the reports of a part of the console. If there is `more`, its end may cut a report off, or "cut here" from it:
 * the next part begins before that. Returns where.
 */
static const char *tell_part(const char *text, size_t n, bool more, pv_vm_told_fn told, void *ctx)
{
	const char *at = text, *end = text + n, *line;
	size_t line_n, report_n;
	enum pv_kernel_trouble t;

	while ((t = pv_console_trouble(at, (size_t)(end - at), &line, &line_n, &report_n))) {
		const char *again = line_before(at, line);

		if (more && line + report_n == end && again > text)
			return again;
		told(ctx, t, line, report_n);
		at = line + report_n;
	}
	const char *last = more ? line_before(at, end) : end;
	return last > text ? last : end;
}

size_t pv_vm_troubles(const struct pv_vm *vm, size_t from, pv_vm_told_fn told, void *ctx)
{
	for (bool more = vm->console_fd >= 0; more;) {
		size_t n;
		_autofree_ char *text = read_console(vm, from, CONSOLE_BYTES, &n);

		more = text && n == CONSOLE_BYTES;
		from += text ? (size_t)(tell_part(text, n, more, told, ctx) - text) : 0;
	}
	return from;
}

static void keep_worst(void *ctx, enum pv_kernel_trouble t, const char *report, size_t n)
{
	enum pv_kernel_trouble *worst = ctx;

	(void)report;
	(void)n;
	*worst = t > *worst ? t : *worst;
}

enum pv_kernel_trouble pv_vm_trouble(const struct pv_vm *vm, size_t from)
{
	enum pv_kernel_trouble worst = PV_TROUBLE_NONE;

	pv_vm_troubles(vm, from, keep_worst, &worst);
	return worst;
}

/* ---- idle in the pool ---- */

/* The descriptors of an idle QEMU. */
enum { IDLE_FABRIC, IDLE_RAM, IDLE_WINDOW, IDLE_STDERR, IDLE_FDS };

bool pv_vm_take(struct pv_vm *vm, const struct pv_vm_conf *conf, const char *key, struct pv_fabric_fds *fabric)
{
	int fds[IDLE_FDS];

	*vm = PV_VM_NONE;
	vm->pool = conf->pool ? pv_vm_pool_connect(conf->pool) : -1;
	if (vm->pool >= 0 && pv_vm_pool_take(vm->pool, key, fds, IDLE_FDS)) {
		*fabric = (struct pv_fabric_fds){fds[IDLE_FABRIC], fds[IDLE_RAM], fds[IDLE_WINDOW]};
		vm->stderr_fd = fds[IDLE_STDERR];
		vm->runs = true;
		if (!begin_console(vm, conf))
			return true;
		pv_fdpass_close(fds, IDLE_STDERR);
	}
	pv_vm_end(vm);
	return false;
}

bool pv_vm_put(struct pv_vm *vm, const char *key, const struct pv_fabric_peer *fabric)
{
	const int fds[IDLE_FDS] = {
		[IDLE_FABRIC] = fabric->fd,
		[IDLE_RAM] = fabric->ram.fd,
		[IDLE_WINDOW] = fabric->window.fd,
		[IDLE_STDERR] = vm->stderr_fd,
	};

	if (!vm->runs || vm->pool < 0 || pv_vm_pool_put(vm->pool, key, fds, IDLE_FDS))
		return false;
	vm->runs = false;
	return true;
}

/* ---- the end ---- */

static void describe_end(int status, char *why, size_t size)
{
	if (status == -1)
		snprintf(why, size, "QEMU has ended, and so has its keeper");
	else if (WIFSIGNALED(status))
		snprintf(why, size, "QEMU was ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, size, "QEMU ended with status %d", WEXITSTATUS(status));
}

bool pv_vm_runs(struct pv_vm *vm, char *why, size_t size)
{
	int status = -1;

	if (!vm->runs)
		return false;
	if (vm->pid ? !waitpid(vm->pid, &status, WNOHANG) : !pv_vm_pool_ended(vm->pool, &status))
		return true;
	vm->runs = false;
	vm->pid = 0;
	describe_end(status, why, size);
	return false;
}

void pv_vm_await_end(struct pv_vm *vm, char *why, size_t size)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

	for (int i = 0; i < 100 && pv_vm_runs(vm, why, size); i++)
		nanosleep(&pause, NULL);
}

/* Copies what QEMU has written to its standard error, and empties the file for the next case. */
static void copy_messages(int stderr_fd)
{
	char text[4096];
	ssize_t n;

	if (stderr_fd < 0)
		return;
	for (off_t at = 0; (n = pread(stderr_fd, text, sizeof(text), at)) > 0; at += n)
		if (pv_write_all(STDERR_FILENO, text, (size_t)n))
			break;
	if (!ftruncate(stderr_fd, 0))
		lseek(stderr_fd, 0, SEEK_SET);
}

void pv_vm_end(struct pv_vm *vm)
{
	const int fds[] = {vm->pool, vm->console_fd, vm->stderr_fd};

	if (vm->pid > 0) {
		kill(vm->pid, SIGKILL);
		while (waitpid(vm->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	copy_messages(vm->stderr_fd);
	pv_fdpass_close(fds, ARRAY_SIZE(fds));
	*vm = PV_VM_NONE;
}
