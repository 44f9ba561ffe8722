/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the machine of a run, here or through ssh, and compares it with each plan. */
#include "framework/board/connect.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/connect_internal.h"
#include "framework/board/facts.h"
#include "framework/board/match.h"
#include "framework/far/protocol.h"
#include "framework/target/environment.h"
#include "framework/util/cleanup.h"
#include "framework/util/clock.h"
#include "framework/util/json.h"
#include "framework/util/share.h"
#include "framework/util/spawn.h"
#include "framework/util/utf8.h"

#define HOLDER_MS  10000 /* time to restore changes of an earlier run */
#define DUMP_MS	   30000
#define DUMP_MAX   (64u << 20) /* bytes; 5000 functions fit */
#define ANSWER_MS  10000
#define GOODBYE_MS 2000
#define SILENT_S   60	  /* time to restart for the coordinator of labgrid */
#define REBOOT_MS  900000 /* time to return for a board that somebody else reboots while it is waited for */
#define AGAIN_S	   5	  /* between two attempts to connect */
#define LATER_S	   20	  /* the run that reboots a board has it again before a run that waits: it tries every 12 s */

/* ---- the far-side program ---- */

/* Finds the far-side program for `machine`, a name as printed by uname -m. */
static char *find_program(const char *machine, struct pv_error *e)
{
	const char *given = getenv("PCIEVAL_FAR");
	struct utsname here;
	char name[64];

	if (given && *given && access(given, X_OK)) {
		pv_error(e, -errno, "PCIEVAL_FAR=%s: expected a program, got %s", given, strerror(errno));
		return NULL;
	}
	uname(&here);
	bool foreign = strcmp(here.machine, machine);
	snprintf(name, sizeof(name), "pcieval-far%s%s", foreign ? "-" : "", foreign ? machine : "");
	char *path = given && *given ? strdup(given) : pv_share_program(name);
	if (path)
		return path;
	if (foreign)
		pv_error(e, -ENOENT,
			 "expected pcieval-far-%s beside pcieval, got none: `framework/far/build %s-linux-gnu "
			 "build/pcieval-far-%s` makes it",
			 machine, machine, machine);
	else
		pv_error(e, -ENOENT,
			 "expected pcieval-far beside pcieval, got none: run ci/libperf, then `meson setup "
			 "--reconfigure` and build, or say with PCIEVAL_FAR where it is");
	return NULL;
}

/* ---- the machine's environment ---- */

/* Reads to the end of fd into `text`, which must be zeroed. False: the text is too long, or does not end in time. */
static bool read_all(int fd, char *text)
{
	int64_t end = pv_now_ms() + ANSWER_MS, left;

	for (size_t n = 0; n < PV_ENVIRONMENT_MAX - 1 && (left = end - pv_now_ms()) > 0;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		ssize_t got = read(fd, text + n, PV_ENVIRONMENT_MAX - 1 - n);
		if (got <= 0)
			return !got;
		n += (size_t)got;
	}
	return false;
}

static json_object *complain(const char *why)
{
	json_object *o = json_object_new_object();
	char text[300];

	pv_utf8_print(text, sizeof(text), "not readable: %s", why);
	pv_json_string(o, PV_FACTS_UNKNOWN, text);
	return o;
}

/*
 * Runs `pcieval-far --environment` here or over ssh, for 10 s at most. A failure does not fail the run: the fact
 * PV_FACTS_UNKNOWN gives the reason. NULL: no memory.
 */
static json_object *ask(const char *const *command)
{
	_autofree_ char *text = calloc(1, PV_ENVIRONMENT_MAX);
	char ended[64], why[128];
	struct pv_child child;
	struct pv_error e;

	if (!text)
		return NULL;
	if (pv_child_start(&child, command, PV_CHILD_OWN_GROUP, -1, &e))
		return complain(e.text);
	/* The program reads nothing; if it does, it sees the end of its input. */
	close(child.in);
	child.in = -1;
	bool whole = read_all(child.out, text);
	pv_spawn_status(pv_child_end(&child, whole ? GOODBYE_MS : 0), ended, sizeof(ended));
	json_object *o = whole ? pv_environment_parse(text) : NULL;
	snprintf(why, sizeof(why), "pcieval-far --environment said nothing of use: %s", ended);
	return o ? o : complain(why);
}

/* ---- the far side for the cases ---- */

static json_object *workload_object(const struct pv_board_workload *w)
{
	json_object *o = json_object_new_object(), *words = json_object_new_array();

	for (char **word = w->words; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	pv_json_string(o, "from", w->from);
	pv_json_string(o, "to", w->to);
	json_object_object_add(o, "command", words);
	pv_json_string(o, "counts", w->counts);
	pv_json_int(o, "timeout_s", w->timeout_s);
	return o;
}

static void add_workloads(struct pv_board *b)
{
	const struct pv_board_description *d = &b->description;
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->n_workloads; i++)
		json_object_array_add(list, workload_object(&d->workloads[i]));
	json_object_object_add(b->far, "workloads", list);
	pv_json_bool(b->far, "exec", b->exec);
	json_object_object_add(b->far, "tolerance", json_object_new_double(d->tolerance));
}

static void open_line(struct pv_board *b, const char *const *command)
{
	pv_line_init(&b->line, command);
	b->far = json_object_new_object();
	if (b->description.writes)
		pv_json_bool(b->far, "writes", true);
	pv_json_string(b->far, "mps_policy", pv_facts_said(b->environment, PV_FACTS_POLICY));
	add_workloads(b);
	if (b->description.ptt_tick_hz > 0)
		json_object_object_add(b->far, "ptt_tick_hz", json_object_new_double(b->description.ptt_tick_hz));
	if (b->description.tap)
		pv_json_string(b->far, "tap", b->description.tap);
}

/* Notes the functions that have other BDFs than in the plans, and the bus numbers of bridges there. */
static void find_places(struct pv_board *b)
{
	for (size_t i = 0; i < b->description.n_devices; i++) {
		const struct pv_board_device *d = &b->description.devices[i];
		const struct pv_pci_func *f = pv_board_find(b->machine, d->is);
		struct pv_board_place *p = &b->places.place[b->places.n++];

		*p = (struct pv_board_place){.device = *d, .bridge = f && f->is_bridge};
		if (p->bridge) {
			p->secondary = (uint8_t)pv_pci_get(f, PCI_SECONDARY_BUS, 1);
			p->subordinate = (uint8_t)pv_pci_get(f, PCI_SUBORDINATE_BUS, 1);
		}
	}
}

/* Returns the option of the far side that permits or forbids changes. */
static const char *way_of(const struct pv_board *b)
{
	return b->description.writes || b->unbind ? "--undo" : "--read-only";
}

/* Prints once that the run waits. */
static void say_waiting(void *board)
{
	struct pv_board *b = board;

	if (!b->waits)
		fprintf(stderr, "pcieval: --target %s: waiting for others to let it go\n", b->target);
	b->waits = b->waiting = true;
}

static int hold_local(struct pv_board *b, struct pv_error *e)
{
	const char *const words[] = {b->program, "--hold", b->wait ? "--wait" : "--hold", b->root ? "--root" : NULL,
				     b->root,	 NULL};
	char line[12] = "";
	int err = pv_child_start(&b->holder, words, PV_CHILD_OWN_GROUP, -1, e);
	_autofclose_ FILE *f = err ? NULL : fdopen(dup(b->holder.out), "r");

	while (f && fgets(line, sizeof(line), f) && !strcmp(line, "waiting\n"))
		say_waiting(b);
	if (err || !strcmp(line, "held\n"))
		return err;
	return pv_error(e, -EBUSY, "--target local: the machine cannot be held; pcieval-far said why above");
}

static int open_local_line(struct pv_board *b, struct pv_error *e)
{
	struct utsname here;
	size_t n = 2;

	if (!b->program && !uname(&here))
		b->program = find_program(here.machine, e);
	if (!b->program)
		return e->code;
	b->words[0] = b->program;
	b->words[1] = way_of(b);
	if (b->exec)
		b->words[n++] = "--allow-exec";
	if (b->unbind)
		b->words[n++] = "--allow-unbind";
	if (b->root) {
		b->words[n++] = "--root";
		b->words[n++] = b->root;
	}
	open_line(b, b->words);
	return 0;
}

/* ---- this machine ---- */

/* Without the program nothing can run, but lacking functions can be reported. */
static void find_local_program(struct pv_board *b)
{
	struct pv_error none = {0};
	struct utsname here;

	if (uname(&here))
		return;
	snprintf(b->release, sizeof(b->release), "%.63s", here.release);
	b->program = find_program(here.machine, &none);
}

static void ask_local(struct pv_board *b)
{
	const char *const words[] = {b->program, "--environment", b->root ? "--root" : NULL, b->root, NULL};

	if (b->program)
		b->environment = ask(words);
}

static int open_local(struct pv_board *b, struct pv_error *e)
{
	_autofree_ char *tree = NULL;

	if (b->root && asprintf(&tree, "%s/sys/bus/pci", b->root) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	find_local_program(b);
	/* An earlier run may have left changes, or another one may still make some. */
	bool hold = b->runs && b->program && !access(tree ? tree : "/sys/bus/pci", F_OK);
	int err = hold ? hold_local(b, e) : 0;
	if (err)
		return err;
	b->machine = pv_pci_machine_open(PV_PCI_SYSFS, tree, e);
	if (!b->machine)
		return pv_error_context(e, "--target local: ");
	find_places(b);
	ask_local(b);
	return 0;
}

/* ---- a board ---- */

/* Sets the program's options. The remote shell splits them into words. */
static int set_options(struct pv_board *b, const char *what, struct pv_error *e)
{
	if (b->root && !pv_ssh_is_plain(b->root))
		return pv_error(e, -EINVAL,
				"--root: expected a path without characters that a shell heeds, got '%.100s'", b->root);
	if (snprintf(b->options, sizeof(b->options), "%s%s%s", what, b->root ? " --root " : "",
		     b->root ? b->root : "") >= (int)sizeof(b->options))
		return pv_error(e, -ENAMETOOLONG, "--root: expected a shorter path, got '%.100s'", b->root);
	return 0;
}

/* Reads the board's configuration space as a dump, with libpci like that of any machine. */
static int read_board(struct pv_board *b, struct pv_error *e)
{
	_autoclose_ int fd = memfd_create("board", MFD_CLOEXEC);
	_autofclose_ FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	char path[40];

	if (!f)
		return pv_error(e, -errno, "no place for a dump: %s", strerror(errno));
	int err = set_options(b, "--dump", e);
	if (!err)
		err = pv_ssh_output(&b->ssh, b->options, f, DUMP_MAX, DUMP_MS, e);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	b->machine = pv_pci_machine_open(PV_PCI_DUMP, path, e);
	if (!b->machine)
		return pv_error_context(e, "configuration space of %s: ", b->ssh.host);
	find_places(b);
	return 0;
}

static int install(struct pv_board *b, struct pv_error *e)
{
	char version[64];
	int err = pv_ssh_open(&b->ssh, b->host, b->timeout_scale, e);

	if (!err && !b->program)
		b->program = find_program(b->ssh.machine, e);
	snprintf(version, sizeof(version), "pcieval-far %s, protocol %u", PCIEVAL_VERSION, PV_FAR_VERSION);
	if (!err)
		err = b->program ? pv_ssh_install(&b->ssh, b->program, version, e) : e->code;
	return err;
}

static int hold(struct pv_board *b, struct pv_error *e)
{
	int err = set_options(b, b->wait && !b->far ? "--hold --wait" : "--hold", e);

	b->waiting = false;
	return err ? err : pv_ssh_hold(&b->ssh, b->options, say_waiting, b, e);
}

/*
 * Installs the program, and reserves the board, which restores changes of an earlier run or connection. The run that is
 * waited for may reboot the board: a connection that is lost while it waits is opened again.
 */
static int connect_board(struct pv_board *b, struct pv_error *e)
{
	const struct timespec nap = {.tv_sec = AGAIN_S}, later = {.tv_sec = LATER_S};

	for (int64_t end = 0;;) {
		int err = install(b, e);
		bool reached = !err;

		if (!err && end)
			nanosleep(&later, NULL);
		if (!err)
			err = hold(b, e);
		if (reached && err && b->waiting) {
			fprintf(stderr, "pcieval: %s; connecting again\n", e->text);
			end = pv_now_ms() + REBOOT_MS;
		} else if (!err || reached || pv_now_ms() >= end) {
			return err;
		}
		pv_ssh_close(&b->ssh);
		nanosleep(&nap, NULL);
		*e = (struct pv_error){0};
	}
}

/* Sets the command that starts the far side of the cases. */
static int set_way(struct pv_board *b, struct pv_error *e)
{
	char way[64];

	snprintf(way, sizeof(way), "%s%s%s", way_of(b), b->exec ? " --allow-exec" : "",
		 b->unbind ? " --allow-unbind" : "");
	return set_options(b, way, e);
}

int pv_board_reach(struct pv_board *b, struct pv_error *e)
{
	int err = connect_board(b, e);

	return err ? err : set_way(b, e);
}

/* ---- reading the machine ---- */

json_object *pv_board_ask(struct pv_board *b)
{
	struct pv_error e = {0};
	int err = set_options(b, "--environment", &e);
	json_object *o = err ? NULL : ask(pv_ssh_command(&b->ssh, b->options));

	set_way(b, &e);
	return o ? o : complain(e.text);
}

static int open_ssh(struct pv_board *b, const char *host, struct pv_error *e)
{
	b->host = host;
	int err = connect_board(b, e);

	/* Other errors are no reason to boot it: a wrong name, another user, a program that is missing. */
	if (err && err != -EINVAL && b->description.power.state && !*b->ssh.machine)
		err = pv_board_boot(b, e);
	snprintf(b->release, sizeof(b->release), "%s", b->ssh.release);
	if (!err)
		err = read_board(b, e);
	if (!err)
		b->environment = pv_board_ask(b);
	return err;
}

/* ---- both targets ---- */

bool pv_board_is_target(const char *target)
{
	return !strcmp(target, "local") || !strncmp(target, "ssh:", 4);
}

/* Acquires the labgrid place; other users may have it. */
static int acquire(struct pv_board *b, struct pv_error *e)
{
	const double scale = b->timeout_scale ? b->timeout_scale : 1;
	const struct pv_lab_wait wait = {
		.silent_s = scale < 1440 ? (unsigned)(SILENT_S * scale) : 86400, .say = say_waiting, .ctx = b};

	if (!b->description.acquire)
		return 0;
	int err = pv_lab_place_acquire(&b->place, &b->description, b->wait ? &wait : NULL, e);
	return err ? pv_error_context(e, "acquiring the board: ") : 0;
}

int pv_board_connect(struct pv_board *b, const char *target, struct pv_error *e)
{
	b->target = target;
	int err = acquire(b, e);
	if (err)
		return err;
	return strcmp(target, "local") ? open_ssh(b, target + strlen("ssh:"), e) : open_local(b, e);
}

int pv_board_start(struct pv_board *b, struct pv_error *e)
{
	if (!b->host)
		return open_local_line(b, e);
	int err = set_way(b, e);
	if (!err)
		open_line(b, pv_ssh_command(&b->ssh, b->options));
	if (!err)
		pv_board_prepare(b);
	return err;
}

void pv_board_close(struct pv_board *b)
{
	if (b->far)
		pv_line_close(&b->line);
	pv_lab_console_close(&b->console);
	if (b->ssh.host)
		pv_ssh_close(&b->ssh);
	if (b->holder.pid)
		pv_child_end(&b->holder, HOLDER_MS);
	pv_lab_place_release(&b->place);
	pv_pci_machine_free(b->machine);
	json_object_put(b->far);
	json_object_put(b->environment);
	free(b->program);
	free(b->found);
	free(b->crashes);
	json_object_put(b->bound);
	pv_arena_free(&b->reasons);
	pv_board_description_free(&b->description);
	*b = (struct pv_board){0};
}
