/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads any bytes as a dump of bytes, of text, or of both. A copy of an accepted dump must be equal when it is copied
 * again, libpci must read the same values, every function must be in the tree once, and a plan must leave the machine
 * unchanged. On a machine without oddities, policies safe and peer2peer must cause no Malformed TLP, peer-to-peer
 * traffic included; perf must cause none to or from memory. A function below its MPSS must have a reason. Trying sizes
 * must leave the machine unchanged, and new mismatches must be among all mismatches. The text that lspci would print of
 * the machine must give the same tree, types, sizes and links.
 */
#include "framework/util/fuzz/fuzz.h"

#include "framework/mps/budget.h"
#include "framework/mps/check.h"
#include "framework/mps/facts.h"
#include "framework/mps/json.h"
#include "framework/mps/peers.h"
#include "framework/mps/plan.h"
#include "framework/mps/text.h"
#include "framework/mps/whatif.h"
#include "framework/pci/fuzz/copy.h"

/* ---- the text ---- */

static char *check_copy(const uint8_t *data, size_t size)
{
	size_t n, n_again;
	char *copy = copy_of((const char *)data, size, &n), *again;

	if (!copy)
		return NULL;
	again = copy_of(copy, n, &n_again);
	fuzz_check(again && n == n_again && !memcmp(copy, again, n));
	free(again);
	return copy;
}

/* ---- the tree ---- */

static size_t count_below(const struct pv_pci_func *first, const struct pv_pci_func *parent)
{
	size_t n = 0;

	for (const struct pv_pci_func *f = first; f; f = f->sibling) {
		fuzz_check(f->parent == parent && (!parent || PCI_BUS(parent->bdf) < PCI_BUS(f->bdf)));
		n += 1 + count_below(f->child, f);
	}
	return n;
}

/* Checks that the copy has the line of each function, followed by its bytes or by the same line again. */
static void check_bytes(const struct pv_pci_func *f, const char *copy)
{
	char line[PV_PCI_NAME_BYTES + 8];
	unsigned byte;

	snprintf(line, sizeof(line), "\n%s -\n", f->name);
	copy = strstr(copy, line);
	fuzz_check(copy);
	if (!f->known)
		return;
	while (copy && sscanf(copy + strlen(line), "00: %x", &byte) != 1)
		copy = strstr(copy + 1, line);
	fuzz_check(copy && byte == pv_pci_get(f, 0, 1));
	fuzz_check(pv_pci_get(f, f->known, 1) == 0xff && pv_pci_get(f, f->known - 1, 2) == 0xffff);
}

/* ---- plans ---- */

static bool has_quirk(const struct pv_pci_func *f)
{
	unsigned vendor = pv_pci_get(f, PCI_VENDOR_ID, 2);

	return vendor == 0x1924 || vendor == 0x1b21 || vendor == 0x3388 || vendor == 0x0014;
}

/* Returns true if the policies are made for all functions of the machine. */
static bool is_plain(const struct pv_pci_machine *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		if (f->gone || f->unreadable || has_quirk(f) || f->is_ari)
			return false;
		if (pv_has_sizes(f) &&
		    (pv_mpss_of(f) > 4096 ||
		     (f->parent && (!pv_has_sizes(f->parent) || pv_port_type(f) == PCI_EXP_TYPE_ROOT_PORT))))
			return false;
	}
	return true;
}

static void set_planned(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool planned)
{
	struct pv_bus bus = pv_pci_machine_bus(m);

	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];
		uint16_t devctl = (uint16_t)pv_pci_exp(p->func, PCI_EXP_DEVCTL, 2);

		bus.cfg_write(m, p->func->bdf, p->func->pcie + PCI_EXP_DEVCTL, 2,
			      planned ? pv_devctl_with(devctl, p->new_mps, p->new_mrrs)
				      : pv_devctl_with(devctl, p->mps, p->mrrs));
	}
}

static void check_clean(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool peers)
{
	struct pv_mismatches found;

	set_planned(m, plan, true);
	fuzz_check(!pv_check(m, peers, &found) && !found.n);
	pv_mismatches_free(&found);
	set_planned(m, plan, false);
}

static uint64_t sum_of(const struct pv_pci_machine *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		for (unsigned k = 0; k < m->funcs[i].known; k++)
			sum = sum * 31 + m->funcs[i].space[k];
	return sum;
}

static void check_limits(const struct pv_policy_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];
		fuzz_check((p->limit == PV_LIMIT_NONE) == (p->new_mps >= p->mpss || p->new_mps >= 4096));
		fuzz_check(p->limited_by != p->func && (p->limit != PV_LIMIT_MPSS || p->limited_by));
	}
}

static void check_peers(struct pv_pci_machine *m, const struct pv_policy_plan *plan)
{
	struct pv_peer_list found;
	size_t across;

	fuzz_check(!pv_peers_find_planned(m, plan, &found) && !pv_peers_count_across(m, plan, &across));
	fuzz_check(pv_peers_senders(&found, true) == across);
	for (size_t i = 0; i < found.n; i++)
		fuzz_check(found.list[i].n && found.list[i].payload > found.list[i].most &&
			   pv_peers_next(&found, i, NULL));
	pv_peers_free(&found);
}

/*
 * Tries the largest and the smallest sizes for one function: up to the MPSS they must be accepted; a refusal must have
 * a message.
 */
static void check_what_if(struct pv_pci_machine *m, size_t i)
{
	const struct pv_wanted wanted = {&m->funcs[i], i & 1 ? 128 : 4096, i & 1 ? 4096 : 128};
	uint64_t before = sum_of(m);
	struct pv_error e = {0};
	struct pv_what_if w;
	int err = pv_what_if(m, &wanted, 1, true, &w, &e);

	fuzz_check((err < 0) == (*e.text != '\0') && sum_of(m) == before);
	for (size_t k = 0; !err && k < w.fresh.n; k++)
		fuzz_check(pv_mismatches_have(&w.after, &w.fresh.list[k]) &&
			   !pv_mismatches_have(&w.before, &w.fresh.list[k]));
	for (size_t k = 0; !err && k < w.mended.n; k++)
		fuzz_check(!pv_mismatches_have(&w.after, &w.mended.list[k]));
	pv_what_if_free(&w);
}

static void check_budget(const struct pv_pci_func *f)
{
	struct pv_budget b;

	if (!pv_budget_find(f, &b))
		return;
	fuzz_check(b.devices && b.link > 0 && b.below > 0);
	fuzz_check(b.together.write <= b.alone.write * 1.000001 && b.together.read <= b.alone.read * 1.000001);
}

static void check_plans(struct pv_pci_machine *m)
{
	bool plain = is_plain(m);

	for (int policy = 0; policy < PV_MPS_POLICIES_N; policy++) {
		struct pv_policy_plan plan;
		uint64_t before = sum_of(m);

		fuzz_check(!pv_policy_plan(m, (enum pv_mps_policy)policy, NULL, 0, &plan));
		fuzz_check(sum_of(m) == before);
		for (size_t i = 0; i < plan.n; i++) {
			fuzz_check(plan.list[i].new_mps == plan.list[i].mps || plan.list[i].new_mps <= 4096);
			fuzz_check(policy != PV_MPS_TUNE_OFF || plan.list[i].new_mrrs == plan.list[i].mrrs);
		}
		check_limits(&plan);
		check_peers(m, &plan);
		if (plain && (policy == PV_MPS_SAFE || policy == PV_MPS_PEER2PEER))
			check_clean(m, &plan, true);
		if (plain && policy == PV_MPS_PERFORMANCE)
			check_clean(m, &plan, false);
		pv_policy_plan_free(&plan);
	}
}

/* ---- text ---- */

static void print_express(const struct pv_pci_func *f, FILE *out)
{
	static const char *const types[16] = {
		[PCI_EXP_TYPE_ENDPOINT] = "Endpoint",
		[PCI_EXP_TYPE_LEG_END] = "Legacy Endpoint",
		[PCI_EXP_TYPE_ROOT_PORT] = "Root Port (Slot-)",
		[PCI_EXP_TYPE_UPSTREAM] = "Upstream Port",
		[PCI_EXP_TYPE_DOWNSTREAM] = "Downstream Port (Slot-)",
		[PCI_EXP_TYPE_PCI_BRIDGE] = "PCI-Express to PCI/PCI-X Bridge",
		[PCI_EXP_TYPE_PCIE_BRIDGE] = "PCI/PCI-X to PCI-Express Bridge (Slot-)",
		[PCI_EXP_TYPE_RC_END] = "Root Complex Integrated Endpoint",
		[PCI_EXP_TYPE_RC_EC] = "Root Complex Event Collector",
	};
	static const char *const speeds[16] = {"unknown", "2.5GT/s", "5GT/s", "8GT/s", "16GT/s", "32GT/s", "64GT/s"};
	unsigned type = (pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;
	unsigned cap = pv_pci_exp(f, PCI_EXP_LNKCAP, 4), sta = pv_pci_exp(f, PCI_EXP_LNKSTA, 2);
	const char *most = speeds[cap & PCI_EXP_LNKCAP_SPEED], *now = speeds[sta & PCI_EXP_LNKSTA_SPEED];

	if (types[type])
		fprintf(out, "\tCapabilities: [40] Express (v2) %s, MSI 00\n", types[type]);
	else
		fprintf(out, "\tCapabilities: [40] Express (v2) Unknown type %u, MSI 00\n", type);
	fprintf(out, "\t\tDevCap:\tMaxPayload %d bytes\n\t\tDevCtl:\tMaxPayload %d bytes, MaxReadReq %d bytes\n",
		pv_mpss_of(f), pv_mps_of(f), pv_mrrs_of(f));
	fprintf(out, "\t\tLnkCap:\tPort #0, Speed %s, Width x%u, ASPM\n", most ? most : "unknown",
		PCI_EXP_LNKCAP_LANES(cap));
	fprintf(out, "\t\tLnkSta:\tSpeed %s, Width x%u\n", now ? now : "unknown", PCI_EXP_LNKSTA_LANES(sta));
}

static void print_text(const struct pv_pci_func *f, FILE *out)
{
	bool cardbus = (pv_pci_get(f, PCI_HEADER_TYPE, 1) & PCI_HEADER_TYPE_MASK) != PCI_HEADER_TYPE_BRIDGE;

	fprintf(out, "%s %s: %s\n", f->name, f->is_bridge && cardbus ? "CardBus bridge" : "Class",
		f->is_vf ? "Virtual Function" : "Name");
	if (f->gone)
		fputs("\t!!! Unknown header type 7f\n", out);
	if (f->gone || !f->known)
		return;
	fprintf(out, "\tStatus: Cap%c\n", f->unreadable || f->pcie ? '+' : '-');
	if (f->is_bridge)
		fprintf(out, "\tBus: primary=00, secondary=%02x, subordinate=%02x, sec-latency=0\n",
			pv_pci_get(f, PCI_SECONDARY_BUS, 1), pv_pci_get(f, PCI_SUBORDINATE_BUS, 1));
	if (f->unreadable)
		fputs("\tCapabilities: <access denied>\n", out);
	else if (f->pcie)
		print_express(f, out);
	if (f->is_ari)
		fputs("\tCapabilities: [150 v1] Alternative Routing-ID Interpretation (ARI)\n", out);
}

static bool same_link(struct pv_link_rate a, struct pv_link_rate b)
{
	return a.width == b.width && (!a.width || a.speed_mt == b.speed_mt);
}

static void check_same(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	fuzz_check(!strcmp(a->name, b->name) && !a->parent == !b->parent);
	fuzz_check(!a->parent || !strcmp(a->parent->name, b->parent->name));
	if (!a->known)
		return;
	fuzz_check(a->gone == b->gone && a->is_vf == b->is_vf && a->is_ari == b->is_ari &&
		   a->is_bridge == b->is_bridge);
	fuzz_check(pv_func_type(a) == pv_func_type(b) && pv_has_sizes(a) == pv_has_sizes(b));
	if (pv_has_sizes(a))
		fuzz_check(pv_mpss_of(a) == pv_mpss_of(b) && pv_mps_of(a) == pv_mps_of(b) &&
			   pv_mrrs_of(a) == pv_mrrs_of(b) && same_link(pv_link_now(a), pv_link_now(b)) &&
			   same_link(pv_link_most(a), pv_link_most(b)));
}

/* A port with the header of a device has no line with bus numbers: its text calls it a bridge. */
static bool has_text(const struct pv_pci_machine *m)
{
	bool any = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];
		int type = f->pcie ? (int)((pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> 4) : -1;

		any = any || f->known;
		if (!f->is_bridge && type >= PCI_EXP_TYPE_ROOT_PORT && type <= PCI_EXP_TYPE_PCIE_BRIDGE)
			return false;
	}
	return any;
}

static void check_text(const struct pv_pci_machine *m)
{
	struct pv_error e = {0};
	struct pv_pci_machine *again;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	int fd;

	fuzz_check(f);
	for (size_t i = 0; i < m->n; i++) {
		print_text(&m->funcs[i], f);
		fputc('\n', f);
	}
	fclose(f);
	fd = fuzz_file((const uint8_t *)text, n);
	again = pv_pci_machine_open(PV_PCI_DUMP, fuzz_path(fd), &e);
	fuzz_check(again && again->n == m->n);
	for (size_t i = 0; i < m->n; i++)
		check_same(&m->funcs[i], &again->funcs[i]);
	pv_pci_machine_free(again);
	close(fd);
	free(text);
}

/* ---- remarks and messages ---- */

static void check_mismatches(const struct pv_pci_machine *m)
{
	struct pv_mismatches found;
	struct pv_remarks remarks;
	json_object *all;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fuzz_check(f && !pv_check(m, true, &found));
	for (size_t i = 0; i < found.n; i++) {
		const struct pv_mismatch *bad = &found.list[i];
		char *way = pv_mismatch_way(bad);

		fuzz_check(bad->payload > bad->most && bad->from != bad->to);
		fuzz_check(!strncmp(way, bad->from->name, strlen(bad->from->name)));
		fuzz_check(!strcmp(way + strlen(way) - strlen(bad->to->name), bad->to->name));
		free(way);
	}
	pv_text_show(m, &found, NULL, f);
	fclose(f);
	for (size_t i = 0; i < m->n; i++)
		fuzz_check(strstr(text, m->funcs[i].name + strlen(m->funcs[i].name) - 4));
	free(text);
	fuzz_check(!pv_remarks_find(m, &found, &remarks));
	all = pv_json_show(m, &found, &remarks, NULL);
	pv_remarks_free(&remarks);
	fuzz_check(json_object_array_length(all) == m->n);
	json_object_put(all);
	pv_mismatches_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = check_copy(data, size);
	int fd = fuzz_file(data, size);
	struct pv_error e = {0};
	struct pv_pci_machine *m;

	m = pv_pci_machine_open(PV_PCI_DUMP, fuzz_path(fd), &e);
	fuzz_check(copy ? m || strstr(e.text, "is there twice") : !m && *e.text);
	if (m) {
		const struct pv_pci_func *first = pv_pci_first_root(m);

		fuzz_check(m->n && count_below(first, NULL) == m->n);
		for (size_t i = 0; i < m->n; i++)
			check_bytes(&m->funcs[i], copy);
		check_plans(m);
		for (size_t i = 0; i < m->n; i++)
			check_budget(&m->funcs[i]);
		check_what_if(m, size % m->n);
		check_mismatches(m);
		if (has_text(m))
			check_text(m);
	}
	pv_pci_machine_free(m);
	free(copy);
	close(fd);
	return 0;
}
