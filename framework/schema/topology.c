/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topologies. */
#include <stddef.h>

#include "drivers/regs/topology.h"
#include "framework/schema/schema_internal.h"

/* The member that an attribute sets, and its key in the JSON for the agent; `flag`: only where this one is true. */
#define MEMBER(type, form, key, path, flag, yes)                                                                \
	.member = &(const struct pv_attr_member)                                                                \
	{                                                                                                       \
		key, PV_MEMBER_##form, offsetof(struct type, path), sizeof(((struct type *)0)->path), flag, yes \
	}
#define NODE(form, key, path)	       MEMBER(pv_node_conf, form, #key, path, 0, NULL)
#define NODE_YES(word, name)	       MEMBER(pv_node_conf, BOOL, #name, name, 0, word)
#define NODE_IF(flag, form, key, path) MEMBER(pv_node_conf, form, #key, path, offsetof(struct pv_node_conf, flag), NULL)
#define RAS_DES(form, name)	       NODE_IF(ras_des, form, name, ras.name)
#define RAS_DES_YES(word, name) \
	MEMBER(pv_node_conf, BOOL, #name, ras.name, offsetof(struct pv_node_conf, ras_des), word)
#define CPMU(form, name) MEMBER(pv_cpmu_conf, form, #name, name, 0, NULL)
#define CAP(name)	 MEMBER(pv_cpmu_cap_conf, NUMBER, #name, name, 0, NULL)
#define COUNTER(name)	 MEMBER(pv_cpmu_counter_conf, NUMBER, #name, name, 0, NULL)
#define CONFIG(name)	 MEMBER(pv_cfg_override, NUMBER, #name, name, 0, NULL)

static const struct pv_attr_decl function_attrs[] = {
	{"name", TYPE(NODE_NAME), "Name of the function in steps. Further functions are name.1, name.2, ...",
	 .required = true},
	{"soft-reset", TYPE(YES_NO),
	 "No_Soft_Reset of its power management capability is 0: from D3hot to D0 it loses its registers.",
	 .value = "no", NODE_IF(soft_reset, BOOL, soft_reset, soft_reset)},
	{"bdf", TYPE(BDF), "Its BDF. Default: the next free one on its bus."},
	{"domain", TYPE(NUMBER16),
	 "PCI domain of a function on a root bus; functions below a bridge share its domain. Each domain has its own "
	 "bus numbers. Default: the domain of bdf."},
	{"numa-node", TYPE(NUMBER16),
	 "NUMA node, 0 to 7, of the function's root bus and of everything on and below it. The machine has all nodes "
	 "up to the highest one, with its CPUs divided among them in blocks. Default: none.",
	 .max = 7},
	{NULL},
};

static const struct pv_attr_decl pci_id_attrs[] = {
	{"vendor", TYPE(NUMBER16), "Vendor ID. Default: the usual one for this kind.", NODE(NUMBER, vendor, vendor)},
	{"device", TYPE(NUMBER16), "Device ID. Default: the usual one for this kind.", NODE(NUMBER, device, device)},
	{NULL},
};

static const struct pv_attr_decl sizes_attrs[] = {
	{"mpss", TYPE(PAYLOAD_FIELD), "Largest payload that the function supports (MPSS).", .value = "512",
	 NODE(SIZE, mpss, mpss)},
	{"mps", TYPE(PAYLOAD_FIELD), "Max_Payload_Size after reset.", .value = "128", NODE(SIZE, mps, mps)},
	{"mrrs", TYPE(PAYLOAD_FIELD), "Max_Read_Request_Size after reset.", .value = "512", NODE(SIZE, mrrs, mrrs)},
	{"mrrs-max", TYPE(PAYLOAD), "Largest MRRS: the function keeps its MRRS when a larger one is written.",
	 .value = "4096", NODE(SIZE, mrrs_max, mrrs_max)},
	{"mps-ro", TYPE(BITS3), "Bits of the MPS field that writes do not change.", .value = "0",
	 NODE(NUMBER, mps_ro, mps_ro)},
	{"mrrs-ro", TYPE(BITS3), "Bits of the MRRS field that writes do not change.", .value = "0",
	 NODE(NUMBER, mrrs_ro, mrrs_ro)},
	{"odd", TYPE(YES_NO),
	 "Firmware has left sizes that the function does not support: mps may exceed mpss, and mrrs may exceed "
	 "mrrs-max.",
	 .value = "no"},
	{NULL},
};

static const struct pv_attr_decl link_attrs[] = {
	{"speed", TYPE(SPEED), "Speed of the link below, in GT/s.", .value = "8", NODE(WORD_FROM_1, speed, speed)},
	{"width", TYPE(WIDTH), "Lanes of the link below.", .value = "8", NODE(NUMBER, width, width)},
	{"max-speed", TYPE(SPEED), "Maximum speed of the link (Link Capabilities). Default: its current speed.",
	 NODE(WORD_FROM_1, max_speed, max_speed)},
	{"max-width", TYPE(WIDTH), "Maximum width of the link (Link Capabilities). Default: its current width.",
	 NODE(NUMBER, max_width, max_width)},
	{"dllps", TYPE(YES_NO), "Ack and UpdateFC DLLPs take up bandwidth of the link. Default: dllps of the topology.",
	 NODE(BOOL, dllps, dllps)},
	{NULL},
};

static const struct pv_attr_decl slot_attrs[] = {
	{"hotplug", TYPE(YES_NO),
	 "The slot is hot-plug capable (Slot Capabilities). Only for implemented slots, on Root Ports, Downstream "
	 "Ports and PCI to PCIe bridges.",
	 .value = "no", NODE(BOOL, hotplug, hotplug)},
	{"slot", TYPE(YES_NO), "A slot is implemented. Default: the value of hotplug.", NODE(BOOL, slot, slot)},
	{"slot-has", TYPE(SLOT_FEATURES),
	 "Features of a hot-plug capable slot: surprise removal, a power controller, an attention button, both "
	 "indicators, or no notification of completed commands (no-command-completed).",
	 NODE_IF(slot, SLOT, slot_has, slot_has)},
	{"slot-number", TYPE(NUMBER), "Physical slot number on the chassis.", .value = "0", .max = 0x1fff,
	 NODE_IF(slot, NUMBER, slot_number, slot_has.number)},
	{NULL},
};

static const struct pv_attr_decl bridge_attrs[] = {
	{"bus", TYPE(BUS_NUMBER), "The bus below it. Default: the next free number, depth first."},
	{NULL},
};

static const struct pv_attr_decl topology_attrs[] = {
	{"src", TYPE(TEXT),
	 "A file with a topology as its root element, relative to this plan, or the name of a topology that comes with "
	 "pcieval (cxl, every-pmu, kunpeng). Its contents come first."},
	{"iommu", TYPE(IOMMU),
	 "The IOMMU between functions and memory: none (the default), one that maps the DMA of a PTT one to one "
	 "(identity), or one that translates it (translated). On target qemu, identity is an SMMUv3, behind which "
	 "Linux gives a PTT an identity domain; translated is a virtio-iommu, behind which Linux does not."},
	{"port-pm", TYPE(YES_NO),
	 "The system may suspend ports (target qemu: pcie_port_pm=force on the kernel's command line). The models' "
	 "ports send no PME, so a suspended port with an empty slot does not wake when a card is plugged in. Default: "
	 "no (pcie_port_pm=off)."},
	{"threadirqs", TYPE(YES_NO),
	 "The system runs the handlers of interrupts in threads, except those that refuse it (target qemu: threadirqs "
	 "on "
	 "the kernel's command line). Default: no."},
	{"dllps", TYPE(YES_NO), "Default of dllps for all links (no)."},
	{"cpus", TYPE(NUMBER), "CPUs of the machine, 1 to 8. Default: 1.", .min = 1, .max = 8},
	{NULL},
};

static const struct pv_attr_decl root_port_attrs[] = {
	{"rcb", TYPE(RCB), "Read completion boundary.", .value = "64", NODE(NUMBER, rcb, rcb)},
	{"ras-des", TYPE(YES_NO), "Has the Synopsys DWC RAS D.E.S. capability, under its vendor id.", .value = "no",
	 NODE(BOOL, ras_des, ras_des)},
	{"core-clk-ps", TYPE(NUMBER), "With ras-des: period of core_clk, which counts most link states.",
	 .value = "1000", .min = 1, .max = 1000000, RAS_DES(NUMBER, core_clk_ps)},
	{"aux-clk-ps", TYPE(NUMBER), "With ras-des: period of aux_clk, which counts L1_1, L1_2 and L1_AUX.",
	 .value = "40000", .min = 1, .max = 100000000, RAS_DES(NUMBER, aux_clk_ps)},
	{"l1-aux-report", TYPE(L1_AUX_REPORT),
	 "With ras-des: the report that is L1_AUX, 8 or 9; the other one is TX_RX_L0S. Published sources contradict "
	 "each other.",
	 .value = "8", RAS_DES_YES("9", l1_aux_is_9)},
	{"other-lanes-read-0", TYPE(YES_NO),
	 "With ras-des: counters of the whole port read 0 on lanes other than 0, instead of the same count on all.",
	 .value = "no", RAS_DES(BOOL, other_lanes_read_0)},
	{"loses-counts", TYPE(YES_NO), "With ras-des: an event counter reads 0 once its event is disabled.",
	 .value = "no", RAS_DES(BOOL, loses_counts)},
	{"narrow-counters", TYPE(NARROW_COUNTERS),
	 "With ras-des: whether event counters of 4 and 8 bits wrap or stay at their maximum. No source says which.",
	 .value = "wrap", RAS_DES_YES("stay", narrow_counters_stay)},
	{"lacks-events", TYPE(DWC_EVENTS),
	 "With ras-des: events that the core lacks. Their status stays 0 when they are enabled, and they count "
	 "nothing.",
	 RAS_DES(EVENTS, lacks_events)},
	{"selected-anew", TYPE(YES_NO),
	 "With ras-des: EVENT_CNT_DATA shows the count at the last write of EVENT_CNT_CTL.", .value = "no",
	 RAS_DES(BOOL, selected_anew)},
	{"time-bits", TYPE(TIME_BITS),
	 "With ras-des: width of time-based data. If 32, it also reads 0 once the measurement ends.", .value = "64",
	 RAS_DES_YES("32", time_is_narrow)},
	{NULL},
};

static const struct pv_attr_decl ptt_attrs[] = {
	{"sicl", TYPE(NUMBER16), "SICL_ID of its LOCATION register.", .required = true, NODE(NUMBER, sicl, sicl)},
	{"core", TYPE(NUMBER16), "CORE_ID of its LOCATION register.", .required = true, NODE(NUMBER, core, core)},
	{"first", TYPE(DEVICE_REF), "The Root Port with the lowest BDF that it serves.", .required = true},
	{"last", TYPE(DEVICE_REF), "The Root Port with the highest BDF that it serves.", .required = true},
	{"so", TYPE(PTT_SO), "The content of the SO bit of 4DW records; its meaning is not documented anywhere.",
	 .value = "ro", NODE(WORD, so, so)},
	{"time", TYPE(PTT_TIME), "The meaning of Time in a record; not documented anywhere.", .value = "clock",
	 NODE(WORD, time, time)},
	{"tails", TYPE(PTT_TAILS), "The content of its DMA buffers beyond the bytes that TRACE_WR_STS reports.",
	 .value = "untouched", NODE_YES("rubbish", rubbish)},
	{"held", TYPE(NUMBER16),
	 "Number of records, at most 16, that the PTT writes only when tracing stops: the write position moves until "
	 "the device is idle.",
	 .value = "0", .max = PV_PTT_HELD_MAX, NODE(NUMBER, held, held)},
	{NULL},
};

static const struct pv_attr_decl functions_attrs[] = {
	{"functions", TYPE(FUNCTIONS), "Number of functions, with consecutive function numbers.", .value = "1"},
	{NULL},
};

static const struct pv_attr_decl vf_attrs[] = {
	{"vf", TYPE(YES_NO),
	 "A virtual function of the preceding endpoint on the bus, which has an SR-IOV capability: its IDs read ffffh, "
	 "its MPS and MRRS fields are reserved, and it has no BARs.",
	 .value = "no", NODE(BOOL, vf, vf)},
	{NULL},
};

static const struct pv_attr_decl ras_des_attrs[] = {
	{"ras-des", TYPE(YES_NO),
	 "Has the Synopsys DWC RAS D.E.S. capability, under its vendor id. Outside of a Root Port no PMU uses it, and "
	 "its counters read 0.",
	 .value = "no", NODE(BOOL, ras_des, ras_des)},
	{NULL},
};

static const struct pv_attr_decl endpoint_attrs[] = {
	{"ari", TYPE(YES_NO),
	 "Has the ARI capability: all its functions, up to 256, belong to device 0, and function 9 is written 01:01.1. "
	 "Functions above 7 are accessible once software has enabled ARI forwarding in the port above.",
	 .value = "no", NODE(BOOL, ari, ari)},
	{NULL},
};

static const struct pv_attr_decl spare_attrs[] = {
	{"port", TYPE(PORT_REF), "The port to plug it into.", .required = true},
	{"kind", TYPE(SPARE_KIND), "Kind of the device.", .value = "endpoint"},
	{NULL},
};

static const struct pv_attr_decl config_attrs[] = {
	{"offset", TYPE(NUMBER16), "Offset, a multiple of bytes, below 0x1000.", .required = true,
	 .max = PCI_CFG_BYTES - 1, CONFIG(offset)},
	{"bytes", TYPE(ACCESS), "Number of bytes: 1, 2 or 4.", .value = "4", .max = 4, CONFIG(bytes)},
	{"value", TYPE(NUMBER), "Their value after reset.", .required = true, .max = UINT32_MAX, CONFIG(value)},
	{"writable", TYPE(NUMBER), "Mask of the bits that software can write.", .value = "0", .max = UINT32_MAX,
	 CONFIG(writable)},
	{NULL},
};

static const struct pv_attr_decl cpmu_attrs[] = {
	{"counters", TYPE(NUMBER16), "Total number of counters, 1 to 64.", .required = true, .min = 1,
	 .max = PV_CPMU_MAX_COUNTERS, CPMU(NUMBER, counters)},
	{"width", TYPE(NUMBER16), "Width of the counters in bits, 1 to 64.", .value = "48", .min = 1, .max = 64,
	 CPMU(NUMBER, width)},
	{"filters", TYPE(FILTERS), "Filters of the CPMU.", .value = "none", CPMU(FILTERS, filters)},
	{"msi", TYPE(NUMBER16),
	 "Interrupt message number, 0 to 15. The device's event logs use 0, and Linux rejects a CPMU with 0.",
	 .value = "1", .max = 15, CPMU(NUMBER, msi)},
	{"writable-when-frozen", TYPE(YES_NO), "Counters are writable while frozen.", .value = "yes",
	 CPMU(BOOL, writable_when_frozen)},
	{"freeze", TYPE(YES_NO), "Freezing is supported.", .value = "yes", CPMU(BOOL, freeze)},
	{"interrupt", TYPE(YES_NO), "Overflow interrupts are supported.", .value = "yes", CPMU(BOOL, interrupt)},
	{"sum-adds", TYPE(YES_NO),
	 "With threshold 1, a counter of several events adds all events of a cycle, as CXL 3.1 13.2 may be read; "
	 "otherwise such a cycle counts once, as in 8.2.7.",
	 .value = "no", CPMU(BOOL, sum_adds)},
	{"edge-compares", TYPE(YES_NO),
	 "Edge detection uses the comparison with the threshold, and invert; otherwise it uses the events alone. The "
	 "specification leaves this open.",
	 .value = "no", CPMU(BOOL, edge_compares)},
	{NULL},
};

static const struct pv_attr_decl event_cap_attrs[] = {
	{"vid", TYPE(NUMBER16), "Vendor id.", .value = "0x1e98", CAP(vid)},
	{"gid", TYPE(NUMBER16), "Group id.", .required = true, CAP(gid)},
	{"events", TYPE(NUMBER), "Mask of the supported events, 32 bits.", .required = true, .max = UINT32_MAX,
	 CAP(events)},
	{NULL},
};

static const struct pv_attr_decl fixed_attrs[] = {
	{"group", TYPE(NUMBER16), "Index of its event capability.", .value = "0", .max = PV_CPMU_MAX_EVENT_CAPS - 1,
	 COUNTER(group)},
	{"events", TYPE(NUMBER), "Mask of the counted events.", .required = true, .max = UINT32_MAX, COUNTER(events)},
	{"counter", TYPE(NUMBER16), "Number of the counter, from 0. Default: after all others.",
	 .max = PV_CPMU_MAX_COUNTERS - 1},
	{NULL},
};

const struct pv_element_decl pv_elements_topology[] = {
	{"topology",
	 "The machine: its functions, nested as in hardware. Functions at the top level are on a root bus and need a "
	 "bdf.",
	 .attrs = {topology_attrs},
	 .children = "root-port ptt rciep event-collector conv-bridge conv-device spare endpoint legacy-endpoint "
		     "pci-bridge pcie-bridge"},
	{"root-port", "A Root Port. The element contains the devices below the port; if it is empty, the slot is free.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, link_attrs, slot_attrs, bridge_attrs, root_port_attrs},
	 .children = "endpoint legacy-endpoint switch pci-bridge cxl-mem config rciep pcie-bridge"},
	{"ptt", "A HiSilicon PTT device. It serves the Root Ports from first to last.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, ptt_attrs}, .children = "config"},
	{"switch", "A switch: the element is its Upstream Port and contains its Downstream Ports.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, slot_attrs, bridge_attrs, ras_des_attrs},
	 .children = "port config"},
	{"port", "A Downstream Port of a switch. If it is empty, the slot is free.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, link_attrs, slot_attrs, bridge_attrs},
	 .children = "endpoint legacy-endpoint switch pci-bridge cxl-mem config rciep pcie-bridge"},
	{"endpoint", "An endpoint.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, functions_attrs, vf_attrs, endpoint_attrs, ras_des_attrs},
	 .children = "config"},
	{"legacy-endpoint", "A legacy endpoint.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, functions_attrs, vf_attrs}, .children = "config"},
	{"rciep", "A Root Complex Integrated Endpoint, such as a DMA engine.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, functions_attrs}, .children = "config"},
	{"event-collector", "A Root Complex Event Collector.", .attrs = {function_attrs, pci_id_attrs, sizes_attrs},
	 .children = "config"},
	{"pci-bridge", "A PCI Express to PCI bridge.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, slot_attrs, bridge_attrs},
	 .children = "pci-device conv-device conv-bridge config endpoint legacy-endpoint rciep pcie-bridge"},
	{"pcie-bridge", "A PCI to PCI Express bridge (port type 8). If it is empty, the slot is free.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, slot_attrs, bridge_attrs},
	 .children = "endpoint legacy-endpoint rciep switch pci-bridge pcie-bridge config"},
	{"pci-device", "A conventional PCI function: it has no PCI Express capability.",
	 .attrs = {function_attrs, pci_id_attrs}, .children = "config"},
	{"conv-bridge", "A conventional PCI to PCI bridge: it has no PCI Express capability.",
	 .attrs = {function_attrs, pci_id_attrs, bridge_attrs},
	 .children = "conv-device pci-device conv-bridge config endpoint legacy-endpoint rciep pcie-bridge"},
	{"conv-device", "A conventional PCI function: it has no PCI Express capability.",
	 .attrs = {function_attrs, pci_id_attrs}, .children = "config"},
	{"cxl-mem", "A CXL memory device.", .attrs = {function_attrs, pci_id_attrs, sizes_attrs},
	 .children = "cpmu config"},
	{"spare", "A device that is absent at the start: a hotplug step plugs it into its port.",
	 .attrs = {function_attrs, pci_id_attrs, sizes_attrs, spare_attrs, functions_attrs, vf_attrs},
	 .children = "cpmu config"},
	{"config",
	 "Overrides bytes of the function's configuration space from reset on, for odd and hostile devices. This "
	 "changes only what software reads, not how the function behaves.",
	 .attrs = {config_attrs}},
	{"cpmu",
	 "A CXL Performance Monitoring Unit. The attribute counter gives the number of a fixed or free-running "
	 "counter; those without it come last, in the order given.",
	 .attrs = {cpmu_attrs}, .children = "event-cap fixed free-running"},
	{"event-cap", "An event capability: a group of events that can be counted.", .attrs = {event_cap_attrs}},
	{"fixed", "A fixed-function counter.", .attrs = {fixed_attrs}},
	{"free-running", "A free-running counter.", .attrs = {fixed_attrs}},
	{NULL},
};

const struct pv_element_decl pv_node_members = {"node", "A function.",
						.attrs = {pci_id_attrs, sizes_attrs, link_attrs, slot_attrs,
							  root_port_attrs, function_attrs, ptt_attrs, vf_attrs,
							  endpoint_attrs}};
const struct pv_element_decl pv_cpmu_members = {"cpmu", "A CPMU.", .attrs = {cpmu_attrs}};
const struct pv_element_decl pv_event_cap_members = {"event-cap", "An event capability.", .attrs = {event_cap_attrs}};
const struct pv_element_decl pv_counter_members = {"counter", "A counter.", .attrs = {fixed_attrs}};
const struct pv_element_decl pv_config_members = {"config", "Bytes of configuration space.", .attrs = {config_attrs}};
