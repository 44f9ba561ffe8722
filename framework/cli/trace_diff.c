/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace diff`: what differs between two traces, record by record. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/cli/trace.h"
#include "framework/trace/diff.h"

struct options {
	const char *where, *ignore;
	unsigned limit;
	bool quiet;
};

static const struct pv_option options[] = {
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR",
	 "only records that EXPR chooses, of both"},
	{"ignore", 'i', PV_OPTION_TEXT, offsetof(struct options, ignore), "LIST",
	 "what need not be equal: time, tag, address,\nrequester, prefix; separated by commas"},
	{"limit", 'n', PV_OPTION_NUMBER, offsetof(struct options, limit), "N",
	 "differing records to show (default 100);\nall are counted"},
	{"quiet", 'q', PV_OPTION_FLAG, offsetof(struct options, quiet), NULL, "the sums alone"},
	{0},
};

struct printer {
	const struct options *o;
	uint64_t place, shown;
};

static void print_record(char sign, const struct pv_diff_record *d, struct pv_record *r)
{
	char text[256];

	pv_record_decode(d->format, d->bytes, d->offset, r);
	pv_record_text(r, text, sizeof(text));
	printf("%c %10" PRIu64 "  0x%08" PRIx64 "  %s\n", sign, d->number, d->offset, text);
}

/* "  tag 0x10 -> 0x11, time ..." of two records of one format. */
static void print_fields(const struct pv_record *a, const struct pv_record *b)
{
	struct pv_record_field fa[PV_RECORD_FIELDS_MAX], fb[PV_RECORD_FIELDS_MAX];
	size_t na = pv_record_fields(a, fa), nb = pv_record_fields(b, fb);
	char va[24], vb[24];
	unsigned n = 0;

	for (size_t i = 0; i < na; i++) {
		size_t j = 0;

		while (j < nb && strcmp(fa[i].name, fb[j].name))
			j++;
		if (j == nb || fa[i].value == fb[j].value)
			continue;
		printf("%s%s %s -> %s", n++ ? ", " : "                          ", fa[i].name,
		       pv_record_field_text(&fa[i], va, sizeof(va)), pv_record_field_text(&fb[j], vb, sizeof(vb)));
	}
	if (n)
		putchar('\n');
}

static void print_difference(void *ctx, uint64_t place, const struct pv_diff_record *a, const struct pv_diff_record *b)
{
	struct printer *p = ctx;
	struct pv_record ra, rb;

	if (p->o->quiet || p->shown == p->o->limit)
		return;
	if (p->place != place)
		printf("@ difference %" PRIu64 "\n", place);
	p->place = place;
	p->shown++;
	if (a)
		print_record('-', a, &ra);
	if (b)
		print_record('+', b, &rb);
	if (a && b)
		print_fields(&ra, &rb);
}

static void print_sums(const struct pv_diff_sums *s, const struct printer *p)
{
	uint64_t all = s->changed + s->only_a + s->only_b;

	if (!p->o->quiet && p->shown < all)
		printf("... %" PRIu64 " more\n", all - p->shown);
	printf("%" PRIu64 " and %" PRIu64 " records: %" PRIu64 " the same, %" PRIu64 " changed, %" PRIu64
	       " only in the first, %" PRIu64 " only in the second, in %" PRIu64 " place%s\n",
	       s->a, s->b, s->same, s->changed, s->only_a, s->only_b, s->places, s->places == 1 ? "" : "s");
}

/* The worse of two exit statuses: not judged, then different. */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

static int diff(char **paths, const struct options *o, const struct pv_where *where, unsigned mask)
{
	struct printer p = {.o = o};
	struct pv_diff_options d = {where, mask, print_difference, &p};
	struct pv_cli_trace a, b;
	struct pv_diff_sums s;
	struct pv_error e;
	int r = pv_cli_trace_open(&a, paths[0], NULL), status;

	if (r)
		return r;
	status = pv_cli_trace_open(&b, paths[1], NULL);
	if (status) {
		pv_cli_trace_close(&a, 0);
		return status;
	}
	r = pv_trace_diff(a.reader, b.reader, &d, &s, &e);
	print_sums(&s, &p);
	status = s.changed + s.only_a + s.only_b ? PV_EXIT_FAILED : PV_EXIT_PASSED;
	status = worse(status, pv_cli_trace_close(&a, r));
	return worse(status, pv_cli_trace_close(&b, r));
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.limit = 100};
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
	return diff(argv + first, &o, &where, mask);
}

const struct pv_command pv_trace_diff_command = {
	.name = "trace diff",
	.args = "FILE|- FILE|-",
	.help = "compare two traces record by record: losses, insertions, changes",
	.text = "'-' is a record of the first, '+' of the second: number, offset in the payload,\n"
		"TLP. Exit status: 0 the same, 1 different (or damaged), 3 not readable to the\n"
		"end.",
	.options = options,
	.run = run,
};
