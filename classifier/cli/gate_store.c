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
#include "reports/store/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATIENCE_MS 2000
#define SEND_MS 1000 /* for what was put aside before */

struct gate_store {
	const struct settings *s;
	struct store *store; /* NULL: there is only the spool */
	bool writable;
	bool kept; /* this attempt's diagnosis is in the store */
	struct arena *users;
	const struct taxonomy *tax;
	const struct diagnosis *d; /* whose earlier attempts are read */
	char *place;               /* its; or NULL */
	struct past *v;            /* in order of attempt, each once */
	size_t n, cap;
	struct buf line; /* what is to be kept, if anything */
};

static void tell(const struct gate_store *g, const char *what, const char *why)
{
	if (!g->s->quiet)
		screen_complain("gate: %s: %s", what, why);
}

/* Earlier attempts decide about the next one. */
static void tell_writable(const struct gate_store *g)
{
	unsigned mode = g->writable ? store_open_to_all(g->store) : 0;
	char why[64];

	if (!(mode & S_IWOTH))
		return;
	snprintf(why, sizeof why, "(mode %04o): chmod 0640", mode);
	tell(g, "everybody may write to the store", why);
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
	g->line = (struct buf)BUF_INIT(BUF_MAX);
	g->users = arena_new();
	/* before the sandbox, which lets in what is there */
	if (s->spool && spool_make(s->spool, &e))
		tell(g, "nothing can be put aside", e.text);
	g->store = store_open_within(s->store, STORE_WRITE, PATIENCE_MS, &e);
	g->writable = g->kept = g->store != NULL;
	tell_writable(g);
	if (!g->store && !s->spool)
		tell(g, "nothing is kept", e.text);
	else if (!g->store)
		tell(g, "put aside in the spool", e.text);
	/* a server that is away is away for readers, too */
	if (!g->store && store_port(s->store) < 0)
		g->store = store_open_within(s->store, STORE_READ, 0, &again);
	if ((g->store || s->spool) && g->users)
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
	buf_release(&g->line);
	free(g->v);
	free(g->place);
	arena_free(g->users);
	store_close(g->store, NULL);
	free(g);
}

/* ---- earlier attempts ---- */

/* Job numbers come round: another user's job is another job, as is that of
 * another cluster or, where nothing else tells, of another folder. */
static bool same_job(const struct gate_store *g, const struct past *p)
{
	const struct entry_owner mine = { .cluster = g->d->cluster,
		.user = g->d->record ? g->d->record->user : NULL,
		.place = g->place };

	return entry_same(&mine, &p->owner);
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
	if (p.d.attempt < g->d->attempt && same_job(g, &p))
		rc = add(g, &p);
	else
		rc = 1;
	if (rc)
		replay_past_release(&p);
	return rc < 0 ? err_nomem(e) : 0;
}

static int set_place(struct gate_store *g, const struct diagnosis *d)
{
	struct span place = diagnosis_place(d);

	free(g->place);
	g->place = place.p ? span_dup(place) : NULL;
	return place.p && !g->place ? -1 : 0;
}

int gate_store_judge(struct gate_store *g, struct diagnosis *d,
    const struct taxonomy *tax, struct err *e)
{
	struct attempt *v;
	struct err why;
	size_t known;
	int rc;

	if (!g || !g->store)
		return history_lacks(d, tax, 0, e);
	g->d = d;
	g->tax = tax;
	if (set_place(g, d))
		return err_nomem(e);
	if (store_attempts(g->store, d->job, on_attempt, g, &why)) {
		tell(g, "earlier attempts are not known", why.text);
		return history_lacks(d, tax, 0, e);
	}
	known = g->n;
	v = calloc(g->n + 1, sizeof *v);
	if (!v)
		return err_nomem(e);
	for (size_t i = 0; i < g->n; i++)
		history_attempt(&g->v[i].d, &v[i]);
	rc = history_apply(d, tax, v, g->n, e);
	free(v);
	forget(g);
	/* a store that does not take this attempt has not taken others */
	if (!rc && !g->kept)
		rc = history_lacks(d, tax, known, e);
	return rc;
}

/* ---- keeping ---- */

int gate_store_hold(struct gate_store *g, const struct diagnosis *d,
    const struct taxonomy *tax, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct err why;
	int rc;

	if (!g)
		return 0;
	buf_clear(&g->line);
	rc = diagnosis_json_text(d, tax, &text, e) ||
	    scan_store_text(d, (struct span){ text.p, text.len }, &g->line, e);
	buf_release(&text);
	if (rc)
		return -1;
	/* at once: the answer depends on whether the store takes it */
	g->kept = g->writable &&
	    !store_import(g->store, (struct span){ g->line.p, g->line.len },
		period_now(), &why);
	if (g->writable && !g->kept)
		tell(g,
		    g->s->spool ? "put aside in the spool"
				: "this attempt is not kept",
		    why.text);
	return 0;
}

static int put_aside(
    struct gate_store *g, const struct store_answer *a, struct err *e)
{
	if ((g->line.len && buf_addc(&g->line, '\n')) ||
	    store_answer_line(a, &g->line) || buf_addc(&g->line, '\n'))
		return err_nomem(e);
	return spool_put(g->s->spool, g->s->limits.v[LIMIT_SPOOL],
	    (struct span){ g->line.p, g->line.len }, e);
}

static void on_bad(void *ctx, const char *name, const char *why)
{
	const struct gate_store *g = ctx;

	tell(g, name, why);
}

/* What others, or earlier attempts, had to put aside. */
static void send(struct gate_store *g)
{
	struct spool_sent n = { .bad = on_bad, .ctx = g };
	struct err e;

	if (spool_send(g->s->spool, g->store, SEND_MS, &n, &e))
		tell(g, "what was put aside stays there", e.text);
}

void gate_store_save(struct gate_store *g, const struct diagnosis *d,
    const struct gate_given *given)
{
	struct store_answer a = {
		.job = d->job,
		.cluster = d->cluster,
		.attempt = d->attempt,
		.verdict = given->verdict,
		.given = given->word,
		.reason = given->reason,
		.shadow = given->shadow,
		.at = period_now(),
	};
	struct err e;

	if (!g || !(g->writable || g->s->spool))
		return;
	if (set_place(g, d))
		tell(
		    g, "the answer is kept without its place", "out of memory");
	a.place = g->place;
	if (g->kept && store_put_answer(g->store, &a, &e)) {
		tell(g, "this attempt is not kept", e.text);
		g->kept = false;
	}
	if (g->kept && g->s->spool)
		send(g);
	if (!g->kept && g->s->spool && put_aside(g, &a, &e))
		tell(g, "this attempt is not kept", e.text);
}
