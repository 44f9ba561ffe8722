/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a case from its message: opens the target, runs the steps, writes artefacts, closes everything, reports the
 * verdict. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/agent/checks.h"
#include "framework/agent/postmortem.h"
#include "framework/agent/session.h"
#include "framework/agent/targets.h"
#include "framework/agent/traces.h"
#include "framework/target/environment.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

/* ---- closing ---- */

static void free_trace(struct pv_session *s, struct pv_session_trace *t)
{
	if (t->event)
		s->t->driver->ops->event_close(s->t->driver, t->event);
	pv_spill_free(&t->data);
	free(t->commit);
	free(t->window);
	free(t);
}

void pv_session_drop_trace(struct pv_session *s, const char *id)
{
	for (struct pv_session_trace **p = &s->traces; *p; p = &(*p)->next) {
		struct pv_session_trace *t = *p;

		if (strcmp(t->id, id))
			continue;
		*p = t->next;
		free_trace(s, t);
		return;
	}
}

static void free_named(struct pv_named **list)
{
	while (*list) {
		struct pv_named *n = *list;

		*list = n->next;
		free(n);
	}
}

/* Members precede their leaders in the list, and are closed first. */
static void close_counters(struct pv_session *s)
{
	while (s->counters) {
		struct pv_counter *c = s->counters;

		s->counters = c->next;
		if (c->event)
			s->t->driver->ops->event_close(s->t->driver, c->event);
		pv_counter_delete(c);
	}
}

static void forget_perfs(struct pv_session *s)
{
	while (s->perfs) {
		struct pv_perf_run *p = s->perfs;

		s->perfs = p->next;
		free(p->said);
		free(p);
	}
}

static void close_all(struct pv_session *s)
{
	while (s->traces) {
		struct pv_session_trace *t = s->traces;

		s->traces = t->next;
		free_trace(s, t);
	}
	close_counters(s);
	free_named(&s->streams);
	free_named(&s->marks);
	free_named(&s->measures);
	forget_perfs(s);
	pv_hotplug_history_clear(&s->history);
}

/* ---- artefacts ---- */

static void note_artefact(void *ctx, const char *path)
{
	pv_emit_artefact(((struct pv_session *)ctx)->emit, path);
}

/* The payload alone does not show losses; `pcieval trace convert --truncated` takes the offsets reported here. */
static void log_truncated(struct pv_session *s, const struct pv_session_trace *t)
{
	_autofree_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	fprintf(f, "trace-%s.bin: flagged truncated at ", t->id);
	size_t n = pv_trace_list_truncated(t, f);
	if (!fclose(f) && n)
		pv_emit_log(s->emit, "info", text);
}

/* Writes an artefact of the case: "trace-ID.bin". */
static int save_file(struct pv_session *s, const char *name, const void *data, size_t n,
		     void (*note)(void *, const char *))
{
	_autofree_ char *path = NULL;

	if (asprintf(&path, "%s/%s", s->folder, name) < 0)
		return -ENOMEM;
	_autofclose_ FILE *f = fopen(path, "w");
	if (!f)
		return -errno;
	bool whole = fwrite(data, 1, n, f) == n;
	if (fclose(steal(&f)) || !whole)
		return -EIO;
	note(s, path);
	return 0;
}

static int save_trace(struct pv_session *s, struct pv_session_trace *t, void (*note)(void *, const char *))
{
	char name[PV_ID_MAX + 16];

	snprintf(name, sizeof(name), "trace-%s.bin", t->id);
	int err = save_file(s, name, pv_spill_data(&t->data), t->data.len, note);
	if (!err)
		log_truncated(s, t);
	return err;
}

static int save_perf(struct pv_session *s, const struct pv_perf_run *p, void (*note)(void *, const char *))
{
	char name[PV_ID_MAX + 16];

	snprintf(name, sizeof(name), PV_PERF_FILE, p->id);
	return save_file(s, name, p->said, strlen(p->said), note);
}

static int save_all(struct pv_session *s, void (*note)(void *, const char *))
{
	int err = 0;

	for (struct pv_perf_run *p = s->perfs; p && !err; p = p->next)
		err = *p->said ? save_perf(s, p, note) : 0;
	for (struct pv_session_trace *t = s->traces; t && !err; t = t->next)
		err = t->data.len ? save_trace(s, t, note) : 0;
	if (!err && pv_has(s->t->truth, save))
		err = s->t->truth->ops->save(s->t->truth, s->folder, note, s);
	return err;
}

static void say_nothing(void *ctx, const char *path)
{
}

/* Emits no event: the case may have been stopped while it wrote one. */
void pv_session_rescue(struct pv_session *s)
{
	int err = save_all(s, say_nothing);

	if (err)
		dprintf(STDERR_FILENO, "artefacts could not be saved to %s: %s\n", s->folder, strerror(-err));
}

static void save_artefacts(struct pv_session *s)
{
	int err = s->folder ? save_all(s, note_artefact) : 0;

	if (err) {
		struct pv_error e = {0};

		pv_error(&e, err, "artefacts could not be saved to %s: %s", s->folder, strerror(-err));
		pv_emit_log(s->emit, "error", e.text);
	}
}

/* ---- steps ---- */

/* Closes all events before the driver unloads; data received so far is kept. */
static void end_events(struct pv_session *s)
{
	for (struct pv_counter *c = s->counters; c; c = c->next) {
		if (c->event)
			s->t->driver->ops->event_close(s->t->driver, steal(&c->event));
		c->running = false;
	}
	for (struct pv_session_trace *t = s->traces; t; t = t->next) {
		if (!t->event)
			continue;
		pv_trace_ending(s, t);
		s->t->driver->ops->event_close(s->t->driver, steal(&t->event));
		pv_trace_ended(s, t);
	}
}

static void tell_misdeed(void *ctx, const char *kind, const char *text)
{
	bool machine = !strcmp(kind, "guest");
	const char *more = strchr(text, '\n');

	pv_session_problem(ctx, machine ? PV_EMIT_ERROR : PV_EMIT_FAIL, kind, more ? more + 1 : NULL, "%.*s",
			   (int)strcspn(text, "\n"), text);
}

/* Closes all events and unloads the driver. Resources that the driver still holds afterwards are leaks. */
static void shutdown_driver(struct pv_session *s)
{
	end_events(s);
	if ((s->booted || s->lost) && pv_has(s->t->machine, shutdown))
		s->t->machine->ops->shutdown(s->t->machine, tell_misdeed, s);
	s->booted = false;
}

/* Reports why the target cannot be opened: the case needs another one, or an error occurred. */
static void tell_unopened(struct pv_session *s, const struct pv_error *e)
{
	if (e->code == -EOPNOTSUPP)
		pv_session_problem(s, PV_EMIT_SKIP, "target", NULL, "target %s: %s", s->target, e->text);
	else
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "%s", e->text);
}

int pv_session_boot(struct pv_session *s, enum pv_mps_policy policy)
{
	struct pv_error e = {0};

	shutdown_driver(s);
	int err = s->t->machine->ops->boot(s->t->machine, policy, &e);
	if (err) {
		tell_unopened(s, &e);
		return err;
	}
	s->booted = true;
	s->policy = policy;
	pv_hotplug_history_clear(&s->history);
	return 0;
}

static int run_step(struct pv_session *s, const struct pv_step_def *def, const struct pv_args *a)
{
	s->step = a;
	s->def = def;
	s->learned = false;
	pv_emit_step(s->emit, s->n, a->kind, a->line);
	if ((def->flags & PV_STEP_LEDGER) && !pv_has(s->t->truth, ledger))
		return pv_session_unsupported(s, "wire ledger");
	int err = def->flags & PV_STEP_DRIVER && !s->booted ? pv_session_boot(s, PV_MPS_DEFAULT) : 0;
	return err ? err : def->run(s, a);
}

static void step_args(struct pv_session *s, json_object *step, struct pv_args *a)
{
	const char *file = json_object_get_string(json_object_object_get(s->msg, "file"));
	const char *kind = json_object_get_string(json_object_object_get(step, "kind"));

	*a = (struct pv_args){
		.file = file ? file : "case",
		.kind = kind ? kind : "",
		.line = json_object_get_int(json_object_object_get(step, "line")),
		.obj = json_object_object_get(step, "attrs"),
	};
}

/* Reports all mistakes that can be detected in advance before any step runs. */
static int check_steps(struct pv_session *s, json_object *steps, struct pv_error *e)
{
	if (!json_object_is_type(steps, json_type_array))
		return pv_error(e, -EINVAL, "case message: \"steps\": expected a list, got %s",
				steps ? json_object_to_json_string(steps) : "nothing");
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		struct pv_args a;

		step_args(s, json_object_array_get_idx(steps, i), &a);
		const struct pv_step_def *def = pv_step_find(a.kind);
		if (!def)
			return pv_error(e, -EINVAL,
					"%s:%d: expected a step (`pcieval validate --steps` lists them), got \"%s\"",
					a.file, a.line, a.kind);
		a.decl = pv_schema_step(a.kind);
		json_object *empty = a.obj ? NULL : json_object_new_object();
		a.obj = a.obj ? a.obj : empty;
		int err = json_object_is_type(a.obj, json_type_object)
				  ? pv_args_check(&a, e)
				  : pv_error(e, -EINVAL, "%s:%d: \"attrs\": expected an object", a.file, a.line);
		json_object_put(empty);
		if (err)
			return err;
	}
	return 0;
}

static bool has_step(struct pv_session *s, json_object *steps)
{
	if (s->rehearsal && s->rehearsal->next && s->n == json_object_array_length(steps))
		s->rehearsal->next(s->rehearsal->ctx, s, steps);
	return s->n < json_object_array_length(steps);
}

/* Takes out a step that ended a rehearsal although it shows nothing. Returns false if it did show something. */
static bool take_out(struct pv_session *s, json_object *steps)
{
	if (!s->rehearsal || !s->rehearsal->learn || s->verdict == PV_EMIT_FAIL || s->lost)
		return false;
	json_object_array_del_idx(steps, s->n--, 1);
	s->verdict = PV_EMIT_PASS;
	return true;
}

static void run_steps(struct pv_session *s, json_object *steps)
{
	json_object *empty = json_object_new_object();

	for (s->n = 0; has_step(s, steps); s->n++) {
		json_object *step = json_object_array_get_idx(steps, s->n);
		struct pv_args a;

		if (!pv_step_is_for(json_object_get_string(json_object_object_get(step, "driver")), s->driver))
			continue;
		step_args(s, step, &a);
		const struct pv_step_def *def = pv_step_find(a.kind);
		a.decl = pv_schema_step(a.kind);
		a.obj = a.obj ? a.obj : empty;
		int end = run_step(s, def, &a);
		/* Steps that did not run prove nothing. */
		if (end && s->verdict == PV_EMIT_PASS)
			pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL,
					   "the step ended the case without saying why (%d)", end);
		s->step = NULL;
		if ((end || s->verdict != PV_EMIT_PASS) && take_out(s, steps))
			continue;
		if (end) {
			pv_session_stop_streams(s);
			break;
		}
	}
	json_object_put(empty);
}

static void check_ledger(struct pv_session *s)
{
	struct pv_ledger *l = pv_has(s->t->truth, ledger) ? s->t->truth->ops->ledger(s->t->truth) : NULL;
	int err = l ? pv_ledger_error(l) : 0;

	if (err)
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL,
				   "the wire ledger could not be written: %s; checks against it mean nothing",
				   strerror(-err));
}

/* In every case: no device may write to memory outside the driver's buffers, such as memory it has freed. */
static void check_dma(struct pv_session *s)
{
	struct pv_dma_lost l =
		pv_has(s->t->truth, dma_lost) ? s->t->truth->ops->dma_lost(s->t->truth) : (struct pv_dma_lost){0};

	if (l.writes)
		pv_session_problem(s, PV_EMIT_FAIL, "dma", NULL,
				   "DMA: expected none outside of the driver's buffers, got %" PRIu64
				   " writes, the first by %s to 0x%" PRIx64,
				   l.writes, pv_bdf_text(l.bdf).s, l.addr);
}

static void tell_driver_log(struct pv_session *s)
{
	const char *line;

	if (!s->booted || !pv_has(s->t->driver, log_line))
		return;
	for (size_t i = 0; i < 1000 && (line = s->t->driver->ops->log_line(s->t->driver, i)); i++)
		pv_emit_log(s->emit, "driver", line);
}

static const char *text_of(json_object *msg, const char *key, const char *def)
{
	const char *s = json_object_get_string(json_object_object_get(msg, key));

	return s ? s : def;
}

static int open_target(struct pv_session *s, struct pv_error *e)
{
	const struct pv_target_ops *ops = pv_target_find(s->target);

	if (!ops)
		return pv_error(e, -ENODEV,
				"case message: \"target\": expected a target that this agent has, got \"%s\"",
				s->target);
	return ops->open(&s->t, s->msg, e);
}

static uint64_t now_ps(struct pv_session *s)
{
	return pv_has(s->t->machine, now_ps) ? s->t->machine->ops->now_ps(s->t->machine) : 0;
}

/* ---- the environment, for the reports of the run ---- */

/* Opens another machine, with a temporary folder for its artefacts. */
static int open_another(struct pv_session *s, const char *folder, struct pv_target **t, struct pv_error *e)
{
	json_object *msg = json_object_new_object();

	json_object_object_foreach(s->msg, key, value)
	{
		json_object_object_add(msg, key, json_object_get(value));
	}
	pv_json_string(msg, "folder", folder);
	int err = pv_target_find(s->target)->open(t, msg, e);
	json_object_put(msg);
	return err;
}

static int ask(struct pv_target *t, enum pv_mps_policy policy, const char *path, struct pv_error *e)
{
	int err = t->machine->ops->boot(t->machine, policy, e);
	json_object *o = err ? NULL : pv_environment_ask(t->shell, e);

	if (!err)
		err = o ? pv_environment_write(path, o, e) : e->code;
	json_object_put(o);
	return err;
}

/* Done by the first case whose machine has a shell, in another boot, since the queries would appear in the case's
 * ledger. */
static void tell_environment(struct pv_session *s)
{
	const char *path = text_of(s->msg, "environment", NULL);
	struct pv_error e = {0};
	struct pv_target *t;
	_autofree_ char *folder = NULL;

	if (!path || !s->has_shell || !s->folder || !access(path, F_OK) ||
	    asprintf(&folder, "%s/environment", s->folder) < 0)
		return;
	int err = mkdir(folder, 0777) ? pv_error(&e, -errno, "%s: %s", folder, strerror(errno))
				      : open_another(s, folder, &t, &e);
	if (!err) {
		err = ask(t, s->policy, path, &e);
		t->ops->close(t);
	}
	pv_remove_all(folder);
	if (err)
		pv_emit_log(s->emit, "info", e.text);
}

void pv_session_judge_case(struct pv_session *s)
{
	tell_driver_log(s);
	s->has_shell = s->booted && pv_has(s->t->shell, run);
	shutdown_driver(s);
	check_ledger(s);
	check_dma(s);
	pv_rules_tell(s);
	if (s->verdict == PV_EMIT_PASS && !s->checks)
		pv_session_problem(s, PV_EMIT_ERROR, "plan", NULL,
				   "the case proves nothing: expected a check or an expectation, got none");
	if (s->verdict != PV_EMIT_PASS || json_object_get_boolean(json_object_object_get(s->msg, "keep")))
		save_artefacts(s);
}

/* The functions of a real machine that play the roles of the plan. */
static void tell_roles(struct pv_session *s)
{
	json_object *roles = json_object_object_get(s->msg, "roles");
	_autofree_ char *text = NULL;
	size_t size;
	FILE *f = json_object_is_type(roles, json_type_object) ? open_memstream(&text, &size) : NULL;

	if (!f)
		return;
	fputs("roles:", f);
	json_object_object_foreach(roles, role, is)
	{
		fprintf(f, " %s=%s", role, json_object_get_string(is));
	}
	if (!fclose(f))
		pv_emit_log(s->emit, "info", text);
}

void pv_session_run(struct pv_session *s, json_object *msg, struct pv_emit *emit)
{
	pv_session_rehearse(s, msg, emit, NULL);
}

void pv_session_rehearse(struct pv_session *s, json_object *msg, struct pv_emit *emit, const struct pv_rehearsal *r)
{
	struct pv_error e = {0};

	*s = (struct pv_session){.msg = msg, .emit = emit, .rehearsal = r};
	s->plan = text_of(msg, "plan", "plan");
	s->case_name = text_of(msg, "case", "case");
	s->driver = text_of(msg, "driver", "reference");
	s->target = text_of(msg, "target", "model");
	s->folder = text_of(msg, "folder", NULL);
	s->seed = json_object_get_uint64(json_object_object_get(msg, "seed"));
	json_object *steps = json_object_object_get(msg, "steps");
	pv_emit_hello(emit, s->target, s->driver);
	uint64_t ns = 0;
	tell_roles(s);
	if (check_steps(s, steps, &e)) {
		pv_session_problem(s, PV_EMIT_ERROR, "plan", NULL, "%s", e.text);
	} else if (open_target(s, &e)) {
		tell_unopened(s, &e);
	} else {
		pv_postmortem_watch(s);
		run_steps(s, steps);
		pv_session_judge_case(s);
		pv_postmortem_watch(NULL);
		ns = now_ps(s) / 1000;
		close_all(s);
		s->t->ops->close(s->t);
		tell_environment(s);
	}
	pv_emit_done(emit, s->verdict, s->checks, ns);
}
