/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval list: prints the selected cases, without running them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

struct options {
	struct pv_cli_selection selection;
	bool json, list_tags;
};

static const struct pv_option options[] = {
	PV_CLI_SELECTION(struct options),
	{"json", 'j', PV_OPTION_FLAG, offsetof(struct options, json), NULL,
	 "print one JSON object per case, as agents receive it"},
	{"list-tags", 0, PV_OPTION_FLAG, offsetof(struct options, list_tags), NULL,
	 "print the tags of the selected cases with their counts"},
	{0},
};

static void print_words(const char *const *words)
{
	for (const char *const *w = words; *w; w++)
		printf("%s%s", w == words ? "" : " ", *w);
}

/* For terminals: prints two columns, and truncates requirements that do not fit. */
static void print_row(const struct pv_case *c, unsigned columns)
{
	int width = (int)columns * 3 / 5, n = printf("%s/%s", c->plan_name, c->name);

	if (n > width - 2)
		n = printf("\n") - 1;
	printf("%*s", width - n, "");
	int room = (int)columns - width - (c->skip ? 7 : 0);
	for (const char *const *v = c->verifies; *v; v++) {
		int len = (int)strlen(*v) + (v != c->verifies);

		if (len + (v[1] ? 4 : 0) > room) {
			fputs("...", stdout);
			break;
		}
		room -= printf("%s%s", v == c->verifies ? "" : " ", *v);
	}
	puts(c->skip ? " (skip)" : "");
}

/* For pipes: prints a case per line, tab-separated. */
static void print_plain(const struct pv_case *c)
{
	printf("%s/%s\t", c->plan_name, c->name);
	print_words(c->verifies);
	putchar('\t');
	print_words(c->tags);
	putchar('\t');
	print_words(c->targets);
	printf("\t%s:%d\n", c->file, c->line);
}

static int print_json(const struct pv_case *c)
{
	json_object *o = pv_case_json(c);
	const char *text = o ? pv_json_line(o) : NULL;

	if (!text)
		return pv_cli_error("no memory");
	puts(text);
	return PV_EXIT_PASSED;
}

/* ---- tags ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_tags(const struct pv_plans *plans)
{
	size_t n = 0;

	for (size_t i = 0; i < plans->n_cases; i++)
		for (const char *const *t = plans->cases[i]->tags; *t; t++)
			n++;
	return n;
}

static size_t take_tags(const struct pv_plans *plans, const struct pv_selection *s, const char **out)
{
	size_t n = 0;

	for (size_t i = 0; i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], s))
			for (const char *const *t = plans->cases[i]->tags; *t; t++)
				out[n++] = *t;
	return n;
}

void pv_cli_list_tags(const struct pv_plans *plans, const struct pv_selection *s)
{
	_autofree_ const char **tags = calloc(count_tags(plans) + 1, sizeof(*tags));
	size_t n = tags ? take_tags(plans, s, tags) : 0;

	if (!tags)
		pv_cli_error("no memory");
	if (n)
		qsort(tags, n, sizeof(*tags), by_text);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && !strcmp(tags[next], tags[i]);)
			next++;
		printf("%6zu  %s\n", next - i, tags[i]);
	}
}

/* ---- the command ---- */

static int list(const struct pv_plans *plans, const struct options *o)
{
	const struct pv_selection s = pv_cli_selection(&o->selection);
	unsigned columns = pv_cli_columns();
	size_t n = 0, skipped = 0;

	if (!pv_cli_selection_matches(plans, &o->selection))
		return pv_cli_error("list: nothing was listed; --allow-empty lists the rest");
	if (o->list_tags)
		return pv_cli_list_tags(plans, &s), PV_EXIT_PASSED;
	for (size_t i = 0; i < plans->n_cases; i++) {
		const struct pv_case *c = plans->cases[i];

		if (!pv_case_selected(c, &s))
			continue;
		n++;
		skipped += c->skip != NULL;
		if (o->json) {
			if (print_json(c))
				return PV_EXIT_UNJUDGED;
		} else if (columns) {
			print_row(c, columns);
		} else {
			print_plain(c);
		}
	}
	if (!o->json && columns)
		printf("\n%zu of %zu case%s in %zu plan%s, %zu to be skipped\n", n, plans->n_cases,
		       plans->n_cases == 1 ? "" : "s", plans->n_plans, plans->n_plans == 1 ? "" : "s", skipped);
	return n ? PV_EXIT_PASSED : pv_cli_error("list: no case is selected, of %zu", plans->n_cases);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status)) {
	} else if (!pv_cli_selection_read(&o.selection)) {
		status = PV_EXIT_USAGE;
	} else {
		struct pv_plans *plans = pv_cli_load((const char *const *)argv + first, (size_t)(argc - first), NULL);

		status = plans ? list(plans, &o) : PV_EXIT_USAGE;
		pv_plans_free(plans);
	}
	pv_cli_selection_free(&o.selection);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_list = {
	.name = "list",
	.args = "FILE|FOLDER...",
	.help = "list the cases of plans, with what they verify",
	.text = "In a pipe: plan/case, requirements, tags, targets and FILE:LINE, separated by\n"
		"tabs. FOLDER stands for all plans (*.xml) in it.",
	.options = options,
	.run = run,
};
