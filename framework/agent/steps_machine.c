/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on the machine as a whole: boot, what was probed, which PMUs there are, the driver's log, time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/lists.h"
#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

#define POLICIES "tune_off|default|safe|performance|peer2peer"

static int do_boot(struct pv_session *s, const struct pv_args *a)
{
	return pv_session_boot(s, (enum pv_boot_policy)pv_arg_choice(a, "policy"));
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
	/* A device that is asked about was found: that is an expectation, too. */
	return end ? 0 : pv_session_judge(s, true, NULL, "%s, instance %u: probed", device, instance);
}

static int do_pmu_list(struct pv_session *s, const struct pv_args *a)
{
	struct pv_list l = {0};
	const char *name;
	for (size_t i = 0; (name = s->t->driver->ops->pmu_name(s->t->driver, i)); i++)
		pv_list_add(&l, name);
	return pv_list_judge(s, a, &l, "PMUs");
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
	return err ? pv_session_plan_error(s, "the target cannot wait %" PRIu64 " ns from now on: %s", ns,
					   pv_errno_name(err))
		   : 0;
}

const struct pv_step_def pv_steps_machine[] = {
	{"boot", do_boot, 0, "Boots the driver with an MPS policy; a second boot is a reboot of the machine.",
	 PV_ARGS({"policy", PV_ARG_CHOICE, "as the kernel's pci= option", .def = "default", .choices = POLICIES})},
	{"probe", do_probe, PV_STEP_DRIVER, "What came of probing a device.",
	 PV_ARGS({"device", PV_ARG_DEVICE, "the function", true}, PV_ARG_EXPECT,
		 {"instance", PV_ARG_NUMBER, "which CPMU of the device", .def = "0", .max = 63},
		 {"says", PV_ARG_REGEX, "what the reason must match"})},
	{"pmu-list", do_pmu_list, PV_STEP_DRIVER, "The PMUs that are registered.", PV_ARGS(PV_LIST_ARGS)},
	{"check-log", do_check_log, PV_STEP_DRIVER | PV_STEP_CHECK, "Some line of the driver's log matches.",
	 PV_ARGS({"matches", PV_ARG_REGEX, "what a line must match", true})},
	{"wait", do_wait, 0, "Lets time pass.", PV_ARGS(PV_ARG_TIME)},
	{NULL},
};
