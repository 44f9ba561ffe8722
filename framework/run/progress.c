/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live line and the lines of cases. */
#include "framework/run/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"
#include "reports/terminal.h"
#include "reports/xmltext.h"

enum { REDRAW_MS = 100, WIDTH = 80, LINE_BYTES = 1024 };

void pv_progress_resize(struct pv_progress *p)
{
	struct winsize size = {0};
	int fd = p->out ? fileno(p->out) : -1;
	bool known = fd >= 0 && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col > 1;

	p->width = known ? size.ws_col : WIDTH;
}

void pv_progress_begin(struct pv_progress *p, const struct pv_run_options *opt, size_t total, uint64_t now_ms)
{
	*p = (struct pv_progress){.out = opt->out,
				  .live = opt->live,
				  .colour = opt->colour,
				  .verbose = opt->verbose,
				  .quiet = opt->quiet,
				  .total = total,
				  .begun_ms = now_ms};
	pv_progress_resize(p);
}

/* ---- the live line ---- */

static void clear_line(struct pv_progress *p)
{
	if (p->on_screen)
		fputs("\r\033[K", p->out);
	p->on_screen = false;
}

/* Truncates to `columns` characters of one column each: names of cases are ASCII. */
static void cut_to_columns(char *line, int columns)
{
	char *s = line;

	for (int column = 0; *s && column < columns; column++) {
		unsigned code;
		size_t n = pv_utf8_decode(s, &code);

		s += n ? n : 1;
	}
	*s = 0;
}

static void append(char line[LINE_BYTES], const char *text)
{
	size_t n = strlen(line);

	snprintf(line + n, LINE_BYTES - n, "%s", text);
}

static void append_running(const struct pv_progress *p, char line[LINE_BYTES])
{
	const char *before = " | ";

	for (size_t i = 0; i < PV_PROGRESS_RUNNING; i++) {
		const struct pv_job *job = p->running[i];

		if (!job)
			continue;
		_autofree_ char *name = pv_text_line(job->name);
		append(line, before);
		append(line, job->plan);
		append(line, "/");
		append(line, name ? name : "?");
		before = ", ";
	}
}

static void draw(struct pv_progress *p, uint64_t now_ms)
{
	char line[LINE_BYTES];
	unsigned long long s = (now_ms - p->begun_ms) / 1000;

	snprintf(line, sizeof(line), "[%zu/%zu] %llu:%02llu", p->done, p->total, s / 60, s % 60);
	static const char *const words[PV_VERDICTS] = {NULL, "failed", "errors", "skipped"};
	for (int v = PV_FAIL; v < PV_VERDICTS; v++) {
		char text[64];

		snprintf(text, sizeof(text), "  %zu %s", p->count[v], words[v]);
		if (p->count[v])
			append(line, text);
	}
	append_running(p, line);
	/* One column stays free, or the terminal goes to the next line. */
	cut_to_columns(line, p->width - 1);
	fprintf(p->out, "\r%s\033[K", line);
	fflush(p->out);
	p->on_screen = true;
	p->drawn_ms = now_ms;
}

uint64_t pv_progress_tick(struct pv_progress *p, uint64_t now_ms)
{
	if (!p->out || !p->live)
		return UINT64_MAX;
	if (now_ms >= p->drawn_ms + REDRAW_MS)
		draw(p, now_ms);
	return p->drawn_ms + REDRAW_MS;
}

/* ---- cases ---- */

void pv_progress_start(struct pv_progress *p, const struct pv_job *job)
{
	for (size_t i = 0; i < PV_PROGRESS_RUNNING; i++) {
		if (!p->running[i]) {
			p->running[i] = job;
			return;
		}
	}
}

static void forget(struct pv_progress *p, const struct pv_job *job)
{
	for (size_t i = 0; i < PV_PROGRESS_RUNNING; i++)
		if (p->running[i] == job)
			p->running[i] = NULL;
}

static void print_case(struct pv_progress *p, const struct pv_job *job, const struct pv_outcome *o, uint64_t ms,
		       const char *note)
{
	char round[24] = "";

	if (job->round > 1)
		snprintf(round, sizeof(round), " #%u", job->round);
	char time[32];
	_autofree_ char *name = pv_text_line(job->name);
	fprintf(p->out, "%s%s%s %s/%s%s (%s s%s)", pv_verdict_colour(o->verdict, p->colour),
		pv_verdict_word(o->verdict), pv_colour_off(p->colour), job->plan, name ? name : "?", round,
		pv_seconds_text((double)ms / 1000, time), note);
	bool bad = o->verdict == PV_FAIL || o->verdict == PV_ERROR;
	bool placed = !strncmp(o->message, job->file, strlen(job->file));
	if (bad && !placed)
		fprintf(p->out, ": %s:%d", job->file, job->line);
	fputs(*o->message ? ": " : "", p->out);
	pv_terminal_text(o->message, strlen(o->message), "the journal", p->out);
	fputc('\n', p->out);
}

void pv_progress_end(struct pv_progress *p, const struct pv_job *job, const struct pv_outcome *o, uint64_t ms)
{
	forget(p, job);
	p->done++;
	p->count[o->verdict]++;
	if (!p->out || p->quiet)
		return;
	if (p->live && !p->verbose && o->verdict != PV_FAIL && o->verdict != PV_ERROR)
		return;
	clear_line(p);
	print_case(p, job, o, ms, "");
	fflush(p->out);
}

void pv_progress_retry(struct pv_progress *p, const struct pv_job *job, const struct pv_outcome *o, uint64_t ms)
{
	if (!p->out || p->quiet)
		return;
	clear_line(p);
	print_case(p, job, o, ms, "; run again");
	fflush(p->out);
}

void pv_progress_note(struct pv_progress *p, const char *text)
{
	if (!p->out)
		return;
	clear_line(p);
	fprintf(p->out, "%s\n", text);
	fflush(p->out);
}

void pv_progress_finish(struct pv_progress *p)
{
	if (!p->out)
		return;
	clear_line(p);
	fflush(p->out);
}
