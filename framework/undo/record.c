/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of lines in undo journals, and how each is read and written. */
#include "framework/undo/record.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"

/* ---- kinds ---- */

enum form {
	END,
	KIND,  /* the name of the kind */
	WORD,  /* without spaces */
	BDF,   /* 0000:01:00.0 */
	IDS,   /* 1234:5678 */
	COUNT, /* decimal */
	HEX,
	HEX4, /* at least four digits */
	REST, /* of the line, which may be empty; last */
};

struct field {
	enum form form;
	size_t at; /* its member of struct pv_undo_record */
};

#define F(form, member)                                       \
	{                                                     \
		form, offsetof(struct pv_undo_record, member) \
	}
#define REGISTER F(HEX, off), F(COUNT, bytes), F(HEX, was)
#define MASKED                                                                  \
	{                                                                       \
		F(WORD, name), F(IDS, ids), {KIND}, F(HEX4, mask), F(HEX4, was) \
	}
#define MPS_AND_MRRS (PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS)

static bool is_register(const struct pv_undo_record *r)
{
	return r->off <= UINT32_MAX && (r->bytes == 1 || r->bytes == 2 || r->bytes == 4 || r->bytes == 8);
}

static bool is_in_bar(const struct pv_undo_record *r)
{
	return r->off <= UINT32_MAX && (r->bytes == 4 || r->bytes == 8) && r->bar <= 5;
}

static bool is_below_sys(const struct pv_undo_record *r)
{
	return !strncmp(r->path, "sys/", 4) && !strstr(r->path, "..");
}

static bool are_functions(const struct pv_undo_record *r)
{
	const char *at = r->text;
	pv_bdf bdf;
	size_t n = pv_bdf_scan(at, &bdf);

	while (n && at[n] == ' ') {
		at += n + 1;
		n = pv_bdf_scan(at, &bdf);
	}
	return n && !at[n];
}

/* All fields that pcieval writes. A journal with others is not accepted. */
static bool is_bus_master(const struct pv_undo_record *r)
{
	return r->mask == PCI_COMMAND_MASTER && !(r->was & ~r->mask);
}

static bool are_sizes(const struct pv_undo_record *r)
{
	return r->mask == MPS_AND_MRRS && !(r->was & ~r->mask);
}

static const struct kind {
	const char *name;
	struct field field[8];
	bool (*valid)(const struct pv_undo_record *r); /* NULL: all are */
} kinds[PV_UNDO_KINDS] = {
	[PV_UNDO_BOOT] = {"boot", {{KIND}, F(REST, text)}},
	[PV_UNDO_ATTR] = {"attr", {{KIND}, F(WORD, device), F(WORD, path), F(REST, text)}},
	[PV_UNDO_REG] = {"reg", {{KIND}, F(BDF, bdf), F(IDS, ids), REGISTER}, is_register},
	[PV_UNDO_REFERENCE] = {"reference", {{KIND}, F(REST, text)}, are_functions},
	[PV_UNDO_BIND] = {"bind", {{KIND}, F(WORD, bus), F(WORD, device), F(WORD, driver)}},
	[PV_UNDO_FILE] = {"file", {{KIND}, F(WORD, path), F(REST, text)}, is_below_sys},
	[PV_UNDO_BAR] = {"bar", {{KIND}, F(BDF, bdf), F(IDS, ids), F(COUNT, bar), REGISTER}, is_in_bar},
	[PV_UNDO_TUNE] = {"tune", {{KIND}, F(WORD, device), F(WORD, path), F(REST, text)}},
	[PV_UNDO_IDLE] = {"idle", {{KIND}}},
	[PV_UNDO_COMMAND] = {"command", MASKED, is_bus_master},
	[PV_UNDO_DEVCTL] = {"devctl", MASKED, are_sizes},
	[PV_UNDO_DONE] = {"done", {{KIND}}},
};

/* ---- reading ---- */

static bool is_kind(const char *line, const struct kind *k)
{
	for (const struct field *f = k->field; f->form != KIND; f++) {
		line += strcspn(line, " ");
		line += *line == ' ';
	}
	return strcspn(line, " ") == strlen(k->name) && !strncmp(line, k->name, strlen(k->name));
}

static bool read_ids(const char *word, uint32_t *ids)
{
	unsigned vendor, device;
	int n = 0;

	if (sscanf(word, "%4x:%4x%n", &vendor, &device, &n) != 2 || word[n])
		return false;
	*ids = vendor | (uint32_t)device << 16;
	return true;
}

static bool read_number(const char *word, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 0);
	return isdigit((unsigned char)*word) && !*end && !errno;
}

static bool read_word(enum form form, char *word, void *member)
{
	size_t n;

	switch (form) {
	case WORD:
		*(const char **)member = word;
		return *word;
	case BDF:
		n = pv_bdf_scan(word, member);
		return n && !word[n];
	case IDS:
		return read_ids(word, member);
	case COUNT:
	case HEX:
	case HEX4:
		return read_number(word, member);
	default:
		return true; /* KIND has been compared */
	}
}

static bool read_fields(const struct kind *k, char *at, struct pv_undo_record *r)
{
	for (const struct field *f = k->field; f->form != END; f++) {
		char *word = f->form == REST ? at : strsep(&at, " ");

		if (!word || (f->form != REST && !read_word(f->form, word, (char *)r + f->at)))
			return false;
		if (f->form == REST) {
			r->text = word;
			at = NULL;
		}
	}
	return !at && (!k->valid || k->valid(r));
}

bool pv_undo_parse(char *line, struct pv_undo_record *r)
{
	for (size_t i = 0; i < PV_UNDO_KINDS; i++)
		if (is_kind(line, &kinds[i])) {
			*r = (struct pv_undo_record){.kind = (enum pv_undo_kind)i};
			return read_fields(&kinds[i], line, r);
		}
	return false;
}

static int call(const char *line, pv_undo_fn fn, void *ctx)
{
	_autofree_ char *cut = strdup(line);
	struct pv_undo_record r;

	if (!cut)
		return -ENOMEM;
	return fn(ctx, pv_undo_parse(cut, &r) ? &r : NULL, line);
}

int pv_undo_each(const char *text, bool backwards, pv_undo_fn fn, void *ctx)
{
	_autofree_ char *lines = strdup(text);
	size_t n = 0, at;
	int err = lines ? 0 : -ENOMEM;

	for (char *end = lines; !err && (end = strchr(end, '\n')); n = (size_t)(end - lines))
		*end++ = 0;
	for (at = 0; !err && !backwards && at < n; at += strlen(lines + at) + 1)
		err = call(lines + at, fn, ctx);
	for (at = n; !err && backwards && at;) {
		for (at--; at && lines[at - 1]; at--)
			;
		err = call(lines + at, fn, ctx);
	}
	return err;
}

/* ---- writing ---- */

static bool write_text(FILE *out, const char *text, const char *not_in_it)
{
	fprintf(out, "%s", text);
	return !strpbrk(text, not_in_it);
}

static bool write_field(FILE *out, const struct kind *k, const struct field *f, const struct pv_undo_record *r)
{
	const void *member = (const char *)r + f->at;

	switch (f->form) {
	case KIND:
		return write_text(out, k->name, "");
	case WORD:
		return write_text(out, *(char *const *)member, " \n");
	case REST:
		return write_text(out, r->text, "\n");
	case BDF:
		return write_text(out, pv_bdf_name(r->bdf).s, "");
	case IDS:
		return fprintf(out, "%04x:%04x", (unsigned)(r->ids & 0xffff), (unsigned)(r->ids >> 16)) > 0;
	case COUNT:
		return fprintf(out, "%" PRIu64, *(const uint64_t *)member) > 0;
	case HEX:
		return fprintf(out, "0x%" PRIx64, *(const uint64_t *)member) > 0;
	default:
		return fprintf(out, "0x%04" PRIx64, *(const uint64_t *)member) > 0;
	}
}

int pv_undo_append(struct pv_undolog *j, const struct pv_undo_record *r, struct pv_error *e)
{
	const struct kind *k = &kinds[r->kind];
	_autofree_ char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	bool fits = true;

	for (const struct field *f = k->field; out && f->form != END; f++) {
		fits &= f == k->field || fputc(' ', out) > 0;
		fits &= write_field(out, k, f, r);
	}
	if (out)
		fputc('\n', out);
	if (!out || fclose(out))
		return pv_error(e, -ENOMEM, "the journal %s: no memory", j->path);
	return fits ? pv_undolog_append(j, line, e)
		    : pv_error(e, -EPERM, "the journal %s: expected a line, got more than one", j->path);
}
