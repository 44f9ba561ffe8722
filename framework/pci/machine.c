/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a machine: the bytes of every function, facts decoded from them, and the bridge above it, by bus numbers. Bus
 * numbers must increase downwards, so no dump can cause a loop. VFs may be on buses that are no bridge's secondary bus
 * (PCIe 5.0 9.2.1.2): they are below the bridge whose bus range contains them.
 */
#include "framework/pci/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drivers/core/pcie.h"
#include "framework/util/cleanup.h"

/* CardBus bridges have bus numbers at the same offsets as PCI-to-PCI bridges. */
enum { BUSES = 256, HEADER_CARDBUS = 2 };

/* ---- bytes ---- */

uint32_t pv_pci_get(const struct pv_pci_func *f, uint32_t off, unsigned bytes)
{
	uint32_t value = 0;

	if (off > f->known || bytes > f->known - off)
		return 0xffffffffu >> (32 - 8 * bytes);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)f->space[off + i] << 8 * i;
	return value;
}

uint32_t pv_pci_exp(const struct pv_pci_func *f, uint32_t off, unsigned bytes)
{
	return pv_pci_get(f, f->pcie + off, bytes);
}

struct pv_pci_func *pv_pci_find(const struct pv_pci_machine *m, pv_bdf bdf)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->funcs[middle].bdf < bdf)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->n && m->funcs[low].bdf == bdf ? &m->funcs[low] : NULL;
}

/* Parses 1 to `max` of these digits and the character after them. sscanf() would drop the bits above 32. */
static bool take_digits(const char **at, const char *digits, size_t max, char after, uint32_t *value)
{
	size_t n = strspn(*at, digits);

	if (!n || n > max || (*at)[n] != after)
		return false;
	*value = (uint32_t)strtoul(*at, NULL, 16);
	*at += n + (after != '\0');
	return true;
}

bool pv_pci_parse_name(const char *name, struct pv_pci_place *place)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	bool has_domain = strchr(name, ':') != strrchr(name, ':');
	uint32_t domain = 0, bus, device, function;

	if (has_domain && !take_digits(&name, hex, 8, ':', &domain))
		return false;
	if (!take_digits(&name, hex, 2, ':', &bus) || !take_digits(&name, hex, 2, '.', &device) ||
	    !take_digits(&name, "01234567", 1, '\0', &function) || device > 31)
		return false;
	*place = (struct pv_pci_place){domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function};
	return true;
}

struct pv_pci_func *pv_pci_find_name(const struct pv_pci_machine *m, const char *name)
{
	struct pv_pci_place p;

	if (!pv_pci_parse_name(name, &p))
		return NULL;
	for (size_t i = 0; i < m->n; i++)
		if (m->funcs[i].domain == p.domain && PCI_RID(m->funcs[i].bdf) == PCI_BDF(p.bus, p.device, p.function))
			return &m->funcs[i];
	return NULL;
}

/* ---- names ---- */

static bool has_ids(const struct pv_pci_func *f)
{
	unsigned vendor = f->known >= 64 ? pv_pci_get(f, PCI_VENDOR_ID, 2) : 0;

	return !f->gone && vendor && vendor != 0xffff && !(f->note && f->note->no_ids);
}

struct pv_pci_title pv_pci_title_of(struct pv_pci_names *names, const struct pv_pci_func *f)
{
	unsigned vendor = pv_pci_get(f, PCI_VENDOR_ID, 2), device = pv_pci_get(f, PCI_DEVICE_ID, 2);
	unsigned class = pv_pci_get(f, PCI_CLASS + 1, 2);
	struct pv_pci_title t = {""};
	char kind[64] = "", name[120] = "";

	if (f->note)
		memcpy(t.driver, f->note->driver, sizeof(t.driver));
	if (has_ids(f)) {
		snprintf(t.ids, sizeof(t.ids), "%04x:%04x", vendor & 0xffff, device & 0xffff);
		pv_pci_names_device(names, (uint16_t)vendor, (uint16_t)device, name, sizeof(name));
	}
	if (has_ids(f) && class) {
		snprintf(t.class, sizeof(t.class), "%04x", class & 0xffff);
		pv_pci_names_class(names, (uint16_t) class, kind, sizeof(kind));
	}
	if (*name)
		snprintf(t.name, sizeof(t.name), "%s%s%s", kind, *kind ? ": " : "", name);
	else if (f->note)
		snprintf(t.name, sizeof(t.name), "%s", f->note->label);
	return t;
}

/* ---- the machine as a bus ---- */

static uint32_t image_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	const struct pv_pci_func *f = pv_pci_find(ctx, bdf);

	return f ? pv_pci_get(f, off, bytes) : 0xffffffffu >> (32 - 8 * bytes);
}

static void image_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct pv_pci_func *f = pv_pci_find(ctx, bdf);

	if (!f || off > f->known || bytes > f->known - off)
		return;
	for (unsigned i = 0; i < bytes; i++)
		f->space[off + i] = (uint8_t)(value >> 8 * i);
}

struct pv_bus pv_pci_machine_bus(struct pv_pci_machine *m)
{
	return (struct pv_bus){
		.ctx = m,
		.buses = m->buses,
		.n_buses = m->n_buses,
		.cfg_read = image_read,
		.cfg_write = image_write,
	};
}

static uint32_t live_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	const struct pv_pci_live *live = ctx;
	const struct pv_pci_func *f = pv_pci_find(live->machine, bdf);
	uint8_t data[4];
	uint32_t value = 0;

	if (!f || pv_pci_read(live->access, (size_t)(f - live->machine->funcs), off, data, bytes))
		return 0xffffffffu >> (32 - 8 * bytes);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)data[i] << 8 * i;
	return value;
}

static void live_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	const struct pv_pci_live *live = ctx;
	const struct pv_pci_func *f = pv_pci_find(live->machine, bdf);
	uint8_t data[4];

	for (unsigned i = 0; i < bytes; i++)
		data[i] = (uint8_t)(value >> 8 * i);
	if (f) /* a lost write is noticed when the register is read back */
		pv_pci_write(live->access, (size_t)(f - live->machine->funcs), off, data, bytes);
}

static uint64_t live_now_ns(void *ctx)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void live_delay_ns(void *ctx, uint64_t ns)
{
	nanosleep(&(struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}, NULL);
}

struct pv_bus pv_pci_live_bus(struct pv_pci_live *live)
{
	return (struct pv_bus){
		.ctx = live,
		.buses = live->machine->buses,
		.n_buses = live->machine->n_buses,
		.cfg_read = live_read,
		.cfg_write = live_write,
		.now_ns = live_now_ns,
		.delay_ns = live_delay_ns,
	};
}

/* ---- the tree ---- */

/* Bridges by domain and secondary bus. */
struct heads {
	struct pv_pci_func **of;
};

static struct pv_pci_func **head_at(struct heads *h, pv_bdf bdf)
{
	return &h->of[(size_t)PCI_DOMAIN(bdf) * BUSES + PCI_BUS(bdf)];
}

/*
 * Finds the bridge of each bus. A bridge to its own or a lower bus is ignored; of two bridges to one bus, the first one
 * counts.
 */
static void find_heads(struct pv_pci_machine *m, struct heads *h)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *f = &m->funcs[i], **head;
		unsigned bus = pv_pci_get(f, PCI_SECONDARY_BUS, 1);

		if (!f->is_bridge || bus <= PCI_BUS(f->bdf))
			continue;
		head = head_at(h, PCI_IN_DOMAIN(PCI_DOMAIN(f->bdf), PCI_BDF(bus, 0, 0)));
		if (!*head)
			*head = f;
		else
			(*head)->is_rivalled = f->is_rivalled = true;
	}
}

/* ---- virtual functions ---- */

/* A VF's own Vendor ID reads as all ones (9.3.4.1.1). lspci prints the id that Linux stores for it. */
static bool may_be_vf(const struct pv_pci_func *f)
{
	return pv_pci_get(f, PCI_VENDOR_ID, 2) == 0xffff || (f->note && f->note->from_text);
}

/* The name of its device id contains "Virtual Function": a VF has its own id (9.3.3.11). */
static bool is_named_vf(const struct pv_pci_func *f)
{
	return f->note && f->note->from_text && strstr(f->note->label, "Virtual Function");
}

static void mark_vfs_of(struct pv_pci_machine *m, struct pv_pci_func *pf, const struct pv_cfg *cfg, uint32_t cap)
{
	unsigned count = pv_cfg_read16(cfg, cap + PCI_SRIOV_NUM_VF);
	unsigned offset = pv_cfg_read16(cfg, cap + PCI_SRIOV_VF_OFFSET);
	unsigned stride = pv_cfg_read16(cfg, cap + PCI_SRIOV_VF_STRIDE);

	for (unsigned n = 0; n < count && offset; n++) {
		unsigned rid = PCI_RID(pf->bdf) + offset + n * stride;
		struct pv_pci_func *vf;

		if (rid > 0xffff)
			return;
		vf = pv_pci_find(m, PCI_IN_DOMAIN(PCI_DOMAIN(pf->bdf), rid));
		if (!vf || vf == pf || vf->is_vf || !may_be_vf(vf))
			continue;
		vf->is_vf = true;
		vf->pf = pf;
	}
}

static void mark_vfs(struct pv_pci_machine *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *pf = &m->funcs[i];
		struct pv_bus bus = pv_pci_machine_bus(m);
		struct pv_cfg cfg = {m, pf->bdf, bus.cfg_read, bus.cfg_write};
		uint32_t cap = pf->known == PCI_CFG_BYTES && pf->pcie
				       ? pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_SRIOV)
				       : 0;

		if (!pf->is_vf && cap && cap <= PCI_CFG_BYTES - 64 &&
		    pv_cfg_read16(&cfg, cap + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE)
			mark_vfs_of(m, pf, &cfg, cap);
	}
	/* The PF's capability is unknown: only a VF exists and reads all ones as its Vendor ID (9.3.4.1.1). */
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *f = &m->funcs[i];

		f->is_vf = f->is_vf || is_named_vf(f) ||
			   (!f->gone && f->known && pv_pci_get(f, PCI_VENDOR_ID, 2) == 0xffff);
		f->is_bridge = f->is_bridge && !f->is_vf;
	}
}

/* ---- parents ---- */

/*
 * Returns the bridge with the highest secondary bus whose range contains the bus, if no bridge has it as secondary bus.
 * NULL: none.
 */
static struct pv_pci_func *bridge_around(struct heads *h, const struct pv_pci_func *f)
{
	for (unsigned bus = PCI_BUS(f->bdf); bus > 0; bus--) {
		struct pv_pci_func *head = *head_at(h, PCI_IN_DOMAIN(PCI_DOMAIN(f->bdf), PCI_BDF(bus, 0, 0)));

		if (head && pv_pci_get(head, PCI_SUBORDINATE_BUS, 1) >= PCI_BUS(f->bdf))
			return head;
	}
	return NULL;
}

/*
 * ARI: function 0 has the capability, the others belong to its device (PCIe 5.0 6.13). All functions of the device have
 * it, so function 0 has it where 256 bytes do not show it.
 */
static void spread_ari(struct pv_pci_machine *m, struct pv_pci_func *f)
{
	struct pv_pci_func *first = pv_pci_find(m, PCI_FIRST_ON_BUS(f->bdf));

	if (f->is_ari && first && first->pcie && first->known < PCI_CFG_BYTES)
		first->is_ari = true;
	f->is_ari_orphan = f->is_ari && f->parent && !(first && first->pcie);
	f->is_ari = f->is_ari && f->parent && first && first->is_ari;
}

static void add_child(struct pv_pci_machine *m, struct pv_pci_func *f, struct pv_pci_func **last)
{
	struct pv_pci_func **at = &last[f->parent ? f->parent - m->funcs : (long)m->n];

	if (*at)
		(*at)->sibling = f;
	else if (f->parent)
		f->parent->child = f;
	*at = f;
}

static void find_parents(struct pv_pci_machine *m, struct heads *h)
{
	for (size_t i = 0; i < m->n; i++)
		m->funcs[i].parent = bridge_around(h, &m->funcs[i]);
	for (size_t i = m->n; i-- > 0;)
		spread_ari(m, &m->funcs[i]);
}

/* Finds VFs, parents, children and siblings of all functions. 0 or -ENOMEM. */
static int connect_all(struct pv_pci_machine *m)
{
	struct heads h = {calloc((m->n_domains + 1) * BUSES, sizeof(*h.of))};
	struct pv_pci_func **last = calloc(m->n + 1, sizeof(*last));
	int err = h.of && last ? 0 : -ENOMEM;

	if (!err) {
		mark_vfs(m);
		find_heads(m, &h);
		find_parents(m, &h);
		for (size_t i = 0; i < m->n; i++)
			add_child(m, &m->funcs[i], last);
	}
	free(h.of);
	free(last);
	return err;
}

struct pv_pci_func *pv_pci_first_root(const struct pv_pci_machine *m)
{
	struct pv_pci_func *f = m->funcs;

	while (f < m->funcs + m->n && f->parent)
		f++;
	return f < m->funcs + m->n ? f : NULL;
}

/* ---- reading ---- */

static int read_space(struct pv_pci_access *a, size_t i, struct pv_pci_func *f)
{
	uint8_t data[PV_PCI_SPACE_BYTES];

	f->known = pv_pci_read_space(a, i, data);
	f->space = malloc(f->known + 1);
	if (!f->space)
		return -ENOMEM;
	memcpy(f->space, data, f->known);
	return 0;
}

static bool is_gone(const struct pv_pci_func *f)
{
	for (unsigned i = 0; i < f->known && i < 64; i++)
		if (f->space[i] != 0xff)
			return false;
	return f->known > 0;
}

static struct pv_cfg image_cfg(struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	return (struct pv_cfg){m, f->bdf, image_read, image_write};
}

static void learn(struct pv_pci_machine *m, struct pv_pci_func *f)
{
	struct pv_cfg cfg = image_cfg(m, f);
	uint32_t header;

	f->gone = is_gone(f);
	if (f->gone || !f->known)
		return;
	header = pv_pci_get(f, PCI_HEADER_TYPE, 1) & PCI_HEADER_TYPE_MASK;
	f->is_bridge = header == PCI_HEADER_TYPE_BRIDGE || header == HEADER_CARDBUS;
	/* 64 bytes of a header only tell whether there are capabilities. */
	f->unreadable =
		(f->known < 256 && pv_pci_get(f, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST) || (f->note && f->note->lacks);
	if (f->unreadable)
		m->few_bytes = true;
	else
		f->pcie = (uint8_t)pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP);
	f->is_ari = f->pcie && pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_ARI);
	/* A capability that extends beyond the space is ignored. */
	if (f->pcie + PCI_EXP_LNKSTA + 2 > 256)
		f->pcie = 0;
}

static void name_func(struct pv_pci_func *f, struct pv_pci_place p)
{
	snprintf(f->name, sizeof(f->name), PCI_BDF_FMT, p.domain, p.bus, p.device & 0x1fu, p.function & 7u);
	f->domain = p.domain;
}

/* Numbers the domains in the order of the functions, and lists the buses. */
static int number_domains(struct pv_pci_machine *m, const struct pv_pci_access *a)
{
	m->buses = calloc(m->n + 1, sizeof(*m->buses));
	if (!m->buses)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_place p = pv_pci_place(a, i);

		name_func(&m->funcs[i], p);
		if (pv_pci_note(a, i)) {
			m->notes[i] = *pv_pci_note(a, i);
			m->funcs[i].note = &m->notes[i];
		}
		if (!i || m->funcs[i - 1].domain != p.domain) {
			if (m->n_domains > UINT16_MAX)
				return -EOVERFLOW;
			m->n_domains++;
		}
		m->funcs[i].bdf = PCI_IN_DOMAIN(m->n_domains - 1, PCI_BDF(p.bus, p.device, p.function));
		if (!m->n_buses || m->buses[m->n_buses - 1] != PCI_FIRST_ON_BUS(m->funcs[i].bdf))
			m->buses[m->n_buses++] = PCI_FIRST_ON_BUS(m->funcs[i].bdf);
	}
	return 0;
}

static int read_all(struct pv_pci_machine *m, struct pv_pci_access *a)
{
	int err = number_domains(m, a);

	for (size_t i = 0; !err && i < m->n; i++)
		err = read_space(a, i, &m->funcs[i]);
	for (size_t i = 0; !err && i < m->n; i++)
		learn(m, &m->funcs[i]);
	return err ? err : connect_all(m);
}

struct pv_pci_machine *pv_pci_machine_read(struct pv_pci_access *a, struct pv_error *e)
{
	struct pv_pci_machine *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (m) {
		m->n = pv_pci_count(a);
		m->funcs = calloc(m->n + 1, sizeof(*m->funcs));
		m->notes = calloc(m->n + 1, sizeof(*m->notes));
		err = m->funcs && m->notes ? read_all(m, a) : -ENOMEM;
	}
	if (!err)
		return m;
	pv_error(e, err, "reading configuration space: %s", strerror(-err));
	pv_pci_machine_free(m);
	return NULL;
}

struct pv_pci_machine *pv_pci_machine_open(enum pv_pci_source source, const char *path, struct pv_error *e)
{
	struct pv_pci_access *a = pv_pci_open(source, path, false, e);
	struct pv_pci_machine *m = a ? pv_pci_machine_read(a, e) : NULL;

	pv_pci_close(a);
	return m;
}

void pv_pci_machine_free(struct pv_pci_machine *m)
{
	for (size_t i = 0; m && m->funcs && i < m->n; i++)
		free(m->funcs[i].space);
	if (m) {
		free(m->funcs);
		free(m->notes);
		free(m->buses);
	}
	free(m);
}
