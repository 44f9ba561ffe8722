/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --where: each kind of field, each operator, absent fields, precedence, and messages with the position of the mistake.
 */
#include "framework/analysis/where.h"

#include <criterion/criterion.h>
#include <string.h>

#include "framework/trace/format.h"
#include "framework/util/cleanup.h"

/* A memory read of 16 DW by 01:00.0, tag 0x2a, address 0x4_0000_1040, with a PASID prefix. */
static const uint32_t read_8dw[8] = {0xffffffff, 0x91312345, 0x20000010, 0x01002aff, 0x4, 0x00001040, 0, 1000};
/* Its completion from 00:10.0, status UR. */
static const uint32_t cpl_8dw[8] = {0xffffffff, 0, 0x0a000000, 0x00802004, 0x01002a00, 0, 0, 1100};
/* Published 4DW record: MRd64 of 00:10.0, 1 DW, tag 0x10. */
static const uint32_t read_4dw[4] = {0x40200fff, 0x0080100f, 0x00000400, 0x00010148};

/* Messages of 00:10.0: Assert_INTB, local; PME_Turn_Off, broadcast; code 0x6f, which has no name, to 02:01.0. */
static const uint32_t msg_8dw[8] = {0xffffffff, 0, 0x34000000, 0x00800021, 0, 0, 0, 1200};
static const uint32_t msg_turn_off_8dw[8] = {0xffffffff, 0, 0x33000000, 0x00800019, 0, 0, 0, 1300};
static const uint32_t msg_unnamed_8dw[8] = {0xffffffff, 0, 0x32000000, 0x0080006f, 0x02080000, 0, 0, 1400};

static const struct pv_trace_stream stream = {.index = 0, .time = PV_TRACE_TIME_CLOCK};

static struct pv_trace_record record(const uint32_t *dw, size_t n)
{
	struct pv_trace_record r = {.stream = &stream, .direction = n == 8 ? PV_TRACE_INBOUND : PV_TRACE_UNKNOWN};

	cr_assert_eq(pv_record_decode(n == 8 ? PV_RECORD_8DW : PV_RECORD_4DW, dw, 64, &r.record), 0);
	r.time = 0x100000000ull + r.record.time;
	return r;
}

static bool is(const char *text, const struct pv_trace_record *r)
{
	struct pv_error e = {0};
	struct pv_where w;

	cr_assert_eq(pv_where_compile(&w, text, &e), 0, "%s: %s", text, e.text);
	return pv_where_match(&w, r);
}

struct line {
	const char *text;
	bool read, cpl;
};

static const struct line lines[] = {
	{"", true, true},
	{"kind == MRd64", true, false},
	{"kind == mrd*", true, false},
	{"kind == *l*", false, true},
	{"kind == \"Cpl\"", false, true},
	{"kind != MRd??", false, true},
	{"kind in (MWr*, Cpl, CplD)", false, true},
	{"class == np", true, false},
	{"class in (p, cpl)", false, true},
	{"format == 8dw", true, true},
	{"direction == inbound", true, true},
	{"requester == 01:00.0", true, true},
	{"requester == 01:00.1", false, false},
	{"requester == 01:*", true, true},
	{"requester == 01:00.*", true, true},
	{"completer == 00:0f.*", false, false}, /* the completer is 00:10.0 */
	{"requester in 00:1f.0..01:00.0", true, true},
	{"requester == 0x100", true, true},
	{"completer == 00:10.0", false, true},
	{"completer != 00:10.0", false, false}, /* a read has no completer */
	{"!(completer == 00:10.0)", true, false},
	{"address in 0x400001000..0x400001fff", true, false},
	{"address == 0x400001040", true, false},
	{"address >= 16GiB", true, false},
	{"address in 0x1000004KiB..0x1000005KiB", true, false},
	{"address < 0x400001040", false, false},
	{"address <= 0x400001040", true, false},
	{"address > 0x400001040", false, false},
	{"length_dw == 16", true, false},
	{"length in (1, 8..16)", true, false},
	{"length < 0", false, false},
	{"tag == 42", true, true},
	{"time > 0x1000003ff", false, true},
	{"time_raw == 1000", true, false},
	{"offset == 64", true, true},
	{"status == UR", false, true},
	{"status != SC", false, true},
	{"byte_count == 4", false, true},
	{"pasid == 0x12345", true, false},
	{"pasid_exe", true, false},
	{"!pasid_exe", false, true},
	{"pasid_pmr && pasid_exe", true, false},
	{"tc == 0", true, true},
	{"kind == MRd64 || kind == Cpl && tag == 1", true, false},
	{"(kind == MRd64 || kind == Cpl) && tag == 1", false, false},
	{"kind == Cpl && tag == 1 || tag == 42", true, true},
	{"!!(tag == 42)", true, true},
	{"first_be == 0xf&&last_be==15", true, false},
	{"prefix != 0", true, false},
	{"stream == 0", true, true},
};

Test(where, expressions_choose_records)
{
	struct pv_trace_record read = record(read_8dw, 8), cpl = record(cpl_8dw, 8);

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		cr_assert_eq(is(lines[i].text, &read), lines[i].read, "the read, '%s'", lines[i].text);
		cr_assert_eq(is(lines[i].text, &cpl), lines[i].cpl, "the completion, '%s'", lines[i].text);
	}
}

Test(where, what_a_4dw_record_does_not_keep_is_absent)
{
	static const char *const absent[] = {"tc == 0",
					     "tc != 0",
					     "td",
					     "ep",
					     "at == 0",
					     "prefix == 0",
					     "pasid == 0",
					     "direction == inbound",
					     "completer == 00:00.0"};
	struct pv_trace_record r = record(read_4dw, 4);

	cr_assert(is("kind == MRd64 && requester == 00:10.0 && tag == 0x10 && address == 0x40000010148 && ro", &r));
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		cr_assert_not(is(absent[i], &r), "%s", absent[i]);
}

Test(where, messages_are_chosen_by_name)
{
	static const struct {
		const char *text;
		bool intb, turn_off, unnamed;
	} rows[] = {
		{"message == Assert_INTB", true, false, false},
		{"message == Assert_INT*", true, false, false},
		{"message == *int*", true, false, false},
		{"message in (pm_pme, PME_Turn_Off)", false, true, false},
		{"message != PME_Turn_Off", true, false, false}, /* false for a message without a name */
		{"message == *", true, true, false},
		{"message_code == 0x6f", false, false, true},
		{"destination == 02:01.0", false, false, true},
		{"destination == 00:00.0", false, false, false},
	};
	struct pv_trace_record intb = record(msg_8dw, 8), turn_off = record(msg_turn_off_8dw, 8),
			       unnamed = record(msg_unnamed_8dw, 8);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cr_expect_eq(is(rows[i].text, &intb), rows[i].intb, "Assert_INTB, '%s'", rows[i].text);
		cr_expect_eq(is(rows[i].text, &turn_off), rows[i].turn_off, "PME_Turn_Off, '%s'", rows[i].text);
		cr_expect_eq(is(rows[i].text, &unnamed), rows[i].unnamed, "code 0x6f, '%s'", rows[i].text);
	}
}

/* ---- fields that decode writes ---- */

static const struct pv_where_field *field_of(const char *name)
{
	const struct pv_where_field *f = pv_where_fields;

	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}

/* Returns the next value of a comma-separated line. */
static const char *next_cell(char **rest)
{
	return strsep(rest, ",\n");
}

/* Returns a test that is true for every record that has the field. */
static const char *held(const char *name)
{
	static const char *const any[] = {[PV_WHERE_NUMBER] = "0", "00:00.0", "0", "*"};
	static char text[128];
	const char *value = any[field_of(name)->type];

	snprintf(text, sizeof(text), "%s == %s || %s != %s", name, value, name, value);
	return text;
}

/* Expects a field for every "name" in the record's JSON. */
static void expect_names(const struct pv_trace_record *r)
{
	char line[PV_FORMAT_MAX], name[64];

	*pv_format_by_name("jsonl")->record(line, r) = '\0';
	for (char *at = line; (at = strpbrk(at, "{,")); at++)
		if (sscanf(at + 1, "\"%63[^\"]", name) == 1)
			cr_assert_not_null(field_of(name), "decode writes %s, --where does not know it", name);
}

/*
 * Compares each cell of the record's line with --where: a value must be found, an empty cell must be an absent field.
 */
static void expect_found(const struct pv_trace_record *r, const char *head)
{
	char names[512], line[PV_FORMAT_MAX], text[256], *name_at = names, *cell_at = line;
	const char *name, *cell;

	snprintf(names, sizeof(names), "%s", head);
	*pv_format_by_name("csv")->record(line, r) = '\0';
	while (*(name = next_cell(&name_at))) {
		cell = next_cell(&cell_at);
		cr_assert_not_null(field_of(name), "decode writes %s, --where does not know it", name);
		/* --where has the prefix as a raw word, even if it is 0 or no PASID. */
		if (!*cell && strcmp(name, "prefix"))
			cr_assert_not(is(held(name), r), "%s is not in %s", name, line);
		if (!*cell)
			continue;
		snprintf(text, sizeof(text), "%s == %s", name, cell);
		cr_assert(is(text, r), "'%s' of type %u, fmt %u", text, r->record.tlp.type, r->record.tlp.fmt);
		snprintf(text, sizeof(text), "%s != %s", name, cell);
		cr_assert_not(is(text, r), "'%s' of type %u, fmt %u", text, r->record.tlp.type, r->record.tlp.fmt);
	}
}

/* Tries every Fmt and Type in both formats, with random other bits. */
Test(where, every_field_that_decode_writes_is_found_by_its_value)
{
	const char *head = pv_format_by_name("csv")->head;
	uint32_t dw[8], seed = 1;

	for (unsigned n = 0; n < 4 * 256; n++) {
		for (unsigned i = 0; i < 8; i++) {
			seed = seed * 1664525 + 1013904223;
			dw[i] = seed ^ seed >> 15;
		}
		if (n & 1) {
			dw[0] = 0xffffffff;
			dw[1] = n & 2 ? dw[1] : 0;
			dw[2] = (dw[2] & 0xffffff) | n >> 2 << 24;
			dw[6] = 0;
		} else {
			dw[0] = (dw[0] & 0x1ffffff) | n >> 2 << 25;
			dw[0] &= ~0x400u; /* otherwise it could look like the mark of 8DW */
		}
		struct pv_trace_record r = record(dw, n & 1 ? 8 : 4);
		expect_found(&r, head);
		expect_names(&r);
	}
}

/*
 * Reads the first column of a table of docs/trace.md, after the line that begins with `from`: names into `all`,
 * separated by blanks.
 */
static void read_table(const char *from, char *all, size_t size)
{
	_autofclose_ FILE *f = fopen(TRACE_MD, "r");
	char line[512];
	bool inside = false;
	size_t len = 0;

	cr_assert_not_null(f, TRACE_MD);
	*all = '\0';
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, from, strlen(from)))
			inside = true;
		else if (inside && *line != '|')
			break;
		if (!inside || !strncmp(line, from, strlen(from)) || line[1] == '-')
			continue;
		*strchr(line + 1, '|') = '\0';
		for (char *w = strtok(line + 1, " ,`()"); w && len < size; w = strtok(NULL, " ,`()"))
			len += (size_t)snprintf(all + len, size - len, " %s", w);
	}
	len += (size_t)snprintf(all + len, size - len, " ");
	cr_assert_lt(len, size);
}

static bool lists(const char *all, const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(all, word);
}

Test(where, the_document_lists_the_fields_that_there_are)
{
	char decode[1024], where[1024], names[512], *rest = names;
	const char *name;

	read_table("| field | of |", decode, sizeof(decode));
	read_table("| fields | values |", where, sizeof(where));
	snprintf(names, sizeof(names), "%s", pv_format_by_name("csv")->head);
	while (*(name = next_cell(&rest)))
		cr_expect(lists(decode, name), "docs/trace.md does not say that decode writes %s", name);
	for (const struct pv_where_field *f = pv_where_fields; f->name; f++)
		cr_expect(lists(where, f->name), "docs/trace.md does not say that --where knows %s", f->name);
	for (char *w = strtok(where, " "); w; w = strtok(NULL, " "))
		cr_expect(field_of(w) || !strcmp(w, "length") || !strcmp(w, "bytes"), "--where does not know %s", w);
}

static const struct {
	const char *text, *says;
} mistakes[] = {
	{"knd == MRd", "character 1: there is no field 'knd'; did you mean 'kind'? There are: kind class"},
	{"tag == 1 && reqester == 1", "character 13: there is no field 'reqester'; did you mean 'requester'?"},
	{"color == 1", "character 1: there is no field 'color'; there are: kind class"},
	{"kind == MRx*", "character 9: no kind is named 'MRx*'; there are: undefined MRd32"},
	{"kind == MRd46", "no kind is named 'MRd46'; did you mean 'MRd64'? There are: undefined"},
	{"kind in (MRd64, CpID)", "character 17: no kind is named 'CpID'; did you mean 'CplD'?"},
	{"message == PMPME", "no message is named 'PMPME'; did you mean 'PM_PME'? There are: Unlock"},
	{"kind < MRd", "character 7: the values of kind are names"},
	{"kind", "character 5: expected an operator"},
	{"kind = MRd64", "character 6: equality is '=='"},
	{"kind == ", "character 9: expected a name of kind"},
	{"requester == 01:20.0", "character 14: expected a function as bb:dd.f"},
	{"requester == 01:00.8", "f 0 to 7"},
	{"requester == 01:0", "character 14: expected a function as bb:dd.f"},
	{"requester == 100:00.0", "character 14: expected a function"},
	{"requester == 0x10000", "character 14: expected a function"},
	{"address == 0x1ffff0000ffff0000f", "expected a number below 2^64"},
	{"address == 99999999TiB", "above 2^64"},
	{"address == 1KiBMiB", "expected a number, got '1KiBMiB'"},
	{"address == 12ab", "expected a number, got '12ab'"},
	{"address in 5..4", "character 12: the range ends before it begins"},
	{"tag in (1, 2", "expected ',' or ')'"},
	{"(tag == 1", "expected ')'"},
	{"tag == 1 tag == 2", "character 10: expected && or ||"},
	{"tag == 1 &&", "expected a field, got the end"},
	{"&& tag == 1", "character 1: expected a field, got '&&'"},
	{"kind == 'MRd64", "expected a name"},
	{"length in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) && tga == 1",
	 "; before it: ' 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) && '"},
};

Test(where, a_mistake_at_the_begin_has_nothing_before_it)
{
	struct pv_error e = {0};
	struct pv_where w;

	cr_assert_neq(pv_where_compile(&w, "&& tag == 1", &e), 0);
	cr_expect_str_eq(e.text, "--where, character 1: expected a field, got '&&'");
}

Test(where, mistakes_are_told_with_their_place)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct pv_error e = {0};
		struct pv_where w;

		/* A copy of exact size, so that ASan sees reads beyond the end. */
		char *text = strdup(mistakes[i].text);

		cr_assert_neq(pv_where_compile(&w, text, &e), 0, "%s", text);
		free(text);
		cr_assert_neq(strstr(e.text, mistakes[i].says), NULL, "'%s': expected '%s', got '%s'", mistakes[i].text,
			      mistakes[i].says, e.text);
	}
}

/* Returns `part` repeated n times. */
static const char *repeat(const char *part, size_t n)
{
	static char text[1 << 16];
	size_t len = strlen(part);

	cr_assert_lt(n * len, sizeof(text));
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, part, len);
	text[n * len] = '\0';
	return text;
}

Test(where, depth_and_length_are_bounded)
{
	struct pv_error e = {0};
	struct pv_where w;

	cr_assert_neq(pv_where_compile(&w, repeat("(", 40000), &e), 0);
	cr_assert_neq(strstr(e.text, "more than 32 parentheses"), NULL, "%s", e.text);
	cr_assert_neq(pv_where_compile(&w, repeat("!", 40000), &e), 0);
	cr_assert_neq(strstr(e.text, "more than 32 parentheses"), NULL, "%s", e.text);
	cr_assert_neq(pv_where_compile(&w, repeat("tag == 1 || ", 1000), &e), 0);
	cr_assert_neq(strstr(e.text, "too long"), NULL, "%s", e.text);
	cr_assert_neq(pv_where_compile(&w, repeat("tag in (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1) || ", 20), &e), 0);
	cr_assert_neq(strstr(e.text, "too many values"), NULL, "%s", e.text);
}

Test(where, a_failed_program_chooses_all_and_null_too)
{
	struct pv_trace_record r = record(read_8dw, 8);
	struct pv_where w;

	cr_assert_neq(pv_where_compile(&w, "tag == 1 tag", NULL), 0);
	cr_assert(pv_where_is_all(&w));
	cr_assert(pv_where_match(NULL, &r));
}
