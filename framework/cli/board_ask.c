/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval-far --environment, here or at the other end of an ssh. */
#include "framework/cli/board_ask.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "framework/board/child.h"
#include "framework/target/environment.h"
#include "framework/util/cleanup.h"

#define GOODBYE_MS 10000

static json_object *parse(const char *text, struct pv_error *e)
{
	json_object *o = pv_environment_parse(text);

	if (!o)
		pv_error(e, -EIO, "pcieval-far --environment: expected lines \"name<TAB>value\", got none");
	return o;
}

json_object *pv_cli_ask_local(const char *program, const char *root, struct pv_error *e)
{
	const char *const words[] = {program, "--environment", root ? "--root" : NULL, root, NULL};
	_autofree_ char *text = calloc(1, PV_ENVIRONMENT_MAX);
	struct pv_child child;
	size_t n = 0;
	ssize_t got;
	int err = text ? pv_child_start(&child, words, PV_CHILD_OWN_GROUP, e) : pv_error(e, -ENOMEM, "no memory");

	if (err)
		return NULL;
	while ((got = read(child.out, text + n, PV_ENVIRONMENT_MAX - 1 - n)) > 0)
		n += (size_t)got;
	pv_child_end(&child, GOODBYE_MS);
	return parse(text, e);
}

json_object *pv_cli_ask_ssh(struct pv_ssh *ssh, const char *options, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f) {
		pv_error(e, -ENOMEM, "no memory");
		return NULL;
	}
	int err = pv_ssh_output(ssh, options, f, e);
	fclose(f);
	return err ? NULL : parse(text, e);
}
