/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topologies from the case message. Everything in it is checked here again: the message may come from
 * anywhere. What only a model can tell (a slot without a bus, a BDF taken) is left to pv_model_add().
 */
#include "framework/target/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "fixtures/models/model.h"
#include "framework/util/cleanup.h"

#define NODES_MAX 65536

static const char *const kind_names[] = {
	[PV_NODE_ROOT_PORT] = "root-port",
	[PV_NODE_UPSTREAM] = "upstream",
	[PV_NODE_DOWNSTREAM] = "downstream",
	[PV_NODE_ENDPOINT] = "endpoint",
	[PV_NODE_LEGACY_ENDPOINT] = "legacy-endpoint",
	[PV_NODE_RCIEP] = "rciep",
	[PV_NODE_EVENT_COLLECTOR] = "event-collector",
	[PV_NODE_PCI_BRIDGE] = "pci-bridge",
	[PV_NODE_CONV_BRIDGE] = "conv-bridge",
	[PV_NODE_CONV_DEVICE] = "conv-device",
	[PV_NODE_PTT] = "ptt",
	[PV_NODE_CXL_MEM] = "cxl-mem",
	[PV_NODE_PCIE_BRIDGE] = "pcie-bridge",
};

static const char *const speed_names[] = {NULL, "2.5", "5", "8", "16", "32"};

static const char *const so_names[] = {
	[PV_PTT_SO_RO] = "ro", [PV_PTT_SO_ZERO] = "zero", [PV_PTT_SO_ONE] = "one", [PV_PTT_SO_MIXED] = "mixed"};

static const char *const time_names[] = {[PV_PTT_TIME_CLOCK] = "clock", [PV_PTT_TIME_DISTANCE] = "distance"};

int pv_bdf_parse(const char *text, pv_bdf *bdf)
{
	unsigned v[4] = {0};
	int end = -1;

	if (sscanf(text, "%4x:%2x:%2x.%1u%n", &v[0], &v[1], &v[2], &v[3], &end) != 4 || end < 0 || text[end]) {
		v[0] = 0;
		end = -1;
		if (sscanf(text, "%2x:%2x.%1u%n", &v[1], &v[2], &v[3], &end) != 3 || end < 0 || text[end])
			return -EINVAL;
	}
	if (!isxdigit((unsigned char)text[0]) || v[1] > 0xff || v[2] > 0x1f || v[3] > 7)
		return -EINVAL;
	*bdf = PCI_IN_DOMAIN(v[0], PCI_BDF(v[1], v[2], v[3]));
	return 0;
}

const char *pv_bdf_text(pv_bdf bdf, char *buf)
{
	int n = PCI_DOMAIN(bdf) ? snprintf(buf, PV_BDF_TEXT, "%04x:", PCI_DOMAIN(bdf)) : 0;

	snprintf(buf + n, PV_BDF_TEXT - (size_t)n, "%02x:%02x.%u", PCI_BUS(bdf), PCI_SLOT(bdf), PCI_FUNC(bdf));
	return buf;
}

/* One node being read: where errors are noted. */
struct reader {
	json_object *obj;
	const char *name;
	struct pv_error *e;
	int err; /* the first; later ones are not noted */
};

static void bad(struct reader *r, const char *key, const char *expected, json_object *got)
{
	if (!r->err)
		r->err = pv_error(r->e, -EINVAL, "topology, function %s: \"%s\": expected %s, got %s", r->name, key,
				  expected, got ? json_object_to_json_string(got) : "nothing");
}

static uint64_t number(struct reader *r, const char *key, uint64_t def, uint64_t max)
{
	json_object *v = json_object_object_get(r->obj, key);

	if (!v)
		return def;
	char expected[64];
	snprintf(expected, sizeof(expected), "a number up to %llu", (unsigned long long)max);
	if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0 || json_object_get_uint64(v) > max) {
		bad(r, key, expected, v);
		return def;
	}
	return json_object_get_uint64(v);
}

static bool boolean(struct reader *r, const char *key, bool def)
{
	json_object *v = json_object_object_get(r->obj, key);

	if (!v)
		return def;
	if (!json_object_is_type(v, json_type_boolean)) {
		bad(r, key, "true or false", v);
		return def;
	}
	return json_object_get_boolean(v);
}

static const char *text(struct reader *r, const char *key)
{
	json_object *v = json_object_object_get(r->obj, key);

	if (!v)
		return NULL;
	if (!json_object_is_type(v, json_type_string)) {
		bad(r, key, "a string", v);
		return NULL;
	}
	return json_object_get_string(v);
}

static pv_bdf bdf_of(struct reader *r, const char *key, pv_bdf def)
{
	const char *s = text(r, key);
	pv_bdf bdf = def;

	if (s && pv_bdf_parse(s, &bdf))
		bad(r, key, "[dddd:]bb:dd.f", json_object_object_get(r->obj, key));
	return bdf;
}

/* A size in bytes as the field of a register. 8192 and 16384 are the reserved encodings 6 and 7. */
static uint8_t size_field(struct reader *r, const char *key, unsigned def, unsigned max)
{
	uint64_t bytes = number(r, key, def, max);

	for (uint8_t f = 0; f <= 7; f++)
		if (PCI_EXP_SIZE_BYTES(f) == bytes)
			return f;
	bad(r, key, "128, 256, 512, 1024, 2048 or 4096", json_object_object_get(r->obj, key));
	return 0;
}

static void read_sizes(struct reader *r, struct pv_node_conf *c)
{
	c->mpss = size_field(r, "mpss", 512, 16384);
	c->mps = size_field(r, "mps", 128, 16384);
	c->mrrs = size_field(r, "mrrs", 512, 16384);
	c->mrrs_max = size_field(r, "mrrs_max", 4096, 4096);
	c->mps_ro = (uint8_t)number(r, "mps_ro", 0, 7);
	c->mrrs_ro = (uint8_t)number(r, "mrrs_ro", 0, 7);
}

static int name_index(const char *s, const char *const *names, size_t n)
{
	for (size_t i = 0; s && i < n; i++)
		if (names[i] && !strcmp(names[i], s))
			return (int)i;
	return -1;
}

static void read_event_caps(struct reader *r, struct pv_cpmu_conf *c, json_object *list)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (n > PV_CPMU_MAX_EVENT_CAPS)
		return bad(r, "event_caps", "at most 32", list);
	for (size_t i = 0; i < n; i++) {
		struct reader sub = {json_object_array_get_idx(list, i), r->name, r->e, r->err};

		c->event_cap[i].vid = (uint16_t)number(&sub, "vid", 0, 0xffff);
		c->event_cap[i].gid = (uint16_t)number(&sub, "gid", 0, 0xffff);
		c->event_cap[i].events = (uint32_t)number(&sub, "events", 0, 0xffffffffu);
		r->err = sub.err;
	}
	c->event_caps = (unsigned)n;
}

static void read_counters(struct reader *r, struct pv_cpmu_conf *c, json_object *list)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (n > c->counters)
		return bad(r, "counter", "no more than \"counters\"", list);
	for (unsigned i = 0; i < c->counters; i++)
		c->counter[i].type = 2; /* configurable, unless said otherwise */
	for (size_t i = 0; i < n; i++) {
		struct reader sub = {json_object_array_get_idx(list, i), r->name, r->e, r->err};

		c->counter[i].type = (uint8_t)number(&sub, "type", 2, 2);
		c->counter[i].group = (uint8_t)number(&sub, "group", 0, PV_CPMU_MAX_EVENT_CAPS - 1);
		c->counter[i].events = (uint32_t)number(&sub, "events", 0, 0xffffffffu);
		r->err = sub.err;
	}
}

static void read_cpmu(struct reader *r, struct pv_cpmu_conf *c)
{
	c->counters = (unsigned)number(r, "counters", 4, PV_CPMU_MAX_COUNTERS);
	c->width = (unsigned)number(r, "width", 48, 64);
	c->filters = (uint8_t)number(r, "filters", 0, 3);
	c->msi = (uint8_t)number(r, "msi", 0, 15);
	c->writable_when_frozen = boolean(r, "writable_when_frozen", true);
	c->freeze = boolean(r, "freeze", true);
	c->interrupt = boolean(r, "interrupt", true);
	c->sum_adds = boolean(r, "sum_adds", false);
	c->edge_compares = boolean(r, "edge_compares", false);
	if (!c->counters || !c->width)
		bad(r, "cpmus", "at least one counter of at least one bit", r->obj);
	read_event_caps(r, c, json_object_object_get(r->obj, "event_caps"));
	read_counters(r, c, json_object_object_get(r->obj, "counter"));
}

static int read_cpmus(struct reader *r, struct pv_node_conf *c)
{
	json_object *list = json_object_object_get(r->obj, "cpmus");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (!n)
		return 0;
	if (n > 64) {
		bad(r, "cpmus", "at most 64", list);
		return 0;
	}
	struct pv_cpmu_conf *conf = calloc(n, sizeof(*conf));
	if (!conf)
		return -ENOMEM;
	c->cpmu = conf;
	c->cpmus = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		struct reader sub = {json_object_array_get_idx(list, i), r->name, r->e, r->err};

		read_cpmu(&sub, &conf[i]);
		r->err = sub.err;
	}
	return 0;
}

static int read_overrides(struct reader *r, struct pv_node_conf *c)
{
	json_object *list = json_object_object_get(r->obj, "config");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (!n)
		return 0;
	if (n > PCI_CFG_BYTES) {
		bad(r, "config", "at most 4096", list);
		return 0;
	}
	struct pv_cfg_override *o = calloc(n, sizeof(*o));
	if (!o)
		return -ENOMEM;
	c->override = o;
	c->overrides = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		struct reader sub = {json_object_array_get_idx(list, i), r->name, r->e, r->err};

		o[i].offset = (uint16_t)number(&sub, "offset", 0, PCI_CFG_BYTES - 1);
		o[i].bytes = (uint8_t)number(&sub, "bytes", 4, 4);
		o[i].value = (uint32_t)number(&sub, "value", 0, UINT32_MAX);
		o[i].writable = (uint32_t)number(&sub, "writable", 0, UINT32_MAX);
		if ((o[i].bytes != 1 && o[i].bytes != 2 && o[i].bytes != 4) || o[i].offset % o[i].bytes)
			bad(&sub, "config", "1, 2 or 4 bytes at a multiple of that", sub.obj);
		r->err = sub.err;
	}
	return 0;
}

static uint8_t speed_of(struct reader *r, const char *key, uint8_t def)
{
	const char *speed = text(r, key);
	int s = speed ? name_index(speed, speed_names, ARRAY_SIZE(speed_names)) : def;

	if (s < 1)
		bad(r, key, "2.5, 5, 8, 16 or 32", json_object_object_get(r->obj, key));
	return s < 1 ? def : (uint8_t)s;
}

static uint8_t width_of(struct reader *r, const char *key, uint8_t def)
{
	uint8_t width = (uint8_t)number(r, key, def, 16);

	if (!width || width & (width - 1))
		bad(r, key, "1, 2, 4, 8 or 16", json_object_object_get(r->obj, key));
	return width;
}

/* Words separated by spaces. */
static void read_slot(struct reader *r, struct pv_slot_conf *s)
{
	const struct {
		const char *word;
		bool *has;
	} words[] = {
		{"surprise", &s->surprise},
		{"power", &s->power},
		{"button", &s->button},
		{"indicators", &s->indicators},
		{"no-command-completed", &s->no_command_completed},
	};
	const char *has = text(r, "slot_has");

	s->number = (uint16_t)number(r, "slot_number", 0, 0x1fff);
	while (has && *(has += strspn(has, " \t\r\n"))) {
		size_t n = strcspn(has, " \t\r\n"), i = 0;

		while (i < ARRAY_SIZE(words) && (strlen(words[i].word) != n || strncmp(words[i].word, has, n) != 0))
			i++;
		if (i == ARRAY_SIZE(words)) {
			bad(r, "slot_has", "words such as power and button",
			    json_object_object_get(r->obj, "slot_has"));
			return;
		}
		*words[i].has = true;
		has += n;
	}
}

/* The index of a word; 0 if it is not there or none of them. */
static unsigned word(struct reader *r, const char *name, const char *const *words, size_t n, const char *expected)
{
	const char *value = text(r, name);
	int i = value ? name_index(value, words, n) : 0;

	if (i < 0)
		bad(r, name, expected, json_object_object_get(r->obj, name));
	return i < 0 ? 0 : (unsigned)i;
}

static void read_ptt(struct reader *r, struct pv_node_conf *c)
{
	c->so = (enum pv_ptt_so)word(r, "so", so_names, ARRAY_SIZE(so_names), "ro, zero, one or mixed");
	c->time = (enum pv_ptt_time)word(r, "time", time_names, ARRAY_SIZE(time_names), "clock or distance");
	c->rubbish = boolean(r, "rubbish", false);
	c->held = (unsigned)number(r, "held", 0, PV_PTT_HELD_MAX);
}

static void read_link(struct reader *r, struct pv_node_conf *c)
{
	c->speed = speed_of(r, "speed", 3);
	c->width = width_of(r, "width", 8);
	c->max_speed = speed_of(r, "max_speed", c->speed);
	c->max_width = width_of(r, "max_width", c->width);
	c->rcb = (uint16_t)number(r, "rcb", 64, 128);
	c->hotplug = boolean(r, "hotplug", false);
	c->slot = boolean(r, "slot", c->hotplug);
	read_slot(r, &c->slot_has);
	c->dllps = boolean(r, "dllps", false);
}

/* Numbers of events, group << 8 | event, separated by spaces. */
static void read_lacks(struct reader *r, uint32_t lacks[PV_DWC_GROUPS_MAX])
{
	const char *at = text(r, "lacks_events");

	while (at && *(at += strspn(at, " \t\r\n"))) {
		char *end;
		unsigned long id = strtoul(at, &end, 16);

		if (end == at || id >> 8 >= PV_DWC_GROUPS_MAX || (id & 0xff) > 31) {
			bad(r, "lacks_events", "event numbers such as 0x10c",
			    json_object_object_get(r->obj, "lacks_events"));
			return;
		}
		lacks[id >> 8] |= 1u << (id & 0xff);
		at = end;
	}
}

static void read_ras_des(struct reader *r, struct pv_node_conf *c)
{
	c->ras_des = boolean(r, "ras_des", false);
	c->ras = (struct pv_ras_des_conf){
		.core_clk_ps = (uint32_t)number(r, "core_clk_ps", 0, 1000000),
		.aux_clk_ps = (uint32_t)number(r, "aux_clk_ps", 0, 100000000),
		.l1_aux_is_9 = boolean(r, "l1_aux_is_9", false),
		.lane_0_only = boolean(r, "other_lanes_read_0", false),
		.loses_count = boolean(r, "loses_counts", false),
		.narrow_stays = boolean(r, "narrow_counters_stay", false),
		.selected_anew = boolean(r, "selected_anew", false),
		.narrow_time = boolean(r, "time_is_narrow", false),
	};
	read_lacks(r, c->ras.lacks);
}

static enum pv_topo_role role_of(enum pv_node_kind kind)
{
	switch (kind) {
	case PV_NODE_ROOT_PORT:
	case PV_NODE_DOWNSTREAM:
		return PV_ROLE_PORT;
	case PV_NODE_PTT:
		return PV_ROLE_PTT;
	case PV_NODE_CXL_MEM:
		return PV_ROLE_CXL_MEM;
	default:
		return PV_ROLE_FUNCTION;
	}
}

/* What checks need to know of the function, whoever emulates it. */
static void describe(struct pv_topo_node *node)
{
	const struct pv_node_conf *c = node->conf;

	node->role = role_of(c->kind);
	node->bdf = c->bdf;
	node->parent = c->parent;
	node->secondary = c->secondary;
	node->subordinate = c->subordinate;
	node->vf = c->vf;
	node->hotplug = c->hotplug;
	node->slot = c->slot;
	node->mps = PCI_EXP_SIZE_BYTES(c->mps);
	node->mrrs = PCI_EXP_SIZE_BYTES(c->mrrs);
	node->speed = c->speed;
	node->width = c->width;
	node->rcb = c->rcb;
	node->sicl = c->sicl;
	node->core = c->core;
	node->time_is_distance = c->time == PV_PTT_TIME_DISTANCE;
	node->range_lower = PCI_IN_DOMAIN(PCI_DOMAIN(c->bdf), c->range_lower);
	node->range_upper = PCI_IN_DOMAIN(PCI_DOMAIN(c->bdf), c->range_upper);
}

static int read_node(struct reader *r, struct pv_topo_node *node, size_t index)
{
	struct pv_node_conf *c = node->conf;
	int kind = name_index(text(r, "kind"), kind_names, ARRAY_SIZE(kind_names));

	if (kind < 0)
		bad(r, "kind", "root-port, endpoint, ... (docs/protocol.md)", json_object_object_get(r->obj, "kind"));
	json_object *parent = json_object_object_get(r->obj, "parent");
	c->kind = kind < 0 ? PV_NODE_ENDPOINT : (enum pv_node_kind)kind;
	c->parent = parent ? json_object_get_int(parent) : -1;
	if (c->parent < -1 || c->parent >= (int)index)
		bad(r, "parent", "-1 or the id of a function before this one", parent);
	c->bdf = bdf_of(r, "bdf", 0);
	c->secondary = (uint8_t)number(r, "secondary", 0, 255);
	c->subordinate = (uint8_t)number(r, "subordinate", 0, 255);
	c->vendor = (uint16_t)number(r, "vendor", 0, 0xffff);
	c->device = (uint16_t)number(r, "device", 0, 0xffff);
	read_sizes(r, c);
	c->soft_reset = boolean(r, "soft_reset", false);
	c->vf = boolean(r, "vf", false);
	c->sicl = (uint16_t)number(r, "sicl", 0, 0xffff);
	c->core = (uint16_t)number(r, "core", 0, 0xffff);
	c->range_lower = PCI_RID(bdf_of(r, "range_lower", 0));
	c->range_upper = PCI_RID(bdf_of(r, "range_upper", 0));
	read_ptt(r, c);
	c->ari = boolean(r, "ari", false);
	node->spare = boolean(r, "spare", false);
	bool on_node = json_object_object_get(r->obj, "numa_node") != NULL;
	node->numa_node = on_node ? (int)number(r, "numa_node", 0, PV_TOPOLOGY_CPUS_MAX - 1) : -1;
	read_link(r, c);
	read_ras_des(r, c);
	int err = read_overrides(r, c);
	if (!err)
		err = read_cpmus(r, c);
	describe(node);
	return err ? err : r->err;
}

static int read_nodes(struct pv_topology *t, json_object *list, struct pv_error *e)
{
	size_t n = json_object_array_length(list);

	if (n > NODES_MAX)
		return pv_error(e, -EINVAL, "topology: expected at most %d functions, got %zu", NODES_MAX, n);
	t->nodes = calloc(n ? n : 1, sizeof(*t->nodes));
	if (!t->nodes)
		return pv_error(e, -ENOMEM, "topology: no memory");
	for (size_t i = 0; i < n; i++) {
		json_object *obj = json_object_array_get_idx(list, i);
		const char *name = json_object_get_string(json_object_object_get(obj, "name"));
		struct pv_topo_node *node = &t->nodes[t->n++];

		node->name = strdup(name ? name : "");
		node->conf = calloc(1, sizeof(*node->conf));
		if (!node->name || !node->conf)
			return pv_error(e, -ENOMEM, "topology: no memory");
		struct reader r = {obj, node->name, e, 0};
		int err = read_node(&r, node, i);
		if (err)
			return err;
	}
	return 0;
}

/* Functions below a bridge are on its node. */
static int read_numa_nodes(struct pv_topology *t, struct pv_error *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct pv_topo_node *node = &t->nodes[i];

		if (node->parent >= 0)
			node->numa_node = t->nodes[node->parent].numa_node;
		if (node->numa_node >= (int)t->numa_nodes)
			t->numa_nodes = (unsigned)node->numa_node + 1;
	}
	if (t->numa_nodes > t->cpus)
		return pv_error(e, -EINVAL, "topology: %u NUMA nodes: expected a CPU for each, got %u", t->numa_nodes,
				t->cpus);
	return 0;
}

static int compare_domains(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static int list_domains(struct pv_topology *t, struct pv_error *e)
{
	t->domains = calloc(t->n + 1, sizeof(*t->domains));
	if (!t->domains)
		return pv_error(e, -ENOMEM, "topology: no memory");
	for (size_t i = 0; i < t->n; i++)
		t->domains[i] = (uint16_t)PCI_DOMAIN(t->nodes[i].bdf);
	qsort(t->domains, t->n, sizeof(*t->domains), compare_domains);
	for (size_t i = 0; i < t->n; i++)
		if (!t->n_domains || t->domains[t->n_domains - 1] != t->domains[i])
			t->domains[t->n_domains++] = t->domains[i];
	return 0;
}

static int read_cpus(struct pv_topology *t, json_object *obj, struct pv_error *e)
{
	json_object *cpus = json_object_object_get(obj, "cpus");
	int64_t n = cpus ? json_object_get_int64(cpus) : 1;

	if (n < 1 || n > PV_TOPOLOGY_CPUS_MAX)
		return pv_error(e, -EINVAL, "topology: \"cpus\": expected 1 to %d, got %s", PV_TOPOLOGY_CPUS_MAX,
				json_object_to_json_string(cpus));
	t->cpus = (unsigned)n;
	return 0;
}

static int read_iommu(struct pv_topology *t, json_object *obj, struct pv_error *e)
{
	static const char *const words[] = {
		[PV_IOMMU_NONE] = "none", [PV_IOMMU_IDENTITY] = "identity", [PV_IOMMU_TRANSLATES] = "translated"};
	const char *word = json_object_get_string(json_object_object_get(obj, "iommu"));
	int i = word ? name_index(word, words, ARRAY_SIZE(words)) : PV_IOMMU_NONE;

	if (i < 0)
		return pv_error(e, -EINVAL, "topology: \"iommu\": expected none, identity or translated, got %s", word);
	t->iommu = (enum pv_iommu)i;
	return 0;
}

int pv_topology_parse(json_object *obj, struct pv_topology **out, struct pv_error *e)
{
	struct pv_topology *t = calloc(1, sizeof(*t));

	if (!t)
		return pv_error(e, -ENOMEM, "topology: no memory");
	json_object *nodes = json_object_object_get(obj, "nodes");
	t->port_pm = json_object_get_boolean(json_object_object_get(obj, "port_pm"));
	int err = read_iommu(t, obj, e);
	if (!err)
		err = read_cpus(t, obj, e);
	if (!err && nodes && !json_object_is_type(nodes, json_type_array))
		err = pv_error(e, -EINVAL, "topology: \"nodes\": expected a list, got %s",
			       json_object_to_json_string(nodes));
	else if (!err && nodes)
		err = read_nodes(t, nodes, e);
	if (!err)
		err = read_numa_nodes(t, e);
	if (!err)
		err = list_domains(t, e);
	if (err) {
		pv_topology_free(t);
		return err;
	}
	*out = t;
	return 0;
}

void pv_topology_free(struct pv_topology *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct pv_topo_node *node = &t->nodes[i];

		free((void *)node->name);
		if (!node->conf)
			continue;
		free((void *)node->conf->cpmu);
		free((void *)node->conf->override);
		free(node->conf);
	}
	free(t->nodes);
	free(t->domains);
	free(t);
}

const struct pv_topo_node *pv_topology_by_bdf(const struct pv_topology *t, pv_bdf bdf)
{
	const struct pv_topo_node *spare = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (t->nodes[i].bdf != bdf)
			continue;
		if (!t->nodes[i].spare)
			return &t->nodes[i];
		spare = &t->nodes[i];
	}
	return spare;
}

const struct pv_topo_node *pv_topology_node(const struct pv_topology *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->nodes[i].name, name))
			return &t->nodes[i];
	pv_bdf bdf;
	return pv_bdf_parse(name, &bdf) ? NULL : pv_topology_by_bdf(t, bdf);
}

uint64_t pv_topology_local_cpus(const struct pv_topology *t, pv_bdf bdf)
{
	const struct pv_topo_node *node = pv_topology_by_bdf(t, bdf);

	if (!node || node->numa_node < 0)
		return 0;
	unsigned first = pv_numa_first_cpu((unsigned)node->numa_node, t->numa_nodes, t->cpus);
	unsigned behind = pv_numa_first_cpu((unsigned)node->numa_node + 1, t->numa_nodes, t->cpus);
	return (UINT64_C(1) << behind) - (UINT64_C(1) << first);
}

/* The bus of a link has one device (PCIe 5.0 7.3.1): with ARI, and for VFs, its functions have several device numbers. */
static bool heads_link(const struct pv_topo_node *n)
{
	return n->role == PV_ROLE_PORT || n->conf->kind == PV_NODE_PCIE_BRIDGE;
}

static bool same_device(const struct pv_topology *t, const struct pv_topo_node *a, const struct pv_topo_node *b)
{
	if (a->parent != b->parent)
		return false;
	return a->bdf >> 3 == b->bdf >> 3 || (a->parent >= 0 && heads_link(&t->nodes[a->parent]));
}

bool pv_topology_below(const struct pv_topology *t, const struct pv_topo_node *node, const struct pv_topo_node *root)
{
	for (;;) {
		if (node == root || same_device(t, node, root))
			return true;
		if (node->parent < 0)
			return false;
		node = &t->nodes[node->parent];
	}
}
