/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server of the pool of VMs. */
#include "framework/qemu/vm_pool.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/fdpass.h"
#include "framework/util/spawn.h"

#define SLOTS	 128
#define ARGS_MAX 128
#define BACKLOG	 64

/* A connection and its program; either may be missing. A program without a connection is idle. */
struct slot {
	int client; /* -1: none */
	pid_t pid;  /* 0: none */
	char *key;  /* of an idle program, which has the next two, too */
	int fds[PV_FDPASS_MAX];
	size_t n_fds;
	uint64_t since; /* number of programs that were put back before */
};

struct server {
	int listening, signals;
	struct slot slot[SLOTS];
	uint64_t puts;
};

struct message {
	struct pv_vm_pool_head head;
	char text[PV_VM_POOL_TEXT + 1];
	size_t n; /* bytes of text */
	int fds[PV_FDPASS_MAX];
	size_t n_fds;
};

/* ---- slots ---- */

static bool is_free(const struct slot *s)
{
	return s->client < 0 && !s->pid;
}

static bool is_idle(const struct slot *s)
{
	return s->client < 0 && s->pid;
}

static void clear_program(struct slot *s)
{
	pv_fdpass_close(s->fds, s->n_fds);
	free(s->key);
	*s = (struct slot){.client = s->client};
}

static void end_program(struct slot *s)
{
	if (s->pid) {
		kill(s->pid, SIGKILL);
		pv_spawn_wait(s->pid);
	}
	clear_program(s);
}

static void end_slot(struct slot *s)
{
	end_program(s);
	if (s->client >= 0)
		close(s->client);
	s->client = -1;
}

static struct slot *free_slot(struct server *v)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (is_free(&v->slot[i]))
			return &v->slot[i];
	return NULL;
}

/* If too many programs are idle, ends the one that is idle longest. */
static void end_surplus(struct server *v)
{
	struct slot *oldest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *s = &v->slot[i];

		if (!is_idle(s))
			continue;
		n++;
		if (!oldest || s->since < oldest->since)
			oldest = s;
	}
	if (n > PV_VM_POOL_MAX)
		end_slot(oldest);
}

/* ---- where programs run ---- */

static void confine_thread(const char *id, const cpu_set_t *set)
{
	char *end;
	long tid = strtol(id, &end, 10);

	if (tid > 0 && !*end)
		sched_setaffinity((pid_t)tid, sizeof(*set), set);
}

/* Confines a program to the CPUs of its client; pv_vm_pin_cpu() says why. A failure only costs time. */
static void run_beside(pid_t pid, int client)
{
	char path[64];
	struct ucred owner;
	socklen_t n = sizeof(owner);
	cpu_set_t set;

	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &owner, &n) || sched_getaffinity(owner.pid, sizeof(set), &set))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	for (struct dirent *d; threads && (d = readdir(threads));)
		confine_thread(d->d_name, &set);
	if (threads)
		closedir(threads);
}

/* ---- requests ---- */

static int answer(const struct slot *s, enum pv_vm_pool_op op, int value, const int *fds, size_t n_fds)
{
	const struct pv_vm_pool_head head = {op, value};

	return pv_fdpass_send(s->client, &head, sizeof(head), fds, n_fds, MSG_DONTWAIT);
}

static int spawn(struct message *m, pid_t *pid)
{
	char *argv[ARGS_MAX + 1];
	int fds[PV_SPAWN_FDS];
	size_t n = 0, passed = 0, last = 0;

	for (char *at = m->text; at < m->text + m->n; at += strlen(at) + 1) {
		if (n == ARGS_MAX)
			return -E2BIG;
		argv[n++] = at;
	}
	argv[n] = NULL;
	for (size_t i = 0; i < PV_SPAWN_FDS; i++) {
		fds[i] = m->head.value >> i & 1 && passed < m->n_fds ? m->fds[passed++] : -1;
		last = fds[i] >= 0 ? i + 1 : last;
	}
	if (!n || passed < m->n_fds)
		return -EINVAL;
	*pid = pv_vm_pool_spawn((const char *const *)argv, fds, last);
	return *pid < 0 ? (int)*pid : 0;
}

static int start(struct slot *s, struct message *m)
{
	pid_t pid = 0;
	int err = s->pid ? -EBUSY : spawn(m, &pid);

	if (!err) {
		s->pid = pid;
		run_beside(pid, s->client);
	}
	return answer(s, PV_VM_POOL_START, err, NULL, 0);
}

static int take(struct server *v, struct slot *s, const struct message *m)
{
	struct slot *found = NULL;

	for (size_t i = 0; i < SLOTS && !s->pid; i++) {
		struct slot *other = &v->slot[i];

		if (is_idle(other) && !strcmp(other->key, m->text) && (!found || other->since > found->since))
			found = other;
	}
	if (!found)
		return answer(s, PV_VM_POOL_TAKE, 0, NULL, 0);
	run_beside(found->pid, s->client);
	int err = answer(s, PV_VM_POOL_TAKE, 1, found->fds, found->n_fds);
	s->pid = found->pid;
	found->pid = 0;
	clear_program(found);
	return err;
}

/* Takes over the message's descriptors. */
static int put(struct server *v, struct slot *s, struct message *m)
{
	struct slot *to = free_slot(v);
	char *key = to && s->pid ? strdup(m->text) : NULL;

	if (!key) {
		end_program(s);
		return 0;
	}
	*to = (struct slot){.client = -1, .pid = s->pid, .key = key, .since = ++v->puts, .n_fds = m->n_fds};
	memcpy(to->fds, m->fds, sizeof(to->fds));
	m->n_fds = 0;
	s->pid = 0;
	end_surplus(v);
	return 0;
}

static int dispatch(struct server *v, struct slot *s, struct message *m)
{
	switch (m->head.op) {
	case PV_VM_POOL_START:
		return start(s, m);
	case PV_VM_POOL_TAKE:
		return take(v, s, m);
	case PV_VM_POOL_PUT:
		return put(v, s, m);
	default:
		return -EPROTO;
	}
}

static int receive(int client, struct message *m)
{
	union {
		struct pv_vm_pool_head head;
		char room[sizeof(struct pv_vm_pool_head) + PV_VM_POOL_TEXT];
	} raw;
	ssize_t got = pv_fdpass_receive(client, &raw, sizeof(raw), m->fds, &m->n_fds, MSG_DONTWAIT);

	if (got <= 0)
		return got < 0 ? (int)got : -ECONNRESET;
	m->n = (size_t)got < sizeof(raw.head) ? 0 : (size_t)got - sizeof(raw.head);
	m->head = (size_t)got < sizeof(raw.head) ? (struct pv_vm_pool_head){0} : raw.head;
	memcpy(m->text, raw.room + sizeof(raw.head), m->n);
	m->text[m->n] = 0;
	return 0;
}

/* Disconnects a client that has hung up or sends an invalid message, and ends its program. */
static void serve_client(struct server *v, struct slot *s)
{
	static struct message m;
	int err = receive(s->client, &m);

	if (err == -EAGAIN)
		return;
	if (!err)
		err = dispatch(v, s, &m);
	pv_fdpass_close(m.fds, m.n_fds);
	m.n_fds = 0;
	if (err)
		end_slot(s);
}

/* ---- the loop ---- */

static void accept_client(struct server *v)
{
	int client = accept4(v->listening, NULL, NULL, SOCK_CLOEXEC);
	struct slot *s = client >= 0 && pv_fdpass_same_user(client) ? free_slot(v) : NULL;

	if (s)
		*s = (struct slot){.client = client};
	else if (client >= 0)
		close(client);
}

static void report_ends(struct server *v)
{
	int status;

	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *s = &v->slot[i];

		if (!s->pid || waitpid(s->pid, &status, WNOHANG) != s->pid)
			continue;
		clear_program(s);
		if (s->client >= 0 && answer(s, PV_VM_POOL_ENDED, status, NULL, 0))
			end_slot(s);
	}
}

/* Returns false if the server must end. */
static bool handle_signal(struct server *v)
{
	struct signalfd_siginfo info;

	if (read(v->signals, &info, sizeof(info)) != sizeof(info))
		return true;
	if (info.ssi_signo != SIGCHLD)
		return false;
	report_ends(v);
	return true;
}

/* Returns false if the server must end. */
static bool poll_once(struct server *v)
{
	struct pollfd p[SLOTS + 2];

	for (size_t i = 0; i < SLOTS; i++)
		p[i] = (struct pollfd){v->slot[i].client, POLLIN, 0};
	p[SLOTS] = (struct pollfd){v->signals, POLLIN, 0};
	p[SLOTS + 1] = (struct pollfd){v->listening, POLLIN, 0};
	if (poll(p, SLOTS + 2, -1) < 0)
		return errno == EINTR;
	for (size_t i = 0; i < SLOTS; i++)
		if (p[i].revents && v->slot[i].client == p[i].fd)
			serve_client(v, &v->slot[i]);
	if (p[SLOTS].revents && !handle_signal(v))
		return false;
	if (p[SLOTS + 1].revents)
		accept_client(v);
	return true;
}

int pv_vm_pool_serve(int listening)
{
	_autofree_ struct server *v = calloc(1, sizeof(*v));
	sigset_t set;

	if (!v)
		return -ENOMEM;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	v->listening = listening;
	v->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (v->signals < 0)
		return -errno;
	for (size_t i = 0; i < SLOTS; i++)
		v->slot[i].client = -1;
	while (poll_once(v))
		;
	for (size_t i = 0; i < SLOTS; i++)
		end_slot(&v->slot[i]);
	close(v->signals);
	return 0;
}

/* ---- its process ---- */

int pv_vm_pool_listen(char name[32])
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(at);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&at, sizeof(sa_family_t)) || listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		int err = -errno;

		close(fd);
		return err;
	}
	snprintf(name, 32, "@%.*s", (int)(n - offsetof(struct sockaddr_un, sun_path) - 1), at.sun_path + 1);
	return fd;
}

void pv_vm_pool_open(struct pv_vm_pool *p, const char *program)
{
	*p = (struct pv_vm_pool){0};
	_autoclose_ int listening = pv_vm_pool_listen(p->name);
	/* A process group of its own: the terminal's SIGINT is for the runner, whose cases still need the pool. */
	const struct pv_spawn server = {
		.path = program,
		.argv = (const char *const[]){program, "vm-pool", NULL},
		.streams = {listening, STDERR_FILENO, -1},
		.end_signal = SIGTERM,
		.own_group = true,
	};
	pid_t pid = listening < 0 ? -1 : pv_spawn(&server);
	if (pid < 0)
		p->name[0] = 0;
	else
		p->pid = pid;
}

void pv_vm_pool_close(struct pv_vm_pool *p)
{
	if (p->pid) {
		kill(p->pid, SIGTERM);
		pv_spawn_wait(p->pid);
	}
	*p = (struct pv_vm_pool){0};
}
