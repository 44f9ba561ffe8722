/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval board new: prints a draft of a board's description. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "framework/board/draft.h"
#include "framework/cli/board.h"
#include "reports/result.h"

struct options {
	struct pv_board board;
	const char *name;
};

static const struct pv_option options[] = {
	{"name", 'n', PV_OPTION_TEXT, offsetof(struct options, name), "NAME",
	 "name of the board in reports (default: that of the\nhost, or local)"},
	{"root", 0, PV_OPTION_TEXT, offsetof(struct options, board.root), "DIR",
	 "folder that contains /sys and /dev of the machine"},
	{0},
};

/* Makes a valid name: letters, digits, dots, dashes and underscores, beginning with a letter or digit. */
static void make_name(const char *from, char *out, size_t size)
{
	size_t n = 0;

	for (; *from && n + 1 < size; from++)
		if (isalnum((unsigned char)*from) || (n && strchr("._-", *from)))
			out[n++] = *from;
		else if (n)
			out[n++] = '-';
	out[n] = 0;
	if (!n)
		snprintf(out, size, "board");
}

static int draft(struct options *o, const char *target)
{
	struct pv_error e = {0};
	char name[64];

	if (pv_board_connect(&o->board, target, &e))
		return pv_cli_error("board new: %s", e.text);
	make_name(o->name ? o->name : strcmp(target, "local") ? target + strlen("ssh:") : "local", name, sizeof(name));
	pv_board_draft(&o->board, name, stdout);
	return PV_EXIT_PASSED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first != 1)
		status = pv_cli_error("board new: expected local or ssh:HOST, got %d arguments", argc - first);
	else if (!pv_board_is_target(argv[first]))
		status = pv_cli_error("board new: expected local or ssh:HOST, got '%s'", argv[first]);
	else
		status = draft(&o, argv[first]);
	pv_board_close(&o.board);
	return status;
}

const struct pv_command pv_board_new_command = {
	.name = "board new",
	.args = "TARGET",
	.help = "print the draft of a machine's description",
	.text = "Reads the machine, and prints a description for --board: comments list its\n"
		"functions with their links and PMUs, and propose workload commands for drives\n"
		"and network cards. It is valid as it is. What only the lab can decide stands in\n"
		"comments.",
	.options = options,
	.run = run,
};
