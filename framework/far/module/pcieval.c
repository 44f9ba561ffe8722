// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel module for the far side: functions that need a driver in the kernel. It does not touch the drivers under test.
 *
 * MPS and MRRS: writing "0000:75:00.1 256" to /sys/module/pcieval/parameters/mps calls pcie_set_mps(), to mrrs
 * pcie_set_readrq(). The write returns their error.
 *
 * Virtual functions: Linux disables those that firmware has enabled, and enables only those that a driver of the
 * physical function asks for. This module is that driver, and the driver of the virtual functions: all are enabled
 * while it is bound to the physical function, and writing to sriov_numvfs changes their number.
 *
 * Host bridges that share their PCI domain with others: Linux gives a domain of the device tree to one host bridge only
 * (of_pci_bus_find_domain_nr()), whereas ACPI, which the machines with a PTT have, puts several into one segment. Nodes
 * with "pcieval,host-ecam" are bound here. They are like those of pci-host-generic, but bring their own domain number.
 *
 * Suspend to RAM: QEMU's virt has no firmware for it. There this module implements the platform's operations: it
 * resumes immediately, and writes 1 to a register when all devices are suspended. Its physical address is in
 * /sys/module/pcieval/parameters/power; 0: none.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/pci-ecam.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/suspend.h>

/* ---- MPS and MRRS ---- */

static int set_size(const char *text, const struct kernel_param *param)
{
	int (*set)(struct pci_dev * dev, int bytes) = param->arg;
	unsigned int domain, bus, slot, function;
	struct pci_dev *dev;
	int bytes, err;

	if (sscanf(text, "%x:%x:%x.%x %d", &domain, &bus, &slot, &function, &bytes) != 5)
		return -EINVAL;
	dev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!dev)
		return -ENODEV;
	err = set(dev, bytes);
	pci_dev_put(dev);
	return pcibios_err_to_errno(err);
}

static const struct kernel_param_ops size_ops = {.set = set_size};

module_param_cb(mps, &size_ops, pcie_set_mps, 0200);
MODULE_PARM_DESC(mps, "FUNCTION BYTES: calls pcie_set_mps()");
module_param_cb(mrrs, &size_ops, pcie_set_readrq, 0200);
MODULE_PARM_DESC(mrrs, "FUNCTION BYTES: calls pcie_set_readrq()");

/* ---- virtual functions ---- */

static int function_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
	if (dev->is_virtfn) {
		pci_set_master(dev);
		return 0;
	}
	if (!pci_sriov_get_totalvfs(dev))
		return -ENODEV;
	return pci_enable_sriov(dev, pci_sriov_get_totalvfs(dev));
}

static void function_remove(struct pci_dev *dev)
{
	if (dev->is_physfn)
		pci_disable_sriov(dev);
}

static const struct pci_device_id any_function[] = {{PCI_DEVICE(PCI_ANY_ID, PCI_ANY_ID)}, {}};

static struct pci_driver function_driver = {
	.name = "pcieval-vf",
	.id_table = any_function,
	.probe = function_probe,
	.remove = function_remove,
	.sriov_configure = pci_sriov_configure_simple,
};

/* ---- host bridges ---- */

static void free_ecam(void *ecam)
{
	pci_ecam_free(ecam);
}

static struct pci_config_window *map_ecam(struct device *dev, struct pci_host_bridge *bridge)
{
	struct resource_entry *buses = resource_list_first_type(&bridge->windows, IORESOURCE_BUS);
	struct pci_config_window *ecam;
	struct resource reg;
	int err = of_address_to_resource(dev->of_node, 0, &reg);

	if (err || !buses)
		return ERR_PTR(err ?: -ENODEV);
	ecam = pci_ecam_create(dev, &reg, buses->res, &pci_generic_ecam_ops);
	if (IS_ERR(ecam))
		return ecam;
	err = devm_add_action_or_reset(dev, free_ecam, ecam);
	return err ? ERR_PTR(err) : ecam;
}

static int host_probe(struct platform_device *pdev)
{
	struct pci_host_bridge *bridge = devm_pci_alloc_host_bridge(&pdev->dev, 0);
	struct pci_config_window *ecam;
	u32 domain;
	int err;

	if (!bridge)
		return -ENOMEM;
	err = of_property_read_u32(pdev->dev.of_node, "linux,pci-domain", &domain);
	if (err)
		return err;
	ecam = map_ecam(&pdev->dev, bridge);
	if (IS_ERR(ecam))
		return PTR_ERR(ecam);
	platform_set_drvdata(pdev, bridge);
	bridge->sysdata = ecam;
	bridge->ops = (struct pci_ops *)&pci_generic_ecam_ops.pci_ops;
	bridge->msi_domain = true;
	bridge->domain_nr = domain;
	return pci_host_probe(bridge);
}

static void host_remove(struct platform_device *pdev)
{
	struct pci_host_bridge *bridge = platform_get_drvdata(pdev);

	pci_lock_rescan_remove();
	pci_stop_root_bus(bridge->bus);
	pci_remove_root_bus(bridge->bus);
	pci_unlock_rescan_remove();
}

static const struct of_device_id host_nodes[] = {{.compatible = "pcieval,host-ecam"}, {}};
MODULE_DEVICE_TABLE(of, host_nodes);

static struct platform_driver host_driver = {
	.driver = {.name = "pcieval-host", .of_match_table = host_nodes},
	.probe = host_probe,
	.remove = host_remove,
};

/* ---- suspend to RAM ---- */

static ulong power;
module_param(power, ulong, 0600);
MODULE_PARM_DESC(power, "physical address of the register that is written when the system sleeps; 0: none");

static void __iomem *power_register;

static int sleep_valid(suspend_state_t state)
{
	return state == PM_SUSPEND_MEM;
}

static int sleep_begin(suspend_state_t state)
{
	power_register = power ? ioremap(power, sizeof(u64)) : NULL;
	return power && !power_register ? -ENOMEM : 0;
}

static int sleep_enter(suspend_state_t state)
{
	if (power_register)
		writeq(1, power_register);
	return 0;
}

static void sleep_end(void)
{
	if (power_register)
		iounmap(power_register);
	power_register = NULL;
}

static const struct platform_suspend_ops sleep_ops = {
	.valid = sleep_valid,
	.begin = sleep_begin,
	.enter = sleep_enter,
	.end = sleep_end,
};

static bool is_virt(void)
{
	return of_machine_is_compatible("linux,dummy-virt");
}

static int __init pcieval_init(void)
{
	int err = pci_register_driver(&function_driver);

	if (err)
		return err;
	err = platform_driver_register(&host_driver);
	if (err)
		pci_unregister_driver(&function_driver);
	else if (is_virt())
		suspend_set_ops(&sleep_ops);
	return err;
}
module_init(pcieval_init);

static void __exit pcieval_exit(void)
{
	if (is_virt())
		suspend_set_ops(NULL);
	platform_driver_unregister(&host_driver);
	pci_unregister_driver(&function_driver);
}
module_exit(pcieval_exit);

MODULE_DESCRIPTION("What only a driver can do, for pcieval's far side");
MODULE_LICENSE("GPL");
