/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs with the scripted agent. */
#include "framework/run/tests/run_fixture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/file.h"

/* A timeout that is long for all cases but those that are there to time out. */
static unsigned timeout_of(const char *name)
{
	static const char *const short_ones[] = {"hang", "fail-hang", "stubborn", "tidy", "children"};

	for (size_t i = 0; i < sizeof(short_ones) / sizeof(*short_ones); i++)
		if (!strncmp(name, short_ones[i], strlen(short_ones[i])))
			return 1;
	return 20;
}

struct fixture *fixture_new(const char *names)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->scratch, "/tmp/pcieval-test-XXXXXX");
	cr_assert_not_null(mkdtemp(f->scratch));
	snprintf(f->folder, sizeof(f->folder), "%s/run", f->scratch);
	f->opt = (struct pv_run_options){.target = "model",
					 .board = "embedded",
					 .driver = "reference",
					 .workers = 2,
					 .grace_ms = 300,
					 .agent = AGENTS "/scripted"};
	char *copy = strdup(names);
	for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "))
		f->jobs[f->n++] = (struct pv_job){.plan = "plan",
						  .name = strdup(name),
						  .file = "scenarios/plan.xml",
						  .line = 10,
						  .timeout_s = timeout_of(name),
						  .seed = 7};
	free(copy);
	return f;
}

void fixture_free(struct fixture *f)
{
	pv_remove_all(f->scratch);
	pv_run_result_free(f->result);
	for (size_t i = 0; i < f->n; i++)
		free((char *)f->jobs[i].name);
	free(f->shown);
	free(f);
}

static int make_and_run(struct fixture *f)
{
	struct pv_run_folder folder;
	int err = pv_folder_create(f->folder, &f->opt, f->jobs, f->n, &folder, &f->error);

	if (!err)
		err = pv_run(&folder, &f->opt, f->jobs, f->n, &f->error);
	pv_run_folder_free(&folder);
	return err;
}

void fixture_load(struct fixture *f)
{
	pv_run_result_free(f->result);
	f->result = NULL;
	int err = pv_run_load(f->folder, &f->result, &f->error);
	cr_assert_eq(err, 0, "%s", f->error.text);
}

int fixture_run(struct fixture *f)
{
	size_t n;

	f->opt.out = open_memstream(&f->shown, &n);
	int err = make_and_run(f);
	fclose(f->opt.out);
	fixture_load(f);
	return err;
}

int fixture_run_in_child(struct fixture *f)
{
	int pid = fork();

	if (!pid)
		_exit(make_and_run(f) ? 3 : 0);
	return pid;
}

const struct pv_case_result *fixture_case(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->result->n_cases; i++)
		if (!strcmp(f->result->cases[i].name, name))
			return &f->result->cases[i];
	cr_assert_fail("no case %s", name);
	return NULL;
}

const struct pv_case_result *fixture_one(struct fixture *f)
{
	int err = fixture_run(f);

	cr_assert_eq(err, 0, "%s", f->error.text);
	return &f->result->cases[0];
}

bool fixture_wait_for_file(const char *path)
{
	for (int i = 0; i < 1000; i++) {
		if (!access(path, F_OK))
			return true;
		usleep(10000);
	}
	return false;
}

/* A process that has ended but is still to be reaped by someone else counts as gone. */
bool fixture_process_gone(int pid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 300; i++) {
		FILE *stat = fopen(path, "r");
		int n = stat ? fscanf(stat, "%*d (%*[^)]) %c", &state) : 0;

		if (stat)
			fclose(stat);
		if (!n || state == 'Z' || state == 'X')
			return true;
		usleep(10000);
	}
	return false;
}

char *fixture_read(const char *path)
{
	char *text = NULL;
	size_t n;
	struct pv_error e;
	int err = pv_file_read(path, 64 << 20, &text, &n, &e);

	cr_assert_eq(err, 0, "%s", e.text);
	return text;
}

void fixture_path(const struct fixture *f, const char *name, char out[256])
{
	snprintf(out, 256, "%s/%s", f->folder, name);
}
