/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From <topology> to a list of functions: attributes, places, bus numbers. What a place must satisfy as a
 * whole is judged in topology_check.c.
 */
#include "framework/plan/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/internal.h"
#include "framework/plan/topology_check.h"
#include "framework/util/cleanup.h"
#include "framework/util/share.h"

struct build {
	const struct pv_topology_env *env;
	const struct pv_scope *scope;
	struct pv_plan_topology *t;
	bool bad, dllps, substituted;
};

/* What an element makes. */
static const struct kind {
	const char *element, *kind;
	bool bridge, link, conventional;
} kinds[] = {
	{"root-port", "root-port", .bridge = true, .link = true},
	{"switch", "upstream", .bridge = true},
	{"port", "downstream", .bridge = true, .link = true},
	{"endpoint", "endpoint"},
	{"legacy-endpoint", "legacy-endpoint"},
	{"rciep", "rciep"},
	{"event-collector", "event-collector"},
	{"pci-bridge", "pci-bridge", .bridge = true},
	{"pcie-bridge", "pcie-bridge", .bridge = true, .link = true},
	{"pci-device", "conv-device", .conventional = true},
	{"conv-bridge", "conv-bridge", .bridge = true, .conventional = true},
	{"conv-device", "conv-device", .conventional = true},
	{"ptt", "ptt"},
	{"cxl-mem", "cxl-mem"},
	{"spare", NULL}, /* its kind is an attribute */
};

static const struct kind *kind_of(const struct pv_xml *x)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].element, x->name))
			return &kinds[i];
	return NULL;
}

#define complain(b, x, ...)                                                                           \
	do {                                                                                          \
		pv_problem((b)->env->problems, (x)->file, (x)->line, (b)->scope->where, __VA_ARGS__); \
		(b)->bad = true;                                                                      \
	} while (0)

/* ---- attributes ---- */

/* The value, substituted and of its type, or the schema's default; NULL: neither is there. */
static const char *get(struct build *b, const struct pv_xml *x, const char *name)
{
	const struct pv_attr_decl *d = pv_schema_attr(x->decl, name);
	const char *text = pv_xml_get(x, name), *value;

	if (!text)
		return d ? d->value : NULL;
	if (!strstr(text, "${"))
		return text;
	b->substituted = true;
	if (!pv_substitute(b->scope, text, x, name, b->env->arena, b->env->problems, &value) ||
	    (d && !pv_xml_check_value(x, d, value, b->scope->where, b->env->problems))) {
		b->bad = true;
		return d ? d->value : NULL;
	}
	return value;
}

static uint64_t number(struct build *b, const struct pv_xml *x, const char *name, uint64_t min, uint64_t max,
		       uint64_t otherwise)
{
	const char *s = get(b, x, name);

	if (!s)
		return otherwise;
	errno = 0;
	uint64_t v = strtoull(s, NULL, !strncmp(s, "0x", 2) ? 16 : 10);
	if (errno || v < min || v > max) {
		complain(b, x, "<%s> %s: expected %ju to %ju, got '%s'", x->name, name, (uintmax_t)min, (uintmax_t)max,
			 PV_SHOW(s));
		return otherwise;
	}
	return v;
}

static bool yes(struct build *b, const struct pv_xml *x, const char *name, bool otherwise)
{
	const char *s = get(b, x, name);

	return s ? !strcmp(s, "yes") : otherwise;
}

static bool says(struct build *b, const struct pv_xml *x, const char *name, const char *value)
{
	const char *s = get(b, x, name);

	return s && !strcmp(s, value);
}

bool pv_topology_bdf(const char *s, uint32_t *bdf)
{
	unsigned domain = 0, bus, dev, fn;
	int end = 0;

	if (sscanf(s, "%2x:%2x.%1x%n", &bus, &dev, &fn, &end) != 3 || s[end]) {
		end = 0;
		if (sscanf(s, "%4x:%2x:%2x.%1x%n", &domain, &bus, &dev, &fn, &end) != 4 || s[end])
			return false;
	}
	if (bus > 255 || dev > 31 || fn > 7)
		return false;
	*bdf = domain << 16 | bus << 8 | dev << 3 | fn;
	return true;
}

struct pv_topology_place pv_topology_place(uint32_t bdf)
{
	struct pv_topology_place p;
	int n = bdf >> 16 ? snprintf(p.s, sizeof(p.s), "%04x:", bdf >> 16) : 0;

	snprintf(p.s + n, sizeof(p.s) - (size_t)n, "%02x:%02x.%x", bdf >> 8 & 0xff, bdf >> 3 & 0x1f, bdf & 7);
	return p;
}

/* ---- CPMUs ---- */

static void read_cap(struct build *b, const struct pv_xml *x, struct pv_topology_cpmu *c)
{
	if (c->n_caps == 32) {
		complain(b, x, "<event-cap>: a CPMU has at most 32");
		return;
	}
	c->caps[c->n_caps++] = (struct pv_cpmu_caps){
		.vid = (uint16_t)number(b, x, "vid", 0, 0xffff, 0),
		.gid = (uint16_t)number(b, x, "gid", 0, 0xffff, 0),
		.events = (uint32_t)number(b, x, "events", 0, UINT32_MAX, 0),
	};
}

static void read_fixed(struct build *b, const struct pv_xml *x, struct pv_topology_cpmu *c)
{
	if (c->n_fixed == c->counters) {
		complain(b, x, "<%s>: the CPMU has %u counters in all, and this is one more", x->name, c->counters);
		return;
	}
	uint64_t group = number(b, x, "group", 0, 31, 0);
	if (group >= c->n_caps)
		complain(b, x, "<%s> group: there are %u event-cap, got index %ju", x->name, c->n_caps,
			 (uintmax_t)group);
	uint64_t counter = number(b, x, "counter", 0, c->counters - 1, 64);
	for (unsigned i = 0; i < c->n_fixed; i++)
		if (counter < 64 && c->fixed[i].counter == counter)
			complain(b, x, "<%s> counter: %ju is another's already", x->name, (uintmax_t)counter);
	c->fixed[c->n_fixed++] = (struct pv_cpmu_fixed){
		.type = !strcmp(x->name, "fixed") ? 1 : 0,
		.counter = (uint8_t)counter,
		.group = (uint8_t)group,
		.events = (uint32_t)number(b, x, "events", 0, UINT32_MAX, 0),
	};
}

static void read_cpmu(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	struct pv_topology_cpmu *c = pv_arena_alloc(b->env->arena, sizeof(*c)), **end = &n->cpmus;

	if (!c) {
		b->bad = pv_problem_memory(b->env->problems) != 0;
		return;
	}
	const char *filters = get(b, x, "filters");
	c->counters = (unsigned)number(b, x, "counters", 1, 64, 1);
	c->width = (unsigned)number(b, x, "width", 1, 64, 48);
	c->filters = (strstr(filters, "hdm") ? 1u : 0u) | (strstr(filters, "bank") ? 2u : 0u);
	c->msi = (unsigned)number(b, x, "msi", 0, 15, 1);
	c->writable_when_frozen = yes(b, x, "writable-when-frozen", true);
	c->freeze = yes(b, x, "freeze", true);
	c->interrupt = yes(b, x, "interrupt", true);
	c->sum_adds = yes(b, x, "sum-adds", false);
	c->edge_compares = yes(b, x, "edge-compares", false);
	pv_xml_foreach_named (e, x, "event-cap")
		read_cap(b, e, c);
	if (!c->n_caps)
		complain(b, x, "<cpmu>: expected at least one event-cap");
	pv_xml_foreach (e, x)
		if (strcmp(e->name, "event-cap"))
			read_fixed(b, e, c);
	while (*end)
		end = &(*end)->next;
	*end = c;
}

/* ---- configuration space ---- */

static void read_config(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	struct pv_topology_config *c = pv_arena_alloc(b->env->arena, sizeof(*c)), **end = &n->config;

	if (!c) {
		b->bad = pv_problem_memory(b->env->problems) != 0;
		return;
	}
	c->offset = (uint16_t)number(b, x, "offset", 0, 0xfff, 0);
	c->bytes = (uint8_t)number(b, x, "bytes", 1, 4, 4);
	uint64_t most = UINT32_MAX >> (32 - 8 * c->bytes);
	c->value = (uint32_t)number(b, x, "value", 0, most, 0);
	c->writable = (uint32_t)number(b, x, "writable", 0, most, 0);
	if (c->offset % c->bytes)
		complain(b, x, "<config> offset: expected a multiple of %u bytes, got 0x%x", c->bytes, c->offset);
	while (*end)
		end = &(*end)->next;
	*end = c;
}

/* ---- places ---- */

/* By a function before the last, which is the one that is being placed. */
static bool taken(const struct build *b, uint32_t bdf)
{
	for (unsigned i = 0; i + 1 < b->t->n; i++)
		if (b->t->nodes[i].bdf == bdf && !b->t->nodes[i].spare)
			return true;
	return false;
}

/*
 * The next free place on a bus. Below a link there is only device 0, whose functions are counted; on an
 * internal or a conventional bus devices are counted.
 */
static bool next_place(const struct build *b, const struct pv_topology_node *parent, bool spare, uint32_t *out)
{
	unsigned step = parent->link ? 1 : 8, end = parent->link ? 8 : 256;

	for (unsigned devfn = 0; devfn < end; devfn += step) {
		*out = pv_topology_domain(parent) << 16 | (uint32_t)parent->secondary << 8 | devfn;
		if (spare || !taken(b, *out))
			return true;
	}
	return false;
}

/* A function on a root bus says its domain, in `domain` or in `bdf`; others are in that of the bridge above. */
static void place_domain(struct build *b, const struct pv_xml *x, struct pv_topology_node *n, const char *bdf)
{
	const struct pv_topology_node *parent = n->parent < 0 ? NULL : &b->t->nodes[n->parent];
	bool in_bdf = bdf && strchr(bdf, ':') != strrchr(bdf, ':');
	unsigned otherwise = parent ? pv_topology_domain(parent) : 0;
	unsigned domain = (unsigned)number(b, x, "domain", 0, 0xffff, in_bdf ? pv_topology_domain(n) : otherwise);

	if (in_bdf && pv_topology_domain(n) != domain)
		complain(b, x, "<%s> '%s': bdf %s is outside of domain %u", x->name, n->name, bdf, domain);
	else if (parent && domain != otherwise)
		complain(b, x, "<%s> '%s': expected domain %u, which is that of '%s' above it, got %u", x->name,
			 n->name, otherwise, parent->name, domain);
	n->bdf = domain << 16 | (n->bdf & 0xffff);
}

static void place(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	const struct pv_topology_node *parent = n->parent < 0 ? NULL : &b->t->nodes[n->parent];
	const char *s = get(b, x, "bdf");
	bool good = !s || pv_topology_bdf(s, &n->bdf);

	place_domain(b, x, n, good ? s : NULL);
	if (!good)
		complain(b, x, "<%s> bdf: expected a function such as 00:10.0, got '%s'", x->name, PV_SHOW(s));
	else if (!s && !parent)
		complain(b, x, "<%s> '%s' is on a root bus and needs bdf: a function such as 00:10.0", x->name,
			 n->name);
	else if (!s && !next_place(b, parent, n->spare, &n->bdf))
		complain(b, x, "<%s> '%s': bus %02x below '%s' has no room left", x->name, n->name, parent->secondary,
			 parent->name);
	else if (s && parent && pv_topology_bus(n) != parent->secondary)
		complain(b, x, "<%s> '%s': bdf %s is outside of bus %02x, which is the one below '%s'", x->name,
			 n->name, s, parent->secondary, parent->name);
	else if (s && parent && parent->link && !n->vf && !n->ari && (n->bdf >> 3 & 31))
		complain(b, x, "<%s> '%s': below the link of '%s' there is only device 0, got %s", x->name, n->name,
			 parent->name, s);
	if (n->ari && (!parent || !parent->link))
		complain(b, x, "<%s> '%s': ari needs a link above it", x->name, n->name);
}

static void place_node(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	bool said = get(b, x, "numa-node") != NULL;

	n->numa_node = said ? (int)number(b, x, "numa-node", 0, 7, 0) : -1;
	if (said && n->parent >= 0)
		complain(b, x, "<%s> '%s' is below '%s': expected numa-node at a function on the root bus", x->name,
			 n->name, b->t->nodes[n->parent].name);
}

/* The root bus that it is on or below, with its domain. */
static uint32_t root_bus(const struct build *b, const struct pv_topology_node *n)
{
	while (n->parent >= 0)
		n = &b->t->nodes[n->parent];
	return n->bdf >> 8;
}

/* The bus number after the highest that is given below the root bus of n. */
static unsigned next_bus(const struct build *b, const struct pv_topology_node *n)
{
	uint32_t root = root_bus(b, n);
	unsigned next = (root & 0xff) + 1;

	for (const struct pv_topology_node *o = b->t->nodes; o < n; o++)
		if (o->bridge && o->secondary >= next && root_bus(b, o) == root)
			next = o->secondary + 1u;
	return next;
}

/* The bus below a bridge: as it says, or the next one. */
static void give_bus(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	uint64_t bus = number(b, x, "bus", 0, 255, next_bus(b, n));

	if (bus > 255)
		complain(b, x, "<%s> '%s': there are no bus numbers left for the bus below it", x->name, n->name);
	else if (bus <= pv_topology_bus(n) && pv_xml_get(x, "bus"))
		complain(b, x, "<%s> '%s': bus %02x below it is not above its own bus %02x: a loop", x->name, n->name,
			 (unsigned)bus, pv_topology_bus(n));
	n->secondary = n->subordinate = (uint8_t)bus;
}

/* ---- nodes ---- */

static void read_sizes(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	static const struct {
		const char *attr;
		size_t offset;
	} sizes[] = {
		{"mpss", offsetof(struct pv_topology_node, mpss)},
		{"mps", offsetof(struct pv_topology_node, mps)},
		{"mrrs", offsetof(struct pv_topology_node, mrrs)},
		{"mrrs-max", offsetof(struct pv_topology_node, mrrs_max)},
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		*(unsigned *)((char *)n + sizes[i].offset) = (unsigned)number(b, x, sizes[i].attr, 128, 16384, 128);
	n->mps_ro = (unsigned)number(b, x, "mps-ro", 0, 7, 0);
	n->mrrs_ro = (unsigned)number(b, x, "mrrs-ro", 0, 7, 0);
	if (n->mps > n->mpss && !yes(b, x, "odd", false))
		complain(b, x, "<%s> '%s': mps %u is above mpss %u; if firmware leaves it so, say odd=\"yes\"", x->name,
			 n->name, n->mps, n->mpss);
	if (n->mrrs > n->mrrs_max && !yes(b, x, "odd", false))
		complain(b, x, "<%s> '%s': mrrs %u is above mrrs-max %u; if firmware leaves it so, say odd=\"yes\"",
			 x->name, n->name, n->mrrs, n->mrrs_max);
}

/* A link is trained at its maximum or below. */
static void read_link(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	const char *speed = get(b, x, "speed"), *max = get(b, x, "max-speed");

	n->speed = speed ? speed : "8"; /* kinds without a link below have none */
	n->max_speed = max ? max : n->speed;
	n->width = (unsigned)number(b, x, "width", 1, 16, 8);
	n->max_width = (unsigned)number(b, x, "max-width", 1, 16, n->width);
	if (strtod(n->max_speed, NULL) < strtod(n->speed, NULL))
		complain(b, x, "<%s> '%s': speed %s is above max-speed %s", x->name, n->name, n->speed, n->max_speed);
	if (n->max_width < n->width)
		complain(b, x, "<%s> '%s': width %u is above max-width %u", x->name, n->name, n->width, n->max_width);
}

static void read_ras_des(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	n->ras_des = yes(b, x, "ras-des", false);
	n->core_clk_ps = (unsigned)number(b, x, "core-clk-ps", 1, 1000000, 1000);
	n->aux_clk_ps = (unsigned)number(b, x, "aux-clk-ps", 1, 100000000, 40000);
	n->l1_aux_is_9 = number(b, x, "l1-aux-report", 8, 9, 8) == 9;
	n->other_lanes_read_0 = yes(b, x, "other-lanes-read-0", false);
	n->loses_counts = yes(b, x, "loses-counts", false);
	n->narrow_counters_stay = says(b, x, "narrow-counters", "stay");
	n->lacks_events = get(b, x, "lacks-events");
	n->selected_anew = yes(b, x, "selected-anew", false);
	n->time_is_narrow = number(b, x, "time-bits", 32, 64, 64) == 32;
}

static void read_node(struct build *b, const struct pv_xml *x, struct pv_topology_node *n)
{
	n->vendor = (uint16_t)number(b, x, "vendor", 0, 0xffff, 0);
	n->device = (uint16_t)number(b, x, "device", 0, 0xffff, 0);
	read_sizes(b, x, n);
	read_link(b, x, n);
	n->rcb = (unsigned)number(b, x, "rcb", 64, 128, 64);
	n->hotplug = yes(b, x, "hotplug", false);
	n->slot = yes(b, x, "slot", n->hotplug);
	n->slot_has = get(b, x, "slot-has");
	n->slot_number = (unsigned)number(b, x, "slot-number", 0, 0x1fff, 0);
	n->soft_reset = yes(b, x, "soft-reset", false);
	n->vf = yes(b, x, "vf", false);
	read_ras_des(b, x, n);
	n->dllps = n->link && yes(b, x, "dllps", b->dllps);
	n->sicl = (uint16_t)number(b, x, "sicl", 0, 0xffff, 0);
	n->core = (uint16_t)number(b, x, "core", 0, 0xffff, 0);
	n->first = get(b, x, "first");
	n->last = get(b, x, "last");
	n->so = get(b, x, "so");
	n->time = get(b, x, "time");
	n->rubbish = says(b, x, "tails", "rubbish");
	n->held = (unsigned)number(b, x, "held", 0, 16, 0);
	n->ari = yes(b, x, "ari", false);
	pv_xml_foreach_named (c, x, "config")
		read_config(b, c, n);
	pv_xml_foreach_named (c, x, "cpmu")
		read_cpmu(b, c, n);
	if (n->cpmus && strcmp(n->kind, "cxl-mem"))
		complain(b, x, "<%s> '%s' has a cpmu, expected that only in a cxl-mem", x->name, n->name);
}

static struct pv_topology_node *node_new(struct build *b, const struct pv_xml *x)
{
	if (b->t->n == PV_TOPOLOGY_MAX_NODES) {
		complain(b, x, "the topology has more than %u functions", PV_TOPOLOGY_MAX_NODES);
		return NULL;
	}
	struct pv_topology_node *n = &b->t->nodes[b->t->n++];
	*n = (struct pv_topology_node){.x = x};
	return n;
}

/* Further functions of a device are copies of the first on the function numbers behind it. */
static void add_functions(struct build *b, const struct pv_xml *x, int first)
{
	uint64_t functions = number(b, x, "functions", 1, 256, 1);
	bool many = b->t->nodes[first].ari || b->t->nodes[first].vf;
	unsigned room = many ? 256 : 8, from = b->t->nodes[first].bdf % room;

	if (functions > room) {
		complain(b, x, "<%s> functions: expected 1 to %u functions%s, got '%u'", x->name, room,
			 room == 8 ? " (with ari or vf 256)" : "", (unsigned)functions);
		return;
	}
	if (from + functions > room) {
		complain(b, x, "<%s> '%s': %u functions from function %u on do not fit into %u", x->name,
			 b->t->nodes[first].name, (unsigned)functions, from, room);
		return;
	}
	for (unsigned i = 1; i < functions; i++) {
		struct pv_topology_node *n = node_new(b, x);

		if (!n)
			return;
		*n = b->t->nodes[first];
		n->name = pv_arena_printf(b->env->arena, "%s.%u", n->name, i);
		n->bdf += i;
		if (!n->name)
			b->bad = pv_problem_memory(b->env->problems) != 0;
	}
}

/* Depth is bounded by the parser. */
static void add_node(struct build *b, const struct pv_xml *x, int parent)
{
	const struct kind *k = kind_of(x);
	int id = (int)b->t->n;

	if (!k)
		return; /* config, cpmu and the like */
	struct pv_topology_node *n = node_new(b, x);
	if (!n)
		return;
	n->spare = !k->kind;
	n->kind = n->spare ? get(b, x, "kind") : k->kind;
	n->name = get(b, x, "name");
	n->parent = parent;
	n->bridge = k->bridge;
	n->link = k->link;
	read_node(b, x, n);
	place(b, x, n);
	place_node(b, x, n);
	if (n->bridge)
		give_bus(b, x, n);
	add_functions(b, x, id);
	pv_xml_foreach (c, x)
		add_node(b, c, id);
	for (unsigned i = (unsigned)id; n->bridge && i < b->t->n; i++)
		if (b->t->nodes[i].secondary > n->subordinate)
			n->subordinate = b->t->nodes[i].secondary;
}

/* A spare goes below the port that it names, once all ports are there. */
static void add_spare(struct build *b, const struct pv_xml *x)
{
	const char *port = get(b, x, "port");
	const struct pv_topology_node *n = port ? pv_topology_find(b->t, port) : NULL;

	if (!n || !n->link) {
		complain(b, x, "<spare> port: there is no port '%s'%s", PV_SHOW(port ? port : ""),
			 pv_did_you_mean(port ? port : "", pv_topology_port_candidate, b->t).s);
		return;
	}
	add_node(b, x, (int)(n - b->t->nodes));
}

/* ---- files ---- */

static char *beside(struct pv_arena *a, const char *file, const char *src)
{
	const char *slash = strrchr(file, '/');

	if (src[0] == '/' || !slash)
		return pv_arena_strdup(a, src);
	return pv_arena_printf(a, "%.*s/%s", (int)(slash - file), file, src);
}

/* A word is the name of a topology that comes with pcieval, all else a path. NULL: there is none, or no memory; reported. */
static char *path_of(struct build *b, const struct pv_xml *x, const char *src)
{
	struct pv_arena *a = b->env->arena;

	if (strpbrk(src, "/."))
		return beside(a, x->file, src);
	char *name = pv_arena_printf(a, "fixtures/topologies/%s.xml", src);
	_autofree_ char *found = name ? pv_share_find(x->file, name) : NULL;
	if (found)
		return pv_arena_strdup(a, found);
	complain(b, x,
		 "<topology> src: expected fixtures/topologies/%s.xml above this plan, here, or where pcieval is "
		 "installed; got none",
		 PV_SHOW(src));
	return NULL;
}

static struct pv_xml *read_file(const struct pv_topology_env *env, const char *path)
{
	for (struct pv_topology_file *f = *env->files; f; f = f->next)
		if (!strcmp(f->path, path))
			return f->root;
	struct pv_topology_file *f = pv_arena_alloc(env->arena, sizeof(*f));
	if (!f) {
		pv_problem_memory(env->problems);
		return NULL;
	}
	*f = (struct pv_topology_file){path, pv_xml_read(path, env->arena, env->problems), *env->files};
	*env->files = f;
	if (f->root)
		pv_xml_check(f->root, &pv_plan_schema, "topology", env->problems);
	return f->root;
}

/* The file's <topology>, or NULL: there is none, or it was reported. */
static const struct pv_xml *source(struct build *b, const struct pv_xml *x)
{
	const char *src = get(b, x, "src");

	if (!src)
		return NULL;
	char *path = path_of(b, x, src);
	if (!path)
		return NULL;
	const struct pv_xml *root = read_file(b->env, path);
	if (!root || root->bad)
		complain(b, x, "<topology> src: '%s' could not be used", PV_SHOW(src));
	else if (pv_xml_get(root, "src"))
		complain(b, root, "<topology> src: a topology file cannot include another one");
	return b->bad ? NULL : root;
}

static void build(struct build *b, const struct pv_xml *x)
{
	const struct pv_xml *parts[2] = {source(b, x), x};

	b->t->iommu = "none";
	b->t->cpus = 1;
	for (int i = 0; i < 2; i++) {
		if (!parts[i])
			continue;
		const char *iommu = get(b, parts[i], "iommu");
		b->t->iommu = iommu ? iommu : b->t->iommu;
		b->t->port_pm = yes(b, parts[i], "port-pm", b->t->port_pm);
		b->t->cpus = (unsigned)number(b, parts[i], "cpus", 1, 8, b->t->cpus);
		b->dllps = yes(b, parts[i], "dllps", b->dllps);
	}
	for (int i = 0; i < 2 && !b->bad; i++)
		for (struct pv_xml *c = parts[i] ? parts[i]->first : NULL; c; c = c->next)
			if (strcmp(c->name, "spare"))
				add_node(b, c, -1);
	for (int i = 0; i < 2 && !b->bad; i++)
		for (struct pv_xml *c = parts[i] ? pv_xml_child(parts[i], "spare") : NULL; c;
		     c = pv_xml_sibling(c, "spare"))
			add_spare(b, c);
}

struct pv_plan_topology *pv_topology_build(const struct pv_topology_env *env, const struct pv_xml *x,
					   const struct pv_scope *scope)
{
	struct build b = {.env = env, .scope = scope};

	b.t = pv_arena_alloc(env->arena, sizeof(*b.t));
	struct pv_topology_node *nodes =
		malloc(PV_TOPOLOGY_MAX_NODES * sizeof(*nodes)); /* node_new() clears what it gives */
	if (!b.t || !nodes) {
		free(nodes);
		pv_problem_memory(env->problems);
		return NULL;
	}
	b.t->nodes = nodes;
	b.t->source = x;
	build(&b, x);
	b.t->nodes = pv_arena_array(env->arena, b.t->n + 1, sizeof(*nodes));
	if (b.t->nodes)
		memcpy(b.t->nodes, nodes, b.t->n * sizeof(*nodes));
	free(nodes);
	if (!b.t->nodes) {
		pv_problem_memory(env->problems);
		return NULL;
	}
	b.t->literal = !b.substituted;
	if (b.bad || !pv_topology_check(b.t, env->problems, scope->where))
		return NULL;
	if (pv_topology_name_pmus(b.t, env->arena))
		return b.t;
	pv_problem_memory(env->problems);
	return NULL;
}

/* ---- finding ---- */

const struct pv_topology_node *pv_topology_find(const struct pv_plan_topology *t, const char *ref)
{
	uint32_t bdf;
	const struct pv_topology_node *spare = NULL;
	bool place = pv_topology_bdf(ref, &bdf);

	for (unsigned i = 0; i < t->n; i++) {
		const struct pv_topology_node *n = &t->nodes[i];

		if (!place ? strcmp(n->name, ref) != 0 : n->bdf != bdf)
			continue;
		if (!n->spare)
			return n;
		spare = n;
	}
	return spare;
}

const char *pv_topology_candidate(const void *topology, size_t i)
{
	const struct pv_plan_topology *t = topology;

	return i < t->n ? t->nodes[i].name : NULL;
}

const char *pv_topology_port_candidate(const void *topology, size_t i)
{
	const struct pv_plan_topology *t = topology;

	for (unsigned k = 0; k < t->n; k++)
		if (t->nodes[k].link && !i--)
			return t->nodes[k].name;
	return NULL;
}
