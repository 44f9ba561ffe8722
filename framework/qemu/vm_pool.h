/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool of idle VMs. Its server is a process of the run: it starts programs (QEMU) for cases, and keeps those that a
 * case puts back until another case takes them. The server does not know what a program does: the case that puts one
 * back names it by a key and hands over the descriptors that belong to it; a case that takes this key gets them.
 *
 * The server listens on a Unix socket of type SOCK_SEQPACKET, to processes of the same user only. A connection has at
 * most one program, which the server kills when the connection closes. All programs end with the server. A program runs
 * on the CPUs that the process at the other end of its connection may use.
 */
#ifndef PV_QEMU_VM_POOL_H
#define PV_QEMU_VM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PV_VM_POOL_MAX	6	    /* idle programs; the one that is idle longest is killed */
#define PV_VM_POOL_TEXT (64u << 10) /* bytes of text in a message */
#define PV_VM_FILE_MIB	64	    /* the most in a file that a program writes: a console, a saved machine */

enum pv_vm_pool_op {
	PV_VM_POOL_START = 1, /* text: arguments, each ended by a 0; descriptors: those of the program; value: bit i is
				 set if the next one is its descriptor i; answered with 0 or -errno */
	PV_VM_POOL_TAKE,      /* text: a key; answered with 1 and the descriptors of the program, or with 0 */
	PV_VM_POOL_PUT,	      /* text: a key; descriptors: those of the program; not answered */
	PV_VM_POOL_ENDED,     /* from the server, unasked: the program has ended; value: its wait status */
};

struct pv_vm_pool_head {
	uint32_t op;
	int32_t value;
};

/* ---- the server (vm_pool_server.c) ---- */

struct pv_vm_pool {
	pid_t pid;     /* of the server; 0: none */
	char name[32]; /* of its socket, "@" and hexadecimal digits; "": none */
};

/*
 * Starts `program vm-pool` as the server. If that fails, the pool has no name, and each guest gets a QEMU of its own,
 * which takes longer.
 */
void pv_vm_pool_open(struct pv_vm_pool *p, const char *program);
/* Ends the server and its programs, and waits for them. */
void pv_vm_pool_close(struct pv_vm_pool *p);
/* Opens a listening socket with an abstract name that the kernel chooses. Returns a descriptor or -errno. */
int pv_vm_pool_listen(char name[32]);
/* Serves on a listening socket until SIGTERM, SIGINT or SIGHUP. 0 or -errno. */
int pv_vm_pool_serve(int listening);

/* ---- the client (vm_pool.c) ---- */

/*
 * Connects to the server with this name. Returns a descriptor or -errno. Closing it ends the program of the connection.
 */
int pv_vm_pool_connect(const char *name);
/* Starts a program as pv_vm_pool_spawn() does, as a child of the server. 0 or -errno. */
int pv_vm_pool_start(int pool, char *const *argv, const int *fds, size_t n);
/* Takes an idle program with exactly n descriptors, which become the caller's. Returns false if there is none. */
bool pv_vm_pool_take(int pool, const char *key, int *fds, size_t n);
/* Puts the program back, with copies of its descriptors. 0; -errno: closing the connection ends it. */
int pv_vm_pool_put(int pool, const char *key, const int *fds, size_t n);
/* Returns true if the program has ended: *status gets its wait status; -1: the server has ended. Does not wait. */
bool pv_vm_pool_ended(int pool, int *status);

/*
 * Starts argv[0] as a child of this process by pv_spawn(), and kills it when this process ends. Its descriptor i is
 * fds[i].
 */
pid_t pv_vm_pool_spawn(const char *const *argv, const int *fds, size_t n);

#endif
