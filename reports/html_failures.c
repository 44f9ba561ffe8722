/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures, errors and known failures in the HTML page, each with all known details. */
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/html_page.h"
#include "reports/statements.h"

enum { MESSAGE_BYTES = 4096, TEXT_BYTES = 64 << 10, LOG_BYTES = 64 << 10, LIKENESS_BYTES = 160 };

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\r\n")];
}

/* Returns the text without the part that repeats the message. NULL: nothing remains. */
static const char *rest_of_text(const struct pv_case_result *c)
{
	const char *message = c->message ? c->message : "", *text = c->text ? c->text : "";
	size_t n = strlen(message);

	if (n <= MESSAGE_BYTES && !strncmp(text, message, n) && (!text[n] || text[n] == '\n'))
		text += n + (text[n] == '\n');
	size_t rest = strlen(text);
	while (rest && strchr(" \t\r\n", text[rest - 1]))
		rest--;
	if (is_blank(text) || (n <= MESSAGE_BYTES && memmem(message, n, text, rest)))
		return NULL;
	return text;
}

static void put_facts(struct pv_page *p, const struct pv_case_result *c)
{
	char time[32];

	fputs("<p class=\"dim\">", p->f);
	pv_page_place(p, c);
	if (c->type) {
		fputs(" &#183; ", p->f);
		pv_page_line(p, c->type);
	}
	fprintf(p->f, " &#183; %s s &#183; seed %llu", pv_seconds_text(c->seconds, time), (unsigned long long)c->seed);
	for (char **v = c->verifies; v && *v; v++) {
		fputs(v == c->verifies ? " &#183; verifies " : " ", p->f);
		pv_page_line(p, *v);
	}
	for (char **v = c->roles; v && *v; v++) {
		fputs(v == c->roles ? " &#183; on " : " ", p->f);
		pv_page_line(p, *v);
	}
	if (c->artefacts && *c->artefacts)
		fputs(" &#183; ", p->f);
	pv_page_artefacts(p, c);
	fputs("</p>\n", p->f);
}

/* Lists the statements that the case verifies, by their first sentences, in the order of the requirements. */
static void put_rests(struct pv_page *p, const struct pv_case_result *c)
{
	const struct pv_statement *rests[PV_RESTS_MAX];
	size_t n = pv_case_rests(c, rests);

	for (size_t i = 0; i < n; i++) {
		fprintf(p->f, "%s<li>%s (%s", i ? "" : "<ul class=\"dim rests\">\n", rests[i]->id,
			pv_known_name(rests[i]->how));
		fputs(rests[i]->source ? ": " : "", p->f);
		pv_page_line(p, rests[i]->source ? rests[i]->source : "");
		fputs(") ", p->f);
		pv_page_line(p, rests[i]->sentence);
		fputs("</li>\n", p->f);
	}
	fputs(n ? "</ul>\n" : "", p->f);
}

static void put_again(struct pv_page *p, const struct pv_case_result *c)
{
	_autofree_ char *again = pv_rerun_command(p->run, c);

	if (!again)
		return;
	fputs("<p class=\"dim\">again: <code>", p->f);
	pv_page_line(p, again);
	fputs("</code></p>\n", p->f);
}

/* Shows only the end of a long log. */
static void put_log(struct pv_page *p, const char *log)
{
	size_t n = log ? strlen(log) : 0, lines = 0;

	if (!n || is_blank(log))
		return;
	if (n > LOG_BYTES)
		log += n - LOG_BYTES;
	for (const char *s = log; *s; s++)
		lines += *s == '\n';
	fprintf(p->f, "<details><summary>log, %s%zu line%s</summary>\n", n > LOG_BYTES ? "the last " : "",
		lines ? lines : 1, lines > 1 ? "s" : "");
	pv_page_pre(p, log, LOG_BYTES);
	fputs("</details>\n", p->f);
}

static void put_details(struct pv_page *p, const struct pv_case_result *c)
{
	const char *rest = rest_of_text(c);

	if (rest)
		pv_page_pre(p, rest, TEXT_BYTES);
	put_facts(p, c);
	put_rests(p, c);
	if (c->n_attempts) {
		fputs("<p class=\"dim\">", p->f);
		pv_page_attempts(p, c);
		fputs("</p>\n", p->f);
	}
	put_again(p, c);
	put_log(p, c->log);
}

/* Folded: details behind the message are shown on demand. */
static void put_article(struct pv_page *p, size_t index, bool folded)
{
	const struct pv_case_result *c = &p->run->cases[index];
	const char *verdict = pv_verdict_name(c->verdict);

	fprintf(p->f, "<article class=\"%s\" id=\"b%zu\" data-v=\"%s\"><h3>", verdict, index, verdict);
	pv_page_verdict(p, c->verdict);
	fprintf(p->f, " <a href=\"#c%zu\">", index);
	pv_page_line(p, c->plan);
	fputc('/', p->f);
	pv_page_name(p, c);
	fputs("</a></h3>\n<p class=\"message\">", p->f);
	pv_page_short(p, c->message && *c->message ? c->message : "no message", MESSAGE_BYTES);
	fputs("</p>\n", p->f);
	if (folded)
		fputs("<details><summary>all of it</summary>\n", p->f);
	put_details(p, c);
	fputs(folded ? "</details></article>\n" : "</article>\n", p->f);
}

/* The first failure of a group is shown in full, the others on demand. */
static void put_alike(struct pv_page *p, const struct pv_group *g)
{
	put_article(p, g->members[0].index, false);
	if (g->n == 1)
		return;
	fprintf(p->f, "<details class=\"same\"><summary>%zu more like it, but for numbers and names: <code>", g->n - 1);
	pv_page_short(p, strchr(strchr(g->key, '\n') + 1, '\n') + 1, LIKENESS_BYTES);
	fputs("</code></summary>\n", p->f);
	for (size_t i = 1; i < g->n; i++)
		put_article(p, g->members[i].index, true);
	fputs("</details>\n", p->f);
}

static void put_articles(struct pv_page *p, enum pv_verdict v)
{
	for (size_t i = 0; i < p->alike.n; i++)
		if (p->run->cases[p->alike.groups[i].members[0].index].verdict == v)
			put_alike(p, &p->alike.groups[i]);
}

static void put_overview(struct pv_page *p)
{
	if (p->alike.n < p->alike.n_members)
		fprintf(p->f, "<p>%zu, of %zu kind%s: those that differ only in numbers and names are together.</p>\n",
			p->alike.n_members, p->alike.n, p->alike.n == 1 ? "" : "s");
}

/* Cases that never ran because the run ended have one common article. */
static void put_unrun(struct pv_page *p, const struct pv_group *g)
{
	fputs("<article class=\"error\"><h3>", p->f);
	pv_page_verdict(p, PV_ERROR);
	fprintf(p->f, " %zu case%s not run</h3>\n<p class=\"message\">", g->n, g->n == 1 ? " was" : "s were");
	pv_page_short(p, g->key, MESSAGE_BYTES);
	fputs("</p>\n<details><summary>which</summary><ul>\n", p->f);
	for (size_t i = 0; i < g->n; i++) {
		fputs("<li>", p->f);
		pv_page_case(p, g->members[i].index);
		fputs("</li>\n", p->f);
	}
	fputs("</ul></details></article>\n", p->f);
}

size_t pv_page_bad_count(const struct pv_page *p)
{
	return p->run->count[PV_FAIL] + p->run->count[PV_ERROR];
}

void pv_page_bad(struct pv_page *p)
{
	put_overview(p);
	put_articles(p, PV_FAIL);
	put_articles(p, PV_ERROR);
	for (size_t i = 0; i < p->unrun.n; i++)
		put_unrun(p, &p->unrun.groups[i]);
}

/* ---- known failures and unexpected passes ---- */

/* An unexpected pass is shown as a failure. */
static bool is_unexpected_pass(const struct pv_case_result *c)
{
	return c->verdict == PV_FAIL && c->type && !strcmp(c->type, "unexpected-pass");
}

size_t pv_page_deviations_count(const struct pv_page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->run->n_cases; i++)
		n += pv_case_is_known_failure(&p->run->cases[i]) || is_unexpected_pass(&p->run->cases[i]);
	return n;
}

void pv_page_deviations(struct pv_page *p)
{
	for (size_t i = 0; i < p->run->n_cases; i++) {
		const struct pv_case_result *c = &p->run->cases[i];

		if (!is_unexpected_pass(c))
			continue;
		fputs("<p>unexpected pass: ", p->f);
		pv_page_case(p, i);
		fputs("</p>\n", p->f);
	}
	for (size_t i = 0; i < p->run->n_cases; i++)
		if (pv_case_is_known_failure(&p->run->cases[i]))
			put_article(p, i, false);
}
