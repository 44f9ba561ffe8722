/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the functions with printed registers in order, as a listing has them in order. */
#include "framework/pci/split.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "framework/pci/dump_internal.h"
#include "framework/util/cleanup.h"

struct split {
	const char *name;
	uint64_t *seen; /* BDFs, ascending */
	size_t n_seen, room;
	size_t heading; /* offset of the current function's heading */
	uint64_t place;
	bool reading; /* there is a current function, without registers so far */
	unsigned listings;
	size_t second;
	struct pv_error *e;
};

/* Returns the index of a BDF in the list, or where it would be inserted. */
static size_t find(const struct split *s, uint64_t place)
{
	size_t low = 0, high = s->n_seen;

	if (s->n_seen && s->seen[s->n_seen - 1] < place)
		return s->n_seen;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->seen[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add(struct split *s, size_t at, uint64_t place)
{
	if (s->n_seen == s->room) {
		uint64_t *more = realloc(s->seen, (2 * s->room + 64) * sizeof(*more));

		if (!more)
			return pv_error(s->e, -ENOMEM, "%s: no memory", s->name);
		s->seen = more;
		s->room = 2 * s->room + 64;
	}
	memmove(s->seen + at + 1, s->seen + at, (s->n_seen - at) * sizeof(*s->seen));
	s->seen[at] = place;
	s->n_seen++;
	return 0;
}

/* Adds the current function, as it has registers. */
static int take_function(struct split *s)
{
	size_t at = find(s, s->place);

	s->reading = false;
	if (at < s->n_seen && s->seen[at] == s->place) {
		if (++s->listings > 2)
			return pv_error(
				s->e, -EBADMSG,
				"%s: more than two listings in one file; write each moment to a file of its own",
				s->name);
		s->second = s->heading;
		s->n_seen = at = 0;
	}
	return add(s, at, s->place);
}

static bool begins_with(const char *at, size_t n, const char *text)
{
	return n >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* Returns true for the first register of a function: -vv prints Command, -x offset 0. */
static bool is_register(const char *line, size_t n)
{
	for (; n && strchr("> \t|", *line); n--)
		line++;
	return begins_with(line, n, "Control:") || begins_with(line, n, "00: ");
}

static int take_line(struct split *s, const char *text, size_t at, size_t n)
{
	struct pv_dump_place p;
	size_t quote, rest;

	if (pv_dump_heading(text + at, n, &p, &quote, &rest)) {
		s->heading = at;
		s->place = (uint64_t)p.domain << 16 | p.bus << 8 | (p.device & 0x1f) << 3 | (p.function & 7);
		s->reading = true;
		return 0;
	}
	return s->reading && is_register(text + at, n) ? take_function(s) : 0;
}

int pv_pci_dump_split(const char *name, const char *text, size_t n, size_t *second, struct pv_error *e)
{
	struct split s = {.name = name, .listings = 1, .e = e};
	int err = 0;

	for (size_t at = 0, length; !err && at < n; at += length + 1) {
		const char *eol = memchr(text + at, '\n', n - at);

		length = eol ? (size_t)(eol - text) - at : n - at;
		err = take_line(&s, text, at, length);
	}
	free(s.seen);
	*second = s.second;
	if (!err && s.listings < 2)
		err = pv_error(e, -EBADMSG, "%s: one listing: expected two in one file, or two files", name);
	return err;
}
