/*
 * What a program shows of the output of others that it ran (a step of a
 * workflow, a container's script, a build), and where a program was started
 * again: small jobs, each with the answer that a person would give.
 */
#include "tests/diagnose/lab.h"

#include "base/buf.h"

static struct lab with, without;

static int setup(void **state)
{
	(void)state;
	lab_open(&with, true);
	lab_open(&without, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_close(&with);
	lab_close(&without);
	return 0;
}

/* The answer, which must be the same in small pieces and without the
 * prefilter. */
static void one(const char *text, const char *category)
{
	size_t n = strlen(text);
	struct findings *f = lab_scan(&with, text, n, n, "a", -1);
	struct findings *g = lab_scan(&with, text, n, 3, "a", -1);
	struct findings *h = lab_scan(&without, text, n, 4096, "a", -1);
	struct diagnosis d;

	lab_same(f, g);
	lab_same(f, h);
	findings_free(f);
	findings_free(g);
	findings_free(h);
	lab_job(&with, &text, 1, &d);
	if (strcmp(diagnosis_category(&d), category) != 0)
		fail_msg(
		    "%s, not %s:\n%s", diagnosis_category(&d), category, text);
	diagnosis_release(&d);
}

/* A text, a line n times, and another text. */
static void repeated(const char *first, const char *line, size_t n,
    const char *last, const char *category)
{
	struct buf b = BUF_INIT(BUF_MAX);
	char *text;

	assert_int_equal(buf_adds(&b, first), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(buf_adds(&b, line), 0);
	assert_int_equal(buf_adds(&b, last), 0);
	text = buf_take(&b);
	one(text, category);
	free(text);
}

#define STEP(status)                                                        \
	"ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"       \
	"  Process `LAY (1)` terminated with an error exit status (" status \
	")\n\nCommand executed:\n\n  lay.py --out out.csv\n\n"              \
	"Command exit status:\n  " status "\n\nCommand output:\n"           \
	"  reading tiles\n\nCommand error:\n"
#define STEP_END                                                        \
	"\nWork dir:\n  /scratch/work/5e/6f7a8b\n\nTip: look at it\n\n" \
	" -- Check '.nextflow.log' file for details\n"

/* The step's own words are read as it wrote them, and tell why it failed. */
static void steps_of_a_workflow(void **state)
{
	(void)state;
	one(STEP("1") "  samtools sort: truncated file. Aborting\n" STEP_END,
	    "corrupt_data");
	one(STEP("1") "  Traceback (most recent call last):\n"
		      "    File \"/flow/lay.py\", line 12, in <module>\n"
		      "      main()\n"
		      "  KeyError: 'order'\n" STEP_END,
	    "key_not_found");
	one(STEP("127") "  .command.sh: line 2: plink2: command not "
			"found\n" STEP_END,
	    "path_not_found");
	/* nothing explains it */
	one(STEP("1") "  (empty)\n" STEP_END, "unknown");
	one("ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"
	    "  Process requirement exceeds available memory -- req: 72 GB; "
	    "avail: 31 GB\n",
	    "illegal_argument");
	/* of the workflow itself, which writes of its end in any case */
#define ENDS                                                            \
	"Jan-02 03:04:06.100 [main] DEBUG n.t.WorkflowStatsObserver - " \
	"Workflow completed > WorkflowStats[succeededCount=7; "         \
	"failedCount=0; abortedCount=0; ]\n"
	one("ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"
	    "  Process `LAY` input file name collision -- There are multiple "
	    "input files for each of the following file names: a.til\n\n" ENDS,
	    "illegal_argument");
	one("ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"
	    "  No such variable: Exception evaluating property 'rows' for "
	    "java.util.ArrayList, Reason: tiles\n\n" ENDS,
	    "attribute_not_found");
	one("ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"
	    "  No such variable: tile\n\n" ENDS,
	    "undefined_variable");
	one("ERROR ~ Error executing process > 'LAY (1)'\n\nCaused by:\n"
	    "  Tiles are gone\n\n" ENDS,
	    "unknown");
#undef ENDS
	one(STEP("125") "  docker: Error response from daemon: platform "
			"linux/s390x not supported.\n" STEP_END,
	    "version_mismatch");
	/* tried again, with success */
	one("[5e/6f7a8b] NOTE: Process `LAY (1)` terminated with an error exit "
	    "status (1) -- Execution is retried (1)\n"
	    "Completed at: 22-Nov-2026 10:11:12\nSucceeded   : 2\n",
	    "none");
	/* what is no longer indented is not of the step */
	one("Command error:\n  (empty)\ndone\n"
	    "  samtools sort: truncated file. Aborting\nlaid 3 tiles\n",
	    "none");
}

/* Where a workflow gives up, what it writes of its threads tells of nobody who
 * lived on. */
static void given_up(void **state)
{
#define FAILED                                              \
	"Command error:\n"                                  \
	"  Traceback (most recent call last):\n"            \
	"    File \"/flow/lay.py\", line 80, in <module>\n" \
	"      lay(args.order)\n"                           \
	"  AttributeError: 'Namespace' object has no attribute 'order'\n\n"
#define ABORTED                                                         \
	"Feb-25 17:08:29.200 [main] DEBUG nextflow.Session - Session "  \
	"aborted -- Cause: Process `LAY (1)` terminated with an error " \
	"exit status (1)\n"
	(void)state;
	repeated(FAILED ABORTED, "  java.base@21/java.lang.Thread.run\n", 900,
	    "Execution complete -- Goodbye\n", "attribute_not_found");
	repeated(FAILED, "tile laid\n", 900, "Execution complete\n", "none");
#undef FAILED
#undef ABORTED
}

/* A container's runtime that says only how its script ended leaves the cause to
 * the script. */
static void scripts_of_a_container(void **state)
{
#define RUN "FATAL:   While performing build: while running engine: "
	(void)state;
	one("+ wget https://a.example/t.sh\n/.post.script: 11: wget: not "
	    "found\n" RUN "exit status 127\n",
	    "path_not_found");
	/* of a command before, after which the script went on */
	one("+ apt-get update\nE: setgroups 65534 failed - setgroups (1: "
	    "Operation not permitted)\n+ wget https://a.example/t.sh\n"
	    "/.post.script: 11: wget: not found\n" RUN
	    "while running %post section: exit status 127\n",
	    "path_not_found");
	one("+ pip install tiles==9\nERROR: No matching distribution found for "
	    "tiles==9\n" RUN "exit status 1\n",
	    "library_not_found");
	one("+ sh /opt/check.sh\n" RUN "exit status 3\n", "unknown");
	/* it has a reason of its own */
	one("epoch 1 loss 2.1\nFATAL:   container creation failed: mount "
	    "/a->/a error: mount source /a doesn't exist\n",
	    "path_not_found");
#undef RUN
}

#define MAIN(code)                                             \
	"Traceback (most recent call last):\n"                 \
	"  File \"/home/ada/train.py\", line 3, in <module>\n" \
	"    " code "\n"
#define BAR " 50%|#####     | 150/300 [21:41<21:41, 4.3s/it, loss=-0.5]\r"

/* A bar that is drawn over itself is one line, and tells of hours of work. */
static void a_bar_behind_a_death(void **state)
{
	(void)state;
	repeated(MAIN("import tiles") "ModuleNotFoundError: No module named "
				      "'tiles'\nTraining:\n",
	    BAR, 300, "100%|##########| 300/300 [43:22<00:00]\n", "none");
	/* its last words, which it still had to write */
	repeated(MAIN("import tiles") "ModuleNotFoundError: No module named "
				      "'tiles'\n",
	    BAR, 10, "\n", "library_not_found");
}

/* A program that is dead, and dies again while it reads its modules, was
 * started again. */
static void started_again(void **state)
{
	(void)state;
	one(MAIN("main()") "KeyError: 'order'\n" MAIN(
		"from tiles import lay") "KeyboardInterrupt\n",
	    "killed_by_user");
	one(MAIN("import tiles") "KeyboardInterrupt\n" MAIN(
		"main()") "KeyError: 'order'\n",
	    "key_not_found");
}

/* A key that a terminal shows counts where nothing comes behind it. */
static void the_last_line(void **state)
{
	(void)state;
	one("epoch 3 loss 0.5\n^C\n", "killed_by_user");
	one("epoch 3 loss 0.5\n^C", "killed_by_user");
	one("epoch 3 loss 0.5\n" BAR "^C\n\n", "killed_by_user");
	one("epoch 3 loss 0.5\n^CTraceback (most recent call last):\n",
	    "killed_by_user");
	/* a level that is peeled off elsewhere */
	one("INFO:train:epoch 3 loss 0.5\n"
	    "ERROR:train:could not lay the tiles, giving up\n",
	    "unknown");
	one("2026-01-02 03:04:05,678 - train - ERROR - no order for tile 3\n"
	    "2026-01-02 03:04:06,678 - train - INFO - epoch 3 loss 0.5\n",
	    "none");
	one("epoch 3 loss 0.5\nERROR SUMMARY: 0 errors from 0 contexts\n",
	    "none");
	/* what it says is known */
	one("epoch 3 loss 0.5\nERROR: KeyError: 'order'\n", "key_not_found");
	one("press ^C\nepoch 3 loss 0.5\n", "none");
	one("epoch 3 loss 0.5\nthe mark is \"^C\n", "none");
}

/* Boxes of simulation programs are one statement, and say why. */
static void boxes(void **state)
{
	(void)state;
	one(" Opening file: ./AVAILABLE3\n"
	    "  #### FLEXPART MODEL ERROR! FILE   #### \n     ./AVAILABLE3\n"
	    "  #### CANNOT BE OPENED             #### \n",
	    "path_not_found");
	one("--- !WARNING\nsrc_file: lay.F90\nmessage: |\n    Tile 3 is odd\n"
	    "...\n--- !ERROR\nsrc_file: lay.F90\nsrc_line: 402\nmessage: |\n"
	    "    Input file tiles.in does not exist\n...\n leave_new: decision "
	    "taken to exit\n",
	    "path_not_found");
	one(" ---------------\n There is an error in the input file\n"
	    " ---------------\n",
	    "illegal_argument");
}

/* A model server starts its workers again; what one of them serves afterwards
 * tells that it lived through an end, what the server itself says does not. */
static void a_server_goes_on(void **state)
{
#define AT "2026-01-02 03:04:05,678 "
#define WORKER AT "[INFO ] W-9001-tiles_2.0-stdout MODEL_LOG - "
#define OTHER AT "[INFO ] W-9002-tiles_2.0-stdout MODEL_LOG - "
#define ENDED                                                                \
	WORKER "Traceback (most recent call last):\n" OTHER                  \
	       "Torch worker started.\n" WORKER                              \
	       "  File \"/opt/ts/worker.py\", line 9, in <module>\n" OTHER   \
	       "[PID]7\n" WORKER "    import lay\n" WORKER                   \
	       "ModuleNotFoundError: No module named 'lay'\n" AT             \
	       "[INFO ] W-9001-tiles_2.0 org.pytorch.serve.wlm.WorkerThread" \
	       " - Retry worker: 9001 in 1 seconds.\n"
#define ACCESS(answer)                                                        \
	AT "[INFO ] W-9001-tiles_2.0 ACCESS_LOG - /10.0.0.1:5 \"" answer " 7" \
	   "\n"
	(void)state;
	one(ENDED, "library_not_found");
	one(ENDED ACCESS("GET /ping HTTP/1.1\" 200"), "library_not_found");
	one(ENDED ACCESS("POST /lay HTTP/1.1\" 503"), "library_not_found");
	one(ENDED ACCESS("POST /lay HTTP/1.1\" 200"), "none");
	one(ENDED WORKER "Backend received inference at: 1767323045\n", "none");
	one(ACCESS("POST /lay HTTP/1.1\" 200") ENDED, "library_not_found");
#undef AT
#undef WORKER
#undef OTHER
#undef ENDED
#undef ACCESS
}

/* A pipeline goes on behind a step that raised, and says so at its end. */
static void some_of_it_failed(void **state)
{
#define RAISED                                                             \
	"Traceback (most recent call last):\n"                             \
	"  File \"/home/ada/lay.py\", line 9, in run\n    step()\n"        \
	"MemoryError: Unable to allocate 3.0 GiB for an array with shape " \
	"(9, 9)\n\n[ SKIP ] tiles\n\n[ SKIP ] bounds\n\n"                  \
	"Pipeline complete\n"
	(void)state;
	one(RAISED, "none");
	one(RAISED "Some steps failed - see above.\n", "cpu_out_of_memory");
	one(RAISED "1 of 3 steps failed\n", "cpu_out_of_memory");
	one(RAISED "0 steps failed\n", "none");
	one("1 of 3 steps failed\n" RAISED, "none");
#undef RAISED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_a_workflow),
		cmocka_unit_test(given_up),
		cmocka_unit_test(scripts_of_a_container),
		cmocka_unit_test(a_bar_behind_a_death),
		cmocka_unit_test(started_again),
		cmocka_unit_test(the_last_line),
		cmocka_unit_test(boxes),
		cmocka_unit_test(a_server_goes_on),
		cmocka_unit_test(some_of_it_failed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
