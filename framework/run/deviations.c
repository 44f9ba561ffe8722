/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of drivers. */
#include "framework/run/deviations.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"

static size_t length(json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool is_for(json_object *deviation, const char *name)
{
	json_object *cases = json_object_object_get(deviation, "cases");

	for (size_t i = 0; i < length(cases); i++) {
		const char *pattern = json_object_get_string(json_object_array_get_idx(cases, i));

		if (pattern && !fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

static void append(json_object *list, json_object *deviation)
{
	if (json_object_array_add(list, json_object_get(deviation)))
		json_object_put(deviation);
}

json_object *pv_deviations_of(json_object *of_run, json_object *of_plan, const char *plan, const char *name)
{
	_autofree_ char *full = NULL;
	json_object *list = json_object_new_array();

	if (!list || asprintf(&full, "%s/%s", plan, name) < 0) {
		json_object_put(list);
		return NULL;
	}
	for (size_t i = 0; i < length(of_plan); i++)
		append(list, json_object_array_get_idx(of_plan, i));
	for (size_t i = 0; i < length(of_run); i++)
		if (is_for(json_object_array_get_idx(of_run, i), full))
			append(list, json_object_array_get_idx(of_run, i));
	if (json_object_array_length(list))
		return list;
	json_object_put(list);
	return NULL;
}

static bool is_set(json_object *deviation, const char *flag)
{
	return json_object_get_boolean(json_object_object_get(deviation, flag));
}

bool pv_deviations_kill(json_object *deviations)
{
	for (size_t i = 0; i < length(deviations); i++)
		if (is_set(json_object_array_get_idx(deviations, i), "kills_kernel"))
			return true;
	return false;
}

static bool matches(const char *pattern, const char *text)
{
	regex_t re;

	if (!*pattern)
		return true;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	bool found = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return found;
}

/* The first of the driver's that this failure belongs to; `message` NULL: that shows each time. */
static json_object *find(json_object *deviations, const char *driver, const char *message)
{
	for (size_t i = 0; i < length(deviations); i++) {
		json_object *d = json_object_array_get_idx(deviations, i);

		if (json_object_is_type(d, json_type_object) && !strcmp(pv_field_string(d, "driver"), driver) &&
		    (message ? matches(pv_field_string(d, "says"), message) : !is_set(d, "sometimes")))
			return d;
	}
	return NULL;
}

/* Its time is over: it is a failure again, and says what it was known as. */
static void expire(struct pv_outcome *out, const char *id, const char *date)
{
	char message[PV_MESSAGE_MAX];

	memcpy(message, out->message, sizeof(message));
	pv_outcome_set(out, PV_FAIL, "known-failure-expired", "the known failure %s expired on %s: %s", id, date,
		       message);
}

void pv_outcome_deviate(struct pv_outcome *out, json_object *deviations, const char *driver)
{
	bool bad = out->verdict == PV_FAIL || out->verdict == PV_ERROR;
	json_object *d = find(deviations, driver, bad ? out->message : NULL);

	/* A case that could not be judged is a known failure only where that is what is known: a guest that hangs. */
	if (!d || (out->verdict == PV_ERROR && !*pv_field_string(d, "says")))
		return;
	const char *id = pv_field_string(d, "id"), *reason = pv_field_string(d, "reason");
	const char *expired = pv_field_string(d, "expired");
	if (bad && *expired)
		expire(out, id, expired);
	else if (bad)
		pv_outcome_set(out, PV_SKIP, "known-failure", "known failure: %s%s%s%s", id, *reason ? " (" : "",
			       reason, *reason ? ")" : "");
	else if (out->verdict == PV_PASS)
		pv_outcome_set(out, PV_FAIL, "unexpected-pass",
			       "expected the known failure %s of driver %s, got a pass: the deviation is no more", id,
			       driver);
}
