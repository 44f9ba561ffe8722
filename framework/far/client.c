/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls to the far side: requests out, answers in, the hello. */
#include "framework/far/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/client_internal.h"
#include "framework/far/ops.h"

#define OF(c, member) ((struct pv_far_client *)((char *)(c)-offsetof(struct pv_far_client, member)))

struct pv_far_client *pv_far_of_driver(struct pv_driver *d)
{
	return OF(d, driver);
}

struct pv_far_client *pv_far_of_machine(struct pv_machine *m)
{
	return OF(m, machine);
}

struct pv_far_client *pv_far_of_shell(struct pv_shell *s)
{
	return OF(s, shell);
}

/* ---- a call ---- */

int pv_far_die(struct pv_far_client *c, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	if (c->failure.code)
		return -ECONNRESET;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return pv_error(&c->failure, -ECONNRESET, "the far side (%s): %s", *c->system ? c->system : "not greeted yet",
			why);
}

struct pv_put *pv_far_begin(struct pv_far_client *c, enum pv_far_op op)
{
	c->request = (struct pv_put){.at = c->request_buf, .room = c->far_max};
	pv_put_u32(&c->request, op);
	pv_put_u32(&c->request, ++c->sequence);
	return &c->request;
}

/* Reads the head of an answer, which must match the last request. */
static int answered(struct pv_far_client *c)
{
	struct pv_get *g = &c->answer;
	struct pv_get sent = {.at = c->request_buf, .left = PV_FAR_MESSAGE_MIN};
	uint32_t op = pv_get_u32(&sent), op_back = pv_get_u32(g), sequence = pv_get_u32(g);
	int32_t result = pv_get_i32(g);

	c->pieces = pv_get_u32(g);
	c->more = pv_get_bool(g);
	if (g->bad)
		return pv_far_die(c, "expected an answer of at least %u bytes, got a shorter one", PV_FAR_ANSWER_HEAD);
	if (op_back != op || sequence != c->sequence)
		return pv_far_die(c,
				  "expected the answer to request %" PRIu32 " (op %" PRIu32 "), got that to %" PRIu32
				  " (op %" PRIu32 ")",
				  c->sequence, op, sequence, op_back);
	if (result > 0 || result < -4095)
		return pv_far_die(c, "op %" PRIu32 ": expected 0 or an error as its result, got %" PRId32, op, result);
	return result;
}

int pv_far_ask(struct pv_far_client *c)
{
	int64_t n;

	c->pieces = 0;
	c->more = false;
	c->answer = (struct pv_get){0};
	if (c->failure.code)
		return -ECONNRESET;
	if (c->request.bad)
		return -EMSGSIZE;
	n = c->exchange(c->ctx, c->request.at, c->request.len, c->answer_buf, PV_FAR_MESSAGE_MAX);
	if (n < 0)
		return pv_far_die(c, "no answer: %s",
				  n == -EMSGSIZE ? "what came is no message; does a login script there print something?"
						 : strerror((int)-n));
	if (n > (int64_t)PV_FAR_MESSAGE_MAX)
		return pv_far_die(c, "an answer of %" PRId64 " bytes, more than there is room for", n);
	c->answer = (struct pv_get){.at = c->answer_buf, .left = (size_t)n};
	return answered(c);
}

int pv_far_end(struct pv_far_client *c, int result)
{
	int err;

	if (c->failure.code)
		return -ECONNRESET;
	err = pv_far_take_pieces(c);
	if (err)
		return err;
	if (!pv_get_done(&c->answer))
		return pv_far_die(c, "an answer that does not end where it should, or is not what was asked for");
	return result;
}

int pv_far_call(struct pv_far_client *c)
{
	return pv_far_end(c, pv_far_ask(c));
}

/* ---- the hello ---- */

/* Removes a member that the far side lacks from its table. Returns false if the member is required. */
static bool keep_member(struct pv_far_client *c, uint32_t op, bool there)
{
	char *const tables[] = {
		[PV_FAR_DRIVER] = (char *)&c->driver_ops,
		[PV_FAR_MACHINE] = (char *)&c->machine_ops,
		[PV_FAR_SHELL] = (char *)&c->shell_ops,
	};
	const struct pv_far_member *m = &pv_far_members[op];

	if (!m->table || there)
		return true;
	memset(tables[m->table] + m->offset, 0, sizeof(void (*)(void)));
	return !(m->flags & PV_FAR_NEEDED);
}

/* Limits the tables to the ops that the far side has. */
static int take_ops(struct pv_far_client *c, uint64_t ops)
{
	c->driver_ops = pv_far_driver_ops;
	c->machine_ops = pv_far_machine_ops;
	c->shell_ops = pv_far_shell_ops;
	for (uint32_t op = 0; op < PV_FAR_OPS; op++)
		if (!keep_member(c, op, ops >> op & 1))
			return pv_far_die(c, "it lacks op %" PRIu32 ", without which nothing can be tested", op);
	return 0;
}

/* Reads the description that a far side of the right version sends. */
static int introduced(struct pv_far_client *c)
{
	struct pv_get *g = &c->answer;
	uint32_t max = pv_get_u32(g);
	uint64_t ops = pv_get_u64(g);
	char system[sizeof(c->system)];
	int err;

	pv_get_string(g, system, sizeof(system));
	if (g->bad || max < PV_FAR_MESSAGE_MIN)
		return pv_far_die(c, "a hello that is not as it should be");
	err = pv_far_end(c, 0);
	if (err)
		return err;
	for (char *s = system; *s; s++)
		*s = *s >= ' ' && *s < 0x7f ? *s : '?';
	memcpy(c->system, system, sizeof(system));
	c->far_max = max < PV_FAR_MESSAGE_MAX ? max : PV_FAR_MESSAGE_MAX;
	return take_ops(c, ops);
}

static int greet(struct pv_far_client *c)
{
	struct pv_put *p = pv_far_begin(c, PV_FAR_HELLO);
	uint32_t magic, version;
	int err;

	pv_put_u32(p, PV_FAR_MAGIC);
	pv_put_u32(p, PV_FAR_VERSION);
	pv_put_u32(p, PV_FAR_MESSAGE_MAX);
	err = pv_far_ask(c);
	if (err)
		return err == -ECONNRESET ? err : pv_far_die(c, "expected a hello, got %s", pv_errno_name(err));
	magic = pv_get_u32(&c->answer);
	version = pv_get_u32(&c->answer);
	if (c->answer.bad || magic != PV_FAR_MAGIC)
		return pv_far_die(c, "expected a hello, got something else; is it pcieval-far?");
	if (version != PV_FAR_VERSION)
		return pv_far_die(
			c, "expected version %u of the protocol, got %" PRIu32 "; take the pcieval-far of this build",
			PV_FAR_VERSION, version);
	return introduced(c);
}

/* ---- another driver ---- */

/* Reads the ops that it has, and why not more. */
static int reference_answer(struct pv_far_client *c, uint64_t *ops, char *why, size_t size)
{
	int32_t status = pv_get_i32(&c->answer);

	pv_get_string(&c->answer, why, size);
	*ops = pv_get_u64(&c->answer);
	c->answer.bad |= status > 0 || status < -4095;
	int err = pv_far_end(c, 0);
	return err ? err : status;
}

int pv_far_reference(struct pv_far_client *c, enum pv_mps_policy policy, const pv_bdf *functions, size_t n,
		     struct pv_error *e)
{
	char why[sizeof(c->line)] = "it serves none, or may take no functions";
	uint64_t ops = 0;

	struct pv_put *p = pv_far_begin(c, PV_FAR_REFERENCE);
	pv_put_u32(p, policy);
	pv_put_u32(p, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		pv_put_u32(p, functions[i]);
	int err = pv_far_ask(c);
	err = err ? pv_far_end(c, err) : reference_answer(c, &ops, why, sizeof(why));
	if (!err)
		err = take_ops(c, ops);
	if (!err)
		return 0;
	return pv_error(e, err, "starting the reference driver on the far side: %s",
			c->failure.code ? c->failure.text : why);
}

/* ---- life ---- */

static struct pv_far_client *new_client(pv_far_exchange_fn exchange, void *ctx)
{
	struct pv_far_client *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->exchange = exchange;
	c->ctx = ctx;
	c->far_max = PV_FAR_MESSAGE_MIN;
	c->request_buf = malloc(PV_FAR_MESSAGE_MAX);
	c->answer_buf = malloc(PV_FAR_MESSAGE_MAX);
	c->driver.ops = &c->driver_ops;
	c->machine.ops = &c->machine_ops;
	c->shell.ops = &c->shell_ops;
	if (c->request_buf && c->answer_buf)
		return c;
	pv_far_close(c);
	return NULL;
}

int pv_far_connect(struct pv_far_client **out, pv_far_exchange_fn exchange, void *ctx, struct pv_error *e)
{
	struct pv_far_client *c = new_client(exchange, ctx);
	int err;

	if (!c)
		return pv_error(e, -ENOMEM, "the far side: no memory");
	err = greet(c);
	if (!err) {
		*out = c;
		return 0;
	}
	pv_error(e, err, "%s", c->failure.code ? c->failure.text : pv_errno_name(err));
	pv_far_close(c);
	return err;
}

void pv_far_close(struct pv_far_client *c)
{
	if (!c)
		return;
	while (c->events)
		pv_far_driver_ops.event_close(&c->driver, c->events);
	free(c->request_buf);
	free(c->answer_buf);
	free(c);
}

struct pv_driver *pv_far_driver(struct pv_far_client *c)
{
	return &c->driver;
}

struct pv_machine *pv_far_machine(struct pv_far_client *c)
{
	return &c->machine;
}

struct pv_shell *pv_far_shell(struct pv_far_client *c)
{
	return &c->shell;
}

const char *pv_far_system(const struct pv_far_client *c)
{
	return c->system;
}

void pv_far_rename(struct pv_far_client *c, const struct pv_far_names *names)
{
	c->names = *names;
}

const struct pv_error *pv_far_failure(const struct pv_far_client *c)
{
	return &c->failure;
}
