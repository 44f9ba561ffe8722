/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of PMUs that differ between the two sides. */
#ifndef PV_FAR_NAMES_H
#define PV_FAR_NAMES_H

/* Maps PMU names: there() translates a name of this side into the other side's, here() does the reverse. */
struct pv_far_names {
	const char *(*there)(void *ctx, const char *here);
	const char *(*here)(void *ctx, const char *there);
	void *ctx;
};

#endif
