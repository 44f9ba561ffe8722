/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events as JSON lines. */
#include "framework/agent/emit.h"

#include <json-c/json.h>
#include <stdint.h>

const char *const pv_emit_verdicts[] = {
	[PV_EMIT_PASS] = "pass", [PV_EMIT_SKIP] = "skip", [PV_EMIT_ERROR] = "error", [PV_EMIT_FAIL] = "fail"};

static json_object *event(const char *ev)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "ev", json_object_new_string(ev));
	return o;
}

static void add_text(json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void send(struct pv_emit *m, json_object *o)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	fprintf(m->out, "%s\n", json_object_to_json_string_ext(o, flags));
	fflush(m->out);
	json_object_put(o);
}

void pv_emit_hello(struct pv_emit *m, const char *target, const char *driver)
{
	json_object *o = event("hello");

	json_object_object_add(o, "protocol", json_object_new_int(1));
	add_text(o, "target", target);
	add_text(o, "driver", driver);
	send(m, o);
}

void pv_emit_step(struct pv_emit *m, unsigned n, const char *kind, int line)
{
	json_object *o = event("step");

	json_object_object_add(o, "n", json_object_new_int64(n));
	add_text(o, "kind", kind);
	json_object_object_add(o, "line", json_object_new_int(line));
	send(m, o);
}

void pv_emit_log(struct pv_emit *m, const char *level, const char *text)
{
	json_object *o = event("log");

	add_text(o, "level", level);
	add_text(o, "text", text);
	send(m, o);
}

void pv_emit_problem(struct pv_emit *m, unsigned n, enum pv_emit_verdict v, const char *type, const char *message,
		     const char *text)
{
	json_object *o = event("problem");

	json_object_object_add(o, "n", json_object_new_int64(n));
	add_text(o, "verdict", pv_emit_verdicts[v]);
	add_text(o, "type", type);
	add_text(o, "message", message);
	add_text(o, "text", text && *text ? text : message);
	send(m, o);
}

void pv_emit_check(struct pv_emit *m, unsigned n, const char *kind, const char *message)
{
	json_object *o = event("check");

	json_object_object_add(o, "n", json_object_new_int64(n));
	add_text(o, "kind", kind);
	add_text(o, "message", message);
	send(m, o);
}

void pv_emit_rule(struct pv_emit *m, const char *rule, uint64_t count, const char *message)
{
	json_object *o = event("rule");

	add_text(o, "rule", rule);
	json_object_object_add(o, "count", json_object_new_uint64(count < INT32_MAX ? count : INT32_MAX));
	add_text(o, "message", message);
	send(m, o);
}

void pv_emit_artefact(struct pv_emit *m, const char *path)
{
	json_object *o = event("artefact");

	add_text(o, "path", path);
	send(m, o);
}

void pv_emit_done(struct pv_emit *m, enum pv_emit_verdict v, unsigned checks, uint64_t sim_ns)
{
	json_object *o = event("done");

	add_text(o, "verdict", pv_emit_verdicts[v]);
	json_object_object_add(o, "checks", json_object_new_int64(checks));
	json_object_object_add(o, "sim_ns", json_object_new_uint64(sim_ns));
	send(m, o);
}
