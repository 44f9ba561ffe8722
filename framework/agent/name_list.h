/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names that steps judge: equals (whole, any order), has, lacks. */
#ifndef PV_AGENT_NAME_LIST_H
#define PV_AGENT_NAME_LIST_H

#include "framework/agent/session.h"

struct pv_list {
	char text[16384]; /* names, a blank after each */
	size_t len, n;
	bool full;
};

void pv_list_add(struct pv_list *l, const char *name);
void pv_list_add_cb(void *ctx, const char *name);
/* Judges a list by the attributes equals, has and lacks, as far as they are given. */
int pv_list_judge(struct pv_session *s, const struct pv_args *a, const struct pv_list *l, const char *what);

#endif
