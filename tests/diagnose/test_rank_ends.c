/*
 * What ended each process, against what it lived through: small jobs, each with
 * the answer that a person would give.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"

#include <stdio.h>

#define MAIN(file)                                              \
	"Traceback (most recent call last):\n"                  \
	"  File \"/home/ada/" file "\", line 30, in <module>\n" \
	"    main()\n"
#define OOM                                                           \
	"torch.OutOfMemoryError: CUDA out of memory. Tried to "       \
	"allocate 2.00 GiB. GPU 0 has a total capacity of 15.78 GiB " \
	"of which 801.00 MiB is free.\n"
#define MISFIT                                                        \
	"size mismatch for head.weight: copying a param with shape "  \
	"torch.Size([10, 64]) from checkpoint, the shape in current " \
	"model is torch.Size([12, 64]).\n"
#define GONE "[Errno 2] No such file or directory: '/runs/7/old.pkl'\n"
#define CANCELLED                                          \
	"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT " \
	"2026-01-02T03:04:05"

/* A text, n lines of a program that works, and another text. */
static char *around(const char *first, size_t n, const char *last)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_adds(&b, first), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(
		    buf_addf(&b, "reading part %zu of the set\n", i), 0);
	assert_int_equal(buf_adds(&b, last), 0);
	return buf_take(&b);
}

static void diagnose(const char *text, struct diagnosis *d)
{
	lab_job(&lab, &text, 1, d);
}

static void one(const char *text, const char *category)
{
	struct diagnosis d;

	diagnose(text, &d);
	if (strcmp(diagnosis_category(&d), category) != 0)
		fail_msg(
		    "%s, not %s:\n%s", diagnosis_category(&d), category, text);
	diagnosis_release(&d);
}

static void spaced(
    const char *first, size_t n, const char *last, const char *category)
{
	char *text = around(first, n, last);

	one(text, category);
	free(text);
}

static const char *why_lost(const struct diagnosis *d, const char *category)
{
	for (size_t i = 0; i < d->rejected.n; i++) {
		const struct evidence *ev = d->rejected.v[i].evidence;

		if (ev && !strncmp(ev->rule->id, category, strlen(category)))
			return d->rejected.v[i].why;
	}
	return NULL;
}

static void a_warning_of_the_loader(void **state)
{
	char *text = around(MISFIT, 30, MAIN("train.py") OOM);
	struct diagnosis d;

	(void)state;
	diagnose(text, &d);
	assert_string_equal(diagnosis_category(&d), "gpu_out_of_memory");
	assert_int_equal(d.consequences.n, 0);
	assert_string_equal(why_lost(&d, "tensor_mismatch"),
	    "its process lived through it, and ended of another failure");
	diagnosis_release(&d);
	free(text);
	/* however near: running out of memory follows from no warning */
	one(MISFIT MAIN("train.py") OOM, "gpu_out_of_memory");
	/* what the process died of is no warning */
	one("starting\n" MAIN("train.py") "RuntimeError: Error(s) in loading "
					  "state_dict for Net:\n\t" MISFIT,
	    "tensor_mismatch");
	/* a rank of its own */
	spaced("[rank0]: " MISFIT, 40,
	    "[rank0]: Traceback (most recent call last):\n"
	    "[rank0]:   File \"/home/ada/t.py\", line 3, in <module>\n"
	    "[rank0]: " OOM,
	    "gpu_out_of_memory");
}

static void an_end_that_says_nothing(void **state)
{
	(void)state;
	/* an object that is None because the file was not there */
	one("could not open /data/a.png: No such file or directory\n"
	    "error: cannot read '/data/a.png': No such file or "
	    "directory\n" MAIN(
		"t.py") "AttributeError: 'NoneType' object has no attribute "
			"'shape'\n",
	    "path_not_found");
	/* only the class of an error, right after the reason */
	one("ERROR: CUDA out of memory. Tried to allocate 2.00 GiB\n" MAIN(
		"t.py") "RuntimeError: the engine has died\n",
	    "gpu_out_of_memory");
	/* but not what was printed an hour before */
	spaced("error: cannot open '/etc/site.cfg': No such file or "
	       "directory\n",
	    120, MAIN("t.py") "KeyError: 'label'\n", "key_not_found");
	/* of two that could explain it, the nearer one */
	spaced("Unable to open log file. Permission denied\n", 20,
	    "Traceback (most recent call last):\n"
	    "  File \"/opt/lib/python3.9/site-packages/x/w.py\", line 3, in "
	    "run\n"
	    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x3 and "
	    "5x2)\n" MAIN("t.py") "TuneError: trials did not complete\n",
	    "tensor_mismatch");
}

static void the_schedulers_word(void **state)
{
	static const struct {
		const char *why, *category;
	} said[] = {
		{ " DUE TO PREEMPTION ***\n", "preempted" },
		{ " DUE TO TIME LIMIT ***\n", "time_limit_exceeded" },
		{ " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n",
		    "node_failure" },
		{ " DUE TO JOB REQUEUE ***\n", "preempted" },
		{ " DUE to SIGNAL Terminated ***\n", "killed_by_user" },
		{ " ***\n", "killed_by_user" },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		snprintf(text, sizeof text,
		    "Process 3: error in task 4: %sgoes on\n%s%s", GONE,
		    CANCELLED, said[i].why);
		one(text, said[i].category);
		/* a process that had died by then was not ended by it */
		snprintf(text, sizeof text, "start\n%sKeyError: 'label'\n%s%s",
		    MAIN("t.py"), CANCELLED, said[i].why);
		one(text, "key_not_found");
	}
	/* a trial of a sweep is not the job */
	spaced("trial 3\nTraceback (most recent call last):\n"
	       "  File \"/opt/lib/python3.9/site-packages/x/w.py\", line 3, in "
	       "run\n" OOM,
	    60,
	    "/var/spool/slurm_script: line 22: 1687 Killed    python s.py\n"
	    "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. "
	    "Some of the step tasks have been OOM Killed.\n",
	    "cpu_out_of_memory");
}

static void the_words_of_others(void **state)
{
	(void)state;
	one("loading\nerror in task 4: " GONE
	    "=>> PBS: job killed: walltime 3650 exceeded limit 3600\n",
	    "time_limit_exceeded");
	one("loading\nerror in task 4: " GONE
	    "=>> PBS: job killed: cput job total 7300 secs exceeded limit "
	    "7200\n",
	    "time_limit_exceeded");
	one("loading\nerror in task 4: " GONE
	    "TERM_WINDOW: job killed after queue run window is closed.\n",
	    "time_limit_exceeded");
	one("loading\nerror in task 4: " GONE
	    "TERM_ZOMBIE: job exited while LSF is not available.\n",
	    "node_failure");
	one("004 (118.000.000) 2026-01-02 03:04:05 Job was evicted.\n"
	    "009 (118.000.000) 2026-01-02 03:04:05 Job was aborted.\n",
	    "killed_by_user");
	one("loading\nerror in task 4: " GONE
	    "Normal  Preempted  pod/t-0  Preempted by b/serve on node g5\n",
	    "preempted");
	one("serving\n2026-01-02 03:04:05,678 WARNING worker.py:18 -- The node "
	    "with node id: 9426f and address: 10.0.0.7 has been marked dead "
	    "because the detector has missed too many heartbeats from it.\n",
	    "node_failure");
	/* a container that never started */
	one("Unable to open log file. Permission denied\n"
	    "FATAL:   container creation failed: mount error: can't mount "
	    "image /proc/self/fd/10: bad superblock: corrupt image\n",
	    "corrupt_data");
	one("Unable to open log file. Permission denied\n"
	    "FATAL:   container creation failed: hook function for tag "
	    "prelayer returns error\n",
	    "uncaught_exception");
}

static void words_of_the_prolog(void **state)
{
	(void)state;
	one("Unable to open log file. Permission denied\nstarting\n" MAIN(
		"t.py") "KeyError: 'label'\n",
	    "key_not_found");
	one("slurmstepd: error: failed to open /proc/self/oom_score_adj: "
	    "Read-only file system\n" MAIN("t.py") "KeyError: 'label'\n",
	    "key_not_found");
	spaced("Unable to open log file. Permission denied\n", 200, "", "none");
}

static void lines_that_were_lived_through(void **state)
{
	(void)state;
	one("[skip] Failed to load b.ckpt: Attempting to deserialize object on "
	    "CUDA device 7 but torch.cuda.device_count() is 6.\n"
	    "Saved results to: out/7/summary.csv\n",
	    "none");
	/* at length, without any failure after it */
	spaced("(file temp/from_a.dta not found)\nerror: cannot open "
	       "'temp/a.dta': No such file or directory\n",
	    300, "", "none");
	/* the end of the log is near */
	spaced("loading\n", 300,
	    "error: cannot open 'temp/a.dta': No such file or directory\n",
	    "path_not_found");
	/* what says how a program is used ends it, however long it is */
	spaced("train.py: error: unrecognized arguments: --lr2\n", 300, "",
	    "illegal_argument");
}

static void a_worker_that_was_killed(void **state)
{
	const char *text = "torchrun --nproc_per_node 2 t.py\n" MAIN(
	    "t.py") "RuntimeError: DataLoader worker (pid 41) is killed by "
		    "signal: "
		    "Killed. \n\n"
		    "The above exception was the direct cause of the following "
		    "exception:\n\n" MAIN(
			"t.py") "RuntimeError: DataLoader worker (pid(s) 41) "
				"exited unexpectedly\n"
				"torch.distributed.elastic.multiprocessing."
				"errors."
				"ChildFailedError: \n"
				"t.py FAILED\nexitcode  : 1 (pid: 40)\n";

	(void)state;
	one(text, "cpu_out_of_memory");
	one(MAIN("t.py") "RuntimeError: DataLoader worker (pid 41) is killed "
			 "by signal: "
			 "Killed. \n\n"
			 "During handling of the above exception, another "
			 "exception "
			 "occurred:\n\n" MAIN(
			     "t.py") "RuntimeError: DataLoader worker (pid(s) "
				     "41) exited unexpectedly\n",
	    "cpu_out_of_memory");
	/* a crash stays one */
	one(MAIN("t.py") "RuntimeError: DataLoader worker (pid 41) is killed "
			 "by signal: "
			 "Segmentation fault. \n\n"
			 "The above exception was the direct cause of the "
			 "following "
			 "exception:\n\n" MAIN(
			     "t.py") "RuntimeError: DataLoader worker (pid(s) "
				     "41) exited unexpectedly\n",
	    "native_crash");
}

static void steps_of_a_script(void **state)
{
	(void)state;
	/* pip lists what it misses, and dies of something else */
	one("Collecting six\nlab-tools 1.2 requires argparse, which is not "
	    "installed.\nInstalling collected packages: six\n"
	    "Could not install packages due to an EnvironmentError: [Errno 13] "
	    "Permission denied: '/usr/lib/python3/six.py'\n",
	    "permission_denied");
	/* one task is not several processes */
	one(MAIN("prepare.py") "AttributeError: module 'platform' has no "
			       "attribute 'dist'\nERROR: LoadError: "
			       "DomainError with -0.9:\n"
			       "srun: error: n1: task 0: Exited with exit code "
			       "1\n",
	    "illegal_argument");
	/* the next step misses what the dead one should have written */
	one(MAIN("train.py") OOM
	    "mv: cannot stat 'out/last.pt': No such file or directory\n",
	    "gpu_out_of_memory");
	one(MAIN("train.py") OOM MAIN("eval.py") "FileNotFoundError: [Errno 2] "
						 "No such file or directory: "
						 "'out/last.pt'\n",
	    "gpu_out_of_memory");
	/* the same program again: the last launch counts */
	one(MAIN("train.py")
		OOM MAIN("train.py") "FileNotFoundError: [Errno 2] No such "
				     "file or directory: "
				     "'out/last.pt'\n",
	    "path_not_found");
	/* of a step that is not known by name */
	one("Traceback (most recent call last):\n"
	    "  File \"/opt/lib/tiles.py\", line 9, in lay\n    raise e\n"
	    "IndexError: list index out of range\n" MAIN(
		"eval.py") "FileNotFoundError: [Errno 2] No such file or "
			   "directory: 'out/last.pt'\n",
	    "illegal_index");
	/* another failure of another step */
	one(MAIN("prepare.py") "AttributeError: module 'platform' has no "
			       "attribute 'dist'\nERROR: LoadError: "
			       "DomainError with -0.9:\n",
	    "illegal_argument");
}

/* A dead program prints nothing: what goes on at length is another launch. */
static void another_launch_went_on(void **state)
{
	static const struct {
		const char *said;
		int lines;
		const char *category;
	} cases[] = {
		/* a message can go on behind its line, but not behind what it
		 * quotes */
		{ "ValueError: bad port", 300, "illegal_argument" },
		{ "ValueError: bad port", 700, "none" },
		{ "KeyError: 'port'", 120, "key_not_found" },
		{ "KeyError: 'port'", 300, "none" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf b = BUF_INIT(BUF_MAX);
		char line[64];

		assert_int_equal(
		    buf_addf(&b, MAIN("serve.py") "%s\n", cases[i].said), 0);
		for (int k = 0; k < cases[i].lines; k++) {
			snprintf(line, sizeof line, "request of user %d\n", k);
			assert_int_equal(buf_adds(&b, line), 0);
		}
		assert_int_equal(buf_add(&b, "", 1), 0);
		one(b.p, cases[i].category);
		buf_release(&b);
	}
}

#define WORKER                                                             \
	"  File \"/usr/lib/python3.11/multiprocessing/process.py\", line " \
	"314, "                                                            \
	"in _bootstrap\n    self.run()\n"

/* The children of a program die with it; those of a launcher need not. */
static void children_die_with_their_parent(void **state)
{
	static const char died[] =
	    MAIN("t.py") WORKER "AssertionError: no such mode\n";

	(void)state;
	spaced(died, 900, "", "none");
	/* more lines than a buffer of its own would still have held */
	spaced(MAIN("t.py") "KeyboardInterrupt\n", 200, "", "none");
	spaced(MAIN("t.py") "KeyboardInterrupt\n", 100, "", "killed_by_user");
	spaced(died, 900, "Killed\n", "cpu_out_of_memory");
	spaced(died, 40, "", "assertion_failure");
	spaced("Setting OMP_NUM_THREADS environment variable for each process "
	       "to be 1 in default\n" MAIN("t.py") WORKER
	    "AssertionError: no such mode\n",
	    900, "", "assertion_failure");
}

/* The scheduler ended what the script had gone on to. */
static void the_script_went_on(void **state)
{
	(void)state;
	spaced(MAIN("site.py") "AttributeError: module 'platform' has no "
			       "attribute 'dist'\n",
	    3, CANCELLED " ***\n", "killed_by_user");
	spaced(MAIN("t.py") "KeyError: 'label'\n", 1,
	    CANCELLED " DUE TO TIME LIMIT ***\n", "time_limit_exceeded");
	spaced(MAIN("t.py") "KeyError: 'label'\n", 0, CANCELLED " ***\n",
	    "key_not_found");
	/* the step is ended since the program died */
	spaced(MAIN("t.py") "KeyError: 'label'\n", 0,
	    "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT "
	    "2026-01-02T03:04:05 ***\n",
	    "key_not_found");
	/* other ranks hang, and somebody ends them */
	spaced("torch.distributed.init_process_group\n" MAIN(
		   "t.py") "KeyError: 'label'\n",
	    3, CANCELLED " ***\n", "key_not_found");
	/* at length after a rank died: the job lived, unless its tasks exited
	 */
	spaced("torch.distributed.init_process_group\n" MAIN(
		   "t.py") "KeyError: 'label'\n",
	    120, CANCELLED " ***\n", "killed_by_user");
	spaced("torch.distributed.init_process_group\n" MAIN(
		   "t.py") "KeyError: 'label'\n",
	    120,
	    "srun: error: n1: task 0: Exited with exit code 1\n" CANCELLED
	    " ***\n",
	    "key_not_found");
}

#define SKIPPED                                                               \
	"[batch] error!! index 6 is out of bounds for dimension 0 with size " \
	"6\n"

/* What a run lived through once is no reason to end when it comes again. */
static void the_same_as_before(void **state)
{
	(void)state;
	spaced("step 3 loss 2.0\n" SKIPPED "step 4 loss 2.0\n" SKIPPED, 3,
	    MAIN("t.py") "KeyError: 'label'\n", "key_not_found");
	spaced("step 3 loss 2.0\n" SKIPPED "step 4 loss 2.0\n" SKIPPED, 3,
	    "Terminated\n", "killed_by_user");
	/* but where nothing else is told it may be one time too many */
	spaced("step 3 loss 2.0\n" SKIPPED "step 4 loss 2.0\n", 3, SKIPPED,
	    "illegal_index");
}

#define LSF(how, output)                                                     \
	"Sender: LSF System <lsf@n1>\nSubject: Job 7: <./a> in cluster <c> " \
	"\nStarted at Tue Mar  1 15:38:16 2016\n\n" how                      \
	"\n\nResource usage summary:\n\nThe output (if any) " output "\n\n"
#define DONE "Successfully completed."
#define DIED "Exited with exit code 1."
#define ABOVE "is above this job summary."
#define BEHIND "follows:"

/* The batch system's reports of many jobs in one file: the last one counts. */
static void reports_of_a_batch_system(void **state)
{
	static const char key[] = MAIN("t.py") "KeyError: 'label'\n";
	static const char *const cases[][2] = {
		{ MAIN("t.py") "KeyError: 'label'\n" LSF(
		      DIED, ABOVE) "all is read\n" LSF(DONE, ABOVE),
		    "none" },
		{ LSF(DIED, BEHIND) MAIN("t.py") "KeyError: 'label'\n" LSF(
		      DONE, BEHIND) "cat: a.txt: No such file or directory\n",
		    "none" },
		{ LSF(DONE, BEHIND) "all is read\n" LSF(DIED, BEHIND)
			MAIN("t.py") "KeyError: 'label'\n",
		    "key_not_found" },
		{ "all is read\n" LSF(DONE, ABOVE)
			MAIN("t.py") "KeyError: 'label'\n" LSF(DIED, ABOVE),
		    "key_not_found" },
		/* another program's word, no report */
		{ MAIN("t.py") "KeyError: 'label'\n" DONE "\nlast\n",
		    "key_not_found" },
	};
	struct diagnosis d;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one(cases[i][0], cases[i][1]);
	diagnose(cases[0][0], &d);
	assert_int_equal(d.ending, ENDING_PROVEN);
	assert_int_equal(d.failed, 0);
	diagnosis_release(&d);
	spaced(key, 300, LSF(DONE, ABOVE), "none");
}

static void only_what_can_follow_is_a_consequence(void **state)
{
	struct diagnosis d;

	(void)state;
	/* a dead peer breaks the pipe; it does not misspell an argument */
	diagnose("torchrun --nproc_per_node 2 t.py\n" MAIN("t.py") OOM
	    "Traceback (most recent call last):\n"
	    "  File \"/opt/lib/python3.9/site-packages/x/w.py\", line 3, "
	    "in run\n"
	    "BrokenPipeError: [Errno 32] Broken pipe\n"
	    "Traceback (most recent call last):\n"
	    "  File \"/opt/lib/python3.9/site-packages/x/w.py\", line 3, "
	    "in run\n"
	    "NameError: name 'lossess' is not defined\n",
	    &d);
	assert_string_equal(diagnosis_category(&d), "gpu_out_of_memory");
	assert_non_null(why_lost(&d, "undefined_variable"));
	for (size_t i = 0; i < d.consequences.n; i++)
		assert_int_not_equal(
		    strncmp(d.consequences.v[i].evidence->rule->id,
			"undefined_variable", 18),
		    0);
	diagnosis_release(&d);
}

static bool because(const struct diagnosis *d, const char *text)
{
	for (size_t i = 0; i < d->n_because; i++)
		if (strstr(d->because[i], text))
			return true;
	return false;
}

/* How sure an answer is, and the words for it. */
static void how_sure(void **state)
{
	static const struct {
		const char *first;
		size_t n;
		const char *last;
		enum confidence sure;
		const char *why;
	} cases[] = {
		{ "", 3, MAIN("t.py") OOM, CONFIDENCE_HIGH, "nothing caught" },
		{ "", 3, CANCELLED " DUE TO PREEMPTION ***\n", CONFIDENCE_HIGH,
		    "the scheduler says" },
		{ "", 3, MAIN("t.py") "KeyError: 'label'\n", CONFIDENCE_MEDIUM,
		    "only a class of error" },
		{ "", 3, MAIN("t.py") "ValueError: no such mode\n",
		    CONFIDENCE_LOW, "often something else" },
		{ "", 3, MAIN("t.py") "Oddity: the moon is blue\n",
		    CONFIDENCE_LOW, "nothing states the cause" },
		{ "error: cannot open 'a.dta': No such file or directory\n", 0,
		    "", CONFIDENCE_HIGH, "last words" },
		{ "error: cannot open 'a.dta': No such file or directory\n", 9,
		    "", CONFIDENCE_MEDIUM, "need not end a process" },
		{ "mkdir: cannot create directory 'a': Permission denied\n", 2,
		    "", CONFIDENCE_LOW, "need not end a job" },
		{ "mkdir: cannot create directory '/srv/a': Permission "
		  "denied\n",
		    2, "lay: cannot open '/srv/a/t.txt': Permission denied\n",
		    CONFIDENCE_MEDIUM, "need not end a process" },
		{ MAIN("t.py") OOM, 60, "", CONFIDENCE_LOW,
		    "much output comes behind" },
		/* a runtime's report, and its stack */
		{ "thread 'main' panicked at src/a.rs:4:5:\nindex out of "
		  "bounds: the len is 3 but the index is 7\n",
		    12, "", CONFIDENCE_HIGH, "a process ended itself" },
		/* another program ran, and ended of its own */
		{ MAIN("a.py") "ModuleNotFoundError: No module named 'tile'\n",
		    4, MAIN("b.py") "AssertionError: no column file\n",
		    CONFIDENCE_MEDIUM, "need not follow" },
		/* the words of a refusal, with the class of one and without */
		{ MAIN("t.py") "ValueError: tiles must be square\n", 0, "",
		    CONFIDENCE_MEDIUM, "only a class of error" },
		{ MAIN("t.py") "RuntimeError: tiles must be square\n", 0, "",
		    CONFIDENCE_LOW, "often something else" },
		{ MAIN("t.py") OOM, 120, "", CONFIDENCE_LOW,
		    "much output comes behind" },
		{ MAIN(
		      "t.py") "FileNotFoundError: [Errno 2] No such file or "
			      "directory: 'git-lfs'\n\nDuring handling of the "
			      "above "
			      "exception, another exception occurred:\n\n" MAIN(
				  "t.py") "OSError: install git-lfs\n",
		    0, "", CONFIDENCE_MEDIUM,
		    "the last exception of its chain" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = around(cases[i].first, cases[i].n, cases[i].last);
		struct diagnosis d;

		diagnose(text, &d);
		if (d.confidence != cases[i].sure || !because(&d, cases[i].why))
			fail_msg("case %zu: %s, %s", i,
			    diagnosis_confidence_name(d.confidence),
			    d.n_because ? d.because[d.n_because - 1] : "");
		diagnosis_release(&d);
		free(text);
	}
}

/* Number signs and slashes make no comment of what a program says. */
static void marked_lines(void **state)
{
	(void)state;
	one("### ERROR: No space left on device\n", "storage_fault");
	one("# FATAL: No space left on device\n", "storage_fault");
	one("## Error: No space left on device\n", "storage_fault");
	one("#> OSError: [Errno 28] No space left on device\n",
	    "storage_fault");
	one("#3 OSError: [Errno 28] No space left on device\n",
	    "storage_fault");
	one("//scratch/ada/out.h5: No space left on device\n", "storage_fault");
	one("# when there is no space: No space left on device\n", "none");
}

/* A run that says that its work is done, and what comes after it. */
static void work_that_was_done(void **state)
{
	static const struct {
		const char *text, *category;
		bool done, failed;
	} jobs[] = {
		/* it hung until its time was up */
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n" CANCELLED
		  " DUE TO TIME LIMIT ***\n",
		    "time_limit_exceeded", true, true },
		{ ":::MLLOG {\"key\": \"run_stop\", \"metadata\": "
		  "{\"status\": \"success\"}}\n" CANCELLED
		  " DUE TO TIME LIMIT ***\n",
		    "time_limit_exceeded", true, true },
		{ "step 90 loss 2.1\nResults saved to /runs/7\n" CANCELLED
		  " DUE TO PREEMPTION ***\n",
		    "preempted", true, true },
		/* it trained on */
		{ "Training complete in 12m 4s\nstep 1 loss 2.1\n" CANCELLED
		  " DUE TO TIME LIMIT ***\n",
		    "time_limit_exceeded", false, true },
		{ ":::MLLOG {\"key\": \"run_stop\", \"metadata\": "
		  "{\"status\": \"aborted\"}}\n" CANCELLED
		  " DUE TO TIME LIMIT ***\n",
		    "time_limit_exceeded", false, true },
		/* it failed itself */
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n" MAIN(
		      "train.py") "OSError: [Errno 28] No space left on "
				  "device\n",
		    "storage_fault", false, true },
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n"
		  "ERROR: No space left on device\n",
		    "storage_fault", false, true },
		/* it broke when it had nothing left to do */
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n"
		  "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog "
		  "caught collective operation timeout: WorkNCCL(SeqNum=2, "
		  "OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1805914 "
		  "milliseconds before timing out.\n",
		    "none", false, false },
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n"
		  "Traceback (most recent call last):\n"
		  "  File \"/usr/lib/python3.10/multiprocessing/util.py\", "
		  "line 300, in _run_finalizers\n    finalizer()\n"
		  "  File \"/usr/lib/python3.10/shutil.py\", line 681, in "
		  "_rmtree_safe_fd\n    os.unlink(entry.name)\n"
		  "OSError: [Errno 116] Stale file handle: '.nfs0007'\n",
		    "none", false, false },
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n"
		  "Exception in thread QueueFeederThread:\n"
		  "Traceback (most recent call last):\n"
		  "  File \"/usr/lib/python3.10/multiprocessing/queues.py\", "
		  "line 266, in _feed\n    send_bytes(obj)\n"
		  "BrokenPipeError: [Errno 32] Broken pipe\n",
		    "none", false, false },
		{ "step 90 loss 2.1\nTraining complete in 12m 4s\n"
		  "Exception ignored in: <Finalize object, dead>\n"
		  "Traceback (most recent call last):\n"
		  "  File \"/usr/lib/python3.10/multiprocessing/"
		  "synchronize.py\", line 87, in _cleanup\n"
		  "    sem_unlink(name)\n"
		  "FileNotFoundError: [Errno 2] No such file or directory\n",
		    "none", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct diagnosis d;

		one(jobs[i].text, jobs[i].category);
		diagnose(jobs[i].text, &d);
		assert_int_equal(d.failed, jobs[i].failed);
		assert_int_equal(d.facts.done != NULL, jobs[i].done);
		if (jobs[i].done) {
			assert_int_equal(d.verdict, VERDICT_STOP);
			assert_true(d.adjust.time_factor == 0);
		}
		diagnosis_release(&d);
	}
}

/* The word of success in one log, that of the scheduler in another. */
static void work_done_in_another_log(void **state)
{
	const char *texts[] = {
		"step 90 loss 2.1\nTraining complete in 12m 4s\n",
		CANCELLED " DUE TO TIME LIMIT ***\n",
	};
	struct diagnosis d;

	(void)state;
	lab_job(&lab, texts, 2, &d);
	assert_string_equal(diagnosis_category(&d), "time_limit_exceeded");
	assert_ptr_equal(d.facts.done, d.logs[0]);
	assert_int_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
}

/* A line that need not have ended anything, and much output behind it. */
static void lines_left_behind(void **state)
{
	static const char failed[] = "ERROR - could not draw the plot: Unknown "
				     "model (vit_tiny)\n";
	char *text = around(failed, 60, "");
	struct diagnosis d;

	(void)state;
	diagnose(text, &d);
	assert_int_equal(d.failed, -1);
	assert_string_equal(why_lost(&d, "illegal_argument"),
	    "the log goes on behind it, and tells of no end");
	diagnosis_release(&d);
	free(text);
	spaced(failed, 10, "", "illegal_argument");
	spaced(failed, 60, "srun: error: n1: task 0: Exited with exit code 1\n",
	    "illegal_argument");
	/* the same words of each item of a list that is gone through */
	spaced("Error: Index out of range in the bonds of item 17\n", 200,
	    "Error: Index out of range in the bonds of item 311\n", "none");
}

/* `python -m` runs the main program; what it makes for children to come is no
 * child. */
static void modules_run_by_name(void **state)
{
#define RUNPY                                                           \
	"Traceback (most recent call last):\n"                          \
	"  File \"<frozen runpy>\", line 198, in _run_module_as_main\n" \
	"  File \"<frozen runpy>\", line 88, in _run_code\n"            \
	"  File \"/home/ada/train.py\", line 30, in <module>\n"         \
	"    main()\n"
#define QUEUE                                                             \
	"  File \"/opt/lib/python3.11/multiprocessing/synchronize.py\", " \
	"line 57, in __init__\n"
#define CHILD                                                         \
	"  File \"/opt/lib/python3.11/multiprocessing/process.py\", " \
	"line 149, in join\n"
	(void)state;
	one(RUNPY OOM RUNPY QUEUE
	    "OSError: [Errno 28] No space left on device\n",
	    "storage_fault");
	one(RUNPY OOM RUNPY CHILD "KeyError: 'label'\n", "key_not_found");
#undef RUNPY
#undef QUEUE
#undef CHILD
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warning_of_the_loader),
		cmocka_unit_test(an_end_that_says_nothing),
		cmocka_unit_test(the_schedulers_word),
		cmocka_unit_test(the_words_of_others),
		cmocka_unit_test(words_of_the_prolog),
		cmocka_unit_test(lines_that_were_lived_through),
		cmocka_unit_test(a_worker_that_was_killed),
		cmocka_unit_test(steps_of_a_script),
		cmocka_unit_test(another_launch_went_on),
		cmocka_unit_test(children_die_with_their_parent),
		cmocka_unit_test(the_script_went_on),
		cmocka_unit_test(the_same_as_before),
		cmocka_unit_test(reports_of_a_batch_system),
		cmocka_unit_test(only_what_can_follow_is_a_consequence),
		cmocka_unit_test(how_sure),
		cmocka_unit_test(marked_lines),
		cmocka_unit_test(work_that_was_done),
		cmocka_unit_test(work_done_in_another_log),
		cmocka_unit_test(lines_left_behind),
		cmocka_unit_test(modules_run_by_name),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
