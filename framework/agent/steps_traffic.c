/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic: TLP streams, and running them to their end. CXL streams are in steps_cxl.c. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "framework/agent/streams.h"
#include "framework/util/cleanup.h"

/* ---- seeds and ends of streams ---- */

/* splitmix64: neighbouring seeds and steps give streams that have nothing in common. */
uint64_t pv_stream_seed(const struct pv_session *s, const struct pv_args *a)
{
	if (pv_arg_has(a, "seed"))
		return pv_arg_number(a, "seed");
	uint64_t z = s->seed + (s->n + 1) * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* A second stream of that name could not be told from the first. */
static bool runs(const struct pv_session *s, const char *id)
{
	for (struct pv_named *n = s->streams; n; n = n->next)
		if (n->value > 0 && !strcmp(n->id, id))
			return true;
	return false;
}

static bool background_runs(const struct pv_session *s)
{
	for (struct pv_named *n = s->streams; n; n = n->next)
		if (n->value > 0)
			return true;
	return false;
}

/* With endless streams around, "idle" never comes: the stream itself is watched instead. */
static int wait_for_stream(struct pv_session *s, int stream, uint64_t count)
{
	struct pv_traffic_stats st = {0};

	for (unsigned i = 0; i < 10000000; i++) {
		int err = pv_has(s->t->workload, traffic_stats)
				  ? s->t->workload->ops->traffic_stats(s->t->workload, stream, &st)
				  : -ENOENT;

		if (err)
			return err;
		if (st.requests >= count)
			return s->t->machine->ops->wait(s->t->machine, 10000); /* what is in flight still completes */
		err = s->t->machine->ops->wait(s->t->machine, 1000);
		if (err)
			return err;
	}
	return -ETIMEDOUT;
}

/* Looks again after ever longer stretches: short traffic ends soon after its last TLP, long traffic costs few looks. */
int pv_stream_drain(struct pv_session *s, uint64_t max_ns)
{
	uint64_t step = 1000, waited = 0;

	while (!s->t->workload->ops->idle(s->t->workload)) {
		if (waited >= max_ns)
			return -ETIMEDOUT;
		uint64_t ns = step < max_ns - waited ? step : max_ns - waited;
		int err = s->t->machine->ops->wait(s->t->machine, ns);
		if (err)
			return err;
		waited += ns;
		if (step < 100000)
			step += step / 4;
	}
	return 0;
}

int pv_stream_started(struct pv_session *s, const struct pv_args *a, int stream, uint64_t count)
{
	const char *id = pv_arg_text(a, "id");
	bool background = pv_arg_yes(a, "background");
	int end = pv_session_expect(s, stream < 0 ? stream : 0, NULL, "starting %s", a->kind);

	if (end)
		return end < 0;
	if (!count && !background)
		return pv_session_plan_error(s, "count: expected a number for traffic that is waited for, got 0");
	if (!background) {
		int err = background_runs(s) ? wait_for_stream(s, stream, count) : pv_stream_drain(s, PV_STREAM_MAX_NS);
		const char *why = err == -ETIMEDOUT ? "it takes longer than a step may, in simulated time" : NULL;

		return pv_session_expect(s, err, why, "running %s to its end", a->kind) < 0;
	}
	if (id && runs(s, id))
		return pv_session_plan_error(s, "id: expected a new name, got \"%s\", which may still run", id);
	char name[PV_ID_MAX];
	snprintf(name, sizeof(name), "#%u", s->n);
	struct pv_named *n = pv_session_name(s, &s->streams, id ? id : name);
	if (!n)
		return -ENOMEM;
	n->stream = stream;
	n->value = 1; /* may be running */
	return 0;
}

/* ---- TLP streams ---- */

/* "mwr64:3" */
static void add_weight(const char *word, struct pv_traffic_conf *c)
{
	const char *const *kinds = pv_types[PV_TYPE_TLP_KIND].values;
	size_t n = strcspn(word, ":");
	uint64_t weight = 1;

	if (word[n])
		pv_number_parse(word + n + 1, &weight);
	for (size_t i = 0; kinds[i]; i++)
		if (strlen(kinds[i]) == n && !strncmp(kinds[i], word, n))
			c->weight[i] = (uint16_t)weight;
}

static void read_kinds(const struct pv_args *a, struct pv_traffic_conf *c)
{
	const char *mix = pv_arg_text(a, "mix");
	char word[64];

	if (!mix)
		c->weight[pv_arg_choice(a, "kind")] = 1;
	while (mix && pv_word_next(&mix, word, sizeof(word)))
		add_weight(word, c);
}

static int parse_size(struct pv_session *s, const struct pv_args *a, struct pv_traffic_conf *c)
{
	const char *text = pv_arg_text(a, "size"), *dots = strstr(text, "..");
	char first[32];
	uint64_t min, max;

	snprintf(first, sizeof(first), "%.*s", dots ? (int)(dots - text) : (int)strlen(text), text);
	if (pv_number_parse(first, &min) || pv_number_parse(dots ? dots + 2 : first, &max) || min > max ||
	    max > UINT32_MAX)
		return pv_session_plan_error(s, "size: expected bytes or least..largest, got \"%s\"", text);
	c->size_min = (uint32_t)min;
	c->size_max = (uint32_t)max;
	return 0;
}

static int parse_ends(struct pv_session *s, const struct pv_args *a, struct pv_traffic_conf *c)
{
	static const struct {
		const char *name;
		enum pv_wire_origin origin;
	} complex_parts[] = {{"cpu", PV_ORIGIN_CPU}, {"dma", PV_ORIGIN_DMA}, {"remote", PV_ORIGIN_REMOTE}};
	const char *from = pv_arg_text(a, "from"), *to = pv_arg_text(a, "to");
	bool to_memory = !to || !strcmp(to, "memory");

	c->to = PV_TO_MEMORY;
	if (!to_memory && pv_session_bdf(s, to, &c->to))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(complex_parts); i++) {
		if (strcmp(from, complex_parts[i].name))
			continue;
		c->origin = complex_parts[i].origin;
		return to_memory ? pv_session_plan_error(s, "to: expected a function for traffic from %s, got memory",
							 from)
				 : 0;
	}
	c->origin = to_memory ? PV_ORIGIN_DEVICE : PV_ORIGIN_P2P;
	return pv_session_bdf(s, from, &c->from);
}

int pv_stream_requester(struct pv_session *s, const struct pv_args *a, uint16_t *out)
{
	const char *text = pv_arg_text(a, "requester");
	uint64_t number;
	pv_bdf bdf = 0xffff;

	if (text && !pv_number_parse(text, &number) && number <= 0xffff)
		bdf = (pv_bdf)number;
	else if (text && pv_session_bdf(s, text, &bdf))
		return -1;
	*out = PCI_RID(bdf);
	return 0;
}

static int be_of(const struct pv_args *a, const char *name)
{
	return pv_arg_has(a, name) ? (int)pv_arg_number(a, name) : -1;
}

static void header_fields(const struct pv_args *a, struct pv_traffic_conf *c)
{
	static const uint8_t status[] = {0, 1, 2, 4};

	c->has_pasid = pv_arg_has(a, "pasid");
	c->pasid = (uint32_t)pv_arg_number(a, "pasid");
	c->pasid_exe = pv_arg_yes(a, "pasid-exe");
	c->pasid_pmr = pv_arg_yes(a, "pasid-pmr");
	c->tc = (uint8_t)pv_arg_number(a, "tc");
	c->attr = (uint8_t)pv_arg_number(a, "attr");
	c->at = (uint8_t)pv_arg_number(a, "at");
	c->th = pv_arg_yes(a, "th");
	c->td = pv_arg_yes(a, "td");
	c->ep = pv_arg_yes(a, "ep");
	c->tag10 = pv_arg_yes(a, "tag10");
	c->first_be = be_of(a, "first-be");
	c->last_be = be_of(a, "last-be");
	c->status = status[pv_arg_choice(a, "status")];
	c->msg_code = (uint8_t)pv_arg_number(a, "msg-code");
	c->msg_routing = (uint8_t)pv_arg_number(a, "msg-routing");
}

static void flow_fields(const struct pv_args *a, struct pv_traffic_conf *c)
{
	c->count = pv_arg_number(a, "count");
	c->rate_bytes_per_s = (uint64_t)pv_arg_real(a, "rate");
	c->burst = (uint32_t)pv_arg_number(a, "burst");
	c->burst_gap_ps = pv_arg_number(a, "burst-gap-ns") * PV_PS_PER_NS;
	c->start_after_ps = pv_arg_number(a, "start-after-ns") * PV_PS_PER_NS;
	c->outstanding = (uint32_t)pv_arg_number(a, "outstanding");
	c->addr = pv_arg_number(a, "addr");
	c->span = pv_arg_number(a, "span");
	c->random_addr = pv_arg_yes(a, "random");
	c->nullify_every = (uint32_t)pv_arg_number(a, "nullify-every");
	c->duplicate_every = (uint32_t)pv_arg_number(a, "duplicate-every");
	c->corrupt_every = (uint32_t)pv_arg_number(a, "corrupt-every");
	c->oversize = pv_arg_yes(a, "oversize");
}

static int do_traffic(struct pv_session *s, const struct pv_args *a)
{
	struct pv_traffic_conf c = {0};

	if (!pv_has(s->t->workload, traffic))
		return pv_session_unsupported(s, "traffic generator");
	if (parse_size(s, a, &c) || parse_ends(s, a, &c) || pv_stream_requester(s, a, &c.requester))
		return -1;
	read_kinds(a, &c);
	header_fields(a, &c);
	flow_fields(a, &c);
	c.seed = pv_stream_seed(s, a);
	return pv_stream_started(s, a, s->t->workload->ops->traffic(s->t->workload, &c), c.count);
}

static int do_traffic_stop(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *n = pv_session_named(s, s->streams, "stream", pv_arg_text(a, "id"));

	if (!n)
		return -1;
	if (!pv_has(s->t->workload, traffic_stop))
		return pv_session_unsupported(s, "stopping of streams");
	int err = s->t->workload->ops->traffic_stop(s->t->workload, n->stream);
	if (err)
		return pv_session_plan_error(s, "stream %s: expected it to stop, got %s; is it still there?", n->id,
					     pv_errno_name(err));
	n->value = 0;
	return 0;
}

static int do_drain(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->workload, idle))
		return pv_session_unsupported(s, "traffic generator");
	int err = pv_stream_drain(s, pv_arg_number(a, "ms") * 1000000);
	for (struct pv_named *n = s->streams; n && !err; n = n->next)
		n->value = 0;
	return pv_session_expect(s, err, NULL, "waiting for all traffic to end") < 0;
}

const struct pv_step_def pv_steps_traffic[] = {
	{"traffic", do_traffic, 0},
	{"cxl-traffic", pv_do_cxl_traffic, 0},
	{"traffic-stop", do_traffic_stop, 0},
	{"drain", do_drain, 0},
	{NULL},
};
