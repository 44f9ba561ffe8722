/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic: streams of TLPs, CXL messages, DRAM commands and vendor events, and running them to their end. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

#define STREAM_MAX_NS 60000000000ull /* limit of foreground traffic, simulated time */

/* ---- seeds and ends of streams ---- */

/* splitmix64: neighbouring seeds and steps give streams that have nothing in common. */
static uint64_t stream_seed(const struct pv_session *s, const struct pv_args *a)
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

/*
 * With endless streams around, "idle" never comes: the stream itself is watched instead. Looks again after 1 us, after
 * the first millisecond after ever longer stretches: a stream that waits for a link may send nothing for seconds.
 */
static int wait_for_stream(struct pv_session *s, int stream, uint64_t count)
{
	struct pv_traffic_stats st = {0};
	uint64_t step = 1000;

	for (uint64_t waited = 0; waited < STREAM_MAX_NS; waited += step) {
		int err = pv_has(s->t->workload, traffic_stats)
				  ? s->t->workload->ops->traffic_stats(s->t->workload, stream, &st)
				  : -ENOENT;

		if (err)
			return err;
		if (st.requests >= count)
			return s->t->machine->ops->wait(s->t->machine, 10000); /* what is in flight still completes */
		err = s->t->machine->ops->wait(s->t->machine, step);
		if (err)
			return err;
		if (waited >= 1000000 && step < 100000)
			step += step / 4;
	}
	return -ETIMEDOUT;
}

/*
 * Advances time until all traffic is done. 0, -ETIMEDOUT after `max_ns`, or -errno. Looks again after ever longer
 * stretches: short traffic ends soon after its last TLP, long traffic costs few looks.
 */
static int stream_drain(struct pv_session *s, uint64_t max_ns)
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

/*
 * `stream`: id or -errno. Waits for the end of foreground traffic, or keeps the stream; `count` 0: endless.
 */
static int stream_started(struct pv_session *s, const struct pv_args *a, int stream, uint64_t count)
{
	const char *id = pv_arg_text(a, "id");
	bool background = pv_arg_yes(a, "background");
	int end = pv_session_expect(s, stream < 0 ? stream : 0, NULL, "starting %s", a->kind);

	if (end)
		return end < 0;
	if (!count && !background)
		return pv_session_plan_error(s, "count: expected a number for traffic that is waited for, got 0");
	if (!background) {
		int err = background_runs(s) ? wait_for_stream(s, stream, count) : stream_drain(s, STREAM_MAX_NS);
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

static int parse_requester(struct pv_session *s, const struct pv_args *a, struct pv_traffic_conf *c)
{
	int given = pv_session_requester(s, a, &c->requester);

	if (given > 0 && c->requester == PV_REQUESTER_NATURAL)
		return pv_session_plan_error(s, "requester: expected 0 to 0xfffe, got %s", pv_arg_text(a, "requester"));
	return given < 0 ? given : 0;
}

static int do_traffic(struct pv_session *s, const struct pv_args *a)
{
	struct pv_traffic_conf c = {.requester = PV_REQUESTER_NATURAL};

	if (!pv_has(s->t->workload, traffic))
		return pv_session_unsupported(s, "traffic generator");
	if (parse_size(s, a, &c) || parse_ends(s, a, &c) || parse_requester(s, a, &c))
		return -1;
	read_kinds(a, &c);
	header_fields(a, &c);
	flow_fields(a, &c);
	c.seed = stream_seed(s, a);
	return stream_started(s, a, s->t->workload->ops->traffic(s->t->workload, &c), c.count);
}

/* ---- CXL streams ---- */

/*
 * Channels in the order of enum pv_wire_cxl_channel, from 1: the opcodes of CXL 3.0, which "all" stands for, and those
 * that CXL 3.1 and 4.0 have added (docs/hardware-notes.md, CPMU).
 */
static const struct {
	uint32_t all, later;
} channel_opcodes[] = {
	[PV_CXL_D2H_REQ] = {0x00017ffe, 0}, /* rdcurr .. wrinv, cacheflushed */
	[PV_CXL_D2H_RSP] = {0x004080f2, 0}, /* 1 4 5 6 7 15 22 */
	[PV_CXL_H2D_REQ] = {0x0000000e, 0}, /* snpdata snpinv snpcur */
	[PV_CXL_H2D_RSP] = {0x0000a172, 0}, /* 1 4 5 6 8 13 15 */
	[PV_CXL_D2H_DATA] = {0x00000001, 0},
	[PV_CXL_H2D_DATA] = {0x00000001, 0},
	[PV_CXL_M2S_REQ] = {0x0000071f, 0x0000f8e0},   /* 0-4 8 9 10; 5 6 7 11-15 */
	[PV_CXL_M2S_RWD] = {0x00000016, 0x00002620},   /* 1 2 4; 5 9 10 13 */
	[PV_CXL_M2S_BIRSP] = {0x00000077, 0},	       /* 0 1 2 4 5 6 */
	[PV_CXL_S2M_BISNP] = {0x00000077, 0x00007700}, /* the same; 8 9 10 12 13 14 */
	[PV_CXL_S2M_NDR] = {0x00000017, 0x000000e8},   /* 0 1 2 4; 3 5 6 7 */
	[PV_CXL_S2M_DRS] = {0x00000003, 0x00000004},
};

/* "0 3 5" to a mask; NULL or empty is 0. */
static int parse_bits(struct pv_session *s, const char *name, const char *list, unsigned max, uint32_t *mask)
{
	char word[32];
	uint64_t n;

	*mask = 0;
	while (list && pv_word_next(&list, word, sizeof(word))) {
		if (pv_number_parse(word, &n) || n > max)
			return pv_session_plan_error(s, "%s: expected numbers up to %u, got \"%s\"", name, max, word);
		*mask |= 1u << n;
	}
	return 0;
}

/* Messages that do not exist cannot be sent; a plan that asks for them means something else. */
static int check_opcodes(struct pv_session *s, const char *channel, uint32_t given, uint32_t known)
{
	char list[128] = "";

	if (!(given & ~known))
		return 0;
	for (unsigned i = 0; i < 32; i++)
		if (known >> i & 1)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " %u", i);
	return pv_session_plan_error(s, "opcodes: expected those of %s (%s), got %u", channel, list + 1,
				     (unsigned)__builtin_ctz(given & ~known));
}

static int parse_channel(struct pv_session *s, const struct pv_args *a, struct pv_cxl_traffic_conf *c)
{
	const char *opcodes = pv_arg_text(a, "opcodes");

	c->what = PV_WIRE_CXL;
	c->channel = (uint32_t)pv_arg_choice(a, "channel") + PV_CXL_D2H_REQ;
	if (!strcmp(opcodes, "all")) {
		c->opcodes = channel_opcodes[c->channel].all;
		return 0;
	}
	if (parse_bits(s, "opcodes", opcodes, 31, &c->opcodes))
		return -1;
	return check_opcodes(s, pv_arg_text(a, "channel"), c->opcodes,
			     channel_opcodes[c->channel].all | channel_opcodes[c->channel].later);
}

static int parse_ddr(struct pv_session *s, const struct pv_args *a, struct pv_cxl_traffic_conf *c)
{
	const char *list = pv_arg_text(a, "ddr"), *const *commands = pv_types[PV_TYPE_DDR_COMMAND].values;
	char word[32];

	c->what = PV_WIRE_DDR;
	while (pv_word_next(&list, word, sizeof(word)))
		for (size_t i = 0; commands[i]; i++)
			if (!strcmp(commands[i], word))
				c->opcodes |= 1u << i;
	return 0;
}

static int parse_vendor(struct pv_session *s, const struct pv_args *a, struct pv_cxl_traffic_conf *c)
{
	const char *text = pv_arg_text(a, "vendor"), *colon = strchr(text, ':');
	char first[32];
	uint64_t vid, gid;

	snprintf(first, sizeof(first), "%.*s", colon ? (int)(colon - text) : 0, text);
	if (!colon || pv_number_parse(first, &vid) || pv_number_parse(colon + 1, &gid) || vid > 0xffff || gid > 0xffff)
		return pv_session_plan_error(s, "vendor: expected vid:gid, got \"%s\"", text);
	c->what = PV_WIRE_VENDOR;
	c->channel = (uint32_t)(vid << 16 | gid);
	return parse_bits(s, "bits", pv_arg_text(a, "bits"), 31, &c->opcodes);
}

static int parse_what(struct pv_session *s, const struct pv_args *a, struct pv_cxl_traffic_conf *c)
{
	int err = pv_arg_has(a, "channel") ? parse_channel(s, a, c)
		  : pv_arg_has(a, "ddr")   ? parse_ddr(s, a, c)
					   : parse_vendor(s, a, c);

	if (!err && !c->opcodes)
		return pv_session_plan_error(s, "expected at least one opcode or bit, got none");
	return err;
}

/* No event that the specification defines happens twice in a cycle (CXL 3.1 13.2). */
static int check_per_cycle(struct pv_session *s, const struct pv_cxl_traffic_conf *c)
{
	unsigned most = (unsigned)__builtin_popcount(c->opcodes);

	if (c->per_cycle <= most || (c->what == PV_WIRE_VENDOR && c->channel >> 16 != CXL_DVSEC_VENDOR_ID))
		return 0;
	return pv_session_plan_error(s, "per-cycle: expected at most %u, one message of each opcode in a cycle, got %u",
				     most, c->per_cycle);
}

static int parse_device(struct pv_session *s, const struct pv_args *a, struct pv_cxl_traffic_conf *c)
{
	const char *name = pv_arg_text(a, "device");
	const struct pv_topo_node *node = s->t->topology ? pv_topology_node(s->t->topology, name) : NULL;

	if (node && node->role != PV_ROLE_CXL_MEM)
		return pv_session_plan_error(s, "device: expected a CXL memory device, got %s, which is none", name);
	return pv_session_bdf(s, name, &c->bdf);
}

static int do_cxl_traffic(struct pv_session *s, const struct pv_args *a)
{
	struct pv_cxl_traffic_conf c = {0};
	uint32_t decoders;

	if (!pv_has(s->t->workload, cxl_traffic))
		return pv_session_unsupported(s, "CXL traffic generator");
	if (parse_device(s, a, &c) || parse_what(s, a, &c) ||
	    parse_bits(s, "decoders", pv_arg_text(a, "decoders"), 15, &decoders))
		return -1;
	c.count = pv_arg_number(a, "count");
	c.gap_cycles = pv_arg_number(a, "gap-cycles");
	c.per_cycle = (uint32_t)pv_arg_number(a, "per-cycle");
	c.decoders = (uint16_t)decoders;
	c.ddr_channels = (uint8_t)pv_arg_number(a, "ddr-channels");
	c.ddr_ranks = (uint8_t)pv_arg_number(a, "ddr-ranks");
	c.ddr_groups = (uint8_t)pv_arg_number(a, "ddr-bank-groups");
	c.ddr_banks = (uint8_t)pv_arg_number(a, "ddr-banks");
	c.seed = stream_seed(s, a);
	if (check_per_cycle(s, &c))
		return -1;
	int stream = s->t->workload->ops->cxl_traffic(s->t->workload, &c);
	if (stream == -EOPNOTSUPP)
		return pv_session_unsupported(s, "room for endless CXL traffic as dense as this");
	return stream_started(s, a, stream, c.count);
}

/* ---- their ends ---- */

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

void pv_session_stop_streams(struct pv_session *s)
{
	for (struct pv_named *n = s->streams; n && pv_has(s->t->workload, traffic_stop); n = n->next)
		if (n->value > 0)
			s->t->workload->ops->traffic_stop(s->t->workload, n->stream);
}

static int do_drain(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->workload, idle))
		return pv_session_unsupported(s, "traffic generator");
	int err = stream_drain(s, pv_arg_number(a, "ms") * 1000000);
	for (struct pv_named *n = s->streams; n && !err; n = n->next)
		n->value = 0;
	return pv_session_expect(s, err, NULL, "waiting for all traffic to end") < 0;
}

const struct pv_step_def pv_steps_traffic[] = {
	{"traffic", do_traffic, 0},
	{"cxl-traffic", do_cxl_traffic, 0},
	{"traffic-stop", do_traffic_stop, 0},
	{"drain", do_drain, 0},
	{NULL},
};
