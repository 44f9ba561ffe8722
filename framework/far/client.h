/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The near side: a driver, a machine and a shell implemented by a server at the far end, over any function that carries
 * a request there and its answer back.  AUX data arrive with the answers of calls in which time passes (wait,
 * event_disable, event_hold, hot-plug). If a consumer refuses them, the commit is kept here and the far side holds the
 * event, so that further data fill the AUX area there. Both are offered again in the next such call.  A far side that
 * does not answer, or answers incorrectly, is dead: this call and all later ones return -ECONNRESET, and
 * pv_far_failure() gives the reason.
 */
#ifndef PV_FAR_CLIENT_H
#define PV_FAR_CLIENT_H

#include "framework/far/names.h"
#include "framework/far/protocol.h"
#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

struct pv_far_client;

/* Greets the far side. 0 or -errno with the reason in *e. */
int pv_far_connect(struct pv_far_client **out, pv_far_exchange_fn exchange, void *ctx, struct pv_error *e);
/* Closes the events that are open, unless the far side is dead. */
void pv_far_close(struct pv_far_client *c);

/*
 * Makes the bundled reference driver the driver, booted with the policy on these functions (n 0: on all); the members
 * of the tables are then what it has. No event may be open. 0; -EOPNOTSUPP: this far side is read-only, or has none;
 * -errno.
 */
int pv_far_reference(struct pv_far_client *c, enum pv_mps_policy policy, const pv_bdf *functions, size_t n,
		     struct pv_error *e);

/*
 * Members that the far side lacks are NULL, as the tables allow. The machine has registers, wait and, if the far side
 * has one, a clock: no boot and no shutdown.
 */
struct pv_driver *pv_far_driver(struct pv_far_client *c);
struct pv_machine *pv_far_machine(struct pv_far_client *c);
struct pv_shell *pv_far_shell(struct pv_far_client *c);
/* The far side's description of itself: "Linux 6.12.48 aarch64". */
const char *pv_far_system(const struct pv_far_client *c);
/* Sets the mapping of PMU names between the two sides. */
void pv_far_rename(struct pv_far_client *c, const struct pv_far_names *names);
/* The reason why the far side is dead; code 0 while it is alive. */
const struct pv_error *pv_far_failure(const struct pv_far_client *c);

#endif
