/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order and repetition of the cases of a run. */
#include "framework/cli/order.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "framework/util/hint.h"

enum { ROUNDS_MAX = 1000, JOBS_MAX = 10000, REPEATED_MAX = 1000000 };

/* ---- a new order ---- */

/* splitmix64: the same on every machine. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Fisher and Yates. */
static void shuffle(struct pv_job *jobs, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = draw(state) % i;
		struct pv_job job = jobs[i - 1];

		jobs[i - 1] = jobs[k];
		jobs[k] = job;
	}
}

/* ---- how often ---- */

/* --until-failure is bounded even without --repeat: the list of cases is written before the first case. */
static size_t rounds(const struct pv_run_options *opt, size_t n)
{
	size_t most = n ? JOBS_MAX / n : 1;

	if (opt->repeat)
		return opt->repeat;
	if (!opt->until_failure)
		return 1;
	return most > ROUNDS_MAX ? ROUNDS_MAX : most > 2 ? most : 2;
}

struct pv_job *pv_cli_order_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n)
{
	size_t once = *n, times = rounds(opt, once);
	struct pv_job *out = calloc(once * times + 1, sizeof(*out));
	uint64_t state = opt->shuffle ? strtoull(opt->shuffle, NULL, 10) : 0;

	for (size_t r = 0; out && r < times; r++) {
		struct pv_job *round = &out[r * once];

		memcpy(round, jobs, once * sizeof(*jobs));
		for (size_t i = 0; i < once; i++)
			round[i].round = times > 1 ? (unsigned)r + 1 : 0;
		if (opt->shuffle)
			shuffle(round, once, &state);
	}
	*n = once * times;
	return out;
}

/* ---- the options ---- */

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Short enough to be typed. */
static const char *new_seed(char text[PV_SEED_TEXT])
{
	uint32_t seed = 1;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)getpid();
	snprintf(text, PV_SEED_TEXT, "%" PRIu32, seed);
	return text;
}

int pv_cli_order_check(struct pv_run_options *opt, char text[PV_SEED_TEXT], struct pv_error *e)
{
	if (opt->shuffle && !*opt->shuffle)
		opt->shuffle = new_seed(text);
	if (opt->shuffle && !is_number(opt->shuffle))
		return pv_error(e, -EINVAL, "--shuffle: expected a number as seed, got '%s'", PV_SHOW(opt->shuffle));
	return 0;
}

int pv_cli_order_fits(const struct pv_run_options *opt, size_t n, struct pv_error *e)
{
	if (!n || opt->repeat <= REPEATED_MAX / n)
		return 0;
	return pv_error(e, -EINVAL, "--repeat: expected at most %zu with %zu cases, got %u", REPEATED_MAX / n, n,
			opt->repeat);
}
