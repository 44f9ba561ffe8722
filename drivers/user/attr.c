/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attribute files: the kinds' tables, the files that every PMU has, and those that come and go.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

enum { NAME_MAX_BYTES = 64 };

int pv_attr_printf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return len < 0 || (size_t)len >= size ? -PV_ENOSPC : len;
}

int pv_attr_parse_u16(const char *text, uint16_t *value)
{
	const char *digits = text[0] == '+' ? text + 1 : text;
	unsigned long long parsed;
	char *end;

	/* strtoull() would accept spaces and a sign. */
	if (digits[0] < '0' || digits[0] > '9')
		return -PV_EINVAL;
	errno = 0;
	parsed = strtoull(digits, &end, 10);
	if (end[0] == '\n')
		end++;
	if (end[0] || errno == ERANGE || parsed > UINT16_MAX)
		return -PV_EINVAL;
	*value = (uint16_t)parsed;
	return 0;
}

static int show_type(struct pv_pmu *pmu, const struct pv_attr *a, char *buf, size_t size)
{
	return pv_attr_printf(buf, size, "%u", pmu->type);
}

/* Appends a run of CPUs to a list as Linux writes it: "0-2,4". Returns its new length. */
static size_t add_run(char *buf, size_t size, size_t len, unsigned first, unsigned last)
{
	const char *comma = len ? "," : "";
	int n = first == last ? snprintf(buf + len, size - len, "%s%u", comma, first)
			      : snprintf(buf + len, size - len, "%s%u-%u", comma, first, last);

	return n < 0 || (size_t)n >= size - len ? size : len + (size_t)n;
}

static int show_cpus(uint64_t cpus, char *buf, size_t size)
{
	size_t len = 0;
	unsigned cpu, first;

	for (cpu = 0; cpu < PV_CPUS_MAX && len < size; cpu++) {
		if (!(cpus >> cpu & 1))
			continue;
		first = cpu;
		while (cpu + 1 < PV_CPUS_MAX && cpus >> (cpu + 1) & 1)
			cpu++;
		len = add_run(buf, size, len, first, cpu);
	}
	return len < size ? (int)len : -PV_ENOSPC;
}

/* One CPU stands for all if every CPU sees the same PMU. */
static int show_cpumask(struct pv_pmu *pmu, const struct pv_attr *a, char *buf, size_t size)
{
	return pmu->kind->any_cpu ? show_cpus(pv_cpus_of(pmu), buf, size) : pv_attr_printf(buf, size, "%u", pmu->cpu);
}

static const struct pv_attr common[] = {
	{.dir = "", .name = "cpumask", .show = show_cpumask},
	{.dir = "", .name = "type", .show = show_type},
	{.name = NULL},
};

static const struct pv_attr none[] = {{.name = NULL}};

static const struct pv_attr *table(const struct pv_pmu *pmu, unsigned n)
{
	if (n == 0)
		return common;
	return n == 1 ? (pmu->kind->attrs ? pmu->kind->attrs : none) : NULL;
}

static bool visible(const struct pv_pmu *pmu, const struct pv_attr *a)
{
	return !a->visible || a->visible(pmu, a);
}

/* "dir/name", or "name" in the PMU's own folder. */
static int split(const char *path, char dir[NAME_MAX_BYTES], const char **name)
{
	const char *slash = strchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len >= NAME_MAX_BYTES)
		return -PV_ENOENT;
	memcpy(dir, path, len);
	dir[len] = '\0';
	*name = slash ? slash + 1 : path;
	return (*name)[0] && (!slash || len) ? 0 : -PV_ENOENT;
}

static const struct pv_attr *find(const struct pv_pmu *pmu, const char *dir, const char *name)
{
	const struct pv_attr *a;
	unsigned n;

	for (n = 0; table(pmu, n); n++)
		for (a = table(pmu, n); a->name; a++)
			if (!strcmp(a->dir, dir) && !strcmp(a->name, name) && visible(pmu, a))
				return a;
	return NULL;
}

int pv_sys_attr_read(struct pv_sys *sys, const char *name, const char *path, char *buf, size_t size)
{
	struct pv_pmu *pmu = pv_sys_pmu(sys, name);
	char dir[NAME_MAX_BYTES];
	const struct pv_attr *a;
	const char *file;
	int err;

	if (!pmu)
		return -PV_ENODEV;
	err = split(path, dir, &file);
	if (err)
		return err;
	a = find(pmu, dir, file);
	if (a && a->show)
		return a->show(pmu, a, buf, size);
	if (a)
		return a->text ? pv_attr_printf(buf, size, "%s", a->text) : -PV_EACCES;
	return pmu->kind->dyn_show ? pmu->kind->dyn_show(pmu, dir, file, buf, size) : -PV_ENOENT;
}

static int writable(struct pv_pmu *pmu, const char *dir, const char *file)
{
	char buf[NAME_MAX_BYTES];

	if (!pmu->kind->dyn_show)
		return -PV_ENOENT;
	return pmu->kind->dyn_show(pmu, dir, file, buf, sizeof(buf)) < 0 ? -PV_ENOENT : -PV_EACCES;
}

int pv_sys_attr_write(struct pv_sys *sys, const char *name, const char *path, const char *text)
{
	struct pv_pmu *pmu = pv_sys_pmu(sys, name);
	char dir[NAME_MAX_BYTES];
	const struct pv_attr *a;
	const char *file;
	int err;

	if (!pmu)
		return -PV_ENODEV;
	err = split(path, dir, &file);
	if (err)
		return err;
	a = find(pmu, dir, file);
	if (!a)
		return writable(pmu, dir, file);
	return a->store ? a->store(pmu, a, text) : -PV_EACCES;
}

/* Names in one folder, sorted, without duplicates. */
struct names {
	char (*name)[NAME_MAX_BYTES];
	size_t count, max;
	int err;
};

static void collect(void *ctx, const char *name)
{
	struct names *names = ctx;
	size_t i, at = 0;

	while (at < names->count && strcmp(names->name[at], name) < 0)
		at++;
	if (at < names->count && !strcmp(names->name[at], name))
		return;
	if (names->count == names->max) {
		size_t max = names->max ? 2 * names->max : 64;
		void *grown = realloc(names->name, max * sizeof(*names->name));

		if (!grown) {
			names->err = -PV_ENOMEM;
			return;
		}
		names->name = grown;
		names->max = max;
	}
	for (i = names->count; i > at; i--)
		memcpy(names->name[i], names->name[i - 1], NAME_MAX_BYTES);
	snprintf(names->name[at], NAME_MAX_BYTES, "%s", name);
	names->count++;
}

static bool collect_tables(struct pv_pmu *pmu, const char *dir, struct names *names)
{
	const struct pv_attr *a;
	bool known = !dir[0];
	unsigned n;

	for (n = 0; table(pmu, n); n++)
		for (a = table(pmu, n); a->name; a++) {
			if (!visible(pmu, a))
				continue;
			if (!strcmp(a->dir, dir)) {
				collect(names, a->name);
				known = true;
			} else if (!dir[0] && a->dir[0]) {
				collect(names, a->dir); /* a folder of the PMU's own */
			}
		}
	return known;
}

int pv_sys_attr_list(struct pv_sys *sys, const char *name, const char *dir, void (*fn)(void *ctx, const char *name),
		     void *ctx)
{
	struct pv_pmu *pmu = pv_sys_pmu(sys, name);
	struct names names = {0};
	bool known;
	size_t i;

	if (!pmu)
		return -PV_ENODEV;
	known = collect_tables(pmu, dir, &names);
	if (pmu->kind->dyn_list && !pmu->kind->dyn_list(pmu, dir, collect, &names))
		known = true;
	for (i = 0; i < names.count && !names.err; i++)
		fn(ctx, names.name[i]);
	free(names.name);
	return known ? names.err : -PV_ENOENT;
}
