/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The law that cases are judged by: the statements of docs/hardware-notes.md, each with its source, and the
 * requirements of docs/requirements.md, each with the statements that it rests on. The build makes the tables from the
 * two documents (law.py).
 */
#ifndef PV_LAW_LAW_H
#define PV_LAW_LAW_H

#include <stdbool.h>
#include <stddef.h>

/* How a statement is known, the best source first. */
enum pv_known {
	PV_KNOWN_TEXT,	      /* the specification or the register text says so */
	PV_KNOWN_TWO,	      /* two sources that do not depend on each other */
	PV_KNOWN_DRIVER,      /* one published driver or tool */
	PV_KNOWN_DECISION,    /* a decision of ours, settings of the models included */
	PV_KNOWN_UNPUBLISHED, /* no source */
	PV_KNOWN
};

/* A statement on the hardware ("F-C2"), or a rule of use ("CP-1"): what software must not do. */
struct pv_statement {
	const char *id;
	enum pv_known how;
	const char *source;   /* NULL: the statement is its own source */
	const char *sentence; /* the first sentence of `text`, which summarises it */
	const char *text;
};
extern const struct pv_statement pv_statements[]; /* in the order of the document; ends with id NULL */

enum pv_requirement_needs { PV_NEEDS_MODEL, PV_NEEDS_LINUX, PV_NEEDS_SELF };
struct pv_requirement {
	const char *id, *text;
	enum pv_requirement_needs needs; /* SELF: shown by the framework's own tests */
	const char *shown;		 /* unless MODEL: where it is shown */
	const char *const *rests;	 /* ids of statements, NULL-terminated; none for the framework's own */
};
extern const struct pv_requirement pv_requirements[]; /* in the order of the document; ends with id NULL */

/* "text", "two", "driver", "decision", "unpublished". */
const char *pv_known_name(enum pv_known how);

/* Returns true for a rule of use. */
bool pv_statement_is_rule(const struct pv_statement *s);

/* Return the entry with this id; NULL: there is none. */
const struct pv_statement *pv_statement_find(const char *id);
const struct pv_requirement *pv_requirement_find(const char *id);

/*
 * Collects the statements that requirements rest on, each once, in the order of the requirements. `ids` is
 * NULL-terminated, or NULL for none; an unknown id is skipped. Fills `out` and returns how many are in it: the
 * first `max`, if there are more.
 */
size_t pv_law_rests(const char *const *ids, const struct pv_statement **out, size_t max);

#endif
