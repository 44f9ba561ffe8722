/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use of the HiSilicon PTT: PT-1 to PT-5. */
#include "drivers/regs/ptt.h"
#include "framework/oracle/rules.h"
#include "framework/oracle/rules_internal.h"

static bool find(struct pv_rules *r, struct pv_rule_function *f)
{
	return f->id == (PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16);
}

static uint32_t reg(const struct pv_rules *r, const struct pv_rule_function *f, uint32_t off)
{
	return (uint32_t)pv_rule_peek(r, f, PTT_BAR, off, 4);
}

static void buffers_write(struct pv_rules *r, const struct pv_rule_function *f, const struct pv_rule_access *a)
{
	if (reg(r, f, PTT_TRACE_CTRL) & PTT_TRACE_CTRL_EN)
		pv_rule_broken(r, a, "PT-1", "register 0x%04x of the buffers written while a trace runs", a->off);
	else if (!(reg(r, f, PTT_TRACE_STS) & PTT_TRACE_STS_IDLE))
		pv_rule_broken(r, a, "PT-2", "register 0x%04x of the buffers written while the engine is not idle",
			       a->off);
}

/* Returns true if outbound TLPs are among those that the direction selects. */
static bool is_outbound(uint32_t direction, bool eight)
{
	return direction == PTT_DIR_OUT || (!eight && direction != PTT_DIR_IN);
}

static void begin_trace(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a, uint32_t ctrl)
{
	uint32_t direction = (ctrl & PTT_TRACE_CTRL_RXTX_SEL_MASK) >> PTT_TRACE_CTRL_RXTX_SEL_SHIFT;
	uint32_t type = (ctrl & PTT_TRACE_CTRL_TYPE_SEL_MASK) >> PTT_TRACE_CTRL_TYPE_SEL_SHIFT;
	bool eight = ctrl & PTT_TRACE_CTRL_DATA_FORMAT;

	if (!f->trace_reset)
		pv_rule_broken(r, a, "PT-3", "a trace begins without a reset of the engine, TRACE_CTRL 0x%08x", ctrl);
	f->trace_reset = false;
	if (eight && direction == PTT_DIR_IN)
		pv_rule_broken(r, a, "PT-5", "direction 0 with 8DW, TRACE_CTRL 0x%08x", ctrl);
	else if (is_outbound(direction, eight) && type & (type - 1))
		pv_rule_broken(r, a, "PT-5", "types 0x%x outbound, TRACE_CTRL 0x%08x", type, ctrl);
}

static void ctrl_write(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	uint32_t old = reg(r, f, PTT_TRACE_CTRL);
	uint32_t now = (uint32_t)pv_rule_merged(a, PTT_TRACE_CTRL, 4, old);

	if (now & PTT_TRACE_CTRL_RST)
		f->trace_reset = true;
	else if (old & PTT_TRACE_CTRL_RST) /* the reset ends here: done, or given up */
		f->trace_reset = !reg(r, f, PTT_TRACE_WR_STS);
	if (!(now & PTT_TRACE_CTRL_EN))
		return;
	if (!(old & PTT_TRACE_CTRL_EN))
		begin_trace(r, f, a, now);
	else if (old != now)
		pv_rule_broken(r, a, "PT-1", "TRACE_CTRL changed from 0x%08x to 0x%08x while a trace runs", old, now);
}

static void on_access(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	if (!a->write || a->bar != PTT_BAR)
		return;
	if (pv_rule_hits(a, PTT_BAR, PTT_TRACE_ADDR_SIZE,
			 PTT_TRACE_ADDR_BASE_HI(PTT_DMA_BUFFERS) - PTT_TRACE_ADDR_SIZE))
		buffers_write(r, f, a);
	else if (pv_rule_hits(a, PTT_BAR, PTT_TRACE_CTRL, 4))
		ctrl_write(r, f, a);
	else if (pv_rule_hits(a, PTT_BAR, PTT_TUNING_CTRL, 8) &&
		 reg(r, f, PTT_TUNING_INT_STAT) & PTT_TUNING_INT_STAT_BUSY)
		pv_rule_broken(r, a, "PT-4", "register 0x%04x of tuning written while tuning is under way", a->off);
}

const struct pv_rule_device pv_rule_ptt = {.find = find, .access = on_access};
