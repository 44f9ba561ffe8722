/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Child processes that draw and run cases. */
#ifndef PV_EXPLORE_CHILD_H
#define PV_EXPLORE_CHILD_H

#include <sys/types.h>

/* As fork(2). The child ends with its parent, and nothing that drivers log is printed. */
pid_t pv_explore_fork(void);

#endif
