/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what of an event a driver refuses. A driver says no more than EINVAL, and 0 is not always a value that it
 * takes, so other values are tried.
 */
#include "framework/agent/event_refused.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/events.h"
#include "framework/util/cleanup.h"

#define TERMS_MAX 24
#define FEW	  4	       /* values of a term beside those of others */
#define MANY	  (FEW + 128u) /* values of a term alone */
#define OPENS_MAX 400	       /* a board may be far away */

static const char *const words[] = {"config", "config1", "config2"};

struct term {
	char name[64], format[128]; /* format "": the bits `mask` of word `word`, which are of no term */
	unsigned word;
	uint64_t mask, is, tried;
};

struct search {
	struct pv_driver *d;
	const char *pmu;
	const struct pv_perf_attr *attr;
	struct pv_perf_event *leader;
	pv_perf_aux_fn aux;
	void *aux_ctx;
	struct pv_error *e;
	struct term term[TERMS_MAX];
	unsigned n, opens;
	uint64_t port, ports; /* filters of the PMU: the first Root Port, and all; 0: none */
	bool found;
};

/* ---- terms ---- */

static struct pv_event_config config_of(const struct pv_perf_attr *attr)
{
	return (struct pv_event_config){{attr->config, attr->config1, attr->config2}};
}

static int read_line(const struct search *s, const char *folder, const char *name, char *text, size_t size)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	memset(text, 0, size);
	int n = s->d->ops->attr_read(s->d, s->pmu, path, text, size - 1);
	text[strcspn(text, "\n")] = 0;
	return n;
}

static void add_term(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct term *t = &s->term[s->n];
	struct pv_event_config c = config_of(s->attr);

	/* Three are for bits that are of no term. */
	if (s->n + ARRAY_SIZE(words) >= TERMS_MAX || read_line(s, "format", name, t->format, sizeof(t->format)) < 0 ||
	    pv_event_unpack(t->format, &c, &t->is))
		return;
	snprintf(t->name, sizeof(t->name), "%s", name);
	s->n++;
}

/* The bits of no term. A driver without format files has no others. */
static void add_rest(struct search *s)
{
	struct pv_event_config rest = config_of(s->attr);
	const char *other = s->n ? "other " : "";

	for (unsigned i = 0; i < s->n; i++)
		pv_event_pack(s->term[i].format, 0, &rest);
	for (unsigned w = 0; w < ARRAY_SIZE(words); w++) {
		struct term *t = &s->term[s->n];

		if (!rest.word[w])
			continue;
		*t = (struct term){.word = w, .mask = rest.word[w], .is = rest.word[w]};
		snprintf(t->name, sizeof(t->name), "%sbits of %s", other, words[w]);
		s->n++;
	}
}

static void add_port(void *ctx, const char *name)
{
	struct search *s = ctx;
	char text[64];
	uint64_t value = read_line(s, "root_port_filters", name, text, sizeof(text)) < 0 ? 0 : strtoull(text, NULL, 0);

	s->port = s->port ? s->port : value;
	s->ports |= value;
}

/* ---- other values ---- */

static bool is_value(const struct term *t, uint64_t value)
{
	struct pv_event_config c = {0};

	return value != t->is && (*t->format ? !pv_event_pack(t->format, value, &c) : !(value & ~t->mask));
}

/* Puts values to try into `out`, the likely ones first, and without `more` only those. Some may be no value. */
static size_t values_of(const struct search *s, const struct term *t, bool more, uint64_t out[MANY])
{
	size_t n = 0;

	if (!strcmp(t->name, "filter") && s->port) {
		out[n++] = t->is & s->ports;
		out[n++] = s->port;
	}
	for (uint64_t rest = more ? t->is : 0; rest; rest &= rest - 1)
		out[n++] = t->is & ~(rest & -rest);
	for (uint64_t rest = more ? t->is : 0; rest; rest &= rest - 1)
		out[n++] = rest & -rest;
	out[n++] = 1;
	out[n++] = 0;
	return n;
}

static void set(const struct term *t, struct pv_event_config *c)
{
	if (*t->format)
		pv_event_pack(t->format, t->tried, c);
	else
		c->word[t->word] = (c->word[t->word] & ~t->mask) | t->tried;
}

static bool opens(struct search *s)
{
	struct pv_event_config c = config_of(s->attr);
	struct pv_perf_attr other = *s->attr;
	struct pv_perf_event *event;

	for (unsigned i = 0; i < s->n; i++)
		if (s->term[i].tried != s->term[i].is)
			set(&s->term[i], &c);
	other.config = c.word[0];
	other.config1 = c.word[1];
	other.config2 = c.word[2];
	s->opens++;
	if (s->d->ops->event_open(s->d, s->pmu, &other, s->leader, s->aux, s->aux_ctx, &event))
		return false;
	s->d->ops->event_close(s->d, event);
	return true;
}

/* ---- what helps ---- */

__attribute__((format(printf, 2, 3))) static void say(struct pv_error *e, const char *fmt, ...)
{
	size_t used = strlen(e->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text + used, sizeof(e->text) - used, fmt, ap);
	va_end(ap);
}

static void tell(struct search *s)
{
	const char *before = s->found ? ", or with " : "it opens with ";

	if (!s->found)
		*s->e->text = 0;
	for (unsigned i = 0; i < s->n; i++) {
		const struct term *t = &s->term[i];

		if (t->tried == t->is)
			continue;
		say(s->e, "%s%s=0x%" PRIx64 " instead of 0x%" PRIx64, before, t->name, t->tried, t->is);
		before = " and ";
	}
	s->found = true;
}

static bool try_terms(struct search *s, unsigned first, unsigned left);

/* Tries other values of a term, each with those of `left` terms after it. True: one of them was told. */
static bool try_term(struct search *s, unsigned i, unsigned left, bool more)
{
	struct term *t = &s->term[i];
	uint64_t value[MANY];
	size_t n = values_of(s, t, more, value);
	bool found = false;

	for (size_t k = 0; !found && k < n; k++) {
		t->tried = value[k];
		found = is_value(t, value[k]) && try_terms(s, i + 1, left);
	}
	t->tried = t->is;
	return found;
}

static bool try_terms(struct search *s, unsigned first, unsigned left)
{
	bool found = !left && s->opens < OPENS_MAX && opens(s);

	if (found)
		tell(s);
	for (unsigned i = first; left && !found && i < s->n; i++)
		found = try_term(s, i, left - 1, false);
	return found;
}

void pv_event_refused(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_error *e)
{
	struct search s = {.d = d, .pmu = pmu, .attr = attr, .leader = leader, .aux = aux, .aux_ctx = aux_ctx, .e = e};

	int err = d->ops->attr_list(d, pmu, "format", add_term, &s);

	/* A PMU may have no formats, and no filters: then bits of the words are named, and other values tried. */
	if (err)
		s.n = 0;
	if (d->ops->attr_list(d, pmu, "root_port_filters", add_port, &s))
		s.port = 0;
	add_rest(&s);
	for (unsigned i = 0; i < s.n; i++)
		s.term[i].tried = s.term[i].is;
	/* Each term that helps alone is told, but of several together, the first. */
	for (unsigned i = 0; i < s.n; i++)
		try_term(&s, i, 0, true);
	for (unsigned several = 2; !s.found && several <= s.n; several++)
		try_terms(&s, 0, several);
	if (s.found && err && err != -ENOENT)
		say(e, " (format: %s)", pv_errno_name(err));
}
