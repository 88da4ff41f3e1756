/*
 * Lines of an earlier kind behind an error: its loop went on. And what looks
 * like that, and is none.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"

#define ERROR "ERROR - could not lay tile 7: Unknown model (grid_tiny)\n"

/* What is printed before an error, behind it, and how often. */
struct made {
	const char *before, *behind, *category;
	size_t times;
	const char *error;
};

static char *text_of(const struct made *m)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_adds(&b, "Laying the big grid\n"), 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(buf_addf(&b, m->before, i * 17), 0);
	assert_int_equal(buf_adds(&b, m->error ? m->error : ERROR), 0);
	for (size_t i = 5; i < m->times + 5; i++)
		assert_int_equal(buf_addf(&b, m->behind, i * 17), 0);
	return buf_take(&b);
}

static void all(const struct made *m, size_t n)
{
	struct diagnosis d;

	for (; n--; m++) {
		char *text = text_of(m);

		lab_text(&lab, text, &d);
		if (strcmp(diagnosis_category(&d), m->category) != 0)
			fail_msg("%s, not %s:\n%s", diagnosis_category(&d),
			    m->category, text);
		diagnosis_release(&d);
		free(text);
	}
}

#define ALL(m) all(m, sizeof m / sizeof *m)

static void a_loop_that_went_on(void **state)
{
	static const struct made made[] = {
		{ "laid tile %zu\n", "laid tile %zu\n", "none", 12, NULL },
		{ "INFO - tile_%zu.png: 0.25 done\n",
		    "INFO - tile_%zu.png: 3e-05 done\n", "none", 12, NULL },
		/* one line in three, and none is counted twice */
		{ "laid %zu\n", "laid %zu\nand\nso on\n", "none", 6, NULL },
		{ "laid %zu\n", "laid %zu\nand\nso\non\n", "illegal_argument",
		    8, NULL },
		/* what stands last on a line that is drawn over */
		{ "0 %%\rlaid %zu %%\n", "50 %%\rlaid %zu %%\r\n", "none", 12,
		    NULL },
		/* too few, which can be what a buffer held */
		{ "laid tile %zu\n", "laid tile %zu\n", "illegal_argument", 9,
		    NULL },
	};

	(void)state;
	ALL(made);
}

static void what_is_no_loop(void **state)
{
	static const struct made made[] = {
		/* of the tear-down alone */
		{ "laid tile %zu\n", "worker %zu was told to stop\n",
		    "illegal_argument", 14, NULL },
		{ "laid tile %zu\n", "left tile %zu\n", "illegal_argument", 14,
		    NULL },
		/* a listing, and numbers without words */
		{ "  tile %zu\n", "  tile %zu\n", "illegal_argument", 14,
		    NULL },
		{ "%zu 0.5\n", "%zu 0.5\n", "illegal_argument", 14, NULL },
		/* more complaints */
		{ "WARNING:grid:tile %zu is dark\n",
		    "WARNING:grid:tile %zu is dark\n", "illegal_argument", 14,
		    NULL },
		/* errors again and again, of tests or of a compiler */
		{ "laid tile %zu\n", "laid tile %zu\n", "illegal_argument", 14,
		    ERROR ERROR ERROR ERROR },
		/* the scheduler tells of the end */
		{ "laid tile %zu\n", "laid tile %zu\n", "illegal_argument", 14,
		    ERROR "srun: error: n1: task 0: Exited with exit code 1"
			  "\n" },
	};

	(void)state;
	ALL(made);
}

static void however_it_is_read(void **state)
{
	static const struct made made = { "laid tile %zu\n", "laid tile %zu\n",
		"none", 40, NULL };
	char *text = text_of(&made);
	size_t n = strlen(text);
	struct findings *a = lab_scan(&lab, text, n, n, "a.log", -1);
	struct findings *b = lab_scan(&lab, text, n, 1, "a.log", -1);

	(void)state;
	/* the last of them, in order */
	assert_int_equal(a->n_recurring, 32);
	assert_int_equal(a->recurring[31].line, 47);
	assert_int_equal(a->recurring[31].first, 2);
	lab_same(a, b);
	findings_free(a);
	findings_free(b);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_that_went_on),
		cmocka_unit_test(what_is_no_loop),
		cmocka_unit_test(however_it_is_read),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
