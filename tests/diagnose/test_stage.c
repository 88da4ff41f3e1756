/* In which stage a job failed: by frames, by words, by progress. */
#include "tests/diagnose/labs.h"

#include "diagnose/signals/stage.h"

#include <stdio.h>

/* stage: NULL for unknown. */
static void stage_is(const char *text, const char *stage)
{
	struct diagnosis d;
	const char *got;

	lab_text(&lab, text, &d);
	got = stage_name(stage_find(&d, lab.tax));
	if (!got != !stage || (got && strcmp(got, stage) != 0))
		fail_msg("%s, not %s, in: %s", got ? got : "none",
		    stage ? stage : "none", text);
	diagnosis_release(&d);
}

#define TRACE "Traceback (most recent call last):\n"
#define MAIN "  File \"/u/main.py\", line 9, in <module>\n    main()\n"
#define LIB "/usr/lib/python3/dist-packages/"
#define FRAME(file, function) \
	"  File \"" file "\", line 3, in " function "\n    x()\n"
#define ERROR "KeyError: 'x'\n"

static void frames_decide(void **state)
{
	(void)state;
	stage_is(TRACE MAIN ERROR, "initialization");
	stage_is(TRACE MAIN FRAME("/u/main.py", "build_model") ERROR,
	    "initialization");
	stage_is(TRACE MAIN FRAME(LIB "transformers/modeling_utils.py",
		     "from_pretrained") ERROR,
	    "initialization");
	stage_is(TRACE MAIN FRAME("/u/train.py", "train")
		     FRAME(LIB "torch/utils/data/dataloader.py", "__next__")
			 FRAME("/u/ds.py", "__getitem__") ERROR,
	    "data");
	stage_is(TRACE MAIN FRAME("/u/dataset.py", "read") ERROR, "data");
	stage_is(TRACE MAIN FRAME(LIB "datasets/load.py", "load_dataset") ERROR,
	    "data");
	stage_is(TRACE MAIN FRAME("/u/dataset.py", "<module>") ERROR,
	    "initialization");
	stage_is(TRACE MAIN FRAME("/u/a.py", "train")
		     FRAME("/u/net.py", "forward") ERROR,
	    "training");
	stage_is(TRACE MAIN FRAME(LIB "torch/_tensor.py", "backward") ERROR,
	    "training");
	stage_is(TRACE MAIN FRAME("/u/a.py", "Trainer.training_step") ERROR,
	    "training");
	/* validation is a part of training; evaluation by itself is not */
	stage_is(TRACE MAIN FRAME(LIB "transformers/trainer.py", "train")
		     FRAME(LIB "transformers/trainer.py", "evaluate") ERROR,
	    "training");
	stage_is(TRACE MAIN FRAME(LIB "transformers/trainer.py", "evaluate")
		     ERROR,
	    "evaluation");
	stage_is(
	    TRACE MAIN FRAME("/u/run.py", "generate_text") ERROR, "evaluation");
	stage_is(TRACE FRAME("/u/infer.py", "<module>")
		     FRAME("/u/net.py", "forward") ERROR,
	    "evaluation");
	stage_is("epoch 3 step 100 loss 1\n" TRACE MAIN FRAME(
		     "/u/main.py", "validate") ERROR,
	    "training");
	stage_is(
	    TRACE MAIN FRAME("/u/main.py", "validate") ERROR, "evaluation");
}

static void words_decide(void **state)
{
	static const struct {
		const char *before, *stage;
	} rows[] = {
		{ "***** Running Evaluation *****\n  Num examples = 10\n",
		    "evaluation" },
		{ "Testing DataLoader 0:  12%|#  | 12/100 [00:12<01:00]\r",
		    "evaluation" },
		{ "Map:  12%|#  | 1200/10000 [00:01<00:10]\r", "data" },
		{ "INFO Tokenizing the corpus\n", "data" },
		{ "Loading dataset from /d\n", "data" },
		{ "Loading checkpoint shards:  50%|##  | 1/2 [00:01<00:01]\r",
		    "initialization" },
		{ "Loading dataset from /d\nepoch 1 step 10 loss 2\n",
		    "training" },
		{ "***** Running training *****\n  Num examples = 10\n",
		    "training" },
		{ "Evaluating\nepoch 2 step 20 loss 2\n", "training" },
		{ "epoch 1 step 10 loss 2\nEvaluating\n", "evaluation" },
		{ "Loading checkpoint shards: 100%|####| 2/2 [00:01<00:00]\n",
		    "training" },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text,
		    "start\n%s\n" TRACE MAIN FRAME("/u/main.py", "f") ERROR,
		    rows[i].before);
		stage_is(text, rows[i].stage);
		snprintf(text, sizeof text,
		    "start\n%s\nslurmstepd: error: *** JOB 12 ON n1 CANCELLED "
		    "AT 2024-05-01T10:00:00 DUE TO TIME LIMIT ***\n",
		    rows[i].before);
		stage_is(text, rows[i].stage);
	}
}

static void nothing_is_made_up(void **state)
{
	(void)state;
	stage_is("", NULL);
	stage_is("step 10 loss 2\nTraining finished\n", NULL);
	stage_is("start\nslurmstepd: error: *** JOB 12 ON n1 CANCELLED AT "
		 "2024-05-01T10:00:00 DUE TO TIME LIMIT ***\n",
	    NULL);
	/* what the line itself says */
	stage_is("Generating train split: 0 examples [00:00, ? examples/s]"
		 "pyarrow.lib.ArrowInvalid: JSON parse error\n",
	    "data");
	stage_is(
	    "epoch 3 step 12 loss nan\nepoch 3 step 13 loss nan\n", "training");
	assert_int_equal(stage_words(lab.tax, span_of("")), STAGE_UNKNOWN);
	/* the first and the last of a letter, and the longer one first */
	assert_int_equal(stage_words(lab.tax, span_of("Running evaluation")),
	    STAGE_EVALUATION);
	assert_int_equal(stage_words(lab.tax, span_of("Running validation")),
	    STAGE_TRAINING);
	assert_int_equal(
	    stage_words(lab.tax, span_of("Downloading data: 3%")), STAGE_DATA);
	assert_int_equal(stage_words(lab.tax, span_of("Downloading x: 3%")),
	    STAGE_INITIALIZATION);
	assert_int_equal(stage_words(lab.tax, span_of("contesting bitmap: x")),
	    STAGE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_decide),
		cmocka_unit_test(words_decide),
		cmocka_unit_test(nothing_is_made_up),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
