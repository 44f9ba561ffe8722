/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/board/tests/bind_fixture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/ptt.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define EXP 0x40u
#define EXT 0x100u

/* ---- machines ---- */

static char tree[] = "/dev/shm/pv-bind-XXXXXX";
struct pv_pci_machine *machine;
json_object *environment, *message, *bound;
struct pv_topology *plan;
struct pv_needs needs;
struct pv_board_description description;
struct pv_bind_wish wish[2];
size_t n_wishes;
const struct pv_pci_func *func[16];
struct pv_error e;

static void setup(void)
{
	cr_assert_not_null(mkdtemp(tree));
	description = (struct pv_board_description){0};
	n_wishes = 0;
}

static void drop_case(void)
{
	pv_needs_free(&needs);
	pv_topology_free(plan);
	json_object_put(message);
	plan = NULL;
	message = NULL;
}

void teardown(void)
{
	drop_case();
	json_object_put(bound);
	json_object_put(environment);
	bound = environment = NULL;
	if (machine)
		pv_pci_machine_free(machine);
	machine = NULL;
	pv_remove_all(tree);
}

TestSuite(bind, .init = setup, .fini = teardown, .timeout = 60);

static void put(uint8_t *space, unsigned off, unsigned bytes, uint32_t value)
{
	memcpy(space + off, &value, bytes);
}

static void make_ras_des(uint8_t *space)
{
	put(space, EXT, 4, 1u << 16 | PCI_EXT_CAP_ID_VSEC);
	put(space, EXT + 4, 4, DWC_VSEC_BYTES << 20 | DWC_VSEC_REV << 16 | DWC_VSEC_ID);
}

static void make_space(const struct function *f, uint8_t *space)
{
	static const uint32_t ids[] = {[PORT] = 0x80005678,
				       [DWC] = 0x8000abcd,
				       [NIC] = 0x10158086,
				       [MEM] = 0x0d931234,
				       [PTT] = (uint32_t)PTT_DEVICE_ID << 16 | PTT_VENDOR_ID};
	static const uint32_t classes[] = {
		[PORT] = 0x060400, [DWC] = 0x060400, [NIC] = 0x020000, [MEM] = CXL_MEM_CLASS, [PTT] = 0x088000};
	static const unsigned types[] = {[PORT] = PCI_EXP_TYPE_ROOT_PORT,
					 [DWC] = PCI_EXP_TYPE_ROOT_PORT,
					 [NIC] = PCI_EXP_TYPE_ENDPOINT,
					 [MEM] = PCI_EXP_TYPE_ENDPOINT,
					 [PTT] = PCI_EXP_TYPE_RC_END};

	memset(space, 0, 4096);
	put(space, PCI_VENDOR_ID, 4, ids[f->what]);
	put(space, PCI_CLASS - 1, 4, classes[f->what] << 8);
	put(space, PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	put(space, PCI_CAPABILITIES, 1, EXP);
	put(space, EXP, 1, PCI_CAP_ID_EXP);
	put(space, EXP + PCI_EXP_FLAGS, 2, 2u | types[f->what] << PCI_EXP_FLAGS_TYPE_SHIFT);
	if (f->what > DWC)
		return;
	put(space, EXP + PCI_EXP_LNKCAP, 4, f->lanes << PCI_EXP_LNKCAP_WIDTH_SHIFT | 4);
	put(space, EXP + PCI_EXP_LNKSTA, 2, f->lanes << PCI_EXP_LNKSTA_WIDTH_SHIFT | 3);
	put(space, PCI_HEADER_TYPE, 1, PCI_HEADER_TYPE_BRIDGE);
	put(space, PCI_SECONDARY_BUS, 2, f->bus | f->bus << 8);
	if (f->what == DWC)
		make_ras_des(space);
}

void make_machine(const struct function *f, size_t n)
{
	uint8_t space[4096];
	char path[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/devices/%s", tree, f[i].name);
		cr_assert_eq(pv_mkdir_all(path, 0777), 0);
		strcat(path, "/config");
		make_space(&f[i], space);
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		cr_assert_eq(write(fd, space, sizeof(space)), (ssize_t)sizeof(space));
		close(fd);
	}
	machine = pv_pci_machine_open(PV_PCI_SYSFS, tree, &e);
	cr_assert_not_null(machine, "%s", e.text);
}

void facts(const char *text)
{
	json_object_put(environment);
	environment = json_tokener_parse(text);
	cr_assert_not_null(environment);
}

/* ---- cases ---- */

void make_case(const char *nodes, const char *steps)
{
	_autofree_ char *text = NULL;

	drop_case();
	cr_assert_geq(asprintf(&text, "{\"case\":\"c\",\"topology\":{\"nodes\":[%s]},\"steps\":[%s]}", nodes, steps),
		      0);
	message = json_tokener_parse(text);
	cr_assert_not_null(message, "%s", text);
	cr_assert_eq(pv_topology_parse(json_object_object_get(message, "topology"), &plan, &e), 0, "%s", e.text);
	cr_assert_eq(pv_needs_read(plan, json_object_object_get(message, "steps"), &needs, &e), 0);
}

static struct pv_bind input(void)
{
	return (struct pv_bind){&needs, machine, &description, environment, wish, n_wishes};
}

int bind_case(void)
{
	const struct pv_bind in = input();

	e = (struct pv_error){0};
	return pv_board_bind(&in, func, &e);
}

void expect_roles(const char *expected)
{
	char got[256] = "";

	cr_assert_eq(bind_case(), 0, "%s", e.text);
	for (size_t i = 0; i < plan->n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 func[i] ? func[i]->name : "-");
	cr_expect_str_eq(got, expected);
}

void expect_none(const char *says)
{
	cr_expect_eq(bind_case(), -EOPNOTSUPP);
	cr_expect_str_eq(e.text, says);
}

void expect_needed(const char *nodes, const char *steps, const char *expected)
{
	char got[16] = "";

	make_case(nodes, steps);
	for (size_t i = 0; i < plan->n; i++)
		got[i] = needs.role[i].needed ? 'x' : '.';
	cr_expect_str_eq(*needs.exact ? needs.exact : got, expected, "%s: %s %s", steps, needs.exact, got);
}

void use_bound(void)
{
	const struct pv_bind in = input();

	cr_assert_eq(bind_case(), 0, "%s", e.text);
	cr_assert_eq(pv_bound_case(&in, func, message, &bound, &e), 0, "%s", e.text);
}

const char *attr(unsigned step, const char *name)
{
	json_object *o = json_object_array_get_idx(json_object_object_get(bound, "steps"), step);

	return json_object_get_string(json_object_object_get(json_object_object_get(o, "attrs"), name));
}

json_object *node(unsigned i)
{
	return json_object_array_get_idx(json_object_object_get(json_object_object_get(bound, "topology"), "nodes"), i);
}

const char *member(unsigned i, const char *name)
{
	return json_object_get_string(json_object_object_get(node(i), name));
}
