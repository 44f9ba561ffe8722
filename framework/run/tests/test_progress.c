/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the progress that is shown during a run. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/progress.h"
#include "framework/run/tests/run_fixture.h"

struct screen {
	struct pv_progress progress;
	struct pv_run_options opt;
	char *text;
	size_t n;
};

static const struct pv_job jobs[] = {
	{.plan = "ptt-tune", .name = "set[level=2]", .file = "scenarios/ptt-tune.xml", .line = 12},
	{.plan = "ptt-tune", .name = "a-case-with-a-rather-long-name-that-cannot-fit-into-eighty-columns-at-all"},
	{.plan = "mps", .name = "safe"},
};

static void screen_open(struct screen *s, bool live, bool verbose)
{
	memset(s, 0, sizeof(*s));
	s->opt = (struct pv_run_options){.live = live, .verbose = verbose};
	s->opt.out = open_memstream(&s->text, &s->n);
	pv_progress_begin(&s->progress, &s->opt, 20, 1000);
}

static const char *shown(struct screen *s)
{
	fflush(s->opt.out);
	return s->text;
}

static void screen_close(struct screen *s)
{
	fclose(s->opt.out);
	free(s->text);
}

static void end(struct screen *s, enum pv_verdict v, const char *type, const char *message)
{
	struct pv_outcome o;

	pv_outcome_set(&o, v, type, "%s", message);
	pv_progress_end(&s->progress, &jobs[0], &o, 12);
}

Test(progress, a_pipe_gets_a_line_per_case)
{
	struct screen s;

	screen_open(&s, false, false);
	end(&s, PV_PASS, "", "");
	end(&s, PV_FAIL, "check", "expected 2, got 1");
	end(&s, PV_SKIP, "target", "no CXL");
	cr_expect_eq(pv_progress_tick(&s.progress, 99999), UINT64_MAX);
	pv_progress_finish(&s.progress);
	cr_expect_str_eq(shown(&s),
			 "PASS ptt-tune/set[level=2] (0.012 s)\n"
			 "FAIL ptt-tune/set[level=2] (0.012 s): scenarios/ptt-tune.xml:12: expected 2, got 1\n"
			 "SKIP ptt-tune/set[level=2] (0.012 s): no CXL\n");
	screen_close(&s);
}

Test(progress, a_terminal_gets_a_line_that_is_redrawn_and_cleared)
{
	struct screen s;

	screen_open(&s, true, false);
	pv_progress_start(&s.progress, &jobs[0]);
	pv_progress_tick(&s.progress, 66000);
	pv_progress_finish(&s.progress);
	cr_expect_str_eq(shown(&s), "\r[0/20] 1:05 | ptt-tune/set[level=2]\033[K\r\033[K");
	screen_close(&s);
}

Test(progress, the_line_names_the_cases_that_run)
{
	struct screen s;

	screen_open(&s, true, false);
	pv_progress_start(&s.progress, &jobs[0]);
	pv_progress_start(&s.progress, &jobs[2]);
	pv_progress_tick(&s.progress, 2000);
	end(&s, PV_FAIL, "check", "expected 2, got 1");
	pv_progress_tick(&s.progress, 3000);
	cr_expect_str_eq(shown(&s),
			 "\r[0/20] 0:01 | ptt-tune/set[level=2], mps/safe\033[K\r\033[K"
			 "FAIL ptt-tune/set[level=2] (0.012 s): scenarios/ptt-tune.xml:12: expected 2, got 1\n"
			 "\r[1/20] 0:02  1 failed | mps/safe\033[K");
	screen_close(&s);
}

Test(progress, on_a_terminal_only_what_is_wrong_scrolls_by)
{
	struct screen s;

	screen_open(&s, true, false);
	end(&s, PV_PASS, "", "");
	cr_expect_str_eq(shown(&s), "");
	end(&s, PV_ERROR, "crash", "killed");
	cr_expect_str_eq(shown(&s), "ERROR ptt-tune/set[level=2] (0.012 s): scenarios/ptt-tune.xml:12: killed\n");
	screen_close(&s);
}

Test(progress, is_drawn_at_most_ten_times_a_second)
{
	struct screen s;

	screen_open(&s, true, false);
	for (uint64_t ms = 2000; ms < 3000; ms++)
		pv_progress_tick(&s.progress, ms);
	size_t drawn = 0;
	for (const char *c = shown(&s); *c; c++)
		drawn += *c == '\r';
	cr_expect_eq(drawn, 10, "got %zu", drawn);
	screen_close(&s);
}

Test(progress, never_reaches_the_last_column)
{
	struct screen s;

	screen_open(&s, true, false);
	pv_progress_start(&s.progress, &jobs[1]);
	pv_progress_start(&s.progress, &jobs[0]);
	pv_progress_tick(&s.progress, 2000);
	cr_expect_eq(strcspn(shown(&s) + 1, "\033"), 79);
	screen_close(&s);
}

Test(progress, a_run_without_output_shows_nothing)
{
	struct pv_progress p;
	const struct pv_run_options opt = {0};

	pv_progress_begin(&p, &opt, 1, 0);
	pv_progress_start(&p, &jobs[0]);
	pv_progress_note(&p, "x");
	cr_expect_eq(pv_progress_tick(&p, 5000), UINT64_MAX);
	pv_progress_finish(&p);
}
