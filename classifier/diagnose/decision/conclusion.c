/*
 * One row a rule in each of the lists of a diagnosis: evidence, consequences,
 * and what was rejected, with the reason.
 */
#include "diagnose/decision/conclusion.h"
#include "diagnose/decision/certainty.h"
#include "diagnose/decision/ends.h"

#include <string.h>

#define PROOFS_MAX 20

static uint64_t hash_text(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

/* Letters only: numbers, paths and addresses differ between runs. */
static uint64_t hash_shape(uint64_t h, const char *s)
{
	for (; s && *s && *s != '\n'; s++)
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))
			h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

static void fingerprint(struct diagnosis *d, const struct candidate *c)
{
	static const char hex[] = "0123456789abcdef";
	const struct frame *fr = c->event ? &c->event->frame : NULL;
	uint64_t h = 0xcbf29ce484222325u;

	if (c->evidence) {
		const struct rule *r = c->evidence->rule;

		h = hash_text(h, r->id);
		for (size_t i = 0; i < r->key.n; i++)
			h = hash_text(
			    h, findings_capture(c->evidence, r->key.v[i]));
	} else if (c->event) {
		h = hash_shape(h, c->event->exception);
	}
	if (fr && fr->file) {
		const char *slash = strrchr(fr->file, '/');

		h = hash_text(h, slash ? slash + 1 : fr->file);
		h = hash_text(h, fr->function);
	}
	for (int i = 15; i >= 0; i--, h >>= 4)
		d->fingerprint[i] = hex[h & 15];
	d->fingerprint[16] = '\0';
}

static int list(struct proofs *p, const struct candidate *c, const char *why)
{
	/* one row a rule: the others are counted */
	for (size_t i = 0; i < p->n; i++) {
		if (!c->evidence || !p->v[i].evidence ||
		    p->v[i].evidence->rule != c->evidence->rule)
			continue;
		/* what a log counted stands on each of its pieces */
		if (p->v[i].log != c->log)
			p->v[i].count++;
		return 0;
	}
	if (p->n >= PROOFS_MAX)
		return 0;
	return proofs_add(p,
	    (struct proof){ c->log, c->evidence, c->event, why,
		c->evidence ? c->evidence->count : 1 });
}

/* Whether it could have been the answer, or only ever follows from one; or
 * what came after it says less, as the next step of a script does. */
static bool competes(const struct candidate *c, const struct candidate *win)
{
	return c->claim <= CLAIM_CONSEQUENCE || c->claim == win->claim ||
	    (c->claim == CLAIM_FALLBACK && c->log_at == win->log_at &&
		c->line > win->last_line);
}

/* Sort what lost into consequences and rejected, the winner's kin into
 * evidence. */
static int list_others(struct ranking *r, const struct candidate *win)
{
	struct diagnosis *d = r->d;
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		const struct candidate *c = &r->v[i];

		if (c == win)
			continue;
		if (c->why)
			rc = list(&d->rejected, c, c->why);
		else if (win && c->claim == CLAIM_CONFIRMATION && d->category &&
		    candidates_same_category(c, win))
			rc = list(&d->evidence, c, "confirms it");
		else if (win && c->evidence && win->evidence &&
		    c->evidence->rule == win->evidence->rule)
			rc = list(&d->evidence, c, "the same again");
		else if (win && competes(c, win) && win->claim == CLAIM_NODE)
			rc = list(&d->consequences, c,
			    "the job's word of its end, when the node had "
			    "failed");
		else if (win && competes(c, win))
			rc = candidates_same_category(c, win)
			    ? list(&d->consequences, c, "tells of it again")
			    : ends_follows(r->tax, c, win, true)
			    ? list(&d->consequences, c,
				  "follows from the root failure")
			    : list(&d->rejected, c,
				  "a failure of its own: it cannot follow from "
				  "the root failure");
		else
			rc = list(
			    &d->rejected, c, "a stronger statement was found");
	}
	return rc;
}

int conclusion_write(struct ranking *r, const struct candidate *win)
{
	struct diagnosis *d = r->d;

	if (!win)
		return list_others(r, NULL);
	d->failed = 1;
	certainty_judge(r, win);
	if (win->evidence) {
		d->rule = win->evidence->rule;
		if (!d->rule->unexplained)
			d->category = &r->tax->categories[d->rule->category];
	}
	fingerprint(d, win);
	if (proofs_add(&d->evidence,
		(struct proof){ win->log, win->evidence, win->event,
		    "the root failure",
		    win->evidence ? win->evidence->count : 1 }))
		return -1;
	return list_others(r, win);
}
