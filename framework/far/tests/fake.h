/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver, a machine and a shell that do nothing: each call is noted as a line of text, and returns what the test has
 * said. AUX data are commits that the test queues; they are handed over while time passes.
 */
#ifndef PV_FAR_TESTS_FAKE_H
#define PV_FAR_TESTS_FAKE_H

#include "framework/far/client.h"
#include "framework/far/server.h"

#define FAKE_COMMITS 64u

struct fake_commit {
	size_t len;
	uint32_t flags;
};

struct fake {
	struct pv_driver driver;
	struct pv_machine machine;
	struct pv_shell shell;
	char said[4096]; /* the last call */
	int result;	 /* of the next calls */
	struct pv_perf_event *events;
	unsigned open;

	/* AUX data of the event that was opened last. */
	struct fake_commit commit[FAKE_COMMITS];
	size_t commits, next;
	uint64_t at; /* bytes that were handed over */
	bool held;

	/* Messages, as the exchange between both ends sees them. */
	struct pv_far_server *server;
	size_t room;	 /* of an answer */
	unsigned asked;	 /* messages so far */
	int64_t failing; /* error of the exchange, from message `fails_at` on */
	unsigned fails_at;
	void (*spoil)(uint8_t *answer, size_t *n);
	void (*spoil_request)(const uint8_t *request, size_t n); /* is given each before it is served */
	uint8_t request[256];					 /* the last one, its begin */
	size_t request_len;
};

/* Byte number `at` of all AUX data. */
static inline uint8_t fake_byte(uint64_t at)
{
	return (uint8_t)(at * 13 + (at >> 9));
}

void fake_init(struct fake *f);
void fake_commit(struct fake *f, size_t len, uint32_t flags);
/* A pv_far_exchange_fn between a client and f->server. */
int64_t fake_exchange(void *f, const void *request, size_t n, void *answer, size_t room);

extern const struct pv_driver_ops fake_driver_ops;
extern const struct pv_machine_ops fake_machine_ops;
extern const struct pv_shell_ops fake_shell_ops;

#endif
