/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval-far: the driver, machine and shell of the Linux that it runs on, for a pcieval elsewhere. Static, with libc
 * and libperf only; sources.txt lists its sources.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/qemu/fabric.h"
#include "framework/far/frames.h"
#include "framework/far/mailbox.h"
#include "framework/far/server.h"
#include "framework/linux/linux.h"
#include "framework/linux/undo.h"
#include "framework/vfio/reference.h"
#include "framework/vfio/restore.h"

#define AUX_MAX	   (32u << 20)
#define BUSY_TRIES 80 /* of 100 ms */
#define WAITING_S  10

static const char usage[] =
	"Usage: pcieval-far [--mailbox[=ADDRESS]] [--read-only|--undo] [--allow-exec]\n"
	"                   [--allow-unbind] [--root FOLDER]\n"
	"       pcieval-far --dump|--environment|--hold [--wait] [--root FOLDER]\n"
	"Serves the drivers of this Linux to a pcieval at the other end: of standard input and output, or of\n"
	"the mailbox of a pcieval-fabric device (at its usual address). --read-only: refuses every\n"
	"request that changes the machine for longer than the session. --root: where /sys and /dev are.\n"
	"--undo: as --read-only, but attributes and configuration space may be written; what they were is in\n"
	"run/pcieval/undo, and is put back in the end, or by the next one. --hold: keeps others away from\n"
	"this machine until standard input ends; --wait: once others have let it go. --dump: prints\n"
	"configuration space, as lspci -xxxx does.\n"
	"--allow-exec: programs may be run even so. --allow-unbind: with --undo, the bundled reference driver\n"
	"may take functions from the kernel's drivers.\n"
	"--environment: prints the kernel, drivers, functions and so on of this machine, for reports.\n";

_Static_assert(PV_FABRIC_WINDOW_MAX <= PV_FAR_MESSAGE_MAX, "a message from the window has room");

struct options {
	const char *root;
	bool mailbox;
	int read_only, undo, dump, environment, hold, wait, execute, unbind; /* flags of getopt_long() */
	uint64_t page;
};

static int complain(const struct pv_error *e)
{
	fprintf(stderr, "pcieval-far: %s\n", e->text);
	return PV_EXIT_UNJUDGED;
}

/* ---- the two ways to get requests ---- */

enum { SESSION_ENDED = 8 }; /* exit status of a session after which another may follow */

/* Until an empty request, or until the other end closes its stream. */
static int serve_streams(struct pv_far_server *s, uint8_t *request, uint8_t *answer)
{
	const struct pv_frames f = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .timeout_ms = -1};
	struct pv_error e = {0};

	for (;;) {
		int64_t n = pv_frames_read(&f, request, PV_FAR_MESSAGE_MAX);
		int err;

		if (!n)
			return SESSION_ENDED;
		if (n == -EPIPE)
			return PV_EXIT_PASSED;
		if (n < 0)
			pv_error(&e, (int)n, "reading a request: %s", strerror((int)-n));
		err = n < 0 ? (int)n
			    : pv_frames_write(&f, answer,
					      pv_far_serve(s, request, (size_t)n, answer, PV_FAR_MESSAGE_MAX));
		if (n >= 0 && err)
			pv_error(&e, err, "writing an answer: %s", strerror(-err));
		if (err)
			return complain(&e);
	}
}

/* Until an empty request. */
static int serve_mailbox(struct pv_far_server *s, uint64_t page, uint8_t *request, uint8_t *answer)
{
	struct pv_mailbox m;
	struct pv_error e = {0};
	size_t answered = 0;
	int64_t n;

	if (pv_mailbox_open(&m, page, &e))
		return complain(&e);
	while ((n = pv_mailbox_exchange(&m, answer, answered, request)) > 0)
		answered = pv_far_serve(s, request, (size_t)n, answer, m.window_bytes);
	pv_mailbox_close(&m);
	if (n)
		pv_error(&e, (int)n, "reading a request: %s", strerror((int)-n));
	return n ? complain(&e) : PV_EXIT_PASSED;
}

/* ---- setting up ---- */

static int serve(const struct options *o, struct pv_far_server *s)
{
	uint8_t *request = malloc(PV_FAR_MESSAGE_MAX), *answer = malloc(PV_FAR_MESSAGE_MAX);
	struct pv_error e = {.text = "no memory"};
	int status;

	if (!s || !request || !answer)
		status = complain(&e);
	else
		status = o->mailbox ? serve_mailbox(s, o->page, request, answer) : serve_streams(s, request, answer);
	free(request);
	free(answer);
	return status;
}

/* ---- the reference driver ---- */

struct reference {
	struct pv_linux *l;
	struct pv_vfio_reference *r; /* NULL: not created yet */
};

static int boot_reference(void *ctx, enum pv_mps_policy policy, const pv_bdf *functions, size_t n,
			  struct pv_driver **driver, struct pv_machine **machine, struct pv_error *e)
{
	struct reference *r = ctx;
	int err = pv_vfio_reference_boot(&r->r, r->l, policy, functions, n, e);

	if (err)
		return err;
	*driver = pv_vfio_reference_driver(r->r);
	*machine = pv_vfio_reference_machine(r->r);
	return 0;
}

static void end_reference(void *ctx)
{
	struct reference *r = ctx;

	pv_vfio_reference_end(r->r);
	r->r = NULL;
}

static int serve_linux(const struct options *o, struct pv_linux *l)
{
	struct reference r = {.l = l};
	struct pv_far_server *s;
	struct utsname name;
	char system[256];
	int status;

	/* Otherwise every wait is 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
	uname(&name);
	snprintf(system, sizeof(system), "%s %s %s", name.sysname, name.release, name.machine);
	s = pv_far_server_new(&(struct pv_far_tables){.driver = pv_linux_driver(l),
						      .machine = pv_linux_machine(l),
						      .shell = pv_linux_shell(l),
						      .system = system,
						      .read_only = o->read_only || o->undo,
						      .undoes = o->undo,
						      .executes = o->execute,
						      .unbinds = o->unbind,
						      .reference = {&r, boot_reference, end_reference},
						      .aux_max = AUX_MAX});
	pv_linux_serve(l, o->mailbox ? -1 : STDIN_FILENO);
	status = serve(o, s);
	pv_far_server_free(s);
	return status;
}

/* ---- sessions ---- */

static volatile sig_atomic_t server; /* process id; 0: none */
static volatile sig_atomic_t told_to_end;

static void pass_on(int signal)
{
	told_to_end = 1;
	if (server > 0)
		kill((pid_t)server, signal);
}

static void watch_signals(void (*handler)(int))
{
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

/* Signals wait until each process knows what to do with them. */
static pid_t fork_server(const struct options *o, struct pv_linux *l)
{
	pid_t parent = getpid();
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	watch_signals(pass_on);
	pid_t pid = told_to_end ? -1 : fork();
	if (!pid) {
		watch_signals(SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			raise(SIGTERM);
		sigprocmask(SIG_SETMASK, &before, NULL);
		_exit(serve_linux(o, l));
	}
	server = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* The server is a process of its own: it leaves nothing open, and its parent restores its changes, however it ends. */
static int serve_apart(const struct options *o, struct pv_linux *l)
{
	int status = 0;
	pid_t pid = fork_server(o, l);

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	server = 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : PV_EXIT_UNJUDGED;
}

/*
 * An earlier far side may be restoring just now: of a run that was killed, or of the previous case, whose session did
 * not end properly.
 */
static int in_time(int (*put_back)(struct pv_linux *l, struct pv_error *e), struct pv_linux *l, struct pv_error *e)
{
	const struct timespec step = {.tv_nsec = 100000000};
	int err;

	for (int tries = 0; (err = put_back(l, e)) == -EBUSY && tries < BUSY_TRIES; tries++)
		nanosleep(&step, NULL);
	return err;
}

/* `l` is new: older records in its log do not belong to the session. */
static int serve_session(const struct options *o, struct pv_linux *l)
{
	struct pv_error e = {0};

	if (o->undo && in_time(pv_restore_begin, l, &e))
		return complain(&e);
	int status = serve_apart(o, l);
	int err = o->execute ? pv_linux_end_programs(l, &e) : 0;
	return pv_restore_end(l, &e) || err ? complain(&e) : status;
}

/* ---- one run at a time ---- */

/* Ends programs and restores changes that an earlier run left behind. */
static int put_back_left(struct pv_linux *l, struct pv_error *e)
{
	int err = pv_linux_end_programs(l, e);

	if (!err && pv_linux_has_undo(l))
		err = pv_restore_begin(l, e);
	return err ? err : pv_restore_end(l, e);
}

/* Says every 10 s that it waits, and ends with its standard input. */
static int lock_in_turn(struct pv_linux *l, bool wait, struct pv_error *e)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	int err;

	for (unsigned s = 0; (err = pv_linux_lock(l, e)) == -EBUSY && wait; s++) {
		if (s % WAITING_S == 0 && (puts("waiting") < 0 || fflush(stdout)))
			return err;
		if (poll(&input, 1, 1000) > 0)
			return err;
	}
	return err;
}

/* The kernel releases the lock, however this process ends. */
static int hold(struct pv_linux *l, bool wait)
{
	struct pv_error e = {0};
	char byte;
	int err = lock_in_turn(l, wait, &e);

	if (!err)
		err = in_time(put_back_left, l, &e);
	if (err)
		return complain(&e);
	puts("held");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return in_time(put_back_left, l, &e) ? complain(&e) : PV_EXIT_PASSED;
}

static int print(struct pv_linux *l, int (*fn)(struct pv_linux *l, FILE *out), const char *what)
{
	struct pv_error e = {0};
	int err = fn(l, stdout);

	if (err)
		pv_error(&e, err, "printing %s: %s", what, strerror(-err));
	return err ? complain(&e) : PV_EXIT_PASSED;
}

static int do_what_is_asked(const struct options *o, struct pv_linux *l)
{
	if (o->dump)
		return print(l, pv_linux_dump, "configuration space");
	if (o->environment)
		return print(l, pv_linux_environment, "the environment");
	if (o->hold)
		return hold(l, o->wait);
	return o->mailbox ? serve_linux(o, l) : serve_session(o, l);
}

static int start_one(const struct options *o)
{
	struct pv_error e = {0};
	struct pv_linux *l;
	int status;

	if (pv_linux_open(&l, o->root, &e))
		return complain(&e);
	status = do_what_is_asked(o, l);
	pv_linux_close(l);
	return status;
}

/* The empty answer to the empty request: the session has ended, and everything is restored. */
static int start(const struct options *o)
{
	const struct pv_frames f = {.out = STDOUT_FILENO};
	int status;

	while ((status = start_one(o)) == SESSION_ENDED && !told_to_end)
		if (pv_frames_write(&f, NULL, 0))
			return PV_EXIT_UNJUDGED;
	return status;
}

static bool read_address(const char *text, uint64_t *page)
{
	char *end;

	errno = 0;
	*page = strtoull(text, &end, 0);
	return !errno && end != text && !*end && *page % 4096 == 0;
}

int main(int argc, char **argv)
{
	static struct options o = {.root = ""};
	static const struct option options[] = {{"mailbox", optional_argument, NULL, 'm'},
						{"root", required_argument, NULL, 'r'},
						{"dump", no_argument, &o.dump, 1},
						{"allow-exec", no_argument, &o.execute, 1},
						{"allow-unbind", no_argument, &o.unbind, 1},
						{"environment", no_argument, &o.environment, 1},
						{"read-only", no_argument, &o.read_only, 1},
						{"undo", no_argument, &o.undo, 1},
						{"hold", no_argument, &o.hold, 1},
						{"wait", no_argument, &o.wait, 1},
						{"help", no_argument, NULL, 'h'},
						{"version", no_argument, NULL, 'V'},
						{NULL, 0, NULL, 0}};

	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		switch (c) {
		case 0: /* a flag, which is set */
			break;
		case 'm':
			o.mailbox = true;
			o.page = PV_FABRIC_MAILBOX;
			if (!optarg || read_address(optarg, &o.page))
				break;
			fprintf(stderr, "pcieval-far: --mailbox: expected the address of a page, got %s\n", optarg);
			return PV_EXIT_USAGE;
		case 'r':
			o.root = optarg;
			break;
		case 'h':
			return printf("%s", usage) < 0;
		case 'V':
			return printf("pcieval-far %s, protocol %u\n", PCIEVAL_VERSION, PV_FAR_VERSION) < 0;
		default:
			fprintf(stderr, "%s", usage);
			return PV_EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "pcieval-far: unexpected %s\n%s", argv[optind], usage);
		return PV_EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* a parent may have ignored it: the server's status would be lost */
	return start(&o);
}
