/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the parts of a guest, which the scripts in ci/ build and cache. */
#include "framework/qemu/guest_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/qemu/gcov.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"
#include "framework/util/json.h"
#include "framework/util/spawn.h"

/* ---- the scripts ---- */

/* Of ci/guest. */
#define NOT_COMPILED 65

/*
 * Returns the first line of the script's output, without newline; the caller frees. NULL: it failed, having said why,
 * with the exit status *failed.
 */
static char *run_script(const char *ci, const char *script, const char *what, const char *arg, const char *arg2,
			int *failed)
{
	_autofree_ char *path = NULL;
	int status;

	*failed = 1;

	if (asprintf(&path, "%s/%s", ci, script) < 0)
		return NULL;
	const char *const argv[] = {path, what, arg, arg2, NULL};
	char *line = pv_spawn_output(&(struct pv_spawn){.path = path, .argv = argv, .streams = {-1, -1, -1}}, PATH_MAX,
				     &status);
	if (!line || status || !*line) {
		*failed = line && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}

static char *ask_script(const char *ci, const char *script, const char *what, const char *arg, const char *arg2)
{
	int failed;

	return run_script(ci, script, what, arg, arg2, &failed);
}

/* ---- parts ---- */

struct parts {
	const char *ci;
	json_object *archives;
	json_object *guest;
	struct pv_error *e;
};

static void set_path(struct parts *p, const char *key, const char *folder, const char *file)
{
	_autofree_ char *path = NULL;

	if (asprintf(&path, "%s%s%s", folder, *file ? "/" : "", file) >= 0)
		pv_json_string(p->guest, key, path);
}

static void add_archive(struct parts *p, const char *folder, const char *file)
{
	_autofree_ char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, file) >= 0)
		json_object_array_add(p->archives, json_object_new_string(path));
}

static int missing(struct parts *p, const char *what, const char *command)
{
	return pv_error(p->e, -ENOENT, "--target qemu: no %s; `%s/%s` says why", what, p->ci, command);
}

static int find_qemu(struct parts *p)
{
	const char *given = getenv("PCIEVAL_QEMU");

	if (given && access(given, X_OK))
		return pv_error(p->e, -errno,
				"PCIEVAL_QEMU=%s: expected a program, got %s; without it, `%s/qemu` builds one", given,
				strerror(errno), p->ci);
	_autofree_ char *qemu = given ? strdup(given) : ask_script(p->ci, "qemu", NULL, NULL, NULL);
	if (!qemu)
		return missing(p, "QEMU", "qemu");
	set_path(p, "qemu", qemu, "");
	return 0;
}

/* An archive of ci/guest: its folder has NAME.cpio. */
static int add_part(struct parts *p, const char *name, const char *arg)
{
	char file[32], command[64];

	snprintf(file, sizeof(file), "%s.cpio", name);
	snprintf(command, sizeof(command), "guest %s", name);
	_autofree_ char *folder = ask_script(p->ci, "guest", name, arg, NULL);
	if (!folder)
		return missing(p, name, command);
	add_archive(p, folder, file);
	return 0;
}

/* For the cases that need it; `of` is the kernel that it is for. Without it, they are skipped. */
static void find_extra(struct parts *p, const char *name, const char *of)
{
	char file[32];

	_autofree_ char *folder = ask_script(p->ci, "guest", name, of, NULL);
	snprintf(file, sizeof(file), "%s.cpio", name);
	if (folder)
		set_path(p, name, folder, file);
	else
		fprintf(stderr, "pcieval: no %s for the guest: what needs it is skipped; `%s/guest %s%s%s` says why\n",
			name, p->ci, name, of ? " " : "", of ? of : "");
}

/* The first word of FOLDER/release: what uname -r will say, or must say for these modules. "": unknown. */
static void read_release(const char *folder, char release[64])
{
	_autofree_ char *path = NULL;

	release[0] = 0;
	if (asprintf(&path, "%s/release", folder) < 0)
		return;
	_autofclose_ FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "%63s", release) != 1)
		release[0] = 0;
}

static void note_release(struct parts *p, const char *folder)
{
	char release[64];

	read_release(folder, release);
	if (*release)
		pv_json_string(p->guest, "release", release);
}

/* The same of an Image, which says "Linux version 6.12.1 (..." somewhere. */
static void find_release(struct parts *p, const char *image)
{
	static const char banner[] = "Linux version ";
	_autoclose_ int fd = open(image, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return;
	char *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0), release[64];
	if (map == MAP_FAILED)
		return;
	const char *at = memmem(map, (size_t)st.st_size, banner, strlen(banner));
	if (at && (size_t)(at - map) + strlen(banner) + sizeof(release) < (size_t)st.st_size) {
		snprintf(release, sizeof(release), "%.*s", (int)strcspn(at + strlen(banner), " %"),
			 at + strlen(banner));
		pv_json_string(p->guest, "release", release);
	}
	munmap(map, (size_t)st.st_size);
}

/* Names the kind of a file that is not an arm64 Image. NULL: an Image, or one packed so that QEMU unpacks it. */
static const char *other_than_image(const unsigned char *head, size_t n)
{
	static const struct {
		size_t at;
		const char *magic, *what;
	} kinds[] = {
		{56, "ARM\x64", NULL},
		{0, "\x1f\x8b", NULL}, /* Image.gz */
		{4, "zimg", NULL},     /* vmlinuz.efi */
		{0x202, "HdrS", "a kernel for x86"},
		{0,
		 "\x7f"
		 "ELF",
		 "an ELF file, such as vmlinux"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (n >= kinds[i].at + strlen(kinds[i].magic) &&
		    !memcmp(head + kinds[i].at, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].what;
	return "something else";
}

static int check_image(struct parts *p, const char *path)
{
	unsigned char head[0x210];
	_autofclose_ FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	if (!f || !n)
		return pv_error(p->e, f ? -EINVAL : -errno, "--kernel %s: expected an arm64 Image, got %s", path,
				f ? "a file without contents" : strerror(errno));
	const char *other = other_than_image(head, n);
	return other ? pv_error(p->e, -EINVAL,
				"--kernel %s: expected an arm64 kernel (arch/arm64/boot/Image), got %s; "
				"`%s/guest fast` makes one",
				path, other, p->ci)
		     : 0;
}

/* Names drivers of the user's, which change between runs, by their file or folder and a hash: "dwc_pcie_pmu.c
 * 0123abcd". */
static void name_drivers(struct parts *p, const char *value, const char *folder)
{
	_autofree_ char *path = NULL, *drivers = NULL;
	uint64_t hash = PV_HASH_OF_NOTHING;
	size_t end = strlen(value), begin;

	while (end > 1 && value[end - 1] == '/')
		end--;
	for (begin = end; begin && value[begin - 1] != '/'; begin--)
		;
	if (asprintf(&path, "%s/modules.cpio", folder) < 0 || pv_file_hash(path, &hash) ||
	    asprintf(&drivers, "%.*s %08x", (int)(end - begin), value + begin, (unsigned)(hash ^ hash >> 32)) < 0)
		return;
	pv_json_string(p->guest, "drivers", drivers);
}

/* Packed modules, which replace those of the kernel. A kernel loads no module that was built for another. */
static int add_packed(struct parts *p, const char *option, const char *value, const char *folder)
{
	const char *kernel = json_object_get_string(json_object_object_get(p->guest, "release"));
	char release[64];

	read_release(folder, release);
	if (kernel && *release && strcmp(kernel, release))
		return pv_error(
			p->e, -EINVAL,
			"%s %s: expected modules of kernel %s, got some of %s; `%s/guest compile DIR fast|debug` "
			"compiles a folder with a Makefile for a kernel of ours",
			option, value, kernel, release, p->ci);
	add_archive(p, folder, "modules.cpio");
	name_drivers(p, value, folder);
	return 0;
}

static int add_modules(struct parts *p, const struct pv_guest_options *g)
{
	_autofree_ char *folder = g->modules ? ask_script(p->ci, "guest", "modules", g->modules, NULL) : NULL;

	if (g->modules && !folder)
		return pv_error(p->e, -ENOENT, "--modules %s: no modules for the guest; `%s/guest modules %s` says why",
				g->modules, p->ci, g->modules);
	return folder ? add_packed(p, "--modules", g->modules, folder) : 0;
}

/* Adds the objects of a folder that were compiled for gcov to "gcov". */
static int add_gcov(struct parts *p, const char *folder)
{
	json_object *objects = json_object_object_get(p->guest, "gcov");

	if (!objects) {
		objects = json_object_new_array();
		json_object_object_add(p->guest, "gcov", objects);
	}
	int err = pv_gcov_add_objects(folder, objects);
	return err ? pv_error(p->e, err, "--driver-coverage: reading %s/gcov/files: %s", folder, strerror(-err)) : 0;
}

/* Compiles the sources as they are now; make rebuilds only what has changed. */
static int add_source(struct parts *p, const struct pv_guest_options *g, const char *kernel)
{
	int failed;
	_autofree_ char *folder = g->source ? run_script(p->ci, "guest", "driver", g->source, kernel, &failed) : NULL;

	if (g->source && !folder)
		return pv_error(p->e, failed == NOT_COMPILED ? -ENOEXEC : -EINVAL,
				"--source %s: could not be compiled for kernel %s, for the reason above", g->source,
				kernel);
	int err = folder ? add_packed(p, "--source", g->source, folder) : 0;
	return !err && folder && g->gcov ? add_gcov(p, folder) : err;
}

/* The name of the kernel for ci/guest: "gcov" has the drivers of "fast", compiled for gcov. 0, and the caller frees. */
static int name_kernel(struct parts *p, const struct pv_guest_options *g, char **name)
{
	const char *given = g->kernel ? g->kernel : "fast";
	bool fast = !strncmp(given, "fast", 4) && strchr(":+", given[4]);

	if (g->gcov && !fast)
		return pv_error(
			p->e, -EINVAL,
			"--driver-coverage: expected --kernel fast, fast:SERIES or one of them with +fixed, got %s, "
			"whose drivers are not compiled for gcov",
			given);
	if (g->gcov && g->modules)
		return pv_error(p->e, -EINVAL,
				"--driver-coverage: expected no --modules, which are not compiled for gcov; --source "
				"compiles a driver for it");
	*name = NULL;
	if (asprintf(name, "%s%s", g->gcov ? "gcov" : "", given + (g->gcov ? 4 : 0)) < 0)
		return pv_error(p->e, -ENOMEM, "no memory");
	return 0;
}

/* Returns true for a kernel like "fast+fixed", whose drivers have the fixes of ci/driver-fixes. */
static bool is_fixed(const char *name)
{
	const char *last = strrchr(name, '+');

	return last && !strcmp(last, "+fixed");
}

static int find_kernel(struct parts *p, const struct pv_guest_options *g, const char *name)
{
	_autofree_ char *command = NULL;
	bool keyword = !strncmp(name, "source:", 7) || !strncmp(name, "debian:", 7);

	if (!keyword && (strchr(name, '/') || !access(name, F_OK))) {
		int err = check_image(p, name);

		if (err)
			return err;
		set_path(p, "kernel", name, "");
		find_release(p, name);
		return 0;
	}
	int failed;
	_autofree_ char *folder = run_script(p->ci, "guest", name, NULL, NULL, &failed);
	if (asprintf(&command, "guest %s", name) < 0)
		return pv_error(p->e, -ENOMEM, "no memory");
	if (!folder && failed == NOT_COMPILED && !strncmp(name, "source:", 7))
		return pv_error(p->e, -ENOEXEC, "--kernel %s: could not be compiled, for the reason above", name);
	if (!folder)
		return missing(p, "kernel", command);
	set_path(p, "kernel", folder, "Image");
	note_release(p, folder);
	add_archive(p, folder, "modules.cpio");
	if (is_fixed(name))
		pv_json_bool(p->guest, "fixed", true);
	return g->gcov ? add_gcov(p, folder) : 0;
}

/* Beside what ci/qemu and ci/guest cache. Without a home, each guest boots. */
static void set_saved(struct parts *p)
{
	const char *cache = getenv("PCIEVAL_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache)
		set_path(p, "saved", cache, "saved");
	else if (xdg && *xdg)
		set_path(p, "saved", xdg, "pcieval/saved");
	else if (home && *home)
		set_path(p, "saved", home, ".cache/pcieval/saved");
}

int pv_guest_find_parts(const struct pv_guest_options *guest, const char *ci, json_object **out, struct pv_error *e)
{
	struct parts p = {ci, json_object_new_array(), json_object_new_object(), e};
	json_object_object_add(p.guest, "archives", p.archives);
	_autofree_ char *kernel = NULL;
	int err = name_kernel(&p, guest, &kernel);
	if (!err)
		err = find_qemu(&p);
	if (!err)
		err = add_part(&p, "base", NULL);
	if (!err)
		err = find_kernel(&p, guest, kernel);
	if (!err)
		err = add_modules(&p, guest);
	if (!err)
		err = add_source(&p, guest, kernel);
	if (!err)
		err = add_part(&p, "far", NULL);
	if (!err && guest->perf)
		find_extra(&p, "perf", NULL);
	if (!err && guest->module)
		find_extra(&p, "module", kernel);
	if (guest->append)
		pv_json_string(p.guest, "append", guest->append);
	if (!err && !guest->fresh_boot)
		set_saved(&p);
	if (guest->leaks)
		pv_json_bool(p.guest, "leaks", true);
	if (guest->real_time)
		pv_json_bool(p.guest, "real_time", true);
	if (err)
		json_object_put(p.guest);
	else
		*out = p.guest;
	return err;
}
