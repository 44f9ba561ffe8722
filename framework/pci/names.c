/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up names in pci.ids through libpci: no network, no cache, no hwdb, so that an answer depends on one file only.
 */
#include "framework/pci/names.h"

#include <pci/pci.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB };

struct pv_pci_names {
	struct pci_access *lib;
};

/* libpci's error callback must not return and has no context. */
static _Thread_local jmp_buf landing;

static void on_error(char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void on_message(char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void on_error(char *fmt, ...)
{
	longjmp(landing, 1);
}

static void on_message(char *fmt, ...)
{
}

struct pv_pci_names *pv_pci_names_open(void)
{
	struct pv_pci_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->lib = pci_alloc();
	names->lib->error = on_error;
	names->lib->warning = names->lib->debug = on_message;
	return names;
}

void pv_pci_names_close(struct pv_pci_names *names)
{
	if (names)
		pci_cleanup(names->lib);
	free(names);
}

static void look_up(struct pv_pci_names *names, char *out, size_t n, int flags, unsigned id, unsigned device)
{
	*out = '\0';
	if (!names || setjmp(landing))
		return;
	if (!pci_lookup_name(names->lib, out, (int)n, flags | FLAGS, id, device))
		*out = '\0';
}

void pv_pci_names_device(struct pv_pci_names *names, uint16_t vendor, uint16_t device, char *out, size_t n)
{
	look_up(names, out, n, PCI_LOOKUP_VENDOR | PCI_LOOKUP_DEVICE, vendor, device);
}

void pv_pci_names_class(struct pv_pci_names *names, uint16_t class, char *out, size_t n)
{
	look_up(names, out, n, PCI_LOOKUP_CLASS, class, 0);
}
