/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XML Schema 1.0 of a language, for editors and other validators. It takes whatever pcieval takes; limits of
 * numbers and rules between attributes are beyond it: xs:appinfo tells the latter.
 */
#include <string.h>

#include "framework/schema/schema.h"

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		fputs(*text == '&'   ? "&amp;"
		      : *text == '<' ? "&lt;"
		      : *text == '"' ? "&quot;"
				     : (char[]){*text, '\0'},
		      out);
}

static void put_doc(FILE *out, const char *doc)
{
	fputs("<xs:documentation>", out);
	put_text(out, doc);
	fputs("</xs:documentation>", out);
}

/* ---- types ---- */

static void put_restriction(FILE *out, const struct pv_type *t)
{
	if (t->form == PV_TYPE_FORM_LIST) {
		fprintf(out, "<xs:restriction><xs:simpleType><xs:list itemType=\"%s\"/></xs:simpleType>",
			t->item->name);
		fputs("<xs:minLength value=\"1\"/></xs:restriction>", out);
		return;
	}
	fputs("<xs:restriction base=\"xs:string\">", out);
	if (t->pattern) {
		fputs("<xs:pattern value=\"", out);
		put_text(out, t->pattern);
		fputs("\"/>", out);
	}
	for (const char *const *v = t->values; v && *v; v++)
		fprintf(out, "<xs:enumeration value=\"%s\"/>", *v);
	if (t->synonym[0])
		fprintf(out, "<xs:enumeration value=\"%s\"/>", t->synonym[0]);
	fputs("</xs:restriction>", out);
}

static void put_type(FILE *out, const struct pv_type *t)
{
	bool either = t->parameters && t->form != PV_TYPE_FORM_ANY;

	fprintf(out, "\t<xs:simpleType name=\"%s\">\n\t\t<xs:annotation>", t->name);
	put_doc(out, t->doc);
	fputs("</xs:annotation>\n\t\t", out);
	fputs(either ? "<xs:union memberTypes=\"with-parameter\"><xs:simpleType>" : "", out);
	put_restriction(out, t);
	fputs(either ? "</xs:simpleType></xs:union>" : "", out);
	fputs("\n\t</xs:simpleType>\n", out);
}

/* ---- elements ---- */

static void put_rules(FILE *out, const struct pv_element_decl *e)
{
	static const char *const say[] = {
		[PV_RULE_ONE_OF] = "one-of", [PV_RULE_SOME_OF] = "some-of", [PV_RULE_NOT_BOTH] = "not-both"};

	for (const struct pv_rule_decl *r = e->rules; r && r->rule; r++) {
		fprintf(out, "<xs:appinfo>%s:", say[r->rule]);
		for (const char *const *a = r->attrs; *a; a++)
			fprintf(out, " %s", *a);
		fputs("</xs:appinfo>", out);
	}
}

static void put_attribute(FILE *out, const struct pv_attr_decl *a)
{
	fprintf(out, "\t\t\t<xs:attribute name=\"%s\" type=\"%s\"", a->name, a->type->name);
	if (a->value)
		fprintf(out, " default=\"%s\"", a->value);
	fprintf(out, "%s><xs:annotation>", a->required ? " use=\"required\"" : "");
	put_doc(out, a->doc);
	fputs("</xs:annotation></xs:attribute>\n", out);
}

static void put_element(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e);

static void put_children(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e)
{
	const struct pv_element_decl *c;

	if (!pv_schema_nth_child(s, e, 0))
		return;
	fputs("\t\t\t<xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n", out);
	for (unsigned i = 0; (c = pv_schema_nth_child(s, e, i)) && !pv_element_is_step(c); i++)
		if (c->within)
			put_element(out, s, c);
		else
			fprintf(out, "\t\t\t\t<xs:element ref=\"%s\"/>\n", c->name);
	fputs(e->steps ? "\t\t\t\t<xs:group ref=\"step\"/>\n" : "", out);
	fputs("\t\t\t</xs:choice>\n", out);
}

static void put_attributes(FILE *out, const struct pv_element_decl *e)
{
	pv_attr_foreach (a, e)
		put_attribute(out, a);
}

/* Puts the type of an element with children, or with text and attributes. */
static void put_content(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e)
{
	fputs("\t\t<xs:complexType>\n", out);
	if (e->text)
		fprintf(out, "\t\t\t<xs:simpleContent><xs:extension base=\"%s\">\n", e->text->name);
	else
		put_children(out, s, e);
	put_attributes(out, e);
	fprintf(out, "%s\t\t</xs:complexType>\n", e->text ? "\t\t\t</xs:extension></xs:simpleContent>\n" : "");
}

static void put_element(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e)
{
	bool plain = e->text && !e->attrs[0];

	fprintf(out, "\t<xs:element name=\"%s\"", e->name);
	if (plain)
		fprintf(out, " type=\"%s\"", e->text->name);
	fputs(">\n\t\t<xs:annotation>", out);
	put_doc(out, e->doc);
	put_rules(out, e);
	fputs("</xs:annotation>\n", out);
	if (!plain)
		put_content(out, s, e);
	fputs("\t</xs:element>\n", out);
}

static void put_step_group(FILE *out, const struct pv_schema *s)
{
	fputs("\t<xs:group name=\"step\">\n\t\t<xs:choice>\n", out);
	pv_element_foreach (e, s)
		if (pv_element_is_step(e))
			fprintf(out, "\t\t\t<xs:element ref=\"%s\"/>\n", e->name);
	fputs("\t\t</xs:choice>\n\t</xs:group>\n", out);
}

void pv_schema_xsd(const struct pv_schema *s, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
	      "\t<xs:simpleType name=\"with-parameter\">\n"
	      "\t\t<xs:restriction base=\"xs:string\"><xs:pattern value=\"(.|\\n)*[$][{](.|\\n)*\"/></xs:restriction>\n"
	      "\t</xs:simpleType>\n",
	      out);
	for (const struct pv_type *t = pv_types; t < pv_types + PV_TYPES; t++)
		if (pv_schema_uses(s, t))
			put_type(out, t);
	pv_element_foreach (e, s)
		if (!e->within)
			put_element(out, s, e);
	put_step_group(out, s);
	fputs("</xs:schema>\n", out);
}
