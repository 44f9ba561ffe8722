/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of pciehp dies when a switch comes back whose bridge windows have become smaller.
 *
 * Usage: slot-off-and-on SLOT      as root: SLOT is a name in /sys/bus/pci/slots
 *
 * It needs a hot-plug slot of pciehp with a switch that has a hot-plug port itself, and whose windows firmware had set when the
 * machine was booted. The program switches the slot off and on.
 *
 * Linux 7.3 dies in adjust_bridge_window(), and the slot does not work any more:
 *
 *   Unable to handle kernel NULL pointer dereference at virtual address 0000000000000030
 *   Internal error: Oops: 0000000096000006 [#1]  SMP
 *   Call trace:
 *    pci_bus_distribute_available_resources+0x504/0x514 (P)
 *    pci_bus_distribute_available_resources+0x3a8/0x514
 *    pci_bridge_distribute_available_resources+0x84/0x90
 *    pci_assign_unassigned_bridge_resources+0x3c/0x138
 *    pciehp_configure_device+0x98/0x128
 *
 * The fix is the PCI core's choice; Linux 6.12, which has no such look-up, prints "survived".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void switch_slot(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, 1) != 1) {
		fprintf(stderr, "slot-off-and-on: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	char path[256];

	if (argc != 2)
		return fprintf(stderr, "usage: slot-off-and-on SLOT\n"), 2;
	snprintf(path, sizeof(path), "/sys/bus/pci/slots/%s/power", argv[1]);
	switch_slot(path, "0");
	printf("the slot is off\n");
	fflush(stdout);
	switch_slot(path, "1");
	printf("survived\n");
	return 0;
}
