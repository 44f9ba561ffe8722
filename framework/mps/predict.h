/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Link arithmetic (docs/hardware-notes.md section 5) for a function: its maximum write and read throughput. */
#ifndef PV_MPS_PREDICT_H
#define PV_MPS_PREDICT_H

#include "framework/pci/machine.h"

struct pv_throughput {
	double write, read; /* payload bytes per second, to and from memory; 0: unknown */
};

/*
 * Predicts transfers of 4096 bytes with 64-bit addresses, over the slowest link up to the Root Port, with the given
 * sizes: the function's own, and the MPS of the top, which completes its reads. Zeros without a known link, and in Flit
 * Mode, which the arithmetic does not support.
 */
struct pv_throughput pv_predict(const struct pv_pci_func *f, int mps, int mrrs, int top_mps);
/* Returns the slowest link up to the Root Port; width 0: none is known. */
struct pv_link_rate pv_predict_link(const struct pv_pci_func *f);
/* Same over its own link only, with the present sizes of function 0 of a device, which decides, and of the top. */
struct pv_throughput pv_predict_alone(const struct pv_pci_func *f);
/* Returns the function whose MPS limits the completions of reads by `f`. NULL: f has no link. */
const struct pv_pci_func *pv_predict_top(const struct pv_pci_func *f);
/*
 * Predicts writes of 4096 bytes over the link below a port, with the MPS of the port, in payload bytes per second; 0:
 * no link, or one in Flit Mode.
 */
double pv_predict_port(const struct pv_pci_func *port);

#endif
