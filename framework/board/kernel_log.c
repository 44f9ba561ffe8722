/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the reports in a board's kernel log that concern the case. */
#include "framework/board/kernel_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/console.h"
#include "framework/util/cleanup.h"

#define LOG_MAX	   (4u << 20)
#define REPORT_MAX 4096

/* ---- reading ---- */

int pv_kernel_log_read(struct pv_shell *shell, uint64_t from, char **text, size_t *n)
{
	return pv_shell_read_file(shell, "/dev/kmsg", from, LOG_MAX, text, n);
}

/* ---- relation of a report to the case ---- */

static bool has(const char *line, size_t n, const char *text)
{
	return memmem(line, n, text, strlen(text)) != NULL;
}

/* Every report lists all loaded modules, so this line proves nothing. */
static bool lists_modules(const char *line, size_t n)
{
	return has(line, n, "Modules linked in:");
}

static bool names_driver(const char *line, size_t n)
{
	static const char *const names[] = {"hisi_ptt", "dwc_pcie_pmu", "dwc_rootport", "cxl_pmu", "Comm: pcieval-far"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has(line, n, names[i]))
			return true;
	return false;
}

/* Not as a part of another word: 10000:00:10.0 is another function. */
static bool has_word(const char *line, size_t n, const char *word)
{
	const char *end = line + n, *at = line;
	size_t length = strlen(word);

	while ((at = memmem(at, (size_t)(end - at), word, length))) {
		const char *behind = at + length;

		if ((at == line || !isalnum((unsigned char)at[-1])) &&
		    (behind == end || !isalnum((unsigned char)*behind)))
			return true;
		at = behind;
	}
	return false;
}

static bool names_function(const char *line, size_t n, const struct pv_topology *plan)
{
	for (size_t i = 0; plan && i < plan->n; i++)
		if (has_word(line, n, pv_bdf_name(plan->nodes[i].bdf).s))
			return true;
	return false;
}

static size_t line_length(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? (size_t)(nl - at) : (size_t)(end - at);
}

static bool concerns(const char *report, size_t n, const struct pv_topology *plan)
{
	const char *end = report + n;

	for (size_t len; report < end; report += len + (report + len < end)) {
		len = line_length(report, end);
		if (!lists_modules(report, len) && (names_driver(report, len) || names_function(report, len, plan)))
			return true;
	}
	return false;
}

/* ---- reports ---- */

static void judge_report(const char *line, size_t line_n, size_t report_n, enum pv_kernel_trouble t,
			 const struct pv_topology *plan, pv_report_fn told, void *ctx, FILE *notes)
{
	bool ours = concerns(line, report_n, plan);
	_autofree_ char *report = strndup(line, report_n < REPORT_MAX ? report_n : REPORT_MAX);

	if (ours && report)
		told(ctx, t == PV_TROUBLE_GUEST || t == PV_TROUBLE_PANIC ? "guest" : "kernel", report);
	else if (t >= PV_TROUBLE_OOPS && report)
		told(ctx, "guest", report);
	else
		fprintf(notes, "the kernel reports, and names no driver under test nor function of the plan: %.*s\n",
			(int)line_n, line);
}

/*
 * As Linux 6.12 says it: aer_print_error() and aer_isr_one_error(); pci_print_aer() and cper_print_pcie() for what
 * firmware handles (APEI); dpc_process_error().
 */
static bool is_pcie_error(const char *line, size_t n)
{
	return has(line, n, "PCIe Bus Error: ") || (has(line, n, "AER: ") && has(line, n, " error")) ||
	       has(line, n, "AER: aer_status: ") ||
	       (has(line, n, "[Hardware Error]: ") && has(line, n, " device_id: ")) ||
	       has(line, n, "DPC: containment event");
}

/* Each error has several lines in the log. Only the first one is reported; the artefact has all of them. */
static void judge_errors(const char *text, size_t n, const struct pv_topology *plan, bool sent, pv_report_fn told,
			 void *ctx, FILE *notes)
{
	const char *end = text + n;
	bool is_told = false;

	for (size_t len; text < end; text += len + (text + len < end)) {
		len = line_length(text, end);
		if (!is_pcie_error(text, len))
			continue;
		_autofree_ char *line = strndup(text, len);
		if (!names_function(text, len, plan))
			fprintf(notes, "an error of a function that is not of the plan: %.*s\n", (int)len, text);
		else if (sent)
			fprintf(notes, "an error, and the case has sent TLPs: %.*s\n", (int)len, text);
		else if (!is_told && line)
			told(ctx, "kernel", line);
		is_told |= names_function(text, len, plan);
	}
}

/* The far side marks in the text what is missing from it (docs/far.md). */
static void judge_gaps(const char *text, size_t n, pv_report_fn told, void *ctx)
{
	static const char mark[] = "pcieval: ";
	const char *end = text + n;

	for (size_t len; text < end; text += len + (text + len < end)) {
		len = line_length(text, end);
		if (len < strlen(mark) || memcmp(text, mark, strlen(mark)) != 0)
			continue;
		_autofree_ char *report = NULL;
		if (asprintf(&report, "looking for kernel reports: expected the whole log, got %.*s", (int)len, text) >=
		    0)
			told(ctx, "guest", report);
	}
}

void pv_kernel_log_judge(const char *text, size_t n, const struct pv_topology *plan, bool sent, pv_report_fn told,
			 void *ctx, FILE *notes)
{
	const char *at = text, *line;
	size_t left = n, line_n, report_n;
	enum pv_kernel_trouble t;

	while ((t = pv_console_trouble(at, left, &line, &line_n, &report_n))) {
		judge_report(line, line_n, report_n, t, plan, told, ctx, notes);
		left -= (size_t)(line + report_n - at);
		at = line + report_n;
	}
	judge_errors(text, n, plan, sent, told, ctx, notes);
	judge_gaps(text, n, told, ctx);
}
