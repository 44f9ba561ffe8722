/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads any bytes as lines of an undo journal. Lines are the same in both directions. A line that is taken is read
 * again, once written, with the same kind and the same fields; its file is below sys/, and its register is one that
 * pcieval writes.
 */
#include "framework/undo/record.h"
#include "framework/util/fuzz/fuzz.h"

#define LINES_MAX 1000

struct seen {
	char *line[LINES_MAX];
	size_t n;
};

/* ---- a record ---- */

/* Returns the line of a record, with its newline. The caller frees. */
static char *written(const struct pv_undo_record *r)
{
	struct pv_undolog j = {.path = "undo", .fd = fuzz_file(NULL, 0)};
	struct pv_error e = {0};
	size_t n;

	fuzz_check(!pv_undo_append(&j, r, &e));
	char *line = fuzz_contents(j.fd, &n);
	close(j.fd);
	fuzz_check(n && line[n - 1] == '\n' && strlen(line) == n && strchr(line, '\n') == line + n - 1);
	return line;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_record(const struct pv_undo_record *a, const struct pv_undo_record *b)
{
	return a->kind == b->kind && a->bdf == b->bdf && same(a->name, b->name) && a->ids == b->ids &&
	       a->bar == b->bar && a->off == b->off && a->bytes == b->bytes && a->mask == b->mask && a->was == b->was &&
	       same(a->bus, b->bus) && same(a->device, b->device) && same(a->driver, b->driver) &&
	       same(a->path, b->path) && same(a->text, b->text);
}

static void check_bounds(const struct pv_undo_record *r)
{
	fuzz_check(r->kind != PV_UNDO_FILE || (!strncmp(r->path, "sys/", 4) && !strstr(r->path, "..")));
	fuzz_check(r->kind != PV_UNDO_BAR || (r->bar <= 5 && r->off <= UINT32_MAX && (r->bytes == 4 || r->bytes == 8)));
	fuzz_check(r->kind != PV_UNDO_REG ||
		   (r->off <= UINT32_MAX && r->bytes && r->bytes <= 8 && !(r->bytes & (r->bytes - 1))));
	fuzz_check(r->kind != PV_UNDO_COMMAND || (r->mask == 4 && !(r->was & ~r->mask)));
	fuzz_check(r->kind != PV_UNDO_DEVCTL || (r->mask == 0x70e0 && !(r->was & ~r->mask)));
}

static void check_record(const struct pv_undo_record *r)
{
	struct pv_undo_record again;
	char *line = written(r), *cut = strdup(line), *twice;

	fuzz_check(cut);
	cut[strlen(cut) - 1] = '\0';
	fuzz_check(pv_undo_parse(cut, &again) && same_record(r, &again));
	twice = written(&again);
	fuzz_check(!strcmp(line, twice));
	free(twice);
	free(cut);
	free(line);
}

/* ---- a journal ---- */

static int see(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct seen *s = ctx;

	if (s->n == LINES_MAX)
		return -1;
	s->line[s->n] = strdup(line);
	fuzz_check(s->line[s->n++]);
	if (r) {
		check_bounds(r);
		check_record(r);
	}
	return 0;
}

static int see_line(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct seen *s = ctx;

	fuzz_check(s->n && !strcmp(line, s->line[s->n - 1]));
	free(s->line[--s->n]);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct seen s = {0};
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	if (lines <= LINES_MAX) {
		fuzz_check(!pv_undo_each(text, false, see, &s) && s.n == lines);
		fuzz_check(!pv_undo_each(text, true, see_line, &s) && !s.n);
	}
	free(text);
	return 0;
}
