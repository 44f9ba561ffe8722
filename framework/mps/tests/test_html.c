/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a machine: the picture contains every function, and only the ends of mismatches are red. */
#include "framework/mps/html.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

static char *page_of(const char *dump, const char *name, size_t *functions)
{
	_autofree_ char *path = NULL;
	struct pv_error e = {0};
	char *text = NULL;
	size_t n;

	cr_assert_gt(asprintf(&path, DUMPS "/%s.txt", dump), 0);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	cr_assert_not_null(m, "%s", e.text);
	struct pv_mismatches found;
	struct pv_remarks remarks;
	struct pv_cures cures = {0}, peers = {0};
	cr_assert_not(pv_check(m, false, &found) || pv_remarks_find(m, &found, &remarks) ||
		      pv_cures_find(m, false, &cures) || pv_cures_find(m, true, &peers));
	FILE *f = open_memstream(&text, &n);
	pv_mps_html(&(struct pv_mps_page){name, m, &found, &cures, &peers, &remarks}, f);
	fclose(f);
	*functions = m->n;
	pv_mismatches_free(&found);
	pv_remarks_free(&remarks);
	pv_cures_free(&cures);
	pv_cures_free(&peers);
	pv_pci_machine_free(m);
	return text;
}

Test(mps_html, every_function_is_in_the_picture)
{
	static const char *const dumps[] = {"desktop", "server-switches", "deep-switches",
					    "sriov",   "two-domains",	  "ari"};

	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		size_t n;
		_autofree_ char *page = page_of(dumps[i], dumps[i], &n);

		cr_expect_eq(count_of(page, "<circle"), n, "%s: %zu of %zu", dumps[i], count_of(page, "<circle"), n);
		cr_expect_eq(count_of(page, "://"), 0, "%s: nothing is fetched", dumps[i]);
	}
}

Test(mps_html, ends_of_a_mismatch_are_red)
{
	size_t n;
	_autofree_ char *bad = page_of("mismatch", "bad", &n), *good = page_of("desktop", "good", &n);

	cr_expect_eq(count_of(good, "class=\"x\""), 0);
	cr_expect_gt(count_of(bad, "<circle class=\"x\""), 0);
	cr_expect_eq(count_of(bad, "<circle class=\"x\""), count_of(bad, "<text class=\"x\""));
	cr_expect_not_null(strstr(bad, "cure:"));
	cr_expect_null(strstr(good, "Red"));
}

Test(mps_html, sizes_links_and_policies_are_told)
{
	size_t n;
	_autofree_ char *page = page_of("desktop", "a<b", &n);

	cr_expect_not_null(strstr(page, "MPS 256 of 256, MRRS 512, 8GT/s x16 of 16GT/s x16"));
	cr_expect_not_null(strstr(page, "<h1>a&#60;b</h1>"));
	cr_expect_not_null(strstr(page, "peer2peer"));
}
