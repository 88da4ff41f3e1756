/*
 * The metrics and trend rules of the files: what ships, what an overlay may
 * change, and what is refused, with its place.
 */
#include "tests/rules/overlay_lab.h"

#include "base/number.h"

#include <math.h>

static const struct trend *trend(const struct taxonomy *t, const char *id)
{
	for (size_t i = 0; i < t->n_trends; i++)
		if (strcmp(t->trends[i].id, id) == 0)
			return &t->trends[i];
	return NULL;
}

static const struct metric *metric(const struct taxonomy *t, const char *id)
{
	for (size_t i = 0; i < t->n_metrics; i++)
		if (strcmp(t->metrics[i].id, id) == 0)
			return &t->metrics[i];
	fail_msg("no metric %s", id);
	return NULL;
}

static void every_test_has_a_rule(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	bool used[TREND_TESTS] = { false };

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < t->n_trends; i++) {
		used[t->trends[i].test] = true;
		assert_string_equal(
		    t->metrics[t->trends[i].on].id, t->trends[i].metric);
		assert_true(t->trends[i].advice.n > 0);
	}
	for (size_t i = 0; i < TREND_TESTS; i++)
		if (!used[i])
			fail_msg("no rule has the test %s",
			    trend_test_name((enum trend_test)i));
	assert_string_equal(
	    t->metrics[metric(t, "loss")->validation_metric].id, "val_loss");
	taxonomy_free(t);
}

static void an_overlay_changes_what_it_gives(void **state)
{
	struct taxonomy *own = taxonomy_load(NULL, 0, NULL);
	struct taxonomy *t =
	    load_two("metrics:\n"
		     "  - id: loss\n"
		     "    names: [my objective]\n"
		     "  - {id: queue, title: Queue, names: [queue]}\n"
		     "trends:\n"
		     "  - id: trend.overfit\n"
		     "    rise: 0.25\n"
		     "  - id: site.queue\n"
		     "    title: The queue grows\n"
		     "    metric: queue\n"
		     "    test: growth\n"
		     "    points: 20\n"
		     "    rise: 1e-1\n"
		     "disable: [trend.slow_start]\n"
		     "validation: [holdout]\n",
		NULL);
	const struct trend *before, *now;

	(void)state;
	assert_non_null(t);
	before = trend(own, "trend.overfit");
	now = trend(t, "trend.overfit");
	assert_true(fabs(now->v[TREND_RISE] - 0.25) < 1e-9);
	assert_true(
	    fabs(now->v[TREND_POINTS] - before->v[TREND_POINTS]) < 1e-9);
	assert_string_equal(now->title, before->title);
	assert_int_equal(now->advice.n, before->advice.n);
	assert_null(trend(t, "trend.slow_start"));
	assert_non_null(trend(t, "site.queue"));
	assert_int_equal(
	    metric(t, "loss")->names.n, metric(own, "loss")->names.n + 1);
	assert_int_equal(t->validation.n, own->validation.n + 1);
	/* it is a part of what a stored answer depends on */
	assert_string_not_equal(t->hash, own->hash);
	taxonomy_free(t);
	taxonomy_free(own);
}

static void bad_files_are_refused(void **state)
{
	(void)state;
	refuse("metrics: 3\n", "1:10: 'metrics' must be a list");
	refuse(
	    "metrics:\n  - {id: a, titel: A}\n", "2:13: unknown key 'titel'");
	refuse("metrics:\n  - {title: A}\n", "2:5: missing key 'id'");
	refuse("metrics:\n  - {id: a}\n", "2:10: missing key 'title'");
	refuse("metrics:\n  - {id: a, title: A, kind: text}\n",
	    "2:29: bad kind 'text': must be one of value, ratio, step, epoch");
	refuse("metrics:\n  - {id: a, title: A, names: [Loss]}\n",
	    "2:31: a name may hold lower case letters, digits, blanks, '/', "
	    "'@' and brackets, and begins with a letter: not 'Loss'");
	refuse("metrics:\n  - {id: a, title: A, units: [its]}\n",
	    "2:31: a unit has a '/' in it: not 'its'");
	refuse("metrics:\n  - {id: a, title: A, validation: none}\n",
	    "2:10: no metric 'none'");
	refuse("metrics:\n  - {id: a, title: A}\n  - {id: a, title: B}\n",
	    "3:10: duplicate id 'a'");
	refuse("trends:\n  - {id: a.b, test: growing}\n",
	    "2:21: bad test 'growing': must be one of not_decreasing, "
	    "exploding, vanishing, overfit, overtraining, stalled, outliers, "
	    "slow_start, growth, at_chance, "
	    "slow_ranks");
	refuse("trends:\n  - {id: a.b, title: A, metric: loss}\n",
	    "2:10: missing key 'test'");
	refuse("trends:\n  - {id: trend.overfit, rise: much}\n",
	    "2:31: 'rise' must be a number over 0");
	refuse("trends:\n  - {id: trend.overfit, rise: -1}\n",
	    "2:31: 'rise' must be a number over 0");
	refuse("trends:\n  - {id: trend.overfit, rise: nan}\n",
	    "2:31: 'rise' must be a number over 0");
	refuse("trends:\n  - {id: trend.overfit, seconds: 3}\n",
	    "2:10: the test does not use 'seconds'");
	refuse("trends:\n  - {id: trend.overfit, metric: weight}\n",
	    "2:10: no metric 'weight'");
	refuse("trends:\n  - {id: a.b, title: A, metric: loss, test: growth, "
	       "points: 5}\n",
	    "2:10: missing key 'rise'");
	refuse("trends:\n  - {id: a.b, title: A, metric: loss, test: overfit, "
	       "points: 5, rise: 1, drop: 1, patience: 1}\n",
	    "2:10: missing key 'beside'");
	refuse("disable: [trend.none]\n", "1:11: no rule 'trend.none'");
}

static void numbers_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		double value;
	} rows[] = {
		{ "1", 1, 1 },
		{ "-2.5e-3,", 7, -0.0025 },
		{ "1,234.5 x", 7, 1234.5 },
		{ "1,23", 1, 1 },
		{ "1,2345", 1, 1 },
		{ "12345,678", 5, 12345 },
		{ "1.", 1, 1 },
		{ ".5", 2, 0.5 },
		{ "1e", 1, 1 },
		{ "1.2.3", 3, 1.2 },
		{ "00012", 5, 12 },
		{ "123456789012345678901234567890", 30, 1.2345678901234568e29 },
		{ "1e400", 5, INFINITY },
		{ "1e-400", 6, 0 },
		{ "1e99999999999", 13, INFINITY },
		{ "-inf", 4, -INFINITY },
		{ "Infinity", 8, INFINITY },
		{ "", 0, 0 },
		{ "-", 0, 0 },
		{ "e5", 0, 0 },
		{ "info", 0, 0 },
		{ "nano", 0, 0 },
		{ ".", 0, 0 },
	};
	double v = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = number_read(span_of(rows[i].text), &v);
		bool same = isinf(rows[i].value)
		    ? isinf(v) && (v < 0) == (rows[i].value < 0)
		    : fabs(v - rows[i].value) <= 1e-12 * fabs(rows[i].value);

		if (n != rows[i].n || (n && !same))
			fail_msg("'%s': %zu bytes, %.17g", rows[i].text, n, v);
	}
	assert_int_equal(number_read(span_of("NaN "), &v), 3);
	assert_true(isnan(v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_test_has_a_rule),
		cmocka_unit_test(an_overlay_changes_what_it_gives),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(numbers_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
