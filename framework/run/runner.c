/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of a run: starts cases while workers are free, waits for the next event, and lets each worker act. One
 * thread, one poll(2); worker.c handles a case.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "framework/run/agents.h"
#include "framework/run/progress.h"
#include "framework/run/worker.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

enum {
	WORKERS_MAX = PV_PROGRESS_RUNNING,
	TICK_MS = 200, /* between two checks of the deadlines and the memory of cases */
	GAP_MS = 300,  /* ordinary delay of the loop */
};

struct runner {
	const struct pv_run_options *opt;
	const struct pv_job *jobs;
	size_t n_jobs, next; /* next: the first not begun */
	struct pv_worker *workers;
	size_t n_workers, n_wanted;
	struct pollfd *fds; /* PV_WORKER_FDS for each worker, then the signals */
	struct pv_worker_env env;
	char spare[PATH_MAX]; /* env.spare */
	struct pv_journal journal;
	struct pv_progress progress;
	uint64_t due_ms;	      /* when poll(2) should have returned */
	int signals;		      /* signalfd */
	int interrupts;		      /* how often the user asked to stop */
	size_t n_bad;		      /* cases that failed or could not be judged */
	bool tainted;		      /* the culprit's kernel became tainted (--abort-on-taint) */
	size_t n_healthy;	      /* cases of the first plan that passed (--health-check) */
	const struct pv_job *culprit; /* the case that --fail-fast and its like stop after */
	char why[128];		      /* "interrupted by SIGINT" */
	bool deaf;		      /* poll(2) failed */
	int err;		      /* the run folder cannot be written, or nothing waited for: -errno */
};

static bool stopping(const struct runner *r)
{
	return r->interrupts || r->culprit || r->err;
}

/* ---- signals ---- */

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGWINCH};

static bool is_ignored(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

/*
 * Signals that were ignored when the runner started stay ignored (nohup). SIGCHLD does not: the kernel would reap the
 * children, and the runner's wait would find none. SIGPIPE and SIGXFSZ are ignored: a closed pipe and a limit of file
 * sizes are errors of the write.
 */
static int open_signals(struct runner *r)
{
	sigset_t set;

	sigemptyset(&set);
	signal(SIGCHLD, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		if (!is_ignored(handled[i]))
			sigaddset(&set, handled[i]);
	sigprocmask(SIG_BLOCK, &set, &r->env.mask);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signals < 0 ? -errno : 0;
}

static void stop_workers(struct runner *r, const char *why, bool now)
{
	for (size_t i = 0; i < r->n_workers; i++)
		pv_worker_stop(&r->workers[i], &r->env, why, now);
}

/* First signal: SIGTERM, cases restore their targets. Second: SIGKILL. */
static void interrupt(struct runner *r, int sig)
{
	r->interrupts++;
	snprintf(r->why, sizeof(r->why), "interrupted by SIG%s", sigabbrev_np(sig));
	stop_workers(r, r->why, r->interrupts > 1);
	pv_progress_note(&r->progress, r->interrupts > 1
					       ? "killing the running cases"
					       : "stopping: the running cases are asked to end; again to kill them");
}

static void reap_workers(struct runner *r)
{
	for (size_t i = 0; i < r->n_workers; i++)
		pv_worker_reap(&r->workers[i], &r->env);
}

static void take_signals(struct runner *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			pv_progress_resize(&r->progress);
		else if (info.ssi_signo != SIGCHLD)
			interrupt(r, (int)info.ssi_signo);
	}
	/* One SIGCHLD may stand for several children. */
	reap_workers(r);
}

static void close_signals(struct runner *r)
{
	if (r->signals < 0)
		return;
	take_signals(r);
	close(r->signals);
	sigprocmask(SIG_SETMASK, &r->env.mask, NULL);
}

/* ---- cases ---- */

static void journal_skip(struct runner *r, size_t index, const struct pv_outcome *o)
{
	json_object *line = json_object_new_object();

	pv_json_string(line, "verdict", pv_verdict_name(o->verdict));
	pv_json_string(line, "type", o->type);
	pv_json_string(line, "message", o->message);
	pv_json_int(line, "ms", 0);
	pv_journal_add(&r->journal, "verdict", (int)index, line);
	pv_progress_end(&r->progress, &r->jobs[index], o, 0);
}

/*
 * Cases that the plan skips get their verdict without a process; cases that ran before are not changed.
 */
static void skip_cases(struct runner *r)
{
	for (; r->next < r->n_jobs && (r->jobs[r->next].skip || r->jobs[r->next].before); r->next++) {
		struct pv_outcome o;

		if (r->jobs[r->next].before)
			continue;
		const struct pv_job *job = &r->jobs[r->next];
		pv_outcome_set(&o, PV_SKIP, job->skip_type ? job->skip_type : "plan", "%s", job->skip);
		journal_skip(r, r->next, &o);
	}
}

static bool is_health_check(const struct runner *r, const struct pv_job *job)
{
	return r->opt->health_check && !strcmp(job->plan, r->jobs[0].plan);
}

/* Ends the run at the first case behind the health check if none of its cases passed. */
static void check_health(struct runner *r)
{
	if (r->next < r->n_jobs && r->opt->health_check && !r->n_healthy && !is_health_check(r, &r->jobs[r->next]))
		r->culprit = &r->jobs[0];
}

static void start_cases(struct runner *r)
{
	for (size_t i = 0; i < r->n_workers && !stopping(r); i++) {
		struct pv_worker *w = &r->workers[i];

		if (w->state != PV_WORKER_IDLE)
			continue;
		skip_cases(r);
		check_health(r);
		if (r->next == r->n_jobs || r->culprit)
			return;
		pv_progress_start(&r->progress, &r->jobs[r->next]);
		pv_worker_start(w, &r->env, &r->jobs[r->next], r->next);
		r->next++;
	}
}

/* Returns the number of bad cases that end the run, and the option; 0: no limit. */
static size_t most_bad(const struct pv_run_options *opt, const char **option)
{
	*option = opt->until_failure ? "--until-failure" : opt->fail_fast ? "--fail-fast" : "--max-fail";
	return opt->max_fail && !opt->fail_fast ? opt->max_fail : opt->until_failure || opt->fail_fast;
}

static void count_bad(struct runner *r, const struct pv_job *job, enum pv_verdict verdict)
{
	const char *option;
	size_t most = most_bad(r->opt, &option);

	r->n_healthy += verdict == PV_PASS && is_health_check(r, job);
	if (verdict != PV_FAIL && verdict != PV_ERROR)
		return;
	r->n_bad++;
	if (!r->culprit && (is_health_check(r, job) || (most && r->n_bad >= most)))
		r->culprit = job;
}

/* Ends the run after a case during which the kernel became tainted, even if that is a known failure. */
static void check_taint(struct runner *r, const struct pv_worker *w)
{
	if (r->culprit || !r->opt->abort_on_taint || !w->transcript.tainted)
		return;
	r->culprit = w->job;
	r->tainted = true;
}

/* A case that has begun reaches its verdict, unless the run is interrupted. */
static bool run_again(struct runner *r, struct pv_worker *w)
{
	if (!pv_worker_conclude(w, &r->env, r->interrupts || r->err))
		return false;
	pv_progress_retry(&r->progress, w->job, &w->outcome, w->elapsed_ms);
	pv_worker_retry(w, &r->env);
	return true;
}

static void collect(struct runner *r, struct pv_worker *w)
{
	check_taint(r, w);
	if (run_again(r, w))
		return;
	pv_progress_end(&r->progress, w->job, &w->outcome, w->elapsed_ms);
	count_bad(r, w->job, w->outcome.verdict);
	if (w->folder.err && !r->err)
		r->err = w->folder.err;
	pv_worker_clear(w);
}

/* Counts the cases that ended. Stops the run after an error, for example when the run folder cannot be written. */
static void collect_cases(struct runner *r)
{
	for (size_t i = 0; i < r->n_workers; i++)
		if (r->workers[i].state == PV_WORKER_GONE)
			collect(r, &r->workers[i]);
	if (r->journal.err && !r->err)
		r->err = r->journal.err;
	if (r->err && !*r->why)
		snprintf(r->why, sizeof(r->why), "the run folder cannot be written: %s", strerror(-r->err));
	if (r->err)
		stop_workers(r, r->why, false);
}

/* ---- the loop ---- */

static bool busy(const struct runner *r)
{
	for (size_t i = 0; i < r->n_workers; i++)
		if (r->workers[i].state != PV_WORKER_IDLE)
			return true;
	return r->next < r->n_jobs && !stopping(r);
}

/*
 * If the loop is late, it was not running: it was stopped (Ctrl-Z, SIGSTOP), the machine was suspended, or a disk or
 * another process delayed it. Output of the cases waits in their pipes, so this time does not count for them.
 */
static void forgive_gap(struct runner *r, uint64_t now)
{
	if (!r->due_ms || now <= r->due_ms + GAP_MS)
		return;
	for (size_t i = 0; i < r->n_workers; i++)
		pv_worker_shift(&r->workers[i], r->due_ms, now);
}

/* Acts on deadlines that have passed. Returns how long poll may sleep, which is short, so that it hides no gap. */
static int tick(struct runner *r)
{
	uint64_t now = pv_now_ms(), next = pv_progress_tick(&r->progress, now);

	forgive_gap(r, now);
	for (size_t i = 0; i < r->n_workers; i++) {
		uint64_t due = pv_worker_tick(&r->workers[i], &r->env, now);

		if (due < next)
			next = due;
	}
	int sleep_ms = next <= now ? 0 : next - now > TICK_MS ? TICK_MS : (int)(next - now);
	r->due_ms = now + (uint64_t)sleep_ms;
	return sleep_ms;
}

/* Kills the cases and waits for their ends: without poll(2) the runner learns nothing else about them. */
static void give_up_waiting(struct runner *r, int err)
{
	const struct timespec moment = {.tv_nsec = 10 * 1000000L};

	if (!r->err) {
		r->err = -err;
		r->deaf = true;
		snprintf(r->why, sizeof(r->why), "the cases cannot be waited for: poll: %s", strerror(err));
		stop_workers(r, r->why, true);
	}
	nanosleep(&moment, NULL);
	take_signals(r);
}

static void wait_and_act(struct runner *r)
{
	size_t n = r->n_workers * PV_WORKER_FDS;
	int sleep_ms = tick(r);

	for (size_t i = 0; i < r->n_workers; i++)
		pv_worker_poll(&r->workers[i], &r->fds[i * PV_WORKER_FDS]);
	r->fds[n] = (struct pollfd){.fd = r->signals, .events = POLLIN};
	int ready = poll(r->fds, n + 1, sleep_ms);
	if (ready < 0 && errno != EINTR)
		give_up_waiting(r, errno);
	if (ready <= 0)
		return;
	for (size_t i = 0; i < r->n_workers; i++)
		pv_worker_ready(&r->workers[i], &r->env, &r->fds[i * PV_WORKER_FDS]);
	if (r->fds[n].revents)
		take_signals(r);
}

static void run_cases(struct runner *r)
{
	while (busy(r)) {
		start_cases(r);
		collect_cases(r);
		if (busy(r))
			wait_and_act(r);
		collect_cases(r);
	}
}

/* ---- beginning and end ---- */

/* Pipes to a child must not get the numbers of its standard streams (a runner may be started without them). */
static void occupy_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static size_t open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/*
 * A worker holds pipes and a log. Starting one also needs the other ends of its pipes, and the runner a few for itself.
 * poll(2) takes no more entries than there may be descriptors.
 */
static size_t workers_that_fit(void)
{
	enum { EACH = PV_WORKER_FDS + 1, OURS = 8 };
	struct rlimit limit;
	size_t taken = open_descriptors() + OURS;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return WORKERS_MAX;
	return limit.rlim_cur < taken + EACH ? 0 : (size_t)(limit.rlim_cur - taken) / EACH;
}

/* 0: not even one. */
static size_t count_workers(struct runner *r)
{
	size_t wanted = r->opt->workers ? r->opt->workers : 1, fit = workers_that_fit();

	if (wanted > WORKERS_MAX)
		wanted = WORKERS_MAX;
	if (wanted > r->n_jobs && r->n_jobs)
		wanted = r->n_jobs;
	r->n_wanted = wanted;
	return wanted < fit ? wanted : fit;
}

static void note_fewer_workers(struct runner *r)
{
	char text[128];

	if (r->n_workers == r->n_wanted)
		return;
	snprintf(text, sizeof(text), "%zu case%s at a time, not %zu: there may be no more open files (ulimit -n)",
		 r->n_workers, r->n_workers == 1 ? "" : "s", r->n_wanted);
	pv_progress_note(&r->progress, text);
}

/* Printed at the start, so that a run that crashes can be repeated. */
static void note_order(struct runner *r)
{
	char text[96];

	if (!r->opt->shuffle || r->opt->quiet)
		return;
	snprintf(text, sizeof(text), "in another order: --shuffle=%s", r->opt->shuffle);
	pv_progress_note(&r->progress, text);
}

static int steal_claim(struct pv_run_folder *folder)
{
	int claim = folder->claim;

	folder->claim = -1;
	return claim;
}

static int begin(struct runner *r, struct pv_run_folder *folder, struct pv_error *e)
{
	occupy_standard_streams();
	const char *program = pv_runner_agent(r->opt);
	if (access(program, X_OK))
		return pv_error(e, -errno, "%s: cannot be run as the agent: %s", program, strerror(errno));
	r->n_workers = count_workers(r);
	if (!r->n_workers)
		return pv_error(e, -EMFILE, "no case can be run with so few open files; raise `ulimit -n`");
	r->workers = calloc(r->n_workers, sizeof(*r->workers));
	for (size_t i = 0; r->workers && i < r->n_workers; i++)
		pv_worker_init(&r->workers[i]);
	r->fds = calloc(r->n_workers * PV_WORKER_FDS + 1, sizeof(*r->fds));
	r->env.folder = realpath(folder->path, NULL);
	if (!r->workers || !r->fds || !r->env.folder)
		return pv_error(e, -errno, "%s: %s", folder->path, strerror(errno));
	int err = pv_journal_open(&r->journal, folder->path, steal_claim(folder), e);
	if (err)
		return err;
	err = open_signals(r);
	return err ? pv_error(e, err, "signals cannot be received: %s", strerror(-err)) : 0;
}

/* A resumed run continues the earlier run's clock, and its count of failures for --fail-fast. */
static void take_up(struct runner *r)
{
	json_object *o = json_object_new_object();

	for (size_t i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].before)
			count_bad(r, &r->jobs[i], r->jobs[i].before->verdict);
	pv_json_uint(o, "at_ms", pv_now_ms() - r->env.begun_ms);
	pv_journal_add(&r->journal, "resume", -1, o);
}

static size_t to_run(const struct runner *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_jobs; i++)
		n += !r->jobs[i].before;
	return n;
}

static void skip_after_culprit(struct runner *r)
{
	const char *option;

	most_bad(r->opt, &option);
	if (r->culprit && is_health_check(r, r->culprit))
		option = "--health-check";
	if (r->tainted)
		option = "--abort-on-taint";
	for (; r->culprit && !r->interrupts && r->next < r->n_jobs; r->next++) {
		struct pv_outcome o;

		if (r->jobs[r->next].before || (r->opt->until_failure && r->jobs[r->next].round > 1))
			continue;
		pv_outcome_set(&o, PV_SKIP, "fail-fast", "not run: %s after %s/%s", option, r->culprit->plan,
			       r->culprit->name);
		journal_skip(r, r->next, &o);
	}
}

static void end(struct runner *r)
{
	json_object *o = json_object_new_object();

	pv_json_bool(o, "interrupted", r->interrupts);
	if (*r->why)
		pv_json_string(o, "why", r->why);
	pv_json_uint(o, "at_ms", pv_now_ms() - r->env.begun_ms);
	pv_journal_add(&r->journal, "end", -1, o);
}

static void release(struct runner *r)
{
	pv_agents_end();
	close_signals(r);
	for (size_t i = 0; r->workers && i < r->n_workers; i++)
		pv_worker_clear(&r->workers[i]);
	if (*r->spare)
		rmdir(r->spare);
	free(r->workers);
	free(r->fds);
	free((char *)r->env.folder);
}

/* Closes the journal. Returns the first failure of the run, which began with `err`. */
static int finish(struct runner *r, const char *folder, int err, struct pv_error *e)
{
	bool replaced = !pv_journal_is_in(&r->journal, folder);
	int journal_err = pv_journal_close(&r->journal);

	if (err)
		return err;
	if (replaced)
		return pv_error(e, -EXDEV,
				"results folder %s is another one than the run began: it was replaced while the run "
				"went on, and the old one has the results",
				folder);
	err = r->err ? r->err : journal_err;
	return err ? pv_error(e, err, "%s: %s: %s; the run was ended", folder,
			      r->deaf ? "the cases cannot be waited for" : "the results cannot be written",
			      strerror(-err))
		   : 0;
}

int pv_run(struct pv_run_folder *folder, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
	   struct pv_error *e)
{
	struct runner r = {.opt = opt, .jobs = jobs, .n_jobs = n, .signals = -1, .journal = {.fd = -1}};

	r.env = (struct pv_worker_env){.opt = opt, .journal = &r.journal, .spare = r.spare, .begun_ms = pv_now_ms()};
	if (opt->goes_on)
		r.env.begun_ms -= (uint64_t)(opt->goes_on->result->seconds * 1000);
	int err = begin(&r, folder, e);
	if (!err) {
		pv_progress_begin(&r.progress, opt, to_run(&r), r.env.begun_ms);
		note_fewer_workers(&r);
		note_order(&r);
		if (opt->goes_on)
			take_up(&r);
		run_cases(&r);
		skip_after_culprit(&r);
		pv_progress_finish(&r.progress);
		end(&r);
	}
	release(&r);
	pv_run_folder_unclaim(folder);
	return finish(&r, folder->path, err, e);
}
