/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policies of Linux for Max_Payload_Size and Max_Read_Request_Size
 * (Documentation/admin-guide/kernel-parameters.txt, pci=). Each has a constant and its word in plans and options; all
 * but "default" are pci=pcie_bus_WORD on the command line of the kernel.
 */
#ifndef PV_REGS_MPS_H
#define PV_REGS_MPS_H

#define PV_MPS_POLICIES(X)       \
	X(TUNE_OFF, "tune_off")  \
	X(DEFAULT, "default")    \
	X(SAFE, "safe")          \
	X(PERFORMANCE, "perf")   \
	X(PEER2PEER, "peer2peer")
enum pv_mps_policy {
#define X(id, word) PV_MPS_##id,
	PV_MPS_POLICIES(X)
#undef X
		PV_MPS_POLICIES_N
};

static inline const char *pv_mps_policy_word(enum pv_mps_policy policy)
{
#define X(id, word) word,
	static const char *const words[] = {PV_MPS_POLICIES(X)};
#undef X

	return words[policy];
}

#endif
