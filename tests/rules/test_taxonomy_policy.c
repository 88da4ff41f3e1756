/* The policy of overlays: verdicts, budgets, and the errors of both. */
#include "tests/rules/overlay_lab.h"

static void test_policy(void **state)
{
	struct taxonomy *own = taxonomy_load(NULL, 0, NULL);
	struct taxonomy *t = load_two(CATEGORY RULE
	    "policy:\n"
	    "  - {rule: site_fault.one, verdict: stop, reason: Rule.}\n"
	    "  - {category: unknown, verdict: retry, reason: Try.}\n",
	    "policy:\n"
	    "  - category: site_fault\n"
	    "    verdict: adjust\n"
	    "    reason: More.\n"
	    "    memory_factor: 1.5\n"
	    "    time_factor: 2\n"
	    "    exclude_nodes: true\n"
	    "    from_checkpoint: true\n"
	    "    delay_seconds: 600\n");
	const struct policy_row *p = t->policy;

	(void)state;
	assert_non_null(own);
	assert_int_equal(t->n_policy, own->n_policy + 3);
	assert_string_equal(p[0].category, "site_fault");
	assert_null(p[0].rule);
	assert_int_equal(p[0].verdict, VERDICT_ADJUST);
	assert_true(p[0].memory_factor > 1.499 && p[0].memory_factor < 1.501);
	assert_true(p[0].time_factor > 1.999 && p[0].time_factor < 2.001);
	assert_true(p[0].exclude_nodes && p[0].from_checkpoint);
	assert_int_equal(p[0].delay_seconds, 600);
	assert_string_equal(p[1].rule, "site_fault.one");
	assert_string_equal(p[2].category, "unknown");
	assert_false(p[2].exclude_nodes);
	taxonomy_free(t);
	/* The row of a rule that is switched off goes with it. */
	t = load_two(CATEGORY RULE
	    "policy:\n"
	    "  - {rule: site_fault.one, verdict: stop, reason: Rule.}\n",
	    "disable: [site_fault.one]\n");
	assert_int_equal(t->n_policy, own->n_policy);
	taxonomy_free(t);
	taxonomy_free(own);
}

/* An overlay's budgets override single values; what a row does not say of
 * retries is as the row behind it has it, unless that one stops. */
static void test_budgets(void **state)
{
	struct taxonomy *own = taxonomy_load(NULL, 0, NULL);
	struct taxonomy *t = load_two(CATEGORY RULE
	    "budgets: {same_cause: 7, total: none}\n"
	    "policy:\n"
	    "  - {rule: site_fault.one, verdict: retry, reason: A.}\n"
	    "  - category: site_fault\n"
	    "    at_start: true\n"
	    "    verdict: retry\n"
	    "    reason: B.\n"
	    "  - category: site_fault\n"
	    "    verdict: retry\n"
	    "    reason: C.\n"
	    "    retries: 2\n"
	    "    repeats: false\n"
	    "    delay_seconds: 10\n"
	    "    backoff: 1.5\n"
	    "    max_delay_seconds: 40\n"
	    "  - {category: tensor_mismatch, verdict: retry, reason: D.}\n",
	    "budgets: {same_cause: 5}\n"
	    "policy:\n"
	    "  - category: site_fault\n"
	    "    verdict: retry\n"
	    "    reason: E.\n"
	    "    retries: unlimited\n");
	const struct policy_row *p = t->policy;

	(void)state;
	assert_int_equal(own->budgets.same_cause, 3);
	assert_int_equal(own->budgets.same_place, 1);
	assert_int_equal(own->budgets.total, 10);
	assert_int_equal(t->budgets.same_cause, 5);
	assert_int_equal(t->budgets.same_place, 1);
	assert_int_equal(t->budgets.total, RETRIES_ANY);
	/* E: its own, and C's repeats */
	assert_int_equal(p[0].retries, RETRIES_ANY);
	assert_false(p[0].repeats);
	assert_int_equal(p[0].layer, 2);
	assert_true(p[0].backoff > 0.999 && p[0].backoff < 1.001);
	assert_int_equal(p[0].max_delay_seconds, 3600);
	/* A: the first of its category without a condition, which is E */
	assert_string_equal(p[1].reason, "A.");
	assert_int_equal(p[1].retries, RETRIES_ANY);
	assert_false(p[1].repeats);
	assert_int_equal(p[1].line, 16);
	/* B: as C, which follows it */
	assert_int_equal(p[2].retries, 2);
	assert_true(p[2].at_start && !p[2].repeats);
	assert_int_equal(p[3].delay_seconds, 10);
	assert_int_equal(p[3].max_delay_seconds, 40);
	assert_true(p[3].backoff > 1.499 && p[3].backoff < 1.501);
	/* D: the row behind it stops */
	assert_int_equal(p[4].retries, 5);
	assert_true(p[4].repeats);
	assert_ptr_equal(taxonomy_policy(t, NULL, "site_fault"), &p[0]);
	assert_ptr_equal(
	    taxonomy_policy(t, "site_fault.one", "site_fault"), &p[1]);
	assert_ptr_equal(taxonomy_policy(t, "no.such", "site_fault"), &p[0]);
	assert_null(taxonomy_policy(t, NULL, "no_such"));
	assert_null(taxonomy_policy(t, NULL, NULL));
	taxonomy_free(t);
	taxonomy_free(own);
}

static void test_policy_hash(void **state)
{
	static const char *const texts[] = { "budgets: {total: 11}\n",
		"budgets: {total: none}\n", "budgets: {same_place: 2}\n",
		"budgets: {same_cause: 2}\n",
#define ROW "policy:\n  - {category: hang, verdict: retry, reason: R."
		ROW "}\n", ROW ", retries: 4}\n", ROW ", repeats: false}\n",
		ROW ", backoff: 3}\n", ROW ", max_delay_seconds: 9}\n" };
#undef ROW
	char seen[16][HASH_HEX];
	size_t n = sizeof texts / sizeof *texts;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct taxonomy *t = load_two(texts[i], NULL);

		memcpy(seen[i], t->hash, sizeof t->hash);
		taxonomy_free(t);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
}

static void test_bad_policy(void **state)
{
	(void)state;
	refuse("policy:\n  - {category: none_such, verdict: stop, reason: R}\n",
	    "2:16: no category 'none_such'");
	refuse("policy:\n  - {rule: none.such, verdict: stop, reason: R}\n",
	    "2:12: no rule 'none.such'");
	refuse("policy:\n  - {verdict: stop, reason: R}\n",
	    "2:5: a row needs either 'category' or 'rule'");
	refuse("policy:\n  - {category: unknown, reason: R}\n",
	    "2:5: missing key 'verdict'");
	refuse("policy:\n  - {category: unknown, memory_factor: 1x}\n",
	    "2:40: 'memory_factor' must be a number from 0.01 to 100");
	refuse("policy:\n  - {category: unknown, delay_seconds: -1}\n",
	    "2:40: 'delay_seconds' must be a number from 0 to 604800");
	refuse("policy:\n  - {category: unknown, retries: -1}\n",
	    "2:34: 'retries' must be a number from 0 to 1000 or 'unlimited'");
	refuse("policy:\n  - {category: unknown, retries: none}\n",
	    "2:34: 'retries' must be a number from 0 to 1000 or 'unlimited'");
	refuse("policy:\n  - {category: unknown, retries: '3'}\n",
	    "2:34: 'retries' must be a number from 0 to 1000 or 'unlimited'");
	refuse("policy:\n  - {category: unknown, repeats: no}\n",
	    "2:34: 'repeats' must be true or false, not 'no'");
	refuse("policy:\n  - {category: unknown, backoff: 0.5}\n",
	    "2:34: 'backoff' must be at least 1");
	refuse("policy:\n  - {category: unknown, backoff: fast}\n",
	    "2:34: 'backoff' must be a number from 0.01 to 100");
	refuse("policy:\n  - {category: unknown, verdict: retry, reason: R,\n"
	       "     delay_seconds: 60, max_delay_seconds: 30}\n",
	    "3:44: 'max_delay_seconds' is under 'delay_seconds'");
}

static void test_bad_budgets(void **state)
{
	(void)state;
	refuse("budgets: 3\n", "1:10: 'budgets' must be a map of keys");
	refuse("budgets: [3]\n", "1:10: 'budgets' must be a map of keys");
	refuse("budgets: {totel: 3}\n", "1:11: unknown key 'totel'");
	refuse("budgets: {total: -3}\n",
	    "1:18: 'total' must be a number from 0 to 1000 or 'none'");
	refuse("budgets: {total: many}\n",
	    "1:18: 'total' must be a number from 0 to 1000 or 'none'");
	refuse("budgets: {total: 1001}\n",
	    "1:18: 'total' must be a number from 0 to 1000 or 'none'");
	refuse("budgets: {same_place: {}}\n",
	    "1:23: 'same_place' must be a number from 0 to 1000 or 'none'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_policy_hash),
		cmocka_unit_test(test_bad_policy),
		cmocka_unit_test(test_bad_budgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
