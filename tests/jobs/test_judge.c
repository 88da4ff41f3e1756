/* What the rules see in a record is the same when it has been seen before. */
#include "tests/diagnose/labs.h"

#include "diagnose/job_record.h"
#include "jobs/judge.h"

static char *word(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* How many pieces of evidence the record gives. */
static size_t same(const struct job_record *r, struct judge_memory *m)
{
	struct err e = { 0 };
	struct findings *a = judge_record(r, NULL, lab.scan, NULL, &e);
	struct findings *b = judge_record(r, NULL, lab.scan, m, &e);
	size_t n = a->n_evidence;

	assert_non_null(b);
	lab_same(a, b);
	assert_string_equal(a->path, b->path);
	assert_int_equal(a->signal, b->signal);
	assert_int_equal(a->exit_line, b->exit_line);
	assert_int_equal(a->last.step, b->last.step);
	assert_true(b->of_record && b->whole);
	for (size_t i = 0; i < n; i++) {
		const struct evidence *x = &a->evidence[i];
		const struct evidence *y = &b->evidence[i];

		assert_int_equal(x->text_len, y->text_len);
		assert_int_equal(x->match_from, y->match_from);
		assert_int_equal(x->match_to, y->match_to);
		assert_int_equal(x->n_captures, y->n_captures);
		for (size_t k = 0; k < x->n_captures; k++) {
			lab_same_string(
			    x->captures[k].name, y->captures[k].name);
			lab_same_string(
			    x->captures[k].value, y->captures[k].value);
		}
	}
	findings_free(a);
	findings_free(b);
	return n;
}

static void test_memory(void **state)
{
	static const char *const states[] = { NULL, "FAILED", "TIMEOUT",
		"CANCELLED", "COMPLETED", "NODE_FAIL", "OUT_OF_MEMORY",
		"PREEMPTED", "DEADLINE", "BOOT_FAIL", "Failed", "Killed" };
	static const char *const reasons[] = { NULL, "None", "OOMKilled",
		"Evicted", "NodeLost", "TimeLimit", "NonZeroExitCode",
		"DeadlineExceeded", "CUDA out of memory. Tried to allocate",
		"OUT_OF_MEMORY (step)", "step 5: loss nan" };
	static const int exits[][2] = { { -1, -1 }, { 0, 0 }, { 1, 0 },
		{ 0, 53 }, { 0, 125 }, { 139, 0 }, { 137, 9 }, { 0, 11 } };
	struct judge_memory *m = judge_memory_new();
	size_t n = 0, line = 1;

	(void)state;
	assert_non_null(m);
	for (int round = 0; round < 2; round++)
		for (size_t s = 0; s < sizeof states / sizeof *states; s++)
			for (size_t r = 0; r < sizeof reasons / sizeof *reasons;
			     r++)
				for (size_t x = 0;
				     x < sizeof exits / sizeof *exits; x++)
					n += same(
					    &(struct job_record){
						.path = "sacct.txt",
						.line = line++,
						.state = word(states[s]),
						.reason = word(reasons[r]),
						.exit_code = exits[x][0],
						.signal = exits[x][1] },
					    m);
	assert_true(n > 500);
	judge_memory_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_memory) };

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
