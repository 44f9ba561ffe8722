/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval complete: what may stand where the cursor is, for shells. Commands and options are those of the tables; values
 * come from complete_values.c. The scripts of the shells are in docs/completion.
 */
#include "framework/cli/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/util/cleanup.h"

void pv_complete_offer(const struct pv_completion *c, const char *value, const char *help)
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

/* ---- what was typed ---- */

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

/* The option that a word names and that takes the next word as its value. NULL: the word is complete. */
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

static void offer_commands(const struct pv_completion *c, const struct pv_command *const *list)
{
	for (; *list; list++)
		pv_complete_offer(c, pv_cli_last_word(*list), (*list)->help);
}

static void offer_options(const struct pv_completion *c)
{
	char name[64], text[512];

	for (const struct pv_option *o = c->command->options; o && o->name; o++) {
		snprintf(name, sizeof(name), "--%s", o->name);
		pv_complete_offer(c, name, pv_cli_option_help(o, text));
	}
	pv_complete_offer(c, "--help", "this text");
}

/* Words in lower case of args are actions, such as "check" of "check|diff|regen FILE...". */
static void offer_actions(const struct pv_completion *c, const char *args)
{
	char word[32];

	for (size_t n; *args; args += n ? n : 1) {
		n = strspn(args, "abcdefghijklmnopqrstuvwxyz");
		snprintf(word, sizeof(word), "%.*s", (int)n, args);
		if (n > 1)
			pv_complete_offer(c, word, NULL);
	}
}

static bool has_capitals(const char *text)
{
	while (*text && !isupper((unsigned char)*text))
		text++;
	return *text;
}

static void offer_arguments(const struct pv_completion *c)
{
	if (!c->n_arguments)
		offer_actions(c, c->command->args);
	if (has_capitals(c->command->args))
		puts(strstr(c->command->args, "...") ? PV_COMPLETE_PLANS : PV_COMPLETE_FILES);
}

/* "--name=VALUE" is one word; what is before the value stays. */
static bool offer_attached(struct pv_completion *c)
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
	pv_complete_value(c, o);
	return true;
}

/* The words behind the command; the last one is to be completed. */
static void complete_words(struct pv_completion *c, char **words, size_t n)
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
		pv_complete_value(c, needs);
	else if (only_arguments || c->word[0] != '-')
		offer_arguments(c);
	else if (!offer_attached(c))
		offer_options(c);
}

static int complete(struct pv_completion *c, char **words, size_t n)
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
	struct pv_completion c = {.before = "", .arguments = arguments};
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
		"candidate, a tab, and its description; a line " PV_COMPLETE_FILES " or " PV_COMPLETE_PLANS
		" stands for the\n"
		"names of files, or of plans.",
	.run = run,
};
