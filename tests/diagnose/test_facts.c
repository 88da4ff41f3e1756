/*
 * Which checkpoints a log proves durable, and how many GPUs it tells of, in
 * the words of the frameworks; the same with and without the prefilter.
 */
#include "tests/diagnose/labs.h"

#include "diagnose/signals/facts.h"

#include <stdio.h>

static struct findings *scan_text(const char *text)
{
	size_t n = strlen(text);
	struct findings *f = lab_scan(&lab, text, n, 4096, "a", -1);
	struct findings *g = lab_scan(&without, text, n, 7, "a", -1);

	assert_true((f->checkpoint == NULL) == (g->checkpoint == NULL));
	if (f->checkpoint)
		assert_string_equal(f->checkpoint, g->checkpoint);
	assert_int_equal(f->checkpoint_line, g->checkpoint_line);
	assert_int_equal(f->checkpoint_time, g->checkpoint_time);
	assert_int_equal(f->checkpoint_step, g->checkpoint_step);
	assert_int_equal(f->gpus, g->gpus);
	findings_free(g);
	return f;
}

/* what: NULL for no durable checkpoint. */
static void checkpoint_is(const char *text, const char *what, int64_t step)
{
	struct findings *f = scan_text(text);

	if (what && !f->checkpoint)
		fail_msg("no checkpoint in: %s", text);
	if (!what && f->checkpoint)
		fail_msg("'%s' taken for durable in: %s", f->checkpoint, text);
	if (what) {
		assert_string_equal(f->checkpoint, what);
		assert_int_equal(f->checkpoint_step, step);
	}
	findings_free(f);
}

static void only_a_process_has_an_exit_status(void **state)
{
	struct findings *f = scan_text("worker 3 ended with status 3\n");

	(void)state;
	assert_int_equal(f->exit_code, 3);
	findings_free(f);
	f = scan_text(
	    "Got completion from peer a<1> with status=12 opcode=0\n");
	assert_true(f->exit_code <= 0);
	findings_free(f);
}

#define FAILURE                                     \
	"Traceback (most recent call last):\n"      \
	"  File \"/u/a.py\", line 3, in <module>\n" \
	"KeyError: 'x'\n"

/* Lines that prove by themselves. */
static void the_past_tense_proves(void **state)
{
	static const struct {
		const char *line, *what;
		int64_t step;
	} rows[] = {
		{ "Saved checkpoint to /r/ckpt-100.pt", "/r/ckpt-100.pt", 100 },
		{ "  successfully saved checkpoint from iteration    1000 to "
		  "/r/ck [ t 1/8, p 1/4 ]",
		    "/r/ck", 1000 },
		{ "Saved checkpoint /r/checkpoint3.pt (epoch 3 @ 1000 updates, "
		  "score 1.2) (writing took 1.2 seconds)",
		    "/r/checkpoint3.pt", 1000 },
		{ "INFO:tensorflow:Calling checkpoint listeners after saving "
		  "checkpoint 817...",
		    "Calling checkpoint listeners after saving checkpoint "
		    "817...",
		    -1 },
		{ "Finished async_save (blocking + background). Time taken: "
		  "1.25s. directory=gs://b/run/checkpoints/40",
		    "gs://b/run/checkpoints/40", -1 },
		{ "[process=0][thread=async_save] Finished asynchronous save "
		  "(blocking + background) in 1.25 seconds to /r/ck/40",
		    "/r/ck/40", -1 },
		{ "Finished saving the checkpoint in 3.20 seconds.",
		    "Finished saving the checkpoint in 3.20 seconds.", -1 },
		{ "Saved state to /r/checkpoint-500", "/r/checkpoint-500",
		    500 },
		{ "Epoch 3 | Training snapshot saved at snapshot.pt",
		    "snapshot.pt", -1 },
		{ "The best checkpoint with 0.7 mAP at 3 epoch is saved to "
		  "best_mAP_epoch_3.pth.",
		    "best_mAP_epoch_3.pth", -1 },
		{ "Epoch 3: finished saving model to /r/m.keras", "/r/m.keras",
		    -1 },
		{ "Model saved to /r/best/model.safetensors",
		    "/r/best/model.safetensors", -1 },
		{ "Checkpoint successfully created at: "
		  "Checkpoint(filesystem=local, path=/r/checkpoint_000001)",
		    "/r/checkpoint_000001", 1 },
		{ "Async checkpoint save for step 100 (/r/a.ckpt) finalized "
		  "successfully.",
		    "/r/a.ckpt", 100 },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "%s\n" FAILURE, rows[i].line);
		checkpoint_is(text, rows[i].what, rows[i].step);
	}
}

/* Lines that announce: alone they prove nothing, with a later step they do. */
static void what_is_announced_stays_pending(void **state)
{
	static const struct {
		const char *line, *what;
		int64_t step;
	} rows[] = {
		{ "Saving checkpoint to /r/ckpt.pt", "/r/ckpt.pt", -1 },
		{ "Epoch 3, global step 400: 'val_loss' reached 0.1 (best "
		  "0.1), saving model to '/r/epoch=3-step=400.ckpt' as top 1",
		    "/r/epoch=3-step=400.ckpt", 400 },
		{ "Saving model checkpoint to /r/checkpoint-500\n"
		  "Configuration saved in /r/checkpoint-500/config.json\n"
		  "Model weights saved in /r/checkpoint-500/model.safetensors",
		    "/r/checkpoint-500", 500 },
		{ "saving checkpoint at iteration    1000 to /r/ck", "/r/ck",
		    1000 },
		{ "[Torch] Checkpoint global_step500 is about to be saved!\n"
		  "[Torch] Saving /r/global_step500/mp_rank_00_model_states.pt"
		  "...\n"
		  "[Torch] Saved /r/global_step500/mp_rank_00_model_states.pt.",
		    "/r/global_step500", 500 },
		{ "Preparing to save checkpoint for epoch 3 @ 1000 updates",
		    "Preparing to save checkpoint for epoch 3 @ 1000 updates",
		    1000 },
		{ "Saving checkpoint at 3 epochs",
		    "Saving checkpoint at 3 epochs", -1 },
		{ "Epoch 00003: val_loss improved from 0.3 to 0.2, saving "
		  "model to /r/w.h5",
		    "/r/w.h5", -1 },
		{ "Saving checkpoints for 1000 into /r/model.ckpt.",
		    "/r/model.ckpt", 1000 },
		{ "Saving a full checkpoint at last step, step 1000.",
		    "Saving a full checkpoint at last step, step 1000.", 1000 },
		{ "Saving model checkpoint to output_dir", "output_dir", -1 },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "%s\n" FAILURE, rows[i].line);
		checkpoint_is(text, NULL, 0);
		snprintf(text, sizeof text,
		    "%s\nepoch 9 step 9000 loss 1\n" FAILURE, rows[i].line);
		checkpoint_is(text, rows[i].what, rows[i].step);
		snprintf(text, sizeof text,
		    "%s\nepoch 9 step 9999: saving checkpoint to "
		    "/r/later\n" FAILURE,
		    rows[i].line);
		checkpoint_is(text, rows[i].what, rows[i].step);
		snprintf(
		    text, sizeof text, "%s\nTraining finished\n", rows[i].line);
		checkpoint_is(text, rows[i].what, rows[i].step);
	}
}

static void what_proves_nothing(void **state)
{
	static const char *const lines[] = {
		"Loaded checkpoint saved at /r/ckpt-100.pt",
		"Resuming from checkpoint /r/checkpoint-500",
		"Restoring parameters from /r/model.ckpt-100",
		"Failed to save checkpoint to /r/ckpt-100.pt",
		"checkpoint write retry: [Errno 28] No space left on device",
		"Checkpoints will be saved to /r/checkpoints",
		"Saving checkpoints every 500 steps to /r/checkpoints",
		"save_checkpoint: True, path: /r/checkpoints",
		"No checkpoint was saved in /r",
		"Deleting older checkpoint [/r/checkpoint-100]",
		"Configuration saved in /r/checkpoint-500/config.json",
		"Saved model config to /r/model/config.json",
		"Saved predictions of the model to /r/checkpoint-1/out",
		"wandb: Run data is saved locally in /r/wandb/run-1",
		"Epoch 3, global step 400: 'val_loss' was not in top 1",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		snprintf(text, sizeof text, "%s\nstep 9000 loss 1\n" FAILURE,
		    lines[i]);
		checkpoint_is(text, NULL, 0);
	}
}

static void a_save_that_fails(void **state)
{
	(void)state;
	checkpoint_is("step 100 loss 1\n"
		      "Saved checkpoint to /r/ckpt-100.pt\n"
		      "step 200 loss 1\n"
		      "Saving checkpoint to /r/ckpt-200.pt\n"
		      "Failed to save checkpoint: disk full\n"
		      "step 300 loss 1\n",
	    "/r/ckpt-100.pt", 100);
	/* the bar is drawn again, nothing more */
	checkpoint_is("50%|#####     | 500/1000 [00:10<00:10]\n"
		      "Saving model checkpoint to /r/checkpoint-500\n"
		      "50%|#####     | 500/1000 [00:10<00:10]\n" FAILURE,
	    NULL, 0);
	/* in the background: only the word that it is done counts */
	checkpoint_is("scheduled an async checkpoint save at iteration 100 to "
		      "/r/ck\niteration 101/ 500\niteration 200/ 500\n" FAILURE,
	    NULL, 0);
	checkpoint_is("scheduled an async checkpoint save at iteration 100 to "
		      "/r/ck\niteration 101/ 500\n"
		      "successfully saved checkpoint from iteration 100 to "
		      "/r/ck\n" FAILURE,
	    "/r/ck", 100);
	checkpoint_is(
	    "Saving the checkpoint (or staging if async is "
	    "enabled).\nFinished saving the checkpoint (or staging "
	    "if async is enabled)in 5.53 seconds.\nstep: 12\n" FAILURE,
	    NULL, 0);
	/* one after the other, by two ranks: no proof */
	checkpoint_is("[rank0]: Saving checkpoint to /r/0.pt\n"
		      "[rank1]: Saving checkpoint to /r/1.pt\n" FAILURE,
	    NULL, 0);
	checkpoint_is(
	    "[Torch] Saving /r/global_step500/mp_rank_00.pt...\n"
	    "[Torch] Saved /r/global_step500/mp_rank_00.pt.\n"
	    "[Torch] Checkpoint global_step500 is ready now!\n" FAILURE,
	    "/r/global_step500", 500);
}

static void a_checkpoint_has_a_time(void **state)
{
	struct findings *f =
	    scan_text("2024-05-01 10:00:00,000 INFO step 1 loss 2\n"
		      "Saving checkpoint to /r/a.pt\n"
		      "2024-05-01 10:05:00,000 INFO step 2 loss 2\n"
		      "2024-05-01 10:06:00,000 INFO Saved checkpoint to "
		      "/r/b.pt\n");

	(void)state;
	assert_int_equal(f->checkpoint_time - f->first_time, 360000000);
	findings_free(f);
	/* none of its own: the last one before it */
	f = scan_text("2024-05-01 10:00:00,000 INFO step 1 loss 2\n"
		      "Saving checkpoint to /r/a.pt\n"
		      "2024-05-01 10:05:00,000 INFO step 2 loss 2\n" FAILURE);
	assert_string_equal(f->checkpoint, "/r/a.pt");
	assert_int_equal(f->checkpoint_time, f->first_time);
	findings_free(f);
	f = scan_text("Saved checkpoint to /r/a.pt\n");
	assert_true(f->checkpoint_time == ENVELOPE_NO_TIME);
	findings_free(f);
}

static void gpus_are(const char *text, int n)
{
	struct findings *f = scan_text(text);

	if (f->gpus != n)
		fail_msg("%d GPUs, not %d, in: %s", f->gpus, n, text);
	findings_free(f);
}

static void sizes_of_the_job(void **state)
{
	(void)state;
	gpus_are("backend=nccl world_size=16\n", 16);
	gpus_are("WORLD_SIZE: 16\nmodel on cuda:0\n", 16);
	gpus_are("GPU available: True (cuda), used: True\n"
		 "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16\n",
	    16);
	gpus_are("All distributed processes registered. Starting with 16 "
		 "processes\ndistributed_backend=nccl\n",
	    16);
	gpus_are("n1:1:1 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks "
		 "16 cudaDev 0 busId 7000\n",
	    16);
	gpus_are("  nnodes            : 2\n  nproc_per_node    : 8\n"
		 "[rank0]: using device cuda:0\n",
	    16);
	gpus_are("[INFO] [launch.py] nnodes=1, num_local_procs=8, "
		 "node_rank=0\n[INFO] [launch.py] dist_world_size=8\n"
		 "[INFO] Setting CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n",
	    8);
	gpus_are("Process rank: 0, device: cuda:0, n_gpu: 4distributed "
		 "training: False, 16-bits training: False\n",
	    4);
	gpus_are("running on GPU\n"
		 "  Instantaneous batch size per device = 8\n"
		 "  Total train batch size (w. parallel, distributed & "
		 "accumulation) = 64\n"
		 "  Gradient Accumulation steps = 2\n",
	    4);
	gpus_are("+ mpirun -np 12 python train.py\nCUDA version 12.1\n", 12);
}

static void sizes_of_a_node(void **state)
{
	(void)state;
	gpus_are("LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]\n", 4);
	gpus_are("CUDA_VISIBLE_DEVICES=GPU-5f3e-1,GPU-77aa-2\n", 2);
	gpus_are("SLURM_GPUS_ON_NODE=8\nSLURM_NNODES=2\n", 16);
	gpus_are("#SBATCH --gres=gpu:a100:8\n#SBATCH --nodes=1\n", 8);
	gpus_are("Num GPUs Available:  4\n", 4);
	gpus_are("Let's use 4 GPUs!\n", 4);
	gpus_are("|   0  NVIDIA A100-SXM4-80GB  On  | 00000000:07:00.0 Off |\n"
		 "|   1  NVIDIA A100-SXM4-80GB  On  | 00000000:0F:00.0 Off |\n"
		 "|   1  NVIDIA A100-SXM4-80GB  On  | 00000000:0F:00.0 Off |\n",
	    2);
	gpus_are("GPU 0: NVIDIA H100 (UUID: GPU-11)\n"
		 "GPU 1: NVIDIA H100 (UUID: GPU-12)\n"
		 "GPU 2: NVIDIA H100 (UUID: GPU-13)\n",
	    3);
	/* JAX */
	gpus_are("backend gpu\n process_count: 1 device_count: 8\n", 8);
}

static void one_gpu_or_none(void **state)
{
	(void)state;
	gpus_are("Using device: cuda\nstep 1 loss 2\n", 1);
	gpus_are("loading\nRuntimeError: CUDA out of memory. Tried to allocate "
		 "2.00 GiB\n",
	    1);
	gpus_are("step 1 loss 2\n", 0);
	gpus_are("world_size=16 backend=gloo\n", 0);
	gpus_are("GPU available: False, used: False\n", 0);
	gpus_are("CUDA is not available, falling back\nworld_size=4\n", 0);
	gpus_are("WARNING: The NVIDIA Driver was not detected. GPU "
		 "functionality will not be available.\n",
	    0);
	gpus_are("Collecting tensorflow-gpu\n  nvidia-cuda-runtime-cu12\n"
		 "PATH=/usr/local/cuda/bin\n",
	    0);
	gpus_are("Num GPUs Available:  0\n", 0);
	gpus_are("CUDA_VISIBLE_DEVICES=-1\nusing device cpu\n", 0);
	gpus_are("world_size=99999999999 on cuda\n", 1);
	gpus_are("world_size=-3 on cuda\n", 1);
}

/* A random line, of several ranks and steps; few of them settle anything. */
static void random_line(uint32_t *seed, char *out, size_t size)
{
	static const char *const forms[] = {
		"Saving checkpoint at step %u to /r/step-%u",
		"checkpoint saved: /r/step-%u (%u.5 s)",
		"Saving checkpoint to /r/latest.pt (%u of %u)",
		"checkpoint saved",
		"Saved checkpoint at epoch %u, loss %u",
		"failed to save checkpoint step %u: errno %u",
		"[Torch] Saved /r/step-%u/mp_rank_0%u_model_states.pt",
		"Async checkpoint save for step %u (/r/a%u.ckpt) scheduled",
		"Loading checkpoint shards: %u of %u",
		"step %u | loss 2.%u",
		"2026-03-01 08:21:5%u,02%u INFO step",
		"Traceback (most recent call last):\n  File \"a.py\", line %u, "
		"in "
		"f\n    g(%u)\nRuntimeError: no checkpoint saved",
		"+ ls /r/checkpoint saved at step %u %u",
	};
	uint32_t r = *seed = *seed * 1664525u + 1013904223u;
	unsigned step = (r >> 8) % 4, rank = (r >> 11) % 4;
	unsigned form = (r >> 16) % 26;
	char line[300];

	snprintf(line, sizeof line, forms[form < 13 ? form : 1 + form % 2],
	    step, step);
	if (rank < 3)
		snprintf(out, size, "[rank%u]: %s\n", rank, line);
	else
		snprintf(out, size, "%s\n", line);
}

/* Of the lines of a block only those at its end are read, if they settle what
 * was before; here each line is a block of its own as well. */
static void the_last_lines_say_all(void **state)
{
	static char text[300 * 400];
	uint32_t seed = 7;
	unsigned proved = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		unsigned lines = 1 + (seed >> 20) % (round % 64 ? 12 : 300);
		struct err e = { 0 };
		struct findings *f, *g;
		size_t n = 0;

		assert_int_equal(scan_begin(lab.scan, "a", -1, NULL, &e), 0);
		while (lines--) {
			char *line = text + n;

			random_line(&seed, line, 400);
			n += strlen(line);
			assert_int_equal(
			    scan_feed(lab.scan, line, strlen(line), &e), 0);
			assert_int_equal(scan_flush(lab.scan, &e), 0);
		}
		f = scan_end(lab.scan, true, &e);
		assert_non_null(f);
		g = lab_scan(&lab, text, n, n, "a", -1);
		lab_same_string(f->checkpoint, g->checkpoint);
		lab_same_string(f->pending ? f->pending->what : NULL,
		    g->pending ? g->pending->what : NULL);
		assert_int_equal(f->checkpoint_line, g->checkpoint_line);
		assert_int_equal(f->checkpoint_step, g->checkpoint_step);
		assert_int_equal(f->checkpoint_time, g->checkpoint_time);
		proved += f->checkpoint != NULL;
		findings_free(f);
		findings_free(g);
	}
	assert_true(proved > 1000);
}

/* Every word that may stand before the number of a step, in any case. */
static void steps_are_counted(void **state)
{
	static const char *const steps[] = { "step: 7", "Iter 7", "it=7",
		"x Iteration 7", "iterations: 7", "global_step = 7",
		"batch [7/9]", "num_updates 7", "Update: 7", "7/9 [00:12<",
		"iters: 7", "global step 7", "Num-Updates: 7" };
	struct progress p;

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		assert_true(facts_progress(lab.tax, span_of(steps[i]), &p));
		assert_int_equal(p.step, 7);
	}
	assert_true(facts_progress(lab.tax, span_of("Epoch 7"), &p));
	assert_int_equal(p.epoch, 7);
	assert_true(facts_progress(lab.tax, span_of("x Ep: 7 lr 0.1"), &p));
	assert_int_equal(p.epoch, 7);
	assert_true(facts_progress(lab.tax, span_of("train_epoch [7/9]"), &p));
	assert_int_equal(p.epoch, 7);
	/* nor a word that only begins or ends so, nor another's step */
	assert_false(facts_progress(lab.tax, span_of("stepping 7, sep 7"), &p));
	assert_false(
	    facts_progress(lab.tax, span_of("slurmstepd: step 7"), &p));
	assert_false(facts_progress(
	    lab.tax, span_of("step 7 was CANCELLED by ada"), &p));
	assert_false(
	    facts_progress(lab.tax, span_of("steps 7, per epoch 7, a/7"), &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_counted),
		cmocka_unit_test(only_a_process_has_an_exit_status),
		cmocka_unit_test(the_past_tense_proves),
		cmocka_unit_test(what_is_announced_stays_pending),
		cmocka_unit_test(what_proves_nothing),
		cmocka_unit_test(a_save_that_fails),
		cmocka_unit_test(a_checkpoint_has_a_time),
		cmocka_unit_test(the_last_lines_say_all),
		cmocka_unit_test(sizes_of_the_job),
		cmocka_unit_test(sizes_of_a_node),
		cmocka_unit_test(one_gpu_or_none),
	};

	return cmocka_run_group_tests(tests, labs_setup, labs_teardown);
}
