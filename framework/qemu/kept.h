/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case's way to the keeper (keeper.h). */
#ifndef PV_QEMU_KEPT_H
#define PV_QEMU_KEPT_H

#include <stdbool.h>
#include <stddef.h>

/* Connects to the keeper of this name, "@" and hexadecimal digits. A descriptor, or -errno. Closing it ends its program. */
int pv_kept_connect(const char *name);

/* Starts a program as pv_process_start() does. 0 or -errno. */
int pv_kept_start(int keeper, char *const *argv, const int *fds, size_t n);

/* Takes a program with exactly n descriptors, which become the caller's. False: there is none. */
bool pv_kept_take(int keeper, const char *key, int *fds, size_t n);

/* Leaves the program to whoever asks for the key, and `fds` with it, which stay open here. 0 or -errno: it ends. */
int pv_kept_keep(int keeper, const char *key, const int *fds, size_t n);

/* Has the program ended? *status gets its wait status, -1: unknown, the keeper is gone. Does not wait. */
bool pv_kept_ended(int keeper, int *status);

#endif
