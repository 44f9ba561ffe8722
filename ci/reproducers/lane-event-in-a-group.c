/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwc_pcie_pmu of Linux 7.3 keeps a bit for each lane event of groups 6 and 7, and refuses lane events of other groups. But it
 * does not look at an event that joins a group of perf, and sets a bit outside of its bitmap for it.
 *
 * Usage: lane-event-in-a-group PMU [CONFIG]     as root:
 *
 *   lane-event-in-a-group dwc_rootport_80             a DesignWare Root Port with RAS D.E.S.
 *
 * It opens a lane event of group 7 and, in its group, one of group 0 (CONFIG, 0x10005: eventid=0x5,type=1). On arm64 the bit of
 * the second is 512 MiB behind the bitmap. With less memory than that behind it Linux 7.3 dies; with more it changes a bit of
 * other data and prints "survived": run it with "mem=512M" on the kernel's command line.
 *
 *   Unable to handle kernel paging request at virtual address ffff000020e8a510
 *   pc : dwc_pcie_pmu_event_add+0xe4/0x108 [dwc_pcie_pmu]
 *
 * Linux 6.12 refuses the second event with EINVAL.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "lane-event-in-a-group: %s: %s\n", what, strerror(errno));
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

static int open_event(const char *pmu, uint64_t config, int leader)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = (uint32_t)number_of(pmu, "type"), .config = config};

	return (int)syscall(SYS_perf_event_open, &attr, -1, number_of(pmu, "cpumask"), leader, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	int leader;

	if (argc != 2 && argc != 3)
		return fprintf(stderr, "usage: lane-event-in-a-group PMU [CONFIG]\n"), 2;
	leader = open_event(argv[1], 0x10700, -1);
	if (leader < 0)
		die("perf_event_open of the leader");
	if (open_event(argv[1], argc == 3 ? strtoull(argv[2], NULL, 0) : 0x10005, leader) < 0)
		printf("the member is refused: %s\n", strerror(errno));
	printf("survived\n");
	return 0;
}
