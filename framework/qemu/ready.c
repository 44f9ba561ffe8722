/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of machines that have enumerated their topology. */
#include "framework/qemu/ready.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cache.h"

#define FORMAT 1 /* version of how the models are driven, which the rest of the key does not cover */
#define SEEN   "had by one guest"

char *pv_ready_key(const char *key, uint64_t sum, json_object *case_msg, uint64_t irq_latency_ps)
{
	const char *topology = json_object_to_json_string(json_object_object_get(case_msg, "topology"));
	const char *defects = json_object_to_json_string(json_object_object_get(case_msg, "defects"));
	uint64_t seed = json_object_get_uint64(json_object_object_get(case_msg, "seed"));
	char *out;

	return asprintf(&out,
			"%son %016" PRIx64 ", ready %d\nseed %" PRIu64 "\ninterrupts after %" PRIu64
			" ps\ntopology %s\ndefects %s\n",
			key, sum, FORMAT, seed, irq_latency_ps, topology, defects) < 0
		       ? NULL
		       : out;
}

/* ---- finding ---- */

struct finding {
	const char *key;
	struct pv_snapshot_file *out;
	bool made;
};

static bool use(void *ctx, int fd)
{
	struct finding *f = ctx;

	return !pv_snapshot_file_open(f->out, fd, f->key);
}

static int leave_note(void *ctx, const char *path, struct pv_error *e)
{
	struct finding *f = ctx;

	f->made = true;
	return pv_snapshot_file_write(
		path, &(struct pv_snapshot_parts){.key = f->key, .console = SEEN, .console_bytes = strlen(SEEN)}, e);
}

static bool is_note(const struct pv_snapshot_file *s)
{
	return s->console_bytes == strlen(SEEN) && !memcmp(s->console, SEEN, s->console_bytes);
}

enum pv_ready pv_ready_find(const char *folder, const char *key, struct pv_snapshot_file *out)
{
	struct finding f = {.key = key, .out = out};
	char name[PV_CACHE_NAME];

	*out = (struct pv_snapshot_file){.fd = -1};
	pv_cache_name(key, name);
	if (pv_cache_get(folder, name, &(struct pv_cache_user){&f, use, leave_note}, NULL))
		return PV_READY_NEVER;
	if (out->state_bytes)
		return PV_READY_SAVED;
	enum pv_ready found = f.made ? PV_READY_NEW : is_note(out) ? PV_READY_SEEN : PV_READY_NEVER;
	pv_snapshot_file_close(out);
	return found;
}

bool pv_ready_record(const struct pv_snapshot_file *s, const struct pv_mmio_access **at, size_t *n)
{
	*at = s->log;
	*n = s->log_bytes / sizeof(**at);
	return *n && s->log_bytes % sizeof(**at) == 0;
}

/* ---- saving ---- */

struct saving {
	const struct pv_snapshot_parts *parts;
	bool written;
};

/* The note is no good any more; what was written instead is. */
static bool is_written(void *ctx, int fd)
{
	close(fd);
	return ((struct saving *)ctx)->written;
}

static int write_it(void *ctx, const char *path, struct pv_error *e)
{
	struct saving *s = ctx;
	s->written = true;
	return pv_snapshot_file_write(path, s->parts, e);
}

int pv_ready_save(const char *folder, const struct pv_snapshot_parts *parts, struct pv_error *e)
{
	struct saving s = {.parts = parts};
	char name[PV_CACHE_NAME];

	pv_cache_name(parts->key, name);
	return pv_cache_get(folder, name, &(struct pv_cache_user){&s, is_written, write_it}, e);
}

void pv_ready_drop(const char *folder, const char *key)
{
	char name[PV_CACHE_NAME];

	pv_cache_name(key, name);
	pv_cache_drop(folder, name);
}
