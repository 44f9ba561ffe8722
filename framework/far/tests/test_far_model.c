/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference driver on the models, called directly and through client and server: two machines made of the same
 * message give the same names, values, traces and errors.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/client.h"
#include "framework/far/server.h"
#include "framework/target/model.h"

static const char message[] =
	"{\"seed\":1,\"driver\":\"reference\",\"topology\":{\"iommu\":\"identity\",\"nodes\":["
	"{\"id\":0,\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:01.0\",\"parent\":-1,\"sicl\":0,\"core\":0,"
	"\"range_lower\":\"00:10.0\",\"range_upper\":\"00:10.0\"},"
	"{\"id\":1,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"
	"\"subordinate\":1,\"vendor\":7661,\"ras_des\":true,\"speed\":\"8\",\"width\":8},"
	"{\"id\":2,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":1}]}}";

/* filter: the Root Port; direction: both; type: posted; format: 8 DW. */
#define TRACE (0x80001 | 2 << 20 | 1 << 24 | 1ull << 32)

/* One machine and the way to its driver. */
struct side {
	struct pv_target *t;
	struct pv_far_server *server; /* NULL: there is no way, the driver is called */
	struct pv_far_client *client;
	struct pv_driver *d;
	struct pv_machine *m;
	unsigned char trace[1 << 20];
	size_t trace_len, commits;
	uint32_t flags;
};

static struct side direct, far;

static int64_t exchange(void *server, const void *request, size_t n, void *answer, size_t room)
{
	/* Small messages: commits come in pieces. */
	return (int64_t)pv_far_serve(server, request, n, answer, 5000 < room ? 5000 : room);
}

static void open_side(struct side *s, bool is_far)
{
	struct pv_error e = {0};
	json_object *msg = json_tokener_parse(message);

	memset(s, 0, sizeof(*s));
	cr_assert_eq(pv_target_model.open(&s->t, msg, &e), 0, "%s", e.text);
	json_object_put(msg);
	s->d = s->t->driver;
	s->m = s->t->machine;
	cr_assert_eq(s->m->ops->boot(s->m, PV_MPS_DEFAULT, &e), 0, "%s", e.text);
	if (!is_far)
		return;
	s->server = pv_far_server_new(&(struct pv_far_tables){s->d, s->m, NULL, "models", 64 << 20});
	cr_assert_eq(pv_far_connect(&s->client, exchange, s->server, &e), 0, "%s", e.text);
	s->d = pv_far_driver(s->client);
	s->m = pv_far_machine(s->client);
}

static void close_side(struct side *s)
{
	pv_far_close(s->client);
	pv_far_server_free(s->server);
	s->t->ops->close(s->t);
}

static void setup(void)
{
	open_side(&direct, false);
	open_side(&far, true);
}

static void teardown(void)
{
	close_side(&direct);
	close_side(&far);
}

TestSuite(far_model, .init = setup, .fini = teardown);

Test(far_model, pmus_and_their_parents)
{
	size_t n = 0;

	for (;; n++) {
		const char *a = direct.d->ops->pmu_name(direct.d, n), *b = far.d->ops->pmu_name(far.d, n);
		pv_bdf x = 1, y = 2;

		cr_assert_eq(!a, !b);
		if (!a)
			break;
		cr_expect_str_eq(a, b);
		cr_expect_eq(direct.d->ops->pmu_parent(direct.d, a, &x), far.d->ops->pmu_parent(far.d, b, &y));
		cr_expect_eq(x, y);
	}
	cr_expect_eq(n, 2, "a PTT and a DWC PMU");
}

static void join(void *text, const char *name)
{
	strcat(strcat(text, name), ",");
}

Test(far_model, attributes)
{
	static const char *const dirs[] = {"", "format", "tune", "root_port_filters", "none"};
	static const char *const paths[] = {"cpumask", "type", "tune/qos_tx_p", "format/filter", "none", "tune"};
	static const char *const values[] = {"2", "9", "x"};

	for (size_t i = 0; i < 5; i++) {
		char a[4096] = "", b[4096] = "";

		cr_expect_eq(direct.d->ops->attr_list(direct.d, "hisi_ptt0_0", dirs[i], join, a),
			     far.d->ops->attr_list(far.d, "hisi_ptt0_0", dirs[i], join, b));
		cr_expect_str_eq(a, b);
	}
	for (size_t i = 0; i < 6; i++) {
		char a[64] = "", b[64] = "";

		cr_expect_eq(direct.d->ops->attr_read(direct.d, "hisi_ptt0_0", paths[i], a, sizeof(a)),
			     far.d->ops->attr_read(far.d, "hisi_ptt0_0", paths[i], b, sizeof(b)), "%s", paths[i]);
		cr_expect_str_eq(a, b);
	}
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(direct.d->ops->attr_write(direct.d, "hisi_ptt0_0", "tune/qos_tx_p", values[i]),
			     far.d->ops->attr_write(far.d, "hisi_ptt0_0", "tune/qos_tx_p", values[i]), "%s", values[i]);
}

Test(far_model, registers_sizes_and_time)
{
	uint64_t a, b;

	for (uint32_t off = 0; off < 64; off += 4) {
		direct.m->ops->reg_read(direct.m, 0x80, -1, off, 4, &a);
		cr_expect_eq(far.m->ops->reg_read(far.m, 0x80, -1, off, 4, &b), 0);
		cr_expect_eq(a, b, "offset %x", off);
	}
	cr_expect_eq(far.d->ops->get_size(far.d, 0x100, true), direct.d->ops->get_size(direct.d, 0x100, true));
	cr_expect_eq(far.d->ops->set_size(far.d, 0x100, true, 100),
		     direct.d->ops->set_size(direct.d, 0x100, true, 100));
	cr_expect_eq(far.m->ops->wait(far.m, 1000), direct.m->ops->wait(direct.m, 1000));
	cr_expect_eq(far.m->ops->now_ps(far.m), direct.m->ops->now_ps(direct.m));
	cr_expect_eq(far.m->ops->wait(far.m, UINT64_MAX), -EOVERFLOW);
}

static int keep(void *ctx, const void *data, size_t len, uint32_t flags)
{
	struct side *s = ctx;

	if (len > sizeof(s->trace) - s->trace_len)
		return -ENOSPC;
	memcpy(s->trace + s->trace_len, data, len);
	s->trace_len += len;
	s->commits++;
	s->flags |= flags;
	return 0;
}

static struct pv_perf_event *open_on(struct side *s, const char *pmu, const struct pv_perf_attr *attr)
{
	struct pv_perf_event *ev = NULL;

	cr_assert_eq(s->d->ops->event_open(s->d, pmu, attr, NULL, keep, s, &ev), 0);
	return ev;
}

static void send(struct side *s, uint64_t count)
{
	const struct pv_traffic_conf stream = {
		.origin = PV_ORIGIN_DEVICE,
		.from = 0x100,
		.to = PV_TO_MEMORY,
		.requester = PV_REQUESTER_NATURAL,
		.weight[PV_T_MWR64] = 1,
		.size_min = 64,
		.size_max = 64,
		.count = count,
		.first_be = -1,
		.last_be = -1,
		.seed = 5,
	};

	cr_assert_geq(s->t->workload->ops->traffic(s->t->workload, &stream), 0);
}

/* 64 KiB buffers: several commits, each larger than a message. */
static void trace(struct side *s)
{
	struct pv_perf_event *ev;

	cr_assert_eq(s->d->ops->ptt_buffer(s->d, 65536), 0);
	ev = open_on(s, "hisi_ptt0_0", &(struct pv_perf_attr){.config = TRACE, .aux = true});
	cr_expect_eq(s->d->ops->event_enable(s->d, ev), 0);
	send(s, 10000);
	cr_expect_eq(s->m->ops->wait(s->m, 10000000), 0);
	cr_expect_eq(s->d->ops->event_disable(s->d, ev), 0);
	s->d->ops->event_close(s->d, ev);
}

Test(far_model, a_trace_is_the_same_to_the_byte)
{
	trace(&direct);
	trace(&far);
	cr_expect_gt(direct.trace_len, 100000);
	cr_expect_eq(far.trace_len, direct.trace_len);
	cr_expect_eq(far.commits, direct.commits);
	cr_expect_eq(far.flags, direct.flags);
	cr_expect_eq(memcmp(far.trace, direct.trace, direct.trace_len), 0);
}

static uint64_t count(struct side *s)
{
	struct pv_perf_event *ev = open_on(s, "dwc_rootport_80", &(struct pv_perf_attr){.config = 0x21});
	uint64_t value = 0;

	cr_expect_eq(s->d->ops->event_enable(s->d, ev), 0);
	send(s, 1000);
	s->m->ops->wait(s->m, 1000000);
	cr_expect_eq(s->d->ops->event_read(s->d, ev, &value), 0);
	s->d->ops->event_close(s->d, ev);
	return value;
}

Test(far_model, a_counter_counts_the_same)
{
	uint64_t a = count(&direct), b = count(&far);

	cr_expect_gt(a, 0);
	cr_expect_eq(a, b);
}

Test(far_model, errors_come_back_as_they_are)
{
	static const struct pv_perf_attr bad[] = {
		{.config = 0, .aux = true}, {.config = TRACE, .aux = true, .per_task = true}, {.config = 1}};

	for (size_t i = 0; i < 3; i++) {
		struct pv_perf_event *ev;
		int a = direct.d->ops->event_open(direct.d, "hisi_ptt0_0", &bad[i], NULL, keep, &direct, &ev);
		int b = far.d->ops->event_open(far.d, "hisi_ptt0_0", &bad[i], NULL, keep, &far, &ev);

		cr_expect_lt(a, 0);
		cr_expect_eq(a, b);
	}
}
