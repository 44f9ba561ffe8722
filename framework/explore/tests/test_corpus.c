/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States, the corpus and what is made of it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/explore/corpus.h"
#include "framework/explore/element.h"
#include "framework/explore/explore.h"
#include "framework/explore/keep.h"
#include "framework/explore/states.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

static struct pv_error e;

/* ---- states ---- */

Test(corpus, a_set_of_states_grows)
{
	struct pv_states s = {0};

	cr_expect(!pv_states_has(&s, 7));
	for (uint64_t i = 0; i < 20000; i++)
		cr_expect(pv_states_add(&s, i << 20 | 5), "%llu", (unsigned long long)i);
	cr_expect_eq(s.n, 20000u);
	cr_expect(!pv_states_add(&s, 19999ull << 20 | 5), "it is there");
	cr_expect(pv_states_has(&s, 5) && !pv_states_has(&s, 6));
	pv_states_free(&s);
}

static json_object *draw(const struct pv_explore_wish *w, uint64_t index)
{
	struct pv_explore_verdict v;
	json_object *c = pv_explore_draw(w, index, &v, &e);

	cr_assert(c, "%s", e.text);
	cr_expect(!v.bad, "case %llu: %s", (unsigned long long)index, v.message);
	return c;
}

Test(corpus, the_same_case_reaches_nothing_new_the_second_time)
{
	struct pv_states known = {0};
	const struct pv_explore_wish w = {
		.subjects = 1u << PV_EXPLORE_DWC, .steps = 20, .seed = 4, .model = true, .known = &known};
	_autojson_ json_object *first = draw(&w, 0);
	size_t n = known.n;
	_autojson_ json_object *again = draw(&w, 0);

	cr_expect_eq(json_object_object_length(json_object_object_get(first, "reached")), (int)n);
	cr_expect_null(json_object_object_get(again, "reached"));
	/* Registers, calls and the wire. */
	const char *names = pv_json_line(json_object_object_get(first, "reached"));
	cr_expect(strstr(names, "\"DWC_EVENT_CNT_CTL W 0x") && strstr(names, " after DWC_EVENT_CNT_CTL "), "%s", names);
	cr_expect(strstr(names, "\"counter-open dwc: success\"") && strstr(names, "\"wire 1 kind "), "%s", names);
	pv_states_free(&known);
}

/* ---- variations ---- */

static const unsigned dwc = 1u << PV_EXPLORE_DWC;

/* A corpus of drawn cases with the numbers from 0. */
static void fill(struct pv_corpus *k, unsigned subjects, unsigned n, bool model)
{
	static struct pv_corpus none;
	const struct pv_explore_wish w = {
		.subjects = subjects, .steps = 20, .seed = 5, .model = model, .corpus = &none};

	for (unsigned i = 0; i < n; i++)
		cr_assert(!pv_corpus_add(k, draw(&w, i), i, NULL));
}

Test(corpus, a_case_is_made_of_the_generations_before_the_last)
{
	struct pv_corpus k = {0};

	fill(&k, dwc, 3, true);
	k.entry[1].index = PV_CORPUS_GENERATION - 1;
	k.entry[2].index = PV_CORPUS_GENERATION;
	cr_expect_eq(pv_corpus_bases(&k, 2 * PV_CORPUS_GENERATION - 1), 0u);
	cr_expect_eq(pv_corpus_bases(&k, 2 * PV_CORPUS_GENERATION), 2u);
	cr_expect_eq(pv_corpus_bases(&k, 3 * PV_CORPUS_GENERATION), 3u);
	k.given = 1;
	cr_expect_eq(pv_corpus_bases(&k, 1), 1u, "what was given is there from the beginning");
	pv_corpus_free(&k);
}

static bool has_machine_of(json_object *c, const struct pv_corpus *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (json_object_equal(json_object_object_get(c, "topology"),
				      json_object_object_get(k->entry[i].c, "topology")))
			return true;
	return false;
}

/* Of 60 cases, about half are variations. They pass again as they are: the rehearsal is what runs. */
static unsigned count_variations(const struct pv_corpus *k, unsigned subjects, bool model)
{
	const struct pv_explore_wish w = {.subjects = subjects, .steps = 20, .seed = 6, .model = model, .corpus = k};
	unsigned varied = 0;

	for (uint64_t i = k->given; i < k->given + 60; i++) {
		_autojson_ json_object *c = draw(&w, i), *again = draw(&w, i);
		struct pv_explore_verdict v;

		cr_expect(json_object_equal(c, again), "case %llu", (unsigned long long)i);
		cr_expect(!pv_explore_try(c, NULL, false, &v, &e) && !v.bad, "case %llu: %s", (unsigned long long)i,
			  v.message);
		varied += has_machine_of(c, k);
	}
	return varied;
}

Test(corpus, variations_repeat_and_pass, .timeout = 120)
{
	struct pv_corpus k = {0};

	fill(&k, (1u << PV_EXPLORE_SUBJECTS) - 1, 40, true);
	k.given = k.n;
	unsigned varied = count_variations(&k, (1u << PV_EXPLORE_SUBJECTS) - 1, true);
	cr_expect(varied >= 15 && varied <= 45, "%u of 60", varied);
	cr_expect_eq(count_variations(&k, 1u << PV_EXPLORE_MPS, false), 0u,
		     "cases for the models are not for a kernel");
	pv_corpus_free(&k);
}

Test(corpus, a_session_uses_cases_of_its_subjects_only, .timeout = 120)
{
	struct pv_corpus k = {0};

	fill(&k, 1u << PV_EXPLORE_PTT | dwc, 12, true);
	k.given = k.n;
	const struct pv_explore_wish w = {.subjects = dwc, .steps = 10, .seed = 6, .model = true, .corpus = &k};
	for (uint64_t i = k.n; i < k.n + 40; i++) {
		_autojson_ json_object *c = draw(&w, i);

		cr_expect(!strstr(json_object_get_string(json_object_object_get(c, "tags")), "ptt"));
	}
	pv_corpus_free(&k);
}

/* A case of the machine of another, which waits six times in this unit. */
static void add_waits(struct pv_corpus *k, const char *unit)
{
	json_object *c = NULL, *list = json_object_new_array();

	json_object_deep_copy(k->entry[0].c, &c, NULL);
	pv_element_append(list, "boot");
	for (unsigned i = 0; i < 6; i++)
		pv_element_set(pv_element_append(list, "wait"), unit, "1");
	pv_json_add(c, "steps", list);
	cr_assert(!pv_corpus_add(k, c, k->n, NULL));
}

/* <wait> takes ns or us. */
Test(corpus, arguments_that_exclude_each_other_are_not_mixed)
{
	struct pv_corpus k = {0};
	const struct pv_explore_wish w = {.subjects = dwc, .steps = 1, .seed = 6, .model = true, .corpus = &k};

	fill(&k, dwc, 1, true);
	add_waits(&k, "ns");
	add_waits(&k, "us");
	k.given = k.n;
	for (uint64_t i = k.n; i < k.n + 60; i++) {
		_autojson_ json_object *c = draw(&w, i);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t s = 0; s < json_object_array_length(steps); s++) {
			json_object *x = json_object_array_get_idx(steps, s);

			cr_expect(!pv_element_get(x, "ns") || !pv_element_get(x, "us"), "case %llu, step %zu",
				  (unsigned long long)i, s);
		}
	}
	pv_corpus_free(&k);
}

/* perf would start the member at once. */
Test(corpus, no_variation_for_a_kernel_joins_a_running_group)
{
	static const char *const steps[][3] = {
		{"boot"}, {"counter-open", "c0"}, {"counter-start", "c0"}, {"counter-open", "c1"}};
	struct pv_corpus k = {0};

	fill(&k, dwc, 1, false);
	json_object *list = json_object_new_array();
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		json_object *x = pv_element_append(list, steps[i][0]);

		if (!steps[i][1])
			continue;
		pv_element_set(x, "id", "%s", steps[i][1]);
		if (i != 2) {
			pv_element_set(x, "pmu", "dwc_rootport_80");
			pv_element_set(x, "event", "rx_memory_read,lane=0");
		}
		if (i == 3)
			pv_element_set(x, "group", "c0");
	}
	pv_json_add(k.entry[0].c, "steps", list);
	k.given = 1;
	const struct pv_explore_wish w = {.subjects = dwc, .steps = 4, .seed = 6, .corpus = &k};
	_autojson_ json_object *c = draw(&w, 0);
	const char *text = pv_json_line(json_object_object_get(c, "steps"));
	cr_expect(strstr(text, "counter-start"), "%s", text);
	cr_expect(!strstr(text, "\"group\""), "%s", text);
	pv_corpus_free(&k);
}

/* Linux 6.12 would use what it has freed. */
Test(corpus, no_variation_for_a_kernel_takes_a_pmu_with_open_events)
{
	struct pv_corpus k = {0};

	fill(&k, dwc, 1, false);
	json_object *list = json_object_new_array(), *x;
	pv_element_append(list, "boot");
	x = pv_element_append(list, "counter-open");
	pv_element_set(x, "id", "c0");
	pv_element_set(x, "pmu", "dwc_rootport_80");
	pv_element_set(x, "event", "rx_memory_read,lane=0");
	x = pv_element_append(list, "hotplug");
	pv_element_set(x, "action", "remove");
	pv_element_set(x, "device", "rp0");
	pv_json_add(k.entry[0].c, "steps", list);
	k.given = 1;
	const struct pv_explore_wish w = {.subjects = dwc, .steps = 3, .seed = 6, .corpus = &k};
	_autojson_ json_object *c = draw(&w, 0);
	const char *text = pv_json_line(json_object_object_get(c, "steps"));
	cr_expect(strstr(text, "counter-open"), "%s", text);
	cr_expect(!strstr(text, "\"hotplug\""), "%s", text);
	pv_corpus_free(&k);
}

/* Steps are drawn from what the driver has, which there is only after a boot. */
Test(corpus, a_variation_without_a_boot_gets_one)
{
	struct pv_corpus k = {0};

	fill(&k, dwc, 1, true);
	json_object *list = json_object_new_array();
	pv_element_set(pv_element_append(list, "wait"), "ns", "5");
	pv_json_add(k.entry[0].c, "steps", list);
	k.given = 1;
	const struct pv_explore_wish w = {.subjects = dwc, .steps = 30, .seed = 6, .model = true, .corpus = &k};
	for (uint64_t i = 1; i < 40; i++) {
		_autojson_ json_object *c = draw(&w, i);
		const char *text = json_object_to_json_string(json_object_object_get(c, "steps"));

		cr_expect(strstr(text, "\"boot\"") || !strstr(text, "counter"), "%s", text);
	}
	pv_corpus_free(&k);
}

/* ---- what is kept ---- */

struct kept {
	unsigned n;
	json_object *c, *states;
};

static int keep(void *ctx, json_object *c, json_object *states, struct pv_error *err)
{
	struct kept *k = ctx;

	(void)err;
	json_object_put(k->c);
	json_object_put(k->states);
	k->n++;
	k->c = json_object_get(c);
	k->states = json_object_get(states);
	return 0;
}

static size_t steps_of(json_object *c)
{
	return json_object_array_length(json_object_object_get(c, "steps"));
}

static uint64_t any_of(const struct pv_states *s)
{
	size_t i = 0;

	while (!s->slot[i])
		i++;
	return s->slot[i];
}

/* Two times the same case: the second one is enough. */
Test(corpus, a_kept_case_is_small_and_still_reaches_its_states, .timeout = 120)
{
	struct pv_corpus k = {0};
	struct kept kept = {0};
	const struct pv_keeping keeping = {.tries = 60, .keep = keep, .ctx = &kept};
	struct pv_states reached = {0};
	struct pv_explore_verdict v;

	fill(&k, dwc, 1, true);
	cr_assert(!pv_corpus_add(&k, json_object_get(k.entry[0].c), 1, NULL));
	cr_assert(!pv_explore_follow(k.entry[0].c, &reached, &v, &e));
	for (unsigned i = 0; i < 2; i++) {
		k.entry[i].states = json_object_new_object();
		pv_json_uint(k.entry[i].states, "one", any_of(&reached));
	}
	cr_assert(!pv_explore_keep(&k, &keeping, &e), "%s", e.text);
	cr_assert_eq(kept.n, 1u, "%u", kept.n);
	cr_expect_lt(steps_of(kept.c), steps_of(k.entry[0].c) / 2);
	cr_expect_str_eq(pv_element_kind(json_object_array_get_idx(json_object_object_get(kept.c, "steps"),
								   steps_of(kept.c) - 1)),
			 "check-rules");
	struct pv_states small = {0};
	cr_assert(!pv_explore_follow(kept.c, &small, &v, &e));
	cr_expect(pv_states_has(&small, json_object_get_uint64(json_object_object_get(kept.states, "one"))));
	json_object_put(kept.c);
	json_object_put(kept.states);
	pv_states_free(&small);
	pv_states_free(&reached);
	pv_corpus_free(&k);
}

/* ---- files ---- */

#define HEAD "<?xml version=\"1.0\"?>\n<plan name=\"p\">\n <description>d</description>\n"
#define BODY                                                             \
	"<description>d</description><topology><root-port name=\"rp0\" " \
	"bdf=\"00:10.0\"/></topology><boot/><check-rules/></case>\n"

static const char *const files[][2] = {
	{"", "x.xml:1"},
	{"not XML", "x.xml:1"},
	{HEAD " <case name=\"a\" tags=\"explore dwc\"><description>d</descr", "x.xml:4"},
	{HEAD " <case name=\"a\" tags=\"smoke\">" BODY "</plan>", "x.xml:4: expected a case that was drawn by explore"},
	{HEAD " <case name=\"a\" tags=\"explore\">" BODY "</plan>", "x.xml:4: expected tags that name a subject"},
	{HEAD " <case name=\"a\" tags=\"explore dwc\">" BODY "<case name=\"b\" tags=\"explore dwc\">" BODY "</plan>",
	 "x.xml: expected one case that was drawn by explore, got 2 cases"},
	{HEAD " <case name=\"a\" tags=\"explore dwc\"><description>d</description><boot/><check-rules/></case></plan>",
	 "x.xml:4: <case> 'a' runs on"},
	{HEAD " <case name=\"a\" tags=\"explore dwc\"><description>d</description><leap/></case></plan>", "x.xml:4"},
};

Test(corpus, files_that_are_none_of_a_corpus_are_refused)
{
	char folder[] = "/tmp/corpus.XXXXXX", path[64];

	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.xml", folder);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct pv_corpus k = {0};
		FILE *f = fopen(path, "w");

		fputs(files[i][0], f);
		fclose(f);
		cr_expect_lt(pv_corpus_load(&k, folder, false, &e), 0, "file %zu", i);
		cr_expect(strstr(e.text, files[i][1]), "file %zu: %s", i, e.text);
		cr_expect_eq(k.n, 0u);
		pv_corpus_free(&k);
	}
	cr_assert(!truncate(path, 2 << 20));
	struct pv_corpus k = {0};
	cr_expect_lt(pv_corpus_load(&k, folder, false, &e), 0);
	cr_expect(strstr(e.text, "x.xml: expected a file of at most 1048576 bytes"), "%s", e.text);
	pv_remove_all(folder);
	cr_expect_eq(pv_corpus_load(&k, folder, false, &e), 0, "the folder to write is made later");
	cr_expect_lt(pv_corpus_load(&k, folder, true, &e), 0, "one to read must be there");
	pv_corpus_free(&k);
}
