/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the facts of a machine with those at the start of the run: between them it may have booted. */
#include <stdio.h>
#include <string.h>

#include "framework/board/connect_internal.h"
#include "framework/board/facts.h"
#include "framework/util/cleanup.h"

static bool differs(const char *name, const char *was, const char *is, char *out, size_t size)
{
	if (!*was || !*is || !strcmp(was, is))
		return false;
	snprintf(out, size, "the machine came back with another %s: expected '%.150s', got '%.150s'", name, was, is);
	return true;
}

/* The facts that say which software runs there. The first that differs explains the others. */
static bool other_software(json_object *was, json_object *is, char *out, size_t size)
{
	static const char *const names[] = {"kernel", "kernel build", "command line"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (differs(names[i], pv_facts_said(was, names[i]), pv_facts_said(is, names[i]), out, size))
			return true;
	json_object_object_foreach(was, name, value)
	{
		(void)value;
		if (!strncmp(name, "module ", strlen("module ")) &&
		    differs(name, pv_facts_said(was, name), pv_facts_said(is, name), out, size))
			return true;
	}
	return false;
}

/* A driver that is not loaded takes a PMU away, one for bridges may take functions. */
static bool lacks_facts(json_object *was, json_object *is, char *out, size_t size)
{
	static const char *const kinds[] = {"PMU ", "pci ", "module "};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		json_object_object_foreach(was, name, value)
		{
			if (strncmp(name, kinds[i], strlen(kinds[i])) || json_object_object_get_ex(is, name, NULL))
				continue;
			snprintf(out, size, "the machine came back without %s, which was %.150s", name,
				 json_object_get_string(value));
			return true;
		}
	}
	return false;
}

bool pv_board_compare(const struct pv_board *b, json_object *is, bool *boots, char *out, size_t size)
{
	*out = 0;
	*boots = false;
	if (differs("kernel", b->release, b->ssh.release, out, size) ||
	    *pv_facts_said(b->environment, PV_FACTS_UNKNOWN))
		return *out;
	if (*pv_facts_said(is, PV_FACTS_UNKNOWN))
		snprintf(out, size, "it is unknown whether the machine came back with the same kernel: %.200s",
			 pv_facts_said(is, PV_FACTS_UNKNOWN));
	if (*out || other_software(b->environment, is, out, size))
		return true;
	return *boots = lacks_facts(b->environment, is, out, size);
}
