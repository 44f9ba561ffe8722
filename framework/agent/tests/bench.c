/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts on the fake target. */
#include "framework/agent/tests/bench.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/oracle/tests/make.h"

#define WORD_MAX 256

static const char topology[] =
	"{\"nodes\":["
	"{\"id\":0,\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:01.0\",\"range_lower\":\"00:10.0\",\"range_upper\":"
	"\"00:10.0\"},"
	"{\"id\":1,\"kind\":\"ptt\",\"name\":\"ptt1\",\"bdf\":\"00:02.0\",\"core\":1,\"range_lower\":\"00:11.0\","
	"\"range_upper\":"
	"\"00:11.0\"},"
	"{\"id\":2,\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"secondary\":1,\"subordinate\":1},"
	"{\"id\":3,\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":2},"
	"{\"id\":4,\"kind\":\"root-port\",\"name\":\"rp1\",\"bdf\":\"00:11.0\",\"secondary\":2,\"subordinate\":2},"
	"{\"id\":5,\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"02:00.0\",\"parent\":4}]}";

static uint64_t ptt_register(void *ctx, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	return bar == PV_RULE_CONFIG && off == PCI_VENDOR_ID ? PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16 : 0;
}

static void open_bench(struct pv_bench *b)
{
	struct pv_error e = {0};
	json_object *o = json_tokener_parse(topology);

	cr_assert_eq(pv_topology_parse(o, &b->topology, &e), 0, "%s", e.text);
	json_object_put(o);
	b->fake = (struct pv_fake){.base.topology = b->topology, .ledger = make_ledger()};
	b->fake.rules = pv_rules_new(&(struct pv_rule_machine){NULL, ptt_register});
	pv_fake_target(&b->fake);
	b->emit.out = open_memstream(&b->events, &b->size);
	cr_assert(b->fake.ledger != NULL && b->fake.rules != NULL && b->emit.out != NULL);
	b->s = (struct pv_session){.t = &b->fake.base,
				   .emit = &b->emit,
				   .msg = json_object_new_object(),
				   .plan = "plan",
				   .case_name = "case",
				   .driver = "reference",
				   .target = "fake",
				   .booted = true,
				   .policy = PV_MPS_DEFAULT};
}

static void free_list(struct pv_named *n)
{
	while (n) {
		struct pv_named *next = n->next;

		free(n);
		n = next;
	}
}

static void close_session(struct pv_session *s)
{
	while (s->traces)
		pv_session_drop_trace(s, s->traces->id);
	while (s->counters) {
		struct pv_counter *c = s->counters;

		s->counters = c->next;
		pv_counter_delete(c);
	}
	free_list(s->streams);
	free_list(s->marks);
	free_list(s->measures);
	while (s->perfs) {
		struct pv_perf_run *p = s->perfs;

		s->perfs = p->next;
		free(p->said);
		free(p);
	}
	pv_hotplug_history_clear(&s->history);
	json_object_put(s->msg);
}

static void remove_folder(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

static void close_bench(struct pv_bench *b)
{
	close_session(&b->s);
	if (*b->golden)
		remove_folder(b->golden);
	pv_ledger_free(b->fake.ledger);
	pv_rules_free(b->fake.rules);
	free(b->fake.before);
	free(b->fake.after);
	pv_topology_free(b->topology);
	free(b->events);
}

/* ---- scripts ---- */

static const struct pv_step_def *find_step(const char *kind, const struct pv_element_decl **decl)
{
	for (const struct pv_bench_state *d = pv_bench_states; d->step.kind; d++) {
		*decl = &d->decl;
		if (!strcmp(d->step.kind, kind))
			return &d->step;
	}
	*decl = pv_schema_step(kind);
	return pv_step_find(kind);
}

/* "name=value;name=value" */
static json_object *attributes(const struct pv_bench *b, char *text)
{
	json_object *o = json_object_new_object();
	char *save, *one;

	for (one = strtok_r(text, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
		char *value = strchr(one, '=');

		cr_assert(value != NULL, "%s: expected name=value, got \"%s\"", b->where, one);
		*value++ = 0;
		json_object_object_add(o, one, json_object_new_string(value));
	}
	return o;
}

static int run_step(struct pv_bench *b, char *text)
{
	struct pv_error e = {0};
	char *attrs = text + strcspn(text, " ");

	if (*attrs)
		*attrs++ = 0;
	const struct pv_element_decl *decl;
	const struct pv_step_def *def = find_step(text, &decl);
	cr_assert(def != NULL, "%s: no step \"%s\"", b->where, text);
	struct pv_args a = {"bench", def->kind, 1, decl, attributes(b, attrs)};
	b->s.step = &a;
	b->s.def = def;
	int end = pv_args_check(&a, &e);
	if (end)
		pv_session_problem(&b->s, PV_EMIT_ERROR, "plan", NULL, "%s", e.text);
	else
		end = def->run(&b->s, &a);
	b->s.step = NULL;
	json_object_put(a.obj);
	return end;
}

static void run_steps(struct pv_bench *b, char *script)
{
	while (script) {
		char *next = strstr(script, " | ");

		if (next)
			*next = 0;
		if (run_step(b, script))
			return;
		script = next ? next + 3 : NULL;
		b->s.n++;
	}
}

static void add_problems(struct pv_bench *b, struct pv_bench_result *r)
{
	char *save, *line;

	for (line = strtok_r(b->events, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_object *o = json_tokener_parse(line), *message;
		const char *ev = json_object_get_string(json_object_object_get(o, "ev"));
		bool told = !strcmp(ev, "problem") || !strcmp(ev, "rule");

		if (told && json_object_object_get_ex(o, "message", &message)) {
			size_t n = strlen(r->says);

			snprintf(r->says + n, sizeof(r->says) - n, "%s\n", json_object_get_string(message));
		}
		json_object_put(o);
	}
}

struct pv_bench_result pv_bench_run(const char *script)
{
	return pv_bench_run_at("script", script);
}

struct pv_bench_result pv_bench_run_at(const char *where, const char *script)
{
	struct pv_bench b = {.where = where};
	char *copy = strdup(script);

	open_bench(&b);
	run_steps(&b, copy);
	struct pv_bench_result r = {b.s.verdict, b.s.checks, ""};
	fclose(b.emit.out);
	add_problems(&b, &r);
	close_bench(&b);
	free(copy);
	return r;
}
