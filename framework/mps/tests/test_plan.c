/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: compared with the oracle; what depends on firmware; throughput computed by hand. */
#include <errno.h>
#include <stdlib.h>

#include "framework/mps/facts.h"
#include "framework/mps/json.h"
#include "framework/mps/plan.h"
#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

static struct pv_policy_plan plan_for(struct pv_pci_machine *m, enum pv_mps_policy policy)
{
	struct pv_policy_plan plan;

	cr_assert_eq(pv_policy_plan(m, policy, NULL, 0, &plan), 0);
	return plan;
}

static const struct pv_planned *planned(const struct pv_policy_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n; i++)
		if (!strcmp(plan->list[i].func->name + 5, name))
			return &plan->list[i];
	cr_assert(false, "%s is not planned", name);
	return NULL;
}

/* ---- the oracle as witness ---- */

static struct pv_cfg_image *images_of(const struct pv_pci_machine *m)
{
	struct pv_cfg_image *images = calloc(m->n, sizeof(*images));

	for (size_t i = 0; i < m->n; i++) {
		images[i].bdf = m->funcs[i].bdf;
		images[i].vf = m->funcs[i].is_vf;
		memcpy(images[i].data, m->funcs[i].space, m->funcs[i].known);
	}
	return images;
}

static void compare_with_oracle(struct pv_pci_machine *m, const char *name, enum pv_mps_policy policy)
{
	_autofree_ struct pv_cfg_image *images = images_of(m);
	_autofree_ struct pv_mps_expect *want = calloc(m->n, sizeof(*want));
	struct pv_policy_plan plan = plan_for(m, policy);
	struct pv_mps_event boot = {.how = PV_MPS_AT_BOOT, .images = images, .n = m->n};
	size_t there;

	/* The policies are numbered alike in driver and oracle. */
	cr_assert_eq(pv_oracle_mps_events((enum pv_mps_policy)policy, &boot, 1, want, &there), 0);
	for (size_t i = 0; i < plan.n; i++) {
		const struct pv_planned *p = &plan.list[i];
		const struct pv_mps_expect *w = &want[p->func - m->funcs];

		cr_expect(p->new_mps == w->mps && p->new_mrrs == w->mrrs,
			  "%s, %s, %s: expected %d and %d, got %d and %d", name, pv_mps_policy_word(policy),
			  p->func->name, w->mps, w->mrrs, p->new_mps, p->new_mrrs);
	}
	pv_policy_plan_free(&plan);
}

Test(mps_plan, sets_what_the_oracle_expects)
{
	for (const char *const *name = all_dumps; *name; name++) {
		struct pv_pci_machine *m = read_dump(*name);

		for (int policy = 0; policy < PV_MPS_POLICIES_N; policy++)
			compare_with_oracle(m, *name, (enum pv_mps_policy)policy);
		pv_pci_machine_free(m);
	}
}

Test(mps_plan, leaves_the_machine_as_it_was)
{
	for (const char *const *name = all_dumps; *name; name++) {
		struct pv_pci_machine *m = read_dump(*name), *same = read_dump(*name);
		struct pv_policy_plan plan = plan_for(m, PV_MPS_PERFORMANCE);

		for (size_t i = 0; i < m->n; i++)
			cr_expect_arr_eq(m->funcs[i].space, same->funcs[i].space, m->funcs[i].known, "%s: %s", *name,
					 m->funcs[i].name);
		pv_policy_plan_free(&plan);
		pv_pci_machine_free(m);
		pv_pci_machine_free(same);
	}
}

/* ---- firmware ---- */

Test(mps_plan, says_which_sizes_firmware_decides)
{
	static const struct {
		enum pv_mps_policy policy;
		bool mps, mrrs; /* of 01:00.0 */
	} rows[] = {
		{PV_MPS_TUNE_OFF, true, true},	    {PV_MPS_DEFAULT, true, true},    {PV_MPS_SAFE, false, true},
		{PV_MPS_PERFORMANCE, false, false}, {PV_MPS_PEER2PEER, false, true},
	};
	struct pv_pci_machine *m = read_dump("desktop");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_policy_plan plan = plan_for(m, rows[i].policy);

		cr_expect_eq(planned(&plan, "01:00.0")->mps_by_firmware, rows[i].mps, "%s",
			     pv_mps_policy_word(rows[i].policy));
		cr_expect_eq(planned(&plan, "01:00.0")->mrrs_by_firmware, rows[i].mrrs, "%s",
			     pv_mps_policy_word(rows[i].policy));
		/* A Root Complex Integrated Endpoint has its own MPSS under every policy. */
		cr_expect_not(planned(&plan, "00:1b.0")->mps_by_firmware);
		pv_policy_plan_free(&plan);
	}
	pv_pci_machine_free(m);
}

/* The sizes are the same after a boot from the smallest ones, but not after one from larger ones. */
Test(mps_plan, what_is_smallest_now_may_have_been_larger)
{
	static const struct build_func funcs[] = {{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 128, 128, 1, 1, false},
						  {"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 128, 128, 0, 0, false},
						  {0}};
	struct pv_pci_machine *m = build_machine(funcs);
	struct pv_policy_plan plan = plan_for(m, PV_MPS_TUNE_OFF);

	cr_expect(planned(&plan, "01:00.0")->mps_by_firmware);
	cr_expect(planned(&plan, "01:00.0")->mrrs_by_firmware);
	cr_expect_eq(plan.by_firmware, 2);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

static int read_initial(const struct pv_pci_machine *m, const char *text, struct pv_initial **out, size_t *n,
			struct pv_error *e)
{
	char path[] = "/tmp/initial-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	fputs(text, f);
	fclose(f);
	int err = pv_initial_read(m, path, out, n, e);
	unlink(path);
	return err;
}

static void expect_initial(const char *text, bool certain, int mps)
{
	struct pv_pci_machine *m = read_dump("two-domains");
	struct pv_initial *initial;
	struct pv_policy_plan plan;
	struct pv_error e = {0};
	size_t n;

	cr_assert_eq(read_initial(m, text, &initial, &n, &e), 0, "%s", e.text);
	cr_assert_eq(pv_policy_plan(m, PV_MPS_DEFAULT, initial, n, &plan), 0);
	cr_expect_eq(plan.by_firmware == 0, certain);
	cr_expect_eq(plan.list[1].mps, 256, "the difference is from the present value");
	cr_expect_eq(plan.list[1].new_mps, mps, "%d", plan.list[1].new_mps);
	free(initial);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

Test(mps_plan, starts_from_what_firmware_left_where_that_is_given)
{
	/* The values of one function are known; those of the others are still unknown. */
	expect_initial("[{\"bdf\": \"0000:00:01.0\", \"mps\": 128, \"mrrs\": 512}]", false, 128);
	/* An unknown size is the present one. */
	expect_initial("[{\"bdf\": \"0000:00:01.0\", \"mps\": null, \"mrrs\": 512}]", false, 256);
	expect_initial("[{\"bdf\": \"0000:00:01.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"0000:01:00.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10000:e0:06.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10000:e1:00.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10001:e0:06.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10001:e1:00.0\", \"mps\": 128, \"mrrs\": 512}]",
		       true, 128);
	/* An MPS alone is incomplete. */
	expect_initial("[{\"bdf\": \"0000:00:01.0\", \"mps\": 128},"
		       "{\"bdf\": \"0000:01:00.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10000:e0:06.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10000:e1:00.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10001:e0:06.0\", \"mps\": 128, \"mrrs\": 512},"
		       "{\"bdf\": \"10001:e1:00.0\", \"mps\": 128, \"mrrs\": 512}]",
		       false, 128);
}

#define INITIAL(key, value) "[{\"bdf\": \"00:01.0\", \"" key "\": " value "}]"

/* Counted twice, a function would stand for another one, whose values are not known. */
Test(mps_plan, initial_values_that_cannot_be)
{
	static const char *const rows[][2] = {
		{"[{\"bdf\": \"00:1f.6\"}, {\"bdf\": \"00:01.0\", \"mps\": 128}, {\"bdf\": \"0000:00:01.0\"}]",
		 "element 2: 0000:00:01.0 is there twice"},
		{"[{\"bdf\": \"00:01.0\"}] [{\"bdf\": \"01:00.0\"}]", "got more behind it, at byte 21"},
		{"[{\"bdf\": \"00:01.0\"}", "unexpected end of data"},
		{"[{\"bdf\": \"00:01.0\"}]", "got none; take it on the same machine, as root"},
		{INITIAL("mrrs", "null"), "got none; take it on the same machine, as root"},
		{INITIAL("mps", "130"),
		 "element 0: 00:01.0: mps: expected null or a power of two from 128 to 16384, got 130"},
		{INITIAL("mps", "64"), "mps: expected null or a power of two from 128 to 16384, got 64"},
		{INITIAL("mrrs", "32768"), "mrrs: expected null or a power of two from 128 to 16384, got 32768"},
		{INITIAL("mrrs", "4294967424"),
		 "mrrs: expected null or a power of two from 128 to 16384, got 4294967424"},
		{INITIAL("mrrs", "\"128\""), "mrrs: expected null or a power of two from 128 to 16384, got \"128\""},
		{INITIAL("mps", "0"), "mps: expected null or a power of two from 128 to 16384, got 0"},
	};
	struct pv_pci_machine *m = read_dump("two-domains");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_initial *initial;
		struct pv_error e = {0};
		size_t n;

		cr_expect_eq(read_initial(m, rows[i][0], &initial, &n, &e), -EINVAL);
		cr_expect(strstr(e.text, rows[i][1]), "%s", e.text);
		free(initial);
	}
	pv_pci_machine_free(m);
}

Test(mps_plan, initial_values_are_json_or_a_dump_of_this_machine)
{
	static const struct {
		const char *path, *says;
	} rows[] = {
		{"/nowhere", "/nowhere"},
		{DUMPS "/make", "no dump of PCI functions"},
		{DUMPS "/rcieps.txt", NULL},
		{DUMPS "/desktop.txt", NULL},
	};
	struct pv_pci_machine *m = read_dump("desktop");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_initial *initial;
		struct pv_error e = {0};
		size_t n;
		int err = pv_initial_read(m, rows[i].path, &initial, &n, &e);

		cr_expect_eq(err == 0, !rows[i].says, "%s: %s", rows[i].path, e.text);
		cr_expect(!rows[i].says || strstr(e.text, rows[i].says), "%s", e.text);
		free(initial);
	}
	pv_pci_machine_free(m);
}

/* ---- throughput ---- */

Test(mps_plan, predicts_by_the_slowest_link_and_the_root_ports_mps)
{
	struct pv_pci_machine *m = read_dump("server-switches");
	struct pv_policy_plan plan = plan_for(m, PV_MPS_PERFORMANCE);
	const struct pv_planned *p = planned(&plan, "04:00.0");
	double raw = 8e9 * 128 / 130 * 4 / 8;

	cr_expect_eq(p->new_mps, 256);
	/* 4096 bytes in TLPs of 128 and 256 bytes, with an overhead of 24 bytes each; completions have 20. */
	cr_expect_float_eq(p->now.write, raw * 4096 / (4096 + 32 * 24), 1);
	cr_expect_float_eq(p->then.write, raw * 4096 / (4096 + 16 * 24), 1);
	cr_expect_float_eq(p->now.read, raw * 4096 / (4096 + 32 * 20), 1);
	/* The Root Port then has 512, and read requests 256. */
	cr_expect_float_eq(p->then.read, raw * 4096 / (4096 + 16 * 20), 1);
	/* Ports send no data of their own; 06:01.0 has no function below. */
	cr_expect_eq(planned(&plan, "02:00.0")->now.write, 0);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

Test(mps_plan, completions_are_as_long_as_the_root_port_sends_them)
{
	struct pv_pci_machine *m = read_dump("mismatch");
	struct pv_policy_plan plan = plan_for(m, PV_MPS_TUNE_OFF);
	double raw = 16e9 * 128 / 130 * 8 / 8;

	/* The device has 512, the Root Port 256. */
	cr_expect_float_eq(planned(&plan, "03:00.0")->now.read, raw * 4096 / (4096 + 16 * 20), 1);
	cr_expect_float_eq(planned(&plan, "03:00.0")->now.write, raw * 4096 / (4096 + 8 * 24), 1);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

Test(mps_plan, a_slow_link_above_a_switch_is_the_limit)
{
	struct pv_pci_machine *m = read_dump("mismatch");
	struct pv_pci_func *up = pv_pci_find_name(m, "01:00.0");

	up->space[up->pcie + PCI_EXP_LNKSTA] = 0x11; /* 2.5 GT/s x1 */
	cr_expect_float_eq(pv_predict(pv_pci_find_name(m, "03:00.0"), 512, 512, 256).write,
			   2.5e9 * 8 / 10 / 8 * 4096 / (4096 + 8 * 24), 1);
	pv_pci_machine_free(m);
}

Test(mps_plan, the_links_above_a_pci_bus_do_not_count)
{
	static const struct build_func funcs[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, 256, 512, 1, 3, false},
		{"0000:01:00.0", PCI_EXP_TYPE_PCI_BRIDGE, 256, 256, 512, 2, 3, false},
		{"0000:02:00.0", PCI_EXP_TYPE_PCIE_BRIDGE, 256, 256, 512, 3, 3, false},
		{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(funcs);

	cr_expect_eq(pv_predict_top(&m->funcs[3]), &m->funcs[2]);
	cr_expect_null(pv_predict_top(&m->funcs[2]));
	cr_expect_eq(pv_predict_top(&m->funcs[1]), &m->funcs[0]);
	pv_pci_machine_free(m);
}

Test(mps_plan, no_throughput_is_predicted_without_a_link_or_at_64_gt)
{
	static const struct build_func funcs[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, 256, 512, 1, 1, false},
		{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(funcs);
	uint8_t *sta = &m->funcs[1].space[BUILD_EXP + PCI_EXP_LNKSTA];

	cr_expect_gt(pv_predict(&m->funcs[1], 256, 512, 256).write, 1e9);
	*sta = 0x86;
	cr_expect_eq(pv_predict(&m->funcs[1], 256, 512, 256).write, 0);
	*sta = 0x03;
	cr_expect_eq(pv_predict(&m->funcs[1], 256, 512, 256).read, 0);
	pv_pci_machine_free(m);
}

Test(mps_plan, functions_inside_the_root_complex_have_no_link)
{
	struct pv_pci_machine *m = read_dump("rcieps");

	cr_expect_gt(pv_link_now(pv_pci_find_name(m, "00:0a.0")).width, 0);
	cr_expect_eq(pv_link_now(pv_pci_find_name(m, "00:08.0")).width, 0, "its registers have one");
	pv_pci_machine_free(m);
}

Test(mps_plan, an_mps_that_is_refused_is_told)
{
	struct pv_pci_machine *m = read_dump("reserved");
	struct pv_policy_plan plan = plan_for(m, PV_MPS_PERFORMANCE);

	cr_expect_eq(planned(&plan, "00:01.0")->refused, 16384);
	cr_expect_eq(planned(&plan, "00:02.0")->refused, 0);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

/*
 * default lowers Root Ports only: it leaves a device behind a switch port alone, even if the port's MPS exceeds the
 * device's MPSS.
 */
Test(mps_plan, default_cannot_help_a_small_device_behind_a_switch)
{
	static const struct build_func funcs[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 512, 512, 1, 3, false},
		{"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 512, 512, 512, 2, 3, false},
		{"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 512, 512, 512, 3, 3, false},
		{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 128, 128, 512, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(funcs);
	struct pv_policy_plan plan = plan_for(m, PV_MPS_DEFAULT);
	struct pv_mismatches left = {0};
	json_object *all = pv_json_plan(&plan, &left, NULL), *last = json_object_array_get_idx(all, 3);

	cr_expect_eq(planned(&plan, "03:00.0")->refused, 512);
	cr_expect_eq(planned(&plan, "03:00.0")->new_mps, 128);
	cr_expect_eq(json_object_get_int(json_object_object_get(last, "refused_mps")), 512);
	cr_expect_null(json_object_object_get(json_object_array_get_idx(all, 0), "refused_mps"));
	json_object_put(all);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

/* Functions 1 to 9 contain MPS 512, and function 0 decides: 256 at present (PCIe 5.0 7.5.3.4). */
Test(mps_plan, functions_of_an_ari_device_send_what_function_0_has)
{
	struct pv_pci_machine *m = read_dump("ari");
	struct pv_policy_plan plan = plan_for(m, PV_MPS_PERFORMANCE);
	const struct pv_planned *first = planned(&plan, "01:00.0"), *second = planned(&plan, "01:00.1");

	cr_expect_eq(first->mps, 256);
	cr_expect_eq(second->mps, 512);
	cr_expect_gt(first->then.write, first->now.write);
	cr_expect_eq(second->now.write, first->now.write);
	cr_expect_eq(second->then.write, first->then.write);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}
