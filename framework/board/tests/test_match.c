/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan's topology on small machines: a Root Port with a RAS D.E.S. capability, an endpoint below it, a CXL memory
 * device with two CPMUs, a PTT. Each test changes one byte of a function, or one word of the plan.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/ptt.h"
#include "framework/board/match.h"
#include "framework/util/file.h"

#define EXP 0x40u  /* PCI Express capability */
#define EXT 0x100u /* first extended capability */

/* ---- the machine ---- */

enum { PORT, NIC, MEM, PTT, FUNCTIONS };

static struct {
	const char *name;
	uint8_t space[4096];
	bool absent;
} function[FUNCTIONS] = {
	{.name = "0000:00:10.0"}, {.name = "0000:01:00.0"}, {.name = "0000:00:11.0"}, {.name = "0000:00:08.0"}};

static void put(unsigned f, unsigned off, unsigned bytes, uint32_t value)
{
	memcpy(function[f].space + off, &value, bytes);
}

static void make_function(unsigned f, uint32_t ids, uint32_t class, int type)
{
	memset(function[f].space, 0, sizeof(function[f].space));
	put(f, PCI_VENDOR_ID, 4, ids);
	put(f, PCI_CLASS - 1, 4, class << 8);
	put(f, PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	put(f, PCI_CAPABILITIES, 1, EXP);
	put(f, EXP, 1, PCI_CAP_ID_EXP);
	put(f, EXP + PCI_EXP_FLAGS, 2, 2u | (unsigned)type << PCI_EXP_FLAGS_TYPE_SHIFT);
	put(f, EXP + PCI_EXP_DEVCAP, 4, 2); /* 512 bytes */
	function[f].absent = false;
}

static void make_port(void)
{
	make_function(PORT, 0x00011ded, 0x060400, PCI_EXP_TYPE_ROOT_PORT);
	put(PORT, PCI_HEADER_TYPE, 1, PCI_HEADER_TYPE_BRIDGE);
	put(PORT, PCI_SECONDARY_BUS, 2, 0x0101);
	put(PORT, EXP + PCI_EXP_LNKCAP, 4, 8 << PCI_EXP_LNKCAP_WIDTH_SHIFT | 3);
	put(PORT, EXT, 4, 1u << 16 | PCI_EXT_CAP_ID_VSEC);
	put(PORT, EXT + 4, 4, DWC_VSEC_BYTES << 20 | DWC_VSEC_REV << 16 | DWC_VSEC_ID);
}

static void make_mem(void)
{
	make_function(MEM, 0x0d931234, CXL_MEM_CLASS, PCI_EXP_TYPE_RC_END);
	put(MEM, EXT, 4, 1u << 16 | PCI_EXT_CAP_ID_DVSEC);
	put(MEM, EXT + 4, 4, (CXL_REG_LOCATOR_FIRST + 2 * CXL_REG_LOCATOR_ENTRY_BYTES) << 20 | CXL_DVSEC_VENDOR_ID);
	put(MEM, EXT + 8, 2, CXL_DVSEC_REG_LOCATOR_ID);
	for (unsigned i = 0; i < 2; i++)
		put(MEM, EXT + CXL_REG_LOCATOR_FIRST + i * CXL_REG_LOCATOR_ENTRY_BYTES, 4,
		    i << 16 | CXL_REG_BLOCK_CPMU << CXL_REG_LOCATOR_ID_SHIFT);
}

static char tree[] = "/dev/shm/pv-match-XXXXXX";

static void setup(void)
{
	cr_assert_not_null(mkdtemp(tree));
	make_port();
	make_function(NIC, 0x10158086, 0x020000, PCI_EXP_TYPE_ENDPOINT);
	make_mem();
	make_function(PTT, (uint32_t)PTT_DEVICE_ID << 16 | PTT_VENDOR_ID, 0xff0000, PCI_EXP_TYPE_RC_END);
}

static void teardown(void)
{
	pv_remove_all(tree);
}

TestSuite(match, .init = setup, .fini = teardown);

/* Makes a tree like /sys/bus/pci; `known` bytes of each function are readable. */
static struct pv_pci_machine *machine(size_t known)
{
	struct pv_error e = {0};
	char path[128];

	for (unsigned f = 0; f < FUNCTIONS; f++) {
		snprintf(path, sizeof(path), "%s/devices/%s", tree, function[f].name);
		if (function[f].absent)
			continue;
		cr_assert_eq(pv_mkdir_all(path, 0777), 0);
		strcat(path, "/config");
		int fd = open(path, O_WRONLY | O_CREAT, 0666);
		cr_assert_eq(write(fd, function[f].space, known), (ssize_t)known);
		close(fd);
	}
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_SYSFS, tree, &e);
	cr_assert_not_null(m, "%s", e.text);
	return m;
}

/* ---- the plan ---- */

#define CPMU "{\"counters\":4}"
#define PORT_                                                                                                         \
	"{\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"secondary\":1,\"subordinate\":1,\"ras_des\":" \
	"true"
#define NIC_ "{\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0"
#define MEM_ "{\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"00:11.0\",\"cpmus\":[" CPMU "," CPMU "]}"
#define PTT_ "{\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:08.0\""
#define ALL  PORT_ "}," NIC_ "}," MEM_ "," PTT_ "}"

static const struct pv_board_description *vouching;

static int match(const char *nodes, struct pv_pci_machine *m, struct pv_error *e)
{
	char text[2048];
	struct pv_topology *t;

	snprintf(text, sizeof(text), "{\"nodes\":[%s]}", nodes);
	json_object *o = json_tokener_parse(text);
	*e = (struct pv_error){0};
	cr_assert_eq(pv_topology_parse(o, &t, e), 0, "%s", e->text);
	int err = pv_board_match(t, m, vouching, e);
	pv_topology_free(t);
	json_object_put(o);
	pv_pci_machine_free(m);
	return err;
}

static void expect_fits(const char *nodes)
{
	struct pv_error e;

	cr_expect_eq(match(nodes, machine(4096), &e), 0, "%s", e.text);
}

static void expect_differs(const char *nodes, const char *says)
{
	struct pv_error e;

	cr_expect_eq(match(nodes, machine(4096), &e), -EOPNOTSUPP, "expected %s", says);
	cr_expect_str_eq(e.text, says);
}

/* ---- tests ---- */

Test(match, a_machine_that_has_it_all)
{
	expect_fits(ALL);
}

Test(match, a_plan_needs_only_what_it_names)
{
	expect_fits(PTT_ "}");
}

Test(match, a_function_that_is_plugged_in_later_is_not_missed)
{
	function[NIC].absent = true;
	expect_fits(PORT_ "}," NIC_ ",\"spare\":true}");
}

Test(match, a_function_that_is_missing)
{
	function[NIC].absent = true;
	expect_differs(ALL, "nic0 at 01:00.0: expected endpoint, got no function there");
}

Test(match, the_first_is_named_and_the_rest_counted)
{
	function[NIC].absent = function[PTT].absent = true;
	expect_differs(ALL,
		       "nic0 at 01:00.0: expected endpoint, got no function there; 2 of the plan's 4 functions are "
		       "missing or differ");
}

Test(match, another_domain_is_another_place)
{
	expect_differs("{\"kind\":\"ptt\",\"name\":\"far\",\"bdf\":\"0001:00:08.0\"}",
		       "far at 0001:00:08.0: expected PTT, got no function there");
}

Test(match, another_kind)
{
	put(NIC, EXP + PCI_EXP_FLAGS, 2, 2u | PCI_EXP_TYPE_LEG_END << PCI_EXP_FLAGS_TYPE_SHIFT);
	expect_differs(ALL, "nic0 at 01:00.0: expected endpoint, got legacy endpoint (8086:1015)");
}

Test(match, another_device_in_the_ptts_place)
{
	put(PTT, PCI_DEVICE_ID, 2, 0xa12f);
	expect_differs(ALL, "ptt0 at 00:08.0: expected PTT, got Root Complex Integrated Endpoint (19e5:a12f)");
}

Test(match, another_class_in_the_memory_devices_place)
{
	put(MEM, PCI_CLASS - 1, 4, 0x050200 << 8);
	expect_differs(ALL,
		       "mem0 at 00:11.0: expected CXL memory device, got Root Complex Integrated Endpoint (1234:0d93)");
}

Test(match, ids_that_the_plan_asks_for)
{
	expect_fits(PORT_ "}," NIC_ ",\"vendor\":32902,\"device\":4117}");
	expect_differs(PORT_ "}," NIC_ ",\"vendor\":32902,\"device\":4118}",
		       "nic0 at 01:00.0: expected ids 8086:1016, got 8086:1015");
}

Test(match, another_parent)
{
	put(PORT, PCI_SECONDARY_BUS, 2, 0x0202);
	expect_differs(ALL, "nic0 at 01:00.0: expected below 00:10.0, got on a root bus");
}

Test(match, a_port_above_what_is_to_be_on_a_root_bus)
{
	expect_differs("{\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\"}",
		       "nic0 at 01:00.0: expected on a root bus, got below 0000:00:10.0");
}

Test(match, a_port_without_the_capability)
{
	put(PORT, EXT + 4, 4, DWC_VSEC_BYTES << 20 | DWC_VSEC_REV << 16 | 3);
	expect_differs(ALL,
		       "rp0 at 00:10.0: expected DWC RAS D.E.S. capability: yes, got DWC RAS D.E.S. capability: no");
}

Test(match, another_revision_of_the_capability)
{
	put(PORT, EXT + 4, 4, DWC_VSEC_BYTES << 20 | (DWC_VSEC_REV - 1) << 16 | DWC_VSEC_ID);
	expect_differs(ALL,
		       "rp0 at 00:10.0: expected DWC RAS D.E.S. capability: yes, got DWC RAS D.E.S. capability: no");
}

Test(match, a_capability_that_the_plan_has_not)
{
	expect_differs("{\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\"}",
		       "rp0 at 00:10.0: expected DWC RAS D.E.S. capability: no, got DWC RAS D.E.S. capability: yes");
}

#define OTHER_CLOCKS                                                                                                   \
	"rp0 at 00:10.0: expected a RAS D.E.S. core that loses counts, or has other clocks or reports, got no way to " \
	"have it on a real machine"
#define PORT_BDF PCI_BDF(0, 16, 0)
#define NIC_BDF	 PCI_BDF(1, 0, 0)

/* `pcieval list --json` prints such clocks for a plan without clocks. */
Test(match, clocks_that_a_plan_does_not_ask_for)
{
	expect_fits(PORT_ ",\"core_clk_ps\":1000,\"aux_clk_ps\":40000}," NIC_ "}");
	expect_differs(PORT_ ",\"core_clk_ps\":2000,\"aux_clk_ps\":40000}", OTHER_CLOCKS);
	expect_differs(PORT_ ",\"core_clk_ps\":1000,\"aux_clk_ps\":10000}", OTHER_CLOCKS);
}

Test(match, what_the_lab_vouches_for)
{
	pv_bdf nic = NIC_BDF, port = PORT_BDF;
	const struct pv_board_description for_nic = {.vouched = &nic, .n_vouched = 1},
					  for_port = {.vouched = &port, .n_vouched = 1},
					  for_all = {.vouches_for_all = true};

	vouching = &for_nic;
	expect_differs(PORT_ ",\"core_clk_ps\":2000}", OTHER_CLOCKS);
	vouching = &for_port;
	expect_fits(PORT_ ",\"core_clk_ps\":2000}");
	vouching = &for_all;
	expect_fits(PORT_ ",\"core_clk_ps\":2000}");
	expect_differs("{\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\"}",
		       "rp0 at 00:10.0: expected DWC RAS D.E.S. capability: no, got DWC RAS D.E.S. capability: yes");
}

Test(match, another_number_of_cpmus)
{
	put(MEM, EXT + CXL_REG_LOCATOR_FIRST + CXL_REG_LOCATOR_ENTRY_BYTES, 4,
	    CXL_REG_BLOCK_COMPONENT << CXL_REG_LOCATOR_ID_SHIFT);
	expect_differs(ALL, "mem0 at 00:11.0: expected CPMUs: 2, got CPMUs: 1");
}

Test(match, another_width)
{
	put(PORT, EXP + PCI_EXP_LNKCAP, 4, 4 << PCI_EXP_LNKCAP_WIDTH_SHIFT | 3);
	expect_differs(ALL, "rp0 at 00:10.0: expected lanes 8, got lanes 4");
}

Test(match, another_mps_that_is_supported)
{
	put(NIC, EXP + PCI_EXP_DEVCAP, 4, 1);
	expect_differs(ALL, "nic0 at 01:00.0: expected MPS of at most 512, got MPS of at most 256");
}

Test(match, a_slot)
{
	expect_differs(PORT_ ",\"hotplug\":true}",
		       "rp0 at 00:10.0: expected hot-plug slot: yes, got hot-plug slot: no");
	put(PORT, EXP + PCI_EXP_SLTCAP, 4, PCI_EXP_SLTCAP_HPC);
	put(PORT, EXP + PCI_EXP_FLAGS, 2, 2u | PCI_EXP_TYPE_ROOT_PORT << PCI_EXP_FLAGS_TYPE_SHIFT | PCI_EXP_FLAGS_SLOT);
	expect_fits(PORT_ ",\"hotplug\":true}");
}

Test(match, a_virtual_function)
{
	expect_differs(PORT_ "}," NIC_ ",\"vf\":true}",
		       "nic0 at 01:00.0: expected virtual function: yes, got virtual function: no");
}

Test(match, bytes_that_the_plan_sets_apart)
{
#define BYTES(value, writable) \
	PTT_ ",\"config\":[{\"offset\":128,\"bytes\":4,\"value\":" value ",\"writable\":" writable "}]}"
	put(PTT, 128, 4, 0x1234);
	expect_fits(BYTES("4660", "0"));
	expect_differs(BYTES("4661", "0"),
		       "ptt0 at 00:08.0: expected 0x1235 at 0x80 of configuration space, got 0x1234");
	expect_fits(BYTES("4661", "1"));
}

Test(match, what_no_machine_can_be_asked_for)
{
	static const char *const wishes[] = {"\"rubbish\":true",      "\"held\":3",   "\"so\":\"one\"",
					     "\"time\":\"distance\"", "\"mps_ro\":1", "\"mrrs_max\":1024",
					     "\"l1_aux_is_9\":true"};
	struct pv_error e;
	char nodes[256];

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		snprintf(nodes, sizeof(nodes), PTT_ ",%s}", wishes[i]);
		cr_expect_eq(match(nodes, machine(4096), &e), -EOPNOTSUPP, "%s", wishes[i]);
		cr_expect(strstr(e.text, "no way to have it on a real machine"), "%s: %s", wishes[i], e.text);
	}
}

Test(match, without_rights_nothing_is_known)
{
	struct pv_error e;

	cr_expect_eq(match(PTT_ "}", machine(64), &e), -EOPNOTSUPP);
	cr_expect_str_eq(e.text,
			 "ptt0 at 00:08.0: expected all of its configuration space, got 64 bytes, as anyone but "
			 "root (CAP_SYS_ADMIN)");
}

Test(match, a_function_that_does_not_answer)
{
	memset(function[PTT].space, 0xff, sizeof(function[PTT].space));
	expect_differs(PTT_ "}", "ptt0 at 00:08.0: expected an answer, got all ones: it is powered down or gone");
}

/* ---- CPUs ---- */

/* Expects a result for one function, on node 1 of two; `more` "": it is on no node. */
static void expect_cpus(const char *cpus, const char *more, const char *environment, const char *says)
{
	struct pv_error e = {0};
	struct pv_topology *t;
	char text[512];

	snprintf(text, sizeof(text), "{\"cpus\":%s,\"nodes\":[%s%s}]}", cpus, PORT_, more);
	json_object *plan = json_tokener_parse(text), *said = *environment ? json_tokener_parse(environment) : NULL;
	cr_assert_eq(pv_topology_parse(plan, &t, &e), 0, "%s", e.text);
	cr_expect_eq(pv_board_match_environment(t, said, &e), *says ? -EOPNOTSUPP : 0, "%s, not: %s", environment,
		     says);
	cr_expect_str_eq(e.text, says);
	pv_topology_free(t);
	json_object_put(plan);
	json_object_put(said);
}

#define ON_1  ",\"numa_node\":1"
#define TWO   "\"CPUs\":\"0-3\",\"NUMA node0\":\"CPUs 0-1\",\"NUMA node1\":\"CPUs 2-3\""
#define HERE_ "\"pci 0000:00:10.0\":\"class 0x060400, ids 0x1234 0x5678, NUMA node "

Test(match, a_plan_for_one_cpu_takes_any_machine)
{
	expect_cpus("1", "", "", "");
	expect_cpus("1", "", "{" TWO "}", "");
}

Test(match, cpus_are_those_of_the_plan)
{
	expect_cpus("3", "", "{\"CPUs\":\"0-2\"}", "");
	expect_cpus("3", "", "{\"CPUs\":\"0-2\",\"NUMA node0\":\"CPUs 0-2\"}", "");
	expect_cpus("3", "", "", "expected CPUs 0-2, got no word of its CPUs");
	expect_cpus("3", "", "{\"CPUs\":\"0-127\"}", "expected CPUs 0-2, got 0-127");
	expect_cpus("4", "", "{" TWO "}", "expected 1 NUMA node, got more");
}

Test(match, numa_nodes_are_those_of_the_plan)
{
	expect_cpus("4", ON_1, "{" TWO "," HERE_ "1\"}", "");
	expect_cpus("4", ON_1, "{" TWO "," HERE_ "0\"}", "rp0 at 00:10.0: expected it on NUMA node 1");
	expect_cpus("4", ON_1, "{" TWO "}", "rp0 at 00:10.0: expected it on NUMA node 1");
	expect_cpus("4", ON_1, "{" TWO ",\"NUMA node2\":\"no CPUs\"," HERE_ "1\"}", "expected 2 NUMA nodes, got more");
	expect_cpus("4", ON_1, "{\"CPUs\":\"0-3\",\"NUMA node0\":\"CPUs 0-3\"," HERE_ "1\"}",
		    "NUMA node0: expected CPUs 0-1, got CPUs 0-3");
	expect_cpus("2", ON_1, "{\"CPUs\":\"0-1\",\"NUMA node0\":\"CPUs 0\"," HERE_ "1\"}",
		    "NUMA node1: expected CPUs 1, got no such node");
}

/* ---- IOMMU ---- */

static void expect_iommu(const char *iommu, const char *ptt, const char *says)
{
	struct pv_error e = {0};
	struct pv_topology *t;
	char text[512], facts[128];

	snprintf(text, sizeof(text), "{\"iommu\":\"%s\",\"nodes\":[%s},%s}]}", iommu, PORT_, PTT_);
	snprintf(facts, sizeof(facts), "{\"pci 0000:00:08.0\":\"class 0xff0000%s\"}", ptt);
	json_object *plan = json_tokener_parse(text), *said = json_tokener_parse(facts);
	cr_assert_eq(pv_topology_parse(plan, &t, &e), 0, "%s", e.text);
	cr_expect_eq(pv_board_match_environment(t, said, &e), *says ? -EOPNOTSUPP : 0, "%s, %s", iommu, ptt);
	cr_expect_str_eq(e.text, says);
	pv_topology_free(t);
	json_object_put(plan);
	json_object_put(said);
}

Test(match, the_domain_of_a_ptt_is_that_of_the_plan)
{
	expect_iommu("none", "", "");
	expect_iommu("none", ", IOMMU identity", "");
	expect_iommu("identity", ", IOMMU identity", "");
	expect_iommu("identity", "", "ptt0 at 00:08.0: expected it behind an IOMMU identity");
	expect_iommu("identity", ", IOMMU DMA", "ptt0 at 00:08.0: expected it behind an IOMMU identity");
	expect_iommu("translated", ", IOMMU DMA", "");
	expect_iommu("translated", ", IOMMU DMA-FQ", "");
	expect_iommu("translated", ", IOMMU identity", "ptt0 at 00:08.0: expected it behind an IOMMU DMA");
}
