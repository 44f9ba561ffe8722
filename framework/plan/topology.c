/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a list of functions from <topology>: attributes, BDFs, bus numbers. topology_check.c checks rules across
 * functions.
 */
#include "framework/plan/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/plan/params.h"
#include "framework/schema/schema.h"
#include "framework/util/cleanup.h"
#include "framework/util/share.h"

struct build {
	const struct pv_topology_env *env;
	const struct pv_scope *scope;
	struct pv_plan_topology *t;
	struct pv_topology *m; /* of t */
	bool bad, dllps;
};

/* The kind of function for each element. */
static const struct kind {
	const char *element;
	enum pv_node_kind kind;
} kinds[] = {
	{"root-port", PV_NODE_ROOT_PORT},
	{"switch", PV_NODE_UPSTREAM},
	{"port", PV_NODE_DOWNSTREAM},
	{"endpoint", PV_NODE_ENDPOINT},
	{"legacy-endpoint", PV_NODE_LEGACY_ENDPOINT},
	{"rciep", PV_NODE_RCIEP},
	{"event-collector", PV_NODE_EVENT_COLLECTOR},
	{"pci-bridge", PV_NODE_PCI_BRIDGE},
	{"pcie-bridge", PV_NODE_PCIE_BRIDGE},
	{"pci-device", PV_NODE_CONV_DEVICE},
	{"conv-bridge", PV_NODE_CONV_BRIDGE},
	{"conv-device", PV_NODE_CONV_DEVICE},
	{"ptt", PV_NODE_PTT},
	{"cxl-mem", PV_NODE_CXL_MEM},
};

static const struct kind *kind_of(const char *element)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].element, element))
			return &kinds[i];
	return NULL;
}

#define complain(b, x, ...)                                                                           \
	do {                                                                                          \
		pv_problem((b)->env->problems, (x)->file, (x)->line, (b)->scope->where, __VA_ARGS__); \
		(b)->bad = true;                                                                      \
	} while (0)

/* ---- attributes ---- */

static void note_substituted(struct build *b, const char *text, const char *value)
{
	struct pv_substituted *s = pv_arena_alloc(b->env->arena, sizeof(*s));

	if (!s) {
		b->bad = pv_problem_memory(b->env->problems) != 0;
		return;
	}
	*s = (struct pv_substituted){text, value, b->t->substituted};
	b->t->substituted = s;
}

/* Returns the value, substituted and checked by its type, or the schema's default. NULL: neither. */
static const char *get(struct build *b, const struct pv_xml *x, const char *name)
{
	const struct pv_attr_decl *d = pv_schema_attr(x->decl, name);
	const char *text = pv_xml_get(x, name), *value;

	if (!text)
		return d ? d->value : NULL;
	if (!strstr(text, "${"))
		return text;
	if (!pv_substitute(b->scope, text, x, name, b->env->arena, b->env->problems, &value) ||
	    (d && !pv_xml_check_value(x, d, value, b->scope->where, b->env->problems))) {
		b->bad = true;
		return d ? d->value : NULL;
	}
	note_substituted(b, text, value);
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

/* Sets the members of *base from the element's attributes; the others get their defaults. */
static void read_members(struct build *b, const struct pv_xml *x, const struct pv_element_decl *members, void *base)
{
	pv_members_default(members, base);
	for (unsigned i = 0; i < x->n_attrs; i++) {
		const struct pv_attr_decl *a = x->attrs[i].decl;
		const char *value = a && a->member ? get(b, x, a->name) : NULL;

		if (value)
			pv_member_set(a, base, value);
	}
}

static void *more(struct build *b, const void *old, unsigned n, size_t bytes)
{
	void *new = pv_arena_array(b->env->arena, n + 1, bytes);

	if (!new)
		b->bad = pv_problem_memory(b->env->problems) != 0;
	else if (n)
		memcpy(new, old, n * bytes);
	return new;
}

/* ---- CPMUs ---- */

static void read_cap(struct build *b, const struct pv_xml *x, struct pv_cpmu_conf *c)
{
	if (c->event_caps == PV_CPMU_MAX_EVENT_CAPS) {
		complain(b, x, "<event-cap>: a CPMU has at most %d", PV_CPMU_MAX_EVENT_CAPS);
		return;
	}
	read_members(b, x, &pv_event_cap_members, &c->event_cap[c->event_caps++]);
}

/* Returns the unused counter of this number or, without a number, the last unused one. NULL: a problem was reported. */
static struct pv_cpmu_counter_conf *free_counter(struct build *b, const struct pv_xml *x, struct pv_cpmu_conf *c)
{
	const char *number = get(b, x, "counter");
	uint64_t i = c->counters;

	if (!number) {
		while (i && c->counter[i - 1].type != CPMU_CFG_TYPE_CONFIGURABLE)
			i--;
		if (i)
			return &c->counter[i - 1];
		complain(b, x, "<%s>: the CPMU has %u counters in all, and this is one more", x->name, c->counters);
		return NULL;
	}
	pv_number_parse(number, &i);
	if (i >= c->counters)
		complain(b, x, "<%s> counter: expected 0 to %u, got '%s'", x->name, c->counters - 1, number);
	else if (c->counter[i].type != CPMU_CFG_TYPE_CONFIGURABLE)
		complain(b, x, "<%s> counter: %ju is another's already", x->name, (uintmax_t)i);
	else
		return &c->counter[i];
	return NULL;
}

static void read_fixed(struct build *b, const struct pv_xml *x, struct pv_cpmu_conf *c)
{
	struct pv_cpmu_counter_conf *counter = free_counter(b, x, c);

	if (!counter)
		return;
	counter->type = !strcmp(x->name, "fixed") ? CPMU_CFG_TYPE_FIXED : CPMU_CFG_TYPE_FREE_RUNNING;
	read_members(b, x, &pv_counter_members, counter);
	if (counter->group >= c->event_caps)
		complain(b, x, "<%s> group: there are %u event-cap, got index %u", x->name, c->event_caps,
			 counter->group);
}

/* Places counters with a number first. The others follow in order, and get the last free numbers. */
static void read_counters(struct build *b, struct pv_xml *x, struct pv_cpmu_conf *c)
{
	const struct pv_xml *left[PV_CPMU_MAX_COUNTERS];
	unsigned n = 0;

	for (unsigned i = 0; i < c->counters; i++)
		c->counter[i].type = CPMU_CFG_TYPE_CONFIGURABLE;
	pv_xml_foreach (e, x) {
		if (!strcmp(e->name, "event-cap"))
			continue;
		if (pv_xml_get(e, "counter") || n == PV_CPMU_MAX_COUNTERS)
			read_fixed(b, e, c);
		else
			left[n++] = e;
	}
	while (n)
		read_fixed(b, left[--n], c);
}

static void read_cpmu(struct build *b, struct pv_xml *x, struct pv_node_conf *n)
{
	struct pv_cpmu_conf *all = more(b, n->cpmu, n->cpmus, sizeof(*all));

	if (!all)
		return;
	struct pv_cpmu_conf *c = &all[n->cpmus++];
	n->cpmu = all;
	read_members(b, x, &pv_cpmu_members, c);
	pv_xml_foreach_named (e, x, "event-cap")
		read_cap(b, e, c);
	if (!c->event_caps)
		complain(b, x, "<cpmu>: expected at least one event-cap");
	read_counters(b, x, c);
}

/* ---- configuration space ---- */

static void read_config(struct build *b, const struct pv_xml *x, struct pv_node_conf *n)
{
	struct pv_cfg_override *all = more(b, n->override, n->overrides, sizeof(*all));

	if (!all)
		return;
	struct pv_cfg_override *c = &all[n->overrides++];
	n->override = all;
	read_members(b, x, &pv_config_members, c);
	uint32_t most = UINT32_MAX >> (32 - 8 * c->bytes);
	if (c->value > most || c->writable > most)
		complain(b, x, "<config>: expected value and writable of at most 0x%x, got 0x%x and 0x%x", most,
			 c->value, c->writable);
	if (c->offset % c->bytes)
		complain(b, x, "<config> offset: expected a multiple of %u bytes, got 0x%x", c->bytes, c->offset);
}

/* ---- BDFs ---- */

/* Returns true if a function has this BDF. Ignores the last function, which is being placed. */
static bool taken(const struct build *b, uint32_t bdf)
{
	for (unsigned i = 0; i + 1 < b->m->n; i++)
		if (b->m->nodes[i].conf.bdf == bdf && !b->m->nodes[i].spare)
			return true;
	return false;
}

/*
 * Finds the next free BDF on a bus. Below a link there is only device 0, so its functions are counted; on an internal
 * or a conventional bus, devices are counted.
 */
static bool next_place(const struct build *b, const struct pv_topo_node *parent, bool spare, uint32_t *out)
{
	unsigned step = pv_topo_node_heads_link(parent) ? 1 : 8, end = pv_topo_node_heads_link(parent) ? 8 : 256;

	for (unsigned devfn = 0; devfn < end; devfn += step) {
		*out = PCI_DOMAIN(parent->conf.bdf) << 16 | (uint32_t)parent->conf.secondary << 8 | devfn;
		if (spare || !taken(b, *out))
			return true;
	}
	return false;
}

/*
 * A function on a root bus names its domain, in `domain` or in `bdf`. All others are in the domain of the bridge above.
 */
static void place_domain(struct build *b, const struct pv_xml *x, struct pv_topo_node *n, const char *bdf)
{
	const struct pv_topo_node *parent = n->conf.parent < 0 ? NULL : &b->m->nodes[n->conf.parent];
	bool in_bdf = bdf && strchr(bdf, ':') != strrchr(bdf, ':');
	unsigned otherwise = parent ? PCI_DOMAIN(parent->conf.bdf) : 0;
	unsigned domain = (unsigned)number(b, x, "domain", 0, 0xffff, in_bdf ? PCI_DOMAIN(n->conf.bdf) : otherwise);

	if (in_bdf && PCI_DOMAIN(n->conf.bdf) != domain)
		complain(b, x, "<%s> '%s': bdf %s is outside of domain %u", x->name, n->name, bdf, domain);
	else if (parent && domain != otherwise)
		complain(b, x, "<%s> '%s': expected domain %u, which is that of '%s' above it, got %u", x->name,
			 n->name, otherwise, parent->name, domain);
	n->conf.bdf = domain << 16 | (n->conf.bdf & 0xffff);
}

static void place(struct build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	const struct pv_topo_node *parent = n->conf.parent < 0 ? NULL : &b->m->nodes[n->conf.parent];
	const char *s = get(b, x, "bdf");
	bool good = !s || !pv_bdf_parse(s, &n->conf.bdf);

	place_domain(b, x, n, good ? s : NULL);
	if (!good)
		complain(b, x, "<%s> bdf: expected a function such as 00:10.0, got '%s'", x->name, PV_SHOW(s));
	else if (!s && !parent)
		complain(b, x, "<%s> '%s' is on a root bus and needs bdf: a function such as 00:10.0", x->name,
			 n->name);
	else if (!s && !next_place(b, parent, n->spare, &n->conf.bdf))
		complain(b, x, "<%s> '%s': bus %02x below '%s' has no room left", x->name, n->name,
			 parent->conf.secondary, parent->name);
	else if (s && parent && PCI_BUS(n->conf.bdf) != parent->conf.secondary)
		complain(b, x, "<%s> '%s': bdf %s is outside of bus %02x, which is the one below '%s'", x->name,
			 n->name, s, parent->conf.secondary, parent->name);
	else if (s && parent && pv_topo_node_heads_link(parent) && !n->conf.vf && !n->conf.ari &&
		 (n->conf.bdf >> 3 & 31))
		complain(b, x, "<%s> '%s': below the link of '%s' there is only device 0, got %s", x->name, n->name,
			 parent->name, s);
	if (n->conf.ari && (!parent || !pv_topo_node_heads_link(parent)))
		complain(b, x, "<%s> '%s': ari needs a link above it", x->name, n->name);
}

static void place_node(struct build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	bool said = get(b, x, "numa-node") != NULL;

	n->numa_node = said ? (int)number(b, x, "numa-node", 0, 7, 0) : -1;
	if (said && n->conf.parent >= 0)
		complain(b, x, "<%s> '%s' is below '%s': expected numa-node at a function on the root bus", x->name,
			 n->name, b->m->nodes[n->conf.parent].name);
}

/* Returns the root bus above the function, with its domain. */
static uint32_t root_bus(const struct build *b, const struct pv_topo_node *n)
{
	while (n->conf.parent >= 0)
		n = &b->m->nodes[n->conf.parent];
	return n->conf.bdf >> 8;
}

/* Returns the bus number after the highest one below the root bus of n. */
static unsigned next_bus(const struct build *b, const struct pv_topo_node *n)
{
	uint32_t root = root_bus(b, n);
	unsigned next = (root & 0xff) + 1;

	for (const struct pv_topo_node *o = b->m->nodes; o < n; o++)
		if (pv_topo_node_is_bridge(o) && o->conf.secondary >= next && root_bus(b, o) == root)
			next = o->conf.secondary + 1u;
	return next;
}

/* Sets the secondary bus of a bridge: the given one, or the next free one. */
static void give_bus(struct build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	uint64_t bus = number(b, x, "bus", 0, 255, next_bus(b, n));

	if (bus > 255)
		complain(b, x, "<%s> '%s': there are no bus numbers left for the bus below it", x->name, n->name);
	else if (bus <= PCI_BUS(n->conf.bdf) && pv_xml_get(x, "bus"))
		complain(b, x, "<%s> '%s': bus %02x below it is not above its own bus %02x: a loop", x->name, n->name,
			 (unsigned)bus, PCI_BUS(n->conf.bdf));
	n->conf.secondary = n->conf.subordinate = (uint8_t)bus;
}

/* ---- nodes ---- */

static void check_sizes(struct build *b, const struct pv_xml *x, const struct pv_topo_node *n)
{
	const struct pv_node_conf *c = &n->conf;

	if (yes(b, x, "odd", false))
		return;
	if (c->mps > c->mpss)
		complain(b, x, "<%s> '%s': mps %u is above mpss %u; if firmware leaves it so, say odd=\"yes\"", x->name,
			 n->name, PCI_EXP_SIZE_BYTES(c->mps), PCI_EXP_SIZE_BYTES(c->mpss));
	if (c->mrrs > c->mrrs_max)
		complain(b, x, "<%s> '%s': mrrs %u is above mrrs-max %u; if firmware leaves it so, say odd=\"yes\"",
			 x->name, n->name, PCI_EXP_SIZE_BYTES(c->mrrs), PCI_EXP_SIZE_BYTES(c->mrrs_max));
}

/* Sets the link: it is trained at its maximum or below. */
static void read_link(struct build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	const char *const *speeds = pv_types[PV_TYPE_SPEED].values;
	struct pv_node_conf *c = &n->conf;

	c->max_speed = c->max_speed ? c->max_speed : c->speed;
	c->max_width = c->max_width ? c->max_width : c->width;
	c->dllps = pv_topo_node_heads_link(n) && yes(b, x, "dllps", b->dllps);
	if (!pv_xml_get(x, "slot"))
		c->slot = c->hotplug;
	if (c->max_speed < c->speed)
		complain(b, x, "<%s> '%s': speed %s is above max-speed %s", x->name, n->name, speeds[c->speed - 1],
			 speeds[c->max_speed - 1]);
	if (c->max_width < c->width)
		complain(b, x, "<%s> '%s': width %u is above max-width %u", x->name, n->name, c->width, c->max_width);
}

static void read_node(struct build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	struct pv_node_source *from = &b->t->from[n - b->m->nodes];

	read_members(b, x, &pv_node_members, &n->conf);
	pv_topo_node_describe(n);
	check_sizes(b, x, n);
	read_link(b, x, n);
	from->first = get(b, x, "first");
	from->last = get(b, x, "last");
	pv_xml_foreach_named (c, x, "config")
		read_config(b, c, &n->conf);
	pv_xml_foreach_named (c, x, "cpmu")
		read_cpmu(b, c, &n->conf);
	if (n->conf.cpmus && n->conf.kind != PV_NODE_CXL_MEM)
		complain(b, x, "<%s> '%s' has a cpmu, expected that only in a cxl-mem", x->name, n->name);
}

static struct pv_topo_node *node_new(struct build *b, const struct pv_xml *x)
{
	if (b->m->n == PV_TOPOLOGY_MAX_NODES) {
		complain(b, x, "the topology has more than %u functions", PV_TOPOLOGY_MAX_NODES);
		return NULL;
	}
	b->t->from[b->m->n] = (struct pv_node_source){.x = x};
	b->m->nodes[b->m->n] = (struct pv_topo_node){0};
	return &b->m->nodes[b->m->n++];
}

/* Copies the first function of a device to the following function numbers. */
static void add_functions(struct build *b, const struct pv_xml *x, int id)
{
	const struct pv_topo_node *first = &b->m->nodes[id];
	uint64_t functions = number(b, x, "functions", 1, 256, 1);
	bool many = first->conf.ari || first->conf.vf;
	unsigned room = many ? 256 : 8, from = first->conf.bdf % room;

	if (functions > room) {
		complain(b, x, "<%s> functions: expected 1 to %u functions%s, got '%u'", x->name, room,
			 room == 8 ? " (with ari or vf 256)" : "", (unsigned)functions);
		return;
	}
	if (from + functions > room) {
		complain(b, x, "<%s> '%s': %u functions from function %u on do not fit into %u", x->name, first->name,
			 (unsigned)functions, from, room);
		return;
	}
	for (unsigned i = 1; i < functions; i++) {
		struct pv_topo_node *n = node_new(b, x);

		if (!n)
			return;
		*n = *first;
		n->name = pv_arena_printf(b->env->arena, "%s.%u", n->name, i);
		n->conf.bdf += i;
		if (!n->name)
			b->bad = pv_problem_memory(b->env->problems) != 0;
	}
}

/* Depth is bounded by the parser. */
static void add_node(struct build *b, const struct pv_xml *x, int parent)
{
	bool spare = !strcmp(x->name, "spare");
	const struct kind *k = kind_of(spare ? get(b, x, "kind") : x->name);
	int id = (int)b->m->n;

	if (!k)
		return; /* config, cpmu and similar elements */
	struct pv_topo_node *n = node_new(b, x);
	if (!n)
		return;
	n->spare = spare;
	n->name = get(b, x, "name");
	n->conf.kind = k->kind;
	n->conf.parent = parent;
	read_node(b, x, n);
	place(b, x, n);
	place_node(b, x, n);
	if (pv_topo_node_is_bridge(n))
		give_bus(b, x, n);
	add_functions(b, x, id);
	pv_xml_foreach (c, x)
		add_node(b, c, id);
	for (unsigned i = (unsigned)id; pv_topo_node_is_bridge(n) && i < b->m->n; i++)
		if (b->m->nodes[i].conf.secondary > n->conf.subordinate)
			n->conf.subordinate = b->m->nodes[i].conf.secondary;
}

/* Places a spare below the port that it names, after all ports. */
static void add_spare(struct build *b, const struct pv_xml *x)
{
	const char *port = get(b, x, "port");
	const struct pv_topo_node *n = port ? pv_topology_node(b->m, port) : NULL;

	if (!n || !pv_topo_node_heads_link(n)) {
		complain(b, x, "<spare> port: there is no port '%s'%s", PV_SHOW(port ? port : ""),
			 pv_did_you_mean(port ? port : "", pv_topology_port_candidate, b->t).s);
		return;
	}
	add_node(b, x, (int)(n - b->m->nodes));
}

/* ---- files ---- */

static char *beside(struct pv_arena *a, const char *file, const char *src)
{
	const char *slash = strrchr(file, '/');

	if (src[0] == '/' || !slash)
		return pv_arena_strdup(a, src);
	return pv_arena_printf(a, "%.*s/%s", (int)(slash - file), file, src);
}

/*
 * Finds a topology file: a plain word names a built-in topology, anything else is a path. NULL: a problem was reported,
 * or no memory.
 */
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

/* Returns the <topology> of the file. NULL: no file is named, or a problem was reported. */
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

static void read_system(struct build *b, const struct pv_xml *x)
{
	const char *iommu = get(b, x, "iommu");

	if (iommu)
		b->m->iommu = !strcmp(iommu, "none")	   ? PV_IOMMU_NONE
			      : !strcmp(iommu, "identity") ? PV_IOMMU_IDENTITY
							   : PV_IOMMU_TRANSLATES;
	b->m->port_pm = yes(b, x, "port-pm", b->m->port_pm);
	b->m->threadirqs = yes(b, x, "threadirqs", b->m->threadirqs);
	b->m->cpus = (unsigned)number(b, x, "cpus", 1, PV_TOPOLOGY_CPUS_MAX, b->m->cpus);
	b->dllps = yes(b, x, "dllps", b->dllps);
}

static void build(struct build *b, const struct pv_xml *x)
{
	const struct pv_xml *parts[2] = {source(b, x), x};

	b->m->cpus = 1;
	for (int i = 0; i < 2; i++)
		if (parts[i])
			read_system(b, parts[i]);
	for (int i = 0; i < 2 && !b->bad; i++)
		for (struct pv_xml *c = parts[i] ? parts[i]->first : NULL; c; c = c->next)
			if (strcmp(c->name, "spare"))
				add_node(b, c, -1);
	for (unsigned i = 0; i < b->m->n; i++)
		pv_topo_node_describe(&b->m->nodes[i]);
	for (int i = 0; i < 2 && !b->bad; i++)
		for (struct pv_xml *c = parts[i] ? pv_xml_child(parts[i], "spare") : NULL; c;
		     c = pv_xml_sibling(c, "spare"))
			add_spare(b, c);
	for (unsigned i = 0; i < b->m->n; i++)
		pv_topo_node_describe(&b->m->nodes[i]);
}

/* Moves the result, which has room for the largest topology, to the arena. */
static bool keep(struct build *b)
{
	void *nodes = more(b, b->m->nodes, (unsigned)b->m->n, sizeof(*b->m->nodes));
	void *from = more(b, b->t->from, (unsigned)b->m->n, sizeof(*b->t->from));

	b->m->nodes = nodes;
	b->t->from = from;
	return nodes && from;
}

struct pv_plan_topology *pv_topology_build(const struct pv_topology_env *env, const struct pv_xml *x,
					   const struct pv_scope *scope)
{
	_autofree_ struct pv_topo_node *nodes = malloc(PV_TOPOLOGY_MAX_NODES * sizeof(*nodes));
	_autofree_ struct pv_node_source *from = malloc(PV_TOPOLOGY_MAX_NODES * sizeof(*from));
	struct build b = {.env = env, .scope = scope};

	b.t = pv_arena_alloc(env->arena, sizeof(*b.t));
	if (!b.t || !nodes || !from) {
		pv_problem_memory(env->problems);
		return NULL;
	}
	b.m = &b.t->machine;
	b.m->nodes = nodes;
	b.t->from = from;
	b.t->source = x;
	build(&b, x);
	if (!keep(&b))
		return NULL;
	if (b.bad || !pv_topology_check(b.t, env->problems, scope->where))
		return NULL;
	if (pv_topology_name_pmus(b.t, env->arena))
		return b.t;
	pv_problem_memory(env->problems);
	return NULL;
}

bool pv_topology_is_same(const struct pv_plan_topology *t, const struct pv_xml *x, const struct pv_scope *scope)
{
	struct pv_arena arena = {0};
	bool same = t->source == x;

	for (const struct pv_substituted *s = t->substituted; same && s; s = s->next) {
		const char *value;

		same = pv_substitute(scope, s->text, x, NULL, &arena, NULL, &value) && !strcmp(value, s->value);
	}
	pv_arena_free(&arena);
	return same;
}

/* ---- lookups ---- */

const char *pv_topology_candidate(const void *topology, size_t i)
{
	const struct pv_topology *m = &((const struct pv_plan_topology *)topology)->machine;

	return i < m->n ? m->nodes[i].name : NULL;
}

const char *pv_topology_port_candidate(const void *topology, size_t i)
{
	const struct pv_topology *m = &((const struct pv_plan_topology *)topology)->machine;

	for (size_t k = 0; k < m->n; k++)
		if (pv_topo_node_heads_link(&m->nodes[k]) && !i--)
			return m->nodes[k].name;
	return NULL;
}
