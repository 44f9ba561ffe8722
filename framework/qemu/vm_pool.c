/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case's connection to the pool of VMs. */
#include "framework/qemu/vm_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "framework/util/fdpass.h"
#include "framework/util/spawn.h"

pid_t pv_vm_pool_spawn(const char *const *argv, const int *fds, size_t n)
{
	return pv_spawn(&(struct pv_spawn){.path = argv[0],
					   .argv = argv,
					   .fds = fds,
					   .n_fds = n,
					   .file_bytes = PV_VM_FILE_MIB << 20,
					   .end_signal = SIGKILL});
}

/* ---- messages ---- */

struct message {
	struct pv_vm_pool_head head;
	char text[PV_VM_POOL_TEXT];
	size_t n;
};

static int add_text(struct message *m, const char *text)
{
	size_t n = strlen(text) + 1;

	if (n > sizeof(m->text) - m->n)
		return -E2BIG;
	memcpy(m->text + m->n, text, n);
	m->n += n;
	return 0;
}

static int send_message(int pool, const struct message *m, const int *fds, size_t n)
{
	return pv_fdpass_send(pool, m, sizeof(m->head) + m->n, fds, n, 0);
}

/* Receives the answer to `op`. 0; -ESRCH: the program has ended instead; -errno. */
static int receive(int pool, enum pv_vm_pool_op op, int *value, int *fds, size_t *n)
{
	struct pv_vm_pool_head head = {0};
	ssize_t got = pv_fdpass_receive(pool, &head, sizeof(head), fds, n, 0);

	if (got == sizeof(head) && head.op == op) {
		*value = head.value;
		return 0;
	}
	pv_fdpass_close(fds, *n);
	*n = 0;
	return got <= 0 ? -ECONNRESET : head.op == PV_VM_POOL_ENDED ? -ESRCH : -EPROTO;
}

/* ---- requests ---- */

int pv_vm_pool_connect(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t n = strlen(name);

	/* An abstract name begins with a 0 instead of the "@". */
	if (name[0] != '@' || n >= sizeof(at.sun_path))
		return -EINVAL;
	memcpy(at.sun_path + 1, name + 1, n - 1);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int err = connect(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) ? -errno
		  : pv_fdpass_same_user(fd)								       ? 0
													       : -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int pv_vm_pool_start(int pool, char *const *argv, const int *fds, size_t n)
{
	struct message m = {.head.op = PV_VM_POOL_START};
	int passed[PV_FDPASS_MAX], got[PV_FDPASS_MAX], value, err = n > PV_SPAWN_FDS ? -E2BIG : 0;
	size_t n_passed = 0, n_got;

	for (; !err && *argv; argv++)
		err = add_text(&m, *argv);
	for (size_t i = 0; !err && i < n; i++) {
		if (fds[i] < 0)
			continue;
		m.head.value |= 1 << i;
		passed[n_passed++] = fds[i];
	}
	if (!err)
		err = send_message(pool, &m, passed, n_passed);
	if (!err)
		err = receive(pool, PV_VM_POOL_START, &value, got, &n_got);
	if (err)
		return err;
	pv_fdpass_close(got, n_got);
	return value;
}

bool pv_vm_pool_take(int pool, const char *key, int *fds, size_t n)
{
	struct message m = {.head.op = PV_VM_POOL_TAKE};
	int got[PV_FDPASS_MAX], value = 0;
	size_t n_got = 0;

	if (add_text(&m, key) || send_message(pool, &m, NULL, 0) || receive(pool, PV_VM_POOL_TAKE, &value, got, &n_got))
		return false;
	if (value == 1 && n_got == n) {
		for (size_t i = 0; i < n; i++)
			fds[i] = got[i];
		return true;
	}
	pv_fdpass_close(got, n_got);
	return false;
}

int pv_vm_pool_put(int pool, const char *key, const int *fds, size_t n)
{
	struct message m = {.head.op = PV_VM_POOL_PUT};
	int err = add_text(&m, key);

	return err ? err : send_message(pool, &m, fds, n);
}

bool pv_vm_pool_ended(int pool, int *status)
{
	struct pv_vm_pool_head head = {0};
	int fds[PV_FDPASS_MAX];
	size_t n = 0;
	ssize_t got = pv_fdpass_receive(pool, &head, sizeof(head), fds, &n, MSG_DONTWAIT);

	if (got == -EAGAIN)
		return false;
	pv_fdpass_close(fds, n);
	*status = got == sizeof(head) && head.op == PV_VM_POOL_ENDED ? head.value : -1;
	return true;
}
