/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the lab's own commands. */
#include "framework/board/lab.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/child.h"
#include "framework/util/cleanup.h"
#include "framework/util/clock.h"
#include "framework/util/file.h"
#include "framework/util/spawn.h"

#define COMMAND_MS   120000
#define GOODBYE_MS   2000
#define PLACE_S	     5		/* between two attempts to acquire a place */
#define OFF_S	     5		/* seconds between off and on: capacitors power a board for a while */
#define CONSOLE_MAX  "131072"	/* blocks of 512 bytes, for ulimit -f */
#define CONSOLE_FULL (16 << 20) /* bytes; beyond, the next case begins an empty file */
#define TEXT_MAX     (1 << 20)

void pv_lab_make_plain(char *text, size_t n)
{
	char *to = text;

	for (const char *end = text + n; text < end; text++)
		if (*text != '\r')
			*to++ = (char)(iscntrl((unsigned char)*text) && *text != '\n' && *text != '\t' ? '?' : *text);
	*to = '\0';
}

/* ---- power ---- */

/* Reads and discards the output of a command until it ends. False: it did not end within `ms`. */
static bool wait_for_end(int fd, int64_t ms)
{
	int64_t end = pv_now_ms() + ms, left;
	char lost[4096];

	while ((left = end - pv_now_ms()) > 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, (int)left) > 0 && read(fd, lost, sizeof(lost)) <= 0)
			return true;
	}
	return false;
}

static int run_command(const char *command, int ms, struct pv_error *e)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct pv_child c;
	char text[64];
	int err = pv_child_start(&c, argv, PV_CHILD_OWN_GROUP, -1, e);

	if (err)
		return err;
	pid_t group = c.pid;
	bool ended = wait_for_end(c.out, ms);
	if (!ended)
		kill(-group, SIGKILL);
	int status = pv_child_end(&c, GOODBYE_MS);
	if (!ended)
		return pv_error(e, -ETIMEDOUT, "'%s' did not end within %d s", command, ms / 1000);
	return status ? pv_error(e, -EIO, "'%s' ended with %s", command, pv_spawn_status(status, text, sizeof(text)))
		      : 0;
}

int pv_lab_run(const char *command, struct pv_error *e)
{
	return run_command(command, COMMAND_MS, e);
}

int pv_lab_cycle(const struct pv_board_power *p, struct pv_error *e)
{
	const struct timespec nap = {.tv_sec = OFF_S};

	if (p->cycle)
		return run_command(p->cycle, p->state ? 1000 * (int)p->boot_s : COMMAND_MS, e);
	if (!p->on)
		return pv_error(e, -ENOENT, "the description of the board has no <power>");
	int err = pv_lab_run(p->off, e);
	if (!err)
		nanosleep(&nap, NULL);
	return err ? err : pv_lab_run(p->on, e);
}

/* ---- a place of labgrid ---- */

/* Each line of its input says that the power is turned off in the end. The commands are $0 and $1. */
static const char keeper[] =
	"trap '' INT HUP TERM; exec >/dev/null; off=; while read -r word; do off=$word; done\n"
	"try() { eval \"$2\" || echo \"pcieval: $1 the board: '$2' ended with exit status $?\" >&2; }\n"
	"[ -z \"$off\" ] || try 'turning off' \"$1\"\n"
	"try releasing \"$0\"\n";

/* Tries again until the place is acquired, or labgrid has not shown it for wait->silent_s. */
static int wait_for_place(const struct pv_board_description *d, const struct pv_lab_wait *wait, struct pv_error *e)
{
	const struct timespec nap = {.tv_sec = PLACE_S};
	int64_t shown = pv_now_ms();
	int err;

	do {
		struct pv_error why = {0};

		if (!pv_lab_run(d->show, &why)) {
			shown = pv_now_ms();
			wait->say(wait->ctx);
		} else if (pv_now_ms() - shown >= 1000 * (int64_t)wait->silent_s) {
			return pv_error(e, -EHOSTUNREACH,
					"labgrid has not shown the place for %u s: %s; expected a coordinator that "
					"answers and knows the place: only a place that others have is waited for",
					wait->silent_s, why.text);
		}
		nanosleep(&nap, NULL);
		err = pv_lab_run(d->acquire, e);
	} while (err == -EIO);
	return err;
}

int pv_lab_place_acquire(struct pv_lab_place *p, const struct pv_board_description *d, const struct pv_lab_wait *wait,
			 struct pv_error *e)
{
	const char *const argv[] = {"sh", "-c", keeper, d->release, d->off, NULL};
	int err = pv_lab_run(d->acquire, e);

	if (err == -EIO && wait)
		err = wait_for_place(d, wait, e);
	if (err)
		return err;
	err = pv_child_start(&p->keeper, argv, PV_CHILD_OWN_GROUP, -1, e);
	if (err)
		pv_lab_run(d->release, &(struct pv_error){0});
	return err;
}

void pv_lab_place_end_off(struct pv_lab_place *p)
{
	if (p->keeper.pid)
		pv_write_all(p->keeper.in, "off\n", strlen("off\n"));
}

void pv_lab_place_release(struct pv_lab_place *p)
{
	char text[64];

	if (!p->keeper.pid)
		return;
	int status = pv_child_end(&p->keeper, 2 * COMMAND_MS);
	if (WIFSIGNALED(status))
		fprintf(stderr, "pcieval: releasing the board: expected its end within %d s, got %s\n",
			2 * COMMAND_MS / 1000, pv_spawn_status(status, text, sizeof(text)));
}

/* ---- the console ---- */

void pv_lab_console_init(struct pv_lab_console *c, const char *command)
{
	*c = (struct pv_lab_console){.command = command, .in = -1, .text = -1};
}

static void end_console(struct pv_lab_console *c)
{
	if (c->in >= 0)
		close(c->in);
	c->in = -1;
	if (!c->pid)
		return;
	kill(-c->pid, SIGTERM);
	pv_spawn_reap(c->pid, GOODBYE_MS);
	kill(-c->pid, SIGKILL);
	c->pid = 0;
}

/* Its input stays open, since a console program may exit at the end of its input. */
static void start_console(struct pv_lab_console *c)
{
	const char *const argv[] = {"sh", "-c", "ulimit -f " CONSOLE_MAX "; eval \"$0\"", c->command, NULL};
	int to[2];

	if (pipe2(to, O_CLOEXEC))
		return;
	pid_t pid = pv_spawn(&(struct pv_spawn){
		.argv = argv, .streams = {to[0], c->text, c->text}, .end_signal = SIGTERM, .own_group = true});
	close(to[0]);
	if (pid < 0) {
		close(to[1]);
		return;
	}
	c->in = to[1];
	c->pid = pid;
}

static off_t size_of(int fd)
{
	struct stat st = {0};

	return fd >= 0 && !fstat(fd, &st) ? st.st_size : 0;
}

void pv_lab_console_pause(struct pv_lab_console *c)
{
	if (c->command)
		end_console(c);
}

void pv_lab_console_begin(struct pv_lab_console *c)
{
	int status;

	if (!c->command)
		return;
	if (c->text < 0) {
		c->text = memfd_create("console", MFD_CLOEXEC);
		if (c->text < 0 || fcntl(c->text, F_SETFL, O_APPEND))
			return;
	}
	if (c->pid && pv_spawn_ended(c->pid, 0, &status)) {
		c->pid = 0;
		end_console(c);
	}
	if (size_of(c->text) > CONSOLE_FULL && ftruncate(c->text, 0))
		return;
	c->from = size_of(c->text);
	if (!c->pid)
		start_console(c);
}

char *pv_lab_console_text(struct pv_lab_console *c)
{
	off_t size = size_of(c->text), from = c->from;

	if (size - from > TEXT_MAX)
		from = size - TEXT_MAX;
	char *text = size > from ? calloc(1, (size_t)(size - from) + 1) : NULL;
	if (!text)
		return NULL;
	ssize_t n = pread(c->text, text, (size_t)(size - from), from);
	pv_lab_make_plain(text, n > 0 ? (size_t)n : 0);
	return text;
}

void pv_lab_console_close(struct pv_lab_console *c)
{
	if (!c->command)
		return;
	end_console(c);
	if (c->text >= 0)
		close(c->text);
	c->text = -1;
}
