/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topologies from JSON: what is read, what is refused, how functions are found. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/topology/topology.h"
#include "framework/util/cleanup.h"

static struct pv_topology *t;
static struct pv_error e;

static int parse(const char *json)
{
	json_object *o = json_tokener_parse(json);

	cr_assert(o, "%s", json);
	e = (struct pv_error){0};
	int err = pv_topology_parse(o, &t, &e);
	json_object_put(o);
	return err;
}

static void forget(void)
{
	pv_topology_free(t);
	t = NULL;
}

TestSuite(topology, .fini = forget);

#define NODE(id, kind, name, bdf, more) \
	"{\"id\":" #id ",\"kind\":\"" kind "\",\"name\":\"" name "\",\"bdf\":\"" bdf "\"" more "}"

Test(topology, fields_become_those_of_registers)
{
	cr_assert_eq(
		parse("{\"iommu\":\"translated\",\"nodes\":[" NODE(
			0, "root-port", "rp0", "00:10.0",
			",\"parent\":-1,\"speed\":\"16\",\"width\":4,\"mpss\":512,\"mps\":256,\"mrrs_max\":1024") "]}"),
		0, "%s", e.text);
	cr_expect_eq(t->iommu, PV_IOMMU_TRANSLATES);
	cr_expect_eq(t->nodes[0].conf.bdf, 0x80);
	cr_expect_eq(t->nodes[0].conf.speed, 4);
	cr_expect_eq(t->nodes[0].conf.mpss, 2);
	cr_expect_eq(t->nodes[0].conf.mps, 1);
	cr_expect_eq(t->nodes[0].conf.mrrs_max, 3);
}

Test(topology, an_iommu_is_one_of_three)
{
	cr_assert_eq(parse("{}"), 0, "%s", e.text);
	cr_expect_eq(t->iommu, PV_IOMMU_NONE);
	forget();
	cr_assert_eq(parse("{\"iommu\":\"identity\"}"), 0, "%s", e.text);
	cr_expect_eq(t->iommu, PV_IOMMU_IDENTITY);
	forget();
	cr_assert_eq(parse("{\"iommu\":\"maybe\"}"), -EINVAL);
	cr_expect_str_eq(e.text, "topology: \"iommu\": expected none, identity or translated, got maybe");
}

Test(topology, odd_sizes_slots_and_links)
{
	cr_assert_eq(parse("{\"nodes\":[" NODE(
			     0, "pcie-bridge", "br0", "00:10.0",
			     ",\"mpss\":16384,\"mps\":8192,\"mrrs\":16384,\"mps_ro\":6,\"mrrs_ro\":1,"
			     "\"hotplug\":true,\"slot\":false,\"width\":4,\"max_width\":16,"
			     "\"speed\":\"8\",\"max_speed\":\"32\"") "," NODE(1, "root-port", "rp0", "00:11.0",
									      ",\"hotplug\":true,"
									      "\"slot_has\":\"surprise  button\","
									      "\"slot_number\":8191") "]}"),
		     0, "%s", e.text);
	const struct pv_node_conf *c = &t->nodes[0].conf;
	cr_expect_eq(c->kind, PV_NODE_PCIE_BRIDGE);
	cr_expect_eq(c->mpss, 7);
	cr_expect_eq(c->mps, 6);
	cr_expect_eq(c->mrrs, 7);
	cr_expect_eq(c->mps_ro, 6);
	cr_expect_eq(c->mrrs_ro, 1);
	cr_expect(c->hotplug && !c->slot);
	cr_expect_eq(c->max_width, 16);
	cr_expect_eq(c->max_speed, 5);
	cr_expect(t->nodes[1].conf.slot, "a hot-plug capable slot is one, unless said otherwise");
	cr_expect_eq(t->nodes[1].conf.max_width, 8);
	const struct pv_slot_conf *s = &t->nodes[1].conf.slot_has;
	cr_expect(s->surprise && s->button && !s->power && !s->indicators && !s->no_command_completed);
	cr_expect_eq(s->number, 8191);
}

Test(topology, a_slot_cannot_have_anything)
{
	cr_assert_neq(parse("{\"nodes\":[" NODE(0, "root-port", "rp0", "00:11.0",
						",\"hotplug\":true,\"slot_has\":\"power bottom\"") "]}"),
		      0);
	cr_expect(strstr(e.text, "power bottom"), "%s", e.text);
}

Test(topology, settings_of_ras_des)
{
	cr_assert_eq(parse("{\"nodes\":[" NODE(0, "root-port", "rp0", "00:10.0",
					       ",\"ras_des\":true,\"core_clk_ps\":4000,\"aux_clk_ps\":50000,"
					       "\"l1_aux_is_9\":true,\"other_lanes_read_0\":true,"
					       "\"loses_counts\":true,\"narrow_counters_stay\":true,"
					       "\"lacks_events\":\"0x007 0x718\",\"selected_anew\":true,"
					       "\"time_is_narrow\":true") "," NODE(1, "root-port", "rp1", "00:11.0",
										   ",\"ras_des\":true") "]}"),
		     0, "%s", e.text);
	const struct pv_ras_des_conf *c = &t->nodes[0].conf.ras;
	cr_expect_eq(c->core_clk_ps, 4000u);
	cr_expect_eq(c->aux_clk_ps, 50000u);
	cr_expect(c->l1_aux_is_9 && c->other_lanes_read_0 && c->loses_counts);
	cr_expect(c->narrow_counters_stay && c->selected_anew && c->time_is_narrow);
	cr_expect_eq(c->lacks_events[0], 1u << 7);
	cr_expect_eq(c->lacks_events[7], 1u << 0x18);
	c = &t->nodes[1].conf.ras;
	cr_expect(c->core_clk_ps == 1000 && !c->l1_aux_is_9 && !c->other_lanes_read_0 && !c->loses_counts,
		  "the usual one");
	cr_expect(!c->narrow_counters_stay && !c->selected_anew && !c->time_is_narrow && !c->lacks_events[0],
		  "the usual one");
}

Test(topology, events_that_a_core_lacks_have_numbers)
{
	static const char *const bad[] = {"0x", "tx_atomic", "0x800", "0x020", "-1"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char json[256];

		snprintf(json, sizeof(json),
			 "{\"nodes\":[" NODE(0, "root-port", "rp0", "00:10.0",
					     ",\"ras_des\":true,\"lacks_events\":\"%s\"") "]}",
			 bad[i]);
		cr_expect_neq(parse(json), 0, "%s", bad[i]);
		forget();
	}
}

Test(topology, functions_are_found_by_name_and_bdf)
{
	cr_assert_eq(parse("{\"nodes\":[" NODE(0, "cxl-mem", "b", "02:00.0", "") "," NODE(
			     1, "cxl-mem", "a", "01:00.0", "") "," NODE(2, "cxl-mem", "s", "00:05.0",
									",\"spare\":true") "]}"),
		     0, "%s", e.text);
	cr_expect_str_eq(pv_topology_node(t, "b")->name, "b");
	cr_expect_str_eq(pv_topology_node(t, "01:00.0")->name, "a");
	cr_expect_null(pv_topology_node(t, "03:00.0"));
}

Test(topology, a_spare_gives_way_to_what_is_there)
{
	cr_assert_eq(parse("{\"nodes\":[" NODE(0, "endpoint", "spare", "01:00.0",
					       ",\"spare\":true") "," NODE(1, "endpoint", "nic", "01:00.0", "") "]}"),
		     0);
	cr_expect_str_eq(pv_topology_by_bdf(t, 0x100)->name, "nic");
}

Test(topology, what_hangs_together_is_known)
{
	cr_assert_eq(
		parse("{\"nodes\":[" NODE(0, "root-port", "rp", "00:10.0", "") "," NODE(
			1, "endpoint", "f0", "01:00.0",
			",\"parent\":0") "," NODE(2, "endpoint", "f1", "01:00.1",
						  ",\"parent\":0") "," NODE(3, "endpoint", "x", "02:00.0", "") "]}"),
		0, "%s", e.text);
	cr_expect(pv_topology_below(t, &t->nodes[1], &t->nodes[0]));
	cr_expect(pv_topology_below(t, &t->nodes[2], &t->nodes[1]), "functions of one device");
	cr_expect_not(pv_topology_below(t, &t->nodes[3], &t->nodes[0]));
	cr_expect_not(pv_topology_below(t, &t->nodes[0], &t->nodes[1]));
}

Test(topology, cpmus_are_read_with_their_counters)
{
	cr_assert_eq(parse("{\"nodes\":[" NODE(0, "cxl-mem", "m", "01:00.0",
					       ",\"cpmus\":[{\"counters\":3,\"width\":32,\"event_caps\":[{\"vid\":7832,"
					       "\"gid\":16,\"events\":2}],"
					       "\"counter\":[{\"type\":1,\"group\":0,\"events\":2}]}]") "]}"),
		     0, "%s", e.text);
	const struct pv_cpmu_conf *c = t->nodes[0].conf.cpmu;
	cr_expect_eq(t->nodes[0].conf.cpmus, 1);
	cr_expect_eq(c->counters, 3);
	cr_expect_eq(c->event_cap[0].gid, 16);
	cr_expect_eq(c->counter[0].type, 1);
	cr_expect_eq(c->counter[2].type, 2, "configurable, where nothing is said");
}

Test(topology, wrong_values_are_refused_by_name)
{
	static const char *const bad[] = {
		"{\"nodes\":5}",
		"{\"nodes\":[" NODE(0, "teapot", "x", "00:10.0", "") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x\\ny", "00:10.0", "") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "", "00:10.0", "") "]}",
		"{\"nodes\":[{\"kind\":\"endpoint\",\"bdf\":\"00:10.0\"}]}",
		"{\"nodes\":[{\"kind\":\"endpoint\",\"name\":5,\"bdf\":\"00:10.0\"}]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "0:0", "") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:20.0", "") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.8", "") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"parent\":0") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"mps\":100") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"mps\":\"128\"") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"width\":3") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"secondary\":256") "]}",
		"{\"nodes\":[" NODE(0, "endpoint", "x", "00:10.0", ",\"vf\":1") "]}",
		"{\"nodes\":[" NODE(0, "cxl-mem", "x", "00:10.0", ",\"cpmus\":[{\"counters\":0}]") "]}",
		"{\"nodes\":[" NODE(0, "cxl-mem", "x", "00:10.0",
				    ",\"cpmus\":[{\"counters\":1,\"counter\":[{},{}]}]") "]}",
		"{\"nodes\":[" NODE(0, "cxl-mem", "x", "00:10.0", ",\"cpmus\":[{\"width\":65}]") "]}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(parse(bad[i]), -EINVAL, "%s", bad[i]);
		cr_expect(strstr(e.text, "expected") && strstr(e.text, "got"), "%s: %s", bad[i], e.text);
		cr_expect_null(strchr(e.text, '\n'), "%s: %s", bad[i], e.text);
	}
}

Test(topology, buses_are_listed_once_in_ascending_order)
{
	static const char json[] = "{\"nodes\":[" NODE(0, "root-port", "a", "0100:00:10.0", "") "," NODE(
		1, "root-port", "b", "00:10.0", "") "," NODE(2, "root-port", "c", "0100:00:11.0",
							     "") "," NODE(3, "root-port", "d", "0002:00:11.0", "") "]}";

	cr_assert_eq(parse(json), 0, "%s", e.text);
	cr_assert_eq(t->n_buses, 3);
	cr_expect_eq(t->buses[0], 0);
	cr_expect_eq(t->buses[1], PCI_IN_DOMAIN(2, 0));
	cr_expect_eq(t->buses[2], PCI_IN_DOMAIN(0x100, 0));
	cr_expect_str_eq(pv_topology_node(t, "0100:00:11.0")->name, "c");
	cr_expect_str_eq(pv_topology_node(t, "00:10.0")->name, "b");
}

/* Three CPUs for two nodes, and one bus that has none. */
#define THREE_BUSES(cpus, node)                                                                                    \
	"{\"cpus\":" #cpus ",\"nodes\":[" NODE(0, "root-port", "rp0", "00:10.0", ",\"numa_node\":0") "," NODE(     \
		1, "endpoint", "nic0", "01:00.0",                                                                  \
		",\"parent\":0") "," NODE(2, "root-port", "rp1", "0001:00:10.0",                                   \
					  ",\"numa_node\":" #node) "," NODE(3, "root-port", "rp2", "0002:00:10.0", \
									    "") "]}"

Test(topology, cpus_are_dealt_out_to_numa_nodes)
{
	cr_assert_eq(parse(THREE_BUSES(3, 1)), 0, "%s", e.text);
	cr_expect_eq(t->numa_nodes, 2);
	cr_expect_eq(pv_topology_local_cpus(t, PCI_BDF(0, 0x10, 0)), 3);
	cr_expect_eq(pv_topology_local_cpus(t, PCI_BDF(1, 0, 0)), 3, "as the port above it");
	cr_expect_eq(pv_topology_local_cpus(t, PCI_IN_DOMAIN(1, PCI_BDF(0, 0x10, 0))), 4);
	cr_expect_eq(pv_topology_local_cpus(t, PCI_IN_DOMAIN(2, PCI_BDF(0, 0x10, 0))), 0, "it has none");
	cr_expect_eq(pv_topology_local_cpus(t, PCI_BDF(7, 0, 0)), 0, "there is no such function");
	cr_expect_eq(t->nodes[3].numa_node, -1);
}

Test(topology, each_numa_node_has_a_cpu)
{
	cr_expect_eq(parse(THREE_BUSES(2, 2)), -EINVAL);
	cr_expect_str_eq(e.text, "topology: 3 NUMA nodes: expected a CPU for each, got 2");
	cr_expect_eq(parse(THREE_BUSES(2, 8)), -EINVAL);
}
