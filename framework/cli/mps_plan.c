/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps plan: prints the sizes that a policy would set. */
#include <stdlib.h>
#include <string.h>

#include "framework/cli/mps.h"
#include "framework/mps/facts.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"
#include "framework/util/hint.h"

struct options {
	struct pv_cli_mps source;
	const char *policy, *initial, *round_trip;
	double round_trip_ns; /* 0: not given */
	bool all, root_ports, peers;
};

static const struct pv_option options[] = {
	PV_CLI_MPS_POLICY(struct options),
	{"all", 'a', PV_OPTION_FLAG, offsetof(struct options, all), NULL, "a table of all five policies"},
	{"initial", 'i', PV_OPTION_TEXT, offsetof(struct options, initial), "FILE",
	 "what firmware left: a dump, or the output of\n'mps show --json'; default: the present values"},
	{"round-trip", 'r', PV_OPTION_TEXT, offsetof(struct options, round_trip), "TIME",
	 "limit reads to what is in flight in this time:\n500ns, 1.2us"},
	{"peer2peer", 0, PV_OPTION_FLAG, offsetof(struct options, peers), NULL,
	 "also what peers would see: writes between devices"},
	{"root-ports-at-mpss", 0, PV_OPTION_FLAG, offsetof(struct options, root_ports), NULL,
	 "as a pending change of Linux: Root Ports start at\ntheir MPSS, whatever firmware left"},
	PV_CLI_MPS_JSON(struct options),
	PV_CLI_MPS_SYSFS(struct options),
	{0},
};

static void print_notes(enum pv_mps_policy policy, const struct pv_pci_machine *m, const struct pv_policy_plan *plan)
{
	const struct pv_pci_func *erratum = pv_coalescing_erratum(m);
	bool mrrs = false, large = false;

	for (size_t i = 0; i < plan->n; i++) {
		mrrs = mrrs || (policy != PV_MPS_PERFORMANCE && plan->list[i].mrrs_by_firmware);
		large = large || plan->list[i].new_mps > 128;
	}
	if (plan->by_firmware)
		printf("~ %zu: %s keeps or passes on what firmware left. A machine that has booted may\n"
		       "  show other values; give the firmware's by --initial.\n",
		       plan->by_firmware, pv_mps_policy_word(policy));
	if (mrrs)
		printf("MRRS: %s leaves it alone; drivers may have changed what firmware left.\n",
		       pv_mps_policy_word(policy));
	if (erratum && large && policy != PV_MPS_TUNE_OFF && policy != PV_MPS_DEFAULT)
		printf("%s: Linux also clears bit 10 of 0x48 here: read completion\n"
		       "  coalescing fails with an MPS of 256 (Intel 5000 erratum). apply does not.\n",
		       erratum->name);
}

static void print_text(const struct options *o, enum pv_mps_policy policy, const struct pv_pci_machine *m,
		       const struct pv_policy_plan *plan, const struct pv_mismatches *left,
		       const struct pv_peer_list *peers)
{
	pv_text_plan(plan, o->round_trip_ns, stdout);
	printf("\n%zu of %zu function%s change%s under %s\n", plan->changes, plan->n, plan->n == 1 ? "" : "s",
	       plan->changes == 1 ? "s" : "", pv_mps_policy_word(policy));
	if (left->n) {
		printf("%zu mismatch%s under %s:\n", left->n, left->n == 1 ? " remains" : "es remain",
		       pv_mps_policy_word(policy));
		pv_text_check(left, NULL, stdout);
	}
	if (policy != PV_MPS_TUNE_OFF)
		pv_text_limits(plan, "", stdout);
	if (o->peers)
		pv_text_peers(peers, stdout);
	print_notes(policy, m, plan);
}

/* The initial sizes of a plan. */
struct start {
	struct pv_initial *initial;
	size_t n;
};

/* Names the functions that cannot be judged under the first policy that leaves some. Returns true if one does. */
static bool tell_unjudged(const struct pv_cures *cures)
{
	for (int p = 0; p < PV_MPS_POLICIES_N; p++)
		if (pv_cli_mps_unjudged(&cures->left[p]))
			return true;
	return false;
}

static int plan_all(const struct options *o, struct pv_pci_machine *m, const struct start *start)
{
	struct pv_cures cures, peers = {0};
	int status = PV_EXIT_PASSED;

	if (pv_cures_find_from(m, false, o->root_ports, start->initial, start->n, &cures) ||
	    pv_cures_find_from(m, true, o->root_ports, start->initial, start->n, &peers)) {
		pv_cli_error("no memory");
		status = PV_EXIT_UNJUDGED;
	} else if (o->source.json) {
		status = pv_cli_mps_print(pv_json_all(&cures));
	} else {
		pv_text_all(&cures, &peers, stdout);
		pv_text_limits(&cures.plans[PV_MPS_SAFE], "", stdout);
		pv_text_limits(&cures.plans[PV_MPS_PERFORMANCE], "perf: ", stdout);
		pv_text_limits(&cures.plans[PV_MPS_DEFAULT], "default: ", stdout);
		if (!o->initial)
			puts("tune_off and default start from the present values, or those of --initial.");
	}
	if (tell_unjudged(&cures))
		status = PV_EXIT_UNJUDGED;
	pv_cures_free(&cures);
	pv_cures_free(&peers);
	return status;
}

static int plan_one(const struct options *o, struct pv_pci_machine *m, enum pv_mps_policy policy,
		    const struct start *start)
{
	struct pv_policy_plan plan = {0};
	struct pv_mismatches left = {0};
	struct pv_peer_list peers = {0};
	int status = PV_EXIT_PASSED;

	if (pv_policy_plan_next(m, policy, o->root_ports, start->initial, start->n, &plan) ||
	    pv_plan_left(m, &plan, false, &left) || (o->peers && pv_peers_find_planned(m, &plan, &peers))) {
		pv_cli_error("no memory");
		status = PV_EXIT_UNJUDGED;
	} else {
		if (o->round_trip)
			pv_policy_plan_round_trip(&plan, o->round_trip_ns);
		if (o->source.json)
			status = pv_cli_mps_print(pv_json_plan(&plan, &left, o->peers ? &peers : NULL));
		else
			print_text(o, policy, m, &plan, &left, &peers);
	}
	if (pv_cli_mps_unjudged(&left))
		status = PV_EXIT_UNJUDGED;
	pv_peers_free(&peers);
	pv_mismatches_free(&left);
	pv_policy_plan_free(&plan);
	return status;
}

static int plan_machine(const struct options *o, struct pv_pci_machine *m, enum pv_mps_policy policy)
{
	struct start start = {0};
	struct pv_error e = {0};
	int status;

	if (o->initial && pv_initial_read(m, o->initial, &start.initial, &start.n, &e)) {
		free(start.initial);
		pv_cli_error("--initial: %s", e.text);
		return pv_cli_mps_status(e.code);
	}
	status = o->all ? plan_all(o, m, &start) : plan_one(o, m, policy, &start);
	free(start.initial);
	return status;
}

/* Reports a slot of which the text does not say whether it is hot-plug capable. */
static bool lacks_slot(const struct pv_pci_machine *m)
{
	const struct pv_pci_func *f = pv_lacks_slot(m);

	if (f)
		pv_cli_error("%s: the text does not say whether its slot is hot-plug capable, which decides under safe",
			     f->name);
	return f;
}

/* With unread functions the engine would plan for another machine. */
static int plan(const struct options *o, enum pv_mps_policy policy)
{
	int status = PV_EXIT_UNJUDGED;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);

	if (m && !pv_cli_mps_few_bytes(&o->source, m)) {
		bool guesses = (o->all || policy == PV_MPS_SAFE) && lacks_slot(m);

		if (o->all || !guesses)
			status = plan_machine(o, m, policy);
		status = guesses ? PV_EXIT_UNJUDGED : status;
	}
	pv_pci_machine_free(m);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int status;
	enum pv_mps_policy policy = PV_MPS_SAFE;

	if (!pv_cli_mps_parse(self, argc, argv, &o, &o.source, &status))
		return status;
	if (o.all && o.policy)
		return pv_cli_error("%s: --all and --policy: expected one of them", self->name);
	if (o.all && o.peers)
		return pv_cli_error("%s: --all counts them; --peer2peer: expected --policy with it", self->name);
	status = o.all ? 0 : pv_cli_mps_policy(self, o.policy, &policy);
	if (!status)
		status = pv_cli_mps_round_trip(o.round_trip, &o.round_trip_ns);
	return status ? status : plan(&o, policy);
}

const struct pv_command pv_mps_plan_command = {
	.name = "mps plan",
	.args = "[DUMP]",
	.help = "what Linux would set under a policy, and what it gains",
	.text = "Computed by the engine of the reference driver on a copy: nothing is written.\n"
		"'*' marks values that change, '~' values that depend on firmware. Throughput is\n"
		"the maximum for 4096-byte transfers over the slowest link up to the Root Port;\n"
		"tags bound how much is in flight. Then it checks what would remain wrong.\n"
		"Policies are those of Linux 6.12, which are the same up to 7.3.",
	.options = options,
	.run = run,
};
