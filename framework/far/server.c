/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dispatches requests to handlers, and frames their results as answers. */
#include "framework/far/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/ops.h"
#include "framework/far/server_internal.h"
#include "framework/util/cleanup.h"

/* ---- the hello ---- */

/* Returns the ops of a table whose members are not NULL. */
static bool has_member(const void *ops, const struct pv_far_member *m)
{
	static const char none[sizeof(void (*)(void))];

	return memcmp((const char *)ops + m->offset, none, sizeof(none)) != 0;
}

static const void *ops_of(const struct pv_far_server *s, enum pv_far_table table)
{
	switch (table) {
	case PV_FAR_DRIVER:
		return s->t.driver->ops;
	case PV_FAR_MACHINE:
		return s->t.machine ? s->t.machine->ops : NULL;
	case PV_FAR_SHELL:
		return s->t.shell ? s->t.shell->ops : NULL;
	}
	return NULL;
}

static bool can(const struct pv_far_server *s, uint32_t op)
{
	const struct pv_far_member *m = &pv_far_members[op];
	const void *ops = ops_of(s, m->table);

	/* The reference driver sets sizes in configuration space. */
	bool undone = m->flags & PV_FAR_UNDOES || (op == PV_FAR_SET_SIZE && s->t.driver != s->own.driver);
	bool stays =
		m->flags & PV_FAR_CHANGES && !(s->t.undoes && undone) && !(s->t.executes && m->flags & PV_FAR_EXECUTES);

	return ops && has_member(ops, m) && !(s->t.read_only && stays);
}

static uint64_t ops_there(const struct pv_far_server *s)
{
	uint64_t ops = 0;

	for (uint32_t op = 0; op < PV_FAR_OPS; op++)
		ops |= (uint64_t)can(s, op) << op;
	return ops;
}

static void end_reference(struct pv_far_server *s)
{
	pv_far_close_events(s);
	if (s->t.driver == s->own.driver)
		return;
	s->t = s->own;
	s->t.reference.end(s->t.reference.ctx);
}

/* A new client finds no state of the previous one. */
static int hello(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t magic = pv_get_u32(g), version = pv_get_u32(g), room = pv_get_u32(g);

	/* A later version may send more. */
	if (g->bad || magic != PV_FAR_MAGIC || room < PV_FAR_MESSAGE_MIN || (version == PV_FAR_VERSION && g->left))
		return -EBADMSG;
	end_reference(s);
	s->client_room = room;
	pv_put_u32(p, PV_FAR_MAGIC);
	pv_put_u32(p, PV_FAR_VERSION);
	pv_put_u32(p, s->room < PV_FAR_MESSAGE_MAX ? (uint32_t)s->room : PV_FAR_MESSAGE_MAX);
	pv_put_u64(p, ops_there(s));
	pv_put_string(p, s->t.system);
	return 0;
}

/* The reason goes with an error: both are what the op gives, and the ops that there are from now on. */
static int reference(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t policy = pv_get_u32(g), n = pv_get_u32(g);
	_autofree_ pv_bdf *functions = n <= PV_FAR_FUNCTIONS_MAX ? calloc(n + 1, sizeof(*functions)) : NULL;
	struct pv_error e = {0};

	for (uint32_t i = 0; functions && i < n; i++)
		functions[i] = pv_get_u32(g);
	if (!functions || !pv_get_done(g) || policy >= PV_MPS_POLICIES_N)
		return -EBADMSG;
	end_reference(s);
	pv_put_i32(p, s->t.reference.boot(s->t.reference.ctx, policy, functions, n, &s->t.driver, &s->t.machine, &e));
	pv_put_string(p, e.text);
	pv_put_u64(p, ops_there(s));
	return 0;
}

/* When all waiting data have been sent, lets the driver deliver refused data. */
static int aux_more(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	if (!pv_get_done(g))
		return -EBADMSG;
	if (s->first || !s->refused || !can(s, PV_FAR_WAIT))
		return 0;
	s->refused = false;
	return s->t.machine->ops->wait(s->t.machine, 0);
}

/* ---- requests ---- */

/* The reference driver writes registers, and takes functions from the kernel. */
static bool has_reference(const struct pv_far_server *s)
{
	return s->t.reference.boot && (!s->t.read_only || (s->t.undoes && s->t.unbinds));
}

static pv_far_handler handler(const struct pv_far_server *s, uint32_t op)
{
	const pv_far_handler *const of[] = {pv_far_driver_handlers, pv_far_event_handlers, pv_far_shell_handlers};

	if (op == PV_FAR_HELLO)
		return hello;
	if (op == PV_FAR_AUX_MORE)
		return aux_more;
	if (op == PV_FAR_REFERENCE)
		return has_reference(s) ? reference : NULL;
	for (size_t i = 0; op < PV_FAR_OPS && can(s, op) && i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i][op])
			return of[i][op];
	return NULL;
}

static int handle(struct pv_far_server *s, uint32_t op, struct pv_get *g, struct pv_put *p)
{
	pv_far_handler fn = g->bad ? NULL : handler(s, op);
	size_t begin = p->len;
	int result = fn ? fn(s, g, p) : g->bad ? -EBADMSG : -EOPNOTSUPP;

	if (!result && p->bad)
		result = -EMSGSIZE;
	if (result) {
		p->len = begin;
		p->bad = false;
	}
	return result;
}

size_t pv_far_serve(struct pv_far_server *s, const void *request, size_t n, void *answer, size_t room)
{
	struct pv_get g = {.at = request, .left = n};
	struct pv_put p = {
		.at = answer, .len = PV_FAR_ANSWER_HEAD, .room = room < s->client_room ? room : s->client_room};
	struct pv_put head = {.at = answer, .room = PV_FAR_ANSWER_HEAD};
	uint32_t op = pv_get_u32(&g), sequence = pv_get_u32(&g);
	int result;

	s->room = room;
	result = handle(s, op, &g, &p);

	pv_put_u32(&head, op);
	pv_put_u32(&head, sequence);
	pv_put_i32(&head, result);
	pv_put_u32(&head, pv_far_aux_put(s, &p));
	/* Set if the driver still has refused data after the last was sent: the client asks again. */
	pv_put_u8(&head, pv_far_aux_has_more(s));
	return p.len;
}

/* ---- life ---- */

struct pv_far_server *pv_far_server_new(const struct pv_far_tables *tables)
{
	struct pv_far_server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->t = s->own = *tables;
	s->end = &s->first;
	s->client_room = PV_FAR_MESSAGE_MIN;
	return s;
}

void pv_far_server_free(struct pv_far_server *s)
{
	if (!s)
		return;
	end_reference(s);
	free(s);
}
