/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the core's PTT part: from the DMA buffers to the AUX area. Used by ptt.c only.
 */
#ifndef PV_CORE_PTT_DRAIN_H
#define PV_CORE_PTT_DRAIN_H

#include "drivers/core/ptt.h"

/* Takes the first AUX area and begins at buffer 0. -ENOSPC: none that holds a buffer. */
int pv_ptt_drain_begin(struct pv_ptt *ptt);
/* Hands over every finished buffer that can be vouched for. True: the device had something pending. */
bool pv_ptt_drain(struct pv_ptt *ptt);
/* The device is idle and drained: hands over what is in the current buffer. */
void pv_ptt_drain_rest(struct pv_ptt *ptt);
/* Commits what is left, and says so if something was lost. */
void pv_ptt_drain_end(struct pv_ptt *ptt);

#endif
