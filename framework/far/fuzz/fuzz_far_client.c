/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as answers to the client, which makes all of its calls in turn: each answer is a byte that says how much of
 * its head is right, two bytes of length, and the rest. Strings end in their buffers, errors are errors, a far side
 * that answered wrongly is not asked again, and what the consumer gets was in an answer.
 */
#include <errno.h>

#include "framework/far/bytes.h"
#include "framework/far/client.h"
#include "framework/far/protocol.h"
#include "framework/util/fuzz/fuzz.h"

#define RIGHT_HEAD  1u /* op and sequence are those of the request */
#define RIGHT_HELLO 2u

struct far_side {
	const uint8_t *data;
	size_t size;
	uint64_t answered; /* bytes in all */
	uint64_t handed;
	bool dead;
};

/* A hello as a server gives it, with all that there is. */
static void put_hello(struct pv_put *p)
{
	pv_put_u32(p, PV_FAR_MAGIC);
	pv_put_u32(p, PV_FAR_VERSION);
	pv_put_u32(p, PV_FAR_MESSAGE_MAX);
	pv_put_u64(p, UINT64_MAX);
	pv_put_string(p, "fuzz");
}

static void put_head(struct pv_put *p, struct pv_get *request, uint8_t how)
{
	uint32_t op = pv_get_u32(request);

	pv_put_u32(p, op);
	pv_put_u32(p, pv_get_u32(request));
	if (op != PV_FAR_HELLO || !(how & RIGHT_HELLO))
		return;
	pv_put_i32(p, 0);
	pv_put_u32(p, 0);
	pv_put_u8(p, 0);
	put_hello(p);
}

static int64_t exchange(void *ctx, const void *request, size_t n, void *answer, size_t room)
{
	struct far_side *f = ctx;
	struct pv_get g = {.at = request, .left = n};
	struct pv_put p = {.at = answer, .room = room};
	size_t len;

	fuzz_check(!f->dead && n >= 8 && n <= PV_FAR_MESSAGE_MAX);
	if (f->size < 3)
		return -EPIPE;
	if (f->data[0] & RIGHT_HEAD)
		put_head(&p, &g, f->data[0]);
	len = f->data[1] | (size_t)f->data[2] << 8;
	f->data += 3;
	f->size -= 3;
	len = len < f->size ? len : f->size;
	memcpy(p.at + p.len, f->data, len);
	f->data += len;
	f->size -= len;
	f->answered += p.len + len;
	return (int64_t)(p.len + len);
}

static int consume(void *ctx, const void *data, size_t len, uint32_t flags)
{
	struct far_side *f = ctx;
	const uint8_t *bytes = data;
	unsigned sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += bytes[i];
	/* Refuses now and then. */
	if (flags & 0x40)
		return -ENOSPC;
	f->handed += len;
	fuzz_check(f->handed <= f->answered && sum <= 255 * len);
	return 0;
}

static void name(void *ctx, const char *s)
{
	fuzz_check(strlen(s) < PV_FAR_PATH_MAX);
}

/* A result is 0 or an error of the kernel's range. */
static int check(struct far_side *f, struct pv_far_client *c, int result)
{
	fuzz_check(result <= 0 && result > -4096);
	f->dead = pv_far_failure(c)->code;
	fuzz_check(!f->dead || *pv_far_failure(c)->text);
	return result;
}

static void call_driver(struct far_side *f, struct pv_far_client *c)
{
	struct pv_driver *d = pv_far_driver(c);
	const struct pv_driver_ops *o = d->ops;
	const char *s = NULL;
	char buf[40];
	pv_bdf bdf;
	int n;

	o->probe_status(d, 1, 2, &s);
	fuzz_check(s && strlen(s) < PV_FAR_TEXT_MAX);
	s = o->pmu_name(d, 0);
	fuzz_check(!s || strlen(s) < PV_FAR_TEXT_MAX);
	s = o->log_line(d, 0);
	fuzz_check(!s || strlen(s) < PV_FAR_TEXT_MAX);
	f->dead = pv_far_failure(c)->code;
	if (o->pmu_parent)
		check(f, c, o->pmu_parent(d, "p", &bdf));
	n = o->attr_read(d, "p", "a", buf, sizeof(buf));
	fuzz_check(n < 0 || (size_t)n == strlen(buf));
	check(f, c, o->attr_write(d, "p", "a", "1"));
	check(f, c, o->attr_list(d, "p", "a", name, NULL));
	fuzz_check(o->get_size(d, 1, true) > -4096);
	check(f, c, o->set_size(d, 1, true, 128));
	if (o->rescan)
		check(f, c, o->rescan(d));
}

static void call_events(struct far_side *f, struct pv_far_client *c)
{
	struct pv_driver *d = pv_far_driver(c);
	struct pv_machine *m = pv_far_machine(c);
	const struct pv_driver_ops *o = d->ops;
	struct pv_perf_event *ev = NULL, *member = NULL;
	struct pv_perf_records records;
	uint64_t a, b;
	uint32_t revents;

	if (check(f, c, o->event_open(d, "p", &(struct pv_perf_attr){.aux = true}, NULL, consume, f, &ev)))
		return;
	check(f, c, o->event_open(d, "p", &(struct pv_perf_attr){.aux = true}, ev, consume, f, &member));
	check(f, c, o->event_enable(d, ev));
	for (int i = 0; i < 3; i++)
		check(f, c, m->ops->wait(m, 1));
	if (o->event_take)
		check(f, c, o->event_take(d, ev, 4096));
	if (o->event_hold)
		check(f, c, o->event_hold(d, ev, true)), check(f, c, o->event_hold(d, ev, false));
	check(f, c, o->event_disable(d, ev));
	check(f, c, o->event_read(d, ev, &a));
	if (o->event_times)
		check(f, c, o->event_times(d, ev, &a, &b));
	if (o->event_poll)
		check(f, c, o->event_poll(d, ev, &revents));
	if (o->event_mmap)
		check(f, c, o->event_mmap(d, ev));
	if (o->event_records)
		check(f, c, o->event_records(d, ev, &records));
	o->event_close(d, ev);
	f->dead = pv_far_failure(c)->code;
}

static void call_rest(struct far_side *f, struct pv_far_client *c)
{
	struct pv_machine *m = pv_far_machine(c);
	struct pv_shell *s = pv_far_shell(c);
	char out_text[16], err_text[16], buf[100];
	struct pv_shell_output out = {.text = out_text, .room = 16}, err = {.text = err_text, .room = 16};
	const char *const argv[] = {"x", "y", NULL};
	uint64_t value;
	int status;

	if (m->ops->reg_read)
		check(f, c, m->ops->reg_read(m, 1, -1, 0, 4, &value));
	if (s->ops->run && s->ops->run(s, argv, 1, &status, &out, &err) == 0)
		fuzz_check(out.len < 16 && err.len < 16 && !out_text[out.len] && !err_text[err.len]);
	f->dead = pv_far_failure(c)->code;
	if (s->ops->file_read)
		fuzz_check(s->ops->file_read(s, "/x", 0, buf, sizeof(buf)) <= 100);
	f->dead = pv_far_failure(c)->code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct far_side f = {.data = data, .size = size};
	struct pv_far_client *c;
	struct pv_error e = {0};

	if (pv_far_connect(&c, exchange, &f, &e)) {
		fuzz_check(*e.text);
		return 0;
	}
	call_driver(&f, c);
	call_events(&f, c);
	call_rest(&f, c);
	pv_far_close(c);
	return 0;
}
