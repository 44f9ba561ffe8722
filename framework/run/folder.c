/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a run folder: settings and case list are on disk before the first case starts. */
#include "framework/run/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "framework/run/build.h"
#include "framework/run/journal.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"
#include "framework/util/json.h"

enum { FILE_MAX = 256 << 20 };

#define RESULTS_FOLDER "pcieval-results"
#define FOREIGN	       "it is another user's, in a folder that everybody may write to"

const char *pv_case_folder_name(const struct pv_job *job, size_t index, char out[PV_CASE_FOLDER_NAME])
{
	snprintf(out, PV_CASE_FOLDER_NAME, "%04zu-%s-%s", index, job->plan, job->name);
	for (char *c = out; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=,", *c))
			*c = '_';
	return out;
}

bool pv_attempt_folder(const char *path, unsigned k, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s.%u", path, k + 1) < PATH_MAX;
}

/* ---- what is in it ---- */

/* Leaves out a count of 0, which was not given. */
static void add_count(json_object *o, const char *key, unsigned n)
{
	if (n)
		pv_json_int(o, key, n);
}

/* Writes names and values alternately, without names that have no value. */
static json_object *pairs(const char *const *options)
{
	json_object *list = json_object_new_array();

	for (; options && *options; options += 2) {
		if (!options[1])
			continue;
		json_object_array_add(list, json_object_new_string(options[0]));
		json_object_array_add(list, json_object_new_string(options[1]));
	}
	return list;
}

static void print_option(FILE *f, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(f, " --%s", name);
	if (!*value)
		return;
	fputc(' ', f);
	pv_shell_word(f, value);
}

/* Prints a size as options take it, such as 64M. */
static void print_size(FILE *f, const char *name, uint64_t bytes)
{
	static const char *const suffixes[] = {"", "K", "M", "G"};
	size_t k = 0;

	for (; k + 1 < ARRAY_SIZE(suffixes) && bytes && !(bytes % 1024); k++)
		bytes /= 1024;
	fprintf(f, " --%s %" PRIu64 "%s", name, bytes, suffixes[k]);
}

/* Prints what a verdict depends on besides the system under test. */
static void print_conditions(FILE *f, const struct pv_run_options *opt)
{
	if (opt->timeout_scale > 0 && opt->timeout_scale != 1)
		fprintf(f, " --timeout-scale %.15g", opt->timeout_scale);
	if (opt->max_memory_given)
		print_size(f, "max-memory", opt->max_memory_bytes);
	print_option(f, "known-failures", opt->known_failures);
	print_option(f, "agent", opt->agent);
}

/* Writes a command line that repeats the run; with --name and a file, one of its cases. */
static char *rerun_command(const struct pv_run_options *opt)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fputs("pcieval run", f);
	if (opt->golden_given)
		print_option(f, "golden-dir", opt->golden_folder);
	print_option(f, "target", opt->target);
	print_option(f, "driver", opt->driver);
	print_option(f, "seed", opt->seed);
	for (const char *const *o = opt->guest_options; o && *o; o += 2)
		print_option(f, o[0], o[1]);
	for (const char *const *d = opt->defects; d && *d; d++)
		print_option(f, "defect", *d);
	print_conditions(f, opt);
	fclose(f);
	return text;
}

/* From /proc/cpuinfo: x86 has a name, arm64 the numbers of implementer and part. NULL: neither. */
static char *cpu_name(void)
{
	_autofclose_ FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], value[128], implementer[16] = "";
	char *name = NULL;

	while (f && !name && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "model name : %127[^\n]", value) == 1)
			name = strdup(value);
		else if (sscanf(line, "CPU implementer : %15s", implementer) == 1)
			continue;
		else if (sscanf(line, "CPU part : %127s", value) == 1 &&
			 asprintf(&name, "implementer %s, part %s", implementer, value) < 0)
			name = NULL;
	}
	return name;
}

void pv_run_folder_add_id(json_object *settings)
{
	uint64_t random[2];
	char id[2 * 16 + 1];

	json_object_object_del(settings, PV_SETTING_ID);
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return;
	snprintf(id, sizeof(id), "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	pv_json_string(settings, PV_SETTING_ID, id);
}

/* Describes this build, and the machine that it runs on. */
static void add_origin(json_object *o)
{
	_autofree_ char *cpu = cpu_name();
	struct utsname host = {0};

	uname(&host);
	pv_run_folder_add_id(o);
	pv_json_int(o, "started", time(NULL));
	pv_json_given(o, "revision", pv_build_revision);
	pv_json_given(o, "compiler", pv_build_compiler);
	pv_json_given(o, "cpu", cpu);
	pv_json_given(o, "hostname", host.nodename);
	pv_json_given(o, "kernel", host.release);
	pv_json_given(o, "machine", host.machine);
}

/* Adds what merge_parts.c checks: whether shards belong together, and whether one is missing. */
static void add_shard(json_object *o, const struct pv_shard *s)
{
	char text[32];

	if (!s)
		return;
	snprintf(text, sizeof(text), "%u/%u", s->index, s->count);
	pv_json_string(o, "shard", text);
	pv_json_uint(o, "shard_cases", s->n_whole);
	pv_json_string(o, "shard_selection", s->selection);
	pv_json_string(o, "shard_plans", s->plans);
}

static json_object *settings_object(const struct pv_run_options *opt)
{
	_autofree_ char *rerun = rerun_command(opt), *here = getcwd(NULL, 0);
	json_object *o = json_object_new_object();
	pv_json_given(o, "version", PCIEVAL_VERSION);
	pv_json_given(o, "command", opt->command ? opt->command : "pcieval run");
	pv_json_given(o, "rerun", rerun);
	pv_json_given(o, "target", opt->target);
	pv_json_given(o, "board", opt->board);
	pv_json_given(o, "driver", opt->driver);
	pv_json_given(o, "seed", opt->seed);
	json_object_object_add(o, "defects", pv_json_strings(opt->defects));
	if (opt->guest)
		json_object_object_add(o, "guest", json_object_get(opt->guest));
	if (opt->guest_options)
		json_object_object_add(o, "guest_options", pairs(opt->guest_options));
	if (opt->golden_given)
		pv_json_bool(o, "golden_given", true);
	if (opt->deviations)
		json_object_object_add(o, "deviations", json_object_get(opt->deviations));
	pv_json_given(o, "known_failures", opt->known_failures);
	pv_json_given(o, "golden", opt->golden_folder);
	if (opt->digests)
		json_object_object_add(o, "digests", json_object_get(opt->digests));
	if (opt->rerun_of) {
		pv_json_given(o, "rerun_of", opt->rerun_of);
		pv_json_given(o, "differs", opt->differs);
	}
	pv_json_int(o, "workers", opt->workers ? opt->workers : 1);
	json_object_object_add(o, "timeout_scale",
			       json_object_new_double(opt->timeout_scale > 0 ? opt->timeout_scale : 1));
	pv_json_given(o, "directory", here);
	pv_json_given(o, "agent", opt->agent);
	pv_json_bool(o, "fail_fast", opt->fail_fast);
	if (opt->abort_on_taint)
		pv_json_bool(o, "abort_on_taint", true);
	if (opt->health_check)
		pv_json_bool(o, "health_check", true);
	add_count(o, "max_fail", opt->max_fail);
	add_count(o, "retry_errors", opt->retry_errors);
	add_count(o, "repeat", opt->repeat);
	if (opt->until_failure)
		pv_json_bool(o, "until_failure", true);
	pv_json_given(o, "shuffle", opt->shuffle);
	pv_json_bool(o, "keep", opt->keep);
	pv_json_uint(o, "max_artefact_bytes", opt->max_artefact_bytes);
	pv_json_uint(o, "max_memory_bytes", opt->max_memory_bytes);
	if (opt->max_memory_given)
		pv_json_bool(o, "max_memory_given", true);
	add_shard(o, opt->shard);
	add_origin(o);
	return o;
}

const char *pv_case_digest(const struct pv_run_options *opt, const struct pv_job *job, char out[PV_DIGEST_TEXT])
{
	json_object *o = opt->case_json ? opt->case_json(job) : NULL;
	/* Slashes are escaped, as in the digests of earlier runs. */
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN) : "";

	snprintf(out, PV_DIGEST_TEXT, "%016llx", (unsigned long long)pv_hash_text(text ? text : ""));
	json_object_put(o);
	return out;
}

/* "rp0=0000:3a:01.0" */
static json_object *roles_array(json_object *bound)
{
	json_object *list = json_object_new_array(), *roles = json_object_object_get(bound, "roles");

	if (!roles)
		return list;
	json_object_object_foreach(roles, role, is)
	{
		_autofree_ char *text = NULL;

		if (asprintf(&text, "%s=%s", role, json_object_get_string(is)) >= 0)
			json_object_array_add(list, json_object_new_string(text));
	}
	return list;
}

static json_object *cases_object(const struct pv_run_options *opt, const struct pv_job *jobs, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		char name[PV_CASE_FOLDER_NAME], digest[PV_DIGEST_TEXT];
		json_object *o = json_object_new_object();

		pv_json_given(o, "plan", jobs[i].plan);
		pv_json_given(o, "case", jobs[i].name);
		if (jobs[i].formerly && *jobs[i].formerly)
			json_object_object_add(o, "formerly", pv_json_strings(jobs[i].formerly));
		pv_json_given(o, "file", jobs[i].file);
		pv_json_int(o, "line", jobs[i].line);
		pv_json_uint(o, "seed", jobs[i].seed);
		add_count(o, "round", jobs[i].round);
		if (opt->shard)
			pv_json_uint(o, "position", jobs[i].position);
		json_object_object_add(o, "verifies", pv_json_strings(jobs[i].verifies));
		if (jobs[i].bound)
			json_object_object_add(o, "roles", roles_array(jobs[i].bound));
		pv_json_given(o, "folder", pv_case_folder_name(&jobs[i], i, name));
		pv_json_given(o, "digest", pv_case_digest(opt, &jobs[i], digest));
		json_object_array_add(list, o);
	}
	json_object *all = json_object_new_object();
	json_object_object_add(all, "cases", list);
	return all;
}

int pv_run_folder_write(const char *folder, const char *file, json_object *o, struct pv_error *e)
{
	char path[PATH_MAX];
	const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = json_object_to_json_string_ext(o, flags);
	int err;

	if (!text)
		err = pv_error(e, -ENOMEM, "%s: out of memory", folder);
	else if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		err = pv_error(e, -ENAMETOOLONG, "%s: the path is too long", folder);
	else
		err = pv_file_write(path, text, strlen(text), e);
	json_object_put(o);
	return err;
}

static int fill(const char *folder, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
		struct pv_error *e)
{
	int err = pv_run_folder_write(folder, PV_SETTINGS_FILE, settings_object(opt), e);

	if (!err)
		err = pv_run_folder_write(folder, PV_CASES_FILE, cases_object(opt, jobs, n), e);
	if (!err && opt->environment)
		err = pv_run_folder_write(folder, PV_ENVIRONMENT_FILE, json_object_get(opt->environment), e);
	if (err)
		return err;
	char path[PATH_MAX];
	if (snprintf(path, sizeof(path), "%s/" PV_CASES_FOLDER, folder) >= (int)sizeof(path))
		return pv_error(e, -ENAMETOOLONG, "%s: the path is too long", folder);
	return mkdir(path, 0777) ? pv_error(e, -errno, "%s: cannot be made: %s", path, strerror(errno)) : 0;
}

/* ---- its place ---- */

/*
 * Claims a folder if it is empty; a journal alone is a claim, and counts as empty. It is checked twice: before the
 * claim, since the claim leaves a journal, which another folder of the user must not get; and after it, since another
 * run may have used it in between.
 */
static int claim(const char *path, int *out)
{
	int err = pv_folder_check_empty(path, PV_JOURNAL_FILE);
	int fd = err ? err : pv_journal_claim(path);

	if (fd < 0)
		return fd;
	err = pv_folder_check_empty(path, PV_JOURNAL_FILE);
	if (!err && lseek(fd, 0, SEEK_END) > 0)
		err = -ENOTEMPTY;
	if (err)
		close(fd);
	else
		*out = fd;
	return err;
}

static const char *why_not(int err)
{
	switch (err) {
	case -ENOTDIR:
	case -EEXIST:
		return "it is not a folder";
	case -ENOTEMPTY:
		return "expected a new or empty folder; give another, or remove it first";
	case -EPERM:
		return FOREIGN "; give another";
	case -ELOOP:
		return "its " PV_JOURNAL_FILE " is a link";
	case -EBUSY:
		return "another pcieval is running in it; give another folder, or wait";
	default:
		return strerror(-err);
	}
}

int pv_folder_claim(const char *path, struct pv_run_folder *out, struct pv_error *e)
{
	*out = (struct pv_run_folder){.claim = -1};
	int err = pv_mkdir_all(path, 0777);

	if (!err)
		err = claim(path, &out->claim);
	if (err)
		return pv_error(e, err, "%s: cannot hold the results: %s", path, why_not(err));
	out->path = strdup(path);
	return out->path ? 0 : pv_error(e, -ENOMEM, "out of memory");
}

/* The link is a convenience: if `latest` is something else, it stays. */
static void link_latest(const char *name)
{
	struct stat st;
	const char *link = RESULTS_FOLDER "/latest";
	char fresh[64];

	if (!lstat(link, &st) && !S_ISLNK(st.st_mode))
		return;
	snprintf(fresh, sizeof(fresh), RESULTS_FOLDER "/.latest-%d", (int)getpid());
	if (!symlink(name, fresh) && rename(fresh, link))
		unlink(fresh);
}

/* Creates an exclusive folder: mkdir(2) succeeds for one process only. */
static int make_default(struct pv_run_folder *out)
{
	char stamp[32], path[sizeof(RESULTS_FOLDER) + sizeof(stamp) + 16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H-%M-%SZ", gmtime_r(&now, &tm));
	int err = pv_mkdir_all(RESULTS_FOLDER, 0777);
	for (int twin = 1; !err; twin++) {
		snprintf(path, sizeof(path), twin == 1 ? "%s/%s" : "%s/%s-%d", RESULTS_FOLDER, stamp, twin);
		if (!mkdir(path, 0777))
			break;
		err = errno == EEXIST && twin < 1000 ? 0 : -errno;
	}
	if (!err)
		err = claim(path, &out->claim);
	if (err)
		return err;
	link_latest(path + sizeof(RESULTS_FOLDER));
	out->path = strdup(path);
	return out->path ? 0 : -ENOMEM;
}

int pv_folder_claim_default(struct pv_run_folder *out, struct pv_error *e)
{
	int err = make_default(out);

	return err ? pv_error(e, err, RESULTS_FOLDER ": cannot hold the results: %s; give a folder with --results",
			      err == -EPERM ? FOREIGN : strerror(-err))
		   : 0;
}

void pv_run_folder_unclaim(struct pv_run_folder *f)
{
	if (f->claim >= 0)
		close(f->claim);
	f->claim = -1;
}

void pv_run_folder_free(struct pv_run_folder *f)
{
	free(f->path);
	pv_run_folder_unclaim(f);
	f->path = NULL;
}

int pv_folder_create(const char *path, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
		     struct pv_run_folder *out, struct pv_error *e)
{
	*out = (struct pv_run_folder){.claim = -1};
	int err = path ? pv_folder_claim(path, out, e) : pv_folder_claim_default(out, e);
	if (!err)
		err = fill(out->path, opt, jobs, n, e);
	if (err)
		pv_run_folder_free(out);
	return err;
}

bool pv_run_folder_is_matrix(const char *folder)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/" PV_MATRIX_FILE, folder) < (int)sizeof(path) && !access(path, F_OK);
}

json_object *pv_run_folder_read(const char *folder, const char *file, struct pv_error *e)
{
	char path[PATH_MAX];
	json_object *o = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path)) {
		pv_error(e, -ENAMETOOLONG, "%s: the path is too long", folder);
		return NULL;
	}
	if (!pv_json_read(path, FILE_MAX, json_type_object, &o, e) || !access(path, F_OK))
		return o;
	if (pv_run_folder_is_matrix(folder))
		pv_error(e, -EISDIR, "%s has several runs (" PV_MATRIX_FILE "): expected one of its folders", folder);
	else
		pv_error_context(e, "%s is not the folder of a run: ", folder);
	return NULL;
}
