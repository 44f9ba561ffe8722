/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a man page, at build time: pcieval-manual PAGE NOTES. PAGE is "pcieval" or the name of a command. Names,
 * synopsis and options are those of the tables that help is printed from; the rest comes from NOTES, a file of docs/man
 * with sections in roff. Sections are printed in the order of man-pages(7), each with what the tables say first.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

/* ---- text to roff ---- */

static void put_char(char c)
{
	const char *name = c == '-'    ? "\\-"
			   : c == '\'' ? "\\(aq"
			   : c == '`'  ? "\\(ga"
			   : c == '\\' ? "\\e"
			   : c == '~'  ? "\\(ti"
			   : c == '^'  ? "\\(ha"
				       : NULL;

	if (name)
		fputs(name, stdout);
	else
		putchar(c);
}

/* Of one paragraph; a dot at the start of a line would be a request. */
static void put_text(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '.' && (c == text || c[-1] == '\n'))
			fputs("\\&", stdout);
		put_char(*c);
	}
}

/* Prints a clause of the help as a sentence: with a capital letter and a full stop. */
static void put_sentence(const char *text)
{
	char first[2] = {(char)toupper((unsigned char)*text)};

	put_text(first);
	put_text(text + 1);
	puts(text[strlen(text) - 1] == '.' ? "" : ".");
}

/* Words of a synopsis: what is in capitals is for the user to replace. */
static void put_arguments(const char *args)
{
	for (const char *c = args; *c;) {
		size_t n = strspn(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		const char *font = n ? "\\fI" : islower((unsigned char)*c) || *c == '-' ? "\\fB" : NULL;

		if (!n)
			n = font ? strspn(c, "abcdefghijklmnopqrstuvwxyz-") : 1;
		if (font)
			fputs(font, stdout);
		while (n--)
			put_char(*c++);
		if (font)
			fputs("\\fR", stdout);
	}
}

/* ---- parts of a page ---- */

static void print_synopsis(const struct pv_command *c)
{
	if (c->commands) {
		for (const struct pv_command *const *sub = c->commands; *sub; sub++) {
			print_synopsis(*sub);
			if (sub[1])
				puts(".br");
		}
		return;
	}
	printf(".B pcieval %s\n[\\fIOPTION\\fR]...\\&\n", c->name);
	put_arguments(c->args);
	if (*c->args)
		putchar('\n');
}

static void print_option(const struct pv_option *o)
{
	char text[512];

	puts(".TP");
	if (o->letter)
		printf("\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", stdout);
	put_text(o->name);
	fputs("\\fR", stdout);
	if (o->arg) {
		fputs(o->kind == PV_OPTION_MAYBE ? "[=" : " ", stdout);
		put_arguments(o->arg);
		fputs(o->kind == PV_OPTION_MAYBE ? "]" : "", stdout);
	}
	putchar('\n');
	put_text(pv_cli_option_help(o, text));
	putchar('\n');
}

static void print_options(const struct pv_command *c)
{
	for (const struct pv_option *o = c->options; o && o->name; o++)
		print_option(o);
	puts(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nthis text in short");
}

static void print_subcommand(const struct pv_command *c)
{
	printf(".SS pcieval %s ", c->name);
	put_arguments(c->args);
	putchar('\n');
	put_sentence(c->help);
	if (c->text) {
		puts(".PP");
		put_text(c->text);
		putchar('\n');
	}
	for (const struct pv_option *o = c->options; o && o->name; o++)
		print_option(o);
}

/* ---- sections: what the tables say of each ---- */

static void name(const struct pv_command *c)
{
	if (!c) {
		puts("pcieval \\- prove that PCIe and CXL performance hardware tells the truth");
		return;
	}
	printf("pcieval\\-%s \\- ", c->name);
	put_text(c->help);
	putchar('\n');
}

static void synopsis(const struct pv_command *c)
{
	if (c)
		print_synopsis(c);
	else
		puts(".B pcieval\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.br\n.B "
		     "pcieval\n\\fB\\-\\-help\\fR | "
		     "\\fB\\-\\-version\\fR");
}

static void description(const struct pv_command *c)
{
	if (c && c->text) {
		put_text(c->text);
		putchar('\n');
	}
}

static void commands(const struct pv_command *c)
{
	const struct pv_command *const *list = c ? c->commands : pv_commands;

	for (; list && *list; list++)
		if (c) {
			print_subcommand(*list);
		} else {
			printf(".TP\n\\fBpcieval\\-%s\\fR(1)\n", (*list)->name);
			put_sentence((*list)->help);
		}
}

static void options(const struct pv_command *c)
{
	if (c && !c->commands)
		print_options(c);
}

static void see_also(const struct pv_command *c)
{
	if (c)
		fputs(".BR pcieval (1)", stdout);
	for (const struct pv_command *const *other = pv_commands; *other; other++)
		if (*other != c)
			printf("%s.BR pcieval\\-%s (1)", c || other != pv_commands ? ",\n" : "", (*other)->name);
	putchar('\n');
}

static const struct section {
	const char *title;
	void (*from_tables)(const struct pv_command *c); /* NULL: nothing; c is NULL for the page of pcieval itself */
	const char *otherwise;				 /* where NOTES have nothing either; NULL: no section then */
} sections[] = {
	{"NAME", name, NULL},
	{"SYNOPSIS", synopsis, NULL},
	{"DESCRIPTION", description, NULL},
	{"COMMANDS", commands, NULL},
	{"OPTIONS", options, NULL},
	{"EXIT STATUS", NULL,
	 ".TP\n0\nall is well, or all cases passed\n.TP\n1\nsomething failed\n.TP\n2\n"
	 "mistake on the command line or in a plan\n.TP\n3\nsomething could not be judged, read or "
	 "written\n.TP\n4\nnothing was judged: all cases were skipped\n"},
	{"ENVIRONMENT", NULL, NULL},
	{"FILES", NULL, NULL},
	{"NOTES", NULL, NULL},
	{"EXAMPLES", NULL, NULL},
	{"SEE ALSO", see_also, NULL},
};

/* ---- notes ---- */

/* The text of a section in the notes, up to the next one; NULL: there is none. */
static const char *note(const char *notes, const char *title, size_t *n)
{
	for (const char *c = notes; (c = strstr(c, ".SH ")); c++) {
		const char *begin = c + 4 + strlen(title), *end;

		if (strncmp(c + 4, title, strlen(title)) || *begin != '\n')
			continue;
		end = strstr(begin, "\n.SH ");
		*n = end ? (size_t)(end - begin) : strlen(begin + 1);
		return begin + 1;
	}
	return NULL;
}

/* A section that would never be printed is a mistake. */
static bool has_unknown_sections(const char *notes, const char *path)
{
	for (const char *c = notes; (c = strstr(c, ".SH ")); c++) {
		size_t i = 0, n = strcspn(c + 4, "\n");

		while (i < ARRAY_SIZE(sections) &&
		       (strlen(sections[i].title) != n || strncmp(sections[i].title, c + 4, n)))
			i++;
		if (i < ARRAY_SIZE(sections))
			continue;
		fprintf(stderr, "%s: there is no section '%.*s' in man pages of pcieval\n", path, (int)n, c + 4);
		return true;
	}
	return false;
}

static bool has_section(const struct section *s, const struct pv_command *c, const char *noted)
{
	bool tables = s->from_tables && (s->from_tables != commands || !c || c->commands) &&
		      (s->from_tables != options || (c && !c->commands));

	return noted || s->otherwise || tables;
}

static void print_section(const struct section *s, const struct pv_command *c, const char *notes)
{
	size_t n = 0;
	const char *noted = note(notes, s->title, &n);

	if (!has_section(s, c, noted))
		return;
	printf(".SH %s\n", s->title);
	/* Documents of others come before our own pages, as they are more to the point. */
	if (noted && s->from_tables == see_also)
		printf("%.*s", (int)n, noted);
	if (s->from_tables)
		s->from_tables(c);
	if (noted && s->from_tables == description && c && c->text)
		puts(".PP");
	if (noted && s->from_tables != see_also)
		printf("%.*s", (int)n, noted);
	else if (!noted && s->otherwise)
		fputs(s->otherwise, stdout);
}

static const struct pv_command *find(const char *page)
{
	const struct pv_command *const *c = pv_commands;

	while (*c && strcmp((*c)->name, page))
		c++;
	return *c;
}

int main(int argc, char **argv)
{
	struct pv_error e = {0};
	_autofree_ char *notes = NULL;
	const struct pv_command *c;
	size_t n;

	if (argc != 3 || (!(c = find(argv[1])) && strcmp(argv[1], "pcieval")))
		return pv_cli_error("usage: pcieval-manual pcieval|COMMAND NOTES");
	if (pv_file_read(argv[2], 1 << 20, &notes, &n, &e))
		return pv_cli_error("%s", e.text);
	if (has_unknown_sections(notes, argv[2]))
		return PV_EXIT_FAILED;
	printf(".\\\" Made from the tables of options and from docs/man; do not edit.\n"
	       ".ds SHARE " PCIEVAL_SHARE "\n"
	       ".TH pcieval%s%s 1 " PCIEVAL_DATE " \"pcieval " PCIEVAL_VERSION "\" \"User Commands\"\n",
	       c ? "\\-" : "", c ? c->name : "");
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		print_section(&sections[i], c, notes);
	return pv_cli_flush() ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
}
