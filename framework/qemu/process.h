/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting programs whose descriptors are numbered as one likes. */
#ifndef PV_QEMU_PROCESS_H
#define PV_QEMU_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#define PV_PROCESS_FDS 16

/*
 * Starts argv[0]. Its descriptor i is fds[i], i < n <= PV_PROCESS_FDS; -1: closed. It is killed when its parent ends. A program
 * that cannot be executed says so on its descriptor 2 and ends with 127. Process id or -errno.
 */
pid_t pv_process_start(char *const *argv, const int *fds, size_t n);

#endif
