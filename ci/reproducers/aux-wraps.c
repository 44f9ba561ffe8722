/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hisi_ptt writes behind the AUX area when a trace is started less than a buffer of 4 MiB before its end.
 *
 * Usage: aux-wraps PMU FILTER BDF      as root: aux-wraps hisi_ptt0_0 0x80001 0000:01:00.0
 *
 * It needs a HiSilicon PCIe tune and trace device (PMU), a Root Port of it (FILTER: the value of its file in the PMU's
 * root_port_filters) and a function below that port (BDF). Two sessions use one AUX area of 16 MiB: the first ends at 13
 * MiB, the second begins there, and at its first full buffer hisi_ptt_isr() copies 4 MiB to the 3 MiB that are left. The
 * traffic is reads of the function's configuration space: about 550,000 doublewords.
 *
 * Linux 6.12 and 7.3 die (6.1 has the same lines):
 *
 *   Unable to handle kernel paging request at virtual address ffff800082f61000
 *   Internal error: Oops: 0000000096000047 [#1] SMP
 *   Call trace:
 *    __memcpy+0x158/0x250
 *    hisi_ptt_isr+0x50/0xa8 [hisi_ptt]
 *    __handle_irq_event_percpu+0x44/0x11c
 *   Kernel panic - not syncing: Oops: Fatal exception in interrupt
 *
 * A kernel with the fix ptt-aux-wraps of ci/driver-fixes prints "survived".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB (1024UL * 1024)
#define AUX_SIZE (16 * MIB)
#define DATA_PAGES 8
#define OUTBOUND (1ULL << 20)
#define NON_POSTED (2ULL << 24)
#define HEADERS_OF_8DW (1ULL << 32)

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "aux-wraps: %s: %s\n", what, strerror(errno));
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

static int open_trace(const char *pmu, uint64_t filter)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .disabled = 1};
	int fd;

	attr.type = number_of(pmu, "type");
	attr.config = filter | OUTBOUND | NON_POSTED | HEADERS_OF_8DW;
	fd = syscall(SYS_perf_event_open, &attr, -1, number_of(pmu, "cpumask"), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

/* Maps the ring buffer and the AUX area of the event; returns the page with the positions of both. */
static volatile struct perf_event_mmap_page *map_trace(int fd)
{
	size_t data_size = (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page = mmap(NULL, data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		die("mmap of the ring buffer");
	page->aux_offset = data_size;
	page->aux_size = AUX_SIZE;
	if (mmap(NULL, AUX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, data_size) == MAP_FAILED)
		die("mmap of the AUX area");
	return page;
}

/* Makes some hundred non-posted requests. */
static void send_requests(int config)
{
	char space[4096];

	if (pread(config, space, sizeof(space), 0) <= 0)
		die("reading configuration space");
}

/* Sends requests until the driver has copied data up to `head`; returns the number of rounds. */
static unsigned trace_until(volatile struct perf_event_mmap_page *page, int config, uint64_t head)
{
	unsigned rounds = 0;

	for (; page->aux_head < head; rounds++)
		send_requests(config);
	return rounds;
}

/* Traces 13 MiB, and reads it all. */
static void first_session(volatile struct perf_event_mmap_page *page, int fd, int config)
{
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned more = trace_until(page, config, 12 * MIB) / 12; more; more--)
		send_requests(config);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("the first session ended at %llu of %lu bytes\n", (unsigned long long)page->aux_head, AUX_SIZE);
	fflush(stdout);
	page->aux_tail = page->aux_head;
}

int main(int argc, char **argv)
{
	volatile struct perf_event_mmap_page *page;
	char path[256];
	int config, fd;

	if (argc != 4)
		return fprintf(stderr, "usage: aux-wraps PMU FILTER BDF\n"), 2;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", argv[3]);
	config = open(path, O_RDONLY | O_CLOEXEC);
	if (config < 0)
		die(path);
	fd = open_trace(argv[1], strtoull(argv[2], NULL, 0));
	page = map_trace(fd);

	first_session(page, fd, config);
	sleep(3); /* the device becomes idle */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	trace_until(page, config, page->aux_head + 1);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	printf("survived: the second session ended at %llu\n", (unsigned long long)page->aux_head);
	return 0;
}
