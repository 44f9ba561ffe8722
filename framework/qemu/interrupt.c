/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/qemu/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERRUPTS_BYTES 16384
#define LINE_BYTES	 256
#define PIDS_MAX	 4096u

/* Handlers that share an interrupt are separated by ", ". */
static bool names(const char *line, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = line; (at = strstr(at, name)); at += n)
		if (at > line && at[-1] == ' ' && (!at[n] || at[n] == ','))
			return true;
	return false;
}

static int find_number(struct pv_shell *s, const char *name, unsigned *number)
{
	char text[INTERRUPTS_BYTES], *at = text, *end;
	int64_t n = pv_shell_read_text(s, "/proc/interrupts", text, sizeof(text));

	if (n < 0)
		return (int)n;
	for (char *line; (line = strsep(&at, "\n"));) {
		*number = (unsigned)strtoul(line, &end, 10);
		if (*end == ':' && names(end, name))
			return 0;
	}
	return -ENOENT;
}

/* Writes the affinity that it has. EPERM, in older kernels EIO: nobody may change it (IRQF_NOBALANCING). */
static int try_affinity(struct pv_shell *s, struct pv_interrupt *i)
{
	char path[64], text[LINE_BYTES];

	snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity", i->number);
	int64_t n = pv_shell_read_text(s, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	int err = s->ops->file_write(s, path, text, (size_t)n, false);
	i->movable = !err;
	return err == -EPERM || err == -EIO ? 0 : err;
}

/* The fifth word of /proc/loadavg is the newest pid. */
static int newest_pid(struct pv_shell *s, unsigned *pid)
{
	char text[LINE_BYTES];
	int64_t n = pv_shell_read_text(s, "/proc/loadavg", text, sizeof(text));
	const char *last = strrchr(text, ' ');

	if (n < 0)
		return (int)n;
	*pid = last ? (unsigned)strtoul(last, NULL, 10) : 0;
	return *pid ? 0 : -EPROTO;
}

/* The kernel names the threads of an interrupt irq/24-hisi_ptt and irq/24-s-hisi_ptt. */
static int count_threads(struct pv_shell *s, struct pv_interrupt *i)
{
	char path[32], comm[LINE_BYTES], prefix[32];
	unsigned newest = 0;
	int err = newest_pid(s, &newest);

	if (err || newest > PIDS_MAX)
		return err ? err : -E2BIG;
	i->threads = 0;
	snprintf(prefix, sizeof(prefix), "irq/%u-", i->number);
	for (unsigned pid = 1; pid <= newest; pid++) {
		snprintf(path, sizeof(path), "/proc/%u/comm", pid);
		if (pv_shell_read_text(s, path, comm, sizeof(comm)) > 0 && !strncmp(comm, prefix, strlen(prefix)))
			i->threads++;
	}
	return 0;
}

int pv_interrupt_find(struct pv_shell *s, const char *name, struct pv_interrupt *out)
{
	int err = find_number(s, name, &out->number);

	if (!err)
		err = try_affinity(s, out);
	return err ? err : count_threads(s, out);
}
