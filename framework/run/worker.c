/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of one agent, from start to verdict. */
#include "framework/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/run/agents.h"
#include "framework/run/deviations.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/spawn.h"
#include "framework/util/utf8.h"

enum {
	GRACE_MS = 2000,
	MEMORY_MS = 200, /* between two looks at the memory of a case */
	FIGURES = 64,	 /* of a case */
	RULES = 32,	 /* of a case: broken ones */
	FIGURE_BYTES = 240,
	DRAIN_READS = 64, /* a pipe holds less than this many reads */
};

const char *pv_runner_agent(const struct pv_run_options *opt)
{
	return opt->agent ? opt->agent : pv_agent_program_path();
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static unsigned grace_ms(const struct pv_worker_env *env)
{
	return env->opt->grace_ms ? env->opt->grace_ms : GRACE_MS;
}

/* ---- ending it ---- */

/* The first cause counts. */
static void set_cause(struct pv_worker *w, enum pv_end_cause cause, unsigned limit_ms, const char *detail)
{
	if (w->end.cause != PV_END_EXIT)
		return;
	w->end.cause = cause;
	w->end.limit_ms = limit_ms;
	pv_utf8_print(w->end.detail, sizeof(w->end.detail), "%s", detail);
}

/* Signals the whole group, so that the agent's children end with it. */
static void send_signal(struct pv_worker *w, int sig)
{
	kill(-w->pid, sig);
}

static void ask_to_end(struct pv_worker *w, const struct pv_worker_env *env)
{
	if (w->state != PV_WORKER_RUNS)
		return;
	send_signal(w, SIGTERM);
	send_signal(w, SIGCONT);
	w->state = PV_WORKER_ASKED;
	w->deadline_ms = pv_now_ms() + grace_ms(env);
}

static void kill_it(struct pv_worker *w)
{
	send_signal(w, SIGKILL);
	w->state = PV_WORKER_KILLED;
	w->deadline_ms = UINT64_MAX;
}

void pv_worker_stop(struct pv_worker *w, const struct pv_worker_env *env, const char *why, bool now)
{
	if (w->state == PV_WORKER_IDLE || w->state == PV_WORKER_GONE)
		return;
	set_cause(w, PV_END_STOPPED, 0, why);
	if (now)
		kill_it(w);
	else
		ask_to_end(w, env);
}

void pv_worker_shift(struct pv_worker *w, uint64_t from_ms, uint64_t to_ms)
{
	if (w->state == PV_WORKER_IDLE || w->state == PV_WORKER_GONE)
		return;
	/* A case that was started within the gap lost only what came after its start. */
	uint64_t since = from_ms > w->begun_ms ? from_ms : w->begun_ms;
	uint64_t ms = to_ms > since ? to_ms - since : 0;
	w->begun_ms += ms;
	if (w->deadline_ms != UINT64_MAX)
		w->deadline_ms += ms;
}

/* Returns the private memory of a process, in RAM and swapped out, without mapped files. 0: unknown. */
static uint64_t memory_of(pid_t pid)
{
	char path[64], line[128];
	uint64_t sum = 0;
	unsigned long long kib;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	_autofclose_ FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %llu", &kib) == 1 || sscanf(line, "VmSwap: %llu", &kib) == 1)
			sum += kib << 10;
	return sum;
}

/* Asks a case that is over the limit to end; kills it at twice the limit. Most cases end before the first check. */
static void check_memory(struct pv_worker *w, const struct pv_worker_env *env, uint64_t now_ms)
{
	if (now_ms < w->memory_ms)
		return;
	w->memory_ms = now_ms + MEMORY_MS;
	uint64_t most = env->opt->max_memory_bytes;
	uint64_t has = most && w->state != PV_WORKER_KILLED ? memory_of(w->pid) : 0;
	char text[128];
	if (!has || has <= most)
		return;
	snprintf(text, sizeof(text), "the agent took %llu MiB of memory, more than the limit of %llu MiB",
		 (unsigned long long)(has >> 20), (unsigned long long)(most >> 20));
	set_cause(w, PV_END_MEMORY, 0, text);
	ask_to_end(w, env);
	if (has / 2 > most)
		kill_it(w);
}

uint64_t pv_worker_tick(struct pv_worker *w, const struct pv_worker_env *env, uint64_t now_ms)
{
	if (w->state == PV_WORKER_IDLE || w->state == PV_WORKER_GONE)
		return UINT64_MAX;
	check_memory(w, env, now_ms);
	if (now_ms < w->deadline_ms)
		return w->deadline_ms;
	if (w->state == PV_WORKER_RUNS) {
		unsigned limit = w->transcript.done ? grace_ms(env) : (unsigned)(w->deadline_ms - w->begun_ms);

		set_cause(w, w->transcript.done ? PV_END_LINGER : PV_END_TIMEOUT, limit, "");
		ask_to_end(w, env);
	} else if (w->state == PV_WORKER_ASKED) {
		kill_it(w);
	}
	return w->deadline_ms;
}

/* ---- its output ---- */

static void journal_event(struct pv_worker *w, const struct pv_worker_env *env, enum pv_event_kind kind,
			  json_object *event)
{
	if (kind != PV_EV_STEP && kind != PV_EV_PROBLEM)
		return;
	if (kind == PV_EV_PROBLEM && w->transcript.step >= 0) {
		pv_json_string(event, "kind", w->transcript.step_kind);
		pv_json_int(event, "line", w->transcript.step_line);
	}
	pv_journal_add(env->journal, pv_event_name(kind), (int)w->index, json_object_get(event));
}

/* A check that passed reports its findings, by which runs can be compared. */
static void keep_figures(struct pv_worker *w, enum pv_event_kind kind, json_object *event)
{
	const char *message = pv_json_text(event, "message");

	if (kind == PV_EV_DONE)
		w->sim_ns = pv_field_int(event, "sim_ns");
	if (kind != PV_EV_CHECK || !*message)
		return;
	if (!w->figures)
		w->figures = json_object_new_array();
	if (json_object_array_length(w->figures) < FIGURES)
		json_object_array_add(
			w->figures,
			json_object_new_string_len(message, (int)pv_utf8_cut(message, strlen(message), FIGURE_BYTES)));
}

/* The rules of use that the driver broke, which the agent reports at the end of the case. */
static void keep_rule(struct pv_worker *w, enum pv_event_kind kind, json_object *event)
{
	if (kind != PV_EV_RULE)
		return;
	if (!w->rules)
		w->rules = json_object_new_array();
	if (json_object_array_length(w->rules) < RULES)
		json_object_array_add(w->rules, json_object_get(event));
}

/*
 * A failed check may be the consequence of an earlier one that is known. Reports of the kernel, and of the hardware
 * that sees the driver's accesses, must be known themselves.
 */
static void note_grave(struct pv_worker *w, const struct pv_worker_env *env, json_object *event)
{
	const char *type = pv_json_text(event, "type"), *message = pv_json_text(event, "message");
	bool of_checks = !*type || !strcmp(type, "check") || !strcmp(type, "errno");

	w->kernel_spoke |= !strcmp(type, "kernel");
	if (pv_verdict_by_name(pv_json_text(event, "verdict")) != PV_FAIL || of_checks || *w->grave.type ||
	    (w->kernel_spoke && !strcmp(type, "taint")) || pv_deviations_know(w->deviations, env->opt->driver, message))
		return;
	pv_outcome_set(&w->grave, PV_FAIL, type, "%s", message);
}

static void take_line(struct pv_worker *w, const struct pv_worker_env *env, const char *line, size_t n)
{
	struct pv_error e = {0};
	enum pv_event_kind kind;
	json_object *event = NULL;

	if (w->end.cause == PV_END_PROTOCOL)
		return;
	int err = pv_event_parse(line, n, &kind, &event, &e);
	if (!err)
		err = pv_transcript_add(&w->transcript, kind, event, &e);
	if (err) {
		pv_error_context(&e, "the agent broke the protocol: ");
		set_cause(w, PV_END_PROTOCOL, 0, e.text);
		ask_to_end(w, env);
	} else {
		if (kind == PV_EV_PROBLEM)
			note_grave(w, env, event);
		journal_event(w, env, kind, event);
		keep_figures(w, kind, event);
		keep_rule(w, kind, event);
	}
	if (!err && kind == PV_EV_LOG)
		pv_case_folder_log_line(&w->folder, pv_json_text(event, "level"), pv_json_text(event, "text"));
	if (!err && kind == PV_EV_DONE && w->state == PV_WORKER_RUNS)
		w->deadline_ms = pv_now_ms() + grace_ms(env);
	json_object_put(event);
}

/* Reads once and takes complete lines. False: no more input, now or ever. */
static bool read_events(struct pv_worker *w, const struct pv_worker_env *env)
{
	if (w->out < 0)
		return false;
	ssize_t got = pv_lines_read(&w->lines, w->out);
	if (got == -EAGAIN)
		return false;
	if (got <= 0) {
		if (got < 0) {
			set_cause(w, PV_END_PROTOCOL, 0,
				  got == -EMSGSIZE ? "the agent broke the protocol: a line is too long"
						   : strerror((int)-got));
			ask_to_end(w, env);
		}
		close_fd(&w->out);
		return false;
	}
	size_t n;
	for (char *line; (line = pv_lines_next(&w->lines, &n));)
		take_line(w, env, line, n);
	return true;
}

static bool read_log(struct pv_worker *w)
{
	char buf[16384];
	ssize_t got = w->err >= 0 ? read(w->err, buf, sizeof(buf)) : 0;

	if (got > 0)
		pv_case_folder_log(&w->folder, buf, (size_t)got);
	else if (!got || (errno != EAGAIN && errno != EINTR))
		close_fd(&w->err);
	return got > 0;
}

/* EPIPE is not an error here: the agent's exit status tells what happened. */
static void send_message(struct pv_worker *w)
{
	ssize_t n = write(w->in, w->message + w->message_sent, w->message_size - w->message_sent);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		w->message_sent += (size_t)n;
	if (n < 0 || w->message_sent == w->message_size) {
		free(steal(&w->message));
		if (n < 0)
			close_fd(&w->in);
	}
}

void pv_worker_poll(const struct pv_worker *w, struct pollfd fds[PV_WORKER_FDS])
{
	bool alive = w->state != PV_WORKER_IDLE && w->state != PV_WORKER_GONE;

	fds[0] = (struct pollfd){.fd = alive && w->message ? w->in : -1, .events = POLLOUT};
	fds[1] = (struct pollfd){.fd = alive ? w->out : -1, .events = POLLIN};
	fds[2] = (struct pollfd){.fd = alive ? w->err : -1, .events = POLLIN};
}

void pv_worker_ready(struct pv_worker *w, const struct pv_worker_env *env, const struct pollfd fds[PV_WORKER_FDS])
{
	if (fds[0].fd >= 0 && fds[0].revents && w->message && w->in >= 0)
		send_message(w);
	if (fds[1].fd >= 0 && fds[1].revents)
		read_events(w, env);
	if (fds[2].fd >= 0 && fds[2].revents)
		read_log(w);
}

/* ---- its end ---- */

/* A last line without a newline was cut off, whatever it says. */
static void note_rest(struct pv_worker *w)
{
	size_t n;
	const char *rest = pv_lines_rest(&w->lines, &n);

	if (!rest)
		return;
	char text[256];
	snprintf(text, sizeof(text), "an unfinished line of %zu bytes: '%.*s'", n, (int)pv_utf8_cut(rest, n, 160),
		 rest);
	pv_case_folder_log_line(&w->folder, "runner", text);
}

static void add_figures(const struct pv_worker *w, json_object *o)
{
	pv_json_int(o, "checks", w->transcript.checks);
	pv_json_int(o, "sim_ns", w->sim_ns);
	if (w->figures)
		json_object_object_add(o, "figures", json_object_get(w->figures));
}

/* `ev`: "attempt" or "verdict" */
static void journal_end(struct pv_worker *w, const struct pv_worker_env *env, const char *ev)
{
	json_object *o = json_object_new_object();

	pv_json_string(o, "verdict", pv_verdict_name(w->outcome.verdict));
	if (*w->outcome.type)
		pv_json_string(o, "type", w->outcome.type);
	if (*w->outcome.message)
		pv_json_string(o, "message", w->outcome.message);
	if (w->end.cause == PV_END_STOPPED)
		pv_json_bool(o, "stopped", true);
	pv_json_uint(o, "ms", w->elapsed_ms);
	if (w->transcript.done)
		add_figures(w, o);
	if (w->rules)
		json_object_object_add(o, "rules", json_object_get(w->rules));
	pv_json_uint(o, "at_ms", w->begun_ms - env->begun_ms + w->elapsed_ms);
	pv_journal_add(env->journal, ev, (int)w->index, o);
}

/* ---- the line to the machine ---- */

static int join_line(struct pv_worker *w, const struct pv_worker_env *env, struct pv_error *e)
{
	const struct pv_run_line *line = env->opt->line;

	return line ? line->begin(line->ctx, w->line, e) : 0;
}

/* The verdict includes whether the machine was restored. */
static void leave_line(struct pv_worker *w, const struct pv_worker_env *env)
{
	const struct pv_run_line *line = env->opt->line;
	_autofree_ char *said = NULL;
	struct pv_error e = {0};
	char was[PV_MESSAGE_MAX];
	bool kernel = false;

	if (!line || w->line[0] < 0)
		return;
	w->line[0] = w->line[1] = -1;
	int err = line->end(line->ctx, &said, &kernel, &e);
	if (said)
		pv_case_folder_log(&w->folder, said, strlen(said));
	if (!err)
		return;
	memcpy(was, w->outcome.message, sizeof(was));
	if (kernel)
		pv_outcome_set(&w->outcome, PV_FAIL, "kernel", "%s", e.text);
	else if (w->outcome.verdict == PV_ERROR)
		pv_outcome_set(&w->outcome, PV_ERROR, "target", "%s; %s", was, e.text);
	else
		pv_outcome_set(&w->outcome, PV_ERROR, "target", "%s", e.text);
}

/*
 * An error after a failed check does not undo the failure, so that no retry makes it a pass. A known failure does not
 * count, and a stopped case is not judged: --resume runs it again.
 */
static bool keep_failure(struct pv_worker *w, const struct pv_worker_env *env)
{
	struct pv_outcome failed = w->transcript.first[PV_FAIL];
	char was[PV_MESSAGE_MAX];

	if (w->outcome.verdict != PV_ERROR || w->end.cause == PV_END_STOPPED || !*failed.type)
		return false;
	pv_outcome_deviate(&failed, w->deviations, env->opt->driver);
	if (failed.verdict != PV_FAIL)
		return false;
	memcpy(was, w->outcome.message, sizeof(was));
	pv_outcome_set(&w->outcome, PV_FAIL, failed.type, "%s; %s", failed.message, was);
	return true;
}

static void finish(struct pv_worker *w, const struct pv_worker_env *env)
{
	w->elapsed_ms = pv_now_ms() - w->begun_ms;
	pv_transcript_judge(&w->transcript, &w->end, &w->outcome);
	leave_line(w, env);
	if (!keep_failure(w, env))
		pv_outcome_deviate(&w->outcome, w->deviations, env->opt->driver);
	if (!strcmp(w->outcome.type, "known-failure") && *w->grave.type)
		w->outcome = w->grave;
	if (w->outcome.verdict != PV_PASS)
		pv_case_folder_trim(&w->folder, env->opt->max_artefact_bytes);
	w->state = PV_WORKER_GONE;
}

/* False: the folder of the attempt stays that of the case, or cannot be written. */
static bool put_aside(struct pv_worker *w, const struct pv_worker_env *env)
{
	pv_case_folder_close(&w->folder, env->opt->keep, false, NULL);
	if (!w->folder.err && *w->folder.path)
		pv_case_folder_put_aside(&w->folder, w->attempt);
	return !w->folder.err;
}

bool pv_worker_conclude(struct pv_worker *w, const struct pv_worker_env *env, bool ending)
{
	bool again =
		!ending && w->outcome.verdict == PV_ERROR && w->attempt < env->opt->retry_errors && put_aside(w, env);

	journal_end(w, env, again ? "attempt" : "verdict");
	if (!again)
		pv_case_folder_close(&w->folder, env->opt->keep, w->outcome.verdict == PV_PASS, env->spare);
	return again;
}

static void note_status(struct pv_worker *w, const siginfo_t *info, const char *program)
{
	if (info->si_code == CLD_EXITED)
		w->end.status = info->si_status;
	else
		w->end.signal = info->si_status;
	char text[512];
	pv_utf8_print(text, sizeof(text), "%s: the agent could not be started; its log says why", program);
	if (w->end.status == PV_SPAWN_FAILED && !w->transcript.hello)
		set_cause(w, PV_END_UNSTARTED, 0, text);
}

void pv_worker_reap(struct pv_worker *w, const struct pv_worker_env *env)
{
	siginfo_t info = {0};
	if (w->state == PV_WORKER_IDLE || w->state == PV_WORKER_GONE)
		return;
	if (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	/* While it is a zombie, its group id cannot be reused: kill the processes that it left. */
	send_signal(w, SIGKILL);
	/* Does not read to the end of the stream: a process that left the group may hold it open. */
	for (int i = 0; i < DRAIN_READS && read_events(w, env); i++)
		;
	for (int i = 0; i < DRAIN_READS && read_log(w); i++)
		;
	waitpid(w->pid, NULL, 0);
	note_rest(w);
	note_status(w, &info, pv_runner_agent(env->opt));
	finish(w, env);
}

/* ---- its beginning ---- */

static void begin(struct pv_worker *w, const struct pv_worker_env *env, const struct pv_job *job, size_t index,
		  unsigned attempt)
{
	*w = (struct pv_worker){.job = job,
				.index = index,
				.attempt = attempt,
				.in = -1,
				.out = -1,
				.err = -1,
				.line = {-1, -1},
				.folder = {.log = -1}};
	w->begun_ms = pv_now_ms();
	w->memory_ms = w->begun_ms + MEMORY_MS;
	pv_transcript_begin(&w->transcript);
	json_object *o = json_object_new_object();
	pv_json_uint(o, "at_ms", w->begun_ms - env->begun_ms);
	pv_journal_add(env->journal, "start", (int)index, o);
	/* A case on hardware may crash this machine: record on disk that it has begun. */
	if (strcmp(env->opt->target, "model"))
		pv_journal_sync(env->journal);
}

static int make_message(struct pv_worker *w, const struct pv_worker_env *env)
{
	json_object *of_plan = env->opt->case_json ? env->opt->case_json(w->job) : NULL;

	w->deviations = pv_deviations_of(env->opt->deviations, json_object_object_get(of_plan, "deviations"),
					 w->job->plan, w->job->name, w->job->formerly);
	w->steps = of_plan ? json_object_get(json_object_object_get(of_plan, "steps")) : NULL;
	w->transcript.steps = json_object_is_type(w->steps, json_type_array) ? w->steps : NULL;
	json_object_put(of_plan);
	w->message = pv_case_message(env->opt, w->job, w->line, w->folder.path);
	w->message_size = w->message ? strlen(w->message) : 0;
	return w->message ? 0 : -ENOMEM;
}

static int start(struct pv_worker *w, const struct pv_worker_env *env, struct pv_error *e)
{
	struct pv_agent_process child;
	int err = pv_case_folder_make(&w->folder, env->folder, w->job, w->index, env->opt->goes_on, env->spare);

	if (!err)
		err = join_line(w, env, e);
	if (!err)
		err = make_message(w, env);
	if (!err)
		err = pv_agent_start(pv_runner_agent(env->opt), &env->mask, w->line, &child);
	if (err)
		return e->code ? err : pv_error(e, err, "%s", strerror(-err));
	w->pid = child.pid;
	w->in = child.in;
	w->out = child.out;
	w->err = child.err;
	double scale = env->opt->timeout_scale > 0 ? env->opt->timeout_scale : 1;
	w->deadline_ms = w->begun_ms + (uint64_t)(w->job->timeout_s * 1000.0 * scale);
	w->state = PV_WORKER_RUNS;
	return 0;
}

static void start_or_finish(struct pv_worker *w, const struct pv_worker_env *env)
{
	struct pv_error e = {0};
	int err = start(w, env, &e);

	if (!err)
		return;
	pv_error_context(&e, "the case could not be started: ");
	set_cause(w, PV_END_UNSTARTED, 0, e.text);
	finish(w, env);
}

void pv_worker_start(struct pv_worker *w, const struct pv_worker_env *env, const struct pv_job *job, size_t index)
{
	begin(w, env, job, index, 0);
	start_or_finish(w, env);
}

void pv_worker_retry(struct pv_worker *w, const struct pv_worker_env *env)
{
	const struct pv_job *job = w->job;
	size_t index = w->index;
	unsigned attempt = w->attempt + 1;

	pv_worker_clear(w);
	begin(w, env, job, index, attempt);
	start_or_finish(w, env);
}

void pv_worker_init(struct pv_worker *w)
{
	*w = (struct pv_worker){.in = -1, .out = -1, .err = -1, .line = {-1, -1}, .folder = {.log = -1}};
}

void pv_worker_clear(struct pv_worker *w)
{
	close_fd(&w->in);
	close_fd(&w->out);
	close_fd(&w->err);
	pv_case_folder_close(&w->folder, true, false, NULL);
	free(w->message);
	pv_lines_free(&w->lines);
	json_object_put(w->deviations);
	json_object_put(w->steps);
	json_object_put(w->figures);
	json_object_put(w->rules);
	pv_worker_init(w);
}
