/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of traces, each right and wrong. Ten writes are on the wire; a trace holds them by number. */
#include <stddef.h>

#include "framework/agent/tests/seen.h"

#define WIRE  ".wire n=10 | "
#define WHOLE WIRE ".trace is=0123456789 | "
#define TWO   WHOLE ".trace id=u;is=012 | "
#define GOLDEN \
	WIRE ".trace is=0123 | .golden mode=record | check-trace id=t;against=golden;name=g | .golden mode=check | "
#define TO_G	"check-trace id=t;against=golden;name=g"
#define OVERRUN "check-trace-overrun id=t"
#define EMPTY	"check-empty-trace id=t"

/* Started and stopped by steps; two writes are there before and after, one while it starts and stops. */
#define RUN(is)                                                                                                      \
	".wire n=2 | .driver during=1 | trace-start id=t;pmu=hisi_ptt0_0;config=0x101280001 | .wire n=4 | .deliver " \
	"is=" is " | trace-stop id=t | .wire n=2 | check-trace id=t"

/* Recorded by perf; two writes are there before and after. */
#define PERF(event, data)                                                                           \
	".wire n=2 | perf id=p;what=record;events=" event ";trace=t | .wire n=4 | .perf-data " data \
	" | perf-end id=p | .wire n=2 | "
#define EVENT	     "hisi_ptt0_0/filter=0x80001,type=1,direction=2,format=1/"
#define RECORD(data) PERF(EVENT, data) "check-trace id=t"

/* In several windows, with a write before the first. */
#define OPENED	      ".wire n=1 | trace-open id=t;pmu=hisi_ptt0_0;config=0x101280001 | "
#define WINDOW(n, is) "trace-enable id=t | .wire n=" #n " | .deliver is=" is " | trace-disable id=t | "

#define CORE_1(pmu) ".wire n=4;port=rp1 | .trace is=0123;pmu=" pmu " | check-trace id=t"

/* clang-format off: one to a line */
const struct pv_seen pv_seen_traces[] = {
	{"check-trace", "id", TWO "check-trace id=t", TWO "check-trace id=u", FAIL,
	 "trace u: expected 10 records, got 3 (7 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", WHOLE "check-trace id=t", WIRE ".trace is=012346789 | check-trace id=t", FAIL,
	 "got 9 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", WHOLE "check-trace id=t", WIRE ".trace is=01234x56789 | check-trace id=t", FAIL,
	 "got 11 (0 missing, 1 extra, 0 differing)"},
	{"check-trace", "id", WHOLE "check-trace id=t", WIRE ".trace is=01234x6789 | check-trace id=t", FAIL,
	 "got 10 (0 missing, 0 extra, 1 differing)"},
	{"check-trace", "id", WHOLE "check-trace id=t", WIRE ".trace is=0123456789;runs=yes | check-trace id=t", ERROR,
	 "expected it to be stopped first"},
	{"check-trace", "id", WHOLE "check-trace id=t", ".trace | check-trace id=t", ERROR, "the case proves nothing"},
	{"check-trace", "id", RUN("3456"), RUN("345"), FAIL, "got 3 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=245"), FAIL, "got 3 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345x"), FAIL, "got 5 (0 missing, 1 extra, 0 differing)"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345;config=0x101180001"), FAIL,
	 "trace t: expected a whole perf.data of hisi_ptt0_0, config 0x101280001, got data of an unknown PMU, config "
	 "0x101180001"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345;cut=8"), FAIL,
	 "expected a whole perf.data of hisi_ptt0_0"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345;cut=400"), FAIL, "got EBADMSG"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345;flags=1"), FAIL, "trace t"},
	{"check-trace", "id", PERF(EVENT, "is=2345;flags=1") "check-trace id=t;expect-flags=truncated",
	 PERF(EVENT, "is=2345;flags=9") "check-trace id=t;expect-flags=truncated", FAIL,
	 "trace t: expected no flag but truncated, got collision"},
	{"check-trace", "id", RECORD("is=2345"), RECORD("is=2345;flags=4"), FAIL,
	 "trace t: expected no flag but truncated, got partial"},
	{"check-trace", "expect-flags", PERF(EVENT, "is=2345;flags=1;then=2") "check-trace id=t;expect-flags=truncated",
	 RECORD("is=2345;flags=1;then=2"), FAIL, "trace t: expected no truncated flag, got truncated"},
	{"check-trace", "id", RECORD("is=2345"),
	 PERF("hisi_ptt0_0/filter=0x80001,nothing=1/", "is=2345") "check-trace id=t", ERROR,
	 "trace: expected one event PMU/TERM=VALUE,.../ of a PTT, got \"hisi_ptt0_0/filter=0x80001,nothing=1/\""},
	{"check-trace", "id", RECORD("is=2345"), PERF(EVENT "," EVENT, "is=2345") "check-trace id=t", ERROR,
	 "expected one event"},
	{"check-trace", "id", RECORD("is=2345"), ".program exits=1 | " RECORD("is=2345"), FAIL,
	 "perf p: expected it to end with status 0, got 1"},
	{"check-trace", "id", RUN("23456"), RUN("456"), FAIL, "got 3 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", RUN("3456"), RUN("13456"), FAIL, "got 5 (0 missing, 0 extra, 1 differing)"},
	{"check-trace", "id", WHOLE "check-trace id=t", WIRE ".trace is=0123E56789 | check-trace id=t", FAIL,
	 "got 10 (0 missing, 0 extra, 1 differing): record 4"}, /* its time */
	{"check-trace", "id", WIRE ".wire n=2;kind=mrd64 | .trace is=0123456789 | check-trace id=t",
	 WIRE ".wire n=2;kind=mrd64 | .trace is=0123456789: | check-trace id=t", FAIL,
	 "got 11 (0 missing, 1 extra, 0 differing)"}, /* not its type */
	{"check-trace", "id", CORE_1("hisi_ptt0_1;config=0x101280004"), CORE_1("hisi_ptt1_1;config=0x101280004"), ERROR,
	 "expected a PTT of the topology behind hisi_ptt1_1, got none"},
	{"check-trace", "id", CORE_1("hisi_ptt0_1;config=0x101280004"), CORE_1("hisi_ptt0_1;config=0x101180004"), ERROR,
	 "the case proves nothing"}, /* outbound */
	{"check-trace", "records-min", WHOLE "check-trace id=t;records-min=10", WHOLE "check-trace id=t;records-min=11",
	 ERROR, "expected at least 11 records on the wire, got 10"},
	{"check-trace", "records-min", GOLDEN TO_G ";records-min=4", GOLDEN TO_G ";records-min=5", FAIL,
	 "expected the 4 records of golden g, got 4"},
	{"check-trace", "expect-flags", WIRE ".trace is=0123456789! | check-trace id=t;expect-flags=truncated",
	 WIRE ".trace is=0123456789! | check-trace id=t", FAIL, "expected no truncated flag, got truncated"},
	{"check-trace", "expect-flags", WHOLE "check-trace id=t;expect-flags=none",
	 WHOLE "check-trace id=t;expect-flags=truncated", FAIL, "expected truncated, got no flag"},
	{"check-trace", "expect-flags", WHOLE "check-trace id=t", WIRE ".trace is=01234/5678!9 | check-trace id=t",
	 FAIL, "got truncated after 160 bytes"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN "check-trace id=t", FAIL, "expected 10 records, got 4"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN ".trace is=012 | " TO_G, FAIL,
	 "golden g, got 3 (1 missing, 0 extra, 0 changed)"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN ".trace is=01234 | " TO_G, FAIL,
	 "golden g, got 5 (0 missing, 1 extra, 0 changed)"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN ".trace is=01x3 | " TO_G, FAIL,
	 "golden g, got 4 (0 missing, 0 extra, 1 changed)"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN ".trace is=0132 | " TO_G, FAIL,
	 "same records in another order: first at record 2"},
	{"check-trace", "against", GOLDEN TO_G, GOLDEN ".trace is=0123! | " TO_G, FAIL, "expected no truncated flag"},
	{"check-trace", "id", OPENED WINDOW(3, "123") ".wire | " WINDOW(2, "56") "check-trace id=t",
	 OPENED WINDOW(3, "13") ".wire | " WINDOW(2, "56") "check-trace id=t", FAIL,
	 "trace t, window 1: expected 3 records, got 2 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "id", OPENED WINDOW(3, "123") ".wire | " WINDOW(2, "56") "check-trace id=t",
	 OPENED WINDOW(3, "123") ".wire | " WINDOW(2, "5") "check-trace id=t", FAIL,
	 "trace t, window 2: expected 2 records, got 1 (1 missing, 0 extra, 0 differing)"},
	{"check-trace", "expect-flags", OPENED WINDOW(3, "123") WINDOW(2, "45") "check-trace id=t",
	 OPENED WINDOW(3, "123;flags=1") WINDOW(2, "45") "check-trace id=t", FAIL,
	 "trace t, window 1: expected no truncated flag, got truncated after 64 bytes"},
	{"check-trace", "records-min", OPENED WINDOW(1, "1") WINDOW(2, "23") "check-trace id=t;records-min=1",
	 OPENED WINDOW(1, "1") WINDOW(2, "23") "check-trace id=t;records-min=2", ERROR,
	 "trace t, window 1: expected at least 2 records on the wire, got 1"},
	{"check-trace", "name", GOLDEN TO_G, GOLDEN "check-trace id=t;against=golden;name=h", ERROR,
	 "make it with `pcieval golden regen`"},

	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=02345!89 | " OVERRUN, FAIL,
	 "(2), got 1 missing elsewhere, 0 extra, 0 differing"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=01x2345!89 | " OVERRUN,
	 FAIL, "0 missing elsewhere, 1 extra, 0 differing"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=01x345!89 | " OVERRUN, FAIL,
	 "0 missing elsewhere, 0 extra, 1 differing"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=0123/789 | " OVERRUN, FAIL,
	 "expected truncated (10 records were on the wire, 7 are there), got no flag"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=0123456789! | " OVERRUN,
	 ERROR, "expected an overrun, got all 10 records"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN,
	 WIRE ".trace is=0123!789;runs=yes | " OVERRUN, ERROR, "expected it to be stopped first"},

	{"check-trace-overrun", "id", WIRE ".trace is=0123!7!89 | " OVERRUN, WIRE ".trace is=0123!7!8!9 | " OVERRUN,
	 FAIL, "expected records to be missing at each of the 3 marked commits, got 1 with none"},
	{"check-trace-overrun", "id", WIRE ".trace is=0123!789 | " OVERRUN, WIRE ".trace is=0!123!789 | " OVERRUN, FAIL,
	 "expected records to be missing at each of the 2 marked commits, got 1 with none"},
	{"check-trace-overrun", "records-min", WIRE ".trace is=0123!789 | " OVERRUN ";records-min=7",
	 WIRE ".trace is=0123!789 | " OVERRUN ";records-min=8", FAIL, "expected at least 8 records before or after"},
	{"check-trace-overrun", "records-min", WIRE ".trace is=0!! | " OVERRUN, WIRE ".trace is=!! | " OVERRUN, FAIL,
	 "expected at least 1 records before or after what was lost, got 0"},

	{"check-trace-overrun", "id", OPENED WINDOW(4, "12;flags=1") WINDOW(4, "56;flags=1") OVERRUN,
	 OPENED WINDOW(4, "12") WINDOW(4, "56;flags=1") OVERRUN, FAIL,
	 "trace t, window 1: expected truncated (4 records were on the wire, 2 are there), got no flag"},
	{"trace-read", "bytes-min", WIRE ".trace is=01;runs=yes | trace-read id=t;bytes-min=64",
	 WIRE ".trace is=01;runs=yes | trace-read id=t;bytes-min=65", FAIL,
	 "expected at least 65 bytes that were not read yet, got 64"},
	{"trace-read", "bytes-min", WIRE ".trace is=01;runs=yes | trace-read id=t;bytes-min=64",
	 WIRE ".trace is=01;runs=yes | trace-read id=t | trace-read id=t;bytes-min=64", FAIL,
	 "expected at least 64 bytes that were not read yet, got 0"},
	{"trace-read", "bytes", WIRE ".trace is=01;runs=yes | trace-read id=t;bytes=32 | trace-read id=t;bytes-min=32",
	 WIRE ".trace is=01;runs=yes | trace-read id=t;bytes=33 | trace-read id=t;bytes-min=32", FAIL,
	 "expected at least 32 bytes that were not read yet, got 31"},
	{"trace-read", "id", WIRE ".trace id=u;is=0;runs=yes | .trace is=01;runs=yes | trace-read id=t;bytes-min=64",
	 WIRE ".trace id=u;is=0;runs=yes | .trace is=01;runs=yes | trace-read id=u;bytes-min=64", FAIL,
	 "trace u: expected at least 64 bytes"},

	{"check-empty-trace", "id", WIRE ".trace | " EMPTY, WIRE ".trace is=0 | " EMPTY, FAIL,
	 "expected no data, got 32 bytes"},
	{"check-empty-trace", "id", WIRE ".trace | " EMPTY, WIRE ".trace is=! | " EMPTY, FAIL,
	 "expected no data, got 0 bytes, truncated"},
	{"check-empty-trace", "id", WIRE ".trace is=// | " EMPTY, WIRE ".trace is=!/ | " EMPTY, FAIL,
	 "expected no data, got 0 bytes, truncated"},
	{"check-empty-trace", "id", WIRE ".trace | .trace id=u;is=0 | " EMPTY,
	 WIRE ".trace | .trace id=u;is=0 | check-empty-trace id=u", FAIL, "trace u: expected no data"},
	{"check-empty-trace", "id", WIRE ".trace | " EMPTY, WIRE ".trace runs=yes | " EMPTY, ERROR,
	 "expected it to be stopped first"},
	{"check-empty-trace", "id", WIRE ".trace | " EMPTY, WIRE ".trace lost=all | " EMPTY, ERROR,
	 "trace t: keeping its data: ENOSPC"},
	{NULL},
};
