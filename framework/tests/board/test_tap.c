/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tap and its user: every question against the same emulated hardware asked directly, and peers that go or say
 * nonsense.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "framework/far/frames.h"
#include "framework/tap/protocol.h"
#include "framework/tap/tap.h"
#include "framework/tests/board/tap_server.h"

#define ASK_BYTES offsetof(struct pv_tap_ask, operand) /* size of a request without an operand */

static const char message[] =
	"{\"seed\":1,\"topology\":{\"nodes\":["
	"{\"id\":0,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"parent\":-1,\"secondary\":1,"
	"\"subordinate\":1,\"mpss\":512,\"ras_des\":true},"
	"{\"id\":1,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0,\"mpss\":256}]}}";

#define RP0	PCI_BDF(0, 16, 0)
#define NIC0	PCI_BDF(1, 0, 0)
#define TURN_PS 1000000u /* time that passes with each request */

static char folder[] = "/tmp/pv-tap-XXXXXX", path[64];
static struct pv_hw hw;
static struct pv_tap_server server = {&hw, -1};
static pthread_t thread;
static int listening, quit[2];

static void *no_memory(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return NULL;
}

static void no_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
}

static void *serve(void *arg)
{
	struct pollfd fds[3] = {{quit[0], POLLIN, 0}, {listening, POLLIN, 0}};

	for (;;) {
		fds[1].fd = server.fd < 0 ? listening : -1;
		fds[2] = (struct pollfd){server.fd, POLLIN, 0};
		poll(fds, 3, -1);
		if (fds[0].revents)
			return NULL;
		if (fds[1].revents)
			server.fd = accept(listening, NULL, NULL);
		if (fds[2].revents)
			pv_tap_serve(&server);
		uint64_t until = pv_model_now_ps(hw.model) + TURN_PS;
		while (pv_model_run(hw.model, until))
			;
	}
}

static void setup(void)
{
	const struct pv_hw_host host = {NULL, no_memory, no_msi, NULL};
	struct pv_error e = {0};
	json_object *msg = json_tokener_parse(message);

	signal(SIGPIPE, SIG_IGN);
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/tap", folder);
	cr_assert_eq(pv_hw_open(&hw, msg, &host, &e), 0, "%s", e.text);
	json_object_put(msg);
	cr_assert_eq(pv_hw_booting(&hw), 0);
	pv_model_cfg_write(hw.model, NIC0, PCI_COMMAND, 2, PCI_COMMAND_MASTER);
	listening = pv_tap_listen(path);
	cr_assert_geq(listening, 0);
	cr_assert_eq(pipe(quit), 0);
	cr_assert_eq(pthread_create(&thread, NULL, serve, NULL), 0);
}

static void end_server(void)
{
	if (listening < 0)
		return;
	cr_assert_eq(write(quit[1], "", 1), 1);
	pthread_join(thread, NULL);
	close(listening);
	listening = -1;
}

static void teardown(void)
{
	end_server();
	pv_tap_hang_up(&server);
	pv_hw_close(&hw);
	close(quit[0]);
	close(quit[1]);
	unlink(path);
	rmdir(folder);
}

TestSuite(tap, .init = setup, .fini = teardown, .timeout = 60);

static struct pv_tap *open_tap(void)
{
	struct pv_error e = {0};
	struct pv_tap *t = NULL;

	cr_assert_eq(pv_tap_open(&t, path, &e), 0, "%s", e.text);
	return t;
}

static struct pv_traffic_conf writes(uint64_t count)
{
	struct pv_traffic_conf s = {.origin = PV_ORIGIN_DEVICE,
				    .from = NIC0,
				    .to = PV_TO_MEMORY,
				    .requester = PV_REQUESTER_NATURAL,
				    .size_min = 64,
				    .size_max = 64,
				    .count = count,
				    .first_be = -1,
				    .last_be = -1};
	s.weight[PV_T_MWR64] = 1;
	return s;
}

static uint64_t tlps_of(struct pv_ledger *l)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, 0, pv_ledger_records(l));
	const struct pv_wire *w;
	uint64_t n = 0;

	while ((w = pv_ledger_next(r)))
		n += w->what == PV_WIRE_TLP && w->requester == PCI_RID(NIC0);
	pv_ledger_close(r);
	return n;
}

static void drain(struct pv_workload *w)
{
	for (int i = 0; i < 10000 && !w->ops->idle(w); i++)
		;
	cr_expect(w->ops->idle(w));
}

Test(tap, what_is_sent_is_in_the_ledger)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	struct pv_traffic_stats stats = {0};
	const struct pv_traffic_conf s = writes(10000); /* more than one answer has room for */

	cr_expect_not(pv_tap_has_sent(t));
	int id = w->ops->traffic(w, &s);

	cr_assert_geq(id, 0);
	cr_expect(pv_tap_has_sent(t));
	drain(w);
	cr_expect_eq(w->ops->traffic_stats(w, id, &stats), 0);
	cr_expect_eq(stats.requests, 10000);
	cr_expect_eq(tlps_of(pv_tap_truth(t)->ops->ledger(pv_tap_truth(t))), 10000);
	cr_expect_gt(pv_tap_now_ps(t), 0);
	cr_expect_eq(pv_tap_failure(t)->code, 0);
	pv_tap_close(t);
}

Test(tap, the_ledger_begins_with_its_user)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	struct pv_traffic_conf s = writes(50);

	cr_assert_geq(w->ops->traffic(w, &s), 0);
	drain(w);
	pv_tap_close(t);
	t = open_tap();
	w = pv_tap_workload(t);
	cr_expect_eq(pv_ledger_records(pv_tap_truth(t)->ops->ledger(pv_tap_truth(t))), 1,
		     "its Root Port, nothing else");
	s.count = 7;
	cr_assert_geq(w->ops->traffic(w, &s), 0);
	drain(w);
	cr_expect_eq(tlps_of(pv_tap_truth(t)->ops->ledger(pv_tap_truth(t))), 7);
	pv_tap_close(t);
}

/* The rest of its records would be missing from what counters are compared with. */
Test(tap, a_ledger_that_has_no_room_is_told_of)
{
	struct pv_ledger *was = hw.ledger;
	const struct pv_traffic_conf many = writes(2000), few = writes(5);
	char full[64];

	snprintf(full, sizeof(full), "%s/full", folder);
	cr_assert_eq(symlink("/dev/full", full), 0);
	hw.ledger = pv_ledger_new(full, 500 * sizeof(struct pv_wire), pv_ledger_head(was));
	struct pv_tap *t = open_tap();
	cr_assert_geq(pv_tap_workload(t)->ops->traffic(pv_tap_workload(t), &many), 0);
	drain(pv_tap_workload(t));
	pv_tap_truth(t)->ops->ledger(pv_tap_truth(t));
	cr_expect_str_eq(pv_tap_failure(t)->text, "tap: its ledger: No space left on device");
	pv_tap_close(t);

	t = open_tap();
	cr_assert_geq(pv_tap_workload(t)->ops->traffic(pv_tap_workload(t), &few), 0);
	drain(pv_tap_workload(t));
	cr_expect_eq(tlps_of(pv_tap_truth(t)->ops->ledger(pv_tap_truth(t))), 5, "the next user's is another");
	cr_expect_eq(pv_tap_failure(t)->code, 0, "%s", pv_tap_failure(t)->text);
	pv_tap_close(t);
	end_server();
	pv_ledger_free(hw.ledger);
	hw.ledger = was;
}

Test(tap, endless_cxl_traffic_needs_gaps)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	const struct pv_cxl_traffic_conf dense = {.bdf = NIC0, .what = PV_WIRE_CXL, .opcodes = 2, .gap_cycles = 999};
	struct pv_cxl_traffic_conf sparse = dense, ends = dense;

	sparse.gap_cycles = 1000;
	ends.count = 10;
	cr_expect_eq(w->ops->cxl_traffic(w, &dense), -EOPNOTSUPP);
	cr_expect_neq(w->ops->cxl_traffic(w, &sparse), -EOPNOTSUPP);
	cr_expect_neq(w->ops->cxl_traffic(w, &ends), -EOPNOTSUPP);
	pv_tap_close(t);
}

/* Without it, what counters of other lanes have to count is not known, and 0 would do. */
Test(tap, the_ledger_says_what_ports_are_like_to_each_user)
{
	for (int i = 0; i < 2; i++) {
		struct pv_tap *t = open_tap();
		struct pv_ledger *l = pv_tap_truth(t)->ops->ledger(pv_tap_truth(t));
		struct pv_ledger_reader *r = pv_ledger_read(l, 0, pv_ledger_records(l));
		const struct pv_wire *w = pv_ledger_next(r);

		cr_assert_not_null(w);
		cr_expect_eq(w->what, PV_WIRE_RAS_DES);
		cr_expect_eq(w->port, RP0);
		cr_expect_null(pv_ledger_next(r));
		pv_ledger_close(r);
		pv_tap_close(t);
	}
}

/* Of the first request. */
static unsigned first_tag(struct pv_ledger *l)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, 0, pv_ledger_records(l));
	const struct pv_wire *w;
	unsigned tag = UINT32_MAX;

	while (tag == UINT32_MAX && (w = pv_ledger_next(r)))
		if (w->what == PV_WIRE_TLP && w->requester == PCI_RID(NIC0))
			tag = w->hdr[1] >> 8 & 0xff;
	pv_ledger_close(r);
	return tag;
}

Test(tap, tags_begin_with_their_user)
{
	for (int i = 0; i < 2; i++) {
		struct pv_tap *t = open_tap();
		struct pv_workload *w = pv_tap_workload(t);
		struct pv_traffic_conf s = writes(3);

		s.weight[PV_T_MWR64] = 0;
		s.weight[PV_T_MRD64] = 1;
		cr_assert_geq(w->ops->traffic(w, &s), 0);
		drain(w);
		cr_expect_eq(first_tag(pv_tap_truth(t)->ops->ledger(pv_tap_truth(t))), 0);
		pv_tap_close(t);
	}
}

Test(tap, streams_end_with_their_user)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	const struct pv_traffic_conf s = writes(0);

	cr_assert_geq(w->ops->traffic(w, &s), 0);
	cr_expect_not(w->ops->idle(w));
	pv_tap_close(t);
	t = open_tap();
	drain(pv_tap_workload(t));
	pv_tap_close(t);
}

Test(tap, streams_are_stopped_and_refused_by_name)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	struct pv_traffic_conf s = writes(0);
	int id = w->ops->traffic(w, &s);

	cr_assert_geq(id, 0);
	cr_expect_eq(w->ops->traffic_stop(w, id), 0);
	drain(w);
	s.from = PCI_BDF(9, 0, 0);
	cr_expect_lt(w->ops->traffic(w, &s), 0);
	cr_expect_lt(
		w->ops->cxl_traffic(w, &(struct pv_cxl_traffic_conf){.bdf = NIC0, .what = PV_WIRE_CXL, .count = 1}), 0);
	cr_expect_eq(w->ops->link_state(w, RP0, PV_LTSSM_L1, 1000), 0);
	cr_expect_lt(w->ops->link_state(w, PCI_BDF(9, 0, 0), PV_LTSSM_L1, 1000), 0);
	cr_expect_eq(w->ops->phy_event(w, RP0, &(struct pv_phy_event){PV_PHY_EBUF_OVERFLOW, 0, 1}), 0);
	cr_expect_lt(w->ops->phy_event(w, NIC0, &(struct pv_phy_event){PV_PHY_EBUF_OVERFLOW, 0, 1}), 0);
	cr_expect_eq(pv_tap_failure(t)->code, 0, "%s", pv_tap_failure(t)->text);
	pv_tap_close(t);
}

Test(tap, a_link_that_is_in_another_state_is_waited_for)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);

	for (int i = 0; i < 5; i++)
		cr_expect_eq(w->ops->link_state(w, RP0, PV_LTSSM_L1, 20000), 0, "%d", i);
	pv_tap_close(t);
}

Test(tap, errors_are_sent_too)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);

	cr_expect_eq(w->ops->link_state(w, RP0, PV_LTSSM_L1, 1000), 0);
	cr_expect_not(pv_tap_has_sent(t));
	cr_expect_eq(w->ops->phy_event(w, RP0, &(struct pv_phy_event){PV_PHY_EBUF_OVERFLOW, 0, 1}), 0);
	cr_expect(pv_tap_has_sent(t), "an error, which is reported");
	pv_tap_close(t);
}

Test(tap, images_of_configuration_space)
{
	struct pv_tap *t = open_tap();
	struct pv_truth *truth = pv_tap_truth(t);
	struct pv_cfg_image *now = NULL, *reset = NULL;
	size_t n = 0, n_reset = 0;

	cr_assert_eq(truth->ops->cfg_images(truth, &now, &n), 0);
	cr_assert_eq(truth->ops->reset_images(truth, &reset, &n_reset), 0);
	cr_assert_eq(n, 2);
	cr_assert_eq(n_reset, 2);
	cr_expect_eq(now[1].bdf, NIC0);
	cr_expect_neq(memcmp(now[1].data, reset[1].data, sizeof(now[1].data)), 0, "it was written to meanwhile");
	cr_expect_eq(reset[1].bdf, NIC0);
	cr_expect_eq(truth->ops->dma_lost(truth).writes, 0);
	free(now);
	free(reset);
	pv_tap_close(t);
}

Test(tap, one_that_goes_is_told_of)
{
	struct pv_tap *t = open_tap();
	struct pv_workload *w = pv_tap_workload(t);
	const struct pv_traffic_conf s = writes(1);

	end_server();
	pv_tap_hang_up(&server);
	cr_expect_eq(w->ops->traffic(w, &s), -ECONNRESET);
	cr_expect(w->ops->idle(w), "it has nothing left to send");
	cr_expect(strstr(pv_tap_failure(t)->text, "tap: no answer"), "%s", pv_tap_failure(t)->text);
	pv_tap_close(t);
}

static int raw_socket(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	cr_assert_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* An operand that is too short, an op that is none: it hangs up. */
Test(tap, a_user_that_says_nonsense_is_let_go)
{
	static const struct {
		struct pv_tap_ask ask;
		size_t bytes;
	} asks[] = {{{PV_TAP_TRAFFIC}, ASK_BYTES + 4}, {{99}, ASK_BYTES}, {{0}, ASK_BYTES}, {{PV_TAP_NOW}, 8}};

	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		int fd = raw_socket();
		char byte;

		cr_assert_eq(pv_frames_write(&(struct pv_frames){.out = fd}, &asks[i].ask, asks[i].bytes), 0);
		cr_expect_leq(recv(fd, &byte, 1, 0), 0, "ask %zu", i);
		close(fd);
	}
}

Test(tap, a_user_of_another_pcieval_is_refused)
{
	const struct pv_tap_ask other = {PV_TAP_HELLO, 0, {PV_TAP_MAGIC, sizeof(struct pv_traffic_conf) + 8}};
	struct pv_tap_answer answer;
	int fd = raw_socket();

	struct pv_frames frames = {fd, fd, -1};

	cr_expect_eq(pv_frames_exchange(&frames, &other, ASK_BYTES, &answer, sizeof(answer)), sizeof(answer),
		     "without data");
	cr_expect_eq(answer.result, -EPROTONOSUPPORT);
	close(fd);
}

Test(tap, where_there_is_none)
{
	struct pv_error e = {0};
	struct pv_tap *t;

	cr_expect_eq(pv_tap_open(&t, "/nowhere/at/all", &e), -ENOENT);
	cr_expect(strstr(e.text, "tap /nowhere/at/all: connecting: No such file"), "%s", e.text);
}
