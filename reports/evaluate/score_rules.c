/*
 * What each rule did in an evaluation: the answers it won, right and wrong,
 * and the jobs in which it gave evidence for another's answer.
 */
#include "reports/evaluate/score.h"

#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "reports/output/object.h"

#include <stdlib.h>
#include <string.h>

int score_rules_init(
    struct score_rules *s, const struct taxonomy *tax, struct err *e)
{
	*s = (struct score_rules){
		.v = calloc(tax->n_rules + 1, sizeof *s->v),
		.patterns = calloc(tax->n_patterns + 1, sizeof *s->patterns),
		.pattern_job =
		    calloc(tax->n_patterns + 1, sizeof *s->pattern_job),
	};
	if (!s->v || !s->patterns || !s->pattern_job) {
		score_rules_release(s);
		return err_nomem(e);
	}
	s->n = tax->n_rules;
	for (size_t i = 0; i < s->n; i++)
		s->v[i].rule = taxonomy_rule_at(tax, i);
	return 0;
}

void score_rules_release(struct score_rules *s)
{
	free(s->v);
	free(s->patterns);
	free(s->pattern_job);
	*s = (struct score_rules){ 0 };
}

void score_rules_add(
    struct score_rules *s, const struct diagnosis *d, bool right)
{
	s->jobs++;
	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_evidence; k++) {
			const struct evidence *ev = &d->logs[i]->evidence[k];
			const struct rule *r = ev->rule;
			struct score_rule *row = &s->v[r->number];
			size_t p = r->first + ev->pattern;

			s->patterns[p] += s->pattern_job[p] != s->jobs;
			s->pattern_job[p] = s->jobs;
			row->hits += row->last_job != s->jobs;
			row->last_job = s->jobs;
		}
	if (d->rule && right)
		s->v[d->rule->number].right++;
	else if (d->rule)
		s->v[d->rule->number].wrong++;
}

static int by_wins(const void *a, const void *b)
{
	const struct score_rule *x = a, *y = b;
	uint64_t wins_x = x->right + x->wrong, wins_y = y->right + y->wrong;

	if (wins_x != wins_y)
		return wins_x > wins_y ? -1 : 1;
	if (x->hits != y->hits)
		return x->hits > y->hits ? -1 : 1;
	return strcmp(x->rule->id, y->rule->id);
}

/* A match of a context rule takes a line away and leaves no evidence. */
static bool counted(const struct score_rule *r)
{
	return r->rule->role != ROLE_CONTEXT;
}

int score_rules_text(const struct score_rules *s, FILE *f, struct err *e)
{
	struct score_rule *v = malloc((s->n + 1) * sizeof *v);
	size_t n = 0, never = 0;

	if (!v)
		return err_nomem(e);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].hits)
			v[n++] = s->v[i];
		else
			never += counted(&s->v[i]);
	}
	if (n)
		qsort(v, n, sizeof *v, by_wins);
	fprintf(f, "\n%-46s %6s %6s %6s %6s\n", "RULE", "JOBS", "RIGHT",
	    "WRONG", "OTHER");
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%-46s %6llu %6llu %6llu %6llu\n", v[i].rule->id,
		    (unsigned long long)v[i].hits,
		    (unsigned long long)v[i].right,
		    (unsigned long long)v[i].wrong,
		    (unsigned long long)(v[i].hits - v[i].right - v[i].wrong));
	fprintf(f, "\n%zu rules gave evidence, %zu never\n", n, never);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].hits == 0 && counted(&s->v[i]))
			fprintf(f, "  %s\n", s->v[i].rule->id);
	free(v);
	return 0;
}

/* Of a rule with several patterns: the jobs in which each was seen. */
static struct json *patterns_json(
    const struct score_rules *s, const struct rule *r)
{
	struct object a = object_new_array();

	for (size_t k = 0; k < r->pattern.n; k++)
		object_add(
		    &a, json_new_int((int64_t)s->patterns[r->first + k]));
	return object_done(&a);
}

struct json *score_rules_json(const struct score_rules *s)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct score_rule *r = &s->v[i];
		struct object o;

		if (!counted(r))
			continue;
		o = object_new();
		object_string(&o, "id", r->rule->id);
		object_total(&o, "hits", r->hits);
		object_total(&o, "right", r->right);
		object_total(&o, "wrong", r->wrong);
		if (r->rule->pattern.n > 1)
			object_put(&o, "patterns", patterns_json(s, r->rule));
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}
