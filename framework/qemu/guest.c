/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which guest a case is to run in. */
#include "framework/qemu/guest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "framework/qemu/bridges.h"
#include "framework/target/needs.h"

#define CPUS_MAX 8

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

/* What of this machine Linux does not have without the module; NULL: nothing. */
static const char *of_module(const struct pv_topology *t, const struct pv_fabric_hello *h)
{
	if (pv_bridges_share_domain(h))
		return "several root buses in one PCI domain, as Linux has them of ACPI but not of a device tree,";
	if (has_virtual_functions(t))
		return "virtual functions, which Linux switches on for a driver of the physical function only,";
	return NULL;
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
				 .saved = json_object_get_string(json_object_object_get(o, "saved")),
				 .pool = json_object_get_string(json_object_object_get(case_msg, "keeper")),
				 .reference = driver && !strcmp(driver, "reference"),
				 .leaks = json_object_get_boolean(json_object_object_get(o, "leaks")),
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
