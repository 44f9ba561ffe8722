/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as requests to the server: each is a byte that says what happens at the far side meanwhile, two bytes of
 * length, and the request. Every one is answered within the room that the client has, a bad one does nothing, and at
 * the end no event is open.
 */
#include <errno.h>

#include "framework/far/bytes.h"
#include "framework/far/tests/fake.h"
#include "framework/util/fuzz/fuzz.h"

#define ROOM 65536u

static uint8_t answer[ROOM + 1];

/* Checks properties of every answer and returns its result. */
static int32_t check_answer(const struct pv_get *request, size_t n, size_t room)
{
	struct pv_get sent = *request, g = {.at = answer, .left = n};
	bool whole = request->left >= 8;
	uint32_t op = pv_get_u32(&sent), sequence = pv_get_u32(&sent), pieces;
	int32_t result;

	fuzz_check(n >= PV_FAR_ANSWER_HEAD && n <= room && answer[room] == 0xa5);
	fuzz_check(pv_get_u32(&g) == op || !whole);
	fuzz_check(pv_get_u32(&g) == sequence || !whole);
	result = pv_get_i32(&g);
	pieces = pv_get_u32(&g);
	pv_get_bool(&g);
	fuzz_check(result <= 0 && result > -4096 && !g.bad);
	/* An error carries no results, only pieces. */
	for (uint32_t i = 0; result && i < pieces; i++) {
		size_t len;

		pv_get_u32(&g);
		pv_get_u32(&g);
		pv_get_bool(&g);
		pv_get_bytes(&g, &len);
	}
	fuzz_check(!result || pv_get_done(&g));
	return result;
}

static void one(struct fake *f, uint8_t meanwhile, const uint8_t *bytes, size_t n)
{
	/* A copy of exact size, so that ASan sees reads beyond the end. */
	uint8_t *exact = malloc(n ? n : 1);
	struct pv_get request = {.at = exact, .left = n};
	size_t room = meanwhile & 1 ? ROOM : PV_FAR_MESSAGE_MIN;

	fuzz_check(exact);
	if (n)
		memcpy(exact, bytes, n);
	f->result = meanwhile & 2 ? -EIO : 0;
	if (meanwhile & 4)
		fake_commit(f, meanwhile * 40u, meanwhile & 8);
	f->said[0] = '\0';
	answer[room] = 0xa5;
	if (check_answer(&request, pv_far_serve(f->server, exact, n, answer, room), room) == -EBADMSG)
		fuzz_check(!f->said[0]);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake f;

	fake_init(&f);
	f.server = pv_far_server_new(&(struct pv_far_tables){&f.driver, &f.machine, &f.shell, "fake", 20000});
	fuzz_check(f.server);
	while (size >= 3) {
		size_t n = data[1] | (size_t)data[2] << 8;

		n = n < size - 3 ? n : size - 3;
		one(&f, data[0], data + 3, n);
		data += 3 + n;
		size -= 3 + n;
	}
	pv_far_server_free(f.server);
	fuzz_check(!f.open);
	return 0;
}
