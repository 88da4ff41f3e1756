/*
 * The waiting for other processes is short: a scheduler waits, too. What may
 * not be written may still be read.
 */
#include "cli/gate_store.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/scan_store.h"
#include "cli/period.h"
#include "diagnose/decision/history.h"
#include "diagnose/job_record.h"
#include "reports/gate/replay_past.h"
#include "reports/output/diagnosis_json.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 2000

struct gate_store {
	const struct settings *s;
	struct store *store;
	bool writable;
	struct arena *users;
	const struct taxonomy *tax;
	const struct diagnosis *d; /* whose earlier attempts are read */
	struct past *v;            /* in order of attempt, each once */
	size_t n, cap;
	struct store_item *held; /* what is to be kept, or NULL */
};

static void tell(const struct gate_store *g, const char *what, const char *why)
{
	if (!g->s->quiet)
		screen_complain("gate: %s: %s", what, why);
}

struct gate_store *gate_store_open(const struct settings *s)
{
	struct gate_store *g;
	struct err e, again;

	if (!s->store)
		return NULL;
	g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->s = s;
	g->users = arena_new();
	g->store = store_open_within(s->store, STORE_WRITE, PATIENCE_MS, &e);
	g->writable = g->store != NULL;
	if (!g->store) {
		tell(g, "nothing is kept", e.text);
		g->store = store_open_within(s->store, STORE_READ, 0, &again);
	}
	if (g->store && g->users)
		return g;
	gate_store_close(g);
	return NULL;
}

static void forget(struct gate_store *g)
{
	for (size_t i = 0; i < g->n; i++)
		replay_past_release(&g->v[i]);
	g->n = 0;
}

void gate_store_close(struct gate_store *g)
{
	if (!g)
		return;
	forget(g);
	store_item_free(g->held);
	free(g->v);
	arena_free(g->users);
	store_close(g->store, NULL);
	free(g);
}

/* ---- earlier attempts ---- */

/* Job numbers come round: another user's job is another job. */
static bool same_user(const struct gate_store *g, const struct past *p)
{
	const char *mine = g->d->record ? g->d->record->user : NULL;

	return !mine || !p->user || strcmp(mine, p->user) == 0;
}

static int add(struct gate_store *g, const struct past *p)
{
	struct past *to = g->n ? &g->v[g->n - 1] : NULL;

	/* an attempt counts once: with its log, and as it was seen last */
	if (to && to->d.attempt == p->d.attempt) {
		if (to->has_log && !p->has_log)
			return 1;
		replay_past_release(to);
		*to = *p;
		return 0;
	}
	if (array_grow(&g->v, g->n, &g->cap, sizeof *g->v))
		return -1;
	to = &g->v[g->n++];
	*to = *p;
	return 0;
}

static int on_attempt(void *ctx, struct span record, struct err *e)
{
	struct gate_store *g = ctx;
	struct err why;
	struct json *o = json_parse(record, JSON_PARSE, &why);
	struct past p;
	int rc = o     ? replay_past_read(&p, o, g->tax, g->users, &why)
	    : why.lack ? -1
		       : 1;

	json_free(o);
	if (rc < 0)
		return err_pass(e, &why);
	if (!o)
		err_set(&why, "it is no JSON");
	if (rc > 0) {
		tell(g, "an earlier attempt cannot be read", why.text);
		return 0;
	}
	if (p.d.attempt < g->d->attempt && same_user(g, &p))
		rc = add(g, &p);
	else
		rc = 1;
	if (rc)
		replay_past_release(&p);
	return rc < 0 ? err_nomem(e) : 0;
}

int gate_store_judge(struct gate_store *g, struct diagnosis *d,
    const struct taxonomy *tax, struct err *e)
{
	struct attempt *v;
	struct err why;
	int rc;

	if (!g)
		return 0;
	g->d = d;
	g->tax = tax;
	if (store_attempts(g->store, d->job, on_attempt, g, &why)) {
		tell(g, "earlier attempts are not known", why.text);
		return 0;
	}
	v = calloc(g->n + 1, sizeof *v);
	if (!v)
		return err_nomem(e);
	for (size_t i = 0; i < g->n; i++)
		history_attempt(&g->v[i].d, &v[i]);
	rc = history_apply(d, tax, v, g->n, e);
	free(v);
	forget(g);
	return rc;
}

/* ---- keeping ---- */

int gate_store_hold(struct gate_store *g, const struct diagnosis *d,
    const struct taxonomy *tax, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct arena *arena;
	struct entry en;

	if (!g)
		return 0;
	arena = arena_new();
	if (!arena)
		err_nomem(e);
	else if (!entry_fill(&en, d, tax, arena, e) &&
	    !diagnosis_json_text(d, tax, &text, e))
		g->held = scan_store_pack(
		    g->store, d, &en, (struct span){ text.p, text.len }, e);
	arena_free(arena);
	buf_release(&text);
	return g->held ? 0 : -1;
}

static int keep_held(struct gate_store *g, struct err *e)
{
	struct store_item *it = g->held;

	g->held = NULL;
	return !it ? 0
	    : store_put(g->store, (struct hash_value){ 0, 0 }, &it, 1,
		  period_now(), e) ||
		store_flush(g->store, e)
	    ? -1
	    : 0;
}

void gate_store_save(struct gate_store *g, const struct diagnosis *d,
    const struct gate_given *given)
{
	const struct store_answer a = {
		.job = d->job,
		.attempt = d->attempt,
		.verdict = given->verdict,
		.given = given->word,
		.reason = given->reason,
		.shadow = given->shadow,
		.at = period_now(),
	};
	struct err e;

	if (!g || !g->writable)
		return;
	if (keep_held(g, &e) || store_put_answer(g->store, &a, &e))
		tell(g, "this attempt is not kept", e.text);
}
