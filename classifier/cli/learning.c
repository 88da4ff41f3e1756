#include "cli/learning.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "cli/period.h"
#include "diagnose/job_record.h"
#include "jobs/again.h"
#include "reports/baseline/learn.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LINES_MOST 2000000                   /* of a log that are read */
#define FRESH (INT64_C(20) * 3600 * 1000000) /* learned this night */
#define NAMES (4 * BASELINE_ALL_RUNS)        /* a power of two */

/* A good run. */
struct good {
	struct baseline_run run;
	const char **paths;
	size_t n_paths;
};

struct learning {
	const struct settings *s;
	const struct session *x;
	const struct baseline *known;
	bool all;
	struct arena *arena;
	struct good *v;
	size_t n, cap;
	struct {
		uint64_t who; /* 0: free */
		size_t n;     /* runs of theirs to learn from */
	} names[NAMES];
	struct learn *learn;
};

struct learning *learning_new(const struct settings *s, const struct session *x,
    const struct baseline *known, bool all, struct err *e)
{
	struct learning *l = calloc(1, sizeof *l);

	if (l) {
		*l = (struct learning){ .s = s,
			.x = x,
			.known = known,
			.all = all,
			.arena = arena_new(),
			.learn = learn_new() };
		if (l->arena && l->learn)
			return l;
	}
	learning_free(l);
	err_nomem(e);
	return NULL;
}

void learning_free(struct learning *l)
{
	if (!l)
		return;
	learn_free(l->learn);
	arena_free(l->arena);
	free(l->v);
	free(l);
}

/* ---- which ---- */

/* Runs of theirs to learn from so far. */
static size_t *count_of(struct learning *l, const struct baseline_whose *w)
{
	const struct hash_value parts[] = { hash_of(
						w->cluster, strlen(w->cluster)),
		hash_of(w->owner, strlen(w->owner)),
		hash_of(w->name, strlen(w->name)) };
	uint64_t who = hash_of(parts, sizeof parts).low | 1;
	size_t i = (size_t)(who >> 1) & (NAMES - 1);

	while (l->names[i].who && l->names[i].who != who)
		i = (i + 1) & (NAMES - 1);
	l->names[i].who = who;
	return &l->names[i].n;
}

/* How many runs of theirs are learned from at most. */
static size_t wanted(const struct learning *l, const struct baseline_whose *w)
{
	int64_t newest;
	size_t n = baseline_runs(l->known, w, &newest);

	if (l->all)
		return BASELINE_RUNS;
	if (n < BASELINE_RUNS)
		return BASELINE_RUNS - n;
	return period_now() - newest >= FRESH;
}

/* A log that can be read again. */
static bool readable(const struct findings *f)
{
	struct stat st;

	return !f->of_record && !f->of_node && !f->no_text &&
	    stat(f->path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *keep(struct learning *l, const char *s)
{
	return arena_string(l->arena, span_of(s));
}

/* -1: out of memory. */
static int add(struct learning *l, const struct diagnosis *d,
    const struct baseline_whose *w)
{
	struct good g = {
		.run = { .whose = { keep(l, w->cluster), keep(l, w->owner),
			     keep(l, w->name) },
		    .job = keep(l, d->job),
		    .attempt = d->attempt },
		.paths =
		    arena_memory(l->arena, (d->n_logs + 1) * sizeof *g.paths),
	};
	const char *account = d->record ? d->record->group : NULL;

	g.run.account = keep(l, account);
	if (!g.run.whose.cluster || !g.run.whose.owner || !g.run.whose.name ||
	    !g.run.job || !g.paths || (account && !g.run.account))
		return -1;
	for (size_t i = 0; i < d->n_logs; i++) {
		if (!readable(d->logs[i]))
			continue;
		g.paths[g.n_paths] = keep(l, d->logs[i]->path);
		if (!g.paths[g.n_paths++])
			return -1;
	}
	if (!g.n_paths)
		return 0;
	if (array_grow(&l->v, l->n, &l->cap, sizeof *l->v))
		return -1;
	l->v[l->n++] = g;
	return 0;
}

int learning_add(struct learning *l, const struct diagnosis *d, struct err *e)
{
	struct buf name = BUF_INIT(BUF_MAX);
	struct baseline_whose w;
	size_t *n;
	int rc = 0;

	if (d->failed != 0 || (!l->all && d->ending != ENDING_PROVEN) ||
	    l->n >= BASELINE_ALL_RUNS)
		return 0;
	if (baseline_whose(d, &name, &w)) {
		rc = -1;
	} else {
		n = count_of(l, &w);
		if (*n < wanted(l, &w)) {
			rc = add(l, d, &w);
			++*n;
		}
	}
	buf_release(&name);
	return rc ? err_nomem(e) : 0;
}

/* ---- learning ---- */

static int on_line(void *ctx, const struct envelope *env, uint64_t number)
{
	struct learning *l = ctx;

	(void)number;
	return learn_line(l->learn, env->text);
}

static bool on_seen(void *ctx, struct span raw)
{
	struct learning *l = ctx;

	return learn_seen(l->learn, raw);
}

int learning_run(struct learning *l, struct store *st,
    struct learning_done *done, struct err *e)
{
	const struct again again = { .taxonomy = l->x->taxonomy,
		.limits = &l->s->limits,
		.redact = l->x->redactor,
		.only = true,
		.given = (const char *const *)l->s->arguments.v,
		.n_given = l->s->arguments.n,
		.follow = l->s->links,
		.ctx = l,
		.most = LINES_MOST,
		.seen = on_seen,
		.line = on_line };
	int64_t now = period_now();

	*done = (struct learning_done){ 0, 0 };
	for (size_t i = 0; i < l->n; i++) {
		struct good *g = &l->v[i];

		learn_begin(l->learn);
		for (size_t k = 0; k < g->n_paths; k++)
			if (again_read(&again, g->paths[k], e))
				return -1;
		g->run.templates = learn_templates(l->learn, &g->run.lines);
		g->run.at = now + (int64_t)i; /* in their order */
		if (!g->run.lines)
			continue;
		if (baseline_put(st, &g->run, e))
			return -1;
		done->runs++;
		done->lines += g->run.lines;
	}
	return done->runs ? baseline_bound(st, e) : 0;
}
