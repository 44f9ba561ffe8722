/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as a board description and, after a 0 byte, the text of a plan. A valid description must have each
 * function once, a printable name, and absolute paths; a refusal must have a reason. A text without BDFs of the board
 * must be unchanged after it was moved there and back.
 */
#include <strings.h>

#include "framework/board/translate.h"
#include "framework/util/fuzz/fuzz.h"

static struct pv_board_places places_of(const struct pv_board_description *d, bool back)
{
	struct pv_board_places p = {0};

	for (; p.n < d->n_devices; p.n++) {
		const struct pv_board_device *v = &d->devices[p.n];

		p.place[p.n].device = back ? (struct pv_board_device){v->is, v->plan} : *v;
	}
	return p;
}

static void check_description(const struct pv_board_description *d)
{
	fuzz_check(d->name && *d->name && !strpbrk(d->name, " \n<&/"));
	fuzz_check(!d->tap || *d->tap == '/');
	fuzz_check(d->n_devices <= PV_BOARD_DEVICES_MAX);
	for (size_t i = 0; i < d->n_devices; i++)
		for (size_t j = 0; j < i; j++)
			fuzz_check(d->devices[i].plan != d->devices[j].plan && d->devices[i].is != d->devices[j].is);
	for (size_t i = 0; i < d->n_vouched; i++)
		fuzz_check(pv_board_vouches(d, d->vouched[i]));
}

/* In domain 0 each spelling of a BDF is rewritten to one spelling only. */
static bool in_domain_0(const struct pv_board_description *d)
{
	for (size_t i = 0; i < d->n_devices; i++)
		if (PCI_DOMAIN(d->devices[i].plan) || PCI_DOMAIN(d->devices[i].is))
			return false;
	return true;
}

static void check_text(const struct pv_board_description *d, const char *text)
{
	const struct pv_board_places there = places_of(d, false), back = places_of(d, true);
	char *moved = pv_board_move_text(&there, PV_HOLDS_REGEX, text);
	char *back_first = pv_board_move_text(&back, PV_HOLDS_REGEX, text);

	fuzz_check(moved && back_first);
	char *again = pv_board_move_text(&back, PV_HOLDS_REGEX, moved);
	fuzz_check(again && (d->n_devices || !strcmp(moved, text)));
	/* Hexadecimal digits may become lower-case. */
	if (in_domain_0(d) && !strcmp(back_first, text))
		fuzz_check(!strcasecmp(again, text));
	free(moved);
	free(back_first);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t n = zero ? (size_t)(zero - data) : size;
	int fd = fuzz_file(data, n);
	char *text = zero ? fuzz_text(zero + 1, size - n - 1) : NULL;
	struct pv_board_description d;
	struct pv_error e = {0};

	if (pv_board_read(fuzz_path(fd), &d, &e)) {
		fuzz_check(e.code < 0 && *e.text && !strchr(e.text, '\n'));
	} else {
		check_description(&d);
		if (text)
			check_text(&d, text);
	}
	pv_board_description_free(&d);
	free(text);
	close(fd);
	return 0;
}
