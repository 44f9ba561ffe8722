/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of known deviations: which a kernel has, and what is wrong with a file. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/deviations.h"

#define REST "\"reason\":\"r\",\"reference\":\"f\",\"says\":\"s\",\"cases\":[\"p/*\"]"

static char folder[] = "/tmp/pcieval-deviations-XXXXXX";

static void put_file(const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/driver.json", folder);
	FILE *f = fopen(path, "w");
	cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

static void setup(void)
{
	cr_assert(mkdtemp(folder));
}

static void teardown(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/driver.json", folder);
	unlink(path);
	rmdir(folder);
}

TestSuite(deviation_files, .init = setup, .fini = teardown);

/* Returns the number of deviations of a kernel, or -errno. */
static int known_of(const char *release, const char *kernel, struct pv_error *e)
{
	json_object *list = NULL;
	const struct pv_tested tested = {.driver = "kernel", .release = release, .kernel = kernel};
	int err = pv_deviations_read(folder, &tested, &list, e);
	int n = err ? err : (int)json_object_array_length(list);

	json_object_put(list);
	return n;
}

static int known(const char *release, struct pv_error *e)
{
	return known_of(release, "fast", e);
}

Test(deviation_files, by_version)
{
	struct pv_error e = {0};

	put_file("[{\"id\":\"a\"," REST "},{\"id\":\"b\",\"from\":\"6.12\"," REST
		 "},{\"id\":\"c\",\"until\":\"7.3\"," REST "},"
		 "{\"id\":\"d\",\"from\":\"6.13\",\"until\":\"7.0\"," REST "}]");
	cr_expect_eq(known("6.11.2", &e), 2, "a and c: %s", e.text);
	cr_expect_eq(known("6.12.117+deb12-arm64", &e), 3, "a, b and c");
	cr_expect_eq(known("6.13", &e), 4);
	cr_expect_eq(known("7.0.0-rc1", &e), 3, "a, b and c");
	cr_expect_eq(known("7.3.4", &e), 2, "a and b");
	cr_expect_eq(known("latest", &e), -EINVAL);
}

Test(deviation_files, by_kernel)
{
	struct pv_error e = {0};

	put_file("[{\"id\":\"a\"," REST "},{\"id\":\"b\",\"kernel\":\"debug\"," REST
		 "},{\"id\":\"c\",\"kernel\":\"debug\",\"until\":\"7.3\"," REST "}]");
	cr_expect_eq(known_of("6.12.117", "fast", &e), 1, "fast has a only: %s", e.text);
	cr_expect_eq(known_of("6.12.117", "debug", &e), 3, "all");
	cr_expect_eq(known_of("7.3.4", "debug:newest", &e), 2, "a and b");
	cr_expect_eq(known_of("7.3.4", "debug:newest+fixed", &e), 2, "a and b");
	cr_expect_eq(known_of("6.12.117", "debug+fixed", &e), 3, "all");
	cr_expect_eq(known_of("6.12.117", "debugger", &e), 1, "debugger has a only");
	cr_expect_eq(known_of("6.12.117", "deb", &e), 1, "deb has a only");
	cr_expect_eq(known_of("6.12.117", NULL, &e), 1, "an unknown kernel has a only");
}

Test(deviation_files, fixed_drivers_have_those_by_choice)
{
	struct pv_error e = {0};
	json_object *list = NULL;
	const struct pv_tested tested = {.driver = "kernel", .release = "6.12", .kernel = "fast+fixed", .fixed = true};

	put_file("[{\"id\":\"a\"," REST "},{\"id\":\"b\",\"choice\":\"perf: multiplexes\"," REST
		 "},{\"id\":\"c\",\"choice\":\"the driver's authors: c\",\"from\":\"7.3\"," REST "}]");
	cr_assert_eq(pv_deviations_read(folder, &tested, &list, &e), 0, "%s", e.text);
	cr_assert_eq(json_object_array_length(list), 1);
	json_object *only = json_object_array_get_idx(list, 0);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(only, "id")), "b");
	json_object_put(list);
	cr_expect_eq(known("6.12", &e), 2, "drivers as they are have a and b");
}

static int known_on(const char *target)
{
	struct pv_error e = {0};
	json_object *list = NULL;
	const struct pv_tested tested = {.target = target, .driver = "kernel", .release = "6.12.117"};

	cr_assert_eq(pv_deviations_read(folder, &tested, &list, &e), 0, "%s", e.text);
	int n = (int)json_object_array_length(list);
	json_object_put(list);
	return n;
}

Test(deviation_files, by_target)
{
	put_file("[{\"id\":\"a\"," REST "},{\"id\":\"b\",\"target\":\"ssh local\"," REST
		 "},{\"id\":\"c\",\"target\":\"qemu\"," REST "}]");
	cr_expect_eq(known_on("qemu"), 2, "a and c");
	cr_expect_eq(known_on("local"), 2, "a and b");
	cr_expect_eq(known_on("ssh:board7"), 2, "a and b");
	cr_expect_eq(known_on("loc"), 1, "a only");
	cr_expect_eq(known_on("ssh local"), 1, "a only");
	cr_expect_eq(known_on(NULL), 1, "a only");
}

Test(deviation_files, what_is_wrong_is_told)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"{}", "expected JSON of type array, got type object"},
		{"12", "expected JSON of type array, got type int"},
		{"nonsense", "a mistake at byte 1"},
		{"[][]", "got more behind it, at byte 2"},
		{"[{}]", "deviation 1: \"id\": expected a text, got nothing"},
		{"[{\"id\":\"\"," REST "}]", "\"id\": expected a text, got \"\""},
		{"[{\"id\":\"a\",\"reason\":\"r\",\"reference\":\"f\",\"cases\":[\"x\"]}]",
		 "\"says\": expected a text"},
		{"[{\"id\":\"a\",\"reason\":\"r\",\"reference\":\"f\",\"says\":\"(\",\"cases\":[\"x\"]}]",
		 "regular expression"},
		{"[{\"id\":\"a\",\"reason\":\"r\",\"reference\":\"f\",\"says\":\"s\",\"cases\":[]}]",
		 "\"cases\": expected patterns"},
		{"[{\"id\":\"a\",\"reason\":\"r\",\"reference\":\"f\",\"says\":\"s\",\"cases\":[1]}]",
		 "\"cases\": expected patterns"},
		{"[{\"id\":\"a\",\"kills_kernel\":1," REST "}]", "\"kills_kernel\": expected true or false, got 1"},
		{"[{\"id\":\"a\",\"sometimes\":\"often\"," REST "}]", "\"sometimes\": expected true or false, got"},
		{"[{\"id\":\"a\",\"from\":6.12," REST "}]", "\"from\": expected a version like \"6.12\""},
		{"[{\"id\":\"a\",\"choice\":true," REST "}]", "\"choice\": expected \"perf: WHY\""},
		{"[{\"id\":\"a\",\"choice\":\"perf: \"," REST "}]", "\"choice\": expected \"perf: WHY\""},
		{"[{\"id\":\"a\",\"choice\":\"somebody: does\"," REST "}]", "or another owner of"},
		{"[{\"id\":\"a\",\"kernel\":\"\"," REST "}]", "\"kernel\": expected a text, got \"\""},
		{"[{\"id\":\"a\",\"until\":\"x\"," REST "}]", "\"until\": expected a version like \"6.12\", got \"x\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pv_error e = {0};

		put_file(rows[i].text);
		cr_expect_eq(known("6.12", &e), -EINVAL, "%s", rows[i].text);
		cr_expect(strstr(e.text, rows[i].says), "%s: %s", rows[i].text, e.text);
		cr_expect(strstr(e.text, "driver.json"), "%s", e.text);
	}
}

Test(deviation_files, those_that_are_delivered)
{
	struct pv_error e = {0};
	json_object *list = NULL;

	const struct pv_tested tested = {.driver = "system", .release = "6.12"};

	cr_assert_eq(pv_deviations_read(DELIVERED, &tested, &list, &e), 0, "%s", e.text);
	cr_expect_gt(json_object_array_length(list), 0);
	json_object *first = json_object_array_get_idx(list, 0);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(first, "driver")), "system");
	json_object_put(list);
}

/* A board has its PMUs at other places than the plan, and so under other names. */
Test(deviation_files, what_is_delivered_names_no_pmu_of_a_plan)
{
	static const char *const names[] = {"dwc_rootport_80", "hisi_ptt0_", "hisi_ptt[01]_", "cxl_pmu_mem0",
					    "cxl_pmu_mem1"};
	const struct pv_tested tested = {.driver = "system", .release = "6.12"};
	struct pv_error e = {0};
	json_object *list = NULL;

	cr_assert_eq(pv_deviations_read(DELIVERED, &tested, &list, &e), 0, "%s", e.text);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *says =
			json_object_get_string(json_object_object_get(json_object_array_get_idx(list, i), "says"));

		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			cr_expect_null(strstr(says, names[k]), "%s", says);
	}
	json_object_put(list);
}

/* Drawn cases have no names of their own: only the message decides, and a pass says nothing. */
Test(deviation_files, those_of_drawn_cases_fit_any_case)
{
	struct pv_error e = {0};
	json_object *list = NULL;
	const struct pv_tested tested = {.driver = "kernel", .release = "6.12.117", .kernel = "fast"};

	cr_assert_eq(pv_deviations_read(DELIVERED "/explore", &tested, &list, &e), 0, "%s", e.text);
	size_t n = json_object_array_length(list);
	cr_assert_gt(n, 0);
	json_object *fit = pv_deviations_of(list, NULL, "explore", "case-7", NULL);
	cr_expect_eq(json_object_array_length(fit), n);
	struct pv_outcome pass = {.verdict = PV_PASS}, fail = {.verdict = PV_FAIL};
	pv_outcome_deviate(&pass, fit, "kernel");
	cr_expect_eq(pass.verdict, PV_PASS);
	snprintf(fail.message, sizeof(fail.message),
		 "p.xml:7: counter-open: opening counter c4 on cxl_pmu_mem0.0: "
		 "expected EINVAL, got success");
	pv_outcome_deviate(&fail, fit, "kernel");
	cr_expect_eq(fail.verdict, PV_SKIP);
	json_object_put(fit);
	json_object_put(list);
}

/* ---- the user's own ---- */

static json_object *own_of(const char *driver, const char *release)
{
	const struct pv_tested tested = {
		.target = "local", .driver = driver, .release = release, .today = "2026-11-22"};
	json_object *list = NULL;
	char path[128];
	struct pv_error e = {0};

	snprintf(path, sizeof(path), "%s/driver.json", folder);
	cr_assert_eq(pv_known_failures_read(path, &tested, &list, &e), 0, "%s", e.text);
	return list;
}

static void expect_own(const char *driver, const char *release, size_t n)
{
	json_object *list = own_of(driver, release);

	cr_expect_eq(json_object_array_length(list), n, "driver %s, kernel %s: got %s", driver, release,
		     json_object_to_json_string(list));
	json_object_put(list);
}

Test(deviation_files, the_users_own)
{
	put_file("[{\"id\":\"a\"," REST "},{\"id\":\"b\",\"driver\":\"system\"," REST
		 "},{\"id\":\"c\",\"from\":\"6.12\"," REST "},{\"id\":\"d\",\"target\":\"qemu\"," REST "}]");
	expect_own("system", "6.12", 3);
	expect_own("system", "6.11", 2);
	expect_own("system", NULL, 2);
	expect_own("reference", "6.12", 2);
}

Test(deviation_files, the_last_day_of_the_users_own)
{
	put_file("[{\"id\":\"a\",\"expires\":\"2026-11-22\"," REST "},{\"id\":\"b\",\"expires\":\"2026-11-21\"," REST
		 "}]");
	json_object *list = own_of("system", NULL), *b = json_object_array_get_idx(list, 1);

	cr_expect_null(json_object_object_get(json_object_array_get_idx(list, 0), "expired"));
	cr_expect_str_eq(json_object_get_string(json_object_object_get(b, "expired")), "2026-11-21");
	json_object_put(list);
}

Test(deviation_files, the_users_own_expire_in_a_run_that_goes_on_later)
{
	put_file("[{\"id\":\"a\",\"expires\":\"2026-11-22\"," REST "}]");
	json_object *list = own_of("system", NULL), *a = json_object_array_get_idx(list, 0);

	pv_deviations_hand_on(list, "2026-11-22");
	cr_expect_null(json_object_object_get(a, "expired"));
	pv_deviations_hand_on(list, "2026-11-23");
	cr_expect_str_eq(json_object_get_string(json_object_object_get(a, "expired")), "2026-11-22");
	json_object_put(list);
}

Test(deviation_files, the_users_own_are_not_handed_on_to_a_new_run)
{
	const struct pv_tested tested = {.driver = "system", .release = "6.12", .today = "2026-11-22"};
	json_object *list = NULL;
	char path[128];

	put_file("[{\"id\":\"a\"," REST "}]");
	snprintf(path, sizeof(path), "%s/driver.json", folder);
	cr_assert_eq(pv_known_failures_read(path, &tested, &list, NULL), 0);
	cr_assert_eq(pv_deviations_read(folder, &tested, &list, NULL), 0);
	cr_assert_eq(pv_known_failures_read(path, &tested, &list, NULL), 0);
	pv_deviations_hand_on(list, NULL);
	cr_assert_eq(json_object_array_length(list), 1, "what is delivered stays");
	cr_expect_null(json_object_object_get(json_object_array_get_idx(list, 0), "own"));
	json_object_put(list);
	pv_deviations_hand_on(NULL, NULL);
}

Test(deviation_files, the_users_own_are_added_to_those_that_are_delivered)
{
	const struct pv_tested tested = {.driver = "system", .release = "6.12", .today = "2026-11-22"};
	json_object *list = NULL;
	char path[128];
	struct pv_error e = {0};

	put_file("[{\"id\":\"a\"," REST "}]");
	snprintf(path, sizeof(path), "%s/driver.json", folder);
	cr_assert_eq(pv_deviations_read(folder, &tested, &list, &e), 0, "%s", e.text);
	cr_assert_eq(pv_known_failures_read(path, &tested, &list, &e), 0, "%s", e.text);
	cr_expect_eq(json_object_array_length(list), 2);
	put_file("[{\"id\":\"a\",\"expires\":\"soon\"," REST "}]");
	cr_expect_eq(pv_known_failures_read(path, &tested, &list, &e), -EINVAL);
	cr_expect(strstr(e.text, "\"expires\": expected a date"), "%s", e.text);
	json_object_put(list);
}
