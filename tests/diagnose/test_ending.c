/* How sure it is that a job ended well, by its record, its logs and what these
 * stop in the middle of. */
#include "tests/diagnose/labs.h"

#include "diagnose/job_record.h"
#include "diagnose/signals/cut.h"

/* r: NULL for no record. */
static void ends(const char *const *texts, size_t n, const struct job_record *r,
    bool growing, enum ending want)
{
	struct diagnosis d;
	struct err e = { 0 };

	lab_job(&lab, texts, n, &d);
	d.record = r;
	d.logs[0]->growing = growing;
	if (r && r->end == JOB_END_WELL)
		d.failed = 0;
	assert_int_equal(ending_find(&d, &e), 0);
	assert_int_equal(d.ending, want);
	if (want == ENDING_PROVEN)
		assert_int_equal(d.failed, 0);
	else
		assert_true(d.failed != 0);
	assert_string_equal(diagnosis_category(&d),
	    want == ENDING_CUT || want == ENDING_UNKNOWN ? "unknown" : "none");
	diagnosis_release(&d);
}

static void one(const char *text, enum ending want)
{
	ends(&text, 1, NULL, false, want);
}

#define STEPS "step 1 loss 2.50\nstep 2 loss 2.31\n"
#define BAR(N) "\r 40%|####      | " N "/10 [00:04<00:06,  1.00it/s]"
#define TRACE "Traceback (most recent call last):\n  File \"x.py\", line 3, "

static void test_one_log(void **state)
{
	(void)state;
	one(STEPS, ENDING_UNPROVEN);
	one(STEPS "step 3 loss 2.30", ENDING_UNPROVEN);
	one(STEPS "Training finished\n", ENDING_PROVEN);
	one(STEPS "Process finished with exit code 0\n", ENDING_PROVEN);
	one("", ENDING_UNKNOWN);
}

static void test_cut(void **state)
{
	(void)state;
	one("load\n" BAR("3") BAR("4"), ENDING_CUT);
	one("load\n" BAR("3") BAR("4") "\n", ENDING_UNPROVEN);
	one("load\n" BAR("3") BAR("4") "\nbest epoch: 1\n", ENDING_UNPROVEN);
	one("load\n 40%|# | 4/10\n 50%|## | 5/10\n", ENDING_CUT);
	one("load\n 90%|# | 9/10\n 100%|## | 10/10\n", ENDING_UNPROVEN);
	one("Training finished\n" BAR("4"), ENDING_CUT);
	one(" 12/100 [==>...........] - ETA: 5s - loss: 0.69", ENDING_CUT);
	one("100/100 [===========] - 9s - loss: 0.69", ENDING_UNPROVEN);
	one(STEPS "step 3 lo", ENDING_CUT);
	one(STEPS "step 13", ENDING_CUT);
	one(STEPS "step 3\nstep 4", ENDING_UNPROVEN);
	one(STEPS "bye", ENDING_UNPROVEN);
	one(STEPS TRACE "in f\n    main()\n", ENDING_CUT);
	one(STEPS TRACE, ENDING_CUT);
}

/* A process writes whole buffers, and died between two of them. */
static void test_buffers(void **state)
{
	char text[8193];

	(void)state;
	memset(text, 0, sizeof text);
	for (size_t i = 0; i < 8192; i++)
		text[i] = i % 64 == 63 ? '\n' : (char)('a' + i / 64 % 26);
	text[8191] = 'q';
	one(text, ENDING_CUT);
	text[8191] = '\n';
	one(text, ENDING_UNPROVEN);
	text[8190] = '\0';
	one(text, ENDING_UNPROVEN);
}

static void test_records(void **state)
{
	const struct job_record well = { .end = JOB_END_WELL };
	const struct job_record running = { .end = JOB_END_RUNNING };
	const struct job_record odd = { .end = JOB_END_UNKNOWN };
	const char *bar = BAR("4"), *steps = STEPS;

	(void)state;
	ends(&bar, 1, &well, false, ENDING_PROVEN);
	ends(&steps, 1, &well, false, ENDING_PROVEN);
	ends(&steps, 1, &running, false, ENDING_RUNNING);
	ends(&steps, 1, &odd, false, ENDING_UNPROVEN);
	ends(&steps, 1, NULL, true, ENDING_RUNNING);
	ends(&bar, 1, NULL, true, ENDING_RUNNING);
}

static void test_several_logs(void **state)
{
	const char *const proven[] = { STEPS, "Training finished\n", BAR("4") };
	const char *const cut[] = { STEPS, BAR("4") };
	const char *const silent[] = { STEPS, "" };

	(void)state;
	ends(proven, 3, NULL, false, ENDING_PROVEN);
	ends(cut, 2, NULL, false, ENDING_CUT);
	ends(silent, 2, NULL, false, ENDING_UNPROVEN);
}

/* Bytes of no text, and text that is odd. */
static void test_no_text(void **state)
{
	char bytes[4000], text[4000];
	struct findings *f;
	uint32_t x = 12345;

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = (char)(x >> 24);
		text[i] = i % 50 == 49 ? '\n' : i % 7 ? (char)0xe4 : 'a';
	}
	memcpy(text, "\x1b[31mred\x1b[0m\b\b\a", 14);
	f = lab_scan(&lab, bytes, sizeof bytes, 100, "a", -1);
	assert_true(f->no_text);
	findings_free(f);
	f = lab_scan(&lab, text, sizeof text, 100, "a", -1);
	assert_false(f->no_text);
	findings_free(f);
	f = lab_scan(&lab, "a\x01\x02", 3, 1, "a", -1);
	assert_true(f->no_text);
	findings_free(f);
	f = lab_scan(&lab, "\033[1ma\a\t\xc3\xa9", 9, 1, "a", -1);
	assert_false(f->no_text);
	findings_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_log),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_several_logs),
		cmocka_unit_test(test_no_text),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
