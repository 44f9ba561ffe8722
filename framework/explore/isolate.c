/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process for one case. */
#include "framework/explore/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "framework/explore/child.h"
#include "framework/explore/element.h"
#include "framework/explore/states.h"
#include "framework/util/clock.h"
#include "framework/util/json.h"

enum { PATIENCE_MS = 20000 };

/* ---- in the child ---- */

static void try_both(json_object *c, const struct pv_explore_tried *t, struct pv_explore_verdict *v)
{
	struct pv_error e;

	if (pv_explore_try(c, NULL, t->learn, v, &e)) {
		*v = (struct pv_explore_verdict){0};
		return;
	}
	if (t->reference)
		return;
	bool wrong = v->bad;
	*v = (struct pv_explore_verdict){0};
	if (!wrong && !t->run)
		pv_explore_try(c, t->defects, false, v, &e);
	else if (wrong)
		pv_json_bool(c, "wrong", true);
}

/* The states that a case reaches, as a list of hashes. */
static json_object *list_of(const struct pv_states *s)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->room; i++)
		if (s->slot[i])
			pv_json_append(list, json_object_new_uint64(s->slot[i]));
	return list;
}

static void try_wanted(json_object *c, const struct pv_explore_tried *t, struct pv_explore_verdict *v)
{
	struct pv_states reached = {0};
	struct pv_error e;
	bool all = !pv_explore_follow(c, &reached, v, &e) && !v->bad;

	for (size_t i = 0; all && i < t->wanted->room; i++)
		all = !t->wanted->slot[i] || pv_states_has(&reached, t->wanted->slot[i]);
	*v = (struct pv_explore_verdict){.bad = all, .type = "reaches"};
	pv_json_add(c, "reached", list_of(&reached));
	pv_states_free(&reached);
}

static void answer(int fd, json_object *c, const struct pv_explore_tried *t)
{
	struct pv_explore_verdict v;
	FILE *f = fdopen(fd, "w");

	if (t->wanted)
		try_wanted(c, t, &v);
	else
		try_both(c, t, &v);
	pv_json_bool(c, "bad", v.bad);
	pv_json_string(c, "type", v.type);
	pv_json_string(c, "message", v.message);
	if (f) {
		fputs(pv_json_line(c), f);
		fclose(f);
	}
}

/* ---- in the parent ---- */

struct text {
	char *data;
	size_t n, room;
};

/* Reads until the end, or until the child takes too long; then returns true. */
static bool read_all(int fd, struct text *t)
{
	int64_t until = pv_now_ms() + PATIENCE_MS;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = until - pv_now_ms();

		if (left <= 0 || !poll(&p, 1, (int)left))
			return true;
		if (t->room - t->n < 4096) {
			char *more = realloc(t->data, t->room = 2 * t->room + 65536);

			if (!more)
				return true;
			t->data = more;
		}
		ssize_t n = read(fd, t->data + t->n, t->room - t->n - 1);
		if (!n || (n < 0 && errno != EINTR))
			break;
		t->n += n > 0 ? (size_t)n : 0;
	}
	if (t->data)
		t->data[t->n] = 0;
	return false;
}

static void take_text(char *out, size_t size, json_object *o, const char *key)
{
	snprintf(out, size, "%s", json_object_get_string(json_object_object_get(o, key)));
	json_object_object_del(o, key);
}

static void end_child(pid_t pid, bool late, bool answered, struct pv_explore_verdict *v)
{
	int status;

	if (late)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (answered)
		return;
	v->bad = true;
	snprintf(v->type, sizeof(v->type), "%s", late ? "timeout" : "crash");
	if (late)
		snprintf(v->message, sizeof(v->message), "no verdict within %d s", PATIENCE_MS / 1000);
	else
		snprintf(v->message, sizeof(v->message), "the case ended the process: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited");
}

static int start_child(json_object *c, const struct pv_explore_tried *t, pid_t *pid)
{
	int ends[2];

	if (pipe(ends))
		return -errno;
	*pid = pv_explore_fork();
	if (!*pid) {
		close(ends[0]);
		answer(ends[1], c, t);
		_exit(0);
	}
	close(ends[1]);
	if (*pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	return ends[0];
}

int pv_explore_judge(json_object **c, const struct pv_explore_tried *t, struct pv_explore_verdict *v,
		     struct pv_error *e)
{
	struct text text = {0};
	pid_t pid = 0;
	_autoclose_ int fd = start_child(*c, t, &pid);

	*v = (struct pv_explore_verdict){0};
	if (fd < 0)
		return pv_error(e, fd, "a process for a case: %s", strerror(-fd));
	bool late = read_all(fd, &text);
	json_object *answer = !late && text.n ? json_tokener_parse(text.data) : NULL;
	free(text.data);
	end_child(pid, late, answer, v);
	if (!answer)
		return 0;
	v->bad = json_object_get_boolean(json_object_object_get(answer, "bad"));
	json_object_object_del(answer, "bad");
	take_text(v->type, sizeof(v->type), answer, "type");
	take_text(v->message, sizeof(v->message), answer, "message");
	bool wrong = json_object_object_get(answer, "wrong");
	json_object_object_del(answer, "wrong");
	json_object_put(*c);
	*c = answer;
	return t->run && !wrong && !t->reference ? t->run(t->ctx, c, 1, v, e) : 0;
}
