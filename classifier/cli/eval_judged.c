/*
 * A label lasts as long as the logs do: the store tells where they lay, and
 * what was judged is read again with the rules of today.
 */
#include "cli/eval_judged.h"

#include "base/err.h"
#include "base/json.h"
#include "reports/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The logs of one attempt. */
struct logs {
	const struct judgement *j;
	struct list paths; /* owned strings */
};

static void forget(struct list *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free((char *)(uintptr_t)paths->v[i]);
	free(paths->v);
	*paths = (struct list){ NULL, 0 };
}

/* Whether a diagnosis is of whom the judgement is. */
static bool same_owner(const struct json *o, const struct judgement *j)
{
	const char *const keys[] = { "cluster", "user", "place" };
	const char *const mine[] = { j->owner.cluster, j->owner.user,
		j->owner.place };

	for (size_t i = 0; i < 3; i++) {
		struct span s = json_get_text(o, keys[i]);

		if (s.p && mine[i] && !span_is(s, mine[i]))
			return false;
	}
	return true;
}

/* Of several diagnoses of the attempt the last one with a log counts. */
static int on_attempt(void *ctx, struct span record, struct err *e)
{
	struct logs *l = ctx;
	struct err why;
	struct json *o = json_parse(record, JSON_PARSE, &why);
	const struct json *paths = json_get(o, "paths");
	int64_t attempt = 0;
	int rc = 0;

	if (!o)
		return why.lack ? err_pass(e, &why) : 0;
	if (json_count(paths) && json_int(json_get(o, "attempt"), &attempt) &&
	    attempt == l->j->attempt && same_owner(o, l->j)) {
		forget(&l->paths);
		for (size_t i = 0; !rc && i < json_count(paths); i++) {
			char *path = span_dup(json_text(json_at(paths, i)));

			if (!path || options_list_add(&l->paths, path)) {
				free(path);
				rc = err_nomem(e);
			}
		}
	}
	json_free(o);
	return rc;
}

/* A log that lies in an archive is there as long as that is. */
static bool there(const char *path)
{
	size_t n = strcspn(path, "!");
	char *outer = span_dup((struct span){ path, n });
	bool yes = access(path, R_OK) == 0 || (outer && !access(outer, R_OK));

	free(outer);
	return yes;
}

static bool all_there(const struct list *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (!there(paths->v[i]))
			return false;
	return paths->n > 0;
}

static int read_again(struct session *x, const struct logs *l,
    const struct judged *said, struct eval_labels *to, struct err *e)
{
	const struct triage_sink sink = { .ctx = to->ctx, .note = to->note };
	struct triage_job job = { .paths = l->paths.v,
		.n_paths = l->paths.n,
		.id = l->j->job,
		.attempt = (int)l->j->attempt,
		.exit_code = -1,
		.signal = -1 };
	struct diagnosis d;
	int rc;

	if (triage_one(&x->options, &job, &sink, &d, e))
		return -1;
	rc = to->job(to->ctx, said, &d) ? err_nomem(e) : 0;
	diagnosis_release(&d);
	return rc;
}

static bool same_attempt(const struct judgement *a, const struct judgement *b)
{
	return a->attempt == b->attempt && strcmp(a->job, b->job) == 0 &&
	    entry_same(&a->owner, &b->owner);
}

static int label(struct session *x, struct store *st, struct judgements *all,
    size_t i, struct eval_labels *to, struct err *e)
{
	struct logs l = { .j = &all->v[i] };
	struct judged said;
	int rc = 0;

	if (!judgements_find(all, l.j->job, l.j->attempt, &l.j->owner, &said) ||
	    !said.category)
		return 0;
	rc = store_named(st, l.j->job, on_attempt, &l, e);
	if (!rc && !all_there(&l.paths))
		to->left_out++;
	else if (!rc)
		rc = read_again(x, &l, &said, to, e);
	forget(&l.paths);
	return rc;
}

int eval_judged(const struct settings *s, struct session *x,
    struct eval_labels *to, struct err *e)
{
	struct store *st = store_open(s->store, STORE_READ, e);
	struct judgements all = { 0 };
	int rc = st ? judgements_read(&all, st, e) : -1;

	/* in their order, those of one attempt follow each other */
	for (size_t i = 0; !rc && i < all.n; i++)
		if (!i || !same_attempt(&all.v[i - 1], &all.v[i]))
			rc = label(x, st, &all, i, to, e);
	judgements_release(&all);
	store_close(st, NULL);
	return rc;
}
