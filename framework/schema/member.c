/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of topologies as members of the structs that they set. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/topology.h"
#include "framework/schema/schema.h"
#include "framework/util/cleanup.h"

static const struct {
	const char *word;
	size_t offset;
} slot_features[] = {
	{"surprise", offsetof(struct pv_slot_conf, surprise)},
	{"power", offsetof(struct pv_slot_conf, power)},
	{"button", offsetof(struct pv_slot_conf, button)},
	{"indicators", offsetof(struct pv_slot_conf, indicators)},
	{"no-command-completed", offsetof(struct pv_slot_conf, no_command_completed)},
};

/* Unsigned integers and enumerations of 1, 2 and 4 bytes. */
static void set_number(const struct pv_attr_member *m, void *base, uint64_t value)
{
	memcpy((char *)base + m->offset, &value, m->size); /* little endian */
}

uint64_t pv_member_number(const struct pv_attr_member *m, const void *base)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)base + m->offset, m->size);
	return value;
}

static void set_slot(struct pv_slot_conf *slot, const char *text)
{
	for (; *(text += strspn(text, " \t\r\n")); text += strcspn(text, " \t\r\n"))
		for (size_t i = 0; i < ARRAY_SIZE(slot_features); i++)
			if (strcspn(text, " \t\r\n") == strlen(slot_features[i].word) &&
			    !strncmp(text, slot_features[i].word, strlen(slot_features[i].word)))
				*((bool *)slot + slot_features[i].offset) = true;
}

/* Numbers of events, group << 8 | event. */
static void set_events(uint32_t events[PV_DWC_GROUPS_MAX], const char *text)
{
	char *end;

	for (; *(text += strspn(text, " \t\r\n")); text = end) {
		unsigned long id = strtoul(text, &end, 16);

		if (end == text)
			return;
		events[id >> 8 & (PV_DWC_GROUPS_MAX - 1)] |= 1u << (id & 31);
	}
}

static uint64_t number_of(const struct pv_attr_decl *a, const char *text)
{
	uint64_t v = 0;

	switch (a->member->form) {
	case PV_MEMBER_BOOL:
		return !strcmp(text, a->member->yes ? a->member->yes : "yes");
	case PV_MEMBER_SIZE:
		return (uint64_t)pv_type_index(&pv_types[PV_TYPE_PAYLOAD_FIELD], text);
	case PV_MEMBER_WORD:
		return (uint64_t)pv_type_index(a->type, text);
	case PV_MEMBER_WORD_FROM_1:
		return 1 + (uint64_t)pv_type_index(a->type, text);
	case PV_MEMBER_FILTERS:
		return (strstr(text, "hdm") ? 1 : 0) | (strstr(text, "bank") ? 2 : 0);
	default:
		pv_number_parse(text, &v);
		return v;
	}
}

void pv_member_set(const struct pv_attr_decl *a, void *base, const char *text)
{
	void *at = (char *)base + a->member->offset;

	if (a->member->form == PV_MEMBER_SLOT)
		set_slot(at, text);
	else if (a->member->form == PV_MEMBER_EVENTS)
		set_events(at, text);
	else
		set_number(a->member, base, number_of(a, text));
}

void pv_members_default(const struct pv_element_decl *members, void *base)
{
	pv_attr_foreach (a, members)
		if (a->member && a->value)
			pv_member_set(a, base, a->value);
}

/* ---- and back ---- */

static void slot_text(const struct pv_slot_conf *slot, char *out, size_t size)
{
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(slot_features); i++)
		if (*((const bool *)slot + slot_features[i].offset))
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", slot_features[i].word);
}

static void events_text(const uint32_t events[PV_DWC_GROUPS_MAX], char *out, size_t size)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned id = 0; id < PV_DWC_GROUPS_MAX << 8 && n + 8 < size; id++)
		if ((id & 0xff) < 32 && events[id >> 8] >> (id & 31) & 1)
			n += (size_t)snprintf(out + n, size - n, "%s0x%03x", n ? " " : "", id);
}

void pv_member_text(const struct pv_attr_decl *a, const void *base, char *out, size_t size)
{
	const struct pv_attr_member *m = a->member;
	const void *at = (const char *)base + m->offset;

	if (m->form == PV_MEMBER_SLOT)
		slot_text(at, out, size);
	else if (m->form == PV_MEMBER_EVENTS)
		events_text(at, out, size);
	else if (m->form == PV_MEMBER_WORD || m->form == PV_MEMBER_WORD_FROM_1)
		snprintf(out, size, "%s",
			 a->type->values[pv_member_number(m, base) - (m->form == PV_MEMBER_WORD_FROM_1)]);
	else
		snprintf(out, size, "%ju", (uintmax_t)pv_member_number(m, base));
}
