/*
 * The lines that prove the cause, with what stands around them; and the rows
 * for everything else that was seen: one a rule, with how often and on which
 * ranks.
 */
#include "base/when.h"
#include "diagnose/evidence/excerpt.h"
#include "reports/explain/explain_parts.h"
#include "reports/period/sheet.h"

#include <stdlib.h>
#include <string.h>

#define PROOF_ROWS 6   /* of a proof's first line */
#define PROOF_LINES 4  /* of one that has several */
#define OTHER_PROOFS 3 /* beside the first */
#define CONSEQUENCES 6
#define REJECTED 12
#define LAST_LINES 8
#define RANKS_MAX 4096
#define HEADLINE 160 /* bytes of the message that comes first */
#define SNIPPET 160  /* bytes of a line that is only mentioned */

struct span explain_text(const struct proof *p, size_t *from, size_t *to)
{
	const struct evidence *ev = p->evidence;

	*from = *to = 0;
	if (ev) {
		*from = ev->match_from;
		*to = ev->match_to;
	}
	return proof_text(p);
}

/* ---- log lines ---- */

/* "  212 ", or the mark before a line that matters. */
static void gutter_of(char out[32], uint64_t number, bool mark)
{
	snprintf(
	    out, 32, "%s%6llu", mark ? ">" : " ", (unsigned long long)number);
}

static void write_context(struct page *p, const struct excerpt_line *l)
{
	char gutter[32];

	gutter_of(gutter, l->number, false);
	page_add(p, FAINT);
	page_string(p, l->text);
	page_add(p, PLAIN);
	page_code(p, gutter, 1);
}

/* A line of the proof, with what of it was matched. */
static void write_hit(struct page *p, struct span line, size_t from, size_t to)
{
	size_t lead = 0;

	from = from < line.n ? from : line.n;
	to = to < line.n ? to : line.n;
	while (lead < from && line.p[lead] == ' ')
		lead++;
	if (to <= from) {
		page_log(p, line);
		return;
	}
	page_log(p, span_sub(line, 0, from));
	page_add(p, HIT);
	page_log(p, span_sub(line, from, to));
	page_add(p, PLAIN);
	page_log(p, span_sub(line, to, line.n));
}

/* All lines of what a proof says, the first ones if there are many. */
static void write_text(struct page *p, const struct proof *proof)
{
	size_t from, to, at = 0, n = 0;
	struct span text = explain_text(proof, &from, &to), line;
	uint64_t number = proof_line(proof);
	bool block =
	    proof->evidence && proof->evidence->rule->where == WHERE_BLOCK;
	char gutter[32];

	while (span_line(&text, &line)) {
		size_t next = at + line.n + 1;

		/* of a block only the lines that were matched matter */
		if (span_trim(line).n &&
		    (!block || to <= from || (next > from && at < to))) {
			if (n++ == PROOF_LINES)
				break;
			gutter_of(gutter, number, n == 1);
			write_hit(p, line, from > at ? from - at : 0,
			    to > at ? to - at : 0);
			page_code(p, n == 1 ? gutter : "       ", PROOF_ROWS);
		}
		at = next;
	}
}

/* ---- where ---- */

static void add_time(struct page *p, int64_t micros)
{
	char text[32];

	if (micros == ENVELOPE_NO_TIME)
		return;
	when_format(micros, text);
	text[10] = ' ';
	page_add(
	    p, "  %.19s", text + (span_starts(span_of(text), "1970") ? 5 : 0));
}

/* "train.log:12  rank 3  node gpu7  2024-05-01 10:00:09" */
static void add_place(struct page *p, const struct proof *proof)
{
	const char *node = proof_node(proof);
	int rank = proof_rank(proof);

	page_place(p, proof->log->path, proof_line(proof));
	if (rank >= 0)
		page_add(p, "  rank %d", rank);
	if (node) {
		page_add(p, "  node ");
		page_string(p, node);
	}
	add_time(p, proof_time(proof));
}

static void write_root(struct page *p, const struct proof *root)
{
	const struct excerpt *around = excerpt_of(root);

	add_place(p, root);
	page_note(p);
	page_code_begin(p);
	for (size_t i = 0; around && i < EXCERPT_AROUND; i++) {
		size_t k = EXCERPT_AROUND - 1 - i;

		if (k < around->n_before)
			write_context(p, &around->before[k]);
	}
	write_text(p, root);
	for (size_t i = 0; around && i < around->n_after; i++)
		write_context(p, &around->after[i]);
	page_code_end(p);
}

void explain_where(struct page *p, const struct explain *x)
{
	const struct proofs *v = &x->d->evidence;
	if (v->n == 0)
		return;
	page_heading(p, "Where");
	write_root(p, &v->v[0]);
	for (size_t i = 1; i < v->n && i <= OTHER_PROOFS; i++) {
		struct span text = proof_text(&v->v[i]);

		add_place(p, &v->v[i]);
		page_add(p, "  " FAINT "%s: ", v->v[i].why);
		page_log(p, span_sub(span_trim(text), 0, SNIPPET));
		page_add(p, PLAIN);
		page_item(p, 0);
	}
	if (v->n > OTHER_PROOFS + 1) {
		page_add(
		    p, "%zu more that confirm it", v->n - OTHER_PROOFS - 1);
		page_item(p, 0);
	}
}

/* The block of the root that has a frame of the user's: a library may catch
 * what it raises, and raise something else from it. */
static const struct event *user_event(const struct proof *root)
{
	const struct findings *f = root->log;
	const struct event *ev = root->event;

	for (size_t i = 0; ev && !ev->user_frame && i < f->n_events; i++)
		if (f->events[i].chain != CHAIN_NONE &&
		    f->events[i].prior == (uint32_t)(ev - f->events) &&
		    &f->events[i] > ev)
			ev = &f->events[i];
	return ev && ev->user_frame && ev->frame.file ? ev : NULL;
}

/* The line of a proof that was matched. */
static struct span matched_line(const struct proof *proof)
{
	size_t from, to, at = 0;
	struct span text = explain_text(proof, &from, &to), line = { NULL, 0 };

	while (span_line(&text, &line)) {
		at += line.n + 1;
		if (at > from && span_trim(line).n)
			break;
	}
	return span_trim(line);
}

/* What an assertion without a message of its own asked for. */
static void add_assertion(
    struct page *p, struct span line, const struct event *ev)
{
	struct span code = span_of(ev ? ev->frame.code : NULL);

	if (span_find(line, " ") != SIZE_MAX ||
	    !span_starts(span_trim(code), "assert "))
		return;
	page_add(p, ": ");
	page_log(p, span_sub(span_trim(code), 0, HEADLINE));
}

static bool has_words(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z')
			return true;
	return false;
}

/* What comes behind a line of an exception that only announces it. */
static struct span announced(const struct proof *root, struct span line)
{
	struct span text = span_of(root->event ? root->event->exception : NULL);
	struct span next = { NULL, 0 };

	while (span_line(&text, &next) && !span_eq(span_trim(next), line))
		;
	while (span_line(&text, &next))
		if (has_words(next))
			return span_trim(next);
	return (struct span){ NULL, 0 };
}

void explain_headline(struct page *p, const struct explain *x)
{
	const struct proof *root = x->d->evidence.v;
	struct span line, next = { NULL, 0 };
	const struct event *ev;
	size_t end;

	if (!x->d->evidence.n || root->log->of_record)
		return;
	line = matched_line(root);
	if (!line.n)
		return;
	if (span_ends(line, ":"))
		next = announced(root, line);
	/* a colon that nothing comes behind */
	line.n -= span_ends(line, ":") && !next.n;
	end = line.n < HEADLINE ? line.n : HEADLINE;
	/* by whole words */
	while (end < line.n && end > HEADLINE / 2 && line.p[end] != ' ')
		end--;
	page_add(p, STRONG);
	page_log(p, span_sub(line, 0, end));
	if (next.n) {
		page_add(p, " ");
		page_log(p, span_sub(next, 0, HEADLINE));
	}
	page_add(p, end < line.n || next.n > HEADLINE ? " ..." PLAIN : PLAIN);
	ev = user_event(root);
	if (!next.n)
		add_assertion(p, line, ev);
	if (ev && ev->frame.line > 0) {
		const char *name = strrchr(ev->frame.file, '/');

		page_add(p, " (");
		page_string(p, name ? name + 1 : ev->frame.file);
		page_add(p, ":%d)", (int)ev->frame.line);
	}
	page_paragraph(p);
}

void explain_frame(struct page *p, const struct explain *x)
{
	const struct event *ev =
	    x->d->evidence.n ? user_event(&x->d->evidence.v[0]) : NULL;
	const struct frame *f = ev ? &ev->frame : NULL;

	if (!f)
		return;
	page_heading(p, "Your code");
	page_place(p, f->file, f->line > 0 ? (uint64_t)f->line : 0);
	if (f->function && *f->function) {
		page_add(p, " in ");
		page_string(p, f->function);
	}
	page_note(p);
	if (!f->code || !*f->code)
		return;
	page_code_begin(p);
	page_log(p, span_trim(span_of(f->code)));
	page_code(p, " ", 2);
	page_code_end(p);
}

/* ---- all the rest ---- */

/* The ranks that printed something by a rule, but not only one. */
static void add_ranks(
    struct page *p, const struct diagnosis *d, const struct rule *r)
{
	static const size_t most = RANKS_MAX;
	bool *seen = calloc(most, sizeof *seen);
	int *ranks = calloc(most, sizeof *ranks);
	size_t n = 0;

	if (!seen || !ranks)
		p->failed = true;
	for (size_t i = 0; i < d->n_logs && !p->failed; i++)
		for (size_t k = 0; k < d->logs[i]->n_evidence; k++) {
			const struct evidence *ev = &d->logs[i]->evidence[k];
			int rank = ev->rank >= 0 ? ev->rank : d->logs[i]->rank;

			if (ev->rule == r && rank >= 0 && rank < RANKS_MAX)
				seen[rank] = true;
		}
	for (int i = 0; i < RANKS_MAX && !p->failed; i++)
		if (seen[i])
			ranks[n++] = i;
	if (n) {
		page_add(p, ", ");
		explain_ranks(p, ranks, n);
	}
	free(ranks);
	free(seen);
}

/* "147 x NCCL's watchdog ended the process, ranks 0-6 (train.log:88)" */
static void add_row(
    struct page *p, const struct diagnosis *d, const struct proof *proof)
{
	if (proof->count > 1)
		page_add(p, STRONG "%llu x " PLAIN,
		    (unsigned long long)proof->count);
	if (proof->evidence)
		page_string(p, proof->evidence->rule->title);
	else
		page_log(p, span_sub(proof_text(proof), 0, SNIPPET));
	if (proof->evidence)
		add_ranks(p, d, proof->evidence->rule);
	page_add(p, " (");
	page_place(p, proof->log->path, proof_line(proof));
	page_add(p, ")");
}

void explain_consequences(struct page *p, const struct explain *x)
{
	const struct proofs *v = &x->d->consequences;
	uint64_t more = 0;

	if (v->n == 0)
		return;
	page_heading(p, "Only consequences of it");
	for (size_t i = 0; i < v->n; i++) {
		if (i >= CONSEQUENCES) {
			more += v->v[i].count;
			continue;
		}
		add_row(p, x->d, &v->v[i]);
		page_item(p, 0);
	}
	if (more) {
		page_add(p, "%llu more of %zu other kinds",
		    (unsigned long long)more, v->n - CONSEQUENCES);
		page_item(p, 0);
	}
}

void explain_why(struct page *p, const struct explain *x)
{
	const struct proofs *v = &x->d->rejected;
	const struct diagnosis *d = x->d;

	page_heading(p, "Why this one");
	if (d->rule) {
		page_add(p, "rule ");
		page_string(p, d->rule->id);
		page_add(p, " (%s%s), fingerprint %s",
		    taxonomy_role_name(d->rule->role),
		    d->rule->generic ? ", generic" : "", d->fingerprint);
		page_item(p, 0);
	}
	for (size_t i = 0; i < d->n_because; i++) {
		page_add(p, "%s", d->because[i]);
		page_item(p, 0);
	}
	if (v->n == 0) {
		page_add(p, "nothing else was considered");
		page_item(p, 0);
	}
	for (size_t i = 0; i < v->n && i < REJECTED; i++) {
		add_row(p, d, &v->v[i]);
		page_add(p, " lost: %s", v->v[i].why);
		page_item(p, 0);
	}
	if (v->n > REJECTED) {
		page_add(p, "%zu more", v->n - REJECTED);
		page_item(p, 0);
	}
}

/* ---- the end of the log ---- */

/* The log that has the root, else the one that ended last. */
static const struct findings *last_log(const struct diagnosis *d)
{
	const struct findings *best = NULL;

	if (d->evidence.n && d->evidence.v[0].log->tail)
		return d->evidence.v[0].log;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->of_record || !f->tail || f->tail->n_before == 0)
			continue;
		if (!best || f->last_time > best->last_time)
			best = f;
	}
	return best;
}

void explain_last_lines(struct page *p, const struct explain *x)
{
	const struct findings *f = last_log(x->d);
	size_t n = f && f->tail ? f->tail->n_before : 0;

	if (n == 0)
		return;
	page_heading(p, "The last lines");
	page_place(p, f->path, 0);
	page_note(p);
	page_code_begin(p);
	for (size_t i = n < LAST_LINES ? n : LAST_LINES; i-- > 0;) {
		char gutter[32];

		gutter_of(gutter, f->tail->before[i].number, false);
		page_string(p, f->tail->before[i].text);
		page_code(p, gutter, 2);
	}
	page_code_end(p);
}

void explain_leads(struct page *p, const struct explain *x)
{
	const struct lead_list *l = &x->d->leads;

	if (!l->n)
		return;
	page_heading(p,
	    l->runs ? "Lines that no good run of this job prints"
		    : "Lines that no known good run prints");
	for (size_t i = 0; i < l->n; i++) {
		char gutter[32];

		if (!i || l->v[i].path != l->v[i - 1].path) {
			if (i)
				page_code_end(p);
			page_place(p, l->v[i].path, 0);
			page_note(p);
			page_code_begin(p);
		}
		gutter_of(gutter, l->v[i].line, false);
		page_string(p, l->v[i].text);
		page_code(p, gutter, 2);
	}
	page_code_end(p);
	if (l->lines > l->n) {
		page_add(p, "%llu more between them",
		    (unsigned long long)(l->lines - l->n));
		page_note(p);
	}
}
