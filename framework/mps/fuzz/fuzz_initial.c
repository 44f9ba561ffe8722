/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads any bytes as the firmware's sizes (JSON or a dump) of a machine with three functions that have sizes and one
 * that has none. Accepted input names at least one function, each once, with sizes that MPS and MRRS can have. A dump
 * and the output of show --json for it must give the same.
 */
#include "framework/mps/facts.h"
#include "framework/mps/json.h"
#include "framework/mps/remark.h"
#include "framework/util/fuzz/fuzz.h"

#define EXPRESS(type)                                                                                             \
	"\tStatus: Cap+\n\tCapabilities: [40] Express (v2) " type ", MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes\n" \
	"\t\tDevCtl:\tMaxPayload 128 bytes, MaxReadReq 512 bytes\n"

static const char machine_text[] = "00:01.0 PCI bridge: Name\n" EXPRESS(
	"Root Port (Slot-)") "\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n\n"
			     "00:1f.0 ISA bridge: Name\n\tStatus: Cap-\n\n"
			     "01:00.0 Class: Name\n" EXPRESS("Endpoint") "\n"
									 "01:00.1 Class: Name\n" EXPRESS("Endpoint");

static struct pv_pci_machine *machine_of(const void *text, size_t n)
{
	struct pv_error e = {0};
	int fd = fuzz_file(text, n);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, fuzz_path(fd), &e);

	close(fd);
	return m;
}

/* NULL: refused, with a reason. The caller frees. */
static struct pv_initial *initial_of(const struct pv_pci_machine *m, const void *data, size_t size, size_t *n)
{
	struct pv_error e = {0};
	struct pv_initial *list;
	int fd = fuzz_file(data, size);
	int err = pv_initial_read(m, fuzz_path(fd), &list, n, &e);

	close(fd);
	fuzz_check((err < 0) == (*e.text != '\0') && err == e.code);
	if (!err)
		return list;
	free(list);
	return NULL;
}

static bool is_size(int bytes)
{
	return !bytes || (bytes >= 128 && bytes <= 16384 && !(bytes & (bytes - 1)));
}

static void check_list(const struct pv_pci_machine *m, const struct pv_initial *list, size_t n)
{
	fuzz_check(n && n <= 3);
	for (size_t i = 0; i < n; i++) {
		fuzz_check(list[i].func >= m->funcs && list[i].func < m->funcs + m->n && pv_has_sizes(list[i].func));
		fuzz_check(is_size(list[i].mps) && is_size(list[i].mrrs));
		for (size_t k = 0; k < i; k++)
			fuzz_check(list[k].func != list[i].func);
	}
}

/* Returns the output of show --json; the caller frees. */
static char *shown(const struct pv_pci_machine *m)
{
	struct pv_mismatches found;
	struct pv_remarks remarks;

	fuzz_check(!pv_check(m, false, &found) && !pv_remarks_find(m, &found, &remarks));
	json_object *all = pv_json_show(m, &found, &remarks, NULL);
	char *text = strdup(json_object_to_json_string(all));
	json_object_put(all);
	pv_remarks_free(&remarks);
	pv_mismatches_free(&found);
	fuzz_check(text);
	return text;
}

static void check_dump(const struct pv_pci_machine *m, const struct pv_pci_machine *was, const struct pv_initial *list,
		       size_t n)
{
	size_t n_again = 0;
	char *text = shown(was);
	struct pv_initial *again = initial_of(m, text, strlen(text), &n_again);

	fuzz_check(!again == !list && (!list || n == n_again));
	for (size_t i = 0; list && i < n; i++)
		fuzz_check(list[i].func == again[i].func && list[i].mps == again[i].mps &&
			   list[i].mrrs == again[i].mrrs);
	free(again);
	free(text);
}

static bool is_json(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at < size && data[at] && strchr(" \t\r\n", data[at]))
		at++;
	return at < size && data[at] == '[';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_pci_machine *m = machine_of(machine_text, strlen(machine_text));
	size_t n = 0;

	fuzz_check(m && m->n == 4);
	struct pv_initial *list = initial_of(m, data, size, &n);
	if (list)
		check_list(m, list, n);
	struct pv_pci_machine *was = machine_of(data, size);
	if (was && !is_json(data, size))
		check_dump(m, was, list, n);
	pv_pci_machine_free(was);
	free(list);
	pv_pci_machine_free(m);
	return 0;
}
