/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON objects of show, plan and check. Sizes are bytes, or null if a function has none. */
#include "framework/mps/json.h"

#include "framework/mps/budget.h"
#include "framework/mps/facts.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

static void put_text(json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text ? json_object_new_string(text) : NULL);
}

/* Adds a text, or null if it is unknown. */
static void put_known(json_object *o, const char *key, const char *text)
{
	put_text(o, key, *text ? text : NULL);
}

static void put_size(json_object *o, const char *key, const struct pv_pci_func *f, int bytes)
{
	json_object_object_add(o, key, pv_has_sizes(f) ? json_object_new_int(bytes) : NULL);
}

static void put_link(json_object *o, const char *key, struct pv_link_rate link)
{
	put_text(o, key, link.width ? pv_link_text(link).s : NULL);
}

/* Makes an object with the members that show and plan share. */
static json_object *func_object(const struct pv_pci_func *f, struct pv_pci_names *names)
{
	struct pv_pci_title title = pv_pci_title_of(names, f);
	json_object *o = json_object_new_object();
	bool has = pv_has_sizes(f);

	if (!o)
		return NULL;
	put_text(o, "bdf", f->name);
	put_text(o, "parent", f->parent ? f->parent->name : NULL);
	put_text(o, "type", pv_func_type(f)->json);
	put_known(o, "ids", title.ids);
	put_known(o, "class", title.class);
	put_known(o, "name", title.name);
	put_known(o, "driver", title.driver);
	put_size(o, "mpss", f, has ? pv_mpss_of(f) : 0);
	put_size(o, "mps", f, has ? pv_mps_of(f) : 0);
	put_size(o, "mrrs", f, has ? pv_mrrs_of(f) : 0);
	return o;
}

/* Puts null for a function that could not be judged, unless it is the end of a mismatch of others. */
static void put_mismatch(json_object *o, const char *key, const struct pv_mismatches *found,
			 const struct pv_pci_func *f)
{
	if (pv_is_mismatched(found, f) || !pv_is_unjudged(found, f))
		pv_json_bool(o, key, pv_is_mismatched(found, f));
	else
		json_object_object_add(o, key, NULL);
}

static void put_rate(json_object *o, const char *key, double bytes_per_s)
{
	json_object_object_add(o, key, bytes_per_s > 0 ? json_object_new_int64((int64_t)bytes_per_s) : NULL);
}

/* Returns the budget of an uplink; null for other functions, or if a link is unknown. */
static json_object *budget_of(const struct pv_pci_func *f)
{
	struct pv_budget b;
	json_object *o = pv_budget_find(f, &b) ? json_object_new_object() : NULL;

	if (!o)
		return NULL;
	pv_json_int(o, "devices", (int64_t)b.devices);
	put_rate(o, "link_bytes_per_s", b.link);
	put_rate(o, "links_below_bytes_per_s", b.below);
	put_rate(o, "write_alone_bytes_per_s", b.alone.write);
	put_rate(o, "write_together_bytes_per_s", b.together.write);
	put_rate(o, "read_alone_bytes_per_s", b.alone.read);
	put_rate(o, "read_together_bytes_per_s", b.together.read);
	pv_json_bool(o, "short", pv_budget_is_short(&b));
	return o;
}

static json_object *remarks_of(const struct pv_remarks *remarks, const struct pv_pci_func *f)
{
	json_object *all = json_object_new_array();

	for (size_t i = 0; all && i < remarks->n; i++)
		if (remarks->list[i].func == f)
			json_object_array_add(all, json_object_new_string(remarks->list[i].text));
	return all;
}

json_object *pv_json_show(const struct pv_pci_machine *m, const struct pv_mismatches *found,
			  const struct pv_remarks *remarks, const bool *shown)
{
	json_object *all = json_object_new_array();
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; all && i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];
		json_object *o = shown && !shown[i] ? NULL : func_object(f, names);

		if (!o)
			continue;

		put_link(o, "link", pv_link_now(f));
		put_link(o, "link_max", pv_link_most(f));
		put_mismatch(o, "mismatch", found, f);
		json_object_object_add(o, "remarks", remarks_of(remarks, f));
		json_object_object_add(o, "uplink", budget_of(f));
		json_object_array_add(all, o);
	}
	pv_pci_names_close(names);
	return all;
}

/* NULL: none. */
static const char *limit_word(enum pv_limit_kind limit)
{
	static const char *const words[] = {[PV_LIMIT_MPSS] = "mpss",
					    [PV_LIMIT_HOTPLUG] = "hotplug",
					    [PV_LIMIT_FIRMWARE] = "firmware",
					    [PV_LIMIT_POLICY] = "policy"};

	return words[limit];
}

/* Adds the reason for a new MPS below the MPSS, and the other function that limits it. */
static void put_limit(json_object *o, const struct pv_planned *p)
{
	put_text(o, "limit", limit_word(p->limit));
	put_text(o, "limited_by", p->limited_by ? p->limited_by->name : NULL);
}

static json_object *planned_object(const struct pv_planned *p, const struct pv_mismatches *left,
				   struct pv_pci_names *names)
{
	json_object *o = func_object(p->func, names);

	pv_json_int(o, "new_mps", p->new_mps);
	pv_json_int(o, "new_mrrs", p->new_mrrs);
	json_object_object_add(o, "refused_mps", p->refused ? json_object_new_int(p->refused) : NULL);
	put_limit(o, p);
	pv_json_bool(o, "mps_depends_on_firmware", p->mps_by_firmware);
	pv_json_bool(o, "mrrs_depends_on_firmware", p->mrrs_by_firmware);
	put_mismatch(o, "new_mismatch", left, p->func);
	pv_json_int(o, "tags", pv_tags_of(p->func));
	put_rate(o, "write_bytes_per_s", p->now.write);
	put_rate(o, "read_bytes_per_s", p->now.read);
	put_rate(o, "new_write_bytes_per_s", p->then.write);
	put_rate(o, "new_read_bytes_per_s", p->then.read);
	return o;
}

static json_object *peers_object(const struct pv_peer_list *peers, size_t entry)
{
	const struct pv_peers *p = &peers->list[entry];
	json_object *o = json_object_new_object(), *to = json_object_new_array();

	for (const struct pv_peer *peer = NULL; (peer = pv_peers_next(peers, entry, peer));)
		json_object_array_add(to, json_object_new_string(peer->to->name));
	json_object_object_add(o, "to", to);
	put_text(o, "at", p->at->name);
	pv_json_int(o, "payload", p->payload);
	pv_json_int(o, "limit", p->most);
	pv_json_bool(o, "root_complex", p->across);
	pv_json_bool(o, "fine_if_split", p->splits);
	return o;
}

static json_object *peers_of(const struct pv_peer_list *peers, const struct pv_pci_func *f)
{
	json_object *all = json_object_new_array();

	for (size_t i = 0; i < peers->n; i++)
		if (peers->list[i].from == f)
			json_object_array_add(all, peers_object(peers, i));
	return all;
}

json_object *pv_json_plan(const struct pv_policy_plan *plan, const struct pv_mismatches *left,
			  const struct pv_peer_list *peers)
{
	json_object *all = json_object_new_array();
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; all && i < plan->n; i++) {
		json_object *o = planned_object(&plan->list[i], left, names);

		if (peers)
			json_object_object_add(o, "peers", peers_of(peers, plan->list[i].func));
		json_object_array_add(all, o);
	}
	pv_pci_names_close(names);
	return all;
}

static json_object *changes_of(const struct pv_what_if *w)
{
	json_object *all = json_object_new_array();
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; all && i < w->plan.n; i++)
		if (pv_planned_changes(&w->plan.list[i]))
			json_object_array_add(all, planned_object(&w->plan.list[i], &w->after, names));
	pv_pci_names_close(names);
	return all;
}

json_object *pv_json_what_if(const struct pv_what_if *w)
{
	json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_object_object_add(o, "changes", changes_of(w));
	json_object_object_add(o, "mismatches", pv_json_check(&w->after, &w->cures));
	json_object_object_add(o, "new", pv_json_check(&w->fresh, &w->cures));
	json_object_object_add(o, "mended", pv_json_check(&w->mended, NULL));
	return o;
}

json_object *pv_json_all(const struct pv_cures *cures)
{
	json_object *all = json_object_new_array();
	struct pv_pci_names *names = pv_pci_names_open();

	for (size_t i = 0; all && i < cures->plans[0].n; i++) {
		json_object *o = func_object(cures->plans[0].list[i].func, names), *policies = json_object_new_object();

		for (int p = 0; p < PV_MPS_POLICIES_N; p++) {
			const struct pv_planned *planned = &cures->plans[p].list[i];
			json_object *one = json_object_new_object();

			pv_json_int(one, "mps", planned->new_mps);
			pv_json_int(one, "mrrs", planned->new_mrrs);
			put_mismatch(one, "mismatch", &cures->left[p], planned->func);
			put_limit(one, planned);
			json_object_object_add(policies, pv_mps_policy_word((enum pv_mps_policy)p), one);
		}
		json_object_object_add(o, "policies", policies);
		json_object_array_add(all, o);
	}
	pv_pci_names_close(names);
	return all;
}

json_object *pv_json_check(const struct pv_mismatches *found, const struct pv_cures *cures)
{
	static const char *const kinds[] = {"write", "completion", "peer_write"};
	json_object *all = json_object_new_array();

	for (size_t i = 0; all && i < found->n; i++) {
		const struct pv_mismatch *bad = &found->list[i];
		_autofree_ char *way = pv_mismatch_way(bad), *cure = cures ? pv_cure_text(cures, bad) : NULL,
				*symptom = pv_symptom_text(bad);
		struct pv_evidence evidence = pv_evidence_of(bad);
		json_object *o = json_object_new_object();

		put_text(o, "kind", kinds[bad->kind]);
		put_text(o, "from", bad->from->name);
		put_text(o, "to", bad->to->name);
		put_text(o, "requester", bad->requester->name);
		pv_json_int(o, "payload", bad->payload);
		pv_json_int(o, "limit", bad->most);
		put_text(o, "way", way);
		put_text(o, "cure", cure);
		put_text(o, "symptom", symptom);
		put_text(o, "evidence", *evidence.text ? evidence.text : NULL);
		json_object_array_add(all, o);
	}
	return all;
}
