/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that is the kernel's PCI core as far as MPS and MRRS are concerned: reads machines and what happens to them
 * from its input, and prints MPS and MRRS of each function that the kernel has found. Built by ci/linux-mps, never by
 * meson: CUT is the file of functions cut out of a kernel source (GPL-2.0).
 *
 * Input, one thing on each line, numbers hexadecimal:
 *   machine POLICY            tune_off, default, safe, perf or peer2peer
 *   f BDF RO MRRS_MAX AT=DWORD...   a function arrives: hardwired bits of DevCtl; its largest MRRS field; what is not 0
 *   boot | rescan | hotplug SLOT    what has arrived is found
 *   unplug SLOT               all below the port is gone
 *   end                       prints "BDF MPS MRRS" for each function (decimal sizes, 0 0: no PCIe), then "end"
 */
#include "framework/tests/witness/linux_shim.h"

#include CUT

#define BUSES 256

struct function {
	u8 data[4096];
	u16 fixed;
	u16 mrrs_max;
	unsigned int devctl; /* its offset, 0: none */
};

static struct function *functions[0x10000];
static struct pci_bus *buses[BUSES];
static struct pci_host_bridge host_bridges[BUSES];
static void *memory[0x10000]; /* all that the machine took */
static unsigned int memories;

static void *take(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p || memories == 0x10000) {
		fprintf(stderr, "linux-mps: no memory\n");
		exit(1);
	}
	return memory[memories++] = p;
}

/* ---- configuration space ---- */

static u32 config_read(struct pci_bus *bus, unsigned int devfn, int where, unsigned int bytes)
{
	const struct function *f = functions[bus->number << 8 | devfn];
	u32 v = 0xffffffff;

	if (f && where >= 0 && where + bytes <= sizeof(f->data))
		for (unsigned int i = 0; i < bytes; i++)
			v = (v & ~(0xffu << 8 * i)) | (u32)f->data[where + i] << 8 * i;
	return v;
}

static u16 devctl_of(const struct function *f)
{
	return (u16)(f->data[f->devctl] | f->data[f->devctl + 1] << 8);
}

/* Device Control takes what is not hardwired, and no MRRS that the device does not take. */
static void settle_devctl(struct function *f, u16 old)
{
	u16 v = (u16)((old & f->fixed) | (devctl_of(f) & ~f->fixed));

	if (FIELD_GET(PCI_EXP_DEVCTL_READRQ, v) > f->mrrs_max)
		v = (u16)((v & ~PCI_EXP_DEVCTL_READRQ) | (old & PCI_EXP_DEVCTL_READRQ));
	f->data[f->devctl] = v & 0xff;
	f->data[f->devctl + 1] = v >> 8;
}

/* Status registers are write-1-to-clear and read-only bits, and nothing else is judged by what is written. */
static void config_write(struct pci_bus *bus, unsigned int devfn, int where, unsigned int bytes, u32 val)
{
	struct function *f = functions[bus->number << 8 | devfn];
	u16 old = f && f->devctl ? devctl_of(f) : 0;

	if (!f || where < 0 || where + bytes > sizeof(f->data) || where == PCI_STATUS || where == PCI_SEC_STATUS)
		return;
	for (unsigned int i = 0; i < bytes; i++)
		f->data[where + i] = val >> 8 * i & 0xff;
	if (f->devctl && (unsigned int)where <= f->devctl + 1 && where + bytes > f->devctl)
		settle_devctl(f, old);
}

#define ACCESS(size, type, bytes)                                                                     \
	int pci_bus_read_config_##size(struct pci_bus *bus, unsigned int devfn, int where, type *val) \
	{                                                                                             \
		*val = (type)config_read(bus, devfn, where, bytes);                                   \
		return 0;                                                                             \
	}                                                                                             \
	int pci_bus_write_config_##size(struct pci_bus *bus, unsigned int devfn, int where, type val) \
	{                                                                                             \
		config_write(bus, devfn, where, bytes, val);                                          \
		return 0;                                                                             \
	}
ACCESS(byte, u8, 1)
ACCESS(word, u16, 2)
ACCESS(dword, u32, 4)

/* ---- buses ---- */

struct pci_dev *pci_alloc_dev(struct pci_bus *bus)
{
	struct pci_dev *dev = take(sizeof(*dev));

	dev->bus = bus;
	return dev;
}

struct pci_bus *pci_find_bus(int domain, int busnr)
{
	(void)domain;
	return busnr >= 0 && busnr < BUSES ? buses[busnr] : NULL;
}

static struct pci_bus *make_bus(int busnr)
{
	struct pci_bus *b = take(sizeof(*b));

	INIT_LIST_HEAD(&b->devices);
	INIT_LIST_HEAD(&b->children);
	b->number = (u8)busnr;
	b->busn_res = (struct resource){.start = (u64)busnr, .end = BUSES - 1};
	return buses[busnr] = b;
}

struct pci_bus *pci_add_new_bus(struct pci_bus *parent, struct pci_dev *dev, int busnr)
{
	struct pci_bus *child = make_bus(busnr);

	child->parent = parent;
	child->self = dev;
	child->bridge = &dev->dev;
	child->primary = parent->number;
	list_add_tail(&child->node, &parent->children);
	dev->subordinate = child;
	return child;
}

void pci_bus_insert_busn_res(struct pci_bus *b, int bus, int bus_max)
{
	b->busn_res = (struct resource){.start = (u64)bus, .end = (u64)bus_max};
}

void pci_bus_update_busn_res_end(struct pci_bus *b, int bus_max)
{
	b->busn_res.end = (u64)bus_max;
}

void pci_bus_add_devices(const struct pci_bus *bus)
{
	struct pci_dev *dev;

	list_for_each_entry(dev, &bus->devices, bus_list)
	{
		dev->is_added = 1;
		if (dev->subordinate)
			pci_bus_add_devices(dev->subordinate);
	}
}

static bool is_root(unsigned int bus)
{
	return buses[bus] && !buses[bus]->parent;
}

/* Marks the buses on which something is, and to which no bridge leads. */
static void find_roots(bool *root)
{
	bool led_to[BUSES] = {false};

	for (unsigned int bdf = 0; bdf < 0x10000; bdf++) {
		const struct function *f = functions[bdf];

		if (!f)
			continue;
		root[bdf >> 8] = true;
		if ((f->data[PCI_HEADER_TYPE] & 0x7f) == PCI_HEADER_TYPE_BRIDGE)
			led_to[f->data[PCI_SECONDARY_BUS]] = true;
	}
	for (unsigned int bus = 0; bus < BUSES; bus++)
		root[bus] = root[bus] && !led_to[bus];
}

/* ---- what happens ---- */

/* As pci_host_probe() and pci_acpi_scan_root() do it: scan, and then the settings below each child bus. */
static void boot(void)
{
	bool root[BUSES] = {false};
	struct pci_bus *child;

	find_roots(root);
	for (unsigned int n = 0; n < BUSES; n++) {
		if (!root[n])
			continue;
		make_bus((int)n)->bridge = &host_bridges[n].dev;
		host_bridges[n] = (struct pci_host_bridge){.bus = buses[n]};
		pci_scan_child_bus(buses[n]);
		list_for_each_entry(child, &buses[n]->children, node) pcie_bus_configure_settings(child);
		pci_bus_add_devices(buses[n]);
	}
}

static void rescan(void)
{
	for (unsigned int n = 0; n < BUSES; n++)
		if (is_root(n))
			pci_rescan_bus(buses[n]);
}

static struct pci_dev *device_at(unsigned int bdf)
{
	struct pci_bus *bus = buses[bdf >> 8 & 0xff];

	return bus ? pci_get_slot(bus, bdf & 0xff) : NULL;
}

/* Where a pciehp service is made (get_port_device_capability() of portdrv, with native hot-plug). */
static bool pciehp_serves(const struct pci_dev *dev)
{
	return dev && dev->subordinate && dev->is_pciehp &&
	       (pci_pcie_type(dev) == PCI_EXP_TYPE_ROOT_PORT || pci_pcie_type(dev) == PCI_EXP_TYPE_DOWNSTREAM);
}

static void hotplug(unsigned int slot)
{
	struct pci_dev *port = device_at(slot);
	struct pcie_device pcie = {port};
	struct controller ctrl = {.pcie = &pcie};

	if (!pciehp_serves(port))
		printf("no slot of pciehp at %04x\n", slot);
	else
		pciehp_configure_device(&ctrl);
}

static void remove_bus(struct pci_bus *bus)
{
	struct pci_dev *dev;

	list_for_each_entry(dev, &bus->devices, bus_list)
	{
		functions[bus->number << 8 | dev->devfn] = NULL;
		if (!dev->subordinate)
			continue;
		remove_bus(dev->subordinate);
		buses[dev->subordinate->number] = NULL;
		list_del(&dev->subordinate->node);
	}
	INIT_LIST_HEAD(&bus->devices);
}

static void unplug(unsigned int slot)
{
	struct pci_dev *port = device_at(slot);

	if (port && port->subordinate)
		remove_bus(port->subordinate);
}

/* ---- input and output ---- */

static void find_devctl(struct function *f)
{
	unsigned int at = f->data[PCI_STATUS] & PCI_STATUS_CAP_LIST ? f->data[PCI_CAPABILITY_LIST] & 0xfc : 0;

	for (int i = 0; i < PCI_FIND_CAP_TTL && at >= 0x40; i++, at = f->data[at + 1] & 0xfc)
		if (f->data[at] == PCI_CAP_ID_EXP) {
			f->devctl = at + PCI_EXP_DEVCTL;
			return;
		}
}

static void arrive(const char *line)
{
	struct function *f = take(sizeof(*f));
	unsigned int bdf, ro, mrrs_max, at, dword;
	int used;

	if (sscanf(line, "f %x %x %x%n", &bdf, &ro, &mrrs_max, &used) != 3) {
		fprintf(stderr, "linux-mps: expected \"f BDF RO MRRS_MAX AT=DWORD...\", got %s", line);
		exit(1);
	}
	f->fixed = (u16)ro;
	f->mrrs_max = (u16)mrrs_max;
	for (line += used; sscanf(line, " %x=%x%n", &at, &dword, &used) == 2; line += used)
		for (int i = 0; i < 4; i++)
			f->data[(at + i) % sizeof(f->data)] = dword >> 8 * i & 0xff;
	find_devctl(f);
	functions[bdf & 0xffff] = f;
}

static void start_machine(const char *policy)
{
	static const char *const names[] = {[PCIE_BUS_TUNE_OFF] = "tune_off",
					    [PCIE_BUS_DEFAULT] = "default",
					    [PCIE_BUS_SAFE] = "safe",
					    [PCIE_BUS_PERFORMANCE] = "perf",
					    [PCIE_BUS_PEER2PEER] = "peer2peer"};

	while (memories)
		free(memory[--memories]);
	memset(functions, 0, sizeof(functions));
	memset(buses, 0, sizeof(buses));
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(policy, names[i]))
			pcie_bus_config = i;
}

static void print_bus(struct pci_bus *bus)
{
	struct pci_dev *dev;

	list_for_each_entry(dev, &bus->devices, bus_list)
	{
		bool pcie = pci_is_pcie(dev);

		printf("%04x %d %d\n", bus->number << 8 | dev->devfn, pcie ? pcie_get_mps(dev) : 0,
		       pcie ? pcie_get_readrq(dev) : 0);
	}
}

static void print_machine(void)
{
	for (unsigned int n = 0; n < BUSES; n++)
		if (buses[n])
			print_bus(buses[n]);
	printf("end\n");
	fflush(stdout);
}

static void obey(const char *line)
{
	char word[16] = "", what[16] = "";

	sscanf(line, "%15s %15s", word, what);
	unsigned int slot = (unsigned int)strtoul(what, NULL, 16);
	if (!strcmp(word, "machine"))
		start_machine(what);
	else if (!strcmp(word, "f"))
		arrive(line);
	else if (!strcmp(word, "boot"))
		boot();
	else if (!strcmp(word, "rescan"))
		rescan();
	else if (!strcmp(word, "hotplug"))
		hotplug(slot);
	else if (!strcmp(word, "unplug"))
		unplug(slot);
	else if (!strcmp(word, "end"))
		print_machine();
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0)
		obey(line);
	free(line);
	return 0;
}
