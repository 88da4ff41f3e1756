/*
 * What good runs print orders what leaves open what failed, and nothing else.
 */
#include "tests/diagnose/labs.h"

#include "diagnose/decision/usual.h"

/* Good runs print each line with this word. */
static bool prints(void *ctx, const struct diagnosis *d, struct span line)
{
	(void)d;
	return span_find(line, ctx) != SIZE_MAX;
}

/* The line that is the answer where they print that word (NULL: nobody knows).
 */
static void answers(const char *text, const char *word, const char *line)
{
	const struct usual usual = { (void *)(uintptr_t)word, prints, NULL };
	struct findings **logs = malloc(sizeof *logs);
	struct diagnosis d;
	struct err e = { 0 };

	assert_non_null(logs);
	logs[0] = lab_scan(&lab, text, strlen(text), 4096, "x.log", -1);
	assert_int_equal(diagnosis_init(&d, "job", 1, logs, 1, &e), 0);
	d.usual = word ? &usual : NULL;
	assert_int_equal(rank_job(&d, lab.tax, &e), 0);
	assert_int_equal(d.failed, 1);
	assert_true(d.evidence.n > 0);
	if (span_find(proof_text(&d.evidence.v[0]), line) == SIZE_MAX)
		fail_msg("no \"%s\" in \"%.*s\"", line,
		    (int)proof_text(&d.evidence.v[0]).n,
		    proof_text(&d.evidence.v[0]).p);
	diagnosis_release(&d);
}

static void test_open(void **state)
{
	static const char text[] = "Traceback (most recent call last):\n"
				   "  File \"/a/t.py\", line 3, in fetch\n"
				   "ProbeError: panicked, no board is there\n"
				   "closing\n"
				   "Traceback (most recent call last):\n"
				   "  File \"/a/t.py\", line 9, in close\n"
				   "CloseError: panicked, quark torsion\n";

	(void)state;
	answers(text, NULL, "quark torsion");
	answers(text, "tilt", "quark torsion");
	answers(text, "no board", "quark torsion");
	answers(text, "quark", "no board");
	/* where they print all of them, it says nothing */
	answers(text, "panicked", "quark torsion");
}

/* A stated cause stays, whatever good runs print. */
static void test_stated(void **state)
{
	static const char text[] =
	    "Traceback (most recent call last):\n"
	    "  File \"/a/t.py\", line 3, in <module>\n"
	    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
	    "allocate 2.00 GiB\n"
	    "thread 'b' panicked at quark torsion\n";

	(void)state;
	answers(text, NULL, "out of memory");
	answers(text, "out of memory", "out of memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_stated),
	};

	return cmocka_run_group_tests_name(
	    "usual", tests, labs_setup, labs_teardown);
}
