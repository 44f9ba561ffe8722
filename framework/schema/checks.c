/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps that check something. */
#include "framework/schema/schema_internal.h"

static const struct pv_attr_decl check_measure_attrs[] = {
	{"id", TYPE(MEASURE_REF), "The measure.", .required = true},
	{"min", TYPE(DECIMAL), "The minimum."},
	{"max", TYPE(DECIMAL), "The maximum."},
	{"equals", TYPE(DECIMAL), "The exact value, instead of a minimum and a maximum."},
	{NULL},
};

static const struct pv_attr_decl check_order_attrs[] = {
	{"ids", TYPE(VALUE_REFS), "The values, in order, each once.", .required = true},
	{"relation", TYPE(RELATION), "The relation between each value and the next.", .required = true},
	{"by", TYPE(DECIMAL),
	 "Minimum relative difference between neighbours (equal: maximum, less than 1). Not for nondecreasing.",
	 .value = "0"},
	{NULL},
};

static const struct pv_attr_decl check_trace_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{"against", TYPE(TRACE_AGAINST), "The reference to compare with.", .value = "oracle"},
	{"name", TYPE(TEXT),
	 "Name of the golden trace. Only with against=\"golden\". Default: made from plan and case."},
	{"records-min", TYPE(NUMBER), "Minimum number of records in each window.", .value = "1"},
	{"expect-flags", TYPE(TRACE_FLAGS), "Flags that the trace must have. Partial data and collisions always fail.",
	 .value = "none"},
	{NULL},
};

static const struct pv_attr_decl check_trace_overrun_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{"records-min", TYPE(NUMBER), "Minimum number of records in each window, despite the losses.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl check_empty_trace_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_trace_count_attrs[] = {
	{"id", TYPE(TRACE_REF), "The open trace, running or not.", .required = true},
	{"equals", TYPE(NUMBER), "The expected count: a PTT counts nothing.", .value = "0"},
	{NULL},
};

static const struct pv_attr_decl check_counter_attrs[] = {
	{"id", TYPE(COUNTER_REF), "The counter.", .required = true},
	{"against", TYPE(COUNTER_AGAINST), "The reference to compare with.", .value = "oracle"},
	{"equals", TYPE(NUMBER), "The exact value, instead of a minimum and a maximum. Only with against=\"value\"."},
	{"min", TYPE(NUMBER), "The minimum. Only with against=\"value\"."},
	{"max", TYPE(NUMBER), "The maximum. Only with against=\"value\"."},
	{"tolerance", TYPE(TOLERANCE), "Allowed relative difference; not with against=\"value\". Default: none."},
	{"name", TYPE(TEXT),
	 "Name of the golden counter. Only with against=\"golden\". Default: made from plan and case."},
	{"min-value", TYPE(NUMBER),
	 "Minimum of the expected count itself, of the lower one if a range is expected, since comparing 0 with 0 "
	 "proves nothing. Not with against=\"value\".",
	 .value = "1"},
	{NULL},
};

static const struct pv_attr_decl check_trace_payload_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{"counter", TYPE(COUNTER_REF), "The counter, after it was read or stopped.", .required = true},
	{"unit", TYPE(NUMBER), "Bytes per count.", .value = "1"},
	{"tolerance", TYPE(TOLERANCE), "Allowed difference, as a share of the payload.", .value = "0"},
	{NULL},
};

static const struct pv_attr_decl check_trace_link_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace, with the filter of one Root Port.", .required = true},
	{"port", TYPE(PORT_REF), "That Root Port.", .required = true},
	{"time", TYPE(PTT_TIME), "The meaning of Time. Default: that of the PTT in the topology."},
	{"stretch", TYPE(NUMBER16),
	 "TLPs in each stretch: those between its first and its last must not be faster than the link.", .value = "64",
	 .min = 3, .max = 0xffff},
	{"tolerance", TYPE(TOLERANCE), "Allowed excess, as a share of what the link can carry.", .value = "0"},
	{"records-min", TYPE(NUMBER), "Minimum number of records in each window.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl check_counter_registers_attrs[] = {
	{"id", TYPE(COUNTER_REF), "The counter, which runs.", .required = true},
	{"unit", TYPE(NUMBER), "What the driver shows for each count of the register: 16 for payload.", .value = "1",
	 .min = 1, .max = UINT32_MAX},
	{"tolerance", TYPE(TOLERANCE), "Allowed difference, as a share of the count.", .value = "0"},
	{"min", TYPE(NUMBER),
	 "Minimum count in the register before the driver reads it, since comparing 0 with 0 proves nothing.",
	 .value = "1"},
	{NULL},
};

static const struct pv_attr_decl check_attributes_attrs[] = {
	{"pmu", TYPE(PMU_REF), "The PMU: its name, events, formats, filters and tune files."},
	{"device", TYPE(DEVICE_REF), "The function: its header, link, MPS and MRRS."},
	{NULL},
};

static const struct pv_attr_decl check_share_attrs[] = {
	{"ids", TYPE(COUNTER_REFS), "The two counters.", .required = true},
	{"min", TYPE(DECIMAL), "The minimum.", .required = true},
	{"max", TYPE(DECIMAL), "The maximum.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_residency_attrs[] = {
	{"id", TYPE(COUNTER_REF), "The counter of the state's cycles.", .required = true},
	{"cycle", TYPE(COUNTER_REF), "The counter that gave the length of a cycle in ps: one_cycle of the same PMU.",
	 .required = true},
	{"min", TYPE(DECIMAL), "The minimum.", .required = true},
	{"max", TYPE(DECIMAL), "The maximum.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_mps_attrs[] = {
	{"policy", TYPE(POLICY), "The policy. Default: the policy of the boot step."},
	{NULL},
};

static const struct pv_attr_decl check_throughput_attrs[] = {
	{"since", TYPE(MARK_REF), "The mark to begin at.", .required = true},
	{"port", TYPE(PORT_REF), "The port above the link.", .required = true},
	{"dir", TYPE(DIRECTION), "Direction of the payload.", .required = true},
	{"op", TYPE(OPERATION), "Kind of the requests.", .required = true},
	{"size", TYPE(SIZE), "Bytes of each request.", .required = true, .min = 1, .max = 1073741824},
	{"mps", TYPE(PAYLOAD), "MPS. Default: the port's."},
	{"mrrs", TYPE(PAYLOAD), "MRRS. Default: the requester's."},
	{"min-share", TYPE(PORTION), "Smallest share of the calculated maximum.", .required = true},
	{"max-share", TYPE(PORTION), "Largest share of the calculated maximum.", .value = "1.0"},
	{NULL},
};

static const struct pv_attr_decl check_rules_attrs[] = {
	{"except", TYPE(RULE_REFS), "Rules that are not judged here."},
	{NULL},
};

static const struct pv_attr_decl check_aer_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"bit", TYPE(BITS5), "The bit, 0 to 31.", .required = true},
	{"set", TYPE(YES_NO), "Whether it must be set.", .value = "yes"},
	{NULL},
};

static const struct pv_attr_decl check_file_attrs[] = {
	{"path", TYPE(TEXT), "The file: /proc/interrupts.", .required = true},
	{"line", TYPE(REGEX), "The pattern that the line must match.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_interrupt_attrs[] = {
	{"name", TYPE(TEXT), "The handler, as in /proc/interrupts: hisi_ptt, cxl_pmu_mem0.0_overflow.",
	 .required = true},
	{"movable", TYPE(YES_NO), "Whether its affinity can be changed from user space."},
	{"threads", TYPE(NUMBER), "Number of threads that run its handlers."},
	{NULL},
};

static const struct pv_attr_decl check_perf_attrs[] = {
	{"id", TYPE(PERF_REF), "The perf.", .required = true},
	{"match", TYPE(REGEX), "The pattern that the line must match.", .required = true},
	{"lines", TYPE(NUMBER), "Number of lines that must match. Default: one or more."},
	{NULL},
};

static const struct pv_attr_decl check_perf_count_attrs[] = {
	{"id", TYPE(PERF_REF), "The perf stat.", .required = true},
	{"event", TYPE(TEXT), "The event, as perf prints it.", .required = true},
	{"equals", TYPE(NUMBER), "The expected count; of a perf stat with intervals, their sum.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_perf_intervals_attrs[] = {
	{"id", TYPE(PERF_REF), "The perf stat.", .required = true},
	{"event", TYPE(TEXT), "The event, as perf prints it: one of a DWC PMU or CPMU that counts what passes.",
	 .required = true},
	{"busy", TYPE(NUMBER), "Minimum number of intervals with a count: fewer prove nothing.", .value = "2"},
	{NULL},
};

static const struct pv_attr_decl check_parent_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_workload_attrs[] = {
	{"id", TYPE(MEASURE_REF), "The bytes of the workload.", .required = true},
	{"counter", TYPE(COUNTER_REF), "The counter, after it was read or stopped.", .required = true},
	{"unit", TYPE(NUMBER), "Bytes per count.", .value = "1"},
	{"tolerance", TYPE(TOLERANCE),
	 "Allowed difference, as a share of the bytes. Default: the tolerance of the board's description."},
	{NULL},
};

static const struct pv_attr_decl check_baseline_attrs[] = {
	{"id", TYPE(MEASURE_REF), "The measure.", .required = true},
	{"tolerance", TYPE(TOLERANCE), "Allowed difference, as a share of the baseline.", .value = "0.1"},
	{NULL},
};

static const struct pv_attr_decl check_poll_attrs[] = {
	{"id", TYPE(COUNTER_REF), "The open counter.", .required = true},
	{"equals", TYPE(POLL_EVENTS), "The bits that poll(2) returns for it.", .required = true},
	{NULL},
};

static const struct pv_attr_decl check_running_attrs[] = {
	{"id", TYPE(COUNTER_REF), "The counter.", .required = true},
	{"min", TYPE(FRACTION), "Minimum share.", .required = true},
	{"max", TYPE(FRACTION), "Maximum share.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl check_log_attrs[] = {
	{"matches", TYPE(REGEX), "The pattern that the line must match.", .required = true},
	{NULL},
};

const struct pv_element_decl pv_elements_checks[] = {
	{"check-measure", "Checks a measure.", .attrs = {check_measure_attrs},
	 .rules = RULES({PV_RULE_SOME_OF, {"min", "max", "equals"}}, {PV_RULE_NOT_BOTH, {"equals", "min"}},
			{PV_RULE_NOT_BOTH, {"equals", "max"}})},
	{"check-order",
	 "Checks the relation between several values: measures, and counters that were started and read. Values that "
	 "are all 0 prove nothing.",
	 .attrs = {check_order_attrs}},
	{"check-trace", "Compares a trace with the wire ledger or a golden, record by record and window by window.",
	 .attrs = {check_trace_attrs}},
	{"check-trace-overrun",
	 "Checks a trace that must be flagged truncated: records may be missing only where commits are flagged, and "
	 "all others must be correct.",
	 .attrs = {check_trace_overrun_attrs}},
	{"check-empty-trace", "Checks that a trace is empty and not flagged truncated.",
	 .attrs = {check_empty_trace_attrs}},
	{"check-trace-count", "Checks the count that read(2) returns for the event of a trace.",
	 .attrs = {check_trace_count_attrs}},
	{"check-trace-payload",
	 "Checks the payload of all TLPs in a trace against a counter of payload, such as that of the Root Port's own "
	 "PMU: "
	 "neither needs anybody who knows what was on the link.",
	 .attrs = {check_trace_payload_attrs}},
	{"check-trace-link",
	 "Checks a trace against its link: Link Status and bus numbers of the Root Port, which are read past the "
	 "driver. Functions below the port send what comes in, an 8DW Time that is a clock never goes back by less "
	 "than "
	 "2^24 ticks (more may be a silence, in which 32 bits go round unseen), and no stretch of TLPs is faster than "
	 "the "
	 "link. The rate is not judged in Flit Mode; in 4DW if Time is a clock, "
	 "since "
	 "11 bits go round unseen; and if the length of a tick is unknown: boards have it from ptt-tick-hz of the "
	 "description. A line of the log says so.",
	 .attrs = {check_trace_link_attrs}},
	{"check-counter", "Checks a count.", .attrs = {check_counter_attrs},
	 .rules = RULES({PV_RULE_NOT_BOTH, {"equals", "min"}}, {PV_RULE_NOT_BOTH, {"equals", "max"}})},
	{"check-counter-registers",
	 "Reads a running counter, and the registers of its PMU before and after, past the driver: the registers count "
	 "the "
	 "counter's event and nothing else, with its threshold, edge, invert and filters, and the driver shows what "
	 "they "
	 "count. For counters of Root Ports and CPMUs that run since their "
	 "first start, alone on their PMU.",
	 .attrs = {check_counter_registers_attrs}},
	{"check-attributes",
	 "Compares sysfs with registers, which are read past the driver. Of a CPMU: events with EVENT_CAP, formats "
	 "with "
	 "CAP. Of a PTT: its name with LOCATION, filters with DEVICE_RANGE and the functions there, tune files with "
	 "TUNING_DATA. Of a PMU of a Root Port: its name and its capability. Of a function: IDs, class, the speed and "
	 "width of its link, MPS and MRRS. All must be equal. Files that no register shows are not judged, and the "
	 "message of the check names them.",
	 .attrs = {check_attributes_attrs}, .rules = RULES({PV_RULE_SOME_OF, {"pmu", "device"}})},
	{"check-share", "Checks the ratio of two counters: the first divided by the second.",
	 .attrs = {check_share_attrs}},
	{"check-residency",
	 "Checks the share of time that a link spent in a state: cycles times the length of a cycle. Only for states "
	 "counted by core_clk.",
	 .attrs = {check_residency_attrs}},
	{"check-mps",
	 "Checks MPS and MRRS of the whole machine: compares the configuration space before and after boot with the "
	 "oracle.",
	 .attrs = {check_mps_attrs}},
	{"check-throughput", "Checks bandwidth against the calculated maximum of the link.",
	 .attrs = {check_throughput_attrs}},
	{"check-rules",
	 "Checks that the driver has broken no rule of use so far. The hardware notes number these rules, which say "
	 "what software must not do. Without this step, reports count the breaks, but no case fails. A driver that "
	 "has accessed no register proves nothing.",
	 .attrs = {check_rules_attrs}},
	{"check-aer", "Checks a bit of a function's AER Uncorrectable Error Status.", .attrs = {check_aer_attrs}},
	{"check-file", "Checks that a line of a file of the system under test matches.", .attrs = {check_file_attrs}},
	{"check-interrupt",
	 "Checks how the kernel handles an interrupt. The step writes the affinity that the interrupt has.",
	 .attrs = {check_interrupt_attrs}, .rules = RULES({PV_RULE_SOME_OF, {"movable", "threads"}})},
	{"check-perf", "Checks lines of the output of a perf command.", .attrs = {check_perf_attrs}},
	{"check-perf-count", "Checks a count printed by perf stat.", .attrs = {check_perf_count_attrs}},
	{"check-perf-intervals",
	 "Checks the count of each interval of a perf stat against what passed in it, to 5 ms of the clocks. Traffic "
	 "of the "
	 "event must not begin before perf counts.",
	 .attrs = {check_perf_intervals_attrs}},
	{"check-parent", "Checks the device that a PMU belongs to: its parent in sysfs.",
	 .attrs = {check_parent_attrs}},
	{"check-workload", "Checks a counter against the bytes that a workload reports.",
	 .attrs = {check_workload_attrs}},
	{"check-baseline",
	 "Checks a measure against the baseline of this board, which `pcieval golden regen` records. A larger measure "
	 "fails as well: record a new baseline then.",
	 .attrs = {check_baseline_attrs}},
	{"check-poll", "Checks the result of poll(2) on a counter's file, without waiting.",
	 .attrs = {check_poll_attrs}},
	{"check-running",
	 "Checks the share of time for which an open counter had a hardware counter until its last read: less than 1 "
	 "if the kernel multiplexes.",
	 .attrs = {check_running_attrs}},
	{"check-log", "Checks that the driver has logged a line that matches.", .attrs = {check_log_attrs}},
	{NULL},
};
