/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.xsd is the truth: libxml2, which knows all of XML Schema, and the loader's own reading of the file must
 * come to the same verdict on every value and on every plan.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "framework/plan/schema.h"
#include "framework/plan/tests/loaded.h"

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

static struct pv_schema *own_schema(void)
{
	struct pv_problems problems = {0};
	struct pv_schema *s = pv_schema_load(pv_plan_xsd, pv_plan_xsd_bytes, &problems);

	cr_assert_not_null(s, "plan.xsd has %u mistakes", problems.count);
	return s;
}

/* The schema with an element <all-types> that has one attribute of each type. */
static xmlSchemaPtr probing_schema(const struct pv_schema *s)
{
	char *text = NULL;
	size_t len = 0, end = (size_t)(strstr(pv_plan_xsd, "</xs:schema>") - pv_plan_xsd);
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%.*s<xs:element name=\"all-types\"><xs:complexType>", (int)end, pv_plan_xsd);
	for (const struct pv_type *t = s->types; t; t = t->next)
		fprintf(f, "<xs:attribute name=\"%s\" type=\"%s\"/>", t->name, t->name);
	fputs("</xs:complexType></xs:element></xs:schema>", f);
	fclose(f);
	xmlSchemaPtr schema = compile(text, len);
	free(text);
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

Test(schema, both_readings_accept_the_same_values)
{
	struct pv_schema *s = own_schema();
	xmlSchemaPtr schema = probing_schema(s);

	cr_assert_not_null(schema);
	for (struct pv_type *t = s->types; t; t = t->next) {
		unsigned accepted = 0;

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			if (!strcmp(t->name, "with-parameter"))
				continue; /* its pattern is libxml2's alone */
			bool parameter = t->parameters && strstr(values[i], "${");
			bool own = parameter || pv_type_accepts(t, values[i]);
			bool theirs = libxml_accepts(schema, t->name, values[i]);
			cr_expect_eq(own, theirs, "type %s, value '%s': own %d, libxml2 %d", t->name, values[i], own,
				     theirs);
			accepted += own;
		}
		cr_expect(accepted || !strcmp(t->name, "with-parameter"), "no value above is a %s", t->name);
	}
	xmlSchemaFree(schema);
	pv_schema_free(s);
}

/* Rules between attributes are xs:appinfo, which libxml2 does not judge. */
static bool is_rule(const char *text)
{
	return strstr(text, " of the attributes ") != NULL;
}

static void note_problem(void *ctx, const struct pv_error *e)
{
	*(bool *)ctx |= !is_rule(e->text);
}

static void judge(struct pv_schema *s, xmlSchemaPtr schema, const char *file)
{
	bool bad = false;
	struct pv_arena arena = {0};
	struct pv_problems problems = {.report = note_problem, .ctx = &bad};
	struct pv_xml *root = pv_xml_read(file, &arena, &problems);
	xmlDocPtr doc = root ? xmlReadFile(file, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR) : NULL;

	if (doc) {
		pv_schema_check(s, root, strcmp(root->name, "topology") ? "plan" : "topology", &problems);
		cr_expect_eq(!bad, valid(schema, doc), "%s: own verdict %s, libxml2's is another", file,
			     bad ? "bad" : "good");
	}
	xmlFreeDoc(doc);
	pv_arena_free(&arena);
}

Test(schema, both_readings_judge_plans_alike)
{
	struct pv_schema *s = own_schema();
	xmlSchemaPtr schema = compile(pv_plan_xsd, pv_plan_xsd_bytes);
	glob_t g;

	cr_assert_not_null(schema);
	glob("framework/plan/tests/bad/*.xml", 0, NULL, &g);
	glob("framework/plan/tests/good/*.xml", GLOB_APPEND, NULL, &g);
	glob("scenarios/*.xml", GLOB_APPEND, NULL, &g);
	glob("fixtures/topologies/*.xml", GLOB_APPEND, NULL, &g);
	cr_assert_gt(g.gl_pathc, 90);
	for (size_t i = 0; i < g.gl_pathc; i++)
		judge(s, schema, g.gl_pathv[i]);
	globfree(&g);
	xmlSchemaFree(schema);
	pv_schema_free(s);
}

Test(schema, defaults_are_values_of_their_types)
{
	struct pv_schema *s = own_schema();

	for (const struct pv_element_decl *e = s->elements; e; e = e->next)
		for (const struct pv_attr_decl *a = e->attrs; a; a = a->next)
			cr_expect(!a->value || (!a->required && (pv_type_accepts(a->type, a->value) ||
								 !strcmp(a->type->name, "targets"))),
				  "<%s %s=\"%s\">", e->name, a->name, a->value ? a->value : "");
	pv_schema_free(s);
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

/* Whoever writes a plan of their own has requirements of their own; what this project promises has ids. */
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

Test(schema, the_reference_in_docs_is_up_to_date)
{
	struct pv_schema *s = own_schema();
	char *now = NULL, *docs = read_all("docs/plan-reference.md");
	size_t len = 0;
	FILE *f = open_memstream(&now, &len);

	pv_schema_reference(s, f);
	fclose(f);
	cr_expect(!strcmp(now, docs), "run: build/pcieval validate --reference > docs/plan-reference.md");
	free(now);
	free(docs);
	pv_schema_free(s);
}

Test(schema, every_element_and_attribute_is_in_the_reference)
{
	struct pv_schema *s = own_schema();
	char *docs = read_all("docs/plan-reference.md"), want[128];

	for (const struct pv_element_decl *e = s->elements; e; e = e->next) {
		snprintf(want, sizeof(want), "### %s\n\n%.40s", e->name, e->doc);
		const char *at = strstr(docs, want);
		cr_expect_not_null(at, "<%s>", e->name);
		for (const struct pv_attr_decl *a = e->attrs; at && a; a = a->next) {
			snprintf(want, sizeof(want), "| `%s`", a->name);
			cr_expect_not_null(strstr(at, want), "<%s %s>", e->name, a->name);
		}
	}
	free(docs);
	pv_schema_free(s);
}

Test(schema, a_mistake_in_a_schema_is_reported)
{
	static const char *const mistakes[] = {
		"<xs:element name='a'/>",
		"<xs:simpleType name='t'><xs:restriction/></xs:simpleType>",
		"<xs:simpleType name='t'><xs:annotation><xs:documentation>d</xs:documentation></xs:annotation>"
		"<xs:restriction><xs:maxLength value='1'/></xs:restriction></xs:simpleType>",
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct pv_problems problems = {0};
		char text[512];

		snprintf(text, sizeof(text), "<xs:schema xmlns:xs='x'>%s</xs:schema>", mistakes[i]);
		cr_expect_null(pv_schema_load(text, strlen(text), &problems), "%s", mistakes[i]);
		cr_expect_gt(problems.count, 0, "%s", mistakes[i]);
	}
}
