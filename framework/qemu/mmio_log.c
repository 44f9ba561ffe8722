/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of asks and answers. */
#include "framework/qemu/mmio_log.h"

#include <stdlib.h>
#include <string.h>

#include "framework/util/hash.h"

#define FIRST 4096 /* asks; a small topology is enumerated with a thousand */

_Static_assert(sizeof(struct pv_asked) == 56, "records are compared and kept as they are: no holes");

/* How long the message is that a call is answered with is no business of the models. */
struct pv_asked pv_asked_of(const struct pv_fabric_ask *ask, const struct pv_fabric_answer *answer)
{
	return (struct pv_asked){
		.ask = *ask,
		.value = ask->op == PV_FABRIC_READ ? answer->value : 0,
		.wake_ns = answer->wake_ns,
		.msis = answer->msis ? pv_hash_bytes(answer->msi, answer->msis * sizeof(*answer->msi)) : 0,
	};
}

bool pv_asked_same(const struct pv_asked *a, const struct pv_asked *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void pv_record_add(struct pv_asks *r, const struct pv_asked *a)
{
	if (r->broken)
		return;
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : FIRST;
		struct pv_asked *more = reallocarray(r->at, room, sizeof(*more));

		if (!more) {
			r->broken = true;
			return;
		}
		r->at = more;
		r->room = room;
	}
	r->at[r->n++] = *a;
}

void pv_record_free(struct pv_asks *r)
{
	free(r->at);
	*r = (struct pv_asks){0};
}
