/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on the machine as a whole: boot, what was probed, power, modules, files, the driver's log, time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

#define FILE_BYTES 16384 /* bytes of a file that are read */

static int do_boot(struct pv_session *s, const struct pv_args *a)
{
	return pv_session_boot(s, (enum pv_mps_policy)pv_arg_choice(a, "policy"));
}

static int do_probe(struct pv_session *s, const struct pv_args *a)
{
	const char *device = pv_arg_text(a, "device"), *why = NULL;
	unsigned instance = (unsigned)pv_arg_number(a, "instance");
	pv_bdf bdf;

	if (pv_session_bdf(s, device, &bdf))
		return -1;
	int err = s->t->driver->ops->probe_status(s->t->driver, bdf, instance, &why);
	why = why ? why : "";
	int end = pv_session_expect(s, err, why, "probe of %s, instance %u", device, instance);
	if (end < 0)
		return end;
	if (pv_arg_has(a, "says"))
		return pv_session_judge(s, pv_arg_matches(a, "says", why), NULL,
					"reason: expected a match of \"%s\", got \"%s\"", pv_arg_text(a, "says"), why);
	/* The device was found, which is an expectation too. */
	return end ? 0 : pv_session_judge(s, true, NULL, "%s, instance %u: probed", device, instance);
}

static int do_check_log(struct pv_session *s, const struct pv_args *a)
{
	const char *line;
	_autofree_ char *all = NULL;
	size_t size;
	FILE *f = open_memstream(&all, &size);
	bool found = false;

	for (size_t i = 0; f && (line = s->t->driver->ops->log_line(s->t->driver, i)); i++) {
		found |= pv_arg_matches(a, "matches", line);
		fprintf(f, "%s\n", line);
	}
	if (f)
		fclose(f);
	return pv_session_judge(s, found, all, "driver's log: expected a line that matches \"%s\", got %s",
				pv_arg_text(a, "matches"), found ? "one" : "none");
}

static int do_wait(struct pv_session *s, const struct pv_args *a)
{
	uint64_t ns = pv_arg_time_ns(a);
	int err = s->t->machine->ops->wait(s->t->machine, ns);

	if (err == -ECONNRESET)
		return pv_session_lost(s, NULL, "waiting");
	return err ? pv_session_plan_error(s, "the target cannot wait %" PRIu64 " ns from now on: %s", ns,
					   pv_errno_name(err))
		   : 0;
}

static int do_cpu(struct pv_session *s, const struct pv_args *a)
{
	unsigned n = (unsigned)pv_arg_number(a, "n");
	bool online = pv_arg_yes(a, "online");
	struct pv_pause pause;

	if (!pv_has(s->t->machine, cpu_online))
		return pv_session_unsupported(s, "choice of CPUs");
	pv_pause_begin(s, &pause);
	int err = s->t->machine->ops->cpu_online(s->t->machine, n, online);
	return pv_pause_end(s, &pause) ||
	       pv_session_expect(s, err, NULL, "taking CPU %u %s", n, online ? "on line" : "off line") < 0;
}

static int do_suspend(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->machine, suspend))
		return pv_session_unsupported(s, "suspend");
	int err = s->t->machine->ops->suspend(s->t->machine, pv_arg_choice(a, "power") == 1);
	if (err == -ENOTSUP)
		return pv_session_unsupported(s, "suspend: its kernel lacks CONFIG_SUSPEND, or pcieval.ko");
	return pv_session_expect(s, err, NULL, "suspending and resuming the system") < 0;
}

static int do_runtime_pm(struct pv_session *s, const struct pv_args *a)
{
	const char *device = pv_arg_text(a, "device");
	pv_bdf bdf;

	if (!pv_has(s->t->machine, runtime_pm))
		return pv_session_unsupported(s, "run-time power management");
	if (pv_session_bdf(s, device, &bdf))
		return -1;
	int err = s->t->machine->ops->runtime_pm(s->t->machine, bdf, pv_arg_choice(a, "control") == 0);
	return pv_session_expect(s, err, NULL, "setting power/control of %s to %s", device, pv_arg_text(a, "control")) <
	       0;
}

static int do_module(struct pv_session *s, const struct pv_args *a)
{
	const char *name = pv_arg_text(a, "name");
	bool load = pv_arg_yes(a, "loaded");

	if (!pv_has(s->t->machine, module))
		return pv_session_unsupported(s, "kernel modules");
	int err = s->t->machine->ops->module(s->t->machine, name, load);
	return pv_session_expect(s, err, NULL, "%s module %s", load ? "loading" : "unloading", name) < 0;
}

static int do_probe_fail_nth(struct pv_session *s, const struct pv_args *a)
{
	const char *pmu = pv_arg_text(a, "pmu");
	unsigned failed = 0, refused = 0, least = (unsigned)pv_arg_number(a, "failed");

	if (!pv_has(s->t->machine, probe_fail_nth))
		return pv_session_unsupported(s, "allocations that fail");
	int err = s->t->machine->ops->probe_fail_nth(s->t->machine, pmu, pv_arg_yes(a, "load"), &failed, &refused);
	if (err == -ENOTSUP)
		return pv_session_unsupported(
			s, "allocations that fail: its kernel lacks CONFIG_FAULT_INJECTION_STACKTRACE_FILTER");
	err = pv_session_expect(s, err, NULL, "the probe of %s after %u probes in which an allocation failed", pmu,
				failed);
	if (err)
		return err < 0 ? err : 0;
	return pv_session_judge(
		s, failed >= least, NULL,
		"probe of %s: expected %u allocations or more to fail, got %u; %u probes returned an error", pmu, least,
		failed, refused);
}

static int do_check_file(struct pv_session *s, const struct pv_args *a)
{
	const char *path = pv_arg_text(a, "path");
	char text[FILE_BYTES], *at = text;
	bool found = false;

	if (!pv_has(s->t->machine, file_read))
		return pv_session_unsupported(s, "files");
	int n = s->t->machine->ops->file_read(s->t->machine, path, text, sizeof(text));
	_autofree_ char *all = n < 0 ? NULL : strdup(text);
	if (n < 0)
		return pv_session_judge(s, false, NULL, "reading %s: expected success, got %s", path, pv_errno_name(n));
	for (char *line; !found && (line = strsep(&at, "\n"));)
		found = *line && pv_arg_matches(a, "line", line);
	return pv_session_judge(s, found, all, "%s: expected a line that matches \"%s\", got %s", path,
				pv_arg_text(a, "line"), found ? "one" : "none");
}

static int do_check_interrupt(struct pv_session *s, const struct pv_args *a)
{
	const char *name = pv_arg_text(a, "name"), *movable = pv_arg_text(a, "movable");
	uint64_t threads = pv_arg_number(a, "threads");
	struct pv_interrupt i = {0};

	if (!pv_has(s->t->machine, interrupt))
		return pv_session_unsupported(s, "interrupts of a kernel");
	int err = s->t->machine->ops->interrupt(s->t->machine, name, &i);
	if (err)
		return pv_session_expect(s, err, NULL, "finding the interrupt of %s", name);
	if (movable)
		pv_session_judge(s, i.movable == pv_arg_yes(a, "movable"), NULL,
				 "interrupt of %s: expected movable=\"%s\", got \"%s\": /proc/irq/%u/smp_affinity",
				 name, movable, i.movable ? "yes" : "no", i.number);
	if (pv_arg_has(a, "threads"))
		pv_session_judge(s, i.threads == threads, NULL,
				 "interrupt of %s: expected %" PRIu64 " threads irq/%u-*, got %u", name, threads,
				 i.number, i.threads);
	return 0;
}

const struct pv_step_def pv_steps_machine[] = {
	{"boot", do_boot, 0},
	{"probe", do_probe, PV_STEP_DRIVER},
	{"cpu", do_cpu, PV_STEP_DRIVER},
	{"suspend", do_suspend, PV_STEP_DRIVER},
	{"runtime-pm", do_runtime_pm, PV_STEP_DRIVER},
	{"module", do_module, PV_STEP_DRIVER},
	{"probe-fail-nth", do_probe_fail_nth, PV_STEP_DRIVER},
	{"check-file", do_check_file, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-interrupt", do_check_interrupt, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-log", do_check_log, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"wait", do_wait, 0},
	{NULL},
};
