/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The MMIO log. */
#include "framework/qemu/mmio_log.h"

#include <stdlib.h>
#include <string.h>

#include "framework/util/hash.h"

#define FIRST 4096 /* accesses; enumerating a small topology takes a thousand */

_Static_assert(sizeof(struct pv_mmio_access) == 56, "compared and saved as bytes: no holes");

/* The value of the answer to a call is the length of a message, which the models do not know. */
struct pv_mmio_access pv_mmio_access_of(const struct pv_fabric_ask *ask, const struct pv_fabric_answer *answer)
{
	return (struct pv_mmio_access){
		.ask = *ask,
		.value = ask->op == PV_FABRIC_READ ? answer->value : 0,
		.wake_ns = answer->wake_ns,
		.msis = answer->msis ? pv_hash_bytes(answer->msi, answer->msis * sizeof(*answer->msi)) : 0,
	};
}

bool pv_mmio_access_same(const struct pv_mmio_access *a, const struct pv_mmio_access *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void pv_mmio_log_add(struct pv_mmio_log *l, const struct pv_mmio_access *a)
{
	if (l->broken)
		return;
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : FIRST;
		struct pv_mmio_access *more = reallocarray(l->at, room, sizeof(*more));

		if (!more) {
			l->broken = true;
			return;
		}
		l->at = more;
		l->room = room;
	}
	l->at[l->n++] = *a;
}

void pv_mmio_log_free(struct pv_mmio_log *l)
{
	free(l->at);
	*l = (struct pv_mmio_log){0};
}
