/*
 * What stands around the output of a job changes no answer: what the script
 * prints before and behind it, what a launcher says of its end, and what a
 * collector puts before each line.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"

#define MAIN                                                    \
	"Traceback (most recent call last):\n"                  \
	"  File \"/home/ada/train.py\", line 30, in <module>\n" \
	"    main()\n"

static const struct job {
	const char *text, *category;
} failed[] = {
	{ MAIN "KeyError: 'label'\n", "key_not_found" },
	{ "step 10 loss 0.31\nstep 20 loss 0.29\n" MAIN
	  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
	  "GiB. GPU 0 has a total capacity of 15.78 GiB of which 801.00 MiB is "
	  "free.\n",
	    "gpu_out_of_memory" },
	{ "Traceback (most recent call last):\n"
	  "  File \"/opt/lib/python3.9/site-packages/x/w.py\", line 3, in run\n"
	  "    return self.step()\n"
	  "ModuleNotFoundError: No module named 'tiles'\n",
	    "library_not_found" },
	{ "  File \"/home/ada/train.py\", line 3\n    x = (1,\n        ^\n"
	  "SyntaxError: '(' was never closed\n",
	    "syntax_error" },
	{ "reading the set\n"
	  "/home/ada/run.sh: line 7: 4711 Segmentation fault      (core "
	  "dumped) ./solve in.dat\n",
	    "native_crash" },
}, well[] = {
	{ "epoch 1 loss 0.31\nepoch 2 loss 0.29\nepoch 3 loss 0.27\n"
	  "Training complete in 3m 2s\n",
	    "none" },
};

static void add(struct buf *b, const char *s)
{
	assert_int_equal(buf_adds(b, s), 0);
}

/* So many lines, each with its number between two texts. */
static void add_numbered(
    struct buf *b, int n, const char *before, const char *behind)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(buf_addf(b, "%s%d%s", before, i, behind), 0);
}

static void is(const char *text, const char *category, const char *what)
{
	struct diagnosis d;

	lab_text(&lab, text, &d);
	if (strcmp(diagnosis_category(&d), category))
		fail_msg("%s: %s, not %s:\n%s", what, diagnosis_category(&d),
		    category, text);
	diagnosis_release(&d);
}

/* Each job with a text before and behind it. */
static void surround(const struct job *jobs, size_t n, const char *const *texts,
    size_t n_texts, bool behind)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_texts; k++) {
			struct buf b = BUF_INIT(BUF_MAX);

			add(&b, behind ? jobs[i].text : texts[k]);
			add(&b, behind ? texts[k] : jobs[i].text);
			is(b.p, jobs[i].category, texts[k]);
			buf_release(&b);
		}
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void what_a_script_says_before(void **state)
{
	static const char *const heads[] = {
		"slurmstepd: error: failed to open /proc/self/oom_score_adj: "
		"Read-only file system\n",
		"/usr/bin/xauth:  file /home/ada/.Xauthority does not exist\n",
		"fatal: not a git repository (or any of the parent "
		"directories): .git\n",
		"mkdir: cannot create directory 'out': File exists\n",
		"bash: warning: setlocale: LC_ALL: cannot change locale "
		"(en_US.UTF-8)\n",
		"Lmod is automatically replacing \"gcc/9.3.0\" with "
		"\"intel/2020.1.217\".\n",
	};

	(void)state;
	surround(failed, COUNT(failed), heads, COUNT(heads), false);
	surround(well, COUNT(well), heads, COUNT(heads), false);
}

static void what_a_script_says_behind(void **state)
{
	static const char *const tails[] = {
		"Job finished\n",
		"All done!\nTue Mar  4 11:02:13 CET 2025\n",
		"\n==========================================\n"
		"SLURM_JOB_ID = 4711\n"
		"Job finished at Tue Mar  4 11:02:13 CET 2025\n"
		"==========================================\n",
		"            JobID    JobName    Elapsed      State ExitCode\n"
		"----------------- ---------- ---------- ---------- --------\n"
		"             4711      train   00:12:44     FAILED      1:0\n"
		"       4711.batch      batch   00:12:44     FAILED      1:0\n",
		"\nreal\t0m12.345s\nuser\t0m9.876s\nsys\t0m1.234s\n",
	}, *const launchers[] = {
		"srun: error: node042: task 0: Exited with exit code 1\n",
		"make: *** [Makefile:12: train] Error 1\n",
		"Error: Process completed with exit code 1.\n",
		"ERROR: Job failed: exit code 1\n",
		"command terminated with exit code 1\n",
	};

	(void)state;
	surround(failed, COUNT(failed), tails, COUNT(tails), true);
	surround(failed, COUNT(failed), launchers, COUNT(launchers), true);
	surround(well, COUNT(well), tails, COUNT(tails), true);
}

/* The job's lines, each between two texts; quoted: as a text of JSON. */
static void wrap(
    const struct job *j, const char *before, const char *behind, bool quoted)
{
	struct buf b = BUF_INIT(BUF_MAX);
	bool starts = true;

	for (const char *p = j->text; *p; p++) {
		if (starts)
			add(&b, before);
		starts = *p == '\n';
		if (quoted && (*p == '"' || *p == '\\'))
			add(&b, "\\");
		if (starts)
			add(&b, behind);
		assert_int_equal(buf_addc(&b, *p), 0);
	}
	is(b.p, j->category, before);
	buf_release(&b);
}

static void what_stands_before_each_line(void **state)
{
	static const char *const prefixes[] = {
		"2025-03-04T09:00:00.1234567Z ",
		"2025-03-04T09:00:00.123456Z 01O ",
		"2025-03-04T09:00:00.123456789Z stderr F ",
		"Mar 04 09:00:00 node042 train[4711]: ",
		"0: ",
		"[rank0]: ",
		"(train_fn pid=4711, ip=10.0.0.4) ",
		"[1,0]<stderr>:",
		"trainer-1  | ",
		"trainer-7d9f8b6c5d-x2x9z trainer ",
		"[2025-03-04T09:00:00.123+0000] {subprocess.py:93} INFO - ",
		"Unit tests (linux)\tRun make\t2025-03-04T09:00:00.1234567Z ",
		"[2025-03-04, 09:00:00 UTC] {pod_manager.py:197} INFO - ",
		"[2025-03-04 09:00:00,123] {bash_operator.py:126} INFO - ",
		"[2025-03-04 09:00:00,123: WARNING/ForkPoolWorker-1] ",
		"2025-03-04 09:00:00,123 - tiles.run - INFO - ",
		"    ",
		"> ",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(prefixes); i++)
		for (size_t k = 0; k < COUNT(failed); k++)
			wrap(&failed[k], prefixes[i], "", false);
}

/* A collector that calls all that it passes on information. */
static void what_a_collector_calls_it(void **state)
{
	static const char before[] = "{\"time\":\"2025-03-04T09:00:00Z\","
				     "\"level\":\"info\",\"message\":\"";
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (size_t k = 0; k < COUNT(failed); k++)
		wrap(&failed[k], before, "\"}", true);
	for (size_t k = 0; k < COUNT(well); k++)
		wrap(&well[k], before, "\"}", true);
	/* one record that holds it all is what a program has logged */
	add(&b, before);
	add(&b,
	    "Traceback (most recent call last):\\n  File "
	    "\\\"/home/ada/a.py\\\", line 30, in <module>\\n    "
	    "main()\\nKeyError: 'label'\"}\n");
	is(b.p, "none", before);
	buf_clear(&b);
	/* so is what one that has other levels calls information */
	add(&b, before);
	add(&b,
	    "tiles: read: No space left on device\"}\n"
	    "{\"level\":\"warning\",\"message\":\"tiles are dry\"}\n");
	is(b.p, "none", "another level");
	buf_release(&b);
}

/* PyTorch's loggers put the level before each line of what they warn of. */
static void what_a_logger_warns_of(void **state)
{
	static const struct job warned = { MAIN "KeyError: 'label'\n", "none" };

	(void)state;
	wrap(&warned,
	    "[2025-03-04 09:00:00,123] torch._dynamo.convert_frame: [WARNING] ",
	    "", false);
}

/* An exception that was printed long before, by a program that went on. */
static void what_was_lived_through(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	add(&b, MAIN "ModuleNotFoundError: No module named 'fast_tiles'\n");
	for (int i = 1; i < 400; i++)
		assert_int_equal(
		    buf_addf(&b, "rank 1 of 8: what it read is part %d\n", i),
		    0);
	add(&b,
	    ":::MLLOG {\"key\": \"run_stop\", \"value\": null, "
	    "\"metadata\": {\"status\": \"success\"}}\n");
	is(b.p, "none", "a good end far behind it");
	buf_release(&b);
	/* what cannot follow from it is what the process died of */
	is("Traceback (most recent call last):\n"
	   "  File \"/home/ada/fast.py\", line 4, in <module>\n"
	   "    import fast_tiles\n"
	   "ModuleNotFoundError: No module named 'fast_tiles'\n"
	   "fast tiles are off\n" MAIN
	   "TypeError: unsupported operand type(s) for +: 'int' and 'str'\n",
	    "type_mismatch", "another program's end");
}

/* Who dies as it reads its modules has neither children nor steps: what does
 * so behind it tells that the import was caught. */
static void what_an_import_was_caught_before(void **state)
{
#define NOT_THERE                                                       \
	"Traceback (most recent call last):\n"                          \
	"  File \"/home/ada/tiles/__init__.py\", line 3, in <module>\n" \
	"    import fast_tiles\n"                                       \
	"ModuleNotFoundError: No module named 'fast_tiles'\n"
	(void)state;
	is(NOT_THERE "epoch 1 loss 0.31\nepoch 2 loss 0.29\n", "none",
	    "it trained");
	is(NOT_THERE "epoch 1 loss 0.31\nepoch 2 loss nan\nepoch 3 loss nan\n",
	    "loss_nan", "it trained, and badly");
	is(NOT_THERE
	    "Process Process-1:\n"
	    "Traceback (most recent call last):\n"
	    "  File \"/opt/lib/python3.9/multiprocessing/process.py\", line "
	    "314, in _bootstrap\n    self.run()\n"
	    "  File \"/home/ada/tiles/lay.py\", line 30, in lay\n"
	    "    tiles[9]\n"
	    "IndexError: list index out of range\n",
	    "illegal_index", "it had a child");
	is(NOT_THERE
	    "\nDuring handling of the above exception, another exception "
	    "occurred:\n\n" MAIN "RuntimeError: the tiles cannot be laid\n",
	    "illegal_argument", "what was done instead failed");
	is("Please install apex to lay tiles faster.\n"
	   "epoch 1 loss 0.31\nlaid\n",
	    "none", "advice");
#undef NOT_THERE
}

/* A workflow that gives up tells at length how it ends, and calls that an
 * end. */
static void what_a_workflow_says_behind(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	add(&b,
	    "Jan-02 03:04:05.100 [main] ERROR nextflow.Nextflow - tiles\n"
	    "java.nio.file.NoSuchFileException: /srv/tiles/sheet.csv\n");
	add_numbered(&b, 30, "\tat tiles.Sheet.read(Sheet.java:", ")\n");
	add(&b,
	    "Jan-02 03:04:05.200 [main] DEBUG nextflow.Session - Session "
	    "aborted -- Cause: /srv/tiles/sheet.csv\n");
	add_numbered(&b, 300, "  port ", ": (value) bound ; tiles\n");
	add(&b,
	    "Jan-02 03:04:06.100 [main] DEBUG nextflow.script.ScriptRunner "
	    "- > Execution complete -- Goodbye\n");
	is(b.p, "path_not_found", "a workflow that gave up");
	buf_release(&b);
}

/* A workflow shows all that its step printed, and tells of its other steps
 * behind that. */
static void what_a_workflow_shows_of_its_step(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	add(&b,
	    "Jan-02 03:04:05.100 [Task monitor] ERROR "
	    "nextflow.processor.TaskProcessor - Error executing process > "
	    "'LAY (1)'\n\nCaused by:\n  Process `LAY (1)` terminated with an "
	    "error exit status (1)\n\nCommand error:\n");
	add_numbered(&b, 120, "  row ", " of the tiles was short\n");
	add(&b,
	    "  Error in tiles[, k] : subscript out of bounds\n"
	    "  Execution halted\n\nWork dir:\n  /srv/work/84/a1e8\n\n");
	add_numbered(&b, 300,
	    "Jan-02 03:04:06.100 [Task monitor] DEBUG "
	    "n.processor.TaskPollingMonitor - tile ",
	    "\n");
	is(b.p, "illegal_index", "what its step printed");
	buf_release(&b);
}

/* A stack behind a good end is of what no longer counts. */
static void what_comes_behind_a_good_end(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	add(&b,
	    "Jan-02 03:04:05.100 [main] DEBUG nextflow.Session - no tiles\n"
	    "nextflow.exception.AbortOperationException: Report file already "
	    "exists: tiles.html\n");
	add_numbered(&b, 20, "\tat tiles.Sheet.read(Sheet.java:", ")\n");
	add(&b,
	    "Jan-02 03:04:05.200 [main] DEBUG n.trace.WorkflowStatsObserver - "
	    "Workflow completed > WorkflowStats[succeededCount=4; "
	    "failedCount=0; ignoredCount=0]\n"
	    "Jan-02 03:04:05.300 [main] WARN  n.trace.ReportObserver - Failed "
	    "to render the report\n"
	    "nextflow.exception.AbortOperationException: Report file already "
	    "exists: tiles.html\n");
	add_numbered(&b, 60, "\tat tiles.Sheet.write(Sheet.java:", ")\n");
	is(b.p, "none", "a good end");
	buf_release(&b);
}

/* A stack is of the record above it, where that is one. */
static void what_stands_above_a_stack(void **state)
{
#define STACK                                                       \
	"java.nio.file.NoSuchFileException: /srv/tiles/sheet.csv\n" \
	"\tat tiles.Sheet.read(Sheet.java:12)\n"                    \
	"\tat tiles.Main.main(Main.java:3)\n"

	(void)state;
	is("INFO: Converting the image to a sandbox\n" STACK, "path_not_found",
	    "a container's word");
	is("Jan 05, 2026 1:02:03 PM tiles.Sheet read\n"
	   "INFO: the sheet is optional\n" STACK,
	    "none", "a record of Java's own logger");
	is("2026-01-02 03:04:05,678 INFO tiles.Sheet: no sheet\n" STACK, "none",
	    "a record of log4j");
#undef STACK
}

/* A tracker's copy of the output ends above the exception. */
static void what_a_traceback_was_about_to_say(void **state)
{
#define CUT_OFF(code)                                         \
	"epoch 1 loss 0.31\n"                                 \
	"Traceback (most recent call last):\n"                \
	"  File \"/home/ada/lay.py\", line 30, in <module>\n" \
	"    lay(rows)\n"                                     \
	"  File \"/home/ada/lay.py\", line 12, in lay\n"      \
	"    " code "\n"

	(void)state;
	is(CUT_OFF("raise KeyError('tile')"), "key_not_found", "a class");
	is(CUT_OFF("raise ValueError(f\"no tile of {n} fits\")"),
	    "illegal_argument", "a class and words");
	is(CUT_OFF("raise NotImplementedError(\n        'a tile')"),
	    "not_implemented", "a call of several lines");
	is(CUT_OFF("raise requests.exceptions.ConnectionError(words)"),
	    "network_communication", "a class of a module");
	is(CUT_OFF("raise error"), "unknown", "what the code does not tell");
	is(CUT_OFF("raise self.failure()"), "unknown", "nor here");
	is(CUT_OFF("raise"), "unknown", "nor here");
	is(CUT_OFF("tiles[n] = row"), "unknown", "it raises nothing itself");
#undef CUT_OFF
}

/* Who passes on what a program prints may trim each line of it. */
static void what_was_trimmed(void **state)
{
#define PASSED "[2026-01-02T03:04:05.678-0300] {spark_submit.py:491} INFO - "
	struct diagnosis d;

	(void)state;
	lab_text(&lab,
	    PASSED
	    "Traceback (most recent call last):\n" PASSED
	    "File \"/home/ada/lay.py\", line 30, in <module>\n" PASSED
	    "tiles = lay([])\n" PASSED "^^^^^^^\n" PASSED
	    "File \"/opt/lib/python3.9/site-packages/pyspark/session.py\", "
	    "line 1318, in make\n" PASSED
	    "File \"/opt/lib/python3.9/site-packages/pyspark/session.py\", "
	    "line 832, in infer\n" PASSED
	    "ValueError: can not infer schema from empty dataset\n" PASSED
	    "26/01/02 03:04:05 INFO SparkContext: Successfully stopped "
	    "SparkContext\n"
	    "[2026-01-02T03:04:06.000-0300] {taskinstance.py:1824} ERROR "
	    "- Task failed with exception\n" MAIN
	    "airflow.exceptions.AirflowException: Cannot execute: "
	    "spark-submit lay.py. Error code is: 1.\n",
	    &d);
	assert_string_equal(diagnosis_category(&d), "corrupt_data");
	assert_int_equal(d.n_logs, 1);
	assert_string_equal(
	    d.logs[0]->events[0].frame.file, "/home/ada/lay.py");
	assert_int_equal(d.logs[0]->events[0].last_line, 7);
	diagnosis_release(&d);
#undef PASSED
}

/* What a tool warns of right before a failure is its cause, where such a
 * failure is known to follow from it. */
static void what_was_warned_of_before(void **state)
{
#define NO_NETWORK                                                         \
	"WARNING: Retrying (Retry(total=0, connect=None, read=None, "      \
	"redirect=None, status=None)) after connection broken by "         \
	"'NewConnectionError('<pip._vendor.urllib3.connection."            \
	"HTTPSConnection object at 0x7e>: Failed to establish a new "      \
	"connection: [Errno -3] Temporary failure in name resolution')': " \
	"/simple/tiles/\n"
	(void)state;
	is(NO_NETWORK "Traceback (most recent call last):\n"
		      "  File \"/home/ada/lay.py\", line 3, in <module>\n"
		      "    import tiles\n"
		      "ModuleNotFoundError: No module named 'tiles'\n",
	    "network_communication", "pip met no network");
	is(NO_NETWORK MAIN "IndexError: list index out of range\n",
	    "illegal_index", "what cannot follow from it");
#undef NO_NETWORK
}

/* A server goes on behind a request that ended of an exception, but where it
 * was the last and nothing else speaks. */
static void what_a_server_refuses(void **state)
{
#define REFUSED                                                            \
	"ERROR:    Exception in ASGI application\n"                        \
	"Traceback (most recent call last):\n"                             \
	"  File \"/opt/lib/python3.9/site-packages/asgi.py\", line 3, in " \
	"run\n    await app()\n"                                           \
	"IndexError: list index out of range\n"
	(void)state;
	is("INFO:     Uvicorn running on http://0.0.0.0:80\n" REFUSED,
	    "illegal_index", "its last request");
	is("INFO:     Uvicorn running on http://0.0.0.0:80\n" REFUSED
	   "500 /a\n200 OK /b\n",
	    "none", "a request of many");
#undef REFUSED
}

/* An error that could not be told hides none that was. */
static void what_could_not_be_told(void **state)
{
	(void)state;
	is(MAIN "tiles.errors.ExpiredTokenError: the token has expired\n"
		"\nDuring handling of the above exception, another exception "
		"occurred:\n\n" MAIN
		"TypeError: Object of type ExpiredTokenError is not JSON "
		"serializable\n",
	    "authentication_failure", "an error that is not JSON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_script_says_before),
		cmocka_unit_test(what_a_script_says_behind),
		cmocka_unit_test(what_stands_before_each_line),
		cmocka_unit_test(what_a_collector_calls_it),
		cmocka_unit_test(what_a_logger_warns_of),
		cmocka_unit_test(what_was_lived_through),
		cmocka_unit_test(what_an_import_was_caught_before),
		cmocka_unit_test(what_a_workflow_says_behind),
		cmocka_unit_test(what_a_workflow_shows_of_its_step),
		cmocka_unit_test(what_comes_behind_a_good_end),
		cmocka_unit_test(what_stands_above_a_stack),
		cmocka_unit_test(what_a_traceback_was_about_to_say),
		cmocka_unit_test(what_was_trimmed),
		cmocka_unit_test(what_was_warned_of_before),
		cmocka_unit_test(what_a_server_refuses),
		cmocka_unit_test(what_could_not_be_told),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
