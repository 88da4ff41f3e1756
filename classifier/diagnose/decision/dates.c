#include "diagnose/decision/dates.h"

#include "base/when.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/metrics.h"
#include "diagnose/signals/phases.h"

/* The first of them that has a year; NO_TIME has none. */
static int64_t dated(const int64_t *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (when_has_year(t[i]))
			return t[i];
	return ENVELOPE_NO_TIME;
}

static int64_t date_of_log(const struct findings *f)
{
	int64_t t = dated((int64_t[]){ f->last_time, f->first_time }, 2);

	for (size_t i = 0; i < f->n_evidence && !when_has_year(t); i++)
		t = f->evidence[i].time;
	for (size_t i = 0; i < f->n_events && !when_has_year(t); i++)
		t = f->events[i].time;
	return t;
}

static void settle(int64_t *t, int64_t near)
{
	if (*t != ENVELOPE_NO_TIME && !when_has_year(*t))
		*t = when_near(*t, near);
}

static void settle_log(struct findings *f, int64_t near)
{
	settle(&f->first_time, near);
	settle(&f->last_time, near);
	settle(&f->checkpoint_time, near);
	settle(&f->progress_time, near);
	if (f->pending)
		settle(&f->pending->time, near);
	for (size_t i = 0; i < f->n_evidence; i++)
		settle(&f->evidence[i].time, near);
	for (size_t i = 0; i < f->n_events; i++)
		settle(&f->events[i].time, near);
	for (size_t i = 0; i < f->n_launches; i++) {
		settle(&f->launches[i].first_time, near);
		settle(&f->launches[i].last_time, near);
	}
	if (f->metrics) {
		settle(&f->metrics->pace.first, near);
		settle(&f->metrics->pace.last, near);
		settle(&f->metrics->pace.before_gap, near);
	}
	if (f->phases) {
		settle(&f->phases->before, near);
		settle(&f->phases->from, near);
		settle(&f->phases->to, near);
	}
}

void dates_settle(struct diagnosis *d)
{
	const struct job_record *r = d->record;
	int64_t of_job = ENVELOPE_NO_TIME, near;

	if (r)
		of_job =
		    dated((int64_t[]){ r->ended, r->started, r->submitted }, 3);
	for (size_t i = 0; i < d->n_logs && !when_has_year(of_job); i++)
		of_job = date_of_log(d->logs[i]);
	for (size_t i = 0; i < d->n_logs; i++) {
		near = date_of_log(d->logs[i]);
		if (!when_has_year(near))
			near = of_job;
		if (when_has_year(near))
			settle_log(d->logs[i], near);
	}
}
