/*
 * Lines are known by the hash of their first bytes, numbers away. The start of
 * the log is but kept until the first death asks for it: most logs tell of
 * none.
 */
#include "diagnose/signals/recall.h"

#include "base/array.h"
#include "diagnose/evidence/around.h"
#include "diagnose/signals/facts.h"
#include "rules/taxonomy.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS 12 /* that make a line one to know again */
/* Bytes that a dying process can still write out. */
#define FLUSHED (9u << 10)
#define RIGHT_BEHIND 3 /* lines */
#define FIRST 2        /* lines of the start, with one of which it begins */
#define LAUNCH_LEAST 8 /* different lines of a start */
#define LEAST_LINES 10 /* of output that is work */
#define LEAST_KNOWN 3  /* of them, and different, by words */
#define PLACE_UNKNOWN SIZE_MAX

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool recall_next_line(struct span all, size_t *at, struct span *line)
{
	size_t to;

	while (*at < all.n && around_end(all.p[*at]))
		++*at;
	for (to = *at; to < all.n && !around_end(all.p[to]);)
		to++;
	*line = span_sub(all, *at, to);
	*at = to;
	return line->n > 0;
}

size_t recall_mask(struct span s, char out[RECALL_TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < RECALL_TEXT; i++) {
		if (n &&
		    ((is_digit(s.p[i]) && out[n - 1] == '0') ||
			(s.p[i] == ' ' && out[n - 1] == ' ')))
			continue;
		out[n++] = is_digit(s.p[i]) ? '0' : s.p[i];
	}
	return n;
}

bool recall_telling(struct span text)
{
	size_t letters = 0;

	for (size_t i = 0; i < text.n && i < RECALL_TEXT; i++)
		letters += is_letter(text.p[i]);
	return letters >= LETTERS && text.p[0] != ' ' && text.p[0] != '\t';
}

/* ---- one line ---- */

struct known {
	uint64_t hash; /* 0: an empty line */
	bool telling;
	size_t at; /* where it stands, and its number: look_behind */
	uint64_t line;
};

static struct known know(const struct recall *r, struct span line)
{
	char text[RECALL_TEXT];
	struct known k = { .hash = 0xcbf29ce484222325u };
	struct envelope env;
	size_t n;

	envelope_peel(r->tax->prefixes, line, &env);
	n = recall_mask(env.text, text);
	for (size_t i = 0; i < n; i++)
		k.hash = (k.hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	k.telling = n && recall_telling(env.text);
	return n ? k : (struct known){ .hash = 0 };
}

static size_t find(const uint64_t *v, size_t n, uint64_t hash)
{
	size_t i = 0;

	while (i < n && v[i] != hash)
		i++;
	return i;
}

/* ---- the start of the log ---- */

void recall_release(struct recall *r)
{
	free(r->deaths);
}

void recall_keep(struct recall *r, struct span all)
{
	r->n_start = all.n < RECALL_REACH ? all.n : RECALL_REACH;
	memcpy(r->start, all.p, r->n_start);
}

/* The first line of what a process tells of its death that can leave output
 * behind. */
static uint64_t first_death(const struct findings *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].kind == EVENT_TRACE && f->events[i].uncaught &&
		    !f->events[i].warning)
			return f->events[i].first_line;
	return UINT64_MAX;
}

static bool tells_of_failure(const struct findings *f, uint64_t line)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].line == line)
			return true;
	for (size_t i = 0; i < f->n_events && f->events[i].first_line <= line;
	     i++)
		if (f->events[i].last_line >= line)
			return true;
	return false;
}

static void take_head(struct recall *r, const struct findings *f)
{
	struct span all = { r->start, r->n_start }, line;
	uint64_t number = 1, end = first_death(f);
	size_t at = 0, counted = 0;

	r->known = true;
	while (r->n_head < RECALL_HEAD && recall_next_line(all, &at, &line)) {
		struct known k = know(r, line);
		struct progress p;
		size_t i = find(r->head, r->n_head, k.hash);

		number += span_newlines(span_sub(all, counted, at));
		counted = at;
		if (number >= end)
			break;
		if (!k.telling || tells_of_failure(f, number) ||
		    facts_progress(r->tax, line, &p))
			continue;
		/* so much between is a launch, not a loop */
		if (i == 0 && r->n_head >= LAUNCH_LEAST)
			break;
		r->often[i] = i < r->n_head;
		if (i < r->n_head)
			continue;
		r->head[i] = k.hash;
		r->line[i] = number;
		r->n_head++;
	}
}

/* ---- around a death ---- */

void recall_died(struct recall *r, struct death d)
{
	struct death *last = r->n_deaths ? &r->deaths[r->n_deaths - 1] : NULL;

	if (last && d.first_line <= last->line) {
		d.first_line = last->first_line;
		d.silent &= last->silent;
		d.main |= last->main;
		*last = d;
		return;
	}
	if (array_grow(
		&r->deaths, r->n_deaths, &r->cap_deaths, sizeof *r->deaths))
		r->no_memory = true;
	else
		r->deaths[r->n_deaths++] = d;
}

struct lines {
	uint64_t v[RECALL_NEAR];
	size_t n, place; /* of the head, that was come to last */
};

/* What the one that died printed last. */
static void look_back(const struct recall *r, const struct recall_text *t,
    const struct death *d, struct lines *l)
{
	uint64_t number = d->line;
	size_t at = (size_t)(d->pos - t->base), counted = at;
	struct span line;

	l->n = 0;
	l->place = PLACE_UNKNOWN;
	while (l->n < RECALL_NEAR &&
	    facts_line_before(t->all, t->from, &at, &line)) {
		struct known k;

		number -= span_newlines(span_sub(t->all, at, counted));
		counted = at;
		if (number <= r->last_line)
			break;
		if (number >= d->first_line)
			continue;
		k = know(r, line);
		if (!k.hash)
			continue;
		l->v[l->n++] = k.hash;
		if (l->place == PLACE_UNKNOWN) {
			size_t i = find(r->head, r->n_head, k.hash);

			if (i < r->n_head && !r->often[i])
				l->place = i;
		}
	}
	if (l->place == PLACE_UNKNOWN && r->last_line &&
	    number <= r->last_line + 1)
		l->place = r->at;
}

/* What is seen behind a death, up to the next one. */
struct behind {
	size_t lines, bytes; /* all of it */
	size_t again;        /* lines that the dead one printed, too */
	size_t known, plain; /* different ones by words; others */
	size_t order;        /* of the log's start come again, in theirs, */
	size_t start;        /* from here on */
	uint64_t start_line;
	bool cycle; /* what stands right behind comes once more */
};

struct walk {
	uint64_t seen[RECALL_NEAR]; /* by words, different */
	size_t n_seen;
	struct known first[RIGHT_BEHIND];
	size_t n_first;
	size_t last;         /* place in the head */
	uint64_t first_line; /* of what tells of the death */
};

static void follow_head(const struct recall *r, struct walk *w,
    struct behind *b, const struct known *k)
{
	size_t i = find(r->head, r->n_head, k->hash);

	if (i == r->n_head || r->often[i] || r->line[i] >= w->first_line)
		return;
	if (w->last == PLACE_UNKNOWN || i <= w->last) {
		if (b->order < 2 && i < FIRST) {
			b->start = k->at;
			b->start_line = k->line;
			b->order = 1;
		}
	} else if (b->order) {
		b->order++;
	}
	w->last = i;
}

/* A line by words that was seen behind this death before. */
static void seen_again(
    const struct recall *r, const struct walk *w, struct behind *b, size_t i)
{
	uint64_t hash = w->seen[i];

	if (b->cycle || i >= w->n_first || i + 1 == w->n_seen ||
	    find(r->behind, RECALL_BEHIND, hash) == RECALL_BEHIND)
		return;
	b->cycle = true;
	b->start = w->first[i].at;
	b->start_line = w->first[i].line;
}

static void step(const struct recall *r, const struct lines *l, struct walk *w,
    struct behind *b, const struct known *k)
{
	bool known = k->hash && find(l->v, l->n, k->hash) < l->n;
	size_t i = find(w->seen, w->n_seen, k->hash);

	b->lines++;
	b->again += known;
	if (!k->telling) {
		b->plain += known;
		return;
	}
	follow_head(r, w, b, k);
	if (i < w->n_seen) {
		seen_again(r, w, b, i);
		return;
	}
	if (w->n_first < RIGHT_BEHIND)
		w->first[w->n_first++] = *k;
	if (w->n_seen < RECALL_NEAR)
		w->seen[w->n_seen++] = k->hash;
	b->known += known;
}

static uint64_t next_death(const struct findings *f, uint64_t line)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = f->n_events; i-- > 0;) {
		if (f->events[i].first_line < line)
			break;
		if (f->events[i].kind != EVENT_BARE)
			next = f->events[i].first_line;
	}
	return next;
}

static struct behind look_behind(struct recall *r, const struct recall_text *t,
    const struct death *d, uint64_t until, const struct lines *l)
{
	size_t begin = (size_t)(d->pos - t->base), at = begin, counted = begin;
	struct span ahead = span_sub(t->all, 0, t->to), line;
	struct walk w = { .last = l->place, .first_line = d->first_line };
	struct behind b = { .start = begin };
	uint64_t number = d->line;

	while (recall_next_line(ahead, &at, &line)) {
		struct known k = know(r, line);

		k.at = at - line.n;
		k.line = number +=
		    span_newlines(span_sub(ahead, counted, k.at));
		counted = k.at;
		if (number >= until)
			break;
		b.bytes = at - begin;
		step(r, l, &w, &b, &k);
	}
	r->at = w.last;
	for (size_t i = 0; i < w.n_first; i++)
		if (find(r->behind, RECALL_BEHIND, w.first[i].hash) ==
		    RECALL_BEHIND)
			r->behind[r->n_behind++ % RECALL_BEHIND] =
			    w.first[i].hash;
	return b;
}

/* Whether work of the same kind goes on, which the dead one cannot have left
 * behind. */
static bool goes_on(const struct death *d, const struct behind *b)
{
	return (d->silent || (d->main && b->bytes >= FLUSHED)) &&
	    b->lines >= LEAST_LINES && b->again >= b->lines / 2 &&
	    (b->known >= LEAST_KNOWN || b->plain >= LEAST_LINES);
}

enum recall_found recall_behind(struct recall *r, const struct findings *f,
    const struct recall_text *t, const struct death *d, struct death *begins)
{
	struct lines l;
	struct behind b;

	if (!r->known)
		take_head(r, f);
	look_back(r, t, d, &l);
	b = look_behind(r, t, d, next_death(f, d->line), &l);
	r->last_line = d->line - 1;
	*begins = *d;
	if (!b.cycle && goes_on(d, &b))
		return RECALL_WORK;
	if (!b.cycle && b.order < 2)
		return RECALL_NOTHING;
	begins->pos = t->base + b.start;
	begins->line = b.start_line;
	return b.cycle ? RECALL_WORK : RECALL_START;
}
