/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events as JSON lines. */
#include "framework/agent/emit.h"
#include "framework/util/json.h"

#include <json-c/json.h>
#include <stdint.h>

const char *const pv_emit_verdicts[] = {
	[PV_EMIT_PASS] = "pass", [PV_EMIT_SKIP] = "skip", [PV_EMIT_ERROR] = "error", [PV_EMIT_FAIL] = "fail"};

static json_object *event(const char *ev)
{
	json_object *o = json_object_new_object();

	pv_json_string(o, "ev", ev);
	return o;
}

static void send(struct pv_emit *m, json_object *o)
{
	if (m->out) {
		pv_json_clean(o);
		fprintf(m->out, "%s\n", pv_json_line(o));
		fflush(m->out);
	}
	json_object_put(o);
}

void pv_emit_hello(struct pv_emit *m, const char *target, const char *driver)
{
	json_object *o = event("hello");

	pv_json_int(o, "protocol", 1);
	pv_json_string(o, "target", target);
	pv_json_string(o, "driver", driver);
	send(m, o);
}

void pv_emit_step(struct pv_emit *m, unsigned n, const char *kind, int line)
{
	json_object *o = event("step");

	pv_json_int(o, "n", n);
	pv_json_string(o, "kind", kind);
	pv_json_int(o, "line", line);
	send(m, o);
}

void pv_emit_log(struct pv_emit *m, const char *level, const char *text)
{
	json_object *o = event("log");

	pv_json_string(o, "level", level);
	pv_json_string(o, "text", text);
	send(m, o);
}

void pv_emit_problem(struct pv_emit *m, unsigned n, enum pv_emit_verdict v, const char *type, const char *message,
		     const char *text)
{
	json_object *o = event("problem");

	pv_json_int(o, "n", n);
	pv_json_string(o, "verdict", pv_emit_verdicts[v]);
	pv_json_string(o, "type", type);
	pv_json_string(o, "message", message);
	pv_json_string(o, "text", text && *text ? text : message);
	send(m, o);
}

void pv_emit_check(struct pv_emit *m, unsigned n, const char *kind, const char *message)
{
	json_object *o = event("check");

	pv_json_int(o, "n", n);
	pv_json_string(o, "kind", kind);
	pv_json_string(o, "message", message);
	send(m, o);
}

void pv_emit_rule(struct pv_emit *m, const char *rule, uint64_t count, const char *message)
{
	json_object *o = event("rule");

	pv_json_string(o, "rule", rule);
	pv_json_uint(o, "count", count < INT32_MAX ? count : INT32_MAX);
	pv_json_string(o, "message", message);
	send(m, o);
}

void pv_emit_artefact(struct pv_emit *m, const char *path)
{
	json_object *o = event("artefact");

	pv_json_string(o, "path", path);
	send(m, o);
}

void pv_emit_done(struct pv_emit *m, enum pv_emit_verdict v, unsigned checks, uint64_t sim_ns)
{
	json_object *o = event("done");

	pv_json_string(o, "verdict", pv_emit_verdicts[v]);
	pv_json_int(o, "checks", checks);
	pv_json_uint(o, "sim_ns", sim_ns);
	send(m, o);
}
