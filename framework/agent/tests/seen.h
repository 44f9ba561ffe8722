/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that are seen to fail (seen/NAME.txt): for every attribute that judges a script that passes, and one that
 * differs in nothing but what the attribute is about and must be noticed. The head of each file describes its format.
 */
#ifndef PV_AGENT_TESTS_SEEN_H
#define PV_AGENT_TESTS_SEEN_H

#include "framework/agent/emit.h"
#include "framework/util/error.h"

struct pv_seen {
	char step[32], attr[32];
	char where[64];						/* "NAME.txt:LINE" */
	char given[1024], right[1024], wrong[1024], then[1024]; /* steps, separated by " | " */
	char says[512];						/* a part of the message of the wrong script */
	enum pv_emit_verdict verdict;				/* of the wrong script; PV_EMIT_PASS: not given yet */
};

struct pv_seen_file {
	struct pv_seen *entry;
	size_t n;
};

/* Reads the entries of `text`, the content of file `name`. -EINVAL, with name and line, if it is not understood. */
int pv_seen_parse(const char *name, const char *text, struct pv_seen_file *f, struct pv_error *e);

/* Reads seen/NAME; fails the test if it cannot be read or understood. */
struct pv_seen_file pv_seen_load(const char *name);

void pv_seen_free(struct pv_seen_file *f);

#endif
