/* Both '\n' and '\r' end a line, only '\n' counts in line numbers. */
#include "diagnose/evidence/excerpt.h"

#include "diagnose/evidence/around.h"
#include "diagnose/diagnosis.h"
#include "input/decode.h"

#include <stdlib.h>
#include <string.h>

struct excerpt *excerpt_new(void)
{
	return calloc(1, sizeof(struct excerpt));
}

void excerpt_free(struct excerpt *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n_before; i++)
		free(x->before[i].text);
	for (size_t i = 0; i < x->n_after; i++)
		free(x->after[i].text);
	inputs_release(&x->inputs);
	free(x);
}

/* false: it is blank, or there is no memory for it. */
static bool keep(struct excerpt *x, struct excerpt_line *to, struct span line,
    uint64_t number)
{
	if (span_trim(line).n == 0)
		return false;
	to->text = span_dup(span_sub(line, 0, EXCERPT_LINE));
	to->number = number;
	x->failed |= !to->text;
	return to->text != NULL;
}

void excerpt_before(struct excerpt *x, struct span text, size_t at,
    uint64_t number, size_t most)
{
	size_t floor = at > INPUTS_REACH ? at - INPUTS_REACH : 0;
	size_t end, start;

	while (at > floor && x->n_before < most && x->n_before < EXCERPT_TAIL) {
		end = at - 1; /* of the line before, less what ends it */
		if (!around_end(text.p[end]))
			end++; /* the last line of the log lacks its end */
		else if (text.p[end] == '\n')
			number--;
		start = end;
		while (start > floor && !around_end(text.p[start - 1]))
			start--;
		if (start == floor && floor > 0)
			break;
		x->n_before += keep(x, &x->before[x->n_before],
		    span_sub(text, start, end), number);
		at = start;
	}
}

void excerpt_after(
    struct excerpt *x, struct span text, size_t at, uint64_t number)
{
	while (at < text.n && x->n_after < EXCERPT_AROUND) {
		size_t end = at;

		while (end < text.n && !around_end(text.p[end]))
			end++;
		x->n_after += keep(
		    x, &x->after[x->n_after], span_sub(text, at, end), number);
		number += end < text.n && text.p[end] == '\n';
		at = end + 1;
	}
	x->open = x->n_after < EXCERPT_AROUND;
}

/* ---- for a scan ---- */

/* A block with what lies before it. */
static struct span whole_text(const struct decode_block *b)
{
	return (struct span){ b->history.n ? b->history.p : b->text.p,
		b->history.n + b->text.n };
}

void excerpt_reader_release(struct excerpt_reader *r)
{
	inputs_release(&r->inputs);
	*r = (struct excerpt_reader){ .tax = r->tax };
}

/* Bring r's inputs up to offset to of text, which begins at clean byte base. */
static void search_inputs(
    struct excerpt_reader *r, struct span text, uint64_t base, size_t to)
{
	size_t from = to > INPUTS_REACH ? to - INPUTS_REACH : 0;

	if (r->searched_to > base + from)
		from = r->searched_to - base < to
		    ? (size_t)(r->searched_to - base)
		    : to;
	if (inputs_search(r->tax, &r->inputs, text, from, to))
		r->failed = true;
	else
		r->searched_to = base + to;
}

/* Where the last line begins that has the start of message, before end. */
static size_t find_message(struct span text, size_t end, struct span message)
{
	size_t floor = end > INPUTS_REACH ? end - INPUTS_REACH : 0;
	size_t n = 0;

	while (n < message.n && n < 100 && !around_end(message.p[n]))
		n++;
	if (n == 0)
		return SIZE_MAX;
	for (size_t at = end; at-- > floor;) {
		if (text.n - at < n || memcmp(text.p + at, message.p, n) != 0)
			continue;
		while (at > 0 && !around_end(text.p[at - 1]))
			at--;
		return at;
	}
	return SIZE_MAX;
}

/* The same of a statement that a box has on two lines: its header, which ends
 * in a mark, and the reason. */
static size_t find_reason(struct span text, size_t end, struct span message)
{
	size_t at = find_message(text, end, message);

	for (size_t i = 1; at == SIZE_MAX && i + 1 < message.n && i < 200; i++)
		if (message.p[i] == ' ' && strchr(":)]", message.p[i - 1]))
			at = find_message(
			    text, end, span_sub(message, i + 1, message.n));
	return at;
}

/* Where a line begins, or SIZE_MAX; at begins the line that first numbers. */
static size_t find_line(
    struct span text, size_t at, uint64_t first, uint64_t number)
{
	const char *end;

	for (; first < number && at < text.n; first++) {
		end = memchr(text.p + at, '\n', text.n - at);
		at = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	for (; first > number && at > 0; first--)
		for (at--; at > 0 && text.p[at - 1] != '\n';)
			at--;
	return first == number ? at : SIZE_MAX;
}

/* Past so many lines. */
static size_t skip_lines(
    struct span text, size_t at, size_t lines, uint64_t *number)
{
	for (; lines && at < text.n; lines--) {
		while (at < text.n && !around_end(text.p[at]))
			at++;
		*number += at < text.n && text.p[at] == '\n';
		at += at < text.n;
	}
	return at;
}

struct excerpt *excerpt_take(struct excerpt_reader *r,
    const struct decode_block *b, size_t pos, uint64_t number,
    struct span message)
{
	struct span text = whole_text(b);
	size_t at = pos == SIZE_MAX
	    ? find_line(text, b->history.n, b->line, number)
	    : b->history.n + pos;
	size_t lines = 1;
	struct excerpt *x;

	if (message.p) {
		size_t end = find_line(text, b->history.n, b->line, number + 1);

		/* other processes may have said the same since */
		at = find_reason(text, end < at ? end : at, message);
		message = span_trim(message);
		for (size_t i = 0; i < message.n; i++)
			lines += message.p[i] == '\n';
	}
	if (at == SIZE_MAX)
		return NULL;
	x = excerpt_new();
	if (!x) {
		r->failed = true;
		return NULL;
	}
	excerpt_before(x, text, at, number, EXCERPT_AROUND);
	at = skip_lines(text, at, lines, &number);
	excerpt_after(x, text, at, number);
	r->open |= x->open;
	search_inputs(r, text, b->clean - b->history.n, at);
	if (inputs_copy(&x->inputs, &r->inputs) || x->failed)
		r->failed = true;
	return x;
}

static void go_on(
    struct excerpt_reader *r, struct excerpt *x, const struct decode_block *b)
{
	if (!x || !x->open)
		return;
	excerpt_after(x, b->text, 0, b->line);
	r->open |= x->open;
	r->failed |= x->failed;
}

void excerpt_go_on(
    struct excerpt_reader *r, struct findings *f, const struct decode_block *b)
{
	if (!r->open)
		return;
	r->open = false;
	for (size_t i = 0; i < f->n_evidence; i++)
		go_on(r, f->evidence[i].around, b);
	for (size_t i = 0; i < f->n_events; i++)
		go_on(r, f->events[i].around, b);
}

void excerpt_end(
    struct excerpt_reader *r, struct findings *f, const struct decode_block *b)
{
	struct span text = whole_text(b);
	bool ended = text.n && text.p[text.n - 1] == '\n';

	f->tail = excerpt_new();
	if (!f->tail) {
		r->failed = true;
		return;
	}
	excerpt_before(f->tail, text, text.n, f->lines + ended, EXCERPT_TAIL);
	search_inputs(r, text, b->clean - b->history.n, text.n);
	if (inputs_copy(&f->tail->inputs, &r->inputs) || f->tail->failed)
		r->failed = true;
}

const struct excerpt *excerpt_of(const struct proof *p)
{
	if (!p)
		return NULL;
	if (p->evidence && p->evidence->around)
		return p->evidence->around;
	return p->event ? p->event->around : NULL;
}
