/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suite `bind`: a small machine below /dev/shm and a case, in variables that each test begins anew. */
#ifndef PV_BOARD_TESTS_BIND_FIXTURE_H
#define PV_BOARD_TESTS_BIND_FIXTURE_H

#include <stddef.h>

#include "framework/board/bound.h"
#include "framework/util/json.h"

extern struct pv_pci_machine *machine;
extern json_object *environment, *message, *bound;
extern struct pv_topology *plan;
extern struct pv_needs needs;
extern struct pv_board_description description;
extern struct pv_bind_wish wish[2];
extern size_t n_wishes;
extern const struct pv_pci_func *func[16]; /* that bind_case() found */
extern struct pv_error e;

/* Ends the machine and the case, as after each test. */
void teardown(void);

/* ---- machines ---- */

enum what { PORT, DWC, NIC, MEM, PTT };

struct function {
	char name[16];
	enum what what;
	unsigned lanes; /* of ports */
	unsigned bus;	/* of ports: the bus below */
};

/* Makes the machine of these functions. */
void make_machine(const struct function *f, size_t n);
#define MACHINE(...)                                         \
	make_machine((const struct function[]){__VA_ARGS__}, \
		     sizeof((const struct function[]){__VA_ARGS__}) / sizeof(struct function))

/* Sets the environment, from JSON. */
void facts(const char *text);
#define DWC_FACTS "{\"PMU dwc_rootport_3a08\":\"at 0000:3a:01.0\",\"PMU dwc_rootport_3a18\":\"at 0000:3a:03.0\"}"
#define PTT_FACTS "{\"PMU hisi_ptt2_1\":\"at 0000:75:00.0, ports 0000:75:03.0 0000:75:05.0\"}"
#define MEM_FACTS "{\"PMU cxl_pmu_mem7.0\":\"at 0000:c1:00.0, events clock_ticks m2s_req_memrd\"}"

/* ---- cases ---- */

#define RP0 "{\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"secondary\":1,\"subordinate\":1,"
#define RP1 "{\"kind\":\"root-port\",\"name\":\"rp1\",\"bdf\":\"00:11.0\",\"secondary\":2,\"subordinate\":2,"
#define TWO_PORTS                                                                                                \
	RP0 "\"ras_des\":true,\"vendor\":7661,\"width\":8,\"max_width\":8}," RP1 "\"width\":8,\"max_width\":8}," \
	    "{\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0},"                        \
	    "{\"kind\":\"endpoint\",\"name\":\"nic1\",\"bdf\":\"02:00.0\",\"parent\":1}"
#define WITH_PTT                                                                                             \
	RP0 "\"width\":8}," RP1 "\"width\":8},"                                                              \
	    "{\"kind\":\"ptt\",\"name\":\"ptt0\",\"bdf\":\"00:08.0\",\"sicl\":0,\"core\":0,\"range_lower\":" \
	    "\"00:10.0\",\"range_upper\":\"00:11.0\"},"                                                      \
	    "{\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"01:00.0\",\"parent\":0}"
#define CPMU "{\"counters\":4,\"width\":48}"
#define TWO_MEMS                                                                                              \
	RP0 "\"width\":8}," RP1 "\"width\":8},"                                                               \
	    "{\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"01:00.0\",\"parent\":0,\"cpmus\":[" CPMU "]}," \
	    "{\"kind\":\"cxl-mem\",\"name\":\"mem1\",\"bdf\":\"02:00.0\",\"parent\":1,\"cpmus\":[" CPMU "]}"

#define STEP(kind, attrs) "{\"kind\":\"" kind "\",\"attrs\":{" attrs "}}"
#define OPEN(pmu, event)  STEP("counter-open", "\"id\":\"c\",\"pmu\":\"" pmu "\",\"event\":\"" event "\"")
#define OPEN_WITH(pmu, event, more) \
	STEP("counter-open", "\"id\":\"c\",\"pmu\":\"" pmu "\",\"event\":\"" event "\"," more)
#define TRAFFIC(from) STEP("traffic", "\"from\":\"" from "\",\"kind\":\"mwr64\"")
#define PERF(events)  STEP("perf", "\"id\":\"p\",\"what\":\"record\",\"events\":\"" events "\"")
#define TRACE(filter) STEP("trace-start", "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"filter\":\"" filter "\"")
#define REFUSED(filter) \
	STEP("trace-start", "\"id\":\"t\",\"pmu\":\"hisi_ptt0_0\",\"expect\":\"EINVAL\",\"filter\":\"" filter "\"")

/* Makes the case of these nodes and steps, both JSON. */
void make_case(const char *nodes, const char *steps);
/* Sets func, or e. Returns the result of pv_board_bind(). */
int bind_case(void);
/* Compares the names of the functions, in the order of the topology; "-": not needed. */
void expect_roles(const char *expected);
/* Expects that nothing can play the roles, with this message. */
void expect_none(const char *says);
/* Compares the needs of the case's functions: "x...", or why it needs the whole topology. */
void expect_needed(const char *nodes, const char *steps, const char *expected);

/* ---- the case on the machine ---- */

/* Sets bound: the message on the machine. */
void use_bound(void);
/* Returns an attribute of one of its steps. */
const char *attr(unsigned step, const char *name);
json_object *node(unsigned i);
/* Returns a member of a node, as text. */
const char *member(unsigned i, const char *name);

#endif
