#include "diagnose/evidence/recurring.h"

#include "diagnose/findings.h"
#include "diagnose/evidence/before.h"
#include "diagnose/evidence/scan_private.h"

#include <stdlib.h>
#include <string.h>

#define LINES 512       /* from the end that are looked at */
#define MOST 32         /* that are kept */
#define BEHIND 10       /* behind the first evidence: with fewer none is kept */
#define LEAST_LETTERS 4 /* outside of words with a digit */

struct kind {
	uint64_t hash, line;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return ((unsigned char)c | 0x20) >= 'a' &&
	    ((unsigned char)c | 0x20) <= 'z';
}

/* Whether a sign belongs to a word as numbers, names of files and ids are. */
static bool in_word(char c)
{
	return is_digit(c) || is_letter(c) || (c && strchr("._+-/\\%", c));
}

static uint64_t add(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * 0x100000001b3u;
}

/* A hash of the kind of a line: of its text with one sign for each word that
 * holds a digit, and one for blanks; 0: it has hardly any other words. */
static uint64_t kind_of(struct span s)
{
	uint64_t hash = 0xcbf29ce484222325u;
	unsigned letters = 0;

	for (size_t i = 0, end; i < s.n; i = end) {
		bool digit = false;

		for (end = i; end < s.n && in_word(s.p[end]); end++)
			digit |= is_digit(s.p[end]);
		if (end == i) {
			bool blank = s.p[i] == ' ' || s.p[i] == '\t';

			if (!blank || !i ||
			    (s.p[i - 1] != ' ' && s.p[i - 1] != '\t'))
				hash = add(hash, blank ? ' ' : s.p[i]);
			end++;
			continue;
		}
		if (digit) {
			hash = add(hash, '0');
			continue;
		}
		for (; i < end; i++) {
			letters += is_letter(s.p[i]);
			hash = add(hash, s.p[i]);
		}
	}
	return letters < LEAST_LETTERS ? 0 : hash | 1;
}

/* The kind of a line that an ordinary step of a program prints: none that is
 * part of a report or a listing, which is indented, or tells of trouble. */
static uint64_t ordinary_kind(const struct prefixes *prefixes, struct span line)
{
	struct envelope env;

	envelope_peel(prefixes, line, &env);
	if (!env.text.n || env.text.p[0] == ' ' || env.text.p[0] == '\t' ||
	    (env.level != LEVEL_UNKNOWN && env.level >= LEVEL_WARNING))
		return 0;
	return kind_of(env.text);
}

static int by_hash(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_line(const void *a, const void *b)
{
	const struct recurring *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* The first line that something is known of, or 0. */
static uint64_t first_told(const struct findings *f)
{
	uint64_t first = 0;

	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->rule && (!first || ev->line < first))
			first = ev->line;
	}
	return first;
}

/* Keep the last of those of n kinds, sorted by hash and line, that came
 * before. */
static void keep(struct findings *f, const struct kind *v, size_t n)
{
	struct recurring *r = malloc(LINES * sizeof *r);
	size_t first = 0, n_r = 0, less;

	f->failed |= !r;
	if (!r)
		return;
	for (size_t i = 1; i < n; i++) {
		if (v[i].hash != v[first].hash)
			first = i;
		else
			r[n_r++] =
			    (struct recurring){ v[i].line, v[first].line };
	}
	qsort(r, n_r, sizeof *r, by_line);
	less = n_r > MOST ? n_r - MOST : 0;
	f->recurring = malloc((n_r - less + 1) * sizeof *r);
	if (f->recurring) {
		f->n_recurring = n_r - less;
		memcpy(f->recurring, r + less, f->n_recurring * sizeof *r);
	}
	f->failed |= !f->recurring;
	free(r);
}

/* What stands on a line at last: a bar is drawn over itself. */
static struct span drawn_last(struct span line)
{
	size_t at;

	while (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	at = span_line_start(line, 0, line.n);
	return span_sub(line, at, line.n);
}

void recurring_find(
    struct findings *f, const struct prefixes *prefixes, struct span text)
{
	size_t from = text.n > BEFORE_REACH ? text.n - BEFORE_REACH : 0, n = 0;
	uint64_t told = first_told(f), number;
	struct kind *v;
	struct span line;

	if (!told || told + BEHIND > f->lines)
		return;
	v = malloc(LINES * sizeof *v);
	f->failed |= !v;
	if (!v)
		return;
	number = scan_line_number(f, text, from);
	text = span_sub(text, from, text.n);
	if (from && span_line(&text, &line)) /* it was cut */
		number++;
	for (; span_line(&text, &line); number++) {
		struct kind k = { ordinary_kind(prefixes, drawn_last(line)),
			number };

		if (k.hash)
			v[n++ % LINES] = k;
	}
	n = n < LINES ? n : LINES;
	qsort(v, n, sizeof *v, by_hash);
	keep(f, v, n);
	free(v);
}
