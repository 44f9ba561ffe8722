/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT: the filter lists and the check of what perf's config word asks for, before any register is
 * touched (docs/hardware-notes.md section 1 and errata 5).
 */
#include "drivers/core/ptt.h"
#include "drivers/regs/pcie.h"

enum { FORMATS = 2, DIRECTIONS = 4 };

/*
 * Types that a direction can trace. "Several types at once inbound; exactly one outbound": one type mask serves both
 * ways, so a direction that includes outbound takes exactly one type. This also applies to directions 2 and 3 in 4DW,
 * which trace both ways.
 */
enum traces { RESERVED, SEVERAL_TYPES, ONE_TYPE };

static const uint8_t traces[FORMATS][DIRECTIONS] = {
	/* 4DW: in, out, out + in (CPL B), out + in (CPL A) */
	{SEVERAL_TYPES, ONE_TYPE, ONE_TYPE, ONE_TYPE},
	/* 8DW: reserved, out, in (CPL B), in (CPL A) */
	{RESERVED, ONE_TYPE, SEVERAL_TYPES, SEVERAL_TYPES},
};

int pv_ptt_filter_add(struct pv_ptt_filters *list, pv_bdf bdf, bool is_port)
{
	size_t i, at = 0;

	while (at < list->count && list->entry[at].bdf < bdf)
		at++;
	if (at < list->count && list->entry[at].bdf == bdf)
		return -PV_EEXIST;
	if (list->count >= list->max)
		return -PV_ENOSPC;

	for (i = list->count; i > at; i--)
		list->entry[i] = list->entry[i - 1];
	list->entry[at].bdf = bdf;
	list->entry[at].is_port = is_port;
	list->count++;
	return 0;
}

int pv_ptt_filter_remove(struct pv_ptt_filters *list, pv_bdf bdf)
{
	size_t i, at = 0;

	while (at < list->count && list->entry[at].bdf != bdf)
		at++;
	if (at == list->count)
		return -PV_ENOENT;

	list->count--;
	for (i = at; i < list->count; i++)
		list->entry[i] = list->entry[i + 1];
	return 0;
}

uint32_t pv_ptt_filter_value(const struct pv_ptt_filter *filter)
{
	if (!filter->is_port)
		return PCI_RID(filter->bdf);
	return PTT_FILTER_IS_PORT | PTT_FILTER_PORT_BIT(filter->bdf);
}

static bool filter_is_available(const struct pv_ptt_filters *list, uint32_t filter)
{
	uint32_t ports = 0;
	size_t i;

	if (filter & PTT_FILTER_RESERVED_MASK)
		return false;

	for (i = 0; i < list->count; i++) {
		const struct pv_ptt_filter *entry = &list->entry[i];

		if (entry->is_port)
			ports |= pv_ptt_filter_value(entry);
		else if (filter == pv_ptt_filter_value(entry))
			return true;
	}
	/* Checks a mask of ports: at least one, and all on this core. */
	return filter & PTT_FILTER_IS_PORT && filter & PTT_FILTER_VALUE_MASK && !(filter & ~ports);
}

int pv_ptt_params_check(const struct pv_ptt_filters *list, uint64_t config, struct pv_ptt_params *params)
{
	params->filter = PTT_CONFIG_FILTER(config);
	params->direction = PTT_CONFIG_DIRECTION(config);
	params->type = PTT_CONFIG_TYPE(config);
	params->format = PTT_CONFIG_FORMAT(config);

	if (!filter_is_available(list, params->filter))
		return -PV_EINVAL;
	if (params->format >= FORMATS || params->direction >= DIRECTIONS)
		return -PV_EINVAL;
	if (!params->type || params->type & ~PTT_TYPES_ALL)
		return -PV_EINVAL;

	switch (traces[params->format][params->direction]) {
	case SEVERAL_TYPES:
		return 0;
	case ONE_TYPE:
		return params->type & (params->type - 1) ? -PV_EINVAL : 0;
	default:
		return -PV_EINVAL;
	}
}

uint32_t pv_ptt_params_ctrl(const struct pv_ptt_params *params)
{
	uint32_t ctrl = params->direction << PTT_TRACE_CTRL_RXTX_SEL_SHIFT & PTT_TRACE_CTRL_RXTX_SEL_MASK;

	ctrl |= params->type << PTT_TRACE_CTRL_TYPE_SEL_SHIFT & PTT_TRACE_CTRL_TYPE_SEL_MASK;
	ctrl |= (params->filter & PTT_FILTER_VALUE_MASK) << PTT_TRACE_CTRL_TARGET_SEL_SHIFT;
	if (params->format)
		ctrl |= PTT_TRACE_CTRL_DATA_FORMAT;
	if (!(params->filter & PTT_FILTER_IS_PORT))
		ctrl |= PTT_TRACE_CTRL_FILTER_MODE;
	return ctrl;
}
