/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings that can cause Malformed TLPs, and settings that only look suspicious. */
#include "framework/mps/check.h"
#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

#define ROOT(mpss, mps, mrrs)                                                        \
	{                                                                            \
		"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, mpss, mps, mrrs, 1, 3, false \
	}
#define UP(mps)                                                                   \
	{                                                                         \
		"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 512, mps, 512, 2, 3, false \
	}
#define DOWN(mps)                                                                   \
	{                                                                           \
		"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 512, mps, 512, 3, 3, false \
	}
#define DEVICE(mpss, mps, mrrs)                                                     \
	{                                                                           \
		"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, mpss, mps, mrrs, 0, 0, false \
	}
#define TO_PCI(mps)                                                                 \
	{                                                                           \
		"0000:01:00.0", PCI_EXP_TYPE_PCI_BRIDGE, 512, mps, 128, 2, 3, false \
	}
#define TO_PCIE(mps)                                                                 \
	{                                                                            \
		"0000:02:00.0", PCI_EXP_TYPE_PCIE_BRIDGE, 512, mps, 512, 3, 3, false \
	}
#define DIRECT(mpss, mps, mrrs)                                                     \
	{                                                                           \
		"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, mpss, mps, mrrs, 0, 0, false \
	}

static const struct check_case {
	const char *what;
	struct build_func funcs[5];
	size_t n;
	enum pv_mismatch_kind kind;
	int payload, most;
	const char *way;
} cases[] = {
	{"equal", {ROOT(256, 256, 512), DIRECT(256, 256, 512)}, 0},
	{"a device below its Root Port",
	 {ROOT(256, 128, 512), DIRECT(256, 256, 128)},
	 1,
	 PV_MISMATCH_WRITE,
	 256,
	 128,
	 "0000:01:00.0 -> 0000:00:01.0"},
	{"a Root Port that completes with more than the device takes",
	 {ROOT(256, 256, 512), DIRECT(256, 128, 512)},
	 1,
	 PV_MISMATCH_COMPLETION,
	 256,
	 128,
	 "0000:00:01.0 -> 0000:01:00.0"},
	{"perf: the device asks for no more than it takes", {ROOT(512, 512, 512), DIRECT(128, 128, 128)}, 0},
	{"completions are cut at what was asked for",
	 {ROOT(512, 512, 512), DIRECT(128, 128, 256)},
	 1,
	 PV_MISMATCH_COMPLETION,
	 256,
	 128,
	 "0000:00:01.0 -> 0000:01:00.0"},
	{"set above what it supports",
	 {ROOT(512, 512, 512), DIRECT(256, 512, 512)},
	 1,
	 PV_MISMATCH_COMPLETION,
	 512,
	 256,
	 "0000:00:01.0 -> 0000:01:00.0"},
	{"a switch, all equal", {ROOT(512, 512, 512), UP(512), DOWN(512), DEVICE(512, 512, 512)}, 0},
	{"a Root Port behind a switch",
	 {ROOT(512, 256, 512), UP(512), DOWN(512), DEVICE(512, 512, 512)},
	 1,
	 PV_MISMATCH_WRITE,
	 512,
	 256,
	 "0000:03:00.0 -> 0000:02:00.0 -> 0000:01:00.0 -> 0000:00:01.0"},
	{"a port in the middle, on the way down",
	 {ROOT(512, 512, 512), UP(512), DOWN(256), DEVICE(256, 256, 512)},
	 1,
	 PV_MISMATCH_COMPLETION,
	 512,
	 256,
	 "0000:00:01.0 -> 0000:01:00.0 -> 0000:02:00.0"},
	{"a bridge back to PCI Express makes completions of its own",
	 {ROOT(512, 128, 512), TO_PCI(128), TO_PCIE(512), DEVICE(512, 128, 512)},
	 1,
	 PV_MISMATCH_COMPLETION,
	 512,
	 128,
	 "0000:02:00.0 -> 0000:03:00.0"},
	{"what passes a PCI bus is no TLP there",
	 {ROOT(512, 256, 512), TO_PCI(256), TO_PCIE(512), DEVICE(512, 512, 128)},
	 0},
};

static struct pv_mismatches check_built(const struct build_func *funcs, bool peers, struct pv_pci_machine **m)
{
	struct pv_mismatches found;

	*m = build_machine(funcs);
	cr_assert_eq(pv_check(*m, peers, &found), 0);
	return found;
}

Test(mps_check, finds_payloads_that_are_too_long_on_their_way)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct check_case *c = &cases[i];
		struct pv_pci_machine *m;
		struct pv_mismatches found = check_built(c->funcs, false, &m);

		cr_expect_eq(found.n, c->n, "%s: %zu", c->what, found.n);
		if (found.n == 1 && c->n) {
			_autofree_ char *way = pv_mismatch_way(&found.list[0]);

			cr_expect_eq(found.list[0].kind, c->kind, "%s", c->what);
			cr_expect_eq(found.list[0].payload, c->payload, "%s: %d", c->what, found.list[0].payload);
			cr_expect_eq(found.list[0].most, c->most, "%s: %d", c->what, found.list[0].most);
			cr_expect_str_eq(way, c->way, "%s", c->what);
			cr_expect(pv_is_mismatched(&found, found.list[0].from) &&
				  pv_is_mismatched(&found, found.list[0].to));
		}
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

/* Each function sends more than its Root Port accepts. An Upstream Port sends no data of its own. */
Test(mps_check, every_kind_of_sender_is_followed)
{
	static const struct {
		int type;
		size_t n;
	} types[] = {{PCI_EXP_TYPE_ENDPOINT, 1},
		     {PCI_EXP_TYPE_LEG_END, 1},
		     {PCI_EXP_TYPE_PCI_BRIDGE, 1},
		     {PCI_EXP_TYPE_UPSTREAM, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct build_func funcs[] = {
			ROOT(512, 128, 512), {"0000:01:00.0", types[i].type, 512, 256, 128, 2, 2, false}, {0}};
		struct pv_pci_machine *m;
		struct pv_mismatches found = check_built(funcs, false, &m);

		cr_expect_eq(found.n, types[i].n, "type %d: %zu", types[i].type, found.n);
		cr_expect_eq(found.n_unjudged, 0, "type %d", types[i].type);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

#define FUNC(name, type, mps, first, last)                                   \
	{                                                                    \
		name, PCI_EXP_TYPE_##type, 512, mps, 512, first, last, false \
	}

/* Expects that this function cannot be judged; NULL: that all can. */
static void expect_unjudged(const struct pv_mismatches *found, const char *what, const char *func, const char *why)
{
	size_t i = 0;

	while (func && i < found->n_unjudged && strcmp(found->unjudged[i].func->name, func) != 0)
		i++;
	cr_expect_eq(found->n_unjudged > 0, func != NULL, "%s: %zu", what, found->n_unjudged);
	if (!func)
		return;
	cr_assert_lt(i, found->n_unjudged, "%s: %s is judged", what, func);
	cr_expect(strstr(found->unjudged[i].why, why), "%s: %s", what, found->unjudged[i].why);
}

/* Incomplete machines: a function that cannot be judged, and the reason. */
static const struct {
	const char *what, *func, *why;
	struct build_func funcs[6];
} parts[] = {
	{"a device alone", "0000:01:00.0", "the port above it", {FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0)}},
	{"a legacy device alone", "0000:01:00.0", "the port above it", {FUNC("0000:01:00.0", LEG_END, 512, 0, 0)}},
	{"a bridge to PCI alone", "0000:01:00.0", "the port above it", {FUNC("0000:01:00.0", PCI_BRIDGE, 512, 2, 2)}},
	{"a switch alone", "0000:01:00.0", "the port above it", {FUNC("0000:01:00.0", UPSTREAM, 512, 2, 2)}},
	{"no switch",
	 "0000:03:00.0",
	 "a bridge between it and the next port above",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 3), FUNC("0000:03:00.0", ENDPOINT, 512, 0, 0)}},
	{"half a switch",
	 "0000:01:00.0",
	 "the Upstream Port of its switch",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 3), FUNC("0000:01:00.0", DOWNSTREAM, 512, 2, 2)}},
	{"ARI or not",
	 "0000:01:00.1",
	 "whether function 0 decides (ARI)",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0),
	  FUNC("0000:01:00.1", ENDPOINT, 128, 0, 0)}},
	{"unequal functions",
	 "0000:01:00.0",
	 "functions of one device have different MPS",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0),
	  FUNC("0000:01:00.1", ENDPOINT, 128, 0, 0)}},
	{"a root bus", "0000:00:01.0", "no port is above it", {FUNC("0000:00:01.0", ENDPOINT, 512, 0, 0)}},
	{"a bridge without PCI Express",
	 "0000:01:00.0",
	 "the bridge above it has no PCI Express capability",
	 {{"0000:00:01.0", -1, 0, 0, 0, 1, 1, false}, FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0)}},
	{"a device without PCI Express",
	 "0000:01:00.0",
	 "has no PCI Express capability that could be read",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), {"0000:01:00.0", -1, 0, 0, 0, 0, 0, false}}},
	{"an RCiEP below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:01:00.0", RC_END, 512, 0, 0)}},
	{"an RCEC below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:01:00.0", RC_EC, 512, 0, 0)}},
	{"a Root Port below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 2), FUNC("0000:01:00.0", ROOT_PORT, 512, 2, 2)}},
	{"a bridge from PCI below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 2), FUNC("0000:01:00.0", PCIE_BRIDGE, 512, 2, 2)}},
	{"a reserved type below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), {"0000:01:00.0", 3, 512, 512, 512, 0, 0, false}}},
	{"the last reserved type below a port",
	 "0000:01:00.0",
	 "its type is impossible",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), {"0000:01:00.0", 15, 512, 512, 512, 0, 0, false}}},
	{"an RCiEP on a root bus",
	 NULL,
	 NULL,
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:00:02.0", RC_END, 128, 0, 0)}},
	{"two bridges to one bus",
	 "0000:02:00.0",
	 "two bridges lead to its bus",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 2),
	  FUNC("0000:00:02.0", ROOT_PORT, 512, 1, 2),
	  FUNC("0000:01:00.0", PCI_BRIDGE, 512, 2, 2),
	  {"0000:02:00.0", -1, 0, 0, 0, 0, 0, false}}},
	{"two of a kind",
	 NULL,
	 NULL,
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0),
	  FUNC("0000:01:00.1", ENDPOINT, 512, 0, 0)}},
};

Test(mps_check, a_part_of_a_machine_is_not_judged)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct pv_pci_machine *m;
		struct pv_mismatches found = check_built(parts[i].funcs, false, &m);

		cr_expect_eq(found.n, 0, "%s", parts[i].what);
		expect_unjudged(&found, parts[i].what, parts[i].func, parts[i].why);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

/* Below QEMU's Root Port, a device not made by QEMU belongs to the host, which knows its sizes. */
Test(mps_check, a_device_in_a_guest_is_not_judged)
{
	static const struct build_func funcs[] = {
		FUNC("0000:00:01.0", ROOT_PORT, 128, 1, 1), FUNC("0000:01:00.0", ENDPOINT, 256, 0, 0), {0}};
	static const struct {
		uint32_t port, device;
		size_t n, unjudged;
	} ids[] = {{0x000c1b36, 0x10de, 0, 1},
		   {0x000c1b36, 0x1af4, 1, 0},
		   {0x000c1b36, 0x1b36, 1, 0},
		   {0x000c8086, 0x10de, 1, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct pv_pci_machine *m = build_machine(funcs);
		struct pv_mismatches found;

		build_put(m->funcs[0].space, PCI_VENDOR_ID, 4, ids[i].port);
		build_put(m->funcs[1].space, PCI_VENDOR_ID, 2, ids[i].device);
		cr_assert_eq(pv_check(m, false, &found), 0);
		cr_expect_eq(found.n, ids[i].n, "%zu: %zu", i, found.n);
		cr_expect_eq(found.n_unjudged, ids[i].unjudged, "%zu: %zu", i, found.n_unjudged);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

Test(mps_check, peers_are_judged_only_when_asked)
{
	static const struct build_func funcs[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 512, 512, 1, 4, false},
		{"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 512, 512, 512, 2, 4, false},
		{"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 512, 512, 3, 3, false},
		{"0000:02:01.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 512, 512, 4, 4, false},
		{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 512, 512, 0, 0, false},
		{"0000:04:00.0", PCI_EXP_TYPE_ENDPOINT, 128, 128, 128, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m;
	struct pv_mismatches found = check_built(funcs, false, &m);

	cr_expect_eq(found.n, 0);
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
	found = check_built(funcs, true, &m);
	cr_assert_eq(found.n, 1);
	_autofree_ char *way = pv_mismatch_way(&found.list[0]);
	cr_expect_eq(found.list[0].kind, PV_MISMATCH_PEER);
	cr_expect_str_eq(way, "0000:03:00.0 -> 0000:02:00.0 -> 0000:02:01.0 -> 0000:04:00.0");
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
}

#define SMALL(name)                                                     \
	{                                                               \
		name, PCI_EXP_TYPE_ENDPOINT, 128, 128, 128, 0, 0, false \
	}

/* Writes of a function that sends 512 to one that accepts 128; n: number of mismatches, 0 without a link in between. */
static const struct {
	const char *what;
	struct build_func funcs[5];
	size_t n;
} peers[] = {
	/* Reads of 128 bytes fit whichever MPS counts for the device. */
	{"functions of one device",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1),
	  {"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 512, 128, 0, 0, false},
	  {"0000:01:00.1", PCI_EXP_TYPE_ENDPOINT, 512, 128, 128, 0, 0, false}},
	 0},
	{"endpoints inside a switch",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 2), FUNC("0000:01:00.0", UPSTREAM, 512, 2, 2),
	  FUNC("0000:02:00.0", ENDPOINT, 512, 0, 0), SMALL("0000:02:01.0")},
	 1},
	{"below another Root Port",
	 {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 1), FUNC("0000:00:02.0", ROOT_PORT, 512, 2, 2),
	  FUNC("0000:01:00.0", ENDPOINT, 512, 0, 0), SMALL("0000:02:00.0")},
	 0},
};

Test(mps_check, peers_are_devices_below_one_root_port)
{
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++) {
		struct pv_pci_machine *m;
		struct pv_mismatches found = check_built(peers[i].funcs, true, &m);

		cr_expect_eq(found.n, peers[i].n, "%s: %zu", peers[i].what, found.n);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

/* All functions of an ARI device send as function 0 is set, also to peers. */
Test(mps_check, function_0_of_an_ari_device_decides_what_peers_get)
{
	static const struct build_func funcs[] = {FUNC("0000:00:01.0", ROOT_PORT, 512, 1, 4),
						  FUNC("0000:01:00.0", UPSTREAM, 512, 2, 4),
						  FUNC("0000:02:00.0", DOWNSTREAM, 512, 3, 3),
						  FUNC("0000:02:01.0", DOWNSTREAM, 512, 4, 4),
						  SMALL("0000:03:00.0"),
						  FUNC("0000:03:00.1", ENDPOINT, 512, 0, 0),
						  SMALL("0000:04:00.0"),
						  {0}};
	struct pv_pci_machine *m = build_machine(funcs);
	struct pv_mismatches found;

	for (unsigned i = 0; i < 2; i++) {
		struct pv_pci_func *f = pv_pci_find_name(m, i ? "03:00.1" : "03:00.0");

		f->is_ari = true;
		f->space = realloc(f->space, PCI_CFG_BYTES); /* otherwise it might be no ARI device */
		f->known = PCI_CFG_BYTES;
	}
	cr_assert_eq(pv_check(m, true, &found), 0);
	cr_expect_eq(found.n_unjudged, 0);
	for (size_t i = 0; i < found.n; i++)
		cr_expect_neq(found.list[i].kind, PV_MISMATCH_PEER, "from %s", found.list[i].from->name);
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
}

Test(mps_check, a_device_without_an_answer_is_told_as_that)
{
	struct pv_pci_machine *m = read_dump("no-answer");
	struct pv_mismatches found;

	cr_assert_eq(pv_check(m, false, &found), 0);
	expect_unjudged(&found, "no-answer", "0000:01:00.0", "it does not answer");
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
}

Test(mps_check, function_0_of_an_ari_device_decides_for_all)
{
	struct pv_pci_machine *m = read_dump("ari");
	struct pv_pci_func *first = pv_pci_find_name(m, "01:00.0");
	struct pv_mismatches found;

	/* The other functions have 512, the Root Port and function 0 have 256. */
	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_expect_eq(found.n, 0);
	pv_mismatches_free(&found);
	first->space[first->pcie + PCI_EXP_DEVCTL] = 2 << PCI_EXP_DEVCTL_MPS_SHIFT;
	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_expect_eq(found.n, 10);
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
}

/* ---- texts ---- */

#define HEADING(bdf, name) bdf " " name "\n\tStatus: Cap+ 66MHz-\n"
#define BUS(n)		   "\tBus: primary=00, secondary=" n ", subordinate=" n ", sec-latency=0\n"
#define SIZES(type, mps)                                                                          \
	"\tCapabilities: [40] Express (v2) " type ", MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes\n" \
	"\t\tDevCtl:\tMaxPayload " mps " bytes, MaxReadReq 512 bytes\n\n"
#define PORT(name)     HEADING("00:02.0", "PCI bridge: " name) BUS("01") SIZES("Root Port (Slot-)", "512")
#define PORT_TO_2      HEADING("00:03.0", "PCI bridge: Example") BUS("02") SIZES("Root Port (Slot-)", "512")
#define NIC(bdf, name) HEADING(bdf, "Ethernet controller: " name) SIZES("Endpoint", "512")
#define ARI(bdf)                                     \
	HEADING(bdf, "Ethernet controller: Example") \
	"\tCapabilities: [100 v1] Alternative Routing-ID Interpretation (ARI)\n" SIZES("Endpoint", "256")
#define CUT(device, bus)                                                                                   \
	HEADING("00:" device ".0", "PCI bridge: Example")                                                  \
	BUS(bus)                                                                                           \
	"\tCapabilities: [40] Express (v2) Root Port (Slot-), MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes\n" \
	"\t\tDevCtl:\tMaxPayload 512 bytes, MaxReadReq 512 bytes\n\t\tSltCap: Attn"
#define DENIED(bdf) HEADING(bdf, "Ethernet controller: Example") "\tCapabilities: <access denied>\n\n"
#define VF	    NIC("01:02.0", "Intel Corporation Ethernet Virtual Function 700 Series")
#define QEMU	    PORT("Red Hat, Inc. QEMU PCIe Root port")
#define VMWARE	    PORT("VMware PCI Express Root Port")

/* The function of a text that cannot be judged, and the reason; NULL: all can. */
static const struct {
	const char *text, *func, *why;
} texts[] = {
	{PORT("Example") NIC("01:00.0", "Example"), NULL, NULL},
	{PORT("Example") NIC("01:00.0", "Example") VF, NULL, NULL},
	{PORT("Example") VF, "0000:01:02.0", "its PF, whose sizes count, is not in the dump"},
	{VF, "0000:01:02.0", "its PF, whose sizes count, is not in the dump"},
	{PORT("Example") VF NIC("00:03.0", "Example"), "0000:01:02.0", "its PF"},
	{PORT("Example") NIC("01:00.0", "Example") VF PORT_TO_2 NIC("02:02.0", "Intel Corporation Virtual Function"),
	 "0000:02:02.0", "its PF"},
	{PORT("Example") NIC("81:02.0", "Virtual Function"), "0000:81:02.0", "its PF"},
	{NIC("80:00.0", "Example") NIC("81:02.0", "Virtual Function"), "0000:81:02.0", "its PF"},
	{PORT("Example") NIC("00:05.0", "Virtual Function"), "0000:00:05.0", "its PF"},
	{HEADING("00:02.0", "Example") SIZES("Root Complex Integrated Endpoint", "512")
		 NIC("00:05.0", "Virtual Function"),
	 NULL, NULL},
	{PORT("Example") VF NIC("01:03.0", "Example"), "0000:01:02.0", "its PF"},
	{QEMU VF, "0000:01:02.0", "this is a guest"},
	{QEMU NIC("01:00.0", "Red Hat, Inc. Virtio 1.0 network device"), NULL, NULL},
	{VMWARE NIC("01:00.0", "Example"), "0000:01:00.0", "this is a guest"},
	{VMWARE NIC("01:00.0", "VMware VMXNET3 Ethernet Controller"), NULL, NULL},
	{PORT("Example") NIC("01:00.0", "Example") CUT("04", "05"), "0000:00:04.0",
	 "the text ends in the middle of it"},
	{PORT("Example") NIC("01:00.0", "Example") CUT("04", "05") "\n", NULL, NULL},
	{PORT("Example") NIC("01:00.0", "Example") CUT("04", "05") "\n\tKernel driver in use: pcieport", NULL, NULL},
	{PORT_TO_2 CUT("03", "02"), NULL, NULL},
	{CUT("03", "02") "\n" CUT("03", "02"), NULL, NULL},
	{PORT("Example") NIC("01:00.0", "Example") "00:1f.0 ISA bridge: x\n\tStatus: Cap- 66MHz-\n\tInterrupt: A", NULL,
	 NULL},
	{PORT("Example") ARI("01:00.0") ARI("01:00.1"), NULL, NULL},
	{PORT("Example") ARI("01:00.1"), "0000:01:00.1", "function 0, whose MPS counts for it (ARI)"},
	{PORT("Example") DENIED("01:00.0") ARI("01:00.1"), "0000:01:00.1", "function 0, whose MPS counts"},
};

Test(mps_check, a_text_that_shows_only_a_part_is_not_judged)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char path[] = "/tmp/pcieval-check-XXXXXX", what[24];
		int fd = mkstemp(path);
		struct pv_mismatches found;
		struct pv_error e = {0};

		snprintf(what, sizeof(what), "text %zu", i);
		cr_assert_eq(write(fd, texts[i].text, strlen(texts[i].text)), (ssize_t)strlen(texts[i].text));
		close(fd);
		struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
		unlink(path);
		cr_assert(m, "%s", e.text);
		cr_assert_eq(pv_check(m, false, &found), 0);
		expect_unjudged(&found, what, texts[i].func, texts[i].why);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}

/* ---- dumps ---- */

static const struct {
	const char *dump;
	size_t n, unknown;
} dumps[] = {
	{"desktop", 0, 0}, {"server-switches", 0, 0}, {"mismatch", 1, 0},      {"perf-booted", 0, 0},
	{"sriov", 0, 5},   {"not-as-root", 0, 2},     {"no-answer", 0, 1},     {"reserved", 1, 1},
	{"rcieps", 0, 0},  {"pci-bridge", 0, 0},      {"two-domains", 0, 0},   {"odd-buses", 0, 3},
	{"ari", 0, 0},	   {"hotplug-slots", 0, 0},   {"deep-switches", 0, 0}, {"two-roots", 0, 0},
};

Test(mps_check, says_of_each_dump_what_is_wrong)
{
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		struct pv_pci_machine *m = read_dump(dumps[i].dump);
		struct pv_mismatches found;

		cr_assert_eq(pv_check(m, false, &found), 0);
		cr_expect_eq(found.n, dumps[i].n, "%s: %zu", dumps[i].dump, found.n);
		cr_expect_eq(found.n_unjudged, dumps[i].unknown, "%s: %zu", dumps[i].dump, found.n_unjudged);
		pv_mismatches_free(&found);
		pv_pci_machine_free(m);
	}
}
