/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs perf here or over ssh: the shell at the other end, and the parser of its output. */
#include "framework/board/perf.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/board/ssh.h"
#include "framework/util/clock.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "framework/util/spawn.h"

#define ANSWER_MS  30000
#define STOP_MS	   5000 /* time for perf to print its last interval before it is killed */
#define GOODBYE_MS 5000
#define LIST_MAX   (16u << 20) /* bytes; 1000 bridges with complete configuration space fit */

/*
 * Runs on both targets, under any login shell. It reads the folder that replaces "/", lists events and bridges, and
 * reads the order. A line of input then interrupts perf, which prints its last interval; the next line kills it. The
 * end of input does both.
 */
static const char script[] =
	"exec sh -c '"
	"IFS= read -r root || exit; d=$root/sys/bus/event_source/devices; "
	"for e in \"$d\"/*/events/*; do IFS= read -r terms <\"$e\" && echo \"event ${e#\"$d\"/} $terms\"; done "
	"2>/dev/null; "
	"for c in \"$root\"/sys/bus/pci/devices/*/class; do read -r class <\"$c\" && f=${c%/class} && "
	"case $class in 0x0604*) echo \"bridge ${f##*/}\"; od -v -A x -t x1 \"$f/config\";; esac; done 2>/dev/null; "
	"command -v perf >/dev/null && echo perf; echo end; "
	"read -r ms n events || exit; exec 3<&0; [ $n = 0 ] && set -- || set -- --interval-count $n; "
	"perf stat -a -I $ms -x, --log-fd 1 \"$@\" -e \"$events\" 3<&- </dev/null & perf=$!; "
	"{ read -r x; kill -INT $perf; read -r x; kill -KILL $perf; } <&3 >/dev/null 2>&1 & exec 2>/dev/null; "
	"wait $perf; status=$?; kill $!; exit $status'";

/* ---- connecting ---- */

static int start_ssh(struct pv_perf *p, const char *host, struct pv_error *e)
{
	const char *const argv[] = {"ssh",  "-T",
				    "-a",   "-x",
				    "-o",   "BatchMode=yes",
				    "-o",   "ConnectTimeout=10",
				    "-o",   "ServerAliveInterval=5",
				    "-o",   "ClearAllForwardings=yes",
				    "-o",   "RemoteCommand=none",
				    "--",   host,
				    script, NULL};

	if (!pv_ssh_is_plain(host))
		return pv_error(e, -EINVAL, "--target ssh:HOST: expected a host as ssh takes it, got '%.80s'", host);
	return pv_child_start(&p->child, argv, PV_CHILD_OWN_GROUP, -1, e);
}

static int ended_early(struct pv_perf *p, struct pv_error *e)
{
	char text[64];
	int status = pv_child_end(&p->child, GOODBYE_MS);

	return pv_error(e, -ENOTCONN, "--target %s: %s ended with %s; it said why above", p->target,
			strcmp(p->target, "local") ? "ssh" : "sh", pv_spawn_status(status, text, sizeof(text)));
}

static int say(struct pv_perf *p, const char *text, struct pv_error *e)
{
	return pv_write_all(p->child.in, text, strlen(text)) ? ended_early(p, e) : 0;
}

int pv_perf_open(struct pv_perf *p, const char *target, const char *root, struct pv_error *e)
{
	const char *const local[] = {"sh", "-c", script, NULL};

	*p = (struct pv_perf){.target = target, .child = {.in = -1, .out = -1}};
	signal(SIGPIPE, SIG_IGN);
	int err = strcmp(target, "local") ? start_ssh(p, target + strlen("ssh:"), e)
					  : pv_child_start(&p->child, local, PV_CHILD_OWN_GROUP, -1, e);
	if (!err && root)
		err = say(p, root, e);
	return err ? err : say(p, "\n", e);
}

/* ---- lines ---- */

static int take_line(struct pv_perf *p, char *line, pv_perf_line_fn fn, void *ctx)
{
	bool skipped = p->skips;

	p->skips = false;
	return fn(ctx, skipped ? "?" : line);
}

/* Splits the bytes into lines; an incomplete line stays in the buffer. Returns a negative result of `fn`. */
static int take_lines(struct pv_perf *p, pv_perf_line_fn fn, void *ctx)
{
	char *at = p->buf, *nl;
	int err = 0;

	while (err >= 0 && (nl = memchr(at, '\n', p->n - (size_t)(at - p->buf)))) {
		*nl = '\0';
		err = take_line(p, at, fn, ctx);
		at = nl + 1;
	}
	p->n -= (size_t)(at - p->buf);
	memmove(p->buf, at, p->n);
	if (p->n == sizeof(p->buf) - 1) {
		p->skips = true;
		p->n = 0;
	}
	return err < 0 ? err : 0;
}

/* Reads the available bytes. 1; 0: the end; -errno. */
static int read_some(struct pv_perf *p)
{
	ssize_t n = read(p->child.out, p->buf + p->n, sizeof(p->buf) - 1 - p->n);

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	p->n += (size_t)n;
	return n > 0;
}

/* ---- the list ---- */

struct list {
	pv_perf_line_fn line;
	void *ctx;
	FILE *dump;
	size_t bytes;
	bool has_perf, ended;
};

/* Parses a line of od(1): an offset in hexadecimal digits, and bytes. The last line has no bytes. */
static void put_bytes(const char *line, FILE *dump)
{
	char *end;
	unsigned long offset = strtoul(line, &end, 16);

	if (end != line && *end == ' ')
		fprintf(dump, "%02lx:%s\n", offset, end);
}

static int take_listed(void *ctx, const char *line)
{
	struct list *l = ctx;

	l->bytes += strlen(line) + 1;
	if (!strcmp(line, "end"))
		l->ended = true;
	else if (!strcmp(line, "perf"))
		l->has_perf = true;
	else if (!strncmp(line, "event ", strlen("event ")))
		return l->line(l->ctx, line + strlen("event "));
	else if (!strncmp(line, "bridge ", strlen("bridge ")))
		fprintf(l->dump, "\n%s -\n", line + strlen("bridge "));
	else
		put_bytes(line, l->dump);
	return 0;
}

int pv_perf_list(struct pv_perf *p, pv_perf_line_fn line, void *ctx, FILE *dump, struct pv_error *e)
{
	struct list l = {.line = line, .ctx = ctx, .dump = dump};
	struct pollfd fd = {.fd = p->child.out, .events = POLLIN};
	int64_t end = pv_now_ms() + ANSWER_MS, left;
	int err = 0;

	while (!err && !l.ended && l.bytes < LIST_MAX && (left = end - pv_now_ms()) > 0) {
		if (poll(&fd, 1, (int)left) <= 0)
			continue;
		if (read_some(p) <= 0)
			return ended_early(p, e);
		err = take_lines(p, take_listed, &l);
	}
	if (err)
		return pv_error(e, err, "--target %s: taking the list of events: %s", p->target, strerror(-err));
	if (!l.ended)
		return pv_error(e, -ETIMEDOUT, "--target %s: the list of events did not end within %d s and %u MiB",
				p->target, ANSWER_MS / 1000, LIST_MAX >> 20);
	if (!l.has_perf)
		return pv_error(e, -ENOENT,
				"--target %s: expected perf there, got none; its package is linux-perf (Debian), perf "
				"(Fedora) or linux-tools (Ubuntu)",
				p->target);
	return 0;
}

/* ---- perf ---- */

enum state { RUNS, INTERRUPTED, KILLED };

struct run {
	enum state state;
	int64_t limit; /* end of this state at the latest */
	int err;
};

/* Takes the next step to end perf. */
static void press(struct pv_perf *p, struct run *r)
{
	static const char *const doing[] = {[RUNS] = "\n", [INTERRUPTED] = "\n"};

	if (r->state < KILLED && pv_write_all(p->child.in, doing[r->state], 1) < 0)
		r->state = KILLED;
	r->state = r->state < KILLED ? r->state + 1 : KILLED;
	r->limit = pv_now_ms() + STOP_MS;
}

/* Nothing was printed until the limit. Returns false if perf cannot print any more. */
static bool press_on(struct pv_perf *p, struct run *r)
{
	if (r->state == KILLED)
		return false;
	if (r->state == RUNS)
		r->err = -ETIMEDOUT;
	press(p, r);
	return true;
}

/* Reads the output of perf to its end. */
static void follow(struct pv_perf *p, const struct pv_perf_order *o, pv_perf_line_fn line, void *ctx, struct run *r)
{
	struct pollfd fds[] = {{.fd = p->child.out, .events = POLLIN}, {.fd = o->stop, .events = POLLIN}};
	int patience = (int)(o->interval_ms < 3600000 ? o->interval_ms : 3600000) + ANSWER_MS;

	r->limit = pv_now_ms() + patience;
	for (;;) {
		int64_t left = r->limit - pv_now_ms();

		if (left <= 0 && !press_on(p, r))
			return;
		if (poll(fds, 2, left > 0 ? (int)left : 0) <= 0)
			continue;
		if (fds[1].revents) {
			press(p, r);
			fds[1].fd = -1; /* one stop is enough */
		}
		if (!fds[0].revents)
			continue;
		if (read_some(p) <= 0)
			return;
		if (r->state == RUNS)
			r->limit = pv_now_ms() + patience;
		int err = r->err ? 0 : take_lines(p, line, ctx);
		if (err) {
			r->err = err;
			press(p, r);
		}
	}
}

int pv_perf_run(struct pv_perf *p, const struct pv_perf_order *o, pv_perf_line_fn line, void *ctx, struct pv_error *e)
{
	struct run r = {0};
	char numbers[48], text[64];

	snprintf(numbers, sizeof(numbers), "%u %u ", o->interval_ms, o->intervals);
	int err = say(p, numbers, e);
	if (!err)
		err = say(p, o->events, e);
	if (!err)
		err = say(p, "\n", e);
	if (err)
		return err;
	follow(p, o, line, ctx, &r);
	int status = pv_child_end(&p->child, GOODBYE_MS);
	if (r.err == -ETIMEDOUT)
		return pv_error(e, r.err, "--target %s: perf said nothing for %d s", p->target,
				ANSWER_MS / 1000 + (int)(o->interval_ms / 1000));
	/* An interrupted perf ends by the signal, which is no failure. */
	if (r.err || r.state != RUNS || !status)
		return r.err;
	return pv_error(e, -EIO, "--target %s: perf ended with %s; it said why above", p->target,
			pv_spawn_status(status, text, sizeof(text)));
}

void pv_perf_close(struct pv_perf *p)
{
	pv_child_end(&p->child, GOODBYE_MS);
}
