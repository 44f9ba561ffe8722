/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kmemleak (Documentation/dev-tools/kmemleak.rst). */
#include "framework/qemu/kernel_health.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/error.h"

#define KMEMLEAK       "/sys/kernel/debug/kmemleak"
#define KMEMLEAK_BYTES (256u << 10)
#define MODULES_BYTES  (16u << 10)
#define LEAK_MIN_NS    5100000000u /* MSECS_MIN_AGE of mm/kmemleak.c, and a little */
#define LEAKS_MAX      20

/* ---- files ---- */

/* Reads a file of at most `room` bytes as a string, or its beginning. 0 or -errno. The caller frees *text. */
static int read_text(struct pv_shell *shell, const char *path, size_t room, char **text)
{
	*text = malloc(room + 1);
	int64_t n = *text ? pv_shell_read_text(shell, path, *text, room + 1) : -ENOMEM;

	return n < 0 && n != -EFBIG ? (int)n : 0;
}

/* ---- modules ---- */

static const char *next_line(const char *at)
{
	const char *nl = strchr(at, '\n');

	return nl ? nl + 1 : at + strlen(at);
}

void pv_kernel_modules_add(struct pv_kernel_modules *m, struct pv_shell *shell, const char *name)
{
	_autofree_ char *text = NULL;
	int err = read_text(shell, "/proc/modules", MODULES_BYTES, &text);

	for (const char *at = text; !err && *at && m->n < PV_KERNEL_MODULES; at = next_line(at)) {
		/* hisi_ptt 28672 0 - Live 0xffff80007a0d0000 (O) */
		struct pv_kernel_module *r = &m->module[m->n];

		if (sscanf(at, "%31s %" SCNu64 " %*s %*s %*s %" SCNx64, r->name, &r->bytes, &r->address) == 3 &&
		    !strcmp(r->name, name)) {
			m->n++;
			return;
		}
	}
}

static const struct pv_kernel_module *module_at(const struct pv_kernel_modules *m, uint64_t address)
{
	for (size_t i = 0; i < m->n; i++)
		if (address >= m->module[i].address && address - m->module[i].address < m->module[i].bytes)
			return &m->module[i];
	return NULL;
}

/* ---- leaks ---- */

/* Parses "    0xffff80007a0d1234": an address in unloaded code. 0: not such a line. */
static uint64_t address_in(const char *line)
{
	uint64_t address;

	line += strspn(line, " ");
	return !strncmp(line, "0x", 2) && sscanf(line, "0x%" SCNx64, &address) == 1 ? address : 0;
}

/* Copies kmemleak's report of one object, naming unloaded modules. *by: the module that allocated it. */
static void write_object(FILE *f, const struct pv_kernel_modules *m, const char *at, const char *end, char *by,
			 size_t size)
{
	for (const char *next; at < end; at = next) {
		next = next_line(at);
		uint64_t address = address_in(at);
		const struct pv_kernel_module *r = module_at(m, address);
		fprintf(f, "%.*s", (int)strcspn(at, "\n"), at);
		if (r)
			fprintf(f, " %s+0x%" PRIx64, r->name, address - r->address);
		if (r && !*by)
			snprintf(by, size, ", allocated at %s+0x%" PRIx64, r->name, address - r->address);
		fputc('\n', f);
	}
}

static void report_object(const struct pv_kernel_modules *m, const char *at, const char *end, pv_report_fn told,
			  void *ctx)
{
	char *object = NULL, by[80] = "";
	size_t n = 0;
	unsigned bytes = 0;
	_autofree_ char *report = NULL;
	FILE *f = open_memstream(&object, &n);

	if (!f)
		return;
	write_object(f, m, at, end, by, sizeof(by));
	fclose(f);
	sscanf(at, "unreferenced object %*s (size %u", &bytes);
	if (asprintf(&report, "expected no memory to be lost after the drivers are unloaded, got %u bytes%s\n%s", bytes,
		     by, object) >= 0)
		told(ctx, "leak", report);
	free(object);
}

static void report_objects(const struct pv_kernel_modules *m, const char *text, pv_report_fn told, void *ctx)
{
	static const char begin[] = "unreferenced object ";
	const char *at = strstr(text, begin);
	unsigned more = 0;
	char report[80];

	for (unsigned i = 0; at && i < LEAKS_MAX; i++) {
		const char *next = strstr(at + 1, begin);

		report_object(m, at, next ? next : at + strlen(at), told, ctx);
		at = next;
	}
	for (; at; at = strstr(at + 1, begin))
		more++;
	if (!more)
		return;
	snprintf(report, sizeof(report), "expected no memory to be lost, got %u more objects", more);
	told(ctx, "leak", report);
}

/* kmemleak checksums an object at the first scan and reports it at the second. */
static int scan_twice(struct pv_shell *shell, struct pv_machine *machine)
{
	int err = machine->ops->wait(machine, LEAK_MIN_NS);

	for (int i = 0; i < 2 && !err; i++)
		err = pv_shell_write_text(shell, KMEMLEAK, "scan");
	return err;
}

void pv_kernel_report_leaks(const struct pv_kernel_modules *m, struct pv_shell *shell, struct pv_machine *machine,
			    pv_report_fn told, void *ctx)
{
	_autofree_ char *text = NULL;
	char why[160];
	int unscanned = scan_twice(shell, machine);
	int err = unscanned ? unscanned : read_text(shell, KMEMLEAK, KMEMLEAK_BYTES, &text);

	if (!err) {
		report_objects(m, text, told, ctx);
		return;
	}
	snprintf(why, sizeof(why), "looking for leaks: expected " KMEMLEAK " to %s, got %s; --kernel debug has it",
		 unscanned ? "scan" : "be readable", pv_errno_name(err));
	told(ctx, "guest", why);
}
