/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds trouble on a kernel's console. */
#include "framework/target/console.h"

#include <string.h>

#define REPORT_LINES 200
#define CUT_HERE     "[ cut here ]"
#define END_TRACE    "---[ end "
#define ONE_LINE     ""				 /* marks that any line may have */
#define RULER	     "=========================" /* before reports of lockdep, KASAN and SLUB */

/* The start of a report, and part of its last line; NULL: the report ends with its call trace. */
struct mark {
	const char *text;
	enum pv_kernel_trouble trouble;
	const char *end;
};

static const struct mark marks[] = {
	{"Kernel panic - not syncing", PV_TROUBLE_PANIC, END_TRACE},
	{"kernel BUG at ", PV_TROUBLE_OOPS, END_TRACE},
	{"Kernel BUG at ", PV_TROUBLE_OOPS, END_TRACE},
	{"Internal error: ", PV_TROUBLE_OOPS, END_TRACE},
	{"Unable to handle kernel ", PV_TROUBLE_OOPS, END_TRACE},
	/* x86: die() of Linux 6.10 and later, and before it */
	{"BUG: kernel NULL pointer dereference", PV_TROUBLE_OOPS, END_TRACE},
	{"BUG: unable to handle ", PV_TROUBLE_OOPS, END_TRACE},
	{"Oops: ", PV_TROUBLE_OOPS, END_TRACE},
	{"general protection fault, ", PV_TROUBLE_OOPS, END_TRACE}, /* of a program: "general protection fault ip:" */
	{"general protection fault: ", PV_TROUBLE_OOPS, END_TRACE},
	{"divide error: ", PV_TROUBLE_OOPS, END_TRACE},
	{"invalid opcode: ", PV_TROUBLE_OOPS, END_TRACE},
	{"BUG: KASAN: ", PV_TROUBLE_REPORT, RULER},
	{"BUG: ", PV_TROUBLE_REPORT, NULL}, /* sleeping in atomic context, scheduling while atomic, lockup ... */
	{"BUG kmalloc-", PV_TROUBLE_REPORT, NULL},
	{"): Poison overwritten", PV_TROUBLE_REPORT,
	 NULL}, /* "BUG name (Tainted: G): ...": SLUB, of a cache with a name */
	{"edzone overwritten", PV_TROUBLE_REPORT, NULL},
	{"): Object already free", PV_TROUBLE_REPORT, NULL},
	{"): Objects remaining ", PV_TROUBLE_REPORT, NULL},
	{"WARNING: CPU: ", PV_TROUBLE_REPORT, END_TRACE},
	{"WARNING: ", PV_TROUBLE_REPORT, NULL}, /* lockdep */
	{"UBSAN: ", PV_TROUBLE_REPORT, END_TRACE},
	{"INFO: task ", PV_TROUBLE_REPORT, NULL},
	{"INFO: trying to register non-static key", PV_TROUBLE_REPORT, NULL},
	{"rcu: INFO: ", PV_TROUBLE_REPORT, NULL},
	{": nobody cared", PV_TROUBLE_REPORT, "Disabling IRQ"},
	{": bogus return value ", PV_TROUBLE_REPORT, NULL},
	{"genirq: Flags mismatch", PV_TROUBLE_REPORT, ONE_LINE},
	{"sysfs: cannot create duplicate filename", PV_TROUBLE_REPORT, NULL},
	{"refcount_t: ", PV_TROUBLE_REPORT, END_TRACE},
	{"ODEBUG: ", PV_TROUBLE_REPORT, END_TRACE},
	{"list_add corruption", PV_TROUBLE_REPORT, END_TRACE},
	{"list_del corruption", PV_TROUBLE_REPORT, END_TRACE},
	{"pcieval-init: module ", PV_TROUBLE_GUEST, ONE_LINE},
	{" printk messages dropped **", PV_TROUBLE_GUEST, ONE_LINE}, /* "** 7 printk messages dropped **" */
	{"Out of memory", PV_TROUBLE_GUEST, ONE_LINE},
	{": page allocation failure", PV_TROUBLE_GUEST, NULL},
};

/* Any report of WARN() and others between "cut here" and the end of the trace. */
static const struct mark cut_out = {"", PV_TROUBLE_REPORT, END_TRACE};

static bool has(const char *line, size_t n, const char *text)
{
	return memmem(line, n, text, strlen(text)) != NULL;
}

static const struct mark *mark_of(const char *line, size_t n)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (has(line, n, marks[i].text))
			return &marks[i];
	return NULL;
}

static size_t line_length(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? (size_t)(nl - at) : (size_t)(end - at);
}

/* "[    1.234567] text": where the text begins. */
static const char *behind_time(const char *line, size_t n)
{
	size_t at = 1;

	while (at < n && strchr(" .0123456789", line[at]) && line[at])
		at++;
	if (!n || line[0] != '[' || at == 1 || at == n || line[at] != ']')
		return line;
	at++;
	return line + at + (at < n && line[at] == ' ');
}

/* Returns true for a line of a call trace, which is indented. */
static bool is_indented(const char *line, size_t n)
{
	const char *text = behind_time(line, n);

	return text < line + n && *text == ' ';
}

/* Returns the length of the report, from its first line to the last one available. */
static size_t report_length(const char *from, const char *end, const struct mark *mark)
{
	const char *at = from;
	bool trace = false, last = false;

	for (unsigned lines = 0; at < end && !last && lines < REPORT_LINES; lines++) {
		size_t n = line_length(at, end);
		bool opens = lines && (has(at, n, CUT_HERE) || has(at, n, RULER));

		if (!mark->end && (opens || (trace && !is_indented(at, n))))
			break;
		trace |= has(at, n, "Call trace:") || has(at, n, "Call Trace:"); /* arm64, x86 */
		last = mark->end && has(at, n, mark->end);
		at += n + (at + n < end);
	}
	return (size_t)(at - from);
}

/* Returns the first line of the next report and its kind; NULL: none. "Cut here" is not part of it. */
static const char *find_report(const char *text, const char *end, const struct mark **mark)
{
	for (const char *at = text; at < end;) {
		size_t n = line_length(at, end);
		const char *next = at + n + (at + n < end);

		*mark = mark_of(at, n);
		if (*mark)
			return at;
		if (has(at, n, CUT_HERE) && next < end) {
			*mark = &cut_out;
			return next;
		}
		at = next;
	}
	return NULL;
}

static enum pv_kernel_trouble worst_line(const char *at, const char *end)
{
	enum pv_kernel_trouble worst = PV_TROUBLE_NONE;

	while (at < end) {
		size_t n = line_length(at, end);
		const struct mark *mark = mark_of(at, n);

		worst = mark && mark->trouble > worst ? mark->trouble : worst;
		at += n + (at + n < end);
	}
	return worst;
}

enum pv_kernel_trouble pv_console_trouble(const char *text, size_t n, const char **line, size_t *line_n,
					  size_t *report_n)
{
	const char *end = text + n;
	const struct mark *mark;
	const char *at = find_report(text, end, &mark);

	if (!at)
		return PV_TROUBLE_NONE;
	size_t len = line_length(at, end), report = report_length(at, end, mark);
	*line = behind_time(at, len);
	*line_n = (size_t)(at + len - *line);
	while (*line_n && ((*line)[*line_n - 1] == '\r' || (*line)[*line_n - 1] == ' '))
		--*line_n;
	*report_n = (size_t)(at + report - *line);
	enum pv_kernel_trouble worst = worst_line(at, at + report);
	return worst > mark->trouble ? worst : mark->trouble;
}

enum pv_kernel_trouble pv_console_worst(const char *text, size_t n)
{
	const char *line;
	size_t line_n, report_n;
	enum pv_kernel_trouble worst = PV_TROUBLE_NONE, t;

	while ((t = pv_console_trouble(text, n, &line, &line_n, &report_n))) {
		worst = t > worst ? t : worst;
		n -= (size_t)(line + report_n - text);
		text = line + report_n;
	}
	return worst;
}
