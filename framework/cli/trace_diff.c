/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace diff`: prints the differences of two traces, record by record. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/analysis/diff.h"
#include "framework/cli/trace.h"
#include "framework/trace/format.h"

struct options {
	const char *where, *ignore;
	struct pv_cli_reading reading;
	unsigned limit;
	bool quiet;
};

static const struct pv_option options[] = {
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR",
	 "only records that EXPR selects, in both"},
	{"ignore", 'i', PV_OPTION_TEXT, offsetof(struct options, ignore), "LIST",
	 "fields to ignore: time, tag, address, requester,\nprefix; separated by commas",
	 PV_CLI_VALUES("time", "tag", "address", "requester", "prefix")},
	{"limit", 'n', PV_OPTION_NUMBER, offsetof(struct options, limit), "N",
	 "differing records to show (default 100);\nall are counted"},
	PV_CLI_READING(struct options, reading),
	{"quiet", 'q', PV_OPTION_FLAG, offsetof(struct options, quiet), NULL, "print only the totals"},
	{0},
};

struct printer {
	const struct options *o;
	char **paths;
	const struct pv_trace_options *how;
	uint64_t place, shown;
};

enum { COLUMNS = 80, INDENT = 4 };

/* Prints the record like `trace decode`. */
static void print_record(char sign, const struct pv_diff_record *d)
{
	struct pv_trace_record r = {.stream = d->stream,
				    .direction = pv_trace_stream_direction(d->stream, d->format),
				    .time = d->time,
				    .time_at_least = d->at_least};
	char line[PV_FORMAT_MAX];

	pv_trace_decode_record(d->stream, d->format, d->bytes, d->offset, &r.record);
	*pv_format_by_name("text")->record(line, &r) = '\0';
	printf("%c%s", sign, line);
}

/* Prints one "tag 0x10 -> 0x11" of a list. Returns the column behind it. */
static int print_field(int column, const struct pv_record_field *a, const struct pv_record_field *b)
{
	char va[24], vb[24], text[96];
	int n = snprintf(text, sizeof(text), "%s %s -> %s", a->name, pv_record_field_text(a, va, sizeof(va)),
			 pv_record_field_text(b, vb, sizeof(vb)));

	if (column && column + 2 + n <= COLUMNS) {
		printf(", %s", text);
		return column + 2 + n;
	}
	printf("%s%*s%s", column ? ",\n" : "", INDENT, "", text);
	return INDENT + n;
}

/* Prints the fields that differ in two records of one kind. */
static void print_fields(const struct pv_diff_record *a, const struct pv_diff_record *b)
{
	struct pv_record_field fa[PV_RECORD_FIELDS_MAX], fb[PV_RECORD_FIELDS_MAX];
	struct pv_record ra, rb;
	size_t na, nb;
	int column = 0;

	pv_trace_decode_record(a->stream, a->format, a->bytes, a->offset, &ra);
	pv_trace_decode_record(b->stream, b->format, b->bytes, b->offset, &rb);
	na = pv_record_fields(&ra, fa);
	nb = pv_record_fields(&rb, fb);
	for (size_t i = 0; i < na; i++) {
		size_t j = 0;

		while (j < nb && strcmp(fa[i].name, fb[j].name))
			j++;
		if (j < nb && fa[i].value != fb[j].value)
			column = print_field(column, &fa[i], &fb[j]);
	}
	printf("%s", column ? "\n" : "    in bits that no field holds\n");
}

static void print_difference(void *ctx, enum pv_diff_what what, uint64_t place, const struct pv_diff_record *a,
			     const struct pv_diff_record *b)
{
	struct printer *p = ctx;

	if (p->o->quiet || p->shown == p->o->limit)
		return;
	if (p->place != place)
		printf("@ difference %" PRIu64 "\n", place);
	p->place = place;
	p->shown++;
	if (what == PV_DIFF_MOVED) {
		print_record('~', a);
		printf("    moved to %" PRIu64 "\n", b->offset);
		return;
	}
	if (a)
		print_record('-', a);
	if (b)
		print_record('+', b);
	if (a && b)
		print_fields(a, b);
}

/* Opens a trace again, to look ahead. The first reader reports problems. A pipe cannot be read twice. */
static struct pv_trace *open_again(void *ctx, bool second)
{
	const struct printer *p = ctx;
	const char *path = p->paths[second];

	return pv_cli_trace_is_file(path) ? pv_trace_open(path, p->how, NULL) : NULL;
}

static void print_sums(const struct pv_diff_sums *s, const struct printer *p)
{
	uint64_t all = s->changed + s->moved + s->only_a + s->only_b;

	if (!p->o->quiet && p->shown < all)
		printf("... %" PRIu64 " more\n", all - p->shown);
	printf("%" PRIu64 " and %" PRIu64 " records: %" PRIu64 " the same, %" PRIu64 " changed, %" PRIu64
	       " moved,\n%" PRIu64 " only in the first, %" PRIu64 " only in the second; %" PRIu64 " difference%s\n",
	       s->a, s->b, s->same, s->changed, s->moved, s->only_a, s->only_b, s->places, s->places == 1 ? "" : "s");
}

/* Returns the worse of two exit statuses: not judged is worse than different. */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* Prints the meaning of Time in each trace once, as the lines have times. */
static void print_times(const struct pv_cli_trace *a, const struct pv_cli_trace *b)
{
	printf("# Time: %s in the first, %s in the second\n", pv_cli_trace_time(a), pv_cli_trace_time(b));
}

/* Returns the data patterns of the streams that were read. */
static const char *patterns(const struct pv_trace *t)
{
	bool is[2] = {false};

	for (size_t i = 0; i < pv_trace_streams(t); i++)
		is[pv_trace_stream(t, i)->pattern != 0] = true;
	return is[0] && is[1] ? "0 and 1" : is[1] ? "1" : "0";
}

/* Says that equal words do not mean the same. */
static void print_patterns(const struct pv_trace *a, const struct pv_trace *b)
{
	const char *of_a = patterns(a), *of_b = patterns(b);

	if (strcmp(of_a, of_b))
		printf("# Data pattern: %s in the first, %s in the second; words are compared\n", of_a, of_b);
}

/* Says that streams are missing in one trace. */
static void print_streams(const struct pv_trace *a, const struct pv_trace *b)
{
	if (pv_trace_streams(a) != pv_trace_streams(b))
		printf("# Streams: %zu in the first, %zu in the second; records are compared, not their streams\n",
		       pv_trace_streams(a), pv_trace_streams(b));
}

/* Returns the direction of all streams that were read; NULL: they differ, or it is not known. */
static const char *direction(const struct pv_trace *t)
{
	const char *all = NULL;

	for (size_t i = 0; i < pv_trace_streams(t); i++) {
		const struct pv_trace_stream *s = pv_trace_stream(t, i);
		const char *one = pv_trace_direction_name(pv_trace_stream_direction(s, s->format));

		if (!one || (all && strcmp(all, one)))
			return NULL;
		all = one;
	}
	return all;
}

/* Says that equal records went opposite ways. Raw payload has no direction, so it differs from none. */
static void print_directions(const struct pv_trace *a, const struct pv_trace *b)
{
	const char *of_a = direction(a), *of_b = direction(b);

	if (of_a && of_b && strcmp(of_a, of_b))
		printf("# Direction: %s in the first, %s in the second\n", of_a, of_b);
}

static int diff(char **paths, const struct options *o, const struct pv_where *where, unsigned mask,
		const struct pv_trace_options *how)
{
	struct printer p = {.o = o, .paths = paths, .how = how};
	struct pv_diff_options d = {where, mask, print_difference, open_again, &p};
	struct pv_cli_trace a, b;
	struct pv_diff_sums s;
	struct pv_error e;
	int r = pv_cli_trace_open(&a, paths[0], how), status;

	if (r)
		return r;
	status = pv_cli_trace_open(&b, paths[1], how);
	if (status) {
		pv_cli_trace_close(&a, 0);
		return status;
	}
	r = pv_trace_diff(a.reader, b.reader, &d, &s, &e);
	print_sums(&s, &p);
	if (!o->quiet)
		print_times(&a, &b);
	print_patterns(a.reader, b.reader);
	print_streams(a.reader, b.reader);
	print_directions(a.reader, b.reader);
	status = s.places ? PV_EXIT_FAILED : PV_EXIT_PASSED;
	status = worse(status, pv_cli_trace_close(&a, r));
	return worse(status, pv_cli_trace_close(&b, r));
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.limit = 100};
	struct pv_trace_options how;
	struct pv_where where;
	struct pv_error e = {0};
	unsigned mask;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first != 2)
		return pv_cli_error("trace diff: expected two traces, got %d; see 'pcieval trace diff --help'",
				    argc - first);
	if (!strcmp(argv[first], "-") && !strcmp(argv[first + 1], "-"))
		return pv_cli_error("trace diff: standard input is one trace, not two");
	if (pv_where_compile(&where, o.where, &e))
		return pv_cli_error("%s", e.text);
	if (pv_diff_mask(o.ignore, &mask, &e))
		return pv_cli_error("--ignore: %s", e.text);
	if (pv_cli_trace_reading(&o.reading, &how))
		return PV_EXIT_USAGE;
	return diff(argv + first, &o, &where, mask, &how);
}

const struct pv_command pv_trace_diff_command = {
	.name = "trace diff",
	.args = "FILE|- FILE|-",
	.help = "compare two traces record by record: losses, insertions, changes",
	.text = "Lines are those of 'trace decode': '-' only in the first, '+' only in the\n"
		"second, '~' a record that others have passed. Exit status: 0 the\n"
		"same, 1 different (or damaged), 3 not readable to the end.",
	.options = options,
	.run = run,
};
