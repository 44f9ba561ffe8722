/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/util/bdf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct pv_bdf_text pv_bdf_name(pv_bdf bdf)
{
	struct pv_bdf_text t;

	snprintf(t.s, sizeof(t.s), PCI_BDF_FMT, PCI_BDF_ARGS(bdf));
	return t;
}

struct pv_bdf_text pv_bdf_text(pv_bdf bdf)
{
	struct pv_bdf_text t = pv_bdf_name(bdf);
	const size_t domain = strlen("0000:");

	if (!PCI_DOMAIN(bdf))
		memmove(t.s, t.s + domain, sizeof(t.s) - domain);
	return t;
}

/* Reads `digits` hexadecimal digits and the character after them (0: none). */
static bool hex(const char **text, int digits, char after, uint32_t *value)
{
	static const char digit[] = "0123456789abcdef0123456789ABCDEF";

	for (*value = 0; digits; digits--, (*text)++) {
		const char *at = **text ? strchr(digit, **text) : NULL;

		if (!at)
			return false;
		*value = *value << 4 | ((uint32_t)(at - digit) & 0xf);
	}
	return !after || *(*text)++ == after;
}

/* "bb:dd.f" */
static size_t scan(const char *text, pv_bdf *bdf)
{
	const char *at = text;
	uint32_t bus, slot, fn;

	if (!hex(&at, 2, ':', &bus) || !hex(&at, 2, '.', &slot) || !hex(&at, 1, 0, &fn) || slot > 0x1f || fn > 7)
		return 0;
	*bdf = PCI_BDF(bus, slot, fn);
	return (size_t)(at - text);
}

size_t pv_bdf_scan(const char *text, pv_bdf *bdf)
{
	const char *at = text;
	uint32_t domain;
	size_t n = hex(&at, 4, ':', &domain) ? scan(at, bdf) : 0;

	if (!n)
		return 0;
	*bdf = PCI_IN_DOMAIN(domain, *bdf);
	return (size_t)(at - text) + n;
}

int pv_bdf_parse(const char *text, pv_bdf *bdf)
{
	size_t n = pv_bdf_scan(text, bdf);

	n = n ? n : scan(text, bdf);
	return n && !text[n] ? 0 : -EINVAL;
}

int pv_bdf_of_dwc_pmu(const char *pmu, pv_bdf *bdf)
{
	int end = 0;
	unsigned sbdf;

	if (sscanf(pmu, "dwc_rootport_%x%n", &sbdf, &end) != 1 || pmu[end])
		return -EINVAL;
	*bdf = sbdf;
	return 0;
}
