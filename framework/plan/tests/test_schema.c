/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxml2 with the XML Schema of `validate --schema` and our own checks must agree on every value and on every plan:
 * both come from the same tables.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "framework/plan/tests/loaded.h"
#include "framework/plan/xml.h"
#include "framework/schema/schema.h"

static void ignore(void *ctx, const char *fmt, ...)
{
}

static xmlSchemaPtr compile(const char *xsd, size_t len)
{
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewMemParserCtxt(xsd, (int)len);
	xmlSchemaPtr schema = xmlSchemaParse(parser);

	xmlSchemaFreeParserCtxt(parser);
	return schema;
}

static bool valid(xmlSchemaPtr schema, xmlDocPtr doc)
{
	xmlSchemaValidCtxtPtr ctxt = xmlSchemaNewValidCtxt(schema);

	xmlSchemaSetValidErrors(ctxt, ignore, ignore, NULL);
	int result = xmlSchemaValidateDoc(ctxt, doc);
	xmlSchemaFreeValidCtxt(ctxt);
	return result == 0;
}

/* Prints the schema into *text, which the caller frees. */
static void print_xsd(char **text)
{
	size_t len = 0;
	FILE *f = open_memstream(text, &len);

	pv_schema_xsd(&pv_plan_schema, f);
	fclose(f);
}

/* Returns the schema with an additional element <all-types>, which has one attribute of each type. */
static xmlSchemaPtr probing_schema(void)
{
	char *text = NULL, *plain = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	print_xsd(&plain);
	int end = (int)(strstr(plain, "</xs:schema>") - plain);
	fprintf(f, "%.*s<xs:element name=\"all-types\"><xs:complexType>", end, plain);
	for (const struct pv_type *t = pv_types; t < pv_types + PV_TYPES; t++)
		if (pv_schema_uses(&pv_plan_schema, t))
			fprintf(f, "<xs:attribute name=\"%s\" type=\"%s\"/>", t->name, t->name);
	fputs("</xs:complexType></xs:element></xs:schema>", f);
	fclose(f);
	xmlSchemaPtr schema = compile(text, len);
	free(text);
	free(plain);
	return schema;
}

static bool libxml_accepts(xmlSchemaPtr schema, const char *type, const char *value)
{
	xmlDocPtr doc = xmlNewDoc(BAD_CAST "1.0");
	xmlNodePtr probe = xmlNewNode(NULL, BAD_CAST "all-types");

	xmlDocSetRootElement(doc, probe);
	xmlNewProp(probe, BAD_CAST type, BAD_CAST value);
	bool good = valid(schema, doc);
	xmlFreeDoc(doc);
	return good;
}

static const char *const values[] = {
	"",
	" ",
	"a",
	"A",
	"0",
	"1",
	"2",
	"3",
	"4",
	"5",
	"6",
	"7",
	"8",
	"9",
	"15",
	"16",
	"31",
	"32",
	"64",
	"65",
	"127",
	"128",
	"255",
	"256",
	"299",
	"512",
	"1000",
	"4096",
	"65535",
	"65536",
	"99999",
	"100000",
	"999999",
	"1000000",
	"18446744073709551615",
	"123456789012345678901",
	"-1",
	"--1",
	"+1",
	"0x",
	"0x0",
	"0xf",
	"0x1f",
	"0x20",
	"0xff",
	"0x100",
	"0xffff",
	"0x10000",
	"0xfffff",
	"0x100000",
	"0xffffffffffffffff",
	"0x11111111111111111",
	"0xg",
	"1.5",
	".5",
	"1.",
	"1.0000000001",
	"-0.5",
	"1KiB",
	"16MiB",
	"3GiB",
	"2TiB",
	"64..512",
	"64...512",
	"64..",
	"1K",
	"2.5G",
	"2.5",
	"yes",
	"no",
	"Yes",
	"EINVAL",
	"einval",
	"E",
	"00:10.0",
	"0000:00:10.0",
	"00:20.0",
	"00:1f.7",
	"00:1f.8",
	"0:1f.7",
	"nic0",
	"nic0.1",
	"-nic",
	"nic 0",
	"a b",
	"a  b",
	" a",
	"a ",
	"model",
	"model qemu",
	" model  qemu ",
	"modle",
	"PTT-TR-01",
	"PTT-TR-01 CP-CT-01",
	"${x}",
	"a${x}b",
	"$x",
	"${",
	"rx_memory_read,lane=4",
	"eventid=0x1,type=1",
	"lane=?",
	"mwr64",
	"mwr64:3",
	"mwr64:3 mrd64",
	"mwr64:",
	"mwr65",
	"SC",
	"D2H Req",
	"D2H  Req",
	"all",
	"1 2 0x3",
	"act",
	"act pre",
	"0x1e98:0x10",
	"1:2",
	"L1",
	"L2",
	"tune-busy",
	"power",
	"power surprise",
	"plug",
	"config",
	"bar0",
	"bar6",
	"p np",
	"cpl",
	"safe",
	"perf",
	"performance",
	"identity",
	"increasing",
	"oracle",
	"truncated",
	"read",
	"hdm",
	"hdm bank",
	"none",
	"level=0",
	"level=0 dir=2",
	"level",
	"=1",
	"kernel",
	"in",
	"out",
	"tlps",
	"cpu",
	"memory",
	"\xc3\xa9",
	"a\xc3\xa9",
};

/* XML Schema cannot express limits such as ranges of numbers, so it may accept more. */
static void expect_same_verdicts(xmlSchemaPtr schema, struct pv_type *t)
{
	bool exact = !t->max && !t->valid && (!t->item || !t->item->valid);
	unsigned accepted = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool parameter = t->parameters && strstr(values[i], "${");
		bool own = parameter || pv_type_accepts(t, values[i]);
		bool theirs = libxml_accepts(schema, t->name, values[i]);

		cr_expect(own == theirs || (!exact && !own), "type %s, value '%s': own %d, libxml2 %d", t->name,
			  values[i], own, theirs);
		accepted += own;
	}
	cr_expect(accepted, "no value above is a %s", t->name);
}

Test(schema, libxml2_accepts_the_same_values)
{
	xmlSchemaPtr schema = probing_schema();

	cr_assert_not_null(schema);
	for (struct pv_type *t = pv_types; t < pv_types + PV_TYPES; t++)
		if (pv_schema_uses(&pv_plan_schema, t))
			expect_same_verdicts(schema, t);
	xmlSchemaFree(schema);
}

/* Rules between attributes are xs:appinfo, which libxml2 ignores. */
static bool is_rule(const char *text)
{
	return strstr(text, " of the attributes ") != NULL;
}

static void note_problem(void *ctx, const struct pv_error *e)
{
	*(bool *)ctx |= !is_rule(e->text);
}

/* Returns true for plans with a mistake that no pattern can express. */
static bool is_beyond(const char *file)
{
	static const char *const files[] = {"/errno.xml", "/regex.xml", "/regex-repetitions.xml", "/number-limit.xml",
					    "/type-list.xml"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(strrchr(file, '/'), files[i]))
			return true;
	return false;
}

static void judge(xmlSchemaPtr schema, const char *file)
{
	bool bad = false;
	struct pv_arena arena = {0};
	struct pv_problems problems = {.report = note_problem, .ctx = &bad};
	struct pv_xml *root = pv_xml_read(file, &arena, &problems);
	xmlDocPtr doc = root ? xmlReadFile(file, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR) : NULL;

	if (doc) {
		bool theirs_bad = !valid(schema, doc);

		pv_xml_check(root, &pv_plan_schema, strcmp(root->name, "topology") ? "plan" : "topology", &problems);
		cr_expect(bad == theirs_bad || (bad && is_beyond(file)), "%s: own verdict %s, libxml2's is another",
			  file, bad ? "bad" : "good");
	}
	xmlFreeDoc(doc);
	pv_arena_free(&arena);
}

Test(schema, libxml2_judges_plans_alike)
{
	char *text = NULL;
	glob_t g;

	print_xsd(&text);
	xmlSchemaPtr schema = compile(text, strlen(text));
	cr_assert_not_null(schema);
	glob("framework/plan/tests/bad/*.xml", 0, NULL, &g);
	glob("framework/plan/tests/good/*.xml", GLOB_APPEND, NULL, &g);
	glob("scenarios/*.xml", GLOB_APPEND, NULL, &g);
	glob("fixtures/topologies/*.xml", GLOB_APPEND, NULL, &g);
	cr_assert_gt(g.gl_pathc, 90);
	for (size_t i = 0; i < g.gl_pathc; i++)
		judge(schema, g.gl_pathv[i]);
	globfree(&g);
	xmlSchemaFree(schema);
	free(text);
}

static void expect_good_defaults(const struct pv_element_decl *e)
{
	pv_attr_foreach (a, e)
		cr_expect(!a->value || (!a->required && pv_attr_accepts(a, a->value)), "<%s %s=\"%s\">", e->name,
			  a->name, a->value);
}

Test(schema, defaults_are_values_of_their_types)
{
	pv_element_foreach (e, &pv_plan_schema)
		expect_good_defaults(e);
}

static char *read_all(const char *file)
{
	char *text = NULL;
	size_t len = 0;
	FILE *in = fopen(file, "r"), *out = open_memstream(&text, &len);

	cr_assert_not_null(in, "%s", file);
	for (int c; (c = getc(in)) != EOF;)
		putc(c, out);
	fclose(in);
	fclose(out);
	return text;
}

/* CONTRIBUTING.md: reports, CI servers and terminals show names in one line. */
enum { NAME_MAX_BYTES = 72 };

/* Users' plans have their own requirements; the cases of this project verify requirements with ids. */
Test(schema, each_case_of_ours_verifies_something)
{
	glob_t g;

	cr_assert_eq(glob("scenarios/*.xml", 0, NULL, &g), 0);
	struct loaded *l = load_files((const char *const *)g.gl_pathv, g.gl_pathc, NULL);
	cr_assert(l->plans && l->plans->n_cases > 1000);
	for (size_t i = 0; i < l->plans->n_cases; i++)
		cr_expect_not_null(l->plans->cases[i]->verifies[0], "%s/%s", l->plans->cases[i]->plan_name,
				   l->plans->cases[i]->name);
	loaded_free(l);
	globfree(&g);
}

static bool is_known(const struct pv_plans *plans, const char *plan, const char *name)
{
	for (size_t i = 0; i < plans->n_cases; i++) {
		const struct pv_case *c = plans->cases[i];

		for (const char *const *f = c->formerly; !strcmp(c->plan_name, plan) && *f; f++)
			if (!strcmp(*f, name))
				return true;
	}
	return false;
}

/* Rows whose values changed: histories know their cases by the old ones. */
Test(schema, cases_of_ours_are_known_by_the_values_that_their_rows_had)
{
	static const struct {
		const char *plan, *name;
	} cases[] = {
		{"dwc-lanes", "lane[lane=15,zero=yes,least=0]"},
		{"dwc-lanes", "lane-out-of-range[pmu=dwc_rootport_90,lane=7]"},
		{"dwc-lanes", "lane-of-a-narrow-link[lane=15,errno=0]"},
		{"perf-abi", "probe-without-memory[pmu=cxl_pmu_mem0.0,event=d2h_req_rdcurr,failed=5,load=yes]"},
		{"perf-tool", "stat[event=cxl_pmu_mem0.0/d2h_req_rdcurr/]"},
		{"ptt-trace-filters", "names[filter=rp0 rp1,requests=48]"},
	};
	glob_t g;

	cr_assert_eq(glob("scenarios/*.xml", 0, NULL, &g), 0);
	struct loaded *l = load_files((const char *const *)g.gl_pathv, g.gl_pathc, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect(is_known(l->plans, cases[i].plan, cases[i].name), "%s/%s", cases[i].plan, cases[i].name);
	loaded_free(l);
	globfree(&g);
}

Test(schema, each_case_of_ours_has_a_short_name)
{
	glob_t g;

	cr_assert_eq(glob("scenarios/*.xml", 0, NULL, &g), 0);
	struct loaded *l = load_files((const char *const *)g.gl_pathv, g.gl_pathc, NULL);
	cr_assert(l->plans && l->plans->n_cases > 1000);
	for (size_t i = 0; i < l->plans->n_cases; i++) {
		const struct pv_case *c = l->plans->cases[i];

		cr_expect_leq(strlen(c->plan_name) + 1 + strlen(c->name), NAME_MAX_BYTES,
			      "%s/%s: longer than %d bytes: give its rows a name or a key", c->plan_name, c->name,
			      NAME_MAX_BYTES);
	}
	loaded_free(l);
	globfree(&g);
}

Test(schema, the_reference_in_docs_is_up_to_date)
{
	char *now = NULL, *docs = read_all("docs/plan-reference.md");
	size_t len = 0;
	FILE *f = open_memstream(&now, &len);

	pv_schema_reference(&pv_plan_schema, f);
	fclose(f);
	cr_expect(!strcmp(now, docs), "run: build/pcieval validate --reference > docs/plan-reference.md");
	free(now);
	free(docs);
}
