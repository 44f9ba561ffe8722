/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trouble on a kernel's console. */
#include "framework/qemu/console.h"

#include <string.h>

#define REPORT_LINES 100

static const struct {
	const char *text;
	enum pv_kernel_trouble trouble;
} marks[] = {
	{"Kernel panic - not syncing", PV_TROUBLE_PANIC},
	{"BUG: ", PV_TROUBLE_REPORT}, /* KASAN, sleeping in atomic context, lock held ... */
	{"kernel BUG at ", PV_TROUBLE_OOPS},
	{"WARNING: ", PV_TROUBLE_REPORT}, /* WARN(), and lockdep's */
	{"Internal error: ", PV_TROUBLE_OOPS},
	{"Unable to handle kernel ", PV_TROUBLE_OOPS},
	{"UBSAN: ", PV_TROUBLE_REPORT},
	{"INFO: possible ", PV_TROUBLE_REPORT},
	{"INFO: task ", PV_TROUBLE_REPORT},
	{"INFO: trying to register non-static key", PV_TROUBLE_REPORT},
	{"ODEBUG: ", PV_TROUBLE_REPORT},
	{"list_add corruption", PV_TROUBLE_REPORT},
	{"list_del corruption", PV_TROUBLE_REPORT},
	{"refcount_t: ", PV_TROUBLE_REPORT},
	{": nobody cared", PV_TROUBLE_REPORT},
	{"rcu: INFO: ", PV_TROUBLE_REPORT},
};

static enum pv_kernel_trouble of_line(const char *line, size_t n)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(line, n, marks[i].text, strlen(marks[i].text)))
			return marks[i].trouble;
	return PV_TROUBLE_NONE;
}

static size_t line_length(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));
	return nl ? (size_t)(nl - at) : (size_t)(end - at);
}

/* "[    1.234567] text": where the text begins. */
static const char *behind_time(const char *line, size_t n)
{
	const char *close = n && line[0] == '[' ? memchr(line, ']', n) : NULL;
	if (!close || close - line > 20)
		return line;
	return close + 1 < line + n && close[1] == ' ' ? close + 2 : close + 1;
}

static size_t report_length(const char *from, const char *end)
{
	const char *at = from;
	for (unsigned lines = 0; at < end && lines < REPORT_LINES; lines++) {
		size_t n = line_length(at, end);
		bool last = memmem(at, n, "---[ end ", 9) != NULL;
		at += n + (at + n < end);
		if (last)
			break;
	}
	return (size_t)(at - from);
}

enum pv_kernel_trouble pv_console_trouble(const char *text, size_t n, const char **line, size_t *line_n,
					  size_t *report_n)
{
	const char *end = text + n;
	for (const char *at = text; at < end;) {
		size_t len = line_length(at, end);
		enum pv_kernel_trouble trouble = of_line(at, len);
		if (trouble != PV_TROUBLE_NONE) {
			*line = behind_time(at, len);
			*line_n = (size_t)(at + len - *line);
			while (*line_n && ((*line)[*line_n - 1] == '\r' || (*line)[*line_n - 1] == ' '))
				--*line_n;
			*report_n = report_length(at, end) - (size_t)(*line - at);
			return trouble;
		}
		at += len + 1;
	}
	return PV_TROUBLE_NONE;
}

enum pv_kernel_trouble pv_console_worst(const char *text, size_t n)
{
	const char *line;
	size_t line_n, report_n;
	enum pv_kernel_trouble worst = PV_TROUBLE_NONE, t;
	while ((t = pv_console_trouble(text, n, &line, &line_n, &report_n))) {
		worst = t > worst ? t : worst;
		n -= (size_t)(line + line_n - text);
		text = line + line_n;
	}
	return worst;
}
