/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of use: which ones the driver has broken so far, judged where a plan says so and told at the end of every case.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/agent/checks.h"
#include "framework/law/law.h"

enum { TEXT = 320 };

static size_t broken(const struct pv_session *s, const struct pv_rule_break **out)
{
	return pv_rules_broken(s->t->truth->ops->rules(s->t->truth), out);
}

/* Describes the break, and quotes the line of the register log. */
static void tell(const struct pv_session *s, const struct pv_rule_break *b, char text[TEXT])
{
	const struct pv_rule_access *a = &b->access;
	char space[8] = "config";

	if (a->bar != PV_RULE_CONFIG)
		snprintf(space, sizeof(space), "bar%d", a->bar);
	snprintf(text, TEXT, "%s: access %" PRIu64 ", %s %s %c%u 0x%04x 0x%0*" PRIx64, b->text, a->number,
		 pv_bdf_text(a->bdf).s, space, a->write ? 'W' : 'R', a->bytes, a->off, (int)(2 * a->bytes), a->value);
}

void pv_rules_tell(struct pv_session *s)
{
	const struct pv_rule_break *list;
	char text[TEXT];
	size_t n = pv_has(s->t->truth, rules) ? broken(s, &list) : 0;

	for (size_t i = 0; i < n; i++) {
		tell(s, &list[i], text);
		pv_emit_rule(s->emit, list[i].rule, list[i].count, text);
	}
}

static int do_check_rules(struct pv_session *s, const struct pv_args *a)
{
	const char *except = pv_arg_has(a, "except") ? pv_arg_text(a, "except") : "";
	const struct pv_rule_break *list;
	char text[TEXT];
	unsigned judged = 0;

	if (!pv_has(s->t->truth, rules))
		return pv_session_unsupported(s, "log of the driver's register accesses");
	if (!pv_rules_accesses(s->t->truth->ops->rules(s->t->truth)))
		return pv_session_plan_error(
			s, "expected register accesses of the driver, got none: the check proves nothing");
	size_t n = broken(s, &list);
	for (size_t i = 0; i < n; i++) {
		if (pv_word_in(except, list[i].rule))
			continue;
		tell(s, &list[i], text);
		const struct pv_statement *rule = pv_statement_find(list[i].rule);

		pv_session_judge(s, false, rule->text, "rule %s (%s: %s): expected no break, got %" PRIu64 ": %s",
				 rule->id, pv_known_name(rule->how), rule->source, list[i].count, text);
		judged++;
	}
	return judged ? 0 : pv_session_judge(s, true, NULL, "no rule of use was broken");
}

const struct pv_step_def pv_steps_rules[] = {
	{"check-rules", do_check_rules, PV_STEP_DRIVER | PV_STEP_CHECK},
	{NULL},
};
