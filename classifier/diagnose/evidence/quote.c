/*
 * Most lines are never looked at, so those between two that are must be gone
 * over. A quote ends after QUOTE_REACH bytes, which are always at hand: then it
 * does not matter how the log was split into blocks.
 */
#include "diagnose/evidence/quote.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/before.h"

#define QUOTE_REACH BEFORE_REACH
#define INDENT_LEAST 2

void quote_begin(struct quote *q, const struct decode_block *b, size_t end)
{
	*q = (struct quote){ .from = b->clean + end };
	q->known = q->from;
}

static size_t indent_of(struct span line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == ' ')
		n++;
	return n;
}

/* Go over a line; whether the quote goes on. */
static bool goes_on(struct quote *q, struct span line)
{
	size_t n = indent_of(line);

	if (n == line.n)
		return true;
	if (n >= INDENT_LEAST && !q->indent)
		q->indent = n;
	return n >= INDENT_LEAST;
}

size_t quote_end(struct span all, size_t at)
{
	struct quote q = { .from = 0 };

	while (at < all.n) {
		size_t to = around_newline(all, at);

		if (!goes_on(&q, span_sub(all, at, to)))
			break;
		at = to < all.n ? to + 1 : to;
	}
	return at;
}

struct span quote_line(
    struct quote *q, const struct decode_block *b, size_t pos, struct span line)
{
	uint64_t base = b->clean - b->history.n, here = b->clean + pos;
	struct span all = { b->history.n ? b->history.p : b->text.p,
		b->history.n + b->text.n };
	size_t n;

	if (!q->from || here < q->known)
		return line;
	if (here - q->from > QUOTE_REACH || q->known < base) {
		q->from = 0;
		return line;
	}
	while (q->known < here) {
		size_t at = (size_t)(q->known - base);
		size_t to = around_newline(all, at);

		if (!goes_on(q, span_sub(all, at, to))) {
			q->from = 0;
			return line;
		}
		q->known = base + to + 1;
	}
	if (!goes_on(q, line)) {
		q->from = 0;
		return line;
	}
	n = indent_of(line);
	return span_sub(line, n < q->indent ? n : q->indent, line.n);
}
