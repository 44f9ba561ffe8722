/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the scripts of a submission. */
#include <string.h>

#include "framework/cli/submit.h"
#include "reports/result.h"

#define NODE "{node}"

/* Writes a word. "{node}" in it becomes a shell variable, as only the node knows its name. */
static void put_word(const char *word, FILE *f)
{
	const char *node = strstr(word, NODE);

	if (!node) {
		pv_shell_word(f, word);
		return;
	}
	char before[256];
	snprintf(before, sizeof(before), "%.*s", (int)(node - word), word);
	if (*before)
		pv_shell_word(f, before);
	fputs("\"$SLURMD_NODENAME\"", f);
	if (node[strlen(NODE)])
		put_word(node + strlen(NODE), f);
}

static void put_option(const char *name, const char *value, FILE *f)
{
	if (!value)
		return;
	fprintf(f, " --%s ", name);
	put_word(value, f);
}

void pv_submission_put_run(const struct pv_submission *s, FILE *f)
{
	pv_shell_word(f, s->program);
	fputs(" run", f);
	put_option("target", s->target, f);
	put_option("kernel", s->kernel, f);
	put_option("driver", s->driver, f);
	for (int i = 0; i < s->n_arguments; i++) {
		fputc(' ', f);
		put_word(s->arguments[i], f);
	}
}

static void put_head(const struct pv_submission *s, const char *what, FILE *f)
{
	fprintf(f, "#!/bin/sh\n# %s, written by pcieval submit\ncd ", what);
	pv_shell_word(f, s->directory);
	fputs(" || exit 3\n", f);
}

void pv_submission_put_shard(const struct pv_submission *s, FILE *f)
{
	bool board = s->target && (!strncmp(s->target, "ssh:", 4) || !strcmp(s->target, "local"));

	put_head(s, "A shard", f);
	fputs("shard=", f);
	pv_shell_word(f, s->folder);
	fputs("/shards/$SLURM_ARRAY_TASK_ID\n", f);
	/*
	 * Resumes if the job was requeued after its node died: settings and cases are on disk before the first case
	 * runs.
	 */
	fputs("if [ -s \"$shard/cases.json\" ]; then\n\texec ", f);
	pv_shell_word(f, s->program);
	fprintf(f, " run --quiet --resume \"$shard\"%s\nfi\n", board ? "" : " --again interrupted");
	fputs("rm -rf \"$shard\"\nexec ", f);
	pv_submission_put_run(s, f);
	fprintf(f, " --quiet --shard \"$SLURM_ARRAY_TASK_ID/%u\" --results \"$shard\"\n", s->shards);
}

void pv_submission_put_merge(const struct pv_submission *s, FILE *f)
{
	put_head(s, "All shards as one run", f);
	fputs("cd ", f);
	pv_shell_word(f, s->folder);
	/* Slurm may requeue a merge whose node it takes for dead, and which goes on. */
	fputs(" || exit 3\nexec 9>>merge.lock\nflock 9\nrm -rf all\n", f);
	fputs("for i in $(seq ", f);
	fprintf(f, "%u); do set -- \"$@\" \"shards/$i\"; done\nexec ", s->shards);
	pv_shell_word(f, s->program);
	fputs(" merge --quiet --output all --junit junit.xml --html report.html --json report.json \"$@\"\n", f);
}

void pv_submission_put_table(const struct pv_submission *s, FILE *f)
{
	put_head(s, "All combinations side by side", f);
	fputs("cd ", f);
	pv_shell_word(f, s->folder);
	fputs(" || exit 3\nexec ", f);
	pv_shell_word(f, s->program);
	fputs(" compare --html report.html .\n", f);
}
