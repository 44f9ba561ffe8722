/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace, decoded to text, JSON Lines, CSV and the dump: as many lines as records, the same from three
 * threads as from one, each line of JSON an object that json-c takes, each line of CSV with the columns of the first.
 */
#include <json-c/json.h>

#include "framework/trace/fuzz/walk.h"
#include "framework/trace/output.h"

static char *output_of(const uint8_t *data, size_t size, pv_output_fn *fn, const void *ctx, unsigned jobs, size_t *n)
{
	bool compat = fn == pv_output_dump && ctx;
	struct pv_trace *t = pv_trace_open_memory(data, size, &(struct pv_trace_options){.all = compat});
	int fd = fuzz_file(NULL, 0);
	char *text;

	fuzz_check(t && !pv_trace_output(t, fn, ctx, jobs, fd));
	pv_trace_close(t);
	text = fuzz_contents(fd, n);
	close(fd);
	return text;
}

/* With `twice`, also on three threads. */
static char *checked_output(const uint8_t *data, size_t size, pv_output_fn *fn, const void *ctx, bool twice)
{
	size_t n, again_n;
	char *text = output_of(data, size, fn, ctx, 1, &n), *again;

	fuzz_check(strlen(text) == n && (!n || text[n - 1] == '\n'));
	if (!twice)
		return text;
	again = output_of(data, size, fn, ctx, 3, &again_n);
	fuzz_check(n == again_n && !memcmp(text, again, n));
	free(again);
	return text;
}

/* Cuts the next line off; NULL: the end. */
static char *next_line(char **text)
{
	char *line = *text;

	if (!*line)
		return NULL;
	*text = strchr(line, '\n');
	*(*text)++ = '\0';
	return line;
}

static unsigned count(const char *line, char c)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == c;
	return n;
}

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	fuzz_check(json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_int));
	return json_object_get_uint64(v);
}

/* The fields that every record has, and one that some have, say what the record says. */
static void check_json(const char *line, const struct pv_trace_record *r)
{
	struct json_object *o = json_tokener_parse_verbose(line, &(enum json_tokener_error){0}), *v = NULL;

	fuzz_check(json_object_is_type(o, json_type_object));
	fuzz_check(number(o, "offset") == r->record.offset);
	fuzz_check(r->stream->time ? number(o, "time") == r->time : !json_object_object_get_ex(o, "time", NULL));
	fuzz_check(number(o, "fmt") == r->record.tlp.fmt && number(o, "type") == r->record.tlp.type);
	if (r->record.tlp.kind != PV_TLP_UNDEFINED)
		fuzz_check(number(o, "tag") == r->record.tlp.tag);
	if (pv_tlp_kinds[r->record.tlp.kind].has_address)
		fuzz_check(json_object_object_get_ex(o, "address", &v) &&
			   strtoull(json_object_get_string(v), NULL, 16) == r->record.tlp.address);
	json_object_put(o);
}

static void check_csv(const char *line, const char *head, const struct pv_trace_record *r)
{
	fuzz_check(count(line, ',') == count(head, ','));
	fuzz_check(strtoull(line, NULL, 10) == r->record.offset);
}

static void check_format(const uint8_t *data, size_t size, const struct pv_format *f, bool twice, const struct walk *w)
{
	char *text = checked_output(data, size, pv_output_records, f, twice), *at = text, *line;
	size_t n = 0;

	if (f->first && *at)
		fuzz_check(!strncmp(next_line(&at), "# Time is ", 10));
	for (; (line = next_line(&at)); n++) {
		fuzz_check(n < w->n && strlen(line) < PV_FORMAT_MAX);
		if (!strcmp(f->name, "jsonl"))
			check_json(line, &w->records[n]);
		else if (!strcmp(f->name, "csv"))
			check_csv(line, f->head, &w->records[n]);
		else
			fuzz_check(strtoull(line, NULL, 10) == w->records[n].record.offset);
	}
	fuzz_check(n == w->n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct walk w = walk_memory(data, size);

	if (!w.trace)
		return 0;
	/* Threads cost more than all the rest: one output of the five has them. */
	for (const struct pv_format *f = pv_formats; f->name; f++)
		check_format(data, size, f, size % 5 == (size_t)(f - pv_formats), &w);
	free(checked_output(data, size, pv_output_dump, NULL, size % 5 == 3));
	free(checked_output(data, size, pv_output_dump, "compat", size % 5 == 4));
	walk_end(&w);
	return 0;
}
