/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every check, and every attribute that judges, is seen to pass and to fail (seen/NAME.txt); and there is none in the
 * tables of steps that is not.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/tests/bench.h"
#include "framework/agent/tests/seen.h"
#include "framework/util/cleanup.h"

/* Of steps; case.txt has the checks that belong to no step. */
static const char *const of_steps[] = {"trace.txt", "counter.txt", "wire.txt", "machine.txt"};

/* ---- each check, both ways ---- */

static void expect(const struct pv_seen *seen, const char *differing, enum pv_emit_verdict verdict, const char *says)
{
	const char *const parts[] = {seen->given, differing, seen->then};
	char script[4096] = "";

	for (size_t i = 0, n = 0; i < 3; i++)
		if (*parts[i])
			n += (size_t)sprintf(script + n, "%s%s", n ? " | " : "", parts[i]);
	struct pv_bench_result r = pv_bench_run_at(seen->where, script);
	cr_expect(r.verdict == verdict, "%s: %s %s: %s: expected %s, got %s: %s", seen->where, seen->step, seen->attr,
		  script, pv_emit_verdicts[verdict], pv_emit_verdicts[r.verdict], r.says);
	cr_expect(r.checks || verdict != PV_EMIT_PASS, "%s: %s %s: %s: expected something to be judged, got nothing",
		  seen->where, seen->step, seen->attr, script);
	cr_expect(strstr(r.says, says), "%s: %s %s: %s: expected \"%s\", got %s", seen->where, seen->step, seen->attr,
		  script, says, r.says);
}

static void expect_both_ways(const char *name)
{
	struct pv_seen_file f = pv_seen_load(name);

	for (size_t i = 0; i < f.n; i++) {
		expect(&f.entry[i], f.entry[i].right, PV_EMIT_PASS, "");
		expect(&f.entry[i], f.entry[i].wrong, f.entry[i].verdict, f.entry[i].says);
	}
	pv_seen_free(&f);
}

Test(checks, of_traces_are_seen_to_fail)
{
	expect_both_ways("trace.txt");
}

Test(checks, of_counters_are_seen_to_fail)
{
	expect_both_ways("counter.txt");
}

Test(checks, of_the_wire_are_seen_to_fail)
{
	expect_both_ways("wire.txt");
}

Test(checks, of_the_machine_are_seen_to_fail)
{
	expect_both_ways("machine.txt");
}

Test(checks, of_every_case_are_seen_to_fail)
{
	expect_both_ways("case.txt");
}

#define HEAD "# Comment.\n\ncheck-x id\n"

Test(checks, what_is_wrong_in_a_file_of_scripts_is_told_with_its_line)
{
	static const char *const rows[][2] = {
		{HEAD "right: a\nwrong: b\nfail: c\n", ""},
		{"check-x\n", "x.txt:1: expected STEP ATTRIBUTE, got \"check-x\""},
		{"  a\n", "x.txt:1: expected a key first"},
		{HEAD "write: a\n", "x.txt:4: expected given, right, wrong, then, fail or error, got \"write: a\""},
		{HEAD "right: a\nright: b\n", "x.txt:5: expected each key once"},
		{HEAD "fail: a\nerror: b\n", "x.txt:5: expected each key once"},
		{HEAD "right: a\nfail: c\n\n", "x.txt:6: expected a right and a wrong script"},
		{HEAD "right: a\nwrong: b\n\n", "x.txt:6: expected fail or error"},
		{HEAD "right: a\nwrong:\n       a\nfail: c\n\n",
		 "x.txt:8: expected something other than what is right"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pv_seen_file f = {NULL, 0};
		struct pv_error e = {0};

		cr_expect_eq(pv_seen_parse("x.txt", rows[i][0], &f, &e), *rows[i][1] ? -EINVAL : 0, "%s", rows[i][0]);
		cr_expect(strstr(e.text, rows[i][1]) == e.text, "expected %s, got %s", rows[i][1], e.text);
		pv_seen_free(&f);
	}
}

/* Whether the plan judges it or not. */
Test(checks, a_broken_rule_is_told_at_the_end_of_a_case)
{
	struct pv_bench_result r = pv_bench_run(".break-rule times=2 | check-rules except=PT-2 | .end");

	cr_expect_eq(r.verdict, PV_EMIT_PASS, "%s", r.says);
	cr_expect(strstr(r.says, "register 0x0800 of the buffers written while the engine is not idle: access 0, "),
		  "%s", r.says);
}

Test(checks, the_worst_problem_is_the_verdict_whatever_came_first_or_last)
{
	static const enum pv_emit_verdict rows[][3] = {
		{PV_EMIT_FAIL, PV_EMIT_SKIP, PV_EMIT_FAIL},   {PV_EMIT_SKIP, PV_EMIT_FAIL, PV_EMIT_FAIL},
		{PV_EMIT_ERROR, PV_EMIT_FAIL, PV_EMIT_FAIL},  {PV_EMIT_FAIL, PV_EMIT_ERROR, PV_EMIT_FAIL},
		{PV_EMIT_SKIP, PV_EMIT_ERROR, PV_EMIT_ERROR},
	};
	char *said = NULL;
	size_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pv_emit emit = {.out = open_memstream(&said, &n)};
		struct pv_session s = {.emit = &emit};

		pv_session_problem(&s, rows[i][0], "check", NULL, "first");
		pv_session_problem(&s, rows[i][1], "check", NULL, "second");
		cr_expect_eq(s.verdict, rows[i][2], "row %zu: got %s", i, pv_emit_verdicts[s.verdict]);
		fclose(emit.out);
		free(said);
	}
}

/* ---- expect= ---- */

/* Each step with the attribute `expect`: the steps before it, and its attributes. */
static const struct expecting {
	const char *kind, *before, *attrs;
	bool cannot_fail; /* the step never gets an error from the driver */
} expecting[] = {
	{"probe", "", "device=nic0"},
	{"attr-read", "", "pmu=fake;path=tune/level"},
	{"attr-write", "", "pmu=fake;path=tune/level;value=1"},
	{"attr-list", "", "pmu=fake;dir=tune"},
	{"tune-write", "", "pmu=fake;event=level;value=1"},
	{"tune-read", "", "pmu=fake;event=level"},
	{"trace-start", "", "id=t;pmu=fake"},
	{"trace-stop", "trace-start id=t;pmu=fake | ", "id=t"},
	{"trace-open", "", "id=t;pmu=fake"},
	{"trace-enable", "trace-open id=t;pmu=fake | ", "id=t"},
	{"trace-disable", "trace-start id=t;pmu=fake | ", "id=t"},
	{"counter-open", "", "id=c;pmu=fake;config=1"},
	{"counter-start", "counter-open id=c;pmu=fake;config=1 | ", "id=c"},
	{"counter-stop", "counter-open id=c;pmu=fake;config=1 | counter-start id=c | ", "id=c"},
	{"counter-read", "counter-open id=c;pmu=fake;config=1 | counter-start id=c | ", "id=c"},
	{"counter-mmap", "counter-open id=c;pmu=fake;config=1 | ", "id=c"},
	{"counter-close", "counter-open id=c;pmu=fake;config=1 | ", "id=c", .cannot_fail = true},
	{"mps-set", "", "device=nic0;bytes=128"},
	{"mps-get", "", "device=nic0"},
	{"mrrs-set", "", "device=nic0;bytes=128"},
	{"mrrs-get", "", "device=nic0"},
	{"traffic", "", "from=nic0;kind=mwr64"},
	{"cxl-traffic", "", "device=mem0;channel=D2H Req"},
	{"drain", "", ""},
	{"hotplug", "", "action=rescan"},
	{"vfs", "", "device=nic0;count=1"},
	{"cpu", "", "n=1;online=no"},
	{"suspend", "", ""},
	{"runtime-pm", "", "device=nic0;control=auto"},
	{"module", "", "name=hisi_ptt;loaded=no"},
	{"probe-fail-nth", ".driver count=1 | ", "pmu=hisi_ptt0_0"},
	{NULL},
};

/* The step with the driver refusing by `error`, and with `expect`; both may be empty. */
static void expect_errno(const struct expecting *x, const char *error, const char *expect, const char *says)
{
	char script[512];
	const char *more = *x->attrs && *expect ? ";" : "";

	snprintf(script, sizeof(script), "%s%s%s%s%s %s%s%s%s", x->before, *error ? ".driver error=" : "", error,
		 *error ? " | " : "", x->kind, x->attrs, more, *expect ? "expect=" : "", expect);
	struct pv_bench_result r = pv_bench_run(script);
	cr_expect(r.verdict == (*says ? PV_EMIT_FAIL : PV_EMIT_PASS) && strstr(r.says, says),
		  "%s expect: %s: expected \"%s\", got %s: %s", x->kind, script, says, pv_emit_verdicts[r.verdict],
		  r.says);
	cr_expect(!*expect || r.checks, "%s expect: %s: expected a check, got none", x->kind, script);
}

Test(checks, exactly_the_expected_errno_will_do)
{
	for (const struct expecting *x = expecting; x->kind; x++) {
		expect_errno(x, "", "", "");
		expect_errno(x, "", "0", "");
		expect_errno(x, "", "EBUSY", "expected EBUSY, got success");
		if (x->cannot_fail)
			continue;
		expect_errno(x, "EBUSY", "EBUSY", "");
		expect_errno(x, "EBUSY", "EINVAL", "expected EINVAL, got EBUSY");
		expect_errno(x, "EBUSY", "0", "expected success, got EBUSY");
		expect_errno(x, "EBUSY", "", "expected success, got EBUSY");
	}
}

/* ---- steps without expect= ---- */

/* The case ended "without saying why". */
Test(checks, a_stream_that_does_not_stop_ends_the_case_with_a_reason)
{
	static const char started[] = "traffic id=s;from=nic0;kind=mwr64;count=0;background=yes";
	char script[256];

	snprintf(script, sizeof(script), "%s | traffic-stop id=s", started);
	cr_expect_eq(pv_bench_run(script).verdict, PV_EMIT_PASS, "%s", pv_bench_run(script).says);
	snprintf(script, sizeof(script), "%s | .driver error=EBUSY | traffic-stop id=s", started);
	struct pv_bench_result r = pv_bench_run(script);
	cr_expect_eq(r.verdict, PV_EMIT_ERROR);
	cr_expect(strstr(r.says, "stream s: expected it to stop, got EBUSY"), "%s", r.says);
}

/* A second trace took the place of the first, which nothing judged then. */
Test(checks, a_trace_that_is_open_keeps_its_name)
{
#define RECORD(id) "perf id=" id ";what=record;events=hisi_ptt0_0/filter=0x80001,type=1,direction=2,format=1/;trace=t"
	static const char *const first[][2] = {
		{"trace-start id=t;pmu=fake", "trace-stop id=t"},
		{"trace-open id=t;pmu=fake", "trace-close id=t"},
		{RECORD("p"), ".wire n=1 | .perf-data records=0 | perf-end id=p"},
	};
	static const char *const second[] = {"trace-start id=t;pmu=fake", "trace-open id=t;pmu=fake", RECORD("q")};
	char script[512];

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		for (size_t k = 0; k < ARRAY_SIZE(second); k++) {
			snprintf(script, sizeof(script), "%s | %s", first[i][0], second[k]);
			struct pv_bench_result r = pv_bench_run(script);
			cr_expect_eq(r.verdict, PV_EMIT_ERROR, "%s: %s", script, r.says);
			cr_expect(strstr(r.says, "expected a new name for a trace, got \"t\", which is still open"),
				  "%s: %s", script, r.says);
			snprintf(script, sizeof(script), "%s | %s | %s", first[i][0], first[i][1], second[k]);
			r = pv_bench_run(script);
			cr_expect_eq(r.verdict, PV_EMIT_PASS, "%s: %s", script, r.says);
		}
}

/* A wait between two looks at a stream went on for millions of looks. */
Test(checks, a_machine_that_is_gone_ends_the_case_at_once)
{
	static const char *const scripts[] = {
		".driver gone=yes | wait us=1",
		".driver gone=yes | drain",
		".driver gone=yes | traffic from=nic0;kind=mwr64",
		".driver gone=yes | traffic from=nic0;kind=mwr64;count=0;background=yes | traffic from=nic0;kind=mwr64",
		".driver gone=yes | reg-read device=nic0;offset=0;equals=0",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct pv_bench_result r = pv_bench_run(scripts[i]);

		cr_expect_eq(r.verdict, PV_EMIT_ERROR, "%s: %s", scripts[i], r.says);
		cr_expect(strstr(r.says, "the machine does not answer any more"), "%s: %s", scripts[i], r.says);
	}
}

/* ---- what a target may lack ---- */

/* Skipped with the reason, never a crash, a pass or a failure. */
Test(checks, what_a_read_only_target_cannot_do_is_skipped)
{
	static const char *const steps[][2] = {
		{"attr-write pmu=fake;path=tune/level;value=1", "way to write attributes"},
		{"tune-write pmu=fake;event=level;value=1;expect=EINVAL", "way to write attributes"},
		{"mps-set device=nic0;bytes=128", "way to set MPS"},
		{"mrrs-set device=nic0;bytes=128", "way to set MRRS"},
		{"reg-write device=nic0;offset=0x10;value=1", "way to write registers"},
		{"hotplug action=rescan", "rescan"},
		{"hotplug action=remove;device=nic0", "removal of functions"},
		{"vfs device=nic0;count=1", "control of virtual functions"},
		{"hotplug action=plug;device=nic0", "hot-plug"},
		{"hotplug action=unplug;device=nic0", "hot-plug"},
		{"traffic from=nic0;kind=mwr64", "traffic generator"},
		{"cxl-traffic device=mem0;channel=D2H Req", "CXL traffic generator"},
		{"check-rules", "log of the driver's register accesses"},
		{"check-mps", "images of configuration space out of reset"},
		{".counter id=c | check-counter id=c", "wire ledger"},
	};
	char script[256], says[96];
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		snprintf(script, sizeof(script), ".read-only | %s", steps[i][0]);
		snprintf(says, sizeof(says), "target fake has no %s", steps[i][1]);
		struct pv_bench_result r = pv_bench_run(script);
		cr_expect_eq(r.verdict, PV_EMIT_SKIP, "%s: %s", script, pv_emit_verdicts[r.verdict]);
		cr_expect(strstr(r.says, says), "%s: expected \"%s\", got %s", script, says, r.says);
	}
}

/* Like pcieval-far for a BAR: the write cannot be undone. */
Test(checks, a_register_that_may_not_be_written_is_a_skip)
{
	struct pv_bench_result r =
		pv_bench_run(".driver error=EPERM | reg-write device=nic0;space=bar0;offset=0;value=1");

	cr_expect_eq(r.verdict, PV_EMIT_SKIP, "%s", r.says);
	cr_expect(strstr(r.says, "target fake has no right to write this register"), "%s", r.says);
	r = pv_bench_run(".driver error=EIO | reg-write device=nic0;space=bar0;offset=0;value=1");
	cr_expect_eq(r.verdict, PV_EMIT_ERROR, "%s", r.says);
	cr_expect(strstr(r.says, "register could not be written: EIO"), "%s", r.says);
}

/* ---- workloads ---- */

static void expect_workload(const char *script, enum pv_emit_verdict verdict, const char *says)
{
	struct pv_bench_result r = pv_bench_run(script);

	cr_expect_eq(r.verdict, verdict, "%s: %s", script, r.says);
	cr_expect(strstr(r.says, says), "%s: expected \"%s\", got %s", script, says, r.says);
}

Test(checks, a_workload_that_cannot_run_says_why)
{
	static const char step[] = "workload id=w;from=nic0;to=memory";
	char script[128];

	snprintf(script, sizeof(script), ".command none=yes | %s", step);
	expect_workload(script, PV_EMIT_SKIP, "target fake has no workload commands");
	snprintf(script, sizeof(script), ".driver error=ENOENT | %s", step);
	expect_workload(script, PV_EMIT_SKIP, "the command was refused, from 100>ffffffff");
	snprintf(script, sizeof(script), ".driver error=EPERM | %s", "workload id=w;to=nic0");
	expect_workload(script, PV_EMIT_SKIP, "the command was refused, from ffffffff>100");
	snprintf(script, sizeof(script), ".driver error=EIO | %s", step);
	expect_workload(script, PV_EMIT_ERROR, "the command was refused");
	expect_workload("workload id=w;from=nobody", PV_EMIT_ERROR, "expected a function of the topology");
	expect_workload("check-workload id=w;counter=c", PV_EMIT_ERROR, "expected a measure of an earlier step");
}

/* ---- perf ---- */

static void expect_perf(const char *script, enum pv_emit_verdict verdict, const char *says)
{
	struct pv_bench_result r = pv_bench_run(script);

	cr_expect_eq(r.verdict, verdict, "%s: %s", script, r.says);
	cr_expect(strstr(r.says, says), "%s: expected \"%s\", got %s", script, says, r.says);
}

Test(checks, a_perf_that_cannot_run_says_why)
{
	expect_perf(".program none=yes | perf id=p;what=list", PV_EMIT_SKIP, "perf");
	expect_perf(".program exits=127 | perf id=p;what=list", PV_EMIT_SKIP, "perf");
	expect_perf("perf id=../p;what=list", PV_EMIT_ERROR,
		    "attribute id: expected the name that the case gives to a perf");
	expect_perf("perf id=p;what=list | perf id=p;what=list", PV_EMIT_ERROR, "perf 'p' was started before");
	expect_perf("perf id=p;what=stat", PV_EMIT_ERROR, "perf stat and perf record need events");
	expect_perf("perf id=p;what=report;of=q", PV_EMIT_ERROR, "needs `of`");
	expect_perf("perf id=p;what=list | perf-end id=p", PV_EMIT_ERROR, "perf 'p' does not run");
	expect_perf("perf id=p;what=record;events=x | perf-end id=p | perf-end id=p", PV_EMIT_ERROR, "does not run");
	expect_perf(".program exits=1 | perf id=p;what=list", PV_EMIT_FAIL, "expected it to end with status 0, got 1");
	expect_perf(".program exits=129 | perf id=p;what=stat;events=x | perf-end id=p", PV_EMIT_FAIL,
		    "expected it to end with status 0, got 129");
	expect_perf(".driver error=ETIMEDOUT | perf id=p;what=list", PV_EMIT_ERROR,
		    "running perf: expected success, got ETIMEDOUT");
}

/* A line that must not be printed may be in the part that was dropped. */
Test(checks, an_output_of_perf_that_was_cut_is_not_judged)
{
	static const char absent[] = "perf id=p;what=list | check-perf id=p;match=b;lines=0";
	char script[256];

	snprintf(script, sizeof(script), ".program says=a;cut=yes | %s", absent);
	expect_perf(script, PV_EMIT_ERROR, "expected less than 4194304 bytes of output, got more");
	snprintf(script, sizeof(script), ".program says=a;complains=yes;cut=yes | %s", absent);
	expect_perf(script, PV_EMIT_ERROR, "expected less than 16384 bytes of output, got more");
	snprintf(script, sizeof(script), ".program says=a;complains=yes | %s", absent);
	expect_perf(script, PV_EMIT_PASS, "");
	expect_perf(".program says=a;cut=yes | perf id=p;what=stat;events=x | perf-end id=p", PV_EMIT_ERROR,
		    "got more");
	expect_perf(".program exits=1;says=a;cut=yes | perf id=p;what=list", PV_EMIT_ERROR, "got more");
}

/* ---- nothing is left out ---- */

/* All of a step that judges or measures; elsewhere what compares. */
static bool judges(const struct pv_step_def *def, const char *attr)
{
	static const char comparing[] = "equals matches says has lacks min max tolerance";

	return def->flags & (PV_STEP_CHECK | PV_STEP_LEDGER) || pv_word_in(comparing, attr);
}

static bool is_seen(const struct pv_seen_file *f, const char *kind, const char *attr)
{
	for (size_t g = 0; g < ARRAY_SIZE(of_steps); g++)
		for (size_t i = 0; i < f[g].n; i++)
			if (!strcmp(f[g].entry[i].step, kind) && !strcmp(f[g].entry[i].attr, attr))
				return true;
	return false;
}

static bool is_expecting(const char *kind)
{
	for (const struct expecting *x = expecting; x->kind; x++)
		if (!strcmp(x->kind, kind))
			return true;
	return false;
}

static void expect_seen(const struct pv_seen_file *f, const struct pv_step_def *d, const char *attr)
{
	if (!strcmp(attr, "expect"))
		cr_expect(is_expecting(d->kind), "%s expect: no line in expecting[]", d->kind);
	else if (judges(d, attr))
		cr_expect(is_seen(f, d->kind, attr), "%s %s: no entry in seen/", d->kind, attr);
}

/* A step that is declared can be run, and the other way round. */
Test(checks, every_attribute_that_judges_is_seen_to_fail)
{
	struct pv_seen_file seen[ARRAY_SIZE(of_steps)];
	unsigned declared = 0, run = 0;

	for (size_t g = 0; g < ARRAY_SIZE(of_steps); g++)
		seen[g] = pv_seen_load(of_steps[g]);
	for (size_t g = 0; pv_step_groups[g]; g++)
		for (const struct pv_step_def *d = pv_step_groups[g]; d->kind; d++)
			run++;
	pv_element_foreach (e, &pv_plan_schema) {
		const struct pv_step_def *d = pv_step_find(e->name);

		if (!pv_element_is_step(e))
			continue;
		declared++;
		cr_assert_not_null(d, "<%s> is declared and cannot be run", e->name);
		pv_attr_foreach (a, e)
			expect_seen(seen, d, a->name);
	}
	cr_expect_eq(declared, run);
	for (size_t g = 0; g < ARRAY_SIZE(of_steps); g++)
		pv_seen_free(&seen[g]);
}

static bool has_attribute(const char *kind, const char *attr)
{
	const struct pv_element_decl *e = pv_schema_step(kind);

	return e && pv_schema_attr(e, attr);
}

Test(checks, what_is_seen_is_in_the_tables_of_steps)
{
	for (size_t g = 0; g < ARRAY_SIZE(of_steps); g++) {
		struct pv_seen_file f = pv_seen_load(of_steps[g]);

		for (const struct pv_seen *s = f.entry; s < f.entry + f.n; s++) {
			cr_expect(has_attribute(s->step, s->attr), "%s: %s %s", s->where, s->step, s->attr);
			cr_expect(strstr(s->wrong, s->step) || strstr(s->then, s->step), "%s: no %s", s->where,
				  s->step);
		}
		pv_seen_free(&f);
	}
}
