/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answering the questions that a tap is asked. */
#include "framework/tests/board/tap_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "framework/far/frames.h"
#include "framework/tap/protocol.h"
#include "framework/util/cleanup.h"

#define ENDLESS_GAP 1000 /* CPMU cycles */

static int reply(struct pv_tap_server *s, int result, const void *data, size_t n)
{
	const struct pv_frames f = {.out = s->fd};

	if (result < 0)
		n = 0;
	_autofree_ struct pv_tap_answer *a = malloc(sizeof(*a) + n);
	if (!a)
		return -ENOMEM;
	*a = (struct pv_tap_answer){.result = result};
	if (n)
		memcpy(a->data, data, n);
	return pv_frames_write(&f, a, sizeof(*a) + n);
}

/* ---- streams ---- */

static int note_stream(struct pv_tap_server *s, int stream)
{
	if (s->n == s->room) {
		int room = 2 * s->room + 16;
		int *more = realloc(s->stream, (size_t)room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->stream = more;
		s->room = room;
	}
	s->stream[s->n++] = stream;
	return stream;
}

static int start(struct pv_tap_server *s, int stream)
{
	return reply(s, stream < 0 ? stream : note_stream(s, stream), NULL, 0);
}

static int do_traffic(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	return start(s, s->hw->workload.ops->traffic(&s->hw->workload, (const void *)q->operand));
}

/*
 * 500 million records, 32 GB, of a second of traffic each other cycle, while the models take more than a second: no end
 * in sight.
 */
static bool is_flood(const struct pv_cxl_traffic_conf *s)
{
	return !s->count && s->gap_cycles < ENDLESS_GAP;
}

static int do_cxl_traffic(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	if (is_flood((const void *)q->operand))
		return reply(s, -EOPNOTSUPP, NULL, 0);
	return start(s, s->hw->workload.ops->cxl_traffic(&s->hw->workload, (const void *)q->operand));
}

static int do_traffic_stop(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	return reply(s, s->hw->workload.ops->traffic_stop(&s->hw->workload, (int)q->arg[0]), NULL, 0);
}

static int do_stats(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	struct pv_traffic_stats stats;
	int err = s->hw->workload.ops->traffic_stats(&s->hw->workload, (int)q->arg[0], &stats);

	return reply(s, err, &stats, sizeof(stats));
}

static int do_idle(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	return reply(s, s->hw->workload.ops->idle(&s->hw->workload), NULL, 0);
}

/* ---- links ---- */

static int do_link_state(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	const uint64_t *a = q->arg;

	return reply(s, s->hw->workload.ops->link_state(&s->hw->workload, (pv_bdf)a[0], (enum pv_wire_ltssm)a[1], a[2]),
		     NULL, 0);
}

static int do_phy_event(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	return reply(s, s->hw->workload.ops->phy_event(&s->hw->workload, (pv_bdf)q->arg[0], (const void *)q->operand),
		     NULL, 0);
}

/* ---- truth ---- */

static int do_hello(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	bool known = q->arg[0] == PV_TAP_MAGIC && q->arg[1] == sizeof(struct pv_traffic_conf);

	/*
	 * As an exerciser that is set up anew: traces of the same traffic are the same, whatever was sent to others
	 * before.
	 */
	pv_model_restart_tags(s->hw->model);
	pv_ledger_clear(s->hw->ledger);
	pv_model_describe_ports(s->hw->model);
	return reply(s, known ? 0 : -EPROTONOSUPPORT, pv_ledger_head(s->hw->ledger), sizeof(struct pv_wire_file));
}

static int do_records(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	uint64_t first = q->arg[0], all = pv_ledger_records(s->hw->ledger);
	uint64_t n = first < all ? all - first : 0, got = 0;
	_autofree_ struct pv_wire *records = calloc(PV_TAP_RECORDS_MAX, sizeof(*records));
	const struct pv_wire *w;

	if (n > PV_TAP_RECORDS_MAX)
		n = PV_TAP_RECORDS_MAX;
	struct pv_ledger_reader *r = records ? pv_ledger_read(s->hw->ledger, first, first + n) : NULL;
	if (!r)
		return reply(s, -ENOMEM, NULL, 0);
	while (got < n && (w = pv_ledger_next(r)))
		records[got++] = *w;
	int err = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return reply(s, err, records, got * sizeof(*records));
}

static int give_images(struct pv_tap_server *s, int err, struct pv_cfg_image *images, size_t n)
{
	_autofree_ struct pv_cfg_image *all = images;

	return reply(s, err, all, n * sizeof(*all));
}

static int do_cfg_images(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	struct pv_cfg_image *images = NULL;
	size_t n = 0;
	int err = pv_hw_truth.cfg_images(&s->hw->truth, &images, &n);

	return give_images(s, err, images, n);
}

static int do_reset_images(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	struct pv_cfg_image *images = NULL;
	size_t n = 0;
	int err = pv_hw_truth.reset_images(&s->hw->truth, &images, &n);

	return give_images(s, err, images, n);
}

static int do_dma_lost(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	struct pv_dma_lost lost = pv_hw_truth.dma_lost(&s->hw->truth);

	return reply(s, 0, &lost, sizeof(lost));
}

static int do_now(struct pv_tap_server *s, const struct pv_tap_ask *q)
{
	uint64_t now = pv_model_now_ps(s->hw->model);

	return reply(s, 0, &now, sizeof(now));
}

/* ---- questions ---- */

static const struct {
	int (*answer)(struct pv_tap_server *s, const struct pv_tap_ask *q);
	size_t operand;
} ops[PV_TAP_OPS] = {
	[PV_TAP_HELLO] = {do_hello, 0},
	[PV_TAP_TRAFFIC] = {do_traffic, sizeof(struct pv_traffic_conf)},
	[PV_TAP_CXL_TRAFFIC] = {do_cxl_traffic, sizeof(struct pv_cxl_traffic_conf)},
	[PV_TAP_TRAFFIC_STOP] = {do_traffic_stop, 0},
	[PV_TAP_STATS] = {do_stats, 0},
	[PV_TAP_IDLE] = {do_idle, 0},
	[PV_TAP_LINK_STATE] = {do_link_state, 0},
	[PV_TAP_PHY_EVENT] = {do_phy_event, sizeof(struct pv_phy_event)},
	[PV_TAP_RECORDS] = {do_records, 0},
	[PV_TAP_CFG_IMAGES] = {do_cfg_images, 0},
	[PV_TAP_RESET_IMAGES] = {do_reset_images, 0},
	[PV_TAP_DMA_LOST] = {do_dma_lost, 0},
	[PV_TAP_NOW] = {do_now, 0},
};

static bool take_question(int fd, struct pv_tap_ask *q)
{
	const struct pv_frames f = {.in = fd, .timeout_ms = -1};
	int64_t n = pv_frames_read(&f, q, sizeof(*q)) - (int64_t)offsetof(struct pv_tap_ask, operand);

	return n >= 0 && q->op < PV_TAP_OPS && ops[q->op].answer && n == (int64_t)ops[q->op].operand;
}

void pv_tap_serve(struct pv_tap_server *s)
{
	struct pv_tap_ask q;

	if (!take_question(s->fd, &q) || ops[q.op].answer(s, &q))
		pv_tap_hang_up(s);
}

void pv_tap_hang_up(struct pv_tap_server *s)
{
	for (int i = 0; i < s->n; i++)
		s->hw->workload.ops->traffic_stop(&s->hw->workload, s->stream[i]);
	free(steal(&s->stream));
	s->n = s->room = 0;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int pv_tap_listen(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(at.sun_path))
		return -ENAMETOOLONG;
	strcpy(at.sun_path, path);
	unlink(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, 4))
		return fd;
	int err = -errno;
	close(fd);
	return err;
}
