/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the firmware's sizes from JSON or from a dump. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"
#include "framework/mps/json.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

enum { FILE_MAX = 64 << 20 };

/* Reads a size in bytes; 0: it is null, or not there. */
static int read_size(const json_object *o, const char *key, int *bytes, struct pv_error *e)
{
	json_object *value = json_object_object_get(o, key);

	*bytes = json_object_is_type(value, json_type_int) ? json_object_get_int(value) : 0;
	if (!value || (*bytes >= 128 && *bytes <= 16384 && !(*bytes & (*bytes - 1))))
		return 0;
	return pv_error(e, -EINVAL, "%s: expected null or a power of two from 128 to 16384, got %.40s", key,
			json_object_to_json_string(value));
}

static bool has(const struct pv_initial *list, size_t n, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].func == f)
			return true;
	return false;
}

static int from_json(const struct pv_pci_machine *m, const char *path, json_object *all, struct pv_initial *out,
		     size_t *n, struct pv_error *e)
{
	if (!json_object_is_type(all, json_type_array))
		return pv_error(e, -EINVAL, "%s: expected an array of objects as 'pcieval mps show --json' prints it",
				path);
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *o = json_object_array_get_idx(all, i);
		const char *bdf = json_object_is_type(o, json_type_object)
					  ? json_object_get_string(json_object_object_get(o, "bdf"))
					  : NULL;
		const struct pv_pci_func *f = bdf ? pv_pci_find_name(m, bdf) : NULL;

		if (!bdf)
			return pv_error(e, -EINVAL, "%s: element %zu has no bdf", path, i);
		if (f && has(out, *n, f))
			return pv_error(e, -EINVAL, "%s: element %zu: %s is there twice", path, i, f->name);
		struct pv_initial one = {.func = f};
		if (read_size(o, "mps", &one.mps, e) || read_size(o, "mrrs", &one.mrrs, e))
			return pv_error_context(e, "%s: element %zu: %s: ", path, i, bdf);
		if (f && pv_has_sizes(f) && (one.mps || one.mrrs))
			out[(*n)++] = one;
	}
	return 0;
}

static int from_dump(const struct pv_pci_machine *m, const char *path, struct pv_initial *out, size_t *n,
		     struct pv_error *e)
{
	struct pv_pci_machine *was = pv_pci_machine_open(PV_PCI_DUMP, path, e);

	if (!was)
		return e->code;
	for (size_t i = 0; i < was->n && *n < m->n; i++) {
		const struct pv_pci_func *f = &was->funcs[i], *now = pv_pci_find_name(m, f->name);

		if (now && pv_has_sizes(now) && pv_has_sizes(f))
			out[(*n)++] = (struct pv_initial){now, pv_mps_of(f), pv_mrrs_of(f)};
	}
	pv_pci_machine_free(was);
	return 0;
}

int pv_initial_read(const struct pv_pci_machine *m, const char *path, struct pv_initial **out, size_t *n,
		    struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t len;
	int err = pv_file_read(path, FILE_MAX, &text, &len, e);
	json_object *all;

	*n = 0;
	*out = err ? NULL : calloc(m->n + 1, sizeof(**out));
	if (err || !*out)
		return err ? err : pv_error(e, -ENOMEM, "%s: no memory", path);
	if (text[strspn(text, " \t\r\n")] == '[') {
		all = pv_json_parse(text, len, e);
		err = all ? from_json(m, path, all, *out, n, e) : pv_error_context(e, "%s: ", path);
		json_object_put(all);
	} else {
		err = from_dump(m, path, *out, n, e);
	}
	if (!err && !*n)
		err = pv_error(e, -EINVAL,
			       "%s: expected MPS and MRRS of functions of this machine, got none; take it on the same "
			       "machine, as root",
			       path);
	return err;
}
