/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what a machine says of itself from a child process. */
#include "framework/cli/board_ask.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/child.h"
#include "framework/target/environment.h"
#include "framework/util/cleanup.h"
#include "framework/util/clock.h"
#include "framework/util/json.h"
#include "framework/util/spawn.h"

#define PATIENCE_MS 10000
#define GOODBYE_MS  2000

/* False: it says more than anybody has to say, or does not come to an end. `text` is full of zeros. */
static bool read_all(int fd, char *text)
{
	int64_t end = pv_now_ms() + PATIENCE_MS, left;

	for (size_t n = 0; n < PV_ENVIRONMENT_MAX - 1 && (left = end - pv_now_ms()) > 0;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		ssize_t got = read(fd, text + n, PV_ENVIRONMENT_MAX - 1 - n);
		if (got <= 0)
			return !got;
		n += (size_t)got;
	}
	return false;
}

static json_object *complain(const char *why)
{
	json_object *o = json_object_new_object();

	pv_json_string(o, "not readable", why);
	return o;
}

json_object *pv_cli_ask(const char *const *command)
{
	_autofree_ char *text = calloc(1, PV_ENVIRONMENT_MAX);
	char ended[64], why[128];
	struct pv_child child;
	struct pv_error e;

	if (!text)
		return NULL;
	if (pv_child_start(&child, command, PV_CHILD_OWN_GROUP, -1, &e))
		return complain(e.text);
	/* It reads nothing; one that does comes to its end. */
	close(child.in);
	child.in = -1;
	bool whole = read_all(child.out, text);
	pv_spawn_status(pv_child_end(&child, whole ? GOODBYE_MS : 0), ended, sizeof(ended));
	json_object *o = whole ? pv_environment_parse(text) : NULL;
	snprintf(why, sizeof(why), "all: pcieval-far --environment said nothing of use: %s", ended);
	return o ? o : complain(why);
}
