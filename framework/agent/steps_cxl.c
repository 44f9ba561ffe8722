/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CXL.cache and CXL.mem messages, DRAM commands and vendor events. */
#include <errno.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/agent/streams.h"
#include "framework/util/cleanup.h"

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

int pv_do_cxl_traffic(struct pv_session *s, const struct pv_args *a)
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
	c.seed = pv_stream_seed(s, a);
	if (check_per_cycle(s, &c))
		return -1;
	int stream = s->t->workload->ops->cxl_traffic(s->t->workload, &c);
	if (stream == -EOPNOTSUPP)
		return pv_session_unsupported(s, "room for endless CXL traffic as dense as this");
	return pv_stream_started(s, a, stream, c.count);
}
