/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines, events and the case message. */
#include "framework/run/protocol.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"
#include "reports/xmltext.h"

/* ---- lines ---- */

enum { READ_BYTES = 65536 };

/* Makes room for READ_BYTES after `end`, by moving the rest to the front or by growing. */
static int make_room(struct pv_lines *l)
{
	if (l->begin) {
		memmove(l->buf, l->buf + l->begin, l->end - l->begin);
		l->end -= l->begin;
		l->begin = 0;
	}
	if (l->end > PV_LINE_MAX)
		return -EMSGSIZE;
	if (l->size - l->end > READ_BYTES)
		return 0;
	size_t size = l->size ? l->size * 2 : 2 * READ_BYTES;
	char *buf = realloc(l->buf, size);
	if (!buf)
		return -ENOMEM;
	l->buf = buf;
	l->size = size;
	return 0;
}

ssize_t pv_lines_read(struct pv_lines *l, int fd)
{
	int err = make_room(l);

	if (err)
		return err;
	ssize_t n = read(fd, l->buf + l->end, READ_BYTES);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	l->end += (size_t)n;
	return n;
}

char *pv_lines_next(struct pv_lines *l, size_t *n)
{
	char *line = l->buf + l->begin;
	char *newline = l->end > l->begin ? memchr(line, '\n', l->end - l->begin) : NULL;

	if (!newline)
		return NULL;
	*newline = 0;
	*n = (size_t)(newline - line);
	l->begin += *n + 1;
	return line;
}

const char *pv_lines_rest(const struct pv_lines *l, size_t *n)
{
	*n = l->end - l->begin;
	return *n ? l->buf + l->begin : NULL;
}

void pv_lines_free(struct pv_lines *l)
{
	free(l->buf);
	*l = (struct pv_lines){0};
}

/* ---- events ---- */

enum field_kind { NONE, STRING, NUMBER, VERDICT, BAD_VERDICT };

struct field {
	const char *name;
	enum field_kind kind;
};

static const struct {
	const char *name;
	struct field fields[6]; /* the required ones */
} events[PV_EV_KINDS] = {
	[PV_EV_HELLO] = {"hello", {{"protocol", NUMBER}}},
	[PV_EV_STEP] = {"step", {{"n", NUMBER}, {"kind", STRING}}},
	[PV_EV_LOG] = {"log", {{"text", STRING}}},
	[PV_EV_PROBLEM] = {"problem", {{"verdict", BAD_VERDICT}, {"type", STRING}, {"message", STRING}}},
	[PV_EV_CHECK] = {"check", {{"message", STRING}}},
	[PV_EV_ARTEFACT] = {"artefact", {{"path", STRING}}},
	[PV_EV_RULE] = {"rule", {{"rule", STRING}, {"count", NUMBER}, {"message", STRING}}},
	[PV_EV_DONE] = {"done", {{"verdict", VERDICT}, {"checks", NUMBER}}},
};

const char *pv_event_name(enum pv_event_kind kind)
{
	return events[kind].name;
}

int64_t pv_field_int(json_object *o, const char *key)
{
	json_object *v = json_object_object_get(o, key);

	return json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : 0;
}

static bool field_ok(json_object *value, enum field_kind kind)
{
	if (kind == NUMBER)
		return pv_json_is_count(value) && json_object_get_int64(value) <= INT_MAX;
	if (!json_object_is_type(value, json_type_string))
		return false;
	int verdict = pv_verdict_by_name(json_object_get_string(value));
	return kind == STRING || (kind == VERDICT && verdict >= 0) || (kind == BAD_VERDICT && verdict > PV_PASS);
}

static const char *field_wanted(enum field_kind kind)
{
	static const char *const texts[] = {"", "a string", "a number", "a verdict", "fail, error or skip"};

	return texts[kind];
}

static int find_kind(const char *name)
{
	for (int k = 0; k < PV_EV_KINDS; k++)
		if (!strcmp(events[k].name, name))
			return k;
	return -1;
}

static int check_fields(json_object *o, int kind, struct pv_error *e)
{
	for (const struct field *f = events[kind].fields; f->name; f++)
		if (!field_ok(json_object_object_get(o, f->name), f->kind))
			return pv_error(e, -EPROTO, "its field \"%s\" is not %s", f->name, field_wanted(f->kind));
	return 0;
}

/* Copies the line for a message: short, without control characters. */
static void quote_line(const char *line, struct pv_error *e)
{
	char head[161];

	pv_utf8_print(head, sizeof(head), "%s", line);
	_autofree_ char *clean = pv_text_line(head);
	char was[sizeof(e->text)];
	memcpy(was, e->text, sizeof(was));
	pv_error(e, -EPROTO, "%s: '%.*s'%s", was, clean ? (int)pv_utf8_cut(clean, strlen(clean), 200) : 0,
		 clean ? clean : "", strlen(line) >= sizeof(head) ? "..." : "");
}

static int parse_checked(const char *line, size_t n, enum pv_event_kind *kind, json_object **out, struct pv_error *e)
{
	if (strlen(line) != n)
		return pv_error(e, -EPROTO, "a line has a 0 byte in it");
	json_object *o = pv_json_parse(line, n, NULL);
	int k = -1, err = 0;
	if (!json_object_is_type(o, json_type_object))
		err = pv_error(e, -EPROTO, "a line is not a JSON object");
	else if ((k = find_kind(pv_json_text(o, "ev"))) < 0)
		err = pv_error(e, -EPROTO, "a line is not a known event");
	else
		err = check_fields(o, k, e);
	if (err) {
		json_object_put(o);
		return err;
	}
	pv_json_clean(o);
	*kind = (enum pv_event_kind)k;
	*out = o;
	return 0;
}

int pv_event_parse(const char *line, size_t n, enum pv_event_kind *kind, json_object **out, struct pv_error *e)
{
	int err = parse_checked(line, n, kind, out, e);

	if (err && e)
		quote_line(line, e);
	return err;
}

/* ---- the case message ---- */

static json_object *golden_object(const struct pv_run_options *opt)
{
	json_object *o = json_object_new_object();

	pv_json_given(o, "folder", opt->golden_folder);
	pv_json_given(o, "mode", opt->golden_mode ? opt->golden_mode : "check");
	pv_json_given(o, "staging", opt->golden_staging);
	return o;
}

/* Copies the members: the plan's object is shared and must not change. */
static json_object *message_object(const struct pv_run_options *opt, const struct pv_job *job)
{
	json_object *o = json_object_new_object();

	pv_json_given(o, "op", "case");
	json_object *of_plan = job->bound	? json_object_get(job->bound)
			       : opt->case_json ? opt->case_json(job)
						: json_object_new_object();
	if (!of_plan) {
		json_object_put(o);
		return NULL;
	}
	json_object_object_foreach(of_plan, key, value) json_object_object_add(o, key, json_object_get(value));
	json_object_put(of_plan);
	return o;
}

/* A file of the run folder, which has PATH/cases/CASE. */
static void set_environment(json_object *o, const char *folder)
{
	_autofree_ char *path = NULL;

	if (folder && asprintf(&path, "%s/../../" PV_ENVIRONMENT_FILE, folder) >= 0)
		pv_json_given(o, "environment", path);
}

/* A copy with the descriptors of this case. */
static json_object *far_object(const struct pv_run_options *opt, const int streams[2])
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	json_object_object_foreach(opt->far, key, value) json_object_object_add(o, key, json_object_get(value));
	for (int i = 0; i < 2; i++)
		json_object_array_add(list, json_object_new_int(streams[i]));
	json_object_object_add(o, "streams", list);
	return o;
}

/* With "@ROLE=BDF", as the name has it. */
static json_object *former_names(const struct pv_job *job)
{
	const char *on = job->name + pv_case_base_length(job->name);
	json_object *list = json_object_new_array();

	for (const char *const *f = job->formerly; *f; f++) {
		_autofree_ char *name = NULL;

		if (asprintf(&name, "%s%s", *f, on) >= 0)
			pv_json_append(list, json_object_new_string(name));
	}
	return list;
}

char *pv_case_message(const struct pv_run_options *opt, const struct pv_job *job, const int streams[2],
		      const char *folder)
{
	json_object *o = message_object(opt, job);

	if (!o)
		return NULL;
	pv_json_given(o, "plan", job->plan);
	pv_json_given(o, "case", job->name);
	if (job->formerly && *job->formerly)
		json_object_object_add(o, "formerly", former_names(job));
	pv_json_given(o, "file", job->file);
	pv_json_given(o, "target", opt->target);
	pv_json_given(o, "board", opt->board);
	pv_json_given(o, "driver", opt->driver);
	pv_json_given(o, "folder", folder);
	if (opt->guest)
		set_environment(o, folder);
	pv_json_int(o, "line", job->line);
	pv_json_uint(o, "seed", job->seed);
	pv_json_int(o, "timeout_s", job->timeout_s);
	json_object_object_add(o, "defects", pv_json_strings(opt->defects));
	if (opt->guest)
		json_object_object_add(o, "guest", json_object_get(opt->guest));
	if (opt->vm_pool)
		pv_json_given(o, "keeper", opt->vm_pool);
	if (opt->far)
		json_object_object_add(o, "far", far_object(opt, streams));
	if (opt->golden_folder)
		json_object_object_add(o, "golden", golden_object(opt));
	if (opt->keep)
		pv_json_bool(o, "keep", true);
	if (opt->max_artefact_bytes)
		pv_json_uint(o, "max_artefact_bytes", opt->max_artefact_bytes);
	const char *text = pv_json_line(o);
	char *line = NULL;
	if (!text || asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	json_object_put(o);
	return line;
}
