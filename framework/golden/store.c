/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads, writes, lists and accepts golden files. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/golden/golden.h"
#include "framework/trace/record.h"
#include "framework/util/cleanup.h"
#include "framework/util/error.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"

#define FILE_MAX   (256u << 20)
#define TRACE_MAX  (1024u << 20)
#define ZSTD_LEVEL 12

static const char trace_suffix[] = ".trace.zst", source_suffix[] = ".json", counters_suffix[] = ".counters.json";

/* ---- files: several are replaced together; all are first written under other names and synced, then renamed ---- */

static int failed(struct pv_error *e, const char *doing, const char *path, int err)
{
	return pv_error(e, -err, "%s: %s: %s", path, doing, strerror(err));
}

/* Writes and syncs the data to path + ".new". */
static int golden_write_aside(const char *path, const void *data, size_t len, struct pv_error *e)
{
	_autofree_ char *aside = NULL;

	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	return pv_file_write(aside, data, len, e);
}

static int golden_rename_aside(const char *path, struct pv_error *e)
{
	_autofree_ char *aside = NULL;

	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	return rename(aside, path) ? failed(e, "cannot be put in place", path, errno) : 0;
}

static bool is_name(const char *name)
{
	size_t n = strlen(name);

	if (!n || n > 100 || name[0] == '.')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr(".-_", *name))
			return false;
	return true;
}

static char *path_of(const char *folder, const char *name, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%s", folder, name, suffix) < 0 ? NULL : path;
}

static int check_name(const char *name, struct pv_error *e)
{
	if (is_name(name))
		return 0;
	return pv_error(e, -EINVAL, "golden name: expected letters, digits, '.', '-' and '_', got \"%s\"", name);
}

static json_object *source_json(const struct pv_golden_source *src, const char *kind)
{
	json_object *o = json_object_new_object();

	pv_json_int(o, "format", PV_GOLDEN_FORMAT);
	pv_json_string(o, "kind", kind);
	pv_json_string(o, "plan", src->plan);
	pv_json_string(o, "case", src->case_name);
	pv_json_uint(o, "seed", src->seed);
	pv_json_string(o, "driver", src->driver);
	pv_json_string(o, "target", src->target);
	return o;
}

static int write_json(const char *path, json_object *o, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE;
	int n = asprintf(&text, "%s\n", json_object_to_json_string_ext(o, flags));

	return n < 0 ? pv_error(e, -ENOMEM, "%s: no memory", path) : pv_file_write(path, text, (size_t)n, e);
}

static int read_json(const char *path, json_object **out, struct pv_error *e)
{
	_autojson_ json_object *o = NULL;
	int err = pv_json_read(path, FILE_MAX, json_type_object, &o, e);

	if (err)
		return err;
	int format = json_object_get_int(json_object_object_get(o, "format"));
	if (format != PV_GOLDEN_FORMAT)
		return pv_error(e, -EBADMSG, "%s: \"format\": expected %d, got %d", path, PV_GOLDEN_FORMAT, format);
	*out = steal(&o);
	return 0;
}

/* ---- traces ---- */

int pv_golden_put_trace(const char *folder, const char *name, const struct pv_golden_source *src, const void *data,
			size_t len, struct pv_error *e)
{
	int err = check_name(name, e);

	if (err)
		return err;
	_autofree_ char *trace = path_of(folder, name, trace_suffix), *source = path_of(folder, name, source_suffix);
	size_t bound = ZSTD_compressBound(len);
	_autofree_ void *packed = malloc(bound);
	_autojson_ json_object *o = source_json(src, "trace");
	if (!trace || !source || !packed || !o)
		return pv_error(e, -ENOMEM, "golden %s: no memory", name);
	size_t n = ZSTD_compress(packed, bound, data, len, ZSTD_LEVEL);
	if (ZSTD_isError(n))
		return pv_error(e, -EIO, "golden %s: zstd: %s", name, ZSTD_getErrorName(n));
	size_t record = pv_record_bytes(pv_record_detect(data, len));
	pv_json_uint(o, "bytes", len);
	pv_json_uint(o, "record_bytes", record);
	pv_json_uint(o, "records", record ? len / record : 0);
	err = pv_file_write(trace, packed, n, e);
	return err ? err : write_json(source, o, e);
}

static int unpack(const char *path, const void *packed, size_t n, void **data, size_t *len, struct pv_error *e)
{
	unsigned long long size = ZSTD_getFrameContentSize(packed, n);

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > TRACE_MAX)
		return pv_error(e, -EBADMSG, "%s: expected a zstd frame of at most %u bytes", path, TRACE_MAX);
	_autofree_ void *buf = malloc((size_t)size + 1);
	if (!buf)
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	size_t got = ZSTD_decompress(buf, (size_t)size, packed, n);
	if (ZSTD_isError(got) || got != size)
		return pv_error(e, -EBADMSG, "%s: damaged: %s", path,
				ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too short");
	*len = got;
	*data = steal(&buf);
	return 0;
}

/* The provenance must agree with the trace: a crash may have replaced only one of them. */
static int check_source(const char *path, size_t len, struct pv_error *e)
{
	_autojson_ json_object *o = NULL;
	int err = read_json(path, &o, e);
	if (err)
		return err;
	uint64_t bytes = json_object_get_uint64(json_object_object_get(o, "bytes"));
	if (bytes == len)
		return 0;
	return pv_error(e, -EBADMSG, "%s: \"bytes\": expected %zu as in the trace, got %llu", path, len,
			(unsigned long long)bytes);
}

int pv_golden_get_trace(const char *folder, const char *name, void **data, size_t *len, struct pv_error *e)
{
	int err = check_name(name, e);

	if (err)
		return err;
	_autofree_ char *trace = path_of(folder, name, trace_suffix), *source = path_of(folder, name, source_suffix);
	_autofree_ char *packed = NULL;
	_autofree_ void *buf = NULL;
	size_t n;
	if (!trace || !source)
		return pv_error(e, -ENOMEM, "golden %s: no memory", name);
	err = pv_file_read(trace, FILE_MAX, &packed, &n, e);
	if (!err)
		err = unpack(trace, packed, n, &buf, len, e);
	if (!err)
		err = check_source(source, *len, e);
	if (!err)
		*data = steal(&buf);
	return err;
}

/* ---- counters ---- */

static int read_counters(const char *path, json_object **out, struct pv_error *e)
{
	_autojson_ json_object *o = NULL;
	int err = read_json(path, &o, e);

	if (err)
		return err;
	json_object *all = json_object_object_get(o, "counters");
	if (!json_object_is_type(all, json_type_object))
		return pv_error(e, -EBADMSG, "%s: \"counters\": expected an object", path);
	json_object_object_foreach(all, counter, value)
	{
		if (!pv_json_is_count(value))
			return pv_error(e, -EBADMSG, "%s: counter \"%s\": expected a count, got %s", path,
					PV_SHOW(counter), PV_SHOW(json_object_to_json_string(value)));
	}
	*out = steal(&o);
	return 0;
}

/* Returns the object `key` of a file; creates it if it does not exist. */
static json_object *member_object(json_object *o, const char *key)
{
	json_object *all = json_object_object_get(o, key);

	if (json_object_is_type(all, json_type_object))
		return all;
	all = json_object_new_object();
	json_object_object_add(o, key, all);
	return all;
}

static int put_counter(const char *folder, const char *name, const struct pv_golden_source *src, const char *counter,
		       uint64_t value, const double *tolerance, struct pv_error *e)
{
	int err = check_name(name, e);

	if (err)
		return err;
	_autofree_ char *path = path_of(folder, name, counters_suffix);
	if (!path)
		return pv_error(e, -ENOMEM, "golden %s: no memory", name);
	_autojson_ json_object *o = NULL;
	struct pv_error ignored;
	if (read_counters(path, &o, &ignored))
		o = source_json(src, "counters");
	pv_json_uint(member_object(o, "counters"), counter, value);
	if (tolerance)
		json_object_object_add(member_object(o, "tolerances"), counter, json_object_new_double(*tolerance));
	return write_json(path, o, e);
}

int pv_golden_put_counter(const char *folder, const char *name, const struct pv_golden_source *src, const char *counter,
			  uint64_t value, struct pv_error *e)
{
	return put_counter(folder, name, src, counter, value, NULL, e);
}

int pv_golden_put_baseline(const char *folder, const char *name, const struct pv_golden_source *src,
			   const char *measure, uint64_t value, double tolerance, struct pv_error *e)
{
	return put_counter(folder, name, src, measure, value, &tolerance, e);
}

double pv_golden_tolerance(const char *folder, const char *name, const char *counter)
{
	_autofree_ char *path = is_name(name) ? path_of(folder, name, counters_suffix) : NULL;
	_autojson_ json_object *o = NULL;
	struct pv_error ignored;

	if (!path || read_json(path, &o, &ignored))
		return 0;
	double share = json_object_get_double(json_object_object_get(json_object_object_get(o, "tolerances"), counter));
	return share > 0 && share <= 1 ? share : 0;
}

bool pv_golden_is_near(uint64_t golden, uint64_t now, double tolerance)
{
	uint64_t off = now > golden ? now - golden : golden - now;

	return !off || (double)off <= (double)golden * tolerance;
}

int pv_golden_get_counters(const char *folder, const char *name, json_object **out, struct pv_error *e)
{
	int err = check_name(name, e);

	if (err)
		return err;
	_autofree_ char *path = path_of(folder, name, counters_suffix);
	_autojson_ json_object *o = NULL;
	err = path ? read_counters(path, &o, e) : pv_error(e, -ENOMEM, "golden %s: no memory", name);
	if (err)
		return err;
	*out = json_object_get(json_object_object_get(o, "counters"));
	return 0;
}

int pv_golden_get_counter(const char *folder, const char *name, const char *counter, uint64_t *value,
			  struct pv_error *e)
{
	_autojson_ json_object *all = NULL;
	int err = pv_golden_get_counters(folder, name, &all, e);
	if (err)
		return err;
	json_object *v = json_object_object_get(all, counter);
	if (!v)
		return pv_error(e, -ENOENT, "%s/%s.counters.json: expected a counter \"%s\", got none", folder, name,
				counter);
	*value = json_object_get_uint64(v);
	return 0;
}

/* ---- folders ---- */

static const struct {
	const char *kind;
	const char *suffix[2]; /* files of such a golden; the first one has its name in a list */
} kinds[] = {
	{"trace", {trace_suffix, source_suffix}},
	{"counters", {counters_suffix, NULL}},
};

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

int pv_golden_list(const char *folder, void (*fn)(void *ctx, const char *name, const char *kind), void *ctx)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, NULL, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			if (!ends_with(entry[i]->d_name, kinds[k].suffix[0]))
				continue;
			entry[i]->d_name[strlen(entry[i]->d_name) - strlen(kinds[k].suffix[0])] = 0;
			fn(ctx, entry[i]->d_name, kinds[k].kind);
			break;
		}
		free(entry[i]);
	}
	free(entry);
	return 0;
}

static int copy_aside(const char *from, const char *to, struct pv_error *e)
{
	_autofree_ char *data = NULL;
	size_t len;
	int err = pv_file_read(from, FILE_MAX, &data, &len, e);

	return err ? err : golden_write_aside(to, data, len, e);
}

int pv_golden_accept(const char *staging, const char *folder, const char *name, const char *kind, struct pv_error *e)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		if (strcmp(kinds[k].kind, kind))
			continue;
		for (int pass = 0; pass < 2; pass++) {
			for (size_t i = 0; i < 2 && kinds[k].suffix[i]; i++) {
				_autofree_ char *from = path_of(staging, name, kinds[k].suffix[i]);
				_autofree_ char *to = path_of(folder, name, kinds[k].suffix[i]);

				if (!from || !to)
					return pv_error(e, -ENOMEM, "golden %s: no memory", name);
				int err = pass ? golden_rename_aside(to, e) : copy_aside(from, to, e);
				if (err)
					return err;
			}
		}
		return 0;
	}
	return pv_error(e, -EINVAL, "golden %s: expected a trace or counters, got %s", name, kind);
}

/* Copies a counter and its tolerance, or the lack of one. */
static void copy_counter(json_object *to, json_object *from, const char *counter, json_object *value)
{
	json_object *tolerance = json_object_object_get(json_object_object_get(from, "tolerances"), counter);

	json_object_object_add(member_object(to, "counters"), counter, json_object_get(value));
	if (tolerance)
		json_object_object_add(member_object(to, "tolerances"), counter, json_object_get(tolerance));
	else if (json_object_object_get_ex(to, "tolerances", NULL))
		json_object_object_del(member_object(to, "tolerances"), counter);
}

/* Writes the counters of `from` over those of `to`, which keeps its others. The origin is then that of `from`. */
static int merge_counters(const char *from, const char *to, struct pv_error *e)
{
	_autojson_ json_object *staged = NULL, *kept = NULL;
	struct pv_error ignored;
	int err = read_counters(from, &staged, e);

	if (err)
		return err;
	/* Replaces a damaged file, as for other goldens. */
	if (read_counters(to, &kept, &ignored))
		return write_json(to, staged, e);
	json_object_object_foreach(staged, key, member)
	{
		if (strcmp(key, "counters") && strcmp(key, "tolerances"))
			json_object_object_add(kept, key, json_object_get(member));
	}
	json_object_object_foreach(json_object_object_get(staged, "counters"), counter, value)
		copy_counter(kept, staged, counter, value);
	return write_json(to, kept, e);
}

int pv_golden_accept_part(const char *staging, const char *folder, const char *name, const char *kind,
			  struct pv_error *e)
{
	if (strcmp(kind, "counters"))
		return pv_golden_accept(staging, folder, name, kind, e);
	int err = check_name(name, e);
	if (err)
		return err;
	_autofree_ char *from = path_of(staging, name, counters_suffix), *to = path_of(folder, name, counters_suffix);
	return from && to ? merge_counters(from, to, e) : pv_error(e, -ENOMEM, "golden %s: no memory", name);
}
