/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two tables describe the steps: plan.xsd, which plans are checked against and which holds all help, and the agent's, which
 * runs them. They must agree on steps, attributes, what is required, defaults and choices.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/agent/step.h"
#include "framework/plan/schema.h"

static struct pv_schema *schema;

static void load_schema(void)
{
	struct pv_problems problems = {0};

	schema = pv_schema_load(pv_plan_xsd, pv_plan_xsd_bytes, &problems);
	cr_assert_not_null(schema);
}

static void drop_schema(void)
{
	pv_schema_free(schema);
}

TestSuite(steps, .init = load_schema, .fini = drop_schema);

static const struct pv_arg_def *arg_of(const struct pv_step_def *step, const char *name)
{
	for (const struct pv_arg_def *a = step->args; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

Test(steps, every_step_of_the_schema_can_be_run)
{
	for (const struct pv_element_decl *e = schema->elements; e; e = e->next)
		cr_expect(!e->step || pv_step_find(e->name), "<%s> is unknown to the agent", e->name);
}

Test(steps, every_step_of_the_agent_can_be_written)
{
	for (const struct pv_step_def *const *g = pv_step_groups; *g; g++)
		for (const struct pv_step_def *s = *g; s->kind; s++) {
			const struct pv_element_decl *e = pv_schema_element(schema, s->kind);

			cr_expect(e && e->step, "<%s> is not in plan.xsd", s->kind);
		}
}

static void expect_choices(const struct pv_element_decl *e, const struct pv_attr_decl *d, const struct pv_arg_def *a)
{
	char all[1024] = "";

	if (a->type != PV_ARG_CHOICE)
		return;
	cr_expect_eq(d->type->form, PV_TYPE_ENUM, "<%s %s>: the agent wants a choice", e->name, d->name);
	for (const char **v = d->type->values; d->type->form == PV_TYPE_ENUM && *v; v++) {
		strcat(all, *all ? "|" : "");
		strcat(all, *v);
	}
	cr_expect_str_eq(all, a->choices, "<%s %s>", e->name, d->name);
}

/* "0" and "" with the agent may be "nothing said" in the schema. */
static void expect_default(const struct pv_element_decl *e, const struct pv_attr_decl *d, const struct pv_arg_def *a)
{
	bool nothing = !d->value && (!a->def || !strcmp(a->def, "0") || !*a->def || !strcmp(a->def, "all"));

	cr_expect(nothing || (d->value && a->def && !strcmp(d->value, a->def)),
		  "<%s %s>: default %s in plan.xsd, %s with the agent", e->name, d->name, d->value ? d->value : "none",
		  a->def ? a->def : "none");
}

static void expect_same(const struct pv_element_decl *e, const struct pv_step_def *s)
{
	for (const struct pv_attr_decl *d = e->attrs; d; d = d->next) {
		const struct pv_arg_def *a = arg_of(s, d->name);

		cr_expect_not_null(a, "<%s %s> is unknown to the agent", e->name, d->name);
		if (!a)
			continue;
		cr_expect_eq(d->required, a->required, "<%s %s>: required in one table only", e->name, d->name);
		expect_choices(e, d, a);
		expect_default(e, d, a);
	}
	for (const struct pv_arg_def *a = s->args; a->name; a++)
		cr_expect_not_null(pv_schema_attr(e, a->name), "<%s %s> is not in plan.xsd", s->kind, a->name);
}

Test(steps, attributes_are_the_same)
{
	for (const struct pv_element_decl *e = schema->elements; e; e = e->next) {
		const struct pv_step_def *s = e->step ? pv_step_find(e->name) : NULL;

		if (s)
			expect_same(e, s);
	}
}
