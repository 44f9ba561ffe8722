/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the folders of two shards. Lines one to three are settings.json, cases.json and environment.json (empty:
 * none) of the first shard, lines four to six those of the second; the others are lines of the first journal, or after
 * a '+' of the second. A merge has each case once, with the result that its own shard gives it, and no pass without a
 * whole record of it; or it fails with a message about a shard, and leaves nothing.
 */
#include <json-c/json.h>
#include <sys/stat.h>

#include "framework/run/folder.h"
#include "framework/run/merge.h"
#include "framework/run/protocol.h"
#include "framework/util/fuzz/folder.h"
#include "framework/util/json.h"

enum { SHARDS = 2 };

static const char *const names[SHARDS] = {"shard-1", "shard-2"};
static char folders[SHARDS][64], merged[64];

static void put(size_t shard, const char *file, const void *data, size_t n)
{
	char name[32];

	snprintf(name, sizeof(name), "%s/%s", names[shard], file);
	fuzz_folder_put(name, data, n);
}

static void make_folders(void)
{
	for (size_t i = 0; i < SHARDS; i++) {
		fuzz_folder_file(names[i], folders[i]);
		fuzz_check(!mkdir(folders[i], 0700) || !access(folders[i], F_OK));
	}
	fuzz_folder_file("merged", merged);
	pv_remove_all(merged);
}

static void put_settings(size_t shard, const uint8_t **data, size_t *size)
{
	char path[96];
	size_t n;
	const uint8_t *line = fuzz_line(data, size, &n);

	put(shard, PV_SETTINGS_FILE, line, n);
	line = fuzz_line(data, size, &n);
	put(shard, PV_CASES_FILE, line, n);
	line = fuzz_line(data, size, &n);
	put(shard, PV_ENVIRONMENT_FILE, line, n);
	snprintf(path, sizeof(path), "%s/" PV_ENVIRONMENT_FILE, folders[shard]);
	if (!n)
		unlink(path);
}

/* The last line of each journal has a newline if the input ends with one. */
static void put_journals(const uint8_t *data, size_t size)
{
	char *texts[SHARDS];
	size_t lengths[SHARDS];
	FILE *f[SHARDS];

	for (size_t i = 0; i < SHARDS; i++)
		fuzz_check((f[i] = open_memstream(&texts[i], &lengths[i])));
	while (size) {
		size_t n, before = size;
		const uint8_t *line = fuzz_line(&data, &size, &n);
		bool second = n && *line == '+';

		fwrite(line + second, 1, before - size - second, f[second]);
	}
	for (size_t i = 0; i < SHARDS; i++) {
		fuzz_check(!fclose(f[i]));
		put(i, PV_JOURNAL_FILE, texts[i], lengths[i]);
		free(texts[i]);
	}
}

/* Returns true if a line of the journal says that this case has passed. */
static bool has_passed(char *journal, size_t index)
{
	char *rest = journal, *line;
	bool passed = false;

	while (!passed && (line = strsep(&rest, "\n"))) {
		json_object *o = json_tokener_parse(line), *number = json_object_object_get(o, "case");

		passed = json_object_is_type(o, json_type_object) && number &&
			 pv_field_int(o, "case") == (int64_t)index && !strcmp(pv_json_text(o, "ev"), "verdict") &&
			 !strcmp(pv_json_text(o, "verdict"), "pass");
		json_object_put(o);
	}
	return passed;
}

static void check_recorded(size_t shard, size_t index)
{
	char name[32];
	size_t n;

	snprintf(name, sizeof(name), "%s/" PV_JOURNAL_FILE, names[shard]);
	char *journal = fuzz_folder_get(name, &n);
	/* A 0 byte damages its line. */
	for (size_t i = 0; i < n; i++)
		journal[i] = journal[i] ? journal[i] : '?';
	fuzz_check(has_passed(journal, index));
	free(journal);
}

static void check_same(const struct pv_case_result *all, const struct pv_case_result *one)
{
	fuzz_check(!strcmp(all->plan, one->plan) && !strcmp(all->name, one->name) && all->round == one->round);
	fuzz_check(all->verdict == one->verdict && !strcmp(all->type, one->type) &&
		   !strcmp(all->message, one->message));
	fuzz_check(all->checks == one->checks && all->seconds == one->seconds && all->n_attempts == one->n_attempts);
}

static void check_shard(const struct pv_run_result *all, const struct pv_run_result *part, size_t shard, bool *seen)
{
	struct pv_error e = {0};
	json_object *cases = pv_run_folder_read(folders[shard], PV_CASES_FILE, &e);

	for (size_t i = 0; i < part->n_cases; i++) {
		json_object *c = json_object_array_get_idx(json_object_object_get(cases, "cases"), i);
		uint64_t at = (uint64_t)pv_field_int(c, "position");

		fuzz_check(at < all->n_cases && !seen[at]);
		seen[at] = true;
		check_same(&all->cases[at], &part->cases[i]);
		if (part->cases[i].verdict == PV_PASS)
			check_recorded(shard, i);
	}
	json_object_put(cases);
}

static void check_merged(void)
{
	struct pv_run_result *all, *parts[SHARDS];
	struct pv_error e = {0};
	size_t n = 0, damaged = 0;

	fuzz_check(!pv_run_load_whole(merged, &all, &e));
	fuzz_check(!all->interrupted && !all->running && all->n_cases);
	bool *seen = calloc(all->n_cases, sizeof(*seen));
	fuzz_check(seen);
	for (size_t i = 0; i < SHARDS; i++) {
		fuzz_check(!pv_run_load_whole(folders[i], &parts[i], &e));
		n += parts[i]->n_cases;
		damaged += parts[i]->damaged;
		check_shard(all, parts[i], i, seen);
		pv_run_result_free(parts[i]);
	}
	fuzz_check(n == all->n_cases && damaged == all->damaged);
	free(seen);
	pv_run_result_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_error e = {0};

	make_folders();
	for (size_t i = 0; i < SHARDS; i++)
		put_settings(i, &data, &size);
	put_journals(data, size);
	if (pv_merge((const char *const[]){folders[0], folders[1]}, SHARDS, merged, "pcieval merge", &e)) {
		fuzz_check(e.code && strstr(e.text, "shard") && access(merged, F_OK));
		return 0;
	}
	check_merged();
	return 0;
}
