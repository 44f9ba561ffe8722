/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans and cases. */
#include "framework/schema/schema_internal.h"

static const struct pv_attr_decl plan_attrs[] = {
	{"name", TYPE(NAME), "Name of the plan in selections, reports and golden files.", .required = true},
	{NULL},
};

static const struct pv_attr_decl case_attrs[] = {
	{"name", TYPE(NAME), "Name of the case, unique in the plan.", .required = true},
	{"formerly", TYPE(NAMES),
	 "Names that it had before: selections, lists of cases, deviations, baselines and earlier runs may use them."},
	{"verifies", TYPE(REQUIREMENT_REFS),
	 "Requirements that this case verifies when it passes; a failure names the statements that they rest on. "
	 "Required in scenarios/."},
	{"tags", TYPE(WORDS_LITERAL), "Words to select cases by: smoke, slow, ..."},
	{"targets", TYPE(TARGETS), "Targets that the case can run on.", .value = "model qemu local ssh"},
	{"timeout", TYPE(LITERAL_COUNT), "Seconds until the case is aborted.", .value = "30"},
	{"seed", TYPE(LITERAL_NUMBER), "Seed of all random numbers; ${seed} in steps.", .value = "1"},
	{"skip", TYPE(TEXT), "Reason not to run this case for now. It is reported as skipped."},
	{NULL},
};

static const struct pv_attr_decl param_attrs[] = {
	{"name", TYPE(PARAMETER_NAME), "The name.", .required = true},
	{"value", TYPE(TEXT), "The value; it may refer to parameters defined above it.", .required = true},
	{NULL},
};

static const struct pv_attr_decl matrix_param_attrs[] = {
	{"name", TYPE(PARAMETER_NAME), "The name.", .required = true},
	{"values", TYPE(TEXT),
	 "The values. ${name} stands for a parameter of the plan or the case, such as a list that several matrices "
	 "share.",
	 .required = true},
	{"separator", TYPE(SEPARATOR), "Separator of the values, if not a space."},
	{"unnamed", TYPE(TEXT),
	 "The value that names of cases leave out. A parameter that is added later gets the old behaviour here, so "
	 "that "
	 "no case is renamed."},
	{NULL},
};

static const struct pv_attr_decl row_attrs[] = {
	{"name", TYPE(NAME), "What stands for the row in the names of cases, instead of its values."},
	{"formerly", TYPE(WORDS_LITERAL),
	 "What stood there before, such as an earlier name or event=rdown; the rows' separator also divides these. The "
	 "name with all values is known anyway."},
	{NULL},
};

static const struct pv_attr_decl rows_attrs[] = {
	{"names", TYPE(PARAMETER_NAMES), "Names of the columns.", .required = true},
	{"key", TYPE(PARAMETER_NAMES),
	 "The columns that stand in the names of cases, if not all. They must tell the rows apart; others can be added "
	 "and their values change without renaming a case."},
	{"separator", TYPE(SEPARATOR), "Separator of the values in a row, if not a space."},
	{NULL},
};

static const struct pv_attr_decl exclude_attrs[] = {
	{"when", TYPE(EXCLUDE_WHEN), "The values: level=0 dir=2.", .required = true},
	{NULL},
};

static const struct pv_attr_decl steps_attrs[] = {
	{"name", TYPE(NAME), "The name.", .required = true},
	{NULL},
};

static const struct pv_attr_decl use_attrs[] = {
	{"steps", TYPE(NAME), "The name of the sequence.", .required = true},
	{NULL},
};

static const struct pv_attr_decl only_attrs[] = {
	{"driver", TYPE(DRIVER), "The driver: reference, kernel, ...", .required = true},
	{NULL},
};

static const struct pv_attr_decl deviation_attrs[] = {
	{"driver", TYPE(DRIVER), "The driver: reference, kernel, ...", .required = true},
	{"id", TYPE(NAME), "Id of the recorded deviation.", .required = true},
	{"reason", TYPE(TEXT), "Behaviour of that driver.", .required = true},
	{NULL},
};

const struct pv_element_decl pv_elements_plan[] = {
	{"description", "Purpose of the plan or case, in one or more sentences.", .text = TYPE(TEXT)},
	{"plan",
	 "A test plan: a file of cases that belong together. Parameters, a matrix, a topology and step sequences given "
	 "here hold for all its cases.",
	 .attrs = {plan_attrs}, .children = "description topology param matrix steps case"},
	{"case",
	 "One test: steps on a topology. Each combination of its matrix is a case of its own, named "
	 "name[parameter=value,...], or shorter by the names and keys of rows. Its name with all values remains valid.",
	 .attrs = {case_attrs}, .steps = true, .children = "description topology param matrix deviation use only"},
	{"param",
	 "A parameter: ${name} stands for its value in all attributes of steps and topology. A case may override a "
	 "plan's parameter. An unused parameter is an error. ${seed} and ${case} are always defined.",
	 .attrs = {param_attrs}},
	{"matrix", "Makes a case for each combination of its parameters and rows, except those excluded.",
	 .children = "param rows exclude"},
	{"param", "A parameter that takes each of several values.", .within = "matrix", .attrs = {matrix_param_attrs}},
	{"rows", "Several parameters that change together: a table with a combination in each row.",
	 .attrs = {rows_attrs}, .children = "row"},
	{"row", "Values of one row, in the order of the names.", .attrs = {row_attrs}, .text = TYPE(TEXT)},
	{"exclude", "Leaves out combinations that have all of these values.", .attrs = {exclude_attrs}},
	{"steps", "A named sequence of steps, for use in several cases.", .attrs = {steps_attrs}, .steps = true,
	 .children = "use only"},
	{"use", "Inserts a named sequence of steps. A sequence may use others, at most eight deep.",
	 .attrs = {use_attrs}},
	{"only",
	 "Steps for one driver only, for behaviour that is not required of all drivers. Skipped with any other driver.",
	 .attrs = {only_attrs}, .steps = true},
	{"deviation",
	 "A known deviation of a named driver: with that driver, a failure of this case is reported as a known "
	 "failure, and a pass as a failure of type unexpected-pass.",
	 .attrs = {deviation_attrs}},
	{NULL},
};
