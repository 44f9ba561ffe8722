/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the law: nothing judges that does not rest on a statement. */
#include <criterion/criterion.h>
#include <string.h>

#include "framework/law/law.h"

static bool is_own(const struct pv_requirement *r)
{
	return !strncmp(r->id, "FW-", 3) || !strcmp(r->id, "LW-FA-01");
}

/* The promises of the framework itself are shown by its own tests, and no device is judged by them. */
Test(law, every_requirement_but_the_frameworks_own_rests_on_a_statement)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		cr_expect_eq(*r->rests == NULL, is_own(r), "%s rests on %s", r->id, *r->rests ? *r->rests : "nothing");
}

Test(law, what_is_unpublished_judges_nobody_alone)
{
	const struct pv_statement *out[32];

	for (const struct pv_requirement *r = pv_requirements; r->id; r++) {
		const char *const ids[] = {r->id, NULL};
		size_t n = pv_law_rests(ids, out, 32), published = 0;

		for (size_t i = 0; i < n; i++)
			published += out[i]->how != PV_KNOWN_UNPUBLISHED;
		cr_expect(published || is_own(r), "%s", r->id);
	}
}

Test(law, whatever_the_models_cannot_show_says_where_it_is_shown)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		cr_expect_eq(r->needs != PV_NEEDS_MODEL, r->shown != NULL, "%s", r->id);
}

Test(law, linux_ids_need_linux_and_framework_ids_its_own_tests)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++) {
		bool linux_only = strstr(r->id, "-LX-") || !strncmp(r->id, "LX-", 3) || !strcmp(r->id, "MP-PO-06");

		cr_expect_eq(r->needs == PV_NEEDS_LINUX, linux_only, "%s", r->id);
		cr_expect_eq(r->needs == PV_NEEDS_SELF, is_own(r), "%s", r->id);
	}
}

Test(law, an_entry_is_found_by_its_id)
{
	const struct pv_statement *s = pv_statement_find("F-C2");

	cr_assert_not_null(s);
	cr_expect_eq(s->how, PV_KNOWN_TEXT);
	cr_expect_eq(strncmp(s->source, "CXL ", 4), 0, "%s", s->source);
	cr_expect_not_null(strstr(s->text, "threshold"));
	cr_expect_not_null(pv_requirement_find("CP-CT-04"));
	cr_expect_null(pv_statement_find("F-C"));
	cr_expect_null(pv_requirement_find(""));
}

Test(law, requirements_rest_on_each_statement_once)
{
	const char *const ids[] = {"PTT-TR-02", "PTT-TR-03", "PTT-TR-01", "PTT-XX-99", NULL};
	const struct pv_statement *out[2] = {0};

	cr_expect_eq(pv_law_rests(ids, out, 2), 2);
	cr_expect_str_eq(out[0]->id, "F-P25");
	cr_expect_str_eq(out[1]->id, "F-P26");
	cr_expect_eq(pv_law_rests(ids, out, 1), 1, "no more than fits");
	cr_expect_eq(pv_law_rests(NULL, out, 2), 0);
}

/* The generator cuts the text where the next sentence begins, and not at the dots of a number. */
Test(law, a_sentence_is_the_first_of_its_text)
{
	for (const struct pv_statement *s = pv_statements; s->id; s++) {
		size_t n = strlen(s->sentence);

		cr_expect_eq(strncmp(s->text, s->sentence, n), 0, "%s", s->id);
		cr_expect(n > 20 && strchr(".:", s->sentence[n - 1]), "%s: %s", s->id, s->sentence);
		cr_expect(!s->text[n] || s->text[n] == ' ', "%s: %s", s->id, s->sentence);
	}
}
