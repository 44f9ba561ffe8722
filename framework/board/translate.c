/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of a plan as places of a board: in the topology, and as words in the attributes of steps. */
#include "framework/board/translate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/topology/topology.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

#define DEVICES_MAX 256
#define FORMS	    5

struct place {
	pv_bdf plan, is;
	json_object *secondary, *subordinate; /* NULL: no bridge */
};

/* A spelling of a BDF in plans, and its replacement. */
struct word {
	char from[40], to[40];
};

struct table {
	struct place place[DEVICES_MAX];
	struct word word[DEVICES_MAX * FORMS];
	size_t n, words;
};

/* ---- the table ---- */

static void add_word(struct table *t, const char *from, const char *to)
{
	struct word *w = &t->word[t->words++];

	snprintf(w->from, sizeof(w->from), "%s", from);
	snprintf(w->to, sizeof(w->to), "%s", to);
}

/* "01:00\.0", in regular expressions. */
static void add_escaped(struct table *t, const char *from, const char *to)
{
	char a[40], b[40];
	size_t dot = strlen(from) - 2, dot_to = strlen(to) - 2;

	snprintf(a, sizeof(a), "%.*s\\%s", (int)dot, from, from + dot);
	snprintf(b, sizeof(b), "%.*s\\%s", (int)dot_to, to, to + dot_to);
	add_word(t, a, b);
}

static void add_words(struct table *t, pv_bdf plan, pv_bdf is)
{
	char from[40], to[40];

	snprintf(from, sizeof(from), "%s", pv_bdf_name(plan).s);
	snprintf(to, sizeof(to), "%s", pv_bdf_name(is).s);
	add_word(t, from, to);
	add_escaped(t, from, to);
	if (!PCI_DOMAIN(plan)) {
		/* Domain 0 may be omitted. */
		const char *out = to + (PCI_DOMAIN(is) ? 0 : strlen("0000:"));

		add_word(t, from + strlen("0000:"), out);
		add_escaped(t, from + strlen("0000:"), out);
	}
	snprintf(from, sizeof(from), "dwc_rootport_%x", (unsigned)plan);
	snprintf(to, sizeof(to), "dwc_rootport_%x", (unsigned)is);
	add_word(t, from, to);
}

static int add_place(struct table *t, json_object *device, struct pv_error *e)
{
	const char *plan = json_object_get_string(json_object_object_get(device, "plan"));
	const char *is = json_object_get_string(json_object_object_get(device, "is"));
	struct place *p = &t->place[t->n];

	if (!plan || !is || pv_bdf_parse(plan, &p->plan) || pv_bdf_parse(is, &p->is))
		return pv_error(e, -EINVAL,
				"case message: \"far\": \"devices\": expected places as dddd:bb:dd.f, got %s",
				json_object_to_json_string(device));
	p->secondary = json_object_object_get(device, "secondary");
	p->subordinate = json_object_object_get(device, "subordinate");
	if (p->plan != p->is)
		add_words(t, p->plan, p->is);
	t->n++;
	return 0;
}

static int read_table(struct table *t, json_object *devices, struct pv_error *e)
{
	size_t n = json_object_is_type(devices, json_type_array) ? json_object_array_length(devices) : SIZE_MAX;
	int err = 0;

	*t = (struct table){0};
	if (n > DEVICES_MAX)
		return pv_error(e, -EINVAL, "case message: \"far\": \"devices\": expected a list of at most %d",
				DEVICES_MAX);
	for (size_t i = 0; !err && i < n; i++)
		err = add_place(t, json_object_array_get_idx(devices, i), e);
	return err;
}

static const struct place *find_place(const struct table *t, pv_bdf plan)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->place[i].plan == plan)
			return &t->place[i];
	return NULL;
}

/* ---- text ---- */

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* Finds the word that `at` begins with; NULL: none. Longer spellings of a BDF come first. */
static const struct word *word_at(const struct table *t, const char *text, const char *at)
{
	if (at > text && is_part(at[-1]))
		return NULL;
	for (size_t i = 0; i < t->words; i++) {
		size_t n = strlen(t->word[i].from);

		/* A colon may follow a BDF: "00:10.0: probe failed". */
		if (!strncmp(at, t->word[i].from, n) && (!is_part(at[n]) || at[n] == ':'))
			return &t->word[i];
	}
	return NULL;
}

static char *translate(const struct table *t, const char *text)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	for (const char *at = text; f && *at;) {
		const struct word *w = word_at(t, text, at);

		if (w)
			fputs(w->to, f);
		else
			fputc(*at, f);
		at += w ? strlen(w->from) : 1;
	}
	return f && !fclose(f) ? out : NULL;
}

char *pv_board_translate_text(const char *text, json_object *devices)
{
	_autofree_ struct table *t = malloc(sizeof(*t));
	struct pv_error e;

	return t && !read_table(t, devices, &e) ? translate(t, text) : NULL;
}

/* ---- the topology ---- */

static bool is_kind(json_object *node, const char *kind)
{
	const char *is = json_object_get_string(json_object_object_get(node, "kind"));

	return is && !strcmp(is, kind);
}

static void set_bus(json_object *node, const char *key, json_object *value)
{
	if (value)
		json_object_object_add(node, key, json_object_get(value));
}

/* *moved: the function has another BDF on the board. */
static int move_node(const struct table *t, json_object *node, bool *moved, struct pv_error *e)
{
	const char *text = json_object_get_string(json_object_object_get(node, "bdf"));
	const struct place *p;
	pv_bdf bdf;

	if (!text || pv_bdf_parse(text, &bdf) || !(p = find_place(t, bdf)) || p->is == p->plan)
		return 0;
	*moved = true;
	if (is_kind(node, "cxl-mem"))
		return pv_error(
			e, -EOPNOTSUPP,
			"a CXL memory device at another place: the kernel numbers memory devices, and their PMUs, "
			"in an order of its own");
	pv_json_string(node, "bdf", pv_bdf_text(p->is).s);
	set_bus(node, "secondary", p->secondary);
	set_bus(node, "subordinate", p->subordinate);
	return 0;
}

static int move_nodes(const struct table *t, json_object *nodes, struct pv_error *e)
{
	bool moved = false, ptt = false;
	int err = 0;

	if (!json_object_is_type(nodes, json_type_array))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(nodes); i++) {
		json_object *node = json_object_array_get_idx(nodes, i);

		ptt |= is_kind(node, "ptt");
		err = move_node(t, node, &moved, e);
	}
	return !err && moved && ptt ? pv_error(e, -EOPNOTSUPP,
					       "a PTT with functions at other places: its filters are numbers made of "
					       "places, which cannot be rewritten")
				    : err;
}

/* ---- steps ---- */

static int move_attrs(const struct table *t, json_object *attrs, struct pv_error *e)
{
	json_object_object_foreach(attrs, key, value)
	{
		const char *text = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
		_autofree_ char *moved = text ? translate(t, text) : NULL;

		if (text && !moved)
			return pv_error(e, -ENOMEM, "no memory");
		/* An existing member: the object keeps its shape while it is walked. */
		if (text && strcmp(text, moved))
			pv_json_string(attrs, key, moved);
	}
	return 0;
}

static int move_steps(const struct table *t, json_object *steps, struct pv_error *e)
{
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		json_object *attrs = json_object_object_get(json_object_array_get_idx(steps, i), "attrs");

		err = json_object_is_type(attrs, json_type_object) ? move_attrs(t, attrs, e) : 0;
	}
	return err;
}

int pv_board_translate(json_object *msg, json_object *devices, struct pv_error *e)
{
	_autofree_ struct table *t = devices ? malloc(sizeof(*t)) : NULL;

	if (!devices)
		return 0;
	if (!t)
		return pv_error(e, -ENOMEM, "no memory");
	int err = read_table(t, devices, e);
	if (!err)
		err = move_nodes(t, json_object_object_get(json_object_object_get(msg, "topology"), "nodes"), e);
	return err ? err : move_steps(t, json_object_object_get(msg, "steps"), e);
}
