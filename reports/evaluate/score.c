/*
 * An answer that a label accepts counts as that label, everywhere: in the
 * accuracy, the matrix and each class. macro-F1 is the mean over the classes
 * that are labelled. The wrong-stop rate is the share, of all jobs with a
 * labelled verdict, of those that were stopped though a retry (with or
 * without a change) had a chance.
 */
#include "reports/evaluate/score.h"

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct score_case *score_add(struct score *s)
{
	if (array_grow(&s->v, s->n, &s->cap, sizeof *s->v))
		return NULL;
	s->v[s->n] = (struct score_case){ .verdict = VERDICT_COUNT,
		.got_verdict = VERDICT_COUNT };
	return &s->v[s->n++];
}

void score_release(struct score *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct score_case *c = &s->v[i];

		free(c->path);
		free(c->category);
		free(c->accept);
		free(c->difficulty);
		free(c->got);
		free(c->rule);
		free(c->reason);
	}
	free(s->v);
	score_rules_release(&s->rules);
	*s = (struct score){ 0 };
}

static const char *answer(const struct score_case *c)
{
	return c->answered ? c->got : "none";
}

bool score_right(const struct score_case *c)
{
	struct span rest = span_of(c->accept), word;
	const char *got = answer(c);

	if (strcmp(got, c->category) == 0)
		return true;
	while (rest.n) {
		size_t comma = span_find(rest, ",");

		word = span_sub(rest, 0, comma);
		if (span_is(span_trim(word), got))
			return true;
		rest = comma == SIZE_MAX ? span_of("")
					 : span_sub(rest, comma + 1, rest.n);
	}
	return false;
}

/* ---- sums ---- */

static int by_id(const void *a, const void *b)
{
	const struct score_class *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static size_t class_of(const struct score_sums *s, const char *id)
{
	const struct score_class want = { .id = id };
	const struct score_class *c =
	    bsearch(&want, s->classes, s->n_classes, sizeof *s->classes, by_id);

	return c ? (size_t)(c - s->classes) : 0;
}

static int make_classes(const struct score *s, struct score_sums *out)
{
	size_t n = 0;

	out->classes = calloc(s->n * 2 + 1, sizeof *out->classes);
	if (!out->classes)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		out->classes[n++].id = s->v[i].category;
		out->classes[n++].id = answer(&s->v[i]);
	}
	if (n)
		qsort(out->classes, n, sizeof *out->classes, by_id);
	for (size_t i = 0; i < n; i++)
		if (out->n_classes == 0 ||
		    strcmp(out->classes[out->n_classes - 1].id,
			out->classes[i].id) != 0)
			out->classes[out->n_classes++].id = out->classes[i].id;
	out->matrix =
	    calloc(out->n_classes * out->n_classes + 1, sizeof *out->matrix);
	return out->matrix ? 0 : -1;
}

static void add_case(struct score_sums *out, const struct score_case *c)
{
	bool right = score_right(c);
	const char *got = right ? c->category : answer(c);
	size_t a = class_of(out, c->category), b = class_of(out, got);

	out->jobs++;
	out->right += right;
	out->classes[a].labelled++;
	out->classes[b].answered++;
	out->classes[a].right += right;
	out->matrix[a * out->n_classes + b]++;
	out->band[c->confidence]++;
	out->band_right[c->confidence] += right;
	if (c->difficulty && strcmp(c->difficulty, "plain") == 0) {
		out->plain++;
		out->plain_right += right;
	} else if (c->difficulty && strcmp(c->difficulty, "hard") == 0) {
		out->hard++;
		out->hard_right += right;
	}
	if (c->verdict == VERDICT_COUNT)
		return;
	out->verdicts++;
	out->verdicts_right += c->got_verdict == c->verdict;
	out->wrong_stops +=
	    c->got_verdict == VERDICT_STOP && c->verdict != VERDICT_STOP;
}

/* What each stop_needs would have answered. */
static void add_stop(struct score_sums *out, const struct score_case *c)
{
	bool none = strcmp(c->category, "none") == 0;
	bool dead = c->verdict == VERDICT_STOP;

	if (!c->stops || (c->verdict == VERDICT_COUNT && !none))
		return;
	for (int needs = 0; needs < 3; needs++) {
		out->stop_wrong[needs] += !dead && c->sure >= needs;
		out->stop_spared[needs] += dead && c->sure < needs;
	}
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

int score_sum(const struct score *s, struct score_sums *out, struct err *e)
{
	size_t labelled = 0;

	*out = (struct score_sums){ 0 };
	if (make_classes(s, out)) {
		score_sums_release(out);
		return err_nomem(e);
	}
	for (size_t i = 0; i < s->n; i++) {
		add_case(out, &s->v[i]);
		add_stop(out, &s->v[i]);
	}
	for (size_t i = 0; i < out->n_classes; i++) {
		struct score_class *c = &out->classes[i];

		c->precision = ratio(c->right, c->answered);
		c->recall = ratio(c->right, c->labelled);
		c->f1 = ratio(2 * c->right, c->labelled + c->answered);
		labelled += c->labelled > 0;
		out->macro_f1 += c->labelled ? c->f1 : 0;
	}
	if (labelled)
		out->macro_f1 /= (double)labelled;
	out->accuracy = ratio(out->right, out->jobs);
	out->verdict_accuracy = ratio(out->verdicts_right, out->verdicts);
	out->wrong_stop_rate = ratio(out->wrong_stops, out->verdicts);
	return 0;
}

void score_sums_release(struct score_sums *s)
{
	free(s->classes);
	free(s->matrix);
	*s = (struct score_sums){ 0 };
}
