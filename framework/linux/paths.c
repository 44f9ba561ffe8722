/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths below the root, and the names of PCI functions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "framework/linux/inside.h"

struct pv_linux_path pv_linux_path(const struct pv_linux *l, const char *fmt, ...)
{
	struct pv_linux_path path;
	size_t root = (size_t)snprintf(path.s, sizeof(path.s), "%s/", l->root);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path.s + root, sizeof(path.s) - root, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path.s) - root)
		path.s[0] = '\0';
	return path;
}

struct pv_pci_name pv_pci_name(pv_bdf bdf)
{
	struct pv_pci_name name;

	snprintf(name.s, sizeof(name.s), "%04x:%02x:%02x.%x", PCI_DOMAIN(bdf), PCI_BUS(bdf), PCI_SLOT(bdf),
		 PCI_FUNC(bdf));
	return name;
}

/* Reads `digits` lower-case hexadecimal digits and the character after them (0: none). */
static bool hex(const char **text, int digits, char after, uint32_t *value)
{
	static const char digit[] = "0123456789abcdef";

	for (*value = 0; digits; digits--, (*text)++) {
		const char *at = **text ? strchr(digit, **text) : NULL;

		if (!at)
			return false;
		*value = *value << 4 | (uint32_t)(at - digit);
	}
	if (after && *(*text)++ != after)
		return false;
	return true;
}

size_t pv_pci_parse(const char *text, pv_bdf *bdf)
{
	const char *at = text;
	uint32_t domain, bus, slot, fn;

	if (!hex(&at, 4, ':', &domain) || !hex(&at, 2, ':', &bus) || !hex(&at, 2, '.', &slot) || !hex(&at, 1, 0, &fn))
		return 0;
	if (slot > 0x1f || fn > 7)
		return 0;
	*bdf = PCI_IN_DOMAIN(domain, PCI_BDF(bus, slot, fn));
	return (size_t)(at - text);
}
