/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves BDFs of a plan to those of a board: in the topology, and in attributes of steps that can contain BDFs. */
#include "framework/board/translate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"

/* ---- places ---- */

static const struct pv_board_place *find_place(const struct pv_board_places *p, pv_bdf plan)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->place[i].device.plan == plan)
			return &p->place[i];
	return NULL;
}

/* ---- the topology ---- */

static int move_node(const struct pv_board_place *p, struct pv_topo_node *node, struct pv_error *e)
{
	if (node->role == PV_ROLE_CXL_MEM)
		return pv_error(
			e, -EOPNOTSUPP,
			"a CXL memory device at another place: the kernel numbers memory devices, and their PMUs, "
			"in an order of its own");
	node->conf.bdf = p->device.is;
	if (p->bridge) {
		node->conf.secondary = p->secondary;
		node->conf.subordinate = p->subordinate;
	}
	return 0;
}

int pv_board_move(const struct pv_board_places *p, struct pv_topology *t, struct pv_error *e)
{
	bool moved = false, ptt = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct pv_board_place *place = find_place(p, t->nodes[i].bdf);
		bool moves = place && place->device.is != place->device.plan;
		int err = moves ? move_node(place, &t->nodes[i], e) : 0;

		if (err)
			return err;
		moved |= moves;
		ptt |= t->nodes[i].role == PV_ROLE_PTT;
	}
	if (moved && ptt)
		return pv_error(e, -EOPNOTSUPP,
				"a PTT with functions at other places: its filters are numbers made of places, which "
				"cannot be rewritten");
	pv_topology_describe(t);
	return 0;
}

/* ---- values ---- */

#define PMU "dwc_rootport_" /* followed by the BDF as a number */

/* A BDF, as it is spelled in a value. */
struct spelling {
	size_t n; /* number of characters; 0: no BDF */
	pv_bdf bdf;
	bool domain, escaped, pmu; /* has dddd:, has "\." for ".", is the name of a PMU */
};

static struct spelling read_pmu(const char *at)
{
	struct spelling s = {.pmu = true};
	char name[32];

	if (strncmp(at, PMU, strlen(PMU)) != 0)
		return s;
	s.bdf = (pv_bdf)strtoul(at + strlen(PMU), NULL, 16);
	snprintf(name, sizeof(name), PMU "%x", (unsigned)s.bdf);
	if (!strncmp(at, name, strlen(name)))
		s.n = strlen(name);
	return s;
}

static struct spelling read_bdf(const char *at, enum pv_type_holds holds)
{
	size_t n = strcspn(at, "\\."); /* "00:10", "0000:00:10" */
	struct spelling s = {.domain = n > strlen("00:10"), .escaped = at[n] == '\\'};
	const char *dot = at + n + s.escaped;
	char text[16];

	if ((n != strlen("00:10") && n != strlen("0000:00:10")) || *dot != '.' ||
	    (s.escaped && holds != PV_HOLDS_REGEX))
		return s;
	snprintf(text, sizeof(text), "%s%.*s.%c", s.domain ? "" : "0000:", (int)n, at, dot[1]);
	if (pv_bdf_scan(text, &s.bdf))
		s.n = (size_t)(dot + 2 - at);
	return s;
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static struct spelling read_spelling(const char *text, const char *at, enum pv_type_holds holds)
{
	struct spelling s = {0};

	if (at > text && is_part(at[-1]))
		return s;
	if (holds & PV_HOLDS_BDF)
		s = read_bdf(at, holds);
	if (!s.n && (holds & PV_HOLDS_PMU))
		s = read_pmu(at);
	/* A colon may follow a BDF: "00:10.0: probe failed". */
	if (is_part(at[s.n]) && at[s.n] != ':')
		s.n = 0;
	return s;
}

static void write_spelling(FILE *f, const struct spelling *s, pv_bdf is)
{
	struct pv_bdf_text text = s->domain ? pv_bdf_name(is) : pv_bdf_text(is);
	size_t dot = strlen(text.s) - 2;

	if (s->pmu)
		fprintf(f, PMU "%x", (unsigned)is);
	else
		fprintf(f, "%.*s%s%s", (int)dot, text.s, s->escaped ? "\\" : "", text.s + dot);
}

bool pv_board_next_function(const char *text, enum pv_type_holds holds, const char **at, struct pv_board_found *out)
{
	for (; **at; ++*at) {
		struct spelling s = read_spelling(text, *at, holds);

		if (!s.n)
			continue;
		*out = (struct pv_board_found){s.bdf, s.pmu};
		*at += s.n;
		return true;
	}
	return false;
}

bool pv_board_is_word(const char *text, const char *at, size_t n)
{
	return (at == text || !is_part(at[-1])) && (!is_part(at[n]) || at[n] == ':');
}

static const struct pv_board_pmu *find_pmu(const struct pv_board_places *p, enum pv_type_holds holds, const char *text,
					   const char *at)
{
	for (size_t i = 0; holds & PV_HOLDS_PMU && i < p->n_pmus; i++) {
		size_t n = strlen(p->pmu[i].plan);

		if (!strncmp(at, p->pmu[i].plan, n) && pv_board_is_word(text, at, n))
			return &p->pmu[i];
	}
	return NULL;
}

/* Writes the replacement of the next characters. Returns the number of these characters. */
static size_t move_next(const struct pv_board_places *p, enum pv_type_holds holds, const char *text, const char *at,
			FILE *f)
{
	struct spelling s = read_spelling(text, at, holds);
	const struct pv_board_place *place = s.n ? find_place(p, s.bdf) : NULL;
	const struct pv_board_pmu *pmu = place ? NULL : find_pmu(p, holds, text, at);

	if (place)
		write_spelling(f, &s, place->device.is);
	else
		fprintf(f, "%.*s", pmu ? (int)sizeof(pmu->is) : 1, pmu ? pmu->is : at);
	return place ? s.n : pmu ? strlen(pmu->plan) : 1;
}

char *pv_board_move_text(const struct pv_board_places *p, enum pv_type_holds holds, const char *text)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	for (const char *at = text; f && *at;)
		at += move_next(p, holds, text, at, f);
	return f && !fclose(f) ? out : NULL;
}

/* ---- steps ---- */

static int move_attrs(const struct pv_board_places *p, const struct pv_element_decl *step, json_object *attrs,
		      struct pv_error *e)
{
	json_object_object_foreach(attrs, key, value)
	{
		const struct pv_attr_decl *a = pv_schema_attr(step, key);

		if (!a || !a->type->holds || !json_object_is_type(value, json_type_string))
			continue;
		_autofree_ char *moved = pv_board_move_text(p, a->type->holds, json_object_get_string(value));
		if (!moved)
			return pv_error(e, -ENOMEM, "no memory");
		/* The key exists, so the object keeps its structure during the iteration. */
		pv_json_string(attrs, key, moved);
	}
	return 0;
}

int pv_board_move_steps(const struct pv_board_places *p, json_object *steps, struct pv_error *e)
{
	size_t n = (p->n || p->n_pmus) && json_object_is_type(steps, json_type_array) ? json_object_array_length(steps)
										      : 0;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		json_object *o = json_object_array_get_idx(steps, i), *attrs = json_object_object_get(o, "attrs");
		const char *kind = json_object_get_string(json_object_object_get(o, "kind"));
		const struct pv_element_decl *step = kind ? pv_schema_step(kind) : NULL;

		err = step && json_object_is_type(attrs, json_type_object) ? move_attrs(p, step, attrs, e) : 0;
	}
	return err;
}
