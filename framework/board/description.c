/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading board descriptions, by the schema that is built in. */
#include "framework/board/description.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/schema.h"
#include "framework/util/cleanup.h"

extern const char pv_board_xsd[];
extern const size_t pv_board_xsd_bytes;

static void keep_first(void *ctx, const struct pv_error *problem)
{
	struct pv_error *e = ctx;

	if (!e->code)
		*e = *problem;
}

/* Relative paths are meant from the folder of the file. */
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

/* The schema has checked how it is written. */
static pv_bdf parse_bdf(const char *text)
{
	unsigned domain = 0, bus, slot, fn;

	if (sscanf(text, "%4x:%2x:%2x.%1u", &domain, &bus, &slot, &fn) != 4) {
		domain = 0;
		sscanf(text, "%2x:%2x.%1u", &bus, &slot, &fn);
	}
	return PCI_IN_DOMAIN(domain, PCI_BDF(bus, slot, fn));
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

/* Two functions of a plan are never one of the board, nor the other way round. */
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

	if (pv_xml_count(x, "tap") > 1)
		return pv_error(e, -EINVAL, "%s:%d: <board>: expected one <tap>, got %u", x->file, x->line,
				pv_xml_count(x, "tap"));
	int err = take_devices(x, out, e);
	if (err)
		return err;
	out->writes = pv_xml_child(x, "writes");
	out->name = strdup(pv_xml_get(x, "name"));
	out->tap = tap ? path_from(x->file, pv_xml_get(tap, "socket")) : NULL;
	return out->name && !tap == !out->tap && !take_vouched(x, out) ? 0
								       : pv_error(e, -ENOMEM, "%s: no memory", x->file);
}

static int check(const char *path, struct pv_schema *s, struct pv_arena *a, struct pv_problems *p,
		 struct pv_board_description *out)
{
	struct pv_error *e = p->ctx;
	struct pv_xml *x = pv_xml_read(path, a, p);

	if (x)
		pv_schema_check(s, x, "board", p);
	if (p->no_memory)
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	if (!x || p->count || x->bad)
		return e->code ? e->code : pv_error(e, -EINVAL, "%s: expected a board description", path);
	return take(x, out, e);
}

int pv_board_read(const char *path, struct pv_board_description *out, struct pv_error *e)
{
	struct pv_error first = {0};
	struct pv_problems p = {.report = keep_first, .ctx = &first};
	struct pv_arena arena = {0};
	struct pv_schema *s = pv_schema_load(pv_board_xsd, pv_board_xsd_bytes, &p);

	*out = (struct pv_board_description){0};
	int err = s ? check(path, s, &arena, &p, out) : first.code ? first.code : -ENOMEM;
	pv_schema_free(s);
	pv_arena_free(&arena);
	if (err)
		*e = first;
	return err;
}

void pv_board_description_free(struct pv_board_description *d)
{
	free(d->name);
	free(d->tap);
	free(d->devices);
	free(d->vouched);
	*d = (struct pv_board_description){0};
}
