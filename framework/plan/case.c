/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON of a case for the agent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/plan_internal.h"
#include "framework/util/json.h"

static bool add_attr(struct pv_case_impl *c, json_object *attrs, const struct pv_xml *x, const struct pv_xml_attr *a)
{
	const char *value;

	return !a->decl || (pv_substitute(&c->scope, a->value, x, a->name, &c->owner->arena, NULL, &value) &&
			    pv_json_string(attrs, a->name, value));
}

static json_object *step_json(struct pv_case_impl *c, const struct pv_xml *x)
{
	json_object *o = json_object_new_object(), *attrs = json_object_new_object();
	bool good = pv_json_string(o, "kind", x->name) && pv_json_int(o, "line", x->line);
	const char *driver = pv_step_driver(x);

	if (driver)
		good = good && pv_json_string(o, "driver", driver);
	for (unsigned i = 0; good && i < x->n_attrs; i++)
		good = add_attr(c, attrs, x, &x->attrs[i]);
	good = pv_json_add(o, "attrs", attrs) && good;
	return good ? o : pv_json_put(o);
}

static json_object *steps_json(struct pv_case_impl *c)
{
	json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < c->template->n_steps; i++)
		if (!pv_json_append(array, step_json(c, c->template->steps[i])))
			return pv_json_put(array);
	return array;
}

static json_object *deviations_json(const struct pv_case_impl *c)
{
	static const char *const members[] = {"driver", "id", "reason"};
	json_object *array = json_object_new_array();

	pv_xml_foreach_named (d, c->template->x, "deviation") {
		json_object *o = json_object_new_object();
		bool good = true;

		for (int i = 0; i < 3; i++)
			good = good && pv_json_string(o, members[i], pv_xml_get(d, members[i]));
		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

/* Returns the JSON of a topology, shared by all of its cases. */
static json_object *topology_json(const struct pv_case_impl *c)
{
	struct pv_plan_topology *t = c->topology;

	if (!t)
		return json_object_new_object();
	if (!t->json)
		t->json = pv_topology_json(&t->machine);
	return json_object_get(t->json);
}

const struct pv_topology *pv_case_topology(const struct pv_case *pub)
{
	const struct pv_plan_topology *t = ((const struct pv_case_impl *)pub)->topology;

	return t ? &t->machine : NULL;
}

json_object *pv_case_json(const struct pv_case *pub)
{
	struct pv_case_impl *c = (struct pv_case_impl *)pub;

	if (c->json)
		return c->json;
	json_object *o = json_object_new_object();
	bool good = pv_json_string(o, "plan", pub->plan_name) && pv_json_string(o, "case", pub->name) &&
		    pv_json_string(o, "file", pub->file) && pv_json_int(o, "line", pub->line) &&
		    pv_json_add(o, "seed", json_object_new_uint64(pub->seed)) &&
		    pv_json_int(o, "timeout_s", pub->timeout_s) && pv_json_add(o, "topology", topology_json(c)) &&
		    pv_json_add(o, "steps", steps_json(c)) && pv_json_add(o, "deviations", deviations_json(c));
	c->json = good ? o : pv_json_put(o);
	return c->json;
}
