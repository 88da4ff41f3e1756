#include "diagnose/decision/goodput.h"

#include "diagnose/decision/usage.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"

#define SECOND INT64_C(1000000)

static bool known(int64_t time)
{
	return time != ENVELOPE_NO_TIME;
}

/* Of the logs of a job the one that tells most of its steps. */
static const struct findings *best_log(const struct diagnosis *d, bool *asked)
{
	const struct findings *best = NULL;

	*asked = false;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct phases *p = d->logs[i]->phases;

		*asked |= p != NULL;
		if (!p || !known(p->from) || d->logs[i]->of_node)
			continue;
		if (!best || p->steps > best->phases->steps ||
		    (p->steps == best->phases->steps &&
			p->rank < best->phases->rank))
			best = d->logs[i];
	}
	return best;
}

/* Take from a part of a sum so much that nothing is over. */
static int64_t take(int64_t *part, int64_t over)
{
	int64_t n = over < *part ? over : *part;

	*part -= n;
	return over - n;
}

/* The run time is in whole seconds: what is over of less than one goes. */
static int64_t fit(int64_t spent[PHASE_COUNT], int64_t sum, int64_t all)
{
	int most = 0;

	if (sum <= all || sum - all >= SECOND)
		return sum;
	for (int k = 1; k < PHASE_COUNT; k++)
		most = spent[k] > spent[most] ? k : most;
	return all + take(&spent[most], sum - all);
}

/* Between the bounds of the job, by the clock of the log. */
static void add_ends(int64_t spent[PHASE_COUNT], const struct diagnosis *d,
    const struct findings *f, int64_t all)
{
	const struct phases *p = f->phases;
	struct usage_span job = usage_span(d);
	bool bad = d->failed != 0 && !f->ended_well;
	int64_t head = known(job.from) ? p->before - job.from : 0;
	int64_t tail = known(job.to) ? job.to - p->to : 0;
	int64_t sum = p->from - p->before;

	head = head > 0 ? head : 0;
	tail = tail > 0 ? tail : 0;
	for (int k = 0; k < PHASE_COUNT; k++)
		sum += spent[k] = p->spent[k];
	sum = fit(spent, sum, all);
	if (sum > all) {
		/* the log speaks of more than the job had */
		for (int k = 0; k < PHASE_COUNT; k++)
			spent[k] = 0;
		spent[PHASE_UNKNOWN] = all;
		return;
	}
	/* a last line may come after the end */
	if (sum + head + tail > all)
		(void)take(&head, take(&tail, sum + head + tail - all));
	spent[PHASE_INITIALIZING] += head;
	/* what came behind the last line kept is not told */
	spent[p->full                                 ? PHASE_UNKNOWN
		: bad && phases_hangs(tail, p->usual) ? PHASE_HANGING
						      : PHASE_STOPPING] += tail;
	spent[PHASE_UNKNOWN] += p->from - p->before + all - sum - head - tail;
}

/* Each to whole seconds, so that they still add up. */
static void to_seconds(int64_t spent[PHASE_COUNT])
{
	int64_t sum = 0, told = 0;

	for (int k = 0; k < PHASE_COUNT; k++) {
		int64_t upto;

		sum += spent[k];
		upto = (sum + SECOND / 2) / SECOND;
		spent[k] = upto - told;
		told = upto;
	}
}

static int64_t queued(const struct job_record *r)
{
	if (!r || !known(r->submitted) || !known(r->started) ||
	    r->started < r->submitted)
		return USAGE_UNKNOWN;
	return (r->started - r->submitted) / SECOND;
}

void goodput_find(struct goodput *g, const struct diagnosis *d)
{
	const struct findings *f = best_log(d, &g->known);
	int64_t run = d->usage.runtime_seconds;

	*g = (struct goodput){ .known = g->known && run >= 0,
		.queued = queued(d->record),
		.first = { -1, -1 },
		.last = { -1, -1 } };
	if (!g->known)
		return;
	if (!f) {
		bool begun =
		    d->failed != 1 || d->facts.stage != STAGE_INITIALIZATION;

		g->spent[begun ? PHASE_UNKNOWN : PHASE_INITIALIZING] = run;
		return;
	}
	add_ends(g->spent, d, f, run * SECOND);
	to_seconds(g->spent);
	g->first = f->phases->first;
	g->last = f->phases->last;
	g->epoch_steps = f->phases->epoch_steps;
	if (d->failed == 1)
		g->unsaved = f->phases->unsaved / SECOND;
	if (g->unsaved > g->spent[PHASE_TRAINING])
		g->unsaved = g->spent[PHASE_TRAINING];
}
