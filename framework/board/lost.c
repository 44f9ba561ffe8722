/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handles a lost board: reconnects, cycles its power, and collects the last messages of its kernel. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "framework/board/connect_internal.h"
#include "framework/board/kernel_log.h"
#include "framework/util/cleanup.h"
#include "framework/util/clock.h"

#define VERSION_MAX 4096
#define ANSWER_MS   10000
#define BOOT_MS	    120000 /* time to return for a board without <power> */
#define LATER_MS    30000  /* the same, for each case after one for which it did not return */
#define DRIVERS_MS  30000  /* time to load the drivers after a boot */
#define REPORT_LINE 200

/* ---- connecting again ---- */

/* Returns true if the board answers a request. */
static bool answers(struct pv_board *b)
{
	_autofree_ char *text = NULL;
	size_t n;
	struct pv_error none = {0};
	_autofclose_ FILE *f = open_memstream(&text, &n);

	return f && !pv_ssh_output(&b->ssh, "--version", f, VERSION_MAX, ANSWER_MS, &none);
}

/* Returns true if a signal to end the run is pending: the runner blocks these signals. */
static bool is_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
					 sigismember(&pending, SIGHUP) == 1);
}

/*
 * A board may come back with another kernel: the report names only the first. A driver may be loaded some seconds after
 * ssh answers, for which it has `ms`.
 */
static void compare(struct pv_board *b, unsigned ms)
{
	const struct timespec nap = {.tv_sec = 2};
	int64_t end = pv_now_ms() + ms;
	bool boots;

	for (;;) {
		json_object *now = pv_board_ask(b);

		pv_board_compare(b, now, &boots, b->other, sizeof(b->other));
		json_object_put(now);
		if (!boots || pv_now_ms() >= end || is_interrupted())
			return;
		nanosleep(&nap, NULL);
	}
}

/* Reconnects for up to `ms`, as the board may be booting; tries at least once. */
static int connect_again(struct pv_board *b, unsigned ms, struct pv_error *e)
{
	const struct timespec nap = {.tv_sec = 2};
	int64_t end = pv_now_ms() + ms;
	int err;

	for (;;) {
		*e = (struct pv_error){0};
		pv_child_stop(&b->line.child, 0);
		pv_ssh_close(&b->ssh);
		err = pv_board_reach(b, e);
		if (!err || pv_now_ms() >= end || is_interrupted())
			break;
		nanosleep(&nap, NULL);
	}
	b->lost = err;
	if (err)
		return err;
	b->answered_ms = pv_now_ms();
	if (b->environment)
		compare(b, DRIVERS_MS);
	b->line.command = pv_ssh_command(&b->ssh, b->options);
	b->doubtful = false;
	return 0;
}

/* ---- messages of its kernel ---- */

/* Returns everything that was printed during the case, here and on the board. The caller frees it; NULL: nothing. */
static char *collect(struct pv_board *b)
{
	_autofree_ char *console = pv_lab_console_text(&b->console);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (console)
		fprintf(f, "---- console of the board ----\n%s", console);
	if (!b->lost)
		pv_board_print_crashes(b, f);
	fclose(f);
	return text;
}

struct finding {
	char line[REPORT_LINE]; /* first line of the most serious report; "": none */
	bool kernel;		/* it names a driver under test, and the kernel survived */
};

static void take_report(void *ctx, const char *type, const char *text)
{
	struct finding *f = ctx;
	bool kernel = !strcmp(type, "kernel");

	if (*f->line && (f->kernel || !kernel))
		return;
	f->kernel = kernel;
	snprintf(f->line, sizeof(f->line), "%.*s", (int)strcspn(text, "\n"), text);
}

/*
 * Same rules as for target qemu: a driver's oops is a failure, a panic is an error, as the results of the case do not
 * count.
 */
static struct finding judge(const char *text)
{
	struct finding f = {0};
	char *notes = NULL;
	size_t n;
	FILE *out = open_memstream(&notes, &n);

	if (out) {
		pv_kernel_log_judge(text, strlen(text), NULL, false, take_report, &f, out);
		fclose(out);
	}
	free(notes);
	return f;
}

/* ---- recovery of the board ---- */

/* Commands of the lab need the user's permission; those of labgrid are built in. */
static bool may_run(const struct pv_board *b)
{
	return b->exec || b->description.acquire;
}

static bool has_power(const struct pv_board *b)
{
	return may_run(b) && (b->description.power.cycle || b->description.power.on);
}

/* Returns a sentence about commands of the lab that may not be run, behind `joint`; "": there are none. */
static const char *unused_lab(const struct pv_board *b, char out[96], const char *joint)
{
	bool power = b->description.power.cycle || b->description.power.on, console = b->description.console;
	const char *what = power && console ? "<power> and <console> are" : power ? "<power> is" : "<console> is";

	if (may_run(b) || (!power && !console))
		return "";
	snprintf(out, 96, "%s%s not used: give --allow-exec", joint, what);
	return out;
}

static bool has_lab(const struct pv_board *b)
{
	return has_power(b) || (may_run(b) && b->description.console);
}

/* Cycles the power, and connects within boot_s. *at: the time when the power was cycled; 0: it was not. 0 or *e. */
static int cycle(struct pv_board *b, int64_t *at, struct pv_error *e)
{
	const struct pv_board_power *p = &b->description.power;

	if (p->state)
		pv_lab_console_pause(&b->console);
	int err = is_interrupted() ? pv_error(e, -EINTR, "the run was interrupted") : pv_lab_cycle(p, e);
	*at = err ? 0 : pv_now_ms();
	return err ? err : connect_again(b, 1000 * p->boot_s, e);
}

int pv_board_boot(struct pv_board *b, struct pv_error *e)
{
	const char *state = b->description.power.state;
	int64_t at;

	fprintf(stderr, "pcieval: run: --target %s does not answer; labgrid brings it into state %s\n", b->target,
		state);
	pv_lab_place_end_off(&b->place);
	int err = cycle(b, &at, e);
	return err ? pv_error_context(e, "bringing the board into state %s: ", state) : 0;
}

/*
 * Waits until the board returns by itself, as with panic=10, then cycles its power. *how: description of what was done.
 */
static void bring_back(struct pv_board *b, char *how, size_t size)
{
	const struct pv_board_power *p = &b->description.power;
	struct pv_error e = {0};
	int64_t begin = pv_now_ms();
	int err = connect_again(b, 1000 * p->after_s, &e);

	if (!err) {
		snprintf(how, size, "the machine answered again after %d s%s%s", (int)((b->answered_ms - begin) / 1000),
			 *b->other ? "; " : "", b->other);
		return;
	}
	err = cycle(b, &begin, &e);
	if (!begin)
		snprintf(how, size, "power was not cycled: %.400s", e.text);
	else if (err)
		snprintf(how, size, "power was cycled, and the machine did not answer within %u s: %.300s", p->boot_s,
			 e.text);
	else
		snprintf(how, size, "power was cycled, and the machine answered after %d s%s%s",
			 (int)((b->answered_ms - begin) / 1000), *b->other ? "; " : "", b->other);
}

static void append(char **said, const char *text)
{
	char *all = NULL;

	if (asprintf(&all, "%s%s", *said ? *said : "", text) < 0)
		return;
	free(*said);
	*said = all;
}

/* The lab's commands may not be run: says so in the error of a board that does not answer. */
static void note_unused(struct pv_board *b, struct pv_error *e)
{
	char was[sizeof(e->text)], unused[96];
	const char *text = unused_lab(b, unused, "; ");

	memcpy(was, e->text, sizeof(was));
	if (*text)
		pv_error(e, e->code, "%.900s%s", was, text);
}

/* ---- a case ---- */

/* Keeps what is found out between two cases for the log of the next. */
static void note_found(struct pv_board *b, const char *how)
{
	_autofree_ char *text = collect(b);
	struct finding f = text ? judge(text) : (struct finding){0};

	if (text && *text)
		append(&b->found, text);
	fprintf(stderr, "pcieval: run: --target %s was lost between two cases: %s%s%s\n", b->target, how,
		*f.line ? "; its kernel printed: " : "", f.line);
}

/* After a failed attempt each further case waits only a little, but not so little that all cases are over at once. */
static int connect_for_case(struct pv_board *b, struct pv_error *e)
{
	char how[1024];
	int err;

	if (b->lost || !has_power(b)) {
		err = connect_again(b, b->lost ? LATER_MS : BOOT_MS, e);
	} else {
		bring_back(b, how, sizeof(how));
		note_found(b, how);
		err = b->lost ? pv_error(e, -ENOTCONN, "%s", how) : 0;
	}
	if (!err)
		return 0;
	note_unused(b, e);
	return pv_error_context(e, "the connection was lost, and there is no other: ");
}

int pv_board_begin(void *board, int fds[2], struct pv_error *e)
{
	struct pv_board *b = board;
	bool good = !b->host || (!b->lost && pv_ssh_is_connected(&b->ssh));

	if (good && b->doubtful)
		good = answers(b);
	if (good && *b->other)
		compare(b, 0);
	if (b->host)
		b->line.command = pv_ssh_command(&b->ssh, b->options);
	b->doubtful = false;
	int err = good ? 0 : connect_for_case(b, e);
	if (!err && *b->other)
		err = pv_error(e, -ESTALE, "%s", b->other);
	if (!err)
		pv_lab_console_begin(&b->console);
	return err ? err : pv_line_begin(&b->line, fds, e);
}

static void rescue(struct pv_board *b, char **said, bool *kernel, struct pv_error *e)
{
	char how[1024], was[sizeof(e->text)];

	bring_back(b, how, sizeof(how));
	_autofree_ char *text = collect(b);
	struct finding f = text ? judge(text) : (struct finding){0};
	if (text && *text)
		append(said, text);
	*kernel = f.kernel;
	memcpy(was, e->text, sizeof(was));
	if (f.kernel)
		pv_error(e, e->code, "%s; the machine did not answer any more; %s", f.line, how);
	else if (*f.line)
		pv_error(e, e->code, "the machine died: %s; %s", f.line, how);
	else
		pv_error(e, e->code, "%.500s; %s; no report of its kernel was found", was, how);
}

int pv_board_end(void *board, char **said, bool *kernel, struct pv_error *e)
{
	struct pv_board *b = board;
	int err = pv_line_end(&b->line, said, e);
	char unused[96];

	if (b->found)
		append(said, b->found);
	free(steal(&b->found));
	*kernel = false;
	b->doubtful = err && b->host;
	if (!b->doubtful || !(has_lab(b) || *unused_lab(b, unused, "")))
		return err;
	if (pv_ssh_is_connected(&b->ssh) && answers(b)) {
		b->line.command = pv_ssh_command(&b->ssh, b->options);
		b->doubtful = false;
	} else if (has_lab(b)) {
		rescue(b, said, kernel, e);
	} else {
		note_unused(b, e);
	}
	return err;
}

void pv_board_prepare(struct pv_board *b)
{
	char unused[96];

	if (*unused_lab(b, unused, ""))
		fprintf(stderr, "pcieval: run: %s\n", unused);
	pv_lab_console_init(&b->console, may_run(b) ? b->description.console : NULL);
	/* Connecting may take some seconds, for example with labgrid. */
	pv_lab_console_begin(&b->console);
	struct pv_error e = {0};
	b->crashes = has_lab(b) ? pv_board_list_crashes(b, &e) : NULL;
	if (e.code)
		fprintf(stderr,
			"pcieval: run: a case that kills the board is judged without crash records, which are unknown: "
			"%s\n",
			e.text);
}
