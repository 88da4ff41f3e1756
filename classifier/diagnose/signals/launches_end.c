/*
 * What the launches of a log are when all of it is known: which have only
 * begun, and what each tells of its end.
 */
#include "diagnose/signals/launches.h"

#include "rules/taxonomy.h"

#define STUB_LINES 20 /* of a launch that has only begun, at most */

/* Whether an earlier launch told the same near its start, and went on: what a
 * prologue prints each time. */
static bool told_before(
    const struct findings *f, size_t launch, const struct evidence *ev)
{
	uint64_t at = ev->line - f->launches[launch].first_line;

	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *was = &f->evidence[i];
		size_t k = findings_launch_of(f, was->line);
		const struct launch *l = &f->launches[k];

		if (k < launch && was->rule == ev->rule &&
		    was->line - l->first_line <= at + 2 &&
		    l->last_line - was->line >= STUB_LINES)
			return true;
	}
	return false;
}

/* Whether a launch has only begun, and tells nothing. */
static bool is_stub(const struct findings *f, size_t launch)
{
	const struct launch *l = &f->launches[launch];

	if (l->result || l->work ||
	    l->last_line - l->first_line >= STUB_LINES || l->ended_well ||
	    (f->ended_line >= l->first_line && f->ended_line <= l->last_line) ||
	    (f->last_line_of_progress >= l->first_line &&
		f->last_line_of_progress <= l->last_line))
		return false;
	for (size_t i = 0; i < f->n_evidence; i++)
		if (findings_launch_of(f, f->evidence[i].line) == launch &&
		    !told_before(f, launch, &f->evidence[i]))
			return false;
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].kind != EVENT_BARE &&
		    findings_launch_of(f, f->events[i].first_line) == launch)
			return false;
	return true;
}

/* Of what a launch tells of failures, the last that states a cause, else the
 * last that tells of one at all. */
static void find_rules(struct findings *f)
{
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];
		struct launch *l =
		    &f->launches[findings_launch_of(f, ev->line)];
		enum role role = ev->rule->role;

		if (ev->warning ||
		    (ev->event != EVENT_NONE && f->events[ev->event].ignored) ||
		    role == ROLE_CONFIRMATION ||
		    ev->rule->category == TAXONOMY_NO_CATEGORY)
			continue;
		if (role == ROLE_ROOT || !l->rule || l->rule->role != ROLE_ROOT)
			l->rule = ev->rule;
	}
	for (size_t i = 0; i < f->n_launches; i++)
		if (f->launches[i].ended_well)
			f->launches[i].rule = NULL;
}

/* Among processes side by side, what comes again is another's. */
static void join_recalled(struct findings *f)
{
	size_t n = 1;

	for (size_t i = 1; i < f->n_launches; i++) {
		struct launch *l = &f->launches[i];

		if (l->recalled) {
			f->launches[n - 1].last_line = l->last_line;
			f->launches[n - 1].last_time = l->last_time;
		} else {
			f->launches[n++] = *l;
		}
	}
	f->n_launches = n > 1 ? n : 0;
}

void launches_end(struct findings *f)
{
	struct launch *last;

	if (f->n_launches && f->peers)
		join_recalled(f);
	if (f->n_launches == 0)
		return;
	last = &f->launches[f->n_launches - 1];
	last->last_line = f->lines;
	last->last_time = f->last_time;
	if (f->ended_line < last->first_line) {
		f->ended_well = false;
		f->ended_line = 0;
	}
	if (f->done_line < last->first_line)
		f->done_line = 0;
	last->ended_well = f->ended_well;
	find_rules(f);
	for (size_t i = 0; i < f->n_evidence; i++) {
		struct evidence *ev = &f->evidence[i];
		size_t k = findings_launch_of(f, ev->line);

		if (k > 0 && ev->line < f->launches[k].first_step)
			ev->before = (struct progress){ -1, -1 };
	}
	for (size_t i = 0; i < f->n_events; i++) {
		struct event *e = &f->events[i];
		size_t k = findings_launch_of(f, e->first_line);

		if (k > 0 && e->first_line < f->launches[k].first_step)
			e->before = (struct progress){ -1, -1 };
	}
	if (f->last_line_of_progress < last->first_line) {
		f->last = (struct progress){ -1, -1 };
		f->last_line_of_progress = 0;
	}
	for (size_t i = f->n_launches; i-- > 1 && is_stub(f, i);)
		f->launches[i].stub = true;
	if (f->exit_line < last->first_line && !last->stub) {
		f->exit_code = f->signal = -1;
		f->exit_line = 0;
	}
}
