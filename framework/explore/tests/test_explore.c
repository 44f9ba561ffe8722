/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing, signatures, and plans of what was drawn. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "framework/explore/element.h"
#include "framework/explore/explore.h"
#include "framework/explore/session.h"
#include "framework/explore/shrink.h"

static const char *signature(const char *type, const char *message)
{
	static char out[PV_SIGNATURE_SIZE];
	struct pv_explore_verdict v = {.bad = true};

	snprintf(v.type, sizeof(v.type), "%s", type);
	snprintf(v.message, sizeof(v.message), "%s", message);
	return pv_explore_signature(&v, out);
}

Test(explore, failures_that_differ_in_numbers_names_and_place_are_one)
{
	const char *of_a_case = "case:0: check-counter: counter c12: expected 7 (wire), got 0: dwc_rootport_80/L1/";
	const char *of_a_plan =
		"found/finding-1.xml:17: check-counter: counter c1: expected 42 (wire), got 1: dwc_rootport_88/L0/";
	char first[PV_SIGNATURE_SIZE];

	snprintf(first, sizeof(first), "%s", signature("check", of_a_case));
	cr_expect_str_eq(signature("check", of_a_plan), first);
	cr_expect_str_eq(first, "check: check-counter: counter # expected # (wire), got # #");
}

Test(explore, other_steps_other_errors_and_other_types_are_others)
{
	char first[PV_SIGNATURE_SIZE];

	snprintf(first, sizeof(first), "%s",
		 signature("errno",
			   "case:0: counter-open: opening counter c1 on dwc_rootport_80: expected success, got EBUSY"));
	cr_expect_str_neq(signature("errno", "case:0: counter-start: starting counter c1 on dwc_rootport_80: expected "
					     "success, got EBUSY"),
			  first);
	cr_expect_str_neq(signature("crash", "case:0: counter-open: opening counter c1 on dwc_rootport_80: expected "
					     "success, got EBUSY"),
			  first);
}

Test(explore, an_error_is_a_part_of_the_signature)
{
	char first[PV_SIGNATURE_SIZE];

	snprintf(first, sizeof(first), "%s",
		 signature("errno", "case:0: counter-open: opening counter c1 on cxl_pmu_mem0.0: expected success, got "
				    "EBUSY"));
	cr_expect_str_eq(first, "errno: counter-open: opening counter # on # expected success, got EBUSY");
	cr_expect_str_neq(signature("errno", "case:0: counter-open: opening counter c1 on cxl_pmu_mem0.0: expected "
					     "success, got EINVAL"),
			  first);
}

/* Draws case i; the caller puts it. */
static json_object *draw(const struct pv_explore_wish *w, uint64_t i, struct pv_explore_verdict *v)
{
	struct pv_error e;
	json_object *c = pv_explore_draw(w, i, v, &e);

	cr_assert(c, "case %u: %s", (unsigned)i, e.text);
	return c;
}

Test(explore, the_same_number_is_the_same_case)
{
	for (uint64_t i = 0; i < 12; i++) {
		const struct pv_explore_wish w = {
			.subjects = 1u << i % PV_EXPLORE_SUBJECTS, .steps = 20, .seed = 9, .model = true};
		struct pv_explore_verdict v;
		_autojson_ json_object *a = draw(&w, i, &v);
		_autojson_ json_object *b = draw(&w, i, &v);

		cr_expect(json_object_equal(a, b), "case %llu", (unsigned long long)i);
		cr_expect(!v.bad, "%s", v.message);
	}
}

/* Registers close to their end, several lanes with a clear between, and what stands there out of reset. */
Test(explore, registers_show_what_few_cases_of_a_driver_do, .timeout = 120)
{
	static const char *const defects[][2] = {{"dwc-wrap-saturates"},
						 {"dwc-clear-all-lanes"},
						 {"dwc-time-reset-0"},
						 {"dwc-torn-high"},
						 {"cpmu-lost-at-overflow"}};
	const struct pv_explore_wish w = {
		.subjects = 1u << PV_EXPLORE_REGISTERS, .steps = 30, .seed = 1, .model = true};
	unsigned found = 0;

	for (uint64_t i = 0; i < 400 && found != 0x1f; i++) {
		struct pv_explore_verdict v;
		struct pv_error e;
		_autojson_ json_object *c = draw(&w, i, &v);

		cr_assert(!v.bad, "%s", v.message);
		for (unsigned k = 0; k < ARRAY_SIZE(defects); k++)
			if (!(found >> k & 1) && !pv_explore_try(c, defects[k], false, &v, &e) && v.bad)
				found |= 1u << k;
	}
	for (unsigned k = 0; k < ARRAY_SIZE(defects); k++)
		cr_expect(found >> k & 1, "%s is not found", defects[k][0]);
}

/* The last step before step k that opens, starts, stops or closes a counter; "": none. */
static const char *last_of(json_object *steps, size_t k, const char *counter)
{
	const char *last = "";

	for (size_t i = 0; counter && i < k; i++) {
		json_object *x = json_object_array_get_idx(steps, i);
		const char *id = pv_element_get(x, "id");

		if (id && !strcmp(id, counter) && strncmp(pv_element_kind(x), "check", 5) &&
		    strcmp(pv_element_kind(x), "counter-read"))
			last = pv_element_kind(x);
	}
	return last;
}

static const char *leader_of(json_object *steps, const char *counter)
{
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		json_object *x = json_object_array_get_idx(steps, i);
		const char *id = pv_element_get(x, "id");

		if (id && !strcmp(id, counter) && !strcmp(pv_element_kind(x), "counter-open"))
			return pv_element_get(x, "group");
	}
	return NULL;
}

/* Whether this step closes a leader that does not run and has open members. */
static bool closes_a_leader_at_rest(json_object *steps, size_t k)
{
	const char *id = pv_element_get(json_object_array_get_idx(steps, k), "id");
	const char *last = last_of(steps, k, id);

	if (strcmp(pv_element_kind(json_object_array_get_idx(steps, k)), "counter-close") ||
	    !strcmp(last, "counter-start"))
		return false;
	for (size_t i = 0; i < k; i++) {
		json_object *x = json_object_array_get_idx(steps, i);
		const char *group = pv_element_get(x, "group");

		if (group && !strcmp(group, id) && !pv_element_get(x, "expect") &&
		    strcmp(last_of(steps, k, pv_element_get(x, "id")), "counter-close"))
			return true;
	}
	return false;
}

/* No member joins a group that runs, and none starts before its leader; no PMU goes with open events. */
static void check_counter_step(json_object *steps, size_t k)
{
	json_object *x = json_object_array_get_idx(steps, k);
	const char *kind = pv_element_kind(x), *expect = pv_element_get(x, "expect");

	cr_expect_str_neq(last_of(steps, k, pv_element_get(x, "group")), "counter-start");
	if (strncmp(kind, "counter-", 8))
		return;
	cr_expect(!expect || !strcmp(kind, "counter-open") || strcmp(expect, "ENODEV"), "%s", kind);
	const char *leader = !strcmp(kind, "counter-start") ? leader_of(steps, pv_element_get(x, "id")) : NULL;
	const char *last = leader ? last_of(steps, k, leader) : "counter-start";
	cr_expect(!strcmp(last, "counter-start") || !strcmp(last, "counter-close"), "%s", last);
}

/* Whether nothing but closes is between this step and the check of the rules, or the step before a removal. */
static bool closes_all(json_object *steps, size_t k)
{
	const char *kind = "counter-close";

	while (!strcmp(kind, "counter-close"))
		kind = pv_element_kind(json_object_array_get_idx(steps, k++));
	return !strcmp(kind, "check-rules") || !strcmp(kind, "hotplug");
}

static void check_link_state(json_object *steps, size_t k)
{
	json_object *x = json_object_array_get_idx(steps, k);

	for (size_t i = 0; i < k && !strcmp(pv_element_kind(x), "link-state"); i++) {
		json_object *before = json_object_array_get_idx(steps, i);

		cr_expect(strcmp(pv_element_kind(before), "link-state") ||
				  strcmp(pv_element_get(before, "port"), pv_element_get(x, "port")),
			  "two states of one link");
	}
}

/* A kernel gets no case that it cannot run, or that Linux does not know. */
Test(explore, cases_for_a_kernel_move_whole_cards_in_slots, .timeout = 120)
{
	const struct pv_explore_wish w = {
		.subjects = 1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_DWC, .steps = 30, .seed = 3};
	unsigned removals = 0;

	for (uint64_t i = 0; i < 120; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		cr_expect(!strstr(json_object_to_json_string(c), "lacks-events"));
		cr_expect(!strstr(json_object_to_json_string(c), "0x0720"));
		for (size_t k = 0; k < json_object_array_length(steps); k++) {
			json_object *x = json_object_array_get_idx(steps, k);
			const char *device = pv_element_get(x, "device");

			check_counter_step(steps, k);
			check_link_state(steps, k);
			if (strcmp(pv_element_kind(x), "hotplug") || !device)
				continue;
			removals++;
			cr_expect(!strchr(device, '.') && strncmp(device, "vf", 2), "%s", device);
		}
	}
	cr_expect_gt(removals, 0u);
}

/* perf would let its members count nothing. */
Test(explore, no_leader_of_a_kernel_closes_at_rest, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_DWC, .steps = 50, .seed = 3};

	for (uint64_t i = 0; i < 200; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 0; k < json_object_array_length(steps); k++)
			cr_expect(!closes_a_leader_at_rest(steps, k) || closes_all(steps, k), "case %u, step %zu",
				  (unsigned)i, k);
	}
}

/* perf says nothing of a driver that cannot start. */
Test(explore, a_trace_that_cannot_start_is_enabled_under_a_kernel, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_PTT, .steps = 30, .seed = 3};

	for (uint64_t i = 0; i < 40; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 0; k < json_object_array_length(steps); k++) {
			json_object *x = json_object_array_get_idx(steps, k);
			const char *expect = pv_element_get(x, "expect");

			cr_expect(strcmp(pv_element_kind(x), "trace-enable") || !expect || !strcmp(expect, "ENODEV"),
				  "%s", expect);
		}
		cr_expect(!v.bad, "%s", v.message);
	}
}

/*
 * Under a kernel, a case that chooses both sizes of a trace is skipped, perf shares counters where the reference driver
 * has none left, and it starts what is stopped when its CPU goes.
 */
static void check_kernel_step(json_object *steps, size_t k)
{
	json_object *x = json_object_array_get_idx(steps, k);
	const char *kind = pv_element_kind(x), *expect = pv_element_get(x, "expect");

	cr_expect(!pv_element_get(x, "buffer"), "%s", kind);
	cr_expect(strncmp(kind, "counter-", 8) || !expect || strcmp(expect, "ENOSPC") || pv_element_get(x, "group"),
		  "%s", kind);
	if (strcmp(kind, "cpu") || strcmp(pv_element_get(x, "online"), "no"))
		return;
	for (size_t i = 0; i < k; i++) {
		json_object *open = json_object_array_get_idx(steps, i);
		const char *last = last_of(steps, k, pv_element_get(open, "id"));

		if (!strcmp(pv_element_kind(open), "counter-open") && !pv_element_get(open, "expect"))
			cr_expect(!strcmp(last, "counter-start") || !strcmp(last, "counter-close"), "%s, then cpu",
				  last);
	}
}

Test(explore, cases_for_a_kernel_expect_nothing_else_than_perf_does, .timeout = 120)
{
	static const unsigned subjects[] = {1u << PV_EXPLORE_PTT, 1u << PV_EXPLORE_CPMU, 1u << PV_EXPLORE_DWC,
					    1u << PV_EXPLORE_CPMU};
	unsigned areas = 0;

	for (uint64_t i = 0; i < 200; i++) {
		const struct pv_explore_wish w = {
			.subjects = subjects[i % 4] | 1u << PV_EXPLORE_ABI, .steps = 30, .seed = 3};
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 0; k < json_object_array_length(steps); k++) {
			check_kernel_step(steps, k);
			areas += pv_element_get(json_object_array_get_idx(steps, k), "aux") != NULL;
		}
	}
	cr_expect_gt(areas, 0u);
}

/* How many of 60 cases show a defect. */
static unsigned count_failing(enum pv_explore_subject subject, const char *defect)
{
	const struct pv_explore_wish w = {.subjects = 1u << subject, .steps = 30, .seed = 5, .model = true};
	const char *const defects[] = {defect, NULL};
	unsigned failing = 0;

	for (uint64_t i = 0; i < 60; i++) {
		struct pv_explore_verdict v;
		struct pv_error e;
		_autojson_ json_object *c = draw(&w, i, &v);

		cr_expect(!v.bad, "%s", v.message);
		failing += !pv_explore_try(c, defects, false, &v, &e) && v.bad;
	}
	return failing;
}

/* Counters and traces see traffic that is theirs: a guest runs no more than some hundred cases in ten minutes. */
Test(explore, a_common_defect_shows_in_a_few_cases, .timeout = 120)
{
	static const struct {
		enum pv_explore_subject subject;
		const char *defect;
		unsigned least;
	} rows[] = {
		{PV_EXPLORE_PTT, "ptt-drop-record", 20},   {PV_EXPLORE_PTT, "ptt-filter-port", 4},
		{PV_EXPLORE_CPMU, "cpmu-wrong-group", 22}, {PV_EXPLORE_CPMU, "cpmu-threshold-off", 25},
		{PV_EXPLORE_DWC, "dwc-one-enabled", 10},   {PV_EXPLORE_DWC, "dwc-clear-lost", 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned n = count_failing(rows[i].subject, rows[i].defect);

		cr_expect_geq(n, rows[i].least, "%s: %u of 60 cases", rows[i].defect, n);
	}
}

/* The end of a case looks at the registers of a PMU that had events, unless they were lost on the way. */
Test(explore, nothing_is_enabled_at_the_end, .timeout = 120)
{
	const struct pv_explore_wish w = {
		.subjects = 1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_DWC, .steps = 30, .seed = 3, .model = true};
	unsigned controls = 0, statuses = 0;

	for (uint64_t i = 0; i < 40; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 0; k < json_object_array_length(steps); k++) {
			json_object *x = json_object_array_get_idx(steps, k);

			if (strcmp(pv_element_kind(x), "reg-read"))
				continue;
			cr_expect_str_eq(pv_element_get(x, "equals"), "0x0");
			controls += !strcmp(pv_element_get(x, "offset"), "0x850");
			statuses += !strcmp(pv_element_get(x, "offset"), "0x158");
		}
	}
	cr_expect_geq(controls, 5u);
	cr_expect_geq(statuses, 5u);
}

/* A PTT has the Root Ports of its own domain, and some machines have two. */
Test(explore, a_domain_has_its_own_ports_and_ptt, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_PTT, .steps = 1, .seed = 3, .model = true};
	unsigned machines = 0;

	for (uint64_t i = 0; i < 100; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *functions = json_object_object_get(json_object_object_get(c, "topology"), "children");
		bool domains = false;

		for (size_t k = 0; k < json_object_array_length(functions); k++) {
			const char *bdf = pv_element_get(json_object_array_get_idx(functions, k), "bdf");

			domains |= bdf && strncmp(bdf, "0000:", 5);
		}
		machines += domains;
		cr_expect(!v.bad, "%s", v.message);
	}
	cr_expect_geq(machines, 5u);
	cr_expect_leq(machines, 45u);
}

/* Filters follow the functions: somebody has to look. */
Test(explore, lists_are_read_after_hot_plug, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_PTT, .steps = 30, .seed = 3};
	unsigned moves = 0, looks = 0, rounds = 0;

	for (uint64_t i = 0; i < 40; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 1; k < json_object_array_length(steps); k++) {
			json_object *x = json_object_array_get_idx(steps, k);
			const char *count = pv_element_get(x, "count");
			bool moved = !strcmp(pv_element_kind(json_object_array_get_idx(steps, k - 1)), "hotplug");

			moves += moved;
			looks += moved && !strcmp(pv_element_kind(x), "attr-list");
			/* All four buffers of Linux, and the first one again. */
			rounds += count && strtoul(count, NULL, 10) > 4 * (4 << 20) / 32;
		}
	}
	cr_expect_geq(looks * 4, moves, "%u of %u", looks, moves);
	cr_expect_gt(looks, 2u);
	cr_expect_geq(rounds, 1u);
}

/* The guests of one machine continue from one snapshot. */
Test(explore, cases_for_a_kernel_share_machines, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = (1u << PV_EXPLORE_SUBJECTS) - 1, .steps = 5, .seed = 3};
	_autojson_ json_object *first = NULL;

	for (uint64_t i = 0; i < 30; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *machine = json_object_object_get(c, "topology");

		cr_expect_eq(first && json_object_equal(machine, first), i % 10 != 0, "case %u", (unsigned)i);
		json_object_put(first);
		first = json_object_get(machine);
	}
}

/* The models' ports send no PME: a suspended one misses the card that comes. */
Test(explore, no_port_of_a_kernel_sleeps_below_a_slot, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_CPMU, .steps = 1, .seed = 3};
	unsigned asleep = 0;

	for (uint64_t i = 0; i < 1500; i += 10) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		const char *text = json_object_to_json_string(json_object_object_get(c, "topology"));
		bool may_sleep = strstr(text, "\"port-pm\": \"yes\"");

		asleep += may_sleep;
		cr_expect(!may_sleep || !strstr(text, "\"hotplug\""), "%s", text);
	}
	cr_expect_gt(asleep, 0u);
}

Test(explore, nothing_is_under_way_when_a_kernel_suspends, .timeout = 120)
{
	const struct pv_explore_wish w = {.subjects = 1u << PV_EXPLORE_ABI, .steps = 30, .seed = 3};
	unsigned suspends = 0;

	for (uint64_t i = 0; i < 60; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		json_object *steps = json_object_object_get(c, "steps");

		for (size_t k = 1; k < json_object_array_length(steps); k++) {
			if (strcmp(pv_element_kind(json_object_array_get_idx(steps, k)), "suspend"))
				continue;
			suspends++;
			cr_expect_str_eq(pv_element_kind(json_object_array_get_idx(steps, k - 1)), "drain");
		}
	}
	cr_expect_gt(suspends, 0u);
}

static json_object *case_of_waits(unsigned n)
{
	json_object *c = json_object_new_object(), *steps = json_object_new_array();
	json_object *topology = pv_element_new("topology");

	for (unsigned i = 0; i < 3; i++) {
		json_object *port = pv_element_child(topology, "root-port");

		pv_element_set(port, "name", "rp%u", i);
		pv_element_set(port, "bdf", "00:1%u.0", i);
	}
	for (unsigned i = 0; i < n; i++)
		pv_element_set(pv_element_append(steps, "wait"), "ns", "%u", 100 + i);
	pv_element_append(steps, "check-rules");
	pv_json_string(c, "name", "waits");
	pv_json_uint(c, "seed", 1);
	pv_json_add(c, "topology", topology);
	pv_json_add(c, "steps", steps);
	return c;
}

/* Behind many completions on a slow link, a driver waits for longer than a counter of 16 bits takes to overflow twice.
 */
Test(explore, long_queues_do_not_delay_interrupts_of_narrow_counters, .timeout = 120)
{
	const struct pv_explore_wish w = {
		.subjects = 1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC, .steps = 12, .seed = 5, .model = true};
	unsigned queues = 0;

	for (uint64_t i = 0; i < 1500; i++) {
		struct pv_explore_verdict v;
		_autojson_ json_object *c = draw(&w, i, &v);
		const char *machine = json_object_to_json_string(json_object_object_get(c, "topology"));
		json_object *steps = json_object_object_get(c, "steps");

		if (!strstr(machine, "\"width\": \"16\", \"filters\"") || !strstr(machine, "\"width\": \"1\""))
			continue;
		for (size_t k = 0; k < json_object_array_length(steps); k++) {
			json_object *x = json_object_array_get_idx(steps, k);

			if (!pv_element_get(x, "outstanding") || strtoul(pv_element_get(x, "size"), NULL, 10) < 1000)
				continue;
			queues++;
			cr_expect_null(pv_element_get(x, "background"), "case %u", (unsigned)i);
		}
	}
	cr_expect_gt(queues, 2u, "%u", queues);
}

/* A hundredth of it has six zeros behind the point. */
Test(explore, a_small_measure_is_learned_with_its_digits)
{
	_autojson_ json_object *c = case_of_waits(0);
	json_object *steps = json_object_new_array(), *x;
	struct pv_explore_verdict v;
	struct pv_error e;

	x = pv_element_child(
		json_object_array_get_idx(json_object_object_get(json_object_object_get(c, "topology"), "children"), 0),
		"endpoint");
	pv_element_set(x, "name", "nic0");
	pv_json_add(c, "steps", steps);
	for (unsigned i = 0; i < 2; i++) {
		x = pv_element_append(steps, "traffic");
		pv_element_set(x, "from", "nic0");
		pv_element_set(x, "kind", "%s", i ? "mrd64" : "mwr64");
		pv_element_set(x, "size", "4096");
		pv_element_set(x, "count", "%u", i ? 1 : 900);
	}
	x = pv_element_append(steps, "measure");
	pv_element_set(x, "id", "m");
	pv_element_set(x, "what", "share");
	pv_element_set(x, "port", "rp0");
	pv_element_set(x, "dir", "in");
	pv_element_set(x, "class", "np");
	x = pv_element_append(steps, "check-measure");
	pv_element_set(x, "id", "m");
	pv_element_set(x, "min", "0");
	pv_element_set(x, "max", "0");
	cr_assert(!pv_explore_try(c, NULL, true, &v, &e) && !v.bad, "%s%s", e.text, v.message);
	cr_assert(!pv_explore_try(c, NULL, false, &v, &e), "%s", e.text);
	cr_expect(!v.bad, "%s", v.message);
	double min = strtod(pv_element_get(x, "min"), NULL), max = strtod(pv_element_get(x, "max"), NULL);
	cr_expect(min < max && max < 1.03 * min && max < 9e-5, "%s", json_object_to_json_string(x));
}

/* ---- sessions ---- */

/* Skips the first case, and knows why the others fail. */
static int skips_one(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v, struct pv_error *e)
{
	bool first = !(*(unsigned *)ctx)++;

	(void)cases, (void)n, (void)e;
	*v = (struct pv_explore_verdict){.skipped = true};
	snprintf(v->type, sizeof(v->type), "%s", first ? "unsupported" : "known-failure");
	snprintf(v->message, sizeof(v->message), "%s", first ? "the target lacks it" : "it is known");
	return 0;
}

Test(explore, a_session_counts_cases_that_were_not_judged, .timeout = 60)
{
	unsigned runs = 0;
	struct pv_error e;
	struct pv_explore_session s = {.wish = {.subjects = 1u << PV_EXPLORE_MPS, .steps = 5, .seed = 1},
				       .tried = {.learn = true, .run = skips_one, .ctx = &runs},
				       .cases = 3};

	cr_assert_eq(pv_explore_run(&s, &e), 0, "%s", e.text);
	cr_expect_eq(s.done, 3u);
	cr_expect_eq(s.skipped, 1u);
	cr_expect_eq(s.known, 2u);
	cr_expect_str_eq(s.skip, "the target lacks it");
	pv_explore_free(&s);
}

static struct pv_explore_session session_of(int (*run)(void *ctx, json_object *const *cases, size_t n,
						       struct pv_explore_verdict *v, struct pv_error *e))
{
	return (struct pv_explore_session){.wish = {.subjects = 1u << PV_EXPLORE_MPS, .steps = 5, .seed = 1},
					   .tried = {.learn = true, .run = run},
					   .cases = 3,
					   .batch = 3};
}

/* A signal ends it in the second case; the first one has failed. */
static int is_interrupted(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v,
			  struct pv_error *e)
{
	(void)ctx, (void)cases;
	v[0] = (struct pv_explore_verdict){.bad = true, .type = "check", .message = "it fails"};
	for (size_t i = 1; i < n; i++)
		v[i] = (struct pv_explore_verdict){.type = "not-run"};
	return pv_error(e, -EINTR, "interrupted");
}

Test(explore, a_session_that_its_target_interrupts_ends_and_keeps_what_was_judged, .timeout = 60)
{
	struct pv_error e;
	struct pv_explore_session s = session_of(is_interrupted);

	cr_assert_eq(pv_explore_run(&s, &e), 0);
	cr_expect(s.interrupted);
	cr_expect_eq(s.done, 1u);
	cr_assert_eq(s.n_findings, 1u);
	cr_expect_str_eq(s.findings[0].v.message, "it fails");
	pv_explore_free(&s);
}

static int never_runs(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v, struct pv_error *e)
{
	(void)ctx, (void)cases, (void)n, (void)v;
	return pv_error(e, -EINVAL, "expected no case to be run");
}

static void die(json_object *c)
{
	(void)c;
	raise(SIGKILL);
}

/* The reference driver is not under test, and the driver under test has not seen these cases. */
Test(explore, cases_whose_drawing_ends_the_process_are_skipped, .timeout = 60)
{
	struct pv_error e;
	struct pv_explore_session s = session_of(never_runs);

	s.wish.noted = die;
	cr_assert_eq(pv_explore_run(&s, &e), 0, "%s", e.text);
	cr_expect_eq(s.done, 3u);
	cr_expect_eq(s.skipped, 3u);
	cr_expect_str_eq(s.skip, "the case ended the process: Killed");
	pv_explore_free(&s);
}

/* Nothing is known of such a case but its number. */
Test(explore, a_session_breaks_off_where_a_case_dies_before_its_first_step, .timeout = 60)
{
	struct pv_error e;
	struct pv_explore_session s = session_of(NULL);

	s.wish.corpus = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_expect_eq(pv_explore_run(&s, &e), -EIO);
	cr_expect(strstr(e.text, "case 0, before its first step: the case ended the process: "), "%s", e.text);
	cr_expect_eq(s.done, 0u);
	pv_explore_free(&s);
}

/* There are descriptors for the worker's pipe, and for nothing else. */
Test(explore, a_session_breaks_off_where_no_case_can_be_drawn, .timeout = 60)
{
	struct pv_error e;
	struct pv_explore_session s = session_of(NULL);
	int lowest = dup(0);
	const struct rlimit limit = {(rlim_t)lowest + 2, (rlim_t)lowest + 2};

	close(lowest);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(pv_explore_run(&s, &e), -EIO);
	cr_expect(strstr(e.text, "case 0 could not be drawn: "), "%s", e.text);
	cr_expect_eq(s.done, 0u);
	pv_explore_free(&s);
}

/* A finding may lack one: it fails before. */
Test(explore, every_plan_has_a_check)
{
	static const struct {
		const char *steps;
		bool added;
	} rows[] = {{"[]", true},
		    {"[{\"kind\":\"boot\",\"attrs\":{}}]", true},
		    {"[{\"kind\":\"tune-read\",\"attrs\":{\"expect\":\"EINVAL\"}}]", false},
		    {"[{\"kind\":\"check-aer\",\"attrs\":{},\"driver\":\"kernel\"}]", true},
		    {"[{\"kind\":\"check-aer\",\"attrs\":{}},{\"kind\":\"boot\",\"attrs\":{}}]", false}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_object *c = json_tokener_parse("{\"name\":\"c\"}");
		char *text = NULL;
		size_t n;
		FILE *f = open_memstream(&text, &n);

		pv_json_add(c, "steps", json_tokener_parse(rows[i].steps));
		pv_explore_plan_print(f, &(struct pv_explore_plan){"p", "d", &c, 1});
		fclose(f);
		cr_expect_eq(strstr(text, "    <check-rules/>\n  </case>") != NULL, rows[i].added, "%s", text);
		free(text);
		json_object_put(c);
	}
}

/* ---- shrinking ---- */

/* Fails if two steps are there, whatever else there is. */
static int needs_two(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v, struct pv_error *e)
{
	json_object *steps = json_object_object_get(cases[0], "steps");
	unsigned found = 0;

	(void)n, (void)e;
	++*(unsigned *)ctx;
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		const char *ns = pv_element_get(json_object_array_get_idx(steps, i), "ns");

		found |= ns && !strcmp(ns, "101") ? 1 : ns && !strcmp(ns, "102") ? 2 : 0;
	}
	v->bad = found;
	snprintf(v->type, sizeof(v->type), "check");
	snprintf(v->message, sizeof(v->message), "%s", found == 3 ? "both are there" : "one is there");
	return 0;
}

Test(explore, shrinking_keeps_what_the_failure_needs_and_nothing_else)
{
	unsigned runs = 0;
	struct pv_error e;
	json_object *c = case_of_waits(40);
	struct pv_explore_shrinking s = {.tried = {.learn = true, .run = needs_two, .ctx = &runs},
					 .v = {.bad = true, .type = "check", .message = "both are there"}};

	cr_assert(!pv_explore_shrink(&c, &s, &e), "%s", e.text);
	json_object *steps = json_object_object_get(c, "steps");
	cr_expect_eq(json_object_array_length(steps), 2u, "%s", json_object_to_json_string(c));
	cr_expect_str_eq(pv_element_get(json_object_array_get_idx(steps, 0), "ns"), "101");
	cr_expect_str_eq(pv_element_get(json_object_array_get_idx(steps, 1), "ns"), "102");
	cr_expect_null(json_object_object_get(json_object_object_get(c, "topology"), "children"),
		       "no function is needed");
	cr_expect_leq(s.done, 150u, "%u tries", s.done);
	json_object_put(c);
}

/* Fails as long as a counter is opened. */
static int needs_open(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v, struct pv_error *e)
{
	(void)ctx, (void)n, (void)e;
	*v = (struct pv_explore_verdict){.bad = strstr(json_object_to_json_string(cases[0]), "counter-open"),
					 .type = "check",
					 .message = "it fails"};
	return 0;
}

Test(explore, shrinking_leaves_a_counter_its_event_or_its_config)
{
	_autojson_ json_object *c = case_of_waits(0);
	json_object *open = pv_element_append(json_object_object_get(c, "steps"), "counter-open");
	struct pv_explore_shrinking s = {.tried = {.run = needs_open, .learn = true},
					 .v = {.bad = true, .type = "check", .message = "it fails"}};
	struct pv_error e;

	pv_element_set(open, "id", "c");
	pv_element_set(open, "pmu", "dwc_rootport_80");
	pv_element_set(open, "config", "0x1");
	pv_element_set(open, "config1", "0x2");
	pv_element_set(open, "expect", "ENODEV");
	cr_assert_eq(pv_explore_shrink(&c, &s, &e), 0, "%s", e.text);
	json_object *x = json_object_array_get_idx(json_object_object_get(c, "steps"), 0);
	cr_expect(pv_element_get(x, "config") && !pv_element_get(x, "config1"), "%s", json_object_to_json_string(c));
}

Test(explore, a_plan_keeps_every_character_of_a_value)
{
	json_object *c = case_of_waits(1);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_element_set(json_object_array_get_idx(json_object_object_get(c, "steps"), 0), "ns", "<1&\"\n");
	pv_explore_plan_print(f, &(struct pv_explore_plan){"p", "d", &c, 1});
	fclose(f);
	cr_expect(strstr(text, "ns=\"&#60;1&#38;&#34;&#10;\""), "%s", text);
	free(text);
	json_object_put(c);
}
