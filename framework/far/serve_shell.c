/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers of programs, files and modules. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/server_internal.h"
#include "framework/util/cleanup.h"

#define SHELL (s->t.shell)

/* ---- programs ---- */

/* Arguments, copied one behind the other. */
struct args {
	const char *argv[PV_SHELL_ARGS_MAX + 1];
	char text[PV_FAR_TEXT_MAX];
};

static void get_args(struct pv_get *g, struct args *a)
{
	uint32_t n = pv_get_u32(g);
	char *at = a->text, *end = a->text + sizeof(a->text);

	g->bad |= !n || n > PV_SHELL_ARGS_MAX;
	for (uint32_t i = 0; i < n && !g->bad; i++) {
		if (at == end) {
			g->bad = true;
			return;
		}
		pv_get_string(g, at, (size_t)(end - at));
		a->argv[i] = at;
		at += strlen(at) + 1;
	}
}

/* Limits both outputs to the room left in the answer: the rest is discarded, as if the caller had no room for it. */
static void fit(struct pv_shell_output *out, struct pv_shell_output *err, size_t left)
{
	size_t half = left / 2 - 32;

	if (out->room + err->room + 64 <= left)
		return;
	out->room = out->room < half ? out->room : half;
	err->room = err->room < half ? err->room : half;
}

static void put_output(struct pv_put *p, const struct pv_shell_output *o)
{
	pv_put_bytes(p, o->text, o->len);
	pv_put_u8(p, o->cut);
}

/* Returns the program's output even if it was killed. */
static int run(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct args a = {0};
	struct pv_shell_output out = {0}, err = {0};
	uint32_t timeout_ms;
	int status = 0, result;

	get_args(g, &a);
	timeout_ms = pv_get_u32(g);
	out.room = pv_get_u32(g);
	err.room = pv_get_u32(g);
	if (!pv_get_done(g) || !out.room || !err.room || out.room > PV_FAR_OUTPUT_MAX || err.room > PV_FAR_OUTPUT_MAX)
		return -EBADMSG;
	fit(&out, &err, p->room - p->len);
	_autofree_ char *out_text = calloc(1, out.room), *err_text = calloc(1, err.room);

	out.text = out_text;
	err.text = err_text;
	if (!out_text || !err_text)
		return -ENOMEM;
	result = SHELL->ops->run(SHELL, a.argv, timeout_ms, &status, &out, &err);
	pv_put_i32(p, result);
	pv_put_i32(p, status);
	put_output(p, &out);
	put_output(p, &err);
	return 0;
}

/* ---- files ---- */

static int file_read(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char path[PV_FAR_PATH_MAX];
	uint64_t offset;
	size_t room;
	int64_t n;

	pv_get_string(g, path, sizeof(path));
	offset = pv_get_u64(g);
	room = pv_get_u32(g);
	if (!pv_get_done(g))
		return -EBADMSG;
	if (room > p->room - p->len - 4)
		room = p->room - p->len - 4;
	/* Reads directly into the answer. */
	n = SHELL->ops->file_read(SHELL, path, offset, p->at + p->len + 4, room);
	if (n < 0)
		return (int)n;
	pv_put_u32(p, (uint32_t)n);
	p->len += (size_t)n;
	return 0;
}

static int file_write(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char path[PV_FAR_PATH_MAX];
	const uint8_t *data;
	bool create;
	size_t n;

	pv_get_string(g, path, sizeof(path));
	create = pv_get_bool(g);
	data = pv_get_bytes(g, &n);
	return pv_get_done(g) ? SHELL->ops->file_write(SHELL, path, data, n, create) : -EBADMSG;
}

/* ---- modules ---- */

static int module_load(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char path[PV_FAR_PATH_MAX], parameters[PV_FAR_PATH_MAX];

	pv_get_string(g, path, sizeof(path));
	pv_get_string(g, parameters, sizeof(parameters));
	return pv_get_done(g) ? SHELL->ops->module_load(SHELL, path, parameters) : -EBADMSG;
}

static int module_unload(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char name[PV_FAR_NAME_MAX];

	pv_get_string(g, name, sizeof(name));
	return pv_get_done(g) ? SHELL->ops->module_unload(SHELL, name) : -EBADMSG;
}

const pv_far_handler pv_far_shell_handlers[PV_FAR_OPS] = {
	[PV_FAR_RUN] = run,
	[PV_FAR_FILE_READ] = file_read,
	[PV_FAR_FILE_WRITE] = file_write,
	[PV_FAR_MODULE_LOAD] = module_load,
	[PV_FAR_MODULE_UNLOAD] = module_unload,
};
