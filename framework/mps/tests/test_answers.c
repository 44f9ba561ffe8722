/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of check: working cures, evidence, remarks. */
#include <errno.h>

#include "framework/mps/cure.h"
#include "framework/mps/facts.h"
#include "framework/mps/remark.h"
#include "framework/mps/whatif.h"
#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

static const struct build_func pair[] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 256, 512, 1, 1, false},
	{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{"0000:01:00.1", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{0},
};

static uint8_t *exp_of(struct pv_pci_machine *m, size_t i, unsigned off)
{
	return m->funcs[i].space + BUILD_EXP + off;
}

/* Returns the remark of a function that contains these words; "": none. */
static const char *remark_of(const struct pv_remarks *r, const struct pv_pci_func *f, const char *words)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].func == f && strstr(r->list[i].text, words))
			return r->list[i].text;
	return "";
}

static struct pv_remarks remarks_of(const struct pv_pci_machine *m)
{
	struct pv_mismatches found;
	struct pv_remarks r;

	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_assert_eq(pv_remarks_find(m, &found, &r), 0);
	pv_mismatches_free(&found);
	return r;
}

Test(mps_answers, a_machine_that_is_right_has_no_remarks)
{
	struct pv_pci_machine *m = build_machine(pair);
	struct pv_remarks r = remarks_of(m);

	cr_expect_eq(r.n, 0, "%s", r.list[0].text);
	pv_remarks_free(&r);
	pv_pci_machine_free(m);
}

Test(mps_answers, a_link_below_what_both_ends_can_is_told)
{
	struct pv_pci_machine *m = build_machine(pair);
	struct pv_remarks r;

	*exp_of(m, 1, PCI_EXP_LNKSTA) = 0x42; /* 5 GT/s x4 */
	r = remarks_of(m);
	cr_expect_str_eq(remark_of(&r, &m->funcs[1], "link"), "its link runs at 5GT/s x4, and both ends can 8GT/s x8");
	pv_remarks_free(&r);
	/* The device's maximum is no faster: no remark. */
	*exp_of(m, 1, PCI_EXP_LNKCAP) = 0x42;
	r = remarks_of(m);
	cr_expect_str_eq(remark_of(&r, &m->funcs[1], "link"), "");
	pv_remarks_free(&r);
	pv_pci_machine_free(m);
}

Test(mps_answers, a_slow_link_of_an_ari_device_is_told_once)
{
	struct build_func ari[ARRAY_SIZE(pair)];

	memcpy(ari, pair, sizeof(ari));
	ari[2].name = "0000:01:01.0"; /* function 8 */
	struct pv_pci_machine *m = build_machine(ari);
	*exp_of(m, 1, PCI_EXP_LNKSTA) = *exp_of(m, 2, PCI_EXP_LNKSTA) = 0x42;
	struct pv_remarks r = remarks_of(m);

	cr_expect_str_neq(remark_of(&r, &m->funcs[1], "link"), "");
	cr_expect_str_eq(remark_of(&r, &m->funcs[2], "link"), "");
	pv_remarks_free(&r);
	pv_pci_machine_free(m);
}

Test(mps_answers, functions_of_one_device_with_different_sizes_are_told)
{
	struct pv_pci_machine *m = build_machine(pair);
	struct pv_remarks r;

	*exp_of(m, 2, PCI_EXP_DEVCTL) = 0;
	r = remarks_of(m);
	cr_expect_str_eq(remark_of(&r, &m->funcs[2], "MPS"), "MPS 128, and function 0 of the same device has 256");
	cr_expect_str_eq(remark_of(&r, &m->funcs[1], "MPS"), "");
	pv_remarks_free(&r);
	m->funcs[2].is_ari = true;
	r = remarks_of(m);
	cr_expect_str_eq(remark_of(&r, &m->funcs[2], "MPS"), "", "function 0 decides");
	pv_remarks_free(&r);
	m->funcs[2].is_ari = false;
	m->funcs[2].is_ari_orphan = true;
	r = remarks_of(m);
	cr_expect_str_eq(remark_of(&r, &m->funcs[2], "MPS"), "", "an absent function 0 decides");
	pv_remarks_free(&r);
	pv_pci_machine_free(m);
}

Test(mps_answers, tags_are_of_what_is_enabled)
{
	struct pv_pci_machine *m = build_machine(pair);

	cr_expect_eq(pv_tags_of(&m->funcs[1]), 32);
	exp_of(m, 1, PCI_EXP_DEVCTL)[1] |= PCI_EXP_DEVCTL_EXT_TAG >> 8;
	cr_expect_eq(pv_tags_of(&m->funcs[1]), 256);
	exp_of(m, 1, PCI_EXP_DEVCTL2)[1] |= PCI_EXP_DEVCTL2_10BIT_TAG_REQ >> 8;
	cr_expect_eq(pv_tags_of(&m->funcs[1]), 768);
	/* Version 1 of the capability lacks this register. */
	*exp_of(m, 1, PCI_EXP_FLAGS) = 1;
	cr_expect_eq(pv_tags_of(&m->funcs[1]), 256);
	pv_pci_machine_free(m);
}

Test(mps_answers, coalescing_is_told_where_it_is_on)
{
	struct pv_pci_machine *m =
		build_machine((const struct build_func[]){{"0000:00:00.0", -1, 0, 0, 0, 0, 0, false}, {0}});

	build_put(m->funcs[0].space, PCI_VENDOR_ID, 4, 0x25c08086);
	cr_expect_null(pv_coalescing_erratum(m));
	build_put(m->funcs[0].space, 0x48, 2, 1 << 10);
	cr_expect_eq(pv_coalescing_erratum(m), &m->funcs[0]);
	build_put(m->funcs[0].space, PCI_VENDOR_ID, 4, 0x29c08086);
	cr_expect_null(pv_coalescing_erratum(m));
	pv_pci_machine_free(m);
}

/* Each policy named in a cure must leave no such mismatch, and the machine unchanged. */
Test(mps_answers, what_a_plan_leaves_is_found_on_a_copy)
{
	struct pv_pci_machine *m = read_dump("mismatch");
	struct pv_policy_plan plan;
	struct pv_mismatches left;

	cr_assert_eq(pv_policy_plan(m, PV_MPS_SAFE, NULL, 0, &plan), 0);
	cr_assert_eq(pv_plan_left(m, &plan, false, &left), 0);
	cr_expect_eq(left.n, 0);
	pv_mismatches_free(&left);
	cr_assert_eq(pv_check(m, false, &left), 0);
	cr_expect_eq(left.n, 1, "the machine keeps its sizes");
	pv_mismatches_free(&left);
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
}

Test(mps_answers, cures_are_what_policies_do)
{
	struct pv_pci_machine *m = read_dump("mismatch");
	struct pv_mismatches found;
	struct pv_cures cures;

	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_assert_eq(pv_cures_find(m, false, &cures), 0);
	cr_assert_eq(found.n, 1);
	_autofree_ char *cure = pv_cure_text(&cures, &found.list[0]), *symptom = pv_symptom_text(&found.list[0]);
	cr_expect(strstr(cure, "lower 0000:03:00.0 to 256, as default, safe and perf do;"), "%s", cure);
	cr_expect_not(strstr(cure, "tune_off"), "%s", cure);
	cr_expect_str_eq(symptom, "writes of 0000:03:00.0 of more than 256 bytes are lost");
	cr_expect_eq(cures.left[PV_MPS_TUNE_OFF].n, 1);
	cr_expect_eq(cures.left[PV_MPS_SAFE].n, 0);
	pv_mismatches_free(&found);
	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_expect_eq(found.n, 1, "plans are of a copy");
	pv_mismatches_free(&found);
	pv_cures_free(&cures);
	pv_pci_machine_free(m);
}

/* Two functions that write too much to a Root Port. With different MPS, the device decides which one counts. */
Test(mps_answers, sizes_with_which_nothing_can_be_judged_mend_nothing)
{
	static const struct build_func wrong[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 128, 512, 1, 1, false},
		{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 128, 0, 0, false},
		{"0000:01:00.1", PCI_EXP_TYPE_ENDPOINT, 512, 256, 128, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(wrong);
	const struct pv_wanted one[] = {{&m->funcs[2], 128, 0}},
			       both[] = {{&m->funcs[1], 128, 0}, {&m->funcs[2], 128, 0}};
	struct pv_what_if w;
	struct pv_error e = {0};

	cr_assert_eq(pv_what_if(m, one, 1, false, &w, &e), 0, "%s", e.text);
	cr_expect_eq(w.before.n, 2);
	cr_expect_eq(w.after.n_unjudged, 2);
	cr_expect_eq(w.mended.n, 0);
	pv_what_if_free(&w);
	cr_assert_eq(pv_what_if(m, both, 2, false, &w, &e), 0, "%s", e.text);
	cr_expect_eq(w.after.n_unjudged, 0);
	cr_expect_eq(w.mended.n, 2);
	pv_what_if_free(&w);
	pv_pci_machine_free(m);
}

Test(mps_answers, an_mps_that_an_absent_function_0_decides_is_refused)
{
	struct pv_pci_machine *m = build_machine(pair);
	const struct pv_wanted mps = {&m->funcs[2], 128, 0}, mrrs = {&m->funcs[2], 0, 128};
	struct pv_what_if w;
	struct pv_error e = {0};

	m->funcs[2].is_ari_orphan = true;
	cr_expect_eq(pv_what_if(m, &mrrs, 1, false, &w, &e), 0, "%s", e.text);
	pv_what_if_free(&w);
	cr_expect_eq(pv_what_if(m, &mps, 1, false, &w, &e), -EINVAL);
	cr_expect(strstr(e.text, "0000:01:00.1: function 0 decides the MPS of an ARI device"), "%s", e.text);
	pv_what_if_free(&w);
	pv_pci_machine_free(m);
}

/* Under perf the functions get 512 and 256: the device decides which one counts. */
Test(mps_answers, a_policy_with_which_nothing_can_be_judged_is_no_cure)
{
	static const struct build_func wrong[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 512, 128, 512, 1, 1, false},
		{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 128, 0, 0, false},
		{"0000:01:00.1", PCI_EXP_TYPE_ENDPOINT, 256, 256, 128, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(wrong);
	struct pv_mismatches found;
	struct pv_cures cures;

	cr_assert_eq(pv_check(m, false, &found), 0);
	cr_assert_eq(pv_cures_find(m, false, &cures), 0);
	cr_assert_eq(found.n, 2);
	cr_expect_gt(cures.left[PV_MPS_PERFORMANCE].n_unjudged, 0);
	_autofree_ char *text = pv_cure_text(&cures, &found.list[0]);
	cr_expect_not_null(strstr(text, "safe"), "%s", text);
	cr_expect_null(strstr(text, "perf"), "%s", text);
	pv_cures_free(&cures);
	pv_mismatches_free(&found);
	pv_pci_machine_free(m);
}
