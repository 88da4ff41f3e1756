/*
 * The record of the scheduler is right where it says something. Logs give the
 * rest: their first and last time, the GPUs they speak of, and the time of the
 * last checkpoint.
 *
 * Logs write local time, often without a zone; a record has UTC. Zones differ
 * by quarter hours, so a log fits a record when one shift of so many puts its
 * first line right after the start and its last one not after the end.
 */
#include "diagnose/decision/usage.h"

#include "base/when.h"
#include "diagnose/diagnosis.h"
#include "diagnose/signals/gpus.h"
#include "diagnose/job_record.h"

#define SECOND INT64_C(1000000)
#define QUARTER (900 * SECOND)
#define ZONE_MAX (14 * 3600 * SECOND)
#define LATE (60 * SECOND) /* a last line may come after the end */

static bool known(int64_t time)
{
	return time != ENVELOPE_NO_TIME;
}

/* Whole seconds from a to b, 0 when b is earlier; unknown when either is. */
static int64_t seconds(int64_t a, int64_t b)
{
	if (!known(a) || !known(b))
		return USAGE_UNKNOWN;
	return b > a ? (b - a) / SECOND : 0;
}

static int64_t product(int64_t a, int64_t b)
{
	if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b))
		return USAGE_UNKNOWN;
	return a * b;
}

/* The times that the logs span. */
static void log_times(const struct diagnosis *d, int64_t *first, int64_t *last)
{
	*first = *last = ENVELOPE_NO_TIME;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->of_record)
			continue;
		if (known(f->first_time) &&
		    (!known(*first) || f->first_time < *first))
			*first = f->first_time;
		/* no time is the smallest one */
		if (f->last_time > *last)
			*last = f->last_time;
	}
}

/* From one time to another, of the launches of a log together: what lies
 * between two of them is nobody's time. */
static int64_t launched_seconds(
    const struct findings *f, int64_t from, int64_t to)
{
	int64_t sum = USAGE_UNKNOWN;

	for (size_t i = 0; i < f->n_launches; i++) {
		const struct launch *l = &f->launches[i];
		int64_t a = l->first_time, b = l->last_time;

		if (!known(a) || !known(b))
			continue;
		a = known(from) && from > a ? from : a;
		b = known(to) && to < b ? to : b;
		sum = (sum < 0 ? 0 : sum) + seconds(a, b);
	}
	return sum;
}

/* How long the logs tell that the job ran: that of the longest one where one
 * of them is of several launches. */
static int64_t logged_seconds(
    const struct diagnosis *d, int64_t first, int64_t last)
{
	int64_t longest = USAGE_UNKNOWN;
	bool several = false;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];
		int64_t own = f->n_launches
		    ? launched_seconds(f, ENVELOPE_NO_TIME, ENVELOPE_NO_TIME)
		    : seconds(f->first_time, f->last_time);

		several |= f->n_launches > 0;
		if (own > longest)
			longest = own;
	}
	if (several)
		return longest;
	/* one line with a time says nothing of how long it ran */
	return last <= first ? USAGE_UNKNOWN : seconds(first, last);
}

/* Good for more than a difference. */
static int64_t dated(int64_t time)
{
	return when_has_year(time) ? time : ENVELOPE_NO_TIME;
}

/* Times and run time; what the record lacks comes from the logs. */
static void find_times(struct usage *u, const struct diagnosis *d)
{
	const struct job_record *r = d->record;
	int64_t first, last;

	log_times(d, &first, &last);
	if (r) {
		u->started = r->started;
		u->ended = r->ended;
		u->runtime_seconds = r->seconds;
		if (u->runtime_seconds < 0)
			u->runtime_seconds = seconds(r->started, r->ended);
	}
	if (u->runtime_seconds < 0) {
		u->runtime_seconds = logged_seconds(d, first, last);
		u->estimated |= u->runtime_seconds >= 0;
	}
	/* a time of the record and one of the logs are not of one clock */
	if (!known(u->started) && !known(u->ended)) {
		u->started = dated(first);
		u->ended = dated(last);
		u->estimated |= known(first) || known(last);
	}
}

static void find_gpus(struct usage *u, const struct diagnosis *d)
{
	const struct job_record *r = d->record;
	int n;

	if (r) {
		u->gpus = r->gpus;
		u->gpu_seconds = r->gpu_seconds;
	}
	/* shares of GPUs are no whole number: do not guess one */
	if (u->gpus < 0 && u->gpu_seconds < 0 && (n = gpus_of_job(d)) > 0) {
		u->gpus = n;
		u->estimated = true;
	}
	if (u->gpu_seconds < 0)
		u->gpu_seconds = product(u->gpus, u->runtime_seconds);
}

/* The shift that makes the logs of a job fit its record, or NO_TIME. */
static int64_t shift_to_record(const struct diagnosis *d)
{
	const struct job_record *r = d->record;
	int64_t first, last, gap, shift;

	log_times(d, &first, &last);
	if (!r || !known(r->started) || !known(r->ended) || !known(first))
		return ENVELOPE_NO_TIME;
	/* beyond all zones: a date without a year, a wrong clock */
	if (first > r->started + ZONE_MAX + QUARTER ||
	    first < r->started - ZONE_MAX)
		return ENVELOPE_NO_TIME;
	gap = r->started - first;
	shift = gap / QUARTER * QUARTER;
	if (shift < gap)
		shift += QUARTER;
	if (shift > ZONE_MAX || shift < -ZONE_MAX ||
	    last + shift > r->ended + LATE)
		return ENVELOPE_NO_TIME;
	return shift;
}

struct usage_span usage_span(const struct diagnosis *d)
{
	int64_t shift = shift_to_record(d);
	struct usage_span s;

	if (!known(shift)) {
		log_times(d, &s.from, &s.to);
		return s;
	}
	return (struct usage_span){ d->record->started - shift,
		d->record->ended - shift };
}

/* Seconds of the run after the checkpoint of log f, or unknown. */
static int64_t seconds_after(
    const struct diagnosis *d, const struct findings *f)
{
	int64_t run = d->usage.runtime_seconds, first, last, shift, lost, kept;

	if (!known(f->checkpoint_time) || run < 0)
		return USAGE_UNKNOWN;
	shift = shift_to_record(d);
	log_times(d, &first, &last);
	kept = seconds(
	    known(f->first_time) ? f->first_time : first, f->checkpoint_time);
	if (known(shift))
		lost = seconds(f->checkpoint_time + shift, d->usage.ended);
	else if (!d->record || kept < 0)
		lost = f->n_launches
		    ? launched_seconds(f, f->checkpoint_time, ENVELOPE_NO_TIME)
		    : seconds(f->checkpoint_time, last);
	else
		lost = kept > run ? 0 : run - kept;
	return lost > run ? run : lost;
}

/* The share of a sum over the run that was consumed in its last `lost`
 * seconds. */
static int64_t share(int64_t sum, int64_t run, int64_t lost)
{
	int64_t rest;

	if (lost < 0 || run < 0)
		return USAGE_UNKNOWN;
	if (lost >= run)
		return sum;
	rest = product(sum % run, lost);
	return rest < 0 ? USAGE_UNKNOWN : sum / run * lost + rest / run;
}

/* Seconds of the run after its work was done: all that the failure cost. */
static int64_t seconds_idle(const struct findings *f)
{
	return known(f->done_time) && known(f->last_time)
	    ? seconds(f->done_time, f->last_time)
	    : 0;
}

/* sum: of GPU-seconds, or CPU-seconds */
static int64_t find_lost(const struct diagnosis *d, int64_t sum)
{
	const struct findings *f = d->facts.saved;
	int64_t run = d->usage.runtime_seconds;

	if (d->failed == 0)
		return 0;
	if (d->failed < 0 || sum < 0)
		return USAGE_UNKNOWN;
	if (d->facts.done)
		return share(sum, run, seconds_idle(d->facts.done));
	return f ? share(sum, run, seconds_after(d, f)) : sum;
}

static void bound(int64_t *seconds)
{
	if (*seconds >= USAGE_SECONDS_END)
		*seconds = USAGE_UNKNOWN;
}

static void find_cpus(struct usage *u, const struct diagnosis *d)
{
	const struct job_record *r = d->record;

	if (!r || r->gpus != 0)
		return;
	u->cpus = r->cpus;
	u->cpu_seconds = product(u->cpus, u->runtime_seconds);
	bound(&u->cpu_seconds);
	if (u->cpu_seconds >= 0)
		u->cpu_seconds_lost = find_lost(d, u->cpu_seconds);
}

const struct usage usage_unknown = {
	.started = ENVELOPE_NO_TIME,
	.ended = ENVELOPE_NO_TIME,
	.gpus = USAGE_UNKNOWN,
	.runtime_seconds = USAGE_UNKNOWN,
	.gpu_seconds = USAGE_UNKNOWN,
	.gpu_seconds_lost = USAGE_UNKNOWN,
	.cpus = USAGE_UNKNOWN,
	.cpu_seconds = USAGE_UNKNOWN,
	.cpu_seconds_lost = USAGE_UNKNOWN,
	.estimated = true,
};

void usage_find(struct diagnosis *d)
{
	struct usage *u = &d->usage;

	*u = usage_unknown;
	u->estimated = !d->record;
	find_times(u, d);
	bound(&u->runtime_seconds);
	find_gpus(u, d);
	bound(&u->gpu_seconds);
	u->gpu_seconds_lost = find_lost(d, u->gpu_seconds);
	find_cpus(u, d);
}
