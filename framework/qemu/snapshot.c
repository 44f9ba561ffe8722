/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making and finding snapshots, and the steps after restoring a base snapshot. ci/guest.d/init does the guest's part.
 */
#include "framework/qemu/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cache.h"
#include "framework/util/cleanup.h"

#define BASE_FORMAT	2 /* version of what makes base snapshots, as far as the key does not cover it */
#define TOPOLOGY_FORMAT 1 /* the same of what drives the models */
#define SEEN		"had by one guest" /* the note that the first guest of a topology leaves */
#define PLAN		"/pcieval.late"	   /* the guest's list of what /init has not done */
#define PLAN_BYTES	16384

/* ---- keys ---- */

static void key_file(FILE *f, const char *what, const char *path)
{
	struct stat st = {0};

	stat(path, &st);
	fprintf(f, "%s %s %jd %jd.%09ld\n", what, path, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec);
}

static void key_bridge(FILE *f, const struct pv_fabric_bridge *b)
{
	fprintf(f,
		"bridge %04x:%02x-%02x ecam %u node %d probe-only %u msi 0x%x mem 0x%" PRIx64 "+0x%" PRIx64
		" 0x%" PRIx64 "+0x%" PRIx64 "\n",
		b->domain, b->bus_first, b->bus_last, b->ecam, b->numa_node, b->probe_only, b->msi_base, b->mem32,
		b->mem32_bytes, b->mem64, b->mem64_bytes);
}

char *pv_snapshot_base_key(const struct pv_snapshot_inputs *in)
{
	char *key = NULL;
	size_t n;
	FILE *f = open_memstream(&key, &n);

	if (!f)
		return NULL;
	fprintf(f, "format %d, fabric %u\n", BASE_FORMAT, PV_FABRIC_VERSION);
	key_file(f, "qemu", in->conf->qemu);
	key_file(f, "kernel", in->conf->kernel);
	for (const char *const *a = in->conf->archive; *a; a++)
		key_file(f, "archive", *a);
	fprintf(f, "append %s\ncpus %u in %u nodes\nram %zu\nwindow %zu\nreal time %d\n", in->conf->append,
		in->conf->cpus, in->conf->numa_nodes, in->conf->ram_bytes, in->conf->window_bytes, in->conf->real_time);
	for (uint32_t i = 0; i < in->hello->bridges; i++)
		key_bridge(f, &in->hello->bridge[i]);
	/* fclose() may move the text. */
	if (!fclose(f))
		return key;
	free(key);
	return NULL;
}

char *pv_snapshot_topology_key(const char *base_key, uint64_t base_sum, json_object *case_msg, uint64_t irq_latency_ps)
{
	const char *topology = json_object_to_json_string(json_object_object_get(case_msg, "topology"));
	const char *defects = json_object_to_json_string(json_object_object_get(case_msg, "defects"));
	uint64_t seed = json_object_get_uint64(json_object_object_get(case_msg, "seed"));
	char *out;

	return asprintf(&out,
			"%son %016" PRIx64 ", ready %d\nseed %" PRIu64 "\ninterrupts after %" PRIu64
			" ps\ntopology %s\ndefects %s\n",
			base_key, base_sum, TOPOLOGY_FORMAT, seed, irq_latency_ps, topology, defects) < 0
		       ? NULL
		       : out;
}

/* ---- the cache ---- */

/* A snapshot that is being opened. Users of the cache have it as their first member. */
struct wanted {
	const char *key;
	struct pv_snapshot_file *out;
};

static bool use(void *ctx, int fd)
{
	const struct wanted *w = ctx;

	return !pv_snapshot_file_open(w->out, fd, w->key);
}

static int get(const char *folder, const char *key, const struct pv_cache_user *user, struct pv_error *e)
{
	char name[PV_CACHE_NAME];

	pv_cache_name(key, name);
	return pv_cache_get(folder, name, user, e);
}

/* Writes a file without state: a note, or the reason why a machine cannot be saved. */
static int write_text(const char *path, const char *key, const char *text, struct pv_error *e)
{
	return pv_snapshot_file_write(
		path, &(struct pv_snapshot_parts){.key = key, .console = text, .console_bytes = strlen(text)}, e);
}

void pv_snapshot_drop(const char *folder, const char *key)
{
	char name[PV_CACHE_NAME];

	pv_cache_name(key, name);
	pv_cache_drop(folder, name);
}

static int read_memfd(int fd, void **data, size_t *n)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*n = (size_t)st.st_size;
	*data = malloc(*n + 1);
	if (!*data)
		return -ENOMEM;
	return pread(fd, *data, *n, 0) == (ssize_t)*n ? 0 : -EIO;
}

/* ---- the guest's list ---- */

/*
 * Reads lines "bridge FILE NAME": NAME must be written to FILE; and "module PATH [ARGUMENT]...", in the order in which
 * /init would have loaded the modules.
 */
static int read_plan(struct pv_far_client *far, char plan[PLAN_BYTES])
{
	struct pv_shell *shell = pv_far_shell(far);

	if (!shell)
		return -EOPNOTSUPP;
	int64_t n = pv_shell_read_text(shell, PLAN, plan, PLAN_BYTES);
	return n < 0 ? (int)n : 0;
}

/* Linux names the device of a host bridge by its node in the device tree: the address of the ECAM of its first bus. */
static void bridge_name(const struct pv_fabric_bridge *b, char name[32])
{
	snprintf(name, 32, "%" PRIx64 ".pcie", pv_fabric_bridge_ecam(b));
}

/* Finds the line of a host bridge, and the file that its name must be written to. */
static bool find_bridge(const char *plan, const char *name, char file[256])
{
	char got[32];

	for (const char *line = plan; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "bridge %255s %31s", file, got) == 2 && !strcmp(got, name))
			return true;
	return false;
}

/* ---- making a base snapshot ---- */

struct making {
	struct wanted wanted;
	const struct pv_snapshot_inputs *in;
	struct pv_fabric_peer fabric;
	struct pv_vm vm;
	int console, state; /* memfds */
	char ended[128];    /* what is known of QEMU's end */
};

static bool guest_runs(void *ctx)
{
	struct making *m = ctx;

	return pv_vm_runs(&m->vm, m->ended, sizeof(m->ended)) && pv_vm_trouble(&m->vm, 0) < PV_TROUBLE_OOPS;
}

static int64_t exchange(void *ctx, const void *request, size_t n, void *answer, size_t room)
{
	struct making *m = ctx;

	int64_t got = pv_fabric_exchange(&m->fabric, request, n, answer, room);
	if (got == -ECONNRESET)
		pv_vm_await_end(&m->vm, m->ended, sizeof(m->ended));
	return got;
}

static int start(struct making *m, struct pv_error *e)
{
	_autofree_ char *append = NULL;
	char console[32];
	struct pv_vm_conf conf = *m->in->conf;

	snprintf(console, sizeof(console), "/proc/self/fd/%d", m->console);
	if (asprintf(&append, "%s pcieval.saved", conf.append) < 0)
		return -ENOMEM;
	conf.append = append;
	conf.console = console;
	conf.seed = 1;
	conf.save_fd = m->state;
	int err = pv_vm_start(&m->vm, &conf, &m->fabric, NULL, e);
	m->fabric.hello = *m->in->hello;
	m->fabric.guest_runs = guest_runs;
	m->fabric.ctx = m;
	return err;
}

/* Checks that the guest's host bridges can be bound again. 0 or -EOPNOTSUPP. */
static int check(struct making *m, struct pv_far_client *far, struct pv_error *e)
{
	char plan[PLAN_BYTES], name[32], file[256];
	int err = read_plan(far, plan);

	if (err)
		return pv_error(e, -EOPNOTSUPP, "reading " PLAN " in the guest: %s", strerror(-err));
	for (uint32_t i = 0; i < m->in->hello->bridges; i++) {
		bridge_name(&m->in->hello->bridge[i], name);
		if (!find_bridge(plan, name, file))
			return pv_error(
				e, -EOPNOTSUPP,
				"its kernel has no driver that lets go of the host bridge %s and takes it again", name);
	}
	return 0;
}

static int boot(struct making *m, struct pv_error *e)
{
	struct pv_far_client *far;
	char ready[8];
	int err = start(m, e);

	if (err)
		return err;
	int64_t n = exchange(m, NULL, 0, ready, sizeof(ready));
	if (n)
		return n < 0 ? (int)n : -EPROTO;
	err = pv_far_connect(&far, exchange, m, e);
	if (err)
		return err;
	err = check(m, far, e);
	pv_far_close(far);
	return err;
}

static int save(struct making *m, const char *path, struct pv_error *e)
{
	_autofree_ void *state = NULL, *console = NULL;
	size_t state_bytes = 0, console_bytes = 0;
	int err = pv_fabric_save(&m->fabric);

	if (!err)
		err = read_memfd(m->state, &state, &state_bytes);
	if (!err)
		err = read_memfd(m->console, &console, &console_bytes);
	if (err)
		return err;
	if (pv_vm_trouble(&m->vm, 0) != PV_TROUBLE_NONE)
		return pv_error(e, -EOPNOTSUPP, "its kernel complains while it boots");
	return pv_snapshot_file_write(path,
				      &(struct pv_snapshot_parts){m->wanted.key, state, state_bytes, console,
								  console_bytes, m->fabric.ram.fd,
								  m->in->conf->ram_bytes},
				      e);
}

static int make(void *ctx, const char *path, struct pv_error *e)
{
	struct making *m = ctx;
	struct pv_error why = {0};

	m->fabric = (struct pv_fabric_peer){.fd = -1, .ram.fd = -1, .window.fd = -1};
	m->vm = PV_VM_NONE;
	_autoclose_ int console = memfd_create("pcieval-console", MFD_CLOEXEC);
	_autoclose_ int state = memfd_create("pcieval-state", MFD_CLOEXEC);
	m->console = console;
	m->state = state;
	int err = console < 0 || state < 0 ? -errno : boot(m, &why);
	if (!err)
		err = save(m, path, &why);
	if (err == -EOPNOTSUPP)
		err = write_text(path, m->wanted.key, why.text, &why);
	pv_fabric_close(&m->fabric);
	pv_vm_end(&m->vm);
	if (err)
		return pv_error(e, err, "saving a machine: %s%s%s", why.code ? why.text : strerror(-err),
				*m->ended ? "; " : "", m->ended);
	return 0;
}

int pv_snapshot_base_get(const struct pv_snapshot_inputs *in, const char *key, struct pv_snapshot_file *out,
			 struct pv_error *e)
{
	_autofree_ struct making *m = calloc(1, sizeof(*m));

	if (!m)
		return pv_error(e, -ENOMEM, "saved machine: no memory");
	*m = (struct making){.wanted = {key, out}, .in = in};
	int err = get(in->folder, key, &(struct pv_cache_user){m, use, make}, e);
	if (err || out->state_bytes)
		return err;
	pv_error(e, -EOPNOTSUPP, "%.*s", (int)out->console_bytes, out->console);
	pv_snapshot_file_close(out);
	return -EOPNOTSUPP;
}

/* ---- continuing from a base snapshot ---- */

static int bind_bridge(struct pv_shell *shell, const char *plan, const struct pv_fabric_bridge *b, struct pv_error *e)
{
	char name[32], file[256];

	bridge_name(b, name);
	if (!find_bridge(plan, name, file))
		return pv_error(e, -ENODEV, "the saved machine has no host bridge %s", name);
	int err = pv_shell_write_text(shell, file, name);
	return err ? pv_error(e, err, "host bridge %s: writing its name to %s: %s", name, file, pv_errno_name(err)) : 0;
}

static int load_module(struct pv_shell *shell, char *line, struct pv_error *e)
{
	char *path = line + strlen("module "), *arguments = strchr(path, ' ');

	if (arguments)
		*arguments++ = 0;
	int err = shell->ops->module_load(shell, path, arguments ? arguments : "");
	return err ? pv_error(e, err == -ECONNRESET ? err : -EIO, "boot: module %s is not loaded: %s", path,
			      strerror(-err))
		   : 0;
}

int pv_snapshot_base_continue(struct pv_far_client *far, const struct pv_fabric_hello *hello, struct pv_error *e)
{
	struct pv_shell *shell = pv_far_shell(far);
	char plan[PLAN_BYTES], *save = NULL;
	int err = read_plan(far, plan);

	if (err)
		return pv_error(e, err, "reading " PLAN " in the guest: %s", pv_errno_name(err));
	for (uint32_t i = 0; i < hello->bridges; i++) {
		err = bind_bridge(shell, plan, &hello->bridge[i], e);
		if (err)
			return err;
	}
	for (char *line = strtok_r(plan, "\n", &save); line && !err; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, "module ", 7))
			err = load_module(shell, line, e);
	return err;
}

/* ---- topology snapshots ---- */

struct finding {
	struct wanted wanted;
	bool made;
};

static int leave_note(void *ctx, const char *path, struct pv_error *e)
{
	struct finding *f = ctx;

	f->made = true;
	return write_text(path, f->wanted.key, SEEN, e);
}

static bool is_note(const struct pv_snapshot_file *s)
{
	return s->console_bytes == strlen(SEEN) && !memcmp(s->console, SEEN, s->console_bytes);
}

enum pv_snapshot_topology pv_snapshot_topology_find(const char *folder, const char *key, struct pv_snapshot_file *out)
{
	struct finding f = {{key, out}};

	*out = (struct pv_snapshot_file){.fd = -1};
	if (get(folder, key, &(struct pv_cache_user){&f, use, leave_note}, NULL))
		return PV_SNAPSHOT_NEVER;
	if (out->state_bytes)
		return PV_SNAPSHOT_FOUND;
	bool note = is_note(out);
	pv_snapshot_file_close(out);
	return f.made ? PV_SNAPSHOT_NEW : note ? PV_SNAPSHOT_SEEN : PV_SNAPSHOT_NEVER;
}

bool pv_snapshot_topology_log(const struct pv_snapshot_file *s, const struct pv_mmio_access **at, size_t *n)
{
	*at = s->log;
	*n = s->log_bytes / sizeof(**at);
	return *n && s->log_bytes % sizeof(**at) == 0;
}

struct replacing {
	const struct pv_snapshot_parts *parts;
	bool written;
};

/* Rejects the file that is there, the note: the cache makes it again. */
static bool is_written(void *ctx, int fd)
{
	close(fd);
	return ((struct replacing *)ctx)->written;
}

static int write_parts(void *ctx, const char *path, struct pv_error *e)
{
	struct replacing *r = ctx;

	r->written = true;
	return pv_snapshot_file_write(path, r->parts, e);
}

static int replace(const char *folder, const struct pv_snapshot_parts *parts, struct pv_error *e)
{
	struct replacing r = {.parts = parts};

	return get(folder, parts->key, &(struct pv_cache_user){&r, is_written, write_parts}, e);
}

int pv_snapshot_topology_save(const char *folder, const char *key, const struct pv_snapshot_guest *g,
			      struct pv_error *e)
{
	_autofree_ void *state = NULL, *console = NULL;
	struct pv_snapshot_parts p = {
		.key = key,
		.ram_fd = g->ram_fd,
		.ram_bytes = g->ram_bytes,
		.base = g->base,
		.log = g->log->at,
		.log_bytes = g->log->n * sizeof(*g->log->at),
	};
	int err = read_memfd(g->state_fd, &state, &p.state_bytes);

	if (!err)
		err = read_memfd(g->console_fd, &console, &p.console_bytes);
	if (err)
		return pv_error(e, err, "saving a machine: %s", strerror(-err));
	p.state = state;
	p.console = console;
	return replace(folder, &p, e);
}

void pv_snapshot_topology_refuse(const char *folder, const char *key, const char *why)
{
	replace(folder, &(struct pv_snapshot_parts){.key = key, .console = why, .console_bytes = strlen(why)}, NULL);
}
