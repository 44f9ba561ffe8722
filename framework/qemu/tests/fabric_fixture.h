/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models behind a fabric, and a thread that plays the device of QEMU. */
#ifndef PV_QEMU_TESTS_FABRIC_FIXTURE_H
#define PV_QEMU_TESTS_FABRIC_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/qemu/fabric.h"
#include "framework/util/fdpass.h"

#define PORT PCI_BDF(0, 8, 0)
#define NIC  PCI_BDF(1, 0, 0)

struct bench {
	struct pv_fabric_peer fabric;
	struct pv_model_env env;
	int device;  /* the device's end */
	uint64_t ns; /* the guest's clock */
	void (*play)(struct bench *b);
	void *memory[256];
	size_t blocks;
};

static uint16_t nic_device; /* 0: as the model has it */

static inline void *env_alloc(void *ctx, size_t bytes)
{
	struct bench *b = ctx;

	cr_assert_lt(b->blocks, 256);
	return b->memory[b->blocks++] = calloc(1, bytes);
}

static inline void *env_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_fabric_dma_map(&((struct bench *)ctx)->fabric, bdf, addr, bytes);
}

static inline void env_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_fabric_msi(&((struct bench *)ctx)->fabric, bdf, vector);
}

static inline void build(struct bench *b)
{
	struct pv_node_conf port = {.kind = PV_NODE_ROOT_PORT,
				    .bdf = PORT,
				    .parent = -1,
				    .secondary = 1,
				    .subordinate = 1,
				    .mpss = 2,
				    .mrrs_max = 5,
				    .speed = 3,
				    .width = 8,
				    .rcb = 64};
	struct pv_node_conf nic = {.kind = PV_NODE_ENDPOINT,
				   .bdf = NIC,
				   .device = nic_device,
				   .mpss = 2,
				   .mrrs_max = 5,
				   .speed = 3,
				   .width = 8};

	memset(b, 0, sizeof(*b));
	b->env = (struct pv_model_env){.ctx = b, .alloc = env_alloc, .dma_map = env_dma_map, .msi = env_msi};
	struct pv_model *m = pv_model_new(&b->env, 1);
	nic.parent = pv_model_add(m, &port);
	cr_assert_geq(nic.parent, 0);
	cr_assert_geq(pv_model_add(m, &nic), 0);
	cr_assert_eq(pv_model_start(m), 0);
	cr_assert_eq(pv_fabric_open(&b->fabric, m, 1 << 20, 1 << 16, &b->device), 0);
	b->fabric.hello = (struct pv_fabric_hello){
		.version = PV_FABRIC_VERSION, .bridges = 1, .bridge = {{.bus_last = 255, .numa_node = -1}}};
}

static inline void take_down(struct bench *b)
{
	pv_fabric_close(&b->fabric);
	while (b->blocks)
		free(b->memory[--b->blocks]);
}

/* ---- the device ---- */

static inline void tell(struct bench *b, const struct pv_fabric_ask *a)
{
	cr_assert_eq(send(b->device, a, sizeof(*a), 0), sizeof(*a));
}

static inline struct pv_fabric_answer ask(struct bench *b, struct pv_fabric_ask a)
{
	struct pv_fabric_answer answer;

	tell(b, &a);
	cr_assert_eq(recv(b->device, &answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
	return answer;
}

static inline uint64_t read_config(struct bench *b, pv_bdf bdf, uint32_t off, uint32_t bytes, uint64_t ns)
{
	return ask(b,
		   (struct pv_fabric_ask){PV_FABRIC_READ, bytes, PV_FABRIC_ECAM + ((uint64_t)bdf << 12) + off, 0, ns})
		.value;
}

static inline void *play(void *arg)
{
	struct bench *b = arg;

	b->play(b);
	close(b->device);
	return NULL;
}

static inline int64_t converse(struct bench *b, void (*fn)(struct bench *), const char *request, char *reply,
			       size_t room)
{
	pthread_t thread;

	b->play = fn;
	cr_assert_eq(pthread_create(&thread, NULL, play, b), 0);
	int64_t n = pv_fabric_exchange(&b->fabric, NULL, 0, reply, room);
	if (n >= 0 && request)
		n = pv_fabric_exchange(&b->fabric, request, strlen(request), reply, room);
	if (b->fabric.waiting)
		shutdown(b->fabric.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	return n;
}

static inline void say(struct bench *b, const char *text)
{
	memcpy(b->fabric.window.at, text, strlen(text));
	tell(b, &(struct pv_fabric_ask){.op = PV_FABRIC_CALL, .value = strlen(text), .now_ns = b->ns});
}

static inline void start_traffic(struct bench *b)
{
	struct pv_traffic_conf conf = {.origin = PV_ORIGIN_DEVICE,
				       .from = NIC,
				       .to = PV_TO_MEMORY,
				       .requester = 0xffff,
				       .size_min = 64,
				       .size_max = 64,
				       .count = 2000,
				       .first_be = -1,
				       .last_be = -1};
	conf.weight[PV_T_MWR64] = 1;
	cr_assert_geq(pv_model_traffic(b->fabric.model, &conf), 0);
}

#endif
