/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reader of seen/NAME.txt. */
#include "framework/agent/tests/seen.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

/* ---- the texts of an entry ---- */

static const struct key {
	const char *name;
	size_t offset, size;
	const char *separator; /* between the lines of one text */
	enum pv_emit_verdict verdict;
} keys[] = {
#define STEPS(key)                                                                                           \
	{                                                                                                    \
#key, offsetof(struct pv_seen, key), sizeof(((struct pv_seen *)0)->key), " | ", PV_EMIT_PASS \
	}
#define SAYS(key, verdict)                                                                             \
	{                                                                                              \
		key, offsetof(struct pv_seen, says), sizeof(((struct pv_seen *)0)->says), " ", verdict \
	}
	STEPS(given), STEPS(right), STEPS(wrong), STEPS(then), SAYS("fail", PV_EMIT_FAIL), SAYS("error", PV_EMIT_ERROR),
};

struct reader {
	const char *name;
	unsigned line;
	struct pv_seen_file *file;
	struct pv_seen *entry; /* that is being read, NULL: none */
	unsigned given;	       /* the keys of it, as bits */
	const struct key *key; /* of the line before, NULL: none */
	struct pv_error *e;
};

static int misread(struct reader *r, const char *expected, const char *got)
{
	return pv_error(r->e, -EINVAL, "%s:%u: expected %s, got \"%s\"", r->name, r->line, expected, got);
}

static int add_text(struct reader *r, const char *text)
{
	char *to = (char *)r->entry + r->key->offset;
	size_t n = strlen(to), left = r->key->size - n;

	if ((size_t)snprintf(to + n, left, "%s%s", n && *text ? r->key->separator : "", text) >= left)
		return misread(r, "less text", text);
	return 0;
}

/* ---- lines ---- */

static int begin_entry(struct reader *r, const char *line)
{
	struct pv_seen_file *f = r->file;
	char more;

	f->entry = reallocarray(f->entry, f->n + 1, sizeof(*f->entry));
	cr_assert(f->entry != NULL);
	r->entry = &f->entry[f->n++];
	*r->entry = (struct pv_seen){.verdict = PV_EMIT_PASS};
	r->given = 0;
	if (sscanf(line, "%31s %31s %c", r->entry->step, r->entry->attr, &more) != 2)
		return misread(r, "STEP ATTRIBUTE", line);
	snprintf(r->entry->where, sizeof(r->entry->where), "%s:%u", r->name, r->line);
	return 0;
}

static int end_entry(struct reader *r)
{
	const struct pv_seen *s = r->entry;

	r->entry = NULL;
	r->key = NULL;
	if (s && (!(r->given & 2) || !(r->given & 4)))
		return misread(r, "a right and a wrong script", "the end of the entry");
	if (s && s->verdict == PV_EMIT_PASS)
		return misread(r, "fail or error", "the end of the entry");
	if (s && !strcmp(s->right, s->wrong))
		return misread(r, "something other than what is right", s->wrong);
	return 0;
}

static int read_key(struct reader *r, const char *line)
{
	size_t n = strcspn(line, ":");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!line[n] || strlen(keys[i].name) != n || strncmp(keys[i].name, line, n))
			continue;
		if (r->given & 1U << i || (keys[i].verdict != PV_EMIT_PASS && r->entry->verdict != PV_EMIT_PASS))
			return misread(r, "each key once", line);
		r->given |= 1U << i;
		r->key = &keys[i];
		if (keys[i].verdict != PV_EMIT_PASS)
			r->entry->verdict = keys[i].verdict;
		return add_text(r, line + n + 1 + strspn(line + n + 1, " "));
	}
	return misread(r, "given, right, wrong, then, fail or error", line);
}

static int read_line(struct reader *r, const char *line)
{
	if (*line == '#')
		return 0;
	if (!*line)
		return end_entry(r);
	if (*line == ' ')
		return r->key ? add_text(r, line + strspn(line, " ")) : misread(r, "a key first", line);
	return r->entry ? read_key(r, line) : begin_entry(r, line);
}

int pv_seen_parse(const char *name, const char *text, struct pv_seen_file *f, struct pv_error *e)
{
	struct reader r = {.name = name, .file = f, .e = e};
	_autofree_ char *copy = strdup(text);
	char *rest = copy, *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		r.line++;
		err = read_line(&r, line);
	}
	return err ? err : end_entry(&r);
}

struct pv_seen_file pv_seen_load(const char *name)
{
	struct pv_seen_file f = {NULL, 0};
	struct pv_error e = {0};
	_autofree_ char *text = NULL;
	char path[512];
	size_t n;

	snprintf(path, sizeof(path), SEEN "/%s", name);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e) || pv_seen_parse(name, text, &f, &e), 0, "%s", e.text);
	return f;
}

void pv_seen_free(struct pv_seen_file *f)
{
	free(f->entry);
	*f = (struct pv_seen_file){NULL, 0};
}
