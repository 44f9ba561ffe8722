/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up PMUs in the environment of a machine. */
#include "framework/board/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/bdf.h"

#define PMU "PMU "

const char *pv_facts_said(json_object *environment, const char *name)
{
	const char *text = json_object_get_string(json_object_object_get(environment, name));

	return text ? text : "";
}

/* Compares the number after the dot of a CXL PMU; PMUs of other devices have no number, which counts as 0. */
static bool has_number(const char *name, unsigned cpmu)
{
	const char *dot = strrchr(name, '.');

	return dot ? strtoul(dot + 1, NULL, 10) == cpmu : !cpmu;
}

static bool is_pmu(const char *key, const char *fact, const char *at, const char *prefix, unsigned cpmu)
{
	const char *name = key + strlen(PMU);
	size_t n = strlen(at);

	return !strncmp(key, PMU, strlen(PMU)) && !strncmp(name, prefix, strlen(prefix)) && !strncmp(fact, at, n) &&
	       (!fact[n] || fact[n] == ',') && has_number(name, cpmu);
}

bool pv_facts_pmu(json_object *environment, pv_bdf bdf, const char *prefix, unsigned cpmu, char name[PV_FACTS_NAME])
{
	char at[32];

	snprintf(at, sizeof(at), "at %s", pv_bdf_name(bdf).s);
	if (!environment)
		return false;
	json_object_object_foreach(environment, key, value)
	{
		const char *fact = json_object_get_string(value);

		if (!fact || !is_pmu(key, fact, at, prefix, cpmu) || strlen(key + strlen(PMU)) >= PV_FACTS_NAME)
			continue;
		snprintf(name, PV_FACTS_NAME, "%s", key + strlen(PMU));
		return true;
	}
	return false;
}

bool pv_facts_has(json_object *environment, const char *pmu, const char *list, const char *word)
{
	char key[PV_FACTS_NAME + 8], head[24];

	snprintf(key, sizeof(key), PMU "%s", pmu);
	snprintf(head, sizeof(head), ", %s ", list);
	const char *at = strstr(pv_facts_said(environment, key), head);
	for (at = at ? at + strlen(head) : ""; *at && *at != ','; at += *at == ' ') {
		size_t n = strcspn(at, " ,");

		if (n == strlen(word) && !strncmp(at, word, n))
			return true;
		at += n;
	}
	return false;
}
