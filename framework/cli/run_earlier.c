/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares an earlier run's guest, machine and program with those of now: by paths, digests and the machine's facts. */
#include "framework/cli/run_earlier.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "framework/run/agents.h"
#include "framework/run/folder.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"

/* ---- digests ---- */

/* Hashes the files that exist, one after the other; a NULL is skipped. */
static void add_digest(json_object *o, const char *key, const char *const *paths, size_t n)
{
	uint64_t hash = PV_HASH_OF_NOTHING;
	char text[PV_DIGEST_TEXT];
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= paths[i] && !pv_file_hash(paths[i], &hash);
	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	if (any)
		pv_json_string(o, key, text);
}

/* The programs judge; on the models, they are also tested. */
void pv_cli_note_digests(struct pv_cli_run *a)
{
	const char *kernel = pv_json_text(a->run.guest, "kernel"), *qemu = pv_json_text(a->run.guest, "qemu");
	const char *const own[] = {"/proc/self/exe", a->run.agent ? NULL : pv_agent_program_path(), a->board.program};
	json_object *o = json_object_new_object();

	add_digest(o, "pcieval", own, ARRAY_SIZE(own));
	add_digest(o, "agent", &a->run.agent, 1);
	add_digest(o, "kernel", &kernel, 1);
	add_digest(o, "qemu", &qemu, 1);
	a->run.digests = o;
}

/* ---- differences ---- */

__attribute__((format(printf, 2, 3))) static void add(struct pv_cli_run *a, const char *fmt, ...)
{
	size_t used = strlen(a->differs);
	va_list ap;

	used += (size_t)snprintf(a->differs + used, sizeof(a->differs) - used, "%s", used ? ", " : "");
	va_start(ap, fmt);
	if (used < sizeof(a->differs))
		vsnprintf(a->differs + used, sizeof(a->differs) - used, fmt, ap);
	va_end(ap);
}

static bool differ(json_object *before, json_object *now, const char *key)
{
	return !json_object_equal(json_object_object_get(before, key), json_object_object_get(now, key));
}

/*
 * Most parts of a guest are named by their contents, so a part with another path is another part. A kernel or QEMU of
 * the user's has a digest. Parts of cases that are not run again may be missing now.
 */
static void compare_guests(struct pv_cli_run *a, json_object *before, json_object *digests)
{
	static const struct {
		const char *key, *what;
		bool optional;
	} parts[] = {{"kernel", "another kernel", false},    {"archives", "other modules or programs", false},
		     {"qemu", "another QEMU", false},	     {"append", "another command line", false},
		     {"module", "another pcieval.ko", true}, {"perf", "another perf", true}};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool absent = !json_object_object_get(before, parts[i].key) ||
			      !json_object_object_get(a->run.guest, parts[i].key);

		if ((differ(before, a->run.guest, parts[i].key) && !(parts[i].optional && absent)) ||
		    differ(digests, a->run.digests, parts[i].key))
			add(a, "%s", parts[i].what);
	}
}

/* A run of a version that noted no digests was one of another program. */
static void compare_programs(struct pv_cli_run *a, json_object *digests)
{
	if (differ(digests, a->run.digests, "pcieval"))
		add(a, "another pcieval");
	if (differ(digests, a->run.digests, "agent"))
		add(a, "another agent");
}

/* ---- a machine ---- */

/* Facts that count; a name that ends in a space stands for all that begin with it. */
static const struct kind {
	const char *name, *what;
} kinds[] = {{"kernel", "another kernel"}, {"kernel build", "another kernel"}, {"command line", "another command line"},
	     {"system", "another system"}, {"firmware", "other firmware"},     {"module ", "another module "},
	     {"pci ", "another device "}};

/* *rest is what the name has beyond the kind's. NULL: the fact does not count. */
static const struct kind *kind_of(const char *name, const char **rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i].name);

		*rest = name + n;
		if (!strncmp(name, kinds[i].name, n) && (kinds[i].name[n - 1] == ' ' || !**rest))
			return &kinds[i];
	}
	return NULL;
}

/*
 * With hot-plug, SR-IOV and --allow-unbind, functions and the modules of their drivers come and go. Drivers under test
 * do not: one that was not loaded was not tested.
 */
static bool may_be_absent(const char *name)
{
	static const char *const tested[] = {"module hisi_ptt", "module dwc_pcie_pmu", "module cxl_pmu"};

	for (size_t i = 0; i < ARRAY_SIZE(tested); i++)
		if (!strcmp(name, tested[i]))
			return false;
	return !strncmp(name, "module ", 7) || !strncmp(name, "pci ", 4);
}

static bool is_another(const char *name, const char *before, const char *now)
{
	return before && now ? strcmp(before, now) : before != now && !may_be_absent(name);
}

/* Of a function, its ids: link, MPS, MRRS and driver are settings. NULL: unknown. */
static const char *fact(json_object *facts, const char *name, char ids[64])
{
	const char *text = json_object_get_string(json_object_object_get(facts, name));

	if (!text || strncmp(name, "pci ", 4))
		return text;
	text = strstr(text, "ids ");
	snprintf(ids, 64, "%.*s", text ? (int)strcspn(text, ",") : 0, text ? text : "");
	return text ? ids : NULL;
}

/* Compares the facts of `names`, which is one of both, and tells the first difference of each kind. */
static void compare_facts(struct pv_cli_run *a, json_object *names, json_object *before)
{
	json_object_object_foreach(names, name, value)
	{
		char ids[2][64];
		const char *rest, *was = fact(before, name, ids[0]), *is = fact(a->run.environment, name, ids[1]);
		const struct kind *k = kind_of(name, &rest);

		(void)value;
		/* A machine's text is printed without control characters. */
		if (k && is_another(name, was, is) && !strstr(a->differs, k->what))
			add(a, "%s%s (%s before, %s now)", k->what, PV_SHOW(rest), was ? PV_SHOW(was) : "none",
			    is ? PV_SHOW(is) : "none");
	}
}

/* Without a far side on one of the occasions there is nothing to compare: no case could run. */
static void compare_machines(struct pv_cli_run *a)
{
	struct pv_error none;
	json_object *before =
		a->run.environment ? pv_run_folder_read(a->earlier->result->folder, PV_ENVIRONMENT_FILE, &none) : NULL;

	if (!before)
		return;
	compare_facts(a, before, before);
	compare_facts(a, a->run.environment, before);
	json_object_put(before);
}

void pv_cli_find_differences(struct pv_cli_run *a)
{
	if (!a->earlier)
		return;
	json_object *settings = a->earlier->settings, *guest = json_object_object_get(settings, "guest"),
		    *digests = json_object_object_get(settings, "digests");

	if (guest)
		compare_guests(a, guest, digests);
	compare_machines(a);
	compare_programs(a, digests);
	a->run.differs = *a->differs ? a->differs : NULL;
}
