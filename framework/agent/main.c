/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval-agent: `pcieval agent` as a program of its own, without the XML library and what that brings along. It is
 * also the process that `pcieval run` forks the agent of each case from, and the one that keeps QEMUs from one case to
 * the next.
 */
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/agent/agent.h"
#include "framework/agent/postmortem.h"
#include "framework/qemu/vm_pool.h"
#include "framework/schema/schema.h"
#include "framework/util/error.h"
#include "framework/util/fdpass.h"

enum { STREAMS = 3 };

enum {
	HUGE_BYTES = 2 << 20, /* of a huge page */
	HEAP_BYTES = 16 << 20,
	LAST_BYTES = 256 << 10, /* more than the heap has at first: what is so large is at its end */
};

/* Sets up the child as a new program: its own process group and streams, and SIGTERM when the runner dies. */
static bool become_agent(int socket, const int streams[STREAMS], pid_t runner)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != runner)
		return false;
	for (int i = 0; i < STREAMS; i++)
		if (dup2(streams[i], i) < 0)
			return false;
	pv_fdpass_close(streams, STREAMS);
	if (socket >= STREAMS)
		close(socket);
	return true;
}

/*
 * Lets the heap of each agent begin on huge pages, if the kernel has some: a case needs hundreds of small pages, and a
 * fault of a huge page costs as much as some forty of these. Nothing touches them before an agent is forked. Returns
 * what fills the heap up to them, which the caller frees; NULL: there are none.
 */
static void *heap_on_huge_pages(void)
{
	mallopt(M_TRIM_THRESHOLD, HEAP_BYTES);
	mallopt(M_MMAP_THRESHOLD, HEAP_BYTES);
	mallopt(M_TOP_PAD, HEAP_BYTES);
	void *last = malloc(LAST_BYTES);
	uintptr_t top = (uintptr_t)last, end = (uintptr_t)sbrk(0);
	size_t gap = LAST_BYTES + HUGE_BYTES - (top + LAST_BYTES) % HUGE_BYTES;

	free(last);
	if (!top || end < top + HEAP_BYTES || madvise((void *)(top + gap), HEAP_BYTES - gap, MADV_HUGEPAGE))
		return NULL;
	/* The head of what follows takes the last 8 bytes. */
	return malloc(gap - sizeof(size_t));
}

/*
 * Forks an agent for each message with three descriptors, its standard streams, that comes through `socket`
 * (docs/protocol.md, "The fork server"), and answers with its pid, an int32_t, or -1. Returns true in each agent, which
 * is to call pv_agent_program(), and false in the server when the socket is closed, and in an agent that nobody waits
 * for. Programs start slowly where page faults and CPUID are slow.
 */
static bool forkserver(int socket)
{
	pid_t runner = getppid();
	int fds[PV_FDPASS_MAX];
	size_t n;
	char request;

	prctl(PR_SET_NAME, "pcieval-agent");
	pv_postmortem_load();
	pv_types_compile();
	unsetenv("LD_BIND_NOW");
	void *before = heap_on_huge_pages();
	while (pv_fdpass_receive(socket, &request, sizeof(request), fds, &n, 0) > 0) {
		/* The agent is a child of the runner, which waits for its end. */
		int32_t pid = n == STREAMS ? (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) : -1;

		if (!pid)
			return become_agent(socket, fds, runner);
		pv_fdpass_close(fds, n);
		if (send(socket, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
			break;
	}
	free(before);
	return false;
}

/* Sanitizers and gcov define these. Both have something to do as the program exits. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
extern void __gcov_init(void *info) __attribute__((weak));

/* Ends an agent. Destructors of libraries are left out: they would touch pages that the agent does not need otherwise.
 */
static int end_agent(int status)
{
	if (__sanitizer_set_death_callback || __gcov_init)
		return status;
	fflush(NULL);
	_exit(status);
}

int main(int argc, char **argv)
{
	/* A limit of file sizes is as a full disk: an error where it is written to, and said there. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc == 2 && !strcmp(argv[1], "forkserver")) {
		if (!forkserver(STDIN_FILENO))
			return PV_EXIT_PASSED;
		strncpy(argv[1], "agent", strlen(argv[1])); /* what ps(1) shows */
	}
	if (argc == 2 && !strcmp(argv[1], "agent"))
		return end_agent(pv_agent_program());
	if (argc == 2 && !strcmp(argv[1], "vm-pool"))
		return pv_vm_pool_serve(STDIN_FILENO) ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
	fprintf(stderr,
		"%s: expected \"agent\", \"forkserver\" or \"vm-pool\" as its argument; `pcieval run` starts it\n",
		argv[0]);
	return PV_EXIT_USAGE;
}
