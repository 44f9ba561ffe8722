/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Crash records, which survive a boot of the board: its kernel has them in pstore, and systemd moves them to /var. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/connect_internal.h"
#include "framework/util/cleanup.h"

#define LIST_MAX    (1u << 20)
#define RECORD_MAX  262144u    /* bytes of a record, */
#define RECORDS_MAX (4u << 20) /* of all records of a case, */
#define COMMAND_MAX 65536u     /* and of the command that prints them */
#define ANSWER_MS   30000

/* ---- the list ---- */

/*
 * A record is a line "PATH CHECKSUM BYTES". systemd-pstore moves a record to the folder of its archive or, by the
 * backend, to folders in it.
 */
static const char list_them[] = "a=%s/var/lib/systemd/pstore; cksum </dev/null >/dev/null || exit; "
				"for f in %s/sys/fs/pstore/* $a/* $a/*/* $a/*/*/*; do "
				"[ ! -f \"$f\" ] || echo \"$f $(cksum <\"$f\")\"; done";

char *pv_board_list_crashes(struct pv_board *b, struct pv_error *e)
{
	const char *root = b->root ? b->root : "";
	_autofree_ char *command = NULL, *text = NULL;
	size_t n;
	FILE *f = asprintf(&command, list_them, root, root) < 0 ? NULL : open_memstream(&text, &n);
	int err = f ? pv_ssh_shell(&b->ssh, command, "listing crash records", f, LIST_MAX, ANSWER_MS, e)
		    : pv_error(e, -ENOMEM, "no memory");

	if (f)
		fclose(f);
	return err ? NULL : steal(&text);
}

/* ---- new records ---- */

struct wanted {
	FILE *command;	      /* prints the records */
	size_t bytes, length; /* of the records, and of the command */
	unsigned taken, left_out;
	FILE *out;
};

/* `sums`: " CHECKSUM BYTES\n". */
static void want(struct wanted *w, const char *path, const char *sums)
{
	size_t bytes = strtoul(strrchr(sums, ' '), NULL, 10), length = strlen(path) + 1;
	size_t printed = (bytes < RECORD_MAX ? bytes : RECORD_MAX) + length + 64;

	if (!pv_ssh_is_plain(path) || w->bytes + printed > RECORDS_MAX || w->length + length > COMMAND_MAX) {
		w->left_out++;
		return;
	}
	w->bytes += printed;
	w->length += length;
	w->taken++;
	fprintf(w->command, " %s", path);
	if (bytes > RECORD_MAX)
		fprintf(w->out, "\n---- only the first %u bytes of %s ----\n", RECORD_MAX, path);
}

/* Wants the records of a list whose checksum and size `before` lacks: those with another path have been moved. */
static void want_new(struct wanted *w, const char *list, const char *before)
{
	for (const char *line = list, *end; (end = strchr(line, '\n')); line = end + 1) {
		_autofree_ char *path = strndup(line, (size_t)(end - line)),
				*sums = strndup(line, (size_t)(end - line) + 1);
		char *gap = path ? strchr(path, ' ') : NULL;

		if (!gap || !sums || strstr(before, sums + (gap - path)))
			continue;
		*gap = '\0';
		want(w, path, sums + (gap - path));
	}
}

/* Removes the level before each message, as in "<4>[   42.0] text". */
static void remove_levels(char *text)
{
	char *to = text;
	bool begins = true;

	for (const char *at = text; *at; at++) {
		if (begins && at[0] == '<' && isdigit((unsigned char)at[1]) && at[2] == '>')
			at += 3;
		begins = *at == '\n';
		*to++ = *at;
		if (!*at)
			return;
	}
	*to = '\0';
}

/* Prints what the command prints, and why that is not all of it. */
static void print_records(struct pv_board *b, const char *command, FILE *out)
{
	_autofree_ char *text = NULL;
	struct pv_error e = {0};
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int err = f ? pv_ssh_shell(&b->ssh, command, "reading crash records", f, RECORDS_MAX, ANSWER_MS, &e)
		    : pv_error(&e, -ENOMEM, "no memory");

	if (f)
		fclose(f);
	if (text) {
		pv_lab_make_plain(text, n);
		remove_levels(text);
		fputs(text, out);
	}
	if (err)
		fprintf(out, "\n---- incomplete: %s ----\n", e.text);
}

static void print_new(struct pv_board *b, const char *list, FILE *out)
{
	_autofree_ char *command = NULL;
	size_t n;
	struct wanted w = {.command = open_memstream(&command, &n), .out = out};

	if (!w.command)
		return;
	fputs("for f in", w.command);
	want_new(&w, list, b->crashes);
	fprintf(w.command, "; do echo; echo \"---- $f $(cksum <\"$f\") ----\"; head -c %u \"$f\"; done", RECORD_MAX);
	if (!fclose(w.command) && w.taken)
		print_records(b, command, out);
	if (w.left_out)
		fprintf(out, "\n---- new crash records that are left out: %u ----\n", w.left_out);
}

void pv_board_print_crashes(struct pv_board *b, FILE *out)
{
	struct pv_error e = {0};
	char *now = pv_board_list_crashes(b, &e);

	if (!now) {
		fprintf(out, "\n---- crash records are unknown: %s ----\n", e.text);
		return;
	}
	if (b->crashes)
		print_new(b, now, out);
	else
		fputs("\n---- new crash records are unknown: there is no list from before ----\n", out);
	free(b->crashes);
	b->crashes = now;
}
