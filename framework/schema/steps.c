/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps that do something. */
#include "framework/schema/schema_internal.h"

static const struct pv_attr_decl expect_attrs[] = {
	{"expect", TYPE(ERRNO), "The expected errno; 0 is success.", .value = "0"},
	{NULL},
};

static const struct pv_attr_decl time_attrs[] = {
	{"ns", TYPE(NANOSECONDS), "Nanoseconds."},
	{"us", TYPE(MICROSECONDS), "Microseconds."},
	{"ms", TYPE(MILLISECONDS), "Milliseconds."},
	{NULL},
};

static const struct pv_attr_decl trace_attrs[] = {
	{"id", TYPE(TRACE_ID), "Name of the trace in this case.", .required = true},
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"filter", TYPE(PTT_FILTER),
	 "The functions to trace: names of Root Ports (\"rp0 rp1\"), the name of one other function (\"nic0.1\"), or "
	 "the filter value of the ABI, 20 bits: 0x80001, 0x00101."},
	{"type", TYPE(NUMBER), "Type mask: 1 posted, 2 non-posted, 4 completions."},
	{"direction", TYPE(NUMBER), "Direction, 0 to 3."},
	{"format", TYPE(NUMBER), "0 for 4DW, 1 for 8DW."},
	{"config", TYPE(NUMBER), "The whole config word, instead of the four fields."},
	{"aux", TYPE(SIZE), "Size of the AUX area. Default: 16 MiB."},
	{"buffer", TYPE(SIZE), "Size of each of the four DMA buffers. Default: 4 MiB, as in Linux."},
	{"reader", TYPE(TRACE_READER),
	 "The reader of the AUX area: a consumer that is always running, or trace-read steps.", .value = "always"},
	{"per-task", TYPE(YES_NO), "Open the event for a task, not system-wide.", .value = "no"},
	{"sampling", TYPE(YES_NO), "Set a sample period, as perf record does.", .value = "no"},
	{"exclude", TYPE(EXCLUDES), "Exclude bits (exclude_user and so on), which a PTT does not support."},
	{"aux-action", TYPE(AUX_ACTION),
	 "perf_event_attr.aux_action: a trace starts paused (start-paused); each count of the event pauses or resumes "
	 "its leader's trace. No PMU here can be paused.",
	 .value = "none"},
	{"cpu", TYPE(NUMBER32), "CPU to open the event on. Default: the first one in the PMU's cpumask."},
	{"snapshot", TYPE(YES_NO), "Request snapshot mode (an overwritten AUX area).", .value = "no"},
	{NULL},
};

static const struct pv_attr_decl boot_attrs[] = {
	{"policy", TYPE(POLICY), "The MPS and MRRS policy.", .value = "default"},
	{NULL},
};

static const struct pv_attr_decl probe_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The device.", .required = true},
	{"instance", TYPE(NUMBER), "Instance of the PMU within the device (CPMU).", .value = "0", .max = 63},
	{"says", TYPE(REGEX), "The pattern that the driver's error message must match."},
	{NULL},
};

static const struct pv_attr_decl pmu_list_attrs[] = {
	{"equals", TYPE(WORDS_OR_NONE), "The complete list, in any order."},
	{"has", TYPE(PMU_REFS), "Names that must be in the list."},
	{"lacks", TYPE(WORDS), "Names that must not be in the list."},
	{NULL},
};

static const struct pv_attr_decl attr_read_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"path", TYPE(TEXT),
	 "The file, relative to the PMU's folder: tune/qos_tx_p, format/filter, events/clock_ticks.", .required = true},
	{"equals", TYPE(TEXT), "The expected text."},
	{"matches", TYPE(REGEX), "The pattern that the text must match."},
	{NULL},
};

static const struct pv_attr_decl attr_write_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"path", TYPE(TEXT),
	 "The file, relative to the PMU's folder: tune/qos_tx_p, format/filter, events/clock_ticks.", .required = true},
	{"value", TYPE(TEXT), "The value to write.", .required = true},
	{NULL},
};

static const struct pv_attr_decl attr_list_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"dir", TYPE(TEXT), "The folder. Default: the PMU's own.", .value = ""},
	{"equals", TYPE(WORDS_OR_NONE), "The complete list, in any order."},
	{"has", TYPE(WORDS), "Names that must be in the list."},
	{"lacks", TYPE(WORDS), "Names that must not be in the list."},
	{NULL},
};

static const struct pv_attr_decl tune_write_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"event", TYPE(TEXT),
	 "A file of tune/: qos_tx_cpl, qos_tx_np, qos_tx_p, rx_alloc_buf_level, tx_alloc_buf_level.", .required = true},
	{"value", TYPE(TEXT), "The level, or any other text to see it rejected.", .required = true},
	{NULL},
};

static const struct pv_attr_decl tune_read_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"event", TYPE(TEXT),
	 "A file of tune/: qos_tx_cpl, qos_tx_np, qos_tx_p, rx_alloc_buf_level, tx_alloc_buf_level.", .required = true},
	{"equals", TYPE(TEXT), "The expected value."},
	{NULL},
};

static const struct pv_attr_decl trace_stop_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{NULL},
};

static const struct pv_attr_decl trace_enable_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{NULL},
};

static const struct pv_attr_decl trace_disable_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{NULL},
};

static const struct pv_attr_decl trace_read_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{"bytes", TYPE(SIZE), "Maximum number of bytes to read. Default: all."},
	{"bytes-min", TYPE(SIZE), "Minimum number of bytes since the last read."},
	{NULL},
};

static const struct pv_attr_decl trace_close_attrs[] = {
	{"id", TYPE(TRACE_REF), "The trace.", .required = true},
	{NULL},
};

static const struct pv_attr_decl counter_open_attrs[] = {
	{"id", TYPE(COUNTER_ID), "Name of the counter in this case.", .required = true},
	{"pmu", TYPE(PMU_REF), "Name of the PMU: hisi_ptt0_0, cxl_pmu_mem0.0, dwc_rootport_80.", .required = true},
	{"event", TYPE(EVENT), "The event by name, with its parameters by name."},
	{"config", TYPE(NUMBER), "Raw config, instead of an event."},
	{"config1", TYPE(NUMBER), "Raw config1."},
	{"config2", TYPE(NUMBER), "Raw config2."},
	{"group", TYPE(COUNTER_REF), "Leader of the event group to join."},
	{"type", TYPE(NUMBER32),
	 "Type of the event (perf_event_attr.type), instead of the PMU's: the type of another PMU, or of none."},
	{"pinned", TYPE(YES_NO),
	 "The event is not multiplexed: it has a counter whenever it is enabled, or is in error until it is enabled "
	 "again.",
	 .value = "no"},
	{"per-task", TYPE(YES_NO), "Open the event for a task, not system-wide.", .value = "no"},
	{"sampling", TYPE(YES_NO), "Request samples.", .value = "no"},
	{"exclude", TYPE(EXCLUDES), "Exclude bits (exclude_user and so on), which these PMUs do not support."},
	{"aux-action", TYPE(AUX_ACTION),
	 "perf_event_attr.aux_action: a trace starts paused (start-paused); each count of the event pauses or resumes "
	 "its leader's trace. No PMU here can be paused.",
	 .value = "none"},
	{"cpu", TYPE(NUMBER32), "CPU to open the event on. Default: the first one in the PMU's cpumask."},
	{NULL},
};

static const struct pv_attr_decl counter_start_attrs[] = {
	{"id", TYPE(COUNTER_REFS), "The counters.", .required = true},
	{NULL},
};

static const struct pv_attr_decl counter_stop_attrs[] = {
	{"id", TYPE(COUNTER_REFS), "The counters.", .required = true},
	{NULL},
};

static const struct pv_attr_decl counter_read_attrs[] = {
	{"id", TYPE(COUNTER_REFS), "The counters.", .required = true},
	{NULL},
};

static const struct pv_attr_decl counter_mmap_attrs[] = {
	{"id", TYPE(COUNTER_REFS), "The counters.", .required = true},
	{NULL},
};

static const struct pv_attr_decl counter_close_attrs[] = {
	{"id", TYPE(COUNTER_REFS), "The counters.", .required = true},
	{NULL},
};

static const struct pv_attr_decl mps_set_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"bytes", TYPE(INTEGER), "The size.", .required = true},
	{NULL},
};

static const struct pv_attr_decl mps_get_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"equals", TYPE(INTEGER), "The expected value."},
	{NULL},
};

static const struct pv_attr_decl mrrs_set_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"bytes", TYPE(INTEGER), "The size.", .required = true},
	{NULL},
};

static const struct pv_attr_decl mrrs_get_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"equals", TYPE(INTEGER), "The expected value."},
	{NULL},
};

/* Of steps that a case can do without (framework/board/needs.h). */
#define OPTIONAL                                                                                                      \
	{                                                                                                             \
		"optional", TYPE(YES_NO),                                                                             \
			"On a real machine, this step is left out if it names a function that no other step needs "   \
			"and that the "                                                                               \
			"machine lacks, or a lane that the port lacks. For what happens beside that which a case is " \
			"about.",                                                                                     \
			.value = "no"                                                                                 \
	}

static const struct pv_attr_decl traffic_attrs[] = {
	{"id", TYPE(TRAFFIC_ID), "Name of the stream in this case."},
	{"from", TYPE(FROM_REF), "The sender.", .value = "cpu"},
	{"to", TYPE(TO_REF), "The receiver; memory is the host's.", .value = "memory"},
	OPTIONAL,
	{"kind", TYPE(TLP_KIND), "The kind of request."},
	{"mix", TYPE(MIX), "Several kinds of request with their weights."},
	{"size", TYPE(SIZE_RANGE), "Payload of each request; drawn at random if a range.", .value = "64"},
	{"count", TYPE(NUMBER),
	 "Number of requests before they are split at MPS and MRRS; 0, in the background, is endless.", .value = "1"},
	{"rate", TYPE(RATE), "Payload per second. Default: as fast as the link allows."},
	{"burst", TYPE(NUMBER32), "Back-to-back requests between two gaps."},
	{"burst-gap-ns", TYPE(NANOSECONDS), "Length of the gap."},
	{"start-after-ns", TYPE(NANOSECONDS), "Delay of the first request."},
	{"outstanding", TYPE(NUMBER32), "Maximum number of outstanding non-posted requests."},
	{"addr", TYPE(NUMBER), "First target address."},
	{"span", TYPE(SIZE), "Size of the target window."},
	{"random", TYPE(YES_NO), "Random addresses in the window, instead of ascending ones.", .value = "no"},
	{"pasid", TYPE(PASID), "PASID of the TLP prefix."},
	{"pasid-exe", TYPE(YES_NO), "Execute Requested of the prefix.", .value = "no"},
	{"pasid-pmr", TYPE(YES_NO), "Privileged Mode Requested of the prefix.", .value = "no"},
	{"tc", TYPE(BITS3), "Traffic Class, 0 to 7."},
	{"attr", TYPE(BITS3), "Attributes: 4 IDO, 2 relaxed ordering, 1 no snoop."},
	{"at", TYPE(BITS2), "Address Type, 0 to 3."},
	{"th", TYPE(YES_NO), "TLP Hints.", .value = "no"},
	{"td", TYPE(YES_NO), "With ECRC.", .value = "no"},
	{"ep", TYPE(YES_NO), "Poisoned.", .value = "no"},
	{"tag10", TYPE(YES_NO), "10-bit tags.", .value = "no"},
	{"first-be", TYPE(BITS4), "First DW byte enables. Default: those that fit address and size."},
	{"last-be", TYPE(BITS4), "Last DW byte enables. Default: those that fit address and size."},
	{"status", TYPE(STATUS), "Status of the completions.", .value = "SC"},
	{"msg-code", TYPE(BITS8), "Message code."},
	{"msg-routing", TYPE(ROUTING), "Message routing, 0 to 5."},
	{"nullify-every", TYPE(NUMBER32), "Every nth TLP is nullified and sent again."},
	{"duplicate-every", TYPE(NUMBER32), "Every nth TLP is sent twice."},
	{"corrupt-every", TYPE(NUMBER32), "Every nth TLP arrives with a bad LCRC and is replayed."},
	{"oversize", TYPE(YES_NO), "Do not split requests at MPS: a faulty sender.", .value = "no"},
	{"requester", TYPE(REQUESTER_REF), "Requester ID. Default: the sender's own."},
	{"seed", TYPE(NUMBER), "Seed of this stream. Default: derived from the seed of the case."},
	{"background", TYPE(YES_NO), "Continue with the next step immediately.", .value = "no"},
	{NULL},
};

static const struct pv_attr_decl cxl_traffic_attrs[] = {
	{"id", TYPE(TRAFFIC_ID), "Name of the stream in this case."},
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	OPTIONAL,
	{"channel", TYPE(CXL_CHANNEL), "The CXL channel."},
	{"opcodes", TYPE(NUMBERS), "Opcodes to draw from; all are the opcodes of CXL 3.0.", .value = "all"},
	{"ddr", TYPE(DDR_COMMANDS), "DRAM commands to draw from."},
	{"vendor", TYPE(VENDOR_EVENT),
	 "Vendor ID and group of the events. For CXL (0x1e98): the groups 0x30, 0x31 and 0x8001 to 0x8004, whose "
	 "events are not messages."},
	{"bits", TYPE(NUMBERS), "Event bits to draw from."},
	{"count", TYPE(NUMBER), "Number of messages; 0, in the background, is endless.", .value = "1"},
	{"gap-cycles", TYPE(NUMBER), "CPMU cycles between messages.", .max = 1000000000000000},
	{"per-cycle", TYPE(NUMBER32),
	 "Messages per cycle. Each opcode is sent at most once in a cycle, except vendor events; streams with the same "
	 "opcode take turns."},
	{"decoders", TYPE(NUMBERS), "HDM decoders to draw from, 0 to 15. Default: decoder 0."},
	{"ddr-channels", TYPE(BITS8), "DRAM channels to draw from."},
	{"ddr-ranks", TYPE(BITS8), "Ranks to draw from."},
	{"ddr-bank-groups", TYPE(BITS8), "Bank groups to draw from."},
	{"ddr-banks", TYPE(BITS8), "Banks to draw from."},
	{"seed", TYPE(NUMBER), "Seed of this stream. Default: derived from the seed of the case."},
	{"background", TYPE(YES_NO), "Continue with the next step immediately.", .value = "no"},
	{NULL},
};

static const struct pv_attr_decl traffic_stop_attrs[] = {
	{"id", TYPE(TRAFFIC_REF), "The stream.", .required = true},
	{NULL},
};

static const struct pv_attr_decl drain_attrs[] = {
	{"ms", TYPE(MILLISECONDS), "Maximum wait, in milliseconds of simulated time.", .value = "1000"},
	{NULL},
};

static const struct pv_attr_decl link_state_attrs[] = {
	{"port", TYPE(PORT_REF), "The port above the link.", .required = true},
	{"state", TYPE(LINK_STATE), "The state.", .required = true},
	{NULL},
};

static const struct pv_attr_decl link_event_attrs[] = {
	{"port", TYPE(PORT_REF), "The port above the link.", .required = true},
	{"event", TYPE(LINK_EVENT), "The event.", .required = true},
	OPTIONAL,
	{"lane", TYPE(NUMBER), "The lane, for events of a single lane.", .value = "0"},
	{"count", TYPE(NUMBER), "Number of events, up to 4096.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl fault_attrs[] = {
	{"kind", TYPE(FAULT), "The fault.", .required = true},
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"value", TYPE(NUMBER),
	 "1 on, 0 off. lost-msi: number of interrupts; mrrs-max: largest MRRS field that is accepted, 0 to 5; "
	 "lane-count: new value of the selected DWC lane counter; other-select: the value that another master writes "
	 "to EVENT_CNT_CTL before the next read of EVENT_CNT_DATA; time-carry: number of reads of a half of the DWC's "
	 "time-based data after which the lower half wraps; cxl-event: the log, from 0 (informational) to 3 "
	 "(fatal).",
	 .value = "1"},
	{NULL},
};

static const struct pv_attr_decl hotplug_attrs[] = {
	{"action", TYPE(HOTPLUG_ACTION), "The action.", .required = true},
	{"device", TYPE(DEVICE_REF),
	 "For plug and unplug: any function of the device. For remove: the function, which is removed with its VFs and "
	 "everything below it."},
	{"notify", TYPE(NOTIFY),
	 "How a plug is announced to the driver: yes means pciehp if the port is a hot-plug capable slot of a Root "
	 "Port or switch, else a rescan. For unplug: no, or any other value.",
	 .value = "yes"},
	{NULL},
};

static const struct pv_attr_decl vfs_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The physical function.", .required = true},
	{"count", TYPE(NUMBER16),
	 "The number of virtual functions, from the first one on; 0 disables all. A change from one number to another "
	 "must go through 0.",
	 .required = true},
	{NULL},
};

static const struct pv_attr_decl reg_read_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"space", TYPE(SPACE), "The space.", .value = "config"},
	{"offset", TYPE(NUMBER32), "Offset of the register.", .required = true},
	{"bytes", TYPE(ACCESS), "Width of the access.", .value = "4"},
	{"mask", TYPE(NUMBER), "Mask of the bits to compare."},
	{"equals", TYPE(NUMBER), "The expected value of these bits.", .required = true},
	{NULL},
};

static const struct pv_attr_decl reg_write_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"space", TYPE(SPACE), "The space.", .value = "config"},
	{"offset", TYPE(NUMBER32), "Offset of the register.", .required = true},
	{"bytes", TYPE(ACCESS), "Width of the access.", .value = "4"},
	{"value", TYPE(NUMBER), "The value to write.", .required = true},
	{NULL},
};

static const struct pv_attr_decl mark_attrs[] = {
	{"id", TYPE(MARK_ID), "Name of the mark in this case.", .required = true},
	{NULL},
};

static const struct pv_attr_decl measure_attrs[] = {
	{"id", TYPE(MEASURE_ID), "Name of the measure in this case.", .required = true},
	{"what", TYPE(MEASURE_WHAT),
	 "The quantity. A share, a mean or a largest needs a TLP that has it, and off-boundary a completion. "
	 "out-of-order counts non-posted requests and completions of TC 0 that have overtaken a posted request between "
	 "the link of via and this one, though no attribute permits it (PCIe 5.0 2.4.1); both links must have carried "
	 "the same TLPs.",
	 .required = true},
	{"port", TYPE(PORT_REF), "The port above the link.", .required = true},
	{"via", TYPE(PORT_REF), "With out-of-order: the port above the link that the TLPs have crossed before."},
	{"dir", TYPE(DIRECTION), "The direction.", .required = true},
	{"class", TYPE(TLP_CLASSES), "Classes of TLPs to include. Default: all."},
	{"requester", TYPE(REQUESTER_REF),
	 "Only TLPs of this requester. With out-of-order: only those that it sends, completions too."},
	{"since", TYPE(MARK_REF), "The mark to begin at. Default: the start of the case."},
	{NULL},
};

static const struct pv_attr_decl cpu_attrs[] = {
	{"n", TYPE(NUMBER32), "Number of the CPU.", .required = true},
	{"online", TYPE(YES_NO), "Whether it goes online.", .required = true},
	{NULL},
};

static const struct pv_attr_decl suspend_attrs[] = {
	{"power", TYPE(POWER),
	 "Whether functions lose power, and with it all registers, while the system sleeps. If power is kept, "
	 "functions in D3hot with soft-reset still lose their registers.",
	 .value = "kept"},
	{NULL},
};

static const struct pv_attr_decl runtime_pm_attrs[] = {
	{"device", TYPE(DEVICE_REF), "The function.", .required = true},
	{"control", TYPE(PM_CONTROL), "auto, or on to keep the function in D0.", .required = true},
	{NULL},
};

static const struct pv_attr_decl module_attrs[] = {
	{"name", TYPE(TEXT), "Name of the module: hisi_ptt, cxl_pmu, dwc_pcie_pmu.", .required = true},
	{"loaded", TYPE(YES_NO), "Whether to load it.", .required = true},
	{NULL},
};

static const struct pv_attr_decl probe_fail_nth_attrs[] = {
	{"pmu", TYPE(PMU_REF), "Name of a PMU of the device.", .required = true},
	{"load", TYPE(YES_NO),
	 "Whether the driver's module is unloaded and loaded instead: allocations of its init fail, too.",
	 .value = "no"},
	{"failed", TYPE(NUMBER32), "Least number of allocations that must fail.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl perf_attrs[] = {
	{"id", TYPE(PERF_ID), "Name of this perf in this case.", .required = true},
	{"what", TYPE(PERF_COMMAND), "The perf command.", .required = true},
	{"events", TYPE(TEXT), "stat, record: the events, in perf's syntax of -e."},
	{"seconds", TYPE(PERF_SECONDS),
	 "stat, record: duration in the system's own time, which includes the start of perf.", .value = "5"},
	{"interval", TYPE(NUMBER32),
	 "stat: length in ms of the intervals whose counts perf prints, as perf stat -I, instead of one count. "
	 "`pcieval "
	 "watch` shows the artefact perf-ID.txt over time.",
	 .min = 100, .max = 60000},
	{"of", TYPE(PERF_REF), "report: the perf record to report on."},
	{"trace", TYPE(TRACE_ID),
	 "record, with one event of a PTT: perf-end reads the perf.data, and its trace gets this name for check-trace. "
	 "Traffic of the following steps begins when perf traces."},
	{NULL},
};

static const struct pv_attr_decl perf_end_attrs[] = {
	{"id", TYPE(PERF_REF), "The perf.", .required = true},
	{NULL},
};

static const struct pv_attr_decl workload_attrs[] = {
	{"id", TYPE(MEASURE_ID), "Name of a measure: the bytes that the program reports.", .required = true},
	{"from", TYPE(FROM_REF), "The sender of the data: a device, or cpu.", .value = "cpu"},
	{"to", TYPE(TO_REF), "The receiver of the data: a device, or memory.", .value = "memory"},
	{"rate", TYPE(MEASURE_ID),
	 "Name of another measure: bytes per second, from the start of the program to its end."},
	{NULL},
};

const struct pv_element_decl pv_elements_steps[] = {
	{"boot",
	 "Boots the driver with an MPS policy; another boot step reboots the machine. Without this step, the driver is "
	 "booted with the policy default before the first step that needs it.",
	 .attrs = {boot_attrs}},
	{"probe", "Checks the result of the driver's probe of a device.", .attrs = {probe_attrs, expect_attrs}},
	{"pmu-list", "Checks the names of the registered PMUs.", .attrs = {pmu_list_attrs},
	 .rules = RULES({PV_RULE_SOME_OF, {"equals", "has", "lacks"}})},
	{"attr-read", "Reads an attribute file of a PMU.", .attrs = {attr_read_attrs, expect_attrs}},
	{"attr-write", "Writes an attribute file of a PMU.", .attrs = {attr_write_attrs, expect_attrs}},
	{"attr-list", "Lists a folder of attribute files of a PMU.", .attrs = {attr_list_attrs, expect_attrs}},
	{"tune-write", "Writes a PTT tune value.", .attrs = {tune_write_attrs, expect_attrs}},
	{"tune-read", "Reads a PTT tune value.", .attrs = {tune_read_attrs, expect_attrs}},
	{"trace-start", "Opens and starts a PTT trace.", .attrs = {trace_attrs, expect_attrs},
	 .rules = RULES({PV_RULE_NOT_BOTH, {"config", "filter"}}, {PV_RULE_NOT_BOTH, {"config", "type"}},
			{PV_RULE_NOT_BOTH, {"config", "direction"}}, {PV_RULE_NOT_BOTH, {"config", "format"}})},
	{"trace-stop", "Stops and closes a trace and keeps it under its id.",
	 .attrs = {trace_stop_attrs, expect_attrs}},
	{"trace-open", "Opens a PTT trace without starting it.", .attrs = {trace_attrs, expect_attrs},
	 .rules = RULES({PV_RULE_NOT_BOTH, {"config", "filter"}}, {PV_RULE_NOT_BOTH, {"config", "type"}},
			{PV_RULE_NOT_BOTH, {"config", "direction"}}, {PV_RULE_NOT_BOTH, {"config", "format"}})},
	{"trace-enable",
	 "Starts an open trace, for the first time or again. Each start begins a new window; checks look at each "
	 "window separately.",
	 .attrs = {trace_enable_attrs, expect_attrs}},
	{"trace-disable", "Stops a trace without closing it.", .attrs = {trace_disable_attrs, expect_attrs}},
	{"trace-read", "Empties the AUX area of an open trace.", .attrs = {trace_read_attrs}},
	{"trace-close", "Closes a trace, running or not, and keeps it under its id.", .attrs = {trace_close_attrs}},
	{"counter-open", "Opens a counter of a CPMU or DWC PMU, without starting it.",
	 .attrs = {counter_open_attrs, expect_attrs},
	 .rules = RULES({PV_RULE_ONE_OF, {"event", "config"}}, {PV_RULE_NOT_BOTH, {"event", "config1"}},
			{PV_RULE_NOT_BOTH, {"event", "config2"}})},
	{"counter-start", "Starts counters. A leader starts its whole group.",
	 .attrs = {counter_start_attrs, expect_attrs}},
	{"counter-stop", "Stops counters. A leader stops its whole group.",
	 .attrs = {counter_stop_attrs, expect_attrs}},
	{"counter-read", "Reads counters.", .attrs = {counter_read_attrs, expect_attrs}},
	{"counter-mmap", "Maps the page of a counter's file (mmap(2)), and unmaps it.",
	 .attrs = {counter_mmap_attrs, expect_attrs}},
	{"counter-close", "Closes counters.", .attrs = {counter_close_attrs, expect_attrs}},
	{"mps-set", "Sets Max_Payload_Size through the driver.", .attrs = {mps_set_attrs, expect_attrs}},
	{"mps-get", "Reads Max_Payload_Size through the driver.", .attrs = {mps_get_attrs, expect_attrs}},
	{"mrrs-set", "Sets Max_Read_Request_Size through the driver.", .attrs = {mrrs_set_attrs, expect_attrs}},
	{"mrrs-get", "Reads Max_Read_Request_Size through the driver.", .attrs = {mrrs_get_attrs, expect_attrs}},
	{"traffic",
	 "Sends a stream of requests; completions follow automatically. The step waits until the stream is done, "
	 "unless it is in the background.",
	 .attrs = {traffic_attrs, expect_attrs}, .rules = RULES({PV_RULE_ONE_OF, {"kind", "mix"}})},
	{"cxl-traffic",
	 "Sends a stream of CXL messages, DRAM commands or vendor-defined events at a CXL memory device.",
	 .attrs = {cxl_traffic_attrs, expect_attrs},
	 .rules = RULES({PV_RULE_ONE_OF, {"channel", "ddr", "vendor"}}, {PV_RULE_NOT_BOTH, {"opcodes", "ddr"}},
			{PV_RULE_NOT_BOTH, {"opcodes", "vendor"}}, {PV_RULE_NOT_BOTH, {"bits", "channel"}},
			{PV_RULE_NOT_BOTH, {"bits", "ddr"}})},
	{"traffic-stop", "Stops a stream; outstanding requests still complete.", .attrs = {traffic_stop_attrs}},
	{"drain", "Waits until all traffic is done.", .attrs = {drain_attrs, expect_attrs}},
	{"wait", "Lets time pass.", .attrs = {time_attrs}, .rules = RULES({PV_RULE_ONE_OF, {"ns", "us", "ms"}})},
	{"link-state", "Puts a link into a state for some time, then back into L0.",
	 .attrs = {link_state_attrs, time_attrs}, .rules = RULES({PV_RULE_ONE_OF, {"ns", "us", "ms"}})},
	{"link-event",
	 "Makes the receiver of a port detect an event on its link: an error, or an added or deleted SKP symbol.",
	 .attrs = {link_event_attrs}},
	{"fault", "Switches on a fault that correct hardware may have and that a driver must handle.",
	 .attrs = {fault_attrs}},
	{"irq-latency", "Delays interrupts, as with a slow consumer.", .attrs = {time_attrs},
	 .rules = RULES({PV_RULE_ONE_OF, {"ns", "us", "ms"}})},
	{"hotplug", "Plugs or unplugs a device with all its functions, or removes or rescans functions in software.",
	 .attrs = {hotplug_attrs, expect_attrs}},
	{"vfs",
	 "Enables virtual functions, or disables all of them, as a write of sriov_numvfs does. On target qemu the "
	 "driver of the physical function enables all of them at boot; elsewhere firmware has enabled them.",
	 .attrs = {vfs_attrs, expect_attrs}},
	{"reg-read", "Reads a register directly, bypassing the driver, and checks its value.",
	 .attrs = {reg_read_attrs}},
	{"reg-write", "Writes a register directly, bypassing the driver.", .attrs = {reg_write_attrs}},
	{"mark", "Marks a point in time for later measures to begin at.", .attrs = {mark_attrs}},
	{"measure", "Measures traffic in the wire ledger, up to now.", .attrs = {measure_attrs}},
	{"cpu", "Takes a CPU of the machine offline, or online again.", .attrs = {cpu_attrs, expect_attrs}},
	{"suspend",
	 "Suspends the system to RAM and resumes it at once. Events stay open. On target qemu the kernel suspends and "
	 "decides which functions enter D3hot; on target model, all functions do.",
	 .attrs = {suspend_attrs, expect_attrs}},
	{"runtime-pm",
	 "Writes power/control of a function, its run-time power management. With auto, the system suspends the "
	 "function whenever nothing uses it, and a port when everything below it is suspended (port-pm).",
	 .attrs = {runtime_pm_attrs, expect_attrs}},
	{"module", "Loads or unloads a kernel module.", .attrs = {module_attrs, expect_attrs}},
	{"probe-fail-nth",
	 "Unbinds the driver of a PMU and binds it again and again. In the n-th probe the n-th allocation "
	 "fails (fail-nth of the kernel's fault injection), up to the first probe that has no n-th allocation, which "
	 "must succeed. No event of the PMU may be open.",
	 .attrs = {probe_fail_nth_attrs, expect_attrs}},
	{"perf",
	 "Runs perf on the system under test, on all its CPUs. stat and record continue while the following steps run; "
	 "perf-end waits for them. No attribute can run a program other than perf. More than 4 MiB of "
	 "output are an error.",
	 .attrs = {perf_attrs}},
	{"perf-end", "Waits for a perf stat or perf record to end, with status 0.", .attrs = {perf_end_attrs}},
	{"workload",
	 "Runs the board description's workload command for this direction, to its end. Other targets have no "
	 "workloads.",
	 .attrs = {workload_attrs}},
	{NULL},
};
