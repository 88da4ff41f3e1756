/*
 * Whether what a rule answered was right: what became of the next attempt, and
 * what persons say. Only the program's own answers are looked at, also where a
 * person's word counts in their place. What changed between two attempts is not
 * known; so a stop that is contradicted is one to look at, not one that is
 * proven wrong, unless a person says so.
 */
#include "base/when.h"
#include "reports/period/report_private.h"

#include <stdlib.h>
#include <string.h>

/* Retries that never help are told from so many on. */
#define VAIN_LEAST 3

/* What the program had said. */
static enum verdict verdict_of(const struct entry *en)
{
	return en->judged ? en->judged->verdict : en->verdict;
}

/* 1: the next attempt got further, 0: it did not, -1: it cannot be told. */
static int further(const struct item *it, const struct item *next)
{
	const struct entry *a = it->en, *b;

	if (!next || next->job != it->job ||
	    next->en->attempt != a->attempt + 1 || next->en->failed < 0)
		return -1;
	b = next->en;
	return b->failed == 0 ||
	    (a->last_step >= 0 && b->last_step > a->last_step);
}

static int64_t used(const struct entry *en)
{
	return en->gpu_seconds > 0 ? en->gpu_seconds : 0;
}

/* Whether a person agrees: 1, 0, or -1: nobody said anything. */
static int agreed(const struct entry *en)
{
	const struct entry_judged *was = en->judged;

	if (!was || !(was->of_category || was->of_verdict))
		return -1;
	return (!was->of_category ||
		   strcmp(was->category, en->category) == 0) &&
	    (!was->of_verdict || was->verdict == en->verdict);
}

void report_health(
    struct rule_row *row, const struct item *it, const struct item *next)
{
	const struct entry *en = it->en;
	enum verdict verdict = verdict_of(en);
	int got = further(it, next), person = agreed(en);

	row->answered++;
	row->right += person == 1;
	row->wrong += person == 0;
	if (person == 0)
		row->cost += used(en);
	if (got < 0 || person == 1)
		return;
	if (verdict == VERDICT_STOP) {
		row->stops++;
		row->refuted += got == 1;
		row->cost += got == 1 && person < 0 ? used(next->en) : 0;
	} else if (verdict == VERDICT_RETRY || verdict == VERDICT_ADJUST) {
		row->retries++;
		row->helped += got == 1;
		row->burnt += got == 0 ? used(next->en) : 0;
	}
}

bool report_rule_vain(const struct rule_row *row)
{
	return row->retries >= VAIN_LEAST && row->helped == 0;
}

static int64_t cost_of(const struct rule_row *row)
{
	return row->cost + (report_rule_vain(row) ? row->burnt : 0);
}

static uint64_t faults_of(const struct rule_row *row)
{
	return row->wrong + row->refuted +
	    (report_rule_vain(row) ? row->retries : 0);
}

static int by_cost(const void *a, const void *b)
{
	const struct rule_row *x = *(const struct rule_row *const *)a;
	const struct rule_row *y = *(const struct rule_row *const *)b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	if (faults_of(x) != faults_of(y))
		return faults_of(x) < faults_of(y) ? 1 : -1;
	return strcmp(x->id, y->id);
}

int report_mend(struct report *r)
{
	r->mend = arena_memory(r->arena, (r->n_rules + 1) * sizeof *r->mend);
	if (!r->mend)
		return -1;
	for (size_t i = 0; i < r->n_rules; i++) {
		struct rule_row *row = &r->rules[i];

		row->cost = cost_of(row);
		if (faults_of(row))
			r->mend[r->n_mend++] = row;
	}
	if (r->n_mend)
		qsort(r->mend, r->n_mend, sizeof *r->mend, by_cost);
	return 0;
}

/* ---- over time ---- */

/* The month of a time in the report's zone, as 12 * year + month - 1. */
static int64_t month_of(const struct report *r, int64_t when)
{
	char text[32];

	if (when == ENVELOPE_NO_TIME)
		return -1;
	when_format(report_local(r, when), text);
	return strtol(text, NULL, 10) * 12 + strtol(text + 5, NULL, 10) - 1;
}

static int by_rule(const void *a, const void *b)
{
	const struct rule_month *x = a, *y = b;
	int c = strcmp(x->rule, y->rule);

	return c ? c : (x->month > y->month) - (x->month < y->month);
}

/* Each judged or counted answer as a month of its own, then those of one
 * added up. */
int report_months(struct report_builder *b)
{
	struct report *r = b->r;
	size_t n = 0;

	r->months = arena_memory(b->arena, (b->n + 1) * sizeof *r->months);
	if (!r->months)
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		const struct item *it = &b->items[i];
		int person = agreed(it->en);

		if (it->now && it->en->rule)
			r->months[n++] =
			    (struct rule_month){ .rule = it->en->rule,
				    .month = month_of(r, it->when),
				    .answered = 1,
				    .right = person == 1,
				    .wrong = person == 0 };
	}
	if (n)
		qsort(r->months, n, sizeof *r->months, by_rule);
	for (size_t i = 0; i < n; i++) {
		struct rule_month *last =
		    r->n_months ? &r->months[r->n_months - 1] : NULL;

		if (!last || by_rule(last, &r->months[i])) {
			r->months[r->n_months++] = r->months[i];
			continue;
		}
		last->answered++;
		last->right += r->months[i].right;
		last->wrong += r->months[i].wrong;
	}
	return 0;
}

const struct rule_month *report_rule_months(
    const struct report *r, const char *rule, size_t *n)
{
	const struct rule_month *first = NULL;

	*n = 0;
	for (size_t i = 0; i < r->n_months; i++)
		if (strcmp(r->months[i].rule, rule) == 0) {
			first = first ? first : &r->months[i];
			++*n;
		}
	return first;
}
