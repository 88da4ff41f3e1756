/*
 * Every text of the diagnosis that comes from a log, a path or a job record is
 * gone over twice. The first time by the rules, with the lines around a piece
 * of evidence as one text, since a private key is told by its first and last
 * line. The second time for the secrets that were found so: what is a password
 * in the log's command line is one in a capture, too, where nothing says so.
 */
#include "diagnose/decision/hide.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/evidence/excerpt.h"
#include "diagnose/job_record.h"
#include "rules/redact.h"

#include <stdlib.h>
#include <string.h>

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

static void hide_all(struct hiding *h, char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hide(h, &v[i]);
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
static void hide_around(
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

static void hide_inputs(struct hiding *h, struct excerpt *x)
{
	if (x)
		hide_all(h, x->inputs.v, x->inputs.n);
}

/* A capture is a part of the text: with what is around it the rules may have
 * seen what it is. */
static void hide_capture(struct hiding *h, char **s)
{
	int rc = redact_part(h->x, span_of(*s), &h->out);

	h->failed |= rc < 0;
	if (rc == 1)
		replace(h, s, (struct span){ h->out.p, h->out.len });
}

static void hide_evidence(struct hiding *h, struct evidence *ev)
{
	struct redact_marks marks = { ev->match_from, ev->match_to };
	const struct middle m = { &ev->text, &ev->text_len, &marks };

	hide_around(h, ev->around, &m);
	ev->match_from = marks.from;
	ev->match_to = marks.to;
	for (size_t i = 0; h->by_rules && i < ev->n_captures; i++)
		hide_capture(h, &ev->captures[i].value);
	for (size_t i = 0; i < ev->n_captures; i++)
		hide(h, &ev->captures[i].value);
	hide_inputs(h, ev->around);
	hide(h, &ev->node);
}

/* ---- the rest ---- */

static void hide_event(struct hiding *h, struct event *ev)
{
	const struct middle m = { &ev->exception, NULL, NULL };

	if (ev->around || ev->exception)
		hide_around(h, ev->around, &m);
	hide_inputs(h, ev->around);
	hide(h, &ev->node);
	hide(h, &ev->frame.file);
	hide(h, &ev->frame.function);
	hide(h, &ev->frame.code);
}

static void hide_log(struct hiding *h, struct findings *f)
{
	char *none = NULL;
	const struct middle m = { &none, NULL, NULL };

	hide(h, &f->path);
	hide(h, &f->node);
	hide(h, &f->checkpoint);
	hide_all(h, f->notes, f->n_notes);
	if (f->tail)
		hide_around(h, f->tail, &m);
	hide_inputs(h, f->tail);
	for (size_t i = 0; i < f->n_events; i++)
		hide_event(h, &f->events[i]);
	for (size_t i = 0; i < f->n_evidence; i++)
		hide_evidence(h, &f->evidence[i]);
}

/* Records are shared: one that has a secret is copied first. */
static void hide_record(struct hiding *h, struct diagnosis *d)
{
	static const size_t at[] = { offsetof(struct job_record, id),
		offsetof(struct job_record, raw_id),
		offsetof(struct job_record, name),
		offsetof(struct job_record, user),
		offsetof(struct job_record, group),
		offsetof(struct job_record, partition),
		offsetof(struct job_record, image),
		offsetof(struct job_record, state),
		offsetof(struct job_record, reason) };
	const struct job_record *r = d->record;
	size_t n = sizeof at / sizeof *at;
	bool any = d->own_record != NULL;

	for (size_t i = 0; r && i < n + r->n_nodes && !any; i++) {
		const char *s = i < n
		    ? *(char *const *)(const void *)((const char *)r + at[i])
		    : r->nodes[i - n];

		any = s && hides(h, span_of(s), NULL);
	}
	if (!any)
		return;
	if (!d->own_record && diagnosis_own_record(d)) {
		h->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		hide(h, (char **)(void *)((char *)d->own_record + at[i]));
	hide_all(h, d->own_record->nodes, d->own_record->n_nodes);
}

static void go_over(struct hiding *h, struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		hide_log(h, d->logs[i]);
	hide_record(h, d);
	hide(h, &d->job);
	hide(h, &d->key);
	hide(h, &d->lookup);
	hide_all(h, d->notes, d->n_notes);
}

int hide_secrets(struct diagnosis *d, const struct redactor *r, struct err *e)
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
