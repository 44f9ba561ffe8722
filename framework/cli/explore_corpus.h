/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folders of --corpus. */
#ifndef PV_CLI_EXPLORE_CORPUS_H
#define PV_CLI_EXPLORE_CORPUS_H

#include "framework/cli/explore_report.h"

/* Reads the folders; the first one need not exist. 0 or -errno with *e. */
int pv_cli_explore_load(const struct pv_cli_explore *o, struct pv_explore_session *s, struct pv_error *e);
/* For struct pv_explore_session, whose ctx is a struct pv_cli_findings: writes a case into the first folder. */
int pv_cli_explore_keep(void *findings, json_object *c, json_object *states, struct pv_error *e);

#endif
