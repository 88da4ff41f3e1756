/*
 * What looks like a failure and is none, and failures that come without an
 * exception: small logs, each with the answer that a person would give.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"
#include "diagnose/decision/success.h"

#define MAIN                                                  \
	"Traceback (most recent call last):\n"                \
	"  File \"/home/ada/lay.py\", line 30, in <module>\n" \
	"    main()\n"
#define WEIGHTS                                                            \
	"Some weights of the model checkpoint at ada/tiles were not used " \
	"when initializing Net\n"
#define DONE "Training complete in 12m 4s\n"
#define AGAIN "nohup: ignoring input\nNamespace(order='rows')\n"
#define FRAMES                                   \
	"\tat org.tiles.Grid.lay(Grid.java:9)\n" \
	"\tat org.tiles.Main.main(Main.java:3)\n"

/* A text, steps of training or other work, and another text. */
struct made {
	const char *first;
	size_t steps;
	const char *last, *category;
	size_t work;
};

static void check(const struct made *m)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct diagnosis d;
	char *text;

	assert_int_equal(buf_adds(&b, m->first), 0);
	for (size_t i = 0; i < m->steps; i++)
		assert_int_equal(buf_addf(&b, "step %zu loss 0.5\n", i + 2), 0);
	for (size_t i = 0; i < m->work; i++)
		assert_int_equal(
		    buf_addf(&b, "laid tile %zu of the big grid\n", i), 0);
	assert_int_equal(buf_adds(&b, m->last), 0);
	text = buf_take(&b);
	lab_text(&lab, text, &d);
	if (strcmp(diagnosis_category(&d), m->category) != 0)
		fail_msg("%s, not %s:\n%.600s", diagnosis_category(&d),
		    m->category, text);
	if (!strcmp(m->category, "none"))
		assert_true(d.failed <= 0);
	diagnosis_release(&d);
	free(text);
}

static void all(const struct made *m, size_t n)
{
	while (n--)
		check(m++);
}

#define ALL(m) all(m, sizeof m / sizeof *m)

static void what_was_tried_again(void **state)
{
	static const struct made made[] = {
		{ "2026-01-02 03:04:05,1 - INFO - HTTP Request: POST "
		  "https://api.lab/t \"HTTP/1.1 429 Too Many Requests\"\n",
		    0,
		    "2026-01-02 03:04:06,1 - INFO - HTTP Request: POST "
		    "https://api.lab/t \"HTTP/1.1 200 OK\"\n"
		    "2026-01-02 03:04:09,1 - INFO - wrote 2 answers\n",
		    "none", 0 },
		{ "ConnectionError: HTTPSConnectionPool(host='t.lab', "
		  "port=443): Max retries exceeded with url: /3\n"
		  "trying again in 5 s (1/3)\ngot shard 3\n",
		    30, DONE, "none", 0 },
		{ "Connecting to t.lab... failed: Connection timed out.\n"
		  "Retrying.\n\nConnecting to t.lab... connected.\n"
		  "2026-01-02 03:04:05 (9 MB/s) - 'a.tgz' saved [9/9]\n",
		    0, "", "none", 20 },
	};

	(void)state;
	ALL(made);
}

#define BEGUN                                                          \
	"read rows\nread grid\nread order\nread colours\nread sizes\n" \
	"sorted rows\n"
#define CAUGHT                                                             \
	"2026-01-02 03:04:05,123 - tiles - ERROR - tile 12 was left out\n" \
	"Traceback (most recent call last):\n"
#define LOOKED_UP                                            \
	"  File \"/home/ada/tiles.py\", line 41, in fetch\n" \
	"    return self.read(tile)\n"                       \
	"  File \"/home/ada/tiles.py\", line 17, in read\n"  \
	"    return rows[tile]\n"                            \
	"KeyError: 'row'\n"
#define NOT_LAID                                                        \
	MAIN "FileNotFoundError: [Errno 2] No such file or directory: " \
	     "'out/grid.csv'\n"

/* Who printed the exception of a function had caught it. */
static void what_was_caught(void **state)
{
	static const struct made made[] = {
		{ BEGUN CAUGHT LOOKED_UP, 0, "wrote out/grid.csv\n", "none",
		    12 },
		/* its output may have been written late, all of it */
		{ CAUGHT LOOKED_UP, 0, "wrote out/grid.csv\n", "key_not_found",
		    12 },
		/* who ran a test fails for it, whatever is written late */
		{ BEGUN CAUGHT "  File \"/home/ada/tests/tiles.py\", line 4, "
			       "in test_rows\n    rows()\n" LOOKED_UP,
		    0, "", "key_not_found", 12 },
		/* a module that cannot be read is nobody's */
		{ BEGUN "Traceback (most recent call last):\n"
			"  File \"/home/ada/tiles.py\", line 4\n    for (\n"
			"        ^\nSyntaxError: invalid syntax\n",
		    0, "", "syntax_error", 12 },
		{ CAUGHT LOOKED_UP, 0, NOT_LAID, "path_not_found", 12 },
		/* and many do so before they stop */
		{ BEGUN CAUGHT LOOKED_UP, 0, "", "key_not_found", 3 },
		{ CAUGHT LOOKED_UP, 0, MAIN "KeyError: 'grid'\n",
		    "key_not_found", 12 },
		{ BEGUN CAUGHT LOOKED_UP, 0, "make: *** [lay] Error 1\n",
		    "key_not_found", 12 },
		/* of a chain the last one counts */
		{ BEGUN CAUGHT LOOKED_UP
		    "\nDuring handling of the above exception, "
		    "another exception occurred:\n\n" MAIN
		    "RuntimeError: no row\n",
		    0, "", "key_not_found", 12 },
		/* engines catch what a task ended of */
		{ BEGUN CAUGHT
		    "  File \"/opt/lib/python3.10/site-packages/layers/"
		    "task.py\", line 4, in run\n    do()\n" LOOKED_UP,
		    0, "", "key_not_found", 12 },
	};

	(void)state;
	ALL(made);
}

#define ROWS MAIN LOOKED_UP
#define GRID_ERROR "24/08/27 17:37:15 ERROR Grid: tile 12 was left out\n"
#define AN_ERROR \
	"2026-01-02 03:04:05,123 - tiles - ERROR - tile 12 was left out\n"

/* Below a record of its logger the exception of the main program was caught,
 * too, or is the end of it: what comes behind tells. */
static void what_was_logged(void **state)
{
	static const struct made made[] = {
		{ BEGUN AN_ERROR ROWS, 0, "wrote out/grid.csv\n", "none", 22 },
		{ BEGUN "ERROR:tiles:tile 12 was left out\n" ROWS, 0,
		    "wrote out/grid.csv\n", "none", 22 },
		{ BEGUN "E0102 03:04:05.123456 4711 tiles.py:12] left out\n"
			"\n" ROWS,
		    0, "wrote out/grid.csv\n", "none", 22 },
		/* a chain is all below it */
		{ BEGUN AN_ERROR ROWS
		    "\nDuring handling of the above exception, "
		    "another exception occurred:\n\n" MAIN
		    "RuntimeError: no row\n",
		    0, "wrote out/grid.csv\n", "none", 22 },
		/* what a script says behind its program */
		{ BEGUN AN_ERROR ROWS, 0, "job 7 is over\n", "key_not_found",
		    12 },
		{ BEGUN AN_ERROR ROWS, 0, "make: *** [lay] Error 1\n",
		    "key_not_found", 22 },
		/* it need not be what the record is of */
		{ BEGUN ROWS, 0, "wrote out/grid.csv\n", "key_not_found", 22 },
		{ BEGUN "WARNING:tiles:the grid is small\n" ROWS, 0,
		    "wrote out/grid.csv\n", "key_not_found", 22 },
		{ BEGUN AN_ERROR "reading rows\n" ROWS, 0,
		    "wrote out/grid.csv\n", "key_not_found", 22 },
		/* in other languages, and an exception without its frames */
		{ BEGUN GRID_ERROR
		    "java.lang.NullPointerException: tile\n" FRAMES,
		    0, "wrote out/grid.csv\n", "none", 22 },
		{ BEGUN GRID_ERROR
		    "java.lang.NullPointerException: tile\n" FRAMES,
		    0, "job 7 is over\n", "null_reference", 12 },
		{ BEGUN GRID_ERROR
		    "Exception in thread \"main\" "
		    "java.lang.NullPointerException: tile\n" FRAMES,
		    0, "wrote out/grid.csv\n", "null_reference", 22 },
		{ BEGUN AN_ERROR "KeyError: 'row'\n", 0, "wrote out/grid.csv\n",
		    "none", 22 },
		/* another end behind it, which cannot follow from it, or can */
		{ BEGUN AN_ERROR ROWS, 0,
		    MAIN "ZeroDivisionError: division by zero\n",
		    "division_by_zero", 12 },
		{ BEGUN AN_ERROR ROWS, 0, MAIN "KeyError: 'grid'\n",
		    "key_not_found", 12 },
	};

	(void)state;
	ALL(made);
}

static void what_need_not_be_there(void **state)
{
	static const struct made made[] = {
		{ "cat: /etc/dgx-release: No such file or directory\n", 200,
		    "accuracy 0.91\n", "none", 0 },
		/* steps long before the end of the log count, too */
		{ "cat: /etc/dgx-release: No such file or directory\n", 90, "",
		    "none", 3000 },
		{ "ImportError: No module named 'tilelib'\n"
		  "going on without tilelib\n",
		    700, "accuracy 0.8\n", "none", 0 },
		{ "/home/ada/lay.sh: line 3: conda: command not found\n", 40,
		    "accuracy 0.8\n", "none", 0 },
		{ "ls: cannot access 'runs/tb': No such file or directory\n",
		    40, "wrote out/m.pt\n", "none", 0 },
		{ "which: no nvcc in (/usr/local/bin:/usr/bin)\n", 40, "",
		    "none", 0 },
		{ "checking for gcc... gcc\nchecking for ifort... no\n"
		  "conftest.c:9:10: fatal error: ac_nonexistent.h: No such "
		  "file or directory\nchecking for nvcc... no\n",
		    0, "configure: creating ./config.status\n", "none", 10 },
		{ "/var/spool/slurmd/job7/slurm_script: line 4: "
		  "/etc/profile.d/modules.sh: No such file or directory\n",
		    40, "accuracy 0.9\n", "none", 0 },
		{ "Loading cuda/12.1\nThe following have been reloaded with a "
		  "version change:\n  1) gcc/9.3.0 => gcc/11.2\n",
		    40, "accuracy 0.9\n", "none", 0 },
	};

	(void)state;
	ALL(made);
}

static void one_of_many(void **state)
{
	static const struct made made[] = {
		{ "clip 1 of 400\nError processing clip 2: moov atom not "
		  "found\n",
		    0, "399 clips written, 1 skipped\n", "none", 400 },
		{ "[I 2026-01-02 03:05:05,678] Trial 0 finished with value: "
		  "0.5 and parameters: {'n': 1}.\n"
		  "[W 2026-01-02 03:06:05,678] Trial 1 failed with "
		  "parameters: {'n': 9} because of the following error: "
		  "ValueError('tiles').\n" MAIN "ValueError: tiles\n",
		    0,
		    "[I 2026-01-02 03:07:05,678] Trial 2 finished with value: "
		    "0.7 and parameters: {'n': 2}.\nbest value 0.7\n",
		    "none", 0 },
		{ "[7/60] ERROR: [youtube] x7: Video unavailable\n", 0,
		    "59 of 60 are here\n", "none", 60 },
		/* none was done */
		{ "2026-01-02 03:04:05,1 [ERROR] Laying of 'a' FAILED "
		  "(rc=1). Check a.log\n"
		  "2026-01-02 03:04:06,1 [INFO]   Trained: 0/2 | Failed: 2\n",
		    0, "2026-01-02 03:04:06,1 [INFO] ======\n", "unknown", 0 },
	};

	(void)state;
	ALL(made);
}

static void what_is_noted(void **state)
{
	static const struct made made[] = {
		{ ". use tiles, clear\n\n. regress y x\n"
		  "note: x3 omitted because of collinearity.\n",
		    0, "\nend of do-file\n", "none", 0 },
		{ "> fit <- lm(y ~ x)\nWarning message:\n"
		  "In lm(y ~ x) : essentially perfect fit: summary may be "
		  "unreliable\n",
		    0, "> proc.time()\n", "none", 0 },
		/* an exception that a logger of Java shows below a record */
		{ "24/08/27 17:37:15 INFO Grid: no tile yet\n"
		  "java.lang.NullPointerException: tile\n" FRAMES
		  "Caused by: java.io.IOException: Permission denied\n" FRAMES,
		    0, "", "none", 20 },
		{ "2024-08-27 17:37:15,866 [main] DEBUG org.tiles.Grid - "
		  "Cannot invoke \"a.b()\" because \"this.b\" is null\n",
		    0, "", "none", 20 },
		{ "24/08/27 17:37:15 ERROR Grid: no tile\n"
		  "java.lang.NullPointerException: tile\n" FRAMES,
		    0, "", "null_reference", 0 },
		{ "24/08/27 17:37:15 INFO Grid: laying\n"
		  "Exception in thread \"main\" "
		  "java.lang.NullPointerException: tile\n" FRAMES,
		    0, "", "null_reference", 0 },
	};

	(void)state;
	ALL(made);
}

static void what_came_after_the_work(void **state)
{
	static const struct made made[] = {
		{ "", 30,
		    DONE
		    "Exception ignored in: <function _TemporaryFileCloser."
		    "__del__ at 0x7f3a>\nTraceback (most recent call last):\n"
		    "  File \"/usr/lib/python3.11/tempfile.py\", line 450, in "
		    "__del__\n    self.close()\n"
		    "OSError: [Errno 116] Stale file handle\n",
		    "none", 0 },
		{ "", 30,
		    DONE "Traceback (most recent call last):\n"
			 "  File \"/usr/lib/python3.10/multiprocessing/util.py"
			 "\", line 300, in _run_finalizers\n    finalizer()\n"
			 "  File \"/usr/lib/python3.10/multiprocessing/"
			 "synchronize.py\", line 88, in _cleanup\n"
			 "    sem_unlink(name)\nFileNotFoundError: [Errno 2] "
			 "No such file or directory\n",
		    "none", 0 },
		{ "", 30,
		    "Results saved to runs/7\n"
		    "Error in atexit._run_exitfuncs:\n" MAIN
		    "BrokenPipeError: [Errno 32] Broken pipe\n",
		    "none", 0 },
		{ "", 30,
		    DONE
		    "[rank1]:[E1102 03:04:15.678 ProcessGroupNCCL.cpp:616] "
		    "[Rank 1] Watchdog caught collective operation timeout: "
		    "WorkNCCL(SeqNum=70, OpType=ALLREDUCE, NumelIn=1, "
		    "NumelOut=1, Timeout(ms)=600000) ran for 600011 "
		    "milliseconds before timing out.\n",
		    "none", 0 },
		/* the last attempt decides */
		{ AGAIN "step 1 loss 3\n" MAIN "KeyError: 'tile'\n" AGAIN, 40,
		    DONE, "none", 0 },
		{ AGAIN, 40,
		    DONE AGAIN "step 1 loss 3\n" MAIN "KeyError: 'tile'\n",
		    "key_not_found", 0 },
		{ "001 (7.000.000) 05/06 10:12:12 Job executing on host: "
		  "<10.0.0.8:9618>\n...\n"
		  "004 (7.000.000) 05/06 11:12:12 Job was evicted.\n...\n"
		  "009 (7.000.000) 05/06 11:12:13 Job was aborted by the "
		  "user.\n\tvia condor_rm (by user ada)\n...\n",
		    0, "", "killed_by_user", 0 },
	};

	(void)state;
	ALL(made);
}

static void a_death_after_success(void **state)
{
	const char *text =
	    "step 2 loss 0.4\nstep 3 loss 0.3\n"
	    ":::MLLOG {\"key\": \"run_stop\", \"value\": null, \"metadata\": "
	    "{\"status\": \"success\"}}\n"
	    "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT "
	    "2026-01-02T03:04:05 DUE TO TIME LIMIT ***\n";
	struct diagnosis d;

	(void)state;
	lab_job(&lab, &text, 1, &d);
	assert_string_equal(diagnosis_category(&d), "time_limit_exceeded");
	assert_non_null(success_before(&d));
	assert_int_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
}

static void no_exception(void **state)
{
	static const struct made made[] = {
		{ "", 0, " 41%|####      | 410/1000 [00:41<00:59]Killed\n",
		    "cpu_out_of_memory", 3 },
		{ "error: unrecognized subcommand 'lai'\n\n", 0,
		    "Usage: tiles <COMMAND>\n", "illegal_argument", 0 },
		{ "error while handling argument \"--tiles\": stoi\n\n", 0,
		    "usage: lay [options]\n", "illegal_argument", 0 },
		{ "", 0, "{Invalid expression\n", "illegal_argument", 3 },
		{ "", 0,
		    "2026-01-02 03:04:06,678 - tiles - ERROR - Error running "
		    "the grid: name 'order' is not defined\n",
		    "undefined_variable", 3 },
		{ "mpirun was unable to launch the specified application as "
		  "it could not access\nor execute an executable:\n\n"
		  "Executable: ./lay\nNode: n1\n",
		    0, "", "path_not_found", 0 },
		{ "", 0,
		    "LAUNCH ERROR 2026-01-02 03:04:05,452 Container failed "
		    "!!!\nContainer rank 6 status failed cmd ['python', "
		    "'lay.py'] code 1 log log/default.6.log\n",
		    "unknown", 3 },
		{ "", 0, "^C\n", "killed_by_user", 3 },
		{ "", 0,
		    "2026-01-02 03:04:06 INFO task 3 ended with exit code "
		    "127\n",
		    "unknown", 3 },
		{ "INFO:    Converting\n", 0,
		    "FATAL:   could not open image /i/t.sif: failed to "
		    "retrieve path for /i/t.sif: lstat /i/t.sif: no such file "
		    "or directory\n",
		    "path_not_found", 0 },
		{ "INFO:     127.0.0.1:5 - \"POST /v1/t HTTP/1.1\" 200 OK\n", 0,
		    "received SIGTERM, shutting down\nTerminated\n",
		    "killed_by_user", 0 },
		/* the last words of an unknown program */
		{ "", 0, "fatal: the grid came loose\n", "unknown", 3 },
		{ "", 0, "lay: fatal: unknown tile order: zigzag\n",
		    "illegal_argument", 3 },
		{ "fatal: the grid came loose\n", 0, "all done\n", "none",
		    300 },
		{ "", 0, "slurmstepd: error: error unlocking cgroup\n", "none",
		    3 },
		/* the words of a panic */
		{ "thread 'main' panicked at src/lay.rs:4:9:\n"
		  "unknown tile order: zigzag\n",
		    0, "note: run with `RUST_BACKTRACE=1`\n",
		    "illegal_argument", 0 },
		{ "--- FAIL: TestLay (0.01s)\n    lay_test.go:8: odd\nFAIL\n",
		    0, "FAIL\tgit.lab/tiles\t0.1s\n", "assertion_failure", 0 },
	};

	(void)state;
	ALL(made);
}

static void progress_that_stops(void **state)
{
	const char *text =
	    "epoch 1: 100%|##########| 100/100 [00:10<00:00, 10.0it/s]\n"
	    "epoch 2:  37%|###7      | 37/100 [00:03<00:06, 10.0it/s]";
	struct diagnosis d;

	(void)state;
	lab_job(&lab, &text, 1, &d);
	assert_int_equal(d.failed, -1);
	assert_int_equal(d.verdict, VERDICT_UNDECIDED);
	assert_string_equal(diagnosis_category(&d), "unknown");
	diagnosis_release(&d);
}

/* A line that names an error, and behind it the word of a good end: of the
 * work, not of a script or a framework, which come to theirs whatever happened.
 */
static void an_error_before_a_good_end(void **state)
{
#define GRID "ERROR - tiles/7.png: No such file or directory\n"
#define TWO "sorting the rows\njoining both tables\n"
#define SIX TWO "reading sums\nwriting an index\nclosing\nchecking it\n"
#define STOPPED                                                      \
	"26/01/02 03:04:05 INFO SparkContext: Successfully stopped " \
	"SparkContext\n"
	static const struct made made[] = {
		{ GRID SIX, 0, "Processing complete\n", "none", 0 },
		{ GRID SIX, 0, DONE, "none", 0 },
		/* hardly anything stands between them */
		{ GRID TWO, 0, "Processing complete\n", "path_not_found", 0 },
		{ GRID SIX, 0, "Job finished\n", "path_not_found", 0 },
		{ GRID SIX, 0, STOPPED, "path_not_found", 0 },
		{ DONE GRID SIX, 0, STOPPED, "path_not_found", 0 },
	};

	(void)state;
	ALL(made);
#undef GRID
#undef TWO
#undef SIX
#undef STOPPED
}

/* One of several processes dies; the others make steps until their launcher
 * ends them for it. */
static void the_others_went_on(void **state)
{
	static const struct made made[] = {
		{ "[2026-01-02 03:04:05,000] [INFO] [launch.py:253:main] "
		  "process 7 spawned with command: ['python', 'lay.py', "
		  "'--local_rank=0']\nstep 1 loss 0.5\n" MAIN
		  "UnboundLocalError: local variable 'tile' referenced before "
		  "assignment\n",
		    2000,
		    "[2026-01-02 03:05:05,000] [ERROR] [launch.py:322:"
		    "sigkill_handler] ['python', 'lay.py'] exits with return "
		    "code = 1\n",
		    "undefined_variable", 0 },
	};

	(void)state;
	ALL(made);
}

/* What an earlier run lived through is what the last one ended of, when it is
 * its last word. */
static void the_last_word_again(void **state)
{
	static const struct made made[] = {
		{ WEIGHTS
		    "step 1 loss 0.5\nValueError: tile is larger than the "
		    "grid\n",
		    90,
		    WEIGHTS "step 1 loss 0.5\nValueError: tile is larger than "
			    "the grid\n",
		    "illegal_argument", 0 },
	};

	(void)state;
	ALL(made);
}

/* A limit that was reached need not have ended anything: what comes behind it
 * tells. */
static void what_slurm_saw(void **state)
{
#define REACHED "slurmstepd: error: Exceeded step memory limit at some point.\n"
	static const struct made made[] = {
		{ "reading tiles\n" REACHED, 30, "", "none", 0 },
		{ "reading tiles\n", 30, DONE REACHED, "none", 0 },
		{ "reading tiles\n", 30, REACHED, "cpu_out_of_memory", 0 },
		{ "reading tiles\n", 30,
		    "/var/spool/slurmd/job12/slurm_script: line 9:  4711 "
		    "Killed                  ./lay\n" REACHED,
		    "cpu_out_of_memory", 0 },
		{ "reading tiles\n", 30, REACHED MAIN "KeyError: 'row'\n",
		    "key_not_found", 0 },
	};

	(void)state;
	ALL(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_slurm_saw),
		cmocka_unit_test(what_was_tried_again),
		cmocka_unit_test(what_was_caught),
		cmocka_unit_test(what_was_logged),
		cmocka_unit_test(what_need_not_be_there),
		cmocka_unit_test(one_of_many),
		cmocka_unit_test(what_is_noted),
		cmocka_unit_test(what_came_after_the_work),
		cmocka_unit_test(a_death_after_success),
		cmocka_unit_test(no_exception),
		cmocka_unit_test(progress_that_stops),
		cmocka_unit_test(an_error_before_a_good_end),
		cmocka_unit_test(the_others_went_on),
		cmocka_unit_test(the_last_word_again),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
