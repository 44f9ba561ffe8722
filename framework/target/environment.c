/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that a machine reports about itself: parsed from lines of text, saved as JSON. */
#include "framework/target/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define FACTS_MAX  4096
#define TIMEOUT_MS 10000

json_object *pv_environment_parse(const char *text)
{
	json_object *o = json_object_new_object();

	for (size_t n; *text && json_object_object_length(o) < FACTS_MAX; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		const char *tab = memchr(text, '\t', n);

		if (!tab || tab == text)
			continue;
		_autofree_ char *name = strndup(text, (size_t)(tab - text));
		if (name)
			json_object_object_add(o, name,
					       json_object_new_string_len(tab + 1, (int)(text + n - (tab + 1))));
	}
	if (json_object_object_length(o))
		return o;
	json_object_put(o);
	return NULL;
}

/* The child of a far side executes its own program again, wherever that is. */
json_object *pv_environment_ask(struct pv_shell *shell, struct pv_error *e)
{
	static const char *const argv[] = {"/proc/self/exe", "--environment", NULL};
	_autofree_ char *text = malloc(PV_ENVIRONMENT_MAX);
	char said[256] = "";
	struct pv_shell_output out = {.text = text, .room = PV_ENVIRONMENT_MAX};
	struct pv_shell_output err = {.text = said, .room = sizeof(said)};
	int status = 0, failed = text ? shell->ops->run(shell, argv, TIMEOUT_MS, &status, &out, &err) : -ENOMEM;
	json_object *o = failed || status || out.cut ? NULL : pv_environment_parse(text);

	if (!failed && out.cut)
		pv_error(e, -EFBIG, "pcieval-far --environment: expected less than %zu bytes, got more", out.room);
	else if (!o)
		pv_error(e, failed ? failed : -EIO,
			 "pcieval-far --environment: expected lines, got %s, exit status %d: %s",
			 failed ? pv_errno_name(failed) : "none", WEXITSTATUS(status), said);
	return o;
}

int pv_environment_write(const char *path, json_object *environment, struct pv_error *e)
{
	const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = json_object_to_json_string_ext(environment, flags);

	return text ? pv_file_write(path, text, strlen(text), e) : pv_error(e, -ENOMEM, "%s: no memory", path);
}
