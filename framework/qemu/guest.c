/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest of a case: files and sizes, and the host bridges of its topology. */
#include "framework/qemu/guest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/target/needs.h"
#include "framework/util/cleanup.h"

#define CPUS_MAX   8
#define DEVICE_IDS 0x10000u
#define MIB	   (1ull << 20)
#define BUS_LAST   0xffu

/* ---- host bridges ---- */

/*
 * There is one for each root bus. They share the apertures evenly, like the models (pv_assign_all()), and the 16-bit
 * device IDs of the single ITS. If there is only one domain, they have all its buses, whatever the topology needs: one
 * base snapshot then serves many topologies.
 */

/* Finds the host bridge above a bus: the last one of its domain that begins at or before it. */
static struct pv_fabric_bridge *bridge_of(struct pv_fabric_hello *h, unsigned domain, unsigned bus)
{
	struct pv_fabric_bridge *found = NULL;

	for (uint32_t i = 0; i < h->bridges; i++) {
		struct pv_fabric_bridge *b = &h->bridge[i];

		if (b->domain == domain && b->bus_first <= bus && (!found || b->bus_first > found->bus_first))
			found = b;
	}
	return found;
}

/* Returns the number of the ECAM of a domain: that of its other host bridges, else a new one. */
static unsigned ecam_of(const struct pv_fabric_hello *h, unsigned domain)
{
	unsigned next = 0;

	for (uint32_t i = 0; i < h->bridges; i++) {
		if (h->bridge[i].domain == domain)
			return h->bridge[i].ecam;
		next = h->bridge[i].ecam >= next ? h->bridge[i].ecam + 1 : next;
	}
	return next;
}

/* Adds the host bridge of a function on a root bus, unless it was added before. */
static int add_root(struct pv_fabric_hello *h, const struct pv_topo_node *node, struct pv_error *e)
{
	unsigned domain = PCI_DOMAIN(node->bdf), bus = PCI_BUS(node->bdf);
	const struct pv_fabric_bridge *b = bridge_of(h, domain, bus);

	if (b && b->bus_first == bus)
		return 0;
	if (h->bridges == ARRAY_SIZE(h->bridge))
		return pv_error(e, -EOPNOTSUPP, "expected at most %zu root buses", ARRAY_SIZE(h->bridge));
	unsigned ecam = ecam_of(h, domain);
	h->bridge[h->bridges++] = (struct pv_fabric_bridge){.domain = (uint16_t)domain,
							    .bus_first = (uint8_t)bus,
							    .bus_last = (uint8_t)bus,
							    .numa_node = node->numa_node,
							    .probe_only = 1,
							    .ecam = ecam};
	return 0;
}

static void stretch(struct pv_fabric_bridge *b, unsigned bus)
{
	if (b && bus > b->bus_last)
		b->bus_last = (uint8_t)bus;
}

static int share_out(struct pv_fabric_hello *h, struct pv_error *e)
{
	uint32_t ids = 0;

	for (uint32_t i = 0; i < h->bridges; i++) {
		struct pv_fabric_bridge *b = &h->bridge[i];

		b->msi_base = ids;
		ids += (b->bus_last - b->bus_first + 1u) << 8;
		b->mem32_bytes = PV_FABRIC_MEM32_BYTES / h->bridges & ~(MIB - 1);
		b->mem64_bytes = PV_FABRIC_MEM64_BYTES / h->bridges & ~(MIB - 1);
		b->mem32 = PV_FABRIC_MEM32 + i * b->mem32_bytes;
		b->mem64 = PV_FABRIC_MEM64 + i * b->mem64_bytes;
	}
	return ids > DEVICE_IDS ? pv_error(e, -EOPNOTSUPP, "expected at most 256 buses in all PCI domains together")
				: 0;
}

/* Gives each host bridge all buses up to the next one of its domain. */
static void stretch_all(struct pv_fabric_hello *h)
{
	for (unsigned bus = 0; bus <= BUS_LAST; bus++)
		stretch(bridge_of(h, h->bridge[0].domain, bus), bus);
}

static bool has_domains(const struct pv_fabric_hello *h)
{
	for (uint32_t i = 1; i < h->bridges; i++)
		if (h->bridge[i].domain != h->bridge[0].domain)
			return true;
	return false;
}

/*
 * Returns true if a domain has several host bridges: Linux finds those behind the first with framework/far/module only.
 */
static bool share_domain(const struct pv_fabric_hello *h)
{
	for (uint32_t i = 1; i < h->bridges; i++)
		for (uint32_t j = 0; j < i; j++)
			if (h->bridge[i].domain == h->bridge[j].domain)
				return true;
	return false;
}

int pv_guest_bridges(const struct pv_topology *t, struct pv_fabric_hello *out, struct pv_error *e)
{
	*out = (struct pv_fabric_hello){.version = PV_FABRIC_VERSION, .iommu = t->iommu != PV_IOMMU_NONE};
	for (size_t i = 0; i < t->n; i++) {
		int err = t->nodes[i].parent < 0 ? add_root(out, &t->nodes[i], e) : 0;

		if (err)
			return err;
	}
	for (size_t i = 0; i < t->n; i++) {
		unsigned domain = PCI_DOMAIN(t->nodes[i].bdf);
		struct pv_fabric_bridge *b = bridge_of(out, domain, PCI_BUS(t->nodes[i].bdf));

		stretch(b, PCI_BUS(t->nodes[i].bdf));
		stretch(b, t->nodes[i].subordinate);
	}
	if (!has_domains(out))
		stretch_all(out);
	return share_out(out, e);
}

/* ---- the case message ---- */

static int path_of(json_object *o, const char *key, int access_mode, const char **out, struct pv_error *e)
{
	const char *path = json_object_get_string(json_object_object_get(o, key));

	if (!path)
		return pv_error(e, -EINVAL, "case message: \"guest\": \"%s\": expected a path, got nothing", key);
	if (access(path, access_mode))
		return pv_error(e, -ENOENT,
				"target qemu: %s: %s: %s; `ci/qemu` and `ci/guest fast` build what is needed", key,
				path, strerror(errno));
	*out = path;
	return 0;
}

static int parse_archives(json_object *o, struct pv_guest *g, struct pv_error *e)
{
	json_object *list = json_object_object_get(o, "archives");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (!n || n > PV_VM_ARCHIVES)
		return pv_error(e, -EINVAL, "case message: \"guest\": \"archives\": expected 1 to %d paths, got %zu",
				PV_VM_ARCHIVES, n);
	for (size_t i = 0; i < n; i++) {
		const char *path = json_object_get_string(json_object_array_get_idx(list, i));

		if (!path || access(path, R_OK))
			return pv_error(e, -ENOENT, "target qemu: initramfs: %s: %s; `ci/guest fast` builds it",
					path ? path : "null", strerror(errno));
		g->archive[i] = path;
	}
	return 0;
}

/* Adds the archive that the message has under `key`, if it has one. */
static int add_archive(json_object *o, const char *key, struct pv_guest *g, struct pv_error *e)
{
	size_t n = 0;

	if (!json_object_object_get(o, key))
		return 0;
	while (g->archive[n])
		n++;
	if (n == PV_VM_ARCHIVES)
		return pv_error(e, -EINVAL, "case message: \"guest\": \"archives\": expected less than %d beside %s",
				PV_VM_ARCHIVES, key);
	return path_of(o, key, R_OK, &g->archive[n], e);
}

/* Only a case that runs perf has it in its guest. */
static int add_perf(json_object *case_msg, json_object *o, struct pv_guest *g, struct pv_error *e)
{
	return pv_case_runs_perf(case_msg) ? add_archive(o, "perf", g, e) : 0;
}

static bool has_virtual_functions(const struct pv_topology *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].vf)
			return true;
	return false;
}

/* Returns the feature of this machine that Linux lacks without the module; NULL: none. */
static const char *of_module(const struct pv_topology *t, const struct pv_fabric_hello *h)
{
	if (share_domain(h))
		return "several root buses in one PCI domain, as Linux has them of ACPI but not of a device tree,";
	if (has_virtual_functions(t))
		return "virtual functions, which Linux switches on for a driver of the physical function only,";
	return NULL;
}

bool pv_guest_needs_module(json_object *case_msg, const struct pv_topology *t)
{
	struct pv_fabric_hello h;
	struct pv_error e;

	return pv_case_uses_module(case_msg) || (t && !pv_guest_bridges(t, &h, &e) && of_module(t, &h));
}

int pv_guest_add_module(json_object *case_msg, const struct pv_topology *t, const struct pv_fabric_hello *h,
			struct pv_guest *g, struct pv_error *e)
{
	json_object *o = json_object_object_get(case_msg, "guest");
	const char *what = of_module(t, h);

	if (what && !json_object_object_get(o, "module"))
		return pv_error(
			e, -EOPNOTSUPP,
			"%s need pcieval.ko in the guest, which `ci/guest module KERNEL` makes for kernels of ci/guest",
			what);
	return what || pv_case_uses_module(case_msg) ? add_archive(o, "module", g, e) : 0;
}

static int parse_sizes(json_object *o, struct pv_guest *g, struct pv_error *e)
{
	json_object *mib = json_object_object_get(o, "ram_mib"), *cpus = json_object_object_get(o, "cpus");
	int64_t ram = mib ? json_object_get_int64(mib) : PV_GUEST_RAM_DEFAULT >> 20;
	int64_t n = cpus ? json_object_get_int64(cpus) : 1;

	if (ram < 64 || ram > (int64_t)(PV_FABRIC_RAM_MAX >> 20))
		return pv_error(e, -EINVAL, "guest: memory: expected 64 to %d MiB, got %lld",
				(int)(PV_FABRIC_RAM_MAX >> 20), (long long)ram);
	if (n < 1 || n > CPUS_MAX)
		return pv_error(e, -EINVAL, "guest: CPUs: expected 1 to %d, got %lld", CPUS_MAX, (long long)n);
	g->ram_bytes = (size_t)ram << 20;
	g->cpus = (unsigned)n;
	return 0;
}

int pv_guest_parse(json_object *case_msg, struct pv_guest *out, struct pv_error *e)
{
	json_object *o = json_object_object_get(case_msg, "guest");
	const char *append = json_object_get_string(json_object_object_get(o, "append"));
	const char *driver = json_object_get_string(json_object_object_get(case_msg, "driver"));

	*out = (struct pv_guest){.append = append ? append : "",
				 .snapshots = json_object_get_string(json_object_object_get(o, "saved")),
				 .pool = json_object_get_string(json_object_object_get(case_msg, "keeper")),
				 .reference = driver && !strcmp(driver, "reference"),
				 .leaks = json_object_get_boolean(json_object_object_get(o, "leaks")),
				 .gcov = json_object_object_get(o, "gcov"),
				 .real_time = json_object_get_boolean(json_object_object_get(o, "real_time"))};
	if (!o)
		return pv_error(e, -EINVAL, "case message: expected \"guest\" for target qemu, got nothing");
	int err = path_of(o, "qemu", X_OK, &out->qemu, e);
	if (!err)
		err = path_of(o, "kernel", R_OK, &out->kernel, e);
	if (!err)
		err = parse_archives(o, out, e);
	if (!err)
		err = add_perf(case_msg, o, out, e);
	return err ? err : parse_sizes(o, out, e);
}
