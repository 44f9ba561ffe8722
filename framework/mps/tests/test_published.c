/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the prediction of plan and set with published measurements of 21 hosts (fixtures/published): a machine with
 * the MPS and MRRS of each row is built, and the measured rate must be a known share of the predicted one.
 */
#include "framework/mps/facts.h"
#include "framework/mps/plan.h"
#include "framework/pci/tests/build.h"

/* Only the longest transfers: a prediction is for 4096 bytes, with the same share of headers. */
enum { LONGEST = 2048 };

struct row {
	char system[128], op[16];
	int mps, mrrs;
	unsigned size;
	double bytes_per_s;
};

static FILE *open_published(void)
{
	FILE *f = fopen(PUBLISHED_CSV, "r");
	char head[256];

	cr_assert(f, "%s", PUBLISHED_CSV);
	cr_assert(fgets(head, sizeof(head), f));
	return f;
}

/* Reads the next row of the longest transfers of this kind. False: there are no more. */
static bool next_row(FILE *f, const char *op, struct row *r)
{
	char line[256], link[32];
	double gbps;

	while (fgets(line, sizeof(line), f)) {
		cr_assert_eq(sscanf(line, "%127[^,],%d,%d,%31[^,],%15[^,],%u,%lf", r->system, &r->mps, &r->mrrs, link,
				    r->op, &r->size, &gbps),
			     7, "%s", line);
		r->bytes_per_s = gbps * 1e9 / 8;
		if (!strcmp(r->op, op) && r->size == LONGEST)
			return true;
	}
	return false;
}

/* Predicts the rate of the card in a slot of a Root Port; its link is 8 GT/s x8, as in the measurements. */
static struct pv_throughput predict(const struct row *r)
{
	const struct build_func funcs[] = {
		{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, r->mps, r->mrrs, 1, 1, false},
		{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, r->mps, r->mrrs, 0, 0, false},
		{0},
	};
	struct pv_pci_machine *m = build_machine(funcs);
	struct pv_policy_plan plan;
	struct pv_throughput now;

	cr_assert_eq(pv_policy_plan_present(m, &plan), 0);
	pv_policy_plan_judge(&plan);
	now = plan.list[1].now;
	pv_policy_plan_free(&plan);
	pv_pci_machine_free(m);
	return now;
}

/* The hosts differ by at most 1.5 %. */
Test(mps_published, every_host_reads_the_same_share_of_what_is_predicted)
{
	FILE *f = open_published();
	unsigned hosts = 0;
	struct row r;

	for (; next_row(f, "read", &r); hosts++) {
		double share = r.bytes_per_s / predict(&r).read;

		cr_expect(share >= 0.940 && share <= 0.955, "%s, MPS %d, MRRS %d: read %.3f of the prediction",
			  r.system, r.mps, r.mrrs, share);
	}
	fclose(f);
	cr_expect_eq(hosts, 21, "%u", hosts);
}

/* The only host with an MPS of 128 accepts writes slower than its link carries them. */
Test(mps_published, every_host_but_one_takes_the_same_share_of_writes)
{
	FILE *f = open_published();
	unsigned hosts = 0;
	struct row r;

	for (; next_row(f, "write", &r); hosts++) {
		double share = r.bytes_per_s / predict(&r).write, least = r.mps == 128 ? 0.68 : 0.915;

		cr_expect(share >= least && share <= 0.950, "%s, MPS %d: write %.3f of the prediction", r.system, r.mps,
			  share);
	}
	fclose(f);
	cr_expect_eq(hosts, 21, "%u", hosts);
}
