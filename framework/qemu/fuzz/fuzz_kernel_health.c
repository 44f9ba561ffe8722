/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as a guest's /proc/modules and, behind an empty line, as the report of kmemleak. Each object is told,
 * the first 20 with their text and the others by their number. The named allocator of an object is in a module that was
 * loaded.
 */
#include "framework/qemu/kernel_health.h"
#include "framework/qemu/tests/text_file.h"
#include "framework/util/fuzz/fuzz.h"

#define OBJECT "unreferenced object "
#define TOLD   20

struct guest {
	struct pv_shell shell;
	const char *modules, *kmemleak;
	struct pv_kernel_modules loaded;
	size_t told;
	unsigned long others;
};

/* ---- the guest ---- */

static int64_t file_read(struct pv_shell *shell, const char *path, uint64_t offset, void *buf, size_t room)
{
	const struct guest *g = (const struct guest *)shell;
	const char *text = !strcmp(path, "/proc/modules") ? g->modules : g->kmemleak;

	return read_text_file(text, buf, room);
}

static int file_write(struct pv_shell *shell, const char *path, const void *data, size_t len, bool create)
{
	return 0;
}

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	return 0;
}

static const struct pv_shell_ops shell_ops = {.file_read = file_read, .file_write = file_write};
static const struct pv_machine_ops machine_ops = {.wait = wait_ns};

/* ---- reports ---- */

/* Returns the first line of the n-th object of kmemleak's report. */
static const char *object_of(const struct guest *g, size_t n)
{
	const char *at = strstr(g->kmemleak, OBJECT);

	for (; n && at; n--)
		at = strstr(at + 1, OBJECT);
	return at;
}

/* Checks "..., allocated at hisi_ptt+0x1234". */
static void check_allocation(const struct guest *g, const char *text)
{
	const char *at = strstr(text, ", allocated at "), *line = strchr(text, '\n');
	unsigned long long offset;
	char name[32];
	bool known = false;

	if (!at || at > line)
		return;
	fuzz_check(sscanf(at, ", allocated at %31[^+]+0x%llx", name, &offset) == 2);
	for (size_t i = 0; i < g->loaded.n; i++)
		known |= !strcmp(name, g->loaded.module[i].name) && offset < g->loaded.module[i].bytes;
	fuzz_check(known);
}

static void tell(void *ctx, const char *type, const char *text)
{
	struct guest *g = ctx;

	fuzz_check(!strcmp(type, "leak") && strstr(text, "expected no memory to be lost"));
	if (sscanf(text, "expected no memory to be lost, got %lu more objects", &g->others) == 1)
		return;
	const char *line = strchr(text, '\n'), *object = object_of(g, g->told++);
	fuzz_check(line && object && !g->others);
	fuzz_check(!strncmp(line + 1, object, strcspn(object, "\n")));
	check_allocation(g, text);
}

static void check_modules(const struct guest *g)
{
	const struct pv_kernel_modules *m = &g->loaded;

	fuzz_check(m->n <= 2);
	for (size_t i = 0; i < m->n; i++) {
		fuzz_check(!strcmp(m->module[i].name, "hisi_ptt") || !strcmp(m->module[i].name, "cxl_pmu"));
		fuzz_check(strstr(g->modules, m->module[i].name));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *end = strstr(text, "\n\n"), none[] = "";
	struct guest g = {.shell = {&shell_ops}, .modules = text, .kmemleak = end ? end + 2 : none};
	struct pv_machine machine = {&machine_ops};
	size_t objects = 0;

	if (end)
		end[1] = '\0';
	pv_kernel_modules_add(&g.loaded, &g.shell, "hisi_ptt");
	pv_kernel_modules_add(&g.loaded, &g.shell, "cxl_pmu");
	check_modules(&g);
	while (object_of(&g, objects))
		objects++;
	pv_kernel_report_leaks(&g.loaded, &g.shell, &machine, tell, &g);
	fuzz_check(g.told == (objects < TOLD ? objects : TOLD) && g.told + g.others == objects);
	free(text);
	return 0;
}
