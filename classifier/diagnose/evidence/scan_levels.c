/*
 * What the level before a line is worth. A collector gives each line of a
 * program the same: what it says is not what the program says of itself.
 */
#include "diagnose/evidence/scan_private.h"

#include "diagnose/evidence/shape.h"

#define LAST_LINES 64 /* that are looked at, told of or not */

bool scan_below_error(const struct envelope *env)
{
	return env->level != LEVEL_UNKNOWN && env->level < LEVEL_ERROR;
}

bool scan_calm(enum level level)
{
	return level != LEVEL_UNKNOWN && level < LEVEL_WARNING;
}

bool scan_logged(const struct scan *s)
{
	const struct envelope *env = &s->line->env;

	/* the level is its record's, see thrown.h */
	if (env->level == LEVEL_ERROR && env->text.p == s->line->raw.p)
		return true;
	return env->level == LEVEL_UNKNOWN &&
	    before_logged(&s->before, s->block, s->pos, env);
}

void scan_level(struct scan *s, const struct envelope *env)
{
	bool calm = scan_calm(env->outer);

	s->calm |= calm;
	s->others |= !calm;
}

void scan_levels_end(struct scan *s, struct span all)
{
	struct findings *f = s->f;
	size_t end = all.n, at;
	struct envelope env;

	for (size_t n = 0;
	     n < LAST_LINES && !s->others && scan_line_back(all, &end, &at);
	     n++) {
		envelope_peel(
		    s->en->tax->prefixes, span_sub(all, at, end), &env);
		scan_level(s, &env);
		end = at;
	}
	if (!s->calm || s->others || s->block->logged)
		return;
	f->passed_on = true;
	for (size_t i = 0; i < f->n_events; i++)
		f->events[i].warning &= !f->events[i].information;
	for (size_t i = 0; i < f->n_evidence; i++) {
		struct evidence *ev = &f->evidence[i];

		if (ev->information)
			ev->warning = ev->event == EVENT_NONE && ev->text &&
			    shape_table_row(
				(struct span){ ev->text, ev->text_len });
	}
}
