/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs, files and modules of the far side. */
#include <errno.h>
#include <string.h>

#include "framework/far/client_internal.h"

/* ---- programs ---- */

static void get_output(struct pv_get *g, struct pv_shell_output *o)
{
	size_t n;
	const uint8_t *text = pv_get_bytes(g, &n);

	o->cut = pv_get_bool(g);
	g->bad |= n >= o->room;
	if (g->bad)
		return;
	memcpy(o->text, text, n);
	o->text[n] = '\0';
	o->len = n;
}

static uint32_t output_room(const struct pv_shell_output *o)
{
	return o->room < PV_FAR_OUTPUT_MAX ? (uint32_t)o->room : PV_FAR_OUTPUT_MAX;
}

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	struct pv_far_client *c = pv_far_of_shell(s);
	struct pv_put *p = pv_far_begin(c, PV_FAR_RUN);
	uint32_t n = 0;
	int failed, result = 0;

	while (argv[n])
		n++;
	pv_put_u32(p, n);
	for (uint32_t i = 0; i < n; i++)
		pv_put_string(p, argv[i]);
	pv_put_u32(p, timeout_ms);
	pv_put_u32(p, output_room(out));
	pv_put_u32(p, output_room(err));
	failed = pv_far_ask(c);
	if (!failed) {
		result = pv_get_i32(&c->answer);
		*status = pv_get_i32(&c->answer);
		get_output(&c->answer, out);
		get_output(&c->answer, err);
	}
	failed = pv_far_end(c, failed);
	return failed ? failed : result;
}

/* ---- files ---- */

/* Transfers the part of a file that fits into one message. */
static int64_t read_some(struct pv_far_client *c, const char *path, uint64_t offset, uint8_t *buf, size_t room)
{
	struct pv_put *p = pv_far_begin(c, PV_FAR_FILE_READ);
	const uint8_t *data;
	size_t n = 0;
	int err;

	pv_put_string(p, path);
	pv_put_u64(p, offset);
	pv_put_u32(p, room < PV_FAR_MESSAGE_MAX ? (uint32_t)room : PV_FAR_MESSAGE_MAX);
	err = pv_far_ask(c);
	if (!err) {
		data = pv_get_bytes(&c->answer, &n);
		c->answer.bad |= n > room;
		if (!c->answer.bad)
			memcpy(buf, data, n);
	}
	err = pv_far_end(c, err);
	return err ? err : (int64_t)n;
}

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	size_t at = 0;

	while (at < room) {
		int64_t n = read_some(pv_far_of_shell(s), path, offset + at, (uint8_t *)buf + at, room - at);

		if (n < 0)
			return n;
		if (!n)
			break;
		at += (size_t)n;
	}
	return (int64_t)at;
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	struct pv_far_client *c = pv_far_of_shell(s);
	struct pv_put *p = pv_far_begin(c, PV_FAR_FILE_WRITE);

	pv_put_string(p, path);
	pv_put_u8(p, create);
	pv_put_bytes(p, data, len);
	return pv_far_call(c);
}

/* ---- modules ---- */

static int module_load(struct pv_shell *s, const char *path, const char *parameters)
{
	struct pv_far_client *c = pv_far_of_shell(s);
	struct pv_put *p = pv_far_begin(c, PV_FAR_MODULE_LOAD);

	pv_put_string(p, path);
	pv_put_string(p, parameters);
	return pv_far_call(c);
}

static int module_unload(struct pv_shell *s, const char *name)
{
	struct pv_far_client *c = pv_far_of_shell(s);

	pv_put_string(pv_far_begin(c, PV_FAR_MODULE_UNLOAD), name);
	return pv_far_call(c);
}

const struct pv_shell_ops pv_far_shell_ops = {
	.run = run,
	.file_read = file_read,
	.file_write = file_write,
	.module_load = module_load,
	.module_unload = module_unload,
};
