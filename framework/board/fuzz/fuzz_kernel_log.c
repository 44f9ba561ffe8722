/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as the kernel log of a board: a byte that says whether the case has sent TLPs, then the log. Each
 * report is part of the log. A panic and a gap in the log are reported, whatever is around them; TLPs of the case
 * excuse AER errors, and nothing else.
 */
#include "framework/board/kernel_log.h"
#include "framework/util/fuzz/fuzz.h"

#define PANIC "Kernel panic - not syncing"
#define GAP   "pcieval: "
#define TOLD  "looking for kernel reports: expected the whole log, got "

struct seen {
	const char *log;
	size_t n, guest, kernel, gaps;
};

static void tell(void *ctx, const char *type, const char *text)
{
	struct seen *s = ctx;
	bool is_gap = !strncmp(text, TOLD, strlen(TOLD));

	text += is_gap ? strlen(TOLD) : 0;
	fuzz_check(*text ? memmem(s->log, s->n, text, strlen(text)) != NULL : memchr(s->log, 0, s->n) != NULL);
	fuzz_check(!strcmp(type, "guest") || (!is_gap && !strcmp(type, "kernel")));
	s->guest += !strcmp(type, "guest");
	s->kernel += !strcmp(type, "kernel");
	s->gaps += is_gap;
}

static struct seen judge(const char *log, size_t n, const struct pv_topology *plan, bool sent)
{
	struct seen s = {.log = log, .n = n};
	char *notes = NULL;
	size_t size;
	FILE *f = open_memstream(&notes, &size);

	fuzz_check(f);
	pv_kernel_log_judge(log, n, plan, sent, tell, &s, f);
	fclose(f);
	free(notes);
	return s;
}

static size_t count_gaps(const char *log, size_t n)
{
	size_t gaps = 0;

	for (const char *at = log, *end = log + n, *line; at < end; at = line + 1) {
		line = memchr(at, '\n', (size_t)(end - at));
		line = line ? line : end;
		gaps += (size_t)(line - at) >= strlen(GAP) && !memcmp(at, GAP, strlen(GAP));
	}
	return gaps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pv_topo_node nodes[] = {{.bdf = PCI_BDF(0, 0x10, 0)}, {.bdf = PCI_IN_DOMAIN(1, PCI_BDF(2, 0, 1))}};
	const struct pv_topology plan = {.nodes = nodes, .n = 2}, none = {0};

	if (!size)
		return 0;
	bool sent = data[0] & 1;
	size_t n = size - 1;
	char *log = fuzz_text(data + 1, n);

	if (memmem(log, n, TOLD, strlen(TOLD))) { /* not to be told from a report of the far side */
		free(log);
		return 0;
	}
	struct seen s = judge(log, n, &plan, sent), quiet = judge(log, n, &plan, true),
		    other = judge(log, n, &none, sent);

	fuzz_check(s.gaps == count_gaps(log, n));
	fuzz_check(!memmem(log, n, PANIC, strlen(PANIC)) || s.guest > s.gaps);
	fuzz_check(quiet.guest == s.guest && quiet.kernel <= s.kernel && s.kernel <= quiet.kernel + !sent);
	/* Without functions of the plan, only drivers concern the case; an oops is of the machine then. */
	fuzz_check(other.kernel <= s.kernel && other.kernel + other.guest <= s.kernel + s.guest);
	free(log);
	return 0;
}
