/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting a program, and waiting for its end. */
#ifndef PV_UTIL_SPAWN_H
#define PV_UTIL_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PV_SPAWN_FDS = 16 };
#define PV_SPAWN_FAILED 127 /* exit status of a child that could not become the program, as in sh(1) */

struct pv_spawn {
	const char *path; /* NULL: argv[0], searched for in PATH */
	const char *const *argv;
	char *const *env;     /* NULL: ours */
	int streams[3];	      /* its standard input, output and error; -1: ours */
	const int *fds;	      /* instead of streams: its descriptors 0 to n_fds - 1; -1: closed */
	size_t n_fds;	      /* at most PV_SPAWN_FDS */
	int keep[2];	      /* descriptors that it inherits under the same numbers; 0 or -1: none */
	const sigset_t *mask; /* signals that it blocks; NULL: none */
	uint64_t file_bytes;  /* the most in a file that it writes (RLIMIT_FSIZE, SIGXFSZ); 0: no limit of ours */
	int end_signal;	      /* sent to it when the thread that started it ends, however that happens; 0: none */
	bool own_group;	      /* a process group of its own: the terminal's ctrl-C does not reach it */
};

/*
 * Starts a program. All other descriptors must be closed on exec. Where it cannot be started, it says why on its
 * standard error and ends with PV_SPAWN_FAILED. Returns its pid, or -errno; -E2BIG: too many descriptors. SIGCHLD is
 * not ignored from then on: the program's status would be lost.
 */
pid_t pv_spawn(const struct pv_spawn *s);
/* Waits for the end of a child, at most `ms`. Returns true, with its wait status, if it has ended. */
bool pv_spawn_ended(pid_t pid, unsigned ms, int *status);
/* Waits for its end, however long that takes. Returns its wait status. */
int pv_spawn_wait(pid_t pid);
/* Same, but kills it after `ms`. Returns its wait status. */
int pv_spawn_reap(pid_t pid, unsigned ms);
/*
 * Runs a program, with its standard output instead of s->streams[1], to its end. Returns the output as a string, of at
 * most `max` bytes: the rest is dropped. The caller frees. *status gets its wait status, or -errno if it was not
 * started. NULL: no memory, or not started.
 */
char *pv_spawn_output(const struct pv_spawn *s, size_t max, int *status);
/* Returns "exit status 3" or "signal 9 (Killed)", in buf. */
const char *pv_spawn_status(int status, char *buf, size_t size);

#endif
