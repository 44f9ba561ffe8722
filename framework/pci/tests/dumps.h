/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dumps of fixtures/topologies/dumps. */
#ifndef PV_PCI_TESTS_DUMPS_H
#define PV_PCI_TESTS_DUMPS_H

#include "framework/pci/tests/build.h"

static inline struct pv_pci_machine *read_dump(const char *name)
{
	char path[512];
	struct pv_error e = {0};
	struct pv_pci_machine *m;

	snprintf(path, sizeof(path), DUMPS "/%s.txt", name);
	m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	cr_assert(m, "%s", e.text);
	return m;
}

static const char *const all_dumps[] = {
	"ari",	       "deep-switches", "desktop",   "hotplug-slots",
	"mismatch",    "no-answer",	"odd-buses", "pci-bridge",
	"perf-booted", "rcieps",	"reserved",  "server-switches",
	"sriov",       "two-domains",	"two-roots", NULL,
};

#endif
