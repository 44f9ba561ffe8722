/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the steps of a case before it runs. */
#include "framework/board/lacks.h"

#include <string.h>

#include "framework/board/board.h"
#include "framework/board/facts.h"
#include "framework/util/cleanup.h"

enum lack { NEVER, TAP, WRITES, EXEC, BAR, POLICY, UNKNOWN };

static const char *const texts[] = {
	[NEVER] = "a step does what nobody can do on a real machine",
	[TAP] = "no tap (<tap>): a step sends traffic or compares with what was on a link",
	[WRITES] = "no <writes/>: a step writes what must be restored",
	[EXEC] = "no --allow-exec: a step runs a program",
	[BAR] = "a step writes a register in a BAR, which nothing would restore",
	[POLICY] = "the kernel was booted with another MPS policy than the case",
	[UNKNOWN] = PV_BOARD_POLICY_UNKNOWN,
};

/* `attr` NULL: any step of this kind; otherwise steps whose attribute has the value, given or by default. */
static const struct {
	const char *step, *attr, *value;
	bool by_default;
	enum lack lack;
} lacks[] = {
	{"fault", NULL, NULL, false, NEVER},
	{"hotplug", NULL, NULL, false, NEVER},
	{"vfs", NULL, NULL, false, NEVER},
	{"suspend", NULL, NULL, false, NEVER},
	{"irq-latency", NULL, NULL, false, NEVER},
	{"cpu", NULL, NULL, false, NEVER},
	{"probe", NULL, NULL, false, NEVER},
	{"check-rules", NULL, NULL, false, NEVER},
	{"traffic", NULL, NULL, false, TAP},
	{"cxl-traffic", NULL, NULL, false, TAP},
	{"link-state", NULL, NULL, false, TAP},
	{"link-event", NULL, NULL, false, TAP},
	{"measure", NULL, NULL, false, TAP},
	{"check-throughput", NULL, NULL, false, TAP},
	{"check-trace-overrun", NULL, NULL, false, TAP},
	{"check-trace", "against", "oracle", true, TAP},
	{"check-counter", "against", "oracle", true, TAP},
	{"reg-write", NULL, NULL, false, WRITES},
	{"reg-write", "space", "bar0", false, BAR},
	{"reg-write", "space", "bar2", false, BAR},
	{"tune-write", "expect", "0", true, WRITES},
	{"attr-write", "expect", "0", true, WRITES},
	{"mps-set", NULL, NULL, false, WRITES},
	{"mrrs-set", NULL, NULL, false, WRITES},
	{"perf", NULL, NULL, false, EXEC},
	{"workload", NULL, NULL, false, EXEC},
};

static bool has(const struct pv_board *b, enum lack lack)
{
	return (lack == TAP && b->description.tap) || (lack == WRITES && b->description.writes) ||
	       (lack == EXEC && b->exec);
}

static bool is_one(size_t i, const char *kind, json_object *attrs)
{
	const char *value = lacks[i].attr ? json_object_get_string(json_object_object_get(attrs, lacks[i].attr)) : NULL;

	if (strcmp(lacks[i].step, kind) != 0)
		return false;
	return !lacks[i].attr || (value ? !strcmp(value, lacks[i].value) : lacks[i].by_default);
}

/* A case without a step `boot` has the policy default. A second one would be a reboot. */
static const char *lacks_boot(const struct pv_board *b, json_object *steps, size_t n)
{
	enum pv_mps_policy policy = PV_MPS_DEFAULT, is;
	unsigned boots = 0;

	for (size_t i = 0; i < n; i++) {
		json_object *step = json_object_array_get_idx(steps, i);
		const char *kind = json_object_get_string(json_object_object_get(step, "kind"));
		const char *word =
			json_object_get_string(json_object_object_get(json_object_object_get(step, "attrs"), "policy"));

		if (!kind || strcmp(kind, "boot") != 0)
			continue;
		boots++;
		for (unsigned p = 0; word && p < PV_MPS_POLICIES_N; p++)
			if (!strcmp(pv_mps_policy_word(p), word))
				policy = p;
	}
	if (boots > 1)
		return texts[NEVER];
	if (!pv_board_policy_of(pv_facts_said(b->environment, "command line"),
				pv_facts_said(b->environment, PV_FACTS_POLICY), &is))
		return texts[UNKNOWN];
	return policy == is ? NULL : texts[POLICY];
}

const char *pv_board_lacks(const struct pv_board *b, json_object *message)
{
	json_object *steps = json_object_object_get(message, "steps");
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *step = json_object_array_get_idx(steps, i);
		const char *kind = json_object_get_string(json_object_object_get(step, "kind"));

		for (size_t k = 0; kind && k < ARRAY_SIZE(lacks); k++)
			if (is_one(k, kind, json_object_object_get(step, "attrs")) && !has(b, lacks[k].lack))
				return texts[lacks[k].lack];
	}
	return lacks_boot(b, steps, n);
}
