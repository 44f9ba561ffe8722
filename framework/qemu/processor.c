/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processors are claimed by the abstract name of a socket, which goes with its last descriptor. */
#include "framework/qemu/processor.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int claim(int cpu)
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

static int confine(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

int pv_processor_claim(void)
{
	cpu_set_t allowed;
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	/* The one that it runs on comes first. */
	for (int i = 0; i < CPU_SETSIZE; i++) {
		int cpu = (here + i) % CPU_SETSIZE;
		int fd = CPU_ISSET(cpu, &allowed) ? claim(cpu) : -1;

		if (fd < 0)
			continue;
		if (!confine(cpu))
			return fd;
		close(fd);
	}
	return -1;
}
