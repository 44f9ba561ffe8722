/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval complete: prints the candidates for the word at the cursor, for shells. Commands and options come from the
 * tables. The scripts of the shells are in docs/completion.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/models/defects.h"
#include "framework/cli/cli.h"
#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/util/cleanup.h"

/* Lines that ask the shell to complete by itself. */
#define FILES ":files"
#define PLANS ":plans"

struct completion {
	const struct pv_command *command;
	const char *word;	/* the word so far */
	const char *before;	/* prefix of each candidate: "--tag=" */
	const char **arguments; /* arguments of the command before the word, without options */
	size_t n_arguments;
};

/* Prints the candidate if it begins with the word. `help` may be NULL. */
static void offer(const struct completion *c, const char *value, const char *help)
{
	if (strncmp(value, c->word, strlen(c->word)))
		return;
	printf("%s%s", c->before, value);
	for (putchar('\t'); help && *help; help++)
		if (!isspace((unsigned char)*help))
			putchar(*help);
		else if (!isspace((unsigned char)help[1]))
			putchar(' ');
	putchar('\n');
}

/* ---- plans ---- */

static bool exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

/* Loads the plans of the command line; without any, those of ./scenarios; without that, the installed ones. */
static struct pv_plans *load_plans(const struct completion *c)
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

/* Offers plans first, as thousands of cases would not help; then the cases of the chosen plan. */
static void offer_cases(const struct completion *c, const struct pv_plans *p)
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
		offer(c, name, chosen ? NULL : pv_plan_text(one->plan));
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

/* Offers each word once: if no earlier case has it. */
static void offer_words(const struct completion *c, const struct pv_plans *p,
			const char *const *(*words_of)(const struct pv_case *))
{
	for (size_t i = 0; i < p->n_cases; i++)
		for (const char *const *w = words_of(p->cases[i]); *w; w++) {
			size_t before = 0;

			while (before < i && !has_word(words_of(p->cases[before]), *w))
				before++;
			if (before == i)
				offer(c, *w, NULL);
		}
}

static void offer_tags(const struct completion *c, const struct pv_plans *p)
{
	offer_words(c, p, tags_of);
}

static void offer_requirements(const struct completion *c, const struct pv_plans *p)
{
	offer_words(c, p, requirements_of);
}

/* ---- models and machine ---- */

static void offer_defects(const struct completion *c)
{
#define X(id, name, area, text) offer(c, name, text);
	PV_DEFECTS(X)
#undef X
}

static void offer_pmus(const struct completion *c)
{
	DIR *devices = opendir("/sys/bus/event_source/devices");

	offer(c, "hisi_ptt0_0", "the default");
	for (const struct dirent *d; devices && (d = readdir(devices));)
		if (!strncmp(d->d_name, "hisi_ptt", strlen("hisi_ptt")))
			offer(c, d->d_name, "of this machine");
	if (devices)
		closedir(devices);
}

/* ---- options ---- */

static const struct {
	const char *option;
	void (*of_plans)(const struct completion *c, const struct pv_plans *p);
	void (*alone)(const struct completion *c);
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

static void offer_values(const struct completion *c, const struct pv_option *o)
{
	for (const char *const *v = o->values; v && *v; v++)
		offer(c, *v, NULL);
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
		puts(FILES);
}

/* ---- the command line ---- */

static const struct pv_option *option_by_name(const struct pv_command *self, const char *name, size_t n)
{
	for (const struct pv_option *o = self->options; o && o->name; o++)
		if (!strncmp(o->name, name, n) && !o->name[n])
			return o;
	return NULL;
}

static const struct pv_option *option_by_letter(const struct pv_command *self, char letter)
{
	for (const struct pv_option *o = self->options; o && o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

/* Returns the option whose value is the next word. NULL: the word needs no value. */
static const struct pv_option *option_in_need(const struct pv_command *self, const char *word)
{
	const struct pv_option *o = NULL;

	if (!strncmp(word, "--", 2))
		o = option_by_name(self, word + 2, strlen(word + 2));
	else if (word[0] == '-' && word[1] && !word[2])
		o = option_by_letter(self, word[1]);
	return o && o->kind != PV_OPTION_FLAG && o->kind != PV_OPTION_MAYBE ? o : NULL;
}

static const struct pv_command *command_by_word(const struct pv_command *const *list, const char *word)
{
	while (*list && strcmp(pv_cli_last_word(*list), word))
		list++;
	return *list;
}

/* ---- candidates ---- */

static void offer_commands(const struct completion *c, const struct pv_command *const *list)
{
	for (; *list; list++)
		offer(c, pv_cli_last_word(*list), (*list)->help);
}

static void offer_options(const struct completion *c)
{
	char name[64], text[512];

	for (const struct pv_option *o = c->command->options; o && o->name; o++) {
		snprintf(name, sizeof(name), "--%s", o->name);
		offer(c, name, pv_cli_option_help(o, text));
	}
	offer(c, "--help", "this text");
}

/* Offers actions: lower-case words in the usage, such as "check" in "check|diff|regen FILE...". */
static void offer_actions(const struct completion *c, const char *args)
{
	char word[32];

	for (size_t n; *args; args += n ? n : 1) {
		n = strspn(args, "abcdefghijklmnopqrstuvwxyz");
		snprintf(word, sizeof(word), "%.*s", (int)n, args);
		if (n > 1)
			offer(c, word, NULL);
	}
}

static bool has_capitals(const char *text)
{
	while (*text && !isupper((unsigned char)*text))
		text++;
	return *text;
}

static void offer_arguments(const struct completion *c)
{
	if (!c->n_arguments)
		offer_actions(c, c->command->args);
	if (has_capitals(c->command->args))
		puts(strstr(c->command->args, "...") ? PLANS : FILES);
}

/* Completes "--name=VALUE", which is one word: the part before the value stays. */
static bool offer_attached(struct completion *c)
{
	const char *equals = strchr(c->word, '=');
	const struct pv_option *o;
	char before[64];

	if (strncmp(c->word, "--", 2) || !equals || equals - c->word >= (int)sizeof(before) - 1)
		return false;
	o = option_by_name(c->command, c->word + 2, (size_t)(equals - c->word - 2));
	if (!o || o->kind == PV_OPTION_FLAG)
		return true;
	snprintf(before, sizeof(before), "%.*s=", (int)(equals - c->word), c->word);
	c->before = before;
	c->word = equals + 1;
	offer_values(c, o);
	return true;
}

/* Completes the last of the words after the command. */
static void complete_words(struct completion *c, char **words, size_t n)
{
	const struct pv_option *needs = NULL;
	bool only_arguments = false;

	c->word = words[n - 1];
	for (size_t i = 0; i + 1 < n; i++) {
		bool is_value = needs;

		needs = is_value || only_arguments ? NULL : option_in_need(c->command, words[i]);
		if (!is_value && (only_arguments || words[i][0] != '-'))
			c->arguments[c->n_arguments++] = words[i];
		only_arguments |= !is_value && !strcmp(words[i], "--");
	}
	if (needs)
		offer_values(c, needs);
	else if (only_arguments || c->word[0] != '-')
		offer_arguments(c);
	else if (!offer_attached(c))
		offer_options(c);
}

static int complete(struct completion *c, char **words, size_t n)
{
	const struct pv_command *const *list = pv_commands;

	while (list && n > 1) {
		c->command = command_by_word(list, *words++);
		n--;
		if (!c->command)
			return PV_EXIT_PASSED;
		list = c->command->commands;
	}
	c->word = words[0];
	if (list)
		offer_commands(c, list);
	else
		complete_words(c, words, n);
	return PV_EXIT_PASSED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	_autofree_ const char **arguments = calloc((size_t)argc, sizeof(*arguments));
	struct completion c = {.before = "", .arguments = arguments};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, NULL, &first, &status))
		return status;
	if (!arguments || first == argc)
		return pv_cli_error("%s: expected -- and the words after pcieval, the last one to be completed",
				    self->name);
	return complete(&c, argv + first, (size_t)(argc - first));
}

const struct pv_command pv_command_complete = {
	.name = "complete",
	.args = "-- WORD...",
	.help = "print completions of a command line (for shells)",
	.text = "WORDs are those after pcieval; the last one is to be completed. Each line is a\n"
		"candidate, a tab, and its description; a line " FILES " or " PLANS " stands for the\n"
		"names of files, or of plans.",
	.run = run,
};
