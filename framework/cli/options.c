/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of a command: parser (getopt_long) and help, made from one table. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "reports/result.h"
#include "reports/xmltext.h"

#define OPTIONS_MAX 96
#define HELP_COLUMN 26

int pv_cli_error(const char *fmt, ...)
{
	_autofree_ char *text = NULL, *clean = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	clean = text ? pv_text_clean(text) : NULL;
	fprintf(stderr, "pcieval: %s\n", clean ? clean : fmt);
	return PV_EXIT_USAGE;
}

void pv_cli_problem(void *ctx, const struct pv_error *e)
{
	_autofree_ char *clean = pv_text_clean(e->text);

	fprintf(stderr, "%s\n", clean ? clean : "?");
}

bool pv_cli_is_storage_error(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG || err == -EIO;
}

bool pv_cli_flush(void)
{
	/* An earlier write may have failed: then errno may still have the reason. */
	int before = errno;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return false;
	int err = errno ? errno : before;
	pv_cli_error("standard output: %s", err ? strerror(err) : "some of it could not be written");
	/* Drops the lost output, so that the error is reported once. */
	__fpurge(stdout);
	clearerr(stdout);
	return true;
}

/* ---- help ---- */

const char *pv_cli_option_help(const struct pv_option *o, char buf[512])
{
	const char *second = o->targets ? strchr(o->targets, ' ') : NULL;

	if (!o->targets)
		snprintf(buf, 512, "%s", o->help);
	else if (!second)
		snprintf(buf, 512, "target %s: %s", o->targets, o->help);
	else
		snprintf(buf, 512, "targets %.*s and%s: %s", (int)(second - o->targets), o->targets, second, o->help);
	return buf;
}

static void print_option(const struct pv_option *o)
{
	char left[96], text[512];
	bool maybe = o->kind == PV_OPTION_MAYBE;

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
		 o->letter ? ", " : "  ", o->name,
		 maybe	  ? "[="
		 : o->arg ? " "
			  : "",
		 o->arg ? o->arg : "", maybe ? "]" : "");
	printf("  %-*s", HELP_COLUMN - 2, left);
	if (strlen(left) > HELP_COLUMN - 3)
		printf("\n%*s", HELP_COLUMN, "");
	for (const char *line = pv_cli_option_help(o, text), *end; *line; line = end) {
		end = strchrnul(line, '\n');
		printf("%*s%.*s\n", line == text ? 0 : HELP_COLUMN, "", (int)(end - line), line);
		end += *end == '\n';
	}
}

static void print_help(const struct pv_command *self)
{
	static const struct pv_option help = {"help", 'h', PV_OPTION_FLAG, 0, NULL, "this text"};

	printf("usage: pcieval %s [OPTION]... %s\n\n%s\n", self->name, self->args, self->help);
	if (self->text)
		printf("\n%s\n", self->text);
	puts("\nOptions:");
	for (const struct pv_option *o = self->options; o && o->name; o++)
		print_option(o);
	print_option(&help);
}

/* ---- parsing ---- */

static bool append(const char ***list, const char *value)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	const char **more = realloc(*list, (n + 2) * sizeof(*more));
	if (!more)
		return false;
	more[n] = value;
	more[n + 1] = NULL;
	*list = more;
	return true;
}

static bool number(const struct pv_option *o, const char *value, unsigned *out)
{
	char *end;

	errno = 0;
	unsigned long v = strtoul(value, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*value) || v > UINT32_MAX) {
		pv_cli_error("--%s: expected a number, got '%s'", o->name, value);
		return false;
	}
	*out = (unsigned)v;
	return true;
}

bool pv_cli_is_given(const struct pv_option *o, const void *options)
{
	const void *at = (const char *)options + o->offset;

	switch (o->kind) {
	case PV_OPTION_FLAG:
		return *(const bool *)at;
	case PV_OPTION_NUMBER:
		return *(const unsigned *)at;
	case PV_OPTION_TEXT:
	case PV_OPTION_MAYBE:
	case PV_OPTION_LIST:
		return *(const void *const *)at;
	}
	return false;
}

/* Returns true if an option is repeated: one of its values would be ignored. */
static bool is_repeated(const struct pv_option *o, const char *value, const char **before)
{
	const char *first = *before;

	*before = value ? value : "";
	if (!first || o->kind == PV_OPTION_FLAG || o->kind == PV_OPTION_LIST || !strcmp(first, *before))
		return false;
	pv_cli_error("--%s: expected one value, got '%s' and '%s'", o->name, PV_SHOW(first), PV_SHOW(*before));
	return true;
}

static bool store(const struct pv_option *o, const char *value, void *into)
{
	void *member = (char *)into + o->offset;

	switch (o->kind) {
	case PV_OPTION_FLAG:
		*(bool *)member = true;
		return true;
	case PV_OPTION_TEXT:
	case PV_OPTION_MAYBE:
		*(const char **)member = value ? value : "";
		return true;
	case PV_OPTION_NUMBER:
		return number(o, value, member);
	case PV_OPTION_LIST:
		return append(member, value);
	}
	return false;
}

static const char *candidate_option(const void *options, size_t i)
{
	return options ? ((const struct pv_option *)options)[i].name : NULL;
}

/* Returns an option that getopt_long() refused, as it was given; in "-qx" that is the letter alone. */
static const char *refused(char **argv, int result, char letter[3])
{
	bool is_help = result == '?' && optopt == 'h'; /* --help=X */

	if (!optopt || optopt >= 256 || is_help)
		return argv[optind - 1];
	letter[0] = '-';
	letter[1] = (char)optopt;
	letter[2] = 0;
	return letter;
}

static int reject(const struct pv_command *self, char **argv, int result)
{
	char letter[3];
	const char *arg = refused(argv, result, letter);

	if (result == ':')
		return pv_cli_error("%s: %s needs a value; see 'pcieval %s --help'", self->name, arg, self->name);
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(arg + strspn(arg, "-"), "="), arg + strspn(arg, "-"));
	const char *meant = pv_nearest(word, candidate_option, self->options);
	return pv_cli_error("%s: unknown option '%s'%s%s%s see 'pcieval %s --help'", self->name, PV_SHOW(arg),
			    meant ? "; did you mean '--" : "", meant ? meant : "", meant ? "'? Or" : ";", self->name);
}

struct tables {
	struct option longs[OPTIONS_MAX + 2];
	char shorts[3 * OPTIONS_MAX + 4];
};

static void make_tables(const struct pv_command *self, struct tables *t)
{
	size_t n = 0, s = 0;

	t->shorts[s++] = ':';
	t->shorts[s++] = 'h';
	for (const struct pv_option *o = self->options; o && o->name && n < OPTIONS_MAX; o++, n++) {
		int value = o->kind == PV_OPTION_FLAG	 ? no_argument
			    : o->kind == PV_OPTION_MAYBE ? optional_argument
							 : required_argument;

		t->longs[n] = (struct option){o->name, value, NULL, 256 + (int)n};
		if (!o->letter)
			continue;
		t->shorts[s++] = o->letter;
		if (value != no_argument)
			t->shorts[s++] = ':';
	}
	t->longs[n] = (struct option){"help", no_argument, NULL, 'h'};
}

static const struct pv_option *chosen(const struct pv_command *self, int c)
{
	if (c >= 256)
		return &self->options[c - 256];
	for (const struct pv_option *o = self->options; o && o->name; o++)
		if (o->letter == c)
			return o;
	return NULL;
}

bool pv_cli_parse(const struct pv_command *self, int argc, char **argv, void *into, int *first, int *status)
{
	struct tables t = {0};
	const char *given[OPTIONS_MAX] = {0};

	make_tables(self, &t);
	opterr = 0;
	optind = 0; /* glibc: reset getopt_long */
	for (int c; (c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1;) {
		if (c == 'h') {
			print_help(self);
			*status = PV_EXIT_PASSED;
			return false;
		}
		const struct pv_option *o = c == '?' || c == ':' ? NULL : chosen(self, c);
		*status = PV_EXIT_USAGE;
		if (!o)
			reject(self, argv, c);
		if (!o || is_repeated(o, optarg, &given[o - self->options]) || !store(o, optarg, into))
			return false;
	}
	*first = optind;
	return true;
}

static bool has_word(const char *words, const char *word, size_t n)
{
	for (; *words; words += strspn(words, " ")) {
		size_t length = strcspn(words, " ");

		if (length == n && !strncmp(words, word, n))
			return true;
		words += length;
	}
	return false;
}

int pv_cli_check_options(const struct pv_command *self, const void *options, const char *target, const char *agent,
			 struct pv_error *e)
{
	for (const struct pv_option *o = self->options; !agent && o->name; o++)
		if (o->targets && pv_cli_is_given(o, options) && !has_word(o->targets, target, strcspn(target, ":")))
			return pv_error(e, -EINVAL, "--%s: expected %s %s, got %s", o->name,
					strchr(o->targets, ' ') ? "one of the targets" : "--target", o->targets,
					target);
	return 0;
}

void pv_cli_free(const struct pv_command *self, void *into)
{
	for (const struct pv_option *o = self->options; o && o->name; o++)
		if (o->kind == PV_OPTION_LIST)
			free(*(const char ***)((char *)into + o->offset));
}

/* ---- shared by commands ---- */

char *pv_cli_command_line(int argc, char **argv)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fputs("pcieval", f);
	for (int i = 0; i < argc; i++) {
		fputc(' ', f);
		pv_shell_word(f, argv[i]);
	}
	fclose(f);
	return text;
}

unsigned pv_cli_columns(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= 40 ? w.ws_col : 80;
}

int pv_cli_write_output(const char *option, const char *path, void (*put)(const void *ctx, FILE *f), const void *ctx)
{
	_autofree_ char *page = NULL;
	struct pv_error e = {0};
	size_t n = 0;
	FILE *f = open_memstream(&page, &n);

	if (f)
		put(ctx, f);
	if (!f || fclose(f))
		pv_error(&e, -ENOMEM, "%s: no memory", path);
	else if (!pv_file_write(path, page, n, &e))
		return PV_EXIT_PASSED;
	pv_cli_error("%s: %s", option, e.text);
	return PV_EXIT_UNJUDGED;
}

int pv_cli_write_page(const char *path, void (*put)(const void *ctx, FILE *f), const void *ctx)
{
	return pv_cli_write_output("--html", path, put, ctx);
}

bool pv_cli_is_stdout(const char *page)
{
	return page && !strcmp(page, "-");
}
