/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a list of functions from <topology>. topology_check.c checks rules across functions. */
#include "framework/plan/topology_build.h"

#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/share.h"

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

/* ---- nodes ---- */

static void check_sizes(struct pv_topology_build *b, const struct pv_xml *x, const struct pv_topo_node *n)
{
	const struct pv_node_conf *c = &n->conf;

	if (pv_build_yes(b, x, "odd", false))
		return;
	if (c->mps > c->mpss)
		pv_build_complain(b, x, "<%s> '%s': mps %u is above mpss %u; if firmware leaves it so, say odd=\"yes\"",
				  x->name, n->name, PCI_EXP_SIZE_BYTES(c->mps), PCI_EXP_SIZE_BYTES(c->mpss));
	if (c->mrrs > c->mrrs_max)
		pv_build_complain(b, x,
				  "<%s> '%s': mrrs %u is above mrrs-max %u; if firmware leaves it so, say odd=\"yes\"",
				  x->name, n->name, PCI_EXP_SIZE_BYTES(c->mrrs), PCI_EXP_SIZE_BYTES(c->mrrs_max));
}

/* Sets the link: it is trained at its maximum or below. */
static void read_link(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	const char *const *speeds = pv_types[PV_TYPE_SPEED].values;
	struct pv_node_conf *c = &n->conf;

	c->max_speed = c->max_speed ? c->max_speed : c->speed;
	c->max_width = c->max_width ? c->max_width : c->width;
	c->dllps = pv_topo_node_heads_link(n) && pv_build_yes(b, x, "dllps", b->dllps);
	if (!pv_xml_get(x, "slot"))
		c->slot = c->hotplug;
	if (c->max_speed < c->speed)
		pv_build_complain(b, x, "<%s> '%s': speed %s is above max-speed %s", x->name, n->name,
				  speeds[c->speed - 1], speeds[c->max_speed - 1]);
	if (c->max_width < c->width)
		pv_build_complain(b, x, "<%s> '%s': width %u is above max-width %u", x->name, n->name, c->width,
				  c->max_width);
}

static void read_node(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	struct pv_node_source *from = &b->t->from[n - b->m->nodes];

	pv_build_members(b, x, &pv_node_members, &n->conf);
	pv_topo_node_describe(n);
	check_sizes(b, x, n);
	read_link(b, x, n);
	from->first = pv_build_get(b, x, "first");
	from->last = pv_build_get(b, x, "last");
	pv_xml_foreach_named (c, x, "config")
		pv_build_config(b, c, &n->conf);
	pv_xml_foreach_named (c, x, "cpmu")
		pv_build_cpmu(b, c, &n->conf);
	if (n->conf.cpmus && n->conf.kind != PV_NODE_CXL_MEM)
		pv_build_complain(b, x, "<%s> '%s' has a cpmu, expected that only in a cxl-mem", x->name, n->name);
}

static struct pv_topo_node *node_new(struct pv_topology_build *b, const struct pv_xml *x)
{
	if (b->m->n == PV_TOPOLOGY_MAX_NODES) {
		pv_build_complain(b, x, "the topology has more than %u functions", PV_TOPOLOGY_MAX_NODES);
		return NULL;
	}
	b->t->from[b->m->n] = (struct pv_node_source){.x = x};
	b->m->nodes[b->m->n] = (struct pv_topo_node){0};
	return &b->m->nodes[b->m->n++];
}

/* Copies the first function of a device to the following function numbers. */
static void add_functions(struct pv_topology_build *b, const struct pv_xml *x, int id)
{
	const struct pv_topo_node *first = &b->m->nodes[id];
	uint64_t functions = pv_build_number(b, x, "functions", 1, 256, 1);
	bool many = first->conf.ari || first->conf.vf;
	unsigned room = many ? 256 : 8, from = first->conf.bdf % room;

	if (functions > room) {
		pv_build_complain(b, x, "<%s> functions: expected 1 to %u functions%s, got '%u'", x->name, room,
				  room == 8 ? " (with ari or vf 256)" : "", (unsigned)functions);
		return;
	}
	if (from + functions > room) {
		pv_build_complain(b, x, "<%s> '%s': %u functions from function %u on do not fit into %u", x->name,
				  first->name, (unsigned)functions, from, room);
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
static void add_node(struct pv_topology_build *b, const struct pv_xml *x, int parent)
{
	bool spare = !strcmp(x->name, "spare");
	const struct kind *k = kind_of(spare ? pv_build_get(b, x, "kind") : x->name);
	int id = (int)b->m->n;

	if (!k)
		return; /* config, cpmu and similar elements */
	struct pv_topo_node *n = node_new(b, x);
	if (!n)
		return;
	n->spare = spare;
	n->name = pv_build_get(b, x, "name");
	n->conf.kind = k->kind;
	n->conf.parent = parent;
	read_node(b, x, n);
	pv_build_place(b, x, n);
	pv_build_numa_node(b, x, n);
	if (pv_topo_node_is_bridge(n))
		pv_build_bus(b, x, n);
	add_functions(b, x, id);
	pv_xml_foreach (c, x)
		add_node(b, c, id);
	for (unsigned i = (unsigned)id; pv_topo_node_is_bridge(n) && i < b->m->n; i++)
		if (b->m->nodes[i].conf.secondary > n->conf.subordinate)
			n->conf.subordinate = b->m->nodes[i].conf.secondary;
}

/* Places a spare below the port that it names, after all ports. */
static void add_spare(struct pv_topology_build *b, const struct pv_xml *x)
{
	const char *port = pv_build_get(b, x, "port");
	const struct pv_topo_node *n = port ? pv_topology_node(b->m, port) : NULL;

	if (!n || !pv_topo_node_heads_link(n)) {
		pv_build_complain(b, x, "<spare> port: there is no port '%s'%s", PV_SHOW(port ? port : ""),
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
static char *path_of(struct pv_topology_build *b, const struct pv_xml *x, const char *src)
{
	struct pv_arena *a = b->env->arena;

	if (strpbrk(src, "/."))
		return beside(a, x->file, src);
	char *name = pv_arena_printf(a, "fixtures/topologies/%s.xml", src);
	_autofree_ char *found = name ? pv_share_find(x->file, name) : NULL;
	if (found)
		return pv_arena_strdup(a, found);
	pv_build_complain(
		b, x,
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
static const struct pv_xml *source(struct pv_topology_build *b, const struct pv_xml *x)
{
	const char *src = pv_build_get(b, x, "src");

	if (!src)
		return NULL;
	char *path = path_of(b, x, src);
	if (!path)
		return NULL;
	const struct pv_xml *root = read_file(b->env, path);
	if (!root || root->bad)
		pv_build_complain(b, x, "<topology> src: '%s' could not be used", PV_SHOW(src));
	else if (pv_xml_get(root, "src"))
		pv_build_complain(b, root, "<topology> src: a topology file cannot include another one");
	return b->bad ? NULL : root;
}

static void read_system(struct pv_topology_build *b, const struct pv_xml *x)
{
	const char *iommu = pv_build_get(b, x, "iommu");

	if (iommu)
		b->m->iommu = !strcmp(iommu, "none")	   ? PV_IOMMU_NONE
			      : !strcmp(iommu, "identity") ? PV_IOMMU_IDENTITY
							   : PV_IOMMU_TRANSLATES;
	b->m->port_pm = pv_build_yes(b, x, "port-pm", b->m->port_pm);
	b->m->threadirqs = pv_build_yes(b, x, "threadirqs", b->m->threadirqs);
	b->m->cpus = (unsigned)pv_build_number(b, x, "cpus", 1, PV_TOPOLOGY_CPUS_MAX, b->m->cpus);
	b->dllps = pv_build_yes(b, x, "dllps", b->dllps);
}

static void build(struct pv_topology_build *b, const struct pv_xml *x)
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
static bool keep(struct pv_topology_build *b)
{
	void *nodes = pv_build_more(b, b->m->nodes, (unsigned)b->m->n, sizeof(*b->m->nodes));
	void *from = pv_build_more(b, b->t->from, (unsigned)b->m->n, sizeof(*b->t->from));

	b->m->nodes = nodes;
	b->t->from = from;
	return nodes && from;
}

struct pv_plan_topology *pv_topology_build(const struct pv_topology_env *env, const struct pv_xml *x,
					   const struct pv_scope *scope)
{
	_autofree_ struct pv_topo_node *nodes = malloc(PV_TOPOLOGY_MAX_NODES * sizeof(*nodes));
	_autofree_ struct pv_node_source *from = malloc(PV_TOPOLOGY_MAX_NODES * sizeof(*from));
	struct pv_topology_build b = {.env = env, .scope = scope};

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
