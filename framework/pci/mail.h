/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text as transported by mails and web pages: quoted-printable (RFC 2045 6.7), and no-break spaces. */
#ifndef PV_PCI_MAIL_H
#define PV_PCI_MAIL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the text of lspci shows signs of such a transport: "primary=3D00", or a blank of two bytes. */
bool pv_mail_is(const char *text, size_t n);
/*
 * Decodes the text, and joins lines that the encoding has split. Returns *len bytes, which the caller frees; NULL: no
 * memory.
 */
char *pv_mail_decode(const char *text, size_t n, size_t *len);

#endif
