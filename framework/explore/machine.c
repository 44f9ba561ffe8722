/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a case message of a case of elements, and runs it. */
#include "framework/explore/machine.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "framework/explore/element.h"
#include "framework/plan/plan.h"
#include "framework/util/utf8.h"

/* ---- the machine of a case, as the agent takes it ---- */

static void note_problem(void *ctx, const struct pv_error *e)
{
	*(struct pv_error *)ctx = *e;
}

/* A plan with nothing but this machine; the path of the file is /proc/self/fd/N. */
static int write_machine(json_object *topology)
{
	_autojson_ json_object *c = json_object_new_object();
	int fd = memfd_create("topology", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");

	pv_json_string(c, "name", "machine");
	pv_json_add(c, "topology", json_object_get(topology));
	pv_json_add(c, "steps", json_object_new_array());
	if (f) {
		pv_explore_plan_print(f, &(struct pv_explore_plan){"machine", "A machine.", &c, 1});
		fclose(f);
	}
	return fd;
}

/* The "topology" of the case message; the caller puts it. NULL: *e. */
static json_object *machine_of(json_object *topology, struct pv_error *e)
{
	_autoclose_ int fd = write_machine(topology);
	char path[32];
	const char *paths[] = {path};
	struct pv_plans *plans;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || pv_plans_load(paths, 1, &(struct pv_plan_options){0}, note_problem, e, &plans)) {
		if (!e->code)
			pv_error(e, -EINVAL, "the topology is none");
		return NULL;
	}
	json_object *json = json_object_object_get(pv_case_json(plans->cases[0]), "topology");
	json_object *machine = NULL;
	json_object_deep_copy(json, &machine, NULL);
	pv_plans_free(plans);
	return machine;
}

static json_object *message_of(json_object *c, const char *const *defects, struct pv_error *e)
{
	json_object *machine = machine_of(json_object_object_get(c, "topology"), e), *list, *msg;

	if (!machine)
		return NULL;
	msg = json_object_new_object();
	pv_json_string(msg, "op", "case");
	pv_json_string(msg, "plan", "explore");
	pv_json_string(msg, "case", json_object_get_string(json_object_object_get(c, "name")));
	pv_json_string(msg, "target", "model");
	pv_json_string(msg, "driver", "reference");
	pv_json_uint(msg, "seed", json_object_get_uint64(json_object_object_get(c, "seed")));
	pv_json_add(msg, "topology", machine);
	pv_json_add(msg, "steps", json_object_get(json_object_object_get(c, "steps")));
	pv_json_add(msg, "defects", list = json_object_new_array());
	for (; defects && *defects; defects++)
		pv_json_append(list, json_object_new_string(*defects));
	return msg;
}

/* ---- running it ---- */

static void note(void *ctx, enum pv_emit_verdict verdict, const char *type, const char *message)
{
	struct pv_explore_verdict *v = ctx;

	if (v->bad || (verdict != PV_EMIT_FAIL && verdict != PV_EMIT_ERROR))
		return;
	v->bad = true;
	snprintf(v->type, sizeof(v->type), "%s", type);
	pv_utf8_print(v->message, sizeof(v->message), "%s", message);
}

/* Ignores problems of steps that a rehearsal takes out again. */
struct listener {
	const struct pv_rehearsal *r;
	struct pv_explore_verdict *v;
};

static void next(void *ctx, struct pv_session *s, json_object *steps)
{
	const struct listener *l = ctx;

	if (l->r->next)
		l->r->next(l->r->ctx, s, steps);
}

static void hear(void *ctx, enum pv_emit_verdict verdict, const char *type, const char *message)
{
	const struct listener *l = ctx;

	if (!l->r->learn || verdict == PV_EMIT_FAIL)
		note(l->v, verdict, type, message);
}

int pv_explore_rehearse(json_object *c, const char *const *defects, const struct pv_rehearsal *r,
			struct pv_explore_verdict *v, struct pv_error *e)
{
	struct pv_session s;
	struct pv_emit emit = {NULL};
	struct listener l = {.r = r, .v = v};
	const struct pv_rehearsal heard = {.next = next, .problem = hear, .learn = r->learn, .ctx = &l};

	*v = (struct pv_explore_verdict){0};
	*e = (struct pv_error){0};
	_autojson_ json_object *msg = message_of(c, defects, e);
	if (!msg)
		return e->code;
	pv_session_rehearse(&s, msg, &emit, &heard);
	return 0;
}
