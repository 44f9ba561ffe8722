/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of requirements and docs/requirements.md say the same. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "framework/plan/plan.h"

static size_t table_size(void)
{
	size_t n = 0;

	while (pv_requirements[n].id)
		n++;
	return n;
}

/* "PTT-TR-01": groups of capitals and digits, the last one digits only. */
static size_t id_length(const char *s)
{
	size_t n = 0, dashes = 0;

	while (isupper((unsigned char)s[n]) || isdigit((unsigned char)s[n]) || (s[n] == '-' && n)) {
		dashes += s[n] == '-';
		n++;
	}
	return dashes && n > 2 && isdigit((unsigned char)s[n - 1]) && isdigit((unsigned char)s[n - 2]) ? n : 0;
}

static const struct pv_requirement *find(const char *id, size_t len)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		if (strlen(r->id) == len && !strncmp(r->id, id, len))
			return r;
	return NULL;
}

/* Calls fn for each "- ID text"; several requirements may share a line. */
static size_t each_in_docs(void (*fn)(const char *id, size_t len, const char *text))
{
	char line[2048];
	size_t n = 0;
	FILE *f = fopen("docs/requirements.md", "r");

	cr_assert_not_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "- ", 2))
			continue;
		for (const char *s = line + 2; *s; s++) {
			size_t len = s[-1] == ' ' ? id_length(s) : 0;

			if (!len || s[len] != ' ')
				continue;
			fn(s, len, s + len + 1);
			n++;
			s += len;
		}
	}
	fclose(f);
	return n;
}

static void expect_in_table(const char *id, size_t len, const char *text)
{
	const struct pv_requirement *r = find(id, len);

	cr_expect_not_null(r, "%.*s is not in requirements.def", (int)len, id);
	if (r)
		cr_expect(!strncmp(r->text, text, strlen(r->text)), "%s: the table says '%s', the document '%s'", r->id,
			  r->text, text);
}

Test(requirements, every_requirement_of_the_document_is_in_the_table_word_by_word)
{
	cr_expect_eq(each_in_docs(expect_in_table), table_size());
}

Test(requirements, ids_are_unique)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		cr_expect_eq(find(r->id, strlen(r->id)), r, "%s", r->id);
}

Test(requirements, whatever_the_models_cannot_show_has_a_reason)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		cr_expect_eq(r->needs != PV_NEEDS_MODEL, r->reason != NULL, "%s", r->id);
}

Test(requirements, linux_ids_need_linux_and_framework_ids_its_own_tests)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++) {
		bool linux_only = strstr(r->id, "-LX-") || !strncmp(r->id, "LX-", 3) || !strcmp(r->id, "MP-PO-06");

		cr_expect_eq(r->needs == PV_NEEDS_LINUX, linux_only, "%s", r->id);
		cr_expect_eq(r->needs == PV_NEEDS_SELF, !strncmp(r->id, "FW-", 3), "%s", r->id);
	}
}
