/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of known failures, after a line with the message of a failure. An entry that is taken is whole,
 * and changes a verdict only if a plain search finds its case and its words.
 */
#include <regex.h>

#include "framework/run/deviations.h"
#include "framework/run/protocol.h"
#include "framework/util/fuzz/folder.h"
#include "framework/util/glob.h"
#include "framework/util/json.h"

static const struct pv_tested tested = {
	.target = "qemu", .driver = "kernel", .release = "6.12.90", .kernel = "fast", .today = "2026-11-27"};

static json_object *read_file(const char *path)
{
	struct pv_error e = {0};
	json_object *list = NULL;
	int err = pv_known_failures_read(path, &tested, &list, &e);

	fuzz_check(list && err == e.code && !err == !*e.text);
	fuzz_check(!err || (strstr(e.text, path) && !strchr(e.text, '\n')));
	if (!err)
		return list;
	json_object_put(list);
	return NULL;
}

static bool is_for(json_object *entry, const char *name)
{
	json_object *cases = json_object_object_get(entry, "cases");
	bool found = false;

	fuzz_check(json_object_array_length(cases));
	for (size_t i = 0; i < json_object_array_length(cases); i++)
		found |= pv_glob_matches(json_object_get_string(json_object_array_get_idx(cases, i)), name);
	return found;
}

static bool says(json_object *entry, const char *message)
{
	regex_t re;

	fuzz_check(!regcomp(&re, pv_json_text(entry, "says"), REG_EXTENDED | REG_NOSUB));
	bool found = !regexec(&re, message, 0, NULL, 0);
	regfree(&re);
	return found;
}

/* Judges a case of a verdict with all entries of a list, which may be NULL. */
static struct pv_outcome deviate(json_object *list, enum pv_verdict verdict, const char *message)
{
	struct pv_outcome out = {0};

	pv_outcome_set(&out, verdict, verdict == PV_PASS ? "" : "check", "%s", message);
	pv_outcome_deviate(&out, list, tested.driver);
	return out;
}

static void check_verdicts(json_object *list, const char *message)
{
	struct pv_outcome as_is = deviate(NULL, PV_FAIL, message), other = deviate(list, PV_FAIL, message);
	json_object *first = NULL;
	bool always = false; /* one of them shows always */

	for (size_t i = 0; i < (list ? json_object_array_length(list) : 0); i++) {
		json_object *entry = json_object_array_get_idx(list, i);

		fuzz_check(*pv_json_text(entry, "id") && *pv_json_text(entry, "reason"));
		first = !first && says(entry, as_is.message) ? entry : first;
		always |= !json_object_get_boolean(json_object_object_get(entry, "sometimes"));
	}
	bool expired = first && *pv_json_text(first, "expired");
	fuzz_check((other.verdict == PV_SKIP) == (first && !expired));
	fuzz_check(!strcmp(other.type, expired ? "known-failure-expired" : first ? "known-failure" : "check"));
	fuzz_check(first || !strcmp(other.message, as_is.message));
	fuzz_check((deviate(list, PV_PASS, "").verdict == PV_FAIL) == always);
	fuzz_check(!strcmp(deviate(list, PV_SKIP, message).type, "check"));
}

static void check_list(json_object *list, const char *message)
{
	json_object *here = pv_deviations_of(list, NULL, "plan", "case[n=1]@rp=00:01.0", NULL);
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (is_for(json_object_array_get_idx(list, i), "plan/case[n=1]"))
			fuzz_check(json_object_array_get_idx(here, n++) == json_object_array_get_idx(list, i));
	fuzz_check(n == (here ? json_object_array_length(here) : 0));
	check_verdicts(here, message);
	json_object_put(here);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	size_t n;
	const uint8_t *line = fuzz_line(&data, &size, &n);
	char *message = fuzz_text(line, n < PV_MESSAGE_MAX / 2 ? n : PV_MESSAGE_MAX / 2);

	fuzz_folder_put("known.json", data, size);
	json_object *list = read_file(fuzz_folder_file("known.json", path)), *again = read_file(path);
	fuzz_check(json_object_equal(list, again));
	if (list)
		check_list(list, message);
	json_object_put(list);
	json_object_put(again);
	free(message);
	return 0;
}
