/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text lines of plan and set. */
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"
#include "framework/mps/text.h"
#include "framework/mps/text_internal.h"
#include "framework/util/cleanup.h"

enum { SHORT_NS = 1000 };

/* ---- plans ---- */

struct change_text {
	char s[24];
};

static struct change_text change_text(int was, int becomes)
{
	struct change_text t;

	if (was == becomes)
		snprintf(t.s, sizeof(t.s), "%d", was);
	else
		snprintf(t.s, sizeof(t.s), "%d -> %d", was, becomes);
	return t;
}

static struct change_text throughput_text(double was, double becomes)
{
	struct change_text t = {"-"};

	if (was > 0 && was != becomes)
		snprintf(t.s, sizeof(t.s), "%.2f -> %.2f", was / 1e9, becomes / 1e9);
	else if (was > 0)
		snprintf(t.s, sizeof(t.s), "%.2f", was / 1e9);
	return t;
}

static int name_columns(const struct pv_policy_plan *plan)
{
	size_t most = strlen("0000:00:00.0");

	for (size_t i = 0; i < plan->n; i++)
		if (strlen(plan->list[i].func->name) > most)
			most = strlen(plan->list[i].func->name);
	return (int)most;
}

static void print_refused(const struct pv_planned *p, FILE *f)
{
	if (p->refused > 4096)
		fprintf(f, "    MPS %d is refused: a reserved size\n", p->refused);
	else if (p->refused)
		fprintf(f, "    MPS %d is refused: above the MPSS, %d\n", p->refused, p->mpss);
}

/* Prints the limit of reads by tags, if a round trip is given, or if the tags cover less than a usual one. */
static void print_in_flight(const struct pv_planned *p, double round_trip_ns, FILE *f)
{
	unsigned tags = pv_tags_of(p->func), bytes = tags * (unsigned)p->new_mrrs;
	double ns = p->then.read > 0 ? bytes / p->then.read * 1e9 : 0;
	_autofree_ char *words = NULL;
	int n;

	if (ns <= 0 || (round_trip_ns <= 0 && ns >= SHORT_NS))
		return;
	if (round_trip_ns > 0)
		n = asprintf(&words, "in flight at most %u bytes (%u tags): %.2f GB/s at a round trip of %g ns", bytes,
			     tags, p->then.read / 1e9, round_trip_ns);
	else
		n = asprintf(&words, "in flight at most %u bytes (%u tags): covers %.0f ns at %.2f GB/s", bytes, tags,
			     ns, p->then.read / 1e9);
	if (n > 0)
		pv_put_wrapped(f, "   ", words, INDENT);
}

void pv_text_plan(const struct pv_policy_plan *plan, double round_trip_ns, FILE *f)
{
	int columns = name_columns(plan);

	fprintf(f, "  %-*s %-11s %-11s %-11s %-14s %s\n", columns, "function", "type", "MPS", "MRRS", "write, GB/s",
		"read, GB/s");
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];
		bool changes = p->mps != p->new_mps || p->mrrs != p->new_mrrs;

		fprintf(f, "%c%c%-*s %-11s %-11s %-11s %-14s %s\n", changes ? '*' : ' ', p->mps_by_firmware ? '~' : ' ',
			columns, p->func->name, pv_func_type(p->func)->name, change_text(p->mps, p->new_mps).s,
			change_text(p->mrrs, p->new_mrrs).s, throughput_text(p->now.write, p->then.write).s,
			throughput_text(p->now.read, p->then.read).s);
		print_refused(p, f);
		print_in_flight(p, round_trip_ns, f);
	}
}

static const struct pv_pci_func *limit_of(const struct pv_planned *p)
{
	return p->limited_by ? p->limited_by : p->func;
}

static bool have_same_limit(const struct pv_planned *a, const struct pv_planned *b)
{
	return a->limit == b->limit && limit_of(a) == limit_of(b) && a->new_mps == b->new_mps;
}

/* Returns true for the first function with this limit; *more is the number of others. */
static bool count_limited(const struct pv_policy_plan *plan, size_t first, size_t *more)
{
	*more = 0;
	for (size_t i = 0; i < plan->n; i++) {
		if (!have_same_limit(&plan->list[i], &plan->list[first]) || i == first)
			continue;
		if (i < first)
			return false;
		(*more)++;
	}
	return true;
}

void pv_text_limits(const struct pv_policy_plan *plan, const char *head, FILE *f)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i], *by = pv_policy_plan_of(plan, limit_of(p));
		size_t more;

		if (p->limit == PV_LIMIT_NONE || p->limit == PV_LIMIT_POLICY || !count_limited(plan, i, &more))
			continue;
		fprintf(f, "%s%s: %d", head, p->func->name, p->new_mps);
		if (p->limit == PV_LIMIT_MPSS)
			fprintf(f, " because of %s, MPSS %d", by->func->name, by->mpss);
		else if (p->limit == PV_LIMIT_HOTPLUG)
			fprintf(f, " because of %s, a hot-plug port", by->func->name);
		else
			fputs(", as firmware left it", f);
		if (more)
			fprintf(f, " (and %zu more)", more);
		fputc('\n', f);
	}
}

enum count { CHANGES, LEFT, UNJUDGED, ACROSS };

static size_t count_of(const struct pv_cures *cures, int policy, enum count what)
{
	return what == CHANGES	  ? cures->plans[policy].changes
	       : what == LEFT	  ? cures->left[policy].n
	       : what == UNJUDGED ? cures->left[policy].n_unjudged
				  : cures->across[policy];
}

static void print_counts(const char *head, int columns, const struct pv_cures *cures, enum count what, FILE *f)
{
	fprintf(f, "%-*s", columns + 12 + 1 + 5, head);
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		fprintf(f, " %*zu", (int)strlen(pv_mps_policy_word((enum pv_mps_policy)p)), count_of(cures, p, what));
	fputc('\n', f);
}

static bool has_unjudged(const struct pv_cures *cures)
{
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		if (cures->left[p].n_unjudged)
			return true;
	return false;
}

void pv_text_all(const struct pv_cures *cures, const struct pv_cures *peers, FILE *f)
{
	const struct pv_policy_plan *first = &cures->plans[0], *perf = &cures->plans[PV_MPS_PERFORMANCE];
	int columns = name_columns(first);

	fprintf(f, "%-*s %-11s  now", columns, "function", "type");
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		fprintf(f, " %4s", pv_mps_policy_word((enum pv_mps_policy)p));
	fputs(" MRRS perf\n", f);
	for (size_t i = 0; i < first->n; i++) {
		fprintf(f, "%-*s %-11s %4d", columns, first->list[i].func->name,
			pv_func_type(first->list[i].func)->name, first->list[i].mps);
		for (int p = 0; p < PV_MPS_POLICIES_N; p++) {
			int width = (int)strlen(pv_mps_policy_word((enum pv_mps_policy)p));

			fprintf(f, " %*d", width, cures->plans[p].list[i].new_mps);
		}
		fprintf(f, " %4d %4d\n", first->list[i].mrrs, perf->list[i].new_mrrs);
	}
	fputc('\n', f);
	print_counts("functions that change", columns, cures, CHANGES, f);
	print_counts("mismatches that remain", columns, cures, LEFT, f);
	print_counts("with writes to peers", columns, peers, LEFT, f);
	if (has_unjudged(cures))
		print_counts("functions not judged", columns, cures, UNJUDGED, f);
	print_counts("senders across Root Ports", columns, cures, ACROSS, f);
}

/* ---- writes to peers ---- */

enum { PEERS_SHOWN = 4 };

/* Prints "0000:04:00.0, 0000:05:00.0 and 3 more". */
static void print_names(const struct pv_peer_list *peers, size_t entry, FILE *f)
{
	const struct pv_peer *p = NULL;

	for (size_t shown = 0; shown < PEERS_SHOWN && (p = pv_peers_next(peers, entry, p)); shown++)
		fprintf(f, "%s%s", shown ? ", " : "", p->to->name);
	if (peers->list[entry].n > PEERS_SHOWN)
		fprintf(f, " and %zu more", peers->list[entry].n - PEERS_SHOWN);
}

static void print_peers(const struct pv_peer_list *peers, size_t entry, FILE *out)
{
	const struct pv_peers *p = &peers->list[entry];
	_autofree_ char *words = NULL;
	size_t n;
	FILE *f = open_memstream(&words, &n);

	if (!f)
		return;
	fprintf(f, "writes to peers up to %d bytes, %s takes %d%s: ", p->payload, p->at->name, p->most,
		p->across ? ", below another Root Port" : "");
	if (!p->across)
		fputs("Malformed TLP", f);
	else if (p->splits)
		fputs("Malformed TLP, unless the Root Complex splits or refuses them", f);
	else
		fputs("Malformed TLP, even if the Root Complex splits them; unless it refuses them", f);
	fputs("; peers: ", f);
	print_names(peers, entry, f);
	if (!fclose(f))
		pv_put_wrapped(out, p->from->name, words, INDENT);
}

void pv_text_peers(const struct pv_peer_list *peers, FILE *f)
{
	for (size_t i = 0; i < peers->n; i++)
		print_peers(peers, i, f);
	fprintf(f, "devices that send too much to a peer: %zu below their Root Port, %zu below another\n",
		pv_peers_senders(peers, false), pv_peers_senders(peers, true));
}

/* ---- what if ---- */

/* Prints the functions that change. */
static void print_changes(const struct pv_what_if *w, double round_trip_ns, FILE *f)
{
	struct pv_policy_plan some = {.list = calloc(w->plan.n + 1, sizeof(*some.list))};

	for (size_t i = 0; some.list && i < w->plan.n; i++)
		if (pv_planned_changes(&w->plan.list[i]))
			some.list[some.n++] = w->plan.list[i];
	if (some.n)
		pv_text_plan(&some, round_trip_ns, f);
	pv_policy_plan_free(&some);
}

static void print_count(size_t n, const char *what, FILE *f)
{
	fprintf(f, "%zu mismatch%s %s", n, n == 1 ? "" : "es", what);
}

void pv_text_what_if(const struct pv_what_if *w, double round_trip_ns, FILE *f)
{
	size_t kept = w->after.n - w->fresh.n;

	print_changes(w, round_trip_ns, f);
	pv_text_remarks(&w->remarks, f);
	for (size_t i = 0; i < w->mended.n; i++) {
		_autofree_ char *symptom = pv_symptom_text(&w->mended.list[i]);

		pv_put_wrapped(f, "mended:", symptom ? symptom : "", INDENT);
	}
	if (w->fresh.n) {
		print_count(w->fresh.n, "would be new:\n", f);
		pv_text_check(&w->fresh, &w->cures, f);
	}
	if (kept)
		print_count(kept,
			    kept == 1 ? "remains; see 'pcieval mps check'\n" : "remain; see 'pcieval mps check'\n", f);
	if (!w->after.n && !w->after.n_unjudged)
		fputs("no mismatch\n", f);
}
