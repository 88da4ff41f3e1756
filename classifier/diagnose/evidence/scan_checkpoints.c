/*
 * A healthy log tells of many checkpoints, of which the last one counts. So
 * their lines are only remembered while a block is gone over, and read when it
 * has been, from the last one that cannot but leave the one before it behind.
 */
#include "diagnose/evidence/scan_private.h"

#include "base/err.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/trace.h"
#include "input/decode.h"

#include <stdlib.h>

#define LOOK_BACK 64 /* lines read to find where to begin */

void scan_mention(struct scan *s, struct mention m)
{
	struct mentions *all = &s->mentions;

	if (all->n == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 64;
		struct mention *v = realloc(all->v, cap * sizeof *v);

		if (!v) {
			err_nomem(NULL);
			return;
		}
		all->v = v;
		all->cap = cap;
	}
	all->v[all->n++] = m;
}

/* The line of a mention, without its number; false: it tells of nothing. */
static bool line_of(
    const struct scan *s, const struct mention *m, struct log_line *l)
{
	struct span text = s->block->text;

	*l = (struct log_line){ .raw = span_sub(text, m->from, m->to) };
	envelope_peel(l->raw, &l->env);
	return m->looked_at ||
	    (text.p + m->hit >= l->env.text.p &&
		!shape_echo(s->en->tax, l->env.text));
}

/* The first line to be read. Once a line has settled its checkpoint, nothing
 * is pending of what was before it; once the next one has, nothing is known.
 * Of two, the first is read either way. */
static size_t first_line(const struct scan *s)
{
	size_t i = s->mentions.n, least = i > LOOK_BACK ? i - LOOK_BACK : 0;
	unsigned settled = 0;
	struct log_line l;

	if (i <= 2)
		return 0;
	while (i > least) {
		if (line_of(s, &s->mentions.v[--i], &l))
			settled += checkpoint_settled(s->en->tax, l.env.text);
		if (settled == 2)
			return i;
	}
	return 0;
}

void scan_checkpoints(struct scan *s)
{
	const struct span text = s->block->text;
	uint64_t number = s->block->line;
	const struct mentions *all = &s->mentions;
	size_t first = first_line(s), counted = 0;
	struct log_line l;

	for (size_t i = first; i < all->n; i++) {
		struct mention *m = &all->v[i];

		if (!line_of(s, m, &l))
			continue;
		number += span_newlines(span_sub(text, counted, m->from));
		counted = m->from;
		l.number = number;
		if (checkpoint_line(s->f, s->en->tax, &l))
			m->undated = number;
	}
	/* Dates are looked for at the end, where two of them at most count. */
	for (size_t i = first; i < all->n; i++) {
		const struct mention *m = &all->v[i];

		if (m->undated && checkpoint_undated(s->f, m->undated))
			checkpoint_date(s->f, m->undated,
			    before_time(&s->before, s->block, m->from));
	}
	s->mentions.n = 0;
}
