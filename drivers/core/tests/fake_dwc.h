/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A DesignWare PCIe PMU for tests of its core: a Root Port with hand-made registers, and a log of its writes. */
#ifndef PV_CORE_TESTS_FAKE_DWC_H
#define PV_CORE_TESTS_FAKE_DWC_H

#include <criterion/criterion.h>

#include "drivers/core/dwc.h"
#include "drivers/core/tests/fake_cfg.h"
#include "drivers/regs/dwc.h"

enum { CAP = 0x200, LANES = 8, LOG_MAX = 16 };

#define RX_MEM_READ(lane) PV_DWC_CONFIG(PV_DWC_LANE, 0x70c, lane)
#define TX_ATOMIC(lane)	  PV_DWC_CONFIG(PV_DWC_LANE, 0x709, lane)
#define L0_CYCLES	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x03, 0)
#define L1_CYCLES	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x04, 0)
#define RX_PAYLOAD	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x21, 0)

static struct fake_cfg port;
static struct pv_cfg cfg;
static struct pv_dwc dwc;
static struct {
	uint32_t off, value;
} written[LOG_MAX];
static unsigned writes;
static bool counting; /* the counter that is selected */

/* EVENT_CNT_CTL as it is read: the actions are not kept, and the status tells what they did. */
static inline void put_control(struct fake_cfg *f, uint32_t value, bool on)
{
	uint32_t kept = value & ~(DWC_EVENT_ENABLE_MASK | DWC_EVENT_CLEAR_MASK | DWC_EVENT_STATUS);

	fake_put(f, CAP + DWC_EVENT_CNT_CTL, 4, kept | (on ? DWC_EVENT_STATUS : 0));
}

static inline void log_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	unsigned command = (value & DWC_EVENT_ENABLE_MASK) >> DWC_EVENT_ENABLE_SHIFT;

	if (writes < LOG_MAX) {
		written[writes].off = off - CAP;
		written[writes].value = value;
	}
	writes++;
	if (off == CAP + DWC_TIME_BASED_CTL)
		fake_put(f, off, 4, value);
	if (off != CAP + DWC_EVENT_CNT_CTL)
		return;
	if (command & 1)
		counting = command == DWC_EVENT_SELECTED_ON || command == DWC_EVENT_ALL_ON;
	put_control(f, value, counting);
}

static inline void add_ras_des(struct fake_cfg *f, uint32_t pos, unsigned id, unsigned rev, unsigned bytes)
{
	fake_ext_cap(f, pos, PCI_EXT_CAP_ID_VSEC);
	fake_put(f, pos + PCI_VSEC_HEADER, 4, id | rev << 16 | bytes << 20);
}

static inline void root_port(uint16_t vendor, unsigned width)
{
	fake_function(&port, vendor, PCI_EXP_TYPE_ROOT_PORT, width);
	fake_ext_cap(&port, 0x100, PCI_EXT_CAP_ID_AER);
	add_ras_des(&port, CAP, DWC_VSEC_ID, DWC_VSEC_REV, DWC_VSEC_BYTES);
	cfg = fake_cfg(&port);
	writes = 0;
	counting = false;
}

static inline void set_up(void)
{
	root_port(DWC_VENDOR_ALIBABA, LANES);
	cr_assert_eq(pv_dwc_init(&dwc, &cfg), 0);
	port.on_write = log_write;
}

static inline void set_data(uint32_t count)
{
	fake_put(&port, CAP + DWC_EVENT_CNT_DATA, 4, count);
}

static inline void set_time(uint64_t value)
{
	fake_put(&port, CAP + DWC_TIME_BASED_DATA_LO, 4, (uint32_t)value);
	fake_put(&port, CAP + DWC_TIME_BASED_DATA_HI, 4, (uint32_t)(value >> 32));
}

static inline struct pv_dwc_event event(uint64_t config)
{
	struct pv_dwc_event ev;

	cr_assert_eq(pv_dwc_event_init(&dwc, config, &ev), 0);
	return ev;
}

#endif
