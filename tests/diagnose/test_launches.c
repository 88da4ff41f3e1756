/* A log that several launches wrote: where each begins, and that what ended an
 * earlier one is not what ended the job. */
#include "tests/diagnose/labs.h"

#include <stdio.h>

/* Whole, in small pieces and without the prefilter: the same lines. */
static struct findings *scan_text(const char *text)
{
	size_t n = strlen(text);
	struct findings *f = lab_scan(&lab, text, n, n, "a", -1);
	struct findings *g = lab_scan(&lab, text, n, 3, "a", -1);
	struct findings *h = lab_scan(&without, text, n, 4096, "a", -1);

	lab_same(f, g);
	assert_int_equal(f->n_launches, h->n_launches);
	for (size_t i = 0; i < f->n_launches; i++)
		assert_int_equal(
		    f->launches[i].first_line, h->launches[i].first_line);
	findings_free(g);
	findings_free(h);
	return f;
}

/* lines: where the launches after the first begin, ended by 0. */
static void begin_at(const char *text, const uint64_t *lines)
{
	struct findings *f = scan_text(text);
	size_t n = 0;

	while (lines[n])
		n++;
	assert_int_equal(f->n_launches, n ? n + 1 : 0);
	for (size_t i = 0; i < f->n_launches; i++) {
		const struct launch *l = &f->launches[i];

		assert_int_equal(l->first_line, i ? lines[i - 1] : 1);
		assert_int_equal(l->last_line, i < n ? lines[i] - 1 : f->lines);
		assert_int_equal(findings_launch_of(f, l->first_line), i);
		assert_int_equal(findings_launch_of(f, l->last_line), i);
	}
	findings_free(f);
}

#define HEAD(N)                                            \
	"Namespace(data='/data/a', width=" N ", seed=7)\n" \
	"model has 12" N " parameters\n"
#define KEY                                                     \
	"Traceback (most recent call last):\n"                  \
	"  File \"/home/ada/train.py\", line 30, in <module>\n" \
	"    main()\n"                                          \
	"KeyError: 'label'\n"
#define STEPS(A, B) "step " A " loss 2.5\nstep " B " loss 2.4\n"

static void test_first_lines_again(void **state)
{
	(void)state;
	begin_at(HEAD("3") STEPS("1", "2"), (uint64_t[]){ 0 });
	/* after a failure, whatever its numbers are */
	begin_at(HEAD("3") KEY HEAD("48") KEY, (uint64_t[]){ 7, 0 });
	begin_at(HEAD("3") KEY HEAD("4") KEY HEAD("5") STEPS("1", "2"),
	    (uint64_t[]){ 7, 13, 0 });
	/* the steps go back, and nothing says why */
	begin_at(HEAD("3") STEPS("70", "80") HEAD("3") STEPS("1", "2"),
	    (uint64_t[]){ 5, 0 });
	/* after a good end */
	begin_at(
	    HEAD("3") "Training finished\n" HEAD("3") "Training finished\n",
	    (uint64_t[]){ 4, 0 });
}

static void test_no_launch(void **state)
{
	(void)state;
	/* workers that begin anew each epoch print it, too */
	begin_at(HEAD("3") STEPS("1", "2") HEAD("3") STEPS("3", "4") HEAD("3")
		     STEPS("5", "6"),
	    (uint64_t[]){ 0 });
	/* each rank does */
	begin_at(HEAD("3") HEAD("3") HEAD("3") KEY KEY KEY, (uint64_t[]){ 0 });
	/* one line alone is ordinary output */
	begin_at("loading the shards of it\n" KEY
		 "loading the shards of it\n" STEPS("1", "2"),
	    (uint64_t[]){ 0 });
}

static void test_steps_begin_anew(void **state)
{
	(void)state;
	begin_at(STEPS("500", "510") KEY STEPS("1", "2"), (uint64_t[]){ 7, 0 });
	/* the first epoch again, whatever step is printed first */
	begin_at("epoch 8 step 500 loss 2\n" KEY "epoch 1 step 100 loss 2\n",
	    (uint64_t[]){ 6, 0 });
	/* a bar that tqdm draws once more as its program dies */
	begin_at("lay: 100%|####| 4000/4000 [00:04<00:00, 900.00it/s]\n"
		 "lay:   0%|    | 0/9000 [00:00<?, ?it/s]" KEY
		 "lay:   0%|    | 0/9000 [00:00<?, ?it/s]\n",
	    (uint64_t[]){ 0 });
	begin_at("lay: 100%|####| 4000/4000 [00:04<00:00, 900.00it/s]\n"
		 "lay:   0%|    | 0/9000 [00:00<?, ?it/s]" KEY
		 "lay:   0%|    | 0/9000 [00:00<?, ?it/s]\n"
		 "what was laid is not written out\n",
	    (uint64_t[]){ 0 });
	/* the next epoch of the same run */
	begin_at("epoch 3 step 500 loss 2\n" KEY "epoch 4 step 1 loss 2\n",
	    (uint64_t[]){ 0 });
	begin_at(
	    STEPS("500", "510") KEY STEPS("520", "530"), (uint64_t[]){ 0 });
}

/* Times, and a pause that alone tells of another launch. */
static void test_times(void **state)
{
	const char *text =
	    "2024-05-01 08:00:00,000 INFO starting with its settings\n"
	    "2024-05-01 08:00:00,000 INFO reading all of the shards\n"
	    "2024-05-01 08:30:00,000 INFO shards are sorted\n"
	    "2024-05-03 17:00:00,000 INFO starting with its settings\n"
	    "2024-05-03 17:00:01,000 INFO reading all of the shards\n"
	    "2024-05-03 17:10:00,000 INFO shards are sorted\n";
	struct findings *f = scan_text(text);

	(void)state;
	assert_int_equal(f->n_launches, 2);
	assert_int_equal(f->launches[0].last_time - f->launches[0].first_time,
	    INT64_C(1800) * 1000000);
	assert_int_equal(f->launches[1].last_time - f->launches[1].first_time,
	    INT64_C(600) * 1000000);
	findings_free(f);
}

static void ends(const char *text, const char *category)
{
	struct diagnosis d;

	lab_text(&lab, text, &d);
	assert_string_equal(diagnosis_category(&d), category);
	diagnosis_release(&d);
}

#define OOM                                                                   \
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
	"2.00 GiB (GPU 0; 15.78 GiB total capacity; 14.10 GiB already "       \
	"allocated; 801.00 MiB free; 14.30 GiB reserved in total by "         \
	"PyTorch)\n"

static void test_the_last_one_is_the_answer(void **state)
{
	(void)state;
	ends(HEAD("3") KEY HEAD("3") STEPS("1", "2") OOM, "gpu_out_of_memory");
	ends(HEAD("3") STEPS("1", "2") OOM HEAD("3") KEY, "key_not_found");
	ends(HEAD("3") KEY HEAD("3") STEPS("1", "2"), "none");
	ends(HEAD("3") KEY HEAD("3") STEPS("1", "2") "Training finished\n",
	    "none");
	/* what has only begun tells nothing */
	ends(HEAD("3") KEY HEAD("3"), "key_not_found");
	/* a step before the failure was of the launch before */
	ends(HEAD("3") STEPS("70", "80") OOM HEAD("3") "load\n" OOM,
	    "gpu_out_of_memory");
}

/* What each tells of its own end. */
static void test_each_has_its_end(void **state)
{
	struct findings *f = scan_text(HEAD("3") KEY HEAD("3")
		STEPS("1", "2") "Training finished\n" HEAD("3") OOM);

	(void)state;
	assert_int_equal(f->n_launches, 3);
	assert_string_equal(f->launches[0].rule->id, "key_not_found.key_error");
	assert_null(f->launches[1].rule);
	assert_true(f->launches[1].ended_well);
	assert_string_equal(
	    f->launches[2].rule->id, "gpu_out_of_memory.torch_v1");
	findings_free(f);
}

/* Far from each other, in blocks of their own. */
static void test_long_logs(void **state)
{
	size_t cap = 3 << 20, n = 0;
	char *text = malloc(cap);
	struct findings *f;

	(void)state;
	assert_non_null(text);
	for (int k = 0; k < 3; k++) {
		n += (size_t)snprintf(text + n, cap - n, HEAD("3"));
		for (int i = 0; i < 30000; i++)
			n += (size_t)snprintf(
			    text + n, cap - n, "step %d loss 2.0\n", i);
		n += (size_t)snprintf(text + n, cap - n, KEY);
	}
	f = scan_text(text);
	assert_int_equal(f->n_launches, 3);
	assert_int_equal(f->launches[1].first_line, 30007);
	assert_int_equal(f->launches[2].first_line, 60013);
	findings_free(f);
	free(text);
}

/* More in one block than can wait for what comes behind them. */
static void test_very_many(void **state)
{
	size_t cap = 1 << 20, n = 0;
	char *text = malloc(cap);
	struct findings *f;

	(void)state;
	assert_non_null(text);
	for (int k = 0; k < 400; k++) {
		n += (size_t)snprintf(text + n, cap - n, HEAD("3"));
		for (int i = 1; i < 40; i++)
			n += (size_t)snprintf(
			    text + n, cap - n, "step %d loss 2.0\n", i);
	}
	f = scan_text(text);
	assert_int_equal(f->n_launches, 400);
	findings_free(f);
	free(text);
}

/* What signals tell: where the first lines differ, or are others'. */
static void test_told(void **state)
{
	(void)state;
	/* a job's number, after a failure or with steps that go back */
	begin_at("Mon May 6 on gpu-a\nSlurm job id: 11\n" KEY
		 "Tue June 7 on node-b\nSlurm job id: 12\n" STEPS("1", "2"),
	    (uint64_t[]){ 8, 0 });
	begin_at("on gpu-a\nSLURM_JOB_ID=11\n" STEPS(
		     "70", "80") "on node-b\nSLURM_JOB_ID=11\n" STEPS("1", "2"),
	    (uint64_t[]){ 6, 0 });
	/* arguments, after a traceback that nobody caught */
	begin_at("loading the list of words\n" HEAD("3") KEY
	    "other words come first here\n" HEAD("4") STEPS("1", "2"),
	    (uint64_t[]){ 9, 0 });
	/* the same process reads its model again */
	begin_at("Using device: cuda\n" STEPS(
		     "1", "2") "Training done\n"
			       "Using device: cuda\n" STEPS("3", "4"),
	    (uint64_t[]){ 0 });
	/* ranks */
	begin_at("nproc_per_node=4 with torch.distributed.run\n"
		 "Using device: cuda:0\nUsing device: cuda:1\n" KEY
		 "Using device: cuda:2\n",
	    (uint64_t[]){ 0 });
}

#define RUN(ARGS) "+ python train.py " ARGS "\n"

/* The same command again is an attempt; with other arguments, or a number, it
 * is a run of its own. */
static void test_sweeps(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		bool trial, failed;
	} logs[] = {
		{ RUN("--lr 0.1") KEY RUN("--lr 0.1") STEPS("1", "2"), 2, false,
		    false },
		{ RUN("--lr 0.1") KEY RUN("--lr 0.1") KEY, 2, false, true },
		{ RUN("--lr 0.1") KEY RUN("--lr 0.2") STEPS("1", "2"), 2, true,
		    false },
		{ RUN("--lr 0.1") STEPS("1", "2") RUN("--lr 0.2") KEY, 0, false,
		    true },
		{ "Run 1 of 3: lr=0.1\n" STEPS(
		      "1", "2") "Run 2 of 3: lr=1\n" KEY
				"Run 3 of 3: lr=2\n" STEPS("1", "2"),
		    3, true, false },
		{ "Run 1 of 2: lr=0.1\n" STEPS(
		      "1", "2") "Run 2 of 2: lr=1\n" KEY,
		    2, true, true },
		{ "wandb: Agent Starting Run: ab12 with config:\n" KEY
		  "wandb: Agent Starting Run: cd34 with config:\n" STEPS(
		      "1", "2"),
		    2, true, false },
		/* one that has only begun tells nothing */
		{ "wandb: Agent Starting Run: ab12 with config:\n" KEY
		  "wandb: Agent Starting Run: cd34 with config:\n",
		    2, true, true },
		{ "[I 1] Trial 0 finished with value: 1 and parameters: "
		  "{}.\n" KEY
		  "[I 2] Trial 2 finished with value: 2 and parameters: {}.\n",
		    2, true, false },
		{ "[HYDRA] Launching 2 jobs locally\n"
		  "[HYDRA] \t#0 : lr=0.1\n" KEY
		  "[HYDRA] \t#1 : lr=1\n" STEPS("1", "2"),
		    2, true, false },
		/* a step of the script misses what the one before should have
		 * written */
		{ "+ python prepare.py\n" KEY
		  "+ python train.py\n" STEPS("1", "2"),
		    0, false, true },
		/* at a prompt somebody has seen how the one before ended; what
		 * starts nothing tells nothing */
		{ "(net) PS C:\\net> python prepare.py\n" KEY
		  "(net) PS C:\\net> python train.py\n" STEPS("1", "2"),
		    2, false, false },
		{ "ada@node7 net % python train.py\n" KEY
		  "ada@node7 net % ls\nnet train.py\n",
		    0, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		struct findings *f = scan_text(logs[i].text);
		struct diagnosis d;

		if (f->n_launches != logs[i].n)
			fail_msg(
			    "%zu launches:\n%s", f->n_launches, logs[i].text);
		if (f->n_launches)
			assert_int_equal(f->launches[f->n_launches - 1].trial,
			    logs[i].trial);
		findings_free(f);
		lab_text(&lab, logs[i].text, &d);
		if ((d.failed == 1) != logs[i].failed)
			fail_msg("failed %d:\n%s", d.failed, logs[i].text);
		diagnosis_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_lines_again),
		cmocka_unit_test(test_no_launch),
		cmocka_unit_test(test_steps_begin_anew),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_the_last_one_is_the_answer),
		cmocka_unit_test(test_each_has_its_end),
		cmocka_unit_test(test_long_logs),
		cmocka_unit_test(test_very_many),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_sweeps),
	};

	return cmocka_run_group_tests(tests, labs_setup, labs_teardown);
}
