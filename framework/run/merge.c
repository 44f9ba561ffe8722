/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the folder of a merged run: settings, cases with their files, and last the journal, which judges them. */
#include "framework/run/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/run/case_folder.h"
#include "framework/run/merge_parts.h"
#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

enum { VALUES_MAX = 8 };

static int no_memory(struct pv_error *e)
{
	return pv_error(e, -ENOMEM, "no memory");
}

/* ---- settings ---- */

/* Returns the different values that the parts have for a key, "a; b; c"; the caller frees. NULL: no memory. */
static char *all_values(const struct pv_merge_parts *m, json_object *(*of)(const struct pv_merge_part *p),
			const char *key)
{
	const char *seen[VALUES_MAX + 1];
	size_t n = 0, size, more = 0;
	char *text = NULL;

	for (size_t i = 0; i < m->n; i++) {
		json_object *v = json_object_object_get(of(&m->parts[i]), key);
		const char *value = v ? json_object_get_string(v) : NULL;
		size_t k = 0;

		while (value && k < n && strcmp(seen[k], value))
			k++;
		if (!value || k < n)
			continue;
		if (n < VALUES_MAX)
			seen[n++] = value;
		else
			more++;
	}
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%s", i ? "; " : "", seen[i]);
	if (f && more)
		fputs("; ...", f);
	return f && fclose(f) ? NULL : text;
}

static json_object *settings_of(const struct pv_merge_part *p)
{
	return p->settings;
}

static json_object *environment_of(const struct pv_merge_part *p)
{
	return p->environment;
}

static bool is_same(const struct pv_merge_parts *m, const char *key)
{
	for (size_t i = 1; i < m->n; i++)
		if (!json_object_equal(json_object_object_get(m->parts[0].settings, key),
				       json_object_object_get(m->parts[i].settings, key)))
			return false;
	return true;
}

/* Keeps the beginning: of several hosts the target is "ssh". */
static void set_target(json_object *o, const struct pv_merge_parts *m)
{
	const char *target = pv_json_text(m->parts[0].settings, "target");
	char kind[32];

	if (!is_same(m, "rerun"))
		json_object_object_del(o, "rerun"); /* names one machine */
	if (is_same(m, "target"))
		return;
	snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(target, ":"), target);
	pv_json_string(o, "target", kind);
}

/* Facts of the machines that the shards ran on: all that there are. */
static int set_origins(json_object *o, const struct pv_merge_parts *m)
{
	static const char *const keys[] = {"board", "hostname", "cpu", "kernel", "machine", "compiler"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_autofree_ char *values = all_values(m, settings_of, keys[i]);

		if (!values)
			return -ENOMEM;
		if (*values)
			pv_json_string(o, keys[i], values);
	}
	return 0;
}

/* Says that the shards are of several builds of pcieval, such as those of two architectures. */
static void tell_builds(json_object *o, const struct pv_merge_parts *m)
{
	for (size_t i = 1; i < m->n; i++)
		if (pv_merge_is_other_program(&m->parts[0], &m->parts[i], "pcieval"))
			pv_json_string(o, "differs", "several builds of pcieval");
}

/* Settings of one machine alone. A directory of its own would be that of another run. */
static void drop_own(json_object *o, const struct pv_merge_parts *m)
{
	static const char *const own[] = {"shard", "shard_cases", "shard_selection", "shard_plans"};
	static const char *const shared[] = {"directory", "guest", "guest_options", "agent"};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		json_object_object_del(o, own[i]);
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (!is_same(m, shared[i]))
			json_object_object_del(o, shared[i]);
}

static int64_t first_start(const struct pv_merge_parts *m)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < m->n; i++) {
		int64_t started = pv_field_int(m->parts[i].settings, "started");

		first = started < first ? started : first;
	}
	return first;
}

static json_object *merged_settings(const struct pv_merge_parts *m, const char *command)
{
	json_object *o = NULL;

	if (json_object_deep_copy(m->parts[0].settings, &o, NULL) || set_origins(o, m))
		return pv_json_put(o);
	set_target(o, m);
	drop_own(o, m);
	tell_builds(o, m);
	pv_run_folder_add_id(o);
	bool good = pv_json_string(o, "command", command) && pv_json_int(o, "started", first_start(m)) &&
		    pv_json_uint(o, "shards", m->n);
	return good ? o : pv_json_put(o);
}

/* The facts of all machines under test; NULL if none was asked. */
static int write_environment(const struct pv_merge_parts *m, const char *out, struct pv_error *e)
{
	json_object *all = NULL;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->parts[i].environment)
			continue;
		if (!all && !(all = json_object_new_object()))
			return no_memory(e);
		json_object_object_foreach(m->parts[i].environment, key, value)
		{
			_autofree_ char *values =
				json_object_object_get(all, key) ? NULL : all_values(m, environment_of, key);

			(void)value;
			if (values)
				pv_json_string(all, key, values);
		}
	}
	return all ? pv_run_folder_write(out, PV_ENVIRONMENT_FILE, all, e) : 0;
}

/* ---- cases ---- */

/* "0012-plan-case" of another number. */
static void folder_name(const char *old, size_t index, char out[PV_CASE_FOLDER_NAME])
{
	const char *rest = strchr(old, '-');

	snprintf(out, PV_CASE_FOLDER_NAME, "%04zu%s", index, rest ? rest : "");
}

/* "shard 2/12 on hpc7, ssh:board7". */
static void add_where(json_object *o, const struct pv_merge_part *p)
{
	const char *target = pv_json_text(p->settings, "target");
	_autofree_ char *text = NULL;

	if (asprintf(&text, "shard %u/%u on %s%s%s", p->index, p->count, pv_json_text(p->settings, "hostname"),
		     strchr(target, ':') ? ", " : "", strchr(target, ':') ? target : "") >= 0)
		pv_json_string(o, "where", text);
}

static json_object *merged_cases(const struct pv_merge_parts *m)
{
	json_object *all = json_object_new_object(), *list = json_object_new_array();

	if (!pv_json_add(all, "cases", list))
		return pv_json_put(all);
	for (size_t i = 0; i < m->n_places; i++) {
		const struct pv_merge_part *p = m->places[i].part;
		json_object *was = pv_merge_case(p, m->places[i].index), *o = NULL;
		char name[PV_CASE_FOLDER_NAME];

		if (json_object_deep_copy(was, &o, NULL))
			return pv_json_put(all);
		folder_name(pv_json_text(was, "folder"), i, name);
		json_object_object_del(o, "position");
		pv_json_string(o, "folder", name);
		add_where(o, p);
		if (!pv_json_append(list, o))
			return pv_json_put(all);
	}
	return all;
}

/* ---- files of cases ---- */

static int copy_bytes(const char *from, const char *to)
{
	struct stat st;
	_autoclose_ int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	_autoclose_ int fd = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (in < 0 || fd < 0 || fstat(in, &st))
		return -errno;
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = sendfile(fd, in, NULL, (size_t)left);

		if (n <= 0)
			return n ? -errno : -EIO; /* EIO: it has become shorter */
		left -= n;
	}
	return 0;
}

static int copy_file(const char *from, const char *folder, struct pv_error *e)
{
	char to[PATH_MAX];
	const char *slash = strrchr(from, '/');
	bool fits = snprintf(to, sizeof(to), "%s%s", folder, slash ? slash : "/") < (int)sizeof(to);
	int err = fits ? copy_bytes(from, to) : -ENAMETOOLONG;

	return err ? pv_error(e, err, "%s: cannot be copied to %s: %s", from, folder, strerror(-err)) : 0;
}

/* Copies the regular files of a folder of a case, which may not be there. */
static int copy_folder(const char *from, const char *to, struct pv_error *e)
{
	_autofree_ char *log = NULL;
	char **files, path[PATH_MAX];
	int err = 0;

	if (access(from, F_OK))
		return 0;
	if (mkdir(to, 0777))
		return pv_error(e, -errno, "%s: cannot be made: %s", to, strerror(errno));
	pv_case_folder_load(from, &files, &log);
	if (!files)
		return no_memory(e);
	for (char **f = files; *f; f++) {
		err = err ? err : copy_file(*f, to, e);
		free(*f);
	}
	free(files);
	if (!err && log && snprintf(path, sizeof(path), "%s/" PV_LOG_FILE, from) < (int)sizeof(path))
		err = copy_file(path, to, e);
	return err;
}

static int copy_attempts(const char *from, const char *to, struct pv_error *e)
{
	char was[PATH_MAX], is[PATH_MAX];
	int err = 0;

	for (unsigned k = 0; !err && pv_attempt_folder(from, k, was) && !access(was, F_OK); k++)
		err = pv_attempt_folder(to, k, is) ? copy_folder(was, is, e) : -ENAMETOOLONG;
	return err;
}

static int copy_case(const struct pv_merge_place *at, size_t index, const char *out, struct pv_error *e)
{
	const char *old = pv_json_text(pv_merge_case(at->part, at->index), "folder");
	char from[PATH_MAX], to[PATH_MAX], name[PV_CASE_FOLDER_NAME];

	if (!*old || strchr(old, '/') || *old == '.')
		return 0;
	folder_name(old, index, name);
	if (snprintf(from, sizeof(from), "%s/" PV_CASES_FOLDER "/%s", at->part->folder, old) >= (int)sizeof(from) ||
	    snprintf(to, sizeof(to), "%s/" PV_CASES_FOLDER "/%s", out, name) >= (int)sizeof(to))
		return pv_error(e, -ENAMETOOLONG, "%s: the path is too long", out);
	int err = copy_folder(from, to, e);
	return err ? err : copy_attempts(from, to, e);
}

static int write_cases(const struct pv_merge_parts *m, const char *out, struct pv_error *e)
{
	char path[PATH_MAX];
	json_object *cases = merged_cases(m);
	int err = cases ? pv_run_folder_write(out, PV_CASES_FILE, cases, e) : no_memory(e);

	if (!err && snprintf(path, sizeof(path), "%s/" PV_CASES_FOLDER, out) >= (int)sizeof(path))
		err = pv_error(e, -ENAMETOOLONG, "%s: the path is too long", out);
	if (!err && mkdir(path, 0777))
		err = pv_error(e, -errno, "%s: cannot be made: %s", path, strerror(errno));
	for (size_t i = 0; !err && i < m->n_places; i++)
		err = copy_case(&m->places[i], i, out, e);
	return err;
}

/* ---- the journal ---- */

struct rewriter {
	struct pv_journal journal;
	size_t *positions; /* of the cases of the shard */
	size_t n;
	int64_t last_ms;
};

/* Every shard has begun and ended; the merged run ends once. */
static bool rewrite(void *ctx, json_object *o)
{
	struct rewriter *w = ctx;
	const char *ev = pv_json_text(o, "ev");
	int64_t i = json_object_object_get(o, "case") ? pv_field_int(o, "case") : -1;

	if (pv_field_int(o, "at_ms") > w->last_ms)
		w->last_ms = pv_field_int(o, "at_ms");
	if (!strcmp(ev, "end") || !strcmp(ev, "resume"))
		return true;
	if (i < 0 || (uint64_t)i >= w->n)
		return false;
	_autofree_ char *name = strdup(ev);
	if (!name)
		w->journal.err = -ENOMEM;
	else
		pv_journal_add(&w->journal, name, (int)w->positions[i], json_object_get(o));
	return true;
}

static int rewrite_part(struct rewriter *w, const struct pv_merge_parts *m, const struct pv_merge_part *p,
			struct pv_error *e)
{
	size_t damaged = 0;

	w->n = json_object_array_length(p->cases);
	_autofree_ size_t *positions = calloc(w->n + 1, sizeof(*positions));
	if (!positions)
		return no_memory(e);
	for (size_t i = 0; i < m->n_places; i++)
		if (m->places[i].part == p)
			positions[m->places[i].index] = i;
	w->positions = positions;
	int err = pv_journal_read(p->folder, rewrite, w, &damaged, e);
	/* Lines that a reader passes over, as it did those of the shard. */
	for (size_t i = 0; !err && i < damaged; i++)
		pv_journal_add(&w->journal, "damaged", -1, json_object_new_object());
	return err;
}

static int write_journal(const struct pv_merge_parts *m, struct pv_run_folder *out, struct pv_error *e)
{
	struct rewriter w = {.journal = {.fd = steal(&out->claim)}};
	int err = 0;

	out->claim = -1;
	for (size_t i = 0; !err && i < m->n; i++)
		err = rewrite_part(&w, m, &m->parts[i], e);
	json_object *end = json_object_new_object();
	pv_json_bool(end, "interrupted", false);
	pv_json_int(end, "at_ms", w.last_ms);
	if (err)
		json_object_put(end);
	else
		pv_journal_add(&w.journal, "end", -1, end);
	int written = pv_journal_close(&w.journal);
	if (!err && written)
		err = pv_error(e, written, "%s/" PV_JOURNAL_FILE ": cannot be written: %s", out->path,
			       strerror(-written));
	return err;
}

/* ---- all of it ---- */

static int write_all(const struct pv_merge_parts *m, const char *command, struct pv_run_folder *out, struct pv_error *e)
{
	json_object *settings = merged_settings(m, command);
	int err = settings ? pv_run_folder_write(out->path, PV_SETTINGS_FILE, settings, e) : no_memory(e);

	if (!err)
		err = write_environment(m, out->path, e);
	if (!err)
		err = write_cases(m, out->path, e);
	return err ? err : write_journal(m, out, e);
}

int pv_merge(const char *const *folders, size_t n, const char *out, const char *command, struct pv_error *e)
{
	_cleanup_(pv_merge_parts_free) struct pv_merge_parts m = {0};
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder = {.claim = -1};
	int err = pv_merge_parts_read(&m, folders, n, e);

	if (!err)
		err = pv_folder_claim(out, &folder, e);
	if (err)
		return err;
	err = write_all(&m, command, &folder, e);
	/* Half of a merged run would be in the way of the next attempt; the shards have everything. */
	if (err)
		pv_remove_all(out);
	return err;
}
