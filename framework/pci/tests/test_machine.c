/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines read through libpci, from dumps and from a tree of files, and the parents of functions. */
#include <errno.h>
#include <unistd.h>

#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

static void expect_parent(const struct pv_pci_machine *m, const char *name, const char *parent)
{
	const struct pv_pci_func *f = pv_pci_find_name(m, name);

	cr_assert(f, "no %s", name);
	if (!parent)
		cr_expect_null(f->parent, "%s: below %s", name, f->parent->name);
	else
		cr_expect_str_eq(f->parent ? f->parent->name : "nobody", parent, "of %s", name);
}

Test(pci_machine, knows_the_bridge_above_each_function)
{
	struct pv_pci_machine *m = read_dump("server-switches");

	expect_parent(m, "00:01.0", NULL);
	expect_parent(m, "01:00.0", "0000:00:01.0");
	expect_parent(m, "02:02.0", "0000:01:00.0");
	expect_parent(m, "0000:07:00.0", "0000:06:00.0");
	pv_pci_machine_free(m);
}

Test(pci_machine, domains_above_16_bits_have_their_names_and_bus_numbers_of_their_own)
{
	struct pv_pci_machine *m = read_dump("two-domains");

	cr_expect_eq(m->n_domains, 3);
	expect_parent(m, "10000:e1:00.0", "10000:e0:06.0");
	expect_parent(m, "10001:e1:00.0", "10001:e0:06.0");
	expect_parent(m, "01:00.0", "0000:00:01.0");
	cr_expect_null(pv_pci_find_name(m, "10002:e1:00.0"));
	pv_pci_machine_free(m);
}

Test(pci_machine, vfs_are_below_the_bridge_of_their_pf_on_whatever_bus)
{
	struct pv_pci_machine *m = read_dump("sriov");
	static const char *const vfs[] = {"01:02.0", "01:0c.0", "01:16.0", "02:00.0"};

	for (size_t i = 0; i < 4; i++) {
		cr_expect(pv_pci_find_name(m, vfs[i])->is_vf, "%s", vfs[i]);
		expect_parent(m, vfs[i], "0000:00:02.0");
	}
	cr_expect_not(pv_pci_find_name(m, "01:00.0")->is_vf);
	pv_pci_machine_free(m);
}

Test(pci_machine, a_name_is_parsed_whole_and_without_loss)
{
	static const struct {
		const char *name;
		uint32_t domain;
		unsigned bus, device, function;
	} good[] = {{"01:00.0", 0, 1, 0, 0},
		    {"1:2.3", 0, 1, 2, 3},
		    {"0000:fE:1f.7", 0, 0xfe, 31, 7},
		    {"ffffffff:ff:1f.7", 0xffffffff, 0xff, 31, 7}};
	static const char *const bad[] = {"",
					  "100000001:00.0",
					  "100000000:01:00.0",
					  "0000:100:00.0",
					  "0000:01:100.0",
					  "01:20.0",
					  "01:00.8",
					  "01:00.00",
					  "01:00.0 ",
					  " 01:00.0",
					  "-1:00.0",
					  "0x1:00.0",
					  ":01:00.0",
					  "01:00",
					  "01:00.",
					  "0:0:01:00.0",
					  "eth0"};
	struct pv_pci_place p;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		cr_assert(pv_pci_parse_name(good[i].name, &p), "%s", good[i].name);
		cr_expect(p.domain == good[i].domain && p.bus == good[i].bus && p.device == good[i].device &&
				  p.function == good[i].function,
			  "%s: %08x:%02x:%02x.%x", good[i].name, p.domain, p.bus, p.device, p.function);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(pv_pci_parse_name(bad[i], &p), "'%s'", bad[i]);
}

Test(pci_machine, bus_numbers_that_cannot_be_right_lead_nowhere)
{
	struct pv_pci_machine *m = read_dump("odd-buses");

	expect_parent(m, "01:00.0", "0000:00:01.0"); /* the first of two bridges to one bus */
	expect_parent(m, "02:00.0", NULL);
	expect_parent(m, "09:00.0", NULL);
	expect_parent(m, "20:00.0", NULL); /* otherwise it would be below itself */
	pv_pci_machine_free(m);
}

Test(pci_machine, ari_is_of_devices_whose_function_0_has_it)
{
	struct pv_pci_machine *m = read_dump("ari");

	cr_expect(pv_pci_find_name(m, "01:01.1")->is_ari);
	cr_expect(pv_pci_find_name(m, "01:00.0")->is_ari);
	cr_expect_not(pv_pci_find_name(m, "00:03.0")->is_ari);
	pv_pci_machine_free(m);
}

/* As written by two users: function 0 has 256 bytes, the others have all. */
Test(pci_machine, ari_is_known_by_any_function_if_function_0_is_cut)
{
	FILE *in = fopen(DUMPS "/ari.txt", "r"), *out;
	char path[] = "/tmp/pcieval-ari-XXXXXX", line[128], at[8] = "";
	struct pv_error e = {0};

	out = fdopen(mkstemp(path), "w");
	cr_assert(in && out);
	while (fgets(line, sizeof(line), in)) {
		if (line[2] == ':' && strchr(line, '.'))
			snprintf(at, sizeof(at), "%.7s", line);
		if (strcmp(at, "01:00.0") || line[3] != ':')
			fputs(line, out);
	}
	fclose(in);
	fclose(out);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	cr_assert(m, "%s", e.text);
	cr_expect_eq(pv_pci_find_name(m, "01:00.0")->known, 256);
	cr_expect(pv_pci_find_name(m, "01:00.0")->is_ari);
	cr_expect(pv_pci_find_name(m, "01:01.1")->is_ari);
	cr_expect_not(pv_pci_find_name(m, "00:03.0")->is_ari);
	pv_pci_machine_free(m);
	unlink(path);
}

Test(pci_machine, functions_of_64_bytes_and_functions_that_do_not_answer_are_told_apart)
{
	struct pv_pci_machine *few = read_dump("not-as-root"), *gone = read_dump("no-answer");

	cr_expect(few->few_bytes && pv_pci_find_name(few, "01:00.0")->unreadable);
	cr_expect_not(pv_pci_find_name(few, "01:00.0")->gone);
	cr_expect_not(pv_pci_find_name(few, "00:00.0")->unreadable, "it has no capabilities to be seen");
	cr_expect(!gone->few_bytes && pv_pci_find_name(gone, "01:00.0")->gone);
	pv_pci_machine_free(few);
	pv_pci_machine_free(gone);
}

Test(pci_machine, bytes_that_are_not_known_read_as_all_ones)
{
	struct pv_pci_machine *m = read_dump("not-as-root");
	struct pv_bus bus = pv_pci_machine_bus(m);
	pv_bdf bdf = pv_pci_find_name(m, "01:00.0")->bdf;

	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, 0, 4), 0x000c1b36);
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, 62, 4), 0xffffffff);
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, 64, 1), 0xff);
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, 0xfffffffe, 2), 0xffff);
	bus.cfg_write(bus.ctx, bdf, 63, 2, 0);
	pv_pci_machine_free(m);
}

static const struct build_func gaps[] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, 128, 512, 255, 255, false},
	{"0000:ff:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{"0000:ff:00.2", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{"0000:ff:1f.7", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{0},
};

Test(pci_machine, numbers_have_gaps_and_go_up_to_the_last)
{
	struct pv_pci_machine *m = build_machine(gaps);

	for (size_t i = 1; gaps[i].name; i++) {
		expect_parent(m, gaps[i].name, "0000:00:01.0");
		expect_parent(m, gaps[i].name + strlen("0000:"), "0000:00:01.0");
	}
	cr_expect_null(pv_pci_find_name(m, "ff:00.1"));
	cr_expect_null(pv_pci_find_name(m, "ff:1f.8"));
	cr_expect_null(pv_pci_find_name(m, "ff:20.0"));
	pv_pci_machine_free(m);
}

/* ---- a tree of files ---- */

static const struct build_func pair[] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, 128, 512, 1, 1, false},
	{"0000:01:00.0", PCI_EXP_TYPE_ENDPOINT, 512, 256, 512, 0, 0, false},
	{"0000:ff:1f.7", PCI_EXP_TYPE_RC_END, 512, 128, 512, 0, 0, false},
	{0},
};

static char tree[] = "/tmp/tree-XXXXXX";

static void set_up(void)
{
	char path[128];

	cr_assert(mkdtemp(tree));
	build_tree(pair, tree);
	snprintf(path, sizeof(path), "%s/devices/0000:01:00.0/driver", tree);
	cr_assert_eq(symlink("../../bus/pci/drivers/nvme", path), 0);
}

static void tear_down(void)
{
	pv_remove_all(tree);
}

TestSuite(pci_tree, .init = set_up, .fini = tear_down);

Test(pci_tree, reads_and_writes_files_laid_out_as_sysfs)
{
	struct pv_error e = {0};
	struct pv_pci_access *a = pv_pci_open(PV_PCI_SYSFS, tree, true, &e);
	struct pv_pci_machine *m = a ? pv_pci_machine_read(a, &e) : NULL;
	struct pv_pci_live live = {m, a};
	struct pv_bus bus;
	pv_bdf bdf;

	cr_assert(m, "%s", e.text);
	bus = pv_pci_live_bus(&live);
	expect_parent(m, "01:00.0", "0000:00:01.0");
	expect_parent(m, "ff:1f.7", NULL);
	cr_expect_str_eq(pv_pci_title_of(NULL, pv_pci_find_name(m, "01:00.0")).driver, "nvme");
	cr_expect_str_eq(pv_pci_title_of(NULL, pv_pci_find_name(m, "01:00.0")).ids, "1b36:000c");
	cr_expect_str_eq(pv_pci_title_of(NULL, pv_pci_find_name(m, "ff:1f.7")).driver, "");
	bdf = pv_pci_find_name(m, "01:00.0")->bdf;
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, BUILD_EXP + PCI_EXP_DEVCTL, 2), 0x2020);
	bus.cfg_write(bus.ctx, bdf, BUILD_EXP + PCI_EXP_DEVCTL, 2, 0x5000);
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, BUILD_EXP + PCI_EXP_DEVCTL, 2), 0x5000);
	/* The file has 256 bytes; the rest reads as all ones. */
	cr_expect_eq(bus.cfg_read(bus.ctx, bdf, 0x100, 4), 0xffffffff);
	pv_pci_machine_free(m);
	pv_pci_close(a);
}

Test(pci_machine, an_error_of_libpci_comes_back)
{
	struct pv_error e = {0};
	struct pv_pci_access *a = pv_pci_open(PV_PCI_DUMP, DUMPS "/desktop.txt", false, &e);
	uint8_t byte[2] = {0};

	/* libpci calls its error handler, which must not return; the process continues. */
	cr_expect_eq(pv_pci_write(a, 0, 0, byte, 2), -EIO);
	cr_expect_str_eq(pv_pci_said(a), "Writing to dump files is not supported.");
	cr_expect_eq(pv_pci_read(a, 0, 0, byte, 2), 0);
	cr_expect_str_eq(pv_pci_said(a), "");
	pv_pci_close(a);
}

Test(pci_tree, names_that_are_no_functions_are_refused)
{
	struct pv_error e = {0};
	char path[64];

	cr_expect_null(pv_pci_open(PV_PCI_SYSFS, "/nowhere", false, &e));
	cr_expect(strstr(e.text, "/nowhere/devices: No such file or directory"), "%s", e.text);
	snprintf(path, sizeof(path), "%s/devices/eth0", tree);
	mkdir(path, 0777);
	cr_expect_null(pv_pci_open(PV_PCI_SYSFS, tree, false, &e));
	cr_expect(strstr(e.text, "expected names like 0000:01:00.0, got 'eth0'"), "%s", e.text);
}

/*
 * Reads a dump with three headings, each followed by 64 bytes that begin with this value; 0: no bytes. NULL: *e has the
 * reason.
 */
static struct pv_pci_machine *three(const char *second, const uint8_t first_bytes[3], struct pv_error *e)
{
	const char *const names[] = {"0000:00:01.0", second, "00:02.0"};
	char path[] = "/tmp/dump-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		fprintf(f, "%s x\n", names[i]);
		for (unsigned off = 0; first_bytes[i] && off < 64; off += 16)
			fprintf(f, "%02x: %02x 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n", off, first_bytes[i]);
	}
	fclose(f);
	struct pv_pci_machine *m = pv_pci_machine_open(PV_PCI_DUMP, path, e);
	unlink(path);
	return m;
}

Test(pci_tree, a_function_with_two_sets_of_bytes_is_no_dump)
{
	struct pv_error e = {0};

	cr_expect_null(three("00:01.0", (const uint8_t[]){1, 2, 1}, &e));
	cr_expect(strstr(e.text, "function 0000:00:01.0 is there twice, with different bytes"), "%s", e.text);
}

Test(pci_tree, a_listing_and_a_dump_are_one_machine)
{
	static const uint8_t bytes[][3] = {{1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
	struct pv_error e = {0};

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct pv_pci_machine *m = three("00:01.0", bytes[i], &e);

		cr_assert(m, "%zu: %s", i, e.text);
		cr_expect_eq(m->n, 2, "%zu: %zu", i, m->n);
		cr_expect_eq(m->funcs[0].known, 64, "%zu: %u", i, m->funcs[0].known);
		cr_expect_str_eq(m->funcs[1].name, "0000:00:02.0");
		pv_pci_machine_free(m);
	}
}
