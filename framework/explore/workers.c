/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers. Worker k of n draws the cases k, k + n and so on, and writes a line of JSON for each. The cases are read by
 * turns, so that they come in their order, and a worker that is ahead waits until its pipe is read.
 */
#include "framework/explore/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "framework/explore/child.h"
#include "framework/explore/element.h"
#include "framework/explore/sketch.h"
#include "framework/explore/states.h"
#include "framework/run/protocol.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

enum { CASE_MS = 20000 };

struct worker {
	pid_t pid; /* 0: none */
	int fd;
	struct pv_lines lines;
};

struct pv_explore_workers {
	struct pv_explore_wish wish;
	const struct pv_explore_tried *tried;
	struct pv_relay *relay;
	unsigned n;
	uint64_t next; /* number of the case */
	int waited_ms; /* for it */
	struct worker worker[];
};

/* ---- in a worker ---- */

static void judge(json_object *c, const struct pv_explore_tried *t, struct pv_explore_verdict *v)
{
	struct pv_error e;

	if (!v->bad && !t->run && !t->reference)
		pv_explore_try(c, t->defects, false, v, &e);
	else if (!t->reference && v->bad)
		*v = (struct pv_explore_verdict){0}; /* the reference driver is not under test */
}

static void put_line(FILE *f, json_object *o)
{
	fprintf(f, "%s\n", pv_json_line(o));
	fflush(f);
}

static void report(FILE *f, json_object *c, const struct pv_explore_tried *t, const struct pv_explore_verdict *v)
{
	_autojson_ json_object *o = json_object_new_object();

	pv_json_uint(o, "steps", json_object_array_length(json_object_object_get(c, "steps")));
	if (v->bad) {
		pv_json_string(o, "type", v->type);
		pv_json_string(o, "message", v->message);
	}
	if (v->bad || t->run || json_object_object_get(c, "reached"))
		pv_json_add(o, "case", json_object_get(c));
	put_line(f, o);
}

static void report_error(FILE *f, const char *why)
{
	_autojson_ json_object *o = json_object_new_object();

	pv_json_string(o, "error", why);
	put_line(f, o);
}

/* A worker has a corpus and states of its own: the session's memory was copied when it was forked. */
static struct pv_explore_wish own_wish(const struct pv_explore_workers *w, struct pv_corpus *k, struct pv_states *known)
{
	struct pv_explore_wish own = w->wish;

	if (!w->relay)
		return own;
	*k = *w->wish.corpus;
	k->n = k->given;
	own.corpus = k;
	own.known = known;
	return own;
}

static void work(int fd, const struct pv_explore_workers *w, uint64_t first)
{
	FILE *f = fdopen(fd, "w");
	struct pv_corpus corpus;
	struct pv_states known = {0};
	const struct pv_explore_wish wish = own_wish(w, &corpus, &known);

	for (uint64_t i = first; f && !ferror(f); i += w->n) {
		struct pv_explore_verdict v;
		struct pv_error e;

		if (w->relay)
			pv_relay_fetch(w->relay, i, &corpus);
		_autojson_ json_object *c = pv_explore_draw(&wish, i, &v, &e);

		if (!c) {
			report_error(f, e.text);
			continue;
		}
		judge(c, w->tried, &v);
		report(f, c, w->tried, &v);
	}
}

/* ---- the session's side ---- */

static int start(struct pv_explore_workers *w, struct worker *one, uint64_t first)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	one->pid = pv_explore_fork();
	if (!one->pid) {
		signal(SIGINT, SIG_IGN);
		work(ends[1], w, first);
		_exit(0);
	}
	close(ends[1]);
	one->fd = ends[0];
	one->lines = (struct pv_lines){0};
	return one->pid < 0 ? -EAGAIN : 0;
}

static int stop(struct worker *one)
{
	int status = 0;

	if (one->pid <= 0)
		return 0;
	kill(one->pid, SIGKILL);
	waitpid(one->pid, &status, 0);
	close(one->fd);
	pv_lines_free(&one->lines);
	one->pid = 0;
	return status;
}

struct pv_explore_workers *pv_explore_workers_start(const struct pv_explore_wish *w, const struct pv_explore_tried *t,
						    struct pv_relay *relay, unsigned n)
{
	struct pv_explore_workers *all = calloc(1, sizeof(*all) + n * sizeof(all->worker[0]));

	if (!all)
		return NULL;
	all->wish = *w;
	all->tried = t;
	all->relay = relay;
	all->n = n;
	for (unsigned i = 0; i < n; i++)
		if (start(all, &all->worker[i], i)) {
			pv_explore_workers_end(all);
			return NULL;
		}
	return all;
}

void pv_explore_workers_end(struct pv_explore_workers *w)
{
	for (unsigned i = 0; w && i < w->n; i++)
		stop(&w->worker[i]);
	free(w);
}

/* ---- a worker that has died, or hangs ---- */

/* Draws the case again, and notes it step by step: the last step is the one that it died in. */
static int bury(struct pv_explore_workers *w, struct worker *one, bool late, struct pv_explore_drawn *d,
		struct pv_error *e)
{
	int status = stop(one);

	d->v.bad = true;
	snprintf(d->v.type, sizeof(d->v.type), "%s", late ? "timeout" : "crash");
	d->c = pv_explore_sketch(&w->wish, d->index);
	d->steps = d->c ? json_object_array_length(json_object_object_get(d->c, "steps")) : 0;
	if (late)
		snprintf(d->v.message, sizeof(d->v.message), "no verdict within %d s", CASE_MS / 1000);
	else
		snprintf(d->v.message, sizeof(d->v.message), "the case ended the process: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited");
	return d->c ? 0 : pv_error(e, -EIO, "case %" PRIu64 ", before its first step: %s", d->index, d->v.message);
}

/* ---- the next case ---- */

static int parse(const char *line, struct pv_explore_drawn *d, struct pv_error *e)
{
	_autojson_ json_object *o = json_tokener_parse(line);

	if (!o)
		return pv_error(e, -EPROTO, "a worker wrote what is no case");
	if (json_object_object_get(o, "error"))
		return pv_error(e, -EIO, "case %" PRIu64 " could not be drawn: %s", d->index, pv_json_text(o, "error"));

	d->steps = json_object_get_uint64(json_object_object_get(o, "steps"));
	d->c = json_object_get(json_object_object_get(o, "case"));
	d->v.bad = json_object_object_get(o, "type");
	if (d->v.bad) {
		snprintf(d->v.type, sizeof(d->v.type), "%s", pv_json_text(o, "type"));
		pv_utf8_print(d->v.message, sizeof(d->v.message), "%s", pv_json_text(o, "message"));
	}
	return 1;
}

int pv_explore_workers_next(struct pv_explore_workers *w, int ms, struct pv_explore_drawn *d, struct pv_error *e)
{
	struct worker *one = &w->worker[w->next % w->n];
	char *line;
	size_t n;
	ssize_t got = 1;

	*d = (struct pv_explore_drawn){.index = w->next};
	while (!(line = pv_lines_next(&one->lines, &n)) && got > 0) {
		struct pollfd p = {.fd = one->fd, .events = POLLIN};

		if (poll(&p, 1, ms) <= 0) {
			w->waited_ms += ms;
			if (w->waited_ms < CASE_MS)
				return 0;
			break;
		}
		got = pv_lines_read(&one->lines, one->fd);
	}
	bool late = !line && w->waited_ms >= CASE_MS;
	w->waited_ms = 0;
	w->next++;
	if (line)
		return parse(line, d, e);
	int err = bury(w, one, late, d, e);
	if (err)
		return err;
	err = start(w, one, d->index + w->n);
	return err ? pv_error(e, err, "a worker: %s", strerror(-err)) : 1;
}
