/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of configuration space (PCIe 5.0 7.5.1.1.11, 7.6.3, 7.9.5, 7.9.6). Devices are not trusted: a walk takes at
 * most as many steps as entries fit into the space, and stays inside it.
 */
#include "drivers/core/pcie.h"

#include "drivers/regs/pcie.h"

enum {
	CAP_FIRST = 0x40,
	CAPS_MAX = (256 - CAP_FIRST) / 4,
	HEADERS_LAST = PCI_CFG_BYTES - 12, /* last place where the three header dwords of a DVSEC fit */
};

uint8_t pv_cfg_read8(const struct pv_cfg *cfg, uint32_t off)
{
	return (uint8_t)cfg->read(cfg->ctx, cfg->bdf, off, 1);
}

uint16_t pv_cfg_read16(const struct pv_cfg *cfg, uint32_t off)
{
	return (uint16_t)cfg->read(cfg->ctx, cfg->bdf, off, 2);
}

uint32_t pv_cfg_read32(const struct pv_cfg *cfg, uint32_t off)
{
	return cfg->read(cfg->ctx, cfg->bdf, off, 4);
}

void pv_cfg_write16(const struct pv_cfg *cfg, uint32_t off, uint16_t value)
{
	cfg->write(cfg->ctx, cfg->bdf, off, 2, value);
}

void pv_cfg_write32(const struct pv_cfg *cfg, uint32_t off, uint32_t value)
{
	cfg->write(cfg->ctx, cfg->bdf, off, 4, value);
}

bool pv_pcie_present(const struct pv_cfg *cfg)
{
	uint32_t id = pv_cfg_read32(cfg, PCI_VENDOR_ID);

	/* Besides all ones, values that broken boards return for absent functions (as Linux
	 * pci_bus_generic_read_dev_vendor_id). */
	return id != 0xffffffff && id != 0 && id != 0x0000ffff && id != 0xffff0000;
}

uint32_t pv_pcie_find_cap(const struct pv_cfg *cfg, uint8_t id)
{
	uint32_t pos;
	unsigned steps;

	if (!(pv_cfg_read16(cfg, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;

	pos = pv_cfg_read8(cfg, PCI_CAPABILITIES) & ~3u;
	for (steps = 0; pos >= CAP_FIRST && steps < CAPS_MAX; steps++) {
		uint16_t header = pv_cfg_read16(cfg, pos);

		if ((header & 0xff) == 0xff)
			return 0;
		if ((header & 0xff) == id)
			return pos;
		pos = header >> 8 & ~3u;
	}
	return 0;
}

uint32_t pv_pcie_next_ext_cap(const struct pv_cfg *cfg, uint32_t after, uint16_t id)
{
	uint32_t seen[PCI_CFG_BYTES / 4 / 32] = {0}; /* a bit for each dword: ends lists that loop */
	uint32_t pos = PCI_EXT_CAP_START;
	bool passed = after == 0;

	while (pos >= PCI_EXT_CAP_START && !(seen[pos / 128] & 1u << (pos / 4 % 32))) {
		uint32_t header = pv_cfg_read32(cfg, pos);

		/* 0: no extended capabilities; all ones: no extended space, or the function is gone. */
		if (header == 0 || header == 0xffffffff)
			return 0;
		if (passed && PCI_EXT_CAP_ID(header) == id)
			return pos;
		if (pos == after)
			passed = true;
		seen[pos / 128] |= 1u << (pos / 4 % 32);
		pos = PCI_EXT_CAP_NEXT(header);
	}
	return 0;
}

/* Skips those whose headers would be beyond the end. */
static uint32_t next_with_headers(const struct pv_cfg *cfg, uint32_t pos, uint16_t id)
{
	do
		pos = pv_pcie_next_ext_cap(cfg, pos, id);
	while (pos > HEADERS_LAST);
	return pos;
}

uint32_t pv_pcie_find_vsec(const struct pv_cfg *cfg, uint16_t vendor, uint16_t vsec_id, unsigned *revision,
			   unsigned *bytes)
{
	uint32_t pos = 0;

	if (pv_cfg_read16(cfg, PCI_VENDOR_ID) != vendor)
		return 0;

	while ((pos = next_with_headers(cfg, pos, PCI_EXT_CAP_ID_VSEC))) {
		uint32_t header = pv_cfg_read32(cfg, pos + PCI_VSEC_HEADER);

		if ((header & 0xffff) != vsec_id)
			continue;
		if (revision)
			*revision = header >> 16 & 0xf;
		if (bytes)
			*bytes = header >> 20;
		return pos;
	}
	return 0;
}

uint32_t pv_pcie_find_dvsec(const struct pv_cfg *cfg, uint16_t vendor, uint16_t dvsec_id, unsigned *bytes)
{
	uint32_t pos = 0;

	while ((pos = next_with_headers(cfg, pos, PCI_EXT_CAP_ID_DVSEC))) {
		uint32_t header = pv_cfg_read32(cfg, pos + PCI_DVSEC_HEADER1);

		if ((header & 0xffff) != vendor || pv_cfg_read16(cfg, pos + PCI_DVSEC_HEADER2) != dvsec_id)
			continue;
		if (bytes)
			*bytes = header >> 20;
		return pos;
	}
	return 0;
}
