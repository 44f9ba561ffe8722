/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of a corpus as files: their names are hashes, so that folders can be put together. */
#include "framework/cli/explore_corpus.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/util/hash.h"
#include "framework/util/json.h"

enum { NAMES_MAX = 3 };

int pv_cli_explore_load(const struct pv_cli_explore *o, struct pv_explore_session *s, struct pv_error *e)
{
	int err = 0;

	for (size_t i = 0; !err && o->corpus && o->corpus[i]; i++)
		err = pv_corpus_load(&s->corpus, o->corpus[i], i > 0, e);
	s->wish.corpus = o->corpus && *o->corpus ? &s->corpus : NULL;
	return err;
}

/* Names some of the states for which the case is kept. */
static void describe(json_object *c, json_object *states)
{
	char text[512];
	size_t len = (size_t)snprintf(text, sizeof(text), "Reaches "), n = 0;

	json_object_object_foreach(states, name, hash)
	{
		(void)hash;
		if (n++ < NAMES_MAX && len < sizeof(text) / 2)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.80s", n > 1 ? "; " : "", name);
	}
	snprintf(text + len, sizeof(text) - len, ": %zu state%s that no other case reached.", n, n == 1 ? "" : "s");
	pv_json_string(c, "description", text);
}

static uint64_t hash_of(json_object *c)
{
	const char *topology = json_object_to_json_string(json_object_object_get(c, "topology"));
	uint64_t hash = pv_hash_text(topology);

	return hash ^ pv_hash_text(json_object_to_json_string(json_object_object_get(c, "steps")));
}

int pv_cli_explore_keep(void *findings, json_object *c, json_object *states, struct pv_error *e)
{
	struct pv_cli_findings *f = findings;
	const char *folder = f->o->corpus[0];
	char name[32], path[4096];

	if (mkdir(folder, 0777) && errno != EEXIST)
		return pv_error(e, -errno, "--corpus: %s: %s", folder, strerror(errno));
	snprintf(name, sizeof(name), "reach-%016" PRIx64, hash_of(c));
	snprintf(path, sizeof(path), "%s/%s.xml", folder, name);
	describe(c, states);
	pv_json_string(c, "name", "case");
	int err = pv_cli_explore_write(path, name, c, e);
	f->kept += !err;
	return err;
}
