/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the shards of a run, and refuses what is not the whole of one run. */
#include "framework/run/merge_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/protocol.h"
#include "framework/run/shard.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"

enum { WHOLE_MAX = 1000000 };

json_object *pv_merge_case(const struct pv_merge_part *part, size_t index)
{
	return json_object_array_get_idx(part->cases, index);
}

/* ---- one shard ---- */

static int read_files(struct pv_merge_part *p, struct pv_error *e)
{
	struct pv_error none = {0};

	p->settings = pv_run_folder_read(p->folder, PV_SETTINGS_FILE, e);
	json_object *cases = p->settings ? pv_run_folder_read(p->folder, PV_CASES_FILE, e) : NULL;
	if (!cases)
		return e->code;
	p->cases = json_object_get(json_object_object_get(cases, "cases"));
	json_object_put(cases);
	p->environment = pv_run_folder_read(p->folder, PV_ENVIRONMENT_FILE, &none);
	if (none.code && none.code != -ENOENT)
		return *e = none, e->code;
	return 0;
}

static int read_shard(struct pv_merge_part *p, struct pv_error *e)
{
	const char *text = pv_json_text(p->settings, "shard");
	struct pv_shard shard;

	if (!*text)
		return pv_error(e, -ESTALE, "%s: expected a shard (`pcieval run --shard`), got a whole run", p->folder);
	if (pv_shard_parse(text, &shard, e))
		return pv_error_context(e, "%s/" PV_SETTINGS_FILE ": ", p->folder);
	p->index = shard.index;
	p->count = shard.count;
	return 0;
}

/*
 * A run that goes on, or was interrupted, has cases without a verdict: what it reports is not final. A run whose disk
 * was full may have written its end, with the reason, when there was space again.
 */
static int check_ended(const struct pv_merge_part *p, const struct pv_run_result *r, struct pv_error *e)
{
	if (r->running)
		return pv_error(e, -ENODATA, "%s: shard %u/%u is still running", p->folder, p->index, p->count);
	if (r->interrupted || r->why)
		return pv_error(e, -ENODATA,
				"%s: shard %u/%u was interrupted%s%s; `pcieval run --resume %s` continues it",
				p->folder, p->index, p->count, r->why ? ": " : "", r->why ? r->why : "", p->folder);
	return 0;
}

static int read_part(struct pv_merge_part *p, struct pv_error *e)
{
	struct pv_run_result *r;
	int err = pv_run_load(p->folder, &r, e);

	if (err)
		return err;
	err = read_files(p, e);
	if (!err)
		err = read_shard(p, e);
	if (!err)
		err = check_ended(p, r, e);
	pv_run_result_free(r);
	return err;
}

/* ---- are they of one run? ---- */

/* Where the value of a setting matters up to a colon: "ssh:board7" and "ssh:board8" are both boards. */
static bool same_kind(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && !strncmp(a, b, n);
}

static int differ(const struct pv_merge_part *first, const struct pv_merge_part *p, const char *what, const char *was,
		  const char *is, struct pv_error *e)
{
	return pv_error(e, -ESTALE, "%s: expected %s%s%s, as in shard %u/%u (%s), got %s", p->folder, what,
			*was ? " " : "", was, first->index, first->count, first->folder, is);
}

static const char *shown(json_object *settings, const char *key)
{
	json_object *v = json_object_object_get(settings, key);
	bool empty = json_object_is_type(v, json_type_array) && !json_object_array_length(v);

	return v && !empty ? json_object_get_string(v) : "none";
}

static bool is_other(const struct pv_merge_part *first, const struct pv_merge_part *p, const char *key)
{
	return strcmp(pv_json_text(first->settings, key), pv_json_text(p->settings, key)) != 0;
}

bool pv_merge_is_other_program(const struct pv_merge_part *a, const struct pv_merge_part *b, const char *name)
{
	return !json_object_equal(json_object_object_get(json_object_object_get(a->settings, "digests"), name),
				  json_object_object_get(json_object_object_get(b->settings, "digests"), name));
}

/*
 * Checks that the same programs judged, wherever they are installed. Machines with two compilers or architectures have
 * two builds of pcieval, and boards may have two of its far side.
 */
static int check_programs(const struct pv_merge_part *first, const struct pv_merge_part *p, struct pv_error *e)
{
	const char *agent = pv_json_text(first->settings, "agent"), *is = pv_json_text(p->settings, "agent");

	if (!*agent != !*is)
		return differ(first, p, "agent", shown(first->settings, "agent"), shown(p->settings, "agent"), e);
	if (pv_merge_is_other_program(first, p, "agent"))
		return differ(first, p, "the same contents of agent", agent, "others", e);
	if (!is_other(first, p, "compiler") && !is_other(first, p, "machine") && !is_other(first, p, "target") &&
	    pv_merge_is_other_program(first, p, "pcieval"))
		return differ(first, p, "the same build of pcieval", "", "another", e);
	return 0;
}

/* Checks that both guests were the same, also in what the options' names do not tell: a release, the user's files. */
static int check_guest(const struct pv_merge_part *first, const struct pv_merge_part *p, struct pv_error *e)
{
	static const struct {
		const char *key, *what;
	} same[] = {{"release", "guest kernel"}, {"drivers", "drivers"}};
	json_object *guest = json_object_object_get(first->settings, "guest"),
		    *its = json_object_object_get(p->settings, "guest"),
		    *options = json_object_object_get(first->settings, "guest_options");
	const char *kernel = pv_json_text(options, "kernel");

	if (!json_object_equal(options, json_object_object_get(p->settings, "guest_options")))
		return differ(first, p, "guest", shown(first->settings, "guest_options"),
			      shown(p->settings, "guest_options"), e);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (strcmp(pv_json_text(guest, same[i].key), pv_json_text(its, same[i].key)))
			return differ(first, p, same[i].what, shown(guest, same[i].key), shown(its, same[i].key), e);
	if (strchr(kernel, '/') && pv_merge_is_other_program(first, p, "kernel"))
		return differ(first, p, "the same contents of kernel", kernel, "others", e);
	return 0;
}

/* Checks that both tested the same. Boards may differ in what describes them. */
static int check_tested(const struct pv_merge_part *first, const struct pv_merge_part *p, struct pv_error *e)
{
	static const struct {
		const char *key, *what;
	} same[] = {{"version", "version"},
		    {"revision", "revision"},
		    {"driver", "driver"},
		    {"seed", "seed"},
		    {"defects", "defects"},
		    {"deviations", "known deviations"},
		    {"timeout_scale", "timeout scale"},
		    {"golden", "goldens"}};
	const char *target = pv_json_text(first->settings, "target"), *is = pv_json_text(p->settings, "target");

	if (!same_kind(target, is))
		return differ(first, p, "target", target, is, e);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (!json_object_equal(json_object_object_get(first->settings, same[i].key),
				       json_object_object_get(p->settings, same[i].key)))
			return differ(first, p, same[i].what, shown(first->settings, same[i].key),
				      shown(p->settings, same[i].key), e);
	int err = json_object_object_get(first->settings, "guest") ? check_guest(first, p, e) : 0;
	if (err)
		return err;
	if (first->environment && p->environment &&
	    strcmp(shown(first->environment, "kernel"), shown(p->environment, "kernel")))
		return differ(first, p, "kernel", shown(first->environment, "kernel"), shown(p->environment, "kernel"),
			      e);
	return 0;
}

static int check_same(const struct pv_merge_part *first, const struct pv_merge_part *p, struct pv_error *e)
{
	char was[16], is[16];

	snprintf(was, sizeof(was), "%u", first->count);
	snprintf(is, sizeof(is), "%u", p->count);
	if (first->count != p->count)
		return differ(first, p, "a shard of", was, is, e);
	if (is_other(first, p, "shard_selection"))
		return differ(first, p, "the same cases to be selected", "", "others", e);
	if (is_other(first, p, "shard_plans"))
		return differ(first, p, "the same version of the plans", "", "another", e);
	int err = check_tested(first, p, e);
	return err ? err : check_programs(first, p, e);
}

/* ---- are all of them there? ---- */

static int by_index(const void *a, const void *b)
{
	const struct pv_merge_part *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static int check_all_there(const struct pv_merge_parts *m, struct pv_error *e)
{
	const struct pv_merge_part *p = m->parts;

	for (size_t i = 1; i < m->n; i++)
		if (p[i].index == p[i - 1].index)
			return pv_error(e, -ESTALE, "%s and %s are both shard %u/%u", p[i - 1].folder, p[i].folder,
					p[i].index, p[i].count);
	for (unsigned s = 1; s <= p->count; s++)
		if (s > m->n || p[s - 1].index != s)
			return pv_error(e, -ESTALE, "shard %u/%u is missing: expected %u folders, got %zu", s, p->count,
					p->count, m->n);
	return 0;
}

/* ---- is each case there once? ---- */

#define BALANCED "; shards must be made with the same --durations"

static int place_case(struct pv_merge_parts *m, const struct pv_merge_part *p, size_t index, struct pv_error *e)
{
	json_object *c = pv_merge_case(p, index);
	json_object *position = json_object_object_get(c, "position");
	uint64_t at = json_object_get_uint64(position);

	if (!pv_json_is_count(position) || at >= m->n_places)
		return pv_error(e, -EINVAL, "%s/" PV_CASES_FILE ": case %s: expected a position below %zu, got %s",
				p->folder, PV_SHOW(pv_json_text(c, "case")), m->n_places,
				PV_SHOW(json_object_to_json_string(position)));
	struct pv_merge_place *place = &m->places[at];
	if (place->part)
		return pv_error(e, -ESTALE, "%s: case %s/%s is in %s, too" BALANCED, p->folder, pv_json_text(c, "plan"),
				pv_json_text(c, "case"), place->part->folder);
	*place = (struct pv_merge_place){p, index};
	return 0;
}

static int place_cases(struct pv_merge_parts *m, struct pv_error *e)
{
	size_t missing = 0;
	int err = 0;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; !err && k < json_object_array_length(m->parts[i].cases); k++)
			err = place_case(m, &m->parts[i], k, e);
	for (size_t i = 0; i < m->n_places; i++)
		missing += !m->places[i].part;
	if (!err && missing)
		err = pv_error(e, -ESTALE, "%zu of %zu cases %s in no shard" BALANCED, missing, m->n_places,
			       missing == 1 ? "is" : "are");
	return err;
}

/* The digests in the settings are those of the whole list, which no shard has: now it can be checked. */
static int check_digests(const struct pv_merge_parts *m, struct pv_error *e)
{
	struct pv_shard_digests d = PV_SHARD_DIGESTS_BEGIN;
	const struct pv_merge_part *first = m->parts;
	char selection[PV_DIGEST_TEXT], plans[PV_DIGEST_TEXT];

	for (size_t i = 0; i < m->n_places; i++) {
		json_object *c = pv_merge_case(m->places[i].part, m->places[i].index);

		pv_shard_digests_add(&d, pv_json_text(c, "plan"), pv_json_text(c, "case"),
				     (unsigned)pv_field_int(c, "round"), pv_json_text(c, "digest"));
	}
	pv_shard_digest_text(d.selection, selection);
	pv_shard_digest_text(d.plans, plans);
	if (!strcmp(selection, pv_json_text(first->settings, "shard_selection")) &&
	    !strcmp(plans, pv_json_text(first->settings, "shard_plans")))
		return 0;
	return pv_error(e, -ESTALE,
			"the cases of the shards are not those that were divided: a " PV_CASES_FILE " was changed");
}

static int check_cases(struct pv_merge_parts *m, struct pv_error *e)
{
	int64_t n = pv_field_int(m->parts[0].settings, "shard_cases");

	if (n <= 0 || n > WHOLE_MAX)
		return pv_error(e, -EINVAL, "%s/" PV_SETTINGS_FILE ": expected the number of cases, got %lld",
				m->parts[0].folder, (long long)n);
	m->n_places = (size_t)n;
	m->places = calloc(m->n_places, sizeof(*m->places));
	if (!m->places)
		return pv_error(e, -ENOMEM, "no memory");
	int err = place_cases(m, e);
	return err ? err : check_digests(m, e);
}

int pv_merge_parts_read(struct pv_merge_parts *m, const char *const *folders, size_t n, struct pv_error *e)
{
	int err = 0;

	m->parts = calloc(n + 1, sizeof(*m->parts));
	if (!m->parts)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; !err && i < n; i++) {
		m->parts[m->n++].folder = folders[i];
		err = read_part(&m->parts[i], e);
	}
	if (err)
		return err;
	qsort(m->parts, m->n, sizeof(*m->parts), by_index);
	for (size_t i = 1; !err && i < m->n; i++)
		err = check_same(&m->parts[0], &m->parts[i], e);
	if (!err)
		err = check_all_there(m, e);
	return err ? err : check_cases(m, e);
}

void pv_merge_parts_free(struct pv_merge_parts *m)
{
	for (size_t i = 0; i < m->n; i++) {
		json_object_put(m->parts[i].settings);
		json_object_put(m->parts[i].cases);
		json_object_put(m->parts[i].environment);
	}
	free(m->parts);
	free(m->places);
	*m = (struct pv_merge_parts){0};
}
