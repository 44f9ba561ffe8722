/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of counters and their shares, each right and wrong. */
#include <stddef.h>

#include "framework/agent/tests/seen.h"

#define POLLED	 "counter-open id=c;pmu=fake;config=1 | "
#define HALF	 ".driver count=50 | counter-open id=c;pmu=fake;config=1 | counter-start id=c | counter-read id=c | "
#define FIVE	 ".cxl n=5 | "
#define COUNT(n) FIVE ".counter value=" #n " | "
#define CHECK	 "check-counter id=c"
#define VALUE	 CHECK ";against=value;"
#define ROUGH(n) ".cxl n=100 | .counter value=" #n " | " CHECK ";tolerance="
#define SLACK(n) ".cxl n=6 | .counter slack=1;value=" #n " | " CHECK
#define CPMU(x)	 FIVE ".counter value=5;config1=" x " | " CHECK ";min-value=0"
#define MEM(x)	 ".cxl n=5;what=mem | .counter value=5;config=0x1e98002000000002;config1=" x " | " CHECK ";min-value=0"
#define DRAM(x)	 ".cxl n=5;what=dram | .counter value=5;config=0x1e98800000000001;config1=" x " | " CHECK ";min-value=0"
#define DWC(x)	 ".wire n=5 | .counter value=5;pmu=dwc_rootport_" x " | " CHECK ";min-value=0"
#define LANE(x)	 ".phy n=5;lane=3 | .counter value=5;pmu=dwc_rootport_80;config=" x " | " CHECK ";min-value=0"
/* In a window of 1 us a link state for so many cycles of 1 ns. */
#define STATE(n)                                                                                                      \
	".counter id=y;value=1000 | .counter id=z;value=2000 | .counter id=d;pmu=dwc_rootport_80;config=1;value=600 " \
	"| "                                                                                                          \
	".counter pmu=dwc_rootport_80;config=1;value=" #n " | check-residency "
#define TWICE(n)                                                                                               \
	".counter id=y;windows=2;value=" #n " | .counter pmu=dwc_rootport_80;config=1;windows=2;value=1000 | " \
	"check-residency id=c;cycle=y;min=0.5;max=0.5"
/* Opened, started and stopped by steps; two messages are there before and after, one while it starts and stops. */
#define RUN(n)                                                                                                         \
	".cxl n=2 | .driver during=1;count=" #n " | counter-open id=c;pmu=cxl_pmu_mem0.0;config=0x1e98001000000002 | " \
	"counter-start id=c | " FIVE "counter-stop id=c | .cxl n=2 | " CHECK
/* In two windows, of five messages and of three. */
#define WINDOWS(n)                                                                                            \
	".cxl n=2 | .driver count=" #n " | counter-open id=c;pmu=cxl_pmu_mem0.0;config=0x1e98001000000002 | " \
	"counter-start id=c | .cxl n=5 | counter-stop id=c | .cxl n=2 | "                                     \
	"counter-start id=c | .cxl n=3 | counter-stop id=c | " CHECK
#define GOLDEN COUNT(7) ".golden mode=record | " TO_G " | .golden mode=check | "
#define TO_G   CHECK ";against=golden;name=g"
/* More than a double holds to the last digit. */
#define LARGE(n)                                                                                                    \
	".counter value=9007199254740993 | .golden mode=record | " TO_G " | .golden mode=check | .counter value=" n \
	" | " TO_G
/* A counter against a workload of 1600 bytes. */
#define MOVED(n, tolerance)                                                                           \
	".command moves=1600;tolerance=" tolerance " | .counter id=a;value=1600 | .counter value=" #n \
	" | workload id=w;from=nic0;rate=r | check-workload "
/* A baseline of 1000, and then a workload of n bytes; m is another measure. */
#define BASELINE(n)                                                                                        \
	".golden mode=record | .command moves=1000 | workload id=w;from=nic0 | workload id=m;from=nic0 | " \
	"check-baseline id=w | check-baseline id=m | .golden mode=check | .command moves=" #n              \
	" | workload id=w;from=nic0 | check-baseline "
#define SHARE	  ".counter id=a;value=50 | .counter id=b;value=100 | check-share "
#define AGAINST_0 ".counter id=a;value=50 | .counter id=b;value=0 | check-share "

/* clang-format off: one to a line */
const struct pv_seen pv_seen_counters[] = {
	{"check-baseline", "id", BASELINE(1200) "id=m", BASELINE(1200) "id=w", FAIL,
	 "measure w: expected 1000 +-10 % (baseline default.plan.case), got 1200"},
	{"check-baseline", "tolerance", BASELINE(1100) "id=w", BASELINE(1101) "id=w", FAIL, "expected 1000 +-10 %"},
	{"check-baseline", "tolerance", BASELINE(900) "id=w", BASELINE(899) "id=w", FAIL, "got 899"},
	{"check-baseline", "tolerance", BASELINE(1200) "id=w;tolerance=0.2", BASELINE(1200) "id=w;tolerance=0.19", FAIL,
	 "expected 1000 +-19 %"},
	{"check-baseline", "id", BASELINE(1000) "id=w",
	 ".golden mode=check | .command moves=5 | workload id=w;from=nic0 | check-baseline id=w", ERROR,
	 "record the baseline of this board with `pcieval golden regen --accept`"},
	{"check-baseline", "id", BASELINE(1000) "id=w", BASELINE(0) "id=w", ERROR, "expected 1 to 1e18 for a baseline"},
	{"check-workload", "id", MOVED(1600, "0") "id=w;counter=c", MOVED(1600, "0") "id=r;counter=c", FAIL,
	 "counter c: expected 3200 to 3200 bytes (workload r, 3200), got 1600"},
	{"check-workload", "counter", MOVED(100, "0") "id=w;counter=a", MOVED(100, "0") "id=w;counter=c", FAIL,
	 "counter c: expected 1600 to 1600 bytes (workload w, 1600), got 100 (100 of 1 bytes)"},
	{"check-workload", "unit", MOVED(100, "0") "id=w;counter=c;unit=16", MOVED(100, "0") "id=w;counter=c;unit=15",
	 FAIL, "got 1500 (100 of 15 bytes)"},
	{"check-workload", "tolerance", MOVED(1584, "0") "id=w;counter=c;tolerance=0.01",
	 MOVED(1583, "0.5") "id=w;counter=c;tolerance=0.01", FAIL, "expected 1584 to 1616 bytes"},
	{"check-workload", "tolerance", MOVED(1616, "0") "id=w;counter=c;tolerance=0.01",
	 MOVED(1617, "0.5") "id=w;counter=c;tolerance=0.01", FAIL, "expected 1584 to 1616 bytes"},
	{"check-workload", "tolerance", MOVED(1440, "0.1") "id=w;counter=c", MOVED(1440, "0.09") "id=w;counter=c", FAIL,
	 "expected 1456 to 1744 bytes"},
	{"check-workload", "id", MOVED(1600, "0") "id=w;counter=c",
	 ".command moves=0 | .counter value=0 | workload id=w;from=nic0 | check-workload id=w;counter=c", ERROR,
	 "the check proves nothing"},
	{"check-poll", "equals", ".driver count=8 | " POLLED "check-poll id=c;equals=err",
	 ".driver count=16 | " POLLED "check-poll id=c;equals=err", FAIL,
	 "poll(2) of counter c: expected err, got hup"},
	{"check-poll", "equals", ".driver count=0 | " POLLED "check-poll id=c;equals=none",
	 ".driver count=17 | " POLLED "check-poll id=c;equals=hup", FAIL,
	 "poll(2) of counter c: expected hup, got in+hup"},
	{"check-poll", "id", ".driver count=8 | " POLLED "check-poll id=c;equals=err",
	 ".driver count=8 | " POLLED ".counter id=d;value=5 | check-poll id=d;equals=err", ERROR,
	 "expected an open one, got one that is closed"},
	{"check-running", "min", HALF "check-running id=c;min=0.5", HALF "check-running id=c;min=0.51", FAIL,
	 "counter c: expected it to run for 0.51 to 1 of the time, got 0.5 (50 of 100 ns)"},
	{"check-running", "max", HALF "check-running id=c;min=0;max=0.5", HALF "check-running id=c;min=0;max=0.4", FAIL,
	 "expected it to run for 0 to 0.4 of the time, got 0.5"},
	{"check-running", "id", HALF "check-running id=c;min=0.5",
	 HALF ".counter id=d;value=5 | check-running id=d;min=0.5", ERROR,
	 "expected an open one, got one that is closed"},
	{"check-counter", "id", COUNT(5) CHECK, COUNT(6) CHECK, FAIL, "counter c: expected 5 (wire), got 6"},
	{"check-counter", "id", COUNT(5) CHECK, COUNT(4) CHECK, FAIL, "counter c: expected 5 (wire), got 4"},
	{"check-counter", "id", COUNT(5) ".counter id=d;value=6 | " CHECK,
	 COUNT(5) ".counter id=d;value=6 | check-counter id=d", FAIL, "counter d: expected 5 (wire), got 6"},
	{"check-counter", "id", SLACK(4), SLACK(3), FAIL, "expected 4 to 6 (wire), got 3"},
	{"check-counter", "id", SLACK(6), SLACK(7), FAIL, "expected 4 to 6 (wire), got 7"},
	{"check-counter", "id", FIVE ".counter windows=2;value=10 | " CHECK, FIVE ".counter windows=2;value=5 | " CHECK,
	 FAIL, "expected 10 (wire), got 5"},
	{"check-counter", "id", COUNT(5) CHECK, FIVE ".counter windows=0;value=5 | " CHECK, ERROR,
	 "expected it to have been started and read"},
	{"check-counter", "id", FIVE ".counter value=5;documented=2 | " CHECK,
	 FIVE ".counter value=5;documented=4 | " CHECK, FAIL,
	 "(documented), got 0x1e98001000000002 by the driver's events/"},
	{"check-counter", "id", CPMU("0"), CPMU("2"), FAIL, "expected 0 (wire), got 5"}, /* config1: threshold ... */
	{"check-counter", "id", CPMU("1"), CPMU("0x10001"), FAIL, "expected 1050 (wire), got 5"}, /* ... inverted ... */
	{"check-counter", "id", CPMU("0x1"), CPMU("0x20001"), FAIL, "expected 1 (wire), got 5"},  /* ... edges */
	{"check-counter", "id", CPMU("1"), CPMU("0x20002"), ERROR, "the specification leaves it undefined"},
	{"check-counter", "id", MEM("0x40000;config2=1"), MEM("0x40000;config2=2"), FAIL,
	 "expected 0 (wire), got 5"}, /* HDM filter */
	{"check-counter", "id", DRAM("0x80000;config2=0xffff03ff00000000"), DRAM("0x80000;config2=0xffff02ff00000000"),
	 FAIL, "expected 0 (wire), got 5"}, /* place in the DRAM */
	{"check-counter", "id", CPMU("0"), CPMU("0x40000;config2=1"), ERROR, "the specification leaves it undefined"},
	{"check-counter", "id", CPMU("0"), FIVE ".counter value=5;config=0x19e5001000000002 | " CHECK, ERROR,
	 "got 0: the check proves nothing"},
	{"check-counter", "id", CPMU("0"), FIVE ".counter value=5;pmu=cxl_pmu_none | " CHECK, ERROR,
	 "what is right is not known"},
	{"check-counter", "id", DWC("80;config=0x1070b"), DWC("88;config=0x1070b"), FAIL, "expected 0 (wire), got 5"},
	{"check-counter", "id", LANE("0x310000"), LANE("0x110000"), FAIL,
	 "expected 0 (wire), got 5"}, /* lanes 3 and 1 */
	{"check-counter", "id", DWC("80;config=0x1070b"), DWC("80;config=0x1070a"), FAIL, "(wire), got 5"},
	{"check-counter", "id", DWC("80;config=0x1070b"), DWC("80;config=0x070b"), ERROR, "what is right is not known"},
	{"check-counter", "id", DWC("80;config=0x1070b"), DWC("100000000;config=0x1070b"), ERROR,
	 "what is right is not known"},
	{"check-counter", "id", RUN(5), RUN(4), FAIL, "expected 5 to 7 (wire), got 4"},
	{"check-counter", "id", RUN(7), RUN(8), FAIL, "expected 5 to 7 (wire), got 8"},
	{"check-counter", "id", WINDOWS(8), WINDOWS(10), FAIL, "expected 8 (wire), got 10"},
	{"check-counter", "id", WINDOWS(8), WINDOWS(6), FAIL, "expected 8 (wire), got 6"},
	{"check-counter", "against", COUNT(7) VALUE "equals=7", COUNT(7) CHECK, FAIL, "expected 5 (wire), got 7"},
	{"check-counter", "against", GOLDEN TO_G, GOLDEN ".counter value=8 | " TO_G, FAIL,
	 "expected 7 (golden), got 8"},
	{"check-counter", "against", GOLDEN TO_G, GOLDEN ".counter value=6 | " TO_G, FAIL,
	 "expected 7 (golden), got 6"},
	{"check-counter", "against", GOLDEN TO_G,
	 GOLDEN ".counter id=d;value=7 | check-counter id=d;against=golden;name=g", ERROR,
	 "make it with `pcieval golden regen`"},
	{"check-counter", "name", GOLDEN TO_G, GOLDEN CHECK ";against=golden;name=h", ERROR,
	 "make it with `pcieval golden regen`"},
	{"check-counter", "equals", COUNT(7) VALUE "equals=7", COUNT(7) VALUE "equals=8", FAIL, "expected 8, got 7"},
	{"check-counter", "equals", COUNT(7) VALUE "equals=7", COUNT(7) VALUE "equals=6", FAIL, "expected 6, got 7"},
	{"check-counter", "equals", COUNT(7) VALUE "equals=7", COUNT(5) CHECK ";equals=5", ERROR,
	 "equals: expected it only with"},
	{"check-counter", "min", COUNT(7) VALUE "min=7", COUNT(7) VALUE "min=8", FAIL, "expected at least 8, got 7"},
	{"check-counter", "min", COUNT(7) VALUE "min=7", COUNT(7) VALUE "", ERROR, "expected equals, min or max"},
	{"check-counter", "max", COUNT(7) VALUE "max=7", COUNT(7) VALUE "max=6", FAIL, "expected 0 to 6, got 7"},
	{"check-counter", "max", COUNT(7) VALUE "min=1;max=7", COUNT(7) VALUE "min=1;max=6", FAIL,
	 "expected 1 to 6, got 7"},
	{"check-counter", "tolerance", ROUGH(110) "0.1", ROUGH(110) "0.09", FAIL, "expected 91 to 109 (wire), got 110"},
	{"check-counter", "tolerance", ROUGH(90) "0.1", ROUGH(90) "0.09", FAIL, "expected 91 to 109 (wire), got 90"},
	{"check-counter", "tolerance", ROUGH(110) "0.1", ".cxl n=100 | .counter value=110 | " CHECK, FAIL,
	 "expected 100 (wire), got 110"},
	{"check-counter", "tolerance", ROUGH(150) "0.5", ROUGH(151) "0.5", FAIL, "expected 50 to 150 (wire), got 151"},
	{"check-counter", "tolerance", ROUGH(50) "0.5", ROUGH(49) "0.5", FAIL, "expected 50 to 150 (wire), got 49"},
	{"check-counter", "against", LARGE("9007199254740993"), LARGE("9007199254740992"), FAIL,
	 "expected 9007199254740993 (golden), got 9007199254740992"},
	{"check-counter", "min-value", COUNT(5) CHECK ";min-value=5", COUNT(5) CHECK ";min-value=6", ERROR,
	 "expected at least 6 from the wire, got 5: the check proves nothing"},
	{"check-counter", "min-value", ".counter | " CHECK ";min-value=0", ".counter | " CHECK, ERROR,
	 "the check proves nothing"},

	{"check-residency", "id", STATE(500) "id=c;cycle=y;min=0.5;max=0.5", STATE(500) "id=d;cycle=y;min=0.5;max=0.5",
	 FAIL, "expected 0.5 to 0.5, got 0.6 (600 cycles of 1000 ps in 1000 ns)"},
	{"check-residency", "id", STATE(500) "id=c;cycle=y;min=0.5;max=0.5",
	 ".counter id=y;value=1000 | .counter pmu=dwc_rootport_80;config=5;value=500 | check-residency "
	 "id=c;cycle=y;min=0;max=1",
	 ERROR, "expected a link state that core_clk counts"},
	{"check-residency", "cycle", STATE(500) "id=c;cycle=y;min=0.5;max=0.5",
	 STATE(500) "id=c;cycle=z;min=0.5;max=0.5", FAIL, "got 1 (500 cycles of 2000 ps"},
	{"check-residency", "cycle", TWICE(2000), TWICE(1000), FAIL, "got 0.25 (1000 cycles of 500 ps in 2000 ns)"},
	{"check-residency", "min", STATE(500) "id=c;cycle=y;min=0.5;max=1", STATE(500) "id=c;cycle=y;min=0.51;max=1",
	 FAIL, "expected 0.51 to 1, got 0.5"},
	{"check-residency", "max", STATE(500) "id=c;cycle=y;min=0;max=0.5", STATE(500) "id=c;cycle=y;min=0;max=0.49",
	 FAIL, "expected 0 to 0.49, got 0.5"},

	{"check-share", "ids", SHARE "ids=a b;min=0.4;max=0.6", SHARE "ids=b a;min=0.4;max=0.6", FAIL,
	 "b / a: expected 0.4 to 0.6, got 2"},
	{"check-share", "ids", SHARE "ids=a b;min=0;max=1", AGAINST_0 "ids=a b;min=-1;max=1", FAIL,
	 "a / b: expected -1 to 1, got -1 (50 / 0)"},
	{"check-share", "ids", SHARE "ids=a b;min=0;max=1", SHARE "ids=a;min=0;max=1", ERROR,
	 "ids: expected two counters"},
	{"check-share", "ids", SHARE "ids=a b;min=0;max=1", SHARE "ids=a b a;min=0;max=1", ERROR,
	 "ids: expected two counters"},
	{"check-share", "min", SHARE "ids=a b;min=0.5;max=1", SHARE "ids=a b;min=0.51;max=1", FAIL,
	 "expected 0.51 to 1, got 0.5"},
	{"check-share", "max", SHARE "ids=a b;min=0;max=0.5", SHARE "ids=a b;min=0;max=0.49", FAIL,
	 "expected 0 to 0.49, got 0.5"},
	{NULL},
};
