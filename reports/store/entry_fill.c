/*
 * What the JSON would give when it is read again, without it: strings are
 * repaired and cut in the same way, lists end at the same place.
 */
#include "reports/store/entry_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/decision/remedies.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/stage.h"
#include "reports/groups/headline.h"

#include <string.h>

struct filling {
	struct arena *p;
	bool failed; /* there was no memory for something */
};

typedef const char *keep_fn(struct arena *p, struct span s);

static const char *keep(struct filling *f, struct span s, keep_fn *how)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *kept = NULL;

	if (!s.p)
		return NULL;
	if (text_is_utf8(s))
		kept = how(f->p, s);
	else if (!text_utf8(&b, s))
		kept = how(f->p, (struct span){ b.p, b.len });
	buf_release(&b);
	f->failed |= kept == NULL;
	return kept;
}

static const char *whole(struct filling *f, const char *s)
{
	return s ? keep(f, span_of(s), entry_whole) : NULL;
}

static const char *text(struct filling *f, const char *s)
{
	return s ? keep(f, span_of(s), entry_cut) : NULL;
}

static void *array(struct filling *f, size_t n, size_t size)
{
	void *v = n ? arena_memory(f->p, n * size) : NULL;

	f->failed |= n && !v;
	return v;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- proofs ---- */

static void fill_proof(
    struct filling *f, struct entry_proof *to, const struct proof *p)
{
	*to = entry_proof_empty;
	to->path = text(f, p->log->path);
	to->node = whole(f, proof_node(p));
	to->rule = p->evidence ? text(f, p->evidence->rule->id) : NULL;
	to->text = keep(f, proof_text(p), entry_cut);
	to->why = text(f, p->why);
	to->line = (int64_t)proof_line(p);
	to->rank = proof_rank(p);
	to->count = (int64_t)p->count;
	to->time = proof_time(p);
}

static size_t fill_proofs(
    struct filling *f, struct entry_proof **to, const struct proofs *v)
{
	size_t n = least(v->n, ENTRY_PROOFS);

	*to = array(f, n, sizeof **to);
	for (size_t i = 0; *to && i < n; i++)
		fill_proof(f, &(*to)[i], &v->v[i]);
	return n;
}

/* The rules named anywhere, each once. */
static void fill_rules(
    struct filling *f, struct entry *en, const struct diagnosis *d)
{
	const struct proofs *const lists[] = { &d->evidence, &d->consequences,
		&d->rejected };
	const char *found[ENTRY_RULES];
	size_t n = 0;

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < lists[k]->n && n < ENTRY_RULES; i++) {
			const struct evidence *ev = lists[k]->v[i].evidence;
			const char *id = ev ? text(f, ev->rule->id) : NULL;
			size_t m = 0;

			while (m < n && found[m] != id)
				m++;
			if (id && m == n)
				found[n++] = id;
		}
	en->rules = array(f, n, sizeof *en->rules);
	if (en->rules)
		memcpy(en->rules, found, n * sizeof *found);
	en->n_rules = n;
}

/* ---- lists of strings ---- */

static const char **fill_strings(struct filling *f, char *const *v, size_t n)
{
	const char **to = array(f, n, sizeof *to);

	for (size_t i = 0; to && i < n; i++)
		to[i] = text(f, v[i]);
	return to;
}

static void fill_remedies(
    struct filling *f, struct entry *en, const struct diagnosis *d)
{
	const char *v[REMEDIES_MAX];
	size_t n = least(remedies_of(d, v), ENTRY_STRINGS);

	en->remedies = array(f, n, sizeof *en->remedies);
	for (size_t i = 0; en->remedies && i < n; i++)
		en->remedies[i] = text(f, v[i]);
	en->n_remedies = n;
}

/* ---- parts ---- */

static void fill_record(
    struct filling *f, struct entry *en, const struct job_record *r)
{
	if (!r)
		return;
	en->has_record = true;
	en->user = whole(f, r->user);
	en->group = whole(f, r->group);
	en->name = text(f, r->name);
	en->state = text(f, r->state);
	en->partition = text(f, r->partition);
	en->image = text(f, r->image);
	en->submitted = r->submitted;
	en->n_nodes = least(r->n_nodes, ENTRY_NODES);
	en->nodes = fill_strings(f, r->nodes, en->n_nodes);
}

static void fill_facts(
    struct filling *f, struct entry *en, const struct job_facts *facts)
{
	const struct frame *fr = facts->frame;
	const char *file = fr ? whole(f, fr->file) : NULL;

	en->framework = text(f, facts->framework);
	en->stage = text(f, stage_name(facts->stage));
	en->checkpoint =
	    facts->saved ? text(f, facts->saved->checkpoint) : NULL;
	en->last_step = facts->last.step;
	if (!file || !*file)
		return;
	en->frame = entry_frame(f->p, span_of(file), fr->line,
	    span_of(whole(f, fr->function)), span_of(whole(f, fr->code)));
	f->failed |= en->frame == NULL;
}

static void fill_template(
    struct filling *f, struct entry *en, const struct diagnosis *d)
{
	struct headline h;

	f->failed |= headline_of(d, &h) != 0;
	if (h.id[0]) {
		en->template_id = whole(f, h.id);
		en->template_text = text(f, h.text);
		en->raisers = text(f, h.frames);
	}
	headline_release(&h);
}

static void fill_usage(struct entry *en, const struct usage *u)
{
	en->started = u->started;
	en->ended = u->ended;
	en->gpus = u->gpus;
	en->seconds = u->runtime_seconds;
	en->gpu_seconds = u->gpu_seconds;
	en->lost = u->gpu_seconds_lost;
	en->cpu_seconds = u->cpu_seconds;
	en->cpu_lost = u->cpu_seconds_lost;
	en->estimated = u->estimated;
}

static void fill_goodput(struct entry_goodput *to, const struct goodput *g)
{
	if (!g->known)
		return;
	memcpy(to->spent, g->spent, sizeof to->spent);
	to->unsaved = g->unsaved;
	to->first_epoch = g->first.epoch;
	to->first_step = g->first.step;
	to->last_epoch = g->last.epoch;
	to->last_step = g->last.step;
	to->epoch_steps = g->epoch_steps;
}

static void fill_logs(
    struct filling *f, struct entry *en, const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		en->launches += (int64_t)d->logs[i]->n_launches;
	for (size_t i = 0; i < d->n_logs && !en->has_log; i++) {
		en->has_log = !d->logs[i]->of_record && !d->logs[i]->of_node;
		if (en->has_log)
			en->path = whole(f, d->logs[i]->path);
	}
}

int entry_fill(struct entry *en, const struct diagnosis *d,
    const struct taxonomy *tax, struct arena *p, struct err *e)
{
	const struct category *c = d->category;
	struct filling f = { p, false };

	*en = entry_empty;
	en->job = whole(&f, d->job);
	en->cluster = whole(&f, d->cluster);
	en->place = keep(&f, diagnosis_place(d), entry_whole);
	en->attempt = d->attempt;
	en->failed = d->failed;
	en->ending = text(&f, ending_name(d->ending));
	en->category = text(&f, diagnosis_category(d));
	en->category_name = c ? text(&f, c->name) : NULL;
	en->dimension = c ? text(&f, c->dimension) : NULL;
	en->family = c ? text(&f, c->family) : NULL;
	en->rule = d->rule ? text(&f, d->rule->id) : NULL;
	en->fingerprint = d->fingerprint[0] ? whole(&f, d->fingerprint) : NULL;
	en->reason = text(&f, d->reason);
	en->taxonomy = whole(&f, tax->hash);
	en->confidence = d->confidence;
	en->verdict = d->verdict;
	fill_record(&f, en, d->record);
	fill_facts(&f, en, &d->facts);
	en->node_log = diagnosis_by_node(d);
	fill_usage(en, &d->usage);
	fill_goodput(&en->goodput, &d->goodput);
	fill_template(&f, en, d);
	fill_logs(&f, en, d);
	en->n_evidence = fill_proofs(&f, &en->evidence, &d->evidence);
	en->n_consequences =
	    fill_proofs(&f, &en->consequences, &d->consequences);
	fill_rules(&f, en, d);
	fill_remedies(&f, en, d);
	en->n_notes = least(d->n_notes, ENTRY_STRINGS);
	en->notes = fill_strings(&f, d->notes, en->n_notes);
	if (f.failed || entry_trends_fill(en, d, tax, p))
		return err_nomem(e);
	entry_node(en);
	return 0;
}
