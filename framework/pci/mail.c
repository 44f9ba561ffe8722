/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes only the codes that occur in the text of lspci: "=00" may be a bus number in a listing that is not encoded.
 */
#include "framework/pci/mail.h"

#include <stdlib.h>
#include <string.h>

struct input {
	const char *at, *end;
	bool encoded; /* quoted-printable */
};

static bool has(const char *text, size_t n, const char *words)
{
	return memmem(text, n, words, strlen(words));
}

/* "=" alone proves nothing: lspci prints "name=value" in many places. */
static bool is_encoded(const char *text, size_t n)
{
	return has(text, n, "primary=3D") || has(text, n, "DEVSEL=3D") || has(text, n, "latency=3D") ||
	       has(text, n, "size=3D");
}

bool pv_mail_is(const char *text, size_t n)
{
	return is_encoded(text, n) || has(text, n, "\xc2\xa0");
}

static bool takes(struct input *in, const char *code)
{
	size_t n = strlen(code);

	if ((size_t)(in->end - in->at) < n || memcmp(in->at, code, n) != 0)
		return false;
	in->at += n;
	return true;
}

/* Removes a blank at the end of a line. */
static bool takes_blank(struct input *in)
{
	struct input after = *in;

	if (!takes(&after, "=20") || (after.at < after.end && *after.at != '\n' && *after.at != '\r'))
		return false;
	*in = after;
	return true;
}

char *pv_mail_decode(const char *text, size_t n, size_t *len)
{
	struct input in = {text, text + n, is_encoded(text, n)};
	char *out = malloc(n + 1), *to = out;

	while (out && in.at < in.end) {
		if (takes(&in, "\xc2\xa0"))
			*to++ = ' ';
		else if (in.encoded && takes(&in, "=3D"))
			*to++ = '=';
		else if (in.encoded && takes_blank(&in))
			*to++ = ' ';
		else if (!in.encoded || (!takes(&in, "=\n") && !takes(&in, "=\r\n")))
			*to++ = *in.at++;
	}
	*len = out ? (size_t)(to - out) : 0;
	return out;
}
