/*
 * Every text of the diagnosis that comes from a log, a path or a job record is
 * gone over twice. The first time by the rules, with the lines around a piece
 * of evidence as one text, since a private key is told by its first and last
 * line. The second time for the secrets that were found so: what is a password
 * in the log's command line is one in a capture, too, where nothing says so.
 */
#include "diagnose/decision/redaction.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/evidence/excerpt.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/calls.h"
#include "diagnose/signals/metrics.h"
#include "diagnose/signals/metrics_ranks.h"
#include "rules/redact.h"

#include <stdlib.h>
#include <string.h>

/* Every text in what a diagnosis points to, and how secrets are hidden in it;
 * tests/cli/hidden.sh looks whether one is missing. */
enum how {
	ALONE,  /* a text by itself */
	LIST,   /* a pointer to n texts */
	ARRAY,  /* n texts */
	AROUND, /* gone over with the lines around it, by its own function */
	SAFE    /* the program's own words or the rules', or made of what is
		 * hidden by then */
};

struct field {
	enum how how;
	size_t at, n; /* offsets of the text or list, and of its length */
};

#define FIELD(how, of, name)               \
	{                                  \
		how, offsetof(of, name), 0 \
	}
#define FIELDS(how, of, name, n)                         \
	{                                                \
		how, offsetof(of, name), offsetof(of, n) \
	}
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct field of_diagnosis[] = {
	FIELD(ALONE, struct diagnosis, job),
	FIELD(ALONE, struct diagnosis, cluster),
	FIELD(ALONE, struct diagnosis, key),
	FIELD(ALONE, struct diagnosis, lookup),
	FIELDS(LIST, struct diagnosis, notes, n_notes),
	FIELD(SAFE, struct diagnosis, reason), /* not made yet */
	FIELD(SAFE, struct diagnosis, because),
	FIELD(SAFE, struct diagnosis, fingerprint),
	FIELD(SAFE, struct proof, why),
	FIELD(
	    SAFE, struct adjust, exclude_node), /* points to a node of these */
	FIELD(SAFE, struct adjust, from_checkpoint), /* likewise */
	FIELD(SAFE, struct job_facts, framework),
	FIELD(SAFE, struct trend_warning, text),
	FIELD(SAFE, struct lead, path), /* a log's */
	FIELD(SAFE, struct lead, text), /* read again, without them */
};

static const struct field of_log[] = {
	FIELD(ALONE, struct findings, path),
	FIELD(ALONE, struct findings, node),
	FIELD(ALONE, struct findings, checkpoint),
	FIELD(ALONE, struct findings, last_words),
	FIELDS(LIST, struct findings, notes, n_notes),
	FIELD(SAFE, struct findings, framework),
	FIELD(ALONE, struct findings, declared.reason),
	FIELD(SAFE, struct findings, declared.category), /* a word */
	FIELD(SAFE, struct pending, what),               /* shown to nobody */
	FIELD(SAFE, struct wait, op),                    /* a word of NCCL's */
	FIELD(SAFE, struct collective, op),
	FIELD(SAFE, struct collective, group), /* whose a caller's is */
	FIELD(SAFE, struct late_rank, what),
	FIELD(SAFE, struct late_rank, node), /* likewise */
	FIELD(SAFE, struct call, op), /* numbers, and words of PyTorch's */
	FIELD(SAFE, struct call, in),
	FIELD(SAFE, struct call, out),
	FIELD(SAFE, struct calls, about), /* shown to nobody */
	FIELD(SAFE, struct comm, group),
};

static const struct field of_frame[] = {
	FIELD(ALONE, struct frame, file),
	FIELD(ALONE, struct frame, function),
	FIELD(ALONE, struct frame, code),
};

static const struct field of_caller[] = {
	FIELD(ALONE, struct caller, group),
	FIELD(ALONE, struct caller, node),
};

static const struct field of_call_group[] = {
	FIELD(ALONE, struct call_group, name),
};

static const struct field of_stand[] = {
	FIELD(ALONE, struct stand, inner),
};

/* And job_record_texts. */
static const struct field of_record[] = {
	FIELDS(LIST, struct job_record, nodes, n_nodes),
};

static const struct field of_curve[] = {
	FIELD(ALONE, struct metric_series, name),
};

static const struct field of_pace[] = {
	FIELD(ALONE, struct metric_rank, node),
};

static const struct field of_inputs[] = {
	FIELDS(ARRAY, struct inputs, v, n),
};

static const struct field of_event[] = {
	FIELD(AROUND, struct event, exception),
	FIELD(ALONE, struct event, node),
	FIELD(ALONE, struct event, frame.file),
	FIELD(ALONE, struct event, frame.function),
	FIELD(ALONE, struct event, frame.code),
	FIELD(ALONE, struct event, raisers),
	FIELD(AROUND, struct excerpt_line, text),
};

static const struct field of_evidence[] = {
	FIELD(AROUND, struct evidence, text),
	FIELD(ALONE, struct evidence, node),
};

static const struct field of_capture[] = {
	FIELD(ALONE, struct capture, value),
	FIELD(SAFE, struct capture, name),
};

struct hiding {
	struct redact *x;
	struct buf out, joined;
	bool by_rules; /* the first time; else what was found then */
	bool failed;
};

/* What is secret in s: true when out has it without that. */
static bool hides(struct hiding *h, struct span s, struct redact_marks *marks)
{
	int rc = h->by_rules ? redact_text(h->x, s, &h->out, marks)
			     : redact_seen(h->x, s, &h->out, marks);

	h->failed |= rc < 0;
	return rc == 1;
}

/* Let *s become text. */
static void replace(struct hiding *h, char **s, struct span text)
{
	char *copy = span_dup(text);

	h->failed |= copy == NULL;
	free(*s);
	*s = copy;
}

static void hide(struct hiding *h, char **s)
{
	if (*s && hides(h, span_of(*s), NULL))
		replace(h, s, (struct span){ h->out.p, h->out.len });
}

static void redact_all(struct hiding *h, char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hide(h, &v[i]);
}

/* The fields of a structure that are gone over one by one. */
static void redact_fields(
    struct hiding *h, void *of, const struct field *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *at = (char *)of + v[i].at;
		const size_t *count = (const void *)((char *)of + v[i].n);

		if (v[i].how == ALONE)
			hide(h, at);
		else if (v[i].how == LIST)
			redact_all(h, *(char ***)at, *count);
		else if (v[i].how == ARRAY)
			redact_all(h, at, *count);
	}
}

/* ---- a piece of evidence and the lines around it ---- */

/* A text in the middle of others; line ends in it count. */
struct middle {
	char **text;                /* or *text NULL: none */
	size_t *n;                  /* its bytes, or NULL: up to its NUL */
	struct redact_marks *marks; /* in it, or NULL */
};

static struct span middle_span(const struct middle *m)
{
	if (!*m->text || !m->n)
		return span_of(*m->text);
	return (struct span){ *m->text, *m->n };
}

static void join(struct hiding *h, struct span s)
{
	h->failed |= (s.n && buf_add(&h->joined, s.p, s.n)) ||
	    buf_addc(&h->joined, '\n');
}

/* As many lines off the front of *rest as s has. */
static struct span same_lines(struct span *rest, struct span s)
{
	struct span all = *rest, line;
	size_t lines = 1;

	for (size_t i = 0; i < s.n; i++)
		lines += s.p[i] == '\n';
	while (lines-- && span_line(rest, &line))
		;
	all.n = (size_t)(rest->p - all.p);
	if (all.n && all.p[all.n - 1] == '\n')
		all.n--;
	return all;
}

static void put_back(struct hiding *h, char **s, struct span *rest)
{
	replace(h, s, same_lines(rest, span_of(*s)));
}

/* The lines before, the text and the lines after, as one. */
static void redact_around(
    struct hiding *h, struct excerpt *x, const struct middle *m)
{
	struct redact_marks marks = { 0, 0 };
	struct span rest, text = middle_span(m);
	size_t at, n_before = x ? x->n_before : 0;

	buf_clear(&h->joined);
	for (size_t i = n_before; i-- > 0;)
		join(h, span_of(x->before[i].text));
	at = h->joined.len;
	if (*m->text)
		join(h, text);
	for (size_t i = 0; x && i < x->n_after; i++)
		join(h, span_of(x->after[i].text));
	if (m->marks)
		marks = (struct redact_marks){ m->marks->from + at,
			m->marks->to + at };
	if (h->failed ||
	    !hides(h, (struct span){ h->joined.p, h->joined.len }, &marks))
		return;
	rest = (struct span){ h->out.p, h->out.len };
	for (size_t i = n_before; i-- > 0;)
		put_back(h, &x->before[i].text, &rest);
	at = (size_t)(rest.p - h->out.p);
	if (*m->text) {
		text = same_lines(&rest, text);
		replace(h, m->text, text);
		if (m->n)
			*m->n = text.n;
	}
	if (m->marks)
		*m->marks =
		    (struct redact_marks){ marks.from - at, marks.to - at };
	for (size_t i = 0; x && i < x->n_after; i++)
		put_back(h, &x->after[i].text, &rest);
}

static void redact_inputs(struct hiding *h, struct excerpt *x)
{
	if (x)
		redact_fields(h, &x->inputs, of_inputs, COUNT(of_inputs));
}

/* A capture is a part of the text: with what is around it the rules may have
 * seen what it is. */
static void redact_capture(struct hiding *h, char **s)
{
	int rc = redact_part(h->x, span_of(*s), &h->out);

	h->failed |= rc < 0;
	if (rc == 1)
		replace(h, s, (struct span){ h->out.p, h->out.len });
}

static void redact_evidence(struct hiding *h, struct evidence *ev)
{
	struct redact_marks marks = { ev->match_from, ev->match_to };
	const struct middle m = { &ev->text, &ev->text_len, &marks };

	redact_around(h, ev->around, &m);
	ev->match_from = marks.from;
	ev->match_to = marks.to;
	for (size_t i = 0; h->by_rules && i < ev->n_captures; i++)
		redact_capture(h, &ev->captures[i].value);
	for (size_t i = 0; i < ev->n_captures; i++)
		redact_fields(
		    h, &ev->captures[i], of_capture, COUNT(of_capture));
	redact_inputs(h, ev->around);
	redact_fields(h, ev, of_evidence, COUNT(of_evidence));
}

/* ---- the rest ---- */

static void redact_event(struct hiding *h, struct event *ev)
{
	const struct middle m = { &ev->exception, NULL, NULL };

	if (ev->around || ev->exception)
		redact_around(h, ev->around, &m);
	redact_inputs(h, ev->around);
	redact_fields(h, ev, of_event, COUNT(of_event));
}

static void redact_calls(struct hiding *h, struct calls *c)
{
	for (size_t i = 0; i < c->n_callers; i++) {
		struct caller *v = &c->callers[i];

		redact_fields(h, v, of_caller, COUNT(of_caller));
		redact_fields(h, &v->last.frame, of_frame, COUNT(of_frame));
		redact_fields(h, &v->waits.frame, of_frame, COUNT(of_frame));
	}
	for (size_t i = 0; i < c->n_groups; i++)
		redact_fields(
		    h, &c->groups[i], of_call_group, COUNT(of_call_group));
	for (size_t i = 0; i < c->n_stands; i++) {
		redact_fields(h, &c->stands[i], of_stand, COUNT(of_stand));
		redact_fields(
		    h, &c->stands[i].frame, of_frame, COUNT(of_frame));
	}
}

static void redact_log(struct hiding *h, struct findings *f)
{
	char *none = NULL;
	const struct middle m = { &none, NULL, NULL };

	redact_fields(h, f, of_log, COUNT(of_log));
	if (f->tail)
		redact_around(h, f->tail, &m);
	redact_inputs(h, f->tail);
	if (f->calls)
		redact_calls(h, f->calls);
	for (size_t i = 0; i < f->n_events; i++)
		redact_event(h, &f->events[i]);
	for (size_t i = 0; i < f->n_evidence; i++)
		redact_evidence(h, &f->evidence[i]);
	for (size_t i = 0; f->metrics && i < f->metrics->n; i++)
		redact_fields(h, f->metrics->v[i], of_curve, COUNT(of_curve));
	for (size_t i = 0; f->metrics && i < f->metrics->n_ranks; i++)
		redact_fields(h, f->metrics->ranks[i], of_pace, COUNT(of_pace));
}

static char **record_text(const struct job_record *r, size_t i)
{
	return (char **)((char *)(uintptr_t)r + job_record_texts[i]);
}

/* Records are shared: one that has a secret is copied first. */
static void redact_record(struct hiding *h, struct diagnosis *d)
{
	const struct job_record *r = d->record;
	bool any = d->own_record != NULL;

	for (size_t i = 0; r && i < JOB_RECORD_TEXTS && !any; i++)
		any = *record_text(r, i) &&
		    hides(h, span_of(*record_text(r, i)), NULL);
	for (size_t i = 0; r && i < r->n_nodes && !any; i++)
		any = hides(h, span_of(r->nodes[i]), NULL);
	if (!any)
		return;
	if (!d->own_record)
		d->own_record = job_record_copy(r);
	if (!d->own_record) {
		h->failed = true;
		return;
	}
	d->record = d->own_record;
	for (size_t i = 0; i < JOB_RECORD_TEXTS; i++)
		hide(h, record_text(d->own_record, i));
	redact_fields(h, d->own_record, of_record, COUNT(of_record));
}

static void go_over(struct hiding *h, struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		redact_log(h, d->logs[i]);
	redact_record(h, d);
	redact_fields(h, d, of_diagnosis, COUNT(of_diagnosis));
}

int redaction_apply(
    struct diagnosis *d, const struct redactor *r, struct err *e)
{
	struct hiding h = { .x = redact_new(r),
		.out = BUF_INIT(BUF_MAX),
		.joined = BUF_INIT(BUF_MAX),
		.by_rules = true };

	h.failed = h.x == NULL;
	if (!h.failed)
		go_over(&h, d);
	h.by_rules = false;
	if (!h.failed && redact_has_seen(h.x))
		go_over(&h, d);
	redact_free(h.x);
	buf_release(&h.out);
	buf_release(&h.joined);
	return h.failed ? err_nomem(e) : 0;
}
