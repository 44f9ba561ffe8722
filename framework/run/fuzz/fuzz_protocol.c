/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the output of an agent, in pieces of the size in the first byte. Lines equal those of the input, the
 * message on a bad line is one printable line, and no end of the agent makes a pass that was not earned.
 */
#include "framework/run/deviations.h"
#include "framework/run/transcript.h"
#include "framework/util/fuzz/fuzz.h"
#include "framework/util/utf8.h"

/* One line of UTF-8 that cannot steer a terminal. */
static void check_line(const char *s)
{
	unsigned code;

	for (size_t n; *s; s += n) {
		n = pv_utf8_decode(s, &code);
		fuzz_check(n && code >= ' ' && code != 0x7f && !(code >= 0x80 && code < 0xa0));
	}
}

struct agent {
	struct pv_transcript t;
	bool bad;
	char why[1024];
	const uint8_t *at, *end; /* what is not read of the input */
};

/* Takes a line as the runner does. */
static void take(struct agent *a, char *line, size_t n)
{
	struct pv_error e = {0};
	enum pv_event_kind kind;
	json_object *o;

	fuzz_check(n < (size_t)(a->end - a->at) && !memcmp(line, a->at, n) && a->at[n] == '\n');
	a->at += n + 1;
	if (a->bad)
		return;
	if (pv_event_parse(line, n, &kind, &o, &e)) {
		a->bad = true;
	} else {
		a->bad = pv_transcript_add(&a->t, kind, o, &e);
		json_object_put(o);
	}
	if (!a->bad)
		return;
	fuzz_check(*e.text && e.code);
	check_line(e.text);
	snprintf(a->why, sizeof(a->why), "%s", e.text);
}

static void speak(struct agent *a, size_t piece)
{
	struct pv_lines l = {0};
	const uint8_t *from = a->at;
	const char *rest;
	size_t n;
	int ends[2];
	char *line;

	fuzz_check(!pipe(ends));
	while (from < a->end) {
		size_t left = (size_t)(a->end - from);

		piece = piece < left ? piece : left;
		fuzz_check(write(ends[1], from, piece) == (ssize_t)piece);
		fuzz_check(pv_lines_read(&l, ends[0]) == (ssize_t)piece);
		from += piece;
		while ((line = pv_lines_next(&l, &n)))
			take(a, line, n);
	}
	rest = pv_lines_rest(&l, &n);
	fuzz_check(n == (size_t)(a->end - a->at) && (!n || !memcmp(rest, a->at, n)));
	close(ends[0]);
	close(ends[1]);
	pv_lines_free(&l);
}

static void check_outcome(const struct agent *a, const struct pv_end *end, const struct pv_outcome *out)
{
	const struct pv_transcript *t = &a->t;

	check_line(out->type);
	check_line(out->message);
	fuzz_check(out->verdict == PV_PASS ? !*out->type && !*out->message : *out->type && *out->message);
	if (out->verdict == PV_PASS)
		fuzz_check(!end->cause && !end->signal && !end->status && t->hello && t->done &&
			   t->verdict == PV_PASS && t->checks && !t->n_problems);
}

static void judge(const struct agent *a)
{
	json_object *deviations = json_tokener_parse("[{\"driver\":\"fuzz\",\"id\":\"x\",\"reason\":\"\"}]");

	for (int cause = PV_END_EXIT; cause <= PV_END_UNSTARTED; cause++)
		for (int signal = 0; signal < 2; signal++) {
			struct pv_end end = {.cause = (enum pv_end_cause)cause, .signal = signal * 11};
			struct pv_outcome out, known;

			snprintf(end.detail, sizeof(end.detail), "%s", a->bad ? a->why : "it ended");
			pv_transcript_judge(&a->t, &end, &out);
			check_outcome(a, &end, &out);
			known = out;
			pv_outcome_deviate(&known, deviations, "fuzz");
			fuzz_check(out.verdict != PV_PASS || known.verdict == PV_FAIL);
			fuzz_check(out.verdict != PV_FAIL || known.verdict == PV_SKIP);
		}
	json_object_put(deviations);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent a = {.at = data + 1, .end = data + size};

	if (!size)
		return 0;
	pv_transcript_begin(&a.t);
	speak(&a, 1 + data[0]);
	judge(&a);
	return 0;
}
