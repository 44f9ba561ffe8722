/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps set: tries sizes of single functions on a dump, or writes them to this machine. */
#include <stdlib.h>
#include <string.h>

#include "framework/cli/mps.h"
#include "framework/cli/mps_live.h"
#include "framework/mps/json.h"
#include "framework/mps/text.h"
#include "framework/util/hint.h"

enum { WANTED_MAX = 64 };

struct options {
	struct pv_cli_place place;
	struct pv_cli_mps source;
	const char *round_trip;
	double round_trip_ns; /* 0: not given */
	bool peers, force;
};

static const struct pv_option options[] = {
	{"json", 'j', PV_OPTION_FLAG, offsetof(struct options, source.json), NULL,
	 "a JSON object: changes, mismatches, new, mended"},
	{"peer2peer", 'p', PV_OPTION_FLAG, offsetof(struct options, peers), NULL,
	 "also check writes between devices below one Root Port"},
	{"round-trip", 'r', PV_OPTION_TEXT, offsetof(struct options, round_trip), "TIME",
	 "limit reads to what is in flight in this time:\n500ns, 1.2us"},
	PV_CLI_LIVE_FORCE(struct options),
	PV_CLI_LIVE_OPTIONS(struct options),
	{0},
};

/* A function and its sizes, as given on the command line; 0: not given. */
struct request {
	const char *name;
	int mps, mrrs;
};

struct requests {
	struct request list[WANTED_MAX];
	size_t n;
};

/* ---- the command line ---- */

/* Parses a size: a power of two from 128 to 4096; 0: anything else. */
static int size_of(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end != text && !*end && n >= 128 && n <= 4096 && !(n & (n - 1)) ? (int)n : 0;
}

/* Parses "mrrs=512". 0, or the exit status. */
static int take_size(struct requests *r, const char *arg)
{
	bool mrrs = !strncmp(arg, "mrrs=", 5);
	int bytes = size_of(strchr(arg, '=') + 1);

	if (!r->n)
		return pv_cli_error("mps set: expected a FUNCTION before '%s'", PV_SHOW(arg));
	if (!bytes)
		return pv_cli_error("mps set: %s: expected 128, 256, 512, 1024, 2048 or 4096 bytes", PV_SHOW(arg));
	*(mrrs ? &r->list[r->n - 1].mrrs : &r->list[r->n - 1].mps) = bytes;
	return 0;
}

static int take_argument(struct options *o, struct requests *r, const char *arg)
{
	if (!strncmp(arg, "mrrs=", 5) || !strncmp(arg, "mps=", 4))
		return take_size(r, arg);
	if (pv_cli_mps_is_function(arg)) {
		if (r->n == WANTED_MAX)
			return pv_cli_error("mps set: more than %d functions", WANTED_MAX);
		r->list[r->n++] = (struct request){.name = arg};
		return 0;
	}
	if (o->source.dump)
		return pv_cli_error("mps set: expected FUNCTION, mps=BYTES, mrrs=BYTES or one DUMP, got '%s'",
				    PV_SHOW(arg));
	o->source.dump = arg;
	return 0;
}

static int check_arguments(const struct options *o, const struct requests *r)
{
	bool live = o->place.yes || o->place.dry_run || o->place.live || o->place.journal || o->place.sysfs || o->force;

	if (!r->n)
		return pv_cli_error("mps set: expected a FUNCTION and mps=BYTES or mrrs=BYTES");
	for (size_t i = 0; i < r->n; i++)
		if (!r->list[i].mps && !r->list[i].mrrs)
			return pv_cli_error("mps set: %s: expected mps=BYTES or mrrs=BYTES after it", r->list[i].name);
	if (o->source.dump && live)
		return pv_cli_error("mps set: a DUMP is only tried: expected no option for writing");
	if (o->source.json && o->place.yes)
		return pv_cli_error("mps set: --json and --yes: expected one of them");
	return 0;
}

/* ---- effects ---- */

/* Finds the effects of the sizes. 0, or the exit status after a report. */
static int find_what_if(const struct options *o, const struct requests *r, struct pv_pci_machine *m,
			struct pv_what_if *w)
{
	struct pv_wanted wanted[WANTED_MAX];
	struct pv_error e = {0};
	int err;

	for (size_t i = 0; i < r->n; i++) {
		wanted[i] = (struct pv_wanted){pv_pci_find_name(m, r->list[i].name), r->list[i].mps, r->list[i].mrrs};
		if (!wanted[i].func)
			return pv_cli_error("%s: no such function; 'pcieval mps show' lists them",
					    PV_SHOW(r->list[i].name));
	}
	err = pv_what_if(m, wanted, r->n, o->peers, w, &e);
	if (!err && o->round_trip)
		pv_policy_plan_round_trip(&w->plan, o->round_trip_ns);
	if (!err)
		return 0;
	pv_cli_error("mps set: %s", e.text);
	return pv_cli_mps_status(err);
}

static int print(const struct options *o, const struct pv_what_if *w, FILE *f)
{
	if (o->source.json)
		return pv_cli_mps_print(pv_json_what_if(w));
	pv_text_what_if(w, o->round_trip_ns, f);
	return 0;
}

/* Returns the exit status of check: 1: mismatches, 2: not judged. */
static int try_dump(const struct options *o, const struct requests *r)
{
	struct pv_what_if w = {0};
	int status = PV_EXIT_USAGE;
	struct pv_pci_machine *m = pv_cli_mps_read(&o->source, &status);

	if (!m)
		return PV_EXIT_USAGE;
	status = find_what_if(o, r, m, &w);
	if (!status) {
		status = w.after.n ? 1 : w.after.n_unjudged ? 2 : 0;
		/*
		 * If some functions could not be judged, "no mismatch" is no answer, so it must not go to standard
		 * output.
		 */
		if (print(o, &w, status == 2 ? stderr : stdout))
			status = PV_EXIT_USAGE;
		pv_cli_mps_unjudged(&w.after);
		pv_cli_mps_few_bytes(&o->source, m);
	} else {
		status = PV_EXIT_USAGE;
	}
	pv_what_if_free(&w);
	pv_pci_machine_free(m);
	return status;
}

/* ---- writing ---- */

static int write_wanted(struct pv_cli_live *live, const struct options *o, const struct pv_what_if *w)
{
	int status = pv_cli_live_judge(w, "set what a cure names as well", o->force);

	return status || o->source.json ? status : pv_cli_live_write(live, &o->place, &w->plan, NULL);
}

static int set_live(const struct options *o, const struct requests *r)
{
	struct pv_cli_live live;
	struct pv_what_if w = {0};
	struct pv_cli_mps source = {.sysfs = o->place.sysfs};
	int status = pv_cli_live_open(&live, &o->place);

	if (status)
		return status;
	if (pv_cli_mps_few_bytes(&source, live.pci.machine)) {
		status = PV_EXIT_UNJUDGED;
	} else {
		pv_cli_live_warn(live.pci.machine);
		status = find_what_if(o, r, live.pci.machine, &w);
		if (!status)
			status = print(o, &w, stdout);
		if (!status)
			status = write_wanted(&live, o, &w);
	}
	pv_what_if_free(&w);
	pv_cli_live_close(&live);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct requests r = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	for (status = 0; !status && first < argc; first++)
		status = take_argument(&o, &r, argv[first]);
	if (!status)
		status = check_arguments(&o, &r);
	if (!status)
		status = pv_cli_mps_round_trip(o.round_trip, &o.round_trip_ns);
	if (status)
		return status;
	return o.source.dump ? try_dump(&o, &r) : set_live(&o, &r);
}

const struct pv_command pv_mps_set_command = {
	.name = "mps set",
	.args = "FUNCTION mps=BYTES|mrrs=BYTES... [DUMP]",
	.help = "set sizes of single functions, or try them on a dump",
	.text = "Says what would change: throughput, mismatches that are new or mended, and their\n"
		"cures. With a DUMP that is all, and the exit status is that of check. On this\n"
		"machine it then writes as apply does, with --yes; mismatches that would be new\n"
		"keep it from that. Several functions, each with its sizes, are set together.\n"
		"Exit status there: 0 done, 1 not done, 2 usage, 3 could not tell.",
	.options = options,
	.run = run,
};
