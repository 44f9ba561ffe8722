/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast requests and AUX data pass between client and server, two processes with a pair of pipes between them, and
 * how much memory both ends take for a long trace. Behind the server is the fake driver, whose work is in the figures.
 * Run with `meson test --benchmark -v`, in a release build.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/far/frames.h"
#include "framework/far/tests/fake.h"

#define REQUESTS     100000u
#define COMMIT_BYTES (4u << 20) /* a buffer of Linux's hisi_ptt */
#define COMMITS	     256u	/* 1 GiB */
#define AUX_MAX	     (32u << 20)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double mebibytes(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_maxrss / 1024;
}

/* ---- the far side ---- */

/* A commit whenever time passes. */
static int wait_and_commit(struct pv_machine *m, uint64_t ns)
{
	struct fake *f = (struct fake *)((char *)m - offsetof(struct fake, machine));

	f->commits = f->next = 0;
	fake_commit(f, COMMIT_BYTES, 0);
	return fake_machine_ops.wait(m, ns);
}

static _Noreturn void serve(int in, int out)
{
	static uint8_t request[PV_FAR_MESSAGE_MAX], answer[PV_FAR_MESSAGE_MAX];
	const struct pv_frames frames = {.in = in, .out = out, .timeout_ms = -1};
	struct pv_machine_ops ops = fake_machine_ops;
	struct fake f;
	int64_t n;

	fake_init(&f);
	ops.wait = wait_and_commit;
	f.machine.ops = &ops;
	struct pv_far_server *s = pv_far_server_new(&(struct pv_far_tables){
		.driver = &f.driver, .machine = &f.machine, .system = "bench", .aux_max = AUX_MAX});
	while ((n = pv_frames_read(&frames, request, sizeof(request))) > 0)
		if (pv_frames_write(&frames, answer, pv_far_serve(s, request, (size_t)n, answer, sizeof(answer))))
			_exit(1);
	pv_far_server_free(s);
	_exit(n != -EPIPE);
}

static pid_t start(struct pv_frames *frames)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		close(to[1]);
		close(from[0]);
		serve(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	*frames = (struct pv_frames){.in = from[0], .out = to[1], .timeout_ms = 60000};
	return pid;
}

/* ---- this side ---- */

static void print(const char *what, double figure, const char *unit, double goal)
{
	printf("  %-34s %10.0f %s (goal %.0f: %s)\n", what, figure, unit, goal, figure >= goal ? "met" : "MISSED");
}

static bool bench_requests(struct pv_driver *d)
{
	double start = now();

	for (unsigned i = 0; i < REQUESTS; i++)
		if (!d->ops->pmu_name(d, 0))
			return false;
	print("requests", REQUESTS / (now() - start), "/s", 20000);
	return true;
}

static int count_bytes(void *ctx, const void *data, size_t len, uint32_t flags)
{
	(void)data, (void)flags;
	*(uint64_t *)ctx += len;
	return 0;
}

static bool bench_trace(struct pv_driver *d, struct pv_machine *m)
{
	uint64_t bytes = 0;
	struct pv_perf_event *ev;
	double start;
	int err = d->ops->event_open(d, "p0", &(struct pv_perf_attr){.aux = true}, NULL, count_bytes, &bytes, &ev);

	if (err)
		return false;
	d->ops->event_enable(d, ev);
	start = now();
	for (unsigned i = 0; i < COMMITS && !err; i++)
		err = m->ops->wait(m, 1);
	if (err || bytes != (uint64_t)COMMITS * COMMIT_BYTES)
		return false;
	print("AUX data", (double)bytes / 1e6 / (now() - start), "MB/s", 200);
	d->ops->event_close(d, ev);
	return true;
}

int main(void)
{
	struct pv_frames frames;
	struct pv_far_client *c;
	struct pv_error e = {.text = ""};
	int status = 1;

	signal(SIGPIPE, SIG_IGN);
	pid_t pid = start(&frames);
	bool good = pid > 0 && !pv_far_connect(&c, pv_frames_exchange, &frames, &e) &&
		    bench_requests(pv_far_driver(c)) && bench_trace(pv_far_driver(c), pv_far_machine(c));
	if (!good) {
		fprintf(stderr, "the far side did not do what was asked; %s\n", e.text);
		return 1;
	}
	pv_far_close(c);
	close(frames.out);
	waitpid(pid, &status, 0);
	printf("  1 GiB of AUX data: at most %.0f MiB of memory here, %.0f MiB there\n", mebibytes(RUSAGE_SELF),
	       mebibytes(RUSAGE_CHILDREN));
	return status != 0;
}
