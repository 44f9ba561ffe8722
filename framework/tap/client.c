/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client of a tap: each function of the tables is one request. */
#include "framework/tap/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "framework/far/frames.h"
#include "framework/oracle/ledger.h"
#include "framework/tap/protocol.h"
#include "framework/util/cleanup.h"

#define PATIENCE_MS 60000
#define BUSY_MS	    1000

struct pv_tap {
	struct pv_workload workload;
	struct pv_truth truth;
	struct pv_frames frames;
	struct pv_tap_answer *answer; /* the last one */
	struct pv_ledger *ledger;     /* what was fetched so far */
	bool sent;		      /* has been asked to send something */
	struct pv_error failure;
};

/* ---- requests ---- */

static int fail(struct pv_tap *t, const char *doing, int err)
{
	if (!t->failure.code)
		pv_error(&t->failure, -ECONNRESET, "tap: %s: %s", doing, strerror(-err));
	return -ECONNRESET;
}

/* Sends a request with an operand of n bytes. Returns the result; *bytes of data are in t->answer. */
static int ask(struct pv_tap *t, struct pv_tap_ask a, const void *operand, size_t n, size_t *bytes)
{
	const size_t head = sizeof(*t->answer);

	*bytes = 0;
	if (t->failure.code)
		return -ECONNRESET;
	if (n)
		memcpy(a.operand, operand, n);
	int64_t got = pv_frames_exchange(&t->frames, &a, offsetof(struct pv_tap_ask, operand) + n, t->answer,
					 head + PV_TAP_ANSWER_MAX);
	if (got < 0 && got != -EMSGSIZE)
		return fail(t, "no answer", got == -EPIPE ? -ECONNRESET : (int)got);
	if (got < (int64_t)head || (t->answer->result < 0 && got != (int64_t)head))
		return fail(t, "its answer", -EPROTO);
	*bytes = (size_t)got - head;
	return t->answer->result;
}

/* A request whose answer is a result and exactly `size` bytes; none with an error. */
static int ask_for(struct pv_tap *t, struct pv_tap_ask a, const void *operand, size_t n, void *to, size_t size)
{
	size_t bytes;
	int result = ask(t, a, operand, n, &bytes);

	if (result < 0)
		return result;
	if (bytes != size)
		return fail(t, "its answer", -EPROTO);
	if (size)
		memcpy(to, t->answer->data, size);
	return result;
}

/* ---- workload ---- */

static struct pv_tap *of_workload(struct pv_workload *w)
{
	return (struct pv_tap *)((char *)w - offsetof(struct pv_tap, workload));
}

static int op_traffic(struct pv_workload *w, const struct pv_traffic_conf *s)
{
	of_workload(w)->sent = true;
	return ask_for(of_workload(w), (struct pv_tap_ask){PV_TAP_TRAFFIC}, s, sizeof(*s), NULL, 0);
}

static int op_cxl_traffic(struct pv_workload *w, const struct pv_cxl_traffic_conf *s)
{
	return ask_for(of_workload(w), (struct pv_tap_ask){PV_TAP_CXL_TRAFFIC}, s, sizeof(*s), NULL, 0);
}

static int op_traffic_stop(struct pv_workload *w, int stream)
{
	const struct pv_tap_ask a = {PV_TAP_TRAFFIC_STOP, 0, {(uint64_t)stream}};

	return ask_for(of_workload(w), a, NULL, 0, NULL, 0);
}

static int op_traffic_stats(struct pv_workload *w, int stream, struct pv_traffic_stats *out)
{
	const struct pv_tap_ask a = {PV_TAP_STATS, 0, {(uint64_t)stream}};

	return ask_for(of_workload(w), a, NULL, 0, out, sizeof(*out));
}

/* A tap that no longer answers counts as idle. */
static bool op_idle(struct pv_workload *w)
{
	return ask_for(of_workload(w), (struct pv_tap_ask){PV_TAP_IDLE}, NULL, 0, NULL, 0) != 0;
}

/* Retries while the link is busy with the previous state. */
static int op_link_state(struct pv_workload *w, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns)
{
	const struct pv_tap_ask a = {PV_TAP_LINK_STATE, 0, {port, state, ns}};
	const struct timespec tick = {.tv_nsec = 1000000};
	int err;

	for (int i = 0; (err = ask_for(of_workload(w), a, NULL, 0, NULL, 0)) == -EBUSY && i < BUSY_MS; i++)
		nanosleep(&tick, NULL);
	return err;
}

static int op_phy_event(struct pv_workload *w, pv_bdf port, const struct pv_phy_event *event)
{
	const struct pv_tap_ask a = {PV_TAP_PHY_EVENT, 0, {port}};

	of_workload(w)->sent = true;
	return ask_for(of_workload(w), a, event, sizeof(*event), NULL, 0);
}

static const struct pv_workload_ops workload_ops = {
	.traffic = op_traffic,
	.cxl_traffic = op_cxl_traffic,
	.traffic_stop = op_traffic_stop,
	.traffic_stats = op_traffic_stats,
	.idle = op_idle,
	.link_state = op_link_state,
	.phy_event = op_phy_event,
};

/* ---- truth ---- */

static struct pv_tap *of_truth(struct pv_truth *t)
{
	return (struct pv_tap *)((char *)t - offsetof(struct pv_tap, truth));
}

/* Without its complete ledger, a tap cannot judge any more. */
static void no_ledger(struct pv_tap *t, int err)
{
	if (!t->failure.code)
		pv_error(&t->failure, err, "tap: its ledger: %s", strerror(-err));
}

/* Fetches the records since the last call. */
static struct pv_ledger *op_ledger(struct pv_truth *truth)
{
	struct pv_tap *t = of_truth(truth);
	size_t bytes;

	do {
		const struct pv_tap_ask a = {PV_TAP_RECORDS, 0, {pv_ledger_records(t->ledger)}};
		int err = ask(t, a, NULL, 0, &bytes);

		if (err >= 0 && bytes % sizeof(struct pv_wire))
			err = fail(t, "its answer", -EPROTO);
		if (err < 0) {
			no_ledger(t, err);
			break;
		}
		for (size_t at = 0; at < bytes; at += sizeof(struct pv_wire))
			pv_ledger_add(t->ledger, (const void *)(t->answer->data + at));
	} while (bytes);
	return t->ledger;
}

/* Receives any number of images; the caller frees *out. */
static int ask_for_images(struct pv_tap *t, enum pv_tap_op op, struct pv_cfg_image **out, size_t *n)
{
	size_t bytes;
	int result = ask(t, (struct pv_tap_ask){op}, NULL, 0, &bytes);

	*out = NULL;
	*n = 0;
	if (result < 0)
		return result;
	if (bytes % sizeof(**out))
		return fail(t, "its answer", -EPROTO);
	*out = malloc(bytes + 1);
	if (!*out)
		return fail(t, "its answer", -ENOMEM);
	memcpy(*out, t->answer->data, bytes);
	*n = bytes / sizeof(**out);
	return result;
}

static int op_cfg_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	return ask_for_images(of_truth(t), PV_TAP_CFG_IMAGES, out, n);
}

static int op_reset_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	return ask_for_images(of_truth(t), PV_TAP_RESET_IMAGES, out, n);
}

static struct pv_dma_lost op_dma_lost(struct pv_truth *t)
{
	struct pv_dma_lost lost = {0};

	ask_for(of_truth(t), (struct pv_tap_ask){PV_TAP_DMA_LOST}, NULL, 0, &lost, sizeof(lost));
	return lost;
}

static int op_save(struct pv_truth *t, const char *folder, void (*note)(void *, const char *), void *ctx)
{
	_autofree_ char *path = NULL;

	if (asprintf(&path, "%s/ledger.pvw", folder) < 0)
		return -ENOMEM;
	int err = pv_ledger_save(op_ledger(t), path);
	if (!err)
		note(ctx, path);
	return err;
}

static const struct pv_truth_ops truth_ops = {
	.ledger = op_ledger,
	.cfg_images = op_cfg_images,
	.reset_images = op_reset_images,
	.dma_lost = op_dma_lost,
	.save = op_save,
};

/* ---- opening ---- */

static int connect_to(struct pv_tap *t, const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(at.sun_path))
		return -ENAMETOOLONG;
	strcpy(at.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	t->frames = (struct pv_frames){fd, fd, PATIENCE_MS};
	return fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) ? -errno : 0;
}

static int greet(struct pv_tap *t, struct pv_error *e)
{
	const struct pv_tap_ask a = {PV_TAP_HELLO, 0, {PV_TAP_MAGIC, sizeof(struct pv_traffic_conf)}};
	struct pv_wire_file head;
	int err = ask_for(t, a, NULL, 0, &head, sizeof(head));

	if (err)
		return pv_error(e, err, "expected a tap of this pcieval, got %s", pv_errno_name(err));
	t->ledger = pv_ledger_new(NULL, PV_LEDGER_MEM_BYTES, &head);
	return t->ledger ? 0 : pv_error(e, -ENOMEM, "no memory");
}

int pv_tap_open(struct pv_tap **out, const char *path, struct pv_error *e)
{
	struct pv_tap *t = calloc(1, sizeof(*t));

	if (!t)
		return pv_error(e, -ENOMEM, "tap %s: no memory", path);
	*t = (struct pv_tap){.frames.in = -1, .workload.ops = &workload_ops, .truth.ops = &truth_ops};
	t->answer = malloc(sizeof(*t->answer) + PV_TAP_ANSWER_MAX);
	int err = t->answer ? connect_to(t, path) : -ENOMEM;
	if (err)
		pv_error(e, err, "connecting: %s", strerror(-err));
	else
		err = greet(t, e);
	if (!err) {
		*out = t;
		return 0;
	}
	pv_tap_close(t);
	return pv_error_context(e, "tap %s: ", path);
}

void pv_tap_close(struct pv_tap *t)
{
	if (!t)
		return;
	if (t->frames.in >= 0)
		close(t->frames.in);
	if (t->ledger)
		pv_ledger_free(t->ledger);
	free(t->answer);
	free(t);
}

struct pv_workload *pv_tap_workload(struct pv_tap *t)
{
	return &t->workload;
}

struct pv_truth *pv_tap_truth(struct pv_tap *t)
{
	return &t->truth;
}

uint64_t pv_tap_now_ps(struct pv_tap *t)
{
	uint64_t now = 0;

	ask_for(t, (struct pv_tap_ask){PV_TAP_NOW}, NULL, 0, &now, sizeof(now));
	return now;
}

bool pv_tap_has_sent(const struct pv_tap *t)
{
	return t->sent;
}

const struct pv_error *pv_tap_failure(const struct pv_tap *t)
{
	return &t->failure;
}
