/*
 * Each test is a function of a curve's longest stretch without a resumption,
 * cut into windows: means of many reports, since single ones are noise. All of
 * them compare a run with itself, so that the scale of a loss does not matter;
 * and each asks for more than one sign, since most runs are healthy.
 */
#include "diagnose/decision/trends.h"
#include "diagnose/decision/slow_ranks.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/metrics_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENTH 0.1
#define SLOW_GAPS 5      /* that must be known to say what is usual */
#define EARLY_STEP 1000  /* a run that began later was resumed */
#define BAD_RUN 10       /* infinite gradients in a row: not the scaler's */
#define OUTLIERS_LEAST 5 /* slow steps */
#define SECOND INT64_C(1000000)

/* What a test looks at. */
struct look {
	const struct taxonomy *tax;
	const struct findings *log;
	const struct trend *rule;
	const struct metric_series *s, *beside;
	const struct metric_bucket *v; /* of s: its longest segment */
	size_t n;
	uint64_t points; /* in them */
};

static const char *title(const struct look *l)
{
	return l->tax->metrics[l->rule->on].title;
}

static double threshold(const struct look *l, enum trend_value v)
{
	return l->rule->v[v];
}

/* ---- curves ---- */

const struct metric_series *trends_series(
    const struct findings *log, size_t metric)
{
	const struct metric_series *best = NULL;

	for (size_t i = 0; log && log->metrics && i < log->metrics->n; i++) {
		const struct metric_series *s = log->metrics->v[i];

		if (s->metric == metric &&
		    (!best ||
			s->points + s->bad_points >
			    best->points + best->bad_points))
			best = s;
	}
	return best;
}

/* The segment with the most points. */
static void longest(struct look *l)
{
	size_t i = 0;

	l->n = 0;
	l->points = 0;
	while (i < l->s->n) {
		uint64_t points = 0;
		size_t from = i;

		while (
		    i < l->s->n && l->s->v[i].segment == l->s->v[from].segment)
			points += l->s->v[i++].n;
		if (points > l->points) {
			l->v = l->s->v + from;
			l->n = i - from;
			l->points = points;
		}
	}
}

/* Mean of the part from..to of the points; at least one bucket. */
static double mean(const struct look *l, double from, double to)
{
	double seen = 0, sum = 0, n = 0;

	for (size_t i = 0; i < l->n; i++) {
		double middle = (seen + l->v[i].n / 2.0) / (double)l->points;

		seen += l->v[i].n;
		if ((middle < from || middle >= to) && (i + 1 < l->n || n > 0))
			continue;
		if (n > 0 && i + 1 == l->n && (middle < from || middle >= to))
			continue;
		sum += l->v[i].sum;
		n += l->v[i].n;
	}
	return sum / n;
}

/* Likewise the least mean of a tenth; *at: where that tenth begins. */
static double least_mean(const struct look *l, double *at)
{
	double best = mean(l, 0, TENTH);

	*at = 0;
	for (int i = 1; i < 10; i++) {
		double m = mean(l, i * TENTH, (i + 1) * TENTH);

		if (m < best) {
			best = m;
			*at = i * TENTH;
		}
	}
	return best;
}

static const struct metric_bucket *bucket_at(const struct look *l, double part)
{
	double seen = 0;

	for (size_t i = 0; i < l->n; i++) {
		seen += l->v[i].n;
		if (seen > part * (double)l->points)
			return &l->v[i];
	}
	return &l->v[l->n - 1];
}

static double least(const struct look *l)
{
	double v = l->v[0].min;

	for (size_t i = 1; i < l->n; i++)
		v = l->v[i].min < v ? l->v[i].min : v;
	return v;
}

static double median_of(const uint32_t *slots, uint64_t *total)
{
	uint64_t n = 0, seen = 0;

	for (size_t i = 0; i < METRICS_SLOTS; i++)
		n += slots[i];
	*total = n;
	for (size_t i = 0; i < METRICS_SLOTS; i++) {
		seen += slots[i];
		if (2 * seen >= n)
			return metrics_slot_value(i);
	}
	return 0;
}

/* Whether the run began in this log: a resumed one has no steep start. */
static bool from_start(const struct look *l)
{
	struct metric_at at = l->v[0].begin.at;

	return at.epoch < 2 && at.step <= EARLY_STEP;
}

/* ---- words ---- */

/* "step 1,200", "epoch 3", or "line 12" */
static const char *place(char out[48], const struct metric_place *p)
{
	char digits[24];
	size_t n, k = 0;

	if (p->at.step < 0 && p->at.epoch >= 0) {
		snprintf(out, 48, "epoch %.6g", p->at.epoch);
		return out;
	}
	n = (size_t)snprintf(digits, sizeof digits, "%lld",
	    (long long)(p->at.step >= 0 ? p->at.step : (int64_t)p->line));
	k = (size_t)snprintf(out, 48, p->at.step >= 0 ? "step " : "line ");
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
	return out;
}

static const char *duration(char out[32], int64_t micro)
{
	long long s = (long long)(micro / SECOND);

	if (s < 120)
		snprintf(out, 32, "%lld s", s);
	else if (s < 7200)
		snprintf(out, 32, "%lld min", s / 60);
	else
		snprintf(out, 32, "%lld h %lld min", s / 3600, s / 60 % 60);
	return out;
}

/* ---- the tests: whether there is something to warn of ---- */

typedef bool test_fn(const struct look *l, struct trend_warning *w);

static bool not_decreasing(const struct look *l, struct trend_warning *w)
{
	double at, best = least_mean(l, &at);

	w->from = mean(l, 0, TENTH);
	w->to = mean(l, 1 - TENTH, 2);
	w->at = l->v[0].begin;
	/* losses that may be negative need not fall towards 0; what begins far
	 * below its level is an average since the start */
	if (least(l) <= 0 || !from_start(l) || w->to > 1.5 * w->from ||
	    best < w->from * (1 - threshold(l, TREND_DROP)))
		return false;
	snprintf(w->text, sizeof w->text,
	    "The %s did not fall: %.4g at the start, %.4g at the end, and "
	    "never less than %.4g on average.",
	    title(l), w->from, w->to, best);
	return true;
}

/* It stays far above what was usual until the end. */
static bool exploding(const struct look *l, struct trend_warning *w)
{
	double share = threshold(l, TREND_SHARE), at;
	double factor = threshold(l, TREND_FACTOR);
	const struct metric_bucket *b;
	char where[48];

	w->from = least_mean(l, &at);
	w->to = mean(l, 1 - share, 2);
	if (least(l) < 0 || w->from <= 0 || at > 1 - 2 * share ||
	    w->to < factor * w->from || w->to < mean(l, 0, TENTH) ||
	    l->v[l->n - 1].min < factor / 2 * w->from)
		return false;
	b = l->v + l->n - 1;
	while (b > l->v && b[-1].min >= factor / 2 * w->from)
		b--;
	w->at = b->begin;
	snprintf(w->text, sizeof w->text,
	    "The %s rose from %.4g to %.4g, %.4g times as much, and stayed "
	    "there; the rise begins at %s.",
	    title(l), w->from, w->to, w->to / w->from, place(where, &w->at));
	return true;
}

/* Gradients that stay infinite, though they were finite before. */
static bool stays_infinite(const struct look *l, struct trend_warning *w)
{
	char where[48];

	if (l->rule->test != TREND_EXPLODING || l->s->bad_run < BAD_RUN ||
	    l->s->nan_since)
		return false;
	w->from = w->to = l->v[l->n - 1].last;
	w->at = l->s->bad_since;
	snprintf(w->text, sizeof w->text,
	    "The %s is infinite from %s to the end.", title(l),
	    place(where, &w->at));
	return true;
}

/* Whether the second curve lies lower at its end than at its start by this
 * share. */
static bool has_fallen(const struct look *l, double share)
{
	struct look other = *l;

	other.s = l->beside;
	if (!other.s)
		return false;
	longest(&other);
	return other.n > 0 &&
	    mean(&other, 1 - TENTH, 2) < (1 - share) * mean(&other, 0, TENTH);
}

static bool vanishing(const struct look *l, struct trend_warning *w)
{
	double share = threshold(l, TREND_SHARE);
	const struct metric_bucket *b = l->v + l->n - 1;
	double below = threshold(l, TREND_BELOW);
	char where[48];

	w->from = mean(l, 0, 0.5);
	w->to = mean(l, 1 - share, 2);
	if (least(l) < 0 || w->to >= below ||
	    w->from < threshold(l, TREND_FACTOR) * w->to || b->max >= below)
		return false;
	/* a small problem that has been solved */
	if (has_fallen(l, threshold(l, TREND_DROP)))
		return false;
	while (b > l->v && b[-1].max < below)
		b--;
	w->at = b->begin;
	snprintf(w->text, sizeof w->text,
	    "The %s fell from %.3g to %.3g, nothing to learn from; so from "
	    "%s on.",
	    title(l), w->from, w->to, place(where, &w->at));
	return true;
}

/* The bucket of the best value, and how many reports came after it. */
static const struct metric_bucket *best_of(
    const struct look *l, uint64_t *after)
{
	const struct metric_bucket *best = l->v;

	*after = 0;
	for (size_t i = 1; i < l->n; i++) {
		*after += l->v[i].n;
		if (l->v[i].min < best->min) {
			best = &l->v[i];
			*after = 0;
		}
	}
	return best;
}

/* The mean of a second curve around a line of the log: of the few reports
 * before it. */
static bool mean_before(
    const struct metric_series *s, uint64_t line, double *out)
{
	double sum = 0, n = 0;

	for (size_t i = s->n; i-- > 0 && n < 5;) {
		if (s->v[i].begin.line > line)
			continue;
		sum += s->v[i].sum / s->v[i].n;
		n++;
	}
	*out = n > 0 ? sum / n : 0;
	return n > 0;
}

static bool overfit(const struct look *l, struct trend_warning *w)
{
	const struct metric_bucket *best, *last = &l->v[l->n - 1];
	double then, now, rise = threshold(l, TREND_RISE);
	uint64_t after;
	char where[48];

	best = best_of(l, &after);
	if (best->min <= 0 || (double)after < threshold(l, TREND_PATIENCE) ||
	    !l->beside)
		return false;
	/* all of the last half of what came after it */
	for (const struct metric_bucket *b = best + 1 + (last - best) / 2;
	     b <= last; b++)
		if (b->min < best->min * (1 + rise))
			return false;
	if (!mean_before(l->beside, best->lowest.line, &then) ||
	    !mean_before(l->beside, last->begin.line, &now) || then <= 0 ||
	    now > then * (1 - threshold(l, TREND_DROP)))
		return false;
	w->from = best->min;
	w->to = last->last;
	w->at = best->lowest;
	snprintf(w->text, sizeof w->text,
	    "The %s rose from its best, %.4g at %s, to %.4g, while the %s "
	    "went on falling from %.4g to %.4g.",
	    title(l), w->from, place(where, &w->at), w->to,
	    l->tax->metrics[l->rule->beside_on].title, then, now);
	return true;
}

static bool overtraining(const struct look *l, struct trend_warning *w)
{
	const struct metric_bucket *best = l->v;
	double better = 1 - threshold(l, TREND_DROP);
	uint64_t after = 0;
	char where[48];

	for (size_t i = 1; i < l->n; i++) {
		after += l->v[i].n;
		if (l->v[i].min < best->min * better) {
			best = &l->v[i];
			after = 0;
		}
	}
	w->from = best->min;
	w->to = l->v[l->n - 1].last;
	w->at = best->lowest;
	/* what has risen again is another thing: overfit */
	if (best->min <= 0 || best == l->v ||
	    w->to > w->from * (1 + threshold(l, TREND_RISE)) ||
	    (double)after < threshold(l, TREND_PATIENCE) ||
	    (double)after < threshold(l, TREND_SHARE) * (double)l->points)
		return false;
	snprintf(w->text, sizeof w->text,
	    "The %s has not improved for %llu of %llu reports: its best was "
	    "%.4g at %s.",
	    title(l), (unsigned long long)after, (unsigned long long)l->points,
	    w->from, place(where, &w->at));
	return true;
}

/* A pause that is far longer than usual: between two reports, or after the
 * last one of a log that goes on and does not end well. */
static bool stalled(const struct look *l, struct trend_warning *w)
{
	const struct metric_pace *p = &l->log->metrics->pace;
	const struct findings *f = l->log;
	char where[48], pause[32];
	uint64_t n;
	double usual = median_of(p->slots, &n);
	double limit = threshold(l, TREND_FACTOR) * usual;
	bool open = !f->ended_well && f->last_time != ENVELOPE_NO_TIME &&
	    p->last != ENVELOPE_NO_TIME && f->last_time - p->last > p->gap;
	int64_t gap = open ? f->last_time - p->last : p->gap;

	w->from = usual;
	w->to = (double)gap / 1e6;
	w->at = open ? p->at_last : p->at_gap;
	if (n < SLOW_GAPS || w->to < threshold(l, TREND_SECONDS) ||
	    w->to < limit)
		return false;
	snprintf(w->text, sizeof w->text,
	    open ? "No step was reported for %s before the log ends, after "
		   "%s; before, one came every %.3g s."
		 : "No step was reported for %s before %s; otherwise one came "
		   "every %.3g s.",
	    duration(pause, gap), place(where, &w->at), usual);
	return true;
}

static bool outliers(const struct look *l, struct trend_warning *w)
{
	double factor = threshold(l, TREND_FACTOR), all = 0, lost = 0;
	uint64_t n, slow = 0;
	double usual = median_of(l->s->slots, &n);
	const struct metric_bucket *worst = l->v;

	for (size_t i = 0; i < METRICS_SLOTS; i++) {
		double v = metrics_slot_value(i) * l->s->slots[i];

		all += v;
		if (metrics_slot_value(i) < factor * usual)
			continue;
		lost += v - usual * l->s->slots[i];
		slow += l->s->slots[i];
	}
	/* the first ones compile and fill caches */
	for (size_t i = l->n / 20 + 1; i < l->n; i++)
		if (l->v[i].max > worst->max || worst == l->v)
			worst = &l->v[i];
	w->from = usual;
	w->to = worst->max;
	w->at = worst->highest;
	if (least(l) < 0 || slow < OUTLIERS_LEAST || all <= 0 ||
	    (double)slow > 0.25 * (double)n ||
	    lost < threshold(l, TREND_SHARE) * all)
		return false;
	snprintf(w->text, sizeof w->text,
	    "%.1f %% of the steps took over %.3g times as long as usual "
	    "(%.3g), and %.0f %% of all the time.",
	    100 * (double)slow / (double)n, factor, usual, 100 * lost / all);
	return true;
}

static bool slow_start(const struct look *l, struct trend_warning *w)
{
	const struct metric_pace *p = &l->log->metrics->pace;
	uint64_t n;
	double usual = median_of(p->slots, &n);
	int64_t wait;
	char pause[32];

	if (l->log->first_time == ENVELOPE_NO_TIME ||
	    p->first == ENVELOPE_NO_TIME || n < SLOW_GAPS)
		return false;
	wait = p->first - l->log->first_time;
	w->from = usual;
	w->to = (double)wait / 1e6;
	w->at = l->v[0].begin;
	/* a report each epoch: its steps were the wait */
	if (w->to < threshold(l, TREND_SECONDS) ||
	    w->to < threshold(l, TREND_FACTOR) * usual)
		return false;
	snprintf(w->text, sizeof w->text,
	    "The first report came %s after the log begins; later ones came "
	    "every %.3g s.",
	    duration(pause, wait), usual);
	return true;
}

/* Ever more, from tenth to tenth, and still so at the end. */
static bool growth(const struct look *l, struct trend_warning *w)
{
	double rise = threshold(l, TREND_RISE), prior, now;
	char where[48];

	w->from = mean(l, 2 * TENTH, 3 * TENTH);
	w->to = mean(l, 9 * TENTH, 2);
	w->at = bucket_at(l, 2 * TENTH)->begin;
	if (w->from <= 0 || w->to < w->from * (1 + rise))
		return false;
	prior = w->from;
	for (int i = 3; i < 10; i++) {
		now = mean(l, i * TENTH, i < 9 ? (i + 1) * TENTH : 2);
		/* an equal share of it each time, or half of that */
		if (now - prior < (w->to - w->from) / 14)
			return false;
		prior = now;
	}
	snprintf(w->text, sizeof w->text,
	    "The %s has grown all the time from %s on: from %.4g to %.4g.",
	    title(l), place(where, &w->at), w->from, w->to);
	return true;
}

static bool at_chance(const struct look *l, struct trend_warning *w)
{
	double low = least(l), high = l->v[0].max, whole;

	for (size_t i = 1; i < l->n; i++)
		high = l->v[i].max > high ? l->v[i].max : high;
	whole = high > 1 ? 100 : 1; /* printed in percent */
	w->from = l->v[0].first;
	w->to = l->v[l->n - 1].last;
	w->at = l->v[0].begin;
	if (low < 0 || high > threshold(l, TREND_BELOW) * whole ||
	    high - low > threshold(l, TREND_SHARE) * high)
		return false;
	snprintf(w->text, sizeof w->text,
	    "The %s stands still: between %.4g and %.4g in all %llu reports.",
	    title(l), low, high, (unsigned long long)l->points);
	return true;
}

static test_fn *const tests[TREND_TESTS] = {
	[TREND_NOT_DECREASING] = not_decreasing,
	[TREND_EXPLODING] = exploding,
	[TREND_VANISHING] = vanishing,
	[TREND_OVERFIT] = overfit,
	[TREND_OVERTRAINING] = overtraining,
	[TREND_STALLED] = stalled,
	[TREND_OUTLIERS] = outliers,
	[TREND_SLOW_START] = slow_start,
	[TREND_GROWTH] = growth,
	[TREND_AT_CHANCE] = at_chance,
};

/* ---- all rules ---- */

static bool is_printed(const struct findings *log, size_t metric)
{
	const struct metric_series *s = trends_series(log, metric);

	return s && s->points > 1;
}

static bool holds(struct look *l, struct trend_warning *w)
{
	const struct trend *r = l->rule;

	*w = (struct trend_warning){ .rule = r };
	l->s = trends_series(l->log, r->on);
	l->beside = r->beside ? trends_series(l->log, r->beside_on) : NULL;
	if (!l->s || (r->unless && is_printed(l->log, r->unless_on)))
		return false;
	longest(l);
	w->points = l->points;
	if (r->test != TREND_STALLED && r->test != TREND_SLOW_START)
		w->series = l->s;
	if (l->n == 0 || (double)l->points < threshold(l, TREND_POINTS))
		return false;
	return stays_infinite(l, w) || tests[r->test](l, w);
}

const struct findings *trends_log(const struct diagnosis *d)
{
	const struct findings *best = NULL;
	uint64_t most = 0;
	int lowest = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];
		uint64_t points = 0;
		int rank;

		if (!f->metrics || f->metrics->n == 0)
			continue;
		rank = f->rank >= 0 ? f->rank : f->metrics->rank;
		for (size_t k = 0; k < f->metrics->n; k++)
			points += f->metrics->v[k]->points +
			    f->metrics->v[k]->bad_points;
		if (best &&
		    (rank > lowest || (rank == lowest && points <= most)))
			continue;
		best = f;
		most = points;
		lowest = rank;
	}
	return best;
}

int trends_find(
    const struct diagnosis *d, const struct taxonomy *tax, struct trends *out)
{
	struct look l = { .tax = tax, .log = trends_log(d) };

	*out = (struct trends){ .log = l.log };
	for (size_t i = 0; i < d->n_logs; i++)
		out->asked |= d->logs[i]->metrics != NULL;
	if (!l.log)
		return 0;
	out->v = calloc((tax->n_trends + 1) * SLOW_RANKS_MOST, sizeof *out->v);
	if (!out->v)
		return -1;
	for (size_t i = 0; i < tax->n_trends; i++) {
		l.rule = &tax->trends[i];
		if (l.rule->test == TREND_SLOW_RANKS) {
			int n =
			    slow_ranks_find(d, tax, l.rule, &out->v[out->n]);

			if (n < 0)
				return -1;
			out->n += (size_t)n;
			continue;
		}
		if (holds(&l, &out->v[out->n]))
			out->n++;
	}
	return 0;
}

void trends_release(struct trends *t)
{
	free(t->v);
	*t = (struct trends){ 0 };
}

/* ---- no number ---- */

/* A mixed-precision run skips steps with infinite gradients and goes on: what
 * counts is what did not go away, and a loss that was NaN at all. */
static bool bad_place(
    const struct metric_series *s, struct metric_place *at, bool *infinite)
{
	if (s->bad_run) {
		*at = s->bad_since;
		*infinite = !s->nan_since;
		return true;
	}
	if (!s->bad_points || !s->nan_first)
		return false;
	*at = s->bad_first;
	*infinite = false;
	return true;
}

struct trend_nan trends_nan(const struct findings *log)
{
	struct trend_nan out = { 0 };

	for (size_t i = 0; log && log->metrics && i < log->metrics->n; i++) {
		const struct metric_series *s = log->metrics->v[i];
		struct metric_place at;
		bool infinite;

		if (!bad_place(s, &at, &infinite))
			continue;
		/* metrics stand in the taxonomy by weight: a loss before a
		 * gradient of the same line */
		if (out.series &&
		    (s->metric > out.series->metric ||
			(s->metric == out.series->metric &&
			    at.line >= out.at.line)))
			continue;
		out.series = s;
		out.at = at;
		out.infinite = infinite;
	}
	for (size_t i = 0; out.series && i < log->metrics->n; i++) {
		const struct metric_series *s = log->metrics->v[i];
		struct metric_place at;
		bool infinite;

		if (s->metric == out.series->metric ||
		    !bad_place(s, &at, &infinite) || at.line >= out.at.line ||
		    (out.before && at.line >= out.before_at.line))
			continue;
		out.before = s;
		out.before_at = at;
		out.before_infinite = infinite;
	}
	return out;
}

/* ---- to be shown ---- */

/* The first metric that is no position is the loss, and has a validation. */
static bool is_loss(const struct taxonomy *tax, size_t metric)
{
	size_t loss = 0;

	while (loss < tax->n_metrics &&
	    (tax->metrics[loss].kind == METRIC_STEP ||
		tax->metrics[loss].kind == METRIC_EPOCH))
		loss++;
	return metric == loss ||
	    (loss < tax->n_metrics && tax->metrics[loss].validation &&
		tax->metrics[loss].validation_metric == metric);
}

const char *trends_node(const struct trend_warning *w)
{
	if (!w->rank)
		return NULL;
	return w->rank->node ? w->rank->node : w->log->node;
}

bool trends_warned(const struct trends *t, size_t metric)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].rule->on == metric)
			return true;
	return false;
}

bool trends_wanted(
    const struct trends *t, const struct taxonomy *tax, size_t metric)
{
	const struct metric_series *s = trends_series(t->log, metric);

	if (!s || s->n < 2)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		const struct trend *r = t->v[i].rule;

		if (t->v[i].series &&
		    (r->on == metric || (r->beside && r->beside_on == metric)))
			return true;
	}
	return is_loss(tax, metric);
}

void trends_curve(const struct metric_series *s, struct trend_curve *out)
{
	size_t most = s->n < TRENDS_POINTS ? s->n : TRENDS_POINTS;

	out->n = most;
	for (size_t i = 0; i < most; i++) {
		size_t from = i * s->n / most, to = (i + 1) * s->n / most;
		double sum = 0, n = 0;

		for (size_t k = from; k < to; k++) {
			sum += s->v[k].sum;
			n += s->v[k].n;
		}
		out->values[i] = sum / n;
		out->steps[i] = s->v[from].begin.at.step;
	}
}

struct metric_bucket trends_whole(const struct metric_series *s)
{
	struct metric_bucket whole = s->v[0];

	for (size_t i = 1; i < s->n; i++) {
		if (s->v[i].min < whole.min)
			whole.min = s->v[i].min;
		if (s->v[i].max > whole.max)
			whole.max = s->v[i].max;
	}
	whole.last = s->v[s->n - 1].last;
	return whole;
}
