/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves the results of a case that hangs or crashed, from outside of the case. A signal stops the thread that runs the
 * case wherever it is, for good; another thread then saves as at an ordinary end. State that the case left inconsistent
 * (a list that grows, a lock that is held) may break this: then it ends in a crash or by the runner's SIGKILL, with
 * what was saved until then. The place where the case stopped is therefore saved first.
 */
#include "framework/agent/postmortem.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

enum {
	FRAMES_MAX = 64,
	STOP_SIGNAL = SIGUSR1,
	STOP_MS = 500,	/* a thread that does not stop in that time is in the kernel, and changes nothing either */
	SAVE_MS = 1900, /* how long a crash waits; the runner's patience after SIGTERM is 2 s */
	POLL_MS = 5,
};

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static _Atomic(struct pv_session *) watched;
static pthread_t runs, saves;
static pid_t runs_tid; /* asked of the kernel: the C library has that of the process it was forked from (main.c) */
static sem_t stopped;
static atomic_bool crashed, saved;
static struct sigaction before[ARRAY_SIZE(crashes)];
static void *frames[FRAMES_MAX];
static int n_frames;

void pv_postmortem_watch(struct pv_session *s)
{
	atomic_store(&watched, s);
}

/* ---- in the thread that runs the case ---- */

static void stop_here(int sig)
{
	n_frames = backtrace(frames, FRAMES_MAX);
	sem_post(&stopped);
	for (;;)
		pause();
}

/* As it would have died without us, core dump and all; a sanitizer's handler comes to its turn. */
static void die_of(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (crashes[i] == sig)
			sigaction(sig, &before[i], NULL);
	raise(sig);
}

static void crash(int sig)
{
	const struct timespec poll = {.tv_nsec = POLL_MS * 1000000L};

	if (!pthread_equal(pthread_self(), runs) || atomic_exchange(&crashed, true)) {
		die_of(sig);
		return;
	}
	n_frames = backtrace(frames, FRAMES_MAX);
	pthread_kill(saves, SIGTERM);
	for (int ms = 0; ms < SAVE_MS && !atomic_load(&saved); ms += POLL_MS)
		nanosleep(&poll, NULL);
	die_of(sig);
}

/* ---- in the thread that saves ---- */

static void stop_case(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += STOP_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	if (!tgkill(getpid(), runs_tid, STOP_SIGNAL))
		sem_timedwait(&stopped, &until);
}

static void save_place(const struct pv_session *s)
{
	_autofree_ char *path = NULL;

	if (asprintf(&path, "%s/stack.txt", s->folder) < 0) {
		path = NULL;
		return;
	}
	_autoclose_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (s->step)
		dprintf(fd, "# in step %u (%s, %s:%d)", s->n, s->step->kind, s->step->file, s->step->line);
	else
		dprintf(fd, "# between steps");
	if (pv_has(s->t->machine, now_ps))
		dprintf(fd, ", at %" PRIu64 " ns of the target's time",
			s->t->machine->ops->now_ps(s->t->machine) / 1000);
	dprintf(fd, "\n# innermost first; `addr2line -fipe pcieval OFFSET` tells the line of (+OFFSET)\n");
	backtrace_symbols_fd(frames, n_frames, fd);
}

static void *save(void *unused)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	while (sigwait(&set, &sig))
		;
	if (!atomic_load(&crashed))
		stop_case();
	struct pv_session *s = atomic_load(&watched);
	if (s && s->folder) {
		save_place(s);
		pv_session_rescue(s);
	}
	atomic_store(&saved, true);
	while (atomic_load(&crashed))
		pause();
	signal(SIGTERM, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGTERM);
	return NULL;
}

/* ---- beginning ---- */

/* Stack overflows need another stack. */
static char other_stack[64 << 10];

static int catch_signals(void)
{
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction on_stop = {.sa_handler = stop_here, .sa_flags = SA_ONSTACK};
	struct sigaction on_crash = {.sa_handler = crash, .sa_flags = SA_ONSTACK};
	if (sigaltstack(&stack, NULL) || sigaction(STOP_SIGNAL, &on_stop, NULL))
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (sigaction(crashes[i], &on_crash, &before[i]))
			return -errno;
	return 0;
}

void pv_postmortem_load(void)
{
	if (!n_frames)
		n_frames = backtrace(frames, 1);
}

int pv_postmortem_start(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	runs = pthread_self();
	runs_tid = gettid();
	pv_postmortem_load();
	if (sem_init(&stopped, 0, 0))
		return -errno;
	int err = pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (!err)
		err = pthread_create(&saves, NULL, save, NULL);
	return err ? -err : catch_signals();
}
