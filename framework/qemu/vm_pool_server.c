/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper of programs. */
#include "framework/qemu/vm_pool.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/qemu/process.h"
#include "framework/util/cleanup.h"
#include "framework/util/fdpass.h"

#define SEATS	 128
#define ARGS_MAX 128

/* A connection and its program, either of which may be missing; a program without connection is kept. */
struct seat {
	int client; /* -1: none */
	pid_t pid;  /* 0: none */
	char *key;  /* of what is kept */
	int fds[PV_FDPASS_MAX];
	size_t n_fds;
	uint64_t since; /* counts what was kept before */
};

struct keeper {
	int listening, signals;
	struct seat seat[SEATS];
	uint64_t kept;
};

struct message {
	struct pv_keeper_head head;
	char text[PV_KEEPER_TEXT + 1];
	size_t n; /* bytes of text */
	int fds[PV_FDPASS_MAX];
	size_t n_fds;
};

/* ---- seats ---- */

static bool is_free(const struct seat *s)
{
	return s->client < 0 && !s->pid;
}

static bool is_kept(const struct seat *s)
{
	return s->client < 0 && s->pid;
}

static void forget(struct seat *s)
{
	pv_fdpass_close(s->fds, s->n_fds);
	free(s->key);
	*s = (struct seat){.client = s->client};
}

static void end_program(struct seat *s)
{
	if (s->pid) {
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	forget(s);
}

static void end_seat(struct seat *s)
{
	end_program(s);
	if (s->client >= 0)
		close(s->client);
	s->client = -1;
}

static struct seat *free_seat(struct keeper *k)
{
	for (size_t i = 0; i < SEATS; i++)
		if (is_free(&k->seat[i]))
			return &k->seat[i];
	return NULL;
}

/* What waits longest, when there are too many. */
static void end_surplus(struct keeper *k)
{
	struct seat *oldest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < SEATS; i++) {
		struct seat *s = &k->seat[i];

		if (!is_kept(s))
			continue;
		n++;
		if (!oldest || s->since < oldest->since)
			oldest = s;
	}
	if (n > PV_KEEPER_MOST)
		end_seat(oldest);
}

/* ---- where programs run ---- */

static void confine_thread(const char *id, const cpu_set_t *set)
{
	char *end;
	long tid = strtol(id, &end, 10);

	if (tid > 0 && !*end)
		sched_setaffinity((pid_t)tid, sizeof(*set), set);
}

/* A program runs where its owner runs: processor.h says why. That it runs elsewhere is no error. */
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

/* ---- what is asked ---- */

static int answer(const struct seat *s, enum pv_keeper_op op, int value, const int *fds, size_t n_fds)
{
	const struct pv_keeper_head head = {op, value};

	return pv_fdpass_send(s->client, &head, sizeof(head), fds, n_fds, MSG_DONTWAIT);
}

static int spawn(struct message *m, pid_t *pid)
{
	char *argv[ARGS_MAX + 1];
	int fds[PV_PROCESS_FDS];
	size_t n = 0, passed = 0, last = 0;

	for (char *at = m->text; at < m->text + m->n; at += strlen(at) + 1) {
		if (n == ARGS_MAX)
			return -E2BIG;
		argv[n++] = at;
	}
	argv[n] = NULL;
	for (size_t i = 0; i < PV_PROCESS_FDS; i++) {
		fds[i] = m->head.value >> i & 1 && passed < m->n_fds ? m->fds[passed++] : -1;
		last = fds[i] >= 0 ? i + 1 : last;
	}
	if (!n || passed < m->n_fds)
		return -EINVAL;
	*pid = pv_process_start(argv, fds, last);
	return *pid < 0 ? (int)*pid : 0;
}

static int start(struct seat *s, struct message *m)
{
	pid_t pid = 0;
	int err = s->pid ? -EBUSY : spawn(m, &pid);

	if (!err) {
		s->pid = pid;
		run_beside(pid, s->client);
	}
	return answer(s, PV_KEEPER_START, err, NULL, 0);
}

static int take(struct keeper *k, struct seat *s, const struct message *m)
{
	struct seat *found = NULL;

	for (size_t i = 0; i < SEATS && !s->pid; i++) {
		struct seat *other = &k->seat[i];

		if (is_kept(other) && !strcmp(other->key, m->text) && (!found || other->since > found->since))
			found = other;
	}
	if (!found)
		return answer(s, PV_KEEPER_TAKE, 0, NULL, 0);
	run_beside(found->pid, s->client);
	int err = answer(s, PV_KEEPER_TAKE, 1, found->fds, found->n_fds);
	s->pid = found->pid;
	found->pid = 0;
	forget(found);
	return err;
}

/* Takes over the message's descriptors. */
static int keep(struct keeper *k, struct seat *s, struct message *m)
{
	struct seat *to = free_seat(k);
	char *key = to && s->pid ? strdup(m->text) : NULL;

	if (!key) {
		end_program(s);
		return 0;
	}
	*to = (struct seat){.client = -1, .pid = s->pid, .key = key, .since = ++k->kept, .n_fds = m->n_fds};
	memcpy(to->fds, m->fds, sizeof(to->fds));
	m->n_fds = 0;
	s->pid = 0;
	end_surplus(k);
	return 0;
}

static int obey(struct keeper *k, struct seat *s, struct message *m)
{
	switch (m->head.op) {
	case PV_KEEPER_START:
		return start(s, m);
	case PV_KEEPER_TAKE:
		return take(k, s, m);
	case PV_KEEPER_KEEP:
		return keep(k, s, m);
	default:
		return -EPROTO;
	}
}

static int receive(int client, struct message *m)
{
	union {
		struct pv_keeper_head head;
		char room[sizeof(struct pv_keeper_head) + PV_KEEPER_TEXT];
	} raw;
	ssize_t got = pv_fdpass_receive(client, &raw, sizeof(raw), m->fds, &m->n_fds, MSG_DONTWAIT);

	if (got <= 0)
		return got < 0 ? (int)got : -ECONNRESET;
	m->n = (size_t)got < sizeof(raw.head) ? 0 : (size_t)got - sizeof(raw.head);
	m->head = (size_t)got < sizeof(raw.head) ? (struct pv_keeper_head){0} : raw.head;
	memcpy(m->text, raw.room + sizeof(raw.head), m->n);
	m->text[m->n] = 0;
	return 0;
}

/* A client that goes, or makes no sense, loses its program. */
static void serve_client(struct keeper *k, struct seat *s)
{
	static struct message m;
	int err = receive(s->client, &m);

	if (err == -EAGAIN)
		return;
	if (!err)
		err = obey(k, s, &m);
	pv_fdpass_close(m.fds, m.n_fds);
	m.n_fds = 0;
	if (err)
		end_seat(s);
}

/* ---- who comes, what ends ---- */

static void admit(struct keeper *k)
{
	int client = accept4(k->listening, NULL, NULL, SOCK_CLOEXEC);
	struct seat *s = client >= 0 && pv_fdpass_same_user(client) ? free_seat(k) : NULL;

	if (s)
		*s = (struct seat){.client = client};
	else if (client >= 0)
		close(client);
}

static void tell_ends(struct keeper *k)
{
	int status;

	for (size_t i = 0; i < SEATS; i++) {
		struct seat *s = &k->seat[i];

		if (!s->pid || waitpid(s->pid, &status, WNOHANG) != s->pid)
			continue;
		forget(s);
		if (s->client >= 0 && answer(s, PV_KEEPER_ENDED, status, NULL, 0))
			end_seat(s);
	}
}

/* False: the keeper is to end. */
static bool heed_signal(struct keeper *k)
{
	struct signalfd_siginfo info;

	if (read(k->signals, &info, sizeof(info)) != sizeof(info))
		return true;
	if (info.ssi_signo != SIGCHLD)
		return false;
	tell_ends(k);
	return true;
}

/* False: the keeper is to end. */
static bool turn(struct keeper *k)
{
	struct pollfd p[SEATS + 2];

	for (size_t i = 0; i < SEATS; i++)
		p[i] = (struct pollfd){k->seat[i].client, POLLIN, 0};
	p[SEATS] = (struct pollfd){k->signals, POLLIN, 0};
	p[SEATS + 1] = (struct pollfd){k->listening, POLLIN, 0};
	if (poll(p, SEATS + 2, -1) < 0)
		return errno == EINTR;
	for (size_t i = 0; i < SEATS; i++)
		if (p[i].revents && k->seat[i].client == p[i].fd)
			serve_client(k, &k->seat[i]);
	if (p[SEATS].revents && !heed_signal(k))
		return false;
	if (p[SEATS + 1].revents)
		admit(k);
	return true;
}

int pv_keeper_serve(int listening)
{
	_autofree_ struct keeper *k = calloc(1, sizeof(*k));
	sigset_t set;

	if (!k)
		return -ENOMEM;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	k->listening = listening;
	k->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (k->signals < 0)
		return -errno;
	for (size_t i = 0; i < SEATS; i++)
		k->seat[i].client = -1;
	while (turn(k))
		;
	for (size_t i = 0; i < SEATS; i++)
		end_seat(&k->seat[i]);
	close(k->signals);
	return 0;
}
