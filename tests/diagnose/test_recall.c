/* What comes again behind a death: another launch, or what the dead process,
 * its script and its peers leave behind. */
#include "tests/diagnose/labs.h"

#include <stdio.h>

/* text is of n launches (0: one), and its answer is a category; whole, in small
 * pieces and without the prefilter. */
static void is(const char *text, size_t n, const char *category)
{
	size_t len = strlen(text);
	struct findings *f = lab_scan(&lab, text, len, len, "a", -1);
	struct findings *g = lab_scan(&lab, text, len, 3, "a", -1);
	struct findings *h = lab_scan(&without, text, len, 4096, "a", -1);
	struct diagnosis d;

	lab_same(f, g);
	if (f->n_launches != n)
		fail_msg("%zu launches:\n%s", f->n_launches, text);
	assert_int_equal(g->n_launches, n);
	assert_int_equal(h->n_launches, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(
		    f->launches[i].first_line, g->launches[i].first_line);
		assert_int_equal(
		    f->launches[i].first_line, h->launches[i].first_line);
	}
	findings_free(f);
	findings_free(g);
	findings_free(h);
	lab_text(&lab, text, &d);
	if (strcmp(diagnosis_category(&d), category))
		fail_msg("%s:\n%s", diagnosis_category(&d), text);
	/* that a later launch went on is no proof */
	if (!strcmp(category, "none"))
		assert_int_not_equal(d.confidence, CONFIDENCE_HIGH);
	diagnosis_release(&d);
}

#define TRACE(FILE)                                   \
	"Traceback (most recent call last):\n"        \
	"  File \"" FILE "\", line 30, in <module>\n" \
	"    main()\n"
#define KEY TRACE("/home/ada/train.py") "KeyError: 'label'\n"
#define START                          \
	"reading the list of images\n" \
	"the model has 12 layers\n"    \
	"weights are drawn anew here\n"
/* n times 5 lines of work that tell of no step */
#define WORK                            \
	"image batch at 0.9 is taken\n" \
	"the memory of it is full\n"    \
	"gradients of it are clipped\n" \
	"image batch at 0.8 is taken\n" \
	"the learning rate is lowered now\n"
#define WORK5 WORK WORK WORK WORK WORK

/* The start of the log comes again, but for its first line. */
static void test_start_again(void **state)
{
	(void)state;
	is("host gpu-a, by ada on a Monday\n" START KEY
	   "host node-b, by eve, Thursday\n" START WORK5,
	    2, "none");
	is("host gpu-a, by ada on a Monday\n" START KEY
	   "host node-b, by eve, Thursday\n" START KEY,
	    2, "key_not_found");
	/* what has only begun tells nothing */
	is("host gpu-a, by ada on a Monday\n" START KEY
	   "host node-b, by eve, Thursday\n" START,
	    2, "key_not_found");
	/* the dead one's buffers come behind its traceback */
	is("a warning of the loader\n" KEY START WORK5 "a warning of the "
	   "loader\n" KEY START WORK5,
	    0, "key_not_found");
	is(START KEY WORK5, 0, "key_not_found");
	/* the script goes on to its end, as it did before */
	is(START "the loop ends with this item\nall of it was written out\n"
		 "a day later it began anew\n" START KEY
		 "the loop ends with this item\nall of it was written out\n",
	    0, "key_not_found");
	/* other ranks are a little later */
	is("nproc_per_node=2 with torch.distributed.run\n" START KEY START
		WORK5,
	    0, "key_not_found");
}

/* A loop of a script: what comes behind a death comes behind others, and at
 * last without one. */
static void test_loop(void **state)
{
#define PART "the next part of the table\nits rows are read from disk\n"
	(void)state;
	is("tables of the year 7\n" PART KEY PART KEY PART
	   "rows were written at last\n" PART "rows were written at last\n",
	    3, "none");
	is("tables of the year 7\n" PART KEY PART KEY PART
	   "rows were written at last\n" PART KEY,
	    3, "key_not_found");
	/* what a trap prints after each one */
	is(START KEY "cleaning up the scratch\nremoved all that was there\n"
		     "a day later it began\n" KEY
		     "cleaning up the scratch\nremoved all that was there\n",
	    0, "key_not_found");
}

/* A program that died of an import had not printed anything. */
static void test_silent(void **state)
{
#define NUMBERS "251.6\n615.5\n881.3\n258.3\n626.9\n900.9\n"
#define NO_TREES                                      \
	"Traceback (most recent call last):\n"        \
	"  File \"search.py\", line 7, in <module>\n" \
	"    import trees\n"                          \
	"ModuleNotFoundError: No module named 'trees'\n"
	(void)state;
	is(NUMBERS NUMBERS NO_TREES NUMBERS NUMBERS, 2, "none");
	is(NUMBERS NUMBERS NO_TREES "3.5\n4.5\n", 0, "library_not_found");
	/* other output is another step's */
	is(NUMBERS NUMBERS NO_TREES START, 0, "library_not_found");
	/* these may have lain in the buffers */
	is(NUMBERS NUMBERS KEY NUMBERS NUMBERS, 0, "key_not_found");
}

/* A shell says that its child was killed, and goes on at length, or not. */
static void test_killed(void **state)
{
	char text[8192];
	size_t n = 0;

	(void)state;
	is("solving the first of all\nKilled\nsolving the second one\n", 0,
	    "cpu_out_of_memory");
	n += (size_t)snprintf(
	    text, sizeof text, "solving the first of all\nKilled\n");
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(
		    text + n, sizeof text - n, "solved town %d\n", i);
	is(text, 0, "none");
}

/* The next step of a script prints what its libraries print, too, and misses
 * what the dead one should have written. */
static void test_next_step(void **state)
{
#define LIBRARY                          \
	"the compiler cache is in use\n" \
	"threads of the pool: 12 of 16\n"
	(void)state;
	is(LIBRARY TRACE("prepare.py") "KeyError: 'label'\n" LIBRARY TRACE(
	       "train.py") "FileNotFoundError: [Errno 2] No such file "
			   "or directory: 'out/table.csv'\n",
	    2, "key_not_found");
	/* the same program again is no next step */
	is(LIBRARY TRACE("train.py") "KeyError: 'label'\n" LIBRARY TRACE(
	       "train.py") "FileNotFoundError: [Errno 2] No such file "
			   "or directory: 'out/table.csv'\n",
	    2, "path_not_found");
	/* however it was called */
	is(TRACE("/home/ada/net/train.py") "KeyError: 'label'\n" TRACE(
	       "./net/train.py") "FileNotFoundError: [Errno 2] No such "
				 "file or directory: 'out/table.csv'\n",
	    0, "path_not_found");
}

/* What each launch lives through is not what the last one ended of. */
static void test_habit(void **state)
{
#define OLD "ERROR: could not open file old.txt: No such file or directory\n"
	(void)state;
	is(START OLD WORK5 KEY START OLD WORK5, 2, "none");
	/* of what the first one lived through it did not die */
	is(START OLD WORK5 KEY START OLD, 2, "key_not_found");
}

#define EVENT(N, TEXT) N " (4711.003.000) 05/06 10:11:12 " TEXT "\n"
#define RUNS EVENT("001", "Job executing on host: <10.0.0.7:9618>")
#define EVICTED                          \
	EVENT("004", "Job was evicted.") \
	"\t(0) Job was not checkpointed.\n...\n"
#define TASK(N)                                                            \
	"~> TaskHandler[jobId: 61" N "; id: 1; name: ALIGN (s1); status: " \
	"RUNNING; exit: -]\n"

/* What signals tell. */
static void test_told(void **state)
{
	(void)state;
	/* a batch system's own log of a job */
	is(RUNS EVICTED RUNS EVENT(
	       "005", "Job terminated.") "\t(1) Normal "
					 "termination (return value 0)\n...\n",
	    2, "none");
	is(RUNS EVICTED, 0, "preempted");
	/* the number of a job that a workflow watches is not its own */
	is(TASK("1") KEY TASK("2") "it is over now\n", 0, "key_not_found");
	is("Job ID: 7\n" KEY "Job ID: 8\n" WORK5, 2, "none");
	/* runs beyond the ninth */
	is("== run 11/12 ==\n" KEY "== run 12/12 ==\n" WORK5, 2, "none");
	is("== run 11/12 ==\n" WORK "== run 12/12 ==\n" KEY, 2,
	    "key_not_found");
	/* a terminal */
	is("(base) ada@node7:~/net$ python train.py\n" KEY
	   "(base) ada@node7:~/net$ python train.py\n" WORK5,
	    2, "none");
	is("(base) ada@node7:~/net$ python train.py\n" KEY
	   "(base) ada@node7:~/net$ vi train.py\n",
	    0, "key_not_found");
	is("nohup: ignoring input\n" KEY "nohup: ignoring input\n" WORK5, 2,
	    "none");
}

/* Deaths by the hundred, far from each other and near. */
static void test_many(void **state)
{
	size_t cap = 2 << 20, n = 0;
	char *text = malloc(cap);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, cap - n, "%s%s", START, KEY);
	for (int i = 0; i < 3000; i++)
		n += (size_t)snprintf(text + n, cap - n, "%s", KEY);
	n += (size_t)snprintf(text + n, cap - n, "%s%s", START, WORK5);
	is(text, 301, "none");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_again),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_next_step),
		cmocka_unit_test(test_habit),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, labs_setup, labs_teardown);
}
