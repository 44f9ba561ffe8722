/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints facts about the running Linux for reports, one line "name<TAB>value" each. They come from files only, most of
 * which every user may read. The last line lists existing files that could not be read. Missing files are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/linux.h"
#include "framework/util/cleanup.h"

#define TEXT_BYTES  4096 /* of a file; /proc/cmdline is the longest */
#define MODULES_MAX 64
#define FILES_TOLD  8 /* of those that could not be read */
#define PMUS	    "sys/bus/event_source/devices"

struct environment {
	struct pv_linux *l;
	FILE *out;
	char module[MODULES_MAX][PV_LINUX_NAME_MAX]; /* modules whose versions were printed */
	size_t modules;
	char last_governor[64];
	size_t unreadable; /* files */
	char told[1024];   /* the first of them */
};

/* ---- reading ---- */

static void note_unreadable(struct environment *env, const char *path, int err)
{
	size_t used = strlen(env->told);

	if (env->unreadable++ < FILES_TOLD)
		snprintf(env->told + used, sizeof(env->told) - used, "%s%s (%s)", used ? ", " : "", path,
			 pv_errno_name(err));
}

/* Reads a file below the root as one line. False: it is empty, does not exist, or could not be read, which it notes. */
static bool get(struct environment *env, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static bool get(struct environment *env, char *text, size_t size, const char *fmt, ...)
{
	char path[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	int n = pv_sysfs_read(PV_LINUX_PATH(env->l, "%s", path), text, size);
	if (n < 0 && n != -ENOENT && n != -ENOTDIR)
		note_unreadable(env, path, n);
	for (char *c = text; n > 0 && *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	return n > 0;
}

/* Prints the content of a file as one fact. */
static void put_file(struct environment *env, const char *name, const char *path)
{
	char text[TEXT_BYTES];

	if (get(env, text, sizeof(text), "%s", path))
		fprintf(env->out, "%s\t%s\n", name, text);
}

/* Prints the contents of several files, those that exist, as one fact. */
static void put_files(struct environment *env, const char *name, const char *const *paths)
{
	char text[256];
	bool any = false;

	for (; *paths; paths++) {
		if (!get(env, text, sizeof(text), "%s", *paths))
			continue;
		fprintf(env->out, "%s%s", any ? " " : name, any ? "" : "\t");
		fputs(text, env->out);
		any = true;
	}
	if (any)
		fputc('\n', env->out);
}

/* ---- the system ---- */

/* Documentation/admin-guide/tainted-kernels.rst */
static void put_taint(struct environment *env)
{
	static const char letters[] = "PFSRMBUDAWCIOELKXTNJ";
	char text[32];

	if (!get(env, text, sizeof(text), "proc/sys/kernel/tainted"))
		return;
	unsigned long long bits = strtoull(text, NULL, 10);
	fprintf(env->out, "taint\t%llu", bits);
	for (unsigned i = 0; i < strlen(letters); i++)
		if (bits >> i & 1)
			fprintf(env->out, " %c", letters[i]);
	fputc('\n', env->out);
}

static void put_system(struct environment *env)
{
	static const char *const firmware[] = {"sys/class/dmi/id/bios_vendor", "sys/class/dmi/id/bios_version",
					       "sys/class/dmi/id/bios_date", NULL};
	static const char *const system[] = {"sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name",
					     "sys/class/dmi/id/board_name", "sys/firmware/devicetree/base/model", NULL};

	put_file(env, "kernel", "proc/sys/kernel/osrelease");
	put_file(env, "kernel build", "proc/sys/kernel/version");
	put_file(env, "command line", "proc/cmdline");
	pv_linux_put_policy(env->l, env->out);
	put_taint(env);
	put_files(env, "system", system);
	put_files(env, "firmware", firmware);
	put_file(env, "CPUs", "sys/devices/system/cpu/online");
}

/* Policies with the same governor as the one before are not repeated. */
static void put_governor(void *ctx, const char *policy)
{
	struct environment *env = ctx;
	char text[64];

	if (strncmp(policy, "policy", strlen("policy")) ||
	    !get(env, text, sizeof(text), "sys/devices/system/cpu/cpufreq/%s/scaling_governor", policy) ||
	    !strcmp(text, env->last_governor))
		return;
	fprintf(env->out, "%s%s (from %s on)", *env->last_governor ? ", " : "CPU governor\t", text, policy);
	snprintf(env->last_governor, sizeof(env->last_governor), "%s", text);
}

static void put_governors(struct environment *env)
{
	pv_sysfs_list(PV_LINUX_PATH(env->l, "sys/devices/system/cpu/cpufreq"), put_governor, env);
	fputs(*env->last_governor ? "\n" : "CPU governor\tnone: no cpufreq\n", env->out);
}

static void put_node(void *ctx, const char *node)
{
	struct environment *env = ctx;
	char cpus[256];

	if (strncmp(node, "node", strlen("node")) || node[4] < '0' || node[4] > '9')
		return;
	bool has = get(env, cpus, sizeof(cpus), "sys/devices/system/node/%s/cpulist", node);
	fprintf(env->out, "NUMA %s\t%s%s\n", node, has ? "CPUs " : "no CPUs", has ? cpus : "");
}

/* ---- modules ---- */

static bool is_told(struct environment *env, const char *module)
{
	for (size_t i = 0; i < env->modules; i++)
		if (!strcmp(env->module[i], module))
			return true;
	if (env->modules == MODULES_MAX)
		return true;
	snprintf(env->module[env->modules++], PV_LINUX_NAME_MAX, "%s", module);
	return false;
}

/* Built-in modules have a folder, but no state. */
static void put_module(struct environment *env, const char *module)
{
	static const char *const files[] = {"version", "srcversion", "taint"};
	char text[256];

	if (is_told(env, module) || access(PV_LINUX_PATH(env->l, "sys/module/%s", module), F_OK))
		return;
	bool loaded = get(env, text, sizeof(text), "sys/module/%s/initstate", module);
	fprintf(env->out, "module %s\t%s", module, loaded ? "loaded" : "built in");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (get(env, text, sizeof(text), "sys/module/%s/%s", module, files[i]))
			fprintf(env->out, ", %s %s", files[i], text);
	fputc('\n', env->out);
}

static void put_drivers(struct environment *env)
{
	static const char *const names[] = {"hisi_ptt", "dwc_pcie_pmu", "cxl_pmu", "cxl_core", "cxl_pci", "cxl_mem"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put_module(env, names[i]);
}

/* ---- functions ---- */

/* Copies the last component of a link of a function. */
static bool get_link(struct environment *env, const char *function, const char *link, char *out, size_t size)
{
	char target[512];
	ssize_t n = readlink(PV_LINUX_PATH(env->l, "sys/bus/pci/devices/%s/%s", function, link), target,
			     sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	const char *slash = strrchr(target, '/');
	snprintf(out, size, "%.63s", slash ? slash + 1 : target);
	return *out;
}

static bool get_attr(struct environment *env, const char *function, const char *attr, char *out, size_t size)
{
	return get(env, out, size, "sys/bus/pci/devices/%s/%s", function, attr);
}

/* "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0": the parent is the last but one. */
static void put_parent(struct environment *env, const char *function)
{
	char target[512];
	pv_bdf bdf;
	ssize_t n = readlink(PV_LINUX_PATH(env->l, "sys/bus/pci/devices/%s", function), target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	char *slash = strrchr(target, '/');
	if (slash)
		*slash = 0;
	slash = slash ? strrchr(target, '/') : NULL;
	if (slash && pv_bdf_scan(slash + 1, &bdf))
		fprintf(env->out, "below %s, ", slash + 1);
}

/* "8.0 GT/s PCIe" and "4"; "Unknown" and "0" where there is no link. */
static bool get_rate(struct environment *env, const char *function, const char *when, char *out, size_t size)
{
	char attr[32], speed[32], width[16];

	snprintf(attr, sizeof(attr), "%s_link_speed", when);
	if (!get_attr(env, function, attr, speed, sizeof(speed)) || *speed < '0' || *speed > '9')
		return false;
	snprintf(attr, sizeof(attr), "%s_link_width", when);
	if (!get_attr(env, function, attr, width, sizeof(width)))
		return false;
	snprintf(out, size, "%.*s x%s", (int)(strcspn(speed, "s") + 1), speed, width);
	return true;
}

static void put_link(struct environment *env, const char *function)
{
	char now[64], most[64];

	if (get_rate(env, function, "max", most, sizeof(most)))
		fprintf(env->out, ", link %s of at most %s",
			get_rate(env, function, "current", now, sizeof(now)) ? now : "down", most);
}

/* Anyone but root reads 64 bytes, which have no capability. */
static void put_sizes(struct environment *env, pv_bdf bdf)
{
	uint8_t space[PV_LINUX_CONFIG_BYTES];
	int at = pv_linux_read_express(env->l, bdf, space);

	if (at < 0 && at != -ENOENT)
		note_unreadable(env, pv_bdf_name(bdf).s, at);
	if (at < 0)
		return;
	unsigned control = pv_linux_config_word(space, at + PCI_EXP_DEVCTL);
	fprintf(env->out, ", MPS %u of %u, MRRS %u",
		(unsigned)PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT),
		(unsigned)PCI_EXP_SIZE_BYTES(pv_linux_config_word(space, at + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_MPSS),
		(unsigned)PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT));
}

static void put_function(void *ctx, const char *function)
{
	struct environment *env = ctx;
	char a[64], b[64];
	pv_bdf bdf;

	if (!pv_bdf_scan(function, &bdf))
		return;
	fprintf(env->out, "pci %s\t", function);
	put_parent(env, function);
	if (get_attr(env, function, "class", a, sizeof(a)))
		fprintf(env->out, "class %s", a);
	if (get_attr(env, function, "vendor", a, sizeof(a)) && get_attr(env, function, "device", b, sizeof(b)))
		fprintf(env->out, ", ids %s %s", a, b);
	put_link(env, function);
	put_sizes(env, bdf);
	if (get_link(env, function, "driver", a, sizeof(a)))
		fprintf(env->out, ", driver %s", a);
	if (get_attr(env, function, "numa_node", a, sizeof(a)) && *a != '-')
		fprintf(env->out, ", NUMA node %s", a);
	if (get_attr(env, function, "iommu_group/type", a, sizeof(a)))
		fprintf(env->out, ", IOMMU %s", a);
	fputc('\n', env->out);
}

/* The modules of drivers that are bound, a network card's, say. */
static void put_module_of(void *ctx, const char *function)
{
	char module[PV_LINUX_NAME_MAX];

	if (get_link(ctx, function, "driver/module", module, sizeof(module)))
		put_module(ctx, module);
}

/* ---- PMUs ---- */

static void put_function_name(void *ctx, const char *entry)
{
	struct environment *env = ctx;
	pv_bdf bdf;

	if (pv_bdf_scan(entry, &bdf))
		fprintf(env->out, " %s", entry);
}

/* Perf has a file for each event, and others for its unit and scale. */
static void put_event_name(void *ctx, const char *entry)
{
	struct environment *env = ctx;

	if (!strchr(entry, '.'))
		fprintf(env->out, " %s", entry);
}

/* The Root Ports that a PTT serves, and the events of a CXL PMU, are in registers, which its driver shows. */
static void put_pmu(struct environment *env, const char *name)
{
	pv_bdf at;

	if (pv_linux_pmu_parent(env->l, name, &at))
		return;
	fprintf(env->out, "PMU %s\tat %s", name, pv_bdf_name(at).s);
	if (!access(PV_LINUX_PATH(env->l, PMUS "/%s/root_port_filters", name), F_OK)) {
		fputs(", ports", env->out);
		pv_sysfs_list(PV_LINUX_PATH(env->l, PMUS "/%s/root_port_filters", name), put_function_name, env);
	}
	if (!strncmp(name, "cxl_pmu_mem", strlen("cxl_pmu_mem"))) {
		fputs(", events", env->out);
		pv_sysfs_list(PV_LINUX_PATH(env->l, PMUS "/%s/events", name), put_event_name, env);
	}
	fputc('\n', env->out);
}

static void put_pmus(struct environment *env)
{
	pv_linux_find_pmus(env->l);
	for (size_t i = 0; i < env->l->n_pmus; i++)
		put_pmu(env, env->l->pmu[i].name);
}

/* ---- all of it ---- */

/* Kernel messages make cases fail, if they can be read. */
static void put_log(struct environment *env)
{
	pv_kmsg_line(&env->l->log, 0);
	if (env->l->log.fd < 0)
		fputs("kernel log\tnot readable: what the kernel logs during a case does not fail it\n", env->out);
}

int pv_linux_environment(struct pv_linux *l, FILE *out)
{
	struct environment env = {.l = l, .out = out};
	int err;

	put_system(&env);
	put_governors(&env);
	pv_sysfs_list(PV_LINUX_PATH(l, "sys/devices/system/node"), put_node, &env);
	put_drivers(&env);
	pv_sysfs_list(PV_LINUX_PATH(l, "sys/bus/pci/devices"), put_module_of, &env);
	err = pv_sysfs_list(PV_LINUX_PATH(l, "sys/bus/pci/devices"), put_function, &env);
	if (err)
		note_unreadable(&env, "sys/bus/pci/devices", err);
	put_pmus(&env);
	put_log(&env);
	if (env.unreadable > FILES_TOLD)
		fprintf(out, "not readable\t%s and %zu more\n", env.told, env.unreadable - FILES_TOLD);
	else if (env.unreadable)
		fprintf(out, "not readable\t%s\n", env.told);
	return fflush(out) ? -EIO : 0;
}
