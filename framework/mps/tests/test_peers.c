/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Peer-to-peer writes below one Root Port, and to a device below another one. */
#include "framework/mps/cure.h"
#include "framework/mps/peers.h"
#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

/* A switch with two devices below 00:01.0, one device below 00:02.0 and one below 00:03.0. */
static const struct build_func machine[] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 512, 512, 1, 4, false},
	{"0000:00:02.0", PCI_EXP_TYPE_ROOT_PORT, 256, 256, 512, 5, 5, false},
	{"0000:00:03.0", PCI_EXP_TYPE_ROOT_PORT, 512, 512, 512, 6, 6, false},
	{"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 512, 512, 512, 2, 4, false},
	{"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 512, 512, 3, 3, false},
	{"0000:02:01.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 512, 512, 4, 4, false},
	{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 512, 512, 0, 0, false},
	{"0000:04:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 128, 512, 0, 0, false},
	{"0000:05:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
	{"0000:06:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{0},
};

struct expected {
	const char *from, *at, *to;
	int payload, most;
	bool across, splits;
};

static const struct expected all[] = {
	{"0000:03:00.0", "0000:04:00.0", "0000:04:00.0", 512, 128, false, false},
	/* 00:02.0 sends pieces of 256, which fit. */
	{"0000:03:00.0", "0000:00:02.0", "0000:05:00.0", 512, 256, true, true},
	/* 00:03.0 sends pieces of 512, which do not fit. */
	{"0000:03:00.0", "0000:06:00.0", "0000:06:00.0", 512, 256, true, false},
	{"0000:05:00.0", "0000:04:00.0", "0000:04:00.0", 256, 128, true, false},
	{"0000:06:00.0", "0000:04:00.0", "0000:04:00.0", 256, 128, true, false},
};

Test(mps_peers, every_peer_that_takes_less_is_found)
{
	struct pv_pci_machine *m = build_machine(machine);
	struct pv_peer_list found;

	cr_assert_eq(pv_peers_find(m, &found), 0);
	cr_assert_eq(found.n, ARRAY_SIZE(all), "%zu", found.n);
	for (size_t i = 0; i < found.n; i++) {
		const struct pv_peers *p = &found.list[i];
		const struct expected *e = &all[i];
		const struct pv_peer *to = pv_peers_next(&found, i, NULL);

		cr_expect(!strcmp(p->from->name, e->from) && !strcmp(p->at->name, e->at) && p->n == 1 &&
				  !strcmp(to->to->name, e->to) && !pv_peers_next(&found, i, to),
			  "%zu: %s at %s", i, p->from->name, p->at->name);
		cr_expect(p->payload == e->payload && p->most == e->most && p->across == e->across &&
				  p->splits == e->splits,
			  "%s to %s: %d, %d, %d, %d", e->from, e->to, p->payload, p->most, p->across, p->splits);
	}
	cr_expect_eq(pv_peers_senders(&found, false), 1);
	cr_expect_eq(pv_peers_senders(&found, true), 3);
	pv_peers_free(&found);
	pv_pci_machine_free(m);
}

/* A write that does not reach its own Root Port is a mismatch, and concerns no peers elsewhere. */
Test(mps_peers, writes_that_reach_no_root_port_go_nowhere)
{
	struct build_func changed[ARRAY_SIZE(machine)];
	struct pv_peer_list found;
	struct pv_pci_machine *m;

	memcpy(changed, machine, sizeof(machine));
	changed[0].mps = 256;
	m = build_machine(changed);
	cr_assert_eq(pv_peers_find(m, &found), 0);
	cr_expect_eq(pv_peers_senders(&found, true), 2, "05:00.0 and 06:00.0 only");
	pv_peers_free(&found);
	pv_pci_machine_free(m);
}

/* 04:00.0, which takes 128, is no peer, and 06:00.0 takes all that is left from 05:00.0. */
Test(mps_peers, an_ari_function_without_function_0_is_no_peer)
{
	struct pv_pci_machine *m = build_machine(machine);
	struct pv_peer_list found;

	m->funcs[7].is_ari_orphan = true;
	cr_assert_eq(pv_peers_find(m, &found), 0);
	cr_expect_eq(pv_peers_senders(&found, true), 1, "03:00.0 only");
	cr_expect_eq(pv_peers_senders(&found, false), 0);
	pv_peers_free(&found);
	pv_pci_machine_free(m);
}

/* For every dump and policy, the fast count must agree with the list, and the list with check. */
Test(mps_peers, counts_agree_with_the_list_and_with_check)
{
	for (size_t i = 0; all_dumps[i]; i++)
		for (int policy = 0; policy < PV_MPS_POLICIES_N; policy++) {
			struct pv_pci_machine *m = read_dump(all_dumps[i]);
			struct pv_policy_plan plan;
			struct pv_peer_list found;
			struct pv_mismatches left;
			size_t across, peers = 0;

			cr_assert_eq(pv_policy_plan(m, (enum pv_mps_policy)policy, NULL, 0, &plan), 0);
			cr_assert_eq(pv_peers_find_planned(m, &plan, &found), 0);
			cr_assert_eq(pv_peers_count_across(m, &plan, &across), 0);
			cr_assert_eq(pv_plan_left(m, &plan, true, &left), 0);
			for (size_t k = 0; k < left.n; k++)
				peers += left.list[k].kind == PV_MISMATCH_PEER;
			cr_expect_eq(pv_peers_senders(&found, true), across, "%s, policy %d", all_dumps[i], policy);
			cr_expect_eq(pv_peers_senders(&found, false), peers, "%s, policy %d", all_dumps[i], policy);
			pv_mismatches_free(&left);
			pv_peers_free(&found);
			pv_policy_plan_free(&plan);
			pv_pci_machine_free(m);
		}
}
