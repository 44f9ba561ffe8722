/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the output of commands to the character: transcripts.sh replays each file of `transcripts`. */
#include <criterion/criterion.h>

#include "framework/cli/tests/program/program.h"

TestSuite(transcripts, .init = program_set_up, .fini = program_tear_down, .timeout = 300);

Test(transcripts, commands_print_what_they_did)
{
	cr_expect_eq(program_script(SCRIPT " $pcieval " TREE), 0, "%s", output);
}
