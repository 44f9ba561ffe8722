/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topologies in the agent's JSON: BDFs, bus numbers, kinds and defaults. */
#include <criterion/criterion.h>
#include <limits.h>
#include <sys/stat.h>

#include "framework/plan/tests/loaded.h"
#include "framework/util/file.h"

static struct loaded *loaded;

static void load_topology(void)
{
	loaded = load_file("framework/plan/tests/good/topology.xml");
	cr_assert_eq(loaded->err, 0, "%s", loaded->problems[0]);
}

static void drop_topology(void)
{
	loaded_free(loaded);
}

TestSuite(topology, .init = load_topology, .fini = drop_topology);

static json_object *topology(void)
{
	return json_object_object_get(pv_case_json(loaded->plans->cases[0]), "topology");
}

static json_object *member(const char *name, const char *key)
{
	json_object *nodes = json_object_object_get(topology(), "nodes");

	for (size_t i = 0; i < json_object_array_length(nodes); i++) {
		json_object *n = json_object_array_get_idx(nodes, i);

		if (!strcmp(json_object_get_string(json_object_object_get(n, "name")), name))
			return json_object_object_get(n, key);
	}
	cr_assert_fail("no node %s", name);
	return NULL;
}

static const char *text(const char *name, const char *key)
{
	return json_object_get_string(member(name, key));
}

static int number(const char *name, const char *key)
{
	return json_object_get_int(member(name, key));
}

static bool flag(const char *name, const char *key)
{
	return json_object_get_boolean(member(name, key));
}

Test(topology, buses_are_numbered_depth_first)
{
	cr_expect_eq(number("rp0", "secondary"), 1);
	cr_expect_eq(number("rp1", "secondary"), 2);
	cr_expect_eq(number("sw", "secondary"), 3);
	cr_expect_eq(number("p0", "secondary"), 4);
	cr_expect_eq(number("p1", "secondary"), 5);
	cr_expect_eq(number("p2", "secondary"), 6);
	cr_expect_eq(number("br", "secondary"), 7);
}

Test(topology, a_bridge_ends_with_the_last_bus_below_it)
{
	cr_expect_eq(number("rp1", "subordinate"), 7);
	cr_expect_eq(number("sw", "subordinate"), 7);
	cr_expect_eq(number("p0", "subordinate"), 4);
	cr_expect_eq(number("p2", "subordinate"), 7);
}

Test(topology, a_given_bus_number_holds_and_the_next_follows_it)
{
	cr_expect_eq(number("rp2", "secondary"), 0x40);
	cr_expect_eq(number("rp3", "secondary"), 0x41);
}

Test(topology, each_root_bus_numbers_from_itself_on)
{
	cr_expect_eq(number("rp4", "secondary"), 0x81);
	cr_expect_str_eq(text("far0", "bdf"), "81:00.0");
}

Test(topology, functions_of_a_device_follow_each_other)
{
	cr_expect_str_eq(text("nic0", "bdf"), "01:00.0");
	cr_expect_str_eq(text("nic0.1", "bdf"), "01:00.1");
}

Test(topology, a_device_without_a_place_gets_the_next_free_one)
{
	cr_expect_str_eq(text("gpu0", "bdf"), "40:00.3");
	cr_expect_str_eq(text("gpu1", "bdf"), "40:00.0");
}

Test(topology, ports_of_a_switch_and_conventional_devices_are_devices_of_their_bus)
{
	cr_expect_str_eq(text("sw", "bdf"), "02:00.0");
	cr_expect_str_eq(text("p0", "bdf"), "03:00.0");
	cr_expect_str_eq(text("p2", "bdf"), "03:02.0");
	cr_expect_str_eq(text("old1", "bdf"), "07:01.0");
}

Test(topology, kinds_are_those_of_the_protocol)
{
	cr_expect_str_eq(text("sw", "kind"), "upstream");
	cr_expect_str_eq(text("p0", "kind"), "downstream");
	cr_expect_str_eq(text("br", "kind"), "pci-bridge");
	cr_expect_str_eq(text("old0", "kind"), "conv-device");
	cr_expect_str_eq(text("spare0", "kind"), "endpoint");
}

Test(topology, parents_come_before_their_children)
{
	json_object *nodes = json_object_object_get(topology(), "nodes");

	for (size_t i = 0; i < json_object_array_length(nodes); i++) {
		json_object *n = json_object_array_get_idx(nodes, i);

		cr_expect_eq(json_object_get_int(json_object_object_get(n, "id")), (int)i);
		cr_expect_lt(json_object_get_int(json_object_object_get(n, "parent")), (int)i);
	}
}

Test(topology, a_ptt_serves_the_range_of_its_ports)
{
	cr_expect_str_eq(text("ptt0", "range_lower"), "00:10.0");
	cr_expect_str_eq(text("ptt0", "range_upper"), "00:12.0");
	cr_expect_eq(number("ptt0", "sicl"), 2);
	cr_expect_eq(number("ptt0", "core"), 1);
}

Test(topology, a_spare_waits_at_the_place_that_it_will_take)
{
	cr_expect(flag("spare0", "spare"));
	cr_expect_str_eq(text("spare0", "bdf"), "05:00.0");
	cr_expect_str_eq(text("spare0.1", "bdf"), "05:00.1");
	cr_expect_str_eq(text("spare1", "bdf"), "01:00.0", "the place of nic0, which must be unplugged first");
	cr_expect_not(flag("nic0", "spare"));
}

Test(topology, dllps_are_as_the_topology_says_where_a_link_says_nothing)
{
	cr_expect(flag("rp0", "dllps"));
	cr_expect_not(flag("rp1", "dllps"));
	cr_expect_not(flag("nic0", "dllps"), "there is no link below an endpoint");
}

Test(topology, attributes_and_defaults_arrive)
{
	cr_expect_str_eq(text("rp0", "speed"), "32");
	cr_expect_eq(number("rp0", "width"), 16);
	cr_expect_eq(number("rp0", "rcb"), 128);
	cr_expect_str_eq(text("rp1", "speed"), "8");
	cr_expect_eq(number("rp1", "rcb"), 64);
	cr_expect_eq(number("nic0", "mpss"), 512);
	cr_expect_eq(number("nic0", "mps"), 128);
	cr_expect_eq(number("nic0", "mrrs_max"), 4096);
	cr_expect(flag("p1", "hotplug"));
	cr_expect_str_eq(json_object_get_string(json_object_object_get(topology(), "iommu")), "translated");
	cr_expect(json_object_get_boolean(json_object_object_get(topology(), "port_pm")));
	cr_expect(json_object_get_boolean(json_object_object_get(topology(), "threadirqs")));
	cr_expect(flag("spare1", "soft_reset"));
	cr_expect_not(flag("rp0", "soft_reset"));
}

static void load_odd(void)
{
	loaded = load_file("framework/plan/tests/good/odd-devices.xml");
	cr_assert_eq(loaded->err, 0, "%s", loaded->problems[0]);
}

TestSuite(odd, .init = load_odd, .fini = drop_topology);

Test(odd, sizes_that_firmware_leaves)
{
	cr_expect_eq(number("ep", "mpss"), 16384);
	cr_expect_eq(number("ep", "mps"), 8192);
	cr_expect_eq(number("ep", "mrrs"), 16384);
	cr_expect_eq(number("ep", "mps_ro"), 6);
	cr_expect_eq(number("ep", "mrrs_ro"), 1);
	cr_expect_eq(number("old", "mps_ro"), 0);
	cr_expect_eq(number("old", "mps"), 256);
}

Test(odd, slots_and_links)
{
	cr_expect(flag("rp", "slot") && !flag("rp", "hotplug"));
	cr_expect_str_eq(text("rp", "slot_has"), "power button");
	cr_expect_eq(number("rp", "slot_number"), 17);
	cr_expect(flag("from-pci", "slot") && flag("from-pci", "hotplug"));
	cr_expect(!flag("sw", "slot") && flag("sw", "hotplug"));
	cr_expect_str_eq(text("rp", "max_speed"), "32");
	cr_expect_eq(number("rp", "max_width"), 16);
	cr_expect_eq(number("sw", "max_width"), number("sw", "width"));
}

Test(odd, places)
{
	cr_expect_str_eq(text("from-pci", "kind"), "pcie-bridge");
	cr_expect_str_eq(text("behind", "bdf"), "01:00.0");
	cr_expect_str_eq(text("part", "bdf"), "01:01.0", "a conventional bus has many devices");
	cr_expect_str_eq(text("sw", "bdf"), "03:00.0");
	cr_expect_str_eq(text("card", "bdf"), "03:00.0");
}

static json_object *cpmu(json_object *list, size_t i, const char *key)
{
	return json_object_object_get(json_object_array_get_idx(list, i), key);
}

Test(cpmus, the_example_machine_has_two_with_their_counters_and_events)
{
	struct loaded *l = load_file("scenarios/ptt-tune.xml");

	cr_assert_eq(l->err, 0, "%s", l->problems[0]);
	loaded = l;
	json_object *list = member("mem0", "cpmus");
	cr_assert_eq(json_object_array_length(list), 2);
	cr_expect_eq(json_object_get_int(cpmu(list, 0, "filters")), 1);
	cr_expect_eq(json_object_get_int(cpmu(list, 1, "msi")), 1);
	json_object *counters = cpmu(list, 0, "counter"), *caps = cpmu(list, 1, "event_caps");
	cr_expect_eq(json_object_array_length(counters), 8);
	cr_expect_eq(json_object_get_int(cpmu(counters, 0, "type")), 2, "configurable ones first");
	cr_expect_eq(json_object_get_int(cpmu(counters, 7, "type")), 1, "then the fixed one");
	cr_expect_eq(json_object_get_int(cpmu(counters, 7, "events")), 1);
	cr_expect_eq(json_object_get_int(cpmu(caps, 0, "vid")), 0x1e98);
	cr_expect_eq(json_object_get_int(cpmu(caps, 7, "vid")), 0x19e5);
	loaded_free(l);
}

/* Fixed-function and free-running counters have the given numbers, the others follow; and settings. */
Test(cpmus, counters_stand_where_the_plan_says)
{
	static const char plan[] =
		"<plan name=\"p\"><topology><root-port name=\"rp0\" bdf=\"00:10.0\"><cxl-mem name=\"mem0\">"
		"<cpmu counters=\"6\" sum-adds=\"yes\"><event-cap gid=\"0\" events=\"1\"/>"
		"<fixed events=\"1\" counter=\"0\"/><fixed events=\"2\"/><free-running events=\"4\" counter=\"2\"/>"
		"<fixed events=\"8\" counter=\"5\"/><free-running "
		"events=\"16\"/></cpmu></cxl-mem></root-port></topology>"
		"<case name=\"a\" verifies=\"CP-DV-02\"><pmu-list equals=\"x\"/></case></plan>";
	static const struct {
		int type, events;
	} want[] = {{1, 1}, {2, 0}, {0, 4}, {1, 2}, {0, 16}, {1, 8}};
	struct loaded *l = load_text(plan, sizeof(plan) - 1);

	cr_assert_eq(l->err, 0, "%s", l->problems[0]);
	loaded = l;
	json_object *list = member("mem0", "cpmus"), *counters = cpmu(list, 0, "counter");
	cr_assert_eq(json_object_array_length(counters), 6);
	for (size_t i = 0; i < 6; i++) {
		cr_expect_eq(json_object_get_int(cpmu(counters, i, "type")), want[i].type, "counter %zu", i);
		cr_expect_eq(json_object_get_int(cpmu(counters, i, "events")), want[i].events, "counter %zu", i);
	}
	cr_expect(json_object_get_boolean(cpmu(list, 0, "sum_adds")));
	cr_expect_not(json_object_get_boolean(cpmu(list, 0, "edge_compares")));
	loaded_free(l);
}

Test(topologies, overridden_bytes_reach_the_agent)
{
	struct loaded *l = load_file("scenarios/hostile.xml");

	cr_assert_eq(l->err, 0, "%s", l->problems[0]);
	loaded = l;
	json_object *list = member("odd", "config");
	cr_assert_eq(json_object_array_length(list), 3);
	cr_expect_eq(json_object_get_int(cpmu(list, 0, "offset")), 0x40);
	cr_expect_eq(json_object_get_int(cpmu(list, 0, "bytes")), 2);
	cr_expect_eq(json_object_get_int(cpmu(list, 0, "value")), 0x4005);
	cr_expect_eq(json_object_get_int(cpmu(list, 2, "bytes")), 4, "the default");
	cr_expect_eq(json_object_get_int(cpmu(list, 2, "writable")), 0, "the default");
	loaded_free(l);
}

/* ---- several PCI domains ---- */

static void load_domains(void)
{
	loaded = load_file("framework/plan/tests/good/domains.xml");
	cr_assert_eq(loaded->err, 0, "%s", loaded->problems[0]);
}

TestSuite(domains, .init = load_domains, .fini = drop_topology);

Test(domains, bus_numbers_begin_anew)
{
	cr_expect_eq(number("rp0", "secondary"), 1);
	cr_expect_eq(number("rp1", "secondary"), 1);
	cr_expect_eq(number("rp2", "secondary"), 2);
	cr_expect_eq(number("sw", "secondary"), 3);
	cr_expect_eq(number("p0", "secondary"), 4);
	cr_expect_eq(number("rp3", "secondary"), 0x81);
}

Test(domains, places_have_the_domain_of_the_bridge_above)
{
	cr_expect_str_eq(text("nic0", "bdf"), "01:00.0");
	cr_expect_str_eq(text("rp1", "bdf"), "0001:00:10.0");
	cr_expect_str_eq(text("nic1.1", "bdf"), "0001:01:00.1");
	cr_expect_str_eq(text("ssd0", "bdf"), "0001:04:00.0");
	cr_expect_str_eq(text("far0", "bdf"), "ffff:81:00.0");
	cr_expect_str_eq(text("spare1", "bdf"), "0001:02:00.0");
}

Test(domains, range_of_a_ptt_is_in_its_domain)
{
	cr_expect_str_eq(text("ptt1", "range_lower"), "0001:00:10.0");
	cr_expect_str_eq(text("ptt1", "range_upper"), "0001:00:11.0");
	cr_expect_str_eq(text("ptt0", "range_upper"), "00:10.0");
}

/* ---- NUMA nodes ---- */

Test(topologies, numa_node_of_one_function_is_that_of_its_root_bus)
{
	struct loaded *l = load_file("scenarios/numa.xml");

	cr_assert_eq(l->err, 0, "%s", l->problems[0]);
	loaded = l;
	cr_expect_eq(number("ptt0", "numa_node"), 0);
	cr_expect_eq(number("cxl0", "numa_node"), 0, "it says none itself");
	cr_expect_eq(number("rp1", "numa_node"), 1);
	cr_expect_null(member("nic1", "numa_node"), "the machine knows it from the port");
	loaded_free(l);
}

/* ---- files of topologies ---- */

static void write_text(const char *folder, const char *name, const char *content)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	cr_assert_eq(pv_file_write(path, content, strlen(content), NULL), 0, "%s", path);
}

Test(topologies, files_are_found_from_the_folder_of_the_plan)
{
	char folder[] = "/tmp/pcieval-topology-XXXXXX", plan[PATH_MAX], src[PATH_MAX];
	const char *const sources[] = {"of/it.xml", src};

	cr_assert_not_null(mkdtemp(folder));
	snprintf(src, sizeof(src), "%s/of", folder);
	mkdir(src, 0700);
	snprintf(src, sizeof(src), "%s/of/it.xml", folder);
	write_text(
		folder, "of/it.xml",
		"<topology><root-port name=\"rp0\" bdf=\"00:10.0\"><endpoint name=\"found\"/></root-port></topology>");
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		char text[2 * PATH_MAX];

		snprintf(text, sizeof(text),
			 "<plan name=\"p\"><topology src=\"%s\"/>"
			 "<case name=\"c\"><mps-get device=\"found\" equals=\"128\"/></case></plan>",
			 sources[i]);
		write_text(folder, "plan.xml", text);
		snprintf(plan, sizeof(plan), "%s/plan.xml", folder);
		loaded = load_file(plan);
		cr_assert_eq(loaded->err, 0, "%s", loaded->problems[0]);
		cr_expect_not_null(member("found", "bdf"), "%s", sources[i]);
		loaded_free(loaded);
	}
	pv_remove_all(folder);
}
