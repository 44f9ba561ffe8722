/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session. Workers draw cases, each every nth, and the session takes them in their order: what is found does not
 * depend on how many workers there are.
 */
#include "framework/explore/session.h"

#include <errno.h>
#include <string.h>

#include "framework/explore/element.h"
#include "framework/explore/keep.h"
#include "framework/explore/shrink.h"
#include "framework/explore/workers.h"
#include "framework/util/clock.h"

enum { PROGRESS_MS = 500, KEEP_TRIES = 12 };

struct state {
	struct pv_explore_session *s;
	struct pv_explore_workers *workers;
	struct pv_relay *relay; /* NULL: without feedback */
	int64_t begun_ms, told_ms;
	struct pv_error *e;
	json_object **batch; /* cases to be run elsewhere */
	uint64_t *index;     /* their case numbers */
	size_t n_batch;
};

static bool is_over(void *ctx)
{
	const struct state *t = ctx;
	const struct pv_explore_session *s = t->s;
	double seconds = (double)(pv_now_ms() - t->begun_ms) / 1000;

	return s->interrupted || (s->stop && *s->stop) || (s->seconds > 0 && seconds >= s->seconds);
}

static bool is_enough(const struct state *t)
{
	const struct pv_explore_session *s = t->s;

	return (s->cases && s->done >= s->cases + s->corpus.given) ||
	       (s->findings_max && s->n_findings >= s->findings_max);
}

static void tell(struct state *t)
{
	int64_t now = pv_now_ms();

	t->s->elapsed = (double)(now - t->begun_ms) / 1000;
	if (t->s->progress && now - t->told_ms >= PROGRESS_MS) {
		t->told_ms = now;
		t->s->progress(t->s->ctx, t->s);
	}
}

/* ---- findings ---- */

static struct pv_explore_finding *known(struct pv_explore_session *s, const char *signature)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (!strcmp(s->findings[i].signature, signature))
			return &s->findings[i];
	return NULL;
}

/* Shrinking ends when the time of the session is up. */
static int make_small(struct state *t, struct pv_explore_finding *f)
{
	struct pv_explore_shrinking shrinking = {.tried = t->s->tried, .stop = is_over, .stop_ctx = t, .v = f->v};

	int err = pv_explore_shrink(&f->c, &shrinking, t->e);
	f->v = shrinking.v;
	return err;
}

/* Takes over the case. */
static int add_finding(struct state *t, json_object *c, uint64_t index, const struct pv_explore_verdict *v)
{
	struct pv_explore_session *s = t->s;
	char signature[PV_SIGNATURE_SIZE];
	struct pv_explore_finding *f = known(s, pv_explore_signature(v, signature));

	if (f) {
		f->times++;
		json_object_put(c);
		return 0;
	}
	f = realloc(s->findings, (s->n_findings + 1) * sizeof(*f));
	if (!f) {
		json_object_put(c);
		return pv_error(t->e, -ENOMEM, "no memory");
	}
	s->findings = f;
	f += s->n_findings++;
	*f = (struct pv_explore_finding){.c = c, .index = index, .times = 1, .v = *v};
	memcpy(f->signature, signature, sizeof(signature));
	f->steps = json_object_array_length(json_object_object_get(c, "steps"));
	int err = s->shrink ? make_small(t, f) : 0;
	if (s->found)
		s->found(s->ctx, s, f);
	return err;
}

/* ---- feedback ---- */

/*
 * Takes the states that a case reached, also of one that failed: its worker does not report them again. Keeps a case
 * that passed if some are new. The caller still has to put it.
 */
static int learn_from(struct state *t, json_object *c, uint64_t index, bool passed)
{
	json_object *reached = json_object_object_get(c, "reached");
	json_object *fresh = reached ? pv_states_take(&t->s->states, reached, NULL) : NULL;
	struct pv_corpus *k = &t->s->corpus;
	bool keep = passed && !json_object_object_get(c, "spoiled");

	json_object_object_del(c, "reached");
	json_object_object_del(c, "spoiled");
	if (!keep)
		fresh = pv_json_put(fresh);
	if (!fresh || index < k->given) {
		if (fresh)
			k->entry[index].states = fresh;
		return 0;
	}
	int err = pv_corpus_add(k, json_object_get(c), index, fresh);
	if (!err)
		pv_relay_put(t->relay, &k->entry[k->n - 1]);
	return err ? pv_error(t->e, err, "no memory") : 0;
}

static int keep_corpus(struct pv_explore_session *s, struct pv_error *e)
{
	const struct pv_keeping keeping = {.tries = s->shrink && !s->interrupted ? KEEP_TRIES : 0,
					   .stop = s->stop,
					   .keep = s->keep,
					   .ctx = s->ctx};

	return pv_explore_keep(&s->corpus, &keeping, e);
}

/* ---- cases for another target ---- */

static void count_skipped(struct pv_explore_session *s, const struct pv_explore_verdict *v)
{
	bool known = !strcmp(v->type, "known-failure");

	s->known += v->skipped && known;
	s->skipped += v->skipped && !known;
	if (v->skipped && !known && !*s->skip)
		snprintf(s->skip, sizeof(s->skip), "%s", v->message);
}

/* Takes over the case. */
static int take_verdict(struct state *t, json_object *c, uint64_t index, const struct pv_explore_verdict *v)
{
	bool ran = strcmp(v->type, "not-run") != 0;
	int err = t->relay ? learn_from(t, c, index, ran && !v->bad) : 0;

	t->s->done += ran;
	count_skipped(t->s, v);
	if (!err && v->bad)
		return add_finding(t, c, index, v);
	json_object_put(c);
	return err;
}

static int run_batch(struct state *t)
{
	struct pv_explore_verdict *v = calloc(t->n_batch, sizeof(*v));
	int ran = v ? t->s->tried.run(t->s->tried.ctx, t->batch, t->n_batch, v, t->e)
		    : pv_error(t->e, -ENOMEM, "no memory");
	int err = ran == -EINTR ? 0 : ran;

	t->s->interrupted = ran == -EINTR;
	for (size_t i = 0; i < t->n_batch; i++) {
		if (!err)
			err = take_verdict(t, t->batch[i], t->index[i], &v[i]);
		else
			json_object_put(t->batch[i]);
	}
	t->n_batch = 0;
	free(v);
	return err;
}

/* Takes over the case. */
static int add_to_batch(struct state *t, struct pv_explore_drawn *d)
{
	t->batch[t->n_batch] = d->c;
	t->index[t->n_batch++] = d->index;
	bool last = t->s->cases && t->s->done + t->n_batch >= t->s->cases + t->s->corpus.given;
	return t->n_batch == t->s->batch || last ? run_batch(t) : 0;
}

/* ---- all cases ---- */

static int take(struct state *t, struct pv_explore_drawn *d)
{
	struct pv_explore_session *s = t->s;

	s->steps += d->steps;
	if (s->tried.run && !d->v.bad && d->c)
		return add_to_batch(t, d);
	s->done++;
	if (d->v.bad && !s->tried.run)
		return add_finding(t, d->c, d->index, &d->v);
	/* A case that ends the reference driver shows nothing of the driver under test. */
	d->v.skipped = d->v.bad;
	count_skipped(s, &d->v);
	json_object_put(d->c);
	return 0;
}

static int end_generation(struct state *t, uint64_t next)
{
	int err = t->n_batch ? run_batch(t) : 0;

	pv_relay_advance(t->relay, next);
	return err;
}

static int take_and_learn(struct state *t, struct pv_explore_drawn *d)
{
	uint64_t next = d->index + 1;
	int err = t->relay && d->c && !t->s->tried.run ? learn_from(t, d->c, d->index, !d->v.bad) : 0;

	if (!err)
		err = take(t, d);
	else
		json_object_put(d->c);
	return !err && t->relay && !(next % PV_CORPUS_GENERATION) ? end_generation(t, next) : err;
}

static int explore(struct state *t)
{
	int err = 0;

	while (!err && !is_over(t) && !is_enough(t)) {
		struct pv_explore_drawn d;
		int got = pv_explore_workers_next(t->workers, PROGRESS_MS, &d, t->e);

		err = got < 0 ? got : got ? take_and_learn(t, &d) : 0;
		tell(t);
	}
	return err;
}

int pv_explore_run(struct pv_explore_session *s, struct pv_error *e)
{
	struct state t = {.s = s, .e = e, .begun_ms = pv_now_ms()};

	s->batch = s->batch ? s->batch : 1;
	t.batch = calloc(s->batch, sizeof(*t.batch));
	t.index = calloc(s->batch, sizeof(*t.index));
	t.relay = s->wish.corpus ? pv_relay_new() : NULL;
	t.workers = pv_explore_workers_start(&s->wish, &s->tried, t.relay, s->workers ? s->workers : 1);
	bool ready = t.batch && t.index && t.workers && (t.relay || !s->wish.corpus);
	int err = ready ? explore(&t) : pv_error(e, -ENOMEM, "no memory");
	if (!err && t.n_batch && !(s->stop && *s->stop))
		err = run_batch(&t);
	for (size_t i = 0; i < t.n_batch; i++)
		json_object_put(t.batch[i]);
	pv_explore_workers_end(t.workers);
	pv_relay_free(t.relay);
	s->elapsed = (double)(pv_now_ms() - t.begun_ms) / 1000;
	if (!err && s->keep)
		err = keep_corpus(s, e);
	free(t.batch);
	free(t.index);
	return err;
}

void pv_explore_free(struct pv_explore_session *s)
{
	for (size_t i = 0; i < s->n_findings; i++)
		json_object_put(s->findings[i].c);
	free(s->findings);
	pv_corpus_free(&s->corpus);
	pv_states_free(&s->states);
}
