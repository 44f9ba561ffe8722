/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topologies as JSON (docs/protocol.md). Reading checks everything again, as the message may come from anywhere. Checks
 * that need the models (a slot without a bus, a BDF in use) are left to pv_model_add().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/schema/schema.h"
#include "framework/topology/topology.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

#define NODES_MAX 65536
#define CPMUS_MAX 64

static const char *const kind_names[] = {
#define X(id, word) word,
	PV_NODE_KINDS(X)
#undef X
};

static int name_index(const char *s, const char *const *names, size_t n)
{
	for (size_t i = 0; s && i < n; i++)
		if (!strcmp(names[i], s))
			return (int)i;
	return -1;
}

/* ---- writing ---- */

static json_object *member_json(const struct pv_attr_decl *a, const void *base)
{
	const struct pv_attr_member *m = a->member;
	char text[1024];

	switch (m->form) {
	case PV_MEMBER_NUMBER:
	case PV_MEMBER_FILTERS:
		return json_object_new_int64((int64_t)pv_member_number(m, base));
	case PV_MEMBER_BOOL:
		return json_object_new_boolean(pv_member_number(m, base) != 0);
	case PV_MEMBER_SIZE:
		return json_object_new_int64(PCI_EXP_SIZE_BYTES(pv_member_number(m, base)));
	default:
		pv_member_text(a, base, text, sizeof(text));
		return json_object_new_string(text);
	}
}

/* Members whose flag is off are meaningless, and left out. */
static bool add_members(json_object *o, const struct pv_element_decl *members, const void *base)
{
	pv_attr_foreach (a, members) {
		const struct pv_attr_member *m = a->member;

		if (m && (!m->flag || *((const bool *)base + m->flag)) && !pv_json_add(o, m->key, member_json(a, base)))
			return false;
	}
	return true;
}

static json_object *array_json(const struct pv_element_decl *members, const void *first, size_t n, size_t bytes)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++) {
		json_object *o = json_object_new_object();
		bool good = add_members(o, members, (const char *)first + i * bytes);

		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

static json_object *counters_json(const struct pv_cpmu_conf *c)
{
	json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < c->counters; i++) {
		json_object *o = json_object_new_object();
		bool good = pv_json_int(o, "type", c->counter[i].type) &&
			    (c->counter[i].type == CPMU_CFG_TYPE_CONFIGURABLE ||
			     add_members(o, &pv_counter_members, &c->counter[i]));

		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

static json_object *cpmus_json(const struct pv_node_conf *conf)
{
	json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < conf->cpmus; i++) {
		const struct pv_cpmu_conf *c = &conf->cpmu[i];
		json_object *o = json_object_new_object();
		bool good = add_members(o, &pv_cpmu_members, c) &&
			    pv_json_add(o, "event_caps",
					array_json(&pv_event_cap_members, c->event_cap, c->event_caps,
						   sizeof(*c->event_cap))) &&
			    pv_json_add(o, "counter", counters_json(c));

		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

static json_object *node_json(const struct pv_topology *t, const struct pv_topo_node *n)
{
	const struct pv_node_conf *c = &n->conf;
	json_object *o = json_object_new_object();
	bool good = pv_json_int(o, "id", n - t->nodes) && pv_json_string(o, "kind", pv_topo_node_kind(n)) &&
		    pv_json_string(o, "name", n->name) && pv_json_string(o, "bdf", pv_bdf_text(c->bdf).s) &&
		    pv_json_int(o, "parent", c->parent) && pv_json_int(o, "secondary", c->secondary) &&
		    pv_json_int(o, "subordinate", c->subordinate) && add_members(o, &pv_node_members, c) &&
		    pv_json_bool(o, "spare", n->spare) &&
		    pv_json_string(o, "range_lower", pv_bdf_text(n->range_lower).s) &&
		    pv_json_string(o, "range_upper", pv_bdf_text(n->range_upper).s) &&
		    pv_json_add(o, "cpmus", cpmus_json(c)) &&
		    pv_json_add(o, "config",
				array_json(&pv_config_members, c->override, c->overrides, sizeof(*c->override))) &&
		    (n->numa_node < 0 || n->parent >= 0 || pv_json_int(o, "numa_node", n->numa_node));

	return good ? o : pv_json_put(o);
}

static const char *const iommu_words[] = {
	[PV_IOMMU_NONE] = "none", [PV_IOMMU_IDENTITY] = "identity", [PV_IOMMU_TRANSLATES] = "translated"};

json_object *pv_topology_json(const struct pv_topology *t)
{
	json_object *o = json_object_new_object(), *nodes = json_object_new_array();
	bool good = pv_json_string(o, "iommu", iommu_words[t->iommu]) &&
		    (t->cpus == 1 || pv_json_int(o, "cpus", t->cpus)) &&
		    (!t->port_pm || pv_json_bool(o, "port_pm", true)) &&
		    (!t->threadirqs || pv_json_bool(o, "threadirqs", true)) && pv_json_add(o, "nodes", nodes);

	for (unsigned i = 0; good && i < t->n; i++)
		good = pv_json_append(nodes, node_json(t, &t->nodes[i]));
	return good ? o : pv_json_put(o);
}

/* ---- reading ---- */

/* The node being read, for error messages. */
struct reader {
	json_object *obj;
	const char *name;
	struct pv_arena *arena;
	struct pv_error *e;
	int err; /* the first error; later ones are ignored */
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
	if (!pv_json_is_count(v) || json_object_get_uint64(v) > max) {
		bad(r, key, expected, v);
		return def;
	}
	return json_object_get_uint64(v);
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

static pv_bdf bdf_of(struct reader *r, const char *key)
{
	const char *s = text(r, key);
	pv_bdf bdf = 0;

	if (s && pv_bdf_parse(s, &bdf))
		bad(r, key, "[dddd:]bb:dd.f", json_object_object_get(r->obj, key));
	return bdf;
}

/* Converts a JSON value to the text of a plan's attribute. False: it has the wrong type. */
static bool as_text(const struct pv_attr_decl *a, json_object *v, char *out, size_t size)
{
	static const char *const filters[] = {"none", "hdm", "bank", "hdm bank"};

	switch (a->member->form) {
	case PV_MEMBER_BOOL:
		snprintf(out, size, "%s",
			 json_object_get_boolean(v) ? (a->member->yes ? a->member->yes : "yes") : "no");
		return json_object_is_type(v, json_type_boolean);
	case PV_MEMBER_FILTERS:
		snprintf(out, size, "%s", filters[json_object_get_int64(v) & 3]);
		return json_object_is_type(v, json_type_int) && json_object_get_uint64(v) < ARRAY_SIZE(filters);
	case PV_MEMBER_NUMBER:
	case PV_MEMBER_SIZE:
		snprintf(out, size, "%jd", (intmax_t)json_object_get_int64(v));
		return json_object_is_type(v, json_type_int);
	default:
		snprintf(out, size, "%s", json_object_get_string(v));
		return json_object_is_type(v, json_type_string);
	}
}

static void read_member(struct reader *r, const struct pv_attr_decl *a, void *base)
{
	json_object *v = json_object_object_get(r->obj, a->member->key);
	bool empty_list = a->type->form == PV_TYPE_FORM_LIST && json_object_is_type(v, json_type_string) &&
			  !*json_object_get_string(v);
	char value[1024], expected[480];

	if (!v || empty_list)
		return;
	bool good =
		as_text(a, v, value, sizeof(value)) && (a->member->form == PV_MEMBER_BOOL || pv_attr_accepts(a, value));
	if (good)
		return pv_member_set(a, base, value);
	pv_attr_expected(a, expected, sizeof(expected));
	bad(r, a->member->key, a->member->form == PV_MEMBER_BOOL ? "true or false" : expected, v);
}

static void read_members(struct reader *r, const struct pv_element_decl *members, void *base)
{
	pv_members_default(members, base);
	pv_attr_foreach (a, members)
		if (a->member)
			read_member(r, a, base);
}

/* Returns the elements of a list; NULL: there are none, or too many, which is an error. */
static json_object *list(struct reader *r, const char *key, size_t max, size_t *n)
{
	json_object *array = json_object_object_get(r->obj, key);
	char expected[32];

	*n = json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
	if (*n <= max)
		return array;
	snprintf(expected, sizeof(expected), "at most %zu", max);
	bad(r, key, expected, array);
	*n = 0;
	return NULL;
}

static void read_list(struct reader *r, json_object *array, const struct pv_element_decl *members, void *first,
		      size_t n, size_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		struct reader sub = *r;

		sub.obj = json_object_array_get_idx(array, i);
		read_members(&sub, members, (char *)first + i * bytes);
		r->err = sub.err;
	}
}

static void read_counters(struct reader *r, struct pv_cpmu_conf *c)
{
	size_t n;
	json_object *array = list(r, "counter", c->counters, &n);

	for (unsigned i = 0; i < c->counters; i++)
		c->counter[i].type = CPMU_CFG_TYPE_CONFIGURABLE; /* the default */
	read_list(r, array, &pv_counter_members, c->counter, n, sizeof(*c->counter));
	for (size_t i = 0; i < n; i++) {
		struct reader sub = *r;

		sub.obj = json_object_array_get_idx(array, i);
		c->counter[i].type =
			(uint8_t)number(&sub, "type", CPMU_CFG_TYPE_CONFIGURABLE, CPMU_CFG_TYPE_CONFIGURABLE);
		r->err = sub.err;
	}
}

static void read_cpmu(struct reader *r, struct pv_cpmu_conf *c)
{
	size_t n;

	read_members(r, &pv_cpmu_members, c);
	json_object *caps = list(r, "event_caps", PV_CPMU_MAX_EVENT_CAPS, &n);
	c->event_caps = (unsigned)n;
	read_list(r, caps, &pv_event_cap_members, c->event_cap, n, sizeof(*c->event_cap));
	read_counters(r, c);
}

static int read_cpmus(struct reader *r, struct pv_node_conf *c)
{
	size_t n;
	json_object *array = list(r, "cpmus", CPMUS_MAX, &n);
	struct pv_cpmu_conf *conf = n ? pv_arena_array(r->arena, n, sizeof(*conf)) : NULL;

	if (n && !conf)
		return -ENOMEM;
	c->cpmu = conf;
	c->cpmus = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		struct reader sub = *r;

		sub.obj = json_object_array_get_idx(array, i);
		conf[i].counters = 4;
		read_cpmu(&sub, &conf[i]);
		r->err = sub.err;
	}
	return 0;
}

static int read_overrides(struct reader *r, struct pv_node_conf *c)
{
	size_t n;
	json_object *array = list(r, "config", PCI_CFG_BYTES, &n);
	struct pv_cfg_override *o = n ? pv_arena_array(r->arena, n, sizeof(*o)) : NULL;

	if (n && !o)
		return -ENOMEM;
	c->override = o;
	c->overrides = (unsigned)n;
	read_list(r, array, &pv_config_members, o, n, sizeof(*o));
	for (size_t i = 0; i < n; i++)
		if (o[i].offset % o[i].bytes)
			bad(r, "config", "1, 2 or 4 bytes at a multiple of that", json_object_array_get_idx(array, i));
	return 0;
}

static void read_place(struct reader *r, struct pv_node_conf *c, size_t index)
{
	json_object *parent = json_object_object_get(r->obj, "parent");
	int kind = name_index(text(r, "kind"), kind_names, ARRAY_SIZE(kind_names));

	if (kind < 0)
		bad(r, "kind", "root-port, endpoint, ... (docs/protocol.md)", json_object_object_get(r->obj, "kind"));
	c->kind = kind < 0 ? PV_NODE_ENDPOINT : (enum pv_node_kind)kind;
	c->parent = parent ? json_object_get_int(parent) : -1;
	if (c->parent < -1 || c->parent >= (int)index)
		bad(r, "parent", "-1 or the id of a function before this one", parent);
	c->bdf = bdf_of(r, "bdf");
	c->secondary = (uint8_t)number(r, "secondary", 0, 255);
	c->subordinate = (uint8_t)number(r, "subordinate", 0, 255);
	c->range_lower = PCI_RID(bdf_of(r, "range_lower"));
	c->range_upper = PCI_RID(bdf_of(r, "range_upper"));
}

static bool boolean(struct reader *r, const char *key)
{
	json_object *v = json_object_object_get(r->obj, key);

	if (v && !json_object_is_type(v, json_type_boolean))
		bad(r, key, "true or false", v);
	return v && json_object_get_boolean(v);
}

/* The reader calls the function by its name once that is known to be one. */
static int read_name(struct reader *r, struct pv_topo_node *node)
{
	struct pv_type *type = &pv_types[PV_TYPE_FUNCTION_NAME];
	const char *name = text(r, "name");

	if (!name || !pv_type_accepts(type, name))
		bad(r, "name", type->doc, json_object_object_get(r->obj, "name"));
	node->name = pv_arena_strdup(r->arena, name ? name : "");
	if (!node->name)
		return pv_error(r->e, -ENOMEM, "topology: no memory");
	if (!r->err)
		r->name = node->name;
	return r->err;
}

static int read_node(struct reader *r, struct pv_topo_node *node, size_t index)
{
	struct pv_node_conf *c = &node->conf;
	int err = read_name(r, node);

	if (err)
		return err;
	read_place(r, c, index);
	read_members(r, &pv_node_members, c);
	if (!json_object_object_get(r->obj, "slot"))
		c->slot = c->hotplug;
	if (!json_object_object_get(r->obj, "max_speed"))
		c->max_speed = c->speed;
	if (!json_object_object_get(r->obj, "max_width"))
		c->max_width = c->width;
	node->spare = boolean(r, "spare");
	bool on_node = json_object_object_get(r->obj, "numa_node") != NULL;
	node->numa_node = on_node ? (int)number(r, "numa_node", 0, PV_TOPOLOGY_CPUS_MAX - 1) : -1;
	err = read_overrides(r, c);
	if (!err)
		err = read_cpmus(r, c);
	pv_topo_node_describe(node);
	return err ? err : r->err;
}

static int read_nodes(struct pv_topology *t, json_object *nodes, struct pv_error *e)
{
	size_t n = json_object_array_length(nodes);

	if (n > NODES_MAX)
		return pv_error(e, -EINVAL, "topology: expected at most %d functions, got %zu", NODES_MAX, n);
	t->nodes = pv_arena_array(&t->arena, n + 1, sizeof(*t->nodes));
	t->buses = pv_arena_array(&t->arena, n + 1, sizeof(*t->buses));
	if (!t->nodes || !t->buses)
		return pv_error(e, -ENOMEM, "topology: no memory");
	for (size_t i = 0; i < n; i++) {
		json_object *obj = json_object_array_get_idx(nodes, i);
		char number[24];

		snprintf(number, sizeof(number), "%zu", i);
		int err = read_node(&(struct reader){obj, number, &t->arena, e, 0}, &t->nodes[t->n++], i);
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

static int read_system(struct pv_topology *t, json_object *obj, struct pv_error *e)
{
	json_object *cpus = json_object_object_get(obj, "cpus");
	int64_t n = cpus ? json_object_get_int64(cpus) : 1;
	const char *iommu = json_object_get_string(json_object_object_get(obj, "iommu"));
	int i = iommu ? name_index(iommu, iommu_words, ARRAY_SIZE(iommu_words)) : PV_IOMMU_NONE;

	if (i < 0)
		return pv_error(e, -EINVAL, "topology: \"iommu\": expected none, identity or translated, got %s",
				iommu);
	if (n < 1 || n > PV_TOPOLOGY_CPUS_MAX)
		return pv_error(e, -EINVAL, "topology: \"cpus\": expected 1 to %d, got %s", PV_TOPOLOGY_CPUS_MAX,
				json_object_to_json_string(cpus));
	t->iommu = (enum pv_iommu)i;
	t->cpus = (unsigned)n;
	t->port_pm = json_object_get_boolean(json_object_object_get(obj, "port_pm"));
	t->threadirqs = json_object_get_boolean(json_object_object_get(obj, "threadirqs"));
	return 0;
}

int pv_topology_parse(json_object *obj, struct pv_topology **out, struct pv_error *e)
{
	struct pv_topology *t = calloc(1, sizeof(*t));

	if (!t)
		return pv_error(e, -ENOMEM, "topology: no memory");
	json_object *nodes = json_object_object_get(obj, "nodes");
	int err = read_system(t, obj, e);
	if (!err && nodes && !json_object_is_type(nodes, json_type_array))
		err = pv_error(e, -EINVAL, "topology: \"nodes\": expected a list, got %s",
			       json_object_to_json_string(nodes));
	else if (!err && nodes)
		err = read_nodes(t, nodes, e);
	if (!err)
		err = read_numa_nodes(t, e);
	if (err) {
		pv_topology_free(t);
		return err;
	}
	pv_topology_describe(t);
	*out = t;
	return 0;
}

int pv_topology_copy(const struct pv_topology *t, struct pv_topology **out, struct pv_error *e)
{
	json_object *o = t ? pv_topology_json(t) : NULL;
	int err = t && !o ? pv_error(e, -ENOMEM, "topology: no memory") : pv_topology_parse(o, out, e);

	json_object_put(o);
	return err;
}
