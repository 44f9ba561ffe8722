/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Environment of the functions cut out of the kernel's PCI core (ci/linux-mps). It has types and helpers of the kernel,
 * reduced to the parts needed here; configuration space, which linux_main.c answers from the machine it was given; and
 * empty functions for everything without influence on MPS and MRRS (BARs, power, IRQs, sysfs, locks). All code that
 * decides on MPS and MRRS, including the order of the scan, is the kernel's own.
 *
 * Ours, not the kernel's: lists, buses made by pci_add_new_bus(), the tables of fixups, when pciehp serves a port,
 * the loops over root buses at boot and at rescan, and unplugging.
 */
#ifndef PV_WITNESS_LINUX_SHIM_H
#define PV_WITNESS_LINUX_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef long long ktime_t;

#define __init
#define __used			      __attribute__((used))
#define EXPORT_SYMBOL(x)	      struct eats_the_semicolon
#define BIT(n)			      (1ul << (n))
#define GENMASK(h, l)		      (((2ull << (h)) - 1) & ~((1ull << (l)) - 1))
#define FIELD_GET(mask, v)	      (((v) & (mask)) >> __builtin_ctzl(mask))
#define FIELD_PREP(mask, v)	      (((v) << __builtin_ctzl(mask)) & (mask))
#define min(a, b)		      ((a) < (b) ? (a) : (b))
#define max(a, b)		      ((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	      ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	      ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp(v, low, high)	      min(max(v, low), high)
#define scnprintf		      snprintf
#define DMA_BIT_MASK(n)		      GENMASK((n)-1, 0)
#define ALIGN_DOWN(n, to)	      ((n) & ~((to)-1))
#define is_power_of_2(n)	      ((n) && !((n) & ((n)-1)))
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define list_entry(p, type, member)   container_of(p, type, member)
#define list_for_each_entry(pos, head, member)                                                 \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head); \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *h)
{
	h->next = h->prev = h;
}

static inline void list_add_tail(struct list_head *e, struct list_head *head)
{
	e->prev = head->prev;
	e->next = head;
	head->prev->next = e;
	head->prev = e;
}

static inline void list_del(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
}

/* ---- objects of the PCI core ---- */

struct kobject {
	int refs;
};

struct device {
	struct device *parent;
	struct kobject kobj;
	const void *bus;
	void (*release)(struct device *dev);
	u64 *dma_mask, coherent_dma_mask;
	void *dma_parms;
};

struct resource {
	u64 start, end;
	unsigned long flags;
};

struct pci_bus_region {
	u64 start, end;
};

struct pci_dev;

struct pci_bus {
	struct list_head node, children, devices;
	struct pci_bus *parent;
	struct pci_dev *self;
	struct device *bridge, dev;
	struct resource busn_res;
	void *sysdata;
	u8 number, primary;
	u16 bridge_ctl;
	bool is_added;
	char name[48];
};

struct pci_host_bridge {
	struct device dev;
	struct pci_bus *bus;
	unsigned int no_inc_mrrs : 1;
};
#define to_pci_host_bridge(n) container_of(n, struct pci_host_bridge, dev)

struct pci_dev {
	struct list_head bus_list;
	struct pci_bus *bus, *subordinate;
	struct pci_dev *physfn;
	void *sysdata;
	unsigned int devfn, class;
	u16 vendor, device, subsystem_vendor, subsystem_device;
	u8 revision, hdr_type, pcie_cap, supported_speeds;
	u16 pcie_flags_reg;
	u32 devcap;
	u8 pcie_mpss : 3; /* as in linux/pci.h */
	unsigned int is_virtfn : 1, multifunction : 1, transparent : 1, is_hotplug_bridge : 1, is_pciehp : 1,
		link_active_reporting : 1, broken_intx_masking : 1, non_compliant_bars : 1, mmio_always_on : 1,
		match_driver : 1, state_saved : 1, ari_enabled : 1, is_added : 1;
	int error_state, current_state, cfg_size, pcie_cap_lock, dma_parms;
	u64 dma_mask, msi_addr_mask;
	struct device dev;
	struct resource resource[16];
};

struct pcie_device {
	struct pci_dev *port;
};

struct controller {
	struct pcie_device *pcie;
	int reset_lock, depth;
	u64 dsn;
};

#define PCI_DEVFN(slot, func) ((((slot)&0x1f) << 3) | ((func)&7))
#define PCI_SLOT(devfn)	      (((devfn) >> 3) & 0x1f)
#define PCI_FUNC(devfn)	      ((devfn)&7)
#define PCI_ANY_ID	      (~0)
#define PCI_ROM_ADDRESS1      0x38
#define LEGACY_IO_RESOURCE    0
enum { pci_channel_io_normal, PCI_UNKNOWN, CARDBUS_LATENCY_TIMER = 176, CARDBUS_RESERVE_BUSNR = 4 };
static const int pci_bus_type, pci_early_dump, pci_hotplug_bus_size = 1;

/* ---- configuration space: linux_main.c ---- */

int pci_bus_read_config_byte(struct pci_bus *bus, unsigned int devfn, int where, u8 *val);
int pci_bus_read_config_word(struct pci_bus *bus, unsigned int devfn, int where, u16 *val);
int pci_bus_read_config_dword(struct pci_bus *bus, unsigned int devfn, int where, u32 *val);
int pci_bus_write_config_byte(struct pci_bus *bus, unsigned int devfn, int where, u8 val);
int pci_bus_write_config_word(struct pci_bus *bus, unsigned int devfn, int where, u16 val);
int pci_bus_write_config_dword(struct pci_bus *bus, unsigned int devfn, int where, u32 val);
#define pci_read_config_byte(d, w, v)	pci_bus_read_config_byte((d)->bus, (d)->devfn, w, v)
#define pci_read_config_word(d, w, v)	pci_bus_read_config_word((d)->bus, (d)->devfn, w, v)
#define pci_read_config_dword(d, w, v)	pci_bus_read_config_dword((d)->bus, (d)->devfn, w, v)
#define pci_write_config_byte(d, w, v)	pci_bus_write_config_byte((d)->bus, (d)->devfn, w, v)
#define pci_write_config_word(d, w, v)	pci_bus_write_config_word((d)->bus, (d)->devfn, w, v)
#define pci_write_config_dword(d, w, v) pci_bus_write_config_dword((d)->bus, (d)->devfn, w, v)

/* ---- buses and functions: linux_main.c ---- */

struct pci_dev *pci_alloc_dev(struct pci_bus *bus);
struct pci_bus *pci_find_bus(int domain, int busnr);
struct pci_bus *pci_add_new_bus(struct pci_bus *parent, struct pci_dev *dev, int busnr);
void pci_bus_insert_busn_res(struct pci_bus *b, int bus, int bus_max);
void pci_bus_update_busn_res_end(struct pci_bus *b, int bus_max);
void pci_bus_add_devices(const struct pci_bus *bus);
#define pci_domain_nr(bus)    ((void)(bus), 0)
#define pci_dev_is_added(dev) ((dev)->is_added)
#define pci_dev_get(dev)      (dev)
#define pci_dev_put(dev)      ((void)(dev))
#define pci_bus_put(bus)      ((void)(bus))
#define kfree(p)	      ((void)(p)) /* all memory is given back with the machine */

/* Fixups: as in linux/pci.h for machines without PREL32, in sections whose ends the linker names; most are empty. */
#define DECLARE_FIXUP(pass, vendor, device, hook, n)                                                            \
	static const struct pci_fixup fixup_##pass##_##n                                                        \
		__attribute__((used, section("pci_fixups_" #pass), aligned(sizeof(void *)))) = {vendor, device, \
												PCI_ANY_ID, 0, hook};
#define DECLARE_FIXUP_AT(pass, v, d, h, n) DECLARE_FIXUP(pass, v, d, h, n)
#define DECLARE_PCI_FIXUP_EARLY(v, d, h)   DECLARE_FIXUP_AT(early, v, d, h, __COUNTER__)
#define DECLARE_PCI_FIXUP_HEADER(v, d, h)  DECLARE_FIXUP_AT(header, v, d, h, __COUNTER__)
#define __end_pci_fixups_early		   __stop_pci_fixups_early
#pragma weak __start_pci_fixups_early
#pragma weak __stop_pci_fixups_early
#define __end_pci_fixups_header __stop_pci_fixups_header
#pragma weak __start_pci_fixups_header
#pragma weak __stop_pci_fixups_header
#define __end_pci_fixups_final __stop_pci_fixups_final
#pragma weak __start_pci_fixups_final
#pragma weak __stop_pci_fixups_final
#define __end_pci_fixups_enable __stop_pci_fixups_enable
#pragma weak __start_pci_fixups_enable
#pragma weak __stop_pci_fixups_enable
#define __end_pci_fixups_resume __stop_pci_fixups_resume
#pragma weak __start_pci_fixups_resume
#pragma weak __stop_pci_fixups_resume
#define __end_pci_fixups_resume_early __stop_pci_fixups_resume_early
#pragma weak __start_pci_fixups_resume_early
#pragma weak __stop_pci_fixups_resume_early
#define __end_pci_fixups_suspend __stop_pci_fixups_suspend
#pragma weak __start_pci_fixups_suspend
#pragma weak __stop_pci_fixups_suspend
#define __end_pci_fixups_suspend_late __stop_pci_fixups_suspend_late
#pragma weak __start_pci_fixups_suspend_late
#pragma weak __stop_pci_fixups_suspend_late
static const bool pci_apply_fixup_final_quirks = true;
#define fixup_debug_start(dev, hook)	    0
#define fixup_debug_report(dev, time, hook) ((void)(time))

/* Of the capabilities only ARI matters: it decides which functions are found. */
#define pci_init_capabilities(dev) pci_configure_ari(dev)
static const bool pcie_ari_disabled;

/* ---- what has no influence ---- */

#define pci_info(...)				    ((void)0)
#define pci_warn(...)				    ((void)0)
#define pci_err(...)				    ((void)0)
#define pci_dbg(...)				    ((void)0)
#define pci_notice(...)				    ((void)0)
#define dev_dbg(...)				    ((void)0)
#define dev_info(...)				    ((void)0)
#define ctrl_dbg(...)				    ((void)0)
#define ctrl_err(...)				    ((void)0)
#define pr_warn(...)				    ((void)0)
#define pr_info(...)				    ((void)0)
#define WARN_ON(x)				    ((void)(x))
#define down_read(...)				    ((void)0)
#define down_read_nested(...)			    ((void)0)
#define down_write(...)				    ((void)0)
#define up_read(...)				    ((void)0)
#define up_write(...)				    ((void)0)
#define spin_lock_irqsave(lock, flags)		    ((void)(flags = 0))
#define spin_unlock_irqrestore(lock, flags)	    ((void)(flags))
#define pci_lock_rescan_remove()		    ((void)0)
#define pci_unlock_rescan_remove()		    ((void)0)
#define pm_runtime_get_sync(...)		    ((void)0)
#define pm_runtime_put(...)			    ((void)0)
#define msleep(...)				    ((void)0)
#define pci_enable_rrs_sv(...)			    ((void)0)
#define pci_set_of_node(...)			    0
#define pci_release_of_node(...)		    ((void)0)
#define pci_set_acpi_fwnode(...)		    ((void)0)
#define pci_dev_assign_slot(...)		    ((void)0)
#define dev_set_name(...)			    ((void)0)
#define early_dump_pci_device(...)		    ((void)0)
#define pci_cfg_space_size(...)			    4096
#define set_pcie_thunderbolt(...)		    ((void)0)
#define set_pcie_untrusted(...)			    ((void)0)
#define pci_set_removable(...)			    ((void)0)
#define pci_intx_mask_broken(...)		    0
#define pci_read_irq(...)			    ((void)0)
#define pci_read_bases(...)			    ((void)0)
#define pci_read_bridge_windows(...)		    ((void)0)
#define pci_subsystem_ids(...)			    ((void)0)
#define pcibios_bus_to_resource(...)		    ((void)0)
#define pci_configure_extended_tags(...)	    ((void)0)
#define pci_configure_relaxed_ordering(...)	    ((void)0)
#define pci_configure_ltr(...)			    ((void)0)
#define pci_configure_aspm_l1ss(...)		    ((void)0)
#define pci_configure_eetlp_prefix(...)		    ((void)0)
#define pci_configure_serr(...)			    ((void)0)
#define pci_configure_rcb(...)			    ((void)0)
#define pci_acpi_program_hp_params(...)		    ((void)0)
#define device_initialize(...)			    ((void)0)
#define device_add(...)				    0
#define set_dev_node(...)			    ((void)0)
#define dma_set_max_seg_size(...)		    ((void)0)
#define dma_set_seg_boundary(...)		    ((void)0)
#define pcie_failed_link_retrain(...)		    ((void)0)
#define pci_reassigndev_resource_alignment(...)	    ((void)0)
#define pcibios_device_add(...)			    0
#define pci_set_msi_domain(...)			    ((void)0)
#define set_pcie_cxl(...)			    ((void)0)
#define platform_pci_configure_wake(...)	    ((void)0)
#define pci_tsm_init(...)			    ((void)0)
#define pci_doe_sysfs_init(...)			    ((void)0)
#define pci_npem_create(...)			    ((void)0)
#define pcie_aspm_init_link_state(...)		    ((void)0)
#define hypervisor_isolated_pci_functions()	    false
#define pci_has_flag(...)			    false
#define pcibios_assign_all_busses()		    0
#define pcibios_fixup_bus(...)			    ((void)0)
#define pci_iov_bus_range(...)			    0
#define pci_ea_fixed_busnrs(...)		    false
#define pci_assign_unassigned_bridge_resources(...) ((void)0)
#define pci_assign_unassigned_bus_resources(...)    ((void)0)
#define pci_get_dsn(...)			    0
static void pci_release_dev(struct device *dev)
{
	(void)dev;
}

/* Called before it is cut, or in circles. */
static unsigned int pci_scan_child_bus_extend(struct pci_bus *bus, unsigned int available_buses);
int pcie_get_readrq(struct pci_dev *dev);
int pcie_get_mps(struct pci_dev *dev);

#endif
