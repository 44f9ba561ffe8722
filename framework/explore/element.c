/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elements of cases, and cases as XML. */
#include "framework/explore/element.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "framework/plan/plan.h"

json_object *pv_element_new(const char *kind)
{
	json_object *x = json_object_new_object();

	pv_json_string(x, "kind", kind);
	pv_json_add(x, "attrs", json_object_new_object());
	return x;
}

json_object *pv_element_append(json_object *list, const char *kind)
{
	json_object *x = pv_element_new(kind);

	return pv_json_append(list, x) ? x : NULL;
}

json_object *pv_element_child(json_object *parent, const char *kind)
{
	if (!json_object_object_get(parent, "children"))
		pv_json_add(parent, "children", json_object_new_array());
	return pv_element_append(json_object_object_get(parent, "children"), kind);
}

void pv_element_set(json_object *x, const char *attr, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pv_json_string(json_object_object_get(x, "attrs"), attr, text);
}

const char *pv_element_get(json_object *x, const char *attr)
{
	return json_object_get_string(json_object_object_get(json_object_object_get(x, "attrs"), attr));
}

const char *pv_element_kind(json_object *x)
{
	return json_object_get_string(json_object_object_get(x, "kind"));
}

/* ---- XML ---- */

/* Characters that XML does not have are left out: a value with them is not a value of a plan. */
static void put_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (strchr("<>&\"", c) || c == '\n' || c == '\t')
			fprintf(f, "&#%u;", c);
		else if (c >= ' ')
			fputc(c, f);
	}
}

static void put_attr(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	put_text(f, value);
	fputc('"', f);
}

/* A step that is for one driver stands in <only>. */
static bool open_only(FILE *f, json_object *x, unsigned depth)
{
	const char *driver = json_object_get_string(json_object_object_get(x, "driver"));

	if (driver)
		fprintf(f, "%*s<only driver=\"%s\">\n", (int)(2 * depth), "", driver);
	return driver;
}

static void put_element(FILE *f, json_object *x, unsigned depth)
{
	bool only = open_only(f, x, depth);
	json_object *children = json_object_object_get(x, "children");
	size_t n = children ? json_object_array_length(children) : 0;

	fprintf(f, "%*s<%s", (int)(2 * depth), "", pv_element_kind(x));
	json_object_object_foreach(json_object_object_get(x, "attrs"), name, value)
		put_attr(f, name, json_object_get_string(value));
	fputs(n ? ">\n" : "/>\n", f);
	for (size_t i = 0; i < n; i++)
		put_element(f, json_object_array_get_idx(children, i), depth + 1);
	if (n)
		fprintf(f, "%*s</%s>\n", (int)(2 * depth), "", pv_element_kind(x));
	if (only)
		fprintf(f, "%*s</only>\n", (int)(2 * depth), "");
}

static const char *get(const void *step, const char *attr)
{
	return pv_element_get((json_object *)step, attr);
}

static bool proves(json_object *steps)
{
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		json_object *x = json_object_array_get_idx(steps, i);

		if (!json_object_object_get(x, "driver") && pv_step_proves(pv_element_kind(x), get, x))
			return true;
	}
	return false;
}

/* A plan without a check is refused, also if its case fails before. */
static void put_case(FILE *f, json_object *c)
{
	json_object *steps = json_object_object_get(c, "steps"), *topology = json_object_object_get(c, "topology");
	json_object *text = json_object_object_get(c, "description"), *tags = json_object_object_get(c, "tags");

	fputs("  <case", f);
	put_attr(f, "name", json_object_get_string(json_object_object_get(c, "name")));
	fprintf(f, " seed=\"%" PRIu64 "\"", json_object_get_uint64(json_object_object_get(c, "seed")));
	put_attr(f, "tags", tags ? json_object_get_string(tags) : "explore");
	fputs(">\n    <description>", f);
	put_text(f, text ? json_object_get_string(text) : "A case that was drawn at random.");
	fputs("</description>\n", f);
	if (topology)
		put_element(f, topology, 2);
	for (size_t i = 0; i < json_object_array_length(steps); i++)
		put_element(f, json_object_array_get_idx(steps, i), 2);
	if (!proves(steps))
		fputs("    <check-rules/>\n", f);
	fputs("  </case>\n", f);
}

void pv_explore_plan_print(FILE *f, const struct pv_explore_plan *plan)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plan", f);
	put_attr(f, "name", plan->name);
	fputs(">\n  <description>", f);
	put_text(f, plan->description);
	fputs("</description>\n", f);
	for (size_t i = 0; i < plan->n; i++)
		put_case(f, plan->cases[i]);
	fputs("</plan>\n", f);
}
