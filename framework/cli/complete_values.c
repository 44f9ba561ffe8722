/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options, for completion: of the option's own list, of plans, of the models, of this machine. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/models/defects.h"
#include "framework/cli/complete.h"
#include "framework/util/cleanup.h"

/* ---- plans ---- */

static bool exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

/* Those on the command line; else those of this folder; else those that are installed. */
static struct pv_plans *load_plans(const struct pv_completion *c)
{
	static const char *const places[] = {"scenarios", PCIEVAL_SHARE "/scenarios"};
	size_t place = !exists(places[0]), n = 0;
	_autofree_ const char **given = calloc(c->n_arguments + 1, sizeof(*given));

	for (size_t i = 0; given && i < c->n_arguments; i++)
		if (exists(c->arguments[i]))
			given[n++] = c->arguments[i];
	if (n)
		return pv_cli_load(given, n, NULL);
	return exists(places[place]) ? pv_cli_load(&places[place], 1, NULL) : NULL;
}

static bool is_first(const struct pv_plans *p, size_t i)
{
	return !i || strcmp(p->cases[i]->plan_name, p->cases[i - 1]->plan_name) != 0;
}

/* Plans first, since thousands of cases are no help; the cases of a plan once it is chosen. */
static void offer_cases(const struct pv_completion *c, const struct pv_plans *p)
{
	_autofree_ char *name = NULL;
	bool chosen = strchr(c->word, '/');

	for (size_t i = 0; i < p->n_cases; i++) {
		const struct pv_case *one = p->cases[i];

		if (!chosen && !is_first(p, i))
			continue;
		free(steal(&name));
		if (asprintf(&name, "%s/%s", one->plan_name, chosen ? one->name : "") < 0)
			return;
		pv_complete_offer(c, name, chosen ? NULL : pv_plan_text(one->plan));
	}
}

static bool has_word(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

static const char *const *tags_of(const struct pv_case *c)
{
	return c->tags;
}

static const char *const *requirements_of(const struct pv_case *c)
{
	return c->verifies;
}

/* Each word once: if no case before has it. */
static void offer_words(const struct pv_completion *c, const struct pv_plans *p,
			const char *const *(*words_of)(const struct pv_case *))
{
	for (size_t i = 0; i < p->n_cases; i++)
		for (const char *const *w = words_of(p->cases[i]); *w; w++) {
			size_t before = 0;

			while (before < i && !has_word(words_of(p->cases[before]), *w))
				before++;
			if (before == i)
				pv_complete_offer(c, *w, NULL);
		}
}

static void offer_tags(const struct pv_completion *c, const struct pv_plans *p)
{
	offer_words(c, p, tags_of);
}

static void offer_requirements(const struct pv_completion *c, const struct pv_plans *p)
{
	offer_words(c, p, requirements_of);
}

/* ---- models and machine ---- */

static void offer_defects(const struct pv_completion *c)
{
#define X(id, name, area, text) pv_complete_offer(c, name, text);
	PV_DEFECTS(X)
#undef X
}

static void offer_pmus(const struct pv_completion *c)
{
	DIR *devices = opendir("/sys/bus/event_source/devices");

	pv_complete_offer(c, "hisi_ptt0_0", "the default");
	for (const struct dirent *d; devices && (d = readdir(devices));)
		if (!strncmp(d->d_name, "hisi_ptt", strlen("hisi_ptt")))
			pv_complete_offer(c, d->d_name, "of this machine");
	if (devices)
		closedir(devices);
}

/* ---- options ---- */

static const struct {
	const char *option;
	void (*of_plans)(const struct pv_completion *c, const struct pv_plans *p);
	void (*alone)(const struct pv_completion *c);
} sources[] = {
	{"name", offer_cases, NULL},	 {"exclude", offer_cases, NULL},
	{"tag", offer_tags, NULL},	 {"requirement", offer_requirements, NULL},
	{"defect", NULL, offer_defects}, {"pmu", NULL, offer_pmus},
};

static bool is_path(const struct pv_option *o)
{
	static const char *const names[] = {"FILE", "DIR", "FOLDER", "PAGE", "OUTPUT", "KERNEL", "PATH", NULL};

	return o->arg && has_word(names, o->arg);
}

void pv_complete_value(const struct pv_completion *c, const struct pv_option *o)
{
	for (const char *const *v = o->values; v && *v; v++)
		pv_complete_offer(c, *v, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (strcmp(sources[i].option, o->name))
			continue;
		struct pv_plans *plans = sources[i].of_plans ? load_plans(c) : NULL;
		if (plans)
			sources[i].of_plans(c, plans);
		if (sources[i].alone)
			sources[i].alone(c);
		pv_plans_free(plans);
	}
	if (is_path(o))
		puts(PV_COMPLETE_FILES);
}
