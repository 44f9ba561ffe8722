/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU process of a guest. */
#include "framework/qemu/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define ARGS_MAX 64

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

/* The kernel unpacks archives one after the other. A file that goes with its last descriptor, or -errno. */
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

/* What QEMU inherits beside the fabric's memory. */
struct fds {
	int device, console, initrd;
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

static void add_memory(struct args *a, const char *id, const struct pv_shared *s)
{
	add(a, "-object");
	add(a, "memory-backend-file,id=%s,mem-path=/proc/self/fd/%d,size=%zu,share=on", id, s->fd, s->bytes);
}

/* Time that stands still while QEMU waits, so that equal seeds give equal runs on one CPU; several are not in step to the nanosecond. */
static void add_time(struct args *a, const struct pv_vm_conf *c)
{
	add(a, "-smp");
	add(a, "%u", c->cpus ? c->cpus : 1);
	if (c->real_time)
		return;
	option(a, "-icount", "shift=0,sleep=off");
	option(a, "-rtc", "base=2026-01-01,clock=vm");
	add(a, "-seed");
	add(a, "%" PRIu32, (uint32_t)(c->seed ^ c->seed >> 32));
}

static void add_machine(struct args *a, const struct pv_vm_conf *c, const struct pv_fabric_peer *f, int device_fd)
{
	add(a, "%s", c->qemu);
	add(a, "-nodefaults");
	add(a, "-no-user-config");
	option(a, "-machine", "virt,gic-version=3,memory-backend=ram");
	option(a, "-cpu", "cortex-a72");
	option(a, "-accel", "tcg");
	add(a, "-m");
	add(a, "%zuM", f->ram.bytes >> 20);
	add_memory(a, "ram", &f->ram);
	add_memory(a, "window", &f->window);
	add(a, "-device");
	if (c->save_fd)
		add(a, "pcieval-fabric,fd=%d,window=window,save=/proc/self/fd/%d", device_fd, c->save_fd);
	else
		add(a, "pcieval-fabric,fd=%d,window=window", device_fd);
}

static void add_kernel(struct args *a, const struct pv_vm_conf *c, int initrd)
{
	option(a, "-kernel", c->kernel);
	add(a, "-initrd");
	add(a, "/proc/self/fd/%d", initrd);
	option(a, "-append", c->append);
}

/* The program that saved it is the one that restores it: what QEMU says beside the state for other versions is left out. */
static void add_saved(struct args *a, const struct pv_saved *saved)
{
	option(a, "-machine", "suppress-vmdesc=on");
	option(a, "-global", "migration.send-configuration=off");
	add(a, "-incoming");
	add(a, "file:/proc/self/fd/%d,offset=%zu", saved->fd, saved->state_at);
}

/* The console's path is given as a descriptor: QEMU's options do not take all names. */
static int make_args(struct args *a, const struct pv_vm_conf *c, const struct pv_fabric_peer *f, const struct fds *fds)
{
	add_machine(a, c, f, fds->device);
	add_time(a, c);
	option(a, "-nic", "none");
	option(a, "-display", "none");
	add(a, "-chardev");
	add(a, "file,id=console,path=/proc/self/fd/%d,append=on", fds->console);
	option(a, "-serial", "chardev:console");
	add(a, "-no-reboot");
	if (c->saved)
		add_saved(a, c->saved);
	else
		add_kernel(a, c, fds->initrd);
	return a->failed ? -ENOMEM : 0;
}

static void free_args(struct args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->arg[i]);
}

/* ---- the process ---- */

/* 0 and less: there is none. */
static void keep_open(int fd)
{
	if (fd > 0)
		fcntl(fd, F_SETFD, 0);
}

/* In the child: never returns. QEMU ends with its parent, whatever becomes of that. */
static void become_qemu(char *const *argv, const int *fds, size_t n, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	int null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
	for (size_t i = 0; i < n; i++)
		keep_open(fds[i]);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start(struct pv_vm *vm, const struct pv_vm_conf *conf, const struct pv_fabric_peer *f, const struct fds *fds,
		 struct pv_error *e)
{
	struct args a = {0};
	const int all[] = {fds->device,
			   fds->console,
			   fds->initrd,
			   f->ram.fd,
			   f->window.fd,
			   conf->save_fd,
			   conf->saved ? conf->saved->fd : -1};

	pid_t parent = getpid();
	int err = make_args(&a, conf, f, fds);

	if (!err) {
		vm->pid = fork();
		if (!vm->pid)
			become_qemu(a.arg, all, ARRAY_SIZE(all), parent);
		err = vm->pid < 0 ? -errno : 0;
	}
	free_args(&a);
	if (!err)
		return 0;
	vm->pid = 0;
	return pv_error(e, err, "starting %s: %s", conf->qemu, strerror(-err));
}

/* What the guest had said when it was saved comes first. 0 or -errno. */
static int begin_console(struct pv_vm *vm, const struct pv_vm_conf *c)
{
	vm->console_fd = open(c->console, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = vm->console_fd < 0 ? -errno : 0;
	if (!err && c->saved)
		err = pv_write_all(vm->console_fd, c->saved->console, c->saved->console_bytes);
	if (!err && c->note)
		err = pv_write_all(vm->console_fd, c->note, strlen(c->note));
	if (!err)
		vm->console_begins = (size_t)lseek(vm->console_fd, 0, SEEK_CUR);
	return err;
}

int pv_vm_start(struct pv_vm *vm, const struct pv_vm_conf *conf, const struct pv_fabric_peer *fabric, int device_fd,
		struct pv_error *e)
{
	_autoclose_ int device = device_fd;

	*vm = (struct pv_vm){.console_fd = -1};
	int err = begin_console(vm, conf);
	if (err)
		return pv_error(e, err, "the guest's console, %s: %s", conf->console, strerror(-err));
	_autoclose_ int initrd = conf->saved ? -1 : join_archives(conf->archive, e);
	if (initrd < 0 && !conf->saved)
		return initrd;
	return start(vm, conf, fabric, &(struct fds){device, vm->console_fd, initrd}, e);
}

bool pv_vm_runs(struct pv_vm *vm, char *why, size_t size)
{
	int status;

	if (!vm->pid)
		return false;
	pid_t got = waitpid(vm->pid, &status, WNOHANG);
	if (!got)
		return true;
	vm->pid = 0;
	if (got < 0)
		snprintf(why, size, "QEMU: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		snprintf(why, size, "QEMU was ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, size, "QEMU ended with status %d", WEXITSTATUS(status));
	return false;
}

void pv_vm_await_end(struct pv_vm *vm, char *why, size_t size)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

	for (int i = 0; i < 100 && pv_vm_runs(vm, why, size); i++)
		nanosleep(&pause, NULL);
}

void pv_vm_end(struct pv_vm *vm)
{
	if (vm->pid > 0) {
		kill(vm->pid, SIGKILL);
		while (waitpid(vm->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (vm->console_fd >= 0)
		close(vm->console_fd);
	*vm = (struct pv_vm){.console_fd = -1};
}
