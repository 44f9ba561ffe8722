/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the order of an agent's events, and derives the verdict. */
#include "framework/run/transcript.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"
#include "reports/xmltext.h"

/* A case with more events is out of control, and the journal must not grow without limit. */
enum { PROBLEMS_MAX = 10000, PROBLEM_BYTES_MAX = 16 << 20, STEPS_MAX = 1000000 };

/* Truncates between characters; truncated text ends with "...". */
static void copy_line(char *out, size_t size, const char *text)
{
	static const char more[] = "...";
	_autofree_ char *line = pv_text_line(text);
	size_t n = line ? strlen(line) : 0;

	snprintf(out, size, "%s", line ? line : "");
	if (n < size)
		return;
	memcpy(out + pv_utf8_cut(line, n, size - sizeof(more)), more, sizeof(more));
}

void pv_outcome_set(struct pv_outcome *out, enum pv_verdict verdict, const char *type, const char *fmt, ...)
{
	char text[2 * PV_MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	/* A text cut here is longer than out->message: copy_line() marks the cut, unless half is ANSI sequences. */
	pv_utf8_vprint(text, sizeof(text), fmt, ap);
	va_end(ap);
	out->verdict = verdict;
	copy_line(out->type, sizeof(out->type), type);
	copy_line(out->message, sizeof(out->message), text);
}

void pv_transcript_begin(struct pv_transcript *t)
{
	memset(t, 0, sizeof(*t));
	t->step = -1;
}

/* ---- events in their order ---- */

static int add_hello(struct pv_transcript *t, json_object *event, struct pv_error *e)
{
	if (t->hello)
		return pv_error(e, -EPROTO, "it said hello twice");
	int64_t version = pv_field_int(event, "protocol");
	if (version != PV_PROTOCOL_VERSION)
		return pv_error(e, -EPROTO, "it speaks protocol %d, expected %d: use the same version on both sides",
				(int)version, PV_PROTOCOL_VERSION);
	t->hello = true;
	return 0;
}

static int add_step(struct pv_transcript *t, json_object *event, struct pv_error *e)
{
	if (++t->n_steps > STEPS_MAX)
		return pv_error(e, -EPROTO, "more than %d steps", STEPS_MAX);
	t->step = (int)pv_field_int(event, "n");
	t->step_line = (int)pv_field_int(event, "line");
	copy_line(t->step_kind, sizeof(t->step_kind), pv_json_text(event, "kind"));
	return 0;
}

static int add_problem(struct pv_transcript *t, json_object *event, struct pv_error *e)
{
	const char *message = pv_json_text(event, "message");

	t->problem_bytes += strlen(message) + strlen(pv_json_text(event, "text"));
	if (++t->n_problems > PROBLEMS_MAX || t->problem_bytes > PROBLEM_BYTES_MAX)
		return pv_error(e, -EPROTO, "too many problems for one case: %zu with %zu bytes", t->n_problems,
				t->problem_bytes);
	int verdict = pv_verdict_by_name(pv_json_text(event, "verdict"));
	struct pv_outcome *first = &t->first[verdict];
	const char *type = pv_json_text(event, "type");
	t->tainted |= !strcmp(type, "taint");
	if (!*first->type)
		pv_outcome_set(first, verdict, *type ? type : "check", "%s", message);
	return 0;
}

static int add_done(struct pv_transcript *t, json_object *event, struct pv_error *e)
{
	t->done = true;
	t->verdict = pv_verdict_by_name(pv_json_text(event, "verdict"));
	t->checks = pv_field_int(event, "checks");
	return 0;
}

static int add_nothing(struct pv_transcript *t, json_object *event, struct pv_error *e)
{
	return 0;
}

static int (*const adders[PV_EV_KINDS])(struct pv_transcript *, json_object *, struct pv_error *) = {
	[PV_EV_HELLO] = add_hello,	[PV_EV_STEP] = add_step,    [PV_EV_PROBLEM] = add_problem,
	[PV_EV_DONE] = add_done,	[PV_EV_LOG] = add_nothing,  [PV_EV_CHECK] = add_nothing,
	[PV_EV_ARTEFACT] = add_nothing, [PV_EV_RULE] = add_nothing,
};

int pv_transcript_add(struct pv_transcript *t, enum pv_event_kind kind, json_object *event, struct pv_error *e)
{
	if (t->done)
		return pv_error(e, -EPROTO, "event '%s' after its verdict", pv_event_name(kind));
	if (!t->hello && kind != PV_EV_HELLO)
		return pv_error(e, -EPROTO, "event '%s' before hello", pv_event_name(kind));
	return adders[kind](t, event, e);
}

/* ---- the verdict ---- */

enum { WORDS_MAX = 300, WHERE_MAX = WORDS_MAX + PV_TYPE_MAX + 80 };

/* The attributes of the step as the plan has them: ` id="t" format="1"`. */
static void step_words(const struct pv_transcript *t, char *out, size_t size)
{
	json_object *step = t->steps ? json_object_array_get_idx(t->steps, (size_t)t->step) : NULL;
	const char *kind = json_object_get_string(json_object_object_get(step, "kind"));
	json_object *attrs = json_object_object_get(step, "attrs");
	static const char more_there[] = " ...";
	size_t n = 0;

	*out = 0;
	if (!kind || strcmp(kind, t->step_kind) || !json_object_is_type(attrs, json_type_object))
		return;
	json_object_object_foreach(attrs, name, value)
	{
		int more = snprintf(out + n, size - n, " %s=\"%s\"", name, json_object_get_string(value));
		if (more < 0 || n + (size_t)more + sizeof(more_there) > size) {
			snprintf(out + n, size - n, "%s", more_there);
			return;
		}
		n += (size_t)more;
	}
}

static const char *where(const struct pv_transcript *t, char out[WHERE_MAX])
{
	char words[WORDS_MAX];

	if (t->done) {
		snprintf(out, WHERE_MAX, "after its verdict");
	} else if (t->step < 0) {
		snprintf(out, WHERE_MAX, "before the first step");
	} else {
		step_words(t, words, sizeof(words));
		snprintf(out, WHERE_MAX, "in step %d (%s%s, line %d)", t->step, t->step_kind, words, t->step_line);
	}
	return out;
}

/* The agent ended by itself without the verdict, or failed after it. */
static void judge_crash(const struct pv_transcript *t, const struct pv_end *end, struct pv_outcome *out)
{
	char at[WHERE_MAX];

	if (end->signal) {
		const char *name = sigabbrev_np(end->signal);

		pv_outcome_set(out, PV_ERROR, "crash", "the agent was killed by SIG%s (%s) %s", name ? name : "?",
			       strsignal(end->signal), where(t, at));
	} else if (end->status) {
		pv_outcome_set(out, PV_ERROR, "crash", "the agent exited with status %d %s, expected 0 after a verdict",
			       end->status, where(t, at));
	} else {
		pv_outcome_set(out, PV_ERROR, "incomplete", "the agent exited without a verdict %s", where(t, at));
	}
}

/* Returns a problem that is worse than the agent's verdict; NULL: there is none. */
static const struct pv_outcome *passed_over(const struct pv_transcript *t)
{
	static const enum pv_verdict by_weight[] = {PV_FAIL, PV_ERROR, PV_SKIP};

	for (size_t i = 0; i < ARRAY_SIZE(by_weight) && by_weight[i] != t->verdict; i++)
		if (*t->first[by_weight[i]].type)
			return &t->first[by_weight[i]];
	return NULL;
}

static void judge_done(const struct pv_transcript *t, struct pv_outcome *out)
{
	const char *verdict = pv_verdict_name(t->verdict);
	const struct pv_outcome *worse = t->verdict == PV_PASS ? NULL : passed_over(t);

	if (worse)
		pv_outcome_set(out, PV_ERROR, "protocol",
			       "the agent's verdict is %s, but it named a problem that is %s: %s", verdict,
			       pv_verdict_name(worse->verdict), worse->message);
	else if (t->verdict != PV_PASS && *t->first[t->verdict].type)
		*out = t->first[t->verdict];
	else if (t->verdict != PV_PASS)
		pv_outcome_set(out, PV_ERROR, "protocol", "the agent's verdict is %s, but it named no problem",
			       verdict);
	else if (t->n_problems)
		pv_outcome_set(out, PV_ERROR, "protocol", "the agent's verdict is pass, but it named %zu problem%s",
			       t->n_problems, t->n_problems == 1 ? "" : "s");
	else if (!t->checks)
		pv_outcome_set(out, PV_ERROR, "plan",
			       "the case checked nothing: expected at least one check or expectation");
	else
		pv_outcome_set(out, PV_PASS, "", "%s", "");
}

void pv_transcript_judge(const struct pv_transcript *t, const struct pv_end *end, struct pv_outcome *out)
{
	char at[WHERE_MAX];

	switch (end->cause) {
	case PV_END_TIMEOUT:
		pv_outcome_set(out, PV_ERROR, "timeout", "no verdict within %u.%03u s: stopped %s",
			       end->limit_ms / 1000, end->limit_ms % 1000, where(t, at));
		return;
	case PV_END_LINGER:
		pv_outcome_set(out, PV_ERROR, "timeout",
			       "the agent did not exit within %u.%03u s after its verdict (%s)", end->limit_ms / 1000,
			       end->limit_ms % 1000, pv_verdict_name(t->verdict));
		return;
	case PV_END_MEMORY:
		pv_outcome_set(out, PV_ERROR, "memory", "%s: stopped %s", end->detail, where(t, at));
		return;
	case PV_END_PROTOCOL:
		pv_outcome_set(out, PV_ERROR, "protocol", "%s, %s", end->detail, where(t, at));
		return;
	case PV_END_STOPPED:
		pv_outcome_set(out, PV_ERROR, "incomplete", "%s, %s", end->detail, where(t, at));
		return;
	case PV_END_UNSTARTED:
		pv_outcome_set(out, PV_ERROR, "infrastructure", "%s", end->detail);
		return;
	case PV_END_EXIT:
		break;
	}
	if (!t->done || end->signal || end->status)
		judge_crash(t, end, out);
	else
		judge_done(t, out);
}
