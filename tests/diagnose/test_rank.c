/*
 * The root before its consequences: small jobs, each with the answer that a
 * person would give.
 */
#include "tests/diagnose/labs.h"

#include "diagnose/signals/collective.h"
#include "diagnose/signals/memory.h"

#define OOM                                                                   \
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
	"2.00 GiB (GPU 0; 15.78 GiB total capacity; 14.10 GiB already "       \
	"allocated; 801.00 MiB free; 14.30 GiB reserved in total by "         \
	"PyTorch)\n"
#define NCCL                                                                  \
	"[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught "      \
	"collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, " \
	"NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) ran for 600011 "    \
	"milliseconds before timing out.\n"
#define TRACE                                         \
	"Traceback (most recent call last):\n"        \
	"  File \"/home/ada/train.py\", line 30, in " \
	"step\n    out = model(x)\n"

static void expect(const char *const *texts, size_t n, const char *category,
    enum verdict verdict)
{
	struct diagnosis d;

	lab_job(&lab, texts, n, &d);
	assert_string_equal(diagnosis_category(&d), category);
	assert_int_equal(d.verdict, verdict);
	assert_non_null(d.reason);
	diagnosis_release(&d);
}

static void one(const char *text, const char *category, enum verdict verdict)
{
	expect(&text, 1, category, verdict);
}

static void root_of_another_rank_wins(void **state)
{
	const char *const ranks[] = { TRACE OOM, NCCL, NCCL };
	const char *const reverse[] = { NCCL, NCCL, TRACE OOM };
	struct diagnosis d;

	(void)state;
	expect(ranks, 3, "gpu_out_of_memory", VERDICT_STOP);
	lab_job(&lab, reverse, 3, &d);
	assert_string_equal(diagnosis_category(&d), "gpu_out_of_memory");
	assert_int_equal(d.evidence.v[0].log->rank, 2);
	assert_true(d.consequences.n > 0);
	assert_int_equal(d.confidence, CONFIDENCE_HIGH);
	diagnosis_release(&d);
}

static void consequence_alone_is_the_answer_with_doubt(void **state)
{
	const char *text = NCCL;
	struct diagnosis d;

	(void)state;
	lab_job(&lab, &text, 1, &d);
	assert_string_equal(diagnosis_category(&d), "network_communication");
	assert_true(d.confidence < CONFIDENCE_HIGH);
	assert_int_not_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
}

static void a_fault_that_was_survived_is_background(void **state)
{
	(void)state;
	one("step 10 loss 0.9\n" TRACE OOM "skipped the batch\n"
	    "step 11 loss 0.8\nstep 12 loss 0.7\n",
	    "none", VERDICT_UNDECIDED);
	/* the later one ended it */
	one("step 10 loss 0.9\n" TRACE OOM "step 11 loss 0.8\n"
	    "step 12 loss 0.7\n" TRACE "KeyError: 'label'\n",
	    "key_not_found", VERDICT_STOP);
	/* output of the same time that a buffer held back is no progress */
	one(TRACE OOM "step 10 loss 0.9\nstep 11 loss 0.8\n",
	    "gpu_out_of_memory", VERDICT_STOP);
}

static void the_wrapper_loses_to_the_original(void **state)
{
	struct diagnosis d;
	const char *text =
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/train.py\", line 3, in <module>\n"
	    "    for x in loader:\n"
	    "RuntimeError: Caught KeyError in DataLoader worker process "
	    "0.\n"
	    "Original Traceback (most recent call last):\n"
	    "  File \"/home/ada/data.py\", line 8, in __getitem__\n"
	    "    return self.table[i]\n"
	    "KeyError: 'missing'\n\n";

	(void)state;
	lab_job(&lab, &text, 1, &d);
	assert_string_equal(diagnosis_category(&d), "key_not_found");
	assert_string_equal(
	    d.evidence.v[0].event->frame.function, "__getitem__");
	diagnosis_release(&d);
}

/* Launches appended to one file: the last one counts. Ranks that write into
 * one file: the first one counts. */
static void launches_and_ranks(void **state)
{
	(void)state;
	one("start\n" TRACE "KeyError: 'a'\n"
	    "start\n" TRACE "ZeroDivisionError: division by zero\n",
	    "division_by_zero", VERDICT_STOP);
	one("torchrun --nproc_per_node 2 train.py\n" TRACE "KeyError: 'a'\n"
	    "start\n" TRACE "ZeroDivisionError: division by zero\n",
	    "key_not_found", VERDICT_STOP);
}

static void teardown_errors_are_ignored(void **state)
{
	(void)state;
	one(TRACE OOM
	    "Exception ignored in: <function Loader.__del__ at 0x7f>\n"
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/data.py\", line 8, in __del__\n"
	    "    self.pool.close()\n"
	    "AttributeError: 'Loader' object has no attribute 'pool'\n",
	    "gpu_out_of_memory", VERDICT_STOP);
}

static void errors_at_exit_are_ignored(void **state)
{
	(void)state;
	one("run_stop: {\"success\": true}\n"
	    "Error in atexit._run_exitfuncs:\n"
	    "OSError: [Errno 116] Stale file handle\n",
	    "none", VERDICT_NONE);
	one("run_stop: {\"success\": true}\n"
	    "Traceback (most recent call last):\n"
	    "  File \"/usr/lib/python3.10/multiprocessing/util.py\", line 300, "
	    "in _run_finalizers\n"
	    "    finalizer()\n"
	    "  File \"/usr/lib/python3.10/multiprocessing/synchronize.py\", "
	    "line 87, in _cleanup\n"
	    "    sem_unlink(name)\n"
	    "FileNotFoundError: [Errno 2] No such file or directory\n",
	    "none", VERDICT_NONE);
	/* what stands further below is another matter */
	one("Error in atexit._run_exitfuncs:\n"
	    "the next step begins\n"
	    "OSError: [Errno 116] Stale file handle\n",
	    "storage_fault", VERDICT_RETRY);
}

static void refused_requests_are_ignored(void **state)
{
	(void)state;
	one("INFO: Application startup complete.\n"
	    "ERROR 01-02 03:04:05 [serving.py:9] Error in preprocessing prompt "
	    "inputs\n" TRACE "ValueError: the prompt is too long\n"
	    "INFO: 10.0.0.7:41 - \"POST /v1/completions HTTP/1.1\" 400 Bad "
	    "Request\n"
	    "INFO: 10.0.0.7:42 - \"POST /v1/completions HTTP/1.1\" 200 OK\n",
	    "none", VERDICT_UNDECIDED);
}

/* What was in flight comes out after the step daemon's word. */
static void cancelled_in_a_bar(void **state)
{
	(void)state;
	one("step 40/100 loss 2.1\n"
	    "step 41/100 slurmstepd: error: *** JOB 77 ON gpu3 CANCELLED AT "
	    "2024-03-04T05:06:07 ***\n"
	    "step 41/100 loss 2.0\n"
	    "step 42/100 loss 2.0\n",
	    "killed_by_user", VERDICT_STOP);
}

/* A code alone says that the job failed, not why. */
static void launchers_codes(void **state)
{
	(void)state;
	one("nvcc -c step.cu\nmake: *** [Makefile:8: train] Error 1\n",
	    "unknown", VERDICT_RETRY);
	one("The command '/bin/sh -c ./get.sh' returned a non-zero code: 4\n",
	    "unknown", VERDICT_RETRY);
	one("   Job Id:             12.hpc-pbs\n   Exit Status:        1\n",
	    "unknown", VERDICT_RETRY);
	one("   Job Id:             12.hpc-pbs\n   Exit Status:        0\n",
	    "none", VERDICT_UNDECIDED);
	one("['python', 'train.py'] exits with return code = 1\n", "unknown",
	    VERDICT_RETRY);
	one("['python', 'train.py'] exits with return code = -9\n",
	    "cpu_out_of_memory", VERDICT_ADJUST);
}

static void nothing_to_see(void **state)
{
	struct diagnosis d;
	const char *empty = "";

	(void)state;
	one("step 1 loss 0.5\nstep 2 loss 0.4\nTraining finished\n", "none",
	    VERDICT_NONE);
	lab_job(&lab, &empty, 1, &d);
	assert_int_equal(d.failed, -1);
	assert_int_equal(d.verdict, VERDICT_UNDECIDED);
	diagnosis_release(&d);
}

static void what_no_rule_knows_is_unknown(void **state)
{
	struct diagnosis d;
	const char *cut = "step 5\n"
			  "Traceback (most recent call last):\n"
			  "  File \"/home/ada/train.py\", line 3, in f\n"
			  "wandb: closing\nbye\n";

	(void)state;
	lab_job(&lab, &cut, 1, &d);
	assert_int_equal(d.failed, 1);
	assert_string_equal(diagnosis_category(&d), "unknown");
	assert_int_equal(d.confidence, CONFIDENCE_LOW);
	assert_int_not_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
}

static void fingerprints_ignore_what_changes(void **state)
{
	struct diagnosis a, b, c;

	(void)state;
	lab_text(&lab,
	    "[rank0]: Traceback (most recent call last):\n"
	    "[rank0]:   File \"/home/ada/run1/train.py\", line 30, in f\n"
	    "[rank0]:     g()\n"
	    "[rank0]: FileNotFoundError: [Errno 2] No such file or "
	    "directory: '/tmp/abc/1.pt'\n",
	    &a);
	lab_text(&lab,
	    "2024-05-01 10:00:00 [rank7]: Traceback (most recent call "
	    "last):\n"
	    "2024-05-01 10:00:00 [rank7]:   File "
	    "\"/home/ada/run2/train.py\", line 31, in f\n"
	    "2024-05-01 10:00:00 [rank7]:     g()\n"
	    "2024-05-01 10:00:00 [rank7]: FileNotFoundError: [Errno 2] No "
	    "such file or directory: '/tmp/xyz/2.pt'\n",
	    &b);
	lab_text(&lab, TRACE "KeyError: 'label'\n", &c);
	assert_string_equal(a.fingerprint, b.fingerprint);
	assert_string_not_equal(a.fingerprint, c.fingerprint);
	diagnosis_release(&a);
	diagnosis_release(&b);
	diagnosis_release(&c);
}

static void a_loss_that_stays_nan_is_the_failure(void **state)
{
	(void)state;
	one("step 10 loss: 0.9\nstep 11 loss: nan\nstep 12 loss: nan\n"
	    "step 13 loss: nan\n",
	    "loss_nan", VERDICT_ADJUST);
}

/* A path on a mount that is failing is no typo. */
static void missing_or_not_to_be_seen(void **state)
{
	static const char fnf[] =
	    TRACE "FileNotFoundError: [Errno 2] No such file or directory: "
		  "'/mnt/lustre/set/a.bin'\n";
	const char *const faulty[] = { fnf,
		TRACE "OSError: [Errno 116] Stale file handle\n" };
	struct diagnosis d;

	(void)state;
	one(fnf, "path_not_found", VERDICT_STOP);
	lab_job(&lab, faulty, 2, &d);
	assert_string_equal(diagnosis_category(&d), "path_not_found");
	assert_int_equal(d.verdict, VERDICT_RETRY);
	diagnosis_release(&d);
}

#define V1_OOM(requested, allocated, reserved)                           \
	"RuntimeError: CUDA out of memory. Tried to allocate " requested \
	" (GPU 0; 23.69 GiB total capacity; " allocated                  \
	" already allocated; 130.00 MiB free; " reserved                 \
	" reserved in total by PyTorch)\n"

/* What an out-of-memory message says in numbers decides, not its words. */
static void the_figures_of_memory(void **state)
{
	const char *shared =
	    "RuntimeError: CUDA out of memory. Tried to allocate 576.00 MiB "
	    "(GPU 0; 24.00 GiB total capacity; 3.50 GiB already allocated; "
	    "128.00 MiB free; 4.25 GiB reserved in total by PyTorch)\n";
	struct diagnosis d;
	struct memory m;

	(void)state;
	lab_text(&lab, shared, &d);
	assert_int_equal(d.verdict, VERDICT_ADJUST);
	assert_true(memory_read(d.evidence.v[0].evidence, &m));
	assert_int_equal(m.requested, 576ll << 20);
	assert_int_equal(m.total, 24ll << 30);
	assert_int_equal(m.unallocated, 768ll << 20);
	assert_true(m.fragmented);
	assert_true(m.held_by_others);
	diagnosis_release(&d);
	one(TRACE OOM, "gpu_out_of_memory", VERDICT_STOP);
	/* others hold less than half, but all that was lacking */
	one(V1_OOM("144.00 MiB", "18.00 GiB", "18.25 GiB"), "gpu_out_of_memory",
	    VERDICT_ADJUST);
	/* what is missing is the process's own context */
	one(V1_OOM("144.00 MiB", "21.50 GiB", "22.00 GiB"), "gpu_out_of_memory",
	    VERDICT_STOP);
	/* contexts of other ranks, each too small to matter */
	one("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
	    "144.00 MiB. GPU 0 has a total capacity of 47.50 GiB of which "
	    "60.00 MiB is free. Process 71 has 520.00 MiB memory in use. "
	    "Process 72 has 520.00 MiB memory in use. Process 73 has 1.52 GiB "
	    "memory in use. Including non-PyTorch memory, this process has "
	    "44.90 GiB memory in use. Of the allocated memory 41.00 GiB is "
	    "allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but "
	    "unallocated.\n",
	    "gpu_out_of_memory", VERDICT_STOP);
	/* and what they hold would not have been enough */
	one(V1_OOM("9.00 GiB", "18.00 GiB", "18.25 GiB"), "gpu_out_of_memory",
	    VERDICT_STOP);
}

/* Rank 2 of 4 never entered; its own log shows nothing at all. */
static void the_rank_that_never_came(void **state)
{
	const char *text =
	    "init_process_group(backend=nccl, world_size=4)\n"
	    "[rank0]:[E ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught "
	    "collective operation timeout: WorkNCCL(SeqNum=91, "
	    "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran "
	    "for 600012 milliseconds before timing out.\n"
	    "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught "
	    "collective operation timeout: WorkNCCL(SeqNum=91, "
	    "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran "
	    "for 600044 milliseconds before timing out.\n"
	    "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught "
	    "collective operation timeout: WorkNCCL(SeqNum=91, "
	    "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran "
	    "for 600051 milliseconds before timing out.\n";
	struct collective c;
	struct diagnosis d;

	(void)state;
	lab_text(&lab, text, &d);
	assert_int_equal(collective_find(&d, NULL, &c), 1);
	assert_string_equal(c.op, "ALLREDUCE");
	assert_int_equal(c.seq, 91);
	assert_int_equal(c.n_waiting, 3);
	assert_int_equal(c.waiting[2], 3);
	assert_int_equal(c.n_missing, 1);
	assert_int_equal(c.missing[0], 2);
	collective_release(&c);
	diagnosis_release(&d);
	lab_text(&lab, TRACE "KeyError: 'x'\n", &d);
	assert_int_equal(collective_find(&d, NULL, &c), 0);
	diagnosis_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_of_another_rank_wins),
		cmocka_unit_test(consequence_alone_is_the_answer_with_doubt),
		cmocka_unit_test(a_fault_that_was_survived_is_background),
		cmocka_unit_test(the_wrapper_loses_to_the_original),
		cmocka_unit_test(launches_and_ranks),
		cmocka_unit_test(teardown_errors_are_ignored),
		cmocka_unit_test(errors_at_exit_are_ignored),
		cmocka_unit_test(refused_requests_are_ignored),
		cmocka_unit_test(cancelled_in_a_bar),
		cmocka_unit_test(launchers_codes),
		cmocka_unit_test(nothing_to_see),
		cmocka_unit_test(what_no_rule_knows_is_unknown),
		cmocka_unit_test(fingerprints_ignore_what_changes),
		cmocka_unit_test(a_loss_that_stays_nan_is_the_failure),
		cmocka_unit_test(missing_or_not_to_be_seen),
		cmocka_unit_test(the_figures_of_memory),
		cmocka_unit_test(the_rank_that_never_came),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
