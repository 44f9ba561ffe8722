/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any line as a case message for the agent, on the model: whatever it asks for, the agent says what the protocol
 * allows, in its order, up to its verdict. Numbers are kept small, or a case takes as long as it likes, and files stay
 * where they are.
 */
#include <ctype.h>

#include "framework/agent/agent.h"
#include "framework/run/transcript.h"
#include "framework/util/fuzz/fuzz.h"
#include "framework/util/json.h"

#define DIGITS	  4
#define STEPS_MAX 24

/* At most DIGITS digits in a row, and no units behind them. */
static void shorten(char *s)
{
	size_t digits = 0;
	char *to = s;

	for (; *s; s++) {
		digits = isdigit((unsigned char)*s) ? digits + 1 : 0;
		if (digits > DIGITS || ((*s | 0x20) == 'i' && s[1] == 'B') || (strchr("KMGx", *s) && s[1] != 'R'))
			continue;
		*to++ = *s;
	}
	*to = '\0';
}

static void shorten_attrs(json_object *step)
{
	json_object *attrs = NULL;

	if (!json_object_is_type(step, json_type_object) || !json_object_object_get_ex(step, "attrs", &attrs) ||
	    !json_object_is_type(attrs, json_type_object))
		return;
	json_object_object_foreach(attrs, name, v)
	{
		char *text;

		if (!json_object_is_type(v, json_type_string) ||
		    strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v))
			continue;
		text = strdup(json_object_get_string(v));
		fuzz_check(name && text);
		/* Sizes, counts and times; an event's config and filters may be what they are. */
		if (!strchr(text, '='))
			shorten(text);
		json_object_set_string(v, text);
		free(text);
	}
}

/* The message as it may be run; NULL: not at all. */
static json_object *tamed(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	json_object *o = json_tokener_parse(text), *steps = NULL;

	free(text);
	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return NULL;
	}
	json_object_object_del(o, "folder");
	json_object_object_del(o, "golden");
	json_object_object_del(o, "far"); /* a command */
	json_object_object_get_ex(o, "steps", &steps);
	if (!json_object_is_type(steps, json_type_array))
		return o;
	if (json_object_array_length(steps) > STEPS_MAX)
		json_object_array_del_idx(steps, STEPS_MAX, json_object_array_length(steps) - STEPS_MAX);
	for (size_t i = 0; i < json_object_array_length(steps); i++)
		shorten_attrs(json_object_array_get_idx(steps, i));
	return o;
}

/* Returns the agent's answer to a line. */
static char *say(const char *line, size_t size, size_t *n)
{
	FILE *in = fmemopen((void *)line, size ? size : 1, "r"), *out;
	char *text = NULL;

	out = open_memstream(&text, n);
	fuzz_check(in && out);
	pv_agent_serve(in, out);
	fuzz_check(!fclose(in) && !fclose(out));
	return text;
}

static void listen(char *said, size_t size)
{
	struct pv_transcript t;
	struct pv_outcome out;

	pv_transcript_begin(&t);
	for (char *line = said, *end; line < said + size; line = end + 1) {
		struct pv_error e = {0};
		enum pv_event_kind kind;
		json_object *o = NULL;

		end = memchr(line, '\n', (size_t)(said + size - line));
		fuzz_check(end);
		*end = '\0';
		if (pv_event_parse(line, (size_t)(end - line), &kind, &o, &e) || pv_transcript_add(&t, kind, o, &e)) {
			fprintf(stderr, "%s\n", e.text);
			abort();
		}
		json_object_put(o);
	}
	fuzz_check(t.done);
	pv_transcript_judge(&t, &(struct pv_end){.cause = PV_END_EXIT}, &out);
	fuzz_check(out.verdict == t.verdict); /* the runner sees no reason to doubt it */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_object *message = tamed(data, size);
	const char *line = message ? pv_json_line(message) : (const char *)data;
	size_t length = message ? strlen(line) : size, n;
	char *said = say(line, length, &n);

	listen(said, n);
	free(said);
	json_object_put(message);
	return 0;
}
