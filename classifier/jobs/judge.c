#include "jobs/judge.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/decision/rank.h"
#include "diagnose/decision/usual.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/decision/dates.h"
#include "diagnose/decision/redaction.h"
#include "diagnose/job_record.h"
#include "diagnose/evidence/scan.h"
#include "jobs/accounting.h"

#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

/* All that the rules see of a record, if its words are plain; equal ones are
 * one pointer, mostly. */
struct words {
	const char *path, *state, *reason;
	int exit_code, signal;
};

#define SLOTS 256

struct judge_memory {
	struct slot {
		struct words words;
		struct findings *f; /* owned; NULL: free */
	} slots[SLOTS];
};

struct judge_memory *judge_memory_new(void)
{
	return calloc(1, sizeof(struct judge_memory));
}

void judge_memory_free(struct judge_memory *m)
{
	for (size_t i = 0; m && i < SLOTS; i++)
		findings_free(m->slots[i].f);
	free(m);
}

static struct findings *read_words(
    const struct job_record *r, const char *more, struct scan *s, struct err *e)
{
	struct buf words = BUF_INIT(BUF_MAX);
	struct findings *f = NULL;

	if (accounting_words(scan_taxonomy(s), r, &words) ||
	    (more && buf_adds(&words, more))) {
		err_nomem(e);
		goto out;
	}
	if (scan_begin(s, r->path, -1, NULL, e))
		goto out;
	scan_findings(s)->of_record = true;
	if (!scan_feed(s, words.p, words.len, e))
		f = scan_end(s, true, e);
	for (size_t i = 0; f && i < f->n_evidence; i++)
		f->evidence[i].line = r->line;
out:
	buf_release(&words);
	return f;
}

/* Whether there is nothing in f but evidence by itself. */
static bool plain(const struct findings *f)
{
	bool more = f->n_events || f->n_notes || f->checkpoint || f->pending ||
	    f->n_waits || f->n_launches || f->tail || f->metrics || f->phases ||
	    f->node || f->declared.reason;

	for (size_t i = 0; i < f->n_evidence; i++)
		more |= f->evidence[i].node || f->evidence[i].around;
	return !more;
}

/* The same findings, of a record at another line. NULL: out of memory. */
static struct findings *copy(const struct findings *of, uint64_t line)
{
	struct findings *f = malloc(sizeof *f);

	if (!f)
		return NULL;
	*f = *of;
	f->path = span_dup(span_of(of->path));
	f->n_evidence = f->cap_evidence = f->cap_events = 0;
	f->events = NULL;
	f->evidence = NULL;
	f->notes = NULL;
	for (size_t i = 0; f->path && i < of->n_evidence; i++) {
		struct evidence *ev = findings_evidence(f);

		if (!ev || findings_evidence_copy(ev, &of->evidence[i]))
			goto bad;
		ev->line = line;
	}
	if (f->path)
		return f;
bad:
	findings_free(f);
	return NULL;
}

/* A word: of such a reason the rules see what they see of it by itself. */
static bool is_word(const char *s)
{
	return !s ||
	    !s[strspn(s,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
		"abcdefghijklmnopqrstuvwxyz")];
}

struct findings *judge_record(const struct job_record *r, const char *more,
    struct scan *s, struct judge_memory *m, struct err *e)
{
	const struct words w = { r->path, r->state, r->reason, r->exit_code,
		r->signal };
	struct slot *slot = NULL;
	struct findings *f;

	if (m && !more && is_word(r->state) && is_word(r->reason))
		slot = &m->slots[hash_of(&w, sizeof w).low % SLOTS];
	if (slot && slot->f && memcmp(&slot->words, &w, sizeof w) == 0) {
		f = copy(slot->f, r->line);
		if (!f)
			err_nomem(e);
		return f;
	}
	f = read_words(r, more, s, e);
	if (!f || !slot || !plain(f))
		return f;
	findings_free(slot->f);
	slot->words = w;
	slot->f = copy(f, r->line); /* without memory it is read again */
	return f;
}

/* ---- jobs ---- */

/* Words are hidden when the root is found, and before the verdict puts some of
 * them into a sentence. */
int judge_job(struct diagnosis *d, const struct taxonomy *tax,
    const struct redactor *redact, struct err *e)
{
	dates_settle(d);
	if (rank_job(d, tax, e) || ending_find(d, e) ||
	    job_facts_find(d, tax, e))
		return -1;
	verdict_declared_end(d, tax);
	usage_find(d);
	goodput_find(&d->goodput, d);
	if (redact && redaction_apply(d, redact, e))
		return -1;
	if (verdict_job(d, tax, e))
		return -1;
	return d->usual ? d->usual->look(d->usual->ctx, d, e) : 0;
}
