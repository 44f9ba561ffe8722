/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures of the wire and their checks, each right and wrong. */
#include <stddef.h>

#include "framework/agent/tests/seen.h"

/* A link of 8 GT/s x8 carries a write of 64 bytes, 88 on the wire, in 11172 ps: half of what it can do. */
#define HALF	"mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp0;dir=in;op=write;size=64;"
/* 512 bytes as 64 each: 0.43 of what writes of 128 bytes reach. */
#define MANY	"mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp0;dir=in;op=write;size=512;"
#define OF_MANY "min-share=0.43;max-share=0.434"
#define SHARES	"min-share=0.49;max-share=0.51"
#define READS \
	"mark id=m | .wire n=100;gap-ps=22344;kind=cpld;dir=out | check-throughput since=m;port=rp0;dir=out;op=read;"
#define LONG                                                                 \
	"mark id=m | .wire n=100;bytes=256;gap-ps=71094 | check-throughput " \
	"since=m;port=rp0;dir=in;op=write;size=256;" SHARES
/* One byte is asked for with a header of 4 DW: the requests are what limits. */
#define SHORT                                                                                \
	"mark id=m | .wire n=100;gap-ps=22344;kind=cpld;dir=out;bytes=4 | check-throughput " \
	"since=m;port=rp0;dir=out;op=read;size=1;"
#define MEASURE	   "measure id=m;port=rp0;dir=in;what="
#define IS(value)  " | check-measure id=m;equals=" #value
#define FIVE	   ".measure value=5 | check-measure id=m;"
#define PAIR(x, y) ".measure id=a;value=" #x " | .measure id=b;value=" #y " | check-order ids=a b;relation="
#define THREE(x, y, z)                                                                      \
	".measure id=a;value=" #x " | .measure id=b;value=" #y " | .measure id=c;value=" #z \
	" | check-order ids=a b c;relation="

/* clang-format off: one to a line */
const struct pv_seen pv_seen_wire[] = {
	{"mark", "id", "mark id=a | .wire n=3 | mark id=b | .wire n=2 | " MEASURE "tlps;since=a" IS(5),
	 "mark id=a | .wire n=3 | mark id=a | .wire n=2 | " MEASURE "tlps;since=a" IS(5), FAIL, "expected 5, got 2"},
	{"measure", "id", ".measure id=n;value=3 | .wire n=10 | " MEASURE "tlps" IS(10),
	 ".measure value=3 | .wire n=10 | measure id=n;port=rp0;dir=in;what=tlps" IS(10), FAIL,
	 "measure m: expected 10, got 3"},
	{"measure", "what", ".wire n=10 | " MEASURE "tlps" IS(10), ".wire n=10 | " MEASURE "data-bytes" IS(10), FAIL,
	 "expected 10, got 640"},
	{"measure", "what", ".wire n=10;gap-ps=22344 | " MEASURE "burst" IS(1),
	 ".wire n=10;gap-ps=11172 | " MEASURE "burst" IS(1), FAIL, "expected 1, got 10"}, /* by the link's rate */
	{"measure", "dir", ".wire kind=cpld;left=512;dir=out | measure id=m;port=rp0;dir=out;what=off-boundary" IS(0),
	 ".wire kind=cpld;left=512 | " MEASURE "off-boundary" IS(0), FAIL, "expected 0, got 1"}, /* RCB 64 and 128 */
	{"measure", "port", ".wire n=10 | .wire n=3;port=rp1 | " MEASURE "tlps" IS(10),
	 ".wire n=10 | .wire n=3;port=rp1 | measure id=m;port=rp1;dir=in;what=tlps" IS(10), FAIL, "expected 10, got 3"},
	{"measure", "dir", ".wire n=10 | .wire n=3;dir=out | " MEASURE "tlps" IS(10),
	 ".wire n=10 | .wire n=3;dir=out | measure id=m;port=rp0;dir=out;what=tlps" IS(10), FAIL, "expected 10, got 3"},
	{"measure", "class", ".wire n=10 | .wire n=3;kind=mrd64 | " MEASURE "tlps;class=p" IS(10),
	 ".wire n=10 | .wire n=3;kind=mrd64 | " MEASURE "tlps;class=np" IS(10), FAIL, "expected 10, got 3"},
	{"measure", "class", ".wire n=10 | .wire n=3;kind=cpld | " MEASURE "tlps;class=p cpl" IS(13),
	 ".wire n=10 | .wire n=3;kind=cpld | " MEASURE "tlps;class=cpl" IS(13), FAIL, "expected 13, got 3"},
	{"measure", "requester", ".wire n=10 | .wire n=3;requester=0x101 | " MEASURE "tlps;requester=nic0" IS(10),
	 ".wire n=10 | .wire n=3;requester=0x101 | " MEASURE "tlps" IS(10), FAIL, "expected 10, got 13"},
	{"measure", "requester", ".wire n=10 | .wire n=3;requester=0x101 | " MEASURE "tlps;requester=0x101" IS(3),
	 ".wire n=10 | .wire n=3;requester=0x101 | " MEASURE "tlps;requester=0x100" IS(3), FAIL, "expected 3, got 10"},
	{"measure", "since", ".wire n=10 | mark id=a | .wire n=3 | " MEASURE "tlps;since=a" IS(3),
	 ".wire n=10 | mark id=a | .wire n=3 | " MEASURE "tlps" IS(3), FAIL, "expected 3, got 13"},

	{"check-measure", "id", ".measure id=n;value=6 | " FIVE "equals=5",
	 ".measure id=n;value=6 | .measure value=5 | check-measure id=n;equals=5", FAIL,
	 "measure n: expected 5, got 6"},
	{"check-measure", "equals", FIVE "equals=5", FIVE "equals=5.1", FAIL, "expected 5.1, got 5"},
	{"check-measure", "equals", FIVE "equals=5", FIVE "equals=4.9", FAIL, "expected 4.9, got 5"},
	{"check-measure", "min", FIVE "min=5", FIVE "min=5.1", FAIL, "expected 5.1 or more, got 5"},
	{"check-measure", "max", FIVE "max=5", FIVE "max=4.9", FAIL, "expected 4.9 or less, got 5"},
	{"check-measure", "min", FIVE "min=5;max=6", FIVE "min=5.1;max=6", FAIL, "expected 5.1 to 6, got 5"},
	{"check-measure", "max", FIVE "min=4;max=5", FIVE "min=4;max=4.9", FAIL, "expected 4 to 4.9, got 5"},
	{"check-measure", "id", FIVE "equals=5", ".measure value=5 | check-measure id=m", ERROR,
	 "at least one of the attributes min max equals"},

	{"check-order", "ids", PAIR(1, 2) "increasing", PAIR(2, 1) "increasing", FAIL,
	 "expected increasing by 0, got a=2 b=1"},
	{"check-order", "ids", THREE(1, 2, 3) "increasing", THREE(1, 3, 2) "increasing", FAIL, "got a=1 b=3 c=2"},
	{"check-order", "ids", THREE(1, 2, 3) "increasing", THREE(3, 1, 2) "increasing", FAIL, "got a=3 b=1 c=2"},
	{"check-order", "ids", PAIR(1, 2) "increasing", ".measure id=a;value=1 | check-order ids=a;relation=increasing",
	 ERROR, "ids: expected two or more"},
	{"check-order", "ids",
	 ".counter id=a;value=1 | .counter id=b;value=2 | check-order ids=a b;relation=increasing",
	 ".counter id=a;value=2 | .counter id=b;value=1 | check-order ids=a b;relation=increasing", FAIL,
	 "got a=2 b=1"},
	{"check-order", "relation", PAIR(1, 2) "increasing", PAIR(1, 2) "decreasing", FAIL, "expected decreasing"},
	{"check-order", "relation", PAIR(1, 2) "increasing", PAIR(1, 1) "increasing", FAIL, "expected increasing"},
	{"check-order", "relation", PAIR(2, 1) "decreasing", PAIR(1, 1) "decreasing", FAIL, "expected decreasing"},
	{"check-order", "relation", PAIR(1, 1) "equal", PAIR(1, 2) "equal", FAIL, "expected equal"},
	{"check-order", "relation", PAIR(1, 1) "equal", PAIR(2, 1) "equal", FAIL, "expected equal"},
	{"check-order", "relation", PAIR(1, 1) "nondecreasing", PAIR(2, 1) "nondecreasing", FAIL,
	 "expected nondecreasing"},
	{"check-order", "by", PAIR(100, 110) "increasing;by=0.1", PAIR(100, 110) "increasing;by=0.11", FAIL,
	 "expected increasing by 0.11"},
	{"check-order", "by", PAIR(100, 90) "decreasing;by=0.1", PAIR(100, 90) "decreasing;by=0.11", FAIL,
	 "expected decreasing by 0.11"},
	{"check-order", "by", PAIR(100, 110) "equal;by=0.1", PAIR(100, 111) "equal;by=0.1", FAIL,
	 "expected equal by 0.1"},
	{"check-order", "by", PAIR(100, 90) "equal;by=0.1", PAIR(100, 89) "equal;by=0.1", FAIL,
	 "expected equal by 0.1"},

	{"check-order", "by", PAIR(0, 1) "equal;by=1", PAIR(0, 2) "equal;by=1", FAIL, "expected equal by 1"},

	{"check-throughput", "since", HALF SHARES,
	 "mark id=m | .wire n=2;gap-ps=11172 | mark id=n | .wire n=100;gap-ps=22344 | check-throughput "
	 "since=m;port=rp0;dir=in;op=write;size=64;min-share=0.495;max-share=0.51;since=q",
	 ERROR, "expected a mark of an earlier step, got \"q\""},
	{"check-throughput", "since", ".wire n=50;gap-ps=11172 | " HALF SHARES,
	 "mark id=m | .wire n=1;bytes=128 | .wire n=2;gap-ps=400 | check-throughput "
	 "since=m;port=rp0;dir=in;op=write;size=64;" SHARES,
	 FAIL, "expected 0.49 to 0.51 of the ceiling"},
	{"check-throughput", "port", HALF SHARES,
	 "mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp1;dir=in;op=write;size=64;" SHARES,
	 FAIL, "write at rp1: expected 0.49 to 0.51"},
	{"check-throughput", "dir", HALF SHARES,
	 "mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp0;dir=out;op=write;size=64;" SHARES,
	 FAIL, "got 0.000000 of it"},
	{"check-throughput", "op", HALF SHARES,
	 "mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp0;dir=in;op=read;size=64;" SHARES,
	 FAIL, "read at rp0: expected 0.49 to 0.51"},
	{"check-throughput", "size", HALF SHARES,
	 "mark id=m | .wire n=100;gap-ps=22344 | check-throughput "
	 "since=m;port=rp0;dir=in;op=write;size=8;min-share=0.49;max-share=0.51",
	 FAIL, "got 1.4"},
	{"check-throughput", "size", HALF "min-share=0",
	 "mark id=m | .wire n=100;gap-ps=22344 | check-throughput since=m;port=rp0;dir=in;op=write;size=0;min-share=0",
	 FAIL, "of the ceiling of 0 MB/s"},
	{"check-throughput", "mps", ".machine rp0=256/512 | " LONG, ".machine rp0=128/512 | " LONG, FAIL,
	 "got 0.54"}, /* as set now */
	{"check-throughput", "op", SHORT "min-share=0.5", SHORT "min-share=0.6", FAIL,
	 "expected 0.6 to 1 of the ceiling of 328 MB/s"},
	{"check-throughput", "mps", MANY "mps=128;" OF_MANY, MANY "mps=512;" OF_MANY, FAIL, "got 0.38"},
	{"check-throughput", "mps", HALF SHARES,
	 ".machine rp0=128/512 | mark id=m | .wire n=100;gap-ps=22344;bytes=256 | check-throughput "
	 "since=m;port=rp0;dir=in;op=write;size=256;mps=256;min-share=0.4;max-share=0.51",
	 FAIL, "of the ceiling"},
	{"check-throughput", "mrrs", READS "size=512;mps=512;mrrs=512;min-share=0.37;max-share=0.39",
	 READS "size=512;mps=512;mrrs=128;min-share=0.37;max-share=0.39", FAIL, "read at rp0: expected 0.37 to 0.39"},
	{"check-throughput", "min-share", HALF "min-share=0.49", HALF "min-share=0.51", FAIL,
	 "expected 0.51 to 1 of the ceiling"},
	{"check-throughput", "max-share", HALF "min-share=0;max-share=0.51", HALF "min-share=0;max-share=0.49", FAIL,
	 "expected 0 to 0.49 of the ceiling"},
	{"check-throughput", "max-share", HALF "min-share=0.1",
	 "mark id=m | .wire n=100;gap-ps=11000 | check-throughput "
	 "since=m;port=rp0;dir=in;op=write;size=64;min-share=0.1",
	 FAIL, "expected 0.1 to 1 of the ceiling"},
	{NULL},
};
