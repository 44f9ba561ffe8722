/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a run folder to the result model. The journal may end anywhere: a case without a verdict in it is an error.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/case_folder.h"
#include "framework/run/folder.h"
#include "framework/run/journal.h"
#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"
#include "framework/util/hash.h"
#include "framework/util/json.h"

enum { TEXT_MAX = 2 << 20, CASES_MAX = 1000000, ATTEMPTS_MAX = 1000, RULES_MAX = 32 };

/* State of a case while the journal is being read. */
struct record {
	bool started, judged;
	int step, step_line;
	char *step_kind;
	json_object *problems; /* array; NULL: none */
};

struct loader {
	struct pv_run_result *run;
	struct record *records; /* one per case */
	char **folders;		/* one per case: names in cases/ */
	int64_t last_ms;
	bool ended;
};

/* ---- settings and cases ---- */

static char *dup_field(json_object *o, const char *key)
{
	return strdup(pv_json_text(o, key));
}

/* An array of strings as a NULL-terminated list. */
static char **dup_list(json_object *list)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	char **out = calloc(n + 1, sizeof(*out));

	for (size_t i = 0; out && i < n; i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(list, i));

		out[i] = strdup(s ? s : "");
	}
	return out;
}

/* An array of strings as words. */
static char *join(json_object *list)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < json_object_array_length(list); i++)
		fprintf(f, "%s%s", i ? " " : "", json_object_get_string(json_object_array_get_idx(list, i)));
	if (f)
		fclose(f);
	return text;
}

/* Drivers in a guest that are not its kernel's: "fixed", or the user's. The caller frees; NULL: none, or no memory. */
static char *other_drivers(json_object *settings)
{
	json_object *guest = json_object_object_get(settings, "guest");
	bool fixed = json_object_get_boolean(json_object_object_get(guest, "fixed"));
	const char *users = pv_json_text(guest, "drivers");
	char *text;

	if (!fixed && !*users)
		return NULL;
	return asprintf(&text, "%s%s%s", fixed ? "fixed" : "", fixed && *users ? " and " : "", users) < 0 ? NULL : text;
}

/* Settings that describe the environment: reports get them unchanged. */
static char **properties(json_object *settings)
{
	static const struct {
		const char *key, *name; /* NULL: the same. The machine under test has a kernel and a CPU, too. */
	} keys[] = {{"seed"},
		    {"defects"},
		    {"golden"},
		    {"workers"},
		    {"timeout_scale"},
		    {"shuffle"},
		    {"repeat"},
		    {"shard"},
		    {"shards"},
		    {"until_failure"},
		    {"max_fail"},
		    {"retry_errors"},
		    {"rerun_of"},
		    {"differs"},
		    {"kernel", "host kernel"},
		    {"machine", "host machine"},
		    {"cpu", "host CPU"},
		    {"revision"},
		    {"compiler"}};
	const char *release = pv_json_text(json_object_object_get(settings, "guest"), "release");
	char **out = calloc(2 * ARRAY_SIZE(keys) + 6 + 1, sizeof(*out)); /* with two of guests, and one to be added */
	size_t n = 0;

	for (size_t i = 0; out && i < ARRAY_SIZE(keys); i++) {
		json_object *v = json_object_object_get(settings, keys[i].key);
		bool empty = !v || (json_object_is_type(v, json_type_array) && !json_object_array_length(v));

		if (empty)
			continue;
		out[n++] = strdup(keys[i].name ? keys[i].name : keys[i].key);
		out[n++] = json_object_is_type(v, json_type_array) ? join(v) : strdup(json_object_get_string(v));
	}
	if (out && *release) {
		out[n++] = strdup("guest kernel");
		out[n++] = strdup(release);
	}
	char *drivers = out ? other_drivers(settings) : NULL;
	if (drivers) {
		out[n++] = strdup("drivers");
		out[n++] = drivers;
	}
	return out;
}

static void add_property(struct pv_run_result *r, const char *name, size_t value)
{
	char text[32];
	size_t n = 0;

	while (r->properties[n])
		n++;
	snprintf(text, sizeof(text), "%zu", value);
	r->properties[n] = strdup(name);
	r->properties[n + 1] = r->properties[n] ? strdup(text) : NULL;
}

/* Returns a digest of the known failures; NULL: there are none, or no memory. */
static char *known_failures(json_object *settings)
{
	json_object *list = json_object_object_get(settings, "deviations");
	const char *line = list ? pv_json_line(list) : NULL;
	char *digest;

	if (!json_object_is_type(list, json_type_array) || !json_object_array_length(list) || !line)
		return NULL;
	return asprintf(&digest, "%016" PRIx64, pv_hash_text(line)) < 0 ? NULL : digest;
}

static int load_settings(struct pv_run_result *r, const char *folder, struct pv_error *e)
{
	json_object *o = pv_run_folder_read(folder, PV_SETTINGS_FILE, e);

	if (!o)
		return e->code;
	r->target = dup_field(o, "target");
	r->board = dup_field(o, "board");
	r->driver = dup_field(o, "driver");
	r->command = dup_field(o, "command");
	r->rerun = dup_field(o, "rerun");
	r->hostname = dup_field(o, "hostname");
	r->version = dup_field(o, "version");
	r->folder = strdup(folder);
	r->id = dup_field(o, PV_SETTING_ID);
	r->started = pv_field_int(o, "started");
	r->properties = properties(o);
	r->known = known_failures(o);
	json_object_put(o);
	bool all = r->target && r->board && r->driver && r->command && r->rerun && r->hostname && r->version &&
		   r->folder && r->id && r->properties;
	return all ? 0 : pv_error(e, -ENOMEM, "out of memory");
}

/* Names and values; NULL-terminated, and NULL where no machine was asked. */
static int load_environment(struct pv_run_result *r, const char *folder, struct pv_error *e)
{
	struct pv_error none = {0};
	json_object *o = pv_run_folder_read(folder, PV_ENVIRONMENT_FILE, &none);
	size_t n = 0;

	if (!o)
		return none.code == -ENOENT ? 0 : (*e = none, e->code);
	r->environment = calloc(2 * (size_t)json_object_object_length(o) + 1, sizeof(*r->environment));
	json_object_object_foreach(o, name, value)
	{
		const char *text = json_object_get_string(value);

		if (r->environment) {
			r->environment[n++] = strdup(name);
			r->environment[n++] = strdup(text ? text : "");
		}
	}
	json_object_put(o);
	bool whole = r->environment;
	for (size_t i = 0; whole && i < n; i++)
		whole = r->environment[i];
	return whole ? 0 : pv_error(e, -ENOMEM, "out of memory");
}

static bool load_case(struct pv_case_result *c, json_object *o)
{
	c->plan = dup_field(o, "plan");
	c->name = dup_field(o, "case");
	c->formerly = dup_list(json_object_object_get(o, "formerly"));
	c->file = dup_field(o, "file");
	c->line = (int)pv_field_int(o, "line");
	c->seed = json_object_get_uint64(json_object_object_get(o, "seed"));
	c->round = (unsigned)pv_field_int(o, "round");
	c->verifies = dup_list(json_object_object_get(o, "verifies"));
	if (*pv_json_text(o, "where"))
		c->where = dup_field(o, "where");
	c->roles = dup_list(json_object_object_get(o, "roles"));
	return c->plan && c->name && c->formerly && c->file && c->verifies && c->roles;
}

static int no_memory(struct pv_error *e)
{
	return pv_error(e, -ENOMEM, "out of memory");
}

static int fill_cases(struct loader *l, json_object *list, struct pv_error *e)
{
	size_t n = json_object_array_length(list);

	l->run->cases = calloc(n + 1, sizeof(*l->run->cases));
	l->records = calloc(n + 1, sizeof(*l->records));
	l->folders = calloc(n + 1, sizeof(*l->folders));
	if (!l->run->cases || !l->records || !l->folders)
		return no_memory(e);
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(list, i);

		l->run->n_cases = i + 1;
		if (!load_case(&l->run->cases[i], one))
			return no_memory(e);
		l->folders[i] = dup_field(one, "folder");
		l->records[i].step = -1;
	}
	return 0;
}

static int load_cases(struct loader *l, const char *folder, struct pv_error *e)
{
	json_object *o = pv_run_folder_read(folder, PV_CASES_FILE, e);

	if (!o)
		return e->code;
	json_object *list = json_object_object_get(o, "cases");
	int err;
	if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) > CASES_MAX)
		err = pv_error(e, -EINVAL, "%s/" PV_CASES_FILE ": no list of cases", folder);
	else
		err = fill_cases(l, list, e);
	json_object_put(o);
	return err;
}

/* ---- the journal ---- */

/* Clears the results of an earlier attempt at the case. */
static bool take_start(struct loader *l, size_t i, json_object *o)
{
	struct record *rec = &l->records[i];
	struct pv_case_result *c = &l->run->cases[i];

	json_object_put(rec->problems);
	free(rec->step_kind);
	free(steal(&c->type));
	free(steal(&c->message));
	pv_case_result_forget(c);
	*rec = (struct record){.started = true, .step = -1};
	c->verdict = PV_PASS;
	c->interrupted = c->stopped = false;
	c->seconds = 0;
	return true;
}

static bool take_step(struct loader *l, size_t i, json_object *o)
{
	struct record *rec = &l->records[i];

	rec->step = (int)pv_field_int(o, "n");
	rec->step_line = (int)pv_field_int(o, "line");
	free(rec->step_kind);
	rec->step_kind = dup_field(o, "kind");
	return true;
}

static bool take_problem(struct loader *l, size_t i, json_object *o)
{
	struct record *rec = &l->records[i];

	if (!rec->problems)
		rec->problems = json_object_new_array();
	json_object_array_add(rec->problems, json_object_get(o));
	return true;
}

static void take_rules(struct pv_case_result *c, json_object *list)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (c->rules || n > RULES_MAX)
		return;
	c->rules = calloc(n + 1, sizeof(*c->rules));
	for (size_t i = 0; c->rules && i < n; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		struct pv_rule_count *r = &c->rules[c->n_rules];

		*r = (struct pv_rule_count){dup_field(o, "rule"), dup_field(o, "message"),
					    (uint64_t)pv_field_int(o, "count")};
		if (r->rule && r->message) {
			c->n_rules++;
			continue;
		}
		free(r->rule);
		free(r->message);
	}
}

static bool take_verdict(struct loader *l, size_t i, json_object *o)
{
	struct pv_case_result *c = &l->run->cases[i];
	int verdict = pv_verdict_by_name(pv_json_text(o, "verdict"));

	if (verdict < 0 || l->records[i].judged)
		return false;
	l->records[i].judged = true;
	c->verdict = (enum pv_verdict)verdict;
	c->type = dup_field(o, "type");
	c->message = dup_field(o, "message");
	c->seconds = (double)pv_field_int(o, "ms") / 1000;
	c->interrupted = c->stopped = json_object_get_boolean(json_object_object_get(o, "stopped"));
	c->checks = pv_field_int(o, "checks");
	c->sim_ns = pv_field_int(o, "sim_ns");
	if (json_object_object_get(o, "figures") && !c->figures)
		c->figures = dup_list(json_object_object_get(o, "figures"));
	take_rules(c, json_object_object_get(o, "rules"));
	return true;
}

/* An error that is not final: the case starts again. */
static bool take_attempt(struct loader *l, size_t i, json_object *o)
{
	struct pv_case_result *c = &l->run->cases[i];

	if (l->records[i].judged || c->n_attempts == ATTEMPTS_MAX)
		return false;
	struct pv_attempt *more = realloc(c->attempts, (c->n_attempts + 1) * sizeof(*more));
	if (!more)
		return false;
	c->attempts = more;
	more[c->n_attempts++] = (struct pv_attempt){.type = dup_field(o, "type"),
						    .message = dup_field(o, "message"),
						    .seconds = (double)pv_field_int(o, "ms") / 1000};
	return true;
}

static bool take_end(struct loader *l, json_object *o)
{
	l->ended = true;
	l->run->interrupted = json_object_get_boolean(json_object_object_get(o, "interrupted"));
	if (*pv_json_text(o, "why") && !l->run->why)
		l->run->why = dup_field(o, "why");
	return true;
}

/* The run was resumed after this end. */
static bool take_resume(struct loader *l)
{
	l->ended = l->run->interrupted = false;
	free(steal(&l->run->why));
	return true;
}

static const struct {
	const char *ev;
	bool (*take)(struct loader *l, size_t i, json_object *o);
} takers[] = {
	{"start", take_start},	   {"step", take_step},	      {"problem", take_problem},
	{"verdict", take_verdict}, {"attempt", take_attempt},
};

/* False: a runner does not write this. */
static bool take_of_case(struct loader *l, const char *ev, json_object *o)
{
	int64_t i = json_object_object_get(o, "case") ? pv_field_int(o, "case") : -1;

	for (size_t k = 0; k < ARRAY_SIZE(takers); k++)
		if (!strcmp(ev, takers[k].ev) && i >= 0 && (uint64_t)i < l->run->n_cases)
			return takers[k].take(l, (size_t)i, o);
	return false;
}

static bool take(void *ctx, json_object *o)
{
	struct loader *l = ctx;
	const char *ev = pv_json_text(o, "ev");

	if (pv_field_int(o, "at_ms") > l->last_ms)
		l->last_ms = pv_field_int(o, "at_ms");
	if (!strcmp(ev, "end"))
		return take_end(l, o);
	return strcmp(ev, "resume") ? take_of_case(l, ev, o) : take_resume(l);
}

/* ---- folders of cases ---- */

static void load_files(struct pv_case_result *c, const char *folder, const char *name)
{
	char path[PATH_MAX], before[PATH_MAX];

	if (!name || !*name || strchr(name, '/') || name[0] == '.')
		return;
	if (snprintf(path, sizeof(path), "%s/" PV_CASES_FOLDER "/%s", folder, name) >= (int)sizeof(path))
		return;
	pv_case_folder_load(path, &c->artefacts, &c->log);
	for (unsigned k = 0; k < c->n_attempts; k++)
		if (pv_attempt_folder(path, k, before))
			pv_case_folder_load(before, &c->attempts[k].artefacts, &c->attempts[k].log);
}

/* ---- the result ---- */

/* Sets the result of a case that the journal leaves open. */
static void close_case(struct pv_case_result *c, const struct record *rec, const struct pv_run_result *run)
{
	int n;
	char *message = NULL;
	const char *what = run->running ? "the run goes on:" : "the run ended while";

	c->verdict = PV_ERROR;
	c->interrupted = rec->started;
	c->type = strdup(rec->started ? "incomplete" : "not-run");
	if (!rec->started)
		n = asprintf(&message, "not run%s: %s", run->running ? " yet" : "",
			     run->running ? "the run goes on"
			     : run->why	  ? run->why
					  : "the run ended before this case");
	else if (rec->step < 0)
		n = asprintf(&message, "%s this case was before its first step", what);
	else
		n = asprintf(&message, "%s this case was in step %d (%s, line %d)", what, rec->step,
			     rec->step_kind ? rec->step_kind : "?", rec->step_line);
	c->message = n < 0 ? NULL : message;
}

/* "fail (check), scenarios/x.xml:14: message"; the place is left out if the message has it. */
static void print_problem_head(FILE *f, const struct pv_case_result *c, json_object *o)
{
	const char *message = pv_json_text(o, "message");
	int64_t line = pv_field_int(o, "line");

	fprintf(f, "%s (%s)", pv_json_text(o, "verdict"), pv_json_text(o, "type"));
	if (strncmp(message, c->file, strlen(c->file)))
		fprintf(f, ", %s:%lld", c->file, (long long)(line > 0 ? line : c->line));
	fprintf(f, ": %s\n", message);
}

/* Avoids repetition: leaves out text that repeats the message of the case or of the problem. */
static void print_problem(FILE *f, const struct pv_case_result *c, json_object *o)
{
	const char *message = pv_json_text(o, "message"), *text = pv_json_text(o, "text");
	size_t n = strlen(message);

	if (strcmp(message, c->message))
		print_problem_head(f, c, o);
	if (!strncmp(text, message, n) && (!text[n] || text[n] == '\n'))
		text += text[n] ? n + 1 : n;
	if (*text)
		fprintf(f, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* Writes the message, then all details, up to a limit for readers of reports. */
static int make_text(struct pv_case_result *c, const struct record *rec)
{
	size_t size = 0, n = rec->problems ? json_object_array_length(rec->problems) : 0, i = 0;
	FILE *f = open_memstream(&c->text, &size);

	if (!f)
		return -ENOMEM;
	if (*c->message)
		fprintf(f, "%s\n", c->message);
	for (; i < n && !fflush(f) && size < TEXT_MAX; i++)
		print_problem(f, c, json_object_array_get_idx(rec->problems, i));
	if (i < n)
		fprintf(f, "(%zu more problem%s)\n", n - i, n - i == 1 ? "" : "s");
	if (c->where)
		fprintf(f, "ran in %s\n", c->where);
	return fclose(f) ? -ENOMEM : 0;
}

static int finish_case(struct loader *l, size_t i)
{
	struct pv_case_result *c = &l->run->cases[i];
	struct record *rec = &l->records[i];

	if (!rec->judged)
		close_case(c, rec, l->run);
	if (!c->type || !c->message)
		return -ENOMEM;
	if (c->verdict != PV_PASS && make_text(c, rec))
		return -ENOMEM;
	load_files(c, l->run->folder, l->folders[i]);
	return 0;
}

static void loader_free(struct loader *l)
{
	for (size_t i = 0; l->run && i < l->run->n_cases; i++) {
		json_object_put(l->records[i].problems);
		free(l->records[i].step_kind);
		free(l->folders[i]);
	}
	free(l->records);
	free(l->folders);
}

/* Explains a folder that has a journal, which a run makes first, but no list of cases, which it makes last. */
static int say_not_begun(const char *folder, int err, struct pv_error *e)
{
	if (err != -ENOENT || !pv_journal_exists(folder))
		return err;
	if (pv_journal_is_claimed(folder))
		return pv_error(e, -ENODATA, "%s: a run is about to begin here: its list of cases is not written yet",
				folder);
	return pv_error(e, -ENODATA,
			"%s: the run was ended before its list of cases was written: no case was run; remove the "
			"folder and start the run again",
			folder);
}

/* Rounds that --until-failure did not reach are not missing. */
static void drop_rounds(struct loader *l)
{
	struct pv_run_result *r = l->run;

	for (; r->n_cases; r->n_cases--) {
		size_t last = r->n_cases - 1;

		if (r->cases[last].round <= 1 || l->records[last].started || l->records[last].judged)
			return;
		pv_case_result_free(&r->cases[last]);
		free(l->folders[last]);
		l->folders[last] = NULL;
	}
}

static int load(struct loader *l, const char *folder, bool whole, struct pv_error *e)
{
	/* Must come first: a run that ends while its folder is read has then written all of it. */
	bool claimed = pv_journal_is_claimed(folder);
	int err = load_settings(l->run, folder, e);

	if (!err)
		err = load_environment(l->run, folder, e);
	if (!err)
		err = load_cases(l, folder, e);
	if (err)
		return say_not_begun(folder, err, e);
	err = pv_journal_read(folder, take, l, &l->run->damaged, e);
	l->run->running = claimed && !l->ended;
	if (!err && !whole && pv_run_property(l->run, "until_failure"))
		drop_rounds(l);
	if (!err && l->run->damaged)
		add_property(l->run, "journal lines passed over", l->run->damaged);
	for (size_t i = 0; !err && i < l->run->n_cases; i++)
		if (finish_case(l, i))
			err = no_memory(e);
	l->run->seconds = (double)l->last_ms / 1000;
	l->run->interrupted |= !l->ended && !l->run->running;
	pv_run_count(l->run);
	return err;
}

static int load_result(const char *folder, bool whole, struct pv_run_result **out, struct pv_error *e)
{
	struct pv_error own = {0};
	struct loader l = {.run = calloc(1, sizeof(*l.run))};

	if (!e)
		e = &own;
	int err = l.run ? load(&l, folder, whole, e) : no_memory(e);
	loader_free(&l);
	if (err)
		pv_run_result_free(l.run);
	else
		*out = l.run;
	return err;
}

int pv_run_load(const char *folder, struct pv_run_result **out, struct pv_error *e)
{
	return load_result(folder, false, out, e);
}

int pv_run_load_whole(const char *folder, struct pv_run_result **out, struct pv_error *e)
{
	return load_result(folder, true, out, e);
}
