/* The line is a table of keys; each writes its value bare. */
#include "reports/gate/gate.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/jsontext.h"
#include "diagnose/decision/proof.h"
#include "reports/output/diagnosis_json.h"

#include <string.h>

/* ---- the line ---- */

static bool asks(const struct gate_answer *a, enum verdict v)
{
	return a->d && strcmp(a->given, taxonomy_verdict_name(v)) == 0 &&
	    a->d->verdict == v;
}

static const struct adjust *adjust(const struct gate_answer *a)
{
	return asks(a, VERDICT_ADJUST) ? &a->d->adjust : NULL;
}

/* What is known of earlier attempts, or NULL. */
static const struct history *past(const struct gate_answer *a)
{
	return a->d && a->d->history.known ? &a->d->history : NULL;
}

static int put_count(struct buf *b, int64_t n)
{
	return n < 0 ? 0 : buf_addf(b, "%lld", (long long)n);
}

static int put_factor(struct buf *b, double f)
{
	return f > 0 ? buf_addf(b, "%g", f) : 0;
}

static int verdict(const struct gate_answer *a, struct buf *b)
{
	return buf_adds(b, a->given);
}

static int category(const struct gate_answer *a, struct buf *b)
{
	return a->d ? buf_adds(b, diagnosis_category(a->d)) : 0;
}

static int rule(const struct gate_answer *a, struct buf *b)
{
	return a->d && a->d->rule ? buf_adds(b, a->d->rule->id) : 0;
}

static int attempt(const struct gate_answer *a, struct buf *b)
{
	return a->d ? put_count(b, a->d->attempt) : 0;
}

static int retries(const struct gate_answer *a, struct buf *b)
{
	if (past(a))
		return put_count(b, past(a)->retries);
	return a->d ? put_count(b, a->d->attempt - 1) : 0;
}

static int retries_left(const struct gate_answer *a, struct buf *b)
{
	return past(a) ? put_count(b, past(a)->retries_left) : 0;
}

static int delay(const struct gate_answer *a, struct buf *b)
{
	if (!asks(a, VERDICT_RETRY) && !asks(a, VERDICT_ADJUST))
		return 0;
	return put_count(
	    b, past(a) ? past(a)->delay_seconds : a->d->adjust.delay_seconds);
}

static int exclude(const struct gate_answer *a, struct buf *b)
{
	const struct adjust *j = adjust(a);

	return j && j->exclude_node ? buf_adds(b, j->exclude_node) : 0;
}

static int memory_factor(const struct gate_answer *a, struct buf *b)
{
	const struct adjust *j = adjust(a);

	return j ? put_factor(b, j->memory_factor) : 0;
}

static int time_factor(const struct gate_answer *a, struct buf *b)
{
	const struct adjust *j = adjust(a);

	return j ? put_factor(b, j->time_factor) : 0;
}

static int checkpoint(const struct gate_answer *a, struct buf *b)
{
	const struct adjust *j = adjust(a);

	return j && j->from_checkpoint ? buf_adds(b, j->from_checkpoint) : 0;
}

static int confidence(const struct gate_answer *a, struct buf *b)
{
	return a->d ? buf_adds(b, diagnosis_confidence_name(a->d->confidence))
		    : 0;
}

static int history(const struct gate_answer *a, struct buf *b)
{
	return buf_adds(b,
	    !past(a)                ? "unknown"
		: past(a)->attempts ? "known"
				    : "none");
}

static int reason(const struct gate_answer *a, struct buf *b)
{
	return buf_adds(b, a->reason);
}

/* Where in the user's own code. */
static int place(const struct gate_answer *a, struct buf *b)
{
	const struct frame *f = a->d ? a->d->facts.frame : NULL;

	if (!f || !f->file)
		return 0;
	return f->line > 0 ? buf_addf(b, "%s:%lld", f->file, (long long)f->line)
			   : buf_adds(b, f->file);
}

/* The line that proves it; a line of keys is no place for a long one. */
static int evidence(const struct gate_answer *a, struct buf *b)
{
	struct span text;

	if (!a->d || !a->d->evidence.n)
		return 0;
	text = proof_text(&a->d->evidence.v[0]);
	return buf_add(
	    b, text.p, text.n < GATE_EVIDENCE_MAX ? text.n : GATE_EVIDENCE_MAX);
}

static const struct field {
	const char *name;
	int (*value)(const struct gate_answer *a, struct buf *b);
	bool quoted; /* always */
} fields[] = {
	{ "verdict", verdict, false },
	{ "category", category, false },
	{ "rule", rule, false },
	{ "attempt", attempt, false },
	{ "retries", retries, false },
	{ "retries_left", retries_left, false },
	{ "delay", delay, false },
	{ "exclude", exclude, false },
	{ "memory_factor", memory_factor, false },
	{ "time_factor", time_factor, false },
	{ "checkpoint", checkpoint, false },
	{ "confidence", confidence, false },
	{ "history", history, false },
	{ "reason", reason, true },
	{ "place", place, true },
	{ "evidence", evidence, true },
};

static int put_value(struct buf *out, const struct buf *value, bool quoted)
{
	const char *p = value->p ? value->p : "";
	int rc;

	if (!quoted && !strpbrk(p, " \"\\'"))
		return buf_adds(out, p);
	rc = buf_addc(out, '"');
	for (; *p && !rc; p++) {
		if (*p == '"' || *p == '\\')
			rc = buf_addc(out, '\\');
		rc = rc || buf_addc(out, *p);
	}
	return rc || buf_addc(out, '"') ? -1 : 0;
}

int gate_line(const struct gate_answer *a, struct buf *out)
{
	struct buf bare = BUF_INIT(BUF_MAX), seen = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < sizeof fields / sizeof *fields && !rc; i++) {
		buf_clear(&bare);
		buf_clear(&seen);
		rc = fields[i].value(a, &bare) ||
		    text_visible(&seen, (struct span){ bare.p, bare.len }) ||
		    buf_addf(out, "%s%s=", i ? " " : "", fields[i].name) ||
		    put_value(out, &seen, fields[i].quoted);
	}
	buf_release(&bare);
	buf_release(&seen);
	return rc || buf_addc(out, '\n') ? -1 : 0;
}

/* ---- JSON ---- */

static void put_history(struct jsontext *t, const struct history *h)
{
	jsontext_open(t, "history", '{');
	jsontext_bool(t, "known", h->known);
	jsontext_count(t, "attempts", h->attempts);
	jsontext_count(t, "same_cause", h->same_cause);
	jsontext_count(t, "same_place", h->same_place);
	jsontext_count(t, "retries", h->known ? h->retries : -1);
	jsontext_count(t, "retries_left", h->known ? h->retries_left : -1);
	jsontext_bool(t, "progress", h->progress);
	jsontext_count(t, "delay_seconds", h->delay_seconds);
	jsontext_close(t, '}');
}

static void put_gate(struct jsontext *t, const struct gate_answer *a)
{
	jsontext_open(t, "gate", '{');
	jsontext_string(t, "answer", a->given);
	jsontext_count(t, "exit_status", a->exit_status);
	jsontext_bool(t, "shadow", a->shadow);
	jsontext_open(t, "doubts", '[');
	for (size_t i = 0; i < a->n_doubts; i++)
		jsontext_string(t, NULL, a->doubts[i]);
	jsontext_close(t, ']');
	jsontext_close(t, '}');
}

/* What there is instead of a diagnosis. */
static void put_error(struct jsontext *t, const char *reason)
{
	jsontext_string(t, "schema", "jobtriage.error/1");
	jsontext_string(t, "reason", reason);
}

int gate_json(const struct gate_answer *a, const struct taxonomy *tax,
    struct buf *out, struct err *e)
{
	struct jsontext t = { out, false };

	jsontext_open(&t, NULL, '{');
	if (a->d) {
		diagnosis_json_put(&t, a->d, tax);
		put_history(&t, &a->d->history);
	} else {
		put_error(&t, a->reason);
	}
	put_gate(&t, a);
	jsontext_close(&t, '}');
	return t.failed || buf_addc(out, '\n') ? err_nomem(e) : 0;
}
