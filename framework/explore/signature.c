/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures: equal for two failures with the same cause. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "framework/explore/explore.h"

enum { WORDS_MAX = 12 };

/* A number, an address, the name of an event or a function: anything but a word of a sentence. */
static bool is_name(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isdigit((unsigned char)word[i]) || strchr("/_=\"", word[i]))
			return true;
	return n == 1 && *word != 'a';
}

/* The message after the place in the plan: "FILE:LINE: ". */
static const char *behind_place(const char *message)
{
	const char *colon = strstr(message, ": "), *space = strchr(message, ' ');

	return colon && space == colon + 1 && isdigit((unsigned char)colon[-(colon > message)]) ? colon + 2 : message;
}

const char *pv_explore_signature(const struct pv_explore_verdict *v, char out[PV_SIGNATURE_SIZE])
{
	size_t len = (size_t)snprintf(out, PV_SIGNATURE_SIZE, "%s:", v->type);
	const char *at = behind_place(v->message);

	for (unsigned words = 0; *at && words < WORDS_MAX && len < PV_SIGNATURE_SIZE - 1; words++) {
		size_t n = strcspn(at, " ");
		bool name = is_name(at, n);

		len += (size_t)snprintf(out + len, PV_SIGNATURE_SIZE - len, " %.*s", name ? 1 : (int)n,
					name ? "#" : at);
		at += n + strspn(at + n, " ");
	}
	return out;
}
