/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All targets. A new one is a folder or file, and one line here. */
#include "framework/agent/targets.h"

#include <string.h>

#include "framework/board/board.h"
#include "framework/qemu/target.h"
#include "framework/target/model.h"

const struct pv_target_ops *const pv_targets[] = {
	&pv_target_model, &pv_target_qemu, &pv_target_local, &pv_target_ssh, NULL,
};

const struct pv_target_ops *pv_target_find(const char *name)
{
	size_t n = strcspn(name, ":");
	for (size_t i = 0; pv_targets[i]; i++)
		if (strlen(pv_targets[i]->name) == n && !strncmp(pv_targets[i]->name, name, n))
			return pv_targets[i];
	return NULL;
}
