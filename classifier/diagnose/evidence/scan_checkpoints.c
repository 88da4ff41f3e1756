/*
 * A healthy log tells of many checkpoints, of which the last one counts. So
 * their lines are only remembered while a block is gone over, and read when it
 * has been, from the last one that cannot but leave the one before it behind.
 */
#include "diagnose/evidence/scan_private.h"

#include "base/array.h"
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

	if (array_grow(&all->v, all->n, &all->cap, sizeof *all->v)) {
		s->f->failed = true;
		return;
	}
	all->v[all->n++] = m;
}

/* The line of a mention, without its number; false: it tells of nothing. */
static bool line_of(
    const struct scan *s, const struct mention *m, struct log_line *l)
{
	struct span text = s->block->text;

	*l = (struct log_line){ .raw = span_sub(text, m->from, m->to) };
	envelope_peel(s->en->tax->prefixes, l->raw, &l->env);
	return m->looked_at ||
	    (text.p + m->hit >= l->env.text.p &&
		!shape_echo(s->en->tax, l->env.text));
}

/* A line, read once. */
struct seen {
	struct log_line line;
	struct checkpoint_reading told;
	bool about; /* it tells of something */
};

static void see(const struct scan *s, const struct mention *m, struct seen *out)
{
	out->about = line_of(s, m, &out->line);
	if (out->about)
		checkpoint_read(s->en->tax, out->line.env.text, &out->told);
}

/* The first line to be taken into account. Once a line has settled its
 * checkpoint, nothing is pending of what was before it; once the next one has,
 * nothing is known. Those looked at are in *seen, the last line first. */
static size_t first_line(
    const struct scan *s, struct seen seen[LOOK_BACK], size_t *n_seen)
{
	unsigned settled = 0;
	size_t n = s->mentions.n;

	for (*n_seen = 0; *n_seen < n && *n_seen < LOOK_BACK;) {
		struct seen *l = &seen[*n_seen];

		see(s, &s->mentions.v[n - ++*n_seen], l);
		settled += l->about && checkpoint_settled(&l->told);
		if (settled == 2)
			return n - *n_seen;
	}
	return 0;
}

void scan_checkpoints(struct scan *s)
{
	const struct span text = s->block->text;
	uint64_t number = s->block->line;
	const struct mentions *all = &s->mentions;
	struct seen seen[LOOK_BACK], before = { .about = false }, *l;
	size_t n_seen, first = first_line(s, seen, &n_seen), counted = 0;

	for (size_t i = first; i < all->n; i++) {
		struct mention *m = &all->v[i];

		l = all->n - i <= n_seen ? &seen[all->n - i - 1] : &before;
		if (l == &before)
			see(s, m, l);
		if (!l->about)
			continue;
		number += span_newlines(span_sub(text, counted, m->from));
		counted = m->from;
		l->line.number = number;
		if (checkpoint_line(s->f, &l->line, &l->told))
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
