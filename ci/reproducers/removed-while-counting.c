/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf leaves the events of a PMU open when its device is removed, and stops them later, in registers that are not mapped any
 * more and memory that is freed.
 *
 * Usage: removed-while-counting PMU CONFIG BDF     as root:
 *
 *   removed-while-counting cxl_pmu_mem0.0 0x1e98002000000002 0000:02:00.0     a CXL device with a CPMU
 *   removed-while-counting dwc_rootport_80 0x21 0000:00:10.0                  a DesignWare Root Port with RAS D.E.S.
 *
 * It opens an event of the PMU, which counts, removes the PCI function that the PMU belongs to, and closes the event. Other PMUs
 * whose driver unregisters them when a device goes may have the same fault.
 *
 * Linux 6.12 dies (6.1 has the same lines), for cxl_pmu:
 *
 *   Unable to handle kernel paging request at virtual address ffff80008067e018
 *   Internal error: Oops: 0000000096000047 [#1] SMP
 *   Call trace:
 *    cxl_pmu_disable+0x10/0x18 [cxl_pmu]
 *    event_sched_out+0x78/0x12c
 *    __perf_remove_from_context+0x58/0x504
 *
 * Linux 7.3, whose perf_pmu_unregister() detaches the events, prints "survived".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "removed-while-counting: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Reads a number from a file of the PMU; of a list of CPUs, the first. */
static int number_of(const char *pmu, const char *name)
{
	char path[256];
	int value;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &value) != 1)
		die(path);
	fclose(f);
	return value;
}

static void remove_function(const char *bdf)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", bdf);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		die(path);
	close(fd);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	int fd;

	if (argc != 4)
		return fprintf(stderr, "usage: removed-while-counting PMU CONFIG BDF\n"), 2;
	attr.type = number_of(argv[1], "type");
	attr.config = strtoull(argv[2], NULL, 0);
	fd = syscall(SYS_perf_event_open, &attr, -1, number_of(argv[1], "cpumask"), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open");

	remove_function(argv[3]);
	printf("the device is removed, the event is open\n");
	fflush(stdout);
	close(fd);
	printf("survived\n");
	return 0;
}
