/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of the page of a run: text, verdicts, links, bars. See html_page.h. */
#include "reports/html_page.h"

#include <string.h>
#include <time.h>

#include "framework/util/cleanup.h"
#include "framework/util/html.h"
#include "framework/util/utf8.h"
#include "reports/terminal.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

int pv_page_write(struct pv_page *p, void (*put)(struct pv_page *p, const void *what), const void *what,
		  const char *path, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n = 0;

	p->f = p->failed ? NULL : open_memstream(&text, &n);
	if (p->f)
		put(p, what);
	bool whole = p->f && !fclose(p->f) && !p->failed;
	return pv_report_write(path, whole ? text : NULL, n, e);
}

/* ---- text ---- */

static void put_clean(struct pv_page *p, const char *clean)
{
	if (clean)
		pv_html_put(clean, p->f);
	else
		p->failed = true;
}

void pv_page_line(struct pv_page *p, const char *s)
{
	_autofree_ char *clean = pv_text_line(s);

	put_clean(p, clean);
}

void pv_page_cell(struct pv_page *p, const char *head, const char *text)
{
	pv_html_td(head, NULL, p->f);
	pv_page_line(p, text);
	fputs("</td>", p->f);
}

/* Cuts to `limit` bytes or fewer, between characters. Returns the number of bytes removed. */
static size_t cut(char *s, size_t limit)
{
	size_t n = strlen(s), kept = pv_utf8_cut(s, n, limit);

	s[kept] = 0;
	return n - kept;
}

void pv_page_short(struct pv_page *p, const char *s, size_t limit)
{
	_autofree_ char *clean = pv_text_line(s);
	size_t gone = clean ? cut(clean, limit) : 0;

	put_clean(p, clean);
	if (gone)
		fputs("...", p->f);
}

void pv_page_pre(struct pv_page *p, const char *s, size_t limit)
{
	_autofree_ char *clean = pv_text_clean(s);
	size_t gone = clean ? cut(clean, limit < p->room ? limit : p->room) : 0;

	if (clean)
		p->room -= strlen(clean);
	/* An HTML parser ignores a newline directly after <pre>. */
	fputs("<pre>\n", p->f);
	put_clean(p, clean);
	fputs("</pre>\n", p->f);
	if (gone)
		fprintf(p->f, "<p class=\"dim\">%zu more bytes are left out here; the JSON report has them</p>\n",
			gone);
}

/* ---- cases ---- */

void pv_page_verdict(struct pv_page *p, enum pv_verdict v)
{
	fprintf(p->f, "<span class=\"v %s\">%s</span>", pv_verdict_name(v), pv_verdict_word(v));
}

bool pv_page_is_told(const struct pv_case_result *c)
{
	return pv_case_is_bad(c) || pv_case_is_known_failure(c);
}

void pv_page_name(struct pv_page *p, const struct pv_case_result *c)
{
	pv_page_line(p, c->name);
	if (c->round > 1)
		fprintf(p->f, " #%u", c->round);
}

void pv_page_case(struct pv_page *p, size_t index)
{
	const struct pv_case_result *c = &p->run->cases[index];

	fprintf(p->f, "<a href=\"#%c%zu\">", pv_page_is_told(c) ? 'b' : 'c', index);
	pv_page_line(p, c->plan);
	fputc('/', p->f);
	pv_page_name(p, c);
	fputs("</a>", p->f);
}

void pv_page_place(struct pv_page *p, const struct pv_case_result *c)
{
	pv_page_line(p, c->file);
	fprintf(p->f, ":%d", c->line);
}

/* Escapes all characters but the unreserved ones (RFC 3986 2.3) and the slash. */
static void put_url(FILE *f, const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

	for (; *s; s++)
		fprintf(f, strchr(plain, *s) ? "%c" : "%%%02X", (unsigned char)*s);
}

/* Returns the part of a path below the run folder; NULL: the path is elsewhere. */
static const char *below_folder(const struct pv_run_result *r, const char *path)
{
	size_t n = r->folder ? strlen(r->folder) : 0;

	if (!n || strncmp(path, r->folder, n) || (path[n] != '/' && path[n - 1] != '/'))
		return NULL;
	return path + n + strspn(path + n, "/");
}

/* Only files below the run folder become links, relative to the page, so that both can be moved together. */
void pv_page_artefacts(struct pv_page *p, const struct pv_case_result *c)
{
	for (char **a = c->artefacts; a && *a; a++) {
		const char *slash = strrchr(*a, '/'), *below = p->folder ? below_folder(p->run, *a) : NULL;

		fputs(a == c->artefacts ? "files " : ", ", p->f);
		if (below) {
			fputs("<a href=\"", p->f);
			put_url(p->f, p->folder);
			put_url(p->f, below);
			fputs("\">", p->f);
		}
		pv_page_line(p, below && slash ? slash + 1 : *a);
		if (below)
			fputs("</a>", p->f);
	}
}

/* ---- numbers ---- */

void pv_page_counts_head(struct pv_page *p)
{
	for (int v = 0; v < PV_VERDICTS; v++)
		fprintf(p->f, "<th scope=\"col\" class=\"n\">%s</th>", pv_verdict_name(v));
}

void pv_page_counts(struct pv_page *p, const size_t count[PV_VERDICTS])
{
	for (int v = 0; v < PV_VERDICTS; v++)
		fprintf(p->f, "<td class=\"n %s\" data-head=\"%s\">%zu</td>", count[v] ? pv_verdict_name(v) : "none",
			pv_verdict_name(v), count[v]);
}

/* Colours for pages served without their style. */
static const char *const plain_fills[PV_VERDICTS] = {
	[PV_PASS] = "green", [PV_FAIL] = "red", [PV_ERROR] = "purple", [PV_SKIP] = "orange"};

/* Makes every share visible, even one failure of a thousand. */
void pv_page_bar(struct pv_page *p, const size_t count[PV_VERDICTS])
{
	double width[PV_VERDICTS] = {0}, all = 0, sum = 0, x = 0;

	for (int v = 0; v < PV_VERDICTS; v++)
		all += (double)count[v];
	for (int v = 0; v < PV_VERDICTS && all > 0; v++) {
		double share = 1000 * (double)count[v] / all;

		width[v] = count[v] && share < 20 ? 20 : share;
		sum += width[v];
	}
	fprintf(p->f,
		"<svg class=\"bar\" viewBox=\"0 0 %.0f 10\" width=\"200\" height=\"10\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		sum > 0 ? sum : 1);
	for (int v = 0; v < PV_VERDICTS; v++) {
		if (count[v])
			fprintf(p->f, "<rect class=\"%s\" fill=\"%s\" x=\"%.0f\" width=\"%.0f\" height=\"10\"/>",
				pv_verdict_name(v), plain_fills[v], x, width[v]);
		x += width[v];
	}
	fputs("</svg>", p->f);
}

const char *pv_page_started(const struct pv_run_result *r, char buf[64])
{
	struct tm tm;
	time_t t = r->started;

	if (!gmtime_r(&t, &tm) || !strftime(buf, 64, "%Y-%m-%d %H:%M:%S UTC", &tm))
		*buf = 0;
	return buf;
}

void pv_page_duration(struct pv_page *p, double seconds)
{
	char text[32];

	if (!(seconds >= 60 && seconds < 1e12)) {
		fprintf(p->f, "%s s", pv_seconds_text(seconds, text));
		return;
	}
	long long s = (long long)seconds;
	if (s >= 3600)
		fprintf(p->f, "%lld h ", s / 3600);
	fprintf(p->f, "%lld min %lld s", s / 60 % 60, s % 60);
}

/* ---- several runs ---- */

void pv_page_runs_head(struct pv_page *p)
{
	static const char *const heads[] = {"",		"run",	   "target", "board", "driver", "kernel", "version",
					    "revision", "started", "pass",   "fail",  "error",	"skip",	  NULL};

	fputs("<div class=\"wide\">", p->f);
	pv_html_table(heads, p->f);
}

void pv_page_runs_row(struct pv_page *p, const char *which, const struct pv_run_result *r)
{
	const char *revision = pv_run_property(r, "revision"), *defects = pv_run_property(r, "defects");
	_autofree_ char *driver = NULL;
	char when[64];

	if (asprintf(&driver, "%s%s%s", r->driver, defects ? ", planted defects: " : "", defects ? defects : "") < 0)
		driver = NULL;
	const struct {
		const char *head, *text;
	} cells[] = {{"run", r->folder},	   {"target", r->target},
		     {"board", r->board},	   {"driver", driver},
		     {"kernel", pv_run_kernel(r)}, {"version", r->version},
		     {"revision", revision},	   {"started", r->started ? pv_page_started(r, when) : NULL}};

	fprintf(p->f, "<tr><th scope=\"row\">%s</th>", which);
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		pv_page_cell(p, cells[i].head, cells[i].text);
	pv_page_counts(p, r->count);
	fputs("</tr>\n", p->f);
}

void pv_page_renamed(struct pv_page *p, const struct pv_renamed *list, size_t n)
{
	if (!n)
		return;
	fputs("<section id=\"renamed\"><details><summary>Renamed, and compared</summary>\n<div class=\"wide\">", p->f);
	pv_html_table((const char *const[]){"plan", "before", "after", *list->runs ? "runs" : NULL, NULL}, p->f);
	for (size_t i = 0; i < n; i++) {
		fputs("<tr><td>", p->f);
		pv_page_line(p, list[i].plan);
		fputs("</td>", p->f);
		pv_page_cell(p, "before", list[i].before);
		pv_page_cell(p, "after", list[i].after);
		if (*list->runs)
			pv_page_cell(p, "runs", list[i].runs);
		fputs("</tr>\n", p->f);
	}
	fputs("</table></div></details></section>\n", p->f);
}
