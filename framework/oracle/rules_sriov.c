/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use of a physical function's SR-IOV capability: SR-1. */
#include "drivers/regs/pcie.h"
#include "framework/oracle/rules.h"
#include "framework/oracle/rules_internal.h"

static bool find(struct pv_rules *r, struct pv_rule_function *f)
{
	f->sriov = pv_rule_ext_cap(r, f, PCI_EXT_CAP_ID_SRIOV);
	return f->sriov;
}

static void on_access(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	if (!a->write || !pv_rule_hits(a, PV_RULE_CONFIG, f->sriov + PCI_SRIOV_NUM_VF, 2))
		return;
	if (pv_rule_peek(r, f, PV_RULE_CONFIG, f->sriov + PCI_SRIOV_CTRL, 2) & PCI_SRIOV_CTRL_VFE)
		pv_rule_broken(r, a, "SR-1", "NumVFs is written as %u while VF Enable is set",
			       (unsigned)pv_rule_merged(a, f->sriov + PCI_SRIOV_NUM_VF, 2, 0));
}

const struct pv_rule_device pv_rule_sriov = {.find = find, .access = on_access};
