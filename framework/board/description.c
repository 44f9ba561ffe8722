/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads board descriptions, checked by the built-in schema. */
#include "framework/board/description.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/xml.h"
#include "framework/schema/schema.h"
#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"

static void keep_first(void *ctx, const struct pv_error *problem)
{
	struct pv_error *e = ctx;

	if (!e->code)
		*e = *problem;
}

/* Relative paths are relative to the folder of the file. */
static char *path_from(const char *file, const char *path)
{
	char real[PATH_MAX];
	char *out;

	if (*path == '/')
		return strdup(path);
	if (!realpath(file, real))
		return NULL;
	return asprintf(&out, "%.*s/%s", (int)(strrchr(real, '/') - real), real, path) < 0 ? NULL : out;
}

/* The schema has checked the syntax. */
static pv_bdf parse_bdf(const char *text)
{
	pv_bdf bdf = 0;

	pv_bdf_parse(text, &bdf);
	return bdf;
}

static int take_vouched(const struct pv_xml *x, struct pv_board_description *out)
{
	out->vouched = calloc(pv_xml_count(x, "vouch") + 1, sizeof(*out->vouched));
	if (!out->vouched)
		return -ENOMEM;
	pv_xml_foreach_named (v, x, "vouch") {
		const char *function = pv_xml_get(v, "function");

		if (!strcmp(function, "all"))
			out->vouches_for_all = true;
		else
			out->vouched[out->n_vouched++] = parse_bdf(function);
	}
	return 0;
}

/* No two functions of a plan may be the same function of the board, and vice versa. */
static int check_device(const struct pv_xml *x, const struct pv_board_description *d, const struct pv_board_device *new,
			struct pv_error *e)
{
	for (size_t i = 0; i < d->n_devices; i++) {
		bool twice = d->devices[i].plan == new->plan;

		if (twice || d->devices[i].is == new->is)
			return pv_error(e, -EINVAL, "%s:%d: <device>: expected each function once, got %s=\"%s\" again",
					x->file, x->line, twice ? "plan" : "is", pv_xml_get(x, twice ? "plan" : "is"));
	}
	return 0;
}

static int take_devices(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	unsigned n = pv_xml_count(x, "device");
	int err = n > PV_BOARD_DEVICES_MAX
			  ? pv_error(e, -EINVAL, "%s:%d: <board>: expected at most %d <device>, got %u", x->file,
				     x->line, PV_BOARD_DEVICES_MAX, n)
			  : 0;

	out->devices = calloc(n + 1, sizeof(*out->devices));
	if (!out->devices)
		return pv_error(e, -ENOMEM, "%s: no memory", x->file);
	for (const struct pv_xml *v = err ? NULL : pv_xml_child(x, "device"); v && !err;
	     v = pv_xml_sibling(v, "device")) {
		const struct pv_board_device new = {parse_bdf(pv_xml_get(v, "plan")), parse_bdf(pv_xml_get(v, "is"))};

		err = check_device(v, out, &new, e);
		out->devices[out->n_devices++] = new;
	}
	return err;
}

/* ---- workloads ---- */

static bool copy_workload(const struct pv_xml *x, struct pv_board_workload *w)
{
	const char *timeout = pv_xml_get(x, "timeout-s");
	size_t n = 0;
	bool whole = true;

	*w = (struct pv_board_workload){.from = strdup(pv_xml_get(x, "from")),
					.to = strdup(pv_xml_get(x, "to")),
					.counts = strdup(pv_xml_get(x, "counts")),
					.words = calloc(pv_xml_count(x, "word") + 1, sizeof(*w->words)),
					.timeout_s = timeout ? (unsigned)strtoul(timeout, NULL, 10) : 60};
	if (!w->from || !w->to || !w->counts || !w->words)
		return false;
	pv_xml_foreach_named (v, x, "word") {
		w->words[n] = strdup(v->text);
		whole &= w->words[n++] != NULL;
	}
	return whole;
}

static int check_workload(const struct pv_xml *x, const struct pv_board_description *d,
			  const struct pv_board_workload *new, struct pv_error *e)
{
	unsigned words = pv_xml_count(x, "word");

	if (!words || words > PV_BOARD_WORDS_MAX)
		return pv_error(e, -EINVAL, "%s:%d: <workload>: expected 1 to %d <word>, got %u", x->file, x->line,
				PV_BOARD_WORDS_MAX, words);
	for (size_t i = 0; i + 1 < d->n_workloads; i++)
		if (!strcmp(d->workloads[i].from, new->from) && !strcmp(d->workloads[i].to, new->to))
			return pv_error(e, -EINVAL, "%s:%d: <workload>: expected one from %s to %s, got another",
					x->file, x->line, new->from, new->to);
	if (!strcmp(new->from, "cpu") && !strcmp(new->to, "memory"))
		return pv_error(e, -EINVAL, "%s:%d: <workload>: expected a function at one end, got cpu and memory",
				x->file, x->line);
	return 0;
}

static int take_workloads(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	int err = 0;

	out->workloads = calloc(pv_xml_count(x, "workload") + 1, sizeof(*out->workloads));
	if (!out->workloads)
		return pv_error(e, -ENOMEM, "%s: no memory", x->file);
	for (const struct pv_xml *v = pv_xml_child(x, "workload"); v && !err; v = pv_xml_sibling(v, "workload")) {
		struct pv_board_workload *new = &out->workloads[out->n_workloads++];

		err = copy_workload(v, new) ? check_workload(v, out, new, e)
					    : pv_error(e, -ENOMEM, "%s: no memory", x->file);
	}
	return err;
}

/* "0.01", whatever the locale: the schema has checked it. */
static double share_of(const char *text)
{
	double share = *text - '0', digit = 1;

	for (const char *c = text[1] ? text + 2 : ""; *c; c++)
		share += (*c - '0') * (digit /= 10);
	return share;
}

/* Parses a frequency. NULL: 0. */
static double hertz_of(const char *text)
{
	return text ? (double)strtoull(text, NULL, 10) : 0;
}

static int check_one(const struct pv_xml *x, const char *name, struct pv_error *e)
{
	unsigned n = pv_xml_count(x, name);

	return n <= 1 ? 0
		      : pv_error(e, -EINVAL, "%s:%d: <board>: expected one <%s>, got %u", x->file, x->line, name, n);
}

static int take_tolerance(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	const struct pv_xml *t = pv_xml_child(x, "tolerance");

	out->tolerance = t ? share_of(pv_xml_get(t, "counts")) : 0;
	return check_one(x, "tolerance", e);
}

/* ---- power and console ---- */

static char *copy_attr(const struct pv_xml *x, const char *name)
{
	const char *value = x ? pv_xml_get(x, name) : NULL;

	return value ? strdup(value) : NULL;
}

static unsigned seconds_of(const struct pv_xml *x, const char *name, unsigned otherwise)
{
	const char *value = x ? pv_xml_get(x, name) : NULL;

	return value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

/*
 * Sets the command by which a strategy brings the place into a state. A strategy does not know the state of a board
 * that it has not booted, so it boots it. `power on` changes nothing after that: labgrid-client needs a command.
 */
static int take_strategy(const struct pv_xml *x, const char *option, const char *coordinator,
			 struct pv_board_description *out, struct pv_error *e)
{
	const char *config = pv_xml_get(x, "config"), *state = pv_xml_get(x, "state");

	if (!config != !state || (config && strchr(config, '\'')))
		return pv_error(e, -EINVAL,
				"%s:%d: <labgrid>: expected config and state together, the path without an apostrophe",
				x->file, x->line);
	if (!config)
		return 0;
	_autofree_ char *path = path_from(x->file, config);
	free(steal(&out->power.cycle));
	out->power.state = strdup(state);
	if (path && out->power.state &&
	    asprintf(&out->power.cycle, "labgrid-client %s%s-c '%s' -p %s -s %s power on", option, coordinator, path,
		     pv_xml_get(x, "place"), state) >= 0)
		return 0;
	out->power.cycle = NULL;
	return pv_error(e, -ENOMEM, "%s: no memory", x->file);
}

/* Sets the commands of labgrid for a place. The console program needs a terminal, which script(1) provides. */
static int take_labgrid(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	const char *place = pv_xml_get(x, "place"), *coordinator = pv_xml_get(x, "coordinator");
	const char *option = coordinator ? "-x " : "";
	_autofree_ char *address = NULL;
	bool whole = asprintf(&address, "%s%s", coordinator ? coordinator : "", coordinator ? " " : "") >= 0;

	if (out->power.cycle || out->power.on || out->console)
		return pv_error(e, -EINVAL, "%s:%d: <labgrid>: expected neither <power> nor <console> beside it",
				x->file, x->line);
	const struct {
		char **to;
		const char *before, *after;
	} commands[] = {{&out->acquire, "", " acquire"},
			{&out->release, "", " release"},
			{&out->show, "", " show"},
			{&out->off, "", " power off"},
			{&out->power.cycle, "", " power cycle"},
			{&out->console, "exec script -qefc '", " console --loop' /dev/null"}};

	for (size_t i = 0; whole && i < ARRAY_SIZE(commands); i++)
		if (asprintf(commands[i].to, "%slabgrid-client %s%s-p %s%s", commands[i].before, option, address, place,
			     commands[i].after) < 0) {
			*commands[i].to = NULL;
			whole = false;
		}
	out->power.after_s = seconds_of(x, "after-s", 30);
	out->power.boot_s = seconds_of(x, "boot-s", 300);
	return whole ? take_strategy(x, option, address, out, e) : pv_error(e, -ENOMEM, "%s: no memory", x->file);
}

static int take_lab(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	const struct pv_xml *p = pv_xml_child(x, "power"), *console = pv_xml_child(x, "console");
	const struct pv_xml *labgrid = pv_xml_child(x, "labgrid");
	struct pv_board_power *power = &out->power;

	if (check_one(x, "power", e) || check_one(x, "console", e) || check_one(x, "labgrid", e))
		return e->code;
	*power = (struct pv_board_power){.cycle = copy_attr(p, "cycle"),
					 .on = copy_attr(p, "on"),
					 .off = copy_attr(p, "off"),
					 .after_s = seconds_of(p, "after-s", 30),
					 .boot_s = seconds_of(p, "boot-s", 300)};
	out->console = copy_attr(console, "command");
	if (p && (!power->on != !power->off || (!power->cycle && !power->on)))
		return pv_error(e, -EINVAL, "%s:%d: <power>: expected cycle, or on and off", p->file, p->line);
	return labgrid ? take_labgrid(labgrid, out, e) : 0;
}

static void free_workload(struct pv_board_workload *w)
{
	free(w->from);
	free(w->to);
	free(w->counts);
	for (char **word = w->words; word && *word; word++)
		free(*word);
	free(w->words);
}

/* ---- vouching ---- */

bool pv_board_vouches(const struct pv_board_description *d, pv_bdf bdf)
{
	bool vouches = d && d->vouches_for_all;

	for (size_t i = 0; d && i < d->n_vouched; i++)
		vouches |= d->vouched[i] == bdf;
	return vouches;
}

static int take(const struct pv_xml *x, struct pv_board_description *out, struct pv_error *e)
{
	const struct pv_xml *tap = pv_xml_child(x, "tap");

	int err = check_one(x, "tap", e);
	if (!err)
		err = take_devices(x, out, e);
	if (!err)
		err = take_workloads(x, out, e);
	if (!err)
		err = take_tolerance(x, out, e);
	if (!err)
		err = take_lab(x, out, e);
	if (err)
		return err;
	out->writes = pv_xml_child(x, "writes");
	out->ptt_tick_hz = hertz_of(pv_xml_get(x, "ptt-tick-hz"));
	out->name = strdup(pv_xml_get(x, "name"));
	out->tap = tap ? path_from(x->file, pv_xml_get(tap, "socket")) : NULL;
	return out->name && !tap == !out->tap && !take_vouched(x, out) ? 0
								       : pv_error(e, -ENOMEM, "%s: no memory", x->file);
}

/* Problems of the schema are reported as they are found; others are in *e. */
static int check(const char *path, struct pv_arena *a, struct pv_problems *p, struct pv_board_description *out,
		 struct pv_error *e)
{
	struct pv_xml *x = pv_xml_read(path, a, p);

	if (x)
		pv_xml_check(x, &pv_board_schema, "board", p);
	if (p->no_memory)
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	if (p->count)
		return -EINVAL;
	if (!x || x->bad)
		return pv_error(e, -EINVAL, "%s: expected a board description", path);
	return take(x, out, e);
}

static int read_and_tell(const char *path, struct pv_board_description *out, struct pv_problems *p)
{
	struct pv_error e = {0};
	struct pv_arena arena = {0};

	*out = (struct pv_board_description){0};
	int err = check(path, &arena, p, out, &e);
	pv_arena_free(&arena);
	if (e.code)
		p->report(p->ctx, &e);
	return err;
}

int pv_board_read(const char *path, struct pv_board_description *out, struct pv_error *e)
{
	struct pv_error first = {0};
	struct pv_problems p = {.report = keep_first, .ctx = &first};
	int err = read_and_tell(path, out, &p);

	if (err)
		*e = first;
	return err && first.code ? first.code : err;
}

int pv_board_validate(const char *path, void (*report)(void *ctx, const struct pv_error *problem), void *ctx)
{
	struct pv_problems p = {.report = report, .ctx = ctx};
	struct pv_board_description d;
	int err = read_and_tell(path, &d, &p);

	pv_board_description_free(&d);
	return err;
}

static void tell_nobody(void *ctx, const struct pv_error *problem)
{
}

bool pv_board_is_description(const char *path)
{
	struct pv_problems p = {.report = tell_nobody};
	struct pv_arena arena = {0};
	const struct pv_xml *x = pv_xml_read(path, &arena, &p);
	bool is = x && !strcmp(x->name, "board");

	pv_arena_free(&arena);
	return is;
}

void pv_board_description_free(struct pv_board_description *d)
{
	free(d->name);
	free(d->tap);
	for (size_t i = 0; i < d->n_workloads; i++)
		free_workload(&d->workloads[i]);
	free(d->workloads);
	free(d->power.cycle);
	free(d->power.on);
	free(d->power.off);
	free(d->power.state);
	free(d->console);
	free(d->acquire);
	free(d->release);
	free(d->show);
	free(d->off);
	free(d->devices);
	free(d->vouched);
	*d = (struct pv_board_description){0};
}
