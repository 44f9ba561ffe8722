/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as the topology of a plan and, after a 0 byte, as the dump of a machine. A match must be repeatable,
 * and a refusal must have a reason. A plan that fits must still fit if the lab vouches for everything, and if it needs
 * one function less.
 */
#include "framework/board/match.h"
#include "framework/util/fuzz/fuzz.h"

#include <errno.h>

static int match(const struct pv_topology *t, struct pv_pci_machine *m, bool vouches)
{
	const struct pv_board_description all = {.vouches_for_all = true};
	struct pv_error e = {0};
	int err = pv_board_match(t, m, vouches ? &all : NULL, &e);

	fuzz_check(err == 0 || err == -EOPNOTSUPP);
	fuzz_check(err == e.code && !err == !*e.text && !strchr(e.text, '\n'));
	return err;
}

static void check_match(struct pv_topology *t, struct pv_pci_machine *m)
{
	int err = match(t, m, false), vouched = match(t, m, true);
	size_t n = t->n;

	fuzz_check(err == match(t, m, false));
	fuzz_check(err || !vouched);
	for (size_t i = 0; i < t->n; i++)
		fuzz_check(err || t->nodes[i].spare || pv_board_find(m, t->nodes[i].bdf));
	/* The last function has no functions below it. */
	t->n -= n > 0;
	fuzz_check(err || !match(t, m, false));
	t->n = n;
}

static void check_machine(struct pv_topology *t, const uint8_t *dump, size_t size)
{
	int fd = fuzz_file(dump, size);
	struct pv_error e = {0};
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, fuzz_path(fd), &e);

	fuzz_check(m || *e.text);
	if (m)
		check_match(t, m);
	pv_pci_machine_free(m);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	struct pv_topology *t = NULL;
	struct pv_error e = {0};

	if (!zero)
		return 0;
	json_object *o = json_tokener_parse((const char *)data);
	if (o && !pv_topology_parse(o, &t, &e))
		check_machine(t, zero + 1, size - (size_t)(zero + 1 - data));
	pv_topology_free(t);
	json_object_put(o);
	return 0;
}
