/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner's end of the protocol with an agent (docs/protocol.md): lines of JSON over two byte streams. Events are
 * checked before they are used: the length of a line, its form, each field.
 */
#ifndef PV_RUN_PROTOCOL_H
#define PV_RUN_PROTOCOL_H

#include <json-c/json.h>
#include <stddef.h>
#include <sys/types.h>

#include "framework/run/run.h"

#define PV_PROTOCOL_VERSION 1

enum { PV_LINE_MAX = 2 << 20 }; /* of an event, in bytes */

/* ---- lines ---- */

struct pv_lines {
	char *buf;
	size_t size, begin, end;
};

/* Reads once from fd. Bytes read; 0: end of the stream; -EAGAIN: nothing now; -EMSGSIZE: a line is too long. */
ssize_t pv_lines_read(struct pv_lines *l, int fd);
/* The next whole line, its newline replaced by 0, valid until the next call of either; NULL: none. *n: its length. */
char *pv_lines_next(struct pv_lines *l, size_t *n);
/* Returns the bytes after the last newline. NULL: none. */
const char *pv_lines_rest(const struct pv_lines *l, size_t *n);
void pv_lines_free(struct pv_lines *l);

/* ---- events ---- */

enum pv_event_kind {
	PV_EV_HELLO,
	PV_EV_STEP,
	PV_EV_LOG,
	PV_EV_PROBLEM,
	PV_EV_CHECK,
	PV_EV_ARTEFACT,
	PV_EV_RULE,
	PV_EV_DONE,
	PV_EV_KINDS
};

const char *pv_event_name(enum pv_event_kind kind);

/*
 * One line to an event whose required fields are there and of their type. 0 with *kind and *out (the
 * caller's to put), or -EPROTO with what is wrong with the line in e.
 */
int pv_event_parse(const char *line, size_t n, enum pv_event_kind *kind, json_object **out, struct pv_error *e);

/* Returns an integer that is a member of an event; 0: it is missing. */
int64_t pv_field_int(json_object *o, const char *key);

/* ---- the case message ---- */

/* One line with its newline, for the agent; NULL: no memory. The caller frees. */
char *pv_case_message(const struct pv_run_options *opt, const struct pv_job *job, const int streams[2],
		      const char *folder);

#endif
